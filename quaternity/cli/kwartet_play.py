"""`kwartet play`: a game at one terminal, against strategies or other people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.cli.failed_players import MoveSeconds, Traceback, traced
from quaternity.cli.kwartet import kwartet
from quaternity.cli.terminal import warn
from quaternity.errors import InputError

if TYPE_CHECKING:
    from quaternity.kwartet.journal import KwartetJournal
    from quaternity.kwartet.log import GameLog

SEATS = "you,exact,exact,exact"


@kwartet.command()
def play(
    seats: Annotated[
        str | None,
        typer.Option(
            help="Who plays in each seat, by commas: you, or a strategy. Several you take turns. "
            f"Default {SEATS}."
        ),
    ] = None,
    sets: Annotated[int | None, typer.Option("-n", "--sets", help="Sets; default 13.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the deal and of the strategies; without, by chance.")
    ] = None,
    announce: Annotated[
        str | None,
        typer.Option(help="When full sets are put down: at-once (default) or after-own-request."),
    ] = None,
    own_card_requests: Annotated[
        bool | None,
        typer.Option(
            "--own-card-requests/--no-own-card-requests",
            help="Whether a player may ask for a card in his own hand (default).",
            show_default=False,
        ),
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(
            help="Keep the game in this file, all hands included, and resume it from there."
        ),
    ] = None,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
) -> None:
    """Play Kwartet at this terminal.

    You see your hand, what everybody sees, and exactly what follows from it: who has each card or
    may have it. Type help in the game for what can be typed.

    Example: quaternity kwartet play --seats you,exact,better-greedy --sets 8 --record my.game
    """
    from contextlib import nullcontext
    from random import Random

    from quaternity.cli.kwartet_session import KwartetSession
    from quaternity.kwartet.seats import check_names, seats_from
    from quaternity.kwartet.settings import Announce
    from quaternity.workers.own_process import check_move_seconds

    check_move_seconds(move_seconds)
    names = None if seats is None else seats_from(seats)
    asked: dict[str, object] = {}
    if sets is not None:
        asked["sets"] = sets
    if announce is not None:
        asked["announce"] = Announce.parse(announce)
    if own_card_requests is not None:
        asked["own_card_requests"] = own_card_requests
    # The seed is never shown: it says what everybody holds.
    chance = str(Random().getrandbits(64) if seed is None else seed)
    log, journal = (
        _resumed(record, names, asked)
        if record is not None and _exists(record)
        else _begun(record, names or seats_from(SEATS), asked, chance)
    )
    with journal or nullcontext(), traced(traceback):
        if len(log.names) != log.settings.players:
            raise InputError(
                f"{record}: does not say who plays its {log.settings.players} seats: name them "
                "with --seats"
            )
        check_names(log.names)
        position, events = log.positions[-1], log.events
        KwartetSession(position, events, log.names, journal, chance, move_seconds).run()


def _exists(record: str) -> bool:
    from quaternity.kwartet.journal import KwartetJournal

    return KwartetJournal.exists(record)


def _resumed(
    record: str, names: tuple[str, ...] | None, asked: dict[str, object]
) -> tuple[GameLog, KwartetJournal]:
    """The game in a file, and its journal."""
    from dataclasses import replace

    from quaternity.kwartet.journal import KwartetJournal
    from quaternity.kwartet.seats import seats_from
    from solvers.wording import counted

    journal, log = KwartetJournal.resume(record, names, asked)
    for text in log.warnings:
        warn(f"{record}: {text}")
    print(f"resuming {record} after {counted(len(log.events), 'request')}")
    return replace(log, names=log.names or names or seats_from(SEATS)), journal


def _begun(
    record: str | None, names: tuple[str, ...], asked: dict[str, object], chance: str
) -> tuple[GameLog, KwartetJournal | None]:
    """A new game, and its journal."""
    from random import Random

    from quaternity.kwartet.hands import dealt_hands
    from quaternity.kwartet.journal import KwartetJournal
    from quaternity.kwartet.log import GameLog
    from quaternity.kwartet.settings import KwartetSettings

    settings = KwartetSettings(
        players=len(names),
        **asked,  # type: ignore[arg-type]  # checked by the settings themselves
    )
    random = Random(f"{chance}/deal")
    hands = dealt_hands(settings, random, random.randrange(settings.players))
    log = GameLog.of(settings, hands, (), names)
    return log, None if record is None else KwartetJournal.begin(record, settings, hands, names)


__all__ = ["play"]
