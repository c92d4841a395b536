"""One round of retrograde analysis, against what it means, on graphs no game brings about."""

from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np
import pytest

from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import coding
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.solving.graph import Segment
from quaternity.perfect.solving.retrograde import Steps
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.solving.standing import NEVER
from quaternity.perfect.successors.one_state import choices
from tests.perfect.checker import quickest, slowest
from tests.sizes import thorough


def random_segment(random: Random, players: int, states: int) -> Segment:
    """Ten states that ask or in which chance chooses, and lead to `states` states anyhow."""
    counts = [random.randint(1, 4) for _ in range(10)]
    first = [sum(counts[:state]) for state in range(10)]
    asked = []
    for count in counts:
        chance = random.random() < 0.2
        asked += [players if chance else random.randrange(1, players) for _ in range(count)]
    orders = len(role_orders(players)[0])
    columns = [
        [random.randrange(limit) for _ in asked] for limit in (states, states, orders, orders)
    ]
    for row, one in enumerate(asked):
        if one == players or random.random() < 0.3:  # one answer, written twice
            columns[1][row], columns[3][row] = columns[0][row], columns[2][row]
    return Segment(
        np.arange(10, dtype=np.uint32), np.array(first), np.array(asked, np.uint8),
        *(np.array(column, np.uint32) for column in columns),
    )  # fmt: skip


class Plain:
    """What a round means for one state of a segment."""

    def __init__(self, segment: Segment, players: int, state: int) -> None:
        ends = [*segment.first.tolist()[1:], len(segment.asked)]
        self.rows = range(int(segment.first[state]), ends[state])
        self.segment, self.players = segment, players
        self.orders = role_orders(players)[0]

    def after(self, row: int) -> list[tuple[int, tuple[int, ...]]]:
        """The state after no and after yes, and per role then its role before."""
        one = self.segment
        return [
            (int(one.no[row]), self.orders[one.no_order[row]]),
            (int(one.yes[row]), self.orders[one.yes_order[row]]),
        ]

    def holds(self, controls: set[int], good: Callable[[int, tuple[int, ...]], bool]) -> bool:
        """Whether `controls`, of the roles and chance, can bring about what is good."""
        questions = []
        for row in self.rows:
            answers = [good(state, roles) for state, roles in self.after(row)]
            mine = int(self.segment.asked[row]) in controls
            questions.append(any(answers) if mine else all(answers))
        chance = self.segment.asked[self.rows[0]] == self.players
        return (any if (self.players if chance else 0) in controls else all)(questions)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_round_is_what_it_means(players: int) -> None:
    random = Random(players)
    steps = Steps(players)
    for _ in range(60):
        check_round(random, steps, players)


def check_round(random: Random, steps: Steps, players: int) -> None:
    """All roles in all states of one segment."""
    everybody = {*range(players), players}
    segment = random_segment(random, players, states=20)
    values = np.array([random.randrange(1 << players) for _ in range(20)], np.uint8)
    rows = np.array([random.randrange(1 << players**2) for _ in range(20)], steps.rows)
    forcing, reaching = steps.forcing(segment, values), steps.reaching(segment, values)
    helping = steps.helping(segment, rows)
    for state, role in product(range(10), range(players)):
        plain = Plain(segment, players, state)

        def good(after: int, roles: tuple[int, ...], role: int = role) -> bool:
            return bool(values[after] >> roles.index(role) & 1)

        assert forcing[state] >> role & 1 == plain.holds({role}, good)
        assert reaching[state] >> role & 1 == plain.holds(everybody, good)
        for other in range(players):

            def helped(
                after: int, roles: tuple[int, ...], role: int = role, other: int = other
            ) -> bool:
                bit = roles.index(role) * players + roles.index(other)
                return bool(int(rows[after]) >> bit & 1)

            found = int(helping[state]) >> (role * players + other) & 1
            assert found == plain.holds(everybody - {role}, helped)


@pytest.mark.parametrize(
    ("settings", "chances"),
    [
        (Settings(2, 4, 4), False),
        (Settings(2, 4, 4, TieBreak.FEWEST_SETS), True),
        *thorough([], [(Settings(2, 6, 4, TieBreak.FEWEST_SETS), True)]),
    ],
)
def test_lengths_count_moves_and_not_what_chance_does(settings: Settings, chances: bool) -> None:
    """In every state they follow from the lengths one move later, chance being an opponent."""
    graph, values = (solution := solve(State.start(settings))).graph, solution.values
    code, players = coding(graph.rules), settings.players
    keys = key_bytes(graph.keys)
    lengths = {
        key: [None if length == NEVER else length for length in row]
        for key, row in zip(keys, values.length.tolist(), strict=True)
    }
    met = False
    for key in keys:
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
