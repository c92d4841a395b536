"""The story of a finished game: its decisive moments, and new tables that continue from them.

A decisive moment is a move after which the players' chances to win changed a lot. The story
describes these moments, beginning with the most important moment. A visitor can try a moment again:
a new table, called a branch, repeats the game up to this moment and continues from there. A review
lists all moves of the game and judges them.
"""

from __future__ import annotations

from asyncio import gather, to_thread
from contextlib import suppress
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from quaternity.base.errors import QuaternityError
from quaternity.base.sentences import Message
from quaternity.review.drawing import curve_svg
from quaternity.review.reviewing import CHANGED, Moment, Review, is_about
from quaternity.table.games import registration
from quaternity.web.changes import Entry, VersionConflict
from quaternity.web.core import TableState
from quaternity.web.drawing.frame import table_context
from quaternity.web.drawing.words import asked_card, page_words, plain_names, sight_words
from quaternity.web.http_errors import TRIED_OFTEN, HttpError
from quaternity.web.middleware import (
    caller_of,
    is_browser,
    new_cookie,
    root_of,
    secret_of,
    set_cookie,
)
from quaternity.web.puzzle_pages import PuzzlePages
from quaternity.web.rate_limits import RateLimits
from quaternity.web.rendering import templates
from quaternity.web.request_fields import TryFields
from quaternity.web.requests import Handlers, answer_with_cookie
from quaternity.web.reviews import Reviews
from quaternity.web.seats import (
    PERSON,
    PROGRAM,
    Deal,
    Owner,
    Seat,
    StoredTable,
    Visitor,
    default_name,
    derive_token,
    hash_token,
    new_token,
    renumber,
)
from quaternity.web.table_rows import TableRows, rebuild
from quaternity.web.table_view import TableView
from quaternity.web.tables import Tables
from quaternity.web.view import view_table

MAX_BRANCHES = 20
"""Maximum number of tables at which one visitor may replay a game from the same decisive move."""

MAX_LINES = 2
"""Maximum number of sentences that say why a move was decisive."""


