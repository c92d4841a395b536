"""From weights of each set by itself to chances, given how many cards everybody holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quaternity.kwartet.settings import SET_SIZE
from quaternity.kwartet.strategies.reader.assignments import Assignments, Floats

STEPS = 8
CLOSE = 3e-3
"""Newton's method ends when every hand is met so closely, in cards, or after so many steps."""

SPAN = 18
"""Numbers of a player's cards that are told apart, modulo this."""

MOST_UNKNOWN = 3
"""Most hands that may be open besides the one that follows from the others."""

TINY = 1e-9
"""A probability below this is lost in the transform's rounding."""

LONGEST = 3.0
"""The longest step, in logarithms of a player's factor."""

MOST = 25.0
"""The largest logarithm: hands that the weights can meet in the limit only have no others."""


def tilted(
    table: Assignments, weights: Floats, hands: Sequence[int], factors: Floats
) -> tuple[Floats, Floats]:
    """The chances `[..., set, assignment]` that meet the hand sizes in the mean, and their factors.

    Every player gets a factor by which a weight is multiplied once per card he has in the
    assignment; of all tables that meet the hands this one is nearest to the weights (relative
    entropy). Found by Newton's method. Cost: a few passes over the weights.

    Args:
        weights: `[..., set, assignment]` of the sets in play; every row has one above 0.
        hands: cards per player.
        factors: logarithms `[..., player]` to start from.
    """
    players, target = table.players, np.array(hands, float)
    # All factors together change nothing: that direction is taken out.
    regular = 1.0 / players + 1e-6 * np.eye(players)
    chances = np.empty_like(weights)
    for _ in range(STEPS):
        np.multiply(weights, np.exp(factors @ table.count.T)[..., None, :], out=chances)
        expected = chances @ table.count
        whole = expected.sum(axis=-1, keepdims=True) / SET_SIZE
        expected /= whole
        excess = expected.sum(axis=-2) - target
        if np.abs(excess).max() < CLOSE:
            break
        mean = (1 / whole).swapaxes(-1, -2) @ chances
        products = (mean @ table.pairs).reshape((*factors.shape, players))
        spread = products - expected.swapaxes(-1, -2) @ expected
        step = np.linalg.solve(spread + regular, excess[..., None])[..., 0]
        factors = factors - np.clip(step, -LONGEST, LONGEST)
        factors = np.clip(factors - factors.mean(axis=-1, keepdims=True), -MOST, MOST)
    chances /= whole
    return chances, factors


def coupled(table: Assignments, chances: Floats, hands: Sequence[int], seat: int | None) -> Floats:
    """The chances `[set, assignment]` given that every hand is met, of chances that meet the means.

    A set's weights are a polynomial with an unknown per player, whose exponent is the number of
    cards; what the other sets leave is a coefficient of the product of theirs, which a Fourier
    transform finds. It wraps around after `SPAN` cards, many standard deviations from the hand.
    With more than `MOST_UNKNOWN` unknowns the chances come back as they are.
    Cost: about 1 ms for four players and 13 sets, 5 ms for five.

    Args:
        chances: from `tilted`.
        seat: who sees his own hand; None for nobody.
    """
    # One hand follows from the others, and a hand that is seen meets itself.
    unknown = [player for player, hand in enumerate(hands) if hand and player != seat][1:]
    if not unknown or len(unknown) > MOST_UNKNOWN:
        return chances
    may = chances > 0
    counts = [table.count[:, player] for player in unknown]
    span = [min(SPAN, 1 + int(np.where(may, count, 0).max(axis=1).sum())) for count in counts]
    place = np.zeros(chances.shape[1], int)
    left = np.zeros(chances.shape[1], int)
    for player, count, size in zip(unknown, counts, span, strict=True):
        held = count.astype(int)
        place = place * size + held % size
        left = left * size + (hands[player] - held) % size
    size = int(np.prod(span))
    polynomials = np.stack([np.bincount(place, row, size) for row in chances])
    axes = tuple(range(1, len(span) + 1))
    values = np.fft.fftn(polynomials.reshape(-1, *span), axes=axes)
    others = np.ones_like(values)
    np.cumprod(values[:-1], axis=0, out=others[1:])
    others[:-1] *= np.cumprod(values[:0:-1], axis=0)[::-1]
    rest = np.fft.ifftn(others, axes=axes).real.reshape(len(chances), size)
    joint = chances * np.maximum(rest[:, left], 0.0)
    whole = joint.sum(axis=1, keepdims=True)
    if not (whole > TINY).all():
        return chances
    return np.asarray(joint / whole)


__all__ = ["coupled", "tilted"]
