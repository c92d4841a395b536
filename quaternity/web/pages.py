"""The pages."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route


def routes(tables: Any) -> list[BaseRoute]:
    """The pages of some tables."""
    del tables

    async def home(request: Request) -> Response:
        del request
        return PlainTextResponse("Quaternity\n")

    return [Route("/", home)]


__all__ = ["routes"]
