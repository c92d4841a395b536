"""Puzzles about forcing: a question after which a set is yours, whatever is answered."""

from __future__ import annotations

from random import Random

from quaternity.base.sentences import Kind, Sentence
from quaternity.game.game import Game
from quaternity.game.question import Answer, Question
from quaternity.game.sentences import question_sentence
from quaternity.game.state import State
from quaternity.perfect.keys.canonical import Coding, Key, Rules, coding
from quaternity.perfect.successors.one_state import canonical_after, choices
from quaternity.puzzles.dealing import open_game
from quaternity.puzzles.puzzle import Puzzle, Step

SIZES, SMALL = ((3, 6, 3), (3, 7, 3), (4, 4, 4)), ((3, 5, 3), (4, 3, 3))
"""Set size, sets and players; small where many questions are to be thought of."""

MOST_MOVES = 32
MOST_QUESTIONS = 4
MOST_WAYS = 12
"""So many first questions are worth thinking about; more would be guessed."""

COMPLETE = Kind(
    "complete",
    "You are {who:player}, and on turn. Ask so that, whatever all others do, you complete {prize}. "
    "Questions that you may ask: {count}.",
)
ANY_SET, THE_GAME = Kind("any_set", "a set"), Kind("the_game", "the set that wins the game")
HOW_MANY_DO = Kind("how_many_do", "{right} of {all} questions do it.")
ASK_FOR = Kind("ask_for", "Ask {asked:player}.")
AFTER = Kind("after", "{move}: {then}.")
THEN_ASK = Kind("then_ask", "then '{question}'")
DONE = Kind("done", "the set is yours")
FAILS = Kind("fails", "After '{move}' the others can prevent it.")


class Force:
    """Ask so that a set is yours within so many questions, whatever is answered."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle from a random game in which somebody can force a set."""
        del wish
        game = open_game(random, SIZES if level < 3 else SMALL, MOST_MOVES)
        if game is None:
            return None
        state = game.state
        assert state.turn is not None, "the game is not over"
        search = Search(state)
        questions = list(state.legal_questions)
        for within in range(1, min(level, MOST_QUESTIONS) + 1):
            right = [question for question in questions if search.forces(question, within)]
            if right:
                break
        if not right or len(right) > MOST_WAYS or 3 * len(right) > len(questions):
            return None
        wins = 2 * (state.points[state.turn] + 1) > state.sets
        asks = {question: str(question_sentence(question)) for question in questions}
        wrong = {text: FAILS(move=search.spoiler(question, within))
                 for question, text in asks.items() if question not in right}  # fmt: skip
        best = right[0]
        line, hidden = search.line(best, within)
        steps = (
            Step(HOW_MANY_DO(right=len(right), all=len(questions))),
            Step(ASK_FOR(asked=best.asked), (f"player {best.asked}",)),
            *line,
        )
        question = COMPLETE(
            who=state.turn, prize=THE_GAME() if wins else ANY_SET(),
            count=within,
        )  # fmt: skip
        return Puzzle(
            "force", "quaternity", game.record(), question, "move",
            answers=tuple(asks[question] for question in right), wrong=wrong, why=steps,
            level=min(5, within + hidden),
            level_from={"questions": within, "hidden": hidden, "right": len(right)},
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Play all questions and answers on the game's own states."""
        state, within = Game.parse(puzzle.position).state, puzzle.level_from["questions"]
        assert state.turn is not None, "somebody asks"
        goal = state.points[state.turn] + 1
        return {
            str(question_sentence(question)) for question in state.legal_questions
            if all(_forced(state.after(question, answer), state.turn, goal, within - 1)
                   for answer in state.answers(question))
        }  # fmt: skip


def _forced(state: State, me: int, goal: int, within: int) -> bool:
    if state.points[me] >= goal:
        return True
    if within == 0 or state.is_over or (state.turn != me and within == 1):
        return False
    mine = state.turn == me
    outcomes = (
        all(_forced(state.after(question, answer), me, goal, within - 1)
            for answer in state.answers(question))
        for question in state.legal_questions
    )  # fmt: skip
    return any(outcomes) if mine else all(outcomes)


class Search:
    """What the player on turn of a state can force, on canonical states."""

    def __init__(self, state: State) -> None:
        assert state.turn is not None, "somebody asks"
        self.state, self.me, self.goal = state, state.turn, state.points[state.turn] + 1
        self.code: Coding = coding(Rules.of(state))
        self.known: dict[tuple[Key, int, int], bool] = {}

    def forces(self, question: Question, within: int) -> bool:
        """Return whether a question leads to the goal, whatever is answered."""
        return all(
            self._after(self.state, question, answer, within)
            for answer in self.state.answers(question)
        )

    def _after(self, state: State, question: Question, answer: Answer, within: int) -> bool:
        key, roles = canonical_after(self.code, state, question, answer)
        return self._forced(key, roles.index(self.me), within - 1)

    def _forced(self, key: Key, me: int, within: int) -> bool:
        if (key, me, within) in self.known:
            return self.known[key, me, within]
        parts = self.code.parts(key)
        if parts.points[me] >= self.goal:
            forced = True
        elif within == 0 or (me and within == 1):
            forced = False
        else:
            outcomes = (
                all(self._forced(reply.key, reply.roles.index(me), within - 1)
                    for reply in choice.replies)
                for choice in choices(self.code, key)
            )  # fmt: skip
            forced = all(outcomes) and bool(parts.kinds) if me else any(outcomes)
        self.known[key, me, within] = forced
        return forced

    def spoiler(self, question: Question, within: int) -> Sentence:
        """Return a question with the answer after which the goal cannot be forced."""
        answers = self.state.answers(question)
        bad = next(
            answer for answer in answers if not self._after(self.state, question, answer, within)
        )
        return question_sentence(question, bad)

    def line(self, question: Question, within: int) -> tuple[list[Step], int]:
        """Return what to ask after each answer, and how many answers no mark shows."""
        steps, hidden, open_lines = list[Step](), 0, [(self.state, question, within)]
        while open_lines:
            state, asked, count = open_lines.pop(0)
            hidden += len(state.owners_of(*asked.card)) > 1
            for answer in state.answers(asked):
                after = state.after(asked, answer)
                then: Sentence = DONE()
                if after.points[self.me] < self.goal:
                    if after.turn != self.me:
                        continue
                    following = next(
                        other for other in after.legal_questions
                        if all(self._after(after, other, reply, count - 1)
                               for reply in after.answers(other))
                    )  # fmt: skip
                    then = THEN_ASK(question=question_sentence(following))
                    open_lines.append((after, following, count - 1))
                rests = (str(asked.card), f"player {asked.asked}")
                steps.append(Step(AFTER(move=question_sentence(asked, answer), then=then), rests))
        return steps, hidden
