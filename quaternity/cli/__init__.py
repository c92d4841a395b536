"""The command-line interface. No other package prints.

Commands write results to standard output, and messages to standard error. If the output is piped,
it is plain text. The exit statuses are in `quaternity.cli.status.ExitStatus`.
"""

from io import TextIOWrapper


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        status = _status()
    except KeyboardInterrupt:
        # The user pressed Ctrl-C during the imports, or a second time while the first was handled.
        from quaternity.cli.status import ExitStatus

        status = ExitStatus.INTERRUPTED
    raise SystemExit(status)


def _status() -> int:
    import sys

    from quaternity.cli.app import run

    _open_streams()
    # By default, Python refuses to print integers of more than 4,300 digits, but the number of
    # deals of 10,000 cards to 100 players has 20,000 digits.
    sys.set_int_max_str_digits(50_000)
    # Print characters that the terminal's encoding lacks as escape sequences.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return run()


def _open_streams() -> None:
    """Open the null device for each standard stream that was closed when the process started.

    Standard output is opened in such a way that writing fails with a message, because results would
    otherwise be lost silently.
    """
    import os
    import sys

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            flags = os.O_WRONLY if name == "stderr" else os.O_RDONLY
            setattr(sys, name, open(os.open(os.devnull, flags), mode, encoding="utf-8"))  # noqa: SIM115


__all__ = ["main"]
