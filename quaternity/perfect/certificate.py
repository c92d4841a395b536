"""Independent checker for the certificates of solved games.

The checker uses only the rules of the game and imports no other module of this project. A
certificate consists of lines of JSON: a head with the fields of `Head`, then one line per state:

    [turn, hands, points, sets, ranks, after, outcomes]

- `turn` is the player to move, or null if the game is over or chance draws the player to move.
- `sets` contains a pair `[owners, least]` for each set in play: for each card, the bit mask of the
  players who may own it; and for each player, the minimum number of cards of the set. Both are as
  tight as possible. The order of sets, and of cards in a set, has no meaning.
- `ranks` contains, for each player, the number of moves within which the player can force a win, or
  null if the player cannot. If the head names a `player`, a null says nothing about other players.
- `after` contains a pair `[number, names]` for each state that a move leads to. States are numbered
  from 0. Player j of that state is player `names[j]` of this state.
- `outcomes` is null, unless the head has a `wish`. It then lists the possible outcomes if all
  players play for themselves and break ties without chance. With the wish `points`, players get
  their points. With the wish `win`, a sole winner gets 2, and players who share the win get 1.

In a correct certificate, the ranks of every state agree with those of its successors. Then a finite
rank decreases with every move until the win, whatever the other players do. If a player has no
rank, the others can always move to states in which that player has no rank. A move to a state that
the line does not list counts against the claims of the line. A line that claims outcomes must list
every successor. Outcomes are allowed only for brisk games and for two players, because these games
always end.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import ge
from random import Random
from typing import Any, NamedTuple

FORMAT = "quaternity-solved/1"
MAX_PLAYERS, MAX_CARDS, MAX_STATES, MAX_LINE_BYTES = 7, 100, 1 << 32, 1 << 22
CONFIDENCE = 0.999
"""Confidence level of the bound on the number of wrong states, if only a sample is checked."""

Kind = tuple[tuple[int, ...], tuple[int, ...]]
"""A set in play: for each card, the bit mask of its possible owners (ascending), and for each
player, the minimum number of cards."""

Outcomes = frozenset[tuple[int, ...]]
"""The outcomes that a state may have. An outcome is what each player gets (see the module)."""


Head = NamedTuple("Head", [  # noqa: UP014 - keeps the checker short
    ("certificate", str), ("set_size", int), ("sets", int), ("players", int), ("tie_break", str),
    ("brisk", bool), ("start", int), ("states", int), ("player", int | None), ("wish", str | None),
])  # fmt: skip
"""First line of a certificate. It has the settings of the game, the number of states, the number
`start` of the solved state, and the kind of claims (see the module)."""


class State(NamedTuple):
    """What all players know about a position. The `sets` are sorted in ascending order."""

    turn: int | None
    hands: tuple[int, ...]
    points: tuple[int, ...]
    sets: tuple[Kind, ...]


class Line(NamedTuple):
    """Line of a certificate: a state, and what the certificate claims about it."""

    state: State
    ranks: tuple[int | None, ...]
    after: tuple[tuple[int, tuple[int, ...]], ...]
    outcomes: Outcomes | None


class InvalidCertificate(ValueError):
    """Error for an invalid certificate. The message names the line and its fault."""


class CheckResult(NamedTuple):
    """Result of checking a certificate.

    For the state from which the game was solved, `ranks` says in how many moves each player can
    force a win (None if never). `outcomes` lists what may happen if all players play for
    themselves, and is None if this is not claimed. If the states were sampled with `seed`, then
    with probability `CONFIDENCE`, fewer than `most_wrong` of all states are wrong. If all states
    were checked, `seed` is None and `most_wrong` is 0.
    """

    head: Head
    ranks: tuple[int | None, ...]
    outcomes: Outcomes | None
    from_start: bool
    checked: int
    states: int
    moves: int
    most_wrong: int
    seed: int | None

    def document(self) -> dict[str, Any]:
        """Return the result as a dictionary of plain values for JSON."""
        outcomes = None if self.outcomes is None else sorted(self.outcomes, reverse=True)
        about = {"head": self.head._asdict(), "outcomes": outcomes, "sure": CONFIDENCE}
        return self._asdict() | about


def check(
    lines: Iterable[bytes], sample: int | None = None, seed: int | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> CheckResult:  # fmt: skip
    """Check all states of a certificate, or a random sample of them, and return the result.

    By default, the seed is random, so that a forger cannot know which states will be checked. The
    check takes about a millisecond and a kilobyte for each state of a 4-3-3 game.

    Raises:
        InvalidCertificate: If a checked state or the file as a whole is wrong.
    """
    source = iter(lines)
    game = Game(_head(next(source, b"")))
    states, start = game.head.states, game.head.start
    held = [game.parse_line(number, text) for number, text in zip(range(2, states + 3), source)]  # noqa: B905
    if len(held) != states:
        raise InvalidCertificate(
            f"line 1: the number of states is {states}, but a different number of lines follows"
        )
    numbers: Sequence[int] = range(states)
    if sample is not None and sample < states:
        seed = int.from_bytes(secrets.token_bytes(4)) if seed is None else seed
        numbers = sorted({start, *Random(seed).sample(numbers, sample)})
    moves = 0
    for done, number in enumerate(numbers, 1):
        moves += game.check(number, held)
        report(done, len(numbers))
    result = held[start].ranks, held[start].outcomes, held[start].state == game.start()
    if len(numbers) == states:
        return CheckResult(game.head, *result, states, states, moves, 0, None)
    # The start is checked in any case, so it is not one of the `sample` random states.
    max_wrong = 1 + int(states * (1 - (1 - CONFIDENCE) ** (1 / (sample or 1))))
    return CheckResult(game.head, *result, len(numbers), states, moves, max_wrong, seed)


def _head(text: bytes) -> Head:
    head, fields = _json(1, text), Head._fields
    if not isinstance(head, dict) or head.get("certificate") != FORMAT or {*head} != {*fields}:
        raise InvalidCertificate(
            f"line 1: expected the fields {', '.join(fields)}; certificate must be {FORMAT!r}"
        )
    try:
        for name, least in (("set_size", 2), ("sets", 1), ("players", 2)):
            _number(head[name], MAX_PLAYERS if name == "players" else MAX_CARDS, least)
        _number(head["set_size"] * head["sets"], MAX_CARDS)
        _number(head["start"], _number(head["states"], MAX_STATES, 1) - 1)
        if head["tie_break"] not in ("first-in-order", "fewest-sets"):
            raise ValueError("tie_break: must be first-in-order or fewest-sets")
        if type(head["brisk"]) is not bool:
            raise ValueError("brisk: must be true or false")
        if head["player"] is not None:
            _number(head["player"], head["players"] - 1)
        if head["wish"] not in (None, "points", "win"):
            raise ValueError("wish: must be null, points or win")
        if head["wish"] and not head["brisk"] and head["players"] > 2:
            raise ValueError("wish: must be null, because this game can go on forever")
    except (TypeError, ValueError) as error:
        raise InvalidCertificate(f"line 1: {error}") from None
    return Head(**head)


def _json(number: int, text: bytes) -> Any:
    try:
        return json.loads(text.decode("ascii") if len(text) <= MAX_LINE_BYTES else "")
    except (ValueError, RecursionError):
        raise InvalidCertificate(
            f"line {number}: expected JSON of at most {MAX_LINE_BYTES} bytes"
        ) from None


def _number(value: Any, most: int, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"expected a whole number from {least} to {most}, not {str(value)[:40]}")
    return value


def _numbers(values: Any, count: int, most: int) -> tuple[int, ...]:
    if type(values) is not list or len(values) != count:
        raise ValueError(f"expected a list of {count} numbers")
    return tuple([_number(value, most) for value in values])


class Game:
    """The rules of a game, and methods that check the lines of its certificate by these rules."""

    def __init__(self, head: Head) -> None:
        self.head, self.size, self.count = head, head.set_size, head.players
        self.players, self.all = range(self.count), (1 << self.count) - 1
        self.free = (self.size,) * self.count
        self.maximums = lru_cache(1 << 16)(self._maximums)
        self.close = lru_cache(1 << 18)(self._close)
        self.rename_set = lru_cache(1 << 18)(_rename_set)

    def parse_line(self, number: int, text: bytes) -> Line:
        """Return the state and the claims in a line of a certificate, which is given as JSON.

        Raises:
            InvalidCertificate: If the line is not of the form that the module docstring describes.
        """
        count, size, fields = self.count, self.size, _json(number, text)
        try:
            turn, hands, points, sets, ranks, after, outcomes = fields
            kinds = [
                (tuple(sorted(_numbers(owners, size, self.all))), _numbers(low, count, size))
                for owners, low in sets
            ]
            turn = None if turn is None else _number(turn, count - 1)
            hands, points = (_numbers(row, count, MAX_CARDS) for row in (hands, points))
            claims = [None if rank is None else _number(rank, MAX_STATES) for rank in ranks]
            names = [
                (_number(n, self.head.states - 1), _numbers(order, count, count - 1))
                for n, order in after
            ]
            if len(claims) != count or any(len({*order}) != count for _, order in names):
                raise ValueError("expected one rank per player, and each player once in names")
            player = self.head.player
            if player is not None and any(order[player] != player for _, order in names):
                raise ValueError(f"names must not renumber player {player}, who is named in line 1")
            if outcomes == [] or (outcomes is None) != (self.head.wish is None):
                raise ValueError(
                    "outcomes must be null if the wish is null, and otherwise a list of outcomes"
                )
            gets = [_numbers(row, count, MAX_CARDS) for row in outcomes or ()]
            if sum(points) + len(kinds) != self.head.sets or sum(hands) != size * len(kinds):
                raise ValueError("the number of sets or cards is not that of the game")
        except (TypeError, ValueError) as error:
            raise InvalidCertificate(f"line {number}: {error}") from None
        state = State(turn, hands, points, tuple(sorted(kinds)))
        claimed = None if outcomes is None else frozenset(gets)
        return Line(state, tuple(claims), tuple(names), claimed)

    def start(self) -> State | None:
        """Return the state at the start of a game, or None if the cards cannot be dealt evenly."""
        hand, odd = divmod(self.size * self.head.sets, self.count)
        fresh = ((self.all,) * self.size, (0,) * self.count)
        sets = [fresh] * self.head.sets
        return None if odd else self.settle([hand] * self.count, fresh[1], sets, (0, 0))

    def _maximums(self, masks: tuple[int, ...], low: Sequence[int], high: Sequence[int]) -> Any:
        def total(counts: Sequence[int], coalition: int) -> int:
            return sum([counts[p] for p in self.players if coalition >> p & 1])

        every = range(self.all + 1)
        reach = [sum([1 for mask in masks if mask & x]) for x in every]
        table = [
            min([reach[x] + total(high, a & ~x) - total(low, x & ~a) for x in every]) for a in every
        ]
        return table if table[0] == 0 and table[-1] == self.size else None

    def set_minimums(
        self, hands: Sequence[int], sets: Sequence[Kind]
    ) -> list[tuple[int, ...]] | None:
        """Return how many cards of each set each group of players needs to fill its hands.

        A group needs cards of a set if it cannot own enough cards of the other sets. The result is
        indexed as [set][bit mask of the group]. It is None if no deal exists. A deal exists if each
        set can be dealt, the hand sizes add up to the number of cards, and no group has to hold
        more cards than it can own.
        """
        tables = [self.maximums(*kind, self.free) for kind in sets]
        if None in tables:
            return None
        held = [0]
        for hand in hands:
            held += [hand + other for other in held]
        spare = [sum(maxima) - have for have, *maxima in zip(held, *tables, strict=True)]
        if min(spare) < 0 or spare[-1]:
            return None
        return [tuple([m - s for m, s in zip(table, spare, strict=True)]) for table in tables]

    def _close(self, kind: Kind, rest: tuple[int, ...]) -> Kind:
        """Return a set with the tightest constraints that allow the same deals.

        `rest` contains the minimum number of cards of the set that each group of players needs.
        """
        (masks, low), free = kind, self.free

        def fits(masks: tuple[int, ...], high: tuple[int, ...]) -> bool:
            maxima = self.maximums(masks, low, high)
            return maxima is not None and all(map(ge, maxima, rest))

        def owned(mask: int, player: int) -> bool:
            return bool(mask >> player & 1) and fits(_replace_mask(masks, mask, 1 << player), free)

        owners = {mask: sum([1 << p for p in self.players if owned(mask, p)]) for mask in {*masks}}
        fewest = [*low]
        for p in self.players:
            while not fits(masks, (*free[:p], fewest[p], *free[p + 1 :])):
                fewest[p] += 1
        return tuple(sorted([owners[mask] for mask in masks])), tuple(fewest)

    def settle(
        self, hands: Sequence[int], points: Sequence[int], sets: Sequence[Kind],
        turns: tuple[int, ...],
    ) -> State | None:  # fmt: skip
        """Return a state after putting down completed sets and choosing the player to move.

        The first of the players in `turns` who has cards is to move. If none of them has cards, the
        tie-break decides. The result is None if the hands and sets do not allow a deal.
        """
        rests = self.set_minimums(hands, sets)
        if rests is None:
            return None
        hands, points, kept = list(hands), list(points), []
        for masks, fewest in map(self.close, sets, rests):
            if masks[0] == masks[-1] and masks[0].bit_count() == 1:
                hands[masks[0].bit_length() - 1] -= self.size
                points[masks[0].bit_length() - 1] += 1
            else:
                kept.append((masks, fewest))
        able = [p for p in turns if hands[p]][:1] or self.tie_break(hands, points)
        turn = able[0] if kept and len(able) == 1 else None
        return State(turn, tuple(hands), tuple(points), tuple(sorted(kept)))

    def tie_break(self, hands: Sequence[int], points: Sequence[int]) -> list[int]:
        """Return the players among whom chance draws the next player. There may be only one."""
        able = [p for p in self.players if hands[p]]
        if self.head.tie_break == "first-in-order":
            return able[:1]
        return [
            p for p in able if (points[p], hands[p]) == min((points[q], hands[q]) for q in able)
        ]

    def questions(self, state: State) -> Iterator[tuple[int, list[State]]]:
        """Yield a pair for each question: the asked player, and the states after the legal answers.

        Equivalent questions are yielded once. They are about cards of a set with the same possible
        owners, or about such cards of equal sets. If chance draws the player to move, each possible
        draw is yielded as a question, with the number of players as the asked player.
        """
        asker, hands, points, sets = state
        if asker is None:
            for player in self.tie_break(hands, points):
                yield self.count, [state._replace(turn=player)]
            return
        for place, (masks, low) in enumerate(sets):
            others = [*sets[:place], *sets[place + 1 :]]
            for mask in {*masks} if (masks, low) not in sets[:place] else ():
                for asked in self.players:
                    free, least, yes = mask & ~(1 << asker), [*low], None
                    if asked == asker or not hands[asked] or not free:
                        continue
                    least[asker] = max(1, low[asker])
                    kind = _replace_mask(masks, mask, free & ~(1 << asked)), tuple(least)
                    no = self.settle(hands, points, [*others, kind], (asked, asker))
                    if free >> asked & 1:
                        least[asker] += 1
                        least[asked] = max(0, low[asked] - 1)
                        moved = [h + (p == asker) - (p == asked) for p, h in enumerate(hands)]
                        kind = _replace_mask(masks, mask, 1 << asker), tuple(least)
                        yes = self.settle(moved, points, [*others, kind], (asker, asked))
                    if yes or (no and not self.head.brisk):
                        yield asked, [after for after in (no, yes) if after]

    def check(self, number: int, held: Sequence[Line]) -> int:
        """Check the claims about state `number`, and return how many moves are possible in it.

        `held` contains the lines of all states.

        Raises:
            InvalidCertificate: If a claim is wrong.
        """
        state, ranks, after, outcomes = held[number]
        turns = () if state.turn is None else (state.turn,)
        if state != (right := self.settle(*state[1:], turns)):
            why = "no deal fits it" if right is None else f"the rules make it {json.dumps(right)}"
            raise InvalidCertificate(f"line {number + 2}: no game reaches this state: {why}")
        known = {self.rename(held[n].state, names): (n, names) for n, names in after}
        questions = [*self.questions(state)] if state.sets else []

        def value(player: int, after: State) -> int | None:
            if after not in known:
                return 0 if ranks[player] is None else None
            target, names = known[after]
            return held[target].ranks[names.index(player)]

        for player, rank in enumerate(ranks):
            best = max([points for p, points in enumerate(state.points) if p != player])
            # A player who cannot have a card of a set cannot ask for one.
            gettable = sum(any(m >> player & 1 for m in masks) for masks, _ in state.sets)
            is_claimed = self.head.player in (None, player)
            if rank is None and not (is_claimed and state.points[player] + gettable > best):
                continue  # the null is not a claim, or the player cannot get the most sets
            length = 0 if state.points[player] > best and not state.sets else None
            if questions:
                of_questions = [
                    _choose_rank([value(player, then) for then in answers], asked == player)
                    for asked, answers in questions
                ]
                length = _choose_rank(of_questions, state.turn == player)
            if length is not None and state.turn is not None:
                length += 1  # A draw by chance does not count as a move.
            if (length is None) != (rank is None) or (length or 0) > (rank or 0):
                raise InvalidCertificate(
                    f"line {number + 2}: player {player} has rank {json.dumps(rank)}, but the next "
                    f"states imply {json.dumps(length)}"
                )
        if outcomes is not None and outcomes != self._outcomes(state, questions, known, held):
            raise InvalidCertificate(
                f"line {number + 2}: the outcomes do not match those of the next states"
            )
        return sum(len(answers) for _, answers in questions)

    def _outcomes(
        self, state: State, questions: Sequence[tuple[int, list[State]]],
        known: dict[State | None, tuple[int, tuple[int, ...]]], held: Sequence[Line],
    ) -> Outcomes | None:  # fmt: skip
        """Return the outcomes implied by those of the next states, or None if impossible."""
        if not state.sets:
            best = max(state.points)
            first = 2 if state.points.count(best) == 1 else 1
            won = tuple([first * (points == best) for points in state.points])
            return frozenset([state.points if self.head.wish == "points" else won])
        if state.turn is None or any(s not in known for _, states in questions for s in states):
            return None

        def best_for(choices: Sequence[Outcomes], player: int) -> Outcomes:
            worst = max([min([gets[player] for gets in choice]) for choice in choices])
            return frozenset(g for choice in choices for g in choice if g[player] >= worst)

        def after(then: State) -> Outcomes:
            target, names = known[then]
            return frozenset([_permute(gets, names) for gets in held[target].outcomes or ()])

        offers = [best_for([*map(after, answers)], asked) for asked, answers in questions]
        return best_for(offers, state.turn) if offers else None

    def rename(self, state: State, names: tuple[int, ...]) -> State | None:
        """Return a copy of a state in which player j has the new number `names[j]`.

        The result is None if the new order of the players may change who is to move.
        """
        able = [names[p] for p in self.players if state.hands[p]]
        if self.head.tie_break == "first-in-order" and len(able) > 3 and able != sorted(able):
            return None
        sets = [self.rename_set(kind, names) for kind in state.sets]
        turn = None if state.turn is None else names[state.turn]
        hands, points = _permute(state.hands, names), _permute(state.points, names)
        return State(turn, hands, points, tuple(sorted(sets)))


def _choose_rank(values: Sequence[int | None], wants: bool) -> int | None:
    """Return the rank of a state from which a choice leads to states with the ranks `values`.

    A rank is the number of moves within which a player can force a win, or None if the player
    cannot. If `wants` is true, this player chooses, and minimizes the rank. Otherwise, an opponent
    or chance chooses, and the rank is maximized. None is greater than all numbers.
    """
    finite = [value for value in values if value is not None]
    if wants:
        return min(finite, default=None)
    return max(finite) if finite and len(finite) == len(values) else None


def _replace_mask(masks: tuple[int, ...], mask: int, other: int) -> tuple[int, ...]:
    place = masks.index(mask)
    return tuple(sorted((*masks[:place], other, *masks[place + 1 :])))


def _permute(values: Sequence[int], names: Sequence[int]) -> tuple[int, ...]:
    return tuple([value for _, value in sorted(zip(names, values, strict=True))])


def _rename_set(kind: Kind, names: tuple[int, ...]) -> Kind:
    masks = [sum([1 << name for p, name in enumerate(names) if m >> p & 1]) for m in kind[0]]
    return tuple(sorted(masks)), _permute(kind[1], names)
