"""Hypothesis strategies for deal problems, for testing solvers: yours too.

    from hypothesis import given
    from solvers import verify
    from solvers.strategies import deal_problems

    @given(deal_problems())
    def test_my_solver(problem):
        assert verify(problem, my_solver(problem))

Problems are feasible and infeasible in about equal parts. They are made by loosening or spoiling a
real deal, so that infeasible ones miss narrowly, and they shrink towards few players and cards.
"""

from __future__ import annotations

from hypothesis import strategies as st

from solvers.problem import DealProblem, SetConstraint


@st.composite
def feasible_problems(
    draw: st.DrawFn,
    max_players: int = 4,
    max_sets: int = 3,
    max_set_size: int = 4,
    upper_bounds: bool = True,
    same_size: bool = False,
) -> DealProblem:
    """Problems that at least one deal satisfies: constraints loosened around a drawn deal."""
    players = draw(st.integers(1, max_players))
    if same_size:
        sizes = draw(st.integers(1, max_sets)) * [draw(st.integers(1, max_set_size))]
    else:
        sizes = draw(st.lists(st.integers(0, max_set_size), max_size=max_sets))
    everybody = (1 << players) - 1
    hands = [0] * players
    sets = []
    for size in sizes:
        deal = draw(st.lists(st.integers(0, players - 1), min_size=size, max_size=size))
        more = draw(st.lists(st.integers(0, everybody), min_size=size, max_size=size))
        counts = [deal.count(player) for player in range(players)]
        for player, count in enumerate(counts):
            hands[player] += count
        low = [draw(st.integers(0, count)) for count in counts]
        high = [
            # A bound may also be beyond the set.
            draw(st.integers(count, size + 1)) if upper_bounds and draw(st.booleans()) else size
            for count in counts
        ]
        owners = [1 << who | extra for who, extra in zip(deal, more, strict=True)]
        sets.append(SetConstraint(owners, low, high))
    return DealProblem(hands, sets)


@st.composite
def spoilt_problems(
    draw: st.DrawFn,
    max_players: int = 4,
    max_sets: int = 3,
    max_set_size: int = 4,
    upper_bounds: bool = True,
    same_size: bool = False,
) -> DealProblem:
    """Feasible problems with a few constraints tightened: most of them infeasible."""
    problem = draw(feasible_problems(max_players, max_sets, max_set_size, upper_bounds, same_size))
    hands, sets = list(problem.hands), list(problem.sets)
    players = problem.players
    for _ in range(draw(st.integers(1, 6))):
        kinds = ["hands"]
        index = draw(st.integers(0, len(sets) - 1)) if sets else 0
        if sets:
            kinds += ["low", "high"] if upper_bounds else ["low"]
            kinds += ["owner", "owner"] if sets[index].size else []
        kind = draw(st.sampled_from(kinds))
        player = draw(st.integers(0, players - 1))
        if kind == "hands":
            giver = draw(st.integers(0, players - 1))
            if hands[giver]:
                hands[giver] -= 1
            if giver != player or draw(st.booleans()):
                hands[player] += 1
            continue
        owners, low, high = map(list, sets[index])
        if kind == "low":
            low[player] = draw(st.integers(low[player], sets[index].size + 1))
        elif kind == "high":
            high[player] = draw(st.integers(0, high[player]))
        else:
            card = draw(st.integers(0, len(owners) - 1))
            owners[card] &= ~(1 << player)
        sets[index] = SetConstraint(owners, low, high)
    return DealProblem(hands, sets)


def deal_problems(
    max_players: int = 4,
    max_sets: int = 3,
    max_set_size: int = 4,
    upper_bounds: bool = True,
    same_size: bool = False,
) -> st.SearchStrategy[DealProblem]:
    """Deal problems of both kinds.

    Args:
        max_players, max_sets, max_set_size: the largest sizes; at least one player.
        upper_bounds: False: no upper bound ever matters.
        same_size: at least one set, and all sets of one size of at least 1, as in a game.
    """
    sizes = (max_players, max_sets, max_set_size, upper_bounds, same_size)
    return st.one_of(feasible_problems(*sizes), spoilt_problems(*sizes))


__all__ = ["deal_problems", "feasible_problems", "spoilt_problems"]
