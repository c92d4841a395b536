"""Settings for all tests of perfect play."""

import os

import pytest


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip `os.fsync`: it takes milliseconds, and these tests do not simulate power failures."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
