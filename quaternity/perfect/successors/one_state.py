"""The moves in one canonical state, and the states that follow, for games of any size.

`quaternity.perfect.successors.many_states` is faster for many states, but supports only some sizes
of games. For each kind of set (`quaternity.perfect.keys.kinds`), the possible questions and
the kind of the set after each answer are computed once and cached. In each state, the coalition
tables of the sets (`solvers.coalition_tables`) decide which of these answers are possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quaternity.game.question import Answer, Question
from quaternity.game.settings import TieBreak
from quaternity.game.state import State
from quaternity.game.transition import (
    break_tie,
    hands_after,
    may_be_asked,
    next_to_ask,
    tied_players,
)
from quaternity.perfect.keys.canonical import (
    Canonical,
    Key,
    KeyCodec,
    StateParts,
    canonical,
    canonical_chance,
    canonical_end,
    canonical_form,
    closed_kinds,
)
from quaternity.perfect.keys.kinds import NumberedKind, Roles


class Reply(NamedTuple):
    """An answer, and the canonical state that it leads to.

    Attributes:
        answer: the answer, or no for a draw by chance.
        key: the key of the canonical state afterwards.
        roles: `roles[role]` is the previous role of the player who has `role` afterwards.
    """

    answer: Answer
    key: Key
    roles: Roles


class Choice(NamedTuple):
    """A question that stands for all questions with the same effect, and its legal answers.

    Questions have the same effect if the same role answers, with the same legal answers, and if
    each answer leads to the same canonical state with the same roles. Examples are questions to one
    role for interchangeable cards of a set, or for cards that the role is known not to own.

    Attributes:
        asked: the role that answers. The number of players stands for chance, which draws the
            player to move.
        replies: a reply for each legal answer.
    """

    asked: int
    replies: tuple[Reply, ...]


def choices(code: KeyCodec, key: Key) -> list[Choice]:
    """Return the questions of a canonical state. Questions with the same effect are listed once.

    The list is empty if the game is over. This takes about 20 microseconds for each answer.
    """
    return [choice for _, choice in counted_choices(code, key)]


def counted_choices(code: KeyCodec, key: Key) -> list[tuple[int, Choice]]:
    """Return pairs: how many questions have the same effect, and the `Choice` that stands for them.

    Questions for different cards count separately. The function `choices` returns the same
    questions.
    """
    parts = code.parts(key)
    kinds = [code.book.by_number(number) for number in parts.kinds]
    if parts.place == code.rules.players:
        return [(1, choice) for choice in _chances(code, parts, kinds)]
    layout, hands = code.book.layout, parts.hands
    guard, member = layout.guard, layout.member
    asked_of = [may_be_asked(answers, code.rules.brisk) for answers in range(4)]
    slack = layout.slack([kind.table for kind in kinds], hands)
    different: dict[Choice, int] = {}
    for index, kind in enumerate(kinds):
        if index and kinds[index - 1] is kind:
            continue
        remaining = slack - kind.table
        others = kinds[:index] + kinds[index + 1 :]
        alike = kinds.count(kind)
        for asked, no, yes, cards in kind.questions():
            if not hands[asked]:
                continue
            no_slack = 0 if no is None else remaining + no.table
            yes_slack = 0 if yes is None else remaining + yes.table + member[asked] - member[0]
            legal = (no_slack & guard == guard) + 2 * (yes_slack & guard == guard)
            if not asked_of[legal]:
                continue
            replies = []
            if no is not None and legal & 1:
                settled = _settle(code, parts, [*others, no], no_slack, hands, asked, Answer.NO)
                replies.append(Reply(Answer.NO, *settled))
            if yes is not None and legal & 2:
                moved = hands_after(hands, 0, asked, True)
                settled = _settle(code, parts, [*others, yes], yes_slack, moved, asked, Answer.YES)
                replies.append(Reply(Answer.YES, *settled))
            choice = Choice(asked, tuple(replies))
            different[choice] = different.get(choice, 0) + alike * cards
    return [(count, choice) for choice, count in different.items()]


def _settle(
    code: KeyCodec,
    before: StateParts,
    kinds: Sequence[NumberedKind],
    slack: int,
    hands: Sequence[int],
    asked: int,
    answer: Answer,
) -> Canonical:
    remaining = [kind.close(slack) for kind in kinds]
    points: Sequence[int] = before.points
    if any(kind.owner is not None for kind in remaining):
        hands, points = list(hands), list(points)
        for kind in remaining:
            if kind.owner is not None:
                hands[kind.owner] -= code.rules.set_size
                points[kind.owner] += 1
        remaining = [kind for kind in remaining if kind.owner is None]
        if not remaining:
            return canonical_end(code, points)
    order = code.order(before)
    turn = next_to_ask(0, asked, answer, hands)
    if turn is None:
        turn, *others = tied = break_tie(hands, points, code.rules.tie_break, order)
        if others:
            return canonical_chance(code, remaining, hands, points, tied)
    if not before.place:
        return canonical_form(code, remaining, hands, points, turn)
    # The form depends on the order of the players, so name the players in this order, and convert
    # the names back to roles.
    names = tuple(order)
    form = canonical_form(
        code,
        [kind.rename(names) for kind in remaining],
        [hands[role] for role in names],
        [points[role] for role in names],
        names.index(turn),
    )
    return Canonical(form.key, tuple([names[player] for player in form.roles]))


def _chances(code: KeyCodec, parts: StateParts, kinds: Sequence[NumberedKind]) -> list[Choice]:
    return [
        Choice(
            code.rules.players,
            (Reply(Answer.NO, *canonical_form(code, kinds, parts.hands, parts.points, player)),),
        )
        for player in tied_players(parts.hands, parts.points)
    ]


def canonical_after(code: KeyCodec, state: State, question: Question, answer: Answer) -> Canonical:
    """Return the canonical form of the state after a question and its answer.

    If chance then draws the player to move, return the canonical form before the draw.
    """
    after = state.after(question, answer)
    if tied := drawn_players(state, question, after):
        return canonical_chance(code, closed_kinds(code, after), after.hands, after.points, tied)
    return canonical(after)


def drawn_players(state: State, question: Question, after: State) -> list[int]:
    """Return the players among whom chance draws the next player, or an empty list for no draw."""
    hands = after.hands
    if (
        state.tie_break is not TieBreak.MIN_SETS
        or hands[question.asker]
        or hands[question.asked]
        or after.is_over
    ):
        return []
    tied = tied_players(hands, after.points)
    return tied if len(tied) > 1 else []
