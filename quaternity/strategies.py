"""Deprecated alias of the module `quaternity.trials.strategies`."""

import sys
import warnings

from quaternity.trials import strategies

warnings.warn(
    "quaternity.strategies is deprecated: it was renamed to quaternity.trials.strategies",
    DeprecationWarning,
    stacklevel=2,
)
sys.modules[__name__] = strategies
