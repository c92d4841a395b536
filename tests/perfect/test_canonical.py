"""Canonical states: keys are equal if and only if the futures are equal up to names."""

from collections import defaultdict
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.game.transition import out_of_play
from quaternity.insight.perft import perft
from quaternity.perfect.keys.canonical import Rules, canonical, coding
from quaternity.perfect.successors.one_state import canonical_after, choices
from quaternity.trials.strategies import game_settings, states
from solvers.problem import DealProblem, SetConstraint
from tests.perfect.plain_solver import Game, PlainSolution, Position
from tests.perfect.positions import (
    all_keys,
    from_hands,
    relabel,
    smallest_form,
    state_of,
    with_rule,
)
from tests.sizes import examples, thorough

SYMMETRIC = game_settings().filter(
    lambda settings: settings.players <= 3 or settings.tie_break is TieBreak.MIN_SETS
)


@settings(deadline=None)
@given(states(SYMMETRIC), st.randoms(use_true_random=False))
def test_names_do_not_matter(state: State, random: Random) -> None:
    other, names = relabel(state, random)
    first, second = canonical(state), canonical(other)
    assert first.key == second.key
    # Roles lead back to real players: hands and points agree role by role.
    for role, (player, name) in enumerate(zip(first.roles, second.roles, strict=True)):
        assert state.hands[player] == other.hands[name], role
        assert state.points[player] == other.points[name], role
    if not state.is_over:
        assert first.roles[0] == state.turn
        assert second.roles[0] == names[first.roles[0]]


@settings(deadline=None)
@given(states(game_settings().map(lambda s: replace(s, tie_break=TieBreak.FIRST_IN_ORDER))))
def test_names_of_cards_and_sets_never_matter(state: State) -> None:
    other, _ = relabel(state, Random(5), players=False)
    assert canonical(state).key == canonical(other).key


@settings(deadline=None)
@given(states())
def test_a_key_is_the_key_of_its_own_state(state: State) -> None:
    key = canonical(state).key
    code = coding(Rules.of(state))
    assert canonical(code.state(key)).key == key
    assert code.key(code.parts(key)) == key


@settings(max_examples=examples(60))
@given(states(game_settings(max_cards=9), max_moves=12))
def test_equal_keys_have_equal_futures(state: State) -> None:
    own = coding(Rules.of(state)).state(canonical(state).key)
    for depth in (1, 2):
        assert perft(state, depth) == perft(own, depth)

    def outcomes(now: State) -> dict[tuple[object, ...], int]:
        code, counts = coding(Rules.of(now)), defaultdict[tuple[object, ...], int](int)
        roles = canonical(now).roles
        for question, answers in now.legal_questions.items():
            after = []
            for answer in answers:
                result = canonical_after(code, now, question, answer)
                after.append((int(answer), result.key))
            asked = now.hands[question.asked], now.points[question.asked]
            counts[(asked, *after)] += 1
        assert now.is_over or roles[0] == now.turn
        return counts

    assert outcomes(state) == outcomes(own)


@pytest.fixture(
    scope="module",
    params=[
        (2, 2, 2),
        (3, 2, 2),
        (2, 3, 3),
        (2, 3, 3, True),
        *thorough([], [(3, 2, 3), (3, 2, 3, True)]),
    ],
    ids=str,
)
def plain(request: pytest.FixtureRequest) -> PlainSolution:
    """Return all positions of a small game, as explicit sets of deals."""
    return PlainSolution(Game(*request.param))


def test_keys_are_equal_only_if_the_deals_are_equal_up_to_names(plain: PlainSolution) -> None:
    game = plain.game
    classes: dict[bytes, list[Position]] = defaultdict(list)
    for position in plain.moves:
        classes[canonical(state_of(game, position)).key].append(position)
    forms = {key: smallest_form(game, members[0]) for key, members in classes.items()}
    assert len(set(map(repr, forms.values()))) == len(classes)
    random = Random(2)
    for key, members in classes.items():
        for position in random.sample(members, min(3, len(members))):
            assert smallest_form(game, position) == forms[key]


def test_the_state_determines_the_same_moves_as_the_deals(plain: PlainSolution) -> None:
    game = plain.game
    for position in Random(3).sample(list(plain.moves), min(100, len(plain.moves))):
        state = state_of(game, position)
        legal = {
            (question.asked, question.card.set_index * game.set_size + question.card.number): {
                bool(answer) for answer in answers
            }
            for question, answers in state.legal_questions.items()
        }
        assert legal == {asking: set(answers) for asking, answers in plain.moves[position].items()}
        for question, answers in state.legal_questions.items():
            asking = question.asked, question.card.set_index * game.set_size + question.card.number
            for answer in answers:
                after = state_of(game, plain.moves[position][asking][bool(answer)])
                assert canonical(after).key == canonical(state.after(question, answer)).key


