"""Settings of all tests: profiles of Hypothesis, fixed draws, and a neutral environment.

The profile `ci` is the default. It tries the same few examples in every run, so its outcome depends
on the code alone. `--hypothesis-profile=thorough` tries many examples, which differ in every run.
`sizes.py` has the numbers of examples.
"""

import gc
import os
import re
import signal
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from tests.fixed_draws import fix_draws, seed_draws

TOP = Path(__file__).parents[1]
BROWSER = "tests/web/browser/"
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", PATIENT, max_examples=100)
settings.register_profile("ci", PATIENT, max_examples=6, derandomize=True, database=None)
settings.load_profile("ci")
FOREIGN = re.compile("COLUMNS|NO_COLOR|FORCE_COLOR|MPL.*|XDG_.*|PG.*|QUATERNITY_(DATA|METRICS.*)")
"""Variables of the developer's environment that would change the behaviour of the program."""

# A shell lets its background jobs ignore interrupts, and so would all processes of the tests.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
fix_draws()


def pytest_runtest_teardown() -> None:
    """Handle interrupts again, which CP-SAT leaves to the system after an example of a page."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Set up a neutral environment: a separate home, and bytecode in one folder.

    If Python must not write bytecode beside its files, every process of the tests would compile
    the whole program again.
    """
    for name in filter(FOREIGN.fullmatch, list(os.environ)):
        del os.environ[name]
    if not hasattr(config, "workerinput"):  # the workers of xdist share the home of their parent
        home = tempfile.TemporaryDirectory(prefix="quaternity-home-", ignore_cleanup_errors=True)
        config.add_cleanup(home.cleanup)
        os.environ["HOME"] = home.name
    os.environ["MPLCONFIGDIR"] = str(
        TOP / ".bytecode" / "matplotlib"
    )  # its list of fonts takes long to build
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


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Leave out the doctests of modules without any, because searching for them takes long."""
    collectors = yield
    if file_path.suffix == ".py" and ">>> " not in file_path.read_text(encoding="utf-8"):
        return [part for part in collectors if not isinstance(part, DoctestModule)]
    return collectors


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that wait most, so that no process has them alone at the end."""
    waiting = {
        item.path for item in items if {"browser", "cluster"} & {*getattr(item, "fixturenames", ())}
    }
    items.sort(key=lambda item: (not item.nodeid.startswith(BROWSER), item.path not in waiting))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run all tests with a browser in one process, because browsers slow each other down."""
    from xdist.scheduler import LoadFileScheduling

    if config.getvalue("dist") != "loadfile":
        return None
    scheduler = LoadFileScheduling(config, log)
    file_of = scheduler._split_scope
    scheduler._split_scope = lambda test: BROWSER if test.startswith(BROWSER) else file_of(test)
    return scheduler


def pytest_collection_finish() -> None:
    """Exclude the modules and tests from garbage collection: they are a third of all objects."""
    gc.collect()
    gc.freeze()
