"""`serve`: run the web server, so that people can play in browsers."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.extras import needs_extra
from quaternity.cli.app import app
from quaternity.cli.status import ExitStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from quaternity.web.rate_limits import Limits

Host = Annotated[
    str,
    typer.Option(metavar="ADDRESS", help="Address to listen on; 0.0.0.0 admits the whole network."),
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
    str,
    typer.Option(metavar="PATH", help="URL path of this server behind a proxy, such as /table."),
]
TrustedHosts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOST", help="Host name by which browsers reach this server; may be repeated."
    ),
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
        help="Serve metrics for Prometheus on this port of 127.0.0.1. If "
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
        "further process serves its metrics on the next port.",
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
        help="Remove games that are neither finished nor uploaded after this many days without a "
        "move.  [default: never]",
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
            metavar="FILE", help="File that gives names to additional programs.  [default: none]"
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
    with needs_extra("the server needs", "web"):
        from quaternity.web.middleware import is_known
        from quaternity.web.open_store import check_store
        from quaternity.web.serving import (
            Monitoring,
            PlayOptions,
            ServerAddress,
            bind_socket,
            check_free,
            run_server,
        )
        from quaternity.web.table_admin import Retention
    from quaternity.cli.terminal import warn_about_isolation
    from quaternity.workers.isolated_calls import check_move_seconds

    token = os.environ.get("QUATERNITY_METRICS_TOKEN") or None
    check_seconds = partial(check_move_seconds, move_seconds)
    check_texts = partial(_check_texts, root_path, log, processes, data, token)
    proxies = partial(_proxies, proxy or [])
    programs, limits = partial(_players, players or [], player_file), partial(_limits, limit or [])
    if check:
        ports = [metrics and metrics + number for number in range(processes)]
        _report_faults(
            check_seconds, check_texts, proxies, limits, partial(check_store, data),
            lambda: warn_about_isolation(programs().values()),
            lambda: bind_socket(host, port).close(),
            *(partial(check_free, "127.0.0.1", metrics_port, "--metrics")
              for metrics_port in ports),
        )  # fmt: skip
        return
    check_seconds()
    check_texts()
    own = [] if is_known(host, frozenset({"localhost"})) else [host]
    path = root_path.rstrip("/")
    address = ServerAddress(host, port, [*(trusted_host or []), *own], path, proxies())
    keep = Retention(keep_days, keep_unfinished_days)
    play = PlayOptions(programs(), limits(), move_seconds, keep)
    warn_about_isolation(play.programs.values())
    monitoring = Monitoring(metrics, token, log == "json")
    status = run_server(
        data, address, play, monitoring, processes,
        lambda bound_port: _welcome(host, bound_port, path, open_page),
    )  # fmt: skip
    if status:
        raise typer.Exit(status)


def _check_texts(
    root_path: str, log: str, processes: int, data: str | None, token: str | None
) -> None:
    from quaternity.web.open_store import is_shared

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


def _report_faults(*checks: Callable[[], object]) -> None:
    """Call the functions that check the server's options, and print all errors.

    If there are any errors, exit with status 2.
    """
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


def _welcome(host: str, port: int, path: str, open_page: bool) -> None:
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
    from quaternity.web.rate_limits import LIMIT_NAMES, Limits

    limits = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in LIMIT_NAMES or not number.isdecimal() or len(number) > 12:
            names = ", ".join(LIMIT_NAMES)
            raise InputError(
                f"--limit {text!r}: expected NAME=NUMBER, where NAME is one of {names}"
            )
        limits[name] = int(number)
    return Limits.of(**limits)
