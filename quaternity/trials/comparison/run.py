"""Runs of a comparison. A run is the result of one solver on one instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Answer = Literal[
    "feasible", "infeasible", "timeout", "memory", "gave up", "refused", "left out", "wrong",
    "crashed",
]  # fmt: skip
"""Type of the answer of a run: a word that says how the run ended.

`feasible` and `infeasible` are valid verdicts. `timeout` and `memory` mean that a limit of the
comparison was reached, and `gave up` that the solver reached a limit of its implementation.
`refused` means that the solver does not support the problem, and `left out` that its time budget
was spent. `wrong` stands for a wrong or unproved verdict, and `crashed` for any other error.
"""

ANSWERS: tuple[str, ...] = get_args(Answer)

NOT_RUN = ("refused", "left out")
"""Answers of runs in which the solver was not called. These runs have no time."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of one solver on one problem (instance).

    Attributes:
        instance: Name of the instance, which is the same for all solvers.
        family: Name of a family of instances, or size of a game such as 4-13-4, or an empty string
            for states from files.
        cards: Number of cards of the instance. Completed sets do not count.
        players: Number of players of the instance.
        feasible: The verdict that is supported by verified evidence, or None if no solver gave
            evidence.
        round: Number of the run, counted from 0, among the runs of this solver on this instance.
        answer: How the run ended.
        evidence: `deal`, `shortage` (a proof of infeasibility by this solver), `paired` (a proof by
            another solver), or None if there was no valid verdict.
        build: Processor time to build the model, in seconds, or None if there was no valid verdict.
        solve: Processor time to solve the model, in seconds, or None if there was no valid verdict.
        seconds: Processor time of the run in seconds, or wall-clock time if the run raised an error
            or was stopped, or None if the solver was not run.
        memory: Peak memory of the solver's process, in bytes, or None if it was not measured.
        text: The reason if there was no valid verdict, otherwise None.
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
        """Return the seconds of the run, or 0 if the solver was not run."""
        return self.seconds or 0.0

    @property
    def decided(self) -> bool:
        """Return whether the solver gave a valid verdict."""
        return self.answer in ("feasible", "infeasible")

    @property
    def ended(self) -> bool:
        """Return whether the run was stopped at a limit of the solver or of the comparison."""
        return self.answer in ("timeout", "memory", "gave up")

    @property
    def at_fault(self) -> bool:
        """Return whether the solver gave a wrong or unproved verdict, or crashed."""
        return self.answer in ("wrong", "crashed")
