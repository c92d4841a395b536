"""The former name of `quaternity.insight.analysis`: the same module, not a copy."""

import sys
import warnings

from quaternity.insight import analysis

warnings.warn(
    "quaternity.analysis is called quaternity.insight.analysis since 0.9; "
    "the old name goes in 0.10",
    DeprecationWarning,
    stacklevel=2,
)
sys.modules[__name__] = analysis
