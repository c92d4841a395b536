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
outcomes per asker, made when first asked for. All of it is kept in memos (`quaternity.base.memo`);
states hold their rows and kinds, but no outcomes. Where the outcomes of one asker could take more
than `ASKER_BYTES` (11 players or more, and hundreds of distinct owner masks), they are made, tried
and dropped one after another.

Plain tuples of numbers, wherever many are kept: Python's garbage collector need not look at them
again and again, which would take longer than to make them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from quaternity.base.memo import Memo, bytes_of
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.transition import asking, claimed, may_be_asked, problem_after, stated_minimum
from solvers.coalition_tables import IMPOSSIBLE, Kind, Lanes, Looks, looks_of
from solvers.judgement import decided
from solvers.problem import DealProblem, SetConstraint, players_in, with_entry
from solvers.solver import Solver

ASKER_BYTES = 48 * 2**20
"""About how much memory what one asker may ask about a set may take to be prepared."""

Answers = tuple[Answer, ...]

ANSWERS: tuple[Answers, ...] = ((), (Answer.NO,), (Answer.YES,), (Answer.NO, Answer.YES))
"""Legal answers by number: 1 for no, plus 2 for yes."""

Pairs = list[tuple[Question, Answers]]

Groups = tuple[tuple[int, tuple[int, ...], int], ...]
"""Questions about one set, interchangeable cards together: the asked player, the cards, and the
number of the answers in `ANSWERS`, not 0."""

Ask = tuple[int, int, int, int]
"""Asking somebody for any of some interchangeable cards: the asked player, the owner mask of the
cards, and for no and for yes the bit of its outcome among the outcomes, 0 where the set rules it
out."""

Asks = tuple[tuple[Ask, ...], tuple[int, ...]]
"""All that one asker may ask about a set, as far as the set alone can tell: the questions, and the
different tables that an answer may leave the set with, which many of them share. They are tables
of the set as it was before a card moved, so that the hands are those of the state."""

Statements = tuple[tuple[int, ...], dict[int, int]]
"""What an asker states about a set by asking, whoever is asked: that the card is another's, and
that the asker holds one of the set. Per owner mask of the cards that may be asked for, as far as
the set alone can tell, what that adds to the table of the set (nothing, or less than nothing); and
before that all that is added, each number but 0 once.

A no and a yes together leave all deals that fit the statement. So it is what makes a question legal
where hopeless ones may be asked: whom it is put to does not matter."""


class Group(NamedTuple):
    """Questions about interchangeable cards: same asked player, set, owners, and so answers."""

    asked: int
    set_index: int
    cards: tuple[int, ...]
    answers: Answers


class Listed(NamedTuple):
    """The legal questions of one asker about one set."""

    asker: int
    set_index: int
    groups: Groups


def answers_listed(listed: list[Listed], question: Question) -> Answers:
    """Return the legal answers to a question; none when it is not among the legal ones."""
    asker, asked, (set_index, number) = question
    for by, index, groups in listed:
        if index == set_index and by == asker:
            for other, cards, legal in groups:
                if other == asked and number in cards:
                    return ANSWERS[legal]
    return ()


class AskedKind(Kind):
    """Sets that look alike, prepared for questions.

    Attributes:
        owned: the player who owns every card whatever the other sets are, or None.
        holders: per player who may own all cards, the table in which that player does not.
        heavy: whether what may be asked is too much to prepare, see `tried`.
    """

    __slots__ = ("heavy", "holders", "owned")

    def __init__(self, layout: Lanes, looks: Looks) -> None:
        super().__init__(layout, looks)
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

    def tried(self, asker: int, room: int) -> Iterator[Ask]:
        """Yield what an asker may ask with answers that fit, and no table kept.

        The bits are 1 for a no that fits, and 2 for a yes.

        Args:
            rest: the slack of the state less the table of the set.
        """
        fits = self.layout.fits
        for asked, mask, no, yes in self.outcomes(asker):
            may_no, may_yes = (table != IMPOSSIBLE and fits(room + table) for table in (no, yes))
            yield asked, mask, int(may_no), 2 * may_yes

    def outcomes(self, asker: int) -> Iterator[tuple[int, int, int, int]]:
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
        all_settled = settled(ranks)
        if all_settled == IMPOSSIBLE:
            return
        for mask in dict.fromkeys(owners):
            others, room = mask & ~(1 << asker), ranks - meeting[mask]
            if not others:
                continue
            refused = all_settled if others == mask else settled(room + meeting[others])
            for asked in players:
                bit = 1 << asked
                if others & bit:
                    no = settled(room + meeting[others ^ bit]) if others != bit else IMPOSSIBLE
                    yield asked, mask, no, settled(room + meeting[bit])
                elif asked != asker and refused != IMPOSSIBLE:
                    # A no of somebody who may not own the card tells nothing.
                    yield asked, mask, refused, IMPOSSIBLE


