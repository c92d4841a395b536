"""The languages of the pages: every text has a translation, and none is left in English."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from babel.messages.extract import extract_from_file
from hypothesis import given, settings
from hypothesis import strategies as st

import quaternity
from quaternity.base.sentences import Kind
from quaternity.decks import decks
from quaternity.quarto.rules import QuartoRules, QuartoSettings
from quaternity.table.games import game_names, registration
from quaternity.ternary.rules import SetRules, SetSettings
from quaternity.web import languages
from quaternity.web.app import app
from quaternity.web.drawing.words import INSTEAD, TEMPLATES
from quaternity.web.forms import form_fields
from quaternity.web.languages import LOOKS, SCRIPT_WORDS, SPOKEN, catalogue, chosen, speaking
from quaternity.web.rendering import (
    help_html,
    home_html,
    join_html,
    learn_html,
    new_html,
    table_html,
)
from quaternity.web.talk import Line
from tests.sizes import examples
from tests.web.site import Site
from tests.web.test_api import Table
from tests.web.test_pages import BASE, KWARTET, QUATERNITY, played, sight

WEB = Path(quaternity.__file__).parent / "web"
GAMES = [QUATERNITY, KWARTET, QuartoRules(QuartoSettings()), SetRules(SetSettings())]
OTHERS = sorted({*SPOKEN} - {"en"})


def kinds() -> set[str]:
    """The templates of all sentences that a page may say."""
    found = set()
    for module in pkgutil.walk_packages(quaternity.__path__, "quaternity."):
        room = module.name.split(".")[1]
        if room in (
            "game",
            "kwartet",
            "quarto",
            "ternary",
            "epistemic",
            "insight",
            "puzzles",
            "review",
            "web",
        ):
            values = vars(importlib.import_module(module.name)).values()
            found |= {value.template for value in values if isinstance(value, Kind)}
    return {TEMPLATES.get(template, template) for template in found}


def texts() -> set[str]:
    """All texts of the pages, in English."""
    found: set[Any] = {*SCRIPT_WORDS, *LOOKS, *INSTEAD.values(), *kinds()}
    keywords = {"_": None, "gettext": None}
    for path in WEB.rglob("*.py"):
        found |= {text for _, text, *_ in extract_from_file("python", path, keywords)}
    for path in WEB.rglob("*.html"):
        more = extract_from_file("jinja2.ext:babel_extract", path, keywords)
        found |= {text for _, text, *_ in more}
    for name in game_names():
        game = registration(name)
        found |= {game.text, *(label for _, label in game.help)}
        found |= {tip.text for tip, _ in game.part("tips") or ()}
        for level in game.levels:
            found |= {level.name, level.text, f"{level.name} program"}
        for field in form_fields(name):
            found |= {field.label, field.help, *map(str, field.choices or ())}
    return {text for text in found if isinstance(text, str) and text}


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_has_a_translation_with_the_same_places(language: str) -> None:
    translated = catalogue(language)
    assert texts() - {*translated} == set()
    places = re.compile(r"\{[^}]*\}|%\(\w+\)s")
    for text, translation in translated.items():
        assert {*places.findall(text)} == {*places.findall(translation)}, text


class Visible(HTMLParser):
    """What a page says: its texts, and those of attributes that are read out."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser."""
        self._silent += tag in ("code", "svg", "style")
        said = ("aria-label", "label", "title", "placeholder", "data-hint", "data-incomplete")
        self.texts += [value or "" for name, value in attrs if name in said]
        for name, value in attrs:
            if name in ("data-asks", "data-refused"):
                self.texts += [more[1] for more in json.loads(value or "[]")]

    def handle_endtag(self, tag: str) -> None:
        """Called by the parser."""
        self._silent -= tag in ("code", "svg", "style")

    def handle_data(self, data: str) -> None:
        """Called by the parser."""
        if not self._silent:
            self.texts.append(data)


class Marked(dict[str, str]):
    """A catalogue that puts every text in brackets, half as long again."""

    def get(self, text: str, otherwise: Any = None) -> str:
        """Return a text in brackets; what is put in it stands outside."""
        del otherwise
        return re.sub(r"[^{}%]+|\{[^}]*\}|%\(\w+\)s", self._part, text)

    @staticmethod
    def _part(match: re.Match[str]) -> str:
        part = match[0]
        if part[0] in "{%" or not part.strip():
            return part
        return f"⟦{part}{'~' * (len(part) // 2)}⟧"


NAMES = "|".join(
    [
        *sorted({player for name in game_names() for player in registration(name).players}),
        *(re.escape(deck.title()) for deck in decks()),
        r"Person \d|Quaternity|Kwartet|Quarto|SET\b|English|Nederlands|Deutsch",
        r"[HVD]\d(V\d)?|\b[A-P]\b",
    ]
)
"""What is called so in every language."""


