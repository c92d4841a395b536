"""Requests that are the reasons for knowledge: they suffice, and none can be left out."""

from __future__ import annotations

from random import Random

import pytest

from quaternity.epistemic import (
    EvaluationMethod,
    Formula,
    H,
    K,
    Undecided,
    evaluate,
    parse,
    reasons,
)
from quaternity.epistemic.needed_requests import is_knowledge
from quaternity.game.cards import Card
from quaternity.kwartet.partial_problem import stated_by
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.settings import KwartetSettings
from solvers import DealProblem
from tests.kwartet.games import random_log, random_settings
from tests.sizes import thorough


def facts(log: GameLog, chosen: set[int]) -> DealProblem:
    return stated_by(log.positions[0].public, log.events, chosen)


def known_formulas(log: GameLog, random: Random) -> list[Formula]:
    """Return true formulas: a player knows a card of another, or what another player knows."""
    position = log.positions[-1]
    candidates: list[Formula] = []
    for index, row in enumerate(position.deal.owner):
        for number, holder in enumerate(row):
            p, q = random.sample(range(log.settings.players), 2)
            held = H(holder, Card(index, number))
            candidates += [K(p, held), K(p, K(q, held)), K(p, ~H(q, Card(index, number)))]
    random.shuffle(candidates)
    problem = position.public.problem
    return [
        part
        for part in candidates
        if evaluate(part, problem, position.deal, EvaluationMethod.EXPLICIT)
    ]


@pytest.mark.parametrize("seed", range(thorough(3, 40)))
def test_lists_are_sufficient_and_minimal(seed: int) -> None:
    random = Random(f"reasons/{seed}")
    log = random_log(random_settings(random, range(3, 4), range(2, 4), max_cards=12), random, 10)
    if log.positions[-1].public.is_over:
        return
    deal, number = log.positions[-1].deal, len(log.events)
    for formula in known_formulas(log, random)[: thorough(3, 8)]:
        result = reasons(formula, deal, number, lambda chosen: facts(log, {*chosen}))
        assert result.minimal
        assert result.explanation is not None
        assert result.explanation.truth
        chosen = set(result.requests)
        for method in (EvaluationMethod.EXPLICIT, EvaluationMethod.SOLVERS):
            assert evaluate(formula, facts(log, chosen), deal, method)
        for request in chosen:
            assert not evaluate(
                formula, facts(log, chosen - {request}), deal, EvaluationMethod.EXPLICIT
            )


def test_at_full_size_a_list_is_short_and_its_proof_needs_no_more() -> None:
    random = Random(8)
    log = random_log(KwartetSettings(), random, 70)
    position, lists = log.positions[-1], 0
    for index, row in enumerate(position.deal.owner):
        for number, holder in enumerate(row):
            formula = K((holder + 1) % 4, H(holder, Card(index, number)))
            if lists < thorough(2, 20) and evaluate(
                formula, position.public.problem, position.deal
            ):
                result = reasons(formula, position.deal, 70, lambda chosen: facts(log, {*chosen}))
                assert result.minimal
                assert 0 < len(result.requests) < 15
                lists += 1
    assert lists


def test_only_knowledge_can_have_requests_as_reasons() -> None:
    for text in ("K1 H0 0/0", "C true", "K1 true & D{1,2} true", "K1 true | H0 0/0", "P true",
                 "K1 !H0 0/0", "C (H0 0/0 -> !H1 0/0)"):  # fmt: skip
        assert is_knowledge(parse(text))
    ignorance = ("K1 !K2 H0 0/0", "C (K1 H0 0/0 -> H0 0/0)", "K1 U2(0)=1", "K1 true | !K0 true")
    for text in ("H0 0/0", "!K1 true", "K1 true & H0 0/0", "[true!] K1 true", *ignorance):
        assert not is_knowledge(parse(text))


def test_without_time_all_requests_are_returned_as_not_minimal() -> None:
    log = random_log(KwartetSettings(3, 3), Random(2), 8)
    deal = log.positions[-1].deal

    def late(chosen: object) -> DealProblem:
        raise Undecided("undecided: too late")

    assert reasons(parse("K1 true"), deal, 8, late) == (tuple(range(8)), False, None)
    calls = []

    def soon_late(chosen: set[int]) -> DealProblem:
        calls.append(chosen)
        if len(calls) == 1:
            raise Undecided("undecided: too late")
        return facts(log, {*chosen})

    result = reasons(parse("K1 true"), deal, 8, soon_late)  # type: ignore[arg-type]
    assert not result.minimal
