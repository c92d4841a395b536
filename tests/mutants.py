"""Are wrong programs found? Small changes are made to the program; the tests must fail.

    python -m tests.mutants solvers rules --sample 200 --seed 1 --minutes 60 --processes 2

Cosmic Ray says which changes there are (`+` to `-`, `<` to `<=`, a number to the next one, ...);
this file draws a sample of them and runs the quick tests on each that run the changed line, cheap
ones first, up to the first that fails and for `BUDGET` seconds at most. No file is touched. A
change lives in one forked process of one that has loaded the program and collected the tests: its
functions get changed code. What runs while modules are imported is imported anew, changed; so it is
in the processes that tests start.

What a change does is kept in `.mutants/`, so that a run that was stopped goes on. Survivors are
tried again by the next run, except those that `tests/survivors.md` lists with a reason, because
they change no result: these are explained and do not count in the score.
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

HOUSE = Path(__file__).parents[1]
KEPT = HOUSE / ".mutants"

GROUPS = {
    # group: (files, without; tests)
    "solvers": (
        "solvers/*.py",
        "strategies random_problems conformance counterexample __init__",
        "tests/solvers",
    ),
    "rules": (
        "quaternity/game/*.py",
        "__init__ html journal record saved_states state_file text_table",
        "tests/game tests/table/test_laws.py tests/table/test_random_matches.py",
    ),
    "retrograde": (
        "quaternity/perfect/*.py quaternity/perfect/keys/*.py quaternity/perfect/successors/*.py"
        " quaternity/perfect/solving/*.py",
        "__init__ players estimate",
        "tests/perfect/test_brisk.py tests/perfect/test_canonical.py"
        " tests/perfect/test_certificate.py tests/perfect/test_everybody.py"
        " tests/perfect/test_expansion.py tests/perfect/test_forcing.py tests/perfect/test_kinds.py"
        " tests/perfect/test_retrograde.py tests/perfect/test_runs.py tests/perfect/test_solving.py"
        " tests/perfect/test_standing.py tests/perfect/test_tablebase.py"
        " tests/perfect/test_waiting.py tests/perfect/test_work_files.py tests/cli/test_verify.py",
    ),
    "bots": (
        "quaternity/perfect/bots/*.py quaternity/perfect/players.py"
        " quaternity/perfect/solving/estimate.py",
        "__init__",
        "tests/perfect/test_bots.py tests/perfect/test_estimate.py tests/perfect/test_waiting.py"
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
        "tests/epistemic tests/kwartet/test_knowing.py",
    ),
    "exchange": (
        "solvers/exchange/*.py",
        "__init__",
        "tests/solvers/test_exchange.py tests/solvers/test_deal_problem_file.py"
        " tests/solvers/test_proof.py tests/cli/test_exchange.py",
    ),
    "base": (
        "quaternity/base/*.py",
        "__init__ deadline errors interruptible interrupts lazy_names memo",
        "tests/test_base.py tests/test_files.py tests/test_pictures.py tests/test_colours.py"
        " tests/test_text_table.py tests/test_plots.py"
        " tests/table/test_journal.py tests/table/test_laws.py tests/table/test_sentences.py"
        " tests/game/test_card_picture.py tests/game/test_writing.py tests/cli/test_widths.py"
        " tests/solvers/test_problem.py tests/solvers/test_registry.py",
    ),
    "environments": (
        "quaternity/environments/*.py",
        "__init__ open_spiel pettingzoo",  # which need these packages
        "tests/environments",
    ),
    "workers": (
        "quaternity/workers/*.py",
        "__init__ serving",  # which runs in processes that load every file anew
        "tests/test_workers.py tests/test_own_process.py tests/test_apart.py tests/test_threads.py"
        " tests/table/test_programs.py",
    ),
    "kwartet": ("quaternity/kwartet/**/*.py", "__init__", "tests/kwartet tests/environments"),
    "table": (
        "quaternity/table/**/*.py",
        "__init__",
        "tests/table tests/test_doors.py tests/cli/test_doors.py tests/cli/test_check.py"
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
        "tests/cli/test_tables.py tests/web/test_admission.py tests/web/test_api.py"
        " tests/web/test_boards.py"
        " tests/web/test_connections.py tests/web/test_damage.py tests/web/test_decks.py"
        " tests/web/test_doors.py tests/web/test_end.py tests/web/test_evening.py"
        " tests/web/test_eyes.py tests/web/test_forms.py tests/web/test_full_disk.py"
        " tests/web/test_guards.py tests/web/test_hammering.py tests/web/test_hostile.py"
        " tests/web/test_keeping.py tests/web/test_kill.py tests/web/test_languages.py"
        " tests/web/test_leaks.py tests/web/test_learning.py tests/web/test_neighbours.py"
        " tests/web/test_operating.py tests/web/test_pages.py tests/web/test_party.py"
        " tests/web/test_puzzles.py tests/web/test_review.py tests/web/test_store.py"
        " tests/web/test_stores.py tests/web/test_streams.py tests/web/test_tables.py"
        " tests/web/test_thinking.py tests/web/test_waiting.py tests/web/test_words.py",
    ),
}
"""What is changed, and the tests that must see it; the doctests of a file belong to them."""

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
"""Of Cosmic Ray's operators those that a slip of the pen could make: no `+` to `@`."""

