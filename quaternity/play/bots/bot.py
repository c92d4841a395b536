"""What a bot is, and the table of all bots.

    from random import Random
    from quaternity.play.bots.bot import make_bot

    bot = make_bot("informed", Random(7))
    question = bot.ask(state)            # for the player on turn
    answer = bot.answer(state, question) # for the asked player, among the legal answers

A bot knows what everybody knows: the state. It has no seat and no memory; who it plays for follows
from the state and the question.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

from quaternity.errors import InputError
from quaternity.question import Answer, Question
from quaternity.state import State


class Bot(Protocol):
    """A player. All that is random comes from the generator it was made with."""

    def ask(self, state: State) -> Question:
        """The question of the player on turn: a legal one. The game is not over."""

    def answer(self, state: State, question: Question) -> Answer:
        """The answer of the asked player to a legal question: a legal one."""


def _random(argument: str | None, random: Random) -> Bot:
    from quaternity.play.bots.random_bot import RandomBot

    _no_argument("random", argument)
    return RandomBot(random)


def _informed(argument: str | None, random: Random) -> Bot:
    from quaternity.play.bots.informed import InformedBot

    _no_argument("informed", argument)
    return InformedBot(random)


def _search(argument: str | None, random: Random) -> Bot:
    from quaternity.play.bots.search import DEFAULT_GAMES, SearchBot

    if argument is None:
        return SearchBot(random, DEFAULT_GAMES)
    if not argument.isascii() or not argument.isdigit() or not 1 <= int(argument) <= 10**6:
        raise InputError(f"bot 'search:{argument}': the games to imagine are 1..1000000")
    return SearchBot(random, int(argument))


def _perfect(argument: str | None, random: Random) -> Bot:
    from quaternity.play.bots.perfect import PerfectBot
    from quaternity.play.tablebase import Tablebase

    if not argument:
        raise InputError("bot 'perfect' needs a tablebase: perfect:FILE (see quaternity solve)")
    return PerfectBot(random, Tablebase(argument))


def _no_argument(name: str, argument: str | None) -> None:
    if argument is not None:
        raise InputError(f"bot {name!r} takes no {argument!r}")


BOTS: dict[str, Callable[[str | None, Random], Bot]] = {
    "random": _random,
    "informed": _informed,
    "search": _search,
    "perfect": _perfect,
}
"""All bots by name: what makes one, from the text behind a colon and a generator."""


def make_bot(text: str, random: Random) -> Bot:
    """The bot that a text names: `random`, `informed`, `search`, `search:500`, `perfect:FILE`.

    Raises:
        InputError: no such bot, or its argument is missing or wrong.
    """
    name, colon, argument = text.partition(":")
    if name not in BOTS:
        raise InputError(f"bot {text!r} is unknown; known are {', '.join(BOTS)}")
    return BOTS[name](argument if colon else None, random)


__all__ = ["BOTS", "Bot", "make_bot"]
