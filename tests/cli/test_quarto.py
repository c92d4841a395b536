"""`quaternity quarto`: its output, and that no input causes a traceback."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quaternity.quarto import Board, board_svg, example_pieces, read_pieces
from tests.cli.conftest import Cli

FIRST, SECOND = "N?BI??JO?FDLMEAG", "KHEF#DCMXABJPGOL"
COMMANDS = ("show", "explain", "solve")


def test_show_prints_json(cli: Cli) -> None:
    outcome = cli("quarto", "show", example_pieces(), FIRST, "--json")
    assert outcome.status == 0
    assert outcome.err == ""
    shown = outcome.json
    assert shown["grid"][0] == [
        ["circular", "red", "small", "solid"],
        [],
        ["hollow", "red", "small", "square"],
        ["big", "red", "solid", "square"],
    ]
    assert [len(row) for row in shown["grid"]] == [4, 4, 4, 4]
    assert shown["quartos"] == [["H4", "big"], ["V3", "square"], ["D2", "red"]]
    assert shown["reachable"] is False
    assert shown["can_draw"] is False
    assert shown["drawn_completions"] == 0


@pytest.mark.parametrize(("empty", "completions"), [(16, None), (11, None), (10, int), (0, int)])
def test_show_takes_boards_of_every_size(cli: Cli, empty: int, completions: type | None) -> None:
    configuration = "PHACIENOGLKJDMFB"[: 16 - empty] + "?" * empty
    shown = cli("quarto", "show", "example", configuration, "--json").json
    assert shown["can_draw"] is True
    assert shown["reachable"] is True
    assert shown["quartos"] == []
    if completions is None:
        assert shown["drawn_completions"] is None
    else:
        assert shown["drawn_completions"] > 0


def test_show_prints_text(cli: Cli) -> None:
    outcome = cli("quarto", "show", "example", FIRST)
    assert outcome.out.splitlines() == [
        "     V1  V2  V3  V4",
        "H1    N   .  [B] [I]",
        "H2    .   .  [J]  O",
        "H3    .  [F] [D]  L",
        "H4   [M] [E] [A] [G]",
        "",
        "left:      C H K P",
        "quartos:   H4 big, V3 square, D2 red",
        "reachable: no (H4, V3 and D2 have no cell in common, so one of these quartos "
        "was completed earlier and would have ended the game)",
        "can draw:  no",
    ]
    assert "yes, in 1 way\n" in cli("quarto", "show", "example", "PHACIENOGLKJDMFB").out
    assert cli("quarto", "show", "example", "?" * 16).out.endswith("can draw:  yes\n")


def test_show_writes_a_picture(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    assert cli("quarto", "show", "example", FIRST, "--svg", path).status == 0
    text = path.read_text(encoding="utf-8")
    assert text == board_svg(Board.parse(FIRST, read_pieces(example_pieces())))
    ElementTree.fromstring(text)
    assert list(tmp_path.iterdir()) == [path]


def test_explain_names_quartos_and_safe_pieces(cli: Cli) -> None:
    lines = cli("quarto", "explain", "example", FIRST).out.splitlines()
    assert "H4: the pieces M, E, A and G on H4V1, H4V2, H4V3 and H4V4 are all big" in lines
    assert lines[-1].startswith("reachable: no (")
    lines = cli("quarto", "explain", "example", "AGH.............").out.splitlines()
    assert "Safe to hand over: I J K L M N O P" in lines
    assert "Whoever gets B completes a quarto on H1V4." in lines
    assert "Whoever gets I completes a quarto on H1V4." not in lines


def test_explain_prints_json(cli: Cli) -> None:
    explained = cli("quarto", "explain", "example", FIRST, "--json").json
    assert explained["quartos"][0] == {
        "row": "H4",
        "cells": ["H4V1", "H4V2", "H4V3", "H4V4"],
        "pieces": ["M", "E", "A", "G"],
        "property": "big",
    }
    assert explained["reachable"] is False
    assert explained["why_unreachable"].startswith("H4, V3 and D2 have no cell in common")
    assert explained["safe_pieces"] == []
    explained = cli("quarto", "explain", "example", "AGH.............", "--json").json
    assert explained["why_unreachable"] is None
    assert explained["safe_pieces"] == list("IJKLMNOP")
    assert explained["winning_cells"]["B"] == ["H1V4"]
    assert explained["winning_cells"]["I"] == []


def test_solve_prints_the_best_moves(cli: Cli) -> None:
    configuration = "??HPF?N?M?A?ED??"
    give = cli("quarto", "solve", "example", configuration)
    assert give.status == 0
    assert (
        "The player must hand over a piece. With perfect play: win.\nBest moves:\n"
        "  hand over C (8 pieces to the end)\nA line of play:\n  1. hand over C\n  2. place it on "
    ) in give.out
    place = cli("quarto", "solve", "example", configuration, "--in-hand", "B")
    assert place.out.endswith(
        "The player must place B. With perfect play: win.\nBest moves:\n"
        "  place it on H1V1 (1 piece to the end)\n"
        "A line of play:\n  1. place it on H1V1\n"
    )
    lost = cli("quarto", "solve", "example", configuration, "-i", "C").out
    assert "The player must place C. With perfect play: loss.\n" in lost
    assert "  place it on H1V1, then hand over " in lost


def test_solve_prints_json(cli: Cli) -> None:
    give = cli("quarto", "solve", "example", "??HPF?N?M?A?ED??", "--json").json
    line = give.pop("line")
    assert line[0] == {"cell": None, "hand_over": "C"}
    assert (len(line), line[-1]["hand_over"]) == (9, None)
    assert give == {
        "outcome": "win",
        "over": False,
        "in_hand": None,
        "moves": [{"cell": None, "hand_over": "C", "distance": 8}],
    }
    last = cli("quarto", "solve", "example", "BGDOLJEFH?KCIANP", "-i", "M", "--json").json
    assert last == {
        "outcome": "win",
        "over": False,
        "in_hand": "M",
        "moves": [{"cell": "H3V2", "hand_over": None, "distance": 1}],
        "line": [{"cell": "H3V2", "hand_over": None}],
    }
    rated = cli("quarto", "solve", "example", "BGDOLJEFH?KCIANP", "--all", "--json").json
    assert rated["all_moves"] == [
        {"cell": None, "hand_over": "M", "outcome": "loss", "distance": 1}
    ]


def test_solve_orders_the_moves_of_a_lost_position(cli: Cli) -> None:
    """Moves that lose at once come last."""
    out = cli("quarto", "solve", "example", "K??H???EO?ADGLB?", "--all").out
    lines = (
        "  hand over J (7 pieces to the end)\n"
        "  hand over N (5 pieces to the end)\n"
        "  hand over C or F or I or M or P (1 piece to the end)\n"
    )
    assert f"Every move loses; the slowest losses first:\n{lines}A line of play:\n" in out
    assert out.endswith(f"All moves to a loss:\n{lines}")


def test_solve_reports_that_a_game_is_over(cli: Cli) -> None:
    over = cli("quarto", "solve", "example", FIRST, "--json")
    assert over.json == {"outcome": "win", "over": True, "in_hand": None, "moves": [], "line": []}
    assert (
        "The game is over: the last player to place a piece has won."
        in cli("quarto", "solve", "example", FIRST).out
    )
    drawn = cli("quarto", "solve", "example", "PHACIENOGLKJDMFB").out
    assert "The game is over: a draw." in drawn


def test_solve_counts_squares_on_request(cli: Cli) -> None:
    for more, outcome in (([], "loss"), (["--squares"], "win")):
        solved = cli("quarto", "solve", "example", "?HEJFNIP??ABOGDM", "-i", "C", "--json", *more)
        assert (solved.status, solved.json["outcome"]) == (0, outcome)


def test_solve_refuses_positions_above_its_limit(cli: Cli) -> None:
    for more in ([], ["--in-hand", "A"], ["--json"]):
        outcome = cli("quarto", "solve", "example", "?" * 16, *more)
        assert outcome.status == 4
        assert outcome.out == ""
        assert "16 empty cells: only boards with at most 11 can be solved" in outcome.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("configuration", "words"),
    [
        ("", "0 characters, not 16"),
        (FIRST[1:], "15 characters, not 16"),
        (FIRST + "?", "17 characters, not 16"),
        ("é" * 15, "15 characters, not 16"),
        ("漢" * 17, "17 characters, not 16"),
        ("A" * 16, "piece 'A' twice: on H1V1 and H1V2"),
        ("?" * 100_000, "100000 characters, not 16"),
    ],
)
def test_bad_boards_are_refused(cli: Cli, command: str, configuration: str, words: str) -> None:
    outcome = cli("quarto", command, "example", configuration)
    assert outcome.status == 2
    assert outcome.out == ""
    assert words in outcome.err
    assert len(outcome.err) < 200


@pytest.mark.parametrize(
    "configuration", ["é🂡漢\u0301ABC?????????", "\udc80" * 16, "\n\t\0\x1b" * 4]
)
def test_unusual_characters_are_accepted(cli: Cli, configuration: str) -> None:
    for command in ("show", "explain"):
        outcome = cli("quarto", command, "example", configuration)
        assert outcome.status == 0
        assert "\x1b" not in outcome.out


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_files_are_refused(cli: Cli, command: str, tmp_path: Path) -> None:
    short = tmp_path / "short"
    short.write_bytes(Path(example_pieces()).read_bytes()[:-10])
    for path, words in (
        (short, "line 17: "), (tmp_path, "Is a directory"),
        (tmp_path / "missing", "No such file"), (Path("/dev/zero"), "the file is larger than"),
    ):  # fmt: skip
        outcome = cli("quarto", command, path, FIRST)
        assert (outcome.status, outcome.out) == (2, "")
        assert f"{path}: {words}" in outcome.err
        assert len(outcome.err) < 400


def test_pieces_are_read_from_standard_input(cli: Cli) -> None:
    text = Path(example_pieces()).read_text(encoding="utf-8")
    assert cli("quarto", "show", "-", FIRST, stdin=text).status == 0
    refused = cli("quarto", "show", "-", FIRST, stdin=text[:-20])
    assert refused.status == 2
    assert "-: line 17: " in refused.err


def test_a_file_called_example_is_reached_by_its_path(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("example").write_text("not pieces", encoding="utf-8")
    assert cli("quarto", "show", "example", FIRST).status == 0
    assert cli("quarto", "show", "./example", FIRST).status == 2


def test_bad_pieces_in_hand_are_refused(cli: Cli) -> None:
    for in_hand, words in (
        ("", "'' is not a piece"),
        ("AB", "'AB' is not a piece"),
        ("é", "'é' is not a piece"),
        ("H", "piece 'H' is already on the board, on H1V3"),
    ):
        outcome = cli("quarto", "solve", "example", "??HPF?N?M?A?ED??", "-i", in_hand)
        assert outcome.status == 2
        assert words in outcome.err
    outcome = cli("quarto", "solve", "example", FIRST, "-i", "C")
    assert outcome.status == 2
    assert "the game is over" in outcome.err


def test_pictures_that_cannot_be_written_are_refused(cli: Cli, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "board.svg", ""):
        outcome = cli("quarto", "show", "example", FIRST, "--svg", path)
        assert outcome.status == 2
        assert outcome.out == ""
        assert outcome.err


def test_wrong_usage_is_refused(cli: Cli) -> None:
    for arguments in (["show"], ["show", "example"], ["show", "example", FIRST, "x"], ["other"]):
        assert cli("quarto", *arguments).status == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_that_runs(cli: Cli, command: str, tmp_path: Path) -> None:
    text = cli("quarto", command, "--help").out
    line = next(line for line in text.splitlines() if line.strip().startswith("quaternity quarto"))
    arguments = line.replace("'", "").replace("board.svg", str(tmp_path / "board.svg")).split()[1:]
    assert cli(*arguments).status == 0


def test_names_that_the_terminal_cannot_show_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "pieces.txt"
    text = Path(example_pieces()).read_text(encoding="utf-8").replace("\nA,", "\né,")
    path.write_text(text, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "quaternity", "quarto", "show", str(path), "é" + "?" * 15],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        timeout=60,
        check=True,
    )
    assert b"\\xe9" in ended.stdout
