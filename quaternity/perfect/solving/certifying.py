"""Functions that write the certificates that `quaternity.perfect.certificate` checks."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import InputError, LimitError
from quaternity.base.progress import Report, quiet
from quaternity.base.writing import replace_file
from quaternity.game.settings import TieBreak
from quaternity.perfect.certificate import FORMAT, MAX_CARDS, MAX_PLAYERS
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import Canonical, Key, Rules, canonical, coding
from quaternity.perfect.keys.kinds import Roles, role_orders
from quaternity.perfect.solving.max_n import MaxNOutcomes, solve_max_n
from quaternity.perfect.solving.state_value import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from quaternity.game.state import State
    from quaternity.perfect.forcing import ForcedWinSearch, Node
    from quaternity.perfect.solving.solver import Solution

WRITE_BATCH = 1 << 12
"""Number of lines of a certificate that are written at a time."""


def check_certifiable(rules: Rules, wish: str | None = None) -> None:
    """Check that `quaternity verify` can read the certificates of a game.

    Raises:
        LimitError: If the game is outside the limits of the checker.
    """
    cards = rules.set_size * rules.sets
    if rules.set_size < 2 or cards > MAX_CARDS or rules.players not in range(2, MAX_PLAYERS + 1):
        raise LimitError(
            f"--certificate: the checker accepts at most {MAX_CARDS} cards, sets of at least 2, "
            f"and 2 to {MAX_PLAYERS} players, not {rules.sets} sets of {rules.set_size} with "
            f"{rules.players} players"
        )
    if wish is not None and not rules.brisk and rules.players > 2:
        raise LimitError(
            "--certificate: the checker accepts --everybody only for brisk games or two players"
        )


def write_certificate(
    path: str | Path, solution: Solution, state: State, wish: str | None = None,
    report: Report = quiet,
) -> None:  # fmt: skip
    """Write a certificate with which `quaternity verify` can check a solved game.

    The file is written completely or not at all. Players have their own numbers in the solved
    state, and the numbers of their roles in all other states. If a wish is given, the certificate
    also contains the outcomes if all players play for themselves. Computing them can raise the
    errors of `solve_max_n`. This takes about 20 microseconds and 300 bytes for each state of a
    4-3-3 game.

    Raises:
        InputError: If the file cannot be written.
        LimitError: If the game is outside the limits of the checker.
    """
    graph = solution.graph
    check_certifiable(graph.rules, wish)
    head = {"certificate": FORMAT, **graph.rules.document(), "brisk": graph.rules.brisk}
    head |= {"start": graph.start, "states": len(graph), "player": None, "wish": wish}
    everybody = None if wish is None else solve_max_n(graph, wish)
    with replace_file(path) as part, part.open("w", encoding="ascii") as file:
        file.write(json.dumps(head) + "\n")
        lines: list[str] = []
        for number, line in enumerate(_lines(solution, everybody, canonical(state).roles), 1):
            lines.append(line)
            if len(lines) == WRITE_BATCH or number == len(graph):
                file.write("".join(lines))
                lines.clear()
                report("certificate", number, len(graph))


def _lines(solution: Solution, everybody: MaxNOutcomes | None, players: Roles) -> Iterator[str]:
    """Yield the line of a certificate for each state, with the players in their seating order."""
    # Parts of the lines repeat often, so the text of each part is created once and cached.
    graph, values = solution.graph, solution.values
    code, orders = coding(graph.rules), role_orders(graph.rules.players)[0]
    parts = [code.parts(key) for key in key_bytes(graph.keys)]
    seats = [code.order(part) for part in parts]
    seats[graph.start] = _seats(players)
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
        renamed_kind = code.book.by_number(number).rename(roles)
        return _text((renamed_kind.masks, renamed_kind.low))

    @cache
    def names(order: int, target: Roles, roles: Roles) -> str:
        return _text(tuple([roles.index(orders[order][role]) for role in target]))

    @lru_cache(1 << 16)
    def gets(row: tuple[int, ...], roles: Roles) -> str:
        assert everybody is not None, "outcomes can be written only with --everybody"
        outcomes = [
            [outcome[role] for role in roles]
            for place, outcome in enumerate(everybody.outcomes)
            if row[place // 64] >> place % 64 & 1
        ]
        return json.dumps(outcomes, separators=(",", ":"))

    words = iter(map(tuple, [] if everybody is None else everybody.sets[:, 0].tolist()))
    lengths = values.length.tolist()
    for part, roles, length, follow in zip(parts, seats, lengths, after, strict=True):
        turn = roles.index(0) if part.kinds and part.place < graph.rules.players else None
        hands, points = (tuple([row[role] for role in roles]) for row in (part.hands, part.points))
        ranks = tuple([None if length[role] == NEVER else length[role] for role in roles])
        kinds = ",".join([kind(number, roles) for number in part.kinds])
        targets = ",".join(
            [f"[{target},{names(order, seats[target], roles)}]" for target, order in follow]
        )
        outcomes = "null" if everybody is None else gets(next(words), roles)
        facts = _text((turn, hands, points))[:-1]
        yield f"{facts},[{kinds}],{_text(ranks)},[{targets}],{outcomes}]\n"


def write_forcing_certificate(
    path: str | Path, forcing: ForcedWinSearch, seconds: float, report: Report = quiet
) -> None:
    """Write a certificate with which `quaternity verify` can check a forced-win search.

    It contains the states that the strategy can reach.

    Raises:
        InputError: If the file cannot be written, or chance can decide a tie-break.
        LimitError: If the certificate is not complete after `seconds`, or the game is outside the
            limits of the checker.
    """
    player, rules = forcing.player, Rules.of(forcing.state)
    check_certifiable(rules)
    if rules.tie_break is TieBreak.MIN_SETS:
        raise InputError("--certificate with --ask needs the tie-break first-in-order")
    states, after = _region(forcing, seconds, report)
    ranks: dict[int, int] = {}
    # A strategy moves only to states that were decided earlier, so their ranks are known.
    if forcing.can_force:
        for at in sorted(range(len(states)), key=lambda at: states[at][1].rank):
            ranks[at] = 1 + max([ranks[target] for target, _ in after[at]], default=-1)
    code = coding(rules)
    head = {"certificate": FORMAT, **rules.document(), "brisk": rules.brisk, "start": 0}
    head |= {"states": len(states), "player": player, "wish": None}
    with replace_file(path) as part, part.open("w", encoding="ascii") as file:
        file.write(json.dumps(head) + "\n")
        for at, ((key, roles), _) in enumerate(states):
            parts, order = code.parts(key), _seats(roles)
            kinds = [code.book.by_number(kind).rename(order) for kind in parts.kinds]
            line = [
                roles[0] if kinds else None,
                *([row[role] for role in order] for row in (parts.hands, parts.points)),
                [(kind.masks, kind.low) for kind in kinds],
                [ranks.get(at) if p == player else None for p in range(len(roles))],
                after[at], None,
            ]  # fmt: skip
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


def _region(
    forcing: ForcedWinSearch, seconds: float, report: Report
) -> tuple[list[tuple[Canonical, Node]], list[list[tuple[int, list[int]]]]]:
    """Return the states that a strategy can reach, and the successors of each of them.

    A successor is a pair: the number of the state, and the number that each of its players has
    before the move. States that differ only in the names of the opponents count once.
    """
    numbers: dict[tuple[Key, int], int] = {}
    todo: list[State] = []
    states: list[tuple[Canonical, Node]] = []
    after: list[list[tuple[int, list[int]]]] = []

    def number(state: State, form: Canonical) -> int:
        place = form.key, form.roles.index(forcing.player)
        if place not in numbers:
            numbers[place] = len(todo)
            todo.append(state)
            states.append((form, forcing.graph.node(*place)))
        return numbers[place]

    end = monotonic() + seconds
    number(forcing.state, canonical(forcing.state))
    for state in todo:  # The list grows during the loop.
        if monotonic() > end:
            raise LimitError(
                f"the certificate is not complete after {seconds:g} seconds and {len(todo):,} "
                "states: use --seconds to allow more"
            )
        follow = []
        for successor in forcing.strategy(state):
            form = canonical(successor)
            target = number(successor, form)
            target_order = _seats(states[target][0].roles)
            follow.append((target, [form.roles[role] for role in target_order]))
        after.append(follow)
        report("certificate", len(after), None)
    return states, after


def _seats(roles: Roles) -> Roles:
    return tuple([roles.index(player) for player in range(len(roles))])


@lru_cache(1 << 16)
def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
