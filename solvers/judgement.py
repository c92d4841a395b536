"""Several solvers on one problem: what each says, which evidence stands, and who is wrong.

Evidence that verifies settles the question, whoever gave it: a deal proves a problem feasible, a
shortage proves it infeasible. So a solver that is wrong is named, also when it is in the majority.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from quaternity.base.errors import LimitError, SolverCrash, SolverFault, UnsupportedProblem
from quaternity.base.wording import printable, shortened, shown
from solvers.problem import DealProblem
from solvers.registry import SOLVERS
from solvers.solver import Solver
from solvers.verdict import Feasible, Infeasible, Verdict, deal_faults, plain_verdict, verify

OURSELVES = "quaternity"
"""Blamed when a deal and a shortage both verify: no solver is."""


class Fault(NamedTuple):
    """A fault of one solver, as a sentence about it: "wrong" for a verdict, or else a "crash"."""

    solver: str
    text: str
    kind: str = "wrong"

    def __str__(self) -> str:
        return f"{self.solver} {self.text}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The answers of several solvers to a problem, and the evidence that stands.

    Attributes:
        evidence: a verdict that verifies, or None when there is none.
        verdicts: per solver that answered with a verdict, a plain copy of it.
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
        """Return the verdict that stands; None when there is no evidence."""
        return None if self.evidence is None else bool(self.evidence)

    def in_words(self) -> str:
        """Return all faults as sentences; empty when all is well."""
        return "; ".join(map(str, self.faults))


def judge(problem: DealProblem, solvers: Iterable[Solver]) -> Judgement:
    """Ask every solver and weigh the answers. No error of a solver escapes.

    Everything a solver raises but `LimitError` is its fault, `SystemExit` too; only an interrupt by
    the user (`KeyboardInterrupt`) ends the call.

    Cost: a run of every solver, and of a default solver where nobody proves infeasibility.
    """
    verdicts: dict[str, object] = {}
    refused: dict[str, str] = {}
    gave_up: dict[str, str] = {}
    certifying: set[str] = set()
    faults: list[Fault] = []
    for solver in solvers:
        try:
            reason = solver.refuses(problem)
            if reason is not None:
                refused[solver.name] = said(reason)
                continue
            if solver.certifies:
                certifying.add(solver.name)
            verdicts[solver.name] = solver.prepare(problem)()
        except KeyboardInterrupt:
            raise
        except LimitError as error:
            gave_up[solver.name] = said(error)
        except BaseException as error:
            faults.append(crashed(solver.name, error))
    evidence, wrong = weigh(problem, verdicts, certifying)
    plain = {name: plain_verdict(verdict) for name, verdict in verdicts.items()}
    known = {name: verdict for name, verdict in plain.items() if verdict is not None}
    return Judgement(evidence, known, refused, gave_up, (*faults, *wrong))


def decided(problem: DealProblem, solver: Solver) -> Verdict:
    """Run a solver; check a foreign solver's verdict and return a plain copy of it.

    Cost: a run of the solver; where a foreign solver proves nothing, of a default solver too.

    Raises:
        UnsupportedProblem, LimitError: as the solver.
        SolverFault: the verdict is wrong or no verdict, or the solver raised something else.
    """
    if SOLVERS.get(solver.name) is solver:
        return solver(problem)
    try:
        given = solver(problem)
    except (LimitError, UnsupportedProblem):
        raise
    except Exception as error:
        raise SolverFault(str(crashed(solver.name, error))) from error
    verdict, fault = weighed(problem, solver, given)
    if fault is not None or verdict is None:
        raise SolverFault(str(fault))
    return verdict


def weighed(
    problem: DealProblem, solver: Solver, given: object
) -> tuple[Verdict | None, Fault | None]:
    """Return a plain copy of a solver's answer, None if it is no verdict, and what is wrong."""
    _, faults = weigh(problem, {solver.name: given}, [solver.name] if solver.certifies else [])
    return plain_verdict(given), faults[0] if faults else None


def crashed(solver: str, error: BaseException) -> Fault:
    """Return the fault of a solver that raised what its contract does not allow."""
    text = str(error) if type(error) is SolverCrash else f"raised {shown(error)}"
    return Fault(solver, text, "crash")


def said(reason: object) -> str:
    """Return a solver's reason or error as one line, whatever its `str` does."""
    try:
        return printable(shortened(str.__str__(str(reason))).replace("\n", " "))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return "for a reason that cannot be shown"


def weigh(
    problem: DealProblem, verdicts: Mapping[str, object], certifying: Iterable[str] = ()
) -> tuple[Verdict | None, list[Fault]]:
    """Return the verdict that stands, and the faults of those that do not.

    Args:
        verdicts: by the solvers' names, whatever they gave; none of its code is run.
        certifying: solvers that promise a shortage with every infeasible verdict.

    Where a deal and a shortage both verify, the fault is that of `OURSELVES`.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0], [0, 1]], players=2)])
    >>> _, faults = weigh(problem, {"mine": Infeasible()})
    >>> print(faults[0])
    mine says infeasible, but this deal satisfies the problem: <Deal 0: 0/0; 1: 0/1>
    """
    faults = []
    sound: dict[str, Verdict] = {}
    for name, given in verdicts.items():
        verdict = plain_verdict(given)
        if verdict is None:
            faults.append(Fault(name, _unreadable(given)))
        elif fault := _fault_in_itself(problem, verdict, name in certifying):
            faults.append(Fault(name, fault))
        else:
            sound[name] = verdict
    proofs = [verdict for verdict in sound.values() if _is_proof(verdict)]
    evidence = proofs[0] if proofs else _evidence_of_our_own(problem) if verdicts else None
    for name, verdict in sound.items():
        if evidence is None:
            faults.append(Fault(name, "says infeasible, and no shortage can be found"))
        elif bool(verdict) == bool(evidence):
            continue
        elif isinstance(evidence, Feasible) and not _is_proof(verdict):
            deal = shown(evidence.deal, str)
            text = f"says infeasible, but this deal satisfies the problem: {deal}"
            faults.append(Fault(name, text))
        else:
            text = (
                f"is itself at fault: {shown(evidence)} and {name}'s {shown(verdict)} both verify"
            )
            faults.append(Fault(OURSELVES, text))
    return evidence, faults


def _is_proof(verdict: Verdict) -> bool:
    return isinstance(verdict, Feasible) or verdict.shortage is not None


def _unreadable(given: object) -> str:
    if type(given) is Feasible or type(given) is Infeasible:
        return f"gave evidence that cannot be read: {shown(given)}"
    return f"answered {shown(given)}, which is not a verdict"


def _fault_in_itself(problem: DealProblem, verdict: Verdict, certifies: bool) -> str | None:
    if isinstance(verdict, Feasible):
        wrong = "; ".join(deal_faults(problem, verdict.deal.owner))
        return f"says feasible, but its deal is wrong: {shortened(wrong)}" if wrong else None
    if verdict.shortage is not None and not verify(problem, verdict):
        return "says infeasible, but its shortage does not add up"
    if verdict.shortage is None and certifies:
        return "says infeasible without the shortage it promises"
    return None


def _evidence_of_our_own(problem: DealProblem) -> Verdict | None:
    for solver in SOLVERS.values():
        try:
            if solver.certifies and solver.refuses(problem) is None:
                verdict = plain_verdict(solver(problem))
                if verify(problem, verdict):
                    return verdict
        except KeyboardInterrupt:
            raise
        except BaseException:  # whoever put it into the table: it is no evidence
            continue
    return None
