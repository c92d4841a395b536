"""Options and arguments shared by several commands."""

from __future__ import annotations

from typing import Annotated

import typer

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", help="State files or game records; - is standard input."),
]
AnyFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE", help="States, game records or deal problems; - is standard input."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print one JSON line per file.")]

SetSize = Annotated[
    int, typer.Option("-s", "--set-size", metavar="S", help="Number of cards in each set.")
]
Sets = Annotated[int, typer.Option("-n", "--sets", metavar="N", help="Number of sets.")]
Players = Annotated[int, typer.Option("-p", "--players", metavar="P", help="Number of players.")]
TieBreakName = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        help="Rule for the next player if neither the asker nor the asked player has cards: "
        "first-in-order or fewest-sets.",
    ),
]
Brisk = Annotated[
    bool, typer.Option("--brisk", help="Forbid questions that can only be answered by no.")
]
# The same options for commands that can take the value from another source, such as a record.
MaybeSetSize = Annotated[
    int | None,
    typer.Option(
        "-s", "--set-size", metavar="S", help="Number of cards in each set.  [default: 4]"
    ),
]
MaybeSets = Annotated[
    int | None, typer.Option("-n", "--sets", metavar="N", help="Number of sets.  [default: 3]")
]
MaybePlayers = Annotated[
    int | None,
    typer.Option("-p", "--players", metavar="P", help="Number of players.  [default: 3]"),
]
MaybeTieBreakName = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="Rule for the next player if neither the asker nor the asked player has cards: "
        "first-in-order or fewest-sets.  [default: first-in-order]",
    ),
]

Record = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Record the game in this file; if it exists, resume its game."
    ),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Random seed.  [default: random]")]
MoveSeconds = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Time limit per move of a player, in seconds.  [default: 60 for external players, "
        "none for built-in ones]",
    ),
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="Show the traceback if a player fails.")
]

PlayerFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="File that gives names to your own players.  [default: players.toml, if it exists]",
    ),
]
Secret = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="Text that determines all random choices, in place of the seed. If external players "
        "take part, a secret text is drawn, so that they cannot predict the deals. The text is "
        "shown after the games, so that you can repeat them.",
    ),
]

Workers = Annotated[int, typer.Option(metavar="N", min=1, help="Number of worker processes.")]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on the Dask cluster at this address, such as tcp://... The code of your own "
        "players and solvers is sent to the cluster.",
    ),
]
SaveTo = Annotated[
    str,
    typer.Option(
        "--save-to",
        metavar="FOLDER",
        help="Folder in which to save a state on which solvers disagree or fail.",
    ),
]

FormulaMethod = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="METHOD",
        help="How to decide the formulas: auto, solvers, or explicit (lists all deals).",
    ),
]
"""Command-line option for the method that decides whether a formula is true."""
