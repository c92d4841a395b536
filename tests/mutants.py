"""Mutation tests: make small changes to the program, which must make tests fail.

    python -m tests.mutants solvers rules --sample 200 --seed 1 --minutes 60 --processes 2

Cosmic Ray lists the possible changes (`+` to `-`, `<` to `<=`, a number to the next one, ...). This
module draws a sample of them. For each change it runs the quick tests that run the changed line,
cheap ones first, up to the first failure and for at most `BUDGET` seconds. Files stay unchanged:
the functions of a forked process, which has loaded the program and collected the tests, get the
changed code. If the changed line runs at import, the process imports the changed module itself.
Processes that tests start also load the changed module.

Results are stored in `.mutants/`, so that an interrupted run can be resumed. The next run tries
survivors again, except those that `tests/survivors.md` lists with a reason. These change no result:
they are explained, and do not count in the score.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from ctypes import CDLL
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import accumulate, count
from math import inf
from mmap import mmap
from pathlib import Path
from random import Random
from shutil import rmtree
from struct import pack, unpack
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).parents[1]
STORE = ROOT / ".mutants"

GROUPS = {
    # group: (files, without; tests)
    "solvers": (
        "solvers/*.py",
        "strategies random_problems testing counterexample __init__",
        "tests/solvers",
    ),
    "rules": (
        "quaternity/game/*.py",
        "__init__ html journal record saved_states state_file text_table",
        "tests/game tests/insight tests/table/test_laws.py tests/table/test_random_matches.py",
    ),
    "insight": ("quaternity/insight/*.py", "__init__ analysis_plot", "tests/insight tests/game"),
    "retrograde": (
        "quaternity/perfect/*.py quaternity/perfect/keys/*.py quaternity/perfect/successors/*.py"
        " quaternity/perfect/solving/*.py",
        "__init__ players estimate",
        "tests/perfect/test_brisk.py tests/perfect/test_canonical.py"
        " tests/perfect/test_certificate.py tests/perfect/test_max_n.py"
        " tests/perfect/test_expansion.py tests/perfect/test_forcing.py tests/perfect/test_kinds.py"
        " tests/perfect/test_retrograde.py tests/perfect/test_runs.py tests/perfect/test_solving.py"
        " tests/perfect/test_state_value.py tests/perfect/test_tablebase.py"
        " tests/perfect/test_stalling.py tests/perfect/test_work_files.py tests/cli/test_verify.py",
    ),
    "bots": (
        "quaternity/perfect/bots/*.py quaternity/perfect/players.py"
        " quaternity/perfect/solving/estimate.py",
        "__init__",
        "tests/perfect/test_bots.py tests/perfect/test_estimate.py tests/perfect/test_stalling.py"
        " tests/perfect/test_brisk.py tests/table/test_tournament.py tests/table/test_match.py",
    ),
    "scores": (
        "quaternity/table/tournament/scores.py",
        "",
        "tests/table/test_tournament.py tests/kwartet/test_tournament.py",
    ),
    "epistemic": (
        "quaternity/epistemic/*.py",
        "__init__ explanation grammar language notation strategies",
        "tests/epistemic tests/kwartet/test_queries.py",
    ),
    "exchange": (
        "solvers/exchange/*.py",
        "__init__",
        "tests/solvers/test_exchange.py tests/solvers/test_deal_problem_file.py"
        " tests/solvers/test_proof.py tests/cli/test_exchange.py",
    ),
    "base": (
        "quaternity/base/*.py",
        "__init__ deadline errors cp_sat_search interrupts lazy_names memo",
        "tests/test_base.py tests/test_files.py tests/test_pictures.py tests/test_colours.py"
        " tests/test_text_table.py tests/test_plots.py"
        " tests/table/test_journal.py tests/table/test_laws.py tests/table/test_sentences.py"
        " tests/game/test_card_picture.py tests/game/test_writing.py tests/cli/test_widths.py"
        " tests/solvers/test_problem.py tests/solvers/test_registry.py",
    ),
    "environments": (
        "quaternity/environments/*.py",
        "__init__ open_spiel pettingzoo",  # these modules need optional packages
        "tests/environments",
    ),
    "workers": (
        "quaternity/workers/*.py",
        "__init__ serving",  # runs in processes that import every file again
        "tests/test_workers.py tests/test_isolated_calls.py tests/test_isolated_solvers.py "
        "tests/test_threads.py"
        " tests/table/test_programs.py",
    ),
    "kwartet": ("quaternity/kwartet/**/*.py", "__init__", "tests/kwartet tests/environments"),
    "table": (
        "quaternity/table/**/*.py",
        "__init__",
        "tests/table tests/test_wrong_arguments.py tests/cli/test_doors.py tests/cli/test_check.py"
        " tests/cli/test_players.py tests/kwartet/test_tournament.py",
    ),
    "trials": (
        "quaternity/trials/**/*.py",
        "__init__",
        "tests/comparison tests/campaign tests/game/test_random_play.py"
        " tests/game/test_state_laws.py",
    ),
    "web": (
        "quaternity/web/**/*.py",
        "__init__",
        "tests/web/test_core_machine.py tests/web/test_http_machine.py"
        " tests/cli/test_tables.py tests/web/test_rate_limits.py tests/web/test_api.py"
        " tests/web/test_boards.py tests/web/test_api_limits.py tests/web/test_chat.py"
        " tests/web/test_clocks.py tests/web/test_help_pages.py tests/web/test_site_pages.py"
        " tests/web/test_connections.py tests/web/test_damage.py tests/web/test_decks.py"
        " tests/web/test_doors.py tests/web/test_end.py"
        " tests/web/test_metrics.py tests/web/test_forms.py tests/web/test_full_disk.py"
        " tests/web/test_middleware.py tests/web/test_hammering.py tests/web/test_hostile.py"
        " tests/web/test_table_admin.py tests/web/test_kill.py tests/web/test_languages.py"
        " tests/web/test_leaks.py tests/web/test_lesson_pages.py tests/web/test_peers.py"
        " tests/web/test_operating.py tests/web/test_pages.py tests/web/test_party.py"
        " tests/web/test_puzzles.py tests/web/test_review.py tests/web/test_store.py"
        " tests/web/test_open_store.py tests/web/test_streams.py tests/web/test_tables.py"
        " tests/web/test_background.py tests/web/test_waiting.py tests/web/test_words.py",
    ),
}
"""The files to change, and the tests that must detect it, in addition to the files' doctests."""

