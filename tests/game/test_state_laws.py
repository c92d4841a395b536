"""Laws of states: names do not matter, nor does the solver."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from itertools import islice, product
from random import Random

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from quaternity import Answer, Card, Game, Question, Settings, State
from quaternity.game.settings import TieBreak
from quaternity.game.state_file import parse_state, state_text
from quaternity.trials.strategies import damaged_states, game_settings, games, states
from solvers import SOLVERS, DealProblem, SetConstraint, Solver, solvers_for
from tests.agreement import agree
from tests.limits import limited
from tests.sizes import examples, thorough

Answers = tuple[Answer, ...]
Names = tuple[Sequence[int], Sequence[int], Sequence[Sequence[int]]]

any_state = st.one_of(states(), damaged_states())
larger_states = states(game_settings(max_players=6, max_set_size=5, max_cards=24), max_moves=40)


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
    return State(
        state.problem.relabelled(*names),
        None if state.turn is None else players[state.turn],
        tuple(None if owner is None else players[owner] for owner in owners),
        state.set_size,
        state.tie_break,
        state.seed,
        state.brisk,
    )


def rename_question(question: Question, names: Names) -> Question:
    players, sets, cards = names
    asker, asked, (set_index, number) = question
    card = Card(sets.index(set_index), cards[set_index].index(number))
    return Question(players[asker], players[asked], card)


def legal(state: State) -> dict[Question, Answers]:
    return dict(state.legal_questions.items())


@given(game_settings())
@settings(max_examples=examples(150))
def test_drawn_settings_have_a_seed_only_if_it_matters(drawn: Settings) -> None:
    assert drawn.seed == 0 or drawn.tie_break is TieBreak.MIN_SETS
    assert drawn.set_size * drawn.sets % drawn.players == 0


@pytest.mark.parametrize("seed", range(4))
def test_every_seed_is_drawn(seed: int) -> None:
    wanted = TieBreak.MIN_SETS, seed
    smallest = find(game_settings(), lambda drawn: (drawn.tie_break, drawn.seed) == wanted)
    assert (smallest.set_size, smallest.players) == (2, 2), "small settings come first"


@given(st.data(), any_state)
@settings(max_examples=examples(150))
def test_names_do_not_matter(data: st.DataObject, state: State) -> None:
    names = data.draw(renamings(state))
    other = rename(state, names)
    assert bool(other.verdict()) == bool(state.verdict())
    assert legal(other) == {
        rename_question(question, names): answers for question, answers in legal(state).items()
    }


@given(st.data(), states())
@settings(max_examples=examples(150))
def test_names_do_not_matter_to_the_next_state(data: st.DataObject, state: State) -> None:
    moves = [(q, answer) for q, answers in state.legal_questions.items() for answer in answers]
    if not moves:
        return
    question, answer = data.draw(st.sampled_from(moves))
    names = data.draw(renamings(state))
    # A completed set is empty afterwards, so its cards no longer have an order.
    after = state.after(question, answer)
    left = [
        order if set_.size else () for order, set_ in zip(names[2], after.problem.sets, strict=True)
    ]
    expected = rename(after, (names[0], names[1], left))
    result = rename(state, names).after(rename_question(question, names), answer)
    assert (result.problem, result.completed) == (expected.problem, expected.completed)
    # The turn follows, too, unless the order of players decides it.
    asker, asked, _ = question
    if after.hands[asker] or after.hands[asked]:
        assert result.turn == expected.turn


def legal_by(solver: Solver, state: State) -> list[tuple[Question, Answers]]:
    return sorted(state.legal_questions_by(solver).items())


@given(st.one_of(any_state, larger_states))
@settings(max_examples=examples(60))
def test_every_solver_finds_the_same_questions(state: State) -> None:
    # No problem after an answer has more owners, so a solver that accepts the state accepts all.
    usable = [row for row in solvers_for(state.problem, SOLVERS.values()) if row.name != "cp-sat"]
    methods = {row.name: (lambda state, row=row: legal_by(row, state)) for row in usable}
    agree({"tables": lambda state: sorted(state.legal_questions.items())} | methods, state)


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


@given(any_state)
@settings(max_examples=examples(60))
def test_questions_are_the_same_without_listing_them(state: State) -> None:
    check_without_listing(state)


@pytest.mark.parametrize("size", [(4, 6, 3), (4, 4, 4)])
def test_questions_are_the_same_without_listing_them_up_to_the_end(
    size: tuple[int, int, int],
) -> None:
    """Towards the end, it matters which cards the other sets leave."""
    random = Random(sum(size))
    for _ in range(thorough(3, 30)):
        state = State.start(Settings(*size))
        while not state.is_over:
            check_without_listing(state)
            question, answers = random.choice([*state.legal_questions.items()])
            state = state.after(question, random.choice(answers))


@given(states(max_moves=8))
@settings(max_examples=examples(10))
def test_cp_sat_finds_the_same_questions(state: State) -> None:
    by_cp_sat = dict(state.legal_questions_by(SOLVERS["cp-sat"]).items())
    assert by_cp_sat == legal(state)


@given(games(max_moves=12))
@settings(max_examples=examples(40))
def test_games_are_the_same_without_tables(game: Game) -> None:
    with limited("quaternity.game.state", MAX_PLAYERS=0):
        plain = State.start(game.settings)
        for move, before, after in zip(game.moves, game.states, game.states[1:], strict=False):
            first = set(islice(plain.legal_questions.first(), 3))
            assert legal(plain) == legal(before)
            assert len(first) == min(3, len(legal(before)))
            assert first <= set(legal(before))
            plain = plain.after(move.question, move.answer)
            assert plain == after


@given(any_state)
@settings(max_examples=examples(100))
def test_a_written_state_is_read_back(state: State) -> None:
    assert parse_state(state_text(state)).state == state


@pytest.mark.parametrize("most_players", [2, 12])
@given(st.data(), states())
@settings(max_examples=examples(100))
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
                low = [0] * state.players
                low[owner] = state.set_size
                sets[index] = SetConstraint(
                    [full] * state.set_size, low, [state.set_size] * len(low)
                )
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
