"""Languages of the pages: translation catalogues, and the choice of a language for a request.

The texts in the source code are English. A catalogue contains translations into another language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache, lru_cache
from importlib import resources
from typing import Any
from urllib.parse import parse_qs

from markupsafe import Markup
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as AsgiMessage

from quaternity.base.sentences import Message, MessageTemplate, Wording

LANGUAGES = {"en": "English", "nl": "Nederlands", "de": "Deutsch"}
"""Names of the supported languages, by language code."""

COOKIE = "language"

APPEARANCE_WORDS = (
    "green", "red", "purple", "blue", "one", "two", "three", "striped", "open", "solid", "diamond",
    "diamonds", "oval", "ovals", "squiggle", "squiggles", "big", "small", "circular", "square",
    "hollow",
)  # fmt: skip
"""English words that describe what cards of SET and pieces of Quarto look like."""

_CARD = re.compile(
    r"\b(one|two|three) (green|red|purple) (striped|open|solid) (diamonds?|ovals?|squiggles?)\b"
)
_QUOTED = re.compile(r"'(\{[^{}]*\})'")
_WORD = re.compile(rf"\b(?:{'|'.join(APPEARANCE_WORDS)})\b")

_language: ContextVar[str] = ContextVar("language", default="en")


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return a dictionary with the translation of each English text into a language.

    The dictionary is empty for English and for unknown languages.
    """
    from babel.messages.pofile import read_po

    file = resources.files("quaternity.web") / "locale" / f"{language}.po"
    if language not in LANGUAGES or not file.is_file():
        return {}
    with file.open("rb") as source:
        return {str(m.id): str(m.string) for m in read_po(source) if m.id and m.string}


def language() -> str:
    """Return the code of the language of the current request, such as "en"."""
    return _language.get()


def gettext(message: str) -> str:
    """Return a text in the language of the request, or in English if it has no translation.

    In an English text, straight quotation marks around a value become typographic.
    """
    translated = catalogue(_language.get()).get(message)
    return _QUOTED.sub(r"“\1”", message) if translated is None else translated


class TranslatedWording(Wording):
    """Writes messages (`Message`) in the language of the request."""

    def template(self, kind: MessageTemplate) -> str:
        """Return the translated template of a message, in which placeholders stand for values."""
        return gettext(kind.template)

    def _join(self, texts: Iterable[str]) -> str:
        return join_names(list(texts))


def translate(text: str) -> str:
    """Return the translation of a text or a message into the language of the request."""
    return TranslatedWording().say(text) if isinstance(text, Message) else gettext(text)


def whole_percent(chance: float) -> int:
    """Return a whole percentage. It is 0 or 100 only if the probability is exactly 0 or 1."""
    whole = round(100 * chance)
    return min(max(whole, 1), 99) if 0 < chance < 1 else whole


def percent(chance: float) -> str:
    """Return a probability as a whole percentage, such as "6%", "under 1%" or "over 99%"."""
    from babel.numbers import format_percent

    share = format_percent(whole_percent(chance) / 100, locale=language())
    if not 0 < chance < 1 or 0.01 <= chance <= 0.99:
        return share
    text = gettext("under {share}") if chance < 0.01 else gettext("over {share}")
    return text.format(share=share)


def long_date(day: date) -> str:
    """Return a date in words, such as "November 28, 2026"."""
    from babel.dates import format_date

    return format_date(day, "long", locale=language())


def join_names(names: Sequence[str]) -> str:
    """Return names as a list in words, such as "Ann, Ben and Cleo"."""
    *others, last = names or [""]
    return f"{', '.join(others)} {gettext('and')} {last}" if others else last


def translate_picture(svg: str) -> Markup:
    """Return an SVG picture with its words translated into the language of the request."""
    return Markup(re.sub(r">[a-z]+<", lambda match: translate_words(match[0]), svg))


def translate_words(text: str) -> str:
    """Translate the descriptions of cards and pieces in a text word by word.

    The description of a SET card becomes a phrase in which adjectives need no endings, such as "2
    Rauten (rot, offen)".
    """
    known = catalogue(_language.get())
    if not known:
        return text
    text = _CARD.sub(_card_phrase, text)
    return _WORD.sub(lambda match: known.get(match[0], match[0]), text)


