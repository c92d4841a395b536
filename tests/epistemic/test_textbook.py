"""Examples whose answers are in every textbook of epistemic logic."""

from functools import partial

import pytest

from quaternity.epistemic import C, D, EvaluationMethod, H, K, Language, P, evaluate, parse
from quaternity.epistemic.explicit_evaluator import ExplicitModel
from solvers import Deal, DealProblem, SetConstraint
from tests.agreement import agree

TWO_WAYS = {
    str(way): partial(evaluate, method=way)
    for way in (EvaluationMethod.EXPLICIT, EvaluationMethod.SOLVERS)
}

THREE_CARDS = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
"""Anne, Bill and Cath (0, 1, 2) hold one card each."""


@pytest.mark.parametrize(
    ("formula", "truth"),
    [
        # Every player sees their own card and nothing else, and everybody knows that.
        ("K0 H0 0/0 & !K0 H1 0/1 & !K0 H2 0/1", True),
        ("C (K0 H0 0/0 | K0 H0 0/1 | K0 H0 0/2)", True),
        ("K1 !K0 H1 0/1", True),
        ("K0 (H1 0/1 | H2 0/1)", True),
        ("D{0,1} H2 0/2", True),
        # Nothing about the deal is common knowledge, and all deals are connected.
        ("C !H0 0/1", False),
        # Anne says: I do not have card 1. Cath learns the deal; Anne and Bill do not.
        ("[!H0 0/1!] K2 (H0 0/0 & H1 0/1)", True),
        ("[!H0 0/1!] (K0 H1 0/1 | K1 H0 0/0)", False),
        # To Anne it is only possible that another player learned it.
        ("[!H0 0/1!] K0 (K1 H0 0/0 | K2 H0 0/0)", True),
        ("[!H0 0/1!] K0 K2 H0 0/0", False),
        # Then Bill says that he does not know Anne's card: he holds card 1, and all learn the deal.
        ("[!H0 0/1!] [!K1 H0 0/0 & !K1 H0 0/2!] C (H0 0/0 & H1 0/1 & H2 0/2)", False),
        ("[!H0 0/1!] [!K1 H0 0/0 & !K1 H0 0/2!] C H1 0/1", True),
        ("[!H0 0/1!] [!K1 H0 0/0 & !K1 H0 0/2!] K0 (H1 0/1 & H2 0/2)", True),
        # A true announcement about ignorance can make itself false.
        ("!K2 H0 0/0", True),
        ("[!H0 0/1 & !K2 H0 0/0!] !K2 H0 0/0", False),
        # A false formula cannot be announced: then anything follows.
        ("[H0 0/1!] false", True),
    ],
)
def test_three_cards(formula: str, truth: bool) -> None:
    assert agree(TWO_WAYS, formula, THREE_CARDS, [[0, 1, 2]]) is truth


def test_common_knowledge_and_truth_in_every_public_deal_differ() -> None:
    """They differ if chains of indistinguishable deals do not connect all public deals."""
    two_cards = DealProblem([1, 1], [SetConstraint.of([[0, 1], [0, 1]], players=2)])
    held = H(0, "0/0")
    assert len(set(ExplicitModel(two_cards).components())) == 2
    for formula, truth in ((C(held), True), (P(held), False), (P(held) >> C(held), True)):
        assert agree(TWO_WAYS, formula, two_cards, [[0, 1]]) is truth


def test_distributed_knowledge_is_more_than_the_knowledge_of_each_player() -> None:
    problem = DealProblem([1, 1, 2], [SetConstraint.of([[0, 1, 2]] * 4, players=3)])
    deal = [[0, 1, 2, 2]]
    rest = H(2, "0/2") & H(2, "0/3")
    assert agree(TWO_WAYS, D({0, 1}, rest) & ~K(0, rest) & ~K(1, rest), problem, deal) is True


