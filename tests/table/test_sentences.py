"""What happened calls players by any name, and a fact is a value, never a part of a sentence."""

import copy
from random import Random
from typing import Any

import pytest

from quaternity.table.games import game_names, rules_class
from quaternity.table.protocol import Player, Sentence
from tests.sizes import thorough

NAMES = ["player 1", "{who}", "0 asks 1", "players 0 and 2", "{0}", "<b>", ": right", "100 %s \\1"]
"""Names that look like parts of sentences or of templates."""


@pytest.mark.parametrize("game", list(game_names()))
@pytest.mark.parametrize("seed", range(thorough(2, 20)))
def test_a_name_is_put_in_once_and_stays_as_it_is(game: str, seed: int) -> None:
    rules: Any = rules_class(game)()
    random = Random(seed)
    names = random.sample(NAMES, rules.seats)
    marks = [f"\ue000{seat}\ue001" for seat in range(rules.seats)]
    position = rules.start(random)
    for _ in range(60):
        if not (acting := rules.to_act(position)):
            break
        seat = random.choice(list(acting))
        move = random.choice(list(rules.moves(rules.view(position, seat))))
        after = rules.after(position, seat, move)
        for event in rules.events(position, seat, move, after):
            assert isinstance(event, Sentence)
            told = event.told(marks)
            for mark, name in zip(marks, names, strict=True):
                told = told.replace(mark, name)
            assert event.told(names) == told
            for value in event.about.values():
                if isinstance(value, Player):
                    assert marks[value] in event.told(marks)
            twin = copy.copy(event)
            assert (twin, twin.about, twin.told(names)) == (event, event.about, event.told(names))
        position = after
