"""Deal problems that use the information of only some of the requests of a game.

Each selection of requests defines a deal problem. All requests together define the public
knowledge. Without requests, the problem contains only the sizes of the hands and the sets that were
put down. If a successful request is left out, the owner of its card is less certain.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from quaternity.game.transition import out_of_play
from quaternity.kwartet.public import Event, PublicState, after_request, exclude_full_set
from solvers.problem import DealProblem, SetConstraint, with_entry


def stated_by(
    start: PublicState, events: Sequence[Event], selected: Collection[int]
) -> DealProblem:
    """Return a deal problem with what the selected requests reveal about the present hands.

    `start` is the public state right after the deal. `selected` contains the indices of the
    selected events. If all events are selected, the problem allows exactly the deals that are
    possible for an observer who sees no hand. With fewer events, it may allow more deals.
    """
    settings, size = start.settings, start.settings.set_size
    maximum = size - 1 if settings.at_once else size
    hands = list(start.hands)
    sets = list(start.problem.sets)
    removed = [owner is not None for owner in start.removed]
    for number, event in enumerate(events):
        asker, asked, (index, card) = event.question
        if event.answer:
            hands[asker] += 1
            hands[asked] -= 1
        if number in selected:
            sets[index] = after_request(settings, sets[index], event.question, bool(event.answer))
            if not settings.at_once:
                sets = [exclude_full_set(i, asker) for i in sets]
        elif event.answer:
            owners, low, high = sets[index]
            sets[index] = SetConstraint.unchecked(
                with_entry(owners, card, owners[card] | 1 << asker),
                with_entry(low, asked, max(0, low[asked] - 1)),
                with_entry(high, asker, min(high[asker] + 1, maximum)),
            )
        for complete in event.announced:
            hands[asker] -= size
            removed[complete] = True
    remaining = [
        out_of_play(settings.hands) if gone else constraint
        for constraint, gone in zip(sets, removed, strict=True)
    ]
    return DealProblem.unchecked(tuple(hands), tuple(remaining))
