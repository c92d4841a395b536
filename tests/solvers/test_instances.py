"""Families of instances: the promises of each family about its twins."""

from dataclasses import replace

import pytest

from quaternity.base.errors import InputError, SolverFault
from solvers.instances import FAMILIES, ProblemPair, benchmark, benchmark_checksums, make_pair
from solvers.problem import DealProblem, SetConstraint, mask_of
from solvers.registry import SOLVERS, certify, solve
from solvers.shortage import coalition_bound
from solvers.verdict import verify
from tests.sizes import thorough

SIZES = (12, 13, 15, 17, 30, 52)
SEEDS = range(thorough(2, 60))


def units_apart(pair: ProblemPair) -> int:
    """Return by how many units the bounds of the twins differ; nothing else may differ."""
    assert pair.possible.hands == pair.impossible.hands
    units = 0
    for loose, tight in zip(pair.possible.sets, pair.impossible.sets, strict=True):
        assert loose.owners == tight.owners
        lows = [after - before for before, after in zip(loose.low, tight.low, strict=True)]
        highs = [before - after for before, after in zip(loose.high, tight.high, strict=True)]
        assert min(lows + highs) >= 0, "the impossible twin is the tighter one"
        units += sum(lows + highs)
    return units


@pytest.mark.parametrize("family", FAMILIES)
def test_twins_keep_their_promises(family: str) -> None:
    for cards in SIZES:
        for seed in SEEDS:
            pair = make_pair(family, cards, seed)
            assert units_apart(pair) == 1
            for problem in pair:
                assert problem.cards == sum(problem.hands) == cards
                names = ["max-flow"] + ["coalitions"] * (problem.players <= 12)
                names += ["cp-sat"] * (seed == 0 and cards in SIZES[::5])
                for name in names:
                    verdict = certify(problem, SOLVERS[name](problem))
                    assert bool(verdict) == (problem is pair.possible), (family, cards, seed)
                    assert verify(problem, verdict)


@pytest.mark.parametrize("family", FAMILIES)
def test_large_twins_and_different_seeds(family: str) -> None:
    """The relaxation decides them within a second; a search would take minutes."""
    for name, cards in (("max-flow", thorough(500, 10_000)), ("cp-sat", thorough(200, 400))):
        pair = make_pair(family, cards, 1)
        assert [bool(SOLVERS[name](problem)) for problem in pair] == [True, False]
    assert make_pair(family, 40, 3) == make_pair(family, 40, 3)
    assert len({make_pair(family, 40, seed) for seed in range(20)}) > 15


def missing_cards(problem: DealProblem) -> dict[int, int]:
    """Return how many cards each short coalition lacks, by the definition."""
    everybody = range(1 << problem.players)
    lacking = {}
    for coalition in everybody:
        most = sum(
            min(coalition_bound(set_, coalition, x) for x in everybody) for set_ in problem.sets
        )
        must = sum(hand for player, hand in enumerate(problem.hands) if coalition >> player & 1)
        if must > most:
            lacking[coalition] = must - most
    return lacking


@pytest.mark.parametrize("coalition", [1, 2, 3])
def test_a_game_has_one_short_coalition_of_the_requested_size(coalition: int) -> None:
    for seed in range(thorough(4, 40)):
        pair = make_pair("game", 20, seed, coalition=coalition)
        (shortage,) = missing_cards(pair.impossible).items()
        assert shortage[0].bit_count() == coalition
        assert shortage[1] == 1
        assert missing_cards(pair.possible) == {}


def forget_set(problem: DealProblem, index: int) -> DealProblem:
    """Return the problem without any knowledge about one of its sets."""
    size, players = problem.sets[index].size, problem.players
    masks = [mask_of(range(players))] * size
    return problem.with_set(index, SetConstraint(masks, [0] * players, [size] * players))


@pytest.mark.parametrize(
    ("family", "cards", "options", "sets"),
    [("game", 20, {"coalition": 2, "depth": depth}, 5) for depth in (3, 4, 5)]
    + [("chain", 40, {"depth": depth}, 2 * depth - 2) for depth in (2, 3, 5, 8)],
)
def test_the_depth_is_the_number_of_sets_every_shortage_needs(
    family: str, cards: int, options: dict[str, int], sets: int
) -> None:
    for seed in range(3):
        problem = make_pair(family, cards, seed, **options).impossible
        assert len(problem.sets) == sets
        needed = [index for index in range(sets) if solve(forget_set(problem, index))]
        assert len(needed) == options["depth"]


@pytest.mark.parametrize(
    ("family", "cards", "options", "words"),
    [
        ("nothing", 52, {}, "unknown family 'nothing'; choose from php"),
        ("php", 11, {}, "cards: must be from 12 to 10000, not 11"),
        ("php", 10_001, {}, "cards: must be from 12 to 10000, not 10001"),
        ("php", 52, {"depth": 2}, "depth: not available for family php"),
        ("chain", 52, {"coalition": 2}, "coalition: not available for family chain"),
        ("chain", 52, {"depth": 15}, "depth: must be from 2 to 14 for this instance, not 15"),
        ("game", 52, {"coalition": 4}, "coalition: must be from 1 to 3 for this instance, not 4"),
        ("game", 52, {"coalition": 2, "depth": 6},
         "depth: must be from 7 to 13 for this instance, not 6"),
    ],
)  # fmt: skip
def test_invalid_arguments(family: str, cards: int, options: dict[str, int], words: str) -> None:
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        make_pair(family, cards, 0, **options)


def test_the_benchmark_is_the_published_one() -> None:
    problems = benchmark("v1")
    assert [f"{name}.json" for name in problems] == list(benchmark_checksums("v1"))
    for (name, possible), impossible in zip(
        list(problems.items())[::2], list(problems.values())[1::2], strict=True
    ):
        assert name.endswith("-possible")
        assert units_apart(ProblemPair(possible, impossible)) == 1
        assert [bool(solve(possible)), bool(solve(impossible))] == [True, False]


def test_a_changed_benchmark_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FAMILIES, "pair", replace(FAMILIES["pair"], make=FAMILIES["chain"].make))
    with pytest.raises(SolverFault, match="pair-12-0-possible: differs from the published problem"):
        benchmark("v1")
    with pytest.raises(InputError, match="unknown benchmark 'v0'; choose from v1"):
        benchmark("v0")
