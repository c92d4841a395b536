"""The moves in many canonical states at once, computed with NumPy arrays.

All calculations are exact integer arithmetic. For games that do not fit in arrays,
`quaternity.perfect.successors.one_state` computes the same more slowly, for one state at a time and
with the rules of the game itself. The tests check that both agree.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quaternity.game.settings import TieBreak
from quaternity.game.transition import may_be_asked
from quaternity.perfect.keys.arrays import (
    ClosureCache,
    Keys,
    KindArrays,
    Uncertainty,
    array_fault,
    from_words,
    key_array,
    key_bytes,
    narrow,
    search_keys,
    sort_unique,
    to_words,
    unique_rows,
)
from quaternity.perfect.keys.canonical import Key, KeyCodec, Rules, coding, field_layout
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.successors.one_state import choices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


QUESTION_BITS = 64
"""Size of the integer into which each question is packed for sorting, in bits."""


@dataclass(slots=True)
class Positions:
    """Positions after answers, as arrays with a column for each position.

    The players do not have their final roles (numbers in the canonical state) yet.

    Attributes:
        kinds: [set, position], the sets as indices in `KindArrays`, with owners and minimums as
            tight as possible.
        hands, points: [player, position], the numbers of cards and of completed sets.
        first: [player, position], whether the player may become role 0.
        place: for each position, the field of `quaternity.perfect.keys.canonical.StateParts`.
        rank: [player, position], a number by which the other roles are assigned in ascending order.
    """

    kinds: NDArray[Any]
    hands: NDArray[Any]
    points: NDArray[Any]
    first: NDArray[Any]
    place: NDArray[Any]
    rank: NDArray[Any]

    def concatenate(self, other: Positions) -> Positions:
        """Return these positions, followed by the positions of `other`."""
        if not len(other.place):
            return self
        names = [field.name for field in fields(self)]
        return Positions(
            *(np.concatenate([getattr(self, name), getattr(other, name)], -1) for name in names)
        )


def smallest_keys(
    code: KeyCodec, kinds: KindArrays, positions: Positions
) -> tuple[Keys, NDArray[Any], NDArray[Any]]:
    """Return the distinct keys of positions, and for each position its key and its roles.

    The distinct keys are in ascending order. Two arrays contain, for each position, the index of
    its key, and the index of its order of roles. `quaternity.perfect.keys.canonical` does the same
    for single states. The test suite checks that both agree.
    """
    named = []
    for order, roles in enumerate(kinds.orders):
        fits = positions.first[roles[0]]
        for role, after in pairwise(roles[1:]):
            fits = fits & (positions.rank[role] <= positions.rank[after])
        rows = np.nonzero(fits)[0]
        if len(rows):
            renamed = [kinds.rename(column.take(rows), order) for column in positions.kinds]
            named.append((order, roles, rows, renamed))
    # Replace the numbers of kinds by their ranks among the added kinds. The keys stay in the same
    # order, and most of them then fit in one word.
    numbers, rank = kinds.rank_numbers()
    sets = code.rules.sets
    widths = [*code.widths[:-sets], *[len(numbers).bit_length()] * sets]
    fields = field_layout(widths)
    best = np.full((fields[-1][0] + 1, len(positions.place)), np.iinfo(np.uint64).max)
    best_order = np.zeros(len(positions.place), np.uint8)
    for order, roles, rows, renamed in named:
        ranks = [rank.take(column) for column in renamed]
        _sort(ranks)
        values = [positions.place, *positions.hands[roles[1:], :], *positions.points[roles[1:], :]]
        columns = [*(column.take(rows) for column in values), *ranks]
        words = _in_words(fields, widths, columns)
        smaller = _smaller(words, best[:, rows])
        rows = rows[smaller]
        best[:, rows] = words[:, smaller]
        best_order[rows] = order
    words, inverse = unique_rows(best)
    columns = [
        words[word] >> np.uint64(shift) & np.uint64((1 << width) - 1)
        for (word, shift), width in zip(fields, widths, strict=True)
    ]
    columns[-sets:] = [numbers.take(column) for column in columns[-sets:]]
    return from_words(_in_words(code.fields, code.widths, columns).T), inverse, best_order


def _in_words(
    fields: Sequence[tuple[int, int]], widths: Sequence[int], columns: Sequence[NDArray[Any]]
) -> NDArray[Any]:
    words = np.zeros((fields[-1][0] + 1, len(columns[0])), np.uint64)
    for (word, shift), width, column in zip(fields, widths, columns, strict=True):
        if width:
            words[word] |= column.astype(np.uint64) << np.uint64(shift)
    return words


def _sort(columns: list[NDArray[Any]]) -> None:
    # This is a sorting network: each row ascends afterwards.
    for end in range(len(columns) - 1, 0, -1):
        for place in range(end):
            pair = columns[place : place + 2]
            columns[place : place + 2] = np.minimum(*pair), np.maximum(*pair)


def _smaller(words: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
    smaller = words[-1] < others[-1]
    for first, second in zip(words[-2::-1], others[-2::-1], strict=True):
        smaller = (first < second) | (first == second) & smaller
    return np.asarray(smaller)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The questions that can be asked in many canonical states, and the states that follow.

    Questions come in three groups. A question with two legal answers is *open*. A question with a
    single legal answer is *idle* if it gives no information (`NumberedKind.uncertainty` stays the
    same), otherwise *forced*. In each group the questions are in the order of their states.

    Attributes:
        keys: the keys of the following states, ascending and distinct.
        counts: [group, state], the number of idle, forced and open questions of a state. Questions
            with the same effect count once.
        asked: for each question, group by group, the role that answers (uint8). If chance draws the
            player to move, it is the number of players, and each possible player counts as an idle
            question.
        outcomes: for each question, the state after its only answer, or after no. Then follows, for
            each open question, the state after yes. A state is encoded as its index in `keys`,
            times the number of orders of roles, plus the index of an order
            (`quaternity.perfect.keys.kinds.role_orders`). The order gives the previous role for
            each role afterwards.
        is_yes: for each idle and forced question, whether the answer is yes. A choice of chance
            counts as no.
    """

    keys: Keys
    counts: NDArray[Any]
    asked: NDArray[Any]
    outcomes: NDArray[Any]
    is_yes: NDArray[Any]


