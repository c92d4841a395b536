"""Texts of Quaternity in the terminal, and its commands `questions`, `why`, `know` and `oracle`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import InputError, LimitError
from quaternity.base.text_format import with_noun
from quaternity.cli.match import GameWords, MatchSession
from quaternity.cli.oracle import oracle_lines
from quaternity.cli.terminal import columns, in_columns
from quaternity.epistemic.deal_text import differing_deals
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.rules import QuaternityPosition
from quaternity.game.settings import Settings
from quaternity.insight.certainty import certainty
from quaternity.insight.explanation import explanation_lines

if TYPE_CHECKING:
    from quaternity.perfect.tablebase import Tablebase
    from quaternity.table.match import Match

RULES = """\
The cards are not dealt. The players know only the questions and answers, and at least one deal must
always remain possible. On your turn you ask another player for a card. By asking you state that you
do not have the card, and that you have another card of its set. After yes, the card is yours and
you ask again; after no, it is the other player's turn. If only one answer is possible, it is given
automatically. A player who must own all cards of a set completes the set and scores a point.
When all sets are completed, the player with the most points wins; if several have the most, nobody
wins. In a brisk game, questions that can only be answered by no are forbidden."""

MARKS = """\
Marks in the table: >: player to move; =1: player 1 has the card; 12: player 1 or 2 has it; *: \
anybody may have it; at least 1:2: player 1 has two or more cards of the set."""

FORMS = """\
Ask:     '1 0 2' or '1 for 0/2' asks player 1 for card 2 of set 0.
Answer:  'y', 'yes' or '1' means yes; 'n', 'no' or '0' means no"""


def quaternity_words(tablebase: Tablebase | None = None) -> GameWords:
    """Return the texts and commands of Quaternity. The command `oracle` uses the tablebase."""

    def oracle(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
        del seat, argument
        if tablebase is None:
            yield "there is no tablebase: start with --oracle FILE (see quaternity solve)"
            return
        try:
            yield from oracle_lines(tablebase.report(session.match.position.state))
        except LimitError as error:
            yield str(error)

    return GameWords(
        RULES,
        FORMS,
        MARKS,
        {
            "questions": ("list the legal questions", _questions),
            "why": (
                "why the last move was refused or forced; why 1 0 2: any question; "
                "formulas work, too",
                _why,
            ),
            "know": (
                "know H1 0/2: is it certain that player 1 has 0/2? Other formulas work, too",
                _know,
            ),
            "oracle": ("what players can force, and the best questions (with --oracle)", oracle),
        },
        _remark,
        formula_lines=_formula_lines,
    )


def _remark(match: Match[Any, Any, Any]) -> str | None:
    """Return a remark if an answer is due, a special rule applies, or the position is repeated."""
    if match.position.pending is not None:
        return "your answer: yes or no (y or n)?"
    if match.rules.seats == 2 and not match.moves:
        return "With two players every answer is a forced yes: player 0 never loses the turn."
    if match.rules.settings.brisk and not match.moves:
        return "A brisk game: questions that can only be answered by no are forbidden."
    positions = match.history.positions()
    if (first := positions.index(match.position)) < len(match.moves):
        moves = sum(map(match.rules.is_settled, positions[:first]))
        return (
            f"the position is the same as after {with_noun(moves, 'move')}: "
            "the moves since then revealed nothing"
        )
    return None


def _questions(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
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
    """Return the game with the given moves. A last question without an answer is left out.

    Each move is a pair of a seat and a question or an answer. `positions` contains the first
    position and the position after each move.
    """
    states, played = [positions[0].state], []
    for (_, move), before, after in zip(moves, positions, positions[1:], strict=False):
        if after.pending is not None:
            continue
        question = before.pending if isinstance(move, Answer) else move
        assert question is not None, "there must be a question to answer"
        answer = move if isinstance(move, Answer) else before.state.answers(move)[0]
        played.append(Move(question, answer))
        states.append(after.state)
    return Game(settings, tuple(played), tuple(states))


def _formula_lines(
    rules: Any, positions: Sequence[Any], moves: Sequence[tuple[int, Any]], text: str, why: bool
) -> Iterator[str]:
    return certainty_lines(text, game_of(rules.settings, positions, moves), why)


def _game(match: Match[Any, Any, Any], moves: int | None = None) -> Game:
    last = len(match.moves) if moves is None else moves
    positions = match.history.positions()[: last + 1]
    return game_of(match.rules.settings, positions, match.moves[:last])


def _why(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
    """Yield lines that explain a question or formula.

    Without an argument, explain the last refused move or, if none was refused, the last forced
    answer.
    """
    del seat
    match = session.match
    if argument:
        try:
            # Read the argument as a question of the player to move, even while an answer is due.
            move = match.rules.read(argument, QuaternityPosition(match.position.state))
        except InputError as error:
            if argument[0].isdigit():
                yield str(error)
            else:
                yield from certainty_lines(argument, _game(match), why=True)
            return
        number_of_moves = len(match.moves)
    elif session.refused is not None:
        number_of_moves, move = session.refused
    else:
        forced = [
            number
            for number, (_, _, move, after) in enumerate(match.history.transitions())
            if isinstance(move, Question) and after.pending is None
        ]
        if not forced:
            yield "no move was refused, and no answer was forced; 'why 1 0 2' explains a question"
            return
        number_of_moves, move = forced[-1], match.moves[forced[-1]][1]
    if isinstance(move, Question):
        yield from explanation_lines(_game(match, number_of_moves), move)
    else:
        yield f"{move}: there is no question to answer"


def _know(session: MatchSession, seat: int, argument: str) -> Iterator[str]:
    del seat
    if not argument:
        yield "type, for example, 'know H1 0/2'; 'kwartet know --help' explains formulas"
        return
    yield from certainty_lines(argument, _game(session.match))


def certainty_lines(text: str, game: Game, why: bool = False) -> Iterator[str]:
    """Yield lines that say whether a formula is certainly true or false in a game of Quaternity.

    If `why` is true, include the reason: the moves that prove the fact, or two deals. Only one
    of them makes the formula true.
    """
    try:
        answer = certainty(text, game, why)
    except (InputError, LimitError) as error:
        yield str(error)
        return
    yield answer.text
    yield from (f"  {line}" for line in answer.lines)
    if why and answer.value is None:
        yield from differing_deals(answer.deals, game.settings.players, columns())
