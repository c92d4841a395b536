"""A builder for deal problems that takes players, sets and cards by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from quaternity.base.errors import InputError
from quaternity.base.text_format import join_words, quote_value
from quaternity.base.validation import as_int
from solvers.names import Names, check_name
from solvers.problem import DealProblem, SetConstraint, check_size, mask_of


class ProblemBuilder:
    """Builder that collects the facts of a deal problem one at a time.

    Each method except `build` returns the builder, so calls can be chained. `hand` creates a
    player, and `cards` creates a set.

    >>> from solvers import solve
    >>> builder = ProblemBuilder()
    >>> builder = builder.hand("Ann", 2).hand("Bob", 1)
    >>> builder = builder.cards("hearts", ["ace", "king", "queen"])
    >>> builder = builder.belongs_to("ace", "Ann", "Bob").at_least("Bob", 1, "hearts")
    >>> print(solve(builder.build()))
    Ann: ace, king
    Bob: queen
    """

    def __init__(self) -> None:
        self._hands: dict[str, int] = {}
        self._cards: dict[str, list[str]] = {}
        self._set_of: dict[str, str] = {}
        self._owners: dict[str, tuple[str, ...]] = {}
        self._low: dict[tuple[str, str], int] = {}
        self._high: dict[tuple[str, str], int] = {}

    def hand(self, player: str, cards: int) -> ProblemBuilder:
        """State that a player holds exactly this number of cards.

        Raises:
            InputError: If the number is not a whole number >= 0, or if the hand is already stated.
        """
        player = check_name("player", player)
        if player in self._hands:
            raise InputError(f"hand of {player}: already stated as {self._hands[player]} cards")
        self._hands[player] = as_int(cards, f"hand of {player}", 0)
        return self

    def cards(self, set_name: str, names: Iterable[str]) -> ProblemBuilder:
        """Add cards to a set. Any player may own them until `belongs_to` says otherwise.

        Raises:
            InputError: If a name is not a printable string, or if another card has this name.
        """
        row = self._cards.setdefault(check_name("set", set_name), [])
        if isinstance(names, str):
            raise InputError(f"cards of {set_name}: {quote_value(names)} must be a list of names")
        for text in names:
            name = check_name("card", text)
            if name in self._set_of:
                raise InputError(f"card: the name {quote_value(name)} is used twice")
            self._set_of[name] = set_name
            row.append(name)
            check_size(0, 0, len(self._set_of))
        return self

    def belongs_to(self, card: str, *players: str) -> ProblemBuilder:
        """State that the owner of a card is one of the given players.

        After two calls for the same card, only the players that both calls name may own it.

        Raises:
            InputError: If the card or a player is unknown.
        """
        card = check_name("card", card)
        if card not in self._set_of:
            raise InputError(f"card: {quote_value(card)} is unknown; add it with `cards` first")
        before = self._owners.get(card)
        owners = map(self._known_player, players)
        self._owners[card] = tuple(name for name in owners if before is None or name in before)
        return self

    def at_least(self, player: str, cards: int, set_name: str) -> ProblemBuilder:
        """State that a player holds at least this number of cards of a set.

        Raises:
            InputError: If the player or set is unknown, or the number is not a whole number >= 0.
        """
        return self._bound(self._low, max, player, cards, set_name)

    def at_most(self, player: str, cards: int, set_name: str) -> ProblemBuilder:
        """State that a player holds at most this number of cards of a set.

        Raises:
            InputError: If the player or set is unknown, or the number is not a whole number >= 0.
        """
        return self._bound(self._high, min, player, cards, set_name)

    def _bound(
        self,
        bounds: dict[tuple[str, str], int],
        tighter: Callable[[int, int], int],
        player: str,
        cards: int,
        set_name: str,
    ) -> ProblemBuilder:
        player, set_name = self._known_player(player), check_name("set", set_name)
        if set_name not in self._cards:
            raise InputError(
                f"set: {quote_value(set_name)} is unknown; choose from {join_words(self._cards)}"
            )
        number = as_int(cards, f"cards of {set_name} for {player}", 0)
        key = player, set_name
        bounds[key] = tighter(bounds.get(key, number), number)
        return self

    def _known_player(self, player: str) -> str:
        player = check_name("player", player)
        if player not in self._hands:
            raise InputError(
                f"player: {quote_value(player)} is unknown; state the hand with `hand` first"
            )
        return player

    def build(self) -> DealProblem:
        """Return the problem with the names of its players, sets and cards.

        Raises:
            InputError: If no player was stated.
        """
        players = list(self._hands)
        numbers = {player: number for number, player in enumerate(players)}
        constraints = []
        for set_name, row in self._cards.items():
            owners = [
                mask_of(numbers[player] for player in self._owners.get(card, players))
                for card in row
            ]
            low = [self._low.get((player, set_name), 0) for player in players]
            high = [self._high.get((player, set_name), len(row)) for player in players]
            constraints.append(SetConstraint(owners, low, high))
        hands = list(self._hands.values())
        names = Names(tuple(players), tuple(self._cards), tuple(map(tuple, self._cards.values())))
        return DealProblem(hands, constraints).named(names)
