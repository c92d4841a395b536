"""Records of games as text: a first line, settings, then one move a line, written as it is played.

    quarto 1
    players you, careful
    # a comment
    0 hand over A
    1 place it on H1V1, hand over B

Blank lines and comments are allowed anywhere. A last line without its end was cut off by a crash:
it is left out, with a warning; a setting that was cut off is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, NamedTuple, TypeVar

from quaternity.base.errors import IllegalMove, InputError
from quaternity.base.names import split_names

P = TypeVar("P")
M = TypeVar("M")


class Line(NamedTuple):
    """A line of a record without its comment, its number from 1, and its start in bytes."""

    number: int
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class TextRecord:
    """A record as written; what its lines mean is the game's to say.

    Attributes:
        settings: by key, the rest of the line.
        moves: the lines after the settings.
        whole_bytes: length of the part up to the end of the last whole line.
    """

    settings: dict[str, Line]
    moves: tuple[Line, ...]
    warnings: tuple[str, ...]
    whole_bytes: int


@dataclass(frozen=True, slots=True)
class Replay(Generic[P, M]):
    """A game read back.

    Attributes:
        positions: from the start on, one more than moves.
        moves: each with the seat that made it.
        names: who sat where; empty when the record does not say.
        whole_bytes: length of the part up to the end of the last whole line.
        ends: length of the part before the first move, and of that up to each, with the comments
            before the next.
    """

    positions: tuple[P, ...]
    moves: tuple[tuple[int, M], ...]
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)
    whole_bytes: int = field(default=0, compare=False)
    ends: tuple[int, ...] = field(default=(0,), compare=False)


def parse_text_record(data: bytes, first_line: str, keys: tuple[str, ...]) -> TextRecord:
    """Read the lines of a record.

    Args:
        first_line: what it must begin with, for example "quarto 1".
        keys: the settings that may be given, each once; a line with another first word, and all
            after it, is a move.

    Raises:
        InputError: not UTF-8, another first line, or a setting that is cut off, given twice or
            after a move; names the line.
    """
    whole = data.rfind(b"\n") + 1
    lines: list[Line] = []
    start = 0
    for number, raw in enumerate(data[:whole].splitlines(keepends=True), 1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").split("#", 1)[0].strip()
        except UnicodeDecodeError:
            raise InputError(f"line {number}: not UTF-8 text") from None
        if text:
            lines.append(Line(number, text, start))
        start += len(raw)
    cut_off = data[whole:].strip()
    last = data[:whole].count(b"\n") + 1
    warnings = (f"line {last} is cut off and left out",) if cut_off else ()
    if not lines or lines[0].text.split() != first_line.split():
        number = lines[0].number if lines else 1
        raise InputError(f"line {number}: a record of this game starts with {first_line!r}")
    settings: dict[str, Line] = {}
    moves: list[Line] = []
    for line in lines[1:]:
        key, _, value = line.text.partition(" ")
        if key not in keys:
            moves.append(line)
        elif moves:
            raise InputError(f"line {line.number}: {key} after the first move")
        elif key in settings:
            raise InputError(f"line {line.number}: {key} is given more than once")
        else:
            settings[key] = line._replace(text=value.strip())
    first = cut_off.decode(errors="replace").split()[:1]
    if first and not moves and any(key.startswith(first[0]) for key in keys):
        raise InputError(f"line {last}: the head is cut off: {first[0]}")
    return TextRecord(settings, tuple(moves), warnings, whole)


def ranges(settings: Any) -> dict[str, range]:
    """Per setting that is a number, the numbers it may be, as its field's metadata say."""
    return {f.name: f.metadata["range"] for f in fields(settings) if "range" in f.metadata}


def settings_text(settings: Any) -> str:
    """Write the settings of a game (a dataclass) as lines, which `read_settings` reads."""
    return "".join(f"{f.name} {_said(getattr(settings, f.name))}\n" for f in fields(settings))


def _said(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def read_settings(record: TextRecord, usual: Any) -> Any:
    """Return the settings in a record, those that it does not say being the usual ones.

    Raises:
        InputError: a setting has no such value; names the line.
    """
    chosen: dict[str, Any] = {}
    for setting in fields(usual):
        if setting.name in record.settings:
            number, text, _ = record.settings[setting.name]
            chosen[setting.name] = _value(
                f"line {number}: {setting.name}", text, getattr(usual, setting.name)
            )
    try:
        return replace(usual, **chosen)
    except InputError as error:
        raise InputError(f"the head: {error}") from error


def _value(place: str, text: str, usual: object) -> object:
    """Return what a text says, where usually something of this type is said."""
    if isinstance(usual, bool):
        if text not in ("no", "yes"):
            raise InputError(f"{place} {text!r}: say yes or no")
        return text == "yes"
    if isinstance(usual, int):
        if not (text.isdecimal() and len(text) < 4):
            raise InputError(f"{place} {text!r} is not a number")
        return int(text)
    return text


def check_asked(asked: Mapping[str, Any], recorded: Any) -> None:
    """Raise `InputError` with every difference between a record's settings and those asked for."""
    differing = [
        f"{name.replace('_', '-')} {_said(value)} was asked for, but the record has "
        f"{_said(getattr(recorded, name))}"
        for name, value in asked.items()
        if getattr(recorded, name) != value
    ]
    if differing:
        raise InputError("; ".join(differing))


def check_same(mine: Any, recorded: Any) -> None:
    """As `check_asked`, for all settings (frozen dataclasses)."""
    check_asked({f.name: getattr(mine, f.name) for f in fields(mine)}, recorded)


def replayed(rules: Any, record: TextRecord, start: P) -> Replay[P, Any]:
    """Play the moves of a record, lines of a seat and a move, from the first position `start`.

    Raises:
        InputError: a move that is none or is illegal, or other than one name per seat; names the
            line.
    """
    players = record.settings.get("players")
    names = () if players is None else tuple(split_names(players.text))
    if players is not None and len(names) != rules.seats:
        raise InputError(f"line {players.number}: {len(names)} players, not {rules.seats}")
    seats = [str(seat) for seat in range(rules.seats)]
    positions, moves = [start], []
    for number, text, _ in record.moves:
        word, _, move_text = text.partition(" ")
        try:
            if word not in seats:
                raise InputError(
                    f"{text!r} is neither a setting nor a move of player 0..{seats[-1]}"
                )
            seat = int(word)
            move = rules.read(move_text, rules.view(positions[-1], seat))
            positions.append(rules.after(positions[-1], seat, move))
        except (InputError, IllegalMove) as error:
            raise InputError(f"line {number}: {error}") from error
        moves.append((seat, move))
    ends = (*(line.start for line in record.moves), record.whole_bytes)
    return Replay(tuple(positions), tuple(moves), names, record.warnings, record.whole_bytes, ends)
