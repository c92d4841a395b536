"""For all tests: a busy machine fails none of them, nor one where they run in the background.

Two profiles: `quick` is the default and tries the same few examples every time, so that it passes
for one as for the other; `--hypothesis-profile=thorough` tries many, and others every time.
`sizes.py` says how many.
"""

import gc
import signal

from hypothesis import HealthCheck, settings

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", PATIENT)
settings.register_profile("quick", PATIENT, max_examples=10, derandomize=True, database=None)
settings.load_profile("quick")
# A shell lets its background jobs ignore interrupts, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Collections of garbage need not look at the modules and tests themselves, a third of all."""
    gc.collect()
    gc.freeze()
