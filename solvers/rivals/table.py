"""Table of the external solvers and their adapters.

An adapter is a function in the module of its family. It translates a `LinearModel` (or a `Network`,
for the flow solvers) for a library, and returns a function that solves the translated problem. That
function returns a verdict, or None if the library gave up. A library is imported only when its
adapter is called.

No adapter is called if a problem is obviously infeasible: if a lower bound is above the upper
bound, the hands do not add up to the number of cards, or there are too few possible owners or cards
for a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from quaternity.base.errors import InputError, SolverTimeout
from solvers.exchange.rows import linear_model
from solvers.max_flow import Network
from solvers.problem import DealProblem
from solvers.shortage import simple_certificate
from solvers.solver import Solver
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

CUT, FARKAS, CORE, PAIRED = "cut", "Farkas", "core", "paired"
"""Kinds of evidence that a problem is infeasible: a minimum cut, the multipliers of Farkas' lemma,
or a set of contradictory constraints. The evidence is converted to a proof (a shortage). `PAIRED`
means that the solver gives no evidence. Then `solvers.certify` adds a shortage that a built-in
solver finds."""


def _is_importable(module: str) -> bool:
    """Return whether a module can be imported, without importing its package."""
    # `importlib.util.find_spec` would import the package.
    spec, place = None, None
    for part in module.split("."):
        spec = PathFinder.find_spec(part, place)
        if spec is None:
            return False
        place = spec.submodule_search_locations
    return True


@dataclass(frozen=True, slots=True)
class ExternalSolver:
    """Description of a solver from another Python package.

    Attributes:
        family: the kind of method.
        idea: a description in one line.
        adapter: the function that translates a problem for the solver, as "module:function", with a
            module of `solvers.rivals`.
        package: the distribution that contains the solver.
        module: the module of the distribution that is imported.
        extra: the extra of `quaternity` that installs the solver, or an empty string if none is
            needed.
        licence: SPDX identifiers of the licence of the package, and of the solver if it differs.
        evidence: the kind of evidence of infeasibility.
        max_pairs: the maximum number of pairs (card, possible owner) in a problem.
        keeps_limit: whether the solver itself can enforce a time limit.
    """

    name: str
    family: str
    idea: str
    adapter: str
    package: str
    module: str
    extra: str
    licence: str
    evidence: str
    max_pairs: int
    keeps_limit: bool = True

    @property
    def command(self) -> str:
        """Return the command that installs the solver."""
        return f"pip install '.[{self.extra}]'" if self.extra else "pip install ."

    @property
    def installed(self) -> bool:
        """Return whether the package is installed, without importing it."""
        return self.version is not None

    @property
    def version(self) -> str | None:
        """Return the version of the package, or None if it is not installed."""
        try:
            # Check the package as well, because a module named, for example, `exact` may belong to
            # another package.
            return version(self.package) if _is_importable(self.module) else None
        except PackageNotFoundError:
            return None

    def check_installed(self) -> None:
        """Check that the solver is installed.

        Raises:
            InputError: If it is not installed. The message has the command that installs it.
        """
        if not self.installed:
            raise InputError(f"solver {self.name!r} is not installed; to install: {self.command}")

    def load_adapter(self) -> Callable[..., Any]:
        """Import and return the function that translates a problem for the solver."""
        module, _, function = self.adapter.partition(":")
        adapter: Callable[..., Any] = getattr(import_module(f"solvers.rivals.{module}"), function)
        return adapter

    @property
    def solver(self) -> Solver:
        """Return this solver as a `Solver` object. Raise `InputError` if it is not installed."""
        self.check_installed()
        limited = self.prepare if self.keeps_limit else None
        certifies = self.evidence != PAIRED
        return Solver(self.name, self.idea, self.prepare, self.refuses, certifies, limited, True)

    def refuses(self, problem: DealProblem) -> str | None:
        """Return the reason why this solver refuses a problem, or None if it accepts it."""
        pairs = sum(mask.bit_count() for constraint in problem.sets for mask in constraint.owners)
        if pairs > self.max_pairs:
            return f"{pairs} allowed (card, player) pairs: the limit is {self.max_pairs}"
        return None

    def prepare(self, problem: DealProblem, seconds: float | None = None) -> Callable[[], Verdict]:
        """Build the solver's model of a problem, and return a function that solves it.

        The function raises `SolverTimeout` if the solver gives up.
        """
        simple = simple_certificate(problem)
        if simple is not None:
            return lambda: Infeasible(simple)
        if not problem.cards:
            return lambda: Feasible(Deal(tuple(() for _ in problem.sets)))
        adapter = self.load_adapter()
        if self.evidence == CUT:
            return self._with_timeout(adapter(Network(problem), seconds), seconds)
        if self.evidence == CORE:
            import_module("scipy.optimize")  # import it now, so its import is not timed as solving
        linear = linear_model(problem)
        hopeless = linear.trivial_refutation
        if hopeless is not None:
            return lambda: hopeless
        return self._with_timeout(adapter(linear, seconds), seconds)

    def _with_timeout(
        self, solve: Callable[[], Verdict | None], seconds: float | None
    ) -> Callable[[], Verdict]:
        def answer() -> Verdict:
            verdict = solve()
            if verdict is None:
                limit = "" if seconds is None else f" within {seconds:g} s"
                raise SolverTimeout(f"{self.name} gave up without an answer{limit}")
            return verdict

        return answer


EXTERNAL_SOLVERS: dict[str, ExternalSolver] = {
    rival.name: rival
    for rival in (
        ExternalSolver("scipy-flow", "flow", "Dinic's algorithm on our network", "flow:scipy",
              "scipy", "scipy", "", "BSD-3-Clause", CUT, 1_000_000, False),
        ExternalSolver("networkx", "flow", "preflow-push in Python on our network", "flow:networkx",
              "networkx", "networkx", "networkx", "BSD-3-Clause", CUT, 100_000, False),
        ExternalSolver("igraph", "flow", "push-relabel on our network", "flow:igraph",
              "igraph", "igraph", "igraph", "GPL-2.0-or-later", CUT, 1_000_000, False),
        ExternalSolver("scipy-linprog", "LP", "HiGHS' dual simplex", "linear:linprog",
              "scipy", "scipy", "", "BSD-3-Clause", FARKAS, 50_000),
        ExternalSolver("glop", "LP", "OR-Tools' simplex", "linear:glop",
              "ortools", "ortools", "", "Apache-2.0", FARKAS, 50_000),
        ExternalSolver("clp", "LP", "COIN-OR's simplex", "linear:clp",
              "ortools", "ortools", "", "Apache-2.0, EPL-2.0", FARKAS, 50_000),
        ExternalSolver("mathopt", "LP", "HiGHS' simplex, in OR-Tools' MathOpt", "linear:mathopt",
              "ortools", "ortools", "", "Apache-2.0, MIT", FARKAS, 50_000),
        ExternalSolver("scipy-milp", "MIP", "HiGHS' branch and cut", "integer:milp",
              "scipy", "scipy", "", "BSD-3-Clause", PAIRED, 50_000),
        ExternalSolver("scip", "MIP", "SCIP's branch and cut, in OR-Tools", "integer:scip",
              "ortools", "ortools", "", "Apache-2.0", PAIRED, 50_000),
        ExternalSolver("cbc", "MIP", "COIN-OR's branch and cut", "integer:cbc",
              "ortools", "ortools", "", "Apache-2.0, EPL-2.0", PAIRED, 50_000),
        ExternalSolver("pyscipopt", "MIP", "SCIP's branch and cut", "integer:pyscipopt",
              "PySCIPOpt", "pyscipopt", "scip", "MIT, Apache-2.0", PAIRED, 20_000),
        ExternalSolver("exact", "cutting planes", "learns pseudo-boolean constraints",
              "cutting_planes:exact", "Exact", "exact", "exact", "AGPL-3.0-only", CORE, 20_000),
        ExternalSolver("glucose", "SAT", "Glucose 4.2, totalizers", "sat:glucose",
              "python-sat", "pysat", "sat", "MIT", PAIRED, 20_000),
        ExternalSolver("cadical", "SAT", "CaDiCaL 1.9.5, sequential counters", "sat:cadical",
              "python-sat", "pysat", "sat", "MIT", PAIRED, 20_000, False),
        ExternalSolver("maplesat", "SAT", "MapleSAT, cardinality networks", "sat:maplesat",
              "python-sat", "pysat", "sat", "MIT", PAIRED, 20_000),
        ExternalSolver("minicard", "SAT", "MiniCard, native cardinalities", "sat:minicard",
              "python-sat", "pysat", "sat", "MIT", PAIRED, 20_000),
        ExternalSolver("cryptominisat", "SAT", "CryptoMiniSat 5, totalizers", "sat:cryptominisat",
              "pycryptosat", "pycryptosat", "cryptominisat", "MIT", PAIRED, 20_000),
        ExternalSolver("z3-integers", "SMT", "Z3, integers from 0 to 1", "smt:z3_integers",
              "z3-solver", "z3", "z3", "MIT", CORE, 5_000),
        ExternalSolver("z3-pb", "SMT", "Z3, counted booleans", "smt:z3_pseudo_booleans",
              "z3-solver", "z3", "z3", "MIT", CORE, 5_000),
        ExternalSolver("cvc5", "SMT", "cvc5, integers from 0 to 1", "smt:cvc5",
              "cvc5", "cvc5", "cvc5", "BSD-3-Clause", CORE, 5_000),
        ExternalSolver("clingo", "ASP", "choice rules, cardinalities", "answer_sets:clingo",
              "clingo", "clingo", "clingo", "MIT", PAIRED, 20_000),
        ExternalSolver("choco-sums", "CP", "Choco, sums of booleans", "propagation:choco_sums",
              "pychoco", "pychoco", "choco", "BSD-4-Clause", PAIRED, 20_000),
        ExternalSolver("choco-gcc", "CP", "Choco, owners of cards, global cardinalities",
              "propagation:choco_cardinalities", "pychoco", "pychoco", "choco", "BSD-4-Clause",
              PAIRED, 20_000),
        ExternalSolver("pumpkin", "lazy clauses", "Pumpkin, linear sums", "propagation:pumpkin",
              "pumpkin-solver", "pumpkin_solver", "pumpkin", "MIT OR Apache-2.0", PAIRED, 20_000),
    )
}  # fmt: skip
"""External solvers by name, including those that are not installed."""


def installed_solvers() -> dict[str, Solver]:
    """Return the installed external solvers, by name."""
    return {name: rival.solver for name, rival in EXTERNAL_SOLVERS.items() if rival.installed}
