"""Tables where several players may act at once, and what happens while nobody watches."""

import asyncio
import re
from collections import Counter
from itertools import islice
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.base.errors import PlayerFault, PlayerTimeout
from quaternity.table.games import GAMES, rules_class
from quaternity.ternary.rules import SetRules, SetSettings
from quaternity.ternary.triples import triples
from quaternity.web.app import app
from quaternity.web.changes import Entry
from quaternity.web.http_errors import HttpError
from quaternity.web.rate_limits import Limits
from quaternity.web.seat_commands import ChangeOwner
from quaternity.web.seats import Caller, Owner
from quaternity.web.versioned_history import RECENT, VersionedHistory, has_random_start
from tests.limits import limited
from tests.web.cluster import alter
from tests.web.pipes import Pipe
from tests.web.site import Page, Site
from tests.web.tables import Table, open_site, wait_until_idle

pytestmark = pytest.mark.usefixtures("kept_processes")


def set_table(site: Site, **wanted: Any) -> tuple[Table, list[int]]:
    """Create a table of SET, and return it with the cards on it."""
    wanted = {"seats": ["me", "me"], "seed": 3} | wanted
    table = Table(site, game="set", settings={}, **wanted)
    return table, table.look()["view"]["table"]


def claim(cards: Any) -> str:
    return f"claim {' '.join(map(str, cards))}"


def test_a_claim_by_letters_means_the_cards_of_its_version(site: Site) -> None:
    table, cards = set_table(site)
    (three, *_) = triples(cards, SetSettings().rule)
    letters = " ".join("abcdefghijkl"[cards.index(card)] for card in three)
    table.move(0, letters, 0)
    assert table.look()["points"] == [1.0, 0.0]
    assert table.move(1, letters, 0).status == 409
    assert table.move(1, "more", 0).status == 409
    assert table.move(1, "more", 1).status == 200
    assert table.move(1, "more", 1).status == 409
    assert table.move(1, "a b", 1).status == 422
    assert table.look()["points"] == [1.0, 0.0]


@pytest.mark.parametrize("version", [-1, 5, 99, 10**30])
def test_a_claim_of_an_unknown_version_is_refused(version: int, site: Site) -> None:
    table, cards = set_table(site)
    assert table.move(0, claim(cards[:3]), version).status == 409
    assert table.look()["version"] == 0


def test_a_program_thinks_only_about_the_present_position(site: Site, tmp_path: Path) -> None:
    """Thoughts about an earlier position are cancelled, whatever others do meanwhile."""
    active: Counter[int] = Counter()

    async def plan(rules: Any, name: str, seat: int, *more: Any) -> Any:
        active[seat] += 1
        try:
            await asyncio.Event().wait()
        finally:
            active[seat] -= 1

    with open_site(tmp_path) as site:
        site.app.state.tables.thinking.plan = plan
        table, cards = set_table(site, seats=["me", "slow", "slow"])
        for three in (cards[:3], cards[1:4], cards[2:5]):
            table.move(0, claim(three))
            site.rest()
            assert active == {1: 1, 2: 1}


def test_no_task_of_a_table_runs_when_a_server_has_ended(tmp_path: Path) -> None:
    async def plan(*_: Any) -> Any:
        await asyncio.Event().wait()

    with open_site(tmp_path) as site:
        tables = site.app.state.tables
        tables.thinking.plan = plan
        busy = Table(site, game="quarto", settings={}, seats=["random", "me"])
        timed = Table(site, game="quarto", settings={}, seats=["me", "me"], clock={"seconds": 60})
        live = [site.run(tables.live.open(table.made["table"])) for table in (busy, timed)]
        stream = site.listen(f"{busy.path}/events", None)
        assert live[0].programs.tasks
        assert live[1].programs.alarm is not None

    assert not any(table.programs.tasks or table.presence.streams for table in live)
    assert live[1].programs.alarm is None
    assert stream.parts


