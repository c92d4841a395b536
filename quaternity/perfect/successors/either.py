"""The expansion of some states, in whichever way serves: what workers run."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from quaternity.perfect.keys.coding import Coding, Key, Rules, coding
from quaternity.perfect.keys.key_arrays import Keys, key_array, key_bytes
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.successors.many_states import Expander, Expansion
from quaternity.perfect.successors.one_state import choices


@lru_cache(maxsize=4)
def _expander(rules: Rules) -> Expander:
    return Expander(coding(rules))


def expanded(work: tuple[Rules, Keys]) -> Expansion:
    """The expansion of some keys: what workers run."""
    rules, keys = work
    code = coding(rules)
    if Expander.fault(code) is None:
        return _expander(rules).expand(keys)
    return expanded_plainly(code, keys)


def expanded_plainly(code: Coding, keys: Keys) -> Expansion:
    """The same for any game, one state at a time (`quaternity.perfect.successors.one_state`)."""
    numbers = role_orders(code.rules.players)[1]
    found: dict[Key, int] = {}
    counts, asked = [], []
    to: tuple[list[int], list[int]] = ([], [])
    by: tuple[list[int], list[int]] = ([], [])
    for key in key_bytes(keys):
        questions = choices(code, key)
        counts.append(len(questions))
        for question in questions:
            asked.append(question.asked)
            for answer in (0, 1):
                to[answer].append(-1)
                by[answer].append(0)
            for reply in question.replies:
                to[reply.answer][-1] = found.setdefault(reply.key, len(found))
                by[reply.answer][-1] = numbers[reply.roles]
    ordered = sorted(found)
    rank = np.full(len(found) + 1, -1, np.int32)
    rank[[found[key] for key in ordered]] = np.arange(len(found))
    order_type = np.uint8 if len(numbers) <= 256 else np.uint16
    return Expansion(
        key_array(code, ordered),
        np.array(counts, np.uint16),
        np.array(asked, np.uint8),
        rank[to[0]],
        rank[to[1]],
        np.array(by[0], order_type),
        np.array(by[1], order_type),
    )


__all__ = ["expanded", "expanded_plainly"]
