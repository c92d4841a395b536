"""Recording of everything that the page of a table shows and announces, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.web.browsing import FAST, Person

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
    const lines = Array.from(document.querySelectorAll('#live [data-version]'));
    const said = lines.map((one) => [Number(one.dataset.version), one.textContent]);
    const behind = document.getElementById('behind')?.textContent;
    const entry = { shown: shownIn(part), version: Number(part.dataset.version), said, behind };
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
    """

    def __init__(self, browser: Browser, host: str, **options: Any) -> None:
        super().__init__(browser, host, **{"reduced_motion": "no-preference", **options})
        self.records: list[Any] = []
        self.context.add_init_script(FAST)
        self.context.add_init_script(SHOWN)
        self.context.add_init_script(RECORDING)

    def reload(self) -> None:
        """Reload the page, and keep what was recorded."""
        self.records.append(self.page.evaluate("record"))
        self.page.reload()
        self.page.wait_for_selector("body.ready")

    def order_faults(self, chosen: Sequence[int] = ()) -> list[str]:
        """Return everything that was shown too early, or announced twice or out of order.

        Args:
            chosen: the versions to which the person went without watching the moves before them.
        """
        path = self.page.url.partition("?")[0]
        expected = self.page.evaluate(EXPECTED, path)
        faults: list[str] = []
        for record in [*self.records, self.page.evaluate("record")]:
            faults += _order_faults(record, expected, chosen)
        return faults


def _order_faults(record: Any, expected: Any, chosen: Sequence[int]) -> list[str]:
    if not record:
        return []
    faults, said = list[str](), list[tuple[int, str]]()
    begun = shown = record[0]["version"]
    for entry in record:
        lines = [(version, text) for version, text in entry["said"]]
        # Old announcements are removed, so only the end of the list is compared.
        fresh = lines if not said else lines[len(lines) - _new(lines, said) :]
        said += fresh
        announced = max([begun, *(version for version, _ in said)])
        versions = [at for at in range(shown, announced + 1) if expected[at][1] == entry["shown"]]
        if not versions:
            later = [at for at in range(len(expected)) if expected[at][1] == entry["shown"]]
            faults.append(f"after {announced}, {later} is shown: {entry['shown'][:300]}")
        else:
            shown = versions[0]
    numbers = [version for version, _ in said]
    told = {version: [t for v, t in said if v == version] for version in numbers}
    at = begun
    while at < (numbers[-1] if numbers else begun):
        following = next((v for v in chosen if v > at and v in told and at + 1 not in told), None)
        at = expected[at + 1][0] if following is None else following
        if told.pop(at, None) != expected[at][2]:
            faults.append(f"version {at} should be announced once as {expected[at][2]}: {said}")
            break
    if told or numbers != sorted(numbers):
        faults.append(f"announced out of order: {said}")
    return faults


def _new(lines: list[tuple[int, str]], said: list[tuple[int, str]]) -> int:
    """Return how many of the last lines were not said before."""
    for count in range(len(lines) + 1):
        kept = lines[: len(lines) - count]
        if kept == said[len(said) - len(kept) :]:
            return count
    raise AssertionError((lines, said))


__all__ = ["Witness"]
