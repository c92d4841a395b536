"""The root command, which imports the called command and turns errors into exit statuses."""

import sys
import warnings
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from quaternity.base.errors import InputError, QuaternityError
from quaternity.base.plugins import BrokenPlugin
from quaternity.cli.commands import ENTRIES, SECTIONS
from quaternity.cli.help_pages import HelpGroup
from quaternity.cli.status import ExitStatus, status_of
from quaternity.cli.terminal import discard_output, report_internal_error, warn, write_error
from quaternity.table.games import game_names, plugin_games, registration


class RootGroup(HelpGroup):
    """The group of all commands, including installed games. Commands are imported on first use."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [*ENTRIES, *plugin_games().usable]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command with this name, or None if there is none."""
        if cmd_name in ENTRIES:
            self.commands[cmd_name] = _own_command(cmd_name)
        elif cmd_name in plugin_games().usable:
            self.commands[cmd_name] = _further_game(cmd_name)
        else:
            self.commands.pop(cmd_name, None)  # The game of this name may have been uninstalled.
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Resolve the command that `args` names.

        `tournament --game G` is resolved to the tournament command of game G.
        """
        if args[:1] == ["tournament"]:
            game, rest = _game_of(args[1:])
            if game is not None:
                group = self.get_command(ctx, game)
                return "tournament", group.get_command(ctx, "tournament"), rest
        if args and self.get_command(ctx, args[0]) is None:
            close = ", ".join(map(repr, get_close_matches(args[0], self.list_commands(ctx))))
            if close:
                ctx.fail(f"No such command {args[0]!r}. Did you mean {close}?")
        return super().resolve_command(ctx, args)

    def sections(self, ctx: Any) -> dict[str, dict[str, str]]:
        """Return a dictionary with the summaries of the commands in each section.

        No command is imported for this.
        """
        summaries = {
            title: {name: entry.summary for name, entry in entries.items()}
            for title, entries in SECTIONS.items()
        }
        games = plugin_games().usable.items()
        summaries["Play"] |= {name: game.text or game.title for name, game in games}
        return summaries


def _game_of(words: list[str]) -> tuple[str | None, list[str]]:
    """Return the game that the option `--game` names, and the words without this option.

    The game is None if the option is missing or its game has no command group.
    """
    for place, word in enumerate(words):
        option, equals, game = word.partition("=")
        if option == "--game":
            after = place + 1
            if not equals:
                game, after = "".join(words[after : after + 1]), after + 1
            if game in game_names() and not registration(game).at_root:
                return game, words[:place] + words[after:]
    return None, words


@cache
def _own_command(name: str) -> Any:
    for module in ENTRIES[name].modules.split():
        import_module(f"quaternity.cli.{module}")
    return typer.main.get_group(app).commands[name]


def _further_game(name: str) -> Any:
    try:
        group = plugin_games().usable[name].part("command")
        return typer.main.get_group(group if isinstance(group, typer.Typer) else group(name))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # External code may raise any exception.
        raise InputError(f"the commands of game {name!r} cannot be loaded: {error}") from error


app = typer.Typer(
    name="quaternity",
    cls=RootGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(requested: bool) -> None:
    if requested:
        from quaternity import __version__

        print(f"quaternity {__version__}")
        raise typer.Exit


@app.callback()
def quaternity(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Play set-collecting games, referee them, and reason about hidden hands."""


@cache
def root_command() -> Any:
    """Return the root command. Every command is created only once per process."""
    return typer.main.get_command(app)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line on `arguments` (default: `sys.argv`) and return its exit status.

    An expected error becomes one message on standard error. Any other error is reported as an
    internal error.
    """
    status = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        output_status = _abandon_output(error)
        return status or output_status
    return status


def _run(arguments: list[str] | None) -> int:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", BrokenPlugin)
            warnings.showwarning = _show_warning
            root_command()(args=arguments, prog_name="quaternity")
    except (QuaternityError, MemoryError) as error:
        warn(str(error) or "out of memory")
        return status_of(error)
    except KeyboardInterrupt as error:
        return status_of(error)
    except SystemExit as leave:
        if isinstance(leave.__context__, typer.Abort):
            # Typer exits with status 1 if the input ends.
            return _internal_error(leave.__context__)
        if isinstance(leave.__context__, BrokenPipeError):
            # Typer and rich exit with status 1, which would mean that something is impossible.
            discard_output(sys.stdout)
            return ExitStatus.DONE
        return leave.code if isinstance(leave.code, int) else ExitStatus.DONE
    except OSError as error:
        if error.filename is not None:
            warn(f"{error.filename}: {error.strerror}")
            return ExitStatus.BAD_INPUT
        wrong_usage = getattr(error.__context__, "exit_code", None)
        if wrong_usage is not None:  # Typer could not report wrong usage, as stderr is closed.
            discard_output(sys.stderr)
            return int(wrong_usage)
        return _abandon_output(error)
    except BaseException as error:
        return _internal_error(error)
    return ExitStatus.DONE


def _internal_error(error: BaseException) -> ExitStatus:
    report_internal_error(error)
    return ExitStatus.INTERNAL_ERROR


def _abandon_output(error: OSError) -> ExitStatus:
    """Discard all further output, because standard output failed. Return an exit status."""
    discard_output(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return ExitStatus.DONE
    warn(f"standard output: {error.strerror}")
    return ExitStatus.BAD_INPUT


def _show_warning(
    message: Warning | str, category: type[Warning], *place: Any, **more: Any
) -> None:
    if issubclass(category, BrokenPlugin):
        warn(str(message))
    else:
        write_error(warnings.formatwarning(message, category, *place[:2]))
