"""Other limits for a test: the only place where tests change a constant of the program."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest


@contextmanager
def limited(module: str, **limits: float) -> Iterator[None]:
    """Let a module go by other limits than its own, in a `with` or in a decorated test."""
    room = import_module(module)
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            assert isinstance(getattr(room, name), int | float), f"{module}.{name} is no limit"
            patch.setattr(room, name, limit)
        yield
