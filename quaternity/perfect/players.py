"""Quaternity's bots as players at a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from random import Random

from quaternity.base.errors import IllegalMove, InputError, QuaternityError
from quaternity.base.wording import shown
from quaternity.game.question import Answer, Question, is_plain, plain_question
from quaternity.game.rules import QuaternityPosition, QuaternityRules
from quaternity.perfect.bots.bot import Bot
from quaternity.workers.course import Course
from quaternity.workers.foreign import Sitting


class BotPlayer:
    """A bot in a seat; see `quaternity.perfect.bots`. Its chance comes from `chance`."""

    game = "quaternity"

    def __init__(self, text: str, make: Callable[[Random], Bot]) -> None:
        self.text, self.chance = text, Random(0)
        self.bot = make(self.chance)

    def choose(self, view: QuaternityPosition, random: Random) -> Question | Answer:
        """Return a question, or the answer to the one that waits."""
        self.chance.setstate(random.getstate())
        try:
            if view.pending is not None:
                return self.bot.answer(view.state, view.pending)
            return self.bot.ask(view.state)
        finally:
            random.setstate(self.chance.getstate())

    @staticmethod
    def play_bare(
        players: Sequence[BotPlayer],
        start: QuaternityPosition,
        chances: Sequence[Random],
        cap: int,
        course: Course,
        details: int,
    ) -> tuple[QuaternityPosition, int, None]:
        """Play a game of bots alone: see `quaternity.table.tournament.playing`.

        A bot that sits twice draws from one generator.

        Raises:
            PlayerFault: a bot raises something, or gives no legal move.
            QuaternityError: the game is too large for a bot.
        """
        del details
        sittings = [Sitting("bot", player.text, seat) for seat, player in enumerate(players)]
        for player, chance in zip(players, chances, strict=True):
            player.chance.setstate(chance.getstate())
        bots = [player.bot for player in players]
        state, moves, seat = start.state, 0, 0
        while not state.is_over and moves < cap:
            assert state.turn is not None, "somebody asks"
            seat = asker = state.turn
            course.thinks(seat)
            try:
                question = bots[seat].ask(state)
                if not is_plain(question):
                    question = sittings[seat].made_plain(plain_question, question)
                answers = state.answers(question)
                answer = answers[0]
                if len(answers) > 1:
                    seat = question.asked
                    course.thinks(seat)
                    given = bots[seat].answer(state, question)
                    if not isinstance(given, int) or given not in answers:
                        legal = " or ".join(map(str, answers))
                        fault = f"it answers {shown(given)} to '{question}', not {legal}"
                        raise sittings[seat].breaks_rules(InputError(fault))
                    answer = Answer(given)
            except IllegalMove as error:
                raise sittings[seat].breaks_rules(error) from error
            except QuaternityError:
                raise
            except BaseException as error:  # whatever a bot may raise
                raise sittings[seat].fault(error) from None
            state = state.after(question, answer)
            course.moved(asker, question)
            if len(answers) > 1:
                course.moved(seat, answer)
            moves += 1
        return QuaternityPosition(state), moves, None


def random(rules: QuaternityRules) -> BotPlayer:
    """Return the player `random`."""
    from quaternity.perfect.bots.random_bot import RandomBot

    del rules
    return BotPlayer("random", RandomBot)


def informed(rules: QuaternityRules) -> BotPlayer:
    """Return the player `informed`."""
    from quaternity.perfect.bots.informed import InformedBot

    del rules
    return BotPlayer("informed", InformedBot)


def search(rules: QuaternityRules, argument: str | None) -> BotPlayer:
    """Return the player `search`, or `search:500` for so many imagined games a decision.

    Without a number a decision takes a second or two at most in games of 52 cards. With more
    players than canonical states have it plays as `informed` does.
    """
    from quaternity.perfect.bots.informed import InformedBot
    from quaternity.perfect.bots.search import DEFAULT_GAMES, MAX_WEIGHED_QUESTIONS, SearchBot
    from quaternity.perfect.keys.kinds import MAX_KEY_PLAYERS

    text = str(DEFAULT_GAMES) if argument is None else argument
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10**6:
        raise InputError(f"bot 'search:{argument}': the games to imagine are 1..1000000")
    name = "search" if argument is None else f"search:{argument}"
    if rules.settings.players > MAX_KEY_PLAYERS:
        return BotPlayer(name, InformedBot)
    most = MAX_WEIGHED_QUESTIONS if argument is None else inf
    return BotPlayer(name, lambda chance: SearchBot(chance, int(text), most))


def perfect(rules: QuaternityRules, argument: str | None) -> BotPlayer:
    """Return the player `perfect:FILE`; refuse a file that is missing or for another game."""
    from quaternity.perfect.bots.perfect import PerfectBot
    from quaternity.perfect.tablebase import Tablebase

    if not argument:
        raise InputError("bot 'perfect' needs a tablebase: perfect:FILE (see quaternity solve)")
    tablebase = Tablebase(argument)
    tablebase.check_settings(rules.settings)
    return BotPlayer(f"perfect:{argument}", lambda chance: PerfectBot(chance, tablebase))
