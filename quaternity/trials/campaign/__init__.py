"""A campaign of random problems and random games in which the solvers must never disagree.

Problems are judged by every solver (`solvers.judgement`): verdicts agree, each stands on evidence.
Of a game a position is taken apart (`positions`). What is found is made as small as can be and
becomes a state file. Examples are drawn from plain generators (`examples`), in batches with seeds
of their own: quickly, and so that a campaign with a seed can be repeated, wherever it runs.
"""

from quaternity.trials.campaign.positions import position_fault
from quaternity.trials.campaign.running import run_campaign
from quaternity.trials.campaign.tally import Finding, Tally

__all__ = ["Finding", "Tally", "position_fault", "run_campaign"]
