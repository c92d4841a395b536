"""What a campaign counts, and what it finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from solvers.judgement import Judgement


@dataclass(frozen=True, slots=True)
class Finding:
    """A disagreement, or a verdict or a rule that does not stand.

    Attributes:
        where: "problem" or "game".
        text: sentences that say what is wrong.
        state_file: the text of a state file that shows it, made as small as could be.
        moves: of a game, the moves that led there.
    """

    where: str
    text: str
    state_file: str
    moves: tuple[str, ...] = ()


@dataclass(slots=True)
class Tally:
    """What was looked at.

    Attributes:
        counts: "feasible" and "infeasible" problems, "games", "positions" of games, "candidates"
            for questions with answers.
        refused, gave_up: per solver, how many problems it did not decide, those of games included.
    """

    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    gave_up: Counter[str] = field(default_factory=Counter)

    @property
    def examples(self) -> int:
        """Problems and games."""
        return self.counts["feasible"] + self.counts["infeasible"] + self.counts["games"]

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.counts += other.counts
        self.refused += other.refused
        self.gave_up += other.gave_up

    def judged(self, judgement: Judgement) -> None:
        """Count who did not decide a problem."""
        self.refused.update(judgement.refused.keys())
        self.gave_up.update(judgement.gave_up.keys())


__all__ = ["Finding", "Tally"]
