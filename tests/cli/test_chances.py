"""Text matrices: the columns are aligned, whatever the numbers of players and cards."""

import pytest

from quaternity.cli.chances import chance_lines, count_lines, curve_lines


@pytest.mark.parametrize(("players", "size"), [(3, 4), (12, 4), (100, 3), (3, 12), (11, 101)])
def test_columns_are_aligned_with_their_heads(players: int, size: int) -> None:
    chances = [[[1 / players] * players for _ in range(size)] for _ in range(2)]
    for lines in (
        list(chance_lines(chances, 10_000))[1:],
        list(count_lines([[(0, size)] * 2] * players, 200)),
    ):
        ends = [[at for at, char in enumerate(line + " ") if char == " "] for line in lines]
        for line, spaces in zip(lines, ends, strict=True):
            # Every number of the head ends where the numbers below it end.
            for at in range(len(lines[0])):
                if lines[0][at : at + 2].strip().isdigit() and lines[0][at + 1 : at + 2] in " ":
                    assert at + 1 in spaces, line


def test_the_last_point_of_a_curve_is_shown() -> None:
    for length in (59, 60, 61, 62, 119, 120, 121, 500):
        bars, words = curve_lines([10**9] * (length - 1) + [1])
        first, *shown, last = bars.split(" ")
        assert (first, last) == ("9.0", "0.0")
        # The last bar has no height: it is a space.
        assert shown[0].strip("█") == ""
        assert len(bars) - len("9.0  0.0") <= 61
        assert bars.endswith("█  0.0")
        assert f"in {length - 1} moves" in words
