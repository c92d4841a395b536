"""Explanations, compared with all deals: what some moves state if the others are open."""

import re
from collections.abc import Collection
from dataclasses import replace

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.transition import after_claim, after_statement
from quaternity.insight.explanation import Explanation, explain, problem_of_moves
from quaternity.trials.strategies import game_settings, games
from solvers import DealProblem, Infeasible, count_deals, solve, verify
from tests.game.worlds import World, Worlds
from tests.sizes import thorough


def places_after(game: Game, chosen: Collection[int]) -> set[World]:
    """Return the possible worlds if the chosen moves were made, and the others perhaps."""
    start = Worlds.start(game.settings)
    worlds = set(start.possible)
    for index, ((asker, asked, card), answer) in enumerate(game.moves):
        place, after = start.place(card), set()
        for world in worlds:
            moved = (*world[:place], asker, *world[place + 1 :])
            has = world[place] == asked
            if index not in chosen:
                after |= {world, moved} if answer and has else {world}
            elif (
                world[place] != asker
                and asker in start.cards_of(world, card.set_index)
                and has == bool(answer)
            ):
                after.add(moved if answer else world)
        worlds = after
    return worlds


def some_fits(game: Game, worlds: set[World], question: Question, answer: Answer | None) -> bool:
    """Return whether the question, or the answer to it, can be true in one of the worlds."""
    asker, asked, card = question
    start = Worlds(game.settings, frozenset(worlds))
    return any(
        world[start.place(card)] != asker
        and asker in start.cards_of(world, card.set_index)
        and (answer is None or (world[start.place(card)] == asked) == bool(answer))
        for world in worlds
    )


def claim(problem: DealProblem, question: Question, answer: Answer | None) -> DealProblem:
    """Return the problem after a question, or its answer, before a card is handed over."""
    asker, asked, (index, number) = question
    row = problem.sets[index]
    changed = (
        after_statement(row, asker, number)
        if answer is None
        else after_claim(row, asker, asked, number, answer)
    )
    return problem.with_set(index, changed)


SMALL = game_settings(max_set_size=3, max_players=3, max_cards=8).map(
    lambda size: replace(size, tie_break=TieBreak.FIRST_IN_ORDER, seed=0)
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Game, Question, Answer | None]:
    """Draw a game, and a question or an answer to it, which may be impossible."""
    game = draw(games(SMALL, max_moves=13))
    open_sets = [i for i, done in enumerate(game.state.completed) if done is None]
    assume(open_sets)
    asker, asked, *_ = draw(st.permutations(range(game.settings.players)))
    number = draw(st.integers(0, game.settings.set_size - 1))
    question = Question(asker, asked, Card(draw(st.sampled_from(open_sets)), number))
    return game, question, draw(st.sampled_from([None, *Answer]))


GIFTS = Game.start(Settings(2, 3, 3)).play("0 asks 2 for 1/1: yes").play("0 asks 1 for 2/1: yes")


@given(cases())
@example((GIFTS, Question(1, 2, Card(0, 0)), Answer.NO))
@settings(max_examples=thorough(40, 500))
def test_an_explanation_holds_whatever_became_of_the_other_moves(
    case: tuple[Game, Question, Answer | None],
) -> None:
    game, question, answer = case

    def is_allowed(moves: Collection[int]) -> bool:
        return bool(solve(claim(problem_of_moves(game, moves), question, answer)))

    moves = range(len(game.moves))
    assert count_deals(problem_of_moves(game, moves)) == count_deals(game.state.problem)
    explanation = explain(game, question, answer)
    worlds = places_after(game, moves)
    assert (explanation is None) == some_fits(game, worlds, question, answer)
    if explanation is None:
        return
    chosen = set(explanation.moves)
    assert verify(explanation.problem, Infeasible(explanation.shortage))
    # Whatever became of the others, these moves forbid it; with one fewer, they do not.
    assert not some_fits(game, places_after(game, chosen), question, answer)
    assert not is_allowed(chosen)
    assert all(is_allowed(chosen - {move}) for move in chosen)
    at_the_start = some_fits(game, set(Worlds.start(game.settings).possible), question, answer)
    assert bool(chosen) == at_the_start
    lists = []
    for order in (moves, moves[::-1]):
        needed = set(moves)
        for move in order:
            if not is_allowed(needed - {move}):
                needed.remove(move)
        lists.append(tuple(sorted(needed)))
    assert len(explanation.moves) <= min(map(len, lists))
    check_numbers(game, explanation)


