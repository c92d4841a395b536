"""Creation of the commands `play` and `tournament` of any game, with its settings as options."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import typer

from quaternity.cli.help_pages import HelpGroup
from quaternity.cli.match import words_of
from quaternity.cli.options import MoveSeconds, PlayerFile, Record, Seed, Traceback
from quaternity.cli.playing import MatchOptions, play_match, seats_of
from quaternity.cli.tournament import TournamentWords, add_tournament
from quaternity.table.games import registration
from quaternity.table.players import YOU
from quaternity.table.setting_fields import SettingField, setting_fields, settings_with


def game_commands(game: str) -> typer.Typer:
    """Return a command group with the commands `play` and `tournament` of a game."""
    registered = registration(game)
    group = typer.Typer(
        cls=HelpGroup, no_args_is_help=True, rich_markup_mode=None,
        help=registered.text or f"{registered.title}.",
    )  # fmt: skip
    names = ", ".join(registered.players)
    default = (YOU, *[registered.strongest] * (registered.rules_class().seats - 1))
    add_play(group, game, names, default)
    entries = f"{registered.strongest} {next(iter(registered.players))}"
    words = TournamentWords(
        (game, "tournament"),
        f"{names}, package.module:name or cmd:COMMAND",
        "points",
        lambda rules: registered.title,
        f"{game} tournament {entries} --games 60 --seed 1",
    )
    add_game_tournament(group, game, words)
    return group


def add_play(
    group: typer.Typer, game: str, names: str, default: Sequence[str], more: str = ""
) -> None:
    """Add the command `play` to a group, with the settings of a game as options.

    `default` contains the players if the option `--seats` is missing. `more` is the paragraph of
    the help page that says what users can type during the game.
    """
    registered, usual = registration(game), ",".join(default)
    seats_option = typer.Option(
        metavar="PLAYERS",
        help=f"Comma-separated players, one per seat: you, {names}, package.module:name, or "
        f"cmd:COMMAND.  [default: {usual}]",
    )

    def play(
        seats: str | None, record: str | None, seed: int | None, move_seconds: float | None,
        traceback: bool, player_file: str | None, **options: Any,
    ) -> None:  # fmt: skip
        rules_class, names = registered.rules_class, seats_of(seats)
        play_match(
            rules_class,
            lambda **values: settings_with(rules_class, values, len(names or default)),
            options, words_of(game), lambda rules: names, default,
            MatchOptions(record, seed, move_seconds, traceback, player_file=player_file),
        )  # fmt: skip

    settings = [
        _option(field, None) for field in setting_fields(registered.rules_class) if not field.seats
    ]
    common = signature(_common, eval_str=True).parameters.values()
    seats = _parameter("seats", str | None, seats_option, None)
    play.__signature__ = Signature([seats, *settings, *common])  # type: ignore[attr-defined]  # read by Typer
    play.__doc__ = f"""Play {registered.title} at this terminal, with people and programs.

    {more or "Type help in the game to see what you can type."}

    Example: quaternity {game} play --seats {usual} --record my.game
    """
    group.command("play")(play)


def add_game_tournament(group: typer.Typer, game: str, words: TournamentWords) -> None:
    """Add the command `tournament` to a group, with the settings of a game as options."""
    rules_class = registration(game).rules_class

    def rules_of(**values: Any) -> Any:
        return rules_class(settings_with(rules_class, values))

    rules_of.__signature__ = Signature(  # type: ignore[attr-defined]  # read by add_tournament
        [_option(field, field.default) for field in setting_fields(rules_class)]
    )
    add_tournament(group, registration(game).player_kind, rules_of, words)


def _common(
    record: Record = None,
    seed: Seed = None,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
    player_file: PlayerFile = None,
) -> None:
    """Do nothing. The parameters are the options that the command `play` has in all games."""


def _option(field: SettingField, default: Any) -> Parameter:
    flag = f"--{field.name.replace('_', '-')}"
    kind: Any = {"number": int, "truth": bool, "choice": str}[field.kind]
    names = [f"{flag}/--no-{flag[2:]}"] if kind is bool else [flag]
    choices = f" Values: {' or '.join(field.choices)}." if field.choices else ""
    if kind is int:
        steps = f", in steps of {field.step}" if field.step > 1 else ""
        choices = f" Values: {field.least} to {field.most}{steps}."
    usual = {True: "yes", False: "no"}.get(field.default, field.default)
    usual = f"  [default: {usual}]" if default is None and usual is not None else ""
    metavar = {int: "N", str: "NAME"}.get(kind)
    option = typer.Option(*names, metavar=metavar, help=f"{field.help}{choices}{usual}")
    return _parameter(field.name, kind if default is not None else kind | None, option, default)


def _parameter(name: str, kind: Any, option: Any, default: Any) -> Parameter:
    annotation: Any = Annotated[kind, option]
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)
