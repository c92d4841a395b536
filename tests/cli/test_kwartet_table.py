"""What a seat is shown of the others' cards: exactly what holds in every deal it holds possible."""

from random import Random

import pytest

from quaternity.cli.kwartet_watch import points_text
from quaternity.kwartet.position import Position
from quaternity.kwartet.rules import KwartetRules, hand_text
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import View
from solvers.brute_force import deals, refuses
from tests.kwartet.games import random_game, random_settings
from tests.sizes import thorough


def rows(view: View) -> list[list[str]]:
    """The words of the table's rows."""
    shown = KwartetRules(view.public.settings).show(view).split("at least\n")[1]
    return [
        line.split(maxsplit=view.public.settings.set_size + 1)
        for line in shown.splitlines()[: view.public.settings.sets]
    ]


def expected(view: View) -> list[list[str]]:
    """The same, read off every possible deal."""
    possible = list(deals(view.problem))
    opponents = [
        player for player, cards in enumerate(view.public.hands) if cards and player != view.seat
    ]
    players, size = view.public.settings.players, view.public.settings.set_size

    def name(holder: int) -> str:
        return "a" if holder == players else str(holder)

    told = []
    for index, removed in enumerate(view.public.removed):
        if removed is not None:
            told.append([str(index), *"-" * size, f"put down by {removed}"])
            continue
        row = [str(index)]
        for number in range(size):
            owners = sorted({deal.owner[index][number] for deal in possible})
            if owners == [view.seat]:
                row.append("mine")
            elif len(owners) == 1:
                row.append(f"={name(owners[0])}")
            else:
                row.append("*" if owners == opponents else "".join(map(name, owners)))
        least = {one: min(deal.owner[index].count(one) for deal in possible) for one in opponents}
        held = " ".join(f"{name(one)}:{count}" for one, count in least.items() if count)
        told.append([*row, held] if held else row)
    return told


@pytest.mark.parametrize("seed", range(thorough(6, 20)))
def test_every_cell_is_what_the_possible_deals_have_in_common(seed: int) -> None:
    random = Random(f"table/{seed}")
    settings = random_settings(random, range(2, 5), range(2, thorough(3, 4)))
    looked = 0
    for position, _ in random_game(settings, random, max_events=14):
        for seat in range(settings.players):
            view = position.view(seat)
            if refuses(view.problem) is None and not position.public.is_over:
                assert [[word.strip() for word in row] for row in rows(view)] == expected(view)
                looked += 1
    assert looked


def test_a_hand_and_an_empty_hand() -> None:
    start = Position.start(KwartetSettings(2, 2), ((0b1111, 0), (0, 0b1111)))
    assert hand_text(start.view(0).hand) == "no cards"
    assert points_text(start.public) == "player 0: 1, player 1: 1: a tie of players 0, 1"
    other = Position.start(KwartetSettings(2, 2), ((0b0111, 0b0100), (0b1000, 0b1011)))
    assert hand_text(other.view(0).hand) == "0/0 0/1 0/2  1/2"
