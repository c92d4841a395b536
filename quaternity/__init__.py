"""Games of collected sets whose hands are unknown: Quaternity, Kwartet, Quarto and SET.

The game of Quaternity itself is here: `Settings`, `State`, `Game`, questions and answers, records
and state files. The mathematics is in the package `solvers`; the sister games are in
`quaternity.kwartet`, `quaternity.quarto` and `quaternity.ternary`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quaternity.cards import Card as Card
    from quaternity.errors import InputError as InputError
    from quaternity.errors import LimitError as LimitError
    from quaternity.errors import QuaternityError as QuaternityError
    from quaternity.explanation import Explanation as Explanation
    from quaternity.explanation import explain as explain
    from quaternity.faults import IllegalAnswer as IllegalAnswer
    from quaternity.faults import IllegalMove as IllegalMove
    from quaternity.faults import IllegalQuestion as IllegalQuestion
    from quaternity.game import Game as Game
    from quaternity.legal import LegalQuestions as LegalQuestions
    from quaternity.question import Answer as Answer
    from quaternity.question import Move as Move
    from quaternity.question import Question as Question
    from quaternity.record import parse_record as parse_record
    from quaternity.record import read_record as read_record
    from quaternity.record import record_text as record_text
    from quaternity.settings import Settings as Settings
    from quaternity.settings import TieBreak as TieBreak
    from quaternity.state import State as State
    from quaternity.state_file import parse_state as parse_state
    from quaternity.state_file import read_state as read_state
    from quaternity.state_file import state_text as state_text

# Where each public name lives; loaded when first used, so that a command loads only what it needs.
_HOMES = {
    "quaternity.cards": ("Card",),
    "quaternity.errors": ("InputError", "LimitError", "QuaternityError"),
    "quaternity.explanation": ("Explanation", "explain"),
    "quaternity.faults": ("IllegalAnswer", "IllegalMove", "IllegalQuestion"),
    "quaternity.game": ("Game",),
    "quaternity.legal": ("LegalQuestions",),
    "quaternity.question": ("Answer", "Move", "Question"),
    "quaternity.record": ("parse_record", "read_record", "record_text"),
    "quaternity.settings": ("Settings", "TieBreak"),
    "quaternity.state": ("State",),
    "quaternity.state_file": ("parse_state", "read_state", "state_text"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


__all__ = [
    "Answer",
    "Card",
    "Explanation",
    "Game",
    "IllegalAnswer",
    "IllegalMove",
    "IllegalQuestion",
    "InputError",
    "LegalQuestions",
    "LimitError",
    "Move",
    "QuaternityError",
    "Question",
    "Settings",
    "State",
    "TieBreak",
    "explain",
    "parse_record",
    "parse_state",
    "read_record",
    "read_state",
    "record_text",
    "state_text",
]
