"""The lint of the project's English finds bad wordings and accepts good ones."""

import pytest

from tests.plain import NAMES, RULES, hits_of

EXAMPLES = {  # rule: (a file with one hit, the same in good English)
    "who": ("# Time for who waits.", "# Time for players who wait."),
    "what-prep": ("# Show a list of what is allowed.", "# Show a list of the moves."),
    "what-is": ("# What was agreed.", "# The settings of the game."),
    "one": ("# Show that one wants this.", "# Show that the player wants this."),
    "somebody": ("# Somebody asked.", "# A player asked."),
    "so-many": ("# Try so many times.", "# Try up to five times."),
    "bare-most": ('A = 1\n"""Most cards."""', 'A = 1\n"""Maximum number of cards."""'),
    "no-noun": ('A = 1\n"""Of a file, in bytes."""', 'A = 1\n"""Maximum size of a file."""'),
    "is-none": ("# It is none.", "# There is none."),
    "is-no": ("# This is no file.", "# This is not a file."),
    "no-object": ("# It reads no file.", "# It does not read a file."),
    "fronted": ("# Per seat the seconds.", "# The seconds per seat."),
    "of-which": ("# Cards of which half are known.", "# Cards, half of them known."),
    "where-if": ("# None where it is unknown.", "# None if it is unknown."),
    "also-post": ("# All, also those.", "# All, including those."),
    "but-for": ("# All but for those.", "# All except those."),
    "as-like": ("# As `f`.", "# Like `f`."),
    "anew": ("# Begin anew.", "# Begin again."),
    "on-turn": ("# The player on turn.", "# The player to move."),
    "of-own": ("# A process of its own.", "# Its own process."),
    "told": ("# The event is told.", "# The event is reported."),
    "phrasal": ("# Files are looked at.", "# Files are inspected."),
    "house": ("# Other doors.", "# Other interfaces."),
    "message": ('f("the known are {x}")', 'f("choose one of {x}")'),
    "fragment": ('def f():\n    """By search."""', 'def f():\n    """Search."""'),
    "raises-it": (
        'def f():\n    """Do it.\n\n    Raises:\n        E: it is bad.\n    """',
        'def f():\n    """Do it.\n\n    Raises:\n        E: If the file is bad.\n    """',
    ),
    "name-participle": ("def chosen(a: int) -> str: ...", "def choose(a: int) -> str: ..."),
    "name-most": ("MOST_CARDS = 1", "MAX_CARDS = 1"),
    "name-one": ("for one in cards: pass", "for card in cards: pass"),
}


@pytest.mark.parametrize("rule", [*RULES, *NAMES])
def test_each_rule_finds_only_its_own_wording(rule: str) -> None:
    bad, good = EXAMPLES[rule]
    assert [hit.rule for hit in hits_of("quaternity/a.py", bad)] == [rule]
    assert not list(hits_of("quaternity/a.py", good))


def test_a_mark_excuses_a_line() -> None:
    assert not list(hits_of("quaternity/a.py", "# Begin anew. plain: ok, a quotation"))


@pytest.mark.parametrize(
    ("file", "source", "line"),
    [
        ("a.md", "# Title\n\n    anew\n\nA sentence\nthat begins anew.\n", 6),
        ("a.html", "<p title='anew'>\n<b>anew</b></p>{# anew #}\n", 2),
        ("a.py", '"""A module.\n\n>>> "anew"\n\nIt begins anew.\n"""\n', 5),
        ("a.py", 'fail(f"{path}: begin the {1 + 1} anew")', 1),
    ],
)
def test_the_line_of_a_hit_is_given_and_code_is_left_out(file: str, source: str, line: int) -> None:
    assert [(hit.line, hit.rule) for hit in hits_of(file, source)] == [(line, "anew")]
