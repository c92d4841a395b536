"""Proofs for independent checkers: every proof is accepted, and nothing else."""

import re
import subprocess
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from random import Random
from shutil import which

import pytest

from quaternity.base.errors import InputError
from solvers.exchange.checker import InvalidProof, check_proof
from solvers.exchange.formats import opb
from solvers.exchange.proof import check_refutation, refutation
from solvers.instances import FAMILIES, make_pair
from solvers.problem import DealProblem, SetConstraint
from solvers.random_problems import Sizes, random_tightened
from solvers.registry import SOLVERS, solve
from solvers.shortage import Certificate, CrossedBounds, CrowdedHand, Shortage, TooManyCards
from solvers.verdict import Infeasible
from tests.sizes import thorough
from tests.solvers.foreign_readers import opb_rows
from tests.solvers.test_exchange import ODD


def prove(problem: DealProblem, solver: str = "max-flow") -> Certificate:
    verdict = SOLVERS[solver](problem)
    assert isinstance(verdict, Infeasible)
    assert verdict.shortage is not None
    return verdict.shortage


def impossible() -> Iterator[tuple[DealProblem, Certificate]]:
    """Yield impossible problems of all kinds, each with the certificate of one or two solvers."""
    random = Random(7)
    while True:
        cases = [
            random_tightened(random.randint, Sizes()),
            random_tightened(random.randint, Sizes(6, 4, 6)),
        ]
        seed = random.randrange(10**6)
        cases.append(
            make_pair(random.choice(list(FAMILIES)), random.randint(12, 24), seed).impossible
        )
        for problem in (*ODD, *cases):
            for name in ("max-flow", "coalitions") if problem.players < 8 else ("max-flow",):
                if not solve(problem):
                    yield problem, prove(problem, name)


def test_every_certificate_becomes_a_short_proof() -> None:
    large = make_pair("game", 400, 1).impossible
    cases = [*islice(impossible(), thorough(300, 1000)), (large, prove(large))]
    for problem, certificate in cases:
        proof = refutation(problem, certificate)
        check_refutation(problem, opb(problem), proof)
        assert len(proof) < 5000
    assert {type(certificate) for _, certificate in cases} == {
        CrossedBounds, CrowdedHand, Shortage, TooManyCards
    }  # fmt: skip


def corrupt(text: str, random: Random) -> Iterator[str]:
    """Yield the text with one token removed, doubled or replaced by another token or number."""
    tokens = list(re.finditer(r"[^\s;]+|;", text))
    for token in tokens:
        old = token[0]
        new = {"", f"{old} {old}", random.choice(tokens)[0], old + "x", old[:-1]}
        if re.fullmatch(r"[+-]?\d+", old):
            new |= {str(int(old) + step) for step in (-1, 1, 2)} | {"-" + old, "0"}
        for other in sorted(new - {old}):
            yield text[: token.start()] + other + text[token.end() :]


def is_accepted(formula: str, proof: str) -> bool:
    try:
        check_proof(formula, proof)
    except InvalidProof:
        return False
    return True


def adds_up(formula: str, proof: str) -> bool:
    """Return whether a sum of rows is impossible, by a second reader that knows only our proofs."""
    rows = []
    lines = [line.split() for line in formula.splitlines() if not line.startswith("*")]
    for terms, low, high in opb_rows(lines):
        rows.append((terms, low))
        if low == high:
            rows.append(({name: -factor for name, factor in terms.items()}, -low))
    _, start, total, *rest = proof.replace(";", " ").splitlines()
    assert start.split() == ["f", str(len(rows))]
    assert [line.split()[0] for line in rest] == ["output", "conclusion", "end"]
    chosen = [rows[int(number) - 1] for number in re.findall(r"\d+", total)]
    names = {name for terms, _ in chosen for name in terms}
    most = sum(max(0, sum(terms.get(name, 0) for terms, _ in chosen)) for name in names)
    rows.append(({}, sum(low for _, low in chosen) - most))
    last = rows[int(rest[1].split()[-1]) - 1]
    return last[1] > sum(max(0, factor) for factor in last[0].values())


