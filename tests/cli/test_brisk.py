"""`--brisk` in all commands that begin a game."""

from pathlib import Path

from tests.cli.conftest import Cli

HEAD = "quaternity 1\nset-size 4\nsets 3\nplayers 3\ntie-break first-in-order\n"
WHY = "a brisk game forbids questions that can only be answered by no"


def unwrap(text: str) -> str:
    """Return the text on a single line."""
    return " ".join(text.split())


def test_a_brisk_game_is_played_saved_and_resumed(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    begun = cli("play", "--brisk", "--record", path, stdin="1 0 2\nn\n0 0 2\nwhy\nquit\n")
    assert "A brisk game: questions that can only be answered by no" in begun.out
    assert unwrap(begun.out).count(f"player 0 is known not to have 0/2; {WHY}") == 2
    assert "move 1: 0 asks 1 for 0/2: no" in begun.out
    assert path.read_text() == f"{HEAD}brisk yes\n0 asks 1 for 0/2: no\n"
    for options in ((), ("--brisk",)):
        resumed = cli("play", *options, "--record", path, stdin="0 0 2\nquit\n")
        assert WHY in unwrap(resumed.out)
    plain = tmp_path / "plain.record"
    plain.write_text(HEAD)
    refused = cli("play", "--brisk", "--record", plain)
    assert (refused.status, "brisk yes was requested" in refused.err) == (2, True)
    legal = [row[:3] for row in cli("questions", path, "--json").json]
    assert [0, 0, 2] not in legal
    with path.open("a") as file:
        file.write("1 asks 0 for 0/2: no\n")
    checked = cli("check", path)
    assert (checked.status, WHY in checked.out) == (1, True)


def test_a_brisk_game_is_solved_and_has_a_separate_tablebase(cli: Cli, tmp_path: Path) -> None:
    path, sizes = tmp_path / "game.tb", ("-s", 2, "-n", 3, "-p", 3)
    solution = cli("solve", *sizes, "--brisk", "--out", path, "--json").json
    assert (solution["states"], solution["questions"], solution["rules"]["brisk"]) == (13, 15, True)
    assert "brisk" not in cli("solve", *sizes, "--json").json["rules"]
    assert cli("solve", *sizes, "--brisk").out.startswith("2-3-3 brisk: 13 canonical states")
    assert cli("solve", *sizes, "--brisk", "--estimate").out.startswith("2-3-3 brisk: ")
    refused = cli("solve", *sizes, "--out", path)
    assert (refused.status, "3 players, brisk, not" in refused.err) == (2, True)
    # A record that is not brisk is solved as if the rest of its game were brisk.
    record = tmp_path / "plain.record"
    record.write_text("quaternity 1\nset-size 2\nsets 3\nplayers 3\n")
    assert cli("solve", "--from", record, "--brisk", "--json").json["states"] == 13
    answer = cli("solve", *sizes, "--brisk", "--ask", "force:1", "--json").json
    assert (answer["can_force"], answer["checked_whole"], answer["again"]) == (False, True, None)


def test_programs_play_brisk_tournaments_and_sequences_are_counted(cli: Cli) -> None:
    words = ("tournament", "informed", "random", "random", "-s", 2, "--games", 6)
    assert "6 games of 2-3-3 brisk" in cli(*words, "--brisk").out
    assert cli(*words, "--brisk", "--json").json["brisk"] is True
    assert "brisk" not in cli(*words, "--json").json
    assert cli(*words, "--brisk", "--replay", 0).out.splitlines()[5] == "brisk yes"
    assert cli("perft", "--brisk", "-d", 2, "--json").json == {"leaves": [48, 2136]}


def test_ties_are_broken_by_chance_on_request(cli: Cli) -> None:
    solve = ("solve", "--brisk", "-s", 3, "-n", 2, "-p", 3, "--everybody", "points")
    coin = cli(*solve, "--ties", "coin", "--json").json["everybody"]
    assert coin["outcomes"] == [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    assert (coin["chances"], coin["expected"]) == (["1/4", "1/4", "1/2"], ["1/2", "3/4", "3/4"])
    assert "expected: 1/2, 3/4, 3/4" in cli(*solve, "--ties", "coin").out
    assert "player 0 expects at least 0, at most 2" in cli(*solve, "--ties", "chance").out
    refused = cli(*solve, "--ties", "dice")
    assert refused.status == 2
    assert "--ties: must be coin or chance, not 'dice'" in refused.err
    refused = cli("solve", "--brisk", "--ties", "coin")
    assert refused.status == 2
    assert "--ties: can be used only with --everybody" in refused.err
