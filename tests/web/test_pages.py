"""Pages made from views: what they show, what they escape, and that they reveal nothing else."""

import json
import re
from datetime import date
from gzip import compress
from html import unescape
from itertools import chain, product, zip_longest
from random import Random
from string import Formatter
from types import SimpleNamespace
from typing import Any
from unicodedata import bidirectional
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quaternity import guide
from quaternity.base.errors import InputError
from quaternity.base.sentences import MessageTemplate
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.rules import QuaternityRules
from quaternity.game.sentences import MUST_HAVE, NO_TURN, PUTS_DOWN, WAITS, question_sentence
from quaternity.game.settings import Settings
from quaternity.insight.explanation import BOTH_POSSIBLE, IMPOSSIBLE, REFUSED
from quaternity.kwartet.chances import chance_of
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.quarto.players import careful_moves
from quaternity.quarto.rules import QuartoRules
from quaternity.table.games import GAMES, game_names, registration, rules_class
from quaternity.table.setting_fields import settings_of
from quaternity.ternary.rules import MORE, SetRules, SetSettings
from solvers.shortage import CARDS, EACH_KEEP, SHORT

pytest.importorskip("jinja2", reason="the table in a browser needs the extra web")
pytest.importorskip("starlette", reason="the table in a browser needs the extra web")

from quaternity.table.history import whole_events
from quaternity.web import http_errors, programs, publisher
from quaternity.web.chat import Line
from quaternity.web.clock import DAY, Clock
from quaternity.web.drawing.frame import draw_part, event_lines
from quaternity.web.drawing.owners import owner_blocks
from quaternity.web.drawing.words import move_text, page_words, plain_names, seat_names
from quaternity.web.forms import form_fields
from quaternity.web.hints import (
    IS_BETTER,
    IS_SAFE,
    LOSES,
    kwartet_know,
    kwartet_questions,
    quarto_reason,
    quaternity_reason,
    questions,
)
from quaternity.web.http_errors import HttpError
from quaternity.web.languages import LANGUAGES, catalogue, translate, using_language, whole_percent
from quaternity.web.new_table import parse_upload, rules_with
from quaternity.web.puzzle_pages import daily_puzzles
from quaternity.web.rendering import (
    guide_html,
    guide_pictures,
    help_html,
    home_html,
    join_html,
    learn_html,
    new_html,
    static,
    static_files,
    table_html,
)  # fmt: skip
from quaternity.web.seats import default_name
from quaternity.web.table_form import read_form
from quaternity.web.table_view import (
    GameView,
    PlayerStatus,
    SeatView,
    TableInfo,
    TableStatus,
    TableView,
    Viewpoint,
)
from tests.sizes import examples

BASE = "http://192.168.1.20:8000"
QUATERNITY = QuaternityRules(Settings(4, 3, 3))
KWARTET = KwartetRules(KwartetSettings(players=3, sets=4))

LARGE_GAMES = [
    QuaternityRules(Settings(4, 16, 8)), QuaternityRules(Settings(4, 24, 8)),
    QuaternityRules(Settings(4, 50, 8)), QuaternityRules(Settings(2, 96, 12)),
    QuaternityRules(Settings(6, 12, 4)), KwartetRules(KwartetSettings(players=8, sets=20)),
    KwartetRules(KwartetSettings(players=8, sets=19, set_size=10, aside=6)),
    SetRules(SetSettings(seats=8, table=18)),
]  # fmt: skip
"""Rules of games with many cards and players. Some have as many as the form for tables allows."""


def simulate(rules: Any, moves: int, seed: int = 1) -> Any:
    """Return a game after some random moves: its positions, and the steps that everybody saw."""
    random, steps = Random(seed), []
    positions = [rules.start(random)]
    for _ in range(moves):
        acting = rules.to_act(positions[-1])
        if not acting:
            break
        move = random.choice(list(rules.moves(rules.view(positions[-1], acting[0]))))
        after = rules.after(positions[-1], acting[0], move)
        events = tuple(rules.events(positions[-1], acting[0], move, after))
        steps.append(SimpleNamespace(seat=acting[0], move=move, events=events))
        positions.append(after)
    return SimpleNamespace(rules=rules, positions=positions, steps=tuple(steps))


def sight(game: Any, seat: int | None, **more: Any) -> TableView:
    """Return the view that a seat has of a game now."""
    rules, position, count = game.rules, game.positions[-1], len(game.steps)
    seats = tuple(SeatView(f"Person {number}", "person", True) for number in range(rules.seats))
    over = not rules.to_act(position)
    shown = TableView(
        TableInfo("T" * 22, rules.name, rules, {"players": rules.seats}, help=True),
        GameView(
            count, count, tuple(rules.to_act(position)), rules.view(position, seat), game.steps,
            tuple(rules.points(position)), rules.places(position),
            game.positions[0] if over else None,
        ),
        Viewpoint(seat, () if seat is None else (seat,)),
        TableStatus(count, seats),
        PlayerStatus(),
    )  # fmt: skip
    return shown._replace(**more)


