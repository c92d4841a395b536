"""Certificates as sentences, word for word."""

import re
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings

from solvers import (
    Certificate,
    CrossedBounds,
    CrowdedHand,
    DealProblem,
    Infeasible,
    SetConstraint,
    Shortage,
    TooManyCards,
    solve,
    verify,
)
from solvers.problem import players_in
from solvers.strategies import game_problems
from tests.sizes import examples

Rows = Sequence[Sequence[int]]


def one_set(
    owners: Rows,
    players: int = 3,
    low: Sequence[int] | None = None,
    high: Sequence[int] | None = None,
) -> SetConstraint:
    return SetConstraint.of(owners, players, low, high)


ALL = [0, 1, 2]
FOUR = one_set([ALL] * 4)
ONE_WITH_0 = one_set([ALL] * 4, low=[1, 0, 0])
NOTHING = one_set([])

EXAMPLES: list[tuple[DealProblem, Certificate, str]] = [
    (DealProblem([1, 1, 1], [FOUR]), TooManyCards(),
     "the hands hold 3 cards in all, but 4 cards must be dealt"),
    (DealProblem([2, 2, 1], [FOUR]), Shortage(0b111, (0b111,)),
     "the hands hold 5 cards in all, but only 4 cards can be dealt"),
    (DealProblem([2, 1, 1], [one_set([ALL] * 4, low=[2, 0, 0], high=[1, 4, 4])]),
     CrossedBounds(0, 0),
     "player 0 must hold at least 2 cards of set 0, but may hold at most 1"),
    (DealProblem([1, 5, 6], [ONE_WITH_0, FOUR, ONE_WITH_0]), CrowdedHand(0),
     "player 0 holds 1 card, but must hold at least 1 each of sets 0 and 2: 2 in all"),
    (DealProblem([1, 2, 1], [one_set([ALL] * 4, low=[2, 0, 0])]), CrowdedHand(0),
     "player 0 holds 1 card, but must hold at least 2 of set 0"),
    (DealProblem([3, 5, 4], [ONE_WITH_0, ONE_WITH_0, one_set([[0], [0], ALL, ALL])]),
     Shortage(0b110, (0b111, 0b111, 0b110)),
     "player 0 holds 3 cards, but must hold at least 1 each of sets 0 and 1, at least 2 of set "
     "2: 4 in all"),
    (DealProblem([6, 1, 1], [one_set([ALL] * 4, low=[0, 1, 1]), one_set([[0, 1]] * 3 + [[1]])]),
     Shortage(0b001, (0b111, 0b001)),
     "player 0 must hold 6 cards, but can have at most 2 of set 0 "
     "(players 1 and 2 each keep at least 1), at most 3 of set 1: 5 in all"),
    (DealProblem([3, 4, 1], [one_set([ALL] * 4, low=[0, 2, 1]), one_set([[1]] * 4)]),
     Shortage(0b001, (0b111, 0b001)),
     "player 0 must hold 3 cards, but can have at most 1 of set 0 "
     "(player 1 keeps at least 2 and player 2 keeps at least 1), none of set 1: 1 in all"),
    (DealProblem([3, 3, 2], [one_set([[1, 2]] * 4), one_set([[1, 2]] * 4)]),
     Shortage(0b001, (0b001, 0b001)),
     "player 0 must hold 3 cards, but can have none"),
    (DealProblem([3, 1, 0], [one_set([[0, 1], [0, 1], [1], [1]]), NOTHING]),
     Shortage(0b001, (0b001, 0b001)),
     "player 0 must hold 3 cards, but can have at most 2 of set 0"),
    (DealProblem([4, 3, 1], [one_set([ALL] * 4, high=[1, 1, 4]), FOUR]),
     Shortage(0b011, (0b000, 0b111)),
     "players 0 and 1 must hold 7 cards, but can have at most 2 of set 0 "
     "(players 0 and 1 may have at most 1 each), at most 4 of set 1: 6 in all"),
    (DealProblem([2, 1, 1], [one_set([[0, 1], [0, 1], [1], [1]], low=[0, 0, 1])]),
     Shortage(0b000, (0b100,)),
     "player 2 must hold at least 1 card of set 0, but can have none"),
    (DealProblem([2, 1, 1], [one_set([[0], [0], [0], [1, 2]], low=[0, 1, 1])]),
     Shortage(0b000, (0b110,)),
     "players 1 and 2 must hold at least 2 cards of set 0 "
     "(players 1 and 2 each keep at least 1), but can have only 1"),
    (DealProblem([2, 2, 0], [one_set([ALL] * 4, low=[2, 3, 0])]), Shortage(0b000, (0b111,)),
     "players 0 and 1 must hold at least 5 cards of set 0 "
     "(player 0 keeps at least 2 and player 1 keeps at least 3), but the set has only 4"),
    (DealProblem([2, 1, 1], [one_set([ALL, [], ALL, ALL])]), Shortage(0b111, (0b111,)),
     "nobody may own card 0/1"),
    (DealProblem([2, 1, 1], [one_set([[0, 1]] * 4, high=[0, 0, 4])]), Shortage(0b111, (0b100,)),
     "none of the 4 cards of set 0 can have an owner (players 0 and 1 may have none)"),
    (DealProblem([1, 0, 0], [one_set([[0, 1]], high=[0, 0, 1])]), Shortage(0b111, (0b100,)),
     "card 0/0 can have no owner (players 0 and 1 may have none)"),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "certificate", "sentence"), EXAMPLES)
def test_certificates(problem: DealProblem, certificate: Certificate, sentence: str) -> None:
    assert certificate.in_words(problem) == sentence
    assert verify(problem, Infeasible(certificate))


@given(game_problems((4, 4, 4)))
@settings(max_examples=examples(1000))
def test_a_crowded_player_must_hold_the_stated_minimum_of_each_set(problem: DealProblem) -> None:
    verdict = solve(problem)
    if not isinstance(verdict, Infeasible) or not isinstance(verdict.shortage, Shortage):
        return
    player, sentence = verdict.shortage.crowded_player(problem), verdict.shortage.in_words(problem)
    if player is None or f"player {player} holds" not in sentence:
        return
    pattern = r"at least (\d+)(?: each)? of sets? (\d+(?:(?:, | and )\d+)*)"
    minimums = {int(index): int(least) for least, sets in re.findall(pattern, sentence)
            for index in re.findall(r"\d+", sets)}  # fmt: skip
    for index, least in minimums.items():
        set_ = problem.sets[index]
        counts = [
            [owners.count(other) for other in range(problem.players)]
            for owners in product(*map(players_in, set_.owners))
        ]
        allowed = [
            count[player] for count in counts
            if all(a <= b <= c for a, b, c in zip(set_.low, count, set_.high, strict=True))
        ]  # fmt: skip
        assert all(count >= least for count in allowed)
    assert sum(minimums.values()) > problem.hands[player]
