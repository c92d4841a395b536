"""Rates at which something is done, and the share of all that one address may have."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from ipaddress import IPv6Address
from time import monotonic

from quaternity.web.refusal import TOO_OFTEN, Refusal


class Rates:
    """The rates at which something was done lately, per key."""

    def __init__(self, most_keys: int = 10_000) -> None:
        self._most = most_keys
        self._used: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def count(self, key: Hashable, per_minute: int) -> None:
        """Count one more; or refuse it when there were too many."""
        now = monotonic()
        used, since = self._used.pop(key, (0.0, now))
        used = max(0.0, used - (now - since) * per_minute / 60)
        if used + 1 > per_minute:
            self._used[key] = used, now
            raise Refusal(
                429,
                TOO_OFTEN(most=per_minute),
            )
        self._used[key] = used + 1, now
        if len(self._used) > self._most:
            self._used.popitem(last=False)


def share(room: int) -> int:
    """Return how many places of a room one network may have: a quarter, or one."""
    return -(-room // 4)


def network_of(address: str) -> str:
    """Return what counts as one address: of IPv6 the first 64 bits, which one line has."""
    try:
        number = IPv6Address(address)
    except ValueError:  # an older one, or whatever a proxy says
        return address
    return str(number.ipv4_mapped or IPv6Address(int(number) >> 64 << 64))