def _card_phrase(match: re.Match[str]) -> str:
    number, colour, fill, shape = match.groups()
    digit = ("one", "two", "three").index(number) + 1
    phrase = gettext("{number} {colour} {fill} {shape}")
    return phrase.format(number=digit, colour=colour, fill=fill, shape=shape)


@contextmanager
def using_language(name: str) -> Iterator[None]:
    """Translate texts into a language as long as a `with` block runs."""
    token = _language.set(name)
    try:
        yield
    finally:
        _language.reset(token)


def page_words() -> Markup:
    """Return the translation of each English text in the scripts of the pages, as JSON."""
    return Markup("{}").format(json.dumps({text: gettext(text) for text in SCRIPT_WORDS}))


MAX_ACCEPT_LANGUAGE_LENGTH = 200
"""Maximum length of the part of the Accept-Language header that is parsed, in characters."""


def choose_language(asked: str, cookie: str, accepted: str) -> str:
    """Return the language for a request.

    The language in the query comes first, then the language in the cookie, then the languages in
    the Accept-Language header. Unknown languages are ignored, and English is the default.

    >>> choose_language("", "", "fr;q=0.9, de-AT;q=0.8, en;q=0.5")
    'de'
    >>> choose_language("xx", "nl", "de")
    'nl'
    """
    for name in (asked, cookie):
        if name in LANGUAGES:
            return name
    return _accepted(accepted[:MAX_ACCEPT_LANGUAGE_LENGTH])


@lru_cache(maxsize=1024)
def _accepted(accepted: str) -> str:
    wanted: list[tuple[float, int, str]] = []
    for number, part in enumerate(accepted.split(",")):
        name, _, weight = part.strip().partition(";")
        try:
            share = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            continue
        wanted.append((-share, number, name.partition("-")[0].lower()))
    return next((name for share, _, name in sorted(wanted) if share and name in LANGUAGES), "en")


class LanguageMiddleware:
    """Middleware that chooses the language in which the server answers a request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request in the language that is chosen for it.

        If the query names a language, the response stores it in a cookie.
        """
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        query = parse_qs(scope["query_string"].decode("latin-1")[:2000])
        asked = query.get(COOKIE, [""])[-1] if COOKIE in query else ""
        cookie = _cookie(headers.get(b"cookie", b"").decode("latin-1"))
        accepted = headers.get(b"accept-language", b"").decode("latin-1")
        token = _language.set(choose_language(asked, cookie, accepted))

        async def answer(message: AsgiMessage) -> None:
            if message["type"] == "http.response.start" and asked in LANGUAGES and asked != cookie:
                kept = f"{COOKIE}={asked}; Max-Age=31536000; Path=/; SameSite=Lax"
                message["headers"] = [*message["headers"], (b"set-cookie", kept.encode())]
            await send(message)

        try:
            await self.app(scope, receive, answer)
        finally:
            _language.reset(token)


def _cookie(text: str) -> str:
    pairs = (part.strip().partition("=") for part in text.split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")


def set_up_templates(environment: Any) -> None:
    """Add functions that translate texts to the environment of the Jinja templates."""
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(
        gettext, lambda one, many, number: gettext(one if number == 1 else many), newstyle=True
    )
    environment.globals.update(
        language=language, spoken=LANGUAGES, page_words=page_words, percent=percent,
        whole_percent=whole_percent,
    )  # fmt: skip
    environment.filters["in_list"] = lambda index, values: values[index]


SCRIPT_WORDS = (
    "Tap it again to ask.",
    "The page changed just as you tapped, so nothing was done.",
    "Not played:",
    "The server has not answered your last move: sending it again.",
    "Your choice is not complete yet.",
    "The link is copied.",
    "The server does not answer. Try again.",
    "The link",
    "The code",
    "The link as a QR code",
    "Why?",
    "Who can have it?",
    "Best questions",
    "who do you ask?",
    "you cannot ask anybody for it.",
    "Tap another card.",
    "yes",
    "under {share}",
    "over {share}",
    "The server does not answer.",
    "more",
    "moves since you left",
    "You no longer have a seat on this device: you can only watch here.",
    "Watch them",
    "Go to the current position",
    "The server does not answer: the mark was not saved.",
    "day",
    "days",
    "no mark",
    "has it",
    "does not have it",
    "may have it",
    "The result is copied.",
)
"""English texts that the scripts of the pages show."""
