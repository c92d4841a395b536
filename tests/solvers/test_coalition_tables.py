"""Packed tables equal the inequalities that they pack."""

from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import SetConstraint
from solvers.coalition_tables import LaneLayout, get_layout, layout_for, tightest_witness
from solvers.shortage import coalition_bound
from tests.sizes import thorough


@st.composite
def constraints(draw: st.DrawFn) -> SetConstraint:
    """Draw a set of up to five cards and four players, possible or not."""
    players = draw(st.integers(1, 4))
    size = draw(st.integers(0, 5))
    owners = draw(st.lists(st.integers(0, (1 << players) - 1), min_size=size, max_size=size))
    bound = st.integers(0, 7) | st.just(10**13)
    low = draw(st.lists(st.integers(0, 2) | bound, min_size=players, max_size=players))
    high = draw(st.lists(bound, min_size=players, max_size=players))
    if draw(st.booleans()):  # minimums alone are settled in fewer passes, or in none
        high = [size] * players
        dealt = draw(st.lists(st.integers(0, players - 1), min_size=size, max_size=size))
        low = draw(st.sampled_from((low, list(map(dealt.count, range(players))))))
    return SetConstraint(owners, low, high)


def tightest_inequalities(constraint: SetConstraint) -> list[int] | None:
    """Return the tightest inequality of each coalition, or None if the set alone is impossible."""
    coalitions = range(1 << constraint.players)
    least = [min(coalition_bound(constraint, m, other) for other in coalitions) for m in coalitions]
    crossed = any(a > b for a, b in zip(constraint.low, constraint.high, strict=True))
    if crossed or least[0] < 0 or least[-1] < constraint.size:
        return None
    return least


@given(constraints(), st.sampled_from([8, 16, 32, 64]))
@settings(max_examples=thorough(100, 1000))
def test_a_table_packs_the_inequalities(constraint: SetConstraint, width: int) -> None:
    layout = LaneLayout(constraint.players, width)
    table = layout.table_of(constraint)
    counts = sum(layout.intersecting[mask] for mask in constraint.owners)
    assert layout.ownable_counts(constraint.owners) == counts
    values = [layout.lane(table, coalition) for coalition in range(layout.everybody + 1)]
    assert (None if table < 0 else values) == tightest_inequalities(constraint)
    if table >= 0:
        assert not table & layout.guard


@given(constraints())
@settings(max_examples=thorough(60, 600))
def test_a_tightest_witness_is_as_tight_as_any(constraint: SetConstraint) -> None:
    groups = range(1 << constraint.players)
    for coalition in groups:
        best = min(coalition_bound(constraint, coalition, witness) for witness in groups)
        witness = tightest_witness(constraint, coalition)
        assert coalition_bound(constraint, coalition, witness) == best


def test_lanes_are_wide_enough_for_sums_and_passes() -> None:
    assert layout_for(4, 52, 4).width == 8
    assert layout_for(4, 126, 4).width == 8
    assert layout_for(4, 127, 4).width == 16
    assert layout_for(4, 52, 32).width == 16
    assert layout_for(4, 10_000, 400).width == 16
    assert layout_for(2, 10_000, 10_000).width == 32
    assert layout_for(4, 52, 4) is get_layout(4, 127)
