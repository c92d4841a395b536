"""The rules of Quaternity, as an implementation of `quaternity.table.protocol.Rules`.

If only one answer to a question is possible, it is given automatically. If both answers are
possible, the answer is a move of the asked player. So a position consists of a state and, if an
answer is due, the question. Nothing is hidden, because no cards are dealt.
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
from quaternity.base.sentences import PLAIN, Wording
from quaternity.base.text_format import quote_value
from quaternity.base.text_record import Replay, check_same
from quaternity.base.text_table import WIDTH, SetLine, minimums_text, owners_text, score_text
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
"""Pattern of a question that a player types, such as `1 0 2`, `1 for 0/2` or `0 asks 1 for 0/2`."""

QuaternityMove = Question | Answer


def parse_question(text: str, asker: int | None) -> Question | None:
    """Return the question that a player typed.

    If the text does not name the asker, the asker is `asker`. Return None if the text is not a
    question, or if the asker is unknown.
    """
    match = ASK.fullmatch(text.strip())
    player = asker if match is None or match[1] is None else int(match[1])
    if match is None or player is None:
        return None
    return Question(player, int(match[2]), Card(int(match[3]), int(match[4])))


@dataclass(frozen=True, slots=True)
class QuaternityPosition:
    """The state of a game, and the question that waits for an answer, or None."""

    state: State
    pending: Question | None = None


@dataclass(frozen=True, slots=True)
class QuaternityRules(PlainRules[QuaternityPosition, QuaternityMove, QuaternityPosition]):
    """The rules of Quaternity with given settings (see `quaternity.table.protocol.Rules`)."""

    settings: Settings = field(default_factory=Settings)

    name = "quaternity"
    hidden = False

    @property
    def seats(self) -> int:
        """Number of players."""
        return self.settings.players

    def start(self, random: Random) -> QuaternityPosition:
        """Return the position before the first question.

        It contains no hands, because the cards of Quaternity are never dealt.
        """
        del random
        return QuaternityPosition(State.start(self.settings))

    def to_act(self, position: QuaternityPosition) -> tuple[int, ...]:
        """Return the player who must answer the pending question, or else the player to move."""
        if position.pending is not None:
            return (position.pending.asked,)
        state = position.state
        return () if state.is_over or state.turn is None else (state.turn,)

    def is_settled(self, position: QuaternityPosition) -> bool:
        """Return True unless a question is waiting for its answer."""
        return position.pending is None

    def view(self, position: QuaternityPosition, seat: int | None) -> QuaternityPosition:
        """Return the position itself, because all players know the same."""
        del seat
        return position

    def after(
        self, position: QuaternityPosition, seat: int, move: QuaternityMove
    ) -> QuaternityPosition:
        """Return the position after a question or an answer.

        Raises:
            IllegalMove: If the move is illegal. The error lists all reasons.
        """
        acting = self.to_act(position)
        if acting and seat not in acting:
            raise IllegalMove(f"'{move}'", [f"player {acting[0]} is to move, not player {seat}"])
        state = position.state
        if acting and position.pending is None and isinstance(move, Question):
            answers = state.legal_questions.answers(move)  # This expensive step is done only once.
            if len(answers) == 2:
                return QuaternityPosition(state, move)
            if answers:
                return QuaternityPosition(state.after_legal(Question.of(move), answers[0]))
        faults = self.faults(position, move)
        if faults:
            raise IllegalMove(f"'{move}' is not a legal move", faults)
        assert position.pending is not None, "no fault was found in an illegal question"
        assert isinstance(move, Answer), "only an answer is legal while a question is pending"
        return QuaternityPosition(state.after(position.pending, move))

    def events(
        self, before: QuaternityPosition, seat: int, move: QuaternityMove, after: QuaternityPosition
    ) -> tuple[str, ...]:
        """Return messages about the question, its answer, and the sets that it completed."""
        del seat
        question = before.pending if isinstance(move, Answer) else move
        assert question is not None, "an answer must follow a pending question"
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
        """Return the rank of each player by points, or None if the game is not over.

        Players with equal points share a rank.
        """
        if not position.state.is_over:
            return None
        points = position.state.points
        return tuple(1 + sum(other > own for other in points) for own in points)

    def iter_moves(self, view: QuaternityPosition) -> Iterator[QuaternityMove]:
        """Return an iterator over all legal moves."""
        return iter(self.moves(view))

    def moves(self, view: QuaternityPosition) -> Collection[QuaternityMove]:
        """Return the legal questions, or both answers while a question is pending."""
        if view.pending is not None:
            return (Answer.NO, Answer.YES)
        return view.state.legal_questions

    def faults(self, view: QuaternityPosition, move: QuaternityMove) -> list[str]:
        """Return all reasons why a move is illegal, or an empty list if it is legal."""
        if view.state.is_over:
            return [IS_OVER()]
        if view.pending is not None:
            answers = isinstance(move, Answer)
            return [] if answers else [WAITS(question=question_sentence(view.pending))]
        if isinstance(move, Answer):
            return [NOTHING_TO_ANSWER(answer=move)]
        if not isinstance(move, Question):
            return [f"{quote_value(move)} is not a question"]
        return [] if move in view.state.legal_questions else view.state.faults(move)

    def read(self, text: str, view: QuaternityPosition) -> QuaternityMove:
        """Parse a question such as `1 0 2`, `1 for 0/2` or `0 asks 1 for 0/2`, or an answer.

        Answers are parsed while a question is pending. Another question is accepted, too, so that
        `faults` can say that an answer is expected. If no question is pending, an answer may follow
        the question, as in `0 asks 1 for 0/2: no`. The answer is not part of the move, but it must
        be possible.

        Raises:
            InputError: If the text is not a move, or its answer is impossible.
        """
        if view.pending is not None:
            other = parse_question(text, view.state.turn)
            return Answer.parse(text.rpartition(":")[2]) if other is None else other
        question = parse_question(text.partition(":")[0], view.state.turn)
        if question is None or view.state.turn is None:
            raise NotUnderstood(
                f"{quote_value(text)} is not understood: type a question such as 1 0 2 or 1 for 0/2"
            )
        reply = text.partition(":")[2].strip()
        if reply and question in view.state.legal_questions:
            answer = Answer.parse(reply)
            if answer not in view.state.answers(question):
                raise InputError(f"'{question}': the answer {answer} is impossible")
        return question

    def show(self, view: QuaternityPosition, width: int = WIDTH, words: Wording = PLAIN) -> str:
        """Return the hand sizes, points, possible owners and the pending question as text."""
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
        """Return the state and the pending `question` (a string or null) as a JSON object."""
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
        """Return the view itself: it contains the whole position, because nothing is hidden."""
        del random
        return view

    def record_move(
        self, before: QuaternityPosition, seat: int, move: QuaternityMove, after: QuaternityPosition
    ) -> str:
        """Return the text that a move adds to the record.

        A question that waits for its answer adds only the first part of a line. The part ends with
        a colon, which shows that the question is complete. The answer adds the rest of the line.
        """
        del seat
        if after.pending is not None:
            return f"{after.pending}:"
        if isinstance(move, Answer):
            return f" {move}\n"
        return f"{move}: {self._answer(before, move)}\n"

    def record_start(self, start: QuaternityPosition, names: Sequence[str]) -> str:
        """Return the header with the settings. Records of this game do not name the players."""
        del start, names
        return header_text(self.settings)

    @classmethod
    def of_record(cls, data: bytes) -> QuaternityRules:
        """Return rules with the settings of a record. Raise `RecordError` if it is not a record."""
        return cls(parse_record(data).settings)

    def replay(self, data: bytes) -> Replay[QuaternityPosition, QuaternityMove]:
        """Return the replay of a record, which must have the same settings as these rules.

        If the record ends with a question that has no answer, this question is the last move.

        Raises:
            InputError: If the data are not a record, or have other settings.
            ImpossibleRecord: If the game in the record breaks the rules.
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
        # Comments and blank lines between two moves belong to the first of the two moves.
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
        waiting = _pending_question(asked, game.state) if colon else None
        if waiting is not None:
            positions.append(QuaternityPosition(game.state, waiting))
            moves.append((waiting.asker, waiting))
            whole += len(asked + colon)
            ends.append(whole)
            warnings = ("the last answer is incomplete and was ignored",) if reply.strip() else ()
        return Replay(tuple(positions), tuple(moves), (), warnings, whole, tuple(ends))


