"""What every room stands on: words, plain values, pictures, small records."""

import re
import sys
from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from quaternity.base.errors import InputError
from quaternity.base.picture import Cell, Picture, heads
from quaternity.base.plain_values import (
    MAX_NUMBER,
    MAX_SECONDS,
    checked_seconds,
    entries,
    named,
    numbered,
    permutation,
    takes,
    time_limit,
    whole,
    whole_number,
    wholes,
)
from quaternity.base.plugins import load_place
from quaternity.base.sentences import Kind, Words, document, facts, indented, unindented
from quaternity.base.svg import svg_text
from quaternity.base.text_record import Replay, parse_text_record
from quaternity.base.wording import MAX_DECIMALS, MAX_QUOTED_CHARS, listed, percent, shown

# ------------------------------------------------------------------ places


def test_the_folder_one_works_in_is_looked_at_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lies_only_here.py").write_text("answer = 42\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    place = "lies_only_here:answer"
    with pytest.raises(ModuleNotFoundError):
        load_place(place)
    assert load_place(place, in_working_directory=True) == 42


# ------------------------------------------------------------------ words


@pytest.mark.parametrize("decimals", [1, 3])
@pytest.mark.parametrize("digits", [1, 12, 34, 99])
def test_a_chance_has_two_digits_or_is_a_power_of_ten(digits: int, decimals: int) -> None:
    """Of itself and of what it lacks of 1; 0 % and 100 % are only what is so."""
    for power in range(2, 30):
        chance = Fraction(digits, 10**power)
        needed = power - (1 if digits > 9 else 0) - 1
        shown_as = percent(chance, decimals)
        number = Fraction(shown_as.removesuffix("%"))
        assert abs(number / 100 - chance) <= chance / 10
        if "e" in shown_as:
            assert needed > MAX_DECIMALS
        else:
            assert len(shown_as.partition(".")[2]) - 1 <= max(decimals, MAX_DECIMALS)
        assert shown_as not in ("0.0%", "100.0%") or decimals == 0
        other = percent(1 - chance, decimals)
        if "e" in shown_as:
            assert other == f"over 99.{'9' * MAX_DECIMALS}%"
        else:
            assert Fraction(other.removesuffix("%")) + number == 100
    assert percent(Fraction(12, 10**9)) == "0.0000012%"
    assert percent(Fraction(12, 10**10)) == "1.2e-7%"


def test_what_is_quoted_is_cut_where_it_is_too_long() -> None:
    for length in (
        0,
        1,
        MAX_QUOTED_CHARS - 1,
        MAX_QUOTED_CHARS,
        MAX_QUOTED_CHARS + 1,
        2 * MAX_QUOTED_CHARS,
    ):
        text = "x" * length
        assert shown(text, str) == (
            text if length <= MAX_QUOTED_CHARS else "x" * MAX_QUOTED_CHARS + "..."
        )


@pytest.mark.parametrize(
    "error", [ValueError, RecursionError, MemoryError, SystemExit, KeyboardInterrupt]
)
def test_what_cannot_be_shown_is_said_to_be_so_unless_somebody_interrupts(
    error: type[BaseException],
) -> None:
    def fail(value: object) -> str:
        raise error

    if error is KeyboardInterrupt:
        with pytest.raises(error):
            shown(1, fail)
    else:
        assert shown(1, fail) == "something that cannot be shown"


@pytest.mark.parametrize("number", range(5))
def test_a_list_in_a_sentence_has_one_and(number: int) -> None:
    items = [str(item) for item in range(number)]
    assert re.split(", | and ", listed(items)) == (items or [""])
    assert listed(items).count(" and ") == (number > 1)


# ------------------------------------------------------------------ values


REFUSED: list[Any] = [True, 1.0, "1", None, nan, MAX_NUMBER + 1, -MAX_NUMBER - 1]


class Indexed(NamedTuple):
    """A whole number of another library."""

    value: int

    def __index__(self) -> int:
        return self.value


