"""Completed sets of many players, without tables: solvers find them after a no and a yes."""

import json

from quaternity import Answer, Card, Question, State
from quaternity.game.state_file import parse_state
from solvers.coalition_tables import MAX_PLAYERS

PLAYERS = 13


def ring() -> State:
    """Return a state: player 3 has 1/0 and 0/0 or 1/1; the others hold halves of sets in a ring."""
    assert PLAYERS > MAX_PLAYERS
    others = [player for player in range(PLAYERS) if player != 3]
    halves = [
        [[player], [neighbour]]
        for player, neighbour in zip(others, [*others[1:], others[0]], strict=True)
    ]
    owners = [[[0, 3], [2]], [[3], [0, 3]], *halves]
    hands = [2] * PLAYERS
    hands[0] += 1
    hands[2] += 1
    document = {
        "format": "quaternity-state/1", "set_size": 2, "sets": len(owners), "players": PLAYERS,
        "turn": 2, "hands": hands, "owners": owners, "minimum": [[0] * len(owners)] * PLAYERS,
        "completed": [None] * len(owners),
    }  # fmt: skip
    return parse_state(json.dumps(document)).state


def test_a_no_completes_the_set_of_the_player_asked() -> None:
    before = ring()
    assert not before.has_tables
    state = before.after(Question(2, 3, Card(0, 0)), Answer.NO)
    assert state.completed == (None, 3, *[None] * 12)
    assert state.hands == (3, 2, 3, 0, *[2] * 9)
    assert state.turn == 2
    assert state.owners_of(0, 0) == (0,)


def test_a_yes_completes_the_set_of_the_asker_only() -> None:
    """Player 3 gave 0/0, so player 0 has 1/1."""
    state = ring().after(Question(2, 3, Card(0, 0)), Answer.YES)
    assert state.completed == (2, *[None] * 13)
    assert state.hands == (3, 2, 2, 1, *[2] * 9)
    assert state.turn == 2
