"""Explanations of a file that is dropped on a page."""

import json
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest

from quaternity.base.errors import InputError
from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.quarto.rules import QuartoRules
from quaternity.table.games import GAMES, rules_class

pytest.importorskip("jinja2", reason="the table in a browser needs the extra web")

from quaternity.web.app import app
from quaternity.web.hints import quaternity_know
from quaternity.web.lesson_pages import analyse_file, analysis_page
from quaternity.web.rendering import analysis_html
from solvers.exchange.deal_problem_file import deal_problem_text
from solvers.problem import DealProblem, SetConstraint
from tests.web.site import Site

DATA = files("quaternity") / "data"


def test_a_possible_state_is_shown_with_its_deals_and_owners() -> None:
    lesson = analyse_file((DATA / "possible-4-13-4.json").read_bytes())
    assert (lesson["kind"], lesson["possible"], lesson["deals"]) == ("state", True, "30")
    assert all(lesson["verdicts"].values())
    assert len(lesson["blocks"]) == 13
    html = analysis_html(lesson)
    assert "Possible" in html
    assert "Deals that fit what is known: <b>30</b>" in html


def test_a_large_game_is_shown_with_all_its_sets_and_players() -> None:
    moves = "".join(f"0 asks {seat} for 0/{seat}: yes\n" for seat in (1, 2, 3))
    lesson = analyse_file(f"quaternity 1\nset-size 4\nsets 12\nplayers 12\n{moves}".encode())
    html = analysis_html(lesson)
    assert [f">Set {number}<" in html for number in range(13)] == [True] * 12 + [False]
    assert "completed by" in html
    assert ">Player 11<" in html


def test_an_impossible_state_is_shown_with_the_reason() -> None:
    lesson = analyse_file((DATA / "damaged-minimum-4-13-4.json").read_bytes())
    assert not lesson["possible"]
    assert lesson["reason"] in analysis_html(lesson)
    assert not lesson["blocks"]


def test_a_record_is_judged_move_by_move() -> None:
    data = b"quaternity 1\nset-size 4\nsets 3\nplayers 3\n0 asks 1 for 0/2: no\n"
    assert analyse_file(data)["moves"] == 1
    broken = analyse_file(data + b"0 asks 2 for 0/2: no\n")
    assert not broken["possible"]
    assert "turn" in broken["reason"]


@pytest.mark.parametrize("game", GAMES)
def test_comments_and_marks_of_editors_change_nothing_of_a_record(game: str) -> None:
    rules = rules_class(game)()
    start = rules.start(Random(1))
    plain = rules.record_start(start, [f"player {seat}" for seat in range(rules.seats)])
    lines = "".join(f"{line}  # set 3, {{, [\n" for line in plain.splitlines())
    lessons = [
        analyse_file(text.encode()) for text in (plain, f"# more\n\n{lines}", f"\ufeff{plain}")
    ]
    assert lessons[0] == lessons[1] == lessons[2]
    assert (lessons[0]["game"], lessons[0]["moves"], lessons[0]["kind"]) == (game, 0, "record")


def test_a_record_of_another_game_keeps_its_rules() -> None:
    rules = QuartoRules()
    start = rules.start(Random(0))
    head = rules.record_start(start, ("a", "b"))
    lesson = analyse_file(f"{head}0 hand over A\n".encode())
    assert (lesson["game"], lesson["moves"], lesson["possible"]) == ("quarto", 1, True)
    assert "follows the rules" in analysis_html(lesson)


@pytest.mark.parametrize("data", [b"", b"{", b"hello", b"\xff\xfe", b"[]", b"quaternity 9\n"])
def test_an_unknown_file_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        analyse_file(data)


def test_a_dropped_file_is_shown_as_it_is_explained(tmp_path: Path) -> None:
    with Site(app(str(tmp_path))) as site:
        for data in (record_of(0), record_of(2), b'{"', b"hello"):
            page = site.ask("POST", "/learn", data)
            try:
                expected = 200, analysis_html(analyse_file(data))
            except InputError as error:
                expected = 422, analysis_html(None, str(error))
            assert (page.status, page.body.decode()) == expected


def record_of(moves: int) -> bytes:
    """Return the record of a game of Quaternity."""
    rules = QuaternityRules(Settings(4, 3, 3))
    text: str = rules.record_start(rules.start(Random(1)), ["a", "b", "c"])
    return (text + "0 asks 1 for 0/2: no\n" * moves).encode()  # the second is out of turn


def test_a_request_for_reasons_shows_why_a_formula_can_be_true_and_false() -> None:
    rules = QuaternityRules(Settings(4, 3, 3))
    text = record_of(1).decode()
    for formula, known in (("H0 0/0", None), ("not H1 0/2", True), ("H1 0/2", False)):
        query = {"formula": formula}
        plain = quaternity_know(rules, None, text, query)
        assert (plain["known"], plain["lines"]) == (known, [])
        lines = quaternity_know(rules, None, text, query | {"why": "1"})["lines"]
        assert lines
        assert ({"true if", "false if"} <= {*lines}) == (known is None)


def test_errors_are_escaped() -> None:
    assert "<script>" not in analysis_html(None, "<script>")


def state_of(sets: int, players: int) -> bytes:
    """Return a state file in which every owner is known."""
    document = {
        "format": "quaternity-state/1", "set_size": 4, "sets": sets, "players": players, "turn": 0,
        "hands": [4 * sets // players] * players,
        "owners": [[[index % players]] * 4 for index in range(sets)],
        "minimum": [[0] * sets for _ in range(players)], "completed": [None] * sets,
    }  # fmt: skip
    return json.dumps(document).encode()


def problem_of(sets: int, players: int) -> bytes:
    """Return the file of a deal problem in which nothing is known."""
    every = SetConstraint.of([range(players)] * 4, players=players)
    problem = DealProblem([4 * sets // players] * players, [every] * sets)
    return deal_problem_text(problem).encode()


@pytest.mark.parametrize(
    "data",
    [
        state_of(500, 20), state_of(1000, 100), problem_of(100, 50),
        b"quaternity 1\nset-size 4\nsets 500\nplayers 20\n",
    ],
)  # fmt: skip
def test_a_file_above_the_limit_is_refused_with_the_limit(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(State, "settle", None)  # that takes minutes
    page, status = analysis_page(data, "", "en")
    assert status == 422
    assert b"at most 2400 on this page" in page
    assert len(page) < 1000


def test_a_page_above_the_limit_is_not_sent() -> None:
    unknown = {f"{number:x}": 0 for number in range(90_000)}  # each gives a warning
    data = json.dumps(json.loads(state_of(3, 3)) | unknown).encode()
    page, status = analysis_page(data, "", "en")
    assert status == 422
    assert b"the limit is 4194304" in page
    assert len(page) < 1000


def test_the_page_is_drawn_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [analysis_page(data, "", "de") for data in (state_of(12, 4), b"hello")]
    monkeypatch.setattr("quaternity.web.lesson_pages.analysis_html", None)
    with Site(app(str(tmp_path))) as site:
        for data, (page, status) in zip((state_of(12, 4), b"hello"), expected, strict=True):
            answer = site.ask("POST", "/learn", data, headers={"accept-language": "de"})
            assert (answer.status, answer.body) == (status, page)
