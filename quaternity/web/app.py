"""The application: requests and pages behind their guards.

uvicorn --factory quaternity.web.app:app
"""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette

from quaternity.web import pages


def app(tables: Any = None) -> Starlette:
    """An ASGI application."""
    return Starlette(routes=pages.routes(tables))


__all__ = ["app"]
