"""What counts for a player, in which order."""

from itertools import pairwise

from quaternity.perfect.solving.standing import Standing


def standing(
    mine: int | None, theirs: int | None, win: tuple[int, ...], prevent: tuple[int, ...]
) -> Standing:
    """Of three players, as player 0 looks at it."""
    can_force = tuple(player for player, length in ((0, mine), (1, theirs)) if length is not None)
    return Standing(can_force, win, (prevent, (), ()), (mine, theirs, None))


def test_the_better_is_worth_more() -> None:
    ordered = [
        standing(1, None, (0,), (1, 2)),
        standing(4, None, (0, 1, 2), ()),  # a forced win, even a long one
        standing(None, None, (0,), (1,)),  # nobody forces; my win is possible
        standing(None, None, (0, 1), (1,)),
        standing(None, None, (0, 1, 2), (1,)),  # the fewer others can win the better
        standing(None, None, (0,), ()),  # but the more whose win I can prevent the better
        standing(None, None, (1, 2), (1, 2)),
        standing(None, 7, (0, 1), (2,)),  # another forces a win, late
        standing(None, 2, (0, 1), (2,)),
    ]
    worths = [one.worth(0) for one in ordered]
    for better, worse in pairwise(worths):
        assert better > worse


def test_the_document_is_plain() -> None:
    assert standing(None, 7, (0, 1), (2,)).document() == {
        "can_force_win": [1],
        "can_win": [0, 1],
        "can_prevent_win": [[2], [], []],
        "forced_length": [None, 7, None],
    }
