"""Whole games in a real browser, by people with a mouse, a finger or keys, and by programs.

Skipped if no Chromium is installed (`QUATERNITY_BROWSER`, or found on the path); a run that sets
`QUATERNITY_BROWSER` insists. `QUATERNITY_SCREENSHOTS` names a folder for pictures of every page.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import resources
from itertools import combinations, cycle
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from quaternity.base.sentences import message_data
from quaternity.puzzles import KINDS, make
from quaternity.puzzles.making import DAILY
from quaternity.puzzles.puzzle import VERSION
from quaternity.puzzles.set_puzzles import LETTERS
from quaternity.quarto.rows import cell_name
from quaternity.quarto.rules import QuartoRules
from quaternity.table.games import rules_of_record
from quaternity.ternary import triples
from quaternity.web.languages import LANGUAGES, percent, using_language
from tests.review.test_other_games import match, record
from tests.review.test_quaternity import TWO
from tests.review.test_quaternity import play_random_game as played_game
from tests.sizes import only_thorough, thorough
from tests.web.browsing import FAST, FOCUSED, PHONE, Person, browser_path, weight
from tests.web.server import BUSY, Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

if browser_path() is None:
    pytest.skip("no Chromium on the path or in QUATERNITY_BROWSER", allow_module_level=True)
if "QUATERNITY_BROWSER" not in os.environ:
    pytest.importorskip("axe_playwright_python", reason="playwright and axe are not installed")

SMALL: dict[str, dict[str, Any]] = {
    "quaternity": thorough(
        {"set_size": 2, "sets": 3, "players": 3}, {"set_size": 4, "sets": 3, "players": 3}
    ),
    "kwartet": {"players": 3, "sets": thorough(2, 4)},
    "quarto": {},
    "set": {"seats": 3},
}
"""Settings of the games that are played to their end."""

SEATS = {
    "quaternity": ["me", "open", "informed"],
    "kwartet": ["me", "open", "greedy"],
    "quarto": ["me", "open"],
    "set": ["me", "open", "quick"],
}

LARGE: dict[str, dict[str, Any]] = {
    "quaternity": {"set_size": 4, "sets": 13, "players": 4},
    "kwartet": {"players": 4, "sets": 13},
    "quarto": {},
    "set": {"seats": 3, "table": 18},
}
MORE = {"quaternity": ["random"], "kwartet": ["random"]}
"""The largest settings of the games, and additional players for them."""

MAX_PAGE_BYTES = 200_000
"""Maximum size of a page with everything that it loads, in bytes."""


@pytest.fixture
def person(browser: Browser, server: Server) -> Iterator[Callable[..., Person]]:
    """Return a function that opens the browser of a person; no browser may have had a fault."""
    people: list[Person] = []

    def open_browser(**options: Any) -> Person:
        people.append(Person(browser, **{"host": server.host, **options}))
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


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_scripts_round_chances_as_the_server_does(
    language: str, person: Callable[..., Person]
) -> None:
    shares = [0, 1, 1e-9, 0.0099999, 0.99000001, 1 - 1e-9, *(n / 2000 for n in range(2001))]
    user = person(locale=language)
    user.table("quaternity", SMALL["quaternity"], SEATS["quaternity"])
    shown = user.page.evaluate(
        """async (shares) => {
            const { src } = document.querySelector('script[type="module"]');
            const { percent } = await import(new URL("asking.js", src));
            return shares.map(percent);
        }""",
        shares,
    )
    with using_language(language):
        assert shown == [percent(share) for share in shares]


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


@pytest.mark.parametrize("game", thorough(["quarto"], list(SEATS)))
def test_two_people_and_a_program_play_to_the_end(
    game: str, person: Callable[..., Person], picture: Callable[[Person, str], None]
) -> None:
    """One person has a mouse; the other a phone with touch, in dark mode, without animation."""
    ann = person(reduced_motion="no-preference")
    bo = person(**PHONE, color_scheme="dark", reduced_motion="reduce")
    table, invitations = ann.table(game, SMALL[game], SEATS[game], name="Ann", help=True)
    bo.join(invitations[0], "Bo")
    random = Random(7)
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

    state = play_to_end([ann, bo], table, random, between)
    assert_all_see_the_end([ann, bo], state)
    assert bo.page.evaluate("document.documentElement.scrollWidth") <= 360
    picture(ann, f"{game}-over-mouse")
    picture(bo, f"{game}-over-phone")
    ann.page.goto(f"/t/{table}/at/{min(3, state['version'])}")
    picture(ann, f"{game}-replay")


LOST = "() => getComputedStyle(document.body, '::after').content"
"""Script: the text that covers the whole page."""


@pytest.mark.parametrize("game", thorough(["quaternity"], list(SEATS)))
def test_a_game_goes_on_after_the_server_was_killed(
    game: str, person: Callable[..., Person], tmp_path: Path
) -> None:
    with Server(tmp_path / "data", *BUSY) as server:
        ann, bo = person(host=server.host), person(host=server.host)
        table, invitations = ann.table(game, SMALL[game], SEATS[game], name="Ann")
        bo.join(invitations[0], "Bo")
        second = ann.context.new_page()
        second.goto(f"/t/{table}")
        kill_versions = thorough([2], [2, 5])

        def between(version: int) -> None:
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


@only_thorough
def test_a_table_is_made_with_a_form_and_joined_by_its_link(
    person: Callable[..., Person], picture: Callable[[Person, str], None]
) -> None:
    ann, bo = person(), person()
    ann.page.goto("/")
    picture(ann, "home")
    ann.page.locator("a.button[href*=quarto]").click()
    picture(ann, "new")
    ann.page.get_by_label("Your name").fill("Ann")
    ann.page.get_by_role("button", name="Create the table").click()
    ann.page.wait_for_selector("#part")
    picture(ann, "invite")
    link = ann.page.locator(".invite input").first.input_value()
    bo.page.goto(link)
    picture(bo, "join")
    bo.join(link, "Bo & <b>co</b>")
    ann.page.wait_for_selector("text=Bo & <b>co</b>")
    assert ann.page.locator(".seats b b").count() == 0


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


def test_two_tabs_and_a_double_click_make_one_move(person: Callable[..., Person]) -> None:
    ann, bo = person(), person()
    table, invitations = ann.table("quarto", {}, ["me", "open"], name="Ann")
    bo.join(invitations[0], "Bo")
    tab = ann.context.new_page()
    tab.goto(f"/t/{table}")
    give = "[data-move=A]"
    ann.page.locator(give).dblclick(force=True)
    for tab_page in (ann.page, tab, bo.page):
        tab_page.wait_for_function(SHOWN, arg=1)
    assert ann.ask("GET", f"/api/tables/{table}")["version"] == 1
    assert tab.locator(give).count() == 0
    assert ann.page.locator("#faults").inner_text() == ""


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


AWAY_FROM_PAGE = """
    globalThis.told = [];
    globalThis.Notification = class {
        static permission = "granted";
        constructor(title) { told.push(title); }
        close() {}
    };
    localStorage.setItem("notify", "on");
    Object.defineProperty(document, "hidden", { get: () => globalThis.away === true });
