"""Cards: index, ternary digits, words, and reading from text."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.ternary import CARDS, SetCard, check_table, index_of, read_card
from quaternity.ternary.cards import AMOUNTS, ATTRIBUTES, WORDS
from tests.ternary.tables import CARD


def test_the_card_of_the_text() -> None:
    card = SetCard.of(0, 2, 1, 2)
    assert card.index == 23 == int("0212", 3)
    assert card.ternary == "0212"
    assert card.figures == 3


@given(CARD)
def test_index_digits_and_words_are_the_same_card(index: int) -> None:
    card = SetCard(index)
    assert int(card.ternary, 3) == index == index_of(card.digits)
    assert SetCard.of(*card.digits) == card
    assert read_card(str(index)) == read_card(card.ternary) == read_card(str(card)) == index
    assert card.figures == card.digits[3] + 1 == AMOUNTS.index(card.words[3]) + 1


def test_every_card_has_a_different_name() -> None:
    assert len({str(SetCard(index)) for index in range(CARDS)}) == CARDS
    assert len({word for words in WORDS for word in words}) == 3 * len(ATTRIBUTES)


@given(CARD, st.permutations(range(4)), st.sampled_from([" ", "-", ", ", "_"]), st.booleans())
def test_words_in_any_order(index: int, order: list[int], joint: str, upper: bool) -> None:
    words = SetCard(index).words
    text = joint.join(words[place] for place in order)
    assert read_card(text.upper() if upper else text) == index


@pytest.mark.parametrize(
    ("text", "card"),
    [("0", 0), ("80", 80), ("12", 12), ("0012", 5), ("2222", 80), ("0000", 0), ("0110", 12),
     (" 23 ", 23), ("3 purple striped diamonds", 23), ("striped-diamond-purple-3", 23)],
)  # fmt: skip
def test_cards_are_read_from_text(text: str, card: int) -> None:
    assert read_card(text) == card


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("81", "0..80"),
        ("0312", "the digit 3 (colour) is not 0..2"),
        ("0312", "an index 0..80, four ternary digits such as 0212 (each 0..2), or words"),
        ("9999", "the digit 9 (shape)"),
        ("012", "0..80"),
        ("00", "0..80"),
        ("007", "0..80"),
        ("02120", "four ternary digits"),
        ("-1", "0..80"),
        ("+5", "0..80"),
        ("1.5", "0..80"),
        ("²", "0..80"),
        ("٣", "0..80"),
        ("", "0..80"),
        ("  ", "0..80"),
        ("--", "0..80"),
        ("9" * 10_000, "0..80"),
        ("one red open", "no word for shape (diamond, oval, squiggle)"),
        ("one red open oval oval", "two words for shape: oval, oval"),
        ("one two red open oval", "two words for amount: one, two"),
        ("one red open circle",
         "unknown word 'circle'; choose from shape: diamond, oval, squiggle;"),
        ("one", "write all words of a card as one argument"),
        ("4 red open ovals", "unknown word '4'"),
    ],
)  # fmt: skip
def test_texts_that_are_not_cards_are_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        read_card(text)


@given(st.text())
def test_any_text_is_a_card_or_an_input_error(text: str) -> None:
    with suppress(InputError):
        assert read_card(text) in range(CARDS)


@pytest.mark.parametrize("index", [-1, 81, True, 1.0, "5", None])
def test_an_index_is_an_integer_0_to_80(index: object) -> None:
    with pytest.raises(InputError, match=r"must be a card 0\.\.80, not"):
        SetCard(index)  # type: ignore[arg-type]  # the wrong type is the point
    with pytest.raises(InputError, match=r"table\[1\]"):
        check_table([3, index])  # type: ignore[list-item]  # as above


@pytest.mark.parametrize("digits", [(0, 0, 0), (0, 0, 0, 3), (-1, 0, 0, 0), (0, 0, 0, 0, 0)])
def test_digits_are_four_of_0_to_2(digits: tuple[int, ...]) -> None:
    with pytest.raises(InputError):
        index_of(digits)  # type: ignore[arg-type]  # as above


def test_a_card_lies_on_a_table_once() -> None:
    assert check_table(iter([5, 3])) == (3, 5)
    with pytest.raises(
        InputError, match=re.escape("table[2]: card 7 is already on the table (table[0])")
    ):
        check_table([7, 8, 7])