def _pending_question(line: bytes, state: State) -> Question | None:
    question = parse_question(line.decode(errors="replace"), None)
    if question is None or question not in state.legal_questions:
        return None
    return question if len(state.answers(question)) == 2 else None


def owners_table(
    state: State, width: int = WIDTH, words: Wording = PLAIN, follows: bool = True
) -> str:
    """Return a text table of the possible owners of each card, and of the players' minimums.

    If `follows` is true, the table includes everything that can be deduced. Otherwise it shows only
    the facts that the state contains.
    """
    everybody, problem = (1 << state.players) - 1, state.problem
    if follows:
        with suppress(NoDeal):
            problem = state.filtered_problem()
    lines = []
    for index, constraint in enumerate(problem.sets):
        owner = state.completed[index]
        if owner is not None:
            texts, remark = [f"={owner}"] * state.set_size, "completed"
        else:
            texts = [owner_cell(mask, everybody) for mask in constraint.owners]
            remark = minimums_text(constraint.low)
        cells = [words.cell((index, number), text) for number, text in enumerate(texts)]
        lines.append(SetLine(words.number(index), cells, remark))
    return owners_text(lines, width)


def owner_cell(mask: int, everybody: int, names: Mapping[int, str] = MappingProxyType({})) -> str:
    """Return the possible owners of a card as text: `=2` (only 2), `*` (all), `13` (1 or 3).

    `everybody` is the bit mask of all players. `names` maps players to other labels than their
    numbers.
    """
    if mask == everybody and mask.bit_count() > 1:
        return "*"
    owners = "".join(names.get(p, str(p) if p < 10 else f"({p})") for p in players_in(mask))
    return f"={owners}" if mask.bit_count() == 1 else owners
