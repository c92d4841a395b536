"""`solvers`: list the available solvers, and how to install the missing ones."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from quaternity import __version__
from quaternity.base.text_table import table_lines
from quaternity.cli.app import app
from quaternity.cli.terminal import say, width
from solvers import SOLVERS, Solver, all_solvers
from solvers.registry import VARIANTS, solver_version
from solvers.rivals import EXTERNAL_SOLVERS, ExternalSolver

FAMILIES = {
    "cp-sat": "lazy clauses",
    "max-flow": "flow",
    "matching": "matching",
    "coalitions": "inequalities",
    "brute-force": "enumeration",
}
"""Mapping from the name of each built-in solver to the method of the solver. The name of a variant
begins with the name of a built-in solver, which has the same method."""


@app.command()
def solvers(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the solvers, and how to install the missing ones.

    Every solver returns a deal if there is one. Otherwise its evidence is a minimum cut, the
    multipliers of Farkas' lemma, or an unsatisfiable core. Such evidence is converted to a
    shortage (a group of players who must hold more cards than they can have), which is checked by
    adding up a few numbers. A solver without evidence is called "paired", because a built-in solver
    adds a shortage to its answer.

    Example: quaternity check FILE --solver glop
    """
    rows = [_own_row(solver) for solver in {**SOLVERS, **VARIANTS, **all_solvers()}.values()]
    rows += [_rival_row(rival) for rival in EXTERNAL_SOLVERS.values()]
    if as_json:
        print(json.dumps({"solvers": rows}))
        return
    _print_table(rows)
    missing: dict[str, list[str]] = {}
    for row in rows:
        if "install" in row:
            missing.setdefault(row["install"], []).append(row["name"])
    if missing:
        print("\nTo install the missing solvers:")
    for command, names in missing.items():
        say(f"  {command}: {', '.join(names)}", indent=4)


def _rival_row(rival: ExternalSolver) -> dict[str, Any]:
    row = {
        "name": rival.name, "kind": "rival", "family": rival.family, "idea": rival.idea,
        "package": rival.package, "version": rival.version, "licence": rival.licence,
        "evidence": rival.evidence,
    }  # fmt: skip
    missing = {} if rival.installed else {"install": rival.command}
    return row | missing | {"most_pairs": rival.max_pairs}


def _own_row(solver: Solver) -> dict[str, Any]:
    evidence = "shortage" if solver.certifies else "paired"
    row = {"name": solver.name, "kind": "registered", "family": "", "idea": solver.idea}
    package, _, version = solver_version(solver.name).rpartition(" ")
    about: dict[str, Any] = {"package": package, "version": version or None, "licence": ""}
    if solver.name in {**SOLVERS, **VARIANTS}:
        family = next(
            (title for start, title in FAMILIES.items() if solver.name.startswith(start)), ""
        )
        row |= {"kind": "own" if solver.name in SOLVERS else "variant", "family": family}
        about = {"package": "quaternity", "version": __version__, "licence": "MIT"}
    return {**row, **about, "evidence": evidence}


def _print_table(rows: list[dict[str, Any]]) -> None:

    lines = []
    for row in rows:
        version = row["version"] or ("missing" if "install" in row else "-")
        if row["kind"] == "registered":
            version = solver_version(row["name"]) or "-"
        lines.append([row["name"], row["family"], version, row["licence"], row["evidence"]])
    head = ("solver", "family", "version", "licence", "evidence")
    print("\n".join(table_lines(head, lines, width(), 2, "<<<<<")))
