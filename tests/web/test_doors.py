"""Access to tables: names, tokens, hosts, origins, limits, and the texts of people."""

from __future__ import annotations

import asyncio
import io
import json
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quaternity.table.match import ChosenMove
from quaternity.web.app import app
from quaternity.web.background import BackgroundWork
from quaternity.web.rate_limits import Limits
from tests.sizes import examples
from tests.web.site import Page, Site

FIRST = "0 asks 1 for 0/0"
SMALL = {"set_size": 4, "sets": 3, "players": 3}
SEED = 13579246801357924
LOUD = "<img src=x onerror=alert(1)>"
MUCH = Limits.of(moves=10**6, tables=10**6, counts=10**6, pages=10**6)


class Place(NamedTuple):
    """A table whose seats are taken."""

    name: str
    tokens: list[str]
    invitations: list[str]

    def path(self, rest: str = "") -> str:
        """Return the path of a request about the table."""
        return f"/api/tables/{self.name}{rest}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the tables."""
    return tmp_path_factory.mktemp("doors")


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    """Run an application with the usual limits, except those of frequency."""
    with Site(app(str(folder), limits=MUCH)) as site:
        yield site


def make_table(site: Site, game: str = "kwartet", name: str = "guest", **more: Any) -> Place:
    """Create a table of three and take its seats."""
    settings = {"quaternity": SMALL, "kwartet": {"players": 3, "sets": 3}, "set": {"seats": 3}}
    wanted = {"game": game, "settings": settings[game], "seats": ["me", "open", "open"],
              "name": name, **more}  # fmt: skip
    made = site.ask("POST", "/api/tables", wanted)
    assert made.status == 201, made
    tokens, invitations = [made.json["seats"][0]["token"]], []
    for seat in made.json["seats"][1:]:
        invitations.append(seat["invitation"].rpartition("/")[2])
        guest = site.ask("POST", "/api/seats", {"invitation": seat["invitation"], "name": name})
        assert guest.status == 201, guest
        tokens.append(guest.json["token"])
    return Place(made.json["table"], tokens, invitations)


def body(version: int = 0, text: str = FIRST) -> dict[str, Any]:
    """Return the body of a move."""
    return {"version": version, "id": "once", "move": text}


def test_guessed_names_lead_nowhere(site: Site) -> None:
    place, other = make_table(site), make_table(site)
    nowhere = site.ask("GET", "/api/tables/AAAAAAAAAAAAAAAAAAAAAA")
    assert nowhere.status == 404
    for name in (
        "%", "_" * 22, place.name[:-1], place.name + "=", place.name.swapcase(), place.tokens[1],
        place.invitations[0], f"{place.name}' --", "..", "0", "1",
    ):  # fmt: skip
        assert site.ask("GET", f"/api/tables/{name}") == nowhere, name
        assert site.ask("GET", f"/t/{name}").status == 404
        assert site.ask("GET", f"/join/{name}").status in (
            200 if name in place.invitations else 404,
        )
    # The name of something else is not a token: its sender is a bystander, or is refused.
    watched = site.ask("GET", place.path())
    assert watched.json["seat"] is None
    assert watched.json["view"]["hand"] == []
    for token in (other.tokens[0], place.name, place.invitations[1], "A" * 22):
        assert site.ask("GET", place.path(), token=token) == watched
        assert site.ask("POST", place.path("/moves"), body(), token=token).status == 403
        cookie = {"cookie": f"quaternity={token}"}
        assert site.ask("GET", place.path(), headers=cookie) == watched
    for token in ("", "x", "é" * 22, "A" * 5000):
        answer = site.ask("GET", place.path(), headers={"authorization": f"Bearer {token}"})
        assert answer.status == 401, token


