"""Cards as pictures."""

from xml.etree import ElementTree

from quaternity.game.card_picture import HUES, SHAPES, card_svg, suit_svg
from quaternity.game.cards import Card


def test_suits_of_twenty_sets_differ_in_shape_or_colour() -> None:
    looks = {(index % len(SHAPES), index % len(HUES)) for index in range(20)}
    assert len(looks) == 20
    assert len({suit_svg(index) for index in range(20)}) == 20


def test_a_card_shows_its_set_and_number_and_fills_its_place() -> None:
    root = ElementTree.fromstring(card_svg(Card(3, 1), 4, "<card>"))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert texts == ["3/1", "3", "0", "1", "2", "3"]
    places = [element for element in root if element.get("height") == "18"]
    assert [place.get("fill") for place in places] == ["none", HUES[3], "none", "none"]
    assert root.get("aria-label") == "<card>"
    assert ElementTree.fromstring(card_svg(Card(3, 1), 4)).get("aria-hidden") == "true"


def test_a_card_of_a_large_set_has_no_row() -> None:
    assert card_svg(Card(3, 11), 12).count("<text") == 2


def test_white_is_readable_on_every_colour() -> None:
    for hue in HUES:
        channels = [int(hue[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        light = [((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
        luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
        assert 1.05 / (luminance + 0.05) >= 4.5
