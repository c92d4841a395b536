"""The file of runs and its page: contents are read back, and invalid files are refused."""

import json
import os
import platform
import re
from dataclasses import fields, replace
from html import unescape
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity import Settings
from quaternity.base.errors import InputError
from quaternity.game.state_file import problem_of
from quaternity.trials.comparison import MeasuringTask, measure
from quaternity.trials.comparison.page import page
from quaternity.trials.comparison.report import duration, growth_rows, row_table
from quaternity.trials.comparison.run import Answer, Run
from quaternity.trials.comparison.runs import Comparison, is_runs_file, machine, parse_runs
from quaternity.trials.comparison.scores import par2
from solvers import SOLVERS, solve
from tests.sizes import THOROUGH, thorough

GUIDE = Path(__file__).parents[2] / "quaternity" / "guide" / "comparing.md"


def run(solver: str, cards: int, feasible: bool, answer: Answer, seconds: float) -> Run:
    decided = answer in ("feasible", "infeasible")
    return Run(
        f"php {cards} {'possible' if feasible else 'impossible'}", "php", cards, 3, feasible,
        solver, 0, answer,
        ("deal" if feasible else "shortage") if decided else None,
        seconds / 4 if decided else None, 3 * seconds / 4 if decided else None, seconds,
        None if solver == "flow" else 50 << 20, None if decided else f"why <{answer}>",
    )  # fmt: skip


def comparison() -> Comparison:
    runs = []
    for cards in (12, 20, 32, 52):
        for feasible in (True, False):
            verdict: Answer = "feasible" if feasible else "infeasible"
            runs.append(run("flow", cards, feasible, verdict, cards**2 * 1e-6))
            slow = 1e-4 * 2 ** (cards / 2)
            ended = slow > 10 and not feasible
            runs.append(
                run("sat", cards, feasible, "timeout" if ended else verdict, min(slow, 10.0))
            )
    runs[-1] = replace(runs[-1], answer="wrong")
    versions = {"flow": "own", "sat": "glucose <4>"}
    return Comparison("php & more", 3, 10.0, "quaternity compare", "a machine", versions, runs)


