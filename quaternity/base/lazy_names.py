"""Packages whose names are loaded when they are first used, so that a command loads few of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: dict[str, Any], homes: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return what a package needs as its `__all__`, `__getattr__` and `__dir__`.

    Args:
        package: its `globals()`.
        homes: per module the public names that are loaded from it, with spaces between.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        value = package[name] = getattr(import_module(home[name]), name)
        return value

    def listed() -> list[str]:
        return sorted({*home, *(name for name in package if name.startswith("__"))})

    return list(home), load, listed
