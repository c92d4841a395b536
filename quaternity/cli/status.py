"""What a command's exit status means, the same for every command."""

from enum import IntEnum


class ExitStatus(IntEnum):
    """Exit status of a command.

    2 is also what a wrong option gives, 3 what a strategy or a bot that fails gives.
    """

    DONE = 0
    IMPOSSIBLE = 1
    BAD_INPUT = 2
    DISAGREE = 3
    LIMIT = 4
    INTERRUPTED = 130


__all__ = ["ExitStatus"]