def test_a_whole_number_is_an_exact_one_within_its_bounds() -> None:
    for value in (0, 5, -5, MAX_NUMBER, -MAX_NUMBER, np.int8(3), np.uint64(7)):
        assert type(whole(value, "x")) is int
        assert whole(value, "x") == value
    for value in (MAX_NUMBER, -MAX_NUMBER):
        assert whole(Indexed(value), "x") == value
    for value in REFUSED:
        with pytest.raises(InputError, match=r"^x: "):
            whole(value, "x")
    for least in (-3, 0, 2):
        for value in range(-5, 5):
            for given in (value, np.int64(value)):
                if value < least:
                    with pytest.raises(InputError, match=f"whole number >= {least}$"):
                        whole(given, "x", least)
                else:
                    assert whole(given, "x", least) == value
            if least <= value <= 3:
                assert whole_number(value, least, 3, "one", "x") == value
            else:
                with pytest.raises(InputError, match=r"x: .* is not one"):
                    whole_number(value, least, 3, "one", "x")


def test_a_list_is_an_exact_tuple_as_long_as_it_says() -> None:
    lists: list[Any] = [[1, 2], (1, 2), np.array([1, 2]), range(1, 3)]
    for values in lists:
        assert type(entries(values, "x")) is tuple
        assert list(entries(values, "x")) == [1, 2]
        assert wholes(values, "x", 1) == (1, 2)
        with pytest.raises(InputError, match=r"x\[0\]: .*1.* >= 2"):
            wholes(values, "x", 2)

    class Lies(list[int]):
        def __len__(self) -> int:
            return claimed

    for claimed in (0, 1, 2, 3):
        if claimed == 2:
            assert entries(Lies([1, 2]), "x") == (1, 2)
        else:
            with pytest.raises(InputError, match=f"does not have {claimed} items, its own length"):
                entries(Lies([1, 2]), "x")
    no_lists: list[Any] = ["12", b"12", {1, 2}, {1: 2}, frozenset(), 5, None]
    for wrong in no_lists:
        with pytest.raises(InputError, match=r"x: .* is not a list"):
            entries(wrong, "x")


def test_one_of_so_many_is_numbered_from_0() -> None:
    for number in range(-2, 5):
        if 0 <= number < 3:
            assert numbered(number, 3, "set") == number
        else:
            with pytest.raises(InputError, match=rf"^set {number} is out of range 0\.\.2$"):
                numbered(number, 3, "set")
            with pytest.raises(InputError, match=rf"^x: set {number} is"):
                numbered(number, 3, "set", "x")
    for value in REFUSED:
        with pytest.raises(InputError, match=r"^set(: | .* out of range)"):
            numbered(value, 3, "set")
        with pytest.raises(InputError, match=r"^x: "):
            numbered(value, 3, "set", "x")
    assert permutation([2, 0, 1], 3, "x") == (2, 0, 1)
    for wrong in ([0, 1], [0, 1, 1], [1, 2, 3], [0, 1, 2, 3]):
        with pytest.raises(InputError, match=r"is not a permutation of the numbers 0\.\.2"):
            permutation(wrong, 3, "x")


def test_what_a_table_has_is_taken_by_its_name_alone() -> None:
    table: dict[str, int] = {"one": 1, "two": 2}
    for name, value in table.items():
        assert named(table, name) == value
    for wrong in ("three", "", None, 1, ["one"], b"one"):
        with pytest.raises(InputError, match=r"^unknown way .*; choose from one, two$"):
            named(table, wrong, "way")


def test_seconds_are_numbers_above_0_or_of_at_least_0() -> None:
    for seconds in (1, 0.5, Fraction(1, 3), np.float32(2), 1e-300, 1e300):
        assert time_limit(seconds) == checked_seconds(seconds) == min(float(seconds), MAX_SECONDS)
    assert time_limit(None) is None
    assert (checked_seconds(0), checked_seconds(inf)) == (0, inf)
    wrong: list[Any] = [-1, -1e-9, nan, True, False, "1", -inf]
    for seconds in [*wrong, 0, inf]:
        with pytest.raises(InputError, match=r"^seconds: must be a finite number > 0, not .*$"):
            time_limit(seconds)
    for seconds in [*wrong, None]:
        with pytest.raises(InputError, match=r"^seconds: must be a number >= 0, not .*$"):
            checked_seconds(seconds)


