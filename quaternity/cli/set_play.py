"""The commands `set play` and `set tournament`, and the texts of SET in the terminal."""

from __future__ import annotations

from typing import Any

from quaternity.cli.any_game import add_game_tournament, add_play
from quaternity.cli.drawing import picture_word
from quaternity.cli.match import GameWords
from quaternity.cli.ternary import set_app
from quaternity.cli.tournament import TournamentWords
from quaternity.table.match import Match
from quaternity.ternary import table_svg
from quaternity.ternary.rules import cards_named

RULES = """\
Every card has a shape, a colour, a fill and an amount, three kinds of each. Three cards are a SET
if in each of the four attributes they are all alike or all different. Anybody may claim three cards
of the table at any time: a SET is taken and scores a point, and three more cards are dealt; a wrong
claim costs a point. If nobody finds a SET, all players can agree to deal three more cards (more);
if there was a SET after all, it is announced. The game ends when the deck is empty and no SET is
left. With --rule triple, the three cards must differ in all four attributes.
Programs find every SET, but take time: quick about 4 seconds, slow about 12, slow:30 about 30. At a
terminal the clock runs while you look; press Enter to let the next program move at once. Half-typed
text is kept, unless it is a claim whose letters name other cards after a program's move."""

MARKS = """\
Each card has a letter, a number and its attributes: claim three by their letters, such as a d k. \
Programs also claim, after a while."""

FORMS = """\
Move:    a d k           claim the cards with these letters
         claim 3 17 52   the same by their numbers
         more            agree to three more cards
         Enter           wait for the programs"""

add_play(
    set_app, "set", "quick, slow, slow:30", ("you", "slow"),
    "One person plays, or several share the keyboard.",
)  # fmt: skip
add_game_tournament(
    set_app, "set",
    TournamentWords(
        ("set", "tournament"),
        "quick, slow[:SECONDS], package.module:name or cmd:COMMAND",
        "points",
        lambda rules: f"{rules.settings.rule.three} for {rules.seats}",
        "set tournament quick slow slow:30 --seats 3 --games 60 --seed 1",
        "All orders use the same deck. ",
    ),
)  # fmt: skip


def set_words() -> GameWords:
    """Return the texts and commands that SET adds to the terminal."""
    words = picture_word(lambda view: table_svg(view.places, letters=True))
    return GameWords(RULES, FORMS, MARKS, words, remark=_remark, outdated=_outdated)


def _remark(match: Match[Any, Any, Any]) -> str | None:
    agreed = match.position.seen.agreed
    if agreed and not agreed.issuperset(match.people):
        return "other players want three more cards: type more if you agree"
    return None


def _outdated(text: str, before: Any, now: Any) -> bool:
    """Return whether half-typed letters name other cards than before the cards moved."""
    return cards_named(text, before) != cards_named(text, now)
