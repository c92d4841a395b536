"""Rules of Kwartet for a table: views, indistinguishable positions, and truncated records."""

import re
from dataclasses import FrozenInstanceError, fields
from random import Random
from typing import Any

import pytest

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value
from quaternity.game.cards import Card
from quaternity.kwartet.log import log_text
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from solvers.filtering import filter_problem
from tests.kwartet.games import random_log, random_settings
from tests.sizes import thorough


@pytest.mark.parametrize("players", [3, 5])
def test_at_the_start_a_card_is_own_or_may_be_held_by_all_others(players: int) -> None:
    """`*` stands for every opponent with cards."""
    rules = KwartetRules(KwartetSettings(players, 5))
    position = rules.start(Random(1))
    for seat in range(players):
        text = rules.show(rules.view(position, seat))
        rows = re.findall(r"^ +\d((?:  +[*=\w]+){4})", text, re.MULTILINE)
        assert len(rows) == 5
        assert {cell for row in rows for cell in row.split()} == {"mine", "*"}


@pytest.mark.parametrize("seed", range(thorough(3, 20)))
def test_an_alternative_position_looks_the_same_to_a_seat(seed: int) -> None:
    random = Random(seed)
    log = random_log(random_settings(random, range(2, 5), range(3, 6)), random, 12)
    rules = KwartetRules(log.settings)
    position = rules.replay(log_text(log).encode()).positions[-1]
    for seat in range(rules.seats):
        view = rules.view(position, seat)
        like = rules.like(view, random)
        assert rules.view_json(rules.view(like, seat)) == rules.view_json(view)
        for field in fields(like):
            with pytest.raises(FrozenInstanceError):
                setattr(like, field.name, ())


@pytest.mark.parametrize("seed", range(thorough(3, 20)))
def test_a_document_has_the_seat_the_turn_and_the_possible_owners(seed: int) -> None:
    random = Random(seed)
    log = random_log(random_settings(random, range(2, 5), range(2, 4)), random, 300)
    rules = KwartetRules(log.settings)
    assert rules.hidden
    positions = rules.replay(log_text(log).encode()).positions
    for position in (positions[0], positions[len(positions) // 2], positions[-1]):
        turn = next(iter(rules.to_act(position)), None)
        for seat in (None, *range(rules.seats)):
            view = rules.view(position, seat)
            document = rules.view_json(view)
            assert (document["seat"], document["turn"]) == (seat, turn)
            left = view.public.left
            assert (document.get("left"), "left" in document) == (left, left is not None)
            for cards, known in zip(
                document["owners"], filter_problem(view.problem).sets, strict=True
            ):
                for owners, mask in zip(cards, known.owners, strict=False):
                    assert owners == [p for p in range(log.settings.hands) if mask >> p & 1]


@pytest.mark.parametrize("seed", range(thorough(2, 10)))
def test_a_truncated_record_gives_its_complete_requests(seed: int) -> None:
    """A single warning names the incomplete line."""
    random = Random(seed)
    log = random_log(random_settings(random, range(2, 4), range(3, 5)), random, 10)
    rules, data = KwartetRules(log.settings), log_text(log).encode()
    whole = rules.replay(data)
    assert whole.warnings == ()
    for length in range(data.index(b"asks"), len(data), thorough(5, 1)):
        cut = data[:length]
        try:
            replay = rules.replay(cut)
        except InputError:
            assert b"asks" not in cut
            continue
        assert len(replay.positions) == len(replay.moves) + 1 == len(replay.ends)
        assert whole.moves[: len(replay.moves)] == replay.moves
        assert whole.positions[: len(replay.positions)] == replay.positions
        number = cut.count(b"\n") + 1
        warnings = [text for text in replay.warnings if "is incomplete" in text]
        is_whole = cut.endswith(b"\n")
        assert warnings == ([] if is_whole else [f"line {number} is incomplete and was ignored"])


@pytest.mark.parametrize("move", [5, None, "0 asks 1 for 0/0", (0, 1, (0, 0)), Card(0, 0)])
def test_an_invalid_request_is_a_fault_with_a_message(move: Any) -> None:
    rules = KwartetRules()
    view = rules.view(rules.start(Random(1)), 0)
    for faults in (view.faults(move), rules.faults(view, move)):
        assert faults == [f"{quote_value(move)} is not a request"]
