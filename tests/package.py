"""`make package`: wheel and source archive, built, installed bare, and used from outside.

In an environment of their own, without any extra: every command either works or says what is
missing and what installs it; a program that uses the library passes `mypy --strict`.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

HOUSE = Path(__file__).parents[1]
DATA = HOUSE / "quaternity" / "data"

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
"""Commands that need nothing more."""

MISSING = {
    "web": ["serve"],
    "plot": ["analyse", str(DATA / "possible-4-13-4.json"), "--plot", "chances.png"],
    "cluster": ["fuzz", "--examples", "5", "--dask", "tcp://127.0.0.1:1"],
    "sat": ["check", str(DATA / "possible-4-13-4.json"), "--solver", "glucose"],
}
"""Per extra a command that needs it."""

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


def run(*words: str | Path, status: int = 0, folder: Path = HOUSE) -> str:
    """Run a command, and give all that it prints; another exit status ends this program."""
    ended = subprocess.run(
        [str(one) for one in words], cwd=folder, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if ended.returncode != status or "Traceback" in ended.stderr:
        raise SystemExit(f"{words} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.stdout + ended.stderr


def same_files(wheel: Path, archive: Path) -> None:
    """The archive has every file of the wheel's packages, and no file has a stranger's path."""
    with zipfile.ZipFile(wheel) as one, tarfile.open(archive) as other:
        packed = {name for name in one.namelist() if ".dist-info/" not in name}
        sources = {name.partition("/")[2] for name in other.getnames()}
    assert packed <= sources, packed - sources
    for needed in ("quaternity/py.typed", "solvers/py.typed", "quaternity/web/static/table.js"):
        assert needed in packed, needed


def main() -> None:
    """Build, install and use."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        run(sys.executable, "-m", "build", "--outdir", place, HOUSE)
        (wheel,), (archive,) = place.glob("*.whl"), place.glob("*.tar.gz")
        same_files(wheel, archive)
        venv.create(place / "bare", with_pip=True)
        bare = place / "bare" / "bin"
        constraints = ("--constraint", HOUSE / "constraints.txt")
        run(bare / "python", "-m", "pip", "install", "--quiet", *constraints, wheel, "mypy")
        for words in WORKS:
            run(bare / "quaternity", *words, folder=place)
            print("works:", *words)
        for extra, words in MISSING.items():
            told = run(bare / "quaternity", *words, status=2, folder=place)
            assert f"pip install '.[{extra}]'" in told, told
            print("says what is missing:", *words)
        (place / "user.py").write_text(USER)
        run(bare / "mypy", "--strict", "user.py", folder=place)
        print("typed for who uses it; wheel and archive hold the same files")


if __name__ == "__main__":
    main()
