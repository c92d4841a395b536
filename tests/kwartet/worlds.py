"""A model of Kwartet that knows the real deal, and all deals that fit what was said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from hypothesis import strategies as st

from quaternity.kwartet.rules import KwartetPosition
from quaternity.kwartet.settings import KwartetSettings
from solvers import DealProblem
from solvers.brute_force import deals
from tests.kwartet.replay import Cards, Deal, Rules, Seen, after, all_deals, at_deal, full_sets


def by_solver(problem: DealProblem) -> set[Deal]:
    """Return the deals of a problem as plain hands."""
    return {
        tuple(frozenset(deal.hand(player)) for player in range(problem.players))
        for deal in deals(problem)
    }


def words(cards: Iterable[tuple[int, int]]) -> list[str]:
    return [f"{index}/{number}" for index, number in sorted(cards)]


@dataclass(frozen=True)
class KwartetModel:
    """A game at one moment. The cards aside are the last hand of a deal."""

    settings: KwartetSettings
    record: str
    deal: Deal
    worlds: frozenset[Deal]
    removed: tuple[int | None, ...]
    turn: int
    asked: tuple[str, ...] = ()

    @classmethod
    def start(cls, given: KwartetSettings, order: list[int], extra: int) -> KwartetModel:
        """Return the model after the deal of the cards in a given order."""
        cards = iter([divmod(card, given.set_size) for card in order])
        sizes = given.hand_sizes(extra)
        dealt = tuple(frozenset(next(cards) for _ in range(size)) for size in sizes)
        head = f"kwartet 1\nplayers {given.players}\nsets {given.sets}\nannounce {given.announce}\n"
        head += f"own-card-requests {'yes' if given.own_card_requests else 'no'}\n"
        head += f"set-size {given.set_size}\n" * (given.set_size != 4)
        head += f"aside {given.aside}\n" * (given.aside > 0)
        head += f"max-moves {given.max_moves}\n" * (given.max_moves is not None)
        for place, hand in enumerate(dealt):
            name = f"hand {place}" if place < given.players else "aside"
            head += f"{name}: {' '.join(words(hand))}\n"
        rules = rules_of(given)
        deal, down = at_deal(dealt, rules)
        head += "".join(f"{player} puts down {index}\n" for index, player in down)
        starts = [at_deal(world, rules) for world in all_deals(frozenset().union(*dealt), sizes)]
        worlds = frozenset(world for world, gone in starts if gone == down)
        removed = tuple(dict(down).get(index) for index in range(given.sets))
        turn = next((player for player, hand in enumerate(deal[: given.players]) if hand), 0)
        return cls(given, head, deal, worlds, removed, turn)

    @property
    def seats(self) -> int:
        return self.settings.players

    @property
    def events(self) -> tuple[str, ...]:
        return tuple(self.asked[-1].splitlines()) if self.asked else ()

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(self.removed.count(player) for player in range(self.seats))

    @property
    def left(self) -> int | None:
        limit = self.settings.max_moves
        return None if limit is None else limit - len(self.asked)

    @property
    def acting(self) -> tuple[int, ...]:
        holders = sum(map(bool, self.deal[: self.seats]))
        stuck = holders <= (1 if self.settings.at_once else 0)
        return () if None not in self.removed or stuck or self.left == 0 else (self.turn,)

    def public_moves(self) -> list[str]:
        """Return the requests that are legal for some hand of the player to move, in order."""
        others = [
            player for player in range(self.seats)
            if player != self.turn and (self.deal[player] or not self.settings.at_once)
        ]  # fmt: skip
        sets = [index for index, owner in enumerate(self.removed) if owner is None]
        return [
            f"{self.turn} asks {player} for {index}/{number}"
            for index, number, player in product(sets, range(self.settings.set_size), others)
            if self.acting
        ]

    def moves(self, seat: int) -> list[str]:
        hand, rules = self.deal[seat], rules_of(self.settings)
        only_full = len(full_sets(hand, rules)) * rules.size == len(hand)
        return [
            move for move in self.public_moves()
            if any(card[0] == seen(move).card[0] for card in hand)
            and (seen(move).card not in hand or rules.own_cards or only_full)
        ]  # fmt: skip

    def likely_move(self, seat: int) -> st.SearchStrategy[str]:
        """Return legal requests, half of them for cards that the asked player holds."""
        moves = self.moves(seat)
        sure = [move for move in moves if seen(move).card in self.deal[seen(move).asked]]
        return st.sampled_from(sure or moves) | st.sampled_from(moves)

    def any_move(self) -> st.SearchStrategy[str]:
        numbers = (st.integers(0, 4) for _ in range(4))
        return st.builds("{} asks {} for {}/{}".format, *numbers)

    def after(self, seat: int, move: str) -> KwartetModel:
        rules, said = rules_of(self.settings), seen(move)
        said = said._replace(success=said.card in self.deal[said.asked])
        hand = self.deal[seat] | ({said.card} if said.success else set())
        said = said._replace(announced=tuple(full_sets(hand, rules)))
        deal = after(self.deal, said, rules)
        assert deal is not None
        following = [(seat + step) % self.seats for step in range(0 if said.success else 1, self.seats + 1)]
        turn = next((player for player in following if deal[player]), seat)
        event = f"{move}: {'yes' if said.success else 'no'}\n"
        event += "".join(f"{seat} puts down {index}\n" for index in said.announced)
        worlds = frozenset(w for w in (after(world, said, rules) for world in self.worlds) if w)
        owners = enumerate(self.removed)
        return replace(
            self, record=self.record + event, deal=deal, worlds=worlds, turn=turn,
            removed=tuple(seat if index in said.announced else owner for index, owner in owners),
            asked=(*self.asked, event.rstrip("\n")),
        )  # fmt: skip

    def worlds_of(self, seat: int | None) -> set[Deal]:
        """Return the deals that a seat considers possible."""
        return {w for w in self.worlds if seat is None or w[seat] == self.deal[seat]}

    def knows(self, player: int, world: Deal, card: tuple[int, int], hand: int) -> bool:
        """Return whether a player knows in a deal that a card is in a hand."""
        return all(card in w[hand] for w in self.worlds if w[player] == world[player])

    def fits(self, seat: int | None, move: str, success: bool, down: tuple[int, ...]) -> bool:
        """Return whether a request with its result fits a deal that a seat considers possible."""
        said, rules = seen(move)._replace(success=success, announced=down), rules_of(self.settings)
        return any(after(world, said, rules) is not None for world in self.worlds_of(seat))

    def document(self, seat: int | None) -> dict[str, Any]:
        worlds, given = self.worlds_of(seat), self.settings
        may_hold = [frozenset().union(*(world[hand] for world in worlds)) for hand in range(given.hands)]
        owners = [
            [[hand for hand, cards in enumerate(may_hold) if (index, number) in cards]
             for number in range(given.set_size if owner is None else 0)]
            for index, owner in enumerate(self.removed)
        ]  # fmt: skip
        fewest = [
            [min(sum(card[0] == index for card in world[hand]) for world in worlds)
             for index in range(given.sets)]
            for hand in range(given.hands)
        ]  # fmt: skip
        return {
            "seat": seat,
            "turn": self.turn if self.acting else None,
            "hands": [len(hand) for hand in self.deal[: self.seats]],
            "points": list(self.points),
            "removed": list(self.removed),
            "hand": [] if seat is None else words(self.deal[seat]),
            "owners": owners,
            "fewest": fewest,
            "events": list(self.asked),
            "over": not self.acting,
            **({} if self.left is None else {"left": self.left}),
            **({"aside": given.aside} if given.aside else {}),
        }

    def may_be(self, position: KwartetPosition, seat: int | None) -> bool:
        hands = (enumerate(hand) for hand in position.position.hands)
        return tuple(
            frozenset((i, n) for i, held in hand for n in range(10) if held >> n & 1)
            for hand in hands
        ) in self.worlds_of(seat)  # fmt: skip


def rules_of(given: KwartetSettings) -> Rules:
    """Return the settings in the form of the replay."""
    own = given.own_card_requests
    return Rules(given.players, given.sets, given.set_size, given.at_once, own)


def seen(move: str) -> Seen:
    """Return a request without its result."""
    asker, _, asked, _, card = move.split()
    index, number = map(int, card.split("/"))
    return Seen(int(asker), int(asked), (index, number), False, ())
