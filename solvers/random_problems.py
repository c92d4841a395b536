"""Generators of random deal problems, feasible or infeasible, small or of the size of games.

A deal problem asks whether cards can be dealt so that all constraints are satisfied. The function
`random_feasible` makes a small feasible problem of any shape, with constraints that allow a random
deal. `random_tightened` tightens some constraints of such a problem, so most results are
infeasible. `game_like` makes feasible problems of the size of games. `boundary_pair` tightens a
problem until it is just infeasible.

The functions for small problems take a function `choose(low, high)` for all random choices. It
returns a whole number from `low` to `high`, both included. Pass `Random.randint` for speed. Pass a
function that draws from Hypothesis (see `solvers.strategies`) to let Hypothesis shrink the results.
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
"""Function that takes two whole numbers and returns a whole number between them, both included."""

HUGE_BOUNDS = (2**31, 2**63, 10**30)
"""Bounds that exceed the range of machine integers. If the maximum of a player is this large, it
never restricts a deal."""


class Sizes(NamedTuple):
    """Limits on the size and shape of a random problem.

    Attributes:
        players: the maximum number of players. The minimum is 1.
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
    """Return a random problem with at least one deal.

    The constraints are built around a random deal, but may allow other deals as well. About a third
    of the sets repeat an earlier set. `choose` draws random numbers, like `Random.randint`.
    """
    players = choose(1, sizes.players)
    set_size = choose(1, sizes.set_size) if sizes.same_size else None
    hands = [0] * players
    sets: list[SetConstraint] = []
    held: list[list[int]] = []
    for _ in _repetitions(choose, sizes.sets, sizes.same_size):
        if sets and choose(0, 2) == 2:
            twin = choose(0, sizes.sets - 1) % len(sets)
            sets.append(sets[twin])
            held.append(held[twin])
        else:
            deal, owners = _choose_cards(choose, sizes, players, set_size)
            counts = [deal.count(player) for player in range(players)]
            low, high = _choose_bounds(choose, sizes, counts)
            sets.append(SetConstraint(owners, low, high))
            held.append(counts)
        hands = [hand + count for hand, count in zip(hands, held[-1], strict=True)]
    return DealProblem(hands, sets)


def _repetitions(choose: Choose, limit: int, minimum: int = 0) -> Iterator[None]:
    """Yield None a random number of times, from `minimum` to `limit`. `limit` is most likely."""
    # Whether there is another repetition is chosen just before it begins, directly before the
    # values that are chosen in it. So Hypothesis can leave out any repetition when it shrinks a
    # problem.
    yield from [None] * minimum
    for remaining in range(limit - minimum, 0, -1):
        if not choose(0, remaining + 3):
            return
        yield


def _choose_player(choose: Choose, sizes: Sizes, players: int) -> int:
    # The range does not depend on the number of players, so that Hypothesis can lower it.
    return choose(0, sizes.players - 1) % players


def _choose_cards(
    choose: Choose, sizes: Sizes, players: int, set_size: int | None, outsiders: int = 0
) -> tuple[list[int], list[int]]:
    """Choose an owner and a bit mask of possible owners for each card of a set.

    The players in the bit mask `outsiders` may only own cards that one of them owns in the deal.
    """
    deal, owners = [], []
    repetitions = range(set_size) if set_size else _repetitions(choose, sizes.set_size)
    for _ in repetitions:
        player = _choose_player(choose, sizes, players)
        mask = choose(0, (1 << sizes.players) - 1) & ((1 << players) - 1)
        deal.append(player)
        owners.append(1 << player | (mask if outsiders >> player & 1 else mask & ~outsiders))
    return deal, owners