class PreparedSet:
    """One set of a state with its cards in their order."""

    __slots__ = ("constraint", "kind")

    def __init__(self, constraint: SetConstraint, kind: AskedKind) -> None:
        self.constraint, self.kind = constraint, kind

    def among(self, asks: Iterable[Ask], fitting: int, bare: int) -> Groups:
        """Return the legal questions among some asks.

        Args:
            fitting: the possible outcomes, a bit each.
            bare: the players without cards, a bit each.
        """
        alike: dict[int, list[int]] = {}
        for card, mask in enumerate(self.constraint.owners):
            alike.setdefault(mask, []).append(card)
        cards = {mask: tuple(numbers) for mask, numbers in alike.items()}
        groups = []
        for asked, mask, no, yes in asks:
            legal = (fitting & no > 0) + 2 * (fitting & yes > 0)
            if legal and not bare >> asked & 1:
                groups.append((asked, cards[mask], legal))
        return tuple(groups)


@Memo
def _kinds(
    layout: Lanes, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
) -> tuple[AskedKind, int]:
    tables = layout.players + 1
    size = bytes_of(8 + tables, len(owners), layout.everybody, tables * layout.bits)
    return AskedKind(layout, (owners, low, high)), size


@Memo
def _rows(
    layout: Lanes, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
) -> tuple[PreparedSet, int]:
    constraint = SetConstraint.trusted(owners, low, high)
    kind = _kinds[layout, *looks_of(constraint)]
    return PreparedSet(constraint, kind), bytes_of(10, constraint.size)


@Memo
def _asks(kind: AskedKind, asker: int) -> tuple[Asks, int]:
    bits, asks = {IMPOSSIBLE: 0}, []
    for asked, mask, no, yes in kind.outcomes(asker):
        if no not in bits:
            bits[no] = 1 << len(bits) - 1
        if yes not in bits:
            bits[yes] = 1 << len(bits) - 1
        if no != IMPOSSIBLE or yes != IMPOSSIBLE:
            asks.append((asked, mask, bits[no], bits[yes]))
    size = bytes_of(6 + len(asks) + len(bits), bits=len(bits) * kind.layout.bits)
    return (tuple(asks), tuple(bits)[1:]), size


@Memo
def _statements(kind: AskedKind, asker: int) -> tuple[Statements, int]:
    layout, (owners, minimums, high) = kind.layout, kind.looks
    size, masks = len(owners), {*owners}
    if min(high) < size:
        constraint = kind.constraint
        stated = {mask: asking(constraint, asker, owners.index(mask)) for mask in masks}
        tables = {mask: layout.table_of(constraint) for mask, constraint in stated.items()}
    else:
        low = with_entry(minimums, asker, stated_minimum(minimums[asker]))
        settled, meeting = layout.settling(low, size), layout.meeting
        ranks, others = layout.meetings(owners), ~(1 << asker)
        tables = {mask: settled(ranks - meeting[mask] + meeting[mask & others]) for mask in masks}
    changes = {mask: table - kind.table for mask, table in tables.items() if table != IMPOSSIBLE}
    made = tuple({*changes.values()} - {0}), changes
    return made, bytes_of(6 + 2 * len(changes), bits=len(changes) * layout.bits)


@Memo
def _askable(row: PreparedSet, asker: int) -> tuple[tuple[bytes, *Statements], int]:
    changes, by_mask = _statements[row.kind, asker]
    cards = bytes(map(by_mask.__contains__, row.constraint.owners)) if by_mask else b""
    return (cards, changes, by_mask), bytes_of(4, bits=8 * len(cards))


@Memo
def _claims(kind: AskedKind, asker: int, asked: int, mask: int) -> tuple[list[int], int]:
    card, layout = kind.looks[0].index(mask), kind.layout
    claims = [claimed(kind.constraint, asker, asked, card, answer) for answer in Answer]
    return list(map(layout.table_of, claims)), bytes_of(6, bits=2 * layout.bits)


