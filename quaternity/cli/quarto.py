"""`quarto`: show, explain and solve boards of Quarto."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated

import typer

from quaternity.base.text_format import with_noun
from quaternity.base.writing import write_text
from quaternity.cli.app import app
from quaternity.cli.help_pages import HelpGroup
from quaternity.cli.options import AsJson
from quaternity.cli.terminal import say
from quaternity.quarto.board import Board, safe_pieces
from quaternity.quarto.drawing import board_svg, board_text
from quaternity.quarto.explanation import explain_quartos, why_unreachable
from quaternity.quarto.pieces_file import example_pieces, read_pieces
from quaternity.quarto.reports import (
    BoardReport,
    Explanation,
    SolutionReport,
    explain_board,
    report_board,
    report_solution,
)
from quaternity.quarto.rows import cell_name
from quaternity.quarto.solving import Outcome, QuartoMove

quarto_app = typer.Typer(
    cls=HelpGroup, no_args_is_help=True, help="Play Quarto, and analyse its positions."
)
app.add_typer(quarto_app, name="quarto")

EXAMPLE = "example"
"""Value that selects the built-in pieces instead of a file of pieces."""

PIECES = Annotated[
    str,
    typer.Argument(
        metavar="PIECES",
        help="File of the 16 pieces, '-' for standard input, or 'example' for the built-in "
        "pieces (./example is a file of that name).",
    ),
]
CONFIGURATION = Annotated[
    str,
    typer.Argument(
        metavar="CONFIGURATION",
        help="16 characters for the cells, from the top left to the bottom right: a piece, or any "
        "other character for an empty cell. Write -- first if they begin with '-'.",
    ),
]


@quarto_app.command()
def show(
    pieces: PIECES,
    configuration: CONFIGURATION,
    as_json: AsJson = False,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Also draw the board as SVG.")
    ] = None,
) -> None:
    """Draw a board and its quartos, and show whether it is reachable and can end in a draw.

    The ways to fill the board without a quarto are counted if there are up to 10 empty cells. With
    more empty cells, the count is null in JSON.

    Example: quaternity quarto show example 'N?BI??JO?FDLMEAG' --svg board.svg
    """
    board = _board(pieces, configuration)
    if svg is not None:
        write_text(svg, board_svg(board))
    report = report_board(board)
    print(json.dumps(report.document())) if as_json else _print_report(report)


def _print_report(report: BoardReport) -> None:
    board, ways = report.board, report.completions
    _print_board(board)
    quartos = [f"{quarto.row} {quarto.shared}" for quarto in explain_quartos(board)]
    say(f"quartos:   {', '.join(quartos) or 'none'}")
    say(f"reachable: {_reachable(board)}")
    counted = f", in {with_noun(ways, 'way')}" if ways else ""
    say(f"can draw:  {'yes' if report.can_draw else 'no'}{counted}")


@quarto_app.command()
def explain(pieces: PIECES, configuration: CONFIGURATION, as_json: AsJson = False) -> None:
    """Explain in words which quartos there are, and which pieces are safe to hand over.

    Example: quaternity quarto explain example 'AGH.............'
    """
    explanation = explain_board(_board(pieces, configuration))
    print(json.dumps(explanation.document())) if as_json else _print_explanation(explanation)


def _print_explanation(explanation: Explanation) -> None:
    board = explanation.board
    _print_board(board)
    for quarto in explanation.quartos:
        say(str(quarto))
    if explanation.quartos:
        say(f"reachable: {_reachable(board)}")
        return
    print("No quarto.")
    if board.left:
        say(f"Safe to hand over: {' '.join(safe_pieces(board)) or 'no piece'}")
    for name, cells in explanation.winning.items():
        if cells:
            say(f"Whoever gets {name} completes a quarto on {' or '.join(cells)}.")


@quarto_app.command()
def solve(
    pieces: PIECES,
    configuration: CONFIGURATION,
    in_hand: Annotated[
        str | None,
        typer.Option(
            "--in-hand",
            "-i",
            metavar="PIECE",
            help="Piece that the player to move must place. Without it, the player to move "
            "hands over a piece.",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Rate every move, not only the best ones.")
    ] = False,
    squares: Annotated[
        bool, typer.Option("--squares", help="Four pieces in a 2 x 2 square can also be a quarto.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find out who wins with perfect play, by which moves and how soon.

    With more than 11 empty cells, the exit status is 4. The best moves keep the outcome; if a
    quarto can be completed, the best moves complete one. Each move is followed by the number of
    pieces that are placed until the end. The fastest win comes first, or the slowest loss.

    Example: quaternity quarto solve example 'AGDPMJCF.E......' --in-hand K
    """
    report = report_solution(_board(pieces, configuration), in_hand, squares, every)
    print(json.dumps(report.document())) if as_json else _print_solution(report, squares)


def _print_solution(report: SolutionReport, squares: bool) -> None:
    solution, in_hand = report.solution, report.in_hand
    _print_board(report.board)
    if not solution.moves:
        won = bool(report.board.quartos(squares))
        say(f"The game is over: {'the last player to place a piece has won' if won else 'a draw'}.")
        return
    task = "hand over a piece" if in_hand is None else f"place {in_hand}"
    say(f"The player must {task}. With perfect play: {solution.outcome.name.lower()}.")
    lost = solution.outcome == Outcome.LOSS
    say("Every move loses; the slowest losses first:" if lost else "Best moves:")
    _print_moves(zip(solution.moves, solution.distances, strict=True))
    print("A line of play:")
    for number, move in enumerate(report.line, start=1):
        say(f"  {number}. {move}")
    rated = report.rated or ()
    for outcome in sorted({move.outcome for move in rated}, reverse=True):
        print(f"All moves to a {outcome.name.lower()}:")
        _print_moves((move.move, move.distance) for move in rated if move.outcome == outcome)


def _board(pieces: str, configuration: str) -> Board:
    location = example_pieces() if pieces == EXAMPLE else pieces
    return Board.parse(configuration, read_pieces(location))


def _print_board(board: Board) -> None:
    print(board_text(board))
    print(f"\nleft:      {' '.join(board.left) or 'no piece'}")


def _reachable(board: Board) -> str:
    reason = why_unreachable(board)
    return "yes" if reason is None else f"no ({reason})"


def _print_moves(rows: Iterable[tuple[QuartoMove, int]]) -> None:
    alike: dict[tuple[int, int | None], list[str]] = {}
    for (cell, name), distance in rows:
        alike.setdefault((distance, cell), []).extend([] if name is None else [name])
    for (distance, cell), names in alike.items():
        place = [] if cell is None else [f"place it on {cell_name(cell)}"]
        give = [f"hand over {' or '.join(names)}"] if names else []
        say(f"  {', then '.join(place + give)} ({with_noun(distance, 'piece')} to the end)")
