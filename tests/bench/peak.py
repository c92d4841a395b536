"""The most memory that this process has taken."""

import re
import resource
import sys
from pathlib import Path


def peak_bytes() -> int:
    """So far, in bytes.

    On Linux `ru_maxrss` counts the memory of what started the process too, if that was more, and
    elsewhere (macOS) it is in bytes.
    """
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"VmHWM:\s*(\d+) kB", status.read_text())):
        return int(found[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


__all__ = ["peak_bytes"]
