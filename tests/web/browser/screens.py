"""Measurements of what the one screen of a table shows while a game is played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.sizes import thorough
from tests.web.browser.people import Person

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

SCREENS: list[tuple[int, int]] = thorough(
    [(390, 844), (844, 390)],
    [(390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080), (320, 658)],
)
"""A phone, a phone on its side, a tablet, two wide screens, and the smallest phone."""

MAX_SHIFT = 0.02
"""Maximum share of a screen that may move because of a player's action."""

MEASURING = """(() => {
  if (globalThis.measured) return;
  const measured = globalThis.measured = { faults: new Set(), shifts: [], shown: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) measured.shifts.push({
      version: document.getElementById('part')?.dataset.version,
      value: entry.value, at: entry.startTime,
      what: entry.sources.map(({ node }) => (node?.outerHTML ?? node?.data ?? '').slice(0, 90)),
    });
  }).observe({ type: 'layout-shift' });

  // The part of an element that its scrolling or clipping ancestors and the window let through.
  function cut(node) {
    const box = node.getBoundingClientRect();
    let outside = box.left < -1 || box.top < -1
      || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
    for (let up = node.parentElement; up && !outside; up = up.parentElement) {
      if (getComputedStyle(up).overflow === 'visible') continue;
      const frame = up.getBoundingClientRect();
      outside = box.left < frame.left - 2 || box.top < frame.top - 2
        || box.right > frame.right + 2 || box.bottom > frame.bottom + 2;
    }
    return outside;
  }

  function look() {
    const part = document.getElementById('part');
    // Until the page is complete, nobody sees it.
    if (!document.body.classList.contains('ready')) { later(); return; }
    const fault = (what, node) => measured.faults.add(
      `${innerWidth}x${innerHeight} ${what}: ${(node?.outerHTML ?? '').slice(0, 120)}`);
    const waits = part.querySelector('.table.waiting');
    for (const what of waits ? [] : ['[data-turn]', '[data-news]', '[data-board]']) {
      if (part.querySelectorAll(what).length !== 1) fault(`not one ${what}`);
    }
    const seats = part.querySelectorAll('li[data-seat]');
    const must = part.querySelectorAll(
      '[data-turn], [data-news], [data-hand], [data-answer], [data-act]');
    for (const node of [...seats, ...must]) {
      if (node.matches('[aria-disabled=true], :disabled') || node.closest('.side')) continue;
      const box = node.getBoundingClientRect();
      if (node.matches('[data-news]') && part.querySelector('#sound-offer:not([hidden])')) continue;
      if (!box.width || !box.height) { fault('is not shown', node); continue; }
      if (cut(node)) { fault('needs scrolling', node); continue; }
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      if (!top || !(node.contains(top) || top.contains(node))) fault('is covered', node);
      if (!node.matches('[data-act]')) continue;
      if (Math.min(box.width, box.height) < 24) fault('is too small for a finger', node);
    }
    for (const line of part.querySelectorAll('.tile > *')) {
      const box = line.getBoundingClientRect(), tile = line.parentElement.getBoundingClientRect();
      const whole = box.top >= tile.top - 1 && box.bottom <= tile.bottom + 1;
      if (box.height && !whole) fault('is cut', line);
    }
    const act = part.querySelector('.board [data-act], .thumb [data-act]');
    if (part.querySelector('.bar.yours') && !act) fault('my turn, and nothing to do');
    if (document.documentElement.scrollWidth > innerWidth) fault('wider than the window');
    // Shifts before the page was loaded do not count.
    measured.since ??= performance.now();
    measured.shown += 1;
  }

  // Look after the page has been painted.
  const later = () => requestAnimationFrame(() => setTimeout(look));
  document.addEventListener('DOMContentLoaded', () => {
    const part = document.getElementById('part');
    if (!part) return;
    later();
    new MutationObserver(later).observe(part, { attributeFilter: ['data-version'] });
    new MutationObserver((changes) => {
      const asked = changes.some(({ target }) => target.closest?.('#ask'));
      if (asked) later();
    }).observe(part, { subtree: true, childList: true });
  });
})()"""
"""Script: inspects the page after each change, and collects hidden elements and layout shifts."""


class Onlooker(Person):
    """A person whose page is measured, and who clicks by script.

    In a browser, layout shifts within half a second after a real click do not count. Those after
    the click of a script do.

    Attributes:
        screen: width and height of the window.
    """

    def __init__(self, browser: Browser, host: str, screen: Sequence[int], **options: Any) -> None:
        """Open a browser with a window of the given size."""
        viewport = {"width": screen[0], "height": screen[1]}
        super().__init__(browser, host, viewport=viewport, **options)
        self.screen = screen
        self.page.add_init_script(MEASURING)

    def press(self, element: Locator) -> None:
        """Click an element by script, which the browser does not take for a user's click."""
        element.evaluate("node => node.click()")

    def measurements(self) -> dict[str, Any]:
        """Return what was measured since the page was loaded: faults, shifts, number of looks."""
        result: dict[str, Any] = self.page.evaluate(
            "() => ({...measured, faults: [...measured.faults]})"
        )
        return result

    def faults_seen(self) -> list[str]:
        """Return the elements that are hidden without scrolling, and the shifts above the limit."""
        measured = self.measurements()
        assert measured["shown"], "nothing was looked at"
        by_version: dict[str, float] = {}
        shifts = [shift for shift in measured["shifts"] if shift["at"] > measured["since"]]
        for shift in shifts:
            by_version[shift["version"]] = by_version.get(shift["version"], 0) + shift["value"]
        moved = [
            f"{self.screen} version {shift['version']} moves by {shift['value']:.3f}: "
            f"{shift['what']}"
            for shift in shifts
            if by_version[shift["version"]] >= MAX_SHIFT
        ]
        return [*measured["faults"], *moved]


__all__ = ["SCREENS", "Onlooker"]
