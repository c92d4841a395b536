"""`solve`: compute perfect play, and write tablebases and certificates."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from random import Random
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
from quaternity.cli.terminal import Progress, progress, say, warn
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.forcing import ForcedWinSearch
from quaternity.workers.pool import open_executor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from quaternity.game.state import State
    from quaternity.perfect.keys.canonical import Rules
    from quaternity.perfect.solving.estimate import Estimate
    from quaternity.perfect.solving.graph import GameGraph
    from quaternity.perfect.solving.graph_files import Report

DEFAULT_MAX_STATES = 5_000_000
"""Default maximum number of states of a game."""

PATIENCE = 15.0
"""Maximum time for --estimate, in seconds."""


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
            help="Solve from the state in this file, or the last position of a record.  [default: "
            "the start]",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a tablebase; an interrupted run continues from FILE.work."
        ),
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a certificate that quaternity verify can check."),
    ] = None,
    rankings: Annotated[
        str | None,
        typer.Option(hidden=True, help="Retired."),
    ] = None,
    everybody: Annotated[
        str | None,
        typer.Option(
            metavar="GOAL",
            help="Show the outcomes if every player pursues this goal: points (as many sets as "
            "possible) or win. All ways of breaking ties without chance are considered (see "
            "--ties). Requires a game that must end: --brisk, or two players.",
        ),
    ] = None,
    ties: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="With --everybody: coin breaks ties between equally good moves by a fair draw, "
            "and gives exact fractions; chance allows any probabilities, and gives bounds.",
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
            help="Time limit in seconds for --ask, and again for checking its answer.",
        ),
    ] = 60.0,
    workers: Workers = 1,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Solve a game: find who can force a win, or prevent one.

    The solver visits every state once and treats states as equal if they differ only in names. For
    each state it computes what each player can force against all others together. A player with
    more sets than every other player wins. Nobody wins a game that never ends.

    With --ask, a search answers one question, even if the game has far too many states to visit.

    Example: quaternity solve -s 3 -n 3 -p 3 --out 3-3-3.tablebase
    """
    from quaternity.perfect.keys.canonical import Rules
    from quaternity.perfect.solving.max_n import check_wish

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
        from quaternity.perfect.solving.certifying import check_certifiable

        check_certifiable(Rules.of(state), None if ties else everybody)
        check_writable(certificate)
    if ask is not None:
        if out or everybody or estimate_only:
            raise InputError("--ask cannot be combined with --out, --everybody or --estimate")
        with _report_interrupts(None):
            _answer(state, ask, seconds, certificate, as_json)
        return
    if ties is not None and (ties not in ("coin", "chance") or everybody is None):
        raise InputError(
            f"--ties {quote_value(ties)}: expected coin or chance, together with --everybody"
        )
    if everybody is not None:
        check_wish(everybody)
        if position is None and state.players > 2 and not brisk:
            raise InputError(
                "--everybody needs a game that must end, but here two players can ask each other "
                "hopeless questions for ever; forbid these with --brisk"
            )
    if estimate_only:
        _show_estimate(Rules.of(state), _estimate_size(Rules.of(state), state), as_json)
        return
    target = None if out is None else Path(out)
    max_states = None if no_limit else most_states
    wish = everybody, ties
    with _report_interrupts(target):
        _solve(state, target, certificate, max_states, workers, dask, wish, as_json)


@contextmanager
def _report_interrupts(target: Path | None) -> Iterator[None]:
    """If an interrupt or SIGTERM ends the block, print which work is kept."""
    try:
        with terminable():
            yield
    except KeyboardInterrupt as error:
        kept = f"nothing is kept{' without --out' if target is None else ' yet'}"
        if target is not None and _work_path(target).exists():
            kept = (
                f"the work so far is in {_work_path(target)}; the same command continues from there"
            )
        warn(f"{reason_of(error)}; {kept}")
        raise typer.Exit(status_of(error)) from error


