"""Every public function of `quaternity.ternary` with wrong arguments, and with rules as text."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest

from quaternity import ternary
from quaternity.base.errors import InputError
from quaternity.ternary import FreeCount, Incumbent, Rule, SetCard, Table
from tests.wrong_arguments import PublicFunctions, Values

NUMBERS = (5.0, "5", None, True, np.float64(5), np.True_, [5])
CARD = Values(lambda: 5, same=(np.int8(5), np.uint64(5)), wrong=(-1, 81, 10**30, *NUMBERS))
OTHER = Values(lambda: 40, same=(np.int64(40),), wrong=(-1, 81, *NUMBERS))
K = Values(lambda: 5, same=(np.int64(5),), wrong=(-1, 16, *NUMBERS))
N = Values(lambda: 5, same=(np.int64(5),), wrong=(0, -1, 82, *NUMBERS))
RULE = Values(lambda: Rule.SET, ("set", np.str_("set")), ("pair", "SET", 1, None, True))
TABLE = Values(
    lambda: (0, 1, 2, 40, 80, 13),
    same=([40, 1, 2, 0, 80, 13], np.array([0, 1, 2, 40, 80, 13]), {0, 1, 2, 40, 80, 13}),
    wrong=((0, 1, 0), (0, 81), [0, 1.0], "012", (True,), [None], [-1], None, 5, ["1"]),
)
METHOD = Values(lambda: "search", wrong=("guess", None, 3, ["search"]))
RANDOM = Values(lambda: Random(1), wrong=(None, 3, "seed"))
OPTIONAL_RANDOM = Values(lambda: None, wrong=(3, "seed"))
SECONDS = Values(
    lambda: None,
    same=(60, 60.0, np.int64(60), np.float32(60), 10**400),
    wrong=(0, np.True_, -1, "1", True, float("inf"), [1]),
)
BEST = Values(lambda: None, same=(Incumbent(),), wrong=(3, "best"))
DECK = Values(lambda: tuple(range(81)), same=(list(range(81)), np.arange(81)), wrong=TABLE.wrong)
SIZE = Values(lambda: 12, same=(np.int64(12),), wrong=(0, 13, 84, -3, *NUMBERS))
THREE = Values(lambda: (0, 1, 2), same=([2, 1, 0],), wrong=((0, 1), (0, 1, 80), (0, 0, 1), None))
SEARCHED = {"seconds": SECONDS, "random": OPTIONAL_RANDOM, "best": BEST}


def on_table(method: str) -> Any:
    return lambda **values: getattr(Table((0, 1, 2, 40), tuple(range(41, 60))), method)(**values)


FUNCTIONS = PublicFunctions(
    ternary,
    {
        "SetCard": (SetCard, {"index": CARD}),
        "SetCard.of": (
            SetCard.of,
            {
                name: Values(lambda: 1, same=(np.int64(1),), wrong=(3, -1, *NUMBERS))
                for name in ("shape", "colour", "fill", "amount")
            },
        ),
        "Table": (
            Table,
            {
                "places": Values(lambda: (0, 1), wrong=((0, 0), (80, 1), None, "01", [1.0])),
                "deck": Values(lambda: (79, 80), wrong=((1,), (81,), None, [True])),
            },
        ),
        "Table.start": (Table.start, {"deck": DECK, "random": RANDOM, "size": SIZE}),
        "Table.deal": (
            on_table("deal"),
            {"number": Values(lambda: 3, wrong=(-1, 82, 3.0, None, True)), "random": RANDOM},
        ),
        "Table.take": (on_table("take"), {"three": THREE}),
        "all_triples": (ternary.all_triples, {"rule": RULE}),
        "chain": (
            lambda **arguments: list(islice(ternary.chain(**arguments), 5)),
            {
                "random": RANDOM,
                "rule": RULE,
                "start": Values(lambda: 5, wrong=(81, -1, 5.0, "5", True)),
            },
        ),
        "check_table": (ternary.check_table, {"cards": TABLE}),
        "checksum": (
            ternary.checksum,
            {"cards": Values(TABLE.good, TABLE.same, wrong=TABLE.wrong[1:])},
        ),
        "count_free": (ternary.count_free, {"n": N, "rule": RULE}),
        "digits_of": (ternary.digits_of, {"index": CARD}),
        "index_of": (
            ternary.index_of,
            {
                "digits": Values(
                    lambda: (0, 2, 1, 2),
                    same=([0, 2, 1, 2], tuple(np.array([0, 2, 1, 2]))),
                    wrong=("0212", (0, 1, 2), (0, 1, 2, 3), (0, 1, 2, 1.0), (True, 0, 0, 0), 5),
                )
            },
        ),
        "is_pair": (ternary.is_pair, {"a": CARD, "b": OTHER}),
        "is_triple": (
            ternary.is_triple,
            {"a": CARD, "b": OTHER, "c": Values(lambda: 78, wrong=(5, 81, *NUMBERS)), "rule": RULE},
        ),
        "largest_free": (
            ternary.largest_free,
            {"table": TABLE, "rule": RULE, "method": METHOD, **SEARCHED},
        ),
        "largest_in_deck": (
            ternary.largest_in_deck,
            {"rule": Values(lambda: Rule.TRIPLE, same=("triple",), wrong=RULE.wrong),
             "method": METHOD, **SEARCHED},
        ),
        "most_disjoint": (
            ternary.most_disjoint,
            {"table": TABLE, "rule": RULE, "method": METHOD, **SEARCHED},
        ),
        "partition": (
            ternary.partition,
            {"table": TABLE, "rule": RULE, "random": OPTIONAL_RANDOM, "method": METHOD,
             "seconds": SECONDS},
        ),
        "partner": (ternary.partner, {"card": CARD, "k": K}),
        "partners": (ternary.partners, {"card": CARD}),
        "play_out": (
            ternary.play_out,
            {
                "deck": DECK,
                "rule": RULE,
                "random": RANDOM,
                "size": SIZE,
                "choose": Values(lambda: min, wrong=(3, "first")),
            },
        ),
        "read_card": (
            ternary.read_card,
            {"text": Values(lambda: "5", same=("0012",), wrong=("81", "", None, 5, b"5", "0312"))},
        ),
        "safe_deck": (ternary.safe_deck, {"random": RANDOM, "rule": RULE, "method": METHOD}),
        "shuffled_deck": (ternary.shuffled_deck, {"random": RANDOM}),
        "third": (ternary.third, {"a": CARD, "b": OTHER}),
        "table_svg": (
            lambda cards: ternary.table_svg(cards),
            {"cards": Values(TABLE.good, (np.array(TABLE.good()),), wrong=TABLE.wrong)},
        ),
        "triples": (ternary.triples, {"table": TABLE, "rule": RULE}),
        "triples_through": (ternary.triples_through, {"card": CARD, "rule": RULE}),
    },
    others=frozenset(
        {
            *("CARDS", "MAX_CARDS_WITHOUT_THREE", "COLLECTION_METHODS", "PACKING_METHODS"),
            *("PICTURES", "WHOLE_DECK", "Rule", "circle_svg", "matrix_svg", "pairs_table"),
            *("Incumbent", "DeckLimit", "FreeCount", "Playout"),  # types of results
            # tests/table/test_played_game.py
            *("MORE", "SetGame", "SetMove", "SetPosition", "SetSettings", "SetView"),
        }
    ),
)  # fmt: skip


def test_a_rule_given_as_text_is_that_rule() -> None:
    assert len(ternary.triples(range(81), "set")) == 1080
    assert len(ternary.triples(range(81), "triple")) == 216
    assert len(ternary.all_triples("set")) == 1080 == len(ternary.all_triples(Rule.SET))
    assert ternary.count_free(12, "set") == FreeCount(12, Rule.SET, 2_284_535_476_080)
    for methods in (ternary.COLLECTION_METHODS, ternary.PACKING_METHODS):
        for name in methods:
            call = ternary.largest_free if "largest" in str(methods) else ternary.most_disjoint
            assert call(range(0, 81, 5), "set", name) == call(range(0, 81, 5), Rule.SET, name)


def test_a_choice_that_is_not_one_of_the_threes_is_refused() -> None:
    with pytest.raises(InputError, match=r"choose: returned \(0, 1, 3\), but must return one of"):
        ternary.play_out(range(81), "set", Random(1), choose=lambda threes: (0, 1, 3))
