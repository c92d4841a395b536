"""A campaign of random problems and random games in which the solvers must never disagree.

Every solver judges each problem (`solvers.judgement`): verdicts must agree, and have evidence. In a
game, one position is checked (`positions`). A finding is made as small as possible and saved as a
state file. Examples are drawn from plain generators (`examples`), in batches with seeds of their
own. That is quick, and a campaign with a seed can be repeated wherever it runs.
"""

from quaternity.trials.campaign.positions import position_fault
from quaternity.trials.campaign.running import run_campaign
from quaternity.trials.campaign.tally import Finding, Tally

__all__ = ["Finding", "Tally", "position_fault", "run_campaign"]
