"""The probabilities that the strategy `reader` infers, and its choice of a request."""

from __future__ import annotations

from math import nextafter
from random import Random
from typing import NamedTuple

import numpy as np

from quaternity.game.question import Question
from quaternity.kwartet.chances import owner_weights
from quaternity.kwartet.hands import NUMBERS_IN_MASK
from quaternity.kwartet.public import next_with_cards
from quaternity.kwartet.strategies.counting import patient
from quaternity.kwartet.strategies.published import random_request, request
from quaternity.kwartet.strategies.reader.asking import (
    HELD_CARD_VALUE,
    NEXT_PLAYER_BONUS,
    REVEAL_COST,
)
from quaternity.kwartet.strategies.reader.coupling import BELOW_1, couple_sets, fit_hand_sizes
from quaternity.kwartet.strategies.reader.reading import in_play, read_game, restrict_weights
from quaternity.kwartet.view import NOBODY, View
from solvers.filtering import filter_problem
from solvers.problem import SetConstraint

DIGITS = 9
"""Number of decimal places to which probabilities are rounded before they are compared, so that all
machines make the same choice."""

MIN_CHANCE = nextafter(0.0, 1.0)


class Belief(NamedTuple):
    """Probabilities that players own the cards of one set.

    Attributes:
        owned: `[card][player]`, the probability that the player owns the card.
        run: the probability of the most likely deal of the whole set.
    """

    owned: list[list[float]]
    run: float


def _infer_beliefs(view: View) -> dict[int, Belief]:
    _, reading = read_game(view)
    active = in_play(view.public)
    if not active:
        return {}
    problem, hands = filter_problem(view.problem), view.public.hands
    weights = restrict_weights(reading.weights, problem, view.public.with_cards, active, 0)
    met, _ = fit_hand_sizes(weights[:, :, None], np.ones(len(active)), hands, reading.factors[None])
    seat = None if view.seat == NOBODY else view.seat
    owned, run = couple_sets(met[:, :, 0], hands, seat)
    return {
        index: Belief(_round_to_certain(problem.sets[index], rows), of_run)
        for index, rows, of_run in zip(
            active, np.moveaxis(owned, -1, 0).tolist(), run.tolist(), strict=True
        )
    }


def _round_to_certain(known: SetConstraint, owned: list[list[float]]) -> list[list[float]]:
    return [
        [
            (1.0 if owners == 1 << player else min(max(chance, MIN_CHANCE), BELOW_1))
            if owners >> player & 1
            else 0.0
            for player, chance in enumerate(row)
        ]
        for owners, row in zip(known.owners, owned, strict=True)
    ]


MAX_SET_SIZE = 6
"""Maximum number of cards in a set for which the strategy `reader` infers anything from requests.
With larger sets, it plays like the strategy `patient`."""


def _reads(view: View) -> bool:
    return view.public.settings.set_size <= MAX_SET_SIZE


def beliefs(view: View) -> list[list[list[float]]]:
    """Return probabilities `[set][card][player]` that players own cards, given the requests.

    For the view of a bystander, these are the probabilities that everybody can infer. Certain
    values are exactly 0.0 or 1.0. A set that was put down has an empty list. The results for
    earlier views of the same game are reused, so later calls take milliseconds.
    """
    if not _reads(view):
        weights = owner_weights(view.problem)
        return [[[w / weights.total for w in row] for row in cards] for cards in weights.owned]
    believed = _infer_beliefs(view)
    return [
        believed[index].owned if index in believed else []
        for index in range(len(view.public.removed))
    ]


def reader(view: View, random: Random) -> Question:
    """Return a request, chosen like `patient` with probabilities inferred from all requests.

    This takes about 1 ms for each request since the last request of this player. With 52 cards, it
    takes 3 ms with four players, and 5 to 9 ms with more players.
    """
    assert view.seat != NOBODY
    if not _reads(view):
        return patient(view, random)
    following = next_with_cards(view.public.hands, view.seat, view.public.settings.players)
    players, full = view.public.settings.players, view.public.settings.full
    best: tuple[float, float] | None = None
    chosen: Question | None = None
    for index, belief in _infer_beliefs(view).items():
        mask = view.hand[index]
        if mask in (0, full):
            continue
        attraction, _, number, asked = min(
            _best_owner(belief.owned[number][:players], number, view.seat, following, random)
            for number in NUMBERS_IN_MASK[full ^ mask]
        )
        if attraction < 0:  # A missing card is certainly set aside.
            continue
        if belief.run == 1:
            value = 2.0
        else:
            value = round(belief.run, DIGITS) + HELD_CARD_VALUE * mask.bit_count()
            if not view.public.problem.sets[index].low[view.seat]:
                value -= REVEAL_COST
        if best is None or (value, attraction) > best:
            best = value, attraction
            chosen = request(view.seat, asked, index, number)
    return random_request(view, random) if chosen is None else chosen


def _best_owner(
    chances: list[float], number: int, seat: int, following: int, random: Random
) -> tuple[float, float, int, int]:
    best = (-1.0, 0.0, number, seat)
    for player, chance in enumerate(chances):
        if chance and player != seat:
            attraction = round(
                chance + NEXT_PLAYER_BONUS * (player == following and chance < 1), DIGITS
            )
            best = max(best, (attraction, random.random(), number, player))
    return best