# SMCDEL's examples MuddyChildren and MuddyShort, with the answers that it prints: a forehead is a
# hand with mud (card 0 of its set) or without (card 1); a child sees the hands of the others.
FOREHEADS = DealProblem(
    [1, 1, 1, 3],
    [
        SetConstraint.of(
            [[child, 3]] * 2, 4, [int(player in (child, 3)) for player in range(4)], [1, 1, 1, 1]
        )
        for child in range(3)
    ],
)
MUDDY = "(H0 0/0 | H1 1/0 | H2 2/0)"
WHETHER = [f"(D{{{b},{c}}} H{a} {a}/0 | D{{{b},{c}}} !H{a} {a}/0)"
           for a, b, c in ((0, 1, 2), (1, 0, 2), (2, 0, 1))]  # fmt: skip
NOBODY = "(!" + " & !".join(WHETHER) + ")"


@pytest.mark.parametrize(
    ("formula", "states"),
    [
        (NOBODY, ["", "0", "1", "2", "01", "02", "12", "012"]),
        (f"[{MUDDY}!] {WHETHER[0]}", ["", "0"]),
        (f"![{MUDDY}!] !({' | '.join(WHETHER)})", ["0", "1", "2"]),
        (f"[{MUDDY}!] [{NOBODY}!] [{NOBODY}!] (H0 0/0 & H1 1/0 & H2 2/0)",
         ["", "0", "1", "2", "01", "02", "12", "012"]),
        (f"[{MUDDY}!] [{NOBODY}!] {WHETHER[0]}", ["", "0", "1", "2", "01", "02"]),
        (f"D{{1,2}} (H1 1/0 & H2 2/0) & !{WHETHER[0]}", ["12", "012"]),
    ],
    ids=["nobody", "where 0 knows", "where somebody knows", "all are muddy", "second", "sees"],
)  # fmt: skip
def test_muddy_children_as_smcdel_answers(formula: str, states: list[str]) -> None:
    result = []
    for bits in range(8):
        muddy = [child for child in range(3) if bits >> child & 1]
        deal = [(child, 3) if child in muddy else (3, child) for child in range(3)]
        if agree(TWO_WAYS, parse(formula), FOREHEADS, Deal(tuple(deal))):
            result.append("".join(map(str, muddy)))
    assert sorted(result) == sorted(states)


HANDS = ["012", "034", "056", "135", "246"]
ALICE = "K0 (" + " | ".join(
    "(" + " & ".join(f"H0 0/{card}" for card in hand) + ")" for hand in HANDS
) + ")"  # fmt: skip
BOB = "K1 H2 0/6"
KNOWS_A = "all c in set 0: Kw1 H0 c"
KNOWS_B = "all c in set 0: Kw0 H1 c"
IGNORANT = "all c in set 0: !K2 H0 c & !K2 H1 c"


@pytest.mark.parametrize(
    "check",
    [
        ALICE,
        f"[{ALICE}!] {KNOWS_A}",
        f"[{ALICE}!] C{{0,1}} {KNOWS_A}",
        f"[{ALICE}!] {BOB}",
        f"[{ALICE}!] C {IGNORANT}",
        f"[{ALICE}!] [{BOB}!] C{{0,1}} {KNOWS_B}",
        f"[{ALICE}!] [{BOB}!] C{{0,1}} {KNOWS_A}",
        f"[{ALICE}!] [{BOB}!] C {IGNORANT}",
    ],
    ids=range(8),
)
def test_russian_cards_as_smcdel_answers(check: str) -> None:
    """All eight checks of its example are true at the deal 012.345.6, the last not by accident:
    if Bob had named his own cards, Carol would know."""
    problem = DealProblem([3, 3, 1], [SetConstraint.of([[0, 1, 2]] * 7, 3)])
    deal = [[0, 0, 0, 1, 1, 1, 2]]
    formula = parse(check, Language.of(problem))
    assert evaluate(formula, problem, deal)
    bad = check.replace(BOB, "H1 0/3 & H1 0/4 & H1 0/5")
    if bad != check and "!K2" in check:
        assert not evaluate(parse(bad, Language.of(problem)), problem, deal)
