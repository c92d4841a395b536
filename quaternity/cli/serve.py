"""`serve`: run the web server, so that people can play in browsers."""

from __future__ import annotations

import gc
import os
import signal
import socket
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.base.errors import InputError
from quaternity.cli.app import app
from quaternity.cli.status import ExitStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    import uvicorn

    from quaternity.web.rate_limits import Limits

END_SECONDS = 3
"""Time limit for open requests when the server shuts down, in seconds."""

MAX_OPEN_FILES = 16_384


Host = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS", help="Address to listen on; 0.0.0.0 lets the whole network in."
    ),
]
Port = Annotated[
    int,
    typer.Option(metavar="PORT", min=0, max=65535, help="Port to listen on; 0 chooses a free one."),
]
Data = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER",
        help="Where the tables are stored: a folder, or postgresql://...  [default: quaternity in "
        "the user's data folder]",
    ),
]
OpenPage = Annotated[bool, typer.Option("--open", help="Open the page in a browser.")]
RootPath = Annotated[
    str, typer.Option(metavar="PATH", help="Path under which a proxy serves this server.")
]
TrustedHosts = Annotated[
    list[str] | None,
    typer.Option(metavar="HOST", help="Host name of this server in browsers; may be repeated."),
]
Programs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="GAME.NAME=PLAYER",
        help="Additional program that may take a seat, for example quarto.mine=mymodule:First "
        "or quaternity.best=perfect:FILE; may be repeated.",
    ),
]
MoveSeconds = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        help="Time limit in seconds for each move of a program, each hint and each count of deals.",
    ),
]
Proxies = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address or network of a proxy whose headers X-Forwarded-For and X-Forwarded-Proto "
        "are trusted; may be repeated.",
    ),
]
LimitOptions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=NUMBER",
        help="Change a limit: body, record, moves, pages, tables, counts, kept, streams, readers, "
        "words or workers; may be repeated. quaternity guide serving explains them.",
    ),
]

Metrics = Annotated[
    int | None,
    typer.Option(
        metavar="PORT",
        min=1,
        max=65535,
        help="Serve metrics for Prometheus at this port of 127.0.0.1. If "
        "QUATERNITY_METRICS_TOKEN is set, /metrics serves them to clients with that token.",
    ),
]
LogKind = Annotated[
    str,
    typer.Option(
        metavar="FORMAT",
        help="Format of the log: text, or json (one line per request, without its path).",
    ),
]
Check = Annotated[
    bool,
    typer.Option("--check", help="Check these options, print what is wrong with them, and exit."),
]
ProcessCount = Annotated[
    int,
    typer.Option(
        "--processes",
        metavar="N",
        min=1,
        max=64,
        help="Number of server processes; more than one requires --data postgresql://... Each "
        "further process serves its metrics at the next port.",
    ),
]
KeepDays = Annotated[
    int | None,
    typer.Option(
        metavar="DAYS",
        min=1,
        help="Remove finished and uploaded games after this many days without a move.  "
        "[default: never]",
    ),
]
KeepUnfinishedDays = Annotated[
    int | None,
    typer.Option(
        metavar="DAYS",
        min=1,
        help="Remove all other games after this many days without a move.  [default: never]",
    ),
]


