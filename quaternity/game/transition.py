"""The effects of a question and its answer on the hands, the constraints and the turn.

Other modules use these functions for legal questions, solvers, explanations and perfect play, so
that each rule is implemented only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from quaternity.game.question import Answer
from quaternity.game.settings import TieBreak
from solvers.problem import DealProblem, SetConstraint, with_entry

MIN_ASKER_CARDS = 1
"""Minimum number of cards of a set that a player must hold to ask for another card of that set. If
it were 0, players could ask for cards of any set."""


def asker_minimum(least: int) -> int:
    """Return a player's minimum number of cards of a set, raised by a question about the set.

    The player has asked for a card of the set. `least` is the minimum before the question.
    """
    return max(least, MIN_ASKER_CARDS)


def _raise_minimum(low: tuple[int, ...], asker: int) -> tuple[int, ...]:
    least = asker_minimum(low[asker])
    return low if least == low[asker] else with_entry(low, asker, least)


HOPELESS = 1
"""Value of the argument `answers` of `may_be_asked` if only the answer no is possible."""


def may_be_asked(answers: int, brisk: bool) -> bool:
    """Return whether the rules allow a question, given its possible answers.

    At least one answer must be possible. In a brisk game (a variant of the rules), the answer yes
    must be possible, so that every question may win a card.

    Args:
        answers: the possible answers, as a sum: 1 for no, plus 2 for yes.
        brisk: whether the game is brisk.
    """
    return answers > (HOPELESS if brisk else 0)


def after_statement(constraint: SetConstraint, asker: int, card: int) -> SetConstraint:
    """Return the constraint of a set after a question for one of its cards, before the answer.

    By asking for a card, a player states that they hold another card of the set, but not the
    requested card.
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
    """Return the constraint of a set after an answer, before the card changes hands.

    It describes the hands at the time of the question, so it can show that an answer is impossible.
    """
    owners = constraint.owners
    mask = owners[card] & ~(1 << asker)
    mask &= 1 << asked if answer else ~(1 << asked)
    return SetConstraint.unchecked(
        with_entry(owners, card, mask), _raise_minimum(constraint.low, asker), constraint.high
    )


def after_answer(
    constraint: SetConstraint, asker: int, asked: int, card: int, answer: Answer | bool
) -> SetConstraint:
    """Return the constraint of a set after a question and its answer.

    After a yes, it describes the hands in which the card has moved to the asker. In contrast, the
    result of `after_claim` describes the hands before this move.
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
    # If the asked player could not own the card, a yes is impossible, so nobody can own it now.
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
    """Return the deal problem after a question and its answer.

    Sets that become completed stay in the problem.
    """
    constraint = after_answer(problem.sets[set_index], asker, asked, card, answer)
    changed = problem.with_set(set_index, constraint)
    return DealProblem.unchecked(hands_after(problem.hands, asker, asked, answer), changed.sets)


@lru_cache(maxsize=256)
def out_of_play(players: int) -> SetConstraint:
    """Return the constraint of a completed set, which has no cards."""
    return SetConstraint((), (0,) * players, (0,) * players)


def next_to_ask(asker: int, asked: int, answer: Answer | bool, hands: Sequence[int]) -> int | None:
    """Return the player who asks next: the asker after a yes, the asked player after a no.

    If that player has no cards left, return the other player of the question. If neither of them
    has cards, return None (see `break_tie`). `hands` contains the hand sizes after the answer.
    """
    first, second = (asker, asked) if answer else (asked, asker)
    if hands[first]:
        return first
    return second if hands[second] else None


def break_tie(
    hands: Sequence[int], points: Sequence[int], tie_break: TieBreak, order: Sequence[int]
) -> list[int]:
    """Return the players whom the tie-break selects as the next player to ask.

    If there are several, `draw_player` selects one of them. At least one player must have cards.
    `order` is the order of players for `TieBreak.FIRST_IN_ORDER`.
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
    """Return one of several tied players, chosen by the seed and the position.

    Every replay of a game therefore chooses the same player.
    """
    if len(tied) == 1:
        return tied[0]
    return Random(f"{seed} {tuple(completed)} {tuple(hands)}").choice(tied)
