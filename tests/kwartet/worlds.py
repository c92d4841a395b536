"""A model of Kwartet that knows the real deal, and all deals that fit what was request."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress, product
from typing import Any

from hypothesis import strategies as st

from quaternity.kwartet.rules import KwartetPosition
from quaternity.kwartet.settings import KwartetSettings
from tests.kwartet.plain_hands import parse_request, plain, rules_of, words
from tests.kwartet.replay import Deal, after, all_deals, at_deal, full_sets


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
    seats = property(lambda self: self.settings.players)

    @classmethod
    def start(cls, settings: KwartetSettings, order: list[int], extra: int) -> KwartetModel:
        """Return the model after the deal of the cards in a given order."""
        cards = iter([divmod(card, settings.set_size) for card in order])
        sizes, rules = settings.hand_sizes(extra), rules_of(settings)
        dealt = tuple(frozenset(next(cards) for _ in range(size)) for size in sizes)
        deal, down = at_deal(dealt, rules)
        own, limit = "yes" if settings.own_card_requests else "no", settings.max_moves
        names = [*(f"hand {player}" for player in range(settings.players)), "aside"]
        head = [
            "kwartet 1", f"players {settings.players}", f"sets {settings.sets}",
            f"announce {settings.announce}", f"own-card-requests {own}",
            *[f"set-size {settings.set_size}"] * (settings.set_size != 4),
            *[f"aside {settings.aside}"] * (settings.aside > 0),
            *[f"max-moves {limit}"] * (limit is not None),
            *(f"{name}: {' '.join(words(hand))}" for name, hand in zip(names, dealt, strict=False)),
            *(f"{player} puts down {index}" for index, player in down), "",
        ]  # fmt: skip
        starts = [at_deal(world, rules) for world in all_deals(frozenset().union(*dealt), sizes)]
        worlds = frozenset(world for world, gone in starts if gone == down)
        removed = tuple(dict(down).get(index) for index in range(settings.sets))
        turn = next((player for player, hand in enumerate(deal[: settings.players]) if hand), 0)
        return cls(settings, "\n".join(head), deal, worlds, removed, turn)

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
        ask = [hand or not self.settings.at_once for hand in self.deal[: self.seats]]
        others = [player for player, may in enumerate(ask) if may and player != self.turn]
        sets = [index for index, owner in enumerate(self.removed) if owner is None]
        return [
            f"{self.turn} asks {player} for {index}/{number}"
            for index, number, player in product(sets, range(self.settings.set_size), others)
            if self.acting
        ]

    def moves(self, seat: int) -> list[str]:
        hand, rules = self.deal[seat], rules_of(self.settings)
        own_card = rules.own_cards or len(full_sets(hand, rules)) * rules.size == len(hand)
        held = {index for index, _ in hand}
        requests = [(move, parse_request(move).card) for move in self.public_moves()]
        return [m for m, card in requests if card[0] in held and (own_card or card not in hand)]

    def likely_move(self, seat: int) -> st.SearchStrategy[str]:
        requests = [parse_request(move) for move in self.moves(seat)]
        sure = [m.card in self.deal[m.asked] for m in requests]
        moves = self.moves(seat)
        likely = st.sampled_from([*compress(moves, sure)] or moves)
        return st.one_of(likely, likely, st.sampled_from(moves))

    def any_move(self) -> st.SearchStrategy[str]:
        numbers = (st.integers(0, 4) for _ in range(4))
        return st.builds("{} asks {} for {}/{}".format, *numbers)

    def after(self, seat: int, move: str) -> KwartetModel:
        request, rules = parse_request(move), rules_of(self.settings)
        success = request.card in self.deal[request.asked]
        down = full_sets(self.deal[seat] | ({request.card} if success else set()), rules)
        request = request._replace(success=success, announced=tuple(down))
        deal = after(self.deal, request, rules)
        assert deal is not None
        players = [(seat + step) % self.seats for step in range(not success, self.seats + 1)]
        event = [f"{move}: {'yes' if success else 'no'}"]
        event += [f"{seat} puts down {index}" for index in down]
        owners = enumerate(self.removed)
        return KwartetModel(
            self.settings, "\n".join((self.record[:-1], *event, "")), deal,
            frozenset(w for w in (after(world, request, rules) for world in self.worlds) if w),
            tuple(seat if index in down else owner for index, owner in owners),
            next((player for player in players if deal[player]), seat),
            (*self.asked, "\n".join(event)),
        )  # fmt: skip

    def worlds_of(self, seat: int | None) -> set[Deal]:
        """Return the deals that a seat considers possible."""
        return {w for w in self.worlds if seat is None or w[seat] == self.deal[seat]}

    def document(self, seat: int | None) -> dict[str, Any]:
        worlds, settings, hands = self.worlds_of(seat), self.settings, range(self.settings.hands)
        held = [frozenset().union(*(world[hand] for world in worlds)) for hand in hands]
        owners = [
            [[hand for hand in hands if (index, number) in held[hand]]
             for number in range(settings.set_size if owner is None else 0)]
            for index, owner in enumerate(self.removed)
        ]  # fmt: skip
        fewest = [
            [min(sum(card[0] == index for card in world[hand]) for world in worlds)
             for index in range(settings.sets)]
            for hand in hands
        ]  # fmt: skip
        document = {
            "seat": seat, "turn": self.turn if self.acting else None,
            "hands": [len(hand) for hand in self.deal[: self.seats]],
            "points": list(self.points), "removed": list(self.removed),
            "hand": [] if seat is None else words(self.deal[seat]),
            "owners": owners, "fewest": fewest, "events": list(self.asked),
            "over": not self.acting, "left": self.left, "aside": settings.aside or None,
        }  # fmt: skip
        optional = ("left", "aside")
        return {k: v for k, v in document.items() if v is not None or k not in optional}

    def may_be(self, position: KwartetPosition, seat: int | None) -> bool:
        hands = position.position.hands
        return tuple(plain(hand) for hand in hands) in self.worlds_of(seat)
