"""Puzzles: made again from their seeds, and judged as they say."""

from __future__ import annotations

import json
from datetime import date
from hashlib import sha256
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from quaternity.base.errors import InputError
from quaternity.base.sentences import facts
from quaternity.game.game import Game
from quaternity.puzzles import KINDS, Puzzle, daily, make
from quaternity.puzzles.puzzle import LEVELS, MOST_SEED
from quaternity.ternary.cards import SetCard
from solvers.problem import players_in
from tests.sizes import thorough

EVERY = [
    (kind, level)
    for kind in KINDS
    for level in thorough(range(1, 3 if kind in ("force", "trace") else 4), LEVELS)
]


def seeds(level: int) -> range:
    """A seed, and in the thorough run more; of dear levels fewer."""
    return range(thorough(1, 1 if level > 3 else 4))


@pytest.mark.parametrize(("kind", "level"), EVERY)
def test_a_seed_makes_the_same_puzzle_again(kind: str, level: int) -> None:
    for seed in seeds(level):
        puzzle = make(kind, seed, level)
        assert (puzzle.kind, puzzle.level, puzzle.seed) == (kind, level, seed)
        assert str(make(kind, seed, level)) == str(puzzle)
        assert json.loads(str(puzzle)) == puzzle.document()
        assert puzzle.why


@pytest.mark.parametrize(("kind", "level"), EVERY)
def test_right_answers_are_right_and_each_wrong_one_is_shown_to_be_wrong(
    kind: str, level: int
) -> None:
    for seed in seeds(level):
        puzzle = make(kind, seed, level)
        assert puzzle.answers
        assert not set(puzzle.answers) & set(puzzle.wrong)
        for answer in puzzle.answers:
            assert puzzle.check(answer).right
            assert puzzle.check(f"  {answer.upper()} ".replace("YES", "y.")).right
        for answer, because in puzzle.wrong.items():
            assert puzzle.check(answer) == (False, because)
            assert because
        for none in ("a banana", "", ",", "place", "hand over"):
            with pytest.raises(InputError, match=r"^answer .*: write "):
                puzzle.check(none)


@pytest.mark.parametrize("kind", ["owner", "trace"])
def test_every_card_with_every_player_is_right_or_shown_to_be_wrong(kind: str) -> None:
    for seed in range(thorough(2, 10)):
        puzzle = make(kind, seed, 1)
        answers = {*puzzle.answers, *puzzle.wrong}
        cards, players = ({answer.split()[part] for answer in answers} for part in (0, 1))
        assert answers == {f"{card} {player}" for card in cards for player in players}


def test_half_a_move_that_fits_several_moves_is_no_answer() -> None:
    puzzle = make("quarto", 2, 3)
    assert puzzle.answers == ("place it on H1V3, hand over M",)
    with pytest.raises(InputError, match="write a move"):
        puzzle.check("hand over M")
    asked = make("force", 0, 1)
    assert asked.check(asked.answers[0].partition(" ")[2]).right


def looks(puzzle: Puzzle) -> tuple[int, ...]:
    """The cards of a table of SET, the least under all renamings of properties and values."""
    digits = [SetCard(int(card)).digits for card in puzzle.position.split()]
    values = np.array(list(permutations(range(3))))
    least = []
    for properties in permutations(zip(*digits, strict=True)):
        renamed = [values[:, list(column)] for column in properties]
        first, second, third, last = renamed
        halves = (first[:, None] * 3 + second).reshape(36, -1)
        others = (third[:, None] * 3 + last).reshape(36, -1)
        tables = np.sort((halves[:, None] * 9 + others).reshape(1296, -1), axis=1)
        least.append(min(map(tuple, tables.tolist())))
    return min(least)


