"""Waiting for ever: the theorem played out, the predicate against all states of solved games."""

from itertools import chain
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
from quaternity.perfect.waiting import is_pass, ring_of_opponents, rings, waiting
from tests.perfect.plain_solver import Game, PlainSolution, Position
from tests.perfect.positions import from_hands, hands_of, random_states, state_of
from tests.sizes import thorough

EXPLAINED = {
    (2, 3, 3): (13, 24),
    (3, 2, 3): (113, 178),
    (3, 3, 3): (3_561, 4_230),
    (2, 6, 3): (337, 461),
    (2, 4, 4): (8_172, 8_226),
    (3, 4, 3): (85_609, 92_021),
    (4, 3, 3): (220_128, 228_653),
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


@pytest.mark.parametrize(
    "sizes", even_sizes(thorough(5, 8), thorough(4, 7), thorough(5, 8)), ids=str
)
def test_from_an_even_start_all_others_wait_for_ever(sizes: tuple[int, int, int]) -> None:
    start = State.start(Settings(*sizes))
    line = waiting(start, 1)
    assert line is not None
    play_out_waiting(start, line, 1)
    after = start.after(
        Question.of((0, 1, (0, 0))), Answer.NO
    )  # but for names 0 cannot ask otherwise
    line = waiting(after, 0)
    assert line is not None
    play_out_waiting(after, line, 0)


@pytest.mark.parametrize("players", [3, 4])
def test_from_uneven_starts_too(players: int) -> None:
    """But where three players have cards of sets of two, and one of them a single one."""
    for size, sets in ((2, 2), (2, 3), (3, 2), *thorough([], [(2, 4), (3, 3), (4, 2)])):
        for hands in hands_of(size * sets, players):
            start = from_hands(size, sets, hands)
            for player in range(players):
                begun = start if player else start.after(Question.of((0, 1, (0, 0))), Answer.NO)
                line = waiting(begun, player)
                assert (line is None) == (size == 2 and hands[player] == 1 and players == 3)
                if line is not None:
                    play_out_waiting(begun, line, player)


def play_out_waiting(state: State, line: list[Question], player: int) -> None:
    """A line of waiting comes to a position that it began with or came through."""
    seen = [state]
    for question in line:
        assert player not in (question.asker, question.asked)
        assert Answer.NO in state.answers(question)
        state = state.after(question, Answer.NO)
        seen.append(state)
    again = [number for number, before in enumerate(seen[:-1]) if state.same_position(before)]
    assert len(again) == 1
    # Once round, and no more questions than make two rounds and a way there.
    known = state.closed()
    assert all(is_pass(known, question) for question in line[again[0] :])
    assert len(line) - again[0] <= state.players - 1
    assert len(line) <= 3 * (state.players - 1)


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
    layout = code.book.layout
    for number, key in enumerate(key_bytes(graph.keys)):
        parts = code.parts(key)
        if number in ends or parts.place == players:
            continue
        kinds = [code.book.numbered(kind) for kind in parts.kinds]
        slack = layout.slack([kind.table for kind in kinds], parts.hands)
        force = int(values.can_force[number])
        for role in range(1, players):
            kept = ring_of_opponents(kinds, slack, parts.hands, 0, role) is not None
            assert not kept or not force >> role & 1
            explained += kept
            cannot += not force >> role & 1
    assert (explained, cannot) == EXPLAINED[sizes]


@pytest.mark.parametrize(
    "game",
    [Game(2, 3, 3), Game(2, 2, 4), pytest.param(Game(3, 2, 3), marks=pytest.mark.slow)],
    ids=str,
)
def test_who_waits_is_what_explicit_deals_say(game: Game) -> None:
    """Of every position of a game, by the rules alone; the opponents can do it in no other way."""
    solution = PlainSolution(game)
    seen = 0
    for player in range(game.players):
        won = solution.forced(player, frozenset({player}))
        endless = without_end(solution, player)
        for position, moves in solution.moves.items():
            if not moves:
                continue
            state = state_of(game, position)
            line = waiting(state, player)
            assert (line is not None) == ring_in_a_deal(game, position, player)
            assert (line is not None) == (position in endless)
            if line is not None:
                assert position not in won
                play_out_waiting(state, line, player)
                seen += 1
    assert seen > 10


def ring_in_a_deal(game: Game, position: Position, player: int) -> bool:
    """The theorem of the guide, in deals."""
    if position.turn in (None, player):
        return False
    for deal in position.deals:
        shared = [{deal[card] for card in game.cards_of(index)} for index in range(game.sets)]
        shared = [owners for owners in shared if len(owners) > 1]
        partners = [
            {*chain(*[owners for owners in shared if one in owners])} for one in range(game.players)
        ]
        able = [one for one in range(game.players) if one != player and partners[one]]
        beside = [one for one in able if player in partners[one]]
        if (len(able) > 2 and position.turn in able) or (
            len(beside) > 1 and position.turn in beside
        ):
            return True
    return False


def without_end(solution: PlainSolution, player: int) -> set[Position]:
    """The positions from which questions can go on for ever and the player is never on turn."""
    left = {
        position: {after for answers in moves.values() for after in answers.values()}
        for position, moves in solution.moves.items()
        if moves and position.turn != player
    }
    while ends := [one for one, after in left.items() if not any(two in left for two in after)]:
        for one in ends:
            del left[one]
    return set(left)


def test_rings_of_four_players() -> None:
    couples = set(rings(0b1111, 1, 0))
    assert (0b0011, 0b0101) in couples  # 1 and 2 each share a set with 0
    assert (0b0110, 0b1010) in couples  # 1 shares one with 2 and one with 3
    assert (0b0011, 0b0110) not in couples  # 2 shares with nobody but 1
    assert rings(0b0011, 1, 0) == ()


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
