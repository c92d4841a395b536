"""Perfect play: alpha-beta search on bits, compared with plain minimax on sets of words."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError, LimitError
from quaternity.quarto import Board, Outcome, QuartoMove, Solution, line_of_play, rated_moves, solve
from quaternity.quarto.lines import lines
from quaternity.quarto.players import Search, different_moves
from quaternity.quarto.rules import QuartoPosition
from quaternity.quarto.solving import best_move
from tests.agreement import agree
from tests.limits import limited
from tests.quarto.boards import EXAMPLE, random_open_board
from tests.quarto.minimax import Minimax
from tests.quarto.symmetries import board_symmetries, moved, piece_symmetries, square_symmetries
from tests.sizes import examples, thorough

Answer = tuple[int, set[tuple[int | None, str | None]]]


def by_alpha_beta(board: Board, in_hand: str | None, squares: bool = False) -> Answer:
    solution = solve(board, in_hand, squares)
    assert len(set(solution.moves)) == len(solution.moves)
    return int(solution.outcome), {(move.cell, move.hand_over) for move in solution.moves}


def by_minimax(board: Board, in_hand: str | None, squares: bool = False) -> Answer:
    value, moves = Minimax(board, squares).solve(in_hand)
    return value, set(moves)


METHODS = {"alpha-beta": by_alpha_beta, "minimax": by_minimax}


def open_boards(seed: int, *, boards: int, max_empty: int, squares: bool = False) -> list[Board]:
    random = Random(seed)
    return [random_open_board(random, index % (max_empty + 1), squares) for index in range(boards)]


VARIANTS = pytest.mark.parametrize("squares", [False, True], ids=["rows", "squares"])


@VARIANTS
def test_outcome_and_best_moves_are_those_of_minimax(squares: bool) -> None:
    """Solve every position of each board: before handing over, and with every piece in hand."""
    outcomes = []
    for board in open_boards(1, boards=thorough(50, 240), max_empty=4, squares=squares):
        outcomes += [agree(METHODS, board, in_hand, squares)[0] for in_hand in (None, *board.left)]
    assert min(outcomes.count(value) for value in (-1, 0, 1)) > 10


@VARIANTS
def test_with_five_and_six_empty_cells(squares: bool) -> None:
    random = Random(2)
    outcomes = []
    for empty in (5,) * thorough(6, 15) + (6,) * thorough(0, 2):
        board = random_open_board(random, empty, squares)
        in_hands = (None, random.choice(board.left))
        outcomes += [agree(METHODS, board, in_hand, squares)[0] for in_hand in in_hands]
    assert min(outcomes.count(value) for value in (-1, 1)) > 0


@VARIANTS
def test_a_symmetry_maps_rows_to_rows(squares: bool) -> None:
    """There are 32, found by exhaustive search; 8 of them keep squares."""
    tried = square_symmetries() if squares else board_symmetries()
    assert sorted(lines(squares).symmetries) == sorted(tried)
    assert len(tried) == (8 if squares else 32)


@VARIANTS
def test_positions_of_one_form_have_one_value(squares: bool) -> None:
    """Play the positions out without any symmetry; images of a position have its form."""
    random, known = Random(6), dict[tuple[int, ...], list[tuple[int, int]]]()
    geometry = lines(squares)
    for board in open_boards(7, boards=thorough(60, 1500), max_empty=4, squares=squares):
        for name in board.left:
            rated = Minimax(board, squares).rate_moves(name)
            value, distance = max(rated.values(), key=lambda pair: (pair[0], -pair[0] * pair[1]))
            piece = EXAMPLE.piece(name)
            form = geometry.canonical_form(board.in_bits(squares), piece)
            known.setdefault(form, []).append((value, distance))
            cells = random.choice(geometry.symmetries)
            pieces = random.choice(piece_symmetries())
            image = moved(board, cells, pieces).in_bits(squares)
            assert geometry.canonical_form(image, pieces[piece])[0] == form[0]
            known.setdefault(geometry.canonical_form(image, pieces[piece]), []).append(
                (value, distance)
            )
    assert all(len(set(values)) == 1 for values in known.values())
    assert sum(len(values) > 2 for values in known.values()) > thorough(2, 5)


@VARIANTS
def test_equivalent_first_moves_have_one_form(squares: bool) -> None:
    """The form has the number of shared properties and the kind of cell (one of two or three)."""
    board, geometry = Board.parse("." * 16, EXAMPLE), lines(squares)
    forms = {
        geometry.canonical_form(board.after(cell, "A").in_bits(squares), EXAMPLE.piece(name))
        for cell in range(16)
        for name in EXAMPLE.names.replace("A", "")
    }
    assert len(forms) == (3 if squares else 2) * 4


@VARIANTS
def test_a_single_best_move_is_one_of_the_best_moves(squares: bool) -> None:
    """Include boards with enough empty cells to use symmetries; None if every move loses."""
    random, outcomes = Random(8), []
    for empty in (5,) * 12 + (6,) * 6 + (9,) * thorough(1, 6):
        board = random_open_board(random, empty, squares)
        in_hand = random.choice([None, *board.left])
        solution = solve(board, in_hand, squares)
        move = best_move(board, in_hand, random, squares)
        assert (move is None) == (solution.outcome == Outcome.LOSS)
        assert move is None or move in solution.moves
        outcomes.append(solution.outcome)
    assert {Outcome.LOSS, Outcome.WIN} <= set(outcomes)


@VARIANTS
def test_the_player_search_plays_perfectly_near_the_end(squares: bool) -> None:
    random = Random(10)
    for empty in (6, 6, 7):
        board = random_open_board(random, empty, squares)
        for in_hand in (None, random.choice(board.left)):
            move = Search().choose(QuartoPosition(board, in_hand, 0, squares), random)
            assert move in solve(board, in_hand, squares).moves


def test_the_player_search_tries_equivalent_moves_once() -> None:
    """Eight of the 240 replies to the first piece are different."""
    empty = Board.parse("." * 16, EXAMPLE)
    assert len(different_moves(QuartoPosition(empty, None, 0, False), Random(1))) == 1
    moves = different_moves(QuartoPosition(empty, "P", 1, False), Random(1))
    assert len(moves) == 8


def test_effort_and_memory_have_limits() -> None:
    board = random_open_board(Random(9), 8)
    with pytest.raises(
        LimitError, match="reached its limit of positions before it solved the board"
    ):
        best_move(board, None, Random(1), max_positions=20)
    solution = solve(board)
    with limited("quaternity.quarto.search", MAX_CACHED_POSITIONS=5):
        assert solve(board) == solution
        assert solve(board).distances == solution.distances


symmetry = st.tuples(st.integers(0, 31), st.integers(0, 383), st.booleans())


@given(st.integers(0, 10**6), st.integers(5, 8), symmetry)
@settings(max_examples=examples(30))
def test_symmetries_change_nothing(seed: int, empty: int, drawn: tuple[int, int, bool]) -> None:
    random, squares = Random(seed), drawn[2]
    board = random_open_board(random, empty, squares)
    symmetries = square_symmetries() if squares else board_symmetries()
    cells = symmetries[drawn[0] % len(symmetries)]
    pieces = piece_symmetries()[drawn[1]]
    in_hand = random.choice([None, *board.left])
    solution = solve(board, in_hand, squares)

    def rename_piece(name: str) -> str:
        return EXAMPLE.names[pieces[EXAMPLE.piece(name)]]

    other = solve(
        moved(board, cells, pieces), None if in_hand is None else rename_piece(in_hand), squares
    )
    assert other.outcome == solution.outcome
    assert set(other.moves) == {
        QuartoMove(
            None if move.cell is None else cells[move.cell],
            None if move.hand_over is None else rename_piece(move.hand_over),
        )
        for move in solution.moves
    }


@VARIANTS
def test_distances_are_those_of_minimax(squares: bool) -> None:
    """Compare outcome, distance and the order of the best moves, in positions of all kinds."""
    seen = set()
    for board in open_boards(4, boards=thorough(25, 70), max_empty=4, squares=squares):
        for in_hand in (None, *board.left[:3]):
            expected = Minimax(board, squares).rate_moves(in_hand) if board.left else {}
            rated = rated_moves(board, in_hand, squares)
            assert {tuple(r.move): (r.outcome, r.distance) for r in rated} == expected
            solution = solve(board, in_hand, squares)
            for move, distance in zip(solution.moves, solution.distances, strict=True):
                assert expected[move.cell, move.hand_over] == (solution.outcome, distance)
            in_order = [solution.outcome * distance for distance in solution.distances]
            assert in_order == sorted(in_order)
            assert [entry.outcome for entry in rated] == sorted(
                (entry.outcome for entry in rated), reverse=True
            )
            seen |= set(expected.values())
    assert {abs(value) * distance for value, distance in seen} >= {0, 1, 2, 3}


@given(st.integers(0, 10**6), st.integers(5, 7))
@settings(max_examples=thorough(3, 6))
def test_a_distance_is_one_more_than_that_of_the_next_position(seed: int, empty: int) -> None:
    """Compare every move with the solution of the position that it leads to."""
    random = Random(seed)
    board = random_open_board(random, empty)
    in_hand = random.choice(board.left)
    for hand in (None, in_hand):
        for (cell, name), outcome, distance in rated_moves(board, hand)[:: 1 + empty // 3]:
            after = board if cell is None or hand is None else board.after(cell, hand)
            if name is not None:
                answer = solve(after, name)
                assert outcome == -answer.outcome
                assert distance == answer.distances[0] + (cell is not None)


@given(st.integers(0, 10**6), st.integers(4, 8), st.booleans())
@settings(max_examples=thorough(8, 15))
def test_a_line_of_play_has_the_stated_length(seed: int, empty: int, hand: bool) -> None:
    """Play the line out on the board, by the names in its moves."""
    random = Random(seed)
    board = random_open_board(random, empty)
    in_hand = random.choice(board.left) if hand else None
    solution = solve(board, in_hand)
    line = line_of_play(board, in_hand)
    assert line[0] == solution.moves[0]
    for number, (cell, name) in enumerate(line):
        assert (cell is None) == (in_hand is None)
        if cell is not None and in_hand is not None:
            board = board.after(cell, in_hand)
        assert bool(name) == (number < len(line) - 1)
        in_hand = name
    assert len(line) - (not hand) == solution.distances[0]
    assert bool(board.quartos()) == (solution.outcome != Outcome.DRAW)


def test_distances_of_a_long_resistance() -> None:
    """A defence that holds for some placements is requested again with more."""
    board = Board.parse("A?????HLKP?E???I", EXAMPLE)
    rated = rated_moves(board)
    assert tuple(entry.distance for entry in rated) == (9, 9, 9, 9, 7, 5, 5, 3, 3)
    for (_, name), outcome, distance in rated:
        answer = solve(board, name)
        assert (outcome, distance) == (-answer.outcome, answer.distances[0])


def test_a_piece_in_hand_that_completes_a_quarto() -> None:
    """The only best move is to complete it, though others may win later."""
    board = Board.parse("??HPF?N?M?A?ED??", EXAMPLE)
    assert solve(board, "B") == Solution(Outcome.WIN, (QuartoMove(0, None),))


def test_a_game_that_is_over() -> None:
    assert solve(Board.parse("ABCD............", EXAMPLE)) == Solution(Outcome.WIN, ())
    assert solve(Board.parse("PHACIENOGLKJDMFB", EXAMPLE)) == Solution(Outcome.DRAW, ())


@pytest.mark.parametrize(
    ("configuration", "in_hand", "message"),
    [
        ("ABCD............", "E",
         "the game is over, because ABCD???????????? has a quarto: no piece can be in hand"),
        ("ABC.............", "A", "piece 'A' is already on the board, on H1V1"),
        ("ABC.............", "x", "'x' is not a piece; the pieces are ABCDEFGHIJKLMNOP"),
        ("ABCDEFGHIJKLMNOP", "A", "piece 'A' is already on the board, on H1V1"),
    ],
)  # fmt: skip
def test_pieces_that_cannot_be_in_hand(configuration: str, in_hand: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        solve(Board.parse(configuration, EXAMPLE), in_hand)
    assert str(error.value) == message


def test_solving_has_a_limit_of_empty_cells() -> None:
    for in_hand in (None, "P"):
        with pytest.raises(LimitError) as error:
            solve(Board.parse("AGDM............", EXAMPLE), in_hand)
        assert (
            str(error.value)
            == "the board has 12 empty cells: only boards with at most 11 can be solved"
        )


def test_moves_in_words() -> None:
    assert str(QuartoMove(4, "K")) == "place it on H2V1, hand over K"
    assert str(QuartoMove(None, "K")) == "hand over K"
    assert str(QuartoMove(15, None)) == "place it on H4V4"
