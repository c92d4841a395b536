"""Conversion of reviews and puzzles to JSON, so that they can be stored with a table.

Only messages, the types of JSON and the classes in `CLASSES` can be converted. Unlike the module
`pickle`, this module never runs code from the stored data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from typing import Any

from quaternity.base.sentences import Message, MessageTemplate
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.puzzles.puzzle import Puzzle, Step
from quaternity.quarto.solving import QuartoMove
from quaternity.review.chances import Point
from quaternity.review.judge import MoveValue
from quaternity.review.reviewing import Moment, Review, ReviewedMove
from quaternity.ternary.rules import SetMove
from quaternity.ternary.sentences import DescribedCards

_CLASSES = (
    *(Answer, Card, DescribedCards, MessageTemplate, Moment, MoveValue, Point, Puzzle, Question),
    *(QuartoMove, Review, ReviewedMove, SetMove, Step),
)
CLASSES: dict[str, Any] = {kind.__name__: kind for kind in _CLASSES}
"""Classes of the objects that reviews and puzzles contain, by the name of the class."""


def dump_value(value: Review | Puzzle | None) -> bytes:
    """Convert a review, a puzzle or None to JSON in UTF-8.

    Raises:
        TypeError: If a part of the value has a class that cannot be converted.
    """
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":")).encode()


def load_value(data: bytes) -> Any:
    """Convert JSON from `dump_value` back to a review, a puzzle or None. Lists become tuples.

    Any exception may be raised if the data is damaged.
    """
    return _value(json.loads(data))


def _plain(value: Any) -> Any:
    """Convert a value to the types of JSON. An object becomes a dictionary with one entry.

    The key of the entry is the name of the object's class, and its value is a list of the parts.
    """
    kind = type(value)
    if kind is Message:
        return {"Message": [_plain(value.kind), _plain(value.data)]}
    if CLASSES.get(kind.__name__) is kind:
        if isinstance(value, Enum):
            return {kind.__name__: [value.value]}
        parts = (
            value if isinstance(value, tuple) else [getattr(value, f.name) for f in fields(kind)]
        )
        return {kind.__name__: [_plain(part) for part in parts]}
    if kind in (tuple, list):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {"": [[_plain(name), _plain(part)] for name, part in value.items()]}
    if value is None or kind in (bool, int, float, str):
        return value
    raise TypeError(f"a value of the class {kind.__name__} cannot be stored")


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple([_value(part) for part in plain])
    if not isinstance(plain, dict):
        return plain
    ((name, parts),) = plain.items()
    parts = [_value(part) for part in parts]
    if name in ("", "Message"):
        return Message(*parts) if name else dict(parts)
    kind = CLASSES[name]
    return kind(parts) if kind is DescribedCards else kind(*parts)
