"""`make perfect`: solve games, and put what was found into the tables of the guide.

A row that is measured takes the place of the row of its size, the others stay. Games are solved by
the command that people type, in a process of its own; brisk ones here, once for both wishes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.solving.everybody import everybody_document
from quaternity.perfect.solving.solver import solve
from quaternity.workers.pool import open_executor

PAGE = Path("quaternity/guide/perfect-play.md")
SMALL = [
    "2-2-2",
    "3-4-2",
    "2-3-3",
    "3-2-3",
    "3-3-3",
    "2-4-4",
    "4-3-3",
    "2-6-4",
    "2-5-5",
    "3-5-3",
    "5-3-3",
]
"""A minute in all, and with --brisk two."""
LARGE = ["2-8-4", "3-6-3", "6-3-3", "3-7-3", "7-3-3"]
"""Minutes each, 3-7-3 and 7-3-3 a quarter of an hour with two workers, and GB of working files."""


def solved(size: str, *options: str) -> dict[str, Any]:
    """What `quaternity solve` says of a size, "S-N-P"."""
    set_size, sets, players = size.split("-")
    command = [sys.executable, "-m", "quaternity", "solve", "-s", set_size, "-n", sets]
    command += ["-p", players, "--no-limit", "--json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def plain_row(size: str, workers: str) -> list[str]:
    """Who can force a win, and what that took."""
    found = solved(size, "--workers", workers)
    forcing = found["can_force_win"]
    who = f"player {', '.join(map(str, forcing))}" if forcing else "nobody"
    seconds = found["seconds"]
    return [
        f"{found['states']:,}",
        f"{found['questions']:,}",
        who,
        str(found["longest_forced"]),
        "< 1" if seconds < 1 else f"{seconds:,.0f}",
    ]


def brisk_row(size: str, workers: str) -> list[str]:
    """The brisk game, and what comes of it when everybody plays for himself."""
    set_size, sets, players = map(int, size.split("-"))
    start = State.start(Settings(set_size, sets, players, brisk=True))
    with open_executor(int(workers)) as pool:
        solution = solve(start, pool)
    facts, standing = solution.facts(), solution.standing(start)
    sys.stdout.write(f"{size}: {standing}\n")
    points, wins = (everybody_document(solution, start, wish) for wish in ("points", "win"))
    found = [f"{facts['states']:,}", f"{facts['questions']:,}", str(facts["longest_forced"])]
    found += [bounds(points, player, numbers) for player in (0, 1)]
    return found + [bounds(wins, player, letters) for player in (0, 1)]


def bounds(found: dict[str, Any], player: int, told: Any) -> str:
    """What a player gets with any ties, with all against him, and with all for him."""
    kinds = (found["outcomes"], found["against"][player], found["for"][player])
    return " / ".join(told({outcome[player] for outcome in kind}) for kind in kinds)


def numbers(values: set[int]) -> str:
    """Sets: 0-2."""
    least, most = min(values), max(values)
    return str(least) if least == most else f"{least}-{most}"


def letters(values: set[int]) -> str:
    """Losses, shared wins and wins: LSW."""
    return "".join("LSW"[value] for value in sorted(values))


def replaced(page: str, mark: str, size: str, cells: list[str]) -> str:
    """The page with a row of its table."""
    before, found, rest = page.partition(mark)
    assert found, f"{PAGE} has no {mark.strip()}"
    table, end, after = rest.partition("\n\n")
    head, *lines = table.split("|\n|--", 1)
    ruled, *rows = lines[0].split("\n")
    old = {one.split("|")[1].strip(): one for one in rows}
    old[size] = f"| {' | '.join((size, *cells))} |"
    table = "\n".join((f"{head}|\n|--{ruled}", *old.values()))
    return "".join((before, mark, table, end, after))


def main() -> None:
    """Solve, and write the page after every game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", default=SMALL, metavar="S-N-P")
    parser.add_argument("--large", action="store_true", help=" ".join(LARGE))
    parser.add_argument("--brisk", action="store_true", help="the brisk games")
    parser.add_argument("--workers", default="1")
    options = parser.parse_args()
    mark = "<!-- brisk -->\n\n" if options.brisk else "<!-- solved -->\n\n"
    for size in LARGE if options.large else options.sizes:
        cells = (brisk_row if options.brisk else plain_row)(size, options.workers)
        sys.stdout.write(f"{size}: {'  '.join(cells)}\n")
        sys.stdout.flush()
        PAGE.write_text(replaced(PAGE.read_text(), mark, size, cells))


if __name__ == "__main__":
    main()
