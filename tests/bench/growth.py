"""`make growth`: measure every solver on every family, the models of CP-SAT, proofs and counts.

The tables are written into the page of the guide, between its marks, with the commands that made
them; the runs and two pages with all figures are written into a folder.
"""

from __future__ import annotations

import argparse
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time

from quaternity.trials.comparison.drawing import growth_svg
from quaternity.trials.comparison.report import duration, growth_rows
from quaternity.trials.comparison.runs import Comparison, parse_runs
from solvers import count_deals, solve
from solvers.exchange.proof import refutation
from solvers.instances import benchmark_checksums, make_pair
from solvers.problem import DealProblem
from solvers.rivals import EXTERNAL_SOLVERS
from solvers.verdict import Infeasible
from tests.solvers.plain_counting import count_by_remaining_hands

PAGE = Path("quaternity/guide/solvers.md")
RIVAL_CARDS = "12,20,32,52,80,120,200"
MODEL_CARDS = "12,52,120,200,500,1000,3000,10000"
PROOF_CARDS = (12, 16, 20, 24, 32, 52, 120, 200)
COUNT_CARDS = (12, 16, 20, 24, 32, 52, 100, 200)
MAX_SECONDS = 10.0
"""Time limit of a proof by clauses or of a plain count, in seconds."""


def main() -> None:
    """Measure, and write the tables into the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", type=Path, default=Path("growth"), help="for runs and pages")
    options.add_argument("--page", type=Path, default=PAGE, help="page whose tables are written")
    options.add_argument("--limit", type=float, default=2.0, help="seconds of a run")
    options.add_argument("--each", type=int, default=2, help="instances of each kind and size")
    options.add_argument("--quick", action="store_true", help="measure only two sizes each")
    options.add_argument("--benchmark", action="store_true", help="measure only the benchmark v1")
    arguments = options.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    if arguments.benchmark:
        _write_tables(arguments.page, {"benchmark": _benchmark(arguments)})
        return
    sizes = ["12,20", "12,52"] if arguments.quick else [RIVAL_CARDS, MODEL_CARDS]
    rivals, models = (
        _compare(
            arguments, name, "--families", "all", "--cards", cards, "--each", str(arguments.each),
            "--solvers", solvers, "--budget", f"{budget * arguments.limit:g}",
        )
        for name, solvers, cards, budget in (
            ("rivals", "all,rivals", sizes[0], 30), ("models", "cp-sat,variants", sizes[1], 48),
        )
    )  # fmt: skip
    most = 2 if arguments.quick else None
    tables = {
        "php": _lines(growth_rows(rivals, "php", False)),
        "game": _lines(growth_rows(rivals, "game", False)),
        "models": _lines(_ranks(models)),
        "models-game": _lines(growth_rows(models, "game", False)),
        "proofs": _lines(list(_proofs(PROOF_CARDS[:most]))),
        "counts": _lines(list(_counts(COUNT_CARDS[:most]))),
        "machine": [rivals.machine, "", f"    {rivals.command}", f"    {models.command}"],
        "benchmark": _benchmark(arguments),
    }
    _write_tables(arguments.page, tables)
    some = [run for run in rivals.runs if run.family in ("php", "game") and run.feasible is False]
    drawn = growth_svg(replace(rivals, runs=some))
    if drawn is not None:
        arguments.page.with_name("growth.svg").write_text(drawn + "\n", encoding="utf-8")


def _write_tables(page: Path, tables: dict[str, list[str]]) -> None:
    """Write tables between the marks of the page that have their names."""
    text = page.read_text(encoding="utf-8")
    for name, lines in tables.items():
        before, start, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not end:
            raise SystemExit(f"{page}: no place for the table {name!r}")
        text = f"{before}{start}\n" + "\n".join(lines) + f"\n\n{end}{after}"
    page.write_text(text, encoding="utf-8")


def _benchmark(arguments: argparse.Namespace) -> list[str]:
    """Return the table of all solvers on the benchmark v1, and the machine that ran them."""
    folder = arguments.folder / "v1"
    instances = ["instances", "--benchmark", "v1", "--out", str(folder)]
    subprocess.run(
        [sys.executable, "-m", "quaternity", *instances], check=True, stdout=subprocess.DEVNULL
    )
    files = [str(folder / name) for name in benchmark_checksums("v1")]
    budget = f"{60 * arguments.limit:g}"
    runs = _compare(
        arguments, "v1", *files, "--solvers", "all,rivals", "--repeats", "1", "--budget", budget
    )
    return [*_lines(_ranks(runs)), "", runs.machine]


def _compare(arguments: argparse.Namespace, name: str, *options: str) -> Comparison:
    """Return the runs of a comparison, made by the command that the page shows."""
    runs = arguments.folder / f"{name}.jsonl"
    command = [
        "compare", *options, "--limit", f"{arguments.limit:g}", "--runs", str(runs),
        "--report", str(arguments.folder / f"{name}.html"),
    ]  # fmt: skip
    done = subprocess.run([sys.executable, "-m", "quaternity", *command], check=False)
    if done.returncode not in (0, 3):  # 3: a rival was wrong, which the tables show
        raise SystemExit(done.returncode)
    return parse_runs(runs.read_text(encoding="utf-8"))


def _lines(table: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown; the first row is the header."""
    head, *rows = table
    ruler = ["---", *("--:" for _ in head[1:])]
    return ["| " + " | ".join(row) + " |" for row in (head, ruler, *rows)]


