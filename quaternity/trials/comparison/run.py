"""One solver on one instance, once: the row that everything about a comparison is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Answer = Literal[
    "feasible", "infeasible", "timeout", "memory", "gave up", "refused", "left out", "wrong",
    "crashed",
]  # fmt: skip
"""How a run ended: either verdict; one of two limits of ours; a limit of its own; a problem that it
does not take; not run, its budget being spent; a verdict that is not so; anything else."""

ANSWERS: tuple[str, ...] = get_args(Answer)

NOT_RUN = ("refused", "left out")
"""Answers of a solver that was not run; such runs have no time."""


@dataclass(frozen=True, slots=True)
class Run:
    """One solver on one instance, once.

    Attributes:
        instance: its name, the same for all solvers.
        family: of the instance: a family of instances, the size of a game as 4-13-4, or empty for
            states of files.
        cards, players: its size, completed sets not counted.
        feasible: what is so, by evidence that verified; None where nobody had any.
        round: which run of this solver on this instance, from 0.
        evidence: what proved it: `deal`, `shortage` of its own, or `paired` with a shortage of
            another solver; None without a verdict.
        build, solve: seconds of processor time of both steps; None where it did not answer.
        seconds: the time of the run, or its time limit if it was stopped. None if the solver was
            not run, because it refused the instance or had no budget left.
        memory: bytes it needed at most beyond those before it; None where nobody looked.
        text: why, where it did not answer.
    """

    instance: str
    family: str
    cards: int
    players: int
    feasible: bool | None
    solver: str
    round: int
    answer: Answer
    evidence: Literal["deal", "shortage", "paired"] | None
    build: float | None
    solve: float | None
    seconds: float | None
    memory: int | None = None
    text: str | None = None

    @property
    def cost(self) -> float:
        """Return the seconds of the run, 0 if the solver was not run."""
        return self.seconds or 0.0

    @property
    def decided(self) -> bool:
        """Return whether it gave a verdict that stands."""
        return self.answer in ("feasible", "infeasible")

    @property
    def ended(self) -> bool:
        """Return whether it gave up at a limit, its own or ours."""
        return self.answer in ("timeout", "memory", "gave up")

    @property
    def at_fault(self) -> bool:
        """Return whether it gave a wrong or unproved verdict, or crashed."""
        return self.answer in ("wrong", "crashed")
