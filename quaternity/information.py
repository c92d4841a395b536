"""What each legal question would tell, all deals that fit the state being equally likely.

A question tells something twice: the asker says not to own the card but another of its set, and the
answer says where the card is not, or is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

from quaternity.legal import problem_after
from quaternity.listed import Group
from quaternity.question import Answer
from quaternity.state import State
from solvers.counting import count_deals


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a question about any of a group of interchangeable cards would do.

    Attributes:
        group: the questions: asked player, set, cards, legal answers.
        after_no, after_yes: number of deals left after each answer; 0 for an impossible one.
        before: number of deals now.
    """

    group: Group
    after_no: int
    after_yes: int
    before: int

    @property
    def chance_of_yes(self) -> float:
        """The chance of a yes among the deals that allow the question."""
        return self.after_yes / (self.after_no + self.after_yes)

    @property
    def bits(self) -> float:
        """Expected information: how much the logarithm (base 2) of the number of deals falls."""
        asked = self.after_no + self.after_yes
        left = sum(
            deals / asked * log2(deals) for deals in (self.after_no, self.after_yes) if deals
        )
        return log2(self.before) - left


def prospects(state: State) -> list[Prospect]:
    """What every legal question would tell, most informative first.

    Sets that look alike share their counts. Cost: two counts per group of different questions.

    Raises:
        LimitError: the counts are above the limits of `solvers.counting`.
    """
    asker = state.turn
    if asker is None:
        return []
    before = count_deals(state.problem)
    known: dict[object, tuple[int, int]] = {}
    found = []
    for group in state.legal_questions.groups():
        constraint = state.problem.sets[group.set_index]
        looks = (
            tuple(sorted(constraint.owners)), constraint.low, constraint.high,
            constraint.owners[group.cards[0]], group.asked,
        )  # fmt: skip
        if looks not in known:
            no, yes = (
                count_deals(
                    problem_after(
                        state.problem, asker, group.asked, group.set_index, group.cards[0], answer
                    )
                )
                if answer in group.answers
                else 0
                for answer in Answer
            )
            known[looks] = no, yes
        found.append(Prospect(group, *known[looks], before))
    return sorted(found, key=lambda one: -one.bits)


__all__ = ["Prospect", "prospects"]
