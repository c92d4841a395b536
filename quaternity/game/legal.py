"""What may be asked: prepared once for all states in which a set looks alike, found in each state.

Two ways find it, and the tests hold them equal: prepared coalition tables (the default while there
are at most `solvers.coalition_tables.MAX_PLAYERS` players), and any solver, asked once per
candidate answer.

A question touches one set only. So for a set that looks a certain way (the multiset of owner masks,
and the bounds) and an asker, the table of the set given every question and answer can be made in
advance; in a state it then takes one addition and one mask to see whether the answer is possible
(`solvers.coalition_tables`). Cards with equal owners are interchangeable and share one entry, and
many questions share their outcomes, so there are far fewer tables than answers.

What grows: a table has 2^P lanes; a set has at most 2 (P - 1) x (distinct owner masks) different
outcomes per asker, made when first asked for. Kinds, outcomes and prepared sets are kept within
`KIND_BYTES`, `ASK_BYTES` and `ROW_BYTES`; when a budget is spent, that memo starts anew, and with
the kinds all that holds them. States hold their rows and kinds, but no outcomes.
Where the outcomes of one asker could take more than `ASKER_BYTES` (11 players or more, and hundreds
of distinct owner masks), they are made, tried and dropped one after another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.transition import asking, claimed, may_be_asked, problem_after, stated_minimum
from solvers.coalition_tables import IMPOSSIBLE, Kind, Lanes, Looks, looks_of
from solvers.judgement import decided
from solvers.memo import Memo, bytes_of
from solvers.problem import DealProblem, SetConstraint, players_in, with_entry
from solvers.registry import Solver

PAIR_BYTES = 64 * 2**20
"""About how much memory questions with their answers may take, over all games of a process."""

Answers = tuple[Answer, ...]

ANSWERS: tuple[Answers, ...] = ((), (Answer.NO,), (Answer.YES,), (Answer.NO, Answer.YES))
"""Legal answers by number: 1 for no, plus 2 for yes."""

Pairs = list[tuple[Question, Answers]]


Alike = tuple[int, tuple[int, ...], int]
"""Questions about interchangeable cards: the asked player, the cards, and the number of the answers
in `ANSWERS`, not 0. Tuples of numbers, which Python's garbage collector need not look at."""

Groups = tuple[Alike, ...]


class Group(NamedTuple):
    """Questions about interchangeable cards: same asked player, set, owners, and so answers."""

    asked: int
    set_index: int
    cards: tuple[int, ...]
    answers: Answers


class Listed:
    """The legal questions of one asker about one set."""

    __slots__ = ("_pairs", "asker", "groups", "set_index")

    def __init__(self, asker: int, set_index: int, groups: Groups) -> None:
        self.asker = asker
        self.set_index = set_index
        self.groups = groups
        self._pairs: list[Pairs] | None = None

    def __len__(self) -> int:
        return sum([len(cards) for _, cards, _ in self.groups])

    def pairs(self) -> list[Pairs]:
        """Per group the questions with their legal answers; found when first asked for."""
        if self._pairs is None:
            kept = _PAIRS.entries.get((self.asker, self.set_index))
            if kept is None:
                kept = _Kept(self.asker, self.set_index)
                _PAIRS.keep((self.asker, self.set_index), kept, bytes_of(5))
            self._pairs = list(map(kept.__getitem__, self.groups))
        return self._pairs


def answers_listed(found: list[Listed], question: Question) -> Answers:
    """The legal answers to a question; none when it is not among the legal ones."""
    asker, asked, (set_index, number) = question
    for one in found:
        if one.set_index == set_index and one.asker == asker:
            for other, cards, legal in one.groups:
                if other == asked and number in cards:
                    return ANSWERS[legal]
    return ()


