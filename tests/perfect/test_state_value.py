"""The order in which a player values standings."""

from itertools import pairwise

from quaternity.perfect.solving.state_value import StateValue


def standing(
    own: int | None, other: int | None, win: tuple[int, ...], prevent: tuple[int, ...]
) -> StateValue:
    """Return a standing of three players, described from the view of player 0."""
    can_force = tuple(player for player, length in ((0, own), (1, other)) if length is not None)
    return StateValue(can_force, win, (prevent, (), ()), (own, other, None))


def test_better_standings_are_worth_more() -> None:
    ordered = [
        standing(1, None, (0,), (1, 2)),
        standing(4, None, (0, 1, 2), ()),  # a forced win, even a long one
        standing(None, None, (0,), (1,)),  # nobody can force a win, and player 0 can win
        standing(None, None, (0, 1), (1,)),
        standing(None, None, (0, 1, 2), (1,)),  # worse, as more others can win
        standing(None, None, (0,), ()),  # worse, as player 0 can prevent fewer wins
        standing(None, None, (1, 2), (1, 2)),
        standing(None, 7, (0, 1), (2,)),  # another player forces a win, late
        standing(None, 2, (0, 1), (2,)),
    ]
    worths = [entry.worth(0) for entry in ordered]
    for better, worse in pairwise(worths):
        assert better > worse


def test_the_document_is_plain() -> None:
    assert standing(None, 7, (0, 1), (2,)).document() == {
        "can_force_win": [1],
        "can_win": [0, 1],
        "can_prevent_win": [[2], [], []],
        "forced_length": [None, 7, None],
    }
