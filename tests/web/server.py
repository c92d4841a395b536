"""`quaternity serve` in a separate process, which tests can query, stop and kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from socket import SO_REUSEADDR, SOL_SOCKET, socket
from urllib.parse import urlsplit

from quaternity.web import open_store

BUSY = tuple(
    word
    for name in ("moves", "tables", "counts", "streams", "readers", "pages")
    for word in ("--limit", f"{name}=1000000")
)
"""Options of a server that receives many requests."""

_starts = Counter[Path]()
"""Number of starts of a server on each folder, so that no server repeats the draws of another."""


@contextmanager
def reserved_port() -> Iterator[int]:
    """Reserve a port of 127.0.0.1 that the system gives to no other program until the end.

    A socket holds it without listening, so a program that asks for this number can listen on it.
    """
    with socket() as holder:
        holder.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


class Server:
    """A server with a data folder, on a port that it keeps over restarts.

    Attributes:
        host: `name:port`, once the server is started.
        log: the file of everything that the server printed, over all restarts.
    """

    def __init__(
        self, data: Path, *options: str, program: str = "tests.web.seeded_program"
    ) -> None:
        place = open_store.place_of(str(data))
        several = ("--processes", "2") if open_store.is_shared(place) else ()
        self.data, self.options, self.host, self.program = data, (*several, *options), "", program
        self.log = data.with_name(data.name + ".log")
        self.process: subprocess.Popen[str]
        self._port, self._opened = 0, ExitStack()

    def start(self, port: int = 0) -> Server:
        """Start the server and wait for its link."""
        command = [sys.executable, "-m", self.program, "serve", "--host", "127.0.0.1",
                   "--port", str(port or self._port), "--data", open_store.place_of(str(self.data)),
                   *self.options]  # fmt: skip
        with self.log.open("a") as log:
            _starts[self.data] += 1
            # Without the number of the test's folder, which depends on earlier tests.
            folder = self.data.parent.name.rstrip("0123456789")
            name = f"{folder}/{self.data.name}/{_starts[self.data]}"
            draws = {"QUATERNITY_TEST_DRAWS": name}
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env=os.environ | draws
            )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if "http://" in line:
                self.host = urlsplit(line[line.index("http://") :].split()[0]).netloc
                return self
        raise AssertionError(f"status {self.wait_for_exit()}, no link: {self.log.read_text()}")

    def kill(self) -> None:
        """End the server as a power failure would."""
        self.process.kill()
        self.wait_for_exit()

    def stop(self, seconds: float = 60) -> int:
        """End the server by SIGTERM, as a system does, and return its exit status."""
        os.kill(self.process.pid, signal.SIGTERM)
        return self.wait_for_exit(seconds)

    def wait_for_exit(self, seconds: float = 60) -> int:
        status = self.process.wait(seconds)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status

    def __enter__(self) -> Server:
        self._port = self._opened.enter_context(reserved_port())
        try:
            return self.start()
        except BaseException:
            self._opened.close()
            raise

    def __exit__(self, *error: object) -> None:
        with self._opened:
            if self.process.poll() is None:
                self.kill()


__all__ = ["BUSY", "Server", "reserved_port"]
