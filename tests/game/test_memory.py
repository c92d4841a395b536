"""What the game keeps for later is bounded by memory, so its estimates must hold."""

import tracemalloc

from quaternity import legal


def test_listed_questions_are_estimated_in_full() -> None:
    legal._QUESTIONS.forget()
    cards = tuple(range(5_000))
    tracemalloc.start()
    legal._questions(0, 1, 7, cards)
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 0 < used < 1.2 * legal._QUESTIONS.spent
    legal._QUESTIONS.forget()