OPERATORS = (
    *(f"ReplaceBinaryOperator_{pair}" for pair in (
        "Add_Sub", "Sub_Add", "Mul_Add", "Div_Mul", "FloorDiv_Mul", "Mod_Mul", "Pow_Mul",
        "LShift_RShift", "RShift_LShift", "BitAnd_BitOr", "BitOr_BitAnd", "BitXor_BitOr",
    )),
    *(f"ReplaceComparisonOperator_{pair}" for pair in (
        "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt",
        "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is",
    )),
    "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_Invert",
    "ReplaceUnaryOperator_USub_UAdd", "NumberReplacer", "AddNot", "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak", "ZeroIterationForLoop",
)  # fmt: skip
"""Those operators of Cosmic Ray that resemble typing errors, unlike `+` to `@`."""

NO_RESULT = re.compile(
    r"BYTES|bytes_of|\.charge\(|\.keep\(|\bsize \+?= \d|lru_cache\(|if TYPE_CHECKING:"
)
"""Lines that only limit caches, or import types; they are not changed."""

HEAVY = ("hypothesis", "numpy", "ortools.sat.python.cp_model", "ortools.graph.python.max_flow",
         "pytest", "scipy.sparse.csgraph", "scipy.special", "rich", "typer")  # fmt: skip
"""Libraries imported before children are forked. The changing program itself is not imported."""

