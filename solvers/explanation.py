"""Explanations of impossible problems: minimal sets of constraints that contradict each other.

It is always required that each card goes to one of its possible owners. The other constraints are
the hand sizes and the bounds. An *explanation* is a minimal unsatisfiable subset of these
constraints: no deal satisfies all of them, but if any of them is left out, there is a deal. A
problem may have several explanations. There are two methods, and each finds one explanation:

- `min-cut` starts with the constraints that a minimum cut of a flow network crosses. It leaves out
  one constraint after another, as long as a cut of the smaller network shows that the remaining
  constraints contradict each other.
- `cp-sat` solves a model with one assumption literal for each hand and bound. It starts with the
  assumptions that CP-SAT reports as sufficient for infeasibility, and leaves out one after another
  in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from quaternity.base.cp_sat_search import solve_interruptibly
from quaternity.base.deadline import NO_DEADLINE, Deadline
from quaternity.base.errors import InputError, SolverFault
from quaternity.base.picture import Display, Displayable
from quaternity.base.sentences import Message, MessageTemplate
from quaternity.base.text_format import join_words, quote_value
from quaternity.base.validation import validate_arguments
from solvers.cp_sat import DEFAULT, Variant, formulate
from solvers.problem import DealProblem, players_in

HAND = MessageTemplate("hand", "{player:player} holds {count:cards}")
AT_LEAST = MessageTemplate("at_least", "{player:player} holds at least {count:cards} of {set:set}")
AT_MOST = MessageTemplate("at_most", "{player:player} holds at most {count:cards} of {set:set}")
CARDS_FOR = MessageTemplate("cards_for", "{count:cards} of {set:set} for {players:players}")
CARDS_ONLY_FOR = MessageTemplate(
    "cards_only_for", "{count:cards} of {set:set} only for {players:players}"
)
UNOWNED = MessageTemplate("unowned", "{count:cards} of {set:set} for nobody")
NONE = MessageTemplate("none", "none")
CONTRADICTION = MessageTemplate(
    "contradiction",
    "{required:cards} must be dealt ({reasons:parts}), but at most {possible} can be "
    "({limits:parts})",
)


@dataclass(frozen=True, slots=True, order=True)
class Hand:
    """The size of a player's hand, as one of the constraints in an explanation."""

    player: int

    def in_words(self, problem: DealProblem) -> Message:
        """Return the constraint in words."""
        return HAND(player=self.player, count=problem.hands[self.player])


@dataclass(frozen=True, slots=True, order=True)
class AtLeast:
    """A player's minimum number of cards of a set, as a constraint in an explanation."""

    player: int
    set_index: int

    def in_words(self, problem: DealProblem) -> Message:
        """Return the constraint in words."""
        bound = problem.sets[self.set_index].low[self.player]
        return AT_LEAST(player=self.player, count=bound, set=self.set_index)


@dataclass(frozen=True, slots=True, order=True)
class AtMost:
    """A player's maximum number of cards of a set, as a constraint in an explanation."""

    player: int
    set_index: int

    def in_words(self, problem: DealProblem) -> Message:
        """Return the constraint in words."""
        bound = problem.sets[self.set_index].high[self.player]
        return AT_MOST(player=self.player, count=bound, set=self.set_index)


Constraint: TypeAlias = Hand | AtLeast | AtMost
"""A constraint that an explanation may contain: the size of a hand, or a bound."""


class Cards(NamedTuple):
    """Requirement that some cards of a set are dealt, all with the same possible owners.

    Attributes:
        owners: the bit mask of the possible owners.
        cards: the number of cards.
    """

    set_index: int
    owners: int
    cards: int


class Cut(NamedTuple):
    """Contradiction between constraints: more cards are required than possible.

    Attributes:
        required: pairs of a number of cards, and the constraint that requires players to hold them.
        possible: pairs of a maximum number of cards, and the constraint that causes this maximum.
            These numbers add up to less than the required numbers.
    """

    required: list[tuple[int, Constraint | Cards]]
    possible: list[tuple[int, Constraint | Cards]]

    @property
    def constraints(self) -> list[Constraint]:
        """Return the hand sizes and bounds that contradict each other."""
        reasons = map(itemgetter(1), (*self.required, *self.possible))
        return [reason for reason in reasons if not isinstance(reason, Cards)]


