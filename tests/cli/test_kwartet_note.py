"""`kwartet note`; also `know` and `watch` on the log of a single seat."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from quaternity.kwartet.hands import cards_in
from quaternity.kwartet.log import log_as_seen, log_text, parse_any_log, seat_log_text
from quaternity.kwartet.played import GameLog, seat_log_of
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import KwartetSettings
from tests.cli.conftest import Cli
from tests.kwartet.games import random_log, random_settings
from tests.kwartet.twins import twins
from tests.sizes import thorough

HAND = "0/0 0/1 1/0 2/0 2/1 3/0"
NEW = ("--seat", 1, "--players", 3, "--sets", 4, "--cards", "5,6,5", "--hand", HAND)
START = f"""\
kwartet 1
players 3
sets 4
announce at-once
own-card-requests yes
hand 0: 5 cards
hand 1: {HAND}
hand 2: 5 cards
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "evening.log"


def test_typed_requests_are_saved_and_explained(cli: Cli, path: Path) -> None:
    typed = "0 asks 2 for 1/1: no\n0/3 0 n\n0 0/3 yes\n2 0 0/2 y\n2 0/2 no\nhistory\nquit\n"
    outcome = cli("kwartet", "note", path, *NEW, stdin=typed)
    assert (outcome.status, outcome.err) == (0, "")
    assert "certain now: player 0 has 1/1" in outcome.out
    assert "player 1 asks> " in outcome.out
    assert "it is the turn of player 1, not of player 2" in " ".join(outcome.out.split())
    assert "2. 1 asks 0 for 0/3: yes" in outcome.out
    kept = START + "0 asks 2 for 1/1: no\n1 asks 0 for 0/3: yes\n1 asks 2 for 0/2: no\n"
    assert path.read_text() == kept
    # The log is continued at its end.
    outcome = cli("kwartet", "note", path, stdin="undo\n2 0/2 y\n0/1 1 n\nhelp\nstate\n")
    assert "taken back: 1 asks 2 for 0/2: no" in outcome.out
    assert "1 puts down 0" in outcome.out
    assert "  0  -     -     -     -     put down by 1" in outcome.out
    assert path.read_text().endswith("1 asks 2 for 0/2: yes\n1 puts down 0\n")


def test_sets_of_others_are_put_down(cli: Cli, path: Path) -> None:
    typed = "2 puts down 1\n2 puts down 3\n0 asks 2 for 1/1: yes\n0 puts down 1\nquit\n"
    outcome = cli("kwartet", "note", path, *NEW[:-1], HAND.replace("1/0", "3/1"), stdin=typed)
    assert "player 2 cannot put down set 3: the hand of player 1 shows" in outcome.out
    kept = path.read_text()
    assert kept.endswith("hand 2: 5 cards\n2 puts down 1\n")
    assert "set 1 is removed" in outcome.out
    other = path.with_name("other.log")
    typed = "0 asks 2 for 1/1: yes\n0 puts down 1\n2 puts down 1\n0 puts down 1\nquit\n"
    outcome = cli("kwartet", "note", other, *NEW[:-1], HAND.replace("1/0", "3/1"), stdin=typed)
    assert other.read_text().endswith("0 asks 2 for 1/1: yes\n0 puts down 1\n")
    assert "who made the last request, can put down sets now" in outcome.out
    assert "has already put down" in outcome.out


def typed_lines(log: GameLog, seat: int, random: Random) -> list[str]:
    """Return the lines that a user types for a game: short or in full, with slips taken back."""
    lines = []
    slips = [
        "x" * 5000,
        "0 puts down 99",
        "9 asks 9 for 9/9: no",
        "know",
        "why H0",
        " " * 900 + "y",
    ]
    down = [pair for pair in seat_log_of(log, seat).put_down_at_deal if pair[1] != seat]
    random.shuffle(down)
    for index, player in down:
        lines += [f"{player} puts down {index}", "undo"] * random.randrange(2)
        lines.append(f"{player} puts down {index}")
    for event in log.events:
        asker, asked, card = event.question
        full = [
            f"{asker} asks {asked} for {card}: ", f"{asker} {asked} {card} ", f"{asked} {card}, ",
            f"{asked} for {card} ",
        ]  # fmt: skip
        request = random.choice(full) + random.choice(["yes", "y"] if event.answer else ["no", "n"])
        later = [f"{asker} puts down {completed}" for completed in event.announced]
        if later and random.random() < 0.5:
            request, later = f"{request}, puts down {' and '.join(map(str, event.announced))}", []
        random.shuffle(later)
        lines += [request, *later, "undo"] * random.randrange(2)
        lines += [random.choice(slips)] * random.randrange(2)
        lines += [request, *later]
    return lines


