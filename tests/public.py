"""What is public: names and signatures of the faces, as they stand in `tests/data/public.txt`.

`python -m tests.public` writes the list anew. From 1.0.0 on a line that goes or changes is a change
by semantic versioning: until then its old name warns for a minor version.
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

FACES = (
    "quaternity", "quaternity.errors", "quaternity.kwartet", "quaternity.quarto",
    "quaternity.ternary", "quaternity.epistemic", "quaternity.decks", "quaternity.environments",
    "quaternity.puzzles", "quaternity.review", "quaternity.arena", "solvers",
)  # fmt: skip
"""The modules whose names are promised."""

WRITTEN = Path(__file__).parent / "data" / "public.txt"


def names(face: str) -> list[str]:
    """Return the public names of a face."""
    module = import_module(face)
    own = getattr(module, "__all__", None)
    if own is None:
        own = [name for name, value in vars(module).items()
               if getattr(value, "__module__", "") == face]  # fmt: skip
    return sorted(name for name in own if not name.startswith("_"))


def lines(face: str) -> Iterator[str]:
    """Return a line for each name of a face, and for each public name of its classes."""
    module = import_module(face)
    for name in names(face):
        value = getattr(module, name)
        place = f"{face}.{name}"
        if not isinstance(value, type):
            yield f"{place}{_signature(value)}" if inspect.isroutine(value) else place
            continue
        plain = issubclass(value, Enum | BaseException) or getattr(value, "_is_protocol", False)
        yield place if plain else f"{place}{_signature(value)}"
        for part, member in sorted(_members(value)):
            yield f"{place}.{part}{_signature(member) if inspect.isroutine(member) else ''}"


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Return the public members of a class that this house wrote, inherited ones too."""
    for part in dir(kind):
        home = next((k for k in kind.__mro__ if part in vars(k)), object)
        if not part.startswith("_") and home.__module__.split(".")[0] in ("quaternity", "solvers"):
            member = inspect.getattr_static(kind, part)
            field = isinstance(member, types.MemberDescriptorType) or (
                part in getattr(kind, "_fields", ())
            )
            if not field:  # its signature has it
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
    return "".join(f"{line}\n" for face in FACES for line in lines(face))


if __name__ == "__main__":
    WRITTEN.write_text(public(), encoding="utf-8")
