"""Comparison of the verdicts of several solvers on a problem, to find solvers that are wrong.

Evidence decides which verdict is right. A valid deal proves that a problem is feasible, and a valid
shortage proves that it is infeasible, whichever solver provides it. So a wrong solver is found even
if most solvers agree with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from quaternity.base.errors import LimitError, SolverCrash, SolverFault, UnsupportedProblem
from quaternity.base.text_format import make_printable, quote_value, shorten
from solvers.problem import DealProblem
from solvers.registry import SOLVERS, solver_label
from solvers.solver import Solver
from solvers.verdict import Feasible, Infeasible, Verdict, copy_verdict, deal_faults, verify

OWN_CHECKS = "quaternity"
"""Value of `Fault.solver` if the checks of this project accept both a deal and a proof that there
is none."""


class Fault(NamedTuple):
    """A wrong answer or an unexpected error of a solver.

    Attributes:
        solver: the name of the solver.
        text: what the solver did wrong, as a sentence without its subject.
        kind: "wrong" for a wrong verdict, or "crash" for an unexpected error.
    """

    solver: str
    text: str
    kind: str = "wrong"

    def __str__(self) -> str:
        return f"{solver_label(self.solver)} {self.text}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Answers of several solvers to a problem, and the evidence that shows which of them are right.

    Attributes:
        evidence: a verdict whose deal or proof passes the check, or None if there is none.
        verdicts: copies of the verdicts, by the name of the solver.
        refused: the reasons of the solvers that refused the problem, by solver.
        gave_up: the reasons of the solvers that gave up, by solver.
        faults: all wrong or unproved verdicts and all crashes.
    """

    evidence: Verdict | None
    verdicts: Mapping[str, Verdict]
    refused: Mapping[str, str]
    gave_up: Mapping[str, str]
    faults: tuple[Fault, ...]

    @property
    def feasible(self) -> bool | None:
        """Return whether the problem is feasible, or None if no evidence decides this."""
        return None if self.evidence is None else bool(self.evidence)

    def in_words(self) -> str:
        """Return all faults as sentences, or an empty text if there are none."""
        return "; ".join(map(str, self.faults))


