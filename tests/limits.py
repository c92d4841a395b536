"""Other limits for a test; only this module changes constants of the program in tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest


@contextmanager
def limited(module: str, **limits: float) -> Iterator[None]:
    """Replace limits of a module, in a `with` statement or in a decorated test."""
    target = import_module(module)
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            assert isinstance(getattr(target, name), int | float), f"not a limit: {module}.{name}"
            patch.setattr(target, name, limit)
        yield
