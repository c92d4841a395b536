"""Interface of judges, which evaluate the positions and moves of a game for its review.

The registration of a game names its subclass of `Judge`. The base class `Judge` also works for
games that have no subclass: it simulates games between programs.
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
    """Value of a move for the player who made it, compared with another move.

    Attributes:
        played: The player's expected share of the win (0 to 1) after the actual move.
        best: The player's expected share of the win after the other move. Both are None if it is
            only known that the other move is better.
        by: The other move, or None if no move is better than the actual move.
        error: The standard error of the difference, which is 0 if `exact` is true.
    """

    played: float | None
    best: float | None
    by: Any
    error: float = 0.0
    exact: bool = True
    note: Message | None = None

    @property
    def mistake(self) -> bool:
        """Whether the other move is better, and the difference is statistically significant."""
        if self.by is None or self.played is None or self.best is None:
            return self.by is not None
        return self.best - self.played > 2 * self.error


class Judge:
    """Base class of judges, which evaluate the positions and moves of a game for its review.

    Attributes:
        player: Name of the program that plays all seats in simulated games.
        cost: Approximate time of a simulated move, in milliseconds.
        advice_cost: Approximate time of a call of `advice`, in milliseconds.
        draws: Whether hands that fit a view can be drawn fast enough for simulated games.
    """

    player, cost, advice_cost, draws = "", 0.3, 1.0, True

    def __init__(self, rules: Any, deadline: Deadline) -> None:
        self.rules, self.deadline = rules, deadline
        game = registration(rules.name)
        names = (*[level.player for level in game.levels], *game.players)
        self.player = self.player or names[0]

    def notes(self, game: RecordedGame, index: int) -> list[Message]:
        """Return sentences about facts that a player could know, but did not use in a move.

        `index` is the index of the move, counted from 0.
        """
        return []

    def chance(self, view: Any, move: Any) -> float | None:
        """Return the exact chance that a request succeeds, given what the asker has seen."""

    def exact(self, position: Any) -> Shares | None:
        """Return each seat's share of the win (0 to 1) under best play, or None if unknown.

        The game must have no hidden cards.
        """

    def move_value(self, before: Any, seat: int, move: Any, after: Any) -> MoveValue | None:
        """Return the proved value of a move, compared with the best move, or None if unknown.

        The game must have no hidden cards.
        """

    def advice(self, view: Any, random: Random) -> Any:
        """Return a good move, for comparison with the actual move. None if unknown."""

    def simulate(self, position: Any, random: Random) -> tuple[Shares, float]:
        """Play a game from a position to its end, with programs in all seats.

        Return each seat's share of the win (0 to 1), and the cost of the simulation: its estimated
        time in milliseconds. Costs limit the number of simulated games. Because they are not
        measured, a review can be repeated exactly.
        """
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
