"""`python -m tests.web.seeded_program` is `quaternity` with fixed draws and puzzles."""

from __future__ import annotations

import os
from datetime import datetime, tzinfo
from pathlib import Path

from tests.fixed_draws import fix_draws, seed_draws

TEMPLATES = Path(__file__).parents[2] / ".bytecode" / "templates"
"""Folder for compiled templates, which take longer to compile than all modules to import."""


class Noon(datetime):
    """A clock that stands still, so that every run has the same puzzles of the day."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Noon:
        return cls(2026, 1, 3, 12, tzinfo=tz)


def seed_processes() -> None:
    """Fix the draws of this process by `QUATERNITY_TEST_DRAWS`, and the day of its puzzles.

    A disk that is busy with other tests may take longer than the store usually waits, and requests
    may take longer than a server usually waits before it ends. Games begin without a countdown,
    which other tests check in process. All servers share compiled templates.

    A forked process (`--processes 2`) draws another sequence; with the same one, two servers would
    give their tables the same names.
    """
    name, forks = os.environ["QUATERNITY_TEST_DRAWS"], list[int]()
    fix_draws()
    seed_draws(name)

    from jinja2 import FileSystemBytecodeCache

    from quaternity.web import actor, puzzle_pages, rendering, serving, store

    TEMPLATES.mkdir(parents=True, exist_ok=True)
    rendering.templates().bytecode_cache = FileSystemBytecodeCache(str(TEMPLATES))
    vars(puzzle_pages)["datetime"] = Noon
    vars(store)["ANSWER_SECONDS"] = 60
    vars(serving)["END_SECONDS"] = 60
    vars(actor)["COUNTDOWN_SECONDS"] = 0.0
    os.register_at_fork(
        before=lambda: forks.append(len(forks)),
        after_in_child=lambda: seed_draws(f"{name}/{len(forks)}"),
    )


if __name__ == "__main__":
    seed_processes()

    from quaternity.cli import main

    main()
