"""What a reader believes, and what it asks."""

from __future__ import annotations

from math import nextafter
from random import Random
from typing import NamedTuple

import numpy as np

from quaternity.game.question import Question
from quaternity.kwartet.hands import LACKING
from quaternity.kwartet.public import next_with_cards
from quaternity.kwartet.strategies.reader.asking import HELD, SHOWN, TELLING
from quaternity.kwartet.strategies.reader.coupling import coupled, tilted
from quaternity.kwartet.strategies.reader.reading import in_play, read_game
from quaternity.kwartet.strategies.students import random_request, request
from quaternity.kwartet.view import NOBODY, View
from solvers.filtering import closed
from solvers.problem import SetConstraint

DIGITS = 9
"""Chances are compared to so many digits: what machines round differently decides nothing."""

LEAST, MOST = nextafter(0.0, 1.0), nextafter(1.0, 0.0)


class Belief(NamedTuple):
    """What is believed of one set.

    Attributes:
        owned: the chance `[card][player]`.
        run: the chance of the likeliest way in which the set is shared out.
    """

    owned: list[list[float]]
    run: float


def _believed(view: View) -> dict[int, Belief]:
    """What a view's seat, or a bystander, believes of each set in play."""
    record, reading = read_game(view)
    table, active = record.table, in_play(view.public)
    if not active:
        return {}
    known = [closed(view.problem).sets[index] for index in active]
    cards = view.public.with_cards
    possible = np.array([table.possible(one, cards) for one in known], float)
    weights = reading.weights[active] * possible
    lost = ~weights.any(axis=1)
    weights[lost] = possible[lost]
    chances, _ = tilted(table, weights, view.public.hands, reading.factors)
    seat = None if view.seat == NOBODY else view.seat
    chances = coupled(table, chances, view.public.hands, seat)
    found = {}
    for index, one, row in zip(active, known, chances, strict=True):
        owned = [np.bincount(owner, row, table.players).tolist() for owner in table.owner]
        run = 1.0 if np.count_nonzero(row) == 1 else min(float(row.max()), MOST)
        found[index] = Belief(_certain(one, owned), run)
    return found


def _certain(known: SetConstraint, owned: list[list[float]]) -> list[list[float]]:
    """Chances that are 0 or 1 where, and only where, that is known."""
    return [
        [
            (1.0 if owners == 1 << player else min(max(chance, LEAST), MOST))
            if owners >> player & 1
            else 0.0
            for player, chance in enumerate(row)
        ]
        for owners, row in zip(known.owners, owned, strict=True)
    ]


def beliefs(view: View) -> list[list[list[float]]]:
    """How likely each player is to own each card, by all that the requests so far tell.

    Of a bystander's view: by what everybody can read. What is certain is exactly 0.0 or 1.0.

    Returns:
        The chance `[set][card][player]`; the list of a removed set is empty.

    Cost: see `reading.read_game`; milliseconds when the game goes on.
    """
    found = _believed(view)
    return [
        found[index].owned if index in found else [] for index in range(len(view.public.removed))
    ]


def reader(view: View, random: Random) -> Question:
    """Builds sets as `patient` does, on chances that it reads from everybody's requests.

    Cost: 2 to 6 ms with four players.
    """
    assert view.seat != NOBODY
    following = next_with_cards(view.public.hands, view.seat)
    best: tuple[float, float] | None = None
    chosen: Question | None = None
    for index, belief in _believed(view).items():
        mask = view.hand[index]
        if not mask or not LACKING[mask]:
            continue
        attraction, _, number, asked = min(
            _best_owner(belief.owned[number], number, view.seat, following, random)
            for number in LACKING[mask]
        )
        if belief.run == 1:
            value = 2.0
        else:
            value = round(belief.run, DIGITS) + HELD * mask.bit_count()
            if not view.public.problem.sets[index].low[view.seat]:
                value -= SHOWN
        if best is None or (value, attraction) > best:
            best = value, attraction
            chosen = request(view.seat, asked, index, number)
    return random_request(view, random) if chosen is None else chosen


def _best_owner(
    chances: list[float], number: int, seat: int, following: int, random: Random
) -> tuple[float, float, int, int]:
    """Whom to ask for a card: (attraction, a lot, card, player)."""
    best = (-1.0, 0.0, number, seat)
    for player, chance in enumerate(chances):
        if chance and player != seat:
            attraction = round(chance + TELLING * (player == following and chance < 1), DIGITS)
            best = max(best, (attraction, random.random(), number, player))
    return best


__all__ = ["beliefs", "reader"]
