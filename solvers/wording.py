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


def in_parts(amounts: Iterable[tuple[int, str, str]], total: int) -> str:
    """Amounts per set with their reasons; sets that are alike are said together.

    Args:
        amounts: (set, amount in words, reason or "").
        total: said at the end when there is more than one set.

    >>> in_parts([(0, "at most 3", "player 1 keeps at least 1"), (1, "none", "")], 3)
    'of set 0 at most 3 (player 1 keeps at least 1), of set 1 none: 3 in all'
    >>> in_parts([(0, "at most 3", ""), (2, "at most 3", "")], 6)
    'of sets 0 and 2 at most 3 each: 6 in all'
    """
    alike: dict[tuple[str, str], list[int]] = {}
    for index, amount, reason in amounts:
        alike.setdefault((amount, reason), []).append(index)
    parts = []
    for (amount, reason), sets in alike.items():
        each = " each" if len(sets) > 1 and amount != "none" else ""
        parts.append(f"of {named('set', sets)} {amount}{each}{f' ({reason})' if reason else ''}")
    several = sum(map(len, alike.values())) > 1
    return ", ".join(parts) + (f": {total or 'none'} in all" if several else "")


__all__ = ["counted", "in_parts", "listed", "named"]
