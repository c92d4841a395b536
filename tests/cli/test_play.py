"""`play`: input, output, and the record on disk."""

from pathlib import Path

import pytest

from quaternity.game.record import parse_record
from tests.cli.conftest import Cli

START = "quaternity 1\nset-size 4\nsets 3\nplayers 3\ntie-break first-in-order\n"


def test_a_few_moves_are_saved_until_the_end_of_the_input(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    outcome = cli("play", "--record", path, stdin="1 0 2\nn\n2 for 1/1\nYES\n")
    assert outcome.status == 0
    assert "the game ends here, after 2 moves" in outcome.out
    assert path.read_text() == START + "0 asks 1 for 0/2: no\n1 asks 2 for 1/1: yes\n"


@pytest.mark.parametrize(
    "question", ["1 0 2", "1 for 0/2", "1 0/2", "0 asks 1 for 0/2", "1  0  2 "]
)
def test_a_question_can_be_typed_in_several_ways(cli: Cli, tmp_path: Path, question: str) -> None:
    path = tmp_path / "game.record"
    cli("play", "--record", path, stdin=f"{question}\nno\n")
    assert path.read_text() == START + "0 asks 1 for 0/2: no\n"


def test_forced_answers_are_announced_and_explained(cli: Cli) -> None:
    outcome = cli("play", stdin="1 0 2\nn\n0 0 2\nwhy\n")
    assert ": no (the only possible answer)" in outcome.out
    assert "yes is impossible: player 0 is known not to have 0/2" in outcome.out


def test_invalid_input_is_explained_and_requested_again(cli: Cli) -> None:
    outcome = cli("play", stdin="hello\n\n9 0 2\n0 0 2\n1 9 9\n1 0 2\nperhaps\nn\nquit\n")
    assert outcome.status == 0
    for words in (
        "'hello' is not understood",
        "player 9 is out of range 0..2",
        "players cannot ask themselves",
        "set 9 is out of range 0..2",
        "answer 'perhaps': expected yes or no",
        "after 1 move",
    ):
        assert words in outcome.out


def test_help_questions_state_and_why_are_printed(cli: Cli) -> None:
    outcome = cli("play", stdin="help\nquestions\nstate\nwhy\nwhy 1 0 2\n1 0 2\nhelp\nundo\nquit\n")
    assert "Ask:" in outcome.out
    assert "1 for 0/0, 0/1, 0/2 and 0/3" in outcome.out
    assert "no move was refused, and no answer was forced" in outcome.out
    assert "both answers are possible" in outcome.out
    assert "1 move taken back" in outcome.out
    assert "after 0 moves" in outcome.out


def test_a_game_resumes_from_its_record(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(START + "0 asks 1 for 0/2: no\n1 asks 0 f")
    outcome = cli("play", "--record", path, stdin="2 1 1\ny\n")
    assert "after 1 move" in outcome.out
    assert "line 7 is incomplete" in outcome.err
    assert path.read_text() == START + "0 asks 1 for 0/2: no\n1 asks 2 for 1/1: yes\n"


def test_a_last_line_without_an_end_is_completed(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(START + "0 asks 1 for 0/2: no")
    cli("play", "--record", path, stdin="2 1 1\ny\n")
    assert path.read_text() == START + "0 asks 1 for 0/2: no\n1 asks 2 for 1/1: yes\n"


def test_random_seats_finish_a_game_that_the_referee_confirms(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    seats = [option for seat in range(3) for option in ("--random", seat)]
    outcome = cli("play", *seats, "--seed", 5, "--record", path)
    assert outcome.status == 0
    assert "the game is over (player 0: " in outcome.out
    assert parse_record(path.read_bytes()).replay().state.is_over
    assert cli("check", path, "--solver", "all").status == 0
    again = tmp_path / "again.record"
    cli("play", *seats, "--seed", 5, "--record", again)
    assert again.read_text() == path.read_text()


def test_a_game_of_two_players_starts_with_a_warning(cli: Cli) -> None:
    assert "player 0 never loses the turn" in cli("play", "-n", 2, "-p", 2).out


def test_a_byte_order_mark_is_kept(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    text = "\ufeff" + START + "0 asks 1 for 0/2: no\n"
    path.write_text(text)
    cli("play", "--record", path, stdin="2 1 1\ny\n")
    assert path.read_text() == text + "1 asks 2 for 1/1: yes\n"


def test_a_record_with_a_truncated_header_is_not_resumed(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(START[:-6])
    outcome = cli("play", "--record", path, stdin="1 0 2\nn\n")
    assert outcome.status == 2
    assert "is incomplete" in outcome.err
    assert path.read_text() == START[:-6]


@pytest.mark.parametrize("seed", ["-1", "1234567890"])
def test_seeds_that_no_record_can_hold_are_refused(cli: Cli, tmp_path: Path, seed: str) -> None:
    path = tmp_path / "game.record"
    outcome = cli("play", "--record", path, "--seed", seed)
    assert outcome.status == 2
    assert "out of range 0..999999999" in outcome.err
    assert not path.exists()


@pytest.mark.parametrize("word", ["undo", "UNDO", "undo it"])
def test_a_question_taken_back_is_not_in_the_record(cli: Cli, tmp_path: Path, word: str) -> None:
    path = tmp_path / "game.record"
    outcome = cli("play", "--record", path, stdin=f"1 0 0\nn\n2 1 0\n{word}\n2 1 1\ny\n")
    assert outcome.status == 0
    assert path.read_text() == START + "0 asks 1 for 0/0: no\n1 asks 2 for 1/1: yes\n"


def test_only_the_player_to_move_can_ask(cli: Cli) -> None:
    outcome = cli("play", stdin="2 asks 1 for 0/0\n")
    assert "it is the turn of player 0, not of player 2" in " ".join(outcome.out.split())


def test_why_is_about_the_position_of_the_refusal(cli: Cli) -> None:
    outcome = cli("play", stdin="1 0 0\ny\n1 0 0\nwhy\n")
    assert "0 asks 1 for 0/0 is refused: player 0 owns 0/0" in outcome.out
    outcome = cli("play", stdin="1 0 2\nn\n0 0 2\n2 1 1\nn\nwhy\n")
    assert "1 asks 0 for 0/2: yes is impossible" in outcome.out


def test_why_accepts_players_that_do_not_exist(cli: Cli) -> None:
    outcome = cli("play", stdin="why 9 0 2\nwhy 7 asks 1 for 0/2\nmoves\nquit\n")
    assert outcome.status == 0
    assert "0 asks 9 for 0/2 is refused: player 9 is out of range 0..2" in outcome.out
    assert "the game ends here" in outcome.out


def test_why_shows_the_moves_and_their_proof_or_that_none_matter(cli: Cli) -> None:
    outcome = cli("play", "-s", 2, "-n", 4, "-p", 4,
                  stdin="3 1 0\nn\n2 0 1\ny\n0 2 1\nn\n3 3 1\nwhy\n")  # fmt: skip
    assert "player 3 holds 3 cards (2 at the start, 1 received)" in " ".join(outcome.out.split())
    assert " ".join(outcome.out.split()).count("but must hold") == 1
    assert (
        "  this follows from these moves alone:\n"
        "    move 2: 3 asks 2 for 0/1: yes\n    move 3: 3 asks 0 for 2/1: no\n"
    ) in outcome.out
    outcome = cli("play", "-s", 2, "-n", 2, "-p", 2, stdin="1 0 0\nwhy\nwhy 1 1 0\nwhy 0 1 0\n")
    assert outcome.out.count("no earlier move matters") == 1 + 1


def test_a_question_that_waits_for_its_answer_is_asked_again_after_resuming(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "game.record"
    assert "after 0 moves" in cli("play", "--record", path, stdin="1 0 2\nquit\n").out
    assert path.read_text() == START + "0 asks 1 for 0/2:"
    watched = cli("watch", path)
    assert "step 1 of 1\n0 asks 1 for 0/2\n" in watched.out
    outcome = cli("play", "--record", path, stdin="y\n")
    assert outcome.err == ""
    assert "0 asks 1 for 0/2: yes or no?" in outcome.out
    assert path.read_text() == START + "0 asks 1 for 0/2: yes\n"
    path.write_text(START + "0 asks 1 for 0/2: n")
    outcome = cli("play", "--record", path, stdin="n\n")
    assert "the last answer is incomplete and was ignored" in outcome.err
    assert path.read_text() == START + "0 asks 1 for 0/2: no\n"


@pytest.mark.parametrize(
    "last", ["0 asks 1 for 0/2", "0 asks 1 for 0/0: ye", "0 asks 1 for 7/2:", "1 for 0/2:", "\xff:"]
)
def test_an_incomplete_question_is_left_out(cli: Cli, tmp_path: Path, last: str) -> None:
    path = tmp_path / "game.record"
    path.write_text(START + "0 asks 1 for 0/0: no\n" + last, encoding="latin-1")
    outcome = cli("play", "--record", path, stdin="quit\n")
    assert "is incomplete and was ignored" in outcome.err
    assert "resuming" in outcome.out
    assert "player 1> " in outcome.out


@pytest.mark.parametrize("typed", ["seat 1 random\n1 0 2\n", "1 0 2\nseat 1 random\n"])
def test_a_record_notes_that_a_seat_was_handed_over(cli: Cli, tmp_path: Path, typed: str) -> None:
    """Between a question and its answer, the note follows the answer; an undo keeps the note."""
    path = tmp_path / "game.record"
    cli("play", "--record", path, "--seats", "you,you,you", stdin=f"{typed}quit\n")
    assert path.read_text().count("# seats: you, random, you\n") == 1
    assert cli("check", path).status == 0
    outcome = cli("play", "--record", path, stdin="undo\nquit\n")
    assert "player 0 is you, player 1 is random, player 2 is you" in outcome.out
    assert "taken back" in outcome.out
    assert path.read_text() == START + "# seats: you, random, you\n"
    other = cli("play", "--record", path, "--seats", "random,you,you", stdin="quit\n")
    assert "player 0 is random, player 1 is you, player 2 is you" in other.out


def test_the_news_shows_a_question_and_its_answer_once(cli: Cli) -> None:
    outcome = cli("play", stdin="1 0 2\nn\nhistory\nrules\nquit\n")
    assert outcome.out.count("0 asks 1 for 0/2: no") == 2
    assert "\nplayer 1> 1. 0 asks 1 for 0/2: no\n" in outcome.out
    assert " ".join(outcome.out.split()).count("=1: player 1 has the card") == 2


def test_a_repeated_table_has_its_news_again(cli: Cli) -> None:
    screens = cli("play", stdin="1 0 2\nn\nstate\nstate\nquit\n").out.split("player 1> ")
    assert "0 asks 1 for 0/2: no" in screens[1]
    assert screens[2] == screens[3] == screens[1]


def test_questions_are_shown_side_by_side_and_why_needs_no_turn(cli: Cli) -> None:
    outcome = cli("play", stdin="questions\n1 0 2\nwhy 2 1 0\nquit\n")
    assert "  1 for 0/0, 0/1, 0/2 and 0/3   2 for 0/0, 0/1, 0/2 and 0/3\n" in outcome.out
    assert "0 asks 2 for 1/0: both answers are possible" in outcome.out


def test_moves_are_typed_as_in_a_record(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    typed = "0 asks 1 for 0/2: no\n1 asks 2 for 0/2: yes\n2 0 1: perhaps\nknow H1 0/2\n"
    typed += "know !H0 0/2 & M0 H1 0/1\nknow H1 0/1\nknow\nknow H9\n"
    outcome = cli("play", "--record", path, stdin=typed)
    assert path.read_text() == f"{START}0 asks 1 for 0/2: no\n1 asks 2 for 0/2: yes\n"
    assert "answer 'perhaps': expected yes or no" in outcome.out
    assert "H1 0/2 is true in every possible deal" in outcome.out
    assert "H1 0/1 can be true or false" in outcome.out
    assert "player 9 does not exist" in outcome.out
    typed = "why H1 0/2\nwhy H1 0/1\nwhy !H2 0/2\nwhy K1 true\nwhy true\nwhy H9\nwhy 9 9\n"
    outcome = cli("play", "--record", path, stdin=f"{typed}why cards(1) = 5\n")
    rests = "this follows from these moves alone:\n    move 2: 1 asks 2 for 0/2"
    assert f"H1 0/2 is true in every possible deal\n  {rests}" in outcome.out
    assert "0/1: player" in outcome.out
    assert "no move matters: this was certain from the start" in outcome.out
    assert "moves can be listed as reasons only for" in outcome.out
    assert outcome.out.count("no move matters") == 1
    assert (
        "cards(1) = 5 is true in every possible deal\n  the formula contains numbers" in outcome.out
    )
    assert "'9 9' is not understood" in outcome.out
    two = cli("play", "-s", 2, "-n", 2, "-p", 2, stdin="0 asks 1 for 0/0: no\nquit\n")
    assert "'0 asks 1 for 0/0': the answer no is impossible" in two.out
    assert "after 0 moves" in two.out


@pytest.mark.usefixtures("interactive_terminal")
def test_formulas_are_answered_while_watching(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(f"{START}0 asks 1 for 0/2: no\n1 asks 2 for 0/2: yes\n")
    outcome = cli("watch", path, stdin="know H1 0/2\n4\n3\nwhy H1 0/2\nhelp\nq\n")
    assert "H1 0/2 can be true or false" in outcome.out
    assert "H1 0/2 is true in every possible deal" in outcome.out
    assert "this follows from these moves" in outcome.out
    assert "know F     whether formula F is true" in outcome.out
