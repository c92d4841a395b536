"""`analyse`: show everything that a state of Quaternity implies, as text or JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.base.errors import InputError, LimitError, QuaternityError
from quaternity.base.picture import Cell, Display, heading_cells
from quaternity.base.plots import check_picture
from quaternity.base.text_format import join_words, percent, with_noun
from quaternity.base.text_table import table_lines
from quaternity.cli.app import app
from quaternity.cli.chances import chance_lines, count_lines, curve_lines
from quaternity.cli.input_files import open_document
from quaternity.cli.options import AnyFiles, AsJsonLines
from quaternity.cli.oracle import oracle_lines
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import progress, say, warn, warn_about, width
from quaternity.game.cards import Card
from quaternity.game.state import State
from quaternity.insight.analysis import Analysis, TooManyDeals, owner_chances, prospects
from quaternity.insight.analysis import analyse as analysed
from quaternity.insight.analysis_plot import plot_analysis
from solvers.counting import chances_picture, count_deals
from solvers.problem import DealProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quaternity.base.sentences import Wording
    from quaternity.cli.chances import Chances
    from quaternity.game.game import Game
    from quaternity.game.state import State
    from quaternity.insight.analysis import Analysis, Deductions, Prospect
    from quaternity.perfect.tablebase import Tablebase

MAX_PRINTED_QUESTIONS = 15
"""Maximum number of groups of equivalent questions in the printed ranking. With `--json`, the
ranking contains all of them."""

BITS = """\
One bit of information halves the number of possible deals. Whatever the answer is, the
question reveals that the asker does not have the card, but has another card of its set.
The bits of the answer are the average over yes and no. If only one answer is possible,
it reveals nothing, but the question may reveal much."""

PIPE_COLUMNS = 200
"""Maximum width of printed tables, in characters, if the output is not a terminal."""


@app.command()
def analyse(
    files: AnyFiles,
    questions: Annotated[
        bool, typer.Option("--questions", help="Rank the questions by expected information.")
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw the probability that each player has each card in this .png, .svg or .pdf "
            "file; for a record, also draw the number of deals after each move.",
        ),
    ] = None,
    oracle: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Also show who can force a win, and the best questions, read from this tablebase "
            "(a file written by quaternity solve --out).",
        ),
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Show what a state implies: possible owners, deals, chances.

    For a record, the last position is analysed, and the deals are counted after every move. If
    there are too many deals to count, only the possible owners and the numbers of cards of each
    set in each hand are shown (exit status 4).

    Example: quaternity analyse state.json --questions --plot chances.png
    """
    if plot is not None:
        check_picture(plot)
        if len(files) > 1:
            raise InputError(f"--plot: needs exactly one input file, not {len(files)}")
    tablebase = None
    if oracle is not None:
        from quaternity.perfect.tablebase import Tablebase

        tablebase = Tablebase(oracle)
    with ExitWithStatus() as leaving:
        for path in files:
            try:
                _analyse(path, questions, plot, tablebase, as_json)
            except LimitError as error:
                warn_about(path, error)
                leaving.status = max(leaving.status, ExitStatus.LIMIT)
            except InputError as error:
                warn_about(path, error)
                leaving.status = max(leaving.status, ExitStatus.BAD_INPUT)
            except QuaternityError as error:
                warn(f"{path}: impossible: {error}")
                leaving.status = max(leaving.status, ExitStatus.IMPOSSIBLE)
                if as_json:
                    nothing = dict.fromkeys(("chances", "counts", "may_own"))
                    print(json.dumps({"file": path, "deals": 0} | nothing), flush=True)


def _analyse(
    path: str, questions: bool, plot: str | None, tablebase: Tablebase | None, as_json: bool
) -> None:

    opened = open_document(path)
    position = opened.position
    state = position if isinstance(position, State) else None
    if state is None and (questions or tablebase is not None):
        raise InputError("--questions and --oracle need a game state, not a deal problem")
    limits: list[LimitError] = []
    curve = [] if opened.game is None else _curve(opened.game, limits)
    if questions and state is not None and state.turn is None and not state.is_over:
        raise InputError("turn: missing; the questions depend on which player is to move")
    analysis: Analysis | Deductions
    try:
        analysis = analysed(position)
    except TooManyDeals as error:
        analysis = error.deductions
        limits.append(error)
    ranked = None
    if questions and state is not None:
        try:
            ranked = prospects(state)
        except LimitError as error:
            limits.append(error)
    # Query the tablebase before printing anything, because the query fails if the tablebase does
    # not contain the position.
    oracle = None if tablebase is None or state is None else tablebase.report(state)
    if as_json:
        line = {"file": path, **analysis.document()}
        if curve:
            line["curve"] = curve
        if questions:
            line["questions"] = ranked and [prospect.document() for prospect in ranked]
        if oracle is not None:
            line["oracle"] = oracle.document()
        print(json.dumps(line, separators=(",", ":")), flush=True)
    else:
        _print(path, position, analysis, curve)
        if ranked is not None:
            _print_questions(ranked)
        if oracle is not None:
            print("\nWith perfect play")
            for text in oracle_lines(oracle):
                say(text)
    sys.stdout.flush()
    # Print all results first, in case drawing fails. Without chances there is nothing to draw.
    if plot is not None and isinstance(analysis, Analysis):
        plot_analysis(plot, analysis, curve)
        if not as_json:
            print(f"drawn: {plot}")
    if limits:
        raise limits[0]  # The caller reports the missing results.


