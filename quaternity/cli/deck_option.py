"""The option `--deck`, which selects the names of the cards in the terminal."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quaternity.base.errors import IllegalMove, InputError
from quaternity.base.text_format import join_words, quote_value
from quaternity.cli.terminal import columns
from quaternity.decks.deck import PLAIN, Deck, decks, read_deck, set_counts
from quaternity.decks.words import DeckWords
from quaternity.game.question import Question
from quaternity.game.sentences import question_sentence

DeckName = Annotated[
    str | None,
    typer.Option(
        "--deck",
        metavar="NAME",
        help=f"Deck that names the cards: {', '.join(deck.name for deck in decks())}, or a file "
        "such as my.toml.  [default: none, cards are numbers]",
    ),
]


def deck_words(name: str | None, settings: Any) -> DeckWords:
    """Return a formatter that writes the names of a deck. If `name` is None, it writes numbers.

    Raise `InputError` if the deck does not exist, its file is invalid, or it has too few cards for
    a game with these settings.
    """
    if name is None:
        return DeckWords(PLAIN)
    size = set_counts(settings)
    if size is None:
        raise InputError(f"--deck {quote_value(name)}: the cards of this game do not form sets")
    deck = _find_deck(name)
    deck.check_fits(*size)
    return DeckWords(deck)


def _find_deck(name: str) -> Deck:
    decks_by_name = {deck.name: deck for deck in decks()}
    if name in decks_by_name:
        return decks_by_name[name]
    if not name.endswith(".toml") and not {*name} & {*"./\\"}:
        raise InputError(
            f"--deck {quote_value(name)}: unknown deck; choose from {join_words(decks_by_name)}, "
            f"or name a "
            "file such as my.toml"
        )
    return read_deck(name)


def table_text(rules: Any, view: Any, words: DeckWords) -> str:
    """Return a game as a seat sees it, as text that fits the width of the terminal."""
    text: str = rules.show(view, columns(), *([words] if words.deck.sets else ()))
    return text


def refusal_text(words: DeckWords, error: IllegalMove) -> str:
    """Return the reason why a move is refused, with the card names of the deck."""
    faults = "; ".join(map(words.say, error.faults))
    return f"not possible: {faults}" if words.deck.sets else str(error)


def move_text(words: DeckWords, move: Any, text: str) -> str:
    """Return a question as a sentence with a deck's card names. For other moves, return `text`."""
    return words.say(question_sentence(move)) if isinstance(move, Question) else text
