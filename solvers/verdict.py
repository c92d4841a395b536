"""Verdicts on deal problems, and a check of their evidence without a solver.

A verdict and its evidence must have exact types, not subclasses, and are copied to plain tuples of
integers before the check. So the check never runs code of the solver that returned the verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from quaternity.base.picture import Cell, Display, Displayable, heading_cells
from quaternity.base.sentences import PLAIN, Wording
from quaternity.base.text_format import quote_value
from quaternity.base.validation import validate_arguments
from solvers.problem import DealProblem
from solvers.shortage import Certificate, copy_certificate


@dataclass(frozen=True, slots=True)
class Deal(Displayable):
    """Assignment of every card to a player.

    Attributes:
        owner: `owner[set][card]` is the number of the player who owns the card.
    """

    owner: tuple[tuple[int, ...], ...]

    def hand(self, player: int) -> tuple[tuple[int, int], ...]:
        """Return the cards of a player as pairs (set, card), in ascending order."""
        return tuple(
            (index, card)
            for index, owners in enumerate(self.owner)
            for card, owner in enumerate(owners)
            if owner == player
        )

    def picture(self, words: Wording | None = None) -> Display:
        """Return a table that shows the owner of each card, with a row for each set."""
        words = words or PLAIN
        size = max(map(len, self.owner), default=0)
        rows = [heading_cells("set", *(f"/{card}" for card in range(size)))]
        for index, owners in enumerate(self.owner):
            cells = [
                Cell(
                    words.seat(owner), "", f"{words.player(owner)} has {words.card((index, card))}"
                )
                for card, owner in enumerate(owners)
            ]
            rows.append([*heading_cells(words.number(index)), *cells])
        return Display("A deal: the owner of every card", (), rows)

    def in_words(
        self, words: Wording | DealProblem | None = None, players: int = 0, separator: str = "\n"
    ) -> str:
        """Return all hands as text, with one line for each player by default.

        Args:
            words: a problem that provides the names of players and cards, or a formatter of
                messages. By default, players and cards are numbers.
            players: the number of players, to list players without cards as well.
            separator: the text between two hands.
        """
        if isinstance(words, DealProblem):
            players, words = players or words.players, words.words
        words = words or PLAIN
        last = max((owner for owners in self.owner for owner in owners), default=-1)
        hands = (
            f"{words.player(player)}: {words.hand(self.hand(player)) or 'no cards'}"
            for player in range(max(players, last + 1))
        )
        return separator.join(hands)

    def __str__(self) -> str:
        return self.in_words()


@dataclass(frozen=True, slots=True)
class Feasible(Displayable):
    """Verdict that a problem has a deal. It counts as true (`if verdict:`).

    Attributes:
        deal: a deal that satisfies the problem.
        problem: the problem if `solve` returned the verdict, otherwise None. Comparisons ignore it.
    """

    deal: Deal
    problem: DealProblem | None = field(default=None, compare=False, repr=False)

    def __bool__(self) -> bool:
        return True

    def picture(self) -> Display:
        """Return a table of the deal."""
        words = PLAIN if self.problem is None else self.problem.words
        title = "Possible: the owner of each card in one deal"
        return self.deal.picture(words)._replace(title=title)

    def __str__(self) -> str:
        if self.problem is None:
            return self.deal.in_words()
        return self.deal.in_words(self.problem.words, self.problem.players)


@dataclass(frozen=True, slots=True)
class Infeasible(Displayable):
    """Verdict that a problem has no deal. It counts as false (`if not verdict:`).

    Attributes:
        shortage: the proof, or None if the solver provides none. `solve` always provides a proof.
        problem: the problem if `solve` returned the verdict, otherwise None. Comparisons ignore it.
    """

    shortage: Certificate | None = None
    problem: DealProblem | None = field(default=None, compare=False, repr=False)

    def __bool__(self) -> bool:
        return False

    def picture(self) -> Display:
        """Return a display that says "Impossible" and, if the verdict has a proof, the reason."""
        return Display("Impossible", (str(self),))

    def __str__(self) -> str:
        if self.shortage is None and self.problem is None:
            return "no deal satisfies the problem (solvers.certify gives the proof)"
        if self.shortage is None:
            return "no deal satisfies the problem and the constraints that were added"
        if self.problem is None:
            return f"no deal satisfies the problem: {self.shortage!r}"
        return self.problem.words.say(self.shortage.in_words(self.problem))


Verdict: TypeAlias = Feasible | Infeasible


def copy_verdict(value: object) -> Verdict | None:
    """Return a copy of a solver's answer, or None if the answer is not a valid verdict.

    The copy consists only of exact `tuple` and `int` objects, so checking it runs no code of the
    solver. The running time is linear in the number of cards.
    """
    if type(value) is Feasible:
        deal = getattr(value, "deal", None)
        rows = _copy_rows(getattr(deal, "owner", None)) if type(deal) is Deal else None
        if rows is not None:
            return Feasible(Deal(rows))
    elif type(value) is Infeasible:
        shortage = getattr(value, "shortage", value)
        certificate = copy_certificate(shortage)
        if shortage is None or certificate is not None:
            return Infeasible(certificate)
    return None


def _copy_rows(owner: Any, listing: type = tuple) -> tuple[tuple[int, ...], ...] | None:
    def is_listing(value: object) -> bool:
        return type(value) is tuple or type(value) is listing

    if not is_listing(owner):
        return None
    rows = tuple(owner)
    if not all(map(is_listing, rows)):
        return None
    rows = tuple([tuple(cards) for cards in rows])
    return rows if all(type(player) is int for cards in rows for player in cards) else None


@validate_arguments(problem=DealProblem)
def deal_faults(problem: DealProblem, owner: Deal | Sequence[Sequence[int]]) -> list[str]:
    """Return all faults of a deal as sentences. There are none if the deal satisfies the problem.

    `owner` is a `Deal`, or a list or tuple of lists or tuples in which `owner[set][card]` is the
    number of a player. Any other value is reported as a fault. The running time is linear in the
    number of cards plus players x sets.
    """
    rows = _copy_rows(owner.owner if type(owner) is Deal else owner, list)
    if rows is None:
        return ["the deal is not a list of players for each set"]
    return _row_faults(problem, rows)


def _row_faults(problem: DealProblem, rows: tuple[tuple[int, ...], ...]) -> list[str]:
    if [len(cards) for cards in rows] != [constraint.size for constraint in problem.sets]:
        return ["the deal does not have exactly one owner for each card"]
    faults, words = [], problem.words
    held = [0] * problem.players
    for index, (constraint, cards) in enumerate(zip(problem.sets, rows, strict=True)):
        counts = [0] * problem.players
        for card, (mask, holder) in enumerate(zip(constraint.owners, cards, strict=True)):
            known = 0 <= holder < problem.players
            if not known or not mask >> holder & 1:
                owner_name = words.player(holder) if known else f"player {quote_value(holder)}"
                faults.append(f"card {words.card((index, card))} cannot belong to {owner_name}")
            else:
                counts[holder] += 1
        for player, count in enumerate(counts):
            held[player] += count
            if not constraint.low[player] <= count <= constraint.high[player]:
                low, high = constraint.low[player], constraint.high[player]
                bounds = f"exactly {words.cards(low)}" if low == high else f"{low} to {high} cards"
                faults.append(
                    f"{words.player(player)} must have {bounds} of {words.set(index)}, not {count}"
                )
    for player, (count, hand) in enumerate(zip(held, problem.hands, strict=True)):
        if count != hand:
            faults.append(f"{words.player(player)} has {words.cards(count)}, not {hand}")
    return faults


@validate_arguments(problem=DealProblem)
def verify(problem: DealProblem, verdict: object) -> bool:
    """Return whether the evidence of a verdict proves the verdict. No solver is used.

    The deal of a `Feasible` must satisfy the problem, and the shortage of an `Infeasible` must
    prove that there is no deal. The result is False for an `Infeasible` without a shortage, and for
    any value that is not a verdict. Such a value does not raise an exception, and none of its code
    is run. The running time is linear in the number of cards plus players x sets.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)])
    >>> verify(problem, Feasible(Deal(((0, 1),))))
    True
    >>> verify(problem, Feasible(Deal(((1, 1),)))), verify(problem, "certainly")
    (False, False)
    """
    plain = copy_verdict(verdict)
    if isinstance(plain, Feasible):
        return not _row_faults(problem, plain.deal.owner)
    return plain is not None and plain.shortage is not None and plain.shortage.holds(problem)
