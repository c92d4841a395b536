"""After any disk fault a file has its old or its new content, and the command can be repeated.

The n-th disk operation fails, once or permanently, or the process dies at it (see `tests.faults`).
The default run tries a few n, the slow test tries all of them.
"""

import os
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.conftest import Cli, Outcome
from tests.faults import Death, Disk, Fault
from tests.sizes import thorough

RECORD = "quaternity 1\nset-size 4\nsets 3\nplayers 3\ntie-break first-in-order\n"
DEAL = """kwartet 1
players 2
sets 2
seats you,you
hand 0: 0/0 0/1 0/2 1/0
hand 1: 0/3 1/1 1/2 1/3
"""


class Command(NamedTuple):
    """A command that writes a file, whose name follows its arguments.

    Attributes:
        typed: the text on standard input.
        before: the earlier content of the file.
        is_whole: whether the same command, without input, writes the whole file again.
    """

    arguments: tuple[object, ...]
    typed: str = ""
    before: str | None = None
    is_whole: bool = False


COMMANDS = {
    "play": Command(("play", "--record"), "1 0 2\nn\n2 1 1\ny\nundo\n2 1 0\ny\n"),
    "play, a line cut off": Command(
        ("play", "--record"), "2 1 1\ny\n", RECORD + "0 asks 1 for 0/2: no\n1 asks 0 f"
    ),
    "play, no line end": Command(
        ("play", "--record"), "2 1 1\ny\n", RECORD + "0 asks 1 for 0/2: no"
    ),
    "kwartet play": Command(
        ("kwartet", "play", "--sets", 2, "--seats", "you,you", "--seed", 4, "--record")
    ),
    "kwartet play, a line cut off": Command(
        ("kwartet", "play", "--record"), "\n1 0 3\n1 1 1\n1 1 2\n", DEAL + "0 as"
    ),
    "kwartet log": Command(
        ("kwartet", "log", "--sets", 2, "--seats", "random,random", "--force", "--record"),
        before=DEAL,
        is_whole=True,
    ),
    "solve": Command(
        ("solve", "-s", 2, "-n", 2, "-p", 2, "--no-limit", "--out"), is_whole=True
    ),
    "kwartet simulate": Command(
        ("kwartet", "simulate", "--games", 2, "--sets", 2, "--seats", "random,random", "--plot"),
        before="old",
        is_whole=True,
    ),
    "tournament": Command(
        ("tournament", "random", "random", "--games", 2, "-s", 2, "-n", 2, "-p", 2, "--plot"),
        before="old",
        is_whole=True,
    ),
    "compare": Command(
        ("compare", "--states", 1, "--repeats", 1, "--solvers", "matching", "--csv", "--plot"),
        before="old",
        is_whole=True,
    ),
}  # fmt: skip


class Trial:
    """A command that is run again and again, each time in a new folder with another fault."""

    def __init__(self, name: str, cli: Cli, tmp_path: Path) -> None:
        self.command, self.cli, self.tmp_path = COMMANDS[name], cli, tmp_path
        self.runs = 0
        disk = self.run(None, Fault.FULL, stays=False)
        assert self.outcome is not None
        assert self.outcome.status == 0
        self.messages = self.outcome.err.replace(str(self.folder), "")
        self.operations = disk.done
        self.whole, self.listed = self.content(), os.listdir(self.folder)
        self.contents: list[Any] = [*disk.seen, self.whole]

    @property
    def path(self) -> Path:
        """The file that the command writes; the suffix is needed for pictures only."""
        return self.folder / "file.svg"

    def content(self) -> bytes | None:
        """Return the content of the file; an empty file counts as missing."""
        return self.path.read_bytes() or None if self.path.exists() else None

    def run(self, at: int | None, fault: Fault, *, stays: bool) -> Disk:
        """Run the command with a fault."""
        self.folder = self.tmp_path / str(self.runs)
        self.runs += 1
        self.folder.mkdir()
        if self.command.before is not None:
            self.path.write_text(self.command.before)
        self.outcome: Outcome | None = None
        arguments = (*self.command.arguments, self.path)
        with Disk(self.folder, at, fault, stays, self.content) as disk:
            try:
                self.outcome = self.cli(*arguments, stdin=self.command.typed)
            except Death:
                assert fault is Fault.DEATH
        return disk

    def check(self, at: int, fault: Fault, *, stays: bool) -> None:
        """Run the command with a fault, check what it leaves behind, then repeat the command."""
        case = f"operation {at} of {len(self.operations)}, {self.operations[at]}: {fault} {stays=}"
        self.run(at, fault, stays=stays)
        if fault is not Fault.DEATH:
            assert self.outcome is not None
            status, out, error = self.outcome
            if "--plot" in self.command.arguments:
                assert out, case  # a picture that fails costs no results
            assert status in (0, 2, 4), case
            if status:
                assert all(line.startswith("quaternity: ") for line in error.splitlines()), case
                assert str(self.folder) in error, (case, error)
                assert os.strerror(fault.value) in error, (case, error)
                assert self.content() in self.around(at), case
                assert self.content() or not self.path.exists(), case
            else:
                # The message may report files that could not be removed.
                message = error.replace(str(self.folder), "").removeprefix(self.messages)
                assert not message or os.strerror(fault.value) in message, (case, error)
                assert self.content() == self.whole, case
        again = self.cli(*self.command.arguments, self.path)
        assert again.status == 0, (case, again.err)
        done = self.command.is_whole or (self.outcome is not None and self.outcome.status == 0)
        assert self.content() in ([self.whole] if done else self.around(at)), case
        assert os.listdir(self.folder) == self.listed, case

    def around(self, at: int) -> list[bytes | None]:
        """Return the content before an operation, and the next content after it.

        Content that cannot be put on the disk is taken back.
        """
        now = self.contents[at]
        allowed = [now, next((data for data in self.contents[at:] if data != now), now)]
        if self.operations[at] == "fsync":
            allowed.append(next((data for data in self.contents[at::-1] if data != now), now))
        # A question whose answer could not be saved is asked again.
        allowed += [data[: data.rfind(b"\n") + 1] for data in allowed if data is not None]
        return allowed


@pytest.fixture(autouse=True)
def _without_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip drawing, which is slow; the content of a picture does not matter here."""
    figure = pytest.importorskip("matplotlib.figure").Figure

    def save(figure: Any, file: Any, **_: object) -> None:
        file.write(b"picture")

    monkeypatch.setattr(figure, "savefig", save)


FAULTS = [
    (Fault.FULL, True), (Fault.DEATH, False), (Fault.BROKEN, False), (Fault.FORBIDDEN, True),
    (Fault.FULL, False), (Fault.BROKEN, True), (Fault.FORBIDDEN, False),
]  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_disk_fault_leaves_the_old_or_new_content(name: str, cli: Cli, tmp_path: Path) -> None:
    trial = Trial(name, cli, tmp_path)
    count = len(trial.operations)
    faults = cycle(FAULTS)
    for number in range(0, count, max(1, count // thorough(3, 4))):
        fault, stays = next(faults)
        trial.check(number, fault, stays=stays)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_any_disk_fault_leaves_the_old_or_new_content(name: str, cli: Cli, tmp_path: Path) -> None:
    trial = Trial(name, cli, tmp_path)
    count = len(trial.operations)
    for number in range(count):
        # If there are very many operations, each gets a death and one other fault.
        few = [FAULTS[1], FAULTS[number % len(FAULTS)]]
        for fault, stays in FAULTS if count < 100 else few:
            trial.check(number, fault, stays=stays)
