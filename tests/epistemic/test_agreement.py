"""All evaluators agree, and their counterexamples and chains are valid."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.epistemic import C, D, H, K, P, U, hand_patterns
from quaternity.epistemic.evaluator import Deadline, Evaluator, same_hands
from quaternity.epistemic.explicit_evaluator import ExplicitEvaluator
from quaternity.epistemic.formula import FALSE, Common, Formula, Holds, Knows, Not
from quaternity.epistemic.language import Language
from quaternity.epistemic.solver_evaluator import SolverEvaluator
from quaternity.epistemic.strategies import chains, formulas, positions
from quaternity.epistemic.truth import EvaluationMethod, evaluate
from quaternity.game.cards import Card
from solvers import Deal, DealProblem, SetConstraint, deal_faults
from solvers.brute_force import deals
from solvers.problem import iter_cards, players_in
from tests.agreement import agree
from tests.epistemic.by_definition import holds_by_definition
from tests.limits import limited
from tests.sizes import examples, thorough

Position = tuple[DealProblem, Deal]

WAYS: dict[str, Callable[..., bool]] = {
    "explicit": partial(evaluate, method=EvaluationMethod.EXPLICIT),
    "solvers": partial(evaluate, method=EvaluationMethod.SOLVERS),
    "auto": evaluate,
    "by definition": holds_by_definition,
}
TWO_WAYS: dict[str, Callable[..., bool]] = {name: WAYS[name] for name in ("explicit", "solvers")}


def evaluators(problem: DealProblem) -> dict[str, Evaluator]:
    return {
        "explicit": ExplicitEvaluator(problem),
        "solvers": SolverEvaluator(problem, Deadline(600)),
    }


def draw_formula(data: st.DataObject, problem: DealProblem, depth: int = 3) -> Formula:
    return data.draw(formulas(Language.of(problem), depth), label="formula")


@given(positions(max_players=3), st.data())
@settings(max_examples=thorough(20, 250))
def test_truth(position: Position, data: st.DataObject) -> None:
    problem, deal = position
    agree(WAYS, draw_formula(data, problem), problem, deal)


A_FEW = DealProblem(
    [2, 2, 1],
    [
        SetConstraint.of([[0, 1, 2], [0, 1, 2], [1, 2]], 3, low=[1, 0, 0]),
        SetConstraint.of([[0, 1], [0, 1, 2]], 3),
    ],
)
HERE, THERE, ALSO = H(1, "0/0"), H(0, "1/0"), H(2, "0/1")
INNER: dict[str, Formula] = {
    "held": HERE,
    "false": FALSE & HERE,
    "not": ~HERE,
    "and": HERE & ALSO,
    "or": HERE | THERE,
    "or of knowledge": K(1, ALSO) | THERE | ALSO,
    "implies": THERE >> HERE,
    "iff": HERE.iff(K(0, ALSO)),
    "knows": K(1, ALSO),
    "knows not": ~K(2, THERE),
    "knows or": K(1, HERE | THERE | ALSO),
    "does not know or": ~K(2, ALSO | (THERE >> HERE)),
    "knows and": ~K(0, HERE & ~THERE),
    "together": D([0, 1], ALSO),
    "common": C(~ALSO | HERE),
    "common to two": C(~ALSO | HERE, {0, 1}),
    "public": P(HERE | ALSO),
    "announced": (HERE | ALSO).announce(K(0, HERE)),
    "unknown": U(0, 1, 1),
}


@pytest.mark.parametrize(
    ("module", "limits"),
    [
        ("encoding", {}),
        ("solver_evaluator", {"MAX_CASES": 0}),
        ("encoding", {"MAX_REFUTED_CASES": 0}),
    ],
    ids=["as it is", "cases", "refuted"],
)
@pytest.mark.parametrize("inner", INNER)
def test_every_operator_around_every_other(
    inner: str, module: str, limits: dict[str, float]
) -> None:
    """The answers are the same whichever method the solvers use."""
    part, many = INNER[inner], list(deals(A_FEW))
    assert len(many) > 8
    for number, outer in enumerate(
        (K(0, part), K(2, part), ~K(1, part), D([0, 2], part), C(part), ~C(part),
         C(part, [1, 2]), P(part),
         ALSO.announce(part), (~part).announce(K(1, HERE)), part & THERE, part | ALSO)
    ):  # fmt: skip
        for deal in many[number % 3 :: thorough(13, 1)]:
            with limited(f"quaternity.epistemic.{module}", **limits):
                agree(TWO_WAYS, outer, A_FEW, deal)


@pytest.mark.parametrize(
    ("hands", "owners"),
    [
        ([1, 1, 2], [[[0, 1], [1, 2]], [[0, 2], [0, 2]]]),
        ([3, 1, 1], [[[0, 2], [0, 2]], [[0], [0, 1], [1, 2]]]),
    ],
    ids=str,
)
def test_common_knowledge_if_no_chain_leads_to_every_deal(
    hands: list[int], owners: list[list[list[int]]]
) -> None:
    problem = DealProblem(hands, [SetConstraint.of(set_owners, 3) for set_owners in owners])
    ways = {name: WAYS[name] for name in ("explicit", "auto", "by definition")}
    known = 0
    for deal in deals(problem):
        for index, number, mask in iter_cards(problem):
            for player in players_in(mask):
                held = H(player, Card(index, number))
                for formula in (C(held), C(~held)):
                    known += agree(ways, formula, problem, deal)
    assert known


def test_common_knowledge_of_a_pair_with_all_cards_of_a_set() -> None:
    """Each of two pairs of players shares two cards."""
    problem = DealProblem(
        [1] * 4, [SetConstraint.of([[0, 1]] * 2, 4), SetConstraint.of([[2, 3]] * 2, 4)]
    )
    held = H(0, "0/0")
    known = {(0, 1): True, (0,): True, (2,): False, (1, 2): False, (): False, (0, 1, 2, 3): False}
    for deal in deals(problem):
        for group, truth in known.items():
            holds_here = deal.owner[0][0] == 0
            assert agree(WAYS, C(held, group), problem, deal) == (truth and holds_here)
            assert agree(WAYS, C(~held, group), problem, deal) == (truth and not holds_here)
            assert agree(WAYS, ~C(C(held, group), group), problem, deal) == (
                not truth or not holds_here
            )


@given(positions(max_set_size=4), st.data())
@settings(max_examples=examples(600))
def test_chains_of_knowledge(position: Position, data: st.DataObject) -> None:
    problem, deal = position
    formula = data.draw(chains(Language.of(problem)), label="formula")
    agree(TWO_WAYS, formula, problem, deal)


@pytest.mark.parametrize("seed", range(12))
def test_chains_of_knowledge_in_games_of_thousands_of_deals(seed: int) -> None:
    random = Random(seed)
    everybody = [0, 1, 2]
    problem = DealProblem(
        [4, 4, 3],
        [
            SetConstraint.of([everybody, everybody, [1, 2], [0, 2]], 3, low=[1, 0, 0]),
            SetConstraint.of([everybody, [0, 1], everybody, everybody], 3, high=[2, 3, 1]),
            SetConstraint.of([everybody, everybody, [0, 1]], 3),
        ],
    )
    model = ExplicitEvaluator(problem).model
    assert model.worlds > 1000
    for length in (1, 2, 3):
        formula: Formula = Holds(random.randrange(3), Card(random.randrange(3), 0))
        for _ in range(length):
            formula = Knows(random.randrange(3), formula)
            formula = Not(formula) if random.random() < 0.6 else formula
        deal = model.deal(random.randrange(model.worlds))
        agree(TWO_WAYS, formula, problem, deal)


@pytest.mark.parametrize(
    ("module", "limit"),
    [
        ("hand_patterns", "MAX_OPTIONS"),  # witnesses instead of patterns
        ("encoding", "MAX_REFUTED_CASES"),  # counterexamples instead of refutations
        ("solver_evaluator", "MAX_CASES"),  # one question to CP-SAT instead of cases
    ],
)
@given(position=positions(max_players=3), data=st.data())
@settings(max_examples=thorough(15, 100))
def test_truth_without_a_method(
    module: str, limit: str, position: Position, data: st.DataObject
) -> None:
    """Formulas that are too large for a method are decided by another one."""
    problem, deal = position
    language = Language.of(problem)
    formula = data.draw(st.one_of(chains(language), formulas(language)), label="formula")
    with limited(f"quaternity.epistemic.{module}", **{limit: 0}):
        hand_patterns.hand_patterns.cache_clear()
        agree(TWO_WAYS, formula, problem, deal)
    hand_patterns.hand_patterns.cache_clear()


@given(positions(), st.data())
@settings(max_examples=examples(50))
def test_counterexamples(position: Position, data: st.DataObject) -> None:
    problem, deal = position
    formula = draw_formula(data, problem, 2)
    players = tuple(data.draw(st.sets(st.integers(0, problem.players - 1), min_size=1)))
    truth = ExplicitEvaluator(problem).truth

    def shows(counterexample: Deal | None) -> bool:
        return counterexample is None or (
            not deal_faults(problem, counterexample.owner)
            and same_hands(counterexample, deal, players)
            and not truth(formula, counterexample)
        )

    ways = {name: partial(way.counterexample, players) for name, way in evaluators(problem).items()}
    agree(ways, formula, deal, check=shows, answer=lambda counterexample: counterexample is None)


@given(positions(), st.data())
@settings(max_examples=examples(50))
def test_public_counterexamples(position: Position, data: st.DataObject) -> None:
    problem, _ = position
    formula = draw_formula(data, problem, 2)
    truth = ExplicitEvaluator(problem).truth

    def shows(counterexample: Deal | None) -> bool:
        return counterexample is None or (
            not deal_faults(problem, counterexample.owner) and not truth(formula, counterexample)
        )

    ways = {name: way.public_counterexample for name, way in evaluators(problem).items()}
    agree(ways, formula, check=shows, answer=lambda counterexample: counterexample is None)


def check_chain(problem: DealProblem, formula: Formula, deal: Deal) -> list[Deal]:
    """Check that chains are valid, lead to a failure, are equally short, and exist iff C fails."""
    truth = ExplicitEvaluator(problem).truth

    def shows(chain: list[Deal]) -> bool:
        return (not chain) == truth(Common(formula), deal) and (
            not chain
            or (
                chain[0] == deal
                and not truth(formula, chain[-1])
                and all(not deal_faults(problem, link.owner) for link in chain)
                and all(
                    any(same_hands(first, second, (player,)) for player in range(problem.players))
                    for first, second in pairwise(chain)
                )
            )
        )

    ways = {name: way.counterexample_path for name, way in evaluators(problem).items()}
    chain: list[Deal] = agree(ways, formula, deal, check=shows, answer=len)
    return chain


@given(positions(), st.data())
@settings(max_examples=examples(50))
def test_ways_to_failure(position: Position, data: st.DataObject) -> None:
    problem, deal = position
    check_chain(problem, draw_formula(data, problem, 2), deal)


def test_chains_of_several_steps() -> None:
    lengths = {
        len(check_chain(A_FEW, held, deal))
        for deal in list(deals(A_FEW))[::3]
        for held in (HERE, THERE, ~ALSO)
    }
    assert lengths >= {1, 2}