@dataclass(frozen=True, slots=True)
class Explanation(Displayable):
    """Minimal set of constraints of a problem that contradict each other.

    Attributes:
        problem: the impossible problem.
        constraints: the hand sizes and bounds that contradict each other. There are none if a card
            has no possible owner.

    >>> from solvers import DealProblem, SetConstraint
    >>> hearts = SetConstraint.of([[0, 1], [1], [1]], players=2)
    >>> reason = explain(DealProblem([2, 1], [hearts]))
    >>> reason.constraints
    (Hand(player=0),)
    >>> print(reason)
    2 cards must be dealt (player 0 holds 2 cards), but at most 1 can be (1 card of set 0 for
    players 0 and 1)
    """

    problem: DealProblem
    constraints: tuple[Constraint, ...]

    def clauses(self) -> tuple[str, ...]:
        """Return each constraint as a text such as "player 0 holds 2 cards"."""
        say = self.problem.words.say
        return tuple([say(constraint.in_words(self.problem)) for constraint in self.constraints])

    def picture(self) -> Display:
        """Return an object that a notebook displays.

        It lists the constraints and says why they contradict each other.
        """
        return Display("Impossible", (*self.clauses(), str(self)))

    def is_impossible(self) -> bool:
        """Return whether the constraints contradict each other. This computes one maximum flow."""
        return minimum_cut(self.problem, self.constraints) is not None

    def is_minimal(self) -> bool:
        """Return whether a deal is possible as soon as any one of the constraints is left out.

        This computes one maximum flow for each constraint.
        """
        return all(
            minimum_cut(self.problem, [kept for kept in self.constraints if kept != left_out])
            is None
            for left_out in self.constraints
        )

    def in_words(self) -> Message:
        """Return a sentence that says how many cards must be dealt, and why fewer can be dealt.

        Raises:
            SolverFault: If the constraints do not contradict each other.
        """
        cut = minimum_cut(self.problem, self.constraints)
        if cut is None:
            raise SolverFault("explanation: the constraints do not contradict each other")
        required, possible = (
            (sum(map(itemgetter(0), part)), list(_clauses(self.problem, part, is_lower)))
            for part, is_lower in ((cut.required, True), (cut.possible, False))
        )
        return CONTRADICTION(
            required=required[0],
            reasons=required[1],
            possible=possible[0],
            limits=possible[1] or [NONE()],
        )

    def __str__(self) -> str:
        return self.problem.words.say(self.in_words())


def _clauses(
    problem: DealProblem, part: Iterable[tuple[int, Constraint | Cards]], is_lower: bool
) -> Iterator[Message]:
    cards: dict[tuple[int, int], int] = {}
    for count, reason in part:
        if isinstance(reason, Cards):
            key = reason.set_index, reason.owners
            cards[key] = cards.get(key, 0) + count
        else:
            yield reason.in_words(problem)
    for (index, owners), count in cards.items():
        kind = (CARDS_ONLY_FOR if is_lower else CARDS_FOR) if owners else UNOWNED
        players = {"players": players_in(owners)} if owners else {}
        yield kind(count=count, set=index, **players)


def constraints_of(problem: DealProblem) -> list[Constraint]:
    """Return all hand sizes and bounds of a problem, except bounds that every deal satisfies."""
    hands: list[Constraint] = [Hand(player) for player in range(problem.players)]
    bounds: list[Constraint] = []
    for index, constraint in enumerate(problem.sets):
        for player in range(problem.players):
            if constraint.low[player] > 0:
                bounds.append(AtLeast(player, index))
            if constraint.high[player] < constraint.size:
                bounds.append(AtMost(player, index))
    return hands + bounds


class Edge(NamedTuple):
    """Edge of the flow network, with bounds on its flow and the constraints that cause them."""

    tail: int
    head: int
    low: int = 0
    high: int | None = None
    low_reason: Constraint | Cards | None = None
    high_reason: Constraint | Cards | None = None


