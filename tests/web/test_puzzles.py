"""The pages of puzzles: they reveal nothing of the answer before a hint, and judge every answer."""

from __future__ import annotations

import asyncio
import gc
import json
import re
from collections import Counter
from html import unescape
from itertools import count, product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quaternity.base.sentences import message_data
from quaternity.game.cards import Card
from quaternity.kwartet.seat_log import SeatLog
from quaternity.puzzles import KINDS, Puzzle, daily, make
from quaternity.puzzles.boards import position_of
from quaternity.puzzles.making import DAILY
from quaternity.puzzles.puzzle import MAX_SEED
from quaternity.puzzles.set_puzzles import LETTERS
from quaternity.web.app import app
from quaternity.web.background import BackgroundWork
from quaternity.web.drawing.puzzles import NAMES, draw_puzzle, puzzle_words
from quaternity.web.fair_queue import FairQueue
from quaternity.web.http_errors import HttpError
from quaternity.web.languages import LANGUAGES, using_language
from quaternity.web.puzzle_pages import PuzzlePages, judge, puzzle_html
from quaternity.web.rate_limits import Limits, client_address
from solvers.problem import players_in
from tests.limits import limited
from tests.sizes import examples, thorough
from tests.web.seeded_program import Noon
from tests.web.site import Site

pytestmark = pytest.mark.usefixtures("kept_processes")

LEVELS = thorough(range(1, 2), range(1, 4))


def page(puzzle: Puzzle, answer: str = "", steps: int = 0) -> str:
    """Return the text of a puzzle's page."""
    html = puzzle_html(puzzle, judge(puzzle, answer), steps, Noon.now().date())
    return unescape(re.sub(r"\s+", " ", html))


def proof(html: str) -> list[str]:
    """Return the steps of the proof that a page shows."""
    return re.findall(
        "<li[^>]*>(.*?)</li>", html.partition('<ol class="proof">')[2].partition("</ol>")[0]
    )


