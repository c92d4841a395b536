"""`serve`: the table in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from quaternity.cli.app import app
from quaternity.errors import InputError


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any free one.")] = 8000,
) -> None:
    """Open the table to friends: four games in a browser, a link is an invitation.

    Example: quaternity serve --port 8000
    """
    try:
        import uvicorn

        from quaternity.web.app import app as application
    except ImportError as error:
        raise InputError(
            f"the web extra is not installed ({error.name}): pip install 'quaternity[web]'"
        ) from None
    uvicorn.run(application(), host=host, port=port, log_level="warning")


__all__ = ["serve"]
