"""For all tests: a busy machine fails none of them, nor one where they run in the background."""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
# A shell lets its background jobs ignore interrupts, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