class _Kept(dict[Alike, Pairs]):
    """The questions of one asker about one set with their answers, made when first looked up.

    A question with its answers is one and the same pair in all groups: few objects, which the
    garbage collector would look at again and again.
    """

    def __init__(self, asker: int, set_index: int) -> None:
        super().__init__()
        self.asker = asker
        self.set_index = set_index
        self._made: dict[tuple[int, int, int], tuple[Question, Answers]] = {}

    def __missing__(self, group: Alike) -> Pairs:
        asked, cards, legal = group
        made, pairs, before = self._made, [], len(self._made)
        for card in cards:
            key = asked, card, legal
            if key not in made:
                question = Question.trusted(self.asker, asked, Card.trusted(self.set_index, card))
                made[key] = question, ANSWERS[legal]
            pairs.append(made[key])
        self[group] = pairs
        # A question, its card, its pair and their key.
        _PAIRS.charge(bytes_of(2 + 4 * (len(made) - before), numbers=len(cards)))
        return pairs


_PAIRS: Memo[tuple[int, int], _Kept] = Memo(PAIR_BYTES)


KIND_BYTES = 64 * 2**20
"""About how much memory prepared kinds may take, over all games of a process."""

ASK_BYTES = 192 * 2**20
"""About how much memory what may be asked about them, with its outcomes, may take."""

ROW_BYTES = 128 * 2**20
"""About how much memory prepared rows may take, over all games of a process."""

FEW_CARDS = 64
"""Up to so many interchangeable cards are one and the same tuple in all rows: 4096 tuples are kept,
at most about 11 MiB."""

ASKER_BYTES = ASK_BYTES // 4
"""About how much memory what one asker may ask about a set may take to be prepared."""

Ask = tuple[int, int, int, int]
"""Asking somebody for any of some interchangeable cards: the asked player, the owner mask of the
cards, and for no and for yes the bit of its outcome among the outcomes, 0 where the set rules it
out."""

Asks = tuple[tuple[Ask, ...], tuple[int, ...]]
"""All that one asker may ask about a set, as far as the set alone can tell: the questions, and the
different tables that an answer may leave the set with, which many of them share. They are tables
of the set as it was before a card moved, so that the hands are those of the state.

Plain tuples of numbers, here and below: Python's garbage collector need not look at them again and
again, which would take longer than to make them."""

NOTHING: Asks = ((), ())

Statements = tuple[tuple[int, ...], dict[int, int]]
"""What one asker states about a set by asking, whoever is asked: that the card is another's, and
one of the set his own. Per owner mask of the cards that may be asked for, as far as the set alone
can tell, what that adds to the table of the set (nothing, or less than nothing); and before that
all that is added, each once, nothing left out.

A no and a yes together leave all deals that fit the statement. So it is what makes a question legal
where hopeless ones may be asked: whom it is put to does not matter."""


def possible(outcomes: tuple[int, ...], rest: int, guard: int) -> int:
    """The outcomes that fit with the other sets and the hands, a bit each.

    Args:
        outcomes: see `Asks`.
        rest: the slack of the state less the table of the set.
        guard: see `solvers.coalition_tables.Lanes`.
    """
    found, bit = 0, 1
    for table in outcomes:
        if (rest + table) & guard == guard:
            found |= bit
        bit += bit
    return found


