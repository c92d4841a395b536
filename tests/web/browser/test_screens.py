"""One screen at every moment of every game: everything necessary is visible, and nothing jumps."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.table.games import registration
from quaternity.ternary import triples
from quaternity.web.languages import catalogue
from tests.review.test_other_games import match, record
from tests.sizes import only_thorough, thorough
from tests.web.browser.people import FAST
from tests.web.browser.screens import SCREENS, Onlooker
from tests.web.server import BUSY, Server

GAMES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "quaternity": (
        {"set_size": 4, "sets": 13, "players": 4}, ["me", "informed", "random", "random"]
    ),
    "kwartet": ({"players": 4, "sets": 13}, ["me", "greedy", "random", "random"]),
    "quarto": ({}, ["me", "random"]),
    "set": ({"seats": 2}, ["me", "me"]),
}  # fmt: skip
"""The largest settings of the games."""

EIGHT: dict[str, tuple[dict[str, Any], list[str]]] = {
    "quaternity": ({"set_size": 6, "sets": 8, "players": 8}, ["me", *["random"] * 7]),
    "kwartet": ({"players": 8, "sets": 13}, ["me", *["random"] * 7]),
    "set": ({"seats": 8}, ["me"] * 8),
}

MOVES = thorough(5, 40)
"""Number of moves of the person that are inspected."""

BOXES = """async () => {
  await new Promise(requestAnimationFrame); // the page has measured the cards
  const all = document.querySelectorAll('.thumb [data-act], .thumb p, .seats li, .board .tile');
  return Object.fromEntries(Array.from(all, (one, at) => {
    const box = one.getBoundingClientRect();
    return [one.id || `${at} ${one.textContent}`, [box.x, box.y, box.width, box.height].join()];
  }));
}"""

PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True}


def faults_of(
    person: Callable[..., Any],
    game: str,
    settings: dict[str, Any],
    seats: list[str],
    max_moves: int = MOVES,
    screens: Sequence[tuple[int, int]] = SCREENS,
    **options: Any,
) -> list[str]:
    """Play a game by one page, viewed by the same seat on all screens; return the faults."""
    pictures = os.environ.get("QUATERNITY_SCREENSHOTS")
    ann = person(Onlooker, screen=screens[0], **options)
    table, _ = ann.table(game, settings, seats, name="Ann", help=True, seed=5)
    viewers = [ann]
    for screen in screens[1:]:
        viewers.append(person(Onlooker, screen=screen, same_as=ann, **options))
        viewers[-1].page.goto(f"/t/{table}")
    random, moves = Random(3), 0
    for moves in range(max_moves):
        version = ann.ask("GET", f"/api/tables/{table}")["version"]
        for viewer in viewers:
            viewer.sees(version)
        for viewer in viewers if pictures and moves in (0, 6) else []:
            name = f"{game}-{len(seats)}-{viewer.screen[0]}-{moves}.png"
            viewer.page.screenshot(path=Path(str(pictures)) / name)
        if not ann.move(random):
            if ann.ask("GET", f"/api/tables/{table}")["outcome"] is not None:
                break
            ann.sees(version + 1)
    assert moves > 3
    return sorted({fault for viewer in viewers for fault in viewer.faults_seen()})


@pytest.mark.parametrize("game", GAMES)
def test_everything_necessary_is_visible_without_scrolling_and_does_not_move(
    game: str, person: Callable[..., Any]
) -> None:
    # By default each game has one of two screens, so that each layout is tested.
    screens = thorough([SCREENS[list(GAMES).index(game) % 2]], SCREENS)
    assert faults_of(person, game, *GAMES[game], screens=screens) == []


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        pytest.param("quaternity", {"set_size": 4, "sets": 3, "players": 3}, marks=only_thorough),
        ("kwartet", {"sets": 6, "players": 3, "aside": 3}),
    ],
)
def test_few_cards_are_whole_on_every_screen(
    game: str, settings: dict[str, Any], person: Callable[..., Any]
) -> None:
    screens = thorough(SCREENS[:1], SCREENS)
    assert faults_of(person, game, settings, ["me"] * 3, screens=screens) == []


@only_thorough
@pytest.mark.parametrize("game", EIGHT)
def test_eight_seats_share_a_screen(game: str, person: Callable[..., Any]) -> None:
    assert faults_of(person, game, *EIGHT[game], max_moves=MOVES // 2) == []


@only_thorough
@pytest.mark.parametrize("game", GAMES)
def test_texts_half_as_long_again_have_room(
    game: str, person: Callable[..., Any], tmp_path: Path
) -> None:
    """Other languages are longer than English."""
    with Server(tmp_path / "data", *BUSY, program="tests.web.long_texts") as server:
        options: dict[str, Any] = {"max_moves": 8, "locale": "nl-NL", "host": server.host}
        assert faults_of(person, game, *GAMES[game], **options) == []


def test_a_card_that_nobody_can_be_asked_for_says_why(person: Callable[..., Any]) -> None:
    ann = person()
    ann.table("kwartet", {"players": 3, "sets": 13}, ["me"] * 3, name="Ann", seed=5)
    ann.press(ann.page.locator("[data-card][aria-disabled=true]").first)
    assert "you have no card of this set" in ann.page.locator("#ask").inner_text()
    ann.press(ann.page.locator("[data-card][data-act]").first)
    assert ann.page.locator("[data-ask]").count() == 2


CUT = """all => all.flatMap((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  const text = range.getBoundingClientRect();
  const window = { left: 0, right: innerWidth, bottom: Infinity };
  let cut = one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).webkitLineClamp > 0;
  for (let up = one; up; up = up.parentElement) {
    const clips = getComputedStyle(up).overflowX !== 'visible';
    const { left, right, bottom } = clips ? up.getBoundingClientRect() : window;
    cut ||= text.left < left - 0.5 || text.right > right + 0.5;
    cut ||= getComputedStyle(up).overflowY === 'hidden' && text.top > bottom - 2;
  }
  return cut ? [one.textContent] : [];
})"""
"""Script: the texts that elements cut at a side or after their last line, or do not show."""


@pytest.mark.parametrize("width", thorough([320], [320, 360, 390]))
@pytest.mark.parametrize("language", thorough(["de"], ["en", "nl", "de"]))
def test_a_card_of_a_hand_shows_its_whole_name_or_its_picture_alone(
    language: str, width: int, person: Callable[..., Any]
) -> None:
    ann = person(viewport={"width": width, "height": 2 * width}, locale=language)
    shown, missing = 0, 0
    for sets, players in ((13, 4), (8, 4), (6, 3)):
        settings = {"players": players, "sets": sets}
        ann.table("kwartet", settings, ["me"] * players, name="Ann", seed=5)
        names = ann.page.locator(".ready :is(.own, .ghost) > .name")
        names.first.wait_for(state="attached")
        assert names.evaluate_all(f"all => ({CUT})(all.filter((one) => one.clientHeight))") == []
        sizes = """all => all.map((one) =>
          [one.clientHeight, parseFloat(getComputedStyle(one).fontSize)])"""
        for height, size in names.evaluate_all(sizes):
            assert size >= 11
            shown, missing = shown + (height > 0), missing + (height == 0)
        titled = "all => all.every((one) => one.parentElement.title === one.textContent)"
        assert names.evaluate_all(titled)
    assert shown
    assert missing


def test_the_names_of_sets_are_whole_on_a_small_phone(person: Callable[..., Any]) -> None:
    viewport = {"width": 360, "height": 640}
    ann = person(viewport=viewport, locale="de")
    ann.table("quaternity", {"players": 4, "sets": 16}, ["me"] * 4, name="Ann", seed=5)
    ann.page.locator(".ready .group h2").first.wait_for()
    heads = ann.page.locator(".group h2 > span:first-child")
    assert heads.count() == 16
    assert heads.evaluate_all(CUT) == []


@pytest.mark.parametrize("language", thorough(["de"], ["en", "nl", "de"]))
def test_a_long_event_is_whole_on_a_phone(language: str, person: Callable[..., Any]) -> None:
    ann = person(viewport={"width": 390, "height": 844}, locale=language)
    text = record(match("kwartet", 0)).replace("random,exact,random", "Annemarie,Bartholomew,Zoë")
    made = ann.ask("POST", "/api/records", text)
    ann.page.goto(f"/t/{made['table']}/at/16")
    assert len(ann.page.locator(".ready .event p").inner_text()) > 60
    assert ann.page.locator(".event p").evaluate_all(CUT) == []


@pytest.mark.parametrize("width", thorough([320], [320, 390]))
def test_the_reason_to_wait_for_more_cards_is_whole_on_a_phone(
    width: int, person: Callable[..., Any]
) -> None:
    ann = person(viewport={"width": width, "height": 2 * width}, locale="de")
    ann.table("set", {"seats": 2}, ["me", "me"], name="Hildegard und Maximilian")
    ann.press(ann.page.locator("#more"))
    reason = ann.page.locator("#no-more:has-text('warte auf')")
    below = """one => one.getBoundingClientRect().bottom
      - one.closest('.thumb').getBoundingClientRect().bottom"""
    assert reason.evaluate(below) <= 0


def test_the_story_is_requested_again_after_a_failure(person: Callable[..., Any]) -> None:
    ann = person()
    made = ann.ask("POST", "/api/records", record(match("kwartet", 0)))
    kinds: list[dict[str, Any]] = [
        {},
        {"status": 429},
        {"status": 200, "body": "<h2>The story</h2>"},
    ]
    answers = iter(kinds)

    def answer(route: Any) -> None:
        kind = next(answers)
        route.fulfill(**kind) if kind else route.abort()

    ann.page.add_init_script(FAST)
    ann.page.route("**/story", answer)
    ann.page.goto(f"/t/{made['table']}")
    ann.page.locator("#story[data-loaded] > h2").wait_for()


@pytest.mark.parametrize("width", thorough([390], [320, 360, 390]))
def test_the_headline_is_whole_beside_the_offer_of_sound(
    width: int, person: Callable[..., Any]
) -> None:
    ann, ben = person(), person(viewport={"width": width, "height": 2 * width}, locale="nl")
    table, (link,) = ann.table("quarto", {}, ["me", "open"], name="Mama")
    invitation = link.rpartition("/")[2]
    ben.ask("POST", "/api/seats", {"invitation": invitation, "name": "Ben", "ready": True})
    ben.page.goto(f"/t/{table}")
    ben.page.locator(".ready #sound-offer:not([hidden])").wait_for()
    assert ben.page.locator("h1").inner_text() == "Mama is aan de beurt"
    assert ben.page.locator("h1").evaluate_all(CUT) == []


@pytest.mark.parametrize("width", [320, 360, 390])
def test_the_texts_of_a_puzzle_are_whole_on_a_small_phone(
    width: int, person: Callable[..., Any]
) -> None:
    """A puzzle may have a long title, long names of sets, and several least numbers of a set."""
    ann = person(viewport={"width": width, "height": 2 * width}, locale="de")
    texts = "h1, h1 small, .event p, .group h2 > :first-child, .leasts > span, .question"
    for puzzle in ("force/2/3", "possible/2/1", "possible/3/2", "owner/3/3", "owner/4/20260103"):
        ann.page.goto(f"/puzzles/1/{puzzle}")
        ann.page.locator(".fitted .tile").first.wait_for()
        if ann.page.locator("#ask").count():
            ann.press(ann.page.locator("[data-card][data-act]").first)
        assert ann.page.locator(".leasts > span").count()
        assert ann.page.locator(texts).evaluate_all(CUT) == [], puzzle


@pytest.mark.parametrize(
    ("language", "size"),
    thorough([("de", (320, 640))], [*product(("en", "nl", "de"), ((320, 640), (360, 740)))]),
)
def test_verdicts_and_steps_of_a_puzzle_need_no_scrolling(
    language: str, size: tuple[int, int], person: Callable[..., Any]
) -> None:
    ann = person(viewport={"width": size[0], "height": size[1]}, locale=language)
    move = "place it on H2V4, hand over C"
    for puzzle, query in (
        ("possible/2/20261201", "answer=yes"), ("possible/2/20261201", "answered=yes&steps=3"),
        ("possible/2/20261201", "steps=3"), ("quarto/2/20261128", f"answer={move}"),
        ("quarto/5/2", "answer=hand over C"), ("owner/3/20261128", "answered=0/0 0&steps=2"),
    ):  # fmt: skip
        ann.page.goto(f"/puzzles/1/{puzzle}?{query}")
        assert ann.page.locator("#verdict p").count()
        high = "thumb => [thumb.scrollHeight - thumb.clientHeight, thumb.clientHeight]"
        hidden, height = ann.page.locator(".thumb").evaluate(high)
        assert hidden == 0
        assert height < 0.4 * size[1]


@pytest.mark.parametrize(("players", "sets"), [(4, 13), (8, 8)])
def test_the_marks_of_all_players_are_whole_on_a_small_phone(
    players: int, sets: int, person: Callable[..., Any]
) -> None:
    ann = person(viewport={"width": 360, "height": 640})
    settings = {"players": players, "sets": sets}
    ann.table("quaternity", settings, ["me"] * players, name="Ann", seed=5)
    marks = ann.page.locator(".fitted .owners i")
    marks.first.wait_for()
    assert marks.count() == 4 * sets * players
    assert marks.evaluate_all(CUT) == []


def test_the_board_of_a_puzzle_stays_in_place_between_the_steps_of_its_proof(
    person: Callable[..., Any],
) -> None:
    ann = person(viewport={"width": 390, "height": 844})
    places = set()
    for query in ("", "steps=3", "answer=yes", "answered=yes&steps=6"):
        ann.page.goto(f"/puzzles/1/knows/2/5?{query}")
        ann.page.locator(".fitted .tile").first.wait_for()
        boxes = "all => JSON.stringify(all.map((tile) => tile.getBoundingClientRect()))"
        places.add(ann.page.locator(".tile").evaluate_all(boxes))
    assert len(places) == 1


@pytest.mark.parametrize("game", thorough(["kwartet"], ["kwartet", "quaternity"]))
def test_the_button_for_the_other_view_is_visible_when_the_sheet_opens(
    game: str, person: Callable[..., Any]
) -> None:
    ann = person(viewport={"width": 390, "height": 844})
    settings = {"players": 4, "sets": 13}
    ann.table(game, settings, ["me"] * 4, name="Ann", help=True, seed=5)
    ann.press(ann.page.locator(".more"))
    box = ann.page.locator("button[data-view]").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844


@pytest.mark.parametrize("language", thorough(["de"], ["en", "nl", "de"]))
def test_the_levels_of_programs_are_whole_on_a_small_phone(
    language: str, person: Callable[..., Any]
) -> None:
    ann = person(viewport={"width": 320, "height": 640}, locale=language)
    seats = ["me", *(level.player for level in registration("kwartet").levels)]
    ann.table("kwartet", {"players": 4, "sets": 13}, seats, name="Ann", seed=5)
    states = ann.page.locator(".ready .seats .state")
    states.first.wait_for(state="attached")
    assert all(states.all_inner_texts())
    assert states.evaluate_all(CUT) == []


def test_programs_with_equal_names_have_numbers(person: Callable[..., Any]) -> None:
    ann = person(viewport={"width": 320, "height": 658})
    settings = {"players": 3, "sets": 13}
    ann.table("kwartet", settings, ["me", "greedy", "greedy"], name="Ann", seed=5)
    ann.press(ann.page.locator("[data-card][data-act]").first)
    buttons = ann.page.locator("[data-ask] > span")
    assert sorted(text[-3:] for text in buttons.all_inner_texts()) == ["(2)", "(3)"]
    # A long name is cut, and never its number.
    assert not any(buttons.evaluate_all("all => all.map(n => n.scrollWidth > n.clientWidth)"))


@pytest.mark.parametrize("screen", SCREENS[: thorough(1, 3)])
def test_help_covers_the_board(screen: tuple[int, int], person: Callable[..., Any]) -> None:
    ann = person(Onlooker, screen=screen)
    settings = {"set_size": 4, "sets": 3, "players": 3}
    ann.table("quaternity", settings, ["me"] * 3, name="Ann", help=True, seed=5)
    ann.press(ann.page.locator(".helps [data-help=chances]"))
    panel = ann.page.locator("#help:not([hidden])")
    panel.wait_for()
    assert "rgba(" not in panel.evaluate("node => getComputedStyle(node).backgroundColor")
    assert panel.evaluate("""node => {
      const { x, y, width, height } = node.getBoundingClientRect();
      return node.contains(document.elementFromPoint(x + width / 2, y + height - 20));
    }""")


INSIDE = """one => {
  const [inner, outer] = [one, one.parentElement].map((node) => node.getBoundingClientRect());
  return inner.width > 0 && inner.right <= outer.right && inner.bottom <= outer.bottom + 1;
}"""
"""Script: whether an element is inside its parent."""


COVERS_BOARD = """() => {
  const [notice, board] = ['.notices', '.board']
    .map((what) => document.querySelector(what).getBoundingClientRect());
  return notice.bottom > board.top && notice.top < board.bottom;
}"""
"""Script that returns whether a proposal covers a part of the board."""


@pytest.mark.parametrize("game", thorough(["quaternity"], list(GAMES)))
def test_proposals_of_others_are_visible_and_move_nothing(
    game: str, person: Callable[..., Any]
) -> None:
    ann, ben = person(Onlooker, screen=SCREENS[0]), person()
    settings = {"quaternity": {"set_size": 4, "sets": 3, "players": 3}, "kwartet": {"players": 3}}
    seats = ["me", "open", "me"][: 3 if game in settings else 2]
    table, (link,) = ben.table(game, settings.get(game, {}), seats, name="Bo", seed=5)
    ann.join(link, "Ann")
    state = ben.ask("GET", f"/api/tables/{table}?seat=0")
    sent: dict[str, Any] = {"version": state["version"], "seat": 0}
    moves = [move for move in state["moves"] if "asks 1" in move or move.startswith("1 ")]
    moves += [*state["moves"], "more"]
    ben.ask("POST", f"/api/tables/{table}/moves", sent | {"id": "a", "move": moves[0]})
    viewers, before = [ann], {}
    for screen in SCREENS[1 : thorough(1, 9)]:
        more = person(Onlooker, screen=screen, same_as=ann)
        more.page.goto(f"/t/{table}")
        viewers.append(more)
    for viewer in viewers:
        viewer.sees(state["version"] + 1)
        before[viewer] = viewer.page.evaluate(BOXES)
        assert before[viewer]
    version = ben.ask("GET", f"/api/tables/{table}")["version"]
    ben.ask("POST", f"/api/tables/{table}/undo", sent | {"version": version, "agree": True})
    for viewer in viewers:
        viewer.page.wait_for_selector(".notice :text('Agree')")
        after = viewer.page.evaluate(BOXES)
        assert before[viewer].items() <= after.items(), viewer.screen
        if game in settings:
            assert viewer.page.evaluate(COVERS_BOARD) is False
        assert viewer.faults_seen() == []
        # A long text about a seat is shortened, and does not vanish.
        states = viewer.page.locator(".seats .state span:text('agrees')")
        assert [text.evaluate(INSIDE) for text in states.all()] == [True]
    ann.page.locator(".notice :text('Agree')").click()
    ann.page.wait_for_selector(".notice :text('Agree')", state="detached")


@pytest.mark.parametrize("chosen", thorough([2], [0, 2]))
def test_a_card_that_comes_under_a_finger_is_not_chosen(
    chosen: int, person: Callable[..., Any]
) -> None:
    ann, ben = (person(**options) for options in (PHONE, {}))
    table, (link,) = ann.table("set", {}, ["me", "open"], name="Ann", seed=4)
    ben.join(link, "Ben")
    ann.page.wait_for_selector(".set-form")
    state = ann.ask("GET", f"/api/tables/{table}")
    three = sorted(next(iter(triples(state["view"]["table"], "set"))))
    others = [card for card in state["view"]["table"] if card not in three][:chosen]
    for card in others:
        ann.page.locator(f"#card{card}").tap()
    # Use events, because a long press does nothing in a browser.
    point = ann.page.evaluate(
        """card => {
          const box = card.getBoundingClientRect();
          const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
          const press = { bubbles: true, isPrimary: true };
          card.dispatchEvent(new PointerEvent('pointerdown', press));
          return point;
        }""",
        ann.page.locator(f"#card{three[0]}").element_handle(),
    )
    claim = {"version": state["version"], "id": "a", "move": f"claim {' '.join(map(str, three))}"}
    ben.ask("POST", f"/api/tables/{table}/moves", claim)
    ann.sees(state["version"] + 1)
    ann.page.evaluate(
        """({ x, y }) => document.elementFromPoint(x, y).dispatchEvent(
          new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }))""",
        point,
    )
    ann.page.wait_for_function("document.getElementById('faults').textContent")
    checked = ann.page.locator("input[name=card]:checked")
    assert checked.evaluate_all("all => all.map((one) => Number(one.value))") in (
        others,
        others[::-1],
    )
    assert ann.ask("GET", f"/api/tables/{table}")["version"] == state["version"] + 1
    # The next touch works as usual.
    new = ann.page.locator("input[name=card]:not(:checked)").first
    new.evaluate("one => { one.form.dataset.count = 9; }")
    ann.page.locator("label.set-card:not(:has(:checked))").first.tap()
    assert checked.count() == chosen + 1


def test_a_button_whose_meaning_changes_before_its_release_does_nothing(
    person: Callable[..., Any],
) -> None:
    ann = person(viewport={"width": 1280, "height": 800})
    ben = person()
    table, (link,) = ann.table("quarto", {}, ["me", "open"], name="Ann", seed=4)
    ben.join(link, "Ben")
    first = ann.ask("GET", f"/api/tables/{table}")["moves"][0]
    sent = {"version": 0, "id": "a", "move": first}
    ann.ask("POST", f"/api/tables/{table}/moves", sent)
    ann.sees(1)
    undo = ann.page.locator("#undo")
    ben.ask("POST", f"/api/tables/{table}/undo", {"version": 1, "agree": True})
    ann.page.wait_for_selector("#undo:text('Agree')")
    undo.hover()
    ann.page.mouse.down()
    ben.ask("POST", f"/api/tables/{table}/undo", {"version": 1, "agree": False})
    ann.page.wait_for_selector("#undo:not(:text('Agree'))")
    ann.page.mouse.up()
    ann.page.wait_for_function("document.getElementById('faults').textContent")
    assert ann.ask("GET", f"/api/tables/{table}")["undo"] == []
    undo.click()
    ann.page.wait_for_selector("#undo:text('No longer')")


def test_a_page_reconnects_if_its_stream_could_not_be_opened(person: Callable[..., Any]) -> None:
    ann = person()
    ann.context.route("**/stream-worker.js", lambda route: route.abort())
    ann.page.add_init_script(FAST)
    ann.table("quaternity", {}, ["me"] * 3, name="Ann")
    ann.page.wait_for_selector("body.lost")
    ann.context.unroute("**/stream-worker.js")
    ann.page.wait_for_selector("body:not(.lost)")


def test_a_page_whose_scripts_do_not_load_is_shown(person: Callable[..., Any]) -> None:
    ann = person()
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    ann.context.route("**/table.js", lambda route: route.abort())
    ann.page.goto(f"/t/{table}")
    shown = "all => all.every((one) => one.checkVisibility({ visibilityProperty: true }))"
    cells = ann.page.locator(".well, .thumb p")
    ann.wait_until(lambda: cells.count() > 16 and cells.evaluate_all(shown))


COVERED = """tip => {
  const box = tip.getBoundingClientRect();
  const under = Array.from(document.querySelectorAll(':is(.board, .thumb) *')).filter((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return one.matches('button, label, svg, [role=img], p') && right > box.left + 1
      && left < box.right - 1 && bottom > box.top + 1 && top < box.bottom - 1;
  });
  return [under.map(({ outerHTML }) => outerHTML), tip.scrollHeight - tip.clientHeight];
}"""
"""Script: the elements that a tip covers, and the pixels of its text that have no room."""


@pytest.mark.parametrize("game", thorough(["kwartet"], [*GAMES]))
def test_the_focus_moves_from_a_tip_to_a_possible_move(
    game: str, person: Callable[..., Any]
) -> None:
    ann = person(keys=True)
    ann.page.goto("/")
    ann.press(ann.page.locator(f"form.guided:has([value={game}]) button"))
    ann.page.locator(":is(.board, .thumb) :is(button[data-act], input)").first.wait_for(
        state="attached"
    )
    ann.press(ann.page.locator(".tip:not([hidden]) [data-read]"))
    acting = """() => document.activeElement.closest(".board, .thumb")
      && document.activeElement.matches("button[data-act], input")"""
    assert ann.page.evaluate(acting)


@pytest.mark.parametrize("game", thorough(["quarto"], [*GAMES]))
def test_a_tip_covers_nothing_and_has_room(game: str, person: Callable[..., Any]) -> None:
    texts = [catalogue("de")[tip.text] for tip, _ in registration(game).part("tips") or ()]
    for width, height in thorough([(320, 658)], SCREENS):
        viewport = {"width": width, "height": height}
        ann = person(viewport=viewport, locale="de")
        ann.page.goto("/")
        ann.press(ann.page.locator(f"form.guided:has([value={game}]) button"))
        tip = ann.page.locator(".ready .tip:not([hidden])")
        longest = "(one, text) => { one.firstChild.textContent = text; }"
        tip.evaluate(longest, max(texts, key=len))
        assert tip.evaluate(COVERED) == [[], 0]
