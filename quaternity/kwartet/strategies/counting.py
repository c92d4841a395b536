"""Kwartet strategies that count possible deals.

`exact` asks for the likeliest card, and `patient` collects one set after another.
"""

from __future__ import annotations

from random import Random

from quaternity.game.question import Question
from quaternity.kwartet.chances import FEW_PLAYERS, OwnerWeights, owner_weights
from quaternity.kwartet.hands import NUMBERS_IN_MASK
from quaternity.kwartet.public import next_with_cards
from quaternity.kwartet.strategies.published import locate_cards, random_of, random_request, request
from quaternity.kwartet.view import View
from solvers.filtering import filter_problem

REVEAL_COST = 0.05
"""Amount by which the strategy `patient` lowers the value of asking for a set. It does so if no
opponent knows yet that the player holds a card of the set."""

HELD_CARD_VALUE = 0.1
"""Amount by which the strategy `patient` raises the value of asking for a set, for each card of the
set in its hand. It would lose these cards if another player completed the set."""

NEXT_PLAYER_BONUS = 0.1
"""Amount that the strategy `patient` adds to the probability that the next player has a card,
unless the probability is 0 or 1. The next player is a good choice, because a player who answers no
learns nothing new about the requested card."""


def exact(view: View, random: Random) -> Question:
    """Return a request for a card whose owner is certain, or else one that most likely succeeds.

    Ties are broken at random. With many players and cards, the probabilities are estimates (see
    `owner_weights`).
    """
    certain = locate_cards(view.public, view.seat, view.hand, whole=False)
    if not certain and len(view.public.hands) > FEW_PLAYERS:
        certain = _deduce_cards(view)
    if not certain:
        certain = likeliest(view, owner_weights(view.problem))
    return random_of(view, certain, random) if certain else random_request(view, random)


def _deduce_cards(view: View) -> list[tuple[int, int, int]]:
    sets, settings = filter_problem(view.problem).sets, view.public.settings
    return [
        (index, number, sets[index].owners[number])
        for index, mask in enumerate(view.hand)
        if mask
        for number in NUMBERS_IN_MASK[settings.full ^ mask]
        if (owners := sets[index].owners[number]).bit_count() == 1
        and not owners >> settings.players
    ]


def likeliest(view: View, weights: OwnerWeights) -> list[tuple[int, int, int]]:
    """Return all requests with the highest chance of success, for cards that the player lacks.

    A request is a tuple: the set, the number of the card in it, and the asked player p as the bit
    mask 1 << p. `weights` is the result of `owner_weights`.
    """
    settings = view.public.settings
    highest: float = 0
    best: list[tuple[int, int, int]] = []
    for index, mask in enumerate(view.hand):
        if mask:
            rows = weights.owned[index]
            for number in NUMBERS_IN_MASK[settings.full ^ mask]:
                for player, weight in enumerate(rows[number][: settings.players]):
                    if weight > highest:
                        highest = weight
                        best = []
                    if weight == highest and weight:
                        best.append((index, number, 1 << player))
    return best


def patient(view: View, random: Random) -> Question:
    """Return a request that helps to collect one set after another.

    The value of a set is the probability that the player gets all cards that the hand lacks in one
    go. If all of these cards have certain owners, they are collected at once. Otherwise `patient`
    asks for the *least* likely card of the set with the highest value. Cards with certain owners
    also wait, because other players would see a card gained in an incomplete set, and take it.

    Among owners with about equal probabilities, `patient` asks the player whose turn comes next.
    A player who answers no learns nothing about the card. `patient` prefers sets in which others
    already know that it holds a card. The first request for another set would reveal this.

    For each request, the deals are counted once, which takes 0.2 to 0.5 ms with four players.
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
        for number in NUMBERS_IN_MASK[full ^ mask]:
            chance, attraction, owner = _best_owner(
                [weight / weights.total for weight in weights.owned[index][number][:players]],
                following,
                random,
            )
            run *= chance
            hardest = min(hardest, (attraction, random.random(), number, owner))
        if not run:  # A missing card is certainly set aside.
            continue
        if run == 1:
            value = 2.0
        else:
            value = run + HELD_CARD_VALUE * mask.bit_count()
            if not public.problem.sets[index].low[seat]:
                value -= REVEAL_COST
        if best is None or (value, hardest[1]) > best:
            best = value, hardest[1]
            chosen = request(seat, hardest[3], index, hardest[2])
    return random_request(view, random) if chosen is None else chosen


def _best_owner(chances: list[float], following: int, random: Random) -> tuple[float, float, int]:
    """Return the best player to ask for a card, as a tuple (probability, attraction, player).

    `chances` contains the probability that each player has the card. The attraction of a player is
    this probability, plus `NEXT_PLAYER_BONUS` for the player `following`, whose turn comes next. No
    bonus is added to a probability of 0 or 1.
    """
    best = (-1.0, 0.0, 0.0, 0)
    for player, chance in enumerate(chances):
        attraction = (
            chance + NEXT_PLAYER_BONUS if player == following and 0 < chance < 1 else chance
        )
        best = max(best, (attraction, random.random(), chance, player))
    return best[2], best[0], best[3]
