"""The processes of `quaternity serve`: they open ports, run Uvicorn, and serve metrics."""

from __future__ import annotations

import gc
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn

from quaternity.base.errors import InputError
from quaternity.web.app import app
from quaternity.web.connection import Connection
from quaternity.web.metrics import log_json
from quaternity.web.open_store import check_store
from quaternity.web.prefork import Workers, WorkerStarted

if TYPE_CHECKING:
    from types import FrameType

    from quaternity.web.rate_limits import Limits
    from quaternity.web.table_admin import Retention

END_SECONDS = 3
"""Time limit for requests that are still open when the server shuts down, in seconds."""

MAX_OPEN_FILES = 16_384
"""Maximum number of open files that the server requests from the operating system."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server listens, and the addresses under which clients reach it.

    Attributes:
        host: Host name or IP address at which the server listens.
        port: Port at which the server listens, or 0 for any free port.
        hosts: Additional host names that requests may use for this server.
        path: Path prefix under which a proxy makes the server available, without a final slash.
        proxies: Networks of the proxies whose headers about the client are trusted.
    """

    host: str
    port: int
    hosts: Sequence[str] = ()
    path: str = ""
    proxies: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """The options of a server that concern its tables. `quaternity.web.app.app` describes them.

    Attributes:
        programs: Additional computer players, by game and name.
        limits: Rate limits and other limits.
        move_seconds: Time limit for a move of a computer player, in seconds.
        keep: Numbers of days after which tables are deleted.
    """

    programs: Mapping[tuple[str, str], str]
    limits: Limits
    move_seconds: float
    keep: Retention


@dataclass(frozen=True, slots=True)
class Monitoring:
    """The options of a server that concern its metrics and its log.

    Attributes:
        port: Port at which the first process serves metrics, or None for no metrics server. Each
            further process uses the next port.
        token: Token with which clients may read the page `/metrics`. None switches the page off.
        json_log: Whether to log a line of JSON for each request.
    """

    port: int | None
    token: str | None
    json_log: bool


def run_server(
    data: str | None, address: ServerAddress, play: PlayOptions, monitoring: Monitoring,
    processes: int, welcome: Callable[[int], None],
) -> int:  # fmt: skip
    """Run a server until a signal stops it. Return the exit status, or raise `InputError`.

    `data` names the database (see `open_store.place_of`). `welcome` is called with the port once
    all `processes` can serve requests.
    """
    shared, metrics = processes > 1, monitoring.port
    with ExitStack() as stack:
        if shared:
            # Check first that no other program uses the port, because a shared socket could be
            # bound even to a port that another server shares among its processes.
            check_free(address.host, address.port)
        server_socket = stack.enter_context(bind_socket(address.host, address.port, shared=shared))
        place = server_socket.getsockname()
        ready: Callable[[], None] = partial(welcome, place[1])
        if shared:
            check_store(data)
            try:
                return Workers(processes).run(ready)
            except WorkerStarted as child:
                metrics = metrics and metrics + child.number
                ready = child.ready
            # Each process has its own socket, so that the kernel distributes the connections.
            server_socket = stack.enter_context(bind_socket(place[0], place[1], shared=True))
        web_app = app(
            data, address.hosts, play.programs, play.limits, play.move_seconds, play.keep,
            monitoring.token,
        )  # fmt: skip
        config = uvicorn.Config(
            web_app, root_path=address.path, http=Connection, ws="none",
            log_level="warning", server_header=False,
            proxy_headers=bool(address.proxies), forwarded_allow_ips=list(address.proxies),
            timeout_graceful_shutdown=END_SECONDS,
        )  # fmt: skip
        if monitoring.json_log:
            log_json()
        if metrics is not None:
            stack.callback(_offer_metrics(metrics, web_app.state.seen.registry))
        server = _server(config)
        # Search for reference cycles less often. There are many live objects but few cycles, and
        # the search took a quarter of the time.
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        server_socket.listen(config.backlog)
        ready()
        server.run(sockets=[server_socket])
    return 0


def _offer_metrics(port: int, registry: Any) -> Callable[[], None]:
    """Start an HTTP server for metrics on a local port. Return a function that stops it."""
    from prometheus_client import start_http_server

    bind_socket("127.0.0.1", port, "--metrics").close()
    server, _ = start_http_server(port, "127.0.0.1", registry)
    return server.shutdown


def _server(config: uvicorn.Config) -> uvicorn.Server:
    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            self.force_exit = False

    server = Server(config)

    def end(number: int, frame: object) -> None:
        """Stop the server after a SIGTERM that arrives while Uvicorn does not handle signals."""
        del number, frame
        server.should_exit = True

    signal.signal(signal.SIGTERM, end)
    return server


def check_free(host: str, port: int | None, option: str = "") -> None:
    """Raise `InputError` if a server cannot listen at a port. The port None stands for any port.

    The message names the port by `option`, such as `--metrics`, or else by `--host` and `--port`.
    """
    bind_socket(host, port or 0, option).close()


def bind_socket(
    host: str, port: int, option: str = "", shared: bool = False
) -> socket.socket:  # fmt: skip
    """Return a socket that is bound to a port. Allow this process as many open files as possible.

    If `shared` is true, several sockets can use the same port. See `check_free` for `option`.

    Raises:
        InputError: If the port is not free, or the host is unknown.
    """
    import resource

    # Every event stream needs a file descriptor. Shells often limit their number to about a
    # thousand, although the system allows more.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, MAX_OPEN_FILES)), hard))
    server_socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        server_socket.bind((host, port))
    except (OSError, UnicodeError) as error:
        server_socket.close()
        options = f"{option} {port}" if option else f"--host {host} --port {port}"
        raise InputError(f"{options}: {error}") from None
    return server_socket