"""


def test_a_player_in_another_tab_is_notified_of_a_turn(
    person: Callable[..., Person],
) -> None:
    ann, bo = person(), person()
    ann.page.add_init_script(AWAY_FROM_PAGE)
    _, invitations = ann.table("quarto", {}, ["me", "open"], name="Ann")
    bo.join(invitations[0], "Bo")
    # Use functions: the page's policy forbids evaluating text, which repeated checks would need.
    icon = "document.querySelector('link[rel=icon]').href.includes('yours')"
    ann.page.wait_for_function(f"() => {icon}")
    ann.page.locator("[data-move=A]").click(force=True)
    bo.page.wait_for_function(SHOWN, arg=1)
    ann.page.wait_for_function(f"() => !{icon}")
    ann.page.evaluate("globalThis.away = true")
    bo.move(Random(1))
    ann.page.wait_for_function(f"() => {icon}")
    assert "● Your turn" in ann.page.title()
    assert ann.page.evaluate("told") == [ann.page.title()]


def test_a_page_older_than_the_reported_version_is_requested_again(
    person: Callable[..., Person],
) -> None:
    """The process that draws a page may learn of a move later than the process that reports it."""
    ann = person()
    ann.page.add_init_script(FAST)
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    before = ann.page.context.request.get(ann.page.url + "/part")
    body, headers = before.body(), before.headers
    old_answers: list[str] = []

    def answer_with_the_old_page(route: Any) -> None:
        if len(old_answers) < 9:
            old_answers.append(route.request.url)
            route.fulfill(status=200, body=body, headers=headers)
        else:
            route.continue_()

    ann.page.route("**/part*", answer_with_the_old_page)
    wanted = {"version": 0, "id": "1", "move": "A"}
    ann.ask("POST", f"/api/tables/{table}/moves", wanted)
    ann.sees(1)
    assert len(old_answers) == 9


WITHOUT_WORKERS = {
    "none": "delete globalThis.SharedWorker",
    "no modules": """const Shared = SharedWorker;
        globalThis.SharedWorker = function (path) { return new Shared(path); };""",
}


@only_thorough
@pytest.mark.parametrize("how", WITHOUT_WORKERS)
def test_a_browser_without_shared_workers_shows_moves(
    how: str, person: Callable[..., Person]
) -> None:
    ann, bo = person(), person()
    bo.page.add_init_script(WITHOUT_WORKERS[how])
    _, invitations = ann.table("quarto", {}, ["me", "open"], name="Ann")
    bo.join(invitations[0], "Bo")
    ann.press(ann.page.locator("[data-move=A]"))
    bo.page.wait_for_selector("text=Your turn")


@only_thorough
def test_nine_tabs_show_a_move(person: Callable[..., Person]) -> None:
    """A browser has six connections to a server: one stream has to be enough for all tabs."""
    ann = person()
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    tabs = [ann.context.new_page() for _ in range(9)]
    for tab in tabs:
        tab.goto(f"/t/{table}")
    ann.page.locator("[data-move=A]").click()
    for tab in tabs:
        tab.wait_for_function(SHOWN, arg=1)


def test_choices_and_text_stay_until_they_are_sent(person: Callable[..., Person]) -> None:
    ann, ben = person(), person()
    settings = {"players": 3, "sets": 6}
    seats = ["me", "open", "me"]
    table, (link,) = ann.table("kwartet", settings, seats, name="Ann", help=True, seed=3)
    ben.join(link, "Ben")
    ann.page.wait_for_selector("#hand-over")
    ann.open_sheet()
    ann.page.locator("#hand-over summary").click()
    ann.page.locator("#hand-over select[name=seat]").select_option("2")
    ann.page.locator("#hand-over select[name=player]").select_option("open")
    ann.page.locator("details:has([data-help=know]) > summary").last.click()
    ann.page.locator("[data-help=know]").click()
    formula = ann.page.locator("#help input[name=formula]")
    formula.fill("H1 0/0 & H2")
    for typing in (True, False):
        if not typing:
            ann.page.locator("#headline").focus()
        look = ann.ask("GET", f"/api/tables/{table}")
        (seat,) = look["to_act"]
        mover = ben if seat == 1 else ann
        moves = mover.ask("GET", f"/api/tables/{table}?seat={seat}")["moves"]
        sent = {"version": look["version"], "id": f"m{typing}", "move": moves[0], "seat": seat}
        with ann.page.expect_response(lambda response: "/help/know" in response.url):
            mover.ask("POST", f"/api/tables/{table}/moves", sent)
            ann.sees(look["version"] + 1)
        ann.page.wait_for_selector("#help:not([aria-busy])")
        assert formula.input_value() == "H1 0/0 & H2"
    assert ann.page.locator("#hand-over select[name=seat]").input_value() == "2"
    assert ann.page.locator("#hand-over select[name=player]").input_value() == "open"


@pytest.mark.parametrize("game", thorough(["set"], ["quarto", "set"]))
def test_a_double_tap_plays_once_without_an_error(game: str, person: Callable[..., Person]) -> None:
    ann = person(has_touch=True)
    ann.table(game, {}, ["me", "me"], name="Ann")
    slow = ann.context.new_cdp_session(ann.page)
    slow.send("Network.enable")
    limits = {"latency": 200, "offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    slow.send("Network.emulateNetworkConditions", limits)
    target = ann.page.locator(".tray [data-move], #more").first
    point = target.bounding_box()
    assert point is not None
    for _ in range(2):
        ann.page.touchscreen.tap(point["x"] + 9, point["y"] + 9)
    ann.sees(1)
    ann.page.evaluate("() => fetch('/healthz')")  # earlier requests have been answered
    assert ann.version == 1
    assert "Not played" not in ann.page.locator("#faults").inner_text()


def test_a_screen_reader_announces_answers(person: Callable[..., Person]) -> None:
    ann = person()
    settings = {"set_size": 4, "sets": 3, "players": 3}
    table, _ = ann.table("quaternity", settings, ["me"] * 3, name="Ann")
    ann.page.evaluate(
        "heard = []; new MutationObserver(() => heard.push(live.textContent))"
        ".observe(live, {childList: true, characterData: true, subtree: true})"
    )
    for version, move in enumerate(("1 0 0", "no")):
        sent = {"version": version, "id": move, "move": move, "seat": version}
        ann.ask("POST", f"/api/tables/{table}/moves", sent)
        ann.sees(version + 1)
    ann.page.wait_for_function("heard.some((text) => text.includes('? No'))")
    assert not [text for text in ann.page.evaluate("heard") if "?." in text]


@pytest.mark.parametrize("game", ["quaternity", "kwartet"])
def test_the_story_of_a_game_is_announced_and_its_chart_is_reached_by_keys(
    game: str, person: Callable[..., Person]
) -> None:
    """One announcement names winner and moment. The Tab key reaches one of the shown cards."""
    ann = person(keys=True)
    text = record(match(game, 1)) if game == "kwartet" else played_game(TWO, 0).record()
    made = ann.ask("POST", "/api/records", text)
    ann.page.goto(f"/t/{made['table']}")
    ann.page.wait_for_selector("#story[data-loaded]")
    announcements = ann.page.locator("#live p").all_inner_texts()
    (story,) = [text for text in announcements if "The moment that decided the game" in text]
    assert story.startswith(ann.page.locator("#headline").inner_text())
    assert ann.page.locator("#story b").first.inner_text() in story
    assert ann.page.locator("#story .tile").count() > 0
    assert ann.page.locator("#story .tile:not([tabindex='-1'])").count() == 1
    points = ann.page.locator(".curve a")
    ann.walk_to(points.first)
    for _ in range(2):
        ann.page.keyboard.press("ArrowRight")
    assert points.nth(2).evaluate(FOCUSED)
    ann.page.keyboard.press("Tab")
    assert ann.page.locator(".curve a:focus").count() == 0
    ann.page.keyboard.press("Shift+Tab")
    address = points.nth(2).get_attribute("href")
    ann.page.keyboard.press("Enter")
    ann.page.wait_for_url(f"**{address}")


def test_the_focus_returns_to_the_card_that_was_asked_for(person: Callable[..., Person]) -> None:
    """The button of the asked player disappears, so the Tab key would start anywhere."""
    ann = person(keys=True)
    ann.table("kwartet", {"players": 3, "sets": 4}, ["me", "easy", "easy"], name="Ann")
    tile = ann.page.locator("[data-card][data-act]").first
    card, before = tile.get_attribute("data-card"), ann.version
    ann.press(tile)
    ann.press(ann.page.locator("[data-ask]").first)
    ann.sees(before + 1)
    assert ann.page.locator(f"[data-card='{card}']").evaluate(FOCUSED)


def test_a_move_that_a_busy_server_did_not_show_is_shown_later(
    person: Callable[..., Person],
) -> None:
    ann = person()
    ann.page.add_init_script(FAST)
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    refused: list[int] = []

    def refuse_twice(route: Any) -> None:
        if len(refused) == 2:
            route.continue_()
        else:
            refused.append(1)
            route.fulfill(status=503, body="busy")

    ann.page.route("**/part*", refuse_twice)
    ann.ask("POST", f"/api/tables/{table}/moves", {"version": 0, "id": "1", "move": "A"})
    ann.sees(1)
    assert len(refused) == 2
    ann.faults.clear()  # the browser reports the refused requests


def test_chosen_cards_stay_chosen_while_others_come_and_go(person: Callable[..., Person]) -> None:
    ann, bo = person(), person()
    _table, invitations = ann.table("set", {"seats": 2}, ["me", "open"], name="Ann")
    bo.join(invitations[0], "Bo")
    ann.page.wait_for_selector("input[name=card]")
    first, second = (ann.page.locator("input[name=card]").nth(number) for number in (0, 1))
    first.check(force=True)
    second.check(force=True)
    first.focus()
    chosen = first.get_attribute("id")
    bo.page.goto("/")
    ann.page.wait_for_selector(".seats :text('away')")
    assert first.is_checked()
    assert second.is_checked()
    assert ann.page.evaluate("document.activeElement.id") == chosen
    assert ann.version == 0


SIZES: dict[str, dict[str, Any]] = {"phone": {**PHONE, "viewport": {"width": 390, "height": 844}},
         "wide": {"viewport": {"width": 1280, "height": 800}}}  # fmt: skip

SCREENS: list[tuple[int, int]] = thorough(
    [(844, 390)],
    [(320, 568), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080)],
)

LINES = """one => Math.round(one.getBoundingClientRect().height
  / parseFloat(getComputedStyle(one).lineHeight))"""

BOXES = """what => Object.fromEntries(Array.from(document.querySelectorAll(what), (one) => {
  const box = one.getBoundingClientRect();
  return [one.id, [box.x, box.y, box.width, box.height].map(Math.round)];
}))"""


ON_ONE_SCREEN = """what => Array.from(document.querySelectorAll(what)).filter((node) => {
  const box = node.getBoundingClientRect();
  const middle = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return box.x < 0 || box.y < 0 || box.right > innerWidth || box.bottom > innerHeight
    || Math.min(box.width, box.height) < 24 || !(node.contains(middle) || middle.contains(node));
}).map((node) => node.outerHTML.slice(0, 100))"""
"""Script: the elements that are not completely visible, too small, or covered."""


@pytest.mark.parametrize("screen", SCREENS)
def test_board_and_pieces_share_a_screen_and_stay_where_they_are(
    person: Callable[..., Person], picture: Callable[[Person, str], None], screen: tuple[int, int]
) -> None:
    ann = person(viewport=dict(zip(("width", "height"), screen, strict=True)))
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    rules, random, before = QuartoRules(), Random(1), dict[str, Any]()
    position = rules.start(random)
    while rules.to_act(position):
        pieces = {
            name.rpartition("-")[2]: box
            for name, box in ann.page.evaluate(BOXES, ".tray [id]:not(.piece-gap)").items()
        }
        pieces |= ann.page.evaluate(BOXES, ".well")
        assert all(before.get(name, box) == box for name, box in pieces.items())
        assert not ann.page.evaluate(ON_ONE_SCREEN, ".well, .tray > *, #give-nothing")
        before |= pieces
        move = random.choice(list(rules.moves(position)))
        version, text = ann.version, rules.write(move)
        sent = {"version": version, "id": text, "move": text, "seat": position.turn}
        ann.ask("POST", f"/api/tables/{table}/moves", sent)
        position = rules.after(position, position.turn, move)
        ann.sees(version + 1)
        picture(ann, f"quarto-{screen[0]}")
    assert ann.page.locator(".winner").is_visible()


ROOM = 16
"""Number of cards of SET that have room before all cards become smaller, and a button."""


@pytest.mark.parametrize("screen", SCREENS)
def test_cards_of_set_stay_where_they_are_whatever_happens(
    person: Callable[..., Person], picture: Callable[[Person, str], None], screen: tuple[int, int]
) -> None:
    ann, ben = person(viewport=dict(zip(("width", "height"), screen, strict=True))), person()
    size = screen[0]
    table, (link,) = ann.table("set", {}, ["me", "open"], name="Ann", help=True, seed=3)
    assert ann.page.locator("input[name=card]").count() == 0
    picture(ann, f"set-{size}-waiting")
    ben.join(link, "Benjamin")
    ann.page.wait_for_selector(".set-form")
    before, events = ann.page.evaluate(BOXES, ".set-card, #more"), 0

    def act(actor: Person, action: str, **document: Any) -> None:
        nonlocal before, events
        version = actor.ask("GET", f"/api/tables/{table}")["version"]
        document = {"version": version, **document}
        actor.ask("POST", f"/api/tables/{table}/{action}", document)
        check_boxes(actor.ask("GET", f"/api/tables/{table}")["version"])

    def check_boxes(version: int) -> None:
        nonlocal before, events
        ann.sees(version)
        after = ann.page.evaluate(BOXES, ".set-card, #more")
        assert not ann.page.evaluate(ON_ONE_SCREEN, ".set-card, #more")
        common = before.keys() & after.keys()
        if (len(before) > ROOM) == (len(after) > ROOM):
            assert {name: before[name] for name in common} == {name: after[name] for name in common}
        before, events = after, events + 1

    random, identity = Random(4), iter(range(999))
    while len(before) < 22 or events < 24:
        cards = ann.ask("GET", f"/api/tables/{table}")["view"]["table"]
        threes = [sorted(three) for three in triples(cards, "set")]
        way = random.choice(["wrong", "right", "more", "more", "undo", "help"])
        if way == "help":
            ann.open_sheet()
            ann.press(ann.page.locator("[data-help=hint]"))
            ann.page.wait_for_selector("#help:not([hidden]):not([aria-busy])")
            ann.press(ann.page.locator("#help [data-close]"))
            before = ann.page.evaluate(BOXES, ".set-card, #more")
        elif way == "undo" and ann.version:
            for agree in (True, False):
                act(ben, "undo", agree=agree)
                ann.page.wait_for_selector(
                    ".notice :text('Agree')", state="attached" if agree else "detached"
                )
                check_boxes(ann.version)
        elif way == "more" and len(cards) < 21:
            for actor in (ann, ben):
                act(actor, "moves", id=f"m{next(identity)}", move="more")
        elif way in ("right", "wrong"):
            wrong = next(
                three for three in combinations(sorted(cards), 3) if list(three) not in threes
            )
            three = random.choice(threes) if way == "right" and threes else wrong
            claim = f"claim {' '.join(map(str, three))}"
            act(ben, "moves", id=f"m{next(identity)}", move=claim)
    # On every screen, the cards lie in rows of three, in the order of the page.
    boxes = list(ann.page.evaluate(BOXES, ".set-table > *").values())
    rows = [boxes[at : at + 3] for at in range(0, len(boxes), 3)]
    assert all(len({top for _, top, *_ in row}) == 1 for row in rows)
    assert all(row == sorted(row) for row in rows)
    assert sorted(rows, key=lambda row: row[0][1]) == rows
    picture(ann, f"set-{size}-later")


@pytest.mark.parametrize("size", thorough(["phone"], list(SIZES)))
def test_a_name_is_not_broken_if_a_line_has_room_for_it(
    person: Callable[..., Person], picture: Callable[[Person, str], None], size: str
) -> None:
    ann = person(**SIZES[size])
    for game, settings, seats in (("set", {"seats": 8}, 8), ("kwartet", {"players": 5}, 5)):
        ann.table(game, settings, ["me"] * seats, name="Bartholomew")
        picture(ann, f"names-{game}-{size}")
        for name in ann.page.locator(".who b").all():
            assert name.evaluate(LINES) == 1
        wide = ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert wide
    ann.table("set", {}, ["me"] * 2, name="W" * 40)
    assert ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", thorough(["wide"], list(SIZES)))
def test_a_winning_placement_wins_whatever_piece_is_chosen_after_it(
    person: Callable[..., Person], picture: Callable[[Person, str], None], size: str
) -> None:
    ann = person(**SIZES[size])
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    rules, random = QuartoRules(), Random(2)
    position = rules.start(random)
    while not any(move.hand_over is None for move in rules.moves(position)):
        move = random.choice(list(rules.moves(position)))
        sent = {"version": ann.version, "id": rules.write(move), "move": rules.write(move)}
        sent["seat"] = position.turn
        ann.ask("POST", f"/api/tables/{table}/moves", sent)
        ann.sees(ann.ask("GET", f"/api/tables/{table}")["version"])
        position = rules.after(position, position.turn, move)
    won = next(move for move in rules.moves(position) if move.hand_over is None)
    ann.press(ann.page.locator(f"#place-{cell_name(won.cell or 0)}"))
    picture(ann, f"quarto-{size}-winning")
    ann.press(ann.page.locator(".tray [data-move]").first)
    ann.page.wait_for_selector("h1:text('win')")
    assert ann.ask("GET", f"/api/tables/{table}")["outcome"]["points"][position.turn] == 1
    assert ann.page.locator("#faults").inner_text() == ""
    picture(ann, f"quarto-{size}-won")


@only_thorough
def test_a_move_is_shown_at_once(
    person: Callable[..., Person], record_property: Callable[[str, object], None]
) -> None:
    """The time of a click is reported by `-rP`: about 40 ms on a quiet machine."""
    ann = person()
    ann.table("quaternity", {"set_size": 4, "sets": 13, "players": 4}, ["me"] * 4, name="Ann")
    times = []
    for version in range(20):
        if not ann.page.locator("[data-answer]").count():
            ann.page.locator("[data-card][data-act]").first.click()
        times.append(ann.page.evaluate(CLICKED, ".thumb :is([data-ask], [data-answer])"))
        ann.sees(version + 1)
    times.sort()
    record_property("milliseconds from a click until the move is shown", times)
    sys.stderr.write(f"a move is shown after {times[len(times) // 2]:.0f} ms (median)\n")


KEY = """(one) => one?.id || [one?.closest('table')?.id, one?.closest('tr')?.dataset.player,
  one?.parentElement.cellIndex].join()"""
"""Script: a function that returns a key of a card or of a cell in the player's notes."""

