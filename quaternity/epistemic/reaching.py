"""Which deals are reached by steps that somebody of a group cannot tell.

Common knowledge is lost exactly where a chain of such steps leads from the real deal to a failure:
a deal where the formula is false. Three closures say much of such chains without walking them:

- What each one of a pair can always tell never changes along their chains (`joined_at_most`): a
  card that nobody but the two can own stays where it is, and of a set of which all others hold a
  known number each of the two keeps theirs; which may show where other cards are.
- Whoever holds a hand that fits some deal from which a failure is reached, reaches it too. The
  hands of such deals are grown into whole deal problems (`deals_before`), the next step backwards
  from a failure; whether each member of a group sees that it is in none of them is again a matter
  of coalitions that fall short (`refutation`).
- Between two given deals a chain of given length is one small question to CP-SAT (`linked`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from quaternity.base.errors import LimitError
from quaternity.epistemic.coupled_deals import CoupledDeals, DealTable, negated
from quaternity.epistemic.hand_patterns import HandPatterns
from quaternity.epistemic.propositional import Case, narrowed
from quaternity.game.cards import Card
from solvers.filtering import closed
from solvers.problem import DealProblem, SetConstraint, mask_of
from solvers.registry import solve
from solvers.verdict import Deal


def joined_at_most(
    problem: DealProblem, deal: Deal, players: Sequence[int], seconds: float
) -> DealProblem:
    """Return the deals that agree with one in what never changes along the chains of some players.

    No chain of theirs leads from the deal out of these deals. What is found when the time limit
    ends the search is right. Cost: at most cards x `closed`.
    """
    if len(players) != 2:
        return problem
    pair = mask_of(players)
    while True:
        try:
            problem = closed(problem, seconds)
        except LimitError:
            return problem
        sets, changed = [], False
        for constraint, owner in zip(problem.sets, deal.owner, strict=True):
            masks = tuple(
                1 << who if not mask & ~pair else mask
                for mask, who in zip(constraint.owners, owner, strict=True)
            )
            low, high = constraint.low, constraint.high
            if all(
                low[number] == high[number] for number in range(len(low)) if number not in players
            ):
                # What is left for the two is known, so each can count the other's share.
                counts = [owner.count(n) for n in range(len(low))]
                low = high = tuple(counts)
            fixed = SetConstraint.trusted(masks, low, high)
            changed = changed or fixed != constraint
            sets.append(fixed)
        if not changed:
            return problem
        problem = DealProblem.trusted(problem.hands, tuple(sets))


def agree_in_cards(problem: DealProblem, among: DealProblem) -> bool:
    """Return whether every deal of a problem with the cards fixed in some deals is among them."""
    case = {card: 1 << owner for owner, card in cards_fixed(problem, among)}
    try:
        return among == problem or closed(narrowed(problem, case)) == among
    except LimitError:
        return False


def cards_fixed(problem: DealProblem, among: DealProblem) -> list[tuple[int, Card]]:
    """Return the cards with one owner in some deals, and several in all; with that owner."""
    return [
        (owner.bit_length() - 1, Card(index, number))
        for index, (some, every) in enumerate(zip(among.sets, problem.sets, strict=True))
        for number, (owner, all_of_them) in enumerate(zip(some.owners, every.owners, strict=True))
        if owner.bit_count() == 1 < all_of_them.bit_count()
    ]


def deals_before(problem: DealProblem, bad: DealProblem, deal: Deal, player: int) -> DealProblem:
    """Many deals of a problem in which a player's hand is one that some bad deal has.

    `deal` is a bad deal, whose hand is begun with: every set in which the hand can be almost any
    without leaving the bad deals is set free. Cost: at most a look at the hand's patterns
    (`HandPatterns.provable`) a set.
    """
    return _freed(problem, bad, deal, player, lambda wide: _all_fit(wide, bad, player))


def deals_around(
    problem: DealProblem, deal: Deal, player: int, false: Sequence[DealProblem]
) -> DealProblem:
    """Many deals of a problem, in which no hand of a player is one that some false deal has.

    `deal` is one of them. Cost: some deal problems a set.
    """

    def none_fits(wide: DealProblem) -> bool:
        hands = hands_allowed(wide, player)
        return not any(solve(narrowed(f, hands)) for f in false)

    return _freed(problem, problem, deal, player, none_fits)


def hands_allowed(deals: DealProblem, player: int) -> Case:
    """Return a player's hands in some deals as a case: cards that must, and may not, be there."""
    own = 1 << player
    return {
        Card(index, number): own if mask == own else ~own
        for index, constraint in enumerate(deals.sets)
        for number, mask in enumerate(constraint.owners)
        if mask == own or not mask & own
    }


def _freed(
    problem: DealProblem,
    bad: DealProblem,
    deal: Deal,
    player: int,
    right: Callable[[DealProblem], bool],
) -> DealProblem:
    """Return the deals with a player's hand of one, in as many sets freed as is right."""
    every = range(len(problem.sets))
    wide = _with_free_sets(problem, bad, deal, player, every)
    if right(wide):
        return wide
    free: list[int] = []
    for index in every:
        if right(_with_free_sets(problem, bad, deal, player, [*free, index])):
            free.append(index)
    return _with_free_sets(problem, bad, deal, player, free)


def _all_fit(before: DealProblem, bad: DealProblem, player: int) -> bool:
    """Return whether every hand that a player has in some deals is one that some bad deal has."""
    return HandPatterns(before, bad, (player,)).provable({}) == []


def _with_free_sets(
    problem: DealProblem, bad: DealProblem, deal: Deal, player: int, free: Collection[int]
) -> DealProblem:
    """Return the deals where a player's cards of all but the free sets are those of a deal.

    Of a free set the player may hold every card but those that bad deals give to others, and those
    that others hold in the deal as the fewest that they must have.
    """
    sets = []
    own = 1 << player
    for index, (constraint, wrong) in enumerate(zip(problem.sets, bad.sets, strict=True)):
        needed = list(wrong.low)
        masks = []
        for who, mask, allowed in zip(
            deal.owner[index], constraint.owners, wrong.owners, strict=True
        ):
            if who == player:
                fixed = index not in free or allowed == own
                masks.append(own if fixed else mask)
                continue
            kept = needed[who] > 0
            needed[who] -= 1
            masks.append(mask & ~own if kept or index not in free or not allowed & own else mask)
        sets.append(SetConstraint.trusted(tuple(masks), constraint.low, constraint.high))
    return DealProblem.trusted(problem.hands, tuple(sets))


def linked(model: CoupledDeals, tables: Sequence[DealTable], players: Sequence[int]) -> None:
    """Make deals of a model a chain: each has the hand of some player as in the one before."""
    for before, after in pairwise(tables):
        links = {player: model.new_literal() for player in players}
        model.require_one(links.values())
        for player, link in links.items():
            # Hands have equal sizes: that one contains the other is enough.
            for old, new in zip(before.hand(player), after.hand(player), strict=True):
                if old is not False:
                    model.require_one([link.negated(), negated(old), new])
