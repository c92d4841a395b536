"""The turn after a player runs out of cards, in positions where the tie-breaks differ."""

import json
from collections.abc import Sequence

import pytest

from quaternity import Answer, Card, Question, State, TieBreak
from quaternity.game.state_file import parse_state

Owners = Sequence[Sequence[Sequence[int]]]
BOTH = list(TieBreak)


def position(
    turn: int, hands: Sequence[int], owners: Owners, tie_break: TieBreak, seed: int = 0
) -> State:
    """Return a state with sets of two cards in which only the possible owners are known."""
    document = {
        "format": "quaternity-state/1", "set_size": 2, "sets": len(owners),
        "players": len(hands), "turn": turn, "hands": hands, "owners": owners,
        "minimum": [[0] * len(owners) for _ in hands], "completed": [None] * len(owners),
        "tie_break": tie_break.value, "seed": seed,
    }  # fmt: skip
    return parse_state(json.dumps(document)).state


def among(players: list[int], cards: int) -> list[list[int]]:
    """Return the owners of cards that any of some players may own."""
    return [players] * cards


def state_before_no(tie_break: TieBreak) -> State:
    """Return a state: player 3 has 1/0 and 0/0 or 1/1, so exactly set 1 without 0/0."""
    owners = [[[0, 3], [2]], [[3], [0, 3]], among([0, 1, 2], 2), among([0, 1, 2], 2)]
    return position(2, [2, 1, 3, 2], owners, tie_break)


@pytest.mark.parametrize("tie_break", BOTH)
def test_the_asker_continues_after_a_no_of_a_player_without_cards(tie_break: TieBreak) -> None:
    """The order would choose player 0, and the fewest cards player 1."""
    state = state_before_no(tie_break).after(Question(2, 3, Card(0, 0)), Answer.NO)
    assert state.completed == (None, 3, None, None)
    assert state.hands == (2, 1, 3, 0)
    assert state.turn == 2
    assert state.legal_questions


@pytest.mark.parametrize("tie_break", BOTH)
def test_the_asked_player_continues_if_a_yes_empties_the_askers_hand(tie_break: TieBreak) -> None:
    """Player 2 puts down the set and has no other card; players 0 and 1 do not matter."""
    owners = [[[3], [2]], *[among([0, 1, 3], 2)] * 3]
    before = position(2, [2, 1, 1, 4], owners, tie_break)
    state = before.after(Question(2, 3, Card(0, 0)), Answer.YES)
    assert state.completed == (2, None, None, None)
    assert state.hands == (2, 1, 0, 3)
    assert state.turn == 3


def both_without_cards(hands: Sequence[int], tie_break: TieBreak, seed: int = 0) -> State:
    """Return the state after player 0 has put down a set with the only card of player 1."""
    owners = [[[0], [1]], *[among([2, 3, 4], 2)] * (sum(hands) // 2)]
    before = position(0, [1, 1, *hands], owners, tie_break, seed)
    return before.after(Question(0, 1, Card(0, 1)), Answer.YES)


@pytest.mark.parametrize("hands", [(3, 1, 2), (2, 1, 3), (3, 1, 4)])
def test_fewest_cards_decide_among_equal_sets(hands: Sequence[int]) -> None:
    for seed in range(8):
        assert both_without_cards(hands, TieBreak.MIN_SETS, seed).turn == 3
    assert both_without_cards(hands, TieBreak.FIRST_IN_ORDER).turn == 2


def test_fewest_sets_decide_before_fewest_cards() -> None:
    """Player 2 has one card, but also a set."""
    document = {
        "format": "quaternity-state/1", "set_size": 2, "sets": 4, "players": 4, "turn": 0,
        "hands": [1, 1, 1, 3],
        "owners": [[[0], [1]], *[among([2, 3], 2)] * 2, [[2], [2]]],
        "minimum": [[0] * 4] * 4, "completed": [None, None, None, 2],
        "tie_break": "fewest-sets",
    }  # fmt: skip
    state = parse_state(json.dumps(document)).state
    assert state.after(Question(0, 1, Card(0, 1)), Answer.YES).turn == 3


def test_a_seed_decides_among_equal_players() -> None:
    """Recorded games can be replayed only as long as these draws stay the same."""

    def draw_turns() -> list[int | None]:
        return [both_without_cards((2, 2, 2), TieBreak.MIN_SETS, seed).turn for seed in range(16)]

    assert draw_turns() == [3, 4, 3, 4, 2, 2, 3, 2, 2, 2, 2, 4, 3, 2, 2, 3]


def test_only_equal_players_are_drawn() -> None:
    turns = {both_without_cards((2, 4, 2), TieBreak.MIN_SETS, seed).turn for seed in range(16)}
    assert turns == {2, 4}
