"""The computer players `careful` and `search` for Quarto."""

from __future__ import annotations

from random import Random

from quaternity.base.errors import InputError, LimitError
from quaternity.quarto.board import safe_pieces
from quaternity.quarto.lines import BoardBits, lines, members
from quaternity.quarto.pieces import MARKS, SHARING
from quaternity.quarto.rules import QuartoPosition, QuartoRules
from quaternity.quarto.solving import SOLVE_LIMIT, QuartoMove, best_move

PLAYOUTS = 2_000
"""Default number of playouts (simulated games) for each move of the player `search`, in positions
too large to solve."""


class Careful:
    """A player who completes a quarto if possible, and otherwise avoids an immediate loss."""

    def choose(self, view: QuartoPosition, random: Random) -> QuartoMove:
        """Return a random move that wins at once or, failing that, does not lose at once."""
        return random.choice(careful_moves(view))


def careful_moves(view: QuartoPosition) -> list[QuartoMove]:
    """Return the moves from which a careful player chooses.

    The result is one move that wins at once. If there is none, it contains all moves that do not
    lose at once or, if every move loses at once, all moves.
    """
    board, squares = view.board, view.squares
    names = board.pieces.names
    if view.in_hand is None:
        return [QuartoMove(None, name) for name in safe_pieces(board, squares) or board.left]
    piece, geometry = board.piece_left(view.in_hand), lines(squares)
    rows, empty, remaining = board.in_bits(squares)
    winning = members(geometry.completing(rows, empty, piece))
    if winning:
        return [QuartoMove(winning[0], None)]
    moves, safe, remaining = [], [], remaining ^ 1 << piece
    for cell in members(empty):
        after = BoardBits(rows & geometry.after[piece][cell], empty ^ 1 << cell, remaining)
        safe_pieces_left = geometry.safe(after)
        for hand_over in members(remaining):
            move = QuartoMove(cell, names[hand_over])
            moves.append(move)
            if safe_pieces_left >> hand_over & 1:
                safe.append(move)
        if not remaining:
            moves.append(QuartoMove(cell, None))
    return safe or moves


class Search:
    """A player who plays perfectly near the end of the game, and simulates games before that.

    After each round of simulated games, it drops the worse half of the moves. This is called
    sequential halving (Karnin, Koren and Somekh 2013). It tries one of several symmetric moves.
    """

    def __init__(self, playouts: int = PLAYOUTS) -> None:
        self.playouts = playouts

    def choose(self, view: QuartoPosition, random: Random) -> QuartoMove:
        """Return a best move if the position can be solved, or else the best in simulated games."""
        if len(view.board.empty) <= SOLVE_LIMIT:
            try:
                best = best_move(view.board, view.in_hand, random, view.squares)
            except LimitError:
                pass
            else:
                return random.choice(careful_moves(view)) if best is None else best
        moves = different_moves(view, random)
        scores = dict.fromkeys(range(len(moves)), 0.0)
        played = dict.fromkeys(range(len(moves)), 0)
        candidates = list(scores)
        rounds = max(1, (len(moves) - 1).bit_length())
        while len(candidates) > 1:
            playouts = max(1, self.playouts // (rounds * len(candidates)))
            for index in candidates:
                scores[index] += sum(_play_out(view, moves[index], random) for _ in range(playouts))
                played[index] += playouts
            candidates.sort(key=lambda index: -scores[index] / played[index])
            candidates = candidates[: (len(candidates) + 1) // 2]
        return moves[candidates[0]]


def different_moves(view: QuartoPosition, random: Random) -> list[QuartoMove]:
    """Return the moves of `careful_moves` in random order, one of each group of symmetric moves."""
    board, geometry = view.board, lines(view.squares)
    moves = careful_moves(view)
    random.shuffle(moves)
    alike: dict[tuple[int, ...], QuartoMove] = {}
    for move in moves:
        if move.hand_over is None:
            return [move]  # The move ends the game.
        after = board
        if move.cell is not None and view.in_hand is not None:
            after = board.after(move.cell, view.in_hand)
        form = geometry.canonical_form(
            after.in_bits(view.squares), board.pieces.piece(move.hand_over)
        )
        alike.setdefault(form, move)
    return list(alike.values())


def _play_out(view: QuartoPosition, move: QuartoMove, random: Random) -> float:
    """Return the result of a random game after a move: 1, 0.5 or 0 for the player who made it."""
    board, geometry = view.board, lines(view.squares)
    assert move.hand_over is not None, "every move but the last must hand over a piece"
    rows, empty, remaining = board.in_bits(view.squares)
    if move.cell is not None and view.in_hand is not None:
        placed = board.pieces.piece(view.in_hand)
        rows, empty = rows & geometry.after[placed][move.cell], empty ^ 1 << move.cell
        remaining ^= 1 << placed
    piece, own_turn = board.pieces.piece(move.hand_over), False
    threat = geometry.threats(rows, empty)
    while not MARKS[piece] & threat:
        remaining ^= 1 << piece
        if not remaining:
            return 0.5
        cell = random.choice(members(empty))
        rows, empty = rows & geometry.after[piece][cell], empty ^ 1 << cell
        threat = geometry.threats(rows, empty)
        piece = random.choice(members(remaining & ~SHARING[threat] or remaining))
        own_turn = not own_turn
    return float(own_turn)


def careful(rules: QuartoRules) -> Careful:
    """Return the computer player with the name `careful`."""
    del rules
    return Careful()


def search(rules: QuartoRules, argument: str | None) -> Search:
    """Return the player `search`, or `search:N`, which simulates N games for each move."""
    del rules
    if argument is None:
        return Search()
    if not argument.isascii() or not argument.isdigit() or not 1 <= int(argument) <= 10**7:
        raise InputError(f"player 'search:{argument}': the number of games must be 1..10000000")
    return Search(int(argument))
