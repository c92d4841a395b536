"""People with a real browser each, at tables of a server."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from quaternity.ternary import triples
from tests.sizes import thorough

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

PHONE = {
    "viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True,
    "device_scale_factor": 2,
}  # fmt: skip


PATIENCE = 60_000
"""Milliseconds until something is given up: the machine may be busy."""

FOCUSED = "one => one === document.activeElement"

BESIDE = (
    """one => one.closest("[data-arrows]") === document.activeElement.closest("[data-arrows]")"""
)
"""Whether what has the focus is reached from here by arrow keys."""

ANSWERED = """before => Number(document.getElementById('part').dataset.version) > before
  && !document.querySelector('#part [aria-busy]')"""

FAST = """(() => {
  const pauses = globalThis.setTimeout;
  globalThis.setTimeout = (call, length, ...more) => pauses(call, (length ?? 0) / 100, ...more);
})()"""
"""In a page: time runs a hundred times as fast."""

AWAY = """one => {
  const to = one.getBoundingClientRect(), from = document.activeElement.getBoundingClientRect();
  return [to.left - from.left, to.top - from.top];
}"""


def browser_path() -> str | None:
    """Where a Chromium is; None where there is none.

    A run that sets `QUATERNITY_BROWSER` insists on it: there nothing is skipped.
    """
    return os.environ.get("QUATERNITY_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )


def launched(playwright: Any) -> Browser:
    """A browser without a window."""
    # In fewer processes it starts quicker. Chromium has no sandbox for root.
    options = ["--in-process-gpu", "--renderer-process-limit=1"]
    options += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    browser: Browser = playwright.chromium.launch(executable_path=browser_path(), args=options)
    return browser


class Person:
    """Somebody with a browser.

    Attributes:
        page: the tab looked at.
        faults: what went wrong in any tab: errors of scripts, refused resources.
    """

    def __init__(self, browser: Browser, host: str, *, keys: bool = False, **options: Any) -> None:
        """Open the browser.

        Args:
            host: of the server, with its port.
            keys: whether this person uses the keyboard alone.
            options: of a browser's context; in the default run nothing is animated unless they
                say so.
        """
        options = {"reduced_motion": thorough("reduce", "no-preference"), **options}
        self.host, self.keys, self.touch = host, keys, bool(options.get("has_touch"))
        self.context = browser.new_context(base_url=f"http://{host}", **options)
        self.context.set_default_timeout(PATIENCE)
        self.faults: list[str] = []
        self.context.on("console", self._heard)
        self.context.on("weberror", lambda one: self.faults.append(str(one.error)))
        self.page = self.context.new_page()

    def _heard(self, message: Any) -> None:
        # What was refused, and what a stopped server has cut off, is told too, and meant.
        meant = "net::ERR_", "responded with a status of 4"
        if message.type == "error" and not any(text in message.text for text in meant):
            self.faults.append(f"{message.page.url}: {message.text}")

    def ask(self, method: str, path: str, document: Any = None) -> Any:
        """A request of this browser, cookies included; the document that is answered."""
        origin = {"Origin": f"http://{self.host}"}
        # A connection that was idle may be closed by the server just when it is used again.
        answer = self.context.request.fetch(
            path, method=method, data=document, headers=origin, max_retries=3
        )
        assert answer.ok, (answer.status, answer.text())
        return answer.json()

    def table(
        self, game: str, settings: Mapping[str, Any], seats: Sequence[str], **more: Any
    ) -> tuple[str, list[str]]:
        """Make a table and look at it; its name and the paths of its invitations."""
        # The server is shared: its own draws depend on the tests before.
        wanted = {"game": game, "settings": dict(settings), "seats": list(seats), "seed": 1, **more}
        made = self.ask("POST", "/api/tables", wanted)
        self.page.goto(f"/t/{made['table']}")
        links = [one["invitation"] for one in made["seats"] if one["invitation"]]
        return made["table"], [urlsplit(link).path for link in links]

    def join(self, invitation: str, name: str) -> None:
        """Sit down by a link."""
        self.page.goto(invitation)
        self.page.get_by_label("name").fill(name)
        self.press(self.page.locator("main form button"))
        self.page.wait_for_selector("#part")

    def press(self, what: Locator) -> None:
        """Press something by mouse, finger or keys."""
        if self.keys:
            kind = what.get_attribute("type")
            if kind == "radio" or what.evaluate("one => one.matches('.cell, .tile')"):
                self.walk_among(what)
            else:
                self.walk_to(what)
            self.page.keyboard.press("Space" if kind in ("radio", "checkbox") else "Enter")
        elif self.touch:
            what.tap(force=True)
            # A cell is narrower than a finger, and asks for certainty.
            if "Tap it again" in self.page.locator("#faults").inner_text():
                what.tap(force=True)
        else:
            what.click(force=True)

    def open_sheet(self) -> None:
        """Open what stands beside the board on a wide screen, and behind a button on others."""
        if not self.page.locator("#side").is_visible():
            self.page.locator("#more-button").click()

    def walk_to(self, what: Locator, most: int = 400) -> None:
        """Press Tab until something has the focus."""
        for _ in range(most):
            if what.evaluate(FOCUSED):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no Tab leads to {what}")

    def walk_among(self, what: Locator, most: int = 60) -> None:
        """Press Tab until one of a group of buttons has the focus, then arrows towards this one."""
        while not what.evaluate(BESIDE):
            self.page.keyboard.press("Tab")
        random = Random(1)
        for _ in range(most):
            if what.evaluate(FOCUSED):
                return
            across, down = what.evaluate(AWAY)
            ways = ["ArrowRight" if across > 0 else "ArrowLeft"] * (abs(across) > 9)
            ways += ["ArrowDown" if down > 0 else "ArrowUp"] * (abs(down) > 9)
            # What is taken is passed by, now and then on the wrong side.
            self.page.keyboard.press(random.choice(ways * 3 + ["ArrowLeft", "ArrowDown"]))
        raise AssertionError(f"no arrow leads to {what}")

    @property
    def version(self) -> int:
        """Of the table that the page shows."""
        return int(self.page.locator("#part").get_attribute("data-version") or -1)

    def sees(self, version: int) -> None:
        """Wait until the page shows a version of its table, or a later one."""
        self.page.wait_for_function(
            "version => Number(document.getElementById('part').dataset.version) >= version",
            arg=version,
        )

    def move(self, random: Random) -> bool:
        """Make some move that the page offers; whether there was one."""
        game = self.page.locator(".table").first.get_attribute("class") or ""
        for name, way in WAYS.items():
            if name in game.split():
                before = self.version
                moved = way(self, random)
                if moved:
                    self.page.wait_for_function(ANSWERED, arg=before)
                return moved
        raise AssertionError(f"no table is shown, but {game!r}")

    def axe(self) -> list[str]:
        """Return the serious faults that axe finds in the page, and empty headers; a line each."""
        # The policy of the pages lets no script tag in.
        self.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
        rules = "rules: {'label-content-name-mismatch': {enabled: true}}"
        report = self.page.evaluate(
            f"() => axe.run(document, {{resultTypes: ['violations'], {rules}}})"
        )
        return [
            f"{self.page.url} {fault['id']} ({fault['impact']}): {node['html'][:200]} "
            f"{node.get('failureSummary', '')[:300]}"
            for fault in report["violations"]
            if fault["impact"] in ("serious", "critical") or fault["id"] == "empty-table-header"
            for node in fault["nodes"]
        ]


def _any_button(person: Person, random: Random) -> bool:
    """Press any button that is a move."""
    moves = person.page.locator(":is(.board, .thumb) [data-move]:not([aria-disabled=true])")
    count = moves.count()
    if count:
        person.press(moves.nth(random.randrange(count)))
    return bool(count)


def _asking(person: Person, random: Random) -> bool:
    """Answer, or choose a card and then whom to ask for it."""
    page = person.page
    answers = page.locator("[data-answer]")
    if answers.count():
        person.press(answers.nth(random.randrange(answers.count())))
        return True
    cards = page.locator("[data-card][data-act]")
    if not cards.count():
        return False
    person.press(cards.nth(random.randrange(cards.count())))
    people = page.locator("[data-ask]")
    person.press(people.nth(random.randrange(people.count())))
    return True


def _quarto(person: Person, random: Random) -> bool:
    """Place a piece where that is asked for, and hand one over."""
    page = person.page
    cells = page.locator("input[name=cell]")
    if not cells.count():
        return _any_button(person, random)
    person.press(cells.nth(random.randrange(cells.count())))
    given = page.locator(".tray [data-move]")
    # A piece that is chosen after a quarto is not handed over, and refuses nothing.
    person.press(given.nth(random.randrange(given.count())) if given.count() else
                 page.locator("#give-nothing"))  # fmt: skip
    return True


def _set(person: Person, random: Random) -> bool:
    """Claim a SET that the page shows, or agree to three more cards."""
    from playwright.sync_api import Error

    boxes = person.page.locator("input[name=card]")
    cards = [int(value) for value in boxes.evaluate_all("all => all.map(one => one.value)")]
    threes = triples(cards, "set")
    if not threes:
        return _any_button(person, random)
    try:
        for card in random.choice(threes):
            chosen = person.page.locator(f"#choose{card}")
            if not chosen.count():
                break  # somebody else was first: that was a move as well
            person.press(chosen)
    except Error:
        assert chosen.count() == 0
    return True


WAYS: dict[str, Callable[[Person, Random], bool]] = {
    "quaternity": _asking,
    "kwartet": _asking,
    "quarto": _quarto,
    "set": _set,
}
"""Per game how somebody moves."""


def weight(page: Page, path: str) -> int:
    """Bytes of all that a page loads; the cache of its browser must be empty."""
    loaded: list[Any] = []
    page.on("requestfinished", lambda request: loaded.append(request))
    page.goto(path, wait_until="load")
    return sum(request.sizes()["responseBodySize"] for request in loaded)


__all__ = ["FAST", "PHONE", "Person", "browser_path", "launched", "weight"]
