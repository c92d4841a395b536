"""`check`, `questions` and `perft`: check files, list legal questions, and count move sequences."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from quaternity.base.errors import InputError, LimitError, SolverFault
from quaternity.base.text_format import with_noun
from quaternity.cli.app import app
from quaternity.cli.input_files import IMPOSSIBLE_ERRORS, open_document
from quaternity.cli.options import (
    AnyFiles,
    AsJson,
    AsJsonLines,
    Brisk,
    Files,
    Players,
    SaveTo,
    Sets,
    SetSize,
)
from quaternity.cli.solver_options import (
    MEMORY,
    SECONDS,
    Limit,
    check_seconds,
    isolate_solvers,
    save_or_print,
    select_solvers,
)
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import progress, say, warn, warn_about
from quaternity.game.faults import why_impossible
from quaternity.game.question import Answer
from quaternity.game.saved_states import smallest_text
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import ContradictoryState, problem_of
from quaternity.insight.check import Report, WrongVerdict, check_record, check_state
from quaternity.insight.perft import perft as count
from solvers import DealProblem, Solver, default_solver
from solvers.registry import solver_label, solver_version

SHRINK_SECONDS = 10.0
"""Maximum time for simplifying a state for which a solver gives a wrong answer, in seconds."""


def _solvers_for(solvers: list[Solver] | None, problem: DealProblem) -> list[Solver]:

    return [default_solver(problem)] if solvers is None else solvers


@app.command()
def check(
    files: AnyFiles,
    solver: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME,...",
            help="Comma-separated names of solvers, or all.  [default: the fastest solver that "
            "can decide]",
        ),
    ] = None,
    limit: Limit = SECONDS,
    save_to: SaveTo = ".",
    as_json: AsJsonLines = False,
) -> None:
    """Check whether states are possible and games follow the rules.

    Each file gets a verdict with evidence: a possible deal, or a sentence that shows why no deal is
    possible. The exit status is 0 if all files are possible, and 1 if some are not. It is 3 if a
    solver is wrong; then the smallest state that shows the fault is saved.

    Example: quaternity check game.record state.json --solver all
    """
    check_seconds("limit", limit)
    solvers = None if solver is None else isolate_solvers(select_solvers(solver), limit, MEMORY)
    with ExitWithStatus() as leaving:
        for path in files:
            try:
                report = _check_file(path, solvers)
            except (InputError, LimitError, SolverFault) as error:
                warn_about(path, error)
                if isinstance(error, WrongVerdict):
                    saved = _save_smallest(error.state, solvers, save_to)
                    if saved is not None:
                        of = "" if solver is None else f" --solver {solver}"
                        warn(f"the state is saved; to see it: quaternity check {saved}{of}")
                leaving.status = _worse(leaving.status, error)
                continue
            if not report.valid:
                leaving.status = max(leaving.status, ExitStatus.IMPOSSIBLE)
            _print_report(path, report, as_json)


def _worse(status: ExitStatus, error: Exception) -> ExitStatus:
    if isinstance(error, SolverFault):
        return ExitStatus.DISAGREE
    if status == ExitStatus.DISAGREE:
        return status
    return max(status, ExitStatus.LIMIT if isinstance(error, LimitError) else ExitStatus.BAD_INPUT)


def _save_smallest(
    state: State | DealProblem, named_solvers: list[Solver] | None, directory: str
) -> str | None:
    solvers = _solvers_for(named_solvers, problem_of(state))
    return save_or_print(directory, smallest_text(state, solvers, SHRINK_SECONDS))


def _check_file(path: str, named_solvers: list[Solver] | None) -> Report:

    try:
        opened = open_document(path)
    except ContradictoryState as contradiction:
        return Report("state", False, str(contradiction), None, {})
    if opened.record is not None:
        solvers = _solvers_for(named_solvers, State.start(opened.record.settings).problem)
        with progress("positions", len(opened.record.moves) + 1) as bar:
            report = check_record(opened.record, solvers, bar.advance)
    else:
        report = check_state(opened.position, _solvers_for(named_solvers, opened.problem))
    if not report.verdicts:
        reasons = "; ".join(
            f"{solver_label(solver)}: {why}" for solver, why in report.skipped.items()
        )
        raise LimitError(f"every solver skipped this problem: {reasons}")
    return report


def _print_report(path: str, report: Report, as_json: bool) -> None:
    if as_json:
        fields = ("kind", "valid", "reason", "deal", "verdicts")
        versions = {"versions": {name: solver_version(name) for name in report.verdicts}}
        line = {"file": path} | {name: getattr(report, name) for name in fields} | versions
        print(json.dumps(line), flush=True)
        return

    kind = report.kind
    if kind == "record":
        kind = f"record, {with_noun(report.positions - 1, 'move')}"
    say(f"{path} ({kind}): {'possible' if report.valid else 'impossible'}")
    if report.reason:
        say(f"  because {report.reason}")
    if report.deal is not None:
        print("  for example:" if report.kind != "record" else "  at the end, for example:")
        for player in range(report.players):
            cards = [
                (index, card)
                for index, owners in enumerate(report.deal)
                for card, owner in enumerate(owners)
                if owner == player
            ]
            say(f"    {report.words.player(player)}: {report.words.hand(cards) or '-'}")
    agreeing = ", ".join(map(solver_label, report.verdicts))
    if len(report.verdicts) > 1:
        say(f"  {len(report.verdicts)} solvers agree: {agreeing}")
    for name, why in report.skipped.items():
        say(f"  {solver_label(name)} was skipped: {why}")


@app.command()
def questions(files: Files, as_json: AsJsonLines = False) -> None:
    """List the legal questions in a state, or after a recorded game.

    The exit status is 1 if a state is impossible or a record breaks the rules.

    Example: quaternity questions state.json --json
    """
    with ExitWithStatus() as leaving:
        for path in files:
            try:
                state = open_document(path).state
                impossible = why_impossible(state.problem)
                if impossible is None and state.turn is None and not state.is_over:
                    raise InputError(
                        "turn: missing; the questions depend on which player is to move"
                    )
            except InputError as error:
                warn_about(path, error)
                leaving.status = max(leaving.status, ExitStatus.BAD_INPUT)
                continue
            except IMPOSSIBLE_ERRORS as error:
                warn(f"{path}: impossible: {error}")
                leaving.status = max(leaving.status, ExitStatus.IMPOSSIBLE)
                if as_json:
                    print("[]", flush=True)
                continue
            legal = state.legal_questions
            if impossible is not None:
                warn(f"{path}: the position is impossible: {impossible[1]}")
                leaving.status = max(leaving.status, ExitStatus.IMPOSSIBLE)
            if as_json:
                rows = [
                    [
                        question.asked,
                        *question.card,
                        int(Answer.NO in answers),
                        int(Answer.YES in answers),
                    ]
                    for question, answers in legal.items()
                ]
                print(json.dumps(sorted(rows), separators=(",", ":")), flush=True)
                continue
            turn = "the game is over" if state.is_over else f"player {state.turn} to move"
            say(f"{path}: {with_noun(len(legal), 'legal question')}, {turn}")
            for question, answers in legal.items():
                say(f"  {question}: {' or '.join(str(answer) for answer in answers)}")


@app.command()
def perft(
    set_size: SetSize = 4,
    sets: Sets = 3,
    players: Players = 3,
    brisk: Brisk = False,
    depth: Annotated[
        int,
        typer.Option("-d", "--depth", metavar="N", min=1, max=100, help="Maximum number of moves."),
    ] = 3,
    as_json: AsJson = False,
) -> None:
    """Count the sequences of moves from the start.

    Two implementations of the same rules must give the same numbers.

    Example: quaternity perft -s 4 -n 3 -p 3 -d 3
    """
    state = State.start(Settings(set_size, sets, players, brisk=brisk))
    leaves: list[int] = []
    with progress("depth", depth) as bar:
        for moves in range(1, depth + 1):
            leaves.append(count(state, moves))
            if not as_json:
                print(f"{moves}: {leaves[-1]}", flush=True)
            bar.advance()
    if as_json:
        print(json.dumps({"leaves": leaves}))
