"""A table of the application in this process, with requests of its players."""

import asyncio
from pathlib import Path
from typing import Any

from quaternity.web.app import app
from quaternity.web.rate_limits import Limits
from tests.web.cluster import alter
from tests.web.site import Page, Site

SMALL = {"set_size": 4, "sets": 3, "players": 3}


PEOPLE = {"game": "quaternity", "settings": SMALL, "seats": ["me", "me", "me"], "name": "Anna"}


LIMITS = Limits.of(words=100_000, tables=100_000, moves=100_000, pages=100_000)
"""Limits of a server that receives many requests."""


def open_site(folder: Path | str, **options: Any) -> Site:
    """Return an application with a data folder, which by default accepts many requests."""
    return Site(app(str(folder), **{"limits": LIMITS, **options}))


def pass_time(folder: Path, seconds: float) -> None:
    """Add to the running time of a server, though none runs."""
    alter(str(folder), f"UPDATE uptime SET seconds = seconds + {seconds}")


class Table:
    """A table, with requests by the tokens of its seats."""

    def __init__(self, site: Site, **wanted: Any) -> None:
        made = site.ask("POST", "/api/tables", PEOPLE | wanted)
        assert made.status == 201, made.body
        self.site, self.made = site, made.json
        self.path = f"/api/tables/{self.made['table']}"
        self.tokens = [seat["token"] for seat in self.made["seats"]]
        self.count = 0

    def look(self, seat: int | None = None) -> Any:
        page = self.site.ask("GET", self.path, token=None if seat is None else self.tokens[seat])
        assert page.status == 200, page.body
        return page.json

    def post(self, sender: int, action: str, **document: Any) -> Page:
        return self.site.ask("POST", f"{self.path}/{action}", document, self.tokens[sender])

    def move(self, seat: int, text: str, version: int | None = None, name: str = "") -> Page:
        self.count += 1
        version = self.look()["version"] if version is None else version
        name = name or f"move {self.count}"
        return self.post(seat, "moves", version=version, id=name, move=text)


async def wait_until_idle(site: Site, name: str) -> None:
    """Wait until no task runs at a table."""
    table = await site.app.state.tables.live.open(name)
    while table.programs.tasks:
        await asyncio.wait(table.programs.tasks.values())
