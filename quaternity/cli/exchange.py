"""`instances`, `export` and `prove`: write deal problems for other solvers and proof checkers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from shutil import which
from typing import Annotated

import typer

from quaternity.base.errors import InputError, SolverFault
from quaternity.base.validation import lookup
from quaternity.base.writing import write_error, write_text
from quaternity.cli.app import app
from quaternity.cli.input_files import IMPOSSIBLE_ERRORS, open_document
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import say
from solvers import DealProblem, Feasible, certify, solve
from solvers.exchange.checker import InvalidProof
from solvers.exchange.deal_problem_file import deal_problem_document, deal_problem_text
from solvers.exchange.formats import FORMATS, export_problem, opb
from solvers.exchange.proof import check_refutation, refutation

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
        typer.Option(metavar="N", help="Number of pairs of each family, from consecutive seeds."),
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
            metavar="N", help="Number of players who together have no room for other cards "
            "(family game only)."
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of sets that the proof of impossibility involves (families "
            "game and chain only)."
        ),
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
    """Make deal problems that are barely possible or impossible.

    Each pair consists of a possible and an impossible problem that differ by one unit of one bound.
    The commands check, compare, analyse, export and prove read the files.

    Example: quaternity instances --families php,chain --cards 120 --each 5 --out instances
    """
    from solvers.instances import make_pair

    if not families:
        _list_families(as_json)
        return
    names = select_families(families)
    if not 1 <= each <= MAX_INSTANCES_EACH:
        raise InputError(f"each: {each} is out of range 1..{MAX_INSTANCES_EACH}")
    if out is not None:
        try:
            Path(out).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(out, error) from error
    for name in names:
        for number in range(seed, seed + each):
            pair = make_pair(name, cards, number, coalition=coalition, depth=depth)
            for kind, problem in zip(("possible", "impossible"), pair, strict=True):
                if possible is not None and possible != (kind == "possible"):
                    continue
                if out is None:
                    print(json.dumps(deal_problem_document(problem)), flush=True)
                    continue
                shape = [f"{key}{value}" for key, value in (("coalition", coalition),
                         ("depth", depth)) if value is not None]  # fmt: skip
                path = Path(out) / f"{'-'.join([name, str(cards), *shape, str(number), kind])}.json"
                write_text(path, deal_problem_text(problem))
                document = {"file": str(path), "family": name, "cards": cards, "seed": number,
                        "possible": kind == "possible"}  # fmt: skip
                print(json.dumps(document) if as_json else path, flush=True)


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
    """Return the names of the families in a comma-separated list.

    Raises `InputError` if a name is unknown or repeated.
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

    The format efg, which Gambit reads, describes a whole game. Instead of a file, name a benchmark,
    or a small game with its settings. The game tree may have at most 200,000 nodes.

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
        text = export_problem(_problem(file), to)
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
    """Prove that cards cannot be dealt, for independent checkers.

    The proof is in the format of VeriPB 3.0 and adds up a few constraints of the formula. A
    built-in checker checks it; with --out, VeriPB also checks it if it is installed. If the cards
    can be dealt, a deal is shown and the exit status is 1.

    Example: quaternity prove impossible.json --out impossible
    """
    problem = _problem(file)
    verdict = certify(problem, solve(problem))
    document = {"file": file, "formula": None, "proof": None, "checked": False}
    if isinstance(verdict, Feasible):
        with ExitWithStatus() as leaving:
            leaving.status = ExitStatus.IMPOSSIBLE
            if as_json:
                print(json.dumps(document | {"deal": verdict.deal.owner}))
                return
            say(f"{file}: possible, so there is nothing to prove; a possible deal:")
            for player in range(problem.players):
                cards = " ".join(f"{index}/{card}" for index, card in verdict.deal.hand(player))
                say(f"  player {player}: {cards or '-'}")
        return
    if verdict.shortage is None:
        raise SolverFault("the verdict is infeasible, but no shortage proves it")
    formula, proof = opb(problem), refutation(problem, verdict.shortage)
    try:
        check_refutation(problem, formula, proof)
    except InvalidProof as error:
        raise SolverFault(f"the built-in checker rejects the proof: {error}") from error
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
        by = "checked" if accepted is None else "checked, also by VeriPB"
        say(f"{file}: impossible; {paths[1]} proves that {paths[0]} has no solution ({by})")


def _veripb(paths: list[str]) -> bool | None:
    """Check a proof with VeriPB. Return True if it is accepted, or None if VeriPB is not installed.

    Raises `SolverFault` if VeriPB rejects the proof.
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
    """Return the deal problem of the position in a file."""
    try:
        return open_document(path).problem
    except IMPOSSIBLE_ERRORS as error:
        raise InputError(f"{path}: impossible, but no deal problem shows why: {error}") from error
