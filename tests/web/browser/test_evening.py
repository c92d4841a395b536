"""A whole evening: four browsers, two languages, three games, and some failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.sizes import only_thorough
from tests.web.browser.people import PHONE, Person
from tests.web.server import BUSY, Server

if TYPE_CHECKING:
    pass


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "data", *BUSY) as running:
        yield running
        assert running.stop() == 0
        assert "Traceback" not in running.log.read_text()


def table_of(person: Person) -> str:
    """Return the table that a person sees."""
    return str(person.page.locator("#part").get_attribute("data-table"))


def state_of(person: Person) -> Any:
    return person.ask("GET", f"/api/tables/{table_of(person)}")


def wait_for_start(people: list[Person]) -> None:
    """Wait until everybody sees that the game has begun."""
    for person in people:
        person.page.wait_for_selector("#part .seats")


def play_on(people: list[Person], random: Random, moves: int | None = None) -> Any:
    """Make moves by the pages of people, this many or to the end; return the last state."""
    made = 0
    while (state := state_of(people[0]))["outcome"] is None and made != moves:
        for person in people:
            person.sees(state["version"])
        if any(person.move(random) for person in random.sample(people, len(people))):
            made += 1
        else:
            people[0].sees(state["version"] + 1)
    return state


@only_thorough
def test_an_evening_of_four(person: Callable[..., Any], own_server: Server) -> None:
    phone: dict[str, Any] = PHONE
    ann = person(host=own_server.host)
    ben = person(host=own_server.host, locale="de-DE", **phone)
    cleo = person(host=own_server.host, keys=True, locale="nl-NL")
    zoe = person(host=own_server.host)
    people, random = [ann, ben, cleo], Random(5)
    # All use one link; a latecomer only watches.
    wanted = {
        "game": "quaternity", "settings": {"set_size": 2, "sets": 4, "players": 4},
        "seats": ["me", "open", "open", "open"], "name": "Ann", "chat": True,
    }  # fmt: skip
    made = ann.ask("POST", "/api/tables", wanted)
    ann.page.goto(f"/t/{made['table']}")
    link = made["invitation"].partition(own_server.host)[2]
    for visitor, name in ((ben, "Ben"), (cleo, "Cleo")):
        visitor.page.goto(link)
        visitor.page.locator("input[name=name]").fill(name)
        visitor.press(visitor.page.locator("main form button"))
        visitor.page.wait_for_selector("#part .room")
    assert "warten auf Freunde" in ben.page.locator("h1").inner_text()
    assert ben.page.locator("html").get_attribute("lang") == "de"
    assert cleo.page.locator("html").get_attribute("lang") == "nl"
    ann.page.wait_for_function(
        "() => document.querySelectorAll('.chairs .mine, .chairs b').length > 3"
    )
    ann.page.locator(".start select").select_option("easy")
    ann.page.locator("[data-start]").click()
    wait_for_start(people)
    zoe.page.goto(link)
    assert zoe.page.locator("main form").count() == 0
    zoe.page.locator("main a").last.click()
    zoe.page.wait_for_selector("#part .seats")

    # They chat; bystanders do not see it.
    play_on(people, random, 2)
    ann.open_sheet()
    ann.page.locator("#say").fill("שלום <b>all</b>!")
    ann.page.keyboard.press("Enter")
    ben.page.wait_for_selector(".lines li", state="attached")
    assert "שלום <b>all</b>!" in (ben.page.locator(".lines").text_content() or "")
    assert zoe.page.locator(".lines li").count() == 0
    ben.page.evaluate("document.querySelector('[data-reaction]').click()")
    zoe.page.wait_for_selector(".reaction", state="attached")

    # Ben's phone loses its cookies: his code restores the seat.
    code = ben.ask("POST", f"/api/tables/{table_of(ben)}/code", {})["code"]
    ben.context.clear_cookies()
    ben.page.goto("/")
    ben.page.locator("details summary").last.click()
    ben.page.locator("input[name=code]").fill(code.lower())
    ben.page.keyboard.press("Enter")
    ben.page.wait_for_selector("#part .seats .mine")
    assert state_of(ben)["seat"] is not None

    # The server dies in the middle.
    own_server.kill()
    own_server.start()
    first = play_on(people, random)
    assert ann.page.locator(".history li").count() > 3

    # Two rematches; Cleo joins the second one late.
    for number, game in enumerate((2, 3)):
        ann.page.locator("form[data-api$=again] button").click()
        ann.page.wait_for_selector(".room")
        ben.page.locator(".again a").first.tap()
        ben.page.wait_for_selector("#part .room, #part .seats")
        if number:
            cleo.page.goto(f"/t/{table_of(ann)}")
        else:
            cleo.press(cleo.page.locator(".again a").first)
        wait_for_start(people)
        state = state_of(ann)
        assert state["table"] != first["table"]
        assert sum(line["games"] for line in state["evening"]) == 4 * (game - 1)
        play_on(people, random)
    wins = ann.page.locator(".evening tbody tr")
    assert wins.count() >= 3


@only_thorough
def test_a_clock_that_runs_out_is_played_by_a_program(
    person: Callable[..., Any], own_server: Server
) -> None:
    phone: dict[str, Any] = PHONE
    ann, ben = person(host=own_server.host), person(host=own_server.host, **phone)
    wanted = {
        "game": "quarto", "seats": ["me", "open"], "name": "Ann",
        "clock": {"seconds": 5, "increment": 1},
    }  # fmt: skip
    made = ann.ask("POST", "/api/tables", wanted)
    ann.page.goto(f"/t/{made['table']}")
    ben.join(made["invitation"].partition(own_server.host)[2], "Ben")
    wait_for_start([ann, ben])
    assert ann.page.locator(".clock.running").count() == 1
    # Nobody moves: programs move for both, and stay after three times each.
    for player in (ann, ben):
        player.page.wait_for_selector("button:has-text('I am back')", timeout=90_000)
    ann.page.locator("button:has-text('I am back')").click()
    ann.page.wait_for_selector("button:has-text('I am back')", state="detached")