def test_an_old_link_shows_no_hand(site: Site) -> None:
    place = make_table(site)
    for invitation in place.invitations:
        taken = site.ask("POST", "/api/seats", {"invitation": invitation, "name": "late"})
        assert taken.status == 409
        assert set(taken.json) <= {"error", "version"}
    for seat in range(3):
        for path in (
            place.path(f"?seat={seat}"), place.path(f"/record?seat={seat}"),
            f"/t/{place.name}?seat={seat}", f"/t/{place.name}/at/0?seat={seat}",
        ):  # fmt: skip
            assert site.ask("GET", path).status == 403, path
            if seat != 1:
                assert site.ask("GET", path, token=place.tokens[1]).status == 403, path


@pytest.mark.parametrize(
    ("rest", "sent"),
    [
        ("/moves", body()),
        ("/undo", {"version": 0, "agree": True}),
        ("/hand-over", {"seat": 1, "player": "random"}),
        ("/hand-over", {"seat": 1, "player": "me"}),
        ("/again", {}),
        ("/elsewhere", {}),
        ("/code", {}),
    ],
)
def test_a_bystander_cannot_change_anything(site: Site, rest: str, sent: dict[str, Any]) -> None:
    place, other = make_table(site, "quaternity"), make_table(site, "quaternity")
    before = site.ask("GET", place.path(), token=place.tokens[0])
    assert site.ask("POST", place.path(rest), sent).status == 403
    assert site.ask("POST", place.path(rest), sent, token=other.tokens[0]).status == 403
    assert site.ask("GET", place.path(), token=place.tokens[0]) == before


def test_hidden_games_are_not_taken_back_without_a_player_who_left(site: Site) -> None:
    place = make_table(site)
    mover = site.ask("GET", place.path(), token=place.tokens[0]).json["to_act"][0]
    asker = place.tokens[mover]
    text = site.ask("GET", place.path(), token=asker).json["moves"][0]
    assert site.ask("POST", place.path("/moves"), body() | {"move": text}, asker).status == 200
    for seat in {0, 1, 2} - {mover}:
        sent = {"seat": seat, "player": "silent"}
        assert site.ask("POST", place.path("/hand-over"), sent, place.tokens[seat]).status == 200
    version = site.ask("GET", place.path()).json["version"]
    answer = site.ask("POST", place.path("/undo"), {"version": version, "agree": True}, asker)
    assert answer.status == 409
    expected = "guest has left the seat to a program and cannot agree"
    assert answer.json["error"] == expected


def test_nobody_is_present_in_a_seat_by_watching_from_it(site: Site) -> None:
    name = site.ask("POST", "/api/records", b"quarto 1\n").json["table"]
    site.ask("GET", f"/t/{name}")
    stream = site.listen(f"/api/tables/{name}/events?seat=1", None)
    (reader,) = site.app.state.tables.streams.open
    stream.leave()
    site.rest()
    assert reader.seat is None


@pytest.mark.parametrize("number", ["9" * 5000, "0" * 60, "1", "-1", "%D9%A3", "x"])
def test_a_moment_may_have_any_number(site: Site, number: str) -> None:
    name = site.ask("POST", "/api/records", b"quarto 1\n").json["table"]
    page = site.ask("GET", f"/t/{name}/at/{number}")
    assert page.status == (200 if number.isdigit() else 404)


def test_tokens_are_not_on_the_disk(site: Site, folder: Path) -> None:
    place = make_table(site)
    stored = b"".join(path.read_bytes() for path in folder.iterdir())
    assert place.name.encode() in stored
    for token in place.tokens:
        assert re.fullmatch(r"[A-Za-z0-9_-]{22,}", token), "128 bits"
        assert token.encode() not in stored


@pytest.mark.parametrize("game", ["kwartet", "set", "quaternity"])
def test_everybody_learns_that_a_seed_was_chosen_but_not_which(site: Site, game: str) -> None:
    place = make_table(site, game, seed=SEED)
    paths = [place.path(), place.path("/record"), f"/t/{place.name}", f"/t/{place.name}/at/0"]
    for token in (*place.tokens, None):
        state = site.ask("GET", place.path(), token=token)
        assert state.json["practice"] is (game != "quaternity")
        for path in paths:
            answer = site.ask("GET", path, token=token)
            assert str(SEED).encode() not in repr(answer.headers).encode() + answer.body


