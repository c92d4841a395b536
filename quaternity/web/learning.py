"""A file that somebody drops on a page: whether it is possible, and what it implies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quaternity.base.errors import InputError, LimitError, QuaternityError
from quaternity.base.reading import decode
from quaternity.game.record import parse_record
from quaternity.game.state import State
from quaternity.game.state_file import LoadedState, parse_any, problem_of, settled_state
from quaternity.insight.analysis import TooManyDeals, analyse, owner_chances
from quaternity.insight.check import check_record, check_state
from quaternity.table.games import rules_of_record
from quaternity.web.drawing.owners import Block, owner_blocks
from quaternity.web.forms import MAX_CARDS, MAX_SEATS
from quaternity.web.languages import speaking
from quaternity.web.rendering import learned_html
from solvers.problem import DealProblem
from solvers.registry import SOLVERS

JUDGES = ("coalitions", "max-flow", "cp-sat")
"""The solvers that look at every position."""

MAX_PAIRS = MAX_SEATS * MAX_CARDS
"""Maximum number of pairs of a player and a card in a file: the number at the largest table."""

MAX_ANSWER = 4 << 20
"""Maximum size of the answer, in bytes."""


def learned_page(data: bytes, root: str, language: str) -> tuple[bytes, int]:
    """Return a page with what a file implies, or why it was refused, and the HTTP status."""
    with speaking(language):
        try:
            page, status = learned_html(learned(data), root=root).encode(), 200
            if len(page) > MAX_ANSWER:
                raise InputError(f"the answer would have {len(page)} bytes: at most {MAX_ANSWER}")
        except QuaternityError as error:
            page, status = learned_html(None, str(error)[:MAX_ANSWER], root).encode(), 422
    return page, status


def learned(data: bytes) -> dict[str, Any]:
    """Return what a state, a deal problem or a record says.

    That is `kind`, `game`, `possible`, `reason`, `verdicts`, `warnings`; where it is possible and
    of Quaternity `blocks` (see `quaternity.web.drawing.owners`), `players` and `deals`, as text.
    """
    is_json = data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))
    rules: Any = None if is_json else rules_of_record(data)
    if rules is not None and rules.name != "quaternity":
        replay = rules.replay(data)
        return _found("record", rules.name, True, None, {}, replay.warnings, len(replay.moves))
    solvers = [SOLVERS[name] for name in JUDGES]
    given: State | DealProblem | None
    warnings: Sequence[str]
    if is_json:
        loaded = parse_any(decode(data), settle=False)
        given = loaded.state if isinstance(loaded, LoadedState) else loaded.problem
        problem = problem_of(given)
        cards = problem.cards
        if isinstance(given, State):  # cards of completed sets are no longer in the problem
            cards = given.set_size * len(problem.sets)
        _check_pairs(problem.players, cards)
        if isinstance(loaded, LoadedState):
            loaded = settled_state(loaded)
            given = loaded.state
        report, warnings, moves = check_state(given, solvers), loaded.warnings, None
    else:
        record = parse_record(data)
        settings = record.settings
        _check_pairs(settings.players, settings.set_size * settings.sets)
        report, warnings, moves = check_record(record, solvers), record.warnings, len(record.moves)
        given = record.replay().state if report.valid else None
    facts = _found(
        report.kind, "quaternity", report.valid, report.reason, report.verdicts, warnings, moves
    )
    return facts | (_implied(given) if report.valid and given is not None else {})


def _check_pairs(players: int, cards: int) -> None:
    if players * cards > MAX_PAIRS:
        raise InputError(
            f"players times cards: must be at most {MAX_PAIRS} on this page, not {players} x "
            f"{cards} = {players * cards}; the command `quaternity analyse` takes larger files"
        )


def _found(
    kind: str, game: str, possible: bool, reason: str | None, verdicts: dict[str, bool],
    warnings: Sequence[str], moves: int | None,
) -> dict[str, Any]:  # fmt: skip
    return {
        "kind": kind, "game": game, "possible": possible, "reason": reason, "verdicts": verdicts,
        "warnings": list(warnings), "moves": moves, "blocks": [], "players": 0, "deals": None,
    }  # fmt: skip


def _implied(given: State | DealProblem) -> dict[str, Any]:
    """Return who owns what with what chance."""
    problem = problem_of(given)
    completed = given.completed if isinstance(given, State) else (None,) * len(problem.sets)
    deals: str | None = None
    try:
        analysis = analyse(given, 8.0)
        chances: Any = analysis.chances
        deals = str(analysis.deals)
    except TooManyDeals as error:
        chances = owner_chances(error.deductions.may_own, problem.players)
    except LimitError:
        chances = None
    known = given.closed(8.0) if isinstance(given, State) else problem
    blocks: list[Block] = owner_blocks(known, completed, None, (), chances)
    return {"blocks": blocks, "players": problem.players, "deals": deals}
