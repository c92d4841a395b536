"""`tournament`: let bots of Quaternity play against each other."""

from __future__ import annotations

from typing import Any

from quaternity.cli.app import app
from quaternity.cli.options import Brisk, Players, Sets, SetSize, TieBreakName
from quaternity.cli.tournament import TournamentWords, add_tournament
from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings, TieBreak


def _quaternity(
    set_size: SetSize = 4,
    sets: Sets = 3,
    players: Players = 3,
    tie_break: TieBreakName = "first-in-order",
    brisk: Brisk = False,
) -> Any:
    rule = TieBreak.parse(tie_break)
    return QuaternityRules(Settings(set_size, sets, players, rule, brisk=brisk))


add_tournament(
    app, "bot", _quaternity,
    TournamentWords(
        ("tournament",),
        "random, informed, search[:GAMES], perfect:TABLEBASE, package.module:name or cmd:COMMAND",
        "sets",
        lambda rules: "-".join(
            str(number) for number in (rules.settings.set_size, rules.settings.sets, rules.seats)
        ) + " brisk" * rules.settings.brisk,
        "tournament search informed random --games 300 --seed 1 --workers 2",
    ),
)  # fmt: skip
