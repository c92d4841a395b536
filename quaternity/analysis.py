"""Deprecated alias of the module `quaternity.insight.analysis`."""

import sys
import warnings

from quaternity.insight import analysis

warnings.warn(
    "quaternity.analysis is deprecated: it was renamed to quaternity.insight.analysis",
    DeprecationWarning,
    stacklevel=2,
)
sys.modules[__name__] = analysis
