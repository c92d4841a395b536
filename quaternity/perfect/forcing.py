"""One question instead of all states: can a player force a win from here, and how?

Proof-number search (Allis 1994) on the graph of canonical states, each with the role of the player
who wants to win. Every state has two numbers: about how many open states must turn out well for
them, or badly, to settle it; the search opens the state on which both hang. Numbers of alternatives
are combined by their maximum, not their sum, since many ways lead to the same states (weak
proof-number search: Ueda et al. 2008). What is settled is handed to all predecessors at once. A
state from which no open one can be reached and which is not won is not won at all, since a play
without end is won by nobody: so it does no harm that positions repeat.

A state is lost for the player at sight when the opponents can wait for ever
(`quaternity.perfect.waiting`) or when others have so many sets that they cannot have more.

What was found is a strategy, for the player or for their opponents together, and `Forcing.check`
plays it out on the game's own states against everything that the other side can do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import NamedTuple

from quaternity.base.errors import InputError, SolverFault
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Move, Question
from quaternity.game.state import State
from quaternity.game.transition import answered, hands_after
from quaternity.perfect.keys.canonical import Coding, Key, Rules, alike_roles, canonical, coding
from quaternity.perfect.keys.kinds import NumberedKind
from quaternity.perfect.successors.one_state import Choice, choices, drawn
from quaternity.perfect.waiting import ring_of_opponents, waiting

MANY = 1 << 40
"""Stands for infinitely many open states."""

MOST_CAUGHT = 5_000
"""States that `caught` looks at."""

SECONDS_A_REPLY = 1.0
"""Most seconds for a reply of a strategy that was not needed to find the answer."""

Place = tuple[Key, int]
"""A canonical state, and the role of the player who wants to win."""


class Node:
    """A place in the graph.

    Attributes:
        mine: whether the player chooses the question.
        won: whether they can force a win, where that is settled.
        rank: when it was settled; a strategy leads to ever smaller ranks.
        proof, disproof: open states that must be won for it to be won, or lost to be lost.
        options: per question whether the player answers it, and what the answers lead to; None
            while the state is open.
        parents: the states that it can follow.
    """

    __slots__ = ("disproof", "mine", "options", "parents", "place", "proof", "rank", "won")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.mine = place[1] == 0
        self.won: bool | None = None
        self.rank = 0
        self.proof = self.disproof = 1
        self.options: list[tuple[bool, tuple[Node, ...]]] | None = None
        self.parents: list[Node] = []

    def settled(self) -> bool | None:
        """Whether it is won, as far as its successors say."""
        assert self.options is not None, "an open state has no successors yet"
        questions = [_chosen(mine, [one.won for one in after]) for mine, after in self.options]
        return _chosen(self.mine, questions)

    def count(self) -> None:
        """Work out the numbers anew from those of the successors."""
        assert self.options is not None, "an open state has no successors yet"
        questions = []
        for mine, after in self.options:
            if len(after) == 1:
                questions.append((after[0].proof, after[0].disproof))
            else:
                questions.append(_numbers(mine, [(one.proof, one.disproof) for one in after]))
        self.proof, self.disproof = _numbers(self.mine, questions)

    def successors(self) -> Iterator[Node]:
        """Yield what is not settled, the most urgent first."""
        assert self.options is not None, "an open state has no successors yet"
        ranked: list[tuple[int, int, list[Node]]] = []
        for mine, after in self.options:
            left = [one for one in after if one.won is None]
            if left and _chosen(mine, [one.won for one in after]) is None:
                left.sort(key=_urgent if mine else _weak)
                proof, disproof = _numbers(mine, [(one.proof, one.disproof) for one in after])
                ranked.append((proof if self.mine else disproof, len(ranked), left))
        for _, _, left in sorted(ranked):
            yield from left


def _urgent(node: Node) -> int:
    return node.proof


def _weak(node: Node) -> int:
    return node.disproof


def _chosen(mine: bool, outcomes: list[bool | None]) -> bool | None:
    """Return what an alternative comes to: the player's own, or one of their opponents'."""
    if mine in outcomes:
        return mine
    return None if None in outcomes else not mine


def _numbers(mine: bool, numbers: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the numbers of an alternative."""
    proofs = [proof for proof, _ in numbers]
    disproofs = [disproof for _, disproof in numbers]
    if mine:
        return min(proofs), _together(disproofs)
    return _together(proofs), min(disproofs)


