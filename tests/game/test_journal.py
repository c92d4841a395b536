"""A journal is on the disk before the next question, not only on its way there."""

import os
from pathlib import Path

import pytest

from quaternity import Game, Move, Settings
from quaternity.journal import Journal
from quaternity.record import header_text, record_text

MOVES = [Move.parse("0 asks 1 for 0/2: no"), Move.parse("1 asks 2 for 1/1: yes")]


@pytest.fixture
def synchronised(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long the file was each time that the system was told to put it on the disk."""
    lengths: list[int] = []
    fsync = os.fsync

    def counted(file: int) -> None:
        lengths.append(os.fstat(file).st_size)
        fsync(file)

    monkeypatch.setattr(os, "fsync", counted)
    return lengths


def test_every_step_is_on_the_disk(tmp_path: Path, synchronised: list[int]) -> None:
    path = tmp_path / "game.record"
    game = Game.start(Settings())
    journal = Journal.begin(str(path), game.settings)
    text = header_text(game.settings)
    assert synchronised == [len(text)]
    for number, move in enumerate(MOVES):
        journal.add(move)
        game = game.play(move)
        text += f"{move}\n"
        assert path.read_text() == text == record_text(game)
        assert synchronised[number + 1 :] == [len(text)]
    journal.rewrite(game.undo())
    assert path.read_text() == record_text(game.undo())
    assert synchronised[len(MOVES) + 1 :] == [len(record_text(game.undo()))]
    assert Journal.resume(str(path), {})[1] == game.undo()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_undo_keeps_what_was_written_by_hand_before_it(tmp_path: Path, end: str) -> None:
    path = tmp_path / "game.record"
    header = "".join(f"{line}  # agreed{end}" for line in header_text(Settings()).splitlines())
    begun = f"# by hand\r{header}{MOVES[0]}  # a pity{end}# now comes{end}"
    path.write_bytes(f"{begun}{MOVES[1]}{end}# a surprise{end}".encode())
    journal, game, _ = Journal.resume(str(path), {})
    journal.rewrite(game.undo())
    assert path.read_bytes() == begun.encode()
    assert Journal.resume(str(path), {})[1] == game.undo()
    journal.rewrite(game.undo())
    assert path.read_bytes() == begun.encode()
    # Somebody else has changed the file meanwhile: the game counts.
    path.write_text("nonsense")
    journal.rewrite(game.undo())
    assert path.read_text() == record_text(game.undo())
    path.write_text(record_text(Game.start(Settings(players=4, sets=4)).play(MOVES[0])))
    journal.rewrite(game.undo())
    assert path.read_text() == record_text(game.undo())


def test_a_last_line_that_was_cut_off_is_gone_from_the_disk(
    tmp_path: Path, synchronised: list[int]
) -> None:
    path = tmp_path / "game.record"
    whole = header_text(Settings()) + f"{MOVES[0]}\n"
    path.write_text(whole + "1 asks 2 f")
    Journal.resume(str(path), {})
    assert path.read_text() == whole
    assert synchronised == [len(whole)]
