"""Waiting for ever: the theorem played out, the predicate against all states of solved games."""

from pathlib import Path
from random import Random

import pytest

from quaternity.game.question import Answer, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.bots.perfect import PerfectBot
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import coding
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.tablebase import Tablebase, write_tablebase
from quaternity.perfect.waiting import (
    is_pass,
    joined,
    kept_from_winning,
    set_passes,
    waiting,
    who_waits,
)
from tests.perfect.plain_solver import Game, PlainSolution, Position
from tests.perfect.positions import random_states, state_of
from tests.sizes import thorough

EXPLAINED = {
    (2, 3, 3): (5, 24),
    (3, 2, 3): (52, 178),
    (3, 3, 3): (1_344, 4_230),
    (2, 6, 3): (185, 461),
    (2, 4, 4): (4_259, 8_226),
    (3, 4, 3): (34_412, 92_021),
    (4, 3, 3): (101_749, 228_653),
}
"""Of the pairs of a state and a player who is not on turn and cannot force a win, those in which a
ring says so, and all: as in the guide."""


def even_sizes(players: int, largest: int, most: int) -> list[tuple[int, int, int]]:
    """The sizes of the theorem up to some."""
    return [
        (size, sets, count)
        for count in range(3, players + 1)
        for size in range(2, largest + 1)
        for sets in range(1, most + 1)
        if size * sets % count == 0
    ]


def line_of_the_theorem(size: int, players: int) -> list[Question]:
    """The questions of the proof in the guide, all answered no, after which 1 and 2 wait.

    They are answered so when the cards are dealt in their order to players 2, 0, 1, 3, 4, ..., and
    so on round.
    """
    order = [2, 0, 1, *range(3, players)]
    set_of_one = 0 if size > 2 else 2 if players == 3 else 1
    owners = [order[card % players] for card in range((set_of_one + 1) * size)]
    card = next(
        card for card in range(set_of_one * size, len(owners)) if owners[card] not in (1, 2)
    )
    first = (0, 1, (0, 0))
    one, two = (1, 2, divmod(card, size)), (2, 1, (0, 1))
    return [Question.of(question) for question in (first, one, two)]


@pytest.mark.parametrize(
    "sizes", even_sizes(thorough(5, 8), thorough(4, 7), thorough(5, 8)), ids=str
)
def test_the_asked_of_an_even_start_and_another_wait_for_ever(sizes: tuple[int, int, int]) -> None:
    size, _, players = sizes
    state = State.start(Settings(*sizes))
    for question in line_of_the_theorem(size, players):
        assert Answer.NO in state.answers(question)
        state = state.after(question, Answer.NO)
    line = waiting(state, 0)
    assert line is not None
    assert len(line) == 2
    play_out_waiting(state, line)


def play_out_waiting(state: State, line: list[Question]) -> None:
    """A line of waiting comes to a state that it began with or came through."""
    known, seen = state.closed(), [state]
    for question in line:
        assert is_pass(known, question)
        assert state.answers(question) == (Answer.NO,)
        state = state.after(question, Answer.NO)
        assert state.closed() == known
        seen.append(state)
    assert any(state.same_position(before) for before in seen[:-1])


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(one, marks=pytest.mark.slow) if all_pairs > 5_000 else one
        for one, (_, all_pairs) in EXPLAINED.items()
    ],
    ids=str,
)
def test_who_is_kept_from_winning_cannot_force_a_win(sizes: tuple[int, int, int]) -> None:
    solution = solve(State.start(Settings(*sizes)))
    graph, values = solution.graph, solution.values
    code, ends = coding(graph.rules), set(graph.ends()[0].tolist())
    players, explained, cannot = graph.rules.players, 0, 0
    for number, key in enumerate(key_bytes(graph.keys)):
        parts = code.parts(key)
        if number in ends or parts.place == players:
            continue
        kinds = [code.book.numbered(kind) for kind in parts.kinds]
        passes = joined([set_passes(kind.masks, kind.low) for kind in kinds], players)
        kept = kept_from_winning(passes, 0)
        assert not kept & int(values.can_force[number])
        explained += kept.bit_count()
        cannot += players - 1 - (int(values.can_force[number]) >> 1).bit_count()
    assert (explained, cannot) == EXPLAINED[sizes]


@pytest.mark.parametrize(
    "game", [Game(2, 3, 3), pytest.param(Game(3, 2, 3), marks=pytest.mark.slow)], ids=str
)
def test_waiting_is_what_explicit_deals_say(game: Game) -> None:
    """Of every position of a game, by the rules alone."""
    solution = PlainSolution(game)
    seen = 0
    for player in range(game.players):
        won = solution.forced(player, frozenset({player}))
        for position, moves in solution.moves.items():
            if not moves:
                continue
            state = state_of(game, position)
            line = waiting(state, player)
            assert (line is not None) == waits_plainly(game, solution, position, player)
            if line is not None:
                assert position not in won
                play_out_waiting(state, line)
                seen += 1
    assert seen > 10


def waits_plainly(game: Game, solution: PlainSolution, position: Position, player: int) -> bool:
    """Whether questions among the opponents can go on for ever that keep all deals."""
    seen, todo = set[int](), [position]
    edges: dict[int, set[int]] = {}
    while todo:
        now = todo.pop()
        if now.turn is None or now.turn == player or now.turn in seen:
            continue
        seen.add(now.turn)
        edges[now.turn] = set()
        for answers in solution.moves[now].values():
            for after in answers.values():
                if after.turn not in (None, now.turn, player) and after.deals == now.deals:
                    edges[now.turn].add(after.turn)
                    todo.append(after)
    while bare := [one for one, others in edges.items() if not others & set(edges)]:
        for one in bare:
            del edges[one]
    return position.turn in edges


def test_rings_of_more_than_two() -> None:
    ring = (0b0000, 0b0100, 0b1000, 0b0010)  # 1 passes to 2, 2 to 3, 3 to 1
    assert who_waits(ring, 0b1110) == 0b1110
    assert who_waits(ring, 0b0110) == 0
    assert kept_from_winning(ring, 1) == 0b0001
    assert kept_from_winning(ring, 0) == 0
    assert who_waits((0b0010, *ring[1:]), 0b1111) == 0b1111  # 0 passes into the ring


def test_the_perfect_bot_waits_only_where_that_is_better(tmp_path: Path) -> None:
    start = State.start(Settings(3, 3, 3))
    write_tablebase(tmp_path / "3-3-3.tb", solve(start))
    better = 0
    with Tablebase(tmp_path / "3-3-3.tb") as tablebase:
        bot = PerfectBot(Random(1), tablebase)
        for state in random_states(start, Random(2), 300):
            if state.is_over or not is_pass(state.closed(), bot.ask(state)):
                continue
            first, *others = tablebase.prospects(state)
            for one in others:
                if not is_pass(state.closed(), one.question):
                    assert (one.worst, one.best) < (first.worst, first.best)
                    better += 1
    assert better > 0
