"""Many keys as one array that sorts as they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.perfect.keys.coding import Coding, Key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

Keys = Any
"""A one-dimensional array of keys that sorts as they do: uint64, or bytes when they are longer."""


def key_array(code: Coding, keys: Iterable[Key]) -> Keys:
    """Keys as an array."""
    words = np.frombuffer(b"".join(keys), ">u8").reshape(-1, code.words)
    return from_words(words.astype(np.uint64))


def key_bytes(keys: Keys) -> list[Key]:
    """An array of keys as a list."""
    data = keys.astype(">u8").tobytes() if keys.dtype.kind == "u" else keys.tobytes()
    size = keys.dtype.itemsize
    return [data[start : start + size] for start in range(0, len(data), size)]


def key_dtype(code: Coding) -> Any:
    """The type of an array of keys."""
    return np.dtype(np.uint64 if code.words == 1 else f"S{8 * code.words}")


def from_words(words: NDArray[Any]) -> Keys:
    """Keys from their words, [key, word]."""
    if words.shape[1] == 1:
        return np.ascontiguousarray(words[:, 0])
    return words.astype(">u8").view(f"S{8 * words.shape[1]}")[:, 0]


def to_words(keys: Keys) -> NDArray[Any]:
    """The words of keys, [key, word]."""
    if keys.dtype.kind == "u":
        return np.asarray(keys).reshape(-1, 1)
    return np.asarray(np.ascontiguousarray(keys).view(">u8").reshape(len(keys), -1), np.uint64)


def found_at(known: Keys, keys: Keys) -> NDArray[Any]:
    """Where keys are, or would be, in an ascending array."""
    return np.asarray(np.searchsorted(known, keys))


def among(known: Keys, keys: Keys) -> NDArray[Any]:
    """Which keys are in an ascending array."""
    if not len(known):
        return np.zeros(len(keys), bool)
    place = found_at(known, keys)
    place[place == len(known)] = 0
    return np.asarray(known[place] == keys)


def distinct(keys: Keys) -> Keys:
    """The different ones of some keys, ascending. Sorts its argument."""
    keys.sort()
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


__all__ = [
    "Keys",
    "among",
    "distinct",
    "found_at",
    "from_words",
    "key_array",
    "key_bytes",
    "key_dtype",
    "to_words",
]
