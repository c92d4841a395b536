"""Waiting for ever: how opponents keep a player from winning by asking each other what is not so.

Take a deal that still fits. Players *share* a set when each of them has a card of it. Who shares a
set with somebody other than the asked can ask for a card that neither of them has: no, and the deal
still fits, no card has moved, the set stays in play, and the asked is on turn. When players ask
each other so in a ring, all that this tells is known after one round, and positions repeat. So a
player cannot force a win when an opponent is on turn from whom such questions lead into a ring of
opponents, in any deal that fits. They do just where the opponent on turn and another one each share
a set with the player, or three opponents, they among them, each share a set with anybody.

In a brisk game there are no such questions, and nobody waits.

`quaternity/guide/perfect-play.md` has the proof, and that of the converse: without such a deal the
opponents cannot keep the player from being on turn again, unless the game ends before.
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
"""A set, by its place, and the players who share it, a bit each."""


@lru_cache(maxsize=1 << 12)
def rings(able: int, turn: int, player: int) -> tuple[tuple[int, int], ...]:
    """Who must share sets for a ring of opponents of a player, by the one on turn.

    Args:
        able: the players with cards, a bit each.

    Returns:
        Alternatives: two couples of players each.

    >>> rings(0b0111, 1, 0), len(rings(0b1111, 1, 0))
    (((3, 5),), 8)
    """
    asker = 1 << turn
    others = players_in(able & ~(asker | 1 << player))
    found: dict[tuple[int, int], None] = {}
    for other in others:
        thirds = players_in(able & ~(asker | 1 << other))
        for one, two in product(thirds, repeat=2):
            found[asker | 1 << one, 1 << other | 1 << two] = None
    for one, two in combinations(others, 2):
        found[asker | 1 << one, asker | 1 << two] = None
    return tuple(found)


def ring_of_opponents(
    kinds: Sequence[Kind], slack: int, hands: Sequence[int], turn: int, player: int
) -> tuple[Sharing, Sharing] | None:
    """Which sets are shared, by whom, in a deal that has a ring of opponents of a player.

    Args:
        kinds: of the sets of a possible state.
        slack: of the state, from them and the hands (`solvers.coalition_tables.Lanes.slack`).
        turn: who is on turn, not the player.

    Returns:
        None where no deal has such a ring.

    Cost: some microseconds where there is one, else up to N^2 additions for each of `rings`.
    """
    guard = kinds[0].layout.guard
    fitting: dict[int, list[tuple[int, int]]] = {}

    def shared(couple: int) -> list[tuple[int, int]]:
        """Return the sets that a couple can share, and what becomes of the slack."""
        if couple not in fitting:
            fitting[couple] = [
                (place, after)
                for place, kind in enumerate(kinds)
                if (after := slack_if_shared(kind, couple, slack)) & guard == guard
            ]
        return fitting[couple]

    for first, second in rings(
        sum(1 << one for one, hand in enumerate(hands) if hand), turn, player
    ):
        others = shared(second)
        for place, after in shared(first) if others else ():
            for other, _ in others:
                both = first | second if other == place else second
                one = slack if other == place else after
                if slack_if_shared(kinds[other], both, one) & guard == guard:
                    return (place, first), (other, second)
    return None


def slack_if_shared(kind: Kind, sharing: int, slack: int) -> int:
    """Return the slack of a state once some players have cards of a set; 0 where they cannot."""
    owners, low, high = kind.looks
    raised = tuple([least or sharing >> player & 1 for player, least in enumerate(low)])
    table = kind.layout.table(owners, raised, high)
    return 0 if table == IMPOSSIBLE else slack - kind.table + table


def waiting(state: State, player: int) -> list[Question] | None:
    """How the opponents of a player can keep them from winning by waiting.

    Args:
        state: a possible one.

    Returns:
        Questions of opponents to each other from this state on, all to be answered no; the position
        after the last of them was there before, when its asker was last asked. None if there are no
        such questions.

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
        one = problem.sets[place]
        low = [least or players >> other & 1 for other, least in enumerate(one.low)]
        problem = problem.with_set(place, SetConstraint(one.owners, low, one.high))
    verdict = solve(problem)
    assert isinstance(verdict, Feasible), "the tables found that a deal fits"
    return _round_and_round(state, player, verdict.deal.owner)


def _round_and_round(state: State, player: int, deal: Sequence[Sequence[int]]) -> list[Question]:
    """Return the questions of a ring of opponents in a deal, until a position is there again."""
    able = {*chain(*deal)} - {player}
    questions = {
        (asker, asked): Question(asker, asked, Card(place, number))
        for place, owners in reversed([*enumerate(deal)])
        for number, owner in reversed([*enumerate(owners)])
        for asker in {*owners} & able - {owner}
        for asked in able - {asker, owner}
    }
    while ends := {asked for _, asked in questions} - {asker for asker, _ in questions}:
        questions = {ends_in: one for ends_in, one in questions.items() if ends_in[1] not in ends}
    next_of = {asker: Question(asker, asked, card) for asker, asked, card in questions.values()}
    line, seen = list[Question](), [state]
    while len(seen) == 1 or not any(state.same_position(before) for before in seen[:-1]):
        assert state.turn is not None, "the sets asked for stay in play"
        line.append(next_of[state.turn])
        state = state.after(line[-1], Answer.NO)
        seen.append(state)
    return line


def is_pass(problem: DealProblem, question: Question) -> bool:
    """Whether a legal question changes nothing but who is on turn.

    Args:
        problem: of the state, closed.
    """
    asker, asked, (index, number) = question
    one = problem.sets[index]
    return bool(one.low[asker]) and not one.owners[number] & (1 << asker | 1 << asked)
