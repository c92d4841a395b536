"""Requests for tables, seats and moves, and their limits."""

import json
import re
from html import unescape
from typing import Any

import pytest

from quaternity.base.errors import InputError
from quaternity.quarto.rules import QuartoRules
from quaternity.table.games import game_names, registration, rules_class
from quaternity.table.match import Match
from quaternity.web.new_table import parse_upload
from quaternity.web.rendering import static_files
from quaternity.web.seats import Caller
from tests.limits import limited
from tests.sizes import thorough
from tests.web.site import Site
from tests.web.tables import PEOPLE, SMALL, Table

pytestmark = pytest.mark.usefixtures("kept_processes")


@pytest.mark.parametrize("game", sorted(game_names()))
def test_a_level_is_requested_by_its_name(game: str, site: Site) -> None:
    for level in registration(game).levels:
        seats = ["me", *[level.name] * (rules_class(game)().seats - 1)]
        made = site.ask("POST", "/api/tables", {"game": game, "seats": seats})
        assert made.status == 201, made.body
        state = site.ask("GET", f"/api/tables/{made.json['table']}").json
        assert {seat["name"] for seat in state["seats"][1:]} == {level.player}


def test_an_illegal_move_is_refused_with_its_reason(site: Site) -> None:
    table = Table(site)
    faults = table.move(0, "0 0 2")
    assert (faults.status, faults.json["faults"]) == (422, ["players cannot ask themselves"])
    assert table.move(0, "what?").status == 422
    assert table.look()["version"] == 0


def test_a_brisk_table_asks_no_hopeless_questions(site: Site) -> None:
    assert 'name="settings.brisk"' in site.ask("GET", "/new?game=quaternity").body.decode()
    table = Table(site, settings=SMALL | {"brisk": True})
    assert table.look()["settings"]["brisk"]
    assert table.move(0, "1 0 2").status == table.move(1, "no").status == 200
    faults = table.move(1, "0 0 2").json["faults"]
    assert faults == [
        "player 0 is known not to have 0/2; a brisk game forbids questions that can only be "
        "answered by no"
    ]
    assert b"\nbrisk yes\n" in site.ask("GET", f"{table.path}/record").body


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"game": "chess"}, "choose from quaternity"),
        ({"seats": ["me"]}, "3"),
        ({"seats": ["me", "me", 3]}, "strings"),
        ({"seats": ["me", "me", "os:abort"]}, "for a seat; choose from"),
        ({"settings": {"set_size": 1}}, "2"),
        ({"settings": {"colour": "red"}}, "unknown"),
        (
            {"setings": {"sets": 5}},
            "unknown field setings; choose from game, seats, settings, name",
        ),
        ({"settings": {"sets": "3"}}, "sets: must be a whole number"),
        ({"settings": {"brisk": "yes"}}, "brisk: must be true or false, not 'yes'"),
        ({"settings": [4]}, "object"),
        ({"name": "x" * 41}, "name"),
        ({"name": "a\0b"}, "name"),
        ({"seed": -1}, "seed"),
        ({"help": 1}, "true or false"),
    ],
)
def test_invalid_tables_are_refused(site: Site, wanted: dict[str, Any], says: str) -> None:
    page = site.ask("POST", "/api/tables", PEOPLE | wanted)
    assert page.status == 422
    assert says in page.json["error"]


@pytest.mark.parametrize(
    ("seed", "is_valid"),
    [(0, True), (1, True), (2**64 - 1, True), (-1, False), (2**64, False), (2**65, False)],
)
def test_a_seed_has_64_bits(site: Site, seed: int, is_valid: bool) -> None:
    made = site.ask("POST", "/api/tables", PEOPLE | {"seed": seed})
    assert made.status == (201 if is_valid else 422)
    assert is_valid or "seed: must be a whole number from 0 to 2**64 - 1" in made.json["error"]


def test_ids_of_moves_and_questions_have_a_maximum_length(site: Site) -> None:
    table = Table(site, help=True)
    for name, status in (("a" * 65, 422), ("", 422), ("\x00", 422), ("a" * 64, 200)):
        document = {"version": 0, "id": name, "move": "1 0 2"}
        assert table.post(0, "moves", **document).status == status, name
    path = f"{table.path}/help/know?formula="
    for length, is_long in ((1000, False), (1001, True)):
        answer = site.ask("GET", path + "x" * length, token=table.tokens[0])
        assert ("has more than 1000 characters" in answer.body.decode()) == is_long


