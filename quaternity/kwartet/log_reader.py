"""Parser of Kwartet game logs, which checks every request against the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from quaternity.base.errors import IllegalMove, InputError
from quaternity.base.names import split_names
from quaternity.game.cards import Card
from quaternity.game.question import Move
from quaternity.game.sentences import PUTS_DOWN
from quaternity.kwartet.hands import Hand, hand_of
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, IllegalRequest, PublicState
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import (
    ASIDE,
    MAX_MOVES,
    PLAYERS,
    SET_SIZES,
    SETS,
    AnnounceTiming,
    KwartetSettings,
)

FIRST_LINE = "kwartet 1"

PILE = "aside"
"""First word of the line that lists the cards set aside."""

OPTIONAL_SETTINGS = ("set_size", "aside", "max_moves")
"""Names of the settings that a log lists only if they differ from the defaults."""

_NUMBERS = {
    "players": PLAYERS, "sets": SETS, "set-size": SET_SIZES, "aside": ASIDE, "max-moves": MAX_MOVES,
}  # fmt: skip
_KEYS = (*_NUMBERS, "announce", "own-card-requests", "seats")

_HIDDEN = re.compile(r"(\d{1,9})\s+cards?", re.ASCII)
_HAND = re.compile(r"(?:hand\s+(\d{1,9})|(aside))\s*:(.*)", re.ASCII)
_PUTS_DOWN = re.compile(r"(\d{1,9})\s+puts\s+down\s+(\d{1,9})", re.ASCII)
_LINE_END = re.compile(r"\r\n|\n|\r")


MAX_REASON_LENGTH = 500
"""Maximum length of an error message, in characters. Longer messages are abbreviated."""


class LogError(InputError):
    """Error for a text that is not a game log, or whose game breaks the rules.

    `line` is the number of the faulty line, counted from 1.
    """

    def __init__(self, line: int, reason: str, path: str = "") -> None:
        if len(reason) > MAX_REASON_LENGTH:
            reason = f"{reason[: MAX_REASON_LENGTH - 100]} … {reason[-90:]}"
        super().__init__(f"{f'{path}: ' if path else ''}line {line}: {reason}")
        self.line, self.reason, self.path = line, reason, path


def parse_bytes(raw: bytes) -> GameLog | SeatLog:
    """Return the game in the bytes of a log. Raise `LogError` if the log is invalid."""
    reader = _Reader()
    lines, cut_off = lines_in(raw)
    for number, line in enumerate(lines, start=1):
        reader.read_line(number, _strip_comment(line))
    if cut_off is not None:
        reader.read_cut_off(len(lines) + 1, cut_off.split(b"#", 1)[0].strip())
    return reader.finish(len(lines) + 1)


def hidden_hands(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the line number and the name of each hand whose cards a log does not show."""
    for number, line in enumerate(lines_in(data)[0], start=1):
        hand = _HAND.fullmatch(_strip_comment(line))
        if hand and _HIDDEN.fullmatch(hand[3].strip()):
            yield number, _hand_name(hand[1])


def _hand_name(player: str | int | None) -> str:
    return PILE if player is None else f"hand {int(player)}"


def event_lines(data: bytes) -> list[int]:
    """Return where the lines with requests and put-down sets begin in a log, as byte offsets."""
    return [
        line.start()
        for line in re.finditer(rb"[^\r\n]+", data)
        if _strip_comment(line[0].decode(errors="replace"))[:1].isdigit()
    ]


def _strip_comment(line: str) -> str:
    return line.split("#", 1)[0].strip()


def lines_in(raw: bytes) -> tuple[list[str], bytes | None]:
    """Return the complete lines of a text, and the bytes after the last line end.

    The second result is None if no bytes follow the last line end.
    """
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    end = max(raw.rfind(b"\n"), raw.rfind(b"\r")) + 1
    try:
        text = raw[:end].decode()
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(raw[: error.start].decode(errors="replace"))) + 1
        raise LogError(line, "not UTF-8 text") from None
    return _LINE_END.split(text)[:-1], raw[end:] or None


