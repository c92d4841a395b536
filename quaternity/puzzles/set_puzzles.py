"""SET puzzles that ask for all SETs among some cards, or whether there is a SET."""

from __future__ import annotations

from itertools import combinations
from random import Random

from quaternity.base.sentences import Message, MessageTemplate
from quaternity.puzzles.puzzle import Puzzle, Step, level_by
from quaternity.ternary.cards import SetCard
from quaternity.ternary.decks import shuffled_deck
from quaternity.ternary.tables import Rule
from quaternity.ternary.triples import Triple, triples

LETTERS = "ABCDEFGHIJKLMNO"
CARDS_AT = {1: (8, 9), 2: (9, 12), 3: (9, 12), 4: (12,), 5: (12, 13, 15)}
"""Possible numbers of cards on the table in a puzzle, by the level of the puzzle."""

FIND_ALL = MessageTemplate(
    "find_all", "Find all SETs among these {count} cards: there is at least one."
)
IS_THERE = MessageTemplate("is_there", "Is there a SET among these {count} cards?")
HOW_MANY = MessageTemplate("how_many", "Number of SETs: {count}.")
FIRST_CARD = MessageTemplate("first_card", "Card {letter} is in at least one SET.")
IS_A_SET = MessageTemplate("is_a_set", "{three} is a SET: {number}; {colour}; {shading}; {shape}.")
IS_NO_SET = MessageTemplate(
    "is_no_set", "{three} is not a SET: exactly two cards have the {property} {word}."
)
BY_NUMBER = MessageTemplate(
    "by_number",
    "Sort the cards by number: a SET has the same number on all cards, or three different numbers.",
)
THERE_IS_NONE = MessageTemplate(
    "there_is_none", "There is no SET: for every two cards, the third card of their SET is missing."
)
SAME, DIFFERENT = (
    MessageTemplate("same", "the same {property} ({word})"),
    MessageTemplate("different", "{words:listed}"),
)
PROPERTIES = tuple(
    [MessageTemplate(name, name)() for name in ("shape", "colour", "shading", "number")]
)
"""Messages that name the properties of a SET card, in the order of `SetCard.words`."""


class Sets:
    """A kind of puzzle that asks for all SETs among some cards, or whether there is a SET."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle about random cards, or None. `PuzzleKind` explains the arguments."""
        cards = tuple(sorted(shuffled_deck(random)[: random.choice(CARDS_AT[level])]))
        cards = tuple(random.sample(cards, len(cards)))
        threes = triples(cards, Rule.SET)
        if level >= 3 and wish < 0.4:
            return self._is_there(cards, threes, wish < 0.2)
        return self.of_cards(cards)

    def of_cards(self, cards: tuple[int, ...]) -> Puzzle | None:
        """Return a puzzle that asks for all SETs. Return None if there is no SET."""
        threes = triples(cards, Rule.SET)
        return self._all(cards, threes) if threes else None

    def _all(self, cards: tuple[int, ...], threes: tuple[Triple, ...]) -> Puzzle:
        names = sorted(_name(cards, three) for three in threes)
        differing = sum(map(_count_differing, threes))
        steps = [Step(_how_many(len(names))), Step(FIRST_CARD(letter=names[0][0]), (names[0][0],))]
        steps += [Step(_proof(cards, name), tuple(name)) for name in names]
        return Puzzle(
            "sets", "set", " ".join(map(str, cards)), FIND_ALL(count=len(cards)), "cards",
            answers=(" ".join(names),), wrong=_wrong(cards), why=tuple(steps),
            level=level_by(differing + (len(cards) - 9) / 3, (2, 4, 7, 11)),
            level_from={"SETs": len(names), "differing": differing, "cards": len(cards)},
        )  # fmt: skip

    def _is_there(
        self, cards: tuple[int, ...], threes: tuple[Triple, ...], wanted: bool
    ) -> Puzzle | None:
        if bool(threes) != wanted or len(threes) > 1:
            return None
        differing = sum(map(_count_differing, threes)) or 4
        steps = [Step(BY_NUMBER())]
        if threes:
            name = _name(cards, threes[0])
            steps += [Step(FIRST_CARD(letter=name[0]), (name[0],))]
            steps.append(Step(_proof(cards, name), tuple(name)))
        else:
            steps.append(Step(THERE_IS_NONE()))
        answer, other = ("yes", "no") if threes else ("no", "yes")
        return Puzzle(
            "sets", "set", " ".join(map(str, cards)), IS_THERE(count=len(cards)), "yes-no",
            answers=(answer,), wrong={other: steps[-1].text}, why=tuple(steps),
            level=level_by(differing + (len(cards) - 9) / 3, (1, 2, 4, 5)),
            level_from={"SETs": len(threes), "differing": differing, "cards": len(cards)},
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Return the right answers, found again by trying all triples, to check a puzzle.

        In a SET, the digits of every property add up to a multiple of 3.
        """
        cards = tuple(map(int, puzzle.position.split()))
        good = []
        for places in combinations(range(len(cards)), 3):
            digits = zip(*(SetCard(cards[place]).digits for place in places), strict=True)
            if all(sum(three) % 3 == 0 for three in digits):
                good.append("".join(LETTERS[place] for place in places))
        if puzzle.answer_form == "yes-no":
            return {"yes" if good else "no"}
        return {" ".join(sorted(good))}


def _how_many(count: int) -> Message:
    return HOW_MANY(count=count)


def _name(cards: tuple[int, ...], three: Triple) -> str:
    return "".join(sorted(LETTERS[cards.index(card)] for card in three))


def _words(cards: tuple[int, ...], name: str) -> list[tuple[str, ...]]:
    of_cards = (SetCard(cards[LETTERS.index(letter)]).words for letter in name)
    return list(zip(*of_cards, strict=True))


def _count_differing(three: Triple) -> int:
    digits = zip(*(SetCard(card).digits for card in three), strict=True)
    return sum(len(set(values)) > 1 for values in digits)


def _proof(cards: tuple[int, ...], name: str) -> Message:
    parts = {
        str(label): SAME(property=label, word=words[0]) if len(set(words)) == 1
        else DIFFERENT(words=words)
        for label, words in zip(PROPERTIES, _words(cards, name), strict=True)
    }  # fmt: skip
    return IS_A_SET(three=name, **parts)


def _wrong(cards: tuple[int, ...]) -> dict[str, str]:
    wrong: dict[str, str] = {}
    for letters in combinations(LETTERS[: len(cards)], 3):
        name = "".join(letters)
        for label, words in zip(PROPERTIES, _words(cards, name), strict=True):
            if len(set(words)) == 2:
                twice = max(words, key=words.count)
                wrong[name] = IS_NO_SET(three=name, property=label, word=twice)
                break
    return wrong
