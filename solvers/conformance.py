"""The duties of every solver, as one function: for solvers of your own.

    from solvers.conformance import check_solver

    def test_my_solver():
        check_solver(my_solver)

The laws are tried on small random problems of any shape, on problems of every number of cards,
sets and players, on the families of `solvers.instances`, on problems that one player's bounds
decide, and on problems of the size of games, up to 600 cards and 70 players: some open, some just
feasible, some just infeasible. A broken law raises `SolverFault` with a smallest problem on which
the solver fails, as Python code.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from random import Random
from time import monotonic
from typing import TypeVar

from quaternity.base.errors import LimitError, SolverFault, UnsupportedProblem
from solvers.counterexample import smallest_counterexample
from solvers.instances import FAMILIES, MIN_CARDS, twins
from solvers.judgement import crashed, weighed
from solvers.problem import DealProblem, SetConstraint, players_in, with_entry
from solvers.random_problems import (
    BOUNDS,
    GameSize,
    Sizes,
    brink,
    game_like,
    loosened,
    spoilt,
    twins_of_one_bound,
)
from solvers.reduction import reduced
from solvers.registry import SOLVERS, solve
from solvers.solver import Solver, solver_from_function
from solvers.strategies import deal_problems
from solvers.verdict import Feasible, Verdict

Value = TypeVar("Value")
Law = Callable[[Solver, DealProblem], str | None]
"""What is wrong with a solver on a problem, as a sentence; None when the law holds."""
_Breach = tuple[Law, str, DealProblem, DealProblem]
"""A broken law, the fault, the problem, and the last problem that the solver was asked."""

GAME_SIZES: tuple[tuple[int, int, int], ...] = (
    (4, 13, 4), (4, 12, 12), (13, 4, 4), (4, 13, 7), (6, 6, 6), (2, 20, 8), (130, 3, 3),
    (4, 150, 2), (4, 13, 13), (3, 12, 35), (3, 24, 70),
)  # fmt: skip
"""Cards in one set, sets and players of the games that are tried."""

EXAMPLES_A_ROUND = 100
"""Every size of game is tried once per this number of small problems, or part of it."""

EVERY_NUMBER = 12
"""Every number of players (from 2), sets, cards, and cards in one set, up to this, comes often."""

MAX_PLAYERS = MAX_SETS = 70
"""Maximum numbers of players and of sets; those above `EVERY_NUMBER` occur once in about 300
examples."""

BOUNDS_AN_EXAMPLE = 3
"""Number of twins of one bound that are drawn with every example; about 300 examples have all of
them."""

MAX_INSTANCE_CARDS = 200
"""Maximum number of cards in the problems of `solvers.instances`."""

MAX_TIGHTENED = 30
"""Maximum number of tightened problems that are tried, and of cards to try so many; a tenth with
more cards."""

MAX_FORBIDDEN_DEALS = 4
"""Maximum number of deals of one problem that are forbidden, one after another."""

REPORT_SECONDS = 5.0
"""Seconds between two reports of progress."""

SHRINK_SECONDS = 10.0
"""Maximum time spent on making a problem with a fault smaller, in seconds."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """The numbers of problems on which the laws held.

    Attributes:
        refused: problems the solver does not take, or gave up on.
        most_cards, most_players: of a problem that was decided.
    """

    feasible: int
    infeasible: int
    refused: int
    most_cards: int = 0
    most_players: int = 0


def evidence_stands(solver: Solver, problem: DealProblem) -> str | None:
    """Verify the verdict, or hold it against the evidence of the built-in solvers."""
    return _asked(solver, problem)[1]


def refusal_is_honest(solver: Solver, problem: DealProblem) -> str | None:
    """Check that `refuses` and a call refuse the same problems, and a call decides all others."""
    reason = solver.refuses(problem)
    try:
        solver(problem)
    except UnsupportedProblem:
        return None if reason is not None else "refuses a problem that it says it takes"
    except LimitError:
        return None
    return None if reason is None else "decides a problem that it says it refuses"


def names_do_not_matter(solver: Solver, problem: DealProblem) -> str | None:
    """Check the verdict under other names of players, sets and cards, and on a second call."""
    random = Random(hash(problem))
    players, sets = list(range(problem.players)), list(range(len(problem.sets)))
    cards = [list(range(constraint.size)) for constraint in problem.sets]
    for names in (players, sets, *cards):
        random.shuffle(names)
    renamed = problem.relabelled(players, sets, cards)
    first, fault = _asked(solver, problem)
    for other, variation in ((renamed, "under other names"), (problem, "asked again")):
        if fault:
            return fault
        answer, wrong = _asked(solver, other)
        fault = wrong and f"{wrong} ({variation})"
        if not fault and first is not None and answer is not None and bool(answer) != bool(first):
            fault = f"finds this problem {_word(first)}, and {variation} {_word(answer)}"
    return fault


def tightening_adds_nothing(solver: Solver, problem: DealProblem) -> str | None:
    """Check that no tightening of an infeasible problem makes it feasible."""
    before, fault = _asked(solver, problem)
    if before is None or before:
        return fault
    most = MAX_TIGHTENED if problem.cards <= MAX_TIGHTENED else MAX_TIGHTENED // 10
    for tighter, change in tightened(problem, most):
        after, fault = _asked(solver, tighter)
        if fault or after:
            return fault or f"finds this problem infeasible, but feasible with {change}"
    return None


def hands_matter(solver: Solver, problem: DealProblem) -> str | None:
    """Check that the same sets with a card moved to another hand get a verdict of their own."""
    _, fault = _asked(solver, problem)
    hands = list(problem.hands)
    giver, taker = hands.index(max(hands)), hands.index(min(hands))
    if fault or not hands[giver]:
        return fault
    hands[giver] -= 1
    hands[taker] += 1
    _, wrong = _asked(solver, DealProblem(hands, problem.sets))
    return wrong and f"{wrong} (with a card moved from the hand of player {giver} to {taker})"


def what_is_forbidden_is_obeyed(solver: Solver, problem: DealProblem) -> str | None:
    """Forbid the deal the solver gives, by an owner, a minimum or a maximum, and ask again.

    Equal sets are changed alike and stay equal.
    """
    random = Random(hash(problem))
    for _ in range(MAX_FORBIDDEN_DEALS):
        answer, fault = _asked(solver, problem)
        if fault or not isinstance(answer, Feasible) or not problem.cards:
            return fault
        dealt = [index for index, constraint in enumerate(problem.sets) if constraint.size]
        index = random.choice(dealt)
        constraint, cards = problem.sets[index], answer.deal.owner[index]
        card, holder = random.choice(list(enumerate(cards)))
        owners, low, high = map(list, constraint)
        kind = random.randrange(3)
        if kind == 0:
            owners[card] &= ~(1 << holder)
        elif kind == 1:
            high[holder] = cards.count(holder) - 1
        else:
            other = random.randrange(problem.players)
            low[other] = cards.count(other) + 1
        changed = SetConstraint(owners, low, high)
        sets = [changed if alike == constraint else alike for alike in problem.sets]
        problem = DealProblem(problem.hands, sets)
    return None


LAWS: tuple[Law, ...] = (
    evidence_stands, refusal_is_honest, names_do_not_matter, tightening_adds_nothing, hands_matter,
    what_is_forbidden_is_obeyed,
)  # fmt: skip
"""All laws. The first implies the others for a deterministic solver; these say more."""


def tightened(problem: DealProblem, most: int | None = None) -> list[tuple[DealProblem, str]]:
    """Return all variants of the problem with one constraint tightened by one, with descriptions.

    If `most` is given, return at most that many of them, chosen at random.
    """
    variants = []
    for index, constraint in enumerate(problem.sets):
        owners, low, high = constraint
        ways = [
            (
                (with_entry(owners, card, mask & ~(1 << player)), low, high),
                f"player {player} not an owner of {index}/{card}",
            )
            for card, mask in enumerate(owners)
            for player in players_in(mask)
        ]
        for player, (least, most) in enumerate(zip(low, high, strict=True)):
            bound = f"for player {player} in set {index}"
            more = with_entry(low, player, least + 1)
            ways.append(((owners, more, high), f"a minimum of {least + 1} {bound}"))
            if most:
                less = with_entry(high, player, most - 1)
                ways.append(((owners, low, less), f"a maximum of {most - 1} {bound}"))
        variants += [(index, parts, change) for parts, change in ways]
    if most is not None:
        variants = Random(hash(problem)).sample(variants, min(len(variants), most))
    return [
        (problem.with_set(index, SetConstraint(*parts)), change)
        for index, parts, change in variants
    ]


def check_solver(
    solver: Solver | Callable[[DealProblem], Verdict],
    examples: int = 300,
    seed: int = 0,
    *,
    problems: Iterable[DealProblem] = (),
    sizes: Sequence[tuple[int, int, int]] = GAME_SIZES,
    report: Callable[[str], object] | None = None,
) -> Conformance:
    """Try all laws on your problems, on small random ones, and on games at the brink.

    A game at the brink is a pair of problems: just feasible and just infeasible. Nothing is
    written to any folder but a temporary one.

    Args:
        solver: a row of the table, or a function from problem to verdict.
        examples: number of small problems, and of drawn sizes (`of_every_size`); three times as
            many draws of twins that one player's bounds decide (`of_one_bound`). Each size of game
            is tried once for every `EXAMPLES_A_ROUND` of them or part of that number. With 300,
            whoever is wrong about the bounds of the first, middle or last players for one number of
            players, sets or cards up to `EVERY_NUMBER` is found, also if it is in the first or last
            set or card alone, or too strict by one; and all numbers of players and sets up to
            `MAX_PLAYERS` and `MAX_SETS` are met.
        problems: tried first.
        sizes: cards in one set, sets and players (at least 2) of the games.
        report: called with a line on the progress every `REPORT_SECONDS`; by default, the line is
            written to standard error.

    Raises:
        SolverFault: If a law is broken. The message has a smallest problem as Python code, on which
            the solver fails when it is asked again. Also if the solver decided no problem, no
            feasible problem, or no infeasible problem, so that its laws were not tried.

    Cost: with the defaults some 30,000 runs of the solver. They take 10 seconds of processor time
    for max-flow, and many minutes for a solver that needs long for a game; `sizes=()` leaves games
    out. The number of runs is proportional to `examples`.

    >>> from solvers import SOLVERS
    >>> check_solver(SOLVERS["max-flow"], examples=10, sizes=[(4, 3, 3)]).refused
    0
    """
    row = solver if isinstance(solver, Solver) else solver_from_function(_name(solver), solver)
    count: Counter[str] = Counter()
    largest, asked = [0, 0], [DealProblem([0], [])]
    tell, due = report or _report, monotonic() + REPORT_SECONDS

    def refuses(problem: DealProblem) -> str | None:
        nonlocal due
        asked[0] = problem
        if monotonic() >= due:
            size = f"{problem.players} players and {problem.cards} cards"
            tell(f"{row.name}: {count.total() // 2} problems tried, no fault so far; now {size}")
            due = monotonic() + REPORT_SECONDS
        return row.refuses(problem)

    watched = replace(row, refuses=refuses)

    def check(problem: DealProblem, laws: Sequence[Law] = LAWS) -> _Breach | None:
        for law in laws:
            if (fault := _broken(law, watched, problem)) is not None:
                return law, fault, problem, asked[0]
        answer = _asked(row, problem)[0]
        kind = _word(solve(problem) if answer is None else answer)
        count[f"tried {kind}"] += 1
        count["refused" if answer is None else kind] += 1
        if answer is not None:
            largest[:] = max(largest[0], problem.cards), max(largest[1], problem.players)
        return None

    games = _games(sizes, -(-examples // EXAMPLES_A_ROUND), Random(seed))
    larger = chain(of_every_size(examples, seed), games)
    twins_of_bounds = of_one_bound(BOUNDS_AN_EXAMPLE * examples, seed)
    breach = next(filter(None, map(check, problems)), None)
    if not breach and examples > 0:
        counterexample = smallest_counterexample(
            deal_problems(), check, examples=examples, random_seed=seed, shrink_seconds=0.0
        )
        breach = counterexample and counterexample[1]
    breach = breach or next(filter(None, map(check, larger)), None)
    breach = breach or next(filter(None, (check(x, LAWS[:1]) for x in twins_of_bounds)), None)
    if breach:
        tell(f"{row.name}: a fault is found, and its problem is made smaller")
        raise SolverFault(_in_words(row, *breach))
    _demand_both_kinds(row, count)
    return Conformance(count["feasible"], count["infeasible"], count["refused"], *largest)


def _report(line: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{line}\n")


def _in_words(solver: Solver, law: Law, text: str, problem: DealProblem, asked: DealProblem) -> str:
    """Describe the fault of a solver, with a smallest problem on which the fault recurs.

    A wrong answer to a problem that a law has made is reported as a fault on that problem itself.
    """
    if fault := _broken(evidence_stands, solver, asked):
        law, text, problem = evidence_stands, fault, asked
    problem = reduced(
        problem, lambda smaller: _broken(law, solver, smaller) is not None, seconds=SHRINK_SECONDS
    )
    text = _broken(law, solver, problem) or f"{text} (once, and not when it is asked again)"
    name = law.__name__.replace("_", " ")
    return f"{solver.name} breaks the law '{name}': {solver.name} {text}\non {problem!r}"


def of_every_size(examples: int, seed: int) -> Iterator[DealProblem]:
    """Draw problems so that no number of players, sets or cards is left out.

    Each example is a small problem of any shape and one of these: a game of up to `EVERY_NUMBER`
    players, sets and cards in one set, on both sides of its brink; a game of many players; a
    problem of many sets; or a member of a family of `solvers.instances`.
    No number is drawn again before all have been drawn.
    """
    random = Random(f"every size {seed}")
    cards, set_size, sets = (_deck(random, range(1, EVERY_NUMBER + 1)) for _ in range(3))
    players = _deck(random, range(2, EVERY_NUMBER + 1))
    many_players = _deck(random, range(EVERY_NUMBER + 1, MAX_PLAYERS + 1))
    many_sets = _deck(random, range(EVERY_NUMBER + 1, MAX_SETS + 1))
    family, large = _deck(random, [*FAMILIES]), _deck(random, range(3))
    for number in range(examples):
        yield _with_cards(next(cards), random)
        if number % 2 == 0:
            yield from _brink(GameSize(next(set_size), next(sets), next(players)), random)
            continue
        kind = next(large)
        if kind == 0:
            size = int(MIN_CARDS * (MAX_INSTANCE_CARDS / MIN_CARDS) ** random.random())
            yield random.choice(twins(next(family), size, random.getrandbits(32)))
        elif kind == 1:
            game = GameSize(random.randint(1, 4), next(sets), next(many_players))
            yield random.choice(_brink(game, random))
        else:
            game = GameSize(random.randint(1, 4), next(many_sets), next(players))
            yield random.choice(_brink(game, random))


def of_one_bound(count: int, seed: int) -> Iterator[DealProblem]:
    """Draw so often the twins that the bounds of one player alone decide (`twins_of_one_bound`).

    That player is the first, the second, the middle, the last but one or the last, with each kind
    of bound, for every number of players, sets, cards, and cards in one set up to `EVERY_NUMBER`;
    and anybody for every number of players and sets up to `MAX_PLAYERS` and `MAX_SETS`. None is
    drawn again before all have been drawn.
    """
    random = Random(f"one bound {seed}")
    numbers = range(1, EVERY_NUMBER + 1)
    few = product(("players", "sets", "cards", "set size"), numbers, range(5), BOUNDS)
    many = [
        (what, number, random.randrange(5), random.choice(BOUNDS))
        for what, most in (("players", MAX_PLAYERS), ("sets", MAX_SETS))
        for number in range(EVERY_NUMBER + 1, most + 1)
    ]
    for what, number, place, bound in islice(_deck(random, [*few, *many]), count):
        players, sizes = random.randint(2, 4), [random.randint(2, 4) for _ in range(3)]
        if what == "players":
            players = max(2, number)
        elif what == "sets":
            sizes = [random.randint(2, 3) for _ in range(number)]
        elif what == "cards":
            share = random.choice([number, *range(2, number - 1)])
            sizes = [size for size in (share, number - share) if size]
        else:
            sizes = [random.randint(min(2, number), number), number]
        player = (0, 1, players // 2, players - 2, players - 1)[place]
        yield from chain(*twins_of_one_bound(sizes, players, player, bound, random))


def _deck(random: Random, values: Sequence[Value]) -> Iterator[Value]:
    while True:
        yield from random.sample(values, len(values))


def _with_cards(cards: int, random: Random) -> DealProblem:
    while True:
        sizes = Sizes(random.randint(2, 5), random.randint(2, 4), random.randint(2, 6))
        problem = random.choice((loosened, spoilt, spoilt))(random.randint, sizes)
        if problem.cards == cards:
            return problem


def _brink(size: GameSize, random: Random) -> tuple[DealProblem, DealProblem]:
    return brink(game_like(random, size), random, lambda problem: bool(_QUICK(problem)))


_QUICK = SOLVERS["max-flow"]
"""Decides where the brink is; every verdict is still weighed by its own evidence."""


def _games(
    sizes: Sequence[tuple[int, int, int]], rounds: int, random: Random
) -> Iterator[DealProblem]:
    for _ in range(rounds):
        for size in sizes:
            problem = game_like(random, GameSize(*size))
            yield problem
            yield from brink(problem, random)


def _demand_both_kinds(solver: Solver, count: Counter[str]) -> None:
    decided = count["feasible"] + count["infeasible"]
    if not decided:
        raise SolverFault(
            f"{solver.name} took none of {count['refused']} problems: nothing was tried"
        )
    for kind in ("feasible", "infeasible"):
        if count[f"tried {kind}"] and not count[kind]:
            raise SolverFault(
                f"{solver.name} decided {decided} problems, but none of the "
                f"{count[f'tried {kind}']} {kind} ones: that it ever says {kind} was not tried"
            )


def _broken(law: Law, solver: Solver, problem: DealProblem) -> str | None:
    """Return what breaks a law, even if the solver raises an error."""
    try:
        return law(solver, problem)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return crashed(solver.name, error).text


def _name(function: Callable[[DealProblem], Verdict]) -> str:
    return getattr(function, "__name__", repr(function))


def _asked(solver: Solver, problem: DealProblem) -> tuple[Verdict | None, str | None]:
    if solver.refuses(problem) is not None:
        return None, None
    try:
        given = solver.prepare(problem)()
    except LimitError:
        return None, None
    verdict, fault = weighed(problem, solver, given)
    return verdict, fault and fault.text


def _word(verdict: Verdict) -> str:
    return "feasible" if verdict else "infeasible"
