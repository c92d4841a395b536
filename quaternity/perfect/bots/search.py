"""A bot that searches: Monte-Carlo trees over canonical states.

Every decision imagines a number of games. In states of the tree the player on turn takes the
question, and the asked player the reply, that did best for himself so far, with a bonus for what
was tried little (max^n with upper confidence bounds: Kocsis and Szepesvari 2006, Sturtevant 2008);
the more often a state is met, the more of its questions are considered, in the order of a quick
player (progressive widening: Coulom 2007). From the first state outside the tree on, the quick
player (`quaternity.perfect.bots.policy`) plays for all, but for a little noise; so searching
improves on the quick player, and what that player makes of a state is worked out once and kept. A
tree knows states by their keys: positions that come about in different ways, or differ in names,
are one.

What can be forced is not left to imagination: proof-number search, which knows who can wait for
ever (`quaternity.perfect.forcing`), finds a forced win of the player's own and plays it, and of the
questions and answers that did best the first is taken that hands nobody else a forced win. In games
of 12 and 16 cards it finds nearly all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from math import inf, log, sqrt
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from quaternity.perfect.bots.policy import Policy
from quaternity.perfect.forcing import Node, ProofGraph
from quaternity.perfect.keys.canonical import Coding, Key, Rules, canonical, coding
from quaternity.perfect.keys.kinds import Roles
from quaternity.perfect.successors.one_state import Choice, Reply, canonical_after

DEFAULT_GAMES = 100
"""Games imagined for a decision."""

MOST_WEIGHED = 10_000
"""Questions weighed for a decision unless a number of games is asked for; some 60 us each."""

LONGEST = 60
"""An imagined game is given up after so many moves, as won by nobody."""

MOST_PROVED = 1_000
"""Answers that are weighed to prove or refute one forced win."""

MOST_DOUBTED = 3_000
"""Answers that are weighed for a decision in all, to see what it gives away."""

EXPLORATION = 0.25
"""The weight of the bonus for what was tried little."""

NOISE = 0.05
"""How often the quick player makes a random move."""

Result = list[float]
"""Per name 1 for winning alone, and 1 shared by all when nobody does."""


class SearchBot:
    """See the module.

    Attributes:
        games: imagined for a decision; in the default game a millisecond each, less once the bot
            knows the states around.
        weighed: no further game is imagined once the states met had so many questions. What the
            bot knows from earlier decisions counts as well, so that they do not matter.
    """

    def __init__(
        self, random: Random, games: int = DEFAULT_GAMES, weighed: float = MOST_WEIGHED
    ) -> None:
        self._random = random
        self.games, self.weighed = games, weighed
        self._policies: dict[Rules, Policy] = {}

    def ask(self, state: State) -> Question:
        """A question on the way to a forced win; else the one that was chosen most in imagination.

        Of those that hand nobody a forced win, as far as that is seen.
        """
        assert state.turn is not None, "somebody asks"
        code = coding(Rules.of(state))
        policy = self._policy(code)
        key, roles = canonical(state)
        options = policy.options(key)
        best = options[0]
        if len(options) > 1:
            proofs = ProofGraph(code, policy.options)
            root = proofs.node(key, 0)
            if proofs.search(root, most=MOST_PROVED):
                best = _winning(proofs, root, options)
            else:
                tree = Tree(policy, self._random)
                for _ in self._budget(tree):
                    tree.imagine(key, tuple(range(len(roles))))
                ranked = sorted(options, key=tree.ranks(key, options), reverse=True)
                best = _safest(proofs, ranked, 0)
        return self._random.choice(_questions(code, state, roles, best))

    def answer(self, state: State, question: Question) -> Answer:
        """The answer after which a win is forced; else the one chosen most in imagination."""
        answers = state.answers(question)
        if len(answers) == 1:
            return answers[0]
        code, asked = coding(Rules.of(state)), question.asked
        policy = self._policy(code)
        replies = [
            Reply(answer, *canonical_after(code, state, question, answer)) for answer in answers
        ]
        replies.sort(key=lambda one: -policy.outlook(one, asked))
        proofs = ProofGraph(code, policy.options)
        for reply in replies:
            mine = proofs.node(reply.key, reply.roles.index(asked))
            if proofs.search(mine, most=MOST_PROVED):
                return reply.answer
        tree = Tree(policy, self._random)
        node = _Node(len(replies))
        for _ in self._budget(tree):
            one = node.chosen(len(replies))
            result = tree.imagine(replies[one].key, replies[one].roles)
            node.add(one, result[asked])
        ranked = sorted(range(len(replies)), key=node.rank, reverse=True)
        told = [Choice(asked, (replies[one],)) for one in ranked]
        return _safest(proofs, told, asked).replies[0].answer

    def _budget(self, tree: Tree) -> Iterator[int]:
        """The games of a decision."""
        return takewhile(lambda game: sum(tree.weighed.values()) < self.weighed, range(self.games))

    def _policy(self, code: Coding) -> Policy:
        if code.rules not in self._policies:
            self._policies[code.rules] = Policy(code)
        return self._policies[code.rules]


def _questions(code: Coding, state: State, roles: Roles, choice: Choice) -> list[Question]:
    """The real questions that come to what was chosen for the canonical state."""
    assert state.turn is not None, "somebody asks"
    wanted = {(reply.answer, reply.key) for reply in choice.replies}
    found: list[Question] = []
    others: list[Question] = []
    for asked, index, cards, answers in state.legal_questions.groups():
        alike = [Question.trusted(state.turn, asked, Card.trusted(index, card)) for card in cards]
        after = {(answer, canonical_after(code, state, alike[0], answer).key) for answer in answers}
        if after == wanted:
            # Where players look alike, roles may have been given out in another way.
            (found if asked == roles[choice.asked] else others).extend(alike)
    return found or others


def _winning(proofs: ProofGraph, root: Node, options: list[Choice]) -> Choice:
    """The question that leads to a win which was proved, the quickest way known."""

    def last(option: Choice) -> float:
        after = [proofs.node(one.key, one.roles.index(0)) for one in option.replies]
        return max(one.rank if one.won else inf for one in after)

    return min(options, key=last)


def _safest(proofs: ProofGraph, ranked: list[Choice], player: int) -> Choice:
    """The first that hands nobody else a forced win, whoever errs; or unless somebody errs.

    The first of all where none is seen. How far it looks is bounded by `MOST_DOUBTED`.
    """
    fair = None
    for option in ranked:
        if proofs.weighed > MOST_DOUBTED:
            break
        given = _given_away(proofs, option, player)
        if not given:
            return option
        if given == 1 and fair is None:
            fair = option
    return fair or ranked[0]


def _given_away(proofs: ProofGraph, option: Choice, player: int) -> int:
    """2 where somebody else is seen to have a forced win after a question or a reply.

    1 where he has if the one who is asked, a third player, plays into his hands; else 0.
    """
    worst = 0
    for other in range(proofs.code.rules.players):
        if other != player:
            after = [proofs.node(one.key, one.roles.index(other)) for one in option.replies]
            won = [bool(proofs.search(one, most=MOST_PROVED)) for one in after]
            if any(won):
                worst = max(worst, 2 if option.asked == other or all(won) else 1)
    return worst


def _passes(code: Coding, key: Key, option: Choice) -> bool:
    """Whether a question changes nothing but who is on turn."""
    reply = option.replies[0]
    if len(option.replies) > 1 or reply.answer:
        return False
    before, after = code.parts(key), code.parts(reply.key)
    kinds = [code.book.numbered(number).renamed(reply.roles) for number in before.kinds]
    return tuple(sorted([kind.number for kind in kinds])) == after.kinds


class _Node:
    """How often each of some options was chosen, and what came of it for who chose."""

    __slots__ = ("times", "totals", "visits")

    def __init__(self, options: int) -> None:
        self.times = 0
        self.visits = [0] * options
        self.totals = [0.0] * options

    def chosen(self, considered: int) -> int:
        """The option to try: the first untried one, or the one with the highest bound."""
        best, most = 0, -1.0
        chances = log(self.times + 1)
        for option in range(min(considered, len(self.visits))):
            visits = self.visits[option]
            if not visits:
                return option
            bound = self.totals[option] / visits + EXPLORATION * sqrt(chances / visits)
            if bound > most:
                best, most = option, bound
        return best

    def add(self, option: int, result: float) -> None:
        """Count what came of an option."""
        self.times += 1
        self.visits[option] += 1
        self.totals[option] += result

    def rank(self, option: int) -> tuple[int, float, int]:
        """The option with the highest rank is the best one."""
        return self.visits[option], self.totals[option], -option


class Tree:
    """What was imagined for one decision.

    Attributes:
        nodes: by key; a node is about the questions of role 0.
        weighed: by key of every state met, the number of its questions.
    """

    def __init__(self, policy: Policy, random: Random) -> None:
        self._policy, self._random = policy, random
        self.nodes: dict[Key, _Node] = {}
        self._replies: dict[tuple[Key, int], _Node] = {}
        self.weighed: dict[Key, int] = {}

    def ranks(self, key: Key, options: list[Choice]) -> Callable[[Choice], tuple[int, float, int]]:
        """How good the questions of the state are in which games began."""
        place = {option: number for number, option in enumerate(options)}
        return lambda option: self.nodes[key].rank(place[option])

    def imagine(self, key: Key, names: Sequence[int]) -> Result:
        """One game from a state in which role r has the name `names[r]`; the result by names."""
        path: list[tuple[_Node, int, int]] = []
        players = len(names)
        for move in range(LONGEST):
            options = self._options(key)
            if not options:
                result = self._result(key, names)
                break
            if options[0].asked == players:
                [reply] = self._random.choice(options).replies
            elif key not in self.nodes:
                self.nodes[key] = _Node(len(options))
                result = self._played(key, names, LONGEST - move)
                break
            else:
                node = self.nodes[key]
                chosen = node.chosen(1 + int(sqrt(node.times)))
                path.append((node, chosen, names[0]))
                asked, replies = options[chosen]
                reply = replies[0]
                if len(replies) > 1:
                    node = self._replies.setdefault((key, chosen), _Node(len(replies)))
                    said = node.chosen(len(replies))
                    path.append((node, said, names[asked]))
                    reply = replies[said]
            names = [names[role] for role in reply.roles]
            key = reply.key
        else:
            result = _shared(players)
        for node, option, name in path:
            node.add(option, result[name])
        return result

    def _played(self, key: Key, names: Sequence[int], most: int) -> Result:
        """The quick player plays for all."""
        players, random = len(names), self._random
        for _ in range(most):
            options = self._options(key)
            if not options:
                return self._result(key, names)
            if options[0].asked == players or random.random() < NOISE:
                reply = random.choice(random.choice(options).replies)
            else:
                reply = options[0].replies[0]
            names = [names[role] for role in reply.roles]
            key = reply.key
        return _shared(players)

    def _options(self, key: Key) -> list[Choice]:
        options = self._policy.options(key)
        self.weighed[key] = len(options)
        return options

    def _result(self, key: Key, names: Sequence[int]) -> Result:
        points = self._policy.code.parts(key).points
        most = max(points)
        if points.count(most) > 1:
            return _shared(len(names))
        result = [0.0] * len(names)
        result[names[points.index(most)]] = 1.0
        return result


def _shared(players: int) -> Result:
    return [1 / players] * players


__all__ = ["DEFAULT_GAMES", "LONGEST", "MOST_WEIGHED", "SearchBot", "Tree"]