QUIETLY = ("-q", "--no-header", "--assert=plain")
"""Options of pytest. With rewritten asserts, pytest would import the unchanged files itself."""

FAILED = 70
"""Exit status of a child that failed; `.mutants/trouble.log` has the reason."""

SECONDS = 3.0
"""Processor seconds allowed for a test, in addition to five times its usual time. The wall-clock
limit is four times as long."""

COLLECTING = 120.0
"""Wall-clock seconds to load the program and its tests."""

BUDGET = 15.0
"""Maximum total seconds of the tests tried on a change; an undetected change has survived."""

MEMORY = 8 << 30
"""Address space of a child, in bytes."""

SUPERVISOR = "quaternity/workers/supervise.py"

FUNCTION = ast.FunctionDef, ast.AsyncFunctionDef


@dataclass(frozen=True)
class Mutant:
    """One change to one file."""

    path: str
    operator: str
    occurrence: int
    line: int
    text: str  # the whole changed file

    def statement(self) -> range:
        """Return the lines of the changed statement, or of its head if it is compound."""
        node, _ = self._around()
        lines = range(self.line, self.line + 1)
        if not isinstance(node, ast.Module):
            inner = getattr(node, "body", None)
            head = range(node.lineno, inner[0].lineno if inner else node.end_lineno + 1)
            lines = head if self.line in head else lines
        return lines

    def in_function(self) -> bool:
        """Return whether the changed line runs when a function is called, not at its definition."""
        node, inside = self._around()
        return inside and not isinstance(node, (*FUNCTION, ast.ClassDef))

    def users(self) -> list[int]:
        """Return the lines that use the function or names defined by a module-level statement."""
        node, _ = self._around()
        if isinstance(node, FUNCTION):
            return [*range(node.body[0].lineno, (node.end_lineno or 0) + 1)]
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        parts = [part for target in targets if target is not None for part in ast.walk(target)]
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        lines = (ROOT / self.path).read_text().split("\n")
        return [
            number
            for number, line in enumerate(lines, 1)
            if names & {*re.findall(r"\w+", line)} and number not in self.statement()
        ]

    def _around(self) -> tuple[Any, bool]:
        """Return the smallest statement with the changed line, and whether it is in a function."""
        node: Any = ast.parse((ROOT / self.path).read_text())
        inside = False
        while True:
            for child_node in ast.iter_child_nodes(node):
                if not isinstance(child_node, ast.stmt | ast.excepthandler):
                    continue
                if child_node.lineno <= self.line <= (child_node.end_lineno or 0):
                    inside |= isinstance(node, FUNCTION)
                    node = child_node
                    break
            else:
                return node, inside

    @property
    def key(self) -> str:
        return sha256(f"{self.path}\n{self.text}".encode()).hexdigest()[:24]

    def in_words(self) -> str:
        """Return the changed line before and after, as in `tests/survivors.md`."""
        before = (ROOT / self.path).read_text().split("\n")
        after = self.text.split("\n")
        old, new = next((a, b) for a, b in zip(before, after, strict=True) if a != b)
        return f"`{self.path}`: `{' '.join(old.split())}` → `{' '.join(new.split())}`"


def files_of(group: str) -> list[Path]:
    """Return the files of a group that are changed."""
    patterns, without, _ = GROUPS[group]
    paths = (path for pattern in patterns.split() for path in sorted(ROOT.glob(pattern)))
    return [path for path in paths if path.stem not in without.split()]


