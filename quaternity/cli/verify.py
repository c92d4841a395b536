"""`verify`: check a certificate, which proves how a solved game ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.reading import strip_bom
from quaternity.cli.app import app
from quaternity.cli.options import AsJson
from quaternity.cli.status import ExitStatus
from quaternity.cli.terminal import progress, say, warn
from quaternity.perfect.certificate import (
    CONFIDENCE,
    MAX_LINE_BYTES,
    CheckResult,
    InvalidCertificate,
    check,
)


@app.command()
def verify(
    file: Annotated[
        str, typer.Argument(metavar="CERTIFICATE", help="File written by solve --certificate.")
    ],
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Check N random states instead of all.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Random seed of the sample.  [default: random]")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a certificate of a solved game.

    The checker knows the rules, but not how games are solved. It checks every state in the file,
    and every question and answer in each state. The exit status is 1 if any claim is wrong.

    Example: quaternity verify 4-3-3.certificate --sample 1000
    """
    try:
        with progress("checking", None) as bar:
            result = check(_lines(file), sample, seed, lambda done, total: bar.advance(1))
    except InvalidCertificate as error:
        warn(f"{file}: the certificate is not valid: {error}")
        raise typer.Exit(ExitStatus.IMPOSSIBLE) from error
    if as_json:
        print(json.dumps(result.document()))
    else:
        _show(file, result, sample)


def _lines(file: str) -> Iterator[bytes]:
    """Yield the lines of a file. A line longer than `MAX_LINE_BYTES` is split into pieces."""
    try:
        with Path(file).open("rb") as lines:
            yield strip_bom(lines.readline(MAX_LINE_BYTES + 1))
            while line := lines.readline(MAX_LINE_BYTES + 1):
                yield line
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {getattr(error, 'strerror', None) or error}") from error


def _show(file: str, result: CheckResult, sample: int | None) -> None:
    head = result.head
    game = f"{head.set_size}-{head.sets}-{head.players}{' brisk' if head.brisk else ''}"
    where = "from the start" if result.from_start else f"from the state in line {head.start + 2}"
    say(f"{file}: {game}, {head.tie_break}, {where}")
    for player, rank in enumerate(result.ranks):
        if rank is None and head.player not in (None, player):
            continue  # The certificate claims nothing about this player.
        forced = f"can force a win, in {rank} moves at most"
        say(f"  player {player} {'cannot force a win' if rank is None else forced}")
    if result.outcomes is not None:
        outcomes = ", ".join("-".join(map(str, gets)) for gets in sorted(result.outcomes)[::-1])
        say(
            f"  when everybody plays for themselves ({head.wish}), the outcomes are {outcomes}, "
            "depending on how ties are broken (without chance)"
        )
    say(f"  checked: {result.checked:,} of {result.states:,} states, {result.moves:,} answers")
    if sample is not None and result.most_wrong:
        say(
            f"  sample with seed {result.seed}: with {CONFIDENCE:.1%} certainty, fewer than "
            f"{result.most_wrong:,} states are wrong. A single wrong state, which can make all of "
            f"the above wrong, is found with a chance of {100 * sample / result.states:.2g}%"
        )
