"""The turn after an answer, and the winner of a game."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity import Answer, Card, Game, Question, State, TieBreak
from quaternity.game.transition import out_of_play
from quaternity.trials.strategies import game_settings, games
from solvers import DealProblem, SetConstraint
from tests.sizes import thorough


def possible_turns(asker: int, asked: int, answer: Answer, after: State) -> set[int]:
    """Return the players to whom the rules may give the turn; a seed decides between them."""
    able = [player for player, hand in enumerate(after.hands) if hand]
    for player in (asker, asked) if answer else (asked, asker):
        if player in able or not able:
            return {player}
    if after.tie_break is TieBreak.FIRST_IN_ORDER:
        return {able[0]}
    keys = {player: (after.points[player], after.hands[player]) for player in able}
    return {player for player in able if keys[player] == min(keys.values())}


@given(games(game_settings(max_players=5), max_moves=60))
@settings(max_examples=thorough(20, 300))
def test_the_turn_follows_the_rules_in_games(game: Game) -> None:
    for after, ((asker, asked, _), answer) in zip(game.states[1:], game.moves, strict=True):
        if not after.is_over:
            assert after.turn in possible_turns(asker, asked, answer, after)


def both_without_cards(
    hands: Sequence[int], tie_break: TieBreak, seed: int, owner: int | None = None
) -> State:
    """Return the state after player 0 has put down a set with the only card of player 1.

    The other players hold `hands`; one of them (`owner`) may have completed a set before.
    """
    players, sets = 2 + len(hands), sum(hands) // 2
    pair = SetConstraint.of([[0], [1]], players)
    rest = SetConstraint.of([range(2, players)] * 2, players)
    done = [] if owner is None else [out_of_play(players)]
    problem = DealProblem((1, 1, *hands), [pair, *[rest] * sets, *done])
    completed = (*[None] * (sets + 1), *[owner] * len(done))
    before = State(problem, 0, completed, 2, tie_break, seed)
    return before.after(Question(0, 1, Card(0, 1)), Answer.YES)


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(lambda hands: sum(hands) % 2 == 0),
    st.sampled_from(TieBreak),
    st.integers(0, 9),
    st.none() | st.integers(2, 3),
)
@settings(max_examples=thorough(40, 300))
def test_the_tie_break_decides_if_both_players_have_no_cards(
    hands: list[int], tie_break: TieBreak, seed: int, owner: int | None
) -> None:
    state = both_without_cards(hands, tie_break, seed, owner)
    assert state.turn in possible_turns(0, 1, Answer.YES, state)


def test_a_seed_decides_among_equal_players() -> None:
    """Recorded games can be replayed only as long as these draws stay the same."""
    draws = [both_without_cards((2, 2, 2), TieBreak.MIN_SETS, seed).turn for seed in range(16)]
    assert draws == [3, 4, 3, 4, 2, 2, 3, 2, 2, 2, 2, 4, 3, 2, 2, 3]
