"""How long work says how far it is."""

from __future__ import annotations

from collections.abc import Callable

Report = Callable[[str, int, int | None], None]
"""Told what is going on, how much of it is done, and of how much (None: not known)."""


def quiet(what: str, done: int, total: int | None) -> None:
    """A report to nobody."""


__all__ = ["Report", "quiet"]
