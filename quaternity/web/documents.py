"""JSON documents of the API: a table, and the choices that the form for a new table offers."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

from quaternity.table.games import registration
from quaternity.web.forms import form_fields
from quaternity.web.new_table import decks_of, known_players
from quaternity.web.table_view import TableView

MAX_LISTED_MOVES = 500
"""Maximum number of legal moves that are listed in the JSON description of a table."""


def document(sight: TableView, base: str) -> dict[str, Any]:
    """Return everything that a visitor may see of a table and its game, as a JSON object.

    The links in the object begin with `base`, the address of the server.
    """
    rules, seat = sight.rules, sight.seat
    may_move = seat in sight.to_act and seat in sight.own_seats and not sight.empty_seats
    listed = list(islice(rules.moves(sight.view), MAX_LISTED_MOVES + 1)) if may_move else []
    outcome = None if sight.places is None else {"places": sight.places, "points": sight.points}
    return {
        "table": sight.table,
        "game": sight.game,
        "settings": sight.settings,
        "deck": sight.deck,
        "version": sight.version,
        "seat": seat,
        "begun": sight.begun,
        "invitation": sight.invitation and f"{base}/join/{sight.invitation}",
        "seats": [
            {"name": s.name, "kind": s.kind, "present": s.present, "ready": s.ready}
            for s in sight.seats
        ],
        "to_act": sight.to_act,
        "awaited": sight.empty_seats,
        "view": rules.view_json(sight.view) if sight.begun else None,
        "moves": [rules.write(move) for move in listed[:MAX_LISTED_MOVES]],
        **({"more": True} if len(listed) > MAX_LISTED_MOVES else {}),
        "points": sight.points,
        "outcome": outcome,
        "help": sight.help,
        "practice": sight.practice,
        "thinking": sight.thinking,
        "undo": sight.undo,
        "notice": sight.notice,
        "again": sight.rematch,
        "chat": sight.chat,
        "clock": None
        if sight.clock is None
        else {**sight.clock._asdict(), "left": [round(left, 1) for left in sight.times_left]},
        "evening": [score._asdict() for score in sight.series],
    }


def document_text(sight: TableView, base: str) -> str:
    """Return the JSON object of `document` as text."""
    return json.dumps(document(sight, base), separators=(",", ":"))


def game_document(game: str, more: Any) -> dict[str, Any]:
    """Return the choices that the form for a new table offers, as a JSON object.

    They are the settings, computer players, levels and decks of a game. The keys of `more` are
    pairs (game, name) of the computer players that the operator has added.
    """
    return {
        "game": game,
        "settings": [form_field._asdict() for form_field in form_fields(game)],
        "players": known_players(game, more),
        "levels": [level._asdict() for level in registration(game).levels],
        "decks": [deck.name for deck in decks_of(game)],
    }
