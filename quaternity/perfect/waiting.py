"""Waiting for ever: opponents keep a player from winning by asking each other in vain.

Take a deal that fits the state. Players *share* a set when each of them has a card of it. Say that
a player shares a set with somebody other than the asked. The player can then ask for a card that
neither of the two has. The answer is no, and nothing else happens: the deal still fits, no card
moves, the set stays in play, and the asked is on turn. When players ask each other so in a ring,
all that this tells is known after one round, and positions repeat. So a player cannot force a win
if, in any deal that fits, such questions lead from the opponent on turn into a ring of opponents.
That is so just if one of these holds:

- the opponent on turn and another opponent each share a set with the player;
- three opponents, one of them on turn, each share a set with anybody.

A brisk game has no such questions, so nobody waits.

`quaternity/guide/perfect-play.md` proves this and its converse: without such a deal, the opponents
cannot keep the player from being on turn again, unless the game ends before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, combinations, product

from quaternity.base.errors import LimitError
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from solvers.coalition_tables import IMPOSSIBLE, MAX_PLAYERS, Kind
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.registry import solve
from solvers.verdict import Feasible

Sharing = tuple[int, int]
"""The index of a set, and the players who share it as a bitmask."""


@lru_cache(maxsize=1 << 12)
def rings(able: int, turn: int, player: int) -> tuple[tuple[int, int], ...]:
    """Return who must share sets for a ring of opponents of a player, given who is on turn.

    Each alternative is two couples of players. All sets of players are bitmasks; `able` has the
    players with cards.

    >>> rings(0b0111, 1, 0), len(rings(0b1111, 1, 0))
    (((3, 5),), 8)
    """
    asker = 1 << turn
    others = players_in(able & ~(asker | 1 << player))
    couples: dict[tuple[int, int], None] = {}
    for other in others:
        thirds = players_in(able & ~(asker | 1 << other))
        for first, second in product(thirds, repeat=2):
            couples[asker | 1 << first, 1 << other | 1 << second] = None
    for first, second in combinations(others, 2):
        couples[asker | 1 << first, asker | 1 << second] = None
    return tuple(couples)


def ring_of_opponents(
    kinds: Sequence[Kind], slack: int, hands: Sequence[int], turn: int, player: int
) -> tuple[Sharing, Sharing] | None:
    """Return which sets are shared, and by whom, in a deal that has a ring of opponents.

    Args:
        kinds: of the sets of a possible state.
        slack: of the state, from them and the hands (`solvers.coalition_tables.Lanes.slack`).
        turn: who is on turn, not the player.

    Return None where no deal has such a ring.
    Cost: some microseconds where there is one, else up to N^2 additions for each of `rings`.
    """
    guard = kinds[0].layout.guard
    fitting: dict[int, list[tuple[int, int]]] = {}

    def shared(couple: int) -> list[tuple[int, int]]:
        """Return the sets that a couple can share, and the slack if they do."""
        if couple not in fitting:
            fitting[couple] = [
                (place, after)
                for place, kind in enumerate(kinds)
                if (after := slack_if_shared(kind, couple, slack)) & guard == guard
            ]
        return fitting[couple]

    able = sum(1 << holder for holder, hand in enumerate(hands) if hand)
    for first, second in rings(able, turn, player):
        others = shared(second)
        for place, after in shared(first) if others else ():
            for other, _ in others:
                both = first | second if other == place else second
                before = slack if other == place else after
                if slack_if_shared(kinds[other], both, before) & guard == guard:
                    return (place, first), (other, second)
    return None


def slack_if_shared(kind: Kind, sharing: int, slack: int) -> int:
    """Return the slack of a state once some players have cards of a set; 0 where they cannot."""
    owners, low, high = kind.looks
    raised = tuple([least or sharing >> player & 1 for player, least in enumerate(low)])
    table = kind.layout.table(owners, raised, high)
    return 0 if table == IMPOSSIBLE else slack - kind.table + table


def waiting(state: State, player: int) -> list[Question] | None:
    """Return how the opponents keep a player from winning by waiting; None if they cannot.

    The questions are asked by opponents of each other from this possible state on, and all are
    answered no. The final position was there before, when its asker was last asked.

    Raises:
        LimitError: more than `solvers.coalition_tables.MAX_PLAYERS` players.

    >>> from quaternity import Settings
    >>> state = State.start(Settings(4, 3, 3))
    >>> list(map(str, waiting(state, 1)))
    ['0 asks 2 for 0/2', '2 asks 0 for 0/2', '0 asks 2 for 0/2', '2 asks 0 for 0/2']
    """
    if not state.has_tables:
        raise LimitError(
            f"who waits is known of at most {MAX_PLAYERS} players, not {state.players}"
        )
    slack = state.slack()
    if state.brisk or slack is None or state.turn in (None, player) or state.is_over:
        return None
    kinds = [row.kind for row in state.rows()]
    sharing = ring_of_opponents(kinds, slack, state.hands, state.turn, player)
    if sharing is None:
        return None
    problem = state.problem
    for place, players in sharing:
        constraint = problem.sets[place]
        low = [least or players >> other & 1 for other, least in enumerate(constraint.low)]
        problem = problem.with_set(place, SetConstraint(constraint.owners, low, constraint.high))
    verdict = solve(problem)
    assert isinstance(verdict, Feasible), "the tables say that a deal fits"
    return _round_and_round(state, player, verdict.deal.owner)


def _round_and_round(state: State, player: int, deal: Sequence[Sequence[int]]) -> list[Question]:
    """Return the questions of a ring of opponents in a deal, until a position repeats."""
    able = {*chain(*deal)} - {player}
    questions = {
        (asker, asked): Question(asker, asked, Card(place, number))
        for place, owners in reversed([*enumerate(deal)])
        for number, owner in reversed([*enumerate(owners)])
        for asker in {*owners} & able - {owner}
        for asked in able - {asker, owner}
    }
    while ends := {asked for _, asked in questions} - {asker for asker, _ in questions}:
        questions = {pair: question for pair, question in questions.items() if pair[1] not in ends}
    next_of = {asker: Question(asker, asked, card) for asker, asked, card in questions.values()}
    line, seen = list[Question](), [state]
    while len(seen) == 1 or not any(state.same_position(before) for before in seen[:-1]):
        assert state.turn is not None, "the sets asked for stay in play"
        line.append(next_of[state.turn])
        state = state.after(line[-1], Answer.NO)
        seen.append(state)
    return line


def is_pass(problem: DealProblem, question: Question) -> bool:
    """Return whether a legal question in a closed problem changes only who is on turn."""
    asker, asked, (index, number) = question
    constraint = problem.sets[index]
    return bool(constraint.low[asker]) and not constraint.owners[number] & (1 << asker | 1 << asked)
