"""Judges of the games whose table everybody sees: Quarto and SET."""

from __future__ import annotations

from random import Random
from typing import Any

from quaternity.base.deadline import Deadline
from quaternity.base.sentences import Kind, Sentence
from quaternity.quarto.board import winning_cells
from quaternity.quarto.players import Careful, Search
from quaternity.quarto.rules import QuartoPosition
from quaternity.quarto.solving import SOLVE_LIMIT, Outcome, QuartoMove, RatedMove, rated_moves
from quaternity.review.judge import Judge, Worth
from quaternity.review.played import Played, Shares
from quaternity.ternary.rules import MORE, SetMove, SetPosition

WOULD = Kind(
    "would", "'{best}' would have kept this: {outcome}. After this move the end is: {became}."
)
ENDS = {x: Kind(x.name.lower(), x.name.lower())() for x in Outcome}
MISSED_QUARTO = Kind("missed_quarto", "'{best}' would have won at once.")
LAY_THERE = Kind("lay_there", "A {three} lay on the table: {cards:row}.")
WRONG_CLAIM = Kind("wrong_claim", "A wrong claim costs a point.")

MAX_CELLS, MAX_CELLS_QUICK = 9, 8
"""Maximum number of empty cells on a board that is solved, with at least five seconds and with
fewer (0.7 s)."""

TRIED = 400
"""Imagined games in which the move advised was chosen."""


class QuartoJudge(Judge):
    """Quarto: exact where the end is near, or a quarto at hand."""

    player, cost = "careful", 0.3

    def __init__(self, rules: Any, deadline: Deadline) -> None:
        super().__init__(rules, deadline)
        self._most = MAX_CELLS if deadline.seconds >= 5 else MAX_CELLS_QUICK
        self._known: dict[QuartoPosition, tuple[RatedMove, ...]] = {}

    def _rated(self, position: QuartoPosition) -> tuple[RatedMove, ...]:
        """Return every move with its outcome, the best first; none where it is not solved."""
        if len(position.board.empty) > self._most:
            return ()
        if position not in self._known:
            rated = rated_moves(position.board, position.in_hand, position.squares)
            self._known[position] = rated
        return self._known[position]

    def exact(self, position: QuartoPosition) -> Shares | None:
        """Return the outcome with perfect play."""
        rated = self._rated(position)
        mine = (rated[0].outcome + 1) / 2 if rated else 0.0
        shares = (mine, 1 - mine) if position.turn == 0 else (1 - mine, mine)
        return shares if rated else None

    def worth(
        self, before: QuartoPosition, seat: int, move: QuartoMove, after: QuartoPosition
    ) -> Worth | None:
        """Return the outcome with perfect play after a move, and after the best one."""
        rated = self._rated(before)
        if rated:
            best, made = rated[0], next(x for x in rated if x.move == move)
            played, most = (made.outcome + 1) / 2, (best.outcome + 1) / 2
            if played == most:
                return Worth(played, most, None)
            note = WOULD(best=best.move, outcome=ENDS[best.outcome], became=ENDS[made.outcome])
            return Worth(played, most, best.move, note=note)
        if before.in_hand is None:
            return None
        winning = winning_cells(before.board, before.in_hand, before.squares)
        if after.quartos or not winning:
            return Worth(1.0, 1.0, None) if after.quartos else None
        quarto = QuartoMove(winning[0], None)
        return Worth(None, 1.0, quarto, note=MISSED_QUARTO(best=quarto))

    def advice(self, view: QuartoPosition, random: Random) -> QuartoMove:
        """Return what the player `search` would do, or `careful` where it would solve for long."""
        near = len(view.board.empty) <= SOLVE_LIMIT
        return Careful().choose(view, random) if near else Search(TRIED).choose(view, random)


class SetJudge(Judge):
    """SET: what lay on the table."""

    player, cost = "quick", 0.4

    def notes(self, game: Played, index: int) -> list[Sentence]:
        """Return a three that lay there when somebody claimed a wrong one, or wanted more cards."""
        seat, view = game.moves[index][0], game.position(index).seen
        right = len(game.position(index + 1).seen.taken[seat]) > len(view.taken[seat])
        if right or not view.threes:
            return []
        return [LAY_THERE(three=view.settings.rule.three, cards=view.threes[0])]

    def worth(
        self, before: SetPosition, seat: int, move: SetMove, after: SetPosition
    ) -> Worth | None:
        """Return that a wrong claim costs a point."""
        if before.seen.wrong == after.seen.wrong:
            return None
        best = SetMove(before.seen.threes[0]) if before.seen.threes else MORE
        return Worth(None, None, best, note=WRONG_CLAIM())
