"""Fuzzing campaigns: random problems and random games on which the solvers must never disagree.

Every solver judges each problem (`solvers.cross_check`): the verdicts must agree and have evidence.
In each game, the last position is checked (`positions`). A finding is shrunk and returned as the
text of a state file. Examples come from plain random generators (`examples`), in batches with
separate seeds. That is fast, and a campaign with the same seed draws the same examples everywhere.
"""

from quaternity.trials.fuzzing.positions import position_fault
from quaternity.trials.fuzzing.running import run_campaign
from quaternity.trials.fuzzing.tally import Finding, Tally

__all__ = ["Finding", "Tally", "position_fault", "run_campaign"]
