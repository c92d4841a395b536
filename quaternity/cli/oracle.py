"""Texts about who can win in a position, and about the results of each question.

The facts come from a tablebase, which contains the result of every position with perfect play.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quaternity.base.text_format import join_words, name_numbers, with_noun

if TYPE_CHECKING:
    from quaternity.perfect.solving.state_value import StateValue
    from quaternity.perfect.tablebase import PositionReport

MAX_QUESTION_KINDS = 8
"""Maximum number of groups of equivalent questions that are listed."""


def standing_text(standing: StateValue) -> str:
    """Return a line that says who can win, who can force a win, or who can prevent a win."""
    if standing.can_force:
        player = standing.can_force[0]
        moves = standing.forced_length[player]
        if not moves:
            return f"player {player} has won"
        return f"player {player} can force a win in {with_noun(moves, 'move')}"
    if not standing.can_win:
        return "nobody can win any more"
    parts = [f"{name_numbers('player', standing.can_win)} can still win, but nobody can force it"]
    for player, preventable in enumerate(standing.can_prevent):
        others = [other for other in preventable if other in standing.can_win]
        if others:
            parts.append(f"player {player} can prevent a win of {name_numbers('player', others)}")
    return "; ".join(parts)


def oracle_lines(report: PositionReport) -> Iterator[str]:
    """Yield lines that say which players can win or force a win.

    The first line is about the present position. The questions follow, best first. Below each
    question, there is a line about the position after each of its answers.
    """
    yield standing_text(report.standing)
    for prospect in report.prospects[:MAX_QUESTION_KINDS]:
        cards = join_words(question.card for question in prospect.alike)
        yield f"  {prospect.question.asked} for {cards}"
        for answer, after in prospect.after.items():
            yield f"    {answer}: {standing_text(after)}"
    if len(report.prospects) > MAX_QUESTION_KINDS:
        more = len(report.prospects) - MAX_QUESTION_KINDS
        yield f"  and {more} more groups of equivalent questions, none of them better"