def test_texts_of_people_are_shown_as_texts(site: Site) -> None:
    place = make_table(site, "kwartet", name=LOUD, help=True)
    record = f"quarto 1\nplayers {LOUD}, b\n0 A1\n".encode()
    pages: list[Page] = [
        site.ask("GET", path, token=token)
        for token in (place.tokens[1], None)
        for path in (
            f"/t/{place.name}", f"/t/{place.name}/part", f"/t/{place.name}/at/0",
            f"/t/{place.name}/help/know?formula={LOUD.replace(' ', '%20')}",
            f"/new?game={LOUD}", f"/join/{LOUD}", f"/t/{LOUD}", f"/static/{LOUD}/x",
        )
    ]  # fmt: skip
    headers = {"content-type": "text/plain"}
    uploaded = site.ask("POST", "/api/records", record, headers=headers)
    if uploaded.status == 201:
        pages.append(site.ask("GET", f"/t/{uploaded.json['table']}"))
    assert any(b"&lt;img" in page.body for page in pages)
    for page in pages:
        kind = dict(page.headers)[b"content-type"]
        assert b"<img src=x" not in page.body or kind == b"application/json", page


@pytest.mark.parametrize(
    "player",
    ["os:system", "tests.web.loud:player", "perfect", "perfect:/etc/passwd", "search:999999999",
     "search:-1", "search:1e9", "slow:nan", "random:x", "cmd:true", "me ", "ME", "you"],
)  # fmt: skip
def test_no_request_names_code_or_files(site: Site, player: str) -> None:
    for game, chosen in (("quaternity", SMALL), ("set", {"seats": 3})):
        wanted = {"game": game, "settings": chosen, "seats": ["me", "open", player]}
        answer = site.ask("POST", "/api/tables", wanted)
        assert answer.status == 422, answer
        assert b"Errno" not in answer.body
        place = make_table(site, game)
        sent = {"seat": 0, "player": player}
        answer = site.ask("POST", place.path("/hand-over"), sent, token=place.tokens[0])
        assert answer.status == 422, answer
    assert "tests.web.loud" not in sys.modules


LONG = "z" * 300
MAKING = {"game": "quaternity", "settings": SMALL, "seats": ["me"] * 3}


@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        ("POST", "/api/tables", {**MAKING, "game": LONG}),
        ("POST", "/api/tables", {**MAKING, "seats": ["me", "me", LONG]}),
        ("POST", "/api/tables", {**MAKING, "clock": {LONG: 1}}),
        ("GET", f"/new?game={LONG}", None),
        ("GET", f"/puzzles/{LONG}/sets/1/1", None),
        ("GET", f"/puzzles/1/{LONG}/1/1", None),
        ("GET", f"/puzzles/1/sets/{LONG}/1", None),
        ("GET", f"/puzzles/1/sets/1/{LONG}", None),
        ("GET", f"/puzzles/1/sets/1/1?steps={LONG}", None),
    ],
)
def test_a_refusal_quotes_forty_characters_of_what_was_sent(
    site: Site, method: str, path: str, sent: Any
) -> None:
    answer = site.ask(method, path, sent)
    assert answer.status in (404, 422)
    assert {*re.findall("z{3,}", answer.body.decode())} == {"z" * 40}


LENGTHS: dict[str, tuple[str, str, int, Callable[[int], Any]]] = {
    "name": ("POST", "/api/tables", 40, lambda size: {**MAKING, "name": "x" * size}),
    "line": ("POST", "/talk", 200, lambda size: {"text": "x" * size}),
    "id": ("POST", "/moves", 64, lambda size: {**body(9), "id": "x" * size}),
    "move": ("POST", "/moves", 200, lambda size: body(9, "x" * size)),
    "question": ("GET", "/help/know?formula=", 1000, lambda size: "x" * size),
    "question of a page": ("GET", "/t/help/know?formula=", 1000, lambda size: "x" * size),
    "answer": ("GET", "/puzzles/1/sets/1/1?answer=", 1000, lambda size: "x" * size),
    "body": ("POST", "/api/tables", 16 << 10,
             lambda size: json.dumps({**MAKING, "game": ""}).ljust(size).encode()),
    "record": ("POST", "/api/records", 1 << 20, lambda size: b"#" * size),
    "file": ("POST", "/learn", 1 << 20, lambda size: b"#" * size),
}  # fmt: skip
"""A request for each limited text: method, path, maximum length, and what is sent for a length."""


