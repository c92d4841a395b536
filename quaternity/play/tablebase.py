"""A solved game in a file, probed in microseconds.

The file is an SQLite database: `about` names the format, the rules and the state from which it was
solved; `states` holds a row for every canonical state, its key and its value. A value is the roles
that can force a win and those that can win (a byte of bits each), per role the others whose win it
can prevent (a byte), and per role the moves of its forced win (two bytes, the larger first).

Why SQLite, and a row for each state? Measured on the 114,339 states of the default game, a look-up
by key and the size of the file: SQLite rows 4.5 µs, 3.3 MB; SQLite blocks of 64 states 5.2 µs,
2.5 MB; LMDB 0.5 µs, 3.5 MB; Parquet in groups of 4,096 states 230 µs, 0.8 MB. A probe takes some
20 µs for the canonical form anyway, so LMDB would save a fifth and cost a dependency.
"""

from __future__ import annotations

import json
import sqlite3
import struct
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quaternity.cards import Card
from quaternity.errors import InputError, LimitError
from quaternity.play.canonical import canonical
from quaternity.play.coding import Key, Rules
from quaternity.play.progress import Report, quiet
from quaternity.play.standing import Standing, Worth
from quaternity.question import Answer, Question
from quaternity.writing import replacing

if TYPE_CHECKING:
    from quaternity.play.solver import Solution
    from quaternity.settings import Settings
    from quaternity.state import State

FORMAT = "quaternity-tablebase/1"
"""The version of the file format."""

APPLICATION = 0x51756174
"""Marks an SQLite file as a tablebase (its `application_id`)."""

WRITTEN_AT_ONCE = 1 << 16
"""States per transaction."""


_FACTS = ("rules", "states", "questions", "answers", "levels", "longest_forced")


class UnknownState(LimitError):
    """A tablebase does not hold a state: it does not follow from where the game was solved."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """A question, or one of several that come to the same, and what its answers give away.

    Attributes:
        question: the question.
        alike: all questions for interchangeable cards of the same set.
        after: per legal answer what the players can do afterwards.
        worst, best: for the asking player, over the answers (see `Standing.worth`).
    """

    question: Question
    alike: tuple[Question, ...]
    after: dict[Answer, Standing]
    worst: Worth
    best: Worth


class Tablebase:
    """A solved game, opened for reading. A context manager.

    Attributes:
        path: of the file.
        rules: of the game.
        about: what the file says about itself.

    Raises:
        InputError: the file cannot be read, is not a tablebase, or is one of another version.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._database, self.about = _opened(Path(path))
        self.rules = Rules.of_document(self.about["rules"])
        self._value = _layout(self.rules.players)
        self._fetch = self._database.cursor()

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __del__(self) -> None:
        # Bots keep theirs open for as long as they live.
        if hasattr(self, "_database"):
            self._database.close()

    def __len__(self) -> int:
        return int(self.about["states"])

    def facts(self) -> dict[str, Any]:
        """Rules and sizes, as in `quaternity.play.solver.Solution.facts`."""
        return {name: self.about[name] for name in _FACTS}

    def check_rules(self, rules: Rules) -> None:
        """Refuse another game.

        Raises:
            InputError: names both games.
        """
        if rules != self.rules:
            raise InputError(
                f"{self.path}: a tablebase for {_in_words(self.rules)}, not {_in_words(rules)}"
            )

    def check_settings(self, settings: Settings) -> None:
        """Refuse another game, before it begins.

        Raises:
            InputError: names both games.
        """
        self.check_rules(Rules.of(settings))

    def standing(self, state: State) -> Standing:
        """What the players can do in a state.

        Cost: a canonical form and a look-up, together some 20 microseconds.

        Raises:
            InputError: the state is of another game, or has no canonical form.
            UnknownState: it is not in the tablebase.
        """
        rules = Rules.of(state)
        if rules != self.rules:
            self.check_rules(rules)
        key, roles = canonical(state)
        return self._standing(key, roles)

    def _standing(self, key: Key, roles: tuple[int, ...]) -> Standing:
        try:
            row = self._fetch.execute("SELECT value FROM states WHERE key = ?", (key,)).fetchone()
            if row is not None:
                players = len(roles)
                force, win, *rest = self._value.unpack(row[0])
                # An index error: a bit for a role that there is not.
                return Standing.of_roles(roles, force, win, rest[:players], rest[players:])
        except (sqlite3.Error, struct.error, TypeError, IndexError) as error:
            raise InputError(f"{self.path}: a damaged tablebase ({error})") from error
        raise UnknownState(
            f"{self.path} does not hold this state: "
            f"it does not follow from the state that was solved"
        )

    def prospects(self, state: State) -> list[Prospect]:
        """All questions of the player on turn with what each answer gives away, best first.

        A question is as good as its worst answer, and among equals as its best one. If the player
        on turn can force a win, the first question leads there the quickest way.

        Raises:
            As `standing`.
        """
        asker = state.turn
        found = []
        for asked, set_index, cards, answers in state.legal_questions.groups():
            assert asker is not None, "somebody asks"
            alike = tuple(Question(asker, asked, Card(set_index, card)) for card in cards)
            after = {answer: self.standing(state.after(alike[0], answer)) for answer in answers}
            worths = [standing.worth(asker) for standing in after.values()]
            found.append(Prospect(alike[0], alike, after, min(worths), max(worths)))
        return sorted(found, key=lambda one: (one.worst, one.best), reverse=True)


