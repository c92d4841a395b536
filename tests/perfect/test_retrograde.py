"""One step of retrograde analysis, compared with its definition, on artificial graphs."""

from collections.abc import Callable
from itertools import chain, product
from random import Random
from typing import Any

import numpy as np
import pytest

from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import coding
from quaternity.perfect.keys.kinds import Roles, role_orders
from quaternity.perfect.solving.graph import Block
from quaternity.perfect.solving.retrograde import Games, Words
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.solving.state_value import NEVER
from quaternity.perfect.successors.one_state import choices
from tests.perfect.checker import quickest, slowest
from tests.sizes import thorough

STATES = 20
"""Number of states whose words are given; ten more states lead to them."""

Outcome = tuple[int, Roles]
Question = tuple[int, list[Outcome]]
"""The role that answers, and the outcome of each legal answer."""


def random_questions(random: Random, players: int, chance: bool) -> list[list[Question]]:
    """Return idle, forced and open questions of one state."""
    orders = role_orders(players)[0]

    def questions(limit: int, answers: int) -> list[Question]:
        return [
            (
                players if chance else random.randrange(1, players),
                [(random.randrange(STATES), random.choice(orders)) for _ in range(answers)],
            )
            for _ in range(random.randint(0, limit))
        ]

    groups = [questions(3, 1), *([] for _ in range(2))]
    if not chance:
        groups[1:] = questions(2, 1), questions(2, 2)
    return groups if any(groups) else random_questions(random, players, chance)


def block_of(states: list[list[list[Question]]], players: int) -> Block:
    """Return the states as arrays."""
    numbers = role_orders(players)[1]

    def outcomes(group: int, answer: int) -> np.ndarray[Any, Any]:
        return np.array(
            [
                led[answer][0] * len(numbers) + numbers[led[answer][1]]
                for groups in states
                for _, led in groups[group]
            ],
            np.uint32,
        )

    return Block(
        np.arange(STATES, STATES + len(states)),
        np.array([[len(groups[group]) for groups in states] for group in range(3)], np.uint8),
        tuple(
            np.array([asked for groups in states for asked, _ in groups[group]], np.uint8)
            for group in range(3)
        ),
        (outcomes(0, 0), outcomes(1, 0), outcomes(2, 0), outcomes(2, 1)),
    )


def holds(
    groups: list[list[Question]],
    controls: set[int],
    good: Callable[[int, Roles], bool],
    chooser: int,
) -> bool:
    """Return whether `controls`, a set of roles and chance, can force a good outcome."""
    answered = [
        (any if asked in controls else all)(good(*outcome) for outcome in led)
        for asked, led in chain.from_iterable(groups)
    ]
    return (any if chooser in controls else all)(answered)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_step_agrees_with_its_definition(players: int) -> None:
    random = Random(players)
    games = Games(players)
    for _ in range(thorough(20, 60)):
        check_step(random, games, players)


def check_step(random: Random, games: Games, players: int) -> None:
    """Check all games in all states of one block, at first and when it is settled."""
    everybody = {*range(players), players}
    by_chance = [random.random() < 0.2 and players >= 4 for _ in range(10)]
    states = [random_questions(random, players, chance) for chance in by_chance]
    words = np.zeros(STATES + len(states), games.word)
    words[:STATES] = [random.randrange(1 << players * (players + 1)) for _ in range(STATES)]
    block = block_of(states, players)
    settling = Words(games, words, block)
    settling.step()
    assert not settling.step()
    for state, (groups, chance) in enumerate(zip(states, by_chance, strict=True)):
        word = int(words[STATES + state])
        for row, role in product(range(players + 1), range(players)):

            def good(after: int, roles: Roles, row: int = row, role: int = role) -> bool:
                new_row = row if row == players else roles.index(row)
                return bool(int(words[after]) >> new_row * players + roles.index(role) & 1)

            controls = everybody
            if row < players:
                controls = {role} if row == role else everybody - {row}
            expected = holds(groups, controls, good, players if chance else 0)
            assert word >> row * players + role & 1 == expected


@pytest.mark.parametrize(
    ("settings", "chances"),
    [
        (Settings(2, 4, 4), False),
        (Settings(2, 4, 4, TieBreak.MIN_SETS), True),
        *thorough([], [(Settings(2, 6, 4, TieBreak.MIN_SETS), True)]),
    ],
)
def test_lengths_count_moves_but_not_chance(settings: Settings, chances: bool) -> None:
    """Lengths follow from the lengths one move later, with chance as an opponent."""
    graph, values = (solution := solve(State.start(settings))).graph, solution.values
    code, players = coding(graph.rules), settings.players
    keys = key_bytes(graph.keys)
    lengths = {
        key: [None if length == NEVER else length for length in row]
        for key, row in zip(keys, values.length.tolist(), strict=True)
    }
    met = False
    for key in keys[:: thorough(3, 1)]:
        options = choices(code, key)
        chance = bool(options) and options[0].asked == players
        met |= chance
        for role in range(players) if options else ():
            questions = []
            for asked, replies in options:
                after = [lengths[reply.key][reply.roles.index(role)] for reply in replies]
                questions.append(quickest(after) if asked == role else slowest(after))
            best = quickest(questions) if role == 0 and not chance else slowest(questions)
            expected = None if best is None else best + (not chance)
            assert lengths[key][role] == expected
    assert met == chances
