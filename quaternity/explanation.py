"""Why something is impossible, traced to the moves that made it so.

Every move says a little about the cards as they lie now, whatever the other moves say: a yes puts
its card where it went, a no excludes two players (until the card moves on), and a question says
that the asker held a card of the set, of which at most the cards given since are gone. Hands are
counted on the table. With all moves this is the state; with fewer it only becomes weaker. So the
moves that matter can be found by leaving out one after another while the thing stays impossible:
what remains is minimal, for leaving out any one of it would allow the thing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from quaternity.game import Game
from quaternity.question import Answer, Question
from quaternity.transition import asking, claimed
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import default_solver
from solvers.shortage import Certificate
from solvers.verdict import Infeasible


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why no deal fits.

    Attributes:
        moves: indices of the earlier moves that together forbid it, ascending; leaving out any one
            of them would allow it. Empty when it is impossible from the start.
        problem: what these moves say, and the thing itself. All sets are in play in it.
        shortage: the proof that no deal fits the problem.
    """

    moves: tuple[int, ...]
    problem: DealProblem
    shortage: Certificate

    def in_words(self) -> str:
        """The shortage as a sentence."""
        return self.shortage.in_words(self.problem)


def known_from(game: Game, chosen: Collection[int]) -> DealProblem:
    """What some of a game's moves say about the cards now, with completed sets still in the hands.

    Args:
        chosen: indices of moves. With all of them the deals are those of the state.

    Cost: moves + cards.
    """
    state = game.state
    players, size, sets = state.players, state.set_size, state.sets
    everybody = (1 << players) - 1
    owners = [[everybody] * size for _ in range(sets)]
    low = [[0] * players for _ in range(sets)]
    for index, ((asker, asked, (set_index, number)), answer) in enumerate(game.moves):
        known = index in chosen
        if known:
            low[set_index][asker] = max(1, low[set_index][asker])
        if answer:
            # The card moved in any case, so what was known about it before is void.
            low[set_index][asked] = max(0, low[set_index][asked] - 1)
            low[set_index][asker] += known
            owners[set_index][number] = 1 << asker if known else everybody
        elif known:
            owners[set_index][number] &= ~(1 << asker | 1 << asked)
    hands = tuple(
        hand + size * points for hand, points in zip(state.hands, state.points, strict=True)
    )
    full = (size,) * players
    constraints = tuple(
        SetConstraint.trusted(tuple(masks), tuple(least), full)
        for masks, least in zip(owners, low, strict=True)
    )
    return DealProblem.trusted(hands, constraints)


def explain(game: Game, question: Question, answer: Answer | None = None) -> Explanation | None:
    """Why a question, or an answer to it, is impossible in the position a game has reached.

    Args:
        question: with valid players, set and card; the set is in play.
        answer: the impossible answer; None when the question itself is impossible.

    Returns None when some deal fits, that is, when the deal problem does not forbid it.
    Cost: about 2 log2(moves) checks for every move that is told, each as `known_from`.
    """
    asker, asked, (set_index, number) = question

    def with_claim(chosen: Collection[int]) -> DealProblem:
        problem = known_from(game, chosen)
        constraint = problem.sets[set_index]
        changed = (
            asking(constraint, asker, number)
            if answer is None
            else claimed(constraint, asker, asked, number, answer)
        )
        return problem.with_set(set_index, changed)

    def impossible(chosen: Collection[int]) -> bool:
        problem = with_claim(chosen)
        return not default_solver(problem)(problem)

    everything = range(len(game.moves))
    if not impossible(everything):
        return None
    # Both orders give a minimal list; the shorter one is the better story.
    oldest_first = _minimal(everything, impossible)
    newest_first = _minimal(everything[::-1], impossible)
    shorter = oldest_first if len(oldest_first) <= len(newest_first) else newest_first
    moves = tuple(sorted(shorter))
    problem = with_claim(moves)
    verdict = default_solver(problem)(problem)
    assert isinstance(verdict, Infeasible)
    assert verdict.shortage is not None
    return Explanation(moves, problem, verdict.shortage)


def _minimal(order: Sequence[int], impossible: Callable[[Collection[int]], bool]) -> frozenset[int]:
    """Leave out one after another, in an order, what is not needed.

    One pass is enough because fewer moves never forbid more. For the same reason the next one that
    is needed can be found by bisection: as many before it as can be are left out at once.
    """
    needed: list[int] = []
    first = 0
    while not impossible(set(needed)):
        # Some of the rest is needed: leaving out up to `most` is too much.
        least, most = first, len(order)
        while most - least > 1:
            middle = (least + most) // 2
            if impossible({*needed, *order[middle:]}):
                least = middle
            else:
                most = middle
        needed.append(order[least])
        first = least + 1
    return frozenset(needed)


__all__ = ["Explanation", "explain", "known_from"]
