"""`solve`: compute perfect play, and write tablebases and certificates."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.base.errors import InputError, LimitError, QuaternityError
from quaternity.base.text_format import name_numbers as numbered
from quaternity.base.text_format import quote_value
from quaternity.base.text_record import check_requested
from quaternity.base.writing import check_writable
from quaternity.cli.app import app
from quaternity.cli.input_files import IMPOSSIBLE_ERRORS, open_document, prefix_errors
from quaternity.cli.options import (
    AsJson,
    Brisk,
    Dask,
    MaybePlayers,
    MaybeSets,
    MaybeSetSize,
    MaybeTieBreakName,
    Workers,
)  # fmt: skip
from quaternity.cli.status import ExitStatus, ExitWithStatus, reason_of, status_of, terminable
from quaternity.cli.terminal import say, show_phase, warn
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.forced_win import ForcedWin, answer_forced_win
from quaternity.perfect.keys.canonical import Rules
from quaternity.perfect.solved_game import (
    SolvedGame,
    SolvingTask,
    outcomes_for_all,
    read_solved_game,
    remove_work,
    solve_game,
)
from quaternity.perfect.solving.certifying import check_certifiable
from quaternity.perfect.solving.chance import AnyChanceResult, FairDrawResult
from quaternity.perfect.solving.estimate import estimate_game
from quaternity.perfect.solving.max_n import MaxNResult, check_wish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quaternity.perfect.solving.max_n import Outcome

DEFAULT_MAX_STATES = 5_000_000
"""Default maximum number of states of a game that is solved. Larger games are refused."""


@app.command()
def solve(
    set_size: MaybeSetSize = None,
    sets: MaybeSets = None,
    players: MaybePlayers = None,
    tie_break: MaybeTieBreakName = None,
    brisk: Brisk = False,
    position: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Solve from the state in this file, or from the last position of a record.  "
            "[default: the start]",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the result of every state to this file (a tablebase). An interrupted run "
            "continues from FILE.work.",
        ),
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a proof of the result, which quaternity verify can check."
        ),
    ] = None,
    rankings: Annotated[str | None, typer.Option(hidden=True, help="No longer supported.")] = None,
    everybody: Annotated[
        str | None,
        typer.Option(
            metavar="GOAL",
            help="Show the outcomes if every player pursues this goal: points (as many sets as "
            "possible) or win. If moves are equally good for a player (a tie), every choice is "
            "considered. Requires a game that must end: --brisk, or two players.",
        ),
    ] = None,
    ties: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="With --everybody, break ties by chance. coin: all tied moves are equally likely, "
            "and the result is exact; chance: the probabilities are unknown, and the result "
            "consists of bounds.",
        ),
    ] = None,
    most_states: Annotated[
        int, typer.Option(metavar="N", min=1, help="Refuse games with more than N states.")
    ] = DEFAULT_MAX_STATES,
    no_limit: Annotated[
        bool, typer.Option("--no-limit", help="Do not limit the number of states.")
    ] = False,
    estimate_only: Annotated[
        bool, typer.Option("--estimate", help="Only estimate the size of the game.")
    ] = False,
    ask: Annotated[
        str | None,
        typer.Option(
            metavar="force:PLAYER", help="Only show whether this player can force a win, and how."
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Time limit in seconds for --ask. Checking the answer may take as long again.",
        ),
    ] = 60.0,
    workers: Workers = 1,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Solve a game: find who can force a win, or prevent one.

    The solver visits every state once. States count as one if they differ only in the names of
    players, sets and cards. For each state it computes who can force a win against all others
    together. A player with more sets than every other player wins. Nobody wins a game that never
    ends.

    With --ask, a search answers one question, even if the game has far too many states to visit.

    Example: quaternity solve -s 3 -n 3 -p 3 --out 3-3-3.tablebase
    """
    if rankings is not None:
        raise InputError(
            f"--rankings {rankings!r} is retired: --everybody win shows the outcomes if every "
            "player plays to win, and --ask force:PLAYER shows whether a player can force a win"
        )
    options = {"set_size": set_size, "sets": sets, "players": players, "tie_break": tie_break}
    state = _state(
        position, {key: size for key, size in options.items() if size is not None}, brisk
    )
    if certificate is not None:
        check_certifiable(Rules.of(state), None if ties else everybody)
        check_writable(certificate)
    if ask is not None:
        if out or everybody or estimate_only:
            raise InputError("--ask cannot be combined with --out, --everybody or --estimate")
        with _report_interrupts(None):
            player = _asked_player(ask)
            answer = answer_forced_win(state, player, seconds, certificate, show_phase)
        _show_forced_win(answer, as_json)
        return
    _check_goal(everybody, ties, endless=position is None and state.players > 2 and not brisk)
    if estimate_only:
        estimate = estimate_game(state)
        sizes = _sizes(Rules.of(state))
        print(json.dumps(estimate.document())) if as_json else say(f"{sizes}: {estimate}")
        return
    task = SolvingTask(
        state, None if out is None else Path(out), certificate,
        None if no_limit else most_states, everybody, ties, workers, dask,
    )  # fmt: skip
    with _report_interrupts(task):
        _solve(task, as_json)


