"""The pages of puzzles: they reveal nothing of the answer before a hint, and judge every answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import product
from urllib.parse import urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quaternity.puzzles import KINDS, Puzzle, daily, make
from quaternity.puzzles.puzzle import MAX_SEED
from quaternity.web.app import app
from quaternity.web.puzzle_pages import puzzle_html
from tests.sizes import examples, thorough
from tests.web.seeded_program import Noon
from tests.web.site import Site

LEVELS = thorough(range(1, 2), range(1, 4))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(app(str(tmp_path_factory.mktemp("puzzles")))) as running:
        yield running


def page(puzzle: Puzzle, answer: str = "", steps: int = 0) -> str:
    """Return the text of a puzzle's page."""
    html, _ = puzzle_html(puzzle, answer, steps)
    return unescape(re.sub(r"\s+", " ", html))


def buttons(html: str) -> list[str]:
    """Return the buttons of a page."""
    return re.findall("<button[^>]*>[^<]*", html)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_reveals_nothing_before_a_hint_is_requested(kind: str, level: int) -> None:
    puzzle = make(kind, 3, level)
    fresh = page(puzzle)
    assert puzzle.question[1:] in fresh
    for text in [*(step.text for step in puzzle.why), *puzzle.wrong.values()]:
        assert text.rstrip(".") not in fresh
    assert 'class="solved"' not in fresh
    # The choices do not depend on the answer, and each further step adds one sentence.
    assert buttons(fresh) == buttons(page(make(kind, 4, level)))
    counts = [page(puzzle, steps=steps).count("<li") for steps in range(len(puzzle.why) + 1)]
    assert counts == [counts[0] + steps for steps in range(len(counts))]
    assert f"<b>{' / '.join(puzzle.answers)}</b>" in page(puzzle, steps=len(puzzle.why))


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_judges_answers_like_the_library(kind: str, site: Site) -> None:
    puzzle = make(kind, 2, 1)
    path = f"/puzzles/1/{kind}/1/2"
    for answer in (*puzzle.answers, *list(puzzle.wrong)[:5]):
        for parts in ([answer], answer.split()) if puzzle.answer_form == "card" else ([answer],):
            query = urlencode([("answer", part) for part in parts])
            reply = site.ask("GET", f"{path}?{query}")
            judged = re.search(r'data-judged="(\w+)"', reply.body.decode())
            assert reply.status == 200
            assert judged
            assert (judged[1] == "right") == puzzle.check(answer).right
    reply = site.ask("GET", f"{path}?answer=a+banana")
    assert reply.status == 422
    assert b"data-judged" not in reply.body
    assert b"a banana" in reply.body


def test_the_day_has_the_same_five_as_the_library(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quaternity.web.puzzle_pages.datetime", Noon)
    monkeypatch.setattr("quaternity.web.puzzle_pages.randbelow", lambda limit: 1)
    shown = site.ask("GET", "/puzzles").body.decode()
    links = re.findall(r'href="/puzzles/1/(\w+)/(\d)/(\d+)"', shown)
    five = daily(Noon.now().date())
    assert links == [(puzzle.kind, str(puzzle.level), str(puzzle.seed)) for puzzle in five]
    redirect = site.ask("GET", "/puzzles/new?kind=sets&level=1")
    assert redirect.status == 303
    location = dict(redirect.headers)[b"location"].decode()
    assert re.fullmatch(r"/puzzles/1/sets/1/\d+", location)
    assert site.ask("GET", location).status == 200


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("1/chess/1/1", "unknown puzzle 'chess'"), ("1/sets/6/1", "must be from 1 to 5"),
        ("1/sets/x/1", "must be from 1 to 5"), ("1/sets/1/-1", "must be a whole number from 0"),
        (f"1/sets/1/{MAX_SEED + 1}", "a whole number from 0"), ("1/sets/1/" + "9" * 400, "seed"),
        ("2/sets/1/1", "a puzzle of version 2"), ("2/new/9/1", "a puzzle of version 2"),
        ("1/sets/1/1?steps=-1", "steps"),
        ("new?kind=sets&level=", "must be from 1 to 5"), ("new", "unknown puzzle"),
        ("1/sets/1/1?answer=" + "A" * 2000, "too long"),
    ],
)  # fmt: skip
def test_an_invalid_puzzle_is_refused_in_words(path: str, says: str, site: Site) -> None:
    answer = site.ask("GET", f"/puzzles/{path}")
    assert answer.status in (404, 422)
    assert says in unescape(answer.body.decode()).lower()


