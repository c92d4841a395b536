"""What is kept stays within its budget."""

from solvers.memo import Memo


def test_everything_is_forgotten_when_the_budget_is_spent() -> None:
    memo: Memo[str, int] = Memo(budget=10)
    assert memo.keep("a", 1, size=6) == 1
    memo.keep("b", 2, size=4)
    assert memo.entries == {"a": 1, "b": 2}
    assert memo.spent == 10
    assert memo.keep("c", 3, size=1) == 3
    assert memo.entries == {"c": 3}
    assert memo.spent == 1


def test_a_result_above_the_budget_is_kept_alone() -> None:
    memo: Memo[str, int] = Memo(budget=10)
    memo.keep("a", 1, size=5)
    memo.keep("b", 2, size=50)
    assert memo.entries == {"b": 2}
    memo.keep("c", 3, size=1)
    assert memo.entries == {"c": 3}
