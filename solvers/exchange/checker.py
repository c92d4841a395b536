"""Checker of pseudo-boolean proofs that consist of linear combinations of constraints (rows).

The checker shares no code with the writer of the proofs. It reads a subset of two formats and
refuses everything else. Both formats are plain ASCII, so that all readers agree about the lines.

A *formula* (OPB) has a row or a comment on each line. A comment starts with `*`. A row looks like
this:

    +1 x1 -2 ~x2 +1 x3 >= 1 ;

It has pairs of an integer coefficient and a literal, followed by `>=`, `<=` or `=`, an integer
bound and `;`. A literal is a variable, or `~` and a variable, which stands for 1 minus the
variable. Variables are 0 or 1.

A *proof* (VeriPB 3.0) shows that a formula has no solution. It has a header line, and statements
that end in `;`. A comment extends from `%` to the end of the line. For example, with explanations
on the right:

    pseudo-Boolean proof version 3.0
    f 3;                     The formula has 3 rows, numbered from 1. A row with `=` counts as two
                             rows: first `>=`, then `<=`.
    pol 1 3 2 * + ;          Derive a new row, which gets the next number, in reverse Polish
                             notation: the number of a row pushes it onto the stack, `k *`
                             multiplies the top row by k >= 1, and `+` adds the two top rows. One
                             row must remain. There may be any number of these statements.
    output NONE;
    conclusion UNSAT : 4;    Row 4 is impossible: written with `>=`, its maximum over all values of
                             the variables is less than the bound.
    end pseudo-Boolean proof;

A solution of the rows also satisfies their sums and their multiples by positive numbers. So if a
derived row is impossible, the formula has no solution (Cook, Coullard, Turán, *On the complexity of
cutting-plane proofs*, 1987).
"""

from __future__ import annotations

import re

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value

HEADER = "pseudo-Boolean proof version 3.0"
INTEGER, NUMBER = re.compile(r"[+-]?[0-9]{1,100}"), re.compile(r"[1-9][0-9]{0,99}")
INVALID_CHARACTER = re.compile(r"[^\t\n\r -~]")
LITERAL = re.compile(r"(~?)([A-Za-z_][A-Za-z0-9_]*)")

PseudoBoolean = tuple[dict[str, int], int]
"""Linear constraint: the coefficients of the variables, and the minimum of the weighted sum."""


class InvalidProof(InputError):
    """Error for a formula or proof that cannot be read, or for a proof that is not valid."""


def check_proof(formula: str, proof: str) -> None:
    r"""Check a proof that a formula has no solution. The module describes both formats.

    The running time is proportional to the lengths of the formula and the proof.

    Raises:
        InvalidProof: If the proof is not valid, or if the formula or the proof cannot be read.

    >>> check_proof("+1 x1 >= 1 ;\n-1 x1 >= 0 ;\n", '''pseudo-Boolean proof version 3.0
    ... f 2;
    ... pol 1 2 + ;
    ... output NONE;
    ... conclusion UNSAT : 3;
    ... end pseudo-Boolean proof;
    ... ''')
    """
    for name, text in (("formula", formula), ("proof", proof)):
        if invalid := INVALID_CHARACTER.search(text):
            line = text.count("\n", 0, invalid.start()) + 1
            raise InvalidProof(f"{name}, line {line}: {invalid[0]!a} is not allowed in the format")
    # Do not use `splitlines`, which would also split at a single "\r". For other readers, this
    # character does not end a line, for example in a comment.
    rows = [row for place, line in enumerate(formula.split("\n"), 1)
            for row in _rows(line.split(), f"formula, line {place}")]  # fmt: skip
    header, _, body = proof.partition("\n")
    if header.rstrip() != HEADER:
        raise InvalidProof(f"proof: the first line is not {HEADER!r}")
    text = re.sub(r"%.*", "", body)
    *statements, after = [statement.split() for statement in text.split(";")]
    if len(statements) < 4 or after:
        raise InvalidProof("proof: it has too few statements, or its last statement is incomplete")
    start, *steps, output, conclusion, end = statements
    if start != ["f", str(len(rows))]:
        raise InvalidProof(
            f"proof: must start with 'f {len(rows)}', because the formula has {len(rows)} rows, "
            f"not with {_quote_statement(start)}"
        )
    for step in steps:
        rows.append(_sum(step, rows))
    *words, last = conclusion or [""]
    if words != ["conclusion", "UNSAT", ":"]:
        raise InvalidProof(
            f"proof: expected 'conclusion UNSAT : NUMBER', not {_quote_statement(conclusion)}"
        )
    if output != ["output", "NONE"] or end != ["end", "pseudo-Boolean", "proof"]:
        raise InvalidProof(
            "proof: expected 'output NONE' and 'end pseudo-Boolean proof', not "
            f"{_quote_statement(output)} and {_quote_statement(end)}"
        )
    terms, bound = rows[_number(last, len(rows)) - 1]
    maximum = sum(coefficient for coefficient in terms.values() if coefficient > 0)
    if maximum >= bound:
        raise InvalidProof(
            f"proof: row {last} is not a contradiction: its sum must be at least "
            f"{quote_value(bound)}, and can be up to {quote_value(maximum)}"
        )


