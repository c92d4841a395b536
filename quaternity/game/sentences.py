"""Message templates about questions, answers and sets, for Quaternity and Kwartet."""

from __future__ import annotations

from quaternity.base.sentences import Message, MessageTemplate
from quaternity.game.question import Answer, Question

ASKS = MessageTemplate("asks", "{asker:seat} asks {asked:seat} for {card:card}")
ANSWERED = MessageTemplate("asks", f"{ASKS.template}: {{answer}}")
FORCED = MessageTemplate("asks", f"{ANSWERED.template} (the only possible answer)")
COMPLETES = MessageTemplate("completes", "{who:player} completes {set:set}")
PUTS_DOWN = MessageTemplate("puts_down", "{who:seat} puts down {set:number}")

IS_OVER = MessageTemplate("is_over", "the game is over")
WAITS = MessageTemplate("waits", "'{question}' must be answered first: yes or no")
NOTHING_TO_ANSWER = MessageTemplate(
    "nothing_to_answer", "there is no question to answer with '{answer}'"
)
NO_TURN = MessageTemplate("no_turn", "the state does not say whose turn it is")
WRONG_TURN = MessageTemplate("not_on_turn", "it is the turn of {turn:player}, not of {who:player}")
NO_PLAYER = MessageTemplate("no_player", "player {number} is out of range 0..{last}")
ASKS_ITSELF = MessageTemplate("asks_itself", "players cannot ask themselves")
NO_CARDS = MessageTemplate("no_cards", "{who:player} has no cards")
NO_SET = MessageTemplate("no_set", "set {number} is out of range 0..{last}")
NO_CARD = MessageTemplate("no_card", "card {number} of a set is out of range 0..{last}")
IS_COMPLETED = MessageTemplate("is_completed", "{set:set} has been completed by {who:player}")
NO_STATE = MessageTemplate("no_state", "the state itself is impossible: {proof}")
IS_REMOVED = MessageTemplate("is_removed", "{set:set} is removed: {who:player} put it down")
ASKS_FOR_ANOTHER = MessageTemplate(
    "asks_for_another", "{who:player} cannot ask on behalf of {other:player}"
)
HOLDS_NONE = MessageTemplate("holds_none", "{who:player} holds no card of {set:set}")
HOLDS_IT = MessageTemplate("holds_it", "{who:player} already holds {card:card}")
OWNS = MessageTemplate("owns", "{who:player} owns {card:card}")
SAYS = MessageTemplate(
    "says",
    "by asking, {who:player} states that they own another card of {set:set} but not {card:card}; "
    "in that case, {proof}",
)
IS_WITHOUT = MessageTemplate("is_without", "{who:player} is known not to have {card:card}")
MUST_HAVE = MessageTemplate("must_have", "{who:player} must have {card:card}: otherwise {proof}")
CANNOT_HAVE = MessageTemplate(
    "cannot_have", "{who:player} cannot have {card:card}: otherwise {proof}"
)
HOPELESS = MessageTemplate(
    "hopeless", "{reason}; a brisk game forbids questions that can only be answered by no"
)


def question_sentence(
    question: Question, answer: Answer | None = None, forced: bool = False
) -> Message:
    """Return a message about a question and, if it is given, its answer.

    If `forced` is true, the message says that only this answer was possible.
    """
    asker, asked, card = question
    kind = ASKS if answer is None else FORCED if forced else ANSWERED
    return kind(asker=asker, asked=asked, card=card, answer=answer, forced=forced)
