"""Settings for all tests of perfect play."""

import os

import pytest


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that loses its power is no part of these tests, and a disk takes milliseconds."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
