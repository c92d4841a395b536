"""A game of Kwartet as one seat sees it. Everything here is a function of what that seat knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quaternity.kwartet.hands import NUMBERS
from solvers.filtering import closed
from solvers.problem import players_in

if TYPE_CHECKING:
    from rich.table import Table

    from quaternity.kwartet.public import PublicState
    from quaternity.kwartet.view import View


def hand_text(view: View) -> str:
    """The seat's cards, a set after another."""
    sets = [
        " ".join(f"{index}/{number}" for number in NUMBERS[mask])
        for index, mask in enumerate(view.hand)
        if mask
    ]
    return f"hand of player {view.seat}: {'   '.join(sets) or 'no cards'}"


def score_table(public: PublicState, names: Sequence[str], seat: int | None = None) -> Table:
    """Who is on turn, cards and points; one row a player.

    Args:
        names: per player who plays there, or nothing.
        seat: the player who looks.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("", "player", "cards", "points"):
        table.add_column(heading, justify="right" if heading != "player" else "left")
    for player, (cards, points) in enumerate(zip(public.hands, public.points, strict=True)):
        on_turn = player == public.turn and not public.is_over
        table.add_row(
            ">" if on_turn else "",
            player_name(player, names, seat),
            str(cards),
            str(points),
            style="bold" if on_turn else "",
        )
    return table


def player_name(player: int, names: Sequence[str], seat: int | None = None) -> str:
    """A player by number, with who plays there, as markup for rich."""
    from rich.markup import escape

    role = "you" if player == seat else names[player] if names else ""
    if player != seat and role == "you":
        role = "a person"
    if not role:
        return str(player)
    # A log may call its players anything: neither control characters nor markup come through.
    shown = "".join(character if character.isprintable() else "?" for character in role)
    return f"{player} ({escape(shown)})"


def knowledge_table(view: View) -> Table:
    """Per card its owner or possible owners, and per set what opponents hold at least.

    Exact: an owner is named only if some deal that the seat holds possible gives him the card.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("set", justify="right")
    for number in range(4):
        table.add_column(f"/{number}", justify="center", min_width=4)
    table.add_column("at least")
    opponents = view.public.with_cards & ~(1 << view.seat)
    for index, constraint in enumerate(closed(view.problem).sets):
        owner = view.public.removed[index]
        if owner is not None:
            table.add_row(str(index), *"----", f"player {owner} put it down", style="dim")
            continue
        cells = [_cell(mask, view.seat, opponents) for mask in constraint.owners]
        least = [
            f"player {player}: {fewest}"
            for player, fewest in enumerate(constraint.low)
            if fewest and player != view.seat
        ]
        table.add_row(str(index), *cells, ", ".join(least))
    return table


def legend(view: View) -> str:
    """What the cells of `knowledge_table` mean, with players that this seat may see there."""
    opponents = [player for player in players_in(view.public.with_cards) if player != view.seat]
    parts = [f"={player}: player {player} has it" for player in opponents[-1:]]
    if len(opponents) > 2:
        first, second = opponents[:2]
        parts.append(f"{first}{second}: player {first} or {second} has it")
    if len(opponents) > 1:
        parts.append("*: any opponent with cards may have it")
    return "   ".join(["mine: in the hand below", *parts])


def _cell(mask: int, seat: int, opponents: int) -> str:
    if mask == 1 << seat:
        return "[bold]mine[/bold]"
    who = "".join(map(str, players_in(mask)))
    if mask.bit_count() == 1:
        return f"[green]={who}[/green]"
    return "*" if mask == opponents else who


def points_text(public: PublicState) -> str:
    """The points, and who has won."""
    points = public.points
    told = ", ".join(f"player {player}: {count}" for player, count in enumerate(points))
    best = [player for player, count in enumerate(points) if count == max(points)]
    if len(best) == 1:
        return f"{told}: player {best[0]} wins"
    return f"{told}: a tie of players {', '.join(map(str, best))}"


__all__ = [
    "hand_text",
    "knowledge_table",
    "legend",
    "player_name",
    "points_text",
    "score_table",
]
