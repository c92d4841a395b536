"""Pages of a table when moves and answers are late, lost, doubled, or made elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from quaternity.quarto.rows import cell_name
from quaternity.quarto.rules import QuartoRules
from tests.sizes import only_thorough, thorough
from tests.web.browser.people import FAST, Person
from tests.web.browser.tables import LARGE, SHOWN, SIZES


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
    held = list[Any]()
    ann.context.route("**/moves", lambda route: held.append(route))
    target = ann.page.locator(".tray [data-move], #more").first
    point = target.bounding_box()
    assert point is not None
    for _ in range(2):
        ann.page.touchscreen.tap(point["x"] + 9, point["y"] + 9)
    ann.wait_until(lambda: held)
    ann.page.evaluate("() => fetch('/healthz')")  # earlier requests are held
    for route in held:
        route.continue_()
    ann.context.unroute("**/moves")
    ann.sees(1)
    ann.page.evaluate("() => fetch('/healthz')")  # earlier requests have been answered
    assert ann.version == 1
    assert "Not played" not in ann.page.locator("#faults").inner_text()


def test_a_move_that_a_busy_server_did_not_show_is_shown_later(
    person: Callable[..., Person],
) -> None:
    ann = person()
    ann.page.add_init_script(FAST)
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    refused: list[Any] = []

    def refuse_twice(route: Any) -> None:
        if len(refused) == 2:
            route.continue_()
            return
        refused.append(route)
        if len(refused) == 1:
            route.abort()

    ann.page.route("**/part*", refuse_twice)
    ann.ask("POST", f"/api/tables/{table}/moves", {"version": 0, "id": "1", "move": "A"})
    ann.wait_until(lambda: len(refused) == 2)
    assert ann.page.locator("body.lost").count()
    refused[1].fulfill(status=503, body="busy")
    ann.sees(1)
    ann.page.wait_for_selector("body:not(.lost)")
    assert ann.page.locator("#live :text('No connection')").count() == 1
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


@pytest.mark.parametrize("game", thorough(["kwartet"], ["quaternity", "kwartet"]))
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
    ann.wait_until(lambda: held)  # the page sends the next request at once
    # Read the message at once, because time in this page runs fast.
    tap = "give => (give.click(), document.getElementById('faults').textContent)"
    assert "sending it again" in ann.page.locator("#give-B").evaluate(tap)
    assert ann.page.locator("body.lost").count()
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
    ann.page.wait_for_selector("body:not(.lost)")
    if meanwhile == "another move":
        ann.page.wait_for_function("() => shown.some((text) => text.startsWith('Not played: '))")
    assert [request["move"] for request in lost] == ["A"] * len(lost)
    assert len({request["id"] for request in lost}) == 1
    state = ann.ask("GET", f"/api/tables/{table}")
    handed = {"nothing": "A", "another move": "C", "a reload": "A"}[meanwhile]
    assert (state["version"], state["view"]["in_hand"]) == (1, handed)
    ann.page.wait_for_function(f"() => sessionStorage['quaternity-move-{table}'] === 'null'")


def test_a_device_whose_seat_moved_to_another_says_that_it_only_watches(
    person: Callable[..., Person],
) -> None:
    ann, phone = person(), person()
    table, _ = ann.table("quarto", {}, ["me", "random"], name="Ann", seed=3)
    ann.page.wait_for_selector("body.ready")
    assert ann.page.locator("#faults").inner_text() == ""
    link = ann.ask("POST", f"/api/tables/{table}/elsewhere", {})["link"]
    phone.ask("POST", "/api/seats/move", {"link": link.rpartition("/")[2]})
    notice = ann.page.locator("#faults:text('you can only watch here')")
    notice.wait_for()
    # The messages of refusals begin with a small letter.
    style = "one => getComputedStyle(one, '::first-letter').textTransform"
    assert notice.evaluate(style) == "uppercase"
