"""The room in which friends wait for a game, and the games of an evening."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.web.admission import Limits
from quaternity.web.app import app
from tests.sizes import thorough
from tests.web.site import Site
from tests.web.test_api import SMALL, Table

GAMES: dict[str, tuple[dict[str, Any], int]] = {
    "quaternity": (SMALL, 3), "kwartet": ({"sets": 5}, 4), "quarto": ({}, 2), "set": ({}, 3),
}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(app(str(tmp_path_factory.mktemp("web")), limits=Limits(tables=10_000))) as running:
        yield running


def room(site: Site, game: str = "quaternity", **more: Any) -> Table:
    settings, seats = GAMES[game]
    wanted = {"settings": settings, "seats": ["me", *["open"] * (seats - 1)]} | more
    return Table(site, game=game, **wanted)


def comes(site: Site, table: Table, **more: Any) -> Any:
    """Sit down by the link of a table; the answer."""
    page = site.ask("POST", "/api/seats", {"invitation": table.made["invitation"], **more})
    if page.status == 201:
        table.tokens[page.json["seat"]] = page.json["token"]
    return page


@pytest.mark.parametrize("game", GAMES)
def test_before_the_start_nothing_happens_and_nothing_is_told(game: str, site: Site) -> None:
    rooms = [room(site, game, seed=seed, help=True) for seed in (1, 2)]
    for table in rooms:
        seen = table.look(0)
        assert (seen["begun"], seen["view"], seen["moves"], seen["to_act"]) == (False, None, [], [])
        assert (seen["outcome"], set(seen["points"])) == (None, {0.0})
        move = table.move(0, "0 asks 1 for 0/0", 0)
        assert (move.status, move.json["error"]) == (409, "the game has not begun")
        name = table.made["table"]
        for path in (f"{table.path}/record", f"{table.path}/help/hint", f"/t/{name}/help/know"):
            page = site.ask("GET", path, token=table.tokens[0])
            assert page.status == 409
        assert table.post(0, "undo", version=0, agree=True).status == 409
        assert table.post(0, "again").status == 409
    # Nothing of the deal is in any byte: two deals look alike.
    pages = []
    for table in rooms:
        name, link = table.made["table"], table.made["invitation"].rpartition("/")[2]
        for path in (table.path, f"/t/{name}", f"/t/{name}/part", f"/t/{name}/at/0"):
            body = site.ask("GET", path).body
            pages.append(body.replace(name.encode(), b"T").replace(link.encode(), b"I"))
    assert pages[:4] == pages[4:]
    for table in rooms:
        assert table.post(0, "start", fill="easy").status == 200
    # What is dealt by a seed is the same for who waited and who did not.
    settings, seats = GAMES[game]
    wanted = ["me", *["easy"] * (seats - 1)]
    at_once = Table(site, game=game, settings=settings, seats=wanted, seed=1)
    assert rooms[0].look(0)["begun"]
    heads = [
        site.run(site.app.state.tables.open(table.made["table"])).kept.head
        for table in (rooms[0], at_once)
    ]
    assert heads[0] == heads[1]


def test_the_game_begins_when_everybody_is_ready(site: Site) -> None:
    table = room(site)
    assert table.post(0, "ready", ready=False).status == 200
    assert comes(site, table, name="Ben", seat=2).json["seat"] == 2
    page = comes(site, table, name="Cleo")
    assert page.json.get("seat") == 1, page.body
    seen = table.look(0)
    assert [seat["name"] for seat in seen["seats"]] == ["Anna", "Cleo", "Ben"]
    assert [seat["ready"] for seat in seen["seats"]] == [False, True, True]
    assert not seen["begun"]
    assert comes(site, table).status == 409
    assert table.post(0, "ready", ready=True).status == 200
    assert table.look(0)["begun"]
    assert table.move(0, table.look(0)["moves"][0]).status == 200
    assert comes(site, table).json["error"] == "the game has begun without you: you can watch it"
    assert table.post(0, "ready", ready=False).status == 409
    assert table.post(0, "leave").status == 409
    assert table.post(0, "start").status == 409


def test_the_link_of_a_table_is_for_who_sits_there_until_the_game_begins(site: Site) -> None:
    table = room(site)
    link = table.made["invitation"]
    assert comes(site, table, seat=1).status == 201
    assert [table.look(seat)["invitation"] for seat in (0, 1, None)] == [link, link, None]
    assert table.post(0, "start").status == 200
    assert [table.look(seat)["invitation"] for seat in (0, 1, None)] == [None] * 3


@pytest.mark.parametrize("game", ["quaternity", "quarto"])
def test_in_the_next_game_empty_seats_have_links_of_their_own(game: str, site: Site) -> None:
    seats = ["me", "open", "easy"][: GAMES[game][1]]
    table = room(site, game, seats=seats)
    before = [seat["invitation"] for seat in table.made["seats"]]
    assert table.post(0, "start").status == 200
    live = site.run(site.app.state.tables.open(table.made["table"]))
    opened = table.post(0, "hand-over", seat=1, player="open").json["invitation"]
    after = site.run(site.app.state.tables.open(table.post(0, "again").json["table"]))
    links = [seat.invitation for seat in after.seats]
    assert [link is not None for link in links] == [seat.kind == "open" for seat in after.seats]
    assert {*links} & {*before, opened.rpartition("/")[2]} <= {None}
    assert [seat.kind for seat in after.seats[1:]] == [seat.kind for seat in live.seats[:-1]]


def test_links_of_single_seats_lead_there_as_before(site: Site) -> None:
    table = room(site)
    for seat in (1, 2):
        assert not table.look(0)["begun"]
        link = table.made["seats"][seat]["invitation"]
        assert site.ask("POST", "/api/seats", {"invitation": link}).json["seat"] == seat
    assert table.look(0)["begun"]


@pytest.mark.parametrize(
    ("game", "fill", "players"),
    [
        ("quaternity", None, ["person", "person", "program"]),
        ("quaternity", "easy", ["person", "person", "program"]),
        ("quaternity", "nobody", ["person", "person"]),
        ("set", "nobody", ["person", "person"]),
        ("kwartet", "nobody", ["person", "person"]),
    ],
)
def test_seats_that_stay_empty_are_filled_or_left_out(
    game: str, fill: str | None, players: list[str], site: Site
) -> None:
    table = room(site, game)
    seat = len(table.tokens) - 1
    assert comes(site, table, seat=seat).status == 201
    assert table.post(seat, "start").status == 403
    token = table.tokens[seat]
    assert table.post(0, "start", **({} if fill is None else {"fill": fill})).status == 200
    seen = site.ask("GET", table.path, token=token).json
    kinds = [seat["kind"] for seat in seen["seats"]]
    assert Counter(kinds)["person"] == 2
    assert "open" not in kinds
    assert fill != "nobody" or kinds == players
    # Who was moved on by a seat that is left out is called by the new one.
    mine = seen["seats"][seen["seat"]]
    assert mine["name"] == f"player {seen['seat']}"


@pytest.mark.parametrize("fill", ["nobody", "best", "os:abort", "perfect:/etc/passwd"])
def test_what_cannot_fill_a_seat_is_refused_and_the_table_waits_on(fill: str, site: Site) -> None:
    table = room(site, "quarto")
    assert table.post(0, "start", fill=fill).status == 422
    assert not table.look(0)["begun"]
    assert table.post(0, "start").status == 200


def test_who_leaves_makes_room_and_another_begins(site: Site) -> None:
    table = room(site)
    comes(site, table, name="Ben")
    assert table.post(0, "leave").status == 200
    assert [seat["kind"] for seat in table.look(1)["seats"]] == ["open", "person", "open"]
    assert table.post(1, "start", fill="nobody").status == 422  # nobody plays alone
    assert comes(site, table, name="Cleo").json["seat"] == 0
    assert table.post(1, "start").status in (200, 403)
    assert table.post(0, "start").status in (200, 409)
    assert table.look(0)["begun"]


def test_a_browser_changes_its_seat_and_has_one(site: Site) -> None:
    cookie = {"cookie": "quaternity=" + "x" * 22}
    table = room(site)
    link = table.made["invitation"]
    for seat in (2, 1, 1, 2):
        page = site.ask("POST", "/api/seats", {"invitation": link, "seat": seat}, headers=cookie)
        assert (page.status, page.json["seat"]) == (201, seat)
        kinds = [one["kind"] for one in table.look(0)["seats"]]
        assert kinds == ["person", *["person" if one == seat else "open" for one in (1, 2)]]
        assert table.look(0)["seats"][seat]["name"] == f"player {seat}"
    page = site.ask("POST", "/api/seats", {"invitation": link, "seat": 0}, headers=cookie)
    assert page.status == 409
    page = site.ask("POST", "/api/seats", {"invitation": link, "seat": 3}, headers=cookie)
    assert (page.status, page.json["error"]) == (422, "seat: must be from 0 to 2, not 3")


@pytest.mark.parametrize("seed", range(3))
def test_of_many_who_come_at_once_each_seat_gets_one(seed: int, site: Site) -> None:
    table = room(site, "set", settings={"seats": 8}, seats=["me", *["open"] * 7])
    random, link = Random(seed), table.made["invitation"]
    guests = [
        {"invitation": link, "name": f"guest {number}"}
        | ({"seat": random.randrange(1, 8)} if random.random() < 0.5 else {})
        for number in range(200)
    ]
    answers = site.ask_at_once([("POST", "/api/seats", guest) for guest in guests], random)
    came = {
        answer.json["seat"]: guest["name"]
        for guest, answer in zip(guests, answers, strict=True) if answer.status == 201
    }  # fmt: skip
    assert Counter(answer.status for answer in answers) == {201: 7, 409: 193}
    seen = table.look(0)
    assert [seat["name"] for seat in seen["seats"]] == ["Anna", *map(came.get, range(1, 8))]
    assert seen["begun"]


def test_a_room_outlives_its_server(tmp_path: Path) -> None:
    with Site(app(str(tmp_path))) as site:
        table = room(site, seed=4)
        comes(site, table, name="Ben")
        table.post(1, "ready", ready=False)
        before = table.look(1)
    with Site(app(str(tmp_path))) as site:
        table.site = site
        after = table.look(1)
        for seen in (before, after):
            del seen["seats"], seen["invitation"]
        assert before == after
        assert comes(site, table, name="Cleo").status == 201
        assert not table.look(1)["begun"]
        assert table.post(1, "ready", ready=True).status == 200
        assert table.look(1)["begun"]


def plays(site: Site, table: Table, seats: int, random: Random) -> list[int]:
    """Play a game of SET to its end; the place of each seat."""
    while (seen := table.look(None))["outcome"] is None:
        live = site.run(site.app.state.tables.open(seen["table"]))
        view = live.rules.view(live.course.position, 0)
        claim = f"claim {' '.join(map(str, view.threes[0]))}" if view.threes else "more"
        table.move(random.randrange(seats), claim)
    return list(seen["outcome"]["places"])


def test_an_evening_takes_all_along_and_counts_who_won(site: Site) -> None:
    names = ["Ann", "Ben", "Cleo"]
    table, random = room(site, "set"), Random(3)
    table.post(0, "ready", ready=False)
    for name in names[1:]:
        comes(site, table, name=name)
    table.post(0, "ready", ready=True)
    tokens = dict(zip(names, table.tokens, strict=True))
    won: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    for game in range(1, thorough(3, 6)):
        sat = [seat["name"] for seat in table.look(None)["seats"]]
        places = plays(site, table, 3, random)
        first = [name for name, place in zip(sat, places, strict=True) if place == 1]
        (won if len(first) == 1 else shared).update(first)
        made = table.post(0, "again")
        assert made.status == 201
        table.path = made.json["watch"].replace("/t/", "/api/tables/").split("8000")[-1]
        seen = table.look(None)
        assert not seen["begun"]
        assert [seat["name"] for seat in seen["seats"]] == [sat[-1], *sat[:-1]]
        score = {line["name"]: (line["games"], line["wins"], line["ties"])
                 for line in seen["evening"]}  # fmt: skip
        assert score == {name: (game, won[name], shared[name]) for name in sat}
        # All but one come; a program plays for who does not until they are back.
        late = table.tokens[2]
        assert not table.look(1)["begun"]
        starts = [table.post(seat, "start").status for seat in (0, 1)]
        assert sorted(starts)[0] == 200, starts
        seen = table.look(None)
        seat = next(n for n, one in enumerate(seen["seats"]) if one["kind"] == "program")
        back = {"seat": seat, "player": "me"}
        assert site.ask("POST", f"{table.path}/hand-over", back, token=late).status == 200
        assert table.look(None)["seats"][seat]["kind"] == "person"
    assert set(tokens.values()) == set(table.tokens)


def test_programs_begin_with_the_game_and_not_before(site: Site) -> None:
    table = room(site, "quarto", seats=["random", "open"])
    for _ in range(3):
        site.rest()
    assert table.look()["version"] == 0
    page = comes(site, table)
    assert page.status == 201
    name = table.made["table"]

    async def moved() -> int:
        live = await site.app.state.tables.open(name)
        while not live.version:
            await asyncio.sleep(0)
        return int(live.version)

    assert site.run(asyncio.wait_for(moved(), 60)) == 1


def test_who_made_a_table_begins_it_from_their_browser_also_without_a_seat(site: Site) -> None:
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


def test_a_room_that_all_have_left_is_open_to_who_has_its_link(site: Site) -> None:
    table = room(site)
    comes(site, table, name="Ben")
    for seat in (0, 1):
        assert table.post(seat, "leave").status == 200
    assert table.post(0, "start").status == 403
    kinds = {one["kind"] for one in table.look(None)["seats"]}
    assert kinds == {"open"}
    for name in ("Cleo", "Dora", "Emil"):
        assert comes(site, table, name=name).status == 201
    assert table.look(0)["begun"]


@pytest.mark.parametrize(
    ("what", "sent"), [("code", {}), ("hand-over", {"seat": 2, "player": "easy"})]
)
def test_who_asks_while_seats_move_on_acts_for_nobody_else(
    what: str, sent: dict[str, Any], site: Site
) -> None:
    for seed in range(thorough(8, 40)):
        table = room(site, "kwartet")
        for seat, name in ((2, "Ben"), (3, "Cleo")):
            assert comes(site, table, seat=seat, name=name).status == 201
        # Seat 1 is left out, so that Cleo gets the number that was Ben's.
        asked: list[tuple[Any, ...]] = [
            ("POST", f"{table.path}/start", {"fill": "nobody"}, table.tokens[0]),
            *[("POST", f"{table.path}/{what}", sent, table.tokens[2])] * 6,
        ]
        answers = site.ask_at_once(asked, Random(seed))
        assert not {answer.status for answer in answers} & {500, 503}
        for answer in answers[1:]:
            if "code" in answer.json:
                back = site.ask("POST", "/api/seats/back", {"code": answer.json["code"]})
                if back.status == 201:
                    table.tokens[2] = back.json["token"]
        seen = table.look(3)
        mine = seen["seats"][seen["seat"]]
        assert (mine["name"], mine["kind"]) == ("Cleo", "person")


def test_a_link_of_a_seat_that_is_left_out_meanwhile_leads_nowhere(site: Site) -> None:
    for seed in range(thorough(8, 40)):
        table = room(site, "kwartet")
        for seat in (1, 2):
            assert comes(site, table, seat=seat).status == 201
        link = table.made["seats"][3]["invitation"]
        asked: list[tuple[Any, ...]] = [
            ("POST", f"{table.path}/start", {"fill": "nobody"}, table.tokens[0]),
            ("POST", "/api/seats", {"invitation": link}),
        ]
        _, came = site.ask_at_once(asked, Random(seed))
        assert came.status in (201, 404)
        assert len(table.look(0)["seats"]) == (4 if came.status == 201 else 3)


def test_only_the_host_puts_programs_in_seats_that_wait_for_friends(site: Site) -> None:
    table = room(site)
    comes(site, table, name="Ben")
    for player in ("easy", "open"):
        assert table.post(1, "hand-over", seat=2, player=player).status == 403
    assert not table.look(0)["begun"]
    assert table.post(0, "hand-over", seat=2, player="easy").status == 200
    assert table.look(0)["begun"]


def test_before_the_deal_a_program_makes_room_for_a_friend(site: Site) -> None:
    table = room(site, "kwartet", seats=["me", "open", "open", "easy"])
    assert comes(site, table, name="Ben").status == 201
    assert table.post(0, "hand-over", seat=3, player="open").status == 200
    assert comes(site, table, seat=3).status == 201


def test_who_changes_the_seat_or_leaves_is_seen_where_they_are(site: Site) -> None:
    cookie = {"cookie": "quaternity=" + "y" * 22}
    table = room(site)
    live = site.run(site.app.state.tables.open(table.made["table"]))
    link = {"invitation": table.made["invitation"]}
    token = site.ask("POST", "/api/seats", link | {"seat": 1}, headers=cookie).json["token"]
    site.listen(f"{table.path}/events", token)
    assert live.is_present(1)
    assert site.ask("POST", "/api/seats", link | {"seat": 2}, headers=cookie).status == 201
    site.rest()
    assert [seat["present"] for seat in table.look(0)["seats"]] == [False, False, True]
    live.seen[2] = 0.0
    assert not live.is_absent(2)
    assert site.ask("POST", f"{table.path}/leave", {}, token).status == 200
    site.rest()
    assert not any(seat["present"] for seat in table.look(0)["seats"])


def test_who_looks_at_their_tables_has_not_come_to_the_next_game(site: Site) -> None:
    cookies = [{"cookie": "quaternity=" + letter * 22} for letter in "pq"]
    table = room(site, "set", seats=["open", "open"], settings={"seats": 2})
    for cookie in cookies:
        link = {"invitation": table.made["invitation"]}
        page = site.ask("POST", "/api/seats", link, headers=cookie)
        table.tokens[page.json["seat"]] = page.json["token"]
    plays(site, table, 2, Random(2))
    path = f"/api/tables/{table.post(0, 'again').json['table']}"
    for look, ready in (("/", 1), (path, 2)):
        assert site.ask("GET", look, headers=cookies[1]).status == 200
        site.rest()
        site.run(site.app.state.tables.store.write())  # after what else is to be written
        site.rest()
        assert sum(seat["ready"] for seat in site.ask("GET", path).json["seats"]) == ready


@pytest.mark.parametrize("visitors", [False, True])
def test_a_visitor_takes_a_free_seat_if_the_host_allows_it(visitors: bool, site: Site) -> None:
    table = room(site, visitors=visitors)
    assert table.post(0, "start").status == 200
    assert table.post(0, "hand-over", seat=1, player="open").status == 200
    again = table.post(0, "again").json["table"]
    for name in (room(site, visitors=visitors).made["table"], again):
        page = site.ask("GET", f"/t/{name}").body.decode()
        assert ('data-api="/api/seats"' in page) == visitors
        seen = site.ask("GET", f"/api/tables/{name}").json
        assert (seen["begun"], seen["invitation"] is not None) == (False, visitors)
        answer = site.ask("POST", "/api/seats", {"invitation": name, "name": "Ben"})
        assert (answer.status, "token" in answer.json) == (
            (201, True) if visitors else (404, False)
        )
    begun = {"invitation": table.made["table"], "name": "Ben"}
    assert site.ask("POST", "/api/seats", begun).status == (409 if visitors else 404)
