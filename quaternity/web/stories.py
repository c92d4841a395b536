"""The story of a finished game: its decisive moments, and new tables that continue from them."""

from __future__ import annotations

from asyncio import gather
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from quaternity.base.sentences import Message
from quaternity.review.drawing import curve_svg
from quaternity.review.reviewing import CHANGED, Moment, Review
from quaternity.table.games import registration
from quaternity.web.actor import LiveTable
from quaternity.web.changes import Entry
from quaternity.web.core import TableState
from quaternity.web.drawing.frame import table_context
from quaternity.web.drawing.words import page_words, plain_names, sight_words
from quaternity.web.http_errors import HttpError
from quaternity.web.middleware import caller_of, document_of, root_of
from quaternity.web.puzzle_pages import PuzzlePages
from quaternity.web.rate_limits import RateLimits
from quaternity.web.rendering import templates
from quaternity.web.requests import Handlers, created, read_field
from quaternity.web.reviews import Reviews
from quaternity.web.seating import new_state
from quaternity.web.seats import (
    PERSON,
    PROGRAM,
    Deal,
    Owner,
    Seat,
    StoredTable,
    Visitor,
    hash_token,
    new_token,
)
from quaternity.web.table_view import TableView
from quaternity.web.tables import Tables
from quaternity.web.view import view_table

MAX_LINES = 2
"""Maximum number of sentences about the moment that decided a game."""


class ToldMoment(NamedTuple):
    """A decisive move, as the story of the game describes it.

    Attributes:
        before: Number of moves of the table before this move.
        after: Number of moves of the table after this move and its answer.
        certain: Whether the judgement is proved. If not, it is estimated. None for a fact.
        better: The move that would have been better, or None if none is known.
    """

    number: int
    seat: int
    before: int
    after: int
    events: tuple[str, ...]
    lines: tuple[str, ...]
    certain: bool | None
    better: Any


def told_moments(review: Review) -> list[ToldMoment]:
    """Return the decisive moments of a review, beginning with the one that decided the game.

    A proved mistake comes first, then the largest change of a player's chances.
    """
    points = {point.after: point for point in review.curve}
    ranked = []
    for moment in review.moments:
        old, new = points.get(moment.number - 1), points.get(moment.number)
        change = 0.0
        if old and new and old.chances and new.chances:
            change = max(abs(x - y) for x, y in zip(old.chances, new.chances, strict=True))
        story_moment = _tell(review, moment, bool(old and new and old.exact and new.exact))
        ranked.append(
            (
                story_moment.better is None or not story_moment.certain,
                -change,
                moment.number,
                story_moment,
            )
        )
    return [moment for *_, moment in sorted(ranked, key=lambda rank: rank[:3])]


def _tell(review: Review, moment: Moment, is_exact: bool) -> ToldMoment:
    places = [at for at, move in enumerate(review.moves) if move.number == moment.number]
    mistakes = [at for at in places if review.moves[at].mistake]
    at = (*mistakes, places[0])[0]
    worth = review.moves[at].worth if mistakes else None
    events = review.moves[places[-1]].events
    changed, *notes = moment.lines[len(events) :]
    lines = (*reversed(notes), changed) if mistakes else (changed, *notes)
    is_change = isinstance(changed, Message) and changed.kind == CHANGED
    certain = worth.exact if worth else is_exact if is_change else None
    better = None if worth is None else worth.by
    return ToldMoment(
        moment.number, review.moves[at].seat, at, places[-1] + 1, events, lines[:MAX_LINES],
        certain, better,
    )  # fmt: skip


def story_html(
    sight: TableView, review: Review, root: str = "", whole: bool = False, has_puzzle: bool = False
) -> str:
    """Return the story of a game as a part of the page of its table, or as a whole page.

    `sight` shows the table right before the moment that decided the game. `has_puzzle` says whether
    the story offers a puzzle from the game.
    """
    words, moments = sight_words(sight), told_moments(review)
    ends = {move.number: at + 1 for at, move in enumerate(review.moves)}
    path = f"{root}/t/{sight.table}/at"
    moves = [
        {
            "number": number,
            "events": [words.say(event) for event in group[-1].events],
            "lines": [words.say(line) for move in group for line in move.lines],
            "mistake": any(move.mistake for move in group),
            "after": ends[number],
        }
        for number, group in (
            (number, list(moves))
            for number, moves in groupby(review.moves, key=lambda move: move.number)
        )
    ]
    context = table_context(sight, "", root, replayed=True)
    sentences = [
        moment._replace(
            events=tuple(map(words.say, moment.events)), lines=tuple(map(words.say, moment.lines))
        )
        for moment in moments
    ]
    curve = curve_svg(review, words, lambda after: f"{path}/{ends.get(after, 0)}")
    return templates().get_template("review.html" if whole else "story.html").render(
        context, title=registration(sight.game).title, moments=sentences, moves=moves,
        unfinished=[words.say(line) for line in review.unfinished], curve=Markup(curve), path=path,
        has_puzzle=has_puzzle,
    )  # fmt: skip


