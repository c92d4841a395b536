"""How CP-SAT is run: it can be interrupted, and has a time limit."""

import signal
import threading
from types import FrameType

import pytest

from quaternity.base.errors import SolverTimeout
from quaternity.ternary import Incumbent, Rule, packing
from quaternity.ternary.largest_methods import largest_by_cp_sat, parts_by_cp_sat
from tests.limits import limited

HARD = range(56)
"""Table whose largest part without a SET takes minutes to prove."""


def test_an_interrupt_ends_a_long_solve() -> None:
    def interrupt(signal_number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    largest_by_cp_sat(
        range(3), Rule.SET, (), Incumbent()
    )  # load CP-SAT itself before the clock runs
    threads_before = set(threading.enumerate())
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        with pytest.raises(KeyboardInterrupt):
            largest_by_cp_sat(HARD, Rule.SET, (), Incumbent())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for thread in set(threading.enumerate()) - threads_before:
        thread.join(timeout=60)
        assert not thread.is_alive(), "the solver has stopped too"


@limited("quaternity.ternary.largest_methods", SECONDS=0.01)
def test_a_time_limit_is_not_an_answer() -> None:
    with pytest.raises(SolverTimeout, match="CP-SAT did not prove in time how many of 56 cards"):
        largest_by_cp_sat(HARD, Rule.SET, (), Incumbent())
    with pytest.raises(SolverTimeout, match="has not found all parts"):
        parts_by_cp_sat(HARD, Rule.SET, (), 15)
    with (
        limited("quaternity.ternary.packing", SECONDS=1e-9),
        pytest.raises(SolverTimeout, match="whether 81 cards contain 27"),
    ):
        packing.pack_by_cp_sat(range(81), Rule.SET, 27, Incumbent())
