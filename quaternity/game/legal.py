"""Computation of the legal questions and answers, using coalition tables or any solver.

A coalition table belongs to a set of cards. For each group of players, it contains the maximum
number of cards of the set that the group can hold (`solvers.coalition_tables`). Tables are the
default method, for at most `solvers.coalition_tables.MAX_PLAYERS` players. The other method calls a
solver once for each candidate answer. The tests check that both methods agree.

A question changes the table of only one set. For each asker and each shape of a set (see
`PreparedShape`), the tables after all questions and answers are computed once and cached. An answer
is possible in a state if the table after it fits the tables of the other sets. This test takes one
addition and one bit mask. Cards of a set with the same possible owners are interchangeable, so they
share one entry.

A table for P players contains 2^P numbers. With 11 or more players, the tables for one asker and
one set may need more than `MAX_ASKER_BYTES`. In each state, they are then computed, tested and
dropped one at a time.

Large collections are plain tuples of numbers, because Python's garbage collector does not traverse
such tuples repeatedly. Traversing them would take longer than creating them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from quaternity.base.memo import Memo, bytes_of
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.transition import (
    after_claim,
    after_statement,
    asker_minimum,
    may_be_asked,
    problem_after,
)
from solvers.coalition_tables import IMPOSSIBLE, LaneLayout, SetShape, ShapeKey, shape_key
from solvers.cross_check import run_solver
from solvers.problem import DealProblem, SetConstraint, players_in, with_entry
from solvers.solver import Solver

MAX_ASKER_BYTES = 48 * 2**20
"""Maximum memory, in bytes, for the stored effects of all questions that one player can ask about
one set. Above this limit, the effects are computed again in each state."""

Answers = tuple[Answer, ...]

ANSWERS: tuple[Answers, ...] = ((), (Answer.NO,), (Answer.YES,), (Answer.NO, Answer.YES))
"""The combinations of legal answers to a question. The index is 1 if "no" is legal, plus 2 if "yes"
is legal."""

Pairs = list[tuple[Question, Answers]]

Groups = tuple[tuple[int, tuple[int, ...], int], ...]
"""The questions about one set, grouped by interchangeable cards. Each entry has the asked player,
the numbers of the cards, and the index (never 0) of the legal answers in `ANSWERS`."""

Ask = tuple[int, int, int, int]
"""Questions to a player for any of several interchangeable cards, as a tuple (asked player, owner
mask, mask for no, mask for yes). The owner mask has a bit for each player who may own the cards.
The mask for an answer is 0 if the answer contradicts the constraint of the set.
Otherwise, it is `1 << index`, with the index in `Asks` of the coalition table after the answer."""

Asks = tuple[tuple[Ask, ...], tuple[int, ...]]
"""A pair: the questions that the constraint of a set allows a player to ask about the set, and the
distinct coalition tables of the set after the answers. Several answers may lead to the same table.
A table takes into account what the answer reveals, but not yet the transfer of the card."""

Statements = tuple[tuple[int, ...], dict[int, int]]
"""The changes that one asker's questions cause in the coalition table of a set (the maximum number
of its cards that each group of players can hold). Asking for a card reveals two facts, whatever the
answer: another player has the card, and the asker has a card of the set. Together, these facts are
the *statement* of the question.

The tuple lists the distinct changes other than 0. The dictionary has an entry for each card that
the constraint of the set alone allows the asker to request. It maps the owner mask of the card to
the change that the statement causes, which is 0 or less.

