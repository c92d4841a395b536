"""`instances`, `export` and `prove`: deal problems for other people's solvers and checkers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from quaternity.cli.app import app
from quaternity.errors import InputError

MOST_INSTANCES = 10_000


@app.command()
def instances(
    family: Annotated[
        str, typer.Option(metavar="NAME,NAME,...", help="Which families, or all.")
    ] = "",
    cards: Annotated[int, typer.Option(help="Number of cards, 12 to 10000.")] = 52,
    count: Annotated[int, typer.Option(help="Instances of each kind, with seeds in a row.")] = 1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same instances.")] = 0,
    possible: Annotated[
        bool | None,
        typer.Option("--possible/--impossible", help="One of the twins only.  [default: both]"),
    ] = None,
    coalition: Annotated[
        int | None, typer.Option(help="Players in the tight coalition (game).")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="Sets that the shortage needs (game, chain).")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="DIRECTORY", help="Write a deal-problem file each.  [default: print "
                     "them, one a line]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per file.")] = False,
) -> None:  # fmt: skip
    """Make instances that are just possible and just impossible; without --family, list families.

    Twins differ by one unit of one bound. The files are read by check, compare, analyse, export
    and prove.

    Example: quaternity instances --family php,chain --cards 120 --count 5 --out instances
    """
    from quaternity.files.writing import cannot_be_written, write_text
    from solvers.exchange.deal_problem_file import deal_problem_document, deal_problem_text
    from solvers.instances import FAMILIES, twins
    from solvers.plain_values import named

    if not family:
        for row in FAMILIES.values():
            line = {"family": row.name, "idea": row.idea, "options": list(row.chosen)}
            options = f" (--{', --'.join(row.chosen)})" if row.chosen else ""
            print(json.dumps(line) if as_json else f"{row.name:<8} {row.idea}{options}")
        return
    names = list(FAMILIES) if family == "all" else [name.strip() for name in family.split(",")]
    for name in names:
        named(FAMILIES, name, "family")
    if not 1 <= count <= MOST_INSTANCES:
        raise InputError(f"count: {count} is out of range 1..{MOST_INSTANCES}")
    if out is not None:
        try:
            Path(out).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_be_written(out, error) from error
    for name in names:
        for number in range(seed, seed + count):
            pair = twins(name, cards, number, coalition=coalition, depth=depth)
            for kind, problem in zip(("possible", "impossible"), pair, strict=True):
                if possible is not None and possible != (kind == "possible"):
                    continue
                if out is None:
                    print(json.dumps(deal_problem_document(problem)), flush=True)
                    continue
                shape = [f"{key}{value}" for key, value in (("coalition", coalition),
                         ("depth", depth)) if value is not None]  # fmt: skip
                path = Path(out) / f"{'-'.join([name, str(cards), *shape, str(number), kind])}.json"
                write_text(path, deal_problem_text(problem))
                told = {"file": str(path), "family": name, "cards": cards, "seed": number,
                        "possible": kind == "possible"}  # fmt: skip
                print(json.dumps(told) if as_json else path, flush=True)


__all__ = ["instances"]
