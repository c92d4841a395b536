"""`--solvers NAME,NAME,...`: which solvers a command runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.errors import InputError

if TYPE_CHECKING:
    from solvers import Solver

SolverNames = Annotated[
    str,
    typer.Option(
        "--solvers",
        metavar="NAME,NAME,...",
        help="Which solvers, or all: those of other packages too. One alone is held against the "
        "evidence only.",
    ),
]


def chosen_solvers(names: str) -> list[Solver]:
    """The solvers of a list of names.

    Raises:
        InputError: unknown (lists the known), named twice, or none.
    """
    from solvers import all_solvers, find_solver

    if names.strip() == "all":
        return list(all_solvers().values())
    chosen = [find_solver(name.strip()) for name in names.split(",") if name.strip()]
    if not chosen:
        raise InputError(f"solvers: none named; known are {', '.join(all_solvers())}")
    found = [solver.name for solver in chosen]
    twice = sorted({name for name in found if found.count(name) > 1})
    if twice:
        raise InputError(f"solvers: {', '.join(twice)} named twice")
    return chosen


__all__ = ["SolverNames", "chosen_solvers"]
