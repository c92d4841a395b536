"""The application: which commands there are, and how every one of them ends.

The modules of the commands only declare; what they need to work is imported inside the functions,
so that `quaternity --help` costs nothing but the declarations.
"""

import os
import sys
import warnings
from typing import Annotated, Any

import typer

from quaternity.cli.help_pages import HelpfulGroup
from quaternity.cli.status import ExitStatus, status_of
from quaternity.cli.terminal import warn
from quaternity.errors import QuaternityError
from solvers.plugins import BrokenPlugin

app = typer.Typer(
    name="quaternity",
    cls=HelpfulGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from quaternity import __version__

        print(f"quaternity {__version__}")
        raise typer.Exit


@app.callback()
def quaternity(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Say which version this is."
        ),
    ] = False,
) -> None:
    """Referee, reason about and play games of collected sets whose hands are unknown."""


def run(arguments: list[str] | None = None) -> int:
    """Run the command line on `arguments` (default: the process's own) and give its exit status.

    Errors that the program raises on purpose become one message on standard error.
    """
    try:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", BrokenPlugin)
                warnings.showwarning = _show_warning
                app(args=arguments, prog_name="quaternity")
        finally:
            sys.stdout.flush()
    except QuaternityError as error:
        warn(str(error))
        return status_of(error)
    except KeyboardInterrupt as error:
        return status_of(error)
    except SystemExit as leave:
        if isinstance(leave.__context__, BrokenPipeError):
            # Typer and rich make a 1 of it, which says that something is impossible.
            _write_nothing_more()
            return ExitStatus.DONE
        return leave.code if isinstance(leave.code, int) else ExitStatus.DONE
    except OSError as error:
        if error.filename is not None:
            warn(f"{error.filename}: {error.strerror}")
            return ExitStatus.BAD_INPUT
        _write_nothing_more()
        if isinstance(error, BrokenPipeError):
            return ExitStatus.DONE
        warn(f"standard output: {error.strerror}")
        return ExitStatus.BAD_INPUT
    return ExitStatus.DONE


def _show_warning(
    message: Warning | str, category: type[Warning], *place: Any, **more: Any
) -> None:
    """A plug-in that is left out is told like any other message; the rest as Python tells it."""
    if issubclass(category, BrokenPlugin):
        warn(str(message))
    else:
        print(warnings.formatwarning(message, category, *place[:2]), end="", file=sys.stderr)


def _write_nothing_more() -> None:
    """Standard output is full or closed. What could not be written must not be tried again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


__all__ = ["app", "run"]
