"""The start page, forms, invitations and the guide, and the sizes of all pages."""

import re
from datetime import date
from gzip import compress
from html import unescape
from itertools import product, zip_longest
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity import guide
from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.table.games import GAMES, registration, rules_class
from quaternity.ternary.rules import SetRules, SetSettings

pytest.importorskip("jinja2", reason="the table in a browser needs the extra web")
pytest.importorskip("starlette", reason="the table in a browser needs the extra web")

from quaternity.web.clock import DAY, Clock
from quaternity.web.forms import form_fields
from quaternity.web.http_errors import HttpError
from quaternity.web.languages import LANGUAGES, catalogue, using_language
from quaternity.web.new_table import rules_with
from quaternity.web.puzzle_pages import daily_puzzles
from quaternity.web.rendering import (
    guide_html,
    guide_pictures,
    home_html,
    join_html,
    learn_html,
    new_html,
    static,
    static_files,
    table_html,
)  # fmt: skip
from quaternity.web.table_form import read_form
from quaternity.web.table_view import SeatView
from tests.sizes import examples, thorough
from tests.web.views import BASE, KWARTET, QUATERNITY, mover, sight, simulate


def test_the_start_page_begins_with_the_games_that_wait_for_the_visitor() -> None:
    game = simulate(QUATERNITY, 2)
    acting, other = mover(game), (mover(game) + 1) % 3
    views = {"A": None, "B": sight(game, other), "C": sight(game, acting), "D": sight(game, other),
             "E": sight(game, acting)}  # fmt: skip
    tables = [
        SimpleNamespace(table=name, game="quaternity", over=name == "A", seconds=60, sight=view)
        for name, view in views.items()
    ]
    html = home_html(tables, "", daily_puzzles(date(2026, 1, 2)))
    assert re.findall(r'href="/t/([A-E])"', html) == ["C", "E", "B", "D", "A"]
    assert re.findall(r'<li class="yours"><a href="/t/(.)"', html) == ["C", "E"]
    order = [html.index(text) for text in ("Your games", "five puzzles", 'class="games"')]
    assert order == sorted(order)
    assert 'type="file"' not in html
    for name in GAMES:
        assert f'value="{name}"><input type="hidden" name="first"' in html
        assert f'href="/new?game={name}&amp;with=friends"' in html
        assert f'href="/learn#{name}"' in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_and_first_games_are_in_every_language(language: str) -> None:
    with using_language(language):
        html = learn_html()
        for name in GAMES:
            section = html.partition(f'<section id="{name}">')[2].partition("</section>")[0]
            assert section.count("<p>") >= 2
            assert 'name="first"' in section
            texts = [unescape(text) for text in re.findall("<p>([^<]+)</p>", section)]
            assert language == "en" or not {*texts} & {*catalogue(language)}


def test_no_page_has_inline_scripts_or_styles() -> None:
    pages = [table_html(sight(simulate(rules, 9), 0), BASE) for rules in (QUATERNITY, KWARTET)]
    pages += [home_html(), new_html("kwartet"), *map(guide_html, guide.ORDER)]
    pages.append(join_html(sight(simulate(QUATERNITY, 0), None, begun=False), None, "i" * 22))
    for html in pages:
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", html)
        assert re.findall(r"<script([^>]*)>", html) == [
            f' type="module" src="{static("table.js")}"'
        ]
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", html)


def test_players_who_may_invite_see_a_link_and_a_picture() -> None:
    game = simulate(QUATERNITY, 0)
    seats = (SeatView("Ann", "person", True), SeatView(None, "open", False, "x" * 22))
    shown = sight(game, 0, seats=(*seats, SeatView("search", "program", True)))
    html = table_html(shown, BASE)
    # The first of several invitations is unfolded, the others are a click away.
    several = (*seats, seats[1]._replace(invitation="y" * 22))
    for places in (several, several[::-1], (*seats, seats[0])):
        invited = table_html(sight(game, 0, seats=places), BASE)
        folded = re.findall(r'class="invite" id="invite\d"( open)?>', invited)
        assert folded == [" open", ""][: sum(seat.kind == "open" for seat in places)]
    assert f'value="{BASE}/join/{"x" * 22}"' in html
    assert 'class="qr"' in html
    others = tuple(seat._replace(invitation=None) for seat in shown.seats)
    assert "/join/" not in table_html(shown._replace(seats=others, seat=2), BASE)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("seat", [None, 0, 1, 2])
