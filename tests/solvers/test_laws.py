"""Laws of deal problems: relabelling, tightening, splitting and merging of sets, and duality."""

from collections.abc import Iterator
from itertools import product, starmap

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers import (
    Certificate,
    CrossedBounds,
    CrowdedHand,
    Deal,
    DealProblem,
    Feasible,
    Infeasible,
    NoDeal,
    SetConstraint,
    Shortage,
    TooManyCards,
    certify,
    count_deals,
    deal_faults,
    filter_problem,
    solve,
    verify,
)
from solvers.brute_force import deals
from solvers.strategies import deal_problems, feasible_problems
from tests.sizes import thorough
from tests.solvers.deciding import decide

EVERY_SOLVER = settings(max_examples=thorough(20, 150))


def filter_or_none(problem: DealProblem) -> DealProblem | None:
    try:
        return filter_problem(problem)
    except NoDeal:
        return None


@given(deal_problems(), st.data())
@EVERY_SOLVER
def test_names_do_not_matter(problem: DealProblem, data: st.DataObject) -> None:
    players = data.draw(st.permutations(range(problem.players)))
    sets = data.draw(st.permutations(range(len(problem.sets))))
    cards = [data.draw(st.permutations(range(set_.size))) for set_ in problem.sets]
    renamed = problem.relabelled(players, sets, cards)
    assert bool(decide(renamed)) == bool(decide(problem))
    assert count_deals(renamed) == count_deals(problem)
    tight = filter_or_none(problem)
    assert filter_or_none(renamed) == (tight and tight.relabelled(players, sets, cards))
    back = renamed.relabelled(
        players=[players.index(player) for player in range(problem.players)],
        sets=[sets.index(index) for index in range(len(sets))],
        cards=[[cards[old].index(card) for card in range(len(cards[old]))] for old in sets],
    )
    assert back == problem


@st.composite
def tightenings(draw: st.DrawFn) -> tuple[DealProblem, DealProblem]:
    """Draw a problem, and the same problem with one owner, minimum or maximum tightened."""
    problem = draw(deal_problems().filter(lambda problem: problem.cards > 0))
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
def test_a_tighter_problem_has_no_more_deals(pair: tuple[DealProblem, DealProblem]) -> None:
    looser, tighter = pair
    assert decide(looser) or not decide(tighter)
    assert count_deals(tighter) <= count_deals(looser)
    verdict = certify(looser, solve(looser))
    assert verdict or verify(tighter, verdict)


@given(deal_problems(max_players=3), st.data())
@settings(max_examples=thorough(20, 150))
def test_a_set_can_be_split_wherever_its_cards_go(
    problem: DealProblem, data: st.DataObject
) -> None:
    """The deals are those of all ways to share the first part, and then the rest."""
    assume(problem.sets)
    index = data.draw(st.integers(0, len(problem.sets) - 1))
    owners, low, high = problem.sets[index]
    cut = data.draw(st.integers(0, len(owners)))
    others = [*problem.sets[:index], *problem.sets[index + 1 :]]
    total = 0
    for counts in product(range(cut + 1), repeat=problem.players):
        if sum(counts) == cut and all(a <= b for a, b in zip(counts, high, strict=True)):
            low_left = [max(0, a - b) for a, b in zip(low, counts, strict=True)]
            high_left = [a - b for a, b in zip(high, counts, strict=True)]
            parts = [
                SetConstraint(owners[:cut], counts, counts),
                SetConstraint(owners[cut:], low_left, high_left),
            ]
            split = DealProblem(problem.hands, [*others, *parts])
            number = count_deals(split)
            assert bool(number) == bool(solve(split))
            total += number
    assert total == count_deals(problem)


