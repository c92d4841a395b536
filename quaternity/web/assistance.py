"""Help for players: hints, computed facts about the game, and pencil marks.

A pencil mark is a player's own note about whether another player has a card.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quaternity.base.errors import QuaternityError
from quaternity.base.plugins import load_place
from quaternity.base.text_format import join_words
from quaternity.table.games import registration
from quaternity.table.match import choose_move_isolated
from quaternity.web.actor import LiveTable
from quaternity.web.changes import Statement
from quaternity.web.core import TableState
from quaternity.web.drawing.words import move_text
from quaternity.web.http_errors import HttpError
from quaternity.web.live_tables import LiveTables
from quaternity.web.rate_limits import WORK
from quaternity.web.seats import Visitor
from quaternity.web.view import record_of

MARKS = ("yes", "no", "maybe", "none")
"""Allowed values of a pencil mark: a note about whether a player has a card. The value `none`
removes the mark."""


class Assistance:
    """Gives help to the players at a table, and stores their pencil marks."""

    def __init__(self, live: LiveTables) -> None:
        self._store, self._thinking = live.store, live.thinking

    async def help(
        self, table: LiveTable, visitor: Visitor, word: str, asked: Mapping[str, str]
    ) -> Any:
        """Return a JSON document with the requested help, such as a hint.

        `word` names the kind of help, and `asked` contains its parameters. The module
        `quaternity.web.hints` describes the kinds, their parameters and the documents.

        Raises `HttpError` if the kind is unknown, help is not allowed at this table, or the help
        cannot be computed.
        """
        state = table.state
        state.check_begun()
        rules = state.rules
        helpers = registration(rules.name).helpers
        if word != "hint" and word not in helpers:
            raise HttpError(404, f"help: choose from {', '.join((*helpers, 'hint'))}")
        if not state.stored.options.help:
            raise HttpError(403, "help is not allowed at this table")
        view = rules.view(state.history.position, visitor.looking)
        try:
            if word == "hint":
                return await self._hint(state, visitor, view)
            record = "" if state.is_secret else await record_of(state, visitor, self._thinking)
            helper = load_place(helpers[word])
            kind = word if word in WORK else "help"
            return await self._thinking.count(helper, rules, view, record, dict(asked), kind=kind)
        except QuaternityError as error:
            if isinstance(error, HttpError):
                raise
            raise HttpError(422, str(error)) from None

    async def _hint(self, state: TableState, visitor: Visitor, view: Any) -> dict[str, Any]:
        rules, seat = state.rules, visitor.looking
        if seat is None or seat not in visitor.seats or seat not in state.to_act:
            raise HttpError(409, "it is not this seat's turn", version=state.version)
        name = registration(rules.name).strongest
        chance = state.history.game.chance(state.stored.deal.seed, "hint")
        player = self._thinking.players.get((rules.name, name), name)
        # Compute hints like counts, so that they do not delay the moves of programs.
        text, _ = await self._thinking.count(
            choose_move_isolated, rules, player, seat, state.history.game.steps(), view, chance
        )
        if text is None:
            return {"move": None, "by": name}
        move, more = rules.read(text, view), {}
        if (advice := registration(rules.name).part("advice")) is not None:
            more = await self._thinking.count(advice, view, move)
        return {"move": move_text(move, text), "by": name, **more}

    async def marks(self, state: TableState, seat: int) -> dict[str, str]:
        """Return the pencil marks of a player: their own notes about who has which card.

        The key `1 0/2` stands for player 1 and card 0/2. The value is one of `MARKS`.
        """
        # Check the token in the query, because another server may have just given the seat away.
        query = (
            "SELECT cell, mark FROM marks JOIN seats USING (table_id, seat) "
            "WHERE table_id = ? AND seat = ? AND token = ?"
        )
        return dict(await self._store.rows(query, state.id, seat, state.seats[seat].token))

    async def mark(self, table: LiveTable, seat: int, cell: tuple[int, str], mark: str) -> None:
        """Store or remove a player's own note about whether another player has a card.

        `cell` is a pair: number of the player, name of the card. `mark` is one of `MARKS`.

        Raises `HttpError` if the game has no such player or card, or there is no such mark.
        """
        state = table.state
        state.check_begun()
        player, card = cell
        settings = state.rules.settings
        sets, size = getattr(settings, "sets", 0), getattr(settings, "set_size", 0)
        # In some games, the cards that are set aside count as a further hand.
        hands = getattr(settings, "hands", len(state.seats))
        if player not in range(hands):
            raise HttpError(422, f"player: must be from 0 to {hands - 1}, not {player}")
        if card not in {f"{index}/{number}" for index in range(sets) for number in range(size)}:
            raise HttpError(422, "card: must be a card of this game, such as 0/2")
        if mark not in MARKS:
            raise HttpError(422, f"mark: must be one of {join_words(MARKS)}")
        place = state.id, seat, f"{player} {card}"
        erase = "DELETE FROM marks WHERE table_id = ? AND seat = ? AND cell = ?"
        statements: list[Statement] = [(erase, place)]
        if mark != "none":
            keep = "INSERT INTO marks (table_id, seat, cell, mark) VALUES (?, ?, ?, ?)"
            statements.append((keep, (*place, mark)))
        await table.write(statements)
