"""Why a formula is true or false at a deal, in words and with deals to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import (
    Evaluator,
    Said,
    checked_deal,
    information_set,
    same_hands,
)
from quaternity.epistemic.formula import Formula, every
from quaternity.epistemic.holding import SECONDS, Method, ask, checked_formula
from quaternity.epistemic.normal_form import normal_form
from quaternity.epistemic.propositional import (
    Case,
    cases,
    determined,
    narrowed,
    unfolded,
)
from quaternity.errors import LimitError, SolverFault
from quaternity.game.cards import Card
from solvers.problem import DealProblem, players_in
from solvers.registry import solve
from solvers.verdict import Deal, Feasible
from solvers.wording import listed, named

MAX_LINES = 200
"""An explanation is cut off after so many lines."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a formula has its truth value.

    Attributes:
        formula, truth: what is explained.
        lines: sentences, indented by what they support.
        deals: other deals that the lines speak of; `deals[0]` is called deal 1.
    """

    formula: Formula
    truth: bool
    lines: tuple[str, ...]
    deals: tuple[Deal, ...]


def explain(
    formula: Formula | str,
    problem: DealProblem,
    deal: Deal | Sequence[Sequence[int]],
    method: Method | str = Method.AUTO,
    seconds: float = SECONDS,
    set_size: int | None = None,
    real: bool = True,
) -> Explanation:
    """Why a formula is true or false. Arguments and errors are those of `holds`.

    Args:
        real: whether the deal is the real one, or only one that is possible.

    >>> from solvers import SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> for line in explain("K2 H0 0/0", three_cards, [[0, 1, 2]]).lines:
    ...     print(line)
    player 2 does not know H0 0/0: the hand of player 2 is the same in deal 1, and there
      player 1 holds 0/0, not 0
    """
    formula = checked_formula(formula, problem, set_size)
    world = checked_deal(problem, deal)
    return ask(lambda one: explained(one, formula, world, real), formula, problem, method, seconds)


def judge(
    formula: Formula | str,
    problem: DealProblem,
    deal: Deal | Sequence[Sequence[int]],
    method: Method | str = Method.AUTO,
    seconds: float = SECONDS,
    set_size: int | None = None,
) -> tuple[bool, Explanation | LimitError]:
    """The truth of a formula, and why, or what kept the reason from being found.

    One time limit holds for both. Arguments and errors are those of `holds`.
    """
    formula = checked_formula(formula, problem, set_size)
    world = checked_deal(problem, deal)

    def question(evaluator: Evaluator) -> tuple[bool, Explanation | LimitError]:
        truth = evaluator.truth(formula, world)
        try:
            return truth, explained(evaluator, formula, world)
        except LimitError as error:
            return truth, error

    return ask(question, formula, problem, method, seconds)


def explained(evaluator: Evaluator, formula: Formula, deal: Deal, real: bool = True) -> Explanation:
    """Why a formula is true or false at a deal, by an evaluator.

    Args:
        real: whether the deal is the real one, or only one that is possible.
    """
    writer = _Writer(evaluator, deal if real else None)
    truth = writer.write(formula, deal, (), 0)
    return Explanation(formula, truth, tuple(writer.lines), tuple(writer.deals))


class _Writer:
    """Collects the sentences and the deals of one explanation."""

    def __init__(self, evaluator: Evaluator, deal: Deal | None) -> None:
        self.evaluator = evaluator
        self.problem = evaluator.problem
        self.real = deal
        self.lines: list[str] = []
        self.deals: list[Deal] = []

    def say(self, level: int, text: str) -> None:
        if len(self.lines) < MAX_LINES:
            self.lines.append("  " * level + text)
        elif len(self.lines) == MAX_LINES:
            self.lines.append("…")

    def name(self, deal: Deal) -> str:
        """What a deal is called; it is listed when it is new."""
        if deal == self.real:
            return "the real deal"
        if deal not in self.deals:
            self.deals.append(deal)
        return f"deal {self.deals.index(deal) + 1}"

    def write(self, formula: Formula, deal: Deal, said: Said, level: int) -> bool:
        """Explain the truth of a formula at a deal, and give it."""
        truth = self.evaluator.truth(formula, deal, said)
        match formula:
            case logic.Constant():
                self.say(level, f"{formula} is {formula}")
            case logic.Holds(player, card):
                self.say(level, self._holder(player, card, deal))
            case logic.Knows() | logic.Distributed():
                self._knowledge(formula, truth, deal, said, level)
            case logic.Everywhere(part):
                self._everywhere(part, truth, deal, said, level)
            case logic.Common():
                self._common(formula, truth, deal, said, level)
            case logic.Unknown():
                self._unknown(formula, deal, said, level)
            case logic.Announced(announcement, then):
                if not self.evaluator.truth(announcement, deal, said):
                    self.say(level, f"{announcement} is false and cannot be said:")
                    self.write(announcement, deal, said, level + 1)
                else:
                    self.say(level, f"once {announcement} is said:")
                    self.write(then, deal, (*said, announcement), level + 1)
            case logic.Not(part):
                self.write(part, deal, said, level)
            case logic.Iff(first, second):
                for part in (first, second):
                    value = "true" if self.evaluator.truth(part, deal, said) else "false"
                    self.say(level, f"{part} is {value}:")
                    self.write(part, deal, said, level + 1)
            case _:
                self._parts(formula, truth, deal, said, level)
        return truth

    def _parts(self, formula: Formula, truth: bool, deal: Deal, said: Said, level: int) -> None:
        """All parts where all are needed, otherwise the first that settles it."""
        needed = unfolded(formula, truth)
        assert needed is not None
        for part, wish in needed[1]:
            if needed[0]:
                self.write(part, deal, said, level)
            elif self.evaluator.truth(part, deal, said) == wish:
                self.write(part, deal, said, level)
                return

    def _holder(self, player: int, card: Card, deal: Deal) -> str:
        owners = deal.owner[card.set_index]
        if card.number >= len(owners):
            return f"set {card.set_index} is out of play: nobody holds {card}"
        holder = owners[card.number]
        return f"player {holder} holds {card}" + ("" if holder == player else f", not {player}")

    def _knowledge(
        self,
        formula: logic.Knows | logic.Distributed,
        truth: bool,
        deal: Deal,
        said: Said,
        level: int,
    ) -> None:
        players, part = formula.players, formula.part
        who = named("player", players) + (" together" if len(players) > 1 else "")
        verb = "know" if len(players) > 1 else "knows"
        hands = f"the {'hands' if len(players) > 1 else 'hand'} of {named('player', players)}"
        if not truth:
            found = self.evaluator.counterexample(players, part, deal, said)
            assert found is not None
            do = "do" if len(players) > 1 else "does"
            if found == deal:
                self.say(level, f"{who} {do} not know {part}: it is false")
            else:
                same = f"{hands} {'are' if len(players) > 1 else 'is'} the same in"
                where = f"{self.name(found)}, and there"
                self.say(level, f"{who} {do} not know {part}: {same} {where}")
            self.write(part, found, said, level + 1)
        elif determined(part, players):
            settles = "the own hands settle it" if len(players) > 1 else "the own hand settles it"
            self.say(level, f"{who} {verb} {part}: {settles}")
            self.write(part, deal, said, level + 1)
        else:
            self.say(level, f"{who} {verb} {part}:")
            seen = information_set(self.problem, deal, players)
            self._impossible(part, said, seen, players, deal, level + 1)

    def _everywhere(self, part: Formula, truth: bool, deal: Deal, said: Said, level: int) -> None:
        found = None if truth else self.evaluator.public_counterexample(part, said)
        if found is None:
            self.say(level, f"{part} is true in every public deal:")
            self._impossible(part, said, self.problem, (), deal, level + 1)
        else:
            self.say(level, f"{part} is not true in every public deal: in {self.name(found)}")
            self.write(part, found, said, level + 1)

    def _common(
        self, formula: logic.Common, truth: bool, deal: Deal, said: Said, level: int
    ) -> None:
        part, among = formula.part, formula.among(self.problem.players)
        common = "common knowledge"
        if formula.players:
            common += f" of {named('player', formula.players)}"
        if not truth:
            chain = self.evaluator.way_to_failure(part, deal, said, formula.players)
            steps = [self.name(chain[0])]
            for before, after in pairwise(chain):
                blind = next(one for one in among if same_hands(before, after, (one,)))
                steps.append(f"which player {blind} cannot tell from {self.name(after)}")
            if len(chain) > 1:
                self.say(level, f"{part} is not {common}: from {', '.join(steps)}, where")
            else:
                self.say(level, f"{part} is not {common}: it is false")
            self.write(part, chain[-1], said, level + 1)
        elif (normal := normal_form(formula, self.problem)) == normal_form(part, self.problem):
            who = "each of them" if formula.players else "everybody"
            self.say(level, f"{part} is {common}: whether it is true, {who} knows:")
            self.write(part, deal, said, level + 1)
        elif not isinstance(normal, logic.Common):
            self.say(level, f"{part} is {common}, which says the same as: {normal}")
            self.write(normal, deal, said, level + 1)
        elif self.evaluator.public_counterexample(part, said) is None:
            self.say(level, f"{part} is {common}, for it is true in every public deal:")
            self._impossible(part, said, self.problem, (), deal, level + 1)
        else:
            self.say(
                level,
                f"{part} is {common}: some public deal makes it false, but no chain of "
                "deals that somebody cannot tell apart leads there",
            )

    def _unknown(self, formula: logic.Unknown, deal: Deal, said: Said, level: int) -> None:
        knower, owner = formula.knower, formula.owner
        cards = [Card(index, number) for index, number in deal.hand(owner)]
        secret = [
            card
            for card in cards
            if not self.evaluator.truth(logic.Knows(knower, logic.Holds(owner, card)), deal, said)
        ]
        what = listed(secret) if secret else "none"
        self.say(
            level,
            f"of the {len(cards)} cards of player {owner}, player {knower} does not know "
            f"{len(secret)}: {what}",
        )

    def _impossible(
        self,
        part: Formula,
        said: Said,
        seen: DealProblem,
        players: tuple[int, ...],
        deal: Deal,
        level: int,
    ) -> None:
        """Why no deal of a problem makes a formula false.

        Knowledge inside has no reason that is one for all deals: it is explained at one of them.
        """
        otherwise = every([*said, logic.Not(part)])
        found = cases(self.problem, otherwise) if not otherwise.modal_depth else None
        if found is None:
            whose = f" with {'these hands' if len(players) > 1 else 'this hand'}" if players else ""
            self.say(level, f"no deal{whose} makes it false; why not {self.name(deal)}:")
            self.write(part, deal, said, level + 1)
            return
        if not found:
            self.say(level, "the public record leaves no way to make it false")
        for case in found:
            if len(case) > 1 or not case:
                self.say(level, f"{self._in_words(case)}: impossible: {_why(seen, case)}")
                continue
            ((card, mask),) = case.items()
            for owner in players_in(mask):
                holder = deal.owner[card.set_index][card.number]
                if holder in players and owner not in players:
                    reason = f"player {holder} sees {card} in the own hand"
                elif owner in players:
                    reason = f"player {owner} sees that {card} is not in the own hand"
                else:
                    reason = _why(seen, {card: 1 << owner})
                self.say(level, f"player {owner} cannot hold {card}: {reason}")
            never = [
                player
                for player in range(self.problem.players)
                if not self.problem.sets[card.set_index].owners[card.number] >> player & 1
            ]
            if never:
                self.say(level, f"{named('player', never)} cannot hold {card}: that is public")

    def _in_words(self, case: Case) -> str:
        """What a case says about each of its cards."""
        phrases = []
        for card, mask in case.items():
            owners = players_in(mask & self.problem.sets[card.set_index].owners[card.number])
            who = (
                named("player", owners) if len(owners) == 1 else f"one of players {listed(owners)}"
            )
            phrases.append(f"{who} holds {card}")
        return listed(phrases) or "any deal"


def _why(seen: DealProblem, case: Case) -> str:
    """Why no deal of a problem belongs to a case."""
    problem = narrowed(seen, case)
    verdict = solve(problem)
    if isinstance(verdict, Feasible):
        raise SolverFault(f"known to be impossible, but {verdict.deal} is possible")
    if verdict.shortage is None:
        return "no deal fits"
    return verdict.shortage.in_words(problem)


__all__ = ["MAX_LINES", "Explanation", "explain", "explained", "judge"]