class AskedKind(Kind):
    """Sets that look alike, prepared for questions.

    Attributes:
        owned: the player who owns every card whatever the other sets are, or None.
        holders: per player who may own all cards, the table in which that player does not.
        heavy: whether what may be asked is too much to prepare, see `tried`.
    """

    __slots__ = ("_asks", "_statements", "heavy", "holders", "owned")

    def __init__(self, layout: Lanes, looks: Looks) -> None:
        super().__init__(layout, looks)
        # By asker, where made: tuples, which the garbage collector need not look at.
        self._asks: tuple[Asks | None, ...] = ()
        self._statements: tuple[Statements | None, ...] = ()
        self.owned: int | None = None
        self.holders: tuple[tuple[int, int], ...] = ()
        owners, low, high = looks
        size = len(owners)
        different = 2 * (layout.players - 1) * len(set(owners))
        self.heavy = different * layout.bits // 8 > ASKER_BYTES
        if not size or self.table == IMPOSSIBLE:
            return
        common = layout.everybody
        for mask in owners:
            common &= mask
        held = sum(low)
        for player in players_in(common):
            if low[player] == held and high[player] >= size:
                less = (*high[:player], size - 1, *high[player + 1 :])
                table = layout.table(owners, low, less)
                if table == IMPOSSIBLE:
                    self.owned = player
                else:
                    self.holders += ((player, table),)

    def asks(self, asker: int) -> Asks:
        """What an asker may ask about the set."""
        made = self._asks
        asks = made[asker] if made else None
        if asks is None:
            asks = self._made(asker)
            outcomes = len(asks[1])
            size = bytes_of(4 + len(asks[0]) + outcomes, bits=outcomes * self.layout.bits)
            self._keep("_asks", asker, asks, size)
        return asks

    def statements(self, asker: int) -> Statements:
        """What an asker states about the set by asking."""
        made = self._statements
        found = made[asker] if made else None
        if found is None:
            tables = self._made_statements(asker).items()
            changes = {mask: table - self.table for mask, table in tables if table != IMPOSSIBLE}
            found = tuple({*changes.values()} - {0}), changes
            size = bytes_of(4 + 2 * len(changes), bits=len(changes) * self.layout.bits)
            self._keep("_statements", asker, found, size)
        return found

    def _made_statements(self, asker: int) -> dict[int, int]:
        """Per owner mask the table that is left when a card of it is asked for; see `asking`."""
        layout, (owners, minimums, high) = self.layout, self.looks
        size, low = len(owners), with_entry(minimums, asker, stated_minimum(minimums[asker]))
        if sum(low) > size:
            return {}
        if min(high) < size:
            said = {mask: asking(self.constraint, asker, owners.index(mask)) for mask in {*owners}}
            return {mask: layout.table_of(one) for mask, one in said.items()}
        settled, meeting = layout.settling(low, size), layout.meeting
        ranks = layout.meetings(owners)
        less = {mask: meeting[mask] - meeting[mask & ~(1 << asker)] for mask in {*owners}}
        return {mask: settled(ranks - one) for mask, one in less.items()}

    def _keep(self, made: str, asker: int, found: object, size: int) -> None:
        """Keep what was made for an asker, unless it is too large."""
        if size <= _ASKS.budget:
            with _ASKS.changing:
                _ASKS.keep(self, None, size)
                kept = getattr(self, made) or (None,) * self.layout.players
                setattr(self, made, with_entry(kept, asker, found))

    def tried(self, asker: int, rest: int) -> tuple[Ask, ...]:
        """What an asker may ask with answers that fit; keeps no table.

        The bits are 1 for a no that fits, and 2 for a yes.

        Args:
            rest: see `possible`.
        """
        fits, asks = self.layout.fits, []
        for asked, mask, *tables in self._outcomes(asker):
            no, yes = (table != IMPOSSIBLE and fits(rest + table) for table in tables)
            if no or yes:
                asks.append((asked, mask, int(no), 2 * yes))
        return tuple(asks)

    def tried_answers(self, asker: int, asked: int, mask: int, rest: int) -> int:
        """As `tried`, for one question: 1 for a no that fits, plus 2 for a yes."""
        layout, constraint = self.layout, self.constraint
        card, fitting = constraint.owners.index(mask), 0
        for answer in Answer:
            table = layout.table_of(claimed(constraint, asker, asked, card, answer))
            if table != IMPOSSIBLE and layout.fits(rest + table):
                fitting += 1 + answer
        return fitting

    def _made(self, asker: int) -> Asks:
        owners, low, high = self.looks
        low = with_entry(low, asker, stated_minimum(low[asker]))
        if sum(low) == len(owners) <= min(high):
            return self._made_of_counts(asker, low)
        bits, asks = {IMPOSSIBLE: 0}, []
        for asked, mask, no, yes in self._outcomes(asker):
            if no not in bits:
                bits[no] = 1 << len(bits) - 1
            if yes not in bits:
                bits[yes] = 1 << len(bits) - 1
            if no != IMPOSSIBLE or yes != IMPOSSIBLE:
                asks.append((asked, mask, bits[no], bits[yes]))
        return (tuple(asks), tuple(bits)[1:]) if asks else NOTHING

    def _made_of_counts(self, asker: int, low: tuple[int, ...]) -> Asks:
        """As `_made`, where all players' numbers of cards are known: one outcome serves all."""
        layout, owners, everybody = self.layout, self.looks[0], range(self.layout.players)
        counts, meeting, asks = layout.packed_hands(low), layout.meeting, []
        tight = layout.tight(layout.meetings(owners), counts)
        if tight is None:
            return NOTHING
        others = [(asked, 1 << asked) for asked in everybody if asked != asker]
        for mask in dict.fromkeys(owners):
            at_stake, left = tight & meeting[mask], mask & ~(1 << asker)
            if left != mask and at_stake & meeting[left] != at_stake:
                continue
            for asked, bit in others:
                no = not left & bit or at_stake & meeting[left ^ bit] == at_stake
                yes = left & bit and at_stake & meeting[bit] == at_stake
                if no or yes:
                    asks.append((asked, mask, int(no), int(yes)))
        return (tuple(asks), (counts,)) if asks else NOTHING

    def _outcomes(self, asker: int) -> Iterator[tuple[int, int, int, int]]:
        """Per asked player and owner mask the set's tables given no and given yes.

        The rules are those of `quaternity.game.transition.claimed`, which serves sets with upper
        bounds. Without any, all that differs is who may own the card.
        """
        layout, (owners, minimums, high) = self.layout, self.looks
        size, players = len(owners), range(layout.players)
        if min(high) < size:
            constraint = self.constraint
            for mask in dict.fromkeys(owners):
                card = owners.index(mask)
                for asked in players:
                    if asked != asker:
                        no, yes = (
                            layout.table_of(claimed(constraint, asker, asked, card, answer))
                            for answer in Answer
                        )
                        yield asked, mask, no, yes
            return
        low = list(minimums)
        low[asker] = stated_minimum(low[asker])
        if sum(low) > size:
            return
        settled, meeting = layout.settling(low, size), layout.meeting
        ranks = layout.meetings(owners)
        said = settled(ranks)
        if said == IMPOSSIBLE:
            return
        for mask in dict.fromkeys(owners):
            left, rest = mask & ~(1 << asker), ranks - meeting[mask]
            if not left:
                continue
            refused = said if left == mask else settled(rest + meeting[left])
            for asked in players:
                bit = 1 << asked
                if left & bit:
                    no = settled(rest + meeting[left ^ bit]) if left != bit else IMPOSSIBLE
                    yield asked, mask, no, settled(rest + meeting[bit])
                elif asked != asker and refused != IMPOSSIBLE:
                    # A no of somebody who may not own the card tells nothing.
                    yield asked, mask, refused, IMPOSSIBLE


