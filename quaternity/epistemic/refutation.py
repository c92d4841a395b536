"""Proofs that no deal of some kind fits what players see, as something that CP-SAT can look for.

That a player knows something is a statement about all deals of an information set. The coalition
theorem (see `solvers.shortage`) turns it round: an information set has no deal of a kind exactly
when some coalition of the other players must hold more cards than it can have. So what a player
knows can be guessed and checked like any deal: here the hand that is seen is a table of literals,
and the coalition A and its witnesses X, one per set, are more of them.
"""

from __future__ import annotations

from quaternity.cards import Card
from quaternity.epistemic.coupled_deals import CoupledDeals, DealTable, Literal, negated
from quaternity.epistemic.propositional import Case
from solvers.problem import DealProblem, players_in


def refuted(
    model: CoupledDeals,
    problem: DealProblem,
    table: DealTable,
    seen: tuple[int, ...],
    case: Case,
) -> Literal:
    """A literal that can be true iff no deal of a case agrees with a table on some hands.

    Args:
        problem: the public problem, whose deals are meant.
        table: a deal of the problem.
        seen: the players whose hands the deals share with the table.
        case: who may own which card, besides what the problem says.

    Cost: about cards + 3 x players x sets literals.
    """
    others = [player for player in range(problem.players) if player not in seen]
    proof = model.new_literal()
    # A card of the case that a seen player holds, who may not, settles it at once.
    at_once = [
        table.held(player, card.set_index, card.number)
        for card, mask in case.items()
        for player in seen
        if not mask >> player & 1
    ]
    if any(one is True for one in at_once):
        return True
    coalition = {player: model.new_literal() for player in others}
    terms: list[tuple[int, Literal]] = [(problem.hands[p], coalition[p]) for p in others]
    for index, constraint in enumerate(problem.sets):
        witness = {player: model.new_literal() for player in others}
        for number, owners in enumerate(constraint.owners):
            mask = owners & case.get(Card(index, number), owners)
            held = [table.held(player, index, number) for player in seen]
            if any(one is True for one in held):
                continue
            counts = model.new_literal()  # at least when the card is open to somebody in X
            for player in players_in(mask):
                if player in witness:
                    model.require_one([negated(witness[player]), *held, counts])
            terms.append((-1, counts))
        for player in others:
            capped = model.new_literal()
            model.require_one([negated(coalition[player]), witness[player], capped])
            terms.append((-min(constraint.high[player], constraint.size), capped))
            if constraint.low[player]:
                kept = model.new_literal()
                model.require_if(kept, witness[player])
                model.require_if(kept, negated(coalition[player]))
                terms.append((constraint.low[player], kept))
    most = sum(weight for weight, _ in terms if weight > 0)
    short = model.new_literal() if any(one is not False for one in at_once) else proof
    model.require_sum(terms, 1, max(1, most), short)
    if short is not proof:
        model.require_one([negated(proof), short, *at_once])
    return proof


__all__ = ["refuted"]
