"""Drawings of the truth of formulas during a game."""

from xml.etree import ElementTree

import pytest

from quaternity.kwartet.timelines import UNDEFINED, Timeline, timelines_svg

TRUTHS = [False, None, None, True, UNDEFINED, True]


def test_every_stretch_is_a_bar_and_truths_differ_without_colours() -> None:
    long = "H0 0/1 & " * 40 + "1 < 2"
    drawn = timelines_svg([Timeline("K1 H0 0/0", TRUTHS), Timeline(long, [True] * 6)], "a game")
    root = ElementTree.fromstring(drawn)
    bars = [
        (element[0].text, float(element.get("width", 0)), float(element.get("height", 0)))
        for element in root.iter()
        if element.tag.endswith("}rect") and len(element)
    ]
    assert [title for title, _, _ in bars] == [
        "false from 0", "unknown from 1", "true from 3", "true from 5", "true from 0",
        "true", "false", "unknown",
    ]  # fmt: skip
    assert [wide for _, wide, _ in bars][:5] == [40, 80, 40, 40, 240]
    assert len({tall for _, _, tall in bars}) == 3
    texts = [element.text or "" for element in root.iter() if element.tag.endswith("}text")]
    assert max(map(len, texts)) < 140
    assert "blank: cannot be announced" in texts
    assert [text for text in texts if text.isdecimal()] == ["0", "1", "2", "3", "4", "5"]


def test_a_long_game_shows_only_some_numbers() -> None:
    root = ElementTree.fromstring(timelines_svg([Timeline("true", [True] * 3000)], "a game"))
    texts = [element.text or "" for element in root.iter() if element.tag.endswith("}text")]
    assert [text for text in texts if text.isdecimal()] == [*map(str, range(0, 3000, 100))]
    assert 'width="900.0"' in timelines_svg([Timeline("true", [True] * 3000)], "a game")


@pytest.mark.parametrize("steps", [1, 7, 22, 23, 31, 45, 46, 61, 151, 301, 601, 2000, 16_000])
def test_numbers_are_below_their_requests_and_as_dense_as_readable(steps: int) -> None:
    root = ElementTree.fromstring(timelines_svg([Timeline("true", [True] * steps)], "a game"))
    bar = next(element for element in root.iter() if element.tag.endswith("}rect") and len(element))
    first, step = float(bar.get("x", 0)), float(bar.get("width", 0)) / steps
    places = {
        int(element.text): float(element.get("x", 0))
        for element in root.iter()
        if element.tag.endswith("}text") and element.text and element.text.isdecimal()
    }
    for number, place in places.items():
        assert abs(place - (first + (number + 0.5) * step)) < 0.1
    distances = [size * times for size in (1, 10, 100, 1000) for times in (1, 2, 5)]
    wanted = next(number for number in distances if number * step >= 30 or number >= steps)
    assert list(places) == [*range(0, steps, wanted)]


def test_changes_lists_the_steps_at_which_the_truth_changes() -> None:
    assert Timeline("f", TRUTHS).changes() == [1, 3, 4, 5]
    assert Timeline("f", [None]).changes() == []
