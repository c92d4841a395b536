"""The history of a game: its positions can be restored, whichever of them are kept."""

from random import Random
from typing import Any

import pytest

from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.quarto.rules import QuartoRules
from quaternity.table.history import GameHistory, whole_events
from quaternity.table.protocol import Step
from tests.sizes import thorough


class Forgets(GameHistory[Any, Any, Any]):
    """A history that keeps only the first and the last position."""

    keeps_positions = False


@pytest.mark.parametrize("kind", [GameHistory, Forgets])
@pytest.mark.parametrize("rules", [QuartoRules(), KwartetRules(KwartetSettings(3, 3))], ids=repr)
@pytest.mark.parametrize("seed", range(thorough(2, 10)))
def test_positions_are_those_of_the_moves(rules: Any, kind: Any, seed: int) -> None:
    random = Random(seed)
    positions = [rules.start(random)]
    course = kind(rules, positions[0])
    while acting := rules.to_act(positions[-1]):
        seat = random.choice(acting)
        move = random.choice([*rules.moves(rules.view(positions[-1], seat))])
        positions.append(rules.after(positions[-1], seat, move))
        course.add(seat, move, positions[-1])
        if not course.keeps_positions and random.random() < 0.2:
            course.forget_positions()
        if random.random() < 0.2:
            number = random.randrange(len(positions))
            assert course.positions_to(number)[: number + 1] == positions[: number + 1]
        if random.random() < 0.2:
            back = random.randrange(min(len(positions), 4))
            course.take_back(back)
            del positions[len(positions) - back :]
        assert course.position == positions[-1]
        assert len(course.moves) == len(course.steps) == len(positions) - 1
    again = kind(rules, positions[0], positions, course.moves)
    assert again.steps == course.steps
    assert again.position == positions[-1]


def test_events_have_the_numbers_of_their_moves() -> None:
    steps = [Step(0, ("a", "b")), Step(1, ()), Step(0, ("c",))]
    assert whole_events(steps) == [(1, "a"), (1, "b"), (3, "c")]
    assert whole_events(steps, 7) == [(7, "a"), (7, "b"), (9, "c")]
