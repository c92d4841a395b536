"""Checks of requests: hosts, origins, cookies, malformed bodies, rate limits and queues."""

import asyncio
import json
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from uvicorn import Config
from uvicorn.server import ServerState

from quaternity.web.app import app
from quaternity.web.connection import Connection
from quaternity.web.fair_queue import FairQueue
from quaternity.web.middleware import POLICY, RequestChecks
from quaternity.web.rate_limits import LeakyBuckets, client_address, connections
from quaternity.web.seats import hash_token
from tests.limits import limited
from tests.sizes import examples
from tests.web.server import Server
from tests.web.site import Page, Site
from tests.web.tables import PEOPLE

HERE = "127.0.0.1:8000"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(app(str(tmp_path_factory.mktemp("web")), ["club.example"])) as running:
        yield running


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:80", 200),
        ("[::1]:8000", 200),
        ("192.168.1.7", 200),
        ("CLUB.example:443", 200),
        ("evil.example", 400),
        ("club.example.evil.example", 400),
        ("127.0.0.1.evil.example", 400),
        ("127.0.0.1:8000:1", 400),
        ("localhost@evil.example", 400),
        ("localhost/", 400),
        ("", 400),
    ],
)
def test_only_known_hosts_are_accepted(site: Site, host: str, status: int) -> None:
    assert site.ask("GET", "/api/games", headers={"host": host}).status == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": f"http://{HERE}"}, 201),
        ({"origin": "https://club.example"}, 201),
        ({"origin": "https://club.example", "host": "club.example:443"}, 201),
        ({"origin": "https://club.example:8443", "host": "club.example:8443"}, 201),
        ({"origin": "https://club.example", "host": "club.example:8443"}, 403),
        ({"origin": "https://club.example:9999", "host": "club.example:8443"}, 403),
        ({"origin": "https://[::1]", "host": "[::1]:8000"}, 403),
        ({"origin": f"https://{HERE}"}, 403),
        ({"origin": f"https://{socket.gethostname()}".lower()}, 403),
        ({"origin": f"http://{socket.gethostname()}".lower(), "host": socket.gethostname()}, 201),
        ({"origin": "http://[::1]:8000", "host": "[::1]:8000"}, 201),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": f"http://{HERE}.evil.example"}, 403),
        ({"origin": "http://club.example:9999"}, 403),
        ({"origin": "ftp://club.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"origin": f"http://{HERE}", "host": "evil.example"}, 400),
    ],
)
def test_changes_require_a_known_origin(site: Site, headers: dict[str, str], status: int) -> None:
    assert site.ask("POST", "/api/tables", PEOPLE, headers=headers).status == status


def post_without_origin(site: Site, headers: dict[str, str]) -> int:
    """Try to make a table without an Origin header; return the status."""
    return site.ask("POST", "/api/tables", PEOPLE, headers=headers, bare=True).status


def test_a_request_without_an_origin_must_not_have_a_cookie(site: Site) -> None:
    cookie = {"cookie": f"quaternity={'a' * 22}"}
    assert post_without_origin(site, {}) == 201
    assert post_without_origin(site, cookie) == 403
    assert post_without_origin(site, cookie | {"sec-fetch-site": "cross-site"}) == 403
    assert post_without_origin(site, cookie | {"sec-fetch-site": "same-origin"}) == 201
    assert post_without_origin(site, {"content-type": "text/plain"}) == 415


