"""Puzzles about hidden hands: what one seat of Kwartet knows, and what it knows of the others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from quaternity.base.sentences import Kind, facts
from quaternity.epistemic.worlds import quick_count
from quaternity.game.cards import Card
from quaternity.game.question import Answer
from quaternity.kwartet.hands import dealt_hands
from quaternity.kwartet.knowing import Moment, Why, moment_of_view, read_formula, truth_at, why_at
from quaternity.kwartet.log import parse_any_log, seen_text
from quaternity.kwartet.played import GameLog, seen_by
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event
from quaternity.kwartet.seen import SeenLog
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.strategies.students import random_request
from quaternity.puzzles.dealing import HENCE, certain_again, elsewhere, hands_of, settled
from quaternity.puzzles.puzzle import Puzzle, Step, level_by
from solvers.filtering import closed

SECONDS = 60.0
"""Far more than any of these formulas needs."""

MOST_DEALS = 2_000
"""So many deals are listed in a moment."""

SIZES = ((3, 3), (3, 3), (3, 4), (4, 4), (4, 5))
"""Players and sets, per level."""

REQUESTS_AT = 1, 2, 3, 4
"""The most requests that one needs to see it, per level but the last."""

WHICH = Kind(
    "which",
    "You are {who:player}. Which card of somebody else can you name, although no request showed "
    "it, and who has it?",
)
SHOWN = Kind("shown", "A request or your hand shows already where {card:card} is.")
KNOWS_THAT = Kind(
    "knows_that",
    "You are {seat:player}. Does {who:player} know that {holder:player} has {card:card}?",
)
KNOWS_YOU_KNOW = Kind(
    "knows_you_know",
    "You are {seat:player}. Does {who:player} know that you know that {holder:player} has "
    "{card:card}?",
)
HOLDER_KNOWS = Kind(
    "holder_knows",
    "You are {seat:player}. Does {holder:player}, who has {card:card}, know that {who:player} "
    "knows this?",
)
COMMON = Kind(
    "common",
    "You are {seat:player}. Is it common knowledge between you and {who:player} that "
    "{holder:player} has {card:card}?",
)
REQUESTS = Kind("requests", "These requests matter: {requests:listed}.")
NO_REQUEST = Kind("no_request", "No request matters: your hand and the rules are enough.")
REQUEST = Kind("request", "request {number}: {event}")
LOOK_AT = Kind("look_at_card", "Look at the cards of {set:set}.")
SAYS_LINE, LEADS_ON = Kind("says_line", "{line}."), Kind("leads_on", "{line} …")
DEAL = Kind("deal", "Deal {number}: {hands:parts}.")
WHY_NOT = "; why not "
"""Parts lines of an explanation that lead to others from those that say something."""

FORMULA = re.compile(r"!?(?:K\d |C\{[\d,]+\} )*H\d \d+/\d")
"""A formula in a line of an explanation."""

KNOWN = Kind("known", "As the log stands, the answer is {answer}.")


def played(random: Random, size: tuple[int, int], most: int) -> SeenLog | None:
    """Return a random game as one of its seats saw it; None if it is over."""
    players, sets = size
    settings = KwartetSettings(players, sets)
    hands = dealt_hands(settings, random)
    position, events = Position.start(settings, hands), list[Event]()
    for _ in range(random.randrange(2, most)):
        if position.public.is_over:
            return None
        view = position.view(position.public.turn, events)
        position, event = position.ask(random_request(view, random))
        events.append(event)
    if position.public.is_over:
        return None
    seat = random.randrange(players)
    return seen_by(GameLog.of(settings, hands, events), seat)


class Trace:
    """Which card of somebody else can a seat name?"""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle of this level from a log in which some card of others is certain."""
        del wish
        log = played(random, SIZES[level - 1], 6 + 3 * level)
        if log is None:
            return None
        seat, view = _seat(log), log.views[-1]
        exact = closed(view.problem)
        certain = {card: owner for card, owner in settled(view.problem, exact) if owner != seat}
        if not 0 < len(certain) < 3:
            return None
        reasons = {card: _why(log, f"H{owner} {card}")
                   for card, owner in certain.items()}  # fmt: skip
        card = min(reasons, key=lambda card: len(_requests(reasons[card])))
        lines = len(_requests(reasons[card]))
        if level_by(lines, REQUESTS_AT) != level:
            return None
        players = log.settings.players
        wrong: dict[str, str] = dict(
            elsewhere(exact, players, certain, lambda card: SHOWN(card=card))
        )
        for other, owner in certain.items():
            proof = " ".join(step.text for step in _lines(log, reasons[other]))
            wrong |= {f"{other} {player}": proof for player in range(players) if player != owner}
        steps = (
            Step(LOOK_AT(set=card.set_index), (f"set {card.set_index}",)),
            _requests_step(log, reasons[card]),
            *list(_lines(log, reasons[card]))[1:],  # the first says what the last one does
            Step(HENCE(card=card, who=certain[card]), (str(card), f"player {certain[card]}")),
        )
        return Puzzle(
            "trace", "kwartet", seen_text(log), WHICH(who=seat), "card",
            answers=tuple(f"{card} {owner}" for card, owner in sorted(certain.items())),
            wrong=wrong, why=steps,
            level=level,
            level_from={"requests": lines, "cards": len(certain)},
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Ask max-flow about every card of others and everybody who may have it."""
        log = _read(puzzle)
        return {text for text in certain_again(log.views[-1].problem)
                if text.split()[1] != str(log.seat)}  # fmt: skip


class Knows:
    """Does somebody know it?"""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle about what others know, of a kind that a level has."""
        log = played(random, (3, 3) if level <= 2 else (3, 2), 12)
        if log is None:
            return None
        seat, players = _seat(log), log.settings.players
        view = log.views[-1]
        if (quick_count(view.public.problem) or MOST_DEALS) >= MOST_DEALS:
            return None
        # What the seat knows itself, and not everybody sees: so both answers are tempting.
        known = [
            (Card.trusted(index, number), mask.bit_length() - 1)
            for index, constraint in enumerate(closed(view.problem).sets)
            for number, mask in enumerate(constraint.owners)
            if mask.bit_count() == 1
            and (mask == 1 << seat) == (level == 1)
            and view.public.problem.sets[index].owners[number] != mask
        ]
        if not known:
            return None
        card, holder = random.choice(known)
        others = [player for player in range(players) if player not in (seat, holder)]
        who = random.choice(others)
        kind, text = _asked(level, seat, who, holder, card)
        at = _moment(log)
        formula = read_formula(text, at)
        truth = truth_at(formula, at, "explicit", SECONDS)
        if truth.truth is None or truth.truth != (wish < 0.5):
            return None
        answer, other = ("yes", "no") if truth.truth else ("no", "yes")
        why = _why(log, text, "explicit")
        lines = len(_requests(why))
        proof = tuple(_lines(log, why)) or (Step(KNOWN(answer=Answer(answer == "yes"))),)
        question = kind(seat=seat, who=who, holder=holder, card=card, formula=text)
        return Puzzle(
            "knows", "kwartet", seen_text(log), question, "yes-no",
            answers=(answer,), wrong={other: " ".join(step.text for step in proof)},
            why=(Step(LOOK_AT(set=card.set_index)), _requests_step(log, why), *proof),
            level=level, level_from={"depth": formula.modal_depth, "requests": lines},
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Ask the solvers, which list no deals."""
        at = _moment(_read(puzzle))
        formula = read_formula(facts(puzzle.question)["formula"], at)
        truth = truth_at(formula, at, "solvers", SECONDS).truth
        return {"yes" if truth else "no"}


def _asked(level: int, seat: int, who: int, holder: int, card: Card) -> tuple[Kind, str]:
    held = f"H{holder} {card}"
    if level <= 2:
        return KNOWS_THAT, f"K{who} {held}"
    if level == 3:
        return KNOWS_YOU_KNOW, f"K{who} K{seat} {held}"
    if level == 4:
        return HOLDER_KNOWS, f"K{holder} K{who} {held}"
    return COMMON, f"C{{{min(seat, who)},{max(seat, who)}}} {held}"


def _seat(log: SeenLog) -> int:
    assert log.seat is not None, "it is a seat's log"
    return log.seat


def _read(puzzle: Puzzle) -> SeenLog:
    log = parse_any_log(puzzle.position)
    assert isinstance(log, SeenLog), "hands are hidden in it"
    return log


def _moment(log: SeenLog) -> Moment:
    return moment_of_view(log.views[0].public, log.views[-1])


def _why(log: SeenLog, text: str, method: str = "solvers") -> Why:
    at = _moment(log)
    formula = read_formula(text, at)
    truth = truth_at(formula, at, method, SECONDS, why=True)
    return why_at(formula, truth, at, method, SECONDS)


def _requests(why: Why) -> tuple[int, ...]:
    return why.requests.requests if why.requests is not None else ()


def _requests_step(log: SeenLog, why: Why) -> Step:
    numbers = _requests(why)
    if not numbers:
        return Step(NO_REQUEST())
    events = [REQUEST(number=number + 1, event=log.events[number].sentences()[0])
              for number in numbers]  # fmt: skip
    return Step(REQUESTS(requests=events), tuple(f"move {number + 1}" for number in numbers))


def _lines(log: SeenLog, why: Why) -> Iterator[Step]:
    told = why.requests.explanation if why.requests is not None else None
    for line in why.lines if told is None else told.lines:
        if WHY_NOT not in line:
            text = FORMULA.sub(_that, line.strip().rstrip(":"))
            yield Step((LEADS_ON if text.endswith("here") else SAYS_LINE)(line=text))
    for number, deal in enumerate(why.deals, start=1):
        yield Step(DEAL(number=number, hands=hands_of(deal, log.settings.players)))


def _that(formula: re.Match[str]) -> str:
    """Return a formula in words: "that player 1 does not know that player 2 has 2/3"."""
    *operators, (_, holder, card) = re.findall(r"(!?[KCH])\{?([\d,]+)\}? ?(\d+/\d)?", formula[0])
    words = f"that player {holder} has {card}"
    for operator, who, _ in reversed(operators):
        group = who.split(",")
        unknown = operator[0] == "!"
        knows = f"player {who} {'does not know' if unknown else 'knows'}"
        if len(group) > 1:
            not_known = "do not know" if unknown else "know"
            knows = f"players {' and '.join(group)} {not_known} in common"
        words = f"that {knows} {words}"
    return words
