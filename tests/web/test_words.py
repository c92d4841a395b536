"""Texts of pages: scores of a series, awaited seats, headlines, and words for one or many."""

import re
from datetime import date
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jinja2 import Environment

from quaternity.decks.deck import Deck, decks
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.table.games import registration
from quaternity.table.history import whole_events
from quaternity.table.match import Match
from quaternity.ternary.rules import MORE, SetMove, SetRules, SetSettings
from quaternity.web.drawing.frame import event_lines, table_context, waiting_context
from quaternity.web.drawing.words import SpokenDeck, seat_names
from quaternity.web.languages import LANGUAGES, gettext, percent, set_up_templates, using_language
from quaternity.web.publisher import GIVEN_TO_PROGRAM
from quaternity.web.puzzle_pages import puzzles_html
from quaternity.web.rendering import format_number
from quaternity.web.series import Score
from quaternity.web.table_view import SeatView, TableView
from tests.sizes import examples
from tests.web.test_boards import page_of, sight_of


@given(st.lists(st.sampled_from(["easy", "patient"]), min_size=4, max_size=4))
@settings(max_examples=examples(100))
def test_a_series_names_programs_as_the_table_does(players: list[str]) -> None:
    seats = tuple(SeatView(player, "program") for player in players)
    scores = tuple(Score(player, 0, 0, 0, seat, True) for seat, player in enumerate(players))
    match = Match(KwartetRules(KwartetSettings(players=4, sets=4)), ["you"] * 4, "1")
    for language in LANGUAGES:
        with using_language(language):
            view = sight_of(match, None)._replace(seats=seats, series=scores)
            shown = table_context(view, "", "", False)["series"]
        named = {score.seat: score.name for score in shown}
        assert named == dict(enumerate(seat_names(seats, "kwartet")))


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", ["Player 1", "Player 2", "Player 3", "easy program", "Player 2 was away"]),
        ("nl", ["Speler 1", "Speler 2", "Speler 3", "makkelijk programma", "Speler 2 was weg"]),
        ("de", ["Spieler 1", "Spieler 2", "Spieler 3", "leichtes Programm", "Spieler 2 war weg"]),
    ],
)
def test_absent_players_without_names_are_named_in_the_language_of_the_page(
    language: str, shown: list[str]
) -> None:
    """A program plays for the second player, and the third player and a program have left."""
    match = Match(KwartetRules(KwartetSettings(players=3, sets=4)), ["you"] * 3, "1")
    seats = (
        SeatView("player 0", "person"),
        SeatView("greedy", "program"),
        SeatView("easy", "person"),
    )
    program = registration("kwartet").levels[0].player
    scores = (
        Score("player 0", seat=0), Score("player 1", seat=1), Score("player 2"),
        Score(program, is_program=True), Score(program, seat=2), Score("Ann"),
    )  # fmt: skip
    with using_language(language):
        notice = GIVEN_TO_PROGRAM(name="player 1")
        view = sight_of(match, None)._replace(seats=seats, series=scores, notice=notice)
        drawn = table_context(view, "", "", False)
    names = [score.name for score in drawn["series"]]
    assert names == [*shown[:4], program, "Ann"]
    assert drawn["notice"].startswith(shown[4])


@pytest.mark.parametrize("may_start", [False, True])
@pytest.mark.parametrize("own", [(), (0,)])
def test_a_lobby_names_empty_seats_and_players_who_are_not_ready(
    may_start: bool, own: tuple[int, ...]
) -> None:
    match = Match(SetRules(SetSettings(seats=3)), ["you"] * 3, "1")
    kind_and_ready = product(("person", "open", "program"), (False, True))
    for three in product(kind_and_ready, repeat=3):
        seats = tuple(
            SeatView("ABC"[number], kind, ready=ready) for number, (kind, ready) in enumerate(three)
        )
        sight = sight_of(match, own[0] if own else None)
        sight = sight._replace(seats=seats, own_seats=own, may_start=may_start, begun=False)
        drawn = waiting_context(sight, "http://here", "")
        assert drawn["empty"] == [n for n, (kind, _) in enumerate(three) if kind == "open"]
        begins = own and all(kind != "open" and ready for kind, ready in three)
        assert ("countdown" in drawn["advice"]) == bool(begins)
        assert ("or when you start it" in drawn["advice"]) == (may_start and not begins)
        assert ("You are watching" in drawn["advice"]) == (not own and not may_start)
        busy = sum(not ready for _, ready in three) if own else 0
        assert ("Not ready" in drawn["advice"]) == (busy > 0)
        assert ("Not ready: 3." in drawn["advice"]) == (busy > 2)


