"""Solvers compared on states of games, and on instances of families.

`sizes` says which games, `measuring` has every solver meet every instance with every verdict
verified, which gives `run` after run. A comparison (`runs`, a file too) is these rows. `summary`
and `scores` turn them into figures, `growth` into laws; `report`, `page` and `drawing` show them.
"""

from quaternity.trials.comparison.measuring import (
    Budget,
    Measured,
    Series,
    Work,
    measure,
    measure_state,
    measured_states,
    remaining,
)
from quaternity.trials.comparison.run import Run
from quaternity.trials.comparison.runs import Comparison, parse_runs
from quaternity.trials.comparison.sizes import Sweep, swept_sizes
from quaternity.trials.comparison.summary import Row, rows_of

__all__ = [
    "Budget",
    "Comparison",
    "Measured",
    "Row",
    "Run",
    "Series",
    "Sweep",
    "Work",
    "measure",
    "measure_state",
    "measured_states",
    "parse_runs",
    "remaining",
    "rows_of",
    "swept_sizes",
]
