"""Queries about a formula at one moment of a Kwartet game: truth, probability and explanation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from quaternity.base.errors import InputError, LimitError
from quaternity.base.sentences import Message, MessageTemplate, indent
from quaternity.base.text_format import percent, with_noun
from quaternity.epistemic.deal_text import compare_deals, differing_deals, hand_lines
from quaternity.epistemic.sentences import (
    ALL_KNOW_FALSE,
    ALL_KNOW_NOT,
    ALL_KNOW_TRUE,
    DEAL_IS,
    LIES_FALSE,
    LIES_TRUE,
    LIKELY,
    YOU_KNOW_FALSE,
    YOU_KNOW_NOT,
    YOU_KNOW_TRUE,
)
from quaternity.game.sentences import question_sentence

if TYPE_CHECKING:
    from quaternity.epistemic import Formula, SeatTruth
    from quaternity.epistemic.chance import FormulaChance
    from quaternity.epistemic.needed_requests import Reasons
    from quaternity.kwartet.hands import Hand
    from quaternity.kwartet.played import GameLog
    from quaternity.kwartet.public import Event, PublicState
    from quaternity.kwartet.seat_log import SeatLog
    from quaternity.kwartet.view import View
    from solvers.verdict import Deal

AND_PUTS_DOWN = MessageTemplate("puts_down", "{event}, and puts down {set:number}")
NUMBERED = MessageTemplate("numbered", "{number}. {event}")

SECONDS = 20.0
"""Default time limit for a query, in seconds."""


class QueryContext(NamedTuple):
    """A moment of a game, and what an observer of the game knows about it.

    Attributes:
        start: the public state right after the deal.
        seat: the observer's seat, or None for a bystander or if all hands are visible.
        deal: the real deal, or None if hands are hidden.
        announcements: formulas that the query assumes to be announced publicly at this moment, one
            after the other.
    """

    start: PublicState
    events: Sequence[Event]
    public: PublicState
    seat: int | None
    hand: Hand
    deal: Deal | None = None
    announcements: tuple[Formula, ...] = ()

    @property
    def observer(self) -> str:
        """The name of the observer, such as `player 2`, or `everybody` if there is no seat."""
        return "everybody" if self.seat is None else f"player {self.seat}"


def moment_of_view(start: PublicState, view: View) -> QueryContext:
    """Return a `QueryContext` for queries about a game, as the player of a view sees it.

    `start` is the public state right after the deal.
    """
    from quaternity.kwartet.view import NOBODY

    seat = None if view.seat == NOBODY else view.seat
    return QueryContext(start, view.events, view.public, seat, view.hand)


def moment(log: GameLog | SeatLog, step: int, seat: int | None = None) -> QueryContext:
    """Return a `QueryContext` for queries about a game after its first `step` requests.

    The observer is the player in `seat`. If it is None, all hands in the log are visible.
    """
    from quaternity.kwartet.seat_log import SeatLog

    start = log.states[0]
    if seat is not None or isinstance(log, SeatLog):
        return moment_of_view(start, log.view(step, seat))
    position = log.positions[step]
    return QueryContext(start, log.events[:step], position.public, None, (), position.deal)


def read_formula(text: Formula | str, at: QueryContext) -> Formula:
    """Parse a formula if it is text, check that it fits the game, and return it.

    The cards set aside count as a hand, but a formula cannot say that this hand knows something.
    """
    from quaternity.epistemic.truth import validate_formula

    settings, points = at.public.settings, at.public.points
    return validate_formula(text, at.public.problem, settings.set_size, points, settings.players)


def truth_at(
    formula: Formula,
    at: QueryContext,
    method: str = "auto",
    seconds: float = SECONDS,
    why: bool = False,
) -> SeatTruth:
    """Return whether a formula is true or false, or unknown to the observer.

    The formula is judged after the announcements in `at`. `method` names the method of
    `quaternity.epistemic` that judges it. If `why` is true, the result includes an explanation,
    which `reason_at` needs.
    """
    from quaternity.epistemic.explanation import judge
    from quaternity.epistemic.seat_truth import SeatTruth, after_announcements, truth_for_seat
    from quaternity.epistemic.truth import evaluate

    problem, size = at.public.problem, at.public.settings.set_size
    formula, announcements = (
        read_formula(formula, at),
        [read_formula(part, at) for part in at.announcements],
    )
    if at.deal is None:
        arguments = at.seat, at.hand, method, seconds, size
        return truth_for_seat(formula, problem, *arguments, why=why, announcements=announcements)
    formula = after_announcements(announcements, formula)
    if not why:
        return SeatTruth(evaluate(formula, problem, at.deal, method, seconds, size))
    truth, reason = judge(formula, problem, at.deal, method, seconds, size)
    return SeatTruth(truth, (), reason)


def chance_at(
    formula: Formula, at: QueryContext, seconds: float = SECONDS, samples: int | None = None
) -> FormulaChance:
    """Return the probability that a formula is true, given what the observer knows.

    If there are too many deals to count, it is estimated from at most `samples` random deals. Raise
    `LimitError` if the time limit is reached.
    """
    from quaternity.epistemic.chance import MAX_SAMPLES, formula_chance

    drawn, size = MAX_SAMPLES if samples is None else samples, at.public.settings.set_size
    formula, announcements = (
        read_formula(formula, at),
        [read_formula(part, at) for part in at.announcements],
    )
    arguments = at.public.problem, at.seat, at.hand
    return formula_chance(
        formula, *arguments, seconds, size, samples=drawn, announcements=announcements
    )


def chance_text(chance: FormulaChance) -> str:
    """Return a probability in words, with its range if it is an estimate."""
    if chance.is_exact:
        return percent(chance.chance)
    ends = f"{percent(chance.low)} to {percent(chance.high)}"
    return f"about {percent(chance.chance)} ({ends}, from {chance.drawn} sampled deals)"


def _reasons_at(
    formula: Formula, deal: Deal, at: QueryContext, method: str, seconds: float
) -> Reasons | None:
    from quaternity.epistemic.needed_requests import is_knowledge, reasons
    from quaternity.epistemic.seat_truth import knowledge_formula
    from quaternity.kwartet.partial_problem import stated_by

    if at.deal is None:
        formula = knowledge_formula(at.seat, formula)
    if not is_knowledge(formula):
        return None
    return reasons(
        formula,
        deal,
        len(at.events),
        lambda selected: stated_by(at.start, at.events, selected),
        method,
        seconds,
        at.deal is not None,
        at.public.settings.set_size,
    )


class QueryReason(NamedTuple):
    """The reason why a formula is true, false or unknown.

    Attributes:
        lines: the lines of the explanation.
        deals: the deals that the lines mention. If the truth value is unknown, these are a deal
            where the formula is true and a deal where it is false.
        requests: the requests from which the truth value follows, or None if they were not found.
        failed: the error that ended the search for a reason, or None if there was no error.
    """

    lines: tuple[str, ...] = ()
    deals: tuple[Deal, ...] = ()
    requests: Reasons | None = None
    failed: LimitError | None = None


def reason_at(
    formula: Formula,
    truth: SeatTruth,
    at: QueryContext,
    method: str,
    seconds: float,
    text: str | None = None,
) -> QueryReason:
    """Return the reason why a formula is true, false or unknown.

    `truth` is the result of `truth_at` with `why=True`. `text` is the formula as it was typed. If
    it uses the number of cards in a hand or the points, the reason does not list requests.
    """
    from quaternity.epistemic.formula import negation
    from quaternity.epistemic.needed_requests import COUNTED_NOTE, mentions_counts
    from quaternity.epistemic.seat_truth import after_announcements

    if truth.truth is None:
        return QueryReason(deals=truth.deals)
    if isinstance(truth.why, LimitError):
        return QueryReason(failed=truth.why)
    assert truth.why is not None, "an explanation must have been requested"
    start, settings = at.start, at.public.settings
    arguments = start.problem, settings.set_size, start.points, settings.players
    pile = [f"player {settings.players} stands for the cards set aside"] * (settings.aside > 0)
    if text is not None and mentions_counts(text, formula, *arguments):
        return QueryReason((COUNTED_NOTE, *truth.why.lines, *pile), truth.why.deals)
    # If the formula is false, explain why its negation is true.
    claim = after_announcements(at.announcements, formula if truth.truth else negation(formula))
    resting = None
    if truth.truth or at.deal is None:
        with suppress(LimitError):
            resting = _reasons_at(claim, at.deal or truth.deals[0], at, method, seconds)
    if resting is None:
        return QueryReason((*truth.why.lines, *pile), truth.why.deals)
    deals = () if resting.explanation is None else resting.explanation.deals
    return QueryReason((*reason_lines(claim, resting, at.events), *pile), deals, resting)


def reason_lines(formula: Formula, reasons: Reasons, events: Sequence[Event]) -> Iterator[str]:
    """Yield lines that list the requests from which a formula follows, and say why."""
    if not reasons.requests:
        yield f"{formula} follows from the hands and the rules: no request is needed"
    else:
        how_many = with_noun(len(reasons.requests), "request")
        if reasons.minimal:
            note = ", all of which are needed" * (len(reasons.requests) > 1)
            yield f"{formula} rests on {how_many}{note}:"
        else:
            yield f"{formula} rests on {how_many}, some of which may not be needed:"
        for number in reasons.requests:
            event = events[number]
            line: Message = question_sentence(event.question, event.answer)
            for index in event.announced:
                line = AND_PUTS_DOWN(event=line, set=index)
            yield indent(NUMBERED(number=number + 1, event=line))
    if reasons.explanation is not None:
        yield from reasons.explanation.lines


def deal_lines(why: QueryReason, at: QueryContext, wide: float = inf) -> Iterator[str]:
    """Yield lines of text that show the deals that a reason mentions.

    If the real deal is visible, each deal is compared with it. `wide` is the maximum width of a
    line, in characters.
    """
    players = at.public.settings.players
    for number, deal in enumerate(why.deals, start=1):
        yield DEAL_IS(number=number)
        if at.deal is not None:
            heads = ("really", f"deal {number}")
            yield from (
                f"  {line}" for line in compare_deals(at.deal, deal, players, heads, wide - 2)
            )
            continue
        yield from map(indent, hand_lines(deal, players))


def answer_lines(
    text: str, at: QueryContext, seconds: float = SECONDS, why: bool = False, wide: float = inf
) -> Iterator[str]:
    """Yield lines that say what the observer knows about a typed formula.

    If `why` is true, the lines explain the reason, or show two deals in which the truth of the
    formula differs. `wide` is the maximum width of a line, in characters.
    """
    try:
        formula = read_formula(text, at)
        truth = truth_at(formula, at, seconds=seconds, why=why)
        yield answer_text(text, formula, truth, at)
        if why and truth.truth is None:
            yield from differing_deals(truth.deals, at.public.settings.players, wide)
        elif why:
            reason = reason_at(formula, truth, at, "auto", seconds, text)
            yield from reason.lines
            yield from deal_lines(reason, at, wide)
            if reason.failed is not None:
                yield f"the reason was not found: {reason.failed}"
    except (InputError, LimitError) as error:
        yield str(error)


def answer_text(text: str, formula: Formula, truth: SeatTruth, at: QueryContext) -> Message:
    """Return a message that says what the observer knows about a formula.

    If the truth is unknown, but the deals can be counted, the message includes the probability.
    """
    if truth.truth is None:
        message = (ALL_KNOW_NOT if at.seat is None else YOU_KNOW_NOT)(formula=text)
        with suppress(LimitError):
            return LIKELY(told=message, chance=float(chance_at(formula, at, 2.0, 0).chance))
        return message
    if at.deal is not None:
        kind = LIES_TRUE if truth.truth else LIES_FALSE
    elif at.seat is None:
        kind = ALL_KNOW_TRUE if truth.truth else ALL_KNOW_FALSE
    else:
        kind = YOU_KNOW_TRUE if truth.truth else YOU_KNOW_FALSE
    return kind(formula=text)
