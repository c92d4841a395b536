"""Export of situations to SMCDEL, a symbolic model checker for dynamic epistemic logic.

SMCDEL was written by M. Gattinger. The exported model has a boolean variable for every card and
player, which says whether the player holds the card. Each player observes the variables of their
own hand. SMCDEL can express knowledge, group knowledge and announcements, but neither `P` (all
deals that fit the public information) nor `U` (the number of unknown cards).
"""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.base.errors import InputError
from quaternity.epistemic import formula as logic
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.situation import Situation
from quaternity.epistemic.worlds import all_deals
from quaternity.game.cards import Card
from solvers.problem import iter_cards, players_in

MAX_DEALS = 5000
"""Maximum number of deals in an exported situation."""


def smcdel_text(situation: Situation) -> str:
    """Return a situation and its questions about the real deal as input for the program SMCDEL.

    Raises:
        InputError: If SMCDEL cannot express a formula.
        LimitError: If there are more than `MAX_DEALS` deals.
    """
    problem = situation.problem
    number: dict[tuple[int, Card], int] = {}
    rows: list[dict[int, int]] = []
    for index, card, mask in iter_cards(problem):
        rows.append({})
        for player in players_in(mask):
            rows[-1][player] = number[player, Card(index, card)] = len(number)
    worlds = all_deals(problem, MAX_DEALS).T.tolist()
    names = _Names(number, problem.players)
    meanings = [f"{variable} is H{player} {card}" for (player, card), variable in number.items()]
    seen: list[list[str]] = [[] for _ in range(problem.players)]
    for (player, _), variable in number.items():
        seen[player].append(str(variable))
    always = []
    if not all(seen):
        never = str(len(number))
        meanings.append(f"{never} is always false, and observed by players who can hold no card")
        always = [f"~{never}"]
        seen = [observed or [never] for observed in seen]
    law = [
        "AND(" + ",".join([
            *(
                str(variable) if holder == owner else f"~{variable}"
                for holder, row in zip(world, rows, strict=True)
                for owner, variable in row.items()
            ),
            *always,
        ]) + ")"
        for world in worlds
    ]  # fmt: skip
    sees = [f"{names.player(player)}: {','.join(observed)}" for player, observed in enumerate(seen)]
    lines = [
        f"-- {', '.join(meanings)}",
        f"VARS {','.join(map(str, range(len(meanings))))}",
        "LAW OR(\n  " + ",\n  ".join(law) + ")",
        "OBS " + "\n    ".join(sees),
    ]
    real = [
        str(number[holder, Card(index, card)])
        for index, row in enumerate(situation.deal.owner)
        for card, holder in enumerate(row)
    ]
    for asked in situation.queries:
        announcements = "".join(f"[ ! {names.formula(s)} ] " for s in asked.announcements)
        expected = "" if asked.expected is None else f": {str(asked.expected).lower()}"
        lines.append(f"-- {asked.text}{expected}")
        lines.append(f"TRUE? {{{','.join(real)}}} {announcements}{names.formula(asked.formula)}")
    return "\n".join(lines) + "\n"


class _Names:
    def __init__(self, number: dict[tuple[int, Card], int], players: int) -> None:
        self.number, self.players = number, players

    def player(self, player: int) -> str:
        return f"player{player}"

    def group(self, players: Sequence[int]) -> str:
        return f"({','.join(map(self.player, players))})"

    def formula(self, formula: Formula) -> str:
        match formula:
            case logic.Constant(value):
                return "Top" if value else "Bot"
            case logic.Holds(player, card):
                variable = self.number.get((player, card))
                return "Bot" if variable is None else str(variable)
            case logic.Not(part):
                return f"(~ {self.formula(part)})"
            case logic.And(parts) | logic.Or(parts):
                word = "AND" if isinstance(formula, logic.And) else "OR"
                return f"{word}({','.join(map(self.formula, parts))})"
            case logic.Implies(first, other):
                return f"({self.formula(first)} -> {self.formula(other)})"
            case logic.Iff(first, other):
                return f"({self.formula(first)} iff {self.formula(other)})"
            case logic.Knows(player, part):
                return f"({self.player(player)} knows that {self.formula(part)})"
            case logic.Distributed(players, part):
                return f"({self.group(players)} distknow that {self.formula(part)})"
            case logic.Common(part):
                group = self.group(formula.members(self.players))
                return f"({group} comknow that {self.formula(part)})"
            case logic.Announcement(announcement, then):
                return f"([ ! {self.formula(announcement)} ] {self.formula(then)})"
            case _:
                raise InputError(
                    f"SMCDEL cannot express {formula}: its formulas cannot contain U or P"
                )
