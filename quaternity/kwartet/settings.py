"""What is agreed before a game of Kwartet, and the limits within which it is played."""

from __future__ import annotations

from dataclasses import dataclass, field

from quaternity.base.errors import InputError
from quaternity.base.plain_values import whole
from quaternity.base.text_record import ranges
from quaternity.base.wording import shown
from quaternity.game.settings import NamedChoice

SET_SIZE = 4
"""Cards in one set."""

PLAYERS = range(2, 9)
SETS = range(2, 21)


class Announce(NamedChoice):
    """When a full set is announced and leaves the game.

    `AT_ONCE`: the moment it is complete, also at the deal. `AFTER_OWN_REQUEST`: after a request of
    the player, so that a set that was dealt full stays hidden until then. In this compatibility
    mode an opponent without cards may be asked, because nobody else may be left.
    """

    AT_ONCE = "at-once"
    AFTER_OWN_REQUEST = "after-own-request"


@dataclass(frozen=True, slots=True)
class KwartetSettings:
    """The rules of one game of 2..8 players and 2..20 sets of `SET_SIZE` cards.

    Attributes:
        announce: when full sets leave the game; an `Announce` or its name.
        own_card_requests: whether a player may ask for a card that they hold themselves. When not,
            a player whose hand is nothing but full sets still may: they have no other request.
    """

    players: int = field(default=4, metadata={"help": "How many play.", "range": PLAYERS})
    sets: int = field(default=13, metadata={"help": "Sets of four cards.", "range": SETS})
    announce: Announce = field(
        default=Announce.AT_ONCE, metadata={"help": "When full sets are put down."}
    )
    own_card_requests: bool = field(
        default=True, metadata={"help": "Whether you may ask for a card in your own hand."}
    )

    def __post_init__(self) -> None:
        faults = []
        for name, allowed in ranges(self).items():
            value = getattr(self, name)
            try:
                object.__setattr__(self, name, whole(value, name))
            except InputError:
                value = None
            if value not in allowed:
                given = shown(getattr(self, name))
                faults.append(f"{name}: {given} is out of range {allowed[0]}..{allowed[-1]}")
        try:
            object.__setattr__(self, "announce", Announce.parse(self.announce))
        except InputError as error:
            faults.append(str(error))
        if not isinstance(self.own_card_requests, bool):
            own = shown(self.own_card_requests)
            faults.append(f"own_card_requests: {own} is neither True nor False")
        if faults:
            raise InputError("; ".join(faults))

    @property
    def at_once(self) -> bool:
        """Whether full sets are announced the moment they are complete."""
        return self.announce is Announce.AT_ONCE

    @property
    def cards(self) -> int:
        """Number of cards."""
        return SET_SIZE * self.sets

    def hand_sizes(self, first_extra: int = 0) -> tuple[int, ...]:
        """Return the cards dealt to each seat, as even as possible.

        `first_extra` is the first of the consecutive seats that hold one card more, modulo their
        number.
        """
        least, extra = divmod(self.cards, self.players)
        return tuple(
            least + ((seat - first_extra) % self.players < extra) for seat in range(self.players)
        )
