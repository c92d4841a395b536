"""Games encoded in numbers, in which one seat acts at a time."""

from __future__ import annotations

import gc
import json
import pickle
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from quaternity.base.errors import IllegalMove, InputError, LimitError
from quaternity.environments.episode import REWARDS, Episode, TableGame, win
from quaternity.environments.plain_encoded import PlainEncoded
from quaternity.game.rules import QuaternityPosition
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import state_text
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.quarto.encoded import QuartoEncoded
from quaternity.quarto.rules import QuartoPosition, QuartoRules
from quaternity.quarto.solving import QuartoMove
from quaternity.table.conformance import LawViolation, check_rules
from quaternity.table.games import GAMES as GAMES_OF_OURS
from quaternity.ternary.cards import SetCard
from quaternity.ternary.encoded import SetEncoded
from quaternity.ternary.rules import SetRules, SetView
from tests.sizes import thorough


def legal(episode: Episode) -> list[int]:
    return [action for action, is_legal in enumerate(episode.mask) if is_legal]


def play_randomly(game: TableGame, random: Random, max_moves: int = 10_000) -> Episode:
    """Return an episode of random actions."""
    episode = game.episode(random)
    while episode.seat is not None and len(episode.history.moves) < max_moves:
        episode = episode.after(random.choice(legal(episode)))
    return episode


@pytest.mark.parametrize("name", GAMES_OF_OURS)
@pytest.mark.parametrize("max_moves", [0, 1, 12])
def test_the_recall_tensor_has_the_stated_parts_and_every_move(name: str, max_moves: int) -> None:
    game = TableGame(name, max_moves=max_moves)
    outcomes, random = game.encoded.outcomes, Random(max_moves)
    parts = {part: count for part, count, _ in game.memory_layout}
    if outcomes is None or not max_moves:
        assert not parts
    else:
        size = game.seats + game.encoded.actions + sum(count for _, count, _ in outcomes)
        start = sum(count for _, count, _ in game.encoded.entries)
        assert parts == {
            "player": game.seats, "first": game.seats, "start": start, "moves": max_moves * size,
        }  # fmt: skip
    episode, made = game.episode(random), list[tuple[int, int]]()
    asked = episode
    while episode.seat is not None and len(made) < 12:
        made.append((episode.seat, random.choice(legal(episode))))
        episode = episode.after(made[-1][1])
        asked = asked.after(made[-1][1])
        if random.random() < 0.3:
            asked.encoded_moves()
    history = episode.encoded_moves()
    assert history == asked.encoded_moves()
    assert episode.observations() == asked.observations()
    if outcomes is not None:
        assert [(seat, action) for seat, action, _ in history] == made
        size = 4 * sum(count for _, count, _ in outcomes)  # 32-bit floats
        assert {len(outcome) for _, _, outcome in history} <= {size}
    else:
        assert not history


# ------------------------------------------------------------------------ numbers of a game


class ShowsTheAnswer(SetEncoded):
    """An encoding whose mask allows only the right claims."""

    def mask(self, view: SetView) -> bytes:
        mask = bytearray(super().mask(view))
        for action in range(self.claims):
            move = self.move(action, view) if mask[action] else None
            mask[action] = move is not None and move.cards in view.threes
        return bytes(mask)


class CountsItsCalls(QuartoEncoded):
    """An encoding whose numbers do not depend on the view alone."""

    calls = count()

    def numbers(self, view: QuartoPosition) -> memoryview[float]:
        numbers = bytearray(bytes(super().numbers(view)))
        numbers[0] = next(self.calls) % 2
        return memoryview(numbers).cast("f")


class Swaps(QuartoEncoded):
    """An encoding in which the action of a move means another move."""

    def action(self, move: QuartoMove | None, view: QuartoPosition) -> int:
        return super().action(move, view) ^ 1


class SaysTooMuch(QuartoEncoded):
    """An encoding with one entry too many."""

    entries = (*QuartoEncoded.entries, ("more", 1, "nothing"))


