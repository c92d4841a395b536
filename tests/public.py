"""The public names and signatures, as listed in `tests/data/public.txt`.

`python -m tests.public` rewrites the list. From 1.0.0 on, a removed or changed line is a breaking
change by semantic versioning. Before 1.0.0, the old name warns for one minor version.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

PACKAGES = (
    "quaternity", "quaternity.errors", "quaternity.kwartet", "quaternity.quarto",
    "quaternity.ternary", "quaternity.epistemic", "quaternity.decks", "quaternity.environments",
    "quaternity.puzzles", "quaternity.review", "quaternity.arena", "solvers", "solvers.instances",
    "solvers.strategies", "solvers.testing",
)  # fmt: skip
"""The packages and modules whose names are public."""

LIST = Path(__file__).parent / "data" / "public.txt"


def names(package: str) -> list[str]:
    """Return the public names of a package."""
    module = import_module(package)
    own = getattr(module, "__all__", None)
    if own is None:
        own = [name for name, value in vars(module).items()
               if getattr(value, "__module__", "") == package]  # fmt: skip
    return sorted(name for name in own if not name.startswith("_"))


def lines(package: str) -> Iterator[str]:
    """Yield a line for each public name of a package, and for each public name of its classes."""
    module = import_module(package)
    for name in names(package):
        value = getattr(module, name)
        place = f"{package}.{name}"
        if not isinstance(value, type):
            yield f"{place}{_signature(value)}" if inspect.isroutine(value) else place
            continue
        plain = issubclass(value, Enum | BaseException) or getattr(value, "_is_protocol", False)
        yield place if plain else f"{place}{_signature(value)}"
        for part, member in sorted(_members(value)):
            yield f"{place}.{part}{_signature(member) if inspect.isroutine(member) else ''}"


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public members of a class, including those inherited from our own classes."""
    for part in dir(kind):
        home = next((k for k in kind.__mro__ if part in vars(k)), object)
        if not part.startswith("_") and home.__module__.split(".")[0] in ("quaternity", "solvers"):
            member = inspect.getattr_static(kind, part)
            field = isinstance(member, types.MemberDescriptorType) or (
                part in getattr(kind, "_fields", ())
            )
            if not field:  # the signature of the class has it
                yield part, getattr(member, "__func__", member)


def _signature(value: Any) -> str:
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"ForwardRef\((.*?)\)", r"\1", text)
    text = re.sub(r"<function (\S+) at 0x\w+>|<(\w+\.\w+): [^>]*>", r"\1\2", text)
    return text.replace("'", "").replace('"', "")


def public() -> str:
    """Return the whole list."""
    return "".join(f"{line}\n" for package in PACKAGES for line in lines(package))


if __name__ == "__main__":
    LIST.write_text(public(), encoding="utf-8")
