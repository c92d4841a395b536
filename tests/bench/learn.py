"""`make learn`: write values and exploitability of the named benchmarks into the guide.

OpenSpiel computes strategies and their exploitability. The value of a game of two players is
computed in two ways, by OpenSpiel's CFR+ and by our linear program. A disagreement ends the run.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import quaternity.guide
from quaternity.base.plots import Style, default_style, new_figure, svg_of
from quaternity.environments.episode import TableGame, benchmarks
from quaternity.environments.equilibria import linear_program_value
from quaternity.environments.game_tree import GameTree
from quaternity.table.players import make_player

PAGE = Path(quaternity.guide.__file__).with_name("learning.md")
BOTS = ("random", "greedy", "better-greedy", "exact", "patient", "reader")
DRAWS = 20
"""Number of times that a bot chooses in an information set, with different seeds."""

CLOSE = 5e-5
"""CFR+ continues until best replies gain no more than this."""

CURVED = ("kwartet_tiny", "kwartet_mid")
CHECKPOINTS = (1, 3, 10, 30, 100, 300, 1000)
SAMPLED = (*CHECKPOINTS, 3000, 10_000, 30_000, 100_000)
"""Iterations of algorithms that visit the whole tree, and of those that visit a part."""

Curve = list[tuple[int, float]]
Policy = dict[str, list[tuple[int, float]]]


def openspiel() -> Any:
    """Return the module `pyspiel`, with our games registered."""
    try:
        import_module("quaternity.environments.open_spiel")
    except ModuleNotFoundError as error:
        raise SystemExit(str(error)) from None
    return import_module("pyspiel")


def load_cached(name: str) -> Any:
    """Return a game of OpenSpiel that computes each state only once."""
    pyspiel = openspiel()
    return pyspiel.convert_to_cached_tree(pyspiel.load_game(name))


def bot_policy(tree: GameTree, name: str, draws: int = DRAWS) -> Policy:
    """Return how often a bot chooses each action, in the form that OpenSpiel reads."""
    player, policy = make_player(tree.game.rules, name), {}
    for known in tree.information_sets:
        view = known.moment.view
        chosen = Counter(
            tree.game.encoded.action(
                player.choose(view, Random(f"{number}/{known.memory_text}")), view
            )
            for number in range(draws)
        )
        policy[known.memory_text] = [(action, chosen[action] / draws) for action in known.actions]
    return policy


def first_return(cached: Any, policy: Any) -> float:
    """Return the expected return of player 0."""
    returns = openspiel().expected_returns(cached.new_initial_state(), policy, -1, True)
    return float(returns[0])


def until_close(cached: Any) -> tuple[int, Any, float]:
    """Run CFR+ until nobody can gain much.

    Return the number of iterations, the policy, and the exploitability after 100 iterations.
    """
    pyspiel = openspiel()
    solver, after_hundred = pyspiel.CFRPlusSolver(cached), None
    for number in count(1):
        solver.evaluate_and_update_policy()
        if number % 25 == 0:
            policy = solver.tabular_average_policy()  # a copy, which outlives the solver
            if number == 100:
                after_hundred = pyspiel.exploitability(cached, policy)
            if after_hundred is not None and pyspiel.nash_conv(cached, policy) < CLOSE:
                return number, policy, after_hundred
    raise AssertionError("it never ends")


def row(name: str, report: Callable[[str], None]) -> tuple[str, GameTree]:
    """Return a line of the table of benchmarks, and the game tree."""
    pyspiel, cached = openspiel(), load_cached(name)
    begin = time.process_time()
    tree = GameTree(TableGame.benchmark(name))
    seconds = time.process_time() - begin
    iterations, best, after_hundred = until_close(cached)
    value = program = ""
    if tree.game.seats == 2:
        begin = time.process_time()
        exact = linear_program_value(tree)
        program = f"{exact:.4f} ({time.process_time() - begin:.1f} s)"
        first = first_return(cached, best)
        assert abs(exact - first) < 5e-5, (name, exact, first)
        value = f"{first:.4f}"
    report(f"{name}: {len(tree)} moments in {seconds:.1f} s, {iterations} iterations to {CLOSE}")
    uniform = pyspiel.exploitability(cached, pyspiel.UniformRandomPolicy(cached))
    cells = [
        f"`{name}`", f"{len(tree):,}", f"{len(tree.information_sets):,}",
        value, program, f"{uniform:.4f}", f"{after_hundred:.6f}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |", tree


def curve_of(cached: Any, solver: Any, step: str, checkpoints: Sequence[int]) -> Curve:
    """Return the exploitability of a solver's average strategies at some iterations."""
    curve, done = [], 0
    for number in checkpoints:
        while done < number:
            getattr(solver, step)()
            done += 1
        curve.append((number, openspiel().exploitability(cached, solver.average_policy())))
    return curve


