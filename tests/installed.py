"""Folders of modules that look like installed distributions, with entry points."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quaternity.table import players
from quaternity.table.games import plugin_games


@contextmanager
def installed(
    folder: Path, name: str, points: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Make a folder of modules a distribution, for this process and its child processes.

    Args:
        points: the content of its `entry_points.txt`.
    """
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(folder)
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", path)
    forget_installed()
    try:
        yield
    finally:
        forget_installed()


def forget_installed() -> None:
    """Clear the caches of entry points."""
    players.plugin_players.cache_clear()
    plugin_games.cache_clear()
