"""Arrays on disk that may be larger than memory: written piece by piece, mapped when read.

A file holds named arrays one after the other, then a line of JSON with their names, types, shapes
and places, the length of that line, and a checksum of all before it. The checksum also covers the
computation and the name of the file, so a file that was cut, changed, or brought from elsewhere is
refused. A file is complete on the disk before it gets its name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from struct import Struct
from tempfile import gettempdir, mkdtemp
from typing import TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

import numpy as np

from quaternity.base.errors import InputError
from quaternity.base.writing import synchronise_names, try_lock, write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType

    from numpy.typing import NDArray


Report = Callable[[str, int, int | None], None]
"""Called with the name of the task, how much of it is done, and of how much (None: unknown)."""


def quiet(task: str, done: int, total: int | None) -> None:
    """Report to nobody."""


MANIFEST = "about.json"
"""Names the computation of a working directory: the first file written, the last removed."""

LOCK = "lock"
"""Held by the run that works in a directory, and by no other; it dies with its process."""

PART = ".part"
"""Ends the name of a file that is not whole."""

TEMPORARY = "quaternity-solve-"
"""Begins the name of a working directory that the run chose itself."""

ALIGNED = 64
"""Arrays begin at multiples of this number of bytes."""

READ_AT_ONCE = 1 << 20
"""Bytes read at a time for a checksum."""

_END = Struct(">Q8sI")
"""The end of a file: the length of the line of JSON, a mark, the checksum of all but these two."""

_LENGTH = Struct(">Q")

_MARK = b"arrays/1"


class Pieces:
    """A file that gets arrays piece by piece, and its name when all of it is on the disk."""

    def __init__(self, path: Path, seed: int, durable: bool, whole: set[str]) -> None:
        """Begin the file; its name is added to `whole` when it is complete."""
        self._path, self._durable, self._whole = path, durable, whole
        self._part = path.with_name(path.name + PART)
        self._file = self._part.open("wb")
        self._checksum, self._place = seed, 0
        self._arrays: dict[str, tuple[str, list[int], int]] = {}

    def add(self, array: NDArray[Any], name: str = "") -> None:
        """Append an array, or a piece of the array that was begun last."""
        known = self._arrays.get(name)
        if known is None:
            self._write(b"\0" * (-self._place % ALIGNED))
            self._arrays[name] = (array.dtype.str, list(array.shape), self._place)
        else:
            assert name == next(reversed(self._arrays)), "pieces of one array follow each other"
            assert array.dtype.str == known[0], "and are of one type"
            known[1][0] += len(array)
        self._write(np.ascontiguousarray(array).data.cast("B") if array.size else b"")

    def _write(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._checksum = crc32(data, self._checksum)
        self._place += len(data)

    @property
    def length(self) -> int:
        """The length of the array so far, when there is only one."""
        return sum(shape[0] for _, shape, _ in self._arrays.values())

    def __enter__(self) -> Pieces:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            with self._file:
                if kind is not None:
                    return
                table = json.dumps(self._arrays).encode()
                self._write(table)
                checksum = crc32(_LENGTH.pack(len(table)), self._checksum)
                self._file.write(_END.pack(len(table), _MARK, checksum))
                self._file.flush()
                if self._durable:
                    os.fsync(self._file.fileno())
            self._part.replace(self._path)
            self._whole.add(self._path.name)
        finally:
            self._part.unlink(missing_ok=True)


class WorkDirectory:
    """The files of a long computation, so that it can go on after a break.

    A context manager: within it nobody else can use the directory. Files that a killed run left
    half written are removed when the next run begins.

    Raises:
        InputError: the directory holds another computation, cannot be used, or is in use.
    """

    def __init__(self, path: Path, about: Mapping[str, Any], durable: bool = True) -> None:
        """Open or make the directory of the computation that `about` describes.

        Unless `durable`, files need not outlast a crash of the machine.
        """
        self.path, self._durable = path, durable
        self._seed = crc32(json.dumps(dict(about), sort_keys=True).encode())
        self._verified: set[str] = set()
        manifest = path / MANIFEST
        try:
            path.mkdir(exist_ok=True)
            beginnings = [*path.glob(f".{MANIFEST}.*{PART}")]  # of a run that was killed at once
            if not manifest.exists() and {*path.iterdir()} - {path / LOCK, *beginnings}:
                raise InputError(f"{path} is not empty, and not from this program")
            self._lock = _locked(path / LOCK)
            try:
                self.drop(beginning.name for beginning in beginnings)
                self._claim(manifest, dict(about))
                self.drop(part.name for part in path.glob(f"*{PART}"))
            except BaseException:
                self._lock.close()
                raise
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{path} cannot be used: {reason}") from error

    def _claim(self, manifest: Path, about: dict[str, Any]) -> None:
        """Write the manifest, or refuse the directory if its manifest differs."""
        if not manifest.exists():
            write_text(manifest, json.dumps(about))
            return
        kept = json.loads(manifest.read_text())
        if kept != about:
            raise InputError(
                f"{self.path} holds the files of another computation, of {kept}; "
                f"remove it to start anew"
            )

    def __enter__(self) -> WorkDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def has(self, name: str) -> bool:
        """Return whether there is a file of this name."""
        return (self.path / name).exists()

    def pieces(self, name: str) -> Pieces:
        """Begin a file that is written piece by piece."""
        return Pieces(self.path / name, self._seed_of(name), self._durable, self._verified)

    def save(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write arrays into a file, whole or not at all."""
        with self.pieces(name) as pieces:
            for key, array in arrays.items():
                pieces.add(array, key)

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Map the arrays of a file, which are read only where they are used.

        The first time, a file of an earlier run is read whole for its checksum: four gigabytes a
        second and more, if it is still in memory.

        Raises:
            InputError: it is damaged, of another computation, or missing.
        """
        path = self.path / name
        try:
            with path.open("rb") as file:
                table = self._table(file, name)
            data = np.asarray(np.memmap(path, np.uint8, "r"))
            arrays = {}
            for key, (dtype, shape, place) in table.items():
                size = np.dtype(dtype).itemsize * int(np.prod(shape))
                arrays[key] = data[place : place + size].view(dtype).reshape(shape)
        except FileNotFoundError:
            fault = "missing"
        except (ValueError, TypeError) as error:
            fault = f"damaged ({error})"
        else:
            return arrays
        raise InputError(f"{path}: {fault}; remove {self.path} to start anew")

    def array(self, name: str) -> NDArray[Any]:
        """Map the only array in a file, as `arrays`."""
        [array] = self.arrays(name).values()
        return array

    def _seed_of(self, name: str) -> int:
        return crc32(name.encode(), self._seed)

    def _table(self, file: BinaryIO, name: str) -> dict[str, Any]:
        """Read the names, types, shapes and places of the arrays in a file.

        Raises:
            ValueError: the file is damaged.
        """
        size = os.fstat(file.fileno()).st_size - _END.size
        if size < 0:
            raise ValueError("it was cut short")
        file.seek(size)
        length, mark, checksum = _END.unpack(file.read())
        if mark != _MARK or length > size:
            raise ValueError("its end is not that of a whole file")
        if name not in self._verified:
            file.seek(0)
            computed, remaining = self._seed_of(name), size
            while remaining and (data := file.read(min(READ_AT_ONCE, remaining))):
                computed = crc32(data, computed)
                remaining -= len(data)
            if crc32(_LENGTH.pack(length), computed) != checksum:
                raise ValueError("its checksum is not that of its content")
            self._verified.add(name)
        file.seek(size - length)
        table: dict[str, Any] = json.loads(file.read(length))
        return table

    def drop(self, names: Iterable[str]) -> None:
        """Remove files that are no longer needed."""
        if self._durable:
            synchronise_names(self.path)  # what replaces them must outlast a crash
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the directory with all that is in it.

        If this is interrupted, the directory is empty but for the lock, or still has its manifest.
        """
        with os.scandir(self.path) as entries:
            names = [entry.name for entry in entries if entry.name not in (MANIFEST, LOCK)]
        self.drop([*names, MANIFEST, LOCK])
        self.path.rmdir()


