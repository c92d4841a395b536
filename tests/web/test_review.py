"""The story of a finished game: the same for all viewers, and another try at its best moment."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest

from quaternity.base.errors import IllegalMove, LimitError
from quaternity.base.sentences import message_data
from quaternity.decks.deck import PLAIN
from quaternity.game.sentences import question_sentence
from quaternity.puzzles.from_games import make_from_game
from quaternity.puzzles.puzzle import Puzzle
from quaternity.review import Review, review
from quaternity.review.reviewing import ReviewedMove
from quaternity.table.games import rules_of_record
from quaternity.table.history import whole_events
from tests.limits import limited
from tests.review.test_other_games import TABLES, match, record
from tests.review.test_quaternity import TWO, play_random_game
from tests.sizes import thorough
from tests.web.cluster import file_store_only
from tests.web.site import Page, Site
from tests.web.tables import Table, open_site

pytest.importorskip("jinja2", reason="the table in a browser needs the extra web")
pytest.importorskip("starlette", reason="the table in a browser needs the extra web")

from quaternity.web import stories
from quaternity.web.app import app
from quaternity.web.background import BackgroundWork
from quaternity.web.drawing.words import PageWords
from quaternity.web.http_errors import HttpError
from quaternity.web.languages import using_language
from quaternity.web.reviews import Reviews
from quaternity.web.seats import default_name
from quaternity.web.sqlite_connection import FILE
from quaternity.web.stored_values import dump_value, load_value
from quaternity.web.stories import ToldMoment, told_moments

pytestmark = pytest.mark.usefixtures("kept_processes")

TIME = "quaternity.web.reviews"
QUICK = {"REVIEW_SECONDS": 1.0, "REVIEW_PATIENCE": 60.0}
"""Limits for quick reviews, which are the same on a busy machine."""


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
    with Site(app(str(tmp_path))) as site, limited(TIME, **QUICK):
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


def test_a_story_names_the_hand_that_it_shows_and_marks_the_card_of_the_question(
    tmp_path: Path,
) -> None:
    with Site(app(str(tmp_path))) as site, limited(TIME, **QUICK):
        shown = story(site, upload(site, record(match("kwartet", 0)))).body.decode()
    asker, asked, card = re.findall(r"<p><b>\d+\. (.*?) → (.*?): (.*?)\? ", shown)[0]
    assert f"<small>The hand of {asker}</small>" in shown
    (marked,) = re.findall(r'<button [^>]* class="tile \w+ asked" [^>]* data-name="([^"]*)"', shown)
    assert marked.endswith(card)
    assert asked in re.findall(r'class="cell \w+ asked" [^>]* aria-label="([^"]*)"', shown)[0]


@pytest.mark.parametrize(
    ("limit", "path", "status"),
    [("REVIEW_SECONDS", "review", 200), ("PUZZLE_SECONDS", "puzzle", 404)],
)
def test_all_viewers_see_the_same_even_if_the_time_was_short(
    limit: str, path: str, status: int, tmp_path: Path
) -> None:
    table, shown = "", []
    for seconds in (0.0, 8.0):
        with Site(app(str(tmp_path))) as site, limited(TIME, **{limit: seconds}):
            table = table or upload(site, play_random_game(TWO, 0).record())
            shown += [site.ask("GET", f"/t/{table}/{path}") for _ in range(2)]
    assert len({page.body for page in shown}) == 1
    assert shown[0].status == status
    assert (path != "review") or NOT_COMPUTED in shown[0].body


NOT_COMPUTED = b"Not computed in time"


@pytest.mark.parametrize("game", TABLES)
def test_a_move_has_the_same_number_in_the_review_and_in_the_list_of_events(game: str) -> None:
    played = match(game, 1)
    shown = {}
    for move in review(record(played), seconds=1.0).moves:
        shown[move.number] = move.events  # an answer replaces its question
    listed = [(number, event) for number, events in shown.items() for event in events]
    assert listed == whole_events(played.steps)


@pytest.mark.parametrize("game", TABLES)
@pytest.mark.parametrize("seed", thorough(range(1), range(20)))
def test_a_review_and_a_puzzle_equal_their_stored_forms(game: str, seed: int) -> None:
    played = match(game, seed)
    made = make_from_game(played.rules, record(played), "", None)
    for value in (review(record(played), seconds=1.0), made):
        read = load_value(dump_value(value))
        assert (read, repr(read)) == (value, repr(value))
        assert document_of(read) == document_of(value)


def document_of(value: Review | Puzzle | None) -> object:
    return value and value.document()


@pytest.mark.parametrize("other", [b"{}", b'{"eval":["1"]}', b'{"Card":[0]}', b"[", b'{"Card":1}'])
def test_other_data_is_not_a_stored_value(other: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        load_value(other)
    foreign: Any = object()
    with pytest.raises(TypeError, match="class object cannot be stored"):
        dump_value(foreign)


@file_store_only
@pytest.mark.parametrize("game", TABLES)
def test_a_stored_review_and_puzzle_are_read_unless_they_are_damaged(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, random, counted = record(match(game, 1)), Random(game), list[str]()
    count = BackgroundWork.count

    async def note(self: BackgroundWork, *work: Any, kind: str = "help") -> Any:
        counted.append(kind)
        return await count(self, *work, kind=kind)

    monkeypatch.setattr(BackgroundWork, "count", note)
    table, shown = "", set()
    for damage in ("", "", "review", "puzzle"):
        if damage:
            counted.clear()
            with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
                ((data,),) = database.execute(f"SELECT {damage} FROM tables")
                at, bit = random.randrange(len(data)), 1 << random.randrange(8)
                data = data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
                database.execute(f"UPDATE tables SET {damage} = ?", [data])
        with Site(app(str(tmp_path))) as site, limited(TIME, **QUICK):
            table = table or upload(site, text)
            shown.add(story(site, table).body)
        assert sorted(counted) == [damage] if damage else ["puzzle", "review"]
    assert len(shown) == 1


def test_no_review_of_moves_that_were_taken_back_is_shown(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        with limited(TIME, REVIEW_SECONDS=0.0):
            table = finish_game(site)
            path = f"/t/{table.made['table']}/review"
            assert NOT_COMPUTED in site.ask("GET", path).body
        version = table.look()["version"]
        for seat in range(2):
            assert table.post(seat, "undo", version=version, agree=True).status == 200
        assert site.ask("GET", path).status == 409
        while to_act := table.look()["to_act"]:
            table.move(to_act[0], table.look(to_act[0])["moves"][0])
        assert NOT_COMPUTED not in site.ask("GET", path).body


@pytest.mark.parametrize("error", [LimitError, HttpError, ValueError])
def test_a_failure_is_not_cached_and_does_not_hide_the_story(
    error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = play_random_game(TWO, 0).record()
    with Site(app(str(tmp_path))) as site:
        table, count, broken = upload(site, text), BackgroundWork.count, {"review", "puzzle"}

        async def count_or_fail(self: BackgroundWork, *work: Any, kind: str = "help") -> Any:
            if kind in broken:
                raise HttpError(422, "too long") if error is HttpError else error("no")
            return await count(self, *work, kind=kind)

        monkeypatch.setattr(BackgroundWork, "count", count_or_fail)
        if error is HttpError:
            assert story(site, table).status == 422
        else:
            with pytest.raises(error):
                story(site, table)
        broken.remove("review")
        if error is ValueError:  # an error of the program is reported
            broken.clear()
        assert story(site, table).status == 200


def finish_game(site: Site, name: str | None = "Anna") -> Table:
    """Return a table of two people at which a game is over."""
    small = {"set_size": 3, "sets": 2}
    table = Table(site, game="quaternity", settings=small, seats=["me", "me"], name=name)
    random = Random(4)
    while to_act := table.look()["to_act"]:
        (seat,) = to_act
        assert table.move(seat, random.choice(table.look(seat)["moves"])).status == 200
    return table


@pytest.mark.parametrize("path", ["story", "try"])
def test_moves_taken_back_during_the_review_change_nothing_in_it(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The story and the new table belong to the game that was reviewed."""
    with open_site(tmp_path) as site:
        table, review = finish_game(site), Reviews.review
        name = table.made["table"]
        shown = story(site, name).body.decode()
        number = int(re.findall('name="number" value="(\\d+)"', shown)[0])
        text = site.ask("GET", f"{table.path}/record").body.decode()

        async def review_then_undo(self: Reviews, *asked: Any) -> Any:
            done = await review(self, *asked)
            while live.state.history.game.moves:
                document = {"version": live.state.version, "agree": True}
                for token in table.tokens:
                    agreed = await site.send("POST", f"{table.path}/undo", document, token)
                    assert agreed.status == 200
            return done

        live = site.run(site.app.state.tables.live.open(name))
        monkeypatch.setattr(Reviews, "review", review_then_undo)
        if path == "story":
            assert story(site, name).body.decode() == shown
        else:
            made = site.ask("POST", f"{table.path}/try", {"number": number})
            assert made.status == 201, made.body
            copy = site.ask("GET", f"/api/tables/{made.json['table']}/record").body.decode()
            old, new = (re.findall(".* asks .*", record) for record in (text, copy))
            assert new[: number - 1] == old[: number - 1]
        assert table.look()["to_act"]


