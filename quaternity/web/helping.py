"""Help that people may ask for at a table that allows it: counts, reasons and hints.

All of it is found from the view of who asks, in a process of its own. What is given, by the word in
`GET /api/tables/T/help/WORD`:

| game | word | given |
|---|---|---|
| Quaternity, Kwartet | `chances` | `deals`: how many fit, as text; null: too many to count. `chances[set][card][player]`: 0 to 1; null where not known. `exact`: whether they are counted. Kwartet: `read[set][card][player]`, the same as read from the requests |
| Quaternity | `questions` | `questions`, the most telling first (none while a question waits for its answer): `asked`, `set`, `cards`, `answers`, `yes` (its chance), `bits` |
| Quaternity | `why` | `lines`: why a question (`?move=`) is refused or has one answer only; without, the last such |
| Quaternity | `know` | `known`: whether a formula (`?formula=`) is true (or false: null is neither) whatever the cards are, and `text`. With `&why=1` `lines`: the moves that it rests on, or deals that differ in it |
| Kwartet | `know` | `known`: whether who asks knows a formula (`?formula=`) to be true (or false: null is neither), and `text`. With `&why=1` `lines`: the requests that it rests on, or deals that differ in it. With `&over_time=1` `over_time`: the same after the deal and after each request, and `svg` |
| Quarto | `analysis` | `outcome`: win, draw or loss for who moves; `moves`: each with its `move`, `outcome` and `distance` in placements, the best first |
| all | `hint` | `move`: what the strongest program would do, null: wait; `by`: its name; `chance` of a yes, in Kwartet |
"""  # noqa: E501  # a table's rows

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quaternity.base.errors import InputError, LimitError
from quaternity.base.sentences import unindented

Helper = Callable[[Any, Any, str, Mapping[str, str]], dict[str, Any]]
"""Of the rules, a view, the record of the game where all of it is open, and what else was said."""


def quaternity_chances(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return how many deals fit, and who owns what with what chance."""
    from quaternity.insight.analysis import TooManyDeals, analyse, owner_chances

    del record, asked
    try:
        analysis = analyse(view.state)
    except TooManyDeals as error:
        known = owner_chances(error.deductions.may_own, rules.seats)
        return {"deals": None, "chances": known, "exact": True}
    return {"deals": str(analysis.deals), "chances": analysis.chances, "exact": True}


def questions(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return what each question would reveal; no questions while one waits for its answer."""
    from quaternity.insight.analysis import prospects

    del rules, record, asked
    if view.pending is not None:
        return {"questions": []}
    return {
        "questions": [
            {
                "asked": prospect.group.asked,
                "set": prospect.group.set_index,
                "cards": list(prospect.group.cards),
                "answers": [str(answer) for answer in prospect.group.answers],
                "yes": prospect.chance_of_yes,
                "bits": prospect.bits,
            }
            for prospect in prospects(view.state)
        ]
    }


def why(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return why a question is refused, or has one answer only."""
    from quaternity.game.game import Game
    from quaternity.game.record import parse_record
    from quaternity.game.rules import QuaternityPosition
    from quaternity.insight.explanation import explained

    game = parse_record(record).replay()
    if "move" in asked:
        question = rules.read(asked["move"], QuaternityPosition(view.state))
    else:
        forced = [
            number
            for number, (question, _) in enumerate(game.moves)
            if len(game.states[number].answers(question)) == 1
        ]
        if not forced:
            return {"lines": ["no answer was forced yet"]}
        at = forced[-1]
        question = game.moves[at].question
        game = Game(game.settings, game.moves[:at], game.states[: at + 1])
    if not hasattr(question, "asker"):
        raise InputError(f"{question} is no question")
    return {"lines": list(map(unindented, explained(game, question)))}


def kwartet_chances(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return how many deals a seat holds possible, and who owns what with what chance."""
    from quaternity.kwartet.chances import owner_weights, worlds_of
    from quaternity.kwartet.strategies.reader import beliefs

    del rules, record, asked
    weights, worlds = owner_weights(view.problem), worlds_of(view.problem)
    return {
        "deals": None if worlds is None else str(worlds),
        "chances": [
            [[weight / weights.total for weight in card] for card in cards]
            for cards in weights.owned
        ],
        "exact": weights.exact,
        "read": beliefs(view),
    }


def certain(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return whether a formula is true, or false, whatever the cards are, and why."""
    from quaternity.game.record import parse_record
    from quaternity.insight.certainty import certainty

    del view
    game = parse_record(record).replay()
    answer = certainty(asked.get("formula", ""), game, "why" in asked, 8.0)
    lines = list(answer.lines)
    if "why" in asked and answer.truth is None:
        lines = _either_way(answer.deals, rules.seats)
    return {"known": answer.truth, "text": answer.text, "lines": lines}


def _either_way(deals: Sequence[Any], players: int) -> list[str]:
    """Return a deal that makes a formula true, and one that makes it false."""
    from quaternity.epistemic.sentences import FALSE_IF, TRUE_IF
    from quaternity.epistemic.two_deals import hand_lines

    true, false = (hand_lines(deal, players) for deal in deals)
    return [TRUE_IF(), *true, FALSE_IF(), *false]


def know(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return whether a seat knows a formula to be true, or false; why, and since when."""
    from quaternity.epistemic.evaluator import Deadline
    from quaternity.kwartet.knowing import (
        deal_lines,
        moment,
        read_formula,
        told_text,
        truth_at,
        why_at,
    )
    from quaternity.kwartet.seen import SeenLog
    from quaternity.kwartet.timelines import Timeline, timelines_svg
    from quaternity.kwartet.view import NOBODY

    del record
    if view.seat == NOBODY:
        raise InputError("a bystander has no hand to know by")
    # Asked of the view alone: not even the time depends on the real deal.
    log, text, wanted = SeenLog.of_view(view), asked.get("formula", ""), "why" in asked
    deadline = Deadline(8.0)
    at = moment(log, len(log.events))
    formula = read_formula(text, at)
    truth = truth_at(formula, at, seconds=deadline.left(), why=wanted)
    answer: dict[str, Any] = {"known": truth.truth, "text": told_text(text, formula, truth, at)}
    if wanted and truth.truth is None:
        answer["lines"] = _either_way(truth.deals, rules.seats)
    elif wanted:
        reason = why_at(formula, truth, at, "auto", deadline.left(), text)
        answer["lines"] = [*reason.lines, *deal_lines(reason, at)]
    if "over_time" in asked:
        moments = [moment(log, step) for step in range(len(log.views))]
        row = [truth_at(read_formula(text, m), m, seconds=deadline.left()).truth for m in moments]
        answer["over_time"] = row
        answer["svg"] = timelines_svg([Timeline(text, row)], "when you could tell")
    return answer


def quarto_analysis(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return how a position of Quarto ends with perfect play, and every move."""
    from quaternity.quarto.solving import rated_moves

    del rules, record, asked
    rated = rated_moves(view.board, view.in_hand, view.squares)
    return {
        "outcome": rated[0].outcome.name.lower() if rated else None,
        "moves": [
            {"move": str(move), "outcome": outcome.name.lower(), "distance": distance}
            for move, outcome, distance in rated
        ],
    }


def chance_of_yes(view: Any, move: Any) -> dict[str, float]:
    """Return what a hint in Kwartet says of its request."""
    from quaternity.kwartet.chances import chance_of

    try:
        return {"chance": float(chance_of(view, move))}
    except LimitError:
        return {}