def test_a_browser_gets_a_cookie_once_and_has_its_seats_by_it(site: Site) -> None:
    made = site.ask("POST", "/api/tables", PEOPLE | {"seats": ["me", "open", "open"]})
    (cookie,) = [value for name, value in made.headers if name == b"set-cookie"]
    assert b"HttpOnly" in cookie
    assert b"SameSite=lax" in cookie
    shown = {"cookie": cookie.decode().partition(";")[0]}
    again = site.ask("POST", "/api/tables", PEOPLE, headers=shown)
    assert b"set-cookie" not in dict(again.headers)
    path = f"/api/tables/{made.json['table']}"
    assert site.ask("GET", path, headers=shown).json["seat"] == 0
    assert site.ask("GET", path, headers={"cookie": "quaternity=x"}).json["seat"] is None
    # A token takes precedence over a cookie; a wrong token belongs to nobody.
    assert site.ask("GET", path, token="b" * 22, headers=shown).json["seat"] is None
    assert site.ask("GET", path, headers={"authorization": "Basic x"}).status == 401
    assert site.ask("GET", f"{path}?seat=1", headers=shown).status == 403
    assert site.ask("GET", f"{path}?seat=9", headers=shown).status == 404
    token = made.json["seats"][0]["token"].encode()
    rows = site.app.state.tables.store.read("SELECT * FROM seats")
    assert token.decode() not in str(rows)
    assert cookie.decode().partition("=")[2].partition(";")[0] not in str(rows)


def test_a_request_for_a_seat_may_be_repeated(site: Site) -> None:
    """The answer may have been lost, or the user may have clicked twice."""
    made = site.ask("POST", "/api/tables", PEOPLE | {"seats": ["me", "open", "open"]}).json
    invitation = made["seats"][1]["invitation"].rpartition("/")[2]
    page = site.ask("GET", f"/join/{invitation}")
    (cookie,) = [value for name, value in page.headers if name == b"set-cookie"]
    shown = {"cookie": cookie.decode().partition(";")[0]}
    first, second = (
        site.ask("POST", "/api/seats", {"invitation": invitation}, headers=shown) for _ in range(2)
    )
    assert (first.status, second.status) == (201, 201)
    assert second.json == first.json | {"token": None}
    assert site.ask("POST", "/api/seats", {"invitation": invitation}).status == 409
    assert site.ask("GET", f"/join/{invitation}", headers=shown).status == 303


def test_every_answer_has_headers_for_security(site: Site) -> None:
    for path, host in (("/api/games", HERE), ("/nothing", HERE), ("/", "evil.example")):
        headers = dict(site.ask("GET", path, headers={"host": host}).headers)
        assert headers[b"content-security-policy"] == POLICY.encode()
        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"cache-control"] == b"no-store"
    assert POLICY.startswith("default-src 'none'; ")
    assert "unsafe" not in POLICY


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"seed":NaN}',
        b"[1]",
        b"\xff\xfe",
        b'"a"',
        b'{"game":"\\ud800"}',
        b"[" * 5000,
        b"1" * 5000,
    ],
)
def test_malformed_bodies_are_refused(site: Site, body: bytes) -> None:
    assert site.ask("POST", "/api/tables", body).status == 400


@pytest.mark.parametrize("path", ["/club/x", "/club/club/x"])
def test_a_proxy_may_leave_its_path_or_take_it_off(site: Site, path: str) -> None:
    paths: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        paths.append(scope["path"])

    async def nothing(*sent: Any) -> Any:
        raise AssertionError("nothing is sent")

    scope = site.scope("GET", path, {}) | {"root_path": "/club"}
    asyncio.run(RequestChecks(application)(scope, nothing, nothing))
    assert paths == ["/club/x"]


def test_a_network_counts_as_one_address(site: Site) -> None:
    """Other addresses of the same IPv6 network do not allow more tables and counts."""
    addresses: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        addresses.append(client_address.get())

    async def nothing(*sent: Any) -> Any:
        raise AssertionError("nothing is sent")

    for client in ("2001:db8::1", "2001:db8::2:3", "2001:db8:0:1::1", "192.0.2.1", "192.0.2.2"):
        scope = site.scope("GET", "/", {}) | {"client": (client, 9)}
        asyncio.run(RequestChecks(application)(scope, nothing, nothing))
    assert addresses[0] == addresses[1]
    assert len(set(addresses)) == 4


