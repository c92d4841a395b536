"""`python -m tests.bench.search_before 4-3-3 600`: the searching bot against what it was.

One bot against as many as there are other seats of the bot as it was before it proved anything and
told ties apart: no proofs, 20,000 questions a decision, and all games without a sole winner one to
it. Seats rotate, the seats' random numbers are used from every seat, and after so many moves a game
is nobody's. A game counts the bot's part of the win, all of it or an even part of a tie, less the
mean part of the others; figures are means and standard errors over games. Tuned on other seeds.
"""

from __future__ import annotations

import argparse
from collections import Counter
from math import sqrt
from random import Random
from statistics import mean, stdev
from time import process_time

from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.bots.policy import Outlook, Policy, shared
from quaternity.perfect.bots.search import SearchBot
from quaternity.perfect.keys.canonical import Coding, Key, Rules, coding
from quaternity.perfect.successors.one_state import Choice

SEED = "2026"
"""Of games that nothing was tuned on."""

HOW = ("won", "tied", "won by others", "tied by others", "open")
"""How games end for the bot."""

KEPT = 1 << 16
"""States of which a quick player without proofs keeps what it knows."""

SHOWN = 10
"""Games between two lines."""


class Proofless(Policy):
    """A quick player without proofs, to whom all games without a sole winner are one.

    It asks another one what can be asked.
    """

    def __init__(self, other: Policy) -> None:
        super().__init__(other.code, glance=0)
        self._other = other

    def options(self, key: Key) -> list[Choice]:
        return self._other.options(key)

    def look(self, key: Key) -> Outlook:
        if len(self._outlooks) > KEPT:
            self._outlooks.clear()
        options, result, weighed = super().look(key)
        tie = result and max(result) < 1
        return Outlook(options, shared(len(result)) if result and tie else result, weighed)


class Searching(SearchBot):
    """The bot, with a quick player that all games share: what it knows changes no decision."""

    def __init__(self, random: Random, policy: Policy) -> None:
        super().__init__(random)
        self._shared = policy

    def _policy(self, code: Coding) -> Policy:
        return self._shared


class Before(Searching):
    """The bot as it was: the same decisions from the same random numbers."""

    def __init__(self, random: Random, policy: Policy) -> None:
        super().__init__(random, policy)
        self.weighed, self.proved = 20_000, 0


def sized(text: str) -> Settings:
    """The settings of a game by its sizes."""
    set_size, sets, players = map(int, text.split("-"))
    return Settings(set_size, sets, players)


def played(start: State, bots: list[Searching], moves: int) -> State:
    """The state where a game is over or given up."""
    state = start
    for _ in range(moves):
        if state.is_over:
            break
        assert state.turn is not None, "somebody asks"
        question = bots[state.turn].ask(state)
        state = state.after(question, bots[question.asked].answer(state, question))
    return state


def figures(values: list[float]) -> str:
    """Mean and standard error."""
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{mean(values):+.3f} ± {error:.3f}" + (
        f" ({mean(values) / error:+.1f})" if error else ""
    )


def main() -> None:
    """Play."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", help="set size, sets and players, as 4-3-3")
    parser.add_argument("games", type=int)
    parser.add_argument("--first", type=int, default=0, help="games to leave out, played elsewhere")
    parser.add_argument("--moves", type=int, default=100, help="that a game may have")
    chosen = parser.parse_args()
    settings = sized(chosen.sizes)
    players, start = settings.players, State.start(settings)
    policy = Policy(coding(Rules.of(start)))
    plain = Proofless(policy)
    leads, sets, counts = list[float](), list[float](), Counter[str]()
    for game in range(chosen.first, chosen.games):
        deal, mine = divmod(game, players)
        chances = [Random(f"{SEED} {deal} {seat}") for seat in range(players)]
        end = played(
            start,
            [
                (Searching(chance, policy) if seat == mine else Before(chance, plain))
                for seat, chance in enumerate(chances)
            ],
            chosen.moves,
        )
        best = max(end.points)
        first = [seat for seat in range(players) if end.is_over and end.points[seat] == best]
        how = "won" if len(first) == 1 else "tied" if first else "open"
        counts[how if mine in first or not first else f"{how} by others"] += 1
        share = (mine in first) / max(1, len(first))
        leads.append(share - (bool(first) - share) / (players - 1))
        sets.append(end.points[mine] - (sum(end.points) - end.points[mine]) / (players - 1))
        if len(leads) % SHOWN == 0 or game + 1 == chosen.games:
            print(
                f"{chosen.sizes}: {len(leads)} games,",
                ", ".join(f"{how} {counts[how]}" for how in HOW),
                f"share {figures(leads)}, sets {figures(sets)};",
                f"{process_time() / len(leads):.1f} s a game",
                flush=True,
            )


if __name__ == "__main__":
    main()
