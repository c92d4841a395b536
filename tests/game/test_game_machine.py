"""Games of Quaternity, played step by step by Hypothesis beside all deals that fit the history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant

from quaternity import Answer, Game, Move, Question, Settings, State
from quaternity.game.encoded import QuaternityEncoded
from quaternity.game.rules import QuaternityMove, QuaternityPosition, QuaternityRules
from quaternity.table.played_game import PlayedGame
from solvers import SOLVERS, verify
from solvers.brute_force import deals
from tests.game.worlds import World, Worlds
from tests.sizes import examples
from tests.table.machine import TableMachine

SIZES = [(2, 2, 2), (3, 2, 2), (2, 3, 2), (2, 3, 3), (3, 3, 3), (3, 2, 3)]
"""Sizes with at most 1680 deals at the start."""


def worlds_of(state: State) -> frozenset[World]:
    """Return the deals of a state's problem, with completed sets filled in."""
    return frozenset(
        tuple(
            owner
            for cards, done in zip(deal.owner, state.completed, strict=True)
            for owner in (cards if done is None else (done,) * state.set_size)
        )
        for deal in deals(state.problem)
    )


class PlayedQuaternity(
    PlayedGame[Settings, QuaternityPosition, QuaternityMove, QuaternityPosition]
):
    """A game in which an answer is a move of its own, as at a table."""

    rules_class = QuaternityRules
    settings_class = Settings
    move_class = Question | Answer


@dataclass(frozen=True)
class QuaternityModel:
    """All deals that fit the history, and the question that waits for an answer."""

    worlds: Worlds
    record: str
    pending: Question | None = None
    events: tuple[str, ...] = ()
    seats = property(lambda self: self.worlds.settings.players)

    @classmethod
    def starts(cls, size: tuple[int, int, int], brisk: bool) -> list[QuaternityModel]:
        head = "quaternity 1\nset-size {}\nsets {}\nplayers {}\ntie-break first-in-order\n"
        record = head.format(*size) + "brisk yes\n" * brisk
        return [cls(Worlds.start(Settings(*size, brisk=brisk)), record)]

    @cached_property
    def completed(self) -> tuple[int | None, ...]:
        return self.worlds.completed_sets()

    @cached_property
    def legal(self) -> dict[Question, tuple[Answer, ...]]:
        return self.worlds.legal()

    @property
    def acting(self) -> tuple[int, ...]:
        if self.pending is not None:
            return (self.pending.asked,)
        return (self.worlds.turn,) if None in self.completed else ()

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(self.completed.count(player) for player in range(self.seats))

    def moves(self, seat: int) -> list[str]:
        return [*map(str, Answer if self.pending is not None else self.legal)]

    def likely_move(self, seat: int) -> st.SearchStrategy[str]:
        return st.sampled_from(self.moves(seat))

    def any_move(self) -> st.SearchStrategy[str]:
        numbers = (st.integers(0, 3) for _ in range(4))
        question = st.builds("{} asks {} for {}/{}".format, *numbers)
        return question | st.sampled_from([*map(str, Answer)])

    def after(self, seat: int, text: str) -> QuaternityModel:
        if self.pending is not None:
            line = f"{self.pending}: {text}"
            return self.answered(self.pending, Answer.parse(text), f" {text}\n", line)
        question = Question.parse(text)
        answer, *others = self.legal[question]
        if others:
            return QuaternityModel(self.worlds, f"{self.record}{text}:", question, (text,))
        line = f"{text}: {answer}"
        return self.answered(question, answer, f"{line}\n", f"{line} (the only possible answer)")

    def answered(
        self, question: Question, answer: Answer, added: str, event: str
    ) -> QuaternityModel:
        after = QuaternityModel(self.worlds.after(question, answer), self.record + added)
        new = [
            f"player {owner} completes set {index}"
            for index, owner in enumerate(after.completed)
            if owner != self.completed[index]
        ]
        return QuaternityModel(after.worlds, after.record, None, (event, *new))

    def document(self, seat: int | None) -> dict[str, Any]:
        return {
            "turn": self.worlds.turn, "hands": list(self.worlds.hands()),
            "completed": list(self.completed), "over": not self.acting,
            "question": None if self.pending is None else str(self.pending),
        }  # fmt: skip

    def may_be(self, position: QuaternityPosition, seat: int | None) -> bool:
        return worlds_of(position.state) == self.worlds.possible


