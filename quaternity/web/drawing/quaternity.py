"""Drawing of Quaternity in a browser: the possible owners of cards, and the pending question.

In Quaternity, the cards are not dealt. Questions and answers decide step by step who owns which
card. A question is pending until the asked player has answered it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from quaternity.base.errors import NoDeal
from quaternity.base.sentences import message_data
from quaternity.game.card_picture import suit_svg
from quaternity.game.cards import Card
from quaternity.web.drawing.owners import Chances, card_counts, owner_blocks, tile
from quaternity.web.drawing.words import last_asked, sight_words
from quaternity.web.languages import gettext as _
from solvers.problem import players_in

if TYPE_CHECKING:
    from quaternity.web.table_view import TableView


def part(sight: TableView, chances: Chances | None = None) -> dict[str, Any]:
    """Return values for the HTML template: the possible owners of cards, and the pending question.

    `chances[set][card][player]` is the chance that a player owns a card. None omits the chances.
    """
    state, pending = sight.view.state, sight.view.pending
    must = {"yes": _("must say “yes”"), "no": _("must say “no”")}
    acting = sight.seat in sight.to_act
    asking = acting and pending is None
    legal = {
        (question.asked, *question.card): "" if len(answers) > 1 else must[str(answers[0])]
        for question, answers in (state.legal_questions.items() if asking else ())
    }
    try:
        known = state.filtered_problem()
    except NoDeal:
        known = state.problem
    asker_seat = sight.seat if asking else None
    # The cards of a completed set have no possible owners, so their bit masks are empty.
    completed = (0,) * sight.rules.settings.set_size
    drawn: dict[str, Any] = {
        "tiles": [
            [
                tile(
                    Card(index, number),
                    tuple(players_in(mask)),
                    asker_seat,
                    state.hands,
                    legal,
                    partial(_why_not, constraint.owners or completed, number),
                )
                for number, mask in enumerate(constraint.owners or completed)
            ]
            for index, constraint in enumerate(known.sets)
        ],
        "asking": asking,
        "blocks": owner_blocks(known, state.completed, sight, legal, chances),
        "asked": last_asked(sight),
        "notes": card_counts(state.hands),
        "pending": pending,
        "answering": acting and pending is not None,
    }
    if pending is not None:
        drawn |= _pending_texts(sight, drawn["answering"])
    elif asking:
        drawn["advice"] = _forced_advice(sight).get("advice", "")
    elif not state.is_over:
        drawn |= _forced_advice(sight)
    return drawn


def _pending_texts(sight: TableView, answering: bool) -> dict[str, str]:
    pending, words = sight.view.pending, sight_words(sight)
    asker, asked = words.names[pending.asker], words.names[pending.asked]
    card = words.card(pending.card)
    if answering:
        question = f"{asker} → {_('you')}: {card}? {_('You may say either.')}"
        return {"headline": _("Your answer"), "question": question}
    asker = _("You") if pending.asker == sight.seat else asker
    return {
        "headline": _("{name} answers").format(name=asked),
        "advice": f"{asker} → {asked}: {card}? {_('Either answer is possible.')}",
    }


def _why_not(owners: Sequence[int], number: int, asker: int, asked: int) -> str:
    can_have = [asker in players_in(mask) for mask in owners]
    if players_in(owners[number]) == (asker,):
        return _("you have it")
    if not any(can_have[:number] + can_have[number + 1 :]):
        return _("you have no other card of this set")
    if asked not in players_in(owners[number]):
        return _("cannot have it")
    return _("the question would contradict what is known")


def _forced_advice(sight: TableView) -> dict[str, str]:
    """Return {"advice": note} if the visitor's answer was forced, otherwise an empty dictionary."""
    about = message_data(sight.moves[-1].events[0]) if sight.moves else {}
    if not about.get("forced") or about["asked"] != sight.seat:
        return {}
    advice = {
        "yes": _("You had to say “yes”: a “no” would contradict what is known."),
        "no": _("You had to say “no”: a “yes” would contradict what is known."),
    }
    return {"advice": advice[str(about["answer"])]}


def picture() -> Markup:
    """Return a picture of a grid with the possible owners of cards, for the start page."""
    first, more = ("possible", "certain", "impossible", "possible"), ("possible", "possible")
    rows = [
        suit_svg(index)
        + "".join(f'<i class="cell {state}"></i>' for state in (*first[index:], *more[:index]))
        for index in range(3)
    ]
    return Markup(f'<span class="pic-grid">{"".join(rows)}</span>')