def left_in_english(html: str) -> set[str]:
    """Return the texts of a page that stand outside of brackets."""
    page = Visible()
    page.feed(html)
    outside = [re.sub(r"⟦[^⟧]*⟧", "", text) for text in page.texts]
    cards = {text.strip() for text in outside if re.search(r"[A-Za-z]{2}", re.sub(NAMES, "", text))}
    return {
        text
        for text in cards
        if not re.fullmatch(r"(ABCD-|http|quaternity 1|H1 0/2).*", text, re.DOTALL)
    }


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language in which every sentence is marked."""
    monkeypatch.setattr(languages, "catalogue", lambda language: Marked(x="x"))


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.usefixtures("marked")
def test_nothing_of_a_table_is_left_in_english(rules: Any) -> None:
    with speaking("xx"):
        for count in (0, 1, 5, 400):
            game = played(rules, count)
            for seat in (None, *range(rules.seats)):
                looking = sight(game, seat, chat=True, lines=(Line(1, 0, "Person 0", "⟦hi⟧"),))
                looking = looking._replace(settings={})
                waiting = looking._replace(begun=False, view=None, invitation="x" * 22)
                pages = [table_html(one, BASE) for one in (looking, waiting)]
                for html in (*pages, table_html(looking, BASE, replayed=True)):
                    assert left_in_english(html) == set()


@pytest.mark.usefixtures("marked")
def test_nothing_of_other_pages_is_left_in_english() -> None:
    looking = sight(played(QUATERNITY, 0), 0)
    with speaking("xx"):
        pages = [home_html(), learn_html(), *map(new_html, game_names())]
        pages += [join_html(looking, None, "x"), join_html(looking, 0, "x")]
        answers: dict[str, dict[str, Any]] = {
            "questions": {"questions": []}, "know": {}, "analysis": {"outcome": None, "moves": []},
        }  # fmt: skip
        for word, answer in answers.items():
            pages.append(help_html(looking, word, answer, {}))
        for html in pages:
            assert left_in_english(html) == set()


@given(
    st.sampled_from(["", "xx", "nl"]), st.sampled_from(["", "de", "deutsch"]),
    st.lists(st.tuples(st.sampled_from(["de", "de-AT", "nl", "NL", "fr", "en", "*", ""]),
                       st.sampled_from(["", ";q=1", "; q=0.5", ";q=0.9", ";q=0", ";q=x", ";q="])),
             max_size=6),
)  # fmt: skip
@settings(max_examples=examples(600))
def test_a_page_is_in_the_language_that_was_asked_for_or_is_liked_best(
    asked: str, cookie: str, accepted: list[tuple[str, str]]
) -> None:
    header = ", ".join(f"{name}{weight}" for name, weight in accepted)
    known = [name for name in (asked, cookie) if name in SPOKEN]
    liked = [
        (float(weight.partition("=")[2] or 1), name.partition("-")[0].lower())
        for name, weight in accepted if weight not in (";q=x", ";q=")
    ]  # fmt: skip
    spoken = [(share, name) for share, name in liked if share and name in SPOKEN]
    best = [name for share, name in spoken if share == max(spoken)[0]] if spoken else ["en"]
    assert chosen(asked, cookie, header) == [*known, *best][0]


def test_two_people_at_one_table_read_two_languages(tmp_path: Path) -> None:
    with Site(app(str(tmp_path))) as site:
        table = Table(site, game="kwartet", settings={"sets": 13}, seats=["me"] * 4, name=None)
        table.move(0, table.look(0)["moves"][0])
        page = f"/t/{table.made['table']}"
        heads: dict[str, dict[str, str]] = {
            "en": {},
            "nl": {"accept-language": "nl-BE, en;q=0.5"},
            "de": {"accept-language": "fr, de;q=0.4", "cookie": "language=de"},
        }
        says = {"en": "Talk", "nl": "Praten", "de": "Reden"}
        for language, headers in heads.items():
            html = site.ask("GET", page, headers=headers).body.decode()
            assert f'<html lang="{language}">' in html
            assert f"<h2>{says[language]}</h2>" in html
        answer = site.ask("GET", f"{page}?language=de", headers=heads["nl"])
        assert b"<h2>Reden</h2>" in answer.body
        cookies = [value for name, value in answer.headers if name == b"set-cookie"]
        assert [value.startswith(b"language=de;") for value in cookies] == [True]
        # One that does not exist changes nothing.
        answer = site.ask("GET", f"{page}?language=xx", headers=heads["nl"])
        assert b"<h2>Praten</h2>" in answer.body
        assert b"set-cookie" not in dict(answer.headers)
        given = {"seat": 9, "player": "random"}
        path = f"{table.path}/hand-over"
        error = site.ask("POST", path, given, table.tokens[0], heads["nl"])
        assert (error.status, error.json["error"]) == (404, "er is geen plaats 9")
        error = site.ask(
            "POST", f"{table.path}/ready", {"ready": True}, table.tokens[0], heads["nl"]
        )
        assert error.json["error"] == "het spel is al begonnen"
