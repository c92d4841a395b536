"""Game logs: the text form of a game of Kwartet, hands included, one request a line.

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

Read back, every request is played by the rules as it is read. Blank lines and `#` comments are
allowed anywhere. A log that was cut off in the middle of its last line (a crash while writing)
loads up to the last whole line, with a warning; a fault names its line and says what the rules
wanted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from quaternity.errors import InputError
from quaternity.files.reading import read_bytes
from quaternity.game.cards import Card
from quaternity.game.question import Move
from quaternity.kwartet.hands import Hand, cards_in, hand_of
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, IllegalRequest
from quaternity.kwartet.settings import PLAYERS, SET_SIZE, SETS, Announce, KwartetSettings

FIRST_LINE = "kwartet 1"


@dataclass(frozen=True, slots=True)
class GameLog:
    """A game under way or over, with everything that was hidden.

    Attributes:
        settings: the rules.
        hands: per player the cards dealt.
        events: the requests so far.
        names: per player who plays there, or empty.
        positions: the positions, the one right after the deal first: one more than events.
        warnings: what was odd about the text it was read from.
    """

    settings: KwartetSettings
    hands: tuple[Hand, ...]
    events: tuple[Event, ...]
    positions: tuple[Position, ...] = field(repr=False)
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        settings: KwartetSettings,
        hands: tuple[Hand, ...],
        events: Sequence[Event],
        names: Sequence[str] = (),
    ) -> GameLog:
        """The log of a game that was played by the rules.

        Raises:
            IllegalRequest: it was not.
        """
        positions = [Position.start(settings, hands)]
        positions += [after for after, _ in positions[0].played(event.question for event in events)]
        return cls(settings, hands, tuple(events), tuple(positions), tuple(names))

    @property
    def go_ends(self) -> tuple[int, ...]:
        """Per finished go, in order, the number of requests made when it ended.

        A go is one player's stretch of requests. It ends with a failure, or when the player has no
        cards left.
        """
        return tuple(
            number
            for number, (event, after) in enumerate(
                zip(self.events, self.positions[1:], strict=True), start=1
            )
            if ends_go(event, after)
        )

    def after_goes(self, goes: int) -> Position:
        """The position after a number of finished goes: 0 is right after the deal.

        Its `public.problem` is what everybody knows then, `public.removed` the sets that are gone,
        and `hands` (or `deal`) the truth.

        Raises:
            InputError: the log has not so many finished goes.
        """
        ends = self.go_ends
        if not 0 <= goes <= len(ends):
            raise InputError(f"go {goes} is out of range: the log has {len(ends)} finished goes")
        return self.positions[ends[goes - 1] if goes else 0]


def ends_go(event: Event, after: Position) -> bool:
    """Whether a request ended its player's go.

    Args:
        after: the position after it.
    """
    return not event.answer or not after.public.hands[event.question.asker]


def header_text(settings: KwartetSettings, hands: Sequence[Hand], names: Sequence[str] = ()) -> str:
    """The lines of a log up to the last hand."""
    return _settings_text(settings, names) + "".join(
        f"hand {player}: {_listed(hand)}\n" for player, hand in enumerate(hands)
    )


def _listed(hand: Hand) -> str:
    return " ".join(map(str, cards_in(hand)))


def _settings_text(settings: KwartetSettings, names: Sequence[str]) -> str:
    lines = [
        FIRST_LINE,
        f"players {settings.players}",
        f"sets {settings.sets}",
        f"announce {settings.announce}",
        f"own-card-requests {'yes' if settings.own_card_requests else 'no'}",
    ]
    if names:
        lines.append(f"seats {','.join(names)}")
    return "\n".join(lines) + "\n"


def announced_at_deal(start: Position) -> list[str]:
    """The lines for the sets that were announced right after the deal."""
    return [
        f"{player} puts down {index}"
        for index, player in enumerate(start.public.removed)
        if player is not None
    ]


def _events_text(log: GameLog) -> str:
    return "".join(f"{line}\n" for line in (*announced_at_deal(log.positions[0]), *log.events))


def log_text(log: GameLog) -> str:
    """The text of a game; reading it back gives the same game."""
    return header_text(log.settings, log.hands, log.names) + _events_text(log)


def log_as_seen(log: GameLog, seat: int) -> str:
    """The log as one seat sees it: of the other hands only the number of cards.

    Raises:
        InputError: there is no such seat.
    """
    if not 0 <= seat < log.settings.players:
        raise InputError(f"seat {seat} is out of range 0..{log.settings.players - 1}")
    lines = []
    for player, hand in enumerate(log.hands):
        number = sum(held.bit_count() for held in hand)
        lines.append(f"hand {player}: {_listed(hand) if player == seat else f'{number} cards'}\n")
    return _settings_text(log.settings, log.names) + "".join(lines) + _events_text(log)


_HAND = re.compile(r"hand\s+(\d{1,9})\s*:(.*)", re.ASCII)
_PUTS_DOWN = re.compile(r"(\d{1,9})\s+puts\s+down\s+(\d{1,9})", re.ASCII)
_LINE_END = re.compile(r"\r\n|\n|\r")


LONGEST_REASON = 500
"""Characters of a message about a fault; a line may be as long as the file."""


class LogError(InputError):
    """A text is not a game log, or its game breaks the rules.

    Attributes:
        line: of the fault, from 1.
        reason: what is wrong there.
        path: of the file, if it is known.
    """

    def __init__(self, line: int, reason: str, path: str = "") -> None:
        if len(reason) > LONGEST_REASON:
            reason = f"{reason[: LONGEST_REASON - 100]} … {reason[-90:]}"
        super().__init__(f"{f'{path}: ' if path else ''}line {line}: {reason}")
        self.line, self.reason, self.path = line, reason, path


def read_log(path: str) -> GameLog:
    """Read a log (`-`: standard input).

    Raises:
        InputError: it cannot be read.
        LogError: it is no log, or the game in it breaks the rules.
    """
    return parse_log(read_bytes(path), path)


def parse_log(data: bytes | str, path: str = "") -> GameLog:
    """Read the text of a log and play it back. Raises as `read_log`.

    Args:
        path: of the file, for messages.

    >>> log = parse_log('''kwartet 1
    ... players 2
    ... sets 2
    ... hand 0: 0/0 0/1 0/2 1/0
    ... hand 1: 0/3 1/1 1/2 1/3
    ... 0 asks 1 for 0/3: yes
    ... 0 puts down 0
    ... 0 asks 1 fo''')
    >>> log.positions[-1].public.points, log.warnings
    ((1, 0), ('line 8 is cut off and left out',))
    """
    try:
        return _played(data.encode() if isinstance(data, str) else data)
    except LogError as error:
        raise LogError(error.line, error.reason, path) from None


def _played(raw: bytes) -> GameLog:
    reader = _Reader()
    lines, cut_off = _lines(raw)
    for number, line in enumerate(lines, start=1):
        reader.take(number, line.split("#", 1)[0].strip())
    if cut_off is not None:
        reader.take_cut_off(len(lines) + 1, cut_off.split(b"#", 1)[0].strip())
    return reader.finished(len(lines) + 1)


def _lines(raw: bytes) -> tuple[list[str], bytes | None]:
    """The whole lines, and what stands after the last line end."""
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    end = max(raw.rfind(b"\n"), raw.rfind(b"\r")) + 1
    try:
        text = raw[:end].decode()
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(raw[: error.start].decode(errors="replace"))) + 1
        raise LogError(line, "not UTF-8 text") from None
    return _LINE_END.split(text)[:-1], raw[end:] or None


class _Reader:
    """Takes the lines of a log one after another."""

    def __init__(self) -> None:
        self.started = False
        self.header: dict[str, str] = {}
        self.header_lines: dict[str, int] = {}
        self.dealt: dict[int, tuple[int, list[Card]]] = {}
        self.settings: KwartetSettings | None = None
        self.names: tuple[str, ...] = ()
        self.hands: tuple[Hand, ...] = ()
        self.events: list[Event] = []
        self.positions: list[Position] = []
        self.pending: list[str] = []
        self.warnings: list[str] = []

    def take(self, number: int, line: str) -> None:
        """One line, comments and surrounding blanks taken away."""
        if not line:
            return
        if not self.started:
            if line.split() != FIRST_LINE.split():
                raise LogError(number, f"a log starts with {FIRST_LINE!r}")
            self.started = True
        elif hand := _HAND.fullmatch(line):
            self._take_hand(number, int(hand[1]), hand[2])
        elif line[0].isdigit():
            self._take_event(number, line)
        elif self.dealt:
            raise LogError(number, f"{line!r} is neither a request nor an announcement")
        else:
            self._take_setting(number, line)

    def take_cut_off(self, number: int, line: bytes) -> None:
        """What stands after the last line end: used only if nothing can be missing from it."""
        if not line:
            return
        try:
            text = line.decode()
            if self.started:
                Move.parse(text)  # no shorter text is a move, and only moves stand last
        except (UnicodeDecodeError, InputError):
            self.warnings.append(f"line {number} is cut off and left out")
            return
        self.take(number, text)

    def finished(self, number: int) -> GameLog:
        """The game, after the last line."""
        if not self.started:
            raise LogError(number, f"a log starts with {FIRST_LINE!r}")
        if not self.positions:
            self._deal(number)
        assert self.settings is not None, "the deal was made"
        # Announcements follow from the requests; only a log that was cut off lacks the last.
        return GameLog(
            self.settings,
            self.hands,
            tuple(self.events),
            tuple(self.positions),
            self.names,
            tuple(self.warnings),
        )

    def _take_setting(self, number: int, line: str) -> None:
        key, _, value = line.partition(" ")
        if key not in ("players", "sets", "announce", "own-card-requests", "seats"):
            raise LogError(
                number,
                f"{key!r} is no setting: known are players, sets, announce, own-card-requests "
                "and seats, and then 'hand 0: ...'",
            )
        if key in self.header:
            raise LogError(number, f"{key} is given more than once")
        self.header[key] = value.strip()
        self.header_lines[key] = number

    def _read_settings(self) -> KwartetSettings:
        """The settings from the header; checked when the first hand arrives."""
        values: dict[str, int] = {}
        for key, allowed in (("players", PLAYERS), ("sets", SETS)):
            text = self.header.get(key)
            if text is not None:
                if re.fullmatch(r"[0-9]{1,9}", text) is None or int(text) not in allowed:
                    raise LogError(
                        self.header_lines[key],
                        f"{key}: {text!r} is not a whole number {allowed[0]}..{allowed[-1]}",
                    )
                values[key] = int(text)
        own = self.header.get("own-card-requests", "yes")
        if own not in ("yes", "no"):
            raise LogError(
                self.header_lines["own-card-requests"],
                f"own-card-requests: {own!r} is neither yes nor no",
            )
        try:
            announce = Announce.parse(self.header.get("announce", Announce.AT_ONCE))
        except InputError as error:
            raise LogError(self.header_lines["announce"], str(error)) from None
        settings = KwartetSettings(**values, announce=announce, own_card_requests=own == "yes")
        if "seats" in self.header:
            names = tuple(name.strip() for name in self.header["seats"].split(","))
            if len(names) != settings.players:
                raise LogError(
                    self.header_lines["seats"],
                    f"seats: {len(names)} names for {settings.players} players",
                )
            self.names = names
        return settings

    def _take_hand(self, number: int, player: int, text: str) -> None:
        if self.settings is None:
            self.settings = self._read_settings()
        settings = self.settings
        if self.positions:
            raise LogError(number, "a hand after the first request")
        if player >= settings.players:
            raise LogError(number, f"player {player} is out of range 0..{settings.players - 1}")
        if player in self.dealt:
            raise LogError(number, f"hand {player} is given more than once")
        cards: list[Card] = []
        seen = {card: one for one, (_, hand) in self.dealt.items() for card in hand}
        for word in text.split():
            try:
                card = Card.parse(word)
            except InputError as error:
                raise LogError(number, str(error)) from None
            if card.set_index >= settings.sets or card.number >= SET_SIZE:
                raise LogError(
                    number,
                    f"card {card} is out of range 0/0..{settings.sets - 1}/{SET_SIZE - 1}",
                )
            if card in seen:
                raise LogError(number, f"card {card} is dealt twice: player {seen[card]} has it")
            seen[card] = player
            cards.append(card)
        self.dealt[player] = number, cards

    def _deal(self, number: int) -> None:
        """Everything is dealt: the position before the first request."""
        settings = self.settings
        if settings is None:
            settings = self.settings = self._read_settings()
        missing = [player for player in range(settings.players) if player not in self.dealt]
        if missing:
            raise LogError(number, f"the hand of player {missing[0]} is missing")
        hands = [hand_of(self.dealt[player][1], settings.sets) for player in sorted(self.dealt)]
        dealt = sum(len(cards) for _, cards in self.dealt.values())
        if dealt != settings.cards:
            held = {card for _, cards in self.dealt.values() for card in cards}
            lost = next(
                Card(index, one)
                for index in range(settings.sets)
                for one in range(SET_SIZE)
                if Card(index, one) not in held
            )
            raise LogError(number, f"{dealt} of {settings.cards} cards are dealt: {lost} is not")
        self.hands = tuple(hands)
        self.positions.append(Position.start(settings, self.hands))
        self.pending = announced_at_deal(self.positions[0])

    def _take_event(self, number: int, line: str) -> None:
        if not self.positions:
            self._deal(number)
        if down := _PUTS_DOWN.fullmatch(line):
            said = f"{int(down[1])} puts down {int(down[2])}"
            if said not in self.pending:
                wanted = f"expected is '{self.pending[0]}'" if self.pending else "no set is full"
                raise LogError(number, f"'{said}': {wanted}")
            self.pending.remove(said)
            return
        if self.pending:
            raise LogError(number, f"before this, '{self.pending[0]}' is missing")
        try:
            move = Move.parse(line)
            position, event = self.positions[-1].ask(move.question)
        except (InputError, IllegalRequest) as error:
            raise LogError(number, str(error)) from None
        if event.answer != move.answer:
            asked, card = move.question.asked, move.question.card
            holds = "holds" if event.answer else "does not hold"
            raise LogError(number, f"'{move}': player {asked} {holds} {card}")
        self.positions.append(position)
        self.events.append(event)
        self.pending = [f"{move.question.asker} puts down {one}" for one in event.announced]


__all__ = [
    "FIRST_LINE",
    "GameLog",
    "LogError",
    "announced_at_deal",
    "ends_go",
    "header_text",
    "log_as_seen",
    "log_text",
    "parse_log",
    "read_log",
]
