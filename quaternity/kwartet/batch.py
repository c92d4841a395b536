"""Batches of Kwartet games in NumPy arrays, created by `quaternity.environments.batch`.

The public knowledge is stored as a few numbers for each hand and set, so that a request changes
only a few of them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quaternity.base.batch_checks import check_actions, check_games, check_legal
from quaternity.base.validation import as_int
from quaternity.kwartet.encoded import KwartetEncoded
from quaternity.kwartet.public import next_with_cards
from quaternity.kwartet.registration import KWARTET
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings

Numbers = NDArray[Any]
"""Array of integers."""


class KwartetBatch:
    """A batch of Kwartet games that are played together. Brackets contain the axes of an array.

    Attributes:
        owner: [game, card] the hand that holds the card, or -1 once the card is put down. The
            cards set aside are the last hand.
        cards: [game, hand] the number of cards in the hand.
        removed: [game, set] the player who put the set down, or -1 if it is in play.
        put_down: [game, player] the number of sets that the player put down.
        moves: [game] the number of requests made so far.
        turn: [game] the player to move. The value is meaningless once the game is over.
        seat: [game] the player to move, or the last player who moved once the game is over.
        over: [game] whether the game is over or truncated. Such a game does not change until it is
            reset.
    """

    def __init__(self, games: int, *, seed: int | None = None, **settings: Any) -> None:
        """Start the given number of games.

        Args:
            seed: seed of the random generator. If None, a random seed is used.
            settings: fields of `KwartetSettings`. By default, `max_moves` is the same as in the
                environment for a single game. If `max_moves` is 0, a game is never truncated.

        Raises:
            InputError: If there are too many games, or if an argument is invalid.
        """
        max_moves = settings.get("max_moves")
        endless = max_moves is not None and as_int(max_moves, "max_moves") == 0
        self.settings = KwartetSettings(**settings | ({"max_moves": None} if endless else {}))
        encoded = KwartetEncoded(KwartetRules(self.settings))
        self.size = sum(count for _, count, _ in encoded.entries)
        self.actions = encoded.actions
        self.games = count = check_games(games, self.actions, self.size)
        usual = np.iinfo(np.int32).max if endless else KWARTET.max_moves
        self.max_moves = self.settings.max_moves or usual
        self._random = np.random.default_rng(None if seed is None else as_int(seed, "seed", 0))
        players, sets, hands = self.settings.players, self.settings.sets, self.settings.hands
        self._all_games, self._seats = np.arange(count), np.arange(players)
        self._next = _next_player_table(players)
        self.owner = np.empty((count, self.settings.cards), np.int8)
        self.cards = np.empty((count, hands), np.int16)
        self.removed = np.empty((count, sets), np.int8)
        self.put_down = np.empty((count, players), np.int16)
        self.moves = np.empty(count, np.int32)
        self.turn, self.seat = np.empty(count, np.int8), np.empty(count, np.int8)
        self.over, self._has_asked = np.empty(count, bool), np.empty((count, players), bool)
        # The rows are asker, asked, card and answer of the last request. All are -1 before the
        # first request.
        self._last = np.empty((4, count), np.int16)
        # [hand, game, set, number]: for each card, the set size if requests allow the hand to
        # hold it, or else 0; then the minimum and maximum number of cards known from requests.
        self._known = np.empty((hands, count, sets, self.settings.set_size + 2), np.float32)
        self.reset()

    def reset(self, which: ArrayLike | None = None, *, dealt: ArrayLike | None = None) -> None:
        """Restart all games, or the games that `which` selects.

        Args:
            which: a boolean mask or the indices of the games. By default, all games are restarted.
            dealt: [game, card] the hand to which the card is dealt. The cards set aside are the
                last hand. By default, the cards are dealt at random.
        """
        chosen: Any = self._all_games if which is None else self._all_games[np.array(which)]
        settings, size = self.settings, self.settings.set_size
        owner = self._deal(len(chosen)) if dealt is None else np.array(dealt, np.int8)
        self.owner[chosen] = owner
        for hand in range(settings.hands):
            self.cards[chosen, hand] = (owner == hand).sum(1)
        self.removed[chosen] = self._last[:, chosen] = -1
        for state in (self.put_down, self.moves, self.over, self._has_asked, self.seat):
            state[chosen] = 0
        unknown = np.full((settings.hands, 1, 1, size + 2), size, np.float32)
        unknown[..., size] = 0
        if settings.at_once:
            unknown[: settings.players, ..., size + 1] = size - 1
        self._known[:, chosen] = unknown
        if settings.at_once:
            by_set = owner.reshape(-1, settings.sets, size)
            first = by_set[:, :, 0]
            full = (by_set == first[:, :, None]).all(2) & (first < settings.players)
            games, index = np.nonzero(full)
            self._remove(chosen[games], index, first[games, index])
        self._advance(
            chosen, np.full(len(chosen), settings.players - 1), np.zeros(len(chosen), bool)
        )

    def _deal(self, count: int) -> NDArray[np.int8]:
        settings, players = self.settings, self.settings.players
        hands = np.repeat(np.arange(settings.hands, dtype=np.int8), settings.hand_sizes())
        owner = self._random.permuted(np.tile(hands, (count, 1)), axis=1)
        if (settings.cards - settings.aside) % players:
            extra = self._random.integers(players, size=(count, 1), dtype=np.int8)
            owner = np.where(owner < players, (owner + extra) % players, owner)
        return owner

    def step(self, actions: ArrayLike) -> None:
        """Make one request in each game that is not over. Actions for finished games are ignored.

        This takes about 0.3 microseconds per game. Raise `InputError` if an action is illegal. The
        message names the game, and no game is changed.
        """
        settings, size = self.settings, self.settings.set_size
        raw, action = check_actions(actions, self.games, self.actions)
        legal = (action >= 0) & (action < self.actions)
        card, away = np.divmod(np.where(legal, action, 0), settings.players - 1)
        asker = self.seat.astype(np.intp)
        asked = (asker + away + 1) % settings.players
        index = card // size
        held = self._by_set[self._all_games, index] == self.seat[:, None]
        holder = self.owner[self._all_games, card]
        legal &= held.any(1)
        if settings.at_once:
            legal &= self.cards[self._all_games, asked] > 0
        if not settings.own_card_requests and (holder == asker).any():
            legal &= (holder != asker) | self._only_full_sets(self._holds())
        check_legal(raw, legal | self.over)
        running = np.nonzero(~self.over)[0]
        yes = holder == asked
        complete = yes & (held.sum(1) == size - 1)
        self._last[:, running] = np.array([asker, asked, card, yes])[:, running]
        asker, yes = asker[running], yes[running]
        for answer, state in ((False, self._record_refusal), (True, self._transfer)):
            games = running[yes == answer]
            state(games, asker[yes == answer], asked[games], card[games])
        if settings.at_once:
            games = running[complete[running]]
            self._remove(games, index[games], self.seat[games])
        else:
            full = (self._by_set[running] == asker[:, None, None]).all(2)
            nth, full_sets = np.nonzero(full)
            self._remove(running[nth], full_sets, asker[nth])
            new = ~self._has_asked[running, asker]
            place = asker[new], running[new], slice(None), size + 1
            self._known[place] = np.minimum(self._known[place], size - 1)
        self._has_asked[running, asker] = True
        self.moves[running] += 1
        self._advance(running, asker, yes)

    @property
    def _by_set(self) -> NDArray[np.int8]:
        return self.owner.reshape(self.games, self.settings.sets, -1)

    def _holds(self) -> NDArray[np.bool_]:
        held: NDArray[np.bool_] = self._by_set == self.seat[:, None, None]
        return held

    def _only_full_sets(self, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
        only: NDArray[np.bool_] = (held == held[:, :, :1]).all((1, 2))
        return only

    def _record_refusal(
        self, games: Numbers, asker: Numbers, asked: Numbers, card: Numbers
    ) -> None:
        index, number = np.divmod(card, self.settings.set_size)
        self._known[asked, games, index, number] = 0
        if not self.settings.own_card_requests:
            self._known[asker, games, index, number] = 0
        minimum = asker, games, index, self.settings.set_size
        self._known[minimum] = np.maximum(self._known[minimum], 1)

    def _transfer(self, games: Numbers, asker: Numbers, asked: Numbers, card: Numbers) -> None:
        size = self.settings.set_size
        self.owner[games, card] = asker
        self.cards[games, asker] += 1
        self.cards[games, asked] -= 1
        index, number = np.divmod(card, size)
        self._known[:, games, index, number] = 0
        self._known[asker, games, index, number] = size
        minimum = self._known[asker, games, index, size]
        self._known[asker, games, index, size] = np.maximum(minimum, 1) + 1
        minimum = self._known[asked, games, index, size]
        self._known[asked, games, index, size] = np.maximum(minimum - 1, 0)
        maximum = self._known[asker, games, index, size + 1]
        self._known[asker, games, index, size + 1] = np.minimum(maximum + 1, size - 1)
        self._known[asked, games, index, size + 1] -= 1

    def _remove(self, games: Numbers, index: Numbers, player: Numbers) -> None:
        self.removed[games, index] = player
        self._by_set[games, index] = -1
        self._known[:, games, index] = 0
        np.subtract.at(self.cards, (games, player), self.settings.set_size)
        np.add.at(self.put_down, (games, player), 1)

    def _advance(self, games: Numbers, asker: Numbers, yes: NDArray[np.bool_]) -> None:
        settings = self.settings
        with_cards = self.cards[games, : settings.players] > 0
        continues = yes & with_cards[np.arange(len(games)), asker]
        following = self._next[asker, with_cards @ (1 << self._seats)]
        self.turn[games] = np.where(continues, asker, following)
        over = self._all_put_down()[games] | (self.moves[games] >= self.max_moves)
        if settings.max_moves:
            over |= with_cards.sum(1) <= settings.at_once
        self.over[games] = over
        self.seat[games] = np.where(over, self.seat[games], self.turn[games])

    def _all_put_down(self) -> NDArray[np.bool_]:
        ended: NDArray[np.bool_] = self.put_down.sum(1) == self.settings.sets
        return ended

    def points(self) -> NDArray[np.float32]:
        """Return an array [game, player] with the number of sets that each player has put down."""
        return self.put_down.astype(np.float32)

    def _order(self) -> NDArray[np.intp]:
        return (self.seat[:, None] + self._seats) % self.settings.players

    def masks(self) -> NDArray[np.uint8]:
        """Return an array [game, action] that is 1 for each legal action and 0 for the others.

        No action is legal once a game is over. With 4 players and 52 cards, this takes about 0.2
        microseconds per game.
        """
        settings, held = self.settings, self._holds()
        legal = np.logical_or.reduce([held[:, :, n] for n in range(settings.set_size)])[:, :, None]
        if settings.own_card_requests:
            legal = legal.repeat(settings.set_size, 2)
        else:
            legal = legal & (~held | self._only_full_sets(held)[:, None, None])
        asked = np.repeat(~self.over[:, None], settings.players - 1, 1)
        if settings.at_once:
            asked &= np.take_along_axis(self.cards, self._order()[:, 1:], 1) > 0
        mask = np.empty((self.games, settings.cards, settings.players - 1), np.uint8)
        legal = legal.reshape(self.games, -1)
        for away in range(settings.players - 1):
            np.logical_and(legal, asked[:, away, None], out=mask[:, :, away])
        return mask.reshape(self.games, -1)

    def observations(self) -> NDArray[np.float32]:
        """Return an array [game, number] with what the player in `seat` sees.

        `KwartetEncoded.entries` describes the numbers. With 4 players and 52 cards, this takes
        about 1.4 microseconds per game.
        """
        settings, order, first = self.settings, self._order(), self.seat[:, None]
        players, sets, size, hands = (
            len(self._seats),
            settings.sets,
            settings.set_size,
            settings.hands,
        )
        set_width = size + hands * (size + 2) + players
        seen = np.empty((self.games, self.size), np.float32)
        head = seen[:, : 5 * players].reshape(self.games, 5, players)
        head[:, 0] = first == self._seats
        ended = self.over if settings.max_moves else self._all_put_down()
        head[:, 1] = (order == self.turn[:, None]) & ~ended[:, None]
        head[:, 2] = np.take_along_axis(self.cards, order, 1) / settings.cards
        head[:, 3] = np.take_along_axis(self.put_down, order, 1) / sets
        head[:, 4] = np.take_along_axis(self._has_asked, order, 1)
        by_set = seen[:, 5 * players :][:, : sets * set_width].reshape(self.games, sets, set_width)
        by_set[:, :, :size] = self._holds()
        known = by_set[:, :, size : set_width - players].reshape(self.games, sets, size + 2, hands)
        stored = self._known.reshape(hands * self.games, sets, size + 2)
        for nth in range(hands):
            hand = order[:, nth] if nth < players else nth
            rows = stored.take(hand * self.games + self._all_games, 0)
            np.divide(rows, size, out=known[:, :, :, nth])
        for nth in range(players):
            by_set[:, :, set_width - players + nth] = self.removed == order[:, nth, None]
        tail = seen[:, 5 * players + sets * set_width :]
        asker, asked, card, yes = self._last
        tail[:, :players] = order == asker[:, None]
        tail[:, players : 2 * players] = order == asked[:, None]
        cards = tail[:, 2 * players :][:, : settings.cards]
        cards[:] = 0
        begun = np.nonzero(card >= 0)[0]
        cards[begun, card[begun]] = 1
        tail[:, 2 * players + settings.cards] = yes > 0
        if settings.max_moves:
            tail[:, -1] = (settings.max_moves - self.moves) / settings.max_moves
        return seen


@cache
def _next_player_table(players: int) -> NDArray[np.int8]:
    hands = [[bits >> player & 1 for player in range(players)] for bits in range(1 << players)]
    return np.array(
        [[next_with_cards(has, player) for has in hands] for player in range(players)], np.int8
    )
