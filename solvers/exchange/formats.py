"""Export of deal problems in the formats of other solvers, with a function for each format.

All formats except `flow` contain the linear constraints (rows) of `solvers.exchange.rows`, with the
names that are used there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf

from quaternity.base.errors import LimitError
from quaternity.base.validation import lookup, validate_arguments
from solvers.exchange.rows import LinearModel, LinearRow, linear_model
from solvers.max_flow import SINK, SOURCE, Network
from solvers.problem import DealProblem, SetConstraint

MAX_CLAUSES = 5_000_000
"""Approximate maximum number of clauses of a problem that is exported as CNF."""


@validate_arguments(problem=DealProblem)
def export(problem: DealProblem, to: str) -> str:
    """Return a problem as text in the input format of other solvers.

    The text has a solution if and only if the cards can be dealt. It uses readable names, such as
    card_3_1_of_player_2.

    Args:
        to: the format: opb, cnf, flow, lp, mps, fzn, mzn, smt2, asp or cp-sat.

    Raises:
        InputError: If the format is unknown.
        LimitError: If there would be more than about `MAX_CLAUSES` clauses.

    >>> problem = DealProblem([1], [SetConstraint([1, 1], [0], [2])])
    >>> export(problem, "opb").splitlines()[0]
    '* #variable= 2 #constraint= 3'
    """
    return lookup(FORMATS, to, "format")(problem)


def opb(problem: DealProblem) -> str:
    """Return a problem as pseudo-boolean constraints, in the format OPB.

    The booleans are called x1, x2, …, because most readers of OPB require that. Comments give the
    original names of the booleans and constraints.

    Source: Roussel, Manquinho, *Input/output format and solver requirements for the competitions of
    pseudo-boolean solvers*.
    """
    model = linear_model(problem)
    lines = [f"* x{number} {name}" for number, name in enumerate(model.names, 1)]
    for row in model.rows:
        lines.append(f"* {row.name}")
        for sign, bound in row.sides:
            factor, relation = (-1, ">=") if sign == "<=" else (1, sign)
            terms = " ".join(f"{factor:+} x{term + 1}" for term in row.terms)
            lines.append(f"{terms} {relation} {factor * bound} ;")
    count = sum(len(row.sides) for row in model.rows)
    return _lines([f"* #variable= {len(model.names)} #constraint= {count}", *lines])


def cnf(problem: DealProblem) -> str:
    """Return a problem as clauses, in the format DIMACS CNF. Comments name the booleans.

    Each lower or upper bound on a sum is expressed by a sequential counter.

    Raises:
        LimitError: If there would be more than about `MAX_CLAUSES` clauses.

    Source: Sinz, *Towards an optimal CNF encoding of boolean cardinality constraints* (2005).
    """
    # A bound takes up to 2 x (number of terms) x (bound) clauses. A bound above half of the number
    # of terms is written as a bound on the number of false booleans.
    model = linear_model(problem)
    booleans = len(model.names)
    clauses: list[str] = []
    for row in model.rows:
        booleans = _count(row, booleans, clauses)
    head = [f"c {number} {name}" for number, name in enumerate(model.names, 1)]
    head.append(f"p cnf {booleans} {len(clauses)}")
    return _lines(head + clauses)


def _count(row: LinearRow, booleans: int, clauses: list[str]) -> int:
    """Append the clauses of a constraint to `clauses`. Return the new number of booleans."""

    def add(*literals: int) -> None:
        clauses.append(" ".join(map(str, (*literals, 0))))

    literals = [term + 1 for term in row.terms]
    count, low, high = len(literals), row.low, row.high
    if low > count:
        add()
        return booleans
    if low == 1:
        add(*literals)
        low = 0
    if max(low, high * (high < count)) > count // 2:
        literals = [-literal for literal in literals]
        low, high = count - high, count - low
    capped = high < count
    max_count = max(low, (high + 1) * capped)
    if len(clauses) + 2 * count * max_count * ((low > 0) + capped) > MAX_CLAUSES:
        raise LimitError(f"the problem needs too many clauses (the limit is {MAX_CLAUSES})")
    # reached[j] is a list with the literal for "at least j of the literals so far are true". The
    # list is empty if j is 0, or if j exceeds max_count or the number of literals so far.
    reached: list[list[int]] = [[]]
    for literal in literals if max_count else ():
        width = min(len(reached), max_count)
        next_reached = [[], *([booleans + j] for j in range(1, width + 1))]
        booleans += width
        for j, (counter,) in enumerate(next_reached[1:], 1):
            same_count = reached[j] if j < len(reached) else []
            lower_count = reached[j - 1]
            if capped:
                add(counter, -literal, *(-other for other in lower_count))
                for other in same_count:
                    add(counter, -other)
            if low:
                add(-counter, literal, *same_count)
                if lower_count:
                    add(-counter, *lower_count, *same_count)
        reached = next_reached
    if low:
        add(*reached[low])
    if capped:
        add(*(-other for other in reached[high + 1]))
    return booleans


def flow(problem: DealProblem) -> str:
    """Return a deal problem as a maximum-flow problem in DIMACS format.

    A deal exists if and only if the maximum flow equals the value in the first comment. The other
    comments name the nodes. The network is the same as in `solvers.max_flow`.
    """
    max_hand = problem.cards + 1
    crossed = 0
    sets = []
    for constraint in problem.sets:
        high = [min(bound, constraint.size) for bound in constraint.high]
        low = [min(bound, constraint.size + 1) for bound in constraint.low]
        crossed += sum(max(0, lower - upper) for lower, upper in zip(low, high, strict=True))
        sets.append(SetConstraint(constraint.owners, list(map(min, low, high)), high))
    hands = [min(hand, max_hand) for hand in problem.hands]
    network = Network(DealProblem.unchecked(tuple(hands), tuple(sets)))
    needed = [
        sum(constraint.low[player] for constraint in sets) for player in range(problem.players)
    ]
    # The network cannot express a lower bound above the upper bound, hands that do not add up to
    # the number of cards, or minimums above a hand. In these cases, the required value becomes
    # larger than any flow.
    crowded = sum(max(0, minimum - hand) for minimum, hand in zip(needed, hands, strict=True))
    target = max(sum(hands), problem.cards) + crowded + crossed
    names = {SOURCE: "source", SINK: "sink"}
    names |= {2 + player: f"player_{player}" for player in range(problem.players)}
    for index, nodes in enumerate(network.classes):
        for player in range(problem.players):
            names[network.share_nodes[index][player]] = f"set_{index}_of_player_{player}"
        for mask, node in nodes.items():
            cards = [card for card, owners in enumerate(sets[index].owners) if owners == mask]
            names[node] = " ".join(f"card_{index}_{card}" for card in cards)
    arcs = zip(network.tails, network.heads, network.capacities, strict=True)
    return _lines([
        f"c possible if and only if the maximum flow is {target}",
        *(f"c node {node + 1} {name}" for node, name in sorted(names.items())),
        f"p max {len(names)} {len(network.tails)}",
        f"n {SOURCE + 1} s",
        f"n {SINK + 1} t",
        *(f"a {tail + 1} {head + 1} {max(0, amount)}" for tail, head, amount in arcs),
    ])  # fmt: skip


def lp(problem: DealProblem) -> str:
    """Return a problem as an integer program, in the format CPLEX LP."""
    # OR-Tools is not used for writing the file, because GLPK refuses LP files of OR-Tools without
    # an objective.
    model = linear_model(problem)
    lines = ["Minimize", f" obj: 0 {model.names[0]}", "Subject to"]
    for row, names, sign, bound in _sides(model):
        # Some readers accept lines of at most 510 characters.
        parts = [" + ".join(names[start : start + 8]) for start in range(0, len(names), 8)]
        total = "\n  + ".join(parts)
        lines.append(f" {row.name}{_SIDES[sign]}: {total} {sign} {bound}")
    return _lines([*lines, "Binary", *(f" {name}" for name in model.names), "End"])


def mps(problem: DealProblem) -> str:
    """Return a problem as an integer program, in the format free MPS."""
    from ortools.linear_solver.python import model_builder

    model = linear_model(problem)
    program = model_builder.Model()
    variables = [program.new_bool_var(name) for name in model.names]
    for row in model.rows:
        total = model_builder.LinearExpr.sum([variables[term] for term in row.terms])
        for sign, bound in row.sides:
            low, high = -inf if sign == "<=" else bound, inf if sign == ">=" else bound
            program.add_linear_constraint(total, low, high, name=row.name + _SIDES[sign])
    return str(program.export_to_mps_string(False))


def cp_sat(problem: DealProblem) -> str:
    """Return the model that CP-SAT solves for a problem, as a protocol buffer in text form."""
    from solvers.named_model import cp_sat_model

    return str(cp_sat_model(problem).model.proto)


def minizinc(problem: DealProblem) -> str:
    """Return a problem as a MiniZinc model."""
    model = linear_model(problem)
    lines = [f"var 0..1: {name};" for name in model.names]
    lines += [f"constraint {' + '.join(names)} {sign} {bound}; % {row.name}"
              for row, names, sign, bound in _sides(model)]  # fmt: skip
    return _lines([*lines, "solve satisfy;"])


def flatzinc(problem: DealProblem) -> str:
    """Return a problem as a FlatZinc model that uses only built-in constraints."""
    model = linear_model(problem)
    lines = [f"var 0..1: {name} :: output_var;" for name in model.names]
    for _, names, sign, bound in _sides(model):
        factor = -1 if sign == ">=" else 1
        arguments = f"[{','.join([str(factor)] * len(names))}],[{','.join(names)}],{factor * bound}"
        lines.append(f"constraint int_lin_{'eq' if sign == '=' else 'le'}({arguments});")
    return _lines([*lines, "solve satisfy;"])


def smt2(problem: DealProblem) -> str:
    """Return a problem as an SMT-LIB 2 script in linear integer arithmetic (QF_LIA)."""
    model = linear_model(problem)
    lines = ["(set-option :produce-models true)", "(set-logic QF_LIA)"]
    lines += [f"(declare-const {name} Bool)" for name in model.names]
    for row, names, sign, bound in _sides(model):
        terms = [f"(ite {name} 1 0)" for name in names]
        total = terms[0] if len(terms) == 1 else f"(+ {' '.join(terms)})"
        lines.append(f"(assert (! ({sign} {total} {bound}) :named {row.name}{_SIDES[sign]}))")
    return _lines([*lines, "(check-sat)"])


def asp(problem: DealProblem) -> str:
    """Return a problem as an answer-set program (ASP-Core-2 with counting) for clingo."""
    model = linear_model(problem)
    lines = [f"{{ {name} }}." for name in model.names]
    for row, names, sign, bound in _sides(model):
        low = "" if sign == "<=" else f"{bound} "
        high = "" if sign == ">=" else f" {bound}"
        lines.append(f":- not {low}{{ {'; '.join(names)} }}{high}. % {row.name}")
    return _lines(lines)


_SIDES = {"=": "", ">=": "_least", "<=": "_most"}


def _sides(model: LinearModel) -> Iterator[tuple[LinearRow, list[str], str, int]]:
    for row in model.rows:
        names = [model.names[term] for term in row.terms]
        for sign, bound in row.sides:
            yield row, names, sign, bound


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


FORMATS: dict[str, Callable[[DealProblem], str]] = {
    "opb": opb,
    "cnf": cnf,
    "flow": flow,
    "lp": lp,
    "mps": mps,
    "fzn": flatzinc,
    "mzn": minizinc,
    "smt2": smt2,
    "asp": asp,
    "cp-sat": cp_sat,
}
"""Functions that take a problem and return its text in a file format, by the name of the format."""
