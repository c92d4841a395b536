"""Events can be written with any names and in any language; their values are never parsed."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from string import Formatter
from typing import Any

import pytest

from quaternity.base.sentences import Message, MessageTemplate, Wording, document
from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Move, Question
from quaternity.game.settings import Settings
from quaternity.insight.certainty import certainty
from quaternity.insight.explanation import explanation_lines
from quaternity.kwartet.queries import deal_lines, moment, read_formula, reason_at, truth_at
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import KwartetSettings
from quaternity.table.games import game_names, rules_class
from tests.sizes import thorough

NAMES = ["player 1", "{who}", "0 asks 1", "players 0 and 2", "{0}", "<b>", ": right", "100 %s \\1"]
"""Names that look like parts of sentences or of templates."""

GAMES = pytest.mark.parametrize("game", list(game_names()))
SEEDS = pytest.mark.parametrize("seed", range(thorough(2, 20)))


def events(rules: Any, random: Random) -> Iterator[Any]:
    """Yield the events of a random match."""
    position = rules.start(random)
    for _ in range(60):
        if not (acting := rules.to_act(position)):
            break
        seat = random.choice(list(acting))
        move = random.choice(list(rules.moves(rules.view(position, seat))))
        after = rules.after(position, seat, move)
        yield from rules.events(position, seat, move, after)
        position = after


@GAMES
@SEEDS
def test_a_name_is_inserted_once_and_unchanged(game: str, seed: int) -> None:
    rules, random = rules_class(game)(), Random(seed)
    names = random.sample(NAMES, rules.seats)
    marks = [f"\ue000{seat}\ue001" for seat in range(rules.seats)]
    for event in events(rules, random):
        assert isinstance(event, Message)
        marked = named = Wording(marks).say(event)
        for mark, name in zip(marks, names, strict=True):
            named = named.replace(mark, name)
        assert Wording(names).say(event) == named
        for _, value, word, _ in Formatter().parse(event.kind.template):
            if value and word in ("seat", "player"):
                assert marks[event.data[value]] in marked


@GAMES
@SEEDS
def test_a_sentence_and_its_values_determine_each_other(game: str, seed: int) -> None:
    """Programs need no text, and the values reveal nothing that the text does not."""
    values_of: dict[str, str] = {}
    text_of: dict[str, str] = {}
    for event in events(rules_class(game)(), Random(seed)):
        values = document(event)
        text, values["text"] = values["text"], None
        key = json.dumps(values)
        assert values_of.setdefault(text, key) == key
        assert text_of.setdefault(key, text) == text == event
        twin = deepcopy(event)
        assert (twin, document(twin)) == (event, document(event))


class Backwards(Wording):
    """A separate language in which cards have names."""

    def template(self, kind: MessageTemplate) -> str:
        fields = Formatter().parse(kind.template)
        return f"{kind.name}< " + " ".join(f"{{{n}:{w}}}" for _, n, w, _ in fields if n)

    def card(self, card: Any) -> str:
        return f"the {card[1]} of {card[0]}"

    def set(self, index: int) -> str:
        return "ABCDEFGHIJKLM"[index]


@GAMES
def test_another_language_is_a_different_words_object(game: str) -> None:
    words = Backwards(["Ann", "Ben", "Cleo", "Dan"])
    for event in events(rules_class(game)(), Random(4)):
        text = words.say(event)
        assert text.startswith(f"{event.kind.name}< ")
        if "card" in event.data:
            index, number = event.data["card"]
            assert f"the {number} of {index}" in text
            assert f"{index}/{number}" not in text
        if "set" in event.data:
            assert text.endswith("ABCDEFGHIJKLM"[event.data["set"]])


def reasons(random: Random) -> Iterator[str]:
    """Yield why questions are refused or forced, and what a seat knows, in random games."""
    game = Game.start(Settings(3, 3, 3))
    for _ in range(12):
        if not (questions := list(game.state.legal_questions)):
            break
        player, card = random.randrange(4), Card(random.randrange(4), random.randrange(4))
        for question in (*random.choices(questions, k=2), Question(0, player, card)):
            yield from explanation_lines(game, question)
        question = random.choice(questions)
        game = game.play(Move(question, random.choice(game.state.answers(question))))
    yield from certainty("H0 0/0 | !H0 0/0", game, why=True).lines
    rules = KwartetRules(KwartetSettings(3, 3))
    position = rules.start(random)
    for _ in range(10):
        if seats := rules.to_act(position):
            move = random.choice(list(rules.moves(rules.view(position, seats[0]))))
            position = rules.after(position, seats[0], move)
    log = SeatLog.of_view(rules.view(position, 1))
    at = moment(log, len(log.events))
    for text in ("H0 0/0", "!H1 0/0", "C !H1 0/1", "K0 !K1 H1 1/1", "D{0,1} !H2 0/0"):
        formula = read_formula(text, at)
        reason = reason_at(formula, truth_at(formula, at, why=True), at, "auto", 20.0, text)
        yield from (*reason.lines, *deal_lines(reason, at))


@SEEDS
def test_reasons_use_the_names_of_the_players(seed: int) -> None:
    words, kinds = Wording(["Ann", "Ben", "Cleo"]), set()
    for line in reasons(Random(seed)):
        text = words.say(line)
        assert not re.search(r"\bplayers? [0-2]\b|\b[0-2] (asks|puts)|asks [0-2]\b", text), text
        twin = deepcopy(line)
        assert (twin, words.say(twin)) == (line, text)
        kinds.add(line.kind.name if isinstance(line, Message) else None)
    assert len(kinds) > 5


def test_text_that_is_not_a_sentence_stays_as_it_is() -> None:
    assert Wording(["Ann", "Ben"]).say("player 0 takes 2") == "player 0 takes 2"
    assert document("player 0 takes 2") == {"text": "player 0 takes 2"}
