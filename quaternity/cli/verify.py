"""`verify`: certificates of solved games."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from quaternity.base.errors import InputError
from quaternity.base.reading import without_mark
from quaternity.cli.app import app
from quaternity.cli.options import AsJson
from quaternity.cli.status import ExitStatus
from quaternity.cli.terminal import progress, say, warn
from quaternity.perfect.certificate import MAX_LINE_BYTES, SURE, Certified, NoCertificate, check


@app.command()
def verify(
    file: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="What solve wrote.")],
    sample: Annotated[
        int | None, typer.Option(min=1, help="Check so many random states instead of all.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the sample. Default: a new one for every run.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a certificate of a solved game.

    The checker knows the rules and nothing of how games are solved. It goes through every state of
    the file, every question there and every answer. The status is 1 when anything is not so.

    Example: quaternity verify 4-3-3.certificate --sample 1000
    """
    try:
        with progress("checking", None) as bar:
            shown = check(_lines(file), sample, seed, lambda done, total: bar.advance(1))
    except NoCertificate as error:
        warn(f"{file}: certifies nothing: {error}")
        raise typer.Exit(ExitStatus.IMPOSSIBLE) from error
    if as_json:
        outcomes = None if shown.outcomes is None else sorted(shown.outcomes, reverse=True)
        print(json.dumps({**shown._asdict(), "outcomes": outcomes, "sure": SURE}))
        return
    _show(file, shown, sample)


def _lines(file: str) -> Iterator[bytes]:
    """Yield the lines of a file, of one that is too long its beginning."""
    try:
        with Path(file).open("rb") as lines:
            yield without_mark(lines.readline(MAX_LINE_BYTES + 1))
            while line := lines.readline(MAX_LINE_BYTES + 1):
                yield line
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {getattr(error, 'strerror', None) or error}") from error


def _show(file: str, shown: Certified, sample: int | None) -> None:
    head: dict[str, Any] = shown.head
    game = "-".join(str(head[name]) for name in ("set_size", "sets", "players"))
    game += " brisk" if head["brisk"] else ""
    where = "from the start" if shown.from_start else f"from the state in line {head['start'] + 2}"
    say(f"{file}: {game}, {head['tie_break']}, {where}")
    for player, rank in enumerate(shown.ranks):
        if rank is None and head["player"] not in (None, player):
            continue  # nothing is claimed of them
        forced = f"can force a win, in {rank} moves at most"
        say(f"  player {player} {'cannot force a win' if rank is None else forced}")
    if shown.outcomes is not None:
        outcomes = ", ".join("-".join(map(str, gets)) for gets in sorted(shown.outcomes)[::-1])
        say(
            f"  when everybody plays for themselves ({head['wish']}), the outcomes are {outcomes}, "
            "as ties are broken without chance"
        )
    say(f"  checked: {shown.checked:,} of {shown.states:,} states, {shown.moves:,} answers")
    if sample is not None and shown.most_wrong:
        say(
            f"  sample with seed {shown.seed}: with {SURE:.1%} certainty fewer than "
            f"{shown.most_wrong:,} states are wrong. The chance to find a single wrong state is "
            f"{100 * sample / shown.states:.2g}%, and one can make all of the above wrong"
        )
