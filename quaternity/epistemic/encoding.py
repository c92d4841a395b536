"""Formulas as clauses over coupled deals.

`Encoder.literal` gives, for a formula, a wanted truth value and a deal of the model, a literal that
can be true only if the formula has that truth value there. What a player does *not* know needs one
more deal that shares the player's hand. What a player *knows* needs, while it can be split into few
cases, a refutation of every case; otherwise it is a `Guess`: the literal is free but for necessary
conditions, and whoever solves the model checks it in the solution and, if it is wrong, forbids it
for that hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from quaternity.cards import Card
from quaternity.epistemic.coupled_deals import CoupledDeals, DealTable, Literal
from quaternity.epistemic.formula import (
    Announced,
    Common,
    Constant,
    Distributed,
    Everywhere,
    Formula,
    Holds,
    Knows,
    Not,
    Unknown,
    every,
)
from quaternity.epistemic.propositional import (
    cases,
    is_propositional,
    unfolded,
    without_knowledge,
)
from quaternity.epistemic.refutation import refuted
from quaternity.errors import LimitError
from solvers.problem import DealProblem

MAX_REFUTED_CASES = 12
"""Most cases that are refuted inside a model to say that something is known."""
MAX_DEALS = 300
"""Most deals in one model."""

Said: TypeAlias = tuple[Formula, ...]
"""What was announced so far, in order; each is understood after those before it."""


class Guess(NamedTuple):
    """A literal whose truth the model does not enforce.

    Attributes:
        literal: may be true only if `formula` has the truth value `truth` at `table`.
        players: their hands together determine the truth of the formula.
    """

    literal: Literal
    formula: Formula
    truth: bool
    table: DealTable
    said: Said
    players: tuple[int, ...]


class Encoder:
    """Writes formulas into a model.

    Attributes:
        guesses: literals to be checked in every solution.
    """

    def __init__(
        self,
        model: CoupledDeals,
        problem: DealProblem,
        everywhere: Callable[[Formula, Said], bool],
    ) -> None:
        self.model = model
        self.problem = problem
        self.guesses: list[Guess] = []
        self._everywhere = everywhere
        self._known: dict[tuple[int, Formula, bool, Said], Literal] = {}
        self._deals: list[DealTable] = []

    def new_deal(
        self, problem: DealProblem, table: DealTable | None = None, players: Iterable[int] = ()
    ) -> DealTable:
        """A deal of a problem, which shares the hands of some players with a table.

        Raises:
            LimitError: above `MAX_DEALS`.
        """
        if len(self._deals) == MAX_DEALS:
            raise LimitError(f"the question needs more than {MAX_DEALS} deals at once")
        hands = {} if table is None else {player: table.hand(player) for player in players}
        self._deals.append(self.model.new_deal(problem, hands))
        return self._deals[-1]

    def literal(self, formula: Formula, truth: bool, table: DealTable, said: Said) -> Literal:
        """A literal that can be true only if a formula has a truth value at a deal.

        Whenever everything that was said is true at the deal, the literal can be made true if the
        formula has the truth value.
        """
        key = (id(table), formula, truth, said)
        if key not in self._known:
            self._known[key] = self._literal(formula, truth, table, said)
        return self._known[key]

    def membership(self, table: DealTable, said: Said) -> list[Literal]:
        """Literals that together say that all announcements were true at a deal."""
        return [self.literal(one, True, table, said[:index]) for index, one in enumerate(said)]

    def _literal(self, formula: Formula, truth: bool, table: DealTable, said: Said) -> Literal:
        match formula:
            case Constant(value):
                return value == truth
            case Holds(player, card):
                held = table.held(player, card.set_index, card.number)
                if isinstance(held, bool):
                    return held == truth
                return held if truth else held.negated()
            case Knows(player, part):
                return self._knowledge(formula, (player,), part, truth, table, said)
            case Distributed(players, part):
                return self._knowledge(formula, players, part, truth, table, said)
            case Everywhere(part):
                return self._everywhere(part, said) == truth
            case Common(part):
                return self._common(formula, part, truth, table, said)
            case Unknown():
                return self._unknown(formula, truth, table, said)
            case Announced(announcement, then):
                true = self.literal(announcement, True, table, said)
                after = self.literal(then, truth, table, (*said, announcement))
                if not truth:
                    return self._all_of([true, after])
                false = self.literal(announcement, False, table, said)
                return self._one_of([false, self._all_of([true, after])])
            case _:
                needed = unfolded(formula, truth)
                assert needed is not None, formula
                literals = [self.literal(part, wish, table, said) for part, wish in needed[1]]
                return self._all_of(literals) if needed[0] else self._one_of(literals)

    def _knowledge(
        self,
        formula: Formula,
        players: tuple[int, ...],
        part: Formula,
        truth: bool,
        table: DealTable,
        said: Said,
    ) -> Literal:
        if not truth:
            return self._possible(players, Not(part), table, said)
        otherwise = every([*said, Not(part)])
        plain = is_propositional(otherwise)
        # Every deal of these cases is a counterexample; there is no other if `plain`.
        found = cases(self.problem, without_knowledge(otherwise, False), limit=MAX_REFUTED_CASES)
        exact = plain and found is not None
        literals = [refuted(self.model, self.problem, table, players, case) for case in found or ()]
        if exact:
            return self._all_of(literals)
        literals.append(self.literal(part, True, table, said))
        return self._guess(literals, Guess(None, formula, truth, table, said, players))

    def _guess(self, necessary: Sequence[Literal], guess: Guess) -> Literal:
        if any(literal is False for literal in necessary):
            return False
        literal = self.model.new_literal()
        for one in necessary:
            self.model.require_if(literal, one)
        self.guesses.append(guess._replace(literal=literal))
        return literal

    def _possible(
        self, players: tuple[int, ...], part: Formula, table: DealTable, said: Said
    ) -> Literal:
        """Some deal that agrees with the table on the players' hands makes a formula true."""
        hint = without_knowledge(every([*said, part]), True)
        if cases(self.problem, hint, limit=1) == []:
            return False
        other = self.new_deal(self.problem, table, players)
        return self._all_of([*self.membership(other, said), self.literal(part, True, other, said)])

    def _common(
        self, formula: Formula, part: Formula, truth: bool, table: DealTable, said: Said
    ) -> Literal:
        # Whoever cannot tell two deals apart joins them, so any one hand determines it.
        necessary = [self.literal(part, True, table, said)] if truth else []
        return self._guess(necessary, Guess(None, formula, truth, table, said, (0,)))

    def _unknown(self, formula: Unknown, truth: bool, table: DealTable, said: Said) -> Literal:
        knower, owner, count = formula.knower, formula.owner, formula.count
        hand = self.problem.hands[owner]
        if knower == owner or count > hand:
            return (count == 0 if knower == owner else False) == truth
        known, unknown = [], []
        for index, constraint in enumerate(self.problem.sets):
            for number, mask in enumerate(constraint.owners):
                if mask >> owner & 1:
                    held = Holds(owner, Card(index, number))
                    known.append(self.literal(Knows(knower, held), True, table, said))
                    secret = self.literal(Knows(knower, held), False, table, said)
                    unknown.append(self._all_of([secret, table.held(owner, index, number)]))
        if truth:
            return self._all_of(
                [self._at_least(hand - count, known), self._at_least(count, unknown)]
            )
        return self._one_of(
            [self._at_least(hand - count + 1, known), self._at_least(count + 1, unknown)]
        )

    def _at_least(self, number: int, literals: Sequence[Literal]) -> Literal:
        if number <= sum(one is True for one in literals):
            return True
        if number > sum(one is not False for one in literals):
            return False
        enough = self.model.new_literal()
        self.model.require_sum([(1, one) for one in literals], number, len(literals), enough)
        return enough

    def _all_of(self, literals: Sequence[Literal]) -> Literal:
        if any(one is False for one in literals):
            return False
        open_ones = [one for one in literals if one is not True]
        if len(open_ones) < 2:
            return open_ones[0] if open_ones else True
        together = self.model.new_literal()
        for one in open_ones:
            self.model.require_if(together, one)
        return together

    def _one_of(self, literals: Sequence[Literal]) -> Literal:
        if any(one is True for one in literals):
            return True
        open_ones = [one for one in literals if one is not False]
        if len(open_ones) < 2:
            return open_ones[0] if open_ones else False
        either = self.model.new_literal()
        self.model.require_one([either.negated(), *open_ones])
        return either


__all__ = ["MAX_DEALS", "MAX_REFUTED_CASES", "Encoder", "Guess", "Said"]