def test_corrupted_proofs_are_refused_unless_they_are_proofs() -> None:
    """If two rows say the same, or one is impossible by itself, other sums are also proofs.

    The problems of the families are impossible for one reason.
    """
    random = Random(3)
    just = [make_pair(family, 12, 0).impossible for family in FAMILIES]
    others = islice(impossible(), thorough(10, 100))
    for cases, most in ([(problem, prove(problem)) for problem in just], 0.01), (others, 0.05):
        tried = proofs = 0
        for problem, certificate in cases:
            formula, proof = opb(problem), refutation(problem, certificate)
            assert adds_up(formula, proof)
            for other in corrupt(proof, random):
                tried += 1
                if is_accepted(formula, other):
                    proofs += 1
                    assert adds_up(formula, other), other
        assert tried > 400
        assert proofs < tried * most


FORMULA = "* a comment\n\n+1 x1 +1 x2 >= 2 ;\n-1 x1 -1 ~x2 = -1 ;\n+2 x2 <= 1 ;\n"


def proof(steps: str, last: int = 5) -> str:
    return (
        f"pseudo-Boolean proof version 3.0\nf 4;{steps}output NONE;\n"
        f"conclusion UNSAT : {last};\nend pseudo-Boolean proof;\n"
    )


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        # x1 + x2 >= 2, and -2 x2 >= -1: twice the first and the second, 2 x1 >= 3.
        (" pol 1 2 * 4 + ; % twice\n", 5),
        ("pol 1;pol 5 5 + 4 +;", 6),
        ("pol 4 1 1 + +;", 5),
        ("pol 3 3 +;pol 1 2 * 4 +\n;", 6),
    ],
)
def test_every_step_of_the_format_is_accepted(steps: str, last: int) -> None:
    check_proof(FORMULA, proof(steps, last))


@pytest.mark.parametrize(
    ("steps", "last", "words"),
    [
        ("", 4, "row 4 is not a contradiction: its sum must be at least -1, and can be up to 0"),
        ("pol 1;", 5, "is not a contradiction: its sum must be at least 2, and can be up to 2"),
        ("pol 1 4 +;", 5, "row 5 is not a contradiction"),
        ("pol 1 2 * 5 +;", 5, "'5' is not the number of a preceding row"),
        ("pol 1 0 * 4 +;", 5, "'0' is not"),
        ("pol 1 -2 * 4 +;", 5, "'-2' is not"),
        ("pol 1 4;", 5, "pol leaves 2 rows, not one"),
        ("pol;", 5, "pol leaves 0 rows"),
        ("pol 1 +;", 5, "token 2 of pol: two rows must precede +"),
        ("pol 2 *;", 5, "a row must precede the factor"),
        ("rup >= 1;", 5, "'rup >= 1' is not a known statement"),
        ("pol 1 2 * 4 +;", 6, "'6' is not the number"),
    ],
)
def test_an_invalid_proof_is_refused(steps: str, last: int, words: str) -> None:
    with pytest.raises(InvalidProof) as caught:
        check_proof(FORMULA, proof(steps, last))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("+1 x1 +1", "x1 +1"), "line 3: 'x1' '+1' is not a term"),
        (("+1 x2 >=", "+1 >="), "line 3: '+1' '' is not a term"),
        (("= -1 ;", "= -1"), "line 4: must end with"),
        (("= -1", "== -1"), "line 4: must end with"),
        (("= -1", "= -1.0"), "line 4: must end with"),
        (("<= 1", "<= " + "9" * 5000), "line 5: must end with"),
        (("-1 ~x2", "-1 ~~x2"), "line 4: '-1' '~~x2' is not a term"),
        (("* a comment\n", "min: +1 x1 ;\n"), "line 1"),
    ],
)
def test_an_invalid_formula_is_refused(change: tuple[str, str], words: str) -> None:
    with pytest.raises(InvalidProof) as caught:
        check_proof(FORMULA.replace(*change), proof("pol 1 2 * 4 +;"))
    assert words in str(caught.value)


Row = tuple[list[tuple[int, int, bool]], str, int]
"""Terms (coefficient, variable, whether negated), relation and bound."""