def state_looks(puzzle: Puzzle) -> tuple[Any, ...]:
    """A state and what is asked, the least under all renamings of players, sets and cards."""
    state, about = Game.parse(puzzle.position).state, facts(puzzle.question)
    players, asked = range(state.players), about.get("card")
    least = []
    for new in permutations(players):
        old = [new.index(player) for player in players]
        sets = [
            (
                sorted(
                    (sorted(new[player] for player in players_in(mask)), (index, number) == asked)
                    for number, mask in enumerate(each.owners)
                ),
                [(each.low[player], each.high[player]) for player in old],
            )
            for index, each in enumerate(state.problem.sets)
        ]  # fmt: skip
        hands = [(state.problem.hands[player], state.points[player]) for player in old]
        roles = [new[about[who]] for who in ("asker", "asked", "who") if who in about]
        turn = None if state.turn is None else new[state.turn]
        least.append((sorted(sets), hands, roles, turn))
    return repr(min(least)), str(about.get("answer")), about.get("count")


def test_no_two_of_many_seeds_look_alike() -> None:
    many = thorough(60, 300)
    assert len({looks(make("sets", seed, 1)) for seed in range(many)}) == many


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("kind", ["possible", "owner", "force"])
def test_no_two_states_of_many_seeds_look_alike(kind: str, level: int) -> None:
    many = thorough(40, 250)
    assert len({state_looks(make(kind, seed, level)) for seed in range(many)}) == many


def test_the_threes_of_a_table_are_all_named() -> None:
    puzzle = make("sets", 3, 2)
    letters = sorted(set("".join([*puzzle.wrong, *puzzle.answers])) - {" "})
    for three in map("".join, combinations(letters, 3)):
        assert (three in puzzle.wrong) != (three in puzzle.answers[0].split())
    shuffled = " ".join(three[::-1].lower() for three in reversed(puzzle.answers[0].split()))
    assert puzzle.check(shuffled).right
    missing = puzzle.answers[0].rpartition(" ")[0] or "none"
    assert "missing" in puzzle.check(missing).because


def test_a_day_has_the_same_five_everywhere() -> None:
    day = daily(date(2026, 11, 23))
    assert [puzzle.kind for puzzle in day] == ["sets", "possible", "quarto", "trace", "owner"]
    assert [puzzle.answers[0] for puzzle in day] == DAY
    assert {puzzle.seed for puzzle in day} == {20261123}
    digest = sha256("".join(map(str, day)).encode()).hexdigest()
    assert digest.startswith(DAY_BYTES), "other bytes are of another VERSION"


DAY_BYTES = "9445b693b7bb0d78f09f5a9340d02b77"
DAY = ["AGI", "no", "place it on H2V4, hand over M", "0/0 2", "0/0 0"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("chess",), "kind 'chess' is unknown; known are possible, owner, "),
        (("sets", -1), "seed: -1 "), (("sets", MOST_SEED + 1), "seeds are 0 to 9007199254740991"),
        (("sets", 0, 0), "level: 0 "), (("sets", 0, 6), "level 6: levels are 1 to 5"),
        (("json:loads",), "kind 'json:loads' cannot be loaded: TypeError"),
        (("no.such:Kind",), "kind 'no.such:Kind' cannot be loaded: ModuleNotFoundError"),
        (("sets", "x"), "seed: 'x' "), ((7,), "kind 7 is unknown"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_refused(arguments: tuple[object, ...], why: str) -> None:
    with pytest.raises(InputError, match=why):
        make(*arguments)  # type: ignore[arg-type]


class Heads:
    """A kind of somebody else's: heads or tails."""

    def attempt(self, random: object, level: int, wish: float) -> Puzzle:
        """Make one."""
        return Puzzle(
            "coin", "coin", "", "Which side?", "choice", ("heads",), {"tails": "it fell"}, (),
            level, choices=("heads", "tails"),
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Look again."""
        return {"heads"}


def test_a_kind_of_ones_own_is_a_class() -> None:
    puzzle = make("tests.puzzles.test_puzzles:Heads", level=3)
    assert puzzle.check("1").right
    assert puzzle.check("tails").because == "it fell"