def _together(numbers: list[int]) -> int:
    """Of numbers that must all come to nothing: the largest, and one for each other open one."""
    most = max(numbers)
    if not most or most >= MANY:
        return most
    return most - 1 + len(numbers) - numbers.count(0)


class ProofGraph:
    """The states of one game that searches for forced wins met, and what is settled about them.

    Attributes:
        nodes: by place; roles that are alike share one.
        weighed: answers met in the states that were opened.
    """

    def __init__(self, code: Coding, options: Callable[[Key], list[Choice]] | None = None) -> None:
        """Make a graph of no states.

        Args:
            options: the questions of a state; `choices` unless somebody keeps them.
        """
        self.code = code
        self.nodes: dict[Place, Node] = {}
        self.weighed = 0
        self._options = options or partial(choices, code)
        self._settled = 0

    def node(self, key: Key, role: int) -> Node:
        """Return a state, for the player in a role."""
        node = self.nodes.get((key, role))
        if node is None:
            alike = alike_roles(self.code, key)
            node = self.nodes.get((key, alike[role])) or Node((key, alike[role]))
            for other in [other for other, one in enumerate(alike) if one == alike[role]]:
                self.nodes[key, other] = node
            if node.won is None and (won := at_sight(self.code, node.place)) is not None:
                self._mark(node, won)
        return node

    def search(self, root: Node, seconds: float | None = None, most: float = inf) -> bool | None:
        """Whether the player of a state can force a win; None while that is open.

        Args:
            seconds: to stop after, at the next state; None is no limit.
            most: answers to weigh.
        """
        end = None if seconds is None else time.monotonic() + seconds
        most += self.weighed
        while root.won is None and self.weighed < most and (end is None or time.monotonic() < end):
            path = self._most_urgent(root)
            if path:
                self._open(path[-1])
            for node in reversed(path):
                if node.won is None:
                    node.count()
        return root.won

    def _most_urgent(self, root: Node) -> list[Node]:
        """Return the way to an open state on which much hangs.

        None of its states where no open one can be reached: then no state that can be is won.
        """
        path, seen = [root], {root}
        ways: list[Iterator[Node]] = []
        while path[-1].options is not None:
            ways.append(path[-1].successors())
            while (node := next((one for one in ways[-1] if one not in seen), None)) is None:
                ways.pop()
                path.pop()
                if not path:
                    for node in seen:
                        self._settle(node, False)
                    return []
            seen.add(node)
            path.append(node)
        return path

    def _open(self, node: Node) -> None:
        """Find what follows a state."""
        key, role = node.place
        self.weighed += 1
        if not role and caught(self.code, key):
            self._settle(node, False)
            return
        players = self.code.rules.players
        node.options = []
        for asked, replies in self._options(key):
            self.weighed += len(replies)
            if asked == players:
                node.mine = False  # chance is nobody's friend
            after = tuple([self.node(one.key, one.roles.index(role)) for one in replies])
            node.options.append((asked == role, after))
            for one in after:
                if one.won is None:
                    one.parents.append(node)
        # Where nobody can ask and sets are left, the game never ends.
        won = node.settled() if node.options else False
        if won is not None:
            self._settle(node, won)

    def _settle(self, node: Node, won: bool) -> None:
        """Mark a state as settled, and all that are settled thereby."""
        if node.won is None:
            self._mark(node, won)
        todo = [node]
        while todo:
            for parent in todo.pop().parents:
                if parent.won is None and (now := parent.settled()) is not None:
                    self._mark(parent, now)
                    todo.append(parent)

    def _mark(self, node: Node, won: bool) -> None:
        self._settled += 1
        node.won, node.rank = won, self._settled
        node.proof, node.disproof = (0, MANY) if won else (MANY, 0)


