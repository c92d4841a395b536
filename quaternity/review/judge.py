"""Interface for a game's knowledge about its positions in a review; a registration names the class.

The class `Judge` below serves every game: it has no such knowledge, and lets programs play on.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from quaternity.base.deadline import Deadline
from quaternity.base.sentences import Message
from quaternity.review.recorded_game import RecordedGame, Shares, shared_win
from quaternity.table.games import registration
from quaternity.table.players import make_player


class MoveValue(NamedTuple):
    """The value of a move for the player who made it, compared with another move.

    Attributes:
        played, best: Shares of the win; None if it is only known which one is smaller.
        by: The other move; None if no move is better than the one that was made.
        error: The standard error of the difference; 0 if `exact`.
    """

    played: float | None
    best: float | None
    by: Any
    error: float = 0.0
    exact: bool = True
    note: Message | None = None

    @property
    def mistake(self) -> bool:
        """Whether the other move is better by more than chance explains."""
        if self.by is None or self.played is None or self.best is None:
            return self.by is not None
        return self.best - self.played > 2 * self.error


class Judge:
    """Base class of judges: the questions of a review about a game.

    Attributes:
        player: Name of the program that plays all seats in simulated games.
        cost: Approximate time for a simulated move, in milliseconds.
        advice_cost: Approximate time for advice, in milliseconds.
        draws: Whether hands that fit a view can be drawn fast enough for simulated games.
    """

    player, cost, advice_cost, draws = "", 0.3, 1.0, True

    def __init__(self, rules: Any, deadline: Deadline) -> None:
        self.rules, self.deadline = rules, deadline
        game = registration(rules.name)
        names = (*[level.player for level in game.levels], *game.players)
        self.player = self.player or names[0]

    def notes(self, game: RecordedGame, index: int) -> list[Message]:
        """Return what a player could have known before a move, and did not use."""
        return []

    def chance(self, view: Any, move: Any) -> float | None:
        """Return the exact chance that a request succeeds, given the asker's information."""

    def exact(self, position: Any) -> Shares | None:
        """Return the proved result of best play from a position of an open game, or None."""

    def move_value(self, before: Any, seat: int, move: Any, after: Any) -> MoveValue | None:
        """Return the proved value of a move of an open game, or None."""

    def advice(self, view: Any, random: Random) -> Any:
        """Return a move to compare with the one that was made, or None."""

    def simulate(self, position: Any, random: Random) -> tuple[Shares, float]:
        """Simulate a game to its end with programs; return its result and its cost."""
        rules, count = self.rules, 0
        players = [make_player(rules, self.player) for _ in range(rules.seats)]
        max_moves = registration(rules.name).max_moves
        while count < max_moves and (acting := rules.to_act(position)):
            self.deadline.remaining()
            plans = []
            for seat in acting:
                view, player = rules.view(position, seat), players[seat]
                move = player.choose(view, random)
                if move is not None:
                    waits = len(acting) > 1 and hasattr(player, "delay")
                    plans.append((player.delay(view, random) if waits else 0.0, seat, move))
            if not plans:
                break
            _, seat, move = min(plans, key=lambda plan: plan[:2])
            position, count = rules.after(position, seat, move), count + 1
        return shared_win(rules, position), (count + 1) * self.cost