@Memo
def _groups(row: PreparedSet, asker: int, fitting: int, bare: int) -> tuple[Groups, int]:
    groups = row.among(_asks[row.kind, asker][0], fitting, bare)
    return groups, bytes_of(4 + len(groups), sum([len(cards) for _, cards, _ in groups]))


@Memo
def _pairs(
    asker: int, asked: int, set_index: int, card: int, legal: int
) -> tuple[tuple[Question, Answers], int]:
    question = Question.trusted(asker, asked, Card.trusted(set_index, card))
    return (question, ANSWERS[legal]), bytes_of(5)


@Memo
def _pairs_of_sets(asker: int, set_index: int, groups: Groups) -> tuple[Pairs, int]:
    pairs = [
        _pairs[asker, asked, set_index, card, legal]
        for asked, cards, legal in groups
        for card in cards
    ]
    return pairs, bytes_of(3, len(pairs))


pairs_listed = _pairs_of_sets.__getitem__
"""The questions about one `Listed` set with their legal answers."""


def prepared(layout: Lanes, constraint: SetConstraint) -> PreparedSet:
    """Return a set, prepared for questions; kept."""
    return _rows[layout, *constraint]


def cards_to_ask(rows: Sequence[PreparedSet], slack: int, asker: int) -> list[bytes]:
    """Per set, per card 1 where it may be asked for, in a game that is not brisk.

    Anybody who has cards may be asked for it, see `Statements`. Empty where no card may be.

    Args: as for `found_by_tables`.

    Cost: per set one addition and one mask for every different table it may be left with.
    """
    guard = rows[0].kind.layout.guard
    by_set = []
    for row in rows:
        cards, changes, by_mask = _askable[row, asker]
        for change in changes:
            if (slack + change) & guard != guard:
                fits = [mask for mask, less in by_mask.items() if (slack + less) & guard == guard]
                cards = bytes(map(fits.__contains__, row.constraint.owners))
                break
        by_set.append(cards)
    return by_set


def answers_fitting(row: PreparedSet, slack: int, asker: int, asked: int, card: int) -> int:
    """Return the possible answers to one question about a set: 1 for a no, plus 2 for a yes.

    Args:
        slack: as for `found_by_tables`.
    """
    kind, mask = row.kind, row.constraint.owners[card]
    guard = kind.layout.guard
    if not mask >> asked & 1:
        # Then a no tells nothing.
        change = _statements[kind, asker][1].get(mask)
        return int(change is not None and (slack + change) & guard == guard)
    no, yes = _claims[kind, asker, asked, mask]
    room = slack - kind.table
    may_no = no != IMPOSSIBLE and (room + no) & guard == guard
    return may_no + 2 * (yes != IMPOSSIBLE and (room + yes) & guard == guard)


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
    bare = sum([1 << player for player, hand in enumerate(hands) if not hand])
    listed = []
    seen: dict[AskedKind, int] = {}
    tried: dict[AskedKind, tuple[Ask, ...]] = {}
    for set_index, row in enumerate(rows):
        kind = row.kind
        if kind.heavy:
            if kind not in tried:
                tried[kind] = tuple(kind.tried(asker, slack - kind.table))
            groups = row.among(tried[kind], 3, bare)
        else:
            fitting = seen.get(kind)
            if fitting is None:
                room, fitting, bit = slack - kind.table, 0, 1
                for table in _asks[kind, asker][1]:
                    if (room + table) & guard == guard:
                        fitting |= bit
                    bit += bit
                seen[kind] = fitting
            groups = _groups[row, asker, fitting, bare] if fitting else ()
        if groups:
            listed.append(Listed(asker, set_index, groups))
    return listed


def found_by_solver(problem: DealProblem, asker: int, solver: Solver) -> list[Listed]:
    """As `found_by_tables`, by one call of a solver per candidate answer.

    Sets that look alike share their answers; so do a set's cards with equal owners.
    """
    known: dict[object, int] = {}
    listed: list[Listed] = []
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
            listed.append(Listed(asker, set_index, tuple(groups)))
    return listed


def without_hopeless(listed: list[Listed]) -> list[Listed]:
    """Keep the legal questions that a brisk game also allows."""
    kept = [
        Listed(
            question.asker,
            question.set_index,
            tuple([group for group in question.groups if may_be_asked(group[2], True)]),
        )
        for question in listed
    ]
    return [k for k in kept if k.groups]
