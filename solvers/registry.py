"""The table of solvers: one contract, one row each, and a door for other people's rows.

A solver is a function from a `DealProblem` to a `Verdict`, exact, that may raise `LimitError`
when it gives up and nothing else. Another distribution adds one through an entry point of the group
`quaternity.solvers`: its name is the solver's name, and it points at such a function or at a
`Solver`. From then on every command and the conformance tests know it. Without that it goes by
`package.module:name`.
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
    """Import a function when it is first called: OR-Tools and SciPy load slowly."""
    home: ModuleType | None = None

    def call(*arguments: Any) -> Any:
        nonlocal home
        if home is None:
            # Waits for another thread's import; `sys.modules` would give half a module.
            home = import_module(module)
        return getattr(home, function)(*arguments)

    return call


SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        Solver(
            "cp-sat",
            "a boolean per allowed (card, player), proved by OR-Tools' CP-SAT",
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
"""The solvers of this distribution, by name. `all_solvers()` adds registered ones."""


_variant = _late("solvers.cp_sat", "prepare_variant")

VARIANTS: dict[str, Solver] = {
    name: Solver(name, idea, partial(_variant, name), within=partial(_variant, name))
    for name, idea in (
        ("cp-sat-plain", "cp-sat with booleans, a weak relaxation and presolve"),
        ("cp-sat-booleans", "cp-sat with booleans at all sizes"),
        ("cp-sat-counts", "cp-sat with booleans, and a count for every player and set"),
        ("cp-sat-bundled", "cp-sat with cards of equal owners as one whole number"),
        ("cp-sat-bundled-counts", "cp-sat with such bundles, and a count for every player and set"),
    )
}
"""Variants of the solvers of `SOLVERS`: available by name, but not part of `all_solvers()`."""


@lru_cache(maxsize=1)
def registered_solvers() -> Plugins[Solver]:
    """Load the solvers that other distributions register."""
    from solvers.rivals import RIVALS

    return load_plugins(ENTRY_POINTS, "solver", {*SOLVERS, *VARIANTS, *RIVALS}, _row)


def _row(name: str, loaded: object) -> Solver:
    if isinstance(loaded, Solver):
        # Not `replace`: what is said is asked for now, while this can still be left out.
        idea, promises = str(loaded.idea), bool(loaded.certifies)
        return Solver(
            name, idea, loaded.prepare, loaded.refuses, promises, loaded.within, True,
            switches=bool(loaded.switches),
        )  # fmt: skip
    if callable(loaded):
        return replace(solver_from_function(name, loaded), apart=True)
    raise InputError("is not callable")


def all_solvers() -> dict[str, Solver]:
    """Return the built-in solvers and those registered by other distributions, by name.

    A registration that cannot be used is left out, with a warning; see `quaternity.base.plugins`.
    """
    return {**SOLVERS, **registered_solvers().found}


@takes(name=str)
def find_solver(name: str) -> Solver:
    """Return the solver of a name.

    That is a built-in solver or variant, a rival, a registered solver, or `package.module:name`.

    Raises:
        InputError: unknown (lists the known names), unusable (says why), or a rival that is not
            installed (says what installs it).
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
        raise InputError(f"solver {name!r} is unknown; known are {known}")
    return table[name]


@lru_cache(maxsize=64)
def _placed(place: str, *path: str) -> Solver:
    """Load a solver, and load it again if the module search path has changed."""
    del path
    try:
        with redirect_stdout(sys.stderr):  # standard output is for results
            return _row(place, load_place(place, in_working_directory=True))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever somebody else's code may raise
        raise InputError(f"solver {place!r} cannot be loaded: {shown(error)}") from error


def _by_name(solver: Solver) -> tuple[Callable[[str], Solver], tuple[str]]:
    return find_solver, (solver.name,)


copyreg.pickle(Solver, _by_name)

MAX_DISTINCT_MASKS = 100
"""Maximum number of distinct owner masks in one set that the default leaves to coalitions."""

MAX_DEFAULT_LANES = 100_000
"""Maximum number of lanes, 2^players for every distinct set, that the default leaves to coalitions.

Computing all of them takes a third of a second: about as long as loading OR-Tools for flow, which
then takes milliseconds.
"""


@takes(problem=DealProblem)
def default_solver(problem: DealProblem) -> Solver:
    """Return the quickest exact solver for a problem: coalitions for few players, else flow.

    Flow also serves sets with more than `MAX_DISTINCT_MASKS` different owner masks: handing out
    their cards takes coalitions (cards) x (players) x (different masks) steps.
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
    """Decide a problem with the default solver, or with another one.

    Args:
        seconds: a time limit; None for none. Max-flow, which decides what has many players, takes
            half a second for the largest problems and keeps no limit.
        solver: a solver or its name, as `find_solver` takes it; None for the default.

    Raises:
        InputError: `seconds` is negative or not a number, or the solver is unknown.
        SolverTimeout: the time limit was reached.
        UnsupportedProblem: the solver does not take such problems.

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
    """Pair an infeasible verdict without a shortage with one of the default solver.

    Every other verdict is returned as it is.

    Raises:
        SolverFault: the default solver finds a deal, so one of the two is wrong.
    """
    if type(verdict) is not Infeasible or verdict.shortage is not None:
        return verdict
    proof = solve(problem)
    if isinstance(proof, Infeasible):
        return proof
    raise SolverFault(f"reported infeasible, but this deal satisfies the problem: {proof.deal}")


@takes(problem=DealProblem)
def solvers_for(problem: DealProblem, solvers: Iterable[Solver]) -> list[Solver]:
    """Return those of the solvers that take the problem."""
    rows = list(iterated(solvers, "solvers"))
    for index, solver in enumerate(rows):
        if not isinstance(solver, Solver):
            raise InputError(f"solvers[{index}]: {shown(solver)} is not a Solver")
    return [solver for solver in rows if solver.refuses(problem) is None]
