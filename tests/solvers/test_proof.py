"""Proofs for independent checkers: every proof is accepted, and nothing else."""

import re
import subprocess
from collections.abc import Callable
from itertools import product
from operator import eq, ge, le
from pathlib import Path
from random import Random
from shutil import which
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from solvers.exchange.checker import InvalidProof, check_proof
from solvers.exchange.formats import opb
from solvers.exchange.proof import check_refutation, refutation
from solvers.instances import make_pair
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import SOLVERS, solve, solvers_for
from solvers.shortage import Certificate, TooManyCards
from solvers.solver import Solver
from solvers.strategies import tightened_problems
from solvers.verdict import Infeasible
from tests.sizes import thorough
from tests.solvers.test_exchange import ODD, families

impossible_problems = (
    st.sampled_from(ODD) | tightened_problems() | tightened_problems(6, 4, 6) | families
).filter(lambda problem: not solve(problem))


def prove(problem: DealProblem, solver: Solver = SOLVERS["max-flow"]) -> Certificate:
    verdict = solver(problem)
    assert isinstance(verdict, Infeasible)
    assert verdict.shortage is not None
    return verdict.shortage


@example(problem=make_pair("game", 400, 1).impossible)
@given(problem=impossible_problems)
@settings(max_examples=thorough(100, 1000))
def test_every_certificate_becomes_a_short_proof(problem: DealProblem) -> None:
    for solver in solvers_for(problem, [SOLVERS["max-flow"], SOLVERS["coalitions"]]):
        proof = refutation(problem, prove(problem, solver))
        check_refutation(problem, opb(problem), proof)
        assert len(proof) < 5000


def is_accepted(formula: str, proof: str) -> bool:
    try:
        check_proof(formula, proof)
    except InvalidProof:
        return False
    return True


FORMULA = "* a comment\n\n+1 x1 +1 x2 >= 2 ;\n-1 x1 -1 ~x2 = -1 ;\n+2 x2 <= 1 ;\n"
SUM = "pol 1 2 * 4 +;"
"""The sum of row 4, -2 x2 >= -1, and twice row 1, x1 + x2 >= 2: 2 x1 >= 3."""


def proof(steps: str = SUM, last: int = 5) -> str:
    return (
        f"pseudo-Boolean proof version 3.0\nf 4;{steps}output NONE;\n"
        f"conclusion UNSAT : {last};\nend pseudo-Boolean proof;\n"
    )


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        (" pol 1 2 * 4 + ; % twice\n", 5),
        ("pol 1;pol 5 5 + 4 +;", 6),
        ("pol 4 1 1 + +;", 5),
        ("pol 3 3 +;pol 1 2 * 4 +\n;", 6),
    ],
)
def test_every_step_of_the_format_is_accepted(steps: str, last: int) -> None:
    check_proof(FORMULA, proof(steps, last))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (SUM, "pol 1 4 +;", "row 5 is not a contradiction"),
        (proof(), proof("pol 1 4 +;", 1), "row 1 is not a contradiction"),
        (SUM, "pol 1;", "row 5 is not a contradiction: its sum must be at least 2, and can be up"),
        (SUM, "pol 1 2 * 5 +;", "'5' is not the number of a preceding row"),
        (SUM, "pol 1 -2 * 4 +;", "'-2' is not"),
        (SUM, "pol 1 4;", "pol leaves 2 rows, not one"),
        (SUM, "pol 1 +;", "token 2 of pol: two rows must precede +"),
        (SUM, "pol 2 *;", "a row must precede the factor"),
        (SUM, "rup >= 1;", "'rup >= 1' is not a known statement"),
        ("UNSAT : 5", "UNSAT : 6", "'6' is not the number"),
        ("UNSAT : 5", "UNSAT : 4", "row 4 is not a contradiction: its sum must be at least -1"),
        ("conclusion UNSAT : 5", "", "expected 'conclusion UNSAT : NUMBER', not ''"),
        ("NONE", "ALL", "expected 'output NONE' and 'end pseudo-Boolean proof', not 'output ALL'"),
        ("end pseudo-Boolean", "end", "expected 'output NONE' and 'end pseudo-Boolean proof', not"),
        ("version 3.0", "version 2.0", "proof: the first line is not"),
        (proof(), "", "proof: the first line is not"),
        ("+1 x1 +1", "x1 +1", "line 3: 'x1' '+1' is not a term"),
        ("+1 x2 >=", "+1 >=", "line 3: '+1' '' is not a term"),
        ("= -1 ;", "= -1", "line 4: must end with"),
        ("= -1", "= -1.0", "line 4: must end with"),
        ("<= 1", "<= " + "9" * 5000, "line 5: must end with"),
        ("-1 ~x2", "-1 ~~x2", "line 4: '-1' '~~x2' is not a term"),
        ("* a comment\n", "min: +1 x1 ;\n", "line 1"),
        ("* a comment", "* é", "formula, line 1: '\\xe9' is not allowed in the format"),
        ("output", "\x85output", "proof, line 2: '\\x85' is not allowed"),
        ("end", "% \u2028\nend", "proof, line 4: '\\u2028' is not allowed"),
    ],
)
def test_an_invalid_formula_or_proof_is_refused(old: str, new: str, words: str) -> None:
    formula, text = FORMULA.replace(old, new), proof().replace(old, new)
    with pytest.raises(InvalidProof) as caught:
        check_proof(formula, text)
    assert words in str(caught.value)