def test_an_illegal_move_is_never_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_site(tmp_path) as site:
        table, tables = finish_game(site), site.app.state.tables
        shown = story(site, table.made["table"]).body.decode()
        number = int(re.findall('name="number" value="(\\d+)"', shown)[0])
        game = site.run(tables.live.open(table.made["table"])).state.history.game

        def wrong_moments(review: Review) -> list[ToldMoment]:
            moments = told_moments(review)
            return [
                moment._replace(seat=1 - moment.seat, better=game.moves[moment.before][1])
                for moment in moments
            ]

        before = tables.store.read("SELECT id FROM tables")
        monkeypatch.setattr(stories, "told_moments", wrong_moments)
        with pytest.raises(IllegalMove):
            site.ask("POST", f"{table.path}/try", {"number": number})
        assert tables.store.read("SELECT id FROM tables") == before


def test_of_equal_changes_the_latest_decided_the_game() -> None:
    done = review(play_random_game(TWO, 0).record(), seconds=600)
    sides = ((1.0, 0.0), (0.0, 1.0))
    curve = tuple(point._replace(chances=sides[point.after % 2]) for point in done.curve)
    moments = told_moments(replace(done, curve=curve))
    ranks = [(moment.better is None or not moment.certain, -moment.number) for moment in moments]
    assert len(ranks) > 1
    assert ranks == sorted(ranks)