@pytest.mark.parametrize("seed", range(thorough(4, 60)))
def test_every_way_of_typing_a_game_gives_the_log_of_the_seat(
    cli: Cli, path: Path, seed: int
) -> None:
    random = Random(f"typed/{seed}")
    settings = random_settings(random, range(2, 9), range(2, 14))
    log = random_log(settings, random, random.randrange(25))
    seat = random.randrange(settings.players)
    seen_log = seat_log_of(log, seat)
    new = {
        "--seat": seat, "--players": settings.players, "--sets": settings.sets,
        "--cards": ",".join(map(str, seen_log.sizes[: settings.players])),
        "--announce": settings.announce, "--hand": " ".join(map(str, cards_in(seen_log.hand))),
        "--set-size": settings.set_size, "--aside": settings.aside,
        "--max-moves": settings.max_moves,
    }  # fmt: skip
    options = [part for pair in new.items() if pair[1] is not None for part in pair]
    if not settings.own_card_requests:
        options.append("--no-own-card-requests")
    lines = typed_lines(log, seat, random)
    while lines:
        now = random.randint(1, len(lines))
        outcome = cli("kwartet", "note", path, *options, stdin="\n".join(lines[:now]))
        assert (outcome.status, outcome.err) == (0, "")
        lines, options = lines[now:], []
    if not path.exists():
        cli("kwartet", "note", path, *options)
    assert path.read_text() == seat_log_text(seen_log)


def test_sets_put_down_at_the_deal_can_be_taken_back(cli: Cli, path: Path) -> None:
    hand = "0/0 0/1 0/2 0/3 2/1 4/0 4/1 5/0"
    new = ("--seat", 1, "--players", 3, "--sets", 6, "--hand", hand)
    cli("kwartet", "note", path, *new, stdin="2 puts down 3\n0 puts down 1\n")
    begun = path.read_text()
    typed = "undo\nundo\nundo\n0 puts down 3\n2 puts down 1\nundo\n2 puts down 1\n"
    outcome = cli("kwartet", "note", path, stdin=typed)
    assert "taken back: 2 puts down 3" in outcome.out
    assert "taken back: 0 puts down 1" in outcome.out
    assert "there is nothing to take back" in outcome.out
    swapped = begun.replace("0 puts down 1\n", "2 puts down 1\n")
    swapped = swapped.replace("2 puts down 3\n", "0 puts down 3\n")
    assert path.read_text() == swapped
    typed = "0 puts down 1\n2 puts down 1\n2 puts down 9\n7 puts down 5\n"
    output = cli("kwartet", "note", path, stdin=typed).out
    assert "set 1 cannot be put down twice, by" in output
    assert "player 2 has already put down set 1" in output
    assert "set 9 is out of range 0..5" in output
    assert "player 7 is out of range 0..2" in output
    # The last typed set is taken back first, wherever it is in the log; the seat's own one stays.
    cli("kwartet", "note", path, stdin="undo\nundo\n0 puts down 3\n2 puts down 1\nundo\n")
    assert path.read_text() == begun.replace("0 puts down 1\n2 puts down 3", "0 puts down 3")


def test_of_two_players_each_holds_the_cards_that_the_other_lacks(cli: Cli, path: Path) -> None:
    new = ("--seat", 0, "--players", 2, "--sets", 2, "--hand", "0/0 0/1 0/2 0/3")
    outcome = cli("kwartet", "note", path, *new, stdin="undo\n")
    assert path.read_text().endswith("0 puts down 0\n1 puts down 1\n")
    assert outcome.status == 0
    assert "1 puts down 1 cannot be taken back: the deal is impossible" in outcome.out


def test_long_lines_are_shortened_in_the_output(cli: Cli, path: Path) -> None:
    typed = [
        "z" * 9000,
        f"0 asks 2 for {'1' * 3000}: no",
        f"know {'q' * 9000}",
        f"2 {' ' * 99999}y",
    ]
    outcome = cli("kwartet", "note", path, *NEW, stdin="\n".join(typed))
    assert outcome.status == 0
    assert max(map(len, outcome.out.splitlines())) < 500
    assert outcome.out.count("...") == 4


