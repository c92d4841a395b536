"""The base package: words, plain values, pictures, text records."""

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
from quaternity.base.picture import Cell, Display, heading_cells
from quaternity.base.plugins import load_place
from quaternity.base.sentences import (
    MessageTemplate,
    Wording,
    document,
    indent,
    message_data,
    unindent,
)
from quaternity.base.svg import svg_text
from quaternity.base.text_format import (
    MAX_DECIMALS,
    MAX_QUOTED_CHARS,
    join_words,
    percent,
    quote_value,
)
from quaternity.base.text_record import Replay, parse_text_record
from quaternity.base.validation import (
    MAX_NUMBER,
    MAX_SECONDS,
    as_int,
    as_int_tuple,
    as_permutation,
    as_tuple,
    check_index,
    check_int,
    check_seconds,
    check_time_limit,
    lookup,
    validate_arguments,
)

# ------------------------------------------------------------------ places


def test_the_current_folder_is_searched_only_on_request(
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
    """The same holds for its complement; only 0 and 1 are shown as 0 % and 100 %."""
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


def test_long_quotations_are_truncated() -> None:
    for length in (
        0,
        1,
        MAX_QUOTED_CHARS - 1,
        MAX_QUOTED_CHARS,
        MAX_QUOTED_CHARS + 1,
        2 * MAX_QUOTED_CHARS,
    ):
        text = "x" * length
        assert quote_value(text, str) == (
            text if length <= MAX_QUOTED_CHARS else "x" * MAX_QUOTED_CHARS + "..."
        )


@pytest.mark.parametrize(
    "error", [ValueError, RecursionError, MemoryError, SystemExit, KeyboardInterrupt]
)
def test_values_that_cannot_be_shown_are_described_except_after_an_interrupt(
    error: type[BaseException],
) -> None:
    def fail(value: object) -> str:
        raise error

    if error is KeyboardInterrupt:
        with pytest.raises(error):
            quote_value(1, fail)
    else:
        assert quote_value(1, fail) == "a value that cannot be shown"


@pytest.mark.parametrize("number", range(5))
def test_a_list_in_a_sentence_has_one_and(number: int) -> None:
    items = [str(item) for item in range(number)]
    assert re.split(", | and ", join_words(items)) == (items or [""])
    assert join_words(items).count(" and ") == (number > 1)


# ------------------------------------------------------------------ values


REFUSED: list[Any] = [True, 1.0, "1", None, nan, MAX_NUMBER + 1, -MAX_NUMBER - 1]


class Indexed(NamedTuple):
    """A whole number type of another library."""

    value: int

    def __index__(self) -> int:
        return self.value


def test_a_whole_number_becomes_an_exact_int_within_bounds() -> None:
    for value in (0, 5, -5, MAX_NUMBER, -MAX_NUMBER, np.int8(3), np.uint64(7)):
        assert type(as_int(value, "x")) is int
        assert as_int(value, "x") == value
    for value in (MAX_NUMBER, -MAX_NUMBER):
        assert as_int(Indexed(value), "x") == value
    for value in REFUSED:
        with pytest.raises(InputError, match=r"^x: "):
            as_int(value, "x")
    for minimum in (-3, 0, 2):
        for value in range(-5, 5):
            for number in (value, np.int64(value)):
                if value < minimum:
                    with pytest.raises(InputError, match=f"whole number >= {minimum}, not "):
                        as_int(number, "x", minimum)
                else:
                    assert as_int(number, "x", minimum) == value
            if minimum <= value <= 3:
                assert check_int(value, minimum, 3, "one", "x") == value
            else:
                with pytest.raises(InputError, match="x: must be one, not "):
                    check_int(value, minimum, 3, "one", "x")


def test_a_list_becomes_an_exact_tuple_of_its_length() -> None:
    lists: list[Any] = [[1, 2], (1, 2), np.array([1, 2]), range(1, 3)]
    for values in lists:
        assert type(as_tuple(values, "x")) is tuple
        assert list(as_tuple(values, "x")) == [1, 2]
        assert as_int_tuple(values, "x", 1) == (1, 2)
        with pytest.raises(InputError, match=r"x\[0\]: .* >= 2, not .*1"):
            as_int_tuple(values, "x", 2)

    class Lies(list[int]):
        def __len__(self) -> int:
            return claimed

    for claimed in (0, 1, 2, 3):
        if claimed == 2:
            assert as_tuple(Lies([1, 2]), "x") == (1, 2)
        else:
            with pytest.raises(
                InputError, match=f"reports length {claimed}, but does not contain {claimed} items"
            ):
                as_tuple(Lies([1, 2]), "x")
    no_lists: list[Any] = ["12", b"12", {1, 2}, {1: 2}, frozenset(), 5, None]
    for wrong in no_lists:
        with pytest.raises(InputError, match=r"x: .* is not a list"):
            as_tuple(wrong, "x")


def test_indexes_are_numbered_from_0() -> None:
    for number in range(-2, 5):
        if 0 <= number < 3:
            assert check_index(number, 3, "set") == number
        else:
            with pytest.raises(InputError, match=rf"^set {number} is out of range 0\.\.2$"):
                check_index(number, 3, "set")
            with pytest.raises(InputError, match=rf"^x: set {number} is"):
                check_index(number, 3, "set", "x")
    for value in REFUSED:
        with pytest.raises(InputError, match=r"^set(: | .* out of range)"):
            check_index(value, 3, "set")
        with pytest.raises(InputError, match=r"^x: "):
            check_index(value, 3, "set", "x")
    assert as_permutation([2, 0, 1], 3, "x") == (2, 0, 1)
    for wrong in ([0, 1], [0, 1, 1], [1, 2, 3], [0, 1, 2, 3]):
        with pytest.raises(InputError, match=r"must contain each of the numbers 0\.\.2 once"):
            as_permutation(wrong, 3, "x")


def test_entries_of_a_table_are_chosen_by_name() -> None:
    table: dict[str, int] = {"one": 1, "two": 2}
    for name, value in table.items():
        assert lookup(table, name) == value
    for wrong in ("three", "", None, 1, ["one"], b"one"):
        with pytest.raises(InputError, match=r"^unknown way .*; choose from one, two$"):
            lookup(table, wrong, "way")


def test_seconds_are_numbers_above_0_or_of_at_least_0() -> None:
    for seconds in (1, 0.5, Fraction(1, 3), np.float32(2), 1e-300, 1e300):
        assert (
            check_time_limit(seconds) == check_seconds(seconds) == min(float(seconds), MAX_SECONDS)
        )
    assert check_time_limit(None) is None
    assert (check_seconds(0), check_seconds(inf)) == (0, inf)
    wrong: list[Any] = [-1, -1e-9, nan, True, False, "1", -inf]
    for seconds in [*wrong, 0, inf]:
        with pytest.raises(InputError, match=r"^seconds: must be a finite number > 0, not .*$"):
            check_time_limit(seconds)
    for seconds in [*wrong, None]:
        with pytest.raises(InputError, match=r"^seconds: must be a number >= 0, not .*$"):
            check_seconds(seconds)


def test_positional_and_keyword_arguments_of_a_wrong_type_are_refused() -> None:
    @validate_arguments(first=int, second=(str, type(None)))
    def function(zeroth: Any = 0, first: int = 0, second: str | None = None) -> Any:
        return zeroth, first, second

    assert function() == (0, 0, None)
    assert function(5.5, second="x") == (5.5, 0, "x")
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: function(1, "x"), "first: 'x' is not an int"),  # type: ignore[arg-type]
        (lambda: function(first="x"), "first: 'x' is not an int"),  # type: ignore[arg-type]
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