CARDS = f"""() => Object.fromEntries(Array.from(
  document.querySelectorAll('button:is(.tile, .cell)'), (one) => [({KEY})(one), one.outerHTML]))"""

TOUCHED = f"""() => {{
  globalThis.touched = [];
  new MutationObserver((changes) => {{
    const nodes = changes.map(({{ target }}) => (target.closest ? target : target.parentElement));
    touched.push(...nodes.map((node) => ({KEY})(node.closest('button'))));
  }}).observe(document.getElementById('part'),
    {{ subtree: true, childList: true, characterData: true, attributes: true }});
}}"""
"""Script: notes the buttons in which the page changes something."""


@pytest.mark.parametrize("game", ["quaternity", "kwartet"])
def test_a_move_touches_only_the_cards_that_it_changes(
    game: str, person: Callable[..., Person]
) -> None:
    """Phones are too slow to compare or to draw all cards after each move."""
    ann, ben = person(), person()
    table, (link,) = ann.table(game, LARGE[game], ["me", "open", "me", "me"], name="Ann")
    ben.join(link, "Ben")
    ben.page.wait_for_selector("body.ready")
    ben.page.evaluate(TOUCHED)
    before = ben.page.evaluate(CARDS)
    moves = ann.ask("GET", f"/api/tables/{table}?seat=0")["moves"]
    move = next(text for text in moves if " asks 2 " in text)
    ann.ask(
        "POST", f"/api/tables/{table}/moves", {"version": 0, "id": "1", "move": move, "seat": 0}
    )
    ben.sees(1)
    after, touched = ben.page.evaluate(CARDS), {*ben.page.evaluate("touched")}
    same = {name for name, text in before.items() if after.get(name) == text}
    assert len(same) > 40
    assert touched
    assert touched & same == set()


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
    ann.page.get_by_role("button", name="Again with everybody").click()
    ann.page.wait_for_url(lambda url: table not in url)
    ann.page.wait_for_selector("#part")
    ann.page.goto("/")
    assert ann.page.locator(".tables li").count() >= 2
    picture(ann, "home-tables")