def _rows(parts: list[str], place: str) -> list[PseudoBoolean]:
    """Parse the words of a line. Return one constraint, two for an equality, or no constraints.

    `place` says which line it is, for error messages. Comments and empty lines have no constraints.
    """
    if not parts or parts[0].startswith("*"):
        return []
    *pairs, relation, bound, end = ["", "", "", *parts]
    pairs = pairs[3:]
    if end != ";" or relation not in (">=", "<=", "=") or not INTEGER.fullmatch(bound):
        raise InvalidProof(f"{place}: must end with >=, <= or =, a whole number and ';'")
    terms: dict[str, int] = {}
    low = int(bound)
    for factor, literal in zip(pairs[::2], [*pairs[1::2], ""], strict=False):
        match = LITERAL.fullmatch(literal)
        if not INTEGER.fullmatch(factor) or match is None:
            raise InvalidProof(
                f"{place}: {quote_value(factor)} {quote_value(literal)} is not a term"
            )
        number = int(factor)
        if match[1]:  # k ~x equals k - k x
            low, number = low - number, -number
        terms[match[2]] = terms.get(match[2], 0) + number
    at_least = (terms, low)
    at_most = ({name: -number for name, number in terms.items()}, -low)
    return {">=": [at_least], "<=": [at_most], "=": [at_least, at_most]}[relation]


def _sum(step: list[str], rows: list[PseudoBoolean]) -> PseudoBoolean:
    if step[:1] != ["pol"]:
        raise InvalidProof(f"proof: {_quote_statement(step)} is not a known statement")
    stack: list[PseudoBoolean] = []
    tokens = iter(range(1, len(step)))
    for place in tokens:
        token = step[place]
        if token == "+":
            if len(stack) < 2:
                raise InvalidProof(f"proof: token {place} of pol: two rows must precede +")
            terms, bound = stack.pop()
            total, total_bound = stack.pop()
            for name, number in terms.items():
                total[name] = total.get(name, 0) + number
            stack.append((total, total_bound + bound))
        elif step[place + 1 : place + 2] == ["*"]:
            next(tokens)
            if not stack:
                raise InvalidProof(f"proof: token {place} of pol: a row must precede the factor")
            factor = _number(token)
            terms, bound = stack.pop()
            scaled = {name: factor * number for name, number in terms.items()}
            stack.append((scaled, factor * bound))
        else:
            terms, bound = rows[_number(token, len(rows)) - 1]
            stack.append((dict(terms), bound))
    if len(stack) != 1:
        raise InvalidProof(f"proof: pol leaves {len(stack)} rows, not one")
    return stack[0]


def _number(token: str, limit: int | None = None) -> int:
    number = int(token) if NUMBER.fullmatch(token) else 0
    if not number or (limit is not None and number > limit):
        raise InvalidProof(f"proof: {quote_value(token)} is not the number of a preceding row")
    return number


def _quote_statement(statement: list[str]) -> str:
    return quote_value(" ".join(statement))
