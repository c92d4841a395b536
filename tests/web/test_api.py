"""Requests for tables, seats and moves, and their limits."""

import asyncio
import gc
import importlib
import json
import re
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from itertools import chain, product, starmap
from pathlib import Path
from random import Random
from typing import Any
from urllib.request import Request, urlopen

import pytest

from quaternity import guide
from quaternity.base.errors import InputError
from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Move as GameMove
from quaternity.game.record import record_text
from quaternity.game.rules import QuaternityPosition, QuaternityRules
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.tablebase import write_tablebase
from quaternity.puzzles.dealing import HENCE
from quaternity.quarto.rules import QuartoRules
from quaternity.table.games import game_names, registration, rules_class
from quaternity.table.history import History
from quaternity.table.match import Match
from quaternity.web.app import app
from quaternity.web.hints import CAN_HAVE, kwartet_why, why
from quaternity.web.new_table import parse_upload
from quaternity.web.rate_limits import Limits, Rates
from quaternity.web.rendering import static_files
from quaternity.web.seats import Caller
from solvers.problem import SetConstraint, with_entry
from solvers.registry import solve as deal
from tests.limits import limited
from tests.sizes import thorough
from tests.web.server import Server
from tests.web.site import Page, Site

pytestmark = pytest.mark.usefixtures("kept_processes")

