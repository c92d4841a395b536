"""Consequences of a state: closing, counting, information, and reasons traced to moves."""

from math import log2
from random import Random

import pytest

from quaternity.base.errors import LimitError, NoDeal
from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.transition import problem_after
from quaternity.insight import analysis
from quaternity.insight.analysis import analyse, prospects
from quaternity.insight.explanation import explain, problem_of_moves
from solvers import DealProblem, SetConstraint, solve
from solvers.brute_force import deals
from solvers.counting import count_deals
from tests.agreement import agree
from tests.limits import limited

SMALL = [Settings(2, 3, 3), Settings(3, 2, 3), Settings(2, 4, 4), Settings(2, 2, 2)]


def play_randomly(settings: Settings, random: Random, moves: int) -> Game:
    """Return a game after some random moves."""
    game = Game.start(settings)
    for _ in range(moves):
        if game.state.is_over:
            break
        question, answers = random.choice(list(game.state.legal_questions.items()))
        game = game.ask(question, random.choice(answers))
    return game


@pytest.mark.parametrize("settings", SMALL, ids=str)
def test_analysis_agrees_with_enumeration(settings: Settings) -> None:
    random = Random(1)
    for _ in range(15):
        state = play_randomly(settings, random, random.randrange(8)).state
        result = analyse(state)
        all_deals = list(deals(state.problem))
        assert result.deals == len(all_deals)
        for index, constraint in enumerate(state.problem.sets):
            for card in range(constraint.size):
                owners = [deal.owner[index][card] for deal in all_deals]
                assert result.may_own[index][card] == tuple(sorted(set(owners)))
                assert result.chances[index][card] == pytest.approx(
                    [owners.count(player) / len(all_deals) for player in range(state.players)]
                )
            for player in range(state.players):
                held = [deal.owner[index].count(player) for deal in all_deals]
                assert result.counts[player][index] == (min(held), max(held))


def test_completed_sets_belong_to_their_owner() -> None:
    game = Game.start(Settings(2, 3, 3)).play(Move.parse("0 asks 1 for 0/1: yes"))
    result = analyse(game.state)
    assert result.may_own[0] == [(0,), (0,)]
    assert result.chances[0] == [[1.0, 0.0, 0.0]] * 2
    assert [row[0] for row in result.counts] == [(0, 0)] * 3


def test_an_impossible_state_is_not_analysed() -> None:
    start = State.start(Settings(2, 3, 3))
    crossed = SetConstraint((7, 7), (2, 2, 2), (2, 2, 2))
    state = State(start.problem.with_set(0, crossed), 0, start.completed, 2)
    with pytest.raises(NoDeal, match="players 0, 1 and 2 must hold at least 6 cards of set 0"):
        analyse(state)


@pytest.mark.parametrize("settings", SMALL, ids=str)
def test_prospects_agree_with_enumeration(settings: Settings) -> None:
    random = Random(2)
    for _ in range(10):
        state = play_randomly(settings, random, random.randrange(6)).state
        all_deals = list(deals(state.problem))
        results = prospects(state)
        assert sum(len(prospect.group.cards) for prospect in results) == len(state.legal_questions)
        assert results == sorted(results, key=lambda prospect: -prospect.bits)
        for prospect in results:
            asked, index, cards, answers = prospect.group
            able = [
                deal.owner[index]
                for deal in all_deals
                if deal.owner[index][cards[0]] != state.turn and state.turn in deal.owner[index]
            ]
            yes = sum(owner[cards[0]] == asked for owner in able)
            assert (prospect.after_yes, prospect.after_no) == (yes, len(able) - yes)
            assert (bool(prospect.after_no), bool(prospect.after_yes)) == (
                Answer.NO in answers, Answer.YES in answers
            )  # fmt: skip
            assert prospect.before == len(all_deals)
            assert prospect.chance_of_yes == pytest.approx(yes / len(able))
            assert prospect.bits_of_asking == pytest.approx(log2(len(all_deals) / len(able)))
            # The deals that allow the question are equally likely, and split into two parts.
            left = [log2(part) for part in (yes, len(able) - yes) for _ in range(part)]
            assert prospect.bits == pytest.approx(log2(len(all_deals)) - sum(left) / len(able))


