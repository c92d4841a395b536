"""Plug-ins from other Python distributions, found through entry points.

A plug-in that cannot be loaded is skipped with a warning (`BrokenPlugin`). Code that then uses the
name of the plug-in gets an error with the reason.
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
from quaternity.base.text_format import quote_value

Plugin = TypeVar("Plugin")


PLACE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
"""Pattern of the place of an object in a module, such as `package.module:name`."""


class BrokenPlugin(UserWarning):
    """Warning about a plug-in of another distribution that cannot be used."""


@dataclass(frozen=True, slots=True)
class Plugins(Generic[Plugin]):
    """The plug-ins of an entry-point group.

    Attributes:
        usable: usable plug-ins, by name.
        broken: sentences that say why the other plug-ins cannot be used, by name.
    """

    usable: Mapping[str, Plugin]
    broken: Mapping[str, str]

    def check(self, name: str) -> None:
        """Raise `InputError` with the reason if the plug-in of this name cannot be used."""
        if name in self.broken:
            raise InputError(self.broken[name])


def load_plugins(
    group: str,
    kind: str,
    known: Iterable[str],
    check: Callable[[str, object], Plugin],
    prefix: str = "",
) -> Plugins[Plugin]:
    """Load all plug-ins of an entry-point group. Warn about each one that is skipped.

    Every exception while loading, even `SystemExit`, counts as a fault of the plug-in. Only
    `KeyboardInterrupt` is passed on.

    Args:
        kind: the noun for a plug-in in messages, such as "player".
        known: names that are already in use, which plug-ins cannot redefine.
        check: function that takes the name and the loaded object, and returns the plug-in, or
            raises `InputError` if the object is not suitable.
        prefix: only names with this prefix are loaded. The result contains them without it.
    """
    from contextlib import redirect_stdout
    from importlib.metadata import entry_points

    plugins: dict[str, Plugin] = {}
    broken: dict[str, str] = {}
    taken = set(known)
    for point in entry_points(group=group):
        if not point.name.startswith(prefix):
            continue
        title, name = f"{kind} {point.name!r} ({point.value})", point.name.removeprefix(prefix)
        if name in taken:
            _warn(f"{title} is skipped, because its name is already in use")
            continue
        try:
            with redirect_stdout(sys.stderr):  # standard output is reserved for results
                plugins[name] = check(name, point.load())
        except KeyboardInterrupt:
            raise
        except InputError as error:
            broken[name] = f"{title} {error}"
        except BaseException as error:
            broken[name] = f"{title} cannot be loaded: {quote_value(error)}"
        taken.add(name)
        if name in broken:
            _warn(f"{broken[name]}; it is skipped")
    return Plugins(plugins, broken)


def load_place(place: str, in_working_directory: bool = False) -> Any:
    """Import a module and return one of its objects. `place` has the form `package.module:name`.

    Exceptions of the import are passed on. If `in_working_directory` is true, the working directory
    is searched after the rest of the import path.
    """
    if in_working_directory and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _warn(text: str) -> None:
    from multiprocessing import parent_process

    if parent_process() is None:  # only the main process warns
        warnings.warn(text, BrokenPlugin, stacklevel=4)
