"""Solvers of other projects that read exported problems and return the booleans that are true.

`READERS` has an entry for each format and solver: a function that returns the names of the
booleans that are 1, or None for "impossible", and the package or program that it needs.
"""

import re
import subprocess
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

Answer = list[str] | None
Bounded = tuple[dict[str, int], float, float]
"""Coefficients of booleans, and the two bounds of their sum."""


class Reader(NamedTuple):
    """A solver that reads a format."""

    format: str
    solver: str
    read: Callable[[str], Answer]
    needs: str

    @property
    def installed(self) -> bool:
        """Whether the package or program is installed."""
        return bool(find_spec(self.needs) or which(self.needs))


def solved_rows(variables: Sequence[str], rows: Sequence[Bounded]) -> Answer:
    """Solve rows of coefficients between two bounds with SciPy's HiGHS."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    if not rows:
        return []
    matrix = np.zeros((len(rows), len(variables)))
    for number, (terms, _, _) in enumerate(rows):
        for name, factor in terms.items():
            matrix[number, variables.index(name)] += factor
    lows, highs = [low for _, low, _ in rows], [high for _, _, high in rows]
    count = len(variables)
    result = milp(
        np.zeros(count), integrality=np.ones(count, dtype=np.int64), bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, lows, highs),
    )  # fmt: skip
    assert result.status in (0, 2), result.message
    if result.x is None:
        return None
    return [name for name, value in zip(variables, result.x, strict=True) if value > 0.5]


def opb_rows(lines: Sequence[Sequence[str]]) -> list[Bounded]:
    """Return the rows of an OPB file from its lines, which are split into words."""
    rows = []
    for *parts, sign, bound, end in lines:
        assert end == ";"
        high = {"=": float(bound), ">=": float("inf")}[sign]
        terms: dict[str, int] = {}
        for factor, name in zip(parts[::2], parts[1::2], strict=True):
            terms[name] = terms.get(name, 0) + int(factor)
        rows.append((terms, float(bound), high))
    return rows


def opb_by_highs(text: str) -> Answer:
    names, lines = _dimacs(text, "*")
    _, booleans, _, count = lines[0]
    assert (int(booleans), int(count)) == (len(names), len(lines) - 1)
    variables = solved_rows([f"x{number}" for number in names], opb_rows(lines[1:]))
    return None if variables is None else [names[int(name[1:])] for name in variables]


def opb_by_z3(text: str) -> Answer:
    import z3

    names, _ = _dimacs(text, "*")
    solver = z3.Optimize()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "exported.opb"
        path.write_text(text)
        solver.from_file(str(path))
    if solver.check() == z3.unsat:
        return None
    model = solver.model()  # it calls x1 k!1
    return [names[int(str(symbol)[2:])] for symbol in model if z3.is_true(model[symbol])]


def cnf_by_cp_sat(text: str) -> Answer:
    from ortools.sat.python import cp_model

    names, lines = _dimacs(text)
    _, _, booleans, count = lines[0]
    assert int(count) == len(lines) - 1
    model = cp_model.CpModel()
    variables = [model.new_bool_var(str(number)) for number in range(1, int(booleans) + 1)]
    for *literals, end in lines[1:]:
        assert end == "0"
        clause = [(variables[abs(int(literal)) - 1], int(literal) > 0) for literal in literals]
        model.add_bool_or([variable if positive else ~variable for variable, positive in clause])
    solver = cp_model.CpSolver()
    if solver.solve(model) == cp_model.INFEASIBLE:
        return None
    return [name for number, name in names.items() if solver.value(variables[number - 1])]


def cnf_by_cadical(text: str) -> Answer:
    from pysat.formula import CNF
    from pysat.solvers import Solver

    names, _ = _dimacs(text)
    with Solver("cadical195", bootstrap_with=CNF(from_string=text).clauses) as solver:
        if not solver.solve():
            return None
        return [names[index] for index in solver.get_model() if index > 0 and index in names]


def _dimacs(text: str, comment: str = "c") -> tuple[dict[int, str], list[list[str]]]:
    """Return the booleans' names and all other lines in words, the header of an OPB file first."""
    split = [line.split() for line in text.splitlines()]
    names = {int(parts[1].lstrip("x")): parts[2] for parts in split
             if parts[0] == comment and len(parts) == 3}  # fmt: skip
    head = [parts[1:] for parts in split if parts[:2] == ["*", "#variable="]]
    return names, head + [parts for parts in split if parts[0] != comment]


def flow_by_scipy(text: str) -> Answer:
    """Give the cards of a node to the players from whom flow enters it."""
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    target = int(re.findall(r"c possible .* flow is (\d+)", text)[0])
    names = {int(number): name for number, name in re.findall(r"c node (\d+) (.*)", text)}
    arcs = [tuple(map(int, line.split()[1:])) for line in text.splitlines() if line[0] == "a"]
    ((source,),) = (re.findall(r"n (\d+) s", text),)
    ((sink,),) = (re.findall(r"n (\d+) t", text),)
    nodes, count = re.findall(r"p max (\d+) (\d+)", text)[0]
    assert int(count) == len(arcs)
    tails, heads, amounts = np.array(arcs or [(1, 2, 0)], dtype=np.int32).T - [[1], [1], [0]]
    size = int(nodes)
    graph = csr_array((amounts, (tails, heads)), shape=(size, size), dtype=np.int32)
    flow = maximum_flow(graph, int(source) - 1, int(sink) - 1)
    if flow.flow_value != target:
        return None
    true = []
    cards = {node: name.split() for node, name in names.items() if name.startswith("card")}
    for tail, head, _ in arcs:
        player = names[tail].rpartition("_")[2]
        count = int(flow.flow[tail - 1, head - 1]) if head in cards else 0
        true += [f"{cards[head].pop()}_of_player_{player}" for _ in range(count)]
    return true


