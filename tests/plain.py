"""Lint of the project's English: find wordings that a reader has to read twice.

    python -m tests.plain                    compare the number of hits with the limits
    python -m tests.plain PATH ...           list the hits in some files or folders
    python -m tests.plain --update           lower the limits to the present numbers

The texts of the tracked Python, Markdown and HTML files are read: docstrings, comments, messages,
help, prose and labels, and the names of functions and variables. `plain_limits.txt` has the number of
hits that each rule may have in the product and in the tests. A limit can only fall. A line that is
right as it stands is marked `plain: ok`, with the reason beside the mark.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LIMITS = Path(__file__).with_name("plain_limits.txt")


class Text(NamedTuple):
    """A paragraph, an entry, a comment or a message, joined to one line."""

    kind: str
    """module, function, property, class, constant, raises, comment, message, prose or label"""
    text: str
    lines: list[tuple[int, int]]
    """(offset in the text, line of the file) of each of its lines"""
    opening: bool
    """whether it opens its docstring"""

    def line(self, offset: int) -> int:
        """Return the line of the file that an offset in the text belongs to."""
        return self.lines[bisect_right(self.lines, (offset, sys.maxsize)) - 1][1]


class Rule(NamedTuple):
    """A wording that is hard to read, and what to write instead."""

    pattern: re.Pattern[str]
    advice: str
    kinds: str = ""
    """the kinds of texts it applies to; all if empty"""
    after: str = ""
    """a pattern that excuses a hit if it matches right before"""
    before: str = ""
    """a pattern that excuses a hit if it matches right behind"""
    opening: bool = False
    """whether only the opening of a docstring counts"""


class Hit(NamedTuple):
    """A place where a rule applies."""

    file: str
    line: int
    rule: str
    words: str


START = r"(?:^|(?<=[.;:(] )|(?<=\())"
BE = r"\b(?:is|are|was|were|be|been)"
QUESTION = r"[^.!]*\?"
VERB = (
    r"(?:\w+ly )?(?:is|are|was|were|ha[sd]|have|does|did|do|can|cannot|could|may|might|will|would|must|should"
    r"|\w\w+(?<!ss)s|\w+ed|knew|saw|made|won|lost|sat|went|came|held|said|told|took|gave|left|wrote|asks?|plays?)\b"
)
DOCS = "module function property class constant raises"
IMPERATIVE = "Give|Name|Choose|Take|Translate|Show|Move|Keep|Ask|Draw|Read|Send|Put|Count|Make"
THIRD = "reads|replaces|names|shows|moves|repeats|translates|prints|draws|chooses|brings"
HOUSE = (
    r"doors?",
    r"in the mean(?! (?:time|while))",
    r"by commas",
    r"(?:from|of) elsewhere",
    r"by the clock",
    r"holds? (?:the )?(?:two|both|them) equal",
    r"where nothing else is said",
    r"the usual (?:ones?|values?|settings?)",
    r"best a",
    r"in even parts",
    r"something else than",
    r"what (?:came of|becomes of|is odd)",
    r"(?:one|a) more's",
    r"go(?:es)? on with",
    r"h(?:olds?|eld) possible",
    r"one an? (?:line|game|move|row|page|question)",
    r"a (?!(?:second|minute|day|notebook|hundred|thousand|million)\b)[a-z]+ a (?:time|line|move|count|state|player)",
)


def rule(*patterns: str, advice: str, **options: str | bool) -> Rule:
    """Return the rule for any of some patterns."""
    return Rule(re.compile("|".join(patterns)), advice, **options)  # type: ignore[arg-type]


RULES = {
    "who": rule(
        rf"\b(?:for|to|by|from|with|than|against|after|before|only|so that|and that|what|because|as) who {VERB}",
        rf"(?<!words )(?<!language )\bof who {VERB}(?! (?:what|which|whom))",
        rf"(?:^|(?<=[.;] ))[Ww]ho {VERB}(?=[^.;?,]*\b(?:[a-z]+s|is|are|may|can|must|cannot|[a-z]+ed)\b)",
        advice="give `who` a noun: the player who, anyone who, the caller",
        after=r"\b(?:known?|knows|says?|tells?|sees?|asked|ask|shows?|and|or|,) ",
        before=QUESTION,
    ),
    "what-prep": rule(
        r"\b(?:of|by|from|for|to|with|in|than|at|on|besides?|(?:and )?that) what "
        r"(?:is|are|was|were|can|cannot|may|must|has|have|does|waits|comes|came|runs|lies|stands|costs|speaks|counts"
        r"|others|who|somebody|nobody)\b",
        advice="name the thing: the cards that, the value that, the work that",
        before=QUESTION,
    ),
    "what-is": rule(
        r"(?:^|(?<=[.;:] ))What (?:is|are|was|were|can|cannot|may|must|ha[sd]|came|comes|becomes|lies|stops?|stopped"
        r"|stands|waits)\b(?! (?:it|left|below)\b)",
        advice="begin with a noun: The message that, Everything that is known",
        kinds=f"{DOCS} comment message",
        before=QUESTION,
    ),
    "one": rule(
        r"\b(?:as|that|which|what|where|when|how|if|until|than|whom) one "
        r"(?:likes?|wants?|knows|sees|needs|looks|asks|holds|has|makes|gets|thinks|says)\b",
        r"(?:^|(?<=[.;:] ))One (?:cannot|likes?|wants?|knows|sees|looks|thinks|says)\b",
        advice="name the person: you, the player, the reader",
    ),
    "somebody": rule(
        r"\b[Ss]omebody\b(?! (?:else|other|in X|knows|does not know|who)\b)(?!'s)",
        advice="name the role: a player, a caller, the user, another process",
        kinds=f"{DOCS} comment message",
    ),
    "so-many": rule(
        r"\b[Ss]o (?:many|much|long|often|few|little|large|late)\b(?! (?:as|more and more)\b)",
        advice="name the quantity: at most N, every N seconds, this many",
        after=r"\b(?:as|not|twice|half|why|how|ever) ",
        before=r"[^.;:]{0,40}?\bthat\b| (?:the )?(?:better|worse|more|less)",
    ),
    "bare-most": rule(
        r"^(?:Most|Least|Fewest) (?!of |recent |people |users |readers? |programs? (?:know|can|do))[a-z]+",
        advice="Maximum number of, Maximum ... in seconds or bytes",
        kinds=f"{DOCS} message",
        opening=True,
    ),
    "no-noun": rule(
        r"^[Oo]f\b(?! (?:course|all|these|this|those|each)\b)",
        r"^(?:Bytes|Seconds|Milliseconds|Characters|Cards|Games) (?:that|of|in which|on|for)\b",
        r"^Seconds,",
        advice="begin with the limited thing: Maximum size of ..., in bytes",
        kinds="constant",
        opening=True,
    ),
    "is-none": rule(
        rf"{BE} none\b(?! of (?:the|these|those|them|this|its))",
        advice="is not a ..., there is no ...",
        after=r"\b[Tt]here(?: probably)? ",
    ),
    "is-no": rule(
        r"\b(?:is|are|was|were|be) no (?!longer\b|more\b|better\b|less\b|worse\b|doubt\b|use\b|good\b|other\b|mistake\b"
        r"|\w+er\b)[a-z]\w+",
        advice="is not a ...",
        after=r"\b(?:[Tt]here|answer|it) ",
    ),
    "no-object": rule(
        r"\b[Ll]et (?:no (?!more\b)[a-z]+|nobody|none|nothing)\b",
        rf"(?:^|(?<=[.;] ))(?:{IMPERATIVE}) (?:no (?!more\b|other\b)[a-z]+|nobody|none)\b",
        rf"\b(?:{THIRD}) (?:no (?!(?:longer|more|matter|one|less|better|and|or|to|is|in|as)\b)[a-z]+|none\b(?! of))",
        advice="negate the verb: does not replace a file, prevent ... from",
    ),
    "fronted": rule(
        rf"{START}(?:[Oo]f (?!course)|[Pp]er )(?:\w+ ){{1,4}}"
        r"(?:the|its|their|what|how|who|whether|that|it|they|those|one|somebody|nobody|only)\b",
        r"\b(?:Return|Yield|Give|has|have|and|with|holds?) per (?:[a-z]+ ){1,3}"
        r"(?:the|its|their|a|an|what|how|who|whether|those|all)\b",
        advice="the thing first, `per` behind it: the seconds per solver",
        kinds=f"{DOCS} comment message prose",
        after=r"\b(?:Cost|Memory|Disk): ?",
    ),
    "of-which": rule(
        r"\bof which (?!are\b|is\b|\d|kind|server|limit|card|set|player|game)",
        advice="two sentences, or: for which, about which, one of which",
        after=r"\b(?:one|most|some|each|end|result) ",
        before=QUESTION,
    ),
    "where-if": rule(
        r"\b(?:None|nothing|empty|nobody|none|zero|0|1|Error`?|again|else|raises?|where) "
        r"where (?:(?:that|it|this|nothing|nobody|somebody|none|there|one|they|a|the|no) |not\b)",
        r"(?:^|(?<=[.;] ))Where (?:nobody|nothing|somebody|none) ",
        advice="if or when: None if it is not known",
    ),
    "also-post": rule(
        r", also (?:of|in|for|with|by|your|those|when|where|if|to|from|at|one|its|a|the|an|as|under|without|over)\b",
        advice="including ..., even if ...",
    ),
    "but-for": rule(
        r"\bbut for\b",
        r", but of\b",
        r"\b(?:[Nn]one|nobody|everybody) but\b",
        advice="except, except for",
    ),
    "as-like": rule(
        rf"{START}As (?:`|in |for |on |at |what )",
        r"\b(?:[Rr]aises|[Ww]orks?|[Rr]efuses?|[Aa]rguments and errors) as `",
        advice="Like `x`, ...; Raises the same errors as `x`",
    ),
    "anew": rule(r"\banew\b", advice="again, a new one, reread"),
    "on-turn": rule(r"\bon turn\b", advice="to move, whose turn it is"),
    "of-own": rule(
        r"\b(?:process|processes|programs?|thread|files?) of (?:its|their|his|our) own\b",
        advice="a separate ..., its own ..., an external program",
    ),
    "told": rule(
        rf"{BE} (?:told|heard)\b(?! (?:to|not|that|about|what|which|who|how|of every|apart|the same|otherwise|by [A-Z]))",
        r"\btells? of\b",
        advice="report, print, announce, notify, mention",
        after=r"\b(?:it|you|[Bb]oth|programs|players|want to) ",
    ),
    "phrasal": rule(
        rf"{BE} (?:looked (?:at|for|into)|asked for|waited for|listened (?:to|for)|gone through|spoken of|thought of"
        r"|heard of|called by|come by)\b(?! (?:it|a card|cards|anything)\b)",
        advice="inspected, requested, searched, or name who does it",
    ),
    "house": rule(
        rf"\b(?:{'|'.join(HOUSE)})\b",
        advice="the field's term: interface, on average, comma-separated, external, wall-clock, per line",
    ),
    "message": rule(
        r"\bknown are\b|\b(?:is|are) expected\b|\b(?:number|time|text|list)s? of at (?:least|most)\b",
        r"\b(?:is|are) above 0 and at most\b|\bgames are (?=\{)|\bor more than letters\b|\bonly who\b|\bsaid else\b",
        advice="unknown X: choose from A, B; X must be ...; expected ...",
        kinds="message",
    ),
    "fragment": rule(
        r"^(?:As|Per|In|To|Of|By|With|From|Where|When|What|Who|How|Why|After|At|For|On|Also|Only|None|All that|Every"
        r"|Some|Literals|Ones|Such|Those|One more)\b",
        advice="begin with a verb: Return, Yield, Check",
        kinds="function",
        opening=True,
    ),
    "raises-it": rule(
        r"^[\w`.]+: (?:it|they|what|none|no|one|somebody|nobody)\b(?! (?:if|when)\b)",
        advice="begin with If and name the thing: InputError: If the file ...",
        kinds="raises",
    ),
}

PARTICIPLES = re.compile(
    r"_*(?:[a-z]+ed|told|said|shown|found|made|seen|known|held|given|drawn|chosen|kept|left|sent|written|dealt"
    r"|taken|met|won|lost|gone|begun|built|rebuilt|heard|meant|spent|thought|understood)"
)
NO_PARTICIPLES = {
    "sorted", "reversed", "cached", "speed", "seed", "need", "feed", "shared", "embed", "exceed",
}  # fmt: skip
PRONOUNS = re.compile(
    "one|other_one|each|there|said|told|found|given|here|these|those|what|who|it|mine|things?"
)
EXTREMES = re.compile(r"_?(?:MOST|LEAST|LONGEST|FEWEST|LARGEST)(?:_.*)?")
NAMES = {
    "name-participle": "a verb for a function (check, draw), a noun for its result",
    "name-most": "MAX_ or MIN_",
    "name-one": "say what the variable holds",
}


# The texts of a file


def text_of(kind: str, rows: list[tuple[int, str]], opening: bool = False) -> Iterator[Text]:
    """Yield one text made of (line, words) rows, if it has words."""
    lines, joined = [], ""
    for line, words in rows:
        if words := " ".join(words.split()):
            joined += " " * bool(joined)
            lines.append((len(joined), line))
            joined += words
    if re.search("[A-Za-z]{2}", joined):
        yield Text(kind, joined, lines, opening)


def docstring_texts(kind: str, node: ast.Constant, source: list[str]) -> Iterator[Text]:
    """Yield the paragraphs and entries of a docstring, without its doctests."""
    rows: list[tuple[int, str]] = []
    opening, section, example = True, "", False
    last = node.end_lineno or node.lineno
    for number in range(node.lineno, last + 1):
        words = source[number - 1]
        if number == node.lineno:
            words = words[node.col_offset :].lstrip("rRbBuU").lstrip("\"'")
        if number == last:
            words = re.sub(r"[\"']+\s*(#.*|[,)\]]*)?$", "", words)
        heading = re.fullmatch(
            r"\s*(Args|Attributes|Raises|Returns|Yields|Notes?|Examples?):\s*", words
        )
        item = re.match(r"\s*(?:[-*]|\d+\.) ", words)
        prompt = words.strip().startswith((">>>", "..."))
        if (
            heading
            or item
            or prompt
            or not words.strip()
            or (section and re.match(r"\s+[\w`., *]+: ", words))
        ):
            yield from text_of("raises" if section == "Raises" else kind, rows, opening)
            opening, rows = opening and not rows, []
        section = heading[1] if heading else section
        example = prompt or (example and bool(words.strip()))
        if not heading and not example:
            rows.append((number, words[item.end() :] if item else words))
    yield from text_of("raises" if section == "Raises" else kind, rows, opening)


def kind_of(node: ast.AST) -> str:
    """Return what a docstring at the head of a node describes, or nothing."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        decorators = " ".join(map(ast.unparse, node.decorator_list))
        return "property" if "property" in decorators else "function"
    return {ast.Module: "module", ast.ClassDef: "class"}.get(type(node), "")