def test_every_argument_of_a_wrong_type_is_refused_however_it_is_given() -> None:
    @takes(first=int, second=(str, type(None)))
    def function(zeroth: Any = 0, first: int = 0, second: str | None = None) -> Any:
        return zeroth, first, second

    assert function() == (0, 0, None)
    assert function(5.5, second="x") == (5.5, 0, "x")
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: function(1, "x"), "first: 'x' is not a int"),  # type: ignore[arg-type]
        (lambda: function(first="x"), "first: 'x' is not a int"),  # type: ignore[arg-type]
        (lambda: function(1, 2, 3), "second: 3 is not a str or None"),  # type: ignore[arg-type]
        (lambda: function(second=3), "second: 3 is not a str or None"),  # type: ignore[arg-type]
    ]
    for call, words in calls:
        with pytest.raises(InputError, match=f"^{words}$"):
            call()


# ------------------------------------------------------------------ sentences as data


class Level(IntEnum):
    LOW = 1


class Pair(NamedTuple):
    left: int
    right: int


def test_values_of_a_sentence_are_data_where_they_are_plain() -> None:
    inner = Kind("inner", "{x}")(x=1)
    values = {"none": None, "number": 3, "part": 0.5, "yes": True, "text": "a"}
    kind = Kind("all", "{none} {number} {part} {yes} {text} {level} {pair} {many} {inner}")
    sentence = kind(
        **values, level=Level.LOW, pair=Pair(1, 2), many=[1, (2, None), inner], inner=inner
    )
    said = document(inner)
    assert said == {"text": "1", "kind": "inner", "x": 1}
    assert document(sentence) == {
        "text": str(sentence), "kind": "all", **values, "level": str(Level.LOW),
        "pair": "Pair(left=1, right=2)", "many": [1, [2, None], said], "inner": said,
    }  # fmt: skip
    assert document("plain") == {"text": "plain"}


@pytest.mark.parametrize("number", range(4))
def test_words_count_what_they_list(number: int) -> None:
    """Players by name where there are names, and a number alone where nothing else has one."""
    numbers, names = list(range(number)), ["Ann", "Ben", "Cleo", "Dan"]
    more = "" if number == 1 else "s"
    assert Words().players(numbers) == f"player{more} {listed(numbers)}"
    assert Words(names).players(numbers) == listed(names[:number])
    for words in (Words(), Words(names)):
        assert words.sets(numbers) == f"set{more} {listed(numbers)}"
        assert words.set(number) == f"set {number}"
        assert words.number(number) == (f"set {number}" if words.names else f"{number}")
        assert words.player(5) == "player 5"


def test_only_a_sentence_has_facts() -> None:
    values = {"who": 1, "what": "x"}
    assert facts(Kind("does", "{who:player} does {what}")(**values)) == values
    assert facts("player 1 does x") == {}
    assert unindented(indented("line", 4)) == unindented("line") == "line"


@pytest.mark.parametrize("line", range(4))
def test_a_mark_of_byte_order_may_stand_before_a_record_and_nowhere_else(line: int) -> None:
    lines = [b"game 1\n", b"seed 5\n", b"0 moves\n", b"1 moves\n"]
    plain = parse_text_record(b"".join(lines), "game 1", ("seed",))
    lines[line] = b"\xef\xbb\xbf" + lines[line]
    marked = parse_text_record(b"".join(lines), "game 1", ("seed",))
    texts = [[move.text for move in record.moves] for record in (plain, marked)]
    assert (texts[0] == texts[1]) == (line == 0)