class _QuestionOutcomes(NamedTuple):
    """Questions that can be asked in several states, and the states that follow.

    Attributes:
        owner, asked: for each question, the index of its state and the role of the asked player.
        outcomes: [no or yes, question], as in `Expansion`, or -1 if the answer is not legal.
        learns: for each question, whether it gives information.
    """

    owner: NDArray[Any]
    asked: NDArray[Any]
    outcomes: NDArray[Any]
    learns: NDArray[Any]


def _gather(keys: Keys, states: int, questions: _QuestionOutcomes) -> Expansion:
    owner, asked, led, learns = questions
    legal = led >= 0
    # Pack each question into a number, for fast sorting: its group, state, asked role and outcomes.
    values, largest = None, int(led.max(initial=0))
    if states.bit_length() + 5 + 2 * largest.bit_length() > QUESTION_BITS:
        values, led = np.unique(led, return_inverse=True)
        largest = len(values)
    unit, width = np.uint64(1), np.uint64(largest.bit_length())
    mask = (unit << width) - unit
    no, yes = np.where(legal, led, 0).astype(np.uint64)
    head = owner.astype(np.uint64) << np.uint64(3) | asked.astype(np.uint64)
    both = legal[0] & legal[1]
    free = sort_unique((head[both] << width | no[both]) << width | yes[both])
    group = learns.astype(np.uint64) * np.uint64(states)
    single = ((head + (group << np.uint64(3))) << unit | legal[1]) << width | no | yes
    single = sort_unique(single[~both])
    heads = np.concatenate([single >> width + unit, free >> width + width])
    owners = (heads >> np.uint64(3)).astype(np.int64)
    owners[len(single) :] += 2 * states
    outcomes = np.concatenate([single & mask, free >> width & mask, free & mask])
    return Expansion(
        keys,
        narrow(np.bincount(owners, minlength=3 * states).reshape(3, states)),
        (heads & np.uint64(7)).astype(np.uint8),
        narrow(outcomes if values is None else values[outcomes]),
        (single >> width & unit).astype(bool),
    )


class _States(NamedTuple):
    """States before they are brought into canonical form, as arrays with a column for each state.

    Attributes:
        place: for each state, the value before any answer (see
            `quaternity.perfect.keys.canonical.StateParts`).
        hands, points: [player, state], the numbers of cards and of completed sets.
        kinds: [set, state], the sets as indices in `KindArrays`.
    """

    place: NDArray[Any]
    hands: NDArray[Any]
    points: NDArray[Any]
    kinds: NDArray[Any]

    def uncertainty(self, arrays: KindArrays) -> NDArray[Any]:
        return np.asarray(arrays.uncertainty[self.kinds].sum(0))


