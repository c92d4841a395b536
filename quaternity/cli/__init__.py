"""The command line: the only code here that prints.

Every command keeps one contract: results on standard output, messages on standard error, plain
text when piped, and the exit status of `quaternity.cli.app.ExitStatus`.
"""

from io import TextIOWrapper


def main() -> None:
    """Run the command line and leave with its exit status."""
    try:
        status = _status()
    except KeyboardInterrupt:  # while the commands are loaded, or a second one while one ends
        from quaternity.cli.status import ExitStatus

        status = ExitStatus.INTERRUPTED
    raise SystemExit(status)


def _status() -> int:
    import sys

    from quaternity.cli.app import run

    _open_streams()
    # Numbers of deals are long: 10,000 cards and 100 players give 20,000 digits.
    sys.set_int_max_str_digits(50_000)
    # A name that the terminal's encoding lacks is printed escaped.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return run()


def _open_streams() -> None:
    """Open the null device for each standard stream that the process was started without.

    Standard output cannot be written to, so that results are not lost without a message.
    """
    import os
    import sys

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            how = os.O_WRONLY if name == "stderr" else os.O_RDONLY
            setattr(sys, name, open(os.open(os.devnull, how), mode, encoding="utf-8"))  # noqa: SIM115


__all__ = ["main"]
