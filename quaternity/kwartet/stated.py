"""What some of the requests of a game state, whatever the others state.

How many cards everybody has, and which sets lie on the table, is seen without any request. A
request that is left out is left out with all that it did: of a success that leaves a doubt, its
card may have gone to the asker or not. So every choice of requests states a deal problem, all of
them together the public record, and none at all what follows from the rules alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from quaternity.game.transition import out_of_play
from quaternity.kwartet.public import Event, PublicState
from quaternity.kwartet.settings import SET_SIZE
from solvers.problem import DealProblem, SetConstraint


def stated_by(start: PublicState, events: Sequence[Event], chosen: Collection[int]) -> DealProblem:
    """What some requests state about the cards as they lie after all of them.

    Args:
        start: what was public right after the deal.
        events: all requests.
        chosen: indices of those that count. With all of them the deals are those of the record;
            with fewer there are more deals, never others.

    Cost: requests + cards.
    """
    settings, players = start.settings, start.settings.players
    most = SET_SIZE - 1 if settings.at_once else SET_SIZE
    hands = list(start.hands)
    owners = [list(one.owners) for one in start.problem.sets]
    low = [list(one.low) for one in start.problem.sets]
    high = [list(one.high) for one in start.problem.sets]
    removed = [owner is not None for owner in start.removed]
    for number, event in enumerate(events):
        asker, asked, (index, card) = event.question
        known, least, places = number in chosen, low[index], owners[index]
        if event.answer:
            hands[asker] += 1
            hands[asked] -= 1
            least[asked] = max(0, least[asked] - 1)
            high[index][asker] = min(high[index][asker] + 1, SET_SIZE - 1 if known else most)
            if known:
                places[card] = 1 << asker
                least[asker] = max(2, least[asker] + 1)
                high[index][asked] -= 1
            else:
                places[card] |= 1 << asker
        elif known:
            places[card] &= ~(1 << asked)
            if not settings.own_card_requests:
                places[card] &= ~(1 << asker)
            least[asker] = max(1, least[asker])
        for one in event.announced:
            hands[asker] -= SET_SIZE
            removed[one] = True
        if known and not settings.at_once:
            for bounds in high:
                bounds[asker] = min(bounds[asker], SET_SIZE - 1)
    sets = tuple(
        out_of_play(players)
        if gone
        else SetConstraint.trusted(tuple(masks), tuple(fewest), tuple(bounds))
        for masks, fewest, bounds, gone in zip(owners, low, high, removed, strict=True)
    )
    return DealProblem.trusted(tuple(hands), sets)