NO_RESULT = re.compile(
    r"BYTES|bytes_of|\.charge\(|\.keep\(|\bsize \+?= \d|lru_cache\(|if TYPE_CHECKING:"
)
"""Lines that only say how much is kept, or what is imported for types: they are left alone."""

HEAVY = ("hypothesis", "numpy", "ortools.sat.python.cp_model", "ortools.graph.python.max_flow",
         "pytest", "scipy.sparse.csgraph", "scipy.special", "rich", "typer")  # fmt: skip
"""What children find imported. Nothing of the house is: it is what changes."""

QUIETLY = ("-q", "--no-header", "--assert=plain")
"""Options of pytest; to show values in asserts it would load files its own way, unchanged."""

FAILED = 70
"""Exit status of a child that could not do its work; `.mutants/trouble.log` says why."""

SECONDS = 3.0
"""Processor seconds of a test beyond five times what it takes unchanged; four times as many by the
clock."""

COLLECTING = 120.0
"""Seconds by the clock to load the program and its tests."""

BUDGET = 15.0
"""Seconds of tests that a change is tried on: what is not seen then has survived."""

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
    text: str  # of the whole changed file

    def statement(self) -> range:
        """The lines of the changed statement; of one that has others in it, its head."""
        node, _ = self._around()
        lines = range(self.line, self.line + 1)
        if not isinstance(node, ast.Module):
            inner = getattr(node, "body", None)
            head = range(node.lineno, inner[0].lineno if inner else node.end_lineno + 1)
            lines = head if self.line in head else lines
        return lines

    def in_function(self) -> bool:
        """Whether the changed line runs when a function is called, not when it is defined."""
        node, inside = self._around()
        return inside and not isinstance(node, (*FUNCTION, ast.ClassDef))

    def users(self) -> list[int]:
        """The lines that use what a statement outside of functions defines: a function or names."""
        node, _ = self._around()
        if isinstance(node, FUNCTION):
            return [*range(node.body[0].lineno, (node.end_lineno or 0) + 1)]
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        parts = [part for one in targets if one is not None for part in ast.walk(one)]
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        lines = (HOUSE / self.path).read_text().split("\n")
        return [
            number
            for number, line in enumerate(lines, 1)
            if names & {*re.findall(r"\w+", line)} and number not in self.statement()
        ]

    def _around(self) -> tuple[Any, bool]:
        """The smallest statement with the changed line, and whether it is in a function."""
        node: Any = ast.parse((HOUSE / self.path).read_text())
        inside = False
        while True:
            for one in ast.iter_child_nodes(node):
                if not isinstance(one, ast.stmt | ast.excepthandler):
                    continue
                if one.lineno <= self.line <= (one.end_lineno or 0):
                    inside |= isinstance(node, FUNCTION)
                    node = one
                    break
            else:
                return node, inside

    @property
    def key(self) -> str:
        return sha256(f"{self.path}\n{self.text}".encode()).hexdigest()[:24]

    def in_words(self) -> str:
        """The changed line before and after, as `tests/survivors.md` lists it."""
        before = (HOUSE / self.path).read_text().split("\n")
        after = self.text.split("\n")
        old, new = next((a, b) for a, b in zip(before, after, strict=True) if a != b)
        return f"`{self.path}`: `{' '.join(old.split())}` → `{' '.join(new.split())}`"


