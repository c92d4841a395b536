"""`situation`: small situations in files, asked, drawn, and written for SMCDEL."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.reading import decode, read_bytes
from quaternity.base.writing import write_text
from quaternity.cli.app import app
from quaternity.cli.opening import named
from quaternity.cli.options import FormulaMethod
from quaternity.cli.status import ExitStatus, Leaving
from quaternity.cli.terminal import say
from quaternity.epistemic.formula import FALSE, Not
from quaternity.epistemic.holding import holds
from quaternity.epistemic.kripke import dot_text, kripke_model, svg_text_of
from quaternity.epistemic.seen_truth import announced
from quaternity.epistemic.situation import Situation, parse_situation
from quaternity.epistemic.smcdel import smcdel_text


@app.command()
def situation(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A situation; - is standard input.")],
    to: Annotated[str | None, typer.Option(help="Write it as smcdel, dot or svg instead.")] = None,
    out: Annotated[
        str | None, typer.Option(help="Write to this file, not to standard output.")
    ] = None,
    after: Annotated[
        int | None, typer.Option(min=0, help="Draw it after this many announcements; default all.")
    ] = None,
    all_cards: Annotated[
        bool, typer.Option("--all-cards", help="Draw every deal, not only what the formulas name.")
    ] = False,
    method: FormulaMethod = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per formula.")] = False,
) -> None:
    """Ask what is true after announcements, and who knows it.

    The file says who holds what, what is public and what is announced, and asks formulas. Exit
    status 1: a formula is not as the file says, or an announcement is not true. With --to dot or
    svg the Kripke model after all announcements is drawn, contracted by bisimulation.

    Example: quaternity situation russian.situation --to svg --out russian.svg
    """
    with named(file):
        text = decode(read_bytes(file))
    given = parse_situation(text, file)
    if to is not None:
        _write(_exported(given, file, to, after, all_cards), out)
        return
    place = given.problem, given.deal, method
    with Leaving() as leaving:
        if given.said and not holds(Not(announced(given.said, FALSE)), *place):
            leaving.status = ExitStatus.IMPOSSIBLE
            say(f"{file}: what is said is not all true when it is said")
        for asked in given.asked:
            truth = holds(announced(asked.said, asked.formula), *place)
            right = asked.expected in (None, truth)
            if not right:
                leaving.status = ExitStatus.IMPOSSIBLE
            if as_json:
                answer = {
                    "line": asked.line,
                    "formula": asked.text,
                    "true": truth,
                    "as_said": right,
                }
                print(json.dumps(answer, separators=(",", ":")), flush=True)
            else:
                wrong = "" if right else "   NOT as the file says"
                say(f"{str(truth).lower():<6}{asked.text}{wrong}")


def _exported(given: Situation, file: str, to: str, after: int | None, all_cards: bool) -> str:

    if after is not None and after > len(given.said):
        raise InputError(f"--after {after} is out of range 0..{len(given.said)}")
    if to == "smcdel":
        return smcdel_text(given)
    if to not in ("dot", "svg"):
        raise InputError(f"--to {to!r}: known are smcdel, dot and svg")
    model = kripke_model(given, given.said[:after], every=all_cards)
    return dot_text(model) if to == "dot" else svg_text_of(model, file)


def _write(text: str, out: str | None) -> None:

    if out is None:
        print(text, end="")
    else:
        write_text(out, text)
