"""Repeat tests in random orders, half of the time on a busy machine, to find unreliable ones.

    make flaky TESTS="tests/web/test_end.py tests/web/test_kill.py" TIMES=200
    make flaky                                # all tests, 20 times

Repetition N runs the tests in an order that depends on N alone. In every even repetition `LOAD`
busy loops compete for the processors. Each finished repetition is one line of
`.flaky/repetitions.jsonl`, so an interrupted run continues where it stopped. A repetition of a file
counts until that file, a helper of the tests, or the program itself changes.

The exit status is 1 if any repetition of the present code failed, and 130 after an interrupt.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from xml.etree import ElementTree

TOP = Path(__file__).parents[1]
STORE = TOP / ".flaky" / "repetitions.jsonl"
SHARED = ("quaternity", "solvers", "tests/*.py", ":!*/test_*.py", "pyproject.toml")
BUSY_LOOP = "while True: pass"


class Repetition(NamedTuple):
    """One run of the tests of one file.

    Attributes:
        selection: The arguments that chose the tests of the run.
        file: Path of the test file, relative to the checkout.
        digest: Digest of the file, of its helpers and of the program.
        number: Seed of the order of the tests.
        loops: Number of busy loops that ran beside the tests.
        workers: Number of pytest processes, or `auto`.
        tests: Number of tests that ran.
        failed: Names of the tests that failed.
    """

    selection: str
    file: str
    digest: str
    number: int
    loops: int
    workers: str
    tests: int
    failed: tuple[str, ...]


@cache
def shared_digest() -> bytes:
    """Return the digest of the program and of the modules of `tests` that are not test files."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *SHARED], cwd=TOP, check=True, capture_output=True
    )
    paths = [TOP / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    return sha256(b"".join(path.read_bytes() for path in paths if path.is_file())).digest()


@cache
def digest_of(file: str) -> str:
    """Return the digest of a test file, its helpers and the program."""
    return sha256(shared_digest() + (TOP / file).read_bytes()).hexdigest()[:16]


def load_store() -> list[Repetition]:
    """Return all stored repetitions; a line that was cut off is skipped."""
    repetitions = []
    for line in STORE.read_text().splitlines() if STORE.exists() else ():
        try:
            repetition = Repetition(**json.loads(line))
        except (ValueError, TypeError):
            continue
        repetitions.append(repetition._replace(failed=tuple(repetition.failed)))
    return repetitions


def is_current(repetition: Repetition) -> bool:
    """Return whether a repetition ran the present code."""
    return (TOP / repetition.file).exists() and repetition.digest == digest_of(repetition.file)


def finished(selection: str, number: int, loops: int, workers: str) -> bool:
    """Return whether a repetition was stored, and none of its files has changed since."""
    key = (selection, number, loops, workers)
    run = [repetition for repetition in load_store() if repetition[:1] + repetition[3:6] == key]
    return bool(run) and all(is_current(repetition) for repetition in run)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keep the processors occupied by this many endless loops."""
    running = [subprocess.Popen([sys.executable, "-c", BUSY_LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def repeat(tests: list[str], number: int, loops: int, workers: str) -> list[Repetition]:
    """Run tests once in the order of a seed and return the outcome of each file."""
    with TemporaryDirectory() as folder, busy(loops):
        report = Path(folder) / "report.xml"
        command = [
            sys.executable, "-m", "pytest", "-q", "-n", workers, f"--junit-xml={report}",
            "-o", "junit_family=xunit1", "-p", "randomly", "--randomly-dont-reset-seed",
            f"--randomly-seed={number}", *tests,
        ]  # fmt: skip
        ran = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
        if ran.returncode not in (0, 1) or not report.exists():
            print(ran.stdout[-4000:], ran.stderr[-4000:], sep="\n", file=sys.stderr)
            raise SystemExit(2)
        if ran.returncode:
            log = STORE.parent / f"failure-{number}-{loops}.txt"
            log.write_text(ran.stdout)
        cases = ElementTree.parse(report).iter("testcase")
    return [
        Repetition(" ".join(tests), file, digest_of(file), number, loops, workers, len(outcomes),
                   tuple(name for name, passed in outcomes if not passed))
        for file, outcomes in sorted(_by_file(cases).items())
    ]  # fmt: skip


def _by_file(cases: Iterable[Any]) -> dict[str, list[tuple[str, bool]]]:
    """Return the name of each test and whether it passed, by file."""
    outcomes = defaultdict(list)
    for case in cases:
        passed = case.find("failure") is None and case.find("error") is None
        if case.find("skipped") is None:
            outcomes[case.get("file")].append((case.get("name"), passed))
    return outcomes


def table(repetitions: list[Repetition]) -> str:
    """Return a row for each file: its repetitions, those under load, and the failures."""
    rows = ["| file | repetitions | under load | failed |", "|---|---|---|---|"]
    for file in sorted({repetition.file for repetition in repetitions}):
        runs = [repetition for repetition in repetitions if repetition.file == file]
        failed = [f"{name} ({run.number})" for run in runs for name in run.failed]
        loaded = sum(run.loops > 0 for run in runs)
        rows.append(f"| {file} | {len(runs)} | {loaded} | {', '.join(failed) or 0} |")
    return "\n".join(rows)


def main() -> int:
    """Repeat the tests until each file has its repetitions, and print the table of all of them."""
    parser = argparse.ArgumentParser(prog="make flaky", description=__doc__)
    parser.add_argument("tests", nargs="*", help="files, folders or tests; default: all tests")
    parser.add_argument("--times", type=int, default=20, help="repetitions; default: 20")
    parser.add_argument("--load", type=int, default=4, help="busy loops; default: 4")
    parser.add_argument("--workers", default="auto", help="pytest processes; default: auto")
    arguments = parser.parse_args()
    STORE.parent.mkdir(exist_ok=True)
    selection = " ".join(arguments.tests)
    status = 0
    try:
        for number in range(1, arguments.times + 1):
            loops = 0 if number % 2 else arguments.load
            if finished(selection, number, loops, arguments.workers):
                continue
            run = repeat(arguments.tests, number, loops, arguments.workers)
            with STORE.open("a") as store:
                store.writelines(json.dumps(repetition._asdict()) + "\n" for repetition in run)
            failures = [f"{entry.file}: {name}" for entry in run for name in entry.failed]
            print(f"{number}/{arguments.times}, {loops} busy loops:",
                  "; ".join(failures) or "passed", file=sys.stderr)  # fmt: skip
    except KeyboardInterrupt:
        status = 130
    current = [repetition for repetition in load_store() if is_current(repetition)]
    print(table(current))
    return status or int(any(repetition.failed for repetition in current))


if __name__ == "__main__":
    sys.exit(main())
