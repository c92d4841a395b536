"""The history of a game: its positions can be restored, whichever of them are kept."""

from typing import Any

from quaternity.table.history import GameHistory, whole_events
from quaternity.table.protocol import Step


class Forgets(GameHistory[Any, Any, Any]):
    """A history that keeps only the first and the last position."""

    keeps_positions = False


def test_events_have_the_numbers_of_their_moves() -> None:
    steps = [Step(0, ("a", "b")), Step(1, ()), Step(0, ("c",))]
    assert whole_events(steps) == [(1, "a"), (1, "b"), (3, "c")]
    assert whole_events(steps, 7) == [(7, "a"), (7, "b"), (9, "c")]
