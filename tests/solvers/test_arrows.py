"""Which module may use which: the mathematics knows no game, and no solver knows another."""

import ast
import subprocess
import sys
from pathlib import Path

import solvers

FOLDER = Path(solvers.__file__).parent
FIVE = {"brute_force", "coalitions", "cp_sat", "matching", "max_flow"}


def imports(path: Path) -> set[str]:
    """All modules that a file imports, at the top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found |= {module} | {f"{module}.{name.name}" for name in node.names}
    return found


def test_the_mathematics_knows_no_game() -> None:
    files = sorted(FOLDER.rglob("*.py"))
    assert len(files) > 15
    for path in files:
        games = {name for name in imports(path) if name.split(".")[0] == "quaternity"}
        assert not games, (path.name, games)


def test_no_solver_knows_another() -> None:
    for name in FIVE:
        others = {f"solvers.{other}" for other in FIVE - {name}}
        assert not imports(FOLDER / f"{name}.py") & others, name


def test_only_the_registry_and_brute_force_users_know_solvers_by_name() -> None:
    """What is shared by solvers must not lead from one to another either."""
    shared = {"problem", "verdict", "shortage", "plain_proofs", "wording", "coalition_tables"}
    for name in shared | {"set_counts", "memo", "errors"}:
        known = {f"solvers.{other}" for other in FIVE}
        assert not imports(FOLDER / f"{name}.py") & known, name


def test_importing_the_solvers_loads_nothing_heavy() -> None:
    code = (
        "import sys, solvers, solvers.filtering, solvers.counting\n"
        "heavy = {'ortools', 'numpy', 'scipy', 'hypothesis', 'pandas', 'fractions', 'random'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=FOLDER.parent
    )
    assert done.stdout.strip() == "[]"
