"""What a seat is shown of the others' cards: exactly what holds in every deal it holds possible."""

from random import Random

import pytest
from rich.console import Console

from quaternity.cli.kwartet_table import hand_text, knowledge_table, legend, points_text
from quaternity.kwartet.position import Position
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import View
from solvers.brute_force import deals, refuses
from tests.kwartet.games import random_game, random_settings


def rows(view: View) -> list[list[str]]:
    """The words of the table's rows."""
    console = Console(width=200, no_color=True)
    with console.capture() as captured:
        console.print(knowledge_table(view))
    return [line.split(maxsplit=5) for line in captured.get().splitlines()[1:]]


def expected(view: View) -> list[list[str]]:
    """The same, read off every possible deal."""
    possible = list(deals(view.problem))
    opponents = [
        player for player, cards in enumerate(view.public.hands) if cards and player != view.seat
    ]
    told = []
    for index, removed in enumerate(view.public.removed):
        if removed is not None:
            told.append([str(index), *"----", f"player {removed} put it down"])
            continue
        row = [str(index)]
        for number in range(4):
            owners = sorted({deal.owner[index][number] for deal in possible})
            if owners == [view.seat]:
                row.append("mine")
            elif len(owners) == 1:
                row.append(f"={owners[0]}")
            else:
                row.append("*" if owners == opponents else "".join(map(str, owners)))
        least = {one: min(deal.owner[index].count(one) for deal in possible) for one in opponents}
        held = ", ".join(f"player {one}: {count}" for one, count in least.items() if count)
        told.append([*row, held] if held else row)
    return told


@pytest.mark.parametrize("seed", range(20))
def test_every_cell_is_what_the_possible_deals_have_in_common(seed: int) -> None:
    random = Random(f"table/{seed}")
    settings = random_settings(random, range(2, 5), range(2, 4))
    looked = 0
    for position, _ in random_game(settings, random, most_events=14):
        for seat in range(settings.players):
            view = position.view(seat)
            if refuses(view.problem) is None and not position.public.is_over:
                assert [[word.strip() for word in row] for row in rows(view)] == expected(view)
                looked += 1
    assert looked


def test_a_hand_and_an_empty_hand() -> None:
    start = Position.start(KwartetSettings(2, 2), ((0b1111, 0), (0, 0b1111)))
    assert hand_text(start.view(0)) == "hand of player 0: no cards"
    assert points_text(start.public) == "player 0: 1, player 1: 1: a tie of players 0, 1"
    other = Position.start(KwartetSettings(2, 2), ((0b0111, 0b0100), (0b1000, 0b1011)))
    assert hand_text(other.view(0)) == "hand of player 0: 0/0 0/1 0/2   1/2"


@pytest.mark.parametrize(
    ("players", "seat", "told"),
    [
        (2, 0, ["=1: player 1 has it"]),
        (3, 0, ["=2: player 2 has it", "*: any opponent with cards may have it"]),
        (3, 2, ["=1: player 1 has it", "*: any opponent with cards may have it"]),
        (4, 1, ["=3: player 3 has it", "02: player 0 or 2 has it",
                "*: any opponent with cards may have it"]),
    ],
)  # fmt: skip
def test_the_legend_names_opponents_that_there_are(
    players: int, seat: int, told: list[str]
) -> None:
    hands = [[0] * players for _ in range(players)]
    for player, hand in enumerate(hands):
        hand[player] = 0b0111
        hand[(player + 1) % players] = 0b1000
    start = Position.start(KwartetSettings(players, players), tuple(map(tuple, hands)))
    assert legend(start.view(seat)).split("   ") == ["mine: in the hand below", *told]
