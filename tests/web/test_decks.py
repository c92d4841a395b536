"""Decks at a table: chosen when it is made, stored with it, and used in all texts of its page."""

import re
import sqlite3
from contextlib import closing
from html import escape
from pathlib import Path
from typing import Any

import pytest

from quaternity.base.sentences import Wording, message_data
from quaternity.decks import decks, find_deck
from quaternity.epistemic import sentences as epistemic_sentences
from quaternity.game import sentences as game_sentences
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.sentences import question_sentence
from quaternity.insight import explanation
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.review import reviewing
from quaternity.table.games import game_names
from quaternity.web.drawing.words import ADVICE, TEMPLATES, page_words
from quaternity.web.migrations import MIGRATIONS
from quaternity.web.new_table import decks_of
from quaternity.web.rendering import new_html, table_html
from quaternity.web.sqlite_connection import FILE
from quaternity.web.table_view import SeatView
from tests.web.site import Site
from tests.web.tables import PEOPLE, Table, open_site
from tests.web.views import BASE, mover, sight, simulate

EIGHTS = {"set_size": 8, "sets": 3, "players": 3}


@pytest.mark.parametrize(
    ("wanted", "deck"),
    [
        ({}, "everyday"),
        ({"deck": None}, "everyday"),
        ({"deck": ""}, "everyday"),
        ({"deck": "world"}, "world"),
        ({"deck": "plain"}, "plain"),
        ({"settings": EIGHTS}, "world"),
        ({"settings": EIGHTS | {"set_size": 9}}, "plain"),
        ({"game": "quarto", "settings": {}, "seats": ["me", "me"]}, "plain"),
    ],
)
def test_a_table_has_the_deck_that_was_chosen_or_the_first_that_fits(
    site: Site, wanted: Any, deck: str
) -> None:
    assert Table(site, **wanted).look()["deck"] == deck


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"deck": "animals"}, "'animals' is unknown; choose from everyday, world"),
        ({"deck": 7}, "deck: must be a string"),
        ({"deck": "<b>"}, "choose from everyday, world and plain"),
        (
            {"deck": "everyday", "settings": EIGHTS},
            "with 13 sets of at least 4 cards, does not fit a game of 3 sets of 8; deck world "
            "does, and deck plain fits any game",
        ),
    ],
)
def test_an_unsuitable_deck_is_refused_with_the_suitable_ones(
    site: Site, wanted: Any, message: str
) -> None:
    page = site.ask("POST", "/api/tables", PEOPLE | wanted)
    assert page.status == 422
    assert message in page.json["error"]


def test_the_next_game_has_the_same_deck_and_a_restart_keeps_it(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, deck="world", seats=["me", "random", "random"])
        rematch = table.post(0, "again").json["table"]
        assert site.ask("GET", f"/api/tables/{rematch}").json["deck"] == "world"
    with open_site(tmp_path) as site:
        for name in (table.made["table"], rematch):
            assert site.ask("GET", f"/api/tables/{name}").json["deck"] == "world"


@pytest.mark.parametrize("before", range(1, len(MIGRATIONS)))
def test_a_table_of_an_earlier_version_goes_on_with_the_plain_deck(
    before: int, tmp_path: Path
) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, deck="plain")
        table.move(0, "1 0 2")
    with closing(sqlite3.connect(tmp_path / "earlier")) as earlier:
        for text in MIGRATIONS[:before]:
            earlier.executescript(text)
        earlier.execute("ATTACH ? AS now", (str(tmp_path / FILE),))
        for (name,) in earlier.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'"):
            columns = [row[1] for row in earlier.execute(f"PRAGMA main.table_info({name})")]
            some = ", ".join(columns)
            earlier.execute(f"INSERT INTO main.{name} ({some}) SELECT {some} FROM now.{name}")
        earlier.commit()
        earlier.execute("DETACH now")
        earlier.execute(f"PRAGMA user_version = {before}")
    (tmp_path / "earlier").replace(tmp_path / FILE)
    with open_site(tmp_path) as site:
        table.site = site
        state = site.ask("GET", table.path).json
        assert (state["deck"], state["begun"], state["version"]) == ("plain", True, 1)
        assert table.move(1, "yes").status == 200
        page = site.ask("GET", f"/t/{table.made['table']}")
        assert page.status == 200