def write_tablebase(path: str | Path, solution: Solution, report: Report = quiet) -> None:
    """Write the values of a solved game into a file, whole or not at all.

    Args:
        report: told about the progress.

    Raises:
        InputError: it cannot be written.
    """
    with replacing(path) as part:
        try:
            with closing(sqlite3.connect(part)) as database:
                _fill(database, solution, report)
        except sqlite3.Error as error:
            raise InputError(f"{path}: cannot be written: {error}") from error


def _fill(database: sqlite3.Connection, solution: Solution, report: Report) -> None:
    from quaternity.play.key_arrays import key_bytes

    graph, values = solution.graph, solution.values
    rules = graph.rules
    pack = _layout(rules.players).pack
    database.execute(f"PRAGMA application_id = {APPLICATION}")
    # The file is private until it is whole and on the disk, so nothing has to survive a crash.
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    database.execute("CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
    database.execute("CREATE TABLE states (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
    [start] = key_bytes(graph.keys[graph.start : graph.start + 1])
    about = {"format": FORMAT, "program": "quaternity", "start": start.hex()} | solution.facts()
    database.executemany(
        "INSERT INTO about VALUES (?, ?)",
        [(name, json.dumps(value)) for name, value in about.items()],
    )
    for first in range(0, len(graph), WRITTEN_AT_ONCE):
        part = slice(first, first + WRITTEN_AT_ONCE)
        rows = zip(
            key_bytes(graph.keys[part]),
            values.can_force[part].tolist(),
            values.can_win[part].tolist(),
            values.can_prevent[part].tolist(),
            values.length[part].tolist(),
            strict=True,
        )
        database.executemany(
            "INSERT INTO states VALUES (?, ?)",
            (
                (key, pack(force, win, *prevent, *length))
                for key, force, win, prevent, length in rows
            ),
        )
        database.commit()
        report("writing", min(part.stop, len(graph)), len(graph))


def _layout(players: int) -> struct.Struct:
    """How a value is written."""
    return struct.Struct(f">BB{players}B{players}H")


def _opened(path: Path) -> tuple[sqlite3.Connection, dict[str, Any]]:
    """The database in a file, and what it says about itself."""
    if not path.is_file():
        raise InputError(f"{path}: {'not a file' if path.exists() else 'no such file'}")
    try:
        database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    try:
        if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise InputError(f"{path}: not a tablebase")
        rows = database.execute("SELECT name, value FROM about").fetchall()
        about = {name: json.loads(value) for name, value in rows}
        if about.get("format") != FORMAT:
            raise InputError(
                f"{path}: a tablebase in the format {about.get('format')!r}; "
                f"this program reads {FORMAT!r}"
            )
        Rules.of_document(about["rules"])
        numbers = [about["states"], about["questions"], about["answers"], *about["levels"]]
        if about["longest_forced"] is not None:
            numbers.append(about["longest_forced"])
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise ValueError("a number is not one")
        bytes.fromhex(about["start"])
    except (
        sqlite3.Error,
        ValueError,
        KeyError,
        TypeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        database.close()
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not a tablebase, or a damaged one ({error})") from error
    return database, about


def _in_words(rules: Rules) -> str:
    words = f"{rules.sets} sets of {rules.set_size} and {rules.players} players"
    return words if rules.players <= 3 else f"{words} under {rules.tie_break}"


__all__ = ["FORMAT", "Prospect", "Tablebase", "UnknownState", "write_tablebase"]
