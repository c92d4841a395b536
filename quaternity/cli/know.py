"""`kwartet know`: evaluate formulas about what players know at some point of a game of Kwartet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import inf
from time import monotonic
from typing import Annotated, Any

import typer

from quaternity.base.errors import InputError, LimitError
from quaternity.base.writing import write_text
from quaternity.cli.input_files import open_log
from quaternity.cli.kwartet import kwartet
from quaternity.cli.options import AsJson, FormulaMethod
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import columns, say, warn, width
from quaternity.epistemic.deal_text import differing_deals
from quaternity.kwartet.played import GameLog, ends_of_goes
from quaternity.kwartet.queries import (
    QueryContext,
    chance_at,
    chance_text,
    deal_lines,
    moment,
    read_formula,
    reason_at,
    truth_at,
)
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.timelines import UNDEFINED, WORDS, SeenValue, Timeline, timelines_svg


@kwartet.command()
def know(
    game: Annotated[str, typer.Argument(help="A game log; - is standard input.", metavar="GAME")],
    formulas: Annotated[
        list[str],
        typer.Argument(help="Formulas to evaluate, for example 'K1 H3 8/3'.", metavar="FORMULA"),
    ],
    go: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Evaluate after N goes, or right after the deal if N is 0. A go is all requests "
            "of a player until the turn passes.  [default: at the end]",
        ),
    ] = None,
    at: Annotated[
        int | None, typer.Option(metavar="N", help="Evaluate after N requests, instead of --go.")
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(
            metavar="SEAT", help="Show what this seat can infer.  [default: what is true]"
        ),
    ] = None,
    announcements: Annotated[
        list[str] | None,
        typer.Option(
            "--say",
            metavar="FORMULA",
            help="Announce this formula publicly before the evaluation; may be repeated, for "
            "several announcements in order.",
        ),
    ] = None,
    over_time: Annotated[
        bool, typer.Option("--over-time", help="Show after which requests each formula is true.")
    ] = False,
    svg: Annotated[
        str | None,
        typer.Option(
            "--svg", metavar="FILE", help="With --over-time, also draw the result as SVG."
        ),
    ] = None,
    why: Annotated[
        bool, typer.Option("--why", help="Show the reason, or a deal in which the formula fails.")
    ] = False,
    chance: Annotated[
        bool, typer.Option("--chance", help="Show the probability, given what the seat knows.")
    ] = False,
    method: FormulaMethod = "auto",
    seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="Time limit in seconds for each formula after each request, including the reason.",
        ),
    ] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Evaluate a formula at the end of a game, or at another point.

    A formula consists of these parts. H1 0/2: player 1 holds card 0/2. K1 f: player 1 knows f. M1
    f: player 1 considers f possible. Kw1 f: player 1 knows whether f is true. C f: f is common
    knowledge; C{1,2} f: f is common knowledge of players 1 and 2. E f: everybody knows f. D{1,2} f:
    players 1 and 2 would know f if they shared what they know. P f: f is true in every deal that
    the public record allows. [f!] g: if f were announced publicly, g would be true. Formulas may
    also contain ! & | -> <-> true false, parentheses, and the symbols and words of logic (¬ ∧ ∨ →,
    not, and, or).

    U1(2): number of cards of player 2 that player 1 does not know. cards(1): number of cards that
    player 1 holds; cards(1, 8): number of cards of set 8 that player 1 holds. points(1): number of
    sets that player 1 has put down. Compare numbers as in U1(2) >= 3 or cards(1, 8) = 2.

    all c in set 3: f means that f is true for every card c of set 3. some p != 1: f means that f is
    true for some player p other than 1. Variables for cards begin with c or d, for players with p,
    q or r, and for sets with s or t. let NAME(p, c) = f; g: in g, NAME is short for f. All numbers
    start at 0.

    If a log shows only what one seat saw (kwartet log --seat, kwartet note), the answers are what
    that seat can infer. A formula that the seat cannot decide is open (null in JSON), and in --say
    it is assumed to be true. The exit status is 4 if a formula is not decided within the limits,
    and 1 if a formula in --say is not true.

    Example: quaternity kwartet know game.log --go 20 'K1 !K2 H3 8/3' --why
    """
    query = _Evaluation(open_log(game), seat, tuple(announcements or ()), method, seconds)
    if over_time and (go is not None or at is not None or why or chance):
        raise InputError("--over-time: cannot be combined with --go, --at, --why or --chance")
    step = None if over_time else _step(query.log, go, at)
    _print_answers(query, formulas, step, why, chance, as_json, svg)


