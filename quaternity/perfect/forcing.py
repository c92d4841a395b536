"""Search for forced wins from one state, without visiting all states of the game.

The method is proof-number search (Allis 1994). Each node of the search is a canonical state,
together with the role of the player who wants to win. A node is open until it is known to be won or
lost. Two numbers for each node estimate how many open nodes must be won to win it, and how many
must be lost to lose it. They guide the choice of the next open node. The numbers of alternatives
are combined as their maximum, not their sum, because many paths lead to the same states (weak
proof-number search: Ueda et al. 2008). Nobody wins an infinite game. So a node that is not won is
lost if it leads to no open node. The method therefore also works if positions repeat.

A state is lost without a search if the opponents can stall for ever
(`quaternity.perfect.stalling`), or if another player has too many sets to be beaten.

The result includes a strategy, for the player or for the opponents together.
`ForcedWinSearch.check` plays this strategy according to the rules of the game, against every
possible play of the other side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from operator import attrgetter
from typing import NamedTuple

from quaternity.base.errors import InputError, SolverFault
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Move, Question
from quaternity.game.state import State
from quaternity.game.transition import after_answer, hands_after
from quaternity.perfect.keys.canonical import (
    Key,
    KeyCodec,
    Rules,
    canonical,
    coding,
    symmetric_roles,
)
from quaternity.perfect.keys.kinds import NumberedKind
from quaternity.perfect.stalling import ring_of_opponents, stalling_questions
from quaternity.perfect.successors.one_state import Choice, choices, drawn_players

INFINITE = 1 << 40
"""Proof or disproof number (see `Node`) that stands for infinity."""

MAX_RING_STATES = 5_000
"""Maximum number of states that `cannot_escape_rings` examines."""

REPLY_SECONDS = 1.0
"""Time limit for searching a state that the main search did not decide, in seconds."""

Place = tuple[Key, int]
"""Key of a node of the search: a canonical state, and the role of the player who wants to win."""


class Node:
    """A node of the search for a forced win: a canonical state, and the role that wants to win.

    A role is the number of a player in a canonical state. Role 0 is to move.

    Attributes:
        player_chooses: whether the player chooses the question.
        won: whether the player can force a win. None while this is unknown.
        rank: how many nodes were decided before this node. A winning strategy moves to nodes of
            ever smaller rank.
        proof: number of open nodes that must be won to win this node.
        disproof: number of open nodes that must be lost to lose this node.
        options: for each question, whether the player answers it, and the nodes after the answers.
            None until the node is expanded.
        parents: the expanded nodes from which a move leads to this node.
    """

    __slots__ = (
        "disproof",
        "options",
        "parents",
        "place",
        "player_chooses",
        "proof",
        "rank",
        "won",
    )

    def __init__(self, place: Place) -> None:
        self.place = place
        self.player_chooses = place[1] == 0
        self.won: bool | None = None
        self.rank = 0
        self.proof = self.disproof = 1
        self.options: list[tuple[bool, tuple[Node, ...]]] | None = None
        self.parents: list[Node] = []

    def evaluate(self) -> bool | None:
        """Return whether the player can force a win, or None if the next nodes leave this open."""
        assert self.options is not None, "the node has not been expanded"
        questions = [
            _choose(answers, [node.won for node in after]) for answers, after in self.options
        ]
        return _choose(self.player_chooses, questions)

    def update_numbers(self) -> None:
        """Recompute the proof and disproof numbers from those of the nodes after each move."""
        assert self.options is not None, "the node has not been expanded"
        questions = []
        for answers, after in self.options:
            if len(after) == 1:
                questions.append((after[0].proof, after[0].disproof))
            else:
                questions.append(_numbers(answers, [(node.proof, node.disproof) for node in after]))
        self.proof, self.disproof = _numbers(self.player_chooses, questions)

    def successors(self) -> Iterator[Node]:
        """Yield the next nodes that are not decided yet, the most urgent first."""
        assert self.options is not None, "the node has not been expanded"
        ranked: list[tuple[int, int, list[Node]]] = []
        for answers, after in self.options:
            unsettled = [node for node in after if node.won is None]
            if unsettled and _choose(answers, [node.won for node in after]) is None:
                unsettled.sort(key=attrgetter("proof" if answers else "disproof"))
                proof, disproof = _numbers(answers, [(node.proof, node.disproof) for node in after])
                ranked.append((proof if self.player_chooses else disproof, len(ranked), unsettled))
        for _, _, nodes in sorted(ranked):
            yield from nodes


def _choose(is_ours: bool, outcomes: list[bool | None]) -> bool | None:
    # Return whether the player wins after a choice, or None if this is not known.
    if is_ours in outcomes:
        return is_ours
    return None if None in outcomes else not is_ours


def _numbers(is_ours: bool, numbers: list[tuple[int, int]]) -> tuple[int, int]:
    proofs = [proof for proof, _ in numbers]
    disproofs = [disproof for _, disproof in numbers]
    if is_ours:
        return min(proofs), _combine(disproofs)
    return _combine(proofs), min(disproofs)


def _combine(numbers: list[int]) -> int:
    # Estimate how many open nodes must be decided before all numbers are 0.
    largest = max(numbers)
    if not largest or largest >= INFINITE:
        return largest
    return largest - 1 + len(numbers) - numbers.count(0)


class ProofGraph:
    """The nodes that searches for forced wins in one game have visited, and their results.

    Attributes:
        nodes: the nodes, by canonical state and role of the player who wants to win. Roles that are
            interchangeable in a state share a node.
        examined: number of expanded nodes, plus the number of answers in them.
    """

    def __init__(
        self, code: KeyCodec, options: Callable[[Key], list[Choice]] | None = None
    ) -> None:
        """Create an empty graph. `options` returns the questions of a state (default `choices`)."""
        self.code = code
        self.nodes: dict[Place, Node] = {}
        self.examined = 0
        self._options = options or partial(choices, code)
        self._settled = 0

    def node(self, key: Key, role: int) -> Node:
        """Return the node for a canonical state and the role (player) that wants to win from it."""
        node = self.nodes.get((key, role))
        if node is None:
            alike = symmetric_roles(self.code, key)
            node = self.nodes.get((key, alike[role])) or Node((key, alike[role]))
            for other in [other for other, first in enumerate(alike) if first == alike[role]]:
                self.nodes[key, other] = node
            if node.won is None and (won := known_result(self.code, node.place)) is not None:
                self._mark(node, won)
        return node

    def search(self, root: Node, seconds: float | None = None, limit: float = inf) -> bool | None:
        """Return whether the player of a node can force a win, or None if a limit is reached.

        Args:
            root: the node. Its key is a state and the role (number) of the player.
            seconds: time limit in seconds, or None for no limit.
            limit: maximum number of answers to examine.
        """
        end = None if seconds is None else time.monotonic() + seconds
        limit += self.examined
        while (
            root.won is None and self.examined < limit and (end is None or time.monotonic() < end)
        ):
            path = self._most_urgent(root)
            if path:
                self._expand(path[-1])
            for node in reversed(path):
                if node.won is None:
                    node.update_numbers()
        return root.won

    def _most_urgent(self, root: Node) -> list[Node]:
        """Return the path from the root to the node that should be expanded next.

        If no open node is left, mark the visited nodes as lost and return an empty path.
        """
        # The path leads from each node to its most urgent open successor that was not visited
        # before, until a node is not expanded yet.
        path, seen = [root], {root}
        ways: list[Iterator[Node]] = []
        while path[-1].options is not None:
            ways.append(path[-1].successors())
            while (node := next((n for n in ways[-1] if n not in seen), None)) is None:
                ways.pop()
                path.pop()
                if not path:
                    for node in seen:
                        self._settle(node, False)
                    return []
            seen.add(node)
            path.append(node)
        return path

    def _expand(self, node: Node) -> None:
        key, role = node.place
        self.examined += 1
        if not role and cannot_escape_rings(self.code, key):
            self._settle(node, False)
            return
        players = self.code.rules.players
        node.options = []
        for asked, replies in self._options(key):
            self.examined += len(replies)
            if asked == players:
                node.player_chooses = False  # Chance plays against the player.
            after = tuple([self.node(reply.key, reply.roles.index(role)) for reply in replies])
            node.options.append((asked == role, after))
            for successor in after:
                if successor.won is None:
                    successor.parents.append(node)
        # If nobody can ask although sets remain, the game never ends.
        won = node.evaluate() if node.options else False
        if won is not None:
            self._settle(node, won)

    def _settle(self, node: Node, won: bool) -> None:
        """Record whether a node is won, and the same for all earlier nodes that this decides."""
        if node.won is None:
            self._mark(node, won)
        todo = [node]
        while todo:
            for parent in todo.pop().parents:
                if parent.won is None and (result := parent.evaluate()) is not None:
                    self._mark(parent, result)
                    todo.append(parent)

    def _mark(self, node: Node, won: bool) -> None:
        self._settled += 1
        node.won, node.rank = won, self._settled
        node.proof, node.disproof = (0, INFINITE) if won else (INFINITE, 0)


class ForcedWinSearch:
    """A search that decides whether `player` can force a win from `state`."""

    def __init__(self, state: State, player: int) -> None:
        """Prepare the search. The method `search` runs it.

        Raises:
            InputError: If the state is impossible, has no player to move, or has no such player.
            LimitError: If the game is too large for canonical states.
        """
        if not 0 <= player < state.players:
            raise InputError(f"player {player} is out of range 0..{state.players - 1}")
        self.state, self.player = state, player
        self.graph = ProofGraph(coding(Rules.of(state)))
        self._root = self._node_of(state)

    @property
    def can_force(self) -> bool | None:
        """Return whether the player can force a win, or None while this is unknown."""
        return self._root.won

    @property
    def states(self) -> int:
        """Return the number of visited nodes: pairs of a canonical state and a role."""
        return len(self.graph.nodes)

    def search(self, seconds: float | None = None) -> bool | None:
        """Search for a forced win until the result is known or time is up.

        Return whether the player can force a win, or None if time is up before this is known. Each
        possible answer in an expanded state costs about 20 microseconds and one kilobyte of memory.
        """
        return self.graph.search(self._root, seconds)

    # ------------------------------------------------------------------ strategies

    def check(self, seconds: float | None = None) -> tuple[int, bool]:
        """Check the result of the search by playing its strategy against all possible play.

        If there is a forced win, the strategy is that of the player, otherwise that of the
        opponents. The check uses the rules of the game and stops at the time limit, if one is
        given. Return the number of visited states, and whether the check was completed. States
        that differ only in names count once.

        Raises:
            SolverFault: If the strategy does not lead to the result of the search.
        """
        won = self._root.won
        assert won is not None, "the search has not found a result"
        end = None if seconds is None else time.monotonic() + seconds
        todo, seen = [self.state], {self._root}
        while todo and (end is None or time.monotonic() < end):
            state = todo.pop()
            node = self._node_of(state)
            if state.is_over or (not won and is_known_lost(state, self.player)):
                if (state.winner == self.player) != won:
                    raise SolverFault(
                        f"the strategy ends in {state}, which contradicts the result of the search"
                    )
                continue
            for _, replies in self._strategy(state, node):
                for reply in replies:
                    if won and not reply.node.rank < node.rank:
                        raise SolverFault(
                            f"after {state} the strategy makes no progress towards its end"
                        )
                    if reply.node not in seen:
                        seen.add(reply.node)
                        todo.append(reply.after)
        return len(seen), not todo

    def strategy(self, state: State) -> list[State]:
        """Return the states that are possible after a move if one side follows its strategy.

        This side is the player if there is a forced win, and otherwise the opponents. The search
        must have finished. The list is empty if the game is over or the player cannot get enough
        sets to win. If the opponents stall, the list contains only the state after their next
        question.

        Raises:
            SolverFault: If there is no strategy from this state.
        """
        won = bool(self._root.won)
        if not won and is_known_lost(state, self.player):
            questions = stalling_questions(state, self.player) or []
            return [state.after(question, Answer.NO) for question in questions[:1]]
        if state.is_over:
            return []
        options = self._strategy(state, self._node_of(state))
        return [reply.after for _, replies in options for reply in replies]

    def line(self, limit: int = 1_000) -> tuple[list[Move], int | None]:
        """Return the moves of an example game, and where its final position occurred before.

        One side plays its strategy, and the other side delays the end. If the final position
        repeats an earlier one, apart from names, the second result is the number of moves before
        the earlier position. Otherwise it is None: the game is over, the player has lost whatever
        happens, or `limit` moves were made.
        """
        state, moves, won = self.state, list[Move](), bool(self._root.won)
        seen = dict[Node, int]()
        while not state.is_over and len(moves) < limit:
            node = self._node_of(state)
            if node in seen:
                return moves, seen[node]
            seen[node] = len(moves)
            if not won and is_known_lost(state, self.player):
                questions = stalling_questions(state, self.player) or []
                turns = [question.asker for question in questions]
                repeats = None
                if questions:  # The round began with the last question of the player to move.
                    repeats = len(moves) + len(turns) - 1 - turns[::-1].index(questions[-1].asked)
                return [*moves, *[Move(question, Answer.NO) for question in questions]], repeats
            options = self._strategy(state, node)
            question, replies = max(options, key=lambda option: max(r.node.rank for r in option[1]))
            reply = max(replies, key=lambda r: r.node.rank)
            moves.append(Move(question, reply.answer))
            state = reply.after
        return moves, None

    def _node_of(self, state: State) -> Node:
        key, roles = canonical(state)
        return self.graph.node(key, roles.index(self.player))

    def _strategy(self, state: State, node: Node) -> list[_Option]:
        """Return the questions that are possible if one side follows its strategy, with replies."""
        won = bool(self._root.won)
        ours = (state.turn == self.player) == won
        options: list[_Option] = []
        for group in state.legal_questions.groups():
            assert state.turn is not None, "a legal question must have an asker"
            question = Question(state.turn, group.asked, Card(group.set_index, group.cards[0]))
            ways = [self._good_replies(state, question, answer, node) for answer in group.answers]
            ways = [way for way in ways if way]
            if (group.asked == self.player) == won and ways:
                # The side that follows its strategy answers. Of its good answers, choose the one
                # whose result the search decided first.
                ways = [min(ways, key=lambda way: max(reply.node.rank for reply in way))]
            elif len(ways) < len(group.answers):
                ways = []
            replies = [reply for way in ways for reply in way]
            if replies and ours:
                return [(question, replies)]
            if not replies and not ours:
                raise SolverFault(f"the search found no strategy after {question} in {state}")
            options.append((question, replies))
        if ours:
            raise SolverFault(f"the search found no strategy in {state}")
        return options

    def _good_replies(
        self, state: State, question: Question, answer: Answer, node: Node
    ) -> list[_Reply]:
        """Return the replies with this answer that fit the strategy, or [] if there are none."""
        # There is one state, unless chance draws the player to move. Chance plays against the
        # player, who needs all drawn states to be good. The opponents need only one good state.
        after = state.after(question, answer)
        afters = [
            replace(after, turn=player) for player in drawn_players(state, question, after)
        ] or [after]
        replies = [_Reply(answer, state, self._node_of(state)) for state in afters]
        good = [reply for reply in replies if self._is_good(reply.node, node)]
        if not self._root.won:
            return good[:1]
        return good if len(good) == len(replies) else []

    def _is_good(self, after: Node, before: Node) -> bool:
        if self._root.won:
            return after.won is True and after.rank < before.rank
        if after.won is None and before.player_chooses and before.options is None:
            # A state that `cannot_escape_rings` decided was not expanded, so its successors may
            # still be open.
            self.graph.search(after, REPLY_SECONDS)
        return after.won is False


class _Reply(NamedTuple):
    answer: Answer
    after: State
    node: Node


_Option = tuple[Question, list[_Reply]]


def known_result(code: KeyCodec, place: Place) -> bool | None:
    """Return whether a player can force a win, if this is obvious without a search, or else None.

    `place` is a pair: the key of a canonical state, and the player's role (number) in it.
    """
    key, role = place
    parts = code.parts(key)
    kinds = [code.book.by_number(number) for number in parts.kinds]
    best = max([points for other, points in enumerate(parts.points) if other != role])
    if not kinds:
        return parts.points[role] > best
    # A player without a card of a set can never ask for one.
    gettable = sum([any(mask >> role & 1 for mask in kind.masks) for kind in kinds])
    if parts.points[role] + gettable <= best:
        return False
    if role and parts.place < len(parts.points) and not code.rules.brisk:
        slack = code.book.layout.slack([kind.table for kind in kinds], parts.hands)
        if ring_of_opponents(kinds, slack, parts.hands, 0, role):
            return False
    return None


_SetsAndHands = tuple[tuple[NumberedKind, ...], tuple[int, ...]]


def cannot_escape_rings(code: KeyCodec, key: Key) -> bool:
    """Return whether it is certain that the opponents of role 0 can prevent its win by stalling.

    Role 0 is the player to move. Opponents stall in a *ring*: they ask each other questions for
    ever (`quaternity.perfect.stalling`). The result True means that they can begin a ring after the
    first answer no, whatever role 0 asks. The result False proves nothing. It is also returned if
    more than `MAX_RING_STATES` states would have to be examined.
    """
    # Role 0 keeps the turn only by questions that must be answered yes. Some cards have a known
    # holder and belong to sets in which role 0 certainly holds a card. Role 0 can take these cards
    # in any order, now or later, without giving any information. So this function assumes that role
    # 0 takes all of them. If a player still shares a set afterwards, the player shares it whichever
    # of these cards are taken. No order of questions avoids a ring of stalling opponents if the
    # following holds now and after every sequence of questions that must be answered yes: every
    # other question may be answered no, and then the asked player can start a ring; and every
    # player who is asked for a card that another player is known to hold can start a ring.
    parts = code.parts(key)
    if code.rules.brisk or parts.place == len(parts.hands) or not parts.kinds:
        return False
    kinds = tuple([code.book.by_number(number) for number in parts.kinds])
    opponents = [role for role, hand in enumerate(parts.hands) if hand and role]

    def begins(role: int, kinds: Sequence[NumberedKind], slack: int, hands: Sequence[int]) -> bool:
        # Return whether a role can start a ring, whichever of its cards role 0 takes.
        # If role 0 can take all cards of this opponent, a ring of others is enough: while the
        # opponent holds such a card, it shares a set with role 0 and can join them.
        able = [role] if hands[role] else [other for other in opponents if hands[other]]
        return any(ring_of_opponents(kinds, slack, hands, player, 0) for player in able)

    todo, seen = [_take_known_cards(code, kinds, parts.hands)], set[_SetsAndHands]()
    while todo:
        kinds, hands = position = todo.pop()
        if position in seen:
            continue
        seen.add(position)
        slack = code.book.layout.slack([kind.table for kind in kinds], hands)
        if len(seen) > MAX_RING_STATES or not all(
            begins(role, kinds, slack, hands) for role in opponents
        ):
            return False
        for asked, after, remaining, answer in _questions(code, kinds, slack):
            if answer:
                todo.append(_take_known_cards(code, after, hands_after(hands, 0, asked, answer)))
            elif asked in opponents and not begins(asked, after, remaining, hands):
                return False
    return True


def _take_known_cards(
    code: KeyCodec, kinds: tuple[NumberedKind, ...], hands: tuple[int, ...]
) -> _SetsAndHands:
    """Let the player to move take every card whose owner is certain. Return the new position."""
    book = code.book
    before = None
    while kinds != before:
        before, closing, held = kinds, list(kinds), list(hands)
        for index, kind in enumerate(kinds):
            for mask in kind.masks if kind.low[0] else ():
                if mask > 1 and mask.bit_count() == 1:
                    now, asked = closing[index].constraint, mask.bit_length() - 1
                    now = after_answer(now, 0, asked, now.owners.index(mask), Answer.YES)
                    closing[index] = book.kind(now.owners, now.low)
                    held = [*hands_after(tuple(held), 0, asked, Answer.YES)]
        slack = book.layout.slack([kind.table for kind in closing], held)
        for index, kind in enumerate(closing):
            if kind.masks:
                closing[index] = closed = kind.close(slack)
                if closed.owner is not None:
                    held[closed.owner] -= code.rules.set_size
                    closing[index] = book.completed
        kinds, hands = tuple(closing), tuple(held)
    return kinds, hands


def _questions(
    code: KeyCodec, kinds: tuple[NumberedKind, ...], slack: int
) -> Iterator[tuple[int, tuple[NumberedKind, ...], int, Answer]]:
    """Yield the legal questions of role 0, each with the state of the sets after one answer.

    The answer is no if this is possible, otherwise yes. The yielded tuples contain the asked role,
    the sets, their slack (how many more cards each group of players could own than it holds), and
    the answer.
    """
    layout = code.book.layout
    for index, kind in enumerate(kinds):
        others = slack - kind.table
        for asked, no, yes, _ in kind.questions() if kind.masks else ():
            if no is not None and layout.fits(others + no.table):
                after, answer = no, Answer.NO
            elif yes is not None and layout.fits(
                others + yes.table + layout.member[asked] - layout.member[0]
            ):
                after, answer = yes, Answer.YES
            else:
                continue
            yield asked, (*kinds[:index], after, *kinds[index + 1 :]), others + after.table, answer


def is_known_lost(state: State, player: int) -> bool:
    """Return whether it is obvious, without a search, that a player cannot force a win.

    This is the case if the opponents can stall for ever, or one of them has too many sets to be
    beaten. It is also the case if sets remain but no question is legal, so that the game never
    ends.

    Raises:
        SolverFault: If a stalling question is not legal, or stalling does not repeat a position.
    """
    points = list(state.points)
    own_points = points.pop(player)
    sets = state.filtered_problem().sets
    gettable = sum([any(mask >> player & 1 for mask in s.owners) for s in sets])
    if own_points + gettable <= max(points) or not (state.is_over or state.legal_questions):
        return True
    line = stalling_questions(state, player)
    if line is None:
        return False
    seen = [state]
    for question in line:
        if player in question[:2] or Answer.NO not in state.answers(question):
            raise SolverFault(f"player {player} may get the turn after {question!s} in {state}")
        state = state.after(question, Answer.NO)
        seen.append(state)
    if not any(state.same_position(before) for before in seen[:-1]):
        raise SolverFault(f"the endless questions from {state} do not repeat a position")
    return True
