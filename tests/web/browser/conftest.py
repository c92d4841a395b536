"""Fixtures of the tests with a browser: the browser, its people, and pictures of their pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.web.browser.people import Person


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Launch one browser for all tests of this folder.

    They are skipped if no Chromium is installed, unless `QUATERNITY_BROWSER` names one. While the
    browser is open, no event loop can run in this thread; tests that need one are elsewhere.
    """
    # The sizes of the tests are known only after the options were parsed.
    from tests.web.browser.people import browser_path, launch_browser

    if browser_path() is None:
        pytest.skip("no Chromium on the path or in QUATERNITY_BROWSER")
    if "QUATERNITY_BROWSER" not in os.environ:
        pytest.importorskip("axe_playwright_python", reason="playwright and axe are not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, launch_browser(playwright.chromium) as running:
        yield running


@pytest.fixture
def person(browser: Browser, server: Server) -> Iterator[Callable[..., Any]]:
    """Return a function that opens the browser of a person; no browser may have had a fault."""
    from tests.web.browser.people import Person

    people: list[Person] = []

    def open_browser(kind: type[Person] = Person, **options: Any) -> Person:
        people.append(kind(**{"browser": browser, "host": server.host, **options}))
        return people[-1]

    yield open_browser
    faults = [fault for user in people for fault in user.faults]
    for user in people:
        user.close()
    assert faults == []


@pytest.fixture
def picture(tmp_path: Path) -> Callable[[Person, str], None]:
    """Return a function that saves a picture of the page that a person sees."""
    folder = Path(os.environ.get("QUATERNITY_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)

    def save_picture(user: Person, name: str) -> None:
        if "QUATERNITY_SCREENSHOTS" in os.environ:
            user.page.screenshot(path=folder / f"{name}.png", full_page=True)

    return save_picture
