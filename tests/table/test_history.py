"""One history of a game: all forms of a running game agree with plain lists of its moves.

A state machine plays the same random moves in histories that store different numbers of positions,
in a match, at a table in a browser, in a game as a value and in an episode.
"""

from __future__ import annotations

import pickle
from dataclasses import asdict
from itertools import chain, combinations
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from quaternity.environments.episode import Episode, TableGame
from quaternity.errors import IllegalMove, InputError
from quaternity.game.settings import Settings
from quaternity.kwartet import KwartetGame, KwartetSettings
from quaternity.quarto import QuartoGame, QuartoSettings
from quaternity.review.recorded_game import RecordedGame
from quaternity.table.games import GAMES, rules_class
from quaternity.table.history import History
from quaternity.table.match import Match
from quaternity.table.protocol import Step
from quaternity.table.tournament.playing import Tournament, play_game, record_of_game
from quaternity.ternary import SetGame, SetSettings
from quaternity.web.changes import TAKEN_BACK, Entry
from quaternity.web.feed import event_message
from quaternity.web.seats import PERSON, Seat
from quaternity.web.table_admin import whole_record
from quaternity.web.versioned_history import VersionedHistory
from tests.sizes import examples, thorough
from tests.table.planted import plant

SETTINGS: dict[str, list[Any]] = {
    "quaternity": [Settings(2, 3, 3), Settings(4, 3, 3), Settings(2, 4, 4)],
    "kwartet": [KwartetSettings(2, 2), KwartetSettings(3, 4)],
    "quarto": [QuartoSettings(), QuartoSettings(squares=True)],
    "set": [SetSettings(1), SetSettings(3, table=9)],
}
KINDS: dict[str, Any] = {"kwartet": KwartetGame, "quarto": QuartoGame, "set": SetGame}
"""Games as values. A move of Quaternity's `Game` is a question with its answer."""


class Turn(NamedTuple):
    """A move with the position before and after it. The move None is waiting."""

    before: Any
    seat: int
    move: Any
    after: Any


