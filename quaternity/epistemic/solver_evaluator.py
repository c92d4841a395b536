"""Evaluation of formulas with constraint solvers, without listing the deals.

`K f` (a player knows `f`) is false iff `f` is false in some deal that the player considers
possible. If `f` is about hands only, a few deal problems are solved. For nested knowledge, CP-SAT
solves one model of several deals that share hands (`coupled_deals`). Some literals of this model
are not fully enforced (see `encoding`). They are checked in each solution, and a wrong value is
forbidden before the model is solved again. This ends because there are finitely many hands, unless
the time limit stops it with `Undecided`.

`C f` (`f` is common knowledge) is false iff a chain of deals leads from the real deal to a deal
where `f` is false. In a chain, any two consecutive deals are indistinguishable for some player (see
`reachability`). The search takes these steps:

- If `f` is true in all deals that share the facts that never change along chains, no chain exists.
- Otherwise one deal where `f` is false is chosen, and CP-SAT looks for chains of 1, 2, 3, … steps
  to it. In nearly all cases there is a chain of three steps.
- If there is no short chain, the deals that share these facts are listed, if there are few.
- Otherwise CP-SAT looks for longer and longer chains to any deal where `f` is false. Induction over
  the length (k-induction) can prove that there is none.

If none of this decides the question within `MAX_STEPS` steps, the answer is `Undecided`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quaternity.base.errors import SolverFault
from quaternity.base.text_format import with_noun
from quaternity.epistemic import formula as logic
from quaternity.epistemic.coupled_deals import CoupledDeals, DealTable
from quaternity.epistemic.encoding import Encoder, UnenforcedLiteral
from quaternity.epistemic.evaluator import (
    Announcements,
    Deadline,
    Undecided,
    information_set,
    same_hands,
)
from quaternity.epistemic.formula import Formula, every, some
from quaternity.epistemic.normal_form import normal_form
from quaternity.epistemic.propositional import (
    Case,
    case_around,
    cases,
    effort_key,
    is_determined,
    merge_cases,
    narrow,
    true_in,
    unfold,
    with_seen_facts,
    without_knowledge,
)
from quaternity.epistemic.reachability import (
    allowed_hands,
    deals_around,
    deals_before,
    reachable_superset,
    require_same_view,
)
from quaternity.game.cards import Card
from solvers.problem import DealProblem
from solvers.registry import solve
from solvers.verdict import Deal, Feasible

MAX_CASES = 64
"""Maximum number of cases (restrictions of the owners of cards) that are solved one after another.
If there are more, one CP-SAT model covers all of them."""


class SolverEvaluator:
    """Evaluator that uses constraint solvers, until a deadline."""

    def __init__(self, problem: DealProblem, deadline: Deadline) -> None:
        self.problem = problem
        self.deadline = deadline
        self._answers: dict[tuple[Formula, Deal, Announcements], bool] = {}
        self._failures: dict[tuple[DealProblem, Formula, Announcements], Deal | None] = {}
        self._chains: dict[tuple[logic.Common, Deal, Announcements], list[Deal]] = {}
        self._leading_to_failure: dict[logic.Common, list[DealProblem]] = {}
        self._normal_forms: dict[Formula, Formula] = {}

    def truth(self, formula: Formula, deal: Deal, earlier: Announcements = ()) -> bool:
        """Return whether a formula is true in a deal after the announcements `earlier`.

        The announcements must be true in the deal. Raise Undecided if a limit is reached first.
        """
        return self._truth(self._normal(formula), deal, tuple(map(self._normal, earlier)))

    def _normal(self, formula: Formula) -> Formula:
        if formula.depth <= 2:
            return formula  # The normal form of such a simple formula would save little time.
        normal = self._normal_forms.get(formula)
        if normal is None:
            normal = self._normal_forms[formula] = normal_form(formula, self.problem)
        return normal

    def _truth(self, formula: Formula, deal: Deal, earlier: Announcements) -> bool:
        match formula:
            case logic.Constant() | logic.Holds():
                return true_in(formula, deal)
            case logic.Announcement(announcement, then):
                return not self._truth(announcement, deal, earlier) or self._truth(
                    then, deal, (*earlier, announcement)
                )
            case logic.Iff(first, second):
                return self._truth(first, deal, earlier) == self._truth(second, deal, earlier)
            case logic.Not() | logic.And() | logic.Or() | logic.Implies():
                needed = unfold(formula, True)
                assert needed is not None
                wishes = sorted(needed[1], key=effort_key)
                agreements = (self._truth(part, deal, earlier) == wish for part, wish in wishes)
                return all(agreements) if needed[0] else any(agreements)
            case _:
                key = (formula, deal, earlier)
                if key not in self._answers:
                    self._answers[key] = self._knowledge(formula, deal, earlier)
                return self._answers[key]

    def _knowledge(self, formula: Formula, deal: Deal, earlier: Announcements) -> bool:
        match formula:
            case logic.Knows() | logic.Distributed():
                return self._counterexample(formula.players, formula.part, deal, earlier) is None
            case logic.Publicly(part):
                return self._public_counterexample(part, earlier) is None
            case logic.Common():
                return not self.chain_to_failure(formula, deal, earlier)
            case logic.Unknown(knower, owner, count, at_most):
                held = (
                    self._truth(logic.Knows(knower, logic.Holds(owner, card)), deal, earlier)
                    for card in _cards_of(deal, owner)
                )
                secret = sum(not known for known in held)
                return secret <= count if at_most else secret == count
            case _:
                raise TypeError(f"{formula!r} is not a formula")

    def public_counterexample(self, formula: Formula, earlier: Announcements = ()) -> Deal | None:
        """Return a deal where a formula is false but the announcements `earlier` are true.

        The deal fits the public information. Return None if there is no such deal.
        """
        return self._public_counterexample(self._normal(formula), tuple(map(self._normal, earlier)))

    def _public_counterexample(self, formula: Formula, earlier: Announcements) -> Deal | None:
        return self._failure(self.problem, formula, earlier)

    def _failure(
        self, problem: DealProblem, formula: Formula, earlier: Announcements
    ) -> Deal | None:
        key = (problem, formula, earlier)
        if key not in self._failures:
            self._failures[key] = self._search(problem, formula, earlier)
        return self._failures[key]

    def counterexample(
        self, players: Sequence[int], formula: Formula, deal: Deal, earlier: Announcements = ()
    ) -> Deal | None:
        """Return a deal in which a formula is false and the players' hands are as in `deal`.

        There must be at least one player, and the announcements `earlier` must be true in `deal`.
        Return None if there is no such deal. Raise Undecided if a limit is reached first.
        """
        return self._counterexample(
            players, self._normal(formula), deal, tuple(map(self._normal, earlier))
        )

    def _counterexample(
        self, players: Sequence[int], formula: Formula, deal: Deal, earlier: Announcements
    ) -> Deal | None:
        return self._differing_deal(players, formula, True, deal, earlier)

    def counterexample_path(
        self,
        formula: Formula,
        deal: Deal,
        earlier: Announcements = (),
        players: tuple[int, ...] = (),
    ) -> list[Deal]:
        """Return a shortest chain from `deal` to a deal where a formula is false.

        Each deal of a chain looks the same as the next one to at least one of the `players`. The
        list is empty if there is no such chain. Raise Undecided if a limit is reached first.
        """
        formula, earlier = self._normal(formula), tuple(map(self._normal, earlier))
        if self._normal(logic.Common(formula, players)) == formula:
            # The formula has the same truth value in all deals along a chain.
            return [] if self._truth(formula, deal, earlier) else [deal]
        chain = self.chain_to_failure(logic.Common(formula, players), deal, earlier)
        for steps in range(1, len(chain) - 1):
            shorter = self._chain_of_length(
                logic.Common(formula, players), deal, None, earlier, steps
            )
            if shorter:
                return shorter
        return chain

    def _differing_deal(
        self,
        players: Sequence[int],
        formula: Formula,
        truth: bool,
        deal: Deal,
        earlier: Announcements,
    ) -> Deal | None:
        if is_determined(formula, players):
            return None if self._truth(formula, deal, earlier) == truth else deal
        needed = unfold(formula, truth)
        if needed is None:
            seen = information_set(self.problem, deal, players)
            return self._search(seen, formula if truth else logic.Not(formula), earlier)
        wishes = sorted(needed[1], key=effort_key)
        if needed[0]:
            witnesses = (
                self._differing_deal(players, part, wish, deal, earlier) for part, wish in wishes
            )
            return next((value for value in witnesses if value is not None), None)
        # A part that these hands determine has the same truth value in the whole information set.
        determined_ones = [wish for wish in wishes if is_determined(wish[0], players)]
        if any(self._truth(part, deal, earlier) == wish for part, wish in determined_ones):
            return None
        open_ones = some(
            part if wish else logic.Not(part)
            for part, wish in wishes
            if not is_determined(part, players)
        )
        return self._search(information_set(self.problem, deal, players), open_ones, earlier)

    def _search(self, seen: DealProblem, formula: Formula, earlier: Announcements) -> Deal | None:
        self.deadline.remaining()
        otherwise = every([*earlier, logic.Not(formula)])
        if not otherwise.modal_depth:
            known, witness = self._plain_search(seen, otherwise)
            if known:
                return witness
        else:
            known, witness = self._plain_search(seen, without_knowledge(otherwise, True))
            if known and witness is None:
                return None
            known, witness = self._plain_search(seen, without_knowledge(otherwise, False))
            if witness is not None:
                return witness
        simpler = with_seen_facts(formula, False)
        if simpler != formula:
            # Most of what players know, they see in their own hands. First search for deals with
            # such knowledge, which are found faster and are easier to generalize.
            witness = self.coupled_search(seen, simpler, earlier, hint=True)
            if witness is not None:
                return witness
        return self.coupled_search(seen, formula, earlier)

    def _announcements_hold(self, earlier: Announcements, deal: Deal) -> bool:
        return all(
            self._truth(announcement, deal, earlier[:index])
            for index, announcement in enumerate(earlier)
        )

    def _plain_search(self, seen: DealProblem, formula: Formula) -> tuple[bool, Deal | None]:
        """Search for a deal of the problem `seen` in which a formula is true, case by case.

        Return a pair. The first result is whether the search was possible: False if the formula has
        too many cases. The second result is the deal, or None if no deal was found.
        """
        listed = cases(seen, formula, limit=MAX_CASES)
        for case in listed or ():
            self.deadline.remaining()
            verdict = solve(narrow(seen, case))
            if isinstance(verdict, Feasible):
                return True, verdict.deal
        return listed is not None, None

    def coupled_search(
        self, seen: DealProblem, formula: Formula, earlier: Announcements, hint: bool = False
    ) -> Deal | None:
        """Return a deal where the announcements are true and a formula is false, found by CP-SAT.

        Return None if there is no such deal. This result is verified by a second run of CP-SAT. If
        `hint` is true, the caller does not rely on it, so it is not verified.
        """
        encoder = self.encoder()
        table = encoder.new_deal(seen)
        for literal in encoder.membership(table, earlier):
            encoder.model.require_any([literal])
        encoder.model.require_any([encoder.literal(formula, False, table, earlier)])
        if not self.satisfiable(encoder, hint):
            return None
        deal = encoder.model.deal(table)
        if not self._announcements_hold(earlier, deal) or self._truth(formula, deal, earlier):
            raise SolverFault(
                f"CP-SAT gave {deal} as a counterexample to {formula}, but it is not one"
            )
        return deal

    def encoder(self) -> Encoder:
        """Return an encoder with a new, empty model."""
        return Encoder(
            CoupledDeals(self.deadline),
            self.problem,
            lambda y, earlier: self._public_counterexample(y, earlier) is None,
            lambda common: self._leading_to_failure.get(common, ()),
        )

    def satisfiable(self, encoder: Encoder, hint: bool = False) -> bool:
        """Return whether the model of an encoder has a solution in which its literals are correct.

        The literals that the model does not enforce are checked in each solution. A negative result
        is verified by a second run of CP-SAT, unless `hint` is true. Callers set `hint` if a wrong
        result would do no harm. Raise SolverFault if the runs differ.
        """
        model = encoder.model
        while model.solve():
            if not self._refine(encoder):
                return True
        if not hint and model.solve(cp_model_presolve=False):
            raise SolverFault("CP-SAT finds a solution without presolve, but not with presolve")
        return False

    def _refine(self, encoder: Encoder) -> bool:
        """Forbid the wrong literals of the last solution. Return whether there were any."""
        model, wrong = encoder.model, []
        for guess in encoder.unenforced:
            if model.value(guess.literal):
                deal, earlier = model.deal(guess.table), guess.announcements
                if not self._announcements_hold(earlier, deal):
                    # The announcements exclude this deal, so the value of its literal does not
                    # matter.
                    continue
                if self._truth(guess.formula, deal, earlier) != guess.truth:
                    wrong.append((guess, deal))
        for guess, deal in wrong:
            if isinstance(guess.formula, logic.Common):
                self._learn(encoder, guess, guess.formula, deal)
            else:
                encoder.forbid(guess, deal, self._counter_case(guess, deal))
        return bool(wrong)

    def _learn(
        self, encoder: Encoder, guess: UnenforcedLiteral, common: logic.Common, deal: Deal
    ) -> None:
        encoder.forbid(guess, deal, None)
        group = common.members(self.problem.players)
        if not guess.truth:
            area = self._reachable_superset(common, deal)
            if self._failure(area, common.part, guess.announcements) is None:
                encoder.forbid_among(guess, area)
        elif not guess.announcements:
            known = self._leading_to_failure.setdefault(common, [])
            for exclusion in self.problems_leading_to_failure(
                common.part, self.chain_to_failure(common, deal, ()), group
            ):
                if exclusion not in known:
                    known.append(exclusion)
                    encoder.exclude(common, exclusion)

    def problems_leading_to_failure(
        self, part: Formula, chain: Sequence[Deal], group: Sequence[int]
    ) -> Iterator[DealProblem]:
        """Yield problems whose deals are all linked by chains to a deal where `part` is false.

        `chain` is such a chain. There is a problem for each of its deals except the first. The
        problem contains this deal and similar deals. The problem for the end of `chain` comes
        first. In a chain, each deal looks the same as the next one to a player of the `group`.
        """
        bad = narrow(self.problem, self.case_around(part, False, chain[-1], ()))
        yield bad
        for before, after in zip(chain[-2:0:-1], chain[:1:-1], strict=True):
            blind = next(g for g in group if same_hands(before, after, (g,)))
            bad = deals_before(self.problem, bad, after, blind)
            yield bad

    def _counter_case(self, guess: UnenforcedLiteral, deal: Deal) -> Case | None:
        if not isinstance(guess.formula, logic.Distributed):
            return None
        players, part = guess.formula.players, guess.formula.part
        counterexample = self._counterexample(players, part, deal, guess.announcements)
        if counterexample is None:
            raise SolverFault(
                f"{guess.formula} is false at {deal}, but no counterexample was found"
            )
        case = self.case_around(part, False, counterexample, guess.announcements)
        for index, announcement in enumerate(guess.announcements):
            case = merge_cases(
                case,
                self.case_around(announcement, True, counterexample, guess.announcements[:index]),
            )
        return case

    def case_around(
        self, formula: Formula, truth: bool, deal: Deal, earlier: Announcements
    ) -> Case:
        """Return a case that contains `deal` and in which a formula has the given truth value.

        A case consists of all deals in which some cards have certain possible owners.
        """
        return case_around(formula, truth, deal, earlier, self._truth, self._knowledge_case)

    def _knowledge_case(
        self, formula: Formula, truth: bool, deal: Deal, earlier: Announcements
    ) -> Case | None:
        if earlier or not isinstance(formula, logic.Knows | logic.Distributed):
            return None
        if len(formula.players) > 1:
            return None
        (player,), part = formula.players, formula.part
        if not truth:
            other = self._counterexample((player,), part, deal, earlier)
            assert other is not None, f"{formula} is false, but no counterexample shows it"
            false = narrow(self.problem, self.case_around(part, False, other, earlier))
            return allowed_hands(deals_before(self.problem, false, other, player), player)
        false_cases = cases(self.problem, part, False) if not part.modal_depth else None
        if false_cases is None:
            return None
        false_deals = [narrow(self.problem, false_case) for false_case in false_cases]
        return allowed_hands(deals_around(self.problem, deal, player, false_deals), player)

    def _reachable_superset(self, common: logic.Common, deal: Deal) -> DealProblem:
        group = common.members(self.problem.players)
        return reachable_superset(self.problem, deal, group, self.deadline.remaining())

    def chain_to_failure(
        self, common: logic.Common, deal: Deal, earlier: Announcements
    ) -> list[Deal]:
        """Return a chain of deals from `deal` to a deal where the formula inside `common` is false.

        Each deal of a chain looks the same as the next one to a player of the group whose common
        knowledge `common` describes. The list is empty if there is no such chain. Raise Undecided
        if the question is not decided within `MAX_STEPS` steps and the time limit.
        """
        key = (common, deal, earlier)
        if key not in self._chains:
            self._chains[key] = self._new_chain(common, deal, earlier)
        return self._chains[key]

    def _new_chain(self, common: logic.Common, deal: Deal, earlier: Announcements) -> list[Deal]:
        part = common.part
        if not self._truth(part, deal, earlier):
            return [deal]
        area = self._reachable_superset(common, deal)
        failure = self._failure(area, part, earlier)
        if failure is None:
            return []
        for steps in range(1, FEW_STEPS + 1):
            chain = self._chain_of_length(common, deal, failure, earlier, steps)
            if chain:
                return chain
        listed = self._listed_chain(common, area, deal, earlier)
        if listed is not None:
            return listed
        for steps in range(1, MAX_STEPS + 1):
            chain = self._chain_of_length(common, deal, None, earlier, steps)
            if chain:
                return chain
            if self._is_inductive(common, area, earlier, steps):
                return []
        raise Undecided(
            f"undecided: {part} is false in some deals. None of them was reached in "
            f"{with_noun(MAX_STEPS, 'step')} between deals that a player cannot distinguish, but "
            "more steps may reach one. If at most two million deals are possible, --method "
            "explicit can decide the formula"
        )

    def _listed_chain(
        self, common: logic.Common, area: DealProblem, deal: Deal, earlier: Announcements
    ) -> list[Deal] | None:
        from quaternity.epistemic.explicit_evaluator import ExplicitModel
        from quaternity.epistemic.worlds import quick_count

        if (quick_count(area) or MAX_LISTED + 1) > MAX_LISTED:
            return None
        model, group = (
            ExplicitModel(area, check=self.deadline.remaining),
            common.members(self.problem.players),
        )
        among, start = model.all_true(), model.world(deal)
        for world in range(model.worlds) if earlier else ():
            among[world] = self._announcements_hold(earlier, model.deal(world))
        pieces, failures = model.components(among, group), ~model.all_true()
        for world in (among & (pieces == pieces[start])).nonzero()[0]:
            if not self._truth(common.part, model.deal(world), earlier):
                failures[world] = True
                break
        return model.chain(start, failures, among, group)

    def _chain_of_length(
        self, common: logic.Common, deal: Deal, end: Deal | None, earlier: Announcements, steps: int
    ) -> list[Deal]:
        everybody, area = range(self.problem.players), self._reachable_superset(common, deal)
        encoder = self.encoder()
        places = [information_set(self.problem, deal, everybody), *[area] * steps]
        if end is not None:
            places[-1] = information_set(self.problem, end, everybody)
        tables = self._tables(encoder, common, places, earlier)
        if end is None:
            encoder.model.require_any([encoder.literal(common.part, False, tables[-1], earlier)])
        if not self.satisfiable(encoder):
            return []
        chain = [encoder.model.deal(table) for table in tables]
        if self._truth(common.part, chain[-1], earlier):
            raise SolverFault(
                f"CP-SAT gave {chain[-1]} as a counterexample to {common.part}, but it is not one"
            )
        return chain

    def _is_inductive(
        self, common: logic.Common, area: DealProblem, earlier: Announcements, steps: int
    ) -> bool:
        encoder = self.encoder()
        tables = self._tables(encoder, common, [area] * (steps + 1), earlier)
        for table in tables:
            wish = table is not tables[-1]
            encoder.model.require_any([encoder.literal(common.part, wish, table, earlier)])
        return not self.satisfiable(encoder)

    def _tables(
        self,
        encoder: Encoder,
        common: logic.Common,
        places: Sequence[DealProblem],
        earlier: Announcements,
    ) -> list[DealTable]:
        tables = [encoder.new_deal(place) for place in places]
        require_same_view(encoder.model, tables, common.members(self.problem.players))
        for table in tables:
            for literal in encoder.membership(table, earlier):
                encoder.model.require_any([literal])
        return tables


def _cards_of(deal: Deal, player: int) -> list[Card]:
    return [Card(index, number) for index, number in deal.hand(player)]


FEW_STEPS = 5
"""Maximum number of steps of a chain of deals that ends at one given deal. In each step, the next
deal looks the same to some player."""
MAX_STEPS = 8
"""Maximum number of steps of a chain of deals that ends at any deal where a formula is false. In
each step, the next deal looks the same to some player."""
MAX_LISTED = 20_000
"""Maximum number of deals that are listed to find a chain of deals. With more, CP-SAT is used."""