def test_an_invitation_offers_the_seats_that_can_be_taken(seat: int | None, begun: bool) -> None:
    """The link of a table is valid before the game begins, that of a seat while it is empty."""
    for kinds in product(["person", "open", "program"], repeat=3):
        seats = [
            SeatView(None if kind == "open" else f"Person {number}", kind)
            for number, kind in enumerate(kinds)
        ]
        free = [number for number, kind in enumerate(kinds) if kind == "open"]
        shown = sight(simulate(QUATERNITY, 0), None, seats=tuple(seats), begun=begun)
        html = join_html(shown, seat, "i" * 22)
        can_sit = seat in free if seat is not None else bool(free) and not begun
        assert ('data-api="/api/seats"' in html) == can_sit
        offered = re.findall(r'<option value="(\d)">', html)
        choice = can_sit and seat is None and len(free) > 1
        assert list(map(int, offered)) == (free if choice else [])
        taken = [n for n in range(3) if n not in free and n != seat]
        assert all((f"Person {number}" in html) == (number in taken) for number in range(3))
        reasons = {
            "This seat is already taken.": seat is not None,
            "The game has begun.": seat is None and begun,
            "Every seat is taken.": seat is None and not begun,
        }
        assert {text for text in reasons if text in html} == {
            text for text, holds in reasons.items() if holds and not can_sit
        }


def test_additional_programs_of_the_server_are_offered() -> None:
    assert 'value="mine"' in new_html("quarto", more=["mine"])
    game = simulate(QUATERNITY, 0)
    html = table_html(sight(game, 0), BASE, more=["mine"])
    assert '<option value="mine">mine</option>' in html


@pytest.mark.parametrize("game", GAMES)
def test_programs_are_offered_by_levels_with_their_ratings(game: str) -> None:
    known, html, weaker = registration(game), new_html(game), 0
    text = guide.page("players").text
    mark = f"<!-- ladder levels of {game} -->"
    mark = mark if mark in text else f"<!-- ladder {game} -->"
    ladder = text.partition(mark)[2].partition("<!-- end")[0]
    table = table_html(sight(simulate(rules_class(game)(), 0), 0), BASE)
    assert [level.name for level in known.levels] == ["easy", "medium", "strong"]
    for level in known.levels:
        assert f"| `{level.player}` | {level.rating} ±" in ladder
        assert f"<b>{level.name}</b> <small>{level.text}</small>" in html
        assert f"{level.name}: {level.rating}." in html
        option = f'<option value="{level.player}">{level.face} {level.name} program</option>'
        for page in (html, table):
            assert option in page
        assert weaker + 150 <= level.rating, "neighbouring levels differ by 150 points"
        weaker = level.rating
    assert {*re.findall(r'<option value="([a-z-]+)"', html)} >= {*known.players} - {"perfect"}


def test_pages_are_small() -> None:
    """The sizes are those of compressed files, as browsers receive them."""
    files = sum(len(compress(data, 1)) for data in static_files().values())
    for rules in (QuaternityRules(Settings(4, 13, 4)), KwartetRules()):
        game = simulate(rules, 300)
        seat = next(iter(rules.to_act(game.positions[-1])), 0)
        html = table_html(sight(game, seat), BASE)
        assert len(compress(html.encode(), 1)) + files < 100_000


LARGE_GAMES = [
    QuaternityRules(Settings(4, 16, 8)), QuaternityRules(Settings(4, 24, 8)),
    QuaternityRules(Settings(4, 50, 8)), QuaternityRules(Settings(2, 96, 12)),
    QuaternityRules(Settings(6, 12, 4)), KwartetRules(KwartetSettings(players=8, sets=20)),
    KwartetRules(KwartetSettings(players=8, sets=19, set_size=10, aside=6)),
    SetRules(SetSettings(seats=8, table=18)),
]  # fmt: skip
"""Rules of games with many cards and players. Some have as many as the form for tables allows."""


@pytest.mark.parametrize("rules", LARGE_GAMES)
def test_pages_are_small_without_compression(rules: Any) -> None:
    for moves, helps in thorough([(0, False), (60, True)], [*product((0, 20, 60), (False, True))]):
        game = simulate(rules, moves)
        seat = next(iter(rules.to_act(game.positions[-1])), 0)
        for language in thorough(["de"], LANGUAGES):
            with using_language(language):
                html = table_html(sight(game, seat, help=helps), BASE)
            assert len(html.encode()) < 200_000


def may_play(game: str, seats: int) -> bool:
    """Return whether a table with this many seats may be made."""
    try:
        return bool(rules_with(game, {}, seats).seats == seats)
    except HttpError:
        return False


