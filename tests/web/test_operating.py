"""The files that the guide gives to operators work: the unit, and those for proxies, with TLS."""

import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from quaternity import guide
from quaternity.web import metrics
from quaternity.web.app import app
from tests.cli.test_guide import blocks
from tests.web.server import BUSY, Server

FILES = {block.file: block.text for block in blocks(guide.page("operating").text) if block.file}


def program(name: str) -> str:
    """Return the path of a program; skip the test if it is missing, unless all tests must run."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if path is None:
        assert "QUATERNITY_INSIST" not in os.environ, f"{name} is missing"
        pytest.skip(f"{name} is not installed")
    return path


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "quaternity.service"
    text = FILES[unit.name].replace("/opt/quaternity/bin/quaternity", sys.executable)
    unit.write_text(text)
    checked = subprocess.run(
        [program("systemd-analyze"), "verify", str(unit)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (
        checked.returncode,
        [line for line in checked.stderr.splitlines() if unit.name in line],
    ) == (0, [])


def test_caddy_accepts_its_file(tmp_path: Path) -> None:
    file = tmp_path / "Caddyfile"
    file.write_text(FILES[file.name])
    command = [program("caddy"), "adapt", "--adapter", "caddyfile", "--config", str(file)]
    made = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    assert "127.0.0.1:8000" in made.stdout
    (log,) = json.loads(made.stdout)["logging"]["logs"].values()
    assert log["exclude"] == ["http.log.access", "http.log.error"]  # they quote requests


Connect = Callable[..., "Client"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("proxied")


@pytest.fixture(scope="module")
def connect(folder: Path) -> Iterator[Connect]:
    """Yield a function that makes clients of a server behind nginx with TLS, as in the guide."""
    tmp_path = folder
    nginx, openssl = program("nginx"), program("openssl")
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    certificate, key = tmp_path / "club.pem", tmp_path / "club.key"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-keyout", str(key), "-out", str(certificate),
         "-subj", "/CN=club.example", "-addext", "subjectAltName=DNS:club.example"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    options = ("--proxy", "127.0.0.1", "--trusted-host", f"club.example:{port}",
               "--trusted-host", "club.example", "--root-path", "/table")  # fmt: skip
    with Server(tmp_path / "data", *BUSY, *options, "--limit", "pages=30") as server:
        text = FILES["table.conf"].replace("listen 443", f"listen 127.0.0.1:{port}")
        text = text.replace("127.0.0.1:8000", server.host)
        text = text.replace("/var/log/nginx/", f"{tmp_path}/")
        text = text.replace("/etc/ssl/club.example.pem", str(certificate))
        text = text.replace("/etc/ssl/club.example.key", str(key))
        folders = "".join(
            f"{kind}_temp_path {tmp_path}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        config = tmp_path / "nginx.conf"
        config.write_text(
            f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/errors;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{folders}{text}}}\n"
        )
        # nginx gets a socket that already listens, so that clients can connect before it is ready.
        with listening:
            running = subprocess.Popen(
                [nginx, "-c", str(config), "-p", str(tmp_path)],
                env=os.environ | {"NGINX": f"{listening.fileno()};"},
                pass_fds=[listening.fileno()],
            )
        try:
            tls = ssl.create_default_context(cafile=str(certificate))
            with ExitStack() as open_clients:
                yield lambda address="127.0.0.1": open_clients.enter_context(
                    closing(Client(port, tls, address))
                )
        finally:
            running.terminate()
            running.wait(60)


class Client(http.client.HTTPSConnection):
    """A client at an address of this machine that connects by the proxy."""

    def __init__(self, port: int, tls: ssl.SSLContext, address: str = "127.0.0.1") -> None:
        super().__init__("club.example", port, context=tls, timeout=60)
        self._create_connection: Any = lambda *_: socket.create_connection(
            ("127.0.0.1", port), 60, (address, 0)
        )

    def ask(self, method: str, path: str, document: Any = None, **headers: str) -> Any:
        body = None if document is None else json.dumps(document)
        sent = {"content-type": "application/json", "origin": f"https://club.example:{self.port}"}
        self.request(method, path, body, (sent if document is not None else {}) | headers)
        return self.getresponse()


def test_a_table_is_played_through_nginx(connect: Connect) -> None:
    ann, watcher = connect(), connect()
    made = ann.ask("POST", "/table/api/tables", {"game": "quaternity", "seats": ["me"] * 3})
    assert made.status == 201
    assert "; secure" in made.headers["set-cookie"].lower()
    table = json.load(made)
    assert table["watch"].startswith(f"https://club.example:{ann.port}/table/t/")
    token = f"Bearer {table['seats'][0]['token']}"
    path = f"/table/api/tables/{table['table']}"
    stream = watcher.ask("GET", f"{path}/events")
    assert stream.headers["content-type"].startswith("text/event-stream")
    move = {"version": 0, "id": "a", "move": "1 0 2"}
    assert ann.ask("POST", f"{path}/moves", move, authorization=token).read() == b'{"version":1}'
    received = b""
    while b"id: 1\n" not in received:  # the event comes at once, though the stream stays open
        received += stream.read1()
    page = ann.ask("GET", f"/table/t/{table['table']}")
    assert page.status == 200
    assert b"/table/static/" in page.read()


def test_the_logs_of_nginx_name_no_table_and_no_invitation(connect: Connect, folder: Path) -> None:
    ann = connect("127.0.0.7")
    for path in ("/table/t/secret", "/table/join/secret", "/elsewhere/secret"):
        ann.ask("GET", path, referer="https://club.example/table/t/secret").read()
    ann.putrequest("POST", "/table/api/secret")
    ann.putheader("content-length", str(3 << 20))  # which nginx refuses
    ann.endheaders()
    assert ann.getresponse().status == 413
    ann.close()
    log = folder / "table.log"
    while log.read_text().count("127.0.0.7") < 4:
        connect().ask("GET", "/table/healthz").read()
    logs = "".join(path.read_text() for path in (log, folder / "table-errors.log"))
    assert "secret" not in logs


def test_each_client_of_the_proxy_has_its_own_budget(connect: Connect) -> None:
    greedy, other = connect("127.0.0.5"), connect("127.0.0.6")
    statuses = list[int]()
    while 429 not in statuses:  # the limit of 30 grows while the requests take time
        assert len(statuses) < 1000
        answer = greedy.ask("GET", "/table/new?game=set", **{"x-forwarded-for": "1.2.3.4"})
        answer.read()
        statuses.append(answer.status)
    assert statuses[0] == 200
    assert other.ask("GET", "/table/new?game=set").status == 200


def test_the_guide_names_all_metrics(tmp_path: Path) -> None:
    from prometheus_client import generate_latest

    text = generate_latest(app(str(tmp_path)).state.seen.registry).decode()
    kinds = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    page = guide.page("operating").text
    assert metrics.HEALTH_SECONDS == 1
    for kind in kinds:
        assert f"`{kind}`" in page or f"`{kind.removesuffix('_total')}`" in page, kind
