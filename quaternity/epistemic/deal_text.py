"""Text of a deal, or of a comparison between two deals, with the cards of each player."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING

from quaternity.base.sentences import MessageTemplate

if TYPE_CHECKING:
    from solvers.verdict import Deal

HAS = MessageTemplate("has", "{who:player}: {cards:hand}")
HAS_NONE = MessageTemplate("has", "{who:player}: no cards")
ASIDE = MessageTemplate("aside", "aside: {cards:hand}")


def hand_lines(deal: Deal, players: int) -> Iterator[str]:
    """Yield a line of text for each player with the cards that the player holds.

    If cards are out of play, the last line lists them.
    """
    for player in range(_hand_count(deal, players)):
        cards = deal.hand(player)
        if player >= players:
            yield ASIDE(cards=cards)
            continue
        yield HAS(who=player, cards=cards) if cards else HAS_NONE(who=player)


def _hand_count(deal: Deal, players: int) -> int:
    return max([players, *(owner + 1 for row in deal.owner for owner in row)])


def _holder_name(hand: int, players: int) -> str:
    return f"player {hand}" if hand < players else "aside"


def differing_deals(deals: Sequence[Deal], players: int, wide: float = inf) -> Iterator[str]:
    """Yield lines that compare a deal where a formula is true with a deal where it is false."""
    heads = ("true", "false")
    true, false = deals
    lines = list(compare_deals(true, false, players, heads, wide))
    if lines[0].split() == list(heads):
        yield "the formula is true in the deal on the left, and false in the deal on the right:"
    else:
        yield "the formula is true in the first deal, and false in the second:"
    yield from lines


def compare_deals(
    first: Deal, other: Deal, players: int, heads: tuple[str, str], wide: float = inf
) -> Iterator[str]:
    """Yield lines that compare two deals, with a row for each player.

    `heads` contains a title for each deal. The deals are side by side, or one below the other if
    they need more than `wide` characters. A `*` marks each card whose owner differs. Further lines
    list these cards with both owners.
    """
    from quaternity.base.text_table import table_lines

    def cards(deal: Deal, than: Deal, player: int) -> str:
        return " ".join(
            f"{index}/{number}" + "*" * (than.owner[index][number] != player)
            for index, number in deal.hand(player)
        )

    pairs = [
        (cards(first, other, player), cards(other, first, player))
        for player in range(_hand_count(first, players))
    ]
    rows = [[_holder_name(hand, players), *pair] for hand, pair in enumerate(pairs)]
    lines, where = table_lines(["", *heads], rows, None, align="<<<"), "on the right"
    if max(map(len, lines)) > wide:
        lines, where = list(_stacked_lines(pairs, players, heads, int(wide))), f"{heads[1]}:"
    yield from lines
    moved: dict[tuple[int, int], list[str]] = {}
    for index, (first_row, second_row) in enumerate(zip(first.owner, other.owner, strict=True)):
        for number, (old, new) in enumerate(zip(first_row, second_row, strict=True)):
            if old != new:
                moved.setdefault((old, new), []).append(f"{index}/{number}")
    for (old, new), cards_moved in sorted(moved.items()):
        yield (
            f"{', '.join(cards_moved)}: {_holder_name(old, players)}, {where} "
            f"{_holder_name(new, players)}"
        )


def _stacked_lines(
    pairs: Sequence[tuple[str, str]], players: int, heads: tuple[str, str], wide: int
) -> Iterator[str]:
    from textwrap import wrap

    column = max(map(len, heads)) + 2
    for player, pair in enumerate(pairs):
        for holder, head, hand in zip(
            (_holder_name(player, players), ""), heads, pair, strict=True
        ):
            begins = f"{holder:<10}{head:<{column}}"
            yield from wrap(
                hand or "no cards", wide, initial_indent=begins, subsequent_indent=" " * len(begins)
            )
