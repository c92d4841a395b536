"""Games of Kwartet, played step by step by Hypothesis beside all deals that fit the history."""

from __future__ import annotations

from contextlib import nullcontext
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from quaternity.base.text_format import with_noun
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
from quaternity.kwartet.rules import ended_text
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from tests.kwartet.plain_hands import by_solver, parse_request, rules_of
from tests.kwartet.replay import Cards, after
from tests.kwartet.worlds import KwartetModel
from tests.sizes import thorough
from tests.table.machine import TableMachine

SHAPES = [(2, 2, 3, 0), (2, 2, 4, 0), (3, 3, 2, 0), (3, 2, 3, 0), (4, 2, 3, 0), (2, 2, 3, 1),
          (2, 2, 3, 2), (3, 2, 3, 1), (2, 2, 4, 1), (3, 2, 4, 0)]  # fmt: skip
"""Players, sets, cards in a set and cards aside, with at most 560 deals at the start."""


@st.composite
def starts(draw: st.DrawFn) -> list[KwartetModel]:
    players, sets, size, aside = draw(st.sampled_from(SHAPES))
    kind = KwartetSettings(
        players, sets, draw(st.sampled_from(AnnounceTiming)), draw(st.booleans()), size, aside,
        draw(st.none() | st.integers(1, 20)),
    )  # fmt: skip
    order = draw(st.permutations(range(kind.cards)))
    return [KwartetModel.start(kind, order, draw(st.integers(0, players - 1)))]


class KwartetMachine(TableMachine):
    """The rules of Kwartet and the possible deals play the same game."""

    kind = KwartetGame
    starts = starts()
    max_opening = 8

    @staticmethod
    def move_of(text: str) -> Question:
        return Question.parse(text)

    @invariant()
    def the_possible_deals_are_those_that_fit_the_history(self) -> None:
        assert by_solver(self.game.view().problem) == self.model.worlds

    @invariant()
    def the_end_has_a_reason(self) -> None:
        reason = "no requests are left" if self.model.left == 0 else "nobody can ask"
        if None not in self.model.removed:
            reason = "all sets are put down"
        if not self.model.acting:
            assert ended_text(self.game.position.position.public) == reason

    @invariant()
    def requests_are_left_only_if_their_number_is_limited(self) -> None:
        left, text = self.model.left, self.game.rules.show(self.game.view())
        if left is not None:
            assert f"{with_noun(left, 'request')} left" in text
        assert ("left" in text) == (left is not None)

    @rule(data=st.data())
    def a_seat_knows_what_holds_in_all_its_deals(self, data: st.DataObject) -> None:
        """Compare a seat's deals, chances, and knowledge about knowledge."""
        model, kind = self.model, self.model.settings
        seat, other = (data.draw(st.integers(0, kind.players - 1)) for _ in range(2))
        view, worlds = self.game.view(seat), model.worlds_of(seat)
        assert by_solver(view.problem) == worlds
        cards = sorted(frozenset().union(*model.deal))
        if not cards:
            return
        card, hand = data.draw(st.sampled_from(cards)), data.draw(st.integers(0, kind.hands - 1))
        holds = {world: card in world[hand] for world in worlds}
        question = Question(seat, hand, Card(*card))
        assert chance_of(view, question) == Fraction(sum(holds.values()), len(worlds))
        by_hand: dict[Cards, list[bool]] = {}
        for world in model.worlds:
            by_hand.setdefault(world[other], []).append(card in world[hand])
        known = {world: all(by_hand[world[other]]) for world in worlds}
        log, claim = parse_log(model.record), H(hand, Card(*card))
        for formula, truths in ((claim, holds), (K(other, claim), known)):
            truth = truth_at(formula, moment(log, len(log.events), seat)).truth
            assert truth == (None if len({*truths.values()}) == 2 else truths[model.deal])

    @rule(data=st.data())
    def a_seats_log_has_its_views_and_accepts_what_fits_a_deal(self, data: st.DataObject) -> None:
        model, kind = self.model, self.model.settings
        seat = data.draw(st.sampled_from((None, *range(model.seats))))
        whole = parse_log(model.record)
        assert whole.positions == tuple(position.position for position in self.game.positions)
        log = seat_log_of(whole, seat)
        assert parse_any_log(seat_log_text(log)) == log == SeatLog.of_view(self.game.view(seat))
        views = tuple(self.game.rules.view(position, seat) for position in self.game.positions)
        assert log.views == views == SeatLog.of_view(views[-1]).views
        possible = model.public_moves()
        asked = data.draw(st.sampled_from(possible) if possible else model.any_move())
        sets, rules, worlds = range(kind.sets), rules_of(kind), model.worlds_of(seat)
        for answer, count in product(("yes", "no"), range(3)):
            for down in combinations(sets, count):
                move = Move.parse(f"{asked}: {answer}")
                request = parse_request(asked)._replace(success=answer == "yes", announced=down)
                fits = asked in possible and any(after(world, request, rules) for world in worlds)
                with nullcontext() if fits else pytest.raises(IllegalMove):
                    following = log.after(move.question, move.answer, down)
                    assert following.without_last() == log != following

    @precondition(lambda self: self.game.moves)
    @rule(data=st.data())
    def requests_state_the_problem(self, data: st.DataObject) -> None:
        """All requests state the deals that fit the history; fewer requests allow more deals."""
        events = self.game.position.events
        start = self.game.positions[0].position.public
        chosen = data.draw(st.sets(st.integers(0, len(events) - 1)))
        assert by_solver(stated_by(start, events, chosen)) >= self.model.worlds
        every = range(len(events))
        assert stated_by(start, events, every) == self.game.view().problem


KwartetMachine.TestCase.settings = settings(max_examples=thorough(30, 1100), stateful_step_count=20)
TestGames = KwartetMachine.TestCase
