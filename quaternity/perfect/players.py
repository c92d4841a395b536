"""Players for matches of Quaternity, each controlled by a bot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from random import Random

from quaternity.base.errors import IllegalMove, InputError, QuaternityError
from quaternity.base.text_format import quote_value
from quaternity.game.question import Answer, Question, is_plain, plain_question
from quaternity.game.rules import QuaternityPosition, QuaternityRules
from quaternity.perfect.bots.bot import Bot
from quaternity.workers.isolated_players import SeatedPlayer
from quaternity.workers.progress import Progress


class BotPlayer:
    """A player of Quaternity at a table, controlled by a bot.

    `make` creates the bot, given the random generator that the bot may use.
    """

    game = "quaternity"

    def __init__(self, text: str, make: Callable[[Random], Bot]) -> None:
        self.text, self.chance = text, Random(0)
        self.bot = make(self.chance)

    def choose(self, view: QuaternityPosition, random: Random) -> Question | Answer:
        """Return a question, or the answer to the pending question."""
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
        course: Progress,
        details: int,
    ) -> tuple[QuaternityPosition, int, None]:
        """Play a game between bots, faster than the general game loop of a tournament.

        Return the last position, the number of moves, and None, because no details are counted.
        `chances` contains the random generator of each player. A bot that plays in two seats draws
        from a single generator. `cap` is the maximum number of moves. `course` receives the moves,
        so that the caller can report where a game failed.

        Raises:
            PlayerFault: If a bot raises an exception or makes an illegal move.
            QuaternityError: If the game is too large for a bot.
        """
        del details
        sittings = [SeatedPlayer("bot", player.text, seat) for seat, player in enumerate(players)]
        for player, chance in zip(players, chances, strict=True):
            player.chance.setstate(chance.getstate())
        bots = [player.bot for player in players]
        state, moves, seat = start.state, 0, 0
        while not state.is_over and moves < cap:
            assert state.turn is not None, "the game must not be over"
            seat = asker = state.turn
            course.note_thinking(seat)
            try:
                question = bots[seat].ask(state)
                if not is_plain(question):
                    question = sittings[seat].validate(plain_question, question)
                answers = state.answers(question)
                answer = answers[0]
                if len(answers) > 1:
                    seat = question.asked
                    course.note_thinking(seat)
                    reply = bots[seat].answer(state, question)
                    if not isinstance(reply, int) or reply not in answers:
                        legal = " or ".join(map(str, answers))
                        fault = f"it answers {quote_value(reply)} to '{question}', not {legal}"
                        raise sittings[seat].rule_fault(InputError(fault))
                    answer = Answer(reply)
            except IllegalMove as error:
                raise sittings[seat].rule_fault(error) from error
            except QuaternityError:
                raise
            except BaseException as error:  # A bot may raise any exception.
                raise sittings[seat].fault(error) from None
            state = state.after(question, answer)
            course.note_move(asker, question)
            if len(answers) > 1:
                course.note_move(seat, answer)
            moves += 1
        return QuaternityPosition(state), moves, None


def random(rules: QuaternityRules) -> BotPlayer:
    """Return the player `random`, which moves uniformly at random."""
    from quaternity.perfect.bots.random_bot import RandomBot

    del rules
    return BotPlayer("random", RandomBot)


def informed(rules: QuaternityRules, argument: str | None = None) -> BotPlayer:  # plain: ok, a name
    """Return the player `informed`, which looks one move ahead.

    For example, `informed:60` does so in 60 % of its decisions, and otherwise moves at random.
    """
    from quaternity.perfect.bots.informed import InformedBot

    del rules
    text = "100" if argument is None else argument
    if not text.isascii() or not text.isdigit() or not 0 <= int(text) <= 100:
        raise InputError(f"bot 'informed:{argument}': the percentage must be from 0 to 100")
    name = "informed" if argument is None else f"informed:{argument}"
    return BotPlayer(name, lambda chance: InformedBot(chance, int(text) / 100))


def search(rules: QuaternityRules, argument: str | None) -> BotPlayer:
    """Return the player `search`. For example, `search:500` simulates 500 games per decision.

    Without a number, a decision takes at most one or two seconds in games of 52 cards. If there are
    too many players for the search, the player plays like `informed`.
    """
    from quaternity.perfect.bots.informed import InformedBot
    from quaternity.perfect.bots.search import DEFAULT_GAMES, MAX_WEIGHED_QUESTIONS, SearchBot
    from quaternity.perfect.keys.kinds import MAX_KEY_PLAYERS

    text = str(DEFAULT_GAMES) if argument is None else argument
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10**6:
        raise InputError(f"bot 'search:{argument}': the number of games must be from 1 to 1000000")
    name = "search" if argument is None else f"search:{argument}"
    if rules.settings.players > MAX_KEY_PLAYERS:
        return BotPlayer(name, InformedBot)
    limit = MAX_WEIGHED_QUESTIONS if argument is None else inf
    return BotPlayer(name, lambda chance: SearchBot(chance, int(text), limit))


def perfect(rules: QuaternityRules, argument: str | None) -> BotPlayer:
    """Return the player `perfect:FILE`, which plays from a tablebase.

    Raises:
        InputError: If the file is missing, is not a tablebase, or is for another game.
    """
    from quaternity.perfect.bots.perfect import PerfectBot
    from quaternity.perfect.tablebase import Tablebase

    if not argument:
        raise InputError("bot 'perfect' needs a tablebase: perfect:FILE (see quaternity solve)")
    tablebase = Tablebase(argument)
    tablebase.check_settings(rules.settings)
    return BotPlayer(f"perfect:{argument}", lambda chance: PerfectBot(chance, tablebase))
