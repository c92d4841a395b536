"""Encoding of Quaternity as actions and observations for learning agents.

The interface is described in `quaternity.environments.episode.Encoded`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from random import Random

from quaternity.base.errors import InputError
from quaternity.base.memo import Memo, bytes_of
from quaternity.game.cards import Card
from quaternity.game.legal import Groups, PreparedSet
from quaternity.game.question import Answer, Question
from quaternity.game.rules import QuaternityMove, QuaternityPosition, QuaternityRules
from quaternity.game.settings import Settings
from quaternity.game.state_file import parse_state
from solvers.problem import SetConstraint

MAX_CACHED_ENTRIES = 4096
"""Maximum number of entries in each of the caches for questions, points and masks. A full cache
takes less than 2 MB."""


@Memo
def _cached_numbers(row: PreparedSet, first: int) -> tuple[bytes, int]:
    numbers = _set_numbers(row.constraint, first)
    return numbers, bytes_of(3, bits=8 * len(numbers))


def _set_numbers(constraint: SetConstraint, first: int) -> bytes:
    owners, low, high = constraint
    players, size = len(low), len(owners) or 1
    seats = [*range(first, players), *range(first)]
    numbers: list[float] = [mask >> seat & 1 for mask in owners for seat in seats]
    numbers += [bounds[seat] / size for bounds in (low, high) for seat in seats]
    if max(*low, *high) > size:
        numbers = [min(1.0, number) for number in numbers]
    return array("f", numbers).tobytes() + bytes(4 * players)


class QuaternityEncoded:
    """Encoder that represents the moves and positions of Quaternity as numbers.

    Nothing is hidden, so all seats get the same numbers. Seats are counted from the seat to act.
    A question is the action `(s * set_size + c) * (players - 1) + k - 1`. It asks the opponent
    k seats after the asker (k = 1, 2, ...) for card c of set s. The last two actions are the
    answers no and yes.
    """

    outcomes: tuple[tuple[str, int, str], ...] = ()

    def __init__(self, rules: QuaternityRules) -> None:
        self.rules = rules
        settings = rules.settings
        self._players, self._size = settings.players, settings.set_size
        self._sets, self._cards = settings.sets, settings.set_size * settings.sets
        self.degenerate = (
            "with two players the asker lacks the card, so the other player must have it: every "
            "answer is yes, and player 0 gets all sets"
            if self._players == 2
            else ""
        )
        self.questions = self._cards * (self._players - 1)
        self.actions = self.questions + 2
        players, sets, cards = self._players, self._sets, self._cards
        self.points = (0.0, float(sets))
        numbers_per_set = players * (self._size + 3)
        self.entries = (
            ("seat", players, "1 for the seat to act, by its number"),
            ("cards", players, f"number of cards in hand of each seat, divided by {cards}"),
            ("points", players, f"number of completed sets of each seat, divided by {sets}"),
            (
                "sets",
                sets * numbers_per_set,
                f"{numbers_per_set} numbers for each set: for each of its {self._size} cards and "
                "each seat, 1 if the seat may own the card; the minimum numbers of cards of all "
                f"seats, then the maximums, divided by {self._size}; for each seat, 1 if it has "
                "completed the set",
            ),
            ("asker", players, "1 for the seat that waits for an answer"),
            ("asked for", cards, "1 for the card in the question to answer"),
        )
        self._point_numbers = lru_cache(MAX_CACHED_ENTRIES)(self._encode_points)
        self._share = [array("f", [hand / cards]).tobytes() for hand in range(cards + 1)]
        everybody = range(players)
        marks = [array("f", [float(seat == other) for other in everybody]) for seat in everybody]
        self._seat = [mark.tobytes() for mark in marks]
        self._owned = [bytes(4 * players * (self._size + 2)) + seat for seat in self._seat]
        self._asking = lru_cache(MAX_CACHED_ENTRIES)(self._make_question)
        self._set_mask = lru_cache(MAX_CACHED_ENTRIES)(self._encode_mask)
        self._answers = bytes(self.questions) + b"\1\1"
        self._no_cards = bytes(self._size)
        self._no_question = bytes(4 * (players + cards))

    def __reduce__(self) -> tuple[type[QuaternityEncoded], tuple[QuaternityRules]]:
        return type(self), (self.rules,)

    def action(self, move: QuaternityMove | None, view: QuaternityPosition) -> int:
        """Return the action number of a question or an answer."""
        if isinstance(move, Answer):
            return self.questions + move
        if move is None:
            raise InputError("a player of Quaternity cannot wait: choose a legal move")
        asker, asked, (index, number) = move
        away = (asked - asker) % self._players
        return (index * self._size + number) * (self._players - 1) + away - 1

    def move(self, action: int, view: QuaternityPosition) -> QuaternityMove:
        """Return the question or answer that an action number stands for.

        Raises:
            InputError: If the number is out of range.
        """
        if not 0 <= action < self.actions:
            raise InputError(f"action {action} is out of range 0..{self.actions - 1}")
        if action >= self.questions:
            return Answer(action - self.questions)
        return self._asking(action, _acting_seat(view))

    def _make_question(self, action: int, asker: int) -> Question:
        card, away = divmod(action, self._players - 1)
        asked = (asker + away + 1) % self._players
        return Question.trusted(asker, asked, Card.unchecked(*divmod(card, self._size)))

    def mask(self, view: QuaternityPosition) -> bytes:
        """Return one byte for each action: 1 if the action is legal, or else 0."""
        state = view.state
        if view.pending is not None:
            return self._answers
        if state.is_over or state.turn is None:
            return bytes(self.actions)
        by_set = state.cards_to_ask()
        if by_set is not None:
            cards = b"".join([row or self._no_cards for row in by_set])
            mask, others = bytearray(self.actions), self._players - 1
            hands = state.hands[state.turn + 1 :] + state.hands[: state.turn]
            for away, hand in enumerate(hands):
                if hand:
                    mask[away : self.questions : others] = cards
            return bytes(mask)
        if not state.has_tables:
            mask = bytearray(self.actions)
            for question in state.legal_questions:
                mask[self.action(question, view)] = 1
            return bytes(mask)
        parts = [bytes(self._size * (self._players - 1))] * self._sets
        for entry in state.questions_by_set():
            parts[entry.set_index] = self._set_mask(entry.groups, state.turn)
        return b"".join((*parts, b"\0\0"))

    def _encode_mask(self, groups: Groups, asker: int) -> bytes:
        others = self._players - 1
        mask = bytearray(self._size * others)
        for asked, cards, _ in groups:
            for card in cards:
                mask[card * others + (asked - asker) % self._players - 1] = 1
        return bytes(mask)

    def numbers(self, view: QuaternityPosition) -> memoryview[float]:
        """Return the position as numbers between 0 and 1, in the order described by `entries`."""
        state, first = view.state, _acting_seat(view)
        hands, completed, share = state.hands, state.completed, self._share
        if state.has_tables:
            sets = [_cached_numbers[row, first] for row in state.rows()]
        else:
            sets = [_set_numbers(constraint, first) for constraint in state.problem.sets]
        for index, owner in enumerate(completed):
            if owner is not None:
                sets[index] = self._owned[owner - first]
        numbers = (
            self._seat[first],
            *[share[hand] for hand in hands[first:] + hands[:first]],
            self._point_numbers(completed, first),
            *sets,
            self._no_question if view.pending is None else self._question(view),
        )
        return memoryview(b"".join(numbers)).cast("f")

    def _encode_points(self, completed: tuple[int | None, ...], first: int) -> bytes:
        points = [completed.count(seat) / self._sets for seat in range(self._players)]
        return array("f", points[first:] + points[:first]).tobytes()

    def _question(self, view: QuaternityPosition) -> bytes:
        assert view.pending is not None, "no question is pending"
        asker, asked, (index, number) = view.pending
        numbers = array("f", bytes(len(self._no_question)))
        numbers[(asker - asked) % self._players] = 1.0
        numbers[self._players + index * self._size + number] = 1.0
        return numbers.tobytes()

    def outcome(self, before: QuaternityPosition, after: QuaternityPosition) -> bytes:
        """Return no bytes, because the result of a move follows from its action."""
        del before, after
        return b""

    def chance(self, drawn: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Return no possible results of a random draw, because this game has no draws."""
        del drawn
        return ()

    def initial_position(self, drawn: Sequence[int]) -> QuaternityPosition:
        """Return the position before the first question."""
        del drawn
        return self.rules.start(Random(0))

    @staticmethod
    def of_state(text: str) -> tuple[QuaternityRules, QuaternityPosition]:
        """Parse a state file. Return the rules of its game, and the position that it describes.

        Raises:
            InputError: If the text is malformed, its cards cannot be shared evenly, or it does not
                say whose turn it is.
            ContradictoryState: If the state contradicts itself about a completed set.
        """
        state = parse_state(text).state
        rules = state.tie_break, state.seed, state.brisk
        settings = Settings(state.set_size, state.sets, state.players, *rules)
        if state.turn is None:
            raise InputError("turn: missing; an environment must know which player asks")
        return QuaternityRules(settings), QuaternityPosition(state)


def _acting_seat(view: QuaternityPosition) -> int:
    return view.pending.asked if view.pending is not None else view.state.turn or 0