def _ranks(comparison: Comparison) -> list[list[str]]:
    """Return the rank and PAR-2 of each solver, and how many instances of each kind it decided."""
    table = [
        [
            "solver", "family", "rank", "mean time (PAR-2)", "possible problems decided",
            "impossible problems decided",
        ]
    ]  # fmt: skip
    kinds = [comparison.of_kind(feasible).times for feasible in (True, False)]
    for row in sorted(comparison.rows, key=lambda row: row.rank):
        low, high = row.rank_interval
        decided = [
            f"{sum(time is not None for time in times[row.solver])} of {len(times[row.solver])}"
            for times in kinds
        ]
        rival = EXTERNAL_SOLVERS.get(row.solver)
        family = rival.family if rival else "ours"
        table.append(
            [row.solver, family, f"{row.rank} ({low}-{high})", duration(row.par2), *decided]
        )
    return table


def _proofs(sizes: Sequence[int]) -> Iterator[list[str]]:
    """Yield the lengths of refutations of the same instances: sums of rows, and learned clauses."""
    yield [
        "family", "cards", "rows added", "bytes of the proof", "clauses learned",
        "bytes of these", "seconds",
    ]  # fmt: skip
    for family in ("php", "game", "chain"):
        hopeless = False
        for cards in sizes:
            problem = make_pair(family, cards, 0).impossible
            verdict = solve(problem)
            assert isinstance(verdict, Infeasible)
            assert verdict.shortage is not None
            proof = refutation(problem, verdict.shortage)
            rows = next(line for line in proof.splitlines() if line.startswith("pol")).count("+")
            clauses = None if hopeless else _run_limited(_clauses, problem)
            hopeless = clauses is None
            learned = ["-", "-", f"> {MAX_SECONDS:g} s"]
            if clauses is not None:
                learned = [f"{clauses[0]:,}", f"{clauses[1]:,}", duration(clauses[2])]
            yield [family, str(cards), str(rows + 1), f"{len(proof):,}", *learned]


def _clauses(problem: DealProblem) -> tuple[float, ...]:
    """Return the number and bytes of the clauses of a refutation, and the seconds it took."""
    from solvers.exchange.rows import linear_model
    from tests.solvers.clause_proofs import refutation as by_clauses

    by_clauses(linear_model(make_pair("game", 12, 1).impossible))  # to import its modules
    begun = process_time()
    result = by_clauses(linear_model(problem))
    assert result is not None
    return len(result.proof), sum(len(line) + 1 for line in result.proof), process_time() - begun


def _counts(sizes: Sequence[int]) -> Iterator[list[str]]:
    """Yield the times of two ways to count the deals: ours, and plainly by remaining hands."""
    yield ["cards", "deals", "ours", "plainly"]
    hopeless = False
    for cards in sizes:
        problem = make_pair("game", cards, 0).possible
        begun = process_time()
        deals = count_deals(problem)
        row = [str(cards), f"{deals:.3e}" if deals > 10**9 else str(deals)]
        row.append(duration(process_time() - begun))
        plain = None if hopeless else _run_limited(_count_plainly, problem)
        if plain is None:
            row.append("-" if hopeless else f"> {MAX_SECONDS:g} s")
            hopeless = True
        else:
            assert plain[0] == deals
            row.append(duration(plain[1]))
        yield row


def _count_plainly(problem: DealProblem) -> tuple[float, ...]:
    begun = process_time()
    return count_by_remaining_hands(problem), process_time() - begun


def _run_limited(work: Callable[..., tuple[float, ...]], *args: object) -> tuple[float, ...] | None:
    """Return the result of a function, or None if its process was stopped after `MAX_SECONDS`."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send_result, args=(theirs, work, *args), daemon=True)
    process.start()
    theirs.close()
    begun = perf_counter()
    try:
        if ours.poll(MAX_SECONDS + 3):  # with the time to start
            result: tuple[float, ...] = ours.recv()
            return result
    except EOFError:
        raise SystemExit(f"{work.__name__} failed after {perf_counter() - begun:.1f} s") from None
    finally:
        process.kill()
        process.join()
    return None


def _send_result(pipe: Connection, work: Callable[..., object], *arguments: object) -> None:
    pipe.send(work(*arguments))


if __name__ == "__main__":
    main()