@given(st.floats(0, 1), st.sampled_from(sorted(LANGUAGES)))
@example(0.0001, "de")
@example(0.9999, "nl")
@example(0.01, "en")
@example(0.99, "en")
def test_percentages_are_whole_and_only_certainties_are_0_or_100(chance: float, name: str) -> None:
    with using_language(name):
        text = percent(chance)
        bound = {gettext("under {share}"): 0.01, gettext("over {share}"): 0.99}
    (number,) = re.findall(r"\d+", text)
    assert abs(int(number) / 100 - chance) <= 0.01
    assert (number in ("0", "100")) == (chance in (0, 1))
    for words, share in bound.items():
        beyond = 0 < chance < share if share < 0.5 else share < chance < 1
        assert (words.partition(" {")[0] in text) == beyond


@pytest.mark.parametrize(
    ("name", "words"), [("en", "March 5, 2026"), ("nl", "5 maart 2026"), ("de", "5. März 2026")]
)
def test_dates_are_words_of_the_language(name: str, words: str) -> None:
    with using_language(name):
        html = puzzles_html(date(2026, 3, 5))
    assert f'<time datetime="2026-03-05">{words}</time>' in html


@given(st.integers(0, 10**30))
@example(10**14)
@example(10**15 - 1)
@example(10**15)
@settings(max_examples=examples(200))
def test_large_numbers_are_exact_up_to_fifteen_digits(number: int) -> None:
    text = format_number(str(number))
    if number < 10**15:
        assert text.replace(",", "") == str(number)
        assert "about" not in text
    else:
        first, power = text.removeprefix("about ").split(" × 10")
        exponent = int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
        assert Decimal(first) * 10**exponent <= number < (Decimal(first) + 1) * 10**exponent


@pytest.mark.parametrize("deck", decks(), ids=lambda deck: deck.name)
def test_a_deck_calls_sets_and_cards_by_its_names_or_by_numbers(deck: Deck) -> None:
    for language in LANGUAGES:
        with using_language(language):
            spoken = SpokenDeck(deck, language)
            for index in range(len(deck.sets) or 3):
                numbered = gettext("set {number}").format(number=index)
                name = deck.set_name(index, language) if deck.sets else numbered
                assert spoken.set_name(index) == name


@pytest.mark.parametrize("number", [0, 1, 2, 21])
def test_singular_and_plural_are_distinguished(number: int) -> None:
    environment = Environment(autoescape=True)
    set_up_templates(environment)
    template = "{% trans n=n %}{{ n }} card{% pluralize %}{{ n }} cards{% endtrans %}"
    text = environment.from_string(template).render(n=number)
    assert text == f"{number} card{'s' * (number != 1)}"


def test_cards_left_in_the_deck_are_counted_in_words() -> None:
    match: Match[Any, Any, Any] = Match(SetRules(SetSettings(seats=1, table=12)), ["you"], "1")
    while match.rules.to_act(match.position):
        view = match.view(0)
        page = " ".join(page_of(match, 0).split())
        assert f"{view.undealt} card{'s' * (view.undealt != 1)} in the deck" in page
        match.play(0, SetMove(view.threes[0]) if view.threes else MORE)


def draw_seats(draw: st.DrawFn) -> tuple[SeatView, ...]:
    """Draw three seats of any kind."""
    return tuple(
        SeatView(
            name, draw(st.sampled_from(["person", "open", "program"])), draw(st.booleans()),
            ready=draw(st.booleans()),
        )
        for name in "ABC"
    )  # fmt: skip


@st.composite
def sights(draw: st.DrawFn) -> TableView:
    """Draw a view of a game, in any state that a table may have."""
    match: Match[Any, Any, Any] = Match(KwartetRules(KwartetSettings(3, 3)), ["you"] * 3, "1")
    few = st.frozensets(st.integers(0, 2)).map(lambda numbers: tuple(sorted(numbers)))
    own = draw(few)
    return sight_of(match, draw(st.sampled_from([None, *own])))._replace(
        seats=draw_seats(draw), own_seats=own, to_act=draw(few), thinking=draw(few), undo=draw(few),
        empty_seats=draw(st.sampled_from([(), (), (0,), (1, 2)])),
        places=draw(st.sampled_from([None, None, (1, 2, 2), (2, 1, 3), (1, 1, 3)])),
        points=tuple(draw(st.sampled_from([0.0, 1.0, 2.0, 0.5])) for _ in range(3)),
    )  # fmt: skip


