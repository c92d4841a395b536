"""Comparison of names, and splitting of a list of names such as `ann, bob`."""

import re
from enum import Enum
from unicodedata import normalize

_APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u02bc\uff07"), "'")

_NAME = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^,])*""", re.DOTALL)


def code_name(member: Enum) -> str:
    """Return a member of an enumeration as a Python expression, such as `Answer.YES`."""
    return f"{type(member).__name__}.{member.name}"


def to_nfc(name: str) -> str:
    """Return a name in Unicode's normal form NFC, in which an accented letter is one character."""
    return normalize("NFC", name)


def name_key(name: str) -> str:
    """Return a key for comparing names without regard to case, blanks and encoding.

    Names in different Unicode normal forms, or with straight and curly apostrophes, have the same
    key.

    >>> name_key("L’E\u0301te\u0301") == name_key("l'\u00e9t\u00e9")
    True
    """
    plain = " ".join(name.split()).translate(_APOSTROPHES)
    return to_nfc(normalize("NFD", plain).casefold())


def split_names(text: str) -> list[str]:
    """Split a text into names at the commas that are not inside quotes.

    >>> split_names("you, cmd:./mine 'a,b',search:200")
    ['you', "cmd:./mine 'a,b'", 'search:200']
    """
    names, start = [], 0
    while start <= len(text):
        name = _NAME.match(text, start)
        assert name is not None, "the pattern must match any text, at least an empty name"
        names.append(name.group().strip())
        start = name.end() + 1
    return names
