"""The journal of a running game: complete lines, and resuming the game."""

from __future__ import annotations

from pathlib import Path
from random import Random

from quaternity.kwartet.log import log_text
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.table.journal import MatchJournal
from tests.kwartet.games import random_log


def resume(path: Path) -> int:
    """Return the number of requests in a resumed journal."""
    rules = KwartetRules.of_record(path.read_bytes())
    journal, replay = MatchJournal.resume(str(path), rules)
    journal.close()
    return len(replay.moves)


def test_comments_are_kept(tmp_path: Path) -> None:
    log = random_log(KwartetSettings(3, 3), Random(1))
    path = tmp_path / "game.log"
    text = log_text(log) + "# what a game\n"
    path.write_text(text)
    resume(path)
    assert path.read_text() == text
