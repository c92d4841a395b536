"""Functions that distinguish interrupts by the user (Ctrl-C) from exceptions of external code."""

from __future__ import annotations

import signal
import threading

_ignored = False


def is_interrupt(error: BaseException) -> bool:
    """Return whether an exception is an interrupt by the user (Ctrl-C).

    Only the main thread receives such interrupts, until the process calls `leave_interrupts`. Any
    other `KeyboardInterrupt` was raised by external code.
    """
    return (
        isinstance(error, KeyboardInterrupt)
        and not _ignored
        and threading.current_thread() is threading.main_thread()
    )


def leave_interrupts() -> None:
    """Ignore interrupts in this process from now on, because its parent handles them.

    This must be called in the main thread.
    """
    global _ignored
    _ignored = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)
