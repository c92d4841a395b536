"""Help, hints and explanations on pages: what they say, and in whose words."""

import re
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.epistemic.sentences import CANNOT_HOLD, SEES_CARD, SEES_NOT
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.sentences import NO_TURN, WAITS, question_sentence
from quaternity.insight.explanation import BOTH_POSSIBLE, IMPOSSIBLE, REFUSED
from quaternity.kwartet.chances import chance_of
from quaternity.quarto.players import careful_moves
from quaternity.quarto.rules import QuartoRules
from quaternity.ternary.rules import MORE, SetRules

pytest.importorskip("jinja2", reason="the table in a browser needs the extra web")
pytest.importorskip("starlette", reason="the table in a browser needs the extra web")

from quaternity.web.drawing.owners import owner_blocks
from quaternity.web.drawing.words import move_text
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
from quaternity.web.languages import LANGUAGES, using_language, whole_percent
from quaternity.web.rendering import (
    help_html,
    table_html,
)  # fmt: skip
from quaternity.web.table_view import SeatView
from tests.sizes import examples
from tests.web.views import BASE, HOSTILE, KWARTET, QUATERNITY, mover, moves_in, sight, simulate


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


def test_help_calls_its_reader_you() -> None:
    shown, card = sight(simulate(QUATERNITY, 0), 0), Card(0, 2)
    lines = [
        CANNOT_HOLD(who=owner, card=card, reason=reason(who=holder, card=card))
        for owner, reason, holder in ((0, SEES_NOT, 0), (1, SEES_CARD, 0), (1, SEES_NOT, 1))
    ]
    texts = re.findall("<p>(.*?)</p>", help_html(shown, "why", {"lines": lines}, {}))
    assert texts == [
        "you cannot have 0/2: 0/2 is not in your hand",
        "Person 1 cannot have 0/2: 0/2 is in your hand",
        "Person 1 cannot have 0/2: 0/2 is not in the hand of Person 1",
    ]
    bystander = help_html(shown._replace(own_seats=()), "why", {"lines": lines}, {})
    assert "you cannot" not in bystander


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


NONE: Any = [[[None] * 3] * 4] * 3


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
    assert result["text"].startswith(f"you do not know whether {formula}: the probability is ")
    assert result["lines"][0] == "true if"
    assert "player 0:" in result["lines"][1]
    html = help_html(sight(game, 1), "know", result, {"formula": formula})
    ElementTree.fromstring(result["svg"])
    assert "0 &lt; 1" in html
    assert "<p>true if</p>" in html


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
