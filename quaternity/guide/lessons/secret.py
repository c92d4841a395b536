"""Exercises of the lesson `secret`, about perfect play."""

from __future__ import annotations

from collections.abc import Mapping
from doctest import DocTestParser
from functools import cache
from numbers import Real
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_int
from quaternity.guide import page
from quaternity.guide.lessons.marks import Graded, not_yet, right

TWO_CARDS = ((2, -1), (-1, 1))
"""Payoffs of the first player in a game in which both players choose one of two cards. The row is
the first player's card, and the column is the other player's card."""
THEIR_MIX = {"rock": 0.5, "paper": 0.25, "scissors": 0.25}
BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}
EVEN, LOWEST = 0.1, 2 / 15
"""Exploitability (how much a best reply wins on average) of the rules `even` and `lowest` in the
game `pairs`. These rules are examples on the guide's page `secret`."""
DEFINITION_STARTS = ("from ", "class ", "def ", "pairs = ", "triples = ")
"""Beginnings of the code examples on the page `secret` that are definitions."""
TOLERANCE = 1e-6
"""Limit below which a difference between two numbers is treated as a rounding error."""


@cache
def definitions() -> dict[str, Any]:
    """Run the definitions on the page, and return the names that they define with their values."""
    names: dict[str, Any] = {}
    for example in DocTestParser().get_examples(page("secret").text):
        if example.source.startswith(DEFINITION_STARTS):
            exec(example.source, names)  # noqa: S102 - our own page
    return names


def evaluate_rule(game: str, rule: Any) -> tuple[float, bool]:
    """Return how exploitable a rule is in "pairs" or "triples", and whether it is random.

    A rule is a function from a state to the chance of each request. Its exploitability is how much
    a best reply wins on average.

    Raises:
        InputError: If the rule raises an error, does not return probabilities, or depends on
            something that its player does not see.
    """
    if not callable(rule):
        raise TypeError
    names = definitions()
    answers: dict[Any, Any] = {}

    def call_rule(state: Any) -> Mapping[Any, float]:
        try:
            chances = rule(state)
        except Exception as error:
            raise InputError(
                f"your rule raises {type(error).__name__}: {quote_value(error, str)}"
            ) from None
        key = names["seen"](state)
        where = f"with the hand {sorted(state.hands[state.turn])} after {list(state.history)}"
        allowed = names["requests"](state)
        if not (
            isinstance(chances, Mapping)
            and all(card in allowed for card in chances)
            and all(map(_is_chance, chances.values()))
            and abs(sum(chances.values()) - 1) < TOLERANCE
        ):
            raise InputError(
                f"{where}, your rule returns {quote_value(chances)} instead of probabilities "
                f"for {allowed} that add up to 1"
            )
        if answers.setdefault(key, chances) != chances:
            raise InputError(f"{where}, your rule returns different probabilities in two states")
        return chances

    loss = float(names["exploitability"](names[game], call_rule))
    return loss, any(0 < x < 1 for chances in answers.values() for x in chances.values())


def _is_chance(value: Any) -> bool:
    real = isinstance(value, Real)
    return real and 0 <= value <= 1


def _best_reply(answer: Any) -> Graded:
    """Judge one of 'rock', 'paper' and 'scissors'."""

    def worth(move: str) -> float:
        (loses_to,) = (other for other in BEATS if BEATS[other] == move)
        return THEIR_MIX[BEATS[move]] - THEIR_MIX[loses_to]

    best = max(BEATS, key=worth)
    if worth(answer) < worth(best):
        return not_yet(
            f"{answer.capitalize()} wins {worth(answer):g} a round; another choice wins more."
        )
    return right(
        f"It wins {worth(best):g} a round. No mixture of moves can win more than its best move."
    )


def _a_mixture(answer: Any) -> Graded:
    """Judge a chance between 0 and 1, such as 0.5."""
    real = isinstance(answer, Real)
    if not real:
        raise TypeError
    if not 0 <= answer <= 1:
        return not_yet("A chance lies between 0 and 1.")
    wins = [answer * TWO_CARDS[0][card] + (1 - answer) * TWO_CARDS[1][card] for card in (0, 1)]
    worst = min((0, 1), key=wins.__getitem__)
    if wins[worst] < 0.2 - 1e-3:
        return not_yet(
            f"If they always choose card {worst}, you win only {wins[worst]:g} a round on average."
        )
    return right("Whatever they choose, you win 0.2 a round. So they cannot exploit you.")


def _possible_deals(answer: Any) -> Graded:
    """Judge a whole number, such as 5."""
    number = as_int(answer, "hands", 0)
    if number == 5:
        return not_yet("That was the number before the answer. Which of these hands have card 1?")
    if number != 2:
        return not_yet("List the hands of two cards of different sets that player 1 may have.")
    return right("Player 1 has card 3 and one of cards 4 and 5. Card 3 is what player 0 needs.")


def _an_unexploitable_rule(answer: Any) -> Graded:
    """Judge a function from a state to chances of requests, such as `even`."""
    loss, _ = evaluate_rule("pairs", answer)
    if abs(loss - LOWEST) < TOLERANCE:
        return not_yet(
            f"It loses {loss:.5f}. If your opponent knows your order, your question shows which "
            "cards you do not have."
        )
    if loss > TOLERANCE:
        compared = "less" if loss < EVEN - TOLERANCE else "no less"
        return not_yet(
            f"It loses {loss:.5f}, {compared} than asking at random. When is "
            "it certain that a request wins nothing?"
        )
    return right("A secret in one line. CFR needed hundreds of numbers to say the same.")


def _without_a_coin(answer: Any) -> Graded:
    """Judge a function from a state to chances of requests, such as `even`."""
    loss, coin = evaluate_rule("triples", answer)
    if coin:
        return not_yet("Your rule chooses at random: give one request the probability 1.")
    if loss > TOLERANCE:
        return not_yet(f"It loses {loss:.5f}. Which rule of this lesson never chooses at random?")
    return right("With sets of three and such small hands, the order does not help the opponent.")


EXERCISES = {
    "secret 1": _best_reply,
    "secret 2": _a_mixture,
    "secret 3": _possible_deals,
    "secret 4": _an_unexploitable_rule,
    "secret 5": _without_a_coin,
}
