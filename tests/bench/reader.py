"""`make reader`: how strong the reader is, beside `patient`, against three of each opponent.

Every deal is played once, the reader's seat moving on from deal to deal; the first of them once
more with `patient` in that seat. The table goes into the page of the guide, between its marks.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.table.players import PLAYERS, strategy_row
from quaternity.table.tournament.playing import Tournament, play_game
from quaternity.table.tournament.scores import Measured
from tests.kwartet.opponents import HELD_OUT, OPPONENTS

PAGE = Path("quaternity/guide/players.md")
SEED = 2026
"""Of deals that nothing was tuned on."""


def share(names: tuple[str, ...], seat: int, deal: int) -> float:
    """What one seat has of the win of one game; ties count in even parts."""
    rules = KwartetRules(KwartetSettings(players=len(names)))
    first = play_game(Tournament(rules, names, SEED, rotate=False), deal).first
    return (seat in first) / len(first)


def shares(player: str, opponent: str, deals: int) -> list[float]:
    """A player's share of each deal's win against three of an opponent."""
    found = []
    for deal in range(deals):
        names = [opponent] * 4
        names[deal % 4] = player
        found.append(share(tuple(names), deal % 4, deal))
    return found


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Of one value a deal."""
    found = Measured.of(values, range(len(values)))
    return found.mean, found.error or 0.0


def measured(opponent: str, deals: int, both: int) -> dict[str, Any]:
    """The row of an opponent; `both`: on so many deals at most `patient` plays, too."""
    started = process_time()
    mine = shares("reader", opponent, deals)
    theirs = shares("patient", opponent, min(deals, both))
    return {
        "opponent": opponent,
        "deals": deals,
        "both": len(theirs),
        "reader": mean_and_error(mine),
        "patient": mean_and_error(theirs),
        "more": mean_and_error([one - other for one, other in zip(mine, theirs, strict=False)]),
        "seconds": round(process_time() - started),
    }


def row_text(row: dict[str, Any]) -> str:
    """A row of the page's table."""
    values = [row["reader"], row["patient"], row["more"]]
    cells = [f"{mean:.3f} ± {error:.3f}" for mean, error in values]
    cells[1:1] = [str(row["both"])]
    return "| " + " | ".join([f"`{row['opponent']}`", str(row["deals"]), *cells]) + " |"


def written(page: str, rows: list[dict[str, Any]]) -> str:
    """The page with new rows between its marks."""
    head, _, rest = page.partition("<!-- reader -->\n")
    _, _, tail = rest.partition("<!-- end -->\n")
    table = [
        "| against three | deals | `reader` | deals | `patient` | more |",
        "| --- | --: | --: | --: | --: | --: |",
        *map(row_text, rows),
    ]
    lines = "\n".join(table)
    return f"{head}<!-- reader -->\n\n{lines}\n\n<!-- end -->\n{tail}"


def main() -> None:
    """Measure, and write the page; rows that `--log` has already are not measured again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--held-out-deals", type=int, default=500)
    parser.add_argument("--only", nargs="*", help="opponents; all")
    parser.add_argument("--log", type=Path, default=Path("build/reader.jsonl"))
    options = parser.parse_args()
    for name, strategy in (OPPONENTS | HELD_OUT).items():
        PLAYERS["kwartet"].setdefault(name, strategy_row(name, strategy))
    known = {"patient": options.deals, "exact": options.deals}
    known |= dict.fromkeys(OPPONENTS, options.deals)
    known |= dict.fromkeys(HELD_OUT, options.held_out_deals)
    known |= dict.fromkeys(("random", "better-greedy", "mixed", "reader"), options.held_out_deals)
    options.log.parent.mkdir(parents=True, exist_ok=True)
    lines = options.log.read_text().splitlines() if options.log.exists() else []
    rows = {row["opponent"]: row for row in map(json.loads, lines)}
    for opponent, deals in known.items():
        if opponent not in rows and (not options.only or opponent in options.only):
            rows[opponent] = measured(opponent, deals, options.held_out_deals)
            with options.log.open("a") as log:
                log.write(json.dumps(rows[opponent]) + "\n")
            sys.stdout.write(f"{row_text(rows[opponent])} {rows[opponent]['seconds']} s\n")
            sys.stdout.flush()
    in_order = [rows[name] for name in known if name in rows]
    PAGE.write_text(written(PAGE.read_text(), in_order))


if __name__ == "__main__":
    main()
