"""A card found by elimination: who else could have the last card of a set?

Of one set, player B is publicly seen with two cards, player A holds the third and lacks the fourth;
A knows that B lacks it, and knows all cards of player C, none of which it is. So A knows that
player D has it. (Elsewhere one card of B and one of D stay unknown to A.)
"""

from functools import partial

import pytest

from quaternity.epistemic import C, H, K, Method, U, every, explain_formula, holds
from quaternity.epistemic.formula import Formula
from solvers import Deal, DealProblem, SetConstraint
from tests.agreement import agree

TWO_WAYS = {str(one): partial(holds, method=one) for one in (Method.EXPLICIT, Method.SOLVERS)}


def full_size() -> tuple[DealProblem, Deal]:
    """52 cards, players 0..3 as A, B, C, D; the set is number 8, its last card 8/3.

    All but seven cards are public.
    """
    owner: list[list[int]] = [[0] * 4] * 3 + [[1] * 4] * 2 + [[2] * 4] * 3
    owner += [[1, 1, 0, 3]]
    owner += [[3, 3, 3, 0], [3] * 4]
    owner += [[1, 3, 2, 3], [1, 1, 2, 3]]
    owners = [[[who] for who in one] for one in owner]
    # Player 1 was asked for 8/3 in vain; who of the others has it is not public.
    owners[8][3] = [0, 2, 3]
    owners[8][2] = owners[12][2] = [0, 2]
    owners[9][3] = [0, 3]
    # Players 1 and 3 hold one each of 11/0 and 11/1; players 0 and 2 are excluded.
    owners[11][0] = owners[11][1] = [1, 3]
    sets = [SetConstraint.of(one, players=4) for one in owners]
    hands = [sum(one.count(player) for one in owner) for player in range(4)]
    return DealProblem(hands, sets), Deal(tuple(map(tuple, owner)))


def as_written() -> tuple[DealProblem, Deal]:
    """The same with the players called 1 to 4, and the cards of set 8 called 8/1 to 8/4.

    Player 0 watches without cards, and card 8/0 is publicly with player 1.
    """
    problem, deal = full_size()
    sets, owner = [], []
    for index, (constraint, row) in enumerate(zip(problem.sets, deal.owner, strict=True)):
        more, extra = ([1 << 1], (1,)) if index == 8 else ([], ())
        owners = [*more, *(mask << 1 for mask in constraint.owners)]
        sets.append(SetConstraint(owners, [0] * 5, [len(owners)] * 5))
        owner.append((*extra, *(who + 1 for who in row)))
    hands = [0, problem.hands[0] + 1, *problem.hands[1:]]
    return DealProblem(hands, sets), Deal(tuple(owner))


def premises(first: int, low: int) -> Formula:
    """What is said of players `first`.. and cards 8/`low`.. in the example."""
    one, two, three, four = range(first, first + 4)
    cards = [f"8/{low + number}" for number in range(4)]
    return every(
        [
            C(H(two, cards[0]) & H(two, cards[1])),
            K(one, ~H(two, cards[3])),
            H(one, cards[2]),
            ~H(one, cards[3]),
            U(one, three, 0),
            K(one, ~H(three, cards[3])),
            U(one, four, 1),
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
