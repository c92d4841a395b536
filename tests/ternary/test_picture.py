"""The pictures: their elements and their symmetries."""

import re
from math import isclose
from xml.etree import ElementTree

import pytest

from quaternity.ternary import (
    CARDS,
    PICTURES,
    WHOLE_DECK,
    SetCard,
    circle_svg,
    is_pair,
    matrix_svg,
    table_svg,
)
from quaternity.ternary.picture import CELL, MARGIN, SIZE, pairs, point
from quaternity.ternary.table_picture import card_svg, stripes_svg

SVG = "{http://www.w3.org/2000/svg}"

Place = tuple[float, float]
Chord = frozenset[Place]


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(SVG + tag))


def drawn_chords() -> set[Chord]:
    """Return the drawn chords, by the coordinates of their ends."""
    return {
        frozenset(
            (
                (float(line.attrib["x1"]), float(line.attrib["y1"])),
                (float(line.attrib["x2"]), float(line.attrib["y2"])),
            )
        )
        for line in elements(circle_svg(), "line")
    }


def drawn_points() -> list[Place]:
    return [
        (float(dot.attrib["cx"]), float(dot.attrib["cy"]))
        for dot in elements(circle_svg(), "circle")
    ]


def drawn_cells() -> set[tuple[int, int]]:
    """Return row and column of the dark cells, as they are drawn."""
    path = elements(matrix_svg(), "path")[0].attrib["d"]
    corners = re.findall(rf"M(\d+) (\d+)h{CELL}v{CELL}h-{CELL}z", path)
    assert path.count("M") == len(corners)
    return {((int(y) - MARGIN) // CELL, (int(x) - MARGIN) // CELL) for x, y in corners}


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_are_svg_and_say_what_they_show(kind: str) -> None:
    svg = PICTURES[kind]()
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.find(f"{SVG}title") is not None
    assert root.find(f"{SVG}desc") is not None
    assert svg == PICTURES[kind]()


def test_81_points_and_648_chords() -> None:
    points, chords = drawn_points(), drawn_chords()
    assert len(points) == len(set(points)) == CARDS
    assert len(elements(circle_svg(), "line")) == len(chords) == 648 == len(list(pairs()))
    number = {place: card for card, place in enumerate(points)}
    for a, b in (sorted(number[end] for end in chord) for chord in chords):
        assert is_pair(a, b)


def test_the_drawing_itself_is_mirrored_and_turned_by_a_third() -> None:
    centre = SIZE / 2
    places = drawn_points()

    def nearest(x: float, y: float) -> int:
        card = min(range(CARDS), key=lambda i: abs(places[i][0] - x) + abs(places[i][1] - y))
        assert abs(places[card][0] - x) < 0.01
        assert abs(places[card][1] - y) < 0.01
        return card

    assert [nearest(2 * centre - x, y) for x, y in places] == [80 - card for card in range(CARDS)]
    cosine, sine = -0.5, 3**0.5 / 2
    turned = [
        nearest(
            centre + cosine * (x - centre) - sine * (y - centre),
            centre + sine * (x - centre) + cosine * (y - centre),
        )
        for x, y in places
    ]
    assert turned == [(card + 27) % CARDS for card in range(CARDS)]
    assert isclose(point(40)[0], centre)


def test_the_matrix_has_1296_dark_cells() -> None:
    cells = drawn_cells()
    assert len(cells) == 1296
    assert cells == {(a, b) for a in range(CARDS) for b in range(CARDS) if is_pair(a, b)}
    assert cells == {(b, a) for a, b in cells}
    assert cells == {(80 - a, 80 - b) for a, b in cells}


def without_colours(group: ElementTree.Element) -> str:
    """Return a card as it looks to a colour-blind player, except for its number."""
    texts = [text.text for text in group.iter(f"{SVG}text")]
    fills = {"none": "open", "url": "striped", "#": "solid"}
    figures = [
        (path.attrib["d"], next(word for start, word in fills.items()
                                if path.attrib["fill"].startswith(start)))
        for path in group.iter(f"{SVG}path")
    ]  # fmt: skip
    return str((texts[2:], figures))


def test_cards_differ_without_colours() -> None:
    groups = elements(table_svg(WHOLE_DECK), "g")
    assert len({without_colours(group) for group in groups}) == len(groups) == CARDS
    for card, group in zip(WHOLE_DECK, groups, strict=True):
        title = group.find(f"{SVG}title")
        assert title is not None
        assert title.text == f"{card}: {SetCard(card)}"
        figures = list(group.iter(f"{SVG}path"))
        assert len(figures) == SetCard(card).figures
        assert {figure.attrib["class"] for figure in figures} == {SetCard(card).words[0]}


def test_a_table_shows_the_letters_of_the_terminal_and_its_threes() -> None:
    svg = table_svg([40, 0, 80, 7], letters=True, threes=[(0, 40, 80)])
    titles = [title.text or "" for title in elements(svg, "title")]
    assert titles[0] == "A table of 4 cards"
    assert [title.split(":")[0] for title in titles[1:]] == ["a 40", "b 0", "c 80", "d 7"]
    texts = [text.text for text in elements(svg, "text")]
    assert texts[:2] == ["a", "40"]
    assert texts[-1] == "0, 40, 80"


def test_every_used_pattern_is_defined() -> None:
    svg = table_svg(WHOLE_DECK)
    patterns = {element.attrib["id"] for element in elements(svg, "pattern")}
    assert set(re.findall(r"url\(#([^)]*)\)", svg)) == patterns


def test_the_cards_of_a_page_differ_and_their_patterns_are_defined_once() -> None:
    drawn = [card_svg(card) for card in WHOLE_DECK]
    assert len({re.sub(r">\d+</text>", ">", svg) for svg in drawn}) == 81
    used = set(re.findall(r"url\(#([\w-]+)\)", "".join(drawn)))
    patterns = ElementTree.fromstring(stripes_svg())
    assert used == {element.get("id") for element in patterns.iter() if element.get("id")}
    assert ElementTree.fromstring(card_svg(3, "<card>")).get("aria-label") == "<card>"
