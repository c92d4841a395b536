"""`make perfect`: solve games, and write the results into the tables of the guide.

A measured row replaces the row of its size; the others stay. Games are solved by the public command
in a separate process, and brisk games in this process, once for both goals.
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
from quaternity.perfect.solving.max_n import MaxNResult, max_n_result
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
"""Sizes that take a minute in all, and two minutes with --brisk."""
LARGE = ["2-8-4", "3-6-3", "6-3-3", "3-7-3", "7-3-3"]
"""Sizes that take minutes, 3-7-3 and 7-3-3 15 with two workers, and GB of working files."""


def run_solve(size: str, *options: str) -> dict[str, Any]:
    """Return the output of `quaternity solve` for a size, "S-N-P"."""
    set_size, sets, players = size.split("-")
    command = [sys.executable, "-m", "quaternity", "solve", "-s", set_size, "-n", sets]
    command += ["-p", players, "--no-limit", "--json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def plain_row(size: str, workers: str) -> list[str]:
    """Return the cells of a game: its size, who can force a win, and the seconds it took."""
    document = run_solve(size, "--workers", workers)
    forcing = document["can_force_win"]
    winner = f"player {', '.join(map(str, forcing))}" if forcing else "nobody"
    seconds = document["seconds"]
    return [
        f"{document['states']:,}",
        f"{document['questions']:,}",
        winner,
        str(document["longest_forced"]),
        "< 1" if seconds < 1 else f"{seconds:,.0f}",
    ]


def brisk_row(size: str, workers: str) -> list[str]:
    """Return the cells of a brisk game, with the outcomes if all players play for themselves."""
    set_size, sets, players = map(int, size.split("-"))
    start = State.start(Settings(set_size, sets, players, brisk=True))
    with open_executor(int(workers)) as pool:
        solution = solve(start, pool)
    facts, standing = solution.facts, solution.standing(start)
    sys.stdout.write(f"{size}: {standing}\n")
    points, wins = (max_n_result(solution, start, wish) for wish in ("points", "win"))
    cells = [f"{facts.states:,}", f"{facts.questions:,}", str(facts.longest_forced)]
    cells += [bounds(points, player, numbers) for player in (0, 1)]
    return cells + [bounds(wins, player, letters) for player in (0, 1)]


def bounds(result: MaxNResult, player: int, text_of: Any) -> str:
    """Return a player's outcomes with any ties, with all others against it, and with all for it."""
    kinds = (result.outcomes, result.against[player], result.in_favour[player])
    return " / ".join(text_of({outcome[player] for outcome in kind}) for kind in kinds)


def numbers(values: set[int]) -> str:
    """Return a number of sets, or a range such as 0-2."""
    least, most = min(values), max(values)
    return str(least) if least == most else f"{least}-{most}"


def letters(values: set[int]) -> str:
    """Return the letters of losses, shared wins and wins: LSW."""
    return "".join("LSW"[value] for value in sorted(values))


def replace_row(page: str, mark: str, size: str, cells: list[str]) -> str:
    """Return the page with a row of its table replaced."""
    before, separator, rest = page.partition(mark)
    assert separator, f"{PAGE} has no {mark.strip()}"
    table, end, after = rest.partition("\n\n")
    head, *lines = table.split("|\n|--", 1)
    ruled, *rows = lines[0].split("\n")
    old = {row.split("|")[1].strip(): row for row in rows}
    old[size] = f"| {' | '.join((size, *cells))} |"
    table = "\n".join((f"{head}|\n|--{ruled}", *old.values()))
    return "".join((before, mark, table, end, after))


def main() -> None:
    """Solve games, and write the page after every game."""
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
        PAGE.write_text(replace_row(PAGE.read_text(), mark, size, cells))


if __name__ == "__main__":
    main()