def mover(game: Any) -> int:
    """Return the player to move."""
    return int(game.rules.to_act(game.positions[-1])[0])


def moves_in(html: str, legal: bool = True) -> set[str]:
    """Return the moves that can be clicked in a page, or those that only say why they cannot."""
    buttons = re.findall(r"<button[^>]*data-move=\"([^\"]*)\"([^>]*)>", html)
    return {text for text, rest in buttons if ("aria-disabled" in rest) != legal}


@pytest.mark.parametrize("rules", [QUATERNITY, KWARTET], ids=lambda rules: rules.name)
@pytest.mark.parametrize("count", [0, 3, 8])
def test_exactly_the_legal_moves_can_be_clicked(rules: Any, count: int) -> None:
    game = simulate(rules, count)
    seat = mover(game)
    view = rules.view(game.positions[-1], seat)
    html = table_html(sight(game, seat), BASE)
    legal = {rules.write(move) for move in rules.moves(view)}
    assert {rules.write(rules.read(text, view)) for text in moves_in(html)} == legal
    for other in {*range(rules.seats), None} - {seat}:
        assert not moves_in(table_html(sight(game, other), BASE))


def test_only_the_asked_player_gets_two_buttons() -> None:
    game = next(
        game for seed in range(99) if (game := simulate(QUATERNITY, 3, seed)).positions[-1].pending
    )
    seat = mover(game)
    html = table_html(sight(game, seat), BASE)
    assert moves_in(html) == {"yes", "no"}
    assert f"→ you: {game.positions[-1].pending.card}?" in html
    assert "yes" not in moves_in(table_html(sight(game, None), BASE))


HOSTILE = "<script>alert(1)</script>\"' & {{ 7 * 7 }}"


def test_names_are_escaped_wherever_they_stand() -> None:
    game = simulate(QUATERNITY, 8)
    seats = tuple(SeatView(HOSTILE, "person", True) for _ in range(3))
    html = table_html(sight(game, 0, seats=seats, notice=HOSTILE), BASE)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "{{ 7 * 7 }}" in html


NAMES = ["player 1", "0 asks 2", "players 0 and 1"]
"""Names that look like a page's words for seats."""


@pytest.mark.parametrize("rules", [QUATERNITY, KWARTET], ids=lambda rules: rules.name)
def test_any_names_are_put_in_once(rules: Any) -> None:
    """A page with awkward names is the page with plain ones, after replacing each name."""
    game = simulate(rules, 14)
    explained = {"lines": [
        SHORT(who=(0, 1), amount=CARDS(count=5), share=EACH_KEEP(who=(0, 1, 2), least="1")),
        MUST_HAVE(who=2, card=(0, 1), proof=question_sentence(Question(0, 1, Card(0, 2)))),
        PUTS_DOWN(who=1, set=2),
    ]}  # fmt: skip
    pages = []
    for names in (["<Ann>", "<Ben>", "<Cleo>"], NAMES):
        seats = tuple(SeatView(name, "person", True) for name in names)
        shown = sight(game, mover(game), seats=seats)
        helps = (help_html(shown, "why", explained, {}), help_html(shown, "know", {}, {}))
        pages.append(table_html(shown, BASE) + "".join(helps))
    assert "&lt;Ben&gt; has card 0/2" in pages[0]
    for plain, awkward in zip(["Ann", "Ben", "Cleo"], NAMES, strict=True):
        pages[0] = pages[0].replace(f"&lt;{plain}&gt;", awkward)
    assert pages[0] == pages[1]
    assert "player 1 and 0 asks 2 must hold" in pages[1]
    assert "0 asks 2 puts down set 2" in pages[1]


def test_numbers_in_formulas_are_not_called_numbers_of_seats() -> None:
    """Pages count seats from 1, but formulas count players from 0."""
    shown = sight(simulate(KWARTET, 4), None)
    shown = shown._replace(seats=tuple(SeatView("Ann", "person", True) for _ in shown.seats))
    page = help_html(shown, "know", {}, {})
    assert "<code>0</code> Ann (1)" in re.sub("[\u2066-\u2069]", "", page)
    assert "Seat number" not in page


