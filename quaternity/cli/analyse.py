"""`analyse`: everything a state implies, for people and for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.cli.app import app
from quaternity.cli.oracle import oracle_document, oracle_lines
from quaternity.cli.referee import AsJson, Files
from quaternity.cli.status import ExitStatus
from quaternity.cli.terminal import console, progress, warn, warn_about
from quaternity.errors import InputError, LimitError, QuaternityError

if TYPE_CHECKING:
    from quaternity.analysis import Analysis
    from quaternity.game import Game
    from quaternity.information import Prospect
    from quaternity.play.tablebase import Tablebase
    from quaternity.state import State

MOST_QUESTIONS = 15
"""Most ranked questions that are printed; --json has all."""


@app.command()
def analyse(
    files: Files,
    questions: Annotated[
        bool, typer.Option("--questions", help="Rank the questions by what they would tell.")
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(help="Draw the chances (of a record also its curve): .png, .svg or .pdf."),
    ] = None,
    oracle: Annotated[
        str | None,
        typer.Option(help="A tablebase of the game: who can force what, and the best questions."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say everything a state implies: owners, counts, the number of deals, chances.

    Of a record the last position is analysed, and the number of deals is followed over its moves.

    Example: quaternity analyse state.json --questions --plot chances.png
    """
    from quaternity.pictures import picture_format

    if plot is not None:
        picture_format(plot)
        if len(files) > 1:
            raise InputError(f"--plot draws one file, not {len(files)}")
    tablebase = None
    if oracle is not None:
        from quaternity.play.tablebase import Tablebase

        tablebase = Tablebase(oracle)
    status = ExitStatus.DONE
    for path in files:
        try:
            _analyse(path, questions, plot, tablebase, as_json)
        except LimitError as error:
            warn_about(path, error)
            status = max(status, ExitStatus.LIMIT)
        except InputError as error:
            warn_about(path, error)
            status = max(status, ExitStatus.BAD_INPUT)
        except QuaternityError as error:
            warn(f"{path}: impossible: {error}")
            status = max(status, ExitStatus.IMPOSSIBLE)
            if as_json:
                nothing = dict.fromkeys(("chances", "counts", "may_own"))
                print(json.dumps({"file": path, "deals": 0} | nothing), flush=True)
    if status:
        raise typer.Exit(status)


def _analyse(
    path: str, questions: bool, plot: str | None, tablebase: Tablebase | None, as_json: bool
) -> None:
    from quaternity.analysis import analyse as analysed
    from quaternity.documents import read_document
    from quaternity.information import prospects
    from quaternity.record import ParsedRecord

    document = read_document(path)
    for text in document.warnings:
        warn_about(path, text)
    curve: list[int] = []
    if isinstance(document, ParsedRecord):
        game = document.replay()
        state = game.state
        curve = _curve(game)
    else:
        state = document.state
    analysis = analysed(state)
    ranked = prospects(state) if questions else []
    if tablebase is not None:
        # Asked before anything is printed or drawn: it may not know the position.
        tablebase.standing(state)
    if plot is not None:
        from quaternity.analysis_plot import plot_analysis

        plot_analysis(plot, analysis, curve)
    if as_json:
        line: dict[str, Any] = {
            "file": path,
            "deals": analysis.deals,
            "chances": analysis.chances,
            "counts": analysis.counts,
            "may_own": analysis.may_own,
        }
        if curve:
            line["curve"] = curve
        if questions:
            line["questions"] = [_question(prospect) for prospect in ranked]
        if tablebase is not None:
            line["oracle"] = oracle_document(tablebase, state)
        print(json.dumps(line, separators=(",", ":")), flush=True)
        return
    _print(path, state, analysis, curve)
    if questions:
        _print_questions(ranked)
    if tablebase is not None:
        print("\nWith perfect play")
        for text in oracle_lines(tablebase, state):
            print(text)
    if plot is not None:
        print(f"drawn: {plot}")


def _curve(game: Game) -> list[int]:
    """The number of deals after 0, 1, 2 … moves."""
    from solvers.counting import count_deals

    curve = []
    with progress("counting deals", len(game.states)) as bar:
        for state in game.states:
            curve.append(count_deals(state.problem))
            bar.advance()
    return curve


def _question(prospect: Prospect) -> dict[str, Any]:
    group = prospect.group
    return {
        "asked": group.asked,
        "set": group.set_index,
        "cards": list(group.cards),
        "chance_of_yes": prospect.chance_of_yes,
        "deals_after_no": prospect.after_no,
        "deals_after_yes": prospect.after_yes,
        "bits": prospect.bits,
    }


def _print(path: str, state: State, analysis: Analysis, curve: list[int]) -> None:
    from quaternity.cli.board import players_table
    from quaternity.cli.chances import chance_lines, count_lines, curve_lines

    output = console()
    output.print(f"{path}: {analysis.deals:,} deal{'s' * (analysis.deals != 1)}")
    output.print(players_table(state))
    print("\nChances in percent (# certain, . impossible)")
    for line in chance_lines(analysis.chances, output.width):
        print(line)
    print("\nCards of each set in hand, fewest-most")
    for line in count_lines(analysis.counts, output.width):
        print(line)
    if len(curve) > 1:
        print("\nNumber of deals over the moves (log10)")
        for line in curve_lines(curve):
            print(line)


def _print_questions(ranked: list[Prospect]) -> None:
    from rich.table import Table

    from quaternity.cards import Card
    from solvers.wording import listed

    if not ranked:
        print("\nNo question is legal.")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("asked", "for", "chance of yes", "deals after no", "deals after yes", "bits"):
        table.add_column(heading, justify="left" if heading == "for" else "right")
    for prospect in ranked[:MOST_QUESTIONS]:
        group = prospect.group
        table.add_row(
            str(group.asked),
            listed(Card(group.set_index, number) for number in group.cards),
            f"{prospect.chance_of_yes:.1%}",
            f"{prospect.after_no:,}",
            f"{prospect.after_yes:,}",
            f"{prospect.bits:.3f}",
        )
    print("\nQuestions by expected information")
    console().print(table)
    if len(ranked) > MOST_QUESTIONS:
        print(f"and {len(ranked) - MOST_QUESTIONS} more kinds of questions")


__all__ = ["analyse"]
