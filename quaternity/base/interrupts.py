"""The source of a `KeyboardInterrupt`: the user, or external code that raised it."""

from __future__ import annotations

import signal
import threading

_ignored = False


def is_interrupt(error: BaseException) -> bool:
    """Return whether an exception is an interrupt by the user, not one raised by external code.

    The user's interrupts reach only the main thread, and no process that has called
    `leave_interrupts`.
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