def files_of(group: str) -> list[Path]:
    """The files of a group that are changed."""
    patterns, without, _ = GROUPS[group]
    found = (path for pattern in patterns.split() for path in sorted(HOUSE.glob(pattern)))
    return [path for path in found if path.stem not in without.split()]


def meaning(text: str) -> str:
    """The program without its annotations: a change that leaves this alone changes nothing."""
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
    """Every change to a group: file, operator, which occurrence, line."""
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast

    found = []
    for path in files_of(group):
        tree = get_ast(path.read_text())
        for operator in OPERATORS:
            places = (
                begin[0]
                for node in ast_nodes(tree)
                for begin, _ in plugins.get_operator(f"core/{operator}")().mutation_positions(node)
            )
            found += [(path, operator, number, line) for number, line in enumerate(places)]
    return found


def mutants(group: str, seed: int) -> Iterator[Mutant]:
    """All changes that mean something, in an order that the seed decides."""
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
        mutant = Mutant(str(path.relative_to(HOUSE)), operator, occurrence, line, text)
        if mutant.key not in seen:  # two operators may make the same
            seen.add(mutant.key)
            yield mutant


# ------------------------------------------------------------------ changing the program


class Changed(SourceFileLoader):
    """Loads a module from a text instead of its file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.changed = text

    def get_code(self, fullname: str) -> Any:
        return compile(self.changed, self.path, "exec", dont_inherit=True)


class Finder(MetaPathFinder):
    """Finds one module, changed."""

    def __init__(self, path: str, text: str) -> None:
        self.name, self.path, self.text = module_of(path), str(HOUSE / path), text

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        loader = Changed(self.name, self.path, self.text)
        return spec_from_file_location(self.name, self.path, loader=loader)


def module_of(path: str) -> str:
    """The name of the module in a file of the house."""
    return path.removesuffix(".py").replace("/", ".")


FOR_PROCESSES = KEPT / "site"
"""First in the path of processes that a test starts: they load the change, too."""


def announce(mutant: Mutant) -> None:
    """Let the modules that are loaded from now on be changed, here and in processes started."""
    sys.meta_path.insert(0, Finder(mutant.path, mutant.text))
    FOR_PROCESSES.mkdir(exist_ok=True)
    changed = KEPT / f"changed-{os.getpid()}.py"
    changed.write_text(mutant.text)
    start = FOR_PROCESSES / str(os.getpid())
    start.mkdir(exist_ok=True)
    (start / "sitecustomize.py").write_text(
        f"import sys\nsys.path.append({str(HOUSE)!r})\nfrom tests.mutants import Finder\n"
        f"sys.path.pop()\ntext = open({str(changed)!r}).read()\n"
        f"sys.meta_path.insert(0, Finder({mutant.path!r}, text))\n"
    )
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(start), *([before] if before else [])])
    if mutant.path == SUPERVISOR:  # which runs as a file, without any library
        vars(importlib.import_module("quaternity.workers.child"))["_SUPERVISOR"] = str(changed)


def forget(leader: int) -> None:
    """Remove what a child wrote for the processes it started."""
    (KEPT / f"changed-{leader}.py").unlink(missing_ok=True)
    rmtree(FOR_PROCESSES / str(leader), ignore_errors=True)  # bytecode may be there, too


def codes_by_place(code: CodeType) -> dict[tuple[str, int, int], CodeType]:
    """All codes in a code, by name, line, and how many of that name and line came before."""
    found: dict[tuple[str, int, int], CodeType] = {}
    waiting = [code]
    while waiting:
        one = waiting.pop()
        place = next(n for n in count() if (one.co_qualname, one.co_firstlineno, n) not in found)
        found[one.co_qualname, one.co_firstlineno, place] = one
        waiting += [part for part in reversed(one.co_consts) if isinstance(part, CodeType)]
    return found


def change_in_place(mutant: Mutant, functions: list[FunctionType]) -> None:
    """Give the functions of a loaded module their changed code."""
    path = str(HOUSE / mutant.path)
    texts = (HOUSE / mutant.path).read_text(), mutant.text
    before, after = (codes_by_place(compile(one, path, "exec", dont_inherit=True)) for one in texts)
    changed = {code: after[place] for place, code in before.items() if place in after}
    for function in functions:
        if function.__code__.co_filename == path and function.__code__ in changed:
            function.__code__ = changed[function.__code__]


# ------------------------------------------------------------------ children


def child(work: Callable[[], int]) -> int:
    """The process number of a child that works in silence, and ends with this process."""
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
        (KEPT / "trouble.log").write_text(traceback.format_exc())
    finally:
        os._exit(status)


def attempt(work: Callable[[mmap], int]) -> str:
    """What a child that runs tests says about its mutant; it moves its deadline test by test."""
    deadline = mmap(-1, 8)
    deadline[:] = pack("d", time.monotonic() + COLLECTING)

    def limited() -> int:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        return work(deadline)

    leader = child(limited)
    while not (ended := os.waitpid(leader, os.WNOHANG))[0]:
        if time.monotonic() > unpack("d", deadline[:])[0]:
            _end(leader)
        time.sleep(0.005)
    _end(leader)
    forget(leader)
    return verdict(ended[1])


def verdict(status: int) -> str:
    """What the end of a child says about its mutant."""
    if os.WIFSIGNALED(status):
        signals = (signal.SIGPROF, signal.SIGKILL)
        return "time limit" if os.WTERMSIG(status) in signals else "killed"
    if os.WEXITSTATUS(status) == FAILED:
        return "trouble"
    return "survived" if os.WEXITSTATUS(status) in (0, 5) else "killed"


def _end(leader: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


class Collected:
    """A plugin of pytest: does some work with the tests, once they are collected."""

    def __init__(self, work: Callable[[Any], object]) -> None:
        self.work = work

    def pytest_configure(self) -> None:
        """A failing example is enough: Hypothesis need not make it small."""
        from hypothesis import Phase, settings

        first = settings(settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate))
        settings.register_profile("first failure", first)
        settings.load_profile("first failure")

    def pytest_runtestloop(self, session: Any) -> bool:
        if not session.testsfailed:
            self.work(session)
        return True


def with_tests(files: Iterable[str], work: Callable[[Any], object]) -> int:
    """pytest's exit status after some work with the tests of files."""
    import pytest

    paths = [str(HOUSE / one) for one in files]
    return int(pytest.main([*QUIETLY, *paths], plugins=[Collected(work)]))


