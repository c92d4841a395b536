"""Help that visitors may request during a game: numbers of deals, chances, reasons and hints.

`GET /api/tables/T/help/WORD` returns a JSON object. A separate process computes it, only from what
the player or bystander may see. These are the values of WORD, each with the entries of the object:

- `chances` (Quaternity, Kwartet). `deals`: the number of possible deals, as a string, or null if
  there are too many to count. `chances[set][card][player]`: the chance that the player owns the
  card, from 0 to 1, or null if it is not known. `exact`: whether the chances are exact.
  `read[set][card][player]` (only in Kwartet): the chance as estimated from all requests.
- `questions` (Quaternity). `questions`: the legal questions, from the most to the least informative
  (empty while a question waits for its answer). Questions that differ only in interchangeable cards
  are listed together. Each entry has `asked` (the player who is asked), `set`, `cards`, `answers`
  (the legal answers), `yes` (the chance of a yes) and `bits` (the expected information).
- `questions` (Kwartet). `questions`: the requests that may be answered with yes, the likeliest
  first (empty if it is not the player's turn). Each entry has `asked` (the player who is asked),
  `set`, `cards` (one card) and `yes` (the chance of a yes). `exact`: whether the chances are exact.
- `why` (Quaternity). `lines`: why the question in `?move=` is refused, or why only one answer to it
  is possible. With `?card=`, the lines explain this for the questions for this card to each of the
  other players. With neither, they explain the latest answer that was the only possible one.
- `why` (Kwartet). `lines`: which players can have the card in `?card=`, and why if only one player
  can have it.
- `know` (Quaternity). `known`: the truth value of the formula in `?formula=` if it is the same in
  all possible deals, otherwise null. `text`: this result in words. `lines` (with `&why=1`): the
  moves from which this follows, or a deal in which the formula is true and a deal in which it is
  false.
- `know` (Kwartet). `known`: the truth value of the formula in `?formula=` if the player knows it,
  otherwise null. `text` and `lines`: as in Quaternity. `over_time` (with `&over_time=1`): the
  values of `known` after the deal and after each request. `svg` (with `&over_time=1`): a picture of
  these values.
- `analysis` (Quarto). `outcome`: win, draw or loss for the player to move, if both play perfectly.
  `moves`: the legal moves, from the best to the worst, each with `move`, `outcome` and `distance`
  (the number of pieces placed until the game ends).
- `hint` (all games). `move`: the move that the strongest program would make, or null if it would
  wait. `by`: the name of this program. The reason is one of these: `chance` (Kwartet), the chance
  that the answer is yes; `owners` (Quaternity), the players who may own the card; `reason` (Quarto,
  SET, and answers in Quaternity), a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quaternity.base.errors import InputError, LimitError
from quaternity.base.sentences import MessageTemplate, unindent

NOT_FORCED = MessageTemplate("not_forced", "No answer has been forced yet.")
CAN_HAVE = MessageTemplate("can_have", "Possible owners of {card:card}: {who:players}.")

WINS, IS_SAFE, LOSES, IS_SET, HAS_NO_SET, IS_BETTER = HINT_REASONS = (
    "It completes a row.",
    "It leaves your opponent no row to complete.",
    "Every move leaves your opponent a row to complete.",
    "In every property, the three cards are all alike or all different.",
    "There may be no SET on the table.",
    "Both answers are possible, but this one gives you better chances.",
)
"""Reasons that hints give for moves in Quarto and SET, and for answers in Quaternity."""


def quaternity_chances(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return a dictionary with each player's chances to own each card, and the number of deals."""
    from quaternity.insight.analysis import TooManyDeals, analyse, owner_chances

    del record, asked
    try:
        analysis = analyse(view.state)
    except TooManyDeals as error:
        known = owner_chances(error.deductions.may_own, rules.seats)
        return {"deals": None, "chances": known, "exact": True}
    return {"deals": str(analysis.deals), "chances": analysis.chances, "exact": True}


