"""Tables, pages and scripts that several tests with a browser use."""

from __future__ import annotations

from typing import Any

from tests.sizes import thorough
from tests.web.browser.people import PHONE

SMALL: dict[str, dict[str, Any]] = {
    "quaternity": thorough(
        {"set_size": 2, "sets": 3, "players": 3}, {"set_size": 4, "sets": 3, "players": 3}
    ),
    "kwartet": {"players": 3, "sets": thorough(2, 4)},
    "quarto": {},
    "set": {"seats": 3},
}
"""Settings of the games that are played to their end."""


SEATS = {
    "quaternity": ["me", "open", "informed"],
    "kwartet": ["me", "open", "greedy"],
    "quarto": ["me", "open"],
    "set": ["me", "open", "quick"],
}


LARGE: dict[str, dict[str, Any]] = {
    "quaternity": {"set_size": 4, "sets": 13, "players": 4},
    "kwartet": {"players": 4, "sets": 13},
    "quarto": {},
    "set": {"seats": 3, "table": 18},
}


MORE = {"quaternity": ["random"], "kwartet": ["random"]}
"""The largest settings of the games, and additional players for them."""


SIZES: dict[str, dict[str, Any]] = {"phone": {**PHONE, "viewport": {"width": 390, "height": 844}},
         "wide": {"viewport": {"width": 1280, "height": 800}}}  # fmt: skip


SHOWN = "version => Number(document.getElementById('part').dataset.version) === version"


PAGES = ["/", "/learn", "/analyse", "/guide", *(f"/new?game={game}" for game in SEATS)]


__all__ = ["LARGE", "MORE", "PAGES", "SEATS", "SHOWN", "SIZES", "SMALL"]
