"""`kwartet play`: a game at one terminal, against strategies or other people."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quaternity.cli.failed_players import MoveSeconds, Traceback
from quaternity.cli.kwartet import kwartet
from quaternity.errors import InputError

SEATS = ("you", "exact", "exact", "exact")


@kwartet.command()
def play(
    seats: Annotated[
        str | None,
        typer.Option(
            help="Who plays in each seat, by commas: you, or a strategy. Several you take turns. "
            f"Default {','.join(SEATS)}."
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
    from quaternity.cli.kwartet_words import kwartet_words
    from quaternity.cli.match import check_named, play_match, seats_of
    from quaternity.kwartet.rules import KwartetRules
    from quaternity.kwartet.settings import Announce, KwartetSettings

    asked: dict[str, Any] = {}
    if sets is not None:
        asked["sets"] = sets
    if announce is not None:
        asked["announce"] = Announce.parse(announce)
    if own_card_requests is not None:
        asked["own_card_requests"] = own_card_requests
    names = seats_of(seats)

    def of_record(data: bytes) -> KwartetRules:
        rules = KwartetRules.of_record(data)
        check_named(rules.settings, asked)
        return rules

    def default(rules: KwartetRules) -> list[str]:
        if rules.seats != len(SEATS):
            raise InputError(
                f"{record}: does not say who plays its {rules.seats} seats: name them with --seats"
            )
        return list(SEATS)

    play_match(
        lambda: KwartetRules(KwartetSettings(players=len(names or SEATS), **asked)), of_record,
        kwartet_words(), lambda rules: names, record, seed, default,
        move_seconds, traceback,
    )  # fmt: skip


__all__ = ["play"]
