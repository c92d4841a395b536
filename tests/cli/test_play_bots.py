"""`play` with bots: which moves `undo` takes back."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

START = "quaternity 1\nset-size 4\nsets 3\nplayers 3\ntie-break first-in-order\n"
OWN_MOVE = "0 asks 1 for 0/0: yes\n"
SEATS = ("--bot", "1=random", "--random", 2)


@pytest.mark.parametrize(
    ("since", "answered"),
    [("0 asks 1 for 0/2: no\n1 asks 0 for 0/2: no\n", []),
     ("0 asks 1 for 0/2: no\n1 asks 2 for 1/0: no\n2 asks 0 for 2/0: no\n", ["2/0"]),
     ("0 asks 1 for 0/2: no\n1 asks 0 for 1/0: yes\n1 asks 0 for 2/0: no\n", ["2/0", "1/0"])],
    ids=["a forced answer", "two bots", "a bot goes on"],
)  # fmt: skip
@pytest.mark.parametrize("earlier", ["", OWN_MOVE], ids=["first", "later"])
def test_undo_goes_back_to_the_last_move_of_a_person(
    cli: Cli, tmp_path: Path, earlier: str, since: str, answered: list[str]
) -> None:
    """First an answer, then the person's question; no bot moves again after later moves go."""
    path = tmp_path / "game.record"
    for undone in range(1, len(answered) + 2):
        path.write_text(START + earlier + since)
        outcome = cli("play", "--record", path, *SEATS, stdin="undo\n" * undone)
        assert outcome.status == 0
        left = since.partition(f"{answered[undone - 1]}: ")[0] if undone <= len(answered) else ""
        kept = f"{left}{answered[undone - 1]}:" if left else ""
        assert path.read_text() == START + earlier + kept


def test_undo_among_people_takes_back_one_move(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(START + "0 asks 1 for 0/2: no\n1 asks 0 for 0/2: no\n")
    cli("play", "--record", path, "--bot", "2=random", stdin="undo\n")
    assert path.read_text() == START + "0 asks 1 for 0/2: no\n"


def test_undo_before_the_first_own_move_lets_a_bot_begin_again(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(START + "0 asks 1 for 0/2: no\n")
    cli("play", "--record", path, "--bot", "0=random", stdin="undo\nn\n")
    moves = path.read_text().removeprefix(START).splitlines()
    assert len(moves) == 1
    assert moves[0].startswith("0 asks ")
    assert moves[0].endswith(": no")
