"""Strict reader and lossless writer of state files, the JSON form of a `State`.

A malformed file raises `StateFileError`, which lists every fault with its path in the document. A
file that contradicts itself about a completed set raises `ContradictoryState`. Any other file gives
a `State`, even if no deal fits it. `State.settle` then updates the completed sets and the turn
according to the rules, with a warning for each change.

If both a state and a game record are allowed, the content of a file decides how it is read.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from quaternity.base.errors import InputError, QuaternityError
from quaternity.base.reading import decode, read_bytes, strip_bom
from quaternity.base.validation import validate_arguments
from quaternity.game.record import FIRST_LINE, ParsedRecord, parse_record
from quaternity.game.settings import MAX_SEED, TieBreak
from quaternity.game.state import State
from quaternity.game.transition import out_of_play
from solvers.exchange.deal_problem_file import FORMAT as DEAL_PROBLEM
from solvers.exchange.deal_problem_file import deal_problem_text, parse_deal_problem
from solvers.exchange.json_document import (
    MAX_SHOWN_FAULTS,
    DocumentReader,
    MalformedDocument,
    quote_json,
)
from solvers.problem import DealProblem, SetConstraint, check_size, players_in

FORMAT = "quaternity-state/1"
REQUIRED = (
    "format", "set_size", "sets", "players", "hands", "owners", "minimum", "completed"
)  # fmt: skip
OPTIONAL = ("turn", "maximum", "tie_break", "seed", "brisk")
DEAL_PROBLEM_FILE = re.compile(r'"format"\s*:\s*"deal-problem/')


class StateFileError(MalformedDocument):
    """Error for a malformed state file. `faults` lists every fault with its path in the file."""


class ContradictoryState(QuaternityError):
    """Error for a well-formed state file that contradicts itself about a completed set."""


class LoadedState(NamedTuple):
    """A state that was read from a file, with warnings about the file."""

    state: State
    warnings: list[str]


class LoadedProblem(NamedTuple):
    """A deal problem that was read from a file, with warnings about the file."""

    problem: DealProblem
    warnings: list[str]


def read_state(path: str) -> LoadedState:
    """Return the state in a state file. The path `-` means standard input.

    Raises:
        InputError: If the file cannot be read.
        StateFileError: If the file is malformed.
        ContradictoryState: If the state contradicts itself about a completed set.
    """
    return parse_state(decode(read_bytes(path)))


@validate_arguments(text=(str, bytes, bytearray))
def parse_state(text: str) -> LoadedState:
    """Return the state that a JSON text describes, or raise the same errors as `read_state`.

    >>> parse_state('{"players": 2}')
    Traceback (most recent call last):
        ...
    quaternity.game.state_file.StateFileError: format: missing; set_size: missing; sets: missing; \
