"""What can be read from the requests of a game: weights of every set's assignments.

A `Record` is one game so far. It has the reading of a bystander, from which every seat may be
thought to ask if it reads as well, and that of any seat, which has its own hand besides.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import local
from typing import NamedTuple

import numpy as np

from quaternity.kwartet.hands import FULL, Hand
from quaternity.kwartet.public import Event, PublicState, next_with_cards
from quaternity.kwartet.settings import SET_SIZE
from quaternity.kwartet.strategies.reader.asking import (
    SHARP,
    Asking,
    chances_by_holding,
    exacts,
    patients,
)
from quaternity.kwartet.strategies.reader.assignments import (
    HOLDS,
    MASKS,
    Assignments,
    Floats,
    assignments_among,
)
from quaternity.kwartet.strategies.reader.coupling import tilted
from quaternity.kwartet.view import NOBODY, View

QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
_NOISE = SHARP * -np.log(-np.log(np.array(QUANTILES)))
"""Gumbel noise on values: with it the set of the highest value is chosen by softmax."""

HABITS = 0.1 * np.array([1.0, 0.6, 0.6, 0.5, 0.3, 0.15, 0.15, 0.1])
"""How often an unknown player is expected to ask in each way, in requests: as patient, as patient
who believes that nobody asks for his own cards, as a reader, as exact, guessing a card that he
lacks, anything, a card of his own, and what cannot be."""

LIKE_OTHERS = 0.6
"""How much the way in which another player asks tells of a player."""

UNLIKELY = 1e-4
"""What an asker holds with less than this chance, if he asks as he does, is not looked at."""

GAMES_KEPT = 8


class Reading(NamedTuple):
    """What one seat, or a bystander, reads.

    Attributes:
        weights: `[set, assignment]`; rows of removed sets mean nothing.
        factors: where to start coupling from.
        habits: `[player, strategy]`, see `HABITS`.
    """

    weights: Floats
    factors: Floats
    habits: Floats


class Asked(NamedTuple):
    """A request as everybody saw it.

    Attributes:
        before: the state in which it was made.
        active: the sets then in play.
        asking: what the strategies would have done.
        flat: `[way, mask]`, the shares by ways to ask that do not look at the other sets.
    """

    before: PublicState
    active: list[int]
    event: Event
    asking: Asking
    flat: Floats


class Record:
    """A game as it was read so far. Requests are added in order."""

    def __init__(self, public: PublicState) -> None:
        self.table = assignments_among(public.settings.players)
        self.public = public
        self.events: list[Event] = []
        self.asked: list[Asked] = []
        self.vain = [[0] * SET_SIZE for _ in public.removed]
        players = public.settings.players
        self.factors = np.zeros((3, players))
        self.bystander = start_reading(self.table, public, None)
        self.seats: dict[tuple[int, Hand], tuple[int, Hand, Reading]] = {}

    def add(self, event: Event) -> None:
        """One more request."""
        before = self.public
        asker, asked, (index, number) = event.question
        after = before.after(event.question, bool(event.answer), event.announced)
        active = in_play(before)
        place = active.index(index)
        read = self.bystander.weights[active]
        weights = np.stack([*self._counted(active), read])
        self.factors[-1] = self.bystander.factors
        shared, self.factors = tilted(self.table, weights, before.hands, self.factors)
        chances = chances_by_holding(self.table, shared, asker)
        following = next_with_cards(before.hands, asker)
        sets = [before.problem.sets[one] for one in active]
        shown = np.array([float(one.low[asker] > 0) for one in sets])
        patient = patients(chances, asker, following, shown, place, number, asked)
        exact = exacts(chances[:1], asker, place, number, asked)
        asking = Asking(*map(np.concatenate, zip(patient, exact, strict=True)))
        flat = flat_shares(before, event)
        one = Asked(before, active, event, asking, flat)
        self.asked.append(one)
        self.events.append(event)
        self.public = after
        self.bystander = after_request(
            self.table,
            self.bystander._replace(factors=self.factors[-1]),
            one,
            after,
            None,
            shared[-1],
        )
        if event.answer:
            self.vain[index][number] = 0
        else:
            self.vain[index][number] |= 1 << asker

    def _counted(self, active: Sequence[int]) -> tuple[Floats, Floats]:
        """What is possible, and what is if nobody holds what he asked for in vain."""
        rows = possible(self.table, self.public, active, None)
        strict = rows.copy()
        for place, index in enumerate(active):
            vain = self.vain[index]
            if any(vain):
                one = self.public.problem.sets[index]
                owners = [mask & ~asked for mask, asked in zip(one.owners, vain, strict=True)]
                believed = one.trusted(tuple(owners), one.low, one.high)
                fits = self.table.possible(believed, self.public.with_cards)
                if fits.any():
                    strict[place] = fits
        return rows, strict

    def seat(self, seat: int, dealt: Hand) -> Reading:
        """What a seat reads of all requests, with the cards that it was dealt."""
        key = seat, dealt
        if key not in self.seats:
            first = self.asked[0].before if self.asked else self.public
            self.seats[key] = 0, dealt, start_reading(self.table, first, (seat, dealt))
        done, hand, reading = self.seats[key]
        for number in range(done, len(self.asked)):
            one = self.asked[number]
            following = self.asked[number + 1].before if number + 1 < len(self.asked) else None
            hand = hand_after(hand, seat, one.event)
            after = self.public if following is None else following
            reading = after_request(self.table, reading, one, after, (seat, hand), None)
        self.seats[key] = len(self.asked), hand, reading
        return reading


def in_play(public: PublicState) -> list[int]:
    """The sets that are not removed."""
    return [index for index, owner in enumerate(public.removed) if owner is None]


def possible(
    table: Assignments, public: PublicState, active: Sequence[int], own: tuple[int, Hand] | None
) -> Floats:
    """1.0 for the assignments that are possible, for everybody or for who has a hand."""
    problem = public.problem if own is None else public.problem.seen_by(*own)
    cards = public.with_cards
    rows = [table.possible(problem.sets[index], cards) for index in active]
    return np.array(rows, float)


def start_reading(table: Assignments, public: PublicState, own: tuple[int, Hand] | None) -> Reading:
    """Before any request."""
    players = table.players
    weights = possible(table, public, range(len(public.removed)), own)
    return Reading(weights, np.zeros(players), np.zeros((players, len(HABITS))))


def flat_shares(before: PublicState, event: Event) -> Floats:
    """By mask, how likely each way to ask that looks at no other set asks for this, `[way, mask]`.

    The ways are the last four of `HABITS`; the shares are times the number of sets held.
    """
    asker, asked, (index, number) = event.question
    others = len(before.may_be_asked(asker))
    may = before.problem.sets[index].owners[number] >> asked & 1
    held = HOLDS[:, number]
    some = np.arange(MASKS) > 0
    lacked = some & ~held
    guess = lacked * (may / (2.5 * others))
    anything = some / (4.0 * others)
    own = held / (1.0 * others)
    hopeless = lacked * ((1 - may) / 2.0)
    return np.stack([guess, anything, own, hopeless])


def after_request(
    table: Assignments,
    reading: Reading,
    one: Asked,
    after: PublicState,
    own: tuple[int, Hand] | None,
    chances: Floats | None,
) -> Reading:
    """What is read when one more request was made.

    Args:
        after: the state after it.
        own: the seat and the hand it then has.
        chances: of the sets in play before it, where they are known already.
    """
    asker, asked, (index, number) = one.event.question
    weights, factors, habits = reading
    weights = weights.copy()
    if own is None or asker != own[0]:
        if chances is None:
            chances, factors = tilted(table, weights[one.active], one.before.hands, factors)
        place = one.active.index(index)
        held = chances @ table.holding[asker]
        habit = habits[asker] + LIKE_OTHERS * (habits.sum(axis=0) - habits[asker]) + HABITS
        told, responsible = likelihood(held, one, habit, place)
        weights[one.active] *= told[:, table.mask[asker]]
        habits = habits.copy()
        habits[asker] += responsible
    if one.event.answer:
        weights[index] = table.moved(weights[index], number, asked, asker)
    active = in_play(after)
    if active:
        allowed = possible(table, after, active, own)
        rows = weights[active]
        rows *= allowed
        most = rows.max(axis=1, keepdims=True)
        lost = most[:, 0] <= 0
        rows[lost], most[lost] = allowed[lost], 1
        rows /= most
        weights[active] = rows
    return Reading(weights, factors, habits)


def likelihood(held: Floats, one: Asked, habits: Floats, place: int) -> tuple[Floats, Floats]:
    """How much likelier each holding of the asker makes a request, `[set, mask]`.

    The strategy in the asker's head is not known: every one counts by how well it explained his
    requests, this one included.

    Args:
        held: the chance `[set, mask]` of what the asker holds.
        habits: his row of `Reading.habits`.
        place: the row of the asked set.

    Returns:
        The likelihoods, and by how much each habit explains the request; that adds up to 1.
    """
    value, share = one.asking
    strategies = len(value)
    prior = habits / habits.sum()
    # The values that the asked set may have had, with noise: `[strategy, mask, quantile]`.
    masks = np.flatnonzero(share.max(axis=0) * held[place] > UNLIKELY)
    level = (value[:, place, masks, None] + _NOISE).reshape(strategies, 1, 1, -1)
    gap = np.minimum((value[..., None] - level) / SHARP, 30)
    below = np.exp(-np.exp(gap))
    passed = np.maximum((held[:, None, :] @ below)[:, :, 0], 1e-12)
    passed[:, place] = 1
    rest = passed.prod(axis=1)
    reached = np.repeat(share[:, masks], len(_NOISE), axis=1) * rest / len(_NOISE)
    explained = reached * np.repeat(held[place, masks], len(_NOISE))
    evidence = explained.sum(axis=1)
    told = (below @ (explained[:, None] / passed)[..., None])[..., 0]
    told[:, place] = 0
    told[:, place, masks] = reached.reshape(strategies, len(masks), len(_NOISE)).sum(axis=2)
    sets = max(1.0, (1 - held[:, 0]).sum())
    flat = one.flat / sets
    flat_evidence = flat @ held[place]
    weight = prior * np.concatenate([evidence, flat_evidence])
    total = np.einsum("c,csm->sm", prior[:strategies], told)
    total += weight[strategies:].sum()
    total[place] += prior[strategies:] @ flat - weight[strategies:].sum()
    whole = weight.sum()
    if not whole > 0:
        return np.ones_like(held), np.zeros_like(prior)
    return total / whole, weight / whole


def hand_after(hand: Hand, seat: int, event: Event) -> Hand:
    """A seat's hand after a request."""
    asker, asked, (index, number) = event.question
    if seat not in (asker, asked) or not (event.answer or event.announced):
        return hand
    held = list(hand)
    if event.answer:
        held[index] ^= 1 << number
    if seat == asker:
        for one in event.announced:
            held[one] = 0
    return tuple(held)


