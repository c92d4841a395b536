"""Generators of random deal problems, feasible or infeasible, small or of the size of games.

`random_feasible` makes a small feasible problem of any shape, with constraints that allow a random
deal. `random_tightened` tightens some constraints of such a problem, so most results are
infeasible. `game_like` makes feasible problems of the size of games. `boundary_pair` tightens a
problem until it is just infeasible.

The functions for small problems take a function `choose(low, high)` for all random choices. It
returns a whole number from `low` to `high`, both included. `Random.randint` is fast. With a
function that draws from Hypothesis (see `solvers.strategies`), Hypothesis can shrink the results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import NamedTuple

from solvers.coalition_tables import MAX_PLAYERS, layout_for
from solvers.problem import DealProblem, SetConstraint, with_entry
from solvers.registry import solve

Choose = Callable[[int, int], int]
"""Type of a function that returns a whole number between its two arguments, both included."""

HUGE_BOUNDS = (2**31, 2**63, 10**30)
"""Bounds that exceed the range of machine integers. As upper bounds, they are redundant."""


class Sizes(NamedTuple):
    """Limits on the size and shape of a random problem.

    Attributes:
        players: the maximum number of players; the minimum is 1.
        sets: the maximum number of sets.
        set_size: the maximum number of cards in a set.
        upper_bounds: whether upper bounds may be binding.
        same_size: whether all sets have the same size, as in a game. There is then at least one
            set, and no set is empty.
    """

    players: int = 4
    sets: int = 3
    set_size: int = 4
    upper_bounds: bool = True
    same_size: bool = False


def random_feasible(choose: Choose, sizes: Sizes) -> DealProblem:
    """Return a feasible problem: a random deal satisfies it, but other deals may do so as well.

    Some sets repeat an earlier set of the same size.
    """
    players = choose(1, sizes.players)
    if sizes.same_size:
        set_sizes = [choose(1, sizes.set_size)] * choose(1, sizes.sets)
    else:
        set_sizes = [choose(0, sizes.set_size) for _ in range(choose(0, sizes.sets))]
    everybody = (1 << players) - 1
    hands = [0] * players
    sets: list[SetConstraint] = []
    held: list[list[int]] = []
    for size in set_sizes:
        same_size = [index for index, constraint in enumerate(sets) if constraint.size == size]
        twin = choose(0, 3 * len(same_size)) - 1
        if 0 <= twin < len(same_size):
            sets.append(sets[same_size[twin]])
            held.append(held[same_size[twin]])
            continue
        deal = [choose(0, players - 1) for _ in range(size)]
        owners = tuple(1 << player | choose(0, everybody) for player in deal)
        counts = [deal.count(player) for player in range(players)]
        low = tuple(choose(0, count) for count in counts)
        # A bound may also exceed the size of the set.
        high = tuple(
            _choose_bound(choose, count, size + 1) if sizes.upper_bounds and choose(0, 1) else size
            for count in counts
        )
        sets.append(SetConstraint(owners, low, high))
        held.append(counts)
    for counts in held:
        for player, count in enumerate(counts):
            hands[player] += count
    return DealProblem(hands, sets)


def _choose_bound(choose: Choose, low: int, high: int) -> int:
    """Choose a bound from `low` to `high`, or occasionally one of `HUGE_BOUNDS`."""
    # Hypothesis prefers both ends of a range, so the rare case is a number inside it.
    return HUGE_BOUNDS[choose(0, len(HUGE_BOUNDS) - 1)] if choose(0, 15) == 9 else choose(low, high)


def random_tightened(choose: Choose, sizes: Sizes) -> DealProblem:
    """Tighten a few constraints of a random feasible problem. Most results are infeasible.

    Sometimes, equal sets are tightened in the same way, so that they stay equal.
    """
    problem = random_feasible(choose, sizes)
    hands, sets = list(problem.hands), list(problem.sets)
    for _ in range(choose(1, 6)):
        player = choose(0, problem.players - 1)
        index = choose(0, len(sets) - 1) if sets else None
        kinds = ["hands"]
        if index is not None:
            kinds += ["low", "high"] if sizes.upper_bounds else ["low"]
            kinds += ["owner", "owner"] if sets[index].size else []
        kind = kinds[choose(0, len(kinds) - 1)]
        if index is None or kind == "hands":
            giver = choose(0, problem.players - 1)
            if hands[giver]:
                hands[giver] -= 1
            if giver != player or choose(0, 1):
                hands[player] += 1
            continue
        owners, low, high = map(list, sets[index])
        if kind == "low":
            low[player] = _choose_bound(choose, low[player], max(low[player], len(owners) + 1))
        elif kind == "high":
            high[player] = choose(0, high[player])
        else:
            owners[choose(0, len(owners) - 1)] &= ~(1 << player)
        before, after = sets[index], SetConstraint(owners, low, high)
        twins = sets.count(before) > 1 and choose(0, 1)
        sets[index] = after
        if twins:
            sets = [after if constraint == before else constraint for constraint in sets]
    return DealProblem(hands, sets)


class GameSize(NamedTuple):
    """Size of a game: the number of cards in each set, of sets, and of players (at least 2)."""

    set_size: int
    sets: int
    players: int


def game_like(random: Random, size: GameSize) -> DealProblem:
    """Return a feasible problem like those in games.

    Some sets have no constraints, some are equal, and some are completed (empty). In the other
    sets, some cards have fewer possible owners, and players may have minimums; in half of the
    problems they may also have maximums. One player may have no cards.
    """
    cards, everybody = size.set_size * size.sets, (1 << size.players) - 1
    owner = [number % size.players for number in range(cards)]
    if random.random() < 0.3:
        owner = [player or random.randrange(1, size.players) for player in owner]
    random.shuffle(owner)
    known, bounded = random.random(), random.random() < 0.5
    completed, twins = random.choice((0.0, 0.0, 0.2)), random.choice((0.0, 0.0, 0.3))
    hands, counts = [0] * size.players, [0] * size.players
    sets: list[SetConstraint] = []
    for index in range(size.sets):
        if sets and sets[-1].size and random.random() < twins:
            sets.append(sets[-1])
            hands = [hand + count for hand, count in zip(hands, counts, strict=True)]
            continue
        deal = owner[index * size.set_size :][: size.set_size]
        kind = random.random()
        if kind < completed:
            nobody = (0,) * size.players
            sets.append(SetConstraint((), nobody, nobody))
            continue
        counts = [deal.count(player) for player in range(size.players)]
        masks, low = [everybody] * len(deal), [0] * size.players
        high = [len(deal)] * size.players
        if kind > 0.5:
            masks = [1 << player | random.getrandbits(size.players) for player in deal]
            masks = [mask if random.random() < known else everybody for mask in masks]
            low = [random.randrange(count + 1) for count in counts]
            if bounded:
                high = [random.randint(count, len(deal)) for count in counts]
        sets.append(SetConstraint(masks, low, high))
        hands = [hand + count for hand, count in zip(hands, counts, strict=True)]
    return DealProblem(hands, sets)


def boundary_pair(
    problem: DealProblem,
    random: Random,
    is_feasible: Callable[[DealProblem], bool] = lambda problem: bool(solve(problem)),
) -> tuple[DealProblem, DealProblem]:
    """Tighten a problem step by step. Return the last feasible and the first infeasible problem.

    A random group of players is chosen. Each step removes the group from the possible owners of a
    card, or raises a minimum of a player outside the group. If the problem is still feasible after
    these steps, further steps make the hands of the group larger and the hands of other players
    smaller. If the given problem is infeasible or has a single player, it is returned twice without
    a change.

    Cost: about 2 log2(cards) runs of `is_feasible`.
    """
    if problem.players < 2 or not is_feasible(problem):
        return problem, problem
    problems = [problem]
    ever_worse = _tighten_repeatedly(problem, random)
    lower, upper = 0, 1
    while True:
        while len(problems) <= upper:
            problems.append(next(ever_worse))
        if not is_feasible(problems[upper]):
            break
        lower, upper = upper, 2 * upper
    while upper - lower > 1:
        middle = (upper + lower) // 2
        if is_feasible(problems[middle]):
            lower = middle
        else:
            upper = middle
    return problems[lower], problems[upper]


def _tighten_repeatedly(problem: DealProblem, random: Random) -> Iterator[DealProblem]:
    """Yield tighter and tighter problems without end. From some point on, they are infeasible."""
    everybody = range(problem.players)
    group = random.sample(everybody, random.randrange(1, problem.players))
    others = [player for player in everybody if player not in group]
    cards = [
        (index, card)
        for index, (masks, _, _) in enumerate(problem.sets)
        for card in range(len(masks))
    ]
    random.shuffle(cards)
    largest = max((constraint.size for constraint in problem.sets), default=0)
    small = problem.players <= MAX_PLAYERS
    layout = layout_for(problem.players, problem.cards, largest) if small else None
    for index, card in cards:
        tighter = _tighten_card(problem.sets[index], card, group, others, random)
        # A contradiction within one set is too easy to find, so a set that cannot be dealt by
        # itself is not used.
        if layout is None or layout.table_of(tighter) >= 0:
            problem = problem.with_set(index, tighter)
            yield problem
    hands = list(problem.hands)
    while any(hands[player] for player in others):
        giver = random.choice([player for player in others if hands[player]])
        hands[giver] -= 1
        hands[random.choice(group)] += 1
        yield DealProblem.unchecked(tuple(hands), problem.sets)
    while True:
        hands[random.choice(everybody)] += 1
        yield DealProblem.unchecked(tuple(hands), problem.sets)


def _tighten_card(
    constraint: SetConstraint, card: int, group: list[int], others: list[int], random: Random
) -> SetConstraint:
    """Remove the group from the owners of a card, or raise the minimum of another player by 1."""
    owners, low, high = constraint
    allowed = owners[card]
    for player in group:
        allowed &= ~(1 << player)
    keeper = random.choice(others)
    ownable = sum(mask >> keeper & 1 for mask in owners)
    room = sum(low) < constraint.size and low[keeper] < min(ownable, high[keeper])
    if room and (not allowed or random.random() < 0.5):
        return SetConstraint.unchecked(owners, with_entry(low, keeper, low[keeper] + 1), high)
    if not allowed:
        return constraint
    return SetConstraint.unchecked(with_entry(owners, card, allowed), low, high)


BOUNDS = ("minimum", "maximum", "owners")
"""Kinds of constraints by which the problems of a pair differ in `one_bound_pairs`."""


def one_bound_pairs(
    sizes: Sequence[int], players: int, player: int, bound: str, random: Random
) -> Iterator[tuple[DealProblem, DealProblem]]:
    """Yield pairs of a feasible and an infeasible problem that differ in a bound of one player.

    Only this player has constraints. In the feasible problem, they just allow the player's hand. In
    the infeasible problem, a constraint of one set is tightened by 1. This set is the first or the
    last set with at least two cards, and the player has some, but not all of its cards. If the
    player may not own some cards, these are the first or the last cards of their sets.

    Args:
        sizes: the number of cards in each set, at least 1.
        players: the number of players, at least 2.
        player: the number of the player who has constraints.
        bound: the kind of constraint, one of `BOUNDS`.
    """
    others = [other for other in range(players) if other != player]
    for last_set, last_cards in product((False, True), repeat=2):
        if last_cards and bound != "owners":
            continue
        counts, place = _counts(sizes, bound, last_set, random)
        hands = Counter(random.choices(others, k=sum(sizes) - sum(counts)))
        hands[player] = sum(counts)
        problems = []
        for excess in (0, 1):
            sets = []
            for index, (size, count) in enumerate(zip(sizes, counts, strict=True)):
                owners, low, high = [(1 << players) - 1] * size, [0] * players, [size] * players
                unit = excess * (index == place)
                if bound == "minimum":
                    low[player] = count + unit
                elif bound == "maximum":
                    high[player] = count - unit
                else:
                    for card in range(size)[:: -1 if last_cards else 1][: size - count + unit]:
                        owners[card] &= ~(1 << player)
                sets.append(SetConstraint(owners, low, high))
            problems.append(DealProblem([hands[other] for other in range(players)], sets))
        yield problems[0], problems[1]


def _counts(
    sizes: Sequence[int], bound: str, last_set: bool, random: Random
) -> tuple[list[int], int]:
    """Return the player's number of cards in each set, and the number of the set to tighten.

    If all sets have a single card, the player has the card of the returned set, except if `bound`
    is "minimum" and this set is the first one.
    """
    counts = [random.randint(0, size) for size in sizes]
    places = [index for index, size in enumerate(sizes) if size > 1] or range(len(sizes))
    place = places[-1 if last_set else 0]
    only_card = int(bound != "minimum" or last_set)
    counts[place] = random.randint(1, sizes[place] - 1) if sizes[place] > 1 else only_card
    return counts, place