NOTE = """([seat, sign]) => document.querySelector(
  `[data-marks="${seat}"] #marks0 [data-player="2"] .cell`)?.textContent === sign"""
"""Script: whether the notes of a seat show a sign for the first card of the third player."""


def test_players_who_share_a_browser_have_separate_notes(person: Callable[..., Person]) -> None:
    ann = person()
    table, _ = ann.table("kwartet", {"players": 3, "sets": 4}, ["me"] * 3, name="Ann", seed=1)
    for seat, mark in enumerate(["yes", "no"]):
        ann.ask("POST", f"/api/tables/{table}/marks",
                {"player": 2, "card": "0/0", "mark": mark, "seat": seat})  # fmt: skip
    ann.page.goto(f"/t/{table}")
    ann.page.wait_for_function(NOTE, arg=[0, "✓"])
    for number, move in enumerate(ann.ask("GET", f"/api/tables/{table}?seat=0")["moves"]):
        state = ann.ask("GET", f"/api/tables/{table}?seat=0")
        if state["to_act"] == [0] and " asks 1 " in move and move in state["moves"]:
            made = {"version": state["version"], "id": str(number), "move": move, "seat": 0}
            ann.ask("POST", f"/api/tables/{table}/moves", made)
    ann.page.wait_for_function(NOTE, arg=[1, "✗"])