SMALL = {"set_size": 4, "sets": 3, "players": 3}
PEOPLE = {"game": "quaternity", "settings": SMALL, "seats": ["me", "me", "me"], "name": "Anna"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_site(tmp_path_factory.mktemp("web")) as running:
        yield running


@contextmanager
def open_site(folder: Path | str, **options: Any) -> Iterator[Site]:
    with Site(app(str(folder), **options)) as running:
        yield running


class Table:
    """A table, with requests by the tokens of its seats."""

    def __init__(self, site: Site, **wanted: Any) -> None:
        made = site.ask("POST", "/api/tables", PEOPLE | wanted)
        assert made.status == 201, made.body
        self.site, self.made = site, made.json
        self.path = f"/api/tables/{self.made['table']}"
        self.tokens = [seat["token"] for seat in self.made["seats"]]
        self.count = 0

    def look(self, seat: int | None = None) -> Any:
        page = self.site.ask("GET", self.path, token=None if seat is None else self.tokens[seat])
        assert page.status == 200, page.body
        return page.json

    def post(self, sender: int, action: str, **document: Any) -> Page:
        return self.site.ask("POST", f"{self.path}/{action}", document, self.tokens[sender])

    def move(self, seat: int, text: str, version: int | None = None, name: str = "") -> Page:
        self.count += 1
        version = self.look()["version"] if version is None else version
        name = name or f"move {self.count}"
        return self.post(seat, "moves", version=version, id=name, move=text)


def test_friends_take_seats_by_invitations(site: Site) -> None:
    table = Table(site, seats=["me", "open", "open"])
    first, *others = table.made["seats"]
    assert first["invitation"] is None
    assert table.look(0)["seat"] == 0
    for seat in others:
        ask = {"invitation": seat["invitation"], "name": "  Ben  B. "}
        joined = site.ask("POST", "/api/seats", ask)
        assert (joined.status, joined.json["seat"]) == (201, seat["seat"])
        assert site.ask("POST", "/api/seats", ask).status == 409
        table.tokens[seat["seat"]] = joined.json["token"]
    assert site.ask("POST", "/api/seats", {"invitation": "x"}).status == 404
    state = table.look(2)
    assert [seat["name"] for seat in state["seats"]] == ["Anna", "Ben B.", "Ben B."]
    assert (state["seat"], state["to_act"], state["moves"]) == (2, [0], [])
    assert "0 asks 1 for 0/0" in table.look(0)["moves"]


@pytest.mark.parametrize("game", sorted(game_names()))
def test_a_level_is_requested_by_its_name(game: str, site: Site) -> None:
    for level in registration(game).levels:
        seats = ["me", *[level.name] * (rules_class(game)().seats - 1)]
        made = site.ask("POST", "/api/tables", {"game": game, "seats": seats})
        assert made.status == 201, made.body
        state = site.ask("GET", f"/api/tables/{made.json['table']}").json
        assert {seat["name"] for seat in state["seats"][1:]} == {level.player}


def test_a_move_is_made_exactly_once(site: Site) -> None:
    table = Table(site)
    made = table.move(0, "1 0 2", name="a")
    assert (made.status, made.json) == (200, {"version": 1})
    for text, version in (("1 0 2", 0), ("yes", 1), ("nonsense", 7)):
        assert table.move(0, text, version, "a") == made
    late = table.move(0, "2 0 2", 0, "b")
    assert (late.status, late.json["version"]) == (409, 1)
    assert table.look()["version"] == 1


def test_an_illegal_move_is_refused_with_its_reason(site: Site) -> None:
    table = Table(site)
    faults = table.move(0, "0 0 2")
    assert (faults.status, faults.json["faults"]) == (422, ["a player cannot ask itself"])
    assert table.move(0, "what?").status == 422
    assert table.move(1, "0 0 2").status == 409
    nobody = site.ask("POST", f"{table.path}/moves", {"version": 0, "id": "a", "move": "1 0 2"})
    assert nobody.status == 403
    strange = Table(site)
    strange.tokens = table.tokens
    assert strange.move(0, "1 0 2").status == 403
    assert site.ask("GET", "/api/tables/nobody-knows").status == 404
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
        ({"seats": ["me", "me", "perfect:/etc/passwd"]}, "unknown"),
        ({"seats": ["me", "me", "os:abort"]}, "unknown"),
        ({"seats": ["me", "me", "quaternity.perfect.players:random"]}, "unknown"),
        ({"settings": {"set_size": 1}}, "2"),
        ({"settings": {"colour": "red"}}, "unknown"),
        ({"setings": {"sets": 5}}, "setings is unknown; choose from game, seats, settings, name"),
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


def test_people_take_back_when_all_agree(site: Site) -> None:
    table = Table(site)
    table.move(0, "1 0 2", name="a")
    # A question that waits for its answer is taken back alone.
    assert table.post(0, "undo", version=0, agree=True).status == 409
    assert table.post(0, "undo", version=1, agree=True).json == {"version": 1, "agreed": [0]}
    assert table.post(1, "undo", version=1, agree=True).json["agreed"] == [0, 1]
    assert table.post(1, "undo", version=1, agree=False).json["agreed"] == [0]
    table.post(1, "undo", version=1, agree=True)
    assert table.post(2, "undo", version=1, agree=True).json == {"version": 2, "agreed": []}
    assert table.look()["version"] == 2
    assert table.look()["view"]["question"] is None
    assert table.move(0, "1 0 3", 1).status == 409
    assert table.move(0, "1 0 3", 2).json == {"version": 3}
    # A move that was taken back was still made, so its id is not free.
    assert table.move(0, "1 0 1", 3, "a").json == {"version": 1}


def test_a_rematch_moves_all_players_to_the_next_seat(site: Site) -> None:
    table = Table(site, seats=["me", "random", "random"])
    assert table.post(0, "hand-over", seat=2, player="open").status == 200
    assert table.post(0, "again").status == 201
    name = table.look()["again"]
    assert table.post(0, "again").json["table"] == name
    state = site.ask("GET", f"/api/tables/{name}", token=table.tokens[0]).json
    assert [seat["kind"] for seat in state["seats"]] == ["open", "person", "program"]
    assert state["seat"] == 1
    friends = Table(site)
    friends.tokens[0] = friends.tokens[1]
    assert friends.post(0, "again").status == 409


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


def test_seats_are_handed_over_and_taken_back(site: Site) -> None:
    table = Table(site, seats=["me", "me", "random"])
    assert table.post(1, "undo", version=0, agree=True).status == 409  # the player is present
    assert table.post(0, "hand-over", seat=1, player="random").status == 403
    assert table.post(1, "hand-over", seat=1, player="informed").status == 200
    assert table.post(0, "hand-over", seat=1, player="me").status == 403
    assert table.look()["seats"][1]["kind"] == "program"
    assert table.post(1, "hand-over", seat=1, player="me").status == 200
    assert (table.look()["seats"][1]["name"], table.look()["seats"][1]["kind"]) == (
        "Anna", "person",
    )  # fmt: skip
    invitation = table.post(0, "hand-over", seat=2, player="open").json["invitation"]
    assert site.ask("POST", "/api/seats", {"invitation": invitation}).status == 201
    assert table.post(0, "hand-over", seat=2, player="open").status == 403
    assert table.post(0, "hand-over", seat=3, player="random").status == 404
    assert table.post(0, "hand-over", seat=0, player="os:abort").status == 422


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


def test_help_is_given_if_it_is_allowed(site: Site) -> None:
    assert site.ask("GET", f"{Table(site).path}/help/why").status == 403
    table = Table(site, help=True)
    assert site.ask("GET", f"{table.path}/help/nothing").status == 404
    assert site.ask("GET", f"{table.path}/help/why?move=0+0+2").json == {
        "lines": ["0 asks 0 for 0/2 is refused: a player cannot ask itself"]
    }
    assert site.ask("GET", f"{table.path}/help/chances").json["deals"] == "34650"
    known = site.ask("GET", f"{table.path}/help/know?formula=H0+0/0&why=1").json
    assert (known["known"], known["text"]) == (None, "H0 0/0 can be true or false")
    assert known["lines"][0] == "true if"
    known = site.ask("GET", f"{table.path}/help/know?formula=H0+0/0|true&why=1").json
    assert (known["known"], known["lines"]) == (
        True,
        ["no move matters: this was certain from the start"],
    )
    assert site.ask("GET", f"{table.path}/help/know?formula=H9+0/0").status == 422
    assert site.ask("GET", f"{table.path}/help/know").status == 422
    for query in ("move=?", "card=?"):
        assert site.ask("GET", f"{table.path}/help/why?{query}").status == 422


def test_why_about_a_card_explains_all_questions_for_it(site: Site) -> None:
    table = Table(site, help=True)
    path = f"{table.path}/help/why"
    lines = [site.ask("GET", f"{path}?move={seat}+0+2").json["lines"] for seat in (1, 2)]
    assert site.ask("GET", f"{path}?card=0/2").json["lines"] == [*chain(*lines)]


@pytest.mark.parametrize("seed", range(thorough(3, 30)))
def test_why_in_kwartet_is_true_of_the_cards_that_a_player_cannot_see(seed: int) -> None:
    """It names the owner if and only if no deal gives the card to another player."""
    random, rules = Random(seed), KwartetRules(KwartetSettings(3, 3))
    history = History(rules, rules.start(random))
    for _ in range(random.randrange(4, 12)):
        acting = rules.to_act(history.position)
        if acting:
            moves = list(rules.iter_moves(rules.view(history.position, acting[0])))
            history = history.play(acting[0], random.choice(moves))
    view = rules.view(history.position, random.randrange(3))
    for card in starmap(Card, product(range(3), range(4))):
        if not view.problem.sets[card.set_index].size:
            continue
        row = view.problem.sets[card.set_index]
        owners = [seat for seat in view.problem.may_own(*card) if deal(view.problem.with_set(
            card.set_index,
            SetConstraint(with_entry(row.owners, card.number, 1 << seat), row.low, row.high),
        ))]  # fmt: skip
        lines = kwartet_why(rules, view, "", {"card": str(card)})["lines"]
        if len(owners) == 1:
            assert lines[-1] == HENCE(card=card, who=owners[0])
        else:
            assert lines == [CAN_HAVE(card=card, who=owners)]


@pytest.mark.parametrize("seed", range(thorough(4, 40)))
def test_why_explains_the_last_forced_answer(seed: int) -> None:
    """It says the same as the explanation of that question at its moment."""
    random, game = Random(seed), Game.start(Settings(2, 3, 3))
    rules: Any = QuaternityRules(game.settings)
    wanted = ["Nobody has been forced to answer yet."]
    for _ in range(12):
        view = QuaternityPosition(game.state)
        assert why(rules, view, record_text(game), {})["lines"] == wanted
        if not game.state.legal_questions:
            break
        question = random.choice(list(game.state.legal_questions))
        answers = game.state.answers(question)
        if len(answers) == 1:
            text = rules.write(question)
            wanted = why(rules, view, record_text(game), {"move": text})["lines"]
            assert wanted != ["Nobody has been forced to answer yet."]
        game = game.play(GameMove(question, random.choice(answers)))


async def wait_until_idle(site: Site, name: str) -> None:
    """Wait until no task runs at a table."""
    table = await site.app.state.tables.live.open(name)
    while table.programs.tasks:
        await asyncio.wait(table.programs.tasks.values())


def test_programs_play(site: Site) -> None:
    table = Table(site, seats=["random", "informed", "random"], settings={**SMALL, "sets": 3})
    stream = site.listen(f"{table.path}/events", None)
    site.run(wait_until_idle(site, table.made["table"]))
    assert table.look()["outcome"] is not None
    site.rest()
    assert b"completes set" in b"".join(stream.parts[1:])


PROGRAM = f"cmd:{sys.executable} -I -S {Path(__file__).parents[1] / 'table/hostile.py'} "


@pytest.mark.parametrize("player", ["careful", f"{PROGRAM} moves_folder"])
def test_a_server_offers_the_programs_of_its_operator(player: str, tmp_path: Path) -> None:
    with open_site(tmp_path, players={("quarto", "mine"): player}) as site:
        games = {entry["game"]: entry for entry in site.ask("GET", "/api/games").json["games"]}
        assert "mine" in games["quarto"]["players"]
        assert "mine" not in games["kwartet"]["players"]
        for game, others in games.items():
            form = site.ask("GET", f"/new?game={game}").body.decode()
            assert (
                ('<option value="mine">' in form) == (game == "quarto") == ("mine" in str(others))
            )
        table = Table(site, game="quarto", settings={}, seats=["mine", "me"])
        site.run(wait_until_idle(site, table.made["table"]))
        assert table.look()["version"] == 1
        assert table.look()["seats"][0]["name"] == "mine"
        for game in ("quarto", "quaternity"):
            seats = ["me"] * (2 if game == "quarto" else 3)
            other = Table(site, game=game, settings={}, seats=seats)
            path = other.path.replace("/api/tables/", "/t/")
            page = site.ask("GET", path, token=other.tokens[0]).body.decode()
            assert ('<option value="mine">' in page) == (game == "quarto")


def test_a_request_cannot_name_a_command_as_a_player(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        for name in ("cmd:true", "cmd:touch /tmp/x", "tests.table.misbehaving:Harmless"):
            made = site.ask("POST", "/api/tables", {"game": "quarto", "seats": [name, "me"]})
            assert made.status == 422
            assert "for a seat; choose from" in made.json["error"]


def test_a_program_that_does_not_play_with_these_settings_is_not_seated(tmp_path: Path) -> None:
    file = tmp_path / "2-2-2.tablebase"
    write_tablebase(file, solve(State.start(Settings(2, 2, 2))))
    wanted = {"game": "quaternity", "seats": ["best", "me"]}
    with open_site(tmp_path / "data", players={("quaternity", "best"): f"perfect:{file}"}) as site:
        for brisk, status in ((False, 201), (True, 422)):
            settings = {"set_size": 2, "sets": 2, "brisk": brisk}
            made = site.ask("POST", "/api/tables", wanted | {"settings": settings})
            assert made.status == status
        assert "program 'best': does not play with these settings" in made.json["error"]
        assert str(tmp_path) not in made.json["error"]


def test_exceeded_limits_are_reported(tmp_path: Path) -> None:
    limits = Limits.of(body=300, moves=2, tables=3, streams=1)
    with open_site(tmp_path, limits=limits) as site:
        table = Table(site)
        assert site.ask("POST", "/api/tables", {"game": "x" * 300}).status == 413
        assert table.move(0, "0 0 0", 0).status == 422
        assert table.move(0, "0 0 0", 0).status == 422
        assert table.move(0, "1 0 0", 0).status == 429
        assert table.move(1, "1 0 0", 0).status == 409
        site.listen(f"{table.path}/events", None)
        assert site.listen(f"{table.path}/events", None).parts[0][0] == 429
        assert site.ask("POST", "/api/tables", {}).status == 422
        assert site.ask("POST", "/api/tables", {}).status == 429


def test_the_guide_has_every_limit() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\d,]+) \|$", guide.page("serving").text, re.MULTILINE)
    numbers = Limits()._asdict() | Rates()._asdict()
    del numbers["rates"]
    assert {name: int(number.replace(",", "")) for name, number in rows} == numbers