def test_a_story_explains_a_better_question_by_the_owner_of_its_card() -> None:
    done = review(record(match("kwartet, cards aside", 2)), seconds=1.0, patience=60)
    (moment,) = [moment for moment in told_moments(done) if moment.better is not None]
    cards = {message_data(note).get("card") for note in done.moves[moment.before].notes}
    assert len(cards) > 2
    better, known = map(message_data, moment.lines)
    assert better["best"] == question_sentence(moment.better)
    assert (known["holder"], known["card"]) == (moment.better.asked, moment.better.card)


def move_at_copy(site: Site, made: dict[str, Any]) -> None:
    """Make a move at a table that continues from a decisive move."""
    path, token = f"/api/tables/{made['table']}", made["token"]
    while made["seat"] not in (state := site.ask("GET", path, token=token).json)["to_act"]:
        site.run(asyncio.sleep(0))
        assert state["to_act"]
    move = {"version": state["version"], "id": "1", "move": state["moves"][0]}
    assert site.ask("POST", f"{path}/moves", move, token).status == 200


@pytest.mark.parametrize("credentials", ["cookie", "token", "story"])
def test_a_repeated_request_gets_the_same_table(credentials: str, tmp_path: Path) -> None:
    """A double tap, or an answer that was lost, makes no second table."""
    with open_site(tmp_path) as site:
        table, token, headers = finish_game(site), None, {}
        path = f"/t/{table.made['table']}/story"
        page = site.ask("GET", path, headers={"sec-fetch-site": "same-origin"})
        if credentials == "cookie":
            headers = {"cookie": f"quaternity={'a' * 22}"}
        elif credentials == "token":
            token = table.tokens[1]
        else:
            cookie = dict(page.headers)[b"set-cookie"].decode()
            headers = {"cookie": cookie.partition(";")[0]}
        shown = page.body.decode()
        number = int(re.findall('name="number" value="(\\d+)"', shown)[0])
        asked = "POST", f"{table.path}/try", {"number": number}, token, headers
        first, second = site.ask_at_once([asked, asked], Random(1))
        later = site.ask(*asked)
        assert first.status == second.status == later.status == 201
        assert first.json == second.json == later.json
        copy, seat, own = (first.json[key] for key in ("table", "seat", "token"))
        assert site.ask("GET", f"/api/tables/{copy}", token=own).json["seat"] == seat
        other = site.ask("POST", f"{table.path}/try", {"number": number})
        assert other.json["table"] != copy
        # After a move at the new table, another try begins at the moment again.
        move_at_copy(site, first.json)
        again = site.ask(*asked)
        assert again.json["table"] != copy
        with limited("quaternity.web.stories", MAX_BRANCHES=2):
            assert site.ask(*asked).json == again.json
            move_at_copy(site, again.json)
            refused = site.ask(*asked)
        assert refused.status == 409
        assert "you have tried this move 2 times already" in refused.json["error"]
        assert site.ask(*asked).json["table"] not in (copy, again.json["table"])


@pytest.mark.parametrize("visitor", [0, 1, None, "archive"])
def test_a_visitor_without_a_name_tries_again_as_the_player_of_the_new_seat(
    visitor: int | str | None, tmp_path: Path
) -> None:
    with open_site(tmp_path) as site:
        table = finish_game(site, name=None)
        token = table.tokens[visitor] if isinstance(visitor, int) else None
        path = table.path
        if visitor == "archive":
            record = site.ask("GET", f"{path}/record").body.decode()
            path = f"/api/tables/{upload(site, record)}"
        shown = story(site, path.rpartition("/")[2]).body.decode()
        for number in set(re.findall('name="number" value="(\\d+)"', shown)):
            german = {"accept-language": "de"}
            asked = {"number": int(number)}
            made = site.ask("POST", f"{path}/try", asked, token, german).json
            seats = site.ask("GET", f"/api/tables/{made['table']}").json["seats"]
            assert seats[made["seat"]]["name"] == default_name(made["seat"])


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
    with Site(app(str(tmp_path))) as site, limited(TIME, **QUICK):
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
            assert ("Back to the table</a>" in page) == puzzle.check(answer).right
        assert site.ask("GET", path).body == fresh.body


@pytest.mark.parametrize(
    ("chance", "line"), [(1.0, "Nur ja war möglich."), (0.0, "Nur nein war möglich.")]
)
def test_the_only_possible_answer_is_translated(chance: float, line: str) -> None:
    move = ReviewedMove(1, 0, "", (), chance, (), None, False)
    with using_language("de"):
        assert [PageWords(PLAIN, (), "de").say(text) for text in move.lines] == [line]