def _solve(
    state: State, target: Path | None, certificate: str | None, most_states: int | None,
    workers: int, dask: str | None, wish: tuple[str | None, str | None], as_json: bool,
) -> None:  # fmt: skip
    """Solve a game, or read the result from its tablebase, and print what can be forced."""
    if target is not None and target.exists():
        facts = _from_file(target, state)
        if certificate is not None:
            raise InputError(
                f"--certificate needs the whole game, but {target} contains only its values: "
                "solve the game without --out, or write another file"
            )
        walk = partial(_walk_graph, state, facts["states"], most_states, workers, dask)
        _show_with(facts, state, walk, wish, as_json)
        return
    if most_states is not None and not (target is not None and _work_path(target).exists()):
        from quaternity.perfect.solving.estimate import is_larger

        if is_larger(state, most_states, Random(0)):
            raise LimitError(
                f"the game has more than {most_states:,} states, as random games show; "
                "to allow more, use --most-states"
            )
    certified_wish = None if wish[1] else wish[0]
    facts, graph = _solve_and_write(
        state, target, (certificate, certified_wish), most_states, workers, dask
    )
    _show_with(facts, state, lambda: graph, wish, as_json)


def _answer(state: State, ask: str, seconds: float, certificate: str | None, as_json: bool) -> None:
    """Search for a forced win of a player, check the answer by playing it out, and print it."""
    kind, _, number = ask.partition(":")
    if kind != "force" or not (number.isascii() and number.isdigit()):
        raise InputError(f"--ask {ask!r}: expected force:PLAYER, for example force:0")
    began = time.perf_counter()
    forcing = ForcedWinSearch(state, int(number))
    answer = forcing.search(seconds)
    if answer is None:
        raise LimitError(
            f"not decided after {seconds:g} seconds and {forcing.states:,} states; "
            "to search longer, use --seconds"
        )
    took = time.perf_counter() - began
    checked, whole = forcing.check(seconds)
    moves, again = forcing.line()
    if certificate is not None:
        from quaternity.perfect.solving.certifying import write_forcing_certificate

        with progress("certificate", None) as bar:
            write_forcing_certificate(certificate, forcing, seconds, _report_to(bar))
    if as_json:
        document = {"ask": ask, "can_force": answer, "states": forcing.states, "seconds": took}
        document |= {"certificate": certificate}
        document |= {"line": list(map(str, moves)), "again": again}
        print(json.dumps(document | {"checked": checked, "checked_whole": whole}))
        return
    say(f"player {number} {'can' if answer else 'cannot'} force a win")
    ways = "every way" if whole else "many ways"
    visited = f"{forcing.states:,} {'state' if forcing.states == 1 else 'states'} visited"
    say(f"  {visited}; checked by playing it out in {ways}: {checked:,} visited")
    if moves:
        say("  for example")
    for move in moves:
        say(f"    {move}")
    if again is not None:
        say(f"    and so on for ever: except for names, this is the position after {again} moves")
    elif not answer:
        say("    and other players have, or will have, at least as many sets")
    if certificate is not None:
        say(f"  certificate: {certificate}")


def _state(position: str | None, options: dict[str, Any], brisk: bool) -> State:
    """Return the state to solve. Options may repeat the settings of its file."""
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
    if not state.verdict():
        warn(f"{position}: the state is impossible")
        raise typer.Exit(ExitStatus.IMPOSSIBLE)
    return replace(state, brisk=True) if brisk else state


def _state_in(path: str) -> State:
    """Return the state in a file, or the last position of a record."""
    try:
        return open_document(path).state
    except IMPOSSIBLE_ERRORS as error:
        warn(f"{path}: impossible: {error}")
        raise typer.Exit(ExitStatus.IMPOSSIBLE) from error


def _work_path(target: Path) -> Path:
    return target.with_name(target.name + ".work")


