"""What a bot is, and the table of all bots.

    from random import Random
    from quaternity.perfect.bots.bot import make_bot

    bot = make_bot("informed", Random(7))
    question = bot.ask(state)            # for the player on turn
    answer = bot.answer(state, question) # for the asked player, among the legal answers

A bot knows what everybody knows: the state. It has no seat and no memory; who it plays for follows
from the state and the question.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple, Protocol

from quaternity.errors import IllegalMove, InputError, QuaternityError
from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from quaternity.workers.foreign import Sitting, is_plain
from solvers.wording import shown


class Bot(Protocol):
    """A player. All that is random comes from the generator it was made with."""

    def ask(self, state: State) -> Question:
        """The question of the player on turn: a legal one. The game is not over."""

    def answer(self, state: State, question: Question) -> Answer:
        """The answer of the asked player to a legal question: a legal one."""


def _random(argument: str | None, random: Random) -> Bot:
    from quaternity.perfect.bots.random_bot import RandomBot

    _no_argument("random", argument)
    return RandomBot(random)


def _informed(argument: str | None, random: Random) -> Bot:
    from quaternity.perfect.bots.informed import InformedBot

    _no_argument("informed", argument)
    return InformedBot(random)


def _search(argument: str | None, random: Random) -> Bot:
    from quaternity.perfect.bots.search import DEFAULT_GAMES, SearchBot

    if argument is None:
        return SearchBot(random, DEFAULT_GAMES)
    if not argument.isascii() or not argument.isdigit() or not 1 <= int(argument) <= 10**6:
        raise InputError(f"bot 'search:{argument}': the games to imagine are 1..1000000")
    return SearchBot(random, int(argument))


def _perfect(argument: str | None, random: Random) -> Bot:
    from quaternity.perfect.bots.perfect import PerfectBot
    from quaternity.perfect.tablebase import Tablebase

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


class SeatedBot(NamedTuple):
    """A bot in its seat. Whatever it does but play by the rules is its fault, by name."""

    text: str
    seat: int
    bot: Bot

    def ask(self, state: State) -> tuple[Question, tuple[Answer, ...]]:
        """What it asks, and the legal answers to that.

        Raises:
            PlayerFault: it raises something, or the question is none or not legal.
            QuaternityError: what a bot says of a game that is too large for it.
        """
        try:
            question = self.bot.ask(state)
        except BaseException as error:
            raise self._fault(error) from None
        if not is_plain(question):
            question = self._sitting.plain(question)
        try:
            return question, state.answers(question)
        except IllegalMove as error:
            raise self._sitting.breaks_rules(error) from error

    def answer(self, state: State, question: Question, answers: tuple[Answer, ...]) -> Answer:
        """What it answers, of several answers. Raises as `ask`."""
        try:
            answer = self.bot.answer(state, question)
        except BaseException as error:
            raise self._fault(error) from None
        if not isinstance(answer, int) or answer not in answers:
            legal = " or ".join(map(str, answers))
            raise self._sitting.breaks_rules(
                InputError(f"it answers {shown(answer)} to '{question}', not {legal}")
            )
        return Answer(answer)

    @property
    def _sitting(self) -> Sitting:
        return Sitting("bot", self.text, self.seat)

    def _fault(self, error: BaseException) -> QuaternityError:
        return error if isinstance(error, QuaternityError) else self._sitting.fault(error)


__all__ = ["BOTS", "Bot", "SeatedBot", "make_bot"]
