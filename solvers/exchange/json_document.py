"""Strict reading of JSON documents from untrusted sources, with a list of all faults.

Each fault starts with its path in the document: `owners[1][3]: player 7 is out of range 0..2`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import MAX_NUMBER
from solvers.problem import mask_of

MAX_SHOWN_FAULTS = 20
"""Maximum number of faults in an error message. `MalformedDocument.faults` lists all faults."""


class MalformedDocument(InputError):
    """Error for a document that is not valid. `faults` lists all faults, with their paths."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = list(faults)
        first = self.faults[:MAX_SHOWN_FAULTS]
        if len(first) < len(self.faults):
            first.append(f"and {len(self.faults) - len(first)} more faults")
        super().__init__("; ".join(first))


def kind_of(value: object) -> str:
    """Return the name of the type of a JSON value, such as "a list", for a message."""
    if value is None:
        return "null"
    names = {bool: "true or false", dict: "an object", list: "a list", str: "a text"}
    return names.get(type(value), "a number")


def quote_json(value: object) -> str:
    """Return a JSON value as text for a message, at most 40 characters long."""
    text = json.dumps(value) if not isinstance(value, list | dict) else kind_of(value)
    return text if len(text) <= 40 else text[:37] + "..."


class DocumentReader:
    """Base class of the readers of JSON documents. A reader collects all faults of a document.

    In its methods, `place` is the path of a value in the document, such as "sets[0].high".

    Attributes:
        NOUN: the kind of document, for messages, such as "a deal problem".
        FORMAT: the required value of the field "format".
        REQUIRED, OPTIONAL: the names of the required and of the optional fields.
        ERROR: the class of the error that is raised if there are faults.
        document: the JSON object.
        players: the number of players, which is 0 until it is known.
        warnings: messages about unknown fields.
        faults: messages about the faults found so far.
    """

    NOUN: ClassVar[str]
    FORMAT: ClassVar[str]
    REQUIRED: ClassVar[tuple[str, ...]]
    OPTIONAL: ClassVar[tuple[str, ...]] = ()
    ERROR: ClassVar[type[MalformedDocument]] = MalformedDocument

    def __init__(self, text: str) -> None:
        self.document = self._object(text)
        self.players = 0
        field_names = self.REQUIRED + self.OPTIONAL
        self.warnings = [f"{quote_value(name, str)}: unknown field, ignored" for name in
            self.document
                         if name not in field_names]  # fmt: skip
        self.faults = [f"{name}: missing" for name in self.REQUIRED if name not in self.document]
        if self.document.get("format", self.FORMAT) != self.FORMAT:
            self.faults.append(
                f'format: must be "{self.FORMAT}", not {quote_json(self.document["format"])}'
            )

    def _object(self, text: str) -> dict[str, Any]:
        def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            fields = dict(pairs)
            if len(fields) < len(pairs):
                times = Counter(name for name, _ in pairs)
                repeated = [name for name, number in times.items() if number > 1]
                raise self.ERROR(
                    [f"{quote_value(name, str)} is given more than once" for name in repeated]
                )
            return fields

        def constant(name: str) -> Any:
            raise self.ERROR([f"{name} is not allowed in {self.NOUN}"])

        try:
            document = json.loads(text, object_pairs_hook=unique, parse_constant=constant)
        except json.JSONDecodeError as error:
            place = f"line {error.lineno} column {error.colno}"
            raise self.ERROR([f"not valid JSON: {error.msg} at {place}"]) from None
        except RecursionError:
            raise self.ERROR(["the document is nested too deeply"]) from None
        except InputError:
            raise
        except ValueError:
            raise self.ERROR(["a number has too many digits"]) from None
        if not isinstance(document, dict):
            raise self.ERROR([f"{self.NOUN} must be a JSON object, not {kind_of(document)}"])
        return document

    def check(self) -> None:
        """Raise `ERROR`, which lists all faults, if the document has faults."""
        if self.faults:
            raise self.ERROR(self.faults)

    def list_of(self, value: object, place: str, length: int | None = None) -> list[Any]:
        """Return the value as a list. Report a fault if it is not a list of the given length."""
        if not isinstance(value, list):
            self.faults.append(f"{place}: expected a list, not {kind_of(value)}")
            return []
        if length is not None and len(value) != length:
            if place in self.document or "[" in place:
                self.faults.append(f"{place}: must have length {length}, not {len(value)}")
            return value[:length]
        return value

    def number(self, value: object, place: str) -> int:
        """Return a whole number from 0 to `MAX_NUMBER`. For other values, report a fault."""
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            self.faults.append(f"{place}: must be a whole number >= 0, not {quote_json(value)}")
            return 0
        if value > MAX_NUMBER:
            self.faults.append(
                f"{place}: {quote_json(value)} is above the limit of {MAX_NUMBER:.0e}"
            )
            return 0
        return value

    def player(self, value: object, place: str, *, absent: bool = False) -> int | None:
        """Return the number of a player. For any other value, report a fault and return None.

        If `absent` is true, the value null is not a fault, and the result is None.
        """
        if value is None and absent:
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            self.faults.append(f"{place}: {quote_json(value)} is not the number of a player")
            return None
        if not 0 <= value < self.players:
            self.faults.append(
                f"{place}: player {quote_json(value)} is out of range 0..{self.players - 1}"
            )
            return None
        return value

    def owner_mask(self, value: object, place: str) -> int:
        """Convert a JSON list of players to a bit mask. For other values, report a fault."""
        if not isinstance(value, list):
            self.faults.append(f"{place}: expected a list of players, not {kind_of(value)}")
            return 0
        players = [self.player(entry, place) for entry in value]
        return mask_of(player for player in players if player is not None)
