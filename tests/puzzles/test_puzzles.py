"""Puzzles can be made again from their seeds, and check answers as they promise."""

from __future__ import annotations

import json
import re
from datetime import date
from functools import partial
from hashlib import sha256
from itertools import combinations, product

import pytest

from quaternity.base.errors import InputError
from quaternity.base.sentences import message_data
from quaternity.game.game import Game
from quaternity.puzzles import KINDS, Puzzle, daily, make
from quaternity.puzzles.boards import position_of
from quaternity.puzzles.puzzle import LEVELS, MAX_SEED
from quaternity.quarto.board import Board
from quaternity.quarto.rows import cell_name
from tests.kwartet.replay import Deal
from tests.puzzles.by_trying import deals_seen, knows
from tests.sizes import thorough

EVERY = [
    (kind, level)
    for kind in KINDS
    for level in thorough(range(1, 3 if kind in ("force", "trace") else 4), LEVELS)
]


def seeds(level: int) -> range:
    """Return one seed, or more in the thorough run, but not for expensive levels."""
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
def test_right_answers_are_accepted_and_each_wrong_one_is_refuted(kind: str, level: int) -> None:
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
        for invalid in ("a banana", "", ",", "place", "hand over"):
            with pytest.raises(InputError, match=r"^answer .*: write "):
                puzzle.check(invalid)


@pytest.mark.parametrize("kind", ["owner", "trace"])
def test_every_card_with_every_player_is_right_or_refuted(kind: str) -> None:
    for seed in range(thorough(2, 10)):
        puzzle = make(kind, seed, 1)
        answers = {*puzzle.answers, *puzzle.wrong}
        cards, players = ({answer.split()[part] for answer in answers} for part in (0, 1))
        assert answers == {f"{card} {player}" for card in cards for player in players}


def test_half_a_move_that_fits_several_moves_is_not_an_answer() -> None:
    puzzle = make("quarto", 2, 3)
    assert puzzle.answers == ("place it on H1V3, hand over M",)
    with pytest.raises(InputError, match="write a move"):
        puzzle.check("hand over M")
    asked = make("force", 0, 1)
    assert asked.check(asked.answers[0].partition(" ")[2]).right


@pytest.mark.parametrize(("kind", "level"), EVERY)
def test_a_question_is_one_sentence_and_no_hand_is_left_blank(kind: str, level: int) -> None:
    for seed in seeds(level):
        puzzle = make(kind, seed, level)
        assert re.fullmatch(r"[^.?!]*[.?!]", puzzle.question), puzzle.question
        for text in (*puzzle.wrong.values(), *(step.text for step in puzzle.why)):
            assert not re.search(r"has[ ]*[,.]", text), text
            assert not re.search(r"[.] [a-z]", text), text


@pytest.mark.parametrize("kind", ["possible", "owner"])
def test_a_harder_level_counts_more_cards_of_more_players(kind: str) -> None:
    def most(level: int) -> list[int]:
        seeds = thorough((1,), range(15))
        puzzles = [make(kind, seed, level) for seed in seeds]
        return [puzzle.level_from["players"] + puzzle.level_from["sets"] for puzzle in puzzles
                if "players" in puzzle.level_from]  # fmt: skip

    assert max(most(1), default=0) < min(most(3), default=9)
    assert max(most(3), default=0) < min(most(5), default=9)


def test_a_forced_set_is_explained_by_why_nobody_can_say_no() -> None:
    for seed in range(thorough(2, 20)):
        puzzle = make("force", seed, 2)
        if puzzle.level_from["hidden"]:
            assert any("cannot answer no: " in step.text for step in puzzle.why)


def test_a_wrong_question_is_shown_by_a_line_of_play_that_gains_nothing() -> None:
    for seed, level in product(range(thorough(2, 20)), (1, 3)):
        puzzle = make("force", seed, level)
        me, within = message_data(puzzle.question)["who"], puzzle.level_from["questions"]
        for asked, because in puzzle.wrong.items():
            game = Game.parse(puzzle.position)
            line = message_data(because)["line"]
            assert str(line[0]).startswith(asked)
            points = game.state.points[me]
            for move in line:
                game = game.play(str(move))
            assert game.state.points[me] == points
            assert len(line) <= within


def test_a_wrong_quarto_move_is_refuted_by_moves_of_both_players_in_turn() -> None:
    """Each move says whose it is. The player of the last move wins, or the game is a draw."""
    lines = 0
    for seed in range(thorough(4, 20)):
        for because in make("quarto", seed, 3).wrong.values():
            if "line" not in message_data(because):
                continue
            line, ends = (message_data(because)[key] for key in ("line", "ends"))
            movers = [str(move).partition(":")[0] for move in line]
            assert movers == [("They", "You")[number % 2] for number in range(len(line))]
            winner = {"They": "The other player", "You": "You"}[movers[-1]]
            assert str(ends).startswith((winner, "Nobody wins"))
            lines += 1
    assert lines


