"""The successors of a canonical state, computed by `State.after`: the reference for fast code."""

from __future__ import annotations

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.transition import tied_players
from quaternity.perfect.keys.canonical import Key, KeyCodec, StateParts, canonical_form
from quaternity.perfect.keys.kinds import NumberedKind
from quaternity.perfect.successors.one_state import Choice, Reply, canonical_after


def choices_by_state(code: KeyCodec, key: Key) -> list[Choice]:
    """Return all questions of a canonical state.

    Cost: one `State.after` and one canonical form for each answer.
    """
    parts = code.parts(key)
    if parts.place == code.rules.players:
        return _chances(code, parts)
    state = code.state(key)
    order = code.order(parts)
    unique: dict[Choice, None] = {}
    seen: set[tuple[int, NumberedKind, int]] = set()
    for asked, set_index, cards, answers in state.legal_questions.groups():
        row = state.rows()[set_index]
        kind = code.book.kind(row.constraint.owners, row.constraint.low)
        asking = asked, kind, row.constraint.owners[cards[0]]
        if asking in seen:
            continue
        seen.add(asking)
        question = Question(order.index(0), asked, Card(set_index, cards[0]))
        replies = []
        for answer in answers:
            after = canonical_after(code, state, question, answer)
            roles = tuple([order[player] for player in after.roles])
            replies.append(Reply(answer, after.key, roles))
        unique[Choice(order[asked], tuple(replies))] = None
    return list(unique)


def _chances(code: KeyCodec, parts: StateParts) -> list[Choice]:
    kinds = [code.book.by_number(number) for number in parts.kinds]
    return [
        Choice(
            code.rules.players,
            (Reply(Answer.NO, *canonical_form(code, kinds, parts.hands, parts.points, player)),),
        )
        for player in tied_players(parts.hands, parts.points)
    ]
