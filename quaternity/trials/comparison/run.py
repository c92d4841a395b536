"""A run: one solver on one instance, once. A comparison consists of such runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Answer = Literal[
    "feasible", "infeasible", "timeout", "memory", "gave up", "refused", "left out", "wrong",
    "crashed",
]  # fmt: skip
"""How a run ended.

`feasible` and `infeasible` are verdicts. `timeout` and `memory` are our limits, `gave up` is a
limit of the solver. `refused` means that the solver does not support the problem, `left out` that
its time budget was spent. `wrong` is a wrong or unproved verdict, `crashed` any other error."""

ANSWERS: tuple[str, ...] = get_args(Answer)

NOT_RUN = ("refused", "left out")
"""Answers of a solver that was not run; such runs have no time."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one solver on one instance.

    Attributes:
        instance: Name of the instance, the same for all solvers.
        family: A family of instances, the size of a game such as 4-13-4, or empty for states of
            files.
        cards: Number of cards of the instance, without completed sets.
        players: Number of players of the instance.
        feasible: The verdict by verified evidence; None if no solver gave evidence.
        solver: Name of the solver.
        round: Number of this run among the runs of the solver on the instance, from 0.
        answer: How the run ended.
        evidence: `deal`, `shortage` (of the solver itself), or `paired` (with a shortage of another
            solver); None without a verdict.
        build: Seconds of processor time to build the model; None if there was no valid verdict.
        solve: Seconds of processor time to solve the model; None if there was no valid verdict.
        seconds: Processor time of the run, or wall-clock time if it raised an error or was stopped.
            None if the solver was not run, because it refused the instance or had no budget left.
        memory: Peak memory of the solver's process, in bytes; None if it was not measured.
        text: The reason if there was no valid verdict, else None.
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
        """Return whether the solver gave a valid verdict."""
        return self.answer in ("feasible", "infeasible")

    @property
    def ended(self) -> bool:
        """Return whether the run was stopped at a limit, its own or ours."""
        return self.answer in ("timeout", "memory", "gave up")

    @property
    def at_fault(self) -> bool:
        """Return whether the solver gave a wrong or unproved verdict, or crashed."""
        return self.answer in ("wrong", "crashed")
