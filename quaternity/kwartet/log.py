"""Game logs: the text form of a Kwartet game, with the hands and a line for each request.

    kwartet 1
    players 2
    sets 2
    announce at-once
    own-card-requests yes
    seats greedy,exact
    hand 0: 0/0 0/1 0/2 1/0
    hand 1: 0/3 1/1 1/2 1/3
    0 asks 1 for 0/3: yes
    0 puts down 0
    0 asks 1 for 1/2: yes

A log can also show a game as one seat saw it. Each hidden hand is then given as `hand 1: 13 cards`.
The settings `set-size 3`, `aside 2` and `max-moves 20` are listed only if they differ from the
defaults. The cards set aside are listed after the hands as `aside: 0/1 1/2`, or as `aside: 2 cards`
if they are hidden.

The reader checks every request against the rules. Blank lines and `#` comments are allowed
anywhere. If the last line is incomplete, for example because of a crash while writing, the reader
ignores it with a warning. An error names its line and says what the rules expect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from quaternity.base.reading import read_bytes
from quaternity.kwartet.hands import Hand, cards_in
from quaternity.kwartet.log_reader import (
    FIRST_LINE,
    OPTIONAL_SETTINGS,
    PILE,
    LogError,
    hidden_hands,
    parse_bytes,
    put_down_at_deal,
)
from quaternity.kwartet.played import GameLog, seat_log_of
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, PublicState
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import KwartetSettings


def header_text(settings: KwartetSettings, hands: Sequence[Hand], names: Sequence[str] = ()) -> str:
    """Return the first lines of a log: the settings and all hands."""
    return _settings_text(settings, names) + "".join(
        f"{_holder(settings, place)}: {_hand_cards(hand)}\n" for place, hand in enumerate(hands)
    )


def _holder(settings: KwartetSettings, place: int) -> str:
    return f"hand {place}" if place < settings.players else PILE


def _hand_cards(hand: Hand) -> str:
    return " ".join(map(str, cards_in(hand)))


def _settings_text(settings: KwartetSettings, names: Sequence[str]) -> str:
    lines = [
        FIRST_LINE,
        f"players {settings.players}",
        f"sets {settings.sets}",
        f"announce {settings.announce}",
        f"own-card-requests {'yes' if settings.own_card_requests else 'no'}",
    ]
    lines += [
        f"{setting.name.replace('_', '-')} {getattr(settings, setting.name)}"
        for setting in fields(KwartetSettings)
        if setting.name in OPTIONAL_SETTINGS and getattr(settings, setting.name) != setting.default
    ]
    if names:
        lines.append(f"seats {','.join(names)}")
    return "\n".join(lines) + "\n"


def announced_at_deal(start: Position) -> list[str]:
    """Return a log line for each set that was put down right after the deal."""
    return put_down_at_deal(start.public)


def _events_text(start: PublicState, events: Sequence[Event]) -> str:
    return "".join(f"{line}\n" for line in (*put_down_at_deal(start), *events))


def log_text(log: GameLog) -> str:
    """Return the text of a game log with all hands. Parsing the text gives an equal log."""
    head = header_text(log.settings, log.hands, log.names)
    return head + _events_text(log.positions[0].public, log.events)


def seat_log_text(log: SeatLog) -> str:
    """Return the text of a log with only what one seat saw. Parsing the text gives an equal log."""
    return seat_log_header(log) + _events_text(log.views[0].public, log.events)


def seat_log_header(log: SeatLog) -> str:
    """Return the first lines of a log: the settings, one hand, and the sizes of the others."""
    hands = [log.hand if player == log.seat else size for player, size in enumerate(log.sizes)]
    return _settings_text(log.settings, log.names) + "".join(
        f"{_holder(log.settings, place)}: "
        f"{f'{hand} cards' if isinstance(hand, int) else _hand_cards(hand)}\n"
        for place, hand in enumerate(hands)
    )


def log_as_seen(log: GameLog, seat: int) -> str:
    """Return the text of a log as one seat sees it, without the cards of the other hands."""
    return seat_log_text(seat_log_of(log, seat))


def read_log(path: str) -> GameLog:
    """Read a log file that contains the hands of all players, and return its game.

    The path `-` means standard input.

    Raises:
        InputError: If the file cannot be read.
        LogError: If the text is not a log, if a hand is hidden, or if the game breaks the rules.
    """
    return parse_log(read_bytes(path), path)


def parse_any_log(data: bytes | str, path: str = "") -> GameLog | SeatLog:
    r"""Parse a log with all hands or as one seat saw it. Raise `LogError` if it is invalid.

    >>> text = "kwartet 1\nplayers 2\nsets 2\nhand 0: 4 cards\nhand 1: 0/3 1/1 1/2 1/3\n"
    >>> parse_any_log(text + "0 asks 1 for 0/3: yes\n0 puts down 0\n").events[0].announced
    (0,)
    """
    try:
        return parse_bytes(data.encode() if isinstance(data, str) else data)
    except LogError as error:
        raise LogError(error.line, error.reason, path) from None


def parse_log(data: bytes | str, path: str = "") -> GameLog:
    """Return the replayed game in a log with all hands. Raise `LogError` if the log is invalid.

    `path` is the name of the file in error messages.

    >>> log = parse_log('''kwartet 1
    ... players 2
    ... sets 2
    ... hand 0: 0/0 0/1 0/2 1/0
    ... hand 1: 0/3 1/1 1/2 1/3
    ... 0 asks 1 for 0/3: yes
    ... 0 puts down 0
    ... 0 asks 1 fo''')
    >>> log.positions[-1].public.points, log.warnings
    ((1, 0), ('line 8 is incomplete and was ignored',))
    """
    log = parse_any_log(data, path)
    if isinstance(log, SeatLog):
        line, hand = next(hidden_hands(data.encode() if isinstance(data, str) else data))
        raise LogError(line, f"{hand} is hidden: all hands must be visible", path)
    return log
