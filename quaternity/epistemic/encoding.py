"""Encoding of epistemic formulas for CP-SAT, in a model of several deals that share hands.

`Encoder.literal` takes a formula, a truth value and a deal of the model. It returns a literal that
can be true only if the formula has this truth value in this deal.

- To encode that a player does *not* know a statement, the encoder adds another deal in which the
  player has the same hand and the statement is false.
- To encode that a player *knows* a statement, the encoder splits its negation into cases, each of
  which restricts the owners of some cards. The player's hand must exclude every case. If there are
  too many cases, the encoder returns an `UnenforcedLiteral`. The model guarantees only necessary
  conditions for such a literal, so the caller must check it in each solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from quaternity.base.errors import LimitError
from quaternity.epistemic import formula as logic
from quaternity.epistemic.coupled_deals import CoupledDeals, DealTable, Literal, negate
from quaternity.epistemic.evaluator import Announcements
from quaternity.epistemic.formula import Formula, every, some
from quaternity.epistemic.propositional import Case, cases, is_determined, unfold, without_knowledge
from quaternity.epistemic.reachability import contains_fixed_cards, fixed_cards
from quaternity.epistemic.refutation import Refuter
from quaternity.game.cards import Card
from solvers.problem import DealProblem
from solvers.verdict import Deal

MAX_REFUTED_CASES = 12
"""Maximum number of cases (restrictions of the owners of cards) into which the encoder splits a
formula. If a formula has more cases, the encoder does not split it."""
MAX_DEALS = 300
"""Maximum number of deals in one CP-SAT model."""


class UnenforcedLiteral(NamedTuple):
    """A literal of a CP-SAT model that may be true in a solution although it should be false.

    It should be true only if `formula` has the truth value `truth` in the deal `table`. The model
    does not guarantee this, so the caller must check it in each solution.

    Attributes:
        announcements: The public announcements before the formula is evaluated.
        players: Players whose combined hands determine the truth value of the formula.
    """

    literal: Literal
    formula: Formula
    truth: bool
    table: DealTable
    announcements: Announcements
    players: tuple[int, ...]


class Encoder:
    """Translates formulas into conditions of a CP-SAT model of several deals.

    Attributes:
        unenforced: Literals that the caller must check in every solution.
    """

    def __init__(
        self,
        model: CoupledDeals,
        problem: DealProblem,
        everywhere: Callable[[Formula, Announcements], bool],
        leading_to_failure: Callable[[logic.Common], Sequence[DealProblem]],
    ) -> None:
        self.model = model
        self.problem = problem
        self.unenforced: list[UnenforcedLiteral] = []
        self._everywhere = everywhere
        self._leading_to_failure = leading_to_failure
        self._refuter = Refuter(model, problem)
        self._cache: dict[tuple[int, Formula, bool, Announcements], Literal] = {}
        self._deals: list[DealTable] = []

    def new_deal(
        self, problem: DealProblem, table: DealTable | None = None, players: Iterable[int] = ()
    ) -> DealTable:
        """Add a deal to the model and return its literals.

        The given players have the same hands as in the deal `table`. Raise LimitError if the model
        has `MAX_DEALS` deals already.
        """
        if len(self._deals) == MAX_DEALS:
            raise LimitError(
                f"the formula needs too many deals in one model (the limit is {MAX_DEALS})"
            )
        hands = {} if table is None else {player: table.hand_literals(player) for player in players}
        self._deals.append(self.model.new_deal(problem, hands))
        return self._deals[-1]

    def literal(
        self, formula: Formula, truth: bool, table: DealTable, earlier: Announcements
    ) -> Literal:
        """Return a literal that can be true only if a formula has the value `truth` in a deal.

        The deal is given by its variables `table`. `earlier` contains the announcements before the
        formula is evaluated. The literal may be false although the formula has this value. The
        model may even force it to be false if an announcement is false in the deal.
        """
        key = (id(table), formula, truth, earlier)
        if key not in self._cache:
            self._cache[key] = self._literal(formula, truth, table, earlier)
        return self._cache[key]

    def forbid(self, guess: UnenforcedLiteral, deal: Deal, case: Case | None) -> None:
        """Forbid the literal of `guess`, which is wrong in a deal, in this deal and similar deals.

        The hands of `guess.players` determine whether the literal is wrong. So it must be false in
        every deal where these players have the same hands as in `deal`. A `case` restricts the
        owners of some cards. If it is given, the literal must also be false if these hands allow
        any deal of the case.
        """
        differs = guess.table.difference_literals(deal, guess.players)
        self.model.require_any([negate(guess.literal), *differs])
        if case is not None:
            reason = self._refuter.refutation_literal(guess.table, guess.players, case)
            self.model.require_if(guess.literal, reason)

    def forbid_among(self, guess: UnenforcedLiteral, deals: DealProblem) -> None:
        """Forbid that the literal of `guess` is true in a deal of the problem `deals`.

        The constraint recognizes these deals by the cards that have only one possible owner in
        `deals`. Add nothing if other deals have the same owners of these cards.
        """
        if not contains_fixed_cards(self.problem, deals):
            return
        fixed = fixed_cards(self.problem, deals)
        elsewhere = [negate(guess.table.card_literal(owner, *card)) for owner, card in fixed]
        self.model.require_any([negate(guess.literal), *elsewhere])

    def exclude(self, common: logic.Common, bad: DealProblem) -> None:
        """Forbid that `common` is true in the deals of the problem `bad` and in similar deals.

        `common` says that a formula is common knowledge in a group. From each deal of `bad`, a
        chain of deals leads to a deal where the formula is false. So `common` is also false in each
        deal where a player of the group has the same hand as in a deal of `bad`.
        """
        for guess in self.unenforced:
            if guess.formula == common and guess.truth and not guess.announcements:
                for literal in self._exclusion_literals(bad, common, guess.table):
                    self.model.require_if(guess.literal, literal)

    def _exclusion_literals(
        self, bad: DealProblem, common: logic.Common, table: DealTable
    ) -> Iterator[Literal]:
        for player in common.members(self.problem.players):
            yield self._refuter.refutation_literal(table, (player,), {}, bad)

    def membership(self, table: DealTable, earlier: Announcements) -> list[Literal]:
        """Return a literal for each announcement in `earlier`.

        If all these literals are true, the announcements are true in the deal `table`.
        """
        return [
            self.literal(announcement, True, table, earlier[:index])
            for index, announcement in enumerate(earlier)
        ]

    def _literal(
        self, formula: Formula, truth: bool, table: DealTable, earlier: Announcements
    ) -> Literal:
        match formula:
            case logic.Constant(value):
                return value == truth
            case logic.Holds(player, card):
                held = table.card_literal(player, card.set_index, card.number)
                if isinstance(held, bool):
                    return held == truth
                return held if truth else held.negated()
            case logic.Knows() | logic.Distributed():
                if truth:
                    return self._knowledge(formula.players, formula.part, True, table, earlier)
                return self._ignorance(formula.players, formula.part, table, earlier)
            case logic.Publicly(part):
                return self._everywhere(part, earlier) == truth
            case logic.Common(part):
                return self._common(formula, part, truth, table, earlier)
            case logic.Unknown():
                return self._unknown(formula, truth, table, earlier)
            case logic.Announcement(announcement, then):
                true = self.literal(announcement, True, table, earlier)
                after = self.literal(then, truth, table, (*earlier, announcement))
                if not truth:
                    return self.model.all_of([true, after])
                false = self.literal(announcement, False, table, earlier)
                return self.model.any_of([false, self.model.all_of([true, after])])
            case _:
                needed = unfold(formula, truth)
                assert needed is not None, formula
                literals = [self.literal(part, wish, table, earlier) for part, wish in needed[1]]
                return self.model.all_of(literals) if needed[0] else self.model.any_of(literals)

    def _knowledge(
        self,
        players: tuple[int, ...],
        part: Formula,
        wish: bool,
        table: DealTable,
        earlier: Announcements,
    ) -> Literal:
        if is_determined(part, players):
            return self.literal(part, wish, table, earlier)
        needed = unfold(part, wish)
        if needed is not None and needed[0]:
            return self.model.all_of(
                [
                    self._knowledge(players, subformula, truth, table, earlier)
                    for subformula, truth in needed[1]
                ]
            )
        literals: list[Literal] = []
        if needed is not None:
            open_ones = [n for n in needed[1] if not is_determined(n[0], players)]
            literals = [
                self.literal(subformula, truth, table, earlier)
                for subformula, truth in needed[1]
                if is_determined(subformula, players)
            ]
            part = some(
                subformula if truth else logic.Not(subformula) for subformula, truth in open_ones
            )
        elif not wish:
            part = logic.Not(part)
        return self.model.any_of([*literals, self._known_part(players, part, table, earlier)])

    def _known_part(
        self, players: tuple[int, ...], part: Formula, table: DealTable, earlier: Announcements
    ) -> Literal:
        otherwise = every([*earlier, logic.Not(part)])
        # Every deal of these cases is a counterexample. If no nested knowledge is involved, there
        # are no other counterexamples.
        refuting = cases(self.problem, without_knowledge(otherwise, False), limit=MAX_REFUTED_CASES)
        literals = [
            self._refuter.refutation_literal(table, players, case) for case in refuting or ()
        ]
        if not otherwise.modal_depth and refuting is not None:
            return self.model.all_of(literals)
        literals.append(self.literal(part, True, table, earlier))
        formula = logic.Distributed(players, part)
        return self._unenforced_literal(
            literals, UnenforcedLiteral(None, formula, True, table, earlier, players)
        )

    def _unenforced_literal(
        self, necessary: Sequence[Literal], guess: UnenforcedLiteral
    ) -> Literal:
        if any(literal is False for literal in necessary):
            return False
        literal = self.model.new_literal()
        for consequence in necessary:
            self.model.require_if(literal, consequence)
        self.unenforced.append(guess._replace(literal=literal))
        return literal

    def _ignorance(
        self, players: tuple[int, ...], part: Formula, table: DealTable, earlier: Announcements
    ) -> Literal:
        if is_determined(part, players):
            return self.literal(part, False, table, earlier)
        if not earlier and not part.modal_depth:
            true_cases = cases(self.problem, part, False, limit=MAX_REFUTED_CASES)
            if true_cases is not None and any(
                self._refuter.always_possible(players, case) for case in true_cases
            ):
                return True
        hint = without_knowledge(every([*earlier, logic.Not(part)]), True)
        if cases(self.problem, hint, limit=1) == []:
            return False
        other = self.new_deal(self.problem, table, players)
        return self.model.all_of(
            [*self.membership(other, earlier), self.literal(part, False, other, earlier)]
        )

    def _common(
        self,
        formula: logic.Common,
        part: Formula,
        truth: bool,
        table: DealTable,
        earlier: Announcements,
    ) -> Literal:
        # A chain connects any two deals that a group member cannot distinguish, so the hand of a
        # single group member determines whether something is common knowledge. Every group member
        # knows whatever is common knowledge.
        group = formula.members(self.problem.players)
        necessary = []
        if truth:
            necessary.append(self.literal(part, True, table, earlier))
            necessary += [self._knowledge((g,), part, True, table, earlier) for g in group]
            for bad in () if earlier else self._leading_to_failure(formula):
                necessary += self._exclusion_literals(bad, formula, table)
        return self._unenforced_literal(
            necessary, UnenforcedLiteral(None, formula, truth, table, earlier, group[:1])
        )

    def _unknown(
        self, formula: logic.Unknown, truth: bool, table: DealTable, earlier: Announcements
    ) -> Literal:
        knower, owner, count = formula.knower, formula.owner, formula.count
        hand = self.problem.hands[owner]
        if knower == owner:
            return (formula.at_most or count == 0) == truth
        if count > hand or (formula.at_most and count == hand):
            return formula.at_most == truth
        known, unknown = [], []
        for index, constraint in enumerate(self.problem.sets):
            for number, mask in enumerate(constraint.owners):
                if mask >> owner & 1:
                    held = logic.Holds(owner, Card(index, number))
                    known.append(self.literal(logic.Knows(knower, held), True, table, earlier))
                    secret = self.literal(logic.Knows(knower, held), False, table, earlier)
                    unknown.append(
                        self.model.all_of([secret, table.card_literal(owner, index, number)])
                    )
        if truth:
            least = 0 if formula.at_most else count
            return self.model.all_of(
                [self._at_least(hand - count, known), self._at_least(least, unknown)]
            )
        if formula.at_most:
            return self._at_least(count + 1, unknown)
        # A hand cannot contain more unknown cards than it has cards.
        more = self._at_least(count + 1, unknown) if count < hand else False
        return self.model.any_of([self._at_least(hand - count + 1, known), more])

    def _at_least(self, number: int, literals: Sequence[Literal]) -> Literal:
        if number <= sum(x is True for x in literals):
            return True
        if number > sum(y is not False for y in literals):
            return False
        enough = self.model.new_literal()
        self.model.require_sum(
            [(1, literal) for literal in literals], number, len(literals), enough
        )
        return enough
