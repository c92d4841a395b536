"""`kwartet know`: what is true, and who knows it, at a point of a game or all through it."""

from __future__ import annotations

import json
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.cli.kwartet import kwartet
from quaternity.cli.options import AsJson
from quaternity.cli.terminal import say, warn, warn_about
from quaternity.errors import InputError, LimitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quaternity.cli.knowing import Moment
    from quaternity.epistemic import Formula, SeenTruth
    from quaternity.kwartet.log import GameLog
    from quaternity.kwartet.seen import SeenLog

UNSAID = "not to be said"
"""In a row over time: what is to be said is not true then, or not known to be."""
MARKS = {True: "#", False: ".", None: "?", UNSAID: "-"}
"""How a truth value is shown in the row of a formula over time."""


@kwartet.command()
def know(
    game: Annotated[str, typer.Argument(help="A game log (-: standard input).", metavar="GAME")],
    formulas: Annotated[
        list[str], typer.Argument(help="What is asked, for example 'K1 H3 8/3'.", metavar="FORMULA")
    ],
    go: Annotated[
        int | None, typer.Option(help="After this many finished goes; 0 is after the deal.")
    ] = None,
    at: Annotated[int | None, typer.Option(help="After this many requests instead.")] = None,
    seat: Annotated[
        int | None, typer.Option(help="Tell only what this seat can tell; without, the truth.")
    ] = None,
    said: Annotated[
        list[str] | None,
        typer.Option("--say", help="Once this was said in public; several, one after another."),
    ] = None,
    over_time: Annotated[
        bool, typer.Option("--over-time", help="From which request on it is true, and when not.")
    ] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Say why, or show a deal where it fails.")
    ] = False,
    chance: Annotated[
        bool, typer.Option("--chance", help="How likely it is, as far as the seat can tell.")
    ] = False,
    method: Annotated[
        str, typer.Option(help="auto, solvers, or explicit (lists all deals).")
    ] = "auto",
    seconds: Annotated[
        float, typer.Option(help="Time limit for each formula and moment, reason included.")
    ] = 60.0,
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

    A log as one seat saw it (kwartet log --seat, kwartet note) is asked as that seat: what it
    cannot tell is open (null). Exit status 4 when a formula is not decided within the limits, 1
    when what is to be said is not true.

    Example: quaternity kwartet know game.log --go 20 'K1 !K2 H3 8/3' --why
    """
    from quaternity.kwartet.log import read_any_log

    log = read_any_log(game)
    for text in log.warnings:
        warn_about(game, text)
    asked = _Asked(log, seat, tuple(said or ()), method, seconds)
    if over_time:
        if go is not None or at is not None or why:
            raise InputError("--over-time goes through the whole game: no --go, --at or --why")
        failed = asked.over_time(formulas, as_json)
    else:
        step = _step(log, go, at)
        several = len(formulas) > 1
        told = [asked.once(text, step, why, chance, as_json, several) for text in formulas]
        failed = not all(told)
    if failed:
        raise typer.Exit(4)


def _step(log: GameLog | SeenLog, go: int | None, at: int | None) -> int:
    """After how many requests."""
    from quaternity.kwartet.log import goes_of

    if go is not None and at is not None:
        raise InputError("--go and --at: only one of them can say where")
    if go is not None:
        ends = goes_of(log)
        if not 0 <= go <= len(ends):
            raise InputError(f"go {go} is out of range: the log has {len(ends)} finished goes")
        return ends[go - 1] if go else 0
    if at is not None and not 0 <= at <= len(log.events):
        raise InputError(f"request {at} is out of range: the log has {len(log.events)} requests")
    return len(log.events) if at is None else at


class _Asked:
    """Questions about one log."""

    def __init__(
        self,
        log: GameLog | SeenLog,
        seat: int | None,
        said: tuple[str, ...],
        method: str,
        seconds: float,
    ) -> None:
        self.log, self.seat, self.said = log, seat, said
        self.method, self.seconds = method, seconds

    def moment(self, step: int) -> Moment:
        from quaternity.cli.knowing import moment

        return moment(self.log, step, self.seat)

    def once(
        self, text: str, step: int, why: bool, chance: bool, as_json: bool, several: bool
    ) -> bool:
        """Tell the truth of a formula at a moment; False where the reason was not found."""
        from quaternity.cli.knowing import read_formula, truth_at

        at, begun = self.moment(step), monotonic()
        self._check_said(at)
        formula = read_formula(text, at, self.said)
        found = truth_at(formula, at, self.method, self.seconds, why)
        reason, failed = found.why, None
        if isinstance(reason, LimitError):
            reason, failed = None, reason
        answer: dict[str, Any] = {"formula": text, "true": found.truth}
        lines = [] if reason is None else list(reason.lines)
        if why and found.truth and failed is None:
            left = max(1.0, self.seconds - (monotonic() - begun))
            lines = self._with_requests(formula, at, left, answer) or lines
        if lines:
            answer["why"] = lines
        if reason is not None:
            answer["deals"] = [deal.owner for deal in reason.deals]
        elif found.deals and why:
            answer["deals"] = [deal.owner for deal in found.deals]
        likely = ""
        if chance:
            try:
                likely = self._chance(formula, at, answer)
            except LimitError as error:
                failed = error
        if as_json:
            print(json.dumps(answer, separators=(",", ":")), flush=True)
        else:
            self._print(text if several else "", at, found, lines, why)
            if likely:
                print(f"  chance as {at.eyes} can tell: {likely}")
        if failed is not None:
            warn(f"{'the reason' if why else 'the chance'} was not found: {failed}")
        return failed is None

    def _chance(self, formula: Formula, at: Moment, answer: dict[str, Any]) -> str:
        """How likely a formula is for a seat or, where none is named, for everybody."""
        from quaternity.cli.knowing import chance_at, chance_text

        found = chance_at(formula, at, self.seconds)
        answer["chance"] = {
            "value": float(found.chance), "low": found.low, "high": found.high,
            "exact": found.is_exact,
        }  # fmt: skip
        return chance_text(found)

    def _check_said(self, at: Moment) -> None:
        """Refuse an announcement that is not true when its turn comes."""
        unsaid = self._unsaid(at)
        if unsaid is not None:
            text, truth = unsaid
            known = "" if truth is False else f"known to {at.eyes} to be "
            warn(f"{text} cannot be said: it is not {known}true")
            raise typer.Exit(1)

    def _unsaid(self, at: Moment) -> tuple[str, bool | None] | None:
        """The first announcement that is not true when its turn comes, and what it is then."""
        from quaternity.cli.knowing import read_formula, truth_at
        from quaternity.epistemic.formula import FALSE, Not
        from quaternity.epistemic.seen_truth import announced

        for number, text in enumerate(self.said):
            before = [read_formula(one, at) for one in self.said[:number]]
            said = announced([*before, read_formula(text, at)], FALSE)
            found = truth_at(Not(said), at, self.method, self.seconds)
            if not found.truth:
                return text, found.truth
        return None

    def _with_requests(
        self, formula: Formula, at: Moment, seconds: float, answer: dict[str, Any]
    ) -> list[str]:
        """The requests that make a formula true, and what follows from them."""
        from quaternity.cli.knowing import reason_lines, reasons_at

        try:
            found = reasons_at(formula, at, self.method, seconds)
        except LimitError:
            return []
        if found is None:
            return []
        answer["requests"], answer["minimal"] = list(found.requests), found.minimal
        if found.explanation is not None:
            answer["deals"] = [deal.owner for deal in found.explanation.deals]
        return list(reason_lines(formula, found, at.events))

    def _print(
        self, text: str, at: Moment, found: SeenTruth, lines: Sequence[str], why: bool
    ) -> None:
        from quaternity.cli.knowing import beside, other_deals

        players = at.public.settings.players
        told = {True: "true", False: "false", None: "open"}[found.truth]
        print(f"{told}  {text}" if text else told)
        for line in lines:
            say(f"  {line}")
        if why and found.truth is None:
            for line in other_deals(found, players):
                print(f"  {line}")
        deals = (
            found.why.deals
            if found.why is not None and not isinstance(found.why, LimitError)
            else ()
        )
        for number, deal in enumerate(deals, start=1):
            print(f"deal {number}:")
            if at.deal is None:
                _print_deal(deal, players)
            else:
                for line in beside(at.deal, deal, players, ("really", f"deal {number}")):
                    print(f"  {line}")

    def over_time(self, formulas: Sequence[str], as_json: bool) -> bool:
        """Tell the truth of formulas after each request; whether some was not decided."""
        from quaternity.cli.knowing import read_formula, truth_at

        undecided = False
        wide = max(map(len, formulas))
        if not as_json:
            mark = ", -: --say is not true" * bool(self.said)
            say(f"#: true, .: false, ?: cannot be told{mark}; a mark for the deal and for each "
                f"of {len(self.log.events)} requests")  # fmt: skip
        for text in formulas:
            row: list[bool | str | None] = []
            for step in range(len(self.log.events) + 1):
                at = self.moment(step)
                formula = read_formula(text, at, self.said)
                try:
                    unsaid = self._unsaid(at)
                    found = truth_at(formula, at, self.method, self.seconds)
                    row.append(UNSAID if unsaid else found.truth)
                except LimitError as error:
                    undecided = True
                    row.append(None)
                    warn(f"after request {step}: {text}: {error}")
            changes = [0, *(n for n in range(1, len(row)) if row[n] != row[n - 1])]
            if as_json:
                told = [None if one == UNSAID else one for one in row]
                answer = {"formula": text, "over_time": told, "changes": changes[1:]}
                if self.said:
                    answer["unsaid"] = [step for step, one in enumerate(row) if one == UNSAID]
                print(json.dumps(answer, separators=(",", ":")), flush=True)
                continue
            print(f"{text:<{wide}}  {''.join(MARKS[one] for one in row)}")
            for step in changes:
                said = "at the deal" if not step else f"from request {step}, {self._event(step)}"
                words = {True: "true", False: "false", None: "not to be told", UNSAID: UNSAID}
                word = words[row[step]]
                say(f"  {word} {said}")
        return undecided

    def _event(self, step: int) -> str:
        event = self.log.events[step - 1]
        return ", ".join(str(event).splitlines())


def _print_deal(deal: Any, players: int) -> None:
    for player in range(players):
        cards = " ".join(f"{index}/{number}" for index, number in deal.hand(player))
        say(f"  player {player}: {cards or 'no cards'}")


__all__ = ["know"]
