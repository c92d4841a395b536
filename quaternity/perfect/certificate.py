"""Check the certificate of a solved game, by the rules alone: this file imports nothing of ours.

A certificate is lines of JSON: a head with the fields `HEAD`, then a line for each state:

    [turn, hands, points, sets, ranks, after, outcomes]

`turn` is a player; null when the game is over, or when chance draws who is on turn. A set in play
is `[owners, least]`: per card the players who may own it, as the bits of a number, and per player
the fewest of its cards that they hold, both as tight as the deals that fit make them. The order of
sets, and of cards in a set, means nothing. `ranks` says per player within how many moves they can
force a win; null: they cannot. `after` has `[number, names]` for the states that moves lead to:
player j of the state with that number (the first is 0) is player `names[j]` here. Where the head
has a `player`, only that player's null is a claim. Where it has a `wish` (`points`; or `win`: 2 for
a win alone, 1 for a shared one), `outcomes` lists what all players may get when everybody plays for
themselves and breaks ties without chance; else it is null.

A certificate is right when in every state the ranks agree with those of the states after it. Then a
finite rank falls with every move, whatever the others do, until the win; and where a player has no
rank, the others can stay where they have none. A move to a state that a line does not name counts
against what it claims; no line that claims outcomes leaves one out. These follow from the ends of
the game up, so it must be one that ends: brisk, or of two players.
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
HEAD = ("certificate", "set_size", "sets", "players", "tie_break", "brisk", "start", "states",
    "player", "wish")  # fmt: skip
MAX_PLAYERS, MAX_CARDS, MAX_STATES, MAX_LINE_BYTES = 7, 100, 1 << 32, 1 << 22
SURE = 0.999
"""How sure a sample makes."""

Kind = tuple[tuple[int, ...], tuple[int, ...]]
"""A set in play: the owners of its cards, ascending, and the fewest per player."""

Gets = frozenset[tuple[int, ...]]
"""What all players may get."""


class State(NamedTuple):
    """What everybody knows; `sets` are ascending."""

    turn: int | None
    hands: tuple[int, ...]
    points: tuple[int, ...]
    sets: tuple[Kind, ...]


class Line(NamedTuple):
    """A state, and what its line claims."""

    state: State
    ranks: tuple[int | None, ...]
    after: tuple[tuple[int, tuple[int, ...]], ...]
    outcomes: Gets | None


class NoCertificate(ValueError):
    """A file certifies nothing; the message names the line and its fault."""


class Certified(NamedTuple):
    """What a certificate shows; the ranks are those of the state that was solved.

    For a sample drawn by `seed`, fewer than `most_wrong` of all states are wrong with the
    certainty `SURE`. A check of all states has no seed, and 0 wrong states.
    """

    head: dict[str, Any]
    ranks: tuple[int | None, ...]
    outcomes: Gets | None
    from_start: bool
    checked: int
    states: int
    moves: int
    most_wrong: int
    seed: int | None


def check(
    lines: Iterable[bytes], sample: int | None = None, seed: int | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Certified:  # fmt: skip
    """Check the states of a certificate, all or a random sample; or raise NoCertificate.

    A forger who knows the seed knows which states are checked, so the default is a new seed.

    Cost: about a millisecond and a kilobyte a state of 4-3-3.
    """
    source = iter(lines)
    game = Game(_head(next(source, b"")))
    states, start = game.head["states"], game.head["start"]
    held = [game.line(number, text) for number, text in zip(range(2, states + 3), source)]  # noqa: B905
    if len(held) != states:
        raise NoCertificate(f"line 1: {states} states are announced, but not so many follow")
    chosen: Sequence[int] = range(states)
    if sample is not None and sample < states:
        seed = int.from_bytes(secrets.token_bytes(4)) if seed is None else seed
        chosen = sorted({start, *Random(seed).sample(chosen, sample)})
    moves = 0
    for done, number in enumerate(chosen, 1):
        moves += game.check(number, held)
        report(done, len(chosen))
    shown = held[start].ranks, held[start].outcomes, held[start].state == game.start()
    if len(chosen) == states:
        return Certified(game.head, *shown, states, states, moves, 0, None)
    most = 1 + int(states * (1 - (1 - SURE) ** (1 / (sample or 1))))  # the start is not drawn
    return Certified(game.head, *shown, len(chosen), states, moves, most, seed)


def _head(text: bytes) -> dict[str, Any]:
    head = _json(1, text)
    if not isinstance(head, dict) or head.get("certificate") != FORMAT or {*head} != {*HEAD}:
        raise NoCertificate(f"line 1: no head of {FORMAT!r} with the fields {', '.join(HEAD)}")
    try:
        for name, least in (("set_size", 2), ("sets", 1), ("players", 2)):
            _number(head[name], MAX_PLAYERS if name == "players" else MAX_CARDS, least)
        _number(head["set_size"] * head["sets"], MAX_CARDS)
        _number(head["start"], _number(head["states"], MAX_STATES, 1) - 1)
        if head["tie_break"] not in ("first-in-order", "fewest-sets"):
            raise ValueError("the tie_break is none")
        if type(head["brisk"]) is not bool:
            raise ValueError("brisk is neither true nor false")
        if head["player"] is not None:
            _number(head["player"], head["players"] - 1)
        if head["wish"] not in (None, "points", "win"):
            raise ValueError("the wish is none")
        if head["wish"] and not head["brisk"] and head["players"] > 2:
            raise ValueError("a wish needs a game that ends")
    except (TypeError, ValueError) as error:
        raise NoCertificate(f"line 1: {error}") from None
    return head


def _json(number: int, text: bytes) -> Any:
    try:
        return json.loads(text.decode("ascii") if len(text) <= MAX_LINE_BYTES else "")
    except (ValueError, RecursionError):
        raise NoCertificate(f"line {number}: no JSON of at most {MAX_LINE_BYTES} bytes") from None


def _number(value: Any, most: int, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{str(value)[:40]} is no whole number from {least} to {most}")
    return value


def _numbers(values: Any, count: int, most: int) -> tuple[int, ...]:
    if type(values) is not list or len(values) != count:
        raise ValueError(f"a list of {count} is expected")
    return tuple([_number(value, most) for value in values])


class Game:
    """The rules of a game, and what the lines of a certificate must say in it."""

    def __init__(self, head: dict[str, Any]) -> None:
        self.head, self.size, self.count = head, head["set_size"], head["players"]
        self.players, self.all = range(self.count), (1 << self.count) - 1
        self.free = (self.size,) * self.count
        self.most = lru_cache(1 << 16)(self._most)
        self.closed = lru_cache(1 << 18)(self._closed)
        self.renamed_set = lru_cache(1 << 18)(_renamed_set)

    def line(self, number: int, text: bytes) -> Line:
        """Read a line."""
        count, size, fields = self.count, self.size, _json(number, text)
        try:
            turn, hands, points, sets, ranks, after, outcomes = fields
            kinds = [
                (tuple(sorted(_numbers(owners, size, self.all))), _numbers(low, count, size))
                for owners, low in sets
            ]
            turn = None if turn is None else _number(turn, count - 1)
            hands, points = (_numbers(each, count, MAX_CARDS) for each in (hands, points))
            claims = [None if rank is None else _number(rank, MAX_STATES) for rank in ranks]
            names = [
                (_number(n, self.head["states"] - 1), _numbers(order, count, count - 1))
                for n, order in after
            ]
            if len(claims) != count or any(len({*order}) != count for _, order in names):
                raise ValueError("a rank and a name of their own for each player are expected")
            player = self.head["player"]
            if player is not None and any(order[player] != player for _, order in names):
                raise ValueError(f"player {player}, whose null is claimed, has another name")
            if outcomes == [] or (outcomes is None) != (self.head["wish"] is None):
                raise ValueError("outcomes belong to a wish, at least one")
            gets = [_numbers(each, count, MAX_CARDS) for each in outcomes or ()]
            if sum(points) + len(kinds) != self.head["sets"] or sum(hands) != size * len(kinds):
                raise ValueError("sets or cards are missing, or too many")
        except (TypeError, ValueError) as error:
            raise NoCertificate(f"line {number}: {error}") from None
        state = State(turn, hands, points, tuple(sorted(kinds)))
        claimed = None if outcomes is None else frozenset(gets)
        return Line(state, tuple(claims), tuple(names), claimed)

    def start(self) -> State | None:
        """Return the state in which a game begins, if it begins evenly."""
        hand, odd = divmod(self.size * self.head["sets"], self.count)
        fresh = ((self.all,) * self.size, (0,) * self.count)
        sets = [fresh] * self.head["sets"]
        return None if odd else self.settled([hand] * self.count, fresh[1], sets, (0, 0))

    def _most(self, masks: tuple[int, ...], low: Sequence[int], high: Sequence[int]) -> Any:
        """Return the most cards of a set that each coalition can hold; None: nobody can deal it."""

        def total(counts: Sequence[int], coalition: int) -> int:
            return sum([counts[p] for p in self.players if coalition >> p & 1])

        every = range(self.all + 1)
        reach = [sum([1 for mask in masks if mask & x]) for x in every]
        table = [
            min([reach[x] + total(high, a & ~x) - total(low, x & ~a) for x in every]) for a in every
        ]
        return table if table[0] == 0 and table[-1] == self.size else None

    def rests(self, hands: Sequence[int], sets: Sequence[Kind]) -> list[tuple[int, ...]] | None:
        """Return per set the fewest cards it must give each coalition; None when no deal fits.

        A deal fits when each set can be dealt, the hands add up to all cards, and no coalition has
        more cards than the sets can give it.
        """
        tables = [self.most(*kind, self.free) for kind in sets]
        if None in tables:
            return None
        held = [0]
        for hand in hands:
            held += [hand + other for other in held]
        spare = [sum(given) - have for have, *given in zip(held, *tables, strict=True)]
        if min(spare) < 0 or spare[-1]:
            return None
        return [tuple([m - s for m, s in zip(table, spare, strict=True)]) for table in tables]

    def _closed(self, kind: Kind, rest: tuple[int, ...]) -> Kind:
        """Return a set as tight as the deals that fit make it."""
        (masks, low), free = kind, self.free

        def fits(masks: tuple[int, ...], high: tuple[int, ...]) -> bool:
            most = self.most(masks, low, high)
            return most is not None and all(map(ge, most, rest))

        def owned(mask: int, player: int) -> bool:
            return bool(mask >> player & 1) and fits(_instead(masks, mask, 1 << player), free)

        owners = {mask: sum([1 << p for p in self.players if owned(mask, p)]) for mask in {*masks}}
        fewest = [*low]
        for p in self.players:
            while not fits(masks, (*free[:p], fewest[p], *free[p + 1 :])):
                fewest[p] += 1
        return tuple(sorted([owners[mask] for mask in masks])), tuple(fewest)

    def settled(
        self, hands: Sequence[int], points: Sequence[int], sets: Sequence[Kind],
        turns: tuple[int, ...],
    ) -> State | None:  # fmt: skip
        """Return a state, completed sets put down; None when no deal fits.

        The first player of `turns` who has cards is to move; if none has, the tie-break chooses.
        """
        rests = self.rests(hands, sets)
        if rests is None:
            return None
        hands, points, kept = list(hands), list(points), []
        for masks, fewest in map(self.closed, sets, rests):
            if masks[0] == masks[-1] and masks[0].bit_count() == 1:
                hands[masks[0].bit_length() - 1] -= self.size
                points[masks[0].bit_length() - 1] += 1
            else:
                kept.append((masks, fewest))
        able = [p for p in turns if hands[p]][:1] or self.tied(hands, points)
        turn = able[0] if kept and len(able) == 1 else None
        return State(turn, tuple(hands), tuple(points), tuple(sorted(kept)))

    def tied(self, hands: Sequence[int], points: Sequence[int]) -> list[int]:
        """Return the players among whom the tie-break leaves the choice to chance."""
        able = [p for p in self.players if hands[p]]
        if self.head["tie_break"] == "first-in-order":
            return able[:1]
        return [
            p for p in able if (points[p], hands[p]) == min((points[q], hands[q]) for q in able)
        ]

    def questions(self, state: State) -> Iterator[tuple[int, list[State]]]:
        """Yield who is asked and the states after the legal answers, for questions that differ.

        Cards of a set that the same players may own are alike, and so are sets that look the same.
        """
        asker, hands, points, sets = state
        if asker is None:
            for player in self.tied(hands, points):
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
                    kind = _instead(masks, mask, free & ~(1 << asked)), tuple(least)
                    no = self.settled(hands, points, [*others, kind], (asked, asker))
                    if free >> asked & 1:
                        least[asker] += 1
                        least[asked] = max(0, low[asked] - 1)
                        moved = [h + (p == asker) - (p == asked) for p, h in enumerate(hands)]
                        kind = _instead(masks, mask, 1 << asker), tuple(least)
                        yes = self.settled(moved, points, [*others, kind], (asker, asked))
                    if yes or (no and not self.head["brisk"]):
                        yield asked, [after for after in (no, yes) if after]

    def check(self, number: int, held: Sequence[Line]) -> int:
        """Check what a line claims; return how many moves there are from its state."""
        state, ranks, after, outcomes = held[number]
        turns = () if state.turn is None else (state.turn,)
        if state != (right := self.settled(*state[1:], turns)):
            why = "no deal fits it" if right is None else f"by the rules it is {json.dumps(right)}"
            raise NoCertificate(f"line {number + 2}: no game reaches this state: {why}")
        known = {self.renamed(held[n].state, names): (n, names) for n, names in after}
        questions = [*self.questions(state)] if state.sets else []

        def value(player: int, then: State) -> int | None:
            if then not in known:
                return 0 if ranks[player] is None else None
            target, names = known[then]
            return held[target].ranks[names.index(player)]

        for player, rank in enumerate(ranks):
            best = max([points for p, points in enumerate(state.points) if p != player])
            # Who cannot have a card of a set cannot ask for one.
            gettable = sum(any(m >> player & 1 for m in masks) for masks, _ in state.sets)
            is_claimed = self.head["player"] in (None, player)
            if rank is None and not (is_claimed and state.points[player] + gettable > best):
                continue  # nothing is claimed, or others have enough
            length = 0 if state.points[player] > best and not state.sets else None
            if questions:
                of_questions = [
                    _chosen([value(player, then) for then in answers], asked == player)
                    for asked, answers in questions
                ]
                length = _chosen(of_questions, state.turn == player)
            if length is not None and state.turn is not None:
                length += 1  # a draw of chance is no move
            if (length is None) != (rank is None) or (length or 0) > (rank or 0):
                raise NoCertificate(
                    f"line {number + 2}: player {player} has the rank {json.dumps(rank)}, and "
                    f"{json.dumps(length)} by the lines after it"
                )
        if outcomes is not None and outcomes != self._outcomes(state, questions, known, held):
            raise NoCertificate(
                f"line {number + 2}: the outcomes are not those of the lines after it"
            )
        return sum(len(answers) for _, answers in questions)

    def _outcomes(
        self, state: State, questions: Sequence[tuple[int, list[State]]],
        known: dict[State | None, tuple[int, tuple[int, ...]]], held: Sequence[Line],
    ) -> Gets | None:  # fmt: skip
        """Return what all may get, by what follows; None where that is not in the file."""
        if not state.sets:
            best = max(state.points)
            first = 2 if state.points.count(best) == 1 else 1
            won = tuple([first * (points == best) for points in state.points])
            return frozenset([state.points if self.head["wish"] == "points" else won])
        if state.turn is None or any(then not in known for _, each in questions for then in each):
            return None

        def liked(choices: Sequence[Gets], player: int) -> Gets:
            worst = max([min([gets[player] for gets in choice]) for choice in choices])
            return frozenset(
                [gets for choice in choices for gets in choice if gets[player] >= worst]
            )

        def after(then: State) -> Gets:
            target, names = known[then]
            return frozenset([_moved(gets, names) for gets in held[target].outcomes or ()])

        offers = [liked([*map(after, answers)], asked) for asked, answers in questions]
        return liked(offers, state.turn) if offers else None

    def renamed(self, state: State, names: tuple[int, ...]) -> State | None:
        """Return a state with player j called `names[j]`; None where their order may matter."""
        able = [names[p] for p in self.players if state.hands[p]]
        if self.head["tie_break"] == "first-in-order" and len(able) > 3 and able != sorted(able):
            return None
        sets = [self.renamed_set(kind, names) for kind in state.sets]
        turn = None if state.turn is None else names[state.turn]
        hands, points = _moved(state.hands, names), _moved(state.points, names)
        return State(turn, hands, points, tuple(sorted(sets)))


def _chosen(values: Sequence[int | None], wants: bool) -> int | None:
    """Return the value that a player gets who chooses, or who lets all others choose."""
    finite = [value for value in values if value is not None]
    if wants:
        return min(finite, default=None)
    return max(finite) if finite and len(finite) == len(values) else None


def _instead(masks: tuple[int, ...], mask: int, other: int) -> tuple[int, ...]:
    """Return the owners with those of one card changed."""
    place = masks.index(mask)
    return tuple(sorted((*masks[:place], other, *masks[place + 1 :])))


def _moved(values: Sequence[int], names: Sequence[int]) -> tuple[int, ...]:
    return tuple([value for _, value in sorted(zip(names, values, strict=True))])


def _renamed_set(kind: Kind, names: tuple[int, ...]) -> Kind:
    masks = [sum([1 << name for p, name in enumerate(names) if m >> p & 1]) for m in kind[0]]
    return tuple(sorted(masks)), _moved(kind[1], names)