@given(
    st.sampled_from([1, 2, 12]),
    st.lists(st.tuples(st.floats(0, 90), st.sampled_from("ab"), st.integers(1, 5))),
)
@example(12, [(0.0, "a", 5), (1e9, "a", 5), (0.0, "a", 5), (0.0, "a", 3)])
@example(1, [(0.0, "a", 1)] * 3)
@settings(max_examples=examples(400))
def test_nobody_exceeds_a_budget_and_its_refill(
    per_minute: int, requests: list[tuple[float, str, int]]
) -> None:
    """A refused request is accepted after the announced time, and no sooner."""
    clock = [0.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quaternity.web.rate_limits.monotonic", lambda: clock[0])
        rates = LeakyBuckets()
        got: dict[str, list[tuple[float, int]]] = {"a": [], "b": []}
        for passed, key, cost in requests:
            clock[0] += passed
            cost = min(cost, per_minute)
            wait = rates.wait(key, per_minute, cost)
            if wait:
                now = clock[0]
                for later, waits in ((wait - 0.01, True), (wait + 1e-6, False)):
                    clock[0] = now + max(0.0, later)
                    assert bool(rates.wait(key, per_minute, cost)) == waits
            got[key].append((clock[0], cost))
            for place, (begun, _) in enumerate(got[key]):
                limit = per_minute * (1 + (clock[0] - begun) / 60)
                assert sum(costs for _, costs in got[key][place:]) <= limit + 1e-3


@given(st.lists(st.sampled_from([*"abc", "report"]), max_size=40))
@settings(max_examples=examples(200))
def test_a_report_has_everything_used_since_the_last_report(actions: list[str]) -> None:
    """Nothing is recorded before the first report; the use of other servers counts too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quaternity.web.rate_limits.monotonic", lambda: 0.0)
        rates, got, refused = LeakyBuckets(), Counter[str](), 0
        rates.wait("a", 5)
        assert rates.collect_use() == {}
        for action in actions:
            if action == "report":
                taken = rates.collect_use()
                assert taken == {json.dumps(key): (count, 5) for key, count in got.items() if count}
                # Uses during a report are not part of it, and count in addition.
                used = {key for key, count in got.items() if count}
                got = Counter(key for key in used if not rates.wait(key, 5))
                rates.apply_total_use({json.dumps(key): 4.0 - got[key] for key in used})
                more = Counter(key for key in used if not rates.wait(key, 5))
                assert set(more) == used
                assert all(rates.wait(key, 5) for key in used)
                got += more
            elif rates.wait(action, 5):
                refused += 1
            else:
                got[action] += 1


def test_the_oldest_addresses_are_forgotten_first() -> None:
    rates = LeakyBuckets(max_keys=3)
    for key in "abca":
        assert not rates.wait(key, 2, 1)
    assert not rates.wait("d", 2, 2)
    assert [bool(rates.wait(key, 2, 1)) for key in "acd"] == [True, False, True]


class Queue:
    """Addresses that wait for places, take them and give them back."""

    def __init__(self, places: int, max_each: int) -> None:
        self.turns, self.places, self.max_each = FairQueue(places, max_each), places, max_each
        self.waiting: list[tuple[str, int, asyncio.Task[str]]] = []
        self.running: list[str] = []
        self.began: list[tuple[str, int]] = []

    async def do(self, action: str, address: str, number: int) -> None:
        if action == "take":
            client_address.set(address)
            self.waiting.append((address, number, asyncio.create_task(self.turns.take())))
        elif action == "leave" and self.waiting:
            _, _, task = self.waiting.pop(number % len(self.waiting))
            task.cancel()
        elif action == "give back" and self.running:
            self.turns.give_back(self.running.pop(number % len(self.running)))
        for _ in range(3):
            await asyncio.sleep(0)
        started = [entry for entry in self.waiting if entry[2].done()]
        self.waiting = [entry for entry in self.waiting if not entry[2].done()]
        self.running += [task.result() for _, _, task in started]
        for address, number, task in started:
            assert task.result() == address
            earlier = [n for other, n, _ in self.waiting if other == address and n < number]
            assert not earlier, "requests of an address start in order"
        self.check()

    def check(self) -> None:
        """Check that waiting addresses get every free place, and that none has too many."""
        running = Counter(self.running)
        assert len(self.running) <= self.places
        assert all(count <= self.max_each for count in running.values())
        if len(self.running) < self.places:
            assert all(running[address] == self.max_each for address, _, _ in self.waiting)


@given(
    st.integers(1, 3), st.integers(1, 3),
    st.lists(st.tuples(st.sampled_from(["take", "take", "leave", "give back"]),
                       st.sampled_from("abc"), st.integers(0, 5)), max_size=40),
)  # fmt: skip
@settings(max_examples=examples(400))
def test_a_free_place_goes_to_an_address_that_may_have_it(
    places: int, max_each: int, actions: list[tuple[str, str, int]]
) -> None:
    async def run_all() -> None:
        queue = Queue(places, max_each)
        for number, (action, address, index) in enumerate(actions):
            await queue.do(action, address, number if action == "take" else index)
        queue.turns.end()
        await asyncio.gather(*(task for _, _, task in queue.waiting), return_exceptions=True)
        assert all(task.cancelled() for _, _, task in queue.waiting)

    asyncio.run(run_all())


def test_addresses_take_turns() -> None:
    async def run_queue() -> str:
        turns, order = FairQueue(1, 1), list[str]()

        async def ask(address: str) -> None:
            client_address.set(address)
            async with turns.hold_place():
                order.append(address)

        await asyncio.gather(*(asyncio.create_task(ask(address)) for address in "aaabcbcd"))
        return "".join(order)

    assert asyncio.run(run_queue()) == "abcdabca"


@pytest.mark.parametrize("max_each", [1, 2])
def test_a_new_address_precedes_the_next_requests_of_running_ones(max_each: int) -> None:
    async def run_all() -> None:
        queue, places = Queue(2 * max_each, max_each), 2 * max_each
        for number, address in enumerate("abab" * places + "c"):
            await queue.do("take", address, number)
        assert Counter(queue.running) == {"a": max_each, "b": max_each}
        await queue.do("give back", "", 0)
        assert "c" in queue.running
        queue.turns.end()
        await asyncio.gather(*(task for _, _, task in queue.waiting), return_exceptions=True)

    asyncio.run(run_all())


def test_connections_that_block_others_are_closed(server: Server) -> None:
    name, port = server.host.split(":")
    with socket.create_connection((name, int(port)), 60) as asking:
        asking.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: bbbbbbbb\r\n" * 6000)
        assert asking.recv(100).startswith(b"HTTP/1.1 400 ")

    class Wire(asyncio.Transport):
        closed = False

        def close(self) -> None:
            self.closed = True

    async def application(scope: object, receive: object, send: object) -> None:
        raise AssertionError("nobody asks")

    async def is_closed() -> bool:
        config = Config(application, http=Connection, ws="none", log_config=None)
        wire = Wire()
        connection = Connection(config, ServerState(), {})
        connection.connection_made(wire)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        was_closed = wire.closed
        connection.connection_lost(None)
        return was_closed

    before = +connections.open
    assert not asyncio.run(is_closed())
    with limited("quaternity.web.rate_limits", REQUEST_SECONDS=0):
        assert asyncio.run(is_closed())
    assert +connections.open == before, "their places are free again"


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        (HERE, "http://localhost", 403),
        (HERE, "http://localhost:8000", 403),
        (HERE, "https://localhost", 403),
        (HERE, f"https://{HERE}", 403),
        (HERE, "http://127.0.0.1", 403),
        (HERE, "http://club.example", 403),
        (HERE, "https://club.example:8000", 403),
        ("club.example:8000", "http://club.example", 403),
        ("club.example:8000", "https://club.example", 403),
        ("club.example:8000", "http://club.example:8000", 201),
        ("Localhost:80", "http://localhost", 201),
        ("[::1]:8000", "http://[::1]:8000", 201),
        ("club.example", "https://club.example", 201),  # by a proxy that speaks HTTPS
    ],
)
def test_an_origin_has_scheme_host_and_port_of_the_request(
    site: Site, host: str, origin: str, status: int
) -> None:
    headers = {"host": host, "origin": origin}
    assert site.ask("POST", "/api/tables", PEOPLE, headers=headers).status == status
    for fetched in ("cross-site", "same-site", "none"):
        foreign = headers | {"sec-fetch-site": fetched}
        assert site.ask("POST", "/api/tables", PEOPLE, headers=foreign).status == 403


def cookie_of(page: Page) -> str | None:
    """The cookie that an answer sets, without its attributes."""
    return dict(page.headers).get(b"set-cookie", b"").decode().partition(";")[0] or None


@pytest.mark.parametrize("value", ["k" * 22, "k" * 44, "0" * 22 + "_" * 22, ""])
def test_a_cookie_that_the_server_has_not_issued_gives_no_seat(site: Site, value: str) -> None:
    chosen = {"cookie": f"a=b; quaternity={value}"}
    made = site.ask("POST", "/api/tables", PEOPLE | {"seats": ["me", "open", "me"]}, headers=chosen)
    cookie = cookie_of(made)
    assert cookie is not None
    path = f"/api/tables/{made.json['table']}"
    assert site.ask("GET", path, headers={"cookie": cookie}).json["seat"] == 0
    assert site.ask("GET", path, headers=chosen).json["seat"] is None
    name, _, token = cookie.partition("=")
    for other in (token[:22], token[:-1] + ("A" if token[-1] != "A" else "B"), token + "A"):
        assert (
            site.ask("GET", path, headers={"cookie": f"a=b; {name}={other}"}).json["seat"] is None
        )
    link = {"invitation": made.json["seats"][1]["invitation"]}
    assert cookie_of(site.ask("POST", "/api/seats", link, headers=chosen)) not in (None, cookie)


def test_a_cookie_of_the_first_version_still_has_its_seat(site: Site) -> None:
    made = site.ask("POST", "/api/tables", PEOPLE).json
    tables = site.app.state.tables
    old, key = {"cookie": f"a=b; quaternity={'o' * 22}"}, hash_token("o" * 22)
    change = "UPDATE seats SET browser = ? WHERE table_id = ? AND seat = 1", (key, made["table"])
    site.run(tables.store.write((), [change]))
    tables.live.drop_cached()
    assert site.ask("GET", f"/api/tables/{made['table']}", headers=old).json["seat"] == 1
    assert cookie_of(site.ask("POST", "/api/tables", PEOPLE, headers=old)) is None
    host = {"cookie": f"a=b; quaternity={'h' * 22}"}
    change = "UPDATE tables SET maker = ? WHERE id = ?", (hash_token("h" * 22), made["table"])
    site.run(tables.store.write((), [change]))
    assert cookie_of(site.ask("POST", "/api/tables", PEOPLE, headers=host)) is None


@pytest.mark.parametrize(("root", "name"), [("", ""), ("/table", "-table"), ("/a/b", "-a-b")])
def test_over_https_no_other_host_sets_the_cookie(
    root: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Site.scope

    def scope(site: Site, *arguments: Any, **options: Any) -> dict[str, Any]:
        made = original(site, *arguments, **options)
        return made | {"scheme": "https", "root_path": root, "path": f"{root}{made['path']}"}

    monkeypatch.setattr(Site, "scope", scope)
    with Site(app(str(tmp_path))) as site:
        origin = {"origin": f"https://{HERE}"}
        made = site.ask("POST", "/api/tables", PEOPLE, headers=origin)
        attributes = dict(made.headers)[b"set-cookie"].decode().split("; ")
        assert attributes[0].startswith(f"__Host-quaternity{name}=")
        assert {"Path=/", "Secure", "HttpOnly"} <= {*attributes}
        assert not any(attribute.startswith("Domain") for attribute in attributes)
        path = f"/api/tables/{made.json['table']}"
        assert site.ask("GET", path, headers={"cookie": attributes[0]}).json["seat"] == 0
        planted = attributes[0].replace(f"__Host-quaternity{name}", "quaternity")
        assert site.ask("GET", path, headers={"cookie": planted}).json["seat"] is None
