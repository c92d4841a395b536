"""Test that the rules of a game obey the laws of all games, such as "legal moves are accepted".

    from quaternity.table.conformance import check_rules

    def test_my_game():
        check_rules(MyRules())

The laws are tested in random matches. They do not cover rules of a single game, for example that a
wrong claim costs a point. Write separate tests for such rules.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from quaternity.base.errors import IllegalMove, QuaternityError
from quaternity.base.sentences import document

MAX_MATCH_MOVES = 400
"""Maximum number of moves of a random match, after which it is stopped."""

MAX_TRIED_MOVES = 12
"""Maximum number of moves that are tested in a position."""


class LawViolation(QuaternityError):
    """Error for rules of a game that do not meet a requirement (see `check_rules`).

    The message names the requirement and the random match in which it was not met.
    """


@dataclass(frozen=True, slots=True)
class Conformance:
    """The result of `check_rules`: the numbers of tested matches, moves and positions.

    Attributes:
        matches: number of matches.
        moves: number of moves in all matches.
        over: number of matches that were played to the end.
        alike: number of compared pairs of positions that an observer cannot distinguish.
    """

    matches: int
    moves: int
    over: int
    alike: int


def check_rules(
    rules: Any, matches: int = 20, seed: int = 0, player: Any = None, encoded: Any = None
) -> Conformance:
    """Play random matches, and check in every position that the rules of a game work correctly.

    For example, legal moves must be accepted, and replaying a record must give the same match.
    These requirements are called laws.

    Args:
        rules: the rules to test.
        matches: number of matches.
        seed: random seed.
        player: player who makes every second move, or None if all moves are random. A game needs
            such a player if random matches rarely end.
        encoded: the encoder of the game (`quaternity.environments.episode.Encoded`), or None.

    Raises:
        LawViolation: If the rules break a law. The error describes the first violation.
    """
    moves = over = alike = 0
    for number in range(matches):
        walk = _Walk(rules, Random(f"{seed}/{number}"), player, encoded)
        try:
            walk.run()
        except LawViolation as error:
            played = "; ".join(f"{seat} {rules.write(move)}" for seat, move in walk.moves)
            where = f"{rules.name}, match {number} of seed {seed}"
            raise LawViolation(f"{where}: {error}\nafter {played}") from error
        moves += len(walk.moves)
        over += not rules.to_act(walk.position)
        alike += walk.alike
    return Conformance(matches, moves, over, alike)


class _Walk:
    def __init__(self, rules: Any, random: Random, player: Any, encoded: Any) -> None:
        self.rules, self.random, self.player = rules, random, player
        self.encoded = encoded
        same_random = deepcopy(random)
        self.position = rules.start(random)
        expect(
            self.position == rules.start(same_random),
            "start() uses another source of randomness than its argument",
        )
        self.positions = [self.position]
        self.moves: list[tuple[int, Any]] = []
        self.other_moves: list[Any] = []
        self.alike = 0

    def run(self) -> None:
        rules = self.rules
        names = tuple(f"seat {number}" for number in range(rules.seats))
        record = rules.record_start(self.position, names)
        ends = [len(record.encode())]
        while len(self.moves) < MAX_MATCH_MOVES:
            acting = list(rules.to_act(self.position))
            as_it_was = deepcopy(self.position)
            self.check_scores(acting)
            for seat in range(rules.seats):
                self.check_moves(seat, acting)
            self.check_indistinguishable(self.random.randrange(rules.seats))
            self.check_indistinguishable(None)
            if not acting:
                break
            seat = self.random.choice(acting)
            move = self.draw_move(seat)
            before, self.position = self.position, rules.after(self.position, seat, move)
            expect(before == as_it_was, "after() changes the position before the move")
            record += rules.record_move(before, seat, move, self.position)
            ends.append(len(record.encode()))
            self.positions.append(self.position)
            self.moves.append((seat, move))
            self.other_moves = [*self.other_moves[-MAX_TRIED_MOVES:], move]
        self.check_record(record.encode(), names, ends)

    def check_record(self, data: bytes, names: Sequence[str], ends: Sequence[int]) -> None:
        """Check that replaying the record of a match gives the same match.

        Replaying the first part of the record must give the beginning of the match.
        """
        rules = self.rules
        expect(
            rules.of_record(data).settings == rules.settings,
            "the replayed record has other settings than the match",
        )
        replay = rules.replay(data)
        expect(
            list(replay.positions) == self.positions,
            "the replayed record has other positions than the match",
        )
        expect(
            list(replay.moves) == self.moves, "the replayed record has other moves than the match"
        )
        expect(replay.names in ((), names), "the replayed record has other names than the match")
        expect(
            list(replay.ends) == ends,
            "in the replayed record, moves end at other bytes than in the match",
        )
        for cut in (*self.random.choices(ends, k=3), *self.random.choices(range(len(data)), k=5)):
            whole = sum(end <= cut for end in ends[1:])
            try:
                part = rules.replay(data[:cut])
            except QuaternityError as error:
                expect(
                    cut < ends[0], f"a record cut off after {cut} bytes cannot be replayed: {error}"
                )
                continue
            moves = len(part.moves)
            expect(
                abs(moves - whole) <= 1
                and list(part.moves) == self.moves[:moves]
                and list(part.positions) == self.positions[: moves + 1],
                f"a record cut off after {cut} bytes does not give the beginning of the match",
            )

    def draw_move(self, seat: int) -> Any:
        view = self.rules.view(self.position, seat)
        legal = self.rules.moves(view)
        expect(bool(legal), f"seat {seat} may act, but has no legal move")
        if self.player is not None and len(self.moves) % 2:
            move = self.player.choose(view, self.random)
            if move is not None:
                return move
        return self.random.choice(list(legal))

    def check_scores(self, acting: Sequence[int]) -> None:
        places = self.rules.places(self.position)
        expect(
            len(self.rules.points(self.position)) == self.rules.seats,
            "points() does not have one entry for each seat",
        )
        expect(
            (places is None) == bool(acting), "places() must be None exactly while a seat may act"
        )
        ranks = [1 + sum(other < x for other in places or ()) for x in places or ()]
        expect(
            places is None or (len(places) == self.rules.seats and list(places) == ranks),
            f"places() returned {places}, which is not a valid ranking",
        )

    def check_moves(self, seat: int, acting: Sequence[int]) -> None:
        rules, position = self.rules, self.position
        view, may_act = rules.view(position, seat), seat in acting
        if not may_act:
            # A seat must not be able to make the moves of another seat.
            for other in (seat, *acting):
                for move in islice(rules.moves(rules.view(position, other)), 2):
                    self.check_refusal(seat, move)
        legal = rules.moves(view) if may_act else ()
        moves = list(legal)
        if may_act and self.encoded is not None:
            self.check_encoding(view, moves)
        expect(len(moves) == len(legal), "len(moves()) is not the number of its moves")
        for move in self.random.sample(moves, min(len(moves), MAX_TRIED_MOVES)):
            expect(move in legal, f"moves() lists {move}, but does not contain it")
            expect(not rules.faults(view, move), f"faults() refuses {move}, a legal move")
            expect(
                rules.read(rules.write(move), view) == move, f"read() does not invert write({move})"
            )
            after = rules.after(position, seat, move)
            events = rules.events(position, seat, move, after)
            expect(
                all(isinstance(t, str) and t for t in events), "an event is empty or not a string"
            )
        for move in self.other_moves:
            if may_act:
                expect(
                    (move in legal) == (not rules.faults(view, move)),
                    f"moves() and faults() disagree about {move}",
                )
            if not may_act or move not in legal:
                self.check_refusal(seat, move)

    def check_encoding(self, view: Any, legal: Sequence[Any]) -> None:
        """Check that the numbers and actions of a view are valid and match the legal moves."""
        encoded = self.encoded
        actions = [action for action, allowed in enumerate(encoded.mask(view)) if allowed]
        expect(
            len(encoded.mask(view)) == encoded.actions,
            "the length of mask() is not the number of actions",
        )
        decoded = [encoded.move(action, view) for action in actions]
        moves = [move for move in decoded if move is not None]
        expect(
            len(moves) == len(legal) and all(move in legal for move in moves),
            f"mask() allows {len(moves)} moves, which are not the {len(legal)} legal moves",
        )
        expect(len(moves) >= len(decoded) - 1, "more than one action stands for waiting")
        expect(
            [encoded.action(move, view) for move in decoded] == actions,
            "action() is not the inverse of move()",
        )
        numbers = list(encoded.numbers(view))
        expect(
            len(numbers) == sum(count for _, count, _ in encoded.entries),
            "the length of numbers() does not match the entries",
        )
        expect(
            all(0 <= number <= 1 for number in numbers),
            "numbers() contains a number that is not between 0 and 1",
        )

    def check_refusal(self, seat: int, move: Any) -> None:
        try:
            self.rules.after(self.position, seat, move)
        except IllegalMove as error:
            expect(bool(error.faults), f"{move} is refused without a reason")
        else:
            raise LawViolation(f"{move} of seat {seat} is not a legal move, but is accepted")

    def check_indistinguishable(self, seat: int | None) -> None:
        """Check that an observer notices no difference between two positions with the same view.

        The observer is a seat. None stands for a bystander.
        """
        rules, observer = self.rules, _observer_name(seat)
        view = rules.view(self.position, seat)
        other = rules.like(view, self.random)
        self.alike += 1
        real, twin = self.position, other
        for _ in range(3):
            first, second = rules.view(real, seat), rules.view(twin, seat)
            expect(first == second, f"{observer}: indistinguishable positions have different views")
            expect(
                json.dumps(rules.view_json(first)) == json.dumps(rules.view_json(second)),
                f"{observer}: equal views have different JSON documents",
            )
            if self.encoded is not None:
                expect(
                    bytes(self.encoded.numbers(first)) == bytes(self.encoded.numbers(second))
                    and self.encoded.mask(first) == self.encoded.mask(second),
                    f"{observer}: equal views have different numbers",
                )
            table = rules.show(first)
            expect(table == rules.show(second), f"{observer}: equal views are shown differently")
            expect(
                max(map(len, table.splitlines())) <= 80,
                f"{observer}: the output of show() does not fit 80 columns",
            )
            expect(
                list(islice(rules.moves(first), MAX_TRIED_MOVES))
                == list(islice(rules.moves(second), MAX_TRIED_MOVES)),
                f"{observer}: equal views have different legal moves",
            )
            for move in self.other_moves:
                expect(
                    list(rules.faults(first, move)) == list(rules.faults(second, move))
                    and (
                        seat is None
                        or self.refusal_text(real, seat, move)
                        == self.refusal_text(twin, seat, move)
                    ),
                    f"{observer}: equal views give different reasons for refusing {move}",
                )
            step = self.move_in_both(seat, real, twin)
            if step is None:
                return
            real, twin = step

    def refusal_text(self, position: Any, seat: int, move: Any) -> str:
        try:
            self.rules.after(position, seat, move)
        except IllegalMove as error:
            return str(error)
        return ""

    def move_in_both(self, observer: int | None, real: Any, twin: Any) -> tuple[Any, Any] | None:
        """Make the same random move in two positions that an observer cannot distinguish.

        Return both new positions. Return None if no seat may move, if the move is illegal in the
        second position, or if the two moves have different events.
        """
        rules = self.rules
        acting = list(rules.to_act(real))
        expect(
            acting == list(rules.to_act(twin)),
            "different seats may act in indistinguishable positions",
        )
        if not acting:
            return None
        seat = self.random.choice(acting)
        move = self.random.choice(list(rules.moves(rules.view(real, seat))))
        if rules.faults(rules.view(twin, seat), move):
            return None
        after, other = rules.after(real, seat, move), rules.after(twin, seat, move)
        news = map(document, rules.events(real, seat, move, after))
        if list(news) != list(map(document, rules.events(twin, seat, move, other))):
            expect(
                rules.view(after, observer) != rules.view(other, observer),
                f"{_observer_name(observer)}: the events of {move} reveal more than the views "
                f"after it",
            )
            return None
        return after, other


def _observer_name(seat: int | None) -> str:
    return "a bystander" if seat is None else f"seat {seat}"


def expect(holds: bool, message: str) -> None:
    """Raise `LawViolation` with a message if a condition is false."""
    if not holds:
        raise LawViolation(message)
