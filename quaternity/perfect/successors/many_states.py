"""What one step of a game leads to, for many canonical states at once.

Everything is exact integer arithmetic on arrays: the tests of all candidate answers, the closing
of all sets, and the search for the smallest names of the players.
`quaternity.perfect.successors.one_state` does the same for one state by way of the game's own
rules, slowly; the tests hold the two equal, and it serves where arrays do not.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.game.settings import TieBreak
from quaternity.perfect.keys.arrays import (
    Closings,
    Keys,
    KindArrays,
    array_fault,
    from_words,
    key_array,
    key_bytes,
    to_words,
)
from quaternity.perfect.keys.canonical import Coding, Key, Rules, coding
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.successors.one_state import choices

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(slots=True)
class Positions:
    """Positions with any names, on the way to canonical ones. Rows of arrays.

    Attributes:
        kinds: [position, set], places of closed kinds.
        hands, points: [position, player].
        first: [position, player], who may be named role 0.
        place: per position, see `quaternity.perfect.keys.canonical.Parts`.
        rank: [position, player]: the other roles are given out by ascending rank.
    """

    kinds: NDArray[Any]
    hands: NDArray[Any]
    points: NDArray[Any]
    first: NDArray[Any]
    place: NDArray[Any]
    rank: NDArray[Any]

    def joined(self, other: Positions) -> Positions:
        """These positions and the others."""
        if not len(other.kinds):
            return self
        names = [one.name for one in fields(self)]
        return Positions(
            *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names)
        )


def smallest_keys(
    code: Coding, kinds: KindArrays, positions: Positions
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The words of the smallest keys, and the numbers of the orders of roles that give them.

    As `quaternity.perfect.keys.canonical` for single states; the tests hold the two equal.
    """
    best = np.full((len(positions.kinds), code.words), np.iinfo(np.uint64).max)
    best_order = np.zeros(len(best), np.uint8)
    for order, roles in enumerate(kinds.orders):
        fits = positions.first[:, roles[0]].copy()
        for one, two in pairwise(roles[1:]):
            fits &= positions.rank[:, one] <= positions.rank[:, two]
        rows = np.nonzero(fits)[0]
        if not len(rows):
            continue
        renamed = kinds.renamed(positions.kinds[rows], order)
        numbers = np.sort(kinds.number[renamed], axis=1)
        words = np.zeros((len(rows), code.words), np.uint64)
        values = [positions.place[rows]]
        values += [positions.hands[rows, role] for role in roles[1:]]
        values += [positions.points[rows, role] for role in roles[1:]]
        values += [numbers[:, index] for index in range(code.rules.sets)]
        for (word, shift), value in zip(code.fields, values, strict=True):
            words[:, word] |= value.astype(np.uint64) << np.uint64(shift)
        smaller = _smaller(words, best[rows])
        best[rows[smaller]] = words[smaller]
        best_order[rows[smaller]] = order
    return best, best_order


