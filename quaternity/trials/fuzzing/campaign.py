"""Fuzzing campaigns and their results: the tested problems and games, and the first fault."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from quaternity.base.errors import WorkersLost
from quaternity.trials.fuzzing.running import run_campaign
from quaternity.trials.fuzzing.tally import Finding, Tally
from quaternity.workers.pool import open_executor
from solvers.registry import solver_version
from solvers.solver import Solver


@dataclass(frozen=True, slots=True)
class CampaignResult:
    """The result of a campaign, which tests solvers on random examples.

    Attributes:
        tally: the counts of the tested examples.
        seconds: the duration, in seconds.
        finding: the first fault that was found, or None if there was none.
        stopped: the error or interrupt that ended the campaign early, or None.
        saved: the path of the file with the state that shows the fault, or None if it was not
            saved.
    """

    solvers: tuple[str, ...]
    seed: int
    tally: Tally
    seconds: float
    finding: Finding | None = None
    stopped: BaseException | None = None
    saved: str | None = None

    def document(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        tally, finding = self.tally, self.finding
        return {
            "seed": self.seed,
            "solvers": list(self.solvers),
            "versions": {name: solver_version(name) for name in self.solvers},
            "examples": tally.examples,
            "feasible": tally.problems(True),
            "infeasible": tally.problems(False),
            "games": tally.games,
            "positions": tally.counts["positions"],
            "candidates": tally.counts["candidates"],
            "covered": tally.coverage(),
            "refused": dict(tally.refused),
            "gave_up": dict(tally.gave_up),
            "seconds": round(self.seconds, 3),
            "interrupted": self.stopped is not None,
            "finding": finding
            and {
                "where": finding.where,
                "text": finding.text,
                "moves": list(finding.moves),
                "state": json.loads(finding.state_file),
                "saved": self.saved,
            },
        }


def fuzz_solvers(
    solvers: Sequence[Solver], seed: int, examples: int | None, seconds: float | None,
    workers: int = 1, dask: str | None = None,
    on_progress: Callable[[Tally], None] = lambda tally: None,
) -> CampaignResult:  # fmt: skip
    """Test solvers on random problems and games until a fault is found or a limit is reached.

    An interrupt also ends the campaign. The arguments are those of `run_campaign` and
    `open_executor`.
    """
    tally, start = Tally(), monotonic()
    names = tuple(solver.name for solver in solvers)
    finding: Finding | None = None
    stopped: BaseException | None = None
    try:
        with open_executor(workers, dask) as pool:
            pool.prepare(list(names), partial(list, solvers))
            finding = run_campaign(
                solvers, examples=examples, seconds=seconds, seed=seed, tally=tally,
                pool=pool if workers > 1 or dask is not None else None,
                on_progress=lambda: on_progress(tally),
            )  # fmt: skip
    except (KeyboardInterrupt, WorkersLost) as error:
        stopped = error
    return CampaignResult(names, seed, tally, monotonic() - start, finding, stopped)
