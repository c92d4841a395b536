"""Decks: what they guarantee to callers, and which files are refused."""

import json
from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.decks import LANGUAGES, PLAIN, Deck, deck_for, decks, find_deck, read_deck
from quaternity.decks.deck import COMMAND_WORDS, MAX_BYTES, parse_deck
from quaternity.decks.words import DeckWords
from tests.sizes import examples

LATER_EMOJI = (
    "1F90C 1F972 1F977-1F979 1F9A3-1F9A4 1F9AB-1F9AD 1F9CB-1F9CC 1F6D6-1F6DF 1F6FB-1F6FF 1F7F0 "
    "1FA74-1FA77 1FA7B-1FA7F 1FA83-1FA8F 1FA96-1FAFF"
)
"""Code points of emoji that Unicode 13 and later versions added."""

FARM = """
languages = ["en", "nl"]
title = ["Farm", "Boerderij"]
[[sets]]
mark = "🌾"
name = ["farm", "erf"]
cards = [["🐄", "cow", "koe"], ["🐖", "pig", "varken"]]
[[sets]]
name = ["barn", "schuur"]
cards = [["", "owl", "uil"], ["🐀", "rat", "rat"]]
"""


def test_the_included_decks_have_a_name_and_a_picture_for_each_card() -> None:
    sizes = {}
    for deck in decks()[:-1]:
        sizes[deck.name] = len(deck.sets), min(len(face.cards) for face in deck.sets)
        assert deck.languages == LANGUAGES
        cards = [card for face in deck.sets for card in face.cards]
        pictures = [card.emoji for card in cards] + [face.mark for face in deck.sets]
        assert all(pictures)
        assert len({*pictures}) == len(pictures)
        for language in LANGUAGES:
            assert deck.title(language)
    assert sizes == {"everyday": (13, 4), "world": (26, 8)}
    assert decks()[-1] is PLAIN


def test_pictures_are_of_emoji_12_or_earlier() -> None:
    later = set()
    for span in LATER_EMOJI.split():
        first, _, last = span.partition("-")
        later |= {*range(int(first, 16), int(last or first, 16) + 1)}
    signs = {
        sign
        for deck in decks()
        for face in deck.sets
        for picture in (face.mark, *(card.emoji for card in face.cards))
        for sign in picture
    }
    assert not {sign for sign in signs if ord(sign) in later}
    assert "\u200d" not in signs  # joined pictures fall apart where a font does not know them


@given(st.integers(1, 40), st.integers(1, 12))
@settings(max_examples=examples(200))
def test_every_game_gets_the_first_deck_that_fits(sets: int, size: int) -> None:
    chosen = deck_for(sets, size)
    fitting = [deck for deck in decks() if deck.fits(sets, size)]
    assert chosen is fitting[0]
    chosen.check_fits(sets, size)
    for language in LANGUAGES:
        names = [chosen.card_name(i, j, language) for i in range(sets) for j in range(size)]
        assert len({*names}) == sets * size
    for deck in {*decks()} - {*fitting}:
        with pytest.raises(InputError, match=f"deck {chosen.name} does, and deck plain"):
            deck.check_fits(sets, size)


def test_a_card_without_a_name_is_called_by_its_numbers() -> None:
    deck = find_deck("everyday")
    for index, number in ((13, 0), (0, 4), (-1, 0), (0, -1)):
        assert (
            deck.card_name(index, number) == PLAIN.card_name(index, number) == f"{index}/{number}"
        )
        assert deck.emoji(index, number) == ""
    assert deck.set_name(13) == PLAIN.set_name(13) == "set 13"
    assert deck.mark(13) == ""


def test_each_name_leads_back_to_its_card_in_any_case() -> None:
    for deck in decks():
        for index, face in enumerate(deck.sets):
            assert deck.find_set(f" {face.names[0].upper()} ") == index
            for number, card in enumerate(face.cards):
                assert deck.find_card(card.names[0].upper()) == (index, number)
    assert find_deck("world").find_card("fire  engine") is not None
    assert find_deck("world").find_card("0/2") is None


def test_a_deck_without_a_language_answers_in_its_first_one(tmp_path: Path) -> None:
    path = tmp_path / "home.toml"
    path.write_text('title = "At home"\n[[sets]]\nname = "us"\ncards = ["Ann", "Ben"]')
    deck = read_deck(path)
    assert deck == Deck("home", ("en",), ("At home",), deck.sets)
    assert (deck.title("nl"), deck.card_name(0, 1, "de"), deck.emoji(0, 1)) == (
        "At home",
        "Ben",
        "",
    )


def test_an_unknown_deck_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InputError, match=r"'animals' is unknown; choose from everyday, world and plain"
    ):
        find_deck("animals")


