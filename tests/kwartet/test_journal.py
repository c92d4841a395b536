"""The journal of a running game: complete lines, and resuming the game."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from quaternity.kwartet.log import log_text
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from quaternity.table.journal import MatchJournal
from quaternity.table.match import Match
from tests.kwartet.games import random_log


def write_journal(log: GameLog, path: Path) -> str:
    """Return the text of a journal to which a whole game was written request by request."""
    rules = KwartetRules(log.settings)
    names = log.names or ["you"] * rules.seats
    start = rules.replay(log_text(log).encode()).positions[:1]
    match = Match(rules, names, "0", start)
    with MatchJournal.begin(str(path), match) as journal:
        match.keep = journal.add
        for event in log.events:
            match.play(event.question.asker, event.question)
    return path.read_text()


def resume(path: Path) -> int:
    """Return the number of requests in a resumed journal."""
    rules = KwartetRules.of_record(path.read_bytes())
    journal, replay = MatchJournal.resume(str(path), rules)
    journal.close()
    return len(replay.moves)


@pytest.mark.parametrize("announce", list(AnnounceTiming))
@pytest.mark.parametrize("seed", range(4))
def test_the_journal_equals_the_log_after_every_request(
    tmp_path: Path, seed: int, announce: AnnounceTiming
) -> None:
    log = random_log(KwartetSettings(3, 3, announce), Random(seed))
    text = write_journal(log, tmp_path / "game.log")
    seats_line = "seats you,you,you\n"
    assert text.replace(seats_line, "") == log_text(log).replace(seats_line, "")


@pytest.mark.parametrize("announce", list(AnnounceTiming))
def test_a_truncated_journal_can_be_resumed_anywhere(
    tmp_path: Path, announce: AnnounceTiming
) -> None:
    log = random_log(KwartetSettings(3, 3, announce), Random(8), max_events=9)
    text = log_text(log)
    path = tmp_path / "game.log"
    first = text.index(" asks ") - 1
    deal = text.index("\n", text.index("hand 2")) + 1
    for length in range(max(first, deal), len(text) + 1):
        path.write_text(text[:length])
        count = resume(path)
        rest = "".join(f"{event}\n" for event in log.events[count:])
        assert path.read_text() + rest == text


def test_comments_are_kept(tmp_path: Path) -> None:
    log = random_log(KwartetSettings(3, 3), Random(1))
    path = tmp_path / "game.log"
    text = log_text(log) + "# what a game\n"
    path.write_text(text)
    resume(path)
    assert path.read_text() == text
