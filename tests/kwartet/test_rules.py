"""Rules of Kwartet for a table: views, indistinguishable positions, and truncated records."""

import re
from random import Random
from typing import Any

import pytest

from quaternity.base.text_format import quote_value
from quaternity.game.cards import Card
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings


@pytest.mark.parametrize("players", [3, 5])
def test_at_the_start_a_card_is_own_or_may_be_held_by_all_others(players: int) -> None:
    """`*` stands for every opponent with cards."""
    rules = KwartetRules(KwartetSettings(players, 5))
    position = rules.start(Random(1))
    for seat in range(players):
        text = rules.show(rules.view(position, seat))
        rows = re.findall(r"^ +\d((?:  +[*=\w]+){4})", text, re.MULTILINE)
        assert len(rows) == 5
        assert {cell for row in rows for cell in row.split()} == {"mine", "*"}


@pytest.mark.parametrize("move", [5, None, "0 asks 1 for 0/0", (0, 1, (0, 0)), Card(0, 0)])
def test_an_invalid_request_is_a_fault_with_a_message(move: Any) -> None:
    rules = KwartetRules()
    view = rules.view(rules.start(Random(1)), 0)
    for faults in (view.faults(move), rules.faults(view, move)):
        assert faults == [f"{quote_value(move)} is not a request"]
