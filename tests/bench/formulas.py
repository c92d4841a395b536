"""How many of the 200 published formulas at 52 cards are decided, and how quickly.

`python -m tests.bench.formulas [SECONDS]` prints the undecided ones with their reason, and a
summary. The list is `tests/data/knowledge-4-13-4.txt`: half of it knowledge, common and
distributed knowledge, quantifiers, comparisons and announcements as people ask, half of it nested
deeper, at four moments of one game.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from time import process_time

from quaternity.epistemic import Language, holds, parse
from quaternity.errors import LimitError
from quaternity.kwartet.log import read_log
from quaternity.kwartet.settings import SET_SIZE

DATA = Path(__file__).parent.parent / "data"


def listed() -> list[tuple[int, str]]:
    """After how many requests, and the formula."""
    lines = (DATA / "knowledge-4-13-4.txt").read_text().splitlines()
    pairs = [line.split(" ", 1) for line in lines if not line.startswith("#")]
    return [(int(at), text) for at, text in pairs]


def decided(seconds: float = 10.0) -> tuple[int, list[float]]:
    """How many are decided within a time limit each, and the processor time of all."""
    log = read_log(str(DATA / "knowledge-4-13-4.log"))
    found, times = 0, []
    for at, text in listed():
        public, deal = log.positions[at].public, log.positions[at].deal
        formula = parse(text, Language.of(public.problem, SET_SIZE, public.points))
        begun = process_time()
        try:
            holds(formula, public.problem, deal, seconds=seconds, set_size=SET_SIZE)
            found += 1
        except LimitError as error:
            print(f"{at} {text}: {error}")  # noqa: T201
        times.append(process_time() - begun)
    return found, times


if __name__ == "__main__":
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    number, took = decided(limit)
    print(  # noqa: T201
        f"{number} of {len(took)} decided within {limit:g} s each; processor time: median "
        f"{1000 * median(took):.0f} ms, slowest {max(took):.1f} s, together {sum(took):.0f} s"
    )
