"""The CP-SAT model of a deal problem with readable names, to print, extend and solve again."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.names import to_nfc
from quaternity.base.text_format import quote_value
from quaternity.base.validation import check_index, check_seconds, validate_arguments
from solvers.cp_sat import (
    DEFAULT,
    DEFAULT_SECONDS,
    Places,
    Sum,
    formulate,
    solve_model,
    write_model,
)
from solvers.max_flow import prepare as prepare_max_flow
from solvers.names import Names, list_cards
from solvers.problem import DealProblem
from solvers.verdict import Feasible, Infeasible, Verdict

MAX_PRINTED_TERMS = 8
"""Maximum number of variables in a constraint that is printed in full."""

MAX_INTEGER = 2**63 - 1
"""Largest integer of OR-Tools. It stands for infinity in the bounds of a sum."""


class CpSatModel:
    """CP-SAT model of a problem, with a name for each variable and constraint.

    Attributes:
        problem: the deal problem.
        model: the `ortools.sat.python.cp_model.CpModel`. You may add constraints to it.
    """

    @validate_arguments(problem=DealProblem)
    def __init__(self, problem: DealProblem, is_bundled: bool = True) -> None:
        from ortools.sat.python import cp_model

        self.problem = problem
        variant = DEFAULT if is_bundled else DEFAULT._replace(max_booleans=inf)
        self._formulation = formulate(problem, variant)
        self.model: Any = cp_model.CpModel(write_model(self._formulation).proto)
        self._names = self._variable_names()
        for variable, name in zip(self.model.proto.variables, self._names, strict=True):
            variable.name = name
        meanings = map(self._meaning, self._formulation.sums)
        for constraint, meaning in zip(self.model.proto.constraints, meanings, strict=True):
            constraint.name = meaning

    def holds(self, player: int | str, card: tuple[int, int] | str) -> Any:
        """Return the variable that is 1 if a player holds a card and 0 if not.

        If the player cannot own the card, return the number 0.

        Args:
            player: the number or the name of the player.
            card: the pair (set, position in the set), or the name of the card.

        Raises:
            InputError: If there is no such player or card, or if the card is bundled (counted
                together) with others.
        """
        names = self.problem.names or Names()
        player = _index(player, names.players, self.problem.players, "player")
        if isinstance(card, str):
            card = to_nfc(card)
            set_index = next((i for i, row in enumerate(names.cards) if card in row), None)
            if set_index is None:
                raise InputError(f"card: the problem has no card named {quote_value(card)}")
            position = names.cards[set_index].index(card)
        elif isinstance(card, tuple) and len(card) == 2:
            set_index = check_index(card[0], len(self.problem.sets), "set")
            position = check_index(card[1], self.problem.sets[set_index].size, "card")
        else:
            raise InputError(f"card: {quote_value(card)} must be (set, position) or a name")
        return self._number(player, [(set_index, position)])

    def amount(self, player: int | str, chosen: int | str) -> Any:
        """Return the number of cards of a set that a player holds, as a linear expression.

        Args:
            player: the number or the name of the player.
            chosen: the number or the name of the set.

        Raises:
            InputError: If there is no such player or set, or if cards of the set are bundled
                (counted together) with cards of other sets.
        """
        names = self.problem.names or Names()
        player = _index(player, names.players, self.problem.players, "player")
        set_index = _index(chosen, names.sets, len(self.problem.sets), "set")
        size = self.problem.sets[set_index].size
        return self._number(player, [(set_index, card) for card in range(size)])

    def _number(self, player: int, cards: Places) -> Any:
        wanted, variables = set(cards), []
        for bundle, owners, first in self._formulation.rows:
            if wanted.isdisjoint(bundle):
                continue
            if not wanted.issuperset(bundle):
                together = list_cards(bundle, self.problem.words)
                raise InputError(
                    f"cards: {together} are counted together; build the model with bundles=False"
                )
            if player in owners:
                variables.append(first + owners.index(player))
        return sum(map(self.model.get_int_var_from_proto_index, variables))

    def add(self, constraint: Any) -> None:
        """Add a constraint to the model. It may be anything that `CpModel.add` accepts."""
        self.model.add(constraint)

    def solve(self, *, seconds: float = DEFAULT_SECONDS, seed: int = 0) -> Verdict:
        """Solve the model, including the constraints that were added, and return the verdict.

        If there is no deal, the verdict contains a proof (a shortage) only if there is no deal even
        without the added constraints.

        Raises:
            InputError: If `seconds` is not a number >= 0.
            SolverTimeout: If there is no answer within `seconds`.
        """
        verdict = solve_model(
            self.problem, self._formulation, self.model,
            seed=seed, seconds=check_seconds(seconds),
        )  # fmt: skip
        if isinstance(verdict, Feasible):
            return Feasible(verdict.deal, self.problem)
        alone = prepare_max_flow(self.problem)()
        return Infeasible(alone.shortage if isinstance(alone, Infeasible) else None, self.problem)

    def __str__(self) -> str:
        sums = self._formulation.sums
        added = list(self.model.proto.constraints)[len(sums) :]
        return "\n".join([*map(self._line, sums), *map(self._added_line, added)])

    def _variable_names(self) -> list[str]:
        words = self.problem.words
        names = [""] * len(self._formulation.sizes)
        for cards, owners, first in self._formulation.rows:
            for variable, player in enumerate(owners, first):
                verb = " holds" if len(cards) == 1 else "'s share of"
                names[variable] = f"{words.player(player)}{verb} {list_cards(cards, words)}"
        return names

    def _meaning(self, row: Sum) -> str:
        words, (kind, number, index) = self.problem.words, row.reason
        if kind == "hand":
            return f"{words.player(number)} holds {words.cards(self.problem.hands[number])}"
        if kind == "share":
            bounds = f"{row.low} to {row.high}" if row.low != row.high else f"exactly {row.low}"
            return f"{words.player(number)} holds {bounds} of {words.set(index)}"
        cards = self._formulation.rows[number][0]
        verb = "has" if len(cards) == 1 else "have"
        owners = f"{words.text(len(cards))} owner{'s' * (len(cards) > 1)}"
        return f"{list_cards(cards, words)} {verb} {owners}"

    def _line(self, row: Sum) -> str:
        names = [self._names[variable] for variable in row.variables]
        if len(names) > MAX_PRINTED_TERMS:
            names = [*names[:2], f"... ({len(names) - 3} more)", names[-1]]
        limits = f"= {row.low}" if row.low == row.high else f"in {row.low}..{row.high}"
        return f"{self._meaning(row)}: {' + '.join(names) or '0'} {limits}"

    def _added_line(self, constraint: Any) -> str:
        # Constraints that are not linear are shown as OR-Tools shows them.
        if constraint.has_linear() and not constraint.enforcement_literal:
            linear, variables = constraint.linear, self.model.proto.variables
            terms = [
                f"{'-' if factor < 0 else '+'} {f'{abs(factor)} * ' * (abs(factor) != 1)}"
                f"{variables[variable].name or f'variable {variable}'}"
                for variable, factor in zip(linear.vars, linear.coeffs, strict=True)
            ]
            ends = list(linear.domain)
            limits = " or ".join(map(_interval, ends[::2], ends[1::2]))
            return f"added: {' '.join(terms).removeprefix('+ ') or '0'} {limits}"
        return f"added: {' '.join(str(constraint).split())}"


def _interval(low: int, high: int) -> str:
    if low == high:
        return f"= {low}"
    if high == MAX_INTEGER:
        return f">= {low}"
    return f"<= {high}" if low == -MAX_INTEGER - 1 else f"in {low}..{high}"


def _index(value: int | str, names: Sequence[str], count: int, noun: str) -> int:
    if not isinstance(value, str):
        return check_index(value, count, noun)
    if (name := to_nfc(value)) not in names:
        raise InputError(f"{noun}: the problem has no {noun} named {quote_value(value)}")
    return names.index(name)


@validate_arguments(problem=DealProblem, bundles=bool)
def cp_sat_model(problem: DealProblem, *, bundles: bool = True) -> CpSatModel:
    """Return the CP-SAT model that `solve(problem, "cp-sat")` uses, with readable names.

    The model has a boolean for each card and possible owner. Models with more than 220 booleans
    bundle cards with the same possible owners, and use integers for the number of cards of a bundle
    that a player holds.

    Args:
        bundles: whether cards may be bundled. Without bundles, large models are slower to solve.

    >>> from solvers import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [0, 1]], players=2)])
    >>> model = cp_sat_model(problem)
    >>> print(model)
    0/0 has 1 owner: player 0 holds 0/0 + player 1 holds 0/0 = 1
    0/1 has 1 owner: player 0 holds 0/1 + player 1 holds 0/1 = 1
    player 0 holds 1 card: player 0 holds 0/0 + player 0 holds 0/1 = 1
    player 1 holds 1 card: player 1 holds 0/0 + player 1 holds 0/1 = 1
    >>> model.add(model.holds(0, (0, 1)) == 1)
    >>> print(model)
    0/0 has 1 owner: ...
    added: player 0 holds 0/1 = 1
    >>> print(model.solve())
    player 0: 0/1
    player 1: 0/0
    """
    return CpSatModel(problem, bundles)
