"""Exact numbers of deals against those of other people's counters, where they are installed."""

from random import Random

import pytest

from solvers import DealProblem, InputError, SetConstraint, count_deals
from solvers.random_problems import GameSize, Sizes, game_like, loosened, spoilt
from solvers.rivals import COUNTERS
from solvers.rivals.counting import count_by
from tests.sizes import thorough

INSTALLED = [name for name, counter in COUNTERS.items() if counter.installed]


def agrees(name: str, problem: DealProblem) -> bool:
    """Whether a counter finds our number, as exactly as it says it."""
    ours, theirs = count_deals(problem), count_by(name, problem)
    return float(ours) == theirs if isinstance(theirs, float) else ours == theirs


@pytest.mark.parametrize("name", INSTALLED)
def test_counts_of_small_problems(name: str) -> None:
    random = Random(1)
    for make in (loosened, spoilt):
        for _ in range(thorough(15, 100)):
            assert agrees(name, make(random.randint, Sizes(3, 3, 3)))


@pytest.mark.parametrize("name", INSTALLED)
@pytest.mark.parametrize("size", [(3, 3, 3), (3, 4, 3)])
def test_counts_of_games(name: str, size: tuple[int, int, int]) -> None:
    assert agrees(name, game_like(Random(1), GameSize(*size)))


@pytest.mark.parametrize("name", [name for name in INSTALLED if name in ("dd", "cudd")])
def test_decision_diagrams_count_a_game_of_52_cards(name: str) -> None:
    problem = game_like(Random(1), GameSize(4, 13, 4))
    assert count_deals(problem) == 182_070_934_730_308
    assert agrees(name, problem)


def test_counters_that_are_not_there_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = DealProblem([1], [SetConstraint.of([[0]], 1)])
    with pytest.raises(InputError, match="counter 'abacus' is unknown; known are dd, cudd, ganak"):
        count_by("abacus", problem)
    monkeypatch.setattr("solvers.rivals.table._is_there", lambda name: False)
    with pytest.raises(InputError, match=r"'dd' is not installed: pip install '\.\[count"):
        count_by("dd", problem)
