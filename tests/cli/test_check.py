"""`check`, `questions` and `perft`, mostly with their JSON output."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from quaternity.game.record import parse_record
from quaternity.game.state_file import read_state, state_text
from solvers import SOLVERS, DealProblem, Infeasible, Verdict
from solvers.solver import solver_from_function
from tests.cli.conftest import Cli
from tests.sizes import thorough

DATA = Path(str(files("quaternity"))) / "data"
RECORD = DATA / "game-4-13-4.record"
OWN_RECORD = "quaternity 1\nset-size 4\nsets 3\nplayers 3\n"


def test_a_recorded_game_is_confirmed_by_four_solvers(cli: Cli) -> None:
    lines = RECORD.read_text().splitlines(keepends=True)[: thorough(40, None)]
    outcome = cli("check", "-", "--solver", "all", "--json", stdin="".join(lines))
    assert outcome.status == 0
    assert outcome.json["kind"] == "record"
    assert outcome.json["valid"] is True
    assert outcome.json["reason"] is None
    assert set(outcome.json["verdicts"]) >= {"cp-sat", "max-flow", "matching", "coalitions"}
    assert all(outcome.json["verdicts"].values())


@pytest.mark.parametrize("name", [*SOLVERS, "all", None])
def test_every_solver_can_be_chosen(cli: Cli, name: str | None, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_text(
        '{"format": "quaternity-state/1", "set_size": 2, "sets": 2, "players": 2, "hands": [2, 2],'
        '"owners": [[[0, 1], [0, 1]], [[0, 1], [0]]], "minimum": [[0, 0], [0, 0]],'
        '"completed": [null, null]}'
    )
    outcome = cli("check", state, "--json", *([] if name is None else ["--solver", name]))
    assert outcome.status == 0, outcome.err
    names = {"coalitions"} if name is None else set(SOLVERS) if name == "all" else {name}
    assert outcome.json["verdicts"] == dict.fromkeys(names, True)


@pytest.mark.parametrize("name", ["damaged-minimum-4-13-4.json", "damaged-owner-4-13-4.json"])
def test_damaged_states_are_impossible_with_a_reason(cli: Cli, name: str) -> None:
    outcome = cli("check", DATA / name, "--json", "--solver", "all")
    assert outcome.status == 1
    assert outcome.json["valid"] is False
    assert outcome.json["deal"] is None
    assert "must hold" in outcome.json["reason"]
    assert not any(outcome.json["verdicts"].values())


def test_states_with_uneven_hands_and_single_cards_are_judged(cli: Cli, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_text(
        '{"format": "quaternity-state/1", "set_size": 1, "sets": 3, "players": 2, "hands": [3, 0],'
        '"owners": [[[0, 1]], [[0]], [[0, 1]]], "minimum": [[0, 0, 0], [0, 0, 0]],'
        '"completed": [null, null, null]}'
    )
    outcome = cli("check", state, "--json", "--solver", "all")
    assert (outcome.status, outcome.json["deal"]) == (0, [[0], [0], [0]])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hands": [3, 4]}, "the hands hold 7 cards in all, but 8 cards must be dealt"),
        ({"hands": [4, 5]}, "the hands hold 9 cards in all, but only 8 cards can be dealt"),
        (
            {"minimum": [[9, 0], [0, 0]]},
            "player 0 must hold at least 9 cards, but may hold at most 4",
        ),
        ({"owners": [[[], [0], [0], [1]], [[0, 1]] * 4]}, "nobody may own card 0/0"),
        ({"completed": [0, None], "hands": [4, 0]}, "card 0/0 cannot belong to player 0"),
        (
            {"completed": [1, None], "owners": [[[1]] * 4, [[0, 1]] * 4], "hands": [4, 0],
             "minimum": [[2, 0], [0, 0]]},
            "set 0 is completed by player 1, but player 0 must hold 2 of its cards",
        ),
        ({"completed": [1, None], "hands": [4, 0], "maximum": [[4, 4], [1, 4]]},
         "may hold at most 1 of its cards"),
    ],
)  # fmt: skip
def test_an_impossible_state_is_not_malformed(
    cli: Cli, tmp_path: Path, change: dict[str, object], words: str
) -> None:
    document = {
        "format": "quaternity-state/1", "set_size": 4, "sets": 2, "players": 2, "hands": [4, 4],
        "owners": [[[1]] * 4, [[0, 1]] * 4], "minimum": [[0, 0], [0, 0]], "completed": [None, None],
    }  # fmt: skip
    path = tmp_path / "state.json"
    path.write_text(json.dumps(document | change))
    outcome = cli("check", path, "--json")
    assert outcome.status == 1, outcome.err
    assert words.split(", but may")[0] in outcome.json["reason"]


BILLIONS = 10**30


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({"hands": [BILLIONS, 0]}, False),
        ({"hands": [BILLIONS, 2]}, False),
        ({"minimum": [[BILLIONS, 0], [0, 0]]}, False),
        ({"minimum": [[BILLIONS, 0], [0, 0]], "maximum": [[BILLIONS, 2], [2, 2]]}, False),
        ({"minimum": [[0, 0], [0, 3]], "maximum": [[2, 2], [2, BILLIONS]]}, False),
        ({"maximum": [[BILLIONS, 2], [2, BILLIONS]]}, True),
        ({"maximum": [[1, 1], [1, 1]]}, True),
        ({"maximum": [[0, 0], [2, 2]]}, False),
    ],
)
def test_every_solver_handles_bounds_and_huge_numbers(
    cli: Cli, tmp_path: Path, change: dict[str, object], valid: bool
) -> None:
    document = {
        "format": "quaternity-state/1", "set_size": 2, "sets": 2, "players": 2, "hands": [2, 2],
        "owners": [[[0, 1]] * 2] * 2, "minimum": [[0, 0], [0, 0]], "completed": [None, None],
    }  # fmt: skip
    path = tmp_path / "state.json"
    path.write_text(json.dumps(document | change))
    outcome = cli("check", path, "--json", "--solver", "all")
    assert outcome.status == (0 if valid else 1), outcome.err
    assert {"cp-sat", "max-flow", "coalitions", "brute-force"} <= set(outcome.json["verdicts"])
    assert set(outcome.json["verdicts"].values()) == {valid}


def test_an_illegal_move_is_reported_with_the_legal_answer(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(f"{OWN_RECORD}# opening\n0 asks 1 for 0/2: no\n1 asks 0 for 0/2: yes\n")
    outcome = cli("check", path, "--json", "--solver", "all")
    assert outcome.status == 1
    assert outcome.json["reason"].startswith(
        "line 7: '1 asks 0 for 0/2: yes' is not a legal answer"
    )
    assert "the legal answer is no" in outcome.json["reason"]
    assert set(outcome.json["verdicts"].values()) == {False}


def test_the_next_file_is_checked_after_a_bad_one(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("check", tmp_path / "none", RECORD, "--json")
    assert outcome.status == 2
    assert json.loads(outcome.out)["valid"] is True
    assert "none" in outcome.err


def test_standard_input_is_a_file_called_dash(cli: Cli) -> None:
    assert cli("check", "-", stdin=RECORD.read_text()).status == 0


def test_a_cut_off_record_loads_with_a_warning(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(OWN_RECORD + "0 asks 1 for 0/2: no\n1 asks 0 fo")
    outcome = cli("check", path)
    assert outcome.status == 0
    assert "line 6 is incomplete and was ignored" in outcome.err


def test_questions_are_sorted_rows(cli: Cli, tmp_path: Path) -> None:
    for line in (Path(__file__).parents[1] / "data/oracle_states.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["valid"] and row["state"]["set_size"] == 3:
            break
    path = tmp_path / "state.json"
    path.write_text(json.dumps(row["state"]))
    outcome = cli("questions", path, "--json")
    assert (outcome.status, outcome.json) == (0, sorted(row["questions"]))


def test_questions_after_a_record(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(OWN_RECORD + "0 asks 1 for 0/2: no\n")
    rows = cli("questions", path, "--json").json
    state = parse_record(path.read_bytes()).replay().state
    assert len(rows) == len(state.legal_questions)
    assert [0, 0, 2, 1, 0] in rows
    assert [2, 0, 2, 0, 1] in rows


def test_questions_need_a_turn(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    text = state_text(read_state(str(DATA / "possible-4-13-4.json")).state)
    path.write_text("\n".join(line for line in text.splitlines() if '"turn"' not in line))
    outcome = cli("questions", path)
    assert outcome.status == 2
    assert "turn: missing" in outcome.err


def test_perft_prints_the_known_numbers(cli: Cli) -> None:
    assert cli("perft", "-s", 2, "-n", 3, "-p", 3, "-d", 4, "--json").json == {
        "leaves": [24, 384, 1344, 3168]
    }


def test_solvers_accept_a_move_out_of_turn(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(f"{OWN_RECORD}1 asks 2 for 0/2: no\n")
    outcome = cli("check", path, "--json", "--solver", "all")
    assert outcome.status == 1
    assert outcome.json["valid"] is False
    assert set(outcome.json["verdicts"].values()) == {True}


@pytest.mark.parametrize(("hands", "status"), [([0, 0], 0), ([1, 0], 1)])
def test_a_finished_game_has_no_questions(
    cli: Cli, tmp_path: Path, hands: list[int], status: int
) -> None:
    path = tmp_path / "state.json"
    document = {
        "format": "quaternity-state/1", "set_size": 2, "sets": 1, "players": 2, "hands": hands,
        "owners": [[[0], [0]]], "minimum": [[0], [0]], "completed": [0],
    }  # fmt: skip
    path.write_text(json.dumps(document))
    outcome = cli("questions", path, "--json")
    assert (outcome.status, outcome.out) == (status, "[]\n")


def test_players_without_cards_are_shown_too(cli: Cli) -> None:
    state = (
        '{"format": "quaternity-state/1", "set_size": 2, "sets": 1, "players": 4, "hands":'
        '[0, 2, 0, 0], "owners": [[[1], [1]]], "minimum": [[0], [0], [0], [0]],'
        '"completed": [null]}'
    )
    shown = "    player 0: -\n    player 1: 0/0 0/1\n    player 2: -\n    player 3: -\n"
    assert shown in cli("check", "-", stdin=state).out


def test_an_impossible_move_is_proved_once_by_the_moves_it_rests_on(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "game.record"
    path.write_text(
        "quaternity 1\nset-size 2\nsets 4\nplayers 4\n0 asks 3 for 1/0: no\n3 asks 2 for 0/1: yes\n"
        "3 asks 0 for 2/1: no\n0 asks 3 for 3/1: yes\n"
    )
    assert cli("check", path, "--json").json["reason"] == (
        "line 8: '0 asks 3 for 3/1: yes' is not a legal answer: player 3 cannot have 3/1: otherwise"
        " player 3 holds 3 cards (2 at the start, 1 received), but must hold at least 2 of set 0, "
        "at least 1 each of sets 2 and 3: 4 in all; the legal answer is no; the fault follows "
        "from these moves alone: line 6: 3 asks 2 for 0/1: yes; line 7: 3 asks 0 for 2/1: no"
    )


def test_a_question_that_was_impossible_from_the_start_rests_on_no_move(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "game.record"
    path.write_text(
        "quaternity 1\nset-size 2\nsets 2\nplayers 2\n0 asks 1 for 0/0: yes\n0 asks 1 for 1/0: no\n"
    )
    reason = cli("check", path, "--json").json["reason"]
    assert reason.endswith("the legal answer is yes; no earlier move matters: it was impossible "
                           "from the start")  # fmt: skip


def test_questions_are_counted_and_impossible_states_have_a_reason(
    cli: Cli, tmp_path: Path
) -> None:
    document = {
        "format": "quaternity-state/1", "set_size": 2, "sets": 2, "players": 2, "hands": [2, 2],
        "owners": [[[0], [1]], [[0], [1]]], "minimum": [[0, 0], [0, 0]],
        "completed": [None, None], "turn": 0,
    }  # fmt: skip
    path = tmp_path / "state.json"
    changes: list[tuple[dict[str, object], str]] = [
        ({}, "2 legal questions, player 0 to move"),
        ({"owners": [[[0], [1]], [[0], [0]]], "hands": [3, 1]}, "1 legal question, player 0"),
        ({"completed": [0, 1], "owners": [[[0]] * 2, [[1]] * 2], "hands": [0, 0]},
         "0 legal questions, the game is over"),
    ]  # fmt: skip
    for change, words in changes:
        path.write_text(json.dumps(document | change))
        assert words in cli("questions", path).out
    path.write_text(json.dumps(document | {"hands": [3, 1]}))
    assert "impossible: player 0 must hold 3 cards, but can have" in cli("questions", path).err


def lie(problem: DealProblem) -> Any:
    """Return a false verdict with a false proof: no deal is possible."""

    class FalseProof:
        def holds(self, problem: DealProblem) -> bool:
            return True

        def in_words(self, problem: DealProblem) -> str:
            return "it is so"

    proof: Any = FalseProof()
    return Infeasible(proof)


def leave(problem: DealProblem) -> Any:
    """End the program with exit status 0."""
    raise SystemExit(0)


@pytest.mark.parametrize(
    ("function", "words"),
    [(lie, "liar gave evidence that cannot be read"), (leave, "liar raised SystemExit(0)")],
)
@pytest.mark.parametrize("command", ["check", "compare", "fuzz"])
def test_a_faulty_solver_is_named_and_the_smallest_state_is_saved(
    cli: Cli,
    function: Any,
    words: str,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(SOLVERS, "liar", solver_from_function("liar", function))
    solvers = ("--solver", "liar") if command == "check" else ("--solvers", "liar,max-flow")
    files = (RECORD,) if command == "check" else ()
    outcome = cli(command, *files, *solvers, "--save-to", tmp_path)
    assert outcome.status == 3
    assert words in outcome.err
    message, _, suggested = outcome.err.partition("--solver ")
    assert "max-flow" not in message
    assert suggested.strip() == solvers[1]
    (saved,) = tmp_path.iterdir()
    assert f"quaternity check {saved} --solver " in outcome.err
    assert read_state(str(saved)).state.problem.cards <= 12
    again = cli("check", saved, "--solver", "liar", "--save-to", tmp_path)
    assert (again.status, again.out) == (3, "")
    (smallest,) = {*tmp_path.iterdir()} - ({saved} if command == "compare" else set())
    assert read_state(str(smallest)).state.problem.cards == 1


def test_a_state_that_cannot_be_saved_is_printed(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SOLVERS, "liar", solver_from_function("liar", lie))
    path = DATA / "possible-4-13-4.json"
    outcome = cli("check", path, "--solver", "liar", "--save-to", tmp_path / "nowhere")
    assert outcome.status == 3
    assert '"format": "quaternity-state/1"' in outcome.err


def test_a_fault_that_needs_a_completed_set_keeps_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_empty_sets(problem: DealProblem) -> Verdict:
        full = all(constraint.size for constraint in problem.sets)
        return SOLVERS["max-flow"](problem) if full else Infeasible()

    monkeypatch.setitem(SOLVERS, "liar", solver_from_function("liar", no_empty_sets))
    path = DATA / "possible-4-13-4.json"
    outcome = cli("check", path, "--solver", "liar", "--save-to", tmp_path)
    assert outcome.status == 3
    (saved,) = tmp_path.iterdir()
    assert read_state(str(saved)).state == read_state(str(path)).state


def test_a_set_that_is_not_marked_as_completed_is_put_down(cli: Cli) -> None:
    document = {
        "format": "quaternity-state/1", "set_size": 2, "sets": 3, "players": 3, "turn": 0,
        "hands": [2, 2, 2], "owners": [[[0], [0]], *[[[1, 2], [1, 2]]] * 2],
        "minimum": [[0] * 3] * 3, "completed": [None] * 3,
    }  # fmt: skip
    for command in (["check"], ["questions"], ["solve", "--ask", "force:1", "--from"]):
        outcome = cli(*command, "-", stdin=json.dumps(document))
        assert outcome.status == 0
        assert (
            "set 0: not marked as completed, although player 0 owns all its cards; it is treated "
            "as completed" in outcome.err
        )
        assert "player 0 has no cards: the turn passes to player 1" in outcome.err
    assert "player 1 can force a win" in outcome.out
    document |= {"set_size": 1, "hands": [1] * 3, "owners": [[[0, 1, 2]]] * 3}
    refused = cli("solve", "--from", "-", stdin=json.dumps(document))
    assert refused.status == 2
    assert "-: a game needs sets of at least 2 cards" in refused.err