Every deal that fits the statement allows exactly one answer. So if hopeless questions (which can
only be answered no) are allowed, the statement alone decides whether a question is legal."""


class QuestionGroup(NamedTuple):
    """Questions to one player about interchangeable cards of a set.

    The cards have the same possible owners, so all these questions have the same legal answers.
    """

    asked: int
    set_index: int
    cards: tuple[int, ...]
    answers: Answers


class SetQuestions(NamedTuple):
    """The legal questions that one asker can ask about the cards of one set."""

    asker: int
    set_index: int
    groups: Groups


def find_answers(listed: list[SetQuestions], question: Question) -> Answers:
    """Look up a question among the legal ones. Return its answers, or () if it is illegal."""
    asker, asked, (set_index, number) = question
    for by, index, groups in listed:
        if index == set_index and by == asker:
            for other, cards, legal in groups:
                if other == asked and number in cards:
                    return ANSWERS[legal]
    return ()


class PreparedShape(SetShape):
    """A set without the order of its cards, with data that help to find legal questions.

    A coalition table contains the maximum number of cards that each group of players can hold.

    Attributes:
        owned: the player who must own all cards, by the constraint of the set alone, or None.
        holders: pairs (player, table) for each player who may own all cards. The table is the
            coalition table of the set if this player does not own all of them.
        heavy: whether the tables after all questions need too much memory to be stored (see
            `feasible_asks`).
    """

    __slots__ = ("heavy", "holders", "owned")

    def __init__(self, layout: LaneLayout, looks: ShapeKey) -> None:
        super().__init__(layout, looks)
        self.owned: int | None = None
        self.holders: tuple[tuple[int, int], ...] = ()
        owners, low, high = looks
        size = len(owners)
        different = 2 * (layout.players - 1) * len(set(owners))
        self.heavy = different * layout.bits // 8 > MAX_ASKER_BYTES
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

    def feasible_asks(self, asker: int, room: int) -> Iterator[Ask]:
        """Yield the possible questions of an asker with their possible answers, as `Ask` tuples.

        The last two entries of a tuple are 1 if the answer no is possible, and 2 if the answer yes
        is possible, or else 0. No coalition tables are stored.

        Args:
            asker: the player to move.
            room: how many more cards each group of players could hold without this set
                (`LaneLayout.slack` minus `table`).
        """
        fits = self.layout.fits
        for asked, mask, no, yes in self.outcomes(asker):
            may_no, may_yes = (table != IMPOSSIBLE and fits(room + table) for table in (no, yes))
            yield asked, mask, int(may_no), 2 * may_yes

    def outcomes(self, asker: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield each question as (asked player, owner mask, table after no, table after yes).

        A table contains the maximum number of cards of the set that each group of players can hold
        after this answer. The owner mask stands for all cards with these possible owners.
        """
        layout, (owners, minimums, high) = self.layout, self.key
        size, players = len(owners), range(layout.players)
        if min(high) < size:
            constraint = self.constraint
            for mask in dict.fromkeys(owners):
                card = owners.index(mask)
                for asked in players:
                    if asked != asker:
                        no, yes = (
                            layout.table_of(after_claim(constraint, asker, asked, card, answer))
                            for answer in Answer
                        )
                        yield asked, mask, no, yes
            return
        low = list(minimums)
        low[asker] = asker_minimum(low[asker])
        if sum(low) > size:
            return
        settled, meeting = layout.table_function(low, size), layout.intersecting
        ranks = layout.ownable_counts(owners)
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
                    # A player who cannot own the card must answer no, which reveals nothing.
                    yield asked, mask, refused, IMPOSSIBLE


