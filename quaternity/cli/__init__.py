"""The command-line interface, the only package that prints.

Every command follows the same conventions: results go to standard output, messages to standard
error, piped output is plain text, and the exit status is one of `quaternity.cli.status.ExitStatus`.
"""

from io import TextIOWrapper


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        status = _status()
    except KeyboardInterrupt:  # during imports, or a second Ctrl-C while the first is handled
        from quaternity.cli.status import ExitStatus

        status = ExitStatus.INTERRUPTED
    raise SystemExit(status)


def _status() -> int:
    import sys

    from quaternity.cli.app import run

    _open_streams()
    # A number of deals can be long: 10,000 cards and 100 players give 20,000 digits.
    sys.set_int_max_str_digits(50_000)
    # Print characters that the terminal's encoding lacks as escape sequences.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return run()


def _open_streams() -> None:
    """Open the null device in place of each standard stream that the process was started without.

    Standard output is opened for reading only: writing to it fails with a message, so that results
    are not lost silently.
    """
    import os
    import sys

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            flags = os.O_WRONLY if name == "stderr" else os.O_RDONLY
            setattr(sys, name, open(os.open(os.devnull, flags), mode, encoding="utf-8"))  # noqa: SIM115


__all__ = ["main"]
