"""Conformance test for built-in solvers and your own.

A test calls a single function:

    from solvers.testing import check_solver

    def test_my_solver():
        check_solver(my_solver)

A correct solver obeys several *laws*: for example, renumbering the players does not change the
verdict. `check_solver` checks all laws on many random problems. If the solver breaks a law,
`check_solver` raises `SolverFault`. The message contains a small problem on which the solver fails,
as Python code.
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
from solvers.cross_check import check_answer, crash_fault
from solvers.instances import FAMILIES, MIN_CARDS, make_pair
from solvers.minimize import minimize_problem
from solvers.problem import DealProblem, SetConstraint, players_in, with_entry
from solvers.random_problems import (
    BOUNDS,
    GameSize,
    Sizes,
    boundary_pair,
    game_like,
    one_bound_pairs,
    random_feasible,
    random_tightened,
)
from solvers.registry import SOLVERS, AnySolver, as_solver, solve
from solvers.solver import Solver
from solvers.strategies import deal_problems
from solvers.verdict import Feasible, Verdict

__all__ = ["LAWS", "Conformance", "check_solver"]

Value = TypeVar("Value")
Law = Callable[[Solver, DealProblem], str | None]
"""Function that tests one property of a solver on a problem. It takes the solver and the problem.
It returns the fault as a sentence, or None if the solver has the property."""
_Breach = tuple[Law, str, DealProblem, DealProblem]
"""A failed test: the law, the fault, the problem, and the last problem that the solver was given.
The law may have changed the problem, so the last problem may be a variant of it."""

GAME_SIZES: tuple[tuple[int, int, int], ...] = (
    (4, 13, 4), (4, 12, 12), (13, 4, 4), (4, 13, 7), (6, 6, 6), (2, 20, 8), (130, 3, 3),
    (4, 150, 2), (4, 13, 13), (3, 12, 35), (3, 24, 70),
)  # fmt: skip
"""Default sizes of the games that a conformance test uses, as (cards in one set, sets, players)."""

EXAMPLES_PER_ROUND = 100
"""Number of small problems in a round of a conformance test. A round tries each game size once."""

MAX_COVERED_NUMBER = 12
"""Maximum number of players, sets, cards, or cards in one set that a conformance test covers
thoroughly. Each number up to this limit occurs in many of the random problems."""

MAX_PLAYERS = MAX_SETS = 70
"""Maximum number of players, and of sets, in random problems. All smaller numbers occur as well;
those above `MAX_COVERED_NUMBER` once in about 300 examples."""

BOUND_PAIRS_PER_EXAMPLE = 3
"""Number of draws in `one_bound_problems` for each small problem of a test. With 300 small
problems, each possible combination is drawn at least once."""

MAX_INSTANCE_CARDS = 200
"""Maximum number of cards in the problems of `solvers.instances`."""

MAX_TIGHTENED = 30
"""Maximum number of variants of an infeasible problem on which a solver is tested. In each variant,
one constraint of the problem is tightened. If the problem has more than 30 cards, at most 3
variants are tested."""

MAX_FORBIDDEN_DEALS = 4
"""Maximum number of runs of a solver in one test. After each run, the deal that it found is
forbidden."""

REPORT_SECONDS = 5.0
"""Seconds between two progress reports."""

SHRINK_SECONDS = 10.0
"""Maximum time for shrinking a problem on which a solver fails, in seconds."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """Result of testing a solver: the numbers of problems that it was tested on.

    Attributes:
        feasible, infeasible: the numbers of problems that the solver found feasible or infeasible.
        refused: the number of problems that the solver refused, or on which it gave up.
        max_cards, max_players: the maximum numbers of cards and players in the decided problems.
    """

    feasible: int
    infeasible: int
    refused: int
    max_cards: int = 0
    max_players: int = 0


def evidence_stands(solver: Solver, problem: DealProblem) -> str | None:
    """Check the verdict of a solver, and the deal or proof that it gives.

    Return a description of the fault, or None if there is none. If the solver gives no proof, its
    verdict is compared with those of built-in solvers.
    """
    return _run_checked(solver, problem)[1]


def refusal_is_honest(solver: Solver, problem: DealProblem) -> str | None:
    """Check that the solver raises `UnsupportedProblem` if and only if `refuses` gives a reason.

    Return a description of the fault, or None if there is none.
    """
    reason = solver.refuses(problem)
    try:
        solver(problem)
    except UnsupportedProblem:
        return (
            None
            if reason is not None
            else "raises UnsupportedProblem for a problem that its `refuses` accepts"
        )
    except LimitError:
        return None
    return None if reason is None else "decides a problem that its `refuses` rejects"


def names_do_not_matter(solver: Solver, problem: DealProblem) -> str | None:
    """Check that the verdict does not change after random renumbering, or in a second call.

    Return a description of the fault, or None if there is none.
    """
    random = Random(hash(problem))
    players, sets = list(range(problem.players)), list(range(len(problem.sets)))
    cards = [list(range(constraint.size)) for constraint in problem.sets]
    for order in (players, sets, *cards):
        random.shuffle(order)
    relabelled = problem.relabelled(players, sets, cards)
    first, fault = _run_checked(solver, problem)
    for other, variation in ((relabelled, "when relabelled"), (problem, "on a second call")):
        if fault:
            return fault
        answer, other_fault = _run_checked(solver, other)
        fault = other_fault and f"{other_fault} ({variation})"
        if not fault and first is not None and answer is not None and bool(answer) != bool(first):
            fault = (
                f"finds this problem {_verdict_name(first)}, but {_verdict_name(answer)} "
                f"{variation}"
            )
    return fault


def tightening_adds_nothing(solver: Solver, problem: DealProblem) -> str | None:
    """Check that an infeasible problem stays infeasible if a constraint is tightened.

    Return a description of the fault, or None if there is none.
    """
    before, fault = _run_checked(solver, problem)
    if before is None or before:
        return fault
    limit = MAX_TIGHTENED if problem.cards <= MAX_TIGHTENED else MAX_TIGHTENED // 10
    for tighter, change in tightenings(problem, limit):
        after, fault = _run_checked(solver, tighter)
        if fault or after:
            return fault or f"finds this problem infeasible, but feasible if tightened: {change}"
    return None


def hands_matter(solver: Solver, problem: DealProblem) -> str | None:
    """Check the verdict again after moving a card from the largest hand to the smallest.

    Return a description of the fault, or None if there is none.
    """
    _, fault = _run_checked(solver, problem)
    hands = list(problem.hands)
    giver, taker = hands.index(max(hands)), hands.index(min(hands))
    if fault or not hands[giver]:
        return fault
    hands[giver] -= 1
    hands[taker] += 1
    _, fault = _run_checked(solver, DealProblem(hands, problem.sets))
    return fault and f"{fault} (with a card moved from the hand of player {giver} to {taker})"


def what_is_forbidden_is_obeyed(solver: Solver, problem: DealProblem) -> str | None:
    """Check that the solver does not give the same deal again after the deal is forbidden.

    Return a description of the fault, or None if there is none. To forbid the deal, the possible
    owners of a card, a minimum or a maximum is changed. Equal sets are changed in the same way, so
    that they stay equal.
    """
    random = Random(hash(problem))
    for _ in range(MAX_FORBIDDEN_DEALS):
        answer, fault = _run_checked(solver, problem)
        if fault or not isinstance(answer, Feasible) or not problem.cards:
            return fault
        nonempty_sets = [index for index, constraint in enumerate(problem.sets) if constraint.size]
        index = random.choice(nonempty_sets)
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
        sets = [changed if other_set == constraint else other_set for other_set in problem.sets]
        problem = DealProblem(problem.hands, sets)
    return None


LAWS: tuple[Law, ...] = (
    evidence_stands, refusal_is_honest, names_do_not_matter, tightening_adds_nothing, hands_matter,
    what_is_forbidden_is_obeyed,
)  # fmt: skip
"""Properties of a correct solver that `check_solver` tests. `evidence_stands` alone is enough for a
deterministic solver, but the fault messages of the other laws say more."""


def tightenings(problem: DealProblem, limit: int | None = None) -> list[tuple[DealProblem, str]]:
    """Return variants of a problem in which one constraint is tighter by 1.

    Each variant comes with a description of the change. If there are more than `limit` variants,
    return a random selection of this size.
    """
    variants = []
    for index, constraint in enumerate(problem.sets):
        owners, low, high = constraint
        ways = [
            (
                (with_entry(owners, card, mask & ~(1 << player)), low, high),
                f"player {player} cannot own {index}/{card}",
            )
            for card, mask in enumerate(owners)
            for player in players_in(mask)
        ]
        for player, (minimum, maximum) in enumerate(zip(low, high, strict=True)):
            bound = f"for player {player} in set {index}"
            higher = with_entry(low, player, minimum + 1)
            ways.append(((owners, higher, high), f"a minimum of {minimum + 1} {bound}"))
            if maximum:
                lower = with_entry(high, player, maximum - 1)
                ways.append(((owners, low, lower), f"a maximum of {maximum - 1} {bound}"))
        variants += [(index, parts, change) for parts, change in ways]
    if limit is not None:
        variants = Random(hash(problem)).sample(variants, min(len(variants), limit))
    return [
        (problem.with_set(index, SetConstraint(*parts)), change)
        for index, parts, change in variants
    ]


def check_solver(
    solver: AnySolver,
    examples: int = 300,
    seed: int = 0,
    *,
    problems: Iterable[DealProblem] = (),
    sizes: Sequence[tuple[int, int, int]] = GAME_SIZES,
    report: Callable[[str], object] | None = None,
) -> Conformance:
    """Test a solver on given and random problems, and raise an error if it breaks a law.

    The laws are listed in `LAWS`. The random problems include small problems, problems of all sizes
    (`problems_of_all_sizes`), problems that depend on the bounds of one player
    (`one_bound_problems`), and problems of the size of games. Files are written only to a temporary
    folder.

    Args:
        solver: a solver, its name (see `find_solver`), or a function that takes a problem and
            returns a verdict.
        examples: the number of small problems, and also of draws in `problems_of_all_sizes`. There
            are three times as many draws in `one_bound_problems`. Each size of a game is tried once
            per `EXAMPLES_PER_ROUND` examples (rounded up). 300 examples cover all numbers of
            players and sets up to `MAX_PLAYERS` and `MAX_SETS`. They are enough to find a solver
            that treats the bounds of the first, middle or last players incorrectly. They find it
            even if it fails only for a single number of players, sets or cards up to
            `MAX_COVERED_NUMBER`, fails only in the first or last set or card, or is wrong by 1.
        problems: problems that are tried first.
        sizes: the sizes of games, as (cards in one set, sets, players), with at least 2 players.
            Pass `sizes=()` for a solver that is slow on problems of the size of games.
        report: function that is called with a line about the progress every `REPORT_SECONDS`. By
            default, the line is written to standard error.

    Raises:
        InputError: If the name of the solver is unknown.
        SolverFault: If the solver breaks a law. The message contains a small problem, as Python
            code, on which the solver fails in the same way. The error is also raised if the solver
            decided no problem, no feasible problem or no infeasible problem, because the laws were
            then not fully tested.

    With the defaults, the solver is run about 30,000 times.

    >>> check_solver("max-flow", examples=10, sizes=[(4, 3, 3)]).refused
    0
    """
    __tracebackhide__ = True  # pytest then shows the line of the test, not this function
    row = as_solver(solver)
    count: Counter[str] = Counter()
    largest, last = [0, 0], [DealProblem([0], [])]
    write, next_report = report or _report, monotonic() + REPORT_SECONDS

    def refuses(problem: DealProblem) -> str | None:
        nonlocal next_report
        last[0] = problem
        if monotonic() >= next_report:
            size = f"{problem.players} players and {problem.cards} cards"
            write(
                f"{row.name}: {count.total() // 2} problems tried, no fault so far; "
                f"now trying {size}"
            )
            next_report = monotonic() + REPORT_SECONDS
        return row.refuses(problem)

    watched = replace(row, refuses=refuses)

    def check(problem: DealProblem, laws: Sequence[Law] = LAWS) -> _Breach | None:
        for law in laws:
            if (fault := _find_fault(law, watched, problem)) is not None:
                return law, fault, problem, last[0]
        answer = _run_checked(row, problem)[0]
        kind = _verdict_name(solve(problem) if answer is None else answer)
        count[f"tried {kind}"] += 1
        count["refused" if answer is None else kind] += 1
        if answer is not None:
            largest[:] = max(largest[0], problem.cards), max(largest[1], problem.players)
        return None

    games = _games(sizes, -(-examples // EXAMPLES_PER_ROUND), Random(seed))
    larger_problems = chain(problems_of_all_sizes(examples, seed), games)
    twins_of_bounds = one_bound_problems(BOUND_PAIRS_PER_EXAMPLE * examples, seed)
    breach = next(filter(None, map(check, problems)), None)
    if not breach and examples > 0:
        counterexample = smallest_counterexample(
            deal_problems(), check, examples=examples, random_seed=seed, shrink_seconds=0.0
        )
        breach = counterexample and counterexample[1]
    breach = breach or next(filter(None, map(check, larger_problems)), None)
    breach = breach or next(filter(None, (check(x, LAWS[:1]) for x in twins_of_bounds)), None)
    if breach:
        write(f"{row.name}: found a fault; now looking for a smaller problem that shows it")
        raise SolverFault(_in_words(row, *breach))
    _require_both_kinds(row, count)
    return Conformance(count["feasible"], count["infeasible"], count["refused"], *largest)


def _report(line: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{line}\n")


def _in_words(solver: Solver, law: Law, text: str, problem: DealProblem, last: DealProblem) -> str:
    """Return a report of a fault. It contains a small problem on which the solver also fails."""
    # `last` is a problem that the law may have made from `problem`. If the solver is wrong about
    # `last`, the fault is reported for `last` instead.
    if fault := _find_fault(evidence_stands, solver, last):
        law, text, problem = evidence_stands, fault, last
    problem = minimize_problem(
        problem,
        lambda smaller: _find_fault(law, solver, smaller) is not None,
        seconds=SHRINK_SECONDS,
    )
    text = _find_fault(law, solver, problem) or f"{text} (only once, not on a second call)"
    name = law.__name__.replace("_", " ")
    return f"{solver.name} breaks the law '{name}': {solver.name} {text}\non {problem!r}"


def problems_of_all_sizes(examples: int, seed: int) -> Iterator[DealProblem]:
    """Yield random problems that cover all numbers of players, sets and cards.

    Each example consists of a small problem of any shape, and one of the following:

    - a feasible and an infeasible problem that hardly differ, with up to `MAX_COVERED_NUMBER`
      players, sets, and cards in each set;
    - a problem with many players;
    - a problem with many sets;
    - a problem of a family of `solvers.instances`.

    Every number is drawn once before any number is drawn again.
    """
    random = Random(f"every size {seed}")
    cards, set_size, sets = (_deck(random, range(1, MAX_COVERED_NUMBER + 1)) for _ in range(3))
    players = _deck(random, range(2, MAX_COVERED_NUMBER + 1))
    many_players = _deck(random, range(MAX_COVERED_NUMBER + 1, MAX_PLAYERS + 1))
    many_sets = _deck(random, range(MAX_COVERED_NUMBER + 1, MAX_SETS + 1))
    family, large_kinds = _deck(random, [*FAMILIES]), _deck(random, range(3))
    for number in range(examples):
        yield _with_cards(next(cards), random)
        if number % 2 == 0:
            yield from _boundary_pair(GameSize(next(set_size), next(sets), next(players)), random)
            continue
        kind = next(large_kinds)
        if kind == 0:
            size = int(MIN_CARDS * (MAX_INSTANCE_CARDS / MIN_CARDS) ** random.random())
            yield random.choice(make_pair(next(family), size, random.getrandbits(32)))
        elif kind == 1:
            game = GameSize(random.randint(1, 4), next(sets), next(many_players))
            yield random.choice(_boundary_pair(game, random))
        else:
            game = GameSize(random.randint(1, 4), next(many_sets), next(players))
            yield random.choice(_boundary_pair(game, random))


def one_bound_problems(count: int, seed: int) -> Iterator[DealProblem]:
    """Yield problems whose feasibility depends on a bound of one player (see `one_bound_pairs`).

    `count` is the number of draws. There are two kinds of draws:

    - a number of players, sets, cards, or cards in one set, up to `MAX_COVERED_NUMBER`, with a kind
      of bound, and the first, second, middle, second to last or last player;
    - a larger number of players (up to `MAX_PLAYERS`) or sets (up to `MAX_SETS`), with a random
      kind of bound and a random player.

    Every combination is drawn once before any is drawn again.
    """
    random = Random(f"one bound {seed}")
    numbers = range(1, MAX_COVERED_NUMBER + 1)
    small_cases = product(("players", "sets", "cards", "set size"), numbers, range(5), BOUNDS)
    large_cases = [
        (unit, number, random.randrange(5), random.choice(BOUNDS))
        for unit, limit in (("players", MAX_PLAYERS), ("sets", MAX_SETS))
        for number in range(MAX_COVERED_NUMBER + 1, limit + 1)
    ]
    for unit, number, place, bound in islice(_deck(random, [*small_cases, *large_cases]), count):
        players, sizes = random.randint(2, 4), [random.randint(2, 4) for _ in range(3)]
        if unit == "players":
            players = max(2, number)
        elif unit == "sets":
            sizes = [random.randint(2, 3) for _ in range(number)]
        elif unit == "cards":
            share = random.choice([number, *range(2, number - 1)])
            sizes = [size for size in (share, number - share) if size]
        else:
            sizes = [random.randint(min(2, number), number), number]
        player = (0, 1, players // 2, players - 2, players - 1)[place]
        yield from chain(*one_bound_pairs(sizes, players, player, bound, random))


def _deck(random: Random, values: Sequence[Value]) -> Iterator[Value]:
    while True:
        yield from random.sample(values, len(values))


def _with_cards(cards: int, random: Random) -> DealProblem:
    while True:
        sizes = Sizes(random.randint(2, 5), random.randint(2, 4), random.randint(2, 6))
        problem = random.choice((random_feasible, random_tightened, random_tightened))(
            random.randint, sizes
        )
        if problem.cards == cards:
            return problem


def _boundary_pair(size: GameSize, random: Random) -> tuple[DealProblem, DealProblem]:
    return boundary_pair(
        game_like(random, size), random, lambda problem: bool(_BOUNDARY_SOLVER(problem))
    )


_BOUNDARY_SOLVER = SOLVERS["max-flow"]
"""Solver that helps to generate problems which are just feasible or just infeasible. It does not
judge the tested solver, whose verdicts are checked by their evidence (a deal or a proof)."""


def _games(
    sizes: Sequence[tuple[int, int, int]], rounds: int, random: Random
) -> Iterator[DealProblem]:
    for _ in range(rounds):
        for size in sizes:
            problem = game_like(random, GameSize(*size))
            yield problem
            yield from boundary_pair(problem, random)


def _require_both_kinds(solver: Solver, count: Counter[str]) -> None:
    decided = count["feasible"] + count["infeasible"]
    if not decided:
        raise SolverFault(
            f"{solver.name} decided none of {count['refused']} problems, so nothing was tested"
        )
    for kind in ("feasible", "infeasible"):
        if count[f"tried {kind}"] and not count[kind]:
            raise SolverFault(
                f"{solver.name} decided {decided} problems, but none of the "
                f"{count[f'tried {kind}']} {kind} ones, so its answer {kind} was never tested"
            )


def _find_fault(law: Law, solver: Solver, problem: DealProblem) -> str | None:
    # An exception in the solver counts as a fault.
    try:
        return law(solver, problem)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return crash_fault(solver.name, error).text


def _run_checked(solver: Solver, problem: DealProblem) -> tuple[Verdict | None, str | None]:
    if solver.refuses(problem) is not None:
        return None, None
    try:
        answer = solver.prepare(problem)()
    except LimitError:
        return None, None
    verdict, fault = check_answer(problem, solver, answer)
    return verdict, fault and fault.text


def _verdict_name(verdict: Verdict) -> str:
    return "feasible" if verdict else "infeasible"