def test_knowledge_is_explained_in_the_language_of_the_reader() -> None:
    game = simulate(KWARTET, 4)
    shown = sight(game, mover(game))
    pages = {}
    for language in LANGUAGES:
        query = {"formula": "H0 0/0", "why": "1"}
        with using_language(language):
            page = help_html(shown, "know", kwartet_know(KWARTET, shown.view, "", query), query)
        pages[language] = re.sub("<[^>]*>", " ", page)
    words = [{*re.findall(r"\b[a-zäöüß]{4,}", page)} for page in pages.values()]
    english = words[[*LANGUAGES].index("en")]
    assert english
    for other in words:
        assert other is english or other.isdisjoint(english), other & english


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_not_translated(language: str) -> None:
    """This holds even for words for the properties of a card, which pages translate."""
    kinds = [*vars(http_errors).values(), *vars(programs).values(), *vars(publisher).values()]
    templates = [kind for kind in kinds if isinstance(kind, MessageTemplate)]
    about = {"name": "red", "names": ["two", "solid", "open"], "program": "green", "seat": 0}
    checked = 0
    for kind in templates:
        fields = {name for _, name, _, _ in Formatter().parse(kind.template) if name}
        if not fields <= about.keys():
            continue
        sentence = kind(**{name: about[name] for name in fields})
        wanted = re.findall(r"\w+", " ".join(str(about[name]) for name in fields - {"seat"}))
        with using_language(language):
            for text in (page_words("plain", ()).say(sentence), translate(sentence)):
                assert {*wanted} <= {*re.findall(r"\w+", text)}
                assert language == "en" or " and " not in text
        checked += bool(wanted)
    assert checked >= 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_explained_question_has_one_question_mark(language: str) -> None:
    asked = question_sentence(Question(0, 1, Card(0, 2)))
    lines = [
        REFUSED(question=asked, fault=NO_TURN()),
        BOTH_POSSIBLE(question=asked),
        IMPOSSIBLE(question=asked, answer=Answer.NO, reason=NO_TURN()),
    ]
    with using_language(language):
        shown = sight(simulate(QUATERNITY, 0), 0)
        texts = re.findall("<p>(.*?)</p>", help_html(shown, "why", {"lines": lines}, {}))
    assert len(texts) == 3
    assert not [line for line in texts if re.search(r"\?\s*[a-z:]", line) or line.count("?") != 1]


@pytest.mark.parametrize(
    "names", [["דוד", "שרה", "Ann"], ["أحمد", "ليلى", "ליאה"], ["١٢", "١٣", "١٤"]]
)
def test_names_from_right_to_left_do_not_turn_the_text_between_them(names: list[str]) -> None:
    seats = tuple(SeatView(name, "person", True) for name in names)
    shown = sight(simulate(QUATERNITY, 6), 0, seats=seats)
    for event in event_lines(shown, whole_events(shown.moves)):
        outside = re.sub("\u2068[^\u2068\u2069]*\u2069", "", event.text)
        assert {bidirectional(letter) for letter in outside}.isdisjoint({"R", "AL", "AN"})
    assert seat_names(seats) == plain_names(seats), "no numbers where names differ"


@pytest.mark.parametrize(
    ("language", "player"), [("en", "Player"), ("nl", "Speler"), ("de", "Spieler")]
)
def test_pages_count_players_without_names_from_1(language: str, player: str) -> None:
    seats = tuple(SeatView(default_name(number), "person") for number in range(3))
    lines = tuple(Line(number, number, default_name(number), "hi") for number in range(3))
    with using_language(language):
        shown = sight(simulate(QUATERNITY, 6), 0, seats=seats, lines=lines, chat=True)
        html = table_html(shown, BASE)
    for number in range(3):
        assert html.count(f">{player} {number + 1}</b>") == 2, "in the seat and in the chat"
    assert not re.search(rf"{player} (0|4)|{default_name(0)}", html)


def test_seats_are_distinguished_whatever_their_names() -> None:
    names = ["Ann", "Ann", "Ann (1)", "Seat 5", None, "Ann (2)"]
    shown = seat_names([SeatView(name, "person") for name in names])
    assert len(set(shown)) == len(names)
    alike = [SeatView(name, "person") for name in ("O'Neil", "O\u2019Neil", "Ann")]
    assert seat_names(alike) == ["O'Neil (1)", "O\u2019Neil (2)", "Ann"]
    seats = tuple(SeatView(name, "person") for name in ["Ann", "Ann", "Ben"])
    html = table_html(sight(simulate(QUATERNITY, 0), 0, seats=seats), BASE)
    numbers = re.findall(r'class="who[^>]*>.*?<b [^>]*>(.*?)</b>(?:<small>(.*?)</small>)?', html)
    assert numbers == [("Ann", "(1)"), ("Ann", "(2)"), ("Ben", "")]


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
    for html in pages:
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", html)
        assert re.findall(r"<script([^>]*)>", html) == [
            f' type="module" src="{static("table.js")}"'
        ]
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", html)