def _estimate_size(rules: Rules, state: State) -> Estimate:

    from quaternity.perfect.keys.canonical import canonical
    from quaternity.perfect.solving.estimate import SAMPLE, estimate

    # States with many cards and players are expensive, so the sample is smaller for them.
    size = rules.set_size * rules.sets * rules.players
    sample = max(20, min(SAMPLE, SAMPLE * 48 // size))
    return estimate(rules, canonical(state).key, Random(0), sample, PATIENCE)


def _report_to(bar: Progress) -> Report:
    """Return a function that advances a progress bar."""
    reached = 0

    def report(description: str, done: int, total: int | None) -> None:
        nonlocal reached
        bar.advance(done - reached, description)
        reached = done

    return report


def _solve_and_write(
    state: State,
    target: Path | None,
    certified: tuple[str | None, str | None],
    limit: int | None,
    workers: int,
    dask: str | None,
) -> tuple[dict[str, Any], GameGraph]:
    """Solve a game and write its tablebase and certificate. Return the result and the graph.

    `certified` contains the path of the certificate, and the goal of the players that it certifies.
    """
    certificate, wish = certified
    from quaternity.perfect.solving.certifying import write_certificate
    from quaternity.perfect.solving.solver import remove_working_files
    from quaternity.perfect.solving.solver import solve as solve_from
    from quaternity.perfect.tablebase import write_tablebase

    began = time.perf_counter()
    work = None if target is None else _work_path(target)
    try:
        with progress("solving", None) as bar, open_executor(workers, dask) as pool:
            solution = solve_from(state, pool, work, limit, _report_to(bar))
        if certificate is not None:
            with progress("writing", len(solution.graph)) as bar:
                write_certificate(certificate, solution, state, wish, _report_to(bar))
        if target is not None and work is not None:
            with progress("writing", len(solution.graph)) as bar:
                write_tablebase(target, solution, _report_to(bar))
            try:
                remove_working_files(state, work)
            except InputError as error:
                warn(str(error))
    except LimitError:
        if work is not None and work.exists():
            warn(
                f"the work so far is in {work}; with a higher limit, the same command continues it"
            )
        raise
    document = solution.facts() | solution.standing(state).document()
    document |= {"tablebase": target and str(target), "certificate": certificate}
    document |= {"seconds": time.perf_counter() - began}
    return document, solution.graph


def _walk_graph(
    state: State, states: int, limit: int | None, workers: int, dask: str | None
) -> GameGraph:
    """Compute the graph of a game again, because a tablebase does not contain the graph."""
    from quaternity.perfect.solving.solver import game_graph

    if limit is not None and states > limit:
        raise LimitError(
            f"--everybody visits all {states:,} states, but the limit is {limit:,}; change the "
            "limit by --most-states, or remove it by --no-limit"
        )
    with progress("walking", None) as bar, open_executor(workers, dask) as pool:
        return game_graph(state, pool, None, _report_to(bar))


def _from_file(target: Path, state: State) -> dict[str, Any]:
    """Return the result in a tablebase that already exists."""
    from quaternity.perfect.keys.canonical import Rules, canonical
    from quaternity.perfect.solving.solver import remove_working_files
    from quaternity.perfect.tablebase import Tablebase

    with Tablebase(target) as tablebase:
        tablebase.check_rules(Rules.of(state))
        if tablebase.about["start"] != canonical(state).key.hex():
            raise InputError(
                f"{target} already exists and was solved from another state; read it with "
                "analyse --oracle"
            )
        warn(f"{target} already exists")
        with suppress(InputError):
            # A run that was killed at the very end may have left working files.
            remove_working_files(state, _work_path(target))
        document = tablebase.facts() | tablebase.standing(state).document()
    return document | {"tablebase": str(target), "certificate": None, "seconds": None}


def _sizes(rules: dict[str, Any]) -> str:
    brisk = " brisk" if "brisk" in rules else ""
    return f"{rules['set_size']}-{rules['sets']}-{rules['players']}{brisk}"


def _show_estimate(rules: Rules, expected: Estimate, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(expected)))
    else:
        say(f"{_sizes(rules.document())}: {expected}")


def _show_with(
    document: dict[str, Any],
    state: State,
    graph: Callable[[], GameGraph],
    wish: tuple[str | None, str | None],
    as_json: bool,
) -> None:
    """Show the result, with the outcomes if every player pursues the goal in `wish`.

    If the outcomes cannot be computed, the result is shown without them and the error is raised.
    """
    goal, ties = wish
    with ExitWithStatus() as leaving:
        try:
            if goal is not None and ties is not None:
                from quaternity.perfect.solving.chance import chance_document

                with progress("ties", document["states"]) as bar:
                    chances = chance_document(state, goal, ties, _report_to(bar))
                document["everybody"] = chances
            elif goal is not None:
                from quaternity.perfect.solving.max_n import max_n_document

                document["everybody"] = max_n_document(graph(), state=state, wish=goal)
        except QuaternityError as error:
            leaving.status = status_of(error)
            raise
        finally:
            _show(document, as_json)


def _show(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(document))
        return
    rules = document["rules"]
    say(
        f"{_sizes(rules)}: "
        f"{document['states']:,} canonical states, {document['questions']:,} questions, "
        f"{document['answers']:,} answers"
    )
    for player in range(rules["players"]):
        length = document["forced_length"][player]
        if length is not None:
            say(f"  player {player} can force a win, in {length} moves at most")
        elif player not in document["can_win"]:
            say(f"  player {player} cannot win")
        else:
            say(f"  player {player} can win, but cannot force it")
        prevented = [
            value for value in document["can_prevent_win"][player] if value in document["can_win"]
        ]
        if prevented:
            say(f"    and can prevent a win of {', '.join(map(str, prevented))}")
    longest = document["longest_forced"]
    if longest is not None:
        say(f"  the longest forced win anywhere takes {longest} moves")
    if "everybody" in document:
        everybody = document["everybody"]
        (_show_chances if "ties" in everybody else _show_everybody)(everybody)
    for kind in ("tablebase", "certificate"):
        if document[kind]:
            lacks = kind == "certificate" and "ties" in document.get("everybody", {})
            more = ", which proves forced results only, not the chances" if lacks else ""
            say(f"  {kind}: {document[kind]}{more}")


def _show_everybody(document: dict[str, Any]) -> None:
    words = {"win": ("a loss", "a shared win", "a win")}.get(document["wish"])

    def gets(outcomes: list[tuple[int, ...]], player: int) -> str:
        amounts = sorted({outcome[player] for outcome in outcomes})
        if words is None:
            return _one_of(list(map(str, amounts))) + (" set" if amounts == [1] else " sets")
        return _one_of([words[amount] for amount in amounts])

    winners = ["nobody" if value is None else f"player {value}" for value in document["winners"]]
    ties = "depending on how" if len(winners) > 1 else "however"
    say(
        f"  when everybody plays for themselves ({document['wish']}), {_one_of(winners)} wins, "
        f"{ties} ties are broken (without chance)"
    )
    for player in range(len(document["least"])):
        anyhow, *by_ties = (
            gets(outcomes, player)
            for outcomes in (
                document["outcomes"],
                document["against"][player],
                document["for"][player],
            )
        )
        line = f"    player {player} gets {anyhow}"
        if {anyhow} != {*by_ties}:
            line += "; if ties are broken against them {}, for them {}".format(*by_ties)
        say(line)


def _show_chances(document: dict[str, Any]) -> None:
    """Print the outcomes if ties are broken by chance."""

    def outcome_text(gets: tuple[int, ...]) -> str:
        if document["wish"] == "points":
            return f"{', '.join(map(str, gets))} sets"
        best = [player for player, value in enumerate(gets) if value]
        return numbered("player", best) + (" wins alone" if 2 in gets else " share the win")

    outcomes = [outcome_text(gets) for gets in document["outcomes"]]
    say(
        f"  when everybody plays for themselves ({document['wish']}) and breaks ties by "
        f"{'a fair draw' if document['ties'] == 'coin' else 'any probabilities'}"
    )
    if document["ties"] == "coin":
        for outcome, chance in zip(outcomes, document["chances"], strict=True):
            say(f"    {outcome}: {chance}")
        unit = " (a win counts as 2)" if document["wish"] == "win" else ""
        say(f"    expected{unit}: {', '.join(document['expected'])}")
        return
    say(f"    possible outcomes: {'; '.join(outcomes)}")
    for player, bounds in enumerate(zip(document["least"], document["most"], strict=True)):
        say("    player {} expects at least {}, at most {}".format(player, *bounds))


def _one_of(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])
