"""Options that select and limit solvers, and a function that saves states on which solvers fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.cli.terminal import warn
from quaternity.game.saved_states import save_finding
from quaternity.workers.isolated_solvers import Limits, isolate
from solvers import Solver, all_solvers, find_solver
from solvers.registry import VARIANTS
from solvers.rivals import installed_solvers

SolverNames = Annotated[
    str,
    typer.Option(
        "--solvers",
        metavar="NAME,NAME,...",
        help="Comma-separated names of solvers, or all (built-in and registered solvers), rivals "
        "(installed external solvers, see quaternity solvers) or installed (both). If only one "
        "solver is named, its verdicts are checked by their evidence alone.",
    ),
]


Limit = Annotated[
    float,
    typer.Option(metavar="SECONDS",
                 help="Time limit per answer of an external solver, in wall-clock seconds. "
                 "An external solver (a rival, see 'quaternity solvers', or a solver from "
                 "another package) runs in a separate process."),
]  # fmt: skip
Memory = Annotated[
    int,
    typer.Option(
        metavar="MB", min=64, max=1 << 20, help="Memory limit of an external solver, in MB."
    ),
]
SECONDS, MEMORY = 10.0, 4096
"""Default limits of an external solver: seconds for each answer, and memory in megabytes."""

MAX_LIMIT_SECONDS = 1_000_000
PATIENCE = 3
"""Number of consecutive timeouts after which an external solver is no longer run. The limit does
not apply if the times of solvers are measured."""


def check_seconds(name: str, seconds: float) -> None:
    """Raise `InputError` unless a limit is above 0 and at most `MAX_LIMIT_SECONDS`."""
    if not 0 < seconds <= MAX_LIMIT_SECONDS:
        raise InputError(
            f"{name}: must be a number of seconds > 0 and <= {MAX_LIMIT_SECONDS}, not {seconds:g}"
        )


def isolate_solvers(
    solvers: Iterable[Solver], seconds: float, memory: int, patience: int | None = PATIENCE
) -> list[Solver]:
    """Wrap external solvers so that each runs in a separate process with limits."""
    limits = Limits(seconds, memory, patience)
    return [isolate(solver, limits) if solver.isolated else solver for solver in solvers]


def select_solvers(names: str) -> list[Solver]:
    """Return the solvers that a comma-separated list names.

    Raise `InputError` if a name is unknown or repeated, or if the list is empty.
    """
    # Call these functions only if their group is named, because some of them search other packages.
    groups = {
        "all": all_solvers,
        "rivals": installed_solvers,
        "variants": VARIANTS.copy,
        "installed": _all_installed,
    }
    solvers: list[Solver] = []
    for name in map(str.strip, names.split(",")):
        if name in groups:
            solvers += groups[name]().values()
        elif name:
            solvers.append(find_solver(name))
    if not solvers:
        raise InputError(f"solvers: no solver named; choose from {', '.join(all_solvers())}")
    counts = Counter(solver.name for solver in solvers)
    twice = sorted(name for name, count in counts.items() if count > 1)
    if twice:
        raise InputError(f"solvers: {', '.join(twice)}: name each solver only once")
    return solvers


def _all_installed() -> dict[str, Solver]:
    return {**all_solvers(), **installed_solvers()}


def save_or_print(directory: str, text: str) -> str | None:
    """Save the text of a state file and return its path, or print the text if saving fails."""
    try:
        return save_finding(directory, text)
    except InputError as error:
        warn(f"{error}; the state is\n{text}")
        return None
