"""`make learn`: write values and exploitability of the named benchmarks into the guide.

Everything is computed in two ways: by our own tree, CFR+ and best replies, and by OpenSpiel's CFR
and exploitability; the smaller games also by a linear program. A disagreement ends the run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import quaternity.guide
from quaternity.base.plots import Style, default_style, new_figure, svg_of
from quaternity.environments.episode import TableGame, benchmarks
from quaternity.environments.equilibria import (
    MAX_LINEAR_PROGRAM_CHOICES,
    expected_returns,
    exploitability,
    linear_program_value,
    nash_conv,
    regret_minimization,
)
from quaternity.environments.game_tree import Floats, GameTree, InformationSet
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


def bot_strategy(tree: GameTree, name: str, draws: int = DRAWS) -> Floats:
    """Return how often a bot makes each choice."""
    player, weights = make_player(tree.game.rules, name), np.zeros(tree.choices)
    for known in tree.information_sets:
        view = known.moment.view
        for number in range(draws):
            move = player.choose(view, Random(f"{number}/{known.memory_text}"))
            action = tree.game.encoded.action(move, view)
            weights[known.first + known.actions.index(action)] += 1
    return tree.normalized(weights)


def policy_of(tree: GameTree, strategies: Floats) -> dict[str, list[tuple[int, float]]]:
    """Return strategies in the form that OpenSpiel reads."""
    return {known.memory_text: list(chances(known, strategies)) for known in tree.information_sets}


def chances(known: InformationSet, strategies: Floats) -> Iterator[tuple[int, float]]:
    """Yield the actions of an information set with their probabilities."""
    for nth, action in enumerate(known.actions):
        yield action, float(strategies[known.first + nth])


def strategies_of(tree: GameTree, policy: Any) -> Floats:
    """Return a policy of OpenSpiel as strategies of the tree."""
    weights = np.zeros(tree.choices)
    for known in tree.information_sets:
        probabilities = policy.action_probabilities(known.memory_text)
        for nth, action in enumerate(known.actions):
            weights[known.first + nth] = probabilities[action]
    return tree.normalized(weights)


def until_close(tree: GameTree) -> tuple[int, Floats]:
    """Run CFR+ until nobody can gain much; return its iterations and strategies."""
    for number, strategies in enumerate(regret_minimization(tree), 1):
        if number % 25 == 0 and nash_conv(tree, strategies) < CLOSE:
            return number, strategies
    raise AssertionError("it never ends")


def row(name: str, report: Callable[[str], None]) -> tuple[str, GameTree]:
    """Return a line of the table of benchmarks, and the game tree."""
    begin = time.process_time()
    tree = GameTree(TableGame.benchmark(name))
    seconds = time.process_time() - begin
    iterations, best = until_close(tree)
    zero_sum = tree.game.seats == 2
    first = expected_returns(tree, best)[0]
    hundred = next(s for n, s in enumerate(regret_minimization(tree), 1) if n == 100)
    program = ""
    if zero_sum and tree.choices <= MAX_LINEAR_PROGRAM_CHOICES:
        begin = time.process_time()
        exact = linear_program_value(tree)
        assert abs(exact - first) < 5e-5, (name, exact, first)
        program = f"{exact:.4f} ({time.process_time() - begin:.1f} s)"
    report(f"{name}: {len(tree)} moments in {seconds:.1f} s, {iterations} iterations to {CLOSE}")
    cells = [
        f"`{name}`", f"{len(tree):,}", f"{len(tree.information_sets):,}",
        f"{first:.4f}" if zero_sum else "", program,
        f"{exploitability(tree, tree.uniform()):.4f}", f"{exploitability(tree, hundred):.6f}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |", tree


def own_curve(tree: GameTree, plus: bool, checkpoints: Sequence[int]) -> Curve:
    """Return the exploitability of our own average strategies."""
    curve = []
    for number, strategies in enumerate(regret_minimization(tree, plus), 1):
        if number in checkpoints:
            curve.append((number, exploitability(tree, strategies)))
        if number == checkpoints[-1]:
            break
    return curve


def their_curve(cached: Any, solver: Any, step: str, checkpoints: Sequence[int]) -> Curve:
    """Return the exploitability of OpenSpiel's average strategies, computed by OpenSpiel."""
    pyspiel, curve, done = import_module("pyspiel"), [], 0
    for number in checkpoints:
        while done < number:
            getattr(solver, step)()
            done += 1
        curve.append((number, pyspiel.exploitability(cached, solver.average_policy())))
    return curve


def curves(name: str, tree: GameTree) -> dict[str, Curve]:
    """Return the curves of four algorithms, and of CFR by OpenSpiel; both CFR curves must agree."""
    pyspiel: Any = import_module("pyspiel")
    import_module("quaternity.environments.open_spiel")
    cached = pyspiel.convert_to_cached_tree(pyspiel.load_game(name))
    uniform = pyspiel.exploitability(cached, policy_of(tree, tree.uniform()))
    assert abs(uniform - exploitability(tree, tree.uniform())) < 1e-9
    plain = pyspiel.CFRSolver(cached)
    most = tuple(number for number in CHECKPOINTS if len(tree) < 20_000 or number <= 300)
    sampled = tuple(number for number in SAMPLED if len(tree) < 20_000 or number <= 30_000)
    drawn = {
        "CFR": own_curve(tree, False, most),
        "CFR+": own_curve(tree, True, most),
        "CFR (OpenSpiel)": their_curve(cached, plain, "evaluate_and_update_policy", most),
        "external-sampling MCCFR": their_curve(
            cached, pyspiel.ExternalSamplingMCCFRSolver(cached, seed=1), "run_iteration", sampled
        ),
        "outcome-sampling MCCFR": their_curve(
            cached, pyspiel.OutcomeSamplingMCCFRSolver(cached, seed=1), "run_iteration", sampled
        ),
    }
    theirs = strategies_of(tree, plain.average_policy())
    gain = exploitability(tree, theirs)
    assert abs(gain - drawn["CFR (OpenSpiel)"][-1][1]) < 1e-9, "two best replies disagree"
    best = next(s for n, s in enumerate(regret_minimization(tree), 1) if n == most[-1])
    apart = abs(expected_returns(tree, theirs)[0] - expected_returns(tree, best)[0])
    assert apart <= 2 * (gain + exploitability(tree, best)), "two values disagree"
    return drawn


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
        tree, bots[name] = trees[name], {}
        for bot in BOTS:
            draws = DRAWS if len(tree) < 20_000 else 4
            bots[name][bot] = exploitability(tree, bot_strategy(tree, bot, draws))
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
