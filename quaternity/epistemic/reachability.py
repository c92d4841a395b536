"""Chains of deals that show that a formula is not common knowledge.

In a chain of deals, any two consecutive deals are indistinguishable for some player of the group. A
formula is not common knowledge iff a chain leads from the real deal to a deal where the formula is
false. This module contains three techniques to find out whether such a chain exists:

- `reachable_superset` finds facts that never change along the chains of two players. For example, a
  card that only these two players can own keeps its owner.
- `deals_before` goes one step back from a deal where the formula is false: it returns deals in
  which some player has the same hand. These deals are represented by a deal problem.
- `require_same_view` defines chains of a given length in a CP-SAT model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from quaternity.base.errors import LimitError
from quaternity.epistemic.coupled_deals import CoupledDeals, DealTable, negate
from quaternity.epistemic.hand_patterns import HandPatterns
from quaternity.epistemic.propositional import Case, narrow
from quaternity.game.cards import Card
from solvers.filtering import filter_problem
from solvers.problem import DealProblem, SetConstraint, mask_of
from solvers.registry import solve
from solvers.verdict import Deal


def reachable_superset(
    problem: DealProblem, deal: Deal, players: Sequence[int], seconds: float
) -> DealProblem:
    """Return a problem whose deals include all deals that chains from `deal` can reach.

    Each deal of a chain looks the same as the next one to one of the players. Some facts are known
    never to change along chains. The result contains all deals that agree with `deal` in these
    facts. If time runs out, fewer such facts are known, so it contains more deals.
    """
    if len(players) != 2:
        return problem
    pair = mask_of(players)
    while True:
        try:
            problem = filter_problem(problem, seconds)
        except LimitError:
            return problem
        sets, changed = [], False
        for constraint, owner in zip(problem.sets, deal.owner, strict=True):
            masks = tuple(
                1 << holder if not mask & ~pair else mask
                for mask, holder in zip(constraint.owners, owner, strict=True)
            )
            low, high = constraint.low, constraint.high
            if all(
                low[number] == high[number] for number in range(len(low)) if number not in players
            ):
                # The number of cards that remain for the two players is known, so each player can
                # infer the other's number.
                counts = [owner.count(n) for n in range(len(low))]
                low = high = tuple(counts)
            fixed = SetConstraint.unchecked(masks, low, high)
            changed = changed or fixed != constraint
            sets.append(fixed)
        if not changed:
            return problem
        problem = DealProblem.unchecked(problem.hands, tuple(sets))


def contains_fixed_cards(problem: DealProblem, among: DealProblem) -> bool:
    """Return whether the owners of fixed cards tell the deals of `among` from other deals.

    A card is fixed if it has only one possible owner in `among`. The result is True if every deal
    of `problem` that has the same owners of these cards is a deal of `among`. It is False if a
    limit prevents the comparison.
    """
    case = {card: 1 << owner for owner, card in fixed_cards(problem, among)}
    try:
        return among == problem or filter_problem(narrow(problem, case)) == among
    except LimitError:
        return False


def fixed_cards(problem: DealProblem, among: DealProblem) -> list[tuple[int, Card]]:
    """Return pairs (owner, card) for the cards that have only one possible owner in `among`.

    Cards with only one possible owner in `problem` are left out.
    """
    return [
        (owner.bit_length() - 1, Card(index, number))
        for index, (some, every) in enumerate(zip(among.sets, problem.sets, strict=True))
        for number, (owner, all_of_them) in enumerate(zip(some.owners, every.owners, strict=True))
        if owner.bit_count() == 1 < all_of_them.bit_count()
    ]


def deals_before(problem: DealProblem, bad: DealProblem, deal: Deal, player: int) -> DealProblem:
    """Return a problem with deals that a player cannot distinguish from some deal of `bad`.

    `deal` must be a deal of the problem `bad`, and is also a deal of the result. The result may
    lack some deals with this property.
    """
    return _free_sets(
        problem, bad, deal, player,
        lambda wide: HandPatterns(wide, bad, (player,)).provable_coalitions({}) == [],
    )  # fmt: skip


def deals_around(
    problem: DealProblem, deal: Deal, player: int, false: Sequence[DealProblem]
) -> DealProblem:
    """Return a problem with deals in which the hand of a player excludes every deal of `false`.

    `false` is a sequence of deal problems. `deal` must be a deal with this property, and is also a
    deal of the result. The result may lack other deals with this property.
    """

    def none_fits(wide: DealProblem) -> bool:
        hands = allowed_hands(wide, player)
        return not any(solve(narrow(f, hands)) for f in false)

    return _free_sets(problem, problem, deal, player, none_fits)


def allowed_hands(deals: DealProblem, player: int) -> Case:
    """Return the cards that a player must hold or cannot hold, each with its possible owners.

    The result maps each of these cards to a bit mask. For a card that the player must hold, the
    mask contains only the player. For a card that the player cannot hold, it contains all others.
    """
    own = 1 << player
    return {
        Card(index, number): own if mask == own else ~own
        for index, constraint in enumerate(deals.sets)
        for number, mask in enumerate(constraint.owners)
        if mask == own or not mask & own
    }


def _free_sets(
    problem: DealProblem,
    bad: DealProblem,
    deal: Deal,
    player: int,
    right: Callable[[DealProblem], bool],
) -> DealProblem:
    """Return a problem that contains `deal` and that the function `right` accepts.

    In a *free* set, the player may have other cards than in `deal`. Sets are made free one after
    another, as long as `right` accepts the problem.
    """
    every = range(len(problem.sets))
    wide = _with_free_sets(problem, bad, deal, player, every)
    if right(wide):
        return wide
    free: list[int] = []
    for index in every:
        if right(_with_free_sets(problem, bad, deal, player, [*free, index])):
            free.append(index)
    return _with_free_sets(problem, bad, deal, player, free)


def _with_free_sets(
    problem: DealProblem, bad: DealProblem, deal: Deal, player: int, free: Collection[int]
) -> DealProblem:
    """Return a problem in which a player has the same cards as in `deal`, except in some sets.

    `free` contains the indices of these sets.
    """
    sets = []
    own = 1 << player
    for index, (constraint, wrong) in enumerate(zip(problem.sets, bad.sets, strict=True)):
        needed = list(wrong.low)
        masks = []
        for holder, mask, allowed in zip(
            deal.owner[index], constraint.owners, wrong.owners, strict=True
        ):
            if holder == player:
                fixed = index not in free or allowed == own
                masks.append(own if fixed else mask)
                continue
            kept = needed[holder] > 0
            needed[holder] -= 1
            masks.append(mask & ~own if kept or index not in free or not allowed & own else mask)
        sets.append(SetConstraint.unchecked(tuple(masks), constraint.low, constraint.high))
    return DealProblem.unchecked(problem.hands, tuple(sets))


def require_same_view(
    model: CoupledDeals, tables: Sequence[DealTable], players: Sequence[int]
) -> None:
    """Require in a CP-SAT model that each deal looks the same as the next one to some player.

    The players are `players`, and a deal looks the same to a player if it has the same hand.
    """
    for before, after in pairwise(tables):
        links = {player: model.new_literal() for player in players}
        model.require_any(links.values())
        for player, link in links.items():
            # Both hands have the same number of cards, so they are equal if one contains the other.
            for old, new in zip(
                before.hand_literals(player), after.hand_literals(player), strict=True
            ):
                if old is not False:
                    model.require_any([link.negated(), negate(old), new])
