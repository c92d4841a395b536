"""Counts of the problems and games of a fuzzing campaign, and the faults that they revealed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from solvers.cross_check import Judgement
from solvers.problem import DealProblem

Key = TypeVar("Key", bound=Hashable)

CARD_RANGE_ENDS = (4, 8, 12, 20, 36, 52, 144)
"""Upper ends of the ranges of card numbers by which `Tally.coverage` counts examples."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a solver, such as a wrong or unproved verdict, or a fault of the engine.

    Attributes:
        where: "problem" or "game".
        state_file: Text of a minimized state file that shows the fault. If no game has this state,
            it is the text of a deal problem file.
        moves: The moves of the game, as text. A problem has no moves.
    """

    where: str
    text: str
    state_file: str
    moves: tuple[str, ...] = ()


class Shape(NamedTuple):
    """The kind, the size and the verdict of a tested example.

    The kind is "game", or the kind of a problem: "loosened", "spoilt" or "brink" (see `examples`).
    The size of a game is that of its initial state. `feasible` says whether there is a deal.
    """

    kind: str
    players: int
    cards: int
    feasible: bool

    @classmethod
    def of(cls, kind: str, problem: DealProblem, feasible: bool) -> Shape:
        """Return the kind, size and verdict of a problem as a `Shape`."""
        return cls(kind, problem.players, problem.cards, feasible)


@dataclass(slots=True)
class Tally:
    """Counts of the judged examples.

    Attributes:
        shapes: Number of examples of each shape.
        counts: Numbers of checked "positions" of games, and of "candidates" (pairs of a question
            and an answer) in these positions.
        refused: Number of problems that each solver refused, including those of games.
        gave_up: Number of problems on which each solver gave up, including those of games.
    """

    shapes: Counter[Shape] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    gave_up: Counter[str] = field(default_factory=Counter)

    @property
    def examples(self) -> int:
        """Number of examples, which are problems and games."""
        return self.shapes.total()

    @property
    def games(self) -> int:
        """Number of games that were tested."""
        return self.count_by(lambda shape: shape.kind)["game"]

    def problems(self, feasible: bool) -> int:
        """Return the number of feasible (or infeasible) problems. Games do not count."""
        return self.count_by(lambda shape: (shape.kind != "game", shape.feasible))[True, feasible]

    def count_by(self, key: Callable[[Shape], Key]) -> Counter[Key]:
        """Count the tested examples by a property, such as the number of players.

        `key` is a function that takes the `Shape` of an example and returns the property.
        """
        counts: Counter[Key] = Counter()
        for shape, count in self.shapes.items():
            counts[key(shape)] += count
        return counts

    def coverage(self) -> dict[str, dict[str, int]]:
        """Count the examples by kind, by number of players and by number of cards.

        Return a dictionary for each of these properties, for the report of the test.
        """
        by_kind = self.count_by(lambda shape: (shape.kind, shape.feasible))
        by_players = self.count_by(lambda shape: shape.players)
        by_cards = self.count_by(
            lambda shape: next(end for end in CARD_RANGE_ENDS if shape.cards <= end)
        )
        return {
            "kinds": {
                kind if kind == "game" else f"{kind}, {'' if feasible else 'in'}feasible": count
                for (kind, feasible), count in sorted(by_kind.items(), reverse=True)
            },
            "players": {str(players): count for players, count in sorted(by_players.items())},
            "cards_up_to": {str(end): count for end, count in sorted(by_cards.items())},
        }

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        self.shapes.update(other.shapes)
        self.counts.update(other.counts)
        self.refused.update(other.refused)
        self.gave_up.update(other.gave_up)

    def count_undecided(self, judgement: Judgement) -> None:
        """Count the solvers that refused a problem or gave up on it."""
        self.refused.update(judgement.refused.keys())
        self.gave_up.update(judgement.gave_up.keys())
