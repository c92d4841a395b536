"""`puzzle`: puzzles whose answers are certain, with their proofs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from secrets import randbelow
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.writing import check_may_be_written, write_text
from quaternity.cli.app import app
from quaternity.cli.options import AsJson
from quaternity.cli.status import ExitStatus
from quaternity.cli.terminal import ask, say
from quaternity.puzzles.boards import board_text, sentence, sheet
from quaternity.puzzles.making import DAILY, KINDS, daily, make
from quaternity.puzzles.puzzle import FORMS, Puzzle

MAX_PUZZLES = 200


@app.command()
def puzzle(
    kind: Annotated[
        str,
        typer.Argument(help=f"{', '.join(KINDS)}, or a class of yours as package.module:name."),
    ] = "possible",
    level: Annotated[int, typer.Option(help="From 1, for a child, to 5, for an expert.")] = 2,
    seed: Annotated[
        int | None, typer.Option(help="The same seed makes the same puzzle. Without: drawn.")
    ] = None,
    day: Annotated[bool, typer.Option("--daily", help="The five of today (UTC).")] = False,
    answer: Annotated[
        str | None, typer.Option(help="Judge this answer: status 0 if right, 1 if wrong.")
    ] = None,
    hint: Annotated[bool, typer.Option("--hint", help="Show the first hint, too.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Show the answer and its proof.")] = False,
    count: Annotated[int, typer.Option(help="Make so many, from as many seeds.")] = 1,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a sheet, solutions on another page.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solve a puzzle whose answer can be proved.

    At a terminal it asks, and says whether you are right: 'hint' shows a step of the proof, 'why'
    all of it. Otherwise it shows the puzzle. It remembers nothing.

    Example: quaternity puzzle owner --level 3 --seed 7 --hint
    """
    if not 1 <= count <= MAX_PUZZLES:
        raise InputError(f"--count {count}: 1 to {MAX_PUZZLES} puzzles are made at a time")
    if day and (kind, level, seed, count) != ("possible", 2, None, 1):
        raise InputError("--daily has its own five: leave out KIND, --level, --seed and --count")
    number = len(DAILY) if day else count
    if answer is not None and number > 1:
        raise InputError(f"--answer is for one puzzle, not for {number}")
    if html is not None:
        check_may_be_written(html)
    first = randbelow(1 << 40) if seed is None else seed
    puzzles = list(daily()) if day else [make(kind, first + step, level) for step in range(count)]
    if html is not None:
        write_text(html, sheet(puzzles))
        return
    if as_json:
        documents = [each.document() for each in puzzles]
        print(json.dumps({"puzzles": documents} if len(documents) > 1 else documents[0]))
        return
    status = ExitStatus.DONE
    talks = answer is None and not why and sys.stdin.isatty() and sys.stdout.isatty()
    for number, each in enumerate(puzzles):
        print(end="\n" * (number > 0))
        _show(each)
        if hint:
            say(sentence(each.why[0].text))
        right = True if answer is None else _judge(each, answer)
        if why:
            _prove(each)
        if not (_dialogue(each) if talks else right):
            status = ExitStatus.IMPOSSIBLE
    raise typer.Exit(status)


def _show(each: Puzzle) -> None:
    print(f"{each.kind}, level {each.level}, seed {each.seed}\n")
    print(board_text(each), end="\n\n")
    say(sentence(each.question), 0)
    for number, choice in enumerate(each.choices, start=1):
        print(f"  {number}. {choice}")


def _judge(each: Puzzle, answer: str) -> bool:
    checked = each.check(answer)
    say("Right." if checked.right else f"Wrong: {checked.because}", 0)
    return checked.right


def _prove(each: Puzzle) -> None:
    for step in each.why:
        say(sentence(step.text))
    print(f"Answer: {' or '.join(each.answers)}")


def _dialogue(each: Puzzle) -> bool:
    """Ask until the answer is right, or is asked for; return whether the first one was right."""
    hints, first = _hints(each), None
    say(f"Your answer: {FORMS[each.answer_form]}; or hint, why, or quit")
    while True:
        try:
            typed = ask("answer> ")
        except EOFError:
            print()
            return first is True
        if typed in ("quit", "exit"):
            return first is True
        if typed == "hint":
            say(next(hints, "There is no further hint."))
        elif typed == "why":
            _prove(each)
            return first is True
        elif typed:
            try:
                right = _judge(each, typed)
            except InputError as error:
                say(str(error), 0)
                continue
            first = right if first is None else first
            if right:
                return first


def _hints(each: Puzzle) -> Iterator[str]:
    for step in each.why[:-1]:
        yield sentence(step.text)
