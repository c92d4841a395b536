"""Rivals: other people's solvers behind our contract. Importing this imports none of them.

A deal problem is translated in one of two ways: as our flow network (`solvers.max_flow`), or as
rows over booleans (`solvers.exchange.rows`), the naive way. A file for each family holds its
adapters, 10 to 40 lines each, and `table` has a row for each. A new rival is an adapter and a row:

    flow            maximum flow: evidence of impossibility is a minimum cut
    linear          linear programming: Farkas multipliers, rounded and checked
    integer         mixed-integer programming: paired with a shortage of ours
    cutting_planes  pseudo-boolean search: an unsatisfiable core, weighed by linear programming
    smt             satisfiability modulo theories: the same
    sat             clauses or native cardinalities: paired
    answer_sets     answer-set programming: paired
    propagation     constraint programming, with learned clauses or without: paired

Not here: PDLP rounds to wrong deals (see `linear`), highspy cannot be loaded beside OR-Tools
(a symbol clash; SciPy brings HiGHS), mip installs 600 MB, and rustworkx has no maximum flow.
"""

from typing import NoReturn

from quaternity.base.errors import InputError
from solvers.rivals.table import RIVALS, Rival, installed

_RETIRED = {"COUNTERS": "solvers.count_deals counts", "Foreign": "solvers.rivals.Rival has it all"}


def __getattr__(name: str) -> NoReturn:
    if name in _RETIRED:
        raise InputError(f"{__name__}.{name} is retired: {_RETIRED[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["RIVALS", "Rival", "installed"]
