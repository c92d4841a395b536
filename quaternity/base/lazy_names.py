"""Lazy loading of the public names of a package, so that a command imports only what it needs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any


def public_only(
    package: dict[str, Any], renamed: Mapping[str, str] = MappingProxyType({})
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return functions `__getattr__` and `__dir__` for a package. `dir` lists only public names.

    `renamed` maps old names to new ones. An old name still works, with a `DeprecationWarning`.
    """

    def old(name: str) -> Any:
        if name not in renamed:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        new = renamed[name]
        warnings.warn(
            f"{package['__name__']}.{name} is deprecated: it was renamed to {new}",
            DeprecationWarning,
            stacklevel=2,
        )
        return package[new]

    def public() -> list[str]:
        return sorted({*package["__all__"], *(name for name in package if name.startswith("__"))})

    return old, public


def lazy_names(
    package: dict[str, Any], homes: Mapping[str, str], modules: Sequence[str] = ()
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` for a package that loads names on first use.

    `homes` maps each module to the public names that are loaded from it, as a text with spaces
    between the names. `modules` lists public modules of the package, which `import *` omits.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name in modules:
            return import_module(f"{package['__name__']}.{name}")
        if name not in home:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        value = package[name] = getattr(import_module(home[name]), name)
        return value

    def public() -> list[str]:
        return sorted({*home, *modules, *(name for name in package if name.startswith("__"))})

    return list(home), load, public
