"""Values of games that must end, if all players play for themselves and break ties by chance.

`fair_draws` assumes that each player takes the choice with the highest expected value, and that a
fair draw decides between equally good choices. Questions for different cards are different choices.
The value of a state is a lottery: the exact probability of each outcome.

`any_chance` allows any probabilities for breaking ties, which may differ in each state and after
each history. The value of a state then consists of bounds: the minimum and maximum expected value
of each player, and the possible outcomes. They are computed from the bounds after each choice. The
player who chooses expects at least the highest minimum of a choice, and rejects every choice with a
lower maximum. Any other player expects a value between the lowest minimum and the highest maximum
of the remaining choices. The bounds need not be attained.

Both functions work backwards from the ends of the game. If the tie-break rule of the game draws the
player to move, all players whom it may draw are equally likely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.progress import Report, quiet
from quaternity.perfect.keys.canonical import Key, Rules, canonical, coding
from quaternity.perfect.keys.kinds import Roles
from quaternity.perfect.solving.max_n import ENDLESS, STUCK, WISHES, Outcome, check_wish
from quaternity.perfect.successors.one_state import Choice, counted_choices

if TYPE_CHECKING:
    from quaternity.game.state import State

Lottery = dict[Outcome, Fraction]
"""The probability of each possible outcome of a game."""

REPORT_STATES = 1 << 8
"""Number of states between two progress reports."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The possible outcomes of a state, and the bounds of each player's expected value."""

    outcomes: frozenset[Outcome]
    least: tuple[Fraction, ...]
    most: tuple[Fraction, ...]


class _Ties(NamedTuple):
    """Functions that compute the values of states, for one way of breaking ties.

    `end` returns the value of an outcome. `choose` returns the value of a choice by a player, and
    `draw` that of a draw by chance. Both take a list of pairs: the number of equivalent choices,
    and the value of the state after them. `before` converts a value that is listed by the roles
    after a move to the roles before it.
    """

    end: Callable[[Outcome], Any]
    choose: Callable[[Sequence[tuple[int, Any]], int], Any]
    draw: Callable[[Sequence[tuple[int, Any]]], Any]
    before: Callable[[Any, Roles], Any]


def fair_draws(state: State, wish: str = "points", report: Report = quiet) -> Lottery:
    """Return the probability of each outcome if fair draws decide between equally good moves.

    `wish` is the objective of all players, a name in `max_n.WISHES`. An outcome lists what each
    player gets. The computation takes about a millisecond for each state. States that differ only
    in names count once.

    Raises:
        InputError: If the game could continue forever or get stuck, or `wish` is unknown.

    >>> from quaternity import Settings, State
    >>> lottery = fair_draws(State.start(Settings(3, 3, 3, brisk=True)), "win")
    >>> {gets: str(chance) for gets, chance in sorted(lottery.items())}
    {(0, 0, 2): '11/24', (0, 2, 0): '11/24', (2, 0, 0): '1/12'}
    """

    def choose(offers: Sequence[tuple[int, Lottery]], role: int) -> Lottery:
        expected = [sum(gets[role] * p for gets, p in offer.items()) for _, offer in offers]
        highest = max(expected)
        return draw(
            [offer for offer, value in zip(offers, expected, strict=True) if value == highest]
        )

    def draw(offers: Sequence[tuple[int, Lottery]]) -> Lottery:
        total, drawn = sum(count for count, _ in offers), Lottery()
        for count, offer in offers:
            for gets, p in offer.items():
                drawn[gets] = drawn.get(gets, Fraction(0)) + p * count / total
        return drawn

    def before(lottery: Lottery, roles: Roles) -> Lottery:
        return {_before(gets, roles): p for gets, p in lottery.items()}

    ties = _Ties(lambda gets: {gets: Fraction(1)}, choose, draw, before)
    lottery: Lottery = _value(state, check_wish(wish), ties, report)
    return lottery


