"""Strategies that count deals: the most likely card, and a patient builder of sets."""

from __future__ import annotations

from random import Random

from quaternity.game.question import Question
from quaternity.kwartet.chances import FEW_PLAYERS, OwnerWeights, owner_weights
from quaternity.kwartet.hands import NUMBERS
from quaternity.kwartet.public import next_with_cards
from quaternity.kwartet.strategies.students import located, one_of, random_request, request
from quaternity.kwartet.view import View
from solvers.filtering import closed

SHOWN = 0.05
"""What `patient` gives up not to show that it holds a set."""

HELD = 0.1
"""What a card already held of a set is worth to `patient`: it is at stake in the set anyway."""

TELLING = 0.1
"""What `patient` gives up to be refused by the next player, who learns the least from that."""


def exact(view: View, random: Random) -> Question:
    """Choose a sure card, else the request with the highest exact chance; equal ones by lot.

    Cost: a look at the owners when a card is located, else a count, 0.2 to 0.5 ms with four
    players. With many players and cards the chances are estimates, see `owner_weights`.
    """
    sure = located(view.public, view.seat, view.hand, whole=False)
    if not sure and len(view.public.hands) > FEW_PLAYERS:
        sure = _deduced(view)
    if not sure:
        sure = likeliest(view, owner_weights(view.problem))
    return one_of(view, sure, random) if sure else random_request(view, random)


def _deduced(view: View) -> list[tuple[int, int, int]]:
    """Return the cards it lacks of sets it holds that follow to be with one player."""
    sets, settings = closed(view.problem).sets, view.public.settings
    return [
        (index, number, sets[index].owners[number])
        for index, mask in enumerate(view.hand)
        if mask
        for number in NUMBERS[settings.full ^ mask]
        if (owners := sets[index].owners[number]).bit_count() == 1
        and not owners >> settings.players
    ]


def likeliest(view: View, weights: OwnerWeights) -> list[tuple[int, int, int]]:
    """Return the cards and owners, as (set, number, owner's bit), of the highest weight."""
    settings = view.public.settings
    highest: float = 0
    best: list[tuple[int, int, int]] = []
    for index, mask in enumerate(view.hand):
        if mask:
            rows = weights.owned[index]
            for number in NUMBERS[settings.full ^ mask]:
                for player, weight in enumerate(rows[number][: settings.players]):
                    if weight > highest:
                        highest = weight
                        best = []
                    if weight == highest and weight:
                        best.append((index, number, 1 << player))
    return best


def patient(view: View, random: Random) -> Question:
    """Build one set after another, and think of what a failure would hand on.

    What counts is the chance to get every card that is lacking of a set in one go, not the chance
    of the next card. A set that is sure as a whole is collected at once. Otherwise the *least*
    likely card of the chosen set comes first: a card gained in a set that then stays open only lies
    there for all to see and to take. So even sure cards wait. Among owners about equally likely it
    asks the player who is next on turn, who learns nothing about the card by refusing it. It
    prefers sets that it is known to hold already, since every first request for a set gives that
    away.

    Cost: a count per request, 0.2 to 0.5 ms with four players.
    """
    public, seat, hand = view.public, view.seat, view.hand
    weights = owner_weights(view.problem)
    players, full = public.settings.players, public.settings.full
    following = next_with_cards(public.hands, seat, players)
    best: tuple[float, float] | None = None
    chosen: Question | None = None
    for index, mask in enumerate(hand):
        if mask in (0, full):
            continue
        run, hardest = 1.0, (2.0, 0.0, 0, 0)
        for number in NUMBERS[full ^ mask]:
            chance, attraction, owner = _best_owner(
                [weight / weights.total for weight in weights.owned[index][number][:players]],
                following,
                random,
            )
            run *= chance
            hardest = min(hardest, (attraction, random.random(), number, owner))
        if not run:  # a card lies aside for certain
            continue
        if run == 1:
            value = 2.0
        else:
            value = run + HELD * mask.bit_count()
            if not public.problem.sets[index].low[seat]:
                value -= SHOWN
        if best is None or (value, hardest[1]) > best:
            best = value, hardest[1]
            chosen = request(seat, hardest[3], index, hardest[2])
    return random_request(view, random) if chosen is None else chosen


def _best_owner(chances: list[float], following: int, random: Random) -> tuple[float, float, int]:
    """Return whom to ask for a card: (chance, attraction, player)."""
    best = (-1.0, 0.0, 0.0, 0)
    for player, chance in enumerate(chances):
        attraction = chance + TELLING if player == following and 0 < chance < 1 else chance
        best = max(best, (attraction, random.random(), chance, player))
    return best[2], best[0], best[3]
