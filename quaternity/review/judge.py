"""What a game knows about its positions, for a review: a class that its registration names.

The class below serves every game: it knows nothing, and lets programs play on.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from quaternity.base.deadline import Deadline
from quaternity.base.sentences import Sentence
from quaternity.review.played import Played, Shares, shared_win
from quaternity.table.games import registration
from quaternity.table.players import make_player


class Worth(NamedTuple):
    """What a move was worth to who made it, beside another one.

    Attributes:
        played, best: the part of the win; None where it is only known which is less.
        by: the other move; None where the move made is as good as any.
        error: the standard error of the difference; 0 if `exact`.
    """

    played: float | None
    best: float | None
    by: Any
    error: float = 0.0
    exact: bool = True
    note: Sentence | None = None

    @property
    def mistake(self) -> bool:
        """Whether the other move is better, beyond what chance explains."""
        if self.by is None or self.played is None or self.best is None:
            return self.by is not None
        return self.best - self.played > 2 * self.error


class Judge:
    """What a review asks of a game.

    Attributes:
        player: the name of the program that plays imagined games in all seats.
        cost: about how many milliseconds an imagined move takes.
        advising: about how many advice takes.
        draws: whether hands that fit a view are drawn soon enough for imagined games.
    """

    player, cost, advising, draws = "", 0.3, 1.0, True

    def __init__(self, rules: Any, deadline: Deadline) -> None:
        self.rules, self.deadline = rules, deadline
        game = registration(rules.name)
        names = (*[level.player for level in game.levels], *game.players)
        self.player = self.player or names[0]

    def notes(self, game: Played, index: int) -> list[Sentence]:
        """Return what could be known before a move, and was not used."""
        return []

    def chance(self, view: Any, move: Any) -> float | None:
        """Return the exact chance that a request succeeds, as its asker can know it."""

    def exact(self, position: Any) -> Shares | None:
        """Return how an open position ends with best play, where that is proved."""

    def worth(self, before: Any, seat: int, move: Any, after: Any) -> Worth | None:
        """Return what a move was worth in an open game, where that is proved."""

    def advice(self, view: Any, random: Random) -> Any:
        """Return a move to compare with the one that was made; None where there is none."""

    def imagined(self, position: Any, random: Random) -> tuple[Shares, float]:
        """Play a game to its end, as programs might; return its result and its cost."""
        rules, count = self.rules, 0
        players = [make_player(rules, self.player) for _ in range(rules.seats)]
        most = registration(rules.name).max_moves
        while count < most and (acting := rules.to_act(position)):
            self.deadline.left()
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
