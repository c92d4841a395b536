"""Laws of every state on the path of a game, and of damaged states."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from itertools import combinations, islice, product

import pytest
from hypothesis import assume, find, given, settings
from hypothesis import strategies as st

from quaternity import Answer, Card, Game, Question, Settings, State
from quaternity.game.settings import TieBreak
from quaternity.game.state_file import parse_state, state_text
from quaternity.game.transition import after_claim, out_of_play, problem_after
from quaternity.trials.strategies import damaged_states, game_settings, games, states
from solvers import SOLVERS, DealProblem, SetConstraint, solvers_for
from solvers.brute_force import deals
from solvers.problem import with_entry
from solvers.strategies import deal_problems, feasible_problems
from tests.agreement import agree
from tests.limits import limited
from tests.sizes import examples, thorough

Answers = tuple[Answer, ...]
Names = tuple[Sequence[int], Sequence[int], Sequence[Sequence[int]]]

any_state = st.one_of(states(), damaged_states())
larger_settings = game_settings(max_players=6, max_set_size=5, max_cards=24)


def legal(state: State) -> dict[Question, Answers]:
    return dict(state.legal_questions.items())


@given(game_settings())
@settings(max_examples=thorough(60, 1200))
def test_settings_stay_within_their_limits(drawn: Settings) -> None:
    assert max(drawn.set_size, drawn.players) <= 4
    assert drawn.sets * drawn.set_size <= 12
    assert drawn.set_size * drawn.sets % drawn.players == 0
    assert drawn.seed == 0 or drawn.tie_break is TieBreak.MIN_SETS


@pytest.mark.parametrize("seed", range(4))
def test_every_seed_is_drawn(seed: int) -> None:
    wanted = TieBreak.MIN_SETS, seed
    smallest = find(game_settings(), lambda drawn: (drawn.tie_break, drawn.seed) == wanted)
    assert (smallest.set_size, smallest.players) == (2, 2), "small settings come first"


@st.composite
def renamings(draw: st.DrawFn, state: State) -> Names:
    """Draw new names of players, an order of sets, and an order of the cards of each set."""
    orders = [
        draw(st.permutations(range(length)))
        for length in (state.players, state.sets, *(set_.size for set_ in state.problem.sets))
    ]
    return orders[0], orders[1], orders[2:]


def rename(state: State, names: Names) -> State:
    players, sets, _ = names
    owners = [state.completed[old] for old in sets]
    return replace(
        state,
        problem=state.problem.relabelled(*names),
        turn=None if state.turn is None else players[state.turn],
        completed=tuple(None if owner is None else players[owner] for owner in owners),
    )


def rename_question(question: Question, names: Names) -> Question:
    players, sets, cards = names
    asker, asked, (set_index, number) = question
    card = Card(sets.index(set_index), cards[set_index].index(number))
    return Question(players[asker], players[asked], card)


@given(st.data(), any_state)
@settings(max_examples=examples(400))
def test_names_and_files_do_not_matter(data: st.DataObject, state: State) -> None:
    assert parse_state(state_text(state)).state == state.settle()
    names = data.draw(renamings(state))
    other = rename(state, names)
    assert bool(other.verdict()) == bool(state.verdict())
    questions = legal(state)
    assert legal(other) == {
        rename_question(question, names): answers for question, answers in questions.items()
    }
    if not questions:
        return
    question = data.draw(st.sampled_from([*questions]))
    answer = data.draw(st.sampled_from(questions[question]))
    # A completed set is empty afterwards, so its cards no longer have an order.
    after = state.after(question, answer)
    left = [
        order if set_.size else () for order, set_ in zip(names[2], after.problem.sets, strict=True)
    ]
    expected = rename(after, (names[0], names[1], left))
    result = other.after(rename_question(question, names), answer)
    assert (result.problem, result.completed) == (expected.problem, expected.completed)
    # The turn follows, too, unless the order of players decides it.
    if after.hands[question.asker] or after.hands[question.asked]:
        assert result.turn == expected.turn


@given(any_state | states(larger_settings, max_moves=40), st.integers(0, 5))
@settings(max_examples=examples(300))
def test_every_solver_finds_the_same_questions(state: State, number: int) -> None:
    """CP-SAT is tried on few states. No answer allows more owners, so no solver refuses later."""
    listed = sorted(state.legal_questions.items())
    for solver in solvers_for(state.problem, SOLVERS.values()):
        if solver.name != "cp-sat" or (number == 0 and len(listed) < 40):
            assert sorted(state.legal_questions_by(solver).items()) == listed, solver.name


def check_without_listing(state: State) -> None:
    """Check the questions and their answers by methods that do not list all questions.

    These methods are faster if nothing depends on the player asked.
    """
    turn, by_set, listed = state.turn or 0, state.cards_to_ask(), legal(copy(state))
    assert (by_set is None) == (state.brisk or state.turn is None or not state.verdict())
    for set_index, set_ in enumerate(state.problem.sets):
        for number, asked in product(range(set_.size), range(state.players)):
            question = Question(turn, asked, Card(set_index, number))
            assert state.legal_questions.answers(question) == listed.get(question, ())
            if by_set is not None and asked != turn and state.hands[asked]:
                askable = bool(by_set[set_index] and by_set[set_index][number])
                assert askable == (question in listed)


long_games = games(larger_settings | st.just(Settings(4, 6, 3)), max_moves=60)


@given(damaged_states().map(lambda state: (state,)) | long_games.map(lambda game: game.states))
@settings(max_examples=thorough(16, 160))
def test_questions_are_the_same_without_listing_them(path: tuple[State, ...]) -> None:
    """Towards the end of a game, it matters which cards the other sets leave."""
    for state in path:
        check_without_listing(state)


@given(games(max_moves=12))
@settings(max_examples=thorough(8, 40))
def test_games_are_the_same_without_tables(game: Game) -> None:
    with limited("quaternity.game.state", MAX_PLAYERS=0):
        plain = State.start(game.settings)
        assert not plain.has_tables
        for move, before, after in zip(game.moves, game.states, game.states[1:], strict=False):
            first = set(islice(plain.legal_questions.first(), 3))
            assert legal(plain) == legal(before)
            assert len(first) == min(3, len(legal(before)))
            assert first <= set(legal(before))
            plain = plain.after(move.question, move.answer)
            assert plain == after


@given(games(game_settings(max_players=3, max_set_size=3, max_cards=6), max_moves=8))
@settings(max_examples=examples(200))
def test_a_position_is_turn_completed_sets_and_deals(game: Game) -> None:
    """Equal positions may state their bounds differently."""
    reached = [*game.states]
    if game.legal_moves:
        reached += [game.state.after(*move) for move in game.legal_moves[:3]]
    reached += [replace(state, problem=state.filtered_problem()) for state in reached[-3:]]
    listed = {id(state): frozenset(deals(state.problem)) for state in reached}

    def by_deals(state: State, other: State) -> bool:
        return (state.turn, state.completed, listed[id(state)]) == (
            other.turn, other.completed, listed[id(other)]
        )  # fmt: skip

    for state, other in combinations(reached, 2):
        agree({"closed": State.same_position, "deals": by_deals}, state, other)


@given(deal_problems(max_sets=2), st.data())
@settings(max_examples=thorough(100, 1000))
def test_deals_after_an_answer_are_those_that_fit_it(
    problem: DealProblem, data: st.DataObject
) -> None:
    """This includes states with maximums, which no game has."""
    assume(problem.players > 1 and problem.cards)
    index = data.draw(st.sampled_from([i for i, set_ in enumerate(problem.sets) if set_.size]))
    card = data.draw(st.integers(0, problem.sets[index].size - 1))
    owners = [p for p in problem.may_own(index, card) if problem.hands[p]]
    asked = data.draw(st.sampled_from(owners or range(problem.players)))
    assume(problem.hands[asked])
    asker = data.draw(st.sampled_from([p for p in range(problem.players) if p != asked]))
    masks, low, high = problem.sets[index]
    most = data.draw(st.integers(1, len(masks)))
    problem = problem.with_set(index, SetConstraint(masks, low, with_entry(high, asked, most)))
    for answer in Answer:
        fitting = [
            deal.owner
            for deal in deals(problem)
            if deal.owner[index][card] != asker
            and asker in deal.owner[index]
            and (deal.owner[index][card] == asked) == bool(answer)
        ]
        claim = after_claim(problem.sets[index], asker, asked, card, answer)
        assert [deal.owner for deal in deals(problem.with_set(index, claim))] == fitting
        after = problem_after(problem, asker, asked, index, card, answer)
        moved = {
            tuple(
                tuple(asker if (i, c) == (index, card) else owner for c, owner in enumerate(row))
                for i, row in enumerate(deal)
            )
            for deal in fitting
        }
        assert {deal.owner for deal in deals(after)} == (moved if answer else {*fitting})


@pytest.mark.parametrize("most_bytes", [-1, 1 << 24])
@given(problem=feasible_problems(max_players=3, max_sets=2, same_size=True), turn=st.integers(0, 2))
@settings(max_examples=thorough(30, 300))
def test_answers_of_any_problem_are_those_of_brute_force(
    most_bytes: int, problem: DealProblem, turn: int
) -> None:
    """Whether answers are prepared for all questions, or every answer is tried by itself."""
    assume(problem.players > 1 and problem.sets[0].size > 1)
    turn, size = turn % problem.players, problem.sets[0].size
    problem = DealProblem(problem.hands, (out_of_play(problem.players), *problem.sets))
    with limited("quaternity.game.legal", MAX_ASKER_BYTES=most_bytes):
        state = State(problem, turn, (1, *[None] * (len(problem.sets) - 1)), size)
        expected = dict(state.legal_questions_by(SOLVERS["brute-force"]).items())
        for asked, index, card in product(range(state.players), range(state.sets), range(size)):
            question = Question(turn, asked, Card(index, card))
            assert state.legal_questions.answers(question) == expected.get(question, ())
        assert legal(state) == expected


@pytest.mark.parametrize("most_players", [2, 12])
@given(st.data(), states())
@settings(max_examples=examples(300))
def test_the_rules_complete_the_state_of_a_file(
    most_players: int, data: st.DataObject, state: State
) -> None:
    """Files may have complete sets in play, by owners or by a minimum, and a turn without cards."""
    with limited("quaternity.game.state", MAX_PLAYERS=most_players):
        assert parse_state(state_text(state)) == (state, [])
        hands, sets, completed = list(state.hands), list(state.problem.sets), list(state.completed)
        for index, owner in enumerate(state.completed):
            if owner is not None and data.draw(st.booleans()):
                full = data.draw(st.sampled_from([1 << owner, (1 << state.players) - 1]))
                low = [state.set_size * (player == owner) for player in range(state.players)]
                high = [state.set_size] * state.players
                sets[index] = SetConstraint([full] * state.set_size, low, high)
                hands[owner] += state.set_size
                completed[index] = None
        empty = [player for player, hand in enumerate(state.hands) if not hand]
        turn = data.draw(st.sampled_from([state.turn, *empty]))
        written = replace(
            state, problem=DealProblem(hands, sets), completed=tuple(completed), turn=turn
        )
        loaded = parse_state(state_text(written))
        assert loaded.state.completed == state.completed
        assert loaded.state.problem == state.problem
        if turn == state.turn or state.is_over:
            assert loaded.state.turn == turn
        else:
            assert loaded.state.turn is not None
            assert state.hands[loaded.state.turn]
        passed = loaded.state.turn != turn
        assert len(loaded.warnings) == completed.count(None) - state.completed.count(None) + passed
