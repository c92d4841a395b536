"""Selfish play, compared with plain recursion over explicit positions, and its laws."""

from collections import defaultdict
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest

from quaternity.base.errors import InputError, LimitError
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.keys.canonical import Key, canonical
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.solving.chance import any_chance, fair_draws
from quaternity.perfect.solving.max_n import (
    TIES,
    WISHES,
    Outcome,
    _Tables,
    max_n_result,
    solve_max_n,
)
from quaternity.perfect.solving.solver import game_graph, solve
from tests.limits import limited
from tests.perfect.plain_solver import Game, Position
from tests.perfect.positions import random_states, state_of
from tests.sizes import thorough


class Plain:
    """The outcomes by the module's definition; `ties` is the weight of ties about one player."""

    def __init__(self, game: Game, wish: str, ties: int, about: int) -> None:
        self.game, self.wish, self.ties, self.about = game, wish, ties, about
        self.known: dict[Position, set[Outcome]] = {}

    def of(self, position: Position) -> set[Outcome]:
        """Return the outcomes of a position, computed recursively."""
        if position not in self.known:
            self.known[position] = self.after(position)
        return self.known[position]

    def after(self, position: Position) -> set[Outcome]:
        """Return the outcomes of a position from those of its successors."""
        moves = questions(self.game, position)
        if position.turn is None:
            points = [position.completed.count(player) for player in range(self.game.players)]
            if self.wish == "points":
                return {tuple(points)}
            ahead = [player for player, point in enumerate(points) if point == max(points)]
            gets = [0] * len(points)
            for player in ahead:
                gets[player] = 2 if len(ahead) == 1 else 1
            return {tuple(gets)}
        assert moves, "a brisk game has a question until it is over"
        return self.choose(
            position.turn,
            [
                self.choose(asked, [self.of(after) for after in answers.values()])
                for (asked, _), answers in moves.items()
            ],
        )

    def choose(self, player: int, choices: list[set[Outcome]]) -> set[Outcome]:
        """Return outcomes such that each other choice has one that the player likes no more."""

        def liking(outcome: Outcome) -> tuple[int, int]:
            return outcome[player], self.ties * outcome[self.about]

        return {
            outcome
            for choice in choices
            for outcome in choice
            if all(
                other is choice or any(liking(rival) <= liking(outcome) for rival in other)
                for other in choices
            )
        }


@cache
def questions(game: Game, position: Position) -> dict[tuple[int, int], dict[bool, Position]]:
    """Return the questions of a position, cached because positions recur."""
    return game.questions(position)


@cache
def in_order(game: Game) -> list[Position]:
    """Return all positions, each before its successors."""
    visited: dict[Position, None] = {}

    def visit(position: Position) -> None:
        if position not in visited:
            for answers in questions(game, position).values():
                for after in answers.values():
                    visit(after)
            visited[position] = None

    visit(game.start())
    return [*reversed(visited)]


def brisk(set_size: int, sets: int, players: int) -> Game:
    """Return a brisk game."""
    return Game(set_size, sets, players, brisk=True)


def start_of(game: Game) -> State:
    """Return the start of a game."""
    return State.start(Settings(game.set_size, game.sets, game.players, brisk=game.brisk))


def check(game: Game, positions: list[Position], wish: str, ties: str) -> None:
    """Compare all outcomes of positions of a brisk game, for every player ties may be about."""
    solved = solve_max_n(game_graph(start_of(game)), wish, ties)
    plain = [Plain(game, wish, TIES[ties], about) for about in range(game.players)]
    for position in positions:
        # A finished game has no state of its own.
        if position.turn is not None:
            state = state_of(game, position)
            for about, reference in enumerate(plain):
                assert set(solved.of(state, about)) == reference.of(position)


@pytest.mark.parametrize(
    ("wish", "ties"),
    thorough([("points", "any"), ("win", "against"), ("points", "for")], [*product(WISHES, TIES)]),
)
def test_all_states_of_small_games(wish: str, ties: str) -> None:
    for game in (brisk(2, 2, 4), brisk(2, 3, 3), *thorough([], [brisk(2, 2, 2), brisk(3, 2, 3)])):
        check(game, in_order(game), wish, ties)


