"""The state of a game: the public knowledge about the cards, the turn and the completed sets.

A state combines a `DealProblem` (hand sizes, possible owners of cards, and bounds) with the player
to move and the completed sets. It needs no history, because the deals that the problem allows are
exactly the deals that fit the history. States are immutable, and `after` returns the next state. A
completed set is out of play, so its constraint in the problem is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from quaternity.base.errors import InputError, LimitError, NoDeal, warn_irregularities
from quaternity.base.picture import Display, Displayable
from quaternity.base.plugins import load_place
from quaternity.base.text_format import quote_value
from quaternity.base.validation import (
    as_int,
    as_tuple,
    check_index,
    check_length,
    validate_arguments,
)
from quaternity.game.cards import Card
from quaternity.game.completion import owned_by_solver, owned_sets, put_down
from quaternity.game.faults import (
    IllegalAnswer,
    IllegalQuestion,
    answer_fault,
    hopeless_fault,
    question_faults,
    why_impossible,
)
from quaternity.game.legal import (
    ANSWERS,
    Answers,
    PreparedSet,
    QuestionGroup,
    SetQuestions,
    cards_to_ask,
    drop_hopeless,
    find_answers,
    possible_answers,
    prepare_set,
    questions_by_solver,
    questions_by_tables,
    questions_with_answers,
)
from quaternity.game.question import Answer, Question
from quaternity.game.settings import Settings, TieBreak, check_brisk, check_seed
from quaternity.game.transition import (
    HOPELESS,
    after_answer,
    break_tie,
    draw_player,
    hands_after,
    may_be_asked,
    next_to_ask,
    out_of_play,
    problem_after,
)
from solvers.coalition_tables import MAX_PLAYERS, LaneLayout, layout_for
from solvers.cross_check import run_solver
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import default_solver
from solvers.solver import Solver
from solvers.verdict import Verdict


def _player(value: int | None, players: int, place: str) -> int | None:
    return None if value is None else check_index(value, players, "player", place)


@dataclass(frozen=True, slots=True)
class State(Displayable):
    """The public knowledge at one moment of a game. States are immutable and compared by value.

    Attributes:
        problem: the deal problem: sizes of hands, possible owners of cards, and bounds. Completed
            sets have no cards in it.
        turn: the player to move, or None if that does not matter.
        completed: for each set, the owner if it is completed, or None if it is in play.
        set_size: number of cards in each set.
        tie_break, seed, brisk: see `Settings`.

    Raises:
        InputError: If a part is malformed, or the parts do not fit together.

    Create a state with `State.start(settings)`, with `State.read`, or from its parts. The parts
    must fit together, but a state may be impossible: `verdict` says whether any deal fits it.

    >>> state = State.start(Settings(set_size=4, sets=3, players=3))
    >>> len(state.legal_questions)
    24
    >>> state = state.after(next(iter(state.legal_questions)), Answer.NO)
    >>> state.turn, state.owners_of(0, 0)
    (1, (2,))
    """

    problem: DealProblem
    turn: int | None
    completed: tuple[int | None, ...]
    set_size: int
    tie_break: TieBreak = TieBreak.FIRST_IN_ORDER
    seed: int = 0
    brisk: bool = False
    # These caches are filled on first use or by `after`, and do not affect comparisons.
    _rows: tuple[PreparedSet, ...] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    _slack: int | None = field(default=None, init=False, repr=False, compare=False)
    _legal: list[SetQuestions] | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if type(self.problem) is not DealProblem:
            raise InputError(f"problem: {quote_value(self.problem)} is not a DealProblem")
        players = self.problem.players
        if check_length(self.completed, "completed") != len(self.problem.sets):
            raise InputError(
                f"completed: must have an entry for each of {len(self.problem.sets)} sets, "
                f"not {len(self.completed)}"
            )
        completed = [
            _player(owner, players, f"completed[{index}]")
            for index, owner in enumerate(as_tuple(self.completed, "completed"))
        ]
        for name, value in (
            ("turn", _player(self.turn, players, "turn")),
            ("completed", tuple(completed)),
            ("set_size", as_int(self.set_size, "set_size", 1)),
            ("tie_break", TieBreak.parse(self.tie_break)),
            ("seed", check_seed(self.seed)),
            ("brisk", check_brisk(self.brisk)),
        ):
            object.__setattr__(self, name, value)
        for index, (owner, constraint) in enumerate(zip(completed, self.problem.sets, strict=True)):
            if constraint.size != (self.set_size if owner is None else 0):
                raise InputError(
                    f"set {index} must have {self.set_size} cards in play, or 0 if it is completed,"
                    f" not {constraint.size}"
                )

    @classmethod
    def start(cls, settings: Settings | None = None) -> State:
        """Return the state before the first question.

        The default settings are 3 sets of 4 cards, and 3 players.
        """
        settings = Settings() if settings is None else settings
        if not isinstance(settings, Settings):
            raise InputError(f"settings: {settings!r} is not a Settings")
        players, size = settings.players, settings.set_size
        unknown = SetConstraint(((1 << players) - 1,) * size, (0,) * players, (size,) * players)
        return cls(
            DealProblem((settings.hand,) * players, (unknown,) * settings.sets),
            0,
            (None,) * settings.sets,
            size,
            settings.tie_break,
            settings.seed,
            settings.brisk,
        )

    @classmethod
    def parse(cls, text: str | bytes) -> State:
        """Return the state that the text of a state file describes.

        Issue a `FileWarning` for each irregularity that does not prevent reading.

        Raises:
            StateFileError: If the text is malformed. The error lists all faults with their paths in
                the document.
            ContradictoryState: If the state contradicts itself about a completed set.
        """
        return cls._of_file(load_place("quaternity.game.state_file:parse_state")(text))

    @classmethod
    def read(cls, path: str) -> State:
        """Return the state that a file describes. The path `-` means standard input.

        Warnings and further errors are the same as for `parse`.

        Raises:
            InputError: If the file cannot be read.
        """
        return cls._of_file(load_place("quaternity.game.state_file:read_state")(path))

    @classmethod
    def _of_file(cls, loaded: Any) -> State:
        warn_irregularities(loaded.warnings)
        state: State = loaded.state
        return state

    @classmethod
    def _next(
        cls,
        before: State,
        problem: DealProblem,
        turn: int,
        completed: tuple[int | None, ...],
        rows: tuple[PreparedSet, ...] | None,
        slack: int | None,
    ) -> State:
        state = object.__new__(cls)
        put = object.__setattr__
        put(state, "problem", problem)
        put(state, "turn", turn)
        put(state, "completed", completed)
        put(state, "set_size", before.set_size)
        put(state, "tie_break", before.tie_break)
        put(state, "seed", before.seed)
        put(state, "brisk", before.brisk)
        put(state, "_rows", rows)
        put(state, "_slack", slack)
        put(state, "_legal", None)
        return state

    def __reduce__(self) -> tuple[type[State], tuple[object, ...]]:
        """Exclude the caches from copies and pickles."""
        value = (self.problem, self.turn, self.completed, self.set_size)
        return type(self), (*value, self.tie_break, self.seed, self.brisk)

    # ------------------------------------------------------------------ public knowledge

    @property
    def players(self) -> int:
        """Number of players."""
        return len(self.problem.hands)

    @property
    def hands(self) -> tuple[int, ...]:
        """The number of cards in each player's hand, not counting completed sets."""
        return self.problem.hands

    @property
    def sets(self) -> int:
        """Number of sets, including completed ones."""
        return len(self.completed)

    def owners_of(self, set_index: int, number: int) -> tuple[int, ...]:
        """Return the players who may own a card.

        For a card of a completed set, this is only the owner of the set.
        """
        owner = self.completed[check_index(set_index, len(self.completed), "set")]
        if owner is None:
            return self.problem.may_own(set_index, number)
        check_index(number, self.set_size, "card")
        return (owner,)

    @property
    def points(self) -> tuple[int, ...]:
        """The number of completed sets of each player."""
        return tuple(map(self.completed.count, range(self.players)))

    @property
    def is_over(self) -> bool:
        """True if every set is completed."""
        return None not in self.completed

    @property
    def winners(self) -> tuple[int, ...]:
        """The players with the most sets, or an empty tuple while the game is running."""
        points = self.points
        best = max(points) if self.is_over else None
        return tuple([player for player, count in enumerate(points) if count == best])

    @property
    def winner(self) -> int | None:
        """The player with the most sets, or None after a tie or while the game is running."""
        winners = self.winners
        return winners[0] if len(winners) == 1 else None

    # ------------------------------------------------------------------ feasibility

    @validate_arguments(solver=(Solver, type(None)))
    def verdict(self, solver: Solver | None = None) -> Verdict:
        """Return a deal that fits the state, or a proof that there is none.

        The default solver is the fastest one that supports the problem.

        Raises:
            SolverFault: If the evidence of an external solver is wrong.
        """
        return run_solver(self.problem, solver or default_solver(self.problem))

    def filtered_problem(self, seconds: float | None = None) -> DealProblem:
        """Return a deal problem with the same deals as this state, and the tightest constraints.

        Every possible owner, minimum and maximum occurs in some deal. The module
        `solvers.filtering` describes the two methods for this.

        Args:
            seconds: time limit in seconds, or None for no limit.

        Raises:
            NoDeal: If the state is impossible.
            SolverTimeout: If the time limit is reached.
        """
        from solvers.filtering import filter_problem

        return filter_problem(self.problem, seconds)

    def same_position(self, other: State) -> bool:
        """Return whether two possible states have the same deals, turn and completed sets."""
        if not isinstance(other, State):
            raise InputError(f"other: {quote_value(other)} is not a State")
        key = (self.turn, self.completed, self.hands)
        if key != (other.turn, other.completed, other.hands):
            return False
        return self.problem == other.problem or self.filtered_problem() == other.filtered_problem()

    @property
    def has_tables(self) -> bool:
        """True if there are at most `MAX_PLAYERS` players, so legal questions are found fast.

        They are then found by coalition tables, whose size doubles with each player.
        """
        return len(self.problem.hands) <= MAX_PLAYERS

    def layout(self) -> LaneLayout:
        """Return the `LaneLayout` that packs the coalition tables of this game into integers."""
        return layout_for(self.players, self.set_size * len(self.completed), self.set_size)

    def rows(self) -> tuple[PreparedSet, ...]:
        """Return the sets as `PreparedSet` objects, which help to find legal questions.

        Call this only if `has_tables` is true. The result is cached.
        """
        if self._rows is None:
            layout = self.layout()
            rows = tuple(prepare_set(layout, constraint) for constraint in self.problem.sets)
            object.__setattr__(self, "_rows", rows)
            return rows
        return self._rows

    def slack(self) -> int | None:
        """Return how many more cards each group of players could hold, packed into one integer.

        `LaneLayout.slack` describes this integer. Return None if no deal fits the state. Call this
        only if `has_tables` is true. The result is cached.
        """
        if self._slack is None:
            tables = [row.kind.table for row in self.rows()]
            problem = self.problem
            slack = self.layout().feasible_slack(tables, problem.hands, problem.cards)
            object.__setattr__(self, "_slack", slack)
        return self._slack

    # ------------------------------------------------------------------ questions and answers

    def cards_to_ask(self) -> list[bytes] | None:
        """Return, for each set, one byte per card: 1 if the player to move may request it, else 0.

        The result is None if `has_tables` is false, or if the state has no turn or no possible
        deal. It is also None in a brisk game, where a request may depend on the asked player.
        """
        slack = self.slack() if self.has_tables and not self.brisk else None
        if slack is None or self.turn is None:
            return None
        return cards_to_ask(self.rows(), slack, self.turn)

    def questions_by_set(self) -> list[SetQuestions]:
        """Return the legal questions of the player to move, grouped by the set of the card.

        Call this only if `has_tables` is true. The result is cached.
        """
        questions = self._legal
        if questions is None:
            slack, asker = self.slack(), self.turn
            questions = []
            if slack is not None and asker is not None:
                questions = questions_by_tables(self.rows(), slack, asker, self.problem.hands)
                if self.brisk:
                    questions = drop_hopeless(questions)
            object.__setattr__(self, "_legal", questions)
        return questions

    @property
    def legal_questions(self) -> LegalQuestions:
        """The questions that the player to move may ask, as a collection."""
        return LegalQuestions(self)

    def legal_questions_by(self, solver: Solver) -> LegalQuestions:
        """Return the legal questions, found by the given solver.

        This is slower than `legal_questions`, but does not depend on coalition tables.
        """
        return LegalQuestions(self, solver)

    def answers(self, question: Question | str) -> Answers:
        """Return the one or two legal answers to a question.

        Raises:
            IllegalQuestion: If the question is illegal. The error lists all reasons.
        """
        question = Question.of(question)
        answers = self._answers(question)
        if not answers:
            raise IllegalQuestion(question, self.faults(question))
        return answers

    def faults(self, question: Question | str) -> list[str]:
        """Return all reasons why a question is illegal, or an empty list if it is legal."""
        question = Question.of(question)
        faults = question_faults(self.problem, self.turn, self.completed, self.set_size, question)
        if not may_be_asked(HOPELESS, self.brisk) and self.is_hopeless(question):
            faults.append(hopeless_fault(answer_fault(self.problem, question, Answer.YES)))
        return faults

    def is_hopeless(self, question: Question | str) -> bool:
        """Return whether only no is a possible answer. A brisk game forbids such a question."""
        return self._possible_answers(Question.of(question)) == HOPELESS

    def _answers(self, question: Question) -> Answers:
        if self._legal is not None:
            return find_answers(self._legal, question)
        answers = self._possible_answers(question)
        return ANSWERS[answers] if may_be_asked(answers, self.brisk) else ()

    def _possible_answers(self, question: Question) -> int:
        asker, asked, (set_index, number) = question
        problem = self.problem
        if (
            asker != self.turn
            or asker == asked
            or not 0 <= asked < len(problem.hands)
            or not problem.hands[asked]
            or not 0 <= set_index < len(problem.sets)
            or not 0 <= number < len(problem.sets[set_index].owners)
        ):
            return 0
        if not self.has_tables:
            solver = default_solver(problem)
            return sum(
                1 + answer
                for answer in Answer
                if solver(problem_after(problem, asker, asked, set_index, number, answer))
            )
        slack = self.slack()
        if slack is None:
            return 0
        return possible_answers(self.rows()[set_index], slack, asker, asked, number)

    def after(self, question: Question | str, answer: Answer | bool | str) -> State:
        """Return the state after a question and its answer, with completed sets out of play.

        Raises:
            IllegalQuestion: If the question is illegal. The error lists all reasons.
            IllegalAnswer: If the answer is impossible.
            InputError: If the question or the answer is malformed.
        """
        if type(question) is not Question:
            question = Question.of(question)
        if type(answer) is not Answer:
            answer = Answer.of(answer)
        if answer not in self._answers(question):
            if question not in self.legal_questions:
                raise IllegalQuestion(question, self.faults(question))
            raise IllegalAnswer(question, answer, answer_fault(self.problem, question, answer))
        return self.after_legal(question, answer)

    def after_legal(self, question: Question, answer: Answer) -> State:
        """Return the state after a question and its answer, which the caller knows to be legal."""
        asker, asked, (set_index, number) = question
        if not self.has_tables:
            return self._completed_by_solver(question, answer)
        problem, rows = self.problem, self.rows()
        layout = rows[0].kind.layout
        slack = self._slack
        assert slack is not None, "a state with a legal question must be possible"
        constraint = after_answer(problem.sets[set_index], asker, asked, number, answer)
        changed = prepare_set(layout, constraint)
        slack += changed.kind.table - rows[set_index].kind.table
        hands = hands_after(problem.hands, asker, asked, answer)
        if answer:
            slack += layout.member[asked] - layout.member[asker]
        rows = (*rows[:set_index], changed, *rows[set_index + 1 :])
        done = owned_sets(rows, slack, layout, hands)
        completed = self.completed
        if done:
            hands, rows, completed, slack = put_down(
                done, hands, rows, completed, slack, self.set_size
            )
        sets = tuple([row.constraint for row in rows])
        turn = self._turn_after(asker, asked, answer, hands, completed)
        problem = DealProblem.unchecked(hands, sets)
        return State._next(self, problem, turn, completed, rows, slack)

    def _completed_by_solver(self, question: Question, answer: Answer) -> State:
        asker, asked, (set_index, number) = question
        problem = problem_after(self.problem, asker, asked, set_index, number, answer)
        owned = owned_by_solver(problem, default_solver(problem))
        problem, completed = self._put_down(problem, owned)
        turn = self._turn_after(asker, asked, answer, problem.hands, completed)
        return State._next(self, problem, turn, completed, None, None)

    def _put_down(
        self, problem: DealProblem, owned: list[tuple[int, int]]
    ) -> tuple[DealProblem, tuple[int | None, ...]]:
        completed, hands, sets = list(self.completed), list(problem.hands), list(problem.sets)
        for index, player in owned:
            completed[index] = player
            hands[player] -= sets[index].size
            sets[index] = out_of_play(problem.players)
        return DealProblem.unchecked(tuple(hands), tuple(sets)), tuple(completed)

    def settle(self) -> State:
        """Return the state after updating its completed sets and the player to move.

        A set that a player owns in every deal becomes completed. If the player to move has no
        cards, the tie-break selects another player. The states of a `Game` need no such change. An
        impossible state is returned unchanged.

        Raises:
            LimitError: If the solver that finds the completed sets gives up.
        """
        if not self.has_tables:
            owned = owned_by_solver(self.problem, default_solver(self.problem))
        elif (slack := self.slack()) is None:
            return self
        else:
            owned = owned_sets(self.rows(), slack, self.layout(), self.hands)
        problem, completed = self._put_down(self.problem, owned)
        turn, hands = self.turn, problem.hands
        if turn is not None and not hands[turn] and any(hands):
            turn = self._tied_turn(hands, completed)
        if not owned and turn == self.turn:
            return self
        return replace(self, problem=problem, turn=turn, completed=completed)

    def _turn_after(
        self,
        asker: int,
        asked: int,
        answer: Answer | bool,
        hands: tuple[int, ...],
        completed: tuple[int | None, ...],
    ) -> int:
        turn = next_to_ask(asker, asked, answer, hands)
        if turn is not None:
            return turn
        if not any(hands):
            return asker if answer else asked
        return self._tied_turn(hands, completed)

    def _tied_turn(self, hands: tuple[int, ...], completed: tuple[int | None, ...]) -> int:
        players = range(len(hands))
        tied = break_tie(hands, [*map(completed.count, players)], self.tie_break, players)
        return draw_player(tied, self.seed, completed, hands)

    def picture(self) -> Display:
        """Return a display of the state: a table of the possible owners of all cards.

        A notebook shows the display's `.html()`. Its `.svg()` is a standalone drawing.
        """
        from quaternity.game.picture import owners_picture

        problem, notes = self.problem, []
        try:
            problem = self.filtered_problem()
        except NoDeal as error:
            reason = why_impossible(problem)
            notes = [f"impossible: {error if reason is None else reason[1]}"]
        except LimitError as error:
            notes = [f"only stated facts are shown, without conclusions: {error}"]
        brisk = " brisk" * self.brisk
        title = f"Quaternity {self.set_size}-{self.sets}-{self.players}{brisk}"
        return owners_picture(title, notes, problem, self.points, self.turn, self.completed)

    def __repr__(self) -> str:
        done = ", ".join(
            f"set {index}: player {owner}"
            for index, owner in enumerate(self.completed)
            if owner is not None
        )
        size = f"{self.set_size}-{self.sets}-{self.players}"
        return (
            f"<State {size}{' brisk' * self.brisk}, turn {self.turn}, hands {list(self.hands)}"
            f"{', completed ' + done if done else ''}>"
        )


