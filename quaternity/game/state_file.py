"""State files: the JSON form of a `State`, read strictly and written losslessly.

A file that is malformed raises `StateFileError`, with every fault and its path in the document. A
file that is well formed but contradicts itself about a completed set raises `ContradictoryState`:
it is impossible, not malformed. Everything else becomes a `State`, possible or not. Where either a
state or a record may be given, what a file is shows in its content, not in its name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from quaternity.errors import InputError, QuaternityError
from quaternity.files.reading import decode, read_bytes
from quaternity.game.record import FIRST_LINE, ParsedRecord, parse_record
from quaternity.game.settings import LARGEST_SEED, TieBreak
from quaternity.game.state import State
from quaternity.game.transition import out_of_play
from solvers.plain_values import MAX_NUMBER
from solvers.problem import DealProblem, SetConstraint, check_size, mask_of, players_in

FORMAT = "quaternity-state/1"
REQUIRED = (
    "format", "set_size", "sets", "players", "hands", "owners", "minimum", "completed"
)  # fmt: skip
OPTIONAL = ("turn", "maximum", "tie_break", "seed")
LARGEST_NUMBER = MAX_NUMBER
"""Largest hand or bound that is read: far above every possible state, and quick to print."""

MOST_SHOWN = 20
"""Most faults an error's text shows; `StateFileError.faults` has all."""


class StateFileError(InputError):
    """A state file is malformed.

    Attributes:
        faults: every fault with its path in the document.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = list(faults)
        shown = self.faults[:MOST_SHOWN]
        if len(shown) < len(self.faults):
            shown.append(f"and {len(self.faults) - len(shown)} more faults")
        super().__init__("; ".join(shown))


class ContradictoryState(QuaternityError):
    """A well-formed state that no deal fits, because of what it says about a completed set."""


class LoadedState(NamedTuple):
    """A state with what was odd about its file."""

    state: State
    warnings: list[str]


def read_state(path: str) -> LoadedState:
    """Read a state file (`-`: standard input).

    Raises:
        InputError, StateFileError: unreadable or malformed.
        ContradictoryState: impossible by what it says about a completed set.
    """
    return parse_state(decode(read_bytes(path)))


def parse_state(text: str) -> LoadedState:
    """Read the JSON text of a state. Raises as `read_state`.

    >>> parse_state('{"players": 2}')
    Traceback (most recent call last):
        ...
    quaternity.game.state_file.StateFileError: format: missing; set_size: missing; sets: missing; \
