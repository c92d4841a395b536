"""The registry of solvers: the built-in ones, and those of other distributions.

A solver is an exact function from a `DealProblem` to a `Verdict`. It may raise `LimitError` if it
gives up, and no other error. Another distribution registers a solver through an entry point in the
group `quaternity.solvers`: the name of the entry point is the name of the solver, and its object is
such a function or a `Solver`. All commands and the conformance tests then find it by this name. A
solver that is not registered can be named as `package.module:name`.
"""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from types import ModuleType
from typing import Any

from quaternity.base.errors import InputError, SolverFault
from quaternity.base.plain_values import checked_seconds, iterated, takes
from quaternity.base.plugins import PLACE, Plugins, load_place, load_plugins
from quaternity.base.wording import shown
from solvers.problem import DealProblem
from solvers.solver import Solver, solver_from_function
from solvers.verdict import Feasible, Infeasible, Verdict

ENTRY_POINTS = "quaternity.solvers"
"""The entry-point group in which other distributions register solvers."""


def _late(module: str, function: str) -> Callable[..., Any]:
    """Return a function whose module is imported on the first call.

    OR-Tools and SciPy take long to load.
    """
    imported: ModuleType | None = None

    def call(*arguments: Any) -> Any:
        nonlocal imported
        if imported is None:
            # Wait for an import in another thread; `sys.modules` may have a half-loaded module.
            imported = import_module(module)
        return getattr(imported, function)(*arguments)

    return call


SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        Solver(
            "cp-sat",
            "a boolean for each card and possible owner, solved by CP-SAT",
            _late("solvers.cp_sat", "prepare"),
            within=_late("solvers.cp_sat", "prepare_within"),
            switches=True,
        ),
        Solver(
            "max-flow",
            "player -> (player, set) -> card with lower bounds; a minimum cut is the shortage",
            _late("solvers.max_flow", "prepare"),
            certifies=True,
        ),
        Solver(
            "matching",
            "slots of hands matched to cards; no upper bounds",
            _late("solvers.matching", "prepare"),
            _late("solvers.matching", "refuses"),
            certifies=True,
        ),
        Solver(
            "coalitions",
            "one inequality per set of players, tested all at once",
            _late("solvers.coalitions", "prepare"),
            _late("solvers.coalitions", "refuses"),
            certifies=True,
            within=_late("solvers.coalitions", "prepare_within"),
        ),
        Solver(
            "brute-force",
            "every deal, one after another (small problems)",
            _late("solvers.brute_force", "prepare"),
            _late("solvers.brute_force", "refuses"),
        ),
    )
}
"""The built-in solvers by name. `all_solvers()` adds those that other distributions register."""


_variant = _late("solvers.cp_sat", "prepare_variant")

VARIANTS: dict[str, Solver] = {
    name: Solver(name, idea, partial(_variant, name), within=partial(_variant, name))
    for name, idea in (
        ("cp-sat-plain", "cp-sat with booleans, a weak relaxation and presolve"),
        ("cp-sat-booleans", "cp-sat with booleans at all sizes"),
        ("cp-sat-counts", "cp-sat with booleans, and a count for every player and set"),
        ("cp-sat-bundled", "cp-sat with cards of equal owners bundled into one integer"),
        ("cp-sat-bundled-counts", "cp-sat with bundles, and a count for every player and set"),
    )
}
"""Variants of built-in solvers by name; they are not part of `all_solvers()`."""


@lru_cache(maxsize=1)
def registered_solvers() -> Plugins[Solver]:
    """Load and return the solvers that other distributions register."""
    from solvers.rivals import RIVALS

    return load_plugins(ENTRY_POINTS, "solver", {*SOLVERS, *VARIANTS, *RIVALS}, _row)


def _row(name: str, loaded: object) -> Solver:
    if isinstance(loaded, Solver):
        # Not `replace`: convert the attributes now, while a faulty solver can still be left out.
        idea, certifies = str(loaded.idea), bool(loaded.certifies)
        return Solver(
            name, idea, loaded.prepare, loaded.refuses, certifies, loaded.within, True,
            switches=bool(loaded.switches),
        )  # fmt: skip
    if callable(loaded):
        return replace(solver_from_function(name, loaded), apart=True)
    raise InputError("is not callable")


def all_solvers() -> dict[str, Solver]:
    """Return the built-in solvers and those registered by other distributions, by name.

    A registered solver that cannot be loaded is left out, with a warning (see
    `quaternity.base.plugins`).
    """
    return {**SOLVERS, **registered_solvers().found}


