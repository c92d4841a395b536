"""A game of Quaternity as an immutable value. Its methods `play` and `undo` return a new game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quaternity.base.errors import InputError, warn_irregularities
from quaternity.base.picture import Display, Displayable
from quaternity.base.plugins import load_place
from quaternity.base.text_format import quote_value, with_noun
from quaternity.base.validation import validate_arguments
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings
from quaternity.game.state import LegalQuestions, State


@dataclass(frozen=True, slots=True)
class Game(Displayable):
    """A running or finished game with its complete history.

    Attributes:
        settings: the settings of the game.
        moves: all moves so far.
        states: the initial state, followed by the state after each move.

    >>> game = Game.start(Settings(set_size=4, sets=3, players=3))
    >>> game = game.play("0 asks 1 for 0/2: no")
    >>> game.turn, game.undo().turn
    (1, 0)
    """

    settings: Settings
    moves: tuple[Move, ...]
    states: tuple[State, ...]

    def __post_init__(self) -> None:
        for name, kind in (("settings", Settings), ("moves", tuple), ("states", tuple)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise InputError(f"{name}: {quote_value(value)} is not a {kind.__name__}")

    @classmethod
    def start(cls, settings: Settings | None = None) -> Game:
        """Return a new game, in which no question has been asked."""
        settings = Settings() if settings is None else settings
        return cls(settings, (), (State.start(settings),))

    @classmethod
    def parse(cls, text: str | bytes) -> Game:
        """Return the game that a record describes.

        Issue a `FileWarning` for each irregularity that does not prevent reading.

        Raises:
            RecordError: If the text is not a record. The error lists all faults with their lines.
            ImpossibleRecord: If the game in the record breaks the rules.
        """
        record = load_place("quaternity.game.record:parse_record")(text)
        return cls._of_record(record)

    @classmethod
    def read(cls, path: str) -> Game:
        """Return the game that a record file describes. The path `-` means standard input.

        Warnings and further errors are the same as for `parse`.

        Raises:
            InputError: If the file cannot be read.
        """
        return cls._of_record(load_place("quaternity.game.record:read_record")(path))

    @classmethod
    def _of_record(cls, record: Any) -> Game:
        warn_irregularities(record.warnings)
        game: Game = record.replay()
        return game

    def __repr__(self) -> str:
        return f"Game.parse({self.record()!r})"

    @property
    def state(self) -> State:
        """The current state."""
        return self.states[-1]

    @property
    def turn(self) -> int | None:
        """The player to move, or None once the game is over."""
        return None if self.is_over else self.state.turn

    @property
    def points(self) -> tuple[int, ...]:
        """The number of completed sets of each player."""
        return self.state.points

    @property
    def is_over(self) -> bool:
        """True if every set is completed."""
        return self.state.is_over

    @property
    def winners(self) -> tuple[int, ...]:
        """The players with the most sets, or an empty tuple while the game is running."""
        return self.state.winners

    @property
    def legal_questions(self) -> LegalQuestions:
        """The questions that the player to move may ask, as a collection."""
        return self.state.legal_questions

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """Every legal question with each of its legal answers."""
        items = self.legal_questions.items()
        return tuple([Move(question, answer) for question, fits in items for answer in fits])

    @validate_arguments(move=(Move, str))
    def play(self, move: Move | str) -> Game:
        """Return the game after a move. A string is parsed by `Move.parse`.

        Raises:
            IllegalQuestion: If the question is illegal. The error lists all reasons.
            IllegalAnswer: If the answer is impossible.
        """
        if isinstance(move, str):
            move = Move.parse(move)
        after = self.state.after(move.question, move.answer)
        return Game(self.settings, (*self.moves, move), (*self.states, after))

    def ask(self, question: Question | str, answer: Answer | bool | str) -> Game:
        """Return the game after a question and its answer. Raise the same errors as `play`."""
        return self.play(Move(question, answer))

    def picture(self) -> Display:
        """Return a display of the current state and the last move, which a notebook shows."""
        shown = self.state.picture()
        last = f": {self.moves[-1]}" if self.moves else ""
        line = f"{with_noun(len(self.moves), 'move')}{last}"
        return shown._replace(lines=(line, *shown.lines))

    def svg(self) -> str:
        """Return the current state and the last move as a standalone SVG document."""
        return self.picture().svg()

    def record(self) -> str:
        """Return the text of the game's record, which `parse` can read."""
        text: str = load_place("quaternity.game.record:record_text")(self)
        return text

    def write(self, path: str) -> None:
        """Write the game's record to a file, which `read` can read.

        Raises:
            InputError: If the file cannot be written.
        """
        load_place("quaternity.base.writing:write_text")(path, self.record())

    def __str__(self) -> str:
        return self.board()

    def board(self) -> str:
        """Return the board as text: the cards, the points, and the possible owners of each card."""
        rules = load_place("quaternity.game.rules:QuaternityRules")(self.settings)
        position = load_place("quaternity.game.rules:QuaternityPosition")(self.state)
        board: str = rules.show(position)
        return board

    def repeats(self) -> int | None:
        """Return the number of moves after which the current position first occurred.

        Return None if the position is new. The rules allow repeated positions, so a game can go on
        forever.
        """
        now = self.state
        for moves, state in enumerate(self.states[:-1]):
            if state.same_position(now):
                return moves
        return None

    def undo(self) -> Game:
        """Return the game without its last move.

        Raises:
            InputError: If no move was made.
        """
        if not self.moves:
            raise InputError("undo: there is no move to undo")
        return Game(self.settings, self.moves[:-1], self.states[:-1])
