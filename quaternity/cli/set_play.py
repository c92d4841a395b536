"""`set play`: a game of SET at this terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.cli.options import MoveSeconds, Record, Seed, Traceback
from quaternity.cli.playing import Playing, play_match, seats_of
from quaternity.cli.ternary import set_app

if TYPE_CHECKING:
    from quaternity.cli.match import GameWords
    from quaternity.table.match import Match

RULES = """\
Every card has a shape, a colour, a fill and an amount, three kinds of each. Three cards are a SET
when in each of the four they are all alike or all different. Anybody may claim three cards of the
table at any time: a SET is taken and is a point, and three more cards are dealt; anything else
costs a point. When nobody finds one, all agree to three more cards (more); if there was one after
all, you are told. The game ends when the deck is out and no SET is left.
(--rule triple: the three must differ in all four.)
Programs find every SET, but take their time: quick some 4 seconds, slow some 12, slow:30 some 30.
At a terminal the clock runs while you look; Enter lets the next program move at once. What is half
typed stays, but for a claim whose letters name other cards by then."""

MARKS = """\
A card has a letter, its number and its looks: claim three by their letters, such as a d k. \
Programs claim too, after a while."""

FORMS = """\
Move:    a d k           claim the cards with these letters
         claim 3 17 52   by their numbers
         more            agree to three more cards
         Enter           wait for the programs"""

DEFAULT = ("you", "slow")


@set_app.command()
def play(
    seats: Annotated[
        str | None,
        typer.Option(
            help="Who plays: you, quick, slow, slow:30, or package.module:name.  "
            "[default: you,slow]"
        ),
    ] = None,
    rule: Annotated[
        str | None, typer.Option(help="set (default) or triple: which threes count.")
    ] = None,
    table: Annotated[
        int | None, typer.Option(help="Cards on the table: 9, 12 (default), 15 or 18.")
    ] = None,
    record: Record = None,
    seed: Seed = None,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
) -> None:
    """Play SET at this terminal: one person, or several at one keyboard, and programs.

    Example: quaternity set play --seats you,quick,slow:20 --record my.game
    """
    from functools import partial

    from quaternity.ternary import Rule
    from quaternity.ternary.rules import SetRules, SetSettings

    names = seats_of(seats)
    play_match(
        SetRules, partial(SetSettings, seats=len(names or DEFAULT)),
        {"rule": rule and Rule(rule), "table": table}, set_words(),
        lambda rules: names, DEFAULT, Playing(record, seed, move_seconds, traceback),
    )  # fmt: skip


def set_words() -> GameWords:
    """Return what SET adds to the terminal."""
    from quaternity.cli.drawing import picture_word
    from quaternity.cli.match import GameWords
    from quaternity.ternary import table_svg

    words = picture_word(lambda view: table_svg(view.places, letters=True))
    return GameWords(RULES, FORMS, MARKS, words, remark=_remark, outdated=_outdated)


def _remark(match: Match[Any, Any, Any]) -> str | None:
    """What to do when others agree to more cards."""
    agreed = match.position.seen.agreed
    if agreed and not agreed.issuperset(match.people):
        return "type more if you see none either"
    return None


def _outdated(text: str, before: Any, now: Any) -> bool:
    """Return whether a letter of a claim names another card than before."""
    from quaternity.ternary.rules import cards_named

    return cards_named(text, before) != cards_named(text, now)


__all__ = ["FORMS", "MARKS", "RULES", "play"]