def test_a_player_with_several_seats_sees_the_view_of_the_one_to_move(site: Site) -> None:
    cookie = {"cookie": "quaternity=" + "w" * 22}
    wanted = {"game": "quarto", "settings": {}, "seats": ["me", "me"]}
    name, movers = site.ask("POST", "/api/tables", wanted, headers=cookie).json["table"], []
    path = f"/api/tables/{name}"
    for version in range(4):
        state = site.ask("GET", path, headers=cookie).json
        assert [state["seat"]] == state["to_act"]
        movers.append(state["seat"])
        move = {"version": version, "id": str(version), "move": state["moves"][0]}
        assert site.ask("POST", f"{path}/moves", move, headers=cookie).status == 200
        for seat in (0, 1):
            other = site.ask("GET", f"{path}?seat={seat}", headers=cookie).json
            assert other["seat"] == seat
    for version, mover in enumerate(movers):
        for query, seat in (("", mover), ("&seat=0", 0), ("&seat=1", 1)):
            page = site.ask("GET", f"/t/{name}/part?at={version}{query}", headers=cookie)
            shown = re.findall('<div class="table [^>]* data-seat="(.)"', page.body.decode())
            assert shown == [str(seat)]


def test_absent_players_agree_to_more_cards(site: Site) -> None:
    table, cards = set_table(site, seats=["me", "me", "me"])
    name = table.made["table"]
    site.run(site.app.state.tables.live.open(name)).presence.last_seen[1:] = [-inf, -inf]
    assert table.move(0, "more").status == 200
    site.run(wait_until_idle(site, name))
    assert table.look()["view"]["undealt"] == 81 - len(cards) - 3


def take_seat(site: Site, invitation: str) -> str:
    """Take a seat and return its token."""
    page = site.ask("POST", "/api/seats", {"invitation": invitation})
    assert page.status == 201
    return str(page.json["token"])


def test_present_players_have_to_agree(site: Site) -> None:
    """This includes a player who has just taken the seat and sent no request yet."""
    table = Table(site, game="set", settings={}, seats=["me", "me", "open"])
    take_seat(site, table.made["seats"][2]["invitation"])
    cards = table.look()["view"]["table"]
    for seat in (0, 1):
        table.move(seat, "more")
        site.run(wait_until_idle(site, table.made["table"]))
        assert table.look()["view"]["agreed"] == [*range(seat + 1)]
    assert table.look()["view"]["undealt"] == 81 - len(cards)


def test_a_program_that_fails_is_named_without_revealing_its_hand(site: Site) -> None:
    thinking = site.app.state.tables.thinking
    before = thinking.plan
    for fault, says in ((PlayerFault, "failed"), (PlayerTimeout, "takes too long")):

        async def plan(*arguments: Any, fault: Any = fault) -> Any:
            raise fault("it has 0/2")

        thinking.plan = plan
        try:
            table = Table(site, game="kwartet", settings={}, seats=["medium", "me", "me", "me"])
            site.rest()
        finally:
            thinking.plan = before
        notice = table.look()["notice"]
        assert says in notice
        assert notice.startswith("Milo ")
        assert "0/2" not in notice
        table.post(1, "hand-over", seat=0, player="random")
        assert table.look()["notice"] is None


