"""Health check, metrics and request log, and that none of them reveals who plays what."""

import io
import json
import logging
import re
from collections import Counter
from collections.abc import Iterator
from itertools import count
from math import inf
from pathlib import Path
from random import Random
from typing import Any
from urllib.request import urlopen

import pytest
from prometheus_client import generate_latest

from quaternity.web import metrics
from quaternity.web.app import app
from quaternity.web.http_errors import HttpError
from quaternity.web.metrics import JsonLines
from quaternity.web.rate_limits import refusal, refusal_counts
from tests.sizes import thorough
from tests.web.server import BUSY, Server, reserved_port
from tests.web.site import Site
from tests.web.tables import Table
from tests.web.test_open_store import wait_until

TOKEN = "a token of the operator"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Site(app(str(tmp_path / "data"), metrics_token=TOKEN)) as site:
        yield site


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Yield the text of all that is logged as JSON."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(JsonLines())
    loggers = [logging.getLogger(name) for name in ("quaternity.requests", "uvicorn.error")]
    before = [(logger.level, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    yield text
    for logger, (level, propagate) in zip(loggers, before, strict=True):
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate


def read_metrics(site: Site) -> str:
    page = site.ask("GET", "/metrics", token=TOKEN)
    if page.status == 401:  # a token of a seat has another form
        page = site.ask("GET", "/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert page.status == 200
    return page.body.decode()


def metric(text: str, name: str) -> float:
    (line,) = (line for line in text.splitlines() if line.startswith(f"{name} "))
    return float(line.split()[-1])


def test_health_says_whether_anything_can_be_written(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    well = site.ask("GET", "/healthz")
    assert (well.status, well.json) == (200, {"alive": True, "writes": True})
    store, table = site.app.state.tables.store, Table(site)
    assert metrics.HEALTH_SECONDS <= 1  # a full disk is reported so soon
    # Health is not checked at every request, so that frequent requests do not write more often.
    monkeypatch.setattr(metrics, "HEALTH_SECONDS", inf)
    with monkeypatch.context() as patch:
        patch.setattr(store, "commit", None)
        assert site.ask("GET", "/healthz").status == 200
        assert table.move(0, "1 0 2").status == 503
        ill = site.ask("GET", "/healthz")  # without another check
        assert (ill.status, ill.json) == (503, {"alive": True, "writes": False})
    site.run(store.write())  # a write that changes nothing proves nothing
    assert site.ask("GET", "/healthz").status == 503
    monkeypatch.setattr(metrics, "HEALTH_SECONDS", 0.0)
    assert site.ask("GET", "/healthz").status == 200


def test_metrics_require_the_token(site: Site, tmp_path: Path) -> None:
    for headers in ({}, {"authorization": "Bearer x"}, {"authorization": f"Basic {TOKEN}"}):
        assert site.ask("GET", "/metrics", headers=headers).status == 404
    table = Table(site)
    assert table.move(0, "1 0 2").status == 200
    text = read_metrics(site)
    assert metric(text, "quaternity_moves_total") == 1
    assert metric(text, 'quaternity_tables{where="disk"}') == 1
    assert metric(text, "quaternity_disk_bytes") > 0
    assert metric(text, "quaternity_trouble") == 0
    line = 'quaternity_requests_total{method="POST",route="/api/tables/{table}/moves",status="200"}'
    assert metric(text, line) == 1
    with Site(app(str(tmp_path / "other"))) as other:
        assert other.ask("GET", "/metrics").status == 404


def test_metrics_are_served_even_if_tables_cannot_be_read(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise HttpError(503, "the tables cannot be read now")

    monkeypatch.setattr(site.app.state.tables.store, "read", refuse)
    text = read_metrics(site)
    assert metric(text, 'quaternity_tables{where="memory"}') == 0
    assert 'where="disk"' not in text


def test_streams_and_refusals_are_counted(site: Site) -> None:
    table = Table(site)
    site.listen(f"{table.path}/events", table.tokens[0])
    site.listen(f"{table.path}/events", table.tokens[1])
    site.listen(f"{table.path}/events", None)
    text = read_metrics(site)
    assert metric(text, 'quaternity_streams{of="seats"}') == 2
    assert metric(text, 'quaternity_streams{of="bystanders"}') == 1
    before = refusal_counts["pages"]
    refusal("pages", 429, "too many")
    assert metric(read_metrics(site), 'quaternity_refusals_total{reason="pages"}') == before + 1


def test_every_request_is_counted_once_by_its_route_method_and_status(site: Site) -> None:
    random, counted = Random(4), Counter[tuple[str, str, str]]()
    table = Table(site)
    routes = {
        "/": "/", "/learn": "/learn", "/t/x": "/t/{table}", "/nothing": metrics.UNKNOWN,
        table.path: "/api/tables/{table}", "/guide": "/guide", "/healthz": "/healthz",
    }  # fmt: skip
    before = requests_in(read_metrics(site))
    for _ in range(40):
        path, method = random.choice(list(routes)), random.choice(["GET", "HEAD", "POST", "DELETE"])
        status = site.ask(method, path).status
        shown = method if method in metrics.METHODS else "(other)"
        counted[routes[path], shown, str(status)] += 1
    counted["/metrics", "GET", "200"] += 1
    after = requests_in(read_metrics(site))
    after.subtract(before)
    assert {key: count for key, count in after.items() if count} == counted


def requests_in(text: str) -> Counter[tuple[str, str, str]]:
    """Return the number of answers by route, method and status, as the metrics have it."""
    line = r'^quaternity_requests_total\{method="(.*?)",route="(.*?)",status="(\d+)"\} (\S+)$'
    rows = re.findall(line, text, re.MULTILINE)
    return Counter({(route, method, status): int(float(n)) for method, route, status, n in rows})


def test_seconds_of_requests_are_counted_in_ascending_buckets(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "perf_counter", count(0, 0.25).__next__)
    for _ in range(5):
        site.ask("GET", "/healthz")
    name, text = 'quaternity_request_seconds{part}{{route="/healthz"{more}}}', read_metrics(site)
    rows = re.findall(r'_bucket{le="([^"]+)",route="/healthz"} (\S+)', text)
    bounds, counts = ([float(row[part]) for row in rows] for part in (0, 1))
    assert bounds == sorted(bounds)
    assert 0 < bounds[0] <= 0.001
    assert bounds[-1] == inf
    assert counts == sorted(counts)
    assert counts[-1] == metric(text, name.format(part="_count", more="")) == 5
    assert metric(text, name.format(part="_sum", more="")) == 1.25


def test_no_label_reveals_tables_or_clients(site: Site, log: io.StringIO) -> None:
    """Whatever is requested, the labels are the few routes, methods and statuses."""
    random, secrets = Random(1), ["kaffeeklatsch"]
    for number in range(thorough(3, 20)):
        table = Table(site, seats=["me", "open", "open"])
        secrets += [table.made["table"], *filter(None, table.tokens)]
        secrets += [seat["invitation"].rpartition("/")[2] for seat in table.made["seats"][1:]]
        site.client = f"10.1.{number}.7"
        paths = [f"/{root}/{random.choice(secrets)}{tail}" for root in
                 ("t", "join", "api/tables", "move", "guide", "static", "")
                 for tail in ("", "/part", "/help/kaffeeklatsch", "/at/1")]  # fmt: skip
        for path in paths:
            site.ask("GET", path, token=table.tokens[0])
            site.ask("DELETE", path)
    output = read_metrics(site) + log.getvalue()
    labels = {
        name: set(re.findall(rf'[{{,]{name}="(.*?)"', output))
        for name in ("route", "method", "status")
    }
    assert labels["route"] <= {route.path for route in site.app.routes} | {metrics.UNKNOWN}
    assert labels["method"] <= {*metrics.METHODS, "(other)"}
    assert all(re.fullmatch("[2-5][0-9][0-9]", status) for status in labels["status"])
    assert "/t/{table}" in labels["route"]
    for secret in (*secrets, "10.1."):
        assert secret not in output


def test_the_log_reveals_nothing_of_a_hidden_game(site: Site, log: io.StringIO) -> None:
    random = Random(3)
    settings = {"players": 3, "sets": 2}
    table = Table(site, game="kwartet", settings=settings, seats=["me", "me", "me"], seed=5)
    words = {table.made["table"], *table.tokens}
    for _ in range(60):
        state = table.look()
        if not state["to_act"]:
            break
        seat = state["to_act"][0]
        move = random.choice(table.look(seat)["moves"])
        words.add(move)
        table.move(seat, move)
        site.ask("GET", f"/t/{table.made['table']}", token=table.tokens[seat])
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert len(lines) > 60
    assert {frozenset(line) for line in lines} == {
        frozenset(("time", "route", "method", "status", "milliseconds", "bytes", "id"))
    }
    assert len({line["id"] for line in lines}) == len(lines)
    assert not [word for word in words if word in log.getvalue()]


def test_the_log_has_only_the_type_of_an_error(log: io.StringIO) -> None:
    try:
        raise KeyError("a card in a hand")
    except KeyError:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application")
    (line,) = map(json.loads, log.getvalue().splitlines())
    assert line["error"] == "KeyError"
    assert "card" not in log.getvalue()


def test_the_server_chooses_the_number_of_a_request(site: Site) -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = site.scope("GET", "/healthz", {"x-request-id": "theirs"})
    site.run(site.app(scope, receive, send))
    (number,) = (value for name, value in sent[0]["headers"] if name == b"x-request-id")
    assert re.fullmatch(rb"[0-9a-f]{16}", number)


def test_a_server_offers_its_metrics_to_its_own_machine(tmp_path: Path) -> None:
    with (
        reserved_port() as port,
        Server(tmp_path / "data", *BUSY, "--metrics", str(port), "--log", "json") as server,
    ):
        with urlopen(f"http://{server.host}/healthz") as page:
            assert json.load(page) == {"alive": True, "writes": True}

        def is_counted() -> bool:
            with urlopen(f"http://127.0.0.1:{port}/metrics") as page:
                return b'route="/healthz",status="200"' in page.read()

        wait_until(is_counted)  # a request is counted after its answer
        assert server.stop() == 0
    (line,) = (json.loads(line) for line in server.log.read_text().splitlines())
    assert (line["route"], line["status"]) == ("/healthz", 200)


def test_metrics_can_be_read_from_another_thread(site: Site) -> None:
    import threading

    texts: list[bytes] = []
    registry = site.app.state.seen.registry
    thread = threading.Thread(target=lambda: texts.append(generate_latest(registry)))
    thread.start()
    thread.join()
    assert b"quaternity_tables" in texts[0]
