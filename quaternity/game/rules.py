"""Quaternity as a game to be played at a table.

A question whose answer is forced is answered by the rules; only a free answer is a move. So a
position is a state, and a question that waits for its answer. Nothing is hidden: hands are
undefined.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Any

from quaternity.base.errors import IllegalMove, InputError, NoDeal, NotUnderstood
from quaternity.base.sentences import PLAIN, Words
from quaternity.base.text_record import Replay, check_same
from quaternity.base.text_table import WIDTH, SetLine, at_least, owners_text, score_text
from quaternity.base.wording import shown
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.record import header_text, parse_record
from quaternity.game.sentences import (
    COMPLETES,
    IS_OVER,
    NOTHING_TO_ANSWER,
    WAITS,
    question_sentence,
)
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.table.plain_rules import PlainRules
from solvers.problem import players_in

ASK = re.compile(
    r"(?:(\d{1,9})\s+asks\s+)?(\d{1,9})(?:\s+for)?\s+(\d{1,9})\s*[/\s]\s*(\d{1,9})", re.ASCII
)
"""A question as people type it: `1 0 2`, `1 for 0/2`, `0 asks 1 for 0/2`."""

QuaternityMove = Question | Answer


def question_in(text: str, asker: int | None) -> Question | None:
    """Return the question that somebody typed, by `asker` where the text names nobody, if any."""
    match = ASK.fullmatch(text.strip())
    by = asker if match is None or match[1] is None else int(match[1])
    if match is None or by is None:
        return None
    return Question(by, int(match[2]), Card(int(match[3]), int(match[4])))


@dataclass(frozen=True, slots=True)
class QuaternityPosition:
    """A state, and the question that waits for an answer, if any."""

    state: State
    pending: Question | None = None


@dataclass(frozen=True, slots=True)
class QuaternityRules(PlainRules[QuaternityPosition, QuaternityMove, QuaternityPosition]):
    """Quaternity with its settings; see `quaternity.table.protocol.Rules`."""

    settings: Settings = field(default_factory=Settings)

    name = "quaternity"
    hidden = False

    @property
    def seats(self) -> int:
        """Number of players."""
        return self.settings.players

    def start(self, random: Random) -> QuaternityPosition:
        """Return the position before the first question; nothing is dealt."""
        del random
        return QuaternityPosition(State.start(self.settings))

    def to_act(self, position: QuaternityPosition) -> tuple[int, ...]:
        """Return who answers the question that waits, else who is on turn."""
        if position.pending is not None:
            return (position.pending.asked,)
        state = position.state
        return () if state.is_over or state.turn is None else (state.turn,)

    def is_settled(self, position: QuaternityPosition) -> bool:
        """Return False while a question waits for its answer."""
        return position.pending is None

    def view(self, position: QuaternityPosition, seat: int | None) -> QuaternityPosition:
        """Return the position: everybody knows the same."""
        del seat
        return position

    def after(
        self, position: QuaternityPosition, seat: int, move: QuaternityMove
    ) -> QuaternityPosition:
        """Return the position after a question or an answer.

        Raises:
            IllegalMove: with all that is wrong with it.
        """
        acting = self.to_act(position)
        if acting and seat not in acting:
            raise IllegalMove(f"'{move}'", [f"player {acting[0]} is to move, not player {seat}"])
        state = position.state
        if acting and position.pending is None and isinstance(move, Question):
            answers = state.legal_questions.answers(move)  # asked for once: it is what costs
            if len(answers) == 2:
                return QuaternityPosition(state, move)
            if answers:
                return QuaternityPosition(state.after_legal(Question.of(move), answers[0]))
        faults = self.faults(position, move)
        if faults:
            raise IllegalMove(f"'{move}' is not a legal move", faults)
        assert position.pending is not None, "a question that is not legal has faults"
        assert isinstance(move, Answer), "an answer is to a question"
        return QuaternityPosition(state.after(position.pending, move))

    def events(
        self,
        before: QuaternityPosition,
        seat: int,
        move: QuaternityMove,
        after: QuaternityPosition,
    ) -> tuple[str, ...]:
        """Return the question, with its answer when there is one, and the sets completed."""
        del seat
        question = before.pending if isinstance(move, Answer) else move
        assert question is not None, "an answer is to a question"
        if after.pending is not None:
            return (question_sentence(question),)
        forced = not isinstance(move, Answer)
        completions = [
            COMPLETES(who=owner, set=index)
            for index, owner in enumerate(after.state.completed)
            if owner is not None and before.state.completed[index] is None
        ]
        return (question_sentence(question, self._answer(before, move), forced), *completions)

    def _answer(self, before: QuaternityPosition, move: QuaternityMove) -> Answer:
        return move if isinstance(move, Answer) else before.state.answers(move)[0]

    def points(self, position: QuaternityPosition) -> tuple[float, ...]:
        """Return the number of completed sets of each player."""
        return tuple(map(float, position.state.points))

    def places(self, position: QuaternityPosition) -> tuple[int, ...] | None:
        """Rank the players by points; equal points share a place."""
        if not position.state.is_over:
            return None
        points = position.state.points
        return tuple(1 + sum(other > mine for other in points) for mine in points)

    def listed(self, view: QuaternityPosition) -> Iterator[QuaternityMove]:
        """Return the legal moves, all of them."""
        return iter(self.moves(view))

    def moves(self, view: QuaternityPosition) -> Collection[QuaternityMove]:
        """Return the legal questions, or the two answers."""
        if view.pending is not None:
            return (Answer.NO, Answer.YES)
        return view.state.legal_questions

    def faults(self, view: QuaternityPosition, move: QuaternityMove) -> list[str]:
        """Return everything that makes a move illegal; nothing when it is legal."""
        if view.state.is_over:
            return [IS_OVER()]
        if view.pending is not None:
            answers = isinstance(move, Answer)
            return [] if answers else [WAITS(question=question_sentence(view.pending))]
        if isinstance(move, Answer):
            return [NOTHING_TO_ANSWER(answer=move)]
        if not isinstance(move, Question):
            return [f"{shown(move)} is not a question"]
        return [] if move in view.state.legal_questions else view.state.faults(move)

    def read(self, text: str, view: QuaternityPosition) -> QuaternityMove:
        """Read `1 0 2`, `1 for 0/2` or `0 asks 1 for 0/2`; yes or no where a question waits.

        An answer may follow, `0 asks 1 for 0/2: no`; it is not the move, but it must be possible.
        While a question waits for its answer, another question is also read; `faults` then says
        what is expected.

        Raises:
            InputError: the text has no move.
        """
        if view.pending is not None:
            other = question_in(text, view.state.turn)
            return Answer.parse(text.rpartition(":")[2]) if other is None else other
        question = question_in(text.partition(":")[0], view.state.turn)
        if question is None or view.state.turn is None:
            raise NotUnderstood(
                f"{shown(text)} is not understood: a question is for example 1 0 2 or 1 for 0/2"
            )
        reply = text.partition(":")[2].strip()
        if reply and question in view.state.legal_questions:
            answer = Answer.parse(reply)
            if answer not in view.state.answers(question):
                raise InputError(f"'{question}': {answer} is impossible")
        return question

    def show(self, view: QuaternityPosition, width: int = WIDTH, words: Words = PLAIN) -> str:
        """Return cards, points, who may own what, and the question that waits."""
        state = view.state
        turn = None if state.is_over else state.turn
        lines = [
            score_text(state.hands, state.points, turn, width),
            owners_table(state, width, words),
        ]
        if view.pending is not None:
            lines.append(f"{words.say(question_sentence(view.pending))}: yes or no?")
        return "\n".join(lines)

    def view_json(self, view: QuaternityPosition) -> dict[str, Any]:
        """Return the state as in its file, and `question`: what waits for an answer, or null."""
        state, problem = view.state, view.state.problem
        return {
            "turn": state.turn,
            "hands": list(state.hands),
            "owners": [
                [list(state.owners_of(index, number)) for number in range(state.set_size)]
                for index in range(state.sets)
            ],
            "minimum": [[s.low[player] for s in problem.sets] for player in range(self.seats)],
            "completed": list(state.completed),
            "question": None if view.pending is None else str(view.pending),
            "over": state.is_over,
        }

    def like(self, view: QuaternityPosition, random: Random) -> QuaternityPosition:
        """Return the view itself."""
        del random
        return view

    def record_move(
        self,
        before: QuaternityPosition,
        seat: int,
        move: QuaternityMove,
        after: QuaternityPosition,
    ) -> str:
        """Return the line of a move; of a question that waits, the part before the answer.

        That part has no line end. Its colon shows that nothing of the question was cut off.
        """
        del seat
        if after.pending is not None:
            return f"{after.pending}:"
        if isinstance(move, Answer):
            return f" {move}\n"
        return f"{move}: {self._answer(before, move)}\n"

    def record_start(self, start: QuaternityPosition, names: Sequence[str]) -> str:
        """Return the settings; a record does not say who plays."""
        del start, names
        return header_text(self.settings)

    @classmethod
    def of_record(cls, data: bytes) -> QuaternityRules:
        """Return the rules that a record was played by. Raises as `parse_record`."""
        return cls(parse_record(data).settings)

    def replay(self, data: bytes) -> Replay[QuaternityPosition, QuaternityMove]:
        """Read a record with these settings; a question that waits for its answer is a move.

        Raises:
            InputError: it is not a record, or has other settings.
            ImpossibleRecord: the game in it breaks the rules.
        """
        record = parse_record(data)
        check_same(self.settings, record.settings)
        game = record.replay()
        positions = [QuaternityPosition(game.states[0])]
        moves: list[tuple[int, QuaternityMove]] = []
        lines = data[: record.whole_bytes].splitlines(keepends=True)
        starts = [0]
        for text in lines:
            starts.append(starts[-1] + len(text))
        # Text between two moves belongs to the earlier move.
        begins = (*(starts[line - 1] for line in record.lines), record.whole_bytes)
        ends = [begins[0]]
        for number, (question, answer) in enumerate(game.moves):
            state = game.states[number]
            moves.append((question.asker, question))
            if len(state.answers(question)) == 2:
                positions.append(QuaternityPosition(state, question))
                moves.append((question.asked, answer))
                ends.append(begins[number] + lines[record.lines[number] - 1].index(b":") + 1)
            positions.append(QuaternityPosition(game.states[number + 1]))
            ends.append(begins[number + 1])
        warnings, whole = record.warnings, record.whole_bytes
        asked, colon, reply = data[whole:].partition(b":")
        waiting = _waiting(asked, game.state) if colon else None
        if waiting is not None:
            positions.append(QuaternityPosition(game.state, waiting))
            moves.append((waiting.asker, waiting))
            whole += len(asked + colon)
            ends.append(whole)
            warnings = ("the last answer is cut off and left out",) if reply.strip() else ()
        return Replay(tuple(positions), tuple(moves), (), warnings, whole, tuple(ends))


def _waiting(line: bytes, state: State) -> Question | None:
    """Return the question in a line that has no whole answer, if both answers are possible."""
    question = question_in(line.decode(errors="replace"), None)
    if question is None or question not in state.legal_questions:
        return None
    return question if len(state.answers(question)) == 2 else None


def owners_table(
    state: State, width: int = WIDTH, words: Words = PLAIN, follows: bool = True
) -> str:
    """Show per card the players who may own it, and per set the fewest cards of each player.

    With `follows`, as can be concluded; without, as was stated.
    """
    everybody, problem = (1 << state.players) - 1, state.problem
    if follows:
        with suppress(NoDeal):
            problem = state.closed()
    lines = []
    for index, constraint in enumerate(problem.sets):
        owner = state.completed[index]
        if owner is not None:
            texts, remark = [f"={owner}"] * state.set_size, "completed"
        else:
            texts = [owner_cell(mask, everybody) for mask in constraint.owners]
            remark = at_least(constraint.low)
        cells = [words.cell((index, number), text) for number, text in enumerate(texts)]
        lines.append(SetLine(words.number(index), cells, remark))
    return owners_text(lines, width)


def owner_cell(mask: int, everybody: int, names: Mapping[int, str] = MappingProxyType({})) -> str:
    """Write the owners of a card: `=2` for player 2, `*` for everybody, `13` for 1 or 3.

    `names` are of those that are not called by their number.
    """
    if mask == everybody and mask.bit_count() > 1:
        return "*"
    owners = "".join(names.get(p, str(p) if p < 10 else f"({p})") for p in players_in(mask))
    return f"={owners}" if mask.bit_count() == 1 else owners