SOURCE, SINK = 0, 1
"""Numbers of the source and the sink, the first two nodes of the flow network. The other nodes are
the players and then, for each set, its (player, set) pairs and its groups of cards."""


def _edges(problem: DealProblem, constraints: Iterable[Constraint]) -> Iterator[Edge]:
    chosen = set(constraints)
    players, node = problem.players, 2 + problem.players
    for player, size in enumerate(problem.hands):
        # Cap huge numbers, which may not fit into 64 bits. Any number above the number of cards is
        # impossible.
        hand, reason = min(size, problem.cards + 1), Hand(player)
        limited = reason in chosen
        yield Edge(SOURCE, 2 + player, *((hand, hand, reason, reason) if limited else ()))
    for index, (owners, lows, highs) in enumerate(problem.sets):
        share, node = node, node + players
        for player in range(players):
            at_least, at_most = AtLeast(player, index), AtMost(player, index)
            low = min(lows[player], len(owners) + 1) if at_least in chosen else 0
            high = min(highs[player], len(owners) + 1) if at_most in chosen else None
            yield Edge(2 + player, share + player, low, high, at_least, at_most)
        for mask, size in Counter(owners).items():
            for player in players_in(mask):
                yield Edge(share + player, node)
            cards = Cards(index, mask, size)
            yield Edge(node, SINK, size, size, cards, cards)
            node += 1
    yield Edge(SINK, SOURCE)


def minimum_cut(problem: DealProblem, constraints: Iterable[Constraint]) -> Cut | None:
    """Return a contradiction between some constraints of a problem, or None if there is none.

    This computes one maximum flow.
    """
    # A deal is a circulation in a network with limits: source -> player -> (player, set) -> cards
    # with equal owners -> sink -> source. Only the given constraints set limits for the edges of
    # players. By Hoffman's theorem, there is no circulation if and only if there is a set of nodes
    # such that the lower limits of the edges into it add up to more than the upper limits of the
    # edges out of it. A minimum cut of the usual auxiliary network gives such a set.
    import numpy as np
    from ortools.graph.python import max_flow

    edges = list(_edges(problem, constraints))
    for edge in edges:
        if edge.high is not None and edge.low > edge.high:
            return _cut([edge], [edge])
    unlimited = sum(edge.low for edge in edges) + 1
    excess = [0] * (1 + max(max(edge[:2]) for edge in edges))
    arcs = []
    for edge in edges:
        excess[edge.head] += edge.low
        excess[edge.tail] -= edge.low
        arcs.append(
            (edge.tail, edge.head, (edge.high or unlimited) - edge.low if edge.high != 0 else 0)
        )
    start, end = len(excess), len(excess) + 1
    for node, amount in enumerate(excess):
        if amount:
            arcs.append((start, node, amount) if amount > 0 else (node, end, -amount))
    tails, heads, capacities = np.array(arcs, dtype=np.int64).T
    network = max_flow.SimpleMaxFlow()
    network.add_arcs_with_capacity(tails.astype(np.int32), heads.astype(np.int32), capacities)
    if network.solve(start, end) != network.OPTIMAL:
        raise SolverFault("the flow solver failed")
    if network.optimal_flow() == sum(amount for amount in excess if amount > 0):
        return None
    inside = set(network.get_source_side_min_cut())
    return _cut(
        [edge for edge in edges if edge.tail not in inside and edge.head in inside],
        [edge for edge in edges if edge.tail in inside and edge.head not in inside],
    )


def _cut(entering: Iterable[Edge], leaving: Iterable[Edge]) -> Cut:
    required = [(edge.low, edge.low_reason) for edge in entering if edge.low and edge.low_reason]
    possible = [(edge.high, edge.high_reason) for edge in leaving if edge.high_reason]
    return Cut(required, [(high or 0, reason) for high, reason in possible if reason])


Contradicts: TypeAlias = Callable[[Sequence[Constraint]], "Sequence[Constraint] | None"]
"""Function that takes constraints and returns a contradictory part of them, or None if a deal
satisfies all of them."""


