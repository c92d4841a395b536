"""One step of a logged game on the screen: what was asked, the hands, the score, the worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaternity.cli.kwartet_table import (
    hand_text,
    knowledge_table,
    legend,
    player_name,
    points_text,
    score_table,
)
from quaternity.game.question import Answer
from quaternity.kwartet.hands import NUMBERS
from quaternity.kwartet.log import announced_at_deal
from quaternity.kwartet.worlds import public_worlds, worlds_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from quaternity.kwartet.log import GameLog
    from quaternity.kwartet.position import Position
    from quaternity.kwartet.requests import Event
    from quaternity.kwartet.view import View


def show_step(
    output: Console, log: GameLog, step: int, seat: int | None = None, worlds: bool = True
) -> None:
    """Print a step.

    Args:
        step: the number of requests made; 0 is the deal.
        seat: show what this seat sees, and nothing else.
        worlds: whether to count the possible deals.
    """
    position = log.positions[step]
    event = log.events[step - 1] if step else None
    said = event_text(event) if event is not None else _deal_text(log)
    output.print(f"[bold]step {step} of {len(log.events)}[/bold]: {said}")
    if seat is None:
        output.print(hands_table(position, log.names, event))
    else:
        view = view_at(log, step, seat)
        output.print(score_table(view.public, log.names, seat))
        output.print(knowledge_table(view))
        output.print(legend(view), markup=False)
        output.print(hand_text(view), markup=False)
    if position.public.is_over:
        output.print(f"all sets are put down: {points_text(position.public)}")
    elif worlds:
        output.print(_worlds_text(log, step, seat))


def show_knowledge(output: Console, log: GameLog, step: int, seat: int) -> None:
    """Print what a seat knows at a step."""
    view = view_at(log, step, seat)
    output.print(f"what player {player_name(seat, log.names)} knows at step {step}")
    output.print(knowledge_table(view))
    output.print(legend(view), markup=False)
    output.print(hand_text(view), markup=False)


def view_at(log: GameLog, step: int, seat: int) -> View:
    """What a seat sees after some requests."""
    return log.positions[step].view(seat, log.events[:step])


def event_text(event: Event) -> str:
    """A request and what followed, on one line."""
    colour = "green" if event.answer is Answer.YES else "red"
    text = f"{event.question}: [{colour}]{event.answer}[/{colour}]"
    for index in event.announced:
        text += f", [bold]{event.question.asker} puts down {index}[/bold]"
    return text


def _deal_text(log: GameLog) -> str:
    return ", ".join(["the deal", *announced_at_deal(log.positions[0])])


def hands_table(position: Position, names: tuple[str, ...], event: Event | None) -> Table:
    """All hands side by side: a row a set, a column a player; below them cards and points.

    The card that was asked for is green where it went, red where it stayed.
    """
    from rich.table import Table

    public = position.public
    table = Table(box=None, pad_edge=False)
    table.add_column("set", justify="right")
    for player in range(public.settings.players):
        on_turn = player == public.turn and not public.is_over
        name = f"{'> ' if on_turn else ''}{player_name(player, names)}"
        table.add_column(name, min_width=7, header_style="bold" if on_turn else "")
    for index, owner in enumerate(public.removed):
        if owner is not None:
            cells = ["put down" if player == owner else "" for player in range(len(public.hands))]
            table.add_row(str(index), *cells, style="dim")
            continue
        table.add_row(str(index), *(_held(index, hand[index], event) for hand in position.hands))
    table.add_row("cards", *map(str, public.hands))
    table.add_row("points", *map(str, public.points))
    return table


def _held(index: int, mask: int, event: Event | None) -> str:
    words = []
    for number in NUMBERS[mask]:
        asked_for = event is not None and event.question.card == (index, number)
        if asked_for and event is not None:
            colour = "green" if event.answer is Answer.YES else "red"
            words.append(f"[bold {colour}]{number}[/bold {colour}]")
        else:
            words.append(str(number))
    return " ".join(words)


def _worlds_text(log: GameLog, step: int, seat: int | None) -> str:
    seats = range(log.settings.players) if seat is None else (seat,)
    everybody = _number(public_worlds(log.positions[step].public))
    told = [f"player {one} {_number(worlds_of(view_at(log, step, one)))}" for one in seats]
    return f"possible deals: for everybody {everybody}\n  for {', '.join(told)}"


def _number(deals: int | None) -> str:
    """A number of deals, short when it is long.

    >>> _number(123456), _number(53644737765488792839237440000), _number(None)
    ('123,456', '5.36e+28', 'too many to count')
    """
    if deals is None:
        return "too many to count"
    return f"{deals:,}" if deals < 10**9 else f"{deals:.2e}"


__all__ = ["event_text", "hands_table", "show_knowledge", "show_step", "view_at"]