def _smaller(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    """Where the words of one are smaller, the first word counting most."""
    smaller = np.zeros(len(one), bool)
    equal = np.ones(len(one), bool)
    for word in range(one.shape[1]):
        smaller |= equal & (one[:, word] < two[:, word])
        equal &= one[:, word] == two[:, word]
    return smaller


@dataclass(frozen=True, slots=True)
class Expansion:
    """All questions of some canonical states, with what their answers lead to.

    Attributes:
        keys: the keys that are led to, ascending and distinct.
        counts: per state its number of questions; those that come to the same are one (uint16).
        asked: per question, in the order of states, the role that answers; the number of players
            where chance chooses who is on turn, each possible player being a question (uint8).
        no, yes: per question the index in `keys` that the answer leads to; -1 when the answer is
            not legal (int32). Chance's choice counts as a no.
        no_order, yes_order: the number of the order of roles
            (`quaternity.perfect.keys.kinds.role_orders`) that gives, for each role after the
            answer, its role before (uint8).
    """

    keys: Keys
    counts: NDArray[Any]
    asked: NDArray[Any]
    no: NDArray[Any]
    yes: NDArray[Any]
    no_order: NDArray[Any]
    yes_order: NDArray[Any]


class Expander:
    """Expands canonical states of one game, many at once.

    Raises:
        LimitError: see `can_expand`.
    """

    def __init__(self, code: Coding) -> None:
        self.code, self.rules, self.book = code, code.rules, code.book
        self.kinds = KindArrays(code.book)
        size, lanes = self.rules.set_size, 2**self.rules.players
        self._closings = Closings(self.kinds)
        self._weights = np.array([0, *((size + 1) ** lane for lane in range(lanes - 2)), 0])
        self._chances = self.rules.players >= 4 and self.rules.tie_break is TieBreak.FEWEST_SETS

    @staticmethod
    def fault(code: Coding) -> str | None:
        """Why this way of expanding does not serve a game, or None."""
        return array_fault(code.book)

    def expand(self, keys: Keys) -> Expansion:
        """All questions and answers of some canonical states.

        Memory: about 400 bytes per answer.
        """
        place, hands, points, kinds = self._decoded(keys)
        parts = [self._asked(place, hands, kinds, index) for index in range(self.rules.sets)]
        parent, index, asked, no, yes, slack = (
            np.concatenate(columns) for columns in zip(*parts, strict=True)
        )
        answers = [self._answered(parent, index, asked, no, yes, hands, kinds, slack, answer)
                   for answer in (False, True)]  # fmt: skip
        rows, owner, new_kinds, new_hands, new_slack, said = (
            np.concatenate(columns) for columns in zip(*answers, strict=True)
        )
        new_kinds = self._closed(new_kinds, new_slack)
        positions = self._settled(
            new_kinds, new_hands, points[owner], place[owner], asked[rows], said
        )
        chance_owner, chances = self._chosen(place, hands, points, kinds)
        positions = positions.joined(chances)
        words, order = smallest_keys(self.code, self.kinds, positions)
        found, inverse = np.unique(from_words(words), return_inverse=True)
        return self._gathered(
            len(place), found, inverse, order, parent, asked, rows, said, chance_owner
        )

    # ------------------------------------------------------------------ before the answer

    def _decoded(self, keys: Keys) -> tuple[NDArray[Any], ...]:
        """Place, hands, points and kinds of canonical states."""
        words = to_words(keys)
        code, players, sets = self.code, self.rules.players, self.rules.sets
        fields = [
            (words[:, word] >> np.uint64(shift) & np.uint64((1 << width) - 1)).astype(np.int64)
            for (word, shift), width in zip(code.fields, code.widths, strict=True)
        ]
        kinds = self.kinds.places_of(np.stack(fields[-sets:], 1))
        hands, points = (np.zeros((len(words), players), np.int64) for _ in range(2))
        hands[:, 1:] = np.stack(fields[1:players], 1)
        points[:, 1:] = np.stack(fields[players : 2 * players - 1], 1)
        left = (kinds > 0).sum(1)
        hands[:, 0] = self.rules.set_size * left - hands.sum(1)
        points[:, 0] = sets - left - points.sum(1)
        return fields[0], hands, points, kinds

    def _slack(self, kinds: NDArray[Any], hands: NDArray[Any]) -> NDArray[Any]:
        """Packed (sum of tables, guards set) minus hands, [position, word]."""
        tables: NDArray[Any] = self.kinds.table[kinds].sum(1, np.uint64) | self.kinds.guard
        for player in range(self.rules.players):
            tables -= hands[:, player, None].astype(np.uint64) * self.kinds.member[player]
        return tables

    def _asked(
        self,
        place: NDArray[Any],
        hands: NDArray[Any],
        kinds: NDArray[Any],
        index: int,
    ) -> tuple[NDArray[Any], ...]:
        """The legal questions about the sets at one index, unless the set before looks the same.

        Gives per question: state, index of the set, asked role, kind after no and after yes (-1
        when illegal), and the slack of the state without the set.
        """
        arrays = self.kinds
        asking = (kinds[:, index] > 0) & (place != self.rules.players)
        if index:
            asking &= kinds[:, index] != kinds[:, index - 1]
        states = np.nonzero(asking)[0]
        first, count = arrays.questions(kinds[states, index])
        parent = np.repeat(states, count)
        within = np.arange(len(parent)) - np.repeat(np.cumsum(count) - count, count)
        entry = np.repeat(first, count) + within
        asked = arrays.asked[entry]
        holds = hands[parent, asked] > 0
        parent, entry, asked = parent[holds], entry[holds], asked[holds]
        table = arrays.table
        rest = (self._slack(kinds[states], hands[states]) - table[kinds[states, index]])[
            np.searchsorted(states, parent)
        ]
        no, yes = arrays.no[entry], arrays.yes[entry]
        guard, member = arrays.guard, arrays.member
        # Every final lane is between 0 and 255, so words of lanes never borrow from each other.
        no = np.where((no >= 0) & _holds(rest + table[no], guard), no, -1)
        moved = member[asked] - member[0]
        yes = np.where((yes >= 0) & _holds(rest + table[yes] + moved, guard), yes, -1)
        legal = (no >= 0) | (yes >= 0)
        where = np.full(int(legal.sum()), index)
        return parent[legal], where, asked[legal], no[legal], yes[legal], rest[legal]

    def _answered(
        self,
        parent: NDArray[Any],
        index: NDArray[Any],
        asked: NDArray[Any],
        no: NDArray[Any],
        yes: NDArray[Any],
        hands: NDArray[Any],
        kinds: NDArray[Any],
        rest: NDArray[Any],
        answer: bool,
    ) -> tuple[NDArray[Any], ...]:
        """The positions after all legal answers of one kind; their sets are not closed yet.

        Gives per position: question, state, kinds, hands, slack, and the answer.
        """
        changed = yes if answer else no
        rows = np.nonzero(changed >= 0)[0]
        owner = parent[rows]
        new_kinds, new_hands = kinds[owner], hands[owner]
        every = np.arange(len(rows))
        new_kinds[every, index[rows]] = changed[rows]
        slack = rest[rows] + self.kinds.table[changed[rows]]
        if answer:
            new_hands[:, 0] += 1
            new_hands[every, asked[rows]] -= 1
            slack += self.kinds.member[asked[rows]] - self.kinds.member[0]
        return rows, owner, new_kinds, new_hands, slack, np.full(len(rows), answer)

    # ------------------------------------------------------------------ after the answer

    def _closed(self, kinds: NDArray[Any], slack: NDArray[Any]) -> NDArray[Any]:
        """The closed kinds of all sets of all positions."""
        arrays, size = self.kinds, self.rules.set_size
        lanes = 2**self.rules.players
        closed = np.zeros_like(kinds)
        for index in range(kinds.shape[1]):
            rows = np.nonzero(kinds[:, index])[0]
            if not len(rows):
                continue
            places = kinds[rows, index]
            rest = np.ascontiguousarray(slack[rows] - arrays.table[places]).astype("<u8")
            spare = rest.view(np.uint8).reshape(len(rows), -1)[:, :lanes].astype(np.int16)
            needs = np.clip(128 - spare, 0, size)
            alike = places * np.int64((size + 1) ** (lanes - 2)) + needs @ self._weights
            closed[rows, index] = self._closings.get(alike, places, needs)
        return closed

    def _settled(
        self,
        kinds: NDArray[Any],
        hands: NDArray[Any],
        points: NDArray[Any],
        place: NDArray[Any],
        asked: NDArray[Any],
        said: NDArray[Any],
    ) -> Positions:
        """Put down completed sets and find who is on turn. Changes its arguments."""
        rules, players = self.rules, self.rules.players
        every = np.arange(len(kinds))
        for index in range(rules.sets):
            owner = self.kinds.owner[kinds[:, index]]
            rows = np.nonzero(owner >= 0)[0]
            hands[rows, owner[rows]] -= rules.set_size
            points[rows, owner[rows]] += 1
            kinds[rows, index] = 0
        turn = np.where(said, 0, asked)
        other = np.where(said, asked, 0)
        turn = np.where(hands[every, turn] > 0, turn, other)
        # The order of players: role 0 behind `place` others.
        seat = np.arange(players) - (np.arange(players) <= place[:, None])
        seat[:, 0] = place
        tied = np.zeros((len(kinds), players), bool)
        tied[every, turn] = True
        new_place = np.zeros(len(kinds), np.int64)
        bare = np.nonzero(hands[every, turn] == 0)[0]
        if len(bare):
            wish = seat[bare]
            if self._chances:
                wish = points[bare] * (self.code.cards + 1) + hands[bare]
            wish = np.where(hands[bare] > 0, wish, np.iinfo(np.int64).max)
            over = (kinds[bare] == 0).all(1)
            wish[over] = -points[bare][over]
            turn[bare] = wish.argmin(1)
            equal = wish == wish.min(1)[:, None]
            chance = self._chances & ~over & (equal.sum(1) > 1)
            new_place[bare[chance]] = players
            equal[~chance] = np.arange(players) == turn[bare][~chance, None]
            tied[bare] = equal
        rank = hands * (rules.sets + 1) + points
        if players >= 4 and rules.tie_break is TieBreak.FIRST_IN_ORDER:
            rows = np.nonzero((hands > 0).sum(1) >= 4)[0]
            holds = hands[rows] > 0
            rank[rows] = np.where(holds, seat[rows], players + points[rows])
            mine = seat[rows, turn[rows]]
            new_place[rows] = ((seat[rows] < mine[:, None]) & holds).sum(1)
        return Positions(kinds, hands, points, tied, new_place, rank)

    def _chosen(
        self,
        place: NDArray[Any],
        hands: NDArray[Any],
        points: NDArray[Any],
        kinds: NDArray[Any],
    ) -> tuple[NDArray[Any], Positions]:
        """What chance can choose where it is on turn: states, and positions."""
        players = self.rules.players
        states = np.nonzero(place == players)[0] if self._chances else np.zeros(0, np.int64)
        wish = points[states] * (self.code.cards + 1) + hands[states]
        wish = np.where(hands[states] > 0, wish, np.iinfo(np.int64).max)
        tied = wish == wish.min(1, initial=np.iinfo(np.int64).max)[:, None]
        row, player = np.nonzero(tied)
        owner = states[row]
        rank = hands[owner] * (self.rules.sets + 1) + points[owner]
        first = np.arange(players) == player[:, None]
        nobody = np.zeros(len(owner), np.int64)
        return owner, Positions(kinds[owner], hands[owner], points[owner], first, nobody, rank)

    # ------------------------------------------------------------------ the result

    def _gathered(
        self,
        states: int,
        keys: Keys,
        inverse: NDArray[Any],
        order: NDArray[Any],
        parent: NDArray[Any],
        asked: NDArray[Any],
        rows: NDArray[Any],
        said: NDArray[Any],
        chance_owner: NDArray[Any],
    ) -> Expansion:
        """Answers put with their questions, questions in the order of states.

        Of questions that come to the same one is kept.
        """
        questions, chances = len(parent), len(chance_owner)
        to = np.full((2, questions + chances), -1, np.int32)
        by = np.zeros((2, questions + chances), np.uint8)
        rows = np.concatenate([rows, np.arange(questions, questions + chances)])
        said = np.concatenate([said, np.zeros(chances, bool)]).astype(np.int64)
        to[said, rows] = inverse
        by[said, rows] = order
        owner = np.concatenate([parent, chance_owner])
        asked = np.concatenate([asked, np.full(chances, self.rules.players, np.uint8)])
        outcomes = to.astype(np.int64) << 8 | by
        turn = np.lexsort((asked, *outcomes, owner))
        one, two = turn[1:], turn[:-1]
        new = (owner[one] != owner[two]) | (asked[one] != asked[two])
        new |= (outcomes[:, one] != outcomes[:, two]).any(0)
        turn = turn[np.append(True, new)] if len(turn) else turn
        counts = np.bincount(owner[turn], minlength=states).astype(np.uint16)
        return Expansion(
            keys, counts, asked[turn], to[0, turn], to[1, turn], by[0, turn], by[1, turn]
        )


def _holds(slack: NDArray[Any], guard: NDArray[Any]) -> NDArray[Any]:
    holds: NDArray[Any] = (slack & guard == guard).all(1)
    return holds


@lru_cache(maxsize=4)
def _expander(rules: Rules) -> Expander:
    return Expander(coding(rules))


def expanded(work: tuple[Rules, Keys]) -> Expansion:
    """The expansion of some keys, by arrays where possible, else one state at a time.

    This is what workers run.
    """
    rules, keys = work
    code = coding(rules)
    if Expander.fault(code) is None:
        return _expander(rules).expand(keys)
    return expanded_plainly(code, keys)


def expanded_plainly(code: Coding, keys: Keys) -> Expansion:
    """The same for any game, one state at a time."""
    numbers = role_orders(code.rules.players)[1]
    found: dict[Key, int] = {}
    counts, asked = [], []
    to: tuple[list[int], list[int]] = ([], [])
    by: tuple[list[int], list[int]] = ([], [])
    for key in key_bytes(keys):
        questions = choices(code, key)
        counts.append(len(questions))
        for question in questions:
            asked.append(question.asked)
            for answer in (0, 1):
                to[answer].append(-1)
                by[answer].append(0)
            for reply in question.replies:
                to[reply.answer][-1] = found.setdefault(reply.key, len(found))
                by[reply.answer][-1] = numbers[reply.roles]
    ordered = sorted(found)
    rank = np.full(len(found) + 1, -1, np.int32)
    rank[[found[key] for key in ordered]] = np.arange(len(found))
    order_type = np.uint8 if len(numbers) <= 256 else np.uint16
    return Expansion(
        key_array(code, ordered),
        np.array(counts, np.uint16),
        np.array(asked, np.uint8),
        rank[to[0]],
        rank[to[1]],
        np.array(by[0], order_type),
        np.array(by[1], order_type),
    )


__all__ = ["Expander", "Expansion", "Positions", "expanded", "expanded_plainly", "smallest_keys"]