def documents_of(tree: ast.Module) -> Iterator[tuple[str, ast.Constant]]:
    """Yield the docstrings of a module and of its classes, functions and constants, with their kinds."""
    for node in ast.walk(tree):
        if kind := kind_of(node):
            body: list[ast.stmt] = node.body  # type: ignore[attr-defined]
            for before, statement in zip([None, *body], body, strict=False):
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    text = isinstance(statement.value.value, str)
                    if text and (before is None or isinstance(before, ast.Assign | ast.AnnAssign)):
                        yield kind if before is None else "constant", statement.value


def message_of(node: ast.expr) -> str:
    """Return the text of a string or an f-string, if it looks like English."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    values = [part.value if isinstance(part, ast.Constant) else "{}" for part in parts]
    text = "".join(value for value in values if isinstance(value, str))
    words = re.findall(r"(?<![\w{/.<-])[A-Za-z][a-z']*(?![\w}/(=>])", text)
    data = re.search(r"SELECT |INSERT |UPDATE |<\w+[ >]|\\x|^\w+\(", text)
    return text if len(words) >= 3 and " " in text.strip() and not data else ""


def python_texts(source: str, tree: ast.Module, messages: bool) -> Iterator[Text]:
    """Yield the docstrings, comments and messages of a Python file."""
    lines = source.splitlines()
    documents = list(documents_of(tree))
    for kind, document in documents:
        yield from docstring_texts(kind, document, lines)
    seen = {id(document) for _, document in documents}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            seen.update(map(id, node.values))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and messages and id(node) not in seen:
            yield from text_of("message", [(node.lineno, message_of(node))], True)
    rows: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(
            r"#\s*(type:|noqa|fmt:|pragma|ruff:|mypy:|!)", token.string
        ):
            alone = not token.line[: token.start[1]].strip()
            if rows and not (alone and rows[-1][0] == token.start[0] - 1):
                yield from text_of("comment", rows)
                rows = []
            rows.append((token.start[0], token.string.lstrip("# ")))
    yield from text_of("comment", rows)


def markdown_texts(source: str) -> Iterator[Text]:
    """Yield the paragraphs, items and cells of a Markdown file, without its code."""
    rows: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate([*source.splitlines(), ""], 1):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        code = (
            fence
            or fenced
            or line.startswith(("    ", ">>>", "$$", "<", "!["))
            or re.match(r"\|[-:| ]+$", line)
        )
        item = re.match(r"\s*([-*]|\d+\.|#+) |\|", line)
        if code or item or not line.strip():
            yield from text_of("prose", rows)
            rows = []
        if not code:
            rows.append((number, line[item.end() :] if item else line))


def html_texts(source: str) -> Iterator[Text]:
    """Yield the labels of a template: texts to translate, and texts between tags."""
    bare = re.sub(
        r"(?s)\{[{%#].*?[}%#]\}|<(script|style)\b.*?</\1>|<[^>]*>",
        lambda m: "\0" * len(m[0]),
        source,
    )
    labels = [
        (match.start(), match[2]) for match in re.finditer(r"_\(\s*([\"'])((?:(?!\1).)+)\1", source)
    ]
    labels += [
        (match.start(), match[0]) for match in re.finditer(r"[^\0\n]*[A-Za-z]{2,}[^\0\n]*", bare)
    ]
    for start, words in labels:
        yield from text_of("label", [(source.count("\n", 0, start) + 1, words)])


# The hits in a file


def text_hits(texts: Iterable[Text]) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the rule and the words of each hit in some texts."""
    for text in texts:
        for name, rule in RULES.items():
            if (rule.kinds and text.kind not in rule.kinds.split()) or (
                rule.opening and not text.opening
            ):
                continue
            for match in rule.pattern.finditer(text.text):
                before, behind = text.text[: match.start()], text.text[match.end() :]
                excused = (rule.after and re.search(f"(?:{rule.after})$", before)) or (
                    rule.before and re.match(rule.before, behind)
                )
                if not excused:
                    yield text.line(match.start()), name, f"{before[-50:]}[{match[0]}]{behind[:60]}"