def test_a_proof_with_a_damaged_token_is_refused() -> None:
    formula = "+1 x1 >= 1 ;\n-1 x1 >= 0 ;\n"
    good = proof(" pol 1 2 + ;\n", 3).replace("f 4;", "f 2 ;").replace("E;", "E ;")
    check_proof(formula, good)
    for token in re.finditer(r"[^\s;]+|;", good):
        old = token[0]
        damaged = {"", f"{old} {old}", "0", "%", old + "0", "-" + old, old[1:], *good.split()}
        for new in damaged - {old}:
            text = good[: token.start()] + new + good[token.end() :]
            assert not is_accepted(formula, text), text


def test_a_proof_without_steps_needs_a_row_without_solutions() -> None:
    text = proof("", 1).replace("f 4;", "f 1;")
    check_proof("+1 x1 >= 2 ;\n", text)
    with pytest.raises(InvalidProof, match="row 1 is not a contradiction"):
        check_proof("+1 x1 >= 1 ;\n", text)
    with pytest.raises(InvalidProof, match="too few statements"):
        check_proof("+1 x1 >= 2 ;\n", text.replace("f 1;", ""))


ENDS = ("\r", "\v", "\f", "\x1c", "\x1e", "\x85", "\u2028", " ")
HOLDS = {">=": ge, "<=": le, "=": eq}
Bits = tuple[int, ...]


def tiny_row(random: Random) -> tuple[str, str, Callable[[Bits], bool]]:
    """Return the text of a row over three variables, its relation, and whether values satisfy it.

    Some rows follow a comment that looks like a row.
    """
    terms = [
        (random.randint(-3, 3), random.randint(1, 3), random.random() < 0.3)
        for _ in range(random.randint(0, 4))
    ]
    sign, bound = random.choice([*HOLDS]), random.randint(-4, 5)
    note = f"* note{random.choice(ENDS)}+1 x1 >= 2 ;\n" if random.random() < 0.15 else ""
    left = "".join(f"{factor:+} {'~' * no}x{name} " for factor, name, no in terms)

    def holds(bits: Bits) -> bool:
        total = sum(factor * (bits[name - 1] ^ no) for factor, name, no in terms)
        return bool(HOLDS[sign](total, bound))

    return f"{note}{left}{sign} {bound} ;", sign, holds


def random_proof(random: Random, rows: int) -> str:
    """Return a proof of random sums, often with the right count, sometimes damaged."""
    steps = ""
    for number in range(rows, rows + random.randint(0, 3)):
        words: list[str] = []
        for depth in range(random.randint(1, 4)):
            words.append(str(random.randint(1, number)))
            words += [str(random.choice([2, 3, 10**99])), "*"] * random.randint(0, 1)
            words += ["+"] * (depth > 0)
        steps += f"pol {' '.join(words)} ;\n"
    count = rows + (random.random() < 0.2)
    last = random.randint(1, rows + steps.count("pol"))
    text = proof("\n" + steps, last).replace("f 4;", f"f {count};")
    for _ in range(random.choice([0, 0, 1, 2])):
        place = random.randrange(len(text))
        new = random.choice(["", "%", "*", ";", "-", "+", "1", "\n", "٣", *ENDS])
        text = text[:place] + new + text[place + random.randint(0, 1) :]
    return text


@pytest.mark.parametrize("seed", range(thorough(2, 40)))
def test_nothing_proves_a_formula_that_has_a_solution(seed: int) -> None:
    random, accepted = Random(seed), 0
    for _ in range(200):
        rows = [tiny_row(random) for _ in range(random.randint(1, 4))]
        lines, signs, holds = zip(*rows, strict=True)
        formula, count = "\n".join(lines), len(signs) + signs.count("=")
        solvable = any(all(true(bits) for true in holds) for bits in product((0, 1), repeat=3))
        for _ in range(8):
            text = random_proof(random, count)
            if is_accepted(formula, text):
                accepted += 1
                assert not solvable, (formula, text)
    assert accepted > 50


def test_a_certificate_of_another_problem_is_refused() -> None:
    with pytest.raises(InputError, match="the certificate does not hold for this problem"):
        refutation(DealProblem([1], [SetConstraint([1], [0], [1])]), TooManyCards())


@pytest.mark.skipif(which("veripb") is None, reason="VeriPB is not installed")
@given(problem=impossible_problems)
@settings(max_examples=thorough(20, 281))
def test_veripb_accepts_proofs_and_refuses_corrupted_ones(problem: DealProblem) -> None:
    good = refutation(problem, prove(problem))
    for text in (good, good.replace("conclusion UNSAT : ", "conclusion UNSAT : 1")):
        with TemporaryDirectory() as folder:
            formula, proof = Path(folder) / "x.opb", Path(folder) / "x.pbp"
            formula.write_text(opb(problem))
            proof.write_text(text)
            result = subprocess.run(["veripb", formula, proof], capture_output=True, text=True)
        assert ("Verification succeeded" in result.stdout) == (text is good), result
