"""Messages between the servers of one database. The base class is for a single server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from quaternity.web.changes import ChangeNotice, Presence


class Sharing:
    """Messages to the other servers of the same database. In this base class, there are none."""

    def listen(
        self, hear: Callable[[Sequence[ChangeNotice]], None], miss: Callable[[], None]
    ) -> None:  # fmt: skip
        """Start to listen to the notices of other servers.

        The event loop calls `hear` with new notices, and `miss` if some may have been lost.
        """

    def notify(self, *news: ChangeNotice) -> None:
        """Send notices to the other servers, without storing anything and without waiting."""

    async def claim(self, key: str) -> bool:
        """Try to get a lock that only one server can hold. Return whether this server has it now.

        The server keeps the lock until it calls `release` or ends.
        """
        del key
        return True

    def release(self, key: str) -> None:
        """Release a lock that `claim` has acquired."""

    def exchange(
        self, presences: Sequence[Presence], used: Mapping[str, tuple[float, int]]
    ) -> tuple[Sequence[Presence], Mapping[str, float]]:
        """Exchange presence and the use of rate limits with the other servers.

        Args:
            presences: Players who have come, left or been active at this server since the last
                call.
            used: For each rate limit that was used at this server since the last call, the use and
                the amount freed per minute.

        Returns:
            The presence of players at the other servers, and the total use of the same rate limits
            at all servers.
        """
        del presences, used
        return (), {}
