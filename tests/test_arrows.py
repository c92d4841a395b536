"""Arrows run one way: which room of the house may import which, for every file outside `tests/`.

An import counts wherever it stands: at the top of a file, inside a function (lazily), or under
`TYPE_CHECKING`: who names a thing knows it. Only what a registry loads by its name as text does
not count; that is the point of a registry.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TypeVar

import solvers
from quaternity.table.protocol import DealtRules, Rules

Node = TypeVar("Node", bound=ast.expr)

HOUSE = Path(solvers.__file__).parent.parent

ROOMS: dict[str, tuple[str, str]] = {
    # room: (its modules, a package standing for all in it; the rooms it may import);
    # from outside of solvers/, `solvers` stands for all of it.
    "base": ("quaternity.base", ""),
    "decks": ("quaternity.decks", "base"),
    "solvers/contract": (
        "solvers.builder solvers.names solvers.problem solvers.shortage solvers.solver"
        " solvers.verdict",
        "base",
    ),
    "solvers/tables": (
        "solvers.coalition_tables solvers.set_ways",
        "base solvers/contract",
    ),
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
    "solvers/rivals": (
        "solvers.rivals",
        "base solvers/contract solvers/exchange solvers/max_flow",
    ),
    "solvers/counting": (
        "solvers.counting solvers.factor_product solvers.residue solvers.sampling",
        "base solvers/contract solvers/tables solvers/registry",
    ),
    "solvers/filtering": (
        "solvers.filtering solvers.flow_filtering",
        "base solvers/contract solvers/tables solvers/max_flow",
    ),
    "solvers/trials": (
        "solvers.conformance solvers.counterexample solvers.instances solvers.judgement"
        " solvers.random_problems solvers.reduction solvers.strategies",
        "base solvers/contract solvers/tables solvers/registry",
    ),
    "solvers/exchange": (
        "solvers.exchange",
        "base solvers/contract solvers/max_flow solvers/models",
    ),
    "solvers/door": (
        "solvers",
        "base solvers/contract solvers/registry solvers/counting solvers/filtering solvers/models",
    ),
    "game": ("quaternity.game", "protocol base solvers"),
    "workers": ("quaternity.workers", "base solvers"),
    "insight": ("quaternity.insight", "epistemic game base solvers"),
    "trials": ("quaternity.trials", "workers game base solvers"),
    "epistemic": ("quaternity.epistemic", "game base solvers"),
    "kwartet": ("quaternity.kwartet", "epistemic protocol workers game base solvers"),
    "protocol": (
        "quaternity.table.protocol quaternity.table.plain_rules quaternity.table.registration"
        " quaternity.table.played_game",
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
        "perfect ternary quarto kwartet table game base solvers",
    ),
    "guide": ("quaternity.guide", "arena base"),
    "lessons": ("quaternity.guide.lessons", "guide kwartet epistemic base solvers"),
    "environments": ("quaternity.environments", "table protocol base"),
    "face": (
        "quaternity quaternity.analysis quaternity.errors quaternity.information"
        " quaternity.strategies",
        "insight trials game base",
    ),
    "cli": (
        "quaternity.cli",
        "face guide decks web table environments review puzzles perfect ternary quarto kwartet"
        " epistemic trials insight workers game base solvers",
    ),
    "arena": ("quaternity.arena", ""),
    "entry": ("quaternity.__main__", "cli"),
}

Sources = dict[str, str]


def sources() -> Sources:
    """The text of every module of the house by its dotted name."""
    found = {}
    for package in ("quaternity", "solvers"):
        for path in sorted((HOUSE / package).rglob("*.py")):
            parts = path.relative_to(HOUSE).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path.read_text(encoding="utf-8")
    return found


@cache
def nodes(text: str) -> list[ast.AST]:
    """Return all nodes of a file."""
    return list(ast.walk(ast.parse(text)))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement below a node: a walk through all of their parts takes thrice as long."""
    for part in ("body", "orelse", "handlers", "finalbody", "cases"):
        for child in getattr(node, part, ()):
            yield child
            yield from statements(child)


