"""Answers to puzzles from the rules alone; nothing is shared with the code that makes puzzles.

A question and its answer are about one set only, so the possible owners are listed set by set. The
sizes of the hands connect the sets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from tests.kwartet.replay import Deal, Rules, Seen, after, all_deals, at_deal

Owners = tuple[int, ...]
"""The owners of the cards of a set."""

Asked = tuple[int, int, int, int, bool]
"""The asker, the player asked, set and number of the card, and whether the answer is yes."""

CARD = r"(\d+)/(\d+)"
MOVE = re.compile(r"(\d+) asks (\d+) for (\d+)/(\d+): (yes|no)")


class Open(NamedTuple):
    """The deals that a game of Quaternity leaves open.

    Attributes:
        ways: all possible owners of the cards of each set.
        totals: each player's number of cards in hand and put down.
    """

    ways: tuple[frozenset[Owners], ...]
    totals: tuple[int, ...]
    turn: int = 0

    @classmethod
    def start(cls, size: int, sets: int, players: int) -> Open:
        """Return all equal deals."""
        owners = frozenset(product(range(players), repeat=size))
        return cls((owners,) * sets, (size * sets // players,) * players).narrowed()

    def narrowed(self) -> Open:
        """Return the same without owners that no complete deal has."""
        counts = [Counter(map(self._counts, ways)) for ways in self.ways]
        before = [{tuple([0] * len(self.totals))}]
        for choices in counts:
            before.append(set(self._sums(before[-1], choices)))
        left, rests = [], {self.totals}
        for ways, choices, sums in zip(self.ways[::-1], counts[::-1], before[-2::-1], strict=True):
            pairs = [(rest, used) for rest in rests for used in choices
                     if tuple(a - b for a, b in zip(rest, used, strict=True)) in sums]  # fmt: skip
            able = {used for _, used in pairs}
            left.append(frozenset(way for way in ways if self._counts(way) in able))
            rests = {tuple(a - b for a, b in zip(*pair, strict=True)) for pair in pairs}
        return self._replace(ways=tuple(left[::-1]))

    def _counts(self, way: Owners) -> Owners:
        return tuple(map(way.count, range(len(self.totals))))

    def _sums(self, sums: Iterable[Owners], choices: Iterable[Owners]) -> Iterator[Owners]:
        for partial in sums:
            for used in choices:
                both = tuple(a + b for a, b in zip(partial, used, strict=True))
                if all(a <= b for a, b in zip(both, self.totals, strict=True)):
                    yield both

    def completed_sets(self) -> list[int | None]:
        """Return for each set the player who certainly has all of it, or None."""
        owners = [{player for way in ways for player in way} for ways in self.ways]
        return [players.pop() if len(players) == 1 else None for players in owners]

    def hands(self) -> list[int]:
        """Return each player's number of cards in hand."""
        down, size = self.completed_sets(), len(next(iter(self.ways[0])))
        return [total - size * down.count(player) for player, total in enumerate(self.totals)]

    def apply(self, move: Asked) -> Open | None:
        """Return the state after a question and its answer, or None if the answer is impossible."""
        asker, asked, index, number, answer = move
        fitting = [
            way for way in self.ways[index]
            if asker in way and way[number] != asker and (way[number] == asked) == answer
        ]  # fmt: skip
        if not fitting:
            return None
        totals = list(self.totals)
        if answer:
            fitting = [(*way[:number], asker, *way[number + 1 :]) for way in fitting]
            totals[asker] += 1
            totals[asked] -= 1
        ways = (*self.ways[:index], frozenset(fitting), *self.ways[index + 1 :])
        left = Open(ways, tuple(totals)).narrowed()
        if not left.ways[index]:
            return None
        hands = left.hands()
        able = [seat for seat in ((asker, asked) if answer else (asked, asker)) if hands[seat]]
        able += [seat for seat, hand in enumerate(hands) if hand]
        return left._replace(turn=able[0] if able else asker)

    def questions(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield all questions that have an answer."""
        hands, down = self.hands(), self.completed_sets()
        for index, ways in enumerate(self.ways):
            for number in range(len(next(iter(ways)))):
                for asked, hand in enumerate(hands):
                    question = (self.turn, asked, index, number)
                    if asked == self.turn or not hand or down[index] is not None:
                        continue
                    if any(self.apply((*question, answer)) for answer in (True, False)):
                        yield question

    def certain(self) -> Iterator[tuple[int, int, int]]:
        """Yield the cards in hand that only one player can have: set, number and player."""
        for index, (ways, down) in enumerate(zip(self.ways, self.completed_sets(), strict=True)):
            for number in range(len(next(iter(ways)))):
                owners = {way[number] for way in ways}
                if down is None and len(owners) == 1:
                    yield index, number, owners.pop()


def moves_of(position: str) -> Iterator[Asked]:
    """Yield the questions and answers of a record."""
    for match in filter(None, map(MOVE.match, position.splitlines())):
        asker, asked, index, number = map(int, match.groups()[:4])
        yield asker, asked, index, number, match[5] == "yes"


def number_of(position: str, name: str) -> int:
    """Return a number from a record's header, such as the number of players."""
    match = re.search(rf"^{name} (\d+)$", position, re.MULTILINE)
    assert match, name
    return int(match[1])


def replay(position: str) -> Open:
    """Return the state after the record of a game of Quaternity."""
    state = Open.start(*(number_of(position, name) for name in ("set-size", "sets", "players")))
    for move in moves_of(position):
        after_move = state.apply(move)
        assert after_move is not None, move
        state = after_move
    return state


def forces(state: Open, me: int, goal: int, within: int) -> bool:
    """Return whether a player completes `goal` sets within some questions, whatever others do."""
    if state.completed_sets().count(me) >= goal:
        return True
    questions = list(state.questions()) if within else []
    if not questions or (state.turn != me and within == 1):
        return False
    outcomes = (forces_by(state, question, me, goal, within) for question in questions)
    return any(outcomes) if state.turn == me else all(outcomes)


def forces_by(
    state: Open, question: tuple[int, int, int, int], me: int, goal: int, within: int
) -> bool:
    """Return whether the player does so after a question."""
    replies = (state.apply((*question, answer)) for answer in (True, False))
    return all(forces(after, me, goal, within - 1) for after in replies if after is not None)


def deals_seen(position: str, everybody: bool) -> list[Deal]:
    """Return the present hands that a seat of Kwartet thinks possible, or all that are public.

    The record must put sets down at once.
    """
    assert "announce at-once" in position
    own = "own-card-requests yes" in position
    rules = Rules(number_of(position, "players"), number_of(position, "sets"), 4, True, own)
    cards = frozenset(product(range(rules.sets), range(4)))
    hands = re.findall(r"^hand \d+: (.*)$", position, re.MULTILINE)
    known = tuple(frozenset((int(index), int(number)) for index, number in re.findall(CARD, hand))
                  for hand in hands if not everybody)  # fmt: skip
    sizes = tuple(len(re.findall(CARD, hand)) or int(hand.split()[0]) for hand in hands)
    down, requests = _read_moves(position)
    deals = []
    for deal, full in _list_deals(cards, sizes, known, rules):
        left: Deal | None = deal if full == down else None
        for seen in requests:
            if left is None:
                break
            left = after(left, seen, rules)
        if left is not None:
            deals.append(left)
    return deals


@lru_cache(maxsize=4)
def _list_deals(
    cards: frozenset[tuple[int, int]], sizes: Owners, known: tuple[frozenset[tuple[int, int]], ...],
    rules: Rules,
) -> list[tuple[Deal, list[tuple[int, int]]]]:  # fmt: skip
    """Return all deals with the known hands, and the sets that are put down at once."""
    own = {seat: hand for seat, hand in enumerate(known) if hand}
    rest = tuple(size for seat, size in enumerate(sizes) if seat not in own)
    deals: Iterable[Deal] = all_deals(cards.difference(*own.values()), rest)
    for seat, hand in own.items():
        deals = [(*deal[:seat], hand, *deal[seat:]) for deal in deals]
    return [at_deal(deal, rules) for deal in deals]


def _read_moves(position: str) -> tuple[list[tuple[int, int]], list[Seen]]:
    """Return the sets that were put down at the start, as (set, player), and all requests."""
    at_start, requests = list[tuple[int, int]](), list[Seen]()
    for line in position.splitlines():
        if match := MOVE.match(line):
            asker, asked, index, number = map(int, match.groups()[:4])
            requests.append(Seen(asker, asked, (index, number), match[5] == "yes", ()))
        elif match := re.fullmatch(r"(\d+) puts down (\d+)", line):
            player, index = map(int, match.groups())
            if requests:
                down = (*requests[-1].announced, index)
                requests[-1] = requests[-1]._replace(announced=down)
            else:
                at_start.append((index, player))
    return sorted(at_start), requests


Truth = Callable[[Deal], bool]


def knows(deals: list[Deal], seats: tuple[int, ...], truth: Truth) -> Truth:
    """Return whether the single seat of `seats` knows something, by definition."""
    (seat,) = seats
    holds: dict[object, bool] = {}
    for deal in deals:
        holds[deal[seat]] = holds.get(deal[seat], True) and truth(deal)
    return lambda deal: holds[deal[seat]]


def common(deals: list[Deal], group: tuple[int, ...], truth: Truth) -> Truth:
    """Return whether something is common knowledge: true, however far the group's doubts lead."""
    holds = {deal: truth(deal) for deal in deals}
    while True:
        kept = [knows(deals, (seat,), holds.__getitem__) for seat in group]
        later = {deal: holds[deal] and all(know(deal) for know in kept) for deal in deals}
        if later == holds:
            return holds.__getitem__
        holds = later


Placed = tuple[frozenset[str] | None, ...]
"""The pieces on the sixteen cells of Quarto, each as a set of words."""

ROWS = [
    *(tuple(range(4 * row, 4 * row + 4)) for row in range(4)),
    *(tuple(range(column, 16, 4)) for column in range(4)), (0, 5, 10, 15), (3, 6, 9, 12),
]  # fmt: skip


class Quarto:
    """A search of all moves: which player wins, and within how many placements."""

    def __init__(self, cells: Placed, pieces: dict[str, frozenset[str]]) -> None:
        self.cells, self.pieces = cells, pieces
        self.tried: dict[tuple[Placed, str, int], bool] = {}

    def empty(self, cells: Placed) -> list[int]:
        """Return the empty cells."""
        return [cell for cell in range(16) if cells[cell] is None]

    def pieces_left(self, cells: Placed, *used: str) -> list[str]:
        """Return the pieces that are neither on the board nor used."""
        placed = set(cells)
        return [name for name, words in self.pieces.items()
                if words not in placed and name not in used]  # fmt: skip

    def place(self, cells: Placed, cell: int, piece: str) -> tuple[Placed, bool]:
        """Return the board with a piece on a cell, and whether it completes a row."""
        after = (*cells[:cell], self.pieces[piece], *cells[cell + 1 :])
        rows = [[after[other] for other in row] for row in ROWS if cell in row]
        full = [list(filter(None, row)) for row in rows if None not in row]
        return after, any(frozenset.intersection(*row) for row in full)

    def wins(self, cells: Placed, piece: str, within: int) -> bool:
        """Return whether the player who places the piece wins within this many own placements."""
        key = cells, piece, within
        if key not in self.tried:
            boards = [self.place(cells, cell, piece) for cell in self.empty(cells)]
            self.tried[key] = within > 0 and (
                any(complete for _, complete in boards)
                or (within > 1 and any(self.forced(board, other, within - 1)
                    for board, _ in boards for other in self.pieces_left(board)))
            )  # fmt: skip
        return self.tried[key]

    def forced(self, cells: Placed, piece: str, within: int) -> bool:
        """Return whether the player who gave the piece wins, wherever it is placed."""
        boards = [self.place(cells, cell, piece) for cell in self.empty(cells)]
        if any(complete for _, complete in boards) or len(boards) < 2:
            return False
        return all(self.wins(board, other, within)
                   for board, _ in boards for other in self.pieces_left(board))  # fmt: skip

    def moves(self, piece: str, question: str, placements: int) -> set[str]:
        """Return the moves that do what a question asks for."""
        if question in ("win_now", "win_in"):
            return set(self._winning(piece, placements))
        if question == "hand_over_now":
            return {f"hand over {other}" for other in self.pieces_left(self.cells)
                    if not self.wins(self.cells, other, 1)}  # fmt: skip
        does = self.forced if question == "keep_win" else self._safe
        return {f"hand over {other}" for other in self.pieces_left(self.cells)
                if does(self.cells, other, 16)}  # fmt: skip

    def _safe(self, cells: Placed, piece: str, within: int) -> bool:
        return not self.wins(cells, piece, within)

    def _winning(self, piece: str, placements: int) -> Iterator[str]:
        for cell in self.empty(self.cells):
            board, complete = self.place(self.cells, cell, piece)
            name = f"place it on H{cell // 4 + 1}V{cell % 4 + 1}"
            if complete:
                yield name
            elif placements > 1:
                for other in self.pieces_left(board):
                    if self.forced(board, other, placements - 1):
                        yield f"{name}, hand over {other}"