def meaning(text: str) -> str:
    """Return the program without annotations; a change only of annotations changes nothing."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(0)
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, FUNCTION):
            node.returns = None
    return ast.dump(tree)


def positions(group: str) -> list[tuple[Path, str, int, int]]:
    """Return all possible changes to a group: file, operator, number of the occurrence, line."""
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast

    changes = []
    for path in files_of(group):
        tree = get_ast(path.read_text())
        for operator in OPERATORS:
            places = (
                begin[0]
                for node in ast_nodes(tree)
                for begin, _ in plugins.get_operator(f"core/{operator}")().mutation_positions(node)
            )
            changes += [(path, operator, number, line) for number, line in enumerate(places)]
    return changes


def mutants(group: str, seed: int) -> Iterator[Mutant]:
    """Yield all changes that change the program, in an order given by the seed."""
    from cosmic_ray import plugins
    from cosmic_ray.mutating import mutate_code

    places, seen = positions(group), set[str]()
    Random(f"{seed}/{group}").shuffle(places)
    for path, operator, occurrence, line in places:
        before = path.read_text()
        if NO_RESULT.search(before.split("\n")[line - 1]):
            continue
        text = mutate_code(before, plugins.get_operator(f"core/{operator}")(), occurrence)
        try:
            if text is None or meaning(text) == meaning(before):
                continue
        except SyntaxError:
            continue
        mutant = Mutant(str(path.relative_to(ROOT)), operator, occurrence, line, text)
        if mutant.key not in seen:  # two operators may give the same text
            seen.add(mutant.key)
            yield mutant


# ------------------------------------------------------------------ changing the program


class ChangedLoader(SourceFileLoader):
    """A loader of a module from a text instead of its file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.changed = text

    def get_code(self, fullname: str) -> Any:
        return compile(self.changed, self.path, "exec", dont_inherit=True)


class Finder(MetaPathFinder):
    """A finder of one changed module."""

    def __init__(self, path: str, text: str) -> None:
        self.name, self.path, self.text = module_of(path), str(ROOT / path), text

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        loader = ChangedLoader(self.name, self.path, self.text)
        return spec_from_file_location(self.name, self.path, loader=loader)


def module_of(path: str) -> str:
    """Return the module name of a file of the project."""
    return path.removesuffix(".py").replace("/", ".")


FOR_PROCESSES = STORE / "site"
"""First in the path of processes that a test starts, so that they load the change, too."""


def announce(mutant: Mutant) -> None:
    """Make imports from now on load the changed module, here and in processes that tests start."""
    sys.meta_path.insert(0, Finder(mutant.path, mutant.text))
    FOR_PROCESSES.mkdir(exist_ok=True)
    changed = STORE / f"changed-{os.getpid()}.py"
    changed.write_text(mutant.text)
    start = FOR_PROCESSES / str(os.getpid())
    start.mkdir(exist_ok=True)
    (start / "sitecustomize.py").write_text(
        f"import sys\nsys.path.append({str(ROOT)!r})\nfrom tests.mutants import Finder\n"
        f"sys.path.pop()\ntext = open({str(changed)!r}).read()\n"
        f"sys.meta_path.insert(0, Finder({mutant.path!r}, text))\n"
    )
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(start), *([before] if before else [])])
    if mutant.path == SUPERVISOR:  # it runs as a file, without libraries
        vars(importlib.import_module("quaternity.workers.supervisor"))["_SUPERVISOR"] = str(changed)


def forget(leader: int) -> None:
    """Remove the files that a child wrote for the processes that it started."""
    (STORE / f"changed-{leader}.py").unlink(missing_ok=True)
    rmtree(FOR_PROCESSES / str(leader), ignore_errors=True)  # it may also contain bytecode


def codes_by_place(code: CodeType) -> dict[tuple[str, int, int], CodeType]:
    """Return all nested code objects, by name, line, and index among those on that line."""
    codes: dict[tuple[str, int, int], CodeType] = {}
    waiting = [code]
    while waiting:
        code = waiting.pop()
        index = next(n for n in count() if (code.co_qualname, code.co_firstlineno, n) not in codes)
        codes[code.co_qualname, code.co_firstlineno, index] = code
        waiting += [part for part in reversed(code.co_consts) if isinstance(part, CodeType)]
    return codes


