"""Settings of all tests: profiles of Hypothesis, fixed draws, and a neutral environment.

The profile `ci` is the default. It tries the same few examples in every run, so its outcome depends
on the code alone. `--hypothesis-profile=thorough` tries many examples, which differ in every run;
of a whole folder it runs only the tests that try more than in the default run. `sizes.py` has the
numbers of examples.
"""

import ast
import gc
import os
import re
import signal
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.fixed_draws import fix_draws, seed_draws

TOP = Path(__file__).parents[1]
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", PATIENT, max_examples=100)
settings.register_profile("ci", PATIENT, max_examples=6, derandomize=True, database=None)
settings.load_profile("ci")
FOREIGN = re.compile("COLUMNS|NO_COLOR|FORCE_COLOR|MPL.*|XDG_.*|PG.*|QUATERNITY_(DATA|METRICS.*)")
"""Variables of the developer's environment that would change the behaviour of the program."""

# A shell lets its background jobs ignore interrupts, and so would all processes of the tests.
signal.signal(signal.SIGINT, signal.default_int_handler)
fix_draws()


def pytest_configure(config: pytest.Config) -> None:
    """Set up a neutral environment: a home of its own, and bytecode in one folder.

    If Python must not write bytecode beside its files, every process of the tests would compile
    the whole program anew.
    """
    for name in filter(FOREIGN.fullmatch, list(os.environ)):
        del os.environ[name]
    if not hasattr(config, "workerinput"):  # the workers of xdist share the home of their parent
        home = tempfile.TemporaryDirectory(prefix="quaternity-home-", ignore_cleanup_errors=True)
        config.add_cleanup(home.cleanup)
        os.environ["HOME"] = home.name
    os.environ["MPLCONFIGDIR"] = str(TOP / ".bytecode" / "matplotlib")  # its list of fonts is slow
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        folder = str(TOP / ".bytecode")
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = folder
        sys.dont_write_bytecode = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed the draws of the fixtures by the name of the test."""
    seed_draws(f"{item.nodeid} setup")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Seed the draws of a test by its name, whatever its fixtures have drawn."""
    seed_draws(item.nodeid)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that try no more in the thorough run, unless their file is named."""
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
    """Exclude the modules and tests from garbage collection: they are a third of all objects."""
    gc.collect()
    gc.freeze()
