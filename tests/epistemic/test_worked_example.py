"""A card found by elimination: which other player could have the last card of a set?

Player B is publicly seen with two cards of a set; player A holds the third and lacks the fourth.
A knows that B lacks it, and knows all cards of player C, none of which it is. So A knows that
player D has it. (Elsewhere, one card of B and one of D are unknown to A.)
"""

from functools import partial

from quaternity.epistemic import C, EvaluationMethod, H, K, U, evaluate, every, explain_formula
from solvers import Deal, DealProblem, SetConstraint
from tests.agreement import agree

TWO_WAYS = {
    str(way): partial(evaluate, method=way)
    for way in (EvaluationMethod.EXPLICIT, EvaluationMethod.SOLVERS)
}


def full_size() -> tuple[DealProblem, Deal]:
    """Return 52 cards for players 0..3 as A, B, C, D; the set is number 8, its last card 8/3.

    All but seven cards are public.
    """
    owner: list[list[int]] = [[0] * 4] * 3 + [[1] * 4] * 2 + [[2] * 4] * 3
    owner += [[1, 1, 0, 3]]
    owner += [[3, 3, 3, 0], [3] * 4]
    owner += [[1, 3, 2, 3], [1, 1, 2, 3]]
    owners = [[[player] for player in row] for row in owner]
    # Player 1 denied having 8/3; it is not public which of the others has it.
    owners[8][3] = [0, 2, 3]
    owners[8][2] = owners[12][2] = [0, 2]
    owners[9][3] = [0, 3]
    # Players 1 and 3 hold one each of 11/0 and 11/1; players 0 and 2 are excluded.
    owners[11][0] = owners[11][1] = [1, 3]
    sets = [SetConstraint.of(set_owners, players=4) for set_owners in owners]
    hands = [sum(row.count(player) for row in owner) for player in range(4)]
    return DealProblem(hands, sets), Deal(tuple(map(tuple, owner)))


PREMISES = every(
    [
        C(H(1, "8/0") & H(1, "8/1")),
        K(0, ~H(1, "8/3")),
        H(0, "8/2"),
        ~H(0, "8/3"),
        U(0, 2, 0),
        K(0, ~H(2, "8/3")),
        U(0, 3, 1),
    ]
)


def test_the_last_card_is_found() -> None:
    problem, deal = full_size()
    for formula, truth in ((PREMISES, True), ("K0 H3 8/3", True), ("P H3 8/3", False)):
        assert agree(TWO_WAYS, formula, problem, deal) is truth


def test_why_the_last_card_is_found() -> None:
    problem, deal = full_size()
    lines = explain_formula("K0 H3 8/3", problem, deal).lines
    assert lines[0] == "player 0 knows H3 8/3:"
    assert len(lines) == 4
    assert lines[1].startswith("  player 0 cannot hold 8/3: player 0 sees")
    assert lines[2].startswith("  player 2 cannot hold 8/3: otherwise players")
    assert lines[3] == "  player 1 cannot hold 8/3: everybody knows that"
