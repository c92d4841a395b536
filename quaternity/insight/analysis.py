"""Analysis of a state: possible owners, counts, the number of deals, and probabilities.

For each legal question, the module also computes how much information it is expected to reveal, in
two parts. Asking shows that the asker holds another card of the set, but not the requested card.
The answer shows whether the asked player holds the requested card. All deals that fit the state are
equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

from quaternity.base.errors import LimitError, NoDeal
from quaternity.base.picture import Display, Displayable
from quaternity.base.validation import validate_arguments
from quaternity.game.faults import why_impossible
from quaternity.game.legal import QuestionGroup
from quaternity.game.question import Answer
from quaternity.game.state import State
from quaternity.game.transition import after_claim
from solvers.coalition_tables import ShapeKey, shape_key
from solvers.counting import chances_picture, count_deals, count_deals_given, exact_chances
from solvers.filtering import filter_problem
from solvers.problem import DealProblem, SetConstraint, players_in


@dataclass(frozen=True, slots=True)
class Deductions:
    """Facts that follow from a possible state without counting its deals.

    Attributes:
        counts: `counts[player][set]` is the minimum and maximum number of cards of the set that the
            player can hold. Both are 0 for a completed set, whose cards are in no hand.
        may_own: `may_own[set][card]` lists the players who own the card in some deal. For a
            completed set, this is the player who completed it.
    """

    counts: list[list[tuple[int, int]]]
    may_own: list[list[tuple[int, ...]]]

    def document(self) -> dict[str, Any]:
        """Return the facts as a JSON object."""
        return {"deals": None, "chances": None, "counts": self.counts, "may_own": self.may_own}


@dataclass(frozen=True, slots=True)
class Analysis(Deductions, Displayable):
    """All facts that follow from a possible state, with the number of deals and probabilities.

    Attributes:
        deals: number of deals that fit the state.
        chances: `chances[set][card][player]` is the probability that the player owns the card if
            all deals are equally likely. It is 0.0 or 1.0 only if that is certain.
    """

    deals: int
    chances: list[list[list[float]]]

    def document(self) -> dict[str, Any]:
        """Return the facts, the number of deals and the probabilities as a JSON object."""
        return Deductions.document(self) | {"deals": self.deals, "chances": self.chances}

    def picture(self) -> Display:
        """Return a table of the probability that each player owns each card.

        Cards of a set share a row if their probabilities are equal.
        """
        return chances_picture(self.deals, self.chances)


class TooManyDeals(LimitError):
    """Error for a state whose deals cannot be counted within the limits of `solvers.counting`.

    Attributes:
        deductions: the facts that do not need a count.
    """

    def __init__(self, reason: LimitError, deductions: Deductions) -> None:
        super().__init__(str(reason))
        self.deductions = deductions


@validate_arguments(state=(State, DealProblem))
def analyse(state: State | DealProblem, seconds: float | None = None) -> Analysis:
    """Return everything that follows from a state, or from a deal problem without a game.

    Args:
        seconds: time limit for the deductions, and the same limit again for counting the deals.
            None means no limit.

    Raises:
        SolverTimeout: If the deductions reach the time limit.
        NoDeal: If the state is impossible.
        TooManyDeals: If counting exceeds the limits of `solvers.counting` or the time limit.
        LimitError: If the deductions exceed the limits of `solvers.filtering`.
    """
    if not isinstance(state, State):
        return _analyse(state, (None,) * len(state.sets), 0, seconds)
    return _analyse(state.problem, state.completed, state.set_size, seconds)


def _analyse(
    original: DealProblem, completed: Sequence[int | None], size: int, seconds: float | None
) -> Analysis:
    reason = why_impossible(original)
    if reason is not None:
        raise NoDeal(original.words.say(reason[1]))
    tight = filter_problem(original, seconds)
    deductions = _deductions(tight, completed, size)
    # Keep the original bounds. Tighter bounds exclude no further deal and would only slow the
    # counting down.
    problem = DealProblem.unchecked(
        original.hands,
        tuple(
            SetConstraint.unchecked(exact.owners, loose.low, loose.high)
            for exact, loose in zip(tight.sets, original.sets, strict=True)
        ),
    )
    try:
        counted = exact_chances(problem, seconds=seconds)
    except LimitError as error:
        raise TooManyDeals(error, deductions) from error
    chances = counted.floats()
    for index, owner in enumerate(completed):
        if owner is not None:
            certain = [float(player == owner) for player in range(original.players)]
            chances[index] = [certain] * size
    return Analysis(deductions.counts, deductions.may_own, counted.deals, chances)


def _deductions(tight: DealProblem, completed: Sequence[int | None], size: int) -> Deductions:
    return Deductions(
        [[(constraint.low[player], constraint.high[player]) for constraint in tight.sets]
         for player in range(tight.players)],
        [
            [players_in(mask) for mask in fitting.owners]
            if owner is None
            else [(owner,)] * size
            for fitting, owner in zip(tight.sets, completed, strict=True)
        ],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prospect:
    """Effect of a question on the number of possible deals.

    Questions to one player share an object if the requested cards have the same possible owners,
    because their effects are the same.

    Attributes:
        group: the asked player, the set, the cards, and the legal answers.
        after_no, after_yes: number of deals left after each answer, or 0 if the answer is
            impossible.
        before: number of deals before the question.
    """

    group: QuestionGroup
    after_no: int
    after_yes: int
    before: int

    def document(self) -> dict[str, Any]:
        """Return the question and its effect as a JSON object."""
        return {
            "asked": self.group.asked,
            "set": self.group.set_index,
            "cards": list(self.group.cards),
            "chance_of_yes": self.chance_of_yes,
            "deals_after_no": self.after_no,
            "deals_after_yes": self.after_yes,
            "bits": self.bits,
            "bits_of_asking": self.bits_of_asking,
        }

    @property
    def chance_of_yes(self) -> float:
        """Return the probability that the answer is yes, given that the question was asked."""
        return self.after_yes / (self.after_no + self.after_yes)

    @property
    def bits_of_asking(self) -> float:
        """Return the information that the question itself reveals, before its answer, in bits."""
        return log2(self.before) - log2(self.after_no + self.after_yes)

    @property
    def bits(self) -> float:
        """Return the expected information from the question and its answer together, in bits."""
        asked = self.after_no + self.after_yes
        remaining = sum(
            deals / asked * log2(deals) for deals in (self.after_no, self.after_yes) if deals
        )
        return log2(self.before) - remaining


@validate_arguments(state=State)
def prospects(state: State) -> list[Prospect]:
    """Return how each legal question changes the number of deals, most informative question first.

    Questions to one player for cards with the same possible owners share a `Prospect`.

    Raises:
        LimitError: If the counts are above the limits of `solvers.counting`.
    """
    asker = state.turn
    if asker is None:
        return []
    problem = state.problem
    before = count_deals(problem)
    # Numbers of deals after the answers no and yes. The keys are a set's masks and bounds
    # (`shape_key`), and then the asked player and the owner mask of the card.
    known: dict[ShapeKey, dict[tuple[int, int], tuple[int, int]]] = {}
    prospects = []
    for group in state.legal_questions.groups():
        constraint = problem.sets[group.set_index]
        looks = shape_key(constraint)
        if looks not in known:
            known[looks] = _after_answers(problem, asker, group.set_index)
        after = known[looks][group.asked, constraint.owners[group.cards[0]]]
        prospects.append(Prospect(group, *after, before))
    return sorted(prospects, key=lambda x: -x.bits)


def _after_answers(
    problem: DealProblem, asker: int, set_index: int
) -> dict[tuple[int, int], tuple[int, int]]:
    constraint = problem.sets[set_index]
    asks = [
        (asked, mask)
        for mask in dict.fromkeys(constraint.owners)
        for asked in range(problem.players)
        if asked != asker
    ]
    narrower = [
        after_claim(constraint, asker, asked, constraint.owners.index(mask), answer)
        for asked, mask in asks
        for answer in Answer
    ]
    try:
        numbers = count_deals_given(problem, set_index, narrower)
    except LimitError:
        # Count each case separately. This is slower, but does not list the count vectors of the
        # set, which may be too numerous without bounds.
        numbers = [count_deals(problem.with_set(set_index, n)) for n in narrower]
    return dict(zip(asks, zip(numbers[::2], numbers[1::2], strict=True), strict=True))


def owner_chances(
    may_own: Sequence[Sequence[Sequence[int]]], players: int
) -> list[list[list[float | None]]]:
    """Return probabilities `[set][card][player]` that follow from the possible owners alone.

    The value is 1.0 for the only possible owner of a card, 0.0 for a player who cannot own the
    card, and None otherwise.

    >>> owner_chances([[(0, 2), (1,)]], 3)
    [[[None, 0.0, None], [0.0, 1.0, 0.0]]]
    """
    return [
        [
            [
                (1.0 if len(owners) == 1 else None) if player in owners else 0.0
                for player in range(players)
            ]
            for owners in cards
        ]
        for cards in may_own
    ]
