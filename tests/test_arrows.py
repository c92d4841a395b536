"""Imports run one way: the allowed imports between layers, for all files outside `tests/`.

An import counts at the top of a file, inside a function (lazily) and under `TYPE_CHECKING`. A
module that a registry loads by its name does not count; this is the purpose of a registry. An arrow
is an allowed import of one layer by another.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TypeVar

import pytest

import solvers
from quaternity.table.protocol import DealtRules, Rules

Node = TypeVar("Node", bound=ast.expr)

ROOT = Path(solvers.__file__).parent.parent

MAX_MODULE_LINES, MAX_FUNCTION_LINES, MAX_METHODS, MAX_PARAMETERS = 400, 50, 20, 8
"""Limits of size in `quaternity.web`: lines of a module and of a function, methods of a class, and
parameters of a constructor."""

LAYERS: dict[str, tuple[str, str]] = {
    # layer: (its modules or packages; the layers it may import);
    # outside of solvers/, `solvers` means all of it.
    "base": ("quaternity.base", ""),
    "decks": ("quaternity.decks", "base"),
    "solvers/contract": (
        "solvers.builder solvers.names solvers.problem solvers.shortage solvers.solver"
        " solvers.verdict",
        "base",
    ),
    "solvers/tables": ("solvers.coalition_tables solvers.set_counts", "base solvers/contract"),
    "solvers/cp_sat": ("solvers.cp_sat", "base solvers/contract"),
    "solvers/max_flow": ("solvers.max_flow", "base solvers/contract"),
    "solvers/models": (
        "solvers.explanation solvers.flow_graph solvers.named_model",
        "base solvers/contract solvers/cp_sat solvers/max_flow",
    ),
    "solvers/matching": ("solvers.matching", "solvers/contract"),
    "solvers/coalitions": ("solvers.coalitions", "base solvers/contract solvers/tables"),
    "solvers/brute_force": ("solvers.brute_force", "base solvers/contract"),
    "solvers/registry": ("solvers.registry", "base solvers/contract solvers/rivals"),
    "solvers/rivals": ("solvers.rivals", "base solvers/contract solvers/exchange solvers/max_flow"),
    "solvers/counting": (
        "solvers.counting solvers.factor_product solvers.reduced_problem solvers.sampling",
        "base solvers/contract solvers/tables solvers/registry",
    ),
    "solvers/filtering": (
        "solvers.filtering solvers.flow_filtering",
        "base solvers/contract solvers/tables solvers/max_flow",
    ),
    "solvers/trials": (
        "solvers.testing solvers.counterexample solvers.instances solvers.cross_check"
        " solvers.random_problems solvers.minimize solvers.strategies",
        "base solvers/contract solvers/tables solvers/registry solvers/coalitions",
    ),
    "solvers/exchange": (
        "solvers.exchange",
        "base solvers/contract solvers/max_flow solvers/models",
    ),
    "solvers/proving": (
        "solvers.proving",
        "base solvers/contract solvers/registry solvers/exchange",
    ),
    "solvers/public": (
        "solvers",
        "base solvers/contract solvers/registry solvers/counting solvers/filtering solvers/models"
        " solvers/exchange solvers/proving solvers/trials",
    ),
    "game": ("quaternity.game", "protocol base solvers"),
    "workers": ("quaternity.workers", "base solvers"),
    "insight": ("quaternity.insight", "epistemic game base solvers"),
    "trials": ("quaternity.trials", "workers game base solvers"),
    "epistemic": ("quaternity.epistemic", "game base solvers"),
    "kwartet": ("quaternity.kwartet", "epistemic protocol workers game base solvers"),
    "protocol": (
        "quaternity.table.protocol quaternity.table.plain_rules quaternity.table.registration"
        " quaternity.table.history quaternity.table.played_game",
        "base",
    ),
    "quarto": ("quaternity.quarto", "protocol base"),
    "ternary": ("quaternity.ternary", "protocol base"),
    "perfect": ("quaternity.perfect", "workers game base solvers"),
    "table": ("quaternity.table", "protocol workers base"),
    "web": (
        "quaternity.web",
        "guide decks review puzzles ternary quarto kwartet epistemic insight table protocol workers"
        " game base solvers",
    ),
    "puzzles": (
        "quaternity.puzzles",
        "perfect ternary quarto kwartet epistemic insight game base solvers",
    ),
    "review": (
        "quaternity.review",
        "perfect ternary quarto kwartet table protocol game base solvers",
    ),
    "guide": ("quaternity.guide", "arena base"),
    "lessons": ("quaternity.guide.lessons", "guide kwartet epistemic base solvers"),
    "environments": ("quaternity.environments", "table protocol base"),
    "public": (
        "quaternity quaternity.analysis quaternity.errors quaternity.information"
        " quaternity.strategies",
        "insight trials game base",
    ),
    "cli": (
        "quaternity.cli",
        "public guide decks web table protocol environments review puzzles perfect ternary quarto"
        " kwartet epistemic trials insight workers game base solvers",
    ),
    "arena": ("quaternity.arena", ""),
    "entry": ("quaternity.__main__", "cli"),
}

Sources = dict[str, str]


def sources() -> Sources:
    """Return the text of every module of the project by its dotted name."""
    texts = {}
    for package in ("quaternity", "solvers"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            texts[name] = path.read_text(encoding="utf-8")
    return texts


@cache
def nodes(text: str) -> list[ast.AST]:
    """Return all nodes of a file."""
    return list(ast.walk(ast.parse(text)))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement below a node; walking all their parts takes three times as long."""
    for part in ("body", "orelse", "handlers", "finalbody", "cases"):
        for child in getattr(node, part, ()):
            yield child
            yield from statements(child)


