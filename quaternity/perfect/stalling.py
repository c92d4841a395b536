"""Stalling: opponents prevent a player's win by asking each other for ever, without effect.

Take a deal that fits the state. Players *share* a set if each of them holds a card of it. Suppose
that an asker and a third player share a set, and that the set has a card which neither the asker
nor the asked player holds. If the asker requests it, the answer is no. The deal still fits, no card
moves, the set stays in play, and the asked player is to move. A *ring* of opponents can ask
each other such questions for ever. After one round, the questions give no new information, and
positions repeat.

So a player cannot force a win if, in some deal that fits, such questions lead from the opponent to
move into a ring of opponents. This is the case exactly if one of these conditions holds:

- the opponent to move and another opponent each share a set with the player;
- three opponents, including the opponent to move, each share a set with some other player.

A brisk game forbids questions to which the answer can only be no, so nobody can stall.

`tests/proofs/waiting.v` proves this and its converse: if there is no such deal, the player gets
another turn unless the game ends first, whatever the opponents do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, combinations, product

from quaternity.base.errors import LimitError
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from solvers.coalition_tables import IMPOSSIBLE, MAX_PLAYERS, SetShape
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.registry import solve
from solvers.verdict import Feasible

Sharing = tuple[int, int]
"""Pair: the index of a set, and a bit mask of players who each hold a card of this set."""


@lru_cache(maxsize=1 << 12)
def rings(able: int, turn: int, player: int) -> tuple[tuple[int, int], ...]:
    """Return conditions, each of which lets the opponents of a player stall for ever.

    The opponents form a *ring*: they ask each other for ever, without success. A condition consists
    of two pairs of players, as bit masks. Each pair must hold cards of the same set. The bit mask
    `able` contains the players with cards. The opponent `turn` is to move.

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
    kinds: Sequence[SetShape], slack: int, hands: Sequence[int], turn: int, player: int
) -> tuple[Sharing, Sharing] | None:
    """Return two sets with which the opponents of a player can stall for ever.

    Each set is given by its index, with a bit mask of players who must all hold a card of it. The
    result is None if the opponents cannot stall in any possible deal.

    Args:
        kinds: the sets of a possible state.
        slack: how many more cards each group of players could own than it holds
            (`solvers.coalition_tables.LaneLayout.slack`).
        turn: the player to move, who must not be `player`.
    """
    guard = kinds[0].layout.guard
    fitting: dict[int, list[tuple[int, int]]] = {}

    def shared(couple: int) -> list[tuple[int, int]]:
        # Return the sets that a pair of players can share, with the slack for each of them.
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


def slack_if_shared(kind: SetShape, sharing: int, slack: int) -> int:
    """Return the slack of a state in which all players `sharing` must hold a card of one set.

    The slack says how many more cards each group of players could own than it holds
    (`solvers.coalition_tables.LaneLayout.slack`). Return 0 if the set cannot be dealt in this way.
    """
    owners, low, high = kind.key
    raised = tuple([least or sharing >> player & 1 for player, least in enumerate(low)])
    table = kind.layout.table(owners, raised, high)
    return 0 if table == IMPOSSIBLE else slack - kind.table + table


def stalling_questions(state: State, player: int) -> list[Question] | None:
    """Return questions with which the opponents of a player stall, to prevent the player's win.

    The result is None if the opponents cannot stall. The state must be possible. Starting from it,
    opponents ask these questions of each other, and all of them are answered no. The final position
    equals the position in which the player to move last asked a question.

    Raises:
        LimitError: If there are more than `solvers.coalition_tables.MAX_PLAYERS` players.

    >>> from quaternity import Settings
    >>> state = State.start(Settings(4, 3, 3))
    >>> list(map(str, stalling_questions(state, 1)))
    ['0 asks 2 for 0/2', '2 asks 0 for 0/2', '0 asks 2 for 0/2', '2 asks 0 for 0/2']
    """
    if not state.has_tables:
        raise LimitError(
            f"the search for endless questions allows at most {MAX_PLAYERS} players, "
            f"not {state.players}"
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
    assert isinstance(verdict, Feasible), "some deal must fit the state and the shared sets"
    return _ring_questions(state, player, verdict.deal.owner)


def _ring_questions(state: State, player: int, deal: Sequence[Sequence[int]]) -> list[Question]:
    """Return questions that opponents ask each other without success, until a position repeats."""
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
        assert state.turn is not None, "the game must not end during the questions"
        line.append(next_of[state.turn])
        state = state.after(line[-1], Answer.NO)
        seen.append(state)
    return line


def is_pass(problem: DealProblem, question: Question) -> bool:
    """Return whether a legal question only passes the turn, without giving any information.

    `problem` is the state before the question, with bounds and owners as tight as possible.
    """
    asker, asked, (index, number) = question
    constraint = problem.sets[index]
    return bool(constraint.low[asker]) and not constraint.owners[number] & (1 << asker | 1 << asked)
