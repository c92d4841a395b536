"""Counting of all move sequences of a given length (perft), to test all rules together."""

from __future__ import annotations

from quaternity.game.state import State


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves from a state.

    A move is a question with its answer. A finished game counts as one sequence. This creates a
    state for each sequence of `depth - 1` moves.

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
