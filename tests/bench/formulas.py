"""How many of the 260 published formulas at 52 cards are decided, and how quickly.

`python -m tests.bench.formulas [SECONDS]` prints the undecided ones with their reason, and a
summary. The list is `tests/data/knowledge-4-13-4.txt`: 100 of knowledge, common and distributed
knowledge, quantifiers, comparisons and announcements as people ask, 100 nested deeper, and 60 that
a seat asks about a group without it (`20/2`: after 20 requests, as seat 2 can tell), at four
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
from quaternity.epistemic import Language, as_seen, holds, parse
from quaternity.kwartet.log import read_log
from quaternity.kwartet.settings import SET_SIZE

DATA = Path(__file__).parent.parent / "data"


def listed() -> list[tuple[int, int | None, str]]:
    """After how many requests, who asks (None where all hands are seen), and the formula."""
    found = []
    for line in (DATA / "knowledge-4-13-4.txt").read_text().splitlines():
        if not line.startswith("#"):
            place, text = line.split(" ", 1)
            step, _, seat = place.partition("/")
            found.append((int(step), int(seat) if seat else None, text))
    return found


def questions(method: str = "auto") -> Iterator[tuple[str, Callable[[float], object]]]:
    """Yield each formula with its place, and what answers it within a time limit in seconds."""
    log = read_log(str(DATA / "knowledge-4-13-4.log"))
    for step, seat, text in listed():
        at = log.positions[step]
        problem = at.public.problem
        formula = parse(text, Language.of(problem, SET_SIZE, at.public.points))
        way: Callable[..., object]
        if seat is None:
            way = partial(holds, formula, problem, at.deal, method)
        else:
            way = partial(as_seen, formula, problem, seat, at.hands[seat], method)
        yield f"{step} {text}", partial(way, set_size=SET_SIZE)


def decided(seconds: float = 10.0) -> tuple[int, list[float]]:
    """How many are decided within a time limit each, and the processor time of all."""
    found, times = 0, []
    for text, answer in questions():
        begun = process_time()
        try:
            answer(seconds)
            found += 1
        except LimitError as error:
            print(f"{text}: {error}")
        times.append(process_time() - begun)
    return found, times


if __name__ == "__main__":
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    number, took = decided(limit)
    print(
        f"{number} of {len(took)} decided within {limit:g} s each; processor time: median "
        f"{1000 * median(took):.0f} ms, slowest {max(took):.1f} s, together {sum(took):.0f} s"
    )
