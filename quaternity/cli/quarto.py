"""`quarto`: show, explain and solve boards of Quarto."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from quaternity.base.text_format import with_noun
from quaternity.base.writing import write_text
from quaternity.cli.app import app
from quaternity.cli.help_pages import HelpGroup
from quaternity.cli.options import AsJson
from quaternity.cli.terminal import say
from quaternity.quarto import (
    COMPLETIONS_LIMIT,
    Board,
    Outcome,
    QuartoMove,
    RatedMove,
    Solution,
    board_svg,
    board_text,
    can_draw,
    cell_name,
    drawn_completions,
    example_pieces,
    explain_quartos,
    is_reachable,
    line_of_play,
    rated_moves,
    read_pieces,
    safe_pieces,
    why_unreachable,
    winning_cells,
)
from quaternity.quarto import solve as solution_of

quarto_app = typer.Typer(
    cls=HelpGroup, no_args_is_help=True, help="Play Quarto, and analyse its positions."
)
app.add_typer(quarto_app, name="quarto")

EXAMPLE = "example"
"""Argument that selects the built-in pieces instead of a file of pieces."""

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
    drawable = can_draw(board)
    few = len(board.empty) <= COMPLETIONS_LIMIT
    completions = drawn_completions(board) if few else None
    if as_json:
        _print_json(_board_document(board, drawable, completions))
        return
    _print_board(board)
    quartos = [
        f"{row.name} {word}" for row, mark in board.quartos() for word in board.pieces.words(mark)
    ]
    say(f"quartos:   {', '.join(quartos) or 'none'}")
    say(f"reachable: {_reachable(board)}")
    ways = "" if not completions else f", in {completions} way{'s' * (completions > 1)}"
    say(f"can draw:  {'yes' if drawable else 'no'}{ways}")


@quarto_app.command()
def explain(pieces: PIECES, configuration: CONFIGURATION, as_json: AsJson = False) -> None:
    """Explain in words which quartos there are, and which pieces are safe to hand over.

    Example: quaternity quarto explain example 'AGH.............'
    """
    board = _board(pieces, configuration)
    quartos = explain_quartos(board)
    winning = {
        name: [cell_name(cell) for cell in winning_cells(board, name)] for name in board.left
    }
    if as_json:
        _print_json(
            {
                "quartos": [
                    {
                        "row": quarto.row,
                        "cells": [cell_name(cell) for cell in quarto.cells],
                        "pieces": quarto.pieces,
                        "property": quarto.shared,
                    }
                    for quarto in quartos
                ],
                "reachable": is_reachable(board),
                "why_unreachable": why_unreachable(board),
                "safe_pieces": safe_pieces(board),
                "winning_cells": winning,
            }
        )
        return
    _print_board(board)
    for quarto in quartos:
        say(str(quarto))
    if quartos:
        say(f"reachable: {_reachable(board)}")
        return
    print("No quarto.")
    safe = safe_pieces(board)
    if board.left:
        say(f"Safe to hand over: {' '.join(safe) or 'no piece'}")
    for name, cells in winning.items():
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
            help="Piece that the player to move must place.  [default: none, the player to move "
            "hands over a piece]",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Rate every move, not only the best ones.")
    ] = False,
    squares: Annotated[
        bool,
        typer.Option("--squares", help="Four pieces in a 2 x 2 square can also be a quarto."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find out who wins with perfect play, by which moves and how soon.

    With more than 11 empty cells, the exit status is 4. The best moves keep the outcome; if a
    quarto can be completed, the best moves complete one. Each move is followed by the number of
    pieces that are placed until the end. The fastest win comes first, or the slowest loss.

    Example: quaternity quarto solve example 'AGDPMJCF.E......' --in-hand K
    """
    board = _board(pieces, configuration)
    solution = solution_of(board, in_hand, squares)
    line = line_of_play(board, in_hand, squares)
    rated = rated_moves(board, in_hand, squares) if every else ()
    if as_json:
        document = _solution_json(solution, in_hand, line)
        if every:
            document["all_moves"] = [
                {
                    **_move_json(move),
                    "outcome": outcome.name.lower(),
                    "distance": distance,
                }
                for move, outcome, distance in rated
            ]
        _print_json(document)
        return
    _print_board(board)
    if solution.moves:
        _print_solution(solution, in_hand, line, rated)
    else:
        won = bool(board.quartos(squares))
        say(f"The game is over: {'the last player to place a piece has won' if won else 'a draw'}.")