@pytest.mark.parametrize("kind", ["possible", "owner", "force", "trace", "knows"])
def test_the_player_to_move_follows_from_the_last_question(kind: str) -> None:
    """The hand of the reader has as many cards as the page says."""
    for seed in range(thorough(2, 20)):
        shown = page(make(kind, seed, 2))
        questions = re.findall(r"(\d) → (\d): \d/\d+\? (Yes|No)", shown)
        (turn,) = re.findall(r"Player (\d)[^>]*?: \d+ cards? <small>to move", shown)
        asker, asked_player, answer = questions[-1]
        kwartet = kind in ("trace", "knows")
        following = str((int(asker) + 1) % 3) if kwartet else asked_player
        assert turn == (asker if answer == "Yes" else following)
        if kwartet:
            (count,) = re.findall(r"\(you sit here\): (\d+) card", shown)
            hand = shown.partition('<ul class="hand"')[2].partition("</ul>")[0]
            assert hand.count('<span class="unseen">') == int(count)


@pytest.mark.parametrize("kind", KINDS)
def test_the_premises_of_a_step_are_marked_on_the_page(kind: str) -> None:
    """A board of Quarto lights the premises, and shows the pieces that steps place."""
    for seed, level in product(range(thorough(1, 10)), (1, 2)):
        puzzle, placed = make(kind, seed, level), {""}
        start = re.findall("Quarto board ([^<]*)<", page(puzzle))
        for count, step in enumerate(puzzle.why, 1):
            shown = page(puzzle, steps=count)
            if kind == "quarto":
                placed |= {part.partition(" ")[2] for part in step.rests}
                (board,) = re.findall("Quarto board ([^<]*)<", shown)
                assert {*board} - {"?"} == ({*start[0]} | placed) - {"?", ""}
                cells = {part.partition(" ")[0] for part in step.rests}
                assert shown.count('stroke-width="5"') >= len(cells)
            else:
                board = shown.partition('<ol class="proof">')[0]
                assert ("rests" in board) == bool(step.rests), step


@pytest.mark.parametrize("kind", KINDS)
def test_every_choice_is_an_answer_and_one_is_right(kind: str) -> None:
    for seed in range(thorough(2, 10)):
        puzzle = make(kind, seed, 1)
        form = page(puzzle).partition('<form class="answering"')[2].partition("</form>")[0]
        lists = [re.findall("<option>([^<]+)<", text) for text in form.split("<select")[1:]]
        lists += [values] if (values := re.findall(r'name="answer" value="(\w+)"', form)) else []
        choices = [" ".join(parts) for parts in product(*lists)] if lists else []
        assert bool(choices) == (puzzle.answer_form != "cards")
        assert not choices or {*puzzle.answers} <= {*choices}
        for answer in choices:
            assert puzzle.check(answer).right == (answer in puzzle.answers)


def test_seeds_and_steps_are_numbers_up_to_a_limit(site: Site) -> None:
    assert site.ask("GET", f"/puzzles/1/sets/1/{MAX_SEED}").status == 200

    @given(st.text("019-+٣ x", max_size=3))
    @example("99")
    @example("100")
    @settings(max_examples=examples(200))
    def check_steps(text: str) -> None:
        is_number = re.fullmatch("[0-9]+", text) and int(text) < 100
        path = f"/puzzles/1/sets/1/1?{urlencode({'steps': text})}"
        assert site.ask("GET", path).status == (200 if is_number else 404)

    check_steps()