def test_the_results_of_a_series_fit_beside_the_board(person: Callable[..., Person]) -> None:
    ann = person(viewport={"width": 1280, "height": 800}, locale="nl")
    settings = {"set_size": 2, "sets": 3, "players": 3}
    table, _ = ann.table("quaternity", settings, ["me"] * 3, name="Annemarie Wilhelmina")
    play_to_end([ann], table, Random(2))
    again = ann.ask("POST", f"/api/tables/{table}/again", {})
    ann.page.goto(f"/t/{again['table']}")
    side = ann.page.locator("#side:has(.evening)")
    assert side.evaluate("one => one.scrollWidth <= one.clientWidth")


@pytest.mark.parametrize("game", ["quaternity", "kwartet"])
def test_a_chosen_card_offers_help_if_it_is_allowed(
    game: str, person: Callable[..., Person]
) -> None:
    ann = person(reduced_motion="reduce", viewport={"width": 320, "height": 640})
    words = ["Who can have it?", "Why?", "Best questions"]
    for allowed in (True, False):
        ann.table(game, SMALL[game], ["me"] * 3, name="Ann", help=allowed)
        ann.page.locator(".tile[data-act]").first.click()
        ann.page.wait_for_selector("#ask [data-ask]")
        buttons = ann.page.locator("#ask button.small")
        assert buttons.all_inner_texts() == (words if allowed else [])
        for word in words[1:] if allowed else ():
            ann.page.locator("#ask").get_by_role("button", name=word).click()
            ann.page.wait_for_selector(f"#help:not([hidden]):not([aria-busy]) >> text={word}")
            assert len(ann.page.locator("#help").inner_text()) > 40
            assert ann.axe() == []
        assert ann.page.evaluate("document.documentElement.scrollWidth") == 320


