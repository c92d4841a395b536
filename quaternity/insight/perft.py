"""Perft: the number of sequences of moves of a given length, a test of all rules together."""

from __future__ import annotations

from quaternity.game.state import State


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of `depth` legal (question, answer) pairs from a state.

    A finished game counts as one sequence. The last moves are counted without being played.
    Cost: one state per sequence of `depth - 1` moves.

    >>> from quaternity.game.settings import Settings
    >>> perft(State.start(Settings(set_size=4, sets=3, players=3)), 2)
    2160
    """
    if depth == 0 or state.is_over:
        return 1
    if depth == 1:
        return state.legal_questions.moves()
    return sum(
        perft(state.after(question, answer), depth - 1)
        for question, answers in state.legal_questions.items()
        for answer in answers
    )
