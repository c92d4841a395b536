"""Comparison of ways to model deals for CP-SAT, and to solve the models, on all families.

    python -m tests.bench.cp_sat_ablation --sizes 12,52,200 --seconds 2

A way has a model (booleans, or bundles of cards with equal owners, either with a count per player
and set), a linearization level, a presolve or none, and the relaxation solved at first or not.
The output has the sum of the times of each way (PAR-2: a timeout counts twice its limit), its
timeouts, and its worst ratio to the best way on any instance; times have a floor.
"""

import argparse
from collections.abc import Iterator
from itertools import product
from math import inf
from time import process_time

from quaternity.base.deadline import Deadline
from solvers import InputError, SolverTimeout, solve
from solvers.cp_sat import DEFAULT, Variant, prepare
from solvers.instances import FAMILIES, make_pair
from solvers.problem import DealProblem

FLOOR = 0.010
"""Smallest time that counts, in seconds."""

CLOCK = 3.0
"""Wall-clock seconds per second of processor time."""


def ways() -> dict[str, Variant]:
    """Return all ways, by name."""
    return {"default": DEFAULT} | {
        f"{unit}{'+counts' if counts else ''} level {level}{' whole' if whole else ''}"
        f"{' presolve' if presolve else ''}": Variant(most, counts, level, whole, presolve)
        for (unit, most), counts, level, whole, presolve in product(
            (("booleans", inf), ("bundles", 0)), (False, True), (0, 1, 2), (False, True),
            (False, True),
        )
        if level or not whole
    }  # fmt: skip


def instances(sizes: list[int], seeds: int) -> Iterator[tuple[str, int, str, DealProblem]]:
    """Yield the family, size, kind and problem of each instance."""
    for family, size, seed in product(FAMILIES, sizes, range(seeds)):
        try:
            pair = make_pair(family, size, seed)
        except InputError:
            continue
        for problem in pair:
            yield family, size, "possible" if solve(problem) else "impossible", problem


def time_of(problem: DealProblem, way: Variant, seconds: float) -> float:
    """Return the seconds of processor time, or infinity at the limit.

    CP-SAT's own limit is wall-clock time and is larger, as other programs may be running.
    """
    begun, most = process_time(), CLOCK * seconds
    try:
        prepare(problem, way, seconds=most, deadline=Deadline(most))()
    except SolverTimeout:
        return inf
    spent = process_time() - begun
    return spent if spent <= seconds else inf


def main() -> None:
    """Measure all ways, and print the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="12,52")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=1, help="number of runs; the fastest counts")
    parser.add_argument("--ways", default="", help="only ways with one of these words")
    parser.add_argument("--each", action="store_true", help="print every instance, too")
    chosen = parser.parse_args()
    words = [word for word in chosen.ways.split(",") if word]
    table = {
        name: way for name, way in ways().items() if not words or any(w in name for w in words)
    }
    times: dict[str, list[float]] = {name: [] for name in table}
    time_of(DealProblem([1], []), DEFAULT, 1.0)  # imports
    hopeless: set[tuple[str, str, str]] = set()
    labels = []
    for family, size, kind, problem in instances(
        list(map(int, chosen.sizes.split(","))), chosen.seeds
    ):
        labels.append(f"{family} {size} {kind}")
        for name, way in table.items():
            # A way that fails at a size is not tried at a larger one.
            spent = inf
            if (name, family, kind) not in hopeless:
                spent = min(time_of(problem, way, chosen.seconds) for _ in range(chosen.repeats))
            if spent == inf:
                hopeless.add((name, family, kind))
            times[name].append(spent)
    best = [max(FLOOR, min(column)) for column in zip(*times.values(), strict=True)]
    say(f"{len(labels)} instances; PAR-2 in s, timeouts, worst ratio to the best, and where")
    for name in sorted(times, key=lambda key: par2(times[key], chosen.seconds)):
        ratios = [max(FLOOR, time) / least for time, least in zip(times[name], best, strict=True)]
        worst = max(range(len(ratios)), key=lambda number: ratios[number])
        say(
            f"{par2(times[name], chosen.seconds):8.2f} {times[name].count(inf):3d} "
            f"{ratios[worst]:6.1f}  {name}  ({labels[worst]})"
        )
        if chosen.each:
            say("; ".join(f"{label}: {1000 * seconds:.0f} ms"
                          for label, seconds in zip(labels, times[name], strict=True)))  # fmt: skip


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def par2(times: list[float], seconds: float) -> float:
    """Return the sum of the times, each at least the floor; a timeout counts twice its limit."""
    return sum(min(max(FLOOR, time), 2 * seconds) for time in times)


if __name__ == "__main__":
    main()
