"""A plain solver: positions are explicit sets of deals, without canonical forms.

It follows the rules alone, and shares no code with the game, the solvers or canonical states.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

Deal = tuple[int, ...]
"""The owner of every card, the cards of set 0 first."""


class Position(NamedTuple):
    """A position: everything about a moment of a game that affects its future.

    Attributes:
        deals: the deals that fit the history, including the cards of completed sets.
        turn: the player to move; None once the game is over.
        completed: the owner of each set, or None.
    """

    deals: frozenset[Deal]
    turn: int | None
    completed: tuple[int | None, ...]


class Game(NamedTuple):
    """The sizes of a game, and whether questions that can only be answered by no are illegal."""

    set_size: int
    sets: int
    players: int
    brisk: bool = False

    def start(self) -> Position:
        """Return the position of all deals with even hands."""
        cards = self.set_size * self.sets
        hand = cards // self.players
        even = [player for player in range(self.players) for _ in range(hand)]
        return Position(frozenset(permutations(even)), 0, (None,) * self.sets)

    def cards_of(self, index: int) -> range:
        """Return the cards of a set."""
        return range(index * self.set_size, (index + 1) * self.set_size)

    def hand(self, position: Position, player: int) -> int:
        """Count a player's cards, without completed sets; the number is the same in every deal."""
        deal = next(iter(position.deals))
        return sum(
            owner == player and position.completed[card // self.set_size] is None
            for card, owner in enumerate(deal)
        )

    def questions(self, position: Position) -> dict[tuple[int, int], dict[bool, Position]]:
        """Return the position after each legal answer, for each legal (asked player, card)."""
        asker = position.turn
        successors: dict[tuple[int, int], dict[bool, Position]] = {}
        if asker is None:
            return successors
        for index, owner in enumerate(position.completed):
            if owner is not None:
                continue
            for card in self.cards_of(index):
                fitting = [
                    deal
                    for deal in position.deals
                    if deal[card] != asker and any(deal[c] == asker for c in self.cards_of(index))
                ]
                for asked in range(self.players):
                    if asked == asker or not self.hand(position, asked):
                        continue
                    answers = {}
                    no = frozenset(deal for deal in fitting if deal[card] != asked)
                    yes = frozenset(
                        (*deal[:card], asker, *deal[card + 1 :])
                        for deal in fitting
                        if deal[card] == asked
                    )
                    if no:
                        answers[False] = self.settle(position, no, asked, asker)
                    if yes:
                        answers[True] = self.settle(position, yes, asker, asked)
                    if True in answers or (answers and not self.brisk):
                        successors[asked, card] = answers
        return successors

    def settle(self, before: Position, deals: frozenset[Deal], first: int, second: int) -> Position:
        """Return the position once completed sets are put down; `first` moves if able."""
        completed = list(before.completed)
        for index in range(self.sets):
            owners = {deal[card] for deal in deals for card in self.cards_of(index)}
            if len(owners) == 1:
                [completed[index]] = owners
        after = Position(deals, None, tuple(completed))
        able = [player for player in range(self.players) if self.hand(after, player)]
        for player in (first, second, *able):
            if player in able:
                return after._replace(turn=player)
        return after

    def winner(self, position: Position) -> int | None:
        """Return the player with the most sets, or None in a tie."""
        points = [position.completed.count(player) for player in range(self.players)]
        best = max(points)
        return points.index(best) if points.count(best) == 1 else None


class PlainSolution:
    """All positions reachable from the start, solved by repeated passes over all of them."""

    def __init__(self, game: Game, start: Position | None = None) -> None:
        self.game = game
        self.moves: dict[Position, dict[tuple[int, int], dict[bool, Position]]] = {}
        todo = [start or game.start()]
        while todo:
            position = todo.pop()
            if position in self.moves:
                continue
            self.moves[position] = game.questions(position)
            for answers in self.moves[position].values():
                todo += answers.values()

    def ends(self, player: int) -> dict[Position, int]:
        """Return the final positions that a player wins, each with length 0."""
        return {
            position: 0
            for position, moves in self.moves.items()
            if not moves and self.game.winner(position) == player
        }

    def forced_wins(self, winner: int, controls: frozenset[int]) -> dict[Position, int]:
        """Return positions in which the controlling players force a win of `winner`, and the moves.

        `controls` are these players; all other players play against the win.
        """
        won = self.ends(winner)
        length = 0
        while True:
            length += 1
            new = {
                position: length
                for position, moves in self.moves.items()
                if moves and position not in won and self._holds(position, moves, won, controls)
            }
            if not new:
                return won
            won |= new

    @staticmethod
    def _holds(
        position: Position,
        moves: dict[tuple[int, int], dict[bool, Position]],
        won: dict[Position, int],
        controls: frozenset[int],
    ) -> bool:
        good = []
        for (asked, _), answers in moves.items():
            outcomes = [after in won for after in answers.values()]
            good.append(any(outcomes) if asked in controls else all(outcomes))
        return any(good) if position.turn in controls else all(good)
