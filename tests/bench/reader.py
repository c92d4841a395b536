"""`make reader`: the strength of the reader, and of `patient`, against three of each opponent.

Every deal is played once, and the seat of the reader changes with each deal. The first deals are
played again with `patient` in that seat. The results are stored after every few deals, so that an
interrupted run continues where it stopped. Results of other versions of the code are ignored. The
table is written into a page of the guide, between two marks.
"""

from __future__ import annotations

import argparse
import json
import sys
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

from quaternity.kwartet.rules import KwartetRules
from quaternity.table.games import registration
from quaternity.table.players import strategy_factory
from quaternity.table.tournament.playing import Tournament, play_game
from tests.bench.ladder import code_of
from tests.kwartet.opponents import HELD_OUT, OPPONENTS

PAGE = Path("quaternity/guide/players.md")
SEED = 2026
"""Seed of the deals; no player was tuned on them."""

AT_ONCE = 100
"""Number of deals that are played and stored at a time."""


class Sums(NamedTuple):
    """The number of values (one for each deal), their sum, and the sum of their squares."""

    deals: int = 0
    values: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, values: list[float]) -> Sums:
        """Return the sums of some values."""
        return cls(len(values), sum(values), sum(value * value for value in values))

    def and_(self, other: Sums) -> Sums:
        """Return the sums of these deals and others."""
        deals, values, squares = other
        return Sums(self.deals + deals, self.values + values, self.squares + squares)

    def __str__(self) -> str:
        if self.deals < 2:
            return "-"
        mean = self.values / self.deals
        error = sqrt(max(0.0, self.squares / self.deals - mean * mean) / (self.deals - 1))
        return f"{mean:.3f} ± {error:.3f}"


def share(player: str, opponent: str, deal: int) -> float:
    """Return a player's share of the win of one game; a tie is shared equally."""
    names = [opponent] * 4
    names[deal % 4] = player
    tournament = Tournament(KwartetRules(), tuple(names), SEED, rotate=False)
    first = play_game(tournament, deal).first
    return (deal % 4 in first) / len(first)


def measure(opponent: str, deals: range, both: bool) -> dict[str, Any]:
    """Return the row of some deals: sums of the shares of both players, and of the difference."""
    ours = [share("reader", opponent, deal) for deal in deals]
    theirs = [share("patient", opponent, deal) for deal in deals] if both else []
    more = [own - other for own, other in zip(ours, theirs, strict=False)]
    sums = {"reader": Sums.of(ours), "patient": Sums.of(theirs), "more": Sums.of(more)}
    return {"opponent": opponent, "first": deals.start, **sums}


def table(kept: list[dict[str, Any]], opponents: list[str]) -> str:
    """Return the table of the page."""
    lines = [
        "| against three | deals | `reader` | deals | `patient` | more |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for opponent in opponents:
        sums = dict.fromkeys(("reader", "patient", "more"), Sums())
        for row in kept:
            if row["opponent"] == opponent:
                sums = {name: old.and_(Sums(*row[name])) for name, old in sums.items()}
        reader, patient, more = sums.values()
        if reader.deals:
            cells = [f"`{opponent}`", reader.deals, reader, patient.deals, patient, more]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> None:
    """Measure the deals that are not stored yet, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--both", type=int, default=400, help="deals for patient and the others")
    parser.add_argument("--kept", type=Path, default=Path("build/reader.jsonl"))
    options = parser.parse_args()
    for name, strategy in (OPPONENTS | HELD_OUT).items():
        players: Any = registration("kwartet").players
        players.setdefault(name, strategy_factory("kwartet", name, strategy))
    known = dict.fromkeys(("patient", "exact", *OPPONENTS), options.deals)
    known |= dict.fromkeys((*HELD_OUT, "random", "better-greedy", "mixed"), options.both)
    known["reader"] = options.both
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    lines = options.kept.read_text().splitlines() if options.kept.exists() else []
    code = code_of(())
    kept = [row for row in map(json.loads, lines) if row.get("code") == code]
    try:
        for first in range(0, options.deals, AT_ONCE):
            for opponent, deals in known.items():
                done = int(sum(row["reader"][0] for row in kept if row["opponent"] == opponent))
                some = range(done, min(first + AT_ONCE, deals))
                if some:
                    kept.append(measure(opponent, some, done < options.both) | {"code": code})
                    with options.kept.open("a") as file:
                        file.write(json.dumps(kept[-1]) + "\n")
                    sys.stdout.write(f"{opponent} {done}: {kept[-1]['reader']}\n")
                    sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stdout.write("interrupted: the page has the deals played so far\n")
    head, mark, rest = PAGE.read_text().partition("<!-- reader -->\n")
    _, end, tail = rest.partition("<!-- end -->\n")
    PAGE.write_text(f"{head}{mark}\n{table(kept, list(known))}\n\n{end}{tail}")


if __name__ == "__main__":
    main()
