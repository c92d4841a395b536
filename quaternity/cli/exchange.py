"""`instances`, `export` and `prove`: deal problems for other people's solvers and checkers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from shutil import which
from typing import Annotated

import typer

from quaternity.base.errors import InputError, SolverFault
from quaternity.base.plain_values import named
from quaternity.base.writing import cannot_be_written, write_text
from quaternity.cli.app import app
from quaternity.cli.opening import IMPOSSIBLE, open_document
from quaternity.cli.status import ExitStatus, Leaving
from quaternity.cli.terminal import say
from solvers import DealProblem, Feasible, certify, solve
from solvers.exchange.checker import RefusedProof
from solvers.exchange.deal_problem_file import deal_problem_document, deal_problem_text
from solvers.exchange.formats import FORMATS, exported, opb
from solvers.exchange.proof import check_refutation, refutation

MAX_INSTANCES_EACH = 10_000

OneFile = Annotated[
    str, typer.Argument(help="A state, game record or deal problem; - is standard input.")
]


@app.command()
def instances(
    families: Annotated[
        str, typer.Option(metavar="NAME,NAME,...", help="Which families, or all.")
    ] = "",
    cards: Annotated[int, typer.Option(help="Number of cards, 12 to 10000.")] = 52,
    each: Annotated[int, typer.Option(help="Instances of each kind, with seeds in a row.")] = 1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same instances.")] = 0,
    possible: Annotated[
        bool | None,
        typer.Option("--possible/--impossible", help="Make one twin only.  [default: both]"),
    ] = None,
    coalition: Annotated[
        int | None, typer.Option(help="Players in the tight coalition (family game).")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="Sets that the shortage needs (families game, chain).")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="DIRECTORY", help="Write each to a file there.  [default: print "
                     "them, one a line]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per file.")] = False,
) -> None:  # fmt: skip
    """Make instances that are just possible, or just impossible.

    Without --families the families are listed. Twins differ by one unit of one bound. The files are
    read by check, compare, analyse, export and prove.

    Example: quaternity instances --families php,chain --cards 120 --each 5 --out instances
    """
    from solvers.instances import twins

    if not families:
        _list_families(as_json)
        return
    names = chosen_families(families)
    if not 1 <= each <= MAX_INSTANCES_EACH:
        raise InputError(f"each: {each} is out of range 1..{MAX_INSTANCES_EACH}")
    if out is not None:
        try:
            Path(out).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_be_written(out, error) from error
    for name in names:
        for number in range(seed, seed + each):
            pair = twins(name, cards, number, coalition=coalition, depth=depth)
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
        line = {"family": row.name, "idea": row.idea, "options": list(row.chosen)}
        options = f" (--{', --'.join(row.chosen)})" if row.chosen else ""
        if as_json:
            print(json.dumps(line))
        else:
            say(f"{row.name:<8} {row.idea}{options}", 9)


def chosen_families(names: str) -> list[str]:
    """Return the families of a list of names, each once.

    Raises `InputError` if a name is unknown (lists the known) or given twice.
    """
    from solvers.instances import FAMILIES

    if names.strip() == "all":
        return list(FAMILIES)
    chosen = [name.strip() for name in names.split(",")]
    for name in chosen:
        named(FAMILIES, name, "family")
        if chosen.count(name) > 1:
            raise InputError(f"families: {name} named twice")
    return chosen


@app.command()
def export(
    file: OneFile,
    to: Annotated[
        str, typer.Option(metavar="FORMAT", help="opb, cnf, flow, lp, mps, fzn, mzn, smt2, asp or "
                          "cp-sat (cnf and flow as DIMACS has them); of a whole game: efg.")
    ],
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Output file.  [default: standard output]")
    ] = None,
) -> None:  # fmt: skip
    """Write a position for other people's solvers.

    The position is a state, the last one of a record, or a deal problem. The formula, model or
    network has a solution if and only if the cards can be dealt. All names in it can be read, such
    as card_3_1_of_player_2.

    For Gambit (efg) a small game is named instead of a file, by the name of a benchmark or by its
    settings: it is written with all its moments, at most 200,000.

    Examples:
      quaternity export state.json --to smt2 --out state.smt2
      quaternity export "kwartet(players=2,sets=2,max_moves=2)" --to efg
    """
    if to == "efg":
        from quaternity.environments.episode import TableGame
        from quaternity.environments.gambit import efg  # loads NumPy

        text = efg(TableGame.of_text(file))
    else:
        named(FORMATS | {"efg": None}, to, "format")
        text = exported(_problem(file), to)
    if out is None:
        print(text, end="")
    else:
        write_text(out, text)


@app.command()
def prove(
    file: OneFile,
    out: Annotated[
        str | None,
        typer.Option(metavar="PREFIX", help="Write PREFIX.opb and PREFIX.pbp.  [default: print the "
                     "proof; its formula is `quaternity export FILE --to opb`]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:  # fmt: skip
    """Prove that cards cannot be dealt, for anybody's checkers.

    The proof adds up a few rows of the formula; it is in the format of VeriPB 3.0. It is checked
    here, and by VeriPB too if that is installed and --out is given. Exit status 1: there is nothing
    to prove, and a deal that fits is shown.

    Example: quaternity prove impossible.json --out impossible
    """
    problem = _problem(file)
    verdict = certify(problem, solve(problem))
    document = {"file": file, "formula": None, "proof": None, "checked": False}
    if isinstance(verdict, Feasible):
        with Leaving() as leaving:
            leaving.status = ExitStatus.IMPOSSIBLE
            if as_json:
                print(json.dumps(document | {"deal": verdict.deal.owner}))
                return
            say(f"{file}: possible, so there is nothing to prove; for example:")
            for player in range(problem.players):
                cards = " ".join(f"{index}/{card}" for index, card in verdict.deal.hand(player))
                say(f"  player {player}: {cards or '-'}")
        return
    if verdict.shortage is None:
        raise SolverFault("infeasible, and no shortage shows why")
    formula, proof = opb(problem), refutation(problem, verdict.shortage)
    try:
        check_refutation(problem, formula, proof)
    except RefusedProof as error:
        raise SolverFault(f"the proof is refused: {error}") from error
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
        by = "checked" if accepted is None else "checked, by VeriPB too"
        say(f"{file}: impossible; {paths[1]} proves it of {paths[0]} ({by})")


def _veripb(paths: list[str]) -> bool | None:
    """Return whether VeriPB accepts formula and proof; None where it is not installed.

    Raises `SolverFault` where it refuses them.
    """
    program = which("veripb")
    if program is None:
        return None
    # A path that starts with a dash would be an option.
    command = [program, *(str(Path(path).absolute()) for path in paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SolverFault(f"VeriPB refuses {paths[1]}: {(done.stderr or done.stdout).strip()}")
    return True


def _problem(path: str) -> DealProblem:
    """Return the deal problem of a file: of a state, of a record's last position, or itself."""
    try:
        return open_document(path).problem
    except IMPOSSIBLE as error:
        raise InputError(f"{path}: impossible, but no deal problem shows why: {error}") from error
