"""The proved checker agrees with the project's own, and proofs with gaps are detected."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random

import pytest

from quaternity.game.question import Answer
from quaternity.game.transition import problem_after
from solvers import (
    Certificate,
    CrossedBounds,
    CrowdedHand,
    Deal,
    DealProblem,
    Feasible,
    Infeasible,
    Shortage,
    TooManyCards,
    Verdict,
    certify,
    solve,
    verify,
)
from solvers.random_problems import GameSize, Sizes, game_like, random_feasible, random_tightened
from tests.proofs import (
    CLOSED,
    FILES,
    FOLDER,
    assumptions,
    compile_checker,
    compile_proof,
    missing,
    run,
    theorems,
)
from tests.sizes import thorough

with_coq = pytest.mark.skipif(bool(missing()), reason=f"not installed: {' '.join(missing())}")
HUGE = 10**30


def random_problem(random: Random) -> DealProblem:
    if random.random() < 0.1:
        return game_like(random, GameSize(*random.choice([(4, 3, 3), (4, 5, 4), (4, 13, 4)])))
    sizes = Sizes(players=5, sets=4, set_size=5)
    return random.choice((random_feasible, random_tightened))(random.randint, sizes)


def change_entry(entries: Sequence[int], value: int, random: Random) -> tuple[int, ...]:
    """Return the numbers with one of them replaced or removed, or with another one appended."""
    place = random.randrange(len(entries) + 1)
    return (*entries[:place], *[value] * random.choice((0, 1, 1, 1)), *entries[place + 1 :])


def forge(problem: DealProblem, verdict: Verdict, random: Random) -> Verdict:
    """Return the evidence with a number changed, or other evidence."""
    player = random.choice([-1, HUGE, *range(problem.players + 1)])
    index = random.choice([-1, HUGE, *range(len(problem.sets) + 1)])
    everybody = (1 << problem.players) - 1
    masks = [random.choice([-1, 0, everybody, everybody + 1, HUGE]) for _ in range(2)]
    masks += [random.randint(0, everybody) for _ in range(len(problem.sets) + 3)]
    random.shuffle(masks)
    if isinstance(verdict, Feasible) and random.random() < 0.5:
        rows = list(verdict.deal.owner)
        row = random.randrange(len(rows) + 1)
        rows[row : row + 1] = [change_entry(cards, player, random) for cards in rows[row : row + 1]]
        return Feasible(Deal((*rows, ()) if random.random() < 0.1 else tuple(rows)))
    if isinstance(verdict, Infeasible) and isinstance(verdict.shortage, Shortage):
        coalition, witnesses = verdict.shortage.coalition, verdict.shortage.witnesses
        if random.random() < 0.3:
            return Infeasible(Shortage(masks[0], witnesses))
        if random.random() < 0.5:
            return Infeasible(Shortage(coalition, change_entry(witnesses, masks[0], random)))
    others: list[Certificate | None] = [
        TooManyCards(),
        CrossedBounds(player, index),
        CrowdedHand(player),
        Shortage(masks[0], tuple(masks[1 : 1 + len(problem.sets)])),
        None,
    ]
    return Infeasible(random.choice(others))


def encode(numbers: Sequence[int]) -> list[int]:
    """Return a list as main.ml reads it: its length, then its entries."""
    return [len(numbers), *numbers]


def numbers_of(problem: DealProblem) -> list[int]:
    numbers = [*encode(problem.hands), len(problem.sets)]
    for constraint in problem.sets:
        for part in constraint:
            numbers += encode(part)
    return numbers


def claim_of(verdict: Verdict) -> list[int]:
    match verdict:
        case Feasible(deal):
            return [0, len(deal.owner), *(number for row in deal.owner for number in encode(row))]
        case Infeasible(TooManyCards()):
            return [1]
        case Infeasible(CrossedBounds(player, index)):
            return [2, player, index]
        case Infeasible(CrowdedHand(player)):
            return [3, player]
        case Infeasible(Shortage(coalition, witnesses)):
            return [4, coalition, *encode(witnesses)]
        case _:
            return [5]


@pytest.fixture(scope="module")
def proved_answers(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[bool]]:
    """Return a function that gives the answers of the proved programs to claims about problems."""
    folder = tmp_path_factory.mktemp("proofs")
    checker = compile_checker(folder)

    def answers(claims: Iterable[tuple[DealProblem, list[int]]]) -> list[bool]:
        lines = (" ".join(map(str, numbers_of(problem) + claim)) for problem, claim in claims)
        printed = run(folder, checker, text="".join(f"{line}\n" for line in lines)).split()
        return [answer == "1" for answer in printed]

    return answers


@with_coq
def test_the_proved_checker_and_verify_accept_the_same(
    proved_answers: Callable[..., list[bool]],
) -> None:
    random, pairs = Random(34), list[tuple[DealProblem, Verdict]]()
    for _ in range(thorough(300, 10_000)):
        problem = random_problem(random)
        verdict = certify(problem, solve(problem))
        is_false = random.random() < 0.6
        pairs.append((problem, forge(problem, verdict, random) if is_false else verdict))
    ours = [verify(problem, verdict) for problem, verdict in pairs]
    assert proved_answers((problem, claim_of(verdict)) for problem, verdict in pairs) == ours
    # Every kind of evidence is among them, right and wrong.
    kinds = Counter(
        (type(verdict.deal if isinstance(verdict, Feasible) else verdict.shortage), answer)
        for (_, verdict), answer in zip(pairs, ours, strict=True)
    )
    for kind in (Deal, Shortage, TooManyCards, CrossedBounds, CrowdedHand):
        assert kinds[kind, True], kind
        assert kinds[kind, False], kind


@with_coq
def test_the_proved_step_and_the_rules_make_the_same_problem(
    proved_answers: Callable[..., list[bool]],
) -> None:
    random, claims, expected = Random(35), list[tuple[DealProblem, list[int]]](), list[bool]()
    while len(claims) < thorough(300, 10_000):
        problem = random_problem(random)
        index = random.randrange(len(problem.sets) + 1)
        if (
            problem.players < 2
            or not problem.sets[index : index + 1]
            or not problem.sets[index].size
        ):
            continue
        asker, asked = random.sample(range(problem.players), 2)
        card, answer = random.randrange(problem.sets[index].size), random.choice(list(Answer))
        result = problem_after(problem, asker, asked, index, card, answer)
        # A yes and a no give different problems: the claim with the wrong answer is refused.
        expected.append(random.random() < 0.9)
        yes = bool(answer) is expected[-1]
        claims.append((problem, [6, asker, asked, index, card, int(yes), *numbers_of(result)]))
    assert proved_answers(claims) == expected


@with_coq
def test_admitted_lemmas_and_axioms_are_detected(tmp_path: Path) -> None:
    source = """Lemma admitted : 0 = 1. Admitted.
    Axiom assumed : 1 = 0.
