"""Explanations, in words and with example deals, of why a formula is true or false in a deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from quaternity.base.errors import LimitError, SolverFault
from quaternity.base.sentences import indent
from quaternity.epistemic import formula as logic
from quaternity.epistemic import sentences as words
from quaternity.epistemic.evaluator import (
    Announcements,
    Evaluator,
    information_set,
    same_hands,
    validate_deal,
)
from quaternity.epistemic.formula import Formula, every, negation, some
from quaternity.epistemic.normal_form import normal_form
from quaternity.epistemic.propositional import Case, cases, is_determined, narrow, unfold
from quaternity.epistemic.truth import (
    DEFAULT_SECONDS,
    EvaluationMethod,
    validate_formula,
    with_evaluator,
)
from quaternity.game.cards import Card
from solvers.problem import DealProblem, players_in
from solvers.registry import solve
from solvers.shortage import Certificate
from solvers.verdict import Deal, Feasible

MAX_LINES = 200
"""Maximum number of lines in an explanation. Further lines are cut off."""


class Claim(NamedTuple):
    """Formal meaning of a sentence in an explanation, so that a test can check the sentence.

    Attributes:
        formula: A formula that is true in `deal` after `announcements`.
        deal: The deal that the sentence is about.
        announcements: The earlier announcements, all of them true in `deal`.
        impossible: A pair (problem, proof) if the sentence says that a problem has no deal,
            otherwise None. The proof is None if the sentence contains no proof.
    """

    formula: Formula
    deal: Deal
    announcements: Announcements = ()
    impossible: tuple[DealProblem, Certificate | None] | None = None


@dataclass(frozen=True, slots=True)
class FormulaExplanation:
    """Explanation of why a formula is true or false.

    Attributes:
        lines: Sentences, each indented below the sentence that it supports.
        deals: The other deals that the lines mention. The lines call `deals[0]` deal 1.
        claims: The meaning of each sentence. If the explanation was cut off, its last line ("…")
            has no claim.
    """

    formula: Formula
    truth: bool
    lines: tuple[str, ...]
    deals: tuple[Deal, ...]
    claims: tuple[Claim, ...] = ()


def explain_formula(
    formula: Formula | str,
    problem: DealProblem,
    deal: Deal | Sequence[Sequence[int]],
    method: EvaluationMethod | str = EvaluationMethod.AUTO,
    seconds: float = DEFAULT_SECONDS,
    set_size: int | None = None,
    real: bool = True,
) -> FormulaExplanation:
    """Return an explanation of why a formula is true or false in a deal.

    The arguments and possible errors are the same as for `evaluate`. The text calls the deal the
    real deal if `real` is true, and otherwise a possible deal.

    >>> from solvers import SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> for line in explain_formula("K2 H0 0/0", three_cards, [[0, 1, 2]]).lines:
    ...     print(line)
    player 2 does not know H0 0/0: player 2 has the same hand in deal 1. In that deal:
      player 1 holds 0/0, not player 0
    """
    formula = validate_formula(formula, problem, set_size)
    world = validate_deal(problem, deal)
    return with_evaluator(
        lambda x: explain_with(x, formula, world, real), formula, problem, method, seconds
    )


def judge(
    formula: Formula | str,
    problem: DealProblem,
    deal: Deal | Sequence[Sequence[int]],
    method: EvaluationMethod | str = EvaluationMethod.AUTO,
    seconds: float = DEFAULT_SECONDS,
    set_size: int | None = None,
) -> tuple[bool, FormulaExplanation | LimitError]:
    """Return the truth value of a formula in a deal, together with an explanation.

    If no explanation is found, the second result is the error that prevented it. The arguments and
    possible errors are the same as for `evaluate`. `seconds` limits the time for both results.
    """
    formula = validate_formula(formula, problem, set_size)
    world = validate_deal(problem, deal)

    def question(evaluator: Evaluator) -> tuple[bool, FormulaExplanation | LimitError]:
        truth = evaluator.truth(formula, world)
        try:
            return truth, explain_with(evaluator, formula, world)
        except LimitError as error:
            return truth, error

    return with_evaluator(question, formula, problem, method, seconds)


def explain_with(
    evaluator: Evaluator, formula: Formula, deal: Deal, real: bool = True
) -> FormulaExplanation:
    """Return an explanation of why a formula is true or false, using the given evaluator.

    See `explain_formula` for the result.
    """
    writer = _Writer(evaluator, deal if real else None)
    truth = writer.write(formula, deal, (), 0)
    texts = tuple(writer.lines), tuple(writer.deals), tuple(writer.claims)
    return FormulaExplanation(formula, truth, *texts)


class _Writer:
    def __init__(self, evaluator: Evaluator, deal: Deal | None) -> None:
        self.evaluator = evaluator
        self.problem = evaluator.problem
        self.real = deal
        self.lines: list[str] = []
        self.deals: list[Deal] = []
        self.claims: list[Claim] = []

    def say(self, level: int, text: str, claim: Claim) -> None:
        if len(self.lines) < MAX_LINES:
            self.lines.append(indent(text, 2 * level) if level else text)
            self.claims.append(claim)
        elif len(self.lines) == MAX_LINES:
            self.lines.append("…")

    def name(self, deal: Deal) -> str:
        if deal == self.real:
            return words.THE_REAL_DEAL()
        if deal not in self.deals:
            self.deals.append(deal)
        return words.DEAL(number=self.deals.index(deal) + 1)

    def is_unnamed(self, deal: Deal) -> bool:
        return deal != self.real and deal not in self.deals

    def write(self, formula: Formula, deal: Deal, earlier: Announcements, level: int) -> bool:
        truth = self.evaluator.truth(formula, deal, earlier)
        claim = Claim(formula if truth else negation(formula), deal, earlier)
        match formula:
            case logic.Constant():
                self.say(level, words.CONSTANT(formula=str(formula)), claim)
            case logic.Holds(player, card):
                self._holder(player, card, deal, level)
            case logic.Knows() | logic.Distributed():
                self._knowledge(formula, truth, deal, earlier, level)
            case logic.Publicly(part):
                self._everywhere(part, claim, level)
            case logic.Common():
                self._common(formula, claim, level)
            case logic.Unknown():
                self._unknown(formula, deal, earlier, level)
            case logic.Announcement(announcement, then):
                if not self.evaluator.truth(announcement, deal, earlier):
                    false = Claim(negation(announcement), deal, earlier)
                    self.say(level, words.CANNOT_ANNOUNCE(formula=str(announcement)), false)
                    self.write(announcement, deal, earlier, level + 1)
                else:
                    self.say(level, words.AFTER_ANNOUNCEMENT(formula=str(announcement)), claim)
                    self.write(then, deal, (*earlier, announcement), level + 1)
            case logic.Not(part):
                self.write(part, deal, earlier, level)
            case logic.Iff(first, second):
                for part in (first, second):
                    value = self.evaluator.truth(part, deal, earlier)
                    side = Claim(part if value else negation(part), deal, earlier)
                    self.say(
                        level, (words.IS_TRUE if value else words.IS_FALSE)(formula=str(part)), side
                    )
                    self.write(part, deal, earlier, level + 1)
            case _:
                self._parts(formula, truth, deal, earlier, level)
        return truth

    def _parts(
        self, formula: Formula, truth: bool, deal: Deal, earlier: Announcements, level: int
    ) -> None:
        needed = unfold(formula, truth)
        assert needed is not None
        for part, wish in needed[1]:
            if needed[0]:
                self.write(part, deal, earlier, level)
            elif self.evaluator.truth(part, deal, earlier) == wish:
                self.write(part, deal, earlier, level)
                return

    def _holder(self, player: int, card: Card, deal: Deal, level: int) -> None:
        owners = deal.owner[card.set_index]
        if card.number >= len(owners):
            nobody = every(~logic.Holds(number, card) for number in range(self.problem.players))
            text = words.OUT_OF_PLAY(set=card.set_index, card=card)
            self.say(level, text, Claim(nobody, deal))
            return
        holder = owners[card.number]
        if holder != player and self.is_unnamed(deal):
            claim = Claim(~logic.Holds(player, card), deal)
            self.say(level, words.HOLDS_NOT(who=player, card=card), claim)
            return
        kind = words.HOLDS if holder == player else words.HOLDS_INSTEAD
        text = kind(who=holder, card=card, other=player)
        self.say(level, text, Claim(logic.Holds(holder, card), deal))

    def _knowledge(
        self,
        formula: logic.Knows | logic.Distributed,
        truth: bool,
        deal: Deal,
        earlier: Announcements,
        level: int,
    ) -> None:
        players, part = formula.players, formula.part
        claim = Claim(formula if truth else negation(formula), deal, earlier)
        several = len(players) > 1
        if not truth:
            counterexample = self.evaluator.counterexample(players, part, deal, earlier)
            assert counterexample is not None
            if counterexample == deal and not self.is_unnamed(deal):
                kind = words.KNOW_NOT_FALSE if several else words.KNOWS_NOT_FALSE
                self.say(level, kind(who=players, formula=str(part)), claim)
            else:
                kind = words.KNOW_NOT if several else words.KNOWS_NOT
                self.say(
                    level,
                    kind(who=players, formula=str(part), deal=self.name(counterexample)),
                    claim,
                )
            self.write(part, counterexample, earlier, level + 1)
        elif is_determined(part, players):
            self.say(
                level, (words.SEE if several else words.SEES)(who=players, formula=str(part)), claim
            )
            self.write(part, deal, earlier, level + 1)
        else:
            self.say(
                level,
                (words.KNOW if several else words.KNOWS)(who=players, formula=str(part)),
                claim,
            )
            seen = information_set(self.problem, deal, players)
            self._impossible(part, earlier, seen, players, deal, level + 1)

    def _everywhere(self, part: Formula, claim: Claim, level: int) -> None:
        truth, deal, earlier = (
            isinstance(claim.formula, logic.Publicly),
            claim.deal,
            claim.announcements,
        )
        counterexample = None if truth else self.evaluator.public_counterexample(part, earlier)
        if counterexample is None:
            self.say(level, words.TRUE_IN_PUBLIC(formula=str(part)), claim)
            self._impossible(part, earlier, self.problem, (), deal, level + 1)
        else:
            self.say(
                level, words.NOT_IN_PUBLIC(formula=str(part), deal=self.name(counterexample)), claim
            )
            self.write(part, counterexample, earlier, level + 1)

    def _common(self, formula: logic.Common, claim: Claim, level: int) -> None:
        part, among = formula.part, formula.members(self.problem.players)
        deal, earlier = claim.deal, claim.announcements
        common = words.COMMON_OF(who=formula.players) if formula.players else words.COMMON()
        if claim.formula != formula:
            chain = self.evaluator.counterexample_path(part, deal, earlier, formula.players)
            first = self.name(chain[0])
            steps = [first]
            for before, after in pairwise(chain):
                blind = next(a for a in among if same_hands(before, after, (a,)))
                steps.append(words.CANNOT_TELL(who=blind, deal=self.name(after)))
            false = words.FALSE() if deal == self.real else words.FALSE_IN(deal=first)
            way = words.CHAIN(steps=steps) if len(chain) > 1 else false
            self.say(level, words.NOT_COMMON(formula=str(part), common=common, way=way), claim)
            self.write(part, chain[-1], earlier, level + 1)
        elif (normal := normal_form(formula, self.problem)) == normal_form(part, self.problem):
            kind = words.COMMON_TO_EACH if formula.players else words.COMMON_TO_ALL
            self.say(level, kind(formula=str(part), common=common), claim)
            self.write(part, deal, earlier, level + 1)
        elif not isinstance(normal, logic.Common):
            self.say(
                level, words.COMMON_AS(formula=str(part), common=common, same=str(normal)), claim
            )
            self.write(normal, deal, earlier, level + 1)
        elif self.evaluator.public_counterexample(part, earlier) is None:
            self.say(level, words.COMMON_IN_PUBLIC(formula=str(part), common=common), claim)
            self._impossible(part, earlier, self.problem, (), deal, level + 1)
        else:
            self.say(level, words.COMMON_UNREACHABLE(formula=str(part), common=common), claim)

    def _unknown(
        self, formula: logic.Unknown, deal: Deal, earlier: Announcements, level: int
    ) -> None:
        knower, owner = formula.knower, formula.owner
        cards = [Card(index, number) for index, number in deal.hand(owner)]
        secret = [
            card
            for card in cards
            if not self.evaluator.truth(
                logic.Knows(knower, logic.Holds(owner, card)), deal, earlier
            )
        ]
        unknown_cards = words.CARDS(cards=secret) if secret else words.NO_CARDS()
        count, unknown = len(cards), len(secret)
        self.say(
            level,
            words.UNKNOWN(
                count=count, owner=owner, knower=knower, unknown=unknown, cards=unknown_cards
            ),
            Claim(logic.Unknown(knower, owner, len(secret)), deal, earlier),
        )

    def _impossible(
        self,
        part: Formula,
        earlier: Announcements,
        seen: DealProblem,
        players: tuple[int, ...],
        deal: Deal,
        level: int,
    ) -> None:
        otherwise = every([*earlier, logic.Not(part)])
        possible = cases(self.problem, otherwise) if not otherwise.modal_depth else None

        def known_claim(formula: Formula, after: Announcements = ()) -> Claim:
            kind = logic.Distributed(players, formula) if players else logic.Publicly(formula)
            return Claim(kind, deal, after)

        if possible is None:
            kind = (words.NO_DEAL, words.NO_DEAL_OF_HAND, words.NO_DEAL_OF_HANDS)[
                min(len(players), 2)
            ]
            self.say(level, kind(deal=self.name(deal)), known_claim(part, earlier))
            self.write(part, deal, earlier, level + 1)
            return
        if not possible:
            public = Claim(logic.Publicly(negation(otherwise)), deal)
            self.say(level, words.NO_WAY(), public)
        for case in possible:
            if len(case) > 1 or not case:
                why, proof = _prove_impossible(seen, case)
                claim = known_claim(negation(self._as_formula(case)))._replace(impossible=proof)
                self.say(level, words.IMPOSSIBLE(case=self._describe(case), proof=why), claim)
                continue
            ((card, mask),) = case.items()
            for owner in players_in(mask):
                self._cannot_hold(
                    owner, card, seen, players, known_claim(~logic.Holds(owner, card)), level
                )
            never = [
                player
                for player in range(self.problem.players)
                if not self.problem.sets[card.set_index].owners[card.number] >> player & 1
            ]
            if never:
                public = Claim(logic.Publicly(every(~logic.Holds(n, card) for n in never)), deal)
                self.say(level, words.PUBLICLY_WITHOUT(who=never, card=card), public)

    def _cannot_hold(
        self,
        owner: int,
        card: Card,
        seen: DealProblem,
        players: tuple[int, ...],
        claim: Claim,
        level: int,
    ) -> None:
        holder = claim.deal.owner[card.set_index][card.number]
        if owner in players:
            text = words.CANNOT_HOLD(
                who=owner, card=card, reason=words.SEES_NOT(who=owner, card=card)
            )
        elif holder in players:
            text = words.CANNOT_HOLD(
                who=owner, card=card, reason=words.SEES_CARD(who=holder, card=card)
            )
        else:
            reason, proof = _prove_impossible(seen, {card: 1 << owner})
            claim = claim._replace(impossible=proof)
            text = words.CANNOT_HOLD_PROOF(who=owner, card=card, proof=reason)
        self.say(level, text, claim)

    def _as_formula(self, case: Case) -> Formula:
        return every(
            some(logic.Holds(p, card) for p in players_in(mask & self._owners(card)))
            for card, mask in case.items()
        )

    def _owners(self, card: Card) -> int:
        return self.problem.sets[card.set_index].owners[card.number]

    def _describe(self, case: Case) -> str:
        phrases = []
        for card, mask in case.items():
            owners = players_in(mask & self._owners(card))
            single = len(owners) == 1
            phrases.append(
                words.HOLDS(who=owners[0], card=card)
                if single
                else words.HOLD_BETWEEN(who=owners, card=card)
            )
        return words.ALL_OF(parts=phrases) if phrases else words.ANY_DEAL()


def _prove_impossible(
    seen: DealProblem, case: Case
) -> tuple[str, tuple[DealProblem, Certificate | None]]:
    problem = narrow(seen, case)
    verdict = solve(problem)
    if isinstance(verdict, Feasible):
        raise SolverFault(f"a case was proved impossible, but deal {verdict.deal} fits it")
    text = "no deal fits" if verdict.shortage is None else verdict.shortage.in_words(problem)
    return text, (problem, verdict.shortage)