def late_positions(game: Game, random: Random, deals: int, count: int) -> list[Position]:
    """Return positions of random brisk games with few possible deals."""
    late: list[Position] = []
    start = game.start()
    while len(late) < count:
        position = start
        while position.turn is not None and len(position.deals) > deals:
            answers = random.choice([*questions(game, position).values()])
            position = random.choice([*answers.values()])
        late.append(position)
    return late


@pytest.mark.parametrize("ties", TIES)
def test_late_states_of_larger_games(ties: str) -> None:
    for game in (brisk(3, 3, 3), *thorough([], [brisk(2, 4, 4)])):
        check(game, late_positions(game, Random(3), thorough(8, 24), 5), "points", ties)


# The outcomes of the start: with any ties, with ties against players 0 and 1, and for them.
GOLDEN = {
    (2, 3, 3, "points"): ("210 201 120 102 021 012", "021 012", "201", "210 201", "210 120 021"),
    (2, 3, 3, "win"): ("200 020 002", "020 002", "200", "200", "200 020"),
    (3, 3, 3, "points"): (
        "210 201 120 111 102 021 012", "021 012", "102", "210 201 120 111 102", "120 111 021",
    ),
    (3, 3, 3, "win"): ("111 020 002", "020 002", "111", "111 020 002", "111 020"),
    (4, 3, 3, "points"): (
        "300 210 201 120 111 102 030 021 012 003",
        "210 201 120 111 102 030 021 012 003",
        "300 210 201 111 102 012 003",
        "300 210 201 111 021 012",
        "210 201 120 111 102 030 021 012",
    ),
    (4, 3, 3, "win"): ("200 111 020 002", "111", "111", "111", "111"),
}  # fmt: skip


@pytest.mark.parametrize("size", [
    pytest.param(size, id="-".join(map(str, size)), marks=[pytest.mark.slow] * (size[0] == 4))
    for size in GOLDEN
])  # fmt: skip
def test_golden_outcomes(size: tuple[int, int, int, str]) -> None:
    *sizes, wish = size
    start = start_of(brisk(*sizes))
    result = max_n_result(game_graph(start), start, wish)
    listed = [result.outcomes, *result.against[:2], *result.in_favour[:2]]
    words = [" ".join("".join(map(str, gets)) for gets in outcomes) for outcomes in listed]
    assert tuple(words) == GOLDEN[size]
    # The other two players are equivalent.
    for by_player in (result.against, result.in_favour):
        swapped = {(p, r, q) for p, q, r in by_player[1]}
        assert swapped == {*by_player[2]}
    assert result.document()["least"] == [
        min(column) for column in zip(*result.outcomes, strict=True)
    ]


def outcomes_of(set_size: int, sets: int, players: int) -> list[Outcome]:
    """Return the outcomes, by any ties, of a brisk game in which all players want to win."""
    start = start_of(brisk(set_size, sets, players))
    return solve_max_n(game_graph(start), "win").of(start)


def test_some_outcomes_do_not_depend_on_ties() -> None:
    assert outcomes_of(2, 4, 4) == [(1, 1, 1, 1)]
    for sizes in ((3, 2, 3), (2, 6, 3)):
        assert max(map(max, outcomes_of(*sizes))) == 1
    assert all(gets < 2 for gets, _, _ in outcomes_of(3, 3, 3))


Lottery = dict[Outcome, Fraction]


def draw(player: int, offers: list[Lottery], random: Random | None = None) -> Lottery:
    """Mix a player's best lotteries, with equal or random weights."""
    expected = [sum(gets[player] * p for gets, p in offer.items()) for offer in offers]
    best = [offer for offer, value in zip(offers, expected, strict=True) if value == max(expected)]
    weights = [1 if random is None else random.choice([0, 0, 1, 5]) for _ in best]
    weights[-1] += not any(weights)
    total: Lottery = defaultdict(Fraction)
    for offer, weight in zip(best, weights, strict=True):
        for gets, p in offer.items() if weight else ():
            total[gets] += p * Fraction(weight, sum(weights))
    return total


