"""A journal is on the disk before the next question, and used by only one process."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from quaternity import Game, Move, Settings
from quaternity.base.errors import InputError
from quaternity.base.writing import try_lock, write_text
from quaternity.game.record import header_text, parse_record, record_text
from quaternity.game.rules import QuaternityRules
from quaternity.table.history import History
from quaternity.table.journal import MatchJournal
from quaternity.table.match import Match

MOVES = [Move.parse("0 asks 1 for 0/2: no"), Move.parse("1 asks 2 for 1/1: yes")]


class Journal(MatchJournal):
    """The journal of a match of Quaternity, together with the match."""

    match: Match[Any, Any, Any]

    @classmethod
    def of(cls, path: Path, settings: Settings | None = None) -> Journal:
        """Begin a new record, or resume the game of an existing one."""
        if settings is not None:
            match = match_of(settings)
            journal = cls.begin(str(path), match)
        else:
            rules = QuaternityRules.of_record(path.read_bytes())
            journal, replay = cls.resume(str(path), rules)
            match = match_of(rules.settings, History.of_replay(rules, replay))
        journal.match = match
        match.keep = journal.add
        return journal

    def play(self, move: Move) -> None:
        """Play a question and its answer."""
        asker, asked, _ = move.question
        self.match.play(asker, move.question)
        if self.match.position.pending is not None:
            self.match.play(asked, move.answer)

    def undo(self) -> None:
        """Take a move back."""
        self.match.undo()
        self.rewrite(self.match)


def match_of(settings: Settings, *played: Any) -> Match[Any, Any, Any]:
    return Match(QuaternityRules(settings), ["you"] * settings.players, "0", *played)


@pytest.mark.parametrize("number", range(len(MOVES) + 1))
def test_a_record_that_begins_late_has_the_earlier_moves(number: int, tmp_path: Path) -> None:
    journal = Journal.of(tmp_path / "early.record", Settings(4, 3, 3))
    for move in MOVES[:number]:
        journal.play(move)
    with MatchJournal.begin(str(tmp_path / "late.record"), journal.match) as late:
        assert Path(late.path).read_bytes() == Path(journal.path).read_bytes()
    journal.close()


def test_the_note_of_the_players_stays_after_an_undo(tmp_path: Path) -> None:
    path, note = tmp_path / "handed-over.record", b"# seats: you, random, you\n"
    with Journal.of(path, Settings(4, 3, 3)) as journal:
        begun = path.read_bytes()
        journal.play(MOVES[0])
        journal.match.names[1] = "random"
        journal.note_seats(journal.match)
        journal.match.names[1] = "you"
        after_one = path.read_bytes()
        assert after_one.endswith(note)
        journal.play(MOVES[1])
        journal.undo()
        assert path.read_bytes() == after_one
        journal.undo()
        assert path.read_bytes() == begun + note
        journal.play(MOVES[0])
    assert path.read_bytes() == begun + note + after_one[len(begun) : -len(note)]


@pytest.fixture
def synced_lengths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the length of a file whenever it is synchronised with the disk."""
    lengths: list[int] = []
    fsync = os.fsync

    def fsync_and_record(file: int) -> None:
        about = os.fstat(file)
        if stat.S_ISREG(about.st_mode):
            lengths.append(about.st_size)
        fsync(file)

    monkeypatch.setattr(os, "fsync", fsync_and_record)
    return lengths


def test_every_step_is_on_the_disk(tmp_path: Path, synced_lengths: list[int]) -> None:
    path = tmp_path / "game.record"
    game = Game.start(Settings())
    with Journal.of(path, game.settings) as journal:
        text = header_text(game.settings)
        assert synced_lengths == [len(text)]
        for move in MOVES:
            del synced_lengths[:]
            journal.play(move)
            game = game.play(move)
            # Both answers are possible, so the question is kept before the answer is known.
            lengths = [len(text) + len(f"{move.question}:"), len(text) + len(str(move)) + 1]
            assert synced_lengths == lengths
            text += f"{move}\n"
            assert path.read_text() == text == record_text(game)
        journal.undo()
    assert path.read_text() == record_text(game.undo())
    assert synced_lengths[2:] == [len(record_text(game.undo()))]
    assert resume(path) == game.undo()


def resume(path: Path) -> Game:
    """Return the game of a record after resuming it."""
    Journal.of(path).close()
    return parse_record(path.read_bytes()).replay()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_undo_keeps_earlier_lines_written_by_hand(tmp_path: Path, end: str) -> None:
    path = tmp_path / "game.record"
    header = "".join(f"{line}  # agreed{end}" for line in header_text(Settings()).splitlines())
    begun = f"# by hand\r{header}{MOVES[0]}  # a pity{end}# now comes{end}"
    path.write_bytes(f"{begun}{MOVES[1]}{end}# a surprise{end}".encode())
    with Journal.of(path) as journal:
        journal.undo()
        assert path.read_bytes() == begun.encode()
        journal.rewrite(journal.match)
        assert path.read_bytes() == begun.encode()
    assert resume(path).moves == (MOVES[0],)


