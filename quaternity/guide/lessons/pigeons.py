"""Exercises of the lesson `pigeons`, about the pigeonhole principle, flows and proofs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any, NamedTuple

from quaternity.base.text_format import name_numbers, with_noun
from quaternity.base.validation import as_int_tuple, as_tuple, check_index
from quaternity.guide.lessons.marks import Graded, not_yet, right
from solvers import DealProblem, Feasible, SetConstraint, deal_faults, solve
from solvers.problem import with_entry


class Cards(NamedTuple):
    """A problem as two lists: the size of each hand, and the possible owners of each card."""

    hands: list[int]
    may: list[list[int]]


FIRST = Cards([2, 2, 3], [[0, 1], [0, 2], [0, 2], [1], [0, 1, 2], [1, 2], [2]])
SECOND = Cards([2, 1, 1, 2], [[0, 3], [1, 2], [0, 3], [1, 2], [0, 1, 2], [2, 1]])
THIRD = Cards([1, 1, 2], [[0, 1], [1, 2], [0, 2], [0]])
"""Example in which cards 0, 1 and 2 belong to players 0, 1 and 2. Card 3 has no owner yet."""
FOURTH = DealProblem(
    [3, 3, 2],
    [SetConstraint.of([[0, 1, 2]] * 4, players=3), SetConstraint.of([[0, 1]] * 4, players=3)],
)
FIFTH = Cards([1, 1, 2, 1], [[0, 1], [0, 1], [1, 2], [2, 3], [0, 2, 3]])


def deal_problem(cards: Cards) -> DealProblem:
    """Convert a problem given as lists to a `DealProblem` whose cards belong to a single set."""
    hands, may = cards
    return DealProblem(hands, [SetConstraint.of(may, players=len(hands))])


def places_and_cards(cards: Cards, group: set[int]) -> tuple[int, int]:
    """Return how many cards a group of players holds, and how many cards only the group may own."""
    places = sum(cards.hands[player] for player in group)
    return places, sum(set(players) <= group for players in cards.may)


def _a_deal(answer: Any) -> Graded:
    """Judge a list with an owner for each card, such as [0, 0, 2, 1, 1, 2, 2]."""
    faults = deal_faults(deal_problem(FIRST), [list(as_int_tuple(answer, "owners", 0))])
    if faults:
        return not_yet(f"{faults[0].capitalize().replace('0/', '')}.")
    return right("Anyone can check the deal by counting, whatever way you found it.")


def _a_group(answer: Any) -> Graded:
    """Judge a set of players, such as {0, 1}."""
    if not isinstance(answer, Collection) or isinstance(answer, str | bytes | Mapping):
        raise TypeError
    group = {check_index(player, len(SECOND.hands), "player") for player in answer}
    if not group:
        return not_yet("A group has at least one player.")
    places, cards = places_and_cards(SECOND, group)
    if cards <= places:
        players = name_numbers("player", sorted(group)).capitalize()
        have, them = ("has", players.lower()) if len(group) == 1 else ("have", "them")
        count = (
            f"{with_noun(places, 'place')}, and only {with_noun(cards, 'card')} must go to {them}"
        )
        return not_yet(f"{players} {have} {count}: enough.")
    return right(f"{cards} cards and {places} places: no deal, and no search is needed to see it.")


def _two_together(answer: Any) -> Graded:
    """Judge a pair of lists as in `pigeons.SECOND`, with three players: (hands, may)."""
    hands, may = as_tuple(answer, "answer")
    cards = Cards(
        list(as_int_tuple(hands, "hands", 0)),
        [list(as_int_tuple(players, f"may[{card}]", 0)) for card, players in enumerate(may)],
    )
    if len(cards.hands) != 3 or sum(cards.hands) != len(cards.may):
        return not_yet("Take three players, and as many cards as their hands hold together.")
    if not all(cards.may):
        return not_yet("Some card has no owner at all; give every card at least one.")
    verdict = solve(deal_problem(cards))
    if isinstance(verdict, Feasible):
        return not_yet(f"It can be dealt: {list(verdict.deal.owner[0])}.")
    for player in range(3):
        places, needed = places_and_cards(cards, {player})
        if needed > places:
            return not_yet(
                f"Player {player} alone has too many cards already: {needed} for {places}."
            )
    pair = next(p for p in combinations(range(3), 2) if _is_crowded(cards, {*p}))
    (other,) = {0, 1, 2} - {*pair}
    return right(
        f"Players {pair[0]} and {pair[1]} together have too few places, so player "
        f"{other} gets too few cards."
    )


def _is_crowded(cards: Cards, group: set[int]) -> bool:
    places, theirs = places_and_cards(cards, group)
    return theirs > places


def _a_path(answer: Any) -> Graded:
    """Judge a list that begins with a card, then player, card, player, and so on: [3, 0]."""
    owners, steps = dict(enumerate((0, 1, 2))), as_int_tuple(answer, "path", 0)
    if len(steps) % 2 or not steps or steps[0] != 3:
        return not_yet("A path begins with card 3, which has no owner, and ends with a player.")
    for card, player in zip(steps[::2], steps[1::2], strict=True):
        if card >= len(THIRD.may):
            return not_yet(f"There is no card {card}.")
        if player not in THIRD.may[card]:
            return not_yet(f"Card {card} may not go to player {player}.")
    for player, card in zip(steps[1::2], steps[2::2], strict=False):
        if owners.get(card) != player:
            return not_yet(f"Player {player} does not have card {card}, so cannot pass it on.")
    owners |= dict(zip(steps[::2], steps[1::2], strict=True))
    for player, count in sorted(Counter(owners.values()).items()):
        if count > THIRD.hands[player]:
            return not_yet(f"Now player {player} has {with_noun(count, 'card')}: pass one on.")
    return right("Every card on the path moved on by one, and the last player had room.")


def _a_minimum(answer: Any) -> Graded:
    """Judge three numbers, (set, player, least), such as (1, 0, 2)."""
    index, player, least = as_int_tuple(answer, "numbers", 0)
    check_index(index, len(FOURTH.sets), "set")
    check_index(player, len(FOURTH.hands), "player")
    constraint = FOURTH.sets[index]
    if least > FOURTH.hands[player]:
        return not_yet(
            f"Player {player} holds {FOURTH.hands[player]} cards: too obvious. Choose fewer."
        )
    theirs = sum(owners >> player & 1 for owners in constraint.owners)
    if least > theirs:
        return not_yet(
            f"Player {player} may own only {with_noun(theirs, 'card')} of set {index}: too obvious."
        )
    low = with_entry(constraint.low, player, least)
    verdict = solve(FOURTH.with_set(index, SetConstraint(constraint.owners, low, constraint.high)))
    if isinstance(verdict, Feasible):
        return not_yet(f"It can still be dealt: {verdict.deal.in_words(separator='; ')}.")
    return right("The player has room for these cards, but then the others cannot be dealt.")


def _certain_owners(answer: Any) -> Graded:
    """Judge a dictionary from cards to their only possible owners, such as {0: 1, 4: 2}."""
    if not isinstance(answer, Mapping):
        raise TypeError
    if not answer:
        return not_yet("The owner of some card is certain. Which cards can the other players get?")
    for card, player in sorted(answer.items()):
        check_index(card, len(FIFTH.may), "card")
        check_index(player, len(FIFTH.hands), "player")
        for other in FIFTH.may[card]:
            verdict = _with_owner(card, other)
            if isinstance(verdict, Feasible) and other != player:
                return not_yet(
                    f"Card {card} may be player {other}'s: {list(verdict.deal.owner[0])}."
                )
    missing = [card for card in range(len(FIFTH.may)) if card not in answer and _only_one(card)]
    if missing:
        return not_yet(
            f"That is certain, but incomplete: find {with_noun(len(missing), 'card')} more."
        )
    return right("Every other card has at least two possible owners.")


def _with_owner(card: int, player: int) -> object:
    return solve(deal_problem(Cards(FIFTH.hands, list(with_entry(FIFTH.may, card, [player])))))


def _only_one(card: int) -> bool:
    return sum(isinstance(_with_owner(card, other), Feasible) for other in FIFTH.may[card]) == 1


EXERCISES = {
    "pigeons 1": _a_deal,
    "pigeons 2": _a_group,
    "pigeons 3": _two_together,
    "pigeons 4": _a_path,
    "pigeons 5": _a_minimum,
    "pigeons 6": _certain_owners,
}
