"""The exercises of the lesson on a solved secret."""

from __future__ import annotations

from typing import Any

from quaternity.guide.lessons.marks import Marked, not_yet, right

TWO_CARDS = ((2, -1), (-1, 1))
"""What the first player wins: row and column are the cards that the two choose."""
THEIR_MIX = {"rock": 0.5, "paper": 0.25, "scissors": 0.25}
BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}
EVEN, LOWEST = 0.1, 2 / 15
"""What two rules of thumb lose in the game of pairs."""


def _best_reply(answer: Any) -> Marked:
    """Judge one of 'rock', 'paper' and 'scissors'."""

    def worth(move: str) -> float:
        (loses_to,) = (other for other in BEATS if BEATS[other] == move)
        return THEIR_MIX[BEATS[move]] - THEIR_MIX[loses_to]

    best = max(BEATS, key=worth)
    if worth(answer) < worth(best):
        return not_yet(f"{answer.capitalize()} wins {worth(answer):g} a round; another wins more.")
    return right(
        f"It wins {worth(best):g} a round, and no mixture can do better than its best part."
    )


def _a_mixture(answer: Any) -> Marked:
    """Judge a chance between 0 and 1, such as 0.5."""
    if not 0 <= answer <= 1:
        return not_yet("A chance lies between 0 and 1.")
    wins = [answer * TWO_CARDS[0][card] + (1 - answer) * TWO_CARDS[1][card] for card in (0, 1)]
    worst = min((0, 1), key=wins.__getitem__)
    if wins[worst] < 0.2 - 1e-3:
        return not_yet(
            f"If they always choose card {worst}, you win only {wins[worst]:g} a round on average."
        )
    return right("Whatever they choose, you win 0.2 a round. So they cannot exploit you.")


def _possible_deals(answer: Any) -> Marked:
    """Judge a whole number, such as 5."""
    if answer == 5:
        return not_yet("So many before the answer. Which of these hands have card 1?")
    if answer != 2:
        return not_yet("List the hands of two cards of different sets that player 1 may have.")
    return right("Player 1 has card 3 and one of cards 4 and 5. Card 3 is what player 0 needs.")


def _an_unexploitable_rule(answer: Any) -> Marked:
    """Judge an exploitability, a number such as 0.1."""
    if answer < -1e-6:
        return not_yet("A best reply never loses: exploitability is not below 0.")
    if abs(answer - LOWEST) < 1e-6:
        return not_yet("Who knows your order sees from what you ask what you do not have.")
    if answer > 1e-6:
        compared = "less" if answer < EVEN else "no less"
        return not_yet(
            f"Your rule loses {answer:.4f}, {compared} than asking anything. Where does "
            "a request win nothing for certain?"
        )
    return right("A secret in one line. CFR needed hundreds of numbers to say the same.")


def _without_a_coin(answer: Any) -> Marked:
    """Judge an exploitability, a number such as 0.1."""
    if abs(answer) > 1e-6:
        return not_yet("Did you take `triples` for the rules, and a rule that reads them too?")
    return right("With sets of three, these two hands are so small that no order gives much away.")


EXERCISES = {
    "secret 1": _best_reply,
    "secret 2": _a_mixture,
    "secret 3": _possible_deals,
    "secret 4": _an_unexploitable_rule,
    "secret 5": _without_a_coin,
}
