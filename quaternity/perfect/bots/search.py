"""A bot that searches: Monte-Carlo trees over canonical states.

Every decision imagines a number of games. In states of the tree the player on turn takes the
question, and the asked player the reply, that did best for themselves so far, with a bonus for what
was tried little (max^n with upper confidence bounds: Kocsis and Szepesvari 2006, Sturtevant 2008);
the more often a state is met, the more of its questions are considered, in the order of a quick
player (progressive widening: Coulom 2007). From the first state outside the tree on, the quick
player (`quaternity.perfect.bots.policy`) plays for all, but for a little noise; so searching
improves on the quick player, and what that player makes of a state is worked out once and kept. A
tree knows states by their keys: positions that come about in different ways, or differ in names,
are one.

What can be forced is not left to imagination: proof-number search, which knows who can wait for
ever (`quaternity.perfect.forcing`), looks at every state that is met, and an imagined game ends
where the player on turn is seen to force a win. What is about to be asked or answered is looked at
longer: the bot plays forced wins of its own, and hands nobody any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from math import inf, log, sqrt
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from quaternity.perfect.bots.policy import Policy, Result, shared
from quaternity.perfect.keys.canonical import Coding, Key, Rules, canonical, coding
from quaternity.perfect.keys.kinds import Roles
from quaternity.perfect.successors.one_state import Choice, Reply, canonical_after

DEFAULT_GAMES = 100
"""Games imagined for a decision."""

MAX_WEIGHED_QUESTIONS = 6_000
"""Maximum number of questions weighed per decision, at about 60 us each, unless a number of games
is given."""

MAX_PLAYOUT_LENGTH = 60
"""Maximum length of an imagined game, in moves; a longer one counts as won by nobody."""

MAX_PROOF_ANSWERS = 1_000
"""Maximum number of answers weighed to prove or refute one forced win in the current state."""

MAX_SAFETY_ANSWERS = 3_000
"""Number of answers weighed per decision after which the remaining options count as safe."""

EXPLORATION = 0.25
"""The weight of the bonus for what was tried little."""

NOISE = 0.05
"""How often the quick player makes a random move."""


class SearchBot:
    """Plays by imagined games; see the module.

    Attributes:
        games: imagined for a decision; in the default game a millisecond each, less once the bot
            knows the states around.
        weighed: no further game is imagined once the states met had so many questions. What the
            bot remembers counts too, so a decision does not depend on earlier ones.
        proved: answers that are weighed to prove a forced win of the state at hand.
    """

    def __init__(
        self, random: Random, games: int = DEFAULT_GAMES, weighed: float = MAX_WEIGHED_QUESTIONS
    ) -> None:
        self._random = random
        self.games, self.weighed, self.proved = games, weighed, MAX_PROOF_ANSWERS
        self._policies: dict[Rules, Policy] = {}

    def ask(self, state: State) -> Question:
        """Return a question on the way to a forced win, else the most chosen in imagination.

        Questions that are seen to hand somebody else a forced win are left out.
        """
        assert state.turn is not None, "somebody asks"
        code = coding(Rules.of(state))
        policy = self._policy(code)
        key, roles = canonical(state)
        options = policy.options(key)
        best = options[0]
        if len(options) > 1 and (proof := policy.proof(key, 0, self.proved)).question:
            best = proof.question
        elif len(options) > 1:
            tree = Tree(policy, self._random, self.weighed)
            for _ in self._budget(tree):
                tree.imagine(key, range(len(roles)))
            best = self._safest(policy, 0, tree.nodes[key].ranked(options))
        return self._random.choice(_questions(code, state, roles, best))

    def answer(self, state: State, question: Question) -> Answer:
        """Return the answer that forces a win, else the most chosen in imagination."""
        answers = state.answers(question)
        if len(answers) == 1:
            return answers[0]
        code, asked = coding(Rules.of(state)), question.asked
        policy = self._policy(code)
        replies = [
            Reply(answer, *canonical_after(code, state, question, answer)) for answer in answers
        ]
        replies.sort(key=lambda reply: -policy.outlook(reply, asked))
        for reply in replies:
            if policy.proof(reply.key, reply.roles.index(asked), self.proved).won:
                return reply.answer
        tree = Tree(policy, self._random, self.weighed)
        node = _Node(len(replies))
        for _ in self._budget(tree):
            choice = node.chosen(len(replies))
            result = tree.imagine(replies[choice].key, replies[choice].roles)
            node.add(choice, result[asked])
        ranked = node.ranked([Choice(asked, (reply,)) for reply in replies])
        return self._safest(policy, asked, ranked).replies[0].answer

    def _budget(self, tree: Tree) -> Iterator[int]:
        """Yield once for each game that a decision may imagine."""
        return takewhile(lambda game: tree.weighed < self.weighed, range(self.games))

    def _safest(self, policy: Policy, player: int, ranked: list[Choice]) -> Choice:
        """Return the first option after which nobody else is seen to force a win.

        The first of all where none is safe. Once `MAX_SAFETY_ANSWERS` answers were weighed the
        remaining options count as safe.
        """
        doubted = 0
        for option in ranked:
            bad = False
            for reply in option.replies:
                for role, other in enumerate(reply.roles):
                    if other != player and not bad and doubted <= MAX_SAFETY_ANSWERS:
                        proof = policy.proof(reply.key, role, self.proved)
                        doubted += proof.weighed
                        bad = proof.won
            if not bad:
                return option
        return ranked[0]

    def _policy(self, code: Coding) -> Policy:
        if code.rules not in self._policies:
            self._policies[code.rules] = Policy(code)
        return self._policies[code.rules]


def _questions(code: Coding, state: State, roles: Roles, choice: Choice) -> list[Question]:
    assert state.turn is not None, "somebody asks"
    wanted = {(reply.answer, reply.key) for reply in choice.replies}
    same: list[Question] = []
    others: list[Question] = []
    for asked, index, cards, answers in state.legal_questions.groups():
        alike = [Question.trusted(state.turn, asked, Card.trusted(index, card)) for card in cards]
        after = {(answer, canonical_after(code, state, alike[0], answer).key) for answer in answers}
        if after == wanted:
            # Where players look alike, roles may have been given out in another way.
            (same if asked == roles[choice.asked] else others).extend(alike)
    return same or others


class _Node:
    """The options of a state: how often each was chosen, and its results for who chose."""

    __slots__ = ("times", "totals", "visits")

    def __init__(self, options: int) -> None:
        self.times = 0
        self.visits = [0] * options
        self.totals = [0.0] * options

    def chosen(self, considered: int) -> int:
        """Return the first untried option, else the one with the highest bound."""
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
        self.times += 1
        self.visits[option] += 1
        self.totals[option] += result

    def ranked(self, options: Sequence[Choice]) -> list[Choice]:
        """Sort the options, the most chosen first."""
        ranks = [(-times, -total) for times, total in zip(self.visits, self.totals, strict=True)]
        return [options[option] for option in sorted(range(len(options)), key=ranks.__getitem__)]


class Tree:
    """The imagined games of one decision.

    Attributes:
        nodes: by key; a node is about the questions of role 0.
        weighed: the questions of the states met.
    """

    def __init__(self, policy: Policy, random: Random, most: float = inf) -> None:
        self._policy, self._random, self._most = policy, random, most
        self.nodes: dict[Key, _Node] = {}
        self.weighed = 0
        self._replies: dict[tuple[Key, int], _Node] = {}
        self._met: set[Key] = set()

    def imagine(self, key: Key, names: Sequence[int]) -> Sequence[float]:
        """Imagine a game; return the result by names, `names[r]` being that of role r."""
        path: list[tuple[_Node, int, int]] = []
        players = len(names)
        for move in range(MAX_PLAYOUT_LENGTH):
            options, result = self._look(key)
            if result and (move or not options):
                result = _named(result, names)
                break
            if options[0].asked == players:
                [reply] = self._random.choice(options).replies
            elif key not in self.nodes:
                self.nodes[key] = _Node(len(options))
                result = self._played(key, names, MAX_PLAYOUT_LENGTH - move)
                break
            else:
                node = self.nodes[key]
                chosen = node.chosen(1 + int(sqrt(node.times)))
                path.append((node, chosen, names[0]))
                asked, replies = options[chosen]
                reply = replies[0]
                if len(replies) > 1:
                    node = self._replies.setdefault((key, chosen), _Node(len(replies)))
                    chosen = node.chosen(len(replies))
                    path.append((node, chosen, names[asked]))
                    reply = replies[chosen]
            names = [names[role] for role in reply.roles]
            key = reply.key
        else:
            result = shared(players)
        for node, option, name in path:
            node.add(option, result[name])
        return result

    def _played(self, key: Key, names: Sequence[int], most: int) -> Result:
        """Play to the end by the quick player, or until the budget is spent."""
        players, random = len(names), self._random
        for _ in range(most):
            if self.weighed >= self._most:  # given up, like a game that is too long
                break
            options, result = self._look(key)
            if result:
                return _named(result, names)
            if options[0].asked == players or random.random() < NOISE:
                reply = random.choice(random.choice(options).replies)
            else:
                reply = options[0].replies[0]
            names = [names[role] for role in reply.roles]
            key = reply.key
        return shared(players)

    def _look(self, key: Key) -> tuple[list[Choice], Result | None]:
        options, result, weighed = self._policy.look(key)
        if key not in self._met:
            self._met.add(key)
            self.weighed += weighed
        return options, result


def _named(result: Result, names: Sequence[int]) -> Result:
    return tuple([result[names.index(name)] for name in range(len(names))])