@pytest.mark.parametrize("status", [503, 507])
def test_a_move_of_a_program_that_could_not_be_stored_is_made_later(
    status: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = site.app.state.tables
    table = Table(site, game="quarto", settings={}, seats=["me", "random"])

    async def refuse(*_: Any) -> None:
        raise HttpError(status, "nothing can be saved now")

    assert table.move(0, table.look(0)["moves"][0]).status == 200
    monkeypatch.setattr(tables.store, "write", refuse)
    site.run(wait_until_idle(site, table.made["table"]))
    assert table.look()["version"] == 1
    monkeypatch.undo()

    async def tick_once() -> None:
        (await tables.live.open(table.made["table"])).programs.tick()
        await wait_until_idle(site, table.made["table"])

    site.run(tick_once())
    assert table.look()["version"] == 2


def test_hands_are_shown_when_the_game_is_over_and_not_before(site: Site) -> None:
    tables = site.app.state.tables
    seats = ["me"] * 2
    table = Table(site, game="kwartet", settings={"players": 2, "sets": 2}, seats=seats)
    random = Random(5)

    def sight(seat: int | None) -> Any:
        caller = Caller() if seat is None else Caller(cookie_hash="me")
        return site.run(tables.view(table.made["table"], caller, seat))

    while (state := table.look())["to_act"]:
        assert sight(None).revealed is None
        (seat,) = state["to_act"]
        table.move(seat, random.choice(table.look(seat)["moves"]))
    over = sight(None)
    assert over.revealed is not None
    assert sight(1).seat == 1  # from every seat
    assert table.post(0, "undo", version=over.version, agree=True).status == 409
    text = site.ask("GET", f"{table.path}/record").body.decode()
    assert "\nhand 0: " in text


def test_kwartet_and_set_have_secrets() -> None:
    secrets = {game: has_random_start(rules_class(game)()) for game in GAMES}
    assert secrets == {"quaternity": False, "kwartet": True, "quarto": False, "set": True}
    assert has_random_start(SetRules(SetSettings(table=9)))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time that tables use, which a test may change."""
    now = [1000.0]
    for module in ("presence", "live_tables"):
        monkeypatch.setattr(f"quaternity.web.{module}.monotonic", lambda: now[0])
    return now


async def run_tick(site: Site) -> None:
    """Do the periodic work of a server."""
    with limited("quaternity.web.maintenance", KEEPALIVE_SECONDS=0):
        ticking = asyncio.create_task(site.app.state.tables.maintenance.tick())
        for _ in range(3):
            await asyncio.sleep(0)
        ticking.cancel()


def can_give_away(table: Table) -> bool:
    """Try to put a program into seat 1 of a table by seat 0; return whether that succeeded."""
    answer = table.post(0, "hand-over", seat=1, player="random")
    assert answer.status in (200, 403)
    if answer.status == 200:
        table.post(1, "hand-over", seat=1, player="me")
    return answer.status == 200


def test_presence_does_not_depend_on_which_tables_are_in_memory(
    tmp_path: Any, clock: list[float]
) -> None:
    def answers(cache_size: int) -> list[bool]:
        """Let people come and go at three tables, and others try to give their seats away."""
        with limited("quaternity.web.live_tables", MAX_CACHED_TABLES=cache_size):
            random, begun = Random(1), clock[0]
            results = []
            with open_site(tmp_path / str(cache_size), limits=Limits.of(tables=10**6)) as site:
                many = [Table(site) for _ in range(3)]
                for _ in range(60):
                    clock[0] += random.choice([0, 1, 15, 39, 41])
                    site.run(run_tick(site))
                    table = random.choice(many)
                    if random.randrange(2):
                        table.look(1)
                    else:
                        results.append(can_give_away(table))
            clock[0] = begun
            return results

    remembered = answers(500)
    assert answers(0) == remembered
    assert {True, False} == set(remembered)


def test_presence_is_kept_when_a_table_cannot_be_read_for_a_moment(
    tmp_path: Any, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: object) -> Any:
        raise HttpError(503, "the tables cannot be read now")

    with limited("quaternity.web.live_tables", MAX_CACHED_TABLES=0), open_site(tmp_path) as site:
        table, other = Table(site), Table(site)
        clock[0] += 600
        table.look(1)
        other.look(0)  # that table leaves memory
        tables = site.app.state.tables
        with monkeypatch.context() as patch:
            patch.setattr(tables.store, "read", unreadable)
            assert site.ask("GET", table.path).status == 503
        assert not can_give_away(table)
        site.run(forget_tables(tables))
        assert not can_give_away(table)


async def forget_tables(tables: Any) -> None:
    """Drop all cached tables, as after a write that may have failed."""
    tables.live.drop_cached()


def test_a_failure_at_one_table_does_not_affect_the_others(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tables = site.app.state.tables
    ticked: list[str] = []

    def tick(programs: Any) -> None:
        ticked.append(programs.table.state.id)
        raise RuntimeError("it has 0/2")

    async def wait_for_ticks() -> None:
        rounds = len(ticked) + 2 * 3
        ticking = asyncio.create_task(tables.maintenance.tick())
        while len(ticked) < rounds:
            assert not ticking.done()
            await asyncio.sleep(0)
        ticking.cancel()

    with limited("quaternity.web.maintenance", KEEPALIVE_SECONDS=0):
        monkeypatch.setattr("quaternity.web.programs.TablePrograms.tick", tick)
        made = {Table(site).made["table"] for _ in range(3)}
        stream = site.listen(f"/api/tables/{min(made)}/events", None)
        site.wait(wait_for_ticks())
        assert made <= set(ticked)
        assert b":\n\n" in b"".join(stream.parts[1:])
        assert "RuntimeError" in caplog.text
        assert "0/2" not in caplog.text


@pytest.mark.parametrize("game", GAMES)
def test_a_table_keeps_only_positions_that_a_move_can_mean(game: str) -> None:
    """A move leaves in memory only itself and the events that everybody saw."""
    rules: Any = rules_class(game)()
    random = Random(1)
    course = VersionedHistory.begin(rules, rules.start(random))
    while len(course.game.moves) < 50 and (acting := rules.to_act(course.position)):
        assert len(course.recent) == min(course.version + 1, RECENT)
        assert course.recent[course.version] is course.position
        seat, before = random.choice(list(acting)), course.position
        move = random.choice(list(islice(rules.moves(rules.view(before, seat)), 200)))
        entry = Entry("t", course.version + 1, seat, f"{course.version}", rules.write(move))
        course = course.with_entry(entry)
    assert len(course.game.moves) > 10


@limited("quaternity.web.presence", PRESENCE_TIMEOUT_SECONDS=-1.0)
def test_programs_pause_while_nobody_watches(site: Site) -> None:
    small = {"set_size": 2, "sets": 2, "players": 2}
    table = Table(site, seats=["random", "random"], settings=small)
    site.rest()
    assert table.look()["version"] == 0
    site.listen(f"{table.path}/events", None)
    site.run(wait_until_idle(site, table.made["table"]))
    assert table.look()["outcome"] is not None


@limited("quaternity.web.programs", MAX_PROGRAM_MOVES=3)
def test_programs_stop_alone_and_continue_after_every_move_of_a_person(site: Site) -> None:
    seats = {"game": "quarto", "settings": {}, "seats": ["random", "random"], "seed": 1}
    alone = Table(site, **seats)
    name = alone.made["table"]
    site.run(wait_until_idle(site, name))
    assert alone.look()["version"] == 4
    table = site.run(site.app.state.tables.live.open(name))
    site.run(table.submit(ChangeOwner(None, Owner())))
    site.run(wait_until_idle(site, name))
    assert alone.look()["version"] == 8
    with limited("quaternity.web.programs", MAX_PROGRAM_MOVES=0):
        together = Table(site, **seats | {"seats": ["me", "random"]})
        for version in (0, 2, 4, 6):
            assert together.look(0)["version"] == version
            assert together.move(0, together.look(0)["moves"][0]).status == 200
            site.run(wait_until_idle(site, together.made["table"]))


def test_a_table_that_was_changed_on_the_disk_is_reported(tmp_path: Any) -> None:
    with open_site(tmp_path) as site:
        table = Table(site)
        table.move(0, "1 0 2")
    alter(str(tmp_path), "UPDATE log SET move = 'pass'")
    with open_site(tmp_path) as site:
        page = site.ask("GET", table.path)
        assert (page.status, page.json) == (
            500,
            {"error": "this table cannot be read: its stored data is damaged"},
        )


LATE = """
from tests.own_process_calls import wait_for_letter

class Late:
    def __init__(self, rules, argument):
        wait_for_letter({pipe!r})

    def choose(self, view, random):
        return None
"""


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize("cache_size", [500, 0])
def test_a_game_continues_while_a_program_is_tried(
    tmp_path: Path, pipe: Pipe, monkeypatch: pytest.MonkeyPatch, cache_size: int, *, joined: bool
) -> None:
    """A player who takes the seat meanwhile keeps it, even if the table leaves memory."""
    with limited("quaternity.web.live_tables", MAX_CACHED_TABLES=cache_size):
        (tmp_path / "late_player.py").write_text(LATE.format(pipe=pipe.name))
        monkeypatch.syspath_prepend(str(tmp_path))
        players = {("quaternity", "late"): "late_player:Late"}
        with open_site(tmp_path / "data", players=players) as site:
            table = Table(site, seats=["me", "me", "random"])
            opened_seat = table.post(0, "hand-over", seat=2, player="open")
            sent = {"seat": 2, "player": "late"}
            path = f"{table.path}/hand-over"

            async def begin() -> asyncio.Task[Page]:
                return asyncio.create_task(site.send("POST", path, sent, table.tokens[0]))

            handed = site.run(begin())
            site.rest()
            assert table.move(0, "1 0 2").status == 200
            Table(site)  # the first one is dropped if none is cached
            if joined:
                invitation = opened_seat.json["invitation"]
                assert site.ask("POST", "/api/seats", {"invitation": invitation}).status == 201
            assert not handed.done()
            pipe.tell("x")

            async def get_answer() -> Page:
                return await handed

            assert site.run(get_answer()).status == (403 if joined else 200)
            assert table.look()["seats"][2]["kind"] == ("person" if joined else "program")


def test_a_table_that_left_memory_while_a_program_is_tried_begins(
    tmp_path: Path, pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    with limited("quaternity.web.live_tables", MAX_CACHED_TABLES=0):
        (tmp_path / "late_player.py").write_text(LATE.format(pipe=pipe.name))
        monkeypatch.syspath_prepend(str(tmp_path))
        players = {("quaternity", "late"): "late_player:Late"}
        with open_site(tmp_path / "data", players=players) as site:
            table = Table(site, seats=["me", "open", "open"])
            sent = ("POST", f"{table.path}/start", {"fill": "late"}, table.tokens[0])

            async def begin() -> asyncio.Task[Page]:
                return asyncio.create_task(site.send(*sent))

            started = site.run(begin())
            site.rest()
            Table(site)  # the first one is dropped
            assert not table.look(0)["begun"]
            pipe.tell("x")

            async def get_answer() -> Page:
                return await started

            assert site.run(get_answer()).status == 200
            assert table.look(0)["begun"]


def test_pencil_marks_are_stored_with_a_seat_and_private(tmp_path: Path) -> None:
    wanted = {"game": "kwartet", "settings": {"players": 3, "sets": 3}, "seats": ["me"] * 3}
    with Site(app(str(tmp_path))) as site:
        table = Table(site, **wanted)
        for player, card, mark in ((1, "0/2", "yes"), (2, "2/3", "maybe"), (1, "0/2", "no")):
            assert table.post(0, "marks", player=player, card=card, mark=mark).status == 200
        erased = table.post(0, "marks", player=2, card="2/3", mark="none")
        assert erased.json == {"marks": {"1 0/2": "no"}}
        for fault in ({"player": 3}, {"card": "3/0"}, {"card": "0/4"}, {"mark": "often"}):
            sent = {"player": 1, "card": "0/2", "mark": "yes"} | fault
            assert table.post(0, "marks", **sent).status == 422
        path, strangers = f"{table.path}/marks", [*table.tokens[1:], None]
        marks = [site.ask("GET", path, token=token) for token in strangers]
        assert [page.status for page in marks] == [200, 200, 403]
        assert [page.json["marks"] for page in marks[:2]] == [{}, {}]
        assert site.ask("POST", path, {"player": 1, "card": "0/2", "mark": "no"}).status == 403
        for seat in ("9" * 5000, "x", "-1", "3"):
            page = site.ask("GET", f"{path}?seat={seat}", token=table.tokens[0])
            assert page.status == 404
    with Site(app(str(tmp_path))) as site:
        reread = site.ask("GET", path, token=table.tokens[0])
        assert reread.json == {"marks": {"1 0/2": "no"}}
