"""HTML pages of puzzles. The server stores nothing about the people who solve puzzles."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import product
from secrets import randbelow
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from quaternity.base.errors import InputError
from quaternity.base.text_format import MAX_SHORT_QUOTE, quote_short
from quaternity.game.cards import Card
from quaternity.puzzles.making import DAILY, KINDS, make
from quaternity.puzzles.puzzle import LEVELS, MAX_SEED, VERSION, Puzzle
from quaternity.puzzles.set_puzzles import LETTERS
from quaternity.ternary.cards import SetCard
from quaternity.web.drawing.puzzles import PuzzleWords, draw_puzzle, puzzle_words
from quaternity.web.drawing.words import PageWords
from quaternity.web.fair_queue import FairQueue
from quaternity.web.http_errors import HttpError
from quaternity.web.languages import gettext, long_date
from quaternity.web.middleware import root_of
from quaternity.web.rendering import templates
from quaternity.web.shared_tasks import SharedTasks

MAX_CACHED_PUZZLES = 256
"""Maximum number of puzzles in the cache. The cache drops the least recently used puzzle first."""

MAX_ANSWER_LENGTH = 1000
"""Maximum length of a visitor's answer, in characters."""

NEW_SEEDS, MAX_DAY = 1 << 40, 99_991_231
"""Limits of the seeds of puzzles. The seed of a random puzzle is less than `NEW_SEEDS`. The seed of
a daily puzzle is its date as the number YYYYMMDD, which is at most `MAX_DAY`."""

PREPARATION_SECONDS = 5.0
"""Interval at which the server checks whether a daily puzzle has to be made, in seconds."""


_log = logging.getLogger("uvicorn.error")


def kind_texts() -> dict[str, tuple[str, str]]:
    """Return the translated name and question of each kind of puzzle, by kind."""
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
    """The functions that answer requests for pages of puzzles, with a cache of puzzles."""

    def __init__(self, thinking: Any, turns: FairQueue) -> None:
        """Set up the pages of puzzles.

        `thinking` is the `BackgroundWork` whose processes make the puzzles. `turns` is the queue in
        which requests wait until their pages are drawn.
        """
        self.thinking, self._turns = thinking, turns
        self._puzzles: SharedTasks[tuple[str, int, int]] = SharedTasks(MAX_CACHED_PUZZLES)
        """The tasks that make puzzles, by kind, seed and level."""
        self._next: dict[tuple[str, int], int] = {}
        """For each kind and level, the seed of the next puzzle, which is made in advance."""

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
        self.thinking.admission.count("page")
        asked = request.query_params
        kind, level = _check_choice(asked.get("kind", ""), asked.get("level", ""))
        seed = self._next.pop((kind, level), None)
        seed = randbelow(NEW_SEEDS) if seed is None else seed
        path = f"{root_of(request)}/puzzles/{VERSION}/{kind}/{level}/{seed}"
        return RedirectResponse(path, 303, {"cache-control": "no-store"})

    async def show_puzzle(self, request: Request) -> Response:
        """`GET /puzzles/VERSION/KIND/LEVEL/SEED?answer=&steps=`: return the page of a puzzle.

        With `answered=` instead of `answer=`, the page shows a step of the proof together with the
        verdict on the visitor's last answer.
        """
        self.thinking.admission.count("page")
        version = request.path_params["version"]
        # Refuse another version first, because it may have had other kinds of puzzles.
        if version != str(VERSION):
            today = datetime.now(UTC).date()
            return HTMLResponse(puzzles_html(today, root_of(request), other=version), 404)
        kind, level = _check_choice(request.path_params["kind"], request.path_params["level"])
        seed = _number(request.path_params["seed"], MAX_SEED, "seed")
        key = kind, seed, level
        puzzle = await self._puzzles.result(key, partial(self._make, *key))
        if (kind, level) not in self._next and seed > MAX_DAY:
            following = kind, randbelow(NEW_SEEDS), level
            self._next[kind, level] = following[1]
            # Count the next puzzle for the rate limit of this visitor. If the limit is exceeded,
            # the puzzle is made later.
            self._puzzles.begin(following, partial(self._make, *following))
        return await self.respond(request, puzzle)

    async def respond(
        self, request: Request, puzzle: Puzzle, path: str = "", table: PageWords | None = None
    ) -> Response:
        """Return the page of a puzzle, with a verdict on the answer in the query of the request.

        If the puzzle was made from a game, `path` is the link to the puzzle, and `table` writes
        messages with the names of the game's players and cards.
        """
        asked = request.query_params
        answer, cards = " ".join(asked.getlist("answer")).strip(), asked.getlist("card")
        before = asked.get("answered", "")
        if max(len(answer), len(before), len(cards)) > MAX_ANSWER_LENGTH:
            raise HttpError(422, "the answer is too long")
        steps = min(_number(asked.get("steps", "0"), 99, "steps"), len(puzzle.why))
        verdict = judge(puzzle, answer or ("" if cards else before), cards)
        if before and verdict.judged and not (answer or cards):
            verdict = verdict._replace(because="", was_shown=True)
        today = datetime.now(UTC).date()
        async with self._turns.hold_place():
            html = puzzle_html(puzzle, verdict, steps, today, root_of(request), path, table)
        return HTMLResponse(html, verdict.status)

    async def prepare(self) -> None:
        """Make the puzzles of each day in advance, so that no visitor has to wait for them.

        From noon on, the puzzles of the next day are made. If a puzzle cannot be made, there is no
        second attempt. This method runs until it is cancelled.
        """
        failed = set[tuple[str, int, int]]()
        while True:
            await asyncio.sleep(PREPARATION_SECONDS)
            now = datetime.now(UTC)
            days = {now.date(), (now + timedelta(hours=12)).date()}
            keys = [(kind, int(f"{day:%Y%m%d}"), level)
                    for day, (kind, level) in product(sorted(days), DAILY)]  # fmt: skip
            failed &= {*keys}
            for key in keys:
                if key in failed:
                    continue
                try:
                    await self._puzzles.result(key, partial(self._make, *key))
                except HttpError:
                    pass  # the server is busy: try again later
                except Exception as error:
                    failed.add(key)
                    _log.error("puzzle %s cannot be made: %s", key, type(error).__name__)

    async def _make(self, kind: str, seed: int, level: int) -> Puzzle:
        made: Puzzle = await self.thinking.count(make, kind, seed, level, kind="puzzle")
        return made


