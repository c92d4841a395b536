"""One queue: board, scores, headline and announcements follow the events together, in order.

Skipped if no Chromium is installed, like the tests of whole games.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.sizes import thorough
from tests.web.browsing import PHONE, browser_path
from tests.web.recording import Witness
from tests.web.server import BUSY, Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

if browser_path() is None:
    pytest.skip("no Chromium on the path or in QUATERNITY_BROWSER", allow_module_level=True)
if "QUATERNITY_BROWSER" not in os.environ:
    pytest.importorskip("playwright", reason="playwright is not installed")

GAMES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "quaternity": ({"set_size": 3, "sets": 4, "players": 3}, ["me", "open", "informed"]),
    "kwartet": ({"players": 3, "sets": 6}, ["me", "open", "greedy"]),
    "quarto": ({}, ["me", "open"]),
    "set": ({"seats": 3}, ["me", "open", "quick"]),
}

HIDE = """hidden => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
}"""
"""Script: the page is hidden, as on a phone that sleeps, or shown again."""


@pytest.fixture
def witness(browser: Browser) -> Iterator[Callable[..., Witness]]:
    """Return a function that opens the browser of a person; no browser may have had a fault."""
    people: list[Witness] = []

    def open_browser(host: str, **options: Any) -> Witness:
        people.append(Witness(browser, host, **options))
        return people[-1]

    yield open_browser
    faults = [fault for user in people for fault in user.faults]
    for user in people:
        user.context.close()
    assert faults == []


class Evening:
    """A game of three people and a program, each person with a browser, in which luck is bad.

    Attributes:
        went: for each person, the versions to which they went without watching the moves before.
    """

    def __init__(self, server: Server, game: str, witness: Callable[..., Witness]) -> None:
        self.server, self.random = server, Random(5)
        settings, seats = GAMES[game]
        self.ann, self.ben = witness(server.host), witness(server.host, **PHONE)
        self.table, links = self.ann.table(game, settings, seats, name="Ann")
        self.ben.join(links[0], "Ben")
        still = witness(server.host, reduced_motion="reduce")
        tab = witness(server.host, storage_state=self.ann.context.storage_state())
        self.people = [self.ann, self.ben, still, tab]
        for person in (still, tab):
            person.page.goto(f"/t/{self.table}")
        for person in self.people:
            person.page.wait_for_selector("body.ready")
        self.went: dict[Witness, list[int]] = {person: [] for person in self.people}

    def look(self) -> Any:
        """Return the state of the table."""
        return self.ann.ask("GET", f"/api/tables/{self.table}")

    def move_at_once(self, count: int) -> None:
        """Make moves of the people, without their pages."""
        for number in range(count):
            state = self.look()
            movers = [seat for seat in state["to_act"] if seat < 2]
            if not movers:
                return
            seat = self.random.choice(movers)
            person = (self.ann, self.ben)[seat]
            moves = person.ask("GET", f"/api/tables/{self.table}?seat={seat}")["moves"]
            sent = {"version": state["version"], "id": f"{state['version']}/{number}"}
            answer = person.context.request.post(
                f"/api/tables/{self.table}/moves",
                data={**sent, "move": self.random.choice(moves)},
                headers={"Origin": f"http://{self.server.host}"},
            )
            assert answer.status in (200, 409), answer.text()  # a program may be faster

    def tap(self, person: Witness) -> None:
        """Tap on the board, which may show a moment."""
        person.page.locator("[data-board]").dispatch_event("click")

    def sleep(self, person: Witness) -> None:
        """Let others move while a page is hidden, and then return to the page."""
        person.page.evaluate(HIDE, True)
        for _ in range(4):
            self.move_at_once(4)
        now = self.look()["version"]
        person.page.evaluate(HIDE, False)
        self.come_back(person, now)

    def come_back(self, person: Witness, now: int) -> None:
        """Choose whether to watch the moves, if the page asks."""
        person.page.wait_for_function(
            """now => !document.getElementById('offer').hidden
              || Number(document.getElementById('part').dataset.version) >= now""",
            arg=now,
        )
        offer = person.page.locator("#offer:not([hidden])")
        if not offer.count():
            return
        before = person.version
        count = int(offer.locator("p").inner_text().split()[0])
        assert count > 10
        assert before + count >= now
        watches = self.random.random() < 0.5
        offer.locator("button").nth(int(not watches)).click()
        if not watches:
            person.page.wait_for_function(
                "before => Number(document.getElementById('part').dataset.version) > before",
                arg=before,
            )
            self.went[person].append(person.version)

    def undo(self) -> None:
        """Let both people take back the last move."""
        for person in self.people:
            person.learn()
        version = self.look()["version"]
        for person in (self.ann, self.ben):
            person.context.request.post(
                f"/api/tables/{self.table}/undo",
                data={"version": version, "agree": True},
                headers={"Origin": f"http://{self.server.host}"},
            )

    def break_stream(self) -> None:
        """Kill the server in mid-event, and start it again."""
        self.server.kill()
        self.server.start()

    def act(self) -> None:
        """Do something that a player does, or have bad luck."""
        for viewer in self.people:
            if viewer.page.locator("#offer:not([hidden])").count():
                self.come_back(viewer, 0)
        person = self.random.choice(self.people)
        action = self.random.choice(["move"] * 4 + ["burst", "tap"] * 2 + ["reload", "sleep"])
        if action == "move":
            for mover in (self.ann, self.ben):
                if mover.page.locator(".bar.yours, .set-form").count():
                    mover.move(self.random)
                    break
        elif action == "burst":
            self.move_at_once(self.random.choice([1, 2, 2, 10]))
        elif action == "tap":
            self.tap(person)
        elif action == "reload":
            person.reload()
            self.come_back(person, self.look()["version"])
        else:
            self.sleep(person)


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_shown_before_its_event_and_every_event_once(
    game: str, witness: Callable[..., Witness], tmp_path: Path
) -> None:
    with Server(tmp_path / "data", *BUSY) as server:
        evening = Evening(server, game, witness)
        for step in range(thorough(8 if game == "set" else 14, 60)):
            if evening.look()["outcome"] is not None:
                break
            evening.act()
            if step % 5 == 4 and game == "quarto":  # where no program moves meanwhile
                evening.undo()
            if step == 5:
                evening.break_stream()
        # The program finishes its move.
        state = evening.look()
        for person in evening.people:
            person.page.wait_for_selector("body:not(.lost)")
            evening.come_back(person, state["version"])
            person.sees(state["version"])
        version = evening.look()["version"]
        for person in evening.people:
            person.sees(version)
            assert person.order_faults(evening.went[person]) == []