@cache
def imported(text: str) -> set[str]:
    """The dotted names a file imports; of `from a import b` it is `a.b`, module or not."""
    names = set()
    for node in statements(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def arrows(files: Sources) -> dict[str, set[str]]:
    """Per module the modules of the house (and of its tests) that it imports."""

    def module(name: str) -> str | None:
        while name and name not in files:
            if name == "tests":
                return name
            name = name.rpartition(".")[0]
        return name or None

    return {
        user: {used for name in imported(text) if (used := module(name))} - {user}
        for user, text in files.items()
    }


def room_of(module: str) -> str | None:
    """The room of a module: that of its name, else of the package it is in."""
    for room, (modules, _) in ROOMS.items():
        if module in modules.split():
            return room
    package = module.rpartition(".")[0]
    return room_of(package) if "." in package else None


def stands_for(target: str) -> set[str]:
    """The rooms that an entry of the table means."""
    return {target} if target in ROOMS else {one for one in ROOMS if one.startswith(f"{target}/")}


def may_import(room: str) -> set[str]:
    """The rooms that a room may import."""
    return {one for target in ROOMS[room][1].split() for one in stands_for(target)}


def findings(files: Sources) -> list[str]:
    """Every disagreement of the files with the table, a sentence each."""
    found = [f"{module} is in no room of the table" for module in files if not room_of(module)]
    unused = {(room, target) for room, (_, uses) in ROOMS.items() for target in uses.split()}
    for user, targets in arrows(files).items():
        here = room_of(user)
        for used in sorted(targets):
            there = room_of(used)
            if here is None or here == there:
                continue
            if there is None or there not in may_import(here):
                found.append(f"{user} imports {used}: the table has no arrow {here} -> {there}")
            unused -= {(here, one) for one in ROOMS[here][1].split() if there in stands_for(one)}
    found += [f"nobody uses the arrow {room} -> {target}" for room, target in sorted(unused)]
    return found


def circles(targets: Mapping[str, set[str]]) -> list[set[str]]:
    """The largest sets of modules of which each leads to each."""
    beyond: dict[str, set[str]] = {}
    for start in targets:
        beyond[start], open_ends = set(), [start]
        while open_ends:
            new = targets.get(open_ends.pop(), set()) - beyond[start]
            beyond[start] |= new
            open_ends += new
    found = [{two for two in beyond[one] if one in beyond[two]} for one in targets]
    return [one for index, one in enumerate(found) if one and one not in found[:index]]


def test_every_import_has_its_arrow_and_every_arrow_its_import() -> None:
    files = sources()
    assert len(files) > 200
    assert findings(files) == []


def test_the_rooms_have_no_circle() -> None:
    list(TopologicalSorter({room: may_import(room) for room in ROOMS}).static_order())


def test_the_files_have_no_circle() -> None:
    """Wherever an import stands: in a function or for types alone, it counts."""
    assert circles(arrows(sources())) == []


AROUND = ("quaternity.table", "quaternity.web", "quaternity.environments", "quaternity.workers")
"""Rooms that know games by their registrations and rules alone."""


def nodes_around(kind: type[Node]) -> list[tuple[str, Node]]:
    """All nodes of a kind, each with its place."""
    return [
        (f"{module}, line {node.lineno}", node)
        for module, text in sources().items()
        if module.startswith(AROUND) and module != "quaternity.table.games"
        for node in nodes(text)
        if isinstance(node, kind)
    ]


def test_no_room_around_the_games_asks_for_the_name_of_a_game_or_of_its_player() -> None:
    names = {"kwartet", "quarto", "perfect", "greedy", "careful"}  # which are no words besides
    constants = nodes_around(ast.Constant)
    assert [place for place, constant in constants if constant.value in names] == []


def test_the_protocol_names_all_that_is_called_of_rules() -> None:
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


def test_planted_imports_are_found() -> None:
    files = sources()
    before = findings(files)
    planted = (
        "from quaternity.cli import main",
        "import quaternity.cli.play",
        "def lazily():\n    from quaternity.cli.app import app",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from quaternity import cli",
        "from quaternity import Game",
        "from tests.agreement import agree",
    )
    modules = [name for name in files if room_of(name) in ("solvers/contract", "game")]
    for module, text in zip(modules, planted, strict=False):
        files[module] += f"\n{text}\n"
    found = sorted(set(findings(files)) - {*before})
    assert len(found) == len(planted)
    for module, fault in zip(sorted(modules[: len(planted)]), found, strict=True):
        assert fault.startswith(f"{module} imports ")
        assert "the table has no arrow" in fault


def test_a_file_without_room_an_unused_arrow_and_a_circle_are_found() -> None:
    files = sources()
    assert "quaternity.utils is in no room of the table" in findings(
        {**files, "quaternity.utils": ""}
    )
    del files["solvers.flow_filtering"], files["solvers.filtering"]
    assert "nobody uses the arrow solvers/filtering -> solvers/max_flow" in findings(files)
    files["quaternity.game.picture"] = "def lazily():\n    from quaternity.game.state import State"
    assert circles(arrows(files)) == [{"quaternity.game.picture", "quaternity.game.state"}]
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [{"a", "b", "c"}]


def test_importing_the_solvers_loads_nothing_heavy() -> None:
    code = (
        "import sys, solvers, solvers.filtering, solvers.counting\n"
        "heavy = {'ortools', 'numpy', 'scipy', 'hypothesis', 'pandas', 'fractions', 'random'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HOUSE
    )
    assert done.stdout.strip() == "[]"
