"""The command `tournament` of every game, which lets programs play against each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from inspect import Parameter, Signature, signature
from random import Random
from typing import Annotated, Any

import typer

from quaternity.base.errors import InputError
from quaternity.base.plots import check_picture
from quaternity.base.text_format import with_noun
from quaternity.base.text_table import table_lines
from quaternity.cli.failed_players import Failures, play_tournament, show_game, show_tournament
from quaternity.cli.options import (
    AsJson,
    Dask,
    MoveSeconds,
    PlayerFile,
    Secret,
    Traceback,
    Workers,
)  # fmt: skip
from quaternity.cli.terminal import say, warn, width
from quaternity.table.games import game_names
from quaternity.table.player_file import resolve_player
from quaternity.table.tournament.outcome import TournamentRun
from quaternity.table.tournament.picture import draw_table
from quaternity.table.tournament.playing import Tournament
from quaternity.table.tournament.scores import MIN_DEALS, Measured, Table, make_table
from quaternity.table.tournament.seatings import labels

ALL_ORDERS = 4
"""Maximum number of seats with which each deal of a tournament is played in all seating orders."""


@dataclass(frozen=True, slots=True)
class TournamentWords:
    """The texts of a game's tournament command.

    Attributes:
        command: the words with which the command begins, such as `kwartet` and `tournament`.
        player_names: the names of players, for the help page.
        points: the name of the points in this game.
        title: function that takes the rules and returns the name of the game.
        example: the arguments of the example on the help page.
        deals: a sentence about the deals for the help page, or an empty text if the game has no
            deals.
        cap: the default number of moves after which a game ends without a result.
    """

    command: tuple[str, ...]
    player_names: str
    points: str
    title: Callable[[Any], str]
    example: str
    deals: str = ""
    cap: int = 500


DOC = """Let {kinds} play against each other, and rate them.

With up to four seats, the {kinds} play in all seating orders; with more, in a balanced selection
of orders. {deals}If there are fewer {kinds} than seats, some of them play in several seats; if
there are more, every possible group of them plays. Only a sole win counts as a win.

A {kind} that fails ends the run with status 3, or 4 if it took too long. The finished games are
shown, and the game in which it failed is saved as a record.

For another game than Quaternity, `quaternity GAME tournament ...` is the same as
`quaternity tournament ... --game GAME`, and has the options of that game.

