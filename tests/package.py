"""`make package`: build the wheel and the source archive, install without extras, and try them.

In a separate environment without extras, every command either works or says which extra is missing
and how to install it. A program that uses the library passes `mypy --strict`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT / "quaternity" / "data"

WORKS = [
    ["--version"],
    ["--help"],
    ["guide"],
    ["guide", "rules"],
    ["solvers"],
    ["check", str(DATA / "game-4-13-4.record"), "--solver", "all"],
    ["questions", str(DATA / "game-4-13-4.record")],
    ["analyse", str(DATA / "possible-4-13-4.json")],
    ["compare", "--states", "5"],
    ["fuzz", "--examples", "20"],
    ["perft", "-d", "2"],
    ["solve", "-s", "2", "-n", "3", "-p", "3"],
    ["tournament", "random", "informed", "--games", "4", "-s", "2", "-n", "2", "-p", "2"],
    ["instances", "--families", "php", "--cards", "12"],
    ["play", "--seats", "random,random,random"],
    ["kwartet", "play", "--sets", "3", "--seats", "greedy,exact,greedy"],
    ["quarto", "play", "--seats", "random,careful"],
    ["set", "find", "3", "46", "71"],
]
"""Commands that work without extras."""

MISSING = {
    "web": ["serve"],
    "plot": ["analyse", str(DATA / "possible-4-13-4.json"), "--plot", "chances.png"],
    "cluster": ["fuzz", "--examples", "5", "--dask", "tcp://127.0.0.1:1"],
    "sat": ["check", str(DATA / "possible-4-13-4.json"), "--solver", "glucose"],
}
"""A command that needs the extra, for each extra."""

USER = """\
from quaternity import Answer, Card, Game, Question, Settings
from solvers import DealProblem, Feasible, SetConstraint, solve

game = Game.start(Settings(set_size=2, sets=3, players=3))
game = game.ask(Question(0, 1, Card(0, 1)), Answer.YES)
points: tuple[int, ...] = game.state.points
verdict = solve(DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)]))
if isinstance(verdict, Feasible):
    owner: tuple[tuple[int, ...], ...] = verdict.deal.owner
"""


def run(*words: str | Path, status: int = 0, folder: Path = ROOT) -> str:
    """Run a command, and return its output; another exit status ends this program."""
    ended = subprocess.run(
        [str(word) for word in words], cwd=folder, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if ended.returncode != status or "Traceback" in ended.stderr:
        raise SystemExit(f"{words} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.stdout + ended.stderr


def same_files(wheel: Path, archive: Path) -> None:
    """Check that the archive has every file of the wheel's packages, and that key files exist."""
    with zipfile.ZipFile(wheel) as wheel_file, tarfile.open(archive) as archive_file:
        packed = {name for name in wheel_file.namelist() if ".dist-info/" not in name}
        sources = {name.partition("/")[2] for name in archive_file.getnames()}
    assert packed <= sources, packed - sources
    for needed in ("quaternity/py.typed", "solvers/py.typed", "quaternity/web/static/table.js"):
        assert needed in packed, needed


SMALLEST = "DealProblem(hands=[1], sets=[SetConstraint.of([[0]], players=1, low=[0], high=[0])])"
"""The problem at which the tests of the guide's solver end."""


def try_own_solver(programs: Path, folder: Path) -> None:
    """Build the project of the guide's page on testing: its fault is found, and can be repaired."""
    folder.mkdir()
    page = (ROOT / "quaternity" / "guide" / "testing.md").read_text(encoding="utf-8")
    for file, text in re.findall(r"^```\w+ (\S+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        (folder / file).write_text(text, encoding="utf-8")
    output = run(programs / "pytest", "--tb=short", status=1, folder=folder)
    assert f"problem={SMALLEST}" in output, output
    assert "breaks the law 'evidence stands'" in output, output
    assert f"on {SMALLEST}" in output, output
    assert "3 failed" in output, output
    solver = folder / "my_solver.py"
    text = solver.read_text(encoding="utf-8")
    for fault, repair in (
        (">= low", "in range(low, high + 1)"),
        ("player, low in enumerate(cards.low)",
         "player, (low, high) in enumerate(zip(cards.low, cards.high))"),
    ):  # fmt: skip
        assert text.count(fault) == 1
        text = text.replace(fault, repair)
    solver.write_text(text, encoding="utf-8")
    assert "3 passed" in run(programs / "pytest", folder=folder)
    run(programs / "mypy", "--strict", ".", folder=folder)
    print("the project of the guide finds its fault, passes when repaired, and is typed")


def main() -> None:
    """Build, install and try the package."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        run(sys.executable, "-m", "build", "--outdir", place, ROOT)
        (wheel,), (archive,) = place.glob("*.whl"), place.glob("*.tar.gz")
        same_files(wheel, archive)
        venv.create(place / "bare", with_pip=True)
        bare = place / "bare" / "bin"
        constraints = ("--constraint", ROOT / "constraints.txt")
        run(
            bare / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            *constraints,
            wheel,
            "mypy",
            "pytest",
        )
        for words in WORKS:
            run(bare / "quaternity", *words, folder=place)
            print("works:", *words)
        for extra, words in MISSING.items():
            output = run(bare / "quaternity", *words, status=2, folder=place)
            assert f"pip install '.[{extra}]'" in output, output
            print("says what is missing:", *words)
        (place / "user.py").write_text(USER)
        run(bare / "mypy", "--strict", "user.py", folder=place)
        try_own_solver(bare, place / "my-solver")
        print("the library is typed for its users; wheel and archive have the same files")


if __name__ == "__main__":
    main()