def curves(name: str, tree: GameTree) -> dict[str, Curve]:
    """Return the curves of four algorithms of OpenSpiel."""
    pyspiel, cached = openspiel(), load_cached(name)
    most = tuple(number for number in CHECKPOINTS if len(tree) < 20_000 or number <= 300)
    sampled = tuple(number for number in SAMPLED if len(tree) < 20_000 or number <= 30_000)
    update, sample = "evaluate_and_update_policy", "run_iteration"
    solvers = {
        "CFR": (pyspiel.CFRSolver(cached), update, most),
        "CFR+": (pyspiel.CFRPlusSolver(cached), update, most),
        "external-sampling MCCFR":
        (pyspiel.ExternalSamplingMCCFRSolver(cached, seed=1), sample, sampled),
        "outcome-sampling MCCFR":
        (pyspiel.OutcomeSamplingMCCFRSolver(cached, seed=1), sample, sampled),
    }  # fmt: skip
    return {algorithm: curve_of(cached, *solver) for algorithm, solver in solvers.items()}


@default_style()
def drawing(
    drawn: Mapping[str, Mapping[str, Curve]], bots: Mapping[str, Mapping[str, float]]
) -> str:
    """Draw a panel for every benchmark; bots are horizontal lines."""
    figure = new_figure(10, 4.2)
    panels = figure.subplots(1, len(drawn), squeeze=False, sharey=True)[0]
    for panel, (name, of_game) in zip(panels, drawn.items(), strict=True):
        for number, (algorithm, curve) in enumerate(of_game.items()):
            style = Style(number)
            panel.plot(
                *zip(*curve, strict=True), color=style.colour, marker=style.marker, markersize=4,
                linewidth=1, label=algorithm,
            )  # fmt: skip
        lines: dict[float, list[str]] = {}
        for bot, lost in sorted(bots[name].items(), key=lambda item: item[1]):
            if lost > 1e-9:
                lines.setdefault(round(lost, 4), []).append(bot)
        for number, (lost, equal) in enumerate(lines.items()):
            panel.axhline(lost, color="grey", linewidth=0.7, linestyle=":")
            place = "bottom" if number % 2 else "top"  # lines may be close to each other
            panel.text(1, lost, ", ".join(equal), fontsize=7, va=place, color="grey")
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(name)
        panel.set_xlabel("iterations")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("exploitability")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=5, fontsize=8)
    return svg_of(figure)


def tables(report: Callable[[str], None]) -> tuple[str, str]:
    """Return the text between the marks of the guide, and the picture."""
    rows, trees = [], {}
    for name in benchmarks():
        line, trees[name] = row(name, report)
        rows.append(line)
    drawn: dict[str, dict[str, Curve]] = {}
    bots: dict[str, dict[str, float]] = {}
    for name in CURVED:
        drawn[name] = curves(name, trees[name])
        report(f"{name}: curves")
    for name in ("kwartet_tiny", "kwartet_small", "kwartet_mid"):
        tree, cached, bots[name] = trees[name], load_cached(name), {}
        for bot in BOTS:
            draws = DRAWS if len(tree) < 20_000 else 4
            bots[name][bot] = openspiel().exploitability(cached, bot_policy(tree, bot, draws))
            report(f"{name}: {bot} {bots[name][bot]:.4f}")
    lines = [
        "| game | nodes | information sets | value | value by linear program "
        "| exploitability of random play | of CFR+, 100 iterations |",
        "| --- | --: | --: | --: | --: | --: | --: |",
        *rows,
        "",
        f"| player | {' | '.join(f'`{name}`' for name in bots)} |",
        f"| --- |{' --: |' * len(bots)}",
        *(f"| `{bot}` | {' | '.join(f'{bots[name][bot]:.4f}' for name in bots)} |" for bot in BOTS),
    ]
    return "\n".join(lines) + "\n", drawing(drawn, bots)


def main() -> None:
    """Write the tables and the picture into the guide."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--page", type=Path, default=PAGE, help="the page to write into")
    options = parser.parse_args()
    begin = time.monotonic()
    text, picture = tables(
        lambda line: print(f"{time.monotonic() - begin:4.0f} s  {line}", flush=True)
    )
    head, mark, rest = options.page.read_text(encoding="utf-8").partition("<!-- learn -->\n")
    _, end, tail = rest.partition("<!-- end -->\n")
    if not (mark and end):
        raise SystemExit(f"{options.page}: <!-- learn --> and <!-- end --> are missing")
    options.page.write_text(f"{head}{mark}\n{text}\n{end}{tail}", encoding="utf-8")
    options.page.with_name("learning.svg").write_text(picture + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
