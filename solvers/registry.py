"""The registry of solvers: the built-in solvers, and those that other distributions register.

A solver is an exact function from a `DealProblem` to a `Verdict`. It may raise `LimitError` if it
gives up, but no other error. Another Python distribution registers a solver with an entry point in
the group `quaternity.solvers`. The name of the entry point is the name of the solver, and its
object is such a function or a `Solver`. All commands and the conformance tests then find the solver
by its name. A solver that is not registered can be named as `package.module:name`.
"""

from __future__ import annotations

import copyreg
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, TypeAlias

from quaternity.base.errors import InputError, SolverFault
from quaternity.base.plugins import PLACE, Plugins, load_place, load_plugins
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_iterator, check_seconds, validate_arguments
from solvers.problem import DealProblem
from solvers.shortage import Certificate
from solvers.solver import Solver, solver_from_function
from solvers.verdict import Feasible, Infeasible, Verdict

ENTRY_POINTS = "quaternity.solvers"
"""Entry-point group under which other installed packages register solvers."""


def _lazy_import(module: str, function: str) -> Callable[..., Any]:
    """Return a function that imports a module on the first call, and calls its `function`."""
    # OR-Tools and SciPy take long to load, so they are loaded only when they are needed.
    imported: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal imported
        if imported is None:
            # `import_module` waits for an import in another thread. A look-up in `sys.modules`
            # could find a module that is only partly loaded.
            imported = getattr(import_module(module), function)
        return imported(*arguments)

    return call


SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        Solver(
            "cp-sat",
            "a boolean for each card and possible owner, solved by CP-SAT",
            _lazy_import("solvers.cp_sat", "prepare"),
            prepare_within=_lazy_import("solvers.cp_sat", "prepare_within"),
            changes_model=True,
        ),
        Solver(
            "max-flow",
            "flow player -> (player, set) -> card with lower bounds; a minimum cut is the shortage",
            _lazy_import("solvers.max_flow", "prepare"),
            certifies=True,
        ),
        Solver(
            "matching",
            "a matching of places in hands and cards, for problems without upper bounds",
            _lazy_import("solvers.matching", "prepare"),
            _lazy_import("solvers.matching", "refuses"),
            certifies=True,
        ),
        Solver(
            "coalitions",
            "one inequality for each group of players, all tested at once",
            _lazy_import("solvers.coalitions", "prepare"),
            _lazy_import("solvers.coalitions", "refuses"),
            certifies=True,
            prepare_within=_lazy_import("solvers.coalitions", "prepare_within"),
        ),
        Solver(
            "brute-force",
            "every deal is tried, one after another (small problems)",
            _lazy_import("solvers.brute_force", "prepare"),
            _lazy_import("solvers.brute_force", "refuses"),
        ),
    )
}
"""Built-in solvers, by name. `all_solvers()` also returns the solvers of other installed
packages."""


_decide = _lazy_import("solvers.coalitions", "decide")
_variant = _lazy_import("solvers.cp_sat", "prepare_variant")

VARIANTS: dict[str, Solver] = {
    name: Solver(name, idea, partial(_variant, name), prepare_within=partial(_variant, name))
    for name, idea in (
        ("cp-sat-plain", "cp-sat with booleans, a weak relaxation and presolve"),
        ("cp-sat-booleans", "cp-sat with booleans for problems of every size"),
        ("cp-sat-counts", "cp-sat with booleans, and a count for every player and set"),
        ("cp-sat-bundled", "cp-sat with cards of equal owners bundled into one integer"),
        ("cp-sat-bundled-counts", "cp-sat with bundles, and a count for every player and set"),
    )
}
"""Variants of built-in solvers, by name. `all_solvers()` does not return them."""


@lru_cache(maxsize=1)
def registered_solvers() -> Plugins[Solver]:
    """Load and return the solvers that other installed packages add."""
    from solvers.rivals import EXTERNAL_SOLVERS

    return load_plugins(
        ENTRY_POINTS, "solver", {*SOLVERS, *VARIANTS, *EXTERNAL_SOLVERS}, _to_solver
    )


def _to_solver(name: str, loaded: object) -> Solver:
    if isinstance(loaded, Solver):
        # Convert the attributes here instead of calling `replace`, because this is the only place
        # where a faulty solver can be skipped.
        idea, certifies = str(loaded.idea), bool(loaded.certifies)
        return Solver(
            name, idea, loaded.prepare, loaded.refuses, certifies, loaded.prepare_within, True,
            changes_model=bool(loaded.changes_model),
        )  # fmt: skip
    if callable(loaded):
        return replace(solver_from_function(name, loaded), isolated=True)
    raise InputError("is not callable")


