"""Large font settings and long names: every control can be reached, and every name is readable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from json import dumps, loads
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest

from tests.sizes import thorough
from tests.web.browser.people import Person, launch_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser


LARGE_FONT = "--blink-settings=defaultFontSize=32"
"""Option of a browser whose user has chosen the largest font size."""

UNREACHABLE = """within => {
  const faults = [];
  const shown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: false });
  const controls = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.push('wider than the window');
  for (const control of document.querySelectorAll(controls)) {
    if (!control.closest(within)) continue;
    const one = control.matches('label input') ? control.closest('label') : control;
    if (!shown(one) || one.closest('.skip, [inert]')) continue;
    one.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const box = one.getBoundingClientRect();
    const name = (one.ariaLabel ?? one.textContent).trim() || one.outerHTML.slice(0, 80);
    const fault = (what) => faults.push(`${what}: ${one.tagName} ${name.slice(0, 60)}`);
    if (box.width < 1 || box.height < 1) { fault('has no size'); continue; }
    const at = [box.x + box.width / 2, box.y + Math.min(box.height, innerHeight) / 2];
    if (at[0] < 0 || at[0] > innerWidth || at[1] < 0 || at[1] > innerHeight) {
      fault('is outside'); continue;
    }
    const whole = box.left >= -1 && box.right <= width + 1;
    // A place of a chart may extend beyond the chart.
    if (!whole && !(one instanceof SVGElement)) { fault('is cut'); continue; }
    const top = document.elementFromPoint(...at);
    const covers = !top || !(one.contains(top) || top.contains(one));
    if (covers) fault(`is under ${top?.outerHTML.slice(0, 60)}`);
  }
  scrollTo(0, 0);
  return faults;
}"""
"""Script: the controls of a page that cannot be reached by scrolling, or that are covered."""


UNREADABLE = """names => {
  const faults = [];
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode, one = text.parentElement;
    const name = names.find((each) => text.data.includes(each));
    if (!name || !one.checkVisibility({ visibilityProperty: true })) continue;
    if (one.matches('option, script, textarea') || one.closest('.unseen, .side, #live')) continue;
    const fault = (what) => faults.push(`${what}: ${one.outerHTML.slice(0, 120)}`);
    if (parseFloat(getComputedStyle(one).fontSize) < 11) fault('is tiny');
    for (const { 0: word, index } of text.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = Array.from(range.getClientRects(), ({ top }) => Math.round(top));
      if (new Set(lines).size > 1) fault(`breaks ${word}`);
    }
    // A name that is cut has an ellipsis, and is complete for screen readers and in the title.
    let box = one;
    while (getComputedStyle(box).display === 'inline') box = box.parentElement;
    if (box.clientWidth && box.scrollWidth > box.clientWidth + 1) {
      if (getComputedStyle(box).textOverflow !== 'ellipsis') fault('is cut');
      const titled = !one.matches('b, h1') || one.closest('button') || one.title.includes(name);
      if (!titled) fault('has no title');
    }
    const line = parseFloat(getComputedStyle(one).lineHeight);
    if (one.matches('b, h1') && box.clientHeight > 2.6 * line) fault('has three lines');
    const { left, right } = box.getBoundingClientRect();
    if (left < -1 || right > innerWidth + 1) fault('is outside');
  }
  return faults;
}"""
"""Script: the names in a page that are broken, tiny, or cut without an ellipsis."""

LONG_NAMES = [f"Bartholomeusjohanne{letter}" for letter in "abcdefgh"]

SIZES = {320: 658, 390: 844, 1280: 800}
"""The heights of windows, by their widths."""

STAGES = ("waiting", "playing", "over")


@pytest.fixture(scope="module")
def large_browser(browser: Browser) -> Iterator[Browser]:
    """Launch a browser with the largest font size."""
    with closing(launch_browser(browser.browser_type, LARGE_FONT)) as started:
        yield started


def post(host: str, path: str, token: str = "", **sent: Any) -> Any:
    """Send a request without the cookies of a browser, and return the document of the answer."""
    headers = {"Content-Type": "application/json", "Origin": f"http://{host}"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    with urlopen(Request(f"http://{host}{path}", dumps(sent).encode(), headers)) as answer:
        return loads(answer.read())


def make_table(ann: Person, stage: str, names: list[str]) -> str:
    """Return the path of a table of Kwartet before, during or after the game.

    The names are those of its players; the first player uses the browser.
    """
    settings = {"players": len(names), "sets": 13, "max_moves": 1 if stage == "over" else None}
    seats = ["me", *["open"] * (len(names) - 1)]
    wanted = {"game": "kwartet", "settings": settings, "seats": seats, "name": names[0]}
    made = ann.ask("POST", "/api/tables", {**wanted, "seed": 1, "help": True})
    path, tokens = f"/api/tables/{made['table']}", {0: made["seats"][0]["token"]}
    invitation = made["invitation"].rpartition("/")[2]
    for name in names[1 : -1 if stage == "waiting" else None]:
        joined = post(ann.host, "/api/seats", invitation=invitation, name=name)
        tokens[joined["seat"]] = joined["token"]
    if stage == "over":
        (seat,) = ann.ask("GET", path)["to_act"]
        view = Request(
            f"http://{ann.host}{path}", headers={"Authorization": f"Bearer {tokens[seat]}"}
        )
        with urlopen(view) as answer:
            state = loads(answer.read())
        moved = {"version": state["version"], "id": "only", "move": state["moves"][0]}
        post(ann.host, f"{path}/moves", tokens[seat], **moved)
    return f"/t/{made['table']}"


def open_page(ann: Person, path: str) -> None:
    """Open a page, and wait until it is complete."""
    ann.page.goto(path)
    if path.startswith("/t/"):
        ann.page.wait_for_selector("body.ready")
        story = ann.page.locator("[data-story]")
        if story.count():
            ann.page.wait_for_selector("[data-story][data-loaded]")
            ann.page.wait_for_selector("text=Looking for the moment", state="detached")


def unreachable(ann: Person, path: str) -> list[str]:
    """Return the controls of a page and of its sheet *More* that cannot be reached."""
    open_page(ann, path)
    ann.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    faults = list(ann.page.evaluate(UNREACHABLE, "body"))
    more = ann.page.locator("#more-button")
    if more.count() and more.is_visible():
        more.click()
        faults += ann.page.evaluate(UNREACHABLE, ".side")
    return [f"{path}: {fault}" for fault in faults]


@pytest.mark.parametrize("width", thorough([320], list(SIZES)))
def test_every_control_can_be_reached_with_the_largest_font(
    width: int, large_browser: Browser, person: Callable[..., Any]
) -> None:
    viewport = {"width": width, "height": SIZES[width]}
    ann = person(browser=large_browser, viewport=viewport)
    faults: list[str] = []
    paths = [make_table(ann, stage, ["Anna", "Ben", "Cleo"]) for stage in STAGES]
    for game, seats in (("quaternity", 3), ("quarto", 2), ("set", 2)):
        sent = {"game": game, "settings": {}, "seats": ["me"] * seats, "help": True}
        paths.append(f"/t/{ann.ask('POST', '/api/tables', {**sent, 'seed': 1})['table']}")
    open_page(ann, "/puzzles")
    puzzles = ann.page.locator(".five a").evaluate_all("all => all.map(one => one.pathname)")
    for path in (*paths, "/new?game=kwartet", "/puzzles", *puzzles[: thorough(1, 5)]):
        faults += unreachable(ann, path)
    assert faults == []


@pytest.mark.parametrize("language", thorough(["de"], ["en", "nl", "de"]))
def test_long_names_of_eight_players_are_readable(
    language: str, person: Callable[..., Any]
) -> None:
    viewport = {"width": 320, "height": 658}
    ann = person(viewport=viewport, locale=language)
    faults: list[str] = []
    for stage in STAGES:
        open_page(ann, make_table(ann, stage, LONG_NAMES))
        if stage == "playing":
            tile = ann.page.locator(".tile[data-act]")
            if tile.count():
                tile.first.click()
        faults += [f"{stage}: {fault}" for fault in ann.page.evaluate(UNREADABLE, LONG_NAMES)]
        assert ann.page.evaluate("document.documentElement.scrollWidth") <= 320
    assert faults == []
