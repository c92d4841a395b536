"""Are wrong programs found? Small changes are made to the program; the tests must fail.

    python -m tests.mutants solvers rules --sample 200 --seed 1 --minutes 60 --processes 2

Cosmic Ray says which changes there are (`+` to `-`, `<` to `<=`, a number to the next one, ...);
this file draws a sample of them and runs the quick tests on each, those first that run the changed
line. A change lives in one forked process, which imports the changed text instead of the file: no
file is touched, and the libraries are imported once for all.

What a change does is kept in `.mutants/`, so that a run that was stopped goes on. Survivors are
tried again by the next run; a survivor that `tests/README.md` lists with its reason, because it
changes no result, is explained and does not count in the score.
"""

from __future__ import annotations

import argparse
import ast
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
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from random import Random
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
        "tests/perfect/test_canonical.py tests/perfect/test_expansion.py"
        " tests/perfect/test_forcing.py tests/perfect/test_kinds.py"
        " tests/perfect/test_retrograde.py tests/perfect/test_solving.py"
        " tests/perfect/test_standing.py tests/perfect/test_tablebase.py"
        " tests/perfect/test_waiting.py tests/perfect/test_work_files.py",
    ),
    "bots": (
        "quaternity/perfect/bots/*.py quaternity/perfect/players.py"
        " quaternity/perfect/solving/estimate.py",
        "__init__",
        "tests/perfect/test_bots.py tests/perfect/test_estimate.py",
    ),
    "scores": (
        "quaternity/table/tournament/scores.py",
        "",
        "tests/table/test_tournament.py tests/kwartet/test_tournament.py",
    ),
    "epistemic": (
        "quaternity/epistemic/*.py",
        "__init__ explanation grammar language notation strategies",
        "tests/epistemic",
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
        "tests/test_workers.py tests/test_own_process.py tests/test_apart.py tests/test_threads.py",
    ),
    "kwartet": ("quaternity/kwartet/**/*.py", "__init__", "tests/kwartet"),
    "table": ("quaternity/table/**/*.py", "__init__", "tests/table tests/cli/test_doors.py"),
    "trials": (
        "quaternity/trials/**/*.py",
        "__init__",
        "tests/comparison tests/campaign tests/game/test_random_play.py"
        " tests/game/test_state_laws.py",
    ),
    "web": (
        "quaternity/web/**/*.py",
        "__init__",
        "tests/web/test_api.py tests/web/test_boards.py tests/web/test_damage.py"
        " tests/web/test_doors.py tests/web/test_forms.py tests/web/test_guards.py"
        " tests/web/test_hostile.py tests/web/test_leaks.py tests/web/test_learning.py"
        " tests/web/test_pages.py tests/web/test_store.py tests/web/test_streams.py"
        " tests/web/test_tables.py tests/web/test_thinking.py",
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

SECONDS = 20.0
"""Processor seconds of a child beyond five times what its tests take unchanged."""

MEMORY = 8 << 30
"""Address space of a child, in bytes."""


@dataclass(frozen=True)
class Mutant:
    """One change to one file."""

    path: str
    operator: str
    occurrence: int
    line: int
    text: str  # of the whole changed file

    @property
    def key(self) -> str:
        return sha256(f"{self.path}\n{self.text}".encode()).hexdigest()[:24]

    def in_words(self) -> str:
        """The changed line before and after, as `tests/README.md` lists it."""
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
        elif isinstance(node, ast.FunctionDef):
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

    places = positions(group)
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
        yield Mutant(str(path.relative_to(HOUSE)), operator, occurrence, line, text)


# ------------------------------------------------------------------ children


class Changed(SourceFileLoader):
    """Loads a module from a text instead of its file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.changed = text

    def get_code(self, fullname: str) -> Any:
        return compile(self.changed, self.path, "exec", dont_inherit=True)


class Finder(MetaPathFinder):
    """Finds one module, changed."""

    def __init__(self, mutant: Mutant) -> None:
        self.name = mutant.path.removesuffix(".py").replace("/", ".")
        self.path, self.text = str(HOUSE / mutant.path), mutant.text

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        loader = Changed(self.name, self.path, self.text)
        return spec_from_file_location(self.name, self.path, loader=loader)


def child(work: Callable[[], int], seconds: float) -> int:
    """The process number of a child that works in silence, within limits."""
    number = os.fork()
    if number:
        return number
    status = FAILED
    try:
        os.setsid()
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silence, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        limit = int(seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        signal.alarm(20 * limit)  # for one that waits
        status = work()
    except BaseException:
        (KEPT / "trouble.log").write_text(traceback.format_exc())
    finally:
        os._exit(status)


def tested(mutant: Mutant, tests: list[str]) -> int:
    """In a child: pytest's exit status on the changed program."""
    import pytest

    sys.meta_path.insert(0, Finder(mutant))
    return int(pytest.main(["-x", *QUIETLY, *tests]))


@dataclass
class Coverage:
    """Which test runs which line of a group's files, and what it takes."""

    seconds: dict[str, float]
    lines: dict[str, dict[str, list[str]]]

    def tests(self, mutant: Mutant) -> tuple[list[str], list[str]]:
        """The tests that run the changed line, and the others that run its file; dear ones last.

        A function that remembers its results runs in the first test that needs them only; what
        runs when a module is imported is everybody's.
        """
        lines = self.lines.get(mutant.path, {})
        everywhere = {test for tests in lines.values() for test in tests}
        there = set(lines.get(str(mutant.line), ()))
        if not there:
            everywhere = set(self.seconds)
        cheapest: Callable[[str], float] = self.seconds.__getitem__
        return sorted(there, key=cheapest), sorted(everywhere - there, key=cheapest)


def measured(group: str, place: Path) -> int:
    """In a child: run the tests of a group, and write down what each of them runs."""
    import coverage
    import pytest

    files = [str(path) for path in files_of(group)]
    watch = coverage.Coverage(data_file=None, include=files, config_file=False)
    seconds: dict[str, float] = {}

    class Contexts:
        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
            watch.switch_context(item.nodeid)
            begin = time.process_time()
            yield
            seconds[item.nodeid] = time.process_time() - begin
            watch.switch_context("")

    tests = [str(HOUSE / one) for one in GROUPS[group][2].split()]
    watch.start()
    status = pytest.main([*QUIETLY, *tests, *files], plugins=[Contexts()])
    watch.stop()
    data, lines = watch.get_data(), defaultdict[str, dict[str, list[str]]](dict)
    for path in files:
        for line, contexts in data.contexts_by_lineno(path).items():
            name = str(Path(path).relative_to(HOUSE))
            lines[name][str(line)] = [one for one in contexts if one in seconds]
    place.write_text(json.dumps({"status": int(status), "seconds": seconds, "lines": lines}))
    return int(status)


def coverage_of(group: str) -> Coverage:
    """From the last run when nothing has changed since, else measured anew."""
    folders = {one.split("/")[1] for one in GROUPS[group][2].split()}
    paths = [path for one in sorted(folders) for path in sorted(HOUSE.glob(f"tests/{one}/*.py"))]
    sources = [*files_of(group), *paths]
    digest = sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    place = KEPT / f"{group}-{digest}.json"
    if not place.exists():
        for old in KEPT.glob(f"{group}-*.json"):
            old.unlink()
        new = place.with_suffix(".new")
        _, status = os.waitpid(child(lambda: measured(group, new), 3600), 0)
        if status or not new.exists():
            raise SystemExit(f"{group}: the tests fail without any change (status {status})")
        first = files_of(group)[0]
        same = Mutant(str(first.relative_to(HOUSE)), "", 0, 0, first.read_text())
        tests = [str(HOUSE / one) for one in json.loads(new.read_text())["seconds"]]
        _, status = os.waitpid(child(lambda: tested(same, tests), 3600), 0)
        if verdict(status) != "survived":
            raise SystemExit(f"{group}: a change that changes nothing is killed ({status})")
        new.replace(place)
    found = json.loads(place.read_text())
    return Coverage(found["seconds"], found["lines"])


# ------------------------------------------------------------------ runs


def verdict(status: int) -> str:
    """What the end of a child says about its mutant."""
    if os.WIFSIGNALED(status):
        signals = (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL)
        return "time limit" if os.WTERMSIG(status) in signals else "killed"
    return "survived" if os.WEXITSTATUS(status) in (0, 5, FAILED) else "killed"


def judged(
    group: str, chosen: list[Mutant], known: dict[str, str], until: float, processes: int
) -> Iterator[tuple[Mutant, str]]:
    """What becomes of each mutant, in the order in which they end."""
    coverage = coverage_of(group)
    rounds = [(one, 0) for one in reversed(chosen) if known.get(one.key) in (None, "survived")]
    running: dict[int, tuple[Mutant, int]] = {}
    try:
        while running or (rounds and time.monotonic() < until):
            if rounds and len(running) < processes and time.monotonic() < until:
                mutant, number = rounds.pop()
                tests = coverage.tests(mutant)[number]
                if tests:
                    seconds = SECONDS + 5 * sum(coverage.seconds[one] for one in tests)
                    paths = [str(HOUSE / one) for one in tests]
                    started = child(lambda one=mutant, run=paths: tested(one, run), seconds)  # type: ignore[misc]
                    running[started] = mutant, number
                elif number == 0:
                    rounds.append((mutant, 1))
                else:
                    yield mutant, "survived"
                continue
            ended, status = os.waitpid(-1, 0)
            mutant, number = running.pop(ended)
            _end(ended)
            found = verdict(status)
            if found == "survived" and number == 0:
                rounds.append((mutant, 1))
            else:
                yield mutant, found
    finally:
        for started in running:
            _end(started)


def _end(leader: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


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
    outcomes = {
        one.key: known[one.key] for one in chosen if known.get(one.key, "survived") != "survived"
    }
    with results.open("a") as log:
        for mutant, found in judged(group, chosen, known, until, arguments.processes):
            outcomes[mutant.key] = found
            log.write(f"{mutant.key}\t{found}\t{mutant.in_words()}\n")
            log.flush()
            print(f"{len(outcomes)}/{len(chosen)} {found}: {mutant.in_words()}", file=sys.stderr)
    reasons = (HOUSE / "tests" / "README.md").read_text()
    survivors = [one.in_words() for one in chosen if outcomes.get(one.key) == "survived"]
    left = [one for one in survivors if one not in reasons]
    count = Counter(outcomes.values())
    done, explained = len(outcomes), len(survivors) - len(left)
    score = f"{100 * (1 - len(left) / (done - explained)):.1f} %" if done > explained else ""
    row = (
        f"| {group} | {len(positions(group)):,} | {done} | {count['killed']} | "
        f"{count['time limit']} | {len(survivors)} | {explained} | {score} |"
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
