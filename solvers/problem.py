"""Deal problems: the constraints on a deal, in one form for all solvers.

A *deal* gives each card of each set exactly one owner. A `DealProblem` says which deals are
allowed. It specifies how many cards each player holds, which players may own each card, and the
minimum and maximum number of cards of each set that each player holds. Players, sets and cards are
numbered from 0. A group of players is a bit mask: bit p is set if player p belongs to the group.
Nothing in this module depends on the rules of a game.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Self

from quaternity.base.errors import InputError, warn_irregularities
from quaternity.base.picture import Cell, Display, Displayable, heading_cells
from quaternity.base.plugins import load_place
from quaternity.base.sentences import PLAIN, Wording
from quaternity.base.text_format import quote_value
from quaternity.base.validation import (
    as_int,
    as_int_tuple,
    as_iterator,
    as_permutation,
    as_tuple,
    check_index,
    check_length,
    validate_arguments,
)
from solvers.names import Names

_FILE = "solvers.exchange.deal_problem_file"
"""Name of the module that reads and writes deal-problem files. The module is loaded on first use,
because it imports this one."""

MAX_PLAYERS = 100
"""Maximum number of players in a problem."""
MAX_CARDS = 10_000
"""Maximum total number of cards in a problem."""
MAX_ROWS = 100_000
"""Maximum number of (player, set) pairs in a problem. Each pair has two bounds."""


def players_in(mask: int) -> tuple[int, ...]:
    """Return the players in a bit mask, in ascending order.

    >>> players_in(0b1101)
    (0, 2, 3)
    """
    try:
        return tuple(player for player in range(mask.bit_length()) if mask >> player & 1)
    except (AttributeError, TypeError):
        raise InputError(f"mask: must be a whole number, not {quote_value(mask)}") from None


members_of = lru_cache(maxsize=1 << 12)(players_in)
"""Cached version of `players_in`, for valid bit masks only."""


def mask_of(players: Iterable[int]) -> int:
    """Return the bit mask of a group of players.

    >>> mask_of([0, 2, 3]) == 0b1101
    True
    """
    mask = 0
    try:
        for player in players:
            mask |= 1 << player
    except (TypeError, ValueError):
        raise InputError(
            f"players: {quote_value(players)} is not a list of player numbers"
        ) from None
    return mask


def with_entry(values: Sequence[Any], index: int, value: Any) -> tuple[Any, ...]:
    """Return the values as a tuple, with the value at one index replaced.

    >>> with_entry((1, 2, 3), 1, 7)
    (1, 7, 3)
    """
    return (*values[:index], value, *values[index + 1 :])


def ownable_counts(owners: Iterable[int], players: int) -> list[int]:
    """Return, for each player, the number of cards that the player may own.

    `owners` contains, for each card, the bit mask of the players who may own it.

    >>> ownable_counts([0b01, 0b11], players=2)
    [2, 1]
    """
    counts = [0] * players
    for mask in owners:
        for player in members_of(mask):
            counts[player] += 1
    return counts


class _SetFields(NamedTuple):
    owners: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]


class SetConstraint(_SetFields):
    """Constraints of one set: the possible owners of each card, and the bounds of each player.

    Instances are immutable and hashable.

    Attributes:
        owners: for each card, the bit mask of the players who may own it (0 if nobody may).
        low, high: for each player, the minimum and maximum number of cards of this set.

    If `low` exceeds `high` or the number of cards, the problem is infeasible, but not invalid.

    Raises:
        InputError: If a value has the wrong type, is negative, or is above
            `quaternity.base.validation.MAX_NUMBER`; if there are more than `MAX_CARDS` cards or
            `MAX_PLAYERS` players; or if an owner mask contains a player who does not exist.
    """

    __slots__ = ()

    def __new__(cls, owners: Sequence[int], low: Sequence[int], high: Sequence[int]) -> Self:
        """Check the values and create the constraint."""
        players = check_length(low, "low")
        check_size(players, 0, check_length(owners, "owners"))
        if check_length(high, "high") != players:
            raise InputError(
                f"high: must have {players} bounds, one for each player, not {len(high)}"
            )
        masks = as_int_tuple(owners, "owners", 0)
        for card, mask in enumerate(masks):
            if mask >> players:
                raise InputError(
                    f"owners[{card}]: {players_in(mask)} names a player out of range "
                    f"0..{players - 1}"
                )
        return cls.unchecked(masks, as_int_tuple(low, "low", 0), as_int_tuple(high, "high", 0))

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        return cls(*iterable)

    @classmethod
    def unchecked(
        cls, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
    ) -> Self:
        """Create an instance without validation, from parts that are known to be valid."""
        return tuple.__new__(cls, (owners, low, high))

    @classmethod
    def of(
        cls,
        owners: Sequence[Iterable[int]],
        players: int,
        low: Sequence[int] | None = None,
        high: Sequence[int] | None = None,
    ) -> Self:
        """Create a constraint from lists of players instead of bit masks of possible owners.

        By default, all minimums are 0, and all maximums are the size of the set.

        >>> SetConstraint.of([[0, 1], [1]], players=2, low=[1, 0])
        SetConstraint.of([[0, 1], [1]], players=2, low=[1, 0], high=[2, 2])
        """
        players = as_int(players, "players", 0)
        check_size(players, 0, check_length(owners, "owners"))
        for name, bounds in (("low", low), ("high", high)):
            if bounds is not None and check_length(bounds, name) != players:
                raise InputError(
                    f"{name}: must have {players} bounds, one for each player, not {len(bounds)}"
                )
        masks = [
            _mask(numbers, card, players) for card, numbers in enumerate(as_tuple(owners, "owners"))
        ]
        return cls(
            masks,
            [0] * players if low is None else low,
            [len(masks)] * players if high is None else high,
        )

    @property
    def size(self) -> int:
        """Return the number of cards."""
        return len(self.owners)

    @property
    def players(self) -> int:
        """Return the number of players."""
        return len(self.low)

    def bound_is_loose(self, player: int) -> bool:
        """Return whether the upper bound of a player is redundant.

        This is the case if the player may own at most that number of cards.
        """
        player = check_index(player, self.players, "player")
        ownable = sum(mask >> player & 1 for mask in self.owners)
        return self.high[player] >= ownable

    def __repr__(self) -> str:
        owners = [list(players_in(mask)) for mask in self.owners]
        bounds = f"low={list(self.low)}, high={list(self.high)}"
        return f"SetConstraint.of({owners}, players={self.players}, {bounds})"


def _mask(numbers: Iterable[int], card: int, players: int) -> int:
    place, mask = f"owners[{card}]", 0
    for number in as_iterator(numbers, place):
        try:
            player = as_int(number, place, 0)
        except InputError:
            player = players
        if player >= players:
            raise InputError(
                f"{place}: player {quote_value(number)} is out of range 0..{players - 1}"
            )
        mask |= 1 << player
    return mask


class _ProblemFields(NamedTuple):
    hands: tuple[int, ...]
    sets: tuple[SetConstraint, ...]


class DealProblem(_ProblemFields, Displayable):
    """Deal problem: the size of each hand and the constraints of each set.

    This is the interface between games and solvers. Instances are immutable and hashable.

    Attributes:
        hands: the number of cards that each player holds.
        sets: the constraints of each set. A set may have any size, including 0.

    Raises:
        InputError: If a hand is not a whole number >= 0, if a set is not a `SetConstraint` or has a
            different number of players, or if the problem exceeds `MAX_PLAYERS`, `MAX_CARDS` or
            `MAX_ROWS`.

    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)])
    >>> problem.players, problem.cards
    (2, 2)
    """

    names: Names | None = None
    """Names of players, sets and cards, which are ignored in comparisons."""

    def __new__(cls, hands: Sequence[int], sets: Sequence[SetConstraint]) -> Self:
        """Check the values and create the problem."""
        players = check_length(hands, "hands")
        if players < 1:
            raise InputError("hands: at least one player is needed")
        check_size(players, check_length(sets, "sets"), 0)
        constraints = as_tuple(sets, "sets")
        for index, constraint in enumerate(constraints):
            _check_set(constraint, index, players)
        check_size(
            players, len(constraints), sum(len(constraint.owners) for constraint in constraints)
        )
        return cls.unchecked(as_int_tuple(hands, "hands", 0), constraints)

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        return cls(*iterable)

    @classmethod
    def unchecked(cls, hands: tuple[int, ...], sets: tuple[SetConstraint, ...]) -> Self:
        """Create an instance without validation, from parts that are known to be valid."""
        return tuple.__new__(cls, (hands, sets))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> DealProblem:
        """Create a problem from a dictionary in the form that `to_dict` returns.

        Raises:
            InputError: If the document is not a valid deal problem. The message lists the faults.
        """
        try:
            text = json.dumps(document)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"document: {quote_value(document)} is not a JSON document") from error
        return cls.from_json(text)

    @classmethod
    @validate_arguments(text=str)
    def from_json(cls, text: str) -> DealProblem:
        """Create a problem from a JSON text, and warn about unknown fields.

        The text has the form that `to_json` returns.

        Raises:
            InputError: If the text is not a valid deal problem. The message lists the faults.

        >>> problem = DealProblem([1], [SetConstraint([1], [0], [1])])
        >>> DealProblem.from_json(problem.to_json()) == problem
        True
        """
        problem, warnings = load_place(f"{_FILE}:parse_deal_problem")(text)
        warn_irregularities(warnings)
        return cls.named(problem, problem.names)

    @classmethod
    def read(cls, path: str) -> DealProblem:
        """Read a problem from a deal-problem file. The path `-` means standard input.

        Raises:
            InputError: If the file cannot be read or is not valid.
        """
        from quaternity.base.reading import decode, read_bytes

        text = decode(read_bytes(path))
        try:
            return cls.from_json(text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as a dictionary that `json.dumps` accepts."""
        document: dict[str, Any] = load_place(f"{_FILE}:deal_problem_document")(self)
        return document

    def to_json(self) -> str:
        """Return the problem as JSON, in the format of a deal-problem file."""
        text: str = load_place(f"{_FILE}:deal_problem_text")(self)
        return text

    @validate_arguments(path=str)
    def write(self, path: str) -> None:
        """Write the problem to a deal-problem file.

        Raises:
            InputError: If the file cannot be written.
        """
        from quaternity.base.writing import write_text

        write_text(path, self.to_json())

    @validate_arguments(names=(Names, type(None)))
    def named(self, names: Names | None) -> DealProblem:
        """Return the same problem with names that are shown in sentences, tables and pictures.

        Raises:
            InputError: If the number of names does not fit the problem.

        >>> from solvers import Names, solve
        >>> problem = DealProblem([1, 1], [SetConstraint.of([[0], [0]], players=2)])
        >>> print(solve(problem.named(Names(players=("Ann", "Bob")))))
        Bob must hold 1 card, but can have none
        """
        sizes = [constraint.size for constraint in self.sets]
        if names is not None and not names.fits(self.players, sizes):
            raise InputError("names: expected one name for each player, set and card")
        problem = DealProblem.unchecked(self.hands, self.sets)
        problem.__dict__["names"] = names
        return problem

    @property
    def words(self) -> Wording:
        """Return a formatter of messages. It uses the names of this problem, if there are any."""
        return PLAIN if self.names is None else self.names.words

    def __setattr__(self, name: str, value: object = None) -> None:
        raise AttributeError(f"{name}: a DealProblem cannot be changed; use `named` for names")

    __delattr__ = __setattr__

    @property
    def players(self) -> int:
        """Return the number of players."""
        return len(self.hands)

    @property
    def cards(self) -> int:
        """Return the total number of cards in all sets."""
        return sum([len(owners) for owners, _, _ in self.sets])

    def may_own(self, set_index: int, card: int) -> tuple[int, ...]:
        """Return the players who may own a card, in ascending order."""
        owners = self.sets[check_index(set_index, len(self.sets), "set")].owners
        return players_in(owners[check_index(card, len(owners), "card")])

    def with_set(self, set_index: int, constraint: SetConstraint) -> DealProblem:
        """Return a copy of the problem with other constraints for one set."""
        set_index = check_index(set_index, len(self.sets), "set")
        _check_set(constraint, set_index, len(self.hands))
        added = len(constraint.owners) - len(self.sets[set_index].owners)
        if added > 0:
            check_size(len(self.hands), len(self.sets), self.cards + added)
        sets = with_entry(self.sets, set_index, constraint)
        problem = DealProblem.unchecked(self.hands, sets)
        return problem.named(self.names) if self.names and not added else problem

    def with_hand(self, player: int, hand: Sequence[int]) -> DealProblem:
        """Return a copy of the problem in which a player holds exactly the given cards.

        Args:
            player: the number of the player.
            hand: for each set, the bit mask of the player's cards.

        Raises:
            InputError: If the player does not exist, or if the hand is not a bit mask for each set.
        """
        player = check_index(player, len(self.hands), "player")
        try:
            sets = [
                _set_with_hand(constraint, player, held)
                for constraint, held in zip(self.sets, hand, strict=True)
            ]
        except (TypeError, ValueError):
            raise InputError(
                f"hand: must be a bit mask for each set, not {quote_value(hand)}"
            ) from None
        problem = DealProblem.unchecked(self.hands, tuple(sets))
        return problem.named(self.names) if self.names else problem

    def relabelled(
        self,
        players: Sequence[int] | None = None,
        sets: Sequence[int] | None = None,
        cards: Sequence[Sequence[int]] | None = None,
    ) -> DealProblem:
        """Return a copy of the problem in which players, sets and cards are renumbered.

        Args:
            players: `players[old]` is the new number of the player whose old number is `old`.
            sets: `sets[new]` is the old number of the set whose new number is `new`.
            cards: `cards[set][new]` is the old number of the card whose new number is `new`. The
                index `set` is the old number of its set.

        Raises:
            InputError: If an argument is not a permutation, or has the wrong length.
        """
        count = range(len(self.sets))
        numbers = as_permutation(
            range(self.players) if players is None else players, self.players, "players"
        )
        set_order = as_permutation(count if sets is None else sets, len(self.sets), "sets")
        if cards is not None and check_length(cards, "cards") != len(self.sets):
            raise InputError(
                f"cards: must have an order for each of the {len(self.sets)} sets, not {len(cards)}"
            )
        old_numbers = [numbers.index(new) for new in range(self.players)]

        def relabel_set(index: int) -> SetConstraint:
            owners, low, high = self.sets[index]
            order: Sequence[int] = range(len(owners))
            if cards is not None:
                order = as_permutation(cards[index], len(owners), f"cards[{index}]")
            return SetConstraint.unchecked(
                tuple([mask_of(numbers[p] for p in players_in(owners[card])) for card in order]),
                tuple([low[old] for old in old_numbers]),
                tuple([high[old] for old in old_numbers]),
            )

        hands = tuple([self.hands[old] for old in old_numbers])
        return DealProblem.unchecked(hands, tuple([relabel_set(index) for index in set_order]))

    def __repr__(self) -> str:
        return f"DealProblem(hands={list(self.hands)}, sets={list(self.sets)})"

    def __str__(self) -> str:
        return self.picture().text()

    def picture(self) -> Display:
        """Return a table of the hands, the bounds, and the players who may own each card.

        Cards of a set with the same possible owners share a row.

        >>> hearts = SetConstraint.of([[0, 1], [0], [1]], players=2, low=[1, 0], high=[3, 1])
        >>> print(DealProblem([2, 1], [hearts]))
                     player 0    player 1
        hand         2 cards     1 card
        set 0        at least 1  at most 1
          0/0        may own     may own
          0/1        may own
          0/2                    may own
        """
        words, players = self.words, range(self.players)
        rows = [heading_cells("", *map(words.player, players))]
        rows.append([*heading_cells("hand"), *(Cell(words.cards(hand)) for hand in self.hands)])
        for index, (owners, lows, highs) in enumerate(self.sets):
            bounds = (
                _bounds(low, high, len(owners)) for low, high in zip(lows, highs, strict=True)
            )
            rows.append([*heading_cells(words.set(index)), *map(Cell, bounds)])
            groups: dict[int, list[tuple[int, int]]] = {}
            for card, mask in enumerate(owners):
                groups.setdefault(mask, []).append((index, card))
            for mask, cards in groups.items():
                marks = ("may own" if mask >> player & 1 else "" for player in players)
                rows.append([*heading_cells(f"  {words.hand(cards)}"), *map(Cell, marks)])
        return Display("A deal problem", (), rows)