class _Questions(NamedTuple):
    """Legal questions about canonical states, as arrays with a column for each question.

    Attributes:
        which: the index of the set that the question is about.
        no, yes: the set after this answer as an index in `KindArrays`, or -1 if it is not legal.
        others: [word, question], how many more cards each group could hold without the set.
    """

    parent: NDArray[Any]
    which: NDArray[Any]
    asked: NDArray[Any]
    no: NDArray[Any]
    yes: NDArray[Any]
    others: NDArray[Any]


class Expander:
    """Computes the possible moves in many canonical states of one game at once.

    It supports a game only if `fault` returns None.
    """

    def __init__(self, code: KeyCodec) -> None:
        self.code, self.rules, self.book = code, code.rules, code.book
        self.kinds = KindArrays(code.book)
        self._closings = ClosureCache(self.kinds)
        # The index of this array is 1 if a no is possible, plus 2 if a yes is possible.
        self._asked_of = np.array([may_be_asked(number, self.rules.brisk) for number in range(4)])
        self._chances = self.rules.players >= 4 and self.rules.tie_break is TieBreak.MIN_SETS

    @staticmethod
    def fault(code: KeyCodec) -> str | None:
        """Return why a game is too large for this class, or None if it is not."""
        return array_fault(code.book)

    def expand(self, keys: Keys) -> Expansion:
        """Return the questions that can be asked in the given states, and the states that follow.

        This takes about 400 bytes of memory per answer.
        """
        states = self._decode(keys)
        parts = [self._legal_questions(states, index) for index in range(self.rules.sets)]
        questions = _Questions(*map(_concatenate, zip(*parts, strict=True)))
        rows = [np.nonzero(answer >= 0)[0] for answer in (questions.no, questions.yes)]
        answers = [
            self._apply_answer(states, questions, answer_rows, is_yes)
            for is_yes, answer_rows in zip((False, True), rows, strict=True)
        ]
        asked, is_yes, slack, *after = map(_concatenate, zip(*answers, strict=True))
        positions = self._settle(_States(*after), slack, asked, is_yes)
        chance_owner, chances = self._chance_choices(states)
        positions = positions.concatenate(chances)
        successors, inverse, order = smallest_keys(self.code, self.kinds, positions)
        # Each choice of chance counts as an additional question that is answered no.
        owner = np.concatenate([questions.parent, chance_owner])
        rows.append(np.arange(len(questions.parent), len(owner)))
        at = np.concatenate(rows)
        outcomes = np.full((2, len(owner)), -1)
        led = inverse * len(self.kinds.orders) + order
        yes = slice(len(rows[0]), len(rows[0]) + len(rows[1]))
        outcomes[1, rows[1]] = led[yes]
        outcomes[0, rows[0]], outcomes[0, rows[2]] = led[: yes.start], led[yes.stop :]
        before = states.uncertainty(self.kinds)[owner[at]]
        learns = np.ones(len(owner), bool)
        learns[at] = self.kinds.uncertainty[positions.kinds].sum(0) != before
        chance = np.full(len(chance_owner), self.rules.players, np.uint8)
        asked = np.concatenate([questions.asked, chance])
        return _gather(successors, len(keys), _QuestionOutcomes(owner, asked, outcomes, learns))

    # ------------------------------------------------------------------ before the answer

    def _decode(self, keys: Keys) -> _States:
        words = to_words(keys)
        code, players, sets = self.code, self.rules.players, self.rules.sets
        fields = [
            (words[:, word] >> np.uint64(shift) & np.uint64((1 << width) - 1)).astype(np.int64)
            for (word, shift), width in zip(code.fields, code.widths, strict=True)
        ]
        kinds = self.kinds.places_of(np.stack(fields[-sets:]))
        hands, points = np.zeros((2, players, len(words)), np.int32)
        hands[1:], points[1:] = fields[1:players], fields[players : 2 * players - 1]
        in_play = (kinds > 0).sum(0)
        hands[0] = self.rules.set_size * in_play - hands.sum(0)
        points[0] = sets - in_play - points.sum(0)
        return _States(fields[0].astype(np.int32), hands, points, kinds)

    def _slack(self, kinds: NDArray[Any], hands: NDArray[Any]) -> NDArray[Any]:
        tables = np.repeat(self.kinds.guard[:, None], kinds.shape[1], 1)
        for column in kinds:
            tables += self.kinds.table[:, column]
        for member, hand in zip(self.kinds.member, hands, strict=True):
            tables -= hand.astype(np.uint64) * member[:, None]
        return tables

    def _legal_questions(self, states: _States, index: int) -> _Questions:
        """Return the legal questions about set `index`, but none if the previous set is equal."""
        arrays, (place, hands, _, kinds) = self.kinds, states
        set_places = kinds[index]
        asking = (set_places > 0) & (place != self.rules.players)
        if index:
            asking &= set_places != kinds[index - 1]
        rows = np.nonzero(asking)[0]
        first, count = arrays.questions(set_places[rows])
        place_of = np.repeat(np.arange(len(rows)), count)
        begin = first - np.cumsum(count) + count
        entry = np.repeat(begin, count) + np.arange(len(place_of))
        holds = np.nonzero(hands[arrays.asked[entry], rows[place_of]] > 0)[0]
        place_of, entry = place_of[holds], entry[holds]
        asked, parent = arrays.asked[entry], rows[place_of]
        table, member = arrays.table, arrays.member.T
        others = self._slack(kinds[:, rows], hands[:, rows]) - table[:, set_places[rows]]
        without = others.take(place_of, 1)
        no, yes = arrays.no[entry], arrays.yes[entry]
        # Every final lane is between 0 and 255, so words of lanes never borrow from each other.
        no = np.where((no >= 0) & self._is_feasible(without + table.take(no, 1)), no, -1)
        moved = (member - member[:, :1]).take(asked, 1)
        yes = np.where(
            (yes >= 0) & self._is_feasible(without + table.take(yes, 1) + moved), yes, -1
        )
        questions = _Questions(parent, np.full(len(parent), index), asked, no, yes, without)
        legal = np.nonzero(self._asked_of[(no >= 0) + 2 * (yes >= 0)])[0]
        return _Questions(*(column.take(legal, -1) for column in questions))

    def _is_feasible(self, slack: NDArray[Any]) -> NDArray[Any]:
        guard = self.kinds.guard[:, None]
        holds = slack & guard == guard
        return np.asarray(holds[0] if len(holds) == 1 else holds.all(0))

    # ------------------------------------------------------------------ after the answer

    def _apply_answer(
        self, states: _States, questions: _Questions, rows: NDArray[Any], yes: bool
    ) -> tuple[NDArray[Any], ...]:
        changed = (questions.yes if yes else questions.no)[rows]
        parent, asked = questions.parent[rows], questions.asked[rows]
        after = _States(*(column.take(parent, -1) for column in states))
        every = np.arange(len(parent))
        after.kinds[questions.which[rows], every] = changed
        slack = questions.others.take(rows, 1) + self.kinds.table.take(changed, 1)
        if yes:
            after.hands[0] += 1
            after.hands[asked, every] -= 1
            member = self.kinds.member.T
            slack += (member - member[:, :1])[:, asked]
        return asked, np.full(len(rows), yes), slack, *after

    def _close(self, kinds: NDArray[Any], slack: NDArray[Any]) -> NDArray[Any]:
        closed = np.zeros_like(kinds)
        for places_of_set, result in zip(kinds, closed, strict=True):
            rows = slice(None) if places_of_set.all() else np.nonzero(places_of_set)[0]
            places = places_of_set[rows]
            others = slack[:, rows] - self.kinds.table.take(places, 1)
            result[rows] = self._closings.get(places, others)
        return closed

    def _settle(
        self, after: _States, slack: NDArray[Any], asked: NDArray[Any], yes: NDArray[Any]
    ) -> Positions:
        """Tighten the bounds of all sets, put down completed sets, and find the player to move.

        `after` contains the states after answers: `yes` says whether the answer of the player
        `asked` was yes. The arrays `after.hands` and `after.points` are changed.
        """
        rules, players = self.rules, self.rules.players
        place, hands, points, kinds = after
        kinds = self._close(kinds, slack)
        every = np.arange(len(asked))
        for column in kinds:
            owner = self.kinds.owner[column]
            rows = np.nonzero(owner >= 0)[0]
            hands[owner[rows], rows] -= rules.set_size
            points[owner[rows], rows] += 1
            column[rows] = 0
        turn = np.where(yes, 0, asked).astype(np.int64)
        turn = np.where(hands[turn, every] > 0, turn, np.where(yes, asked, 0))
        role = np.arange(players)[:, None]
        tied = role == turn
        new_place = np.zeros(len(asked), np.int32)
        bare = np.nonzero(hands[turn, every] == 0)[0]
        if len(bare):
            wish = self._tie_break_values(hands[:, bare], points[:, bare], self._seats(place[bare]))
            over = (kinds[:, bare] == 0).all(0)
            wish[:, over] = -points[:, bare[over]]
            turn[bare] = wish.argmin(0)
            equal = wish == wish.min(0)
            chance = self._chances & ~over & (equal.sum(0) > 1)
            new_place[bare[chance]] = players
            equal[:, ~chance] = role == turn[bare[~chance]]
            tied[:, bare] = equal
        rank = hands * (rules.sets + 1) + points
        if players >= 4 and rules.tie_break is TieBreak.FIRST_IN_ORDER:
            rows = np.nonzero((hands > 0).sum(0) >= 4)[0]
            holds, seat = hands[:, rows] > 0, self._seats(place[rows])
            rank[:, rows] = np.where(holds, seat, players + points[:, rows])
            turn_seat = seat[turn[rows], np.arange(len(rows))]
            new_place[rows] = ((seat < turn_seat) & holds).sum(0)
        return Positions(kinds, hands, points, tied, new_place, rank)

    def _seats(self, place: NDArray[Any]) -> NDArray[Any]:
        # Return the seat of each role, [role, position]. The seat of role 0 is `place`.
        role = np.arange(self.rules.players)[:, None]
        seat = role - (role <= place)
        seat[0] = place
        return seat

    def _tie_break_values(
        self, hands: NDArray[Any], points: NDArray[Any], seat: NDArray[Any]
    ) -> NDArray[Any]:
        # The player with the smallest value is to move.
        # Players without cards get the largest value.
        wish = points * self.code.cards + hands if self._chances else seat
        return np.where(hands > 0, wish, np.int64(1 << 62))

    def _chance_choices(self, states: _States) -> tuple[NDArray[Any], Positions]:
        players = self.rules.players
        chances = np.nonzero(states.place == players)[0]
        _, hands, points, kinds = (column[..., chances] for column in states)
        wish = self._tie_break_values(hands, points, hands)
        player, row = np.nonzero(wish == wish.min(0))
        hands, points = hands[:, row], points[:, row]
        first = np.arange(players)[:, None] == player
        rank = hands * (self.rules.sets + 1) + points
        nobody = np.zeros(len(row), np.int32)
        return chances[row], Positions(kinds[:, row], hands, points, first, nobody, rank)


