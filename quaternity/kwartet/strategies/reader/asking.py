"""What the known strategies would have asked, with whatever the asker may hold.

A set is worth a *value* to an asker who holds some of its cards, and each strategy asks in the set
of the highest value. What it then asks for has a *share*. Both are worked out from what everybody
knows and from the asker's cards of that set; their other cards are left out of account.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quaternity.kwartet.settings import SET_SIZE
from quaternity.kwartet.strategies import counting
from quaternity.kwartet.strategies.reader.holdings import (
    COUNT,
    MASKS,
    Floats,
    others,
    parts_of,
    without,
)

HELD = 0.2
"""What a card already held of a set is worth to a reader: more than to `patient`."""

SHOWN = 0.05
"""What it gives up not to show that it holds a set."""

TELLING = 0.03
"""What it gives up to be refused by the next player: less than `patient`, as it knows more."""

_HELD = np.array([counting.HELD, counting.HELD, HELD])[:, None]
_SHOWN = np.array([counting.SHOWN, counting.SHOWN, SHOWN])[:, None]
_TELLING = np.array([counting.TELLING, counting.TELLING, TELLING])[:, None]
"""Of `patient`, of `patient` that takes nobody to hold what they asked for in vain, of a reader."""

NEVER = -9.0
"""The value of a set in which nothing is to be asked for."""

COMPLETES = 1.5
"""The value of a set that is sure as a whole."""

SHARP = 0.015
"""Differences of chances that a strategy may overlook: what is left out of account is about so
much."""

_CARD = np.arange(SET_SIZE)[:, None]
_OTHER = parts_of(range(MASKS // 2))
_LACKS = np.array(
    [
        [mask % (1 << card) | (mask >> card << card + 1) | 1 << card for mask in range(MASKS // 2)]
        for card in range(SET_SIZE)
    ]
)
"""`[card, case]`: all that an asker may lack together with a card, ascending."""

_PARTS, _RESTS = _LACKS[:, _OTHER[0]], _LACKS[:, _OTHER[1]] & ~(1 << _CARD)
"""`[card, way]`: how that is split into what one other player has, the card included, and the rest
have."""


class Asking(NamedTuple):
    """How likely each strategy made a request: `value[strategy, set, mask]`.

    `share[strategy, mask]` is what is asked for in the asked set.
    """

    value: Floats
    share: Floats


def chances_by_lack(weights: Floats, asker: int) -> tuple[Floats, Floats]:
    """Return chances of who has what an asker lacks, by all that they lack, and of what they hold.

    From `weights[holding, player, ..., set]` to `[card, case, owner, ..., set]`, the cases as in
    `_LACKS`, and `[holding, ..., set]`.
    """
    opponents = without(weights, asker)
    without_each = others(opponents)
    products = opponents.take(_PARTS, axis=0)
    products *= without_each.take(_RESTS, axis=0)
    sums = (_OTHER[2] @ products.reshape(*_PARTS.shape, -1)).reshape(
        *_LACKS.shape, *opponents.shape[1:]
    )
    whole = without_each[_LACKS, asker][:, :, None]
    chances: Floats = np.divide(sums, whole, out=np.zeros_like(sums), where=whole > 0)
    held = weights[:, asker] * without_each[::-1, asker]
    return chances, held / held.sum(axis=0)


def _over_cards(values: Floats, fill: float) -> Floats:
    """Values `[card, case, ...]` as `[mask, card, ...]`, by the mask that is held, filled up."""
    table = np.full((MASKS, SET_SIZE, *values.shape[2:]), fill)
    table[MASKS - 1 - _LACKS, _CARD] = values
    return table


def patients(
    chances: Floats, asker: int, following: int, shown: Floats, place: int, card: int, asked: int
) -> Asking:
    """Ask as `patient` does, by three kinds of chances.

    Args:
        chances: `[card, case, owner, strategy, set]`, see `chances_by_lack`: as counted, as counted
            if nobody holds what they asked for in vain, and as read by everybody.
        following: who is next on turn.
        shown: per set, 1.0 where it is known that the asker holds some of it.
        place: the row of the asked set.
    """
    attraction, bare = chances.copy(), chances[:, :, following]
    attraction[:, :, following] += _TELLING * ((bare > 1e-9) & (bare < 1 - 1e-9))
    most = attraction.max(axis=2)
    best = np.where(attraction[:, :, following] == most, bare, most)
    run = _over_cards(best, 1.0).prod(axis=1)
    value = run + _HELD * COUNT[:, None, None] - _SHOWN * (1 - shown)
    value = np.where(run > 1 - 1e-9, COMPLETES, value)
    value[[0, MASKS - 1]] = NEVER
    here = _over_cards(most[..., place], np.inf)
    least = np.minimum(here.min(axis=1, keepdims=True), 9.0)
    likely = np.exp((least - here) / SHARP)
    among = np.exp((attraction[card, ..., place] - most[card, :, None, :, place]) / SHARP)
    among[:, asker] = 0
    lacking = MASKS - 1 - _LACKS[card]
    share = likely[lacking, card] * among[:, asked]
    share /= likely[lacking].sum(axis=1) * among.sum(axis=1)
    return Asking(value.transpose(1, 2, 0), _by_mask(share, card))


def exacts(chances: Floats, asker: int, place: int, card: int, asked: int) -> Asking:
    """As `exact` asks: the likeliest card of all. `[card, case, owner, set]`, as for `patients`."""
    value = _over_cards(chances.max(axis=2), 0.0).max(axis=1)
    likely = np.exp((chances[..., place] - value[MASKS - 1 - _LACKS, None, place]) / SHARP)
    likely[:, :, asker] = 0
    whole = _over_cards(likely.sum(axis=2), 0.0).sum(axis=1)[MASKS - 1 - _LACKS[card]]
    share = likely[card, :, asked] / np.maximum(whole, 1e-300)
    value[[0, MASKS - 1]] = NEVER
    return Asking(value.T[None], _by_mask(share[:, None], card))


def _by_mask(share: Floats, card: int) -> Floats:
    """Shares `[case, strategy]` as `[strategy, mask]`: whoever has the card, or none, asks not."""
    by_mask = np.zeros((share.shape[1], MASKS))
    by_mask[:, MASKS - 1 - _LACKS[card]] = share.T
    by_mask[:, 0] = 0
    return by_mask
