"""For all tests: a busy machine fails none of them, nor one where they run in the background.

Two profiles: `quick` is the default and tries the same few examples every time, so that it passes
for one as for the other; `--hypothesis-profile=thorough` tries many, and others every time.
`sizes.py` says how many.
"""

import gc
import os
import signal
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", PATIENT)
settings.register_profile("quick", PATIENT, max_examples=6, derandomize=True, database=None)
settings.load_profile("quick")
os.environ.pop("COLUMNS", None)  # some shells tell how wide they are
# A shell lets its background jobs ignore interrupts, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure() -> None:
    """Where Python must not write bytecode beside its files, all runs share some in a folder.

    Many tests start processes, and each would compile the whole house; pytest, all the tests.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        folder = str(Path(__file__).parents[1] / ".bytecode")
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = folder
        sys.dont_write_bytecode = False


def pytest_collection_finish() -> None:
    """Collections of garbage need not look at the modules and tests themselves, a third of all."""
    gc.collect()
    gc.freeze()
