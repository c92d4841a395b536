"""People at tables of a server, each with a real browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from quaternity.ternary import triples
from tests.sizes import thorough

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

PHONE = {
    "viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True,
    "device_scale_factor": 2,
}  # fmt: skip


PATIENCE = 60_000
"""Timeout of an action in a browser, in milliseconds; the machine may be busy."""

FOCUSED = "one => one === document.activeElement"

BESIDE = (
    """one => one.closest("[data-arrows]") === document.activeElement.closest("[data-arrows]")"""
)
"""Script: whether arrow keys lead from the focused element to this one."""

ANSWERED = """before => Number(document.getElementById('part').dataset.version) > before
  && !document.querySelector('#part [aria-busy]')"""

FAST = """(() => {
  const pauses = globalThis.setTimeout;
  globalThis.setTimeout = (call, length, ...more) => pauses(call, (length ?? 0) / 100, ...more);
  AbortSignal.timeout = undefined;
})()"""
"""Script: time in the page runs a hundred times as fast, and requests have no time limit."""

AWAY = """one => {
  const to = one.getBoundingClientRect(), from = document.activeElement.getBoundingClientRect();
  return [to.left - from.left, to.top - from.top];
}"""


FEATURES = (
    "AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,AvoidUnnecessaryBeforeUnloadCheckSync,"
    "DestroyProfileOnBrowserClose,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,"
    "MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch,"
    "ThirdPartyStoragePartitioning,WebUIOmniboxAimPopup,WebUIOmniboxPopup"
)
"""Features that the browser does not have: those that Playwright disables, which this list
replaces, and two pages for suggestions, which every window loads (a third of all its work)."""


def browser_path() -> str | None:
    """Return the path of Chromium, or None if it is not installed.

    In a run that sets `QUATERNITY_BROWSER`, no test with a browser is skipped.
    """
    return os.environ.get("QUATERNITY_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )


def launch_browser(chromium: Any, *more: str) -> Browser:
    """Launch a browser without a window, with the given additional options."""
    # It starts faster with fewer processes. Chromium has no sandbox for root.
    options = ["--in-process-gpu", "--renderer-process-limit=1"]
    options += [f"--disable-features={FEATURES}", *more]
    options += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    browser: Browser = chromium.launch(executable_path=browser_path(), args=options)
    return browser


MAX_IDLE = 6
"""Maximum number of contexts of a browser that wait for their next person."""

_idle: WeakKeyDictionary[Browser, list[tuple[str, BrowserContext]]] = WeakKeyDictionary()
"""The contexts of each browser that wait for their next person, with their options."""


class Person:
    """A person with a browser.

    Persons with equal options use the same context of the browser one after the other, because its
    processes take long to start. Scripts and emulations must therefore belong to a page. Only
    `page` has the size `viewport`.

    Attributes:
        page: the tab that the person sees.
        faults: the errors in all tabs: errors of scripts, refused resources.
    """

    def __init__(
        self,
        browser: Browser,
        host: str,
        *,
        keys: bool = False,
        same_as: Person | None = None,
        **options: Any,
    ) -> None:
        """Open the browser.

        Args:
            host: the host of the server, with its port.
            keys: whether this person uses the keyboard alone.
            same_as: a person with another browser, whose cookies this browser gets.
            options: options of a browser's context. In the default run nothing is animated, unless
                they say so.
        """
        options = {"reduced_motion": thorough("reduce", "no-preference"), **options}
        self.host, self.keys, self.touch = host, keys, bool(options.get("has_touch"))
        options["base_url"], viewport = f"http://{host}", options.pop("viewport", None)
        self._options, self._idle = repr(options), _idle.setdefault(browser, [])
        for index, (others, context) in enumerate(self._idle):
            if others == self._options:
                self.context = context
                del self._idle[index]
                break
        else:
            self.context = browser.new_context(**options)
            self.context.set_default_timeout(PATIENCE)
            self.context.new_page()  # keeps the processes of the context
        if same_as is not None:
            cookies: Any = same_as.context.cookies()
            self.context.add_cookies(cookies)
        self.faults: list[str] = []
        self.context.on("console", self._note_error)
        self.context.on("weberror", self._note_exception)
        self.page = self.context.new_page()
        if viewport is not None:
            self.page.set_viewport_size(viewport)

    def close(self) -> None:
        """Close the tabs, forget what the sites have stored, and leave the context to others."""
        first, *tabs = self.context.pages
        for tab in tabs:
            tab.close()
        self.context.remove_listener("console", self._note_error)
        self.context.remove_listener("weberror", self._note_exception)
        self.context.unroute_all()
        self.context.clear_cookies()
        self.context.clear_permissions()
        session = self.context.new_cdp_session(first)
        origin = {"origin": f"http://{self.host}", "storageTypes": "all"}
        session.send("Storage.clearDataForOrigin", origin)
        session.detach()
        self._idle.append((self._options, self.context))
        if len(self._idle) > MAX_IDLE:
            self._idle.pop(0)[1].close()

    def _note_exception(self, event: Any) -> None:
        self.faults.append(str(event.error))

    def _note_error(self, message: Any) -> None:
        # Refused requests and interrupted ones are errors for the browser, but expected by tests.
        expected = "net::ERR_", "responded with a status of 4"
        if message.type == "error" and not any(text in message.text for text in expected):
            self.faults.append(f"{message.page.url}: {message.text}")

    def ask(self, method: str, path: str, document: Any = None) -> Any:
        """Send a request with the cookies of this browser and return the document of the answer."""
        origin = {"Origin": f"http://{self.host}"}
        # The server may close an idle connection just when it is used again.
        answer = self.context.request.fetch(
            path, method=method, data=document, headers=origin, max_retries=3
        )
        assert answer.ok, (answer.status, answer.text())
        return answer.json()

    def table(
        self, game: str, settings: Mapping[str, Any], seats: Sequence[str], **more: Any
    ) -> tuple[str, list[str]]:
        """Create a table and open its page; return its name and the paths of its invitations."""
        # The draws of a shared server depend on earlier tests, so the seed is given.
        wanted = {"game": game, "settings": dict(settings), "seats": list(seats), "seed": 1, **more}
        made = self.ask("POST", "/api/tables", wanted)
        self.page.goto(f"/t/{made['table']}")
        self.page.wait_for_selector("body.ready", state="attached")
        links = [seat["invitation"] for seat in made["seats"] if seat["invitation"]]
        return made["table"], [urlsplit(link).path for link in links]

    def join(self, invitation: str, name: str) -> None:
        """Take a seat by a link, and press Ready; if no seat is open, wait for the game."""
        self.page.goto(invitation)
        self.page.get_by_label("name").fill(name)
        self.press(self.page.locator("main form button"))
        self.page.wait_for_selector("body.ready #part")
        if not self.page.locator(".table.waiting").count():
            return
        self.press(self.page.locator(".waiting form[data-api$='/ready'] button"))
        seats = self.ask("GET", f"/api{urlsplit(self.page.url).path.replace('/t/', '/tables/')}")
        if all(seat["kind"] != "open" for seat in seats["seats"]):
            self.page.wait_for_selector(".table:not(.waiting)")

    def press(self, element: Locator) -> None:
        """Press an element by mouse, finger or keys, as soon as the page is complete."""
        complete = "body.ready, body:not(.at-table)"
        self.page.wait_for_selector(complete, state="attached")
        if self.keys:
            kind = element.get_attribute("type")
            if kind == "radio" or element.evaluate("one => one.matches('.cell, .tile')"):
                self.walk_among(element)
            else:
                self.walk_to(element)
            self.page.keyboard.press("Space" if kind in ("radio", "checkbox") else "Enter")
        elif self.touch:
            element.tap(force=True)
            # A cell is narrower than a finger, so the page asks for a second tap.
            if "Tap it again" in self.page.locator("#faults").inner_text():
                element.tap(force=True)
        else:
            element.click(force=True)

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Let the browser work until a condition holds; fail after a minute."""
        end = monotonic() + 60
        while not condition():
            assert monotonic() < end, "never"
            self.page.evaluate("0")

    def open_sheet(self) -> None:
        """Open the sheet beside the board, which is behind a button except on wide screens."""
        if not self.page.locator("#side").is_visible():
            self.page.locator("#more-button").click()

    def walk_to(self, element: Locator, max_presses: int = 400) -> None:
        """Press Tab until an element has the focus."""
        for _ in range(max_presses):
            if element.evaluate(FOCUSED):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no Tab leads to {element}")

    def walk_among(self, element: Locator, max_presses: int = 60) -> None:
        """Press Tab until a button of the group has the focus, then arrows towards this one."""
        for _ in range(max_presses):
            if element.evaluate(BESIDE):
                break
            self.page.keyboard.press("Tab")
        random = Random(1)
        for _ in range(max_presses):
            if element.evaluate(FOCUSED):
                return
            across, down = element.evaluate(AWAY)
            ways = ["ArrowRight" if across > 0 else "ArrowLeft"] * (abs(across) > 9)
            ways += ["ArrowDown" if down > 0 else "ArrowUp"] * (abs(down) > 9)
            # Arrow keys skip taken cells, sometimes on the wrong side.
            self.page.keyboard.press(random.choice(ways * 3 + ["ArrowLeft", "ArrowDown"]))
        raise AssertionError(f"no arrow leads to {element}")

    @property
    def version(self) -> int:
        """The version of the table that the page shows."""
        return int(self.page.locator("#part").get_attribute("data-version") or -1)

    def sees(self, version: int) -> None:
        """Wait until the page shows a version of its table, or a later one."""
        self.page.wait_for_function(
            "version => Number(document.getElementById('part').dataset.version) >= version",
            arg=version,
        )
        self.page.wait_for_selector("body.ready", state="attached")  # not hidden after a reload

    def move(self, random: Random) -> bool:
        """Make a move that the page offers; return whether there was one."""
        game = self.page.locator(".table").first.get_attribute("class") or ""
        for name, mover in MOVERS.items():
            if name in game.split():
                before = self.version
                moved = mover(self, random)
                if moved:
                    self.page.wait_for_function(ANSWERED, arg=before)
                return moved
        raise AssertionError(f"no table is shown, but {game!r}")

    def axe(self) -> list[str]:
        """Return a line for each serious fault that axe finds in the page, and empty header."""
        # The policy of the pages does not allow script tags.
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


