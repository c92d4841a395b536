"""Input at a terminal can be edited, survives the moves of programs, and can be recalled."""

from __future__ import annotations

from pathlib import Path
from random import Random
from string import ascii_lowercase

import pytest

from quaternity.table.match import Match
from quaternity.ternary.rules import SetRules, SetSettings, cards_named
from tests.cli.conftest import Cli
from tests.cli.test_match import PLAYS, at_terminal, needs_terminal
from tests.sizes import thorough

pytest.importorskip("readline")

LEFT, UP = b"\x1b[D", b"\x1b[A"

QUICK = """if True:
    from quaternity.cli import main
    from quaternity.ternary.players import Finder
    Finder.delay = lambda *known: 0.1
    main()"""
GAME = ("set", "play", "--seats", "you,quick", "--seed", "0")
"""The first moves take the card with the letter h, and then the card with the letter e."""


@needs_terminal
@pytest.mark.parametrize(
    "prompt", thorough(["hand", "puzzle"], [*PLAYS, "watch", "note", "hand", "puzzle"])
)
def test_arrows_edit_a_line_and_recall_it(cli: Cli, tmp_path: Path, prompt: str) -> None:
    path = str(tmp_path / "my.log")
    words, ready, help_text = PLAYS.get(prompt, ()), b"> ", b"Also:    "
    end = b"qit" + LEFT * 2 + b"u\n"
    if prompt == "watch":
        cli(*PLAYS["quarto"], "--record", path, stdin="A\nquit\n")
        words, help_text = ("watch", path), b"Enter, n "
    elif prompt == "note":
        words, help_text = ("kwartet", "note", path), b"Type:  2 asks 0"
    elif prompt == "hand":
        words = ("kwartet", "note", path, "--seat", "0")
        ready, help_text = b"0/1 3/2 ...: ", b"'help'"
    elif prompt == "puzzle":
        words, ready, help_text = (
            ("puzzle", "sets", "--seed", "1"),
            b"answer> ",
            b"write the letters of all",
        )
        end = cli(*words, "--json").json["answers"][0].encode() + b"\n"
    with at_terminal(*map(str, words)) as terminal:
        terminal.wait_for(ready)
        terminal.type(b"hlp" + LEFT * 2 + b"e\n")
        terminal.wait_for(help_text)
        terminal.type(UP + b"\n")
        terminal.wait_for(help_text, times=2)
        terminal.type(end)


@needs_terminal
def test_a_puzzle_helps_until_it_is_solved_or_left() -> None:
    with at_terminal("puzzle", "sets", "--seed", "1", status=1) as terminal:
        terminal.type(b"hint\nnone\n")
        terminal.wait_for(b"Wrong: ")
        terminal.wait_for(b"answer> ", times=3)
        terminal.type(b"quit\n")


@needs_terminal
def test_a_player_cannot_recall_lines_of_another_player() -> None:
    words = ("kwartet", "play", "--sets", "4", "--seats", "you,you", "--seed", "5")
    requests = "\n".join(f"1 {at // 4}/{at % 4}" for at in range(16))
    with at_terminal(*words) as terminal:
        terminal.type(f"\n{requests}\n\n".encode())
        terminal.wait_for(b"player 1> ")
        place = len(terminal.seen)
        terminal.type(UP * 3 + b"\nquit\n")
        terminal.wait_for(b"the game ends here")
    assert b"1 " not in terminal.seen[place:].partition(b"\n")[0]


@needs_terminal
@pytest.mark.parametrize(
    ("mode", "keys"),
    [
        ("emacs", b"\x19\x1by"),
        ("vi", b"\x1bp"),
        *thorough([], [("emacs", b"\x19"), ("vi", b"\x19"), ("vi", b"\x1bP")]),
    ],
)
def test_a_player_cannot_recall_text_that_another_player_deleted(
    mode: str, keys: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inputrc").write_text(f"set editing-mode {mode}\n")
    monkeypatch.setenv("INPUTRC", str(tmp_path / "inputrc"))
    words = ("kwartet", "play", "--sets", "4", "--seats", "you,you", "--seed", "5")
    requests = "\n".join(f"1 {at // 4}/{at % 4}" for at in range(16))
    with at_terminal(*words) as terminal:
        terminal.type(b"\n")
        terminal.wait_for(b"player 0> ")
        terminal.type(b"secret\x15secret\x17")
        terminal.type(f"\n{requests}\n\n".encode())
        terminal.wait_for(b"player 1> ")
        place = len(terminal.seen)
        terminal.type(keys + b"\nquit\n")
        terminal.wait_for(b"the game ends here")
    assert b"secret" not in terminal.seen[place:]


@needs_terminal
def test_half_typed_input_stays_when_a_program_moves() -> None:
    with at_terminal(*GAME, code=QUICK) as terminal:
        for times, letter in enumerate(b"help"):
            terminal.wait_for(b"in the deck", times=times + 1)
            terminal.type(bytes([letter]))
        terminal.wait_for(b"> help")
        terminal.type(b"\n")
        terminal.wait_for(b"Also:    ")
        terminal.type(b"quit\n")
    assert b"dropped" not in terminal.seen


@needs_terminal
def test_a_claim_is_dropped_with_a_message_if_its_letters_name_other_cards() -> None:
    with at_terminal(*GAME, code=QUICK) as terminal:
        terminal.wait_for(b"player 0> ")
        terminal.type(b"a b c")
        terminal.wait_for(b"'a b c' was deleted, because the table has changed")
        terminal.type(b"help\n")
        terminal.wait_for(b"Also:    ")
        terminal.type(b"quit\n")
    assert b"player 0 claims" not in terminal.seen


def test_a_half_typed_claim_names_the_first_cards_of_the_complete_one() -> None:
    random = Random(1)
    rules = SetRules(SetSettings(seats=2))
    match = Match(rules, ["quick", "quick"], "1")
    for _ in range(thorough(20, 200)):
        if match.program_move() is None:
            break
        view = match.view(0)
        letters = random.sample(ascii_lowercase[: len(view.places)], 3)
        whole = "{}{gap}{}{gap}{}".format(*letters, gap=random.choice(["", " ", ", "]))
        cards = cards_named(whole, view)
        assert set(rules.read(whole, view).cards) == set(cards)
        for end in range(len(whole) + 1):
            begun = cards_named(whole[:end], view)
            assert begun == cards[: len(begun)]
            assert len(begun) == sum(letter.isalpha() for letter in whole[:end])
        assert not cards_named("help", view)