@contextmanager
def temporary_directory(about: Mapping[str, Any]) -> Iterator[WorkDirectory]:
    """Make a working directory for as long as a computation takes.

    Its files live on while they are mapped. Directories that killed runs left behind are removed.

    Raises:
        OSError: it cannot be made.
    """
    remove_dead_directories(Path(gettempdir()))
    path = Path(mkdtemp(prefix=TEMPORARY))
    try:
        with WorkDirectory(path, about, durable=False) as work:
            yield work
    finally:
        rmtree(path, ignore_errors=True)


def remove_dead_directories(folder: Path) -> None:
    """Remove this user's temporary working directories whose runs have ended.

    A living run takes its lock before it writes anything else. So empty directories are kept, and
    those whose lock is taken.
    """
    for path in folder.glob(f"{TEMPORARY}*"):
        try:
            owner = path.lstat().st_uid
            if owner != os.getuid() or path.is_symlink() or {*os.listdir(path)} <= {LOCK}:
                continue
            with _locked(path / LOCK, surely=True):
                rmtree(path, ignore_errors=True)
        except (InputError, OSError):
            continue


def _locked(path: Path, surely: bool = False) -> BinaryIO:
    """Open a file that no other run has, for as long as it is open.

    On a file system without locks the file is opened without a lock, unless `surely`.

    Raises:
        InputError: another run has it.
        OSError: it cannot be opened.
    """
    file = path.open("ab")
    locked = try_lock(file.fileno())
    # The run that had it may have removed it in between.
    taken = os.fstat(file.fileno()).st_nlink == 0 if locked else surely or locked is False
    if taken:
        file.close()
        raise InputError(f"{path.parent} is in use by another run")
    return file
