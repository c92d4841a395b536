"""The position of a puzzle as text, as HTML or on a sheet to print."""

from __future__ import annotations

from html import escape

from quaternity.base.sentences import Wording
from quaternity.base.text_table import score_text
from quaternity.game.game import Game
from quaternity.game.picture import owners_picture
from quaternity.game.rules import owners_table
from quaternity.insight.explanation import move_line
from quaternity.kwartet.seat_log import SeatLog
from quaternity.puzzles.kwartet_puzzles import seen_log
from quaternity.puzzles.puzzle import Puzzle
from quaternity.puzzles.set_puzzles import LETTERS
from quaternity.quarto.board import Board
from quaternity.quarto.drawing import board_svg as quarto_svg
from quaternity.quarto.drawing import board_text as quarto_text
from quaternity.quarto.pieces_file import example_pieces, read_pieces
from quaternity.ternary.cards import SetCard
from quaternity.ternary.table_picture import table_svg

_PLAIN = Wording()

_STYLE = """\
body { font: 11pt/1.4 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
section { break-inside: avoid; margin-bottom: 2.5rem }
svg { max-width: 100%; max-height: 18rem; height: auto }
pre { font-size: 9pt; white-space: pre-wrap }
.solutions { break-before: page }"""


def board_text(puzzle: Puzzle) -> str:
    """Return the position of a puzzle as text for a terminal."""
    board = position_of(puzzle)
    if isinstance(board, Game):
        return _game_text(board)
    if isinstance(board, tuple):
        cards = zip(LETTERS, board, strict=False)
        return "\n".join(f"  {letter}  {SetCard(card)}" for letter, card in cards)
    if isinstance(board, Board):
        pieces = [f"{name}  {' '.join(board.pieces.words_of(board.pieces.piece(name)))}"
                  for name in sorted(board.pieces.names)]  # fmt: skip
        wide = max(map(len, pieces)) + 3
        pairs = zip(pieces[:8], pieces[8:], strict=True)
        legend = "\n".join(f"  {first:<{wide}}{second}" for first, second in pairs)
        return f"{quarto_text(board).rstrip()}\n\n{legend}"
    return _log_text(puzzle.position)


def board_html(puzzle: Puzzle) -> str:
    """Return the position of a puzzle as an HTML fragment."""
    board = position_of(puzzle)
    if isinstance(board, tuple):
        return table_svg(board, letters=True)
    if isinstance(board, Board):
        return quarto_svg(board)
    if isinstance(board, Game):
        state = board.state
        picture = owners_picture(
            "Facts known from the moves",
            (),
            state.problem,
            state.points,
            state.turn,
            state.completed,
        )
        return f"{picture.html()}<pre>{escape(_moves_text(board))}</pre>"
    return f"<pre>{escape(_log_text(puzzle.position))}</pre>"


def sheet(puzzles: list[Puzzle]) -> str:
    """Return a printable HTML page with puzzles. Their solutions start on a new sheet of paper."""
    tasks, solutions = [], []
    for number, puzzle in enumerate(puzzles, start=1):
        head = f"<h2>{number}. {escape(puzzle.kind)}, level {puzzle.level}</h2>"
        question = f"<p><b>{escape(sentence(puzzle.question))}</b></p>"
        tasks.append(f"<section>{head}{board_html(puzzle)}{question}</section>")
        steps = "".join(f"<li>{escape(sentence(step.text))}</li>" for step in puzzle.why)
        answers = escape(" or ".join(puzzle.answers))
        solutions.append(f"<section>{head}<p><b>{answers}</b></p><ol>{steps}</ol></section>")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Puzzles</title><style>{_STYLE}</style>"
        f"<h1>Puzzles</h1>{''.join(tasks)}"
        f'<h1 class="solutions">Solutions</h1>{"".join(solutions)}</html>\n'
    )


def sentence(text: str) -> str:
    """Return a message as an English sentence that starts with a capital letter."""
    return _PLAIN.sentence(text)


def position_of(puzzle: Puzzle) -> Game | SeatLog | Board | tuple[int, ...]:
    """Parse the position of a puzzle.

    The result is a Quaternity game, a Kwartet game as one player saw it, a Quarto board, or the
    numbers of SET cards.
    """
    if puzzle.game == "quaternity":
        return Game.parse(puzzle.position)
    if puzzle.game == "quarto":
        return Board.parse(puzzle.position.split()[0], read_pieces(example_pieces()))
    if puzzle.game == "set":
        return tuple(map(int, puzzle.position.split()))
    return seen_log(puzzle.position)


def _game_text(game: Game) -> str:
    state = game.state
    score = score_text(state.hands, state.points, state.turn)
    return f"{score}\n{owners_table(state, follows=False)}\n\n{_moves_text(game)}".rstrip()


def _log_text(log: str) -> str:
    number, lines = 0, list[str]()
    for line in log.splitlines():
        asks = " asks " in line
        number += asks
        words = line.replace("hand ", "dealt to player ", line.startswith("hand "))
        lines.append(f"{number}. {line}" if asks else words)
    return "\n".join(lines)


def _moves_text(game: Game) -> str:
    return "\n".join(map(str, (move_line(game, number) for number in range(len(game.moves)))))
