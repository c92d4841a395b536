"""Public functions work from many threads, from the first call on, and share their caches."""

import subprocess
import sys
from collections.abc import Callable
from random import Random
from threading import Barrier, Thread

import pytest

from quaternity import Settings, State
from quaternity.base.memo import Memo
from quaternity.game import legal
from solvers import DealProblem, SetConstraint, coalition_tables, count_deals, reduced_problem
from tests.limits import limited


def first_calls(seed: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.first_calls", str(seed)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not ended.returncode, ended.stdout + ended.stderr


def test_many_threads_are_first() -> None:
    first_calls(0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 41))
def test_many_threads_are_first_in_many_orders(seed: int) -> None:
    first_calls(seed)


@pytest.fixture
def hurry() -> object:
    """Make threads switch as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*calls: Callable[[], None]) -> list[Exception]:
    """Run each call in a separate thread, and return the exceptions."""
    together, raised = Barrier(len(calls)), list[Exception]()

    def run(call: Callable[[], None]) -> None:
        together.wait()
        try:
            call()
        except Exception as error:
            raised.append(error)

    threads = [Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_a_memo_counts_its_size_correctly_if_another_thread_changes_it() -> None:
    Memo.clear_all()
    with limited("quaternity.base.memo", MAX_MEMO_BYTES=3):
        results = Memo[object, int]()
        others: list[Thread] = []

        class Interrupted:
            """A key; while its hash is computed, another thread stores a result."""

            def __hash__(self) -> int:
                other = Thread(target=results.store, args=((len(others),), 0, 3))
                others.append(other)
                other.start()
                other.join(0.01)
                return 0

        results.store((Interrupted(),), 1, size=1)
        for other in others:
            other.join()
        assert [*results] == [(0,)]
        assert Memo.used_bytes() == 3


def test_parts_may_be_evicted_during_a_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgotten(Memo[object, object]):
        def __contains__(self, key: object) -> bool:
            self.clear()
            return True

    monkeypatch.setattr(reduced_problem, "_PARTS", Forgotten())
    assert count_deals(DealProblem([2, 2], [SetConstraint.of([[0, 1]] * 4, players=2)])) == 6


@pytest.mark.usefixtures("hurry")
@limited("quaternity.base.memo", MAX_MEMO_BYTES=9_000)
def test_states_share_a_cache_while_it_is_evicted() -> None:
    Memo.clear_all()

    def work(thread: int) -> None:
        random = Random(thread)
        layout = coalition_tables.layout_for(3, 12, 4)
        for _ in range(500):
            masks = random.choices((7, 3, 6, 5), k=4)
            row = legal.prepare_set(layout, SetConstraint(masks, (0,) * 3, (4,) * 3))
            for asker in range(3):
                made = {table for ask in row.kind.outcomes(asker) for table in ask[2:]}
                assert {*legal._asks[row.kind, asker][1]} == made - {coalition_tables.IMPOSSIBLE}

    assert not at_once(*(lambda thread=thread: work(thread) for thread in range(4)))
    assert 0 < Memo.used_bytes() <= 9_000


@pytest.mark.usefixtures("hurry")
def test_threads_share_one_layout_of_tables() -> None:
    for _ in range(20):
        coalition_tables.get_layout.cache_clear()
        layouts: list[coalition_tables.LaneLayout] = []

        def look(layouts: list[coalition_tables.LaneLayout] = layouts) -> None:
            layouts.append(State.start(Settings(4, 13, 4)).layout())

        assert not at_once(*[look] * 6)
        assert len(set(map(id, layouts))) == 1
