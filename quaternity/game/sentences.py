"""Message templates about questions, answers and sets, for Quaternity and Kwartet."""

from __future__ import annotations

from quaternity.base.sentences import Kind, Sentence
from quaternity.game.question import Answer, Question

ASKS = Kind("asks", "{asker:seat} asks {asked:seat} for {card:card}")
ANSWERED = Kind("asks", f"{ASKS.template}: {{answer}}")
FORCED = Kind("asks", f"{ANSWERED.template} (it had to be)")
COMPLETES = Kind("completes", "{who:player} completes {set:set}")
PUTS_DOWN = Kind("puts_down", "{who:seat} puts down {set:number}")

IS_OVER = Kind("is_over", "the game is over")
WAITS = Kind("waits", "'{question}' waits for yes or no")
NOTHING_TO_ANSWER = Kind("nothing_to_answer", "there is no question to answer with {answer}")
NO_TURN = Kind("no_turn", "the state does not say whose turn it is")
NOT_ON_TURN = Kind("not_on_turn", "it is the turn of {turn:player}, not of {who:player}")
NO_PLAYER = Kind("no_player", "player {number} is out of range 0..{last}")
ASKS_ITSELF = Kind("asks_itself", "a player cannot ask itself")
NO_CARDS = Kind("no_cards", "{who:player} has no cards")
NO_SET = Kind("no_set", "set {number} is out of range 0..{last}")
NO_CARD = Kind("no_card", "card {number} of a set is out of range 0..{last}")
IS_COMPLETED = Kind("is_completed", "{set:set} has been completed by {who:player}")
NO_STATE = Kind("no_state", "the state itself is impossible: {proof}")
IS_REMOVED = Kind("is_removed", "{set:set} is removed: {who:player} put it down")
ASKS_THEMSELVES = Kind("asks_itself", "a player cannot ask themselves")
ASKS_FOR_ANOTHER = Kind(
    "asks_for_another", "{who:player} asks for themselves, not for {other:player}"
)
HOLDS_NONE = Kind("holds_none", "{who:player} holds no card of {set:set}")
HOLDS_IT = Kind("holds_it", "{who:player} holds {card:card} themselves")
OWNS = Kind("owns", "{who:player} owns {card:card}")
SAYS = Kind(
    "says",
    "by asking, {who:player} states that they do not own {card:card} but another card of "
    "{set:set}, and then {proof}",
)
IS_WITHOUT = Kind("is_without", "{who:player} is known not to have {card:card}")
MUST_HAVE = Kind("must_have", "{who:player} must have {card:card}: otherwise {proof}")
CANNOT_HAVE = Kind("cannot_have", "{who:player} cannot have {card:card}: otherwise {proof}")
HOPELESS = Kind("hopeless", "{reason}; a brisk game does not allow hopeless questions")


def question_sentence(
    question: Question, answer: Answer | None = None, forced: bool = False
) -> Sentence:
    """Return the message about a question; `answer` is None while the question is pending."""
    asker, asked, card = question
    kind = ASKS if answer is None else FORCED if forced else ANSWERED
    return kind(asker=asker, asked=asked, card=card, answer=answer, forced=forced)
