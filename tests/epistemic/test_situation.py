"""Situations in files: read, written for SMCDEL, contracted and drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from math import dist
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.epistemic import EvaluationMethod, Formula, Language, evaluate, parse
from quaternity.epistemic.formula import Common, Publicly, Unknown
from quaternity.epistemic.kripke import KripkeModel, kripke_model, model_dot, model_svg
from quaternity.epistemic.situation import Query, Situation, parse_situation
from quaternity.epistemic.smcdel import smcdel_text
from quaternity.epistemic.strategies import formulas, positions
from solvers import Deal, DealProblem
from solvers.brute_force import deals
from tests.epistemic.by_definition import holds_by_definition
from tests.sizes import examples

THREE = "situation 1\nhands 1 1 1\nset 3 cards\ndeal 012\n"


def asking(problem: DealProblem, deal: Deal, *asked: Formula) -> Situation:
    return Situation(problem, deal, (), tuple(Query(1, str(f), f, (), None) for f in asked))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("situation 1", "situation 2", "line 1: the first line must be 'situation 1'"),
        ("hands 1 1 1\n", "", "line 2: set: must come after the line 'hands ...'"),
        ("hands 1 1 1", "hands 1 x", "line 2: '1 x': expected whole numbers"),
        ("set 3 cards", "set 013", "line 3: '013': expected players 0..2, one digit each"),
        (
            "set 3 cards",
            "set 3 cards\nleast 1 1",
            "line 4: '1 1': expected 3 numbers, one for each player",
        ),
        ("set 3 cards", "least 1 1 1", "line 3: least: must follow a line 'set ...'"),
        (
            "deal 012",
            "deal 01 2",
            "line 4: deal: expected one group of digits for each set (1), not 2",
        ),
        ("deal 012", "deal 011", "line 4: the deal does not fit the public record"),
        ("deal 012", "true K0 H0 0/0", "line 4: true: must come after the line 'deal ...'"),
        ("deal 012", "", "the line 'deal ...' is missing"),
        ("deal 012", "deal 012\nset 1 card", "line 5: set: must come before the line 'deal"),
        ("deal 012", "deal 012\nask K3 true", "line 5: formula, column 1: player 3 does not exist"),
        ("deal 012", "deal 012\nlet one = two", "line 5: formula, column 11: unknown name 'two'"),
        (
            "deal 012",
            "deal 012\nperhaps true",
            "line 5: unknown keyword 'perhaps': choose from hands",
        ),
    ],
)
def test_faults_name_their_line(old: str, new: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_situation(THREE.replace(old, new), "my.situation")
    assert str(caught.value).startswith("my.situation: ")
    assert words in str(caught.value)


def test_the_questions_of_a_file() -> None:
    text = (
        THREE + "let told = K2 H0 0/0\nfalse told\nsay !H0 0/1 # aloud\ntrue told &\n  !K0 told\n"
    )
    situation = parse_situation(text)
    assert [(row.line, row.expected, len(row.announcements)) for row in situation.queries] == [
        (6, False, 0),
        (8, True, 1),
    ]
    assert situation.announcements == (parse("!H0 0/1"),)
    assert situation.queries[1].formula == parse("K2 H0 0/0 & !K0 K2 H0 0/0")


# --------------------------------------------------------------------------------------- SMCDEL


class Smcdel:
    """A reader of our files for SMCDEL, by its grammar and its semantics."""

    def __init__(self, text: str) -> None:
        plain = re.sub(r"--.*", "", text)
        head, *self.jobs = re.split(r"TRUE\?", plain)
        match = re.fullmatch(r"\s*VARS(.*?)LAW(.*?)OBS(.*)", head, re.DOTALL)
        assert match
        variables = [int(number) for number in match[1].split(",")]
        # Its grammar has no line without a variable.
        line = r"\s*(\w+)\s*:\s*(\d+(?:\s*,\s*\d+)*)(?=\s)"
        assert re.fullmatch(f"(?:{line})+\\s*", match[3])
        self.sees = {
            name: {int(bit) for bit in seen.split(",")} for name, seen in re.findall(line, match[3])
        }
        assert set().union(*self.sees.values()) == set(variables)
        law = self.tree(match[2])
        self.states = [
            state
            for bits in range(1 << len(variables))
            for state in [frozenset(v for n, v in enumerate(variables) if bits >> n & 1)]
            if self.holds(law, state, [])
        ]

    def answers(self) -> Iterator[bool]:
        for job in self.jobs:
            match = re.fullmatch(r"\s*\{([\d,]*)\}(.*)", job, re.DOTALL)
            assert match
            state = frozenset(int(number) for number in match[1].split(",") if number)
            assert state in self.states
            yield self.holds(self.tree(match[2]), state, self.states)

    def tree(self, text: str) -> object:
        tokens = re.findall(
            r"knows that|comknow that|distknow that|iff|->|[A-Za-z]\w*|\d+|[()\[\]!~,]", text
        )
        tree, rest = self.read(tokens)
        assert rest == []
        return tree

    def read(self, tokens: list[str]) -> tuple[object, list[str]]:
        first, *rest = tokens
        if first in ("Top", "Bot") or first.isdigit():
            return first, rest
        if first == "~":
            part, rest = self.read(rest)
            return ("~", part), rest
        if first in ("AND", "OR"):
            parts, rest = [], rest[1:]
            while True:
                part, rest = self.read(rest)
                parts.append(part)
                sign, *rest = rest
                if sign == ")":
                    return (first, parts), rest
        if first == "[":
            announcement, rest = self.read(rest[1:])
            assert rest[0] == "]"
            then, rest = self.read(rest[1:])
            return ("[", announcement, then), rest
        if first == "(":
            end = rest.index(")")
            named = rest[0] == "(" and "(" not in rest[1:end]
            if named and "know that" in rest[end + 1]:
                part, after = self.read(rest[end + 2 :])
                assert after[0] == ")"
                group = [name for name in rest[1:end] if name != ","]
                return (rest[end + 1], group, part), after[1:]
            if rest[1] == "knows that":
                part, after = self.read(rest[2:])
                assert after[0] == ")"
                return ("distknow that", [rest[0]], part), after[1:]
            part, rest = self.read(rest)
            if rest[0] in ("->", "iff"):
                other, after = self.read(rest[1:])
                assert after[0] == ")"
                return (rest[0], part, other), after[1:]
            assert rest[0] == ")"
            return part, rest[1:]
        raise AssertionError(tokens)

    def holds(self, tree: object, real: frozenset[int], states: list[frozenset[int]]) -> bool:
        def alike(group: list[str], other: frozenset[int], joined: frozenset[int]) -> bool:
            return all(self.sees[name] & other == self.sees[name] & joined for name in group)

        match tree:
            case "Top" | "Bot":
                return tree == "Top"
            case str():
                return int(tree) in real
            case ("~", part):
                return not self.holds(part, real, states)
            case ("AND" | "OR" as word, list() as parts):
                return (all if word == "AND" else any)(self.holds(p, real, states) for p in parts)
            case ("->", a, b):
                return not self.holds(a, real, states) or self.holds(b, real, states)
            case ("iff", a, b):
                return self.holds(a, real, states) == self.holds(b, real, states)
            case ("distknow that", list() as group, part):
                return all(self.holds(part, s, states) for s in states if alike(group, real, s))
            case ("comknow that", list() as group, part):
                reached = [real]
                for state in reached:
                    reached += [
                        s
                        for s in states
                        if s not in reached and any(alike([name], state, s) for name in group)
                    ]
                return all(self.holds(part, s, states) for s in reached)
            case ("[", announcement, then):
                if not self.holds(announcement, real, states):
                    return True
                return self.holds(
                    then, real, [s for s in states if self.holds(announcement, s, states)]
                )
            case _:
                raise AssertionError(tree)


def is_expressible(formula: Formula, players: int) -> bool:
    return not any(
        isinstance(part, Publicly | Unknown)
        or (isinstance(part, Common) and max(part.members(players)) >= players)
        for part in formula.subformulas()
    )


@given(positions(max_players=3, max_sets=2, max_set_size=2), st.data())
@settings(max_examples=examples(200))
def test_smcdel_answers_the_same(position: tuple[DealProblem, Deal], data: st.DataObject) -> None:
    problem, deal = position
    formula = data.draw(formulas(Language.of(problem), 3), label="formula")
    situation = asking(problem, deal, formula)
    if not is_expressible(formula, problem.players):
        if any(isinstance(part, Publicly | Unknown) for part in formula.subformulas()):
            with pytest.raises(InputError, match="SMCDEL cannot express"):
                smcdel_text(situation)
        return
    smcdel = Smcdel(smcdel_text(situation))
    assert list(smcdel.sees) == [f"player{player}" for player in range(problem.players)]
    assert list(smcdel.answers()) == [holds_by_definition(formula, problem, deal)]


@pytest.mark.parametrize("text", ["hands 1 1 0\nset 01 01\ndeal 01", "hands 0 0\ndeal"])
def test_smcdel_gets_players_who_can_hold_no_card(text: str) -> None:
    last = text.split("\n", 1)[0].count(" ") - 1
    asked = f"false K{last} K0 false\ntrue K{last} C true\ntrue C{{0,{last}}} !K0 false\n"
    situation = parse_situation(f"situation 1\n{text}\n{asked}")
    assert list(Smcdel(smcdel_text(situation)).answers()) == [False, True, True]
    rows = [line for line in smcdel_text(situation).splitlines() if line.startswith("-- ")][1:]
    assert rows == [f"-- {line.split(' ', 1)[1]}: {line.split()[0]}" for line in asked.splitlines()]
    asking_only = parse_situation(f"situation 1\n{text}\nask K0 false\n")
    assert "\n-- K0 false\n" in smcdel_text(asking_only)


# --------------------------------------------------------------------------------------- Kripke


def true_in_model(formula: Formula, model: KripkeModel, world: int, problem: DealProblem) -> bool:
    """Return the truth of a formula of hands, K and C in a contracted model, by its links."""

    def at(part: Formula, place: int = world) -> bool:
        return true_in_model(part, model, place, problem)

    def linked(a: int, b: int, player: int) -> bool:
        return a == b or player in model.links.get((min(a, b), max(a, b)), ())

    everywhere = range(len(model.worlds))
    match type(formula).__name__:
        case "Knows":
            player = formula.player  # type: ignore[attr-defined]
            return all(at(formula.parts()[0], w) for w in everywhere if linked(world, w, player))
        case "Common":
            group = formula.members(problem.players)  # type: ignore[attr-defined]
            reached = [world]
            for current in reached:
                reached += [
                    new
                    for new in everywhere
                    if new not in reached and any(linked(current, new, player) for player in group)
                ]
            return all(at(formula.parts()[0], other) for other in reached)
        case "Publicly":
            return all(at(formula.parts()[0], other) for other in everywhere)
        case "Not":
            return not at(formula.parts()[0])
        case "And":
            return all(map(at, formula.parts()))
        case "Or":
            return any(map(at, formula.parts()))
        case "Implies":
            premise, conclusion = formula.parts()
            return not at(premise) or at(conclusion)
        case "Iff":
            left, right = formula.parts()
            return at(left) == at(right)
        case _:
            first = model.worlds[world].deals[0]
            return evaluate(formula, problem, first, EvaluationMethod.EXPLICIT)


@given(positions(max_players=3, max_sets=2, max_set_size=3), st.data())
@settings(max_examples=examples(200))
def test_contracted_models_give_the_same_answers(
    position: tuple[DealProblem, Deal], data: st.DataObject
) -> None:
    problem, deal = position
    formula = data.draw(formulas(Language.of(problem), 3), label="formula")
    if any(type(part).__name__ in ("Distributed", "Announcement", "Unknown")
           for part in formula.subformulas()):  # fmt: skip
        return
    model = kripke_model(asking(problem, deal, formula))
    dealt = list(deals(problem))
    assert sorted(d.owner for w in model.worlds for d in w.deals) == sorted(d.owner for d in dealt)
    assert model.worlds[0].real
    assert deal in model.worlds[0].deals
    for number, world in enumerate(model.worlds):
        truth = true_in_model(formula, model, number, problem)
        assert all(
            evaluate(formula, problem, d, EvaluationMethod.EXPLICIT) == truth for d in world.deals
        )


def test_worlds_are_contracted() -> None:
    situation = parse_situation(THREE + "say !H0 0/1\nask C H0 0/0\n")
    sizes = [
        len(kripke_model(situation, situation.announcements[:n], every=True).worlds) for n in (0, 1)
    ]
    assert sizes == [6, 4]
    # The formula separates two kinds of deals, which every player can distinguish.
    problem = parse_situation("situation 1\nhands 2 2\nset 01 01\nset 01 01\ndeal 01 01\n")
    about = asking(problem.problem, problem.deal, parse("K0 H0 0/0"))
    assert len(kripke_model(about).worlds) == 2
    assert len(kripke_model(about, every=True).worlds) > 2


def test_drawings() -> None:
    situation = parse_situation(THREE + "say !H0 0/1\nask C H0 0/0\n")
    model = kripke_model(situation, (), every=True)
    drawing = ElementTree.fromstring(model_svg(model, "three <cards>"))
    names = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert names.count("0: 0") == 2
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}line"))) == len(model.links) == 9
    dot = model_dot(model)
    assert dot.count(" -- ") == 9
    assert dot.count("peripheries=2") == 1
    assert r'w0 [label="0: 0\n1: 1\n2: 2"' in dot


def muddy() -> Situation:
    """Return three children: eight worlds with long names, which are drawn close together."""
    sets = "".join(f"set {child}3 {child}3\nleast {minimums}\n" for child, minimums in enumerate(
        ("1 0 0 1", "0 1 0 1", "0 0 1 1")))  # fmt: skip
    return parse_situation(f"situation 1\nhands 1 1 1 3\n{sets}deal 03 13 23\n")


@pytest.mark.parametrize("situation", [parse_situation(THREE), muddy()], ids=["three", "muddy"])
def test_every_world_is_a_separate_box(situation: Situation) -> None:
    """The boxes are on a circle, the real one on top with a second border; each has its text."""
    model = kripke_model(situation, (), every=True)
    drawing = ElementTree.fromstring(model_svg(model, "worlds"))
    name = "{http://www.w3.org/2000/svg}"
    wide, tall = (float(drawing.attrib[side]) for side in ("width", "height"))
    borders: dict[tuple[float, float], list[tuple[float, float]]] = {}
    for element in drawing.iter(name + "rect"):
        if "rx" in element.attrib:
            x, y, w, h = (float(element.attrib[key]) for key in ("x", "y", "width", "height"))
            assert min(x, y, wide - x - w, tall - y - h, w, h) > 0
            borders.setdefault((round(x + w / 2), round(y + h / 2)), []).append((w, h))
    places = [*borders]
    assert [len(sizes) for sizes in borders.values()] == [2] + [1] * (len(model.worlds) - 1)
    assert places[0][1] == min(y for _, y in places)
    size = w, h = min(min(borders.values()))
    assert all(min(sizes) == size for sizes in borders.values())
    assert all(max(abs(x - u) - w, abs(y - v) - h) > 0
               for (x, y), (u, v) in combinations(places, 2))  # fmt: skip
    radii = [dist(place, (wide / 2, tall / 2)) for place in places]
    assert max(radii) - min(radii) < 3
    for line in drawing.iter(name + "line"):
        ends = [float(line.attrib[key]) for key in ("x1", "y1", "x2", "y2")]
        assert all(min(dist(end, place) for place in places) < 2 for end in (ends[:2], ends[2:]))
    lines: dict[tuple[float, float], list[float]] = {place: [] for place in places}
    for text in drawing.iter(name + "text"):
        if text.attrib.get("text-anchor", "start") == "start" and text.text:
            x, y = (float(text.attrib[key]) for key in ("x", "y"))
            for at_x, at_y in places:
                left, top = at_x - w / 2, at_y - h / 2
                if left <= x <= left + w and top <= y <= top + h:
                    assert left + 4 <= x
                    assert x + 6.5 * len(text.text) <= left + w
                    assert top + 12 <= y <= top + h - 4
                    lines[at_x, at_y].append(y)
    for ys in lines.values():
        assert len(ys) >= situation.problem.players
        assert all(y - x >= 13 for x, y in pairwise(ys))


def test_no_world_covers_a_label() -> None:
    drawing = ElementTree.fromstring(model_svg(kripke_model(muddy()), "mud"))

    def numbers(kind: str, *names: str) -> list[list[float]]:
        marks = drawing.iter("{http://www.w3.org/2000/svg}" + kind)
        return [[float(box.attrib[name]) for name in names] for box in marks if "cx" in box.attrib
                or box.attrib.get("rx")]  # fmt: skip

    worlds = numbers("rect", "x", "y", "width", "height")
    labels = numbers("circle", "cx", "cy")
    assert (len(worlds), len(labels)) == (9, 24)
    for at_x, at_y in labels:
        assert not any(x - 9 < at_x < x + w + 9 and y < at_y < y + h for x, y, w, h in worlds)
