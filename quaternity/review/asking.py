"""Judges that review games of Kwartet and Quaternity, in which players ask each other for cards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import inf
from random import Random
from typing import Any

from quaternity.base.deadline import Deadline
from quaternity.base.sentences import Message, MessageTemplate
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.rules import QuaternityPosition, QuaternityRules
from quaternity.game.sentences import question_sentence
from quaternity.game.state import State
from quaternity.game.transition import after_claim, after_statement, next_to_ask
from quaternity.kwartet.chances import owner_weights
from quaternity.kwartet.public import next_with_cards
from quaternity.kwartet.rules import KwartetPosition, KwartetRules
from quaternity.kwartet.strategies.counting import exact
from quaternity.kwartet.view import View
from quaternity.perfect.bots.informed import InformedBot
from quaternity.perfect.bots.policy import MAX_PROOF_CARDS, Policy
from quaternity.perfect.bots.search import Tree
from quaternity.perfect.forcing import ProofGraph
from quaternity.perfect.keys.canonical import Canonical, Rules, canonical, coding
from quaternity.perfect.keys.kinds import MAX_KEY_PLAYERS
from quaternity.perfect.successors.one_state import Reply, canonical_after
from quaternity.review.judge import Judge, MoveValue
from quaternity.review.playouts import Playout
from quaternity.review.recorded_game import RecordedGame, Shares, shared_win
from solvers.counting import count_deals
from solvers.filtering import filter_problem
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.sampling import NumberedDeals

COULD_HAVE_WON = MessageTemplate(
    "could_have_won", "'{best}' would have forced a win; this move did not."
)
ONLY_OWNER = MessageTemplate(
    "only_owner",
    "'{best}' would have forced a win, because only {holder:player} could have {card:card}; this "
    "move did not.",
)
YOU_KNEW = MessageTemplate(
    "you_knew", "You had known {since} that {holder:player} had {card:card}."
)
KNEW = MessageTemplate(
    "knew", "{who:player} could have known {since} that {holder:player} had {card:card}."
)
SINCE, FROM_START = (
    MessageTemplate("since", "since question {number}"),
    MessageTemplate("from_start", "from the start"),
)

MAX_DRAWN_PLAYERS = 6
"""Maximum number of players in a game for which random hands are drawn. With more players, drawing
takes seconds instead of hundredths of a second."""

CACHE_SIZE = 8
"""Number of positions in a cache. A few are enough, because the compared moves lead to few
positions."""

MAX_COUNTING_BYTES = 50_000_000
"""Maximum work for counting the possible deals once, measured in bytes processed by additions.
Counting then takes at most about 0.1 s."""

MAX_PROOF_ANSWERS = 1_000
"""Maximum number of answers that are examined to prove or refute that a player can force a win."""


class AskingJudge(Judge):
    """Base class of the judges for games in which players ask each other for cards.

    A judge evaluates the moves of a game. Its notes name the cards for which a player should have
    asked. For simulated games, it draws random hands that fit what a seat has seen.
    """

    player, advice_cost = "dealt", 25.0

    def __init__(self, rules: Any, deadline: Deadline) -> None:
        super().__init__(rules, deadline)
        self._owners: dict[tuple[int, int], Sequence[SetConstraint]] = {}
        self._known = lru_cache(CACHE_SIZE)(self._conclude)
        self._deals = lru_cache(CACHE_SIZE)(self._number_deals)

    def _conclude(self, problem: DealProblem) -> tuple[SetConstraint, ...]:
        return filter_problem(problem, self.deadline.remaining()).sets

    def _number_deals(self, problem: DealProblem) -> NumberedDeals:
        count_deals(
            problem, MAX_COUNTING_BYTES, seconds=self.deadline.remaining()
        )  # Raise LimitError if counting would take too long.
        return NumberedDeals(problem, seconds=self.deadline.remaining())

    def _owners_at(self, game: RecordedGame, index: int, seat: int) -> Sequence[SetConstraint]:
        if (index, seat) not in self._owners:
            view = game.view(index, seat)
            problem = view.state.problem if hasattr(view, "state") else view.problem
            self._owners[index, seat] = self._conclude(problem)
        return self._owners[index, seat]

    def notes(self, game: RecordedGame, index: int) -> list[Message]:
        """Return a note about each card that a player should have asked for.

        The player could know who had the card, but asked for another card and lost the turn.
        """
        (seat, move), (before, after) = game.moves[index], game.around(index)
        if before != index or after is None or not game.acting[after] or seat in game.acting[after]:
            return []
        legal, notes = self.rules.moves(game.view(index, seat)), []
        for number, constraint in enumerate(self._owners_at(game, index, seat)):
            for position, mask in enumerate(constraint.owners):
                card, holder = Card(number, position), mask.bit_length() - 1
                if mask.bit_count() > 1 or holder == seat:
                    continue
                question = Question(seat, holder, card)
                if question != move and question in legal:
                    since = self._since(game, index, seat, card)
                    kind = YOU_KNEW if seat == game.seat else KNEW
                    notes.append(kind(who=seat, since=since, holder=holder, card=card))
        return notes

    def _since(self, game: RecordedGame, index: int, seat: int, card: Card) -> Message:
        number = game.whole_moves(index)
        mask = self._owners_at(game, index, seat)[card.set_index].owners[card.number]
        while number:
            earlier = self._owners_at(game, game.settled[number - 1], seat)[card.set_index]
            if earlier.owners[card.number] != mask:
                return SINCE(number=number)
            number -= 1
        return FROM_START()


class KwartetJudge(AskingJudge):
    """Judge of Kwartet. The chances are exact if the deals can be counted in time."""

    def __init__(self, rules: KwartetRules, deadline: Deadline) -> None:
        super().__init__(rules, deadline)
        self.draws = rules.seats <= MAX_DRAWN_PLAYERS

    def chance(self, view: View, move: Question) -> float | None:
        """Return the chance that a request succeeds, or None if it cannot be computed exactly."""
        weights, (index, number) = owner_weights(view.problem), move.card
        owned = weights.owned[index][number][move.asked]
        return owned / weights.total if weights.exact else None

    def advice(self, view: View, random: Random) -> Question:
        """Return the move that the strategy `exact` would make."""
        return exact(view, random)

    def simulate(self, position: KwartetPosition, random: Random) -> tuple[Shares, float]:
        """Play the rest of a game with simulated players, who know their hands and public facts.

        Return each seat's share of the win (0 to 1), and the estimated time in milliseconds.
        """
        public, hands = position.position.public, position.position.hands
        known = self._known(public.problem)
        owners = [
            [
                next(p for p, hand in enumerate(hands) if hand[index] >> n & 1)
                for n in range(row.size)
            ]
            for index, row in enumerate(known)
        ]
        limit = self.rules.settings.max_moves
        max_questions = inf if limit is None else limit - len(position.events)
        game = Playout(owners, known, public.points, max_questions)
        return game.play(public.turn, _next_seat, random, self.deadline)


class QuaternityJudge(AskingJudge):
    """Judge of Quaternity, which computes the exact chance that a question succeeds.

    In small games, it also finds forced wins and simulates games with a search bot.
    """

    def __init__(self, rules: QuaternityRules, deadline: Deadline) -> None:
        super().__init__(rules, deadline)
        settings = rules.settings
        self.small = settings.players <= MAX_KEY_PLAYERS and (
            settings.sets * settings.set_size <= MAX_PROOF_CARDS
        )
        if self.small:
            self.code = coding(Rules.of(State.start(settings)))
            self.policy = Policy(self.code)
            self.proofs = ProofGraph(self.code, self.policy.options)

    def chance(self, view: QuaternityPosition, move: Any) -> float | None:
        """Return the share of the possible deals in which the answer to a question is yes.

        Return None for a move that is not a question.
        """
        if not isinstance(move, Question):
            return None
        problem, (asker, asked, (index, number)) = view.state.problem, move
        constraints = [
            after_claim(problem.sets[index], asker, asked, number, answer) for answer in Answer
        ]
        seconds = self.deadline.remaining()
        no, yes = (
            count_deals(problem.with_set(index, x), MAX_COUNTING_BYTES, seconds=seconds)
            for x in constraints
        )
        return yes / (no + yes)

    def exact(self, position: QuaternityPosition) -> Shares | None:
        """Return 1 for the seat that can force a win and 0 for the other seats.

        Return None if no seat is known to force a win.
        """
        seats = range(self.rules.seats if self.small else 0)
        forcing = next((seat for seat in seats if self.forces(position, seat)), None)
        return None if forcing is None else tuple([float(seat == forcing) for seat in seats])

    def forces(self, position: QuaternityPosition, player: int) -> bool | None:
        """Return whether a player can force a win, or None if the search was too short to know."""
        state, asked = position.state, position.pending
        if state.is_over:
            return state.winner == player
        if asked is None:
            return self._prove_win(canonical(state), player)
        outcomes = [self._after(state, asked, answer, player) for answer in Answer]
        answers = asked.asked == player
        return answers if answers in outcomes else None if None in outcomes else not answers

    def _after(
        self,
        state: State,
        question: Question,
        answer: Answer,
        player: int,
        most: int = MAX_PROOF_ANSWERS,
    ) -> bool | None:
        return self._prove_win(canonical_after(self.code, state, question, answer), player, most)

    def _prove_win(
        self, form: Canonical, player: int, most: int = MAX_PROOF_ANSWERS
    ) -> bool | None:
        return self.proofs.search(self.proofs.node(form.key, form.roles.index(player)), limit=most)

    def move_value(
        self, before: QuaternityPosition, seat: int, move: Any, after: QuaternityPosition
    ) -> MoveValue | None:
        """Return the value of a move by a player who could force a win before it.

        The value shows whether the player can still force a win. It is None if this was not
        possible before, or is not known.
        """
        if not self.small or not self.forces(before, seat):
            return None
        kept = self.forces(after, seat)
        best = self._winning(before, seat) if kept is False else None
        note = None if best is None else self._missed_win(before.state, best)
        return MoveValue(1.0 if kept else None, 1.0, best, note=note)

    def _missed_win(self, state: State, best: Question | Answer) -> Message:
        if not isinstance(best, Question):
            return COULD_HAVE_WON(best=best)
        move, (index, number) = question_sentence(best), best.card
        able = {*players_in(self._known(state.problem)[index].owners[number])} - {best.asker}
        if able != {best.asked}:
            return COULD_HAVE_WON(best=move)
        return ONLY_OWNER(best=move, holder=best.asked, card=best.card)

    def _winning(self, before: QuaternityPosition, seat: int) -> Question | Answer | None:
        state, asked = before.state, before.pending
        if asked is not None:
            return next((x for x in Answer if self._after(state, asked, x, seat, 0)), None)
        for group in state.legal_questions.groups():
            question = Question(seat, group.asked, Card(group.set_index, group.cards[0]))
            if all(self._after(state, question, answer, seat, 0) for answer in group.answers):
                return question
        return None

    def advice(self, view: QuaternityPosition, random: Random) -> Question | Answer:
        """Return the move that the bot `informed` would make."""
        bot = InformedBot(random)
        if view.pending is None:
            return bot.ask(view.state)
        return bot.answer(view.state, view.pending)

    def simulate(self, position: QuaternityPosition, random: Random) -> tuple[Shares, float]:
        """Play the rest of a game with simulated players. In large games, deal random hands first.

        Return each seat's share of the win (0 to 1), and the estimated time in milliseconds.
        """
        state, asked = position.state, position.pending
        if not self.small:
            return self._simulate_dealt(state, asked, random)
        if state.is_over:
            return shared_win(self.rules, position), 1.0
        if asked is None:
            form = canonical(state)
        else:
            forms = [canonical_after(self.code, state, asked, answer) for answer in Answer]
            seat = asked.asked
            form = max(forms, key=lambda x: self.policy.outlook(Reply(Answer.NO, *x), seat))
        return tuple(Tree(self.policy, random).run_playout(form.key, form.roles)), 1.0

    def _simulate_dealt(
        self, state: State, asked: Question | None, random: Random
    ) -> tuple[Shares, float]:
        problem = state.problem
        if asked is not None:
            index, number = asked.card
            stated = after_statement(problem.sets[index], asked.asker, number)
            problem = problem.with_set(index, stated)
        owners = self._deals(problem).draw(random).owner
        game = Playout(owners, self._known(problem), state.points)
        return game.play(state.turn or 0, self._next_turn, random, self.deadline, asked)

    def _next_turn(self, asker: int, asked: int, yes: bool, hands: Sequence[int]) -> int:
        turn = next_to_ask(asker, asked, yes, hands)
        order = range(self.rules.seats)
        return next(p for p in order if hands[p]) if turn is None else turn


def _next_seat(asker: int, asked: int, yes: bool, hands: Sequence[int]) -> int:
    return asker if yes and hands[asker] else next_with_cards(hands, asker)
