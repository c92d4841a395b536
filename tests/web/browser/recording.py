"""Recording of everything that the page of a table shows and announces, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.web.browser.people import FAST, Person

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SHOWN = """globalThis.shownIn = (root) => {
  const texts = (what) => Array.from(root.querySelectorAll(what), (one) => one.textContent.trim());
  const board = Array.from(
    root.querySelectorAll('.board :is(.tile, .set-card, .well, .group, .tray *)'),
    (one) => [one.id, one.ariaLabel, one.className].join());
  const headline = texts('#headline').join().replace('is thinking', 'is to move');
  const acting = Array.from(root.querySelectorAll('.seats .acting'), (one) => one.id);
  return JSON.stringify({ headline, scores: texts('.seats .score > b'), acting, board });
}"""
"""Script: what a part of the page shows of the position."""

RECORDING = """(() => {
  const heard = globalThis.record = [];
  let last = '';
  new MutationObserver(() => {
    const part = document.getElementById('part');
    if (!part?.querySelector('.table:not(.waiting)')) return;
    if (!document.body.classList.contains('ready')) return;
    if (part.querySelector('[data-loaded]')) return; // the story shows an earlier board
    const lines = Array.from(document.querySelectorAll('#live [data-version]'));
    const announcements = lines.map((one) => [Number(one.dataset.version), one.textContent]);
    const version = Number(part.dataset.version);
    const behind = document.getElementById('behind')?.textContent;
    const entry = { shown: shownIn(part), version, announcements, behind };
    if (last !== (last = JSON.stringify(entry))) heard.push(entry);
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
})()"""
"""Script: notes what is shown and announced after each change of the page."""

EXPECTED = """async (path) => {
  const found = [];
  for (let version = 0, latest = 0; version <= latest; version += 1) {
    const answer = await fetch(`${path}/part?at=${version}`, { cache: 'no-store' });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const moment = JSON.parse(page.querySelector('[data-moment]').dataset.moment);
    const at = Number(answer.headers.get('Quaternity-Version'));
    latest = Number(answer.headers.get('Quaternity-Latest'));
    found.push([at, shownIn(page), moment.texts]);
  }
  return found;
}"""
"""Script: what the server shows and announces for each version."""


class Witness(Person):
    """A person whose page is recorded, in a browser where time runs fast.

    Attributes:
        records: The records of the pages that this person has left.
        expected: What each version shows, and what is announced with it.
        erased: The versions that an undo has erased.
    """

    def __init__(self, browser: Browser, host: str, **options: Any) -> None:
        super().__init__(browser, host, **{"reduced_motion": "no-preference", **options})
        self.records: list[Any] = []
        self.expected: dict[int, Any] = {}
        self.erased = set[int]()
        self.page.add_init_script(FAST)
        self.page.add_init_script(SHOWN)
        self.page.add_init_script(RECORDING)

    def reload(self) -> None:
        """Reload the page, and keep what was recorded."""
        self.records.append(self.page.evaluate("record"))
        self.page.reload()
        self.page.wait_for_selector("body.ready")

    def learn(self) -> None:
        """Ask the server what each version shows and announces. An undo erases some of them."""
        path = self.page.url.partition("?")[0]
        for version, (at, *more) in enumerate(self.page.evaluate(EXPECTED, path)):
            if at == version:
                self.expected.setdefault(version, more)
            else:
                self.erased.add(version)

    def order_faults(self, chosen: Sequence[int] = ()) -> list[str]:
        """Return everything that was shown too early, or announced twice or out of order.

        Args:
            chosen: the versions to which the person went without watching the moves before them.
        """
        records = [*self.records, self.page.evaluate("record")]
        self.learn()  # a program may have moved meanwhile
        faults: list[str] = []
        for record in records:
            faults += _order_faults(record, self.expected, self.erased, chosen)
        return faults


def _order_faults(
    record: Any, expected: dict[int, Any], erased: set[int], chosen: Sequence[int]
) -> list[str]:
    if not record:
        return []
    faults, announcements = list[str](), list[tuple[int, str]]()
    begun = shown = record[0]["version"]
    for entry in record:
        lines = [(version, text) for version, text in entry["announcements"]]
        # Old announcements are removed, so only the end of the list is compared.
        announcements += lines[len(lines) - _new(lines, announcements) :]
        announced = max([begun, *(version for version, _ in announcements)])
        versions = [at for at in expected if expected[at][0] == entry["shown"]]
        allowed = [at for at in versions if shown <= at <= announced]
        if allowed:
            shown = min(allowed)
        else:
            faults.append(f"after {announced}, {versions} is shown: {entry['shown'][:300]}")
    numbers = list(dict.fromkeys(version for version, _ in announcements))
    for before, number in zip([begun, *numbers], numbers, strict=False):
        texts = [text for version, text in announcements if version == number]
        skipped = {*range(before + 1, number)} - erased
        if number <= before or texts != expected[number][1] or (skipped and number not in chosen):
            faults.append(f"version {number} after {before}: {texts}, {skipped} are missing")
    return faults


def _new(lines: list[tuple[int, str]], announcements: list[tuple[int, str]]) -> int:
    """Return how many of the last lines are new."""
    for count in range(len(lines) + 1):
        kept = lines[: len(lines) - count]
        if kept == announcements[len(announcements) - len(kept) :]:
            return count
    raise AssertionError((lines, announcements))


__all__ = ["Witness"]
