"""The rules of SET as a game in which every seat may claim three cards at any time.

A right claim takes the three cards and scores a point. A wrong claim costs a point. If no player
finds a SET, the seats can agree to deal three more cards. The game ends when the deck is empty and
no SET is left. Only the order of the deck is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from random import Random
from string import ascii_lowercase
from textwrap import fill
from typing import Any, NamedTuple

from quaternity.base.errors import IllegalMove, InputError, NotUnderstood
from quaternity.base.text_format import with_noun
from quaternity.base.text_record import TextRecord, setting_ranges
from quaternity.table.plain_rules import PlainRules
from quaternity.ternary.cards import CARDS, SetCard
from quaternity.ternary.decks import shuffled_deck
from quaternity.ternary.sentences import AGREES, DEALT, MISSED, RIGHT, WRONG, DescribedCards
from quaternity.ternary.tables import LETTERS, Rule
from quaternity.ternary.triples import Triple, is_triple, triples

MAX_TABLE_CARDS = 21
"""Maximum number of cards on the table under `Rule.SET`. Any 21 cards contain a SET (Davis and
Maclagan 2003), but not always a triple."""

_CLAIM = re.compile(r"(?:claims? )?([a-z])[ ,]*([a-z])[ ,]*([a-z])", re.IGNORECASE | re.ASCII)
_PARTIAL_CLAIM = re.compile(
    r"(?:\d )?(?:claims? )?([a-z])(?:[ ,]*([a-z]))?(?:[ ,]*([a-z]))?[ ,]*", re.IGNORECASE | re.ASCII
)
_NUMBERS = re.compile(
    r"(?:claims? )?(\d{1,2})[ ,]+(\d{1,2})[ ,]+(\d{1,2})", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True, slots=True)
class SetSettings:
    """Settings of a game of SET: the seats, the rule, and the number of cards on the table."""

    seats: int = field(default=2, metadata={"help": "Number of players.", "range": range(1, 9)})
    rule: Rule = field(
        default=Rule.SET,
        metadata={
            "label": "What scores",
            "help": "What scores: SETs, or triples (three cards that differ in every property).",
            "words": ("triples", "SETs"),
        },
    )
    table: int = field(
        default=12,
        metadata={
            "label": "Cards on the table",
            "help": "Number of cards on the table while the deck lasts.",
            "range": range(9, 19, 3),
        },
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", Rule(self.rule))
        for name, allowed in setting_ranges(self).items():
            value = getattr(self, name)
            if isinstance(value, bool) or value not in allowed:
                raise InputError(f"{name}: {value!r} is not one of {', '.join(map(str, allowed))}")


class SetMove(NamedTuple):
    """A claim of three cards, in ascending order. With no cards, an agreement to deal more."""

    cards: tuple[int, ...]

    def __str__(self) -> str:
        return f"claim {' '.join(map(str, self.cards))}" if self.cards else "more"


MORE = SetMove(())
"""The move by which a player agrees to three more cards."""


@dataclass(frozen=True, slots=True)
class SetView:
    """What a seat or a bystander sees of a game of SET. All of them see the same cards.

    `seat` is the number of the seat, or None for a bystander. `places` contains the card on each
    place, and `undealt` is the number of cards in the deck. For each seat, `taken` contains the
    threes (three cards that belong together), and `wrong` the number of wrong claims. `agreed`
    contains the seats that have agreed to three more cards.
    """

    seat: int | None
    places: tuple[int, ...]
    undealt: int
    taken: tuple[tuple[Triple, ...], ...]
    wrong: tuple[int, ...]
    agreed: frozenset[int]
    settings: SetSettings

    def _repr_svg_(self) -> str:
        from quaternity.ternary.table_picture import table_svg

        return table_svg(self.places)

    @property
    def threes(self) -> tuple[Triple, ...]:
        """All combinations of three cards on the table that belong together."""
        return triples(self.places, self.settings.rule)

    @property
    def is_over(self) -> bool:
        """Whether the game is over: the deck is empty, and no three cards belong together."""
        return not self.undealt and not self.threes


@dataclass(frozen=True, slots=True)
class SetPosition:
    """A position of a game: what everybody sees, and all cards in the hidden order of dealing."""

    seen: SetView
    order: tuple[int, ...]

    @property
    def deck(self) -> tuple[int, ...]:
        """The cards that have not been dealt."""
        return self.order[CARDS - self.seen.undealt :]


@dataclass(frozen=True, slots=True)
class SetRules(PlainRules[SetPosition, SetMove, SetView]):
    """The rules of SET for one to eight players (see `quaternity.table.protocol.Rules`)."""

    settings: SetSettings = SetSettings()

    name = "set"
    hidden = False
    first_line = "set 1"
    chance_keys = ("deck",)

    @property
    def seats(self) -> int:
        """Number of players."""
        return self.settings.seats

    def start(self, random: Random) -> SetPosition:
        """Shuffle a deck, and return the position with its first cards on the table."""
        return self.start_of_deck(tuple(shuffled_deck(random)))

    def start_of_deck(self, deck: tuple[int, ...]) -> SetPosition:
        """Return the position with the first cards of a deck on the table."""
        seats, table = self.seats, self.settings.table
        seen = SetView(
            None, deck[:table], CARDS - table, ((),) * seats, (0,) * seats, frozenset(),
            self.settings,
        )  # fmt: skip
        return SetPosition(seen, deck)

    def to_act(self, position: SetPosition) -> range:
        """Return all seats (players do not take turns), or an empty range if the game is over."""
        return range(0 if position.seen.is_over else self.seats)

    def view(self, position: SetPosition, seat: int | None) -> SetView:
        """Return the view of a seat, which contains everything except the deck."""
        return replace(position.seen, seat=seat)

    def after(self, position: SetPosition, seat: int, move: SetMove) -> SetPosition:
        """Return the position after a claim of three cards, or after an agreement to more cards."""
        view = self.view(position, seat)
        faults = [] if seat in range(self.seats) else [f"there is no seat {seat}"]
        faults += self.faults(view, move)
        if faults:
            raise IllegalMove(f"'{move}' is not a legal move", faults)
        seen, order, deck = position.seen, position.order, position.deck
        if not move.cards:
            agreed = seen.agreed | {seat}
            if len(agreed) < self.seats:
                return SetPosition(replace(seen, agreed=agreed), order)
            return _deal_three(replace(seen, agreed=frozenset()), order, (*seen.places, *deck[:3]))
        first, second, last = move.cards
        if not is_triple(first, second, last, self.settings.rule):
            wrong = tuple(count + (player == seat) for player, count in enumerate(seen.wrong))
            return SetPosition(replace(seen, wrong=wrong), order)
        taken = tuple(
            (*threes, (first, second, last)) if player == seat else threes
            for player, threes in enumerate(seen.taken)
        )
        seen = replace(seen, taken=taken, agreed=frozenset())
        if len(seen.places) > self.settings.table or not deck:
            remaining = tuple(card for card in seen.places if card not in move.cards)
            return SetPosition(replace(seen, places=remaining), order)
        dealt = iter(deck)
        filled = tuple(next(dealt) if card in move.cards else card for card in seen.places)
        return _deal_three(seen, order, filled)

    def events(
        self, before: SetPosition, seat: int, move: SetMove, after: SetPosition
    ) -> tuple[str, ...]:
        """Return sentences about a claim or an agreement, its result, and new cards."""
        if not move.cards:
            events = [AGREES(who=seat)]
        else:
            right = len(after.seen.taken[seat]) > len(before.seen.taken[seat])
            claims = RIGHT if right else WRONG
            three = self.settings.rule.three
            events = [claims(who=seat, three=three, cards=DescribedCards(move.cards), right=right)]
        dealt = before.deck[: before.seen.undealt - after.seen.undealt]
        if dealt and not move.cards and before.seen.threes:
            missed = DescribedCards(before.seen.threes[0])
            events.append(MISSED(three=self.settings.rule.three, missed=missed))
        if dealt:
            events.append(DEALT(dealt=DescribedCards(dealt)))
        return tuple(events)

    def still_means(self, move: SetMove, then: SetView, now: SetView) -> bool:
        """Return whether a move that was chosen for an earlier view has the same effect now.

        The claimed cards must still be on the table. For an agreement, the table must be unchanged.
        """
        return set(move.cards) <= set(now.places) and (
            bool(move.cards) or then.places == now.places
        )

    def default_move(self, view: SetView) -> SetMove | None:
        """Return the move of an absent player: to agree if another seat has agreed, else None."""
        return MORE if view.agreed and not self.faults(view, MORE) else None

    def points(self, position: SetPosition) -> tuple[float, ...]:
        """Return the points of each seat: the number of right claims minus that of wrong claims."""
        seen = position.seen
        return tuple(
            float(len(threes) - wrong) for threes, wrong in zip(seen.taken, seen.wrong, strict=True)
        )

    def iter_moves(self, view: SetView) -> Iterator[SetMove]:
        """Yield every claim of three cards, and the agreement to more cards if it is legal."""
        if view.is_over or view.seat is None:
            return
        yield from (SetMove(three) for three in combinations(sorted(view.places), 3))
        if not self.faults(view, MORE):
            yield MORE

    def faults(self, view: SetView, move: SetMove | None) -> list[str]:
        """Return the reasons why a move is illegal. Wrong claims and waiting (None) are legal."""
        if move is None:
            return []
        if not isinstance(move, SetMove):
            return [f"{move!r} is not a move of SET"]
        if view.is_over:
            return ["the game is over"]
        if view.seat is None:
            return ["a bystander does not move"]
        if not move.cards:
            if view.seat in view.agreed:
                return ["you have agreed already"]
            if not view.undealt:
                return ["the deck is empty"]
            if view.settings.rule is Rule.SET and len(view.places) >= MAX_TABLE_CARDS:
                return [f"among {MAX_TABLE_CARDS} cards there is always a SET"]
            return []
        cards = move.cards
        if not isinstance(cards, tuple) or any(type(card) is not int for card in cards):
            return [f"{cards!r} are not three cards"]
        if len(cards) != 3 or list(cards) != sorted(set(cards)):
            return [f"{' '.join(map(str, cards))} are not three different cards"]
        return [f"card {card} is not on the table" for card in cards if card not in view.places]

    def read(self, text: str, view: SetView) -> SetMove:
        """Parse a move: a claim by places (`a d k`) or cards (`claim 3 17 52`), or `more`."""
        text = text.strip()
        if text.lower() in ("more", "m"):
            return MORE
        match = _NUMBERS.fullmatch(text)
        if match is not None:
            return SetMove(tuple(sorted(int(number) for number in match.groups())))
        match = _CLAIM.fullmatch(text)
        if match is None:
            raise NotUnderstood(
                f"{text!r} is not understood: type the word 'more', or three places such as 'a d k'"
            )
        cards = cards_named(text, view)
        for letter, card in zip(match.groups(), cards, strict=True):
            if card is None:
                raise InputError(f"place {letter} is empty")
        return SetMove(tuple(sorted(card for card in cards if card is not None)))

    def show(self, view: SetView, width: int = 80) -> str:
        """Return the cards on the table with their places, the scores and the deck size."""
        letters = [*LETTERS, *[" "] * CARDS]
        cells = [
            f"{letter} {card:>2} {SetCard(card)}"
            for letter, card in zip(letters, view.places, strict=False)
        ]
        per_line = max(1, (width + 2) // 38)
        lines = [
            "  ".join(cell.ljust(36) for cell in cells[first : first + per_line]).rstrip()
            for first in range(0, len(cells), per_line)
        ]
        score = "; ".join(
            f"player {seat}: {with_noun(len(threes) - wrong, 'point')}"
            for seat, (threes, wrong) in enumerate(zip(view.taken, view.wrong, strict=True))
        )
        footer = f"{score}; {with_noun(view.undealt, 'card')} in the deck"
        return "\n".join([*lines, fill(footer, width)])

    def view_json(self, view: SetView) -> dict[str, Any]:
        """Return the attributes of a view for JSON, with the cards as indexes."""
        return {
            "table": list(view.places),
            "undealt": view.undealt,
            "taken": [[list(three) for three in threes] for threes in view.taken],
            "wrong": list(view.wrong),
            "agreed": sorted(view.agreed),
            "rule": str(view.settings.rule),
            "over": view.is_over,
        }

    def like(self, view: SetView, random: Random) -> SetPosition:
        """Return a random position that looks like this view: the unseen cards are shuffled."""
        seen = [
            *view.places,
            *(card for threes in view.taken for three in threes for card in three),
        ]
        deck = [card for card in range(CARDS) if card not in seen]
        order = (*seen, *random.sample(deck, len(deck)))
        return SetPosition(replace(view, seat=None), order)

    def chance_text(self, start: SetPosition) -> str:
        """Return the line of a game record that lists the whole deck in the order of dealing."""
        return f"deck {' '.join(map(str, (*start.seen.places, *start.deck)))}\n"

    def recorded_start(self, record: TextRecord) -> SetPosition:
        """Return the position at the start of a recorded game, given its deck."""
        if "deck" not in record.settings:
            raise InputError("the header must have a line with the deck")
        number, text, _ = record.settings["deck"]
        words = text.split()
        deck = tuple(int(word) if word.isdecimal() and len(word) < 3 else -1 for word in words)
        if sorted(deck) != list(range(CARDS)):
            raise InputError(f"line {number}: the deck must contain each card 0..{CARDS - 1} once")
        return self.start_of_deck(deck)


def cards_named(text: str, view: SetView) -> tuple[int | None, ...]:
    """Return the card at each place that a claim such as `a d k` names, or () for other texts.

    The claim may name fewer than three places. The card is None if the place is empty.
    """
    match = _PARTIAL_CLAIM.fullmatch(text)
    letters = [letter for letter in match.groups() if letter] if match is not None else []
    if len(view.places) <= len(ascii_lowercase):
        # With at most 26 cards on the table, capital letters mean the same places as small letters.
        letters = [letter.lower() for letter in letters]
    return tuple(dict(zip(LETTERS, view.places, strict=False)).get(letter) for letter in letters)


def _deal_three(seen: SetView, order: tuple[int, ...], places: tuple[int, ...]) -> SetPosition:
    return SetPosition(replace(seen, places=places, undealt=seen.undealt - 3), order)
