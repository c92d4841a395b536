"""What one step of a game leads to, for one canonical state, by way of the game's own rules.

The plain counterpart of `quaternity.play.expansion`: for any number of players that canonical
states are made for, and the way in which single positions are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quaternity.cards import Card
from quaternity.play.canonical import (
    Canonical,
    canonical,
    canonical_chance,
    canonical_form,
    closed_kinds,
)
from quaternity.play.coding import Coding, Key, Parts
from quaternity.play.kinds import Kind, Roles
from quaternity.question import Answer, Question
from quaternity.settings import TieBreak
from quaternity.state import State


class Reply(NamedTuple):
    """An answer and what it leads to.

    Attributes:
        answer: the answer; no for chance's choice.
        key: of the canonical state afterwards.
        roles: `roles[role]` is the role before of the player who has `role` afterwards.
    """

    answer: Answer
    key: Key
    roles: Roles


class Choice(NamedTuple):
    """A question up to interchangeable cards and sets that look alike.

    Attributes:
        asked: the role that answers; the number of players where chance chooses who is on turn.
        replies: one for each legal answer.
    """

    asked: int
    replies: tuple[Reply, ...]


def choices(code: Coding, key: Key) -> list[Choice]:
    """All questions of a canonical state.

    Cost: per answer one `State.after` and one canonical form.
    """
    parts = code.parts(key)
    if parts.place == code.rules.players:
        return _chances(code, parts)
    state = code.state(key)
    order = code.order(parts)
    found: dict[tuple[int, Kind, int], Choice] = {}
    for asked, set_index, cards, answers in state.legal_questions.groups():
        row = state.rows()[set_index]
        kind = code.book.kind(row.constraint.owners, row.constraint.low)
        asking = asked, kind, row.constraint.owners[cards[0]]
        if asking in found:
            continue
        question = Question(order.index(0), asked, Card(set_index, cards[0]))
        replies = []
        for answer in answers:
            after = canonical_after(code, state, question, answer)
            roles = tuple([order[player] for player in after.roles])
            replies.append(Reply(answer, after.key, roles))
        found[asking] = Choice(order[asked], tuple(replies))
    return list(found.values())


def canonical_after(code: Coding, state: State, question: Question, answer: Answer) -> Canonical:
    """The canonical form of what an answer leads to; chance's choice is left open."""
    after = state.after(question, answer)
    hands, points = after.hands, after.points
    if (
        code.rules.tie_break is TieBreak.FEWEST_SETS
        and not hands[question.asker]
        and not hands[question.asked]
        and not after.is_over
    ):
        tied = tied_players(hands, points)
        if len(tied) > 1:
            return canonical_chance(code, closed_kinds(code, after), hands, points, tied)
    return canonical(after)


def tied_players(hands: Sequence[int], points: Sequence[int]) -> list[int]:
    """Among whom the tie-break `fewest-sets` draws: fewest sets, then fewest cards in hand."""
    able = [player for player, hand in enumerate(hands) if hand]
    least = min((points[player], hands[player]) for player in able)
    return [player for player in able if (points[player], hands[player]) == least]


def _chances(code: Coding, parts: Parts) -> list[Choice]:
    kinds = [code.book.numbered(number) for number in parts.kinds]
    return [
        Choice(
            code.rules.players,
            (Reply(Answer.NO, *canonical_form(code, kinds, parts.hands, parts.points, player)),),
        )
        for player in tied_players(parts.hands, parts.points)
    ]


__all__ = ["Choice", "Reply", "canonical_after", "choices", "tied_players"]