class _Reader:
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
        self.seat_log: SeatLog | None = None
        self.put_down: list[tuple[int, int]] = []
        """Pairs (set, player) of the sets that were put down after the deal or after
        `pending_move`. Used only for logs with hidden hands."""
        self.put_down_line = 0
        self.pending_move: tuple[int, Move] | None = None

    def read_line(self, number: int, line: str) -> None:
        if not line:
            return
        if not self.started:
            if line.split() != FIRST_LINE.split():
                raise LogError(number, f"a log must start with {FIRST_LINE!r}")
            self.started = True
        elif hand := _HAND.fullmatch(line):
            self._take_hand(number, None if hand[2] else int(hand[1]), hand[3])
        elif line[0].isdigit():
            self._take_event(number, line)
        elif self.dealt or self.hidden:
            raise LogError(
                number,
                f"{line!r}: expected a request such as '0 asks 1 for 2/3: no', or an announcement "
                "such as '0 puts down 2'",
            )
        else:
            self._take_setting(number, line)

    def read_cut_off(self, number: int, line: bytes) -> None:
        if not line:
            return
        try:
            text = line.decode()
            if self.started:
                Move.parse(text)  # Only a complete line can be parsed as a move.
        except (UnicodeDecodeError, InputError):
            self.warnings.append(f"line {number} is incomplete and was ignored")
            if self.pending_move is not None and b"puts".startswith(b"".join(line.split()[1:2])):
                # The incomplete line may announce a set for the pending request: ignore both.
                self.pending_move, self.put_down = None, []
            return
        self.read_line(number, text)

    def finish(self, number: int) -> GameLog | SeatLog:
        if not self.started:
            raise LogError(number, f"a log must start with {FIRST_LINE!r}")
        if self.hidden:
            self._settle_seen(number)
            assert self.seat_log is not None
            return replace(self.seat_log, warnings=tuple(self.warnings))
        if not self.positions:
            self._deal(number)
        assert self.settings is not None, "the settings must have been read"
        # The last announcements may be missing in a truncated log, but they follow from the
        # requests.
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
        if key not in _KEYS:
            raise LogError(
                number,
                f"unknown setting {key!r}: choose from {', '.join(_KEYS[:-1])} and {_KEYS[-1]}, "
                "or start the hands with 'hand 0: ...'",
            )
        if key in self.header:
            raise LogError(number, f"{key} is given more than once")
        self.header[key] = value.strip()
        self.header_lines[key] = number

    def _read_settings(self) -> KwartetSettings:
        values: dict[str, int] = {}
        for key, allowed in _NUMBERS.items():
            text = self.header.get(key)
            if text is not None:
                if re.fullmatch(r"[0-9]{1,9}", text) is None or int(text) not in allowed:
                    raise LogError(
                        self.header_lines[key],
                        f"{key}: must be a whole number {allowed[0]}..{allowed[-1]}, not {text!r}",
                    )
                values[key.replace("-", "_")] = int(text)
        own = self.header.get("own-card-requests", "yes")
        if own not in ("yes", "no"):
            raise LogError(
                self.header_lines["own-card-requests"],
                f"own-card-requests: must be yes or no, not {own!r}",
            )
        try:
            announce = AnnounceTiming.parse(self.header.get("announce", AnnounceTiming.AT_ONCE))
        except InputError as error:
            raise LogError(self.header_lines["announce"], str(error)) from None
        try:
            settings = KwartetSettings(**values, announce=announce, own_card_requests=own == "yes")
        except InputError as error:  # Each value is valid, but their combination is not.
            raise LogError(max(self.header_lines.values()), str(error)) from None
        if "seats" in self.header:
            names = tuple(split_names(self.header["seats"]))
            if len(names) != settings.players:
                raise LogError(
                    self.header_lines["seats"],
                    f"seats: must name each of the {settings.players} players, not {len(names)}",
                )
            self.names = names
        return settings

    def _take_hand(self, number: int, player: int | None, text: str) -> None:
        if self.settings is None:
            self.settings = self._read_settings()
        settings = self.settings
        if (
            self.positions
            or self.put_down
            or self.seat_log is not None
            or self.pending_move is not None
        ):
            raise LogError(number, "hands must come before the first request")
        name = _hand_name(player)
        if player is None:
            if not settings.aside:
                raise LogError(number, f"no cards are set {PILE} in this game")
            player = settings.players
        elif player >= settings.players:
            raise LogError(number, f"player {player} is out of range 0..{settings.players - 1}")
        if player in self.dealt or player in self.hidden:
            raise LogError(number, f"{name} is given more than once")
        if hidden := _HIDDEN.fullmatch(text.strip()):
            self.hidden[player] = number, int(hidden[1])
            return
        cards: list[Card] = []
        owners = {card: seat for seat, (_, hand) in self.dealt.items() for card in hand}
        for word in text.split():
            try:
                card = Card.parse(word)
            except InputError as error:
                raise LogError(number, str(error)) from None
            if card.set_index >= settings.sets or card.number >= settings.set_size:
                raise LogError(
                    number,
                    f"card {card} is out of range 0/0..{settings.sets - 1}/{settings.set_size - 1}",
                )
            if card in owners:
                raise LogError(number, f"card {card} is dealt twice: {self._holder(owners[card])}")
            owners[card] = player
            cards.append(card)
        self.dealt[player] = number, cards

    def _deal(self, number: int) -> None:
        settings = self.settings
        if settings is None:
            settings = self.settings = self._read_settings()
        self._refuse_missing(number, settings)
        hands = [
            hand_of(self.dealt[player][1], settings.sets, settings.set_size)
            for player in sorted(self.dealt)
        ]
        dealt = sum(len(cards) for _, cards in self.dealt.values())
        if dealt != settings.cards:
            dealt_cards = {card for _, cards in self.dealt.values() for card in cards}
            missing = next(
                Card(index, number)
                for index in range(settings.sets)
                for number in range(settings.set_size)
                if Card(index, number) not in dealt_cards
            )
            raise LogError(
                number, f"only {dealt} of {settings.cards} cards are dealt: {missing} is missing"
            )
        if settings.aside and len(self.dealt[settings.players][1]) != settings.aside:
            line, pile = self.dealt[settings.players]
            raise LogError(line, f"{PILE}: expected {settings.aside} cards, not {len(pile)}")
        self.hands = tuple(hands)
        self.positions.append(Position.start(settings, self.hands))
        self.pending = put_down_at_deal(self.positions[0].public)

    def _holder(self, place: int) -> str:
        assert self.settings is not None, "the settings must have been read"
        return f"player {place} has it" if place < self.settings.players else f"it lies {PILE}"

    def _refuse_missing(self, number: int, settings: KwartetSettings) -> None:
        for place in range(settings.hands):
            if place not in self.dealt and place not in self.hidden:
                subject = f"the hand of player {place} is"
                if place == settings.players:
                    subject = f"the cards {PILE} are"
                raise LogError(number, f"{subject} missing")

    def _take_seen_event(self, number: int, line: str) -> None:
        if down := _PUTS_DOWN.fullmatch(line):
            player, index = int(down[1]), int(down[2])
            if self.pending_move is not None and player != self.pending_move[1].question.asker:
                asker = self.pending_move[1].question.asker
                raise LogError(
                    number, f"{line!r}: only player {asker}, who asked, can put down sets"
                )
            if self.seat_log is not None and self.pending_move is None:
                raise LogError(number, f"{line!r} must come after a request")
            self.put_down.append((index, player))
            self.put_down_line = number
            return
        try:
            move = Move.parse(line)
        except InputError as error:
            raise LogError(number, str(error)) from None
        self._settle_seen(number)
        self.pending_move = number, move

    def _settle_seen(self, number: int) -> None:
        down, self.put_down = self.put_down, []
        try:
            if self.seat_log is None:
                number = self.put_down_line or number
                self.seat_log = self._seen_start(number, down)
            elif self.pending_move is not None:
                number, move = self.pending_move
                self.seat_log = self.seat_log.after(
                    move.question, move.answer, [index for index, _ in down]
                )
        except (InputError, IllegalMove) as error:
            raise error if isinstance(error, LogError) else LogError(number, str(error)) from None
        self.pending_move = None

    def _seen_start(self, number: int, down: list[tuple[int, int]]) -> SeatLog:
        settings = self.settings
        assert settings is not None, "the settings must have been read before the first move"
        if len(self.dealt) > 1:
            raise LogError(number, "if a hand is hidden, at most one hand may be shown")
        if settings.players in self.dealt:
            raise LogError(number, f"if a hand is hidden, the cards {PILE} must be hidden too")
        self._refuse_missing(number, settings)
        sizes = [
            len(self.dealt[place][1]) if place in self.dealt else self.hidden[place][1]
            for place in range(settings.hands)
        ]
        seat = next(iter(self.dealt), None)
        hand = (
            None if seat is None else hand_of(self.dealt[seat][1], settings.sets, settings.set_size)
        )
        return SeatLog.start(settings, sizes, seat, hand, down, self.names)

    def _take_event(self, number: int, line: str) -> None:
        if self.hidden:
            self._take_seen_event(number, line)
            return
        if not self.positions:
            self._deal(number)
        if down := _PUTS_DOWN.fullmatch(line):
            announcement = f"{int(down[1])} puts down {int(down[2])}"
            if announcement not in self.pending:
                wanted = f"expected '{self.pending[0]}'" if self.pending else "no set is full"
                raise LogError(number, f"'{announcement}': {wanted}")
            self.pending.remove(announcement)
            return
        if self.pending:
            raise LogError(number, f"'{self.pending[0]}' must come before this line")
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
        self.pending = [f"{move.question.asker} puts down {a}" for a in event.announced]


def put_down_at_deal(start: PublicState) -> list[str]:
    """Return a log line for each set that was put down right after the deal."""
    return [
        PUTS_DOWN(who=player, set=index)
        for index, player in enumerate(start.removed)
        if player is not None
    ]
