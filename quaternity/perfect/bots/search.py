"""A bot that decides with Monte Carlo tree search over canonical states.

For every decision, the bot simulates a number of games (playouts). In the states of the search
tree, the player who chooses a question or an answer takes the option with the highest sum of two
terms: the average result for that player so far, and a bonus for options that were rarely tried
(max^n with upper confidence bounds: Kocsis and Szepesvari 2006, Sturtevant 2008). The more often a
state is visited, the more of its questions are considered, in the order of a fast policy
(progressive widening: Coulom 2007). Outside the tree, this policy
(`quaternity.perfect.bots.policy`) plays for all players, with a little random noise. Equal
canonical states share a node of the tree.

Forced wins are proved instead of sampled. A proof-number search (`quaternity.perfect.forcing`)
examines every visited state. A playout ends when the player to move is known to force a win. The
options of the actual decision are examined more thoroughly: the bot plays its own forced wins, and
avoids options that give another player a forced win.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from math import inf, log, sqrt
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from quaternity.perfect.bots.policy import Policy, Result, endless_result
from quaternity.perfect.keys.canonical import Key, KeyCodec, Rules, canonical, coding
from quaternity.perfect.keys.kinds import Roles
from quaternity.perfect.successors.one_state import Choice, Reply, canonical_after

DEFAULT_GAMES = 100
"""Default number of simulated games for each decision."""

MAX_WEIGHED_QUESTIONS = 6_000
"""Maximum number of questions examined for a decision, if no number of games is given. A question
takes about 60 microseconds."""

MAX_PLAYOUT_LENGTH = 60
"""Maximum number of moves in a simulated game. A longer game counts as a win shared by all."""

MAX_PROOF_ANSWERS = 1_000
"""Maximum number of answers examined to prove or refute one forced win in the current state."""

MAX_SAFETY_ANSWERS = 3_000
"""Maximum number of answers examined for each decision to find the options that let another player
force a win. The options that are left then count as safe."""

EXPLORATION = 0.25
"""Weight of the bonus for options that were rarely tried."""

NOISE = 0.05
"""Probability of a random move instead of the policy's move in a simulated game."""


class SearchBot:
    """A bot that decides with Monte Carlo tree search: it simulates games (see the module).

    Attributes:
        games: maximum number of simulated games per decision. In the default game, each takes a
            millisecond, and less once the bot has visited similar states.
        weighed: maximum number of questions in the visited states. At this limit, the simulation
            ends. Questions of cached states count as well, so that a decision does not depend on
            earlier decisions.
        proved: maximum number of answers examined to prove a forced win in the current state.
    """

    def __init__(
        self, random: Random, games: int = DEFAULT_GAMES, weighed: float = MAX_WEIGHED_QUESTIONS
    ) -> None:
        self._random = random
        self.games, self.weighed, self.proved = games, weighed, MAX_PROOF_ANSWERS
        self._policies: dict[Rules, Policy] = {}

    def ask(self, state: State) -> Question:
        """Return a question that forces a win, or else the one that simulated games tried most.

        Questions that are known to give another player a forced win are avoided.
        """
        assert state.turn is not None, "the game must not be over"
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
                tree.run_playout(key, range(len(roles)))
            best = self._first_safe(policy, 0, tree.nodes[key].sort_options(options))
        return self._random.choice(_questions(code, state, roles, best))

    def answer(self, state: State, question: Question) -> Answer:
        """Return an answer that forces a win, or else the one that simulated games tried most."""
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
            choice = node.choose(len(replies))
            result = tree.run_playout(replies[choice].key, replies[choice].roles)
            node.add(choice, result[asked])
        ranked = node.sort_options([Choice(asked, (reply,)) for reply in replies])
        return self._first_safe(policy, asked, ranked).replies[0].answer

    def _budget(self, tree: Tree) -> Iterator[int]:
        return takewhile(lambda game: tree.weighed < self.weighed, range(self.games))

    def _first_safe(self, policy: Policy, player: int, ranked: list[Choice]) -> Choice:
        """Return the first option after which no other player is known to force a win.

        `ranked` contains the options of `player`, best first. If no option is safe, return the
        first one. After `MAX_SAFETY_ANSWERS` examined answers, the remaining options count as safe.
        """
        examined = 0
        for option in ranked:
            bad = False
            for reply in option.replies:
                for role, other in enumerate(reply.roles):
                    if other != player and not bad and examined <= MAX_SAFETY_ANSWERS:
                        proof = policy.proof(reply.key, role, self.proved)
                        examined += proof.weighed
                        bad = proof.won
            if not bad:
                return option
        return ranked[0]

    def _policy(self, code: KeyCodec) -> Policy:
        if code.rules not in self._policies:
            self._policies[code.rules] = Policy(code)
        return self._policies[code.rules]


