"""HTML pages of puzzles. The server stores nothing about the people who solve puzzles."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from datetime import UTC, date, datetime
from secrets import randbelow
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from quaternity.base.errors import InputError
from quaternity.decks.deck import PLAIN
from quaternity.game.cards import Card
from quaternity.game.sentences import question_sentence
from quaternity.kwartet.seat_log import SeatLog
from quaternity.puzzles.boards import position_of
from quaternity.puzzles.making import DAILY, KINDS, make
from quaternity.puzzles.puzzle import LEVELS, MAX_SEED, VERSION, Puzzle, Step
from quaternity.puzzles.set_puzzles import LETTERS
from quaternity.quarto.board import Board
from quaternity.quarto.drawing import board_svg
from quaternity.quarto.rows import CELLS, cell_name
from quaternity.ternary.cards import SetCard
from quaternity.ternary.table_picture import card_svg, stripes_svg
from quaternity.web.drawing.kwartet import hand_by_sets
from quaternity.web.drawing.owners import owner_blocks
from quaternity.web.drawing.words import PageWords
from quaternity.web.http_errors import MAX_QUOTED_CHARS, HttpError, quote_start
from quaternity.web.languages import gettext, language, translate_picture, translate_words
from quaternity.web.middleware import root_of
from quaternity.web.rate_limits import FairQueue
from quaternity.web.rendering import templates

MAX_CACHED_PUZZLES = 256
"""Maximum number of cached puzzles. The least recently used are dropped first."""

MAX_ANSWER_LENGTH = 1000
"""Maximum length of a visitor's answer, in characters."""

NEW_SEEDS = 1 << 40


def kind_texts() -> dict[str, tuple[str, str]]:
    """Return the name and question of each kind of puzzle, in the language of the request."""
    names = [
        (gettext("Yes or no?"), gettext("Is this answer possible?")),
        (gettext("Whose card?"), gettext("Which card can only one player have?")),
        (gettext("Force a set"), gettext("Which question makes sure that you get a set?")),
        (gettext("Find the card"), gettext("Which card of another player can you name?")),
        (gettext("Who knows?"), gettext("Does a player know who has a card?")),
        (gettext("Find the SETs"), gettext("Which SETs are among these cards?")),
        ("Quarto", gettext("Which move wins, or at least does not lose?")),
    ]
    return dict(zip(KINDS, names, strict=True))


class PuzzlePages:
    """The request handlers of the pages of puzzles, with a cache of puzzles."""

    def __init__(self, thinking: Any, turns: FairQueue) -> None:
        """Set up the pages.

        Puzzles are made by the processes for counts of `thinking`. The start page is drawn in the
        queue `turns`.
        """
        self.thinking, self._turns = thinking, turns
        self._kept: OrderedDict[tuple[str, int, int], Puzzle] = OrderedDict()

    def routes(self) -> list[BaseRoute]:
        """Return the routes of all pages of puzzles."""
        return [
            Route("/puzzles", self.all),
            Route("/puzzles/new", self.new),
            Route("/puzzles/{version}/{kind}/{level}/{seed}", self.show_puzzle),
        ]

    async def all(self, request: Request) -> Response:
        """`GET /puzzles`: return the page with today's five puzzles and all kinds of puzzles."""
        self.thinking.admission.count("page")
        async with self._turns.hold_place():
            return HTMLResponse(puzzles_html(datetime.now(UTC).date(), root_of(request)))

    async def new(self, request: Request) -> Response:
        """`GET /puzzles/new?kind=&level=`: redirect to a random puzzle."""
        asked = request.query_params
        kind, level = _check_choice(asked.get("kind", ""), asked.get("level", ""))
        path = f"{root_of(request)}/puzzles/{VERSION}/{kind}/{level}/{randbelow(NEW_SEEDS)}"
        return RedirectResponse(path, 303, {"cache-control": "no-store"})

    async def show_puzzle(self, request: Request) -> Response:
        """`GET /puzzles/VERSION/KIND/LEVEL/SEED?answer=&steps=`: return the page of a puzzle."""
        self.thinking.admission.count("page")
        version = request.path_params["version"]
        # Refuse another version first, because it may have had other kinds of puzzles.
        if version != str(VERSION):
            today = datetime.now(UTC).date()
            return HTMLResponse(puzzles_html(today, root_of(request), other=version), 404)
        kind, level = _check_choice(request.path_params["kind"], request.path_params["level"])
        seed = _number(request.path_params["seed"], MAX_SEED, "seed")
        puzzle = await self._make(kind, seed, level)
        answer = " ".join(request.query_params.getlist("answer")).strip()
        if len(answer) > MAX_ANSWER_LENGTH:
            raise HttpError(422, "the answer is too long")
        steps = min(_number(request.query_params.get("steps", "0"), 99, "steps"), len(puzzle.why))
        draws = True, puzzle_html, puzzle, answer, steps, root_of(request)
        html, status = await self.thinking.draw(*draws)
        return HTMLResponse(html, status)

    async def _make(self, kind: str, seed: int, level: int) -> Puzzle:
        key = kind, seed, level
        if key not in self._kept:
            self._kept[key] = await self.thinking.count(make, kind, seed, level, kind="puzzle")
            while len(self._kept) > MAX_CACHED_PUZZLES:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


