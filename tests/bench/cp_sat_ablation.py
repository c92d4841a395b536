"""Which way to model deals, and to solve the model, suits CP-SAT: all ways on all families.

    python -m tests.bench.cp_sat_ablation --sizes 12,52,200 --seconds 2

Ways are modelling (booleans, bundles of cards with equal owners, either with a count per player and
set) x linearization level x presolve x whether the relaxation is solved whole before the search.
Prints per way the sum of its times (PAR-2: a timeout counts twice its limit), its timeouts, and the
worst ratio to the best way on any instance, where times below a floor count as the floor.
"""

import argparse
from collections.abc import Iterator
from itertools import product
from math import inf
from time import process_time

from quaternity.base.deadline import Deadline
from solvers import InputError, SolverTimeout, solve
from solvers.cp_sat import DEFAULT, Variant, prepare
from solvers.instances import FAMILIES, twins
from solvers.problem import DealProblem

FLOOR = 0.010
"""Seconds below which times are alike."""

CLOCK = 3.0
"""Seconds by the clock for a second of processor time."""


def ways() -> dict[str, Variant]:
    """All of them, by name."""
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
    """Family, size, kind, problem."""
    for family, size, seed in product(FAMILIES, sizes, range(seeds)):
        try:
            pair = twins(family, size, seed)
        except InputError:
            continue
        for problem in pair:
            yield family, size, "possible" if solve(problem) else "impossible", problem


def time_of(problem: DealProblem, way: Variant, seconds: float) -> float:
    """Seconds of processor time; infinite at the limit.

    CP-SAT's own limit is by the clock, so it gets more: other work may be going on here.
    """
    begun, most = process_time(), CLOCK * seconds
    try:
        prepare(problem, way, seconds=most, deadline=Deadline(most))()
    except SolverTimeout:
        return inf
    spent = process_time() - begun
    return spent if spent <= seconds else inf


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="12,52")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=1, help="runs, of which the quickest counts")
    parser.add_argument("--ways", default="", help="only those with one of these in their names")
    parser.add_argument("--each", action="store_true", help="every instance, too")
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
            # Who fails at a size is not asked at a larger one.
            spent = inf
            if (name, family, kind) not in hopeless:
                spent = min(time_of(problem, way, chosen.seconds) for _ in range(chosen.repeats))
            if spent == inf:
                hopeless.add((name, family, kind))
            times[name].append(spent)
    best = [max(FLOOR, min(column)) for column in zip(*times.values(), strict=True)]
    say(f"{len(labels)} instances; PAR-2 in s, timeouts, worst ratio to the best, and where")
    for name in sorted(times, key=lambda one: par2(times[one], chosen.seconds)):
        ratios = [max(FLOOR, one) / least for one, least in zip(times[name], best, strict=True)]
        worst = max(range(len(ratios)), key=lambda number: ratios[number])
        say(
            f"{par2(times[name], chosen.seconds):8.2f} {times[name].count(inf):3d} "
            f"{ratios[worst]:6.1f}  {name}  ({labels[worst]})"
        )
        if chosen.each:
            say("; ".join(f"{where}: {1000 * one:.0f} ms"
                          for where, one in zip(labels, times[name], strict=True)))  # fmt: skip


def say(line: str) -> None:
    """Print it at once."""
    print(line, flush=True)


def par2(times: list[float], seconds: float) -> float:
    """The sum of times, in which a timeout counts twice its limit, and at least the floor."""
    return sum(min(max(FLOOR, one), 2 * seconds) for one in times)


if __name__ == "__main__":
    main()
