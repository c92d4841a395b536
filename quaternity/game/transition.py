"""The rules of a move: what a question and its answer change.

Legal questions, solvers, explanations and perfect play all use these functions, so that each rule
is implemented only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from quaternity.game.question import Answer
from quaternity.game.settings import TieBreak
from solvers.problem import DealProblem, SetConstraint, with_entry

MIN_ASKER_CARDS = 1
"""Minimum number of cards of a set that the asker must hold to ask for another card of it. In the
variant with 0, every player may ask for any card."""


def asker_minimum(least: int) -> int:
    """Return the minimum number of cards of the set that an asker holds; it was `least` before."""
    return max(least, MIN_ASKER_CARDS)


def _raise_minimum(low: tuple[int, ...], asker: int) -> tuple[int, ...]:
    least = asker_minimum(low[asker])
    return low if least == low[asker] else with_entry(low, asker, least)


HOPELESS = 1
"""The code of the possible answers to a hopeless question (see `may_be_asked`): only no."""


def may_be_asked(answers: int, brisk: bool) -> bool:
    """Return whether a question with these possible answers may be asked.

    At least one answer must be possible. In a brisk game, the answer yes must be possible, so that
    every question may win a card.

    Args:
        answers: 1 if the answer no is possible, plus 2 if the answer yes is possible.
        brisk: whether the game is brisk.
    """
    return answers > (HOPELESS if brisk else 0)


def after_statement(constraint: SetConstraint, asker: int, card: int) -> SetConstraint:
    """Return the constraint with the statement of the asker added.

    By asking, a player states that they have a card of the set, but not this one.
    """
    owners = constraint.owners
    return SetConstraint.unchecked(
        with_entry(owners, card, owners[card] & ~(1 << asker)),
        _raise_minimum(constraint.low, asker),
        constraint.high,
    )


def after_claim(
    constraint: SetConstraint, asker: int, asked: int, card: int, answer: Answer | bool
) -> SetConstraint:
    """Return the constraint with a question and its answer added, before the card moves."""
    owners = constraint.owners
    mask = owners[card] & ~(1 << asker)
    mask &= 1 << asked if answer else ~(1 << asked)
    return SetConstraint.unchecked(
        with_entry(owners, card, mask), _raise_minimum(constraint.low, asker), constraint.high
    )


def after_answer(
    constraint: SetConstraint, asker: int, asked: int, card: int, answer: Answer | bool
) -> SetConstraint:
    """Return the constraint after a question and its answer; after a yes, the card has moved.

    A deal satisfies it after the card has moved iff the deal before the move satisfied
    `after_claim`. An upper bound that never matters (the size of the set) stays the same; other
    upper bounds are adjusted to the moved card.
    """
    if not answer:
        return after_claim(constraint, asker, asked, card, answer)
    size = len(constraint.owners)
    low = list(constraint.low)
    low[asker] = asker_minimum(low[asker]) + 1
    low[asked] = max(0, low[asked] - 1)
    high = constraint.high
    if high[asker] < size or high[asked] < size:
        bounds = list(high)
        bounds[asker] = min(size, bounds[asker] + 1)
        if bounds[asked] < size:
            bounds[asked] -= 1
        high = tuple(bounds)
    # If the asked player could not have had the card, no player can own it now.
    mask = 1 << asker if constraint.owners[card] >> asked & 1 else 0
    return SetConstraint.unchecked(with_entry(constraint.owners, card, mask), tuple(low), high)


def hands_after(
    hands: tuple[int, ...], asker: int, asked: int, answer: Answer | bool
) -> tuple[int, ...]:
    """Return the sizes of the hands after a question and its answer."""
    if not answer:
        return hands
    moved = list(hands)
    moved[asker] += 1
    moved[asked] -= 1
    return tuple(moved)


def problem_after(
    problem: DealProblem, asker: int, asked: int, set_index: int, card: int, answer: Answer
) -> DealProblem:
    """Return the deal problem after a question and its answer, including completed sets."""
    constraint = after_answer(problem.sets[set_index], asker, asked, card, answer)
    changed = problem.with_set(set_index, constraint)
    return DealProblem.unchecked(hands_after(problem.hands, asker, asked, answer), changed.sets)


@lru_cache(maxsize=256)
def out_of_play(players: int) -> SetConstraint:
    """Return the constraint of a completed set, which has no cards."""
    return SetConstraint((), (0,) * players, (0,) * players)


def next_to_ask(asker: int, asked: int, answer: Answer | bool, hands: Sequence[int]) -> int | None:
    """Return the player who asks next: the asker after a yes, the asked player after a no.

    If that player has no cards left, it is the other of the two. If neither has cards, return None;
    see `break_tie`. The hands are those after the answer.
    """
    first, second = (asker, asked) if answer else (asked, asker)
    if hands[first]:
        return first
    return second if hands[second] else None


def break_tie(
    hands: Sequence[int], points: Sequence[int], tie_break: TieBreak, order: Sequence[int]
) -> list[int]:
    """Return the players that the tie-break selects; one of several is drawn at random.

    At least one player must have cards. `order` is the order of players for
    `TieBreak.FIRST_IN_ORDER`.
    """
    if tie_break is TieBreak.MIN_SETS:
        return tied_players(hands, points)
    return [next(player for player in order if hands[player])]


def tied_players(hands: Sequence[int], points: Sequence[int]) -> list[int]:
    """Return the players with cards who have the fewest sets and, among those, the fewest cards."""
    able = [player for player, hand in enumerate(hands) if hand]
    least = min((points[player], hands[player]) for player in able)
    return [player for player in able if (points[player], hands[player]) == least]


def draw_player(
    tied: Sequence[int], seed: int, completed: Sequence[int | None], hands: Sequence[int]
) -> int:
    """Draw a player; the seed and the position determine the result, so replays agree."""
    if len(tied) == 1:
        return tied[0]
    return Random(f"{seed} {tuple(completed)} {tuple(hands)}").choice(tied)
