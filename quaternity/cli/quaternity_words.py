"""Words to type in a game of Quaternity besides moves: questions, why, oracle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import InputError, LimitError
from quaternity.base.wording import counted
from quaternity.cli.match import GameWords, MatchSession
from quaternity.cli.oracle import oracle_lines
from quaternity.cli.terminal import columns, in_columns
from quaternity.epistemic.two_deals import other_deals
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.rules import QuaternityPosition
from quaternity.game.settings import Settings
from quaternity.insight.certainty import certainty
from quaternity.insight.explanation import explained

if TYPE_CHECKING:
    from quaternity.perfect.tablebase import Tablebase
    from quaternity.table.match import Match

RULES = """\
Nobody has dealt the cards: a question and its answer are all that is ever known about them, and a
deal only has to stay possible. On your turn you ask somebody for a card. By asking you say that you
have not got it, and that you have another card of its set. After yes the card is yours and you
ask again; after no the turn is theirs. When only one answer is possible, it is given for them.
Whoever must own all cards of a set completes it: a point. When all sets are completed, the most
points win; shared, nobody wins. In a brisk game questions that can only be answered by no are
forbidden."""

MARKS = """\
In the table >: on turn, =1: player 1 has the card, 12: player 1 or 2 has it, *: anybody may have \
it; at least 1:2: player 1 has two cards of the set or more."""

FORMS = """\
Ask:     1 0 2   or   1 for 0/2      player 1, have you card 2 of set 0?
Answer:  y, yes or 1;   n, no or 0"""


def quaternity_words(tablebase: Tablebase | None = None) -> GameWords:
    """Return what Quaternity adds to the terminal, with a tablebase to ask or without."""

    def oracle(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
        del seat, argument
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
            "why": (
                "why was it refused or forced?  why 1 0 2: of any question; or a formula",
                _why,
            ),
            "know": ("know H1 0/2: is it certain that player 1 has 0/2? or any formula", _know),
            "oracle": ("who can force what, and the best questions (with --oracle)", oracle),
        },
        _remark,
        formula_lines=_formula_lines,
    )


def _remark(match: Match[Any, Any, Any]) -> str | None:
    """Say that an answer is due, what the game is like, or that a position repeats."""
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


def _questions(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
    """List the legal questions, cards with equal answers together."""
    del seat, argument
    groups = []
    for asked, index, cards, answers in session.match.position.state.legal_questions.groups():
        names = session.speech.cards_listed((index, number) for number in cards)
        forced = f" (must say {answers[0]})" if len(answers) == 1 else ""
        groups.append(f"{asked} for {names}{forced}")
    yield in_columns(groups)


def game_of(
    settings: Settings, positions: Sequence[QuaternityPosition], moves: Sequence[tuple[int, Any]]
) -> Game:
    """Return questions with their answers, each with its seat, as a game.

    There is one position more than moves.
    """
    states, played = [positions[0].state], []
    for (_, move), before, after in zip(moves, positions, positions[1:], strict=False):
        if after.pending is not None:
            continue
        question = before.pending if isinstance(move, Answer) else move
        assert question is not None, "an answer is given to a question"
        answer = move if isinstance(move, Answer) else before.state.answers(move)[0]
        played.append(Move(question, answer))
        states.append(after.state)
    return Game(settings, tuple(played), tuple(states))


def _formula_lines(
    rules: Any, positions: Sequence[Any], moves: Sequence[tuple[int, Any]], text: str, why: bool
) -> Iterator[str]:
    return told_of_game(text, game_of(rules.settings, positions, moves), why)


def _game(match: Match[Any, Any, Any], moves: int | None = None) -> Game:
    """Return the game after some moves of a match, or after all."""
    last = len(match.moves) if moves is None else moves
    return game_of(match.rules.settings, match.positions[: last + 1], match.moves[:last])


def _why(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
    """Say why something was refused, forced or true; without a word, the last answer."""
    del seat
    match = session.match
    if argument:
        try:
            # Of the player on turn, also while an answer is due.
            asked = match.rules.read(argument, QuaternityPosition(match.position.state))
        except InputError as error:
            if argument[0].isdigit():
                yield str(error)
            else:
                yield from told_of_game(argument, _game(match), why=True)
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
        yield from explained(_game(match, at), asked)
    else:
        yield f"{asked} answers no question"


def _know(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
    """Say what everybody can tell of a formula."""
    del seat
    if not argument:
        yield "say what: know H1 0/2 (player 1 has 0/2), or a formula as in kwartet know --help"
        return
    yield from told_of_game(argument, _game(session.match))


def told_of_game(text: str, game: Game, why: bool = False) -> Iterator[str]:
    """Say what everybody can tell of a formula in a game of Quaternity, where hands are undefined.

    With `why`, also the moves behind it, or two deals that differ in it.
    """
    try:
        answer = certainty(text, game, why)
    except (InputError, LimitError) as error:
        yield str(error)
        return
    yield answer.text
    yield from (f"  {line}" for line in answer.lines)
    if why and answer.truth is None:
        yield from other_deals(answer.deals, game.settings.players, columns())