def judge(problem: DealProblem, solvers: Iterable[Solver]) -> Judgement:
    """Run all solvers on a problem, compare their verdicts, and return the result.

    Exceptions of the solvers are not passed on, except `KeyboardInterrupt`. A solver that raises
    `LimitError` has given up. Any other exception, even `SystemExit`, counts as a fault. If no
    verdict has evidence, a built-in solver is run to get some.
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
                refused[solver.name] = quote_reason(reason)
                continue
            if solver.certifies:
                certifying.add(solver.name)
            verdicts[solver.name] = solver.prepare(problem)()
        except KeyboardInterrupt:
            raise
        except LimitError as error:
            gave_up[solver.name] = quote_reason(error)
        except BaseException as error:
            faults.append(crash_fault(solver.name, error))
    evidence, verdict_faults = compare_verdicts(problem, verdicts, certifying)
    plain = {name: copy_verdict(verdict) for name, verdict in verdicts.items()}
    readable = {name: verdict for name, verdict in plain.items() if verdict is not None}
    return Judgement(evidence, readable, refused, gave_up, (*faults, *verdict_faults))


def run_solver(problem: DealProblem, solver: Solver) -> Verdict:
    """Run a solver on a problem and return its verdict.

    The answer of an external solver is checked and copied. A verdict without evidence is compared
    with that of a built-in solver.

    Raises:
        UnsupportedProblem: If the solver refuses the problem.
        LimitError: If the solver gives up.
        SolverFault: If the answer is wrong or not a verdict, or if an external solver raises
            another error.
    """
    if SOLVERS.get(solver.name) is solver:
        return solver(problem)
    try:
        answer = solver(problem)
    except (LimitError, UnsupportedProblem):
        raise
    except Exception as error:
        raise SolverFault(str(crash_fault(solver.name, error))) from error
    verdict, fault = check_answer(problem, solver, answer)
    if fault is not None or verdict is None:
        raise SolverFault(str(fault))
    return verdict


def check_answer(
    problem: DealProblem, solver: Solver, answer: object
) -> tuple[Verdict | None, Fault | None]:
    """Check what a solver has returned. Return a copy of its verdict, and the first fault found.

    The copy is None if the solver did not return a `Verdict`. The fault is None if there is none.
    """
    _, faults = compare_verdicts(
        problem, {solver.name: answer}, [solver.name] if solver.certifies else []
    )
    return copy_verdict(answer), faults[0] if faults else None


def crash_fault(solver: str, error: BaseException) -> Fault:
    """Return the `Fault` for an unexpected error that a solver raised."""
    text = str(error) if type(error) is SolverCrash else f"raised {quote_value(error)}"
    return Fault(solver, text, "crash")


def quote_reason(reason: object) -> str:
    """Return a reason or an error as one line of text, even if `str(reason)` raises an error."""
    try:
        return make_printable(shorten(str.__str__(str(reason))).replace("\n", " "))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return "for a reason that cannot be shown"


def compare_verdicts(
    problem: DealProblem, verdicts: Mapping[str, object], certifying: Iterable[str] = ()
) -> tuple[Verdict | None, list[Fault]]:
    """Return a verdict with valid evidence (a deal or a proof), and the faults of all solvers.

    The verdict is None if no solver gives valid evidence. If a deal and a proof that there is none
    both pass the check, the check itself is wrong, and the fault is attributed to "quaternity".

    Args:
        verdicts: the answers of the solvers, by name. None of their code is run.
        certifying: the names of the solvers that promise a proof with each infeasible verdict.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0], [0, 1]], players=2)])
    >>> _, faults = compare_verdicts(problem, {"mine": Infeasible()})
    >>> print(faults[0])
    mine says infeasible, but this deal satisfies the problem: player 0: 0/0; player 1: 0/1
    """
    faults = []
    sound: dict[str, Verdict] = {}
    for name, answer in verdicts.items():
        verdict = copy_verdict(answer)
        if verdict is None:
            faults.append(Fault(name, _unreadable(answer)))
        elif fault := _fault_in_itself(problem, verdict, name in certifying):
            faults.append(Fault(name, fault))
        else:
            sound[name] = verdict
    proofs = [verdict for verdict in sound.values() if _is_proof(verdict)]
    evidence = proofs[0] if proofs else _own_evidence(problem) if verdicts else None
    for name, verdict in sound.items():
        if evidence is None:
            faults.append(Fault(name, "says infeasible, but no shortage proves it"))
        elif bool(verdict) == bool(evidence):
            continue
        elif isinstance(evidence, Feasible) and not _is_proof(verdict):
            hands = quote_value(evidence.deal.in_words(separator="; ") or "no cards", str)
            text = f"says infeasible, but this deal satisfies the problem: {hands}"
            faults.append(Fault(name, text))
        else:
            text = (
                f"has a faulty check: it accepts both {quote_value(evidence)} and the opposite "
                f"verdict of {solver_label(name)}, {quote_value(verdict)}"
            )
            faults.append(Fault(OWN_CHECKS, text))
    return evidence, faults


def _is_proof(verdict: Verdict) -> bool:
    return isinstance(verdict, Feasible) or verdict.shortage is not None


def _unreadable(answer: object) -> str:
    if type(answer) is Feasible or type(answer) is Infeasible:
        return f"gave evidence that cannot be read: {quote_value(answer)}"
    return f"answered {quote_value(answer)}, which is not a verdict"


def _fault_in_itself(problem: DealProblem, verdict: Verdict, certifies: bool) -> str | None:
    if isinstance(verdict, Feasible):
        faults = "; ".join(deal_faults(problem, verdict.deal.owner))
        return f"says feasible, but its deal is wrong: {shorten(faults)}" if faults else None
    if verdict.shortage is not None and not verify(problem, verdict):
        return "says infeasible, but its proof (shortage) is invalid"
    if verdict.shortage is None and certifies:
        return "says infeasible without a shortage, although it certifies its verdicts"
    return None


def _own_evidence(problem: DealProblem) -> Verdict | None:
    for solver in SOLVERS.values():
        try:
            if solver.certifies and solver.refuses(problem) is None:
                verdict = copy_verdict(solver(problem))
                if verify(problem, verdict):
                    return verdict
        except KeyboardInterrupt:
            raise
        except BaseException:  # a solver that raises an exception gives no evidence
            continue
    return None