class Forcing:
    """A search for a forced win of one player from one state, and what it found.

    Attributes:
        state, player: what is asked.
    """

    def __init__(self, state: State, player: int) -> None:
        """Begin; `search` goes on.

        Raises:
            InputError: the state is impossible, does not say who is on turn, or has no such player.
            LimitError: the game is too large for canonical states.
        """
        if not 0 <= player < state.players:
            raise InputError(f"player {player}: expected 0..{state.players - 1}")
        self.state, self.player = state, player
        self.graph = ProofGraph(coding(Rules.of(state)))
        self._root = self._node_of(state)

    @property
    def can_force(self) -> bool | None:
        """Whether the player can force a win, where that is known."""
        return self._root.won

    @property
    def states(self) -> int:
        """Canonical states met, each with a role."""
        return len(self.graph.nodes)

    def search(self, seconds: float | None = None) -> bool | None:
        """Go on until the answer is known, or for so many seconds.

        Cost: an open state takes some 20 microseconds an answer; a kilobyte each is kept.
        """
        return self.graph.search(self._root, seconds)

    # ------------------------------------------------------------------ strategies

    def check(self, seconds: float | None = None) -> tuple[int, bool]:
        """Play the strategy out on the game's states, against all that the other side can do.

        Args:
            seconds: to stop after; None is no limit.

        Returns:
            The states come through, those that differ in names only being one; whether that is all.

        Raises:
            SolverFault: it does not hold what it promises.
        """
        won = self._root.won
        assert won is not None, "there is a strategy once the answer is known"
        end = None if seconds is None else time.monotonic() + seconds
        todo, seen = [self.state], {self._root}
        while todo and (end is None or time.monotonic() < end):
            state = todo.pop()
            node = self._node_of(state)
            if state.is_over or (not won and lost_at_sight(state, self.player)):
                if (state.winner == self.player) != won:
                    raise SolverFault(f"the strategy ends in {state}, not as promised")
                continue
            for _, replies in self._strategy(state, node):
                for reply in replies:
                    if won and not reply.node.rank < node.rank:
                        raise SolverFault(f"after {state} the strategy comes no nearer to its end")
                    if reply.node not in seen:
                        seen.add(reply.node)
                        todo.append(reply.after)
        return len(seen), not todo

    def line(self, most: int = 1_000) -> tuple[list[Move], int | None]:
        """One way to play on, one side by its strategy, the other such that it takes long.

        Returns:
            The moves, and after how many of them the position is the same as after all of them, but
            for names; None where they end otherwise: in the end of the game, in a state that is
            lost for the player whatever happens, or after so many moves.
        """
        state, moves, won = self.state, list[Move](), bool(self._root.won)
        seen = dict[Node, int]()
        while not state.is_over and len(moves) < most:
            node = self._node_of(state)
            if node in seen:
                return moves, seen[node]
            seen[node] = len(moves)
            if not won and lost_at_sight(state, self.player):
                asked = waiting(state, self.player) or []
                turns = [one.asker for one in asked]
                again = None
                if asked:  # the round began when whoever is on turn in the end was so before
                    again = len(moves) + len(turns) - 1 - turns[::-1].index(asked[-1].asked)
                return [*moves, *[Move(one, Answer.NO) for one in asked]], again
            options = self._strategy(state, node)
            question, replies = max(options, key=lambda one: max(r.node.rank for r in one[1]))
            reply = max(replies, key=lambda one: one.node.rank)
            moves.append(Move(question, reply.answer))
            state = reply.after
        return moves, None

    def _node_of(self, state: State) -> Node:
        key, roles = canonical(state)
        return self.graph.node(key, roles.index(self.player))

    def _strategy(self, state: State, node: Node) -> list[_Option]:
        """Return the questions and answers that are left when one side plays by its strategy.

        Raises:
            SolverFault: it has none.
        """
        won = bool(self._root.won)
        ours = (state.turn == self.player) == won
        found: list[_Option] = []
        for group in state.legal_questions.groups():
            assert state.turn is not None, "somebody asks"
            question = Question(state.turn, group.asked, Card(group.set_index, group.cards[0]))
            ways = [self._good_ways(state, question, one, node) for one in group.answers]
            ways = [one for one in ways if one]
            if (group.asked == self.player) == won and ways:
                # The answer is ours: the quickest, or what was settled first.
                ways = [min(ways, key=lambda one: max(reply.node.rank for reply in one))]
            elif len(ways) < len(group.answers):
                ways = []
            replies = [reply for one in ways for reply in one]
            if replies and ours:
                return [(question, replies)]
            if not replies and not ours:
                raise SolverFault(f"no strategy after {question} in {state}")
            found.append((question, replies))
        if ours:
            raise SolverFault(f"no strategy in {state}")
        return found

    def _good_ways(
        self, state: State, question: Question, answer: Answer, node: Node
    ) -> list[_Reply]:
        """Return what can come of an answer after which the side that has a strategy goes on by it.

        That is one state, unless it is drawn who is on turn: chance is with whoever is against the
        player, so they need all of them, and they need one. Empty where the answer is not good.
        """
        after = state.after(question, answer)
        afters = [replace(after, turn=one) for one in drawn(state, question, after)] or [after]
        replies = [_Reply(answer, one, self._node_of(one)) for one in afters]
        good = [one for one in replies if self._good(one.node, node)]
        if not self._root.won:
            return good[:1]
        return good if len(good) == len(replies) else []

    def _good(self, after: Node, before: Node) -> bool:
        """Whether the side that has a strategy may go on to a state."""
        if self._root.won:
            return after.won is True and after.rank < before.rank
        if after.won is None and before.mine and before.options is None:
            # Of whom is caught it was not looked at what becomes of all that they can do.
            self.graph.search(after, SECONDS_A_REPLY)
        return after.won is False


