"""Deals in lines of text: one alone, and two with what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING

from quaternity.base.sentences import Kind

if TYPE_CHECKING:
    from solvers.verdict import Deal

HAS = Kind("has", "{who:player}: {cards:hand}")
HAS_NONE = Kind("has", "{who:player}: no cards")
ASIDE = Kind("aside", "aside: {cards:hand}")


def hand_lines(deal: Deal, players: int) -> Iterator[str]:
    """Yield a line per player: the cards they hold; then one for the cards aside, if there are."""
    for player in range(_hands(deal, players)):
        cards = deal.hand(player)
        if player >= players:
            yield ASIDE(cards=cards)
            continue
        yield HAS(who=player, cards=cards) if cards else HAS_NONE(who=player)


def _hands(deal: Deal, players: int) -> int:
    """Return the number of hands: of the players, and the cards aside if there are any."""
    return max([players, *(owner + 1 for row in deal.owner for owner in row)])


def _who(hand: int, players: int) -> str:
    return f"player {hand}" if hand < players else "aside"


def other_deals(deals: Sequence[Deal], players: int, wide: float = inf) -> Iterator[str]:
    """Two deals that differ in what cannot be told, side by side, or below if that is too wide."""
    heads = ("true", "false")
    true, false = deals
    lines = list(beside(true, false, players, heads, wide))
    if lines[0].split() == list(heads):
        yield "true if the cards lie as on the left, false if as on the right:"
    else:
        yield "true if the cards lie in the one way, false if in the other:"
    yield from lines


def beside(
    first: Deal, other: Deal, players: int, heads: tuple[str, str], wide: float = inf
) -> Iterator[str]:
    """Two deals, a row a player; `*` marks the cards that lie elsewhere in the other.

    Where that is too wide, one is below the other, then in words which cards differ.
    """
    from quaternity.base.text_table import table_lines

    def cards(deal: Deal, than: Deal, player: int) -> str:
        return " ".join(
            f"{index}/{number}" + "*" * (than.owner[index][number] != player)
            for index, number in deal.hand(player)
        )

    pairs = [
        (cards(first, other, player), cards(other, first, player))
        for player in range(_hands(first, players))
    ]
    rows = [[_who(hand, players), *pair] for hand, pair in enumerate(pairs)]
    lines, where = table_lines(["", *heads], rows, None, align="<<<"), "on the right"
    if max(map(len, lines)) > wide:
        lines, where = list(_below(pairs, players, heads, int(wide))), f"{heads[1]}:"
    yield from lines
    moved: dict[tuple[int, int], list[str]] = {}
    for index, (first_row, second_row) in enumerate(zip(first.owner, other.owner, strict=True)):
        for number, (old, new) in enumerate(zip(first_row, second_row, strict=True)):
            if old != new:
                moved.setdefault((old, new), []).append(f"{index}/{number}")
    for (old, new), those in sorted(moved.items()):
        yield f"{', '.join(those)}: {_who(old, players)}, {where} {_who(new, players)}"


def _below(
    pairs: Sequence[tuple[str, str]], players: int, heads: tuple[str, str], wide: int
) -> Iterator[str]:
    from textwrap import wrap

    column = max(map(len, heads)) + 2
    for player, pair in enumerate(pairs):
        for who, head, hand in zip((_who(player, players), ""), heads, pair, strict=True):
            begins = f"{who:<10}{head:<{column}}"
            yield from wrap(
                hand or "no cards", wide, initial_indent=begins, subsequent_indent=" " * len(begins)
            )
