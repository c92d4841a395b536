"""Puzzles about forcing: a question after which a set is yours, whatever is answered."""

from __future__ import annotations

from random import Random

from quaternity.base.sentences import Kind, Sentence
from quaternity.game.game import Game
from quaternity.game.question import Answer, Question
from quaternity.game.sentences import question_sentence
from quaternity.game.state import State
from quaternity.insight.explanation import explain
from quaternity.perfect.keys.canonical import Coding, Key, Rules, coding
from quaternity.perfect.successors.one_state import canonical_after, choices
from quaternity.puzzles.dealing import SO_NOT, open_game
from quaternity.puzzles.puzzle import Puzzle, Step

SIZES = ((3, 6, 3), (3, 7, 3), (4, 4, 4))
"""Set size, sets and players."""

MOST_MOVES, MOST_QUESTIONS, MOST_WAYS = 32, 4, 12
"""Moves that were made, questions to think of, and first ones that do it: more would be guessed."""

COMPLETE = Kind(
    "complete",
    "You are {who:player} and on turn: what do you ask to complete {prize} {within}, whatever all "
    "others do?",
)
ANY_SET, THE_GAME = Kind("any_set", "a set"), Kind("the_game", "the set that wins the game")
AT_ONCE = Kind("at_once", "at once")
WITHIN = Kind("within", "within {count} questions, whoever asks them")
HOW_MANY_DO = Kind("how_many_do", "{right} of {all} questions do it.")
ASK_FOR = Kind("ask_for", "Ask {asked:player}.")
AFTER = Kind("after", "{move}: {then}.")
THEN_ASK = Kind("then_ask", "then '{question}'")
DONE = Kind("done", "the set is yours")
FAILS = Kind("fails", "This can follow, and it is too late: {line:parts}.")


class Force:
    """Ask so that a set is yours within so many questions, whatever is answered."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle from a random game in which somebody can force a set."""
        del wish
        game = open_game(random, SIZES, MOST_MOVES)
        if game is None:
            return None
        state, search = game.state, Search(game.state)
        questions = list(state.legal_questions)
        for within in range(1, min(level, MOST_QUESTIONS) + 1):
            right = [question for question in questions if search.forces(state, question, within)]
            if right:
                break
        if not right or len(right) > MOST_WAYS or 3 * len(right) > len(questions):
            return None
        line, hidden = search.line(game, right[0], within)
        if min(5, within + hidden) != level:
            return None
        wins = 2 * search.goal > state.sets
        wrong = {str(question_sentence(question)): FAILS(line=search.spoiled(question, within))
                 for question in questions if question not in right}  # fmt: skip
        steps = (
            Step(HOW_MANY_DO(right=len(right), all=len(questions))),
            Step(ASK_FOR(asked=right[0].asked), (f"player {right[0].asked}",)),
            *line,
        )
        question = COMPLETE(
            who=search.me, prize=THE_GAME() if wins else ANY_SET(), count=within,
            within=WITHIN(count=within) if within > 1 else AT_ONCE(),
        )  # fmt: skip
        return Puzzle(
            "force", "quaternity", game.record(), question, "move",
            answers=tuple(str(question_sentence(question)) for question in right),
            wrong=wrong, why=steps, level=level,
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

    def forces(self, state: State, question: Question, within: int) -> bool:
        """Return whether a question leads to the goal, whatever is answered."""
        return self._spoiler(state, question, within) is None

    def _spoiler(self, state: State, question: Question, within: int) -> Answer | None:
        """Return an answer after which the goal cannot be forced."""
        answers = state.answers(question)
        return next((x for x in answers if not self._after(state, question, x, within)), None)

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

    def spoiled(self, question: Question, within: int) -> list[Sentence]:
        """Return a line of play after a question, at the end of which it is too late."""
        state, line = self.state, list[Sentence]()
        while (answer := self._spoiler(state, question, within)) is not None:
            line.append(question_sentence(question, answer))
            state, within = state.after(question, answer), within - 1
            if not within or state.is_over or (state.turn != self.me and within == 1):
                break
            question = next(x for x in state.legal_questions if not self.forces(state, x, within))
        return line

    def line(self, game: Game, question: Question, within: int) -> tuple[list[Step], int]:
        """Return what to ask after each answer, and how many answers no mark shows."""
        steps, hidden, open_lines = list[Step](), 0, [(game, question, within)]
        while open_lines:
            game, asked, within = open_lines.pop(0)
            state, rests = game.state, (str(asked.card), f"player {asked.asked}")
            if len(state.owners_of(*asked.card)) > 1:
                hidden += 1
                if proof := explain(game, asked, Answer.NO):
                    no = SO_NOT(asked=asked.asked, answer=Answer.NO, reason=proof.reason)
                    steps.append(Step(no, rests))
            for answer in state.answers(asked):
                after = game.ask(asked, answer)
                then: Sentence = DONE()
                if after.state.points[self.me] < self.goal:
                    if after.state.turn != self.me:
                        continue  # whatever the others ask now leads to it
                    questions, count = after.state.legal_questions, within - 1
                    asks = next(x for x in questions if self.forces(after.state, x, count))
                    then = THEN_ASK(question=question_sentence(asks))
                    open_lines.append((after, asks, count))
                steps.append(Step(AFTER(move=question_sentence(asked, answer), then=then), rests))
        return steps, hidden