@pytest.mark.parametrize("seat", [0, 1, 2, None])
def test_a_page_of_kwartet_is_the_same_for_deals_that_look_the_same(seat: int | None) -> None:
    """Hidden cards leave no trace, at any moment before the end."""
    for count in (0, 5, 11):
        game = simulate(KWARTET, count)
        position = game.positions[-1]
        like = KWARTET.like(KWARTET.view(position, seat), Random(5))
        other = SimpleNamespace(rules=KWARTET, positions=[like], steps=game.steps)
        assert table_html(sight(game, seat), BASE) == table_html(sight(other, seat), BASE)
        other_seat = mover(game) if seat != mover(game) else (mover(game) + 1) % 3
        assert table_html(sight(game, seat), BASE) != table_html(sight(game, other_seat), BASE)


def test_hands_are_revealed_at_the_end_and_not_before() -> None:
    game = simulate(KWARTET, 999)
    assert "The hands as dealt" in table_html(sight(game, None), BASE)
    assert "The hands as dealt" not in table_html(sight(simulate(KWARTET, 20), None), BASE)


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


@pytest.mark.parametrize("brisk", [False, True])
@pytest.mark.parametrize("name", ["quaternity", "kwartet"])
def test_a_card_says_which_players_can_be_asked_and_why_others_cannot(
    name: str, brisk: bool
) -> None:
    kwartet = KwartetSettings(players=3, sets=4, own_card_requests=not brisk)
    rules: Any = (
        KwartetRules(kwartet)
        if name == "kwartet"
        else QuaternityRules(Settings(4, 3, 3, brisk=brisk))
    )
    refusals = set[str]()
    for moves, seed in product(range(0, 60, 4), range(4)):
        game = simulate(rules, moves, seed)
        if not rules.to_act(game.positions[-1]):
            continue
        shown = sight(game, mover(game))
        drawn, view = draw_part(shown), rules.view(game.positions[-1], shown.seat)
        done = [block.is_done for block in drawn["blocks"]]
        for block in drawn["blocks"]:
            for row, cell in ((line, cell) for line in block.rows for cell in line.cells):
                tile = drawn["tiles"][block.set_index][cell.card]
                askable = [seat for seat, *_ in json.loads(tile.asks)]
                assert cell.legal == (row.seat in askable)
                assert (cell.move is None) == (row.seat == shown.seat)
                assert row.least >= sum(other.state == "certain" for other in row.cells)
                if name == "quaternity" or tile.owners:
                    owner_state = "certain" if len(tile.owners) == 1 else "possible"
                    assert cell.state == (owner_state if row.seat in tile.owners else "impossible")
        for tile in chain.from_iterable(drawn["tiles"]) if drawn["asking"] else ():
            if done[tile.card.set_index]:
                continue
            asks, grouped = json.loads(tile.asks), json.loads(tile.refused)
            refused = [[seat, why] for seats, why in grouped for seat in seats]
            assert len({why for _, why in grouped}) == len(grouped)
            owners = [other_tile.owners for other_tile in drawn["tiles"][tile.card.set_index]]
            others = [seat for seat in range(3) if seat != shown.seat]
            assert sorted(seat for seat, *_ in asks + refused) == others
            for seat, *_ in asks + refused:
                question = Question(mover(game), seat, tile.card)
                assert bool(rules.faults(view, question)) == (seat in dict(refused))
            for seat, why in refused:
                assert why == reason(name, owners, tile.card.number, mover(game), seat, view)
                refusals.add(why)
    assert len(refusals) >= (5 if brisk and name == "quaternity" else 2)


def reason(
    name: str, owners: list[tuple[int, ...]], number: int, asker: int, asked: int, view: Any
) -> str:
    """Return the shown reason why a player cannot be asked, given the possible owners of a set."""
    hands = view.public.hands if name == "kwartet" else view.state.hands
    if not hands[asked]:
        return "has no cards"
    if owners[number] == (asker,):
        return "you have it"
    if not any(asker in may for other, may in enumerate(owners) if other != number):
        return f"you have no {'' if name == 'kwartet' else 'other '}card of this set"
    return (
        "cannot have it"
        if asked not in owners[number]
        else "the question would contradict what is known"
    )


