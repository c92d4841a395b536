"""A second, very simple implementation of counting, to check the fast one."""

from collections import Counter

from solvers import DealProblem, players_in

Counts = tuple[int, ...]


def count_by_remaining_hands(problem: DealProblem) -> int:
    """Count deals by dynamic programming over the hands left to fill, card by card in each set."""
    left = Counter({problem.hands: 1})
    for owners, low, high in problem.sets:
        partial = Counter({(hands, (0,) * problem.players): ways for hands, ways in left.items()})
        for mask in owners:
            after: Counter[tuple[Counts, Counts]] = Counter()
            for (hands, counts), ways in partial.items():
                for player in players_in(mask):
                    if hands[player]:
                        after[_add_to(hands, player, -1), _add_to(counts, player, 1)] += ways
            partial = after
        left = Counter()
        for (hands, counts), ways in partial.items():
            if all(a <= b <= c for a, b, c in zip(low, counts, high, strict=True)):
                left[hands] += ways
    return left[(0,) * problem.players]


def _add_to(vector: Counts, player: int, by: int) -> Counts:
    return (*vector[:player], vector[player] + by, *vector[player + 1 :])
