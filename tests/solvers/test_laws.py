"""Laws of feasibility: names do not matter, and tightening never makes the impossible possible."""

from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import DealProblem, SetConstraint, certify, count_deals, solve, verify
from solvers.registry import SOLVERS
from solvers.strategies import deal_problems, tightened_problems
from tests.sizes import examples

EVERY_SOLVER = settings(max_examples=examples(150))


def verdicts(problem: DealProblem) -> dict[str, bool]:
    """Return the certified verdict of every solver that accepts the problem."""
    feasible = {}
    for name, solver in SOLVERS.items():
        if solver.refuses(problem) is None:
            verdict = solver(problem)
            assert verify(problem, certify(problem, verdict)), (name, problem)
            feasible[name] = bool(verdict)
    return feasible


@given(deal_problems(), st.data())
@EVERY_SOLVER
def test_names_do_not_matter(problem: DealProblem, data: st.DataObject) -> None:
    renamed = problem.relabelled(
        players=data.draw(st.permutations(range(problem.players))),
        sets=data.draw(st.permutations(range(len(problem.sets)))),
        cards=[data.draw(st.permutations(range(set_.size))) for set_ in problem.sets],
    )
    assert verdicts(renamed) == verdicts(problem)
    assert count_deals(renamed) == count_deals(problem)


@given(deal_problems(), st.data())
@settings(max_examples=examples(150))
def test_renaming_back_gives_the_same_problem(problem: DealProblem, data: st.DataObject) -> None:
    players = data.draw(st.permutations(range(problem.players)))
    sets = data.draw(st.permutations(range(len(problem.sets))))
    cards = [data.draw(st.permutations(range(set_.size))) for set_ in problem.sets]
    renamed = problem.relabelled(players, sets, cards)
    back = renamed.relabelled(
        players=[players.index(p) for p in range(problem.players)],
        sets=[sets.index(index) for index in range(len(sets))],
        cards=[[cards[old].index(card) for card in range(len(cards[old]))] for old in sets],
    )
    assert back == problem


@st.composite
def tightenings(draw: st.DrawFn) -> tuple[DealProblem, DealProblem]:
    """Draw a problem, and the same problem with one owner, minimum or maximum tightened."""
    problem = draw(tightened_problems().filter(lambda problem: problem.cards > 0))
    index = draw(st.sampled_from([index for index, set_ in enumerate(problem.sets) if set_.size]))
    owners, low, high = map(list, problem.sets[index])
    player = draw(st.integers(0, problem.players - 1))
    kind = draw(st.sampled_from(["owner", "low", "high"]))
    if kind == "owner":
        owners[draw(st.integers(0, len(owners) - 1))] &= ~(1 << player)
    elif kind == "low":
        low[player] += draw(st.integers(1, 2))
    else:
        high[player] = draw(st.integers(0, high[player]))
    return problem, problem.with_set(index, SetConstraint(owners, low, high))


@given(tightenings())
@EVERY_SOLVER
def test_tightening_never_adds_a_deal(pair: tuple[DealProblem, DealProblem]) -> None:
    looser, tighter = pair
    before, after = verdicts(looser), verdicts(tighter)
    assert all(before[name] or not verdict for name, verdict in after.items() if name in before)
    assert count_deals(tighter) <= count_deals(looser)


@given(deal_problems())
@settings(max_examples=examples(150))
def test_a_proof_survives_tightening(problem: DealProblem) -> None:
    verdict = solve(problem)
    if not verdict:
        for index, set_ in enumerate(problem.sets):
            tighter = problem.with_set(
                index, SetConstraint([0] * set_.size, [low + 1 for low in set_.low], set_.high)
            )
            assert verify(tighter, verdict)
