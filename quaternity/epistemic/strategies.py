"""Hypothesis strategies for formulas and for positions (deal problems with a real deal).

A test of a formula in a position can begin with this decorator:

    @given(
        positions().flatmap(lambda position: st.tuples(st.just(position), formulas(position[0])))
    )
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from hypothesis import strategies as st

from quaternity.epistemic import formula as logic
from quaternity.epistemic.formula import FALSE, TRUE, Formula
from quaternity.epistemic.language import Language
from quaternity.game.cards import Card
from solvers.problem import DealProblem, SetConstraint
from solvers.strategies import composite
from solvers.verdict import Deal


@composite
def positions(
    draw: st.DrawFn, max_players: int = 4, max_sets: int = 3, max_set_size: int = 3
) -> tuple[DealProblem, Deal]:
    """Return a strategy for pairs of a deal problem and a real deal that satisfies it.

    There are two or more players. A random generator makes both the problem and the deal, from a
    seed that Hypothesis draws. If Hypothesis chose each part separately, the players would usually
    know nothing.
    """
    random = Random(draw(st.integers(0, 2**32 - 1)))
    players = random.randint(2, max_players)
    sizes = [random.randint(1, max_set_size)]
    while len(sizes) < max_sets and random.random() < 0.8:
        sizes.append(random.randint(random.random() < 0.8, max_set_size))
    certain, bounded = random.random() / 2, random.random() / 2
    hands = [0] * players
    sets, owner = [], []
    for size in sizes:
        deal = [random.randrange(players) for _ in range(size)]
        counts = [deal.count(player) for player in range(players)]
        hands = [hand + count for hand, count in zip(hands, counts, strict=True)]
        owners = [
            {holder} | {player for player in range(players) if random.random() >= certain}
            for holder in deal
        ]
        low = [random.randint(0, count) if random.random() < bounded else 0 for count in counts]
        high = [
            random.randint(count, size) if random.random() < bounded else size for count in counts
        ]
        sets.append(SetConstraint.of(owners, players, low, high))
        owner.append(tuple(deal))
    return DealProblem(hands, sets), Deal(tuple(owner))


@composite
def chains(draw: st.DrawFn, language: Language, max_length: int = 4) -> Formula:
    """Return a strategy for formulas about what players know of each other's knowledge.

    An example is "player 1 does not know that player 2 knows who holds a card".
    """
    players = st.integers(0, language.players - 1)
    held = _holds(language.players, tuple(language.sizes))
    literals = st.one_of(held, held.map(logic.Not))
    formula = draw(
        st.one_of(literals, st.lists(literals, min_size=2, max_size=2).map(tuple).map(logic.Or))
    )
    for _ in range(draw(st.integers(1, max_length))):
        formula = logic.Knows(draw(players), formula)
        match draw(st.integers(0, 7)):
            case 0:
                formula = logic.Or((formula, draw(literals)))
            case 1:
                formula = logic.And((formula, draw(literals)))
            case 2 | 3 | 4:
                formula = logic.Not(formula)
            case _:
                pass
    return formula


def _holds(players: int, sizes: tuple[int, ...]) -> st.SearchStrategy[Formula]:
    cards = [Card(index, number) for index, size in enumerate(sizes) for number in range(size)]
    return st.builds(logic.Holds, st.integers(0, players - 1), st.sampled_from(cards))


def formulas(language: Language, max_depth: int = 3) -> st.SearchStrategy[Formula]:
    """Return a strategy for formulas about existing players and cards."""
    return _formulas(language.players, tuple(language.sizes), max_depth)


# The strategy is cached, because building and validating it takes longer than drawing from it.
@lru_cache(maxsize=256)
def _formulas(count: int, sizes: tuple[int, ...], max_depth: int) -> st.SearchStrategy[Formula]:
    players = st.integers(0, count - 1)
    atoms: list[st.SearchStrategy[Formula]] = [
        st.sampled_from([TRUE, FALSE]),
        st.builds(logic.Unknown, players, players, st.integers(0, 3), st.booleans()),
    ]
    if any(sizes):
        atoms += [_holds(count, sizes), _holds(count, sizes)]
    formula = st.one_of(atoms)
    for _ in range(max_depth):
        parts = formula
        several = st.lists(parts, min_size=2, max_size=3).map(tuple)
        group = st.lists(players, min_size=1, max_size=3, unique=True).map(tuple)
        formula = st.one_of(
            parts,
            st.builds(logic.Knows, players, parts),
            st.builds(logic.Knows, players, parts),
            st.builds(logic.Not, parts),
            st.builds(logic.And, several),
            st.builds(logic.Or, several),
            st.builds(logic.Implies, parts, parts),
            st.builds(logic.Iff, parts, parts),
            st.builds(logic.Distributed, group, parts),
            st.builds(logic.Common, parts),
            st.builds(logic.Common, parts, group),
            st.builds(logic.Publicly, parts),
            st.builds(logic.Announcement, parts, parts),
        )
    return formula