@pytest.mark.parametrize(
    ("lines", "typed", "left"),
    [
        ("  0 asks 2 for 1/1: no  # aha\n", "undo\n", ""),
        ("0  asks 2 for  1/1 :  no\n# so\n\t1 asks 0 for 0/3: no\n", "undo\n", 1),
        ("2 puts down 1\n", "undo\n", ""),
        ("2 puts down 1\n0 puts down 3\n", "undo\n", 1),
        ("0 asks 2 for 1/2:no\r\n1 asks 0 for 0/3: no\r\n", "undo\n", 1),
    ],
)
def test_undo_removes_lines_written_by_hand(
    cli: Cli, path: Path, lines: str, typed: str, left: str | int
) -> None:
    start = START.replace(" 1/0", " 2/2") if "puts" in lines else START
    start = start.replace("2/0 2/1 3/0", "2/0 2/1") + "# here 1/1 goes\n"
    start = start.replace("6 cards", "5 cards").replace("hand 0: 5", "hand 0: 6")
    path.write_bytes((start + lines).encode())
    outcome = cli("kwartet", "note", path, stdin=typed)
    assert (outcome.status, outcome.err) == (0, ""), outcome
    kept = "".join(lines.splitlines(keepends=True)[:left]) if isinstance(left, int) else left
    assert path.read_bytes().decode().replace("# so\n", "").rstrip() == (start + kept).rstrip()


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_log_written_by_hand_is_continued(cli: Cli, path: Path, end: str) -> None:
    """Omitted settings have their default values, and comments stay."""
    lines = [line for line in START.splitlines() if not line.startswith(("announce", "own"))]
    begun = "\n".join([*lines, "# at last", "0 asks 2 for 1/1: no"]) + end
    path.write_text(begun)
    cli("kwartet", "note", path, stdin="0 0/3 n\n")
    assert path.read_text() == f"{begun.rstrip()}\n1 asks 0 for 0/3: no\n"
    cli("kwartet", "note", path, stdin="undo\nquit\n")
    assert path.read_text() == f"{begun.rstrip()}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seat", 3], "is out of range 0..2"),
        (["--hand", "0/0"], "hand 1: expected 6 cards, not 1"),
        (["--hand", "0/0 0/0"], "card 0/0 is in the hand twice"),
        (["--hand", "0/0 9/0"], "9/0"),
        (["--hand", "x"], "x"),
        (["--cards", "5,6"], "11 cards in 2 hands"),
        (["--cards=-1,11,6"], "hand 0: the number of cards must be >= 0, not -1"),
        (["--cards", "a,b"], "expected numbers such as 18,17,17"),
        (["--announce", "never"], "choose from at-once"),
    ],
)
def test_bad_options_are_refused(cli: Cli, path: Path, arguments: list[object], words: str) -> None:
    outcome = cli("kwartet", "note", path, *NEW, *arguments)
    assert outcome.status == 2
    assert words in outcome.err
    assert not path.exists()


def test_the_hand_is_requested_until_it_is_valid(cli: Cli, path: Path) -> None:
    outcome = cli("kwartet", "note", path, *NEW[:-2], stdin=f"0/0\nx\n{HAND}\nquit\n")
    assert outcome.out.count("your 6 cards, for example") == 3
    assert "hand 1: expected 6 cards, not 1" in outcome.out
    assert path.read_text() == START
    path.unlink()
    for wrong, times in (("0/0\n", 2), (b"\xff\n", 2)):
        outcome = cli("kwartet", "note", path, *NEW[:-2], stdin=wrong)
        assert outcome.status == 2
        assert outcome.out.count("your 6 cards") == times
    outcome = cli("kwartet", "note", path, *NEW[:-2], stdin="0/0\nquit\n")
    assert outcome.status == 0
    assert "cards, quit and use --cards" in outcome.out
    assert not path.exists()
    outcome = cli("kwartet", "note", path, *NEW[:-2], "--cards", "5,6", stdin=HAND)
    assert (outcome.status, outcome.out) == (2, "")
    assert not path.exists()