def _check_choice(kind: str, level: str) -> tuple[str, int]:
    if kind not in KINDS:
        raise HttpError(404, f"unknown puzzle {quote_short(kind)}; choose from {', '.join(KINDS)}")
    if level not in map(str, LEVELS):
        raise HttpError(
            404, f"level {quote_short(level)}: must be from {LEVELS[0]} to {LEVELS[-1]}"
        )
    return kind, int(level)


def _number(text: str, limit: int, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= limit):
        raise HttpError(
            404, f"{name} {quote_short(text)}: must be a whole number from 0 to {limit}"
        )
    return int(text)


def daily_puzzles(day: date, root: str = "") -> dict[str, Any]:
    """Return values for the template `day.html`: five puzzles of a day, with links and texts."""
    path = f"{root}/puzzles/{VERSION}"
    five = [(kind, level, f"{path}/{kind}/{level}/{day:%Y%m%d}") for kind, level in DAILY]
    return {"day": day, "date": long_date(day), "five": five, "texts": kind_texts()}


def puzzles_html(day: date, root: str = "", other: str = "") -> str:
    """Return the page with the five puzzles of a day, and with all kinds of puzzles.

    If the visitor followed an outdated link to a puzzle, `other` is the version in the link.
    """
    return templates().get_template("puzzles.html").render(
        root=root, today=daily_puzzles(day, root), texts=kind_texts(), levels=LEVELS,
        other=other[:MAX_SHORT_QUOTE], version=VERSION,
    )  # fmt: skip


class Verdict(NamedTuple):
    """The judgement of a visitor's answer to a puzzle.

    Attributes:
        judged: "right", "wrong", or empty if there is no complete and valid answer.
        because: Why the answer is wrong or invalid, or how many SETs were found. May be empty.
        sets: The SETs that were found, if the answer consists of SETs.
        final: Whether the visitor cannot answer again, because the answer was right or because
            `because` reveals the right answer.
        status: HTTP status of the page with the judgement.
        answer: The judged answer. May be empty if there is no judgement.
        was_shown: Whether an earlier page has already shown the judgement and its reason.
    """

    judged: str = ""
    because: str = ""
    sets: tuple[str, ...] = ()
    status: int = 200
    final: bool = False
    answer: str = ""
    was_shown: bool = False


