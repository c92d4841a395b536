"""Games of Kwartet, played step by step by Hypothesis beside all deals that fit the history."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from quaternity.epistemic import H, K
from quaternity.errors import IllegalMove
from quaternity.game.cards import Card
from quaternity.game.question import Move, Question
from quaternity.kwartet import KwartetGame
from quaternity.kwartet.chances import chance_of
from quaternity.kwartet.log import parse_any_log, parse_log, seat_log_text
from quaternity.kwartet.partial_problem import stated_by
from quaternity.kwartet.played import seat_log_of
from quaternity.kwartet.queries import moment, truth_at
from quaternity.kwartet.rules import KwartetPosition
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from solvers import Deal as SolverDeal
from solvers import deal_faults
from solvers.brute_force import deals
from tests.kwartet.replay import Cards, Deal, Rules, Seen, after, all_deals, at_deal, full_sets
from tests.sizes import examples
from tests.table.machine import TableMachine

SHAPES = [(2, 2, 3, 0), (2, 2, 4, 0), (3, 3, 2, 0), (3, 2, 3, 0), (2, 3, 2, 0), (4, 2, 3, 0),
          (2, 2, 3, 2), (3, 2, 3, 1), (2, 4, 2, 2), (2, 2, 2, 2)]  # fmt: skip
"""Players, sets, cards in a set and cards aside, with at most 560 deals at the start."""


def words(cards: Cards) -> list[str]:
    return [f"{index}/{number}" for index, number in sorted(cards)]


@dataclass(frozen=True)
class KwartetModel:
    """The real deal, and all deals that fit what was said."""

    settings: KwartetSettings
    record: str
    deal: Deal
    worlds: frozenset[Deal]
    turn: int
    removed: tuple[int | None, ...]
    seen: tuple[Seen, ...] = ()

    @property
    def rules(self) -> Rules:
        s = self.settings
        return Rules(s.players, s.sets, s.set_size, s.at_once, s.own_card_requests)

    @classmethod
    def start(
        cls, given: KwartetSettings, order: list[int], extra: int
    ) -> KwartetModel:
        """Return the model after the deal of cards in a given order."""
        sizes, deal = given.hand_sizes(extra), []
        for start in [sum(sizes[:hand]) for hand in range(len(sizes))]:
            cards = order[start : start + sizes[len(deal)]]
            deal.append(frozenset(divmod(card, given.set_size) for card in cards))
        ...
