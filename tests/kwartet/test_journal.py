"""The log that is kept while a game is played: whole lines, and a game that resumes."""

from pathlib import Path
from random import Random

import pytest

from quaternity.errors import InputError
from quaternity.kwartet.journal import KwartetJournal, agree_on
from quaternity.kwartet.log import GameLog, log_text
from quaternity.kwartet.settings import Announce, KwartetSettings
from tests.kwartet.games import random_log


def kept(log: GameLog, path: Path) -> str:
    """The file after a whole game was written to it request by request."""
    with KwartetJournal.begin(str(path), log.settings, log.hands, log.names) as journal:
        for event in log.events:
            journal.add(event)
    return path.read_text()


def resumed(path: Path) -> GameLog:
    """The game in a log."""
    journal, log = KwartetJournal.resume(str(path))
    journal.close()
    return log


@pytest.mark.parametrize("announce", list(Announce))
@pytest.mark.parametrize("seed", range(4))
def test_request_by_request_the_file_is_the_log(
    tmp_path: Path, seed: int, announce: Announce
) -> None:
    log = random_log(KwartetSettings(3, 3, announce), Random(seed))
    assert kept(log, tmp_path / "game.log") == log_text(log)


@pytest.mark.parametrize("announce", list(Announce))
def test_wherever_it_is_cut_off_the_log_resumes_and_ends_the_same(
    tmp_path: Path, announce: Announce
) -> None:
    log = random_log(KwartetSettings(3, 3, announce), Random(8), most_events=9)
    text = log_text(log)
    path = tmp_path / "game.log"
    first = text.index(" asks ") - 1
    deal = text.index("\n", text.index("hand 2")) + 1
    for length in range(min(first, deal), len(text) + 1):
        path.write_text(text[:length])
        game = resumed(path)
        whole = path.read_text()
        assert whole == log_text(game)
        rest = "".join(f"{event}\n" for event in log.events[len(game.events) :])
        assert whole + rest == text


def test_comments_stay(tmp_path: Path) -> None:
    log = random_log(KwartetSettings(3, 3), Random(1))
    path = tmp_path / "game.log"
    text = log_text(log) + "# what a game\n"
    path.write_text(text)
    resumed(path)
    assert path.read_text() == text


def test_differences_are_listed_together() -> None:
    log = random_log(KwartetSettings(3, 3), Random(1))
    agree_on(log, None, {"sets": 3, "announce": Announce.AT_ONCE, "own_card_requests": True})
    agree_on(log, ("you", "exact", "exact"), {})
    with pytest.raises(InputError) as caught:
        agree_on(log, ("you", "exact"), {"sets": 4, "own_card_requests": False})
    assert str(caught.value) == (
        "sets 4 was asked for, but the record has 3; "
        "own-card-requests no was asked for, but the record has yes; "
        "players 2 was asked for, but the record has 3"
    )


def test_a_refused_resume_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "game.log"
    text = log_text(random_log(KwartetSettings(3, 3), Random(1)))[:-4]
    path.write_text(text)
    with pytest.raises(InputError, match="sets 4 was asked for"):
        KwartetJournal.resume(str(path), None, {"sets": 4})
    assert path.read_text() == text