@pytest.mark.parametrize("game", GAMES)
def test_the_form_asks_three_questions_and_has_all_other_settings(game: str) -> None:
    first, _, advanced = new_html(game).partition('<details class="advanced">')
    assert len(re.findall(r"<(?:h2|legend)\b", first)) == 3
    own = {field.name for field in form_fields(game) if not field.seats}
    assert {f"settings.{name}" for name in own} == {
        *re.findall(r'name="(settings[^"]+)"', advanced)
    }
    asked = {"game", "with", "players", "level", "length", "name"}
    assert {*re.findall(r'<(?:input|select)[^>]* name="([^"]+)"', first)} == asked
    assert advanced.count('name="seats"') == max(
        seats for seats in range(30) if may_play(game, seats)
    )
    # A family remembers who asked for what, and asks only for cards that it lacks.
    is_kwartet = game == "kwartet"
    assert ('name="help" checked' in advanced) != is_kwartet
    if is_kwartet:
        assert re.search(r'name="settings.own_card_requests"[^>]*checkbox">', advanced)


@given(st.data())
@settings(max_examples=examples(400))
def test_every_filled_in_form_makes_the_table_that_it_describes(data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(sorted(GAMES)))
    known, rules = registration(game), rules_class(game)()
    seats = data.draw(st.sampled_from([n for n in range(1, 13) if may_play(game, n)]))
    level = data.draw(st.sampled_from(known.levels))
    company = data.draw(st.sampled_from(["friends", "programs", "both"]))
    form = {"game": [game], "name": ["Ann"], "with": [company], "players": [str(seats)],
            "level": [level.name]}  # fmt: skip
    made = [read_form({**form, "length": [length.name]}) for length in known.lengths]
    for new in made:
        assert rules_with(game, new.settings, len(new.seats)).seats == seats
        friends, programs = new.seats.count("open"), new.seats.count(level.name)
        assert (new.seats[0], 1 + friends + programs) == ("me", seats)
        assert programs == 0 if company == "friends" else friends == 0 or company == "both"
        assert abs(friends - programs) <= 1 or company != "both"
        assert (*new.allowed, new.clock) == (False, False, False, None)
    cards = [new.settings.get("sets", 0) * new.settings.get("set_size", 4) for new in made]
    assert cards == sorted(cards)
    # Advanced choices win over the three answers.
    own = data.draw(st.lists(st.sampled_from(["", "me", "open", "random"]), max_size=14))
    form |= {"seats": own, "help": ["on"], "clock": ["day"], "length": [known.lengths[0].name]}
    changed = read_form(form)
    usual = zip_longest(own[:seats], made[0].seats, fillvalue="")
    assert changed.seats == [chosen or seat for chosen, seat in usual]
    assert (*changed.allowed, changed.clock) == (True, False, False, Clock(DAY))
    if hasattr(rules.settings, "sets"):
        sets = data.draw(st.integers(2, 13))
        chosen = read_form({**form, "settings.sets": [str(sets)]}).settings["sets"]
        assert chosen == sets


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"game": ["go"]}, "unknown game"), ({}, "unknown game ''"),
        ({"game": ["set"], "players": ["٣"]}, "players: must be a whole number 1..12"),
        ({"game": ["set"], "players": ["13"]}, "players: must be a whole number 1..12"),
        ({"game": ["set"], "length": ["ages"]}, "length: must be one of normal"),
        ({"game": ["set"], "players": ["12"]}, "length: must be one of normal"),
        ({"game": ["set"], "length": ["normal"], "clock": ["x"]}, "clock: must be one of none"),
    ],
)  # fmt: skip
def test_a_wrong_form_is_refused(sent: dict[str, list[str]], says: str) -> None:
    with pytest.raises(HttpError, match=says):
        read_form(sent)


@pytest.mark.parametrize("page", guide.ORDER)
def test_pages_of_the_guide_find_their_pictures_and_each_other(page: str) -> None:
    html = guide_html(page)
    # A path or an option is not broken at the end of a line; a command may be.
    words = re.findall("<code>([^<]*)</code>", html.replace('<code class="word">', "<code>"))
    assert html.count('<code class="word">') == sum(len(word.split()) == 1 for word in words)
    assert "<h1" in html
    pictures = set(re.findall(r'<img[^>]*src="([^"]+)"', html))
    assert pictures <= set(guide_pictures())
    linked = set(re.findall(r'<a href="([a-z-]+)(?:#[^"]*)?"', html))
    assert linked <= set(guide.ORDER)


def test_pictures_of_the_guide_keep_to_the_policy() -> None:
    for data in guide_pictures().values():
        assert b"style" not in data
        ElementTree.fromstring(data)  # no attribute is there twice