def test_other_logs_are_left_alone(cli: Cli, path: Path) -> None:
    path.write_text(log_text(random_log(KwartetSettings(3, 4), Random(1), 9)))
    before = path.read_text()
    assert "shows all hands" in cli("kwartet", "note", path).err
    path.write_text(START)
    assert (
        "this log was written by seat 1, not by seat 0"
        in cli("kwartet", "note", path, "--seat", 0).err
    )
    path.write_text(f"{START}0 asks 2 for 1/1: no\n1 as")
    outcome = cli("kwartet", "note", path, stdin="quit\n")
    assert "is incomplete and was ignored" in outcome.err
    assert cli("kwartet", "note", path, stdin="0 0/3 n\n").status == 0
    assert path.read_text() == f"{START}0 asks 2 for 1/1: no\n1 asks 0 for 0/3: no\n"
    path.write_text(before)


def test_a_request_whose_announcement_was_cut_off_is_typed_again(cli: Cli, path: Path) -> None:
    text = START.replace("0/0 0/1 1/0", "0/0 0/1 0/2") + "0 asks 2 for 1/1: no\n"
    path.write_text(f"{text}1 asks 0 for 0/3: yes\n1 puts do")
    outcome = cli("kwartet", "note", path, stdin="0 0/3 y\n")
    assert "is incomplete and was ignored" in outcome.err
    assert path.read_text() == f"{text}1 asks 0 for 0/3: yes\n1 puts down 0\n"


ASKED = ["H2 0/3", "K1 H2 0/3", "Kw0 H1 0/0", "C !H0 0/0", "M2 H1 0/1", "P true", "!U1(2) <= 3"]


def all_output(cli: Cli, log: GameLog, seat: int, folder: Path) -> str:
    """Return everything that log, know, note and watch print for a seat."""
    whole, seen = folder / "whole.log", folder / "seen.log"
    whole.write_text(log_text(log))
    seen.write_text(log_as_seen(log, seat))
    outputs = []
    for arguments in (
        ["know", seen, *ASKED[:: thorough(3, 1)], "--why"],
        ["know", whole, *ASKED[1 :: thorough(3, 1)], "--why", "--seat", seat],
        ["know", whole, *ASKED[:2], "--chance", "--seat", seat, "--say", f"M{seat} H0 0/1"],
        ["know", seen, *ASKED[:2], "--chance", "--why", "--say", "H0 0/1 | H1 0/2 | H2 0/0"],
        ["know", whole, "K9 true", "--seat", seat],
        ["know", whole, "true", "--seat", seat, "--say", ASKED[0], "--say", f"!{ASKED[0]}"],
        ["know", seen, ASKED[0], "--over-time", "--say", f"Kw{seat} H0 0/0"],
        ["know", whole, *ASKED[: thorough(1, 4)], "--over-time", "--seat", seat, "--json"],
        ["know", whole, ASKED[0], "--over-time", "--seat", seat, "--svg", folder / "drawn.svg"],
        ["watch", seen],
        ["watch", whole, "--seat", seat],
    ):
        outcome = cli("kwartet", *arguments)
        outputs += [outcome.status, outcome.out, outcome.err]
    outputs.append((folder / "drawn.svg").read_text())
    words = "\n".join(
        ["state", "chances", "history", *(f"why {text}" for text in ASKED[-2:]), "hint", "quit"]
    )
    outcome = cli("kwartet", "note", seen, stdin=words)
    return repr([*outputs, outcome, seen.read_text()])


@pytest.mark.parametrize("seed", range(thorough(1, 10)))
def test_output_depends_only_on_what_the_seat_sees(cli: Cli, tmp_path: Path, seed: int) -> None:
    """Games that a seat cannot tell apart give it the same output, byte for byte."""
    random = Random(f"note/{seed}")
    log = random_log(random_settings(random, range(3, 5), range(3, 5)), random, 4)
    seat = random.randrange(log.settings.players)
    others = twins(log, seat, random, 4)
    assert others, "the hands of the others are known: choose another seed"
    output = all_output(cli, log, seat, tmp_path)
    for other in others[: thorough(1, 3)]:
        assert all_output(cli, other, seat, tmp_path) == output
    strange = (seat + 1) % log.settings.players
    assert all_output(cli, log, strange, tmp_path) != output


def test_a_seat_other_than_that_of_the_log_is_refused(cli: Cli, path: Path) -> None:
    path.write_text(START)
    for command in (["know", path, "true"], ["watch", path]):
        outcome = cli("kwartet", *command, "--seat", 0)
        assert outcome.status == 2
        assert "shows only what player 1 saw" in outcome.err