def run_tests(
    session: Any, coverage: Coverage, names: list[str], deadline: mmap, most: int = 1
) -> list[str]:
    """Run tests in this order until so many failed; those that did."""
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
            if len(failed) == most:
                break
    if failed:
        with suppress(BaseException):
            session._setupstate.teardown_exact(None)
    return failed


# ------------------------------------------------------------------ which tests


@dataclass
class Coverage:
    """Which test runs which line of a group's files, and what it takes.

    The lines of test "" run while tests are collected. `starting` are tests that start processes,
    of whose lines nothing is known.
    """

    seconds: dict[str, float]
    lines: dict[str, dict[str, list[str]]]
    starting: list[str]

    def tests(self, mutant: Mutant) -> list[str]:
        """Tests that may see a change, cheap ones first, as many as there is time for.

        First those that run the changed line, if it is of a function; then others that run its
        file, as a function that remembers results runs in the first test that needs them only, and
        those that start processes; where it is of no function, those that run what uses it, then
        others too, as a class made there has lines without a file.
        """
        lines = self.lines.get(mutant.path, {})
        everywhere = {test for tests in lines.values() for test in tests} & set(self.seconds)
        outside = not mutant.in_function()
        where = mutant.users() if outside else mutant.statement()
        there = {one for line in where for one in lines.get(str(line), ())} & everywhere
        if outside:
            there, everywhere = there or everywhere, set(self.seconds)
        starting = set(self.starting) & set(self.seconds)
        there = there or starting
        rest = self.cheapest(everywhere - there, BUDGET / 4)
        rest += self.cheapest(starting - everywhere - there, BUDGET / 4)
        return self.cheapest(there, BUDGET) + rest

    def cheapest(self, tests: set[str], budget: float) -> list[str]:
        """Tests by what they take, until the budget of seconds is spent."""
        ordered = sorted(tests, key=lambda one: (self.seconds[one], one))
        spent = accumulate(self.seconds[one] for one in ordered)
        return [one for one, before in zip(ordered, [0.0, *spent], strict=False) if before < budget]

    def at_import(self, mutant: Mutant) -> bool:
        """Whether the changed line runs before the tests do."""
        lines = self.lines.get(mutant.path, {})
        there = (lines.get(str(line), ()) for line in mutant.statement())
        return not mutant.in_function() or any("" in tests for tests in there)