def change_in_place(mutant: Mutant, functions: list[FunctionType]) -> None:
    """Replace the code of the functions of a loaded module."""
    path = str(ROOT / mutant.path)
    texts = (ROOT / mutant.path).read_text(), mutant.text
    before, after = (codes_by_place(compile(t, path, "exec", dont_inherit=True)) for t in texts)
    changed = {code: after[place] for place, code in before.items() if place in after}
    for function in functions:
        if function.__code__.co_filename == path and function.__code__ in changed:
            function.__code__ = changed[function.__code__]


# ------------------------------------------------------------------ children


def child(work: Callable[[], int]) -> int:
    """Start a child without output that ends with this process, and return its process number."""
    number = os.fork()
    if number:
        return number
    status = FAILED
    try:
        os.setsid()
        with suppress(AttributeError):
            CDLL(None).prctl(1, signal.SIGKILL)  # when the parent dies; Linux only
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silence, stream)
        status = work()
    except BaseException:
        (STORE / "trouble.log").write_text(traceback.format_exc())
    finally:
        os._exit(status)


def attempt(work: Callable[[mmap], int]) -> str:
    """Run tests in a child that extends its deadline test by test, and return the verdict."""
    deadline = mmap(-1, 8)
    deadline[:] = pack("d", time.monotonic() + COLLECTING)

    def work_within_limits() -> int:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        return work(deadline)

    leader = child(work_within_limits)
    while not (ended := os.waitpid(leader, os.WNOHANG))[0]:
        if time.monotonic() > unpack("d", deadline[:])[0]:
            _end(leader)
        time.sleep(0.005)
    _end(leader)
    forget(leader)
    return verdict(ended[1])


def verdict(status: int) -> str:
    """Return the verdict on a mutant, from the exit status of its child."""
    if os.WIFSIGNALED(status):
        signals = (signal.SIGPROF, signal.SIGKILL)
        return "time limit" if os.WTERMSIG(status) in signals else "killed"
    if os.WEXITSTATUS(status) == FAILED:
        return "trouble"
    return "survived" if os.WEXITSTATUS(status) in (0, 5) else "killed"


def _end(leader: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


class AfterCollection:
    """A pytest plugin that calls a function with the tests once they are collected."""

    def __init__(self, work: Callable[[Any], object]) -> None:
        self.work = work

    def pytest_configure(self) -> None:
        """Stop at the first failing example, without shrinking it."""
        from hypothesis import Phase, settings

        first = settings(settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate))
        settings.register_profile("first failure", first)
        settings.load_profile("first failure")

    def pytest_runtestloop(self, session: Any) -> bool:
        if not session.testsfailed:
            self.work(session)
        return True


def with_tests(files: Iterable[str], work: Callable[[Any], object]) -> int:
    """Collect the tests of files, call a function with them, and return pytest's exit status."""
    import pytest

    paths = [str(ROOT / file) for file in files]
    return int(pytest.main([*QUIETLY, *paths], plugins=[AfterCollection(work)]))


def run_tests(
    session: Any, coverage: Coverage, names: list[str], deadline: mmap, max_failures: int = 1
) -> list[str]:
    """Run tests in this order until `max_failures` failed, and return those that failed."""
    items = {item.nodeid: item for item in session.items}
    chosen = [items[name] for name in names if name in items]
    failed: list[str] = []
    for item, after in zip(chosen, [*chosen[1:], None], strict=True):
        seconds, before = SECONDS + 5 * coverage.seconds[item.nodeid], session.testsfailed
        deadline[:] = pack("d", time.monotonic() + 4 * seconds)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if session.testsfailed > before:
            failed.append(item.nodeid)
            if len(failed) == max_failures:
                break
    if failed:
        with suppress(BaseException):
            session._setupstate.teardown_exact(None)
    return failed


# ------------------------------------------------------------------ which tests


