"""The lobby in which friends wait for a game, and series of games."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from html import unescape
from random import Random
from typing import Any

import pytest

from tests.limits import limited
from tests.sizes import thorough
from tests.web.site import Site
from tests.web.tables import SMALL, Table

GAMES: dict[str, tuple[dict[str, Any], int]] = {
    "quaternity": (SMALL, 3), "kwartet": ({"sets": 5}, 4), "quarto": ({}, 2), "set": ({}, 3),
}  # fmt: skip


def make_lobby(site: Site, game: str = "quaternity", **more: Any) -> Table:
    settings, seats = GAMES[game]
    wanted = {"settings": settings, "seats": ["me", *["open"] * (seats - 1)]} | more
    return Table(site, game=game, **wanted)


def join(site: Site, table: Table, **more: Any) -> Any:
    """Take a seat by the link of a table, and return the answer."""
    page = site.ask("POST", "/api/seats", {"invitation": table.made["invitation"], **more})
    if page.status == 201:
        table.tokens[page.json["seat"]] = page.json["token"]
    return page


@pytest.mark.parametrize("game", GAMES)
def test_before_the_start_nothing_happens_and_nothing_is_revealed(game: str, site: Site) -> None:
    lobbies = [make_lobby(site, game, seed=seed, help=True) for seed in (1, 2)]
    for table in lobbies:
        info = table.look(0)
        assert (info["begun"], info["view"], info["moves"], info["to_act"]) == (False, None, [], [])
        assert (info["outcome"], set(info["points"])) == (None, {0.0})
        move = table.move(0, "0 asks 1 for 0/0", 0)
        assert (move.status, move.json["error"]) == (409, "the game has not begun")
        name = table.made["table"]
        for path in (f"{table.path}/record", f"{table.path}/help/hint", f"/t/{name}/help/know"):
            page = site.ask("GET", path, token=table.tokens[0])
            assert page.status == 409
        assert table.post(0, "undo", version=0, agree=True).status == 409
        assert table.post(0, "again").status == 409
    # No byte depends on the deal: two deals look alike.
    pages = []
    for table in lobbies:
        name, link = table.made["table"], table.made["invitation"].rpartition("/")[2]
        for path in (table.path, f"/t/{name}", f"/t/{name}/part", f"/t/{name}/at/0"):
            body = site.ask("GET", path).body
            pages.append(body.replace(name.encode(), b"T").replace(link.encode(), b"I"))
    assert pages[:4] == pages[4:]
    for table in lobbies:
        assert table.post(0, "start", fill="easy").status == 200
    # A deal by a seed is the same whether or not the table has waited.
    settings, seats = GAMES[game]
    wanted = ["me", *["easy"] * (seats - 1)]
    at_once = Table(site, game=game, settings=settings, seats=wanted, seed=1)
    assert lobbies[0].look(0)["begun"]
    heads = [
        site.run(site.app.state.tables.live.open(table.made["table"])).state.stored.deal.head
        for table in (lobbies[0], at_once)
    ]
    assert heads[0] == heads[1]


def test_guests_have_the_names_that_they_chose(site: Site) -> None:
    table = make_lobby(site)
    for name, seat in (("  Ben  B. ", 2), ("Cleo", 1)):
        assert join(site, table, name=name, seat=seat).json["seat"] == seat
    assert [seat["name"] for seat in table.look(0)["seats"]] == ["Anna", "Cleo", "Ben B."]
    assert join(site, table).json["error"] == "the game has begun without you: you can watch it"


def test_players_see_the_link_of_a_table_until_the_game_begins(site: Site) -> None:
    table = make_lobby(site)
    link = table.made["invitation"]
    assert join(site, table, seat=1).status == 201
    assert [table.look(seat)["invitation"] for seat in (0, 1, None)] == [link, link, None]
    assert table.post(0, "start").status == 200
    assert [table.look(seat)["invitation"] for seat in (0, 1, None)] == [None] * 3


@pytest.mark.parametrize("game", ["quaternity", "quarto"])
def test_the_empty_seats_of_a_rematch_have_new_links(game: str, site: Site) -> None:
    seats = ["me", "open", "easy"][: GAMES[game][1]]
    table = make_lobby(site, game, seats=seats)
    before = [seat["invitation"] for seat in table.made["seats"]]
    assert table.post(0, "start").status == 200
    live = site.run(site.app.state.tables.live.open(table.made["table"]))
    opened = table.post(0, "hand-over", seat=1, player="open").json["invitation"]
    after = site.run(site.app.state.tables.live.open(table.post(0, "again").json["table"]))
    seats_after = after.state.seats
    links = [seat.invitation for seat in seats_after]
    assert [link is not None for link in links] == [
        seat.kind == "open" for seat in after.state.seats
    ]
    assert {*links} & {*before, opened.rpartition("/")[2]} <= {None}
    assert [seat.kind for seat in seats_after[1:]] == [seat.kind for seat in live.state.seats[:-1]]


@pytest.mark.parametrize("fill", [None, "easy", "nobody"])
def test_a_player_without_a_name_has_that_of_the_new_seat(fill: str | None, site: Site) -> None:
    """The player gets another seat if an empty seat is left out."""
    table = make_lobby(site)
    assert join(site, table, seat=2).status == 201
    assert table.post(0, "start", fill=fill).status == 200
    state = table.look(2)
    assert state["seat"] == (1 if fill == "nobody" else 2)
    assert state["seats"][state["seat"]]["name"] == f"player {state['seat']}"


@pytest.mark.parametrize("fill", ["nobody", "best", "os:abort", "perfect:/etc/passwd"])
def test_an_invalid_player_for_empty_seats_is_refused(fill: str, site: Site) -> None:
    table = make_lobby(site, "quarto")
    assert table.post(0, "start", fill=fill).status == 422
    assert not table.look(0)["begun"]
    assert table.post(0, "start").status == 200


def test_a_browser_may_change_its_seat_but_has_only_one(site: Site) -> None:
    cookie = {"cookie": "quaternity=" + "x" * 22}
    table = make_lobby(site)
    link = table.made["invitation"]
    for seat in (2, 1, 1, 2):
        page = site.ask("POST", "/api/seats", {"invitation": link, "seat": seat}, headers=cookie)
        assert (page.status, page.json["seat"]) == (201, seat)
        kinds = [entry["kind"] for entry in table.look(0)["seats"]]
        assert kinds == ["person", *["person" if number == seat else "open" for number in (1, 2)]]
        assert table.look(0)["seats"][seat]["name"] == f"player {seat}"
    page = site.ask("POST", "/api/seats", {"invitation": link, "seat": 0}, headers=cookie)
    assert page.status == 409
    page = site.ask("POST", "/api/seats", {"invitation": link, "seat": 3}, headers=cookie)
    assert (page.status, page.json["error"]) == (422, "seat: must be from 0 to 2, not 3")


@pytest.mark.parametrize("seed", range(3))
def test_each_seat_goes_to_one_of_many_guests_who_come_at_once(seed: int, site: Site) -> None:
    table = make_lobby(site, "set", settings={"seats": 8}, seats=["me", *["open"] * 7])
    random, link = Random(seed), table.made["invitation"]
    guests = [
        {"invitation": link, "name": f"guest {number}"}
        | ({"seat": random.randrange(1, 8)} if random.random() < 0.5 else {})
        for number in range(200)
    ]
    answers = site.ask_at_once([("POST", "/api/seats", guest) for guest in guests], random)
    seated = {
        answer.json["seat"]: guest["name"]
        for guest, answer in zip(guests, answers, strict=True) if answer.status == 201
    }  # fmt: skip
    assert Counter(answer.status for answer in answers) == {201: 7, 409: 193}
    state = table.look(0)
    assert [seat["name"] for seat in state["seats"]] == ["Anna", *map(seated.get, range(1, 8))]
    assert state["begun"]


@limited("quaternity.web.actor", COUNTDOWN_SECONDS=0.0)
def play_set(site: Site, table: Table, seats: int, random: Random) -> list[int]:
    """Play a game of SET to its end, without a countdown, and return the place of each seat."""
    while (state := table.look(None))["outcome"] is None:
        live = site.run(site.app.state.tables.live.open(state["table"]))
        view = live.state.rules.view(live.state.history.position, 0)
        claim = f"claim {' '.join(map(str, view.threes[0]))}" if view.threes else "more"
        table.move(random.randrange(seats), claim)
    return list(state["outcome"]["places"])


def test_a_program_keeps_its_first_name_in_a_rematch(site: Site) -> None:
    short = {"players": 3, "sets": 2, "max_moves": 1}
    table = Table(site, game="kwartet", settings=short, seats=["me", "me", "medium"])
    table.move(0, table.look(0)["moves"][0])
    rematch = table.post(0, "again").json["table"]
    for name in (table.made["table"], rematch):
        page = site.ask("GET", f"/t/{name}", token=table.tokens[0]).body.decode()
        names = re.findall(r'<b [^>]*title="(\w+)"', page)
        assert "Otto" in names
        assert "Milo" not in names


def test_a_rematch_with_fewer_players_shows_the_results_of_all(site: Site) -> None:
    short = {"players": 3, "sets": 2, "max_moves": 1}
    table = make_lobby(site, "kwartet", settings=short, seats=["me", "random", "open"], name="Ann")
    join(site, table, name="Ben")
    table.post(0, "start")
    table.move(0, table.look(0)["moves"][0])
    table.path = f"/api/tables/{table.post(0, 'again').json['table']}"

    def seats() -> dict[str, int | None]:
        return {line["name"]: line["seat"] for line in table.look(None)["evening"]}

    assert seats() == {"Ben": 0, "Ann": 1, "random": 2}
    assert table.post(2, "hand-over", seat=0, player="open").status == 200
    assert seats() == {"Ben": None, "Ann": 1, "random": 2}
    assert table.post(0, "start", fill="nobody").status == 200
    assert seats() == {"Ben": None, "Ann": 0, "random": 1}
    state = table.look(None)
    assert [seat["name"] for seat in state["seats"]] == ["Ann", "random"]
    page = site.ask("GET", f"/t/{state['table']}").body.decode()
    results = re.findall('<th scope="row"[^>]*>(.*?)<', page.partition('class="evening"')[2])
    assert len(results) == 3
    assert {"Ann", "Ben"} < {unescape(name) for name in results}


@pytest.mark.parametrize("level", [None, "easy", "strong"])
def test_programs_for_empty_seats_are_as_strong_as_those_at_the_table(
    level: str | None, site: Site
) -> None:
    table = make_lobby(site, seats=["me", "open", level or "open"])
    page = site.ask("GET", f"/t/{table.made['table']}", token=table.tokens[0]).body.decode()
    assert re.findall(r'value="(\w+)" selected', page) == [level or "medium"]


def test_programs_begin_with_the_game_and_not_before(site: Site) -> None:
    table = make_lobby(site, "quarto", seats=["random", "open"])
    for _ in range(3):
        site.rest()
    assert table.look()["version"] == 0
    page = join(site, table)
    assert page.status == 201
    name = table.made["table"]

    async def wait_for_move() -> int:
        live = await site.app.state.tables.live.open(name)
        while not live.state.version:
            await asyncio.sleep(0)
        return int(live.state.version)

    assert site.run(asyncio.wait_for(wait_for_move(), 60)) == 1


def test_the_maker_of_a_table_may_start_it_even_without_a_seat(site: Site) -> None:
    maker, guest, other = ({"cookie": f"quaternity={letter * 22}"} for letter in "mno")
    wanted = {"game": "set", "settings": {"seats": 2}, "seats": ["open", "open"]}
    made = site.ask("POST", "/api/tables", wanted, headers=maker).json
    link = {"invitation": made["invitation"]}
    assert site.ask("POST", "/api/seats", link, headers=guest).status == 201
    start, page = f"/api/tables/{made['table']}/start", f"/t/{made['table']}"
    for headers in ({}, other, maker):
        may_start = b"data-start" in site.ask("GET", page, headers=headers).body
        assert may_start == (headers is maker)
        status = site.ask("POST", start, {}, headers=headers).status
        assert status == (200 if may_start else 403)


@pytest.mark.parametrize(
    ("action", "sent"), [("code", {}), ("hand-over", {"seat": 2, "player": "easy"})]
)
def test_a_request_sent_while_seats_move_acts_for_nobody_else(
    action: str, sent: dict[str, Any], site: Site
) -> None:
    for seed in range(thorough(8, 40)):
        table = make_lobby(site, "kwartet")
        for seat, name in ((2, "Ben"), (3, "Cleo")):
            assert join(site, table, seat=seat, name=name).status == 201
        # Seat 1 is left out, so that Cleo gets Ben's old number.
        requests: list[tuple[Any, ...]] = [
            ("POST", f"{table.path}/start", {"fill": "nobody"}, table.tokens[0]),
            *[("POST", f"{table.path}/{action}", sent, table.tokens[2])] * 6,
        ]
        answers = site.ask_at_once(requests, Random(seed))
        assert not {answer.status for answer in answers} & {500, 503}
        for answer in answers[1:]:
            if "code" in answer.json:
                back = site.ask("POST", "/api/seats/back", {"code": answer.json["code"]})
                if back.status == 201:
                    table.tokens[2] = back.json["token"]
        state = table.look(3)
        own_seat = state["seats"][state["seat"]]
        assert (own_seat["name"], own_seat["kind"]) == ("Cleo", "person")


def test_a_link_of_a_seat_that_is_left_out_meanwhile_leads_nowhere(site: Site) -> None:
    for seed in range(thorough(8, 40)):
        table = make_lobby(site, "kwartet")
        for seat in (1, 2):
            assert join(site, table, seat=seat).status == 201
        link = table.made["seats"][3]["invitation"]
        requests: list[tuple[Any, ...]] = [
            ("POST", f"{table.path}/start", {"fill": "nobody"}, table.tokens[0]),
            ("POST", "/api/seats", {"invitation": link}),
        ]
        _, answer = site.ask_at_once(requests, Random(seed))
        assert answer.status in (201, 404)
        assert len(table.look(0)["seats"]) == (4 if answer.status == 201 else 3)


def test_presence_follows_a_player_who_changes_seats_or_leaves(site: Site) -> None:
    cookie = {"cookie": "quaternity=" + "y" * 22}
    table = make_lobby(site)
    live = site.run(site.app.state.tables.live.open(table.made["table"]))
    link = {"invitation": table.made["invitation"]}
    token = site.ask("POST", "/api/seats", link | {"seat": 1}, headers=cookie).json["token"]
    site.listen(f"{table.path}/events", token)
    assert 1 in live.attendance().present
    assert site.ask("POST", "/api/seats", link | {"seat": 2}, headers=cookie).status == 201
    site.rest()
    assert [seat["present"] for seat in table.look(0)["seats"]] == [False, False, True]
    live.presence.last_seen[2] = 0.0
    assert 2 not in live.attendance().absent
    assert site.ask("POST", f"{table.path}/leave", {}, token).status == 200
    site.rest()
    assert not any(seat["present"] for seat in table.look(0)["seats"])


def test_a_rematch_begins_after_a_countdown_that_every_player_can_stop(site: Site) -> None:
    table = make_lobby(site, "set", settings={"seats": 2}, seats=["me", "open"])
    join(site, table, name="Ben")
    play_set(site, table, 2, Random(2))
    made = table.post(0, "again").json
    table.path = f"/api/tables/{made['table']}"
    path = f"/t/{made['table']}/part"

    def part(seat: int) -> str:
        return site.ask("GET", path, token=table.tokens[seat]).body.decode()

    with limited("quaternity.web.actor", COUNTDOWN_SECONDS=3600.0):
        assert "data-countdown" not in part(0)
        part(1)  # this player arrives
        site.rest_until(lambda: "data-countdown" in part(0))
        live = site.run(site.app.state.tables.live.open(made["table"]))
        assert not table.look(0)["begun"]
        seat = table.look(1)["seat"]
        for ready in (True, False):
            assert live.is_quiet != ready, "a table that is counting down stays in memory"
            stop = {"ready": not ready, "countdown": True, "seat": seat}
            assert table.post(1, "ready", **stop).status == 200
            assert ("data-countdown" in part(0)) != ready
        assert not table.look(0)["begun"]


def test_looking_at_your_tables_does_not_join_the_next_game(site: Site) -> None:
    cookies = [{"cookie": "quaternity=" + letter * 22} for letter in "pq"]
    table = make_lobby(site, "set", seats=["open", "open"], settings={"seats": 2})
    for cookie in cookies:
        link = {"invitation": table.made["invitation"]}
        page = site.ask("POST", "/api/seats", link, headers=cookie)
        table.tokens[page.json["seat"]] = page.json["token"]
    play_set(site, table, 2, Random(2))
    path = f"/api/tables/{table.post(0, 'again').json['table']}"
    for look, ready in (("/", 1), (path, 2)):
        assert site.ask("GET", look, headers=cookies[1]).status == 200
        site.rest()
        site.run(site.app.state.tables.store.write())  # after everything else that is to be written
        site.rest()
        assert sum(seat["ready"] for seat in site.ask("GET", path).json["seats"]) == ready


@pytest.mark.parametrize("visitors", [False, True])
def test_a_visitor_takes_a_free_seat_if_the_host_allows_it(visitors: bool, site: Site) -> None:
    table = make_lobby(site, visitors=visitors)
    assert table.post(0, "start").status == 200
    assert table.post(0, "hand-over", seat=1, player="open").status == 200
    rematch = table.post(0, "again").json["table"]
    for name in (make_lobby(site, visitors=visitors).made["table"], rematch):
        page = site.ask("GET", f"/t/{name}").body.decode()
        assert ('data-api="/api/seats"' in page) == visitors
        state = site.ask("GET", f"/api/tables/{name}").json
        assert (state["begun"], state["invitation"] is not None) == (False, visitors)
        answer = site.ask("POST", "/api/seats", {"invitation": name, "name": "Ben"})
        assert (answer.status, "token" in answer.json) == (
            (201, True) if visitors else (404, False)
        )
    begun = {"invitation": table.made["table"], "name": "Ben"}
    assert site.ask("POST", "/api/seats", begun).status == (409 if visitors else 404)


def test_the_game_begins_after_a_countdown_that_every_player_can_stop(site: Site) -> None:
    head = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://{Site.HOST}",
            "cookie": "quaternity=" + "a" * 22}  # fmt: skip
    form = b"game=quarto&name=Ann&with=friends&players=2&length=normal&visitors=on"
    page = site.ask("POST", "/new", form, headers=head)
    name = dict(page.headers)[b"location"].decode().rpartition("/")[2]
    cookies = [{"cookie": "quaternity=" + letter * 22} for letter in "ab"]

    def post(person: int, what: str, **body: Any) -> Any:
        return site.ask("POST", f"/api/tables/{name}/{what}", body, headers=cookies[person])

    def state() -> Any:
        return site.ask("GET", f"/api/tables/{name}").json

    def part() -> str:
        return site.ask("GET", f"/t/{name}/part", headers=cookies[0]).body.decode()

    with limited("quaternity.web.actor", COUNTDOWN_SECONDS=3600.0):
        joined = site.ask("POST", "/api/seats", {"invitation": name, "ready": False, "name": "Ben"},
                          headers=cookies[1])  # fmt: skip
        assert joined.status == 201
        assert [seat["ready"] for seat in state()["seats"]] == [False, False]
        for person in (0, 1):
            assert "data-countdown" not in part()
            assert post(person, "ready", ready=True, countdown=True).status == 200
        assert 'data-countdown="3"' in part()
        assert not state()["begun"]
        assert post(1, "ready", ready=False, countdown=True).status == 200
        assert "data-countdown" not in part()
    with limited("quaternity.web.actor", COUNTDOWN_SECONDS=0.0):
        for _ in range(20):
            assert not state()["begun"], "the stopped countdown begins no game"
        assert post(1, "ready", ready=True, countdown=True).status == 200
        site.rest_until(lambda: bool(state()["begun"]))