def test_the_properties_of_a_set_are_separated_by_semicolons() -> None:
    """A property that differs is itself a list, such as "open, solid and striped"."""
    steps = [str(step.text) for step in make("sets", 3, 3).why if "is a SET" in step.text]
    assert steps
    value = "(?:the same \\w+ \\(\\w+\\)|\\w+, \\w+ and \\w+)"
    assert all(re.fullmatch(f"[A-O]{{3}} is a SET: {value}(?:; {value}){{3}}\\.", text)
               for text in steps)  # fmt: skip


def holds(holder: int, card: tuple[int, int], deal: Deal) -> bool:
    return card in deal[holder]


def test_a_player_who_does_not_know_the_formula_knows_half_of_it() -> None:
    for seed, level in product(thorough((3, 4, 5), range(12)), thorough((4,), (3, 4, 5))):
        puzzle = make("knows", seed, level)
        about = message_data(puzzle.question)
        if puzzle.answers == ("yes",) or about["formula"].startswith(f"K{about['who']} H"):
            continue
        deals = deals_seen(puzzle.position, everybody=True)
        knows_it = knows(deals, (about["who"],), partial(holds, about["holder"], about["card"]))
        assert all(map(knows_it, deals_seen(puzzle.position, everybody=False)))


def test_steps_of_quarto_are_played_to_their_end() -> None:
    for seed, level in product(range(thorough(2, 12)), (1, 3)):
        puzzle = make("quarto", seed, level)
        board = position_of(puzzle)
        assert isinstance(board, Board)
        names = list(map(cell_name, range(16)))
        for step in puzzle.why:
            for part in step.rests:
                cell, _, piece = part.partition(" ")
                board = board.after(names.index(cell), piece) if piece else board
        if str(puzzle.why[-1].text) == "You win.":
            assert board.quartos()


def test_the_threes_of_a_table_are_all_named() -> None:
    puzzle = make("sets", 3, 2)
    letters = sorted(set("".join([*puzzle.wrong, *puzzle.answers])) - {" "})
    for three in map("".join, combinations(letters, 3)):
        assert (three in puzzle.wrong) != (three in puzzle.answers[0].split())
    shuffled = " ".join(three[::-1].lower() for three in reversed(puzzle.answers[0].split()))
    assert puzzle.check(shuffled).right
    missing = puzzle.answers[0].rpartition(" ")[0] or "none"
    assert "missing" in puzzle.check(missing).because


def test_a_day_has_the_same_five_puzzles_everywhere() -> None:
    day = daily(date(2026, 11, 23))
    assert [puzzle.kind for puzzle in day] == ["sets", "possible", "quarto", "trace", "owner"]
    assert [puzzle.answers[0] for puzzle in day] == DAY
    assert {puzzle.seed for puzzle in day} == {20261123}
    digest = sha256("".join(map(str, day)).encode()).hexdigest()
    assert digest.startswith(DAY_BYTES), "the puzzles of a day, or their texts, have changed"


DAY_BYTES = "7c232f453becfdc6739dea5e8e13ce9b"
DAY = ["AGI", "no", "place it on H2V4, hand over M", "0/0 2", "3/1 2"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("chess",), "unknown kind 'chess': choose from possible, owner, "),
        (("sets", -1), "seed: must be a whole number >= 0, not -1"),
        (("sets", MAX_SEED + 1), "seed: must be from 0 to 9007199254740991"),
        (("sets", 0, 0), "level: must be a whole number >= 1, not 0"),
        (("sets", 0, 6), "level: must be from 1 to 5, not 6"),
        (("json:loads",), "kind 'json:loads' cannot be loaded: TypeError"),
        (("no.such:Kind",), "kind 'no.such:Kind' cannot be loaded: ModuleNotFoundError"),
        (("sets", "x"), "seed: must be a whole number >= 0, not 'x'"), ((7,), "unknown kind 7"),
    ],
)  # fmt: skip
def test_a_puzzle_that_cannot_be_made_is_refused(arguments: tuple[object, ...], why: str) -> None:
    with pytest.raises(InputError, match=why):
        make(*arguments)  # type: ignore[arg-type]


class Heads:
    """A kind of puzzle from another package: heads or tails."""

    def attempt(self, random: object, level: int, wish: float) -> Puzzle:
        """Make a puzzle."""
        return Puzzle(
            "coin", "coin", "", "Which side?", "choice", ("heads",), {"tails": "it fell"}, (),
            level, choices=("heads", "tails"),
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Return the answers as another method finds them."""
        return {"heads"}


def test_a_class_can_be_a_kind_of_puzzle() -> None:
    puzzle = make("tests.puzzles.test_puzzles:Heads", level=3)
    assert puzzle.check("1").right
    assert puzzle.check("tails").because == "it fell"
