"""What one can type in a game of Kwartet besides requests: chances, hint."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from quaternity.cli.chances import chance_lines
from quaternity.cli.match import GameWords, MatchSession
from quaternity.cli.terminal import columns
from quaternity.errors import LimitError
from quaternity.kwartet.hint import chance_of
from quaternity.table.players import STRONGEST, make_player
from solvers.counting import chances

RULES = """\
All cards are dealt; everybody sees the own hand. On turn you ask an opponent for a card of a set
of which you hold a card yourself. If he has it you get it and ask again; if not, the turn passes
to the next seat. All four cards of a set are put down and are a point. When all sets are down,
the most points win.
The table shows exactly what follows from what everybody saw and from your hand: =1 is a card that
player 1 has, two numbers are the opponents one of whom has it, * is one that any opponent may have,
and mine is yours; at least 1:2 means that player 1 has two cards of the set or more."""

FORMS = "Ask:     1 0/2  or  1 0 2  or  1 for 0/2    player 1, have you card 2 of set 0?"


def kwartet_words() -> GameWords:
    """The words."""
    return GameWords(
        RULES,
        FORMS,
        {
            "chances": ("who has each card with what chance, in percent", _chances),
            "hint": ("", _hint),
        },
    )


def _chances(session: MatchSession, seat: int, rest: str) -> Iterator[str]:
    del rest
    try:
        table = chances(session.match.view(seat).problem)
    except LimitError as error:
        yield f"no chances yet: {error}"
        return
    yield "chances in percent; # is certain, . is impossible"
    yield from chance_lines(table, columns())


def _hint(session: MatchSession, seat: int, rest: str) -> Iterator[str]:
    del rest
    match, name = session.match, STRONGEST["kwartet"]
    view = match.view(seat)
    question = make_player(match.rules, name).choose(view, Random(f"hint/{len(match.moves)}"))
    try:
        chance = f" ({float(chance_of(view, question)):.1%})"
    except LimitError:
        chance = ""
    yield f"{name} would ask: {question.asked} {question.card}{chance}"


__all__ = ["FORMS", "RULES", "kwartet_words"]