def taps(html: str) -> list[str]:
    """Return the answers that can be tapped: buttons, and cards with their players."""
    board = html.partition('<section class="board"')[2].partition("<noscript>")[0]
    answers = [move for asks in re.findall("data-asks='(.*?)' data-refused", board)
               for _, _, move in json.loads(asks)]  # fmt: skip
    cells = re.findall('name="cell" value="(\\w+)"', board)
    for move in re.findall('data-move="(.*?)"', board):
        answers += [move.format(cell=cell) for cell in cells] if "{" in move else [move]
    return answers + re.findall('name="answer" value="(\\w+)"', board)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_reveals_nothing_before_a_hint_is_requested(kind: str, level: int) -> None:
    puzzle = make(kind, 3, level)
    fresh, words = page(puzzle), puzzle_words(puzzle)
    assert words.sentence(puzzle.question) in fresh
    for text in [*(step.text for step in puzzle.why), *puzzle.wrong.values()]:
        assert words.say(text).rstrip(".") not in fresh
    assert proof(fresh) == []
    assert "rests" not in fresh
    for steps in range(1, len(puzzle.why) + 1):
        assert proof(page(puzzle, steps=steps)) == [
            words.sentence(step.text) for step in puzzle.why[:steps]
        ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_has_no_codes(kind: str, language: str) -> None:
    """Cards and players have names, in the board, the question, the proof and the refutations."""
    for seed in range(thorough(1, 10)):
        puzzle = make(kind, seed, 2)
        with using_language(language):
            for answer in ["", puzzle.answers[0], *list(puzzle.wrong)[:: thorough(9, 1)]]:
                html = page(puzzle, answer, len(puzzle.why)).partition("</head>")[2]
                html = re.sub("<b>[0-9]+/[0-9]+</b>|<noscript>.*</noscript>", "", html)
                shown = re.sub("<[^>]*>", " ", html.partition('<div class="matrix">')[0])
                shown += re.sub("<[^>]*>", " ", html.partition('<section class="thumb"')[2])
                assert not re.search(r"\b\d/\d|\b([Pp]layer|[Ss]et|deal) \d", shown)
                assert not re.search(r"common knowledge|settles", shown)


@pytest.mark.parametrize("level", LEVELS)
def test_a_wrong_move_is_refuted_on_the_same_board_after_each_hint(level: int) -> None:
    puzzle = make("quarto", 1, level)
    for answer in [*puzzle.wrong][:: thorough(9, 1)]:
        pages = [page(puzzle, answer, steps) for steps in range(len(puzzle.why) + 1)]
        boards = {*map(board_of, pages)}
        assert len(boards) == 1


@pytest.mark.parametrize(
    ("kind", "is_right"),
    [*product(KINDS, [True]), *product(("possible", "owner", "trace", "knows"), [False])],
)
def test_the_final_verdict_stays_while_the_proof_is_shown(
    kind: str, is_right: bool, site: Site
) -> None:
    """The visitor cannot answer again, and the board shows each step as before an answer."""
    puzzle = make(kind, 2, 1)
    answers = puzzle.answers if is_right else puzzle.wrong
    answer = next(text for text in answers if judge(puzzle, text).final)
    path = f"/puzzles/1/{kind}/1/2?{urlencode({'answer': answer})}"
    for step in range(1, len(puzzle.why) + 1):
        html = unescape(site.ask("GET", path).body.decode())
        path = re.findall('id="step-on" data-puzzle-link [^>]*href="([^"]*)"', html)[0]
        html = unescape(site.ask("GET", path).body.decode())
        assert f'data-judged="{"right" if is_right else "wrong"}"' in html
        verdict = html.partition('id="verdict"')[2].partition("</div>")[0]
        assert ("Right." if is_right else "Wrong.") in verdict
        assert puzzle_words(puzzle).sentence(puzzle.why[step - 1].text) in verdict
        assert taps(html) == []
        assert not re.search('class="answers"|class="answering"|id="ask"|id="give-', html)
        assert 'name="card"' not in html
        assert re.findall(f"{RESTS}|last", board_of(html)) == re.findall(
            f"{RESTS}|last", board_of(page(puzzle, steps=step))
        )


RESTS = '"rests"| rests'
"""Pattern of the marks of a step on a board."""


def test_right_moves_of_quarto_are_listed_briefly() -> None:
    words = puzzle_words(make("quarto", 1, 1))
    moves = [
        f"place it on {cell}, hand over {piece}" for cell in ("H1V1", "H2V4") for piece in "AB"
    ]
    assert words.answers(moves) == "place it on H1V1/H2V4, hand over A/B"
    assert words.answers(moves[1:]) == (
        "place it on H1V1, hand over B; place it on H2V4, hand over A/B"
    )
    assert words.answers(["hand over A", "hand over B"]) == "hand over A/B"
    assert words.answers(["place it on H1V1"]) == "place it on H1V1"


def test_both_buttons_of_a_daily_puzzle_copy_the_same_result() -> None:
    """One button is below the verdict on the last puzzle. Other verdicts need the space."""
    texts = []
    for kind, level in (DAILY[0], DAILY[-1]):
        puzzle = make(kind, int(f"{Noon.now():%Y%m%d}"), level)
        texts.append(re.findall('data-share="(.*?)"', page(puzzle, puzzle.answers[0])))
    assert [*map(len, texts)] == [1, 2]
    assert len({text for both in texts for text in both}) == 1


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
            if puzzle.answer_form in {"card", "yes-no"} and judged[1] == "right":
                solved = re.search(r"Right\.</b>(.*?)</p>", reply.body.decode())
                assert solved
                expected = r" [A-Z]\w+ has the .+\." if puzzle.answer_form == "card" else ""
                assert re.fullmatch(expected, solved[1])
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


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_can_be_tapped_or_chosen_in_the_form(kind: str) -> None:
    for seed in range(thorough(2, 10)):
        puzzle = make(kind, seed, 1)
        html = page(puzzle)
        form = html.partition("<noscript>")[2].partition("</noscript>")[0]
        lists = [re.findall('<option value="([^"]+)"', text) for text in form.split("<select")[1:]]
        if puzzle.answer_form == "cards":
            assert lists == [puzzle.position.split()] * 3
            assert re.findall('name="card" value="(\\d+)"', html) == puzzle.position.split()
            continue
        chosen = [" ".join(parts) for parts in product(*lists)] if lists else ["yes", "no"]
        for offered in (chosen, taps(html)):
            right = {text for text in offered if judge(puzzle, text).judged == "right"}
            assert len(right) == len(puzzle.answers)
            assert len({*offered}) == len(offered)
            assert all(judge(puzzle, text).judged for text in offered)


def test_sets_are_claimed_one_by_one() -> None:
    """A wrong claim keeps the SETs that were found, and shows its cards on the board."""
    puzzle = next(puzzle for seed in count() if " " in (puzzle := make("sets", seed, 5)).answers[0])
    names = dict(zip(LETTERS, puzzle.position.split(), strict=False))
    sets = puzzle.answers[0].split()
    for number in range(len(sets)):
        claims = [names[letter] for letter in sets[number]]
        verdict = judge(puzzle, " ".join(sets[:number]), claims)
        assert verdict.judged == ("right" if number + 1 == len(sets) else "")
        assert verdict.sets == tuple(sorted(sets[: number + 1]))
        wrong = next(iter(puzzle.wrong))
        verdict = judge(puzzle, " ".join(sets[: number + 1]), [names[letter] for letter in wrong])
        assert (verdict.judged, verdict.sets) == ("wrong", tuple(sorted(sets[: number + 1])))
        html = puzzle_html(puzzle, verdict, 0, Noon.now().date())
        marked = re.findall('class="set-card wrong" id="card(\\d+)"', html)
        assert {*marked} == {names[letter] for letter in wrong}


@pytest.mark.parametrize("kind", ["possible", "owner", "force", "trace", "knows"])
def test_the_player_to_move_follows_from_the_last_question(kind: str) -> None:
    for seed in range(thorough(2, 20)):
        shown = page(make(kind, seed, 2))
        asked = shown.partition('class="asked-before"')[2].partition("</ol>")[0]
        questions = re.findall(r"(\w+) asks (\w+) for [^:]*: (yes|no)", asked)
        (turn,) = re.findall(r'<li id="seat(\d)" class="acting', shown)
        asker, asked_player, answer = questions[-1]
        following = asked_player
        if kind in ("trace", "knows"):
            following = NAMES[(NAMES.index(asker) + 1) % 3]
        assert NAMES[int(turn)] == (asker if answer == "yes" else following)


@pytest.mark.parametrize("kind", ["possible", "owner", "force", "trace", "knows"])
def test_a_card_of_a_puzzle_shows_who_can_have_it(kind: str) -> None:
    for seed in range(thorough(2, 20)):
        puzzle = make(kind, seed, 2)
        position: Any = position_of(puzzle)
        log = isinstance(position, SeatLog)
        problem = position.views[-1].problem if log else position.state.problem
        drawn = draw_puzzle(puzzle, puzzle_words(puzzle), (), "")["drawn"]
        owners = {tile.card: tile.owners for row in drawn["tiles"] for tile in row}
        assert owners == {
            card: tuple(players_in(constraint.owners[card.number])) if constraint.owners else ()
            for card in owners
            for constraint in [problem.sets[card.set_index]]
        }
        assert len(owners) == position.settings.sets * position.settings.set_size


def board_of(html: str) -> str:
    """Return the board of a page."""
    return html.partition("data-board>")[2].partition("</section>")[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_premises_of_a_step_are_marked_on_the_page(kind: str) -> None:
    """A board of Quarto marks the cells, and shows the pieces that steps place.

    If a step tells where a wrong move leads, the board shows this, as if the move was the answer.
    """
    for seed, level in [*product(range(thorough(1, 10)), (1, 2)), (20261202, 2)]:
        puzzle, placed = make(kind, seed, level), {""}
        start = {*re.findall(r'aria-label="H\dV\d: (\w),', page(puzzle))}
        for number, step in enumerate(puzzle.why, 1):
            shown = page(puzzle, steps=number)
            board = shown.partition('<section class="thumb"')[0]
            if kind == "quarto" and "line" in message_data(step.text):
                refuted = page(puzzle, message_data(step.text)["move"])
                assert board_of(shown) == board_of(refuted) != board_of(page(puzzle))
            elif kind == "quarto":
                placed |= {part.partition(" ")[2] for part in step.rests}
                assert {*re.findall(r'aria-label="H\dV\d: (\w),', board)} == start | placed - {""}
                cells = {part.partition(" ")[0] for part in step.rests}
                assert {*re.findall(r' last" id="(\w+)"', board)} == cells
            else:
                board += shown.partition('class="asked-before"')[2]
                assert ("rests" in board) == bool(step.rests), step


@pytest.mark.parametrize("kind", ["possible", "owner", "force", "trace", "quarto"])
def test_a_wrong_answer_is_refuted_on_the_board(kind: str) -> None:
    """The board shows other hands or the moves that follow, and offers no further taps."""
    for seed in range(thorough(2, 20)):
        puzzle = make(kind, seed, 2)
        words = puzzle_words(puzzle)
        fresh = page(puzzle).partition('<section class="thumb"')[0]
        for answer, reason in list(puzzle.wrong.items())[:: thorough(7, 1)]:
            shown = page(puzzle, answer)
            board = shown.partition('<section class="thumb"')[0]
            about = message_data(reason)
            for hand in map(message_data, about.get("hands", ())):
                for card in hand.get("cards", ()):
                    tile = re.search(rf'data-card="{card}".*? aria-label="([^"]*)"', board)
                    assert tile is None or f"{NAMES[hand['who']]} has it" in tile[1]
            if "line" in about or "cell" in about:
                assert board != fresh
            assert taps(shown) == []
            # Another try is offered unless the reason reveals the answer.
            verdict = shown.partition('id="verdict"')[2].partition("</div>")[0]
            right_cards = [
                card for text in puzzle.answers for card in re.findall(r"^\d+/\d+", text)
            ]
            named = [card for card in right_cards if words.card(Card.parse(card)) in verdict]
            reveals = puzzle.answer_form == "yes-no" or bool(named)
            assert ('id="try-again"' in shown) != reveals


def moment(html: str) -> Any:
    """Return the moment that a page plays."""
    return json.loads(html.partition('data-moment="')[2].partition('"></div>')[0])


@pytest.mark.parametrize("kind", ["force", "quarto", "sets"])
def test_a_wrong_answer_is_refuted_by_a_moment(kind: str) -> None:
    """Players ask every question, every piece flies to its cell, and claimed cards rise."""
    for seed in range(thorough(2, 20)):
        puzzle = make(kind, seed, 3)
        assert moment(page(puzzle))["scenes"] == []
        start = {*re.findall(r'id="(\w+)" role="img" aria-label="H\dV\d:', page(puzzle))}
        for answer, reason in list(puzzle.wrong.items())[:: thorough(7, 1)]:
            html, about = page(puzzle, answer), message_data(reason)
            scenes = moment(html)["scenes"]
            acts = [act for scene in scenes for act in scene]
            if kind == "force":
                says = [(act[1], act[3]) for act in acts if act[0] == "say"]
                line = map(message_data, about["line"])
                assert says == [
                    bubble for x in line for bubble in ((x["asker"], 0), (x["asked"], 1))
                ]
            elif kind == "quarto":
                after = {*re.findall(r'id="(\w+)" role="img" aria-label="H\dV\d:', html)}
                flown = [act[3] for act in acts if act[0] == "carry" and act[3].startswith("#H")]
                assert sorted(flown) == sorted(f"#{cell}" for cell in after - start)
            else:
                names = dict(zip(LETTERS, puzzle.position.split(), strict=False))
                (compared,) = [act for act in acts if act[0] == "compare"]
                assert compared[1] == [f"#card{names[x]}" for x in LETTERS if x in answer]
                assert [fits for _, fits in compared[2]].count(False) >= 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_of_a_proof_is_played_on_the_board(kind: str) -> None:
    """A step marks its premises, repeats the questions that matter, and places its pieces."""
    for seed in range(thorough(2, 10)):
        puzzle = make(kind, seed, 2)
        for number, step in enumerate(puzzle.why, 1):
            *scenes, last = moment(page(puzzle, steps=number))["scenes"]
            assert last[0][0] == "light"
            placed = [part[:4] for part in step.rests if kind == "quarto" and " " in part]
            carried = [act[3] for scene in scenes for act in scene if act[3:] and act[0] == "carry"]
            assert kind != "quarto" or carried == [f"#{cell}" for cell in placed]
            if step.text.startswith("Only this"):
                assert len(scenes) == len(step.rests)


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


@pytest.mark.parametrize("error", [HttpError(429, "too often"), ValueError("broken")])
def test_a_puzzle_that_cannot_be_made_does_not_end_the_preparation(error: Exception) -> None:
    """The preparation tries every puzzle of the day, and again later if the server was busy."""
    tried: list[tuple[str, int, int]] = []

    async def prepare() -> None:
        enough = asyncio.Event()

        class FailingWork:
            async def count(self, function: Any, *puzzle: Any, kind: str) -> None:
                tried.append(puzzle)
                if max(Counter(tried).values()) == 3:
                    enough.set()
                raise error if puzzle == tried[0] else HttpError(503, "busy")

        pages = PuzzlePages(FailingWork(), FairQueue(1, 1))
        doing = asyncio.create_task(pages.prepare())
        async with asyncio.timeout(60):
            await enough.wait()
        doing.cancel()

    with limited("quaternity.web.puzzle_pages", PREPARATION_SECONDS=0):
        asyncio.run(prepare())
    assert {(kind, level) for kind, _, level in tried} == {*DAILY}
    assert (tried.count(tried[0]) == 1) == isinstance(error, ValueError)


def test_the_next_puzzle_counts_for_the_visitor_and_may_be_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    faults: list[Any] = []

    async def count_or_fail(self: Any, function: Any, *puzzle: Any, kind: str) -> Any:
        asked.append(client_address.get())
        if puzzle[1] == MAX_SEED:
            return function(*puzzle)
        raise HttpError(429, "too often")

    async def report_faults() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: faults.append(context))

    with Site(app(str(tmp_path))) as site:
        site.run(report_faults())
        monkeypatch.setattr(BackgroundWork, "count", count_or_fail)
        assert site.ask("GET", f"/puzzles/1/sets/1/{MAX_SEED}").status == 200
        site.run(asyncio.sleep(0))
        gc.collect()
    assert asked[:2] == [site.client] * 2
    assert faults == []


@pytest.mark.usefixtures("frozen_clock")
def test_requests_for_new_puzzles_are_limited(tmp_path: Path) -> None:
    with Site(app(str(tmp_path), limits=Limits.of(pages=3))) as site:
        answers = [site.ask("GET", "/puzzles/new?kind=sets&level=1").status for _ in range(4)]
    assert answers == [303, 303, 303, 429]
