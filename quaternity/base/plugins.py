"""Additions of other distributions through entry points: what loads is used, the rest is told.

A registration that cannot be used is left out with a warning (`BrokenPlugin`), once, and stands in
nobody's way; asked for by its name, it says what is wrong with it.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, TypeVar

from quaternity.base.errors import InputError
from quaternity.base.wording import shown

Plugin = TypeVar("Plugin")


PLACE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
"""Where something of somebody else's is: `package.module:name`."""


class BrokenPlugin(UserWarning):
    """Something that another distribution registered cannot be used."""


@dataclass(frozen=True, slots=True)
class Plugins(Generic[Plugin]):
    """The registrations of a group: those that can be used, and why others cannot, by name."""

    found: Mapping[str, Plugin]
    broken: Mapping[str, str]

    def check(self, name: str) -> None:
        """Raise `InputError` for the name of a registration that cannot be used, and say why."""
        if name in self.broken:
            raise InputError(self.broken[name])


def load_plugins(
    group: str,
    kind: str,
    known: Iterable[str],
    accepted: Callable[[str, object], Plugin],
    prefix: str = "",
) -> Plugins[Plugin]:
    """Load everything registered in a group; warns of each registration that is left out.

    Args:
        kind: what is registered, in a word.
        known: names that are taken: they keep their meaning.
        accepted: what is used of a name and what was loaded; raises `InputError` where that is not
            what it should be.
        prefix: only names that begin so are looked at; in what comes out they are without it.

    Whatever loading raises is the registration's fault, `SystemExit` too; only an interrupt by the
    user passes.
    """
    from contextlib import redirect_stdout
    from importlib.metadata import entry_points

    plugins: dict[str, Plugin] = {}
    broken: dict[str, str] = {}
    taken = set(known)
    for point in entry_points(group=group):
        if not point.name.startswith(prefix):
            continue
        who, name = f"{kind} {point.name!r} ({point.value})", point.name.removeprefix(prefix)
        if name in taken:
            _warn(f"{who} is registered twice: the other one is used")
            continue
        try:
            with redirect_stdout(sys.stderr):  # standard output is for results
                plugins[name] = accepted(name, point.load())
        except KeyboardInterrupt:
            raise
        except InputError as error:
            broken[name] = f"{who} {error}"
        except BaseException as error:
            broken[name] = f"{who} cannot be loaded: {shown(error)}"
        taken.add(name)
        if name in broken:
            _warn(f"{broken[name]}; it is left out")
    return Plugins(plugins, broken)


def load_place(place: str, here: bool = False) -> Any:
    """Return what stands at `package.module:name`. Whatever loading raises is left to the caller.

    With `here` it is looked for in the working folder too.
    """
    if here and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _warn(text: str) -> None:
    from multiprocessing import parent_process

    if parent_process() is None:  # the workers of a pool load the same once more
        warnings.warn(text, BrokenPlugin, stacklevel=4)