@cache
def imports_of(text: str) -> set[str]:
    """Return the dotted names that a file imports; `from a import b` gives `a.b`."""
    names = set()
    for node in statements(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def arrows(files: Sources) -> dict[str, set[str]]:
    """Return the modules of the project (and of its tests) that each module imports."""

    def module(name: str) -> str | None:
        while name and name not in files:
            if name == "tests":
                return name
            name = name.rpartition(".")[0]
        return name or None

    return {
        user: {used for name in imports_of(text) if (used := module(name))} - {user}
        for user, text in files.items()
    }


def layer_of(module: str) -> str | None:
    """Return the layer of a module: by its name, or by its package."""
    for layer, (modules, _) in LAYERS.items():
        if module in modules.split():
            return layer
    package = module.rpartition(".")[0]
    return layer_of(package) if "." in package else None


def stands_for(target: str) -> set[str]:
    """Return the layers that an entry of the table means."""
    return {target} if target in LAYERS else {c for c in LAYERS if c.startswith(f"{target}/")}


def may_import(layer: str) -> set[str]:
    """Return the layers that a layer may import."""
    return {used for target in LAYERS[layer][1].split() for used in stands_for(target)}


def faults_of(files: Sources) -> list[str]:
    """Return a sentence for each difference between the files and the table."""
    faults = [f"{name} is in no layer of the table" for name in files if not layer_of(name)]
    unused = {(layer, target) for layer, (_, uses) in LAYERS.items() for target in uses.split()}
    for user, targets in arrows(files).items():
        start = layer_of(user)
        for used in sorted(targets):
            end = layer_of(used)
            if start is None or start == end:
                continue
            if end is None or end not in may_import(start):
                faults.append(f"{user} imports {used}: the table has no arrow {start} -> {end}")
            unused -= {(start, c) for c in LAYERS[start][1].split() if end in stands_for(c)}
    faults += [f"nobody uses the arrow {layer} -> {target}" for layer, target in sorted(unused)]
    return faults


def cycles(targets: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the maximal sets of modules that all lead to each other."""
    beyond: dict[str, set[str]] = {}
    for start in targets:
        beyond[start], open_ends = set(), [start]
        while open_ends:
            new = targets.get(open_ends.pop(), set()) - beyond[start]
            beyond[start] |= new
            open_ends += new
    sets = [{b for b in beyond[a] if a in beyond[b]} for a in targets]
    return [cycle for index, cycle in enumerate(sets) if cycle and cycle not in sets[:index]]


def test_every_import_has_its_arrow_and_every_arrow_its_import() -> None:
    files = sources()
    assert len(files) > 200
    assert faults_of(files) == []


def test_the_layers_have_no_cycle() -> None:
    list(TopologicalSorter({layer: may_import(layer) for layer in LAYERS}).static_order())


def test_the_files_have_no_cycle() -> None:
    """Imports in functions and for types count, too."""
    assert cycles(arrows(sources())) == []


AROUND = ("quaternity.table", "quaternity.web", "quaternity.environments", "quaternity.workers")
"""Packages that use games only through their registrations and rules."""


def nodes_around(kind: type[Node]) -> list[tuple[str, Node]]:
    """Return all nodes of a kind, each with its place."""
    return [
        (f"{module}, line {node.lineno}", node)
        for module, text in sources().items()
        if module.startswith(AROUND) and module != "quaternity.table.games"
        for node in nodes(text)
        if isinstance(node, kind)
    ]


def test_packages_around_the_games_do_not_check_names_of_games_or_players() -> None:
    names = {"kwartet", "quarto", "perfect", "greedy", "careful"}  # not words of other meanings
    constants = nodes_around(ast.Constant)
    assert [place for place, constant in constants if constant.value in names] == []


def test_the_protocol_has_all_methods_called_on_rules() -> None:
    uses = [(place, node.value, node.attr) for place, node in nodes_around(ast.Attribute)]
    for place, call in nodes_around(ast.Call):
        match call:
            case ast.Call(ast.Name("getattr" | "hasattr"), [of, ast.Constant(str(name)), *_]):
                uses.append((place, of, name))
    of_rules = {
        (place, name)
        for place, of, name in uses
        if (isinstance(of, ast.Name) and of.id == "rules")
        or (isinstance(of, ast.Attribute) and of.attr == "rules")
    }
    assert len(of_rules) > 100
    known = {*dir(Rules), *dir(DealtRules)}
    assert {(place, name) for place, name in of_rules if name not in known} == set()


def excesses(text: str) -> Iterator[str]:
    """Yield the parts of a module that exceed the limits of size."""
    if len(text.splitlines()) > MAX_MODULE_LINES:
        yield "module"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            if node.end_lineno - node.lineno >= MAX_FUNCTION_LINES:
                yield f"{node.name}: lines"
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs][1:]
            if node.name == "__init__" and len(parameters) > MAX_PARAMETERS:
                yield "__init__: parameters"
        elif isinstance(node, ast.ClassDef):
            functions = ast.FunctionDef | ast.AsyncFunctionDef
            methods = [part for part in node.body if isinstance(part, functions)]
            if len(methods) > MAX_METHODS:
                yield f"{node.name}: methods"
            generated = [ast.unparse(part) for part in (*node.bases, *node.decorator_list)]
            fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            is_record = any("NamedTuple" in part or "dataclass" in part for part in generated)
            if is_record and len(fields) > MAX_PARAMETERS:
                yield f"{node.name}: parameters"


def test_modules_classes_and_functions_of_the_server_are_small() -> None:
    web = {name: text for name, text in sources().items() if name.startswith("quaternity.web")}
    assert len(web) > 50
    # The fields of a table are those of the JSON request. No code calls their constructor.
    allowed = {"quaternity.web.request_fields": ["TableFields: parameters"]}
    excessive = {name: list(excesses(text)) for name, text in web.items()}
    assert {name: names for name, names in excessive.items() if names} == allowed


@pytest.mark.parametrize(
    ("part", "limit", "excess"),
    [
        ("\n", MAX_MODULE_LINES, "module"),
        ("    def f{}(self): 0\n", MAX_METHODS, "C: methods"),
        ("    async def f{}(self): 0\n", MAX_METHODS, "C: methods"),
        ("    f{}: int\n", MAX_PARAMETERS, "C: parameters"),
        ("            0\n", MAX_FUNCTION_LINES - 1, "__init__: lines"),
        (" a{}: int,", MAX_PARAMETERS, "__init__: parameters"),
    ],
)
def test_a_part_over_its_limit_is_found(part: str, limit: int, excess: str) -> None:
    for amount, expected in ((limit, []), (limit + 1, [excess])):
        parts = "".join(part.format(number) for number in range(amount))
        match excess.split(": "):
            case ["module"]:
                text = parts
            case ["C", _]:
                text = f"class C(NamedTuple):\n{parts}"
            case [_, "lines"]:
                text = f"class C:\n    def __init__(self):\n{parts}"
            case _:
                text = f"class C:\n    def __init__(self,{parts}): 0\n"
        assert list(excesses(text)) == expected


def test_planted_imports_are_found() -> None:
    files = sources()
    before = faults_of(files)
    planted = (
        "from quaternity.cli import main",
        "import quaternity.cli.play",
        "def lazily():\n    from quaternity.cli.app import app",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from quaternity import cli",
        "from quaternity import Game",
        "from tests.agreement import agree",
    )
    modules = [name for name in files if layer_of(name) in ("solvers/contract", "game")]
    for module, text in zip(modules, planted, strict=False):
        files[module] += f"\n{text}\n"
    faults = sorted(set(faults_of(files)) - {*before})
    assert len(faults) == len(planted)
    for module, fault in zip(sorted(modules[: len(planted)]), faults, strict=True):
        assert fault.startswith(f"{module} imports ")
        assert "the table has no arrow" in fault


def test_a_file_without_layer_an_unused_arrow_and_a_cycle_are_found() -> None:
    files = sources()
    assert "quaternity.utils is in no layer of the table" in faults_of(
        {**files, "quaternity.utils": ""}
    )
    del files["solvers.flow_filtering"], files["solvers.filtering"]
    assert "nobody uses the arrow solvers/filtering -> solvers/max_flow" in faults_of(files)
    files["quaternity.game.picture"] = "def lazily():\n    from quaternity.game.state import State"
    assert cycles(arrows(files)) == [{"quaternity.game.picture", "quaternity.game.state"}]
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [{"a", "b", "c"}]


def test_importing_the_solvers_loads_nothing_heavy() -> None:
    code = (
        "import sys, solvers, solvers.filtering, solvers.counting\n"
        "heavy = {'ortools', 'numpy', 'scipy', 'hypothesis', 'pandas', 'fractions', 'random'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"
