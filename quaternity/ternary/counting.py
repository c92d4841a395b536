"""Exact number and probability of SET tables (cards dealt face up) that contain no SET."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from types import MappingProxyType

from quaternity.base.validation import check_int
from quaternity.ternary import counting_by_layers, counting_by_search
from quaternity.ternary.cards import CARDS
from quaternity.ternary.tables import Rule

TABLES_WITHOUT_SET: Mapping[int, int] = MappingProxyType(
    {
        1: 81,
        2: 3_240,
        3: 84_240,
        4: 1_579_500,
        5: 22_441_536,
        6: 247_615_056,
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
"""Number of tables of n cards without a SET, for n = 1..20.

Donald Knuth was the first to count these tables (SETSET, 2001). The numbers were confirmed by
counting the tables of 7 cards up to changes of coordinates, and completing one table of each kind.
The tests check the numbers up to 7 cards. From 21 cards on, there are no such tables, as
`quaternity.ternary.largest` proves."""

TABLES_WITHOUT_TRIPLE: Mapping[int, int] = MappingProxyType(
    {
        1: 81,
        2: 3_240,
        3: 85_104,
        4: 1_646_892,
        5: 24_975_216,
        6: 308_301_120,
        7: 3_177_107_712,
        8: 27_818_754_858,
        9: 209_604_706_128,
        10: 1_371_673_978_488,
        11: 7_849_641_819_384,
        12: 39_478_773_647_088,
        13: 175_124_036_410_308,
        14: 686_860_964_479_332,
        15: 2_385_740_228_052_456,
        16: 7_345_035_483_602_607,
        17: 20_050_530_501_843_648,
        18: 48_526_810_686_727_524,
        19: 104_087_595_788_798_004,
        20: 197_765_056_674_095_778,
        21: 332_664_774_916_467_654,
        22: 495_247_707_349_669_368,
        23: 652_553_708_389_884_864,
        24: 761_513_899_062_582_099,
        25: 788_272_151_231_104_830,
        26: 725_712_982_698_315_132,
        27: 596_572_684_981_548_924,
        28: 440_239_622_150_333_484,
        29: 293_577_192_657_926_406,
        30: 178_282_016_207_489_988,
        31: 99_433_838_530_977_984,
        32: 51_398_805_970_371_726,
        33: 24_862_317_454_519_092,
        34: 11_366_313_954_776_496,
        35: 4_958_108_305_240_464,
        36: 2_079_014_397_790_680,
        37: 840_735_164_882_268,
        38: 327_133_956_814_956,
        39: 121_560_401_497_500,
        40: 42_669_057_990_591,
        41: 13_976_165_218_815,
        42: 4_220_790_744_024,
        43: 1_162_022_957_316,
        44: 288_520_955_910,
        45: 63_918_062_730,
        46: 12_490_918_956,
        47: 2_125_361_592,
        48: 309_927_357,
        49: 37_950_120,
        50: 3_795_012,
        51: 297_648,
        52: 17_172,
        53: 648,
        54: 12,
    }
)
"""Number of tables of n cards without a correct triple, for n = 1..54.

The generating function Z(t) is the sum of these numbers times t^n. Transfer matrices between blocks
of nine cards give Z(t) modulo a prime in minutes (`tests/ternary/transfer_matrices.py`). All
numbers follow from the values of Z at 56 points modulo four primes, by interpolation and the
Chinese remainder theorem. `quaternity.ternary.counting_by_layers` counts up to 16 cards in another
way. Slow tests use it to check the numbers up to 19 cards. Another slow test evaluates Z.

With 49 or more cards, a table has no correct triple if and only if it lacks one value of one
attribute, so there are 12 * C(54, n) tables. With 48 cards, there are 1377 other tables. From 55
cards on, there are no tables (`quaternity.ternary.largest`)."""


@dataclass(frozen=True, slots=True)
class FreeCount:
    """How many choices of n cards exist, and how many contain no three that belong together."""

    n: int
    rule: Rule
    free: int

    @property
    def tables(self) -> int:
        """The number of all choices of n cards."""
        return comb(CARDS, self.n)

    @property
    def probability(self) -> float:
        """The probability that no three of n cards from a shuffled deck belong together."""
        return self.free / self.tables


def count_free(n: int, rule: Rule | str) -> FreeCount:
    """Return how many choices of n cards contain no three that belong together, for n = 1..81.

    Small numbers of cards are counted. The results for larger numbers were computed before, and
    come from `TABLES_WITHOUT_TRIPLE` and `TABLES_WITHOUT_SET`. From 55 cards (`triple`) or 21 cards
    (`set`) on, the result is 0 (see `quaternity.ternary.largest`).

    >>> count_free(12, Rule.TRIPLE).free
    39478773647088
    """
    n = check_int(n, 1, CARDS, f"a number of cards on a table (1..{CARDS})", "n")
    rule = Rule(rule)
    if rule is Rule.TRIPLE and n <= counting_by_layers.MAX_TABLE_CARDS:
        return FreeCount(n, rule, counting_by_layers.count(n))
    if rule is Rule.SET and n <= counting_by_search.MAX_TABLE_CARDS:
        return FreeCount(n, rule, counting_by_search.count(n, rule))
    recorded = TABLES_WITHOUT_TRIPLE if rule is Rule.TRIPLE else TABLES_WITHOUT_SET
    return FreeCount(n, rule, recorded.get(n, 0))
