"""Judges that review games of Quarto and SET, in which nothing is hidden."""

from __future__ import annotations

from random import Random
from typing import Any

from quaternity.base.deadline import Deadline
from quaternity.base.sentences import Message, MessageTemplate
from quaternity.quarto.board import winning_cells
from quaternity.quarto.players import Careful, Search
from quaternity.quarto.rules import QuartoPosition
from quaternity.quarto.solving import SOLVE_LIMIT, Outcome, QuartoMove, RatedMove, rated_moves
from quaternity.review.judge import Judge, MoveValue
from quaternity.review.recorded_game import RecordedGame, Shares
from quaternity.ternary.rules import MORE, SetMove, SetPosition
from quaternity.ternary.sentences import DescribedCards

WOULD = MessageTemplate(
    "would", "With best play, '{best}' leads to a {outcome}, and this move to a {became}."
)
ENDS = {x: MessageTemplate(x.name.lower(), x.name.lower())() for x in Outcome}
MISSED_QUARTO = MessageTemplate("missed_quarto", "'{best}' would have won at once.")
LAY_THERE = MessageTemplate("lay_there", "A {three} lay on the table: {cards}.")
WRONG_CLAIM = MessageTemplate("wrong_claim", "A wrong claim costs a point.")

MAX_CELLS, MAX_CELLS_QUICK = 9, 8
"""Maximum number of empty cells on a Quarto board that is solved. The second limit applies if the
time limit is less than five seconds. With this limit, solving takes 0.7 s."""

ADVICE_GAMES = 400
"""Number of games that the computer player `search` simulates to choose the advised move."""


class QuartoJudge(Judge):
    """Judge of Quarto, which is exact near the end of a game and if a quarto is possible."""

    player, cost = "careful", 0.3

    def __init__(self, rules: Any, deadline: Deadline) -> None:
        super().__init__(rules, deadline)
        self._max_cells = MAX_CELLS if deadline.seconds >= 5 else MAX_CELLS_QUICK
        self._known: dict[QuartoPosition, tuple[RatedMove, ...]] = {}

    def _rate_moves(self, position: QuartoPosition) -> tuple[RatedMove, ...]:
        if len(position.board.empty) > self._max_cells:
            return ()
        if position not in self._known:
            rated = rated_moves(position.board, position.in_hand, position.squares)
            self._known[position] = rated
        return self._known[position]

    def exact(self, position: QuartoPosition) -> Shares | None:
        """Return each seat's share of the win (0 to 1) under perfect play, if it can be solved."""
        rated = self._rate_moves(position)
        share = (rated[0].outcome + 1) / 2 if rated else 0.0
        shares = (share, 1 - share) if position.turn == 0 else (1 - share, share)
        return shares if rated else None

    def move_value(
        self, before: QuartoPosition, seat: int, move: QuartoMove, after: QuartoPosition
    ) -> MoveValue | None:
        """Return the value of a move, compared with the best move under perfect play.

        If the position is not solved, return the value only if the player made or missed a quarto,
        and None otherwise.
        """
        rated = self._rate_moves(before)
        if rated:
            best, made = rated[0], next(x for x in rated if x.move == move)
            played, maximum = (made.outcome + 1) / 2, (best.outcome + 1) / 2
            if played == maximum:
                return MoveValue(played, maximum, None)
            note = WOULD(best=best.move, outcome=ENDS[best.outcome], became=ENDS[made.outcome])
            return MoveValue(played, maximum, best.move, note=note)
        if before.in_hand is None:
            return None
        winning = winning_cells(before.board, before.in_hand, before.squares)
        if after.quartos or not winning:
            return MoveValue(1.0, 1.0, None) if after.quartos else None
        quarto = QuartoMove(winning[0], None)
        return MoveValue(None, 1.0, quarto, note=MISSED_QUARTO(best=quarto))

    def advice(self, view: QuartoPosition, random: Random) -> QuartoMove:
        """Return the move that the player `search` (or `careful`, if it is faster) would make."""
        near = len(view.board.empty) <= SOLVE_LIMIT
        return Careful().choose(view, random) if near else Search(ADVICE_GAMES).choose(view, random)


class SetJudge(Judge):
    """A judge of SET, which finds the triples that were on the table."""

    player, cost = "quick", 0.4

    def notes(self, game: RecordedGame, index: int) -> list[Message]:
        """Return a list with a message if the player overlooked a triple. Otherwise return []."""
        seat, view = game.moves[index][0], game.position(index).seen
        right = len(game.position(index + 1).seen.taken[seat]) > len(view.taken[seat])
        if right or not view.threes:
            return []
        cards = DescribedCards(view.threes[0])
        return [LAY_THERE(three=view.settings.rule.three, cards=cards)]

    def move_value(
        self, before: SetPosition, seat: int, move: SetMove, after: SetPosition
    ) -> MoveValue | None:
        """Return the value of a wrong claim, which is always a mistake. None for other moves."""
        if before.seen.wrong == after.seen.wrong:
            return None
        best = SetMove(before.seen.threes[0]) if before.seen.threes else MORE
        return MoveValue(None, None, best, note=WRONG_CLAIM())
