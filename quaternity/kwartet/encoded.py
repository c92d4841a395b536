"""Encoding of Kwartet as actions and observations for learning agents.

The interface is described in `quaternity.environments.episode.Encoded`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache

from quaternity.base.errors import InputError
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, may_ask_for_own
from quaternity.kwartet.rules import KwartetPosition, KwartetRules
from quaternity.kwartet.view import View
from solvers.problem import SetConstraint

CACHE_SIZE = 4096
"""Maximum number of entries in each of two caches: encoded sets, and masks. With 4 players, both
full caches together take 2 MB."""


class KwartetEncoded:
    """Encoder that represents the requests and views of Kwartet as numbers.

    In a view, seats are counted from the seat that sees it. Action `(s * size + c) * (players - 1)
    + k - 1` requests card c of set s. The opponent sits k seats after the asker (k = 1, 2, ...),
    and `size` is the number of cards in a set. The cards set aside are an additional hand after the
    hands of the players.
    """

    def __init__(self, rules: KwartetRules) -> None:
        self.rules = rules
        settings = rules.settings
        players, sets, cards, size = rules.seats, settings.sets, settings.cards, settings.set_size
        hands, limit = settings.hands, settings.max_moves
        self._players, self._sets, self._cards, self._size = players, sets, cards, size
        self._uneven = (cards - settings.aside) % players > 0
        self._piles, self._max_moves = tuple(range(players, hands)), limit
        self.actions = cards * (players - 1)
        self.points = (0.0, float(sets))
        self.outcomes = (
            ("answer", 1, "1 if the asker got the card"),
            ("put down", sets, "1 for each set that the asker then put down"),
        )
        set_width = size + hands * (size + 2) + players
        hand = "hand (the set-aside cards come last)" if self._piles else "seat"
        self.entries = (
            ("seat", players, "1 for the seat that has the view; all 0 for a bystander"),
            ("turn", players, "1 for the player to move; all 0 once the game is over"),
            ("cards", players, f"cards in the hand of each seat, divided by {cards}"),
            ("points", players, f"sets put down by each seat, divided by {sets}"),
            ("askers", players, "1 for each seat that has made a request"),
            (
                "sets",
                sets * set_width,
                f"{set_width} numbers for each set: for each of the {size} cards, 1 if the seat "
                f"that has the view holds it; for each of the {size} cards and each {hand}, 1 if "
                f"the requests allow the card to be there; for each {hand}, the minimum and then "
                f"the maximum number of cards known from requests, divided by {size}, without "
                "conclusions from other cards; for each seat, 1 if it has put the set down",
            ),
            ("last asker", players, "1 for the player who made the last request"),
            ("last asked", players, "1 for the player who was asked"),
            ("last card", cards, "1 for the card of the last request"),
            ("last answer", 1, "1 if the asker got the card"),
            *([("left", 1, f"requests until the game ends, divided by {limit}")] if limit else ()),
        )
        self._set_numbers = lru_cache(CACHE_SIZE)(self._encode_set)
        self._set_mask = lru_cache(CACHE_SIZE)(self._encode_mask)
        self._no_event = bytes(4 * (2 * players + cards + 1))

    def __reduce__(self) -> tuple[type[KwartetEncoded], tuple[KwartetRules]]:
        return type(self), (self.rules,)

    def action(self, move: Question | None, view: View) -> int:
        """Return the action number of a request."""
        if move is None:
            raise InputError("a player of Kwartet cannot wait: choose a legal move")
        asker, asked, (index, number) = move
        away = (asked - asker) % self._players
        return (index * self._size + number) * (self._players - 1) + away - 1

    def move(self, action: int, view: View) -> Question:
        """Return the request that an action number stands for."""
        if not 0 <= action < self.actions:
            raise InputError(f"action {action} is out of range 0..{self.actions - 1}")
        card, away = divmod(action, self._players - 1)
        asked = (view.seat + away + 1) % self._players
        return Question.trusted(view.seat, asked, Card.unchecked(*divmod(card, self._size)))

    def mask(self, view: View) -> bytes:
        """Return one byte for each action: 1 if the action is legal, or else 0."""
        public, seat, players = view.public, view.seat, self._players
        if seat != public.turn or public.is_over:
            return bytes(self.actions)
        own = may_ask_for_own(public.settings, view.hand)
        opponents = public.may_be_asked(seat)
        asked = bytes([(seat + away) % players in opponents for away in range(1, players)])
        return b"".join(
            [
                self._set_mask(held if gone is None else 0, own, asked)
                for held, gone in zip(view.hand, public.removed, strict=True)
            ]
        )

    def _encode_mask(self, held: int, own: bool, asked: bytes) -> bytes:
        nobody = bytes(len(asked))
        return b"".join(
            asked if held and (own or not held >> number & 1) else nobody
            for number in range(self._size)
        )

    def numbers(self, view: View) -> memoryview[float]:
        """Return the view as numbers between 0 and 1, in the order described by `entries`."""
        public, players, first = view.public, self._players, max(view.seat, 0)
        problem, points, askers = public.problem, public.points, public.askers
        head = [0.0] * (5 * players)
        if view.seat >= 0:
            head[view.seat] = 1.0
        if not public.is_over:
            head[players + (public.turn - first) % players] = 1.0
        for away in range(players):
            seat = (first + away) % players
            head[2 * players + away] = problem.hands[seat] / self._cards
            head[3 * players + away] = points[seat] / self._sets
            head[4 * players + away] = askers >> seat & 1
        parts = [array("f", head).tobytes()]
        parts += map(
            self._set_numbers, problem.sets, public.removed, view.hand, (first,) * self._sets
        )
        last = view.last
        parts.append(self._no_event if last is None else self._event(last, first))
        if self._max_moves:
            parts.append(array("f", [(public.left or 0) / self._max_moves]).tobytes())
        return memoryview(b"".join(parts)).cast("f")

    def _encode_set(
        self, constraint: SetConstraint, gone: int | None, held: int, first: int
    ) -> bytes:
        players, size = self._players, self._size
        seats = [(first + away) % players for away in range(players)]
        hands = [*seats, *self._piles]
        numbers = [float(held >> number & 1) for number in range(size)]
        numbers += [
            float(mask >> hand & 1) for mask in constraint.owners or (0,) * size for hand in hands
        ]
        for bounds in (constraint.low, constraint.high):
            numbers += [min(bounds[hand], size) / size for hand in hands]
        numbers += [float(seat == gone) for seat in seats]
        return array("f", numbers).tobytes()

    def _event(self, event: Event, first: int) -> bytes:
        (asker, asked, (index, number)), answer, _ = event
        players = self._players
        numbers = array("f", self._no_event)
        numbers[(asker - first) % players] = 1.0
        numbers[players + (asked - first) % players] = 1.0
        numbers[2 * players + index * self._size + number] = 1.0
        numbers[-1] = float(answer)
        return numbers.tobytes()

    def outcome(self, before: KwartetPosition, after: KwartetPosition) -> bytes:
        """Return numbers that encode the answer to a request and the sets put down after it.

        The attribute `outcomes` describes their order.
        """
        del before
        _, answer, announced = after.events[-1]
        down = [float(index in announced) for index in range(self._sets)]
        return array("f", [float(answer), *down]).tobytes()

    def chance(self, drawn: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Return the possible results of the next random draw of the deal, with probabilities.

        The deal is a series of draws, and `drawn` contains the results of those so far. If the
        cards cannot be dealt evenly, the first draw decides which seats get an extra card.
        Every other draw selects the hand that gets the next card.
        """
        uneven = self._uneven
        if uneven and not drawn:
            return [(seat, 1 / self._players) for seat in range(self._players)]
        owners = drawn[uneven:]
        remaining = self._cards - len(owners)
        sizes = self.rules.settings.hand_sizes(drawn[0] if uneven else 0)
        open_hands = [(hand, size - owners.count(hand)) for hand, size in enumerate(sizes)]
        return [(hand, count / remaining) for hand, count in open_hands if count]

    def initial_position(self, drawn: Sequence[int]) -> KwartetPosition:
        """Return the position after a deal. `drawn` contains the results of its random draws."""
        hands = [[0] * self._sets for _ in range(self.rules.settings.hands)]
        for card, hand in enumerate(drawn[-self._cards :]):
            hands[hand][card // self._size] |= 1 << card % self._size
        dealt = tuple(map(tuple, hands))
        return KwartetPosition(dealt, Position.start(self.rules.settings, dealt))