def test_what_was_odd_about_a_file_makes_no_other_game() -> None:
    replays: list[Replay[str, None]] = [
        Replay(("start",), (), ("Ann",), (), 10, (10,)),
        Replay(("start",), (), ("Ann",), ("cut off",), 12, (12,)),
    ]
    assert replays[0] == replays[1]
    assert replays[0] != Replay(("start",), (), ("Ben",))
    begun: Replay[str, None] = Replay(("start",), ())
    assert (begun.ends, begun.whole_bytes) == ((0,), 0)


# ------------------------------------------------------------------ pictures


SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("bold", [False, True])
def test_a_text_is_bold_where_it_is_asked_to_be(bold: bool) -> None:
    assert ("bold" in svg_text(0, 0, "A", size=1, colour="red", bold=bold)) == bold


def test_cells_of_a_picture_lie_side_by_side_within_it_and_hold_their_text() -> None:
    rows = [
        [*heads("a", "b"), Cell("wide and long enough", "head", wide=2)],
        [Cell("sure", "sure"), Cell("gone", "gone", "left"), Cell("x"), Cell("yy")],
    ]
    for picture in (
        Picture("t", ("line", "another that is longer than any row of cells is, by far"), rows),
        Picture("t", (), rows),
        Picture("t"),
        Picture("a title", ("line",), [[Cell("g", "gone")]]),
    ):
        drawn = ElementTree.fromstring(picture.svg())
        size = float(drawn.attrib["font-size"])
        width, height = float(drawn.attrib["width"]), float(drawn.attrib["height"])
        assert drawn.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
        below = 0.0
        for number, text in enumerate(drawn.findall(f"{SVG}text")):
            assert float(text.attrib["y"]) >= below + size  # no line runs into the one above
            below = float(text.attrib["y"])
            assert len(text.text or "") * 0.6 * size <= width - 2 * size
            assert (text.attrib["font-weight"] == "bold") == (number == 0)
        if not picture.rows:
            longest = max(map(len, (picture.title, *picture.lines)))
            assert width == pytest.approx(0.62 * size * longest + 2 * size, abs=0.01)
        cells = iter(drawn.findall(f"{SVG}g"))
        for row in picture.rows:
            right, top = size, None
            for cell in row:
                group = next(cells)
                box, words = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
                assert box is not None
                assert words is not None
                x, y, wide, high = (float(box.attrib[k]) for k in ("x", "y", "width", "height"))
                assert x == pytest.approx(right, abs=0.01)
                assert top in (None, y)
                assert high > 1.2 * size
                if cell.kind != "gone":
                    assert len(cell.text) * 0.6 * size < wide
                middle = float(words.attrib["x"]), float(words.attrib["y"])
                assert middle[0] == pytest.approx(x + wide / 2, abs=0.01)
                assert y + size <= middle[1] + 0.2 * size < y + high
                assert (words.attrib["fill"] == "#767676") == (cell.kind == "gone")
                assert ("font-weight" in words.attrib) == (cell.kind in ("sure", "head"))
                fill = {"sure": "#c9e1f0", "head": "#eeeeee"}.get(cell.kind, "none")
                assert box.attrib["fill"] == fill
                assert (group.find(f"{SVG}title") is not None) == bool(cell.title)
                right, top = x + wide, y
            assert top is not None
            assert below <= top
            assert right <= width - size / 2
            below = top + high - 0.01
        assert height - 2 * size <= below <= height


def test_a_cell_of_a_page_takes_its_columns_and_says_what_it_is() -> None:
    for kind in ("head", "sure", "gone", ""):
        for wide in (1, 2, 3):
            page = Picture("t", (), [[Cell("x", kind, "why" * (wide > 1), wide)]]).html()
            cell = ElementTree.fromstring(page).find(".//tr/*")
            assert cell is not None
            assert cell.tag == ("th" if kind == "head" else "td")
            assert cell.attrib.get("colspan", "1") == str(wide)
            assert cell.attrib.get("title", "") == "why" * (wide > 1)
    assert Cell("x") == Cell("x", "", "", 1)
    assert "<table" not in Picture("t", ("line",)).html()