def _bounds(low: int, high: int, size: int) -> str:
    if low == high:
        return f"exactly {low}"
    parts = [f"at least {low}"] * (low > 0) + [f"at most {high}"] * (high < size)
    return ", ".join(parts)


@lru_cache(maxsize=1 << 16)
def _set_with_hand(constraint: SetConstraint, player: int, held: int) -> SetConstraint:
    own = 1 << player
    masks = [
        own if held >> card & 1 else mask & ~own for card, mask in enumerate(constraint.owners)
    ]
    return SetConstraint.unchecked(tuple(masks), constraint.low, constraint.high)


def _check_set(constraint: SetConstraint, index: int, players: int) -> None:
    if type(constraint) is not SetConstraint:
        raise InputError(f"sets[{index}]: {quote_value(constraint)} is not a SetConstraint")
    if len(constraint.low) != players:
        raise InputError(
            f"sets[{index}]: has bounds for {constraint.players} players, "
            f"but there are {players} hands"
        )


def check_size(players: int, sets: int, cards: int) -> None:
    """Raise `InputError` if a problem has too many players, cards, or (player, set) pairs."""
    for count, limit, unit in (
        (players, MAX_PLAYERS, "players"),
        (cards, MAX_CARDS, "cards"),
        (players * sets, MAX_ROWS, "(player, set) pairs"),
    ):
        if count > limit:
            raise InputError(f"{count} {unit}: the limit is {limit}")


def iter_cards(problem: DealProblem) -> Iterator[tuple[int, int, int]]:
    """Yield each card as a tuple (set, card, bit mask of the players who may own it)."""
    for set_index, constraint in enumerate(problem.sets):
        for card, mask in enumerate(constraint.owners):
            yield set_index, card, mask
