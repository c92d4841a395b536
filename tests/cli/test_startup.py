"""The command line loads heavy packages only when they are needed."""

import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import quaternity
from solvers.rivals import EXTERNAL_SOLVERS
from tests.cli.conftest import Cli

HEAVY: tuple[str, ...] = (
    "ortools",
    "scipy",
    "matplotlib",
    "numpy",
    "hypothesis",
    "pandas",
    "distributed",
)
HEAVY += tuple({rival.module for rival in EXTERNAL_SOLVERS.values()} - {*HEAVY})

DATA = files("quaternity") / "data"

LIGHT = [
    ["--help"],
    ["solvers"],
    ["check", str(DATA / "possible-4-13-4.json")],
    ["check", str(DATA / "game-4-13-4.record")],
    ["questions", str(DATA / "game-4-13-4.record")],
    ["quarto", "show", "example", "N?BI??JO?FDLMEAG", "--json"],
    ["quarto", "solve", "example", "??HPF?N?M?A?ED??"],
    ["set", "find", "0", "40", "2222"],
    ["set", "deck", "--safe", "--seed", "1"],
    ["set", "count", "--rule", "set"],
    ["play", "--random", "0", "--random", "1", "--random", "2"],
    ["kwartet", "play", "--seats", "greedy,exact,mixed", "--sets", "4"],
]

PROBE = f"""
import sys
import quaternity.cli.kwartet  # a group is complete even if a part of it was imported
from quaternity.cli.app import run
for arguments in {LIGHT}:
    status = run(arguments)
    loaded = [name for name in {HEAVY} if name in sys.modules]
    print(arguments, status, loaded, file=sys.stderr)
"""


def test_light_commands_load_no_heavy_package() -> None:
    """The commands run in one process, so the first one that loads a package shows it."""
    ended = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, timeout=60
    )
    reports = [line for line in ended.stderr.splitlines() if line.startswith("[")]
    assert reports == [f"{arguments} 0 []" for arguments in LIGHT]


def test_python_m_quaternity_is_the_command() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "quaternity", "perft", "-d", "1"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert ended.stdout == "1: 48\n"


def test_the_version_is_that_of_the_package(cli: Cli) -> None:
    assert cli("--version").out == f"quaternity {quaternity.__version__}\n"
    assert version("quaternity") == quaternity.__version__
    cited = Path(quaternity.__file__).parents[1] / "CITATION.cff"
    assert f"\nversion: {quaternity.__version__}\n" in cited.read_text(encoding="utf-8")
