"""Settings of a game of Kwartet, and their allowed ranges."""

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
"""Default number of requests per card after which a game with cards aside ends."""


class AnnounceTiming(NamedChoice):
    """When a full set is announced and leaves the game.

    `AT_ONCE`: as soon as it is complete, even right after the deal. `AFTER_OWN_REQUEST`: after a
    request of the player, so that a set dealt in full stays hidden until then. In this
    compatibility mode an opponent without cards may be asked, because there may be no other one.
    """

    @classmethod
    def _noun(cls) -> str:
        return "announce"

    AT_ONCE = "at-once"
    AFTER_OWN_REQUEST = "after-own-request"


@dataclass(frozen=True, slots=True)
class KwartetSettings:
    """The rules of one game of 2..8 players and 2..20 sets of 2..10 cards.

    Attributes:
        aside: number of cards that are not dealt. They lie face down until the end, and each player
            still gets at least one card. Solvers treat them as an additional hand, after those of
            the players.
        max_moves: number of requests after which the game is over; None means no limit. With cards
            aside, None is replaced by `MOVES_PER_CARD` for each card.
        announce: when full sets leave the game: an `AnnounceTiming` or its name.
        own_card_requests: whether players may ask for a card that they hold themselves. If not, a
            player with only full sets still may, because no other request is possible.
    """

    players: int = field(default=4, metadata={"help": "Number of players.", "range": PLAYERS})
    sets: int = field(default=13, metadata={"help": "Number of sets.", "range": SETS})
    announce: AnnounceTiming = field(
        default=AnnounceTiming.AT_ONCE, metadata={"help": "When full sets are put down."}
    )
    own_card_requests: bool = field(
        default=True, metadata={"help": "Whether you may ask for a card in your own hand."}
    )
    set_size: int = field(
        default=SET_SIZE, metadata={"help": "Cards in a set.", "range": SET_SIZES}
    )
    aside: int = field(default=0, metadata={"help": "Cards that are not dealt.", "range": ASIDE})
    max_moves: int | None = field(
        default=None, metadata={"help": "Requests until the game ends.", "range": MAX_MOVES}
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
            faults.append(f"own_card_requests: {own} is neither True nor False")
        if not faults and self.cards - self.aside < self.players:
            max_aside = self.cards - self.players
            faults.append(
                f"aside: {self.aside} of {self.cards} cards leave {self.players} players without "
                f"a card each: at most {max_aside} can lie aside"
                if max_aside >= 0
                else f"players: {self.players} are more than the {self.cards} cards"
            )
        if faults:
            raise InputError("; ".join(faults))
        if self.aside and self.max_moves is None:
            object.__setattr__(self, "max_moves", MOVES_PER_CARD * self.cards)

    @property
    def at_once(self) -> bool:
        """Whether full sets are announced as soon as they are complete."""
        return self.announce is AnnounceTiming.AT_ONCE

    @property
    def cards(self) -> int:
        """Number of cards."""
        return self.set_size * self.sets

    @property
    def full(self) -> int:
        """All cards of a set, as a bit mask."""
        return (1 << self.set_size) - 1

    @property
    def hands(self) -> int:
        """Number of hands: those of the players, and the pile if cards lie aside."""
        return self.players + (self.aside > 0)

    def hand_sizes(self, first_extra: int = 0) -> tuple[int, ...]:
        """Return the number of cards in each hand, dealt as evenly as possible, then the pile.

        `first_extra` is the first of the consecutive seats that get an extra card, modulo the
        number of seats.
        """
        base, extra = divmod(self.cards - self.aside, self.players)
        seats = [
            base + ((seat - first_extra) % self.players < extra) for seat in range(self.players)
        ]
        return (*seats, *[self.aside] * (self.aside > 0))