@pytest.fixture(scope="module")
def chat_table(site: Site) -> Place:
    """Create a table with chat and help."""
    return make_table(site, "quaternity", chat=True, help=True)


@pytest.mark.parametrize("kind", LENGTHS)
def test_a_text_of_maximum_length_is_accepted_and_a_longer_one_is_not(
    kind: str, site: Site, chat_table: Place
) -> None:
    method, path, limit, sent = LENGTHS[kind]
    path = path.replace("/t/", f"/t/{chat_table.name}/")
    if path[1:].partition("/")[0] not in ("api", "t", "learn", "puzzles"):
        path = chat_table.path(path)
    complaint = re.compile(
        rf"\b{limit} (printable characters|characters|bytes)|The answer is too long"
    )
    for size, is_long in ((limit - 1, False), (limit, False), (limit + 1, True)):
        document = sent(size)
        more, body = (document, None) if isinstance(document, str) else ("", document)
        answer = site.ask(method, path + more, body, chat_table.tokens[0])
        assert bool(complaint.search(answer.body.decode())) == is_long, answer
        assert not is_long or answer.status in (413, 422)


def test_every_request_names_a_seat_by_one_or_two_digits(site: Site, chat_table: Place) -> None:
    """Any other text is not a seat, and two of the seats 0 to 2 belong to other players."""
    name = chat_table.name
    paths = (chat_table.path(), chat_table.path("/record"), f"/t/{name}", f"/t/{name}/part")

    @given(st.text("0129-+٣ x", max_size=3))
    @example("00")
    @example("000")
    @settings(max_examples=examples(400))
    def check_seat(text: str) -> None:
        is_seat = re.fullmatch("[0-9]{1,2}", text) and int(text) < 3
        status = 404 if not is_seat else 403 if int(text) else 200
        for base in paths:
            path = f"{base}?{urlencode({'seat': text})}"
            assert site.ask("GET", path, token=chat_table.tokens[0]).status == status, path

    check_seat()


def test_programs_get_only_their_own_view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So their moves, and the time for them, do not depend on anything hidden from them."""
    planned: list[Any] = []
    enough = asyncio.Event()

    async def plan(
        thinking: BackgroundWork, rules: Any, name: str, seat: int, *seen: Any
    ) -> ChosenMove[Any] | None:
        steps, view, random = seen
        planned.append((rules, seat, steps, view))
        if len(planned) == 30:
            enough.set()
        return ChosenMove(0.0, seat, random.choice(list(rules.moves(view))))

    monkeypatch.setattr(BackgroundWork, "plan", plan)
    wanted = {"game": "kwartet", "settings": {"players": 3, "sets": 5}, "seats": ["exact"] * 3}
    with Site(app(str(tmp_path), limits=MUCH)) as site:
        assert site.ask("POST", "/api/tables", wanted).status == 201
        site.wait(enough.wait())
    assert {seat for _, seat, _, _ in planned} == {0, 1, 2}
    for rules, seat, steps, view in planned:
        alike = rules.view(rules.like(view, Random(len(steps))), seat)
        assert alike.problem == view.problem  # both have computed it now
        # No byte that is sent to its process comes from anything that it cannot see.
        assert pickle_view(alike) == pickle_view(view)
        assert [text for step in steps for text in step.events] == [
            line for event in view.events for line in str(event).splitlines()
        ]


def pickle_view(view: Any) -> bytes:
    """Return a view as another process gets it, whichever of its parts are the same object."""
    data = io.BytesIO()
    pickler = pickle.Pickler(data)
    pickler.fast = True
    pickler.dump(view)
    return data.getvalue()
