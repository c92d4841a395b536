"""`players`: list the players of all games. `players check`: test a player."""

from __future__ import annotations

import json
from shlex import join
from typing import Annotated

import typer

from quaternity.base.text_format import with_noun
from quaternity.base.text_table import table_lines
from quaternity.cli.app import app
from quaternity.cli.help_pages import HelpGroup
from quaternity.cli.options import AsJson, PlayerFile
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import progress, say, warn, warn_about_isolation, width
from quaternity.cli.tournament import option_words
from quaternity.table.player_check import (
    DEFAULT_POSITIONS,
    CheckResult,
    check_player,
    settings_lines,
)
from quaternity.table.player_file import list_players, resolve_player
from quaternity.workers.isolated_calls import check_move_seconds

players = typer.Typer(cls=HelpGroup, rich_markup_mode=None)
app.add_typer(players, name="players")


@players.callback(invoke_without_command=True)
def listing(ctx: typer.Context, player_file: PlayerFile = None, as_json: AsJson = False) -> None:
    """List the players of all games, or test one.

    Levels and ratings come from a tournament called the ladder (see quaternity guide players). You
    can add a player as a program (cmd:COMMAND) or a Python class (package.module:name), and give it
    a name in the file players.toml.

    Example: quaternity players
    """
    if ctx.invoked_subcommand is not None:
        return
    listed = list_players(player_file)
    if as_json:
        print(json.dumps({"players": [row._asdict() for row in listed]}))
        return
    head = ("game", "player", "level", "rating", "source")
    lines = [
        [row.game, row.player, row.level or "-", str(row.rating or "-"), row.source]
        for row in listed
    ]
    print("\n".join(table_lines(head, lines, width(), 2, "<<<><")))


@players.command()
def check(
    name: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="Name of the player, as in 'quaternity play --seats'."
        ),
    ],
    game: Annotated[str, typer.Option(metavar="GAME", help="Game that the player plays.")],
    positions: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of positions to test.")
    ] = DEFAULT_POSITIONS,
    position: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Test only the position with this number."),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Random seed of the positions and of the player.")
    ] = 0,
    move_seconds: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Time limit per move, in seconds.  [default: 60]"),
    ] = None,
    player_file: PlayerFile = None,
    as_json: AsJson = False,
) -> None:
    """Test a player on positions of all sizes, small ones first, until it fails.

    In each position, the player must return a legal move in time, and the same move again for the
    same seed. Sometimes the test kills and restarts the player's process. Some settings of the game
    are unusual. If the player fails, the exit status is 3, and the position is shown with the
    command that repeats the test.

    Example: quaternity players check search --game quarto --positions 200
    """
    check_move_seconds(move_seconds)
    player = resolve_player(game, name, player_file)
    warn_about_isolation([player])
    numbers = range(positions) if position is None else range(position, position + 1)
    with progress("positions", len(numbers)) as bar:
        result = check_player(player, game, numbers, seed, move_seconds, bar.advance)
    options = {
        "game": game, "seed": seed, "position": result.asked and result.asked.number,
        "move_seconds": move_seconds, "player_file": player_file,
    }  # fmt: skip
    again = join(["quaternity", "players", "check", name, *option_words(options)])
    with ExitWithStatus() as leaving:
        if result.asked is not None:
            leaving.status = ExitStatus.DISAGREE
        if as_json:
            print(json.dumps({"player": name, "game": game, **result.document(again)}))
        else:
            _show(result, name, game, again)


def _show(result: CheckResult, name: str, game: str, again: str) -> None:
    case = result.asked
    if case is None:
        refused = f"; the player refused to move in {result.refused} of them" * bool(result.refused)
        number = with_noun(result.positions, "position")
        say(f"{name} plays {game}: {number}, no fault{refused}")
        return
    warn(result.fault)
    say(
        f"position {case.number} ({', '.join(settings_lines(case.rules))}), after "
        f"{with_noun(len(case.steps), 'move')}, as seat {case.seat} sees it:"
    )
    print(case.rules.show(case.view))
    say(f"to repeat it: {again}")
