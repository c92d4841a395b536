"""`quaternity serve`: options refused before it starts; `tests/web` tests the running server."""

import socket
from pathlib import Path

import pytest

from tests.cli.conftest import Cli


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--players", "quarto=careful"], "expected GAME.NAME=PLAYER"),
        (["--players", "chess.mine=careful"], "where GAME is one of quaternity"),
        (["--players", "quarto.mine=nobody"], "'nobody' is unknown"),
        (["--players", "quarto.mine=you"], "'you' is unknown"),
        (["--limit", "moves"], "expected NAME=NUMBER"),
        (["--limit", "moves=-1"], "expected NAME=NUMBER"),
        (["--limit", "speed=1"], "where NAME is one of body"),
        *(
            (["--proxy", bad], f"--proxy {bad!r}: expected the address or the network")
            for bad in ("", "*", "example.com", "127.0.0.1:80", "10.0.0.1/8", "0.0.0.0/0")
        ),
        (["--log", "xml"], "--log 'xml': expected text or json"),
        (["--metrics", "0"], "--metrics"),
        (
            ["--processes", "2"],
            "--processes 2: a folder can be served by only one process; for several",
        ),
        (["--root-path", "club"], "'club': expected a path that begins with /"),
        (["--move-seconds", "0"], "move-seconds: must be > 0"),
        (["--port", "70000"], "65535"),
        (["--keep-days", "0"], "--keep-days"),
        (["--keep-unfinished-days", "soon"], "--keep-unfinished-days"),
        (["--host", "no.such.host.invalid"], "--host no.such.host.invalid"),
        (["--data", "/dev/null/tables"], "/dev/null/tables"),
        (["--data", "mysql://me:secret@host/x"], "--data mysql://...: must be a folder"),
        (["--data", "sqlite:///tables"], "--data sqlite://...: must be a folder"),
    ],
)
def test_invalid_options_are_refused(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    data = [] if "--data" in options else ["--data", str(tmp_path)]
    outcome = cli("serve", *data, *options)
    assert outcome.status == 2
    assert message in outcome.err
    assert "secret" not in outcome.err
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(":")]


def test_a_port_in_use_is_refused(cli: Cli, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        outcome = cli("serve", "--data", str(tmp_path), "--port", port)
    assert outcome.status == 2
    assert f"--port {port}" in outcome.err


def test_check_reports_all_faults_without_serving(cli: Cli, tmp_path: Path) -> None:
    data = tmp_path / "data"
    options = ("serve", "--check", "--data", data)
    assert "nothing is wrong" in cli(*options, "--port", 0).out
    assert not data.exists()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        wrong = (
            "--port",
            port,
            "--metrics",
            port,
            "--limit",
            "x=1",
            "--proxy",
            "*",
            "--log",
            "xml",
        )
        outcome = cli(*options, *wrong, "--players", "quarto.x", "--move-seconds", 0)
    assert outcome.status == 2
    assert len(outcome.err.splitlines()) == 7
    (data / "tables.sqlite").parent.mkdir()
    (data / "tables.sqlite").write_bytes(b"no database" * 100)
    damaged = cli(*options, "--port", 0)
    assert damaged.status == 2
    assert "is damaged" in damaged.err
