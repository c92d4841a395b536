"""Explanations against all deals: what some moves state when the others were made or not."""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from random import Random

import pytest

from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings
from quaternity.game.transition import asking, claimed
from quaternity.insight.explanation import Explanation, explain, known_from
from solvers import Infeasible, solve, verify
from tests.game.test_knowledge import played
from tests.game.worlds import World, Worlds

SMALL = [Settings(2, 3, 3), Settings(3, 2, 3), Settings(2, 4, 4), Settings(2, 2, 2)]


def places_after(game: Game, chosen: Collection[int]) -> set[World]:
    """Where the cards may lie when the chosen moves were made as told, and any of the others."""
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
    """Whether the question, or the answer to it, can be true in one of the worlds."""
    asker, asked, card = question
    start = Worlds(game.settings, frozenset(worlds))
    return any(
        world[start.place(card)] != asker
        and asker in start.cards_of(world, card.set_index)
        and (answer is None or (world[start.place(card)] == asked) == bool(answer))
        for world in worlds
    )


def allowed(game: Game, moves: set[int], question: Question, answer: Answer | None) -> bool:
    """Whether what some moves state allows a question, or an answer to it."""
    problem = known_from(game, moves)
    asker, asked, (index, number) = question
    one = problem.sets[index]
    changed = (
        asking(one, asker, number) if answer is None else claimed(one, asker, asked, number, answer)
    )
    return bool(solve(problem.with_set(index, changed)))


Case = tuple[Game, Question, Answer | None, Explanation | None]


def cases(seed: str) -> Iterator[Case]:
    """Questions and answers in random small games, completed sets among them, explained or not."""
    random = Random(seed)
    while True:
        settings = random.choice(SMALL)
        game = played(settings, random, random.randrange(1, 14))
        open_sets = [i for i, done in enumerate(game.state.completed) if done is None]
        if open_sets:
            asker, asked = random.sample(range(settings.players), 2)
            card = Card(random.choice(open_sets), random.randrange(settings.set_size))
            question, answer = Question(asker, asked, card), random.choice([None, *Answer])
            yield game, question, answer, explain(game, question, answer)


def check(case: Case) -> None:
    """Everything that an explanation, and none, promises."""
    game, question, answer, explanation = case
    worlds = places_after(game, range(len(game.moves)))
    assert (explanation is None) == some_fits(game, worlds, question, answer)
    if explanation is None:
        return
    moves = set(explanation.moves)
    assert verify(explanation.problem, Infeasible(explanation.shortage))
    # Whatever became of the others, these moves forbid it; one fewer, and they do not.
    assert not some_fits(game, places_after(game, moves), question, answer)
    assert not allowed(game, moves, question, answer)
    assert all(allowed(game, moves - {move}, question, answer) for move in moves)
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
    """What makes the sum larger counts only when listed: received, or of the crowded given away."""
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
        who = {int(word) for word in re.findall(r"\d+", match[1])}
        received = given = 0
        for index, ((asker, asked, _), answer) in enumerate(game.moves):
            if answer and asker in who and asked not in who:
                received += match[6] == "must" or index in explanation.moves
            elif answer and asked in who and asker not in who:
                given += match[6] == "can" or index in explanation.moves
        start = game.settings.hand * len(who)
        assert int(match[2]) == start + received - given
        if match[3] is not None:
            told = (int(match[3]), int(match[4] or 0), int(match[5] or 0))
            assert told == (start, received, given)
            seen += 1
    assert seen > 2


def after(settings: Settings, *moves: str) -> Game:
    game = Game.start(settings)
    for text in moves:
        game = game.play(Move.parse(text))
    return game


def test_moves_that_changed_the_hands_are_named() -> None:
    """Player 2 has one card left, and it is not of a set that player 0 has asked for twice."""
    game = after(Settings(2, 3, 3), "0 asks 2 for 1/1: yes", "0 asks 1 for 2/1: yes")
    found = explain(game, Question(1, 2, Card(0, 0)), Answer.NO)
    assert found is not None
    assert found.moves == (0, 1)
    assert found.reason == (
        "player 2 must have 0/0: otherwise player 2 must hold 1 card (2 at the start, 1 given "
        "away), but can have none of set 0 (player 1 keeps at least 1), none of sets 1 and 2 "
        "(player 0 keeps at least 2): none in all"
    )


def test_what_is_not_known_to_have_been_given_or_received_is_an_at_most() -> None:
    game = after(
        Settings(3, 4, 3), "0 asks 2 for 2/0: yes", "0 asks 1 for 0/2: no", "1 asks 0 for 2/1: yes",
        "1 asks 0 for 2/0: yes", "1 asks 0 for 1/1: yes", "1 asks 0 for 3/0: yes",
    )  # fmt: skip
    found = explain(game, Question(0, 1, Card(3, 0)), Answer.YES)
    assert found is not None
    assert found.moves == (1, 2, 3, 4, 5)
    assert found.reason == (
        "player 1 cannot have 3/0: otherwise player 0 holds at most 1 card (4 at the start, at "
        "most 1 received, 4 given away), but must hold at least 1 each of sets 0 and 3: 2 in all"
    )


def test_a_crowded_hand_may_have_received_more() -> None:
    """Only the moves are looked at, so they need not make a game."""
    start = Game.start(Settings(3, 6, 6))
    texts = ["0 asks 1 for 0/0: yes", "1 asks 0 for 0/0: yes"]
    texts += [f"0 asks 2 for {index}/0: no" for index in range(1, 5)]
    game = Game(start.settings, tuple(map(Move.parse, texts)), start.states * 7)
    found = explain(game, Question(0, 1, Card(5, 0)))
    assert found is not None
    assert found.moves == (2, 3, 4, 5)
    assert found.proof == (
        "player 0 holds at most 4 cards (3 at the start, at most 1 received), but must hold "
        "at least 1 each of sets 1, 2, 3, 4 and 5: 5 in all"
    )