def tiny_formula(random: Random) -> tuple[list[Row], str]:
    """Return some rows over three variables and their text, with comments that look like rows."""
    rows: list[Row] = []
    lines = []
    for _ in range(random.randint(1, 4)):
        terms = [
            (random.randint(-3, 3), random.randint(1, 3), random.random() < 0.3)
            for _ in range(random.randint(0, 4))
        ]
        rows.append((terms, random.choice([">=", "<=", "="]), random.randint(-4, 5)))
        if random.random() < 0.15:
            lines.append(f"* note{random.choice(ENDS)}+1 x1 >= 2 ;")
        left = "".join(f"{factor:+} {'~' * no}x{name} " for factor, name, no in terms)
        lines.append(f"{left}{rows[-1][1]} {rows[-1][2]} ;")
    return rows, "\n".join(lines)


ENDS = ("\r", "\v", "\f", "\x1c", "\x1e", "\x85", "\u2028", " ")


def is_satisfiable(rows: list[Row]) -> bool:
    holds = {">=": int.__ge__, "<=": int.__le__, "=": int.__eq__}
    return any(
        all(
            holds[sign](sum(factor * (bits[name - 1] ^ no) for factor, name, no in terms), bound)
            for terms, sign, bound in rows
        )
        for bits in product((0, 1), repeat=3)
    )


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
        rows, formula = tiny_formula(random)
        count = sum(1 + (sign == "=") for _, sign, _ in rows)
        for _ in range(8):
            text = random_proof(random, count)
            if is_accepted(formula, text):
                accepted += 1
                assert not is_satisfiable(rows), (formula, text)
    assert accepted > 50


@pytest.mark.parametrize("end", ENDS)
def test_no_line_starts_within_a_comment(end: str) -> None:
    text = proof("", 1).replace("f 4;", "f 1;")
    assert is_accepted("+1 x1 >= 2 ;\n", text)
    assert not is_accepted(f"* a comment{end}+1 x1 >= 2 ;\n", text)


@pytest.mark.parametrize("character", ["\x00", "\x85", "é", "\u2028"])
def test_an_invalid_character_is_named_with_its_line(character: str) -> None:
    formula, text = "\n+1 x1 >= 2 ;\n* end\n", proof("", 1).replace("f 4;", "f 1;")
    for name, whole in (("formula", formula), ("proof", text)):
        lines = whole.split("\n")
        for number in range(len(lines)):
            odd = "\n".join([*lines[:number], lines[number] + character, *lines[number + 1 :]])
            texts = (odd, text) if name == "formula" else (formula, odd)
            with pytest.raises(InvalidProof, match=f"^{name}, line {number + 1}: "):
                check_proof(*texts)


@pytest.mark.parametrize("text", ["", "pseudo-Boolean proof version 2.0\n", "\x00", ";" * 9])
def test_a_text_without_a_proof_is_refused(text: str) -> None:
    with pytest.raises(InvalidProof, match=r"proof(: the first line is not|, line 1: )"):
        check_proof(FORMULA, text)


def test_a_certificate_of_another_problem_is_refused() -> None:
    with pytest.raises(InputError, match="the certificate does not hold for this problem"):
        refutation(DealProblem([1], [SetConstraint([1], [0], [1])]), TooManyCards())


@pytest.mark.skipif(which("veripb") is None, reason="VeriPB is not installed")
def test_veripb_accepts_proofs_and_refuses_corrupted_ones(tmp_path: Path) -> None:
    for number, (problem, certificate) in enumerate(islice(impossible(), thorough(20, 281))):
        formula, proof = tmp_path / "x.opb", tmp_path / "x.pbp"
        formula.write_text(opb(problem))
        good = refutation(problem, certificate)
        bad = good.replace("conclusion UNSAT : ", "conclusion UNSAT : 1")
        for text in (good, bad):
            proof.write_text(text)
            result = subprocess.run(["veripb", formula, proof], capture_output=True, text=True)
            assert ("Verification succeeded" in result.stdout) == (text is good), (number, result)