@pytest.mark.parametrize(
    ("rules", "encoded", "words"),
    [
        (SetRules(), ShowsTheAnswer, "are not the 221 legal moves"),
        (QuartoRules(), CountsItsCalls, "equal views have different numbers"),
        (QuartoRules(), Swaps, "is not the inverse of"),
        (QuartoRules(), SaysTooMuch, "does not match the entries"),
    ],
    ids=lambda parameter: getattr(parameter, "__name__", ""),
)
def test_encodings_that_break_a_law_are_found(rules: Any, encoded: Any, words: str) -> None:
    with pytest.raises(LawViolation, match=words):
        check_rules(rules, 1, encoded=encoded(rules))


PLAIN: list[Any] = [QuartoRules(), KwartetRules(KwartetSettings(3, 3)), SetRules()]


@pytest.mark.parametrize("rules", PLAIN, ids=lambda rules: rules.name)
def test_a_game_without_its_own_encoding_has_a_plain_one(rules: Any) -> None:
    """Check the actions (legal moves, then waiting), the bytes of the view, and the starts."""
    encoded, random = PlainEncoded(rules), Random(5)
    position = rules.start(random)
    for _ in range(thorough(4, 30)):
        acting = rules.to_act(position)
        if not acting:
            break
        view = rules.view(position, acting[0])
        moves = list(rules.moves(view))
        assert encoded.mask(view) == bytes(k < len(moves) for k in range(encoded.actions))
        for k in {0, random.randrange(len(moves)), len(moves) - 1}:
            assert encoded.move(k, view) == moves[k]
            assert encoded.action(moves[k], view) == k
        waiting = encoded.actions - 1
        assert encoded.move(waiting, view) is None
        assert encoded.action(None, view) == waiting
        for wrong in (-1, len(moves), waiting - 1, encoded.actions):
            with pytest.raises(
                InputError, match=f"action {wrong} is not legal; choose from 0..{len(moves) - 1}, "
            ):
                encoded.move(wrong, view)
        read = bytes(round(255 * number) for number in encoded.numbers(view)).rstrip(b"\0")
        assert read == json.dumps(rules.view_json(view), sort_keys=True).encode()
        position = rules.after(position, acting[0], random.choice(moves))
    starts = encoded.chance(())
    assert bool(starts) == (rules.name != "quarto")
    for number, chance in starts[:: len(starts) // 3 or 1]:
        assert chance * len(starts) == pytest.approx(1)
        assert encoded.initial_position([number]) == rules.start(Random(number))
        assert not encoded.chance([number])


def encode_views(moves: int, size: int) -> PlainEncoded:
    """Return the encoding of a game with this number of moves, and views of `size` bytes."""
    view = "x" * (size - len('""'))
    return PlainEncoded(
        SimpleNamespace(name="x", moves=lambda _: range(moves), view_json=lambda _: view)
    )


def test_the_plain_encoding_has_a_fixed_size() -> None:
    encoded = encode_views(512, 8192)
    assert encoded.mask(None) == b"\1" * 512 + b"\0"
    assert len(encoded.numbers(None)) == 8192
    assert encoded.points == (-1e6, 1e6)
    assert len(PlainEncoded(SetRules()).chance(())) == 1000
    with pytest.raises(LimitError, match="513 legal moves, and the limit is 512"):
        encode_views(513, 2).mask(None)
    with pytest.raises(LimitError, match="8193 bytes, and the limit is 8192"):
        encode_views(1, 8193).numbers(None)


@pytest.mark.parametrize("name", GAMES_OF_OURS)
def test_a_description_has_every_number_once(name: str) -> None:
    game = TableGame(name)
    described: list[int] = []
    for line, (entry, size, meaning) in zip(
        game.describe().splitlines(), game.encoded.entries, strict=True
    ):
        numbers, text = line.split(" ", 1)
        begin, end = map(int, numbers.split(".."))
        assert text == f"{entry}: {meaning}"
        assert end - begin == size - 1
        described += range(begin, end + 1)
    assert described == [*range(len(game.episode(Random(1)).numbers(0)))]


@pytest.mark.parametrize(
    ("name", "settings", "actions", "numbers"),
    [
        ("quaternity", {}, 26, 87),
        ("quaternity", {"sets": 13, "players": 4}, 158, 432),
        ("kwartet", {}, 156, 497),
        ("quarto", {}, 288, 103),
        ("set", {}, 1332, 342),
        ("set", {"rule": "triple"}, 85_322, 1062),
    ],
)
def test_the_sizes_of_encodings_stay_the_same(
    name: str, settings: dict[str, Any], actions: int, numbers: int
) -> None:
    encoded = TableGame(name, settings).encoded
    assert encoded.actions == actions
    assert sum(size for _, size, _ in encoded.entries) == numbers


def test_claims_of_the_first_places_come_first() -> None:
    episode = TableGame("set").episode(Random(1))
    encoded: Any = episode.game.encoded
    view = episode.view
    assert legal(episode) == [*range(220), 1330, 1331]
    assert encoded.move(0, view).cards == tuple(sorted(view.places[:3]))
    assert encoded.move(219, view).cards == tuple(sorted(view.places[9:12]))
    assert encoded.move(1330, view).cards == ()
    assert encoded.move(1331, view) is None
    with pytest.raises(InputError, match="place 12 is empty"):
        encoded.move(220, view)


def test_many_players_are_encoded_without_tables() -> None:
    """If coalition tables would be too large, a solver finds the questions."""
    game = TableGame("quaternity", {"set_size": 2, "sets": 14, "players": 14})
    episode = game.episode(Random(1))
    assert not episode.position.state.has_tables
    moves = {game.encoded.move(action, episode.view) for action in legal(episode)}
    assert moves == set(game.rules.moves(episode.view))


# ------------------------------------------------------------------------ episodes


@pytest.mark.parametrize("name", GAMES_OF_OURS)
def test_an_illegal_action_is_refused(name: str) -> None:
    episode = play_randomly(TableGame(name), Random(3), 3)
    wrong = next(action for action, is_legal in enumerate(episode.mask) if not is_legal)
    with pytest.raises((IllegalMove, InputError)):
        episode.after(wrong)
    for action in (-1, len(episode.mask)):
        with pytest.raises(InputError, match=f"action {action} is out of range 0.."):
            episode.after(action)
    for nothing in (True, 1.0, "1", None):
        with pytest.raises(InputError, match=r"^action: must be a whole number, not "):
            episode.after(nothing)  # type: ignore[arg-type]  # not whole numbers


@pytest.mark.parametrize("name", GAMES_OF_OURS)
def test_an_episode_survives_a_file(name: str) -> None:
    episode = play_randomly(TableGame(name, max_moves=20), Random(5))
    again = pickle.loads(pickle.dumps(episode))  # noqa: S301
    assert (again.history, again.seat) == (episode.history, episode.seat)
    assert again.observations() == episode.observations()
    with pytest.raises(InputError, match="the episode is over"):
        play_randomly(TableGame(name, max_moves=20), Random(5)).after(0)


@pytest.mark.parametrize("name", GAMES_OF_OURS)
def test_messages_are_reproduced_at_any_time(name: str) -> None:
    """Ask after every move, sometimes, or only at the end: no positions in between are kept."""
    messages = []
    for interval in (1, 3, 1_000):
        episode, random = TableGame(name, max_moves=25).episode(Random(5)), Random(7)
        while episode.seat is not None:
            moment, episode = episode, episode.after(random.choice(legal(episode)))
            if not len(episode.history.moves) % interval:
                earlier = moment.observations()
                assert episode.observations()[: len(earlier)] == earlier
                assert len(episode.observations()) > len(earlier)
        messages.append(episode.observations())
        assert episode.history.moves[-1][0] == moment.seat
        assert episode.history.undo() == moment.history
    assert messages == messages[:1] * 3


def test_an_episode_keeps_only_the_first_and_the_last_position() -> None:
    gc.collect()
    before = sum(type(item) is QuaternityPosition for item in gc.get_objects())
    episode = play_randomly(TableGame("quaternity", {"sets": 13, "players": 4}), Random(1), 30)
    assert len(episode.history.moves) == 30
    assert sum(type(item) is QuaternityPosition for item in gc.get_objects()) <= before + 2


def test_a_player_remembers_its_start_and_all_messages() -> None:
    game = TableGame("kwartet", {"players": 3, "sets": 3}, max_moves=8)
    episode = play_randomly(game, Random(2))
    start = game.rules.show(game.rules.view(episode.history.start, 1))
    assert episode.memory_text(1) == "\n".join(("player 1", start, *episode.observations()))
    assert len({episode.memory_text(seat) for seat in (0, 1, 2, None)}) == 4
    assert len(episode.observations()) >= 8


def test_indistinguishable_deals_are_remembered_alike() -> None:
    """This holds as long as both games give the same messages."""
    game = TableGame("kwartet", {"players": 3, "sets": 4})
    random, comparisons = Random(4), 0
    for _ in range(thorough(5, 50)):
        episode = game.episode(random)
        other = Episode.begin(game, game.rules.like(game.rules.view(episode.position, 0), random))
        while episode.seat == 0 and episode.observations() == other.observations():
            comparisons += 1
            assert episode.memory_text(0) == other.memory_text(0)
            assert bytes(episode.numbers(0)) == bytes(other.numbers(0))
            action = random.choice(legal(episode))
            episode, other = episode.after(action), other.after(action)
    assert comparisons >= 5


# ------------------------------------------------------------------------ rewards and starts


def test_a_sole_winner_gets_one_and_the_others_share_the_loss() -> None:
    assert win([], None) == []
    assert win([2, 1, 0], None) == [0, 0, 0]
    assert win([2, 1, 0], [1, 2, 3]) == [1, -0.5, -0.5]
    assert win([1, 1, 0], [1, 1, 3]) == [0.25, 0.25, -0.5]
    assert win([1, 1], [1, 1]) == [0, 0]
    assert win([5], [1]) == [1]


@pytest.mark.parametrize("name", GAMES_OF_OURS)
@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_follow_their_definition_at_every_moment(name: str, reward: str) -> None:
    max_moves = {"quaternity": 0, "kwartet": 60, "quarto": 0, "set": 12}[name]
    game, sums = TableGame(name, reward=reward, max_moves=max_moves), set()
    low, high = game.bounds
    for seed in range(thorough(3, 30)):
        episode, random = game.episode(Random(seed)), Random(seed)
        while True:
            returns = episode.returns()
            assert len(returns) == game.seats
            assert low <= min(returns) <= max(returns) <= high
            points = game.rules.points(episode.position)
            if reward == "points":
                assert returns == list(points)
            elif reward == "lead":
                others = [sum(points) - own for own in points]
                assert returns == [
                    own - other / (len(points) - 1)
                    for own, other in zip(points, others, strict=True)
                ]
            elif episode.seat is None:
                places = game.rules.places(episode.position)
                assert returns == win(game.rules.points(episode.position), places)
            else:
                assert not any(returns)
            if episode.seat is None:
                break
            episode = episode.after(random.choice(legal(episode)))
        assert max_moves == 0 or len(episode.history.moves) <= max_moves
        sums.add(round(sum(returns), 9))
    assert game.reward.zero_sum == (reward != "points")
    assert sums == {0} or not game.reward.zero_sum
    assert game.reward.at_end == (reward == "win")
    if reward == "win":
        assert game.bounds == (-1, 1)
    else:
        least, highest = -max_moves or -1e6 if name == "set" else 0, game.encoded.points[1]
        span = highest - least
        assert game.bounds == ((least, highest) if reward == "points" else (-span, span))
    assert TableGame(name, reward="win", max_moves=0).bounds == (-1, 1)
    assert TableGame(name, reward="points", max_moves=0).bounds[0] in (0, -1e6)


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("name", GAMES_OF_OURS)
def test_an_episode_reaches_its_limit_of_moves(name: str, most: int) -> None:
    episode = play_randomly(TableGame(name, max_moves=most), Random(1))
    # Kwartet has a setting of this name: its rules end the game.
    assert (len(episode.history.moves), episode.is_cut_off) == (most, name != "kwartet")
    start = TableGame(name, max_moves=0).episode(Random(1))
    assert start.history.moves == ()
    assert start.seat is not None
    waiting = {start.game.encoded.move(action, start.view) for action in legal(start)} & {None}
    assert start.several_may_act == bool(waiting) == (name == "set")


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("acting", [(0, 2), (1, 2, 3), (0, 1, 2, 3)])
def test_the_turn_goes_round_the_seats_that_may_act(first: int, acting: tuple[int, ...]) -> None:
    rules = SimpleNamespace(to_act=lambda _: acting, seats=4)
    game: Any = SimpleNamespace(rules=rules, seats=4, max_moves=0)
    episode, asked = Episode.begin(game, "all wait", first), []
    for _ in range(4 * len(acting)):
        asked.append(episode.seat)
        episode = episode.after_move(asked[-1] or 0, None)
    turns = [(first + lap + place) % 4 for lap in range(4) for place in range(4)]
    assert asked == [seat for seat in turns if seat in acting]


def test_each_seat_is_asked_first_in_some_episodes_and_seen_waiting() -> None:
    assert {TableGame("set").episode(Random(seed)).first for seed in range(9)} == {0, 1}
    episode = TableGame("set").episode(Random(1))
    after = episode.after(episode.game.encoded.actions - 1)
    assert after.observations() == (f"player {episode.seat} waits",)


@pytest.mark.parametrize("name", ["kwartet", "set"])  # their views contain the seat
def test_only_seats_that_may_act_have_actions(name: str) -> None:
    episode, random = TableGame(name).episode(Random(1)), Random(2)
    rules, encoded = episode.game.rules, episode.game.encoded
    for _ in range(thorough(12, 200)):
        acting = rules.to_act(episode.position)
        for seat in (None, *range(rules.seats)):
            assert any(encoded.mask(rules.view(episode.position, seat))) == (seat in acting)
        if episode.seat is None:
            break
        episode = episode.after(random.choice(legal(episode)))


@pytest.mark.filterwarnings("ignore:with two players")
def test_a_custom_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    tenfold = replace_returns(lambda points, places: [10 * point for point in points])
    monkeypatch.setitem(REWARDS, "tenfold", tenfold)
    game = TableGame("quaternity", {"set_size": 2, "sets": 2, "players": 2}, reward="tenfold")
    assert sum(play_randomly(game, Random(1)).returns()) == 20
    late = replace_returns(lambda points, places: [5 for _ in points])._replace(at_end=True)
    monkeypatch.setitem(REWARDS, "late", late)
    episode = TableGame("quarto", reward="late", max_moves=2).episode(Random(1))
    for returns in ([0, 0], [0, 0], [5, 5]):
        assert episode.returns() == returns
        episode = episode.after(legal(episode)[0]) if episode.seat is not None else episode


def replace_returns(returns: Any) -> Any:
    return REWARDS["points"]._replace(returns=returns)


def test_episodes_begin_where_a_record_ends(tmp_path: Path) -> None:
    record = "quarto 1\nsquares yes\n0 hand over A\n1 place it on H1V1, hand over B\n"
    (tmp_path / "game.record").write_text(record)
    for start in (record, str(tmp_path / "game.record"), tmp_path / "game.record"):
        game = TableGame("quarto", start=start)
        assert game.rules.settings.squares
        episode = game.episode(Random(1))
        assert (episode.seat, episode.position.in_hand) == (0, "B")
        assert pickle.loads(pickle.dumps(game)).start == game.start  # noqa: S301
    with pytest.raises(InputError, match="squares no was requested, but the record has yes"):
        TableGame("quarto", {"squares": False}, start=record)


def test_episodes_begin_where_a_record_of_any_game_ends() -> None:
    for name in GAMES_OF_OURS:
        episode = TableGame(name).episode(Random(1))
        rules = episode.game.rules
        record = rules.record_start(episode.position, [f"p{k}" for k in range(rules.seats)])
        for _ in range(3):
            seat, before = episode.seat, episode
            assert seat is not None
            move = episode.game.encoded.move(legal(episode)[0], episode.view)
            episode = episode.after_move(seat, move)
            record += rules.record_move(before.position, seat, move, episode.position)
        started = TableGame(name, start=record)
        assert started.rules.settings == rules.settings
        assert started.start == episode.position


@pytest.mark.filterwarnings("ignore:with two players")
def test_episodes_begin_with_a_state() -> None:
    state = State.start(Settings(3, 2, 2))
    state = state.after(next(iter(state.legal_questions)), True)
    game = TableGame("quaternity", start=state_text(state))
    assert game.rules.settings == Settings(3, 2, 2)
    assert game.episode(Random(1)).position.state == state
    with pytest.raises(InputError, match="turn: missing"):
        TableGame("quaternity", start=state_text(replace(state, turn=None)))


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("chess", {}, "game 'chess' is unknown; choose from quaternity, kwartet, quarto, set"),
        ("set", {"reward": "luck"}, "unknown reward 'luck'; choose from win, points"),
        ("set", {"max_moves": -1}, "max_moves"),
        ("set", {"settings": {"seat": 3}}, "unknown setting 'seat'; choose from seats, rule"),
        ("set", {"settings": {"seats": 9}}, "seats: 9 is not one of"),
        ("kwartet", {"settings": {"announce": "never"}}, "announce 'never' is unknown"),
        ("quarto", {"start": b"quarto 1"}, "start: must be a string or a path, not b'quarto 1'"),
        ("quarto", {"start": "no/such.record"}, "no/such.record"),
        ("quarto", {"start": "set 1\n"}, "must start with 'quarto 1'"),
    ],
)
def test_wrong_arguments_are_named(name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        TableGame(name, **arguments)


# ------------------------------------------------------------------------ what the numbers say


def part(episode: Episode, seat: int, name: str) -> list[float]:
    """Return the numbers of one entry of a seat's observation."""
    first = 0
    for entry, size, _ in episode.game.encoded.entries:
        if entry == name:
            return list(episode.numbers(seat))[first : first + size]
        first += size
    raise AssertionError(name)


def test_the_meaning_of_the_numbers_of_quaternity() -> None:
    game = TableGame("quaternity", {"players": 3, "sets": 3})
    random, waiting = Random(1), 0
    episode = game.episode(random)
    while episode.seat is not None:
        state, pending, seat = episode.position.state, episode.position.pending, episode.seat
        order = [seat, (seat + 1) % 3, (seat + 2) % 3]
        assert part(episode, 0, "seat") == [other == seat for other in range(3)]
        assert part(episode, 0, "points") == pytest.approx([state.points[o] / 3 for o in order])
        for index, card_set in enumerate(state.problem.sets):
            numbers = part(episode, 0, "sets")[21 * index : 21 * index + 21]
            owners = card_set.owners or (0,) * 4
            assert numbers[:12] == [mask >> other & 1 for mask in owners for other in order]
            assert numbers[12:15] == [card_set.low[other] / 4 for other in order]
            assert numbers[18:] == [state.completed[index] == other for other in order]
        asker = None if pending is None else pending.asker
        assert part(episode, 0, "asker") == [other == asker for other in order]
        asked_for = part(episode, 0, "asked for")
        if pending is None:
            assert not any(asked_for)
        else:
            waiting += 1
            assert asked_for.index(1) == 4 * pending.card.set_index + pending.card.number
        episode = episode.after(random.choice(legal(episode)))
    assert waiting > 1


def test_the_meaning_of_the_numbers_of_quarto_and_set() -> None:
    episode = play_randomly(TableGame("quarto"), Random(1), 4)
    pieces, board = episode.position.board.pieces, episode.position.board
    in_hand = pieces.piece(episode.position.in_hand)
    for cell, piece in enumerate(board.cells):
        bits = [0] * 5 if piece is None else [1, *(piece >> bit & 1 for bit in range(4))]
        assert part(episode, 0, "board")[5 * cell : 5 * cell + 5] == bits
    assert part(episode, 0, "in hand") == [1, *(in_hand >> bit & 1 for bit in range(4))]
    left = [piece not in (*board.cells, in_hand) for piece in range(16)]
    assert part(episode, 0, "left") == left

    game = TableGame("set")
    episode = game.episode(Random(1))
    right = next(
        action
        for action in legal(episode)
        if getattr(game.encoded.move(action, episode.view), "cards", 0) in episode.view.threes
    )
    taker, wrong = episode.seat, 0 if right else 1
    episode = episode.after(right).after(wrong)
    view = episode.position.seen
    for seat in (0, 1):
        for place, card in enumerate(view.places):
            numbers = part(episode, seat, "table")[12 * place : 12 * place + 12]
            assert numbers == [digit == n for digit in SetCard(card).digits for n in range(3)]
        assert not any(part(episode, seat, "table")[12 * 12 :])
        (three,) = view.taken[taker]
        assert part(episode, seat, "gone") == [card in three for card in range(81)]
        assert part(episode, seat, "deck") == pytest.approx([66 / 81])
        taker_first = [seat == taker, seat != taker]
        assert part(episode, seat, "taken") == pytest.approx([first / 27 for first in taker_first])
        assert part(episode, seat, "wrong") == [0.5 * (not first) for first in taker_first]