@dataclass
class Coverage:
    """The lines of a group's files that each test runs, and the seconds of each test.

    The lines of test "" run while tests are collected. `starting` are the tests that start
    processes; the lines that these processes run are unknown.
    """

    seconds: dict[str, float]
    lines: dict[str, dict[str, list[str]]]
    starting: list[str]

    def tests(self, mutant: Mutant) -> list[str]:
        """Return tests that may detect a change, cheap ones first, within the budget.

        For a line in a function, the tests that run it come first. Then come other tests of its
        file, because cached functions run only in the first test that needs them, and tests that
        start processes. For a line outside functions, the tests that run its users come first, and
        then all others, because the lines of generated classes belong to no file.
        """
        lines = self.lines.get(mutant.path, {})
        everywhere = {test for tests in lines.values() for test in tests} & set(self.seconds)
        outside = not mutant.in_function()
        numbers = mutant.users() if outside else mutant.statement()
        first = {test for line in numbers for test in lines.get(str(line), ())} & everywhere
        if outside:
            first, everywhere = first or everywhere, set(self.seconds)
        starting = set(self.starting) & set(self.seconds)
        first = first or starting
        rest = self.cheapest(everywhere - first, BUDGET / 4)
        rest += self.cheapest(starting - everywhere - first, BUDGET / 4)
        return self.cheapest(first, BUDGET) + rest

    def cheapest(self, tests: set[str], budget: float) -> list[str]:
        """Return tests by increasing cost, until the budget of seconds is spent."""
        ordered = sorted(tests, key=lambda test: (self.seconds[test], test))
        spent = accumulate(self.seconds[test] for test in ordered)
        return [t for t, before in zip(ordered, [0.0, *spent], strict=False) if before < budget]

    def at_import(self, mutant: Mutant) -> bool:
        """Return whether the changed line runs before the tests."""
        lines = self.lines.get(mutant.path, {})
        tests_by_line = (lines.get(str(line), ()) for line in mutant.statement())
        return not mutant.in_function() or any("" in tests for tests in tests_by_line)


def measure(group: str, place: Path) -> int:
    """Run the tests of a group, in a child, and write the lines that each of them runs."""
    import coverage
    import pytest

    files = [str(path) for path in files_of(group)]
    watch = coverage.Coverage(data_file=None, include=files, config_file=False)
    seconds: dict[str, float] = {}
    starting: set[str] = set()
    failed: set[str] = set()
    running = [""]

    class Contexts:
        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
            for name, module in list(sys.modules.items()):
                if name.partition(".")[0] in ("quaternity", "solvers"):
                    for value in list(vars(module).values()):
                        if callable(clear := getattr(value, "cache_clear", None)):
                            clear()
            running[:] = [item.nodeid]
            watch.switch_context(item.nodeid)
            begin, wall = time.process_time(), time.monotonic()
            yield
            took = (time.process_time() - begin, (time.monotonic() - wall) / 2)
            seconds[item.nodeid] = max(took)
            watch.switch_context("")
            running[:] = [""]

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed:
                failed.add(report.nodeid)

    def note_process(event: str, _: object) -> None:
        if event in ("subprocess.Popen", "os.posix_spawn", "os.fork") and running[0]:
            starting.add(running[0])

    sys.addaudithook(note_process)
    tests = [str(ROOT / path) for path in GROUPS[group][2].split()]
    watch.start()
    status = pytest.main([*QUIETLY, *tests, *files], plugins=[Contexts()])
    watch.stop()
    data, lines = watch.get_data(), defaultdict[str, dict[str, list[str]]](dict)
    for path in files:
        for line, contexts in data.contexts_by_lineno(path).items():
            name = str(Path(path).relative_to(ROOT))
            lines[name][str(line)] = [test for test in contexts if test in seconds or not test]
    results = {
        "status": int(status), "seconds": seconds, "lines": lines, "failed": sorted(failed),
        "starting": sorted(starting & set(seconds)),
    }  # fmt: skip
    place.write_text(json.dumps(results))
    return 0


