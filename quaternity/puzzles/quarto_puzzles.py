"""Quarto puzzles: find a move that wins soon, or a piece that can be handed over without losing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle
from random import Random

from quaternity.base.sentences import Message, MessageTemplate
from quaternity.puzzles.puzzle import Puzzle, Step
from quaternity.quarto.board import Board, safe_pieces, winning_cells
from quaternity.quarto.pieces_file import example_pieces, read_pieces
from quaternity.quarto.rows import cell_name
from quaternity.quarto.solving import Outcome, QuartoMove, RatedMove, line_of_play, rated_moves

EMPTY_AT = {1: (6, 7, 8), 2: (5, 6, 7), 3: (5, 6), 4: (6, 7), 5: (7,)}
"""Possible numbers of empty cells on the board of a puzzle, by the level of the puzzle."""

WIN_IN = MessageTemplate(
    "win_in",
    "Place piece {piece} and hand over another, so that you win within {count} placements, "
    "including this one.",
)
WIN_NOW = MessageTemplate("win_now", "Place piece {piece} so that you win at once.")
HAND_OVER_NOW = MessageTemplate(
    "hand_over_now",
    "Which piece can you hand over so that the other player cannot win with it at once?",
)
HAND_OVER = MessageTemplate("hand_over", "Which piece can you hand over so that you do not lose?")
KEEP_WIN = MessageTemplate("keep_win", "Which piece can you hand over so that you win?")
LOOK_AT_CELL = MessageTemplate("look_at_cell", "Look at {cell}.")
LOOK_AT_ROW = MessageTemplate("look_at_row", "Look at row {row}.")
LOSE_AT_ONCE = MessageTemplate(
    "lose_at_once", "With {count} of the pieces, the other player wins at once."
)
NO_ROW = MessageTemplate("no_row", "On {cell}, the piece does not complete a row.")
GIVES = MessageTemplate(
    "gives", "After '{move}' the other player places {piece} on {cell} and wins."
)
LINE = MessageTemplate("line", "The best moves after '{move}' are these. {line:row} {ends}.")
THEN_THEY = MessageTemplate("then_they", "They: {move}.")
YOU_DO = MessageTemplate("you_do", "You: {move}.")
THEY_DO = MessageTemplate("they_do", "Best for the other player: {move}.")
COMPLETES = MessageTemplate("completes", "{row}: all {shared:listed}.")
ENDS_SO = MessageTemplate("ends_so", "{ends}.")
YOU_WIN, NOBODY_WINS = (
    MessageTemplate("you_win", "You win"),
    MessageTemplate("nobody_wins", "Nobody wins"),
)
TOO_LATE = MessageTemplate("too_late", "You win, but not within {count} placements")
THEY_WIN = MessageTemplate("they_win", "The other player wins")
ENDS = {Outcome.WIN: YOU_WIN(), Outcome.DRAW: NOBODY_WINS(), Outcome.LOSS: THEY_WIN()}
HOW_MANY_DO = MessageTemplate("how_many_do", "Moves that achieve this: {right} of {all}.")

MAX_REFUTED_MOVES = 6
"""Maximum number of moves that a proof refutes, not counting moves that lose immediately."""


class Quarto:
    """A kind of puzzle that asks how to win soon, or which piece can safely be handed over."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle about a random board, or None. `PuzzleKind` explains the arguments."""
        board = _random_board(random, random.choice(EMPTY_AT[level]))
        if board is None:
            return None
        if level == 1 and wish < 0.6:
            return self._win_now(board, random.choice(board.left))
        if level <= 2 and wish >= 0.6:
            return self._hand_over_now(board)
        if level == 2 or wish < 0.5:
            return self._win_later(board, random.choice(board.left))
        return self._hand_over(board)

    def of_board(self, board: Board, piece: str) -> Puzzle | None:
        """Return a puzzle about a board, or None if there is no puzzle about it.

        `piece` is the piece to place, or "" if a piece must be handed over.
        """
        is_late = len(board.empty) <= max(EMPTY_AT[5])
        if piece and winning_cells(board, piece):
            return self._win_now(board, piece)
        if piece:
            return self._win_later(board, piece) if is_late else None
        return (self._hand_over(board) if is_late else None) or self._hand_over_now(board)

    def _win_now(self, board: Board, piece: str) -> Puzzle | None:
        winning = winning_cells(board, piece)
        if len(winning) != 1:
            return None
        right = QuartoMove(winning[0], None)
        wrong = {str(QuartoMove(cell, None)): NO_ROW(cell=cell_name(cell))
                 for cell in board.empty if cell not in winning}  # fmt: skip
        row, _ = board.after(winning[0], piece).quartos()[0]
        look = Step(LOOK_AT_ROW(row=row.name), tuple(map(cell_name, row.cells)))
        steps = (look, *_steps(board, piece, right, YOU_WIN()))
        return _puzzle(board, piece, WIN_NOW(piece=piece), [right], wrong, steps, 1, 1)

    def _win_later(self, board: Board, piece: str) -> Puzzle | None:
        rated = rated_moves(board, piece)
        best = rated[0]
        if best.outcome != Outcome.WIN or best.distance == 1:
            return None
        count = (best.distance + 1) // 2
        right = [move for move in rated
                 if move.outcome == Outcome.WIN and move.distance <= best.distance]  # fmt: skip
        return self._rated_puzzle(
            board, piece, rated, right, WIN_IN(piece=piece, count=count), count
        )

    def _hand_over_now(self, board: Board) -> Puzzle | None:
        left, safe = board.left, safe_pieces(board)
        if not 0 < len(safe) < len(left) - 1:
            return None
        moves = [QuartoMove(None, piece) for piece in left if piece not in safe]
        wrong = {str(move): text for move in moves if (text := _losing_reply(board, "", move))}
        threats = {cell_name(cell) for piece in left for cell in winning_cells(board, piece)}
        steps = [Step(LOOK_AT_CELL(cell=cell), (cell,)) for cell in sorted(threats)]
        steps += [Step(text, (text.data["cell"],)) for text in wrong.values()]
        right = [QuartoMove(None, piece) for piece in safe]
        level = 1 if len(threats) == 1 else 2
        return _puzzle(board, "", HAND_OVER_NOW(), right, wrong, tuple(steps), level, 0)

    def _hand_over(self, board: Board) -> Puzzle | None:
        rated = rated_moves(board)
        best = max(move.outcome for move in rated)
        right = [move for move in rated if move.outcome == best]
        late = max((move.distance for move in rated if move.outcome == Outcome.LOSS), default=1)
        if best == Outcome.LOSS or len(right) == len(rated) or late == 1:
            return None
        wins = best == Outcome.WIN
        question = KEEP_WIN() if wins else HAND_OVER()
        return self._rated_puzzle(board, "", rated, right, question, (late + 1) // 2 + wins)

    def _rated_puzzle(
        self, board: Board, piece: str, rated: tuple[RatedMove, ...],
        right: list[RatedMove], question: Message, depth: int,
    ) -> Puzzle:  # fmt: skip
        wrong = {str(move.move): _losing_reply(board, piece, move.move) or _line(board, piece,
            move, depth)
                 for move in rated if move not in right}  # fmt: skip
        best = right[0]
        later = [text for text in wrong.values() if text.kind == LINE]
        look = Step(LOSE_AT_ONCE(count=len(wrong) - len(later)))
        if best.move.cell is not None:
            cell = cell_name(best.move.cell)
            look = Step(LOOK_AT_CELL(cell=cell), (cell,))
        steps = (
            Step(HOW_MANY_DO(right=len(right), all=len(rated))), look,
            *_steps(board, piece, best.move, ENDS[best.outcome]),
            *map(Step, later[:MAX_REFUTED_MOVES]),
        )  # fmt: skip
        few = depth == 2 and (not piece or len(right) * 10 <= len(rated))
        level = min(5, {2: 2 + few, 3: 4}.get(depth, 5))
        moves = [move.move for move in right]
        return _puzzle(board, piece, question, moves, wrong, steps, level, depth)

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Return the right moves, found again by a simpler search, to check a puzzle."""
        text, _, piece = puzzle.position.partition(" ")
        board = Board.parse(text, read_pieces(example_pieces()))
        depth = puzzle.level_from["placements"]
        moves = [QuartoMove(None, other) for other in board.left] if not piece else [
            QuartoMove(cell, other) for cell in board.empty for other in board.left
            if other != piece
        ]  # fmt: skip
        if piece and depth == 1:
            moves = [QuartoMove(cell, None) for cell in board.empty]
        return {
            str(move) for move in moves if _achieves(board, piece, move, puzzle.question, depth)
        }


def _achieves(board: Board, piece: str, move: QuartoMove, question: str, depth: int) -> bool:
    if move.cell is not None:
        board = board.after(move.cell, piece)
    if board.quartos() or move.hand_over is None:
        return bool(board.quartos())
    if question == HAND_OVER_NOW():
        return not winning_cells(board, move.hand_over)
    if question == HAND_OVER():
        return not _wins(board, move.hand_over, len(board.empty))
    return _loses(board, move.hand_over, depth - 1 if piece else len(board.empty))


def _wins(board: Board, piece: str, within: int) -> bool:
    """Return whether the player to place `piece` can force a win.

    This player may place at most `within` pieces, including `piece`.
    """
    if within <= 0:
        return False
    if winning_cells(board, piece):
        return True
    return within > 1 and any(
        _loses(board.after(cell, piece), other, within - 1)
        for cell in board.empty for other in board.left if other != piece
    )  # fmt: skip


def _loses(board: Board, piece: str, within: int) -> bool:
    """Return whether the opponent of the player to place `piece` can force a win.

    The opponent may place at most `within` pieces.
    """
    if winning_cells(board, piece) or len(board.empty) < 2 or within <= 0:
        return False
    return all(
        _wins(board.after(cell, piece), other, within)
        for cell in board.empty for other in board.left if other != piece
    )  # fmt: skip


def _losing_reply(board: Board, piece: str, move: QuartoMove) -> Message | None:
    after = board if move.cell is None else board.after(move.cell, piece)
    cells = winning_cells(after, str(move.hand_over)) if move.hand_over else ()
    if not cells:
        return None
    return GIVES(move=str(move), piece=move.hand_over, cell=cell_name(cells[0]))


def _line(board: Board, piece: str, rated: RatedMove, depth: int) -> Message:
    move, wins = rated.move, rated.outcome == Outcome.WIN
    after = board if move.cell is None else board.after(move.cell, piece)
    kinds = cycle((THEN_THEY, YOU_DO))
    line = [next(kinds)(move=str(later)) for later in line_of_play(after, move.hand_over)]
    ends = TOO_LATE(count=depth) if wins else ENDS[rated.outcome]
    return LINE(move=str(move), line=line, ends=ends)


def _steps(board: Board, piece: str, move: QuartoMove, ends: Message) -> Iterator[Step]:
    line, kinds = [move], cycle((YOU_DO, THEY_DO))
    while line:
        move, *line = line
        where = () if move.cell is None else (f"{cell_name(move.cell)} {piece}",)
        yield Step(next(kinds)(move=str(move)), where)
        board = board if move.cell is None else board.after(move.cell, piece)
        piece = move.hand_over or ""
        if piece and not line:
            line = list(line_of_play(board, piece))
    for row, mark in board.quartos():
        shared = board.pieces.words(mark)
        yield Step(COMPLETES(row=row.name, shared=shared), tuple(map(cell_name, row.cells)))
    yield Step(ENDS_SO(ends=ends))


def _puzzle(
    board: Board, piece: str, question: Message, right: list[QuartoMove], wrong: Mapping[str, str],
    steps: tuple[Step, ...], level: int, depth: int,
) -> Puzzle:  # fmt: skip
    return Puzzle(
        "quarto", "quarto", f"{board} {piece}".strip(), question, "move",
        answers=tuple(map(str, right)), wrong=wrong, why=steps, level=level,
        level_from={
            "placements": depth, "moves": len(right) + len(wrong), "right": len(right),
        },
    )  # fmt: skip


def _random_board(random: Random, empty: int) -> Board | None:
    board = Board.parse("?" * 16, read_pieces(example_pieces()))
    cells, pieces = list(range(16)), list(board.left)
    random.shuffle(cells)
    random.shuffle(pieces)
    for cell, piece in zip(cells[empty:], pieces, strict=False):
        board = board.after(cell, piece)
    return None if board.quartos() else board
