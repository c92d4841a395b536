"""The four functions of the exercise: every displayed result, and the mistakes in its text."""

import subprocess
import sys

import pytest

import quaternity.quarto
from quaternity.base.errors import InputError
from quaternity.quarto import (
    Board,
    create_grid,
    example_pieces,
    is_reachable,
    piece_properties,
    quarto,
    read_pieces,
)

PIECES = read_pieces(example_pieces())
PROPERTIES = piece_properties(PIECES)


def test_read_pieces() -> None:
    assert {
        'size': {
            'big': {'A', 'C', 'E', 'G', 'I', 'K', 'M', 'O'},
            'small': {'B', 'D', 'F', 'H', 'J', 'L', 'N', 'P'},
        },
        'color': {
            'red': {'A', 'B', 'E', 'F', 'I', 'J', 'M', 'N'},
            'blue': {'C', 'D', 'G', 'H', 'K', 'L', 'O', 'P'},
        },
        'form': {
            'square': {'A', 'B', 'C', 'D', 'I', 'J', 'K', 'L'},
            'circular': {'E', 'F', 'G', 'H', 'M', 'N', 'O', 'P'},
        },
        'fill': {
            'hollow': {'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'},
            'solid': {'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P'},
        },
    } == PIECES  # fmt: skip
    assert type(PIECES) is dict
    assert type(PIECES["size"]) is dict
    assert type(PIECES["size"]["big"]) is set


def test_piece_properties() -> None:
    assert PROPERTIES["E"] == {"big", "circular", "hollow", "red"}
    assert PROPERTIES["K"] == {"big", "blue", "solid", "square"}
    assert PROPERTIES["O"] == {"big", "blue", "circular", "solid"}
    assert sorted(PROPERTIES) == list("ABCDEFGHIJKLMNOP")
    assert type(PROPERTIES["E"]) is set


@pytest.mark.parametrize("configuration", ["N?BI??JO?FDLMEAG", "KHEF#DCMXABJPGOL"])
def test_create_grid(configuration: str) -> None:
    grid = create_grid(configuration, PROPERTIES)
    assert [len(row) for row in grid] == [4] * 4
    cells = [cell for row in grid for cell in row]
    assert cells == [PROPERTIES.get(name, set()) for name in configuration]
    assert {type(cell) for cell in cells} == {set}


def test_the_first_row_of_a_displayed_grid() -> None:
    assert create_grid("N?BI??JO?FDLMEAG", PROPERTIES)[0] == [
        {"small", "circular", "solid", "red"}, set(),
        {"small", "hollow", "square", "red"}, {"solid", "square", "big", "red"},
    ]  # fmt: skip


def test_the_grid_is_the_callers_own() -> None:
    grid = create_grid("AAAA".replace("A", "?") + "A" + "?" * 11, PROPERTIES)
    grid[1][0].clear()
    assert PROPERTIES["A"] == {"big", "red", "square", "hollow"}
    assert grid[0][0] is not grid[0][1]


def test_quarto() -> None:
    assert quarto("N?BI??JO?FDLMEAG", PROPERTIES) == {
        ("H4", "big"), ("V3", "square"), ("D2", "red"),
    }  # fmt: skip
    assert quarto("KHEF#DCMXABJPGOL", PROPERTIES) == {
        ("H4", "blue"), ("V2", "hollow"), ("D1", "square"),
    }  # fmt: skip


def test_a_row_with_two_shared_properties_is_listed_twice() -> None:
    assert quarto("ABCD............", PROPERTIES) == {("H1", "square"), ("H1", "hollow")}
    assert quarto("A...B...C...D...", PROPERTIES) == {("V1", "square"), ("V1", "hollow")}
    assert quarto("A....B....C....D", PROPERTIES) == {("D1", "square"), ("D1", "hollow")}
    assert quarto("...A..B..C..D...", PROPERTIES) == {("D2", "square"), ("D2", "hollow")}


@pytest.mark.parametrize("configuration", ["N?BI??JO?FDLMEAG", "KHEF#DCMXABJPGOL"])
def test_both_boards_of_the_text_are_unreachable(configuration: str) -> None:
    """They have quartos that share no cell, so no game reaches them; `quarto` counts them all."""
    assert not is_reachable(Board.parse(configuration, PIECES))
    assert len(quarto(configuration, PROPERTIES)) == 3


def test_the_grid_function_is_create_grid() -> None:
    """The text writes `make_grid` once; the function it asks for is `create_grid`."""
    assert not hasattr(quaternity.quarto, "make_grid")


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ("", "configuration '' has 0 characters, not 16"),
        ("N?BI??JO?FDLMEA", "configuration 'N?BI??JO?FDLMEA' has 15 characters, not 16"),
        ("N?BI??JO?FDLMEAG?", "configuration 'N?BI??JO?FDLMEAG?' has 17 characters, not 16"),
        ("é" * 15, f"configuration '{'é' * 15}' has 15 characters, not 16"),
        ("?" * 1000, f"configuration '{'?' * 40}... has 1000 characters, not 16"),
        ("N?BI??JO?FDLMEAN",
         "configuration 'N?BI??JO?FDLMEAN' has piece 'N' twice: on H1V1 and H4V4"),
        ("???A???A???A????",
         "configuration '???A???A???A????' has piece 'A' twice: on H1V4 and H2V4"),
    ],
)  # fmt: skip
def test_invalid_configurations_are_refused(configuration: str, message: str) -> None:
    for function in (create_grid, quarto):
        with pytest.raises(ValueError, match="configuration") as error:
            function(configuration, PROPERTIES)
        assert isinstance(error.value, InputError)
        assert str(error.value) == message
    with pytest.raises(InputError) as refused:
        Board.parse(configuration, PIECES)
    assert str(refused.value) == message


def test_characters_of_many_bytes_are_single_cells() -> None:
    assert quarto("é🂡漢\ud800ABCD********", PROPERTIES) == {("H2", "square"), ("H2", "hollow")}


def test_importing_the_package_loads_no_heavy_module() -> None:
    """Check that the import does not load the packages that take long."""
    probe = (
        "import sys, quaternity.quarto\n"
        "print([m for m in ('ortools', 'numpy', 'scipy', 'hypothesis') if m in sys.modules])"
    )
    process = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    )
    assert process.stdout == "[]\n"
