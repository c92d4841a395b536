"""Games of SET, played step by step by Hypothesis beside a plain table and deck."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from quaternity.ternary import SetGame, SetMove
from quaternity.ternary.rules import SetPosition
from quaternity.ternary.sentences import DescribedCards
from quaternity.ternary.tables import Rule
from tests.sizes import examples
from tests.table.machine import TableMachine
from tests.ternary.tables import belongs


@dataclass(frozen=True)
class SetModel:
    """The table, the deck in order, and what each seat took and claimed wrongly."""

    rule: Rule
    size: int
    record: str
    table: tuple[int, ...]
    deck: tuple[int, ...]
    taken: tuple[tuple[tuple[int, ...], ...], ...]
    wrong: tuple[int, ...]
    agreed: frozenset[int] = frozenset()
    events: tuple[str, ...] = ()
    seats = property(lambda self: len(self.wrong))

    @classmethod
    def starts(
        cls, seats: int, rule: Rule, size: int, deck: list[int], more: int, turns: int
    ) -> list[SetModel]:
        """Return the positions of a game in which all agree at first, and then claim threes."""
        head = f"set 1\nseats {seats}\nrule {rule}\ntable {size}\ndeck {' '.join(map(str, deck))}\n"
        table, undealt = tuple(deck[:size]), tuple(deck[size:])
        models = [cls(rule, size, head, table, undealt, ((),) * seats, (0,) * seats)]
        first = min(more, 7 - size // 3) * seats
        for turn in range(first + turns):
            model, seat = models[-1], turn % seats
            agree = model.may_agree(seat) and (turn < first or not model.threes)
            if agree or model.threes:
                move = "more" if agree else claim(model.threes[turn % len(model.threes)])
                models.append(model.after(seat, move))
        return models

    @property
    def threes(self) -> list[tuple[int, ...]]:
        return threes_on(frozenset(self.table), self.rule)

    @property
    def acting(self) -> tuple[int, ...]:
        return tuple(range(self.seats if self.deck or self.threes else 0))

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(len(t) - wrong for t, wrong in zip(self.taken, self.wrong, strict=True))

    def may_agree(self, seat: int) -> bool:
        certain = self.rule is Rule.SET and len(self.table) >= 21
        return seat not in self.agreed and bool(self.deck) and not certain

    def moves(self, seat: int) -> list[str]:
        claims = [claim(three) for three in combinations(sorted(self.table), 3)]
        return claims + ["more"] * self.may_agree(seat)

    def likely_move(self, seat: int) -> st.SearchStrategy[str]:
        wrong = st.permutations(self.table).map(lambda cards: claim(sorted(cards[:3])))
        if sets := threes_on(frozenset(self.table), Rule.SET):
            wrong |= st.sampled_from([*map(claim, sets)])
        more = st.just("more") if self.may_agree(seat) else wrong
        right = st.sampled_from([*map(claim, self.threes)]) if self.threes else more
        return st.one_of(*[right] * 6, more, wrong)

    def any_move(self) -> st.SearchStrategy[str]:
        card = st.integers(-1, 81) | st.sampled_from((0, *self.table))
        return st.lists(card, min_size=1, max_size=4).map(claim) | st.just("more")

    def after(self, seat: int, move: str) -> SetModel:
        name = "SET" if self.rule is Rule.SET else "triple"
        cards = tuple(map(int, move.split()[1:]))
        agreed, table, new = self.agreed, self.table, self.deck[:3]
        taken, wrong = list(self.taken), list(self.wrong)
        events = [f"player {seat} claims a {name}: {DescribedCards(cards)}"]
        if not cards:
            events = [f"player {seat} agrees to three more cards"]
            agreed |= {seat}
            new = new if len(agreed) == self.seats else ()
            table += new
            if new and self.threes:
                events.append(f"but there was a {name}: {DescribedCards(self.threes[0])}")
        elif cards in self.threes:
            taken[seat] += (cards,)
            new = new if len(table) <= self.size else ()
            filled = dict(zip([card for card in table if card in cards], new, strict=False))
            rest = (filled.get(card, card) for card in table if card in filled or card not in cards)
            table, agreed = tuple(rest), frozenset()
        else:
            wrong[seat] += 1
            events, new = [f"player {seat} makes a wrong claim: {DescribedCards(cards)}"], ()
        events += [f"dealt: {DescribedCards(new)}"] * bool(new)
        return SetModel(
            self.rule, self.size, f"{self.record}{seat} {move}\n", table, self.deck[len(new) :],
            tuple(taken), tuple(wrong), frozenset() if new else agreed, tuple(events),
        )  # fmt: skip

    def document(self, seat: int | None) -> dict[str, Any]:
        taken = [[list(three) for three in threes] for threes in self.taken]
        return {
            "table": list(self.table), "undealt": len(self.deck), "taken": taken,
            "wrong": list(self.wrong), "agreed": sorted(self.agreed), "rule": str(self.rule),
            "over": not self.acting,
        }  # fmt: skip

    def may_be(self, position: SetPosition, seat: int | None) -> bool:
        return sorted(position.deck) == sorted(self.deck) and position.seen.places == self.table


def claim(cards: tuple[int, ...] | list[int]) -> str:
    return f"claim {' '.join(map(str, cards))}"


@cache
def threes_on(table: frozenset[int], rule: Rule) -> list[tuple[int, ...]]:
    """Return the threes on a table, found by comparing every three cards."""
    return [three for three in combinations(sorted(table), 3) if belongs(three, rule)]


class SetMachine(TableMachine):
    """The rules of SET and a plain table play the same game."""

    kind = SetGame
    max_opening = 0
    starts = st.builds(
        SetModel.starts, st.integers(1, 3), st.sampled_from(Rule), st.sampled_from((9, 12)),
        st.permutations(range(81)), st.sampled_from((0, 1, 4)),
        st.sampled_from((0, 0, 25, 40, 60, 99)),
    )  # fmt: skip

    @staticmethod
    def move_of(text: str) -> SetMove:
        return SetMove(tuple(map(int, text.split()[1:])))


SetMachine.TestCase.settings = settings(max_examples=examples(500), stateful_step_count=20)
TestGames = SetMachine.TestCase
