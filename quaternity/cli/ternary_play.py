"""The commands `set deck`, `set simulate` and `set chain`, for whole decks and games of SET."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random
from time import monotonic
from typing import Annotated, NamedTuple

import typer

from quaternity.base.text_format import percent
from quaternity.base.validation import check_time_limit
from quaternity.cli.options import AsJson
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import progress, say, warn
from quaternity.cli.ternary import RULE, print_json, set_app, ternary_digits
from quaternity.ternary import Rule, play_out, read_card, safe_deck, shuffled_deck
from quaternity.ternary import chain as chain_of

SEED = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Random seed.  [default: random, and printed]"),
]
SAFE = Annotated[
    bool, typer.Option("--safe", help="Shuffle so that no game gets stuck before its end.")
]


@set_app.command()
def deck(
    safe: SAFE = False, rule: RULE = "set", seed: SEED = None, as_json: AsJson = False
) -> None:
    """Shuffle a deck, and list its cards in the order of dealing.

    In a safe deck (--safe), every three cards that are dealt together form a SET or triple. To hide
    this, deal them to random places on the table.

    Example: quaternity set deck --safe --seed 7
    """
    triple_rule, (random, used_seed) = Rule(rule), _random(seed)
    cards = safe_deck(random, triple_rule) if safe else shuffled_deck(random)
    if as_json:
        print_json(rule=triple_rule, safe=safe, seed=used_seed, deck=cards)
        return
    print(f"{f'safe for {triple_rule.three}s' if safe else 'shuffled'}, seed {used_seed}")
    for start in range(0, len(cards), 3):
        print(" ".join(f"{card:>2}" for card in cards[start : start + 3]))


@set_app.command()
def simulate(
    games: Annotated[
        int, typer.Option("--games", "-g", metavar="N", min=1, help="Number of games.")
    ] = 1000,
    safe: SAFE = False,
    extra: Annotated[
        bool, typer.Option("--extra", help="Deal three more cards if there is no SET or triple.")
    ] = False,
    rule: RULE = "set",
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="SECONDS",
            help="Time limit in seconds, after which no new game begins.  [default: no limit]",
        ),
    ] = None,
    seed: SEED = None,
    as_json: AsJson = False,
) -> None:
    """Play games with random choices, and show how they end.

    Twelve cards lie on the table. A random SET or triple is taken, and three cards from the deck
    replace it. A game is stuck if the table contains no SET or triple although the deck is not
    empty.

    If the time runs out (exit status 4) or after an interrupt (130), the finished games are shown.

    Example: quaternity set simulate --games 1000 --extra --seed 1
    """
    triple_rule, (random, used_seed) = Rule(rule), _random(seed)
    ends: Counter[_End] = Counter()
    status, reason = _play_games(
        ends, games, check_time_limit(seconds), triple_rule, random, safe=safe, extra=extra
    )
    finished = ends.total()
    if not (finished or as_json):
        raise typer.Exit(status)
    stuck = sum(times for end, times in ends.items() if end.got_stuck)
    looks = sum(end.looks * times for end, times in ends.items())
    blanks = sum(end.blanks * times for end, times in ends.items())
    remaining: Counter[int] = Counter()
    for end, times in sorted(ends.items()):
        if not end.got_stuck:
            remaining[end.left] += times
    with ExitWithStatus() as leaving:
        leaving.status = status
        if as_json:
            print_json(
                rule=triple_rule, safe=safe, extra=extra, seed=used_seed, games=finished,
                stuck=stuck, tables_of_12=looks, without_three=blanks, left=remaining, asked=games,
                reason=reason,
            )  # fmt: skip
        else:
            say(f"{finished} games, seed {used_seed}")
            say(f"stuck before the deck was empty: {percent(stuck / finished, 2)}")
            share = percent(blanks / looks, 2)
            say(f"tables of 12 cards without a {triple_rule.three}: {share} of {looks}")
            for number, times in remaining.items():
                print(f"{number} cards left at the end: {percent(times / finished, 2)}")


class _End(NamedTuple):
    """The end of a random game, with the field names of `quaternity.ternary.Playout`."""

    left: int
    got_stuck: bool
    looks: int
    blanks: int


def _play_games(
    ends: Counter[_End],
    games: int,
    seconds: float | None,
    rule: Rule,
    random: Random,
    *,
    safe: bool,
    extra: bool,
) -> tuple[ExitStatus, str | None]:
    """Play games and count their ends. Return the exit status, and why the games stopped early."""
    end_of_time = None if seconds is None else monotonic() + seconds
    try:
        with progress("games", games) as bar:
            for number in range(games):
                if end_of_time is not None and monotonic() >= end_of_time:
                    reason = f"time ran out after {number} of {games} games"
                    warn(reason)
                    return ExitStatus.LIMIT, reason
                cards = safe_deck(random, rule) if safe else shuffled_deck(random)
                game = play_out(cards, rule, random, extra=extra)
                ends[_End(len(game.left), game.got_stuck, game.looks, game.blanks)] += 1
                bar.advance()
    except KeyboardInterrupt:
        reason = f"interrupted after {ends.total()} of {games} games"
        warn(reason)
        return ExitStatus.INTERRUPTED, reason
    return ExitStatus.DONE, None


@set_app.command()
def chain(
    length: Annotated[
        int, typer.Option("--length", "-l", metavar="N", min=1, help="Number of SETs or triples.")
    ] = 10,
    start: Annotated[
        str | None, typer.Option("--start", metavar="CARD", help="First card.  [default: random]")
    ] = None,
    rule: RULE = "set",
    seed: SEED = None,
    as_json: AsJson = False,
) -> None:
    """Print a chain of SETs (or triples). Each begins with the last card of the previous one.

    Example: quaternity set chain --length 5 --start 0212 --seed 1
    """
    triple_rule, (random, used_seed) = Rule(rule), _random(seed)
    first = None if start is None else read_card(start)
    links = islice(chain_of(random, triple_rule, first), length)
    if as_json:
        print_json(rule=triple_rule, seed=used_seed, triples=list(links))
        return
    print(f"seed {used_seed}")
    for link in links:
        print("  ".join(f"{card:>2} {ternary_digits(card)}" for card in link))


def _random(seed: int | None) -> tuple[Random, int]:
    used_seed = Random().randrange(2**32) if seed is None else seed
    return Random(used_seed), used_seed
