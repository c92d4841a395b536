"""Transfer of the code of external players and solvers to the workers of a cluster."""

from __future__ import annotations

import atexit
import importlib
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import TypeAlias

from quaternity.base.errors import LimitError
from quaternity.base.plugins import PLACE

Code: TypeAlias = dict[str, tuple[int, bytes]]
"""Type of the code of external players and solvers. A dictionary maps the path of each file in the
folder of the code to the mode and the content of the file."""

MAX_CODE_BYTES = 10 << 20
"""Maximum size of the external code in bytes. Every call to a cluster contains this code."""

FOLDER_PREFIX = "quaternity-code-"
"""Prefix for the names of the folders in which workers store external code."""

_installing = Lock()
_installed: tuple[Code, str] = {}, ""


def collect_code(names: Iterable[str]) -> Code:
    """Return the files of the named players and solvers that workers may lack.

    For `module:name`, these are the files of the module and of all modules that it imports from the
    same folder, unless they belong to an installed distribution. For `cmd:COMMAND`, these are the
    files in the current folder that the command names, and the modules that they import. Raise
    `LimitError` if the files are larger than `MAX_CODE_BYTES`.
    """
    files: dict[str, Path] = {}
    for name in names:
        kind, _, rest = name.partition(":")
        if kind == "cmd":
            for word in shlex.split(rest):
                path = Path(os.path.normpath(word))
                if path.is_absolute() or ".." in path.parts or not path.is_file():
                    continue
                files[str(path)] = path
                if path.suffix == ".py":
                    files |= _modules(path.parent, Path(), path.stem)
        elif PLACE.fullmatch(name):
            spec = PathFinder.find_spec(kind.partition(".")[0], [*sys.path, os.getcwd()])
            if spec is None or spec.origin is None:
                continue
            root = Path(spec.origin).parents[1 if spec.submodule_search_locations else 0]
            installed = root.name in ("site-packages", "dist-packages")
            if not installed and str(root) != sysconfig.get_path("stdlib"):
                files |= _modules(root, root, kind)
    code = {name: (path.stat().st_mode & 0o777, path.read_bytes()) for name, path in files.items()}
    if sum(len(content) for _, content in code.values()) > MAX_CODE_BYTES:
        raise LimitError(f"the code for the workers is larger than {MAX_CODE_BYTES} bytes")
    return code


def _modules(folder: Path, root: Path, module: str) -> dict[str, Path]:
    from modulefinder import ModuleFinder

    finder = ModuleFinder(path=[str(folder)])
    with suppress(ImportError, SyntaxError):  # The error is reported when the module is used.
        finder.import_hook(module)
    files = [getattr(module, "__file__", None) for module in finder.modules.values()]
    names = {os.path.relpath(file, root): Path(file) for file in files if file}
    return {n: f for n, f in names.items() if Path(n).parts[0] not in ("quaternity", "solvers")}


def install(code: Code) -> None:
    """Write the code to a new folder, and put the folder first on the import path.

    The files and the imported modules of an earlier call are removed.
    """
    global _installed
    with _installing:
        before, folder = _installed
        if before == code:
            return
        if folder:
            sys.path.remove(folder)
            shutil.rmtree(folder, ignore_errors=True)
        tops = {Path(name).parts[0].removesuffix(".py") for name in (*before, *code)}
        for module in [name for name in sys.modules if name.partition(".")[0] in tops]:
            del sys.modules[module]
        folder = mkdtemp(prefix=FOLDER_PREFIX) if code else ""
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        for name, (mode, content) in code.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)
        if folder:
            sys.path.insert(0, folder)
        importlib.invalidate_caches()
        _installed = code, folder


def installed_path(word: str) -> str:
    """Return the path of the file that `install` wrote for a word of a command.

    If there is no such file, return the word.
    """
    for folder in sys.path:
        path = os.path.join(folder, word)
        if os.path.basename(folder).startswith(FOLDER_PREFIX) and os.path.isfile(path):
            return path
    return word
