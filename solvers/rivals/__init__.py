"""Adapters for external solvers, with the interface of `solvers.solver`.

An adapter translates a deal problem to the flow network of `solvers.max_flow`, or to linear
constraints over booleans (the rows of `solvers.exchange.rows`). There is a module for each family
of solvers. The module `table` has an entry for each solver. To add a solver, write an adapter and
an entry. Importing this package does not import any of the solvers.

The families of solvers, and their evidence that a problem is infeasible:

    flow            maximum flow: a minimum cut
    linear          linear programming: Farkas multipliers, rounded and checked
    integer         mixed-integer programming: no evidence
    cutting_planes  pseudo-boolean search: an unsatisfiable core, weighted by linear programming
    smt             satisfiability modulo theories: an unsatisfiable core, weighted in the same way
    sat             clauses or native cardinality constraints: no evidence
    answer_sets     answer-set programming: no evidence
    propagation     constraint programming, with or without learned clauses: no evidence

If a solver gives no evidence, a proof by a built-in solver is added to its infeasible verdicts.

Some solvers are not included. PDLP rounds to wrong deals (see `linear`). highspy cannot be loaded
together with OR-Tools because of a symbol clash (SciPy includes HiGHS). mip installs 600 MB.
rustworkx has no maximum flow.
"""

from solvers.rivals.table import EXTERNAL_SOLVERS, ExternalSolver, installed_solvers

__all__ = ["EXTERNAL_SOLVERS", "ExternalSolver", "installed_solvers"]
