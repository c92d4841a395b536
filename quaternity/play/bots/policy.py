"""What the informed bot does, worked out once for every canonical state."""

from __future__ import annotations

from quaternity.play.bots.prospects import prospects
from quaternity.play.coding import Coding, Key
from quaternity.play.successors import Choice, Reply, choices

MOST_REMEMBERED = 1 << 17
"""States that are kept of each sort before all are forgotten."""


class Policy:
    """Questions, prospects and informed moves of the canonical states of one game, kept by key."""

    def __init__(self, code: Coding) -> None:
        self.code = code
        self._choices: dict[Key, list[Choice]] = {}
        self._prospects: dict[Key, tuple[float, ...]] = {}
        self._ordered: dict[Key, list[Choice]] = {}
        self._moves: dict[Key, Reply | None] = {}

    def choices(self, key: Key) -> list[Choice]:
        found = self._choices.get(key)
        if found is None:
            if len(self._choices) >= MOST_REMEMBERED:
                self._choices.clear()
            found = self._choices[key] = choices(self.code, key)
        return found

    def prospects(self, key: Key) -> tuple[float, ...]:
        found = self._prospects.get(key)
        if found is None:
            if len(self._prospects) >= 4*MOST_REMEMBERED:
                self._prospects.clear()
            found = self._prospects[key] = prospects(self.code, key)
        return found

    def outlook(self, reply: Reply, role: int) -> float:
        values = self.prospects(reply.key)
        mine = reply.roles.index(role)
        return values[mine] - max([v for other, v in enumerate(values) if other != mine])

    def move(self, key: Key) -> Reply | None:
        """The informed move in a state: the first of the best; None when the game is over."""
        if key in self._moves:
            return self._moves[key]
        best, best_value = None, float("-inf")
        players = self.code.rules.players
        for choice in self.choices(key):
            if choice.asked == players:
                best = choice.replies[0]
                break
            reply = max(choice.replies, key=lambda one: self.outlook(one, choice.asked))
            value = self.outlook(reply, 0)
            if value > best_value + 1e-9:
                best, best_value = reply, value
        if len(self._moves) >= MOST_REMEMBERED:
            self._moves.clear()
        self._moves[key] = best
        return best

    def ordered(self, key: Key) -> list[Choice]:
        found = self._ordered.get(key)
        if found is None:
            players = self.code.rules.players
            scored = []
            for choice in self.choices(key):
                if choice.asked == players:
                    scored.append((0.0, choice)); continue
                replies = sorted(choice.replies, key=lambda one: -self.outlook(one, choice.asked))
                scored.append((self.outlook(replies[0], 0), Choice(choice.asked, tuple(replies))))
            scored.sort(key=lambda one: -one[0])
            found = self._ordered[key] = [c for _, c in scored]
        return found
