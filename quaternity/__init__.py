"""Games of collected sets whose hands are unknown: Quaternity, Kwartet, Quarto and SET.

The game of Quaternity itself is here: `Settings`, `State`, `Game`, questions and answers, records
and state files. The mathematics is in the package `solvers`; the sister games are in
`quaternity.kwartet`, `quaternity.quarto` and `quaternity.ternary`.
"""

from quaternity.cards import Card
from quaternity.errors import InputError, LimitError, QuaternityError
from quaternity.explanation import Explanation, explain
from quaternity.faults import IllegalAnswer, IllegalMove, IllegalQuestion
from quaternity.game import Game
from quaternity.legal import LegalQuestions
from quaternity.perft import perft
from quaternity.question import Answer, Move, Question
from quaternity.record import parse_record, read_record, record_text
from quaternity.settings import Settings, TieBreak
from quaternity.state import State
from quaternity.state_file import parse_state, read_state, state_text

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
    "perft",
    "read_record",
    "read_state",
    "record_text",
    "state_text",
]