def _print_answers(
    query: _Evaluation, formulas: list[str], step: int | None, why: bool, chance: bool,
    as_json: bool,
    svg: str | None,
) -> None:  # fmt: skip
    if svg is not None and step is not None:
        raise InputError("--svg draws the truth over time: add --over-time")
    with ExitWithStatus() as leaving:
        if step is None:
            query.over_time(formulas, as_json, svg, leaving)
        else:
            query.at_a_moment(formulas, step, why, chance, as_json, leaving)


def _step(log: GameLog | SeatLog, go: int | None, at: int | None) -> int:
    """Return the step (number of requests so far) that `--go` or `--at` selects."""
    if go is not None and at is not None:
        raise InputError("--go and --at: choose one")
    if go is not None:
        ends = ends_of_goes(log)
        if not 0 <= go <= len(ends):
            raise InputError(f"--go {go} is out of range 0..{len(ends)} (finished goes in the log)")
        return ends[go - 1] if go else 0
    if at is not None and not 0 <= at <= len(log.events):
        raise InputError(f"--at {at} is out of range 0..{len(log.events)} (requests in the log)")
    return len(log.events) if at is None else at


class _Evaluation:
    def __init__(
        self,
        log: GameLog | SeatLog,
        seat: int | None,
        said: tuple[str, ...],
        method: str,
        seconds: float,
    ) -> None:
        self.log, self.seat, self.announcements = log, seat, said
        self.method, self.seconds = method, seconds

    def moment(self, step: int) -> QueryContext:
        return moment(self.log, step, self.seat)

    def after_announcements(self, at: QueryContext) -> tuple[QueryContext, list[str]]:
        """Apply the announcements of the option `--say`. Return the context after them.

        Also return the announcements that are only assumed to be true, because their truth is
        unknown. Raise `_NotTrue` if an announcement is certainly false.
        """
        supposed = []
        for text in self.announcements:
            formula = read_formula(text, at)
            try:
                truth = truth_at(formula, at, self.method, self.seconds).truth
            except LimitError as error:
                raise LimitError(f"--say {text}: {error}") from None
            if truth is False:
                known = "" if at.deal is not None else f", as {at.observer} knows"
                raise _NotTrue(f"{text} cannot be announced: it is not true{known}")
            if truth is None:
                supposed.append(text)
            at = at._replace(announcements=(*at.announcements, formula))
        return at, supposed

    def at_a_moment(
        self,
        formulas: Sequence[str],
        step: int,
        why: bool,
        chance: bool,
        as_json: bool,
        leaving: ExitWithStatus,
    ) -> None:
        try:
            at, supposed = self.after_announcements(self.moment(step))
        except _NotTrue as error:
            warn(str(error))
            raise typer.Exit(1) from None
        if supposed and not as_json:
            say(f"assumed to be true, but not known to {at.observer}: {'; '.join(supposed)}")
        for text in formulas:
            answer, lines, problems = self.evaluate(text, at, why, chance)
            if problems:
                leaving.status = ExitStatus.LIMIT
            if as_json:
                answer |= {"supposed": supposed} if supposed else {}
                print(json.dumps(answer, separators=(",", ":")), flush=True)
            else:
                truth = {True: "true", False: "false", None: "open"}[answer["true"]]
                say(f"{truth}  {text}" if len(formulas) > 1 else truth)
                for line in lines:
                    say(line)
            for problem in problems:
                warn(problem)

    def evaluate(
        self, text: str, at: QueryContext, why: bool, chance: bool
    ) -> tuple[dict[str, Any], list[str], list[str]]:
        """Evaluate a formula. Return a JSON object, lines that explain the result, and warnings."""
        start, formula, problems = monotonic(), read_formula(text, at), []
        truth = truth_at(formula, at, self.method, self.seconds, why)
        answer: dict[str, Any] = {"formula": text, "true": truth.truth}
        lines: list[str] = []
        max_width = width() or inf
        if why:
            remaining = max(1.0, self.seconds - (monotonic() - start))
            reason = reason_at(formula, truth, at, self.method, remaining, text)
            lines = [f"  {line}" for line in reason.lines]
            if lines:
                answer["why"] = list(reason.lines)
            if reason.failed is None:
                answer["deals"] = [deal.owner for deal in reason.deals]
            else:
                problems.append(f"no reason was found: {reason.failed}")
            if reason.requests is not None:
                answer["requests"] = list(reason.requests.requests)
                answer["minimal"] = reason.requests.minimal
            if truth.truth is None:
                both = differing_deals(reason.deals, at.public.settings.players, max_width - 2)
                lines += (f"  {line}" for line in both)
            else:
                lines += deal_lines(reason, at, max_width)
        if chance:
            try:
                likely = chance_at(formula, at, self.seconds)
            except LimitError as error:
                problems.append(f"the probability could not be computed: {error}")
            else:
                answer["chance"] = {
                    "value": float(likely.chance), "low": likely.low, "high": likely.high,
                    "exact": likely.is_exact,
                }  # fmt: skip
                lines.append(f"  probability for {at.observer}: {chance_text(likely)}")
        return answer, lines, problems

    def over_time(
        self, formulas: Sequence[str], as_json: bool, svg: str | None, leaving: ExitWithStatus
    ) -> None:
        rows: list[list[SeenValue]] = [[] for _ in formulas]
        undecided = [
            problem for step in range(len(self.log.events) + 1)
            for problem in self._add_truths(step, formulas, rows)
        ]  # fmt: skip
        if undecided:
            leaving.status = ExitStatus.LIMIT
        for problem in undecided:
            warn(problem)
        # Print each formula on one line, even if it was typed on several lines.
        texts = formulas if as_json else [" ".join(text.split()) for text in formulas]
        lines = [Timeline(text, row) for text, row in zip(texts, rows, strict=True)]
        if not as_json:
            mark = ", -: --say is not true" * bool(self.announcements)
            say(f"#: true, .: false, ?: not known{mark}; the first mark is for the deal, the "
                f"others are for the {len(self.log.events)} requests")  # fmt: skip
        wide = max(map(len, texts))
        for line in lines:
            if as_json:
                self._print_json(line)
            else:
                self._print(line, wide)
        if svg is not None:
            write_text(svg, timelines_svg(lines, "truth of the formulas after each request"))

    def _add_truths(
        self, step: int, formulas: Sequence[str], rows: Sequence[list[SeenValue]]
    ) -> Iterator[str]:
        at = self.moment(step)
        parsed_formulas = [read_formula(text, at) for text in formulas]
        try:
            at, _ = self.after_announcements(at)
        except _NotTrue:
            for row in rows:
                row.append(UNDEFINED)
            return
        except LimitError as error:
            for row in rows:
                row.append(None)
            yield f"after request {step}: {error}"
            return
        for text, formula, row in zip(formulas, parsed_formulas, rows, strict=True):
            try:
                row.append(truth_at(formula, at, self.method, self.seconds).truth)
            except LimitError as error:
                row.append(None)
                yield f"after request {step}: {text}: {error}"

    def _print_json(self, line: Timeline) -> None:

        truths = [None if t == UNDEFINED else t for t in line.values]
        answer = {"formula": line.formula, "over_time": truths, "changes": line.changes()}
        if self.announcements:
            answer["unsaid"] = [
                step for step, truth in enumerate(line.values) if truth == UNDEFINED
            ]
        print(json.dumps(answer, separators=(",", ":")), flush=True)

    def _print(self, line: Timeline, wide: int) -> None:
        marks = {True: "#", False: ".", None: "?", UNDEFINED: "-"}
        row = "".join(marks[t] for t in line.values)
        max_marks = (width() or inf) - wide - 2
        if len(row) <= max_marks:
            print(f"{line.formula:<{wide}}  {row}")
        else:  # Print the row in pieces. Each starts with the number of its first request.
            say(line.formula)
            piece = columns() // 10 * 10 - 10
            for first in range(0, len(row), piece):
                print(f"{first:>6}  {row[first : first + piece]}")
        for step in (0, *line.changes()):
            moment = "at the deal"
            if step:
                event = ", ".join(str(self.log.events[step - 1]).splitlines())
                moment = f"from request {step}, {event}"
            say(f"  {WORDS[line.values[step]]} {moment}")


class _NotTrue(InputError):
    """Error for an announcement that is not true."""