@app.command()
def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    data: Data = None,
    open_page: OpenPage = False,
    root_path: RootPath = "",
    trusted_host: TrustedHosts = None,
    proxy: Proxies = None,
    players: Programs = None,
    player_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="File that defines names of additional programs.  [default: none]"
        ),
    ] = None,
    move_seconds: MoveSeconds = 20.0,
    limit: LimitOptions = None,
    keep_days: KeepDays = None,
    keep_unfinished_days: KeepUnfinishedDays = None,
    metrics: Metrics = None,
    log: LogKind = "text",
    processes: ProcessCount = 1,
    check: Check = False,
) -> None:
    """Run a web server, to play the four games with friends.

    Send friends the link of a table to invite them. Tables are stored, so games continue after a
    restart. Behind a proxy, set its address (--proxy), and the public host name (--trusted-host)
    and path (--root-path) of this server.

    Example: quaternity serve --host 0.0.0.0 --port 8000 --open
    """
    try:
        import uvicorn

        from quaternity.web.app import app as application
        from quaternity.web.connection import Connection
        from quaternity.web.metrics import log_json
        from quaternity.web.open_store import check_store, is_shared
        from quaternity.web.prefork import Workers, WorkerStarted
        from quaternity.web.table_admin import Retention
    except ImportError as error:
        raise InputError(
            f"the server needs {error.name}, which is not installed: pip install '.[web]'"
        ) from None
    from quaternity.cli.terminal import warn
    from quaternity.workers.isolated_calls import check_move_seconds
    from quaternity.workers.program import COMMAND_PREFIX
    from quaternity.workers.supervisor import missing_isolation

    token = os.environ.get("QUATERNITY_METRICS_TOKEN") or None

    def check_texts() -> None:
        if root_path and not root_path.startswith("/"):
            raise InputError(f"--root-path {root_path!r}: expected a path that begins with /")
        if log not in ("text", "json"):
            raise InputError(f"--log {log[:40]!r}: expected text or json")
        if processes > 1 and not is_shared(data):
            raise InputError(
                f"--processes {processes}: a folder can be served by only one process; for "
                "several, use --data postgresql://..."
            )
        if processes > 1 and token:
            raise InputError(
                f"--processes {processes}: /metrics would show the numbers of one process only; "
                "use --metrics, and unset QUATERNITY_METRICS_TOKEN"
            )

    def warn_about_isolation(programs: Iterable[str]) -> None:
        has_commands = any(player.startswith(COMMAND_PREFIX) for player in programs)
        if has_commands and (missing := missing_isolation()):
            warn(missing)

    if check:
        _report_faults(
            partial(check_move_seconds, move_seconds),
            check_texts,
            lambda: _proxies(proxy or []),
            lambda: warn_about_isolation(_players(players or [], player_file).values()),
            lambda: _limits(limit or []),
            partial(check_store, data),
            lambda: _bind_socket(host, port).close(),
            *(
                partial(_check_free, "127.0.0.1", metrics and metrics + number, "--metrics")
                for number in range(processes)
            ),
        )
        return
    check_move_seconds(move_seconds)
    check_texts()
    trusted_proxies = _proxies(proxy or [])
    programs, limits = _players(players or [], player_file), _limits(limit or [])
    warn_about_isolation(programs.values())
    keep = Retention(keep_days, keep_unfinished_days)
    with ExitStack() as stack:
        if processes > 1:
            # Check that no other program uses the port, because the processes of this server share
            # it.
            _check_free(host, port)
        server_socket = stack.enter_context(_bind_socket(host, port, shared=processes > 1))
        address, path = server_socket.getsockname(), root_path.rstrip("/")

        def welcome() -> None:
            _welcome(host, address[1], path, open_page)

        if processes > 1:
            check_store(data)
            try:
                raise typer.Exit(Workers(processes).run(welcome))
            except WorkerStarted as child:
                metrics = metrics and metrics + child.number
                welcome = child.ready
            # Each process has its own socket, so that the kernel distributes the connections.
            server_socket = stack.enter_context(_bind_socket(address[0], address[1], shared=True))
        hosts = [*(trusted_host or []), host, socket.gethostname()]
        web_app = application(data, hosts, programs, limits, move_seconds, keep, token)
        config = uvicorn.Config(
            web_app, root_path=path, http=Connection, ws="none",
            log_level="warning", server_header=False,
            proxy_headers=bool(trusted_proxies), forwarded_allow_ips=trusted_proxies,
            timeout_graceful_shutdown=END_SECONDS,
        )  # fmt: skip
        if log == "json":
            log_json()
        if metrics is not None:
            stack.callback(_offer_metrics(metrics, web_app.state.seen.registry))
        server = _server(config)
        # Search for reference cycles less often. There are many live objects but few cycles, and
        # the search took a quarter of the time.
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        server_socket.listen(config.backlog)
        welcome()
        server.run(sockets=[server_socket])


