"""Pages of Quarto and SET: what they show, and what can be clicked in them."""

import re
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.quarto.rules import QuartoRules, QuartoSettings
from quaternity.table.history import History, whole_events
from quaternity.table.match import Match
from quaternity.ternary.cards import SetCard
from quaternity.ternary.rules import MORE, SetMove, SetRules, SetSettings
from quaternity.web.drawing.any_game import part
from quaternity.web.drawing.frame import draw_part, event_lines, table_line
from quaternity.web.rendering import table_html
from quaternity.web.series import Score
from quaternity.web.table_view import SeatView, TableView
from tests.sizes import thorough
from tests.web.views import sight


def page_of(match: Match[Any, Any, Any], seat: int | None) -> str:
    """Return the part of a table's page that a seat sees."""
    return table_html(sight_of(match, seat), "http://here", whole=False)


def sight_of(match: Match[Any, Any, Any], seat: int | None) -> TableView:
    """Return the view of a match for a seat or a bystander."""
    seats = tuple(SeatView(f"<{name}>", "person") for name in "ABCDEFGH"[: match.rules.seats])
    positions = match.history.start, match.position
    game = SimpleNamespace(rules=match.rules, positions=positions, steps=match.steps)
    return sight(game, seat, seats=seats, help=False, revealed=None)


def clickable_moves(page: str) -> set[str]:
    """Return all moves that can be made in a page of Quarto."""
    cells = re.findall(r'name="cell" value="(\w+)"', page)
    moves = set()
    for move in re.findall(r'data-move="([^"]+)"', page):
        moves |= {move.replace("{cell}", cell) for cell in cells} if "{cell}" in move else {move}
    return moves


@pytest.mark.parametrize("seed", range(thorough(2, 20)))
def test_only_the_player_to_move_can_click_the_legal_moves_of_quarto(seed: int) -> None:
    rules = QuartoRules(QuartoSettings(squares=bool(seed % 2)))
    match = Match(rules, ["random", "random"], str(seed))
    random = Random(seed)
    while True:
        seats = {None, 0, 1}
        for seat in rules.to_act(match.position):
            seats.remove(seat)
            page = page_of(match, seat)
            view = match.view(seat)
            legal = {rules.read(rules.write(move), view) for move in rules.moves(view)}
            offered = {rules.read(text, view) for text in clickable_moves(page)}
            assert legal <= offered
            # A placement that wins does so with any piece. The page also offers claims of a quarto
            # that does not exist; they are refused.
            assert all(move.hand_over is None for move in offered - legal)
            assert {move.cell for move in offered} == {move.cell for move in legal}
        assert not any(clickable_moves(page_of(match, seat)) for seat in seats)
        if not rules.to_act(match.position):
            break
        match.play(rules.to_act(match.position)[0], random.choice(list(rules.moves(view))))
    over = page_of(match, 0)
    cells = {cell for row, _ in match.position.quartos for cell in row.cells}
    assert over.count('class="well lit') == len(cells) or seed % 2
    for row, _ in match.position.quartos:
        assert f"{row.name}: " in over


TIPS_AND_RULES = re.compile(
    r'<div class="tip".*?</div>|<details id="how">.*?</details>', re.DOTALL
)  # fmt: skip


def test_advice_is_shown_only_to_the_player_to_move() -> None:
    for seed in range(thorough(3, 20)):
        match = Match(QuartoRules(QuartoSettings()), ["random", "random"], str(seed))
        while acting := match.rules.to_act(match.position):
            in_hand = match.position.in_hand
            advice = "Choose the piece" if in_hand is None else f"Place {in_hand} on a cell"
            for seat in (None, 0, 1):
                page = re.sub(TIPS_AND_RULES, "", page_of(match, seat))
                assert (advice in page) == (seat in acting)
                assert ("Choose the piece" in page) + ("Place " in page) == (seat in acting)
            match.program_move()
        full = " ".join(re.sub(TIPS_AND_RULES, "", page_of(match, 0)).split())
        assert "Choose the piece" not in full
        assert ("All sixteen pieces are placed" in full) == (not match.position.quartos)


