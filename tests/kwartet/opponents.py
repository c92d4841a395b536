"""Opponents of the reader that are not built-in players, named by `package.module:name`."""

from __future__ import annotations

from random import Random

from quaternity.base.errors import LimitError, NoDeal
from quaternity.game.question import Question
from quaternity.kwartet.chances import owner_weights
from quaternity.kwartet.hands import NUMBERS_IN_MASK
from quaternity.kwartet.public import next_with_cards
from quaternity.kwartet.strategies.counting import (
    HELD_CARD_VALUE,
    NEXT_PLAYER_BONUS,
    REVEAL_COST,
    exact,
    patient,
)
from quaternity.kwartet.strategies.published import (
    own_card_request,
    random_of,
    random_request,
    request,
)
from quaternity.kwartet.view import Strategy, View
from solvers.problem import DealProblem, SetConstraint


def not_in_vain(view: View) -> DealProblem:
    """Return the deals in which nobody holds a card they failed to get; all if none are left."""
    asked: dict[tuple[int, int], int] = {}
    for event in view.events:
        card = event.question.card
        place = card.set_index, card.number
        asked[place] = 0 if event.answer else asked.get(place, 0) | 1 << event.question.asker
    sets = []
    for index, row in enumerate(view.problem.sets):
        owners = tuple(
            [
                mask & ~(asked.get((index, number), 0) & ~(1 << view.seat)) or mask
                for number, mask in enumerate(row.owners)
            ]
        )
        sets.append(SetConstraint.unchecked(owners, row.low, row.high))
    return DealProblem.unchecked(view.problem.hands, tuple(sets))


def patient_like(
    shown: float = REVEAL_COST,
    held: float = HELD_CARD_VALUE,
    telling: float = NEXT_PLAYER_BONUS,
    plus: bool = False,
) -> Strategy:
    """Return `patient` with other constants; `plus` rules out cards that a player failed to get."""

    def strategy(view: View, random: Random) -> Question:
        weights = None
        if plus:
            try:
                weights = owner_weights(not_in_vain(view))
            except (LimitError, NoDeal):
                weights = None
        if weights is None or not weights.total:
            weights = owner_weights(view.problem)
        following = next_with_cards(view.public.hands, view.seat)
        options = []
        for index, mask in enumerate(view.hand):
            if mask in (0, 15):
                continue
            run, cards = 1.0, []
            for number in NUMBERS_IN_MASK[15 ^ mask]:
                owners = []
                for player, weight in enumerate(weights.owned[index][number]):
                    chance = weight / weights.total
                    more = telling if player == following and 0 < chance < 1 else 0.0
                    owners.append((chance + more, random.random(), chance, player))
                attraction, _, chance, player = max(owners)
                run *= chance
                cards.append((attraction, random.random(), number, player))
            value = 2.0 if run == 1 else run + held * mask.bit_count()
            if run != 1 and not view.public.problem.sets[index].low[view.seat]:
                value -= shown
            hardest = min(cards)
            options.append((value, random.random(), index, hardest[2], hardest[3]))
        if not options:
            return random_request(view, random)
        _, _, index, number, player = max(options)
        return request(view.seat, player, index, number)

    return strategy


def hopeless_request(view: View, random: Random) -> Question:
    """Request a missing card of a player known not to have it, if possible."""
    opponents = view.public.may_be_asked(view.seat)
    requests = [
        (index, number, 1 << player)
        for index, mask in enumerate(view.hand)
        if mask
        for number in NUMBERS_IN_MASK[15 ^ mask]
        for player in opponents
        if not view.public.problem.sets[index].owners[number] >> player & 1
    ]
    return random_of(view, requests, random) if requests else patient(view, random)


def bluffing(bluff: Strategy, rate: float) -> Strategy:
    """Return `patient`, but with another kind of request at some rate."""

    def strategy(view: View, random: Random) -> Question:
        return (bluff if random.random() < rate else patient)(view, random)

    return strategy


def switching(view: View, random: Random) -> Question:
    """Play `patient` up to 20 requests, then `exact`."""
    return (patient if len(view.events) < 20 else exact)(view, random)


OPPONENTS: dict[str, Strategy] = {
    "patient-plus": patient_like(plus=True),
    "own-bluffer": bluffing(own_card_request, 0.25),
    "hopeless-bluffer": bluffing(hopeless_request, 0.3),
}
"""Opponents of the kinds that the reader was designed for, by name."""

HELD_OUT: dict[str, Strategy] = {
    "patient-open": patient_like(shown=0.0, held=0.02, telling=0.0),
    "patient-hoarder": patient_like(shown=0.2, held=0.4, telling=0.2),
    "plus-hoarder": patient_like(shown=0.2, held=0.4, telling=0.0, plus=True),
    "own-bluffer-often": bluffing(own_card_request, 0.5),
    "random-bluffer": bluffing(random_request, 0.2),
    "switching": switching,
}
"""Opponents with other constants and habits, which were not used for tuning."""
