"""A checker of forced wins on real states, one move at a time, independent of the solver."""

from __future__ import annotations

from collections.abc import Callable

from quaternity.game.state import State

Lengths = tuple[int | None, ...]
"""The number of moves in which each player can force a win, or None."""

Claim = Callable[[State], Lengths]


def forced_lengths(state: State, claim: Claim) -> Lengths:
    """Return the number of moves in which each player can force a win, if the claims hold.

    The claims are about the next states. The player wants to win quickly; the others choose their
    questions and answers to prevent or delay the win. If the result agrees with the claim in every
    reachable state, the claim is right: by induction over the lengths, a claimed win can be played
    out against every defence. In a state without a claimed win, the others can always move to
    another state without one.
    """
    players = range(state.players)
    if state.is_over:
        return tuple(0 if state.winner == player else None for player in players)
    questions: list[list[int | None]] = [[] for _ in players]
    for question, answers in state.legal_questions.items():
        after = [claim(state.after(question, answer)) for answer in answers]
        for player in players:
            lengths = [claimed[player] for claimed in after]
            is_asked = question.asked == player
            questions[player].append(quickest(lengths) if is_asked else slowest(lengths))
    best = [
        quickest(questions[player]) if state.turn == player else slowest(questions[player])
        for player in players
    ]
    return tuple(None if length is None else length + 1 for length in best)


def quickest(lengths: list[int | None]) -> int | None:
    """Return the least length, or None if there is none."""
    return min((length for length in lengths if length is not None), default=None)


def slowest(lengths: list[int | None]) -> int | None:
    """Return the largest length, or None if a length is missing."""
    return None if None in lengths else max(length for length in lengths if length is not None)