def test_a_quarto_may_be_called_with_the_fourth_piece() -> None:
    match = Match(QuartoRules(QuartoSettings()), ["random", "random"], "1")
    while match.rules.to_act(match.position) and not match.position.quartos:
        placed = sum(piece is not None for piece in match.position.board.cells)
        (seat,) = match.rules.to_act(match.position)
        offered = "Quarto!</button>" in page_of(match, seat)
        assert offered == (match.position.in_hand is not None and 3 <= placed < 15)
        match.program_move()


def test_the_line_of_a_table_names_the_opponents_and_the_last_event() -> None:
    match = Match(KwartetRules(KwartetSettings(3, 3)), ["random"] * 3, "1")
    for _ in range(6):
        for seat in (0, 1, 2):
            others, headline, last = table_line(sight_of(match, seat))
            assert others == " and ".join(f"<{'ABC'[n]}>" for n in range(3) if n != seat)
            assert (headline == "Your turn") == (seat in match.rules.to_act(match.position))
            events = event_lines(sight_of(match, seat), whole_events(match.steps))
            assert last == (events[-1].text if events else "")
            assert {event.number for event in events} == {*range(1, len(match.moves) + 1)}
        match.program_move()


def history_of(page: str) -> list[tuple[int, str]]:
    """Return the events in the history of a page with their numbers, oldest first."""
    items = re.findall(r'<li value="(\d+)"[^>]*>(.*?)</li>', page, re.DOTALL)
    return [(int(number), text) for number, text in reversed(items)]


@pytest.mark.parametrize("game", [QuartoRules(), KwartetRules()], ids=lambda rules: rules.name)
def test_every_viewer_sees_every_event_in_order(game: Any) -> None:
    """Scripts show the events of a page one after another, in the order of these numbers."""
    match = Match(game, ["random"] * game.seats, "2")
    before: list[tuple[int, str]] = []
    for _ in range(thorough(20, 60)):
        if not game.to_act(match.position):
            break
        match.program_move()
        pages = [page_of(match, seat) for seat in (None, *range(game.seats))]
        (after,) = {tuple(history_of(page)) for page in pages}
        assert {number for number, _ in after} == {*range(after[0][0], after[-1][0] + 1)}
        news = [event for event in after if not before or event[0] > before[-1][0]]
        assert news
        overlap = after[: -len(news)]
        assert not overlap or [*overlap] == before[-len(overlap) :]
        joined = "; ".join(text for _, text in news)
        assert all(re.search(f"data-news [^>]*>{re.escape(joined)}</p>", page) for page in pages)
        before = [*after]


def test_a_chair_shows_the_state_of_its_seat() -> None:
    match = Match(QuartoRules(), ["random", "random"], "7")

    def states(*agreed: int) -> list[str]:
        page = table_html(sight_of(match, 0)._replace(undo=agreed), "http://here", whole=False)
        return re.findall(r'<small class="state">(.*?)</small>', page)

    own, away = "<span>you sit here</span>", "<span>away</span>"
    while match.rules.to_act(match.position):
        assert states() == [own, away]
        # The most important text comes first.
        agrees = "<span>agrees to take back the move</span>"
        assert states(0) == [f"{agrees}<span>, you sit here</span>", away]
        match.program_move()
    places = match.rules.places(match.position)
    assert places is not None
    assert states() == [f"<span>place {place}</span>" for place in places]


def test_the_end_shows_the_winning_row_and_the_games_won_in_the_series() -> None:
    match = Match(QuartoRules(), ["random", "random"], "7")
    while match.rules.to_act(match.position):
        match.program_move()
    scores = Score("<B>", games=3, wins=2), Score("<A>", games=3, wins=1)
    sight = sight_of(match, 0)._replace(series=scores)
    page = table_html(sight, "http://here", whole=False)
    assert "Games won so far: &lt;B&gt; 2, &lt;A&gt; 1" in page
    winner = page.partition('class="winner"')[2].partition("</section>")[0]
    assert winner.count('role="img"') + winner.count("<svg") == 4, "the pieces of the row"
    assert "V4: B, A, I and J are red and square." in page
    assert page.count('class="well lit') == 4
    assert '<span id="row-V4" class="row-name lit">V4</span>' in page
    assert page.count('row-name lit"') == 1


