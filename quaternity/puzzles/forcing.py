"""Quaternity puzzles: find a question that completes a set soon, whatever the answers are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from quaternity.base.sentences import Message, MessageTemplate
from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Question
from quaternity.game.sentences import question_sentence
from quaternity.game.state import State
from quaternity.insight.explanation import explain
from quaternity.perfect.keys.canonical import Key, KeyCodec, Rules, coding
from quaternity.perfect.successors.one_state import canonical_after, choices
from quaternity.puzzles.dealing import (
    LOOK_AT_SET,
    SO_NOT,
    Count,
    impossibility_steps,
    open_game,
    prove_impossible,
)
from quaternity.puzzles.puzzle import Puzzle, Step, level_by
from solvers.problem import players_in

SIZES = ((3, 6, 3), (3, 7, 3), (4, 4, 4))
"""Sizes of the games from which puzzles are made, as tuples (cards in a set, sets, players)."""

MAX_FORCING_MOVES, MAX_QUESTIONS, MAX_WAYS = 32, 4, 12
"""Limits of a puzzle. Its game has fewer than `MAX_FORCING_MOVES` moves. A player must think at
most `MAX_QUESTIONS` questions ahead. There are at most `MAX_WAYS` right answers, because guessing
would otherwise be too easy."""

COMPLETE = MessageTemplate(
    "complete",
    "You are {who:player}, and it is your turn: which question ensures that you complete {prize} "
    "{within}, whatever the others do?",
)
ANY_SET = MessageTemplate("any_set", "a set for yourself")
THE_GAME = MessageTemplate("the_game", "the set that wins the game for you")
AT_ONCE = MessageTemplate("at_once", "at once")
WITHIN = MessageTemplate("within", "within {count} questions, counting those of all players")
HOW_MANY_DO = MessageTemplate("how_many_do", "Questions that achieve this: {right} of {all}.")
AFTER = MessageTemplate("after", "{move}: {then}.")
THEN_ASK = MessageTemplate("then_ask", "then '{question}'")
DONE = MessageTemplate("done", "the set is yours")
FAILS = MessageTemplate("fails", "This can follow, and then it is too late: {line:parts}.")


class Force:
    """A kind of puzzle that asks which question completes a set soon, whatever the answers are."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle about a random game. Return None if the game has no puzzle of this level.

        `PuzzleKind` explains the arguments.
        """
        del wish
        game = open_game(random, SIZES, MAX_FORCING_MOVES)
        if game is None:
            return None
        state, search = game.state, Search(game.state)
        questions = list(state.legal_questions)
        for within in range(1, min(level, MAX_QUESTIONS) + 1):
            right = [question for question in questions if search.forces(state, question, within)]
            if right:
                break
        if not right or len(right) > MAX_WAYS or 3 * len(right) > len(questions):
            return None
        lines = [search.line(game, question, within) for question in right]
        line = min(lines, key=lambda line: line.score)
        if level_by(line.score, (1.5, 3, 4.5, 5.75)) != level:
            return None
        wins = 2 * search.goal > state.sets
        wrong = {str(question_sentence(question)): FAILS(line=search.spoiling_line(question,
            within))
                 for question in questions if question not in right}  # fmt: skip
        steps = (
            Step(HOW_MANY_DO(right=len(right), all=len(questions))),
            Step(LOOK_AT_SET(set=line.set_index), (f"set {line.set_index}",)),
            *line.steps,
        )
        question = COMPLETE(
            who=search.me, prize=THE_GAME() if wins else ANY_SET(), count=within,
            within=WITHIN(count=within) if within > 1 else AT_ONCE(),
        )  # fmt: skip
        return Puzzle(
            "force", "quaternity", game.record(), question, "move",
            answers=tuple(str(question_sentence(question)) for question in right),
            wrong=wrong, why=steps, level=level,
            level_from={
                "questions": within, "hidden": line.hidden, "own": line.own,
                "counted": line.counted,
            },
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Return the right questions, found again by a simpler search, to check a puzzle."""
        state, within = Game.parse(puzzle.position).state, puzzle.level_from["questions"]
        assert state.turn is not None, "a player must be to move"
        goal = state.points[state.turn] + 1
        return {
            str(question_sentence(question)) for question in state.legal_questions
            if all(_is_forced(state.after(question, answer), state.turn, goal, within - 1)
                   for answer in state.answers(question))
        }  # fmt: skip


def _is_forced(state: State, me: int, goal: int, within: int) -> bool:
    if state.points[me] >= goal:
        return True
    if within == 0 or state.is_over or (state.turn != me and within == 1):
        return False
    own_turn = state.turn == me
    outcomes = (
        all(_is_forced(state.after(question, answer), me, goal, within - 1)
            for answer in state.answers(question))
        for question in state.legal_questions
    )  # fmt: skip
    return any(outcomes) if own_turn else all(outcomes)


