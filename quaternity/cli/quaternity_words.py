"""What one can type in a game of Quaternity besides moves: questions, why, oracle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from quaternity.cli.match import GameWords, MatchSession
from quaternity.cli.oracle import oracle_lines
from quaternity.cli.terminal import in_columns
from quaternity.errors import InputError, LimitError
from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.rules import QuaternityPosition
from quaternity.game.state import State
from quaternity.insight.explanation import explained
from solvers.wording import counted, listed

if TYPE_CHECKING:
    from quaternity.perfect.tablebase import Tablebase
    from quaternity.table.match import Match

RULES = """\
Nobody has dealt the cards: a question and its answer are all that is ever known about them, and a
deal only has to stay possible. On your turn you ask somebody for a card. By asking you say that you
have not got it, and that you have another card of its set. After yes the card is yours and you
ask again; after no the turn is his. When only one answer is possible, it is given for him.
Whoever must own all cards of a set completes it: a point. When all sets are completed, the most
points win; shared, nobody wins."""

MARKS = """\
In the table >: on turn, =1: player 1 has the card, 12: player 1 or 2 has it, *: anybody may have \
it; at least 1:2: player 1 has two cards of the set or more."""

FORMS = """\
Ask:     1 0 2   or   1 for 0/2      player 1, have you card 2 of set 0?
Answer:  y, yes or 1;   n, no or 0"""


def quaternity_words(tablebase: Tablebase | None = None) -> GameWords:
    """The words, with a tablebase to ask or without."""

    def oracle(session: MatchSession, seat: int, rest: str) -> Iterator[str]:
        del seat, rest
        if tablebase is None:
            yield "there is no tablebase: start with --oracle FILE (see quaternity solve)"
            return
        try:
            yield from oracle_lines(tablebase, session.match.position.state)
        except LimitError as error:
            yield str(error)

    return GameWords(
        RULES,
        FORMS,
        MARKS,
        {
            "questions": ("what may be asked now", _questions),
            "why": ("why was it refused or forced?  why 1 0 2: of any question", _why),
            "know": ("know H1 0/2: is it certain that player 1 has 0/2? or any formula", _know),
            "oracle": ("who can force what, and the best questions (with --oracle)", oracle),
        },
        _remark,
    )


def _remark(match: Match[Any, Any, Any]) -> str | None:
    """That an answer is due, what the game is like, and that a position was there before."""
    if match.position.pending is not None:
        return "your answer: yes or no (y or n)?"
    if match.rules.seats == 2 and not match.moves:
        return "With two players every answer is a forced yes: player 0 never loses the turn."
    if match.rules.settings.brisk and not match.moves:
        return "A brisk game: questions to which only no can be answered are not asked."
    if match.position in match.positions[:-1]:
        before = match.positions[: match.positions.index(match.position)]
        moves = sum(map(match.rules.is_settled, before))
        return f"this is the position after {counted(moves, 'move')} again: nothing was learnt"
    return None


def _questions(session: MatchSession, seat: int, rest: str) -> Iterator[str]:
    """The legal questions, cards with equal answers together."""
    del seat, rest
    groups = []
    for asked, index, cards, answers in session.match.position.state.legal_questions.groups():
        names = listed(Card(index, number) for number in cards)
        forced = f" (must say {answers[0]})" if len(answers) == 1 else ""
        groups.append(f"{asked} for {names}{forced}")
    yield in_columns(groups)


def game_of(session: MatchSession, moves: int) -> Game:
    """The game after so many moves of the match: questions with their answers."""
    match = session.match
    states, played = [match.positions[0].state], []
    for number in range(moves):
        before, after = match.positions[number], match.positions[number + 1]
        move = match.moves[number][1]
        if after.pending is not None:
            continue
        question = before.pending if isinstance(move, Answer) else move
        answer = move if isinstance(move, Answer) else before.state.answers(move)[0]
        played.append(Move(question, answer))
        states.append(after.state)
    return Game(match.rules.settings, tuple(played), tuple(states))


def _why(session: MatchSession, seat: int, rest: str) -> Iterator[str]:
    """What a refusal or a forced answer rests on: the last one, or that of a question."""
    del seat
    match = session.match
    if rest:
        try:
            # Of the player on turn, also while an answer is due.
            asked = match.rules.read(rest, QuaternityPosition(match.position.state))
        except InputError as error:
            yield str(error)
            return
        at = len(match.moves)
    elif session.refused is not None:
        at, asked = session.refused
    else:
        forced = [
            number
            for number, (_, move) in enumerate(match.moves)
            if isinstance(move, Question) and match.positions[number + 1].pending is None
        ]
        if not forced:
            yield "nothing was refused or forced yet; why 1 0 2 explains a question"
            return
        at, asked = forced[-1], match.moves[forced[-1]][1]
    if isinstance(asked, Question):
        yield from explained(game_of(session, at), asked)
    else:
        yield f"{asked} answers no question"


def _know(session: MatchSession, seat: int, rest: str) -> Iterator[str]:
    """What everybody can tell of a formula."""
    del seat
    if not rest:
        yield "say what: know H1 0/2 (player 1 has 0/2), or a formula as in kwartet know --help"
        return
    yield from told_of_state(rest, session.match.position.state)


def told_of_state(text: str, state: State) -> Iterator[str]:
    """What everybody can tell of a formula in a state of Quaternity, where hands are undefined."""
    from quaternity.epistemic.holding import checked_formula
    from quaternity.epistemic.seen_truth import as_seen
    from quaternity.kwartet.knowing import SECONDS

    points = tuple(state.points)
    try:
        formula = checked_formula(text, state.problem, state.set_size, points)
        found = as_seen(formula, state.problem, None, seconds=SECONDS, set_size=state.set_size)
    except (InputError, LimitError) as error:
        yield str(error)
        return
    if found.truth is None:
        yield f"that {text} can be true and can be false"
    else:
        yield f"that {text} is {'true' if found.truth else 'false'} whatever the cards are"


__all__ = ["FORMS", "MARKS", "RULES", "game_of", "quaternity_words", "told_of_state"]
