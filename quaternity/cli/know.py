"""`kwartet know`: what is true, and who knows it, at a point of a recorded game."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.cli.kwartet import kwartet
from quaternity.cli.options import AsJson
from quaternity.cli.terminal import say, warn, warn_about
from quaternity.errors import InputError, LimitError

if TYPE_CHECKING:
    from quaternity.epistemic.grammar import Language
    from quaternity.kwartet.log import GameLog
    from quaternity.kwartet.position import Position
    from quaternity.kwartet.public import PublicState
    from solvers.verdict import Deal


@kwartet.command()
def know(
    game: Annotated[str, typer.Argument(help="A game log (-: standard input).", metavar="GAME")],
    formula: Annotated[
        str, typer.Argument(help="What is asked, for example 'K1 H3 8/3'.", metavar="FORMULA")
    ],
    go: Annotated[
        int | None, typer.Option(help="After this many finished goes; 0 is after the deal.")
    ] = None,
    at: Annotated[int | None, typer.Option(help="After this many requests instead.")] = None,
    why: Annotated[
        bool, typer.Option("--why", help="Say why, or show a deal where it fails.")
    ] = False,
    method: Annotated[
        str, typer.Option(help="auto, solvers, or explicit (lists all deals).")
    ] = "auto",
    seconds: Annotated[float, typer.Option(help="Time limit, reason included.")] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Say whether a formula is true at a point of a game (by default at the end of the log).

    H1 0/2: player 1 holds card 0/2. K1 f: player 1 knows f; M1 f: holds it possible; Kw1 f: knows
    whether. C f: f is common knowledge, C{1,2} f: of players 1 and 2. E f: everybody knows f.
    D{1,2} f: players 1 and 2 would know f together. P f: f is true in every deal that the public
    record allows. [f!] g: if f were said in public, g would be true. Also ! & | -> <-> true false,
    parentheses, and the signs of logicians (¬ ∧ ∨ →, not, and, or).

    U1(2) >= 3: of the cards of player 2, player 1 does not know three or more. cards(1, 8) = 2:
    player 1 holds two of set 8; cards(1) and points(1) are counted by everybody.

    all c in set 3: f, some p != 1: f. The first letter says what a variable stands for: c, d for
    cards, p, q, r for players, s, t for sets. let NAME(p, c) = f; g: a name for f in g.
    Everything counts from 0.

    Exit status 4 when the formula is not decided within the limits.

    Example: quaternity kwartet know game.log --go 20 'K1 !K2 H3 8/3' --why
    """
    from quaternity.epistemic.explanation import judge
    from quaternity.epistemic.grammar import parse
    from quaternity.epistemic.holding import holds
    from quaternity.kwartet.log import read_log
    from quaternity.kwartet.settings import SET_SIZE

    log = read_log(game)
    for text in log.warnings:
        warn_about(game, text)
    position = _position(log, go, at)
    meant = parse(formula, language_at(position.public))
    place = (position.public.problem, position.deal, method, seconds, SET_SIZE)
    explanation = unexplained = None
    if why:
        truth, reason = judge(meant, *place)
        if isinstance(reason, LimitError):
            unexplained = reason
        else:
            explanation = reason
    else:
        truth = holds(meant, *place)
    answer: dict[str, Any] = {"formula": formula, "true": truth}
    if explanation is not None:
        answer["why"] = list(explanation.lines)
        answer["deals"] = [deal.owner for deal in explanation.deals]
    if as_json:
        print(json.dumps(answer, separators=(",", ":")), flush=True)
    else:
        print("true" if truth else "false")
        if explanation is not None:
            for line in explanation.lines:
                say(f"  {line}")
            for number, deal in enumerate(explanation.deals, start=1):
                print(f"deal {number}:")
                _print_deal(deal, log.settings.players)
    if unexplained is not None:
        warn(f"the reason was not found: {unexplained}")
        raise typer.Exit(4)


def language_at(public: PublicState) -> Language:
    """What formulas may speak of at a moment of a game."""
    from quaternity.epistemic.grammar import Language
    from quaternity.kwartet.settings import SET_SIZE

    return Language.of(public.problem, SET_SIZE, public.points)


def _position(log: GameLog, go: int | None, at: int | None) -> Position:
    if go is not None and at is not None:
        raise InputError("--go and --at: only one of them can say where")
    if go is not None:
        return log.after_goes(go)
    if at is not None and not 0 <= at <= len(log.events):
        raise InputError(f"request {at} is out of range: the log has {len(log.events)} requests")
    return log.positions[-1 if at is None else at]


def _print_deal(deal: Deal, players: int) -> None:
    for player in range(players):
        cards = " ".join(f"{index}/{number}" for index, number in deal.hand(player))
        say(f"  player {player}: {cards or 'no cards'}")


__all__ = ["know", "language_at"]
