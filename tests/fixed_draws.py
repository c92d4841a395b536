"""Fixed random draws in place of the operating system's: the same in every run of a test.

The program draws names, tokens and deals with `secrets`. The tests replace its source, seeded by
the name of the running test, so no outcome depends on chance or on the tests that ran before.
"""

import secrets
from random import Random

_random = Random(0)


def seed_draws(name: str) -> None:
    """Begin a new sequence of draws, which depends on the name alone."""
    _random.seed(name)


def fix_draws() -> None:
    """Make `secrets` draw from the sequence; its other token functions call `token_bytes`."""
    secrets.token_bytes = lambda nbytes=None: _random.randbytes(32 if nbytes is None else nbytes)
    secrets.choice = _random.choice
    secrets.randbelow = lambda exclusive_upper_bound: _random.randrange(exclusive_upper_bound)