def any_chance(state: State, wish: str = "points", report: Report = quiet) -> Bounds:
    """Return bounds on what each player can expect, whatever probabilities break ties.

    A tie is a choice between equally good moves. The result also contains the possible outcomes.
    Values are listed by player. The arguments and possible errors are the same as for `fair_draws`.
    """

    def end(gets: Outcome) -> Bounds:
        values = tuple([Fraction(value) for value in gets])
        return Bounds(frozenset([gets]), values, values)

    def choose(offers: Sequence[tuple[int, Bounds]], role: int) -> Bounds:
        sure = max(offer.least[role] for _, offer in offers)
        able = [offer for _, offer in offers if offer.most[role] >= sure]
        least, most = (
            [reach(row) for row in zip(*rows, strict=True)]
            for reach, rows in ((min, [o.least for o in able]), (max, [o.most for o in able]))
        )
        least[role] = sure
        return Bounds(_all(able), tuple(least), tuple(most))

    def draw(offers: Sequence[tuple[int, Bounds]]) -> Bounds:
        drawn, count = [offer for _, offer in offers], len(offers)
        least, most = (
            tuple([sum(row, Fraction(0)) / count for row in zip(*rows, strict=True)])
            for rows in ([o.least for o in drawn], [o.most for o in drawn])
        )
        return Bounds(_all(drawn), least, most)

    def before(bounds: Bounds, roles: Roles) -> Bounds:
        outcomes = frozenset([_before(gets, roles) for gets in bounds.outcomes])
        return Bounds(outcomes, _before(bounds.least, roles), _before(bounds.most, roles))

    bounds: Bounds = _value(state, check_wish(wish), _Ties(end, choose, draw, before), report)
    return bounds


def _all(offers: Sequence[Bounds]) -> frozenset[Outcome]:
    return frozenset().union(*[offer.outcomes for offer in offers])


def _before(values: tuple[Any, ...], roles: Roles) -> tuple[Any, ...]:
    # `roles[role]` is the role before the move of the player who has `role` after it.
    return tuple([values[roles.index(role)] for role in range(len(roles))])


def _value(state: State, wish: str, ties: _Ties, report: Report) -> Any:
    code = coding(Rules.of(state))
    start, roles = canonical(state)
    values: dict[Key, Any] = {}
    opened: dict[Key, list[tuple[int, Choice]]] = {}
    todo = [start]
    while todo:
        key = todo[-1]
        if key in values:
            todo.pop()
        elif key not in opened:
            choices = opened[key] = counted_choices(code, key)
            after = {reply.key for _, choice in choices for reply in choice.replies}
            if not after.isdisjoint(opened):
                raise InputError(ENDLESS)
            todo += [other for other in after if other not in values]
        else:
            parts = code.parts(key)
            choices = opened.pop(key)
            if parts.kinds and not choices:
                raise InputError(STUCK)
            offers = []
            for count, (asked, replies) in choices:
                after_each = [(1, ties.before(values[r.key], r.roles)) for r in replies]
                offers.append((count, ties.choose(after_each, asked % len(roles))))
            if not offers:
                values[key] = ties.end(WISHES[wish](parts.points))
            elif choices[0][1].asked == len(roles):
                values[key] = ties.draw(offers)
            else:
                values[key] = ties.choose(offers, 0)
            if len(values) % REPORT_STATES == 0:
                report("ties", len(values), None)
    return ties.before(values[start], roles)


@dataclass(frozen=True, slots=True)
class FairDrawResult:
    """The probability of each outcome if fair draws decide between equally good moves.

    Every player wants to maximize the value that `wish` names: "points" or "win".
    """

    wish: str
    lottery: Lottery

    @property
    def outcomes(self) -> list[tuple[Outcome, Fraction]]:
        """The possible results of the game with their probabilities, best for player 0 first."""
        return sorted(self.lottery.items(), reverse=True)

    @property
    def expected(self) -> list[Fraction]:
        """The expected value of each player."""
        weighted = [[gain * chance for gain in gets] for gets, chance in self.outcomes]
        return [sum(gains, Fraction(0)) for gains in zip(*weighted, strict=True)]

    def document(self) -> dict[str, Any]:
        """Return the result as a dictionary of plain values for JSON. Fractions become texts."""
        return {
            "wish": self.wish,
            "ties": "coin",
            "outcomes": [gets for gets, _ in self.outcomes],
            "chances": [str(chance) for _, chance in self.outcomes],
            "expected": list(map(str, self.expected)),
        }


@dataclass(frozen=True, slots=True)
class AnyChanceResult:
    """The possible outcomes and bounds on each player's expected value, whatever chance decides.

    Any probabilities may decide between equally good moves. `wish` names the value that every
    player wants to maximize: "points" or "win".
    """

    wish: str
    bounds: Bounds

    @property
    def outcomes(self) -> list[Outcome]:
        """The possible results of the game, the best for player 0 first."""
        return sorted(self.bounds.outcomes, reverse=True)

    def document(self) -> dict[str, Any]:
        """Return the result as a dictionary of plain values for JSON. Fractions become texts."""
        return {
            "wish": self.wish,
            "ties": "chance",
            "outcomes": self.outcomes,
            "least": list(map(str, self.bounds.least)),
            "most": list(map(str, self.bounds.most)),
        }
