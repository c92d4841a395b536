"""Texts of Kwartet in the terminal, and its commands `chances`, `know` and `why`."""

from __future__ import annotations

from collections.abc import Iterator

from quaternity.base.errors import LimitError
from quaternity.cli.chances import chance_lines
from quaternity.cli.match import GameWords, MatchSession
from quaternity.cli.quaternity_words import MARKS as QUATERNITY_MARKS
from quaternity.cli.terminal import columns
from quaternity.game.question import Question
from quaternity.kwartet.chances import chance_of
from quaternity.kwartet.queries import QueryContext, answer_lines, moment_of_view
from quaternity.kwartet.view import View
from solvers.counting import chances

RULES = """\
All cards are dealt; players see their own hands only. On your turn you ask an opponent for a card;
you must hold a card of its set yourself. If the opponent has the card, you get it and ask again; if
not, the turn passes to the next seat. A full set is put down and scores a point. When all sets are
down, the player with the most points wins. Some cards may be set aside face down, and nobody gets
them. Then the game also ends when nobody can ask, or when the last allowed request has been made.
The table shows exactly what follows from your hand and from what everybody saw."""

MARKS = """\
Marks in the table: >: player to move; mine: you have the card; =1: player 1 has it; 12: \
player 1 or 2 has it; *: any opponent may have it; at least 1:2: player 1 has two or more cards of \
the set."""

FORMS = "Ask:     '1 0/2', '1 0 2' or '1 for 0/2' asks player 1 for card 2 of set 0."


def kwartet_words() -> GameWords:
    """Return the texts and the additional commands for games of Kwartet in the terminal."""
    return GameWords(
        RULES,
        FORMS,
        MARKS,
        {
            "chances": ("who may have each card, in percent; chances 4: only set 4", _chances),
            "know": (
                "know H1 0/2: do you know that player 1 has 0/2? Other formulas work, too",
                _know,
            ),
            "why": ("why H1 0/2: how do you know it, or what else is possible?", _why),
        },
        advice=_advice,
        # Bystanders see a table like that of Quaternity, which has no mark for the viewer's cards.
        bystander_marks=QUATERNITY_MARKS,
    )


def _chances(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
    from quaternity.kwartet.strategies.reader import beliefs

    view = session.match.view(seat)
    players, words = view.public.settings.players, argument.split()
    last = len(view.hand) - 1
    if not all(n.isdecimal() and len(n) < 4 and int(n) <= last for n in words):
        yield f"chances {argument}: type, for example, 'chances 0 {last}'; sets are 0..{last}"
        return
    only = sorted({int(x) for x in words}) or None
    try:
        table = chances(view.problem)
    except LimitError as error:
        yield f"too many deals to count ({error}); chances in percent, estimated from the requests"
        yield from chance_lines(beliefs(view), columns(), 3, only=only, aside=players)
        return
    yield "chances in percent (# certain, . impossible); below: estimates from requests"
    yield from chance_lines(table, columns(), 3, beliefs(view), only, players)


def _know(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
    if not argument:
        yield "type, for example, 'know H1 0/2'; 'kwartet know --help' explains formulas"
        return
    yield from answer_lines(argument, _moment(session, seat))


def _why(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
    if not argument:
        yield "type a formula, for example why H1 0/2 (how do you know that player 1 has 0/2?)"
        return
    yield from answer_lines(argument, _moment(session, seat), why=True, wide=columns())


def _moment(session: MatchSession, seat: int) -> QueryContext:
    match = session.match
    return moment_of_view(match.rules.view(match.history.start, seat).public, match.view(seat))


def _advice(view: View, question: Question) -> str:
    from quaternity.kwartet.strategies.reader import beliefs

    (index, number), asked = question.card, question.asked
    cards = beliefs(view)[index]
    read = f"{cards[number][asked]:.1%}"
    try:
        return f" (yes with {float(chance_of(view, question)):.1%}; estimate from requests: {read})"
    except LimitError:
        return f" (yes with {read}, estimated from the requests)"
