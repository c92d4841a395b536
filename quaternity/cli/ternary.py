"""`set`: study the cards of the game SET under either of two rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from random import Random
from typing import Annotated, Any

import typer

from quaternity.base.errors import InputError, LimitError
from quaternity.base.text_format import percent
from quaternity.base.writing import write_text
from quaternity.cli.app import app
from quaternity.cli.help_pages import HelpGroup
from quaternity.cli.options import AsJson
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import say, warn, width
from quaternity.ternary import (
    PICTURES,
    WHOLE_DECK,
    Incumbent,
    Rule,
    SetCard,
    check_table,
    count_free,
    largest_free,
    largest_in_deck,
    most_disjoint,
    read_card,
    table_svg,
    triples,
    triples_through,
)
from quaternity.ternary import partners as partners_of
from quaternity.ternary.picture import pairs
from quaternity.ternary.triples import Triple

set_app = typer.Typer(
    cls=HelpGroup,
    no_args_is_help=True,
    help="""Play SET, and study its 81 cards under two rules.

    Three cards are a SET if each attribute is all alike or all different. They are a triple (--rule
    triple) if any two of them differ in all four attributes.

    A card is an index 0..80, four ternary digits such as 0212 (shape, colour, fill, amount), or
    words such as three-purple-striped-diamonds, in any order.""",
)

app.add_typer(set_app, name="set")

CARD = Annotated[
    str,
    typer.Argument(metavar="CARD", help="An index, four ternary digits, or words in one argument."),
]
CARDS = Annotated[
    list[str],
    typer.Argument(metavar="CARD", help="The cards of the table, written as for `set show`."),
]
RULE = Annotated[
    str,
    typer.Option(
        "--rule",
        "-r",
        metavar="set|triple",
        help="Kind of three cards to look for: a SET or a triple.",
    ),
]
METHOD = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="search|cp-sat",
        help="Method that finds and proves the result: a built-in search or CP-SAT.",
    ),
]
SECONDS = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        metavar="SECONDS",
        help="Time limit in seconds. When it is reached, the best result so far is shown, with a "
        "proved upper bound.  [default: none]",
    ),
]
CHOICE_SEED = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="Random seed for the choice among equal results.  [default: always the same choice]",
    ),
]


@set_app.command()
def show(card: CARD, as_json: AsJson = False) -> None:
    """Show a card as an index, as ternary digits and in words.

    Example: quaternity set show 0212
    """
    set_card = SetCard(read_card(card))
    shape, colour, fill, _ = set_card.words
    if as_json:
        print_json(
            index=set_card.index,
            ternary=set_card.ternary,
            digits=list(set_card.digits),
            shape=shape,
            colour=colour,
            fill=fill,
            amount=set_card.figures,
            words=str(set_card),
        )
        return
    print(_line(set_card.index))


@set_app.command()
def partners(card: CARD, as_json: AsJson = False) -> None:
    """List the 8 triples that contain a card. Their 16 other cards share no attribute with it.

    Example: quaternity set partners 23
    """
    index = read_card(card)
    through = triples_through(index, Rule.TRIPLE)
    if as_json:
        print_json(card=index, partners=partners_of(index), triples=through)
        return
    print(_line(index))
    print("forms a triple with")
    for three in through:
        first, second = (other for other in three if other != index)
        wide_enough = (width() or 100) >= 96
        print(
            f"{_line(first):<48}{_line(second)}"
            if wide_enough
            else f"{_line(first)}\n{_line(second)}\n"
        )


@set_app.command()
def find(
    cards: CARDS,
    rule: RULE = "set",
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Also draw the table as SVG.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find all SETs (or all triples, with `--rule triple`) on a table of three or more cards.

    Example: quaternity set find 0 1 2 40 80 --svg table.svg
    """
    triple_rule, table = Rule(rule), _table(cards, least=3)
    threes = triples(table, triple_rule)
    if svg is not None:
        write_text(svg, table_svg(table, threes=threes))
    if as_json:
        print_json(rule=triple_rule, triples=threes)
        return
    _print_threes(threes, triple_rule)


@set_app.command()
def disjoint(
    cards: CARDS,
    rule: RULE = "set",
    method: METHOD = "search",
    seconds: SECONDS = None,
    seed: CHOICE_SEED = None,
    as_json: AsJson = False,
) -> None:
    """Find as many SETs (or triples) as possible on a table, so that no two share a card.

    If a limit (exit status 4) or an interrupt (130) ends the search, the best result so far is
    shown with an upper bound.

    Example: quaternity set disjoint 0 1 2 40 80 13 26
    """
    triple_rule, table = Rule(rule), _table(cards, least=3)
    best: Incumbent[Triple] = Incumbent()
    with _report_early_end(best) as status:
        most_disjoint(
            table, triple_rule, method, seconds=seconds, random=_optional_random(seed), best=best
        )
    threes = sorted(best.found)
    with ExitWithStatus() as leaving:
        leaving.status = max(status, default=ExitStatus.DONE)
        if as_json:
            print_json(
                rule=triple_rule,
                method=method,
                triples=threes,
                bound=best.bound,
                proved=best.proved,
            )
        else:
            _print_threes(threes, triple_rule)