@pytest.mark.parametrize("limited", [False, True])
def test_prospects_are_counts_of_the_problems_after_answers(
    limited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> list[int]:
        raise LimitError("too many count vectors")

    if limited:
        monkeypatch.setattr(analysis, "count_deals_given", refuse)
    random = Random(5)
    for _ in range(4):
        state = play_randomly(Settings(4, 6, 4), random, random.randrange(5, 25)).state
        for prospect in prospects(state):
            assert state.turn is not None
            asked, index, cards, answers = prospect.group
            no, yes = (
                count_deals(
                    problem_after(state.problem, state.turn, asked, index, cards[-1], answer)
                )
                for answer in Answer
            )
            assert (prospect.after_no, prospect.after_yes) == (no, yes)
            assert [answer for answer, deals in zip(Answer, (no, yes), strict=True) if deals] == [
                *answers
            ]


@pytest.mark.parametrize("settings", [*SMALL, Settings(4, 3, 3), Settings(4, 6, 3)], ids=str)
def test_all_moves_together_state_what_the_state_does(settings: Settings) -> None:
    random = Random(3)
    for _ in range(15):
        game = play_randomly(settings, random, random.randrange(25))

        def as_known(game: Game = game) -> int:
            return count_deals(problem_of_moves(game, range(len(game.moves))))

        def as_state(game: Game = game) -> int:
            return count_deals(game.state.problem)

        agree({"moves": as_known, "state": as_state})


@pytest.mark.parametrize("settings", [*SMALL, Settings(4, 3, 3), Settings(4, 6, 4)], ids=str)
def test_fewer_moves_never_state_more(settings: Settings) -> None:
    """Minimal lists rely on this: more moves leave fewer places for cards and receipts."""
    random = Random(8)
    for _ in range(40):
        game = play_randomly(settings, random, random.randrange(1, 30))
        moves = range(len(game.moves))
        more = {move for move in moves if random.random() < 0.8}
        for chosen in (set(moves), more):
            fewer = {move for move in chosen if random.random() < 0.5}
            known, weaker = problem_of_moves(game, chosen), problem_of_moves(game, fewer)
            assert known.hands == weaker.hands
            for set_, looser in zip(known.sets, weaker.sets, strict=True):
                assert all(a & b == a for a, b in zip(set_.owners, looser.owners, strict=True))
                assert all(a >= b for a, b in zip(set_.low, looser.low, strict=True))


def claim(problem: DealProblem, question: Question, answer: Answer) -> DealProblem:
    asker, asked, (set_index, number) = question
    return problem_after(problem, asker, asked, set_index, number, answer)


@pytest.mark.parametrize(
    ("settings", "moves", "question", "answer", "shorter"),
    [
        (Settings(3, 2, 3),
         ("0 asks 2 for 0/0: no", "2 asks 1 for 1/0: no", "1 asks 2 for 1/0: no"),
         Question(2, 0, Card(1, 1)), Answer.YES, (2,)),
        (Settings(2, 3, 3),
         ("0 asks 2 for 1/0: no", "2 asks 0 for 0/0: yes", "2 asks 1 for 2/1: yes"),
         Question(1, 0, Card(1, 1)), Answer.NO, (0,)),
    ],
    ids=["oldest moves left out first", "newest moves left out first"],
)  # fmt: skip
def test_the_shorter_of_two_minimal_lists_is_chosen(
    settings: Settings,
    moves: tuple[str, ...],
    question: Question,
    answer: Answer,
    shorter: tuple[int, ...],
) -> None:
    """The other two moves also forbid the answer, but only together."""
    game = Game.start(settings)
    for text in moves:
        game = game.play(Move.parse(text))
    explanation = explain(game, question, answer)
    assert explanation is not None
    assert explanation.moves == shorter
    longer = {0, 1, 2} - set(shorter)
    assert not solve(claim(problem_of_moves(game, longer), question, answer))
    for move in longer:
        assert solve(claim(problem_of_moves(game, {move}), question, answer))


@pytest.mark.parametrize("settings", [Settings(2, 3, 3), Settings(4, 6, 4)], ids=str)
def test_many_moves_are_left_out_at_once_with_the_same_result(settings: Settings) -> None:
    random = Random(6)
    explained = 0
    while explained < 20:
        game = play_randomly(settings, random, random.randrange(1, 30))
        legal = list(game.state.legal_questions.items())
        forced = [(question, answers[0]) for question, answers in legal if len(answers) == 1]
        if not forced:
            continue
        question, answer = random.choice(forced)

        def impossible(
            chosen: set[int], game: Game = game, question: Question = question,
            answer: Answer = Answer(not answer),
        ) -> bool:  # fmt: skip
            return not solve(claim(problem_of_moves(game, chosen), question, answer))

        lists = []
        moves = range(len(game.moves))
        for order in (moves, moves[::-1]):
            needed = set(moves)
            for move in order:
                if impossible(needed - {move}):
                    needed.remove(move)
            lists.append(tuple(sorted(needed)))
        explanation = explain(game, question, Answer(not answer))
        assert explanation is not None
        assert explanation.moves == min(lists, key=len)
        explained += 1


def test_long_games_are_explained_by_a_few_moves() -> None:
    game = Game.start(Settings(4, 3, 3))
    first, second = Move.parse("0 asks 1 for 0/0: no"), Move.parse("1 asks 0 for 0/0: no")
    states = [game.state, game.play(first).state, game.play(first).play(second).state]
    rounds = 1_000
    game = Game(
        game.settings,
        (first, second) * rounds,
        (states[0], states[1], *(states[2], states[1]) * (rounds - 1), states[2]),
    )
    explanation = explain(game, Question(0, 1, Card(0, 0)), Answer.YES)
    assert explanation is not None
    assert len(explanation.moves) == 1


def test_a_repeated_position_is_noticed() -> None:
    game = Game.start(Settings(4, 3, 3))
    for move in (
        "0 asks 1 for 0/0: no", "1 asks 0 for 0/0: no", "0 asks 1 for 0/0: no",
        "1 asks 0 for 0/0: no",
    ):  # fmt: skip
        game = game.play(Move.parse(move))
    assert game.undo().repeats() is None
    assert game.repeats() == 2


def test_a_state_shows_itself_in_a_notebook() -> None:
    game = Game.start(Settings(2, 3, 3)).play(Move.parse("0 asks 1 for 0/1: yes"))
    html = game.state._repr_html_()
    assert "player 0 (to move): 1 card, 1 point" in html
    assert 'colspan="2"' in html
    assert repr(game.state) == ("<State 2-3-3, turn 0, hands [1, 1, 2], completed set 0: player 0>")


def test_a_notebook_shows_why_a_state_is_impossible_or_not_deduced() -> None:
    start = State.start(Settings(2, 13, 13))
    crossed = SetConstraint((8191, 8191), (1,) * 3 + (0,) * 10, (2,) * 13)
    state = State(start.problem.with_set(0, crossed), 0, start.completed, 2)
    html = state._repr_html_()
    assert "impossible: players 0, 1 and 2 must hold at least 3 cards of set 0" in html
    assert "impossible" not in start._repr_html_()
    with limited("solvers.flow_filtering", MAX_STEPS=10):
        html = start._repr_html_()
        assert "impossible" not in html
        assert (
            "only stated facts are shown, without conclusions: "
            "filtering by flow searched more arcs than the limit of 10" in html
        )