def test_cards_of_set_can_be_chosen_and_the_deck_stays_hidden() -> None:
    rules = SetRules()
    match = Match(rules, ["you", "you"], "3")
    random = Random(1)
    for _ in range(thorough(12, 60)):
        if not rules.to_act(match.position):
            break
        seen = match.position.seen
        pages = {seat: page_of(match, seat) for seat in (None, 0, 1)}
        for seat, page in pages.items():
            offered = re.findall(r'name="card" value="(\d+)"', page)
            assert sorted(map(int, offered)) == ([] if seat is None else sorted(seen.places))
            assert ('data-move="more"' in page) == (seat is not None)
            # The page does not depend on the order of the hidden cards.
            imagined = rules.like(rules.view(match.position, seat), random)
            positions = (*match.history.positions()[:-1], imagined)
            history = History(rules, match.history.start, match.moves, positions)
            other = Match(rules, ["you", "you"], "3", history)
            assert page_of(other, seat) == page
        threes = seen.threes
        if threes:
            match.play(random.randrange(2), SetMove(tuple(threes[0])))
        for seat in () if threes else (0, 1):
            match.play(seat, MORE)


@pytest.mark.parametrize("seed", range(thorough(3, 30)))
def test_a_card_of_set_keeps_its_place_on_the_table(seed: int) -> None:
    rules, random = SetRules(SetSettings(table=9 + 3 * (seed % 3))), Random(seed)
    match = Match(rules, ["you", "you"], str(seed))
    before: dict[str, int] = {}
    largest = 0
    while rules.to_act(match.position):
        page = page_of(match, 0)
        drawn = re.findall(r'class="set-(?:card|gap)" id="(\w+)"', page)
        places = {name: place for place, name in enumerate(drawn) if name.startswith("card")}
        assert sorted(places) == sorted(f"card{card}" for card in match.position.seen.places)
        assert all(before.get(name, place) == place for name, place in places.items())
        assert drawn[-1] in places, "no place is kept behind the last card"
        largest = max(largest, len(match.position.seen.places))
        assert len(drawn) <= largest
        before = places
        threes = match.position.seen.threes
        if threes and random.random() < 0.7:
            match.play(random.randrange(2), SetMove(tuple(random.choice(threes))))
            continue
        for seat in (0, 1):
            if not rules.faults(match.view(seat), MORE):
                match.play(seat, MORE)
    assert largest > rules.settings.table


def test_a_correct_claim_is_laid_down_and_a_wrong_one_is_named() -> None:
    rules = SetRules()
    match = Match(rules, ["you", "you"], "3")
    three = match.position.seen.threes[0]
    wrong = next(
        move for move in rules.moves(match.view(0))
        if move.cards and tuple(move.cards) not in set(map(tuple, match.position.seen.threes))
    )  # fmt: skip
    match.play(0, wrong)
    assert "gather" not in page_of(match, 1)
    match.play(1, MORE)
    page = page_of(match, 1)
    assert "&lt;A&gt; makes a wrong claim: " in page
    assert 'id="more" aria-disabled="true" aria-describedby="no-more"' in page
    assert "you agree; wait for " in page
    assert "&lt;B&gt; would like three more cards" in page_of(match, 0)
    assert "1 wrong</small>" in page
    assert "<A>" not in page
    match.play(1, rules.read("claim " + " ".join(map(str, three)), match.view(1)))
    assert page_of(match, 0).count("gather") == 1