def questions(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return a dictionary with the legal questions and the expected information of each.

    The questions are in the entry `questions`, which is empty while a question is unanswered.
    """
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
    """Return a dictionary with sentences that explain an illegal question or a forced answer.

    `asked` may contain the question (`move`) or its card (`card`). Otherwise, the sentences explain
    the latest answer that was the only possible one.
    """
    from quaternity.game.game import Game
    from quaternity.game.record import parse_record
    from quaternity.game.rules import QuaternityPosition
    from quaternity.insight.explanation import explanation_lines

    game = parse_record(record).replay()
    if "card" in asked:
        players = (seat for seat in range(rules.seats) if seat != view.state.turn)
        moves = [f"{seat} {asked['card'].replace('/', ' ')}" for seat in players]
        questions = [rules.read(move, QuaternityPosition(view.state)) for move in moves]
        lines = [line for question in questions for line in explanation_lines(game, question)]
        return {"lines": list(map(unindent, lines))}
    if "move" in asked:
        question = rules.read(asked["move"], QuaternityPosition(view.state))
    else:
        forced = [
            number
            for number, (question, _) in enumerate(game.moves)
            if len(game.states[number].answers(question)) == 1
        ]
        if not forced:
            return {"lines": [NOT_FORCED()]}
        at = forced[-1]
        question = game.moves[at].question
        game = Game(game.settings, game.moves[:at], game.states[: at + 1])
    if not hasattr(question, "asker"):
        raise InputError(f"move: must be a question, not {question}")
    return {"lines": list(map(unindent, explanation_lines(game, question)))}


def kwartet_why(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return a dictionary with sentences about the possible owners of the card in `asked`."""
    from quaternity.game.cards import Card
    from quaternity.kwartet.queries import moment_of_view, read_formula
    from quaternity.kwartet.seat_log import SeatLog
    from quaternity.kwartet.view import NOBODY
    from quaternity.puzzles.kwartet_puzzles import prove_owner
    from solvers.filtering import filter_problem
    from solvers.problem import players_in

    del record
    if view.seat == NOBODY:
        raise InputError("only a player can ask this: a spectator has no hand")
    log, card = SeatLog.of_view(view), Card.parse(asked.get("card", ""))
    # Raise an InputError if the game does not have this card.
    read_formula(f"H0 {card}", moment_of_view(log.views[0].public, log.views[-1]))
    masks = filter_problem(view.problem).sets[card.set_index].owners
    owners = players_in(masks[card.number]) if masks else ()
    players = [player for player in owners if player < rules.seats]
    if not players:
        raise InputError(f"card {card}: no player has this card")
    if len(owners) > 1:
        return {"lines": [CAN_HAVE(card=card, who=players)]}
    return {"lines": prove_owner(log, card, players[0])}


def kwartet_questions(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return a dictionary with the requests that may be answered with yes, the likeliest first.

    They are in the entry `questions`, which is empty if it is not the player's turn.
    """
    from quaternity.kwartet.chances import owner_weights

    del record, asked
    if view.seat != view.public.turn:
        return {"questions": [], "exact": True}
    weights = owner_weights(view.problem)
    likely = []
    for move in rules.moves(view):
        number = move.card.number
        chance = weights.owned[move.card.set_index][number][move.asked] / weights.total
        if chance > 0:
            likely.append(
                {"asked": move.asked, "set": move.card.set_index, "cards": [number], "yes": chance}
            )
    likely.sort(key=lambda question: -question["yes"])
    return {"questions": likely, "exact": weights.exact}


def kwartet_chances(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return a dictionary with each player's chances to own each card, and the number of deals."""
    from quaternity.kwartet.chances import count_or_none, owner_weights
    from quaternity.kwartet.strategies.reader import beliefs

    del rules, record, asked
    weights, worlds = owner_weights(view.problem), count_or_none(view.problem)
    return {
        "deals": None if worlds is None else str(worlds),
        "chances": [
            [[weight / weights.total for weight in card] for card in cards]
            for cards in weights.owned
        ],
        "exact": weights.exact,
        "read": beliefs(view),
    }


def quaternity_know(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return a dictionary that says in which of the possible deals the formula in `asked` is true.

    Its entry `known` is True for all deals, False for none, and None for some of them. If `asked`
    contains `why`, the entry `lines` gives the reason.
    """
    from quaternity.game.record import parse_record
    from quaternity.insight.certainty import certainty

    del view
    game = parse_record(record).replay()
    answer = certainty(asked.get("formula", ""), game, "why" in asked, 8.0)
    lines = list(answer.lines)
    if "why" in asked and answer.value is None:
        lines = _differing_deals(answer.deals, rules.seats)
    return {"known": answer.value, "text": answer.text, "lines": lines}


def _differing_deals(deals: Sequence[Any], players: int) -> list[str]:
    from quaternity.epistemic.deal_text import hand_lines
    from quaternity.epistemic.sentences import FALSE_IF, TRUE_IF

    true, false = (hand_lines(deal, players) for deal in deals)
    return [TRUE_IF(), *true, FALSE_IF(), *false]


def kwartet_know(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return a dictionary that says what a player knows about the formula in `asked`.

    Its entry `known` is True or False if the player knows this truth value, and otherwise None. If
    `asked` contains `why`, the entry `lines` gives the reason. If it contains `over_time`, the
    entry `over_time` lists the values of `known` after the deal and after each request.
    """
    from quaternity.epistemic.evaluator import Deadline
    from quaternity.kwartet.queries import (
        answer_text,
        deal_lines,
        moment,
        read_formula,
        reason_at,
        truth_at,
    )
    from quaternity.kwartet.seat_log import SeatLog
    from quaternity.kwartet.timelines import Timeline, timelines_svg
    from quaternity.kwartet.view import NOBODY

    del record
    if view.seat == NOBODY:
        raise InputError("only a player can ask this: a spectator has no hand")
    # Use only the player's view, so that not even the computing time depends on the real deal.
    log, text, wanted = SeatLog.of_view(view), asked.get("formula", ""), "why" in asked
    deadline = Deadline(8.0)
    at = moment(log, len(log.events))
    formula = read_formula(text, at)
    truth = truth_at(formula, at, seconds=deadline.remaining(), why=wanted)
    answer: dict[str, Any] = {"known": truth.truth, "text": answer_text(text, formula, truth, at)}
    if wanted and truth.truth is None:
        answer["lines"] = _differing_deals(truth.deals, rules.seats)
    elif wanted:
        reason = reason_at(formula, truth, at, "auto", deadline.remaining(), text)
        answer["lines"] = [*reason.lines, *deal_lines(reason, at)]
    if "over_time" in asked:
        moments = [moment(log, step) for step in range(len(log.views))]
        row = [
            truth_at(read_formula(text, m), m, seconds=deadline.remaining()).truth for m in moments
        ]
        answer["over_time"] = row
        answer["svg"] = timelines_svg(
            [Timeline(text, row)], "what you could know after each request"
        )
    return answer


def quarto_analysis(rules: Any, view: Any, record: str, asked: Mapping[str, str]) -> Any:
    """Return a dictionary with the outcome of a Quarto position, and of each move from it."""
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
    """Return a dictionary with the chance that the answer to a question in Kwartet is yes.

    The key is `chance`. The dictionary is empty if computing the chance exceeds a limit.
    """
    from quaternity.kwartet.chances import chance_of

    try:
        return {"chance": float(chance_of(view, move))}
    except LimitError:
        return {}


def quaternity_reason(view: Any, move: Any) -> dict[str, Any]:
    """Return a dictionary with the reason for a question or an answer in Quaternity.

    For a question, the key `owners` lists the players who may own the card. For an answer, the key
    `reason` says why it is good.
    """
    if not hasattr(move, "card"):
        # A question to which only one answer is possible is answered at once.
        return {"reason": IS_BETTER}
    owners = view.state.filtered_problem().sets[move.card.set_index].owners[move.card.number]
    return {"owners": [seat for seat in range(view.state.players) if owners >> seat & 1]}


def quarto_reason(view: Any, move: Any) -> dict[str, str]:
    """Return a dictionary with the reason why a move in Quarto is good or bad.

    The key is `reason`. The dictionary is empty if the player only had to place the last piece.
    """
    from quaternity.quarto.board import safe_pieces

    if move.hand_over is None:
        return {"reason": WINS} if len(view.board.left) > 1 else {}
    after = view if move.cell is None else view.place(move.cell)
    is_safe = move.hand_over in safe_pieces(after.board, view.squares)
    return {"reason": IS_SAFE if is_safe else LOSES}


def set_reason(view: Any, move: Any) -> dict[str, str]:
    """Return a dictionary whose key `reason` says why a move in SET is good."""
    del view
    return {"reason": IS_SET if move.cards else HAS_NO_SET}
