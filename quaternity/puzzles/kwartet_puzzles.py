"""Kwartet puzzles about what a player knows about hidden hands and about the others' knowledge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

from quaternity.base.sentences import Message, MessageTemplate, message_data, unindent
from quaternity.epistemic.worlds import quick_count
from quaternity.game.cards import Card
from quaternity.kwartet.hands import deal_hands
from quaternity.kwartet.log import parse_any_log, seat_log_text
from quaternity.kwartet.played import GameLog, seat_log_of
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event
from quaternity.kwartet.queries import (
    QueryReason,
    moment_of_view,
    read_formula,
    reason_at,
    truth_at,
)
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.strategies.published import random_request
from quaternity.puzzles.dealing import (
    HENCE,
    certain_by_max_flow,
    certain_cards,
    hands_of,
    wrong_owners,
)
from quaternity.puzzles.puzzle import Puzzle, Step, level_by
from solvers.filtering import filter_problem

SECONDS = 60.0
"""Time limit for evaluating a formula, in seconds. The formulas of puzzles take much less."""

MAX_DEALS = 2_000
"""Number of possible deals that a puzzle must not reach, because listing them takes too long."""

SIZES = ((3, 4), (3, 4), (3, 4), (4, 4), (4, 5))
"""Sizes of the games from which puzzles are made, one for each level, as tuples (players, sets)."""

MIN_REQUESTS = 4
"""Minimum number of requests in a game. Puzzles from shorter games often resemble each other."""

REQUESTS_AT = 1, 2, 3, 4
"""Maximum number of requests in the proof of an answer, for each level except the last."""

WHICH = MessageTemplate(
    "which",
    "You are {who:player}: which card of another player can you locate by reasoning, although no "
    "question has shown it, and who has it?",
)
SHOWN = MessageTemplate("shown", "A question or your hand already shows who has {card:card}.")
OF_YOURS = MessageTemplate(
    "of_yours", "You are {seat:player}: does {who:player} know that you have {card:card}?"
)
KNOWS_THAT = MessageTemplate(
    "knows_that",
    "You are {seat:player}: does {who:player} know that {holder:player} has {card:card}?",
)
KNOWS_YOU_KNOW = MessageTemplate(
    "knows_you_know",
    "You are {seat:player}: does {who:player} know that you know that {holder:player} has "
    "{card:card}?",
)
HOLDER_KNOWS = MessageTemplate(
    "holder_knows",
    "You are {seat:player}, and {holder:player} has {card:card}: does {holder:player} know that "
    "{who:player} knows this?",
)
COMMON = MessageTemplate(
    "common",
    "You are {seat:player}: is it common knowledge between you and {who:player} that "
    "{holder:player} has {card:card}?",
)
ASKED = (
    (OF_YOURS, "K{who} {held}"), (KNOWS_THAT, "K{who} {held}"),
    (KNOWS_YOU_KNOW, "K{who} K{seat} {held}"), (HOLDER_KNOWS, "K{holder} K{who} {held}"),
    (COMMON, "C{{{seat},{who}}} {held}"),
)  # fmt: skip
"""The questions of the puzzles, as pairs: a message template, and the formula that decides the
answer. The first two questions are about what a player knows about a card. The others are about
what a player knows about the knowledge of others."""

ASKED_AT = (0, 1), (0, 1), (0, 1, 2, 3, 4), (2, 3, 4), (2, 3, 4)
"""The questions that a puzzle of each level may ask, as indices in `ASKED`."""

REQUESTS = MessageTemplate("requests", "Only this matters: {requests:listed}.")
NO_REQUEST = MessageTemplate(
    "no_request", "No question matters: your hand and the rules are enough."
)
OTHER_HANDS = MessageTemplate(
    "other_hands", "Look for other hands that fit all questions and answers."
)
REQUEST = MessageTemplate("request", "question {number}: {event}")
LOOK_AT = MessageTemplate("look_at_card", "Look at the cards of {set:set}.")
THINK_AS = MessageTemplate(
    "think_as",
    "Think of all hands that fit the cards of {who:player} and all questions and answers.",
)
SAYS_LINE, SAYS_ON = (
    MessageTemplate("says_line", "{line:sentence}."),
    MessageTemplate("says_on", "{line:sentence}"),
)
HAS = MessageTemplate("has", "that {who:player} has {card:card}")
KNOWS, KNOWS_NOT = (
    MessageTemplate("knows", "that {who:player} knows {fact}"),
    MessageTemplate("knows_not", "that {who:player} does not know {fact}"),
)
IS_COMMON, IS_NOT_COMMON = (
    MessageTemplate("is_common", "that it is common knowledge between {who:players} {fact}"),
    MessageTemplate(
        "is_not_common", "that it is not common knowledge between {who:players} {fact}"
    ),
)
DEAL = MessageTemplate("deal", "Deal {number}, as the hands are now: {hands:parts}.")
PROOF = MessageTemplate("proof", "{lines:row}")
WHY_NOT = "; the reason in "
"""Text that marks lines of an explanation which only introduce other lines. They are left out."""

FORMULA = re.compile(r"!?(?:K\d |C\{[\d,]+\} )*H\d \d+/\d")
"""Pattern of a formula in a line of an explanation, such as `K1 H2 2/3`."""


def random_log(random: Random, size: tuple[int, int], max_requests: int) -> SeatLog | None:
    """Return the log of a random game as one player saw it. Return None if the game is over.

    `size` contains the numbers of players and of sets. The game has fewer than `max_requests`
    requests.
    """
    players, sets = size
    settings = KwartetSettings(players, sets)
    hands = deal_hands(settings, random)
    position, events = Position.start(settings, hands), list[Event]()
    for _ in range(random.randrange(MIN_REQUESTS, max_requests)):
        if position.public.is_over:
            return None
        view = position.view(position.public.turn, events)
        position, event = position.ask(random_request(view, random))
        events.append(event)
    if position.public.is_over:
        return None
    seat = random.randrange(players)
    return seat_log_of(GameLog.of(settings, hands, events), seat)


class Trace:
    """A kind of puzzle that asks which card another player must have, given what one player saw."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle about a random game, or None. `PuzzleKind` explains the arguments."""
        del wish
        log = random_log(random, SIZES[level - 1], 6 + 3 * level)
        return None if log is None else self.of_log(log, level)

    def of_log(self, log: SeatLog, level: int | None = None) -> Puzzle | None:
        """Return a puzzle about the part of a game that one player saw.

        Return None if the game has no puzzle. If `level` is None, every level is accepted.
        """
        seat, view = _seat(log), log.views[-1]
        exact = filter_problem(view.problem)
        certain = {
            card: owner for card, owner in certain_cards(view.problem, exact) if owner != seat
        }
        if not 0 < len(certain) < 3:
            return None
        reasons = {card: _why(log, f"H{owner} {card}") for card, owner in certain.items()}
        card = min(reasons, key=lambda card: len(_requests(reasons[card])))
        lines = len(_requests(reasons[card]))
        difficulty = level_by(lines, REQUESTS_AT)
        if level not in (None, difficulty):
            return None
        players = log.settings.players
        wrong: dict[str, str] = dict(
            wrong_owners(exact, players, certain, lambda card: SHOWN(card=card))
        )
        for other, owner in certain.items():
            proof = _proof(log, reasons[other], other)
            wrong |= {f"{other} {player}": proof for player in range(players) if player != owner}
        look = Step(LOOK_AT(set=card.set_index), (f"set {card.set_index}",))
        steps = (
            *_steps(log, reasons[card], card, look),
            Step(HENCE(card=card, who=certain[card]), (str(card), f"player {certain[card]}")),
        )
        return Puzzle(
            "trace", "kwartet", seat_log_text(log), WHICH(who=seat), "card",
            answers=tuple(f"{card} {owner}" for card, owner in sorted(certain.items())),
            wrong=wrong, why=steps, level=difficulty,
            level_from={"requests": lines, "cards": len(certain)},
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Return the right answers, found again with the solver max-flow, to check a puzzle."""
        log = seen_log(puzzle.position)
        return {text for text in certain_by_max_flow(log.views[-1].problem)
                if text.split()[1] != str(log.seat)}  # fmt: skip


class Knows:
    """A kind of puzzle that asks whether a player knows a fact."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle about a random game, or None. `PuzzleKind` explains the arguments."""
        log = random_log(random, (3, 3) if level <= 3 else (3, 2), 14)
        if log is None:
            return None
        seat, players = _seat(log), log.settings.players
        view, public = log.views[-1], log.views[-1].public.problem
        deals = quick_count(public) or MAX_DEALS
        if deals >= MAX_DEALS:
            return None
        asked = random.choice(ASKED_AT[level - 1])
        # Ask about facts that the seat knows but that are not public, so both answers are
        # plausible.
        known = [
            (Card.unchecked(index, number), mask.bit_length() - 1)
            for index, constraint in enumerate(filter_problem(view.problem).sets)
            for number, mask in enumerate(constraint.owners)
            if mask.bit_count() == 1
            and (mask == 1 << seat) == (asked == 0)
            and public.sets[index].owners[number] != mask
        ]
        if not known:
            return None
        card, holder = random.choice(known)
        knower = random.choice(
            [player for player in range(players) if player not in (seat, holder)]
        )
        about = {"seat": seat, "who": knower, "holder": holder}
        kind, formula = ASKED[asked]
        text = formula.format(held=f"H{holder} {card}", **about)
        truth = _truth(log, text)
        if truth is None or truth != (wish < 0.5):
            return None
        if truth and asked == 4 and not _truth(log, f"P H{holder} {card}"):
            return None  # Reject questions without a short proof.
        if not truth and asked > 1 and not _truth(log, f"K{knower} H{holder} {card}"):
            return None  # Reject questions with an obvious answer.
        why, nested = _why(log, text, "explicit"), int(asked in (2, 3))
        if truth:
            counted = int({*public.may_own(*card)} - {knower} != {holder})
            requests = len(_requests(why))
            score = level_by(requests + counted + nested, (1, 3, 5, 6))
            level_from = {"nested": nested, "requests": requests, "counted": counted}
        else:
            easy = 3 - (deals >= 200) - (deals >= 1000)
            score = easy if asked <= 1 else min(5, len(why.deals) + 1 + nested)
            level_from = {"nested": nested, "deals": len(why.deals), "fit": deals}
        think = Step(THINK_AS(who=holder if asked == 3 else knower), ())
        answer, other = ("yes", "no") if truth else ("no", "yes")
        return Puzzle(
            "knows", "kwartet", seat_log_text(log), kind(**about, card=card, formula=text),
            "yes-no",
            answers=(answer,), wrong={other: _proof(log, why, card)},
            why=_steps(log, why, card, think), level=score, level_from=level_from,
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Return the right answer, found again without listing all deals, to check a puzzle."""
        truth = _truth(
            seen_log(puzzle.position), message_data(puzzle.question)["formula"], "solvers"
        )
        return {"yes" if truth else "no"}


def _seat(log: SeatLog) -> int:
    assert log.seat is not None, "the log must show the view of a seat"
    return log.seat


def seen_log(text: str) -> SeatLog:
    """Parse a log that contains the part of a game of Kwartet that one player saw."""
    log = parse_any_log(text)
    assert isinstance(log, SeatLog), "the log must show the view of a seat"
    return log


def _truth(log: SeatLog, text: str, method: str = "explicit") -> bool | None:
    at = moment_of_view(log.views[0].public, log.views[-1])
    return truth_at(read_formula(text, at), at, method, SECONDS).truth


def _why(log: SeatLog, text: str, method: str = "solvers") -> QueryReason:
    at = moment_of_view(log.views[0].public, log.views[-1])
    formula = read_formula(text, at)
    truth = truth_at(formula, at, method, SECONDS, why=True)
    return reason_at(formula, truth, at, method, SECONDS)


def _requests(why: QueryReason) -> tuple[int, ...]:
    return why.requests.requests if why.requests is not None else ()


def _steps(log: SeatLog, why: QueryReason, card: Card, first: Step) -> tuple[Step, ...]:
    numbers = _requests(why)
    events = [REQUEST(number=number + 1, event=log.events[number].sentences()[0])
              for number in numbers]  # fmt: skip
    rests = tuple(f"move {number + 1}" for number in numbers)
    return (
        first,
        Step(REQUESTS(requests=events), rests)
        if events
        else Step(OTHER_HANDS() if why.deals else NO_REQUEST()),
        *_lines(log, why, card),
    )


def prove_owner(log: SeatLog, card: Card, owner: int) -> list[str]:
    """Return sentences that prove, from what one player saw, that `owner` must have a card."""
    look = Step(LOOK_AT(set=card.set_index))
    steps = _steps(log, _why(log, f"H{owner} {card}"), card, look)
    return [*(step.text for step in steps[1:]), HENCE(card=card, who=owner)]


def _proof(log: SeatLog, why: QueryReason, card: Card) -> Message:
    return PROOF(lines=[step.text for step in _lines(log, why, card)])


def _lines(log: SeatLog, why: QueryReason, card: Card) -> Iterator[Step]:
    explanation = why.requests.explanation if why.requests is not None else None
    if not _requests(why):  # These deals show that a fact is not known.
        for number, deal in enumerate(why.deals, start=1):
            yield Step(DEAL(number=number, hands=hands_of(deal, log.settings.players)))
    # The first line repeats what is to be proved.
    for line in (why.lines if explanation is None else explanation.lines)[1:]:
        if WHY_NOT not in line:
            text = _in_words(unindent(line))
            says = SAYS_ON if text.endswith(":") else SAYS_LINE
            yield Step(says(line=text), (str(card),))


def _in_words(value: Any) -> Any:
    """Replace formulas in a message by words: `K1 H2 2/3` is "player 1 knows that ..."."""
    if isinstance(value, Message):
        return value.kind(**{name: _in_words(part) for name, part in value.data.items()})
    if isinstance(value, list):
        return list(map(_in_words, value))
    is_formula = isinstance(value, str) and FORMULA.fullmatch(value)
    return _formula_in_words(value) if is_formula else value


def _formula_in_words(formula: str) -> Message:
    *operators, (_, holder, card) = re.findall(r"(!?[KCH])\{?([\d,]+)\}? ?(\d+/\d)?", formula)
    words = HAS(who=int(holder), card=Card.parse(card))
    for operator, names, _ in reversed(operators):
        players, unknown = [*map(int, names.split(","))], operator[0] == "!"
        if len(players) > 1:
            words = (IS_NOT_COMMON if unknown else IS_COMMON)(who=players, fact=words)
        else:
            words = (KNOWS_NOT if unknown else KNOWS)(who=players[0], fact=words)
    return words