class HistoryMachine(RuleBasedStateMachine):
    """A game in all its forms, and the list of its turns."""

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(GAMES)))
        chosen = data.draw(st.sampled_from(SETTINGS[name]))
        self.rules: Any = rules_class(name)(chosen)
        self.seed = str(data.draw(st.integers(0, 9)))
        self.start = self.rules.start(Random(f"{self.seed}/deal"))
        self.turns: list[Turn] = []
        self.histories = [History(self.rules, self.start, max_stored=most) for most in (1, 2, 5)]
        self.match: Any = Match(self.rules, ["you"] * self.rules.seats, self.seed)
        self.value: Any = None
        if name in KINDS:
            self.value = KINDS[name].start(chosen, self.seed)
        self.log: list[Entry] = []
        self.at_table = VersionedHistory.begin(self.rules, self.start)
        self.episode = Episode.begin(TableGame(name, asdict(chosen)), self.start)

    @property
    def position(self) -> Any:
        return self.positions[-1]

    @property
    def positions(self) -> list[Any]:
        return [self.start, *[turn.after for turn in self.moves]]

    @property
    def moves(self) -> list[Turn]:
        """The turns in which a seat did not wait."""
        return [turn for turn in self.turns if turn.move is not None]

    def step(self, turn: Turn) -> Step:
        if turn.move is None:
            return Step(turn.seat, (f"player {turn.seat} waits",))
        events = self.rules.events(turn.before, turn.seat, turn.move, turn.after)
        return Step(turn.seat, tuple(events))

    def record(self) -> str:
        names = ["you"] * self.rules.seats
        texts = [self.rules.record_move(*turn) for turn in self.moves]
        return "".join((self.rules.record_start(self.start, names), *texts))

    @precondition(lambda self: self.rules.to_act(self.position))
    @rule(data=st.data(), count=st.integers(1, 6))
    def play(self, data: st.DataObject, count: int) -> None:
        for _ in range(count):
            acting = self.rules.to_act(self.position)
            if not acting:
                break
            seat = data.draw(st.sampled_from(acting))
            moves = list(self.rules.moves(self.rules.view(self.position, seat)))
            self.play_move(seat, data.draw(st.sampled_from(moves)))

    def play_move(self, seat: int, move: Any) -> None:
        before = self.position
        after = self.rules.after(before, seat, move)
        self.turns.append(Turn(before, seat, move, after))
        self.histories = [history.play(seat, move) for history in self.histories]
        assert self.match.play(seat, move) == self.step(self.turns[-1])
        if self.value is not None:
            self.value = self.value.play(move, seat)
        self.write(seat, f"{len(self.log)}", self.rules.write(move))
        self.episode = self.episode.after_move(seat, move)

    def write(self, seat: int, identity: str, move: str) -> None:
        self.log.append(Entry("t", len(self.log) + 1, seat, identity, move))
        self.at_table = self.at_table.with_entry(self.log[-1])

    @precondition(lambda self: len(self.rules.to_act(self.position)) > 1)
    @rule(data=st.data())
    def wait(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.rules.to_act(self.position)))
        self.turns.append(Turn(self.position, seat, None, self.position))
        self.episode = self.episode.after_move(seat, None)

    @rule(count=st.integers(1, 8))
    def undo(self, count: int) -> None:
        count = min(count, len(self.moves))
        left = len(self.moves) - count
        while len(self.moves) > left:
            self.turns.pop()
        made = [(turn.seat, turn.move) for turn in self.turns]
        self.episode = Episode.begin(self.episode.game, self.start, 0, made)
        self.histories = [history.undo(count) for history in self.histories]
        self.match.history = self.match.history.undo(count)
        for _ in range(count if self.value is not None else 0):
            self.value = self.value.undo()
        if count:
            self.write(TAKEN_BACK, "", str(count))

    @rule(more=st.integers(1, 3))
    def more_moves_than_there_are_cannot_be_undone(self, more: int) -> None:
        for history in self.histories:
            for count in (-more, len(history.moves) + more):
                with pytest.raises(InputError, match="is out of range"):
                    history.undo(count)

    @invariant()
    def an_undo_takes_back_the_last_move_of_a_person(self) -> None:
        seats = range(self.rules.seats)
        for people in chain.from_iterable(
            combinations(seats, count) for count in range(1 + len(seats))
        ):
            length = self.undo_length(set(people or seats))
            for history in (*self.histories, self.match.history, self.at_table.game):
                assert history.undo_length(people) == length

    def undo_length(self, people: set[int]) -> int:
        moves = self.moves
        for count in range(1, len(moves) + 1):
            turn = moves[-count]
            asked = not self.rules.is_settled(turn.before)
            if turn.seat in people and not (asked and moves[-count - 1].seat in people):
                return count
        return len(moves)

    @rule()
    def restart(self) -> None:
        messages = [event_message(self.at_table, entry.version) for entry in self.log]
        self.at_table = VersionedHistory.begin(self.rules, self.start, self.log)
        assert messages == [event_message(self.at_table, entry.version) for entry in self.log]
        self.histories = pickle.loads(pickle.dumps(self.histories))  # noqa: S301  # our own
        self.episode = pickle.loads(pickle.dumps(self.episode))  # noqa: S301  # our own

    @rule(data=st.data())
    def an_illegal_move_changes_nothing(self, data: st.DataObject) -> None:
        seats = set(range(self.rules.seats)).difference(self.rules.to_act(self.position))
        moves = [turn.move for turn in self.moves]
        if seats and moves:
            seat, move = (
                data.draw(st.sampled_from(sorted(seats))),
                data.draw(st.sampled_from(moves)),
            )
            for form in (*self.histories, self.match):
                with pytest.raises(IllegalMove):
                    form.play(seat, move)

    @rule(forget=st.booleans(), told=st.booleans(), count=st.integers(0, 9))
    def look_back(self, forget: bool, told: bool, count: int) -> None:
        steps = tuple(map(self.step, self.moves))
        for history in (*self.histories, self.match.history, self.at_table.game):
            skipped = min(count, len(self.moves))
            assert list(history.transitions(skipped)) == self.moves[skipped:]
            if told:
                assert history.steps() == steps
            assert history.positions() == tuple(self.positions)
            if forget:
                history.forget_positions()

    @invariant()
    def all_forms_agree(self) -> None:
        moves = tuple([(turn.seat, turn.move) for turn in self.moves])
        forms = [self.match.history, self.at_table.game, *self.histories]
        if self.value is not None:
            forms.append(self.value.history)
            assert self.value.positions == tuple(self.positions)
            points = self.rules.points(self.position)
            best = [seat for seat, point in enumerate(points) if point == max(points)]
            is_over = not self.rules.to_act(self.position)
            assert self.value.winners == (tuple(best) if is_over else ())
        for history in forms:
            assert history == forms[0]
            assert (history.start, history.position) == (self.start, self.position)
            assert history.moves == moves
            assert history.chance(self.seed, 0).random() == self.draw(0)
        assert self.at_table.version == len(self.log)
        assert self.at_table.game.steps() == tuple(map(self.step, self.moves))

    def draw(self, purpose: int | str) -> float:
        return Random(f"{self.seed}/{purpose}/{len(self.moves)}").random()

    @invariant()
    def records_agree(self) -> None:
        text, names = self.record(), ["you"] * self.rules.seats
        assert self.histories[0].record(names) == self.match.history.record(names) == text
        seats = [Seat(PERSON)] * self.rules.seats
        moves = [(turn.seat, turn.move) for turn in self.moves]
        assert whole_record(seats, self.rules, self.start, moves) == text
        if self.value is not None:
            assert self.value.record(names) == text
        assert History.of_replay(self.rules, self.rules.replay(text.encode())).moves == tuple(moves)
        recorded = RecordedGame(text, None)
        assert list(recorded.moves) == moves
        assert recorded.events == [self.step(turn).events for turn in self.moves]

    @invariant()
    def an_episode_agrees(self) -> None:
        rules, encoded = self.rules, self.episode.game.encoded
        assert self.episode.position == self.position
        assert [turn[1:3] for turn in self.turns] == list(self.episode.history.moves)
        events = [event for turn in self.turns for event in self.step(turn).events]
        assert list(map(str, self.episode.observations())) == list(map(str, events))
        numbers = [
            (
                turn.seat,
                encoded.action(turn.move, rules.view(turn.before, turn.seat)),
                encoded.outcome(turn.before, turn.after),
            )
            for turn in self.turns
            if encoded.outcomes is not None
        ]
        assert self.episode.encoded_moves() == tuple(numbers)


