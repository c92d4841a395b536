"""Verdicts on deal problems, and the short independent check that every one of them must pass.

Evidence is one of a closed set of exact types (a subclass is none of them), copied to plain tuples
of plain numbers before it is looked at: no code of whoever made a verdict runs when it is judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from quaternity.base.picture import Cell, Picture, Shown, heads
from quaternity.base.plain_values import takes
from quaternity.base.wording import shown
from solvers.problem import DealProblem
from solvers.shortage import Certificate, plain_certificate


@dataclass(frozen=True, slots=True)
class Deal(Shown):
    """One owner for every card: `owner[set][card]` is a player."""

    owner: tuple[tuple[int, ...], ...]

    def hand(self, player: int) -> tuple[tuple[int, int], ...]:
        """Return the cards of a player as (set, card), ascending."""
        return tuple(
            (index, card)
            for index, owners in enumerate(self.owner)
            for card, owner in enumerate(owners)
            if owner == player
        )

    def picture(self) -> Picture:
        """Show who has which card: one row per set."""
        size = max(map(len, self.owner), default=0)
        rows = [heads("set", *(f"/{card}" for card in range(size)))]
        rows += [
            [*heads(index), *(Cell(str(owner), "", f"player {owner} has it") for owner in owners)]
            for index, owners in enumerate(self.owner)
        ]
        return Picture("A deal: the owner of every card", (), rows)

    def __str__(self) -> str:
        players = sorted({owner for owners in self.owner for owner in owners})
        hands = (
            f"{player}: {' '.join(f'{index}/{card}' for index, card in self.hand(player))}"
            for player in players
        )
        return f"<Deal {'; '.join(hands)}>"


@dataclass(frozen=True, slots=True)
class Feasible(Shown):
    """Some deal satisfies the problem; `deal` is an example."""

    deal: Deal

    def __bool__(self) -> bool:
        return True

    def picture(self) -> Picture:
        """Show the deal."""
        return self.deal.picture()._replace(title="Possible, for example so: the owner of each")


@dataclass(frozen=True, slots=True)
class Infeasible(Shown):
    """No deal satisfies the problem; `shortage` shows why.

    It is None for a solver that proves by exhaustion; `solvers.certify` supplies one.
    """

    shortage: Certificate | None = None

    def __bool__(self) -> bool:
        return False

    def picture(self) -> Picture:
        """Show that there is no deal, and why."""
        if self.shortage is None:
            return Picture("Impossible", ("solvers.certify says why",))
        lines = ("shortage.in_words(problem) adds it up:", repr(self.shortage))
        return Picture("Impossible", lines)


Verdict: TypeAlias = Feasible | Infeasible


def plain_verdict(value: object) -> Verdict | None:
    """Copy a verdict out of whatever a solver gave; give None if it is no verdict.

    The copy holds nothing but exact tuples of exact whole numbers. Cost: cards.
    """
    if type(value) is Feasible:
        deal = getattr(value, "deal", None)
        rows = _plain_rows(getattr(deal, "owner", None)) if type(deal) is Deal else None
        if rows is not None:
            return Feasible(Deal(rows))
    elif type(value) is Infeasible:
        shortage = getattr(value, "shortage", value)
        certificate = plain_certificate(shortage)
        if shortage is None or certificate is not None:
            return Infeasible(certificate)
    return None


def _plain_rows(owner: Any, listing: type = tuple) -> tuple[tuple[int, ...], ...] | None:
    """Return the owners of all cards as tuples of whole numbers, or None if they are not.

    `listing` is the type, besides tuple, that the rows and their container may have.
    """

    def is_listing(value: object) -> bool:
        return type(value) is tuple or type(value) is listing

    if not is_listing(owner):
        return None
    rows = tuple(owner)
    if not all(map(is_listing, rows)):
        return None
    rows = tuple([tuple(cards) for cards in rows])
    return rows if all(type(player) is int for cards in rows for player in cards) else None


@takes(problem=DealProblem)
def deal_faults(problem: DealProblem, owner: Deal | Sequence[Sequence[int]]) -> list[str]:
    """Return everything that is wrong with a deal; empty when it satisfies the problem.

    `owner` is a `Deal`, or lists or tuples of whole numbers: `owner[set][card]` is a player.
    Nothing else is a deal.
    Cost: cards + players x sets.
    """
    rows = _plain_rows(owner.owner if type(owner) is Deal else owner, list)
    if rows is None:
        return ["the deal is not, for every set, a list of players"]
    if [len(cards) for cards in rows] != [constraint.size for constraint in problem.sets]:
        return ["the deal has not one owner for every card"]
    faults = []
    held = [0] * problem.players
    for index, (constraint, cards) in enumerate(zip(problem.sets, rows, strict=True)):
        counts = [0] * problem.players
        for card, (mask, holder) in enumerate(zip(constraint.owners, cards, strict=True)):
            if not 0 <= holder < problem.players or not mask >> holder & 1:
                faults.append(f"card {index}/{card} cannot belong to player {shown(holder)}")
            else:
                counts[holder] += 1
        for player, count in enumerate(counts):
            held[player] += count
            if not constraint.low[player] <= count <= constraint.high[player]:
                faults.append(
                    f"player {player} has {count} of set {index}, not between "
                    f"{constraint.low[player]} and {constraint.high[player]}"
                )
    for player, (count, hand) in enumerate(zip(held, problem.hands, strict=True)):
        if count != hand:
            faults.append(f"player {player} has {count} cards, not {hand}")
    return faults


@takes(problem=DealProblem)
def verify(problem: DealProblem, verdict: object) -> bool:
    """Check a verdict by the evidence it carries, independently of every solver.

    A deal is counted out against the problem; a shortage is added up. An `Infeasible` without
    evidence is not verified: False. Anything else is False too: it raises no error here, and none
    of its code is run. Cost: cards + players x sets.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)])
    >>> verify(problem, Feasible(Deal(((0, 1),))))
    True
    >>> verify(problem, Feasible(Deal(((1, 1),)))), verify(problem, "certainly")
    (False, False)
    """
    plain = plain_verdict(verdict)
    if isinstance(plain, Feasible):
        return not deal_faults(problem, plain.deal.owner)
    return plain is not None and plain.shortage is not None and plain.shortage.holds(problem)
