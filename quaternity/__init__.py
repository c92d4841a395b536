"""The games Quaternity, Kwartet, Quarto and SET: rules, players, analysis and servers.

This package exports the game of Quaternity: `Settings`, `State`, `Game`, questions, answers,
records and state files. The other games are in `quaternity.kwartet`, `quaternity.quarto` and
`quaternity.ternary`. The package `solvers` solves the mathematical problems behind the card games.
"""

from __future__ import annotations

from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from warnings import warn

__version__ = "0.1.0"


def _check_solvers() -> None:
    """Raise ImportError if another module hides the package `solvers`."""
    try:
        spec = find_spec("solvers")
    except ValueError:  # `sys.modules` has a `solvers` without a spec.
        hiding = "a module with the name solvers in sys.modules"
    else:
        places = None if spec is None else spec.submodule_search_locations
        if spec is None or (places and PathFinder.find_spec("solvers.coalition_tables", places)):
            return  # If the package is missing, a later import raises a clear error.
        hiding = spec.origin or ", ".join(places or ())
    raise ImportError(
        f"{hiding} hides the package solvers, which quaternity needs: rename that module, or "
        "start Python in another folder",
        name=__name__,
    )


_check_solvers()

if TYPE_CHECKING:
    from quaternity.errors import IllegalMove as IllegalMove
    from quaternity.errors import InputError as InputError
    from quaternity.errors import LimitError as LimitError
    from quaternity.errors import QuaternityError as QuaternityError
    from quaternity.game.cards import Card as Card
    from quaternity.game.faults import IllegalAnswer as IllegalAnswer
    from quaternity.game.faults import IllegalQuestion as IllegalQuestion
    from quaternity.game.game import Game as Game
    from quaternity.game.legal import QuestionGroup as QuestionGroup
    from quaternity.game.question import Answer as Answer
    from quaternity.game.question import Move as Move
    from quaternity.game.question import Question as Question
    from quaternity.game.record import parse_record as parse_record
    from quaternity.game.record import read_record as read_record
    from quaternity.game.record import record_text as record_text
    from quaternity.game.settings import Settings as Settings
    from quaternity.game.settings import TieBreak as TieBreak
    from quaternity.game.state import LegalQuestions as LegalQuestions
    from quaternity.game.state import State as State
    from quaternity.game.state_file import parse_state as parse_state
    from quaternity.game.state_file import read_state as read_state
    from quaternity.game.state_file import state_text as state_text
    from quaternity.insight.analysis import Analysis as Analysis
    from quaternity.insight.analysis import Prospect as Prospect
    from quaternity.insight.analysis import analyse as analyse
    from quaternity.insight.analysis import prospects as prospects
    from quaternity.insight.explanation import Explanation as Explanation
    from quaternity.insight.explanation import explain as explain

_HOMES = {
    "quaternity.game.cards": "Card",
    "quaternity.errors": "IllegalMove InputError LimitError QuaternityError",
    "quaternity.insight.analysis": "Analysis Prospect analyse prospects",
    "quaternity.insight.explanation": "Explanation explain",
    "quaternity.game.faults": "IllegalAnswer IllegalQuestion",
    "quaternity.game.game": "Game",
    "quaternity.game.legal": "QuestionGroup",
    "quaternity.game.question": "Answer Move Question",
    "quaternity.game.record": "record_text",
    "quaternity.game.settings": "Settings TieBreak",
    "quaternity.game.state": "LegalQuestions State",
    "quaternity.game.state_file": "state_text",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = list(_HOME)
_OLD = {
    "parse_record": ("quaternity.game.record", "Game.parse"),
    "read_record": ("quaternity.game.record", "Game.read"),
    "parse_state": ("quaternity.game.state_file", "State.parse"),
    "read_state": ("quaternity.game.state_file", "State.read"),
}
"""Deprecated names of this package, each with its module and the method that replaces it."""


# This package does not use `lazy_names`: importing a submodule while the package itself is being
# imported could deadlock with a thread that imports the submodule first.
if not TYPE_CHECKING:  # Hide `__getattr__` from type checkers, so that they report undefined names.

    def __getattr__(name: str) -> Any:
        if name in _OLD:
            home, new = _OLD[name]
            text = f"quaternity.{name} is deprecated: use quaternity.{new}"
            warn(text, DeprecationWarning, stacklevel=2)
            return getattr(import_module(home), name)
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*_HOME, *(name for name in globals() if name.startswith("__"))})
