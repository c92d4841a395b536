"""A state machine for the games of the table: the program and a naive model play the same game.

A model is an immutable value that names moves by their text in a record. It has the attributes
`seats`, `record` (the text of the whole game), `events` (the public sentences about the last move),
`acting` (the seats that may move) and `points`, and these methods:

    moves(seat)          the legal moves of a seat that may act, in order
    likely_move(seat)    a strategy for legal moves that lead to interesting positions
    any_move()           a strategy for moves, most of them illegal
    after(seat, move)    the model after a legal move
    document(seat)       the view of a seat (None is a bystander) as a JSON value
    may_be(position, seat)    whether a seat considers a position possible
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from quaternity.errors import IllegalMove
from quaternity.table.history import History
from quaternity.table.played_game import PlayedGame


class TableMachine(RuleBasedStateMachine):
    """A game as a value, its history and its model."""

    kind: ClassVar[type[PlayedGame[Any, Any, Any, Any]]]
    starts: ClassVar[st.SearchStrategy[list[Any]]]
    """Strategy for the models of a game's first positions."""
    max_opening: ClassVar[int]
    """Maximum number of moves before the first check."""
    needs_line_end: ClassVar[bool] = True
    """Whether a last line without a line end is an incomplete move."""

    @staticmethod
    def move_of(text: str) -> Any:
        """Return the move with a text."""
        raise NotImplementedError

    @staticmethod
    def arrange(moves: Iterable[str]) -> list[str]:
        """Return legal moves in the order in which they are compared with those of the model."""
        return list(moves)

    @property
    def model(self) -> Any:
        return self.models[-1]

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.models: list[Any] = data.draw(self.starts)
        self.game: Any = self.kind.parse(self.model.record)
        game, stored = self.game, data.draw(st.integers(1, 3))
        self.history = History(game.rules, game.positions[0], game.moves, game.positions, stored)
        lengths = st.sampled_from((0, self.max_opening)) | st.integers(0, self.max_opening)
        for _ in range(data.draw(lengths)):
            if self.model.acting:
                self.play(data)

    @precondition(lambda self: not self.model.acting)
    @rule(data=st.data())
    def begin_again(self, data: st.DataObject) -> None:
        self.begin(data)

    @precondition(lambda self: self.model.acting)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.model.acting))
        text = data.draw(self.model.likely_move(seat))
        move = self.move_of(text)
        after = self.game.play(text if data.draw(st.booleans()) else move, seat)
        assert after.undo() == self.game
        self.game = after
        self.models.append(self.model.after(seat, text))
        self.history = self.history.play(seat, move)

    @rule(data=st.data())
    def illegal_moves_are_refused(self, data: st.DataObject) -> None:
        seat = data.draw(st.integers(0, self.model.seats - 1))
        model = data.draw(st.sampled_from(self.models[-2:]))
        earlier = [move for other in model.acting[:1] for move in model.moves(other)]
        legal = self.model.moves(seat) if seat in self.model.acting else []
        texts = self.model.any_move() | (st.sampled_from(earlier) if earlier else st.nothing())
        for text in set(data.draw(st.lists(texts, min_size=4, max_size=8))).difference(legal):
            with pytest.raises(IllegalMove) as refused:
                self.game.play(self.move_of(text), seat)
            assert refused.value.faults

    @rule(count=st.integers(1, 4), forget=st.booleans())
    def undo(self, count: int, forget: bool) -> None:
        count = min(count, len(self.models) - 1)
        if forget:
            self.history.forget_positions()
            assert self.history.positions() == self.game.positions
        for _ in range(count):
            self.game = self.game.undo()
        self.history = self.history.undo(count)
        del self.models[len(self.models) - count :]

    @rule(data=st.data())
    def a_record_is_read_to_its_last_whole_move(self, data: st.DataObject) -> None:
        texts = [model.record for model in self.models]
        head, text = len(texts[0]), texts[-1]
        ends = [end for end in range(head, len(text) + 1) if text[end - 1] == "\n"]
        for cut in (*ends[-3:], data.draw(st.sampled_from(ends) | st.integers(head, len(text)))):
            replay = self.game.rules.replay(text[:cut].encode())
            whole = cut + (text[cut : cut + 1] == "\n" and not self.needs_line_end)
            left = sum(len(text) <= whole for text in texts)
            assert replay.positions == self.game.positions[:left]
            assert replay.moves == self.game.moves[: left - 1]
            assert replay.ends == tuple(min(len(text), cut) for text in texts[:left])
            assert bool(replay.warnings) == bool(text[len(texts[left - 1]) : cut].strip())

    @rule(seed=st.integers(0, 9), data=st.data())
    def an_imagined_position_is_possible(self, seed: int, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from((None, *range(self.model.seats))))
        view = self.game.view(seat)
        position = self.game.rules.like(view, Random(seed))
        assert self.game.rules.view(position, seat) == view
        assert self.model.may_be(position, seat)

    @invariant()
    def views_are_those_of_the_model(self) -> None:
        for seat in (None, *range(self.model.seats)):
            assert self.game.rules.view_json(self.game.view(seat)) == self.model.document(seat)

    @invariant()
    def moves_and_points_are_those_of_the_model(self) -> None:
        acting, points = self.model.acting, self.model.points
        assert self.game.to_act == acting
        legal = {move: None for seat in acting for move in self.model.moves(seat)}
        assert self.arrange(map(str, self.game.legal_moves)) == self.arrange(legal)
        if acting:
            seat = acting[len(self.models) % len(acting)]
            moves = self.game.rules.moves(self.game.view(seat))
            assert self.arrange(map(str, moves)) == self.arrange(self.model.moves(seat))
        assert self.game.points == points
        first = [seat for seat, point in enumerate(points) if point == max(points)]
        assert self.game.winners == (() if acting else tuple(first))

    @invariant()
    def the_record_and_the_history_are_those_of_the_model(self) -> None:
        assert self.game.record() == self.model.record
        assert self.history.position == self.game.position
        assert self.history == self.game.history
        for model, step in zip(self.models[:0:-1], reversed(self.history.steps()), strict=True):
            assert tuple(map(str, step.events)) == model.events
