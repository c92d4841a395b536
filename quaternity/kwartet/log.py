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

Reading it back is `quaternity.kwartet.log_reading`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from quaternity.errors import InputError
from quaternity.kwartet.hands import Hand, cards_in
from quaternity.kwartet.position import Position
from quaternity.kwartet.requests import Event
from quaternity.kwartet.settings import KwartetSettings

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


__all__ = [
    "FIRST_LINE",
    "GameLog",
    "announced_at_deal",
    "ends_go",
    "header_text",
    "log_as_seen",
    "log_text",
]
