"""For all tests: a busy machine fails none of them, nor one where they run in the background.

Two profiles: `quick` is the default and tries the same few examples every time, so that it passes
for one as for the other; `--hypothesis-profile=thorough` tries many, and others every time.
`sizes.py` says how many. Of a whole folder the thorough profile leaves out what tries no more.
"""

import ast
import gc
import os
import signal
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

TOP = Path(__file__).parents[1]
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
PART = int(os.environ.get("QUATERNITY_PART", "1"))  # as `sizes.py` says
settings.register_profile("thorough", PATIENT, max_examples=100 // PART)
settings.register_profile("quick", PATIENT, max_examples=6, derandomize=True, database=None)
settings.load_profile("quick")
os.environ.pop("COLUMNS", None)  # some shells tell how wide they are
# A shell lets its background jobs ignore interrupts, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure() -> None:
    """Where Python must not write bytecode beside its files, all runs share some in a folder.

    Many tests start processes, and each would compile the whole house; pytest, all the tests.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        folder = str(TOP / ".bytecode")
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = folder
        sys.dont_write_bytecode = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to the quick run what the thorough one would only repeat, but for files by name."""
    if settings.get_current_profile_name() != "thorough" or any(".py" in a for a in config.args):
        return
    config.hook.pytest_deselected(items=[item for item in items if not tries_more(item)])
    items[:] = [item for item in items if tries_more(item)]


def tries_more(item: pytest.Item) -> bool:
    """Return whether a test tries more in the thorough profile: by Hypothesis, or by a size."""
    if not isinstance(item, pytest.Function):  # a doctest
        return False
    here = item.path.parent
    files = [item.path, *(folder / "conftest.py" for folder in (here, *here.parents))]
    sized = set().union(*(with_size(file) for file in files if file.is_file()))
    names = {item.originalname, item.cls and item.cls.__name__, *item.fixturenames}
    return is_hypothesis_test(item.function) or not sized.isdisjoint(names)


@cache
def with_size(file: Path) -> frozenset[str]:
    """Return the names of a module that depend on a size of `sizes.py`, however indirectly."""
    defined: dict[str, set[str]] = {}
    sized: set[str] = set()
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests"):
            source = TOP.joinpath(*str(node.module).split(".")).with_suffix(".py")
            theirs = with_size(source) if source.is_file() else frozenset()
            every = source.name == "sizes.py"
            sized |= {a.asname or a.name for a in node.names if every or a.name in theirs}
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        used |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {part.id for t in targets for part in ast.walk(t) if isinstance(part, ast.Name)}
        else:
            names = {getattr(node, "name", "")}
        for name in names:
            defined.setdefault(name, set()).update(used)
    while more := {name for name, used in defined.items() if name not in sized and used & sized}:
        sized |= more
    return frozenset(sized)


def pytest_collection_finish() -> None:
    """Collections of garbage need not look at the modules and tests themselves, a third of all."""
    gc.collect()
    gc.freeze()