class QuaternityMachine(TableMachine):
    """The rules of Quaternity and the possible deals play the same game."""

    kind = PlayedQuaternity
    starts = st.builds(QuaternityModel.starts, st.sampled_from(SIZES), st.booleans())
    max_opening = 8
    needs_line_end = False

    @staticmethod
    def move_of(text: str) -> QuaternityMove:
        return Question.parse(text) if "asks" in text else Answer.parse(text)

    @staticmethod
    def arrange(moves: Iterable[str]) -> list[str]:
        return sorted(moves)

    @invariant()
    def views_are_those_of_the_model(self) -> None:
        """Facts are stated, not deduced, so they are compared by the deals that they allow."""
        state = self.game.position.state
        shown = self.game.rules.view_json(self.game.view())
        owners, low = shown.pop("owners"), shown.pop("minimum")
        assert shown == self.model.document(None)
        waits = f"\n{self.model.pending}: yes or no?"
        board = self.game.board()
        assert board.endswith(waits) == ("yes or no" in board) == (self.model.pending is not None)
        assert worlds_of(state) == self.model.worlds.possible
        for world in self.model.worlds.possible:
            for index, cards in enumerate(owners):
                held = self.model.worlds.cards_of(world, index)
                assert all(owner in able for owner, able in zip(held, cards, strict=True))
                assert all(
                    held.count(player) >= low[player][index] for player in range(state.players)
                )

    @invariant()
    def solvers_find_the_verdict_and_the_questions(self) -> None:
        state = self.game.position.state
        assert verify(state.problem, state.verdict())
        assert dict(state.legal_questions.items()) == self.model.legal
        by_flow = state.legal_questions_by(SOLVERS["max-flow"])
        assert dict(by_flow.items()) == self.model.legal

    @invariant()
    def a_mask_for_learning_programs_has_the_legal_moves(self) -> None:
        encoded, position = QuaternityEncoded(self.game.rules), self.game.position
        moves = [text for seat in self.model.acting for text in self.model.moves(seat)]
        actions = {encoded.action(self.move_of(text), position): text for text in moves}
        mask = encoded.mask(position)
        assert len(mask) == encoded.actions
        assert {action for action, is_legal in enumerate(mask) if is_legal} == actions.keys()
        assert {action: str(encoded.move(action, position)) for action in actions} == actions

    @invariant()
    def a_game_as_a_value_has_the_settled_states(self) -> None:
        models = [model for model in self.models if model.pending is None]
        settled = [position for position in self.game.positions if position.pending is None]
        game = Game.parse(models[-1].record)
        assert game.states == tuple(position.state for position in settled)
        assert (game.record(), game.points) == (models[-1].record, models[-1].points)
        assert game.board() == str(game) == self.game.rules.show(settled[-1])
        assert game.turn == (models[-1].acting or (None,))[0]
        winners = game.winners
        assert winners == (self.game.winners if game.is_over else ())
        assert game.state.winner == (winners[0] if len(winners) == 1 else None)
        assert [*game.legal_moves] == [
            Move(question, answer)
            for question in game.legal_questions
            for answer in models[-1].legal[question]
        ]
        earlier = [model.worlds == models[-1].worlds for model in models]
        assert game.repeats() == (
            earlier.index(True) if earlier.index(True) < len(game.moves) else None
        )
        if game.moves:
            (question, answer), before = game.moves[-1], game.undo()
            assert before.play(f"{question}: {answer}") == game
            assert before.ask(str(question), str(answer)) == game


QuaternityMachine.TestCase.settings = settings(max_examples=examples(200), stateful_step_count=15)
TestGames = QuaternityMachine.TestCase
