"""Sentences about questions, answers and sets, in Quaternity and in Kwartet."""

from __future__ import annotations

from quaternity.base.sentences import Kind, Sentence
from quaternity.game.question import Answer, Question

ASKS = Kind("asks", "{asker:seat} asks {asked:seat} for {card:card}")
ANSWERED = Kind("asks", f"{ASKS.template}: {{answer}}")
FORCED = Kind("asks", f"{ANSWERED.template} (it had to be)")
COMPLETES = Kind("completes", "{who:player} completes {set:set}")
PUTS_DOWN = Kind("puts_down", "{who:seat} puts down {set:number}")


def question_sentence(
    question: Question, answer: Answer | None = None, forced: bool = False
) -> Sentence:
    """Return a question as an event; its answer is None while the question waits for it."""
    asker, asked, card = question
    kind = ASKS if answer is None else FORCED if forced else ANSWERED
    return kind(asker=asker, asked=asked, card=card, answer=answer, forced=forced)