@dataclass(slots=True)
class Line:
    """A way to complete a set: its steps, and numbers that measure how hard it is to find.

    Attributes:
        set_index: The set of the first question.
        hidden: Number of questions for a card that several players may own.
        own: Number of questions in which the asker is not known to have a card of the set.
        counted: Number of players and sets whose cards must be counted to find the answers.
        questions: Maximum number of questions until the set is complete.
    """

    set_index: int
    steps: list[Step] = field(default_factory=list)
    hidden: int = 0
    own: int = 0
    counted: int = 0
    questions: int = 0

    @property
    def score(self) -> float:
        """The difficulty of finding this way. A higher score is harder."""
        return self.questions + self.hidden + self.own + self.counted / 4


class Search:
    """A search for questions with which the player to move is sure to complete a set soon.

    Results are stored, so equivalent states are searched only once.
    """

    def __init__(self, state: State) -> None:
        assert state.turn is not None, "a player must be to move"
        self.state, self.me, self.goal = state, state.turn, state.points[state.turn] + 1
        self.code: KeyCodec = coding(Rules.of(state))
        self.cache: dict[tuple[Key, int, int], bool] = {}

    def forces(self, state: State, question: Question, within: int) -> bool:
        """Return whether the player can complete a set after a question, whatever the answers.

        `state` is the state before the question. `within` is the maximum number of questions by all
        players until the set is complete, including this question.
        """
        return self._spoiler(state, question, within) is None

    def _spoiler(self, state: State, question: Question, within: int) -> Answer | None:
        answers = state.answers(question)
        return next((x for x in answers if not self._after(state, question, x, within)), None)

    def _after(self, state: State, question: Question, answer: Answer, within: int) -> bool:
        key, roles = canonical_after(self.code, state, question, answer)
        return self._is_forced(key, roles.index(self.me), within - 1)

    def _is_forced(self, key: Key, me: int, within: int) -> bool:
        if (key, me, within) in self.cache:
            return self.cache[key, me, within]
        parts = self.code.parts(key)
        if parts.points[me] >= self.goal:
            forced = True
        elif within == 0 or (me and within == 1):
            forced = False
        else:
            outcomes = (
                all(self._is_forced(reply.key, reply.roles.index(me), within - 1)
                    for reply in choice.replies)
                for choice in choices(self.code, key)
            )  # fmt: skip
            forced = all(outcomes) and bool(parts.kinds) if me else any(outcomes)
        self.cache[key, me, within] = forced
        return forced

    def spoiling_line(self, question: Question, within: int) -> list[Message]:
        """Return questions and answers after which the player cannot complete a set in time.

        They begin with `question`. At most `within` questions may be asked.
        """
        state, line = self.state, list[Message]()
        while (answer := self._spoiler(state, question, within)) is not None:
            line.append(question_sentence(question, answer))
            state, within = state.after(question, answer), within - 1
            if not within or state.is_over or (state.turn != self.me and within == 1):
                break
            question = next(x for x in state.legal_questions if not self.forces(state, x, within))
        return line

    def line(self, game: Game, question: Question, within: int) -> Line:
        """Return a way to complete a set, whatever the answers are, beginning with a question.

        `game` is the game before the question. At most `within` questions are asked.
        """
        line = Line(question.card.set_index, questions=within)
        open_lines = [(game, question, within)]
        while open_lines:
            game, asked, within = open_lines.pop(0)
            state, rests = game.state, (str(asked.card), f"player {asked.asked}")
            owners = state.problem.sets[asked.card.set_index].owners
            line.own += 1 << self.me not in owners
            if len(state.owners_of(*asked.card)) > 1:
                line.hidden += 1
                if proof := explain(game, asked, Answer.NO):
                    line.counted += Count.of(proof).score
                    no = SO_NOT(asked=asked.asked, answer=Answer.NO, reason=proof.reason)
                    line.steps.append(Step(no, rests))
            for answer in state.answers(asked):
                after, then = game.ask(asked, answer), list[Message]()
                if after.state.points[self.me] >= self.goal:
                    line.steps += self._completion_steps(game, after, asked.card)
                    then = [DONE()]
                elif after.state.turn == self.me:
                    # If another player is to move, every question leads to the goal.
                    asks = self._next_question(after.state, within - 1)
                    then = [THEN_ASK(question=question_sentence(asks))]
                    open_lines.append((after, asks, within - 1))
                move = question_sentence(asked, answer)
                line.steps += [Step(AFTER(move=move, then=text), rests) for text in then]
        return line

    def _next_question(self, state: State, within: int) -> Question:
        good = [x for x in state.legal_questions if self.forces(state, x, within)]
        return min(good, key=lambda question: len(state.owners_of(*question.card)) > 1)

    def _completion_steps(self, before: Game, after: Game, asked: Card) -> Iterator[Step]:
        index, me = asked.set_index, self.me
        if after.state.completed[index] != me:
            return
        for number, mask in enumerate(before.state.problem.sets[index].owners):
            card = Card.unchecked(index, number)
            others = [player for player in players_in(mask) if player != me]
            if others and card != asked:
                yield from impossibility_steps(
                    card, {player: prove_impossible(after, card, player) for player in others}
                )