def all_solvers() -> dict[str, Solver]:
    """Return the built-in solvers and those that other installed packages add, by name.

    Solvers that cannot be loaded are skipped with a warning (see `quaternity.base.plugins`).
    """
    return {**SOLVERS, **registered_solvers().usable}


@validate_arguments(name=str)
def find_solver(name: str) -> Solver:
    """Return the solver with the given name.

    Built-in solvers, variants, the external solvers of `solvers.rivals` and registered solvers have
    short names. The name of any other solver has the form `package.module:name`.

    Raises:
        InputError: If the name is unknown, the solver cannot be loaded, or it is not installed. The
            message gives the known names, the reason, or the command that installs the solver.
    """
    from solvers.rivals import EXTERNAL_SOLVERS

    for table in (SOLVERS, VARIANTS):
        if name in table:
            return table[name]
    if name in EXTERNAL_SOLVERS:
        return EXTERNAL_SOLVERS[name].solver
    if PLACE.fullmatch(name):
        return _load_place(name, *sys.path)
    registered_solvers().check(name)
    table = all_solvers()
    if name not in table:
        known = ", ".join((*table, "package.module:name"))
        raise InputError(f"unknown solver {name!r}: choose from {known}")
    return table[name]


def solver_version(name: str) -> str:
    """Return the name and version of the distribution of a solver, such as "ortools 9.15".

    The text is empty if no installed distribution contains the solver.
    """
    return _version(name, name in SOLVERS or name in VARIANTS, *sys.path)


def solver_label(name: str) -> str:
    """Return the name of a solver, with the version if it is an external solver."""
    version = "" if name in SOLVERS or name in VARIANTS else solver_version(name)
    return f"{name} ({version})" if version else name


@lru_cache(maxsize=256)
def _version(name: str, own: bool, *path: str) -> str:
    # `path` is only a part of the cache key.
    del path
    from importlib import metadata

    from solvers.rivals import EXTERNAL_SOLVERS

    packages = (
        ["quaternity"]
        if own
        else [EXTERNAL_SOLVERS[name].package]
        if name in EXTERNAL_SOLVERS
        else []
    )
    if not packages and PLACE.fullmatch(name):
        packages = metadata.packages_distributions().get(re.split("[.:]", name)[0], [])
    points = () if packages else metadata.entry_points(group=ENTRY_POINTS, name=name)
    for package in [*packages, *(point.dist.name for point in points if point.dist)]:
        with suppress(metadata.PackageNotFoundError):
            return f"{package} {metadata.version(package)}"
    return ""


@lru_cache(maxsize=64)
def _load_place(place: str, *path: str) -> Solver:
    # `path`, the module search path, is only a part of the cache key.
    del path
    try:
        with redirect_stdout(sys.stderr):  # standard output is for results
            return _to_solver(place, load_place(place, in_working_directory=True))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the imported code may raise anything
        raise InputError(f"solver {place!r} cannot be loaded: {quote_value(error)}") from error


def _pickle_by_name(solver: Solver) -> tuple[Callable[[str], Solver], tuple[str]]:
    return find_solver, (solver.name,)


copyreg.pickle(Solver, _pickle_by_name)

MAX_DISTINCT_MASKS = 100
"""Maximum number of different owner masks in a set for which `coalitions` is the default solver. An
owner mask is the bit mask of the players who may own a card."""

MAX_DEFAULT_LANES = 100_000
"""Maximum size of the tables for which `coalitions` is the default solver: 2^players numbers for
each distinct set. Computing such tables takes a third of a second, about as long as loading
OR-Tools for the solver `max-flow`."""


@validate_arguments(problem=DealProblem)
def default_solver(problem: DealProblem) -> Solver:
    """Return `coalitions` or `max-flow`, whichever is likely to be faster for a problem.

    This is `coalitions` if there are few players, unless the cards of a set have more than
    `MAX_DISTINCT_MASKS` distinct groups of possible owners.
    """
    coalitions = SOLVERS["coalitions"]
    if coalitions.refuses(problem):
        return SOLVERS["max-flow"]
    sets, players = problem.sets, problem.players
    if (
        max(len(sets), 1) << players > MAX_DEFAULT_LANES
        and max(len(set(sets)), 1) << players > MAX_DEFAULT_LANES
    ):
        return SOLVERS["max-flow"]
    for constraint in sets:
        if (
            len(constraint.owners) > MAX_DISTINCT_MASKS
            and len(set(constraint.owners)) > MAX_DISTINCT_MASKS
        ):
            return SOLVERS["max-flow"]
    return coalitions