hands: missing; owners: missing; minimum: missing; completed: missing
    """
    document = _json_object(text)
    reader = _Reader(document)
    return LoadedState(reader.state(), reader.warnings)


def _json_object(text: str) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            times = Counter(name for name, _ in pairs)
            twice = [name for name, number in times.items() if number > 1]
            raise StateFileError([f"{name}: given more than once" for name in twice])
        return fields

    def constant(name: str) -> Any:
        raise StateFileError([f"{name} is not a number a state may hold"])

    try:
        document = json.loads(text, object_pairs_hook=unique, parse_constant=constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise StateFileError([f"not JSON: {error.msg} at {place}"]) from None
    except RecursionError:
        raise StateFileError(["nested too deeply"]) from None
    except InputError:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise StateFileError([f"not readable: {error}"]) from None
    if not isinstance(document, dict):
        raise StateFileError([f"a state is a JSON object, not {_kind(document)}"])
    return document


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", dict: "an object", list: "a list", str: "a text"}
    return names.get(type(value), "a number")


def _shown(value: object) -> str:
    text = json.dumps(value) if not isinstance(value, list | dict) else _kind(value)
    return text if len(text) <= 40 else text[:37] + "..."


class _Reader:
    """Collects all faults of one document, then builds the state."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.faults: list[str] = []
        self.warnings = [
            f"{name}: unknown field, ignored"
            for name in document
            if name not in REQUIRED + OPTIONAL
        ]

    def state(self) -> State:
        document = self.document
        self.faults += [f"{name}: missing" for name in REQUIRED if name not in document]
        if "format" in document and document["format"] != FORMAT:
            self.faults.append(f'format: {_shown(document["format"])} is not "{FORMAT}"')
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
            self._number(hand, f"hands[{player}]")
            for player, hand in enumerate(self._list(document.get("hands", []), "hands", players))
        ]
        owners = [
            [
                self._owner_mask(who, f"owners[{index}][{card}]")
                for card, who in enumerate(self._list(cards, f"owners[{index}]", size))
            ]
            for index, cards in enumerate(self._list(document.get("owners", []), "owners", sets))
        ]
        minimum = self._bounds("minimum", 0)
        maximum = self._bounds("maximum", size)
        completed = [
            self._player(owner, f"completed[{index}]", absent=True)
            for index, owner in enumerate(
                self._list(document.get("completed", []), "completed", sets)
            )
        ]
        turn = self._player(document.get("turn"), "turn", absent=True)
        tie_break = self._tie_break()
        seed = document.get("seed", 0)
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED:
            self.faults.append(f"seed: {_shown(seed)} is not a whole number 0..{LARGEST_SEED}")
        if self.faults:
            raise StateFileError(self.faults)
        self._contradictions(owners, minimum, maximum, completed)
        constraints = tuple(
            SetConstraint.trusted(
                tuple(owners[index]),
                tuple(row[index] for row in minimum),
                tuple(row[index] for row in maximum),
            )
            if completed[index] is None
            else out_of_play(players)
            for index in range(sets)
        )
        problem = DealProblem(hands, constraints)
        return State(problem, turn, tuple(completed), size, tie_break, seed)

    def _contradictions(
        self,
        owners: list[list[int]],
        minimum: list[list[int]],
        maximum: list[list[int]],
        completed: list[int | None],
    ) -> None:
        """Completed sets leave no trace in the deal problem, so they are checked here."""
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
                # The set's owner may still be said to hold it.
                if row[index] > (self.size if player == owner else 0):
                    faults.append(
                        f"set {index} is completed by player {owner}, "
                        f"but player {player} must hold {row[index]} of its cards"
                    )
        if faults:
            raise ContradictoryState("; ".join(faults[:MOST_SHOWN]))

    def _whole(self, name: str, least: int) -> int | None:
        value = self.document.get(name)
        if name not in self.document:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.faults.append(f"{name}: {_shown(value)} is not a whole number of at least {least}")
            return None
        return value

    def _list(self, value: object, place: str, length: int) -> list[Any]:
        if not isinstance(value, list):
            self.faults.append(f"{place}: {_kind(value)} where a list is expected")
            return []
        if len(value) != length:
            if place in self.document or "[" in place:
                self.faults.append(f"{place}: {len(value)} entries, expected {length}")
            return value[:length]
        return value

    def _number(self, value: object, place: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            self.faults.append(f"{place}: {_shown(value)} is not a whole number of at least 0")
            return 0
        if value > LARGEST_NUMBER:
            self.faults.append(f"{place}: {_shown(value)} is above {LARGEST_NUMBER:.0e}")
            return 0
        return value

    def _player(self, value: object, place: str, *, absent: bool = False) -> int | None:
        if value is None and absent:
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            self.faults.append(f"{place}: {_shown(value)} is not a player")
            return None
        if not 0 <= value < self.players:
            self.faults.append(
                f"{place}: player {_shown(value)} is out of range 0..{self.players - 1}"
            )
            return None
        return value

    def _owner_mask(self, value: object, place: str) -> int:
        if not isinstance(value, list):
            self.faults.append(f"{place}: {_kind(value)} where a list of players is expected")
            return 0
        players = [self._player(one, place) for one in value]
        return mask_of(player for player in players if player is not None)

    def _bounds(self, name: str, default: int) -> list[list[int]]:
        if name not in self.document:
            return [[default] * self.sets for _ in range(self.players)]
        return [
            [
                self._number(bound, f"{name}[{player}][{index}]")
                for index, bound in enumerate(self._list(row, f"{name}[{player}]", self.sets))
            ]
            for player, row in enumerate(self._list(self.document[name], name, self.players))
        ]

    def _tie_break(self) -> TieBreak:
        value = self.document.get("tie_break", TieBreak.FIRST_IN_ORDER.value)
        try:
            return TieBreak.parse(value if isinstance(value, str) else _shown(value))
        except InputError as error:
            self.faults.append(f"tie_break: {error}")
            return TieBreak.FIRST_IN_ORDER


def state_document(state: State) -> dict[str, Any]:
    """The JSON object of a state. Optional fields appear where they say something."""
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
        [list(players_in(mask)) for mask in one.owners]
        if owner is None
        else [[owner] for _ in range(state.set_size)]
        for one, owner in zip(sets, state.completed, strict=True)
    ]
    document["minimum"] = [[one.low[player] for one in sets] for player in range(players)]
    if any(one.size and most != state.set_size for one in sets for most in one.high):
        document["maximum"] = [
            [one.high[player] if one.size else state.set_size for one in sets]
            for player in range(players)
        ]
    document["completed"] = list(state.completed)
    if state.tie_break is not TieBreak.FIRST_IN_ORDER:
        document["tie_break"] = state.tie_break.value
    if state.seed:
        document["seed"] = state.seed
    return document


def state_text(state: State) -> str:
    """The text of a state file: one field a line."""
    fields = (f'"{name}": {json.dumps(value)}' for name, value in state_document(state).items())
    return "{" + ",\n ".join(fields) + "}\n"


def read_document(path: str) -> LoadedState | ParsedRecord:
    """Read a state file or a game record (`-`: standard input).

    Raises:
        InputError: unreadable, malformed, or neither of the two.
        ContradictoryState: a state that contradicts itself about a completed set.
    """
    data = read_bytes(path)
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        return parse_state(decode(data))
    if start.startswith((b"#", FIRST_LINE.split()[0].encode())):
        return parse_record(data)
    if not start:
        raise InputError("the file is empty")
    raise InputError(f"neither a state (a JSON object) nor a record (first line {FIRST_LINE!r})")


__all__ = [
    "FORMAT",
    "ContradictoryState",
    "LoadedState",
    "StateFileError",
    "parse_state",
    "read_document",
    "read_state",
    "state_document",
    "state_text",
]