def _curve(game: Game, limits: list[LimitError]) -> list[int | None]:
    """Return the number of possible deals before the first move and after each move.

    A number that cannot be counted within the limits is None. `limits` collects the errors.
    """
    curve: list[int | None] = []
    with progress("counting deals", len(game.states)) as bar:
        for state in game.states:
            try:
                curve.append(count_deals(state.problem))
            except LimitError as error:
                curve.append(None)
                limits.append(error)
            bar.advance()
    return curve


def _print(
    path: str,
    position: State | DealProblem,
    analysis: Analysis | Deductions,
    curve: list[int | None],
) -> None:

    max_width = width() or PIPE_COLUMNS
    if isinstance(analysis, Analysis):
        say(f"{path}: {analysis.deals:,} deal{'s' * (analysis.deals != 1)}")
        heading = "Chances in percent (# certain, . impossible)"
        chances: Chances = analysis.chances
    else:
        say(f"{path}: too many deals to count")
        heading = "Owners (# certain, ? possible, . impossible)"
        chances = owner_chances(analysis.may_own, position.players)
    if isinstance(position, State):
        players = [
            (">" if player == position.turn and not position.is_over else "", str(player),
             *map(str, held))
            for player, held in enumerate(zip(position.hands, position.points, strict=True))
        ]  # fmt: skip
        print("\n".join(table_lines(("", "player", "cards", "points"), players, align="><>>")))
    if not chances or not any(chances):
        return  # there are no cards
    if isinstance(position, DealProblem) and position.names is not None:
        _print_with_names(position.words, chances, analysis.counts)
        return
    print(f"\n{heading}")
    for line in chance_lines(chances, max_width):
        print(line)
    print("\nNumber of cards of each set in hand (minimum-maximum)")
    for line in count_lines(analysis.counts, max_width):
        print(line)
    if len(curve) > 1:
        print("\nNumber of deals after each move (log10)")
        for line in curve_lines(curve, min(60, max_width - 14)):
            say(line)


def _print_with_names(
    words: Wording, chances: Chances, counts: Sequence[Sequence[tuple[int, int]]]
) -> None:
    print("\nProbability that a player owns a card")
    for line in chances_picture(0, chances, words).text().splitlines():
        say(line)
    print("\nNumber of cards of each set in hand (minimum-maximum)")
    players, sets = range(len(counts)), range(len(counts[0]))
    rows = [heading_cells("", *map(words.player, players))]
    for index in sets:
        amounts = (f"{low}-{high}" for low, high in (counts[player][index] for player in players))
        rows.append([*heading_cells(words.set(index)), *map(Cell, amounts)])
    for line in Display("", (), rows).text().splitlines():
        say(line)


def _print_questions(ranked: list[Prospect]) -> None:

    if not ranked:
        print("\nNo question is legal.")
        return
    head = (
        "asked", "for", "chance of yes", "deals after no", "deals after yes",
        "asking", "answer", "bits",
    )  # fmt: skip
    rows = [
        [
            str(question.group.asked),
            join_words(Card(question.group.set_index, number) for number in question.group.cards),
            percent(question.chance_of_yes),
            f"{question.after_no:,}",
            f"{question.after_yes:,}",
            f"{question.bits_of_asking:.3f}",
            f"{abs(question.bits - question.bits_of_asking):.3f}",
            f"{question.bits:.3f}",
        ]
        for question in ranked[:MAX_PRINTED_QUESTIONS]
    ]
    print("\nQuestions by expected information")
    print("\n".join(table_lines(head, rows, width(), 2, "><>>>>>>")))
    if len(ranked) > MAX_PRINTED_QUESTIONS:
        more = len(ranked) - MAX_PRINTED_QUESTIONS
        print(f"and {with_noun(more, 'more kind')} of questions")
    say(BITS if (width() or 90) >= 90 else " ".join(BITS.split()), 0)
