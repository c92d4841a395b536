"""Drawing of puzzles on the boards of their games.

A visitor answers a puzzle by tapping the board. The board also shows why an answer is wrong, and
the steps of the proof of the right answer. `quaternity.puzzles` makes the puzzles.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import product, starmap
from types import SimpleNamespace
from typing import Any

from markupsafe import Markup

from quaternity.base.sentences import Message, MessageTemplate, message_data
from quaternity.decks.deck import PLAIN, deck_for
from quaternity.epistemic import sentences as epistemic
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.game.sentences import ANSWERED, ASKS, question_sentence
from quaternity.kwartet.seat_log import SeatLog
from quaternity.puzzles.boards import position_of
from quaternity.puzzles.dealing import ELSEWHERE, HERE_THEY_DO
from quaternity.puzzles.kwartet_puzzles import COMMON, DEAL, REQUEST
from quaternity.puzzles.puzzle import Puzzle, Step
from quaternity.puzzles.set_puzzles import FIRST_CARD, IS_A_SET, IS_NO_SET, LETTERS
from quaternity.quarto.board import Board
from quaternity.quarto.rows import CELLS, cell_name
from quaternity.quarto.rules import QuartoPosition
from quaternity.ternary.table_picture import stripes_svg
from quaternity.web.drawing import quarto
from quaternity.web.drawing.moments import Moment, Scene
from quaternity.web.drawing.owners import Tile, owner_blocks
from quaternity.web.drawing.questions import draw_question
from quaternity.web.drawing.ternary import compare_cards, draw_card
from quaternity.web.drawing.words import QUARTO_MOVE, PageWords
from quaternity.web.languages import gettext as _
from quaternity.web.languages import language
from solvers.problem import players_in

NAMES = ("Anna", "Bram", "Cleo", "David", "Emma")
"""Names of the players in puzzles, by seat."""

SPOKEN = {
    ASKS.template: "{asker:player} asks {asked:player} for {card:card}",
    ANSWERED.template: "{asker:player} asks {asked:player} for {card:card}: {answer}",
    HERE_THEY_DO.template: "With the hands on the board, the answer is {answer}.",
    ELSEWHERE.template: "{who:player} need not have {card:card}: the board shows other hands.",
    COMMON.template: "You are {seat:player}: do {who:player} and you both know that "
    "{holder:player} has {card:card}, and both know that both know it, and so on?",
    REQUEST.template: "{event} (question {number})",
    DEAL.template: "Picture {number} on the board: these hands are possible.",
    epistemic.DEAL.template: "picture {number}",
    epistemic.KNOWS_NOT.template: "{who:players} does not know {formula}: {who:players} has the "
    "same cards in {deal}. There:",
    epistemic.NOT_COMMON.template: "it is not {common} {formula}: {way}",
    epistemic.COMMON_OF.template: "known to {who:players} in this way",
    epistemic.CHAIN.template: "start with {steps:parts}. In the last picture:",
    epistemic.CANNOT_TELL.template: "{who:player} has the same cards in {deal}",
    FIRST_CARD.template: "The marked card is in at least one SET.",
    IS_A_SET.template: ("These three cards are a SET: {number}; {colour}; {shading}; {shape}."),
    IS_NO_SET.template: "These three cards are not a SET: exactly two of them have the "
    "{property} {word}.",
}
"""Mapping from message templates for terminals to the templates that pages with puzzles use."""

_CELLS = {cell_name(cell): cell for cell in range(CELLS)}


class PuzzleWords(PageWords):
    """Writes the messages of a puzzle in words, with the names of players and cards."""

    def template(self, kind: MessageTemplate) -> str:
        """Return the translated template of a message, in which placeholders stand for values."""
        spoken = SPOKEN.get(kind.template)
        return _(spoken) if spoken else super().template(kind)

    def card(self, card: tuple[int, int]) -> str:
        """Return the name of a card. The name of its set is omitted, because the board shows it."""
        name = self.deck.card_name(*card, self.language)
        return f"the {name}" if self.language == "en" else name

    def answer(self, text: str) -> str:
        """Return the answer to a puzzle in words.

        The result is empty for an answer that consists of SETs, which only the board shows.
        """
        if card := re.fullmatch(r"(\d+/\d+) (\d+)", text):
            return self.say(epistemic.HOLDS(who=int(card[2]), card=Card.parse(card[1])))
        if asks := re.fullmatch(r"(\d+) asks (\d+) for (\d+/\d+)", text):
            asker, asked, card_text = asks.groups()
            return self.say(ASKS(asker=int(asker), asked=int(asked), card=Card.parse(card_text)))
        if text in ("yes", "no"):
            return _(text.capitalize())
        return "" if text.isupper() else self.text(text)

    def answers(self, texts: Sequence[str]) -> str:
        """Return all right answers to a puzzle in words.

        Moves of Quarto that have the cell or the piece to hand over in common become one text.
        """
        moves = [move.groups() for move in map(QUARTO_MOVE.fullmatch, texts) if move]
        if not all(piece for _cell, piece in moves) or not moves:
            return " / ".join(map(self.answer, texts))
        pieces: dict[str | None, str] = {}
        for cell, piece in moves:
            pieces[cell] = f"{pieces[cell]}/{piece}" if cell in pieces else piece
        cells: dict[str, list[str | None]] = {}
        for cell, of_cell in pieces.items():
            cells.setdefault(of_cell, []).append(cell)
        return "; ".join(
            (f"{_('place it on {cell}').format(cell='/'.join(map(str, at)))}, " if at[0] else "")
            + _("hand over {piece}").format(piece=piece)
            for piece, at in cells.items()
        )


def draw_puzzle(
    puzzle: Puzzle,
    words: PuzzleWords,
    shown: Sequence[Step],
    because: str,
    *,
    may_answer: bool = True,
) -> dict[str, Any]:
    """Return values for the HTML template that draws the board of a puzzle.

    Args:
        puzzle: The puzzle.
        words: The wording of texts about the puzzle.
        shown: The steps of the proof that the page shows. The board marks the parts on which the
            last of these steps is based.
        because: The reason why an answer is wrong, which the board illustrates. Empty if no wrong
            answer was given.
        may_answer: Whether the visitor can tap an answer. False after an answer was judged.
    """
    position = position_of(puzzle)
    drawn: dict[str, Any]
    if isinstance(position, tuple):
        drawn = _draw_cards(puzzle, position, shown, because, may_answer)
    elif isinstance(position, Board):
        drawn = _draw_quarto(puzzle, position, shown, because, may_answer)
    else:
        drawn = _draw_asking(puzzle, position, shown, because, may_answer)
        events = _asked_in(because or (shown[-1].text if shown else ""))
        drawn["scenes"] = [scene for event in events for scene in draw_question(event, words)]
    sight = SimpleNamespace(seat=drawn.get("seat"), places=None, game=puzzle.game)
    lit = ".rests, .well.lit" if shown and shown[-1].rests else ".well.lit"
    scenes = [*drawn.pop("scenes"), *([[["light", lit]]] if shown or because else [])]
    moment = Moment(0, None, (), tuple(scenes), "no" if because else "event")
    return {
        "drawn": drawn, "sight": sight, "moment": moment, "deck": words.spoken_deck(),
        "names": words.names, "plain": words.names,
        "moves": ["; ".join(map(words.say, events)) for events in drawn.get("moves", ())],
    }  # fmt: skip


def puzzle_words(puzzle: Puzzle, table: PageWords | None = None) -> PuzzleWords:
    """Return the object that writes the messages of a puzzle in words.

    If the puzzle was made from the game of a table, `table` writes the messages of that table. The
    result then uses the names of its players, and its deck if the cards have names. Otherwise, the
    players have default names, and the deck is one with enough cards.
    """
    position = position_of(puzzle)
    if isinstance(position, tuple | Board):
        return PuzzleWords(PLAIN, [_("you")], language())
    settings = position.settings
    deck = table.deck if table and table.deck.sets else deck_for(settings.sets, settings.set_size)
    return PuzzleWords(deck, table.names if table else NAMES[: settings.players], language())


def _draw_asking(
    puzzle: Puzzle, position: Any, shown: Sequence[Step], because: str, may_answer: bool
) -> dict[str, Any]:
    about, asks = message_data(because), message_data(puzzle.question)
    last_step = message_data(shown[-1].text) if shown else {}
    line = [message_data(event) for event in about.get("line", ())]
    if isinstance(position, SeatLog):
        public, problem, seat = position.views[-1].public, position.views[-1].problem, position.seat
        completed, moves = public.removed, [event.sentences() for event in position.events]
        hands, turn = public.hands, public.turn
    else:
        state, seat = position.state, asks.get("who")
        for event in line:  # Play the moves that show why the answer is wrong.
            question = Question(event["asker"], event["asked"], event["card"])
            state = state.after(question, event["answer"])
        problem, completed, hands, turn = state.problem, state.completed, state.hands, state.turn
        moves = [(question_sentence(*move),) for move in position.moves]
    event = next((x for x in (*line[-1:], message_data(last_step.get("move", "")), asks)
                  if "asked" in x), message_data(moves[-1][0]))  # fmt: skip
    hands_shown = map(message_data, about.get("hands", last_step.get("hands", ())))
    owners = {card: (hand["who"],) for hand in hands_shown for card in hand.get("cards", ())}
    answers = _answers_by_card(puzzle, position, seat) if may_answer else {}
    size = (0,) * position.settings.set_size
    return {
        "tiles": [
            [
                Tile(card, owners.get(card) or tuple(players_in(mask)),
                     json.dumps(answers.get(card, [])), "[]")
                for number, mask in enumerate(row.owners or size)
                for card in [Card.unchecked(index, number)]
            ]
            for index, row in enumerate(problem.sets)
        ],
        "blocks": owner_blocks(problem, completed, None, ()), "moves": moves,
        "asked": (event["asked"], *event["card"]), "hands": hands, "turn": turn, "seat": seat,
        "rests": {part for step in shown[-1:] for part in step.rests},
    }  # fmt: skip


def _answers_by_card(
    puzzle: Puzzle, position: Any, seat: int | None
) -> dict[Card, list[tuple[int, str, str]]]:
    """Return, for each card, the answers that a visitor can give by tapping the card.

    Each answer is a tuple (player, "", text of the answer). Answers that name `seat` as the owner
    of a card are left out.
    """
    answers: dict[Card, list[tuple[int, str, str]]] = {}
    if puzzle.answer_form == "card":
        cards = product(range(position.settings.sets), range(position.settings.set_size))
        for card in starmap(Card.unchecked, cards):
            players = (player for player in range(position.settings.players) if player != seat)
            answers[card] = [(player, "", f"{card} {player}") for player in players]
    if puzzle.answer_form == "move":
        for question in position.state.legal_questions:
            text = str(question_sentence(question))
            answers.setdefault(question.card, []).append((question.asked, "", text))
    return answers


def _asked_in(value: Any) -> list[dict[str, Any]]:
    """Return the data of all questions in a message, and in other messages inside it."""
    values = list(value.data.values()) if isinstance(value, Message) else value
    if isinstance(value, Message) and value.kind.name == ASKS.name:
        return [value.data]
    is_list = isinstance(values, list | tuple)
    return [event for part in values for event in _asked_in(part)] if is_list else []


def _draw_quarto(
    puzzle: Puzzle, board: Board, shown: Sequence[Step], because: str, may_answer: bool
) -> dict[str, Any]:
    in_hand, start = puzzle.position.partition(" ")[2] or None, board
    marked, scenes = list[str](), list[Scene]()
    for step in shown:
        scenes = []
        marked = [part.partition(" ")[0] for part in step.rests]
        for cell, _space, piece in (part.partition(" ") for part in step.rests):
            board = board.after(_CELLS[cell], piece) if piece else board
            scenes += quarto.place_piece(cell, piece) if piece else []
    last_step = message_data(shown[-1].text) if shown else {}
    about = message_data(because) or (last_step if "line" in last_step else {})
    if about:  # The refutation begins with the position of the puzzle.
        board, scenes = start, []
    if "move" in about:
        later = (message_data(text)["move"] for text in about.get("line", ()))
        for text in (about["move"], *later):
            move = QUARTO_MOVE.fullmatch(text)
            assert move is not None, text
            cell, piece = move.groups()
            if cell:
                board = board.after(_CELLS[cell], str(in_hand))
                scenes += quarto.place_piece(cell, in_hand)
            scenes += quarto.hand_over_piece(piece) if piece else []
            marked, in_hand = [cell], piece
    if "cell" in about:
        board, marked = board.after(_CELLS[about["cell"]], str(in_hand)), [about["cell"]]
        scenes += quarto.place_piece(about["cell"], in_hand)
    if about and not because:  # The page before shows another position.
        scenes = []
    may_move = may_answer and board is start
    view = QuartoPosition(board, in_hand if board is start else None, 0, squares=False)
    drawn = quarto.part(SimpleNamespace(  # type: ignore[arg-type]  # a puzzle has no table
        view=view, seat=0, to_act=(0,) if may_move else (), moves=(), places=None, deck=PLAIN.name,
        seats=(), own_seats=(), game="",
    ))  # fmt: skip
    drawn["cells"] = [cell._replace(last=cell.name in marked) for cell in drawn["cells"]]
    if drawn["placing"] and any("hand over" in answer for answer in puzzle.answers):
        drawn["advice"] = _("Tap a cell, then the piece to hand over.")
    wins = not any("hand over" in answer for answer in puzzle.answers)
    # If the right answer is a cell alone, the visitor cannot choose a piece to hand over.
    tray = [] if wins else drawn["tray"]
    return drawn | {"left": True, "may_end": wins, "tray": tray, "scenes": scenes}


def _draw_cards(
    puzzle: Puzzle, cards: tuple[int, ...], shown: Sequence[Step], because: str, may_answer: bool
) -> dict[str, Any]:
    wrong = message_data(because).get("three", "")
    three = wrong or message_data(shown[-1].text if shown else "").get("three", "")
    compared = [card for letter, card in zip(LETTERS, cards, strict=False) if letter in three]
    marked = {letter for step in shown[-1:] for letter in step.rests}
    return {
        "scenes": [[compare_cards(compared)]] if compared else [],
        "cards": [
            draw_card(card, ((0, 0),) if letter in wrong else ())
            for letter, card in zip(LETTERS, cards, strict=False)
        ],
        "rests": {card for letter, card in zip(LETTERS, cards, strict=False) if letter in marked},
        "stripes": Markup(stripes_svg()), "choosing": puzzle.answer_form == "cards" and may_answer,
    }  # fmt: skip
