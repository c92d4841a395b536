"""Many games of Kwartet at once, in NumPy; `quaternity.environments.batch` makes them.

What was said of a set is a few numbers for each hand; a request changes those of a few hands.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quaternity.base.many import checked_actions, checked_games, refuse_illegal
from quaternity.base.plain_values import whole
from quaternity.kwartet.encoded import KwartetEncoded
from quaternity.kwartet.public import next_with_cards
from quaternity.kwartet.registration import KWARTET
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings

Numbers = NDArray[Any]
"""Whole numbers, one for each of some games."""


class KwartetBatch:
    """Games of Kwartet that are played together.

    Attributes:
        owner: [game, card] the hand that holds it, the cards aside last; -1 when it is put down.
        cards: [game, hand] how many cards are in it.
        removed: [game, set] the player who put it down, -1 for none.
        put_down: [game, player] how many sets that player put down.
        moves: per game the requests made.
        turn: per game the player on turn; without meaning when it is over.
        seat: per game the player on turn, or who moved last.
        over: whether each game is over or cut off; such games stand still until they are reset.
    """

    def __init__(self, games: int, *, seed: int | None = None, **settings: Any) -> None:
        """Begin so many games.

        Args:
            seed: of all chance in them; None: another every time.
            settings: as in `KwartetSettings`. A game without `max_moves` is cut off as in a single
                environment; with 0 it is never cut off.

        Raises:
            InputError: there are too many, or a value is wrong.
        """
        most = settings.get("max_moves")
        endless = most is not None and whole(most, "max_moves") == 0
        self.settings = KwartetSettings(**settings | ({"max_moves": None} if endless else {}))
        encoded = KwartetEncoded(KwartetRules(self.settings))
        self.size = sum(count for _, count, _ in encoded.entries)
        self.actions = encoded.actions
        self.games = count = checked_games(games, self.actions, self.size)
        usual = np.iinfo(np.int32).max if endless else KWARTET.max_moves
        self.max_moves = self.settings.max_moves or usual
        self._random = np.random.default_rng(None if seed is None else whole(seed, "seed", 0))
        players, sets, hands = self.settings.players, self.settings.sets, self.settings.hands
        self._every, self._seats = np.arange(count), np.arange(players)
        self._next = _following(players)
        self.owner = np.empty((count, self.settings.cards), np.int8)
        self.cards = np.empty((count, hands), np.int16)
        self.removed = np.empty((count, sets), np.int8)
        self.put_down = np.empty((count, players), np.int16)
        self.moves = np.empty(count, np.int32)
        self.turn, self.seat = np.empty(count, np.int8), np.empty(count, np.int8)
        self.over, self._has_asked = np.empty(count, bool), np.empty((count, players), bool)
        # [asker, asked, card, answer] of the last request; -1 for none.
        self._last = np.empty((4, count), np.int16)
        # [hand, game, set, number]: per card the size of a set where requests do not rule the hand
        # out, else 0; then the fewest and the most cards that they state.
        self._known = np.empty((hands, count, sets, self.settings.set_size + 2), np.float32)
        self.reset()

    def reset(self, which: ArrayLike | None = None, *, dealt: ArrayLike | None = None) -> None:
        """Begin some games anew, by a mask or their numbers; by default all.

        Args:
            dealt: [game, card] the hand that gets it, the cards aside last; dealt by chance by
                default.
        """
        chosen: Any = self._every if which is None else self._every[np.array(which)]
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
        self._go_on(chosen, np.full(len(chosen), settings.players - 1), np.zeros(len(chosen), bool))

    def _deal(self, count: int) -> NDArray[np.int8]:
        """Deal by chance; where cards do not come out even, who has more is drawn too."""
        settings, players = self.settings, self.settings.players
        hands = np.repeat(np.arange(settings.hands, dtype=np.int8), settings.hand_sizes())
        owner = self._random.permuted(np.tile(hands, (count, 1)), axis=1)
        if (settings.cards - settings.aside) % players:
            extra = self._random.integers(players, size=(count, 1), dtype=np.int8)
            owner = np.where(owner < players, (owner + extra) % players, owner)
        return owner

    def step(self, actions: ArrayLike) -> None:
        """Make a request in each game that is not over; others pass over theirs.

        Cost: some 0.3 microseconds a game.

        Raises:
            InputError: an action is not legal; it names the game, and nothing is played.
        """
        settings, size = self.settings, self.settings.set_size
        given, action = checked_actions(actions, self.games, self.actions)
        legal = (action >= 0) & (action < self.actions)
        card, away = np.divmod(np.where(legal, action, 0), settings.players - 1)
        asker = self.seat.astype(np.intp)
        asked = (asker + away + 1) % settings.players
        index = card // size
        held = self._by_set[self._every, index] == self.seat[:, None]
        holder = self.owner[self._every, card]
        legal &= held.any(1)
        if settings.at_once:
            legal &= self.cards[self._every, asked] > 0
        if not settings.own_card_requests and (holder == asker).any():
            legal &= (holder != asker) | self._only_full_sets(self._held())
        refuse_illegal(given, legal | self.over)
        now = np.nonzero(~self.over)[0]
        yes = holder == asked
        complete = yes & (held.sum(1) == size - 1)
        self._last[:, now] = np.array([asker, asked, card, yes])[:, now]
        asker, yes = asker[now], yes[now]
        for answer, state in ((False, self._say_no), (True, self._give)):
            games = now[yes == answer]
            state(games, asker[yes == answer], asked[games], card[games])
        if settings.at_once:
            games = now[complete[now]]
            self._remove(games, index[games], self.seat[games])
        else:
            full = (self._by_set[now] == asker[:, None, None]).all(2)
            nth, which = np.nonzero(full)
            self._remove(now[nth], which, asker[nth])
            new = ~self._has_asked[now, asker]
            place = asker[new], now[new], slice(None), size + 1
            self._known[place] = np.minimum(self._known[place], size - 1)
        self._has_asked[now, asker] = True
        self.moves[now] += 1
        self._go_on(now, asker, yes)

    @property
    def _by_set(self) -> NDArray[np.int8]:
        """[game, set, number] the hand that holds a card."""
        return self.owner.reshape(self.games, self.settings.sets, -1)

    def _held(self) -> NDArray[np.bool_]:
        """Return [game, set, number] whether the one to act holds a card."""
        held: NDArray[np.bool_] = self._by_set == self.seat[:, None, None]
        return held

    def _only_full_sets(self, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return whether each hand is nothing but full sets, so that it may ask for its cards."""
        only: NDArray[np.bool_] = (held == held[:, :, :1]).all((1, 2))
        return only

    def _say_no(self, games: Numbers, asker: Numbers, asked: Numbers, card: Numbers) -> None:
        """Note what a request states that was answered by no; see `request_stated`."""
        index, number = np.divmod(card, self.settings.set_size)
        self._known[asked, games, index, number] = 0
        if not self.settings.own_card_requests:
            self._known[asker, games, index, number] = 0
        fewest = asker, games, index, self.settings.set_size
        self._known[fewest] = np.maximum(self._known[fewest], 1)

    def _give(self, games: Numbers, asker: Numbers, asked: Numbers, card: Numbers) -> None:
        """Move cards to who asked for them, and note what that states."""
        size = self.settings.set_size
        self.owner[games, card] = asker
        self.cards[games, asker] += 1
        self.cards[games, asked] -= 1
        index, number = np.divmod(card, size)
        self._known[:, games, index, number] = 0
        self._known[asker, games, index, number] = size
        fewest = self._known[asker, games, index, size]
        self._known[asker, games, index, size] = np.maximum(fewest, 1) + 1
        fewest = self._known[asked, games, index, size]
        self._known[asked, games, index, size] = np.maximum(fewest - 1, 0)
        most = self._known[asker, games, index, size + 1]
        self._known[asker, games, index, size + 1] = np.minimum(most + 1, size - 1)
        self._known[asked, games, index, size + 1] -= 1

    def _remove(self, games: Numbers, index: Numbers, player: Numbers) -> None:
        """Put down full sets."""
        self.removed[games, index] = player
        self._by_set[games, index] = -1
        self._known[:, games, index] = 0
        np.subtract.at(self.cards, (games, player), self.settings.set_size)
        np.add.at(self.put_down, (games, player), 1)

    def _go_on(self, games: Numbers, asker: Numbers, yes: NDArray[np.bool_]) -> None:
        """End games, or find who is on turn."""
        settings = self.settings
        with_cards = self.cards[games, : settings.players] > 0
        again = yes & with_cards[np.arange(len(games)), asker]
        following = self._next[asker, with_cards @ (1 << self._seats)]
        self.turn[games] = np.where(again, asker, following)
        over = self._ended()[games] | (self.moves[games] >= self.max_moves)
        if settings.max_moves:
            over |= with_cards.sum(1) <= settings.at_once
        self.over[games] = over
        self.seat[games] = np.where(over, self.seat[games], self.turn[games])

    def _ended(self) -> NDArray[np.bool_]:
        """Return whether all sets of each game are put down."""
        ended: NDArray[np.bool_] = self.put_down.sum(1) == self.settings.sets
        return ended

    def points(self) -> NDArray[np.float32]:
        """Return [game, player]: sets put down."""
        return self.put_down.astype(np.float32)

    def _order(self) -> NDArray[np.intp]:
        """Return [game, nth] the seats, counted from the one to act."""
        return (self.seat[:, None] + self._seats) % self.settings.players

    def masks(self) -> NDArray[np.uint8]:
        """Return [game, action], 1 for what is legal; nothing is when a game is over.

        Cost: some 0.2 microseconds a game with 4 players and 52 cards.
        """
        settings, held = self.settings, self._held()
        may = np.logical_or.reduce([held[:, :, n] for n in range(settings.set_size)])[:, :, None]
        if settings.own_card_requests:
            may = may.repeat(settings.set_size, 2)
        else:
            may = may & (~held | self._only_full_sets(held)[:, None, None])
        asked = np.repeat(~self.over[:, None], settings.players - 1, 1)
        if settings.at_once:
            asked &= np.take_along_axis(self.cards, self._order()[:, 1:], 1) > 0
        mask = np.empty((self.games, settings.cards, settings.players - 1), np.uint8)
        may = may.reshape(self.games, -1)
        for away in range(settings.players - 1):
            np.logical_and(may, asked[:, away, None], out=mask[:, :, away])
        return mask.reshape(self.games, -1)

    def observations(self) -> NDArray[np.float32]:
        """Return [game, number]: what `seat` sees; see `KwartetEncoded.entries`.

        Cost: some 1.4 microseconds a game with 4 players and 52 cards.
        """
        settings, order, first = self.settings, self._order(), self.seat[:, None]
        players, sets, size, hands = (
            len(self._seats),
            settings.sets,
            settings.set_size,
            settings.hands,
        )
        each = size + hands * (size + 2) + players
        seen = np.empty((self.games, self.size), np.float32)
        head = seen[:, : 5 * players].reshape(self.games, 5, players)
        head[:, 0] = first == self._seats
        ended = self.over if settings.max_moves else self._ended()
        head[:, 1] = (order == self.turn[:, None]) & ~ended[:, None]
        head[:, 2] = np.take_along_axis(self.cards, order, 1) / settings.cards
        head[:, 3] = np.take_along_axis(self.put_down, order, 1) / sets
        head[:, 4] = np.take_along_axis(self._has_asked, order, 1)
        by_set = seen[:, 5 * players :][:, : sets * each].reshape(self.games, sets, each)
        by_set[:, :, :size] = self._held()
        known = by_set[:, :, size : each - players].reshape(self.games, sets, size + 2, hands)
        stored = self._known.reshape(hands * self.games, sets, size + 2)
        for nth in range(hands):
            hand = order[:, nth] if nth < players else nth
            rows = stored.take(hand * self.games + self._every, 0)
            np.divide(rows, size, out=known[:, :, :, nth])
        for nth in range(players):
            by_set[:, :, each - players + nth] = self.removed == order[:, nth, None]
        tail = seen[:, 5 * players + sets * each :]
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
def _following(players: int) -> NDArray[np.int8]:
    """Return [player, bits of who has cards] the next one who has."""
    hands = [[bits >> player & 1 for player in range(players)] for bits in range(1 << players)]
    return np.array(
        [[next_with_cards(has, player) for has in hands] for player in range(players)], np.int8
    )
