"""The command line: the only code here that prints.

Every command keeps one contract: results on standard output, messages on standard error, plain
text when piped, and the exit status of `quaternity.cli.app.ExitStatus`.
"""

from io import TextIOWrapper


def main() -> None:
    """Run the command line and leave with its exit status."""
    import sys

    from quaternity.cli import commands

    # A name that the terminal's encoding lacks is printed escaped.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    raise SystemExit(commands.run())


__all__ = ["main"]