@pytest.mark.parametrize("seed", range(thorough(2, 20)))
def test_wrong_claims_are_seen_on_their_cards_until_the_cards_change(seed: int) -> None:
    rules, random = SetRules(SetSettings(seats=3)), Random(seed)
    match = Match(rules, ["you"] * 3, str(seed))
    wrong: set[tuple[str, str]] = set()
    marked = 0
    for number in range(1, thorough(20, 60)):
        acting = rules.to_act(match.position)
        if not acting:
            break
        seat, before = random.choice(acting), match.position
        threes = before.seen.threes
        if threes and random.random() < 0.2:
            match.play(seat, SetMove(tuple(random.choice(threes))))
        elif random.random() < 0.4 and not rules.faults(match.view(seat), MORE):
            match.play(seat, MORE)
        else:
            cards = tuple(sorted(random.sample(before.seen.places, 3)))
            match.play(seat, SetMove(cards))
            wrong |= {(f"claim{number}-{card}", "ABC"[seat]) for card in cards}
        if match.position.seen.places != before.seen.places:
            wrong.clear()
        for viewer in (None, 0, 1):
            page = page_of(match, viewer)
            marks = r'class="claim" id="([^"]+)">.*?wrong claim by &lt;(.)&gt;'
            assert set(re.findall(marks, page)) == wrong
            assert page.count('class="set-card wrong"') == len(
                {mark.partition("-")[2] for mark, _ in wrong}
            )
        marked += bool(wrong)
    assert marked


def test_every_pattern_is_in_a_page_once() -> None:
    page = page_of(Match(SetRules(), ["you", "you"], "3"), 0)
    ids = re.findall(r' id="([^"]+)"', page)
    assert sorted(ids) == sorted(set(ids))
    assert {"striped-red", "striped-green", "striped-purple"} < set(ids)


def test_a_game_without_a_drawing_is_shown_as_text_with_its_moves() -> None:
    """The player to move sees up to a hundred moves as buttons."""
    rules = QuartoRules()
    match = Match(rules, ["random", "random"], "3")
    counts = set()
    while rules.to_act(match.position):
        (acting,) = rules.to_act(match.position)
        for seat in (None, 0, 1):
            sight = sight_of(match, seat)
            drawn = part(sight)
            legal = [rules.write(move) for move in rules.moves(match.view(seat))]
            assert drawn["table"] == rules.show(match.view(seat), 60)
            assert drawn["moves"] == (legal[:100] if seat == acting else [])
            assert drawn["more"] == (seat == acting and len(legal) > 100)
            for other in (sight._replace(empty_seats=(1,)), sight._replace(own_seats=())):
                assert part(other)["moves"] == []
        counts.add(len(legal) > 100)
        match.program_move()
    assert counts == {True, False}


@pytest.mark.parametrize("seats", [2, 4, 8])
def test_agreements_to_more_cards_and_taken_sets_are_shown(seats: int) -> None:
    match: Match[Any, Any, Any] = Match(SetRules(SetSettings(seats=seats)), ["you"] * seats, "1")
    random, names = Random(seats), [f"<{letter}>" for letter in "ABCDEFGH"[:seats]]
    taken: dict[int, list[tuple[int, ...]]] = {seat: [] for seat in range(seats)}
    for _ in range(thorough(6, 20)):
        if threes := match.position.seen.threes:
            seat = random.randrange(seats)
            taken[seat].insert(0, tuple(threes[0]))
            match.play(seat, SetMove(tuple(threes[0])))
        for size in range(seats):
            agreed = frozenset(random.sample(range(seats), size))
            wrong = tuple(random.randrange(3) for _ in range(seats))
            sight = sight_of(match, 0)
            sight = sight._replace(view=replace(sight.view, agreed=agreed, wrong=wrong))
            drawn, agreeing = draw_part(sight), [names[seat] for seat in sorted(agreed)]
            assert drawn["agreed"] == (
                "" if not agreeing else " and ".join(agreeing) if size < 3 else f"{size} / {seats}"
            )
            waits = [name for name in names if name not in agreeing]
            others = " and ".join(waits) if len(waits) < 3 else f"{len(waits)} others"
            assert (f"you agree; wait for {others}" == drawn["no_more"]) == (0 in agreed)
            assert drawn["notes"] == [f"{count} wrong" if count else "" for count in wrong]
            for shown in drawn["taken"]:
                threes = taken[shown.seat]
                assert shown.name == names[shown.seat]
                assert [card.number for card in shown.last] == [*(threes[0] if threes else ())]
                assert [text.count(",") for text in shown.all] == [2] * len(threes)
                assert list(shown.all[:1]) == [
                    ", ".join(str(SetCard(card)) for card in three) for three in threes[:1]
                ]