@only_thorough
@pytest.mark.parametrize("game", SEATS)
def test_help_is_shown_if_it_is_allowed(
    game: str, person: Callable[..., Person], picture: Callable[[Person, str], None]
) -> None:
    ann = person(reduced_motion="reduce")
    seats = ["me", *["random" if game in ("quaternity", "kwartet") else "me"] * 2]
    ann.table(game, SMALL[game], seats[: 2 if game == "quarto" else 3], name="Ann", help=True)
    buttons = ann.page.locator("button[data-help]")
    assert buttons.count() > 0
    for number in range(buttons.count()):
        buttons.nth(number).click()
        ann.page.wait_for_selector("#help:not([aria-busy])", state="attached")
        texts = ann.page.locator("#help, #faults").all_inner_texts()
        assert max(map(len, texts)) > 20, texts
        assert "The server answered with" not in "".join(texts)
        assert ann.axe() == []
        picture(ann, f"help-{game}-{number}")
    ann.table(game, SMALL[game], seats[: 2 if game == "quarto" else 3], name="Ann", help=False)
    assert buttons.count() == 0


def test_closing_help_and_sound_keeps_the_focus(person: Callable[..., Person]) -> None:
    ann = person(viewport={"width": 1280, "height": 800})
    ann.table("kwartet", SMALL["kwartet"], ["me", "random", "random"], name="Ann", help=True)
    opener = ann.page.locator("button[data-help]").first
    for key in ("Escape", "Enter"):
        opener.focus()
        opener.press("Enter")
        ann.page.wait_for_selector("#help:not([hidden]):not([aria-busy])")
        ann.page.locator("#help [data-close]").press(key)
        assert ann.page.locator("#help").is_hidden()
        assert opener.evaluate("one => one === document.activeElement")
    ann.page.locator("[data-sound=off]").press("Enter")
    assert ann.page.evaluate("document.activeElement.id") == "headline"


CLICKED = """what => new Promise((done, fail) => {
  setTimeout(() => fail(Error(document.getElementById('news').textContent)), 30000);
  const part = document.getElementById('part');
  const begun = performance.now(), version = part.dataset.version;
  new MutationObserver((_, seen) => {
    if (part.dataset.version === version) return;
    seen.disconnect();
    requestAnimationFrame(() => done(performance.now() - begun));
  }).observe(part, { attributes: true, childList: true, subtree: true });
  document.querySelector(what).click();
})"""

SHOWN = "version => Number(document.getElementById('part').dataset.version) === version"

PAGES = ["/", "/learn", "/analyse", "/guide", *(f"/new?game={game}" for game in SEATS)]


@only_thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    scheme: str, person: Callable[..., Person], picture: Callable[[Person, str], None]
) -> None:
    ann = person(color_scheme=scheme, reduced_motion="reduce")
    bo = person(**PHONE, color_scheme=scheme, reduced_motion="reduce")
    faults: list[str] = []
    for game in SEATS:
        _table, invitations = ann.table(game, SMALL[game], SEATS[game], name="Ann", help=True)
        faults += ann.axe()
        picture(ann, f"{game}-{scheme}-invite")
        bo.join(invitations[0], "Bo")
        for number in range(4):
            for player in (ann, bo):
                version = player.version
                if player.move(Random(number)):
                    player.sees(version + 1)
        faults += ann.axe() + bo.axe()
        picture(ann, f"{game}-{scheme}-axe")
    for path in PAGES:
        answer = ann.page.goto(path)
        assert answer is not None
        assert answer.ok, path
        faults += ann.axe()
        picture(ann, f"{scheme}-{path.rpartition('=')[2].strip('/') or 'home'}")
    assert faults == []