@pytest.fixture
def without_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the drawings of a page, which are slow."""
    for name in ("growth_svg", "pairs_svg", "runs_svg"):
        monkeypatch.setattr(f"quaternity.trials.comparison.page.{name}", lambda *_: "<svg/>")


def test_a_written_file_is_read_back() -> None:
    assert parse_runs(comparison().text()) == comparison()
    assert is_runs_file(comparison().text())
    for text in ("Zürich", "♠ & ♥", "päärme"):
        saved = comparison_with(description=text, machine=text).text()
        assert saved.count(text) == 2, "written without escapes"
        assert parse_runs(saved).description == text
    assert not is_runs_file('{"format": "deal-problem/1"}')


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        (0, "format", "comparison-runs/2"), (0, "limit", "10"), (0, "limit", -1), (0, "what", 3),
        (0, "limit", 0), (0, "versions", []), (0, "versions", {"flow": 1}),
        (0, "versions", {"flow": "\x1b[31m"}), (0, "versions", {"a\n": "1"}),
        (0, "machine", "a\x1bb"),
        (1, "solver", "unknown"), (1, "answer", "maybe"), (1, "feasible", 1), (1, "round", -1),
        (1, "cards", True), (1, "seconds", 10**400), (1, "seconds", None),
        (1, "evidence", "paired"),
        (1, "answer", "infeasible"), (1, "answer", "timeout"), (1, "more", 0),
        (0, "runs", 3), (0, "runs", -1),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_with_its_line(line: int, key: str, value: object) -> None:
    lines = comparison().text().splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | {key: value})
    number = (line % len(lines)) + 1
    with pytest.raises(InputError, match=f"^line {number}: .*{key}|^line {number}: evidence"):
        parse_runs("\n".join(lines) + "\n")


def test_rows_of_an_instance_agree_and_are_not_repeated() -> None:
    head, first, second, *_ = comparison().text().splitlines()
    with pytest.raises(
        InputError, match=r"^line 4: round: 0 of flow is already in an earlier line$"
    ):
        parse_runs("\n".join([head, first, second, first]) + "\n")
    for change in ({"cards": 13}, {"family": "game"}, {"players": 4}, {"feasible": None}):
        other = json.loads(second) | {"answer": "timeout", "evidence": None} | change
        other |= {"build": None, "solve": None}
        with pytest.raises(InputError, match=r"^line 3: instance: 'php 12 possible' has other"):
            parse_runs("\n".join([head, first, json.dumps(other)]) + "\n")


def test_names_of_fields_are_quoted_as_text() -> None:
    head, first, *_ = comparison().text().splitlines()
    with pytest.raises(InputError) as refused:
        parse_runs(f"{head}\n{json.dumps(json.loads(first) | {chr(27): 1})}\n")
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("name", [field.name for field in fields(Run)])
def test_a_missing_or_extra_field_is_named(name: str) -> None:
    head, first, *_ = comparison().text().splitlines()
    run = json.loads(first)
    for odd in (
        {key: value for key, value in run.items() if key != name},
        {f"{name}s": run[name]} | run,
    ):
        (field,) = set(run) ^ set(odd)
        with pytest.raises(
            InputError, match=f"^line 2: missing or unknown: {field}; a run has the keys instance"
        ):
            parse_runs(f"{head}\n{json.dumps(odd)}\n")


@given(st.text(max_size=60), st.integers(0, 400), st.integers(0, 60))
def test_any_other_text_is_an_input_error(text: str, place: int, length: int) -> None:
    whole = comparison().text()
    for broken in (text, whole[:place] + text + whole[place + length :]):
        try:
            parsed = parse_runs(broken)
        except InputError:
            continue
        assert parsed.limit > 0


@pytest.mark.usefixtures("without_drawings")
def test_the_page_shows_the_runs() -> None:
    html = page(comparison())
    text = unescape(re.sub(r"<[^>]+>", " ", html))
    for words in ("php & more", "glucose <4>", "a machine", "quaternity compare", "why <timeout>"):
        assert words in text, words
    times = comparison().times
    assert times["sat"].count(None) == 1
    assert f"{par2(times['sat'], 10.0):.2f} s" in text
    assert "size^2.0" in text
    assert "possible" in text


@pytest.mark.parametrize("faults", thorough([20, 30], [0, 1, 19, 20, 21, 30]))
@pytest.mark.usefixtures("without_drawings")
def test_the_page_lists_twenty_faults_and_counts_the_others(faults: int) -> None:
    runs = [run("flow", 12 + cards, True, "feasible", 0.1) for cards in range(30)]
    runs[:faults] = [replace(run, answer="wrong", text="no deal") for run in runs[:faults]]
    html = page(replace(comparison(), runs=runs))
    assert html.count("<strong class=wrong>") == min(faults, 20)
    assert re.findall(r"And (\d+) more", html) == ([str(faults - 20)] if faults > 20 else [])


def test_the_virtual_best_solver_is_as_fast_as_the_fastest() -> None:
    (head, *rows) = row_table(comparison(), wide=True)
    best = dict(zip(head, rows[-1], strict=True))
    fastest = [min(seconds) for seconds in zip(*decided_times().values(), strict=True)]
    assert best["solver"] == "virtual best"
    assert best["decided"] == str(len(fastest))
    assert best["median"] == duration(median(fastest))


def decided_times() -> dict[str, list[float]]:
    """Return the seconds of every solver, infinite for an instance that it did not decide."""
    times = comparison().times
    return {
        solver: [float("inf") if seconds is None else seconds for seconds in own]
        for solver, own in times.items()
    }


@pytest.mark.parametrize("kinds", [(True,), (False,), (True, False)])
@pytest.mark.usefixtures("without_drawings")
def test_each_kind_is_named_in_the_page(kinds: tuple[bool, ...]) -> None:
    runs = [run for run in comparison().runs if run.feasible in kinds]
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page(comparison_with(runs=runs)))
    growth = [caption for caption in captions if caption.startswith("php, ")]
    scored = [caption.split()[2] for caption in captions if caption.startswith("PAR-2 of")]
    assert scored == ["possible"] * (True in kinds) + ["impossible"] * (False in kinds)
    assert growth == [f"php, {'possible' if kind else 'impossible'}" for kind in sorted(kinds)]


def test_runs_record_whether_their_instances_are_feasible() -> None:
    """The solvers show it: by a deal if it is feasible, otherwise by a shortage."""
    work = MeasuringTask(Settings(4, 3, 3), states=12, damage=0.5, rounds=1, seed="runs")
    measured = measure(work, [SOLVERS["max-flow"], SOLVERS["coalitions"]])
    kinds = [bool(solve(problem_of(state))) for state in map(work.instance, range(12))]
    runs = [run for measurement in measured for run in measurement.runs]
    assert {*kinds} == {True, False}
    assert [run.feasible for run in runs] == [kind for kind in kinds for _ in range(2)]
    for result in runs:
        assert result.answer == ("feasible" if result.feasible else "infeasible")
        assert result.evidence == ("deal" if result.feasible else "shortage")


def test_a_machine_is_named_by_its_processor() -> None:
    text = machine()
    try:
        about = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        about = ""
    names = re.findall("^model name[^:]*:(.*)", about, re.MULTILINE)
    assert text.startswith(f"{names[0].strip()}, " if names else platform.machine())
    assert f", {os.cpu_count()} cores, {platform.system()}, " in text


def comparison_with(**fields: object) -> Comparison:
    return replace(comparison(), **fields)  # type: ignore[arg-type]


NAMES = {"flow": "$\\frac{$", "sat": "_sat"}


def odd_comparisons() -> dict[str, Comparison]:
    gaps = [run for run in comparison().runs if run.solver == "sat" or run.cards > 30]
    odd = [replace(run, solver=NAMES[run.solver], seconds=0.0) for run in gaps]
    lost = [
        replace(run, answer="timeout", feasible=None, evidence=None, build=None, solve=None,
                cards=run.cards - 12)
        for run in comparison().runs
    ]  # fmt: skip
    return {
        "nothing": comparison_with(runs=[]),
        "names, gaps, no time": comparison_with(
            seed=-3, versions=dict.fromkeys(NAMES.values(), "1"), runs=odd
        ),
        **thorough({}, {"timeouts": comparison_with(runs=lost)}),
    }


@pytest.mark.parametrize("odd", odd_comparisons().values(), ids=odd_comparisons())
@pytest.mark.filterwarnings("error")
def test_unusual_runs_have_a_page(odd: Comparison) -> None:
    pytest.importorskip("matplotlib")
    drawn = page(odd)
    assert "<script" not in drawn
    assert not re.search(r"(?:src|href)=.(?!#)", re.sub(r"xmlns:xlink=\S+", "", drawn))
    assert len(drawn) < 1_000_000
    assert not THOROUGH or page(odd) == drawn
    html = unescape(drawn)
    if set(odd.versions) == set(NAMES.values()):
        assert all(re.search(rf"<text [^>]*> ?{re.escape(name)}<", html) for name in odd.versions)


def test_no_law_is_fitted_across_the_models_of_a_solver() -> None:
    runs = [
        run(name, cards, True, "feasible", cards**2 * 1e-6)
        for cards in (12, 20, 32, 52)
        for name in ("cp-sat", "cp-sat-bundled")
    ]
    versions = dict.fromkeys(("cp-sat", "cp-sat-bundled"), "own")
    measured = Comparison("php", 3, 10.0, "", "a machine", versions, runs)
    laws = {row[0]: row[-1] for row in growth_rows(measured, "php", True)[1:]}
    assert laws == {"cp-sat": "two models", "cp-sat-bundled": "size^2.0 (2.0 .. 2.0)"}


def test_a_solver_that_is_not_run_has_no_time_and_is_not_the_fastest(tmp_path: Path) -> None:
    """The recipe of the guide reads the same from the file by means of pandas."""
    rows = [SOLVERS["brute-force"], SOLVERS["max-flow"]]
    work = MeasuringTask(Settings(4, 13, 4), states=6, damage=0.5, rounds=1, seed="0")
    runs = [run for measured in measure(work, rows) for run in measured.runs]
    refused = {run.seconds for run in runs if run.answer == "refused"}
    assert refused == {None}
    versions = {solver.name: "1" for solver in rows}
    text = Comparison("x", 0, 10.0, "", "", versions, runs).text()
    assert parse_runs(text).runs == runs
    zeros = text.replace('"seconds": null', '"seconds": 0.0')
    assert parse_runs(zeros).runs == runs, "as earlier versions wrote it"
    head, *lines = text.splitlines()
    header = json.loads(head)
    del header["runs"]
    earlier = "\n".join([json.dumps(header), *lines, f'{{"runs": {len(runs)}}}', ""])
    assert parse_runs(earlier) == parse_runs(text)
    assert parse_runs(earlier).warnings == ()
    pandas = pytest.importorskip("pandas")
    (recipe,) = re.findall(r"```python\n(import pandas.*?)```", GUIDE.read_text(), re.DOTALL)
    (tmp_path / "runs.jsonl").write_text(text)
    values: dict[str, Any] = {}
    exec(recipe.replace('"runs.jsonl"', repr(str(tmp_path / "runs.jsonl"))), values)  # noqa: S102
    assert len(values["runs"]) == len(runs), "the header is not a row"
    assert list(values["runs"].columns) == [field.name for field in fields(Run)]
    assert pandas.isna(values["runs"]["seconds"]).sum() == sum(run.seconds is None for run in runs)
    assert set(values["decided"]["solver"]) == {run.solver for run in runs if run.decided}
