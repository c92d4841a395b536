"""What a game knows about its positions, for a review; a game without a judge has imagined games.

The judge of a game is a class, made of its rules, which the game's registration names as `review`.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from quaternity.base.deadline import Deadline
from quaternity.base.sentences import Kind, Sentence
from quaternity.review.played import Played, Shares, shared_win
from quaternity.table.games import registration
from quaternity.table.players import make_player

COULD_HAVE_WON = Kind(
    "could_have_won", "'{best}' would have forced the win; after this move it is not forced."
)


class Worth(NamedTuple):
    """What a move was worth to who made it, beside a better one, or beside the one advised.

    Attributes:
        played, best: the part of the win; `played` is None where it is only known to be less.
        by: the move that was compared; None where the move made is as good as any.
        error: the standard error of the difference; 0 if `exact`.
    """

    played: float | None
    best: float
    by: Any
    error: float
    exact: bool
    text: Sentence | None = None

    @property
    def mistake(self) -> bool:
        """Whether the other move is better, beyond what chance explains."""
        if self.by is None:
            return False
        return self.played is None or self.best - self.played > 2 * self.error


class Judge:
    """What a review asks of a game.

    Attributes:
        rules: the game.
        player: the name of the program that plays imagined games in all seats.
        cost: about how many milliseconds an imagined move takes: work is limited by it, not by a
            clock, so that a seed gives the same review.
    """

    player, cost = "", 0.3

    def __init__(self, rules: Any) -> None:
        self.rules = rules
        game = registration(rules.name)
        if not self.player:
            self.player = game.levels[0].player if game.levels else next(iter(game.players))

    def notes(self, game: Played, index: int) -> list[Sentence]:
        """Return what could be known before a move, and was not used."""
        del game, index
        return []

    def chance(self, view: Any, move: Any, seconds: float) -> float | None:
        """Return the exact chance that a request succeeds, as its asker can know it."""
        del view, move, seconds
        return None

    def exact(self, position: Any) -> Shares | None:
        """Return how an open position ends with best play, where the engine says so."""
        del position
        return None

    def worth(self, before: Any, seat: int, move: Any, after: Any) -> Worth | None:
        """Return what a move was worth in an open game, where the engine says so."""
        del before, seat, move, after
        return None

    def advice(self, view: Any, random: Random) -> Any:
        """Return a move to compare with the one that was made; None where there is none."""
        del view, random
        return None

    def imagined(self, position: Any, random: Random, deadline: Deadline) -> tuple[Shares, float]:
        """Play a game to its end, as programs might; return its result and its cost."""
        rules, count = self.rules, 0
        players = [make_player(rules, self.player) for _ in range(rules.seats)]
        most = registration(rules.name).max_moves
        while count < most and (acting := rules.to_act(position)):
            deadline.left()
            chosen = []
            for seat in acting:
                view = rules.view(position, seat)
                move = players[seat].choose(view, random)
                if move is not None:
                    delay = getattr(players[seat], "delay", None) if len(acting) > 1 else None
                    chosen.append((0.0 if delay is None else delay(view, random), seat, move))
            if not chosen:
                break
            _, seat, move = min(chosen, key=lambda plan: plan[:2])
            position, count = rules.after(position, seat, move), count + 1
        return shared_win(rules, position), (count + 1) * self.cost