class Stories(Handlers):
    """The handlers of requests for the stories of finished games, and puzzles from them."""

    def __init__(self, tables: Tables, admission: RateLimits, puzzles: PuzzlePages) -> None:
        super().__init__(tables, admission)
        self.reviews, self.puzzles = Reviews(tables.thinking), puzzles

    def routes(self) -> list[BaseRoute]:
        """Return the routes of stories, which exist only when the game is over."""
        return [
            Route("/t/{table}/story", self.story),
            Route("/t/{table}/review", self.page),
            Route("/t/{table}/puzzle", self.puzzle),
            Route("/api/tables/{table}/try", self.try_again, methods=["POST"]),
        ]

    async def story(self, request: Request) -> Response:
        """`GET /t/T/story`: return the story of a finished game as a part of a page."""
        return await self._respond(request, whole=False)

    async def page(self, request: Request) -> Response:
        """`GET /t/T/review`: return the page with the story and all moves of a finished game."""
        return await self._respond(request, whole=True)

    async def _respond(self, request: Request, whole: bool) -> Response:
        table, visitor = await self.open_table(request)
        review, has_puzzle = await gather(
            self.reviews.review(table, visitor), self._has_puzzle(table, visitor)
        )
        moments = told_moments(review)
        # All viewers see the board of the player whose move decided the game.
        at = moments[0].before if moments else len(review.moves)
        visitor = table.identify(caller_of(request), moments[0].seat if moments else None)
        sight = view_table(table, visitor, await table.replays.position(table.state, at))
        draws = True, story_html, sight, review, root_of(request), whole, has_puzzle
        return HTMLResponse(await self.tables.thinking.draw(*draws))

    async def _has_puzzle(self, table: LiveTable, visitor: Visitor) -> bool:
        try:
            return await self.reviews.puzzle(table, visitor) is not None
        except HttpError:  # The story is also shown without a puzzle.
            return False

    async def puzzle(self, request: Request) -> Response:
        """`GET /t/T/puzzle?answer=&steps=`: return the page of a puzzle from a finished game."""
        table, visitor = await self.open_table(request)
        puzzle, state = await self.reviews.puzzle(table, visitor), table.state
        if puzzle is None:
            raise HttpError(404, "no puzzle was found in this game")
        words = page_words(state.stored.options.deck, state.seats, state.rules.name)
        path = f"{root_of(request)}/t/{state.id}/puzzle"
        return await self.puzzles.respond(request, puzzle, path, words)

    async def try_again(self, request: Request) -> Response:
        """`POST /api/tables/T/try`: make a table that continues with a better move.

        The caller gets the seat of the player who missed the move. Programs play all others.
        """
        sent = await document_of(request, self.limits.body)
        number = read_field(sent, "number", int)
        self.count()
        table, visitor = await self.open_table(request)
        review = await self.reviews.review(table, visitor)
        moments = {moment.number: moment for moment in told_moments(review)}
        if number not in moments:
            raise HttpError(404, "there is no decisive moment with this number")
        await self.check_stored_tables()
        caller, cookie = await self.with_cookie(request)
        name, token = new_token(), new_token()
        owner = Owner(hash_token(token), caller.cookie_hash)
        seat = table.state.seats[visitor.seats[0]] if visitor.seats else None
        player = seat.person if seat else None
        stored, seats, log = branch(table.state, moments[number], name, owner, player)
        state = new_state(stored, table.state.rules, "", seats, self.tables.store.uptime())
        await self.tables.lobby.store(state, log)
        return created(
            request, {"table": name, "seat": moments[number].seat, "token": token}, cookie
        )


def branch(
    state: TableState, moment: ToldMoment, name: str, owner: Owner, player: str | None = None
) -> tuple[StoredTable, tuple[Seat, ...], list[Entry]]:
    """Return a table that repeats a game up to a decisive move, and continues with a better move.

    The owner gets the seat of the player who made the decisive move. Programs play all others.
    `player` is the name of the owner. By default, it is the name of the player who made the move.
    """
    rules, game, program = state.rules, state.history.game, state.usual_program()
    moves = [(seat, rules.write(move)) for seat, move in game.moves[: moment.before]]
    if moment.better is not None:
        moves.append((moment.seat, rules.write(moment.better)))
    log = [Entry(name, number, seat, "", move) for number, (seat, move) in enumerate(moves, 1)]
    before = state.seats[moment.seat]
    person = player or before.person or plain_names(state.seats, rules.name)[moment.seat]
    seats = tuple([
        Seat(PERSON, person, person, owner) if number == moment.seat else Seat(PROGRAM, program)
        for number in range(len(state.seats))
    ])  # fmt: skip
    options = state.stored.options._replace(practice=True, archive=False, chat=False, clock=None)
    deal = Deal(str(rules.record_start(game.start, ())), new_token())
    return StoredTable(name, state.stored.game, deal, options, owner.browser), seats, log