class PreparedSet:
    """A set in a state: its constraint, in the order of its cards, and its `PreparedShape`."""

    __slots__ = ("constraint", "kind")

    def __init__(self, constraint: SetConstraint, kind: PreparedShape) -> None:
        self.constraint, self.kind = constraint, kind

    def legal_groups(self, asks: Iterable[Ask], fitting: int, bare: int) -> Groups:
        """Return the legal questions among `asks`, grouped by interchangeable cards.

        Args:
            fitting: bit mask that says which answers are possible in the state (see `Ask`).
            bare: bit mask of the players without cards.
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
def _prepare_shape(
    layout: LaneLayout, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
) -> tuple[PreparedShape, int]:
    tables = layout.players + 1
    size = bytes_of(8 + tables, len(owners), layout.everybody, tables * layout.bits)
    return PreparedShape(layout, (owners, low, high)), size


@Memo
def _prepare_set(
    layout: LaneLayout, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
) -> tuple[PreparedSet, int]:
    constraint = SetConstraint.unchecked(owners, low, high)
    kind = _prepare_shape[layout, *shape_key(constraint)]
    return PreparedSet(constraint, kind), bytes_of(10, constraint.size)


@Memo
def _asks(kind: PreparedShape, asker: int) -> tuple[Asks, int]:
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
def _statements(kind: PreparedShape, asker: int) -> tuple[Statements, int]:
    layout, (owners, minimums, high) = kind.layout, kind.key
    size, masks = len(owners), {*owners}
    if min(high) < size:
        constraint = kind.constraint
        claims = {mask: after_statement(constraint, asker, owners.index(mask)) for mask in masks}
        tables = {mask: layout.table_of(constraint) for mask, constraint in claims.items()}
    else:
        low = with_entry(minimums, asker, asker_minimum(minimums[asker]))
        settled, meeting = layout.table_function(low, size), layout.intersecting
        ranks, others = layout.ownable_counts(owners), ~(1 << asker)
        tables = {mask: settled(ranks - meeting[mask] + meeting[mask & others]) for mask in masks}
    changes = {mask: table - kind.table for mask, table in tables.items() if table != IMPOSSIBLE}
    statements = tuple({*changes.values()} - {0}), changes
    return statements, bytes_of(6 + 2 * len(changes), bits=len(changes) * layout.bits)


@Memo
def _requestable_cards(row: PreparedSet, asker: int) -> tuple[tuple[bytes, *Statements], int]:
    changes, by_mask = _statements[row.kind, asker]
    cards = bytes(map(by_mask.__contains__, row.constraint.owners)) if by_mask else b""
    return (cards, changes, by_mask), bytes_of(4, bits=8 * len(cards))


@Memo
def _claims(kind: PreparedShape, asker: int, asked: int, mask: int) -> tuple[list[int], int]:
    card, layout = kind.key[0].index(mask), kind.layout
    claims = [after_claim(kind.constraint, asker, asked, card, answer) for answer in Answer]
    return list(map(layout.table_of, claims)), bytes_of(6, bits=2 * layout.bits)


@Memo
def _groups(row: PreparedSet, asker: int, fitting: int, bare: int) -> tuple[Groups, int]:
    groups = row.legal_groups(_asks[row.kind, asker][0], fitting, bare)
    return groups, bytes_of(4 + len(groups), sum([len(cards) for _, cards, _ in groups]))


@Memo
def _pairs(
    asker: int, asked: int, set_index: int, card: int, legal: int
) -> tuple[tuple[Question, Answers], int]:
    question = Question.trusted(asker, asked, Card.unchecked(set_index, card))
    return (question, ANSWERS[legal]), bytes_of(5)


@Memo
def _pairs_of_sets(asker: int, set_index: int, groups: Groups) -> tuple[Pairs, int]:
    pairs = [
        _pairs[asker, asked, set_index, card, legal]
        for asked, cards, legal in groups
        for card in cards
    ]
    return pairs, bytes_of(3, len(pairs))


questions_with_answers = _pairs_of_sets.__getitem__
"""Function that takes a `SetQuestions`, and returns pairs of a question and its legal answers."""


def prepare_set(layout: LaneLayout, constraint: SetConstraint) -> PreparedSet:
    """Return the set with this constraint as a `PreparedSet`, from a cache if possible."""
    return _prepare_set[layout, *constraint]


def cards_to_ask(rows: Sequence[PreparedSet], slack: int, asker: int) -> list[bytes]:
    """Return, for each set, one byte per card: 1 if the asker may request the card, or else 0.

    If the asker may request no card of a set, its bytes may be empty. If the byte is 1, the asker
    may request the card from every other player with cards, unless the game is brisk (see
    `Settings`). The arguments are explained in `questions_by_tables`.
    """
    guard = rows[0].kind.layout.guard
    by_set = []
    for row in rows:
        cards, changes, by_mask = _requestable_cards[row, asker]
        for change in changes:
            if (slack + change) & guard != guard:
                fits = [mask for mask, less in by_mask.items() if (slack + less) & guard == guard]
                cards = bytes(map(fits.__contains__, row.constraint.owners))
                break
        by_set.append(cards)
    return by_set


def possible_answers(row: PreparedSet, slack: int, asker: int, asked: int, card: int) -> int:
    """Return the possible answers to a question, as a sum: 1 for no, plus 2 for yes.

    Args:
        row: the set of the card.
        slack: how many more cards each group of players could hold (see `LaneLayout.slack`).
        card: number of the card in its set.
    """
    kind, mask = row.kind, row.constraint.owners[card]
    guard = kind.layout.guard
    if not mask >> asked & 1:
        # The asked player cannot own the card, so only no is possible, and it reveals nothing.
        change = _statements[kind, asker][1].get(mask)
        return int(change is not None and (slack + change) & guard == guard)
    no, yes = _claims[kind, asker, asked, mask]
    room = slack - kind.table
    may_no = no != IMPOSSIBLE and (room + no) & guard == guard
    return may_no + 2 * (yes != IMPOSSIBLE and (room + yes) & guard == guard)


def questions_by_tables(
    rows: Sequence[PreparedSet], slack: int, asker: int, hands: Sequence[int]
) -> list[SetQuestions]:
    """Return all legal questions of a state, using coalition tables.

    A coalition table contains the maximum number of cards of a set that each group of players can
    hold. If the game is brisk (see `Settings`), the result still includes the forbidden questions:
    those that can only be answered no.

    Args:
        rows: the sets of a state that at least one deal fits, as `prepare_set` returns them.
        slack: how many more cards each group of players could hold (see `LaneLayout.slack`).
        asker: the player to move.
        hands: number of cards in the hand of each player.
    """
    guard = rows[0].kind.layout.guard
    bare = sum([1 << player for player, hand in enumerate(hands) if not hand])
    questions = []
    outcomes: dict[PreparedShape, int] = {}
    asks: dict[PreparedShape, tuple[Ask, ...]] = {}
    for set_index, row in enumerate(rows):
        kind = row.kind
        if kind.heavy:
            if kind not in asks:
                asks[kind] = tuple(kind.feasible_asks(asker, slack - kind.table))
            groups = row.legal_groups(asks[kind], 3, bare)
        else:
            fitting = outcomes.get(kind)
            if fitting is None:
                room, fitting, bit = slack - kind.table, 0, 1
                for table in _asks[kind, asker][1]:
                    if (room + table) & guard == guard:
                        fitting |= bit
                    bit += bit
                outcomes[kind] = fitting
            groups = _groups[row, asker, fitting, bare] if fitting else ()
        if groups:
            questions.append(SetQuestions(asker, set_index, groups))
    return questions


def questions_by_solver(problem: DealProblem, asker: int, solver: Solver) -> list[SetQuestions]:
    """Return the same questions as `questions_by_tables`, by calling a solver for each answer.

    Sets that differ only in the order of their cards share calls, and so do cards with the same
    possible owners.
    """
    known: dict[object, int] = {}
    questions: list[SetQuestions] = []
    for set_index, constraint in enumerate(problem.sets):
        groups = []
        alike: dict[int, list[int]] = {}
        for card, mask in enumerate(constraint.owners):
            alike.setdefault(mask, []).append(card)
        looks_of_set = shape_key(constraint)
        for mask, cards in alike.items():
            for asked in range(problem.players):
                if asked == asker or not problem.hands[asked]:
                    continue
                looks = (*looks_of_set, mask, asked)
                if looks not in known:
                    question = asker, asked, set_index, cards[0]
                    no, yes = (
                        run_solver(problem_after(problem, *question, answer), solver)
                        for answer in Answer
                    )
                    known[looks] = bool(no) + 2 * bool(yes)
                if known[looks]:
                    groups.append((asked, tuple(cards), known[looks]))
        if groups:
            questions.append(SetQuestions(asker, set_index, tuple(groups)))
    return questions


def drop_hopeless(questions: list[SetQuestions]) -> list[SetQuestions]:
    """Remove the questions that a brisk game forbids because only the answer no is possible."""
    kept = [
        SetQuestions(
            about_set.asker,
            about_set.set_index,
            tuple([group for group in about_set.groups if may_be_asked(group[2], True)]),
        )
        for about_set in questions
    ]
    return [k for k in kept if k.groups]