class PreparedSet:
    """One set of a state with its cards in their order: its constraint, and its kind.

    Attributes:
        numbers: by seat, where made, what `quaternity.game.encoded` makes of the set.
    """

    __slots__ = ("_askable", "_cards", "_groups", "constraint", "kind", "numbers")

    def __init__(self, constraint: SetConstraint, kind: AskedKind) -> None:
        self.constraint = constraint
        self._cards: dict[int, tuple[int, ...]] | None = None
        self.kind = kind
        self._groups: dict[tuple[int, int, int], Groups] = {}
        # By asker and by seat: tuples, which the garbage collector need not look at.
        self._askable: tuple[bytes | None, ...] = (None,) * constraint.players
        self.numbers: tuple[bytes | None, ...] = self._askable

    def groups(self, asker: int, fitting: int, bare: int) -> Groups:
        """The legal questions about the set.

        Args:
            fitting: the possible outcomes, see `possible`.
            bare: the players without cards, a bit each.
        """
        groups = self._groups.get((asker, fitting, bare))
        if groups is None:
            groups = self.among(self.kind.asks(asker)[0], fitting, bare)
            self._groups[asker, fitting, bare] = groups
            _ROWS.charge(bytes_of(2 + len(groups)))
        return groups

    def askable(self, asker: int) -> bytes:
        """Per card 1 where it may be asked for, as far as the set alone can tell."""
        found = self._askable[asker]
        if found is None:
            found = bytes(map(self.kind.statements(asker)[1].__contains__, self.constraint.owners))
            self._askable = with_entry(self._askable, asker, found)
            _ROWS.charge(bytes_of(1, bits=8 * len(found)))
        return found

    def keep_numbers(self, seat: int, numbers: bytes) -> bytes:
        """Keep and return what `quaternity.game.encoded` made of the set for a seat."""
        self.numbers = with_entry(self.numbers, seat, numbers)
        _ROWS.charge(bytes_of(1, bits=8 * len(numbers)))
        return numbers

    def among(self, asks: tuple[Ask, ...], fitting: int, bare: int) -> Groups:
        """As `groups`, of these asks."""
        if self._cards is None:
            self._cards = _alike(self.constraint.owners)
        cards = self._cards
        groups = []
        for asked, mask, no, yes in asks:
            legal = (fitting & no > 0) + 2 * (fitting & yes > 0)
            if legal and not bare >> asked & 1:
                groups.append((asked, cards[mask], legal))
        return tuple(groups)


