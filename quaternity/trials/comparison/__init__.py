"""Comparison of solvers on states of games and on instances of problem families.

A `plan` consists of the instances and the options. The module `running` carries it out, and
`measuring` runs every solver on every instance and verifies the verdicts. The result is a list of
runs (`run`), which can be stored in a file (`runs`). The modules `summary` and `scores` compute
statistics of the runs, and `growth` estimates how the times grow with the size. `report`, `page`
and `drawing` present the results.
"""

from quaternity.trials.comparison.measuring import (
    Budget,
    InstanceRuns,
    MeasuringTask,
    Series,
    iter_measurements,
    measure,
    measure_state,
    remaining_tasks,
)
from quaternity.trials.comparison.run import Run
from quaternity.trials.comparison.runs import Comparison, parse_runs
from quaternity.trials.comparison.sizes import Sweep, sweep_sizes
from quaternity.trials.comparison.summary import Row, rows_of

__all__ = [
    "Budget",
    "Comparison",
    "InstanceRuns",
    "MeasuringTask",
    "Row",
    "Run",
    "Series",
    "Sweep",
    "iter_measurements",
    "measure",
    "measure_state",
    "parse_runs",
    "remaining_tasks",
    "rows_of",
    "sweep_sizes",
]
