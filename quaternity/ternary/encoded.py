"""Positions and moves of SET as numbers for machine learning (`environments.episode.Encoded`)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb, inf

from quaternity.base.errors import InputError
from quaternity.ternary.cards import CARDS, all_digits
from quaternity.ternary.rules import MAX_TABLE_CARDS, MORE, SetMove, SetPosition, SetRules, SetView
from quaternity.ternary.tables import Rule

_NOTHING_DEALT = bytes(4 * 3 * CARDS)

MAX_THREES = CARDS // 3
"""Maximum number of threes (three cards that belong together) that can be taken in a game."""


class SetEncoded:
    """The moves and views of SET as numbers. The seat that has the view is counted as seat 0.

    A claim names places on the table, not cards, so there are 1,330 claims instead of 85,320. Both
    right and wrong claims are legal, because a mask of the right claims would reveal the answer.
    The claim of places a < b < c has the number `c(c-1)(c-2)/6 + b(b-1)/2 + a`. The last two
    actions are to agree to three more cards, and to wait.
    """

    outcomes: tuple[tuple[str, int, str], ...] = (
        ("dealt", 3 * CARDS, "for each of three cards dealt, in their order, 1 for the card"),
    )

    def __init__(self, rules: SetRules) -> None:
        self.rules = rules
        # Only the rule SET limits the number of cards on the table.
        self.places = MAX_TABLE_CARDS if rules.settings.rule is Rule.SET else CARDS
        self.claims = comb(self.places, 3)
        self.actions = self.claims + 2
        # Every wrong claim costs a point, even if it is repeated, so points have no lower bound.
        self.points = (-inf, float(MAX_THREES))
        seats = rules.seats
        self.entries = (
            ("seat", seats, "1 for the seat that has the view; all 0 for a bystander"),
            (
                "table",
                self.places * 12,
                "for each place and each of shape, colour, fill and amount, three numbers, with 1 "
                "for the value of the card; all 0 for an empty place",
            ),
            ("gone", CARDS, "1 for each card that was taken"),
            ("deck", 1, f"cards left to deal, divided by {CARDS}"),
            ("taken", seats, f"SETs or triples taken by each seat, divided by {MAX_THREES}"),
            ("wrong", seats, "w / (1 + w) for the w wrong claims of each seat"),
            ("agreed", seats, "1 for each seat that agrees to three more cards"),
        )

    def action(self, move: SetMove | None, view: SetView) -> int:
        """Return the action number of a claim, of agreement, or of waiting (None)."""
        if move is None:
            return self.claims + 1
        if not move.cards:
            return self.claims
        gone = [card for card in move.cards if card not in view.places]
        if gone:
            raise InputError(f"card {gone[0]} is not on the table")
        first, second, last = sorted(map(view.places.index, move.cards))
        return comb(last, 3) + comb(second, 2) + first

    def move(self, action: int, view: SetView) -> SetMove | None:
        """Return the move that an action number stands for with this view, or None for waiting."""
        if not 0 <= action < self.actions:
            raise InputError(f"action {action} is out of range 0..{self.actions - 1}")
        if action >= self.claims:
            return MORE if action == self.claims else None
        places = claimed_places(self.places)[action]
        if places[-1] >= len(view.places):
            raise InputError(f"action {action}: place {places[-1]} is empty")
        return SetMove(tuple(sorted([view.places[place] for place in places])))

    def mask(self, view: SetView) -> bytes:
        """Return a byte for each action: 1 if it is legal. Waiting is legal until the game ends."""
        if view.seat is None or view.is_over:
            return bytes(self.actions)
        return _mask(len(view.places), not self.rules.faults(view, MORE), self.claims)

    def numbers(self, view: SetView) -> memoryview[float]:
        """Return a view as numbers between 0 and 1, in the order described by `entries`."""
        seats, first = self.rules.seats, view.seat or 0
        order = [(first + away) % seats for away in range(seats)]
        gone = bytearray(CARDS)
        for threes in view.taken:
            for three in threes:
                for card in three:
                    gone[card] = 1
        scalars = [view.undealt / CARDS]
        scalars += [len(view.taken[seat]) / MAX_THREES for seat in order]
        scalars += [view.wrong[seat] / (1 + view.wrong[seat]) for seat in order]
        scalars += [seat in view.agreed for seat in order]
        parts = [array("f", [seat == view.seat for seat in range(seats)]).tobytes()]
        parts += map(_card_numbers, view.places)
        parts += (
            bytes(4 * 12 * (self.places - len(view.places))),
            array("f", list(gone)).tobytes(),
            array("f", scalars).tobytes(),
        )
        return memoryview(b"".join(parts)).cast("f")

    def outcome(self, before: SetPosition, after: SetPosition) -> bytes:
        """Return the cards that a move dealt, as numbers in the order described by `outcomes`."""
        dealt = array("f", _NOTHING_DEALT)
        count = before.seen.undealt - after.seen.undealt
        for number, card in enumerate(before.deck[:count]):
            dealt[number * CARDS + card] = 1.0
        return dealt.tobytes() if count else _NOTHING_DEALT

    def chance(self, drawn: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Return the cards that can follow the cards `drawn`, each with its probability."""
        undrawn = [card for card in range(CARDS) if card not in drawn]
        return [(card, 1 / len(undrawn)) for card in undrawn]

    def initial_position(self, drawn: Sequence[int]) -> SetPosition:
        """Return the first position of a game, given the whole deck."""
        return self.rules.start_of_deck(tuple(drawn))


@cache
def claimed_places(places: int) -> tuple[tuple[int, int, int], ...]:
    """Return the three places that each claim names, in the order of the action numbers."""
    threes = combinations(range(places), 3)
    return tuple(sorted(threes, key=lambda three: three[::-1]))


@cache
def _mask(places: int, more: bool, claims: int) -> bytes:
    open_claims = comb(places, 3)
    return b"\1" * open_claims + bytes(claims - open_claims) + bytes([more, 1])


@cache
def _card_numbers(card: int) -> bytes:
    digits = all_digits()[card]
    return array("f", [digit == value for digit in digits for value in range(3)]).tobytes()
