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
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from quaternity.base.errors import IllegalMove, QuaternityError
from quaternity.base.sentences import document

MAX_MATCH_MOVES = 400
"""Number of moves after which a random match is stopped."""

MAX_TRIED_MOVES = 12
"""Maximum number of moves that are tried in a position."""


class BrokenLaw(QuaternityError):
    """A game breaks a law; says which, and in which match."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """What was tried; `alike` are positions beside another that gives a seat the same view."""

    matches: int
    moves: int
    over: int
    alike: int


def check_rules(
    rules: Any, matches: int = 20, seed: int = 0, player: Any = None, encoded: Any = None
) -> Conformance:
    """Try all laws on random matches; some forty runs of each of the rules' functions per move.

    Args:
        seed: of everything random.
        player: makes every other move, for games that do not come to an end by chance.
        encoded: the game in numbers (`quaternity.environments.episode.Encoded`), if it has them.

    Raises:
        BrokenLaw: at the first law that does not hold.
    """
    moves = over = alike = 0
    for number in range(matches):
        walk = _Walk(rules, Random(f"{seed}/{number}"), player, encoded)
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
    def __init__(self, rules: Any, random: Random, player: Any, encoded: Any) -> None:
        self.rules, self.random, self.player = rules, random, player
        self.encoded = encoded
        again = deepcopy(random)
        self.position = rules.start(random)
        expect(
            self.position == rules.start(again), "a start is by chance other than what it is given"
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
            self.scores(acting)
            for seat in range(rules.seats):
                self.offers(seat, acting)
            self.looks_alike(self.random.randrange(rules.seats))
            self.looks_alike(None)
            if not acting:
                break
            seat = self.random.choice(acting)
            move = self.drawn(seat)
            before, self.position = self.position, rules.after(self.position, seat, move)
            expect(before == as_it_was, "a move changes the position it is made in")
            record += rules.record_move(before, seat, move, self.position)
            ends.append(len(record.encode()))
            self.positions.append(self.position)
            self.moves.append((seat, move))
            self.other_moves = [*self.other_moves[-MAX_TRIED_MOVES:], move]
        self.recorded(record.encode(), names, ends)

    def recorded(self, data: bytes, names: Sequence[str], ends: Sequence[int]) -> None:
        """Check that a record gives the match, and one that is cut off its beginning."""
        rules = self.rules
        expect(rules.of_record(data).settings == rules.settings, "a record gives other settings")
        again = rules.replay(data)
        expect(list(again.positions) == self.positions, "a record gives other positions")
        expect(list(again.moves) == self.moves, "a record gives other moves")
        expect(again.names in ((), names), "a record gives other names")
        expect(list(again.ends) == ends, "a record does not say where its moves end")
        for cut in (*self.random.choices(ends, k=3), *self.random.choices(range(len(data)), k=5)):
            whole = sum(end <= cut for end in ends[1:])
            try:
                part = rules.replay(data[:cut])
            except QuaternityError as error:
                expect(cut < ends[0], f"a record that is cut off after {cut} bytes: {error}")
                continue
            moves = len(part.moves)
            expect(
                abs(moves - whole) <= 1
                and list(part.moves) == self.moves[:moves]
                and list(part.positions) == self.positions[: moves + 1],
                f"a record that is cut off after {cut} bytes is not its beginning",
            )

    def drawn(self, seat: int) -> Any:
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
        ranks = [1 + sum(other < x for other in places or ()) for x in places or ()]
        expect(
            places is None or (len(places) == self.rules.seats and list(places) == ranks),
            f"{places} are not places",
        )

    def offers(self, seat: int, acting: Sequence[int]) -> None:
        """Check that what is offered is taken and can be typed, and the rest refused."""
        rules, position = self.rules, self.position
        view, may_act = rules.view(position, seat), seat in acting
        if not may_act:
            # Not even what another seat may do now.
            for other in (seat, *acting):
                for move in islice(rules.moves(rules.view(position, other)), 2):
                    self.refused(seat, move)
        legal = rules.moves(view) if may_act else ()
        tried = list(legal)
        if may_act and self.encoded is not None:
            self.encodes(view, tried)
        expect(len(tried) == len(legal), "the number of moves is not how many there are")
        for move in self.random.sample(tried, min(len(tried), MAX_TRIED_MOVES)):
            expect(move in legal, f"{move} is offered and is not in what is offered")
            expect(not rules.faults(view, move), f"{move} is offered and has faults")
            expect(rules.read(rules.write(move), view) == move, f"{move} is read as another move")
            after = rules.after(position, seat, move)
            events = rules.events(position, seat, move, after)
            expect(all(isinstance(t, str) and t for t in events), "an event is no sentence")
        for move in self.other_moves:
            if may_act:
                expect((move in legal) == (not rules.faults(view, move)), f"{move} is half legal")
            if not may_act or move not in legal:
                self.refused(seat, move)

    def encodes(self, view: Any, legal: Sequence[Any]) -> None:
        """Actions are the legal moves, one each; numbers are as many as is said, 0 to 1."""
        encoded = self.encoded
        offered = [action for action, allowed in enumerate(encoded.mask(view)) if allowed]
        expect(len(encoded.mask(view)) == encoded.actions, "not one entry of the mask per action")
        meant = [encoded.move(action, view) for action in offered]
        moves = [move for move in meant if move is not None]
        expect(
            len(moves) == len(legal) and all(move in legal for move in moves),
            f"the mask has {len(moves)} moves, or others, where {len(legal)} are legal",
        )
        expect(len(moves) >= len(meant) - 1, "several actions are to wait")
        expect(
            [encoded.action(move, view) for move in meant] == offered,
            "a move has another number than the action that means it",
        )
        numbers = list(encoded.numbers(view))
        expect(
            len(numbers) == sum(count for _, count, _ in encoded.entries),
            "the numbers are not as many as their entries say",
        )
        expect(all(0 <= number <= 1 for number in numbers), "a number is not between 0 and 1")

    def refused(self, seat: int, move: Any) -> None:
        """Check that a move that is not offered is refused, with reasons."""
        try:
            self.rules.after(self.position, seat, move)
        except IllegalMove as error:
            expect(bool(error.faults), f"{move} is refused without a reason")
        else:
            raise BrokenLaw(f"{move} of seat {seat} is not offered, and is taken")

    def looks_alike(self, seat: int | None) -> None:
        """Check that what a seat (None: a bystander) cannot tell apart is treated alike."""
        rules, who = self.rules, _named(seat)
        view = rules.view(self.position, seat)
        other = rules.like(view, self.random)
        self.alike += 1
        mine, its = self.position, other
        for _ in range(3):
            first, second = rules.view(mine, seat), rules.view(its, seat)
            expect(first == second, f"{who}: the views of positions that look alike differ")
            expect(
                json.dumps(rules.view_json(first)) == json.dumps(rules.view_json(second)),
                f"{who}: the documents of views that are equal differ",
            )
            if self.encoded is not None:
                expect(
                    bytes(self.encoded.numbers(first)) == bytes(self.encoded.numbers(second))
                    and self.encoded.mask(first) == self.encoded.mask(second),
                    f"{who}: the numbers of views that are equal differ",
                )
            table = rules.show(first)
            expect(table == rules.show(second), f"{who}: they are shown apart")
            expect(
                max(map(len, table.splitlines())) <= 80,
                f"{who}: what is shown does not fit 80 columns",
            )
            expect(
                list(islice(rules.moves(first), MAX_TRIED_MOVES))
                == list(islice(rules.moves(second), MAX_TRIED_MOVES)),
                f"{who}: other moves are offered",
            )
            for move in self.other_moves:
                expect(
                    list(rules.faults(first, move)) == list(rules.faults(second, move))
                    and (seat is None or self.said(mine, seat, move) == self.said(its, seat, move)),
                    f"{who}: {move} is refused in other words",
                )
            step = self.both(seat, mine, its)
            if step is None:
                return
            mine, its = step

    def said(self, position: Any, seat: int, move: Any) -> str:
        try:
            self.rules.after(position, seat, move)
        except IllegalMove as error:
            return str(error)
        return ""

    def both(self, looking: int | None, mine: Any, its: Any) -> tuple[Any, Any] | None:
        """Make the same move in two positions, if it is legal and seen alike in both."""
        rules = self.rules
        acting = list(rules.to_act(mine))
        expect(acting == list(rules.to_act(its)), "others may act in a position that looks alike")
        if not acting:
            return None
        seat = self.random.choice(acting)
        move = self.random.choice(list(rules.moves(rules.view(mine, seat))))
        if rules.faults(rules.view(its, seat), move):
            return None
        after, other = rules.after(mine, seat, move), rules.after(its, seat, move)
        news = map(document, rules.events(mine, seat, move, after))
        if list(news) != list(map(document, rules.events(its, seat, move, other))):
            expect(
                rules.view(after, looking) != rules.view(other, looking),
                f"{_named(looking)}: of {move} more is told than is seen afterwards",
            )
            return None
        return after, other


def _named(seat: int | None) -> str:
    return "a bystander" if seat is None else f"seat {seat}"


def expect(holds: bool, otherwise: str) -> None:
    """Raise `BrokenLaw` unless a condition holds."""
    if not holds:
        raise BrokenLaw(otherwise)
