"""Selection of the instances that `compare` measures: from random games, files or families."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.text_format import with_noun
from quaternity.cli.exchange import select_families
from quaternity.cli.input_files import open_document
from quaternity.cli.terminal import warn
from quaternity.game.record import ImpossibleRecord
from quaternity.game.settings import Settings
from quaternity.game.state_file import ContradictoryState
from quaternity.trials.comparison import MeasuringTask, Series, Sweep, sweep_sizes
from quaternity.trials.comparison.measuring import STATES_PER_TASK
from quaternity.trials.comparison.summary import rounds_for
from solvers.instances import MIN_CARDS

if TYPE_CHECKING:
    from quaternity.game.state import State
    from solvers import DealProblem

MAX_STATES = 100_000
STATES, STATES_OF_A_SWEEP = 100, 30
BUDGET_OF_A_SWEEP = 10.0
DAMAGE = 0.5

CARDS = "12,20,32,52,80,120,200"
EACH = 2
BUDGET = 60.0
"""Default time budget of a solver over all families, in seconds."""
MAX_INSTANCE_CARDS, MAX_INSTANCES_EACH = 10_000, 1000


class CompareOptions(NamedTuple):
    """The states that `compare` measures, selected by its options.

    Attributes:
        works: the tasks that contain the states to measure.
        description: a description of the states for the output.
    """

    works: list[MeasuringTask]
    description: str


def of_games(
    base: tuple[int | None, int | None, int | None],
    sweep: tuple[str, str] | None,
    states: int | None,
    seed: int,
    damage: float,
    repeats: int | None,
    budget: float | None,
) -> CompareOptions:
    """Return tasks that measure states of random games, in one size or in the sizes of a sweep."""
    if states is not None and not 1 <= states <= MAX_STATES:
        raise InputError(f"states: {states} is out of range 1..{MAX_STATES}")
    set_size, sets, players = (
        default if value is None else value for value, default in zip(base, (4, 3, 3), strict=True)
    )
    if sweep is not None:
        count = states or STATES_OF_A_SWEEP
        swept = Sweep.parse(*sweep)
        place = {"set-size": 0, "sets": 1, "players": 2}[swept.parameter]
        if base[place] is not None:
            raise InputError(f"--{swept.parameter}: cannot be set if the sweep varies it")
        sizes = sweep_sizes((set_size, sets, players), swept)
        rounds = repeats or rounds_for(count)
        return CompareOptions(
            [
                MeasuringTask(
                    size, count, damage, rounds, f"{seed} {size}", budget or BUDGET_OF_A_SWEEP
                )
                for size in sizes
            ],
            f"{with_noun(count, 'state')} for each of {with_noun(len(sizes), 'size')} of games",
        )
    size = Settings(set_size, sets, players)
    count = states or STATES
    pieces = -(-count // STATES_PER_TASK)
    works = [
        MeasuringTask(
            size,
            min(STATES_PER_TASK, count - STATES_PER_TASK * number),
            damage,
            repeats or rounds_for(count),
            f"{seed} {size} {number}",
            None if budget is None else budget / pieces,
            first=STATES_PER_TASK * number,
        )
        for number in range(pieces)
    ]
    return CompareOptions(works, f"states of {set_size}-{sets}-{players} games")


def of_files(
    files: list[str], seed: int, damage: float, repeats: int | None, budget: float | None
) -> CompareOptions:
    """Return tasks that measure the positions in files. All positions of a record are measured."""
    states: list[State | DealProblem] = []
    for path in files:
        try:
            opened = open_document(path)
            game = opened.game
        except ContradictoryState as error:
            warn(
                f"{path}: skipped, because a deal problem cannot express its contradiction: {error}"
            )
            continue
        except ImpossibleRecord as error:
            warn(f"{path}: {error}; only the positions before this move are measured")
            game = error.game
        states += [opened.position] if game is None else game.states
    if not states:
        raise InputError("no states to measure")
    starts = range(0, len(states), STATES_PER_TASK)
    rounds = repeats or rounds_for(len(states))
    share = None if budget is None else budget / len(starts)
    works = [
        MeasuringTask(piece, len(piece), damage, rounds, f"{seed} {number}", share, first=start)
        for number, start in enumerate(starts)
        for piece in [tuple(states[start : start + STATES_PER_TASK])]
    ]
    return CompareOptions(works, f"states of {with_noun(len(files), 'file')}")


def of_families(
    families: str,
    cards: str | None,
    each: int | None,
    seed: int,
    repeats: int | None,
    budget: float | None,
) -> CompareOptions:
    """Return tasks that measure possible and impossible instances of families, in several sizes.

    Raises:
        InputError: If a family is unknown, or a size or the number of instances is out of range.
    """
    names = select_families(families)
    cards = CARDS if cards is None else cards
    count_each = EACH if each is None else each
    share = (BUDGET if budget is None else budget) / (2 * len(names))
    sizes: list[int] = []
    for text in map(str.strip, cards.split(",")):
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise InputError(f"cards: {text!r} is not a number")
        if not MIN_CARDS <= int(text) <= MAX_INSTANCE_CARDS:
            raise InputError(f"cards: {text} is out of range {MIN_CARDS}..{MAX_INSTANCE_CARDS}")
        if int(text) in sizes:
            raise InputError(f"cards: {text} is named twice")
        sizes.append(int(text))
    if not 1 <= count_each <= MAX_INSTANCES_EACH:
        raise InputError(f"each: {count_each} is out of range 1..{MAX_INSTANCES_EACH}")
    works = [
        MeasuringTask(
            Series(family, feasible, tuple(sorted(sizes)), count_each),
            len(sizes) * count_each,
            0.0,
            repeats or 1,
            str(seed),
            share,
        )
        for family in names
        for feasible in (True, False)
    ]
    count = "1 family" if len(names) == 1 else f"{len(names)} families"
    return CompareOptions(works, f"{count}, {cards} cards")
