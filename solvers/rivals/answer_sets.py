"""Adapter for answer-set programming: choice rules with cardinality constraints.

If the solver finds a problem infeasible, it returns no evidence that can be checked, so
`solvers.certify` adds a proof.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.exchange.rows import LinearModel
from solvers.verdict import Infeasible, Verdict

PROGRAM = """
{ true(V) : in(S, V) } :- card(S).
:- least(S, N), #count { V : in(S, V), true(V) } < N.
:- most(S, N), #count { V : in(S, V), true(V) } > N.
#show true/1.
"""


def clingo(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with clingo, as an answer-set program."""
    import clingo as library

    facts = []
    for index, row in enumerate(linear.rows):
        facts += [f"in({index},{term})." for term in row.terms]
        facts.append(f"least({index},{row.low}). most({index},{row.high}).")
        if row.kind == "card":
            facts.append(f"card({index}).")
    control = library.Control(["--warn=none"], logger=lambda code, text: None)
    control.add("base", [], PROGRAM + "\n".join(facts))
    control.ground([("base", [])])
    true_terms: set[int] = set()

    def keep(model: library.Model) -> None:
        true_terms.update(atom.arguments[0].number for atom in model.symbols(shown=True))

    def solve() -> Verdict | None:
        with control.solve(on_model=keep, async_=True) as handle:
            if not handle.wait(seconds):
                handle.cancel()
                return None
            answer = handle.get()
        if answer.satisfiable:
            return linear.deal(term in true_terms for term in range(len(linear.pairs)))
        return Infeasible() if answer.unsatisfiable else None

    return solve