BAD = {
    "double name": ('"pig", "varken"', '"COW", "varken"', "set 0, card 1: 'COW' .* set 0, card 0"),
    "double set": ('"barn"', '"farm"', "set 1: 'farm' .* set 0"),
    "number of a card": ('"pig"', '"1/0"', "set 0, card 1: '1/0' .* number"),
    "number": ('"rat", "rat"', '"rat", "12"', "set 1, card 1: '12' .* number"),
    "command": ('"owl"', '"Undo"', "set 1, card 0: 'Undo' is a command"),
    "markup": ('"owl"', '"<b>owl</b>"', "set 1, card 0: .*'<'"),
    "control": ('"owl"', '"owl\\u001b[2J"', "set 1, card 0: .*cannot be part"),
    "turned text": ('"owl"', '"owl\\u202e"', "set 1, card 0: .*cannot be part"),
    "markup in a picture": ('"🐄"', '"<img>"', "set 0, card 0: picture: .*one emoji"),
    "empty name": ('"owl"', '""', "set 1, card 0: .*1 to 40"),
    "long name": ('"owl"', f'"{"o" * 41}"', "set 1, card 0: .*1 to 40"),
    "no text": ('"owl"', "7", "set 1, card 0: 7 is not a string"),
    "languages": ('["en", "nl"]', '["English", "nl"]', "languages .*codes of two or three"),
    "one language twice": ('["en", "nl"]', '["en", "en"]', "languages .*different codes"),
    "no languages": ('["en", "nl"]', "7", "languages 7"),
    "too few names": (
        '["🐖", "pig", "varken"]',
        '["🐖", "pig"]',
        "card 1: '🐖': .*list it before the names",
    ),
    "one name": (
        '["🐖", "pig", "varken"]',
        '"pig"',
        "card 1: 'pig': expected 2 names, in en and nl",
    ),
    "no cards": ('[["", "owl", "uil"], ["🐀", "rat", "rat"]]', "[]", "set 1: there are no cards"),
    "unknown key": ("mark =", "sign =", "set 0: unknown key 'sign': expected cards, mark and name"),
    "broken": ('mark = "🌾"', "mark = 🌾", "line 5"),
    "twice": ("[[sets]]", "[sets]", "line 8"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_file_that_is_not_a_deck_is_refused_with_its_place(fault: str, tmp_path: Path) -> None:
    good, bad, message = BAD[fault]
    path = tmp_path / "farm.toml"
    path.write_text(FARM, encoding="utf-8")
    assert len(read_deck(path).sets) == 2
    assert good in FARM
    path.write_text(FARM.replace(good, bad), encoding="utf-8")
    with pytest.raises(InputError, match=f"farm.toml: .*{message}"):
        read_deck(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no sets"),
        (b"\xff", "UTF-8"),
        (b"sets = 1", "no sets"),
        (b"sets = [1]", "set 0: 1 is not a set"),
        (b'[[sets]]\nname="s"\ncards=["a"]\n' * 10_000, "10000 sets: at most 100|line"),
        (b"#" * (MAX_BYTES + 1), "larger"),
        (b"x = " + b"[" * 5000 + b"]" * 5000, "nested|recursion|unknown"),
    ],
)
def test_odd_files_are_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_bytes(data)
    with pytest.raises(InputError, match=f"odd.toml: .*({message})"):
        read_deck(path)
    with pytest.raises(InputError, match=r"none\.toml"):
        read_deck(tmp_path / "none.toml")


@given(st.text(), st.sampled_from(["name", "mark", "title"]))
@settings(max_examples=examples(300))
def test_a_deck_that_is_read_can_be_shown_and_read_back(text: str, place: str) -> None:
    values = {"name": "set", "mark": "", "title": "deck"} | {place: text}
    toml = "title = {}\n[[sets]]\nmark = {}\nname = {}\ncards = [{}]\n".format(
        *(json.dumps(values[key]) for key in ("title", "mark", "name", "name"))
    )
    try:
        deck = parse_deck(toml, "made.toml", "made")
    except InputError as error:
        message = str(error)
    else:
        message = ""
        assert deck.find_card(deck.card_name(0, 0)) == (0, 0)
        assert deck.card_name(0, 0).casefold() not in COMMAND_WORDS
        for shown in (deck.title(), deck.set_name(0), deck.mark(0)):
            assert not {*shown} & {*'<>&"'}
    assert not message or message.startswith("made.toml: ")


FORMS: list[Callable[[str], str]] = [
    lambda name: normalize("NFC", name),
    lambda name: normalize("NFD", name),
    lambda name: normalize("NFD", name.swapcase()),
    lambda name: name.replace("'", "’"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["Éva", "d'été", "Ǖber Å", "ǰam", "l'hôtel ẞ"])
def test_names_are_equal_in_every_unicode_form(name: str) -> None:
    """A deck has such a name only once, and finds it however it is typed."""
    forms = [form(name) for form in FORMS]
    for first in forms:
        text = f'title = "T"\n[[sets]]\nname = "cats"\ncards = [{json.dumps(first)}, "fox"]\n'
        deck = parse_deck(text, "cats.toml", "cats")
        assert deck.card_name(0, 0) == normalize("NFC", first)
        words = DeckWords(deck)
        for typed in forms:
            assert deck.find_card(typed) == (0, 0)
            assert words.read(f'1 asks 2 for "{typed}": no') == "1 asks 2 for 0/0: no"
            both = text.replace('"fox"', json.dumps(typed))
            with pytest.raises(InputError, match="is already the name of set 0, card 0"):
                parse_deck(both, "cats.toml", "cats")
