"""The effect of each mechanism for speed or decidability, measured by switching it off.

    python -m tests.bench.ablation --workload formulas --only chains --every 2 --repeats 3

`OFF` lists how each mechanism is switched off, always by a simpler replacement from this module,
and the workload that should miss it. A workload is a list of tasks with known answers. It runs in
turn with and without the mechanism, each time in a new process, so that all caches are empty. The
fastest of the repeats counts. The report has the number of tasks without an answer within the limit
of processor time, and the processor time of all tasks. A different answer ends the run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from math import inf
from multiprocessing import get_context
from pathlib import Path
from pkgutil import resolve_name
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

from quaternity.base.cp_sat_search import run_search
from quaternity.base.deadline import Deadline
from quaternity.base.errors import LimitError, NoDeal
from quaternity.epistemic import evaluate, parse
from quaternity.epistemic.encoding import Encoder, UnenforcedLiteral
from quaternity.epistemic.evaluator import information_set
from quaternity.epistemic.explicit_evaluator import ExplicitModel
from quaternity.epistemic.formula import FALSE, TRUE, Formula
from quaternity.epistemic.hand_patterns import HandPatterns
from quaternity.epistemic.language import Language
from quaternity.epistemic.propositional import without_knowledge
from quaternity.epistemic.solver_evaluator import SolverEvaluator
from quaternity.game import card_picture
from quaternity.game.encoded import QuaternityEncoded
from quaternity.game.rules import QuaternityPosition, QuaternityRules
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.bots.search import SearchBot
from quaternity.perfect.forcing import ForcedWinSearch
from quaternity.perfect.solving.solver import solve as solve_game
from quaternity.perfect.tablebase import Tablebase, write_tablebase
from solvers.counting import chances, count_deals
from solvers.filtering import FILTERS, filter_problem
from solvers.instances import FAMILIES, make_pair
from solvers.problem import DealProblem
from solvers.registry import SOLVERS, solve
from solvers.solver import Solver
from solvers.verdict import Deal
from tests.bench.formulas import questions
from tests.bench.hard_formulas import HardFormula, certify, draw_formulas, read_list
from tests.solvers.problems import oracle_games

LIMIT = 1.0
"""Processor time per task, in seconds."""

CLOCK = 3.0
"""Wall-clock seconds for CP-SAT per second of processor time, as other programs may be running."""

Task = Callable[[float], object]
Off = Mapping[str, object]
"""Replacements, by the names of the functions, methods and numbers that they replace."""


class Result(NamedTuple):
    """The results of the tasks of a workload.

    Attributes:
        outcomes: the processor time and result of each task; None if it was not solved.
        spent: the processor time of all tasks.
    """

    outcomes: list[tuple[float, object] | None]
    spent: float

    @property
    def decided(self) -> int:
        """Number of tasks that have an answer."""
        return sum(outcome is not None for outcome in self.outcomes)


def _without_memos(*names: str) -> Off:
    """Return replacements that stop the named memos from storing results."""
    return {f"{name}.store": lambda key, result, size: result for name in names}


def _no_cache(*names: str) -> Off:
    """Return the named functions without their `lru_cache`."""
    return {name: resolve_name(name).__wrapped__ for name in names}


class Forgetful(dict[Any, Any]):
    """A memo that never contains a key."""

    def __contains__(self, key: object) -> bool:
        return False


def _forget(kind: type, *names: str) -> Callable[..., None]:
    """Return an `__init__` that replaces the named memos of an object by forgetful ones."""
    real = kind.__init__  # type: ignore[misc]

    def init(self: object, *arguments: object, **named: object) -> None:
        real(self, *arguments, **named)
        for name in names:
            setattr(self, name, Forgetful())

    return init


def _same(formula: object, *_: object) -> object:
    return formula


def _only_itself(formula: Any, weaker: bool) -> Any:
    return formula if not formula.modal_depth else TRUE if weaker else FALSE


def _only_weaker(formula: Any, weaker: bool) -> Any:
    return (without_knowledge if weaker else _only_itself)(formula, weaker)


def _only_stronger(formula: Any, weaker: bool) -> Any:
    return (_only_itself if weaker else without_knowledge)(formula, weaker)


def _bare_common(self: Encoder, formula: Any, part: Any, truth: bool, table: Any, past: Any) -> Any:
    group = formula.members(self.problem.players)
    return self._unenforced_literal(
        [], UnenforcedLiteral(None, formula, truth, table, past, group[:1])
    )


def _own_hand(problem: Any, *rest: Any) -> Any:
    deal, player = rest[-2:] if isinstance(rest[-1], int) else rest[:2]
    return information_set(problem, deal, (player,))


def _by_defaults(model: Any, left: float, text: Any, **others: Any) -> Any:
    for name in ("symmetry_level", "cp_model_probing_level"):
        others.pop(name)
    return run_search(model, left, text, **others)


def _nobody_alike(hands: Any, sets: Any) -> list[int]:
    return list(range(len(hands)))


def _all_roles(code: Any, key: Any) -> list[int]:
    return list(range(code.rules.players))


def _at_the_end(code: Any, place: Any) -> bool | None:
    parts, role = code.parts(place[0]), place[1]
    if parts.kinds:
        return None
    best = max(points for other, points in enumerate(parts.points) if other != role)
    return bool(parts.points[role] > best)


E = "quaternity.epistemic."
G = "quaternity.game."
P = "quaternity.perfect."
EVALUATOR = f"{E}solver_evaluator.SolverEvaluator."
OFF: dict[str, dict[str, Off]] = {
    "formulas": {
        "normal forms": {f"{E}solver_evaluator.normal_form": _same},
        "knowledge seen in hands first": {f"{E}solver_evaluator.with_seen_facts": _same},
        "a consequence without knowledge": {
            f"{E}solver_evaluator.without_knowledge": _only_stronger
        },
        "a sufficient case without knowledge": {
            f"{E}solver_evaluator.without_knowledge": _only_weaker
        },
        "few cases by deal problems": {f"{E}solver_evaluator.MAX_CASES": 0},
        "few cases refuted in the model": {f"{E}encoding.MAX_REFUTED_CASES": 0},
        "patterns of hands": {
            f"{E}hand_patterns.HandPatterns.provable_coalitions": lambda *_: None
        },
        "smallest totals": {f"{E}hand_patterns.MAX_WORK": 0},
        "cases alike but for names": {
            f"{E}hand_patterns.HandPatterns._case_key": lambda _, case: tuple(sorted(case.items()))
        },
        "patterns kept": {f"{E}refutation.hand_patterns": HandPatterns},
        "the unknowable at all": {f"{E}refutation.Refuter.always_possible": lambda *_: False},
        "ignorance that cannot be": {f"{E}encoding.without_knowledge": _only_stronger},
        "necessary for common knowledge": {f"{E}encoding.Encoder._common": _bare_common},
        "what never changes for a pair": {f"{E}solver_evaluator.reachable_superset": _same},
        "common knowledge wrong in an area": {
            f"{E}encoding.contains_fixed_cards": lambda *_: False
        },
        "hands that lead to a failure": {
            f"{EVALUATOR}problems_leading_to_failure": lambda *_: iter(())
        },
        "hands before bad ones, widened": {f"{E}solver_evaluator.deals_before": _own_hand},
        "hands around, widened": {f"{E}solver_evaluator.deals_around": _own_hand},
        "known around a deal": {f"{EVALUATOR}_knowledge_case": lambda *_: None},
        "cases of wrong guesses": {f"{EVALUATOR}_counter_case": lambda *_: None},
        "chains to a chosen deal": {f"{E}solver_evaluator.FEW_STEPS": 0},
        "chains in listed deals": {f"{E}solver_evaluator.MAX_LISTED": 0},
        "induction over chains": {f"{EVALUATOR}_is_inductive": lambda *_: False},
        "induction and listed deals": {
            f"{EVALUATOR}_is_inductive": lambda *_: False,
            f"{E}solver_evaluator.MAX_LISTED": 0,
        },
        "quick parts first": {
            f"{E}{name}.effort_key": lambda _: 0 for name in ("solver_evaluator", "propositional")
        },
        "answers kept": {f"{EVALUATOR}__init__": _forget(SolverEvaluator, "_answers")},
        "failures kept": {f"{EVALUATOR}__init__": _forget(SolverEvaluator, "_failures")},
        "chains kept": {f"{EVALUATOR}__init__": _forget(SolverEvaluator, "_chains")},
        "literals kept": {f"{E}encoding.Encoder.__init__": _forget(Encoder, "_cache")},
        "no symmetry, no probing": {f"{E}coupled_deals.run_search": _by_defaults},
        "seen sets kept": _no_cache("solvers.problem._set_with_hand"),
    },
    "formulas, any way": {
        "few deals listed": {f"{E}truth.MAX_QUICK_WORLDS": 0},
        "list after the solvers": {f"{E}worlds.MAX_WORLDS": -1},
        "models kept": {f"{E}explicit_evaluator._cached_models": lambda _: []},
        "pieces kept": {
            f"{E}explicit_evaluator.ExplicitModel.__init__": _forget(ExplicitModel, "_components")
        },
    },
    "problems": {
        "all memos": {"quaternity.base.memo.Memo.store": lambda *rest: rest[2]},
        "players who are alike": {"solvers.flow_filtering.equivalent_players": _nobody_alike},
        "a tree by costs": {"solvers.factor_product.Product._cost": lambda *_: 1},
        "cards alike in a product": {
            "solvers.factor_product.Product.interchangeable_card": lambda _: None
        },
        "few slots at once": {"solvers.matching.MAX_UNSHUFFLED_SLOTS": 0},
        "cards in bundles": {"solvers.cp_sat.MAX_BOOLEANS": inf},
        "few cards one by one": {"solvers.cp_sat.MAX_BOOLEANS": 0},
        "short searches unheard": {"solvers.cp_sat.MAX_UNINTERRUPTED_VARIABLES": 0},
    },
    "states": {
        "coalitions before flow": {"solvers.registry.MAX_DEFAULT_LANES": -1},
        "filtering by tables": {"solvers.filtering._prefers_tables": lambda _: False},
        "closed sets kept": _without_memos("solvers.filtering._FILTERED"),
        "closing kinds kept": _without_memos("solvers.filtering._SHAPES"),
        "slack parts kept": _without_memos("solvers.filtering._slack_parts"),
        "tables kept": _without_memos("solvers.coalition_tables.cached_tables"),
        "sets to deal kept": _without_memos("solvers.coalitions._prepare_set"),
        "choices of few vectors": {"solvers.coalitions.MAX_LISTED_VECTORS": 0},
        "parts of a residue kept": _without_memos("solvers.reduced_problem._PARTS"),
        "ways of a set kept": _without_memos("solvers.set_counts._WAYS"),
        "lanes of masks kept": {"solvers.coalition_tables.MAX_CACHED_MASK_PLAYERS": 0},
        "few masks one by one": {"solvers.coalition_tables.MAX_SEPARATE_MASKS": 0},
    },
    "games": {
        **{
            f"legal: {name[1:]} kept": _without_memos(f"{G}legal.{name}")
            for name in (
                "_prepare_shape",
                "_prepare_set",
                "_asks",
                "_statements",
                "_requestable_cards",
                "_claims",
                "_groups",
                "_pairs",
                "_pairs_of_sets",
            )
        },
        "cards to ask": {f"{G}state.cards_to_ask": lambda *_: None},
        "actions and masks kept": {f"{G}encoded.MAX_CACHED_ENTRIES": 0},
        "numbers of sets kept": _without_memos(f"{G}encoded._cached_numbers"),
        "sets out of play kept": _no_cache(f"{G}transition.out_of_play", f"{G}state.out_of_play"),
        "drawn cards kept": _no_cache(f"{G}card_picture.card_svg", f"{G}card_picture.suit_svg"),
    },
    "solved games": {
        "states in arrays": {f"{P}successors.many_states.Expander.fault": lambda *_: "off"},
        "expanders kept": _no_cache(f"{P}successors.many_states._expander"),
        "closed kinds in arrays kept": {f"{P}keys.arrays.CACHE_BITS": 1},
        "blocks of states": {f"{P}solving.retrograde.BLOCK_STATES": 1 << 30},
        "tables of renamings": {f"{P}solving.retrograde.TABLE_BITS": 9},
        "blocks of a tablebase kept": {f"{P}tablebase.MAX_CACHED_BLOCKS": 0},
        "values of a tablebase kept": _no_cache(f"{P}tablebase._standing_of"),
    },
    "perfect players": {
        "closed kinds kept": {f"{P}keys.kinds.MAX_CACHED_CLOSURES": 0},
        "orders of roles kept": _no_cache(f"{P}keys.kinds.role_orders"),
        "rings kept": _no_cache(f"{P}stalling.rings"),
        "rings of opponents at sight": {f"{P}forcing.ring_of_opponents": lambda *_: None},
        "caught by rings": {f"{P}forcing.cannot_escape_rings": lambda *_: False},
        "lost and won at sight": {f"{P}forcing.known_result": _at_the_end},
        "roles that are alike": {f"{P}forcing.symmetric_roles": _all_roles},
        "a policy remembers": {f"{P}bots.policy.MAX_CACHED_QUESTIONS": 0},
    },
}
"""Replacements that switch off mechanisms, by the workload that should miss them and by name.
If a mechanism changes which of several right answers is given, its tasks return what all answers
have in common."""


def formulas(method: str = "solvers") -> Iterator[Task]:
    """Yield the hard formulas and the 260 of a game of 52 cards, by the solvers."""

    def task(limit: float, entry: HardFormula) -> bool:
        truth = evaluate(entry.formula, entry.problem, entry.deal, method, limit)
        assert truth == entry.truth, entry
        return truth

    def unwrap(limit: float, answer: Callable[[float], object]) -> object:
        result = answer(limit)
        return getattr(result, "truth", result)

    for entry in read_list():
        yield partial(task, entry=entry)
    for _, answer in questions(method):
        yield partial(unwrap, answer=answer)


def problems() -> Iterator[Task]:
    """Yield recorded states of games and families of problems, to decide, count and close."""
    recorded = [problem for problem, valid, _ in oracle_games() if valid][::2]
    hard = [
        problem
        for family in FAMILIES
        for size in (52, 120)
        for problem in make_pair(family, size, 1)
    ]

    def decide(limit: float, problem: DealProblem, solver: Solver | None = None) -> bool:
        return bool((solver.with_time_limit(CLOCK * limit) if solver else solve)(problem))

    def closed_quickly(limit: float, problem: DealProblem) -> object:
        return _or_none(filter_problem, problem, limit)

    def count(limit: float, problem: DealProblem) -> int:
        return count_deals(problem, seconds=limit)

    def compute_chances(limit: float, problem: DealProblem) -> object:
        return chances(problem, seconds=limit)

    def closed_by_flow(limit: float, problem: DealProblem) -> object:
        return _or_none(FILTERS["flow"], problem, Deadline(limit))

    for problem in recorded + hard:
        yield partial(decide, problem=problem)
        for name, solver in SOLVERS.items():
            if name != "brute-force" and solver.refuses(problem) is None:
                yield partial(decide, problem=problem, solver=solver)
        yield partial(closed_quickly, problem=problem)
        yield partial(closed_by_flow, problem=problem)
        yield partial(count, problem=problem)
    for problem in recorded[::4]:
        yield partial(compute_chances, problem=problem)


def states() -> Iterator[Task]:
    """Yield random games, whose states are closed, decided and counted one after another."""

    def task(limit: float, size: tuple[int, int, int], seed: int) -> object:
        state, random, made = State.start(Settings(*size)), Random(seed), list[object]()
        while not state.is_over and len(made) < 120:
            made += [filter_problem(state.problem), bool(solve(state.problem))]
            if len(made) % 12 == 0:
                made.append(count_deals(state.problem, seconds=limit))
            question, answers = random.choice(list(state.legal_questions.items()))
            state = state.after(question, random.choice(answers))
        return made

    for seed in range(5):
        for size in ((4, 13, 4), (4, 3, 3), (4, 6, 6)):
            yield partial(task, size=size, seed=seed)


def _or_none(work: Callable[..., object], *arguments: object) -> object:
    try:
        return work(*arguments)
    except NoDeal:
        return None


def games() -> Iterator[Task]:
    """Yield games of each size, with legal questions, masks, numbers and a drawn card."""

    def task(_: float, size: tuple[int, int, int], seed: int) -> object:
        settings, random, made = Settings(*size), Random(seed), list[int]()
        encoded, state = QuaternityEncoded(QuaternityRules(settings)), State.start(settings)
        while not state.is_over and len(made) < 150:
            view = QuaternityPosition(state)
            made.append(hash((bytes(encoded.mask(view)), bytes(encoded.numbers(view).cast("B")))))
            question, answers = random.choice(list(state.legal_questions.items()))
            made.append(len(card_picture.card_svg(question.card, size[0])))
            state = state.after(question, random.choice(answers))
        return made

    for seed in range(30):
        for size in ((4, 13, 4), (4, 3, 3), (4, 6, 6)):
            yield partial(task, size=size, seed=seed)


def solved_games() -> Iterator[Task]:
    """Yield small games to solve, and a tablebase to read."""

    def task(_: float, size: tuple[int, int, int]) -> object:
        start = State.start(Settings(*size))
        solution = solve_game(start)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "t.tablebase"
            write_tablebase(path, solution)
            state, seen = start, []
            with Tablebase(path) as tablebase:
                random = Random(1)
                for _step in range(300):
                    if state.is_over:
                        state = start
                    seen.append(tablebase.standing(state))
                    question, answers = random.choice(list(state.legal_questions.items()))
                    state = state.after(question, random.choice(answers))
        return solution.facts, seen

    for size in ((3, 3, 3), (4, 3, 3), (2, 4, 4), (3, 4, 3)):
        yield partial(task, size=size)


def perfect_players() -> Iterator[Task]:
    """Yield states in which a player may force a win, and questions of the search bot."""

    def search_forced_win(limit: float, state: State, player: int) -> bool:
        can_force = ForcedWinSearch(state, player).search(limit)
        if can_force is None:
            raise LimitError("undecided")
        return can_force

    def ask(_: float, state: State) -> bool:
        return SearchBot(Random(1), games=50).ask(state) in state.legal_questions

    for seed in range(6):
        for size in ((4, 3, 3), (3, 4, 4), (4, 5, 4)):
            state, random = State.start(Settings(*size)), Random(seed)
            for _step in range(8):
                question, answers = random.choice(list(state.legal_questions.items()))
                after = state.after(question, random.choice(answers))
                if after.is_over:
                    break
                state = after
            for player in range(state.players):
                yield partial(search_forced_win, state=state, player=player)
            yield partial(ask, state=state)


WORKLOADS: dict[str, Callable[[], Iterable[Task]]] = {
    "formulas": formulas,
    "formulas, any way": partial(formulas, "auto"),
    "problems": problems,
    "states": states,
    "games": games,
    "solved games": solved_games,
    "perfect players": perfect_players,
}


def run_task(task: Task, limit: float) -> tuple[float, object] | None:
    """Return the processor time of a task, and its result; None if not done within the limit."""
    begun = process_time()
    try:
        result = task(limit)
    except LimitError:
        return None
    spent = process_time() - begun
    return (spent, result) if spent <= limit else None


def switched_off(off: Off) -> ExitStack:
    """Return a context without some mechanism and with limits of processor time."""
    stack = ExitStack()
    for target, instead in off.items():
        stack.enter_context(patch(target, instead))
    inner = resolve_name(f"{E}coupled_deals.run_search")
    stack.enter_context(patch("quaternity.base.deadline.monotonic", process_time))
    own_clock = SimpleNamespace(monotonic=process_time)
    stack.enter_context(patch(f"{P}forcing.time", own_clock))
    stack.enter_context(
        patch(
            f"{E}coupled_deals.run_search",
            lambda model, left, text, **others: inner(model, CLOCK * left, text, **others),
        )
    )
    return stack


def measure(workload: str, off: tuple[str, str] | None, every: int, limit: float) -> Result:
    """Run a workload with a mechanism switched off, or with all of them."""
    with switched_off(OFF[off[0]][off[1]] if off else {}):
        tasks = list(WORKLOADS[workload]())[::every]
        begun = process_time()
        limit *= 20 if workload == "solved games" else 1
        outcomes = [run_task(task, limit) for task in tasks]
        return Result(outcomes, process_time() - begun)


def all_off() -> Off:
    """Switch off all mechanisms that one formula may need, except caches."""
    off: dict[str, object] = {}
    for name, instead in OFF["formulas"].items():
        if not name.endswith("kept"):
            off |= instead
    off[f"{E}solver_evaluator.without_knowledge"] = _only_itself
    return off


def draw(first: int, last: int) -> None:
    """Print formulas of some seeds that distinguish mechanisms, as lines of the list."""
    for seed in range(first, last):
        problem, deal, texts = draw_formulas(seed)
        for text in texts:
            formula = parse(text, Language.of(problem))
            task = partial(_truth, formula, problem, deal)
            with switched_off({}):
                quick = run_task(task, 0.6)
            if quick is not None and quick[0] < 0.02:
                with switched_off(all_off()):
                    slow = run_task(task, 0.3)
                quick = quick if slow is None or slow[0] > 4 * quick[0] + 0.02 else None
            if quick is not None:
                with suppress(LimitError):
                    (truth,) = set(certify(problem, deal, formula).values())
                    print(seed, str(truth).lower(), text)


def _truth(formula: Formula, problem: DealProblem, deal: Deal, limit: float) -> bool:
    return evaluate(formula, problem, deal, "solvers", limit)


def main() -> None:
    """Switch off the requested mechanisms, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--only", default="", help="mechanisms whose name has these words")
    parser.add_argument("--workload", choices=WORKLOADS, help="mechanisms of this workload")
    parser.add_argument("--tasks", choices=WORKLOADS, help="run these tasks instead of their own")
    parser.add_argument("--every", type=int, default=1, help="run every Nth task of a workload")
    parser.add_argument(
        "--repeats", type=int, default=1, help="number of runs, of which the fastest counts"
    )
    parser.add_argument("--limit", type=float, default=LIMIT, help="processor seconds per task")
    parser.add_argument("--draw", type=int, nargs=2, help="instead: draw formulas from seeds")
    chosen = parser.parse_args()
    if chosen.draw:
        draw(*chosen.draw)
        return
    print("| switched off | workload | lost | processor time | times as much |")
    print("|---|---|---|---|---|")
    for workload, mechanisms in OFF.items():
        if chosen.workload in (None, workload):
            for name in mechanisms:
                if chosen.only in name:
                    print(_row(workload, name, chosen), flush=True)


def _row(workload: str, name: str, chosen: argparse.Namespace) -> str:
    """Measure with and without a mechanism in turn, each time in a new process."""

    tasks = chosen.tasks or workload

    def run(off: tuple[str, str] | None) -> Result:
        with ProcessPoolExecutor(1, get_context("fork")) as pool:
            return pool.submit(measure, tasks, off, chosen.every, chosen.limit).result()

    runs = [(run(None), run((workload, name))) for _ in range(chosen.repeats)]
    whole, without = (min(results, key=lambda r: r.spent) for results in zip(*runs, strict=True))
    for changed, original in zip(without.outcomes, whole.outcomes, strict=True):
        if changed and original and changed[1] != original[1]:
            raise SystemExit(f"{name}: {changed[1]} instead of {original[1]}")
    return (
        f"| {name} | {tasks} | {whole.decided - without.decided} of {len(whole.outcomes)} "
        f"| {without.spent:.1f} s | {without.spent / whole.spent:.2f} |"
    )


if __name__ == "__main__":
    main()
