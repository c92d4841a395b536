"""Judges of the games in which players ask each other for cards."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from quaternity.base.deadline import Deadline
from quaternity.base.sentences import Kind, Sentence
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.rules import QuaternityPosition
from quaternity.game.state import State
from quaternity.game.transition import claimed
from quaternity.perfect.bots.informed import InformedBot
from quaternity.perfect.bots.policy import MOST_CARDS, Policy
from quaternity.perfect.bots.search import NOISE, Tree
from quaternity.perfect.forcing import ProofGraph
from quaternity.perfect.keys.canonical import Canonical, Rules, canonical, coding
from quaternity.perfect.keys.kinds import MOST_PLAYERS
from quaternity.perfect.successors.one_state import Reply, canonical_after
from quaternity.review.judge import COULD_HAVE_WON, Judge, Worth
from quaternity.review.played import Played, Shares
from solvers.counting import count_deals
from solvers.problem import SetConstraint

YOU_KNEW = Kind("you_knew", "You knew {since} that {holder:player} had {card:card}.")
KNEW = Kind("knew", "{who:player} could know {since} that {holder:player} had {card:card}.")
SINCE = Kind("since", "since question {number}")
FROM_START = Kind("from_start", "from the start")

MOST_NOTES = 4
PROVED = 1_000
"""Answers that are weighed to prove or refute one forced win."""


class AskingJudge(Judge):
    """What both games share: certain cards."""

    def __init__(self, rules: Any) -> None:
        super().__init__(rules)
        self._owners: dict[tuple[int, int], Sequence[SetConstraint]] = {}

    def owners(self, view: Any) -> Sequence[SetConstraint]:
        """Return per set who may own its cards, as far as can be concluded from a view."""
        raise NotImplementedError

    def _owners_at(self, game: Played, index: int, seat: int) -> Sequence[SetConstraint]:
        known = self._owners.get((index, seat))
        if known is None:
            known = self._owners[index, seat] = self.owners(game.view(index, seat))
        return known

    def notes(self, game: Played, index: int) -> list[Sentence]:
        """Return the certain cards that a player left behind when their turn went on."""
        seat, move = game.moves[index]
        then = game.settled_after(index + 1)
        if (
            index not in game.settled
            or not game.may_see(seat)
            or then is None
            or not game.acting[then]
            or seat in game.acting[then]
        ):
            return []
        legal, notes = self.rules.moves(game.view(index, seat)), []
        for card, mask in _certain(self._owners_at(game, index, seat), seat):
            holder = mask.bit_length() - 1
            question = Question(seat, holder, card)
            if question == move or question not in legal:
                continue
            since = index
            for earlier in reversed(game.settled[: game.whole_moves(index)]):
                constraint = self._owners_at(game, earlier, seat)[card.set_index]
                if not constraint.owners or constraint.owners[card.number] != mask:
                    break
                since = earlier
            number = game.whole_moves(since)
            when = SINCE(number=number) if number else FROM_START()
            kind = YOU_KNEW if seat == game.seat else KNEW
            notes.append(kind(who=seat, since=when, holder=holder, card=card))
            if len(notes) == MOST_NOTES:
                break
        return notes


def _certain(owners: Sequence[SetConstraint], seat: int) -> list[tuple[Card, int]]:
    """Return the cards that only one other player can have."""
    return [
        (Card.trusted(index, number), mask)
        for index, constraint in enumerate(owners)
        for number, mask in enumerate(constraint.owners)
        if mask.bit_count() == 1 and mask != 1 << seat
    ]


class QuaternityJudge(AskingJudge):
    """Quaternity: exact chances and forced wins; imagined games of the quick player, if small."""

    player = "random"
    cost = 0.2

    def __init__(self, rules: Any) -> None:
        super().__init__(rules)
        settings = rules.settings
        self.proofs: ProofGraph | None = None
        self.small = settings.players <= MOST_PLAYERS and (
            settings.sets * settings.set_size <= MOST_CARDS
        )
        if self.small:
            self.code = coding(Rules.of(rules.start(Random(0)).state))
            self.policy = Policy(self.code)
            self.proofs = ProofGraph(self.code, self.policy.options)

    def owners(self, view: QuaternityPosition) -> Sequence[SetConstraint]:
        """Return what the state implies for everybody."""
        return view.state.closed().sets

    def chance(self, view: QuaternityPosition, move: Any, seconds: float) -> float | None:
        """Return the chance of a yes among the deals that allow a question."""
        if not isinstance(move, Question):
            return None
        problem, (asker, asked, (index, number)) = view.state.problem, move
        constraint = problem.sets[index]
        no, yes = (
            count_deals(
                problem.with_set(index, claimed(constraint, asker, asked, number, answer)),
                seconds=seconds,
            )
            for answer in (Answer.NO, Answer.YES)
        )
        return yes / (no + yes)

    def exact(self, position: QuaternityPosition) -> Shares | None:
        """Return the win of who can force it."""
        for player in range(self.rules.seats):
            if self.forces(position, player):
                return tuple([float(other == player) for other in range(self.rules.seats)])
        return None

    def forces(self, position: QuaternityPosition, player: int) -> bool | None:
        """Return whether a player can force a win; None where that was not found out."""
        state = position.state
        if self.proofs is None:
            return None
        if state.is_over:
            return state.winner == player
        if position.pending is None:
            return self._proved(canonical(state), player)
        outcomes = [self._after(state, position.pending, answer, player) for answer in Answer]
        mine = position.pending.asked == player
        return mine if mine in outcomes else None if None in outcomes else not mine

    def _after(
        self, state: State, question: Question, answer: Answer, player: int, most: int = PROVED
    ) -> bool | None:
        return self._proved(canonical_after(self.code, state, question, answer), player, most)

    def _proved(self, form: Canonical, player: int, most: int = PROVED) -> bool | None:
        assert self.proofs is not None, "the game is small"
        node = self.proofs.node(form.key, form.roles.index(player))
        return self.proofs.search(node, most=most)

    def worth(self, before: Any, seat: int, move: Any, after: Any) -> Worth | None:
        """Return whether a forced win was kept."""
        if not self.forces(before, seat):
            return None
        kept = self.forces(after, seat)
        if kept is not False:
            return Worth(1.0 if kept else None, 1.0, None, 0.0, exact=True)
        best = self._winning(before, seat)
        if best is None:
            return None
        return Worth(None, 1.0, best, 0.0, True, COULD_HAVE_WON(best=best))

    def _winning(self, before: QuaternityPosition, seat: int) -> Question | Answer | None:
        state, asked = before.state, before.pending
        if asked is not None:
            return next((x for x in Answer if self._after(state, asked, x, seat, 0)), None)
        for group in state.legal_questions.groups():
            question = Question(seat, group.asked, Card(group.set_index, group.cards[0]))
            # What forces the win is settled already.
            if all(self._after(state, question, answer, seat, 0) for answer in group.answers):
                return question
        return None

    def advice(self, view: QuaternityPosition, random: Random) -> Question | Answer:
        """Return what the bot `informed` would do."""
        bot = InformedBot(random)
        if view.pending is not None:
            return bot.answer(view.state, view.pending)
        return bot.ask(view.state)

    def imagined(
        self, position: QuaternityPosition, random: Random, deadline: Deadline
    ) -> tuple[Shares, float]:
        """Let the quick player of the search play on, if the game is small."""
        if not self.small or position.state.is_over:
            return super().imagined(position, random, deadline)
        state, asked = position.state, position.pending
        if asked is None:
            form = canonical(state)
        else:
            forms = [canonical_after(self.code, state, asked, answer) for answer in Answer]
            form = forms[self._answer(forms, asked.asked, random)]
        result = Tree(self.policy, random).imagine(form.key, form.roles)
        return tuple(result), 1.0

    def _answer(self, forms: Sequence[Canonical], asked: int, random: Random) -> int:
        if random.random() < NOISE:
            return random.randrange(2)
        no, yes = (self._outlook(form, asked) for form in forms)
        return int(yes > no)

    def _outlook(self, form: Canonical, asked: int) -> float:
        return self.policy.outlook(Reply(Answer.NO, *form), asked)
