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

A log as one seat saw it has `hand 1: 13 cards` for the hands that were hidden.

Read back, every request is played by the rules as it is read. Blank lines and `#` comments are
allowed anywhere. A log that was cut off in the middle of its last line (a crash while writing)
loads up to the last whole line, with a warning; a fault names its line and says what the rules
wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from quaternity.errors import IllegalMove, InputError
from quaternity.files.reading import read_bytes
from quaternity.game.cards import Card
from quaternity.game.question import Move
from quaternity.kwartet.hands import Hand, cards_in, hand_of
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, IllegalRequest, PublicState
from quaternity.kwartet.seen import SeenLog
from quaternity.kwartet.settings import PLAYERS, SET_SIZE, SETS, Announce, KwartetSettings
from quaternity.kwartet.view import NOBODY, View

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
        return go_ends(self.events, [position.public for position in self.positions])

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
    return _ends_go(event, after.public)


def _ends_go(event: Event, after: PublicState) -> bool:
    return not event.answer or not after.hands[event.question.asker]


def go_ends(events: Sequence[Event], states: Sequence[PublicState]) -> tuple[int, ...]:
    """See `GameLog.go_ends`.

    Args:
        states: what was public after the deal and after each request.
    """
    after = zip(events, states[1:], strict=True)
    return tuple(number for number, one in enumerate(after, start=1) if _ends_go(*one))


def goes_of(log: GameLog | SeenLog) -> tuple[int, ...]:
    """See `GameLog.go_ends`."""
    if isinstance(log, SeenLog):
        return go_ends(log.events, [view.public for view in log.views])
    return log.go_ends


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
    return put_down_at_deal(start.public)


def put_down_at_deal(start: PublicState) -> list[str]:
    """The lines for the sets that were announced right after the deal."""
    return [
        f"{player} puts down {index}"
        for index, player in enumerate(start.removed)
        if player is not None
    ]


def _events_text(start: PublicState, events: Sequence[Event]) -> str:
    return "".join(f"{line}\n" for line in (*put_down_at_deal(start), *events))


def log_text(log: GameLog) -> str:
    """The text of a game; reading it back gives the same game."""
    head = header_text(log.settings, log.hands, log.names)
    return head + _events_text(log.positions[0].public, log.events)


def seen_text(log: SeenLog) -> str:
    """The text of a game as it was seen; reading it back gives the same."""
    return seen_header(log) + _events_text(log.views[0].public, log.events)


def seen_header(log: SeenLog) -> str:
    """The lines of a game as it was seen up to the last hand."""
    hands = [log.hand if player == log.seat else size for player, size in enumerate(log.sizes)]
    return _settings_text(log.settings, log.names) + "".join(
        f"hand {player}: {f'{hand} cards' if isinstance(hand, int) else _listed(hand)}\n"
        for player, hand in enumerate(hands)
    )


def log_as_seen(log: GameLog, seat: int) -> str:
    """The log as one seat sees it: of the other hands only the number of cards.

    Raises:
        InputError: there is no such seat.
    """
    return seen_text(seen_by(log, seat))


def seen_by(log: GameLog, seat: int | None) -> SeenLog:
    """A game as one seat saw it, or a bystander.

    Raises:
        InputError: there is no such seat.
    """
    if seat is not None and not 0 <= seat < log.settings.players:
        raise InputError(f"seat {seat} is out of range 0..{log.settings.players - 1}")
    sizes = tuple(sum(held.bit_count() for held in hand) for hand in log.hands)
    nothing: Hand = (0,) * log.settings.sets
    views = tuple(
        View(one.public, NOBODY, nothing, log.events[:step])
        if seat is None
        else one.view(seat, log.events[:step])
        for step, one in enumerate(log.positions)
    )
    hand = nothing if seat is None else log.hands[seat]
    return SeenLog(log.settings, sizes, seat, hand, log.events, views, log.names, log.warnings)