@pytest.mark.parametrize("game", ["quaternity", "kwartet", "quarto", "set"])
def test_programs_of_a_level_have_different_names_and_a_face(game: str) -> None:
    levels = registration(game).levels
    assert len({level.face for level in levels}) == len(levels)
    for level in levels:
        names = seat_names([SeatView(level.player, "program")] * 12, game)
        assert len({*names}) == 12
        assert not {level.player, level.name.capitalize()} & {*names}
        assert not [name for name in names if re.search(r"\W", name)]
    others = [SeatView("other", "program"), SeatView(levels[0].player, "person")]
    assert seat_names(others, game) == ["other", levels[0].player]
    rules = rules_class(game)()
    seats = tuple(SeatView(levels[0].player, "program") for _ in range(rules.seats))
    shown = sight(simulate(rules, 0), None, seats=seats)
    for page in (table_html(shown, BASE), table_html(shown._replace(begun=False), BASE)):
        assert page.count(f"{levels[0].face}</span>") == rules.seats


def test_a_name_keeps_its_capitals_while_a_question_waits() -> None:
    game = simulate(QUATERNITY, 0)
    position = game.positions[0]
    asked = game.rules.after(position, 0, Question(0, 1, Card(0, 2)))
    game.positions.append(asked)
    names = ["ann McLee", "Ben", "Cleo"]
    seats = tuple(SeatView(name, "person", True) for name in names)
    asks = "→ Ben: 0/2? Either answer is possible."
    assert f"ann McLee {asks}" in table_html(sight(game, 2, seats=seats), BASE)
    assert f"You {asks}" in table_html(sight(game, 0, seats=seats), BASE)


def test_a_hint_and_a_fault_call_players_by_their_names() -> None:
    game = simulate(QUATERNITY, 0)
    question = Question(0, 1, Card(0, 2))
    more = quaternity_reason(game.positions[0], question)
    assert more == {"owners": [0, 1, 2]}
    hint = {"move": move_text(question, str(question)), "by": "search", **more}
    html = help_html(sight(game, 0), "hint", hint, {})
    assert "<b>Ask Person 1 for 0/2</b>" in html
    assert "3 players may have it" in html
    assert "search" not in html, "a hint does not name the program"
    only = help_html(sight(game, 0), "hint", hint | {"owners": [2]}, {})
    assert "Only Person 2 can have it." in only
    assert move_text(MORE, "more") == "more"
    faults = game.positions[0].state.faults(Question(1, 9, Card(0, 2)))
    html = help_html(sight(game, 0), "why", {"lines": faults}, {})
    assert "it is the turn of Person 0, not of Person 1" in html
    assert "player 9 is out of range 0..2" in html


@pytest.mark.parametrize(
    ("rules", "move", "says"),
    [
        (QUATERNITY, "yes", {"en": "Answer Yes", "nl": "Antwoord Ja", "de": "Mit Ja antworten"}),
        (SetRules(), "more", {"en": "Agree to three more cards"}),
        (QuartoRules(), "hand over I", {"en": "Hand over I", "nl": "Geef I", "de": "I übergeben"}),
        (QuartoRules(), "place it on H1V2", {"en": "Place it on H1V2", "de": "Auf H1V2 setzen"}),
        (
            SetRules(),
            "claim 0 1 40",
            {"en": "Claim one red open diamond, two red open diamonds, two green"},
        ),
    ],
)
def test_a_hint_names_the_move_in_a_sentence(rules: Any, move: str, says: dict[str, str]) -> None:
    for code, text in says.items():
        with using_language(code):
            html = help_html(sight(simulate(rules, 0), 0), "hint", {"move": move}, {})
            assert f"<b>{text}" in html


def test_a_hint_gives_a_reason_for_an_answer_and_for_a_lost_position_of_quarto() -> None:
    game = simulate(QUATERNITY, 1)
    assert game.positions[1].pending is not None
    assert quaternity_reason(game.positions[1], Answer.YES) == {"reason": IS_BETTER}
    rules, reasons = QuartoRules(), set()
    for seed in range(20):
        position, random = rules.start(Random(seed)), Random(seed)
        while rules.to_act(position):
            move = random.choice(list(rules.iter_moves(position)))
            after = rules.after(position, rules.to_act(position)[0], move)
            if move.hand_over is not None:
                loses = careful_moves(after)[0].hand_over is None and len(after.board.left) > 1
                reason = quarto_reason(position, move)["reason"]
                assert reason == (LOSES if loses else IS_SAFE) or len(after.board.left) == 1
                reasons.add(reason)
            position = after
    assert len(reasons) == 2


def test_pages_are_small() -> None:
    """The sizes are those of compressed files, as browsers receive them."""
    files = sum(len(compress(data, 1)) for data in static_files().values())
    for rules in (QuaternityRules(Settings(4, 13, 4)), KwartetRules()):
        game = simulate(rules, 300)
        seat = next(iter(rules.to_act(game.positions[-1])), 0)
        html = table_html(sight(game, seat), BASE)
        assert len(compress(html.encode(), 1)) + files < 100_000


