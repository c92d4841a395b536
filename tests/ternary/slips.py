"""Four mistakes in the text that this card model comes from, and functions that show them.

1. It writes `x mod 3 = |3 - x|` in the formulas for partners. For x = 1, 2, 3, 4 the left side is
   1, 2, 0, 1 and the right side 2, 1, 0, 1. Taken literally (`printed_partners`), the formulas
   give a correct triple in 128 of the 648 cases (81 cards, k in 0..7); with a true mod 3
   (`quaternity.ternary.triples.partner`) they do in all.
2. It numbers the partners by k in 0..7. These give the 8 *triples* through a card (b and c of
   each); the 16 partners need k in 0..15, where k and 15 - k exchange b and c.
3. It recognises a correct triple by "the sum of the three indexes is 120". That is necessary: each
   digit is 0, 1 and 2 once, so the sum is 3 * (27 + 9 + 3 + 1) = 120. It suffices only if two of
   the three already form a pair: then the third card c = 120 - a - b has no borrow in any digit.
   Of the 800 threes of different cards with this sum (`threes_with_sum`), 216 are correct
   triples, 184 are other SETs, and 400 are neither, such as 0, 42 and 78. For SETs in general it
   does not hold: only 400 of the 1080 have this sum.
4. It fears that the first 12 cards may already "end the game". Under the rule of the text this is
   the usual case, for about 56 % of all tables of 12 (see `quaternity.ternary.counting`). In the
   game of SET it is 3.2 %, and three more cards are dealt.
"""

from __future__ import annotations

from quaternity.ternary.cards import CARDS, digits_of, index_of

SUM_OF_A_TRIPLE = 120
"""The sum of the indexes of every correct triple."""


def printed_mod_3(x: int) -> int:
    """Return `|3 - x|`, which the text takes for x mod 3.

    >>> [printed_mod_3(x) for x in (1, 2, 3, 4)], [x % 3 for x in (1, 2, 3, 4)]
    ([2, 1, 0, 1], [1, 2, 0, 1])
    """
    return abs(3 - x)


def printed_partners(card: int, k: int) -> tuple[int, int]:
    """Return b and c by the formulas as printed, with `|3 - x|` instead of x mod 3.

    Args:
        k: 0..7, as in the text.

    >>> printed_partners(0, 0)                             # b = 2222, but c = 1111: a triple
    (80, 40)
    >>> printed_partners(27, 0)                            # b = 1222 shares the shape with 1000
    (53, 13)
    """
    digits, k = digits_of(card), k
    bits = [k >> 3 - i & 1 for i in range(4)]
    b = [printed_mod_3(digit + bit + 1) for digit, bit in zip(digits, bits, strict=True)]
    c = [printed_mod_3(digit + 2 - bit) for digit, bit in zip(digits, bits, strict=True)]
    return index_of((b[0], b[1], b[2], b[3])), index_of((c[0], c[1], c[2], c[3]))


def threes_with_sum(total: int = SUM_OF_A_TRIPLE) -> tuple[tuple[int, int, int], ...]:
    """Return all threes of different cards whose indexes have this sum, each in order.

    >>> len(threes_with_sum()), (0, 42, 78) in threes_with_sum()
    (800, True)
    """
    return tuple(
        (a, b, total - a - b)
        for a in range(CARDS)
        for b in range(a + 1, CARDS)
        if b < total - a - b < CARDS
    )


__all__ = ["SUM_OF_A_TRIPLE", "printed_mod_3", "printed_partners", "threes_with_sum"]
