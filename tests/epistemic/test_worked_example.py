"""A card found by elimination: which other player could have the last card of a set?

Player B is publicly seen with two cards of a set; player A holds the third and lacks the fourth.
A knows that B lacks it, and knows all cards of player C, none of which it is. So A knows that
player D has it. (Elsewhere, one card of B and one of D are unknown to A.)
"""

from functools import partial

import pytest

from quaternity.epistemic import C, EvaluationMethod, H, K, U, evaluate, every, explain_formula
from quaternity.epistemic.formula import Formula
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


def as_written() -> tuple[DealProblem, Deal]:
    """Return the same with the players called 1 to 4, and the cards of set 8 called 8/1 to 8/4.

    Player 0 watches without cards, and card 8/0 is publicly with player 1.
    """
    problem, deal = full_size()
    sets, owner = [], []
    for index, (constraint, row) in enumerate(zip(problem.sets, deal.owner, strict=True)):
        more, extra = ([1 << 1], (1,)) if index == 8 else ([], ())
        owners = [*more, *(mask << 1 for mask in constraint.owners)]
        sets.append(SetConstraint(owners, [0] * 5, [len(owners)] * 5))
        owner.append((*extra, *(player + 1 for player in row)))
    hands = [0, problem.hands[0] + 1, *problem.hands[1:]]
    return DealProblem(hands, sets), Deal(tuple(owner))


def premises(first: int, low: int) -> Formula:
    """Return the premises of the example about players `first`.. and cards 8/`low`..."""
    a, b, c, d = range(first, first + 4)
    cards = [f"8/{low + number}" for number in range(4)]
    return every(
        [
            C(H(b, cards[0]) & H(b, cards[1])),
            K(a, ~H(b, cards[3])),
            H(a, cards[2]),
            ~H(a, cards[3]),
            U(a, c, 0),
            K(a, ~H(c, cards[3])),
            U(a, d, 1),
        ]
    )


@pytest.mark.parametrize(
    ("position", "first", "low", "formula"),
    [(full_size(), 0, 0, "K0 H3 8/3"), (as_written(), 1, 1, "K1 H4 8/4")],
)
def test_the_last_card_is_found(
    position: tuple[DealProblem, Deal], first: int, low: int, formula: str
) -> None:
    problem, deal = position
    assert agree(TWO_WAYS, premises(first, low), problem, deal) is True
    assert agree(TWO_WAYS, formula, problem, deal) is True
    assert agree(TWO_WAYS, f"P {formula[3:]}", problem, deal) is False


def test_why_the_last_card_is_found() -> None:
    problem, deal = full_size()
    lines = explain_formula("K0 H3 8/3", problem, deal).lines
    assert lines[0] == "player 0 knows H3 8/3:"
    assert len(lines) == 4
    assert lines[1].startswith("  player 0 cannot hold 8/3: player 0 sees")
    assert lines[2].startswith("  player 2 cannot hold 8/3: player")
    assert lines[3] == "  player 1 cannot hold 8/3: everybody knows that"