def _concatenate(columns: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    return np.concatenate(columns, -1)


@lru_cache(maxsize=4)
def _expander(rules: Rules) -> Expander:
    return Expander(coding(rules))


def expand(work: tuple[Rules, Keys]) -> Expansion:
    """Return the legal questions in each state of a batch, and the states that follow.

    `work` contains the rules and the keys of the states. If the game allows it, the states are
    processed together in arrays, otherwise one at a time.
    """
    rules, keys = work
    code = coding(rules)
    if Expander.fault(code) is None:
        return _expander(rules).expand(keys)
    return expand_singly(code, keys)


def expand_singly(code: KeyCodec, keys: Keys) -> Expansion:
    """Return the same questions and states as `expand`, in games of any size, but more slowly."""
    numbers = role_orders(code.rules.players)[1]
    places: dict[Key, int] = {}
    rows: list[tuple[int, ...]] = []
    for state, key in enumerate(key_bytes(keys)):
        for question in choices(code, key):
            led = [-1, -1]
            for reply in question.replies:
                place = places.setdefault(reply.key, len(places))
                led[reply.answer] = place * len(numbers) + numbers[reply.roles]
            rows.append((state, question.asked, *led))
    ordered = key_array(code, sorted(places))
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    owner, asked, outcomes = columns[0], columns[1], columns[2:]
    rank = search_keys(ordered, key_array(code, places))
    uncertainty = Uncertainty(code)
    before, after = uncertainty.of(keys), uncertainty.of(ordered)
    legal = outcomes >= 0
    number, order = np.divmod(outcomes[legal], len(numbers))
    outcomes[legal] = rank[number] * len(numbers) + order
    later = np.full(outcomes.shape, -1)
    later[legal] = after[rank[number]]
    learns = later.max(0) != before[owner]
    return _gather(ordered, len(keys), _QuestionOutcomes(owner, asked, outcomes, learns))
