"""A new process in which many threads at once are the first to call public functions.

Run as `python -m tests.first_calls SEED`: the seed shuffles the calls. Every answer is compared
with a known one. If an answer is wrong, all failures are printed, and the status is 1. No module of
the project is imported before the threads start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from random import Random
from threading import Barrier, Thread
from traceback import format_exc
from typing import Any

DEALS = 12 * 11 * 10 * 9 * 8 * 7 * 6 * 5 // (24 * 24)
"""Number of deals of 12 cards to three hands of four."""


def _problem(players: int = 3) -> Any:
    from solvers import DealProblem, SetConstraint

    cards = SetConstraint.of([range(players)] * 4, players=players)
    return DealProblem([4] * players, [cards] * players)


def _solve() -> bool:
    from solvers import solve, verify

    return verify(_problem(), solve(_problem()))


def _solver(name: str) -> bool:
    import solvers

    problem = _problem(2)
    verdict = solvers.SOLVERS[name](problem)
    return bool(verdict) and bool(solvers.verify(problem, verdict))


def _infeasible(name: str) -> bool:
    from solvers import DealProblem, SetConstraint, all_solvers, certify, verify

    problem = DealProblem([1, 1], [SetConstraint.of([[0], [0]], players=2)])
    return verify(problem, certify(problem, all_solvers()[name](problem)))


def _closed() -> bool:
    import solvers

    return bool(solvers.filter_problem(_problem()) == _problem())


def _closed_by(name: str) -> bool:
    from solvers.filtering import FILTERS

    return bool(FILTERS[name](_problem()) == _problem())


def _count_deals() -> bool:
    from solvers import count_deals

    return count_deals(_problem()) == DEALS


def _chances() -> bool:
    from solvers import chances

    return chances(_problem())[2][3] == [1 / 3] * 3


def _sample_deals() -> bool:
    from solvers import Feasible, sample_deals, verify

    drawn = sample_deals(_problem(), Random(1), 5)
    return all(verify(_problem(), Feasible(deal)) for deal in drawn)


def _legal_questions() -> bool:
    from quaternity import Answer, State

    state = State.start()
    state = state.after(next(iter(state.legal_questions)), Answer.NO)
    return len(state.legal_questions) == 24


def _analyse() -> bool:
    from quaternity.game.state import State
    from quaternity.insight.analysis import analyse

    return analyse(State.start()).deals == DEALS


def _check() -> bool:
    from quaternity import Settings
    from quaternity.game.game import Game

    return not Game.start(Settings()).state.is_over


def _kwartet() -> bool:
    from quaternity.kwartet.public import PublicState
    from quaternity.kwartet.settings import KwartetSettings
    from solvers import count_deals

    public = PublicState.start(KwartetSettings(players=3, sets=3), [4, 4, 4])
    own = public.problem.with_hand(0, (1, 1, 3))
    return count_deals(own) == 8 * 7 * 6 * 5 // 24


def _quarto() -> bool:
    from quaternity.quarto import Board, can_draw, example_pieces, read_pieces

    board = Board.parse("N?BI??JO?FDLMEAG", read_pieces(example_pieces()))
    return not can_draw(board) and not can_draw(board, "cp-sat")


def _ternary() -> bool:
    from quaternity.ternary import Rule, triples

    return len(list(triples(range(81), Rule.SET))) == 1080


def _holds() -> bool:
    from quaternity.epistemic import evaluate

    three = _problem()
    return not evaluate("K2 H0 0/0", three, [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2]])


def _every_name(package: str) -> bool:
    from importlib import import_module

    home = import_module(package)
    return all(hasattr(home, name) for name in home.__all__)


CALLS: list[Callable[[], bool]] = [
    _solve, _closed, _count_deals, _chances, _sample_deals, _legal_questions, _analyse, _check,
    _kwartet, _quarto, _ternary, _holds,
    *(partial(run, name) for name in ("cp-sat", "max-flow", "matching", "coalitions", "brute-force")
      for run in (_solver, _infeasible)),
    *(partial(_closed_by, name) for name in ("tables", "flow")),
    *(partial(_every_name, name) for name in ("solvers", "quaternity", "quaternity.epistemic")),
]  # fmt: skip


def failures(seed: int) -> list[str]:
    """Return the failures when all calls run at once, each twice, in separate threads."""
    random = Random(seed)
    # A few simultaneous calls collide in other places than many do.
    calls = random.choice([CALLS, random.sample(CALLS, 6)]) * 2
    random.shuffle(calls)
    together, wrong = Barrier(len(calls)), list[str]()

    def run(call: Callable[[], bool]) -> None:
        together.wait()
        try:
            if not call():
                wrong.append(f"{call}: another answer")
        except BaseException:
            wrong.append(f"{call}: {format_exc()}")

    threads = [Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


if __name__ == "__main__":
    sys.setswitchinterval(1e-5)
    sys.exit("\n".join(failures(int(sys.argv[1]))) or None)
