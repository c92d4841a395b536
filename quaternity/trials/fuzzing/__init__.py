"""Fuzzing campaigns: random problems and random games on which all solvers must agree.

Every solver judges each problem, and the verdicts must agree and have evidence
(`solvers.cross_check`). In each game, the last position is checked (`positions`). A finding is
shrunk and returned as the text of a state file. The examples are drawn by plain random generators
(`examples`), in batches with separate seeds. This is fast, and a campaign with the same seed draws
the same examples on every machine.
"""

from quaternity.trials.fuzzing.positions import position_fault
from quaternity.trials.fuzzing.running import run_campaign
from quaternity.trials.fuzzing.tally import Finding, Tally

__all__ = ["Finding", "Tally", "position_fault", "run_campaign"]
