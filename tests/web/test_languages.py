"""The languages of the pages: every text has a translation, and none is left in English."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from babel.messages.extract import extract_from_file
from hypothesis import given, settings
from hypothesis import strategies as st

import quaternity
import solvers
from quaternity.base.sentences import MessageTemplate
from quaternity.decks import decks
from quaternity.quarto.rules import QuartoRules, QuartoSettings
from quaternity.review.perfect_information import ENDS
from quaternity.table.games import game_names, registration
from quaternity.ternary.rules import SetRules, SetSettings
from quaternity.web import languages
from quaternity.web.app import app
from quaternity.web.chat import Line
from quaternity.web.drawing.puzzles import SPOKEN
from quaternity.web.drawing.words import ADVICE, TEMPLATES
from quaternity.web.forms import form_fields
from quaternity.web.hints import HINT_REASONS
from quaternity.web.languages import (
    APPEARANCE_WORDS,
    LANGUAGES,
    SCRIPT_WORDS,
    catalogue,
    choose_language,
    using_language,
)
from quaternity.web.rendering import (
    analyse_html,
    help_html,
    home_html,
    join_html,
    learn_html,
    new_html,
    table_html,
)
from solvers import shortage
from tests.sizes import examples
from tests.web.site import Site
from tests.web.tables import Table
from tests.web.views import BASE, KWARTET, QUATERNITY, sight, simulate

WEB = Path(quaternity.__file__).parent / "web"
GAMES = [QUATERNITY, KWARTET, QuartoRules(QuartoSettings()), SetRules(SetSettings())]
OTHERS = sorted({*LANGUAGES} - {"en"})


def kinds() -> set[str]:
    """Return the templates of all sentences that a page may show."""
    templates = set()
    for module in pkgutil.walk_packages(quaternity.__path__, "quaternity."):
        package = module.name.split(".")[1]
        if package in (
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
            templates |= {value.template for value in values if isinstance(value, MessageTemplate)}
    values = vars(shortage).values()
    templates |= {value.template for value in values if isinstance(value, MessageTemplate)}
    return {TEMPLATES.get(template, template) for template in templates}


@cache
def texts() -> set[str]:
    """Return all texts of the pages, in English."""
    messages: set[Any] = {
        *HINT_REASONS,
        *SCRIPT_WORDS,
        *APPEARANCE_WORDS,
        *ADVICE.values(),
        *SPOKEN.values(),
        *kinds(),
    }
    keywords = {"_": None, "gettext": None}
    for path in WEB.rglob("*.py"):
        messages |= {text for _, text, *_ in extract_from_file("python", path, keywords)}
    for path in WEB.rglob("*.html"):
        more = extract_from_file("jinja2.ext:babel_extract", path, keywords)
        messages |= {text for _, text, *_ in more}
    for name in game_names():
        game = registration(name)
        messages |= {game.text, *(label for _, label in game.help)}
        messages |= {tip.text for tip, _ in game.part("tips") or ()}
        for level in game.levels:
            messages |= {level.name, level.text, f"{level.name} program"}
        for field in form_fields(name):
            messages |= {field.label, field.help, *field.words}
        messages |= {length.name for length in game.lengths}
    return {text for text in messages if isinstance(text, str) and text}


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_has_a_translation_with_the_same_placeholders(language: str) -> None:
    translated = catalogue(language)
    assert texts() - {*translated} == set()
    placeholders = re.compile(r"\{[^}]*\}|%\(\w+\)s")
    for text, translation in translated.items():
        assert {*placeholders.findall(text)} == {*placeholders.findall(translation)}, text


@pytest.mark.parametrize(
    ("language", "right", "wrong"),
    [("nl", "Je eerste spel", "eerste keer"), ("de", "Dein erstes Spiel", "erstes Mal")],
)
def test_a_first_game_is_called_a_game(language: str, right: str, wrong: str) -> None:
    translated = catalogue(language)
    assert translated["Your first game"] == right
    assert not [text for text in translated.values() if wrong in text]


def strings(constant: object) -> Iterator[str]:
    """Yield the strings in a constant, such as the code of a module, which has constants itself."""
    if isinstance(constant, str):
        yield constant
    elif isinstance(constant, CodeType):
        yield from strings(constant.co_consts)
    elif isinstance(constant, tuple | frozenset):
        for part in constant:
            yield from strings(part)


def test_every_translation_has_a_text() -> None:
    """Each text is passed to `gettext`, is a constant, or is one of a few composed texts."""
    constants = {
        text
        for package in (quaternity, solvers)
        for path in Path(package.__path__[0]).rglob("*.py")
        for text in strings(SourceFileLoader(path.stem, str(path)).get_code(path.stem))
    }
    translated = {text for language in OTHERS for text in catalogue(language)}
    unused = translated - texts() - constants - {str(end) for end in ENDS.values()}
    assert {text for text in unused if not re.fullmatch(r"\{count\} \w+ ago", text)} == set()


class Visible(HTMLParser):
    """The text of a page, with the attributes that are read out."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect texts of attributes."""
        self._silent += tag in ("code", "svg", "style")
        read_out = ("aria-label", "label", "title", "placeholder", "data-hint", "data-incomplete")
        self.texts += [value or "" for name, value in attrs if name in read_out]
        for name, value in attrs:
            if name in ("data-asks", "data-refused"):
                self.texts += [more[1] for more in json.loads(value or "[]")]

    def handle_endtag(self, tag: str) -> None:
        """Note the end of an element."""
        self._silent -= tag in ("code", "svg", "style")

    def handle_data(self, data: str) -> None:
        """Collect a visible text."""
        if not self._silent:
            self.texts.append(data)


