"""Exercises of the lesson `worlds`, about what players know."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import permutations
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_int_tuple
from quaternity.epistemic import Language, evaluate, parse
from quaternity.guide.lessons.marks import Graded, not_yet, right
from quaternity.kwartet import KwartetGame, KwartetSettings
from quaternity.kwartet.hands import cards_in
from solvers import DealProblem, SetConstraint, count_deals

THREE = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
"""Example deal problem: Anne (player 0), Bill (1) and Cath (2) hold one of three cards each."""
DEAL = [[0, 1, 2]]
SEVEN = (0, 1, 1, 0, 2, 1, 0)
"""Example deal of seven cards: the player who owns each card. The players are Alice (0), Bob (1)
and Carol (2)."""
GAME = KwartetGame.start(KwartetSettings(players=3, sets=3), seed=6)

Hand = tuple[int, ...]


def cards(game: KwartetGame, player: int) -> str:
    """Return the cards of a player as text.

    >>> cards(GAME, 0)
    '0/2 1/1 2/0 2/2'
    """
    return " ".join(map(str, cards_in(game.view(player).hand)))


def _numbers(answer: Any) -> Graded:
    """Judge two whole numbers, such as (7, 7)."""
    alice, carol = as_int_tuple(answer, "numbers", 0)
    deals = sorted(set(permutations(SEVEN)))
    for player, number in ((0, alice), (2, carol)):
        hand = [card for card in range(7) if SEVEN[card] == player]
        like = [
            deal for deal in deals if [card for card in range(7) if deal[card] == player] == hand
        ]
        if number == len(deals):
            return not_yet(
                f"There are {number} deals in all, but player {player} already sees one hand."
            )
        if number != len(like):
            name = "Alice" if player == 0 else "Carol"
            return not_yet(
                f"{name} sees {len(hand)} of the seven cards. How can the others be dealt?"
            )
    return right("The more cards you hold, the fewer deals are left.")


def _for_bill_alone(answer: Any) -> Graded:
    """Judge the text of a formula, such as '!H0 0/1'."""
    formula = _formula(answer)
    if not _is_true(f"K0 ({formula})"):
        return not_yet("Anne does not know that this is true, so she cannot say it.")
    if not _is_true(f"[({formula})!] K1 H0 0/0"):
        return not_yet("Bill, who has card 1, still does not know that Anne has card 0.")
    if _is_true(f"[({formula})!] K2 H0 0/0"):
        return not_yet("Cath, who has card 2, now knows it too.")
    return right("It excludes a deal that Bill considers possible, but none that Cath does.")


def _everybody_but_not_common(answer: Any) -> Graded:
    """Judge the text of a formula, such as 'H0 0/0'."""
    formula = _formula(answer)
    for player, name in enumerate(("Anne", "Bill", "Cath")):
        if not _is_true(f"K{player} ({formula})"):
            return not_yet(f"{name} does not know it.")
    if _is_true(f"C ({formula})"):
        return not_yet(
            "It is common knowledge. It should be false in some world at least two lines away."
        )
    return right("Everybody knows it, but not everybody knows that everybody does.")


def _self_refuting(answer: Any) -> Graded:
    """Judge the text of a formula, such as '!K2 H0 0/0'."""
    formula = _formula(answer)
    if not _is_true(formula):
        return not_yet("It is not true now, so nobody can say it.")
    if _is_true(f"[({formula})!] ({formula})"):
        return not_yet("It is still true after it is said. Whose knowledge could it change?")
    return right("It was true until it was said.")


def _formula(answer: Any) -> str:
    if not isinstance(answer, str):
        raise TypeError
    parse(answer, Language.of(THREE))
    return answer


def _is_true(formula: str) -> bool:
    return evaluate(formula, THREE, DEAL)


def parse_hands(answer: Any) -> list[Hand]:
    """Convert texts of digits, such as '036', to sorted hands of three cards."""
    if not isinstance(answer, Collection) or isinstance(answer, str | bytes | Mapping):
        raise TypeError
    for text in answer:
        if not isinstance(text, str) or len(text) != 3 or len({*text} & {*"0123456"}) != 3:
            raise InputError(
                f"{quote_value(text)} must be a string of three different digits from 0 to 6"
            )
    return sorted({tuple(sorted(map(int, text))) for text in answer})


def list_faults(hands: list[Hand], deal: Hand) -> Iterator[str]:
    """Yield a sentence for each reason why Alice must not announce that she has one of the hands.

    Bob must learn the deal from the announcement. Carol must not learn the owner of another card.
    """
    bob, carol = ([card for card in range(7) if deal[card] == player] for player in (1, 2))
    for_bob = [hand for hand in hands if not {*hand} & {*bob}]
    if len(for_bob) > 1:
        yield f"Bob, with {_digits(bob)}, cannot tell {' from '.join(map(_digits, for_bob))}"
    for_carol = [hand for hand in hands if carol[0] not in hand]
    for card in {*range(7)} - {*carol}:
        if all(card in hand for hand in for_carol):
            yield f"Carol, with {carol[0]}, knows that Alice has {card}"
        if not any(card in hand for hand in for_carol):
            yield f"Carol, with {carol[0]}, knows that Bob has {card}"


def _a_safe_list(answer: Any) -> Graded:
    """Judge a list of hands of three cards, such as ['036', '124']."""
    hands = parse_hands(answer)
    if (0, 3, 6) not in hands:
        return not_yet("Alice's own hand, 036, must be one of them: she tells the truth.")
    for now in list_faults(hands, SEVEN):
        return not_yet(f"{now}.")
    for alice in hands:
        for carol in {*range(7)} - {*alice}:
            deal = tuple(0 if c in alice else 2 if c == carol else 1 for c in range(7))
            for then in list_faults(hands, deal):
                start = f"Here it works, but it would not if Alice had {_digits(alice)}"
                return not_yet(f"{start}: {then}. So it is not common knowledge that it does.")
    return right(f"Bob knows the deal, Carol knows no card, with any of these {len(hands)} hands.")


def _digits(hand: Any) -> str:
    return "".join(map(str, hand))


def _a_quiet_request(answer: Any) -> Graded:
    """Judge a request as text, such as '0 asks 2 for 0/3'."""
    news = {str(move): _deal_counts(GAME.play(move)) for move in GAME.legal_moves}
    own, *others = _deal_counts(GAME.play(answer))
    now = _deal_counts(GAME)[0]
    if own == now:
        return not_yet(f"Player 0 learns nothing from it: {now} deals before and after.")
    largest = max(sum(left[1:]) for left in news.values() if left[0] < now)
    if sum(others) < largest:
        rest = f"{others[0]} deals to player 1 and {others[1]} to player 2"
        return not_yet(
            f"This leaves {rest}, {sum(others)} in all. Another request leaves {largest}."
        )
    return right(f"Player 0 goes from {now} deals to {own}, the others only to {others}.")


def _deal_counts(game: KwartetGame) -> list[int]:
    return [count_deals(game.view(seat).problem) for seat in range(3)]


EXERCISES = {
    "worlds 1": _numbers,
    "worlds 2": _for_bill_alone,
    "worlds 3": _everybody_but_not_common,
    "worlds 4": _self_refuting,
    "worlds 5": _a_safe_list,
    "worlds 6": _a_quiet_request,
}