def test_an_undetermined_formula_is_open_with_a_deal_for_each_value(cli: Cli, path: Path) -> None:
    path.write_text(f"{START}0 asks 2 for 1/1: no\n")
    outcome = cli("kwartet", "know", path, "H0 0/3", "--why", "--json")
    assert outcome.json["true"] is None
    assert [deal[0][3] for deal in outcome.json["deals"]] == [0, 2]
    text = cli("kwartet", "know", path, "H0 0/3", "--why").out.splitlines()
    assert text[0] == "open"
    assert any(line.endswith("0/3: player 0, on the right player 2") for line in text)
    assert cli("kwartet", "know", path, "H0 1/1").out == "true\n"
    assert cli("kwartet", "know", path, "K1 H0 0/3").out == "false\n"


def test_chances_of_formulas_are_printed(cli: Cli, path: Path) -> None:
    path.write_text(f"{START}0 asks 2 for 1/1: no\n")
    outcome = cli("kwartet", "know", path, "H0 0/3", "K1 H0 1/1", "--chance", "--json")
    chances = [json.loads(line)["chance"] for line in outcome.out.splitlines()]
    # Player 0 has 1/1 and four of the nine other cards that player 1 does not see.
    assert chances[0] == {"value": 4 / 9, "low": 4 / 9, "high": 4 / 9, "exact": True}
    assert chances[1]["value"] == 1
    text = cli("kwartet", "know", path, "H0 0/3", "--chance").out
    assert text == "open\n  probability for player 1: 44.4%\n"
    noted = cli("kwartet", "note", path, stdin="know H0 0/3\nquit\n").out
    assert "you do not know whether H0 0/3: the probability is 44%" in noted


def test_announcements_change_what_is_known(cli: Cli, path: Path) -> None:
    path.write_text(f"{START}0 asks 2 for 1/1: no\n")
    says = ("--say", "!H0 0/3 | H0 1/1", "--say", "some c in set 3: H1 c")
    assert cli("kwartet", "know", path, "H0 1/1", *says).out == "true\n"
    outcome = cli("kwartet", "know", path, "true", "--say", "H1 0/3")
    assert (outcome.status, outcome.out) == (1, "")
    assert "H1 0/3 cannot be announced: it is not true, as player 1 knows" in outcome.err
    # The announcements are made in order: after the first, player 0 is known to have 0/3.
    refused = cli("kwartet", "know", path, "true", "--say", "H0 0/3", "--say", "H2 0/3")
    assert refused.status == 1
    assert "H2 0/3 cannot be announced" in refused.err


def test_an_announcement_that_a_seat_cannot_check_is_assumed_to_be_true(
    cli: Cli, path: Path
) -> None:
    path.write_text(f"{START}0 asks 2 for 1/1: no\n")
    says = ("--say", "H2 0/3", "--say", "K0 !H0 0/2")
    formulas = ("H0 0/2", "K1 H2 0/2", "H0 3/1", "H2 2/2")
    outcome = cli("kwartet", "know", path, *formulas, *says)
    assert outcome.out.splitlines() == [
        "assumed to be true, but not known to player 1: H2 0/3; K0 !H0 0/2",
        "false  H0 0/2",
        "true  K1 H2 0/2",
        "open  H0 3/1",
        "open  H2 2/2",
    ]
    output = cli("kwartet", "know", path, *formulas, *says, "--chance", "--why", "--json").out
    answers = [json.loads(line) for line in output.splitlines()]
    assert [answer["true"] for answer in answers] == [False, True, None, None]
    assert answers[0]["supposed"] == ["H2 0/3", "K0 !H0 0/2"]
    deals = [deal for answer in answers for deal in answer["deals"]]
    assert len(deals) == 6
    # Two deals for each of the two open formulas, and one for each of the other reasons.
    assert [deal[0][2:] for deal in deals] == [[2, 2]] * 6
    # Player 0 has four of the seven remaining cards, player 2 three.
    assert [answer["chance"]["value"] for answer in answers] == [0, 1, 4 / 7, 3 / 7]


def test_truth_over_time_is_printed(cli: Cli, path: Path) -> None:
    path.write_text(f"{START}0 asks 2 for 1/1: no\n1 asks 0 for 0/3: yes\n")
    outcome = cli("kwartet", "know", path, "K1\n\tH0 1/1", "H1 0/3", "true", "--over-time")
    assert outcome.status == 0
    assert [line for line in outcome.out.splitlines()[1:] if not line.startswith("  ")] == [
        "K1 H0 1/1  .##",
        "H1 0/3     ..#",
        "true       ###",
    ]
    assert "  true from request 1, 0 asks 2 for 1/1: no" in outcome.out
    document = cli("kwartet", "know", path, "H0 0/3", "--over-time", "--json").json
    assert document == {"formula": "H0 0/3", "over_time": [None, None, False], "changes": [2]}
    assert cli("kwartet", "know", path, "true", "--over-time", "--at", 1).status == 2
    assert cli("kwartet", "know", path, "true", "--over-time", "--chance").status == 2


