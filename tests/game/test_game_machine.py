"""Whole games, played step by step by Hypothesis, with all laws checked after every step."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from quaternity import Settings, State
from solvers import SOLVERS, Feasible, verify
from solvers.brute_force import deals
from tests.game.worlds import World, Worlds
from tests.sizes import examples

SIZES = [(2, 2, 2), (3, 2, 2), (2, 3, 2), (2, 3, 3), (3, 3, 3), (3, 2, 3)]
"""Sizes with at most 1680 deals at the start."""


def worlds_of(state: State) -> frozenset[World]:
    """Return the deals of a state's problem, with completed sets filled in."""
    return frozenset(
        tuple(
            owner
            for cards, done in zip(deal.owner, state.completed, strict=True)
            for owner in (cards if done is None else (done,) * state.set_size)
        )
        for deal in deals(state.problem)
    )


class GameMachine(RuleBasedStateMachine):
    """The engine and a brute-force model play the same game."""

    @initialize(size=st.sampled_from(SIZES), brisk=st.booleans())
    def begin(self, size: tuple[int, int, int], brisk: bool) -> None:
        self.start(size, brisk)

    def start(self, size: tuple[int, int, int], brisk: bool) -> None:
        game = Settings(*size, brisk=brisk)
        self.state = State.start(game)
        self.worlds = Worlds.start(game)
        self.cards = game.sets * game.set_size

    @precondition(lambda self: self.state.is_over)
    @rule(size=st.sampled_from(SIZES), brisk=st.booleans())
    def start_again(self, size: tuple[int, int, int], brisk: bool) -> None:
        self.start(size, brisk)

    @precondition(lambda self: not self.state.is_over)
    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        legal = list(self.state.legal_questions.items())
        assert legal, f"player {self.state.turn} has nothing to ask"
        question, answers = data.draw(st.sampled_from(legal))
        answer = data.draw(st.sampled_from(answers))
        self.state = self.state.after(question, answer)
        self.worlds = self.worlds.after(question, answer)

    @invariant()
    def the_state_is_possible(self) -> None:
        verdict = self.state.verdict()
        assert isinstance(verdict, Feasible)
        assert verify(self.state.problem, verdict)

    @invariant()
    def every_card_is_somewhere(self) -> None:
        put_down = self.state.set_size * sum(self.state.points)
        assert sum(self.state.hands) + put_down == self.cards
        assert sum(self.state.points) == sum(owner is not None for owner in self.state.completed)

    @invariant()
    def the_deals_are_those_that_fit_the_history(self) -> None:
        assert worlds_of(self.state) == self.worlds.possible

    @invariant()
    def the_rest_of_the_state_follows_from_the_deals(self) -> None:
        assert self.state.completed == self.worlds.completed_sets()
        assert self.state.hands == self.worlds.hands()
        assert self.state.turn == self.worlds.turn

    @invariant()
    def legal_questions_by_three_ways(self) -> None:
        by_tables = dict(self.state.legal_questions.items())
        by_flow = dict(self.state.legal_questions_by(SOLVERS["max-flow"]).items())
        assert by_tables == by_flow == self.worlds.legal()
        assert bool(by_tables) != self.state.is_over


GameMachine.TestCase.settings = settings(max_examples=examples(50), stateful_step_count=20)
TestGames = GameMachine.TestCase
