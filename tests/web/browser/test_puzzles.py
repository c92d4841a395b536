"""Puzzles in a browser, solved by taps or keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from quaternity.base.sentences import message_data
from quaternity.puzzles import KINDS, make
from quaternity.puzzles.making import DAILY
from quaternity.puzzles.puzzle import VERSION
from quaternity.puzzles.set_puzzles import LETTERS
from tests.sizes import thorough
from tests.web.browser.people import FOCUSED, PHONE, Person


def test_a_phone_solves_the_first_puzzle_of_the_day(person: Callable[..., Person]) -> None:
    ann = person(**PHONE)
    ann.page.goto("/puzzles")
    assert ann.axe() == []
    ann.press(ann.page.locator(".five a").first)
    ann.page.wait_for_selector("#puzzle")
    read = "puzzle => puzzle.dataset"
    kind, number, seed = ann.page.locator("#puzzle").evaluate(read)["puzzle"].split("/")
    puzzle = make(kind, int(seed), int(number))
    wide = ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert wide
    ann.press(ann.page.locator("a:text('Hint')"))
    ann.page.wait_for_selector(".step")
    names = dict(zip(LETTERS, puzzle.position.split(), strict=False))
    for claims, three in enumerate(puzzle.answers[0].split(), 1):
        for letter in three:
            ann.press(ann.page.locator(f"#choose{names[letter]}"))
        ann.page.wait_for_selector(
            f"[data-found^='{three}'], [data-found*=' {three}'], [data-judged]"
        )
        assert len(ann.page.locator("#puzzle").evaluate(read)["found"].split()) == claims
    ann.page.wait_for_selector("[data-judged=right]")
    assert ann.axe() == []
    ann.press(ann.page.locator("a.home"))
    ann.page.wait_for_selector(f"[data-of-day={kind}] .mark-of:text('💡')")
    # A puzzle of another level with the seed of the day does not count.
    other = next(name for name, level in DAILY if level > 1)
    ann.page.goto(f"/puzzles/{VERSION}/{other}/1/{seed}?answer=no")
    assert ann.page.locator("[data-judged]").count() == 1
    ann.page.goto("/puzzles")
    assert ann.page.locator(f"[data-of-day={other}] .mark-of").inner_text() == ""


@pytest.mark.parametrize(
    ("kind", "keys"),
    # By default, every form of answer is given in one of the two ways.
    thorough(
        [("possible", False), ("owner", True), ("sets", True), ("quarto", False)],
        [*product(KINDS, (False, True))],
    ),
)
def test_every_kind_of_puzzle_is_solved_by_taps_or_keys(
    kind: str, keys: bool, person: Callable[..., Person]
) -> None:
    ann = person(keys=keys) if keys else person(**PHONE)
    puzzle = make(kind, 5, 1)
    ann.page.goto(f"/puzzles/{VERSION}/{kind}/1/5")
    assert keys or ann.axe() == []
    answer = puzzle.answers[0]
    if puzzle.answer_form == "yes-no":
        ann.press(ann.page.locator(f"button[value={answer}]"))
    elif puzzle.answer_form == "cards":
        names = dict(zip(LETTERS, puzzle.position.split(), strict=False))
        for number, three in enumerate(answer.split(), 1):
            for letter in three:
                ann.press(ann.page.locator(f"#choose{names[letter]}"))
            ann.page.wait_for_function(
                "n => document.getElementById('puzzle').dataset.found.split(' ').length === n",
                arg=number,
            )
    elif puzzle.game == "quarto":
        if cell := re.search(r"H\dV\d", answer):
            ann.press(ann.page.locator(f"#place-{cell[0]}"))
        piece = re.search(r"hand over (\w)", answer)
        ann.press(ann.page.locator(f"#give-{piece[1] if piece else 'nothing'}"))
    else:
        card = re.search(r"\d/\d", answer)
        assert card
        ann.press(ann.page.locator(f'[data-card="{card[0]}"]'))
        ann.press(ann.page.locator(f'#ask [data-move="{answer}"]'))
    ann.page.wait_for_selector("[data-judged=right]")


RECORD_BUBBLES = """(() => {
  globalThis.bubbles = { animated: 0, judged: 0 };
  new MutationObserver((records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (!node.matches?.(".bubble")) continue;
      bubbles.animated += node.getAnimations().length;
      bubbles.judged += document.querySelectorAll("[data-judged]").length;
    }
  }).observe(document.body, { childList: true });
})()"""
"""Script: count animated bubbles, and those that came after the verdict."""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_wrong_answer_is_refuted_by_the_questions_that_follow(
    motion: Any, person: Callable[..., Person]
) -> None:
    """The bubbles come before the verdict. With reduced motion, the verdict comes at once."""
    ann = person(**PHONE, reduced_motion=motion)
    puzzle = make("force", 5, 1)
    answer, card = next((x, x.split()[-1]) for x in puzzle.wrong)
    ann.page.goto(f"/puzzles/{VERSION}/force/1/5")
    ann.page.evaluate(RECORD_BUBBLES)
    ann.press(ann.page.locator(f'[data-card="{card}"]'))
    ann.press(ann.page.locator(f'#ask [data-move="{answer}"]'))
    ann.page.wait_for_selector("[data-judged=wrong]")
    bubbles = len(message_data(puzzle.wrong[answer])["line"]) * 2
    animated, judged = ann.page.evaluate("[bubbles.animated, bubbles.judged]")
    assert (animated, judged) == ((bubbles, 0) if motion == "no-preference" else (0, bubbles))
    ann.press(ann.page.locator("[data-puzzle-link]").last)
    ann.page.wait_for_selector('[data-steps="1"]')
    assert ann.axe() == []


def wait_for_step(person: Person, step: int) -> None:
    """Wait until a page has shown a step of a proof, and no longer ignores taps."""
    person.page.wait_for_selector(f'[data-steps="{step}"]')
    person.page.evaluate("() => new Promise((done) => setTimeout(done))")


def test_enter_leads_through_a_whole_proof(person: Callable[..., Person]) -> None:
    """The link that shows the next step keeps the focus when a link appears before it."""
    ann = person(keys=True)
    puzzle = make("trace", 5, 1)
    ann.page.goto(f"/puzzles/{VERSION}/trace/1/5")
    onward = ann.page.locator("#step-on")
    ann.walk_to(onward)
    for step in range(1, len(puzzle.why)):
        ann.page.keyboard.press("Enter")
        wait_for_step(ann, step)
        assert onward.evaluate(FOCUSED)


TAP_AT_A_BUBBLE = """() => new MutationObserver((records, observer) => {
  if (!document.querySelector(".bubble")) return;
  observer.disconnect();
  document.getElementById("step-on").click();
}).observe(document.body, { childList: true })"""
"""Script: tap the link to the next step as soon as a question of this step is played."""


def test_a_tap_during_a_moment_only_skips_it(person: Callable[..., Person]) -> None:
    """A second tap does not play the moment of the same step again."""
    ann = person(**PHONE)
    ann.page.goto(f"/puzzles/{VERSION}/possible/2/20261128")
    paths: list[str] = []
    ann.page.on("request", lambda request: paths.append(request.url))
    onward = ann.page.locator("#step-on")
    onward.evaluate("link => { link.click(); link.click(); }")
    wait_for_step(ann, 1)
    ann.page.evaluate(TAP_AT_A_BUBBLE)
    for step in (2, 3):
        ann.press(onward)
        wait_for_step(ann, step)
    steps = [path.rpartition("?")[2] for path in paths if "?" in path]
    assert steps == ["steps=1", "steps=2", "steps=3"]


OUTLINE = "one => getComputedStyle(one).outlineStyle"


def test_the_focus_is_visible_on_the_card_asked_last(person: Callable[..., Person]) -> None:
    """Its dotted border does not replace the border of the focus."""
    ann = person(keys=True)
    ann.page.goto(f"/puzzles/{VERSION}/trace/1/5")
    asked = ann.page.locator(".tile.asked").first
    assert asked.evaluate(OUTLINE) == "dotted"
    ann.walk_among(asked)
    assert asked.evaluate(OUTLINE) == "solid"


def test_the_outline_of_a_card_in_a_proof_is_not_covered(person: Callable[..., Person]) -> None:
    """The picture of a SET card covers the whole card."""
    ann = person(**PHONE)
    ann.page.goto(f"/puzzles/{VERSION}/sets/1/20261128?steps=2")
    card = ann.page.locator(".set-card.rests")
    assert card.evaluate(OUTLINE) == "solid"
    assert card.evaluate("one => getComputedStyle(one).outlineOffset") == "0px"
