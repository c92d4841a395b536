"""The former name of `quaternity.insight.analysis`: the same module, not a copy."""

import sys

from quaternity.insight import analysis

sys.modules[__name__] = analysis