def test_unnamed_players_are_called_by_their_seats_in_rematches_too(site: Site) -> None:
    table = Table(site, seats=["me", "me", "random"], name=None)
    table.post(1, "hand-over", seat=1, player="random")
    for _ in range(4):
        seats = site.ask("GET", table.path).json["seats"]
        for number, seat in enumerate(seats):
            assert seat["name"] in (f"player {number}", "random")
        made = table.post(0, "again").json["table"]
        table.path = f"/api/tables/{made}"
    # After four rematches seat 1 is seat 2; a player who takes it back has the new name.
    assert table.post(1, "hand-over", seat=2, player="me").status == 200
    seats = site.ask("GET", table.path).json["seats"]
    assert [seat["name"] for seat in seats] == ["random", "player 1", "player 2"]


def test_a_downloaded_record_can_be_uploaded(site: Site) -> None:
    table = Table(site)
    table.move(0, "1 0 2")
    table.move(1, "yes")
    downloaded = site.ask("GET", f"{table.path}/record").body
    assert downloaded.endswith(b"0 asks 1 for 0/2: yes\n")
    uploaded = site.ask("POST", "/api/records", downloaded)
    name = uploaded.json["table"]
    state = site.ask("GET", f"/api/tables/{name}").json
    assert (state["version"], state["to_act"]) == (2, [])
    assert site.ask("GET", f"/api/tables/{name}/record").body == downloaded


def test_records_too_large_for_a_page_are_refused(site: Site) -> None:
    head = b"quaternity 1\nset-size 4\nsets 3\nplayers 3\n"
    large = head.replace(b"sets 3", b"sets 300")
    for data, says in (
        (large, "sets: must be a whole number 1..200, not 300"),
        (b"chess 1\n", "first line"),
        (b"\xff", "record"),
        (b"", "line"),
    ):
        page = site.ask("POST", "/api/records", data)
        assert page.status == 422
        assert says in page.json["error"]
    with (
        limited("quaternity.web.new_table", MAX_RECORD_MOVES=0),
        pytest.raises(InputError, match="the record has 2 moves, but at most 0 are allowed"),
    ):
        parse_upload(head + b"0 asks 1 for 0/2: yes\n")


def test_a_head_request_opens_no_stream(site: Site) -> None:
    table, streams = Table(site), site.app.state.tables.streams
    before = {*streams.open}
    assert site.ask("HEAD", f"{table.path}/events").body == b""
    assert {*streams.open} <= before


def test_a_record_hides_secrets_until_the_end(site: Site) -> None:
    for game, seats, secret in (("kwartet", 4, b"# hand"), ("set", 2, b"# deck")):
        table = Table(site, game=game, seats=["me"] * seats, settings={}, seed=7)
        text = site.ask("GET", f"{table.path}/record", token=table.tokens[0]).body
        assert all(line.startswith(b"# ") for line in text.splitlines())
        assert secret not in text
        assert table.look()["practice"]


def test_events_follow_a_table(site: Site) -> None:
    table = Table(site)
    stream = site.listen(f"{table.path}/events", table.tokens[1])
    assert table.look()["seats"][1]["present"]
    table.move(0, "1 0 2")
    table.move(1, "no")
    site.rest()
    text = b"".join(stream.parts[1:]).decode()
    moves = [part for part in text.split("\n\n") if part.startswith("event: move\n")]
    assert [part.splitlines()[1] for part in moves] == ["id: 1", "id: 2"]
    data = json.loads(moves[1].splitlines()[2].removeprefix("data: "))
    values = {"asker": 0, "asked": 1, "card": "0/2", "answer": "no", "forced": False}
    event = {"text": "0 asks 1 for 0/2: no", "kind": "asks"} | values
    assert data == {"version": 2, "seat": 1, "events": [event]}
    # A client that comes back gets the events that it missed, and the present version.
    late = site.listen(f"{table.path}/events?after=1", None)
    body = b"".join(late.parts[1:]).decode()
    assert body.startswith(moves[1] + "\n\nevent: version\nid: 2\n")
    assert site.listen(f"{table.path}/events?after=99", None).parts[1].startswith(b"event: version")


