"""Parser and writer of game records, the text form of a game with a line for each move.

A record can be written move by move while the game is played. Reading has two steps with different
errors. `parse_record` rejects text that is not a record: its `RecordError` lists every fault with
its line. `ParsedRecord.replay` rejects a game that breaks the rules: its `ImpossibleRecord` names
the line, the reason and the legal alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from quaternity.base.errors import IllegalMove, InputError, QuaternityError
from quaternity.base.reading import read_bytes
from quaternity.base.validation import validate_arguments
from quaternity.game.faults import IllegalAnswer
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from solvers.exchange.json_document import MalformedDocument

FIRST_LINE = "quaternity 1"
_KEYS = {
    "set-size": "set_size", "sets": "sets", "players": "players", "seed": "seed",
    "tie-break": "tie_break", "brisk": "brisk",
}  # fmt: skip
_LINE_END = re.compile(r"\r\n|\n|\r")


class RecordError(MalformedDocument):
    """Error for a text that is not a game record. `faults` lists every fault with its line."""


class ImpossibleRecord(QuaternityError):
    """Error for a record with an illegal move.

    Attributes:
        line: line number of the move, counted from 1.
        game: the game before the move.
        move: the illegal move.
        cause: the error that says why the move is illegal.
    """

    def __init__(self, line: int, game: Game, move: Move, cause: IllegalMove) -> None:
        super().__init__(f"line {line}: {cause}; {_legal_instead(game.state, move, cause)}")
        self.line, self.game, self.move, self.cause = line, game, move, cause


def _legal_instead(state: State, move: Move, cause: IllegalMove) -> str:
    if isinstance(cause, IllegalAnswer):
        legal = " or ".join(str(answer) for answer in state.legal_questions.answers(move.question))
        return f"the legal answer is {legal}"
    if state.is_over:
        return "the game is over"
    questions = [str(question) for question in islice(state.legal_questions.first(), 6)]
    if not questions:
        return "no question is legal"
    more = " and others" if len(questions) > 5 else ""
    return f"legal questions are {', '.join(questions[:5])}{more}"


@dataclass(frozen=True, slots=True)
class ParsedRecord:
    """A parsed record whose moves have not been checked. `replay` checks whether they are legal.

    Attributes:
        settings: the settings of the game.
        moves: the moves, which may be illegal.
        lines: line number of each move, counted from 1.
        warnings: irregularities, for example that the last line was cut off.
        whole_bytes: length of the record up to the end of its last complete line, in bytes.
    """

    settings: Settings
    moves: tuple[Move, ...]
    lines: tuple[int, ...]
    warnings: tuple[str, ...] = field(default=(), compare=False)
    whole_bytes: int = field(default=0, compare=False)

    def replay(self) -> Game:
        """Play all moves of the record and return the game.

        Raises:
            ImpossibleRecord: If a move is illegal. The error describes the first such move.
        """
        state = State.start(self.settings)
        states = [state]
        for number, (move, line) in enumerate(zip(self.moves, self.lines, strict=True)):
            try:
                state = state.after(move.question, move.answer)
            except IllegalMove as cause:
                game = Game(self.settings, self.moves[:number], tuple(states))
                raise ImpossibleRecord(line, game, move, cause) from cause
            states.append(state)
        return Game(self.settings, self.moves, tuple(states))


def read_record(path: str) -> ParsedRecord:
    """Read and parse a game record. The path `-` means standard input.

    Raises:
        InputError: If the file cannot be read.
        RecordError: If the file is not a record.
    """
    return parse_record(read_bytes(path))


@validate_arguments(data=(str, bytes, bytearray))
def parse_record(data: bytes | str) -> ParsedRecord:
    r"""Parse the text of a game record without checking whether its moves are legal.

    Raises:
        RecordError: If the text is not a record.

    >>> parse_record("quaternity 1\nset-size 4\nsets 3\nplayers 3\n1 asks").warnings
    ('line 5 is incomplete and was ignored',)
    """
    raw = data.encode() if isinstance(data, str) else data
    lines, warnings, whole = _lines(raw)
    faults: list[str] = []
    header: dict[str, Any] = {}
    moves: list[Move] = []
    numbers: list[int] = []
    started = False
    for number, line in lines:
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if not started:
            if words != FIRST_LINE.split():
                raise RecordError([f"line {number}: a record must start with {FIRST_LINE!r}"])
            started = True
            continue
        try:
            if not words[0].isdecimal():
                if moves:
                    raise InputError(f"{' '.join(words)!r} must come before the first move")
                _header_line(words, header)
            else:
                moves.append(Move.parse(" ".join(words)))
                numbers.append(number)
        except InputError as error:
            faults.append(f"line {number}: {error}")
    if not started:
        raise RecordError([f"line 1: a record must start with {FIRST_LINE!r}"])
    faults += [
        f"header: {key} is missing" for key in ("set-size", "sets", "players")
        if _KEYS[key] not in header
    ]  # fmt: skip
    if warnings and not moves and not raw[whole:].lstrip()[:1].isdigit():
        # The incomplete line may have been a setting, and ignoring a setting changes the rules.
        faults.append("the header is incomplete")
    if faults:
        raise RecordError([*faults, *warnings])
    try:
        settings = Settings(**header)
    except InputError as error:
        raise RecordError([f"header: {error}"]) from None
    return ParsedRecord(settings, tuple(moves), tuple(numbers), tuple(warnings), whole)


def _header_line(words: list[str], header: dict[str, Any]) -> None:
    key, values = words[0], words[1:]
    if key not in _KEYS:
        raise InputError(f"{key!r}: expected a setting ({', '.join(_KEYS)}) or a move")
    name = _KEYS[key]
    if name in header:
        raise InputError(f"{key} is given more than once")
    if len(values) != 1:
        raise InputError(f"{key}: expected one value, not {len(values)}")
    if name == "tie_break":
        header[name] = TieBreak.parse(values[0])
    elif name == "brisk":
        if values[0] not in ("no", "yes"):
            raise InputError(f"{key}: must be yes or no, not {values[0][:40]!r}")
        header[name] = values[0] == "yes"
    elif re.fullmatch(r"[0-9]{1,9}", values[0]) is None:
        raise InputError(f"{key}: must be a whole number of 1 to 9 digits, not {values[0][:40]!r}")
    else:
        header[name] = int(values[0])


def _lines(raw: bytes) -> tuple[list[tuple[int, str]], list[str], int]:
    mark = 3 if raw.startswith(b"\xef\xbb\xbf") else 0
    raw = raw[mark:]
    end = max(raw.rfind(b"\n"), raw.rfind(b"\r")) + 1
    last = raw[end:]
    try:
        text = raw[:end].decode()
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(raw[: error.start].decode(errors="replace"))) + 1
        raise RecordError([f"line {line}: not UTF-8 text"]) from None
    lines = _LINE_END.split(text)[:-1] if text else []
    numbered = list(enumerate(lines, start=1))
    if not last.strip():
        return numbered, [], mark + len(raw)
    number = len(lines) + 1
    try:
        tail = last.decode()
        content = tail.split("#", 1)[0]
        if lines and content.strip():
            Move.parse(content)
        elif not lines and content.split() != FIRST_LINE.split():
            raise RecordError([f"line 1: a record must start with {FIRST_LINE!r}"])
    except RecordError:
        raise
    except (UnicodeDecodeError, InputError):
        if not lines:
            raise RecordError([f"line 1: a record must start with {FIRST_LINE!r}"]) from None
        return numbered, [f"line {number} is incomplete and was ignored"], mark + end
    return [*numbered, (number, tail)], [], mark + len(raw)


def header_text(settings: Settings) -> str:
    """Return the first lines of a record, which contain the settings."""
    lines = [
        FIRST_LINE,
        f"set-size {settings.set_size}",
        f"sets {settings.sets}",
        f"players {settings.players}",
        f"tie-break {settings.tie_break}",
    ]
    if settings.seed:
        lines.append(f"seed {settings.seed}")
    if settings.brisk:
        lines.append("brisk yes")
    return "\n".join(lines) + "\n"


@validate_arguments(game=Game)
def record_text(game: Game) -> str:
    """Return the text of a game's record. Parsing and replaying it gives an equal game.

    >>> print(record_text(Game.start().play(Move.parse("0 asks 1 for 0/2: no"))), end="")
    quaternity 1
    set-size 4
    sets 3
    players 3
    tie-break first-in-order
    0 asks 1 for 0/2: no
    """
    return record_of(game.settings, game.moves)


def record_of(settings: Settings, moves: Iterable[tuple[Question, Answer]]) -> str:
    """Return the text of a record with the given moves, without checking that they are legal."""
    return header_text(settings) + "".join(f"{Move(*move)}\n" for move in moves)