class _Reply(NamedTuple):
    answer: Answer
    after: State
    node: Node


_Option = tuple[Question, list[_Reply]]


def at_sight(code: Coding, place: Place) -> bool | None:
    """Whether a role has won or cannot force a win, where a look at the state says so."""
    key, role = place
    parts = code.parts(key)
    kinds = [code.book.numbered(number) for number in parts.kinds]
    best = max([points for other, points in enumerate(parts.points) if other != role])
    if not kinds:
        return parts.points[role] > best
    # Who holds no card of a set can never ask for one.
    left = sum([any(mask >> role & 1 for mask in kind.masks) for kind in kinds])
    if parts.points[role] + left <= best:
        return False
    if role and parts.place < len(parts.points) and not code.rules.brisk:
        slack = code.book.layout.slack([kind.table for kind in kinds], parts.hands)
        if ring_of_opponents(kinds, slack, parts.hands, 0, role):
            return False
    return None


_Taken = tuple[tuple[NumberedKind, ...], tuple[int, ...]]
"""Sets and hands once role 0 has taken all cards that they know to be with somebody."""


def caught(code: Coding, key: Key) -> bool:
    """Whether role 0, on turn, cannot force a win since every no leads to a ring of opponents.

    They keep the turn only by questions to which the answer must be yes. Cards that they know to be
    with somebody, of sets of which they surely hold one, they can take in any order, now or later,
    without telling anything. So all of them are taken here: whoever shares a set then does so
    whichever of them they have taken. If every other question may be answered by a no after which
    the asked begins a ring, and everybody can begin one whom they ask for what they know to be
    elsewhere, and if the same is true after each further question that must be answered yes, and so
    on, then no order of questions avoids the rings.

    False where that is not seen within `MOST_CAUGHT` states. Cost: some microseconds a question.
    """
    parts = code.parts(key)
    if code.rules.brisk or parts.place == len(parts.hands) or not parts.kinds:
        return False
    kinds = tuple([code.book.numbered(number) for number in parts.kinds])
    opponents = [role for role, hand in enumerate(parts.hands) if hand and role]

    def begins(role: int, kinds: Sequence[NumberedKind], slack: int, hands: Sequence[int]) -> bool:
        """Whether an opponent begins a ring, whichever of their cards role 0 has taken."""
        # If they had cards that can all be taken, they and two others who share sets are three.
        able = [role] if hands[role] else [other for other in opponents if hands[other]]
        return any(ring_of_opponents(kinds, slack, hands, one, 0) for one in able)

    todo, seen = [_taken(code, kinds, parts.hands)], set[_Taken]()
    while todo:
        kinds, hands = taken = todo.pop()
        if taken in seen:
            continue
        seen.add(taken)
        slack = code.book.layout.slack([kind.table for kind in kinds], hands)
        if len(seen) > MOST_CAUGHT or not all(
            begins(one, kinds, slack, hands) for one in opponents
        ):
            return False
        for asked, after, rest, answer in _questions(code, kinds, slack):
            if answer:
                todo.append(_taken(code, after, hands_after(hands, 0, asked, answer)))
            elif asked in opponents and not begins(asked, after, rest, hands):
                return False
    return True