def test_a_missing_deck_is_replaced_by_the_plain_one() -> None:
    assert page_words("gone", ()).card((1, 0)) == "1/0"


def test_a_refusal_uses_names_and_says_what_to_do_instead(site: Site) -> None:
    table = Table(site, game="kwartet", settings={"players": 3, "sets": 3}, seed=1)
    view = table.look(0)
    asked = {tuple(move.split()[-1].split("/")) for move in view["moves"]}
    lacking = next(index for index in range(3) if not any(i == str(index) for i, _ in asked))
    page = table.move(0, f"1 {lacking} 0")
    assert page.json["faults"] == [f"player 0 holds no card of set {lacking}"]
    (words,) = page.json["words"]
    name = find_deck(view["deck"]).set_name(lacking)
    assert words == f"Anna (1) holds no card of {name}: choose a set from which you hold a card"
    assert "wait for Anna (1)" in table.move(1, "0 0 0").json["error"]


def test_a_player_who_must_answer_is_told_so_once(site: Site) -> None:
    table = Table(site, game="quaternity", settings={"players": 3, "sets": 3}, seed=1)
    assert table.move(0, "0 asks 1 for 0/0").status == 200
    (words,) = table.move(1, "0 0 0").json["words"]
    assert words.endswith("must be answered first, with “yes” or “no”")


def test_all_advice_belongs_to_a_sentence_and_templates_keep_their_fields() -> None:
    modules = game_sentences, explanation, epistemic_sentences
    values = [value for module in modules for value in vars(module).values()]
    values += [reviewing.BETTER, reviewing.CHANCE]
    kinds = [kind for kind in values if hasattr(kind, "template")]
    assert {*ADVICE} <= {kind.name for kind in kinds}
    assert {*TEMPLATES} <= {kind.template for kind in kinds}
    for plain, drawn in TEMPLATES.items():
        assert {*re.findall(r"{(\w+)", plain)} - {"error"} == {*re.findall(r"{(\w+)", drawn)}
    words = page_words("everyday", [SeatView("Ann", "person"), SeatView("Ben", "person")])
    question = Question(0, 1, Card(1, 0))
    assert words.say(question_sentence(question)) == "Ann → Ben: fox (forest)?"
    assert words.say(question_sentence(question, Answer.NO)) == "Ann → Ben: fox (forest)? No"


def test_a_page_calls_every_card_of_its_history_by_name() -> None:
    game = simulate(KwartetRules(KwartetSettings(3, 8)), 12)
    shown = sight(game, mover(game), deck="everyday")
    html, deck = table_html(shown, BASE), find_deck("everyday")
    cards = [
        message_data(event)["card"]
        for step in game.steps
        for event in step.events
        if "card" in message_data(event)
    ]
    assert len(cards) > 8
    for index, number in cards:
        assert f"{deck.card_name(index, number)} ({deck.set_name(index)})?" in html
    plain = Wording([f"Person {seat}" for seat in range(3)])
    assert not any(escape(plain.say(event)) in html for step in game.steps for event in step.events)


def test_the_form_offers_decks_for_games_with_sets(site: Site) -> None:
    games = {entry["game"]: entry["decks"] for entry in site.ask("GET", "/api/games").json["games"]}
    for game in game_names():
        offered = [deck.name for deck in decks_of(game)]
        assert games[game] == offered
        assert offered == (
            [deck.name for deck in decks()] if game in ("quaternity", "kwartet") else []
        )
        html = new_html(game)
        assert ('name="deck"' in html) == bool(offered)
        for deck in decks_of(game):
            assert f'<option value="{deck.name}">{deck.title()}</option>' in html