def test_plain_values_of_a_sentence_are_data() -> None:
    inner = MessageTemplate("inner", "{x}")(x=1)
    values = {"none": None, "number": 3, "part": 0.5, "yes": True, "text": "a"}
    kind = MessageTemplate(
        "all", "{none} {number} {part} {yes} {text} {level} {pair} {many} {inner}"
    )
    sentence = kind(
        **values, level=Level.LOW, pair=Pair(1, 2), many=[1, (2, None), inner], inner=inner
    )
    expected = document(inner)
    assert expected == {"text": "1", "kind": "inner", "x": 1}
    assert document(sentence) == {
        "text": str(sentence), "kind": "all", **values, "level": str(Level.LOW),
        "pair": "Pair(left=1, right=2)", "many": [1, [2, None], expected], "inner": expected,
    }  # fmt: skip
    assert document("plain") == {"text": "plain"}


@pytest.mark.parametrize("number", range(4))
def test_words_count_what_they_list(number: int) -> None:
    """Players are named if there are names; a number stands alone if nothing else has one."""
    numbers, names = list(range(number)), ["Ann", "Ben", "Cleo", "Dan"]
    more = "" if number == 1 else "s"
    assert Wording().players(numbers) == f"player{more} {join_words(numbers)}"
    assert Wording(names).players(numbers) == join_words(names[:number])
    for words in (Wording(), Wording(names)):
        assert words.sets(numbers) == f"set{more} {join_words(numbers)}"
        assert words.set(number) == f"set {number}"
        assert words.number(number) == (f"set {number}" if words.names else f"{number}")
        assert words.player(5) == "player 5"


