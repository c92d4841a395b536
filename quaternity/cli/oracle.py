"""What a tablebase says about a position, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from solvers.wording import counted, listed, named

if TYPE_CHECKING:
    from quaternity.play.standing import Standing
    from quaternity.play.tablebase import Tablebase
    from quaternity.state import State

MOST_QUESTIONS = 8
"""Most questions that are listed."""


def standing_text(standing: Standing) -> str:
    """Who can force, win and prevent what, in one line."""
    if standing.can_force:
        player = standing.can_force[0]
        moves = standing.forced_length[player]
        return f"player {player} wins by force in {counted(moves or 0, 'move')}"
    if not standing.can_win:
        return "nobody can win any more"
    parts = [f"{named('player', standing.can_win)} can still win, nobody by force"]
    for player, others in enumerate(standing.can_prevent):
        if others:
            parts.append(f"{player} can prevent {listed(others)}")
    return "; ".join(parts)


def oracle_lines(tablebase: Tablebase, state: State) -> Iterator[str]:
    """The standing of a position, and its questions from the best on with what answers give away.

    Raises:
        InputError: the tablebase is for another game.
        LimitError: it does not hold the position.
    """
    yield standing_text(tablebase.standing(state))
    if state.is_over:
        return
    prospects = tablebase.prospects(state)
    for prospect in prospects[:MOST_QUESTIONS]:
        cards = listed(question.card for question in prospect.alike)
        yield f"  {prospect.question.asked} for {cards}"
        for answer, after in prospect.after.items():
            yield f"    {answer}: {standing_text(after)}"
    if len(prospects) > MOST_QUESTIONS:
        yield f"  and {len(prospects) - MOST_QUESTIONS} more kinds of questions, none better"


__all__ = ["MOST_QUESTIONS", "oracle_lines", "standing_text"]
