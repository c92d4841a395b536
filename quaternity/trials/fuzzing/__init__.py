"""Fuzzing campaigns: random problems and random games on which all solvers must agree.

Every solver judges each problem. The verdicts must agree, and each verdict must have evidence
(`solvers.cross_check`). In each game, the last position is checked (`positions`). A problem or game
that reveals a fault is shrunk, and returned as the text of a state file. A campaign with the same
seed tests the same problems and games on every machine.
"""

from quaternity.trials.fuzzing.positions import position_fault
from quaternity.trials.fuzzing.running import run_campaign
from quaternity.trials.fuzzing.tally import Finding, Tally

__all__ = ["Finding", "Tally", "position_fault", "run_campaign"]