def _solution_json(
    solution: Solution, in_hand: str | None, line: Sequence[QuartoMove]
) -> dict[str, Any]:
    rows = zip(solution.moves, solution.distances, strict=True)
    return {
        "outcome": solution.outcome.name.lower(),
        "over": not solution.moves,
        "in_hand": in_hand,
        "moves": [{**_move_json(move), "distance": distance} for move, distance in rows],
        "line": [_move_json(move) for move in line],
    }


def _print_solution(
    solution: Solution, in_hand: str | None, line: Sequence[QuartoMove], rated: Sequence[RatedMove]
) -> None:
    task = "hand over a piece" if in_hand is None else f"place {in_hand}"
    say(f"The player must {task}. With perfect play: {solution.outcome.name.lower()}.")
    lost = solution.outcome == Outcome.LOSS
    say("Every move loses; the slowest losses first:" if lost else "Best moves:")
    _print_moves(zip(solution.moves, solution.distances, strict=True))
    print("A line of play:")
    for number, move in enumerate(line, start=1):
        say(f"  {number}. {move}")
    for outcome in sorted({move.outcome for move in rated}, reverse=True):
        print(f"All moves to a {outcome.name.lower()}:")
        _print_moves((move.move, move.distance) for move in rated if move.outcome == outcome)


def _board(pieces: str, configuration: str) -> Board:
    location = example_pieces() if pieces == EXAMPLE else pieces
    return Board.parse(configuration, read_pieces(location))


def _board_document(board: Board, drawable: bool, completions: int | None) -> dict[str, object]:
    """Return the JSON object that `show` prints."""
    set_of = board.pieces
    cells = [[] if piece is None else sorted(set_of.words_of(piece)) for piece in board.cells]
    return {
        "grid": [cells[start : start + 4] for start in range(0, 16, 4)],
        "quartos": [
            [row.name, word] for row, mark in board.quartos() for word in set_of.words(mark)
        ],
        "reachable": is_reachable(board),
        "can_draw": drawable,
        "drawn_completions": completions,
    }


def _print_json(value: dict[str, object]) -> None:
    print(json.dumps(value))


def _print_board(board: Board) -> None:
    """Print the board and the pieces that are left."""
    print(board_text(board))
    print(f"\nleft:      {' '.join(board.left) or 'no piece'}")


def _reachable(board: Board) -> str:
    """Return whether a game can reach a board, and the reason if it cannot."""
    reason = why_unreachable(board)
    return "yes" if reason is None else f"no ({reason})"


def _move_json(move: QuartoMove) -> dict[str, object]:

    return {
        "cell": None if move.cell is None else cell_name(move.cell),
        "hand_over": move.hand_over,
    }


def _print_moves(rows: Iterable[tuple[QuartoMove, int]]) -> None:
    """Print moves, with moves of the same cell and distance on one line."""
    alike: dict[tuple[int, int | None], list[str]] = {}
    for (cell, name), distance in rows:
        alike.setdefault((distance, cell), []).extend([] if name is None else [name])
    for (distance, cell), names in alike.items():
        place = [] if cell is None else [f"place it on {cell_name(cell)}"]
        give = [f"hand over {' or '.join(names)}"] if names else []
        say(f"  {', then '.join(place + give)} ({with_noun(distance, 'piece')} to the end)")