@only_thorough
def test_no_page_is_heavy(person: Callable[..., Person]) -> None:
    ann = person()
    for game, seats in SEATS.items():
        table, _ = ann.table(
            game, LARGE[game], [*seats, *MORE.get(game, [])], name="Ann", help=True
        )
        for path in (f"/t/{table}", f"/new?game={game}"):
            assert 10_000 < weight(ann, path) < MAX_PAGE_BYTES, path
    assert 10_000 < weight(person(), "/") < MAX_PAGE_BYTES


@only_thorough
@pytest.mark.parametrize("width", [360, 640, 3840])
def test_every_page_fits_its_window(width: int, person: Callable[..., Person]) -> None:
    ann = person(viewport={"width": width, "height": 900})
    paths = list(PAGES)
    for game, seats in SEATS.items():
        table, invitations = ann.table(game, LARGE[game], [*seats, *MORE.get(game, [])], name="Ann")
        paths += [f"/t/{table}", invitations[0]]
    for path in paths:
        ann.page.goto(path)
        assert ann.page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_a_phone_solves_the_first_puzzle_of_the_day(person: Callable[..., Person]) -> None:
    ann = person(**PHONE)
    ann.page.goto("/puzzles")
    assert ann.axe() == []
    ann.press(ann.page.locator(".five a").first)
    ann.page.wait_for_selector("#puzzle")
    kind, number, seed = ann.page.locator("#puzzle").get_attribute("data-puzzle").split("/")  # type: ignore[union-attr]
    puzzle = make(kind, int(seed), int(number))
    wide = ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert wide
    ann.press(ann.page.locator("a:text('Hint')"))
    ann.page.wait_for_selector(".step")
    names = dict(zip(LETTERS, puzzle.position.split(), strict=False))
    for claims, three in enumerate(puzzle.answers[0].split(), 1):
        for letter in three:
            ann.press(ann.page.locator(f"#choose{names[letter]}"))
        ann.page.wait_for_selector(
            f"[data-found^='{three}'], [data-found*=' {three}'], [data-judged]"
        )
        assert len(ann.page.locator("#puzzle").get_attribute("data-found").split()) == claims  # type: ignore[union-attr]
    ann.page.wait_for_selector("[data-judged=right]")
    assert ann.axe() == []
    ann.press(ann.page.locator("a.home"))
    ann.page.wait_for_selector(f"[data-of-day={kind}] .mark-of:text('💡')")
    # A puzzle of another level with the seed of the day does not count.
    other = next(name for name, level in DAILY if level > 1)
    ann.page.goto(f"/puzzles/{VERSION}/{other}/1/{seed}?answer=no")
    assert ann.page.locator("[data-judged]").count() == 1
    ann.page.goto("/puzzles")
    assert ann.page.locator(f"[data-of-day={other}] .mark-of").inner_text() == ""


@pytest.mark.parametrize(
    ("kind", "keys"),
    # By default, every kind is solved in one of the two ways.
    [*zip(KINDS, cycle([False, True])), *thorough([], [*zip(KINDS, cycle([True, False]))])],
)
def test_every_kind_of_puzzle_is_solved_by_taps_or_keys(
    kind: str, keys: bool, person: Callable[..., Person]
) -> None:
    ann = person(keys=keys) if keys else person(**PHONE)
    puzzle = make(kind, 5, 1)
    ann.page.goto(f"/puzzles/{VERSION}/{kind}/1/5")
    assert keys or ann.axe() == []
    answer = puzzle.answers[0]
    if puzzle.answer_form == "yes-no":
        ann.press(ann.page.locator(f"button[value={answer}]"))
    elif puzzle.answer_form == "cards":
        names = dict(zip(LETTERS, puzzle.position.split(), strict=False))
        for number, three in enumerate(answer.split(), 1):
            for letter in three:
                ann.press(ann.page.locator(f"#choose{names[letter]}"))
            ann.page.wait_for_function(
                "n => document.getElementById('puzzle').dataset.found.split(' ').length === n",
                arg=number,
            )
    elif puzzle.game == "quarto":
        if cell := re.search(r"H\dV\d", answer):
            ann.press(ann.page.locator(f"#place-{cell[0]}"))
        piece = re.search(r"hand over (\w)", answer)
        ann.press(ann.page.locator(f"#give-{piece[1] if piece else 'nothing'}"))
    else:
        card = re.search(r"\d/\d", answer)
        assert card
        ann.press(ann.page.locator(f'[data-card="{card[0]}"]'))
        ann.press(ann.page.locator(f'#ask [data-move="{answer}"]'))
    ann.page.wait_for_selector("[data-judged=right]")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_wrong_answer_is_refuted_by_the_questions_that_follow(
    motion: Any, person: Callable[..., Person]
) -> None:
    """The bubbles come before the verdict. With reduced motion, the verdict comes at once."""
    ann = person(**PHONE, reduced_motion=motion)
    puzzle = make("force", 5, 1)
    answer, card = next((x, x.split()[-1]) for x in puzzle.wrong)
    ann.page.goto(f"/puzzles/{VERSION}/force/1/5")
    ann.page.evaluate(RECORD_BUBBLES)
    ann.press(ann.page.locator(f'[data-card="{card}"]'))
    ann.press(ann.page.locator(f'#ask [data-move="{answer}"]'))
    ann.page.wait_for_selector("[data-judged=wrong]")
    bubbles = len(message_data(puzzle.wrong[answer])["line"]) * 2
    animated, judged = ann.page.evaluate("[bubbles.animated, bubbles.judged]")
    assert (animated, judged) == ((bubbles, 0) if motion == "no-preference" else (0, bubbles))
    ann.press(ann.page.locator("[data-puzzle-link]").last)
    ann.page.wait_for_selector('[data-steps="1"]')
    assert ann.axe() == []


