"""The former name of `quaternity.insight.analysis`: the same module, not a copy."""

import sys
import warnings

from quaternity.insight import analysis

warnings.warn(
    "quaternity.information is deprecated: it was renamed to quaternity.insight.analysis",
    DeprecationWarning,
    stacklevel=2,
)
sys.modules[__name__] = analysis
