"""The command line: the only code here that prints.

Every command keeps one contract: results on standard output, messages on standard error, plain
text when piped, and the exit status of `quaternity.cli.app.ExitStatus`.
"""


def main() -> None:
    """Run the command line and leave with its exit status."""
    from quaternity.cli import commands

    raise SystemExit(commands.run())


__all__ = ["main"]
