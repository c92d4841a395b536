"""A fast policy for canonical states, used for the playouts of the search bot.

The policy chooses moves like the informed bot, but with estimated instead of exact prospects (see
`quaternity.perfect.bots.heuristic`). If a proof search (`quaternity.perfect.forcing`) finds a
forced win of the player to move, the policy takes this win as the result of the game. Results
depend only on the state, and are cached under its key. A role is the number of a player in a
canonical state. Role 0 is to move.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from quaternity.perfect.bots.heuristic import Prospects, lead, rough_prospects
from quaternity.perfect.forcing import ProofGraph
from quaternity.perfect.keys.canonical import Key, KeyCodec
from quaternity.perfect.successors.one_state import Choice, Reply, choices

MAX_CACHED_QUESTIONS = 1 << 20
"""Number of cached questions above which the caches of the policy are cleared. A question takes
about 400 bytes."""

QUICK_STATES = 60
"""Maximum number of answers examined in each state of a simulated game to find a forced win of the
player to move. With 3 sets of 4 cards and 3 players, this finds nine of ten forced wins."""

ANSWERS_PER_QUESTION = 4
"""Number of answers that together take as long to examine as one question. Answers take less time
than questions, because most answers also occur in other searches."""

MAX_PROOF_CARDS = 24
"""Maximum number of cards in play for which forced wins are searched. With more cards, forced wins
are rare and expensive to find."""

Result = tuple[float, ...]
"""Result of a game: for each role, its share in the win. Players tied for first place share the
win. All players share the win of a game that never ends."""


class Outlook(NamedTuple):
    """What a policy says about a state: the best moves, and the result of the game if it is known.

    Attributes:
        options: the questions of the state, best first.
        result: the result of the game. It is None unless the game is over or role 0, who is to
            move, is known to force a win.
        weighed: the cost of the evaluation: how many questions it examines if nothing is cached.
    """

    options: list[Choice]
    result: Result | None
    weighed: int


class Proof(NamedTuple):
    """The result of a limited search for a forced win of one player.

    Attributes:
        won: whether a forced win was found.
        question: the first question of the shortest win found. It is None if no win was found, or
            if the player is not the player to move.
        weighed: number of answers that the search examined.
    """

    won: bool
    question: Choice | None
    weighed: int


class Policy:
    """A fast way to choose moves for simulated games (playouts), which all have the same rules.

    Attributes:
        glance: maximum number of answers examined in each state to find a forced win.
    """

    def __init__(self, code: KeyCodec, glance: int = QUICK_STATES) -> None:
        self.code, self.glance = code, glance
        self._options: dict[Key, list[Choice]] = {}
        self._outlooks: dict[Key, Outlook] = {}
        self._proofs: dict[tuple[Key, int, int], Proof] = {}
        self._cached_questions = 0
        self._worth: dict[int, Prospects] = {}

    def options(self, key: Key) -> list[Choice]:
        """Return the questions that can be asked in a state, the best for the asker first.

        Each question contains its replies, the best for the asked player first. Replies are ranked
        by heuristic values, and questions by the asker's value after the best reply. The list is
        empty if the game is over. If the next player is drawn at random, the list contains the
        possible draws instead, in no particular order.
        """
        options = self._options.get(key)
        if options is None:
            options = choices(self.code, key)
            self._cached_questions += len(options)
            if self._cached_questions > MAX_CACHED_QUESTIONS:
                for cache in (self._options, self._outlooks, self._proofs, self._worth):
                    cache.clear()
                self._cached_questions = len(options)
            if options and options[0].asked < self.code.rules.players:
                options = self._sort(options)
            self._options[key] = options
        return options

    def quick_evaluation(self, key: Key) -> Outlook:
        """Return the questions of a state, best first, and the game's result if it is known.

        The result is known if the game is over, or if a short search (see `glance`) proves that the
        player to move can force a win.
        """
        outlook = self._outlooks.get(key)
        if outlook is None:
            options, result = self.options(key), None
            weighed, players = len(options), self.code.rules.players
            if not options:
                points = self.code.parts(key).points
                best = max(points)
                result = tuple([(point == best) / points.count(best) for point in points])
            elif self.glance and options[0].asked < players:
                proof = self.proof(key, 0, self.glance)
                weighed += proof.weighed // ANSWERS_PER_QUESTION
                if proof.won:
                    result = (1.0, *[0.0] * (players - 1))
            outlook = self._outlooks[key] = Outlook(options, result, weighed)
        return outlook

    def proof(self, key: Key, role: int, limit: int) -> Proof:
        """Search for a forced win of one player among at most `limit` answers. Return the result.

        `key` identifies the canonical state, and `role` is the player's number in it. If more than
        `MAX_PROOF_CARDS` cards are in play, no search is made.
        """
        proof = self._proofs.get((key, role, limit))
        if proof is None:
            proofs, question = ProofGraph(self.code, self.options), None

            def last(option: Choice) -> float:
                after = [proofs.node(reply.key, reply.roles.index(0)) for reply in option.replies]
                return max(node.rank if node.won else inf for node in after)

            cards = len(self.code.parts(key).kinds) * self.code.rules.set_size
            small = limit and cards <= MAX_PROOF_CARDS
            won = bool(small and proofs.search(proofs.node(key, role), limit=limit))
            if won and not role and (options := self.options(key)):
                question = min(options, key=last)
            proof = self._proofs[key, role, limit] = Proof(won, question, proofs.examined)
        return proof

    def _sort(self, options: list[Choice]) -> list[Choice]:
        ranked = []
        for asked, replies in options:
            if len(replies) > 1:
                replies = tuple(sorted(replies, key=lambda reply: -self.outlook(reply, asked)))
            ranked.append((-self.outlook(replies[0], 0), Choice(asked, replies)))
        ranked.sort(key=lambda entry: entry[0])
        return [choice for _, choice in ranked]

    def outlook(self, reply: Reply, role: int) -> float:
        """Return an estimate of how far a player is ahead of the best other after an answer."""
        values = rough_prospects(self.code, reply.key, self._worth)
        return lead(values, reply.roles.index(role))


def endless_result(players: int) -> Result:
    """Return the result of a game that never ends: an equal share for each player."""
    return (1 / players,) * players
