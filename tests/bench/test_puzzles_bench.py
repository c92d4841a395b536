"""Puzzles made per second, compared with the time of a solver that knows only the rules."""

import time
from collections.abc import Callable
from itertools import count

import pytest

from quaternity.puzzles import KINDS, make
from quaternity.puzzles.puzzle import LEVELS
from tests.puzzles.test_by_trying import BY_TRYING

pytestmark = pytest.mark.bench


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_puzzles_a_second(kind: str, level: int, note: Callable[..., None]) -> None:
    make(kind, 0, level)  # imports, and tables that are made once
    making = answering = 0.0
    made = 0
    for seed in count(1):
        begun = time.process_time()
        puzzle = make(kind, seed, level)
        between = time.process_time()
        BY_TRYING[kind](puzzle)
        making += between - begun
        answering += time.process_time() - between
        made = seed
        if making + answering > 3 and made >= 3:
            break
    goal = "1 a second" if level <= 3 else ""
    figures = f"{made / making:,.1f} a second; trying takes {answering / making:.1f} of that time"
    note(f"puzzles, {kind}, level {level}", figures, goal)
