"""The interface for messages between the servers that share a database.

A notice says that a server has changed a table. A claim is a lock that only one server can hold.
The base class `Sharing` is for a server that shares its tables with no other server.
`postgres_sharing` contains the class for several servers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from quaternity.web.changes import ChangeNotice, Presence


class Sharing:
    """Sends and receives messages between the servers that share a database.

    In this class, there is only one server. The subclass `PostgresSharing` is for several servers.
    """

    def listen(
        self, hear: Callable[[Sequence[ChangeNotice]], None], miss: Callable[[], None]
    ) -> None:  # fmt: skip
        """Start to receive the other servers' notices of changes to tables.

        The running event loop calls `hear` with new notices, and `miss` if notices may be lost.
        """

    def notify(self, *news: ChangeNotice) -> None:
        """Notify the other servers of changes to game tables. Return without waiting."""

    async def claim(self, key: str) -> bool:
        """Try to get the lock `key`, which only one server can hold. Return whether that succeeded.

        The server keeps the lock until it calls `release` or ends.
        """
        del key
        return True

    def release(self, key: str) -> None:
        """Release a lock that `claim` has acquired."""

    def exchange(
        self, presences: Sequence[Presence], used: Mapping[str, tuple[float, int]]
    ) -> tuple[Sequence[Presence], Mapping[str, float]]:
        """Exchange reports on connected players and used rate limits with the other servers.

        Args:
            presences: Reports of players who have connected, disconnected or been active at this
                server since the last call.
            used: Mapping from the name of each counter of a rate limit to the units used at this
                server since the last call, and the units freed per minute.

        Returns:
            The reports of other servers, and a mapping from the name of each counter in `used` to
            the units used at all servers together.
        """
        del presences, used
        return (), {}