@set_app.command()
def count(
    n: Annotated[
        int,
        typer.Option("-n", "--cards", metavar="N", help="Number of cards on the table, 1 to 81."),
    ] = 12,
    rule: RULE = "set",
    as_json: AsJson = False,
) -> None:
    """Count exactly how many tables of n cards contain no SET, or no triple.

    Example: quaternity set count -n 12
    """
    result = count_free(n, Rule(rule))
    if as_json:
        print_json(
            n=n,
            rule=result.rule,
            free=result.free,
            tables=result.tables,
            probability=result.probability,
        )
        return
    say(
        f"{result.free:,} of {result.tables:,} tables of {n} cards "
        f"have no {result.rule.three}: {percent(Fraction(result.free, result.tables), 4)}"
    )


@set_app.command()
def largest(
    cards: Annotated[
        list[str] | None,
        typer.Argument(metavar="CARD", help="The cards of a table.  [default: the whole deck]"),
    ] = None,
    rule: RULE = "set",
    method: METHOD = "search",
    seconds: SECONDS = None,
    seed: CHOICE_SEED = None,
    as_json: AsJson = False,
) -> None:
    """Find a largest collection without a SET, or triple, and prove that there is no larger one.

    If a limit (exit status 4) or an interrupt (130) ends the search, the largest collection so far
    is shown with an upper bound. Tables of about 40 cards reach the limit.

    Example: quaternity set largest --method cp-sat
    """
    triple_rule, table = Rule(rule), _table(cards) if cards else WHOLE_DECK
    reasons: tuple[str, ...] = ()
    best, random = Incumbent[int](), _optional_random(seed)
    with _report_early_end(best) as status:
        if table == WHOLE_DECK:
            proof = largest_in_deck(triple_rule, method, seconds=seconds, random=random, best=best)
            reasons = proof.reasons
        else:
            largest_free(table, triple_rule, method, seconds=seconds, random=random, best=best)
    with ExitWithStatus() as leaving:
        leaving.status = max(status, default=ExitStatus.DONE)
        if as_json:
            print_json(
                rule=triple_rule, method=method, size=best.size, cards=best.found, reasons=reasons,
                bound=best.bound, proved=best.proved,
            )  # fmt: skip
        else:
            limit = "no more are possible" if best.proved else f"at most {best.bound} are possible"
            say(f"{best.size} of {len(table)} cards without a {triple_rule.three}, and {limit}:")
            for card in best.found:
                print(_line(card))
            for reason in reasons:
                say(f"- {reason}")


@contextmanager
def _report_early_end(best: Incumbent[Any]) -> Iterator[list[ExitStatus]]:
    """Print why the `with` block was stopped early. Add the exit status to the yielded list."""
    status: list[ExitStatus] = []
    try:
        yield status
    except (LimitError, KeyboardInterrupt) as error:
        limit = isinstance(error, LimitError)
        status.append(ExitStatus.LIMIT if limit else ExitStatus.INTERRUPTED)
        warn(str(error) if limit else f"interrupted; {best}")


def _optional_random(seed: int | None) -> Random | None:
    return None if seed is None else Random(seed)


@set_app.command()
def picture(
    file: Annotated[str, typer.Argument(metavar="FILE.svg", help="Output file.")],
    kind: Annotated[
        str, typer.Option("--kind", "-k", metavar="circle|matrix", help="Kind of picture.")
    ] = "circle",
    as_json: AsJson = False,
) -> None:
    """Draw all pairs of cards that share no attribute, as chords of a circle or as a matrix.

    Example: quaternity set picture pairs.svg --kind matrix
    """
    if kind not in PICTURES:
        raise InputError(f"--kind: unknown picture {kind!r}; choose from {', '.join(PICTURES)}")
    write_text(file, PICTURES[kind]())
    if as_json:
        print_json(file=file, kind=kind, pairs=sum(1 for _ in pairs()))
        return
    say(f"{file}: {kind}")


def _table(texts: list[str], least: int = 1) -> tuple[int, ...]:
    table = check_table(map(read_card, texts))
    if len(table) < least:
        raise InputError(f"the table must have at least {least} cards, not {len(table)}")
    return table


def ternary_digits(card: int) -> str:
    """Return the four digits (0 to 2) of a card."""
    return SetCard(card).ternary


def _line(card: int) -> str:
    return f"{card:>2}  {ternary_digits(card)}  {SetCard(card)}"


def _print_threes(threes: Iterable[Triple], rule: Rule) -> None:
    number = 0
    for number, three in enumerate(threes, start=1):
        print(f"{rule.three} {number}")
        for card in three:
            print(f"  {_line(card)}")
    if number == 0:
        print(f"no {rule.three}")


def print_json(**value: object) -> None:
    """Print one JSON object."""
    print(json.dumps(value))
