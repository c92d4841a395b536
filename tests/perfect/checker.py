"""Checks forced wins on real states, one move at a time; knows nothing of how they were found."""

from __future__ import annotations

from collections.abc import Callable

from quaternity.game.state import State

Lengths = tuple[int | None, ...]
"""Per player in how many moves he can force a win, or None."""

Claim = Callable[[State], Lengths]


def forced_lengths(state: State, claim: Claim) -> Lengths:
    """In how many moves each player can force a win, if the claims about the next states hold.

    The player chooses his questions and answers, and wants to be quick; all others choose theirs,
    and want to prevent the win or else to delay it. When this agrees with the claim in every state
    that can follow, the claim is right: by induction over the lengths a win that is claimed can be
    played out against every defence; and from where none is claimed the others always have a way to
    stay where none is claimed.
    """
    players = range(state.players)
    if state.is_over:
        return tuple(0 if state.winner == player else None for player in players)
    questions: list[list[int | None]] = [[] for _ in players]
    for question, answers in state.legal_questions.items():
        after = [claim(state.after(question, answer)) for answer in answers]
        for player in players:
            lengths = [one[player] for one in after]
            mine = question.asked == player
            questions[player].append(quickest(lengths) if mine else slowest(lengths))
    best = [
        quickest(questions[player]) if state.turn == player else slowest(questions[player])
        for player in players
    ]
    return tuple(None if length is None else length + 1 for length in best)


def quickest(lengths: list[int | None]) -> int | None:
    """The least length; None when there is none."""
    return min((length for length in lengths if length is not None), default=None)


def slowest(lengths: list[int | None]) -> int | None:
    """The largest length; None when one is missing."""
    return None if None in lengths else max(length for length in lengths if length is not None)
