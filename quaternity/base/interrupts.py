"""The source of a `KeyboardInterrupt`: the user, or code from outside that raised it."""

from __future__ import annotations

import signal
import threading

_left_to_others = False


def is_interrupt(error: BaseException) -> bool:
    """Return whether an exception is the user's own interrupt, and not raised by code from outside.

    Interrupts reach the main thread alone, and no process that leaves them to its parent.
    """
    return (
        isinstance(error, KeyboardInterrupt)
        and not _left_to_others
        and threading.current_thread() is threading.main_thread()
    )


def leave_interrupts() -> None:
    """Let this process, in its main thread, leave interrupts to its parent from now on."""
    global _left_to_others
    _left_to_others = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)
