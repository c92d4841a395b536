"""The proved checker and the project's own agree; and what is only admitted is found out."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from solvers import (
    Certificate,
    CrossedBounds,
    CrowdedHand,
    Deal,
    DealProblem,
    Feasible,
    Infeasible,
    Shortage,
    TooFewPlaces,
    Verdict,
    certify,
    solve,
    verify,
)
from solvers.random_problems import GameSize, Sizes, game_like, loosened, spoilt
from tests.proofs import (
    CLOSED,
    FILES,
    FOLDER,
    assumptions,
    compile_checker,
    compile_proof,
    missing,
    proved,
    run,
)
from tests.sizes import thorough

with_coq = pytest.mark.skipif(bool(missing()), reason=f"not installed: {' '.join(missing())}")
HUGE = 10**30


def a_problem(random: Random) -> DealProblem:
    if random.random() < 0.1:
        return game_like(random, GameSize(*random.choice([(4, 3, 3), (4, 5, 4), (4, 13, 4)])))
    sizes = Sizes(players=5, sets=4, set_size=5)
    return random.choice((loosened, spoilt))(random.randint, sizes)


def changed(entries: Sequence[int], value: int, random: Random) -> tuple[int, ...]:
    """The same numbers with one that is another, one less or one more."""
    place = random.randrange(len(entries) + 1)
    return (*entries[:place], *[value] * random.choice((0, 1, 1, 1)), *entries[place + 1 :])


def forged(problem: DealProblem, verdict: Verdict, random: Random) -> Verdict:
    """The evidence with a number changed, or any other evidence."""
    player = random.choice([-1, HUGE, *range(problem.players + 1)])
    index = random.choice([-1, HUGE, *range(len(problem.sets) + 1)])
    everybody = (1 << problem.players) - 1
    masks = [random.choice([-1, 0, everybody, everybody + 1, HUGE]) for _ in range(2)]
    masks += [random.randint(0, everybody) for _ in range(len(problem.sets) + 3)]
    random.shuffle(masks)
    if isinstance(verdict, Feasible) and random.random() < 0.5:
        rows = list(verdict.deal.owner)
        row = random.randrange(len(rows) + 1)
        rows[row : row + 1] = [changed(cards, player, random) for cards in rows[row : row + 1]]
        return Feasible(Deal((*rows, ()) if random.random() < 0.1 else tuple(rows)))
    if isinstance(verdict, Infeasible) and isinstance(verdict.shortage, Shortage):
        coalition, witnesses = verdict.shortage.coalition, verdict.shortage.witnesses
        if random.random() < 0.3:
            return Infeasible(Shortage(masks[0], witnesses))
        if random.random() < 0.5:
            return Infeasible(Shortage(coalition, changed(witnesses, masks[0], random)))
    others: list[Certificate | None] = [
        TooFewPlaces(),
        CrossedBounds(player, index),
        CrowdedHand(player),
        Shortage(masks[0], tuple(masks[1 : 1 + len(problem.sets)])),
        None,
    ]
    return Infeasible(random.choice(others))


def line_of(problem: DealProblem, verdict: Verdict) -> str:
    """What main.ml reads: a list is its length, then its entries."""

    def listed(numbers: Sequence[int]) -> list[int]:
        return [len(numbers), *numbers]

    numbers = [*listed(problem.hands), len(problem.sets)]
    for constraint in problem.sets:
        for part in constraint:
            numbers += listed(part)
    match verdict:
        case Feasible(deal):
            numbers += [0, len(deal.owner)]
            for row in deal.owner:
                numbers += listed(row)
        case Infeasible(TooFewPlaces()):
            numbers += [1]
        case Infeasible(CrossedBounds(player, index)):
            numbers += [2, player, index]
        case Infeasible(CrowdedHand(player)):
            numbers += [3, player]
        case Infeasible(Shortage(coalition, witnesses)):
            numbers += [4, coalition, *listed(witnesses)]
        case _:
            numbers += [5]
    return " ".join(map(str, numbers))


@with_coq
def test_the_proved_checker_and_verify_accept_the_same(tmp_path: Path) -> None:
    random, pairs = Random(34), list[tuple[DealProblem, Verdict]]()
    for _ in range(thorough(1_000, 10_000)):
        problem = a_problem(random)
        verdict = certify(problem, solve(problem))
        pairs.append(
            (problem, forged(problem, verdict, random) if random.random() < 0.6 else verdict)
        )
    given = "".join(f"{line_of(problem, verdict)}\n" for problem, verdict in pairs)
    accepted = run(tmp_path, compile_checker(tmp_path), given=given).split()
    ours = [verify(problem, verdict) for problem, verdict in pairs]
    assert accepted == [str(int(answer)) for answer in ours]
    # Every kind of evidence is among them, right and wrong.
    kinds = Counter(
        (type(verdict.deal if isinstance(verdict, Feasible) else verdict.shortage), answer)
        for (_, verdict), answer in zip(pairs, ours, strict=True)
    )
    for kind in (Deal, Shortage, TooFewPlaces, CrossedBounds, CrowdedHand):
        assert kinds[kind, True], kind
        assert kinds[kind, False], kind


@with_coq
def test_what_is_admitted_or_assumed_is_found_out(tmp_path: Path) -> None:
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


def test_every_file_is_compiled_and_begins_with_what_it_proves() -> None:
    assert {path.stem for path in FOLDER.glob("*.v")} == {*FILES, "extract"}
    for name in FILES:
        source = (FOLDER / f"{name}.v").read_text("utf-8")
        assert source.startswith("(* ")
        assert proved(source, "Theorem")


def test_the_guide_names_the_theorems_of_each_file() -> None:
    page = (FOLDER.parents[1] / "quaternity/guide/mathematics.md").read_text("utf-8")
    table = page.partition("## Proved by a machine")[2]
    named = re.findall(r"`(\w+)\.v`: ((?:`\w+`(?:, )?)+)", table)
    listed = [(name, statement) for name, rest in named for statement in re.findall(r"\w+", rest)]
    for name, statement in listed:
        assert statement in proved((FOLDER / f"{name}.v").read_text("utf-8"), "Theorem")
    assert {name for name, _ in listed} == set(FILES)
