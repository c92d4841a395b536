"""The file of runs and the page made of it: what goes in comes out, and odd files are refused."""

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
from quaternity.base.plots import Style, new_figure, svg_of
from quaternity.game.state_file import problem_of
from quaternity.trials.comparison import Work, measure
from quaternity.trials.comparison.drawing import growth_svg
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
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page without its drawings, which take long."""
    for drawn in ("growth_svg", "pairs_svg", "runs_svg"):
        monkeypatch.setattr(f"quaternity.trials.comparison.page.{drawn}", lambda *_: "<svg/>")


def test_what_is_written_is_read() -> None:
    assert parse_runs(comparison().text()) == comparison()
    assert is_runs_file(comparison().text())
    for what in ("Zürich", "♠ & ♥", "päärme"):
        named = changed(what=what, machine=what).text()
        assert named.count(what) == 2, "as people read it"
        assert parse_runs(named).what == what
    assert not is_runs_file('{"format": "deal-problem/1"}')


def test_a_file_without_its_end_is_read_with_a_warning() -> None:
    text = comparison().text()
    cut = text.replace(', "runs": 16}', "}", 1)
    assert parse_runs(cut).warnings == ("the end is missing: the comparison was interrupted",)
    assert parse_runs(cut).runs == comparison().runs
    shorter = parse_runs(cut[:-10])
    assert len(shorter.runs) == len(comparison().runs) - 1
    assert "cut off" in shorter.warnings[0]


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


def test_what_rows_say_of_an_instance_is_one_thing_and_said_once() -> None:
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
def test_a_field_that_is_missing_or_one_too_many_is_named_alone(name: str) -> None:
    head, first, *_ = comparison().text().splitlines()
    run = json.loads(first)
    for odd in (
        {key: value for key, value in run.items() if key != name},
        {f"{name}s": run[name]} | run,
    ):
        (which,) = set(run) ^ set(odd)
        with pytest.raises(InputError, match=f"^line 2: {which}: a run has exactly instance"):
            parse_runs(f"{head}\n{json.dumps(odd)}\n")


@given(st.text(max_size=60), st.integers(0, 400), st.integers(0, 60))
def test_no_text_gives_another_error(text: str, place: int, length: int) -> None:
    whole = comparison().text()
    for broken in (text, whole[:place] + text + whole[place + length :]):
        try:
            page_of = parse_runs(broken)
        except InputError:
            continue
        assert page_of.limit > 0


@pytest.mark.usefixtures("undrawn")
def test_the_page_says_what_the_runs_say() -> None:
    made = page(comparison())
    text = unescape(re.sub(r"<[^>]+>", " ", made))
    for words in ("php & more", "glucose <4>", "a machine", "quaternity compare", "why <timeout>"):
        assert words in text, words
    times = comparison().times
    assert times["sat"].count(None) == 1
    assert f"{par2(times['sat'], 10.0):.2f} s" in text
    assert "size^2.0" in text
    assert "possible" in text


@pytest.mark.parametrize("faults", thorough([20, 30], [0, 1, 19, 20, 21, 30]))
@pytest.mark.usefixtures("undrawn")
def test_the_page_tells_twenty_faults_one_by_one_and_counts_the_others(faults: int) -> None:
    runs = [run("flow", 12 + cards, True, "feasible", 0.1) for cards in range(30)]
    runs[:faults] = [replace(one, answer="wrong", text="no deal") for one in runs[:faults]]
    made = page(replace(comparison(), runs=runs))
    assert made.count("<strong class=wrong>") == min(faults, 20)
    assert re.findall(r"And (\d+) more", made) == ([str(faults - 20)] if faults > 20 else [])


def test_the_best_of_all_is_as_quick_as_the_quickest_and_decides_as_much() -> None:
    (head, *rows) = row_table(comparison(), wide=True)
    best = dict(zip(head, rows[-1], strict=True))
    quickest = [min(seconds) for seconds in zip(*decided_times().values(), strict=True)]
    assert best["solver"] == "virtual best"
    assert best["decided"] == str(len(quickest))
    assert best["median"] == duration(median(quickest))


def decided_times() -> dict[str, list[float]]:
    """Seconds of every solver; for ever where it decided nothing."""
    times = comparison().times
    return {
        solver: [float("inf") if one is None else one for one in own]
        for solver, own in times.items()
    }


@pytest.mark.parametrize("kinds", [(True,), (False,), (True, False)])
@pytest.mark.usefixtures("undrawn")
def test_each_kind_is_called_by_its_name_in_the_page(kinds: tuple[bool, ...]) -> None:
    runs = [one for one in comparison().runs if one.feasible in kinds]
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page(changed(runs=runs)))
    growth = [caption for caption in captions if caption.startswith("php, ")]
    apart = [caption.split()[2] for caption in captions if caption.startswith("PAR-2 of")]
    assert apart == ["possible"] * (True in kinds) + ["impossible"] * (False in kinds)
    assert growth == [f"php, {'possible' if kind else 'impossible'}" for kind in sorted(kinds)]


def test_runs_say_what_their_instances_are() -> None:
    """As the solvers found it out: feasible ones by a deal, others by a shortage."""
    work = Work(Settings(4, 3, 3), states=12, damage=0.5, rounds=1, seed="runs")
    measured = measure(work, [SOLVERS["max-flow"], SOLVERS["coalitions"]])
    kinds = [bool(solve(problem_of(state))) for _, state in work.made()]
    runs = [run for one in measured for run in one.runs]
    assert {*kinds} == {True, False}
    assert [one.feasible for one in runs] == [kind for kind in kinds for _ in range(2)]
    for one in runs:
        assert one.answer == ("feasible" if one.feasible else "infeasible")
        assert one.evidence == ("deal" if one.feasible else "shortage")


def test_a_machine_is_called_by_its_processor() -> None:
    text = machine()
    try:
        about = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        about = ""
    names = re.findall("^model name[^:]*:(.*)", about, re.MULTILINE)
    assert text.startswith(f"{names[0].strip()}, " if names else platform.machine())
    assert f", {os.cpu_count()} cores, {platform.system()}, " in text


def changed(**fields: object) -> Comparison:
    return replace(comparison(), **fields)  # type: ignore[arg-type]


NAMES = {"flow": "$\\frac{$", "sat": "_sat"}


def odd_comparisons() -> dict[str, Comparison]:
    gaps = [one for one in comparison().runs if one.solver == "sat" or one.cards > 30]
    odd = [replace(one, solver=NAMES[one.solver], seconds=0.0) for one in gaps]
    lost = [
        replace(one, answer="timeout", feasible=None, evidence=None, build=None, solve=None,
                cards=one.cards - 12)
        for one in comparison().runs
    ]  # fmt: skip
    return {
        "nothing": changed(runs=[]),
        "names, gaps, no time": changed(
            seed=-3, versions=dict.fromkeys(NAMES.values(), "1"), runs=odd
        ),
        **thorough({}, {"timeouts": changed(runs=lost)}),
    }


@pytest.mark.parametrize("odd", odd_comparisons().values(), ids=odd_comparisons())
@pytest.mark.filterwarnings("error")
def test_odd_runs_make_a_page_too(odd: Comparison) -> None:
    pytest.importorskip("matplotlib")
    drawn = page(odd)
    assert "<script" not in drawn
    assert not re.search(r"(?:src|href)=.(?!#)", re.sub(r"xmlns:xlink=\S+", "", drawn))
    assert len(drawn) < 1_000_000
    assert not THOROUGH or page(odd) == drawn
    made = unescape(drawn)
    if set(odd.versions) == set(NAMES.values()):
        assert all(re.search(rf"<text [^>]*> ?{re.escape(name)}<", made) for name in odd.versions)


def test_labels_of_drawings_keep_their_digits() -> None:
    pytest.importorskip("matplotlib")
    figure = new_figure(3, 2)
    figure.subplots().set_xticks([0.25], ["0.125"])
    assert ">0.125<" in svg_of(figure)


def test_no_law_is_fitted_across_the_models_of_a_solver() -> None:
    runs = [
        run(name, cards, True, "feasible", cards**2 * 1e-6)
        for cards in (12, 20, 32, 52)
        for name in ("cp-sat", "cp-sat-bundled")
    ]
    versions = dict.fromkeys(("cp-sat", "cp-sat-bundled"), "own")
    made = Comparison("php", 3, 10.0, "", "a machine", versions, runs)
    laws = {row[0]: row[-1] for row in growth_rows(made, "php", True)[1:]}
    assert laws == {"cp-sat": "two models", "cp-sat-bundled": "size^2.0 (2.0 .. 2.0)"}


@pytest.mark.parametrize("sizes", [0, 1, 2])
def test_every_curve_has_a_mark(sizes: int) -> None:
    pytest.importorskip("matplotlib")
    names = ("flow", "sat", "matching")
    cards = {name: (12, 20)[: sizes if name == "matching" else 2] for name in names}
    runs = [run(name, one, True, "feasible", 0.1) for name in names for one in cards[name]]
    versions = dict.fromkeys(names, "")
    drawn = growth_svg(Comparison("php", 3, 10.0, "", "a machine", versions, runs))
    assert drawn is not None
    marks = re.findall(r"<use [^>]*fill: (#\w+)", drawn)
    counts = [marks.count(Style(number).colour.lower()) for number in range(3)]
    assert counts == [2, 2, 2 if sizes else 1], "one in the panel, one in the legend"


def test_a_solver_that_is_not_run_has_no_time_and_is_not_the_fastest(tmp_path: Path) -> None:
    """The recipe of the guide reads the same from the file with pandas."""
    rows = [SOLVERS["brute-force"], SOLVERS["max-flow"]]
    work = Work(Settings(4, 13, 4), states=6, damage=0.5, rounds=1, seed="0")
    runs = [run for measured in measure(work, rows) for run in measured.runs]
    refused = {run.seconds for run in runs if run.answer == "refused"}
    assert refused == {None}
    versions = {solver.name: "1" for solver in rows}
    text = Comparison("x", 0, 10.0, "", "", versions, runs).text()
    assert parse_runs(text).runs == runs
    zeros = text.replace('"seconds": null', '"seconds": 0.0')
    assert parse_runs(zeros).runs == runs, "as earlier versions wrote it"
    head, *lines = text.splitlines()
    counted = json.loads(head)
    del counted["runs"]
    earlier = "\n".join([json.dumps(counted), *lines, f'{{"runs": {len(runs)}}}', ""])
    assert parse_runs(earlier) == parse_runs(text)
    assert parse_runs(earlier).warnings == ()
    pandas = pytest.importorskip("pandas")
    (recipe,) = re.findall(r"```python\n(import pandas.*?)```", GUIDE.read_text(), re.DOTALL)
    (tmp_path / "runs.jsonl").write_text(text)
    values: dict[str, Any] = {}
    exec(recipe.replace('"runs.jsonl"', repr(str(tmp_path / "runs.jsonl"))), values)  # noqa: S102
    assert len(values["runs"]) == len(runs), "no row stands for the description"
    assert list(values["runs"].columns) == [field.name for field in fields(Run)]
    assert pandas.isna(values["runs"]["seconds"]).sum() == sum(run.seconds is None for run in runs)
    assert set(values["decided"]["solver"]) == {run.solver for run in runs if run.decided}
