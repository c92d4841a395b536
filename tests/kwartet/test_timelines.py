"""Formulas through a game as a drawing."""

from xml.etree import ElementTree

import pytest

from quaternity.kwartet.timelines import UNSAID, Timeline, timelines_svg

TOLD = [False, None, None, True, UNSAID, True]


def test_every_stretch_is_a_bar_and_all_are_told_apart_without_colours() -> None:
    long = "H0 0/1 & " * 40 + "1 < 2"
    drawn = timelines_svg([Timeline("K1 H0 0/0", TOLD), Timeline(long, [True] * 6)], "a game")
    root = ElementTree.fromstring(drawn)
    bars = [
        (one[0].text, float(one.get("width", 0)), float(one.get("height", 0)))
        for one in root.iter()
        if one.tag.endswith("}rect") and len(one)
    ]
    assert [said for said, _, _ in bars] == [
        "false from 0", "unknown from 1", "true from 3", "true from 5", "true from 0",
        "true", "false", "unknown",
    ]  # fmt: skip
    assert [wide for _, wide, _ in bars][:5] == [40, 80, 40, 40, 240]
    assert len({tall for _, _, tall in bars}) == 3
    texts = [one.text or "" for one in root.iter() if one.tag.endswith("}text")]
    assert max(map(len, texts)) < 140
    assert "blank: cannot be announced" in texts
    assert [one for one in texts if one.isdecimal()] == ["0", "1", "2", "3", "4", "5"]


def test_a_long_game_has_a_number_here_and_there() -> None:
    root = ElementTree.fromstring(timelines_svg([Timeline("true", [True] * 3000)], "a game"))
    texts = [one.text or "" for one in root.iter() if one.tag.endswith("}text")]
    assert [one for one in texts if one.isdecimal()] == [*map(str, range(0, 3000, 100))]
    assert 'width="900.0"' in timelines_svg([Timeline("true", [True] * 3000)], "a game")


@pytest.mark.parametrize("steps", [1, 7, 22, 23, 31, 45, 46, 61, 151, 301, 601, 2000, 16_000])
def test_numbers_stand_below_their_requests_as_close_as_can_be_read(steps: int) -> None:
    root = ElementTree.fromstring(timelines_svg([Timeline("true", [True] * steps)], "a game"))
    bar = next(one for one in root.iter() if one.tag.endswith("}rect") and len(one))
    first, step = float(bar.get("x", 0)), float(bar.get("width", 0)) / steps
    places = {
        int(one.text): float(one.get("x", 0))
        for one in root.iter()
        if one.tag.endswith("}text") and one.text and one.text.isdecimal()
    }
    for number, place in places.items():
        assert abs(place - (first + (number + 0.5) * step)) < 0.1
    every = [size * times for size in (1, 10, 100, 1000) for times in (1, 2, 5)]
    wanted = next(number for number in every if number * step >= 30 or number >= steps)
    assert list(places) == [*range(0, steps, wanted)]


def test_when_it_changes() -> None:
    assert Timeline("f", TOLD).changes() == [1, 3, 4, 5]
    assert Timeline("f", [None]).changes() == []
