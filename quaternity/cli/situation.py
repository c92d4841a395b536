"""`situation`: evaluate the formulas of a situation file, draw its model, or export it."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.reading import decode, read_bytes
from quaternity.base.writing import write_text
from quaternity.cli.app import app
from quaternity.cli.input_files import prefix_errors
from quaternity.cli.options import FormulaMethod
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import say
from quaternity.epistemic.formula import FALSE, Not
from quaternity.epistemic.kripke import kripke_model, model_dot, model_svg
from quaternity.epistemic.seat_truth import after_announcements
from quaternity.epistemic.situation import Situation, parse_situation
from quaternity.epistemic.smcdel import smcdel_text
from quaternity.epistemic.truth import evaluate


@app.command()
def situation(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A file with a deal, announcements and formulas (see quaternity guide knowledge); "
            "- is standard input.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Write the file in the format of SMCDEL (smcdel), or draw it (dot or svg).  "
            "[default: evaluate its formulas]",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Output file for --to.  [default: standard output]"),
    ] = None,
    after: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Draw the model after N announcements.  [default: after all of them]",
        ),
    ] = None,
    all_cards: Annotated[
        bool,
        typer.Option(
            "--all-cards",
            help="In a drawing, distinguish deals by all cards, not only by those in the formulas.",
        ),
    ] = False,
    method: FormulaMethod = "auto",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON line per formula.")
    ] = False,
) -> None:
    """Find out what is true after announcements, and who knows it.

    The file states who holds which cards, what is public, what is announced, and which formulas to
    evaluate. The exit status is 1 if a formula does not have the truth value that the file states,
    or an announcement is not true. --to dot and --to svg draw the Kripke model (the possible deals)
    after the announcements, with bisimilar deals merged.

    Example: quaternity situation russian.situation --to svg --out russian.svg
    """
    with prefix_errors(file):
        text = decode(read_bytes(file))
    scenario = parse_situation(text, file)
    if to is not None:
        _write(_export(scenario, file, to, after, all_cards), out)
        return
    place = scenario.problem, scenario.deal, method
    with ExitWithStatus() as leaving:
        if scenario.announcements and not evaluate(
            Not(after_announcements(scenario.announcements, FALSE)), *place
        ):
            leaving.status = ExitStatus.IMPOSSIBLE
            say(f"{file}: an announcement is not true when it is made")
        for query in scenario.queries:
            truth = evaluate(after_announcements(query.announcements, query.formula), *place)
            right = query.expected in (None, truth)
            if not right:
                leaving.status = ExitStatus.IMPOSSIBLE
            if as_json:
                answer = {
                    "line": query.line,
                    "formula": query.text,
                    "true": truth,
                    "as_said": right,
                }
                print(json.dumps(answer, separators=(",", ":")), flush=True)
            else:
                wrong = "" if right else "   the file says otherwise"
                say(f"{str(truth).lower():<6}{query.text}{wrong}")


def _export(scenario: Situation, file: str, to: str, after: int | None, all_cards: bool) -> str:

    if after is not None and after > len(scenario.announcements):
        raise InputError(f"--after {after} is out of range 0..{len(scenario.announcements)}")
    if to == "smcdel":
        return smcdel_text(scenario)
    if to not in ("dot", "svg"):
        raise InputError(f"--to {to!r}: choose smcdel, dot or svg")
    model = kripke_model(scenario, scenario.announcements[:after], every=all_cards)
    return model_dot(model) if to == "dot" else model_svg(model, file)


def _write(text: str, out: str | None) -> None:

    if out is None:
        print(text, end="")
    else:
        write_text(out, text)
