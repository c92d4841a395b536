"""Seats on other devices, in series of games and of absent players, and first games."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest

from quaternity.base.sentences import message_data
from quaternity.table.games import game_names, registration, rules_class
from quaternity.web.command_queue import ForgetRematch
from quaternity.web.drawing.frame import draw_part
from quaternity.web.drawing.tips import tips
from quaternity.web.forms import read_settings
from tests.sizes import thorough
from tests.web.site import Page, Site
from tests.web.tables import SMALL, Table, open_site, pass_time
from tests.web.test_waiting import play_set
from tests.web.views import sight, simulate

pytestmark = pytest.mark.usefixtures("kept_processes")


BROWSERS = [{"cookie": f"quaternity={letter * 22}"} for letter in "abc"]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """Yield a table of Kwartet with three people, the first of them in a browser."""
    with open_site(tmp_path) as site:
        table = Table(
            site, game="kwartet", settings={"sets": 5}, seats=["easy", "me", "open", "me"]
        )
        link = table.made["seats"][2]["invitation"]
        page = site.ask("POST", "/api/seats", {"invitation": link}, headers=BROWSERS[0])
        assert page.status == 201
        yield table


def seat_of(table: Table, headers: dict[str, str]) -> Any:
    return table.site.ask("GET", table.path, headers=headers).json["seat"]


def test_a_seat_moves_to_another_device_once(table: Table) -> None:
    site = table.site
    assert seat_of(table, BROWSERS[0]) == 2
    made = site.ask("POST", f"{table.path}/elsewhere", {}, headers=BROWSERS[0])
    assert made.status == 201
    link = made.json["link"]
    assert "<svg" in made.json["qr"]
    page = f"/move/{link.rpartition('/')[2]}"
    for _ in range(3):  # a mere look, such as a preview of a link, does not spend it
        assert site.ask("GET", page).status == 200
        assert site.ask("HEAD", page).status == 200
    assert seat_of(table, BROWSERS[0]) == 2
    moved = site.ask("POST", "/api/seats/move", {"link": link}, headers=BROWSERS[1])
    assert (moved.status, moved.json["seat"]) == (201, 2)
    assert (seat_of(table, BROWSERS[0]), seat_of(table, BROWSERS[1])) == (None, 2)
    assert site.ask("GET", table.path, token=moved.json["token"]).json["seat"] == 2
    for browser in BROWSERS:
        assert site.ask("POST", "/api/seats/move", {"link": link}, headers=browser).status == 404
    assert site.ask("GET", page).status == 404
    # A stream of the seat ends when the seat has moved on.
    site.listen(f"{table.path}/events", moved.json["token"])
    link = site.ask("POST", f"{table.path}/elsewhere", {}, headers=BROWSERS[1]).json["link"]
    assert len(site.app.state.tables.streams.open) == 1
    assert site.ask("POST", "/api/seats/move", {"link": link}, headers=BROWSERS[2]).status == 201
    site.rest()
    assert not site.app.state.tables.streams.open


def test_a_link_is_valid_for_ten_minutes_and_until_the_next_one(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site)
        links = [table.post(0, "elsewhere").json["link"] for _ in range(2)]
        assert site.ask("POST", "/api/seats/move", {"link": links[0]}).status == 404
    pass_time(tmp_path, 601)
    with open_site(tmp_path) as site:
        assert site.ask("POST", "/api/seats/move", {"link": links[1]}).status == 404


def test_a_link_does_not_move_a_seat_that_another_player_has_taken(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        seats = ["open", "me", "open"]
        table = Table(site, settings=SMALL, seats=seats)
        link = table.post(1, "elsewhere").json["link"]
        code = table.post(1, "code").json["code"]
        # The seat gets another number when an empty seat is left out, and the link follows it.
        page = site.ask("GET", f"/move/{link.rpartition('/')[2]}")
        assert page.status == 200
        assert table.post(1, "leave").status == 200
        guest = {"invitation": table.made["invitation"], "seat": 1}
        assert site.ask("POST", "/api/seats", guest).status == 201
        assert site.ask("POST", "/api/seats/move", {"link": link}).status == 404
        assert site.ask("POST", "/api/seats/back", {"code": code}).status == 404
        other = Table(site, settings=SMALL, seats=["open", "me", "me"])
        link = other.post(1, "elsewhere").json["link"]
        assert other.post(1, "start", fill="nobody").status == 200
        moved = site.ask("POST", "/api/seats/move", {"link": link})
        assert (moved.status, moved.json["seat"]) == (201, 0)


def test_a_code_restores_a_lost_seat_however_it_is_written(table: Table) -> None:
    site = table.site
    code = site.ask("POST", f"{table.path}/code", {}, headers=BROWSERS[0]).json["code"]
    assert code.encode() not in site.ask("GET", table.path, headers=BROWSERS[0]).body
    written = code.lower().replace("-", " ")
    for browser in BROWSERS[1:]:
        page = site.ask("POST", "/api/seats/back", {"code": written}, headers=browser)
        assert page.status == 201
        assert [user for user in BROWSERS if seat_of(table, user) == 2] == [browser]
    for wrong in ("", "x", "A" * 32, "0" * 5000):
        assert site.ask("POST", "/api/seats/back", {"code": wrong}).status == 404


def test_a_seat_moves_in_all_games_of_a_series_and_is_one_person(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, game="set", settings={"seats": 2}, seats=["me", "me"])
        link = table.post(1, "elsewhere").json["link"]
        for game in (1, 2):
            play_set(site, table, 2, Random(game))
            table.path = f"/api/tables/{table.post(0, 'again').json['table']}"
            if game == 1:  # the link of the first game is used in the second
                moved = site.ask("POST", "/api/seats/move", {"link": link}, headers=BROWSERS[1])
                assert moved.status == 201
                assert table.look(1)["seat"] is None
                table.tokens[1] = moved.json["token"]
                assert table.look(1)["seat"] == 0
        score = table.look(1)["evening"]
        assert [line["games"] for line in score] == [2, 2]


def test_a_rematch_is_forgotten_only_if_its_table_was_deleted(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, game="set", settings={"seats": 2}, seats=["me", "me"])
        play_set(site, table, 2, Random(2))
        rematch = table.post(0, "again").json["table"]
        live = site.run(site.app.state.tables.live.open(table.made["table"]))
        for deleted, again in (({"other"}, rematch), ({"other", rematch}, None)):
            site.run(live.queue.submit(ForgetRematch(frozenset(deleted))))
            assert live.state.stored.again == again


@pytest.mark.parametrize(
    ("action", "endpoint", "field"), [("elsewhere", "move", "link"), ("code", "back", "code")]
)
def test_a_seat_moves_in_all_games_of_a_series_if_a_write_fails(
    action: str, endpoint: str, field: str, tmp_path: Path
) -> None:
    with open_site(tmp_path) as site, pytest.MonkeyPatch.context() as patch:
        table = Table(site, game="set", settings={"seats": 2}, seats=["me", "me"])
        play_set(site, table, 2, Random(1))
        paths = [table.path, f"/api/tables/{table.post(0, 'again').json['table']}"]
        store = site.app.state.tables.store
        commit = store.commit
        for (path, failing), cached in product(product(paths, range(3)), (True, False)):
            table.path = path
            secret = table.post(0, action).json[field]
            site.app.state.tables.live.drop_cached()
            for place in paths if cached else ():
                assert site.ask("GET", place).status == 200
            writes = iter(range(99))

            def fail_once(batch: Any, failing: int = failing, writes: Any = writes) -> Any:
                if any(job.guard for job in batch) and next(writes) == failing:
                    raise sqlite3.OperationalError("the test lets this write fail")
                return commit(batch)

            patch.setattr(store, "commit", fail_once)
            pages = [site.ask("POST", f"/api/seats/{endpoint}", {field: secret})]
            if pages[0].status == 503:
                pages.append(site.ask("POST", f"/api/seats/{endpoint}", {field: secret}))
            patch.setattr(store, "commit", commit)
            assert pages[-1].status == 201
            old, table.tokens[0] = table.tokens[0], pages[-1].json["token"]
            for _ in range(2):
                for number, place in enumerate(paths):
                    assert site.ask("GET", place, token=old).json["seat"] is None
                    assert site.ask("GET", place, token=table.tokens[0]).json["seat"] == number
                site.app.state.tables.live.drop_cached()  # and the store knows it as well


def test_a_newer_code_or_link_of_the_series_invalidates_older_ones(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, game="set", settings={"seats": 2}, seats=["me", "me"])
        codes = [table.post(0, "code").json["code"]]
        links = [table.post(0, "elsewhere").json["link"]]
        play_set(site, table, 2, Random(1))
        first, table.path = table.path, f"/api/tables/{table.post(0, 'again').json['table']}"
        codes.append(table.post(0, "code").json["code"])
        links.append(table.post(0, "elsewhere").json["link"])
        for endpoint, field, secrets in (("move", "link", links), ("back", "code", codes)):
            for secret, status in zip(secrets, (404, 201), strict=True):
                page = site.ask("POST", f"/api/seats/{endpoint}", {field: secret})
                assert page.status == status
            assert page.json["table"] == table.path.rpartition("/")[2]
        seats = [
            site.ask("GET", path, token=page.json["token"]).json["seat"]
            for path in (first, table.path)
        ]
        assert seats == [0, 1]


def test_a_new_code_does_not_affect_the_other_players(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site)
        table.move(0, table.look(0)["moves"][0])
        assert table.post(0, "undo", version=1, agree=True).json["agreed"] == [0]
        assert table.post(1, "code").status == 201
        assert table.look(2)["undo"] == [0]


def test_your_tables_show_opponents_turn_and_last_event(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        wanted = {
            "game": "quaternity", "settings": SMALL, "seats": ["me", "open", "open"],
            "deck": "plain",
        }  # fmt: skip
        made = site.ask("POST", "/api/tables", wanted | {"name": "Ann"}, headers=BROWSERS[0]).json
        home = site.ask("GET", "/", headers=BROWSERS[0]).body.decode()
        assert "Waiting for friends" in home
        for name, browser in (("Ben", BROWSERS[1]), ("Cleo", BROWSERS[2])):
            guest = {"invitation": made["invitation"], "name": name}
            assert site.ask("POST", "/api/seats", guest, headers=browser).status == 201
        move = {"version": 0, "id": "a", "move": "0 asks 1 for 0/2"}
        path = f"/api/tables/{made['table']}/moves"
        assert site.ask("POST", path, move, headers=BROWSERS[0]).status == 200
        lines = ["Ben and Cleo", "Ann and Cleo", "Ann and Ben"]
        turns = ["Ben is to move", "Your turn", "Ben is to move"]
        for browser, others, turn in zip(BROWSERS, lines, turns, strict=True):
            home = site.ask("GET", "/", headers=browser).body.decode()
            for text in (f"with {others}", turn, "just now", "0/2?"):
                assert text in home, text
        assert "with Ann" not in site.ask("GET", "/").body.decode()


FIRST = {name: first for name in game_names() if (first := registration(name).first)}


@pytest.mark.parametrize("game", sorted(FIRST))
def test_every_tip_has_its_moment_and_every_moment_a_tip(game: str) -> None:
    rules = rules_class(game)(read_settings(game, FIRST[game].settings))
    seen: set[str] = set()
    for seed in range(thorough(3, 40)):
        for count in range(0, 60, 2):
            course = simulate(rules, count, seed)
            for seat in range(rules.seats):
                shown = sight(course, seat)
                drawn = draw_part(shown)
                names = [tip.name for tip in tips(shown, drawn)]
                assert names
                if game == "quaternity":
                    owners = [tile.owners for row in drawn["tiles"] for tile in row]
                    assert ("certain" in names) == (1 in map(len, owners))
                seen.update(names)
                last = message_data(course.steps[-1].events[-1]) if course.steps else {}
                for word in ("yes", "no"):
                    expected = str(last.get("answer")) == word and last.get("asker") == seat
                    assert (word in names) == expected
                # Only a player who may act sees the tips about that action.
                view, acts = shown.view, seat in shown.to_act
                assert acts or not {"place", "give", "turn", "answer"} & {*names}
                assert ("place" in names) == (acts and getattr(view, "in_hand", None) is not None)
                assert not acts or {"give", "turn", "answer", "start"} & {*names}
            assert not tips(shown._replace(seat=None), {})
            over = shown._replace(places=(1,) * rules.seats)
            seen.add(tips(over, draw_part(shown))[0].name)
            if not rules.to_act(course.positions[-1]):
                break
    assert seen == {tip.name for tip, _ in registration(game).part("tips")}


def submit(site: Site, form: str) -> Page:
    """Submit the form for a new table as a browser without scripts does."""
    head = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://{Site.HOST}"}
    return site.ask("POST", "/new", form.encode(), headers=head)


@pytest.mark.parametrize("game", sorted(FIRST))
def test_a_first_game_is_made_by_one_button(game: str, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        home = site.ask("GET", "/").body.decode()
        (form,) = re.findall(f'<form[^>]*>(<input[^>]*value="{game}">.*?)</form>', home)
        fields = urlencode(re.findall('name="([^"]*)" value="([^"]*)"', form))
        page = submit(site, fields)
        assert page.status == 303
        table = dict(page.headers)[b"location"].decode().rpartition("/")[2]
        cookie = dict(page.headers)[b"set-cookie"].decode().partition(";")[0]
        state = site.ask("GET", f"/api/tables/{table}", headers={"cookie": cookie}).json
        assert (state["begun"], state["seat"], state["help"]) == (True, 0, game != "kwartet")
        assert [seat["kind"] for seat in state["seats"]] == [
            "person", *["program"] * FIRST[game].programs
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "status"), [("game=quarto&name=A\0&length=normal", 422), ("game=%ff", 422),
    ("x=" + "&x=" * 200, 400), ("game=quarto&length=normal&with=programs&level=perfect", 422)],
)  # fmt: skip
def test_a_wrong_form_is_refused_on_a_page(form: str, status: int, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        page = submit(site, form)
        assert page.status == status
        assert b"<h1>" in page.body
