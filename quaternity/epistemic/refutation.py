"""CP-SAT encoding of knowledge: which hands of a player rule out every counterexample.

A counterexample to a statement is a deal that fits the player's hand and in which the statement is
false. A player knows a statement if it has no counterexample. By the coalition theorem
(see `solvers.shortage`), there is no counterexample iff some coalition (group) of the other players
would have to hold more cards than it can hold. CP-SAT searches for a hand and such a coalition.

If the sets are small, the model lists the possible patterns of the hand in each set
(`hand_patterns`). Otherwise, it contains an inequality over all cards.
"""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.epistemic.coupled_deals import CoupledDeals, DealTable, Literal, negate
from quaternity.epistemic.hand_patterns import HandPatterns, Pattern, hand_patterns
from quaternity.epistemic.propositional import Case
from quaternity.game.cards import Card
from solvers.problem import DealProblem, players_in


class Refuter:
    """Builds conditions of a CP-SAT model: that the hands of some players exclude certain deals.

    Each model needs a separate `Refuter`.
    """

    def __init__(self, model: CoupledDeals, problem: DealProblem) -> None:
        self.model = model
        self.problem = problem
        self._pattern_cache: dict[tuple[int, tuple[int, ...], int], dict[Pattern, Literal]] = {}

    def refutation_literal(
        self,
        table: DealTable,
        seen: tuple[int, ...],
        case: Case,
        problem: DealProblem | None = None,
    ) -> Literal:
        """Return a literal that can be true iff the hands of the players `seen` exclude a case.

        The hands are those in the deal `table`. The case restricts the owners of some cards in
        `problem`, which by default contains the public information. The hands exclude it if they
        fit none of its deals. Raise Undecided if time runs out.
        """
        self.model.deadline.remaining()
        problem = self.problem if problem is None else problem
        patterns = hand_patterns(table.problem, problem, seen)
        chosen = patterns.provable_coalitions(case)
        if chosen is None:
            return self._witness_literal(table, seen, case, problem)
        proofs = [self._shortage_literal(table, patterns, number, case) for number in chosen]
        return self.model.any_of(proofs)

    def always_possible(self, seen: tuple[int, ...], case: Case) -> bool:
        """Return True if a case is possible whatever hands the players `seen` have.

        The case restricts the owners of some cards. Return False if some hands exclude it, or if
        the question was not decided.
        """
        return hand_patterns(self.problem, self.problem, seen).provable_coalitions(case) == []

    def _shortage_literal(
        self, table: DealTable, patterns: HandPatterns, number: int, case: Case
    ) -> Literal:
        terms: list[tuple[int, Literal]] = []
        impossible: list[Literal] = []
        for index, constraint in enumerate(self.problem.sets):
            for pattern, look in self._pattern_literals(table, patterns, index).items():
                shares = patterns.shares(index, pattern, case)
                if shares is None:
                    impossible.append(look)
                terms.append((constraint.size if shares is None else shares[number], look))
        if not patterns.coalitions[number]:
            return self.model.any_of(impossible)
        proof = self.model.new_literal()
        smallest = sum(min(0, weight) for weight, _ in terms)
        largest = patterns.required_cards(patterns.coalitions[number]) - 1
        self.model.require_sum(terms, min(smallest, largest), largest, proof)
        return proof

    def _pattern_literals(
        self, table: DealTable, patterns: HandPatterns, index: int
    ) -> dict[Pattern, Literal]:
        key = (id(table), patterns.seen, index)
        if key not in self._pattern_cache:
            self._pattern_cache[key] = self._new_pattern_literals(table, patterns, index)
        return self._pattern_cache[key]

    def _new_pattern_literals(
        self, table: DealTable, patterns: HandPatterns, index: int
    ) -> dict[Pattern, Literal]:
        listed = [
            pattern
            for pattern in patterns.patterns(index)
            if not any(bit is False for bit in self._bits(table, patterns.seen, index, pattern))
        ]
        if len(listed) == 1:
            return {listed[0]: True}
        looks = {pattern: self.model.new_literal() for pattern in listed}
        self.model.require_exactly_one(looks.values())
        for number in range(self.problem.sets[index].size):
            for player in patterns.seen:
                held = table.card_literal(player, index, number)
                if not isinstance(held, bool):
                    shown = [
                        (1, look) for owners, look in looks.items() if owners[number] == player
                    ]
                    self.model.require_sum([*shown, (-1, held)], 0, 0)
        return looks

    def _bits(
        self, table: DealTable, seen: Sequence[int], index: int, pattern: Pattern
    ) -> list[Literal]:
        bits = []
        for number, holder in enumerate(pattern):
            for player in seen:
                held = table.card_literal(player, index, number)
                bits.append(held if player == holder else negate(held))
        return bits

    def _witness_literal(
        self, table: DealTable, seen: tuple[int, ...], case: Case, problem: DealProblem
    ) -> Literal:
        model = self.model
        others = [player for player in range(problem.players) if player not in seen]
        # The case is refuted immediately if a player with a seen hand holds a card that, by the
        # case, must belong to other players.
        at_once = [
            table.card_literal(player, card.set_index, card.number)
            for card, mask in case.items()
            for player in seen
            if not mask >> player & 1
        ]
        coalition = {player: model.new_literal() for player in others}
        terms: list[tuple[int, Literal]] = [(problem.hands[p], coalition[p]) for p in others]
        for index, constraint in enumerate(problem.sets):
            witness = {player: model.new_literal() for player in others}
            for number, owners in enumerate(constraint.owners):
                mask = owners & case.get(Card.unchecked(index, number), owners)
                held = [table.card_literal(player, index, number) for player in seen]
                # The card counts if a player in X may own it and no seen player holds it.
                counts = model.new_literal()
                for player in players_in(mask):
                    if player in witness:
                        model.require_any([negate(witness[player]), *held, counts])
                terms.append((-1, counts))
            for player in others:
                capped = model.new_literal()
                model.require_any([negate(coalition[player]), witness[player], capped])
                terms.append((-min(constraint.high[player], constraint.size), capped))
                if constraint.low[player]:
                    kept = model.new_literal()
                    model.require_if(kept, witness[player])
                    model.require_if(kept, negate(coalition[player]))
                    terms.append((constraint.low[player], kept))
        short = model.new_literal()
        largest = sum(weight for weight, _ in terms if weight > 0)
        model.require_sum(terms, 1, max(1, largest), short)
        return model.any_of([short, *at_once])
