"""What `make mutants` changes and runs is there, and what it leaves alone means nothing."""

import pytest

from tests.mutants import GROUPS, HOUSE, files_of, meaning


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_names_files_and_tests_that_exist(group: str) -> None:
    patterns, without, tests = GROUPS[group]
    found = files_of(group)
    assert found
    for pattern in patterns.split():
        assert list(HOUSE.glob(pattern)), pattern
    assert not {path.stem for path in found} & set(without.split())
    assert all((HOUSE / one).exists() for one in tests.split())


def test_a_change_to_an_annotation_alone_means_nothing() -> None:
    plain = "def f(a: int | None = 1) -> int | None:\n    b: int | str = a\n    return b\n"
    assert meaning(plain.replace("|", "&")) == meaning(plain)
    assert meaning(plain.replace("1", "2")) != meaning(plain)
