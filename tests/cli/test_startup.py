"""What the command line loads before it is needed: nothing heavy."""

import subprocess
import sys
from importlib.resources import files

import pytest

HEAVY = ("ortools", "scipy", "matplotlib", "numpy", "hypothesis", "pandas", "lark", "distributed")

PROBE = """
import sys
from quaternity.cli.commands import run
status = run({arguments})
loaded = [name for name in {heavy} if name in sys.modules]
print(status, loaded, file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["check", str(files("quaternity") / "data" / "possible-4-13-4.json")],
        ["check", str(files("quaternity") / "data" / "game-4-13-4.record")],
        ["questions", str(files("quaternity") / "data" / "game-4-13-4.record")],
        ["quarto", "show", "example", "N?BI??JO?FDLMEAG", "--json"],
        ["quarto", "solve", "example", "??HPF?N?M?A?ED??"],
        ["set", "find", "0", "40", "2222"],
        ["set", "deck", "--safe", "--seed", "1"],
        ["set", "count", "--rule", "set"],
        ["play", "--random", "0", "--random", "1", "--random", "2"],
        ["kwartet", "play", "--seats", "greedy,exact,mixed", "--sets", "4"],
    ],
)
def test_light_commands_load_no_heavy_package(arguments: list[str]) -> None:
    probe = PROBE.format(arguments=arguments, heavy=HEAVY)
    ended = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stderr.splitlines()[-1] == "0 []"


def test_python_m_quaternity_is_the_command() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "quaternity", "perft", "-d", "1"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert ended.stdout == "1: 48\n"
