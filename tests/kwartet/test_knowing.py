"""What a seat is told of formulas, and why: enough, minimal, and every sentence true."""

from __future__ import annotations

from random import Random

import pytest

from quaternity.epistemic import Formula, H, K, Kw, M, Method, holds
from quaternity.epistemic.explanation import FormulaExplanation
from quaternity.epistemic.formula import Knows, negation
from quaternity.epistemic.seen_truth import SeenTruth, announced
from quaternity.epistemic.two_deals import beside, hand_lines, other_deals
from quaternity.game.cards import Card
from quaternity.kwartet.knowing import Moment, moment, read_formula, told_text, truth_at, why_at
from quaternity.kwartet.played import seen_by
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.stated import stated_by
from solvers import Deal, DealProblem
from tests.epistemic.test_explanation import check_sentences
from tests.kwartet.games import random_log, random_settings
from tests.sizes import thorough


def random_formula(random: Random, at: Moment, depth: int) -> Formula:
    """About a card in play: who has it, who knows, and who knows that."""
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


def check_why(formula: Formula, at: Moment) -> int | None:
    """Fails unless what is told is so; how many requests it rests on, where that is told."""
    found = truth_at(formula, at, why=True)
    public, seat, size = at.public.problem, at.seat, at.public.settings.set_size
    assert seat is not None
    if found.truth is None:
        for deal, truth in zip(found.deals, (True, False), strict=True):
            assert not holds(~announced(at.said, at.said[-1]), public, deal) if at.said else True
            assert holds(announced(at.said, formula), public, deal, Method.EXPLICIT) is truth
        return None
    why = why_at(formula, found, at, "auto", 60)
    if why.requests is None:  # somebody does not know something, whatever was said
        assert isinstance(found.why, FormulaExplanation)
        shown = why.lines[: len(found.why.lines)], why.deals  # the pile may be named after them
        assert shown == (found.why.lines, found.why.deals)
        check_sentences(
            found.why,
            lambda formula, deal: holds(formula, public, deal, Method.EXPLICIT, 60, size),
        )
        return None
    assert why.requests.minimal
    assert why.requests.explanation is not None
    claim = Knows(seat, announced(at.said, formula if found.truth else negation(formula)))

    def is_so(chosen: set[int]) -> bool:
        return holds(claim, stated(chosen), found.deals[0], Method.EXPLICIT, 60, size)

    def stated(chosen: set[int]) -> DealProblem:
        return stated_by(at.start, at.events, chosen)

    chosen = set(why.requests.requests)
    assert is_so(chosen)
    others = sorted({*range(len(at.events))} - chosen)
    for one in others:  # whatever else is heard does not undo it
        assert is_so(chosen | {other for other in others if other <= one})
    assert not any(is_so(chosen - {one}) for one in chosen)
    check_sentences(
        why.requests.explanation,
        lambda formula, deal: holds(formula, stated(chosen), deal, Method.EXPLICIT, 60, size),
    )
    # What is said of no deal that is named must be so in all that the seat holds possible.
    for one in why.requests.explanation.claims:
        if one.deal not in why.deals:
            told = Knows(seat, announced(one.said, one.formula))
            assert holds(told, stated(chosen), found.deals[0], Method.EXPLICIT, 60, size), one
    listed = [line for line in why.lines if line.startswith("  ") and line.strip()[:1].isdigit()]
    assert len(listed) == len(chosen)
    for line, number in zip(listed, sorted(chosen), strict=True):
        assert line.startswith(f"  {number + 1}. {at.events[number].question}: ")
    return len(chosen)