def test_enter_leads_through_a_whole_proof(person: Callable[..., Person]) -> None:
    """The link that shows the next step keeps the focus when a link appears before it."""
    ann = person(keys=True)
    puzzle = make("trace", 5, 1)
    ann.page.goto(f"/puzzles/{VERSION}/trace/1/5")
    onward = ann.page.locator("#step-on")
    ann.walk_to(onward)
    for step in range(1, len(puzzle.why)):
        ann.page.keyboard.press("Enter")
        ann.page.wait_for_selector(f'[data-steps="{step}"]')
        assert onward.evaluate(FOCUSED)


def test_the_focus_is_visible_on_the_card_asked_last(person: Callable[..., Person]) -> None:
    """Its dotted border does not replace the border of the focus."""
    ann = person(keys=True)
    ann.page.goto(f"/puzzles/{VERSION}/trace/1/5")
    asked = ann.page.locator(".tile.asked").first
    assert asked.evaluate(OUTLINE) == "dotted"
    ann.walk_among(asked)
    assert asked.evaluate(OUTLINE) == "solid"


OUTLINE = "one => getComputedStyle(one).outlineStyle"


RECORD_BUBBLES = """(() => {
  globalThis.bubbles = { animated: 0, judged: 0 };
  new MutationObserver((records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (!node.matches?.(".bubble")) continue;
      bubbles.animated += node.getAnimations().length;
      bubbles.judged += document.querySelectorAll("[data-judged]").length;
    }
  }).observe(document.body, { childList: true });
})()"""
"""Script: count animated bubbles, and those that came after the verdict."""


SENT = """count => performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('/moves')).length >= count"""
"""Script: whether the page has sent this number of moves, and each of them was answered or lost."""


@pytest.mark.parametrize(
    "meanwhile", [pytest.param("nothing", marks=only_thorough), "another move", "a reload"]
)
def test_a_move_that_is_lost_is_sent_again_until_it_is_answered(
    meanwhile: str, person: Callable[..., Person]
) -> None:
    ann, lost, held = person(), list[Any](), list[Any]()

    def lose(route: Any) -> None:
        lost.append(route.request.post_data_json)
        if len(lost) == 12:  # longer than a server is away unnoticed
            held.append(route)  # no other message appears meanwhile
        else:
            route.abort()

    ann.page.add_init_script(FAST)
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    ann.context.route("**/moves", lose)
    ann.press(ann.page.locator("#give-A"))
    ann.page.wait_for_function(SENT, arg=11)
    while not held:  # the page sends the next request at once
        ann.page.evaluate("0")
    # Read the message at once, because time in this page runs fast.
    tap = "give => (give.click(), document.getElementById('faults').textContent)"
    assert "is sent again" in ann.page.locator("#give-B").evaluate(tap)
    # Record the messages, because they are shown for a short time.
    ann.page.evaluate("""() => {
      globalThis.shown = [];
      const record = new MutationObserver(() => shown.push(faults.textContent));
      record.observe(faults, { childList: true });
    }""")
    held[0].abort()
    if meanwhile == "another move":
        sent = {"version": 0, "id": "other", "move": "C", "seat": 0}
        ann.ask("POST", f"/api/tables/{table}/moves", sent)
    elif meanwhile == "a reload":
        ann.page.reload()
    ann.context.unroute("**/moves", lose)
    ann.sees(1)
    if meanwhile == "another move":
        ann.page.wait_for_function("() => shown.some((text) => text.startsWith('Not played: '))")
    assert [request["move"] for request in lost] == ["A"] * len(lost)
    assert len({request["id"] for request in lost}) == 1
    state = ann.ask("GET", f"/api/tables/{table}")
    handed = {"nothing": "A", "another move": "C", "a reload": "A"}[meanwhile]
    assert (state["version"], state["view"]["in_hand"]) == (1, handed)
    ann.page.wait_for_function(f"() => sessionStorage['quaternity-move-{table}'] === 'null'")


@pytest.mark.parametrize("width", thorough([320], [320, 390, 1280]))
def test_the_chart_of_a_review_is_whole(width: int, person: Callable[..., Person]) -> None:
    ann = person(viewport={"width": width, "height": 658})
    text = played_game(TWO, 0).record()
    made = ann.ask("POST", "/api/records", text)
    ann.page.goto(f"/t/{made['table']}/review")
    chart = ann.page.locator(".curve svg")
    cut = """node => {
      const { left, right, top, bottom } = node.getBoundingClientRect(), cut = [];
      for (let up = node.parentElement; up; up = up.parentElement) {
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = up;
        if (scrollWidth > clientWidth || scrollHeight > clientHeight + 1) cut.push(up.tagName);
      }
      for (const one of node.querySelectorAll('text')) {
        const box = one.getBoundingClientRect();
        if (box.left < left || box.right > right || box.bottom > bottom) cut.push(one.textContent);
      }
      return cut;
    }"""
    assert [name for name in chart.evaluate(cut) if name != "HTML"] == []
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= width
    assert ann.axe() == []
    ann.page.mouse.wheel(0, 200)
    ann.page.wait_for_function("() => scrollY > 0")


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


def test_labels_say_what_is_shown_and_every_row_has_a_name(person: Callable[..., Person]) -> None:
    ann = person(**PHONE)
    table, _ = ann.table("quaternity", {"set_size": 4, "sets": 3}, ["me"] * 3, name="Ann")
    moves = ((0, "1 0 0"), (1, "yes"))
    for version, (seat, move) in enumerate(moves):
        sent = {"version": version, "id": move, "move": move, "seat": seat}
        ann.ask("POST", f"/api/tables/{table}/moves", sent)
    ann.sees(len(moves))
    assert ann.page.locator(".tile.sure").count() > 0
    faults = ann.axe()
    ann.open_sheet()
    ann.press(ann.page.locator("button[data-view]"))
    assert [*faults, *ann.axe()] == []
    ann.page.goto(f"/puzzles/{VERSION}/possible/1/7")
    assert ann.axe() == []


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