def _questions(code: KeyCodec, state: State, roles: Roles, choice: Choice) -> list[Question]:
    assert state.turn is not None, "the game must not be over"
    wanted = {(reply.answer, reply.key) for reply in choice.replies}
    same: list[Question] = []
    others: list[Question] = []
    for asked, index, cards, answers in state.legal_questions.groups():
        alike = [Question.trusted(state.turn, asked, Card.unchecked(index, card)) for card in cards]
        after = {(answer, canonical_after(code, state, alike[0], answer).key) for answer in answers}
        if after == wanted:
            # The two states may assign roles to interchangeable players differently, so prefer the
            # asked player with the same role.
            (same if asked == roles[choice.asked] else others).extend(alike)
    return same or others


class _Node:
    """A node of the search tree, in which a player chooses an option.

    For each option, the node stores the number of visits and the sum of the player's results.
    """

    __slots__ = ("times", "totals", "visits")

    def __init__(self, options: int) -> None:
        self.times = 0
        self.visits = [0] * options
        self.totals = [0.0] * options

    def choose(self, considered: int) -> int:
        """Return the index of the option to try next, among the first `considered` options.

        This is the first option that was never tried. If all have been tried, it is the option with
        the highest upper confidence bound.
        """
        best, best_bound = 0, -1.0
        chances = log(self.times + 1)
        for option in range(min(considered, len(self.visits))):
            visits = self.visits[option]
            if not visits:
                return option
            bound = self.totals[option] / visits + EXPLORATION * sqrt(chances / visits)
            if bound > best_bound:
                best, best_bound = option, bound
        return best

    def add(self, option: int, result: float) -> None:
        self.times += 1
        self.visits[option] += 1
        self.totals[option] += result

    def sort_options(self, options: Sequence[Choice]) -> list[Choice]:
        ranks = [(-times, -total) for times, total in zip(self.visits, self.totals, strict=True)]
        return [options[option] for option in sorted(range(len(options)), key=ranks.__getitem__)]


class Tree:
    """The search tree that a bot builds for one decision.

    Attributes:
        nodes: for the key of a state, the node in which the player to move chooses a question.
        weighed: number of questions examined in the visited states (see `Outlook.weighed`).
    """

    def __init__(self, policy: Policy, random: Random, limit: float = inf) -> None:
        self._policy, self._random, self._limit = policy, random, limit
        self.nodes: dict[Key, _Node] = {}
        self.weighed = 0
        self._replies: dict[tuple[Key, int], _Node] = {}
        self._visited: set[Key] = set()

    def run_playout(self, key: Key, names: Sequence[int]) -> Sequence[float]:
        """Simulate a game, and return what each player gets: a share of the win.

        `key` identifies the canonical state in which the game begins, and `names[r]` is the player
        who has role r in it.
        """
        path: list[tuple[_Node, int, int]] = []
        players = len(names)
        for move in range(MAX_PLAYOUT_LENGTH):
            options, result = self._evaluate(key)
            if result and (move or not options):
                result = _by_player(result, names)
                break
            if options[0].asked == players:
                [reply] = self._random.choice(options).replies
            elif key not in self.nodes:
                self.nodes[key] = _Node(len(options))
                result = self._play_out(key, names, MAX_PLAYOUT_LENGTH - move)
                break
            else:
                node = self.nodes[key]
                option = node.choose(1 + int(sqrt(node.times)))
                path.append((node, option, names[0]))
                asked, replies = options[option]
                reply = replies[0]
                if len(replies) > 1:
                    node = self._replies.setdefault((key, option), _Node(len(replies)))
                    option = node.choose(len(replies))
                    path.append((node, option, names[asked]))
                    reply = replies[option]
            names = [names[role] for role in reply.roles]
            key = reply.key
        else:
            result = endless_result(players)
        for node, option, name in path:
            node.add(option, result[name])
        return result

    def _play_out(self, key: Key, names: Sequence[int], max_moves: int) -> Result:
        """Simulate at most `max_moves` moves with the fast policy. Return what each player gets.

        All players share the win if the game does not end, or too many questions were examined.
        """
        players, random = len(names), self._random
        for _ in range(max_moves):
            # If the cost limit is reached, treat the game like a game that is too long.
            if self.weighed >= self._limit:
                break
            options, result = self._evaluate(key)
            if result:
                return _by_player(result, names)
            if options[0].asked == players or random.random() < NOISE:
                reply = random.choice(random.choice(options).replies)
            else:
                reply = options[0].replies[0]
            names = [names[role] for role in reply.roles]
            key = reply.key
        return endless_result(players)

    def _evaluate(self, key: Key) -> tuple[list[Choice], Result | None]:
        options, result, weighed = self._policy.quick_evaluation(key)
        if key not in self._visited:
            self._visited.add(key)
            self.weighed += weighed
        return options, result


def _by_player(result: Result, names: Sequence[int]) -> Result:
    return tuple([result[names.index(name)] for name in range(len(names))])
