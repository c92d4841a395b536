"""Explanations, compared with all deals: what some moves state if the others are open."""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from random import Random

import pytest

from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings
from quaternity.game.transition import after_claim, after_statement
from quaternity.insight.explanation import Explanation, explain, problem_of_moves
from solvers import Infeasible, solve, verify
from tests.game.test_knowledge import play_randomly
from tests.game.worlds import World, Worlds

SMALL = [Settings(2, 3, 3), Settings(3, 2, 3), Settings(2, 4, 4), Settings(2, 2, 2)]


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


def is_allowed(game: Game, moves: set[int], question: Question, answer: Answer | None) -> bool:
    """Return whether the statements of some moves allow a question, or an answer to it."""
    problem = problem_of_moves(game, moves)
    asker, asked, (index, number) = question
    row = problem.sets[index]
    changed = (
        after_statement(row, asker, number)
        if answer is None
        else after_claim(row, asker, asked, number, answer)
    )
    return bool(solve(problem.with_set(index, changed)))


Case = tuple[Game, Question, Answer | None, Explanation | None]


def cases(seed: str) -> Iterator[Case]:
    """Yield questions and answers in random small games, some with completed sets or explained."""
    random = Random(seed)
    while True:
        settings = random.choice(SMALL)
        game = play_randomly(settings, random, random.randrange(1, 14))
        open_sets = [i for i, done in enumerate(game.state.completed) if done is None]
        if open_sets:
            asker, asked = random.sample(range(settings.players), 2)
            card = Card(random.choice(open_sets), random.randrange(settings.set_size))
            question, answer = Question(asker, asked, card), random.choice([None, *Answer])
            yield game, question, answer, explain(game, question, answer)


def check(case: Case) -> None:
    """Check an explanation, or that a case without one needs none."""
    game, question, answer, explanation = case
    worlds = places_after(game, range(len(game.moves)))
    assert (explanation is None) == some_fits(game, worlds, question, answer)
    if explanation is None:
        return
    moves = set(explanation.moves)
    assert verify(explanation.problem, Infeasible(explanation.shortage))
    # Whatever became of the others, these moves forbid it; with one fewer, they do not.
    assert not some_fits(game, places_after(game, moves), question, answer)
    assert not is_allowed(game, moves, question, answer)
    assert all(is_allowed(game, moves - {move}, question, answer) for move in moves)
    at_the_start = some_fits(game, set(Worlds.start(game.settings).possible), question, answer)
    assert bool(moves) == at_the_start


@pytest.mark.parametrize("seed", range(2))
def test_explanations_hold_whatever_became_of_the_other_moves(seed: int) -> None:
    for case in islice(cases(f"explained/{seed}"), 25):
        check(case)


@pytest.mark.slow
def test_many_explanations() -> None:
    kinds = set()
    for case in islice(cases("many"), 2000):
        check(case)
        if case[3] is not None:
            kinds.add((any(case[0].state.points), len(case[3].moves)))
    assert kinds >= {(False, 1), (False, 2), (True, 1), (True, 2), (True, 3)}
    assert any(count == 0 for _, count in kinds)


def test_the_sentence_counts_the_hands_that_the_listed_moves_leave() -> None:
    """Unlisted receipts count only for a crowded hand, unlisted gifts only for any other hand."""
    pattern = re.compile(
        r"players? ([\d, and]+) (?:must hold|holds) (?:at (?:least|most) )?(\d+) cards?"
        r"(?: \((\d+) at the start(?:, (?:at most )?(\d+) received)?"
        r"(?:, (?:at most )?(\d+) given away)?\))?, but (can|must)"
    )
    seen = 0
    for game, _, _, explanation in islice(cases("sentences"), 120):
        match = None if explanation is None else pattern.search(explanation.proof)
        if explanation is None or match is None:
            continue
        players = {int(word) for word in re.findall(r"\d+", match[1])}
        received = given_away = 0
        for index, ((asker, asked, _), answer) in enumerate(game.moves):
            if answer and asker in players and asked not in players:
                received += match[6] == "must" or index in explanation.moves
            elif answer and asked in players and asker not in players:
                given_away += match[6] == "can" or index in explanation.moves
        start = game.settings.hand * len(players)
        assert int(match[2]) == start + received - given_away
        if match[3] is not None:
            numbers = (int(match[3]), int(match[4] or 0), int(match[5] or 0))
            assert numbers == (start, received, given_away)
            seen += 1
    assert seen > 2


def play(settings: Settings, *moves: str) -> Game:
    game = Game.start(settings)
    for text in moves:
        game = game.play(Move.parse(text))
    return game


def test_moves_that_changed_the_hands_are_named() -> None:
    """Player 2 has one card left, which is not of a set that player 0 has asked for twice."""
    game = play(Settings(2, 3, 3), "0 asks 2 for 1/1: yes", "0 asks 1 for 2/1: yes")
    explanation = explain(game, Question(1, 2, Card(0, 0)), Answer.NO)
    assert explanation is not None
    assert explanation.moves == (0, 1)
    assert explanation.reason == (
        "player 2 must have 0/0: otherwise player 2 must hold 1 card (2 at the start, 1 given "
        "away), but can have none of set 0 (player 1 keeps at least 1), none of sets 1 and 2 "
        "(player 0 keeps at least 2): none in all"
    )


def test_a_number_of_cards_that_may_be_smaller_is_stated_as_at_most() -> None:
    game = play(
        Settings(3, 4, 3), "0 asks 2 for 2/0: yes", "0 asks 1 for 0/2: no", "1 asks 0 for 2/1: yes",
        "1 asks 0 for 2/0: yes", "1 asks 0 for 1/1: yes", "1 asks 0 for 3/0: yes",
    )  # fmt: skip
    explanation = explain(game, Question(0, 1, Card(3, 0)), Answer.YES)
    assert explanation is not None
    assert explanation.moves == (1, 2, 3, 4, 5)
    assert explanation.reason == (
        "player 1 cannot have 3/0: otherwise player 0 holds at most 1 card (4 at the start, at "
        "most 1 received, 4 given away), but must hold at least 1 each of sets 0 and 3: 2 in all"
    )


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