def _alike(owners: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """The cards of every owner mask."""
    cards: dict[int, list[int]] = {}
    for card, mask in enumerate(owners):
        cards.setdefault(mask, []).append(card)
    return {
        mask: _shared(tuple(alike)) if len(alike) <= FEW_CARDS else tuple(alike)
        for mask, alike in cards.items()
    }


@lru_cache(maxsize=1 << 12)
def _shared(cards: tuple[int, ...]) -> tuple[int, ...]:
    """One and the same tuple for the same cards."""
    return cards


class _Asked(Memo[AskedKind, None]):
    """What kinds keep, by asker: taken from them when it is forgotten, whoever holds the kinds."""

    __slots__ = ()

    def forget(self) -> None:
        with self.changing:
            for kind in self.entries:
                kind._asks = kind._statements = ()
            super().forget()


class _KindsKept(Memo[tuple[int, *Looks], AskedKind]):
    """Kinds, forgotten with the rows and outcomes that would hold them in memory."""

    __slots__ = ()

    def forget(self) -> None:
        with self.changing:
            _ROWS.forget()
            _ASKS.forget()
            super().forget()


# By lane width and looks; the players are as many as bounds.
_KINDS = _KindsKept(KIND_BYTES)
_ASKS = _Asked(ASK_BYTES)
_ROWS: Memo[tuple[int, *Looks], PreparedSet] = Memo(ROW_BYTES)


def _kind(layout: Lanes, constraint: SetConstraint) -> AskedKind:
    looks = looks_of(constraint)
    key = (layout.width, *looks)
    kind = _KINDS.entries.get(key)
    if kind is None:
        tables = layout.players + 1
        size = bytes_of(8 + tables, constraint.size, layout.everybody, tables * layout.bits)
        kind = _KINDS.keep(key, AskedKind(layout, looks), size)
    return kind


def prepared(layout: Lanes, constraint: SetConstraint) -> PreparedSet:
    """A set, prepared for questions; kept."""
    key = (layout.width, *constraint)
    found = _ROWS.entries.get(key)
    if found is None:
        found = PreparedSet(constraint, _kind(layout, constraint))
        with _KINDS.changing:
            if found.kind is _KINDS.entries.get((layout.width, *found.kind.looks)):
                _ROWS.keep(key, found, bytes_of(10 + constraint.size))
    return found


def cards_to_ask(rows: Sequence[PreparedSet], slack: int, asker: int) -> list[bytes]:
    """Per set, per card 1 where it may be asked for, in a game that is not brisk.

    Anybody who has cards may be asked for it, see `Statements`. Empty where no card may be.

    Args: as for `found_by_tables`.

    Cost: per set one addition and one mask for every different table it may be left with.
    """
    guard = rows[0].kind.layout.guard
    found = []
    for row in rows:
        made = row.kind._statements
        changes, by_mask = (made and made[asker]) or row.kind.statements(asker)
        if not by_mask:
            found.append(b"")
            continue
        cards = row._askable[asker] or row.askable(asker)
        for change in changes:
            if (slack + change) & guard != guard:
                fits = [mask for mask, less in by_mask.items() if (slack + less) & guard == guard]
                cards = bytes(map(fits.__contains__, row.constraint.owners))
                break
        found.append(cards)
    return found


def found_by_tables(
    rows: Sequence[PreparedSet], slack: int, asker: int, hands: Sequence[int]
) -> list[Listed]:
    """All legal questions of a game that is not brisk, by the prepared tables.

    Args:
        rows: the sets of a possible state.
        slack: of the state, see `solvers.coalition_tables.Lanes.slack`.
        asker: the player on turn.
        hands: per player the cards in hand.

    Cost: per set a subtraction, and for every different table that an answer may lead to one
    addition and one mask, on integers of 2^P lanes. Sets that look alike share it.
    """
    guard = rows[0].kind.layout.guard
    bare = 0
    for player, hand in enumerate(hands):
        if not hand:
            bare |= 1 << player
    found: list[Listed] = []
    seen: dict[int, int] = {}
    tried: dict[int, tuple[Ask, ...]] = {}
    for set_index, row in enumerate(rows):
        kind = row.kind
        key = id(kind)
        if kind.heavy:
            if key not in tried:
                tried[key] = kind.tried(asker, slack - kind.table)
            groups = row.among(tried[key], 3, bare)
            if groups:
                found.append(Listed(asker, set_index, groups))
            continue
        fitting = seen.get(key)
        if fitting is None:
            _, outcomes = kind.asks(asker)
            fitting = seen[key] = possible(outcomes, slack - kind.table, guard)
        if fitting:
            groups = row.groups(asker, fitting, bare)
            if groups:
                found.append(Listed(asker, set_index, groups))
    return found


def found_by_solver(problem: DealProblem, asker: int, solver: Solver) -> list[Listed]:
    """As `found_by_tables`, by one call of a solver per candidate answer.

    Sets that look alike share their answers; so do a set's cards with equal owners.
    """
    known: dict[object, int] = {}
    found: list[Listed] = []
    for set_index, constraint in enumerate(problem.sets):
        groups = []
        alike: dict[int, list[int]] = {}
        for card, mask in enumerate(constraint.owners):
            alike.setdefault(mask, []).append(card)
        looks_of_set = looks_of(constraint)
        for mask, cards in alike.items():
            for asked in range(problem.players):
                if asked == asker or not problem.hands[asked]:
                    continue
                looks = (*looks_of_set, mask, asked)
                if looks not in known:
                    question = asker, asked, set_index, cards[0]
                    no, yes = (
                        decided(problem_after(problem, *question, answer), solver)
                        for answer in Answer
                    )
                    known[looks] = bool(no) + 2 * bool(yes)
                if known[looks]:
                    groups.append((asked, tuple(cards), known[looks]))
        if groups:
            found.append(Listed(asker, set_index, tuple(groups)))
    return found


def without_hopeless(found: list[Listed]) -> list[Listed]:
    """Of the legal questions of a game those of a brisk one."""
    kept = [
        Listed(
            one.asker,
            one.set_index,
            tuple([group for group in one.groups if may_be_asked(group[2], True)]),
        )
        for one in found
    ]
    return [one for one in kept if one.groups]


__all__ = [
    "ANSWERS", "ASK_BYTES", "KIND_BYTES", "PAIR_BYTES", "ROW_BYTES",
    "Answers", "Ask", "AskedKind", "Asks", "Group", "Groups", "Listed", "PreparedSet",
    "found_by_solver", "found_by_tables", "possible", "prepared", "without_hopeless",
]  # fmt: skip
