"""`solvers`: our own solvers, the rivals, and how to install the missing ones."""

import pytest

from solvers import SOLVERS
from solvers.registry import VARIANTS
from solvers.rivals import EXTERNAL_SOLVERS, table
from tests.cli.conftest import Cli


def test_every_solver_has_a_row(cli: Cli) -> None:
    rows = {row["name"]: row for row in cli("solvers", "--json").json["solvers"]}
    assert [*rows] == [*SOLVERS, *VARIANTS, *EXTERNAL_SOLVERS]
    assert rows["max-flow"]["kind"] == "own"
    assert rows["glop"]["package"] == "ortools"
    assert rows["glop"]["version"]
    for name, rival in EXTERNAL_SOLVERS.items():
        assert ("install" in rows[name]) == (not rival.installed)


def test_missing_solvers_are_listed_with_their_installation(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "_is_importable", lambda name: False)
    shown = cli("solvers")
    assert shown.status == 0
    assert "  pip install '.[z3]': z3-integers, z3-pb\n" in shown.out
    assert "glop" in shown.out
    (row,) = [line for line in shown.out.splitlines() if line.startswith("cvc5 ")]
    assert row.split() == ["cvc5", "SMT", "missing", "BSD-3-Clause", "core"]
    refused = cli("compare", "--solvers", "max-flow,glucose", "--states", "1")
    assert refused.status == 2
    assert "solver 'glucose' is not installed; to install: pip install '.[sat]'" in refused.err


def test_rivals_are_compared_as_a_group() -> None:
    from quaternity.cli.solver_options import select_solvers

    both, apart = select_solvers("installed"), select_solvers("all,rivals")
    assert [solver.name for solver in both] == [solver.name for solver in apart]
    chosen = [solver.name for solver in select_solvers("max-flow, rivals")]
    assert chosen == [
        "max-flow",
        *(name for name, rival in EXTERNAL_SOLVERS.items() if rival.installed),
    ]