def test_every_stream_reports_every_action(site: Site) -> None:
    table = Table(site)
    streams = [site.listen(f"{table.path}/events", token) for token in (None, *table.tokens)]
    lengths = [len(stream.parts) for stream in streams]
    hand_over = {"seat": 2, "player": "random"}
    for action, document, event in (
        ("moves", {"version": 0, "id": "x", "move": "1 0 2"}, "event: move\nid: 1\n"),
        ("undo", {"version": 1, "agree": True}, 'event: undo\ndata: {"agreed":[0]}\n'),
        ("undo", {"version": 1, "agree": False}, 'event: undo\ndata: {"agreed":[]}\n'),
        ("hand-over", hand_over, "event: seats\ndata: {}\n"),
    ):
        token = table.tokens[2 if action == "hand-over" else 0]
        assert site.ask("POST", f"{table.path}/{action}", document, token).status == 200
        site.rest()
        for number, stream in enumerate(streams):
            assert event in b"".join(stream.parts[lengths[number] :]).decode()
            lengths[number] = len(stream.parts)


def test_a_refused_move_says_whether_the_game_is_over(site: Site) -> None:
    table = Table(site, game="quarto", settings={}, seats=["me", "me"])
    while (look := table.look())["to_act"]:
        (seat,) = look["to_act"]
        refused = table.move(1 - seat, look["moves"][0] if look["moves"] else "A")
        assert refused.status == 409
        assert refused.json["error"].startswith("it is not this seat's turn")
        assert table.move(seat, table.look(seat)["moves"][0]).status == 200
    refused = table.move(0, "A")
    assert (refused.status, refused.json["error"]) == (409, "the game is over")


def test_a_truncated_list_of_moves_says_that_there_are_more(site: Site) -> None:
    table = Table(site)
    legal = table.look(0)["moves"]
    assert "more" not in table.look(0)
    for limit in (len(legal) - 1, len(legal), len(legal) + 1):
        with limited("quaternity.web.documents", MAX_LISTED_MOVES=limit):
            state = table.look(0)
        assert state["moves"] == legal[:limit]
        assert state.get("more", False) == (limit < len(legal))


def test_every_moment_of_a_game_shows_the_position_after_its_moves(site: Site) -> None:
    table = Table(site, game="quarto", settings={}, seats=["me", "me"])
    views = [table.look()["view"]]
    for _ in range(4):
        seat = table.look()["to_act"][0]
        table.move(seat, table.look(seat)["moves"][-1])
        views.append(table.look()["view"])
    tables, name = site.app.state.tables, table.made["table"]
    for at in range(-1, 7):
        moment = min(max(at, 0), 4)
        sight = site.run(tables.view(name, Caller(), None, at))
        assert (sight.number, sight.last, len(sight.moves)) == (moment, 4, moment)
        assert json.loads(json.dumps(sight.rules.view_json(sight.view))) == views[moment]
        if at >= 0:
            page = site.ask("GET", f"/t/{name}/at/{at}").body.decode()
            assert f"Moves: {moment}<" in page


def test_every_link_of_a_page_leads_somewhere(site: Site) -> None:
    """Follow links from the first page and from tables to a page of each kind."""
    tables = [Table(site, help=True, chat=True), Table(site, game="kwartet", seats=["me"] * 4,
              settings={}), Table(site, seats=["me", "open", "open"])]  # fmt: skip
    tables[0].move(0, tables[0].look(0)["moves"][0])
    record = site.ask("GET", f"{tables[0].path}/record").body
    uploaded = site.ask("POST", "/api/records", record).json["table"]
    waiting = ["/", "/learn", "/report", f"/t/{uploaded}"]
    waiting += [table.path.replace("/api/tables/", "/t/") for table in tables]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        page = site.ask("GET", path, token=tables[0].tokens[0])
        assert page.status in (200, 303, 307), (path, page.status)
        if page.status != 200:
            links = [dict(page.headers)[b"location"].decode()]
        else:
            if path.startswith(("/t/", "/guide/", "/puzzles")) and not path.endswith(".svg"):
                assert page.body.startswith(b"<!doctype html>"), path
            links = re.findall(r'(?:href|src)="(/[^"#]*)', page.body.decode("utf-8", "replace"))
        for link in map(unescape, links):
            kind = re.sub(r"(?<=/guide/)[a-z-]+(?=$|\.)|\w+(?==)|=.*|\d+|[\w-]{22}", "", link)
            if thorough(kind, link) not in seen:
                seen.add(thorough(kind, link))
                waiting.append(link)
    assert {"/puzzles", "/new", "/learn"} <= seen


