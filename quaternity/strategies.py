"""The former name of `quaternity.trials.strategies`: the same module, not a copy."""

import sys

from quaternity.trials import strategies

sys.modules[__name__] = strategies
