"""Reading of game records: text files with a header line, settings, and one line for each move.

A record can be written move by move while the game is played. For example:

    quarto 1
    players you, careful
    # a comment
    0 hand over A
    1 place it on H1V1, hand over B

Blank lines and comments are allowed anywhere. A last line without a line end is treated as
incomplete, as after a crash. If this line is a move, it is ignored with a warning. If it may be a
setting, the record is refused.
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
    """A line of a game record, without its comment.

    Attributes:
        number: number of the line, from 1.
        start: offset of the line in the file, in bytes.
    """

    number: int
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class TextRecord:
    """The lines of a record of any game, split into settings and moves.

    Attributes:
        settings: the value of each setting (the rest of its line), by key.
        moves: the lines after the settings.
        whole_bytes: length of the record up to the end of the last complete line, in bytes.
    """

    settings: dict[str, Line]
    moves: tuple[Line, ...]
    warnings: tuple[str, ...]
    whole_bytes: int


@dataclass(frozen=True, slots=True)
class Replay(Generic[P, M]):
    """A game that was replayed from its record.

    Attributes:
        positions: the position at the start, and the position after each move.
        moves: pairs of a seat number and the move of this seat.
        names: names of the players by seat, or an empty tuple if they are not in the record.
        warnings: irregularities of the record.
        whole_bytes: length of the record up to the end of the last complete line, in bytes.
        ends: byte offsets: the start of the first move, and then the end of each move. Comments
            after a move count as part of it.
    """

    positions: tuple[P, ...]
    moves: tuple[tuple[int, M], ...]
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)
    whole_bytes: int = field(default=0, compare=False)
    ends: tuple[int, ...] = field(default=(0,), compare=False)


def parse_text_record(data: bytes, first_line: str, keys: tuple[str, ...]) -> TextRecord:
    """Split the text of a game record into its settings and moves.

    Args:
        first_line: required first line, for example "quarto 1".
        keys: the keys of the settings. Each setting may occur at most once. The first line that
            does not start with a key is the first move, and no setting may follow it.

    Raises:
        InputError: If the record is not UTF-8, does not start with `first_line`, or has a setting
            that is cut off, repeated or after a move. The message names the line.
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
    warnings = (f"line {last} is incomplete and was ignored",) if cut_off else ()
    if not lines or lines[0].text.split() != first_line.split():
        number = lines[0].number if lines else 1
        raise InputError(f"line {number}: a record of this game must start with {first_line!r}")
    settings: dict[str, Line] = {}
    moves: list[Line] = []
    for line in lines[1:]:
        key, _, value = line.text.partition(" ")
        if key not in keys:
            moves.append(line)
        elif moves:
            raise InputError(f"line {line.number}: setting {key} must come before the first move")
        elif key in settings:
            raise InputError(f"line {line.number}: {key} is given more than once")
        else:
            settings[key] = line._replace(text=value.strip())
    first = cut_off.decode(errors="replace").split()[:1]
    if first and not moves and any(key.startswith(first[0]) for key in keys):
        raise InputError(f"line {last}: the header is incomplete: {first[0]!r} is cut off")
    return TextRecord(settings, tuple(moves), warnings, whole)


def setting_ranges(settings: Any) -> dict[str, range]:
    """Return the range of each numeric setting of a game, by the name of the setting.

    `settings` is a dataclass. The metadata of its fields contain the ranges.
    """
    return {f.name: f.metadata["range"] for f in fields(settings) if "range" in f.metadata}


def settings_text(settings: Any) -> str:
    """Return the settings of a game (a dataclass) as lines that `read_settings` can read."""
    return "".join(
        f"{f.name} {_setting_value(getattr(settings, f.name))}\n" for f in fields(settings)
    )


def _setting_value(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def read_settings(record: TextRecord, defaults: Any) -> Any:
    """Return the settings of a record. A setting that the record does not have gets its default.

    `defaults` is a dataclass with the default settings. Raise `InputError` if the value of a
    setting is not allowed. The message says where the setting is.
    """
    values: dict[str, Any] = {}
    for setting in fields(defaults):
        if setting.name in record.settings:
            number, text, _ = record.settings[setting.name]
            values[setting.name] = _value(
                f"line {number}: {setting.name}", text, getattr(defaults, setting.name)
            )
    try:
        return replace(defaults, **values)
    except InputError as error:
        raise InputError(f"the header: {error}") from error


def _value(place: str, text: str, default: object) -> object:
    if isinstance(default, bool):
        if text not in ("no", "yes"):
            raise InputError(f"{place}: must be yes or no, not {text!r}")
        return text == "yes"
    if isinstance(default, int):
        if not (text.isdecimal() and len(text) < 4):
            raise InputError(f"{place}: must be a whole number up to 999, not {text!r}")
        return int(text)
    return text


def check_requested(requested: Mapping[str, Any], recorded: Any) -> None:
    """Check that a record has the requested settings.

    Args:
        requested: the settings that the record must have, by name.
        recorded: the settings of the record.

    Raises:
        InputError: If a setting differs. The message lists all differences.
    """
    differing = [
        f"{name.replace('_', '-')} {_setting_value(value)} was requested, but the record has "
        f"{_setting_value(getattr(recorded, name))}"
        for name, value in requested.items()
        if getattr(recorded, name) != value
    ]
    if differing:
        raise InputError("; ".join(differing))


def check_same(settings: Any, recorded: Any) -> None:
    """Raise `InputError` unless two frozen dataclasses contain the same settings."""
    check_requested({f.name: getattr(settings, f.name) for f in fields(settings)}, recorded)


def replay_moves(rules: Any, record: TextRecord, start: P) -> Replay[P, Any]:
    """Play the moves of a record from the position `start`, and return the game.

    Each line with a move contains the number of a seat and the text of the move. Raise `InputError`
    if a move is malformed or illegal, or if the record names players, but not one for each seat.
    The message names the line.
    """
    players = record.settings.get("players")
    names = () if players is None else tuple(split_names(players.text))
    if players is not None and len(names) != rules.seats:
        raise InputError(f"line {players.number}: expected {rules.seats} players, not {len(names)}")
    seats = [str(seat) for seat in range(rules.seats)]
    positions, moves = [start], []
    for number, text, _ in record.moves:
        word, _, move_text = text.partition(" ")
        try:
            if word not in seats:
                raise InputError(
                    f"{text!r}: expected a setting, or a move of a player 0..{seats[-1]}"
                )
            seat = int(word)
            move = rules.read(move_text, rules.view(positions[-1], seat))
            positions.append(rules.after(positions[-1], seat, move))
        except (InputError, IllegalMove) as error:
            raise InputError(f"line {number}: {error}") from error
        moves.append((seat, move))
    ends = (*(line.start for line in record.moves), record.whole_bytes)
    return Replay(tuple(positions), tuple(moves), names, record.warnings, record.whole_bytes, ends)