def test_ties_broken_by_chance_have_additional_outcomes() -> None:
    """The guide says so: in 3-3-3 player 0 may win, which is impossible without chance."""
    won = {(2, 0, 0): Fraction(1, 12), (0, 2, 0): Fraction(11, 24), (0, 0, 2): Fraction(11, 24)}
    assert fair_draws(start_of(brisk(3, 3, 3)), "win") == won
    assert (2, 0, 0) not in outcomes_of(3, 3, 3)
    for sizes in thorough([], [(2, 6, 3), (2, 4, 4)]):
        assert fair_draws(start_of(brisk(*sizes)), "win") == {(1,) * sizes[-1]: 1}
    assert all(max(gets) < 2 for gets in fair_draws(start_of(brisk(3, 2, 3)), "win"))


CHANCY = [(3, 2, 3), (2, 3, 3), (2, 2, 4), *thorough([], [(3, 3, 3), (2, 4, 4)])]


@pytest.mark.parametrize("sizes", CHANCY)
def test_fair_draws_are_those_of_a_recursion_over_real_states(sizes: tuple[int, int, int]) -> None:
    start, known = start_of(brisk(*sizes)), dict[Key, Lottery]()
    for state in [start, *random_states(start, Random(3), thorough(3, 12))]:
        assert fair_draws(state, "win") == by_whim(state, known, "win", None)


@pytest.mark.parametrize("sizes", CHANCY)
@pytest.mark.parametrize("wish", WISHES)
def test_bounds_hold_for_all_random_tie_breaks(sizes: tuple[int, int, int], wish: str) -> None:
    start = start_of(brisk(*sizes))
    for seed, state in enumerate([start, *random_states(start, Random(4), thorough(3, 12))]):
        bounds = any_chance(state, wish)
        ways = [by_whim(state, {}, wish, Random(f"{seed}/{way}")) for way in range(thorough(2, 5))]
        for lottery in [fair_draws(state, wish), *ways]:
            assert bounds.outcomes >= lottery.keys()
            for player in range(state.players):
                expected = sum(gets[player] * p for gets, p in lottery.items())
                assert bounds.least[player] <= expected <= bounds.most[player]
        assert bounds.outcomes >= {*solve_max_n(game_graph(state), wish).of(state)}


def by_whim(state: State, known: dict[Key, Lottery], wish: str, random: Random | None) -> Lottery:
    """Return the lottery of a brisk game, with ties broken by equal or by random chances."""
    if state.is_over:
        return {WISHES[wish](state.points): Fraction(1)}
    key, roles = canonical(state)
    if key not in known:
        assert state.turn is not None
        offers = []
        for question, answers in state.legal_questions.items():
            after = [by_whim(state.after(question, a), known, wish, random) for a in answers]
            offers.append(draw(question.asked, after, random))
        lottery = draw(state.turn, offers, random)
        known[key] = {tuple([gets[player] for player in roles]): p for gets, p in lottery.items()}
    seats = [roles.index(player) for player in range(state.players)]
    return {tuple([gets[role] for role in seats]): p for gets, p in known[key].items()}


def test_a_tie_break_by_chance_is_a_chance_too() -> None:
    """A tie-break by chance is fair in both; without it nothing changes."""
    plain = start_of(brisk(2, 4, 4))
    chancy = State.start(Settings(2, 4, 4, TieBreak.MIN_SETS, brisk=True))
    for state in random_states(chancy, Random(6), thorough(6, 30)):
        lottery, bounds = fair_draws(state, "win"), any_chance(state, "win")
        assert sum(lottery.values()) == 1
        assert bounds.outcomes >= lottery.keys()
    assert fair_draws(plain, "points").keys() <= any_chance(plain, "points").outcomes


def test_chance_needs_a_game_that_ends() -> None:
    for way in (fair_draws, any_chance):
        with pytest.raises(InputError, match="positions can repeat"):
            way(State.start(Settings(2, 3, 3)))
        with pytest.raises(InputError, match="must be points or win, not 'sets'"):
            way(start_of(brisk(2, 3, 3)), "sets")


@pytest.mark.slow
def test_5_3_3_is_shared_if_all_ties_are_about_one_player() -> None:
    start = start_of(brisk(5, 3, 3))
    result = max_n_result(game_graph(start), start, "win")
    assert result.outcomes == [(2, 0, 0), (1, 1, 1), (0, 2, 0), (0, 0, 2)]
    assert result.against == result.in_favour == [[(1, 1, 1)]] * 3