def _choose_bounds(
    choose: Choose, sizes: Sizes, counts: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Choose minimums and maximums that allow each player p to hold `counts[p]` cards of a set."""
    size, players = sum(counts), len(counts)
    low, high = [0] * players, [size] * players
    for _ in _repetitions(choose, 2 * sizes.players):
        player = _choose_player(choose, sizes, players)
        if sizes.upper_bounds and choose(0, 1):
            # A bound may also exceed the size of the set.
            high[player] = _choose_bound(choose, counts[player], size + 1)
        else:
            low[player] = choose(0, counts[player])
    return low, high


def _choose_bound(choose: Choose, low: int, high: int) -> int:
    # Hypothesis prefers both ends of a range, so the rare case is a number inside it.
    return HUGE_BOUNDS[choose(0, len(HUGE_BOUNDS) - 1)] if choose(0, 15) == 9 else choose(low, high)


def random_tightened(choose: Choose, sizes: Sizes) -> DealProblem:
    """Tighten a few constraints of a random feasible problem. Most results are infeasible.

    Sometimes, equal sets are tightened in the same way, so that they stay equal.
    """
    problem = random_feasible(choose, sizes)
    hands, sets = list(problem.hands), list(problem.sets)
    for _ in _repetitions(choose, 3, minimum=1):
        player = _choose_player(choose, sizes, problem.players)
        kind = choose(0, 6)
        if kind == 0 or not sets:
            giver = _choose_player(choose, sizes, problem.players)
            if hands[giver]:
                hands[giver] -= 1
            if giver != player or choose(0, 1):
                hands[player] += 1
            continue
        index = choose(0, sizes.sets - 1) % len(sets)
        owners, low, high = map(list, sets[index])
        if kind <= (2 if sizes.upper_bounds else 4):
            low[player] = _choose_bound(choose, low[player], max(low[player], len(owners) + 1))
        elif kind <= 4:
            high[player] = choose(0, high[player])
        elif owners:
            owners[choose(0, sizes.set_size - 1) % len(owners)] &= ~(1 << player)
        before, after = sets[index], SetConstraint(owners, low, high)
        sets[index] = after
        if sets.count(before) and choose(0, 1):
            sets = [after if constraint == before else constraint for constraint in sets]
    return DealProblem(hands, sets)


def random_boundary(choose: Choose, sizes: Sizes) -> tuple[DealProblem, DealProblem]:
    """Return a feasible problem and an infeasible problem, with one small difference.

    In the feasible problem, a group of players holds exactly as many cards as it can hold. One more
    card in the hands of the group, or one owner, minimum or maximum that is tighter, makes the
    problem infeasible.
    """
    players = choose(1, sizes.players)
    set_size = choose(1, sizes.set_size) if sizes.same_size else None
    coalition = _choose_group(choose, sizes, players)
    hands = [0] * players
    sets: list[SetConstraint] = []
    tighter: dict[str, list[tuple[int, SetConstraint]]] = {}
    for _ in _repetitions(choose, sizes.sets, sizes.same_size):
        index = len(sets)
        # Without maximums, members of the coalition can be restricted only by the owners.
        witness = _choose_group(choose, sizes, players) | (0 if sizes.upper_bounds else coalition)
        deal, owners = _choose_cards(choose, sizes, players, set_size, witness)
        counts = [deal.count(player) for player in range(players)]
        low, high = _choose_bounds(choose, sizes, counts)
        constraint = SetConstraint(owners, low, high)
        for player, count in enumerate(counts):
            is_member, is_witness = coalition >> player & 1, witness >> player & 1
            hands[player] += count
            if is_witness > is_member:
                constraint = constraint._replace(low=with_entry(constraint.low, player, count))
            elif is_member > is_witness:
                constraint = constraint._replace(high=with_entry(constraint.high, player, count))
        sets.append(constraint)
        for card, player in enumerate(deal):
            if witness >> player & 1:
                rest = with_entry(constraint.owners, card, owners[card] & ~witness)
                tighter.setdefault("owners", []).append((index, constraint._replace(owners=rest)))
        for player, count in enumerate(counts):
            is_member, is_witness = coalition >> player & 1, witness >> player & 1
            if is_witness > is_member:
                more = with_entry(constraint.low, player, count + 1)
                tighter.setdefault("low", []).append((index, constraint._replace(low=more)))
            elif is_member > is_witness and count:
                less = with_entry(constraint.high, player, count - 1)
                tighter.setdefault("high", []).append((index, constraint._replace(high=less)))
    problem = DealProblem(hands, sets)
    if tighter and choose(0, 5):
        kinds = [kind for kind in ("low", "high", "owners") if kind in tighter]
        changes = tighter[kinds[choose(0, 3) % len(kinds)]]
        return problem, problem.with_set(*changes[choose(0, len(changes) - 1)])
    members = [player for player in range(players) if coalition >> player & 1]
    givers = [player for player in range(players) if player not in members and hands[player]]
    if members and givers:
        hands[givers[choose(0, len(givers) - 1)]] -= 1
    hands[members[choose(0, len(members) - 1)] if members else 0] += 1
    return problem, DealProblem(hands, sets)


def one_player_problem(
    problem: DealProblem, index: int, player: int, max_cards: int | None = None
) -> DealProblem:
    """Reduce a problem to the cards of one set, and a single player who holds them all.

    The player keeps the bounds of the original problem. If `max_cards` is given, only this number
    of cards remains, and the bounds are lowered by the number of missing cards. A solver that is
    wrong about a bound of a player is often wrong about this small problem, too.
    """
    owners, low, high = problem.sets[index]
    masks = [mask >> player & 1 for mask in owners[:max_cards]]
    missing = len(owners) - len(masks)
    bounds = [max(0, bound[player] - missing) for bound in (low, high)]
    return DealProblem([len(masks)], [SetConstraint(masks, bounds[:1], bounds[1:])])


def _choose_group(choose: Choose, sizes: Sizes, players: int) -> int:
    group = choose(0, (1 << sizes.players) - 1)
    while group and not group & (1 << players) - 1:
        group >>= players  # rather than an empty group, if Hypothesis lowers the number of players
    return group & (1 << players) - 1


class GameSize(NamedTuple):
    """Size of a game: cards per set, number of sets, and number of players (at least 2)."""

    set_size: int
    sets: int
    players: int


def game_like(random: Random, size: GameSize) -> DealProblem:
    """Return a random feasible problem that resembles a position in a game.

    Some sets have no constraints, some are equal, and some are completed (empty). In the other
    sets, some cards have fewer possible owners, and players may have minimums. In half of the
    problems, they may also have maximums. One player may have no cards.
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
    a change. This takes about 2 log2(cards) calls of `is_feasible`.
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
    """Yield increasingly tight versions of a problem, endlessly. Later ones are infeasible."""
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
    """Exclude the players of `group` as owners of a card, or raise the minimum of one of `others`.

    If both changes are possible, choose one at random. If neither is, return the constraint
    unchanged.
    """
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
"""Kinds of constraints that `one_bound_pairs` tightens to make a problem infeasible."""


def one_bound_pairs(
    sizes: Sequence[int], players: int, player: int, bound: str, random: Random
) -> Iterator[tuple[DealProblem, DealProblem]]:
    """Yield pairs of a feasible and an infeasible problem that differ in one bound of one player.

    Only this player has constraints. In the feasible problem, they determine how many cards of each
    set the player gets. In the infeasible problem, the constraint on one set is tighter by 1. The
    function chooses the first or the last set with at least two cards, and gives the player some
    but not all of its cards. Cards that the player may not own are the first or the last cards of
    their sets.

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
    """Choose how many cards of each set a player holds, and which set gets the tighter bound."""
    counts = [random.randint(0, size) for size in sizes]
    places = [index for index, size in enumerate(sizes) if size > 1] or range(len(sizes))
    place = places[-1 if last_set else 0]
    only_card = int(bound != "minimum" or last_set)
    counts[place] = random.randint(1, sizes[place] - 1) if sizes[place] > 1 else only_card
    return counts, place