def coverage_of(group: str) -> Coverage:
    """Return the coverage of the last run, or measure it if a file has changed since."""
    folders = {path.split("/")[1] for path in GROUPS[group][2].split()}
    paths = [path for name in sorted(folders) for path in sorted(ROOT.glob(f"tests/{name}/*.py"))]
    single = [ROOT / path for path in GROUPS[group][2].split() if path.endswith(".py")]
    sources = [*files_of(group), *paths, *single]
    digest = sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    place = STORE / f"{group}-{digest}.json"
    if not place.exists():
        for old in STORE.glob(f"{group}-*.json"):
            old.unlink()
        new = place.with_suffix(".new")
        _, status = os.waitpid(child(lambda: measure(group, new)), 0)
        if status or not new.exists():
            raise SystemExit(f"{group}: the tests cannot be run (status {status})")
        os.waitpid(child(lambda: in_order(group, new)), 0)
        new.replace(place)
    stored = json.loads(place.read_text())
    for name in stored["failed"]:
        stored["seconds"].pop(name, None)
    if stored["failed"]:
        print(f"{group}: left out, as they fail unchanged: {stored['failed']}", file=sys.stderr)
    return Coverage(stored["seconds"], stored["lines"], stored["starting"])


def in_order(group: str, place: Path) -> int:
    """Leave out, in a child, tests that fail without a change if the cheap ones run first."""
    stored = json.loads(place.read_text())
    coverage = Coverage(stored["seconds"], stored["lines"], stored["starting"])

    def work(session: Any) -> None:
        def run(deadline: mmap) -> int:
            names = coverage.cheapest(set(coverage.seconds), inf)
            stored["failed"] += run_tests(session, coverage, names, deadline, len(names))
            place.write_text(json.dumps(stored))
            return 0

        if attempt(run) != "survived":
            raise RuntimeError(f"the tests of {group} do not come to their end in forked processes")

    return with_tests(files_with_tests(group), work)


# ------------------------------------------------------------------ runs


def files_with_tests(group: str) -> list[str]:
    """Return the test files of a group, and its own files, which have doctests."""
    return [*GROUPS[group][2].split(), *(str(path.relative_to(ROOT)) for path in files_of(group))]


def judge(group: str, coverage: Coverage, share: list[Mutant], until: float, output: int) -> int:
    """Write a line with the outcome of each mutant, in a child.

    The tests are collected once. A change to a function is made in the loaded program, in a forked
    process, which takes a tenth of a second. If the changed line runs at import, the forked process
    has not loaded the program yet, which takes some seconds; these mutants come last.
    """
    at_import = [mutant for mutant in share if coverage.at_import(mutant)]
    early = {mutant.key for mutant in at_import}
    files = files_with_tests(group)

    def report(mutant: Mutant, outcome: str) -> None:
        os.write(output, f"{mutant.key}\t{outcome}\n".encode())

    def in_place(session: Any) -> None:
        gc.unfreeze()
        functions = [item for item in gc.get_objects() if isinstance(item, FunctionType)]
        gc.freeze()

        def try_in_place(mutant: Mutant, deadline: mmap) -> int:
            announce(mutant)
            if module_of(mutant.path) in sys.modules:
                change_in_place(mutant, functions)
            return len(run_tests(session, coverage, coverage.tests(mutant), deadline))

        for mutant in share:
            if mutant.key not in early and time.monotonic() < until:
                report(mutant, attempt(partial(try_in_place, mutant)))

    def try_at_import(mutant: Mutant, deadline: mmap) -> int:
        announce(mutant)
        names = coverage.tests(mutant)
        paths = dict.fromkeys(name.partition("::")[0] for name in names)
        return with_tests(paths, lambda session: run_tests(session, coverage, names, deadline))

    os.waitpid(child(lambda: with_tests(files, in_place)), 0)
    for mutant in at_import:
        if time.monotonic() < until:
            report(mutant, attempt(partial(try_at_import, mutant)))
    return 0


