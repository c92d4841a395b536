"""A game of Quaternity in a browser: who may own what, and the question that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from quaternity.base.errors import NoDeal
from quaternity.base.sentences import facts
from quaternity.base.wording import counted
from quaternity.game.card_picture import suit_svg
from quaternity.web.drawing.owners import Chances, owner_blocks
from quaternity.web.drawing.words import last_asked, seat_names

if TYPE_CHECKING:
    from quaternity.web.sight import Sight


def part(sight: Sight, chances: Chances | None = None) -> dict[str, Any]:
    """Return what the template draws: blocks of sets, cards per seat, and what is to be done."""
    state, pending = sight.view.state, sight.view.pending
    names = seat_names(sight.seats)
    acting = sight.seat in sight.to_act
    asking = acting and pending is None
    legal = set()
    if asking:
        legal = {
            (legal_question.asked, *legal_question.card) for legal_question in state.legal_questions
        }
    try:
        known = state.closed()
    except NoDeal:
        known = state.problem
    drawn: dict[str, Any] = {
        "blocks": owner_blocks(known, state.completed, sight, legal, chances),
        "asked": last_asked(sight),
        "notes": [counted(hand, "card") for hand in state.hands],
        "pending": pending,
        "answering": acting and pending is not None,
    }
    if pending is not None:
        asker, asked, card = names[pending.asker], names[pending.asked], pending.card
        if drawn["answering"]:
            drawn["headline"] = f"{asker} asks you for {card}"
            drawn["advice"] = "Both answers are possible: which one is true is up to you."
        else:
            drawn["headline"] = f"{asked} answers"
            who = "You" if pending.asker == sight.seat else asker
            drawn["advice"] = f"{who} asked for {card}; both answers are possible."
    elif asking:
        drawn["advice"] = _forced(sight).get("advice", "")
        drawn["advice"] += " Choose a player's card below to ask them for it."
    elif not state.is_over:
        drawn |= _forced(sight)
    return drawn


def _forced(sight: Sight) -> dict[str, str]:
    """Say that the last question to who looks had one answer only."""
    about = facts(sight.moves[-1].events[0]) if sight.moves else {}
    if not about.get("forced") or about["asked"] != sight.seat:
        return {}
    answer = about["answer"]
    return {"advice": f"You had to say {answer}: otherwise no deal would fit what is known."}


def picture() -> Markup:
    """Draw three sets of which something is known, for the first page."""
    first, more = ("possible", "certain", "impossible", "possible"), ("possible", "possible")
    rows = [
        suit_svg(index)
        + "".join(f'<i class="cell {state}"></i>' for state in (*first[index:], *more[:index]))
        for index in range(3)
    ]
    return Markup(f'<span class="pic-grid">{"".join(rows)}</span>')