def test_truth_over_time_fits_a_narrow_terminal_and_is_drawn(
    cli: Cli, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text(log_text(random_log(KwartetSettings(3, 4), Random(1), 30)))
    drawing = tmp_path / "time.svg"
    monkeypatch.setenv("COLUMNS", "30")
    outcome = cli("kwartet", "know", path, "true", "--over-time", "--svg", drawing)
    assert outcome.out.splitlines()[-4:-1] == [
        "true", f"     0  {'#' * 20}", f"    20  {'#' * 11}",
    ]  # fmt: skip
    assert "<title>true from 0</title>" in drawing.read_text()
    refused = cli("kwartet", "know", path, "true", "--svg", drawing)
    assert (refused.status, refused.out) == (2, "")
    assert "add --over-time" in refused.err


@pytest.mark.parametrize("seed", range(thorough(2, 20)))
def test_truth_over_time_agrees_with_know_at_every_step(cli: Cli, path: Path, seed: int) -> None:
    random = Random(f"over time/{seed}")
    log = random_log(random_settings(random, range(2, 4), range(2, 4)), random, 8)
    path.write_text(log_text(log))
    formula = random.choice(["H1 0/1", "K1 H0 0/1", "Kw0 H1 0/0", "C !H0 0/0"])
    row = cli("kwartet", "know", path, formula, "--over-time", "--json").json["over_time"]
    for step, truth in enumerate(row):
        assert cli("kwartet", "know", path, formula, "--at", step, "--json").json["true"] is truth


def test_truth_over_time_is_unknown_if_an_announcement_is_impossible(cli: Cli, path: Path) -> None:
    path.write_text(f"{START}0 asks 2 for 1/1: no\n1 asks 0 for 0/3: yes\n1 asks 0 for 0/2: no\n")
    command = ("kwartet", "know", path, "H0 1/1", "--over-time", "--say", "!H1 0/3")
    outcome = cli(*command, "--say", "K1 H0 1/1")
    assert "H0 1/1  -#--" in outcome.out
    assert "-: --say is not true" in outcome.out
    assert "  cannot be announced from request 2, 1 asks 0 for 0/3: yes" in outcome.out
    document = cli(*command, "--json").json
    assert document["over_time"] == [None, True, None, None]
    assert document["unsaid"] == [2, 3]


def test_a_formula_is_explained_after_the_end_of_the_game(cli: Cli, path: Path) -> None:
    """No set in play has any cards left, but formulas may still name them."""
    hands = "hand 0: 0/0 0/1 0/2 1/0\nhand 1: 0/3 1/1 1/2 1/3\n"
    moves = "0 asks 1 for 0/3: yes\n0 puts down 0\n0 asks 1 for 1/1: yes\n0 asks 1 for 1/2: yes\n"
    end = "0 asks 1 for 1/3: yes\n0 puts down 1\n"
    path.write_text(f"kwartet 1\nplayers 2\nsets 2\n{hands}{moves}{end}")
    outcome = cli("kwartet", "know", path, "K1 !H0 0/1", "--why")
    assert (outcome.status, outcome.err) == (0, "")
    assert "no request is needed" in outcome.out


def test_the_log_of_a_bystander_is_read_and_continued(cli: Cli, path: Path) -> None:
    text = START.replace(f"hand 1: {HAND}", "hand 1: 6 cards") + "0 asks 2 for 1/1: no\n"
    path.write_text(text)
    log = parse_any_log(text)
    assert isinstance(log, SeatLog)
    assert log.seat is None
    assert cli("kwartet", "know", path, "!H2 1/1").out == "true\n"
    assert cli("kwartet", "know", path, "H0 1/1").out == "open\n"
    outcome = cli("kwartet", "note", path, stdin="1 0 0/0 y\n1 0 0/1 n\nwhy H1 0/0\nhint\n")
    assert "everybody knows that H1 0/0 is true" in outcome.out
    assert "hints are given only on your own turn" in outcome.out
    assert "possible deals: for a bystander" in cli("kwartet", "watch", path).out
