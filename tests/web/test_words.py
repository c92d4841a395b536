"""What pages say: scores of an evening, who is waited for, and words for one or many."""

from collections import Counter
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment

from quaternity.table.match import Match
from quaternity.ternary.rules import MORE, SetMove, SetRules, SetSettings
from quaternity.web.drawing.frame import waiting_context
from quaternity.web.evening import Score, evening_score
from quaternity.web.languages import environment_of
from quaternity.web.sight import SeatSight
from quaternity.web.store import Store
from tests.sizes import examples
from tests.web.test_boards import page_of, sight_of

PEOPLE = "abcd"
places = st.permutations(PEOPLE).flatmap(
    lambda people: (
        st.lists(st.integers(1, 4), min_size=2, max_size=4)
        .filter(lambda ranks: 1 in ranks)
        .map(lambda ranks: list(zip(people, ranks, strict=False)))
    )
)


class Played:
    """A store with nothing but the games of an evening: who had which place."""

    def __init__(self, games: list[list[tuple[str, int]]]) -> None:
        self.rows = [
            (game, str([place for _, place in seats]), seat, who, f"name of {who}")
            for game, seats in enumerate(games)
            for seat, (who, _) in enumerate(seats)
        ]

    def read(self, *_: object) -> list[tuple[Any, ...]]:
        return self.rows


@given(st.lists(places, max_size=6))
@settings(max_examples=examples(300))
def test_the_score_of_an_evening_counts_wins_alone_and_ties(
    games: list[list[tuple[str, int]]],
) -> None:
    count, wins, ties = Counter[str](), Counter[str](), Counter[str]()
    for seats in games:
        first = [who for who, place in seats if place == 1]
        count.update(who for who, _ in seats)
        (wins if len(first) == 1 else ties).update(first)
    scores = evening_score(cast("Store", Played(games)), "first")
    assert sorted(scores) == sorted(
        Score(f"name of {who}", count[who], wins[who], ties[who]) for who in count
    )
    ranks = [(-score.wins, -score.ties, score.name) for score in scores]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("may_start", [False, True])
@pytest.mark.parametrize("mine", [(), (0,)])
def test_a_waiting_room_names_empty_seats_and_who_is_not_ready(
    may_start: bool, mine: tuple[int, ...]
) -> None:
    match = Match(SetRules(SetSettings(seats=3)), ["you"] * 3, "1")
    kind_and_ready = product(("person", "open", "program"), (False, True))
    for three in product(kind_and_ready, repeat=3):
        seats = tuple(
            SeatSight("ABC"[number], kind, ready=ready)
            for number, (kind, ready) in enumerate(three)
        )
        sight = sight_of(match, mine[0] if mine else None)
        sight = sight._replace(seats=seats, mine=mine, may_start=may_start, begun=False)
        drawn = waiting_context(sight, "http://here", "")
        assert drawn["empty"] == [n for n, (kind, _) in enumerate(three) if kind == "open"]
        assert ("or when you start it" in drawn["advice"]) == may_start
        assert ("You are watching" in drawn["advice"]) == (not mine and not may_start)
        busy = mine and not all(ready for _, ready in three)
        assert ("Not ready" in drawn["advice"]) == bool(busy)


@pytest.mark.parametrize("number", [0, 1, 2, 21])
def test_one_is_told_from_many(number: int) -> None:
    environment = Environment(autoescape=True)
    environment_of(environment)
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
