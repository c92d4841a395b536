"""Options and arguments that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Files = Annotated[
    list[str], typer.Argument(help="State files or game records; - is standard input.")
]
AnyFiles = Annotated[
    list[str], typer.Argument(help="States, game records or deal problems; - is standard input.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="One JSON line per file.")]

SetSize = Annotated[int, typer.Option("-s", "--set-size", help="Cards in one set (S).")]
Sets = Annotated[int, typer.Option("-n", "--sets", help="Number of sets (N).")]
Players = Annotated[int, typer.Option("-p", "--players", help="Number of players (P).")]
TieBreakName = Annotated[
    str,
    typer.Option(
        help="first-in-order or fewest-sets: who is next if asker and asked have no cards."
    ),
]
Brisk = Annotated[bool, typer.Option("--brisk", help="Forbid questions that only no can answer.")]
# The same where something else may say it, a record for example.
MaybeSetSize = Annotated[
    int | None, typer.Option("-s", "--set-size", help="Cards in one set (S).  [default: 4]")
]
MaybeSets = Annotated[
    int | None, typer.Option("-n", "--sets", help="Number of sets (N).  [default: 3]")
]
MaybePlayers = Annotated[
    int | None, typer.Option("-p", "--players", help="Number of players (P).  [default: 3]")
]
MaybeTieBreakName = Annotated[
    str | None,
    typer.Option(
        help="first-in-order (default) or fewest-sets: who is next if asker and asked have no "
        "cards."
    ),
]

Record = Annotated[
    str | None, typer.Option(help="Keep the game in this file, and resume it from there.")
]
Seed = Annotated[int | None, typer.Option(help="Seed of all chance; without it, one is drawn.")]
MoveSeconds = Annotated[
    float | None,
    typer.Option(
        help="Most seconds for one move of a player.  [default: 60 for players from outside, no "
        "limit for those of this program]"
    ),
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="Show the traceback of a player that fails.")
]

PlayerFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="File of names for players.  [default: players.toml, if there]"
    ),
]
Secret = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="Text that all chance comes from, in place of the seed. It is drawn if players from "
        "outside play, so that they cannot know the deals. Repeat the games with the text shown.",
    ),
]

Workers = Annotated[int, typer.Option(min=1, help="Number of processes.")]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on the Dask cluster at tcp://... The code of your own players and "
        "solvers is sent there.",
    ),
]
SaveTo = Annotated[
    str, typer.Option("--save-to", metavar="DIRECTORY", help="Where a disagreement is saved.")
]

FormulaMethod = Annotated[
    str,
    typer.Option("--method", help="How to decide: auto, solvers, or explicit (lists all deals)."),
]
"""How the truth of a formula is found."""
