"""Random matches with all kinds of events, compared with a plain replay.

People and programs of all kinds take seats, are replaced and take moves back, and the process is
killed at any byte of the record. Beside every match a plain list of moves is kept. During the match
and at its end, the record, positions, views, points and places must agree with that list.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings, TieBreak
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from quaternity.quarto.rules import QuartoRules, QuartoSettings
from quaternity.table.history import History
from quaternity.table.journal import MatchJournal
from quaternity.table.match import Match
from quaternity.table.players import YOU
from quaternity.ternary.rules import SetRules, SetSettings
from quaternity.ternary.tables import Rule
from tests.sizes import thorough

EVENTS = 60
"""Number of moves, undos, hand-overs and deaths, before programs play a match to its end."""

MAX_MATCH_MOVES = 400
"""Number of moves after which a match is stopped."""


def quaternity(random: Random) -> QuaternityRules:
    sizes = random.choice([(2, 2, 2), (2, 3, 3), (3, 4, 2), (3, 3, 3), (4, 3, 3), (2, 6, 4)])
    return QuaternityRules(Settings(*sizes, random.choice([*TieBreak]), random.randrange(9)))


def kwartet(random: Random) -> KwartetRules:
    announce, own = random.choice([*AnnounceTiming]), random.random() < 0.5
    return KwartetRules(KwartetSettings(random.randint(2, 5), random.randint(2, 6), announce, own))


def quarto(random: Random) -> QuartoRules:
    return QuartoRules(QuartoSettings(squares=random.random() < 0.5))


def ternary(random: Random) -> SetRules:
    rule, table = random.choice([*Rule]), random.choice([9, 12, 15])
    return SetRules(SetSettings(random.randint(1, 4), rule, table))


GAMES: dict[str, tuple[Callable[[Random], Any], tuple[str, ...]]] = {
    "quaternity": (quaternity, ("random", "informed")),
    "kwartet": (kwartet, ("random", "greedy", "exact", "mixed")),
    "quarto": (quarto, ("random", "careful")),
    "set": (ternary, ("quick", "slow:3", "slow:0.1")),
}
"""Functions that draw random rules, and the programs that take seats."""


class RandomMatch:
    """A running match, and the list of its moves."""

    def __init__(self, game: str, seed: int, folder: Path) -> None:
        make, self.programs = GAMES[game]
        self.random = random = Random(f"{game}/{seed}")
        self.rules, self.seed, self.path = make(random), str(seed), folder / f"{game}-{seed}"
        self.begin(Match(self.rules, [self.any_name() for _ in range(self.rules.seats)], self.seed))
        self.head = self.rules.record_start(self.match.history.start, self.match.names)
        self.plain: list[tuple[int, Any]] = []
        self.counts = dict.fromkeys(("moves", "undo", "hand over", "death"), 0)

    def begin(self, match: Match[Any, Any, Any], journal: MatchJournal | None = None) -> None:
        """Play a match, and save its moves."""
        self.match = match
        self.journal = journal or MatchJournal.begin(str(self.path), match)
        match.keep = self.journal.add

    def any_name(self) -> str:
        """Return a name for a seat."""
        return self.random.choice((YOU, *self.programs))

    # -------------------------------------------------------------- events

    def play(self) -> None:
        """Play a random event."""
        event = self.random.choices(list(self.counts), (24, 3, 3, 2))[0]
        self.counts[event] += 1
        if event == "moves":
            self.move()
        elif event == "undo":
            self.undo()
        elif event == "hand over":
            self.match.hand_over(self.random.randrange(self.rules.seats), self.any_name())
        else:
            self.die()

    def move(self) -> bool:
        """Make a move of a person or a program; return whether there was one."""
        acting = list(self.rules.to_act(self.match.position))
        people = [seat for seat in acting if self.match.names[seat] == YOU]
        if people and (len(people) == len(acting) or self.random.random() < 0.3):
            seat = self.random.choice(people)
            # The move is drawn from the person's own view.
            move = self.random.choice(list(self.rules.moves(self.match.view(seat))))
            self.match.play(seat, move)
        elif (planned := self.match.next_program()) is not None:
            seat, move = planned.seat, planned.move
            self.match.play(seat, move)
        else:
            return False
        self.plain.append((seat, move))
        return True

    def undo(self) -> None:
        """Undo to before a person's last move, or before their answer to a program's question."""
        positions, left = self.replay_positions(), len(self.plain)
        people = self.match.people or range(self.rules.seats)
        while left:
            left -= 1
            settled = self.rules.is_settled(positions[left])
            asked_by = None if settled else self.plain[left - 1][0]
            if self.plain[left][0] in people and asked_by not in people:
                break
        assert self.match.undo() == len(self.plain) - left
        del self.plain[left:]
        self.journal.rewrite(self.match)

    def die(self) -> None:
        """Let the process die, perhaps while it writes the last move, and resume in another one."""
        texts = self.texts(self.replay_positions())
        self.journal.close()
        text = texts[-1]
        begun = len(texts[-2]) if len(texts) > 1 else len(text)
        cut = self.random.choice([len(text), self.random.randint(begun, len(text))])
        with self.path.open("r+b") as file:
            file.truncate(cut)
        if self.random.random() < 0.3 and text[:cut].endswith("\n"):
            with self.path.open("ab") as file:
                file.write(b"0 as")
        rules = type(self.rules).of_record(self.path.read_bytes())
        assert rules.settings == self.rules.settings
        journal, replay = MatchJournal.resume(str(self.path), rules)
        # Complete moves and questions are kept; a move that lacks only its line end may be kept.
        whole = [record for record in texts if len(record) <= cut and record.endswith(("\n", ":"))]
        left = len(replay.moves)
        assert texts[left] == whole[-1] or texts[left] == f"{text[:cut]}\n"
        assert self.plain[:left] == list(replay.moves)
        del self.plain[left:]
        self.match.names = [self.any_name() for _ in range(self.rules.seats)]
        history = History.of_replay(rules, replay)
        self.begin(Match(rules, self.match.names, self.seed, history), journal)

    # -------------------------------------------------------------- checks

    def replay_positions(self) -> list[Any]:
        """Return the positions that the rules compute from the list."""
        positions = [self.rules.start(Random(f"{self.seed}/deal"))]
        for seat, move in self.plain:
            positions.append(self.rules.after(positions[-1], seat, move))
        return positions

    def texts(self, positions: list[Any]) -> list[str]:
        """Return the record of the list, before its first move and after each move."""
        texts = [self.head]
        for (seat, move), (before, after) in zip(self.plain, pairwise(positions), strict=True):
            texts.append(texts[-1] + self.rules.record_move(before, seat, move, after))
        return texts

    def check(self) -> None:
        """Compare everything with the list."""
        rules, match, positions = self.rules, self.match, self.replay_positions()
        assert list(match.moves) == self.plain
        assert list(match.history.positions()) == positions
        data = self.path.read_bytes()
        assert data.decode() == self.texts(positions)[-1]
        replay = rules.replay(data)
        assert list(replay.moves) == self.plain
        assert list(replay.positions) == positions
        for seat in (None, *range(rules.seats)):
            view = rules.view(positions[-1], seat)
            assert match.view(seat) == view
            assert rules.show(match.view(seat)) == rules.show(view)
            assert rules.view(replay.positions[-1], seat) == view
        assert rules.points(match.position) == rules.points(positions[-1])
        assert rules.places(match.position) == rules.places(positions[-1])

    def run(self) -> bool:
        """Play events, then let programs finish; return whether the match ended."""
        for number in range(EVENTS):
            self.play()
            if number % 10 == 0:
                self.check()
        for seat in range(self.rules.seats):
            self.match.hand_over(seat, self.random.choice(self.programs))
        while len(self.plain) < MAX_MATCH_MOVES and self.move():
            pass
        self.check()
        self.journal.close()
        return not self.rules.to_act(self.match.position)


def matches(game: str, seeds: range, folder: Path) -> Iterator[tuple[RandomMatch, bool]]:
    """Yield matches that have been played, and whether they ended."""
    for seed in seeds:
        match = RandomMatch(game, seed, folder)
        try:
            yield match, match.run()
        except BaseException as error:
            error.add_note(f"{game}, seed {seed}")
            raise
        finally:
            match.journal.close()


def check_matches(game: str, seeds: range, folder: Path) -> None:
    played = list(matches(game, seeds, folder))
    assert sum(over for _, over in played) > len(played) // 2
    for event in ("moves", "undo", "hand over", "death"):
        assert sum(match.counts[event] for match, _ in played) > len(played)


@pytest.fixture(autouse=True)
def _without_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip fsync: only processes die here, so the system still writes the data."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.mark.parametrize("game", GAMES)
def test_random_matches_agree_with_a_replay(game: str, tmp_path: Path) -> None:
    check_matches(game, range(thorough(5, 100)), tmp_path)
