"""Evaluator of formulas that lists all deals, as an explicit Kripke model.

Each deal that fits the public information is a *world*. A formula is evaluated to an array with one
boolean for each world. Worlds in which a player has the same hand form an equivalence class,
because the player cannot distinguish them. The player knows a formula if it is true in the whole
class. A group has common knowledge of it if it is true in all worlds that chains of the members'
classes connect. After a public announcement, only the worlds remain in which it was true.

This evaluator supports all formulas, but it lists at most `worlds.MAX_WORLDS` deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from quaternity.base.errors import InputError
from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import Announcements, Check, Deadline, no_check
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.worlds import MAX_WORLDS, all_deals
from quaternity.game.cards import Card
from solvers.problem import DealProblem
from solvers.verdict import Deal

Truth: TypeAlias = npt.NDArray[np.bool_]
"""Boolean array with the truth value of a formula in each world (possible deal)."""


class ExplicitModel:
    """A list of all worlds of a problem: all deals that are possible given public information.

    `owners[card, world]` is the owner of a card. The cards of all sets are numbered consecutively.
    Raise LimitError if there are more than `limit` deals.
    """

    def __init__(
        self, problem: DealProblem, limit: int = MAX_WORLDS, check: Check = no_check
    ) -> None:
        self.problem = problem
        self.owners = all_deals(problem, limit, check)
        self._row = {
            Card(index, number): row
            for row, (index, number) in enumerate(
                (index, number)
                for index, constraint in enumerate(problem.sets)
                for number in range(constraint.size)
            )
        }
        self._classes: dict[tuple[int, ...], npt.NDArray[np.int64]] = {}
        self._components: dict[tuple[int, ...], npt.NDArray[np.int64]] = {}

    @property
    def worlds(self) -> int:
        """Return the number of worlds (possible deals)."""
        return int(self.owners.shape[1])

    def all_true(self) -> Truth:
        """Return an array with the value True for every world (possible deal)."""
        return np.ones(self.worlds, dtype=np.bool_)

    def deal(self, world: int) -> Deal:
        """Return the deal with the number `world`."""
        owners = iter(self.owners[:, world].tolist())
        return Deal(
            tuple(
                tuple(next(owners) for _ in range(constraint.size))
                for constraint in self.problem.sets
            )
        )

    def world(self, deal: Deal) -> int:
        """Return the number of a deal, which is its index in the list of worlds (possible deals).

        Raise InputError if the deal does not satisfy the problem.
        """
        flat = np.array([holder for owner in deal.owner for holder in owner], dtype=np.int8)
        if flat.shape == self.owners.shape[:1]:
            matching = np.flatnonzero((self.owners == flat[:, None]).all(axis=0))
            if len(matching):
                return int(matching[0])
        raise InputError(f"the deal does not fit the public record: {deal}")

    def classes(self, players: tuple[int, ...]) -> npt.NDArray[np.int64]:
        """Return an array with a class number for each world (possible deal).

        Two worlds have the same number if all these players have the same hands in both.
        """
        if players not in self._classes:
            digit = np.zeros(self.problem.players, dtype=np.int64)
            digit[list(players)] = np.arange(1, len(players) + 1)
            codes, largest = np.zeros(self.worlds, dtype=np.int64), 1
            for row in self.owners:
                if self.worlds and (row == row[0]).all():
                    continue
                if largest > 1 << 55:
                    codes = np.unique(codes, return_inverse=True)[1]
                    largest = self.worlds
                codes = codes * (len(players) + 1) + digit[row]
                largest *= len(players) + 1
            self._classes[players] = np.unique(codes, return_inverse=True)[1]
        return self._classes[players]

    def extension(
        self, formula: Formula, among: Truth | None = None, check: Check = no_check
    ) -> Truth:
        """Return an array that marks the worlds (possible deals) where a formula is true.

        The array `among` marks the worlds that are still possible. The result says nothing about
        the other worlds. `check` is called before each part of the formula is evaluated, and may
        raise an exception.
        """
        return self._extension(formula, self.all_true() if among is None else among, check)

    def _extension(self, formula: Formula, among: Truth, check: Check) -> Truth:
        check()
        match formula:
            case logic.Constant(value):
                return np.full(self.worlds, value, dtype=np.bool_)
            case logic.Holds(player, card):
                row = self._row.get(card)
                if row is None:
                    return np.zeros(self.worlds, dtype=np.bool_)
                equal: Truth = self.owners[row] == player
                return equal
            case logic.Not(part):
                return ~self._extension(part, among, check)
            case logic.And(parts) | logic.Or(parts):
                join = np.logical_and if isinstance(formula, logic.And) else np.logical_or
                truth: Truth = self._extension(parts[0], among, check)
                for part in parts[1:]:
                    truth = join(truth, self._extension(part, among, check))
                return truth
            case logic.Implies(first, second):
                return ~self._extension(first, among, check) | self._extension(second, among, check)
            case logic.Iff(first, second):
                return ~(
                    self._extension(first, among, check) ^ self._extension(second, among, check)
                )
            case logic.Announcement(announcement, then):
                true_before = self._extension(announcement, among, check)
                return ~true_before | self._extension(then, among & true_before, check)
            case logic.Unknown():
                return self._unknown(formula, among, check)
            case logic.Knows(_, part) | logic.Distributed(_, part):
                classes = self.classes(formula.players)
                return _true_throughout(classes, self._extension(part, among, check), among)
            case logic.Publicly(part):
                false = among & ~self._extension(part, among, check)
                return np.full(self.worlds, not false.any(), dtype=np.bool_)
            case logic.Common(part):
                pieces = self.components(among, formula.players)
                return _true_throughout(pieces, self._extension(part, among, check), among)
            case _:
                raise TypeError(f"{formula!r} is not a formula")

    def _unknown(self, formula: logic.Unknown, among: Truth, check: Check) -> Truth:
        classes = self.classes((formula.knower,))
        unknown = np.zeros(self.worlds, dtype=np.int32)
        for row in self.owners:
            check()
            held = row == formula.owner
            unknown += held & ~_true_throughout(classes, held, among)
        compare = np.less_equal if formula.at_most else np.equal
        return np.asarray(compare(unknown, formula.count))

    def components(
        self, among: Truth | None = None, players: tuple[int, ...] = ()
    ) -> npt.NDArray[np.int64]:
        """Return an array with the number of each world's connected component.

        A world is a possible deal. Two worlds are linked if one of the players (by default, of all
        players) cannot distinguish them. Worlds that are not marked in `among` are left out.
        """
        players = players or tuple(range(self.problem.players))
        if among is None or among.all():
            if players not in self._components:
                self._components[players] = self._connected_components(
                    np.arange(self.worlds), players
                )
            return self._components[players]
        return self._connected_components(np.flatnonzero(among), players)

    def chain(
        self,
        start: int,
        ends: Truth,
        among: Truth,
        players: tuple[int, ...],
        check: Check = no_check,
    ) -> list[Deal]:
        """Return a shortest chain of deals from the world `start` to a world that `ends` marks.

        All deals after the start are marked in `among`. Each deal looks the same as the next one to
        at least one of the players. The list is empty if there is no such chain. `check` is called
        before each step, and may raise an exception.
        """
        came = np.full(self.worlds, -1, dtype=np.int64)
        came[start] = start
        frontier = np.array([start])
        while len(frontier) and not ends[frontier].any():
            check()
            reached = []
            for player in players:
                classes = self.classes((player,))
                guide = np.full(int(classes.max()) + 1, -1, dtype=np.int64)
                guide[classes[frontier]] = frontier
                fresh = np.flatnonzero(among & (came < 0) & (guide[classes] >= 0))
                came[fresh] = guide[classes[fresh]]
                reached.append(fresh)
            frontier = np.concatenate(reached)
        chain = [int(f) for f in frontier[ends[frontier]][:1]]
        while chain and chain[-1] != start:
            chain.append(int(came[chain[-1]]))
        return [self.deal(world) for world in reversed(chain)]

    def _connected_components(
        self, inside: npt.NDArray[np.int64], players: tuple[int, ...]
    ) -> npt.NDArray[np.int64]:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        classes = [self.classes((player,)) for player in players]
        nodes, heads, tails = 0, [], []
        for number, names in enumerate(classes):
            if number:
                heads.append(nodes + names[inside])
            nodes_before, nodes = nodes, nodes + int(names.max(initial=-1)) + 1
            if number < len(classes) - 1:
                tails.append(nodes_before + names[inside])
        if not heads:
            return classes[0]
        joined = (np.concatenate(tails), np.concatenate(heads))
        links = np.ones(len(joined[0]), dtype=np.int32)
        graph = coo_array((links, joined), shape=(nodes, nodes)).tocsr()
        labels = np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
        return labels[classes[0]]


def _true_throughout(classes: npt.NDArray[np.int64], truth: Truth, among: Truth) -> Truth:
    broken = np.zeros(int(classes.max(initial=-1)) + 1, dtype=np.bool_)
    broken[classes[among & ~truth]] = True
    return ~broken[classes]


@lru_cache(maxsize=2)
def _cached_models(problem: DealProblem) -> list[ExplicitModel]:
    del problem
    return []


def model_of(problem: DealProblem, check: Check = no_check) -> ExplicitModel:
    """Return the explicit model of a problem. The models of the last two problems are cached.

    `check` is called while the deals are listed, and may raise an exception.
    """
    place = _cached_models(problem)
    if not place:
        # Do not append to the list, because another thread may have stored a model in the meantime.
        place[:] = [ExplicitModel(problem, check=check)]
    return place[0]


class ExplicitEvaluator:
    """Evaluator that lists all deals that fit the public information (see `Evaluator`).

    The argument `earlier` of the methods contains the announcements made before the formula is
    evaluated.

    Raises:
        LimitError: If the problem has too many deals to list, or (as `Undecided`) if time runs out.
    """

    def __init__(self, problem: DealProblem, deadline: Deadline | None = None) -> None:
        self.problem = problem
        self._check: Check = no_check if deadline is None else deadline.remaining
        self.model = model_of(problem, self._check)

    def truth(self, formula: Formula, deal: Deal, earlier: Announcements = ()) -> bool:
        """Return whether a formula is true in a deal."""
        return bool(self._extension(formula, self.restrict_to(earlier))[self.model.world(deal)])

    def counterexample(
        self, players: Sequence[int], formula: Formula, deal: Deal, earlier: Announcements = ()
    ) -> Deal | None:
        """Return a deal in which a formula is false and the players' hands are as in `deal`.

        Return None if there is no such deal.
        """
        classes = self.model.classes(tuple(players))
        alike = classes == classes[self.model.world(deal)]
        return self._first_deal(alike & self._failures(formula, earlier))

    def public_counterexample(self, formula: Formula, earlier: Announcements = ()) -> Deal | None:
        """Return a deal that fits the public information and in which a formula is false.

        Return None if there is no such deal.
        """
        return self._first_deal(self._failures(formula, earlier))

    def counterexample_path(
        self,
        formula: Formula,
        deal: Deal,
        earlier: Announcements = (),
        players: tuple[int, ...] = (),
    ) -> list[Deal]:
        """Return a shortest chain from `deal` to a deal where a formula is false.

        Each deal of a chain looks the same as the next one to at least one of the `players`. The
        list is empty if there is no such chain.
        """
        players = players or tuple(range(self.problem.players))
        start, ends = self.model.world(deal), self._failures(formula, earlier)
        return self.model.chain(start, ends, self.restrict_to(earlier), players, self._check)

    def _extension(self, formula: Formula, among: Truth) -> Truth:
        return self.model.extension(formula, among, self._check)

    def restrict_to(self, earlier: Announcements) -> Truth:
        """Return a mask of the deals in which each formula in `earlier` was true when announced."""
        among = self.model.all_true()
        for formula in earlier:
            among &= self._extension(formula, among)
        return among

    def _failures(self, formula: Formula, earlier: Announcements) -> Truth:
        among = self.restrict_to(earlier)
        return among & ~self._extension(formula, among)

    def _first_deal(self, worlds: Truth) -> Deal | None:
        numbers = np.flatnonzero(worlds)
        return self.model.deal(int(numbers[0])) if len(numbers) else None