def _check_choice(kind: str, level: str) -> tuple[str, int]:
    if kind not in KINDS:
        raise HttpError(404, f"unknown puzzle {quote_start(kind)}; choose from {', '.join(KINDS)}")
    if level not in map(str, LEVELS):
        raise HttpError(
            404, f"level {quote_start(level)}: must be from {LEVELS[0]} to {LEVELS[-1]}"
        )
    return kind, int(level)


def _number(text: str, limit: int, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= limit):
        raise HttpError(
            404, f"{name} {quote_start(text)}: must be a whole number from 0 to {limit}"
        )
    return int(text)


def daily_puzzles(day: date, root: str = "") -> dict[str, Any]:
    """Return the values for `day.html`: the five puzzles of a day, with links and texts."""
    path = f"{root}/puzzles/{VERSION}"
    five = [(kind, level, f"{path}/{kind}/{level}/{day:%Y%m%d}") for kind, level in DAILY]
    return {"day": day.isoformat(), "five": five, "texts": kind_texts()}


def puzzles_html(day: date, root: str = "", other: str = "") -> str:
    """Return the page with the five puzzles of a day.

    `other` is the version of puzzles in an outdated link, or empty.
    """
    return templates().get_template("puzzles.html").render(
        root=root, today=daily_puzzles(day, root), texts=kind_texts(), levels=LEVELS,
        other=other[:MAX_QUOTED_CHARS], version=VERSION,
    )  # fmt: skip


def puzzle_html(puzzle: Puzzle, answer: str, steps: int, root: str = "") -> tuple[str, int]:
    """Return the page of a puzzle and its HTTP status.

    The page says whether `answer` is right, unless it is empty, and shows the first `steps` steps
    of the proof. The status is 422 if `answer` is not a valid answer to the question.
    """
    words = PageWords(PLAIN, (), language())
    right, because = None, ""
    try:
        if answer:
            right, because = puzzle.check(answer)
    except InputError as error:
        because = str(error)
    shown = [(_sentence(words, step.text), step.rests) for step in puzzle.why[:steps]]
    rests = {part for _, rests in shown[-1:] for part in rests}
    html = templates().get_template("puzzle.html").render(
        root=root, puzzle=puzzle, path=f"{root}/puzzles/{VERSION}/{puzzle.kind}/{puzzle.level}",
        title=kind_texts()[puzzle.kind][0], question=_sentence(words, puzzle.question),
        board=_board(puzzle, words, puzzle.why[:steps]), rests=rests, answer=answer, right=right,
        because=_sentence(words, because), shown=shown, version=VERSION,
        solved=" / ".join(puzzle.answers) if steps == len(puzzle.why) or right else "",
        offered=_answer_choices(puzzle), daily=(puzzle.kind, puzzle.level) in DAILY,
    )  # fmt: skip
    return html, 422 if answer and right is None else 200


def _sentence(words: PageWords, text: str) -> str:
    sentence = words.say(text)
    return sentence[:1].upper() + sentence[1:]


def _answer_choices(puzzle: Puzzle) -> list[list[str]]:
    """Return the choices of each selection list of the form, in an order that hides the answer."""
    allowed = sorted({*puzzle.answers, *puzzle.wrong})
    if puzzle.answer_form == "card":
        cards, players = ({text.split()[part] for text in allowed} for part in (0, 1))
        return [sorted(cards, key=_by_numbers), sorted(players)]
    if puzzle.answer_form == "yes-no":
        return [["yes", "no"]]
    return [] if puzzle.answer_form == "cards" else [list(puzzle.choices) or allowed]


def _quarto(board: Board, shown: Sequence[Step]) -> str:
    """Draw a Quarto board after the shown steps of the proof, with the last step marked."""
    marked: list[int] = []
    for step in shown:
        marked = []
        for part in step.rests:
            name, _, piece = part.partition(" ")
            cells = [cell for cell in range(CELLS) if cell_name(cell) == name]
            marked += cells
            if piece:
                board = board.after(cells[0], piece)
    return board_svg(board, marked=marked)


def _by_numbers(card: str) -> list[int]:
    return list(map(int, card.split("/")))


def _board(puzzle: Puzzle, words: PageWords, shown: Sequence[Step]) -> dict[str, Any]:
    """Return the values of the template that show the position of a puzzle.

    A Quarto board also shows the given steps of the proof.
    """
    turn: int | None
    position = position_of(puzzle)
    if isinstance(position, tuple):
        return {"stripes": Markup(stripes_svg()), "cards": [
            (letter, translate_words(str(SetCard(card))), translate_picture(card_svg(card)))
            for letter, card in zip(LETTERS, position, strict=False)
        ]}  # fmt: skip
    if isinstance(position, Board):
        return {"svg": Markup(_quarto(position, shown))}
    if isinstance(position, SeatLog):
        view = position.views[-1]
        public, seat, hand = view.public, position.seat, hand_by_sets(view.hand)
        blocks = owner_blocks(view.problem, public.removed, None, ())
        hands, turn = public.hands, public.turn
        moves = ["; ".join(map(words.say, event.sentences())) for event in position.events]
    else:
        state, seat, hand = position.state, None, list[list[Card]]()
        blocks = owner_blocks(state.problem, state.completed, None, ())
        hands, turn = state.hands, state.turn
        moves = [words.say(question_sentence(*move)) for move in position.moves]
    names = [words.player(player).capitalize() for player in range(len(hands))]
    return {
        "blocks": blocks, "names": names, "hands": hands, "turn": turn, "moves": moves,
        "hand": hand, "seat": seat,
    }  # fmt: skip
