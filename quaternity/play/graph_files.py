"""Arrays on disk that may be larger than memory: written piece by piece, mapped when read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from quaternity.errors import InputError
from quaternity.writing import write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from numpy.typing import DTypeLike, NDArray


def mapped(path: Path, dtype: DTypeLike) -> NDArray[Any]:
    """The array in a file, read where it is looked at."""
    if not path.stat().st_size:
        return np.zeros(0, dtype)
    return np.memmap(path, dtype, "r")


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array whole or not at all."""
    with Pieces(path) as pieces:
        pieces.add(array)


class Pieces:
    """A file that gets an array piece by piece, and its name when all of it is there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._file = self._part.open("wb")
        self.length = 0

    def add(self, array: NDArray[Any]) -> None:
        """Append an array."""
        self._file.write(np.ascontiguousarray(array).data)
        self.length += len(array)

    def __enter__(self) -> Pieces:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()
        if kind is None:
            self._part.replace(self._path)
        else:
            self._part.unlink(missing_ok=True)


def save_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write several arrays into one file, whole or not at all.

    A line of JSON with their names is followed by the arrays in NumPy's own format; an archive
    (`numpy.savez`) takes several times as long.
    """
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(json.dumps(list(arrays)).encode() + b"\n")
        for array in arrays.values():
            np.save(file, array, allow_pickle=False)
    part.replace(path)


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """What `save_arrays` wrote.

    Raises:
        InputError: the file is damaged.
    """
    with path.open("rb") as file:
        try:
            names = json.loads(file.readline())
            return {name: np.load(file, allow_pickle=False) for name in names}
        except (ValueError, EOFError, TypeError) as error:
            raise InputError(
                f"{path}: damaged ({error}); remove {path.parent} to start anew"
            ) from error


MANIFEST = "about.json"
"""Says which computation a working directory belongs to: the first file there, and the last."""

LOCK = "lock"
"""Held by the run that works in a directory, and by no other; it dies with its process."""


class WorkDirectory:
    """Where a long computation keeps what it has done, so that it can go on after a break.

    A context manager: within it nobody else can use the directory.

    Raises:
        InputError: the directory holds another computation, cannot be used, or is in use.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        """`about` is what the computation depends on; a directory made for another is refused."""
        self.path = path
        manifest = path / MANIFEST
        try:
            path.mkdir(exist_ok=True)
            beginnings = [*path.glob(f".{MANIFEST}.*.part")]  # of a run that was killed at once
            if not manifest.exists() and {*path.iterdir()} - {path / LOCK, *beginnings}:
                raise InputError(f"{path} is not empty, and not from this program")
            self._lock = _locked(path / LOCK)
            try:
                self.drop(beginning.name for beginning in beginnings)
                self._claim(manifest, dict(about))
            except BaseException:
                self._lock.close()
                raise
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path} cannot be used: {error}") from error

    def _claim(self, manifest: Path, about: dict[str, Any]) -> None:
        """Write the manifest, or see that the one there says the same."""
        if not manifest.exists():
            write_text(manifest, json.dumps(about))
            return
        kept = json.loads(manifest.read_text())
        if kept != about:
            raise InputError(
                f"{self.path} holds the beginnings of another computation, of {kept}; "
                f"remove it to start anew"
            )

    def __enter__(self) -> WorkDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def file(self, name: str) -> Path:
        """A file in the directory."""
        return self.path / name

    def drop(self, names: Iterable[str]) -> None:
        """Remove files that are not needed any more."""
        for name in names:
            self.file(name).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the directory with all that is in it.

        Whatever stops this, what is left is empty but for the lock, or says what it was.
        """
        with os.scandir(self.path) as entries:
            names = [entry.name for entry in entries if entry.name not in (MANIFEST, LOCK)]
        self.drop([*names, MANIFEST, LOCK])
        self.path.rmdir()


def _locked(path: Path) -> BinaryIO:
    """A file that no other run has, for as long as it is open.

    Raises:
        InputError: another run has it.
        OSError: it cannot be opened.
    """
    import fcntl

    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise InputError(f"{path.parent} is in use by another run") from None
    except OSError:
        pass  # a file system without locks
    return file


__all__ = [
    "LOCK",
    "MANIFEST",
    "Pieces",
    "WorkDirectory",
    "load_arrays",
    "mapped",
    "save_array",
    "save_arrays",
]
