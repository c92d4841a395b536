"""Reading and writing of deal-problem files: a `DealProblem` as JSON.

A deal-problem file describes a problem that need not come from a game:

    {"format": "deal-problem/1",
     "hands": [2, 1],
     "sets": [{"owners": [[0, 1], [0, 1], [0]], "low": [0, 1], "high": [3, 3]}]}

`hands[p]` is the number of cards of player p. For each set, `owners[card]` lists the players who
may own a card, and `low[p]` and `high[p]` are the minimum and maximum number of cards of the set
that player p holds. Sets may have different sizes. There may also be names for players, sets or
cards:

    "names": {"players": ["Ann", "Bob"], "sets": ["hearts"], "cards": [["ace", "king", "queen"]]}
"""

from __future__ import annotations

import json
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value
from solvers.exchange.json_document import DocumentReader, kind_of
from solvers.names import Names
from solvers.problem import DealProblem, SetConstraint, check_size, players_in

FORMAT = "deal-problem/1"
FIELDS = ("owners", "low", "high")
NAMES = ("players", "sets", "cards")


class _Reader(DocumentReader):
    NOUN, FORMAT, REQUIRED = "a deal problem", FORMAT, ("format", "hands", "sets")
    OPTIONAL = ("names",)

    def problem(self) -> DealProblem:
        hands = self.list_of(self.document.get("hands", [0]), "hands")
        self.players = len(hands)
        if not hands:
            self.faults.append("hands: at least one player is needed")
        sets = self.list_of(self.document.get("sets", []), "sets")
        # Check the size before parsing the entries, because a small file can describe a problem
        # that is too large.
        owners = [entry.get("owners") for entry in sets if isinstance(entry, dict)]
        cards = sum(len(masks) for masks in owners if isinstance(masks, list))
        try:
            check_size(len(hands), len(sets), cards)
        except InputError as error:
            raise self.ERROR([*self.faults, str(error)]) from None
        amounts = [self.number(hand, f"hands[{player}]") for player, hand in enumerate(hands)]
        constraints = [
            self._constraint(entry, f"sets[{index}]") for index, entry in enumerate(sets)
        ]
        sizes = [constraint.size for constraint in constraints]
        names = self._names(self.document.get("names", {}), sizes)
        self.check()
        return DealProblem(amounts, constraints).named(names)

    def _names(self, value: object, sizes: list[int]) -> Names | None:
        if not isinstance(value, dict):
            self.faults.append(f"names: expected an object, not {kind_of(value)}")
            return None
        self.warnings += [
            f"names.{quote_value(name, str)}: unknown field, ignored"
            for name in value
            if name not in NAMES
        ]
        players, sets = (
            tuple(self.list_of(value[kind], f"names.{kind}", number)) if kind in value else ()
            for kind, number in (("players", self.players), ("sets", len(sizes)))
        )
        rows = self.list_of(value["cards"], "names.cards", len(sizes)) if "cards" in value else []
        cards = [
            tuple(self.list_of(row, f"names.cards[{index}]", size))
            for index, (row, size) in enumerate(zip(rows, sizes, strict=False))
        ]
        try:
            return Names(players, sets, tuple(cards)) if value else None
        except InputError as error:
            self.faults.append(f"names: {error}")
            return None

    def _constraint(self, value: object, place: str) -> SetConstraint:
        if not isinstance(value, dict):
            self.faults.append(f"{place}: expected an object, not {kind_of(value)}")
            return SetConstraint.unchecked((), (), ())
        self.faults += [f"{place}.{name}: missing" for name in FIELDS if name not in value]
        self.warnings += [
            f"{place}.{quote_value(name, str)}: unknown field, ignored"
            for name in value
            if name not in FIELDS
        ]
        owners = self.list_of(value.get("owners", []), f"{place}.owners")
        masks = [
            self.owner_mask(players, f"{place}.owners[{card}]")
            for card, players in enumerate(owners)
        ]
        low, high = (
            [
                self.number(bound, f"{place}.{name}[{player}]")
                for player, bound in enumerate(
                    self.list_of(value[name], f"{place}.{name}", self.players)
                )
            ]
            if name in value
            else []
            for name in FIELDS[1:]
        )
        return SetConstraint.unchecked(tuple(masks), tuple(low), tuple(high))


def parse_deal_problem(text: str) -> tuple[DealProblem, list[str]]:
    """Parse the JSON text of a deal problem. Return it with a warning for each unknown field.

    Raises:
        MalformedDocument: If the text is not a valid deal problem. The error lists all faults.

    >>> text = '{"format": "deal-problem/1", "hands": [1], "sets": [{"owners": [[0]], "low": [0]}]}'
    >>> parse_deal_problem(text)
    Traceback (most recent call last):
        ...
    solvers.exchange.json_document.MalformedDocument: sets[0].high: missing
    """
    reader = _Reader(text)
    return reader.problem(), reader.warnings


def deal_problem_document(problem: DealProblem) -> dict[str, Any]:
    """Return a deal problem as a dictionary, in the JSON format of deal-problem files."""
    names = problem.names
    named = {} if names is None else {kind: getattr(names, kind) for kind in NAMES}
    present = {kind: value for kind, value in named.items() if value}
    return {
        "format": FORMAT,
        "hands": list(problem.hands),
        "sets": [
            {
                "owners": [list(players_in(mask)) for mask in constraint.owners],
                "low": list(constraint.low),
                "high": list(constraint.high),
            }
            for constraint in problem.sets
        ],
        **({"names": present} if present else {}),
    }


def deal_problem_text(problem: DealProblem) -> str:
    """Return the text of a deal-problem file, with one line for the hands and one for each set.

    >>> print(deal_problem_text(DealProblem([1], [SetConstraint([1], [0], [1])])), end="")
    {"format": "deal-problem/1",
     "hands": [1],
     "sets": [
      {"owners": [[0]], "low": [0], "high": [1]}]}
    """
    document = deal_problem_document(problem)
    sets = "".join(f",\n  {json.dumps(entry)}" for entry in document["sets"])[1:]
    hands = json.dumps(document["hands"])
    names = f',\n "names": {json.dumps(document["names"])}' if "names" in document else ""
    return f'{{"format": "{FORMAT}",\n "hands": {hands},\n "sets": [{sets}]{names}}}\n'