class LegalQuestions:
    """The legal questions of a state, as a collection that is computed on first use.

    It supports iteration, `len`, `in` and `bool`. The method `items()` iterates over pairs of a
    question and its answers.
    """

    __slots__ = ("_known", "_solver", "state")

    @validate_arguments(state=State, solver=(Solver, type(None)))
    def __init__(self, state: State, solver: Solver | None = None) -> None:
        self.state = state
        self._solver = solver
        self._known: list[SetQuestions] | None = None

    def _by_set(self) -> list[SetQuestions]:
        if self._known is None:
            if self._solver is None and self.state.has_tables:
                self._known = self.state.questions_by_set()
            else:
                problem, asker = self.state.problem, self.state.turn
                solver = self._solver or default_solver(problem)
                known = [] if asker is None else questions_by_solver(problem, asker, solver)
                self._known = drop_hopeless(known) if self.state.brisk else known
        return self._known

    def groups(self) -> list[QuestionGroup]:
        """Return the legal questions, grouped by set, asked player and interchangeable cards."""
        return [
            QuestionGroup(asked, about_set.set_index, cards, ANSWERS[legal])
            for about_set in self._by_set()
            for asked, cards, legal in about_set.groups
        ]

    def __bool__(self) -> bool:
        return bool(self._by_set())

    def __len__(self) -> int:
        return sum([len(cards) for about_set in self._by_set() for _, cards, _ in about_set.groups])

    count = __len__

    def moves(self) -> int:
        """Return the number of legal moves, which are pairs (question, answer)."""
        return sum(
            [
                len(cards) * len(ANSWERS[legal])
                for about_set in self._by_set()
                for _, cards, legal in about_set.groups
            ]
        )

    def items(self) -> Iterator[tuple[Question, Answers]]:
        """Yield pairs of a legal question and its legal answers."""
        return chain.from_iterable(map(questions_with_answers, self._by_set()))

    def first(self) -> Iterator[Question]:
        """Yield the legal questions, so that the first ones are available as soon as possible.

        If finding all of them is slow (`State.has_tables` is false), each is computed when needed.
        """
        if self._known is not None or self.state.has_tables:
            yield from self
            return
        state, asker = self.state, self.state.turn
        for set_index, constraint in enumerate(state.problem.sets):
            for number in range(constraint.size):
                for asked in range(state.players):
                    if asker is not None and asked != asker:
                        question = Question.trusted(asker, asked, Card.unchecked(set_index, number))
                        if question in self:
                            yield question

    def __iter__(self) -> Iterator[Question]:
        return (question for question, _ in self.items())

    def answers(self, question: Question | str) -> Answers:
        """Return the legal answers to a question, or an empty tuple if the question is illegal."""
        question = Question.of(question)
        if self._known is None and self._solver is None:
            return self.state._answers(question)
        return find_answers(self._by_set(), question)

    def __contains__(self, question: object) -> bool:
        return isinstance(question, Question) and bool(self.answers(question))

    def __repr__(self) -> str:
        return f"<LegalQuestions: {len(self)} of player {self.state.turn}>"


def with_problem(state: State, problem: DealProblem) -> State:
    """Return a copy of a state with another deal problem.

    The same sets must be in play in both problems.
    """
    rules = state.tie_break, state.seed, state.brisk
    return State(problem, state.turn, state.completed, state.set_size, *rules)