@takes(name=str)
def find_solver(name: str) -> Solver:
    """Return the solver with a name.

    The name is that of a built-in solver, a variant, an external solver of `solvers.rivals` or a
    registered solver, or it has the form `package.module:name`.

    Raises:
        InputError: If the name is unknown, or if the solver cannot be loaded or is not installed.
            The message lists the known names, gives the reason, or gives the command that installs
            the solver.
    """
    from solvers.rivals import RIVALS

    for table in (SOLVERS, VARIANTS):
        if name in table:
            return table[name]
    if name in RIVALS:
        return RIVALS[name].solver
    if PLACE.fullmatch(name):
        return _placed(name, *sys.path)
    registered_solvers().check(name)
    table = all_solvers()
    if name not in table:
        known = ", ".join((*table, "package.module:name"))
        raise InputError(f"unknown solver {name!r}: choose from {known}")
    return table[name]


@lru_cache(maxsize=64)
def _placed(place: str, *path: str) -> Solver:
    """Load a solver; `path`, the module search path, is part of the cache key only."""
    del path
    try:
        with redirect_stdout(sys.stderr):  # standard output is for results
            return _row(place, load_place(place, here=True))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the imported code may raise anything
        raise InputError(f"solver {place!r} cannot be loaded: {shown(error)}") from error


def _by_name(solver: Solver) -> tuple[Callable[[str], Solver], tuple[str]]:
    return find_solver, (solver.name,)


copyreg.pickle(Solver, _by_name)

MAX_DISTINCT_MASKS = 100
"""Maximum number of distinct owner masks of a set for which `coalitions` is the default solver."""

MAX_DEFAULT_LANES = 100_000
"""Maximum number of lanes for which `coalitions` is the default solver.

There are 2^players lanes for each distinct set. Computing this many lanes takes a third of a
second. That is about as long as loading OR-Tools for `max-flow`, which then needs only
milliseconds.
"""


@takes(problem=DealProblem)
def default_solver(problem: DealProblem) -> Solver:
    """Return the solver that is likely the fastest: `coalitions` or `max-flow`.

    It is `coalitions` for few players, unless a set has more than `MAX_DISTINCT_MASKS` distinct
    owner masks. To assign the cards of such a set, `coalitions` would need (cards) x (players) x
    (distinct masks) steps.
    """
    coalitions = SOLVERS["coalitions"]
    if coalitions.refuses(problem):
        return SOLVERS["max-flow"]
    sets, players = problem.sets, problem.players
    if len(sets) << players > MAX_DEFAULT_LANES and len(set(sets)) << players > MAX_DEFAULT_LANES:
        return SOLVERS["max-flow"]
    for constraint in sets:
        if (
            len(constraint.owners) > MAX_DISTINCT_MASKS
            and len(set(constraint.owners)) > MAX_DISTINCT_MASKS
        ):
            return SOLVERS["max-flow"]
    return coalitions


@takes(problem=DealProblem, solver=(Solver, str, type(None)))
def solve(
    problem: DealProblem, seconds: float | None = None, *, solver: Solver | str | None = None
) -> Verdict:
    """Decide whether a problem is feasible, with the default solver or a given one.

    Args:
        seconds: the time limit, or None for no limit. The solver `max-flow`, the default for many
            players, takes half a second for the largest problems and ignores the limit.
        solver: a solver, or its name as in `find_solver`; None for the default solver.

    Raises:
        InputError: If `seconds` is negative or not a number, or if the solver is unknown.
        SolverTimeout: If the solver reaches the time limit.
        UnsupportedProblem: If the solver refuses the problem.

    >>> from solvers import DealProblem, SetConstraint
    >>> bool(solve(DealProblem([1, 1], [SetConstraint.of([[0], [0]], players=2)])))
    False
    """
    if solver is None:
        solver = default_solver(problem)
    elif isinstance(solver, str):
        solver = find_solver(solver)
    if seconds is not None:
        solver = solver.limited(checked_seconds(seconds))
    return solver(problem)


@takes(problem=DealProblem, verdict=(Feasible, Infeasible))
def certify(problem: DealProblem, verdict: Verdict) -> Verdict:
    """Return the default solver's verdict in place of an infeasible one without a shortage.

    Any other verdict is returned unchanged.

    Raises:
        SolverFault: If the default solver finds a deal, so that one of the two solvers is wrong.
    """
    if type(verdict) is not Infeasible or verdict.shortage is not None:
        return verdict
    proof = solve(problem)
    if isinstance(proof, Infeasible):
        return proof
    raise SolverFault(f"reported infeasible, but this deal satisfies the problem: {proof.deal}")


@takes(problem=DealProblem)
def solvers_for(problem: DealProblem, solvers: Iterable[Solver]) -> list[Solver]:
    """Return the solvers that do not refuse the problem."""
    rows = list(iterated(solvers, "solvers"))
    for index, solver in enumerate(rows):
        if not isinstance(solver, Solver):
            raise InputError(f"solvers[{index}]: {shown(solver)} is not a Solver")
    return [solver for solver in rows if solver.refuses(problem) is None]
