"""Language of formulas: the players, sets, cards and public numbers that formulas may name."""

from __future__ import annotations

from dataclasses import dataclass

from quaternity.base.errors import InputError
from quaternity.base.validation import validate_arguments
from quaternity.epistemic import formula as logic
from quaternity.epistemic.formula import Formula
from quaternity.game.cards import Card
from solvers.problem import DealProblem


@dataclass(frozen=True, slots=True)
class Language:
    """The players, sets and cards that a formula may name, and the public numbers of a game.

    Attributes:
        players: The number of players, who are numbered from 0.
        sizes: The number of cards of each set. A set that is out of play has no cards in the deal
            problem, but formulas may name its cards, which no player holds.
        hands: The number of cards in each hand, or None if formulas may not use these numbers.
        points: The number of completed sets of each player, or None if formulas may not use them.
        knowers: Only the first `knowers` players can know something. None stands for all players.
    """

    players: int
    sizes: tuple[int, ...]
    hands: tuple[int, ...] | None = None
    points: tuple[int, ...] | None = None
    knowers: int | None = None

    @classmethod
    @validate_arguments(
        problem=DealProblem, set_size=(int, type(None)), points=(tuple, type(None)),
        knowers=(int, type(None)),
    )  # fmt: skip
    def of(
        cls,
        problem: DealProblem,
        set_size: int | None = None,
        points: tuple[int, ...] | None = None,
        knowers: int | None = None,
    ) -> Language:
        """Return the language of a problem: the players, sets and cards that formulas may name.

        `set_size` is the number of cards of a set that is out of play. By default, it is that of
        the largest set.
        """
        sizes = [constraint.size for constraint in problem.sets]
        gone = max(sizes, default=0) if set_size is None else set_size
        if points is not None:  # A hand that no player sees has no points.
            points += (0,) * (problem.players - len(points))
        known = tuple(size or gone for size in sizes)
        return cls(problem.players, known, problem.hands, points, knowers)

    @property
    def all_knowers(self) -> tuple[int, ...]:
        """The players who can know something."""
        return tuple(range(self.players if self.knowers is None else self.knowers))

    def with_knowers(self, formula: Formula) -> Formula:
        """Restrict each `C` of all players in a formula to the players who can know something.

        If all players can know something, the formula is returned unchanged.
        """
        if len(self.all_knowers) == self.players:
            return formula
        parts = [self.with_knowers(part) for part in formula.parts()]
        if isinstance(formula, logic.Common):
            return logic.Common(parts[0], formula.members(len(self.all_knowers)))
        return formula.with_parts(parts) if parts else formula

    def check_set(self, index: int) -> None:
        """Raise InputError if a set does not exist."""
        if not 0 <= index < len(self.sizes):
            raise InputError(f"set {index} does not exist: {self._allowed_sets()}")

    def _allowed_sets(self) -> str:
        return f"the sets are 0..{len(self.sizes) - 1}" if self.sizes else "there are no sets"

    def check_player(self, player: int) -> None:
        """Raise InputError if a player does not exist."""
        if not 0 <= player < self.players:
            raise InputError(
                f"player {player} does not exist: the players are 0..{self.players - 1}"
            )

    def check_knower(self, player: int) -> None:
        """Raise InputError if a player does not exist or cannot know anything."""
        self.check_player(player)
        if player not in self.all_knowers:
            raise InputError(
                f"player {player} cannot know anything, because nobody sees its cards; choose from "
                f"{self.all_knowers[0]}..{self.all_knowers[-1]}"
            )

    def check_card(self, card: Card) -> None:
        """Raise InputError if a card does not exist."""
        if not 0 <= card.set_index < len(self.sizes):
            raise InputError(f"card {card} does not exist: {self._allowed_sets()}")
        size = self.sizes[card.set_index]
        if not 0 <= card.number < size:
            allowed = (
                f"the cards of set {card.set_index} are {card.set_index}/0..{card.set_index}/"
                f"{size - 1}"
                if size
                else f"set {card.set_index} has no cards"
            )
            raise InputError(f"card {card} does not exist: {allowed}")

    def check(self, formula: Formula) -> None:
        """Raise InputError if a formula names a player or a card that does not exist."""
        for node in formula.subformulas():
            players: tuple[int, ...] = ()
            match node:
                case logic.Holds(player, card):
                    self.check_player(player)
                    self.check_card(card)
                case logic.Unknown(knower, owner):
                    self.check_knower(knower)
                    self.check_player(owner)
                case logic.Knows() | logic.Distributed() | logic.Common():
                    players = node.players
                case _:
                    pass
            for player in players:
                self.check_knower(player)
