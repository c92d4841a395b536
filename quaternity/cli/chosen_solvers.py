"""The solvers that a command runs, their limits, and what becomes of a state that trips one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.cli.terminal import warn
from quaternity.game.saved_states import save_finding
from quaternity.workers.apart import Limits, apart
from solvers import Solver, all_solvers, find_solver
from solvers.registry import VARIANTS
from solvers.rivals import installed

SolverNames = Annotated[
    str,
    typer.Option(
        "--solvers",
        metavar="NAME,NAME,...",
        help="Names, or all: ours and registered ones; rivals: those that are installed (see "
        "quaternity solvers); installed: both. A single solver is checked by its evidence alone.",
    ),
]


Limit = Annotated[
    float,
    typer.Option(help="Seconds by the clock for an answer of a solver from elsewhere: a rival, or "
                 "one of another package. It runs in a process of its own."),
]  # fmt: skip
Memory = Annotated[
    int, typer.Option(min=64, max=1 << 20, help="Megabytes that a solver from elsewhere may take.")
]
SECONDS, MEMORY = 10.0, 4096
"""What a solver from elsewhere has for an answer, if nothing else is said."""

MAX_LIMIT_SECONDS = 1_000_000
PATIENCE = 3
"""Number of consecutive timeouts after which a solver is skipped, unless its times are wanted."""


def check_seconds(name: str, seconds: float) -> None:
    """Raise `InputError` for a limit that is not above 0 and at most `MAX_LIMIT_SECONDS`."""
    if not 0 < seconds <= MAX_LIMIT_SECONDS:
        raise InputError(
            f"{name}: {seconds:g} is not a positive number of seconds up to {MAX_LIMIT_SECONDS}"
        )


def guarded(
    solvers: Iterable[Solver], seconds: float, memory: int, patience: int | None = PATIENCE
) -> list[Solver]:
    """Put solvers from elsewhere into processes of their own under `Limits`."""
    limits = Limits(seconds, memory, patience)
    return [apart(solver, limits) if solver.apart else solver for solver in solvers]


def chosen_solvers(names: str) -> list[Solver]:
    """Return the solvers of a list of names.

    Raises `InputError` if a name is unknown (lists the known) or given twice, or there is none.
    """
    # Only a group that is named looks for what other packages bring.
    groups = {
        "all": all_solvers,
        "rivals": installed,
        "variants": VARIANTS.copy,
        "installed": _installed_and_ours,
    }
    chosen: list[Solver] = []
    for name in map(str.strip, names.split(",")):
        if name in groups:
            chosen += groups[name]().values()
        elif name:
            chosen.append(find_solver(name))
    if not chosen:
        raise InputError(f"solvers: none named; known are {', '.join(all_solvers())}")
    counts = Counter(solver.name for solver in chosen)
    twice = sorted(name for name, count in counts.items() if count > 1)
    if twice:
        raise InputError(f"solvers: {', '.join(twice)} named twice")
    return chosen


def _installed_and_ours() -> dict[str, Solver]:
    return {**all_solvers(), **installed()}


def saved_or_shown(directory: str, text: str) -> str | None:
    """Save the text of a state file and return its name; where that fails, show the text."""
    try:
        return save_finding(directory, text)
    except InputError as error:
        warn(f"{error}; the state is\n{text}")
        return None