class Marked(dict[str, str]):
    """A catalogue that puts every text in brackets and makes it 50 % longer."""

    def get(self, text: str, otherwise: Any = None) -> str:
        """Return a text in brackets, with its placeholders outside."""
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
"""Names that are the same in every language."""


def left_in_english(html: str) -> set[str]:
    """Return the texts of a page that are not in brackets."""
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
def mark_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a language in which every text is in brackets."""
    monkeypatch.setattr(languages, "catalogue", lambda language: Marked(x="x"))


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.usefixtures("mark_texts")
def test_no_text_of_a_table_is_left_in_english(rules: Any) -> None:
    with using_language("xx"):
        for count in (0, 1, 5, 400):
            game = simulate(rules, count)
            for seat in (None, *range(rules.seats)):
                running = sight(game, seat, chat=True, lines=(Line(1, 0, "Person 0", "⟦hi⟧"),))
                running = running._replace(settings={})
                waiting = running._replace(begun=False, view=None, invitation="x" * 22)
                pages = [table_html(view, BASE) for view in (running, waiting)]
                for html in (*pages, table_html(running, BASE, replayed=True)):
                    assert left_in_english(html) == set()


@pytest.mark.usefixtures("mark_texts")
def test_no_text_of_other_pages_is_left_in_english() -> None:
    view = sight(simulate(QUATERNITY, 0), 0)
    with using_language("xx"):
        pages = [home_html(), learn_html(), analyse_html(), *map(new_html, game_names())]
        pages += [join_html(view, None, "x"), join_html(view, 0, "x")]
        answers: dict[str, dict[str, Any]] = {
            "questions": {"questions": []}, "know": {}, "analysis": {"outcome": None, "moves": []},
        }  # fmt: skip
        for word, answer in answers.items():
            pages.append(help_html(view, word, answer, {}))
        for html in pages:
            assert left_in_english(html) == set()


def test_links_to_english_pages_are_marked_in_other_languages() -> None:
    """The style sheet marks the links, and the language switch has links with their own `lang`."""
    style = (WEB / "static" / "style.css").read_text()
    for name in OTHERS:
        assert f'a[hreflang="en"]:lang({name})::after' in style
    links = [
        link
        for path in WEB.glob("templates/*.html")
        if path.name != "guide.html"
        for link in re.findall(r"<a [^>]*>", path.read_text())
        if re.search(r"\broot \}\}/(guide|report)\b", link)
    ]
    assert links
    assert all('hreflang="en"' in link for link in links), links


@given(
    st.sampled_from(["", "xx", "nl"]), st.sampled_from(["", "de", "deutsch"]),
    st.lists(st.tuples(st.sampled_from(["de", "de-AT", "nl", "NL", "fr", "en", "*", ""]),
                       st.sampled_from(["", ";q=1", "; q=0.5", ";q=0.9", ";q=0", ";q=x", ";q="])),
             max_size=6),
)  # fmt: skip
@settings(max_examples=examples(600))
def test_a_page_is_in_the_requested_or_the_preferred_language(
    requested: str, cookie: str, accepted: list[tuple[str, str]]
) -> None:
    header = ", ".join(f"{name}{weight}" for name, weight in accepted)
    known = [name for name in (requested, cookie) if name in LANGUAGES]
    preferred = [
        (float(weight.partition("=")[2] or 1), name.partition("-")[0].lower())
        for name, weight in accepted if weight not in (";q=x", ";q=")
    ]  # fmt: skip
    usable = [(share, name) for share, name in preferred if share and name in LANGUAGES]
    best = [name for share, name in usable if share == max(usable)[0]] if usable else ["en"]
    assert choose_language(requested, cookie, header) == [*known, *best][0]


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
        # An unknown language changes nothing.
        answer = site.ask("GET", f"{page}?language=xx", headers=heads["nl"])
        assert b"<h2>Praten</h2>" in answer.body
        assert b"set-cookie" not in dict(answer.headers)
        sent = {"seat": 9, "player": "random"}
        path = f"{table.path}/hand-over"
        error = site.ask("POST", path, sent, table.tokens[0], heads["nl"])
        assert (error.status, error.json["error"]) == (404, "er is geen plaats 9")
        error = site.ask(
            "POST", f"{table.path}/ready", {"ready": True}, table.tokens[0], heads["nl"]
        )
        assert error.json["error"] == "het spel is al begonnen"


@pytest.mark.parametrize(
    ("language", "player"), [("en", "Player"), ("nl", "Speler"), ("de", "Spieler")]
)
def test_a_player_without_a_name_is_named_in_the_language_of_the_reader(
    language: str, player: str, tmp_path: Path
) -> None:
    with Site(app(str(tmp_path))) as site:
        settings = {"players": 3, "sets": 4}
        table = Table(
            site, game="kwartet", settings=settings, seats=["me"] * 3, name=None, chat=True
        )
        (mover,) = table.look()["to_act"]
        table.move(mover, table.look(mover)["moves"][0])
        leaver, other = (mover + 1) % 3, (mover + 2) % 3
        sent = {"text": "hallo"}, table.tokens[leaver], {"accept-language": "de"}
        assert site.ask("POST", f"{table.path}/talk", *sent).status == 200
        head = {"accept-language": language}
        page = site.ask("GET", f"/t/{table.made['table']}", None, table.tokens[other], head)
        name = f"{player} {leaver + 1}"
        assert f'<b dir="auto">{name}</b>' in page.body.decode().partition('class="lines"')[2]
        table.post(leaver, "hand-over", seat=leaver, player="greedy")
        vote = {"version": table.look()["version"], "agree": True}
        refused = site.ask("POST", f"{table.path}/undo", vote, table.tokens[other], head)
        assert refused.status == 409
        assert refused.json["error"].startswith(f"{name} ")
