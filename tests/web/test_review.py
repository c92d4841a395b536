"""The story of a finished game: the same for all viewers, and another try at its best moment."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from quaternity.puzzles.from_games import make_from_game
from quaternity.table.games import rules_of_record
from tests.limits import limited
from tests.review.test_other_games import TABLES, match, record
from tests.review.test_quaternity import TWO, play_random_game
from tests.web.site import Page, Site

pytest.importorskip("jinja2", reason="the table in a browser needs the extra web")
pytest.importorskip("starlette", reason="the table in a browser needs the extra web")

from quaternity.web.app import app

TIME = "quaternity.web.reviews"


def upload(site: Site, text: str) -> str:
    """Return the id of the table of a record."""
    made = site.ask("POST", "/api/records", text.encode())
    assert made.status == 201, made.body
    return str(made.json["table"])


def story(site: Site, table: str, language: str = "en") -> Page:
    """Return the story of a table."""
    return site.ask("GET", f"/t/{table}/story?language={language}")


def cut(text: str) -> str:
    """Return a record without its last line."""
    return "".join(text.splitlines(keepends=True)[:-1])


@pytest.mark.parametrize("game", TABLES)
def test_only_a_finished_game_has_a_story(game: str, tmp_path: Path) -> None:
    text = record(match(game, 0))
    with Site(app(str(tmp_path))) as site, limited(TIME, REVIEW_SECONDS=1.0):
        table = upload(site, text)
        page, answer = site.ask("GET", f"/t/{table}").body.decode(), story(site, table)
        assert answer.status == 200, answer.body
        assert f'data-story="/t/{table}/story"' in page
        shown = answer.body.decode()
        assert "<polyline" in shown
        assert "style=" not in shown.partition("<svg")[2].partition("</svg>")[0]
        # Every point of the curve and every other moment leads to a position of this game.
        moves = site.ask("GET", f"/api/tables/{table}").json["version"]
        linked = {int(number) for number in re.findall(rf'href="/t/{table}/at/(\d+)"', shown)}
        assert {0, moves} <= linked <= {*range(moves + 1)}
        assert (
            "Spielverlauf" in story(site, table, "de").body.decode()
            or "Chancen" in story(site, table, "de").body.decode()
        )
        table = upload(site, cut(text))
        page = site.ask("GET", f"/t/{table}").body.decode()
        assert "data-story" not in page
        for path, kind in (("story", "review"), ("review", "review"), ("puzzle", "puzzle")):
            refused = site.ask("GET", f"/t/{table}/{path}")
            assert refused.status == 409
            assert f"here is no {kind} before the game is over" in refused.body.decode()
        refused = site.ask("POST", f"/api/tables/{table}/try", {"number": 1})
        assert refused.status == 409


def test_a_story_is_the_same_when_it_is_opened_again(tmp_path: Path) -> None:
    text = play_random_game(TWO, 0).record()
    with Site(app(str(tmp_path))) as site:
        table = upload(site, text)
        bodies = []
        for seconds in (0.0, 8.0, 0.0):
            with limited(TIME, REVIEW_SECONDS=seconds):
                bodies.append(site.ask("GET", f"/t/{table}/review").body)
    unfinished, finished, reopened = bodies
    assert b"Not computed in time" in unfinished
    assert b"Not computed in time" not in finished
    assert reopened == finished


@pytest.mark.parametrize("seed", range(3))
def test_another_try_continues_right_before_the_decisive_move(seed: int, tmp_path: Path) -> None:
    """The new table has the same moves up to the moment, then the better move if there is one."""
    text = play_random_game(TWO, seed).record()
    with Site(app(str(tmp_path))) as site:
        table = upload(site, text)
        shown = unescape(story(site, table).body.decode())
        assert not re.search(r"\b\d asks \d", shown)
        number = int(re.findall('name="number" value="(\\d+)"', shown)[0])
        made = site.ask("POST", f"/api/tables/{table}/try", {"number": number})
        assert made.status == 201, made.body
        copy, seat = made.json["table"], made.json["seat"]
        kinds = [place["kind"] for place in site.ask("GET", f"/api/tables/{copy}").json["seats"]]
        assert kinds == ["person" if place == seat else "program" for place in range(len(kinds))]
        old, new = (
            re.findall(".* asks .*", site.ask("GET", f"/api/tables/{name}/record").body.decode())
            for name in (table, copy)
        )
        assert new[: number - 1] == old[: number - 1]
        assert len(new) >= number - 1
        assert site.ask("POST", f"/api/tables/{table}/try", {"number": 999}).status == 404


@pytest.mark.parametrize("game", TABLES)
def test_a_finished_game_offers_one_puzzle(game: str, tmp_path: Path) -> None:
    """The puzzle has the names of the table, judges answers, and is the same for all viewers."""
    text = record(match(game, 1))
    with Site(app(str(tmp_path))) as site, limited(TIME, REVIEW_SECONDS=1.0):
        table = upload(site, text)
        path = f"/t/{table}/puzzle"
        link = f'href="{path}"' in story(site, table).body.decode()
        puzzle = make_from_game(rules_of_record(text.encode()), text, table, None)
        assert link == (puzzle is not None) == ("aside" not in game)
        fresh = site.ask("GET", path)
        if puzzle is None:
            assert fresh.status == 404
            return
        shown = unescape(fresh.body.decode())
        assert fresh.status == 200
        assert f'data-puzzle="{puzzle.kind}/{puzzle.level}/{puzzle.seed}"' in shown
        assert f'class="home" href="/t/{table}"' in shown
        assert "data-daily" not in shown
        assert "data-judged" not in shown
        if game == "kwartet":
            names = site.ask("GET", f"/api/tables/{table}").json["seats"]
            for name in names:
                assert f"<b>{name['name']}" in shown
        for answer in (*puzzle.answers, *list(puzzle.wrong)[:3]):
            page = site.ask("GET", f"{path}?{urlencode({'answer': answer})}").body.decode()
            judged = re.findall(r'data-judged="(\w+)"', page)
            assert (judged == ["right"]) == puzzle.check(answer).right
        assert site.ask("GET", path).body == fresh.body
