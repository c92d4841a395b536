"""The `repr` of values: code with public names that gives an equal value, or an abbreviation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import EnumType
from functools import cache
from importlib import import_module
from itertools import islice
from random import Random
from typing import Any

import pytest

import quaternity
import solvers
from quaternity import Game, TieBreak, kwartet, puzzles, quarto, review, ternary
from quaternity import epistemic as logic
from quaternity.decks import DeckWords, find_deck
from quaternity.environments import PolicyPlayer
from quaternity.errors import FaultPlace
from solvers import DealProblem, SetConstraint, instances, testing
from tests import public

ABBREVIATED = {
    "quaternity.LegalQuestions": "is not compared by value",
    "quaternity.State": "would show the whole problem",
    "quaternity.decks.DeckWords": "is not compared by value",
    "quaternity.environments.PolicyPlayer": "contains a function",
    "quaternity.kwartet.KwartetPosition": "would show the whole problem",
    "quaternity.kwartet.View": "would show the whole problem",
    "quaternity.puzzles.Puzzle": "would show the whole proof",
    "quaternity.review.Review": "would show the whole review",
    "quaternity.ternary.Incumbent": "changes during a search",
    "solvers.CpSatModel": "can be changed",
    "solvers.NumberedDeals": "is not compared by value",
    "solvers.ProblemBuilder": "is not compared by value",
    "solvers.Solver": "contains functions",
    "solvers.instances.Family": "contains a function",
}
"""Public classes whose `repr` is in angle brackets, each with the reason."""


def public_classes() -> dict[str, type]:
    """Return the public classes of values by name, without errors and protocols."""
    names_by_class: dict[type, str] = {}
    for package in public.PACKAGES:
        for name in public.names(package):
            kind = getattr(import_module(package), name)
            is_class = isinstance(kind, type) and not getattr(kind, "_is_protocol", False)
            if is_class and not issubclass(kind, BaseException):
                names_by_class.setdefault(kind, f"{package}.{name}")
    return {name: kind for kind, name in names_by_class.items()}


CLASSES = public_classes()


def values_of_solvers() -> Iterator[Any]:
    """Yield values of `solvers`."""
    owners = [[[0, 1], [1]], [[0], [0]], []]
    for low, hands in (([1, 0], [1, 1]), ([3, 0], [2, 0]), ([0, 2], [2, 0]), ([0, 0], [0, 0])):
        for sets in owners:
            problem = DealProblem(hands, [SetConstraint.of(sets, players=2, low=low)])
            verdict = solvers.solve(problem)
            yield from (problem, verdict, solvers.exact_chances(problem))
            if not verdict:
                yield from (solvers.certify(problem, verdict), solvers.explain(problem))
                yield solvers.prove(problem)
    builder = solvers.ProblemBuilder().hand("Ann", 1).hand("Bob", 1).cards("hearts", ["AH", "KH"])
    named = builder.at_most("Ann", 0, "hearts").build()
    yield from (builder, named, named.names, solvers.explain(named), solvers.CpSatModel(named))
    yield from (solvers.SOLVERS["max-flow"], solvers.NumberedDeals(named), solvers.TooManyCards())
    yield from (solvers.Shortage.of([0], [[1]]), testing.Conformance(1, 2, 3))
    yield from (instances.make_pair("php", 12, 1), *instances.FAMILIES.values())


def values_of_quaternity() -> Iterator[Any]:
    """Yield values of the game, of its analysis and of formulas."""
    game = Game.start(quaternity.Settings(2, 3, 3, TieBreak.MIN_SETS, seed=7, brisk=True))
    after = game.ask("0 asks 1 for 0/1", True)
    yield from (game, game.settings, after.state, after.legal_questions, after.moves)
    yield from (quaternity.analyse(after.state), *quaternity.prospects(after.state))
    later = after.ask("0 asks 1 for 1/0", False)
    yield quaternity.explain(later, quaternity.Question.parse("1 asks 0 for 1/1"))
    yield FaultPlace("Ann", 0, 1, 2, None, "")
    problem = after.state.problem
    deal = solvers.NumberedDeals(problem).deal(0)
    for text in ("K0 H0 0/1 | !C{0,1} H1 0/1", "U0(1)=1 -> P true", "[H0 0/1!] D{0} H0 0/1"):
        yield from (logic.parse(text), *logic.parse(text).subformulas())
        yield logic.explain_formula(text, problem, deal)
        yield logic.truth_for_seat(text, problem, None)
    yield logic.reasons(logic.TRUE, deal, 1, lambda requests: problem)
    yield from (logic.Language.of(problem), find_deck("everyday"), DeckWords(find_deck("everyday")))
    puzzle = puzzles.make("possible", level=1, seed=1)
    yield from (puzzle, puzzle.why, puzzle.check(puzzle.answers[0]), review.review(game.record()))


def values_of_other_games() -> Iterator[Any]:
    """Yield values of Kwartet, Quarto and SET."""
    kinds: tuple[Any, ...] = (kwartet.KwartetGame, quarto.QuartoGame, ternary.SetGame)
    for kind in kinds:
        game = kind.start(seed=1)
        yield from (game, game.settings, game.position, list(islice(game.legal_moves, 3)))
        yield kind.rules_class(game.settings).view(game.position, 0)
    board = quarto.QuartoGame.start().position.board
    for cell, piece in enumerate("ELKNMDGABPOF"):
        board = board.after(cell, piece)
    yield from (board, quarto.solve(board), quarto.rated_moves(board, "C"), quarto.ROWS)
    yield quarto.explain_quartos(board.after(13, "C"))
    deck = ternary.shuffled_deck(Random(1))
    yield from (
        ternary.SetCard(5),
        ternary.count_free(3, "set"),
        ternary.Table.start(deck, Random(1)),
    )
    yield from (ternary.play_out(deck, "set", Random(1)), ternary.DeckLimit((1,), ("pairs",)))
    yield from (ternary.Incumbent(), PolicyPlayer(lambda observation, mask, random: 0))


def with_parts(value: Any) -> Iterator[Any]:
    """Yield a value, and all values in its fields and items."""
    yield value
    parts: list[Any] = []
    if isinstance(value, tuple | list):
        parts = [*value]
    elif is_dataclass(value):
        parts = [getattr(value, field.name) for field in fields(value)]
    for part in parts:
        yield from with_parts(part)


@cache
def all_values() -> list[Any]:
    """Return values of all public classes."""
    values = (*values_of_solvers(), *values_of_quaternity(), *values_of_other_games())
    return [part for value in values for part in with_parts(value)]


@pytest.mark.parametrize("name", CLASSES)
def test_the_repr_is_code_that_gives_an_equal_value(name: str) -> None:
    """A new public class needs values above, or a row in `ABBREVIATED`."""
    kind = CLASSES[name]
    package = name.rpartition(".")[0]
    namespace = {
        public_name: getattr(import_module(home), public_name)
        for home in (*public.PACKAGES, package)  # `explain` and `Explanation` have two meanings
        for public_name in public.names(home)
    }
    examples = kind if isinstance(kind, EnumType) else all_values()
    values = [value for value in examples if isinstance(value, kind)]
    assert values
    for value in values:
        if name in ABBREVIATED:
            assert re.fullmatch("<.*>", repr(value))
        else:
            assert eval(repr(value), dict(namespace)) == value  # noqa: S307 # our own text