_HIDDEN = re.compile(r"(\d{1,9})\s+cards?", re.ASCII)
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
        LogError: it is no log, hands are hidden in it, or the game in it breaks the rules.
    """
    return parse_log(read_bytes(path), path)


def read_any_log(path: str) -> GameLog | SeenLog:
    """Read a log with all hands, or one as a seat saw it. Raises as `read_log`."""
    return parse_any_log(read_bytes(path), path)


def parse_any_log(data: bytes | str, path: str = "") -> GameLog | SeenLog:
    """Read the text of a log with all hands, or of one as a seat saw it. Raises as `read_log`.

    >>> text = "kwartet 1\\nplayers 2\\nsets 2\\nhand 0: 4 cards\\nhand 1: 0/3 1/1 1/2 1/3\\n"
    >>> parse_any_log(text + "0 asks 1 for 0/3: yes\\n0 puts down 0\\n").events[0].announced
    (0,)
    """
    try:
        return _played(data.encode() if isinstance(data, str) else data)
    except LogError as error:
        raise LogError(error.line, error.reason, path) from None


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
    log = parse_any_log(data, path)
    if isinstance(log, SeenLog):
        line, player = next(iter(_hidden_hands(data)))
        raise LogError(line, f"hand {player} is hidden: all hands are needed here", path)
    return log


def _hidden_hands(data: bytes | str) -> Iterator[tuple[int, int]]:
    """The lines of a log that hide a hand, and whose it is."""
    lines = _lines(data.encode() if isinstance(data, str) else data)[0]
    for number, line in enumerate(lines, start=1):
        hand = _HAND.fullmatch(line.split("#", 1)[0].strip())
        if hand and _HIDDEN.fullmatch(hand[2].strip()):
            yield number, int(hand[1])


def _played(raw: bytes) -> GameLog | SeenLog:
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
        self.hidden: dict[int, tuple[int, int]] = {}
        self.seen: SeenLog | None = None
        self.put_down: list[tuple[int, int]] = []
        """Set and player, at the deal or after the request that waits, where hands are hidden."""
        self.put_down_line = 0
        self.waiting: tuple[int, Move] | None = None

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
        elif self.dealt or self.hidden:
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
            if self.waiting is not None and b"puts".startswith(b"".join(line.split()[1:2])):
                self.waiting, self.put_down = None, []  # perhaps its announcement
            return
        self.take(number, text)

    def finished(self, number: int) -> GameLog | SeenLog:
        """The game, after the last line."""
        if not self.started:
            raise LogError(number, f"a log starts with {FIRST_LINE!r}")
        if self.hidden:
            self._settle_seen(number)
            assert self.seen is not None
            return replace(self.seen, warnings=tuple(self.warnings))
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
        if self.positions or self.put_down or self.seen is not None or self.waiting is not None:
            raise LogError(number, "a hand after the first request")
        if player >= settings.players:
            raise LogError(number, f"player {player} is out of range 0..{settings.players - 1}")
        if player in self.dealt or player in self.hidden:
            raise LogError(number, f"hand {player} is given more than once")
        if hidden := _HIDDEN.fullmatch(text.strip()):
            self.hidden[player] = number, int(hidden[1])
            return
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

    def _take_seen_event(self, number: int, line: str) -> None:
        """A request or an announcement where hands are hidden: a request waits for what follows."""
        if down := _PUTS_DOWN.fullmatch(line):
            player, index = int(down[1]), int(down[2])
            if self.waiting is not None and player != self.waiting[1].question.asker:
                asker = self.waiting[1].question.asker
                raise LogError(number, f"{line!r}: only player {asker}, who asked, can do that")
            if self.seen is not None and self.waiting is None:
                raise LogError(number, f"{line!r}: no request came before it")
            self.put_down.append((index, player))
            self.put_down_line = number
            return
        try:
            move = Move.parse(line)
        except InputError as error:
            raise LogError(number, str(error)) from None
        self._settle_seen(number)
        self.waiting = number, move

    def _settle_seen(self, number: int) -> None:
        """Take the deal, or the request that waited, with the announcements that followed it."""
        down, self.put_down = self.put_down, []
        try:
            if self.seen is None:
                number = self.put_down_line or number
                self.seen = self._seen_start(number, down)
            elif self.waiting is not None:
                number, move = self.waiting
                self.seen = self.seen.after(move.question, move.answer, [one for one, _ in down])
        except (InputError, IllegalMove) as error:
            raise error if isinstance(error, LogError) else LogError(number, str(error)) from None
        self.waiting = None

    def _seen_start(self, number: int, down: list[tuple[int, int]]) -> SeenLog:
        settings = self.settings
        assert settings is not None, "a hand was given"
        if len(self.dealt) > 1:
            raise LogError(number, "where hands are hidden, one hand is shown at most")
        sizes = []
        for player in range(settings.players):
            if player not in self.dealt and player not in self.hidden:
                raise LogError(number, f"the hand of player {player} is missing")
            sizes.append(
                len(self.dealt[player][1]) if player in self.dealt else self.hidden[player][1]
            )
        seat = next(iter(self.dealt), None)
        hand = None if seat is None else hand_of(self.dealt[seat][1], settings.sets)
        return SeenLog.start(settings, sizes, seat, hand, down, self.names)

    def _take_event(self, number: int, line: str) -> None:
        if self.hidden:
            self._take_seen_event(number, line)
            return
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
    "go_ends",
    "goes_of",
    "header_text",
    "log_as_seen",
    "log_text",
    "parse_any_log",
    "parse_log",
    "put_down_at_deal",
    "read_any_log",
    "read_log",
    "seen_by",
    "seen_header",
    "seen_text",
]
