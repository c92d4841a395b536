"""A quick player of canonical states, for imagining how a game goes on.

It does what the informed bot does, at rough prospects instead of exact chances, and where proof
(`quaternity.perfect.forcing`) finds a forced win of the player on turn it sees the end of the game.
Its results for a state are kept under the state's key, and depends on nothing but the state.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from quaternity.perfect.bots.prospects import Prospects, ahead, rough_prospects
from quaternity.perfect.forcing import ProofGraph
from quaternity.perfect.keys.canonical import Coding, Key
from quaternity.perfect.successors.one_state import Choice, Reply, choices

MAX_CACHED_QUESTIONS = 1 << 20
"""Number of cached questions, at about 400 bytes each, above which the caches are cleared."""

GLANCE = 60
"""Answers that are weighed to see whether a win is forced in a state that is met in imagination:
of the forced wins in states that a search of 4-3-3 meets, nine of ten are seen within these, and
they are those of the player on turn."""

ANSWERS_A_QUESTION = 4
"""Number of answers in a proof that cost as much as a question; most also occur in other proofs."""

MAX_PROOF_CARDS = 24
"""Maximum number of cards in play to search for forced wins; with more, they are rare and
expensive."""

Result = tuple[float, ...]
"""Per role a part of the win: those who are first together share it, and all a game without end."""


class Outlook(NamedTuple):
    """A state as the quick player sees it.

    Attributes:
        result: of the game, where it is over or role 0 is seen to force a win; else None.
        weighed: the questions it took to see this, whatever was known before.
    """

    options: list[Choice]
    result: Result | None
    weighed: int


class Proof(NamedTuple):
    """The result of a search for a role's forced win.

    Attributes:
        won: whether a forced win was seen.
        question: the first on the quickest way known, where it is role 0's.
        weighed: how many answers the search looked at.
    """

    won: bool
    question: Choice | None
    weighed: int


class Policy:
    """The quick player of one game.

    Attributes:
        glance: how many answers are weighed to see whether somebody forces a win in a state that is
            met in imagination.
    """

    def __init__(self, code: Coding, glance: int = GLANCE) -> None:
        self.code, self.glance = code, glance
        self._options: dict[Key, list[Choice]] = {}
        self._outlooks: dict[Key, Outlook] = {}
        self._proofs: dict[tuple[Key, int, int], Proof] = {}
        self._remembered = 0
        self._worth: dict[int, Prospects] = {}

    def options(self, key: Key) -> list[Choice]:
        """Return the questions of a state, the best first, each with its best reply first.

        A reply is good for the asked player, a question for role 0 after its best reply. Choices of
        chance come in no order. Empty when the game is over.
        """
        options = self._options.get(key)
        if options is None:
            options = choices(self.code, key)
            self._remembered += len(options)
            if self._remembered > MAX_CACHED_QUESTIONS:
                for kept in (self._options, self._outlooks, self._proofs, self._worth):
                    kept.clear()
                self._remembered = len(options)
            if options and options[0].asked < self.code.rules.players:
                options = self._sorted(options)
            self._options[key] = options
        return options

    def look(self, key: Key) -> Outlook:
        """Return what is seen of a state at a glance."""
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
                weighed += proof.weighed // ANSWERS_A_QUESTION
                if proof.won:
                    result = (1.0, *[0.0] * (players - 1))
            outlook = self._outlooks[key] = Outlook(options, result, weighed)
        return outlook

    def proof(self, key: Key, role: int, most: int) -> Proof:
        """Search for a forced win of a role, weighing at most `most` answers.

        Nothing is searched while more than `MAX_PROOF_CARDS` cards are in play.
        """
        proof = self._proofs.get((key, role, most))
        if proof is None:
            proofs, question = ProofGraph(self.code, self.options), None

            def last(option: Choice) -> float:
                after = [proofs.node(reply.key, reply.roles.index(0)) for reply in option.replies]
                return max(node.rank if node.won else inf for node in after)

            cards = len(self.code.parts(key).kinds) * self.code.rules.set_size
            small = most and cards <= MAX_PROOF_CARDS
            won = bool(small and proofs.search(proofs.node(key, role), most=most))
            if won and not role and (options := self.options(key)):
                question = min(options, key=last)
            proof = self._proofs[key, role, most] = Proof(won, question, proofs.weighed)
        return proof

    def _sorted(self, options: list[Choice]) -> list[Choice]:
        ranked = []
        for asked, replies in options:
            if len(replies) > 1:
                replies = tuple(sorted(replies, key=lambda reply: -self.outlook(reply, asked)))
            ranked.append((-self.outlook(replies[0], 0), Choice(asked, replies)))
        ranked.sort(key=lambda entry: entry[0])
        return [choice for _, choice in ranked]

    def outlook(self, reply: Reply, role: int) -> float:
        """Return how far a role is ahead of the others after a reply."""
        values = rough_prospects(self.code, reply.key, self._worth)
        return ahead(values, reply.roles.index(role))


def shared(players: int) -> Result:
    """Return the result of a game without end."""
    return (1 / players,) * players
