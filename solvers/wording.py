"""Small pieces of plain English that certificates are written in."""

from collections.abc import Iterable, Sequence


def listed(items: Iterable[object]) -> str:
    """Items joined as in a sentence.

    >>> listed([1]), listed([1, 2]), listed([1, 2, 5])
    ('1', '1 and 2', '1, 2 and 5')
    """
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "card"), counted(3, "card")
    ('1 card', '3 cards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def named(noun: str, numbers: Sequence[int]) -> str:
    """Numbered things by name.

    >>> named("player", [2]), named("set", [0, 3])
    ('player 2', 'sets 0 and 3')
    """
    return f"{noun if len(numbers) == 1 else noun + 's'} {listed(numbers)}"


__all__ = ["counted", "listed", "named"]
