"""A checker of pseudo-boolean proofs that are sums of rows.

It shares no code with their writer. It reads a part of two formats, and refuses everything else. A
*formula* (OPB) is lines. A line that starts with `*` is a comment. Every other one is a row:

    +1 x1 -2 ~x2 +1 x3 >= 1 ;

whole coefficients, each with its literal (a variable, or `~` and a variable, which is 1 minus it),
then `>=`, `<=` or `=`, a whole bound, and `;`. Variables are 0 or 1. A formula is proved to have no
solution. A *proof* (VeriPB 3.0) is its first line and statements that end in `;`, where `%` starts
a comment up to the end of the line. Both are plain ASCII, so that no two readers see other lines:

    pseudo-Boolean proof version 3.0
    f 3;                     the formula has 3 rows, numbered from 1; `=` counts as two, first
                             its `>=`, then its `<=`
    pol 1 3 2 * + ;          any number of these: a new row with the next number, in reverse Polish
                             notation: the number of a row puts it on the stack, `k *` multiplies
                             the topmost one by k >= 1, `+` adds the two topmost; one must be left
    output NONE;
    conclusion UNSAT : 4;    this row is impossible: as `>=`, with every variable at its best, the
                             sum does not reach the bound
    end pseudo-Boolean proof;

Adding rows and multiplying them by positive numbers keeps every solution, so a row that nothing
satisfies shows that there is none (Cook, Coullard, Turán, *On the complexity of cutting-plane
proofs*, 1987).
"""

from __future__ import annotations

import re

from quaternity.base.errors import InputError
from quaternity.base.wording import shown

HEADER = "pseudo-Boolean proof version 3.0"
INTEGER, NUMBER = re.compile(r"[+-]?[0-9]{1,100}"), re.compile(r"[1-9][0-9]{0,99}")
ODD = re.compile(r"[^\t\n\r -~]")
LITERAL = re.compile(r"(~?)([A-Za-z_][A-Za-z0-9_]*)")

PseudoBoolean = tuple[dict[str, int], int]
"""A row: coefficients of variables, whose sum is at least the bound."""


class RefusedProof(InputError):
    """A formula or a proof cannot be read, or does not prove what it claims."""


def check_proof(formula: str, proof: str) -> None:
    r"""Check that a proof shows that a formula has no solution; else raise `RefusedProof`.

    Cost: the length of the formula, and for each `pol` that of the rows it names.

    >>> check_proof("+1 x1 >= 1 ;\n-1 x1 >= 0 ;\n", '''pseudo-Boolean proof version 3.0
    ... f 2;
    ... pol 1 2 + ;
    ... output NONE;
    ... conclusion UNSAT : 3;
    ... end pseudo-Boolean proof;
    ... ''')
    """
    for name, text in (("formula", formula), ("proof", proof)):
        if odd := ODD.search(text):
            line = text.count("\n", 0, odd.start()) + 1
            raise RefusedProof(f"{name}, line {line}: {odd[0]!a} is no character of the format")
    # Not `splitlines`: for others "\r" alone ends no line, so a comment would be a row here only.
    rows = [row for place, line in enumerate(formula.split("\n"), 1)
            for row in _rows(line.split(), f"formula, line {place}")]  # fmt: skip
    header, _, body = proof.partition("\n")
    if header.rstrip() != HEADER:
        raise RefusedProof(f"proof: the first line is not {HEADER!r}")
    text = re.sub(r"%.*", "", body)
    *statements, after = [statement.split() for statement in text.split(";")]
    if len(statements) < 4 or after:
        raise RefusedProof("proof: it does not end with a whole statement, or has too few")
    start, *steps, output, conclusion, end = statements
    if start != ["f", str(len(rows))]:
        raise RefusedProof(f"proof: {_said(start)}; the formula has {len(rows)} rows")
    for step in steps:
        rows.append(_sum(step, rows))
    *words, last = conclusion or [""]
    if words != ["conclusion", "UNSAT", ":"]:
        raise RefusedProof(f"proof: {_said(conclusion)} is not 'conclusion UNSAT : NUMBER'")
    if output != ["output", "NONE"] or end != ["end", "pseudo-Boolean", "proof"]:
        raise RefusedProof(f"proof: it ends with {_said(output)} and {_said(end)}")
    terms, bound = rows[_number(last, len(rows)) - 1]
    most = sum(coefficient for coefficient in terms.values() if coefficient > 0)
    if most >= bound:
        raise RefusedProof(
            f"proof: row {last} is possible: up to {shown(most)}, at least {shown(bound)}"
        )


def _rows(parts: list[str], place: str) -> list[PseudoBoolean]:
    """Return the rows of one line of a formula: none, one or two."""
    if not parts or parts[0].startswith("*"):
        return []
    *pairs, relation, bound, end = ["", "", "", *parts]
    pairs = pairs[3:]
    if end != ";" or relation not in (">=", "<=", "=") or not INTEGER.fullmatch(bound):
        raise RefusedProof(f"{place}: it does not end with >=, <= or =, a whole number and ';'")
    terms: dict[str, int] = {}
    least = int(bound)
    for factor, literal in zip(pairs[::2], [*pairs[1::2], ""], strict=False):
        match = LITERAL.fullmatch(literal)
        if not INTEGER.fullmatch(factor) or match is None:
            raise RefusedProof(f"{place}: {shown(factor)} {shown(literal)} is no term")
        number = int(factor)
        if match[1]:  # k ~x is k - k x
            least, number = least - number, -number
        terms[match[2]] = terms.get(match[2], 0) + number
    at_least = (terms, least)
    at_most = ({name: -number for name, number in terms.items()}, -least)
    return {">=": [at_least], "<=": [at_most], "=": [at_least, at_most]}[relation]


def _sum(step: list[str], rows: list[PseudoBoolean]) -> PseudoBoolean:
    if step[:1] != ["pol"]:
        raise RefusedProof(f"proof: {_said(step)} is no statement that is known")
    stack: list[PseudoBoolean] = []
    tokens = iter(range(1, len(step)))
    for place in tokens:
        token = step[place]
        if token == "+":
            if len(stack) < 2:
                raise RefusedProof(f"proof: token {place} of pol: nothing to add")
            terms, bound = stack.pop()
            below, least = stack.pop()
            for name, number in terms.items():
                below[name] = below.get(name, 0) + number
            stack.append((below, least + bound))
        elif step[place + 1 : place + 2] == ["*"]:
            next(tokens)
            if not stack:
                raise RefusedProof(f"proof: token {place} of pol: nothing to multiply")
            factor = _number(token)
            terms, bound = stack.pop()
            scaled = {name: factor * number for name, number in terms.items()}
            stack.append((scaled, factor * bound))
        else:
            terms, bound = rows[_number(token, len(rows)) - 1]
            stack.append((dict(terms), bound))
    if len(stack) != 1:
        raise RefusedProof(f"proof: pol leaves {len(stack)} rows, not one")
    return stack[0]


def _number(token: str, most: int | None = None) -> int:
    number = int(token) if NUMBER.fullmatch(token) else 0
    if not number or (most is not None and number > most):
        raise RefusedProof(f"proof: {shown(token)} is not the number of a row before")
    return number


def _said(statement: list[str]) -> str:
    return shown(" ".join(statement))
