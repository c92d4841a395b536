"""Several solvers on one problem: what each says, which evidence stands, and who is wrong.

Evidence that verifies settles the question, whoever gave it: a deal proves a problem feasible, a
shortage proves it infeasible. So a solver that is wrong is named, also when it is in the majority.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from solvers.errors import LimitError
from solvers.problem import DealProblem
from solvers.registry import SOLVERS, Solver
from solvers.verdict import Feasible, Infeasible, Verdict, deal_faults, verify

MOST_TEXT = 400
"""Longest piece of evidence, in characters, that a sentence quotes in full."""


class Fault(NamedTuple):
    """What one solver did wrong, as a sentence with the solver as its subject."""

    solver: str
    text: str

    def __str__(self) -> str:
        return f"{self.solver} {self.text}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known about a problem after several solvers had their say.

    Attributes:
        evidence: a verdict that verifies, or None when there is none.
        verdicts: per solver that answered, its verdict.
        refused, gave_up: per other solver, why it did not.
        faults: every wrong or unproved verdict; empty when all is well.
    """

    evidence: Verdict | None
    verdicts: Mapping[str, Verdict]
    refused: Mapping[str, str]
    gave_up: Mapping[str, str]
    faults: tuple[Fault, ...]

    @property
    def feasible(self) -> bool | None:
        """The verdict that stands; None when there is no evidence."""
        return None if self.evidence is None else bool(self.evidence)

    def in_words(self) -> str:
        """All faults as sentences; empty when all is well."""
        return "; ".join(map(str, self.faults))


def judge(problem: DealProblem, solvers: Iterable[Solver]) -> Judgement:
    """Ask every solver and weigh the answers. No error of a solver gets out of here.

    Cost: a run of every solver, and of a default solver where nobody proves infeasibility.
    """
    verdicts: dict[str, Verdict] = {}
    refused: dict[str, str] = {}
    gave_up: dict[str, str] = {}
    faults: list[Fault] = []
    rows = list(solvers)
    for solver in rows:
        try:
            reason = solver.refuses(problem)
            if reason is not None:
                refused[solver.name] = reason
                continue
            verdicts[solver.name] = solver.prepare(problem)()
        except LimitError as error:
            gave_up[solver.name] = str(error)
        except Exception as error:
            faults.append(crashed(solver.name, error))
    evidence, wrong = weigh(problem, verdicts, {one.name for one in rows if one.certifies})
    return Judgement(evidence, verdicts, refused, gave_up, (*faults, *wrong))


def crashed(solver: str, error: Exception) -> Fault:
    """The fault of a solver that raised what its contract does not allow."""
    return Fault(solver, f"raised {_short(repr(error))}")


def weigh(
    problem: DealProblem, verdicts: Mapping[str, Verdict], certifying: Iterable[str] = ()
) -> tuple[Verdict | None, list[Fault]]:
    """The verdict that stands, and the faults of those that do not.

    Args:
        verdicts: by the solvers' names.
        certifying: solvers that promise a shortage with every infeasible verdict.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0], [0, 1]], players=2)])
    >>> _, faults = weigh(problem, {"mine": Infeasible()})
    >>> print(faults[0])
    mine says infeasible, but this deal satisfies the problem: <Deal 0: 0/0; 1: 0/1>
    """
    faults = []
    evidence: Verdict | None = None
    sound: dict[str, Verdict] = {}
    for name, verdict in verdicts.items():
        fault = _fault_in_itself(problem, verdict, name in certifying)
        if fault:
            faults.append(Fault(name, fault))
        else:
            sound[name] = verdict
            if evidence is None and _is_proof(verdict):
                evidence = verdict
    if evidence is None and verdicts:
        evidence = _evidence_of_our_own(problem)
    for name, verdict in sound.items():
        if evidence is None:
            faults.append(Fault(name, "says infeasible, and no shortage can be found"))
        elif bool(verdict) != bool(evidence):
            faults.append(Fault(name, _contradiction(problem, evidence)))
    return evidence, faults


def _is_proof(verdict: Verdict) -> bool:
    return isinstance(verdict, Feasible) or verdict.shortage is not None


def _fault_in_itself(problem: DealProblem, verdict: object, certifies: bool) -> str | None:
    """What is wrong with a verdict whatever others say, or None."""
    try:
        if isinstance(verdict, Feasible):
            wrong = "; ".join(deal_faults(problem, verdict.deal.owner))
            return f"says feasible, but its deal is wrong: {_short(wrong)}" if wrong else None
        if isinstance(verdict, Infeasible):
            if verdict.shortage is not None and not verdict.shortage.holds(problem):
                return "says infeasible, but its shortage does not add up"
            if verdict.shortage is None and certifies:
                return "says infeasible without the shortage it promises"
            return None
    except Exception as error:
        return f"gave evidence that cannot be read: {_short(repr(error))}"
    return f"answered {_short(repr(verdict))}, which is not a verdict"


def _evidence_of_our_own(problem: DealProblem) -> Verdict | None:
    """A verdict of a built-in solver that verifies, or None."""
    for solver in SOLVERS.values():
        try:
            if solver.certifies and solver.refuses(problem) is None:
                verdict = solver(problem)
                if verify(problem, verdict):
                    return verdict
        except Exception:
            continue
    return None


def _contradiction(problem: DealProblem, evidence: Verdict) -> str:
    if isinstance(evidence, Feasible):
        return (
            f"says infeasible, but this deal satisfies the problem: {_short(repr(evidence.deal))}"
        )
    assert evidence.shortage is not None, "evidence carries a proof"
    # Unreachable with sound evidence: a deal and a shortage cannot both verify.
    return f"says feasible, but {_short(evidence.shortage.in_words(problem))}"


def _short(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}..."


__all__ = ["Fault", "Judgement", "crashed", "judge", "weigh"]