@pytest.mark.parametrize("rules", LARGE_GAMES)
def test_pages_are_small_without_compression(rules: Any) -> None:
    for moves in (0, 20, 60):
        game = simulate(rules, moves)
        seat = next(iter(rules.to_act(game.positions[-1])), 0)
        for language, helps in product(LANGUAGES, (True, False)):
            with using_language(language):
                html = table_html(sight(game, seat, help=helps), BASE)
            assert len(html.encode()) < 200_000


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
        ({"game": ["set"], "length": ["normal"], "clock": ["x"]}, "clock: must be one of none"),
    ],
)  # fmt: skip
def test_a_wrong_form_is_refused(sent: dict[str, list[str]], says: str) -> None:
    with pytest.raises(HttpError, match=says):
        read_form(sent)


def may_play(game: str, seats: int) -> bool:
    """Return whether a table with this many seats may be made."""
    try:
        return bool(rules_with(game, {}, seats).seats == seats)
    except HttpError:
        return False


@pytest.mark.parametrize("rules", [QUATERNITY, KWARTET], ids=lambda rules: rules.name)
def test_a_moment_of_a_game_offers_nothing_to_click(rules: Any) -> None:
    game = simulate(rules, 4)
    html = table_html(sight(game, mover(game), last=9), BASE, replayed=True)
    assert "data-move" not in html
    assert "data-api" not in html
    assert f"Moves: {2 if rules is QUATERNITY else 4}<" in html  # an answer is not a move
    assert f"/t/{'T' * 22}/at/5" in html


@pytest.mark.parametrize("seat", [None, 1])
def test_links_to_moments_keep_the_seat_of_the_viewer(seat: int | None) -> None:
    game = simulate(KWARTET, 5)
    replay = table_html(sight(game, seat, last=9), BASE, replayed=True)
    query = "" if seat is None else "?seat=1"
    steps = replay.partition('<nav class="replay"')[2].partition('class="eyes"')[0]
    assert {*re.findall(r'/at/\d+([^"]*)" data-go', steps)} == {query}
    assert f'/at/{{n}}{query}"' in replay
    assert re.findall(r'/at/\d+([^"]*)"', table_html(sight(game, seat), BASE)) == [""]


@pytest.mark.parametrize("moves", [3, 999])
def test_a_table_is_played_and_watched_and_a_record_is_only_viewed(moves: int) -> None:
    game = simulate(QUATERNITY, moves)
    under_way, over = table_html(sight(game, 0, revealed=None), BASE), moves == 999
    assert ("Play again" in under_way) == over
    assert "Take back" in under_way
    assert f'value="{BASE}/t/{"T" * 22}"' in under_way
    if not over:
        record = table_html(sight(game, 0, to_act=()), BASE)
        assert "Take back" not in record
        assert f'value="{BASE}/t/{"T" * 22}"' not in record


@given(st.lists(st.floats(0, 1), min_size=12, max_size=12))
@example([0.0, 1.0, 1e-9, 0.004, 0.006, 0.01, 0.5, 0.99, 0.994, 0.996, 1 - 1e-9, 1 / 3])
@settings(max_examples=examples(200))
def test_a_chance_in_percent_looks_neither_impossible_nor_certain(chances: list[float]) -> None:
    game = simulate(QUATERNITY, 0)
    state = game.positions[0].state
    table = [[[chances[4 * index + card]] * 3 for card in range(4)] for index in range(3)]
    blocks = owner_blocks(state.problem, state.completed, sight(game, 0), (), table)
    for chance, cell in zip(
        chances,
        (row.cells[card] for b in blocks for row in b.rows[:1] for card in range(4)),
        strict=True,
    ):
        assert (cell.chance is None) == (chance in (0, 1))
        if cell.chance is not None:
            shown = whole_percent(cell.chance)
            assert 1 <= shown <= 99
            assert abs(shown - 100 * chance) <= (0.5 if 0.01 <= chance <= 0.99 else 1)


def viewers_in(html: str) -> list[str]:
    """Return the seats from which a moment can be viewed."""
    match = re.search(r'class="eyes">Seen by (.*?)</p>', html)
    return re.sub(r"<[^>]*>", "", match[1]).split(", ") if match else []


def test_a_hidden_game_is_watched_from_every_seat_when_it_is_over() -> None:
    under_way = table_html(sight(simulate(KWARTET, 4), 1, last=9), BASE, replayed=True)
    assert viewers_in(under_way) == ["everybody", "Person 1"]
    over = table_html(sight(simulate(KWARTET, 999), 1), BASE, replayed=True)
    assert viewers_in(over) == ["everybody", "Person 0", "Person 1", "Person 2"]
    open_game = table_html(sight(simulate(QUATERNITY, 999), 1), BASE, replayed=True)
    assert viewers_in(open_game) == []


