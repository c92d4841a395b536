"""`quaternity set`: decks, games played out, and chains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.cli.ternary import AS_JSON, RULE, print_json, set_app, ternary_digits

if TYPE_CHECKING:
    from random import Random

SEED = Annotated[
    int | None, typer.Option("--seed", help="Give the same again; drawn and printed without.")
]
SAFE = Annotated[
    bool, typer.Option("--safe", help="Shuffle such that play is never stuck before the end.")
]


@set_app.command()
def deck(
    safe: SAFE = False,
    rule: RULE = "triple",
    seed: SEED = None,
    as_json: AS_JSON = False,
) -> None:
    """Shuffle a deck, on request a safe one, and list it in the order of dealing.

    A safe deck is dealt three by three; the newest three always belong together, so shuffle the
    places on the table at every deal.

    \b
    Example:
      quaternity set deck --safe --rule set --seed 7
    """
    from quaternity.ternary import Rule, safe_deck, shuffled_deck

    chosen, (random, drawn) = Rule(rule), _random(seed)
    cards = safe_deck(random, chosen) if safe else shuffled_deck(random)
    if as_json:
        print_json(rule=chosen, safe=safe, seed=drawn, deck=cards)
        return
    print(f"{f'safe for {chosen.three}s' if safe else 'shuffled'}, seed {drawn}")
    for start in range(0, len(cards), 3):
        print(" ".join(f"{card:>2}" for card in cards[start : start + 3]))


@set_app.command()
def play(
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="How many games.")] = 1000,
    safe: SAFE = False,
    extra: Annotated[
        bool, typer.Option("--extra", help="Deal three more cards when there is no three.")
    ] = False,
    rule: RULE = "triple",
    seed: SEED = None,
    as_json: AS_JSON = False,
) -> None:
    """Play games out with random choices, and tell how they end.

    Twelve cards lie on the table; three that belong together are taken and three more dealt. A game
    is stuck when there are none to take before the deck is empty.

    \b
    Example:
      quaternity set play --games 1000 --rule set --extra --seed 1
    """
    from collections import Counter

    from quaternity.cli.terminal import progress
    from quaternity.ternary import Rule, play_out, safe_deck, shuffled_deck

    chosen, (random, drawn) = Rule(rule), _random(seed)
    left: Counter[int] = Counter()
    stuck = looks = blanks = 0
    with progress("games", games) as bar:
        for _ in range(games):
            cards = safe_deck(random, chosen) if safe else shuffled_deck(random)
            game = play_out(cards, chosen, random, extra=extra)
            stuck, looks, blanks = stuck + game.got_stuck, looks + game.looks, blanks + game.blanks
            left[len(game.left)] += not game.got_stuck
            bar.advance()
    ends = {number: left[number] for number in sorted(left) if left[number]}
    if as_json:
        print_json(
            rule=chosen, safe=safe, extra=extra, seed=drawn, games=games,
            stuck=stuck, tables_of_12=looks, without_three=blanks, left=ends,
        )  # fmt: skip
        return
    print(f"{games} games, seed {drawn}")
    print(f"stuck before the deck was empty: {stuck / games:.2%}")
    print(f"no {chosen.three} on the table of 12: {blanks / looks:.2%} of {looks} times")
    for number, often in ends.items():
        print(f"{number} cards left at the end: {often / games:.2%}")


@set_app.command()
def chain(
    length: Annotated[int, typer.Option("--length", "-l", min=1, help="How many links.")] = 10,
    start: Annotated[
        str | None, typer.Option("--start", metavar="CARD", help="First card; drawn without.")
    ] = None,
    rule: RULE = "triple",
    seed: SEED = None,
    as_json: AS_JSON = False,
) -> None:
    """Print a chain of triples, or SETs, each beginning with the last card of the one before.

    \b
    Example:
      quaternity set chain --length 5 --start 0212 --seed 1
    """
    from itertools import islice

    from quaternity.ternary import Rule, read_card
    from quaternity.ternary import chain as chain_of

    chosen, (random, drawn) = Rule(rule), _random(seed)
    first = None if start is None else read_card(start)
    links = islice(chain_of(random, chosen, first), length)
    if as_json:
        print_json(rule=chosen, seed=drawn, triples=list(links))
        return
    print(f"seed {drawn}")
    for link in links:
        print("  ".join(f"{card:>2} {ternary_digits(card)}" for card in link))


def _random(seed: int | None) -> tuple[Random, int]:
    """A generator, and the seed that it has."""
    from random import Random

    drawn = Random().randrange(2**32) if seed is None else seed
    return Random(drawn), drawn


__all__ = ["set_app"]
