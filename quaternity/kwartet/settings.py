"""The settings of a game of Kwartet, with their allowed ranges."""

from __future__ import annotations

from dataclasses import dataclass, field

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value
from quaternity.base.text_record import setting_ranges
from quaternity.base.validation import as_int
from quaternity.game.settings import NamedChoice

SET_SIZE = 4
"""Default number of cards in a set."""

PLAYERS = range(2, 9)
SETS = range(2, 21)
SET_SIZES = range(2, 11)
ASIDE = range(SETS[-1] * SET_SIZES[-1] - 1)
MAX_MOVES = range(1, 10_001)

MOVES_PER_CARD = 3
"""Default maximum number of requests for each card of the game, if cards are set aside."""


class AnnounceTiming(NamedChoice):
    """Rule that says when a full set is put down and leaves the game.

    With `AT_ONCE`, a set is put down as soon as it is full, even right after the deal. With
    `AFTER_OWN_REQUEST`, a player puts down full sets only after a request of that player, so a set
    that was dealt full stays hidden until then. In this compatibility mode, opponents without cards
    may be asked, because it is possible that no opponent has cards.
    """

    @classmethod
    def _noun(cls) -> str:
        return "announce"

    AT_ONCE = "at-once"
    AFTER_OWN_REQUEST = "after-own-request"


@dataclass(frozen=True, slots=True)
class KwartetSettings:
    """The settings of one game with 2..8 players and 2..20 sets of 2..10 cards.

    Attributes:
        aside: number of cards that are set aside and lie face down until the end. Each player must
            still get at least one card. Solvers treat the cards set aside as an additional hand
            after the hands of the players.
        max_moves: number of requests after which the game ends, or None for no limit. If cards are
            set aside, None is replaced by `MOVES_PER_CARD` times the number of cards.
        announce: an `AnnounceTiming` or its name, which says when full sets leave the game.
        own_card_requests: whether players may ask for a card that they hold themselves. A player
            who has only full sets may always do so, because no other request is possible.
    """

    players: int = field(default=4, metadata={"help": "Number of players.", "range": PLAYERS})
    sets: int = field(
        default=13,
        metadata={"help": "Number of sets. With more sets, a game takes longer.", "range": SETS},
    )
    announce: AnnounceTiming = field(
        default=AnnounceTiming.AT_ONCE,
        metadata={
            "label": "Full sets are put down",
            "help": "How soon a full set must be put down.",
            "words": ("immediately", "after the owner's next request"),
        },
    )
    own_card_requests: bool = field(
        default=True,
        metadata={
            "label": "Requests for own cards",
            "help": "Whether you may ask for a card in your own hand.",
        },
    )
    set_size: int = field(
        default=SET_SIZE,
        metadata={
            "label": "Cards in a set",
            "help": "Number of cards that belong together as a set.",
            "range": SET_SIZES,
        },
    )
    aside: int = field(
        default=0,
        metadata={
            "label": "Cards set aside",
            "help": "Number of cards that are not dealt to any player.",
            "range": ASIDE,
        },
    )
    max_moves: int | None = field(
        default=None,
        metadata={
            "label": "Maximum number of requests",
            "help": "After this number of requests, the game ends.",
            "range": MAX_MOVES,
        },
    )

    def __post_init__(self) -> None:
        faults = []
        for name, allowed in setting_ranges(self).items():
            value = getattr(self, name)
            if value is None and name == "max_moves":
                continue
            try:
                object.__setattr__(self, name, as_int(value, name))
            except InputError:
                value = None
            if value not in allowed:
                quoted = quote_value(getattr(self, name))
                faults.append(f"{name}: {quoted} is out of range {allowed[0]}..{allowed[-1]}")
        try:
            object.__setattr__(self, "announce", AnnounceTiming.parse(self.announce))
        except InputError as error:
            faults.append(str(error))
        if not isinstance(self.own_card_requests, bool):
            own = quote_value(self.own_card_requests)
            faults.append(f"own_card_requests: must be True or False, not {own}")
        if not faults and self.cards - self.aside < self.players:
            max_aside = self.cards - self.players
            faults.append(
                f"aside: {self.aside} of {self.cards} cards leave too few for {self.players} "
                f"players: at most {max_aside} can be set aside"
                if max_aside >= 0
                else f"players: {self.players} players cannot share {self.cards} cards"
            )
        if faults:
            raise InputError("; ".join(faults))
        if self.aside and self.max_moves is None:
            object.__setattr__(self, "max_moves", MOVES_PER_CARD * self.cards)

    @property
    def at_once(self) -> bool:
        """Whether sets are put down as soon as they are full."""
        return self.announce is AnnounceTiming.AT_ONCE

    @property
    def cards(self) -> int:
        """Number of cards in the game."""
        return self.set_size * self.sets

    @property
    def full(self) -> int:
        """Bit mask of all cards of a set."""
        return (1 << self.set_size) - 1

    @property
    def hands(self) -> int:
        """Number of hands, which is one more than the number of players if cards are set aside."""
        return self.players + (self.aside > 0)

    def hand_sizes(self, first_extra: int = 0) -> tuple[int, ...]:
        """Return the number of cards dealt to each player, then the number of cards set aside.

        The number of cards set aside is left out if it is 0. If the cards cannot be dealt evenly,
        consecutive seats get an extra card, beginning with seat `first_extra`. Seat 0 follows the
        last seat.

        >>> KwartetSettings(players=3, sets=4).hand_sizes()
        (6, 5, 5)
        """
        base, extra = divmod(self.cards - self.aside, self.players)
        seats = [
            base + ((seat - first_extra) % self.players < extra) for seat in range(self.players)
        ]
        return (*seats, *[self.aside] * (self.aside > 0))