@contextmanager
def _report_interrupts(task: SolvingTask | None) -> Iterator[None]:
    """If an interrupt or SIGTERM ends the `with` block, print which work is kept."""
    try:
        with terminable():
            yield
    except KeyboardInterrupt as error:
        without = task is None or task.tablebase is None
        kept = f"no work is saved{' without --out' if without else ' yet'}"
        if task is not None and task.has_work:
            kept = f"the work so far is in {task.work}; the same command continues from there"
        warn(f"{reason_of(error)}; {kept}")
        raise typer.Exit(status_of(error)) from error


def _asked_player(ask: str) -> int:
    kind, _, number = ask.partition(":")
    if kind != "force" or not (number.isascii() and number.isdigit()):
        raise InputError(f"--ask {ask!r}: expected force:PLAYER, for example force:0")
    return int(number)


def _check_goal(everybody: str | None, ties: str | None, endless: bool) -> None:
    if ties is not None and (ties not in ("coin", "chance") or everybody is None):
        fault = "can be used only with --everybody"
        if everybody is not None:
            fault = f"must be coin or chance, not {quote_value(ties)}"
        raise InputError(f"--ties: {fault}")
    if everybody is not None:
        check_wish(everybody)
        if endless:
            raise InputError(
                "--everybody needs a game that must end, but here two players can endlessly ask "
                "each other questions that can only be answered by no; --brisk forbids these"
            )


def _state(position: str | None, options: dict[str, Any], brisk: bool) -> State:
    if "tie_break" in options:
        options["tie_break"] = TieBreak.parse(options["tie_break"])
    if position is None:
        return State.start(Settings(**options, brisk=brisk))
    state = _state_in(position)
    with prefix_errors(position):
        check_requested(options, state)
    if state.set_size < 2 or state.players < 2:
        raise InputError(
            f"{position}: a game needs sets of at least 2 cards, and at least 2 players"
        )
    if state.turn is None and not state.is_over:
        raise InputError(f"{position}: turn: missing; add the number of the player to move")
    if not state.verdict():
        warn(f"{position}: the position is impossible")
        raise typer.Exit(ExitStatus.IMPOSSIBLE)
    return replace(state, brisk=True) if brisk else state


def _state_in(path: str) -> State:
    try:
        return open_document(path).state
    except IMPOSSIBLE_ERRORS as error:
        warn(f"{path}: impossible: {error}")
        raise typer.Exit(ExitStatus.IMPOSSIBLE) from error


def _solve(task: SolvingTask, as_json: bool) -> None:
    solved = _solve_or_read(task)
    with ExitWithStatus() as leaving:
        try:
            solved = replace(solved, outcomes=outcomes_for_all(task, solved, show_phase))
        except QuaternityError as error:
            leaving.status = status_of(error)
            raise
        finally:
            print(json.dumps(solved.document())) if as_json else _show(solved)


def _solve_or_read(task: SolvingTask) -> SolvedGame:
    path = task.tablebase
    if path is not None and path.exists():
        solved = read_solved_game(task.state, path)
        warn(f"{path} already exists, so the result is read from it")
        with suppress(InputError):
            # A run that was killed at the very end may have left working files.
            remove_work(task)
        if task.certificate is not None:
            raise InputError(
                f"--certificate needs the whole game, but {path} contains only its values: "
                "solve the game without --out, or write another file"
            )
        return solved
    try:
        solved = solve_game(task, show_phase)
    except LimitError:
        if task.has_work:
            warn(
                f"the work so far is in {task.work}; with a higher limit, the same command "
                "continues it"
            )
        raise
    try:
        remove_work(task)
    except InputError as error:
        warn(str(error))
    return solved


def _sizes(rules: Rules) -> str:
    return f"{rules.set_size}-{rules.sets}-{rules.players}{' brisk' if rules.brisk else ''}"