def _taken(code: Coding, kinds: tuple[NumberedKind, ...], hands: tuple[int, ...]) -> _Taken:
    """Return what remains once role 0 has taken all cards that tell nothing."""
    book = code.book
    before = None
    while kinds != before:
        before, left, held = kinds, list(kinds), list(hands)
        for index, kind in enumerate(kinds):
            for mask in kind.masks if kind.low[0] else ():
                if mask > 1 and mask.bit_count() == 1:
                    now, asked = left[index].constraint, mask.bit_length() - 1
                    now = answered(now, 0, asked, now.owners.index(mask), Answer.YES)
                    left[index] = book.kind(now.owners, now.low)
                    held = [*hands_after(tuple(held), 0, asked, Answer.YES)]
        slack = book.layout.slack([kind.table for kind in left], held)
        for index, kind in enumerate(left):
            if kind.masks:
                left[index] = closed = kind.closed(slack)
                if closed.owner is not None:
                    held[closed.owner] -= code.rules.set_size
                    left[index] = book.completed
        kinds, hands = tuple(left), tuple(held)
    return kinds, hands


def _questions(
    code: Coding, kinds: tuple[NumberedKind, ...], slack: int
) -> Iterator[tuple[int, tuple[NumberedKind, ...], int, Answer]]:
    """Return role 0's questions: the asked, and the sets and their slack after the answer.

    The answer is no where it may be, else yes (the slack is not that of the hands then).
    """
    layout = code.book.layout
    for index, kind in enumerate(kinds):
        rest = slack - kind.table
        for asked, no, yes in kind.questions() if kind.masks else ():
            if no is not None and layout.fits(rest + no.table):
                after, answer = no, Answer.NO
            elif yes is not None and layout.fits(
                rest + yes.table + layout.member[asked] - layout.member[0]
            ):
                after, answer = yes, Answer.YES
            else:
                continue
            yield asked, (*kinds[:index], after, *kinds[index + 1 :]), rest + after.table, answer


def lost_at_sight(state: State, player: int) -> bool:
    """Give the same of a state: whether the opponents wait for ever, or have too many sets already.

    Or nobody can be asked, and the game never ends: no game leads there.

    Raises:
        SolverFault: waiting comes to nothing.
    """
    points = list(state.points)
    mine = points.pop(player)
    sets = state.closed().sets
    left = sum([any(mask >> player & 1 for mask in one.owners) for one in sets])
    if mine + left <= max(points) or not (state.is_over or state.legal_questions):
        return True
    line = waiting(state, player)
    if line is None:
        return False
    seen = [state]
    for question in line:
        if player in question[:2] or Answer.NO not in state.answers(question):
            raise SolverFault(f"{question} does not wait in {state}")
        state = state.after(question, Answer.NO)
        seen.append(state)
    if not any(state.same_position(before) for before in seen[:-1]):
        raise SolverFault(f"waiting comes to no end in {state}")
    return True
