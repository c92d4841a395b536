"""`--deck`: what cards are called at the terminal."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quaternity.base.errors import IllegalMove, InputError
from quaternity.base.wording import listed, shown
from quaternity.cli.terminal import columns
from quaternity.decks.deck import PLAIN, Deck, decks, read_deck, size_of
from quaternity.decks.words import DeckWords
from quaternity.game.question import Question
from quaternity.game.sentences import question_sentence

DeckName = Annotated[
    str | None,
    typer.Option(
        "--deck",
        metavar="NAME",
        help=f"Call cards by the names of a deck: {listed(deck.name for deck in decks())}, or a "
        "file such as my.toml.",
    ),
]


def deck_words(name: str | None, settings: Any) -> DeckWords:
    """Return how a game is told with a deck; by numbers where none was asked for.

    Raises `InputError` if there is no such deck, its file is none, or it has too few cards.
    """
    if name is None:
        return DeckWords(PLAIN)
    size = size_of(settings)
    if size is None:
        raise InputError(f"--deck {shown(name)}: the cards of this game come in no sets")
    deck = _chosen(name)
    deck.check_fits(*size)
    return DeckWords(deck)


def _chosen(name: str) -> Deck:
    known = {deck.name: deck for deck in decks()}
    if name in known:
        return known[name]
    if not name.endswith(".toml") and not {*name} & {*"./\\"}:
        raise InputError(
            f"--deck {shown(name)}: there is none of this name; there are {listed(known)}, or name "
            "a file such as my.toml"
        )
    return read_deck(name)


def table_text(rules: Any, view: Any, words: DeckWords) -> str:
    """Return the table of a game, as wide as the terminal."""
    text: str = rules.show(view, columns(), *([words] if words.deck.sets else ()))
    return text


def refused_text(words: DeckWords, error: IllegalMove) -> str:
    """Return why a move is refused."""
    faults = "; ".join(map(words.say, error.faults))
    return f"not possible: {faults}" if words.deck.sets else str(error)


def move_said(words: DeckWords, move: Any, text: str) -> str:
    """Return a move as it is written, or a question with the names of a deck."""
    return words.say(question_sentence(move)) if isinstance(move, Question) else text
