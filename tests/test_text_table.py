"""Tables as text: columns are side by side if they fit, nothing is lost, and no line is wider."""

import re
from itertools import pairwise
from math import ceil

from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.text_table import SetLine, owners_text, score_text, table_lines
from tests.sizes import examples

cells = st.text("*=0123", min_size=1, max_size=4)


@st.composite
def set_lines(draw: st.DrawFn) -> list[SetLine]:
    """Draw sets with equal numbers of cards."""
    cards = draw(st.integers(1, 5))
    row = st.tuples(*[cells] * cards)
    sets = draw(st.lists(st.tuples(row, st.sampled_from(["", "1:2", "0:1 3:1"])), min_size=5))
    long = draw(st.booleans())
    return [SetLine(f"{n}" * (1 + 3 * long), *rest) for n, rest in enumerate(sets[:12])]


@given(set_lines())
@settings(max_examples=examples(300))
def test_more_than_six_sets_are_in_two_columns_if_they_fit(lines: list[SetLine]) -> None:
    """Compute the widths here, and try widths just above and below the limit."""
    for chosen in (lines[:6], lines[:7], lines):
        needed = [2 * wide(chosen, gap) + 3 for gap in (1, 2)]
        for width in (*needed, *(limit - 1 for limit in needed), 999):
            check_columns(chosen, width)


def wide(lines: list[SetLine], gap: int) -> int:
    """Return the width of one column with `gap` spaces between cells."""
    cell = max([2, *(len(cell) for line in lines for cell in line.cells)]) + gap
    rest = max(len("at least"), *(len(line.rest) for line in lines))
    return max(3, *(len(line.name) for line in lines)) + 2 + cell * len(lines[0].cells) + rest


def check_columns(lines: list[SetLine], width: int) -> None:
    text = owners_text(lines, width).split("\n")
    if len(lines) > 6 and 2 * wide(lines, 1) + 3 <= width:
        column = wide(lines, 2 if 2 * wide(lines, 2) + 3 <= width else 1)
        assert len(text) == 1 + ceil(len(lines) / 2)
        assert max(map(len, text)) <= width
        assert [match.start() for match in re.finditer("set ", text[0])] == [0, column + 3]
        halves = [line[:column] for line in text[1:]] + [line[column + 3 :] for line in text[1:]]
    elif wide(lines, 2) <= width:
        assert len(text) == 1 + len(lines)
        halves = text[1:]
    else:
        assert max(map(len, text)) <= max(width, 20)
        return
    before = max(3, *(len(line.name) for line in lines))
    for line, shown in zip(lines, halves, strict=False):
        assert shown[: before + 2] == f"{line.name:>{before}}  "
        assert shown.split() == [line.name, *line.cells, *line.rest.split()]
    assert sum(bool(half.strip()) for half in halves) == len(lines)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=9),
    st.integers(-1, 9),
)
@settings(max_examples=examples(300))
def test_a_line_has_as_many_scores_as_fit(scores: list[tuple[int, int]], turn: int) -> None:
    """Try lines of any length, especially of lengths at which one more entry just fits."""
    hands, points = zip(*scores, strict=True)
    entry = r"([> ]) player (\d+): (\d+) cards?, (\d+) points?"
    single = score_text(hands, points, turn, 1).split("\n")
    widest = max(map(len, single))
    for fitting, width in [(1, 1)] + [
        (number - (short > 0), number * widest + (number - 1) * 3 - short)
        for number in range(2, 12) for short in (0, 1)
    ]:  # fmt: skip
        text = score_text(hands, points, turn, width)
        rows = [list(re.finditer(entry, line)) for line in text.split("\n")]
        assert [match.groups() for row in rows for match in row] == [
            (">" if player == turn else " ", f"{player}", f"{cards}", f"{won}")
            for player, (cards, won) in enumerate(scores)
        ]
        assert [len(row) for row in rows[:-1]] == [fitting] * (len(rows) - 1)
        assert 1 <= len(rows[-1]) <= fitting
        for row in rows:
            assert [match.start() for match in row] == [n * (widest + 3) for n in range(len(row))]


@given(
    st.lists(st.lists(cells, min_size=1, max_size=6), min_size=1, max_size=3),
    st.integers(6, 40),
    st.integers(1, 2),
)
@settings(max_examples=examples(600))
def test_a_table_is_split_only_if_one_more_column_would_be_too_wide(
    rows: list[list[str]], width: int, names: int
) -> None:
    columns = names + min(map(len, rows))
    table = [["name"] * names + row[: columns - names] for row in rows]
    head = ["name", "else"][:names] + [f"h{place}" for place in range(columns - names)]
    wide = [max(len(line[place]) for line in [head, *table]) for place in range(columns)]
    lines = table_lines(head, table, width, names)
    parts = [part.split("\n") for part in "\n".join(lines).split("\n\n")]
    place = names
    for part in parts:
        shown = part[0].split()[names:]
        assert shown
        assert shown == head[place : place + len(shown)]
        taken = sum(wide[:names]) + 2 * (names - 1) + sum(2 + w for w in wide[place:][: len(shown)])
        assert max(map(len, part)) <= taken
        assert len(shown) == 1 or taken <= width
        place += len(shown)
        assert place == columns or taken + 2 + wide[place] > width
        assert [line.split()[names:] for line in part[1:]] == [
            row[place - len(shown) : place] for row in table
        ]
    assert place == columns


@given(st.integers(1, 60), st.lists(st.sampled_from(["a", "bb", "ccc"]), min_size=1, max_size=8))
@settings(max_examples=examples(400))
def test_the_first_column_is_at_most_half_the_width_or_ten(width: int, name: list[str]) -> None:
    """Longer names are folded between words; an example of ten letters is never folded."""
    lines = table_lines(["n", "x"], [[" ".join(name), "1"]], width)
    limit = max(width // 2, 10)
    shown = [line.removesuffix("1").strip() for line in lines[1:]]
    assert " ".join(shown).split() == name
    assert max(map(len, shown)) <= limit
    for line, after in pairwise(shown):
        assert len(line) + 1 + len(after.split()[0]) > limit
