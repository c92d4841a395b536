"""Files of NumPy arrays that may be larger than memory: written in pieces, memory-mapped when read.

A file begins with the data of its named arrays. A line of JSON with their names, types, shapes and
offsets follows. The file ends with the length of that line and a checksum. The checksum covers all
of this, the name of the file, and a description of the computation that wrote it. So a file that
was truncated, changed, or copied from another computation is rejected. A file gets its final name
only when it is completely on the disk.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from struct import Struct
from tempfile import gettempdir, mkdtemp
from typing import TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

import numpy as np

from quaternity.base.errors import InputError
from quaternity.base.writing import sync_directory, try_lock, write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType

    from numpy.typing import NDArray

MANIFEST = "about.json"
"""Name of the file in a working directory that describes the computation. It is written first and
removed last."""

LOCK = "lock"
"""Name of the file that a run locks while it uses a directory. The lock ends with the process."""

PART_SUFFIX = ".part"
"""Suffix of the names of incomplete files."""

TEMPORARY_PREFIX = "quaternity-solve-"
"""Prefix of the names of temporary working directories."""

ALIGNMENT = 64
"""Alignment of the arrays in a file, in bytes."""

READ_BYTES = 1 << 20
"""Number of bytes read at a time to compute a checksum."""

_END = Struct(">Q8sI")
"""Format of the end of a file: the length of the line of JSON, the name of the format, and a
checksum of everything else."""

_LENGTH = Struct(">Q")

_MARK = b"arrays/1"


class ArrayWriter:
    """Writer of a file of NumPy arrays, which has a temporary name until it is complete."""

    def __init__(self, path: Path, seed: int, durable: bool, whole: set[str]) -> None:
        """Create the file with a temporary name.

        Args:
            path: Name of the complete file.
            seed: Initial value of the checksum.
            durable: Whether the complete file must survive a power failure.
            whole: Names of complete files. The name of this file is added when it is complete.
        """
        self._path, self._durable, self._whole = path, durable, whole
        self._part = path.with_name(path.name + PART_SUFFIX)
        self._file = self._part.open("wb")
        self._checksum, self._place = seed, 0
        self._arrays: dict[str, tuple[str, list[int], int]] = {}

    def add(self, array: NDArray[Any], name: str = "") -> None:
        """Append an array to the file, or a further piece of the array that was added last."""
        entry = self._arrays.get(name)
        if entry is None:
            self._write(b"\0" * (-self._place % ALIGNMENT))
            self._arrays[name] = (array.dtype.str, list(array.shape), self._place)
        else:
            assert name == next(reversed(self._arrays)), "array pieces must be consecutive"
            assert array.dtype.str == entry[0], "array pieces must have the same type"
            entry[1][0] += len(array)
        self._write(np.ascontiguousarray(array).data.cast("B") if array.size else b"")

    def _write(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._checksum = crc32(data, self._checksum)
        self._place += len(data)

    @property
    def length(self) -> int:
        """The length of the array written so far. The file must not contain other arrays."""
        return sum(shape[0] for _, shape, _ in self._arrays.values())

    def __enter__(self) -> ArrayWriter:
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
    """Working directory of a long computation, which can resume after an interruption.

    This is a context manager: while it is active, no other run can use the directory. Incomplete
    files of a killed run are removed when the next run begins.

    Raises:
        InputError: If the directory belongs to another computation, cannot be used, or is in use.
    """

    def __init__(self, path: Path, about: Mapping[str, Any], durable: bool = True) -> None:
        """Open or create the directory of the computation that `about` describes.

        If `durable` is False, the files may be lost if the machine crashes.
        """
        self.path, self._durable = path, durable
        self._seed = crc32(json.dumps(dict(about), sort_keys=True).encode())
        self._verified: set[str] = set()
        manifest = path / MANIFEST
        try:
            path.mkdir(exist_ok=True)
            # A run that was killed while it wrote the manifest leaves such files.
            beginnings = [*path.glob(f".{MANIFEST}.*{PART_SUFFIX}")]
            if not manifest.exists() and {*path.iterdir()} - {path / LOCK, *beginnings}:
                raise InputError(f"{path} is not empty and was not created by this program")
            self._lock = _open_locked(path / LOCK)
            try:
                self.delete(beginning.name for beginning in beginnings)
                self._claim(manifest, dict(about))
                self.delete(part.name for part in path.glob(f"*{PART_SUFFIX}"))
            except BaseException:
                self._lock.close()
                raise
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{path} cannot be used: {reason}") from error

    def _claim(self, manifest: Path, about: dict[str, Any]) -> None:
        # Raise an InputError if a different manifest exists.
        if not manifest.exists():
            write_text(manifest, json.dumps(about))
            return
        existing = json.loads(manifest.read_text())
        if existing != about:
            raise InputError(
                f"{self.path} contains the files of another computation, {existing}; "
                f"remove it to start again"
            )

    def __enter__(self) -> WorkDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def has(self, name: str) -> bool:
        """Return whether there is a file with this name."""
        return (self.path / name).exists()

    def pieces(self, name: str) -> ArrayWriter:
        """Return a writer for a file that is written in pieces."""
        return ArrayWriter(self.path / name, self._seed_of(name), self._durable, self._verified)

    def save(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write arrays to a file, completely or not at all."""
        with self.pieces(name) as pieces:
            for key, array in arrays.items():
                pieces.add(array, key)

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file by name, mapped from disk. Data is read only when it is used.

        When a file of an earlier run is first used, all of it is read to verify its checksum.

        Raises:
            InputError: If the file is damaged, belongs to another computation, or is missing.
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
        raise InputError(f"{path}: {fault}; remove {self.path} to start again")

    def array(self, name: str) -> NDArray[Any]:
        """Return the only array in a file, mapped from disk as by the method `arrays`."""
        [array] = self.arrays(name).values()
        return array

    def _seed_of(self, name: str) -> int:
        return crc32(name.encode(), self._seed)

    def _table(self, file: BinaryIO, name: str) -> dict[str, Any]:
        """Read the types, shapes and offsets of arrays. Raise `ValueError` if the file is bad."""
        size = os.fstat(file.fileno()).st_size - _END.size
        if size < 0:
            raise ValueError("it was truncated")
        file.seek(size)
        length, mark, checksum = _END.unpack(file.read())
        if mark != _MARK or length > size:
            raise ValueError("it does not end like a complete file")
        if name not in self._verified:
            file.seek(0)
            computed, remaining = self._seed_of(name), size
            while remaining and (data := file.read(min(READ_BYTES, remaining))):
                computed = crc32(data, computed)
                remaining -= len(data)
            if crc32(_LENGTH.pack(length), computed) != checksum:
                raise ValueError("its checksum does not match its content")
            self._verified.add(name)
        file.seek(size - length)
        table: dict[str, Any] = json.loads(file.read(length))
        return table

    def delete(self, names: Iterable[str]) -> None:
        """Remove files that are no longer needed."""
        if self._durable:
            sync_directory(self.path)  # The files that replace these files must survive a crash.
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the directory and all its contents.

        The manifest and the lock file are removed last, so that another run can still recognize
        the directory if the removal is interrupted.
        """
        with os.scandir(self.path) as entries:
            names = [entry.name for entry in entries if entry.name not in (MANIFEST, LOCK)]
        self.delete([*names, MANIFEST, LOCK])
        self.path.rmdir()


@contextmanager
def temporary_directory(about: Mapping[str, Any]) -> Iterator[WorkDirectory]:
    """Create a working directory, yield it, and remove it after the computation.

    The files stay readable while they are mapped. Directories left behind by killed runs are
    removed.

    Raises:
        OSError: If the directory cannot be created.
    """
    remove_dead_directories(Path(gettempdir()))
    path = Path(mkdtemp(prefix=TEMPORARY_PREFIX))
    try:
        with WorkDirectory(path, about, durable=False) as work:
            yield work
    finally:
        rmtree(path, ignore_errors=True)


def remove_dead_directories(folder: Path) -> None:
    """Remove this user's temporary working directories whose runs have ended."""
    # An active run takes its lock before it writes anything else. So a directory is kept if it
    # contains at most the lock file, or if its lock is taken.
    for path in folder.glob(f"{TEMPORARY_PREFIX}*"):
        try:
            owner = path.lstat().st_uid
            if owner != os.getuid() or path.is_symlink() or {*os.listdir(path)} <= {LOCK}:
                continue
            with _open_locked(path / LOCK, surely=True):
                rmtree(path, ignore_errors=True)
        except (InputError, OSError):
            continue


def _open_locked(path: Path, surely: bool = False) -> BinaryIO:
    """Open a lock file and keep it locked until it is closed.

    On a file system without locks, the file is opened without a lock, unless `surely` is True.

    Raises:
        InputError: If another run has locked it.
        OSError: If it cannot be opened.
    """
    file = path.open("ab")
    locked = try_lock(file.fileno())
    # The run that had locked the file may have removed it in the meantime.
    taken = os.fstat(file.fileno()).st_nlink == 0 if locked else surely or locked is False
    if taken:
        file.close()
        raise InputError(f"{path.parent} is in use by another run")
    return file
