"""Pages fit their windows, and boards stay where they are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any

import pytest

from quaternity.quarto.rules import QuartoRules
from quaternity.ternary import triples
from tests.review.test_quaternity import TWO
from tests.review.test_quaternity import play_random_game as played_game
from tests.sizes import only_thorough, thorough
from tests.web.browser.people import PHONE, Person, weight
from tests.web.browser.tables import LARGE, MORE, PAGES, SEATS, SIZES

SCREENS: list[tuple[int, int]] = thorough(
    [(844, 390)],
    [(320, 568), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080)],
)


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
    while len(before) < 22 or events < thorough(12, 24):
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


LINES = """one => Math.round(one.getBoundingClientRect().height
  / parseFloat(getComputedStyle(one).lineHeight))"""


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


MAX_PAGE_BYTES = 200_000
"""Maximum size of a page with everything that it loads, in bytes."""


def test_hidden_notes_do_not_widen_a_phone(person: Callable[..., Person]) -> None:
    """A narrow screen with many seats hides the kind of a program, except for screen readers."""
    phone: dict[str, Any] = PHONE | {"viewport": {"width": 320, "height": 640}}
    ann = person(**phone, locale="de-DE")
    ann.table("kwartet", {"players": 8}, ["me", *["medium"] * 7], name="Ann")
    ann.page.wait_for_selector(".seats.many li:last-child .state", state="attached")
    assert ann.page.evaluate("[innerWidth, document.documentElement.scrollWidth]") == [320, 320]
    cut = (
        "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)"
    )
    assert ann.page.locator(".who b").evaluate_all(cut) == []


EM = "all => all.map((one) => one.clientWidth / parseFloat(getComputedStyle(one).fontSize))"
"""Script: the widths of elements as multiples of their font size."""


@pytest.mark.parametrize("width", [320, 390])
def test_the_pictures_of_the_rules_have_room_for_a_star_and_four_emoji(
    width: int, person: Callable[..., Person]
) -> None:
    ann = person(viewport={"width": width, "height": 640})
    ann.table("kwartet", {"players": 2}, ["me", "open"], name="Ann")
    widths = ann.page.locator(".rule-pictures span").evaluate_all(EM)
    assert len(widths) == 3
    assert min(widths) > 6.2


def test_the_marks_of_a_card_do_not_overlap(person: Callable[..., Person]) -> None:
    ann = person(viewport={"width": 390, "height": 844})
    ann.page.goto("/puzzles/1/owner/4/20261128")
    marks = ann.page.locator(".fitted .tile:not(.sure) .owners:has(.no) i")
    marks.first.wait_for()
    assert (
        min(
            marks.evaluate_all("""all => all.map((one) =>
      one.getBoundingClientRect().width / parseFloat(getComputedStyle(one).fontSize))""")
        )
        > 0.99
    )


@pytest.mark.parametrize("screen", [(844, 390), (768, 1024)])
def test_no_bubble_covers_the_sheet(screen: tuple[int, int], person: Callable[..., Person]) -> None:
    ann = person(viewport=dict(zip(("width", "height"), screen, strict=True)))
    table, _ = ann.table("quaternity", {"players": 3}, ["me"] * 3, name="Ann")
    ann.open_sheet()
    ann.ask("POST", f"/api/tables/{table}/moves", {"version": 0, "id": "a", "move": "1 for 0/0"})
    bubble = ann.page.locator(".bubble").first
    bubble.wait_for(state="attached")
    assert bubble.evaluate("one => getComputedStyle(one).visibility") == "hidden"


def test_a_list_covers_no_label_of_the_sheet(person: Callable[..., Person]) -> None:
    ann = person(viewport={"width": 390, "height": 844}, locale="de-DE")
    ann.table("quaternity", {"players": 3}, ["me"] * 3, name="Ann")
    ann.open_sheet()
    ann.page.locator("#hand-over summary").click()
    room = ann.page.locator("#hand-over label").evaluate_all("""all => all.map((one) => {
      const range = document.createRange();
      range.selectNode(one.firstChild);
      const { right } = range.getBoundingClientRect();
      return one.querySelector('select').getBoundingClientRect().left - right;
    })""")
    assert len(room) == 2
    assert min(room) > 0


def test_the_names_of_sets_are_equally_large_after_a_game(person: Callable[..., Person]) -> None:
    ann = person(viewport={"width": 390, "height": 844})
    made = ann.ask("POST", "/api/records", played_game(TWO, 0).record())
    ann.page.goto(f"/t/{made['table']}")
    ann.page.wait_for_selector("#story[data-loaded]")
    sizes = "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    names = ann.page.locator("#story .group h2").evaluate_all(sizes)
    assert names
    assert max(names) < 13


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
