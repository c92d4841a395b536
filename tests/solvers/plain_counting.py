"""A second, very simple implementation of counting, to check the fast one."""

from collections import Counter

from solvers import DealProblem, SetConstraint, players_in
from solvers.brute_force import deals
from solvers.counting import Chances


def count_by_remaining_hands(problem: DealProblem) -> int:
    """Count deals by dynamic programming over the hands left to fill, card by card in each set."""
    left = Counter({problem.hands: 1})
    for constraint in problem.sets:
        partial = Counter({(hands, (0,) * problem.players): ways for hands, ways in left.items()})
        for mask in constraint.owners:
            after: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
            for (hands, counts), ways in partial.items():
                for player in players_in(mask):
                    if hands[player]:
                        after[_add_to(hands, player, -1), _add_to(counts, player, 1)] += ways
            partial = after
        left = Counter()
        for (hands, counts), ways in partial.items():
            if all(
                low <= count <= high
                for low, count, high in zip(constraint.low, counts, constraint.high, strict=True)
            ):
                left[hands] += ways
    return left[(0,) * problem.players]


def chances_by_remaining_hands(problem: DealProblem) -> Chances:
    """Count the deals for each card and player after restricting the card to that player."""
    return Chances(
        count_by_remaining_hands(problem),
        tuple(
            tuple(
                tuple(
                    count_by_remaining_hands(_with_owner(problem, index, card, player))
                    if mask >> player & 1
                    else 0
                    for player in range(problem.players)
                )
                for card, mask in enumerate(constraint.owners)
            )
            for index, constraint in enumerate(problem.sets)
        ),
    )


def chances_by_enumeration(problem: DealProblem) -> Chances:
    """Count the deals for each card and player by listing all deals."""
    all_deals = list(deals(problem))
    return Chances(
        len(all_deals),
        tuple(
            tuple(
                tuple(
                    sum(deal.owner[index][card] == player for deal in all_deals)
                    for player in range(problem.players)
                )
                for card in range(constraint.size)
            )
            for index, constraint in enumerate(problem.sets)
        ),
    )


def vectors_by_enumeration(problem: DealProblem, set_index: int) -> dict[tuple[int, ...], int]:
    """Return the number of deals for each count vector of a set."""
    players = range(problem.players)
    return dict(
        Counter(
            tuple(deal.owner[set_index].count(player) for player in players)
            for deal in deals(problem)
        )
    )


def _add_to(vector: tuple[int, ...], player: int, by: int) -> tuple[int, ...]:
    return (*vector[:player], vector[player] + by, *vector[player + 1 :])


def _with_owner(problem: DealProblem, set_index: int, card: int, player: int) -> DealProblem:
    old = problem.sets[set_index]
    owners = (*old.owners[:card], 1 << player, *old.owners[card + 1 :])
    return problem.with_set(set_index, SetConstraint(owners, old.low, old.high))
