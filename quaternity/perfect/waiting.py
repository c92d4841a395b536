"""Who can wait for ever: players who ask each other hopeless questions that change nothing.

Player x *passes* to y when he asks for a card that neither can own, of a set of which he surely
holds a card. The only answer is no, no deal is ruled out, and y, who must have cards, is on turn:
else the state is as it was. Players who can pass to one another in a ring can do so for ever, and
then nobody wins. So a player cannot force a win while an opponent is on turn from whom passes lead
into a ring of opponents: the smallest ring, and the usual one, is a *waiting pair*.

In a brisk game there are no such questions, and nobody waits.

The converse does not hold: opponents may still find a way to wait, or to win.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.game.state import State
from solvers.problem import DealProblem, SetConstraint, players_in

Passes = tuple[int, ...]
"""Per player the players he can pass to, a bit each."""


@lru_cache(maxsize=1 << 16)
def set_passes(masks: tuple[int, ...], low: tuple[int, ...]) -> Passes:
    """Who can pass to whom by asking for a card of one set, given its owner masks and minimums.

    Whether the asked player has cards is for a ring to say: who passes on has some.
    """
    everybody = (1 << len(low)) - 1
    passes = [0] * len(low)
    for mask in set(masks):
        elsewhere = everybody & ~mask
        for player in players_in(elsewhere):
            if low[player]:
                passes[player] |= elsewhere & ~(1 << player)
    return tuple(passes)


def joined(passes: Iterable[Passes], players: int) -> Passes:
    """Who can pass to whom by asking for a card of any of several sets."""
    found = [0] * players
    for one in passes:
        for player, others in enumerate(one):
            found[player] |= others
    return tuple(found)


def who_waits(passes: Passes, among: int) -> int:
    """Those of some players from whom passes among them go on for ever, a bit each."""
    while True:
        left = 0
        for player, others in enumerate(passes):
            if among >> player & 1 and others & among:
                left |= 1 << player
        if left == among:
            return among
        among = left


def kept_from_winning(passes: Passes, turn: int) -> int:
    """The players who cannot force a win because others, one of them on turn, can wait, as bits."""
    everybody = (1 << len(passes)) - 1
    return sum(
        1 << player
        for player in range(len(passes))
        if player != turn and who_waits(passes, everybody & ~(1 << player)) >> turn & 1
    )


def passes_of(problem: DealProblem) -> Passes:
    """Who can pass to whom.

    Args:
        problem: of a possible state, `closed` (else only what is plain to see is found).
    """
    return joined([set_passes(one.owners, one.low) for one in problem.sets], len(problem.hands))


def waiting(state: State, player: int) -> list[Question] | None:
    """How the opponents of a player can keep him from winning by waiting.

    Args:
        state: a possible one.

    Returns:
        Questions from this state on, each of which changes nothing but who is on turn; after the
        last of them somebody is on turn who was so before. None if that is not seen to be possible.

    >>> from quaternity import Answer, Settings
    >>> state = State.start(Settings(2, 6, 3))
    >>> for question in ((0, 1, (0, 0)), (1, 2, (1, 0))):
    ...     state = state.after(question, Answer.NO)
    >>> list(map(str, waiting(state, 0)))
    ['2 asks 1 for 0/1', '1 asks 2 for 1/0']
    """
    if state.brisk or state.turn is None or state.turn == player or state.is_over:
        return None
    problem = state.closed()
    passes = passes_of(problem)
    among = who_waits(passes, (1 << state.players) - 1 & ~(1 << player))
    asker, seen, line = state.turn, list[int](), list[Question]()
    if not among >> asker & 1:
        return None
    while asker not in seen:
        seen.append(asker)
        again = [other for other in seen if passes[asker] >> other & 1]
        asked = again[0] if again else players_in(passes[asker] & among)[0]
        line.append(Question(asker, asked, _card(problem.sets, asker, asked)))
        asker = asked
    return line


def _card(sets: Sequence[SetConstraint], asker: int, asked: int) -> Card:
    """A card by which one player passes to another."""
    return next(
        Card(index, number)
        for index, one in enumerate(sets)
        if one.low[asker]
        for number, mask in enumerate(one.owners)
        if not mask >> asker & 1 and not mask >> asked & 1
    )


def is_pass(problem: DealProblem, question: Question) -> bool:
    """Whether a legal question changes nothing but who is on turn.

    Args:
        problem: of the state, closed.
    """
    asker, asked, (index, number) = question
    one = problem.sets[index]
    return bool(one.low[asker]) and not one.owners[number] & (1 << asker | 1 << asked)


__all__ = [
    "Passes",
    "is_pass",
    "joined",
    "kept_from_winning",
    "passes_of",
    "set_passes",
    "waiting",
    "who_waits",
]
