"""How far strategies of Kwartet are from play that nobody can exploit: `python -m` this.

After it, names of strategies, and `cfr`; without them all rows are made.

The game is the smallest: two players, two sets. OpenSpiel's counterfactual regret minimization
plays it against itself; then it says what a best answer to each strategy gains on the value of the
game (the exploitability, over both seats). The tables of moves are cut at four, just enough for a
player to ask for all that he lacks; with five the tree has two million moments.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from random import Random
from typing import Any

from quaternity.kwartet.strategies.counting import exact, patient
from quaternity.kwartet.strategies.students import better_greedy, greedy, random_request
from quaternity.kwartet.view import Strategy

GAME = "python_kwartet(players=2,sets=2,max_moves=4)"

STRATEGIES: dict[str, Strategy] = {
    "random": random_request,
    "greedy": greedy,
    "better-greedy": better_greedy,
    "exact": exact,
    "patient": patient,
}

DRAWS = 8
"""How often a strategy is asked in a moment, with other dice."""

ITERATIONS = (1, 10, 40)


def chances(strategy: Strategy, state: Any) -> list[tuple[int, float]]:
    """How often a strategy chooses each legal action."""
    episode = state.episode
    told = state.information_state_string()
    found = dict.fromkeys(state.legal_actions(), 0.0)
    for number in range(DRAWS):
        move = strategy(episode.view, Random(f"{number}/{told}"))
        action = episode.game.encoded.action(move, episode.view)
        found[action] += 1 / DRAWS
    return list(found.items())


def reached(state: Any, strategy: Strategy, seat: int, known: dict[str, Any]) -> None:
    """What a strategy does in one seat wherever it can come to, whatever the other one does."""
    if state.is_terminal():
        return
    if state.is_chance_node():
        actions = [action for action, _ in state.chance_outcomes()]
    elif state.current_player() == seat:
        told = state.information_state_string()
        if told not in known:
            known[told] = chances(strategy, state)
        actions = [action for action, chance in known[told] if chance]
    else:
        actions = state.legal_actions()
    for action in actions:
        reached(state.child(action), strategy, seat, known)


def everywhere(state: Any) -> Iterator[tuple[str, list[tuple[int, float]]]]:
    """All information states of a tree, with any legal action as likely as another."""
    if state.is_terminal():
        return
    chance = state.is_chance_node()
    actions = [one for one, _ in state.chance_outcomes()] if chance else state.legal_actions()
    if not chance:
        yield state.information_state_string(), [(one, 1 / len(actions)) for one in actions]
    for action in actions:
        yield from everywhere(state.child(action))


def rows(chosen: Sequence[str], tell: Callable[[str], None]) -> Iterator[tuple[str, float]]:
    """What plays, and its exploitability."""
    pyspiel: Any = import_module("pyspiel")
    import_module("quaternity.environments.open_spiel")
    game = pyspiel.load_game(GAME)
    tree = pyspiel.convert_to_cached_tree(game)
    uniform = dict(everywhere(tree.new_initial_state()))
    tell(f"{len(uniform)} information states")
    for name, strategy in STRATEGIES.items():
        if chosen and name not in chosen:
            continue
        known: dict[str, Any] = {}
        for seat in (0, 1):
            reached(game.new_initial_state(), strategy, seat, known)
        yield name, pyspiel.exploitability(tree, uniform | known)
    if chosen and "cfr" not in chosen:
        return
    solver = pyspiel.CFRSolver(tree)
    for number in range(1, ITERATIONS[-1] + 1):
        solver.evaluate_and_update_policy()
        if number in ITERATIONS:
            yield f"CFR, {number} iterations", pyspiel.exploitability(tree, solver.average_policy())


def main() -> None:
    """Write the table."""
    start = time.process_time()
    print(f"Exploitability in `{GAME}`:\n\n| player | exploitability |\n| --- | --: |")
    for name, value in rows(sys.argv[1:], lambda text: print(f"<!-- {text} -->", file=sys.stderr)):
        print(f"| {name} | {value:.4f} |", flush=True)
    print(f"{time.process_time() - start:.0f} s of processor time", file=sys.stderr)


if __name__ == "__main__":
    main()