def test_an_undo_keeps_mode_and_place(tmp_path: Path) -> None:
    path, other = tmp_path / "game.record", tmp_path / "linked"
    game = Game.start(Settings()).play(MOVES[0])
    path.write_text(record_text(game))
    path.chmod(0o640)
    other.hardlink_to(path)
    with Journal.of(path) as journal:
        journal.undo()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert other.read_text() == record_text(game.undo())


def test_a_file_in_use_cannot_be_opened(tmp_path: Path) -> None:
    path, link = tmp_path / "game.record", tmp_path / "link"
    link.symlink_to(path)
    with Journal.of(path, Settings()) as journal:
        journal.play(MOVES[0])
        before = path.read_bytes()
        for name in (path, link):
            for open_again in (
                partial(Journal.of, name),
                partial(Journal.of, name, Settings(players=4, sets=4)),
            ):
                with pytest.raises(InputError, match="is in use by another process"):
                    open_again()
        assert path.read_bytes() == before
    with pytest.raises(InputError, match="is not empty"):
        Journal.of(path, Settings())
    assert path.read_bytes() == before
    assert resume(path).moves == (MOVES[0],)


def test_only_one_of_many_simultaneous_games_is_begun(tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    ready = Barrier(6)

    def begin(players: int) -> str:
        ready.wait()
        try:
            with Journal.of(path, Settings(players=players, sets=players)) as journal:
                journal.play(MOVES[0])
        except InputError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(6) as threads:
        errors = list(threads.map(begin, range(3, 9)))
    assert errors.count("") == 1
    assert all("another process" in text for text in errors if text)
    game = resume(path)
    assert (game.settings.players, game.moves) == (errors.index("") + 3, (MOVES[0],))
    assert os.listdir(tmp_path) == [path.name]


def replace_file(path: Path) -> None:
    text = path.read_text()
    path.unlink()
    path.write_text(text)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (Path.unlink, "the file was removed or renamed while it was open"),
        (replace_file, "the file was replaced by another file while it was open"),
        (lambda path: os.truncate(path, 9), "has 9 bytes instead of"),
        (lambda path: os.truncate(path, 400), "has 400 bytes instead of"),
    ],
)
def test_changes_by_other_programs_are_detected_and_kept(
    tmp_path: Path, harm: Callable[[Path], None], words: str
) -> None:
    path = tmp_path / "game.record"
    with Journal.of(path, Settings()) as journal:
        journal.play(MOVES[0])
        harm(path)
        after = path.read_bytes() if path.exists() else None
        with pytest.raises(InputError, match=f"{words}.*; not saved: {MOVES[1].question}"):
            journal.play(MOVES[1])
        assert journal.match.history.whole_moves == 1
        with pytest.raises(InputError):
            journal.undo()
        assert (path.read_bytes() if path.exists() else None) == after


@pytest.mark.parametrize(("before", "after"), [("players 3", "players 4"), ("0/2: no", "0/3: no")])
def test_an_undo_after_a_foreign_change_is_refused(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "game.record"
    start = Game.start(Settings())
    path.write_text(record_text(start.play(MOVES[0]).play(MOVES[1])))
    with Journal.of(path) as journal:
        text = path.read_text().replace(before, after)
        path.write_text(text)
        with pytest.raises(InputError, match="another program changed the file while it was open"):
            journal.undo()
        assert path.read_text() == text


def test_a_file_replaced_before_it_was_locked_is_reopened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.record"
    start = Game.start(Settings())
    path.write_text(record_text(start))
    changes = [lambda: write_text(path, record_text(start.play(MOVES[0])))]

    def lock_late(handle: int) -> bool | None:
        while changes:
            changes.pop()()
        return try_lock(handle)

    monkeypatch.setattr("quaternity.base.append_file.try_lock", lock_late)
    with Journal.of(path) as journal:
        journal.play(MOVES[1])
    assert path.read_text() == record_text(start.play(MOVES[0]).play(MOVES[1]))


def test_an_empty_file_becomes_a_record_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.touch(0o600)
    Journal.of(path, Settings()).close()
    assert path.read_text() == header_text(Settings())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [path.name]


def test_a_truncated_last_line_is_removed_from_the_disk(
    tmp_path: Path, synced_lengths: list[int]
) -> None:
    path = tmp_path / "game.record"
    whole = header_text(Settings()) + f"{MOVES[0]}\n"
    path.write_text(whole + "1 asks 2 f")
    resume(path)
    assert path.read_text() == whole
    assert synced_lengths == [len(whole)]
