"""The counts of a campaign, and its findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from solvers.judgement import Judgement
from solvers.problem import DealProblem

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Finding:
    """A disagreement, or a verdict or a rule that does not hold, in a "problem" or a "game".

    `state_file` is the text of a file of a state that shows it, as small as possible, or of a deal
    problem if no game has that state.
    """

    where: str
    text: str
    state_file: str
    moves: tuple[str, ...] = ()


class Shape(NamedTuple):
    """Kind, size and verdict of an example; of a game, the size at its start.

    The kind is "game", or of a problem "loosened", "spoilt" or "brink" (see `examples`).
    """

    kind: str
    players: int
    cards: int
    feasible: bool

    @classmethod
    def of(cls, kind: str, problem: DealProblem, feasible: bool) -> Shape:
        """Return the shape of a problem."""
        return cls(kind, problem.players, problem.cards, feasible)


@dataclass(slots=True)
class Tally:
    """Counts of the examples that were judged.

    Attributes:
        counts: "positions" of games, and "candidates" for questions with answers.
        refused, gave_up: per solver, how many problems it did not decide, those of games included.
    """

    shapes: Counter[Shape] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    gave_up: Counter[str] = field(default_factory=Counter)

    @property
    def examples(self) -> int:
        """Problems and games."""
        return self.shapes.total()

    @property
    def games(self) -> int:
        """Games alone."""
        return self.by(lambda shape: shape.kind)["game"]

    def problems(self, feasible: bool) -> int:
        """Problems of one verdict."""
        return self.by(lambda shape: (shape.kind != "game", shape.feasible))[True, feasible]

    def by(self, key: Callable[[Shape], Key]) -> Counter[Key]:
        """Count the examples by a key of their shapes."""
        counts: Counter[Key] = Counter()
        for shape, count in self.shapes.items():
            counts[key(shape)] += count
        return counts

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        self.shapes.update(other.shapes)
        self.counts.update(other.counts)
        self.refused.update(other.refused)
        self.gave_up.update(other.gave_up)

    def judged(self, judgement: Judgement) -> None:
        """Count the solvers that did not decide a problem."""
        self.refused.update(judgement.refused.keys())
        self.gave_up.update(judgement.gave_up.keys())
