"""Pages made from views: what they show, what they escape, and that they reveal nothing else."""

import json
import re
from itertools import chain, product
from random import Random
from string import Formatter
from types import SimpleNamespace
from typing import Any
from unicodedata import bidirectional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.base.sentences import MessageTemplate
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.game.rules import QuaternityRules
from quaternity.game.sentences import MUST_HAVE, PUTS_DOWN, question_sentence
from quaternity.game.settings import Settings
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from quaternity.table.games import game_names, registration, rules_class
from quaternity.table.setting_fields import settings_of
from solvers.shortage import CARDS, EACH_KEEP, SHORT

pytest.importorskip("jinja2", reason="the table in a browser needs the extra web")
pytest.importorskip("starlette", reason="the table in a browser needs the extra web")

from quaternity.table.history import whole_events
from quaternity.web import http_errors, programs, publisher
from quaternity.web.chat import Line
from quaternity.web.drawing.frame import draw_part, event_lines
from quaternity.web.drawing.words import page_words, plain_names, seat_names
from quaternity.web.languages import LANGUAGES, translate, using_language
from quaternity.web.new_table import parse_upload
from quaternity.web.rendering import (
    help_html,
    home_html,
    table_html,
)  # fmt: skip
from quaternity.web.seats import PROGRAM, Seat, default_name
from quaternity.web.table_view import SeatView
from tests.web.views import BASE, KWARTET, QUATERNITY, mover, moves_in, sight, simulate


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


@given(st.lists(st.none() | st.integers(0, 11), max_size=12))
def test_programs_at_a_table_have_different_first_names(joined_at: list[int | None]) -> None:
    player = registration("kwartet").levels[0].player
    origins = [None if seat is None else f"table/{seat}" for seat in joined_at]
    names = plain_names([Seat(PROGRAM, player, origin=origin) for origin in origins], "kwartet")
    assert len({*names}) == len(names)


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


@pytest.mark.parametrize(
    ("language", "player"), [("en", "Player"), ("nl", "Speler"), ("de", "Spieler")]
)
def test_a_default_name_in_another_seat_has_a_number(language: str, player: str) -> None:
    names = [f"{player.lower()}  3", default_name(1), "Ann"]
    with using_language(language):
        shown = seat_names([SeatView(name, "person") for name in names])
    assert shown == [f"{names[0]} (1)", f"{player} 2", "Ann"]


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
    # The board is shown until the story of the game has been loaded.
    assert "The hand of Person 1<" in table_html(sight(game, 1), BASE)
    assert "The hand of" not in table_html(sight(game, None), BASE)
    assert "The hands as dealt" not in table_html(sight(simulate(KWARTET, 20), None), BASE)


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
    assert "ann McLee → you: 0/2?" in table_html(sight(game, 1, seats=seats), BASE)


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


def test_the_card_of_a_question_stands_out_when_another_set_is_put_down() -> None:
    own, games = AnnounceTiming.AFTER_OWN_REQUEST, 0
    rules = KwartetRules(KwartetSettings(2, 4, own, set_size=2))
    for seed in range(20):
        game = simulate(rules, 1, seed)
        about, *more = game.steps[-1].events
        if more and about.data["card"].set_index not in [event.data["set"] for event in more]:
            html = table_html(sight(game, None), BASE)
            (label,) = re.findall(r'class="cell [^"]* asked"[^>]*aria-label="([^"]*)"', html)
            assert label.startswith(f"{about.data['card']}, Person {about.data['asked']} ")
            games += 1
    assert games


def test_a_player_with_several_seats_can_change_between_them() -> None:
    shown = sight(simulate(QUATERNITY, 4), 1)
    seat_attribute = re.compile(r'<div class="table [^>]* data-seat="(\d)"')
    assert seat_attribute.findall(table_html(shown, BASE)) == []
    html = table_html(shown._replace(own_seats=(0, 1)), BASE)
    assert seat_attribute.findall(html) == ["1"]
    assert html.count(">sit here<") == 1


@pytest.mark.parametrize("rules", [QUATERNITY, KWARTET], ids=lambda rules: rules.name)
@pytest.mark.parametrize("count", [0, 1])
def test_a_player_for_whom_a_program_plays_is_not_asked_to_move(rules: Any, count: int) -> None:
    game = simulate(rules, count)
    shown = sight(game, mover(game))
    assert "A program plays for you" not in table_html(shown, BASE)
    seats = list(shown.seats)
    seats[mover(game)] = SeatView("Ann", "program")
    html = table_html(shown._replace(seats=tuple(seats)), BASE)
    assert re.findall(r"<h1 [^>]*>([^<]*)", html) == ["A program plays for you"]
    assert "Tap a card" not in html
    assert "Your turn" not in html
    assert not moves_in(html)


def test_the_sets_of_a_result_are_separated() -> None:
    html = table_html(sight(simulate(KWARTET, 999), 0), BASE)
    results = re.findall(r"<li>.*</li>", html[html.index('class="winner"') :][:9000])
    words = [re.sub("<[^>]*>", "", line) for line in results]
    assert sum(bool(re.search(r" \d points?: [^:]*$", line)) for line in words) >= 2, words
    assert any(", " in line for line in words)


def test_a_forced_answer_is_marked_for_its_player() -> None:
    for seed in range(99):
        game = simulate(QUATERNITY, 12, seed)
        about = game.steps[-1].events[0].data
        if about["forced"] and game.rules.to_act(game.positions[-1]):
            break
    html = table_html(sight(game, about["asked"]), BASE)
    assert f"You had to say “{about['answer']}”" in html
    assert "You had to say" not in table_html(sight(game, None), BASE)


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
