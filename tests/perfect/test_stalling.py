"""Endless waiting: the theorem is played out, and checked on all states of solved games."""

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
from quaternity.perfect.stalling import is_pass, ring_of_opponents, rings, stalling_questions
from quaternity.perfect.tablebase import Tablebase, write_tablebase
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
"""The number of pairs of a state and a player not to move who cannot force a win: those explained
by a ring, and all of them, as in the guide."""


def even_sizes(players: int, max_size: int, max_sets: int) -> list[tuple[int, int, int]]:
    """Return the sizes to which the theorem applies, up to some limits."""
    return [
        (size, sets, count)
        for count in range(3, players + 1)
        for size in range(2, max_size + 1)
        for sets in range(1, max_sets + 1)
        if size * sets % count == 0
    ]


@pytest.mark.parametrize(
    "sizes", even_sizes(thorough(5, 8), thorough(4, 7), thorough(5, 8)), ids=str
)
def test_from_an_even_start_all_others_can_wait_for_ever(sizes: tuple[int, int, int]) -> None:
    start = State.start(Settings(*sizes))
    line = stalling_questions(start, 1)
    assert line is not None
    play_out_waiting(start, line, 1)
    # Up to names, 0 has no other question.
    after = start.after(Question.of((0, 1, (0, 0))), Answer.NO)
    line = stalling_questions(after, 0)
    assert line is not None
    play_out_waiting(after, line, 0)


@pytest.mark.parametrize("players", [3, 4])
def test_from_most_uneven_starts_all_others_can_wait_for_ever(players: int) -> None:
    """The exception is a player with a single card among three players, with sets of two."""
    for size, sets in ((2, 2), (2, 3), (3, 2), *thorough([], [(2, 4), (3, 3), (4, 2)])):
        for hands in hands_of(size * sets, players):
            start = from_hands(size, sets, hands)
            for player in range(players):
                begun = start if player else start.after(Question.of((0, 1, (0, 0))), Answer.NO)
                line = stalling_questions(begun, player)
                assert (line is None) == (size == 2 and hands[player] == 1 and players == 3)
                if line is not None:
                    play_out_waiting(begun, line, player)


def play_out_waiting(state: State, line: list[Question], player: int) -> None:
    """Check that a line of waiting leads back to an earlier position."""
    seen = [state]
    for question in line:
        assert player not in (question.asker, question.asked)
        assert Answer.NO in state.answers(question)
        state = state.after(question, Answer.NO)
        seen.append(state)
    again = [number for number, before in enumerate(seen[:-1]) if state.same_position(before)]
    assert len(again) == 1
    # The cycle is one round, and the line is at most two rounds and the way to the first.
    known = state.filtered_problem()
    assert all(is_pass(known, question) for question in line[again[0] :])
    assert len(line) - again[0] <= state.players - 1
    assert len(line) <= 3 * (state.players - 1)


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(sizes, marks=pytest.mark.slow) if all_pairs > 5_000 else sizes
        for sizes, (_, all_pairs) in EXPLAINED.items()
    ],
    ids=str,
)
def test_a_player_kept_from_winning_cannot_force_a_win(sizes: tuple[int, int, int]) -> None:
    solution = solve(State.start(Settings(*sizes)))
    graph, values = solution.graph, solution.values
    code, ends = coding(graph.rules), set(graph.ends()[0].tolist())
    players, explained, cannot = graph.rules.players, 0, 0
    layout = code.book.layout
    for number, key in enumerate(key_bytes(graph.keys)):
        parts = code.parts(key)
        if number in ends or parts.place == players:
            continue
        kinds = [code.book.by_number(kind) for kind in parts.kinds]
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
def test_waiting_agrees_with_explicit_deals(game: Game) -> None:
    """Compare every position of a game with the rules; opponents have no other way to wait."""
    solution = PlainSolution(game)
    seen = 0
    for player in range(game.players):
        won = solution.forced_wins(player, frozenset({player}))
        endless = without_end(solution, player)
        for position, moves in solution.moves.items():
            if not moves:
                continue
            state = state_of(game, position)
            line = stalling_questions(state, player)
            assert (line is not None) == ring_in_a_deal(game, position, player)
            assert (line is not None) == (position in endless)
            if line is not None:
                assert position not in won
                play_out_waiting(state, line, player)
                seen += 1
    assert seen > 10


def ring_in_a_deal(game: Game, position: Position, player: int) -> bool:
    """Return whether the condition of the guide's theorem holds in a deal."""
    if position.turn in (None, player):
        return False
    for deal in position.deals:
        shared = [{deal[card] for card in game.cards_of(index)} for index in range(game.sets)]
        shared = [owners for owners in shared if len(owners) > 1]
        partners = [
            {*chain(*[owners for owners in shared if p in owners])} for p in range(game.players)
        ]
        able = [p for p in range(game.players) if p != player and partners[p]]
        beside = [p for p in able if player in partners[p]]
        if (len(able) > 2 and position.turn in able) or (
            len(beside) > 1 and position.turn in beside
        ):
            return True
    return False


def without_end(solution: PlainSolution, player: int) -> set[Position]:
    """Return positions in which questions can continue for ever without the player's turn."""
    left = {
        position: {after for answers in moves.values() for after in answers.values()}
        for position, moves in solution.moves.items()
        if moves and position.turn != player
    }
    while ends := [p for p, after in left.items() if not any(q in left for q in after)]:
        for end in ends:
            del left[end]
    return set(left)


def test_rings_of_four_players() -> None:
    couples = set(rings(0b1111, 1, 0))
    assert (0b0011, 0b0101) in couples  # 1 and 2 each share a set with 0
    assert (0b0110, 0b1010) in couples  # 1 shares one with 2 and one with 3
    assert (0b0011, 0b0110) not in couples  # 2 shares only with 1
    assert rings(0b0011, 1, 0) == ()


def test_the_perfect_bot_waits_only_if_that_is_better(tmp_path: Path) -> None:
    start = State.start(Settings(3, 3, 3))
    write_tablebase(tmp_path / "3-3-3.tb", solve(start))
    better = 0
    with Tablebase(tmp_path / "3-3-3.tb") as tablebase:
        bot = PerfectBot(Random(1), tablebase)
        for state in random_states(start, Random(2), 300):
            if state.is_over or not is_pass(state.filtered_problem(), bot.ask(state)):
                continue
            first, *others = tablebase.prospects(state)
            for other in others:
                if not is_pass(state.filtered_problem(), other.question):
                    assert (other.worst, other.best) < (first.worst, first.best)
                    better += 1
    assert better > 0
