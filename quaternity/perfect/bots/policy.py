"""A quick player of canonical states, for imagining how a game goes on.

It does what the informed bot does, at rough prospects instead of exact chances, and keeps what it
found for every state under the state's key.
"""

from __future__ import annotations

from quaternity.perfect.bots.prospects import Prospects, ahead, rough_prospects
from quaternity.perfect.keys.canonical import Coding, Key
from quaternity.perfect.successors.one_state import Choice, Reply, choices

MOST_REMEMBERED = 1 << 20
"""Questions that are kept, at some 400 bytes each."""


class Policy:
    """The quick player of one game."""

    def __init__(self, code: Coding) -> None:
        self.code = code
        self._options: dict[Key, list[Choice]] = {}
        self._remembered = 0
        self._worth: dict[int, Prospects] = {}

    def options(self, key: Key) -> list[Choice]:
        """The questions of a state, the best first, each with its best reply first.

        A reply is good for the asked player, a question for role 0 after its best reply. What
        chance can choose comes in no order. Empty when the game is over.
        """
        options = self._options.get(key)
        if options is None:
            options = choices(self.code, key)
            self._remembered += len(options)
            if self._remembered > MOST_REMEMBERED:
                self._options.clear()
                self._worth.clear()
                self._remembered = len(options)
            if options and options[0].asked < self.code.rules.players:
                options = self._sorted(options)
            self._options[key] = options
        return options

    def _sorted(self, options: list[Choice]) -> list[Choice]:
        found = []
        for asked, replies in options:
            if len(replies) > 1:
                replies = tuple(sorted(replies, key=lambda one: -self.outlook(one, asked)))
            found.append((-self.outlook(replies[0], 0), Choice(asked, replies)))
        found.sort(key=lambda one: one[0])
        return [choice for _, choice in found]

    def outlook(self, reply: Reply, role: int) -> float:
        """How far a role is ahead of the others after a reply."""
        values = rough_prospects(self.code, reply.key, self._worth)
        return ahead(values, reply.roles.index(role))


__all__ = ["MOST_REMEMBERED", "Policy"]