def test_static_files_have_their_types_and_are_immutable(site: Site) -> None:
    kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
             "txt": "text/plain"}  # fmt: skip
    for path, data in static_files().items():
        answer = site.ask("GET", path)
        headers = {name.decode(): value.decode() for name, value in answer.headers}
        assert (answer.status, answer.body) == (200, data)
        assert headers["content-type"].partition(";")[0] == kinds[path.rpartition(".")[2]]
        assert "immutable" in headers["cache-control"]
        assert site.ask("GET", path.replace("/static/", "/static/0")).status == 404
    linked = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', site.ask("GET", "/").body.decode()))
    assert linked
    assert linked <= static_files().keys()


def test_a_browser_without_a_cookie_gets_one_and_keeps_it(site: Site) -> None:
    table = Table(site, seats=["me", "open", "me"])
    link = table.post(0, "elsewhere").json["link"].partition(Site.HOST)[2]
    join = table.made["seats"][1]["invitation"].partition(Site.HOST)[2]
    for path in (link, join):
        cookies = [
            dict(site.ask("GET", path, headers=headers).headers).get(b"set-cookie")
            for headers in ({}, {"cookie": f"quaternity={'k' * 22}"}, {"cookie": "quaternity=x"})
        ]
        assert [cookie is not None for cookie in cookies] == [True, False, True]
        assert cookies[0] != cookies[2]


def test_the_first_page_says_which_tables_of_a_visitor_are_finished(site: Site) -> None:
    """A table is finished from its last move on, until that move is taken back."""
    match = Match(QuartoRules(), ["random", "random"], "7")
    while match.rules.to_act(match.position):
        match.program_move()
    cookie = {"cookie": f"quaternity={'f' * 22}"}
    wanted = {"game": "quarto", "settings": {}, "seats": ["me", "me"], "seed": 7}
    table = site.ask("POST", "/api/tables", wanted, headers=cookie).json["table"]

    def state() -> list[str]:
        home = site.ask("GET", "/", headers=cookie).body.decode()
        (words,) = re.findall(rf'/t/{table}">[^<]*</a> <small>(.*?)</small>', home)
        return ["finished" if words.startswith("finished,") else "running"]

    for version, (seat, move) in enumerate(match.moves):
        assert state() == ["running"]
        document = {"version": version, "id": str(version), "move": match.rules.write(move)}
        path = f"/api/tables/{table}/moves?seat={seat}"
        assert site.ask("POST", path, document, headers=cookie).status == 200
    assert state() == ["finished"]
    for seat in range(2):
        document = {"version": len(match.moves), "agree": True}
        path = f"/api/tables/{table}/undo?seat={seat}"
        assert site.ask("POST", path, document, headers=cookie).status == 200
    assert state() == ["running"]


@pytest.mark.parametrize(
    ("outer", "inner", "twice"),
    [("game", "", "game"), ("", "sets", "sets"), ("na\\u006de", "", "name"), ("x", "x", "x")],
)
def test_a_duplicate_name_is_refused(site: Site, outer: str, inner: str, twice: str) -> None:
    """Duplicates in nested objects are refused too; other parsers may take the other value."""
    settings = "{" + ", ".join(f'"{name}": 3' for name in ("sets", *filter(None, [inner] * 2)))
    names = ("game", "name", *filter(None, [outer] * 2))
    body = "{" + ", ".join(f'"{name}": "quarto"' for name in names)
    page = site.ask("POST", "/api/tables", f'{body}, "settings": {settings}}}}}'.encode())
    assert (page.status, page.json["error"]) == (400, f"{twice} is given more than once")
