"""Numbers of tables without a SET that take too long to count anew.

They were first counted by Donald Knuth (SETSET, 2001), and since then confirmed by counting the
tables of 7 cards up to changes of coordinates and completing one of each kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TABLES_WITHOUT_SET: Mapping[int, int] = MappingProxyType(
    {
        7: 2_144_076_480,
        8: 14_587_567_020,
        9: 77_541_824_880,
        10: 318_294_370_368,
        11: 991_227_481_920,
        12: 2_284_535_476_080,
        13: 3_764_369_026_080,
        14: 4_217_827_554_720,
        15: 2_970_003_246_912,
        16: 1_141_342_138_404,
        17: 176_310_866_160,
        18: 6_482_268_000,
        19: 13_646_880,
        20: 682_344,
    }
)
"""For n = 7..20 the number of sets of n cards without a SET; from 21 on there are none
(`quaternity.ternary.largest` proves that), and up to 6 cards `counting_by_search` is quick."""


__all__ = ["TABLES_WITHOUT_SET"]
