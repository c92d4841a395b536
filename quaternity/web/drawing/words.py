"""Names of seats, and what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quaternity.base.sentences import facts
from quaternity.game.question import Question
from quaternity.game.sentences import question_sentence

if TYPE_CHECKING:
    from quaternity.web.sight import SeatSight, Sight


def plain_names(seats: Sequence[SeatSight]) -> list[str]:
    """Return a name per seat, for places where its number stands beside it."""
    return [one.name or f"Seat {number}" for number, one in enumerate(seats)]


def seat_names(seats: Sequence[SeatSight]) -> list[str]:
    """Return a name per seat; equal ones are told apart by the number of the seat."""
    names = plain_names(seats)
    numbered = [f"{name} ({number})" for number, name in enumerate(names)]
    apart = [
        more if names.count(name) > 1 else name for name, more in zip(names, numbered, strict=True)
    ]
    return apart if len(set(apart)) == len(apart) else numbered


def last_asked(sight: Sight) -> tuple[int, int, int] | None:
    """Whom the last question was to, and for which card: (player, set, number)."""
    about = facts(sight.moves[-1].events[0]) if sight.moves else {}
    return (about["asked"], *about["card"]) if "asked" in about else None


def move_text(move: Any, text: str) -> str:
    """Return a move as it is written; a question as a sentence, which names can be put in."""
    return question_sentence(move) if isinstance(move, Question) else text