def measured(group: str, place: Path) -> int:
    """In a child: run the tests of a group, and write down what each of them runs."""
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

    def heard(event: str, _: object) -> None:
        if event in ("subprocess.Popen", "os.posix_spawn", "os.fork") and running[0]:
            starting.add(running[0])

    sys.addaudithook(heard)
    tests = [str(HOUSE / one) for one in GROUPS[group][2].split()]
    watch.start()
    status = pytest.main([*QUIETLY, *tests, *files], plugins=[Contexts()])
    watch.stop()
    data, lines = watch.get_data(), defaultdict[str, dict[str, list[str]]](dict)
    for path in files:
        for line, contexts in data.contexts_by_lineno(path).items():
            name = str(Path(path).relative_to(HOUSE))
            lines[name][str(line)] = [one for one in contexts if one in seconds or not one]
    kept = {
        "status": int(status), "seconds": seconds, "lines": lines, "failed": sorted(failed),
        "starting": sorted(starting & set(seconds)),
    }  # fmt: skip
    place.write_text(json.dumps(kept))
    return 0


def coverage_of(group: str) -> Coverage:
    """From the last run when nothing has changed since, else measured anew."""
    folders = {one.split("/")[1] for one in GROUPS[group][2].split()}
    paths = [path for one in sorted(folders) for path in sorted(HOUSE.glob(f"tests/{one}/*.py"))]
    single = [HOUSE / one for one in GROUPS[group][2].split() if one.endswith(".py")]
    sources = [*files_of(group), *paths, *single]
    digest = sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    place = KEPT / f"{group}-{digest}.json"
    if not place.exists():
        for old in KEPT.glob(f"{group}-*.json"):
            old.unlink()
        new = place.with_suffix(".new")
        _, status = os.waitpid(child(lambda: measured(group, new)), 0)
        if status or not new.exists():
            raise SystemExit(f"{group}: the tests cannot be run (status {status})")
        os.waitpid(child(lambda: in_order(group, new)), 0)
        new.replace(place)
    found = json.loads(place.read_text())
    for one in found["failed"]:
        found["seconds"].pop(one, None)
    if found["failed"]:
        print(f"{group}: left out, as they fail unchanged: {found['failed']}", file=sys.stderr)
    return Coverage(found["seconds"], found["lines"], found["starting"])


def in_order(group: str, place: Path) -> int:
    """In a child: leave out the tests that fail without a change when the cheap ones come first."""
    found = json.loads(place.read_text())
    coverage = Coverage(found["seconds"], found["lines"], found["starting"])

    def work(session: Any) -> None:
        def run(deadline: mmap) -> int:
            names = coverage.cheapest(set(coverage.seconds), inf)
            found["failed"] += run_tests(session, coverage, names, deadline, len(names))
            place.write_text(json.dumps(found))
            return 0

        if attempt(run) != "survived":
            raise RuntimeError(f"the tests of {group} do not come to their end in forked processes")

    return with_tests(files_with_tests(group), work)


# ------------------------------------------------------------------ runs


def files_with_tests(group: str) -> list[str]:
    """The tests of a group and its files, which have doctests."""
    return [*GROUPS[group][2].split(), *(str(one.relative_to(HOUSE)) for one in files_of(group))]


def judge(group: str, coverage: Coverage, share: list[Mutant], until: float, told: int) -> int:
    """In a child: write what becomes of each mutant, a line each.

    The tests are collected once; a change of a function is made in the loaded program, in a forked
    process: a tenth of a second. Where the changed line runs while modules are imported, the forked
    process is one that has loaded nothing of the house yet: some seconds. Those come last.
    """
    anew = [one for one in share if coverage.at_import(one)]
    early = {one.key for one in anew}
    files = files_with_tests(group)

    def tell(mutant: Mutant, found: str) -> None:
        os.write(told, f"{mutant.key}\t{found}\n".encode())

    def in_place(session: Any) -> None:
        gc.unfreeze()
        functions = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
        gc.freeze()

        def changed(mutant: Mutant, deadline: mmap) -> int:
            announce(mutant)
            if module_of(mutant.path) in sys.modules:
                change_in_place(mutant, functions)
            return len(run_tests(session, coverage, coverage.tests(mutant), deadline))

        for mutant in share:
            if mutant.key not in early and time.monotonic() < until:
                tell(mutant, attempt(partial(changed, mutant)))

    def loaded_anew(mutant: Mutant, deadline: mmap) -> int:
        announce(mutant)
        names = coverage.tests(mutant)
        paths = dict.fromkeys(name.partition("::")[0] for name in names)
        return with_tests(paths, lambda one: run_tests(one, coverage, names, deadline))

    os.waitpid(child(lambda: with_tests(files, in_place)), 0)
    for mutant in anew:
        if time.monotonic() < until:
            tell(mutant, attempt(partial(loaded_anew, mutant)))
    return 0