Example: quaternity {example}
"""


def add_tournament(
    application: typer.Typer, kind: str, rules_of: Callable[..., Any], words: TournamentWords
) -> None:
    """Add the command `tournament` to an application.

    `rules_of` returns the rules of the game. Its parameters become options of the command.
    """
    game, parameters = rules_of().name, signature(rules_of, eval_str=True).parameters
    common = list(signature(_tournament, eval_str=True).parameters.values())[3:]
    kinds = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"

    def command(entries: list[str], **values: Any) -> None:
        setting_values = {name: values.pop(name) for name in parameters}
        values["replay"] = _game_to_replay(game, values.pop("game"), values["replay"])
        _tournament(rules_of(**setting_values), setting_values, words, entries, **values)

    players_argument = Annotated[
        list[str],
        typer.Argument(metavar=kinds.upper(), help=f"At least two {kinds}: {words.player_names}."),
    ]
    entries = Parameter("entries", Parameter.POSITIONAL_OR_KEYWORD, annotation=players_argument)
    common = [p.replace(default=words.cap) if p.name == "cap" else p for p in common[1:]]
    game_option: Any = Annotated[
        str | None, typer.Option(metavar="GAME", help=f"Game to play.  [default: {game}]")
    ]
    common.append(Parameter("game", Parameter.KEYWORD_ONLY, annotation=game_option, default=None))
    command.__signature__ = Signature([entries, *parameters.values(), *common])  # type: ignore[attr-defined]  # read by Typer
    command.__doc__ = DOC.format(kind=kind, kinds=kinds, deals=words.deals, example=words.example)
    application.command("tournament")(command)


def _game_to_replay(own_game: str, game: str | None, replay: int | None) -> int | None:
    """Return the number of the game to replay, or None for no game."""
    if game is None or game == own_game:
        return replay
    if game.isdecimal():
        warn(f"--game {game}: to replay a game, use --replay {game}")
        return int(game)
    if game not in game_names():
        raise InputError(f"--game {game!r}: unknown game; choose from {', '.join(game_names())}")
    raise InputError(
        f"--game {game}: this command is for {own_game}; for other games, use quaternity tournament"
    )


def _tournament(
    rules: Any,
    setting_values: dict[str, Any],
    words: TournamentWords,
    entries: list[str],
    games: Annotated[int, typer.Option(metavar="N", help="Number of games to play.")] = 60,
    cap: Annotated[
        int, typer.Option(metavar="N", help="Stop a game after N moves; it then has no result.")
    ] = 500,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    workers: Workers = 1,
    dask: Dask = None,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Draw shares of wins and ratings in this .png, .svg or .pdf file."
        ),
    ] = None,
    replay: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Replay only game number N, and print its record."),
    ] = None,
    move_seconds: MoveSeconds = None,
    secret: Secret = "",
    player_file: PlayerFile = None,
    traceback: Traceback = False,
    as_json: AsJson = False,
) -> None:

    names = tuple(resolve_player(rules.name, name, player_file) for name in entries)
    plan = Tournament(rules, names, seed, cap=cap, move_seconds=move_seconds, secret=secret)
    if replay is not None:
        show_game(plan, replay, traceback, lambda text: print(text, end=""))
        return
    if plot is not None:
        check_picture(plot)
    # Mention `brisk` only if it is true, as in files.
    settings = {name: value for name, value in setting_values.items() if name != "brisk" or value}

    def replay_command(number: int) -> list[str]:
        defaults = type(rules)().settings
        disabled = {
            f"no_{name}": value is False and getattr(defaults, name, False) is True
            for name, value in setting_values.items()
        }
        options = setting_values | disabled | {
            "replay": number, "seed": seed, "cap": cap, "move_seconds": move_seconds,
            "secret": plan.secret or None, "player_file": player_file,
        }  # fmt: skip
        return ["quaternity", *words.command, *entries, *option_words(options)]

    def show(run: TournamentRun) -> None:
        table = make_table(run.games, len(entries), Random(seed), plan.games_a_deal)
        if as_json:
            print(json.dumps({**settings, **_document(plan, words, table), **run.document()}))
        else:
            _print(plan, words, table)
        # Draw after printing, so that the results are not lost if drawing fails.
        if plot is not None:
            draw_table(plot, labels(plan.players), table)

    failures = Failures(".record", replay_command, traceback)
    run = play_tournament(plan, games, workers, dask, failures)
    show_tournament(run, show, as_json)


def option_words(options: dict[str, Any]) -> list[str]:
    """Return options as words of a command line. Options that are None or False are left out."""
    words = []
    for name, value in options.items():
        if value is not None and value is not False:
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return words


def _document(plan: Tournament, words: TournamentWords, table: Table) -> dict[str, Any]:

    rows = []
    for name, record in zip(plan.players, table.records, strict=True):
        row = {plan.kind: name, **asdict(record)}
        rows.append(row | {words.points: row.pop("points")})
    return {
        "games": table.games,
        "seed": plan.seed,
        "cap": plan.cap,
        **({"secret": plan.secret} if plan.secret else {}),
        f"{plan.kind}s": rows,
        "margins": [[r and asdict(r) for r in row] for row in table.margins],
        "shared": table.shared,
        "unfinished": table.unfinished,
        "moves": asdict(table.moves),
        "deals": table.deals,
        "games_a_deal": table.games_a_deal,
        "labels": labels(plan.players),
    }


def _print(plan: Tournament, words: TournamentWords, table: Table) -> None:

    names = labels(plan.players)
    say(
        f"{with_noun(table.games, 'game')} of {words.title(plan.rules)}, "
        f"{table.moves.mean:.1f} moves on average; {table.shared} tied, "
        f"{table.unfinished} without a result"
    )
    head = (plan.kind, "games", "wins", "share", "score", words.points, "rating")
    rows = [
        [
            name,
            *map(str, (record.games, record.wins, record.share, record.score, record.points)),
            "-" if record.rating is None else record.rating.text(0),
        ]
        for name, record in zip(names, table.records, strict=True)
    ]
    print("\n".join(table_lines(head, rows, width())))
    say(
        "share: part of the games that a seat of the player won alone; score: 1 for a sole win, or "
        "an equal part for each seat if nobody wins alone. Lead in score over each other player, "
        "and in standard errors:"
    )
    for name, row in zip(names, table.margins, strict=True):
        ahead = [
            f"{other} {margin.mean:+.3f} ({_in_errors(margin)})"
            for other, margin in zip(names, row, strict=True)
            if margin is not None
        ]
        say(f"  {name}: {'; '.join(ahead) or '-'}")
    if table.games_a_deal > 1:
        say(orders_text(table, plan.rules.seats))
    if plan.secret:
        say(f"to repeat the games: --seed {plan.seed} --secret {plan.secret}")


def _in_errors(margin: Measured) -> str:
    return f"{margin.mean / margin.error:+.1f}" if margin.margin and margin.error else "-"


def orders_text(table: Table, seats: int) -> str:
    """Describe how many deals were played, and in which seating orders."""
    whole, extra = divmod(table.games, table.games_a_deal)
    orders = f"{table.games_a_deal} seating orders"
    if not whole:
        return f"one deal, in {extra} of {orders}"
    text = f"{with_noun(whole, 'deal')} in all {orders}"
    if seats > ALL_ORDERS:
        text = f"{with_noun(whole, 'deal')} in {orders} (a balanced selection)"
    if extra:
        text += f", one more deal in {extra}"
    return f"{text}; ±: 95 % intervals over deals" if table.deals >= MIN_DEALS else text