def judge_all(
    group: str, pending: list[Mutant], until: float, processes: int
) -> Iterator[tuple[Mutant, str]]:
    """Yield each mutant and its outcome, in the order in which they end."""
    if not pending:
        return
    coverage, by_key = coverage_of(group), {mutant.key: mutant for mutant in pending}
    read, write = os.pipe()
    judges = [
        child(lambda share=pending[first::processes]: judge(group, coverage, share, until, write))  # type: ignore[misc]
        for first in range(processes)
    ]
    os.close(write)
    try:
        with open(read) as lines:
            for line in lines:
                key, outcome = line.rstrip("\n").split("\t")
                yield by_key[key], "survived" if outcome == "trouble" else outcome
    finally:
        for leader in judges:
            _end(leader)
            os.waitpid(leader, 0)


def run(group: str, arguments: argparse.Namespace, until: float) -> tuple[str, list[str]]:
    """Run one group, and return its row of the table, and a line for each survivor."""
    results = STORE / f"{group}.results"
    known = {}
    if results.exists():
        known = dict(line.split("\t")[:2] for line in results.read_text().splitlines())
    chosen = []
    for mutant in mutants(group, arguments.seed):
        if arguments.only in mutant.path:
            chosen.append(mutant)
        if len(chosen) == arguments.sample:
            break
    reasons = (ROOT / "tests" / "survivors.md").read_text()
    outcomes = {
        mutant.key: known[mutant.key] for mutant in chosen if mutant.key in known
        and (known[mutant.key] != "survived" or mutant.in_words() in reasons)
    }  # fmt: skip
    pending = [mutant for mutant in chosen if mutant.key not in outcomes]
    with results.open("a") as log:
        for mutant, outcome in judge_all(group, pending, until, arguments.processes):
            outcomes[mutant.key] = outcome
            log.write(f"{mutant.key}\t{outcome}\t{mutant.in_words()}\n")
            log.flush()
            print(f"{len(outcomes)}/{len(chosen)} {outcome}: {mutant.in_words()}", file=sys.stderr)
    survivors = [m.in_words() for m in chosen if outcomes.get(m.key) == "survived"]
    left = [line for line in survivors if line not in reasons]
    number = Counter(outcomes.values())
    done, explained = len(outcomes), len(survivors) - len(left)
    score = f"{100 * (1 - len(left) / (done - explained)):.1f} %" if done > explained else ""
    row = (
        f"| {group} | {len(positions(group)):,} | {done} | {number['killed']} | "
        f"{number['time limit']} | {len(survivors)} | {explained} | {score} |"
    )
    return row, left


def main() -> None:
    """Print the table of the chosen groups, then the survivors without a reason."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("groups", nargs="*", help=f"of {', '.join(GROUPS)}; default: all")
    parser.add_argument("--sample", type=int, default=100, help="changes per group; default: 100")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample; default: 1")
    parser.add_argument("--minutes", type=float, default=120, help="time limit; default: 120")
    parser.add_argument("--processes", type=int, default=1, help="number of processes; default: 1")
    parser.add_argument("--only", default="", help="a part of the path of the files to change")
    arguments = parser.parse_args()
    if unknown := set(arguments.groups) - set(GROUPS):
        names = ", ".join(sorted(unknown))
        parser.error(f"unknown groups: {names}; choose from {', '.join(GROUPS)}")
    os.chdir(ROOT)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise each child stores its own bytecode
    STORE.mkdir(exist_ok=True)
    for name in HEAVY:
        importlib.import_module(name)
    until = time.monotonic() + 60 * arguments.minutes
    rows, survivors = [], list[str]()
    for group in arguments.groups or GROUPS:
        row, left = run(group, arguments, until)
        rows.append(row)
        survivors += left
    print("| group | changes | tried | killed | at a limit | survived | explained | score |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join([*rows, "", *(f"- {line}" for line in survivors)]).rstrip())


if __name__ == "__main__":
    main()
