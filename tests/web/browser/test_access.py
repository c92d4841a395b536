"""Tables for screen readers and keyboards, and help beside the board."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from quaternity.puzzles.puzzle import VERSION
from quaternity.web.languages import LANGUAGES, percent, using_language
from tests.review.test_other_games import match, record
from tests.review.test_quaternity import TWO
from tests.review.test_quaternity import play_random_game as played_game
from tests.sizes import only_thorough, thorough
from tests.web.browser.people import FOCUSED, PHONE, Person
from tests.web.browser.tables import PAGES, SEATS, SMALL


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


@pytest.mark.parametrize("game", thorough(["kwartet"], ["quaternity", "kwartet"]))
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


@pytest.mark.parametrize("game", thorough(["kwartet"], ["quaternity", "kwartet"]))
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
        assert opener.evaluate(FOCUSED)
    # On a phone, this button is on a sheet, which closes when help opens.
    ann.page.set_viewport_size({"width": 390, "height": 844})
    more = ann.page.locator("#more-button")
    more.press("Enter")
    opener.press("Enter")
    ann.page.wait_for_selector("#help:not([hidden]):not([aria-busy])")
    ann.page.locator("#help [data-close]").press("Enter")
    assert more.evaluate(FOCUSED)
    ann.page.locator("[data-sound=on]").press("Enter")
    assert ann.page.evaluate("document.activeElement.id") == "headline"
    assert ann.page.locator("#sound-offer").is_hidden()
    assert ann.page.locator("#sound").is_checked()


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


def test_cells_that_are_chosen_from_keep_no_tab_stop_of_the_wait_before(
    person: Callable[..., Person],
) -> None:
    ann, ben = person(), person()
    table, links = ann.table("quarto", {}, ["me", "open"], name="Ann")
    ben.join(links[0], "Ben")
    ben.page.wait_for_selector(".well[tabindex='0']")
    sent = {"version": 0, "id": "A", "move": "hand over A", "seat": 0}
    ann.ask("POST", f"/api/tables/{table}/moves", sent)
    ben.sees(1)
    ben.page.wait_for_selector("label.well")
    assert ben.page.locator("label.well[tabindex]").count() == 0
