"""Solvers compared on states of games: which states, how long each takes, what the times say.

`sizes` says which games, `measuring` makes their states and times every solver on every one with
every verdict verified, `summary` turns the times into figures, and `drawing` into pictures.
"""

from quaternity.trials.comparison.measuring import (
    Budget,
    Measured,
    Series,
    Timing,
    Work,
    measure,
    measure_state,
    measured_states,
)
from quaternity.trials.comparison.sizes import Sweep, swept_sizes
from quaternity.trials.comparison.summary import Row, summarise

__all__ = [
    "Budget",
    "Measured",
    "Row",
    "Series",
    "Sweep",
    "Timing",
    "Work",
    "measure",
    "measure_state",
    "measured_states",
    "summarise",
    "swept_sizes",
]
