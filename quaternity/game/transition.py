"""What a question and its answers say about one set: the rules as changes to a `SetConstraint`."""

from __future__ import annotations

from quaternity.game.question import Answer
from solvers.problem import SetConstraint


def _with_card(constraint: SetConstraint, card: int, mask: int) -> tuple[int, ...]:
    return (*constraint.owners[:card], mask, *constraint.owners[card + 1 :])


def _raised(low: tuple[int, ...], player: int, least: int) -> tuple[int, ...]:
    if low[player] >= least:
        return low
    return (*low[:player], least, *low[player + 1 :])


def asking(constraint: SetConstraint, asker: int, card: int) -> SetConstraint:
    """What the asker states by asking: not the owner of the card, but of one of its set."""
    return SetConstraint.trusted(
        _with_card(constraint, card, constraint.owners[card] & ~(1 << asker)),
        _raised(constraint.low, asker, 1),
        constraint.high,
    )


def claimed(
    constraint: SetConstraint, asker: int, asked: int, card: int, answer: Answer | bool
) -> SetConstraint:
    """What question and answer say together about the cards before any card moves."""
    mask = constraint.owners[card] & ~(1 << asker)
    mask &= 1 << asked if answer else ~(1 << asked)
    return SetConstraint.trusted(
        _with_card(constraint, card, mask), _raised(constraint.low, asker, 1), constraint.high
    )


def answered(
    constraint: SetConstraint, asker: int, asked: int, card: int, answer: Answer | bool
) -> SetConstraint:
    """The constraint after question and answer, the card handed over after a yes.

    A deal satisfies it after the card moved iff the deal before satisfied `claimed`. Upper bounds
    that never matter (the set's size) stay as they are; others follow the card.
    """
    if not answer:
        return claimed(constraint, asker, asked, card, answer)
    size = len(constraint.owners)
    low = list(constraint.low)
    low[asker] = max(1, low[asker]) + 1
    low[asked] = max(0, low[asked] - 1)
    high = constraint.high
    if high[asker] < size or high[asked] < size:
        bounds = list(high)
        bounds[asker] = min(size, bounds[asker] + 1)
        if bounds[asked] < size:
            bounds[asked] -= 1
        high = tuple(bounds)
    # A card that the asked cannot have had can be with nobody.
    mask = 1 << asker if constraint.owners[card] >> asked & 1 else 0
    return SetConstraint.trusted(_with_card(constraint, card, mask), tuple(low), high)


__all__ = ["answered", "asking", "claimed"]