def is_named_by_participle(node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> bool:
    """Return whether a participle names a function (other than a predicate, a property or a copy)."""
    returns = ast.unparse(node.returns) if node.returns else ""
    copies = {"bool", "Self", owner} | {
        ast.unparse(argument.annotation)
        for argument in [
            argument for argument in node.args.args if argument.arg not in ("self", "cls")
        ][:1]
        if argument.annotation
    }
    return (
        bool(PARTICIPLES.fullmatch(node.name))
        and node.name.strip("_") not in NO_PARTICIPLES
        and returns not in copies - {""}
        and not any("property" in ast.unparse(name) for name in node.decorator_list)
    )


def name_hits(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the rule and the name of each hit in the names of a Python file."""
    owners = {
        node: parent.name
        for parent in ast.walk(tree)
        if isinstance(parent, ast.ClassDef)
        for node in parent.body
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if is_named_by_participle(node, owners.get(node, "")):
                yield node.lineno, "name-participle", node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            if EXTREMES.fullmatch(node.id):
                yield node.lineno, "name-most", node.id
            elif PRONOUNS.fullmatch(node.id):
                yield node.lineno, "name-one", node.id


def hits_of(file: str, source: str) -> Iterator[Hit]:
    """Yield the hits in a file."""
    lines = source.splitlines()
    names: Iterable[tuple[int, str, str]] = ()
    if file.endswith(".py"):
        tree = ast.parse(source)
        texts, names = python_texts(source, tree, not file.startswith("tests/")), name_hits(tree)
    else:
        texts = markdown_texts(source) if file.endswith(".md") else html_texts(source)
    for line, name, words in (*text_hits(texts), *names):
        if "plain: ok" not in lines[line - 1]:
            yield Hit(file, line, name, words)


# The command


def all_hits(paths: list[str]) -> list[Hit]:
    """Return the hits in the tracked files under some paths, or in all of them."""
    command = ["git", "ls-files", "-z", "--", *(paths or ["."])]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [name for name in output.split("\0") if name.endswith((".py", ".md", ".html"))]
    return [
        hit
        for name in files
        if (ROOT / name).is_file()
        for hit in hits_of(name, (ROOT / name).read_text("utf-8"))
    ]


def part_of(hit: Hit) -> str:
    """Return the part of the project that a hit counts for."""
    return "tests" if hit.file.startswith("tests/") else "product"


def read_limits() -> dict[tuple[str, str], int]:
    """Return the limit of each part and rule."""
    rows = (line.split() for line in LIMITS.read_text("utf-8").splitlines())
    return {(part, name): int(limit) for part, name, limit in rows}


def main() -> int:
    """Run the command; return 1 if a limit is exceeded, or higher than the present number."""
    parser = argparse.ArgumentParser(description="Compare the English with the limits.")
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="list the hits in these files and folders"
    )
    parser.add_argument(
        "--update", action="store_true", help="lower the limits to the present numbers"
    )
    options = parser.parse_args()
    hits = all_hits(options.paths)
    if options.paths:
        for hit in hits:
            advice = RULES[hit.rule].advice if hit.rule in RULES else NAMES[hit.rule]
            print(f"{hit.file}:{hit.line}: {hit.rule}: {hit.words} -> {advice}")
        return 0
    limits = read_limits()
    counts = Counter((part_of(hit), hit.rule) for hit in hits)
    above = {key for key, count in counts.items() if count > limits.get(key, 0)}
    for hit in hits:
        if (part_of(hit), hit.rule) in above:
            print(f"{hit.file}:{hit.line}: {hit.rule}: {hit.words}")
    for part, name in sorted(above):
        print(
            f"{part}: {name}: {counts[part, name]} hits, at most {limits.get((part, name), 0)} allowed"
        )
    lower = {key: min(limit, counts[key]) for key, limit in limits.items() if counts[key]}
    if options.update:
        LIMITS.write_text(
            "".join(f"{part} {name} {limit}\n" for (part, name), limit in sorted(lower.items())),
            "utf-8",
        )
    elif lower != limits and not above:
        print("There are fewer hits than the limits allow: run `python -m tests.plain --update`.")
        return 1
    return int(bool(above))


if __name__ == "__main__":
    sys.exit(main())
