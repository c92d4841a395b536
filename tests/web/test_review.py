"""The review of a game as a page, which exists only when the game is over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.limits import limited
from tests.review.test_other_games import TABLES, match, record
from tests.review.test_quaternity import TWO, play_random_game
from tests.web.site import Page, Site

pytest.importorskip("jinja2", reason="the table in a browser needs the extra web")
pytest.importorskip("starlette", reason="the table in a browser needs the extra web")

from quaternity.web.app import app

LINK = re.compile(r'href="(/t/[^"]+/review)"')


def pages(site: Site, text: str, language: str = "en") -> tuple[Page, Page]:
    """Return the page of a record's table, and that of its review."""
    made = site.ask("POST", "/api/records", text.encode())
    assert made.status == 201, made.body
    path = f"/t/{made.json['table']}"
    return site.ask("GET", path), site.ask("GET", f"{path}/review?language={language}")


@pytest.mark.parametrize("game", TABLES)
def test_only_a_finished_game_is_reviewed(game: str, tmp_path: Path) -> None:
    text = record(match(game, 0))
    with Site(app(str(tmp_path))) as site, limited("quaternity.web.reviews", REVIEW_SECONDS=1.0):
        table, review = pages(site, text)
        assert review.status == 200, review.body
        assert LINK.search(table.body.decode())
        page = review.body.decode()
        assert "Decisive moments" in page
        assert "<polyline" in page
        assert "style=" not in page.partition("<svg")[2].partition("</svg>")[0]
        german = pages(site, text, "de")[1].body.decode()
        assert "Entscheidende Momente" in german
        table, review = pages(site, "".join(text.splitlines(keepends=True)[:-1]))
        assert review.status == 409
        assert b"here is no review before the game is over" in review.body
        assert not LINK.search(table.body.decode())


def test_a_review_is_the_same_when_it_is_opened_again(tmp_path: Path) -> None:
    text = play_random_game(TWO, 0).record()
    with Site(app(str(tmp_path))) as site:
        made = site.ask("POST", "/api/records", text.encode())
        path = f"/t/{made.json['table']}/review"
        bodies = []
        for seconds in (0.0, 8.0, 0.0):
            with limited("quaternity.web.reviews", REVIEW_SECONDS=seconds):
                bodies.append(site.ask("GET", path).body)
    unfinished, finished, reopened = bodies
    assert b"Not computed in time" in unfinished
    assert b"Not computed in time" not in finished
    assert reopened == finished