def lp_by_highs(text: str) -> Answer:
    head, _, rest = text.partition("Subject to\n")
    assert re.fullmatch(r"Minimize\n obj: 0 \w+\n", head)
    assert max(map(len, text.splitlines())) <= 510
    inf = float("inf")
    rows = []
    for line in rest.partition("Binary\n")[0].replace("\n  +", " +").splitlines():
        terms, sign, bound = re.split(r" (=|>=|<=) ", line.partition(": ")[2])
        sides = {"=": (float(bound), float(bound)), ">=": (float(bound), inf)}
        low, high = sides.get(sign, (-inf, float(bound)))
        rows.append((dict.fromkeys(terms.split(" + "), 1), low, high))
    return solved_rows(rest.partition("Binary\n")[2].split()[:-1], rows)


def fzn_by_highs(text: str) -> Answer:
    inf = float("inf")
    names, rows = re.findall(r"^var 0\.\.1: (\w+) ::", text, re.MULTILINE), []
    for relation, *row in re.findall(r"int_lin_(\w+)\(\[(.*)\],\[(.*)\],(.*)\);", text):
        factors, terms, bound = (part.split(",") for part in row)
        high = float(bound[0])
        weights = dict(zip(terms, map(int, factors), strict=True))
        rows.append((weights, high if relation == "eq" else -inf, high))
    assert len(names) + len(rows) + 1 == len(text.splitlines())
    return solved_rows(names, rows)


def mps_by_scip(text: str) -> Answer:
    from ortools.linear_solver.python import model_builder

    model = model_builder.Model()
    assert model.import_from_mps_string(text)
    solver = model_builder.Solver("scip")
    status = solver.solve(model)
    if status == model_builder.SolveStatus.INFEASIBLE:
        return None
    assert status == model_builder.SolveStatus.OPTIMAL, status
    return [variable.name for variable in model.get_variables() if solver.value(variable) > 0.5]


def cp_sat_by_itself(text: str) -> Answer:
    from ortools.sat.python import cp_model

    model: Any = cp_model.CpModel()
    assert model.proto.parse_text_format(text)
    assert not model.validate()
    solver: Any = cp_model.CpSolver()
    if solver.solve(model) == cp_model.INFEASIBLE:
        return None
    values = solver.response_proto.solution
    names = [var.name for var, value in zip(model.proto.variables, values, strict=True) if value]
    return [
        re.sub(r"player (\d+) holds (\d+)/(\d+)", r"card_\2_\3_of_player_\1", name)
        for name in names
    ]


def smt2_by_z3(text: str) -> Answer:
    import z3

    solver = z3.Solver()
    solver.from_string(text)
    if solver.check() == z3.unsat:
        return None
    model = solver.model()
    return [str(symbol) for symbol in model if z3.is_true(model[symbol])]


def smt2_by_cvc5(text: str) -> Answer:
    import cvc5

    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "exported")
    names, output = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        output += command.invoke(solver, names)
    if output.strip() == "unsat":
        return None
    assert output.strip() == "sat", output
    terms = [term for term in names.getDeclaredTerms() if str(term).startswith("card_")]
    return [str(term) for term in terms if str(solver.getValue(term)) == "true"]


def asp_by_clingo(text: str) -> Answer:
    import clingo

    control = clingo.Control()
    control.add("base", [], text)
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        for model in handle:
            return [str(atom) for atom in model.symbols(atoms=True)]
    return None


def mzn_by_minizinc(text: str) -> Answer:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "exported.mzn"
        path.write_text(text)
        command = ["minizinc", "--solver", "gecode", "--output-mode", "dzn", str(path)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return None if "UNSATISFIABLE" in output else re.findall(r"(card_\S+) = 1;", output)


READERS = [
    Reader("opb", "rows", opb_by_highs, "scipy"),
    Reader("opb", "z3", opb_by_z3, "z3"),
    Reader("cnf", "cp-sat", cnf_by_cp_sat, "ortools"),
    Reader("cnf", "cadical", cnf_by_cadical, "pysat"),
    Reader("flow", "scipy", flow_by_scipy, "scipy"),
    Reader("lp", "rows", lp_by_highs, "scipy"),
    Reader("mps", "scip", mps_by_scip, "ortools"),
    Reader("cp-sat", "cp-sat", cp_sat_by_itself, "ortools"),
    Reader("smt2", "z3", smt2_by_z3, "z3"),
    Reader("smt2", "cvc5", smt2_by_cvc5, "cvc5"),
    Reader("asp", "clingo", asp_by_clingo, "clingo"),
    Reader("mzn", "gecode", mzn_by_minizinc, "minizinc"),
    Reader("fzn", "rows", fzn_by_highs, "scipy"),
]
