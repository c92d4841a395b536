"""What the known strategies would have asked, with whatever the asker may hold.

A set is worth a *value* to an asker who holds some of its cards, and each strategy asks in the set
of the highest value. What it then asks for has a *share*. Both are worked out from what everybody
knows and from the asker's cards of that set; his other cards are left out of account.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quaternity.kwartet.strategies import counting
from quaternity.kwartet.strategies.reader.assignments import HOLDS, MASKS, Assignments, Floats

HELD = 0.2
"""What a card already held of a set is worth to a reader: more than to `patient`."""

SHOWN = 0.05
"""What it gives up not to show that it holds a set."""

TELLING = 0.03
"""What it gives up to be refused by the next player: less than `patient`, as it knows more."""

_HELD = np.array([counting.HELD, counting.HELD, HELD])[:, None, None]
_SHOWN = np.array([counting.SHOWN, counting.SHOWN, SHOWN])[:, None, None]
_TELLING = np.array([counting.TELLING, counting.TELLING, TELLING])[:, None, None, None]
"""Of `patient`, of `patient` that takes nobody to hold what he asked for in vain, of a reader."""

NEVER = -9.0
"""The value of a set in which nothing is to be asked for."""

COMPLETES = 1.5
"""The value of a set that is sure as a whole."""

SHARP = 0.015
"""Differences of chances that a strategy may overlook: what is left out of account is about so
much."""

_CARDS = HOLDS.sum(axis=1).astype(float)


class Asking(NamedTuple):
    """How likely a request was by each strategy.

    Attributes:
        value: `[strategy, set, mask]`.
        share: `[strategy, mask]`: what is asked for in the asked set.
    """

    value: Floats
    share: Floats


def chances_by_holding(table: Assignments, weights: Floats, asker: int) -> Floats:
    """`[..., mask, card, owner]`: an asker's chances by what he holds of the set."""
    sums = table.by_holding(weights, asker)
    whole = sums[..., :1, :].sum(axis=-1, keepdims=True)
    chances: Floats = np.divide(sums, whole, out=np.zeros_like(sums), where=whole > 0)
    return chances


def patients(
    chances: Floats, asker: int, following: int, shown: Floats, place: int, card: int, asked: int
) -> Asking:
    """As `patient` asks, by three kinds of chances.

    Args:
        chances: `[strategy, set, mask, card, owner]`: as counted, as counted if nobody holds what
            he asked for in vain, and as read by everybody.
        following: who is next on turn.
        shown: per set, 1.0 where it is known that the asker holds some of it.
        place: the row of the asked set.
    """
    attraction = chances.copy()
    attraction[..., asker] = 0
    open_ = (attraction > 1e-9) & (attraction < 1 - 1e-9)
    attraction[..., following] += _TELLING * open_[..., following]
    owner = attraction.argmax(axis=-1)[..., None]
    best = np.where(HOLDS, 1.0, np.take_along_axis(chances, owner, -1)[..., 0])
    run = best.prod(axis=-1)
    value = run + _HELD * _CARDS - _SHOWN * (1 - shown[:, None])
    value = np.where(run > 1 - 1e-9, COMPLETES, value)
    value[..., [0, MASKS - 1]] = NEVER
    here = attraction[:, place]
    most = np.where(HOLDS, np.inf, here.max(axis=-1))
    least = np.minimum(most.min(axis=-1, keepdims=True), 9.0)
    likely = np.exp((least - most) / SHARP)
    among = np.exp((here - here.max(axis=-1, keepdims=True)) / SHARP)
    among[..., asker] = 0
    return Asking(value, _shares(likely, among[:, :, card], card, asked))


def _shares(likely: Floats, among: Floats, card: int, asked: int) -> Floats:
    """The share of a card and owner: `likely` is over cards, `among` over owners."""
    whole = likely.sum(axis=-1) * among.sum(axis=-1)
    share: Floats = likely[..., card] * among[..., asked] / np.maximum(whole, 1e-300)
    share[..., 0] = 0
    return share


def exacts(chances: Floats, asker: int, place: int, card: int, asked: int) -> Asking:
    """As `exact` asks: the likeliest card of all. Arguments as for `patients`."""
    others = chances * ~HOLDS[:, :, None]
    others[..., asker] = 0
    value = others.max(axis=(-2, -1))
    here = others[:, place]
    likely: Floats = np.exp((here - value[:, place, :, None, None]) / SHARP)
    likely *= ~HOLDS[:, :, None]
    likely[..., asker] = 0
    share = likely[..., card, asked] / np.maximum(likely.sum(axis=(-2, -1)), 1e-300)
    share[..., 0] = 0
    value[..., [0, MASKS - 1]] = NEVER
    return Asking(value, share)


__all__ = [
    "HELD",
    "SHARP",
    "SHOWN",
    "TELLING",
    "Asking",
    "chances_by_holding",
    "exacts",
    "patients",
]
