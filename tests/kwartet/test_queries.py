"""Answers about formulas for a seat: reasons are sufficient, minimal and true."""

from __future__ import annotations

from random import Random

import pytest

from quaternity.epistemic import EvaluationMethod, Formula, H, K, Kw, M, evaluate
from quaternity.epistemic.deal_text import compare_deals, differing_deals, hand_lines
from quaternity.epistemic.explanation import FormulaExplanation
from quaternity.epistemic.formula import Knows, negation
from quaternity.epistemic.needed_requests import is_knowledge
from quaternity.epistemic.seat_truth import SeatTruth, after_announcements
from quaternity.game.cards import Card
from quaternity.kwartet.log import parse_log
from quaternity.kwartet.partial_problem import stated_by
from quaternity.kwartet.played import seat_log_of
from quaternity.kwartet.queries import (
    QueryContext,
    answer_text,
    moment,
    read_formula,
    reason_at,
    truth_at,
)
from quaternity.kwartet.settings import KwartetSettings
from solvers import Deal, DealProblem
from tests.epistemic.test_explanation import check_sentences
from tests.kwartet.games import random_log, random_settings
from tests.sizes import thorough


def random_formula(random: Random, at: QueryContext, depth: int) -> Formula:
    """Return a random formula about a card in play: its owner, and knowledge about it."""
    sets = [index for index, gone in enumerate(at.public.removed) if gone is None]
    players, size = at.public.settings.players, at.public.settings.set_size
    formula: Formula = H(
        random.randrange(at.public.settings.hands),
        Card(random.choice(sets), random.randrange(size)),
    )
    for _ in range(depth):
        formula = random.choice((K, Kw, M))(random.randrange(players), formula)
        formula = random.choice((formula, ~formula))
    return formula


def check_why(formula: Formula, at: QueryContext) -> int | None:
    """Check an answer and its reason. Return the number of requests in the reason, if stated."""
    answer = truth_at(formula, at, why=True)
    public, seat, size = at.public.problem, at.seat, at.public.settings.set_size
    if answer.truth is None:
        for deal, truth in zip(answer.deals, (True, False), strict=True):
            assert (
                not evaluate(
                    ~after_announcements(at.announcements, at.announcements[-1]), public, deal
                )
                if at.announcements
                else True
            )
            assert (
                evaluate(
                    after_announcements(at.announcements, formula),
                    public,
                    deal,
                    EvaluationMethod.EXPLICIT,
                )
                is truth
            )
        return None
    why = reason_at(formula, answer, at, "auto", 60)
    real = answer.deals[0] if at.deal is None else at.deal
    claim = after_announcements(at.announcements, formula if answer.truth else negation(formula))
    if at.deal is None:
        assert seat is not None
        claim = Knows(seat, claim)
    # If all hands are visible, only knowledge can follow from requests.
    stated = is_knowledge(claim) and (answer.truth is True or at.deal is None)
    assert (why.requests is not None) == stated
    if why.requests is None:
        assert isinstance(answer.why, FormulaExplanation)
        shown = why.lines[: len(answer.why.lines)], why.deals  # a line about the pile may follow
        assert shown == (answer.why.lines, answer.why.deals)
        check_sentences(
            answer.why,
            lambda formula, deal: evaluate(
                formula, public, deal, EvaluationMethod.EXPLICIT, 60, size
            ),
        )
        return None
    assert why.requests.minimal
    assert why.requests.explanation is not None

    def implies(numbers: set[int]) -> bool:
        return evaluate(claim, problem_of(numbers), real, EvaluationMethod.EXPLICIT, 60, size)

    def problem_of(numbers: set[int]) -> DealProblem:
        return stated_by(at.start, at.events, numbers)

    numbers = set(why.requests.requests)
    assert implies(numbers)
    others = sorted({*range(len(at.events))} - numbers)
    for last in others:  # additional requests do not change the answer
        assert implies(numbers | {other for other in others if other <= last})
    assert not any(implies(numbers - {number}) for number in numbers)
    check_sentences(
        why.requests.explanation,
        lambda formula, deal: evaluate(
            formula, problem_of(numbers), deal, EvaluationMethod.EXPLICIT, 60, size
        ),
    )
    # A claim about none of the listed deals must hold in all that the seat considers possible.
    for part in why.requests.explanation.claims:
        if part.deal not in why.deals and seat is not None:
            known = Knows(seat, after_announcements(part.announcements, part.formula))
            problem = problem_of(numbers)
            assert evaluate(known, problem, real, EvaluationMethod.EXPLICIT, 60, size), part
    listed = [line for line in why.lines if line.startswith("  ") and line.strip()[:1].isdigit()]
    assert len(listed) == len(numbers)
    for line, number in zip(listed, sorted(numbers), strict=True):
        event = at.events[number]
        assert line.startswith(f"  {number + 1}. {event.question}: ")
        assert line.count("puts down") == len(event.announced)
    return len(numbers)