def test_with_three_players_the_tie_break_never_matters() -> None:
    for sizes in ((2, 3, 3), (3, 2, 3), (2, 6, 3), *thorough([], [(3, 3, 3)])):
        start = State.start(Settings(*sizes))
        code = coding(Rules.of(start))
        for key in all_keys(code, canonical(start).key):
            state = code.state(key)
            other = with_rule(state, TieBreak.MIN_SETS)
            assert canonical(other).key == key
            for question, answers in state.legal_questions.items():
                for answer in answers:
                    assert state.after(question, answer).turn == other.after(question, answer).turn


def nearly_bare(first: int, second: int) -> State:
    """Return a state of four players: two hold a card each of one set; the first is to move.

    The first has completed a set; the other two players hold two cards each of the last two sets.
    """
    rest = [player for player in range(4) if player not in (first, second)]
    pairs = [(first, second), rest, rest]
    sets = [SetConstraint.of([pair, pair], players=4) for pair in pairs]
    hands = [1 if player in (first, second) else 2 for player in range(4)]
    completed = (first, None, None, None)
    return State(DealProblem(hands, [out_of_play(4), *sets]), first, completed, 2)


def test_with_four_players_the_order_can_matter() -> None:
    # Player 0 gets the last card of player 1; then both have none, and the first other player asks.
    state = nearly_bare(0, 1)
    question = Question(0, 1, Card(1, 0))
    after = state.after(question, Answer.YES)
    assert after.hands == (0, 0, 2, 2)
    assert after.turn == 2
    # The same up to names, but the other players come in another order.
    swapped = nearly_bare(1, 2)
    assert swapped.after(Question(1, 2, question.card), Answer.YES).turn == 0
    assert canonical(state).key != canonical(swapped).key
    # Under the other rule chance decides between the two, and the order does not matter.
    symmetric = [with_rule(state, TieBreak.MIN_SETS) for state in (state, swapped)]
    assert canonical(symmetric[0]).key == canonical(symmetric[1]).key
    code = coding(Rules.of(symmetric[0]))
    [chance] = {
        reply.key
        for choice in choices(code, canonical(symmetric[0]).key)
        for reply in choice.replies
        if code.parts(reply.key).place == 4
    }
    assert [choice.asked for choice in choices(code, chance)] == [4, 4]
    with pytest.raises(InputError, match="chance chooses"):
        code.state(chance)


def test_a_player_without_cards_has_no_place_in_the_order() -> None:
    """Players 0 to 3 of six hold cards, and either 4 or 5 has a set."""
    pairs = [SetConstraint.of([[0, 1, 2, 3]] * 2, players=6)] * 4
    problem = DealProblem([2, 2, 2, 2, 0, 0], [out_of_play(6), *pairs])
    first, second = (State(problem, 1, (owner, *[None] * 4), 2) for owner in (4, 5))
    assert canonical(first).key == canonical(second).key
    third = State(problem, 2, (4, *[None] * 4), 2)
    assert canonical(first).key != canonical(third).key


def test_keys_are_compact() -> None:
    for sizes, max_bytes in (((4, 3, 3), 8), ((3, 4, 4), 16), ((4, 4, 4), 16), ((4, 13, 4), 40)):
        key = canonical(State.start(Settings(*sizes))).key
        assert len(key) <= max_bytes


@pytest.mark.parametrize("sizes", [(4, 6), (8, 2), (2, 13), (12, 12)], ids=str)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_hand_may_be_nearly_the_whole_deck(sizes: tuple[int, int], players: int) -> None:
    size, sets = sizes
    for rich in range(players):
        for few in (1, 2):
            hands = [few] * players
            hands[rich] = size * sets - few * (players - 1)
            state = from_hands(size, sets, tuple(hands))
            key, roles = canonical(state)
            own = coding(Rules.of(state)).state(key)
            assert [own.hands[roles.index(player)] for player in range(players)] == hands
            assert canonical(own).key == key


def test_damaged_and_unfinished_states_are_refused() -> None:
    state = State.start(Settings(2, 3, 3))
    limited = state.problem.with_set(0, SetConstraint.of([[0, 1, 2]] * 2, 3, high=[1, 2, 2]))
    with pytest.raises(InputError, match="upper bounds"):
        canonical(State(limited, 0, state.completed, 2))
    nobody = state.problem.with_set(0, SetConstraint((0, 0), (0,) * 3, (2,) * 3))
    with pytest.raises(InputError, match="impossible"):
        canonical(State(nobody, 0, state.completed, 2))
    with pytest.raises(InputError, match="turn"):
        canonical(State(state.problem, None, state.completed, 2))
    with pytest.raises(InputError, match="bytes"):
        coding(Rules.of(state)).parts(b"short")
    with pytest.raises(InputError, match="not a key"):
        coding(Rules.of(state)).parts(b"\xff" * 8)


@pytest.mark.parametrize(("turn", "owners"), [(0, [1, 1]), (1, [7, 7])])
def test_a_state_that_is_not_settled_is_refused(turn: int, owners: list[int]) -> None:
    sets = [SetConstraint(owners, [0] * 3, [2] * 3), SetConstraint([7, 7], [0] * 3, [2] * 3)]
    state = State(DealProblem([3, 0, 1], sets), turn, (None, None), 2)
    with pytest.raises(InputError, match=r"State\.settle\(\)"):
        canonical(state)
    assert canonical(state.settle()).key