@pytest.mark.parametrize("rules", [QUATERNITY, KWARTET], ids=lambda rules: rules.name)
def test_the_card_of_the_last_question_stands_out(rules: Any) -> None:
    game = simulate(rules, 2)
    about = game.steps[-1].events[0].data
    html = table_html(sight(game, 0), BASE)
    (label,) = re.findall(r'class="cell [^"]* asked"[^>]*aria-label="([^"]*)"', html)
    assert label.startswith(f"{about['card']}, Person {about['asked']} ")
    start = table_html(sight(simulate(rules, 0), 0), BASE)
    assert not re.search(r'class="cell [^"]* asked"', start)


def test_a_player_with_several_seats_can_change_between_them() -> None:
    shown = sight(simulate(QUATERNITY, 4), 1)
    seat_attribute = re.compile(r'<div class="table [^>]* data-seat="(\d)"')
    assert seat_attribute.findall(table_html(shown, BASE)) == []
    html = table_html(shown._replace(own_seats=(0, 1)), BASE)
    assert seat_attribute.findall(html) == ["1"]
    assert html.count(">sit here<") == 1


def test_a_record_that_ends_early_says_so() -> None:
    html = table_html(sight(simulate(QUATERNITY, 4), None, to_act=()), BASE)
    assert "A recorded game" in html
    assert "Take back" not in html


def test_a_forced_answer_is_marked_for_its_player() -> None:
    for seed in range(99):
        game = simulate(QUATERNITY, 12, seed)
        about = game.steps[-1].events[0].data
        if about["forced"] and game.rules.to_act(game.positions[-1]):
            break
    html = table_html(sight(game, about["asked"]), BASE)
    assert f"You had to say {about['answer']}" in html
    assert "You had to say" not in table_html(sight(game, None), BASE)


def test_chances_are_shown_in_the_cells_of_quaternity_reason() -> None:
    game = simulate(QUATERNITY, 0)
    third = [[[1 / 3] * 3] * 4] * 3
    shown = sight(game, 0)
    result = {"deals": "34650", "chances": third, "exact": True}
    html = help_html(shown, "chances", result, {})
    assert html.count(">33</") == 36
    assert "34,650" in html
    assert moves_in(html) == moves_in(table_html(shown, BASE))
    uncounted = help_html(shown, "chances", result | {"deals": None, "chances": NONE}, {})
    assert "too many deals to count" in uncounted


def test_chances_read_from_requests_say_that_they_prove_nothing() -> None:
    shown = sight(simulate(KWARTET, 0), 0)
    third, half = ([[[share] * 3] * 4] * 4 for share in (1 / 3, 1 / 2))
    result = {"deals": "9", "chances": third, "read": half, "exact": True}
    html = help_html(shown, "chances", result, {"read": "1"})
    assert ">50</" in html
    assert "not proved" in html
    assert "no proof" not in help_html(shown, "chances", result, {})
    assert help_html(sight(simulate(QUATERNITY, 0), 0), "chances", result | {"read": NONE}, {})


NONE: Any = [[[None] * 3] * 4] * 3


def test_a_formula_is_escaped() -> None:
    shown = sight(simulate(KWARTET, 0), 0)
    html = help_html(shown, "know", {"known": None, "text": HOSTILE}, {"formula": HOSTILE})
    assert "<script>" not in html


def test_help_says_what_is_known_why_and_since_when() -> None:
    game = simulate(KWARTET, 12)
    view = game.rules.view(game.positions[-1], 1)
    card = next(f"{index}/{mask.bit_length() - 1}" for index, mask in enumerate(view.hand) if mask)
    result = kwartet_know(
        game.rules, view, "", {"formula": f"H1 {card}", "why": "1", "over_time": "1"}
    )
    assert result["known"] is True
    assert result["text"] == f"you know that H1 {card} is true"
    assert result["lines"][0].endswith("no request is needed")
    assert result["over_time"][-1] is True
    assert len(result["over_time"]) == len(view.events) + 1
    html = help_html(sight(game, 1), "know", result, {"formula": f"H1 {card}"})
    assert f"<title>true from {result['over_time'].index(True)}</title>" in html
    assert "style=" not in result["svg"]
    query = {"formula": f"H0 {HOSTILE}", "over_time": "1"}
    with pytest.raises(InputError, match="formula, column"):
        kwartet_know(game.rules, view, "", query)
    unknown_card = next(
        (index, number) for index, constraint in enumerate(view.problem.sets)
        for number, owners in enumerate(constraint.owners) if owners == 0b101
    )  # fmt: skip
    formula = "H0 {}/{} & 0 < 1".format(*unknown_card)
    result = kwartet_know(game.rules, view, "", {"formula": formula, "why": "1", "over_time": "1"})
    assert result["known"] is None
    assert result["text"].startswith(f"you do not know whether {formula}: true with ")
    assert result["lines"][0] == "true if"
    assert "player 0:" in result["lines"][1]
    html = help_html(sight(game, 1), "know", result, {"formula": formula})
    ElementTree.fromstring(result["svg"])
    assert "0 &lt; 1" in html
    assert "<p>true if</p>" in html