NUMBERS = re.compile(
    r"players? ([\d, and]+) (?:must hold|holds) (?:at (?:least|most) )?(\d+) cards?"
    r"(?: \((\d+) at the start(?:, (?:at most )?(\d+) received)?"
    r"(?:, (?:at most )?(\d+) given away)?\))?, but (can|must)"
)


def check_numbers(game: Game, explanation: Explanation) -> None:
    """Check the hands in the sentence, which the listed moves leave.

    Unlisted receipts count only for a crowded hand, unlisted gifts only for any other hand.
    """
    match = NUMBERS.search(explanation.proof)
    if match is None:
        return
    players = {int(word) for word in re.findall(r"\d+", match[1])}
    receipts, gifts = (
        [index in explanation.moves for index, ((asker, asked, _), answer) in enumerate(game.moves)
         if answer and (asker in players, asked in players) == kind]
        for kind in ((True, False), (False, True))
    )  # fmt: skip
    is_crowded = match[6] == "must"
    received = len(receipts) if is_crowded else sum(receipts)
    given_away = sum(gifts) if is_crowded else len(gifts)
    start = game.settings.hand * len(players)
    assert int(match[2]) == start + received - given_away
    assert (f"at most {received} received" in match[0]) == (is_crowded and not all(receipts))
    assert (f"at most {given_away} given" in match[0]) == (not is_crowded and not all(gifts))
    numbers = tuple(int(part or 0) for part in match.groups()[2:5])
    assert numbers == ((start, received, given_away) if received or given_away else (0, 0, 0))


@given(games(game_settings(max_cards=24), max_moves=30), st.data())
@settings(max_examples=thorough(20, 200))
def test_fewer_moves_never_state_more(game: Game, data: st.DataObject) -> None:
    """Minimal lists rely on this: more moves leave fewer places for cards and receipts."""
    moves = st.sets(st.integers(0, max(0, len(game.moves) - 1)), max_size=len(game.moves))
    chosen = data.draw(moves)
    known = problem_of_moves(game, chosen)
    weaker = problem_of_moves(game, chosen - data.draw(moves))
    assert known.hands == weaker.hands
    for set_, looser in zip(known.sets, weaker.sets, strict=True):
        assert all(a & b == a for a, b in zip(set_.owners, looser.owners, strict=True))
        assert all(a >= b for a, b in zip(set_.low, looser.low, strict=True))


def test_a_crowded_hand_may_have_received_more() -> None:
    """The explanation reads only the moves, so they need not form a game."""
    start = Game.start(Settings(3, 6, 6))
    texts = ["0 asks 1 for 0/0: yes", "1 asks 0 for 0/0: yes"]
    texts += [f"0 asks 2 for {index}/0: no" for index in range(1, 5)]
    game = Game(start.settings, tuple(map(Move.parse, texts)), start.states * 7)
    explanation = explain(game, Question(0, 1, Card(5, 0)))
    assert explanation is not None
    assert explanation.moves == (2, 3, 4, 5)
    assert explanation.proof == (
        "player 0 holds at most 4 cards (3 at the start, at most 1 received), but must hold "
        "at least 1 each of sets 1, 2, 3, 4 and 5: 5 in all"
    )


def test_long_games_in_circles_are_explained_by_a_few_moves() -> None:
    game = Game.start(Settings(4, 3, 3))
    first, second = Move.parse("0 asks 1 for 0/0: no"), Move.parse("1 asks 0 for 0/0: no")
    states = [game.state, game.play(first).state, game.play(first).play(second).state]
    rounds = 1_000
    game = Game(
        game.settings,
        (first, second) * rounds,
        (states[0], states[1], *(states[2], states[1]) * (rounds - 1), states[2]),
    )
    assert game.repeats() == 2
    explanation = explain(game, Question(0, 1, Card(0, 0)), Answer.YES)
    assert explanation is not None
    assert len(explanation.moves) == 1