@pytest.mark.parametrize("supposing", [False, True])
@pytest.mark.parametrize("seed", range(thorough(12, 60)))
def test_reasons_are_sufficient_minimal_and_true(seed: int, supposing: bool) -> None:
    random = Random(f"why/{seed}")
    log = random_log(random_settings(random, range(3, 4), range(2, 4), max_cards=12), random, 8)
    if log.positions[-1].public.is_over:
        return
    for seat in (random.randrange(3), None):
        at = moment(log, len(log.events), seat)
        if supposing:
            announcement = random_formula(random, at, random.randrange(2))
            if truth_at(announcement, at).truth is False:
                announcement = ~announcement
            at = at._replace(announcements=(announcement,))
        rest = [
            check_why(random_formula(random, at, depth), at)
            for depth in (0, 0, 0, 0, 1, 1, 2, 2, 3)
        ]
        assert supposing or seat is None or any(count is not None for count in rest)


def test_a_reason_repeats_which_sets_a_request_put_down() -> None:
    log = parse_log(
        "kwartet 1\nplayers 3\nsets 4\nset-size 2\nannounce after-own-request\n"
        "own-card-requests no\nhand 0: 0/0 0/1 1/0\nhand 1: 2/0 2/1 3/0\nhand 2: 1/1 3/1\n"
        "0 asks 1 for 1/1: no\n0 puts down 0\n"
    )
    assert check_why(H(0, Card(1, 0)), moment(log, 1, 1)) == 1


def test_a_sentence_says_who_knows_it() -> None:
    log = random_log(KwartetSettings(3, 3), Random(2), 8)
    everybody = seat_log_of(log, None)
    formula = H(0, Card(0, 0))
    for step in range(len(log.events) + 1):
        for truth, word in ((True, "true"), (False, "false")):
            answer = SeatTruth(truth)
            for at, words in (
                (moment(log, step), "as the cards lie, F is"),
                (moment(log, step, 1), "you know that F is"),
                (moment(everybody, step), "everybody knows that F is"),
            ):
                assert answer_text("F", formula, answer, at) == f"{words} {word}"
        for at, words in (
            (moment(log, step, 1), "you do not know whether F"),
            (moment(everybody, step), "the record does not show whether F"),
        ):
            assert answer_text("F", formula, SeatTruth(None), at).startswith(words)


def test_a_deal_has_a_line_for_each_hand_and_one_for_cards_aside() -> None:
    for deal, lines in (
        (Deal(((0, 0, 1), (1, 1, 0))), ["player 0: 0/0 0/1 1/2", "player 1: 0/2 1/0 1/1"]),
        (Deal(((2, 0, 2),)), ["player 0: 0/1", "player 1: no cards", "aside: 0/0 0/2"]),
    ):
        assert [*hand_lines(deal, 2)] == lines


def test_two_deals_are_side_by_side_if_they_fit() -> None:
    first, second = Deal(((0, 0, 1), (1, 1, 0))), Deal(((0, 1, 0), (1, 1, 0)))
    heads = ("really", "deal 1")
    assert list(compare_deals(first, second, 3, heads)) == [
        "          really        deal 1",
        "player 0  0/0 0/1* 1/2  0/0 0/2* 1/2",
        "player 1  0/2* 1/0 1/1  0/1* 1/0 1/1",
        "player 2",
        "0/1: player 0, on the right player 1",
        "0/2: player 1, on the right player 0",
    ]
    assert list(compare_deals(first, second, 3, heads, 30)) == [
        "player 0  really  0/0 0/1* 1/2",
        "          deal 1  0/0 0/2* 1/2",
        "player 1  really  0/2* 1/0 1/1",
        "          deal 1  0/1* 1/0 1/1",
        "player 2  really  no cards",
        "          deal 1  no cards",
        "0/1: player 0, deal 1: player 1",
        "0/2: player 1, deal 1: player 0",
    ]
    assert max(map(len, compare_deals(first, second, 3, heads, 24))) <= 34
    assert next(differing_deals((first, second), 3)).endswith("false in the deal on the right:")
    assert next(differing_deals((first, second), 3, 30)).endswith("false in the second:")


def test_formulas_with_counts_do_not_claim_that_no_request_mattered() -> None:
    log = random_log(KwartetSettings(3, 3), Random(1))
    hands, points = log.states[-1].hands, log.states[-1].points
    assert hands[0] != log.states[0].hands[0]
    for text, is_counted in (
        (f"cards(0) = {hands[0]}", True),
        (f"points(0) = {points[0]} & cards(0) < 5", True),
        ("points(0) >= 0", False),
    ):
        at = moment(log, len(log.events), 0)
        formula = read_formula(text, at)
        answer = truth_at(formula, at, why=True)
        why = reason_at(formula, answer, at, "auto", 60, text)
        assert (why.requests is None) == is_counted
        assert why.lines[0].startswith("the formula contains numbers") == is_counted