def judged(
    group: str, untold: list[Mutant], until: float, processes: int
) -> Iterator[tuple[Mutant, str]]:
    """What becomes of each mutant, in the order in which they end."""
    if not untold:
        return
    coverage, by_key = coverage_of(group), {one.key: one for one in untold}
    read, write = os.pipe()
    judges = [
        child(lambda share=untold[first::processes]: judge(group, coverage, share, until, write))  # type: ignore[misc]
        for first in range(processes)
    ]
    os.close(write)
    try:
        with open(read) as lines:
            for line in lines:
                key, found = line.rstrip("\n").split("\t")
                yield by_key[key], "survived" if found == "trouble" else found
    finally:
        for one in judges:
            _end(one)
            os.waitpid(one, 0)


def run(group: str, arguments: argparse.Namespace, until: float) -> tuple[str, list[str]]:
    """One group: its row of the table, and what survived, a line each."""
    results = KEPT / f"{group}.results"
    known = {}
    if results.exists():
        known = dict(line.split("\t")[:2] for line in results.read_text().splitlines())
    chosen = []
    for mutant in mutants(group, arguments.seed):
        if arguments.only in mutant.path:
            chosen.append(mutant)
        if len(chosen) == arguments.sample:
            break
    reasons = (HOUSE / "tests" / "survivors.md").read_text()
    outcomes = {
        one.key: known[one.key] for one in chosen
        if one.key in known and (known[one.key] != "survived" or one.in_words() in reasons)
    }  # fmt: skip
    untold = [one for one in chosen if one.key not in outcomes]
    with results.open("a") as log:
        for mutant, found in judged(group, untold, until, arguments.processes):
            outcomes[mutant.key] = found
            log.write(f"{mutant.key}\t{found}\t{mutant.in_words()}\n")
            log.flush()
            print(f"{len(outcomes)}/{len(chosen)} {found}: {mutant.in_words()}", file=sys.stderr)
    survivors = [one.in_words() for one in chosen if outcomes.get(one.key) == "survived"]
    left = [one for one in survivors if one not in reasons]
    number = Counter(outcomes.values())
    done, explained = len(outcomes), len(survivors) - len(left)
    score = f"{100 * (1 - len(left) / (done - explained)):.1f} %" if done > explained else ""
    row = (
        f"| {group} | {len(positions(group)):,} | {done} | {number['killed']} | "
        f"{number['time limit']} | {len(survivors)} | {explained} | {score} |"
    )
    return row, left


def main() -> None:
    """The table of all groups asked for, then what survived without a reason."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("groups", nargs="*", help=f"of {', '.join(GROUPS)}; default: all")
    parser.add_argument("--sample", type=int, default=100, help="changes a group; default: 100")
    parser.add_argument("--seed", type=int, default=1, help="decides the sample; default: 1")
    parser.add_argument("--minutes", type=float, default=120, help="of all; default: 120")
    parser.add_argument("--processes", type=int, default=1, help="at once; default: 1")
    parser.add_argument("--only", default="", help="a part of the path of the files to change")
    arguments = parser.parse_args()
    if unknown := set(arguments.groups) - set(GROUPS):
        parser.error(f"groups: {', '.join(sorted(unknown))} unknown; known are {', '.join(GROUPS)}")
    os.chdir(HOUSE)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each child keeps bytecode of its own
    KEPT.mkdir(exist_ok=True)
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
    print("\n".join([*rows, "", *(f"- {one}" for one in survivors)]).rstrip())


if __name__ == "__main__":
    main()
