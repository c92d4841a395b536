"""What some of the requests of a game state, whatever the others state.

How many cards everybody has, and which sets lie on the table, is seen without any request. A
request that is left out is left out with all that it did: of a success that leaves a doubt, its
card may have gone to the asker or not. So every choice of requests states a deal problem, all of
them together the public record, and none at all what follows from the rules alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from quaternity.game.transition import out_of_play
from quaternity.kwartet.public import Event, PublicState, never_full, request_stated
from solvers.problem import DealProblem, SetConstraint, with_entry


def stated_by(start: PublicState, events: Sequence[Event], chosen: Collection[int]) -> DealProblem:
    """Return what some requests state about the cards as they lie after all of them.

    `chosen` are indices of the events that count. With all of them the deals are those of the
    record; with fewer there are more deals, never others.
    """
    settings, size = start.settings, start.settings.set_size
    most = size - 1 if settings.at_once else size
    hands = list(start.hands)
    sets = list(start.problem.sets)
    removed = [owner is not None for owner in start.removed]
    for number, event in enumerate(events):
        asker, asked, (index, card) = event.question
        if event.answer:
            hands[asker] += 1
            hands[asked] -= 1
        if number in chosen:
            sets[index] = request_stated(settings, sets[index], event.question, bool(event.answer))
            if not settings.at_once:
                sets = [never_full(i, asker) for i in sets]
        elif event.answer:
            owners, low, high = sets[index]
            sets[index] = SetConstraint.trusted(
                with_entry(owners, card, owners[card] | 1 << asker),
                with_entry(low, asked, max(0, low[asked] - 1)),
                with_entry(high, asker, min(high[asker] + 1, most)),
            )
        for complete in event.announced:
            hands[asker] -= size
            removed[complete] = True
    remaining = [
        out_of_play(settings.hands) if gone else constraint
        for constraint, gone in zip(sets, removed, strict=True)
    ]
    return DealProblem.trusted(tuple(hands), tuple(remaining))
