"""A game: a start and the moves made since. Immutable; `play` and `undo` give another one."""

from __future__ import annotations

from dataclasses import dataclass

from quaternity.base.picture import Picture, Shown
from quaternity.base.plain_values import takes
from quaternity.base.wording import counted
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State


@dataclass(frozen=True, slots=True)
class Game(Shown):
    """A game under way or over.

    Attributes:
        states: the states, the start first: always one state more than moves.

    >>> game = Game.start(Settings(set_size=4, sets=3, players=3))
    >>> game = game.play(Move.parse("0 asks 1 for 0/2: no"))
    >>> game.state.turn, game.undo().state.turn
    (1, 0)
    """

    settings: Settings
    moves: tuple[Move, ...]
    states: tuple[State, ...]

    @classmethod
    def start(cls, settings: Settings | None = None) -> Game:
        """Return a game before its first question."""
        settings = Settings() if settings is None else settings
        return cls(settings, (), (State.start(settings),))

    @property
    def state(self) -> State:
        """The state now."""
        return self.states[-1]

    @takes(move=Move)
    def play(self, move: Move) -> Game:
        """Return the game one move later.

        Raises:
            IllegalQuestion, IllegalAnswer: with all that is wrong.
        """
        after = self.state.after(move.question, move.answer)
        return Game(self.settings, (*self.moves, move), (*self.states, after))

    def ask(self, question: Question, answer: Answer | bool) -> Game:
        """Play a move that is given as question and answer; see `play`."""
        return self.play(Move(question, Answer.of(answer)))

    def picture(self) -> Picture:
        """Draw the current state, with the last move."""
        shown = self.state.picture()
        last = f": {self.moves[-1]}" if self.moves else ""
        line = f"{counted(len(self.moves), 'move')}{last}"
        return shown._replace(lines=(line, *shown.lines))

    def repeats(self) -> int | None:
        """Return the number of moves after which the current position was there before, or None.

        A repeated position is allowed, and shows that the game can go on for ever.
        """
        now = self.state
        for moves, state in enumerate(self.states[:-1]):
            if state.same_position(now):
                return moves
        return None

    def undo(self) -> Game:
        """Return the game without its last move; at its start the same game."""
        if not self.moves:
            return self
        return Game(self.settings, self.moves[:-1], self.states[:-1])