@pytest.mark.parametrize("supposing", [False, True])
@pytest.mark.parametrize("seed", range(thorough(12, 60)))
def test_reasons_are_enough_minimal_and_true(seed: int, supposing: bool) -> None:
    random = Random(f"why/{seed}")
    log = random_log(random_settings(random, range(3, 4), range(2, 4), most_cards=12), random, 8)
    if log.positions[-1].public.is_over:
        return
    at = moment(log, len(log.events), random.randrange(3))
    if supposing:
        said = random_formula(random, at, random.randrange(2))
        if truth_at(said, at).truth is False:
            said = ~said
        at = at._replace(said=(said,))
    rest = [
        check_why(random_formula(random, at, depth), at) for depth in (0, 0, 0, 0, 1, 1, 2, 2, 3)
    ]
    assert supposing or any(one is not None for one in rest)


def test_a_sentence_says_who_knows_it() -> None:
    log = random_log(KwartetSettings(3, 3), Random(2), 8)
    everybody = seen_by(log, None)
    formula = H(0, Card(0, 0))
    for step in range(len(log.events) + 1):
        for truth, word in ((True, "true"), (False, "false")):
            found = SeenTruth(truth)
            for at, words in (
                (moment(log, step), "as the cards lie, F is"),
                (moment(log, step, 1), "you know that F is"),
                (moment(everybody, step), "everybody knows that F is"),
            ):
                assert told_text("F", formula, found, at) == f"{words} {word}"
        for at, words in (
            (moment(log, step, 1), "you do not know whether F"),
            (moment(everybody, step), "the record does not show whether F"),
        ):
            assert told_text("F", formula, SeenTruth(None), at).startswith(words)


def test_a_deal_has_a_line_for_each_hand_and_one_for_cards_aside() -> None:
    for deal, lines in (
        (Deal(((0, 0, 1), (1, 1, 0))), ["player 0: 0/0 0/1 1/2", "player 1: 0/2 1/0 1/1"]),
        (Deal(((2, 0, 2),)), ["player 0: 0/1", "player 1: no cards", "aside: 0/0 0/2"]),
    ):
        assert [*hand_lines(deal, 2)] == lines


def test_two_deals_are_side_by_side_where_that_fits() -> None:
    one, other = Deal(((0, 0, 1), (1, 1, 0))), Deal(((0, 1, 0), (1, 1, 0)))
    heads = ("really", "deal 1")
    assert list(beside(one, other, 3, heads)) == [
        "          really        deal 1",
        "player 0  0/0 0/1* 1/2  0/0 0/2* 1/2",
        "player 1  0/2* 1/0 1/1  0/1* 1/0 1/1",
        "player 2",
        "0/1: player 0, on the right player 1",
        "0/2: player 1, on the right player 0",
    ]
    assert list(beside(one, other, 3, heads, 30)) == [
        "player 0  really  0/0 0/1* 1/2",
        "          deal 1  0/0 0/2* 1/2",
        "player 1  really  0/2* 1/0 1/1",
        "          deal 1  0/1* 1/0 1/1",
        "player 2  really  no cards",
        "          deal 1  no cards",
        "0/1: player 0, deal 1: player 1",
        "0/2: player 1, deal 1: player 0",
    ]
    assert max(map(len, beside(one, other, 3, heads, 24))) <= 34
    assert next(other_deals((one, other), 3)).endswith("false if they lie as on the right:")
    assert next(other_deals((one, other), 3, 30)).endswith("false if they lie in the second:")


def test_of_what_was_counted_nobody_says_that_no_request_mattered() -> None:
    log = random_log(KwartetSettings(3, 3), Random(1))
    hands, points = log.states[-1].hands, log.states[-1].points
    assert hands[0] != log.states[0].hands[0]
    for text, counted in (
        (f"cards(0) = {hands[0]}", True),
        (f"points(0) = {points[0]} & cards(0) < 5", True),
        ("points(0) >= 0", False),
    ):
        at = moment(log, len(log.events), 0)
        formula = read_formula(text, at)
        found = truth_at(formula, at, why=True)
        why = why_at(formula, found, at, "auto", 60, text)
        assert (why.requests is None) == counted
        assert why.lines[0].startswith("it contains numbers") == counted
