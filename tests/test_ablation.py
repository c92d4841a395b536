"""Every mechanism that `tests.bench.ablation` measures still exists and can be switched off."""

import pytest

from tests.bench.ablation import OFF, measure, switched_off


@pytest.mark.parametrize("workload", OFF)
def test_every_mechanism_of_a_workload_can_be_switched_off(workload: str) -> None:
    for off in OFF[workload].values():
        with switched_off(off):
            pass


def test_a_memo_that_is_switched_off_changes_no_result() -> None:
    results = [
        [outcome and outcome[1] for outcome in measure("states", off, 15, 60.0).outcomes]
        for off in (None, ("states", "closed sets kept"))
    ]
    assert results[0] == results[1] != [None]
