"""`puzzle`: show a puzzle about cards or boards, and check the answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from secrets import randbelow
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.writing import check_writable, write_text
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
        typer.Argument(
            metavar="KIND", help=f"{', '.join(KINDS)}, or your own class as package.module:name."
        ),
    ] = "possible",
    level: Annotated[
        int,
        typer.Option(metavar="LEVEL", help="Difficulty, from 1 for a child to 5 for an expert."),
    ] = 2,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Random seed, which determines the puzzle.  [default: random]"
        ),
    ] = None,
    day: Annotated[
        bool,
        typer.Option("--daily", help="Show today's five puzzles. The day changes at midnight UTC."),
    ] = False,
    answer: Annotated[
        str | None,
        typer.Option(
            metavar="ANSWER", help="Judge this answer: exit status 0 if right, 1 if wrong."
        ),
    ] = None,
    hint: Annotated[bool, typer.Option("--hint", help="Also show the first hint.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Show the answer and its proof.")] = False,
    count: Annotated[
        int, typer.Option(metavar="N", help="Make N puzzles with consecutive seeds.")
    ] = 1,
    html: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the puzzles as HTML, with the solutions on a separate page."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solve a puzzle whose answer can be proved.

    At a terminal, the command asks for your answer and judges it. Type hint to see a step of the
    proof, or why to see the whole proof. If input or output is piped, the command only shows the
    puzzle. Nothing is stored.

    Example: quaternity puzzle owner --level 3 --seed 7 --hint
    """
    if not 1 <= count <= MAX_PUZZLES:
        raise InputError(f"--count {count}: must be from 1 to {MAX_PUZZLES}")
    if day and (kind, level, seed, count) != ("possible", 2, None, 1):
        raise InputError(
            "--daily shows five fixed puzzles: leave out KIND, --level, --seed and --count"
        )
    number = len(DAILY) if day else count
    if answer is not None and number > 1:
        raise InputError(f"--answer can judge only one puzzle, not {number}")
    if html is not None:
        check_writable(html)
    first = randbelow(1 << 40) if seed is None else seed
    puzzles = list(daily()) if day else [make(kind, first + step, level) for step in range(count)]
    if html is not None:
        write_text(html, sheet(puzzles))
        return
    if as_json:
        documents = [item.document() for item in puzzles]
        print(json.dumps({"puzzles": documents} if len(documents) > 1 else documents[0]))
        return
    status = ExitStatus.DONE
    interactive = answer is None and not why and sys.stdin.isatty() and sys.stdout.isatty()
    for number, item in enumerate(puzzles):
        print(end="\n" * (number > 0))
        _show(item)
        if hint:
            say(sentence(item.why[0].text))
        right = True if answer is None else _judge(item, answer)
        if why:
            _prove(item)
        if not (_dialogue(item) if interactive else right):
            status = ExitStatus.IMPOSSIBLE
    raise typer.Exit(status)


def _show(item: Puzzle) -> None:
    print(f"{item.kind}, level {item.level}, seed {item.seed}\n")
    print(board_text(item), end="\n\n")
    say(sentence(item.question), 0)
    for number, choice in enumerate(item.choices, start=1):
        print(f"  {number}. {choice}")


def _judge(item: Puzzle, answer: str) -> bool:
    verdict = item.check(answer)
    say("Right." if verdict.right else f"Wrong: {verdict.because}", 0)
    return verdict.right


def _prove(item: Puzzle) -> None:
    for step in item.why:
        say(sentence(step.text))
    print(f"Answer: {' or '.join(item.answers)}")


def _dialogue(item: Puzzle) -> bool:
    """Ask until an answer is right or `why` is typed. Return whether the first answer was right."""
    hints, first = _hints(item), None
    say(f"Your answer: {FORMS[item.answer_form]}; or hint, why, or quit")
    while True:
        try:
            line = ask("answer> ")
        except EOFError:
            print()
            return first is True
        if line in ("quit", "exit"):
            return first is True
        if line == "hint":
            say(next(hints, "There is no further hint."))
        elif line == "why":
            _prove(item)
            return first is True
        elif line:
            try:
                right = _judge(item, line)
            except InputError as error:
                say(str(error), 0)
                continue
            first = right if first is None else first
            if right:
                return first


def _hints(item: Puzzle) -> Iterator[str]:
    for step in item.why[:-1]:
        yield sentence(step.text)
