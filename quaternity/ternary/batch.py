"""Batches of SET games as NumPy arrays, which `quaternity.environments.batch` creates."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quaternity.base.batch_checks import check_actions, check_games, check_legal
from quaternity.base.validation import as_int
from quaternity.ternary.cards import CARDS, all_digits
from quaternity.ternary.encoded import MAX_THREES, SetEncoded, claimed_places
from quaternity.ternary.rules import MAX_TABLE_CARDS, SetRules, SetSettings
from quaternity.ternary.tables import Rule
from quaternity.ternary.triples import partner_bits, third_cards

_CARD_NUMBERS = np.zeros((CARDS + 1, 12), np.float32)
"""Numbers that encode each card in an observation (see `SetEncoded.entries`). The last row is for
no card."""

_CARD_NUMBERS[:-1] = [
    [digit == value for digit in digits for value in range(3)] for digits in all_digits()
]


class SetBatch:
    """Many games of SET, in which the seats act in turn. Brackets contain the axes of an array.

    Attributes:
        places: [game, place] the card on the place, or -1 if the place is empty.
        on_table, undealt: [game] the numbers of cards on the table and in the deck.
        taken: [game, seat] the number of right claims (three cards that belong together).
        wrong: [game, seat] the number of wrong claims.
        agreed: [game, seat] whether the seat has agreed to deal three more cards.
        moves: [game] the number of moves. Waiting is a move, too.
        seat: [game] the seat to act, or the seat that acted last if the game is over.
        over: [game] whether the game is over or truncated. Such a game does not change until it is
            reset.
    """

    def __init__(
        self, games: int, *, max_moves: int = 1000, seed: int | None = None, **settings: Any
    ) -> None:
        """Start the given number of games.

        Args:
            max_moves: number of moves after which a game is truncated. 0 means never.
            seed: seed of the random generator. If it is None, every batch uses a different seed.
            settings: fields of `SetSettings`.

        Raises:
            InputError: If there are too many games, or an argument is invalid.
        """
        rules = SetRules(SetSettings(**settings))
        encoded = SetEncoded(rules)
        self.settings = rules.settings
        self.size = sum(count for _, count, _ in encoded.entries)
        self.actions = encoded.actions
        self.games = check_games(games, self.actions, self.size)
        self.max_moves = as_int(max_moves, "max_moves", 0)
        self._random = np.random.default_rng(None if seed is None else as_int(seed, "seed", 0))
        self._claims = encoded.claims
        self._places_of = np.array(claimed_places(encoded.places), np.int8)
        # Row k marks the possible actions with 3 k cards on the table: claims, agreement and
        # waiting.
        laid = np.arange(0, encoded.places + 1, 3)
        laid_out = self._places_of[:, 2] < laid[:, None]
        self._open = np.pad(laid_out, ((0, 0), (0, 2)), constant_values=True).astype(np.uint8)
        self._third = _third_card_table(self.settings.rule)
        count, seats = self.games, rules.seats
        self._all_games = np.arange(count)
        self.places = np.empty((count, encoded.places), np.int8)
        self._deck = np.empty((count, CARDS), np.int8)
        self._taken_cards = np.empty((count, CARDS), np.uint8)
        self.on_table, self.undealt = np.empty(count, np.int8), np.empty(count, np.int8)
        self.taken, self.wrong = (np.empty((count, seats), np.int32) for _ in range(2))
        self.agreed = np.empty((count, seats), bool)
        self.moves, self._first = (np.empty(count, np.int32) for _ in range(2))
        self.seat, self.over = np.empty(count, np.int8), np.empty(count, bool)
        self.reset()

    def reset(
        self,
        which: ArrayLike | None = None,
        *,
        decks: ArrayLike | None = None,
        first: ArrayLike | None = None,
    ) -> None:
        """Restart some games, given by a mask or by their indices. By default, restart all games.

        Args:
            decks: [game, card] the cards in the order of dealing (default: shuffled).
            first: [game] the seat that acts first (default: random).
        """
        chosen: Any = self._all_games if which is None else self._all_games[np.array(which)]
        count, table, seats = len(chosen), self.settings.table, self.settings.seats
        if decks is None:
            decks = self._random.permuted(
                np.tile(np.arange(CARDS, dtype=np.int8), (count, 1)), axis=1
            )
        self._deck[chosen] = decks
        self._first[chosen] = self._random.integers(seats, size=count) if first is None else first
        self.places[chosen] = -1
        self.places[chosen, :table] = self._deck[chosen, :table]
        self.on_table[chosen], self.undealt[chosen] = table, CARDS - table
        for state in (
            self._taken_cards,
            self.taken,
            self.wrong,
            self.agreed,
            self.moves,
            self.over,
        ):
            state[chosen] = 0
        self.seat[chosen] = self._first[chosen]

    def step(self, actions: ArrayLike) -> None:
        """Make a move in each game that is not over. The actions for other games are ignored.

        Raises:
            InputError: If an action is illegal. The message names the game, and no game is changed.
        """
        raw, action = check_actions(actions, self.games, self.actions)
        running = ~self.over
        claims = (action >= 0) & (action < self._claims)
        spots = self._places_of[np.where(claims, action, 0)]
        legal = np.where(claims, spots[:, 2] < self.on_table, action == self._claims + 1)
        agrees = action == self._claims
        legal |= agrees & self._may_agree()
        check_legal(raw, legal | self.over)
        changed = self._agree(np.nonzero(agrees & running)[0])
        claiming = np.nonzero(claims & running)[0]
        changed += self._claim(claiming, spots[claiming])
        self.moves += running
        for games in changed:
            self.over[games] |= (self.undealt[games] == 0) & ~self._has_three(games)
        if self.max_moves:
            self.over |= self.moves >= self.max_moves
        rounds, place = np.divmod(self.moves, self.settings.seats)
        turn = (self._first + rounds + place) % self.settings.seats
        np.copyto(self.seat, turn, where=~self.over, casting="same_kind")

    def _may_agree(self) -> NDArray[np.bool_]:
        may = (self.undealt > 0) & ~self.agreed[self._all_games, self.seat]
        return may & (self.on_table < MAX_TABLE_CARDS) if self.settings.rule is Rule.SET else may

    def _agree(self, games: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """Record who wants three more cards. Return a list with the games that dealt them."""
        self.agreed[games, self.seat[games]] = True
        dealt = games[self.agreed[games].all(1)]
        if not len(dealt):
            return []
        self.agreed[dealt] = False
        self._deal(dealt, self.on_table[dealt, None] + np.arange(3))
        self.on_table[dealt] += 3
        return [dealt]

    def _deal(self, games: NDArray[np.intp], spots: NDArray[Any]) -> None:
        at = CARDS - self.undealt[games, None] + np.arange(3)
        self.places[games[:, None], spots] = self._deck[games[:, None], at]
        self.undealt[games] -= 3

    def _claim(self, games: NDArray[np.intp], spots: NDArray[np.int8]) -> list[NDArray[np.intp]]:
        """Judge claims of three cards. Return a list with the games whose tables changed."""
        cards = self.places[games[:, None], spots]
        right = self._third[cards[:, 0], cards[:, 1]] == cards[:, 2]
        self.wrong[games[~right], self.seat[games[~right]]] += 1
        games, spots, cards = games[right], spots[right], cards[right]
        if not len(games):
            return []
        self.taken[games, self.seat[games]] += 1
        self.agreed[games] = False
        self._taken_cards[games[:, None], cards] = 1
        fewer = (self.on_table[games] > self.settings.table) | (self.undealt[games] == 0)
        self._deal(games[~fewer], spots[~fewer])
        shrunk = games[fewer]
        self.places[shrunk[:, None], spots[fewer]] = -1
        # Move the cards to the front in the same order, so that the empty places (-1) come last.
        order = np.argsort(self.places[shrunk] < 0, 1, kind="stable")
        self.places[shrunk] = np.take_along_axis(self.places[shrunk], order, 1)
        self.on_table[shrunk] -= 3
        return [games]

    def _has_three(self, games: NDArray[np.intp]) -> NDArray[np.bool_]:
        max_cards = int(self.on_table[games].max(initial=0))
        cards = self.places[games, :max_cards]
        on_table = np.zeros((len(games), CARDS + 1), bool)
        on_table[np.arange(len(games))[:, None], cards] = True
        on_table[:, CARDS] = False  # empty places, which are -1, have set this entry
        result = np.zeros(len(games), bool)
        for place in range(1, max_cards):
            thirds = self._third[cards[:, place, None], cards[:, :place]]
            result |= np.take_along_axis(on_table, thirds, 1).any(1)
        return result

    def points(self) -> NDArray[np.float32]:
        """Return the points of each seat in each game: right claims minus wrong claims."""
        return (self.taken - self.wrong).astype(np.float32)

    def masks(self) -> NDArray[np.uint8]:
        """Return an array [game, action] that is 1 for each legal action and 0 for the others."""
        mask = self._open[self.on_table // 3]
        mask[:, self._claims] = self._may_agree()
        mask[self.over] = 0
        return mask

    def observations(self) -> NDArray[np.float32]:
        """Return what the seats to act see, as an array [game, number] (`SetEncoded.entries`)."""
        seats, width = self.settings.seats, self.places.shape[1] * 12
        seen = np.empty((self.games, self.size), np.float32)
        seen[:, :seats] = self.seat[:, None] == np.arange(seats)
        seen[:, seats : seats + width] = _CARD_NUMBERS[self.places].reshape(self.games, -1)
        rest = seen[:, seats + width :]
        rest[:, :CARDS] = self._taken_cards
        rest[:, CARDS] = self.undealt / CARDS
        order = (self.seat[:, None] + np.arange(seats)) % seats
        wrong = np.take_along_axis(self.wrong, order, 1)
        scalars = rest[:, CARDS + 1 :]
        scalars[:, :seats] = np.take_along_axis(self.taken, order, 1) / MAX_THREES
        scalars[:, seats : 2 * seats] = wrong / (1 + wrong)
        scalars[:, 2 * seats :] = np.take_along_axis(self.agreed, order, 1)
        return seen


@cache
def _third_card_table(rule: Rule) -> NDArray[np.int8]:
    """Return a table [card, card] of the card that belongs together with both, or 81 for none."""
    thirds = np.full((CARDS + 1, CARDS + 1), CARDS, np.int8)
    thirds[:-1, :-1] = third_cards()
    if rule is not Rule.SET:
        pairs = [[bits >> card & 1 for card in range(CARDS)] for bits in partner_bits()]
        thirds[:-1, :-1][np.array(pairs) == 0] = CARDS
    return thirds