Theorem by_the_first : 0 = 1. Proof. exact admitted. Qed.
Theorem by_the_second : 1 = 0. Proof. exact assumed. Qed.
Theorem by_nothing : 1 = 1. Proof. easy. Qed.
"""
    compile_proof(tmp_path, "careless", source)
    rests_on = assumptions(tmp_path, "careless")
    closed = {name: text == CLOSED for name, text in rests_on.items()}
    assert closed == {
        "by_the_first": False,
        "by_the_second": False,
        "by_nothing": True,
        "everything": False,
    }


def test_every_file_is_compiled_and_begins_with_a_comment() -> None:
    assert {path.stem for path in FOLDER.glob("*.v")} == {*FILES, "extract"}
    for name in FILES:
        source = (FOLDER / f"{name}.v").read_text("utf-8")
        assert source.startswith("(* ")
        assert theorems(source, "Theorem")


def test_the_guide_names_the_theorems_of_each_file() -> None:
    page = (FOLDER.parents[1] / "quaternity/guide/mathematics.md").read_text("utf-8")
    table = page.partition("## Proved by a machine")[2]
    entries = re.findall(r"`(\w+)\.v`: ((?:`\w+`(?:, )?)+)", table)
    rows = [(name, statement) for name, rest in entries for statement in re.findall(r"\w+", rest)]
    for name, statement in rows:
        assert statement in theorems((FOLDER / f"{name}.v").read_text("utf-8"), "Theorem")
    assert {name for name, _ in rows} == set(FILES)