AnySolver: TypeAlias = Solver | str | Callable[[DealProblem], Verdict]
"""A solver, its name, or a function that takes a problem and returns a verdict."""


def as_solver(solver: AnySolver) -> Solver:
    """Convert a name or a function to a `Solver`. A `Solver` is returned as it is.

    Raises:
        InputError: If the name is unknown, or if the value has another type.
    """
    if isinstance(solver, Solver):
        return solver
    if isinstance(solver, str):
        return find_solver(solver)
    if callable(solver):
        return solver_from_function(getattr(solver, "__name__", "function"), solver)
    raise InputError(f"solver: {quote_value(solver)} must be a Solver, a name or a function")


def solve(
    problem: DealProblem, solver: AnySolver | None = None, *, seconds: float | None = None
) -> Verdict:
    """Decide whether a problem has a deal, with the default solver or a given solver.

    The verdict always contains evidence: a deal, or a proof that there is none (a shortage). If the
    given solver provides no proof, the default solver does. `print(verdict)` shows the hands or the
    proof in words.

    Args:
        solver: a solver, its name (see `find_solver`), or a function that takes a problem and
            returns a verdict. None means the default solver.
        seconds: a time limit in seconds, or None. The solver `max-flow` (the default for many
            players) ignores the limit, but takes at most half a second.

    Raises:
        InputError: If `seconds` is not a number >= 0, or if the solver is unknown.
        SolverTimeout: If the time limit was reached.
        SolverFault: If the answer is not a verdict, or if the solver reports that there is no deal
            and the default solver finds one.
        UnsupportedProblem: If the solver does not support the problem.

    >>> from solvers import DealProblem, SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0], [0]], players=2)])
    >>> print(solve(problem, "cp-sat"))
    player 1 must hold 1 card, but can have none
    """
    if type(problem) is not DealProblem:
        raise InputError(f"problem: {quote_value(problem)} is not a DealProblem")
    if solver is None and seconds is None:
        at_once: Verdict | None = _decide(problem, MAX_DEFAULT_LANES, MAX_DISTINCT_MASKS)
        if at_once is not None:
            return at_once
    chosen = default_solver(problem) if solver is None else as_solver(solver)
    if seconds is not None:
        chosen = chosen.with_time_limit(check_seconds(seconds))
    verdict: object = chosen(problem)
    if type(verdict) is Feasible:
        return Feasible(verdict.deal, problem)
    if type(verdict) is Infeasible:
        shortage = verdict.shortage
        return Infeasible(_shortage(problem) if shortage is None else shortage, problem)
    raise SolverFault(f"{chosen.name}: {quote_value(verdict)} is not a verdict")


@validate_arguments(problem=DealProblem, verdict=(Feasible, Infeasible))
def certify(problem: DealProblem, verdict: Verdict) -> Verdict:
    """Add a proof (a shortage) to an infeasible verdict without one.

    Other verdicts are returned as they are.

    Raises:
        SolverFault: If the default solver finds a deal, so the verdict is wrong.
    """
    if type(verdict) is not Infeasible or verdict.shortage is not None:
        return verdict
    return Infeasible(_shortage(problem), problem)


def _shortage(problem: DealProblem) -> Certificate | None:
    proof = default_solver(problem)(problem)
    if isinstance(proof, Infeasible):
        return proof.shortage
    deal = proof.deal.in_words(problem, separator="; ")
    raise SolverFault(f"reported infeasible, but this deal satisfies the problem: {deal}")


@validate_arguments(problem=DealProblem)
def solvers_for(problem: DealProblem, solvers: Iterable[Solver]) -> list[Solver]:
    """Return the solvers that do not refuse the problem."""
    rows = list(as_iterator(solvers, "solvers"))
    for index, solver in enumerate(rows):
        if not isinstance(solver, Solver):
            raise InputError(f"solvers[{index}]: {quote_value(solver)} is not a Solver")
    return [solver for solver in rows if solver.refuses(problem) is None]
