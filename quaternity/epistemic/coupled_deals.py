"""A CP-SAT model of several deals in which some players have the same hand.

To evaluate "player 1 considers it possible that player 2 considers it possible that ...", the model
needs two deals besides the real one. In the first, player 1 has the same hand as in the real deal.
In the second, player 2 has the same hand as in the first. Each deal is a table of literals, one for
each player and card: "this player holds this card". If a player has the same hand in two deals,
both tables contain the same literals for this player.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from quaternity.base.cp_sat_search import run_search
from quaternity.base.errors import LimitError, SolverTimeout
from quaternity.epistemic.evaluator import Deadline, Undecided, out_of_time
from solvers.problem import DealProblem, players_in
from solvers.verdict import Deal

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Literal: TypeAlias = Any
"""A boolean of a CP-SAT model: True, False, a variable or the negation of a variable. The type is
`Any`, because OR-Tools publishes no types."""

MAX_LITERALS = 300_000
"""Maximum number of boolean variables in one CP-SAT model."""

Hand: TypeAlias = Sequence[Literal]
"""The hand of a player in a CP-SAT model, as a sequence of booleans. There is one boolean for each
card of the game, set by set. It says whether the player holds the card."""


def negate(literal: Literal) -> Literal:
    """Return the negation of a literal."""
    return not literal if isinstance(literal, bool) else literal.negated()


class DealTable:
    """The variables of a deal in a CP-SAT model: a literal for each card and possible owner.

    A literal is a boolean variable, its negation, True or False. `holds[card]` maps each possible
    owner of a card to the literal that says that this player holds the card. The cards of all sets
    are numbered consecutively. `first_card[set]` is the number of the first card of a set.
    """

    __slots__ = ("first_card", "holds", "problem")

    def __init__(self, problem: DealProblem, holds: Sequence[Mapping[int, Literal]]) -> None:
        self.problem = problem
        self.holds = holds
        self.first_card = []
        start = 0
        for constraint in problem.sets:
            self.first_card.append(start)
            start += constraint.size

    def card_literal(self, player: int, set_index: int, number: int) -> Literal:
        """Return the literal for "the player holds the card". It is False if this is impossible."""
        if number >= self.problem.sets[set_index].size:
            return False
        return self.holds[self.first_card[set_index] + number].get(player, False)

    def hand_literals(self, player: int) -> list[Literal]:
        """Return a literal for each card that says whether a player holds it."""
        return [holders.get(player, False) for holders in self.holds]

    def difference_literals(self, deal: Deal, players: Iterable[int]) -> list[Literal]:
        """Return literals that are all false iff these players have the same hands as in `deal`.

        Each literal says that a player lacks a card that the player holds in `deal`. That is
        enough, because a hand has the same size in all deals.
        """
        return [
            negate(self.card_literal(player, index, card))
            for player in players
            for index, card in deal.hand(player)
        ]


class CoupledDeals:
    """A CP-SAT model of several deals, with conditions that connect them.

    The model can be extended and solved again.
    """

    def __init__(self, deadline: Deadline) -> None:
        from ortools.sat.python import cp_model

        self.model: cp_model.CpModel = cp_model.CpModel()
        self.deadline = deadline
        self._solver: cp_model.CpSolver | None = None
        self._literals = 0

    def new_literal(self) -> Literal:
        """Return a new boolean variable. Raise LimitError if there are more than `MAX_LITERALS`."""
        self._literals += 1
        if self._literals > MAX_LITERALS:
            raise LimitError(f"the formula needs too many variables (the limit is {MAX_LITERALS})")
        return self.model.new_bool_var("")

    def require_any(self, literals: Iterable[Literal]) -> None:
        """Require that at least one of the literals is true."""
        open_ones = []
        for literal in literals:
            if literal is True:
                return
            if literal is not False:
                open_ones.append(literal)
        self.model.add_bool_or(open_ones)

    def require_if(self, condition: Literal, literal: Literal) -> None:
        """Require that `literal` is true if `condition` is true."""
        self.require_any((negate(condition), literal))

    def require_exactly_one(self, literals: Iterable[Literal]) -> None:
        """Require that exactly one of the literals is true."""
        self.model.add_exactly_one(literals)

    def all_of(self, literals: Sequence[Literal]) -> Literal:
        """Return a literal that can be true only if all of the given literals are true."""
        if any(x is False for x in literals):
            return False
        open_ones = [literal for literal in literals if literal is not True]
        if len(open_ones) < 2:
            return open_ones[0] if open_ones else True
        together = self.new_literal()
        for open_one in open_ones:
            self.require_if(together, open_one)
        return together

    def any_of(self, literals: Sequence[Literal]) -> Literal:
        """Return a literal that can be true only if one of the given literals is true."""
        if any(x is True for x in literals):
            return True
        open_ones = [literal for literal in literals if literal is not False]
        if len(open_ones) < 2:
            return open_ones[0] if open_ones else False
        either = self.new_literal()
        self.require_any([negate(either), *open_ones])
        return either

    def require_sum(
        self, terms: Sequence[tuple[int, Literal]], low: int, high: int, condition: Literal = True
    ) -> None:
        """Require that a weighted sum of literals is in `low`..`high` if `condition` is true.

        `terms` contains a pair (weight, literal) for each literal.
        """
        fixed = sum(weight for weight, literal in terms if literal is True)
        free = [(weight, variable) for weight, variable in terms if not isinstance(variable, bool)]
        smallest = fixed + sum(weight for weight, _ in free if weight < 0)
        largest = fixed + sum(weight for weight, _ in free if weight > 0)
        if condition is False or (low <= smallest and largest <= high):
            return
        if largest < low or smallest > high or low > high:
            self.require_any((negate(condition),))
            return
        from ortools.sat.python import cp_model

        total = cp_model.LinearExpr.weighted_sum(
            [literal for _, literal in free], [weight for weight, _ in free]
        )
        row = self.model.add_linear_constraint(total, low - fixed, high - fixed)
        if condition is not True:
            row.only_enforce_if(condition)

    def new_deal(self, problem: DealProblem, hands: Mapping[int, Hand] | None = None) -> DealTable:
        """Add variables for a further deal of a problem to the model, and return them.

        `hands` maps players to the literals of the hands that they must have in the new deal. These
        hands must come from another deal of the same problem or of a stricter problem.

        Raises:
            Undecided: If time runs out.
            LimitError: If the model has too many variables.
        """
        self.deadline.remaining()
        shared = hands or {}
        holds: list[dict[int, Literal]] = []
        for constraint in problem.sets:
            shares: list[list[Literal]] = [[] for _ in problem.hands]
            for mask in constraint.owners:
                holders = self._holders(mask, {p: hand[len(holds)] for p, hand in shared.items()})
                for player, literal in holders.items():
                    shares[player].append(literal)
                holds.append(holders)
            for player, share in enumerate(shares):
                self.require_sum(
                    [(1, s) for s in share], constraint.low[player], constraint.high[player]
                )
        for player, size in enumerate(problem.hands):
            if player not in shared:
                self.require_sum(
                    [(1, holders[player]) for holders in holds if player in holders], size, size
                )
        return DealTable(problem, holds)

    def _holders(self, mask: int, shared: Mapping[int, Literal]) -> dict[int, Literal]:
        for player, literal in shared.items():
            if literal is True:
                return {player: True}
        options = [
            player
            for player in players_in(mask)
            if player not in shared or shared[player] is not False
        ]
        if len(options) == 1 and options[0] not in shared:
            return {options[0]: True}
        holders = {p: shared[p] if p in shared else self.new_literal() for p in options}
        self.require_exactly_one(holders.values())
        return holders

    def solve(self, **parameters: object) -> bool:
        """Solve the model and return whether it has a solution.

        The methods `value` and `deal` read the solution. `parameters` are settings of CP-SAT. Raise
        Undecided at the time limit, and SolverFault if CP-SAT rejects the model.
        """
        text = out_of_time(self.deadline.seconds)
        others: dict[str, Any] = {"symmetry_level": 0, "cp_model_probing_level": 0, **parameters}
        try:
            solver = run_search(self.model, self.deadline.remaining(), lambda: text, **others)
        except SolverTimeout as error:
            raise Undecided(str(error)) from None
        self._solver = solver or self._solver
        return solver is not None

    def value(self, literal: Literal) -> bool:
        """Return the value of a literal in the last solution."""
        if isinstance(literal, bool):
            return literal
        assert self._solver is not None
        return bool(self._solver.boolean_value(literal))

    def deal(self, table: DealTable) -> Deal:
        """Return the deal that the literals of a table describe in the last solution."""
        holds = iter(table.holds)
        owner = []
        for constraint in table.problem.sets:
            row = []
            for _ in constraint.owners:
                holders = next(holds)
                row.append(
                    next(player for player, literal in holders.items() if self.value(literal))
                )
            owner.append(tuple(row))
        return Deal(tuple(owner))