def judge(puzzle: Puzzle, answer: str, cards: Sequence[str] = ()) -> Verdict:
    """Judge an answer to a puzzle. `cards` lists the cards that the visitor claims to be a SET."""
    names = dict(zip(puzzle.position.split(), LETTERS, strict=False)) if cards else {}
    answer = f"{answer} {''.join(sorted(names.get(card, '?') for card in cards))}".strip()
    if not answer:
        return Verdict()
    try:
        right, because = puzzle.check(answer)
    except InputError as error:
        return Verdict(because=str(error), status=422)
    if puzzle.answer_form != "cards":
        named = {text.split()[0] for text in puzzle.answers} & {*answer.split()}
        # The reason why another player cannot have the right card reveals who has it.
        reveals = bool(named) if puzzle.answer_form == "card" else puzzle.answer_form == "yes-no"
        judged, final = "right" if right else "wrong", right or reveals
        return Verdict(judged, because, final=final, answer=answer)
    claimed, all_sets = {*answer.upper().split()}, {*puzzle.answers[0].split()}
    right_sets = tuple(sorted(claimed & all_sets))
    if not right and claimed <= all_sets:
        because = gettext("Found: {count} of {all}.").format(
            count=len(right_sets), all=len(all_sets)
        )
        return Verdict("", because, right_sets)
    return Verdict("right" if right else "wrong", because, right_sets, final=right, answer=answer)


def puzzle_html(
    puzzle: Puzzle, verdict: Verdict, steps: int, today: date, root: str = "", path: str = "",
    table: PageWords | None = None,
) -> str:  # fmt: skip
    """Return the page of a puzzle, with a judged answer and the first `steps` steps of its proof.

    If the puzzle was made from a game, `path` is the link to the puzzle, and `table` writes
    messages with the names of the game's players and cards.
    """
    words, shown = puzzle_words(puzzle, table), puzzle.why[:steps]
    sentences = [words.sentence(step.text) for step in shown]
    places = [number for number, day in enumerate(DAILY) if day == (puzzle.kind, puzzle.level)]
    seed_links = [f"{root}/puzzles/{VERSION}/{kind}/{level}/{puzzle.seed}" for kind, level in DAILY]
    refuted = verdict.because if verdict.judged == "wrong" else ""
    drawn = draw_puzzle(puzzle, words, shown, refuted, may_answer=not verdict.judged)
    kept = {"answer": " ".join(verdict.sets)} if verdict.sets else {}
    kept = {"answered": verdict.answer} if verdict.final else kept
    return templates().get_template("puzzle.html").render(
        drawn, root=root, puzzle=puzzle, title=kind_texts()[puzzle.kind][0],
        link=path or f"{root}/puzzles/{VERSION}/{puzzle.kind}/{puzzle.level}/{puzzle.seed}",
        question=words.sentence(puzzle.question), judged=verdict.judged, found=verdict.sets,
        because=words.sentence(verdict.because), shown=sentences,
        solved=words.sentence(words.answers(puzzle.answers)), was_shown=verdict.was_shown,
        kept=f"{urlencode(kept)}&" if kept else "",
        daily=bool(places) and not path, today=daily_puzzles(today, root), final=verdict.final,
        is_today=puzzle.seed == int(f"{today:%Y%m%d}"),
        next=next((seed_links[place + 1] for place in places if place + 1 < len(DAILY)), ""),
        game_link=path.rpartition("/")[0], offered=_choices(puzzle, words),
    )  # fmt: skip


def _choices(puzzle: Puzzle, words: PuzzleWords) -> list[list[tuple[str, str]]]:
    allowed = sorted({*puzzle.answers, *puzzle.wrong})
    if puzzle.answer_form == "card":
        cards, players = ({text.split()[part] for text in allowed} for part in (0, 1))
        listed = [(str(card), words.card(card)) for card in sorted(map(Card.parse, cards))]
        return [listed, [(player, words.player(int(player))) for player in sorted(players)]]
    if puzzle.answer_form == "cards":
        return [[(card, words.text(SetCard(int(card)))) for card in puzzle.position.split()]] * 3
    return [] if puzzle.answer_form == "yes-no" else [[(x, words.answer(x)) for x in allowed]]