def _show_forced_win(answer: ForcedWin, as_json: bool) -> None:
    if as_json:
        print(json.dumps(answer.document()))
        return
    say(f"player {answer.player} {'can' if answer.can_force else 'cannot'} force a win")
    lines = "all lines of play" if answer.checked_whole else "many lines of play"
    visited = f"{answer.states:,} {'state' if answer.states == 1 else 'states'} visited"
    say(f"  {visited}; the strategy was checked in {lines} ({answer.checked:,} visited)")
    if answer.moves:
        say("  for example")
    for move in answer.moves:
        say(f"    {move}")
    if answer.again is not None:
        after = f"after {answer.again} moves"
        say(f"    and so on for ever: this is the position {after} again, except for names")
    elif not answer.can_force:
        say("    and another player has, or will have, at least as many sets")
    if answer.certificate is not None:
        say(f"  certificate: {answer.certificate}")


def _show(solved: SolvedGame) -> None:
    facts, standing, outcomes = solved.facts, solved.standing, solved.outcomes
    say(
        f"{_sizes(facts.rules)}: {facts.states:,} canonical states, {facts.questions:,} questions, "
        f"{facts.answers:,} answers"
    )
    for player, length in enumerate(standing.forced_length):
        if length is not None:
            say(f"  player {player} can force a win, in {length} moves at most")
        elif player not in standing.can_win:
            say(f"  player {player} cannot win")
        else:
            say(f"  player {player} can win, but cannot force it")
        prevented = [value for value in standing.can_prevent[player] if value in standing.can_win]
        if prevented:
            say(f"    and can prevent a win of {numbered('player', prevented)}")
    if facts.longest_forced is not None:
        say(f"  the longest forced win from any state takes {facts.longest_forced} moves")
    if isinstance(outcomes, MaxNResult):
        _show_everybody(outcomes)
    elif outcomes is not None:
        _show_chances(outcomes)
    if solved.tablebase:
        say(f"  tablebase: {solved.tablebase}")
    if solved.certificate:
        by_chance = outcomes is not None and not isinstance(outcomes, MaxNResult)
        more = ", which proves who can force a win, but not the chances" if by_chance else ""
        say(f"  certificate: {solved.certificate}{more}")


def _show_everybody(result: MaxNResult) -> None:
    words = {"win": ("a loss", "a shared win", "a win")}.get(result.wish)

    def gets(outcomes: list[Outcome], player: int) -> str:
        amounts = sorted({outcome[player] for outcome in outcomes})
        if words is None:
            return _one_of(list(map(str, amounts))) + (" set" if amounts == [1] else " sets")
        return _one_of([words[amount] for amount in amounts])

    winners = ["nobody" if value is None else f"player {value}" for value in result.winners]
    ties = "depending on how" if len(winners) > 1 else "however"
    say(
        f"  when everybody plays for themselves ({result.wish}), {_one_of(winners)} wins, "
        f"{ties} ties are broken (without chance)"
    )
    for player, (against, in_favour) in enumerate(
        zip(result.against, result.in_favour, strict=True)
    ):
        anyhow = gets(result.outcomes, player)
        by_ties = gets(against, player), gets(in_favour, player)
        line = f"    player {player} gets {anyhow}"
        if {anyhow} != {*by_ties}:
            line += "; if ties are broken against them {}, for them {}".format(*by_ties)
        say(line)


def _show_chances(result: FairDrawResult | AnyChanceResult) -> None:
    def outcome_text(gets: Outcome) -> str:
        if result.wish == "points":
            return f"{', '.join(map(str, gets))} sets"
        best = [player for player, value in enumerate(gets) if value]
        return numbered("player", best) + (" wins alone" if 2 in gets else " share the win")

    fair = isinstance(result, FairDrawResult)
    say(
        f"  when everybody plays for themselves ({result.wish}) and breaks ties by "
        f"{'a fair draw' if fair else 'any probabilities'}"
    )
    if isinstance(result, FairDrawResult):
        for gets, chance in result.outcomes:
            say(f"    {outcome_text(gets)}: {chance}")
        unit = " (a win counts as 2)" if result.wish == "win" else ""
        say(f"    expected{unit}: {', '.join(map(str, result.expected))}")
        return
    say(f"    possible outcomes: {'; '.join(map(outcome_text, result.outcomes))}")
    for player, bounds in enumerate(zip(result.bounds.least, result.bounds.most, strict=True)):
        say("    player {} expects at least {}, at most {}".format(player, *bounds))


def _one_of(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])