@pytest.mark.parametrize("page", guide.ORDER)
def test_pages_of_the_guide_find_their_pictures_and_each_other(page: str) -> None:
    html = guide_html(page)
    assert "<h1" in html
    pictures = set(re.findall(r'<img[^>]*src="([^"]+)"', html))
    assert pictures <= set(guide_pictures())
    linked = set(re.findall(r'<a href="([a-z-]+)(?:#[^"]*)?"', html))
    assert linked <= set(guide.ORDER)


def test_pictures_of_the_guide_keep_to_the_policy() -> None:
    for data in guide_pictures().values():
        assert b"style" not in data
        ElementTree.fromstring(data)  # no attribute is there twice


def test_help_offers_legal_moves_and_others_say_what_is_expected() -> None:
    waited = 0
    for count in range(24):
        game = simulate(QUATERNITY, count, seed=2)
        seat, view = mover(game), game.positions[-1]
        shown, legal = sight(game, seat), {*QUATERNITY.moves(view)}
        answer = questions(QUATERNITY, view, "", {})
        with using_language("de"):
            assert not re.search(r"\d\.\d", help_html(shown, "questions", answer, {}))
        html = help_html(shown, "questions", answer, {})
        assert {QUATERNITY.read(text, view) for text in moves_in(html)} <= legal
        for text in moves_in(table_html(shown, BASE), legal=False):
            faults = QUATERNITY.faults(view, QUATERNITY.read(text, view))
            if view.pending is not None:
                assert faults == [WAITS(question=question_sentence(view.pending))]
        waited += view.pending is not None
        assert ("data-move" in html) == (view.pending is None), "a question comes after an answer"
    assert waited


@pytest.mark.parametrize("game", sorted(game_names()))
def test_pages_use_correct_verbs_for_you_and_no_none_for_settings(game: str) -> None:
    names = re.findall(r'name="name" value="([^"]*)"', home_html())
    rules = rules_class(game)()
    done = simulate(rules, 500)
    record = done.rules.record_start(done.positions[0], ["you"] * rules.seats)
    for before, step, after in zip(done.positions, done.steps, done.positions[1:], strict=False):
        record += rules.record_move(before, step.seat, step.move, after)
    names += parse_upload(record.encode())[2]
    others = [SeatView(f"Ben {seat}", "person", True) for seat in range(1, rules.seats)]
    for name in sorted({*names}):
        seats = (SeatView(name, "person", True), *others)  # equal names would get numbers
        for count in (3, 30, 500):
            shown = sight(simulate(rules, count), 0, seats=seats, settings=settings_of(rules))
            html = table_html(shown, BASE)
            assert not re.search(r"\b[Yy]ou (has|completes|puts|places|claims|agrees|wins)\b", html)
            waiting = table_html(shown._replace(begun=False, view=None), BASE)
            for page in (html, waiting):
                assert "None" not in re.findall("<dd>(.*?)</dd>", page)
                assert "no limit" in page or None not in settings_of(rules).values()


@given(count=st.integers(0, 60), seed=st.integers(0, 9))
@settings(max_examples=examples(200))
def test_help_offers_the_likeliest_requests_of_kwartet(count: int, seed: int) -> None:
    game = simulate(KWARTET, count, seed=seed)
    seat = next(iter(game.rules.to_act(game.positions[-1])), 0)
    view = game.rules.view(game.positions[-1], seat)
    answer = kwartet_questions(game.rules, view, "", {})
    chances = [
        float(chance_of(view, Question(seat, entry["asked"], Card(entry["set"], number))))
        for entry in answer["questions"] for number in entry["cards"]
    ]  # fmt: skip
    assert [entry["yes"] for entry in answer["questions"]] == pytest.approx(chances)
    assert chances == sorted(chances, reverse=True)
    likely = {move for move in game.rules.moves(view) if chance_of(view, move)}
    html = help_html(sight(game, seat), "questions", answer, {})
    offered = {game.rules.read(text, view) for text in moves_in(html)}
    assert len(chances) == len(likely)
    assert offered <= likely
    assert len(offered) == min(25, len(likely))
    other = game.rules.view(game.positions[-1], (seat + 1) % game.rules.seats)
    assert kwartet_questions(game.rules, other, "", {})["questions"] == []