def _report_faults(*checks: Callable[[], object]) -> None:
    """Run all checks and print the faults that they find. Exit with status 2 if there are any."""
    from quaternity.cli.terminal import say, warn

    faults = 0
    for check in checks:
        try:
            check()
        except InputError as error:
            warn(str(error))
            faults += 1
    if faults:
        raise typer.Exit(ExitStatus.BAD_INPUT)
    say("nothing is wrong with these options")


def _offer_metrics(port: int, registry: Any) -> Callable[[], None]:
    """Serve metrics at a port of 127.0.0.1, and return a function that stops the metrics server."""
    from prometheus_client import start_http_server

    _bind_socket("127.0.0.1", port, "--metrics").close()
    server, _ = start_http_server(port, "127.0.0.1", registry)
    return server.shutdown


def _server(config: uvicorn.Config) -> uvicorn.Server:
    """Return a server that always shuts down properly, even after repeated signals."""
    import uvicorn

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            self.force_exit = False

    server = Server(config)

    def end(number: int, frame: object) -> None:
        """Stop the server if SIGTERM arrives before Uvicorn handles signals, or is raised again."""
        del number, frame
        server.should_exit = True

    signal.signal(signal.SIGTERM, end)
    return server


def _check_free(host: str, port: int | None, option: str = "") -> None:
    """Raise `InputError` if a port is not free."""
    _bind_socket(host, port or 0, option).close()


def _bind_socket(
    host: str, port: int, option: str = "", shared: bool = False
) -> socket.socket:  # fmt: skip
    """Return a bound server socket, after raising the limit on open files.

    If `shared`, several sockets can be bound to the same port.
    """
    import resource

    # Every stream needs a file descriptor; shells often limit these to about a thousand, although
    # the system allows more.
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


def _welcome(host: str, port: int, path: str, open_page: bool) -> None:
    """Print the link of the server and, if `open_page`, open it in a browser."""
    from quaternity.cli.terminal import say

    everywhere = host in ("0.0.0.0", "::")
    shown = "localhost" if everywhere else f"[{host}]" if ":" in host else host
    link = f"http://{shown}:{port}{path}/"
    say(f"the server runs at {link} (Ctrl-C stops it; nothing is lost)")
    if everywhere:
        say("other devices in the network reach it by the name or the address of this machine")
    if open_page:
        import webbrowser

        webbrowser.open(link)


def _players(texts: list[str], player_file: str | None) -> dict[tuple[str, str], str]:
    from quaternity.table.games import game_names
    from quaternity.table.player_file import file_players
    from quaternity.table.players import check_name

    players, games = {}, tuple(game_names())
    if player_file is not None:  # A server reads players.toml only if the option names the file.
        for game in games:
            for short, player in file_players(game, player_file).items():
                players[game, short] = player
    for text in texts:
        name, equals, player = text.partition("=")
        game, dot, short = name.partition(".")
        if not (equals and dot and game in games and short.replace("-", "").isalnum()):
            raise InputError(
                f"--players {text!r}: expected GAME.NAME=PLAYER, where GAME is one of "
                f"{', '.join(games)}"
            )
        check_name(game, player, people=False)
        players[game, short] = player
    return players


def _proxies(texts: list[str]) -> list[str]:
    from quaternity.web.rate_limits import proxy_networks

    for text in texts:
        try:
            if any(network.prefixlen == 0 for network in proxy_networks((text,))):
                raise ValueError("everybody")
        except ValueError:
            raise InputError(
                f"--proxy {text!r}: expected the address or the network of a proxy, "
                "such as 127.0.0.1 or 10.0.0.0/8"
            ) from None
    return [str(network) for network in proxy_networks(tuple(texts))]


def _limits(texts: list[str]) -> Limits:
    from quaternity.web.rate_limits import Limits

    limits = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in Limits._fields or not number.isdecimal() or len(number) > 12:
            names = ", ".join(Limits._fields)
            raise InputError(
                f"--limit {text!r}: expected NAME=NUMBER, where NAME is one of {names}"
            )
        limits[name] = int(number)
    return Limits(**limits)
