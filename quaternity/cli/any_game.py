"""The commands of a game that brings none of its own: `play` and `tournament`, by its settings."""

from __future__ import annotations

from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import typer

from quaternity.cli.help_pages import HelpfulGroup
from quaternity.cli.match import words_of
from quaternity.cli.options import MoveSeconds, Record, Seed, Traceback
from quaternity.cli.playing import Playing, play_match, seats_of
from quaternity.cli.tournament import TournamentWords, add_tournament
from quaternity.table.games import registration
from quaternity.table.players import YOU
from quaternity.table.setting_fields import SettingField, setting_fields, settings_with


def game_commands(game: str) -> typer.Typer:
    """Return the group of commands of a game."""
    registered = registration(game)
    group = typer.Typer(
        cls=HelpfulGroup, no_args_is_help=True, rich_markup_mode=None,
        help=registered.text or f"{registered.title}.",
    )  # fmt: skip
    _add_play(group, registered)
    _add_tournament(group, registered)
    return group


def _option(field: SettingField) -> Parameter:
    """Return the option of a setting; None where nothing is chosen."""
    flag = f"--{field.name.replace('_', '-')}"
    kind: Any = {"number": int, "truth": bool, "choice": str}[field.kind]
    names = [f"{flag}/--no-{flag[2:]}"] if kind is bool else [flag]
    limits: dict[str, Any] = {"min": field.least, "max": field.most} if kind is int else {}
    text = f"{field.help}{' ' + ', '.join(field.choices) + '.' if field.choices else ''}"
    option = typer.Option(*names, help=f"{text}  [default: {field.default}]", **limits)
    return _optional(field.name, kind, option)


def _optional(name: str, kind: Any, option: Any) -> Parameter:
    given: Any = Annotated[kind | None, option]
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=given)


def _options(registered: Any, seats: bool) -> list[Parameter]:
    """Return the options of the settings, the number of seats among them or not."""
    fields = setting_fields(registered.rules_class)
    return [_option(field) for field in fields if seats or not field.seats]


def _common(
    record: Record = None,
    seed: Seed = None,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
) -> None:
    """Hold the options that all games have."""


def _add_play(group: typer.Typer, registered: Any) -> None:
    usual = registered.rules_class().seats
    default = [YOU, *[registered.strongest] * (usual - 1)]

    seats_option = typer.Option(
        help=f"Who plays: you, {', '.join(registered.players)}, or package.module:name.  "
        f"[default: {','.join(default)}]"
    )
    seats_asked = _optional("seats", str, seats_option)

    def play(
        seats: str | None, record: str | None, seed: int | None, move_seconds: float | None,
        traceback: bool, **asked: Any,
    ) -> None:  # fmt: skip
        rules_class, names = registered.rules_class, seats_of(seats)
        play_match(
            rules_class,
            lambda **given: settings_with(rules_class, given, len(names or default)),
            asked, words_of(registered.name), lambda rules: names, default,
            Playing(record, seed, move_seconds, traceback),
        )  # fmt: skip

    common = signature(_common, eval_str=True).parameters.values()
    play.__signature__ = Signature(  # type: ignore[attr-defined]  # read by Typer
        [*_options(registered, seats=False), seats_asked, *common]
    )
    play.__doc__ = f"""Play {registered.title} at this terminal, with people and programs.

    Type help in the game for what can be typed.

    Example: quaternity {registered.name} play --seats {",".join(default)}
    """
    group.command("play")(play)


def _add_tournament(group: typer.Typer, registered: Any) -> None:
    def rules_of(**chosen: Any) -> Any:
        rules_class = registered.rules_class
        return rules_class(settings_with(rules_class, chosen))

    rules_of.__signature__ = Signature(_options(registered, seats=True))  # type: ignore[attr-defined]  # read below
    entries = " ".join([registered.strongest, next(iter(registered.players))])
    add_tournament(
        group,
        registered.player_kind,
        rules_of,
        TournamentWords(
            (registered.name, "tournament"),
            f"{', '.join(registered.players)} or package.module:name",
            "points",
            lambda rules: registered.title,
            f"{registered.name} tournament {entries} --games 60 --seed 1",
        ),
    )
