"""The answer to a request that is refused."""

from __future__ import annotations

from typing import Any

from quaternity.base.errors import QuaternityError


class Refusal(QuaternityError):
    """A refused request: the status of HTTP, and further entries (`more`) of the answer."""

    def __init__(self, status: int, text: str, **more: Any) -> None:
        super().__init__(text)
        self.status, self.more = status, more

    @property
    def document(self) -> dict[str, Any]:
        """The answer."""
        return {"error": str(self), **self.more}
