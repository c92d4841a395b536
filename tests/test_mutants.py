"""`make mutants`: its files and tests exist, and it changes only code with an effect."""

from pathlib import Path
from runpy import run_path

import pytest

from tests import mutants
from tests.mutants import GROUPS, ROOT, Mutant, change_in_place, files_of, meaning


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_names_files_and_tests_that_exist(group: str) -> None:
    patterns, without, tests = GROUPS[group]
    files = files_of(group)
    assert files
    for pattern in patterns.split():
        assert list(ROOT.glob(pattern)), pattern
    assert not {path.stem for path in files} & set(without.split())
    assert all((ROOT / path).exists() for path in tests.split())


@pytest.mark.parametrize("word", ["def", "async def"])
def test_a_change_to_an_annotation_has_no_effect(word: str) -> None:
    plain = f"{word} f(a: int | None = 1) -> int | None:\n    b: int | str = a\n    return b\n"
    assert meaning(plain.replace("|", "&")) == meaning(plain)
    assert meaning(plain.replace("1", "2")) != meaning(plain)


PLACES = """\
LIMIT = 5
def f(
    first=1,
):
    if first > LIMIT:
        return [x + 1 for x in (
            first,
        )]
    return 0
class C:
    name = 2
    def g(self):
        try:
            return 3
        except ValueError:
            return 4
"""


@pytest.mark.parametrize(
    ("line", "users"), [(1, [5]), (3, [*range(5, 10)]), (4, [*range(5, 10)]), (11, [])]
)
def test_the_users_of_a_name_or_function_are_found(
    line: int, users: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m.py").write_text(PLACES)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    assert Mutant("m.py", "", 0, line, "").users() == users


@pytest.mark.parametrize("word", ["def", "async def"])
@pytest.mark.parametrize(
    ("line", "inside", "statement"),
    [(1, False, [1]), (3, False, [2, 3, 4]), (5, True, [5]), (6, True, [6, 7, 8]),
     (7, True, [6, 7, 8]), (9, True, [9]), (11, False, [11]), (13, True, [13]), (14, True, [14]),
     (15, True, [15]), (16, True, [16])],
)  # fmt: skip
def test_the_statement_of_a_changed_line_is_found(
    line: int, inside: bool, statement: list[int], word: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    (tmp_path / "m.py").write_text(PLACES.replace("def", word))
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    mutant = Mutant("m.py", "", 0, line, "")
    assert mutant.in_function() == inside
    assert list(mutant.statement()) == statement


def test_only_loaded_functions_are_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two functions of one line, nested functions, and functions whose neighbour disappears."""
    text = "def f(): return lambda: 1\npair = lambda: 1, lambda: 2\n"
    text += "def g():\n    for one in (lambda: 5,): return one()\n    return 6\n"
    path = tmp_path / "m.py"
    path.write_text(text)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    loaded = run_path(str(path))
    functions = [loaded["f"], loaded["f"](), *loaded["pair"], loaded["g"]]
    made = functions[1]
    for before, after, results in (
        ("lambda: 1\n", "lambda: 7\n", [7, 7, 1, 2, 5]),
        ("lambda: 2", "lambda: 8", [1, 1, 1, 8, 5]),
        ("in (lambda: 5,)", "in []", [1, 1, 1, 2, 6]),
        ("return 6", "return 9", [1, 1, 1, 2, 5]),
    ):
        codes = [function.__code__ for function in functions]
        change_in_place(Mutant("m.py", "", 0, 1, text.replace(before, after)), functions)
        assert [loaded["f"]()(), made(), *(function() for function in functions[2:])] == results
        for function, code in zip(functions, codes, strict=True):
            function.__code__ = code