HistoryMachine.TestCase.settings = settings(max_examples=examples(1000), stateful_step_count=15)
TestHistory = HistoryMachine.TestCase


class Watcher:
    """A player that moves at random, and notes its draws and what it has observed before."""

    def __init__(self, rules: Any, draws: list[tuple[int, float]]) -> None:
        self.rules, self.draws = rules, draws
        self.observed: list[Step] = []

    def observe(self, step: Step) -> None:
        self.observed.append(step)

    def choose(self, view: Any, random: Random) -> Any:
        self.draws.append((len(self.observed), random.random()))
        return random.choice(list(self.rules.moves(view)))


@pytest.mark.parametrize("seed", range(thorough(2, 20)))
@pytest.mark.parametrize("game", GAMES)
def test_a_tournament_draws_observes_and_records_like_a_plain_loop(
    monkeypatch: pytest.MonkeyPatch, game: str, seed: int
) -> None:
    draws: list[tuple[int, float]] = []
    watchers: list[Watcher] = []

    def watcher(rules: Any, argument: str | None) -> Watcher:
        watchers.append(Watcher(rules, draws))
        return watchers[-1]

    plant(monkeypatch, game, "watcher", watcher)
    rules: Any = rules_class(game)(SETTINGS[game][1])
    plan = Tournament(rules, ("watcher",) * max(2, rules.seats), seed, cap=40)
    result = play_game(plan, 0)

    expected: list[tuple[int, float]] = []
    position, chances, steps, whole = plan.start(0), plan.generators(0), list[Step](), 0
    record = rules.record_start(position, plan.names_in(0))
    while whole < plan.cap and (acting := rules.to_act(position)):
        moves = []
        for seat in acting:
            expected.append((len(steps), chances[seat].random()))
            moves.append(chances[seat].choice(list(rules.moves(rules.view(position, seat)))))
        before, seat, move = position, acting[0], moves[0]
        position = rules.after(before, seat, move)
        record += rules.record_move(before, seat, move, position)
        steps.append(Step(seat, tuple(rules.events(before, seat, move, position))))
        whole += rules.is_settled(position)
    assert draws == expected
    assert {tuple(watcher.observed) for watcher in watchers} <= {
        tuple(steps[:count]) for count in range(len(steps) + 1)
    }
    assert (result.moves, result.points) == (whole, tuple(rules.points(position)))
    assert record_of_game(plan, 0) == record
