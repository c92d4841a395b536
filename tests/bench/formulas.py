"""Decide 260 published formulas about a game of 52 cards, and measure the time.

`python -m tests.bench.formulas [SECONDS]` prints the undecided formulas with the reason, and a
summary. The list is `tests/data/knowledge-4-13-4.txt`: 100 of knowledge, common and distributed
knowledge, quantifiers, comparisons and announcements as people ask, 100 nested more deeply, and 60
that a seat asks about a group without it (`20/2`: after 20 requests, as seat 2 can tell), at four
moments of one game.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

from quaternity.base.errors import LimitError
from quaternity.epistemic import Language, evaluate, parse, truth_for_seat
from quaternity.kwartet.log import read_log
from quaternity.kwartet.settings import SET_SIZE

DATA = Path(__file__).parent.parent / "data"


def read_formulas() -> list[tuple[int, int | None, str]]:
    """Return the step, the asking seat (None: all hands are seen) and the text of each formula."""
    rows = []
    for line in (DATA / "knowledge-4-13-4.txt").read_text().splitlines():
        if not line.startswith("#"):
            place, text = line.split(" ", 1)
            step, _, seat = place.partition("/")
            rows.append((int(step), int(seat) if seat else None, text))
    return rows


def questions(method: str = "auto") -> Iterator[tuple[str, Callable[[float], object]]]:
    """Yield each formula with its step, and a function that answers it within some seconds."""
    log = read_log(str(DATA / "knowledge-4-13-4.log"))
    for step, seat, text in read_formulas():
        position = log.positions[step]
        problem = position.public.problem
        formula = parse(text, Language.of(problem, SET_SIZE, position.public.points))
        way: Callable[..., object]
        if seat is None:
            way = partial(evaluate, formula, problem, position.deal, method)
        else:
            way = partial(truth_for_seat, formula, problem, seat, position.hands[seat], method)
        yield f"{step} {text}", partial(way, set_size=SET_SIZE)


def decide_all(seconds: float = 10.0) -> tuple[int, list[float]]:
    """Decide all formulas, each within a time limit; return how many, and the times of all."""
    count, times = 0, []
    for text, answer in questions():
        begun = process_time()
        try:
            answer(seconds)
            count += 1
        except LimitError as error:
            print(f"{text}: {error}")
        times.append(process_time() - begun)
    return count, times


if __name__ == "__main__":
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    number, took = decide_all(limit)
    print(
        f"{number} of {len(took)} decided within {limit:g} s each; processor time: median "
        f"{1000 * median(took):.0f} ms, slowest {max(took):.1f} s, together {sum(took):.0f} s"
    )
