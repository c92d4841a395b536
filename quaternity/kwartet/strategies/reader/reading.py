"""Inference of hidden cards from the requests of a game.

A *holding* is one combination of cards of a set that a player may hold. A `Reading` assigns a
weight to each holding, inferred from the requests by a bystander or by a player. The reading of a
player also uses the player's own hand. A `Record` contains the readings of one game so far. The
model assumes that other players who use `reader` choose their requests according to the reading of
a bystander.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from threading import local
from typing import NamedTuple

import numpy as np

from quaternity.kwartet.hands import Hand
from quaternity.kwartet.public import Event, PublicState, next_with_cards
from quaternity.kwartet.strategies.reader.asking import (
    CHANCE_NOISE,
    RequestModel,
    chances_by_lack,
    model_exact,
    model_patient,
)
from quaternity.kwartet.strategies.reader.coupling import ROUGH_TOLERANCE, fit_hand_sizes
from quaternity.kwartet.strategies.reader.holdings import (
    Floats,
    holding_chances_of,
    possible_holdings,
    tables,
    totals,
)
from quaternity.kwartet.view import NOBODY, View
from solvers.problem import DealProblem, SetConstraint

QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
_LOGARITHMS = np.log(np.array(QUANTILES))[:, None, None]
"""Logarithms of `QUANTILES`. They describe random noise with a Gumbel distribution, which the model
adds to the values of sets. With this noise, choosing the highest value is a softmax."""

HABITS = 0.1 * np.array([1.0, 0.6, 0.6, 0.5, 0.3, 0.15, 0.15, 0.1])
"""Initial weight of each habit in the estimate of a player's habits. Each request of the player
adds a weight of 1. The first four habits are to ask like a strategy: `patient`, `patient` under the
assumption that players never ask for a card that they hold, `reader`, and `exact`. The last four
are to ask for a certain kind of card: a missing card that the opponent may have, any card, a card
that the asker holds, and a card that the opponent cannot have."""

LIKE_OTHERS = 0.6
"""Weight of a request by another player in the estimate of a player's habits. A request by the
player has weight 1."""

MIN_LIKELIHOOD = 1e-4
"""Minimum likelihood of a holding: the probability that the asker holds these cards of a set, times
the probability that the asker would then choose the observed request within the set. Less likely
holdings are ignored."""

MAX_WEIGHT = 1e30
"""Maximum weight of a holding (the cards of one set that a player may hold). Larger weights occur
only if a holding conflicts with the cards of other players, and are lowered to this limit."""

MAX_ABOVE, MAX_BELOW = 5.7, 36.0
"""Maximum amounts by which the value of a set may exceed or fall below another, in units of
`CHANCE_NOISE`. Beyond these limits, it is certain which set has the higher value, and computing
with tiny numbers would be slow. So larger amounts are replaced by the limits."""

MAX_CACHED_GAMES = 8
"""Maximum number of games whose inferences each thread caches."""


class Reading(NamedTuple):
    """Everything that one seat, or a bystander, infers from the requests.

    Attributes:
        weights: `[holding, player, set]`, how likely the player is to hold the cards in the bit
            mask `holding` (see `holdings`). The weights of removed sets are meaningless.
        factors: start values for `fit_hand_sizes`: the logarithm of each player's factor.
        habits: `[player, habit]`, the number of requests that each of the `HABITS` explains.
    """

    weights: Floats
    factors: Floats
    habits: Floats


class SetKinds(NamedTuple):
    """The sets in play, divided into kinds. The same is known about all sets of a kind.

    Calculations examine only one set of each kind.

    Attributes:
        active: the sets in play.
        sets: one set of each kind.
        kind_of: for each set in play, the index of its kind in `sets`.
        counts: the number of sets of each kind.
    """

    active: list[int]
    sets: list[int]
    kind_of: list[int]
    counts: Floats

    @classmethod
    def of(cls, public: PublicState, known: int, hand: Hand | None) -> SetKinds:
        """Return the sets in play, grouped by the public knowledge about them and the seat's hand.

        `known` is a bit mask of sets. A set is a separate kind if it is in this mask or the hand
        contains cards of it. All other sets form one kind.
        """
        places: dict[int, int] = {}
        active, sets, like = in_play(public), list[int](), list[int]()
        for index in active:
            own = known >> index & 1 or (hand is not None and hand[index])
            place = places.setdefault(index if own else -1, len(sets))
            if place == len(sets):
                sets.append(index)
            like.append(place)
        return cls(active, sets, like, np.bincount(like, minlength=1).astype(float))


class ModelledRequest(NamedTuple):
    """A request as a bystander saw it, with models that explain it.

    Attributes:
        before: the public state before the request.
        known: bit mask of the sets whose cards have been requested, including this request.
        kinds: the kinds of sets in play before the request, as everybody sees them. The set of the
            request is a separate kind.
        asking: a model of what each strategy would have asked.
        flat: `[habit, mask]`, the probabilities of the request for the habits that ignore other
            sets (see `flat_shares`).
    """

    before: PublicState
    known: int
    kinds: SetKinds
    event: Event
    asking: RequestModel
    flat: Floats


class Record:
    """What a bystander and each seat infer from the requests of one game so far.

    Requests are added in order, starting after the deal.
    """

    def __init__(self, public: PublicState) -> None:
        self.public = public
        self.events: list[Event] = []
        self.known = 0
        self.requests: list[ModelledRequest] = []
        self.refused = [[0] * public.settings.set_size for _ in public.removed]
        self.factors = np.zeros((3, public.settings.hands))
        self.bystander = start_reading(public, None)
        self.seats: dict[tuple[int, Hand], tuple[int, Hand, Reading]] = {}

    def add(self, event: Event) -> None:
        """Add the next request of the game, and update what a bystander infers."""
        before = self.public
        asker, asked, (index, number) = event.question
        after = before.after(event.question, bool(event.answer), event.announced)
        known = self.known | 1 << index
        kinds = SetKinds.of(before, known, None)
        place = kinds.sets.index(index)
        read = self.bystander.weights.take(kinds.sets, axis=2)
        weights = np.stack([*self._possible_weights(kinds.sets), read], axis=2)
        self.factors[-1] = self.bystander.factors
        met, self.factors = fit_hand_sizes(
            weights, kinds.counts, before.hands, self.factors, ROUGH_TOLERANCE
        )
        chances, held = chances_by_lack(met, asker)
        # The hand of the cards set aside is the last one, and nobody can ask it.
        chances = chances[:, :, : before.settings.players]
        following = next_with_cards(before.hands, asker, before.settings.players)
        sets = [before.problem.sets[constraint] for constraint in kinds.sets]
        shown = np.array([float(i.low[asker] > 0) for i in sets])
        patient = model_patient(chances, asker, following, shown, place, number, asked)
        exact = model_exact(chances[..., 0, :], asker, place, number, asked)
        asking = RequestModel(*map(np.concatenate, zip(patient, exact, strict=True)))
        request = ModelledRequest(before, known, kinds, event, asking, flat_shares(before, event))
        self.requests.append(request)
        self.events.append(event)
        self.public, self.known = after, known
        reading = self.bystander._replace(factors=self.factors[-1])
        self.bystander = after_request(reading, request, after, None, held[:, -1].T)
        if event.answer:
            self.refused[index][number] = 0
        else:
            self.refused[index][number] |= 1 << asker

    def _possible_weights(self, active: Sequence[int]) -> tuple[Floats, Floats]:
        cards, sets = self.public.with_cards, self.public.problem.sets
        masks = self.public.settings.full + 1
        rows = [possible_holdings(sets[index], cards, masks) for index in active]
        vain = [tuple(self.refused[index]) for index in active]
        strict = [
            possible_without_bluffs(sets[index], asked, cards, masks) if any(asked) else row
            for index, asked, row in zip(active, vain, rows, strict=True)
        ]
        return stack_sets(rows), stack_sets(strict)

    def seat(self, seat: int, dealt: Hand) -> Reading:
        """Return what a seat infers from the requests and the cards that were dealt to it."""
        key = seat, dealt
        if key not in self.seats:
            first = self.requests[0].before if self.requests else self.public
            self.seats[key] = 0, dealt, start_reading(first, (seat, dealt))
        done, hand, reading = self.seats[key]
        for number in range(done, len(self.requests)):
            request = self.requests[number]
            following = (
                self.requests[number + 1].before if number + 1 < len(self.requests) else None
            )
            before, hand = hand, request.event.hand_after(hand, seat)
            after = self.public if following is None else following
            reading = after_request(reading, request, after, (seat, before, hand), None)
        self.seats[key] = len(self.requests), hand, reading
        return reading


def in_play(public: PublicState) -> list[int]:
    """Return the indices of the sets that are in play."""
    return [index for index, owner in enumerate(public.removed) if owner is None]


@lru_cache(maxsize=4096)
def possible_without_bluffs(
    constraint: SetConstraint, vain: tuple[int, ...], with_cards: int, masks: int
) -> Floats:
    """Return the cards of a set that players may hold if they never ask for cards that they hold.

    `vain` contains, for each card, the bit mask of the players who asked for it without success.
    See `possible_holdings` for the other arguments and the form of the result. If the set cannot be
    dealt in this way, return what players may hold without this assumption.
    """
    owners = tuple([mask & ~asked for mask, asked in zip(constraint.owners, vain, strict=True)])
    strict = possible_holdings(
        constraint.unchecked(owners, constraint.low, constraint.high), with_cards, masks
    )
    return strict if totals(strict) > 0 else possible_holdings(constraint, with_cards, masks)


def stack_sets(rows: Sequence[Floats]) -> Floats:
    """Combine the weights `[holding, player]` of sets into one array `[holding, player, set]`."""
    return np.array(rows).transpose(1, 2, 0)


def restrict_weights(
    weights: Floats, problem: DealProblem, with_cards: int, active: Sequence[int], player: int
) -> Floats:
    """Return a copy of the weights of some sets, with 0 for holdings that a deal problem excludes.

    The weights have the axes `[holding, player, set]`. The result contains only the sets in
    `active`. A holding is a bit mask of the cards of a set that a player may hold. If no way to
    deal a set is left, all holdings that the problem allows get the same weight. The weights of
    `player` are scaled so that the weights of all ways to deal a set add up to 1.
    """
    possible_weights = stack_sets(
        [possible_holdings(problem.sets[index], with_cards, len(weights)) for index in active]
    )
    weights = np.minimum(weights.take(active, axis=2), MAX_WEIGHT) * possible_weights
    total = totals(weights)
    lost = ~(total > 0)
    if lost.any():
        weights[:, :, lost] = possible_weights[:, :, lost]
        total[lost] = totals(possible_weights[:, :, lost])
    weights[:, player] /= total
    return weights


def start_reading(public: PublicState, own: tuple[int, Hand] | None) -> Reading:
    """Return what a seat or a bystander knows before the first request.

    `own` is a pair of the seat and its hand, or None for a bystander.
    """
    players = len(public.hands)
    problem = public.problem if own is None else public.problem.with_hand(*own)
    cards, masks = public.with_cards, public.settings.full + 1
    weights = stack_sets(
        [possible_holdings(constraint, cards, masks) for constraint in problem.sets]
    )
    return Reading(weights, np.zeros(players), np.zeros((players, len(HABITS))))


def flat_shares(before: PublicState, event: Event) -> Floats:
    """Return how likely a request is under each habit of asking that does not compare sets.

    These are the last four `HABITS`. The result is an array `[habit, mask]`, where `mask` is the
    bit mask of the asker's cards of the requested set. The probabilities are multiplied by the
    number of sets in which the asker holds a card.
    """
    asker, asked, (index, number) = event.question
    others = len(before.may_be_asked(asker))
    can_hold = before.problem.sets[index].owners[number] >> asked & 1
    held = tables(before.settings.full + 1).holds[:, number]
    holds_some = np.arange(len(held)) > 0
    lacked = holds_some & ~held
    guess = lacked * (can_hold / (2.5 * others))
    anything = holds_some / (4.0 * others)
    own = held / (1.0 * others)
    hopeless = lacked * ((1 - can_hold) / 2.0)
    return np.stack([guess, anything, own, hopeless])


def after_request(
    reading: Reading,
    request: ModelledRequest,
    after: PublicState,
    own: tuple[int, Hand, Hand] | None,
    held: Floats | None,
) -> Reading:
    """Return what a seat or a bystander infers after another request.

    Args:
        reading: what the seat or bystander inferred before the request.
        after: the public state after the request.
        own: the seat with its hands before and after the request, or None for a bystander.
        held: the probabilities `[set, mask]` of what the asker held, or None to compute them.
    """
    asker, asked, (index, number) = request.event.question
    weights, factors, habits = reading
    weights = weights.copy()
    if own is None or asker != own[0]:
        kinds = request.kinds if own is None else SetKinds.of(request.before, request.known, own[1])
        if held is None:
            rows = weights[:, :, None, kinds.sets]
            hands = request.before.hands
            met, (factors,) = fit_hand_sizes(
                rows, kinds.counts, hands, factors[None], ROUGH_TOLERANCE
            )
            held = holding_chances_of(met[:, :, 0], asker).T
        habit = habits[asker] + LIKE_OTHERS * (habits.sum(axis=0) - habits[asker]) + HABITS
        likelihoods, responsible = likelihood(held, request, habit, kinds)
        weights[:, asker, kinds.active] *= likelihoods.T[:, kinds.kind_of]
        habits = habits.copy()
        habits[asker] += responsible
    if request.event.answer:
        has, before = tables(len(weights)).holds[:, number], weights[:, :, index].copy()
        weights[:, [asker, asked], index] = 0
        weights[has, asker, index] = before[~has, asker]
        weights[~has, asked, index] = before[has, asked]
    kinds = SetKinds.of(after, request.known, None if own is None else own[2])
    if kinds.sets:
        problem = after.problem if own is None else after.problem.with_hand(own[0], own[2])
        rows = restrict_weights(weights, problem, after.with_cards, kinds.sets, asker)
        weights[:, :, kinds.active] = rows.take(kinds.kind_of, axis=2)
    return Reading(weights, factors, habits)


def likelihood(
    held: Floats, request: ModelledRequest, habits: Floats, kinds: SetKinds
) -> tuple[Floats, Floats]:
    """Return how likely a request is, for each combination of cards that the asker may hold.

    The strategy of the asker is unknown, so each habit (see `HABITS`) is weighted by how well it
    explains the asker's requests, including this request. The first result is an array `[set,
    mask]` of relative likelihoods, where `mask` is a bit mask of the asker's cards of the set. The
    second result contains the probability that each habit led to this request.

    Args:
        held: the probabilities `[set, mask]` of what the asker holds.
        habits: the weights of the asker's habits, including the initial weights.
        kinds: the kinds of sets, from the point of view of the seat or bystander.
    """
    value, share = request.asking
    public = dict(zip(request.kinds.active, request.kinds.kind_of, strict=True))
    value = value.take([public[index] for index in kinds.sets], axis=1)
    place = kinds.sets.index(request.event.question.card.set_index)
    strategies = len(value)
    prior = habits / habits.sum()
    # The last axes of `below` are those of the noisy values of the requested set:
    # `[quantile, strategy, mask]`.
    masks = np.flatnonzero(share.max(axis=0) * held[place] > MIN_LIKELIHOOD)
    values = np.ascontiguousarray(value.transpose(1, 2, 0))
    gap = (values[..., None] - value[:, place].take(masks, axis=1)) / CHANCE_NOISE
    gap = np.maximum(np.minimum(gap, MAX_ABOVE), -MAX_BELOW)
    below = np.exp(gap)[:, :, None] * _LOGARITHMS
    np.exp(below, out=below)
    levels = below.shape[2:]
    below = below.reshape(*held.shape, -1)
    passed = np.maximum((held[:, None, :] @ below)[:, 0], 1e-12)
    passed[place] = 1
    all_passed = (passed ** kinds.counts[:, None]).prod(axis=0)
    reached = share.take(masks, axis=1) * all_passed.reshape(levels) / len(QUANTILES)
    explained = reached * held[place, masks]
    evidence = explained.sum(axis=(0, 2))
    mixed = (explained * prior[:strategies, None]).ravel() / passed
    total = (below @ mixed[..., None])[..., 0]
    total[place] = 0
    total[place, masks] = prior[:strategies] @ reached.sum(axis=0)
    sets = np.maximum(1.0, kinds.counts @ (1 - held[:, 0]))
    flat = request.flat / sets
    flat_evidence = flat @ held[place]
    weight = prior * np.concatenate([evidence, flat_evidence])
    total += weight[strategies:].sum()
    total[place] += prior[strategies:] @ flat - weight[strategies:].sum()
    total_weight = weight.sum()
    if not total_weight > 0:
        return np.ones_like(held), np.zeros_like(prior)
    return total / total_weight, weight / total_weight


class _Games(local):
    def __init__(self) -> None:
        self.records: OrderedDict[object, Record] = OrderedDict()


GAME_CACHE = _Games()


def read_game(view: View) -> tuple[Record, Reading]:
    """Return what everybody, and what the seat of a view, can infer from the requests of a game.

    The first result is the `Record` of the game, and the second the `Reading` of the seat. If a
    view lacks the events that led to it, its state is treated as the start of the game. Records are
    cached. Each request that this thread has not read before takes about 1 ms.
    """
    sizes, dealt, down = view.at_deal()
    start = PublicState.start(view.public.settings, sizes, down)
    key, events = (start, view.events[:1]), view.events
    record = GAME_CACHE.records.pop(key, None)
    if record is None or tuple(record.events) != events[: len(record.events)]:
        record = Record(start)
    for event in events[len(record.events) :]:
        record.add(event)
    if record.public != view.public:
        record, dealt = Record(view.public), view.hand
    else:
        GAME_CACHE.records[key] = record
        while len(GAME_CACHE.records) > MAX_CACHED_GAMES:
            GAME_CACHE.records.popitem(last=False)
    if view.seat == NOBODY:
        return record, record.bystander
    return record, record.seat(view.seat, dealt)
