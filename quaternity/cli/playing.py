"""Functions that start or resume a match, shared by all `play` commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from random import Random
from typing import Any, NamedTuple

from quaternity.base.append_file import AppendOnlyFile
from quaternity.base.errors import InputError
from quaternity.base.names import split_names
from quaternity.base.reading import read_bytes
from quaternity.base.text_format import with_noun
from quaternity.base.text_record import check_requested
from quaternity.cli.deck_option import deck_words
from quaternity.cli.failed_players import print_player_traceback
from quaternity.cli.input_files import prefix_errors, print_warnings
from quaternity.cli.match import GameWords, MatchSession
from quaternity.table.history import History
from quaternity.table.journal import MatchJournal
from quaternity.table.match import Match
from quaternity.table.player_file import resolve_player
from quaternity.table.players import YOU, is_program
from quaternity.workers.isolated_calls import check_move_seconds


class MatchOptions(NamedTuple):
    """The options of a match.

    Attributes:
        record: the file in which the match is recorded, and from which it is resumed.
        seed: the random seed, or None to draw a seed.
        move_seconds: time limit for each move of a program, in seconds, or None for the default.
        traceback: whether to print the traceback of a player that fails.
        deck: the name of the deck that names the cards, or None to refer to cards by number.
        player_file: the file that defines names of players, or None for the default file.
    """

    record: str | None
    seed: int | None
    move_seconds: float | None
    traceback: bool
    deck: str | None = None
    player_file: str | None = None


def seats_of(text: str | None) -> list[str] | None:
    """Split a list of players such as `you,exact,greedy`. Return None if there is no list."""
    return None if text is None else split_names(text)


def play_match(
    rules_class: Any,
    settings: Callable[..., Any],
    options: Mapping[str, Any],
    words: GameWords,
    seats: Callable[[Any], list[str] | None],
    default: Sequence[str] | None,
    playing: MatchOptions,
) -> None:
    """Play a match at this terminal, either a new match or the match in a record.

    Args:
        settings: function that returns the settings of a new match. It takes the options that the
            user set.
        options: the value of each setting by name, or None if the user did not set the option.
        seats: function that takes the rules and returns the players that the user named, or None.
        default: the players if neither the user nor the record names any. None means that people
            play in all seats.
    """
    record, seed, seconds, traceback, deck, _ = playing
    check_move_seconds(seconds)
    options = {name: value for name, value in options.items() if value is not None}
    # Never show the seed, because the hands of all players may follow from it.
    chance = str(Random().getrandbits(64) if seed is None else seed)
    journal = None
    if record is not None and AppendOnlyFile.exists(record):
        with prefix_errors(record):
            rules = rules_class.of_record(read_bytes(record))
        check_requested(options, rules.settings)
        speech = deck_words(deck, rules.settings)
        journal, replay = MatchJournal.resume(record, rules)
        print_warnings(record, replay.warnings)
    with journal or nullcontext():
        if journal is not None:
            requested = _resolve_names(rules, seats(rules), playing.player_file)
            names = _choose_players(rules, requested, default, replay.names, journal.seats)
            history = History.of_replay(rules, replay)
            match = Match(rules, names, chance, history, seconds)
            print(f"resuming {record} after {with_noun(history.whole_moves, 'move')}")
        else:
            rules = rules_class(settings(**options))
            speech = deck_words(deck, rules.settings)
            requested = _resolve_names(rules, seats(rules), playing.player_file)
            names = _choose_players(rules, requested, default)
            match = Match(rules, names, chance, move_seconds=seconds)
            if record is not None:
                journal = MatchJournal.begin(record, match)
        with journal or nullcontext(), print_player_traceback(traceback):
            MatchSession(match, words, journal, speech).run()


def _resolve_names(rules: Any, names: list[str] | None, file: str | None) -> list[str] | None:
    return names and [resolve_player(rules.name, name, file) for name in names]


def _choose_players(
    rules: Any,
    requested: list[str] | None,
    default: Sequence[str] | None,
    recorded: tuple[str, ...] = (),
    reassigned: tuple[str, ...] = (),
) -> list[str]:
    """Return the players of all seats.

    `requested` contains the players that the user named. `recorded` contains the first players in
    the record, and `reassigned` the players after seats were handed over.
    """
    reassigned = reassigned if len(reassigned) == rules.seats else ()
    if requested is not None and recorded and tuple(requested) not in (recorded, reassigned):
        raise InputError(
            f"--seats {','.join(requested)!r}: must be {','.join(recorded)!r}, as in the record"
        )
    if (
        reassigned
        and (recorded or requested is None)
        and (requested or not any(map(is_program, reassigned)))
    ):
        return list(reassigned)
    if requested is None and any(map(is_program, recorded)):
        # A record may come from anybody, so do not run the programs in it without consent.
        raise InputError(
            f"the players in the record include programs ({','.join(recorded)}); to run them, list "
            "the players with --seats"
        )
    players = list(recorded) or requested or list(default or [YOU] * rules.seats)
    if requested is None and not recorded and len(players) != rules.seats:
        raise InputError(
            f"the record does not name its {rules.seats} players; list them with --seats"
        )
    return players
