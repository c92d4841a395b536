"""Analysis of uploaded files: the states of games, deal problems and the records of games.

The analysis says whether the content of a file is possible, and which deductions follow from it. A
state or a deal problem is possible if at least one deal of the cards agrees with it. A record is
possible if its moves follow the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quaternity.base.errors import InputError, LimitError, QuaternityError
from quaternity.base.reading import decode
from quaternity.game.record import parse_record
from quaternity.game.state import State
from quaternity.game.state_file import LoadedState, parse_any, problem_of, settle_state
from quaternity.insight.analysis import TooManyDeals, analyse, owner_chances
from quaternity.insight.check import check_record, check_state
from quaternity.table.games import rules_of_record
from quaternity.web.drawing.owners import Block, owner_blocks
from quaternity.web.forms import MAX_CARDS, MAX_SEATS
from quaternity.web.languages import using_language
from quaternity.web.rendering import analysis_html
from solvers.problem import DealProblem
from solvers.registry import SOLVERS

JUDGES = ("coalitions", "max-flow", "cp-sat")
"""Names of the solvers that check whether there is a deal that fits an uploaded file."""

MAX_PAIRS = MAX_SEATS * MAX_CARDS
"""Maximum number of pairs (player, card) in an uploaded file."""

MAX_ANSWER_BYTES = 4 << 20
"""Maximum size of the page that shows the analysis of a file, in bytes."""


def analysis_page(data: bytes, root: str, language: str) -> tuple[bytes, int]:
    """Return a page with the analysis of an uploaded file or an error, and the HTTP status."""
    with using_language(language):
        try:
            page, status = analysis_html(analyse_file(data), root=root).encode(), 200
            if len(page) > MAX_ANSWER_BYTES:
                raise InputError(
                    f"the analysis is too large for a page: {len(page)} bytes, and the limit is "
                    f"{MAX_ANSWER_BYTES}; use the command `quaternity analyse`"
                )
        except QuaternityError as error:
            page, status = analysis_html(None, str(error)[:MAX_ANSWER_BYTES], root).encode(), 422
    return page, status


def analyse_file(data: bytes) -> dict[str, Any]:
    """Return the analysis of a file with a state, a deal problem or the record of a game.

    The dictionary has these keys:

    - `kind` and `game`: what the file contains, and the name of the game
    - `possible` and `reason`: whether the file is possible, and if not, why
    - `verdicts`: for each solver that checked the file, whether it is possible
    - `warnings`: irregularities of the file
    - `moves`: the number of moves of a record, or None for other files
    - `blocks` and `players`: the results of `owner_blocks`, and the number of players
    - `deals`: the number of possible deals as a string, or None if there are too many to count

    The last three are `[]`, 0 and None if the file is impossible or its game is not Quaternity.

    Raises:
        QuaternityError: If the file cannot be read, or is too large for this page.
    """
    is_json = data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))
    rules: Any = None if is_json else rules_of_record(data)
    if rules is not None and rules.name != "quaternity":
        replay = rules.replay(data)
        return _result("record", rules.name, True, None, {}, replay.warnings, len(replay.moves))
    solvers = [SOLVERS[name] for name in JUDGES]
    position: State | DealProblem | None
    warnings: Sequence[str]
    if is_json:
        loaded = parse_any(decode(data), settle=False)
        position = loaded.state if isinstance(loaded, LoadedState) else loaded.problem
        problem = problem_of(position)
        cards = problem.cards
        # Count all cards of the game, because the problem has no cards of completed sets.
        if isinstance(position, State):
            cards = position.set_size * len(problem.sets)
        _check_pairs(problem.players, cards)
        if isinstance(loaded, LoadedState):
            loaded = settle_state(loaded)
            position = loaded.state
        report, warnings, moves = check_state(position, solvers), loaded.warnings, None
    else:
        record = parse_record(data)
        settings = record.settings
        _check_pairs(settings.players, settings.set_size * settings.sets)
        report, warnings, moves = check_record(record, solvers), record.warnings, len(record.moves)
        position = record.replay().state if report.valid else None
    facts = _result(
        report.kind, "quaternity", report.valid, report.reason, report.verdicts, warnings, moves
    )
    return facts | (_owners(position) if report.valid and position is not None else {})


def _check_pairs(players: int, cards: int) -> None:
    if players * cards > MAX_PAIRS:
        raise InputError(
            f"players times cards: must be at most {MAX_PAIRS} on this page, not {players} x "
            f"{cards} = {players * cards}; the command `quaternity analyse` takes larger files"
        )


def _result(
    kind: str, game: str, possible: bool, reason: str | None, verdicts: dict[str, bool],
    warnings: Sequence[str], moves: int | None,
) -> dict[str, Any]:  # fmt: skip
    return {
        "kind": kind, "game": game, "possible": possible, "reason": reason, "verdicts": verdicts,
        "warnings": list(warnings), "moves": moves, "blocks": [], "players": 0, "deals": None,
    }  # fmt: skip


def _owners(position: State | DealProblem) -> dict[str, Any]:
    problem = problem_of(position)
    completed = position.completed if isinstance(position, State) else (None,) * len(problem.sets)
    deals: str | None = None
    try:
        analysis = analyse(position, 8.0)
        chances: Any = analysis.chances
        deals = str(analysis.deals)
    except TooManyDeals as error:
        chances = owner_chances(error.deductions.may_own, problem.players)
    except LimitError:
        chances = None
    known = position.filtered_problem(8.0) if isinstance(position, State) else problem
    blocks: list[Block] = owner_blocks(known, completed, None, (), chances)
    return {"blocks": blocks, "players": problem.players, "deals": deals}