class _Games(local):
    """The games that this thread read last."""

    def __init__(self) -> None:
        self.records: OrderedDict[object, Record] = OrderedDict()


_GAMES = _Games()


def read_game(view: View) -> tuple[Record, Reading]:
    """The record of a view's game, and what its seat reads; quick when it goes on.

    A view without the record of what led to it is read as a game that starts there.
    Cost: about 2 ms a request that is new since this thread last looked, with four players.
    """
    start, dealt = _beginning(view)
    key, events = (start, view.events[:1]), view.events
    record = _GAMES.records.pop(key, None)
    if record is None or tuple(record.events) != events[: len(record.events)]:
        record = Record(start)
    for event in events[len(record.events) :]:
        record.add(event)
    if record.public != view.public:
        record, dealt = Record(view.public), view.hand
    else:
        _GAMES.records[key] = record
        while len(_GAMES.records) > GAMES_KEPT:
            _GAMES.records.popitem(last=False)
    if view.seat == NOBODY:
        return record, record.bystander
    return record, record.seat(view.seat, dealt)


def _beginning(view: View) -> tuple[PublicState, Hand]:
    """The state after the deal, and the seat's cards then."""
    public, seat, events = view.public, view.seat, view.events
    sizes, hand = list(public.hands), list(view.hand)
    at_deal = dict(enumerate(public.removed))
    for event in reversed(events):
        asker, asked, (index, number) = event.question
        for one in event.announced:
            sizes[asker] += SET_SIZE
            at_deal[one] = None
            if asker == seat:
                hand[one] = FULL
        if event.answer:
            sizes[asker] -= 1
            sizes[asked] += 1
            if seat in (asker, asked):
                hand[index] ^= 1 << number
    announced = [(one, player) for one, player in at_deal.items() if player is not None]
    for _, player in announced:
        sizes[player] += SET_SIZE
    return PublicState.start(public.settings, sizes, announced), tuple(hand)


__all__ = ["Asked", "Reading", "Record", "in_play", "read_game"]
