"""How CP-SAT is run here: the strong linear relaxation, and what `Best` says of seed and time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from solvers.interruptible import searched

if TYPE_CHECKING:
    from typing import Any

    from ortools.sat.python import cp_model

    from quaternity.ternary.best import Best


def search(
    model: cp_model.CpModel,
    best: Best[Any],
    seconds: float,
    unanswered: Callable[[], str],
    **others: Any,
) -> cp_model.CpSolver | None:
    """`solvers.interruptible.searched` with the parameters that suit triples of cards.

    Args:
        best: has the time limit and the generator, if any.
        seconds: the time limit otherwise.
        unanswered, others: as there.

    Raises as there.
    """
    if best.random is not None:
        others |= {"randomize_search": True, "seed": best.random.randrange(2**31)}
    return searched(model, best.seconds_left(seconds), unanswered, linearization_level=2, **others)


__all__ = ["search"]
