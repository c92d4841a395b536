"""What a question and its answer change: the rules, each in one place.

Legal questions, solvers, explanations and perfect play all take the rules from here.
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


def stated_minimum(least: int) -> int:
    """Return the fewest cards of a set that an asker holds, if `least` were known before."""
    return max(least, MIN_ASKER_CARDS)


def _stated(low: tuple[int, ...], asker: int) -> tuple[int, ...]:
    least = stated_minimum(low[asker])
    return low if least == low[asker] else with_entry(low, asker, least)


HOPELESS = 1
"""The possible answers of a hopeless question, as in `may_be_asked`: no alone."""


def may_be_asked(answers: int, brisk: bool) -> bool:
    """Return whether a question may be asked that has these possible answers.

    Some answer must be possible; in a brisk game a yes, so that every question may bring a card.
    `answers` is 1 for a no that is possible, plus 2 for a yes.
    """
    return answers > (HOPELESS if brisk else 0)


def asking(constraint: SetConstraint, asker: int, card: int) -> SetConstraint:
    """Return the constraint with what asking states: the asker has a card of the set, not this."""
    owners = constraint.owners
    return SetConstraint.trusted(
        with_entry(owners, card, owners[card] & ~(1 << asker)),
        _stated(constraint.low, asker),
        constraint.high,
    )


def claimed(
    constraint: SetConstraint, asker: int, asked: int, card: int, answer: Answer | bool
) -> SetConstraint:
    """Return the constraint that question and answer imply before any card moves."""
    owners = constraint.owners
    mask = owners[card] & ~(1 << asker)
    mask &= 1 << asked if answer else ~(1 << asked)
    return SetConstraint.trusted(
        with_entry(owners, card, mask), _stated(constraint.low, asker), constraint.high
    )


def answered(
    constraint: SetConstraint, asker: int, asked: int, card: int, answer: Answer | bool
) -> SetConstraint:
    """Return the constraint after question and answer, the card handed over after a yes.

    A deal satisfies it after the card moved iff the deal before satisfied `claimed`. Upper bounds
    that never matter (the set's size) stay as they are; others follow the card.
    """
    if not answer:
        return claimed(constraint, asker, asked, card, answer)
    size = len(constraint.owners)
    low = list(constraint.low)
    low[asker] = stated_minimum(low[asker]) + 1
    low[asked] = max(0, low[asked] - 1)
    high = constraint.high
    if high[asker] < size or high[asked] < size:
        bounds = list(high)
        bounds[asker] = min(size, bounds[asker] + 1)
        if bounds[asked] < size:
            bounds[asked] -= 1
        high = tuple(bounds)
    # A card that the asked cannot have had can be with nobody.
    mask = 1 << asker if constraint.owners[card] >> asked & 1 else 0
    return SetConstraint.trusted(with_entry(constraint.owners, card, mask), tuple(low), high)


def hands_after(
    hands: tuple[int, ...], asker: int, asked: int, answer: Answer | bool
) -> tuple[int, ...]:
    """Return the sizes of the hands after question and answer."""
    if not answer:
        return hands
    moved = list(hands)
    moved[asker] += 1
    moved[asked] -= 1
    return tuple(moved)


def problem_after(
    problem: DealProblem, asker: int, asked: int, set_index: int, card: int, answer: Answer
) -> DealProblem:
    """Return the deal problem after question and answer, completed sets still in it."""
    constraint = answered(problem.sets[set_index], asker, asked, card, answer)
    changed = problem.with_set(set_index, constraint)
    return DealProblem.trusted(hands_after(problem.hands, asker, asked, answer), changed.sets)


@lru_cache(maxsize=256)
def out_of_play(players: int) -> SetConstraint:
    """Return the constraint of a completed set: no cards."""
    return SetConstraint((), (0,) * players, (0,) * players)


def next_to_ask(asker: int, asked: int, answer: Answer | bool, hands: Sequence[int]) -> int | None:
    """Return who asks next: after yes the asker, after no the asked, or else the other player.

    The hands are those after the answer. Return None if neither has cards: see `tie_broken`.
    """
    first, second = (asker, asked) if answer else (asked, asker)
    if hands[first]:
        return first
    return second if hands[second] else None


def tie_broken(
    hands: Sequence[int], points: Sequence[int], tie_break: TieBreak, order: Sequence[int]
) -> list[int]:
    """Return whom the tie-break names: one player, or several among whom chance decides.

    Somebody has cards. `order` of the players matters for `TieBreak.FIRST_IN_ORDER`.
    """
    if tie_break is TieBreak.MIN_SETS:
        return tied_players(hands, points)
    return [next(player for player in order if hands[player])]


def tied_players(hands: Sequence[int], points: Sequence[int]) -> list[int]:
    """Return among whom `TieBreak.MIN_SETS` draws: fewest sets, then fewest cards in hand."""
    able = [player for player, hand in enumerate(hands) if hand]
    least = min((points[player], hands[player]) for player in able)
    return [player for player in able if (points[player], hands[player]) == least]


def drawn_player(
    tied: Sequence[int], seed: int, completed: Sequence[int | None], hands: Sequence[int]
) -> int:
    """Draw a player by seed and position, so a record that is replayed has the same players."""
    if len(tied) == 1:
        return tied[0]
    return Random(f"{seed} {tuple(completed)} {tuple(hands)}").choice(tied)
