"""A whole comparison as text, as JSON, as CSV and as a picture. Nothing is printed here."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from quaternity.base.text_table import table_lines
from quaternity.base.wording import counted
from quaternity.game.settings import Settings
from quaternity.trials.comparison.measuring import Measured
from quaternity.trials.comparison.summary import Row, summarise

MOST_FAULTS = 10
"""Most faults that are told one by one."""

FAILURES = ("timeout", "memory", "gave up", "left out", "crash", "wrong")
"""Columns of a table that are shown only where there is something in them."""


@dataclass(frozen=True, slots=True)
class Group:
    """States of one size.

    Attributes:
        settings: of the games, or None for states of files and instances of families.
        measured: what was measured on them.
        family: of the instances; otherwise empty.
    """

    settings: Settings | None
    measured: Sequence[Measured]
    family: str = ""

    @property
    def name(self) -> str:
        """The size as set size, sets, players; or the family."""
        one = self.settings
        return self.family if one is None else f"{one.set_size}-{one.sets}-{one.players}"


class Report:
    """A comparison.

    Attributes:
        what: which states, in words.
        seed: of the states and of the bootstrap.
        solvers: the names, in their order.
        groups: what was measured, by size.
    """

    def __init__(
        self, what: str, seed: int, solvers: Sequence[str], groups: Sequence[Group]
    ) -> None:
        self.what, self.seed, self.solvers, self.groups = what, seed, list(solvers), list(groups)
        self.measured = [one for group in groups for one in group.measured]
        self._rows: dict[int | None, list[Row]] = {}

    def rows(self, group: int | None = None) -> list[Row]:
        """The figures of the solvers, at the size of a group or over all states."""
        if group not in self._rows:
            measured = self.measured if group is None else self.groups[group].measured
            self._rows[group] = summarise(measured, self.solvers, self.seed)
        return self._rows[group]

    @property
    def smallest_fault(self) -> str | None:
        """The state file of the smallest state with a wrong or unproved verdict."""
        faulty = [one for one in self.measured if one.text is not None]
        if not faulty:
            return None
        return min(faulty, key=lambda one: (one.cards, one.players, len(one.text or ""))).text

    # ------------------------------------------------------------------ for people

    def headline(self) -> str:
        """How many states there are of which kind."""
        return f"{counts(self.measured)} ({self.what}, seed {self.seed})"

    def table(self, group: Group | None, width: int | None = None) -> Iterator[str]:
        """The rows of one size, or over all, as aligned lines that fit a width."""
        number = None if group is None else self.groups.index(group)
        if group is not None and len(self.groups) > 1:
            yield f"{group.name}: {counts(group.measured)}"
        rows = self.rows(number)
        head = [
            "solver", "feasible", "infeasible", "skipped", *FAILURES, "median", "95 % interval",
            "p95", "total", "building", "solving", f"ratio on {rows[0].common}",
        ]  # fmt: skip
        body = [_cells(row) for row in rows]
        shown = [
            column for column, name in enumerate(head)
            if name not in FAILURES or any(line[column] != "0" for line in body)
        ]  # fmt: skip
        named, *lines = ([line[column] for column in shown] for line in [head, *body])
        yield from table_lines(named, lines, width)

    def remarks(self) -> Iterator[str]:
        """What the table means, and how sure it is."""
        yield (
            "Times are processor time of the solver, over the states that it decided. Building and "
            "solving are medians of the two steps."
        )
        rows = self.rows()
        ranked = [row.solver for row in rows if row.feasible + row.infeasible]
        idle = [solver for solver in self.solvers if solver not in ranked]
        if len(ranked) > 1 and rows[0].common:
            yield (
                "The ratio is to the fastest solver, by the medians on the "
                f"{counted(rows[0].common, 'state')} that all {len(ranked)} solvers"
                f"{' that decided any' if idle else ''} decided."
            )
        elif len(ranked) > 1:
            yield "No state was decided by all solvers, so there is no ratio: name fewer of them."
        faulty = sum(bool(one.faults) for one in self.measured)
        undecided = sum(one.feasible is None for one in self.measured)
        if faulty:
            have = "has" if faulty == 1 else "have"
            wrong = any(fault.kind == "wrong" for one in self.measured for fault in one.faults)
            what = "a wrong verdict" if wrong else "a crash"
            yield f"{faulty} of {counted(len(self.measured), 'state')} {have} {what}."
        elif undecided == len(self.measured):
            yield "No verdict was given."
        elif undecided:
            yield f"All verdicts agree and verify; nobody decided {counted(undecided, 'state')}."
        else:
            yield "All verdicts agree, and every one of them verifies."
        for solver in self.solvers:
            for kind in ("refused", "gave_up"):
                reasons = {getattr(one, kind).get(solver) for one in self.measured} - {None}
                if reasons:
                    word = "skipped" if kind == "refused" else "gave up"
                    more = " (among other reasons)" if len(reasons) > 1 else ""
                    yield f"{solver} {word}: {min(reasons, key=len)}{more}"

    def fault_lines(self) -> list[str]:
        """The wrong verdicts as sentences, at most `MOST_FAULTS` of them."""
        lines = [
            f"state {number}: {fault}"
            for number, one in enumerate(self.measured)
            for fault in one.faults
        ]
        if len(lines) > MOST_FAULTS:
            lines[MOST_FAULTS:] = [f"and {len(lines) - MOST_FAULTS} more"]
        return lines

    # ------------------------------------------------------------------ for programs

    def document(self) -> dict[str, Any]:
        """Everything as one JSON object. Times are in seconds."""
        found: dict[str, Any] = {
            "what": self.what,
            "seed": self.seed,
            **_numbers(self.measured),
            "solvers": [asdict(row) for row in self.rows()],
            "faults": [
                {"state": number, "solver": fault.solver, "text": fault.text}
                for number, one in enumerate(self.measured)
                for fault in one.faults
            ],
        }
        if len(self.groups) > 1 or (self.groups and self.groups[0].settings):
            found["sizes"] = [
                _size(group)
                | _numbers(group.measured)
                | {"solvers": [asdict(row) for row in self.rows(number)]}
                for number, group in enumerate(self.groups)
            ]
        return found

    def csv(self) -> str:
        """A line per size and solver. Times are in seconds; empty where nothing was measured."""
        text = io.StringIO()
        names = [field.name for field in fields(Row)]
        place = names.index("interval")
        head = [*names[:place], "interval_low", "interval_high", *names[place + 1 :]]
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["set_size", "sets", "players", "states", *head])
        for number, group in enumerate(self.groups):
            for row in self.rows(number):
                values = [getattr(row, name) for name in names]
                values[place : place + 1] = row.interval or (None, None)
                size = _size(group).values()
                writer.writerow([*size, len(group.measured), *values])
        return text.getvalue()

    def draw(self, path: str, swept: str | None = None) -> None:
        """Draw it; see `quaternity.trials.comparison.drawing`.

        Args:
            swept: the swept parameter, when one was.

        Raises:
            InputError: the picture cannot be drawn or written.
        """
        from quaternity.trials.comparison.drawing import draw_comparison, draw_sweep

        if swept is None:
            draw_comparison(path, self.measured, self.rows(), self.headline())
            return
        name = swept.replace("-", "_")
        sizes = [
            (float(getattr(group.settings, name)), self.rows(number))
            for number, group in enumerate(self.groups)
        ]
        draw_sweep(path, sizes, self.measured, self.rows(), swept, self.headline())


def counts(measured: Sequence[Measured]) -> str:
    """How many states are possible and how many are not, with the share."""
    numbers = _numbers(measured)
    feasible, infeasible, total = numbers["feasible"], numbers["infeasible"], numbers["states"]
    text = f"{counted(total, 'state')}: {feasible} feasible, {infeasible} infeasible"
    if total:
        text += f" ({round(100 * infeasible / total)} %)"
    return text + (f", {numbers['undecided']} undecided" if numbers["undecided"] else "")


def duration(seconds: float | None) -> str:
    """A time in the unit that suits it, three digits.

    >>> duration(0.00001234), duration(0.5), duration(12.3456), duration(None)
    ('12.3 µs', '500 ms', '12.3 s', '-')
    """
    if seconds is None:
        return "-"
    scale, unit = next(
        (pair for pair in ((1e-6, "µs"), (1e-3, "ms")) if seconds < 999.5 * pair[0]), (1.0, "s")
    )
    value = seconds / scale
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{digits}f} {unit}"


def _numbers(measured: Sequence[Measured]) -> dict[str, int]:
    return {
        "states": len(measured),
        "feasible": sum(one.feasible is True for one in measured),
        "infeasible": sum(one.feasible is False for one in measured),
        "undecided": sum(one.feasible is None for one in measured),
    }


def _size(group: Group) -> dict[str, int | None]:
    one = group.settings
    return {
        "set_size": None if one is None else one.set_size,
        "sets": None if one is None else one.sets,
        "players": None if one is None else one.players,
    }


def _cells(row: Row) -> list[str]:
    interval = "-"
    if row.interval is not None:
        low, high = map(duration, row.interval)
        interval = f"{low} .. {high}"
    return [
        row.solver, str(row.feasible), str(row.infeasible), str(row.skipped),
        str(row.timeouts), str(row.memory_outs), str(row.gave_up - row.timeouts - row.memory_outs),
        str(row.left_out), str(row.crashes), str(row.faults - row.crashes), duration(row.median),
        interval, duration(row.p95), duration(row.total), duration(row.build), duration(row.solve),
        "-" if row.ratio is None else f"{row.ratio:.2f}",
    ]  # fmt: skip