def test_every_request_for_a_count_is_limited(tmp_path: Path) -> None:
    """The limit counts addresses, not tables, so more tables do not allow more counts."""
    with open_site(tmp_path, limits=Limits.of(counts=0)) as site:
        table = Table(site, help=True)
        words = ("chances", "questions", "why", "know?formula=true", "hint")
        page = table.path.replace("/api/tables/", "/t/")
        helps = [f"{start}/help/{word}" for start in (table.path, page) for word in words]
        requests = [
            *(("GET", path, None) for path in helps),
            ("POST", "/learn", b"quaternity 1\n"),
            ("POST", "/api/records", b"quaternity 1\n"),
            ("POST", "/api/tables", {**PEOPLE, "seats": ["me", "me", "search:2"]}),
            ("POST", f"{table.path}/hand-over", {"seat": 0, "player": "search:2"}),
        ]
        for method, path, sent in requests:
            answer = site.ask(method, path, sent, table.tokens[0])
            assert answer.status == 429, path
            assert b"per minute" in answer.body
        assert table.move(0, "1 0 2").status == 200


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


def test_only_the_player_to_move_gets_a_hint(site: Site) -> None:
    """Other visitors are refused, from whichever seat they look."""
    table = Table(site, help=True)
    for seat, wanted in product((None, 0, 1, 2), (None, 0, 1, 2)):
        path = f"{table.path}/help/hint" + ("" if wanted is None else f"?seat={wanted}")
        answer = site.ask("GET", path, token=None if seat is None else table.tokens[seat])
        allowed = seat == 0 and wanted in (None, 0)
        assert answer.status == (200 if allowed else 409 if wanted in (None, seat) else 403)


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


