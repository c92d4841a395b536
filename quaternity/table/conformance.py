"""What every game must keep to, as one function: for games of your own.

    from quaternity.table.conformance import check_rules

    def test_my_game():
        check_rules(MyRules())

The laws are tried on random matches. They know no game, so they cannot know what a game's rules
ought to be (that a wrong claim costs a point, say): pin those by tests of your own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from quaternity.errors import IllegalMove, QuaternityError

MOST_MOVES = 400
"""Moves after which a random match is left."""

MOST_TRIED = 12
"""Moves of a position that are tried out."""


class BrokenLaw(QuaternityError):
    """A game breaks a law; says which, and in which match."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """What was tried.

    Attributes:
        matches, moves: random matches, and their moves.
        over: matches that came to their end.
        alike: positions looked at beside another one that gives a seat the same view.
    """

    matches: int
    moves: int
    over: int
    alike: int


def check_rules(rules: Any, matches: int = 20, seed: int = 0, player: Any = None) -> Conformance:
    """Try all laws on random matches.

    Args:
        rules: of the game (`quaternity.table.protocol.Rules`).
        matches: how many.
        seed: of everything random.
        player: makes every other move, for games that do not come to an end by chance.

    Raises:
        BrokenLaw: at the first law that does not hold.

    Cost: some forty runs of each of the rules' functions per move.
    """
    moves = over = alike = 0
    for number in range(matches):
        walk = _Walk(rules, Random(f"{seed}/{number}"), player)
        try:
            walk.run()
        except BrokenLaw as error:
            played = "; ".join(f"{seat} {rules.write(move)}" for seat, move in walk.moves)
            where = f"{rules.name}, match {number} of seed {seed}"
            raise BrokenLaw(f"{where}: {error}\nafter {played}") from error
        moves += len(walk.moves)
        over += not rules.to_act(walk.position)
        alike += walk.alike
    return Conformance(matches, moves, over, alike)


class _Walk:
    """One random match, looked at move by move."""

    def __init__(self, rules: Any, random: Random, player: Any) -> None:
        self.rules, self.random, self.player = rules, random, player
        self.position = rules.start(random)
        self.positions = [self.position]
        self.moves: list[tuple[int, Any]] = []
        self.other_moves: list[Any] = []
        self.alike = 0

    def run(self) -> None:
        """Play to the end, or to `MOST_MOVES`."""
        rules = self.rules
        record = rules.record_start(self.position, [f"seat {one}" for one in range(rules.seats)])
        names = tuple(f"seat {one}" for one in range(rules.seats))
        while len(self.moves) < MOST_MOVES:
            acting = list(rules.to_act(self.position))
            self.scores(acting)
            for seat in range(rules.seats):
                self.offers(seat, seat in acting)
                self.looks_alike(seat)
            if not acting:
                break
            seat = self.random.choice(acting)
            move = self.drawn(seat)
            before, self.position = self.position, rules.after(self.position, seat, move)
            expect(before == self.positions[-1], "a move changes the position it is made in")
            record += rules.record_move(before, seat, move, self.position)
            self.positions.append(self.position)
            self.moves.append((seat, move))
            self.other_moves = [*self.other_moves[-MOST_TRIED:], move]
        again = rules.replay(record.encode())
        expect(list(again.positions) == self.positions, "a record gives other positions")
        expect(list(again.moves) == self.moves, "a record gives other moves")
        expect(again.names in ((), names), "a record gives other names")

    def drawn(self, seat: int) -> Any:
        """A legal move."""
        view = self.rules.view(self.position, seat)
        legal = self.rules.moves(view)
        expect(bool(legal), f"seat {seat} may act and has no move")
        if self.player is not None and len(self.moves) % 2:
            move = self.player.choose(view, self.random)
            if move is not None:
                return move
        return self.random.choice(list(legal))

    def scores(self, acting: Sequence[int]) -> None:
        """Points and places fit the seats, and places are there when nobody may act."""
        places = self.rules.places(self.position)
        expect(len(self.rules.points(self.position)) == self.rules.seats, "not one score per seat")
        expect((places is None) == bool(acting), "places are for games that are over, and for all")
        expect(
            places is None or (len(places) == self.rules.seats and min(places) == 1),
            f"{places} are not places",
        )

    def offers(self, seat: int, may_act: bool) -> None:
        """What is offered is taken and can be typed; what is not offered is refused."""
        rules, position = self.rules, self.position
        view = rules.view(position, seat)
        legal = rules.moves(view) if may_act else ()
        tried = list(legal)
        expect(len(tried) == len(legal), "the number of moves is not how many there are")
        for move in self.random.sample(tried, min(len(tried), MOST_TRIED)):
            expect(move in legal, f"{move} is offered and is not in what is offered")
            expect(not rules.faults(view, move), f"{move} is offered and has faults")
            expect(rules.read(rules.write(move), view) == move, f"{move} is read as another move")
            after = rules.after(position, seat, move)
            told = rules.events(position, seat, move, after)
            expect(all(isinstance(one, str) and one for one in told), "an event is no sentence")
        for move in self.other_moves:
            if may_act:
                expect((move in legal) == (not rules.faults(view, move)), f"{move} is half legal")
            if not may_act or move not in legal:
                self.refused(seat, move)

    def refused(self, seat: int, move: Any) -> None:
        """A move that is not offered is refused, with reasons."""
        try:
            self.rules.after(self.position, seat, move)
        except IllegalMove as error:
            expect(bool(error.faults), f"{move} is refused without a reason")
        else:
            raise BrokenLaw(f"{move} of seat {seat} is not offered, and is taken")

    def looks_alike(self, seat: int) -> None:
        """What a seat cannot tell apart is offered, refused, shown and told alike."""
        rules = self.rules
        view = rules.view(self.position, seat)
        other = rules.like(view, self.random)
        self.alike += 1
        mine, its = self.position, other
        for _ in range(3):
            first, second = rules.view(mine, seat), rules.view(its, seat)
            expect(first == second, f"seat {seat}: the views of positions that look alike differ")
            expect(
                json.dumps(rules.view_json(first)) == json.dumps(rules.view_json(second)),
                f"seat {seat}: the documents of views that are equal differ",
            )
            expect(rules.show(first) == rules.show(second), f"seat {seat}: they are shown apart")
            expect(
                list(islice(rules.moves(first), MOST_TRIED))
                == list(islice(rules.moves(second), MOST_TRIED)),
                f"seat {seat}: other moves are offered",
            )
            for move in self.other_moves:
                expect(
                    list(rules.faults(first, move)) == list(rules.faults(second, move)),
                    f"seat {seat}: {move} is refused in other words",
                )
            step = self.both(seat, mine, its)
            if step is None:
                return
            mine, its = step

    def both(self, looking: int, mine: Any, its: Any) -> tuple[Any, Any] | None:
        """The same move in two positions, when it is legal in both and everybody sees the same."""
        rules = self.rules
        acting = list(rules.to_act(mine))
        if not acting or acting != list(rules.to_act(its)):
            return None
        seat = self.random.choice(acting)
        move = self.random.choice(list(rules.moves(rules.view(mine, seat))))
        if rules.faults(rules.view(its, seat), move):
            return None
        after, other = rules.after(mine, seat, move), rules.after(its, seat, move)
        if rules.events(mine, seat, move, after) != rules.events(its, seat, move, other):
            expect(
                rules.view(after, looking) != rules.view(other, looking),
                f"seat {looking}: of {move} more is told than is seen afterwards",
            )
            return None
        return after, other


def expect(holds: bool, otherwise: str) -> None:
    """Raise `BrokenLaw` unless a condition holds."""
    if not holds:
        raise BrokenLaw(otherwise)


__all__ = ["MOST_MOVES", "BrokenLaw", "Conformance", "check_rules"]