hands: missing; owners: missing; minimum: missing; completed: missing
    """
    return settle_state(_unsettled_state(text))


def _unsettled_state(text: str) -> LoadedState:
    reader = _Reader(text)
    return LoadedState(reader.state(), reader.warnings)


def settle_state(loaded: LoadedState) -> LoadedState:
    """Return a state after completing sets and passing the turn as `State.settle` does.

    The result contains a warning for each change.
    """
    in_file = loaded.state
    state = in_file.settle()
    warnings = [
        f"set {index}: not marked as completed, although player {owner} owns all its cards; it is "
        "treated as completed"
        for index, owner in enumerate(state.completed)
        if owner != in_file.completed[index]
    ]
    if state.turn != in_file.turn:
        warnings.append(
            f"player {in_file.turn} has no cards: the turn passes to player {state.turn}"
        )
    return LoadedState(state, loaded.warnings + warnings)


class _Reader(DocumentReader):
    NOUN, FORMAT, REQUIRED, OPTIONAL = "a state", FORMAT, REQUIRED, OPTIONAL
    ERROR = StateFileError

    def state(self) -> State:
        document = self.document
        if document.get("format") == DEAL_PROBLEM:
            raise StateFileError(
                ["this is a deal problem, not a state of a game: it has no turn and no rules"]
            )
        size = self._whole("set_size", least=1)
        sets = self._whole("sets", least=1)
        players = self._whole("players", least=1)
        if size is None or sets is None or players is None:
            raise StateFileError(self.faults)
        try:
            check_size(players, sets, size * sets)
        except InputError as error:
            raise StateFileError([*self.faults, str(error)]) from None
        self.players, self.sets, self.size = players, sets, size
        hands = [
            self.number(hand, f"hands[{player}]")
            for player, hand in enumerate(self.list_of(document.get("hands", []), "hands", players))
        ]
        owners = [
            [
                self.owner_mask(players_of, f"owners[{index}][{card}]")
                for card, players_of in enumerate(self.list_of(cards, f"owners[{index}]", size))
            ]
            for index, cards in enumerate(self.list_of(document.get("owners", []), "owners", sets))
        ]
        minimum = self._bounds("minimum", 0)
        maximum = self._bounds("maximum", size)
        completed = [
            self.player(owner, f"completed[{index}]", absent=True)
            for index, owner in enumerate(
                self.list_of(document.get("completed", []), "completed", sets)
            )
        ]
        turn = self.player(document.get("turn"), "turn", absent=True)
        tie_break = self._tie_break()
        seed = document.get("seed", 0)
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= MAX_SEED:
            self.faults.append(
                f"seed: must be a whole number 0..{MAX_SEED}, not {quote_json(seed)}"
            )
        brisk = document.get("brisk", False)
        if not isinstance(brisk, bool):
            self.faults.append(f"brisk: must be true or false, not {quote_json(brisk)}")
        self.check()
        self._contradictions(owners, minimum, maximum, completed)
        constraints = tuple(
            SetConstraint.unchecked(
                tuple(owners[index]),
                tuple(row[index] for row in minimum),
                tuple(row[index] for row in maximum),
            )
            if completed[index] is None
            else out_of_play(players)
            for index in range(sets)
        )
        problem = DealProblem(hands, constraints)
        return State(problem, turn, tuple(completed), size, tie_break, seed, brisk)

    def _contradictions(
        self,
        owners: list[list[int]],
        minimum: list[list[int]],
        maximum: list[list[int]],
        completed: list[int | None],
    ) -> None:
        """Raise `ContradictoryState` if `completed` contradicts one of the other arguments.

        Completed sets are empty in the deal problem, so a solver would not notice this.
        """
        faults = []
        for index, owner in enumerate(completed):
            if owner is None:
                continue
            faults += [
                f"set {index} is completed by player {owner}, "
                f"but card {index}/{card} cannot belong to player {owner}"
                for card, mask in enumerate(owners[index])
                if not mask >> owner & 1
            ]
            if maximum[owner][index] < self.size:
                faults.append(
                    f"set {index} is completed by player {owner}, "
                    f"who may hold at most {maximum[owner][index]} of its cards"
                )
            for player, row in enumerate(minimum):
                # The file may still give the set size as the owner's minimum number of cards.
                if row[index] > (self.size if player == owner else 0):
                    faults.append(
                        f"set {index} is completed by player {owner}, "
                        f"but player {player} must hold {row[index]} of its cards"
                    )
        if faults:
            raise ContradictoryState("; ".join(faults[:MAX_SHOWN_FAULTS]))

    def _whole(self, name: str, least: int) -> int | None:
        value = self.document.get(name)
        if name not in self.document:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.faults.append(
                f"{name}: must be a whole number >= {least}, not {quote_json(value)}"
            )
            return None
        return value

    def _bounds(self, name: str, default: int) -> list[list[int]]:
        if name not in self.document:
            return [[default] * self.sets for _ in range(self.players)]
        return [
            [
                self.number(bound, f"{name}[{player}][{index}]")
                for index, bound in enumerate(self.list_of(row, f"{name}[{player}]", self.sets))
            ]
            for player, row in enumerate(self.list_of(self.document[name], name, self.players))
        ]

    def _tie_break(self) -> TieBreak:
        value = self.document.get("tie_break", TieBreak.FIRST_IN_ORDER.value)
        try:
            return TieBreak.parse(value if isinstance(value, str) else quote_json(value))
        except InputError as error:
            self.faults.append(f"tie_break: {error}")
            return TieBreak.FIRST_IN_ORDER


def state_document(state: State) -> dict[str, Any]:
    """Return the JSON object of a state, without optional fields that have their default value."""
    players, sets = state.problem.players, state.problem.sets
    document: dict[str, Any] = {
        "format": FORMAT,
        "set_size": state.set_size,
        "sets": state.sets,
        "players": players,
    }
    if state.turn is not None:
        document["turn"] = state.turn
    document["hands"] = list(state.hands)
    document["owners"] = [
        [list(players_in(mask)) for mask in constraint.owners]
        if owner is None
        else [[owner] for _ in range(state.set_size)]
        for constraint, owner in zip(sets, state.completed, strict=True)
    ]
    document["minimum"] = [[s.low[player] for s in sets] for player in range(players)]
    if any(s.size and maximum != state.set_size for s in sets for maximum in s.high):
        document["maximum"] = [
            [s.high[player] if s.size else state.set_size for s in sets]
            for player in range(players)
        ]
    document["completed"] = list(state.completed)
    if state.tie_break is not TieBreak.FIRST_IN_ORDER:
        document["tie_break"] = state.tie_break.value
    if state.seed:
        document["seed"] = state.seed
    if state.brisk:
        document["brisk"] = True
    return document


@validate_arguments(state=State)
def state_text(state: State) -> str:
    """Return a state as the text of a state file, with one field per line."""
    fields = (f'"{name}": {json.dumps(value)}' for name, value in state_document(state).items())
    return "{" + ",\n ".join(fields) + "}\n"


def read_any_document(path: str) -> LoadedState | ParsedRecord | LoadedProblem:
    """Return the contents of a state file, a game record or a deal-problem file.

    The path `-` means standard input.

    Raises:
        InputError: If the file cannot be read, is malformed, or is of another kind.
        ContradictoryState: If a state contradicts itself about a completed set.
    """
    data = read_bytes(path)
    start = strip_bom(data).lstrip()
    if start.startswith((b"{", b"[")):
        return parse_any(decode(data))
    if start.startswith((b"#", FIRST_LINE.split()[0].encode())):
        return parse_record(data)
    if not start:
        raise InputError("the file is empty")
    raise InputError(f"expected a state (a JSON object) or a record (first line {FIRST_LINE!r})")


def parse_any(text: str, *, settle: bool = True) -> LoadedState | LoadedProblem:
    """Return the state or deal problem in a JSON text, or raise the same errors as `read_state`.

    Args:
        text: the JSON text.
        settle: whether to update completed sets and the turn by `State.settle`, which takes long
            for large states.
    """
    if DEAL_PROBLEM_FILE.search(text):
        return LoadedProblem(*parse_deal_problem(text))
    return parse_state(text) if settle else _unsettled_state(text)


def any_text(value: State | DealProblem) -> str:
    """Return the text of a file that contains a state or a deal problem."""
    return state_text(value) if isinstance(value, State) else deal_problem_text(value)


def problem_of(value: State | DealProblem) -> DealProblem:
    """Return the deal problem of a state. If `value` is a deal problem, return it."""
    return value.problem if isinstance(value, State) else value
