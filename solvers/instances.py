"""Benchmark instances: pairs of a feasible and an infeasible deal problem, in several families.

The problems of a pair differ by 1 in one bound, so one is just feasible and the other is just
infeasible. Each family has instances of all sizes. They are generated from a seed, with players,
sets and cards in random order. `benchmark` returns a fixed collection of instances.

In the families `php`, `game`, `pair` and `crowded`, a group of players is a *tight coalition*:
their hands have exactly as many cards as the constraints allow them to hold. In each set, the limit
is due to the possible owners of the cards, the minimums of the other players, or the maximums of
the coalition. If one of these bounds is tightened by 1, the coalition can hold one card less than
its hands need. In `chain`, the sets form a ring, and a proof of infeasibility involves many sets.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple, TypeVar

from quaternity.base.errors import InputError, SolverFault
from quaternity.base.validation import as_int, check_int, lookup
from solvers import coalitions
from solvers.problem import MAX_CARDS, DealProblem, SetConstraint, mask_of, with_entry
from solvers.random_problems import GameSize, boundary_pair, game_like

__all__ = [
    "BENCHMARKS", "FAMILIES", "Family", "ProblemPair", "benchmark", "benchmark_checksums",
    "make_pair",
]  # fmt: skip

MIN_CARDS = 12
"""Minimum number of cards in an instance."""
PLAYERS, SET_SIZE = 4, 4
"""Number of players, and number of cards in a set, in the families `game`, `crowded` and `random`.
If the number of cards is not a multiple of the set size, there is one smaller set."""
MAX_PIGEONS = 50
"""Maximum number of players in each of the two groups of an instance of the family `php`. In a
large instance, each player holds several cards."""
MAX_LINKS = 20
"""Maximum depth (see `Shape`) of an instance of the family `chain`, if no depth is given."""


class ProblemPair(NamedTuple):
    """Pair of a feasible and an infeasible problem, which differ by 1 in one bound."""

    possible: DealProblem
    impossible: DealProblem


@dataclass(frozen=True, slots=True)
class Shape:
    """Requested properties of a pair of problems of one family, such as `game` or `chain`.

    Attributes:
        cards: the number of cards.
        coalition: the number of players in the tight coalition, whose hands have exactly as many
            cards as the players can hold. None means a random number.
        depth: the number of sets that a proof of infeasibility involves. None means a random
            number.
    """

    cards: int
    coalition: int | None = None
    depth: int | None = None

    def draw(self, name: str, random: Random, low: int, high: int) -> int:
        """Return the attribute `name`, or a random number from `low` to `high` if it is None.

        Raises:
            InputError: If the attribute is not from `low` to `high`.
        """
        requested = getattr(self, name)
        if requested is None:
            return random.randint(low, high)
        return check_int(requested, low, high, f"from {low} to {high} for this instance", name)


@dataclass(frozen=True, slots=True)
class Family:
    """Family of instances: pairs of a feasible and an infeasible problem, made by one function.

    Attributes:
        idea: a description in one line.
        make: a function that makes a pair of problems.
        parameters: the optional parameters of `make_pair` that the family supports: "coalition",
            "depth", both or none.
    """

    name: str
    idea: str
    make: Callable[[Random, Shape], ProblemPair]
    parameters: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Family {self.name}>"


def make_pair(
    family: str, cards: int, seed: int, *, coalition: int | None = None, depth: int | None = None
) -> ProblemPair:
    """Return a pair of problems of a family. Equal arguments give equal pairs.

    The running time is linear in the size of the problems. The family `random` takes a few dozen
    runs of a solver.

    Args:
        family: a name in `FAMILIES`.
        cards: the number of cards, from `MIN_CARDS` to `MAX_CARDS`.
        seed: the random seed.
        coalition: see `Shape`.
        depth: see `Shape`.

    Raises:
        InputError: If the family is unknown, or if a number is out of range.

    >>> possible, impossible = make_pair("chain", 12, seed=0)
    >>> from solvers import solve
    >>> bool(solve(possible)), bool(solve(impossible))
    (True, False)
    """
    row = lookup(FAMILIES, family, "family")
    allowed = f"from {MIN_CARDS} to {MAX_CARDS}"
    cards = check_int(cards, MIN_CARDS, MAX_CARDS, allowed, "cards")
    for name, value in (("coalition", coalition), ("depth", depth)):
        if value is not None and name not in row.parameters:
            raise InputError(f"{name}: not available for family {family}")
    random = Random(f"{family} {cards} {as_int(seed, 'seed')}")
    return _make_pair(row, Shape(cards, coalition, depth), random)


def _make_pair(family: Family, shape: Shape, random: Random) -> ProblemPair:
    pair = family.make(random, shape)
    first = pair.possible
    players, sets = list(range(first.players)), list(range(len(first.sets)))
    orders = [list(range(constraint.size)) for constraint in first.sets]
    for order in (players, sets, *orders):
        random.shuffle(order)
    return ProblemPair(*(twin.relabelled(players, sets, orders) for twin in pair))


def _game(random: Random, shape: Shape) -> ProblemPair:
    sizes, hands = _game_sizes(shape.cards)
    members = shape.draw("coalition", random, 1, PLAYERS - 1)
    others = sum(hands[members:])
    # The first `min_depth` sets must have room for all cards of the other players and for a card of
    # the coalition.
    min_depth = next(count for count in range(len(sizes) + 1) if sum(sizes[:count]) > others)
    depth = shape.draw("depth", random, min_depth, min(len(sizes), others))
    outside = _spread(random, others, sizes[:depth]) + [0] * (len(sizes) - depth)
    start = random.randrange(3)
    kinds = [("high", "low", "owners")[(start + index) % 3] for index in range(depth)]
    kinds[next(s for s in range(depth) if outside[s] < sizes[s])] = random.choice(("high", "low"))
    return _tight_pair(
        random, sizes, hands, members, outside, kinds + ["open"] * (len(sizes) - depth)
    )


def _make_crowded(random: Random, shape: Shape) -> ProblemPair:
    sizes, hands = _game_sizes(shape.cards)
    outside = _spread(random, hands[-1], sizes, minimum=0)
    return _tight_pair(random, sizes, hands, PLAYERS - 1, outside, ["low"] * len(sizes))


def _pair(random: Random, shape: Shape) -> ProblemPair:
    sizes = [shape.cards // 2, shape.cards - shape.cards // 2]
    outside = [random.randint(1, size - 1) for size in sizes]
    hands = [shape.cards - sum(outside), sum(outside)]
    kinds = random.choice((["high", "low"], ["high", "owners"], ["low", "owners"]))
    return _tight_pair(random, sizes, hands, 1, outside, kinds)


def _pigeons(random: Random, shape: Shape) -> ProblemPair:
    sizes = [shape.cards - shape.cards // 2, shape.cards // 2]
    players = min(shape.cards // 2, MAX_PIGEONS)
    hands = _shares(sizes[0], players) + _shares(sizes[1], players)
    return _tight_pair(random, sizes, hands, players, [0, sizes[1]], ["low", "owners"])


def _game_sizes(cards: int) -> tuple[list[int], list[int]]:
    remainder = cards % SET_SIZE
    return [SET_SIZE] * (cards // SET_SIZE) + [remainder] * (remainder > 0), _shares(cards, PLAYERS)


def _shares(cards: int, players: int) -> list[int]:
    return [cards // players + (player < cards % players) for player in range(players)]


def _spread(random: Random, amount: int, sizes: Sequence[int], minimum: int = 1) -> list[int]:
    """Split `amount` into random parts, one for each size. Each is from `minimum` to this size."""
    room = [place for place, size in enumerate(sizes) for _ in range(size - minimum)]
    spread = [minimum] * len(sizes)
    for place in random.sample(room, amount - sum(spread)):
        spread[place] += 1
    return spread


def _tight_pair(
    random: Random,
    sizes: Sequence[int],
    hands: Sequence[int],
    members: int,
    outside: Sequence[int],
    kinds: Sequence[str],
) -> ProblemPair:
    """Return a feasible and an infeasible problem, which differ in one bound.

    In the feasible problem, the first `members` players (the group) hold exactly as many cards as
    they can. The bound concerns this group.

    Args:
        outside: for each set, the number of cards of the players outside the group.
        kinds: for each set, the constraint that keeps these cards from the group: "owners" of the
            cards, "low" (minimums of other players), "high" (maximums of the group), or "open" if
            there are no such cards.
    """
    players = len(hands)
    coalition = mask_of(range(members))
    everybody = (1 << players) - 1
    owners = [player for player in range(players) for _ in range(hands[player])]
    inner, outer = owners[: sum(hands[:members])], owners[sum(hands[:members]) :]
    random.shuffle(inner)
    random.shuffle(outer)
    sets, low_units, high_units = [], [], []
    needed = [0] * players
    for index, (size, outside_count, kind) in enumerate(zip(sizes, outside, kinds, strict=True)):
        inside_owners = [inner.pop() for _ in range(size - outside_count)]
        outside_owners = [outer.pop() for _ in range(outside_count)]
        masks, low, high = [everybody] * size, [0] * players, [size] * players
        if kind == "owners":
            masks[:outside_count] = [everybody & ~coalition] * outside_count
        elif kind == "low":
            for player in outside_owners:
                low[player] += 1
                needed[player] += 1
            low_units += [(index, player) for player in range(members, players) if inside_owners]
        elif kind == "high":
            high[:members] = [inside_owners.count(player) for player in range(members)]
            high_units += [(index, player) for player in range(members) if high[player]]
        sets.append(SetConstraint(masks, low, high))
    possible = DealProblem(hands, sets)
    # If possible, do not raise a minimum of a player whose minimums already fill the hand, because
    # that would make the problem infeasible for a simpler reason.
    with_room = [unit for unit in low_units if needed[unit[1]] < hands[unit[1]]]
    kind, units = random.choice(
        [option for option in (("low", with_room or low_units), ("high", high_units)) if option[1]]
    )
    return ProblemPair(possible, _tighten_bound(possible, kind, *random.choice(units)))


def _tighten_bound(problem: DealProblem, kind: str, index: int, player: int) -> DealProblem:
    owners, low, high = problem.sets[index]
    if kind == "low":
        low = with_entry(low, player, low[player] + 1)
    else:
        high = with_entry(high, player, high[player] - 1)
    return problem.with_set(index, SetConstraint(owners, low, high))


def _chain(random: Random, shape: Shape) -> ProblemPair:
    """Return a pair of problems whose sets form a ring. Adjacent sets share one player.

    Each player has cards of two sets, so one more card of one set means one less of the other, all
    around the ring. In the infeasible problem, bounds on two opposite sets contradict each other.
    From one of them to the other, there are `depth` sets in both directions, including these two.
    """
    max_depth = min(MAX_LINKS, shape.cards // 4 + 1)
    if shape.depth is not None:
        max_depth = min(MAX_PIGEONS + 1, shape.cards // 4 + 1)
    depth = shape.draw("depth", random, 2, max_depth)
    count = 2 * depth - 2
    sizes = _shares(shape.cards, count)
    passed = [random.randint(1, size - 1) for size in sizes]  # sizes of the second players' shares
    hands = [sizes[player] - passed[player] + passed[player - 1] for player in range(count)]
    sets = []
    for index, size in enumerate(sizes):
        low, high = [0] * count, [size] * count
        if index == 0:
            high[1] = passed[0]
        elif index == depth - 1:
            high[index] = size - passed[index]
        sets.append(SetConstraint([1 << index | 1 << (index + 1) % count] * size, low, high))
    possible = DealProblem(hands, sets)
    return ProblemPair(possible, _tighten_bound(possible, "high", depth - 1, depth - 1))


def _random(random: Random, shape: Shape) -> ProblemPair:
    remainder = shape.cards % SET_SIZE
    everybody = (1 << PLAYERS) - 1
    last = [SetConstraint([everybody] * remainder, [0] * PLAYERS, [remainder] * PLAYERS)][
        :remainder
    ]
    while True:
        problem = game_like(random, GameSize(SET_SIZE, shape.cards // SET_SIZE, PLAYERS))
        if problem.cards + remainder < shape.cards:
            continue  # some sets are empty, so there are too few cards
        hands = [hand + (player < remainder) for player, hand in enumerate(problem.hands)]
        possible, impossible = boundary_pair(
            DealProblem(hands, [*problem.sets, *last]), random, coalitions.is_feasible
        )
        sets = zip(possible.sets, impossible.sets, strict=True)
        steps = [(before, after) for before, after in sets if before is not after]
        # Try again if the last step changed an owner mask or the hands, not a bound of one set.
        if len(steps) == 1 and steps[0][0].owners == steps[0][1].owners:
            return ProblemPair(possible, impossible)


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            "php",
            "pigeons and holes: a group of players lacks a place for cards that only they may own",
            _pigeons,
        ),
        Family(
            "game",
            "four players: the bounds and owners of some sets fill the hands of a coalition",
            _game,
            ("coalition", "depth"),
        ),
        Family(
            "pair",
            "two players and two sets, with a different kind of constraint in each set",
            _pair,
        ),
        Family("crowded", "the minimums of one player fill their hand", _make_crowded),
        Family(
            "chain",
            "a ring of sets, in which two distant bounds contradict each other",
            _chain,
            ("depth",),
        ),
        Family(
            "random",
            "random knowledge about a game of four players, made stricter until no deal fits",
            _random,
        ),
    )
}
"""Families of benchmark instances, by name."""


BENCHMARKS = ("v1",)
"""Names of the benchmarks. A published benchmark never changes. A new version gets a new name."""

_BENCHMARK_SIZES = {12: 3, 30: 3, 52: 3, 120: 3, 400: 3, 2000: 2}
"""Number of pairs of instances from each family in the benchmark `v1`, by number of cards."""


def benchmark(name: str) -> dict[str, DealProblem]:
    """Return the problems of a benchmark by name, in the order in which they are published.

    `v1` has 200 problems: pairs of all families with 12 to 400 cards, and pairs of all families but
    `random` with 2,000 cards. The name `game-52-0-impossible` stands for the impossible problem of
    the first pair of the family `game` with 52 cards. The problems are the same on every platform
    and in every supported version of Python. The SHA-256 of each file is compared with the
    published one. This takes about a second.

    Args:
        name: one of `BENCHMARKS`.

    Raises:
        InputError: If there is no benchmark of this name.
        SolverFault: If a problem differs from the published one, because the program was changed.

    >>> problems = benchmark("v1")
    >>> len(problems), problems["php-12-0-possible"].hands
    (200, (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
    """
    published = benchmark_checksums(name)
    problems = {}
    for family in FAMILIES.values():
        for cards, pairs in _BENCHMARK_SIZES.items():
            for number in range(pairs if cards < 2000 or family.name != "random" else 0):
                random = _PortableRandom(f"{name} {family.name} {cards} {number}")
                pair = _make_pair(family, Shape(cards), random)
                for kind, problem in pair._asdict().items():
                    problems[f"{family.name}-{cards}-{number}-{kind}"] = problem
    for key, problem in problems.items():
        if sha256(problem.to_json().encode()).hexdigest() != published[f"{key}.json"]:
            raise SolverFault(f"{key}: differs from the published problem of benchmark {name}")
    return problems


def benchmark_checksums(name: str) -> dict[str, str]:
    """Return the published SHA-256 checksum of each file of a benchmark, by file name.

    Raises:
        InputError: If there is no benchmark of this name.

    >>> len(benchmark_checksums("v1"))
    200
    """
    lookup(dict.fromkeys(BENCHMARKS), name, "benchmark")
    text = (files("solvers") / f"benchmark-{name}.sha256").read_text(encoding="ascii")
    return {file: checksum for checksum, file in map(str.split, text.splitlines())}


Item = TypeVar("Item")


class _PortableRandom(Random):
    """Random generator that gives the same numbers in all versions of Python.

    Python guarantees this only for `random()`, so this class derives the other methods from it.
    """

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        values = range(start) if stop is None else range(start, stop, step)
        return values[int(self.random() * len(values))]

    def randint(self, a: int, b: int) -> int:
        return self.randrange(a, b + 1)

    def getrandbits(self, k: int) -> int:
        return self.randrange(1 << k)

    def choice(self, seq: Any) -> Any:
        return seq[self.randrange(len(seq))]

    def shuffle(self, x: MutableSequence[Any]) -> None:
        for last in range(len(x) - 1, 0, -1):
            other = self.randrange(last + 1)
            x[last], x[other] = x[other], x[last]

    def sample(self, population: Sequence[Item], k: int, **_: object) -> list[Item]:
        items = list(population)
        self.shuffle(items)
        return items[:k]
