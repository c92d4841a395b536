"""Write the certificate of a solved game, which `quaternity.perfect.certificate` checks."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from quaternity.base.writing import replacing
from quaternity.perfect.certificate import FORMAT
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import canonical, coding
from quaternity.perfect.keys.kinds import Roles, role_orders
from quaternity.perfect.solving.graph_files import Report, quiet
from quaternity.perfect.solving.standing import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from quaternity.game.state import State
    from quaternity.perfect.solving.solver import Solution

WRITTEN_AT_ONCE = 1 << 12
"""Lines that are written at a time."""


def write_certificate(
    path: str | Path, solution: Solution, state: State, report: Report = quiet
) -> None:
    """Write the certificate of a game solved from a state, whole or not at all.

    In that state players have their own numbers, in others those of their roles.

    Cost: some 20 microseconds and 300 bytes a state of 4-3-3.

    Raises:
        InputError: it cannot be written.
    """
    graph = solution.graph
    head = {"certificate": FORMAT, **graph.rules.document(), "brisk": graph.rules.brisk}
    head |= {"start": graph.start, "states": len(graph)}
    with replacing(path) as part, part.open("w", encoding="ascii") as file:
        file.write(json.dumps(head) + "\n")
        lines: list[str] = []
        for number, line in enumerate(_lines(solution, canonical(state).roles), 1):
            lines.append(line)
            if len(lines) == WRITTEN_AT_ONCE or number == len(graph):
                file.write("".join(lines))
                lines.clear()
                report("certificate", number, len(graph))


def _lines(solution: Solution, players: Roles) -> Iterator[str]:
    """Yield a line for each state, its players in the order of `Coding.order`.

    The parts of a line are few texts again and again, so each is made once.
    """
    graph, values = solution.graph, solution.values
    code, orders = coding(graph.rules), role_orders(graph.rules.players)[0]
    parts = [code.parts(key) for key in key_bytes(graph.keys)]
    seats = [code.order(part) for part in parts]
    seats[graph.start] = tuple([players.index(player) for player in range(len(players))])
    after: list[Sequence[tuple[int, int]]] = [()] * len(parts)
    for segment in graph.segments():
        ends = [*segment.first.tolist()[1:], len(segment.asked)]
        no = list(zip(segment.no.tolist(), segment.no_order.tolist(), strict=True))
        yes = list(zip(segment.yes.tolist(), segment.yes_order.tolist(), strict=True))
        for state, first, end in zip(
            segment.states.tolist(), segment.first.tolist(), ends, strict=True
        ):
            after[state] = sorted({*no[first:end], *yes[first:end]})

    @cache
    def kind(number: int, roles: Roles) -> str:
        shown = code.book.numbered(number).renamed(roles)
        return _text((shown.masks, shown.low))

    @cache
    def names(order: int, target: Roles, roles: Roles) -> str:
        return _text(tuple([roles.index(orders[order][role]) for role in target]))

    lengths = values.length.tolist()
    for part, roles, length, follow in zip(parts, seats, lengths, after, strict=True):
        turn = roles.index(0) if part.kinds and part.place < graph.rules.players else None
        hands, points = (tuple([row[role] for role in roles]) for row in (part.hands, part.points))
        ranks = tuple([None if length[role] == NEVER else length[role] for role in roles])
        kinds = ",".join([kind(number, roles) for number in part.kinds])
        targets = ",".join([f"[{to},{names(order, seats[to], roles)}]" for to, order in follow])
        yield f"{_text((turn, hands, points))[:-1]},[{kinds}],{_text(ranks)},[{targets}]]\n"


@lru_cache(1 << 16)
def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
