"""Default encoding of moves and views as numbers, for games that define no encoding themselves."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from random import Random
from typing import Any

from quaternity.base.errors import InputError, LimitError

MAX_OFFERED_MOVES = 512
"""Maximum number of legal moves in a position that can be encoded."""

MAX_VIEW_BYTES = 8192
"""Maximum size of a player's view as a JSON document, in bytes."""

START_COUNT = 1000
"""Number of initial positions from which a random start is drawn."""


class PlainEncoded:
    """Encoding for the rules of any game (see `quaternity.environments.episode.Encoded`).

    Action k is the k-th legal move, counted from 0, and the last action is to wait. A view is
    encoded as the bytes of its JSON document with sorted keys. Each byte is divided by 255, and the
    document is padded with zeros. A random start is one of `START_COUNT` fixed positions.
    """

    actions = MAX_OFFERED_MOVES + 1
    points = (-1e6, 1e6)
    outcomes = None
    entries: tuple[tuple[str, int, str], ...] = (
        ("document", MAX_VIEW_BYTES, "the bytes of the view in JSON, each divided by 255"),
    )

    def __init__(self, rules: Any) -> None:
        self.rules = rules

    def action(self, move: Any, view: Any) -> int:
        """Return the action number of a legal move. None stands for waiting.

        Raise `InputError` if the move is not legal.
        """
        if move is None:
            return MAX_OFFERED_MOVES
        try:
            return self._legal_moves(view).index(move)
        except ValueError:
            raise InputError(f"{move} is not a legal move") from None

    def move(self, action: int, view: Any) -> Any:
        """Return the move of an action number. None stands for waiting.

        Raise `InputError` if no legal move has this number.
        """
        offered = self._legal_moves(view)
        if action == MAX_OFFERED_MOVES:
            return None
        if not 0 <= action < len(offered):
            raise InputError(
                f"action {action} is not legal; choose from 0..{len(offered) - 1}, "
                f"or {MAX_OFFERED_MOVES} to wait"
            )
        return offered[action]

    def mask(self, view: Any) -> bytes:
        """Return a byte for each action: 1 if it is legal for the seat of the view, else 0."""
        offered = len(self._legal_moves(view))
        return b"\1" * offered + bytes(self.actions - offered)

    def numbers(self, view: Any) -> memoryview[float]:
        """Return the view's JSON document as numbers between 0 and 1.

        Raise `LimitError` if the document is longer than `MAX_VIEW_BYTES`.
        """
        document = json.dumps(self.rules.view_json(view), sort_keys=True).encode()
        if len(document) > MAX_VIEW_BYTES:
            raise LimitError(
                f"the view has {len(document)} bytes, and the limit is {MAX_VIEW_BYTES}: "
                f"set `encoded` in the registration of {self.rules.name}"
            )
        values = array("f", [byte / 255 for byte in document.ljust(MAX_VIEW_BYTES, b"\0")])
        return memoryview(values.tobytes()).cast("f")

    def outcome(self, before: Any, after: Any) -> bytes:
        """Return empty bytes, because this encoding does not record results of moves."""
        del before, after
        return b""

    def chance(self, drawn: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Return the numbers of the possible initial positions, each with its probability.

        The result is empty after a draw, and if the first position is not random.
        """
        if drawn or not self._has_chance():
            return ()
        return [(number, 1 / START_COUNT) for number in range(START_COUNT)]

    def initial_position(self, drawn: Sequence[int]) -> Any:
        """Return the initial position that results from a random draw."""
        return self.rules.start(Random(drawn[0] if drawn else 0))

    def _has_chance(self) -> bool:
        first = self.rules.start(Random(0))
        return any(self.rules.start(Random(seed)) != first for seed in range(1, 9))

    def _legal_moves(self, view: Any) -> list[Any]:
        offered = list(self.rules.moves(view))
        if len(offered) > MAX_OFFERED_MOVES:
            raise LimitError(
                f"there are {len(offered)} legal moves, and the limit is {MAX_OFFERED_MOVES}: "
                f"set `encoded` in the registration of {self.rules.name}"
            )
        return offered