def test_with_two_players_player_0_gets_all() -> None:
    start = State.start(Settings(3, 4, 2))
    result = max_n_result(game_graph(start), start)
    assert (result.outcomes, result.winners) == ([(4, 0)], [0])
    assert result.against == result.in_favour == [[(4, 0)]] * 2


def test_a_forced_win_is_the_outcome() -> None:
    """A player who can force a win also wins in selfish play; a player who cannot win does not."""
    start = start_of(brisk(3, 3, 3))
    solution = solve(start)
    solved = {ties: solve_max_n(solution, "win", ties) for ties in TIES}
    for state in random_states(start, Random(5), thorough(60, 1000)):
        standing = solution.standing(state)
        for player in range(3):
            for outcomes in solved.values():
                gets = {outcome[player] for outcome in outcomes.of(state, player)}
                assert player not in standing.can_force or gets == {2}
                assert player in standing.can_win or 2 not in gets


def test_a_solution_is_immutable() -> None:
    """Policies, reviews and pages share one result."""
    start = start_of(brisk(2, 3, 3))
    solution = solve(start)
    results = [
        solution, solution.graph, solution.values, solution.standing(start), solution.graph.rules,
        next(solution.graph.segments()), solve_max_n(solution), any_chance(start),
    ]  # fmt: skip
    for result in results:
        for field in fields(result):  # type: ignore[arg-type]
            with pytest.raises(FrozenInstanceError):
                setattr(result, field.name, None)


def test_invalid_arguments_are_refused() -> None:
    endless = game_graph(State.start(Settings(2, 3, 3)))
    with pytest.raises(InputError, match="positions can repeat in this game"):
        solve_max_n(endless)
    with pytest.raises(InputError, match="must be points or win, not 'sets'"):
        solve_max_n(endless, "sets")
    with pytest.raises(InputError, match="must be any or against or for, not 'at random'"):
        solve_max_n(endless, "win", "at random")
    chancy = game_graph(State.start(Settings(2, 4, 4, TieBreak.MIN_SETS, brisk=True)))
    with pytest.raises(InputError, match="tie-break first-in-order"):
        solve_max_n(chancy)
    with (
        limited("quaternity.perfect.solving.max_n", MAX_OUTCOME_BYTES=10),
        pytest.raises(LimitError, match="MB are allowed"),
    ):
        solve_max_n(game_graph(start_of(brisk(2, 3, 3))))


@pytest.mark.parametrize("ties", TIES.values())
def test_sets_of_more_outcomes_than_a_word_has_bits(ties: int) -> None:
    """Compare the look-ups in the tables with their definition."""
    random, orders = Random(7), role_orders(4)[0]
    ends = [points for points in product(range(7), repeat=4) if sum(points) == 6]
    tables = _Tables(4, ends, ties, states=1)
    assert (len(tables.outcomes), tables.words) == (84, 2)

    def members(bits: list[int]) -> set[Outcome]:
        return {gets for n, gets in enumerate(tables.outcomes) if bits[n // 64] >> n % 64 & 1}

    marks = np.array([[random.random() < 0.1 for _ in tables.outcomes] for _ in range(40)])
    sets = np.array([[tables.bits(row)] * tables.tie_roles for row in marks])
    order = np.array([random.randrange(len(orders)) for _ in marks])
    asked = np.array([random.randrange(4) for _ in marks])
    for about in range(tables.tie_roles):
        renamed = tables.before(sets, np.arange(len(sets)), order, about)
        kept = tables.no_worse[about, asked, tables.worst(renamed, asked, about)]
        for row, roles, role in zip(range(len(sets)), order, asked, strict=True):
            before = members(renamed[row].tolist())
            after = members(sets[row, 0].tolist())
            # The role after the answer of each role before it.
            named = [orders[roles].index(r) for r in range(4)]
            assert before == {tuple([gets[named[r]] for r in range(4)]) for gets in after}
            liking = {gets: (gets[role], ties * gets[about]) for gets in tables.outcomes}
            worst = min((liking[gets] for gets in before), default=max(liking.values()))
            assert members(kept[row].tolist()) == {g for g in liking if liking[g] >= worst}
