"""Hypothesis strategies for formulas, and for public problems with a real deal.

@given(positions().flatmap(lambda position: st.tuples(st.just(position), formulas(position[0]))))
"""

from __future__ import annotations

from hypothesis import strategies as st

from quaternity.cards import Card
from quaternity.epistemic.formula import (
    FALSE,
    TRUE,
    And,
    Announced,
    Common,
    Distributed,
    Everywhere,
    Formula,
    Holds,
    Iff,
    Implies,
    Knows,
    Not,
    Or,
    Unknown,
)
from quaternity.epistemic.language import Language
from solvers.problem import DealProblem, SetConstraint
from solvers.verdict import Deal


@st.composite
def positions(
    draw: st.DrawFn, max_players: int = 4, max_sets: int = 3, max_set_size: int = 3
) -> tuple[DealProblem, Deal]:
    """A public problem of at least two players and one card, and the real deal it was made from."""
    players = draw(st.integers(2, max_players))
    sizes = draw(st.lists(st.integers(0, max_set_size), min_size=1, max_size=max_sets))
    sizes[0] = max(1, sizes[0])
    everybody = (1 << players) - 1
    hands = [0] * players
    sets, owner = [], []
    for size in sizes:
        deal = draw(st.lists(st.integers(0, players - 1), min_size=size, max_size=size))
        more = draw(
            st.lists(
                st.one_of(st.just(everybody), st.integers(0, everybody)),
                min_size=size,
                max_size=size,
            )
        )
        counts = [deal.count(player) for player in range(players)]
        for player, count in enumerate(counts):
            hands[player] += count
        low = [draw(st.integers(0, count)) if draw(st.booleans()) else 0 for count in counts]
        high = [draw(st.integers(c, size)) if draw(st.booleans()) else size for c in counts]
        owners = [1 << who | extra for who, extra in zip(deal, more, strict=True)]
        sets.append(SetConstraint(owners, low, high))
        owner.append(tuple(deal))
    return DealProblem(hands, sets), Deal(tuple(owner))


def formulas(language: Language, max_depth: int = 3) -> st.SearchStrategy[Formula]:
    """Formulas about players and cards that exist, at most so many operators deep."""
    players = st.integers(0, language.players - 1)
    cards = [
        Card(index, number) for index, size in enumerate(language.sizes) for number in range(size)
    ]
    atoms: list[st.SearchStrategy[Formula]] = [
        st.sampled_from([TRUE, FALSE]),
        st.builds(Unknown, players, players, st.integers(0, 3)),
    ]
    if cards:
        atoms.append(st.builds(Holds, players, st.sampled_from(cards)))
        atoms.append(st.builds(Holds, players, st.sampled_from(cards)))
    formula = st.one_of(atoms)
    for _ in range(max_depth):
        parts = formula
        several = st.lists(parts, min_size=2, max_size=3).map(tuple)
        group = st.lists(players, min_size=1, max_size=3, unique=True).map(tuple)
        formula = st.one_of(
            parts,
            st.builds(Knows, players, parts),
            st.builds(Knows, players, parts),
            st.builds(Not, parts),
            st.builds(And, several),
            st.builds(Or, several),
            st.builds(Implies, parts, parts),
            st.builds(Iff, parts, parts),
            st.builds(Distributed, group, parts),
            st.builds(Common, parts),
            st.builds(Everywhere, parts),
            st.builds(Announced, parts, parts),
        )
    return formula


__all__ = ["formulas", "positions"]
