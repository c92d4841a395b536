"""Normal forms keep the truth of a formula, even after announcements, and are fast to decide."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.epistemic import evaluate, judge, parse
from quaternity.epistemic.evaluator import Deadline
from quaternity.epistemic.explanation import FormulaExplanation
from quaternity.epistemic.explicit_evaluator import ExplicitModel
from quaternity.epistemic.formula import (
    Announcement,
    Common,
    Distributed,
    Formula,
    Holds,
    Iff,
    Knows,
    Not,
    Publicly,
    Unknown,
)
from quaternity.epistemic.language import Language
from quaternity.epistemic.normal_form import MAX_GROWTH, normal_form
from quaternity.epistemic.solver_evaluator import SolverEvaluator
from quaternity.epistemic.strategies import positions
from quaternity.game.cards import Card
from quaternity.kwartet.settings import KwartetSettings
from solvers import Deal, DealProblem, SetConstraint
from tests.epistemic.by_definition import holds_by_definition
from tests.kwartet.games import random_log
from tests.sizes import examples, thorough

Position = tuple[DealProblem, Deal]

FOUR = DealProblem([1, 1, 1, 1], [SetConstraint.of([[0, 1, 2, 3]] * 4, players=4)])


def some_formula(random: Random, language: Language, depth: int) -> Formula:
    """Draw nested operators of knowledge and formulas between them. (Drawing each part by a
    strategy would take ten times as long.)"""
    player = random.randrange(language.players)
    if not depth or random.random() < 0.08:
        if random.random() < 0.15 or not any(language.sizes):
            return Unknown(player, random.randrange(language.players), random.randrange(3))
        index = random.choice([index for index, size in enumerate(language.sizes) if size])
        return Holds(player, Card(index, random.randrange(language.sizes[index])))

    def part() -> Formula:
        return some_formula(random, language, depth - 1)

    match random.randrange(12):
        case 0 | 1 | 2:
            return Knows(player, part())
        case 3:
            group = random.sample(range(language.players), random.randint(1, language.players))
            return Distributed(tuple(group), part())
        case 4:
            return Common(part())
        case 5:
            return Publicly(part())
        case 6 | 7:
            return Not(part())
        case 8:
            return part() | part()
        case 9:
            return part() & part()
        case 10:
            return part() >> part()
        case _:
            return random.choice([Iff, Announcement])(part(), part())


def check(formula: Formula, problem: DealProblem, announcement: Formula) -> None:
    """Check that the truth is the same in every world, before and after an announcement."""
    model, normal = ExplicitModel(problem), normal_form(formula, problem)
    assert (model.extension(formula) == model.extension(normal)).all(), normal
    among = model.extension(announcement)
    after = model.extension(formula, among) == model.extension(normal, among)
    assert after[among].all(), normal
    assert normal.size <= MAX_GROWTH * formula.size + 10


@given(positions(), st.integers(0, 2**32))
@settings(max_examples=examples(150))
def test_truth_is_kept(position: Position, seed: int) -> None:
    random, language = Random(seed), Language.of(position[0])
    for depth in (2, 3, 4, 5):
        formula = some_formula(random, language, depth)
        check(formula, position[0], some_formula(random, language, 2))


@pytest.mark.parametrize(
    ("formula", "normal"),
    [
        # Positive and negative introspection.
        ("K1 K1 H2 0/0", "K1 H2 0/0"),
        ("K1 !K1 H2 0/0", "!K1 H2 0/0"),
        ("C C H2 0/0", "C H2 0/0"),
        ("C !C H2 0/0", "!C H2 0/0"),
        ("P !P H2 0/0", "!P H2 0/0"),
        ("D{1,2} !D{2,1} H3 0/0", "!D{1,2} H3 0/0"),
        # Narrower knowledge of wider knowledge, and the other way round.
        ("K1 C H2 0/0", "C H2 0/0"),
        ("K1 !C H2 0/0", "!C H2 0/0"),
        ("C K1 H2 0/0", "C H2 0/0"),
        ("C K1 K2 D{0,1} H2 0/0", "C H2 0/0"),
        ("K1 D{1,2} H3 0/0", "K1 H3 0/0"),
        ("D{1,2} K1 H3 0/0", "K1 H3 0/0"),
        ("P C K1 H2 0/0", "P H2 0/0"),
        ("C P H2 0/0", "P H2 0/0"),
        ("C !P H2 0/0", "!P H2 0/0"),
        # Formulas that stay the same.
        ("K1 K2 H3 0/0", "K1 K2 H3 0/0"),
        ("K1 !K2 H3 0/0", "K1 !K2 H3 0/0"),
        ("C !K1 H2 0/0", "C !K1 H2 0/0"),
        ("P !C H2 0/0", "P !C H2 0/0"),
        ("D{0,1} K2 H3 0/0", "D{0,1} K2 H3 0/0"),
        ("K1 [H2 0/0!] H3 0/1", "K1 (H2 0/0 -> H3 0/1)"),
        # Conjunctions, and disjunctions with parts that are settled.
        ("K1 (H2 0/0 & H3 0/1)", "K1 H2 0/0 & K1 H3 0/1"),
        ("C !(H2 0/0 | C H3 0/1)", "C !H2 0/0 & !C H3 0/1"),
        ("K1 (H1 0/0 | H2 0/0)", "H1 0/0 | K1 H2 0/0"),
        ("K1 (H1 0/0 -> H2 0/1)", "!H1 0/0 | K1 H2 0/1"),
        ("K1 !(H1 0/0 -> H2 0/1)", "H1 0/0 & K1 !H2 0/1"),
        ("K1 (H2 0/0 | H3 0/0)", "K1 (H2 0/0 | H3 0/0)"),
        ("C (C H2 0/0 | K1 H3 0/0 | H2 0/1)", "C H2 0/0 | C (K1 H3 0/0 | H2 0/1)"),
        ("K1 (H2 0/0 | H3 0/0 | C !C H0 0/1)", "!C H0 0/1 | K1 (H2 0/0 | H3 0/0)"),
        # Own cards, and what three hands imply about the fourth.
        ("K1 H1 0/0", "H1 0/0"),
        ("K1 !H1 0/0", "!H1 0/0"),
        ("D{0,1,2} H3 0/0", "H3 0/0"),
        ("U1(1)=0", "true"),
        ("C U1(1)=1", "false"),
        ("U1(2)=2", "false"),
        # Inside announcements, too.
        ("[C !C H0 0/0!] K1 K1 H2 0/0", "!C H0 0/0 -> K1 H2 0/0"),
        ("[H0 0/0!] true", "true"),
        # A player who knows whether it is true learns nothing; a lasting truth is common knowledge.
        ("[K1 H0 0/0!] (K1 H2 0/1 & H2 0/0)", "K1 H0 0/0 -> K1 H2 0/1 & H2 0/0"),
        ("[!K0 !H1 0/0!] C !K0 !H1 0/0", "true"),
        ("[!K0 !H1 0/0!] !C !K0 !H1 0/0", "K0 !H1 0/0"),
        ("[H0 0/0!] K1 H2 0/1", "[H0 0/0!] K1 H2 0/1"),
    ],
)
def test_normal_forms(formula: str, normal: str) -> None:
    assert str(normal_form(parse(formula), FOUR)) == normal


def test_public_facts_are_constant() -> None:
    sets = [SetConstraint.of([[0], [1, 2], [0, 1, 2]], 3), SetConstraint.of([], 3)]
    problem = DealProblem([1, 2, 0], sets)
    for formula, normal in (
        ("C H0 0/0", "true"),
        ("K1 H1 0/0", "false"),
        ("C (H0 0/1 | H1 0/1)", "C H1 0/1"),
        ("K0 !H2 1/0", "true"),
        ("K0 (H1 0/1 <-> H0 0/0)", "K0 H1 0/1"),
        ("[H0 0/0!] C H1 0/1", "C H1 0/1"),
        ("[H0 0/1!] false", "true"),
        ("U0(2)=0 & !U0(2)=1", "true"),
    ):
        assert str(normal_form(parse(formula), problem)) == normal


def test_each_of_two_players_knows_everything() -> None:
    two = DealProblem([2, 1], [SetConstraint.of([[0, 1]] * 3, players=2)])
    assert str(normal_form(parse("C (H0 0/0 | K0 K1 H1 0/2)"), two)) == "H0 0/0 | H1 0/2"


def test_a_formula_of_the_deepest_nesting_has_a_normal_form() -> None:
    formula = parse("H2 0/0")
    for depth in range(99):
        formula = Knows(depth % 3, formula) if depth % 2 else Not(formula)
    assert normal_form(formula, FOUR).depth <= 100
    for _ in range(30):
        formula = parse("K1 (H2 0/0 -> K2 (H3 0/1 -> H0 0/2))")
    assert normal_form(formula, FOUR) == formula


@pytest.mark.parametrize(
    "inside", ["H1 0/1", "K2 !H1 0/1", *thorough([], ["(H1 0/1 | K0 H2 0/0)"])]
)
def test_common_knowledge_of_common_knowledge_at_full_size(inside: str) -> None:
    """These are as fast as `!C f` itself; without normal forms, a minute was not enough."""
    log = random_log(KwartetSettings(), Random(7), 20)
    problem, deal = log.positions[20].public.problem, log.positions[20].deal
    assert evaluate(f"!C {inside}", problem, deal, "solvers", seconds=600)
    for formula in (
        f"C K1 (H0 0/0 | !C {inside})",
        f"C !C {inside}",
        f"C C !C {inside}",
        f"K1 C !C {inside}",
        f"C K2 !C {inside}",
    ):
        assert evaluate(formula, problem, deal, "solvers", seconds=600)
        assert not evaluate(f"C !({formula})", problem, deal, "solvers", seconds=600)
        truth, reason = judge(formula, problem, deal, "solvers", seconds=600)
        assert truth
        assert isinstance(reason, FormulaExplanation)


@pytest.mark.parametrize(
    "formula",
    [
        # Several hands together settle a formula that none of them settles.
        "K1 (D{1,2} H3 0/0 | H0 0/1 & H2 0/2)",
        "K1 (D{1,2} !H3 0/0 -> K2 H0 0/1)",
        "[!H0 0/0!] K1 (D{1,2} H3 0/0 | K2 H0 0/1)",
        # After an announcement, `P` asks about the deals that are left.
        "[!H0 0/0!] P (H1 0/0 | H2 0/0 | H3 0/0)",
        "[!H0 0/0 & !H1 0/0!] (P (H2 0/0 | H3 0/0) & !P H2 0/0)",
    ],
)
def test_both_evaluators_agree_at_every_deal(formula: str) -> None:
    model, solvers = ExplicitModel(FOUR), SolverEvaluator(FOUR, Deadline(600))
    asked = parse(formula)
    expected = [holds_by_definition(asked, FOUR, model.deal(world)) for world in range(24)]
    assert model.extension(asked).tolist() == expected
    assert [solvers.truth(asked, model.deal(world)) for world in range(24)] == expected
