"""PAR-2, the virtual best solver and ranks, compared with their definitions."""

from dataclasses import FrozenInstanceError
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.trials.comparison import Row, Run, rows_of
from quaternity.trials.comparison.scores import (
    Times,
    par2,
    performance_profile,
    rank_intervals,
    virtual_best,
)

LIMIT = 10.0


@st.composite
def tables(draw: st.DrawFn) -> Times:
    instances = draw(st.integers(1, 6))
    # Times differ by at least a millisecond or not at all: sums would hide smaller differences.
    seconds = st.none() | st.integers(1, 1000 * int(LIMIT)).map(lambda count: count / 1000)
    return {
        f"solver {number}": draw(st.lists(seconds, min_size=instances, max_size=instances))
        for number in range(draw(st.integers(1, 5)))
    }


def rows(times: Times, limit: float = LIMIT) -> list[Row]:
    """Return the figures of runs with these times, the best first."""
    runs = [
        Run(f"instance {number}", "", 12, 3, True, solver, 0, "timeout", None, None, None, limit)
        if seconds is None
        else Run(f"instance {number}", "", 12, 3, True, solver, 0, "feasible", "deal", None, None,
                 seconds)
        for solver, own in times.items() for number, seconds in enumerate(own)
    ]  # fmt: skip
    return sorted(rows_of(runs, list(times), limit), key=lambda row: row.rank)


@given(tables())
def test_no_solver_beats_the_virtual_best_solver(times: Times) -> None:
    best = par2(virtual_best(times), LIMIT)
    scores = rows(times)
    assert {score.solver for score in scores} == set(times)
    for score in scores:
        own = times[score.solver]
        others = [column for name, column in times.items() if name != score.solver]
        rest = [[column[number] for column in others] for number in range(len(own))]
        assert score.par2 >= best - 1e-9
        assert score.decided == sum(seconds is not None for seconds in own)
        assert score.alone == sum(
            seconds is not None and all(rival is None for rival in column)
            for seconds, column in zip(own, rest, strict=True)
        )
        assert score.contribution >= -1e-9
        assert (score.contribution > 1e-9) == any(
            seconds is not None and all(rival is None or rival > seconds for rival in column)
            for seconds, column in zip(own, rest, strict=True)
        )
        assert 1 <= score.rank_interval[0] <= score.rank_interval[1] <= len(times)
    assert [score.rank for score in scores] == sorted(score.rank for score in scores)


def test_figures_cannot_be_changed() -> None:
    (row,) = rows({"flow": [1.0]})
    with pytest.raises(FrozenInstanceError):
        row.rank = 2  # type: ignore[misc]


def test_ranks_that_never_change_have_no_spread() -> None:
    times: Times = {"quick": [0.5] * 8, "slow": [1.0] * 8, "never": [None] * 8}
    scores = rows(times)
    assert [(score.solver, score.par2, score.rank_interval) for score in scores] == [
        ("quick", 0.5, (1, 1)),
        ("slow", 1.0, (2, 2)),
        ("never", 20.0, (3, 3)),
    ]
    assert [score.contribution for score in scores] == [0.5, 0.0, 0.0]
    assert [score.fastest for score in scores] == [8, 0, 0]


def test_ranks_that_chance_decides_overlap() -> None:
    times: Times = {"one": [1.0, 2.0] * 10, "two": [2.0, 1.0] * 10}
    for score in rows(times):
        assert score.rank == 1
        assert score.rank_interval == (1, 2)


@pytest.mark.parametrize(
    ("first", "second", "ranks"),
    [
        ([25, 19, 33, 32, 2], [21, 40, 56, 26, 58], {1}),
        ([38, 6, 13, 12, 23], [46, 48, 6, 51, 24], {1, 2}),
        ([54, 36, 43, 53, 30], [53, 41, 6, 11, 25], {1, 2}),
        ([38, 27, 31, 18, 28], [3, 29, 4, 26, 6], {2}),
    ],
)
def test_an_interval_of_ranks_leaves_out_a_fortieth_at_either_end(
    first: list[int], second: list[int], ranks: set[int]
) -> None:
    """The exact interval comes from all draws of five instances with repetition."""
    exact = {}
    for name, own, other in (("first", first, second), ("second", second, first)):
        lost = sorted(
            1 + (sum(chosen) > 0)
            for chosen in product([a - b for a, b in zip(own, other, strict=True)], repeat=5)
        )
        exact[name] = tuple(lost[round(share * len(lost))] for share in (0.025, 0.975))
    assert set(exact["first"]) == ranks
    times: Times = {"first": first, "second": second}
    assert sum(rank_intervals(times, 100, seed) == exact for seed in range(25)) > 12


def test_zero_times_and_answers_after_the_limit_are_scored() -> None:
    assert performance_profile({"a": [0.0], "b": [0.0]}) == {"a": [(1.0, 1.0)], "b": [(1.0, 1.0)]}
    late, never = rows({"late": [30.0], "never": [None]})
    assert (late.par2, never.par2, late.rank, never.rank) == (20.0, 20.0, 1, 1)
