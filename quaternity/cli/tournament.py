"""The `tournament` of every game: programs against each other."""

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
from quaternity.base.text_table import table_lines
from quaternity.base.wording import counted
from quaternity.cli.failed_players import (
    Failures,
    run_tournament,
    show_game,
)
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
from quaternity.table.player_file import named_player
from quaternity.table.tournament.picture import draw_table
from quaternity.table.tournament.playing import GameResult, Tournament
from quaternity.table.tournament.scores import MIN_DEALS, Measured, Table, tabulated
from quaternity.table.tournament.seatings import labels

ALL_ORDERS = 4
"""With more seats not all orders of seats are played."""


@dataclass(frozen=True, slots=True)
class TournamentWords:
    """The words of a game's tournament.

    Attributes:
        command: the words that call it.
        who: names of players, for the help.
        points: what points are called.
        title: what is played, by the rules, in a word.
        example: arguments of an example.
        deals: what the help says of deals, where there are any.
        cap: a game of so many moves has no result, where nothing else is said.
    """

    command: tuple[str, ...]
    who: str
    points: str
    title: Callable[[Any], str]
    example: str
    deals: str = ""
    cap: int = 500


DOC = """Let {kinds} play each other, and say who wins how often.

    The {kinds} play in all orders of seats; from five seats on, in a balanced choice of orders.
    {deals}If there are fewer {kinds} than seats, they take turns in the seats; if there are more,
    every choice of them plays. Only a sole win counts as a win.

    A {kind} that fails ends the run with status 3, or 4 if it took too long. The games before are
    shown, and the game in which it failed is saved as a record.

    quaternity tournament ... --game kwartet and quaternity kwartet tournament ... are the same,
    with the options of that game; so for every game.

    Example: quaternity {example}
    """


def add_tournament(
    application: typer.Typer, kind: str, rules_of: Callable[..., Any], words: TournamentWords
) -> None:
    """Give an application the command of a game; the parameters of `rules_of` are its options."""
    game, own = rules_of().name, signature(rules_of, eval_str=True).parameters
    common = list(signature(_tournament, eval_str=True).parameters.values())[3:]
    kinds = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"

    def command(entries: list[str], **values: Any) -> None:
        chosen = {name: values.pop(name) for name in own}
        values["replay"] = _replayed(game, values.pop("game"), values["replay"])
        _tournament(rules_of(**chosen), chosen, words, entries, **values)

    whom = Annotated[
        list[str],
        typer.Argument(metavar=kinds.upper(), help=f"{words.who}; at least two."),
    ]
    entries = Parameter("entries", Parameter.POSITIONAL_OR_KEYWORD, annotation=whom)
    common = [p.replace(default=words.cap) if p.name == "cap" else p for p in common[1:]]
    game_option: Any = Annotated[
        str | None, typer.Option(metavar="GAME", help=f"The game to play.  [default: {game}]")
    ]
    common.append(Parameter("game", Parameter.KEYWORD_ONLY, annotation=game_option, default=None))
    command.__signature__ = Signature([entries, *own.values(), *common])  # type: ignore[attr-defined]  # read by Typer
    command.__doc__ = DOC.format(kind=kind, kinds=kinds, deals=words.deals, example=words.example)
    application.command("tournament")(command)


def _replayed(own: str, game: str | None, replay: int | None) -> int | None:
    """Return the number of the game that is played again; --game had it once."""
    if game is None or game == own:
        return replay
    if game.isdecimal():
        warn(f"--game {game} plays a game again: its name is --replay {game} now")
        return int(game)
    if game not in game_names():
        raise InputError(f"--game {game!r} is unknown; known are {', '.join(game_names())}")
    raise InputError(f"--game {game}: this is a tournament of {own}; say quaternity tournament")


def _tournament(
    rules: Any,
    chosen: dict[str, Any],
    words: TournamentWords,
    entries: list[str],
    games: Annotated[int, typer.Option(help="Games to play.")] = 60,
    cap: Annotated[
        int, typer.Option(help="End a game without a result after this many moves.")
    ] = 500,
    seed: Annotated[int, typer.Option(help="Seed of all chance.")] = 0,
    workers: Workers = 1,
    dask: Dask = None,
    plot: Annotated[
        str | None, typer.Option(help="Draw shares and ratings: .png, .svg or .pdf.")
    ] = None,
    replay: Annotated[
        int | None, typer.Option(min=0, help="Play the game of this number, and print its record.")
    ] = None,
    move_seconds: MoveSeconds = None,
    secret: Secret = "",
    player_file: PlayerFile = None,
    traceback: Traceback = False,
    as_json: AsJson = False,
) -> None:

    names = tuple(named_player(rules.name, name, player_file) for name in entries)
    plan = Tournament(rules, names, seed, cap=cap, move_seconds=move_seconds, secret=secret)
    if replay is not None:
        show_game(plan, replay, traceback, lambda text: print(text, end=""))
        return
    if plot is not None:
        check_picture(plot)
    # As in files: of brisk games alone it is said that they are.
    settings = {name: value for name, value in chosen.items() if name != "brisk" or value}

    def again(number: int) -> list[str]:
        usual = type(rules)().settings
        refused = {
            f"no_{name}": value is False and getattr(usual, name, False) is True
            for name, value in chosen.items()
        }
        options = chosen | refused | {
            "replay": number, "seed": seed, "cap": cap, "move_seconds": move_seconds,
            "secret": plan.secret or None, "player_file": player_file,
        }  # fmt: skip
        return ["quaternity", *words.command, *entries, *typed(options)]

    def show(results: list[GameResult], run: dict[str, Any]) -> None:
        table = tabulated(results, len(entries), Random(seed), plan.games_a_deal)
        if as_json:
            print(json.dumps({**settings, **_document(plan, words, table), **run}))
        else:
            _print(plan, words, table)
        # A picture that fails costs no results.
        if plot is not None:
            draw_table(plot, labels(plan.players), table)

    failures = Failures(".record", again, traceback)
    run_tournament(plan, games, workers, dask, failures, show, as_json)


def typed(chosen: dict[str, Any]) -> list[str]:
    """Return options as they are typed; those that are None or False are left out."""
    words = []
    for name, value in chosen.items():
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
        f"{counted(table.games, 'game')} of {words.title(plan.rules)}, "
        f"{table.moves.mean:.1f} moves each; nobody won {table.shared}, "
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
        "share: how often a seat won alone; score: 1 for that, shared by all seats when nobody "
        "wins; ahead in score by (in standard errors):"
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
        say(f"the same games again: --seed {plan.seed} --secret {plan.secret}")


def _in_errors(margin: Measured) -> str:
    return f"{margin.mean / margin.error:+.1f}" if margin.margin and margin.error else "-"


def orders_text(table: Table, seats: int) -> str:
    """Say in which orders of seats the deals were played."""
    whole, extra = divmod(table.games, table.games_a_deal)
    orders = f"{table.games_a_deal} orders of seats"
    if not whole:
        return f"one deal, in {extra} of {orders}"
    text = f"{counted(whole, 'deal')} in all {orders}"
    if seats > ALL_ORDERS:
        text = f"{counted(whole, 'deal')} in {orders}, balanced"
    if extra:
        text += f", one more in {extra}"
    return f"{text}; ± 95 % intervals over deals" if table.deals >= MIN_DEALS else text