def test_only_a_sentence_has_facts() -> None:
    values = {"who": 1, "what": "x"}
    assert message_data(MessageTemplate("does", "{who:player} does {what}")(**values)) == values
    assert message_data("player 1 does x") == {}
    assert unindent(indent("line", 4)) == unindent("line") == "line"


@pytest.mark.parametrize("line", range(4))
def test_a_byte_order_mark_is_accepted_only_before_a_record(line: int) -> None:
    lines = [b"game 1\n", b"seed 5\n", b"0 moves\n", b"1 moves\n"]
    plain = parse_text_record(b"".join(lines), "game 1", ("seed",))
    lines[line] = b"\xef\xbb\xbf" + lines[line]
    marked = parse_text_record(b"".join(lines), "game 1", ("seed",))
    texts = [[move.text for move in record.moves] for record in (plain, marked)]
    assert (texts[0] == texts[1]) == (line == 0)


def test_warnings_about_a_file_do_not_affect_equality() -> None:
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
def test_a_text_is_bold_on_request(bold: bool) -> None:
    assert ("bold" in svg_text(0, 0, "A", size=1, colour="red", bold=bold)) == bold


def test_cells_of_a_picture_are_side_by_side_and_contain_their_text() -> None:
    rows = [
        [*heading_cells("a", "b"), Cell("wide and long enough", "head", wide=2)],
        [Cell("sure", "sure"), Cell("gone", "gone", "left"), Cell("x"), Cell("yy")],
    ]
    for picture in (
        Display("t", ("line", "another that is longer than any row of cells is, by far"), rows),
        Display("t", (), rows),
        Display("t"),
        Display("a title", ("line",), [[Cell("g", "gone")]]),
    ):
        drawn = ElementTree.fromstring(picture.svg())
        size = float(drawn.attrib["font-size"])
        width, height = float(drawn.attrib["width"]), float(drawn.attrib["height"])
        assert drawn.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
        below = 0.0
        for number, text in enumerate(drawn.findall(f"{SVG}text")):
            assert float(text.attrib["y"]) >= below + size  # lines do not overlap
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


def test_a_cell_of_a_page_spans_its_columns_and_has_a_title() -> None:
    for kind in ("head", "sure", "gone", ""):
        for wide in (1, 2, 3):
            page = Display("t", (), [[Cell("x", kind, "why" * (wide > 1), wide)]]).html()
            cell = ElementTree.fromstring(page).find(".//tr/*")
            assert cell is not None
            assert cell.tag == ("th" if kind == "head" else "td")
            assert cell.attrib.get("colspan", "1") == str(wide)
            assert cell.attrib.get("title", "") == "why" * (wide > 1)
    assert Cell("x") == Cell("x", "", "", 1)
    assert "<table" not in Display("t", ("line",)).html()
