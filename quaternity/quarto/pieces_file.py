"""Strict parser of the text file that describes the sixteen pieces of Quarto.

The file has a header `piece,FEATURE,FEATURE,FEATURE,FEATURE`. Each piece then has a line
`NAME,PROPERTY,PROPERTY,PROPERTY,PROPERTY`. The encoding is UTF-8 with or without a byte order mark,
and lines end with LF or CRLF. Blank lines at the end and spaces around a field are ignored. Any
other deviation raises an error that names the line. Spellings of a property or feature that differ
only in case or Unicode form are equal, and the result contains the first spelling.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path

from quaternity.base.errors import InputError
from quaternity.base.names import name_key, to_nfc
from quaternity.base.reading import read_bytes
from quaternity.base.text_format import join_words, quote_short
from quaternity.quarto.pieces import FEATURES, PIECES

MAX_BYTES = 64 * 2**10
"""Maximum size of a file of pieces, in bytes (64 KiB). The example file has 400 bytes."""


class PiecesFileError(InputError):
    """Error for a file of pieces that is malformed or cannot be read.

    `line` is the number of the faulty line, counted from 1. It is None if no line is at fault.
    """

    def __init__(self, source: str, fault: str, line: int | None = None) -> None:
        place = source if line is None else f"{source}: line {line}"
        super().__init__(f"{place}: {fault}")
        self.source = source
        self.line = line


def example_pieces() -> str:
    """Return the path of the file of pieces that comes with this package."""
    return str(Path(__file__).with_name("pieces.txt"))


def read_pieces(location: str | PathLike[str]) -> dict[str, dict[str, set[str]]]:
    """Read a file of pieces. The path `-` means standard input.

    The result is a nested dictionary: `result[feature][property]` is the set of the names of the
    pieces that have the property. Features are in the order of the header, and the two properties
    of a feature are in the order of their first use.

    Raises:
        PiecesFileError: If the file cannot be read, or if it is not a valid file of pieces.

    >>> pieces = read_pieces(example_pieces())
    >>> sorted(pieces['size']['big'])
    ['A', 'C', 'E', 'G', 'I', 'K', 'M', 'O']
    """
    if not isinstance(location, str | PathLike):
        raise PiecesFileError(repr(location), "expected the path of a file")
    source = str(fspath(location))
    try:
        data = read_bytes(source)
    except InputError as error:
        # The message of `read_bytes` begins with the file name.
        raise PiecesFileError(source, str(error).removeprefix(f"{source}: ")) from error
    if len(data) > MAX_BYTES:
        fault = f"the file is larger than the limit of {MAX_BYTES} bytes"
        raise PiecesFileError(source, fault)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        fault = f"the text is not UTF-8 (byte {error.object[error.start]:#04x})"
        raise PiecesFileError(source, fault, line) from None
    return parse_pieces(text, source)


@dataclass(frozen=True, slots=True)
class _Line:
    source: str
    number: int
    fields: tuple[str, ...]

    def fault(self, fault: str) -> PiecesFileError:
        return PiecesFileError(self.source, fault, self.number)


def parse_pieces(text: str, source: str = "pieces") -> dict[str, dict[str, set[str]]]:
    """Parse the text of a file of pieces. `source` is the name of the file in error messages."""
    if not isinstance(text, str):
        raise PiecesFileError(source, f"{text!r} is not a string")
    header, *lines = [
        _Line(source, number, tuple(field.strip() for field in line.split(",")))
        for number, line in enumerate(to_nfc(text).rstrip().split("\n"), start=1)
    ]
    header, lines = _unify_spellings([header])[0], _unify_spellings(lines)
    _check_header(header)
    for line in lines:
        _check_fields(line)
    if len(lines) != PIECES:
        # Report the first superfluous line, or the last line if there are too few.
        at_fault = [header, *lines][: PIECES + 2][-1]
        raise at_fault.fault(f"expected {PIECES} pieces, not {len(lines)}")
    _check_names(lines)
    features = header.fields[1:]
    _check_one_feature_each(features, lines)
    pieces = {
        feature: _pieces_by_property(header, feature, place, lines)
        for place, feature in enumerate(features, start=1)
    }
    _check_different(lines)
    return pieces


def _unify_spellings(lines: list[_Line]) -> list[_Line]:
    first = dict[str, str]()
    words = [[first.setdefault(name_key(x), x) for x in line.fields[1:]] for line in lines]
    return [replace(x, fields=(*x.fields[:1], *y)) for x, y in zip(lines, words, strict=True)]


def _check_header(header: _Line) -> None:
    first, *features = header.fields
    if header.fields == ("",):
        raise header.fault(f"expected a header: 'piece', and the names of {FEATURES} features")
    if first != "piece":
        raise header.fault(f"the header must begin with 'piece', not with {quote_short(first)}")
    _check_fields(header)
    for feature in features:
        if features.count(feature) > 1:
            raise header.fault(f"feature {quote_short(feature)} is named twice")


def _check_fields(line: _Line) -> None:
    if line.fields == ("",):
        raise line.fault("blank lines between pieces are not allowed")
    if len(line.fields) != 1 + FEATURES:
        raise line.fault(f"expected {1 + FEATURES} fields, not {len(line.fields)}")
    for place, field in enumerate(line.fields, start=1):
        if not field:
            raise line.fault(f"field {place} is empty")
        if not field.isprintable():
            raise line.fault(f"field {place} has an unprintable character: {quote_short(field)}")


def _check_names(lines: list[_Line]) -> None:
    line_of: dict[str, int] = {}
    for line in lines:
        name = line.fields[0]
        if len(name) != 1:
            raise line.fault(f"the name of a piece must be one character, not {quote_short(name)}")
        earlier = line_of.setdefault(name, line.number)
        if earlier != line.number:
            raise line.fault(f"the name {quote_short(name)} is already used on line {earlier}")


def _check_one_feature_each(features: tuple[str, ...], lines: list[_Line]) -> None:
    first_use: dict[str, tuple[str, int]] = {}
    for line in lines:
        for feature, word in zip(features, line.fields[1:], strict=True):
            other, number = first_use.setdefault(word, (feature, line.number))
            if other != feature:
                raise line.fault(
                    f"property {quote_short(word)} of feature {quote_short(feature)} already "
                    f"belongs to feature {quote_short(other)}, on line {number}"
                )


def _pieces_by_property(
    header: _Line, feature: str, place: int, lines: list[_Line]
) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for line in lines:
        word = line.fields[place]
        if word not in names and len(names) == 2:
            known = join_words([quote_short(property_) for property_ in names])
            raise line.fault(
                f"{quote_short(word)} is a third property of feature {quote_short(feature)}, "
                f"besides {known}"
            )
        names.setdefault(word, set()).add(line.fields[0])
    if len(names) == 1:
        word = lines[0].fields[place]
        raise header.fault(
            f"feature {quote_short(feature)} must have two properties, not only {quote_short(word)}"
        )
    return names


def _check_different(lines: list[_Line]) -> None:
    line_of: dict[tuple[str, ...], int] = {}
    for line in lines:
        properties = line.fields[1:]
        earlier = line_of.setdefault(properties, line.number)
        if earlier != line.number:
            words = ", ".join(properties)
            raise line.fault(
                f"this piece has the same properties as line {earlier}: {quote_short(words)}"
            )
