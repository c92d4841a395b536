"""The peak memory of this process."""

import re
import resource
import sys
from pathlib import Path


def peak_bytes() -> int:
    """Return the peak so far, in bytes.

    On Linux, `ru_maxrss` includes the memory of the parent process if that was more; elsewhere
    (macOS), it is in bytes.
    """
    status = Path("/proc/self/status")
    if status.exists() and (match := re.search(r"VmHWM:\s*(\d+) kB", status.read_text())):
        return int(match[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


__all__ = ["peak_bytes"]