@given(deal_problems(max_sets=4), st.data())
@settings(max_examples=thorough(20, 150))
def test_merged_sets_have_no_fewer_deals(problem: DealProblem, data: st.DataObject) -> None:
    """They have as many if no bound of the sets has an effect, or if all owners are known."""
    assume(len(problem.sets) > 1)
    *others, first, second = data.draw(st.permutations(problem.sets))
    if data.draw(st.booleans()):
        first, second = (
            SetConstraint(set_.owners, [0] * problem.players, [set_.size] * problem.players)
            for set_ in (first, second)
        )
    problem = DealProblem(problem.hands, [*others, first, second])
    merged = SetConstraint(
        first.owners + second.owners,
        [a + b for a, b in zip(first.low, second.low, strict=True)],
        [
            min(a, first.size) + min(b, second.size)
            for a, b in zip(first.high, second.high, strict=True)
        ],
    )
    together = DealProblem(problem.hands, [*others, merged])
    before, after = count_deals(problem), count_deals(together)
    assert before <= after
    assert bool(solve(together)) == bool(after)
    players = range(problem.players)
    free = not any(merged.low) and all(
        set_.bound_is_loose(player) for set_ in (first, second) for player in players
    )
    assert before == after or not free
    owner = data.draw(st.integers(0, problem.players - 1))
    hands = [hand + 2 * (player == owner) for player, hand in enumerate(problem.hands)]
    known = SetConstraint([1 << owner] * 2, [0] * len(hands), [2] * len(hands))
    assert count_deals(DealProblem(hands, [known, *problem.sets])) == before


def certificates(data: st.DataObject, problem: DealProblem) -> list[Certificate]:
    """Return all certificates about a player, right or wrong, and some shortages."""
    mask = st.integers(-1, (1 << problem.players) + 1)
    players, sets = range(-1, problem.players + 1), len(problem.sets)
    witnesses = st.lists(mask, min_size=sets, max_size=sets + 1).map(tuple)
    return [
        TooManyCards(),
        *map(CrowdedHand, players),
        *starmap(CrossedBounds, product(players, range(-1, sets + 1))),
        *(Shortage(data.draw(mask), data.draw(witnesses)) for _ in range(3)),
    ]


Owners = tuple[tuple[int, ...], ...]


def changed_once(owner: Owners, players: int) -> Iterator[Owners]:
    """Yield a deal with another owner of one card, perhaps nobody, or a card or set too many."""
    yield from ((*owner, ()), (*owner, (0,)))
    for index, row in enumerate(owner):
        rows = [(*row[:card], other, *row[card + 1 :])
                for card in range(len(row)) for other in range(-1, players + 1)]  # fmt: skip
        for changed in ((*row, 0), row[1:], *rows):
            yield (*owner[:index], changed, *owner[index + 1 :])


@given(deal_problems(max_players=3, max_sets=2), st.data())
@settings(max_examples=thorough(60, 500))
def test_there_is_a_deal_or_a_shortage_and_never_both(
    problem: DealProblem, data: st.DataObject
) -> None:
    """Neither verifies by chance: arbitrary evidence verifies only if it is right."""
    all_deals = [deal.owner for deal in deals(problem)]
    for certificate in certificates(data, problem):
        assert not (verify(problem, Infeasible(certificate)) and all_deals)
    assert not verify(problem, Infeasible())
    start = data.draw(st.sampled_from([*all_deals, tuple((0,) * s.size for s in problem.sets)]))
    for owner in (start, *changed_once(start, problem.players)):
        assert verify(problem, Feasible(Deal(owner))) == (owner in all_deals)
        assert (not deal_faults(problem, owner)) == (owner in all_deals)
    verdict = certify(problem, solve(problem))
    assert bool(verdict) == bool(all_deals)
    assert verify(problem, verdict)
    assert isinstance(verdict, Feasible) or verdict.shortage is not None


@given(feasible_problems(max_players=3, max_sets=2), st.data())
@settings(max_examples=thorough(40, 400))
def test_deals_with_a_known_hand_are_those_with_this_hand(
    problem: DealProblem, data: st.DataObject
) -> None:
    def hand(deal: Deal) -> list[int]:
        return [
            sum(1 << card for card, owner in enumerate(row) if owner == player)
            for row in deal.owner
        ]

    player = data.draw(st.integers(0, problem.players - 1))
    all_deals = [*deals(problem)]
    seen = hand(data.draw(st.sampled_from(all_deals)))
    with_this_hand = [deal for deal in all_deals if hand(deal) == seen]
    assert [*deals(problem.with_hand(player, seen))] == with_this_hand
