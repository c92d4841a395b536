"""The common part of the four `play` commands: how a match begins or goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.growing_file import GrowingFile
from quaternity.base.names import split_names
from quaternity.base.reading import read_bytes
from quaternity.base.text_record import check_asked
from quaternity.base.wording import counted
from quaternity.cli.chosen_deck import deck_words
from quaternity.cli.failed_players import traced
from quaternity.cli.match import GameWords, MatchSession
from quaternity.cli.opening import named, tell_oddities
from quaternity.table.journal import MatchJournal
from quaternity.table.match import Match
from quaternity.table.player_file import named_player
from quaternity.table.players import YOU, is_program
from quaternity.workers.own_process import check_move_seconds


class Playing(NamedTuple):
    """The options of a match.

    Attributes:
        record: the file to keep it in, and to resume it from.
        seed: of all chance; drawn when it is None.
        move_seconds: the longest that a program may think for a move.
        player_file: the file that names players, if one is named.
    """

    record: str | None
    seed: int | None
    move_seconds: float | None
    traceback: bool
    deck: str | None = None
    player_file: str | None = None


def seats_of(text: str | None) -> list[str] | None:
    """Return the names in a list such as `you,exact,greedy`."""
    return None if text is None else split_names(text)


def play_match(
    rules_class: Any,
    settings: Callable[..., Any],
    asked: Mapping[str, Any],
    words: GameWords,
    seats: Callable[[Any], list[str] | None],
    default: Sequence[str] | None,
    playing: Playing,
) -> None:
    """Play a match at this terminal, a new one or that of a record.

    Args:
        settings: makes the settings of a new match of those that were asked for.
        asked: settings by name; None where nothing was asked for.
        seats: returns the players that were asked for, if any, given the rules.
        default: who plays when neither a name was given nor the record says; None: people.
    """
    record, seed, seconds, traceback, deck, _ = playing
    check_move_seconds(seconds)
    asked = {name: value for name, value in asked.items() if value is not None}
    # The seed is never shown: it may say what everybody holds.
    chance = str(Random().getrandbits(64) if seed is None else seed)
    journal = None
    if record is not None and GrowingFile.exists(record):
        with named(record):
            rules = rules_class.of_record(read_bytes(record))
        check_asked(asked, rules.settings)
        speech = deck_words(deck, rules.settings)
        journal, replay = MatchJournal.resume(record, rules)
        tell_oddities(record, replay.warnings)
    with journal or nullcontext():
        if journal is not None:
            chosen = _named(rules, seats(rules), playing.player_file)
            names = _seated(rules, chosen, default, replay.names, journal.seats)
            match = Match(rules, names, chance, replay.positions, replay.moves, seconds)
            print(f"resuming {record} after {counted(match.whole_moves, 'move')}")
        else:
            rules = rules_class(settings(**asked))
            speech = deck_words(deck, rules.settings)
            chosen = _named(rules, seats(rules), playing.player_file)
            names = _seated(rules, chosen, default)
            match = Match(rules, names, chance, move_seconds=seconds)
            if record is not None:
                journal = MatchJournal.begin(record, match)
        with journal or nullcontext(), traced(traceback):
            MatchSession(match, words, journal, speech).run()


def _named(rules: Any, names: list[str] | None, file: str | None) -> list[str] | None:
    return names and [named_player(rules.name, name, file) for name in names]


def _seated(
    rules: Any,
    chosen: list[str] | None,
    default: Sequence[str] | None,
    known: tuple[str, ...] = (),
    handed: tuple[str, ...] = (),
) -> list[str]:
    """Return who plays: `chosen` names, those `known` in a record, or who was `handed` a seat."""
    handed = handed if len(handed) == rules.seats else ()
    if chosen is not None and known and tuple(chosen) not in (known, handed):
        raise InputError(
            f"seats {','.join(chosen)!r} was asked for, but the record has {','.join(known)!r}"
        )
    if handed and (known or chosen is None) and (chosen or not any(map(is_program, handed))):
        return list(handed)
    if chosen is None and any(map(is_program, known)):
        # A record may come from anybody: what it names is not run unasked.
        raise InputError(
            f"the record names programs, {','.join(known)!r}: to run them, say so with --seats"
        )
    players = list(known) or chosen or list(default or [YOU] * rules.seats)
    if chosen is None and not known and len(players) != rules.seats:
        raise InputError(
            f"the record does not say who plays its {rules.seats} seats: name them with --seats"
        )
    return players
