"""Perfect play the plain way: positions are explicit sets of deals, and nothing is canonical.

Written from the rules alone; shares no code with the game, the solvers or the canonical states.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

Deal = tuple[int, ...]
"""The owner of every card, the cards of set 0 first."""


class Position(NamedTuple):
    """Everything that matters about a moment of a game.

    Attributes:
        deals: those that fit the history; completed sets stay in them.
        turn: the player on turn; None when the game is over.
        completed: per set its owner or None.
    """

    deals: frozenset[Deal]
    turn: int | None
    completed: tuple[int | None, ...]


class Game(NamedTuple):
    """The sizes of a game, and whether questions to which only no can be answered are forbidden."""

    set_size: int
    sets: int
    players: int
    brisk: bool = False

    def start(self) -> Position:
        """All deals of even hands."""
        cards = self.set_size * self.sets
        hand = cards // self.players
        even = [player for player in range(self.players) for _ in range(hand)]
        return Position(frozenset(permutations(even)), 0, (None,) * self.sets)

    def cards_of(self, index: int) -> range:
        """The cards of a set."""
        return range(index * self.set_size, (index + 1) * self.set_size)

    def hand(self, position: Position, player: int) -> int:
        """Cards in hand, completed sets not counted; the same in every deal."""
        deal = next(iter(position.deals))
        return sum(
            owner == player and position.completed[card // self.set_size] is None
            for card, owner in enumerate(deal)
        )

    def questions(self, position: Position) -> dict[tuple[int, int], dict[bool, Position]]:
        """Per legal (asked player, card) what each legal answer leads to."""
        asker = position.turn
        found: dict[tuple[int, int], dict[bool, Position]] = {}
        if asker is None:
            return found
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
                        answers[False] = self.settled(position, no, asked, asker)
                    if yes:
                        answers[True] = self.settled(position, yes, asker, asked)
                    if True in answers or (answers and not self.brisk):
                        found[asked, card] = answers
        return found

    def settled(
        self, before: Position, deals: frozenset[Deal], first: int, second: int
    ) -> Position:
        """The position once completed sets are put down: `first` is on turn, unless bare."""
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
        """The player with the most sets, unless shared."""
        points = [position.completed.count(player) for player in range(self.players)]
        best = max(points)
        return points.index(best) if points.count(best) == 1 else None


class PlainSolution:
    """All positions that can follow from the start, solved by repeated passes over all of them."""

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
        """The ends that a player wins, each at length 0."""
        return {
            position: 0
            for position, moves in self.moves.items()
            if not moves and self.game.winner(position) == player
        }

    def forced(self, winner: int, controls: frozenset[int]) -> dict[Position, int]:
        """Where some players together can bring about that `winner` wins alone, in how many moves.

        `controls` choose their questions and answers; all other players choose theirs against it.
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
