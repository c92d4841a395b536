"""Why a formula has its truth value at a deal, as a case: more deals where it has the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quaternity.epistemic.evaluator import Said
from quaternity.epistemic.formula import (
    Announced,
    Common,
    Constant,
    Distributed,
    Everywhere,
    Formula,
    Holds,
    Iff,
    Knows,
    Unknown,
)
from quaternity.epistemic.propositional import Case, effort, merged, unfolded
from quaternity.game.cards import Card
from solvers.problem import mask_of
from solvers.verdict import Deal


def case_around(
    formula: Formula,
    truth: bool,
    deal: Deal,
    said: Said,
    true_at: Callable[[Formula, Deal, Said], bool],
) -> Case:
    """A case that holds a deal, in all of whose deals a formula has the truth value it has there.

    It speaks of the cards that atoms name, and of whole hands for what their players know.

    Args:
        truth: the truth value of the formula at the deal.
        true_at: evaluates a formula at a deal.
    """
    match formula:
        case Holds(player, card):
            if card.number >= len(deal.owner[card.set_index]):
                return {}  # out of play: nobody holds it in any deal
            mask = 1 << player
            return {card: mask if truth else ~mask}
        case Constant() | Everywhere():
            return {}
        case Iff(first, second):
            sides = [(part, true_at(part, deal, said)) for part in (first, second)]
            cases = [case_around(part, value, deal, said, true_at) for part, value in sides]
            return merged(cases[0], cases[1])
        case Announced(announcement, then):
            if truth and not true_at(announcement, deal, said):
                return case_around(announcement, False, deal, said, true_at)
            return merged(
                case_around(announcement, True, deal, said, true_at),
                case_around(then, truth, deal, (*said, announcement), true_at),
            )
        case Knows(player, _) | Unknown(player, _, _):
            return hands_of((player,), deal)
        case Distributed(players, _):
            return hands_of(players, deal)
        case Common():
            return hands_of((0,), deal)
        case _:
            needed = unfolded(formula, truth)
            assert needed is not None
            right = (
                (part, wish)
                for part, wish in sorted(needed[1], key=effort)
                if needed[0] or true_at(part, deal, said) == wish
            )
            case: Case = {}
            for part, wish in right:
                case = merged(case, case_around(part, wish, deal, said, true_at))
                if not needed[0]:
                    break
            return case


def hands_of(players: Sequence[int], deal: Deal) -> Case:
    """The deals in which some players hold what they hold in a deal."""
    return {
        Card(index, number): 1 << who if who in players else ~mask_of(players)
        for index, owner in enumerate(deal.owner)
        for number, who in enumerate(owner)
    }


__all__ = ["case_around", "hands_of"]
