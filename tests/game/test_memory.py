"""What the game keeps for later is bounded by memory, so its estimates must hold."""

import tracemalloc

from quaternity import listed


def test_kept_questions_are_estimated_in_full() -> None:
    listed._PAIRS.forget()
    cards = tuple(range(5_000))
    tracemalloc.start()
    listed._made(0, 1, 7, cards, 3)
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 0 < used < 1.2 * listed._PAIRS.spent
    listed._PAIRS.forget()