def test_the_memory_of_a_refused_upload_is_freed_at_once(site: Site) -> None:
    data = b"quarto 7\n" + b"# x\n" * 200_000
    gc.collect()
    gc.disable()
    try:
        assert site.ask("POST", "/api/records", data).status == 422
        tracemalloc.start()
        for _ in range(6):
            site.ask("POST", "/api/records", data)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert used < 3 * len(data)


def test_no_request_creates_more_tables_than_are_kept(tmp_path: Path) -> None:
    with open_site(tmp_path, limits=Limits.of(kept=1)) as site:
        made = site.ask("POST", "/api/tables", {"game": "quarto", "seats": ["me", "me"]}).json
        token, rematch = made["seats"][0]["token"], f"/api/tables/{made['table']}/again"
        for path, sent in (("/api/tables", PEOPLE), ("/api/records", {}), (rematch, {})):
            assert site.ask("POST", path, sent, token).status == 507, path


def test_the_program_of_the_guide_plays_a_game(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    code = re.findall(r"```python\n(.*?)```", guide.page("serving").text, re.DOTALL)[-1]
    exec(code.replace("127.0.0.1:8000", server.host), {})  # noqa: S102  # our own
    assert "'places': " in capsys.readouterr().out


def test_a_program_of_the_guide_plays_at_a_table_too(server: Server, tmp_path: Path) -> None:
    """It uses the loop that the page of the arena shows."""
    text = guide.page("arena").text
    for file in ("hoarder.py", "at_table.py"):
        (tmp_path / file).write_text(text.split(f"```python {file}\n")[1].split("```")[0])
    sys.path.insert(0, str(tmp_path))
    try:
        loop = importlib.import_module("at_table")
        wanted = {
            "game": "kwartet", "seats": ["me", "greedy", "greedy"],
            "settings": {"sets": 3}, "seed": 1,
        }  # fmt: skip
        with urlopen(
            Request(
                f"http://{server.host}/api/tables", json.dumps(wanted).encode(),
                {"Content-Type": "application/json"},
            )
        ) as answer:  # fmt: skip
            made = json.load(answer)
        url, token = f"http://{server.host}/api/tables/{made['table']}", made["seats"][0]["token"]
        loop.play(url, token, [sys.executable, str(tmp_path / "hoarder.py")])
        assert loop.ask(url, token)["outcome"]
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("at_table", None)


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
    assert (page.status, page.json["error"]) == (400, f"{twice}: given more than once")