class ToldMoment(NamedTuple):
    """A decisive move of a finished game: its events, and why it was decisive.

    Attributes:
        number: Number of the decisive move in the review of the game, which counts a question and
            its answer as one move.
        seat: Seat of the player who made the move.
        before: Number of moves at the table before this move.
        after: Number of moves at the table after this move, and after its answer if there is one.
        events: Sentences that say what happened.
        lines: Sentences that say why the move was decisive, at most `MAX_LINES`.
        certain: True if `lines` are proved, and False if they are estimated. None for plain facts.
        better: A move that would have been better, or None if none is known.
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
    """Return the decisive moves of a reviewed game, beginning with the most important move.

    Proved mistakes come first. Then come the moves that changed a player's chances most. Of equal
    changes, the latest comes first.
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
                -moment.number,
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
    lines = (changed, *notes)
    if worth is not None:
        *notes, reason = review.moves[at].notes
        lines = (reason, *[note for note in notes if is_about(note, worth.by)], changed)
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
    """Return an HTML text about the decisive moves of a finished game.

    Args:
        sight: What the visitor may see of the table just before the most important of these moves.
        review: The review of the game.
        root: The path with which all links to this server begin.
        whole: Whether to return a complete page, which also lists all moves. Otherwise, the result
            is a part for the page of the game.
        has_puzzle: Whether to show a link to a puzzle from the game.
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
    if moments and "asked" in context["drawn"]:
        # Mark the card of the decisive move, although the board shows the position before it.
        context["drawn"]["asked"] = asked_card(moments[0].events[0])
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
    """Answers requests for the story of a finished game, and for a puzzle from the game.

    The story describes the decisive moves of the game.
    """

    def __init__(self, tables: Tables, admission: RateLimits, puzzles: PuzzlePages) -> None:
        super().__init__(tables, admission)
        self.reviews, self.puzzles = Reviews(tables.store, tables.thinking), puzzles

    def routes(self) -> list[BaseRoute]:
        """Return the routes for stories and puzzles. Requests fail until the game is over."""
        return [
            Route("/t/{table}/story", self.story),
            Route("/t/{table}/review", self.page),
            Route("/t/{table}/puzzle", self.puzzle),
            Route("/api/tables/{table}/try", self.try_again, methods=["POST"]),
        ]

    async def story(self, request: Request) -> Response:
        """`GET /t/T/story`: return the decisive moves of a finished game, for its page."""
        response = await self._respond(request, whole=False)
        if caller_of(request).cookie_hash is None and is_browser(request.headers):
            # Set the cookie now, before the visitor tries a moment again. If the response to that
            # request is lost, the visitor can repeat it and gets the same table.
            set_cookie(response, request, new_cookie(request))
        return response

    async def page(self, request: Request) -> Response:
        """`GET /t/T/review`: return a page with all moves of a finished game, judged."""
        return await self._respond(request, whole=True)

    async def _respond(self, request: Request, whole: bool) -> Response:
        table, visitor = await self.open_table(request)
        state = table.state  # use this state throughout, even if the table changes
        review, has_puzzle = await gather(
            self.reviews.review(state, visitor), self._has_puzzle(state, visitor)
        )
        moments = told_moments(review)
        # Show all visitors what the player who made the most important move saw before it.
        at = moments[0].before if moments else len(review.moves)
        visitor = state.visitor(caller_of(request), moments[0].seat if moments else None)
        sight = view_table(table, visitor, await table.replays.position(state, at), state)
        draws = True, story_html, sight, review, root_of(request), whole, has_puzzle
        return HTMLResponse(await self.tables.thinking.draw(*draws))

    async def _has_puzzle(self, state: TableState, visitor: Visitor) -> bool:
        try:
            return await self.reviews.puzzle(state, visitor) is not None
        except QuaternityError:  # The story is shown even if the puzzle cannot be made.
            return False

    async def puzzle(self, request: Request) -> Response:
        """`GET /t/T/puzzle?answer=&steps=`: return a page with a puzzle from a finished game.

        `PuzzlePages.respond` describes the values in the query.
        """
        table, visitor = await self.open_table(request)
        state = table.state
        puzzle = await self.reviews.puzzle(state, visitor)
        if puzzle is None:
            raise HttpError(404, "no puzzle was found in this game")
        words = page_words(state.stored.options.deck, state.seats, state.rules.name)
        path = f"{root_of(request)}/t/{state.id}/puzzle"
        return await self.puzzles.respond(request, puzzle, path, words)

    async def try_again(self, request: Request) -> Response:
        """`POST /api/tables/T/try`: make a table that continues from a decisive move of a game.

        If a better move is known, it has already been made at the new table. The caller gets the
        seat of the player who made the decisive move, and computer players get the others. A
        repeated request returns the same table until the caller has made a move there.
        """
        sent = await self.read(request, TryFields)
        self.count()
        table, visitor = await self.open_table(request)
        state = table.state  # use this state throughout, even if the table changes
        review = await self.reviews.review(state, visitor)
        moment = next((m for m in told_moments(review) if m.number == sent.number), None)
        if moment is None:
            raise HttpError(404, "there is no decisive moment with this number")
        caller, cookie = await self.with_cookie(request)
        secret = (cookie or secret_of(request) or new_token()).encode()
        name, is_stored = await self._find_branch(state, moment, secret)
        token = derive_token(secret, f"token {name}")
        if not is_stored:
            await self.check_stored_tables()
            owner = Owner(hash_token(token), caller.cookie_hash)
            own = [renumber(state.seats[seat], seat, moment.seat) for seat in visitor.seats]
            player = own[0].person if own else None
            stored, seats, log = branch(state, moment, name, owner, player)
            # Rebuild the game first. This fails if the table could not be opened, so that such a
            # table is never stored.
            rows = TableRows(stored, 0, None, None, seats, log)
            with suppress(VersionConflict):  # a simultaneous request has stored the same table
                await self.tables.lobby.store(rows.state(await to_thread(rebuild, rows)), log)
        document = {"table": name, "seat": moment.seat, "token": token}
        return answer_with_cookie(request, document, cookie)

    async def _find_branch(
        self, state: TableState, moment: ToldMoment, secret: bytes
    ) -> tuple[str, bool]:
        """Return the id of a table at which the caller can try a move, and whether it exists.

        The ids of the caller's tables for a move are derived from the caller's secret. The result
        is the first of these tables that is not stored, or at which the caller has not made a move.

        Raises `HttpError` if the caller has made moves at `MAX_BRANCHES` tables.
        """
        last = moment.before + (moment.better is not None)
        query = (
            "SELECT EXISTS (SELECT 1 FROM log WHERE table_id = tables.id AND version > ? AND "
            "seat = ?) FROM tables WHERE id = ?"
        )
        for attempt in range(MAX_BRANCHES):
            text = f"try {attempt} {state.id} {state.version} {moment.number}"
            name = derive_token(secret, text)
            rows = await self.tables.store.rows(query, last, moment.seat, name)
            if not rows or not rows[0][0]:
                return name, bool(rows)
        raise HttpError(409, TRIED_OFTEN(most=MAX_BRANCHES))


def branch(
    state: TableState, moment: ToldMoment, name: str, owner: Owner, player: str | None = None
) -> tuple[StoredTable, tuple[Seat, ...], list[Entry]]:
    """Return a table that repeats a game up to a decisive move: its row, its seats and its log.

    If a better move is known, the log ends with it. Computer players get all seats but one.

    Args:
        state: The table of the finished game.
        moment: The decisive move.
        name: Id of the new table.
        owner: Hashes that identify the person who gets the seat. It is the seat of the player who
            made the decisive move.
        player: Name of this person. None to use the name of the player who made the decisive move.
    """
    rules, game = state.rules, state.history.game
    program = registration(rules.name).usual_program
    moves = [(seat, rules.write(move)) for seat, move in game.moves[: moment.before]]
    if moment.better is not None:
        moves.append((moment.seat, rules.write(moment.better)))
    log = [Entry(name, number, seat, "", move) for number, (seat, move) in enumerate(moves, 1)]
    before = state.seats[moment.seat]
    usual, names = default_name(moment.seat), plain_names(state.seats, rules.name)
    shown = usual if before.name == usual else names[moment.seat]
    person = player or before.person or shown
    seats = tuple([
        Seat(PERSON, person, person, owner) if number == moment.seat else Seat(PROGRAM, program)
        for number in range(len(state.seats))
    ])  # fmt: skip
    options = state.stored.options._replace(practice=True, archive=False, chat=False, clock=None)
    deal = Deal(str(rules.record_start(game.start, ())), new_token())
    return StoredTable(name, state.stored.game, deal, options, owner.browser), seats, log
