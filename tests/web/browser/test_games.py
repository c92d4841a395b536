"""Whole games in a browser, by people with a mouse, a finger or keys, and by programs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.table.games import rules_of_record
from tests.sizes import only_thorough, thorough
from tests.web.browser.people import PHONE, Person
from tests.web.browser.tables import SEATS, SHOWN, SMALL
from tests.web.server import BUSY, Server


def play_to_end(
    people: list[Person],
    table: str,
    random: Random,
    between: Callable[[int], None] = lambda _: None,
) -> Any:
    """Play a table to its end by the pages of people, and return the final state of the server.

    Args:
        between: called with the version after each move of a person.
    """
    while True:
        state = people[0].ask("GET", f"/api/tables/{table}")
        for player in people:
            player.sees(state["version"])
        if state["outcome"] is not None:
            return state
        order = random.sample(people, len(people))
        moved = next((player for player in order if player.move(random)), None)
        people[0].sees(state["version"] + 1)
        if moved is not None:
            between(people[0].version)


def assert_all_see_the_end(people: list[Person], state: Any) -> None:
    """Check that pages, server and record agree."""
    table = state["table"]
    for player in people:
        shown = player.page.locator(".seats .score > b").all_inner_texts()
        assert [float(text) for text in shown] == state["outcome"]["points"]
        assert player.page.locator(".seats .acting").count() == 0
    headlines = {player.page.locator("h1").inner_text() for player in people}
    firsts = [seat for seat, place in enumerate(state["outcome"]["places"]) if place == 1]
    if len(firsts) > 1:
        assert headlines == {"A shared win"}
    else:
        assert [text for text in headlines if "win" not in text] == []
    data = people[0].context.request.get(f"/api/tables/{table}/record").body()
    rules = rules_of_record(data)
    replay = rules.replay(data)
    assert list(rules.points(replay.positions[-1])) == state["outcome"]["points"]


LOST = "() => getComputedStyle(document.body, '::after').content"
"""Script: the text that covers the whole page."""


@pytest.mark.parametrize("game", thorough(["quaternity"], list(SEATS)))
def test_two_people_and_a_program_play_to_the_end_on_a_server_that_was_killed(
    game: str,
    person: Callable[..., Person],
    picture: Callable[[Person, str], None],
    tmp_path: Path,
) -> None:
    """One person has a mouse; the other a phone with touch, in dark mode, without animation."""
    with Server(tmp_path / "data", *BUSY) as server:
        ann = person(host=server.host, reduced_motion="no-preference")
        bo = person(host=server.host, **PHONE, color_scheme="dark", reduced_motion="reduce")
        table, invitations = ann.table(game, SMALL[game], SEATS[game], name="Ann", help=True)
        bo.join(invitations[0], "Bo")
        second = ann.context.new_page()
        second.goto(f"/t/{table}")
        kill_versions = thorough([2], [2, 5])
        moves = 0

        def between(version: int) -> None:
            nonlocal moves
            moves += 1
            if moves == 3:
                picture(ann, f"{game}-mouse")
                picture(bo, f"{game}-phone")
            if moves % 7 == 4:
                bo.page.reload()
            if moves == 5:
                ann.page.goto("/")
                ann.page.go_back()
            if kill_versions and version >= kill_versions[0]:
                kill_versions.pop(0)
                server.kill()
                ann.page.wait_for_selector("body.lost")
                assert "No connection" in ann.page.evaluate(LOST)
                server.start()
                ann.page.wait_for_selector("body:not(.lost)")
                assert ann.page.evaluate(LOST) == "none"
                for player in (ann, bo):
                    assert player.ask("GET", f"/api/tables/{table}")["version"] >= version

        state = play_to_end([ann, bo], table, Random(3), between)
        assert_all_see_the_end([ann, bo], state)
        second.wait_for_function(SHOWN, arg=state["version"])
        assert not kill_versions
        assert bo.page.evaluate("document.documentElement.scrollWidth") <= 360
        picture(ann, f"{game}-over-mouse")
        picture(bo, f"{game}-over-phone")
        ann.page.goto(f"/t/{table}/at/{min(3, state['version'])}")
        picture(ann, f"{game}-replay")


@only_thorough
@pytest.mark.parametrize("game", SEATS)
def test_a_game_is_played_by_keyboard_alone(game: str, person: Callable[..., Person]) -> None:
    ann, bo = person(keys=True), person(keys=True)
    smaller = {
        "quaternity": {"set_size": 2, "sets": 3, "players": 3},
        "kwartet": {"players": 3, "sets": 2},
    }
    table, invitations = ann.table(
        game, smaller.get(game, {}) or SMALL[game], SEATS[game], name="A"
    )
    bo.join(invitations[0], "Bo")
    assert_all_see_the_end([ann, bo], play_to_end([ann, bo], table, Random(5)))


@pytest.mark.parametrize("scripts", [True, False])
def test_a_game_has_the_settings_chosen_in_the_form(
    scripts: bool, person: Callable[..., Person]
) -> None:
    ann = person(java_script_enabled=scripts, **PHONE)
    ann.page.goto("/new?game=kwartet")
    create = ann.page.get_by_role("button", name="Create the table")
    box = create.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 740, "the three questions fit a phone"
    assert not ann.page.get_by_label("Allow help").is_visible()
    ann.page.get_by_label("Your name").fill("Ann")
    ann.page.get_by_label("Programs", exact=True).check()
    ann.page.get_by_role("radio", name="strong").check()
    ann.page.get_by_role("radio", name="short").check()
    ann.page.get_by_label("Players, including you").select_option("3")
    ann.page.get_by_text("Advanced", exact=True).click()
    ann.page.get_by_label("Cards set aside").fill("3")
    ann.page.get_by_label("Allow help").check()
    ann.page.get_by_label("Seat 3").select_option("greedy")
    assert ann.page.get_by_label("Seat 4").is_visible() != scripts
    create.click()
    ann.page.wait_for_selector("#part")
    table = ann.page.locator("#part").get_attribute("data-table")
    state = ann.ask("GET", f"/api/tables/{table}")
    wanted = {"players": 3, "sets": 6, "announce": "at-once", "own_card_requests": False}
    assert state["settings"] == wanted | {"set_size": 4, "aside": 3, "max_moves": 72}
    assert state["help"]
    assert [seat["name"] for seat in state["seats"]] == ["Ann", "reader", "greedy"]
    ann.page.goto("/new?game=quarto")
    if scripts:
        assert ann.page.get_by_label("Your name").input_value() == "Ann"


def test_a_bystander_who_takes_a_seat_is_present(person: Callable[..., Person]) -> None:
    from playwright.sync_api import Error

    ann, bo = person(), person()
    table, invitations = ann.table("quarto", {}, ["me", "open"], name="Ann")
    tab = bo.context.new_page()
    tab.goto(f"/t/{table}")
    for _ in range(60):  # until its stream is open
        ann.ask("POST", f"/api/tables/{table}/reactions", {"reaction": "👍"})
        with suppress(Error):
            tab.wait_for_selector(".reaction", state="attached", timeout=1000)
            break
    bo.join(invitations[0], "Bo")
    bo.page.wait_for_function(
        "async path => (await (await fetch(path)).json()).seats.every(one => one.present)",
        arg=f"/api/tables/{table}",
    )


@only_thorough
def test_records_are_watched_and_files_explained(
    person: Callable[..., Person], picture: Callable[[Person, str], None]
) -> None:
    ann = person(reduced_motion="reduce")
    for name in ("game-4-13-4.record", "damaged-owner-4-13-4.json"):
        data = (resources.files("quaternity") / "data" / name).read_bytes()
        file: Any = {"name": name, "mimeType": "text/plain", "buffer": data}
        if name.endswith(".record"):
            ann.page.goto("/analyse")
            ann.page.set_input_files("[data-drop='/api/records'] input", file)
            ann.page.wait_for_selector("#part")
            assert "/t/" in ann.page.url
            assert ann.page.locator("[data-move]").count() == 0
            assert ann.axe() == []
            picture(ann, "uploaded")
            moment = ann.page.locator("#moment")
            moment.fill("3")
            ann.page.wait_for_selector(".replay b:text-is('3')")
            for number in (4, 5):
                ann.page.get_by_role("link", name="Forward").click()
                ann.page.wait_for_selector(f".replay b:text-is('{number}')")
                assert moment.input_value() == str(number)
        ann.page.goto("/analyse")
        ann.page.set_input_files("[data-drop='/learn'] input", file)
        ann.page.wait_for_selector("#learned h2, #learned p")
        assert ann.axe() == []
        picture(ann, f"learned-{name.partition('-')[0]}")


def hand_over(owner: Person, seat: str, player: str) -> None:
    """Put a program in a seat, or the person back."""
    if not owner.page.locator("#hand-over[open]").count():
        owner.page.locator("#hand-over > summary").click()
    owner.page.locator("#hand-over select").first.select_option(seat)
    owner.page.locator("#hand-over select").last.select_option(player)
    owner.page.get_by_role("button", name="Hand over", exact=True).click()


@only_thorough
def test_people_take_back_hand_seats_over_watch_and_play_again(
    person: Callable[..., Person], picture: Callable[[Person, str], None]
) -> None:
    ann, bo, cleo = person(), person(), person()
    table, invitations = ann.table("quarto", {}, ["me", "open"], name="Ann")
    bo.join(invitations[0], "Bo")
    ann.page.locator("[data-move=A]").click()
    bo.sees(1)
    bo.page.locator("#place-H1V1").check(force=True)
    bo.page.locator("#give-B").click()
    ann.sees(2)
    ann.page.locator("#undo").click()
    bo.page.get_by_role("button", name="Agree to take back the last move").click()
    for user in (ann, bo):
        user.sees(3)
        assert user.page.locator(".well svg").count() == 16 * (user is bo)  # ghosts to be placed
    hand_over(bo, "1", "random")
    for user in (ann, bo):
        user.sees(4)  # the program has moved
    hand_over(bo, "1", "me")
    bo.page.wait_for_selector("#seat1:not(:has-text('program'))")
    hand_over(bo, "1", "random")
    bo.page.wait_for_selector("#seat1:has-text('program')")
    ann.page.locator("#watch-link > summary").click()
    cleo.page.goto(ann.page.locator("#watch-link input").input_value())
    assert cleo.page.locator(".board [data-move], .board input").count() == 0
    picture(cleo, "watching")
    state = play_to_end([ann], table, Random(2))
    cleo.sees(state["version"])
    assert cleo.page.locator("h1").inner_text().endswith(("wins", "alone"))
    cleo.page.goto(f"/t/{table}/at/0")
    for number in range(1, 4):
        cleo.page.get_by_role("link", name="Forward").click()
        cleo.page.wait_for_url(f"**/at/{number}*")
    assert cleo.page.locator("[data-move], .board input").count() == 0
    ann.page.get_by_role("button", name="Rematch with everybody").click()
    ann.page.wait_for_url(lambda url: table not in url)
    ann.page.wait_for_selector("#part")
    ann.page.goto("/")
    assert ann.page.locator(".tables li").count() >= 2
    picture(ann, "home-tables")


def test_the_results_of_a_series_fit_beside_the_board(person: Callable[..., Person]) -> None:
    ann = person(viewport={"width": 1280, "height": 800}, locale="nl")
    settings = {"set_size": 2, "sets": 3, "players": 3}
    table, _ = ann.table("quaternity", settings, ["me"] * 3, name="Annemarie Wilhelmina")
    play_to_end([ann], table, Random(2))
    again = ann.ask("POST", f"/api/tables/{table}/again", {})
    ann.page.goto(f"/t/{again['table']}")
    side = ann.page.locator("#side:has(.evening)")
    assert side.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_a_friend_who_gets_the_address_of_a_waiting_table_sits_down(
    person: Callable[..., Person], picture: Callable[[Person, str], None]
) -> None:
    ann, bo = person(), person(**PHONE)
    ann.page.goto("/new?game=quarto")
    ann.page.get_by_label("Your name").fill("Ann")
    ann.page.get_by_role("button", name="Create the table").click()
    ann.page.wait_for_selector("#part")
    bo.page.goto(ann.page.url)
    assert bo.axe() == []
    picture(bo, "visitor")
    bo.page.get_by_label("Your name").fill("Bo")
    bo.press(bo.page.get_by_role("button", name="Sit down"))
    for player in (ann, bo):
        player.press(player.page.get_by_role("button", name="I am ready"))
    for player in (ann, bo):
        player.page.wait_for_selector(".seats [data-seat='1']:has-text('Bo')")
    assert bo.page.locator(".seats .mine").count() == 1


SHARED = """(() => {
  globalThis.shared = [];
  navigator.share = async ({ url }) => { shared.push(url); };
})()"""
"""Script: the browser can share links."""


def test_links_are_shared_or_shown_and_forms_are_sent_once(person: Callable[..., Person]) -> None:
    ann, bo = person(), person()
    ann.page.add_init_script(SHARED)
    bo.page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    ann.table("quarto", {}, ["me", "open"], name="Ann")
    link = ann.page.locator("input[data-select]").first.input_value()
    ann.page.locator(".share").click()
    assert ann.page.evaluate("shared") == [link]
    sent = list[str]()
    for player in (ann, bo):
        player.page.on("request", lambda request: sent.append(request.url))
        short = {"players": 3, "sets": 2, "max_moves": 1}
        table, _ = player.table("kwartet", short, ["me"] * 3, name="Ann")
        twice = "form => { form.requestSubmit(); form.requestSubmit(); }"
        player.page.locator("form[data-api$='/elsewhere']").evaluate(twice)
        player.page.wait_for_selector("#elsewhere-out input", state="attached")
        random, state = Random(1), player.ask("GET", f"/api/tables/{table}")
        while state["outcome"] is None:
            seat = state["to_act"][0]
            moves = player.ask("GET", f"/api/tables/{table}?seat={seat}")["moves"]
            move = {"id": str(state["version"]), "seat": seat, "move": random.choice(moves)}
            move["version"] = state["version"]
            player.ask("POST", f"/api/tables/{table}/moves", move)
            state = player.ask("GET", f"/api/tables/{table}")
        player.sees(state["version"])
        player.press(player.page.locator(".after-game [data-share-link]"))
    assert len([url for url in sent if url.endswith("/elsewhere")]) == 2
    (watch,) = ann.page.evaluate("shared")
    assert "/t/" in watch
    bo.page.wait_for_function("() => faults.textContent.includes('/t/')")