def _press_any_button(person: Person, random: Random) -> bool:
    """Press any button that is a move."""
    moves = person.page.locator(":is(.board, .thumb) [data-move]:not([aria-disabled=true])")
    count = moves.count()
    if count:
        person.press(moves.nth(random.randrange(count)))
    return bool(count)


def _ask_or_answer(person: Person, random: Random) -> bool:
    """Answer, or choose a card and then the player to ask for it."""
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


def _place_and_give(person: Person, random: Random) -> bool:
    """Place a piece if the page asks for it, and hand over another one."""
    page = person.page
    cells = page.locator("input[name=cell]")
    if not cells.count():
        return _press_any_button(person, random)
    person.press(cells.nth(random.randrange(cells.count())))
    pieces = page.locator(".tray [data-move]")
    # After a quarto any piece may be chosen; it is not handed over.
    person.press(pieces.nth(random.randrange(pieces.count())) if pieces.count() else
                 page.locator("#give-nothing"))  # fmt: skip
    return True


def _claim_or_agree(person: Person, random: Random) -> bool:
    """Claim a SET that the page shows, or agree to three more cards."""
    from playwright.sync_api import Error

    boxes = person.page.locator("input[name=card]")
    cards = [int(value) for value in boxes.evaluate_all("all => all.map(one => one.value)")]
    threes = triples(cards, "set")
    if not threes:
        return _press_any_button(person, random)
    try:
        for card in random.choice(threes):
            chosen = person.page.locator(f"#choose{card}")
            if not chosen.count():
                break  # another player was faster, which was a move as well
            person.press(chosen)
    except Error:
        assert chosen.count() == 0
    return True


MOVERS: dict[str, Callable[[Person, Random], bool]] = {
    "quaternity": _ask_or_answer,
    "kwartet": _ask_or_answer,
    "quarto": _place_and_give,
    "set": _claim_or_agree,
}
"""The function that makes a move, for each game."""


def weight(person: Person, path: str) -> int:
    """Return the size of all that a page loads into a browser with an empty cache, in bytes."""
    loaded: list[Any] = []
    page = person.page
    page.context.new_cdp_session(page).send("Network.clearBrowserCache")
    page.on("requestfinished", lambda request: loaded.append(request))
    page.goto(path, wait_until="load")
    return sum(request.sizes()["responseBodySize"] for request in loaded)


__all__ = ["FAST", "PHONE", "Person", "browser_path", "launch_browser", "weight"]
