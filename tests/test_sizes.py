"""What the thorough profile leaves out tries no more there than in the quick one."""

from pathlib import Path

from tests.conftest import with_size

MODULE = """
from tests.sizes import examples, thorough as many
SEEDS, NAMES = range(many(2, 20)), ["a"]
def seeds(): return SEEDS
class Kept:
    games = seeds()
def fixture(tmp_path): return Kept.games
def test_a(fixture): ...
@settings(max_examples=examples(300))
def test_b(): ...
def test_c(tmp_path): assert NAMES is not None or many is None
def test_d(tmp_path): assert tmp_path
"""


def test_what_depends_on_a_size_is_known_however_indirectly(tmp_path: Path) -> None:
    file = tmp_path / "test_sized.py"
    file.write_text(MODULE)
    sized = {"examples", "many", "SEEDS", "NAMES", "seeds", "Kept", "fixture", "test_a"}
    assert with_size(file) == sized | {"test_b", "test_c"}