@given(sights(), st.booleans())
@settings(max_examples=examples(600))
def test_the_words_for_a_seat_are_true(sight: TableView, begun: bool) -> None:
    sight = sight._replace(begun=begun)
    chairs = table_context(sight, "", "", replayed=False)["chairs"]
    for number, (chair, seat) in enumerate(zip(chairs, sight.seats, strict=True)):
        thinks, is_own = number in sight.thinking, number in sight.own_seats
        waited_for = (sight.to_act or not begun) and not is_own and number not in sight.empty_seats
        says = {
            "you sit here": is_own and number == sight.seat and not sight.places,
            "not ready": not seat.ready,
            "✓ ready": seat.ready and seat.kind == "person" and not begun,
            "program": seat.kind == "program" and not thinks and not sight.places,
            "thinking": thinks,
            "nobody yet": seat.kind == "open",
            "away": bool(seat.kind == "person" and not seat.present and waited_for),
            "agrees to take back the move": number in sight.undo,
        } | {f"place {place}": sight.places is not None and sight.places[number] == place
             for place in (1, 2, 3)}  # fmt: skip
        assert {*chair.states} == {text for text in says if says[text]}
        assert (chair.is_own, chair.acting) == (is_own, number in sight.to_act)
        assert chair.score.unit == ("point" if sight.points[number] == 1 else "points")
        assert float(chair.score.points) == sight.points[number]


@given(sights(), st.booleans())
@settings(max_examples=examples(600))
def test_the_headline_says_whose_turn_it_is_and_who_has_won(
    sight: TableView, replayed: bool
) -> None:
    context = table_context(sight, "", "", replayed)
    text = f"{context['headline']} {context['advice']}"
    if replayed:
        sight = sight._replace(own_seats=(), to_act=())
    first = [n for n, place in enumerate(sight.places or ()) if place == 1]
    over = sight.places is not None
    now = not over and not replayed and bool(sight.to_act)
    acts = now and sight.seat in sight.to_act and not sight.empty_seats
    empty = [n for n in sight.to_act if sight.seats[n].kind == "open"]
    acting, winners = (
        " and ".join("ABC"[n] for n in seats).replace("A and B and", "A, B and")
        for seats in (sight.to_act, first)
    )
    says = {
        "You win": first == [sight.seat],
        f"{'ABC'[first[0]] if first else '?'} wins": len(first) == 1 and first != [sight.seat],
        "A shared win": len(first) > 1,
        f"{winners} share it.": len(first) > 1,
        "The game is over": len(first) == 1,
        "Moves: ": replayed and not over,
        "A recorded game": not over and not replayed and not now,
        "Your turn": acts,
        "Waiting for a player": now and not acts and bool(empty),
        f"{acting} is thinking": (
            now and not acts and not empty and not {*sight.thinking}.isdisjoint(sight.to_act)
        ),
        f"{acting} is to move": (
            now and not acts and not empty and {*sight.thinking}.isdisjoint(sight.to_act)
        ),
        "You are watching": now and not acts and not empty and not sight.own_seats,
        "Nobody can move before": now and not acts and bool(empty) and bool(sight.empty_seats),
    }
    assert {key for key in says if key in text} == {key for key in says if says[key]}


@given(sights())
@settings(max_examples=examples(200))
def test_a_player_may_hand_over_their_own_seats_and_unoccupied_ones(sight: TableView) -> None:
    context = table_context(sight, "", "", replayed=False)
    expected = [
        number
        for number, seat in enumerate(sight.seats)
        if number in sight.own_seats or seat.kind != "person" or not seat.present
    ]
    assert context["movable"] == (expected if sight.own_seats and sight.places is None else [])
    assert context["late"] == (sight.seat is not None and sight.seats[sight.seat].kind == "program")
    assert context["acting"] == (sight.seat in sight.to_act and not sight.empty_seats)
    assert context["title"].startswith("● ") == context["acting"]
    past = table_context(sight, "", "", replayed=True)
    assert not past["acting"]
    assert not past["movable"]
    assert past["tips"] == []


def test_a_page_has_the_last_hundred_events() -> None:
    match: Match[Any, Any, Any] = Match(
        KwartetRules(KwartetSettings(players=4, sets=13)), ["random"] * 4, "1"
    )
    counts = [0, 1, 99, 100, 101, 130]
    while counts:
        sight = sight_of(match, 0)
        events = event_lines(sight, whole_events(sight.moves))
        if len(events) < counts[0]:
            match.program_move()
            continue
        counts = [count for count in counts if count > len(events)]
        context = table_context(sight, "", "", replayed=False)
        assert context["history"] == events[::-1][:100]
        assert context["untold"] == (len(events) > 100)
        assert {event.number for event in events} == {*range(1, len(match.moves) + 1)}
