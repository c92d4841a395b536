"""`instances`, `export` and `prove`: write problems for other solvers, and proofs for checkers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Annotated

import typer

import solvers
from quaternity.base.errors import InputError, SolverFault
from quaternity.base.validation import lookup
from quaternity.base.writing import write_error, write_text
from quaternity.cli.app import app
from quaternity.cli.input_files import IMPOSSIBLE_ERRORS, open_document
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import say
from solvers import DealProblem, Feasible, solve
from solvers.exchange.deal_problem_file import deal_problem_document, deal_problem_text
from solvers.exchange.formats import FORMATS

MAX_INSTANCES_EACH = 10_000

OneFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A state, game record or deal problem; - is standard input."
    ),
]


@app.command()
def instances(
    families: Annotated[
        str,
        typer.Option(
            metavar="NAME,NAME,...",
            help="Comma-separated families, or all.  [default: list the families]",
        ),
    ] = "",
    cards: Annotated[int, typer.Option(metavar="N", help="Number of cards, 12 to 10000.")] = 52,
    each: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Number of pairs (a possible and an impossible problem) of each family, with "
            "consecutive seeds.",
        ),
    ] = 1,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Random seed; the same seed gives the same problems.")
    ] = 0,
    possible: Annotated[
        bool | None,
        typer.Option(
            "--possible/--impossible", help="Make only the possible or the impossible problem of "
            "each pair.  [default: both]"
        ),
    ] = None,
    coalition: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of players whose hands are exactly filled by the cards that "
            "they can hold (family game only)."
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of sets that the proof of impossibility involves (families "
            "game and chain only)."
        ),
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Make the 200 instances of a published benchmark: v1."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write each problem to a file in this folder.  "
                     "[default: print one per line]"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON line per file.")
    ] = False,
) -> None:  # fmt: skip
    """Make deal problems that are barely possible or barely impossible.

    A deal problem asks whether cards can be dealt to hands of given sizes, with given possible
    owners and bounds. The two problems of a pair, one possible and one impossible, differ by 1 in
    one bound.

    The commands check, compare, analyse, export and prove read the files.

    Examples:
      quaternity instances --families php,chain --cards 120 --each 5 --out instances
      quaternity instances --benchmark v1 --out v1
    """
    if not families and benchmark is None:
        _list_families(as_json)
        return
    if benchmark is None:
        if not 1 <= each <= MAX_INSTANCES_EACH:
            raise InputError(f"each: {each} is out of range 1..{MAX_INSTANCES_EACH}")
        numbers = range(seed, seed + each)
        problems = _make_instances(select_families(families), cards, numbers, coalition, depth)
    elif families or (cards, each, seed, coalition, depth) != (52, 1, 0, None, None):
        raise InputError(
            "--benchmark can be combined only with --possible, --impossible, --out and --json"
        )
    else:
        problems = _benchmark_instances(benchmark)
    if out is not None:
        try:
            Path(out).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(out, error) from error
    for name, problem, document in problems:
        if possible not in (None, document["possible"]):
            continue
        if out is None:
            print(json.dumps(deal_problem_document(problem)), flush=True)
            continue
        path = Path(out) / f"{name}.json"
        write_text(path, deal_problem_text(problem))
        print(json.dumps({"file": str(path)} | document) if as_json else path, flush=True)


def _make_instances(
    families: list[str], cards: int, numbers: range, coalition: int | None, depth: int | None
) -> Iterator[tuple[str, DealProblem, dict[str, object]]]:
    from solvers.instances import make_pair

    shape = {"coalition": coalition, "depth": depth}
    parts = [f"{key}{value}" for key, value in shape.items() if value is not None]
    for family in families:
        for number in numbers:
            pair = make_pair(family, cards, number, coalition=coalition, depth=depth)
            for kind, problem in pair._asdict().items():
                name = "-".join([family, str(cards), *parts, str(number), kind])
                document = {"family": family, "cards": cards, "seed": number,
                            "possible": kind == "possible"}  # fmt: skip
                yield name, problem, document


def _benchmark_instances(name: str) -> Iterator[tuple[str, DealProblem, dict[str, object]]]:
    from solvers.instances import benchmark

    for key, problem in benchmark(name).items():
        family, cards, number, kind = key.split("-")
        yield key, problem, {"family": family, "cards": int(cards), "seed": int(number),
                             "possible": kind == "possible"}  # fmt: skip


def _list_families(as_json: bool) -> None:
    from solvers.instances import FAMILIES

    for row in FAMILIES.values():
        line = {"family": row.name, "idea": row.idea, "options": list(row.parameters)}
        options = f" (--{', --'.join(row.parameters)})" if row.parameters else ""
        if as_json:
            print(json.dumps(line))
        else:
            say(f"{row.name:<8} {row.idea}{options}", 9)


def select_families(names: str) -> list[str]:
    """Return the problem families in a comma-separated list of names. `all` selects all families.

    Raise `InputError` if a name is unknown or repeated.
    """
    from solvers.instances import FAMILIES

    if names.strip() == "all":
        return list(FAMILIES)
    families = [name.strip() for name in names.split(",")]
    for name in families:
        lookup(FAMILIES, name, "family")
        if families.count(name) > 1:
            raise InputError(f"families: {name} is named twice")
    return families


@app.command()
def export(
    file: OneFile,
    to: Annotated[
        str, typer.Option(metavar="FORMAT", help="Output format: opb, cnf, flow, lp, mps, fzn, "
                          "mzn, smt2, asp or cp-sat (cnf and flow are formats of DIMACS), or efg "
                          "for a whole game.")
    ],
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Output file.  [default: standard output]")
    ] = None,
) -> None:  # fmt: skip
    """Write a position in a format that other solvers read.

    The position is a state, the last position of a record, or a deal problem. The written formula,
    model or network has a solution if and only if the cards can be dealt. Its variables have
    readable names, such as card_3_1_of_player_2.

    The format efg, which Gambit reads, describes a whole game. Instead of FILE, write the name of
    a benchmark, such as kwartet_tiny, or of a game with its settings. The game tree may have at
    most 200,000 nodes.

    Examples:
      quaternity export state.json --to smt2 --out state.smt2
      quaternity export "kwartet(players=2,sets=2,max_moves=2)" --to efg
    """
    if to == "efg":
        from quaternity.environments.episode import TableGame
        from quaternity.environments.gambit import efg_text  # loads NumPy

        text = efg_text(TableGame.of_text(file))
    else:
        lookup(FORMATS | {"efg": None}, to, "format")
        text = solvers.export(_problem(file), to)
    if out is None:
        print(text, end="")
    else:
        write_text(out, text)


@app.command()
def prove(
    file: OneFile,
    out: Annotated[
        str | None,
        typer.Option(metavar="PREFIX", help="Write the formula to PREFIX.opb and the proof to "
                     "PREFIX.pbp.  [default: print the proof; `quaternity export FILE --to opb` "
                     "prints the formula]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:  # fmt: skip
    """Write a checkable proof that cards cannot be dealt.

    The problem is written as a formula. The proof, in the format of VeriPB 3.0, adds up a few
    constraints of the formula. A built-in checker checks it; with --out, VeriPB also checks it if
    it is installed. If the cards can be dealt, a deal is shown and the exit status is 1.

    Example: quaternity prove impossible.json --out impossible
    """
    problem = _problem(file)
    verdict = solve(problem)
    document = {"file": file, "formula": None, "proof": None, "checked": False}
    if isinstance(verdict, Feasible):
        with ExitWithStatus() as leaving:
            leaving.status = ExitStatus.IMPOSSIBLE
            if as_json:
                print(json.dumps(document | {"deal": verdict.deal.owner}))
                return
            say(f"{file}: possible, so there is nothing to prove; a possible deal:")
            for player in range(problem.players):
                cards = problem.words.hand(verdict.deal.hand(player))
                say(f"  {problem.words.player(player)}: {cards or '-'}")
        return
    formula, proof = solvers.prove(problem, verdict)
    if out is None:
        print(
            json.dumps(document | {"proof": proof, "checked": True}) if as_json else proof,
            end="\n" * as_json,
        )
        return
    paths = [f"{out}.opb", f"{out}.pbp"]
    for path, text in zip(paths, (formula, proof), strict=True):
        write_text(path, text)
    accepted = _veripb(paths)
    if as_json:
        document |= {"formula": paths[0], "proof": paths[1], "checked": True, "veripb": accepted}
        print(json.dumps(document))
    else:
        by = "checked" if accepted is None else "checked here and by VeriPB"
        say(f"{file}: impossible; {paths[1]} proves that {paths[0]} has no solution ({by})")


def _veripb(paths: list[str]) -> bool | None:
    """Return True if VeriPB accepts a proof. Raise `SolverFault` if it rejects the proof.

    Return None if VeriPB is not installed.
    """
    program = which("veripb")
    if program is None:
        return None
    # Use absolute paths, because a path that starts with a dash would be read as an option.
    command = [program, *(str(Path(path).absolute()) for path in paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SolverFault(f"VeriPB rejects {paths[1]}: {(done.stderr or done.stdout).strip()}")
    return True


def _problem(path: str) -> DealProblem:
    try:
        return open_document(path).problem
    except IMPOSSIBLE_ERRORS as error:
        raise InputError(
            f"{path}: impossible, but a deal problem cannot express the reason: {error}"
        ) from error