def _by_minimum_cuts(problem: DealProblem, deadline: Deadline) -> Contradicts:
    def contradicts(constraints: Sequence[Constraint]) -> Sequence[Constraint] | None:
        deadline.remaining()
        cut = minimum_cut(problem, constraints)
        return None if cut is None else cut.constraints

    return contradicts


def _by_assumptions(problem: DealProblem, deadline: Deadline) -> Contradicts:
    """Return a function that uses CP-SAT to find constraints that contradict each other.

    Cards with the same possible owners are bundled, because pigeonhole problems would otherwise
    take exponential time.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    literals: dict[Constraint, Any] = {}
    formulation = formulate(problem, Variant(max_booleans=0), deadline)
    variables = [model.new_int_var(0, size, "") for size in formulation.sizes]

    def limit(reason: Constraint, amount: Any, low: int, high: int) -> None:
        literal = literals[reason] = model.new_bool_var(repr(reason))
        model.add_linear_constraint(amount, low, high).only_enforce_if(literal)

    for row in deadline.iterate(formulation.sums):
        kind, number, index = row.reason
        amount = cp_model.LinearExpr.sum([variables[variable] for variable in row.variables])
        if kind == "cards":
            model.add_linear_constraint(amount, row.low, row.high)
        elif kind == "hand":
            limit(Hand(number), amount, row.low, row.high)
        else:
            low = min(row.low, problem.cards + 1)
            limit(AtLeast(number, index), amount, low, problem.cards + 1)
            limit(AtMost(number, index), amount, 0, row.high)
    reasons = {literal.index: reason for reason, literal in literals.items()}

    def contradicts(constraints: Sequence[Constraint]) -> Sequence[Constraint] | None:
        solver = cp_model.CpSolver()
        for name, value in (DEFAULT.parameters | {"num_workers": 1}).items():
            setattr(solver.parameters, name, value)
        seconds = deadline.remaining()
        if seconds < inf:
            solver.parameters.max_time_in_seconds = seconds
        model.clear_assumptions()
        model.add_assumptions([literals[reason] for reason in constraints if reason in literals])
        status = solve_interruptibly(solver, model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        if status == cp_model.UNKNOWN:
            deadline.raise_timeout()
        if status != cp_model.INFEASIBLE:
            raise SolverFault(f"CP-SAT gave no answer; its status is {solver.status_name(status)}")
        return [reasons[index] for index in solver.sufficient_assumptions_for_infeasibility()]

    return contradicts


METHODS: dict[str, Callable[[DealProblem, Deadline], Contradicts]] = {
    "min-cut": _by_minimum_cuts,
    "cp-sat": _by_assumptions,
}
"""Methods that `explain` can use to find constraints that contradict each other, by name."""


@validate_arguments(problem=DealProblem, method=str)
def explain(
    problem: DealProblem, method: str = "min-cut", *, seconds: float | None = None
) -> Explanation | None:
    """Return a minimal set of constraints that contradict each other, or None if there is a deal.

    Args:
        method: `min-cut` or `cp-sat` (see the module).
        seconds: the time limit in seconds, or None for no limit.

    Raises:
        InputError: If the method is unknown, or `seconds` is not a number >= 0.
        SolverTimeout: If the time limit was reached.

    >>> from solvers import DealProblem, SetConstraint
    >>> alone = DealProblem([2, 0], [SetConstraint.of([[0], [0], [0]], players=2)])
    >>> explain(alone, method="cp-sat").clauses()
    ('player 0 holds 2 cards',)
    """
    if method not in METHODS:
        raise InputError(f"method: {quote_value(method)} must be one of {join_words(METHODS)}")
    deadline = NO_DEADLINE if seconds is None else Deadline(seconds)
    contradicts = METHODS[method](problem, deadline)
    candidates = contradicts(constraints_of(problem))
    if candidates is None:
        return None
    rest, needed = list(candidates), list[Constraint]()
    while rest:
        reason = rest.pop()
        smaller = contradicts(needed + rest)
        if smaller is None:
            needed.append(reason)
        else:
            rest = [kept for kept in rest if kept in smaller]
    order = {Hand: 0, AtLeast: 1, AtMost: 2}
    return Explanation(
        problem, tuple(sorted(needed, key=lambda reason: (order[type(reason)], reason)))
    )
