"""Answers to puzzles from the rules alone: nothing here is shared with what makes puzzles.

A question and its answer speak of one set only, so what they leave open is listed set by set; what
holds the sets together are the sizes of the hands.
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
"""Of the cards of one set."""

Asked = tuple[int, int, int, int, bool]
"""Who asks whom for which card of which set, and whether the answer is yes."""

CARD = r"(\d+)/(\d+)"
MOVE = re.compile(r"(\d+) asks (\d+) for (\d+)/(\d+): (yes|no)")


class Open(NamedTuple):
    """What a game of Quaternity leaves open.

    Attributes:
        ways: per set all owners that its cards can have.
        totals: per player the cards in hand and put down.
    """

    ways: tuple[frozenset[Owners], ...]
    totals: tuple[int, ...]
    turn: int = 0

    @classmethod
    def start(cls, size: int, sets: int, players: int) -> Open:
        """All equal deals."""
        every = frozenset(product(range(players), repeat=size))
        return cls((every,) * sets, (size * sets // players,) * players).narrowed()

    def narrowed(self) -> Open:
        """Without what no deal of the whole has."""
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
        for one in sums:
            for used in choices:
                both = tuple(a + b for a, b in zip(one, used, strict=True))
                if all(a <= b for a, b in zip(both, self.totals, strict=True)):
                    yield both

    def completed(self) -> list[int | None]:
        """Per set who has all of it for certain."""
        owners = [{who for way in ways for who in way} for ways in self.ways]
        return [who.pop() if len(who) == 1 else None for who in owners]

    def hands(self) -> list[int]:
        """Per player the cards in hand."""
        down, size = self.completed(), len(next(iter(self.ways[0])))
        return [total - size * down.count(player) for player, total in enumerate(self.totals)]

    def answered(self, move: Asked) -> Open | None:
        """What a question and its answer leave open; None if the answer is impossible."""
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
        able = [who for who in ((asker, asked) if answer else (asked, asker)) if hands[who]]
        able += [who for who, hand in enumerate(hands) if hand]
        return left._replace(turn=able[0] if able else asker)

    def questions(self) -> Iterator[tuple[int, int, int, int]]:
        """All questions that have an answer."""
        hands, down = self.hands(), self.completed()
        for index, ways in enumerate(self.ways):
            for number in range(len(next(iter(ways)))):
                for asked, hand in enumerate(hands):
                    question = (self.turn, asked, index, number)
                    if asked == self.turn or not hand or down[index] is not None:
                        continue
                    if any(self.answered((*question, answer)) for answer in (True, False)):
                        yield question

    def certain(self) -> Iterator[tuple[int, int, int]]:
        """The cards in hand that only one player can have: set, number and player."""
        for index, (ways, down) in enumerate(zip(self.ways, self.completed(), strict=True)):
            for number in range(len(next(iter(ways)))):
                owners = {way[number] for way in ways}
                if down is None and len(owners) == 1:
                    yield index, number, owners.pop()


def moves_of(position: str) -> Iterator[Asked]:
    """The questions and answers of a record."""
    for match in filter(None, map(MOVE.match, position.splitlines())):
        asker, asked, index, number = map(int, match.groups()[:4])
        yield asker, asked, index, number, match[5] == "yes"


def number_of(position: str, what: str) -> int:
    """A number of a record's head, such as that of its players."""
    match = re.search(rf"^{what} (\d+)$", position, re.MULTILINE)
    assert match, what
    return int(match[1])


def played(position: str) -> Open:
    """What the record of a game of Quaternity leaves open."""
    state = Open.start(*(number_of(position, what) for what in ("set-size", "sets", "players")))
    for move in moves_of(position):
        after_move = state.answered(move)
        assert after_move is not None, move
        state = after_move
    return state


def forces(state: Open, me: int, goal: int, within: int) -> bool:
    """Whether somebody completes so many sets within so many questions, whatever others do."""
    if state.completed().count(me) >= goal:
        return True
    questions = list(state.questions()) if within else []
    if not questions or (state.turn != me and within == 1):
        return False
    every = (forces_by(state, question, me, goal, within) for question in questions)
    return any(every) if state.turn == me else all(every)


def forces_by(
    state: Open, question: tuple[int, int, int, int], me: int, goal: int, within: int
) -> bool:
    """Whether they do so after a question."""
    replies = (state.answered((*question, answer)) for answer in (True, False))
    return all(forces(after, me, goal, within - 1) for after in replies if after is not None)


def deals_seen(position: str, everybody: bool) -> list[Deal]:
    """The present hands that a seat of Kwartet thinks possible; or those that everybody does.

    Needs records in which sets are put down at once.
    """
    assert "announce at-once" in position
    own = "own-card-requests yes" in position
    rules = Rules(number_of(position, "players"), number_of(position, "sets"), 4, True, own)
    cards = frozenset(product(range(rules.sets), range(4)))
    hands = re.findall(r"^hand \d+: (.*)$", position, re.MULTILINE)
    known = tuple(frozenset((int(index), int(number)) for index, number in re.findall(CARD, hand))
                  for hand in hands if not everybody)  # fmt: skip
    sizes = tuple(len(re.findall(CARD, hand)) or int(hand.split()[0]) for hand in hands)
    down, requests = _seen(position)
    deals = []
    for deal, full in _dealt(cards, sizes, known, rules):
        left: Deal | None = deal if full == down else None
        for seen in requests:
            if left is None:
                break
            left = after(left, seen, rules)
        if left is not None:
            deals.append(left)
    return deals


@lru_cache(maxsize=4)
def _dealt(
    cards: frozenset[tuple[int, int]], sizes: Owners, known: tuple[frozenset[tuple[int, int]], ...],
    rules: Rules,
) -> list[tuple[Deal, list[tuple[int, int]]]]:  # fmt: skip
    """All deals in which known hands are these, and what is put down at once."""
    own = {seat: hand for seat, hand in enumerate(known) if hand}
    rest = tuple(size for seat, size in enumerate(sizes) if seat not in own)
    deals: Iterable[Deal] = all_deals(cards.difference(*own.values()), rest)
    for seat, hand in own.items():
        deals = [(*deal[:seat], hand, *deal[seat:]) for deal in deals]
    return [at_deal(deal, rules) for deal in deals]


def _seen(position: str) -> tuple[list[tuple[int, int]], list[Seen]]:
    """The sets that were put down at the start, as (set, player), and all requests."""
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
    """Whether the only one of some seats knows something, by its definition."""
    (seat,) = seats
    holds: dict[object, bool] = {}
    for deal in deals:
        holds[deal[seat]] = holds.get(deal[seat], True) and truth(deal)
    return lambda deal: holds[deal[seat]]


def common(deals: list[Deal], group: tuple[int, ...], truth: Truth) -> Truth:
    """Whether something is common knowledge: true, however far the group's doubts lead."""
    holds = {deal: truth(deal) for deal in deals}
    while True:
        kept = [knows(deals, (seat,), holds.__getitem__) for seat in group]
        later = {deal: holds[deal] and all(know(deal) for know in kept) for deal in deals}
        if later == holds:
            return holds.__getitem__
        holds = later


Placed = tuple[frozenset[str] | None, ...]
"""What stands on the sixteen cells of Quarto: the words of a piece."""

ROWS = [
    *(tuple(range(4 * row, 4 * row + 4)) for row in range(4)),
    *(tuple(range(column, 16, 4)) for column in range(4)), (0, 5, 10, 15), (3, 6, 9, 12),
]  # fmt: skip


class Quarto:
    """All that both can do, by trying: who places, and within how many placements they win."""

    def __init__(self, cells: Placed, pieces: dict[str, frozenset[str]]) -> None:
        self.cells, self.pieces = cells, pieces
        self.tried: dict[tuple[Placed, str, int], bool] = {}

    def empty(self, cells: Placed) -> list[int]:
        """Return the empty cells."""
        return [cell for cell in range(16) if cells[cell] is None]

    def left(self, cells: Placed, *given: str) -> list[str]:
        """Return the pieces that are neither on the board nor given."""
        placed = set(cells)
        return [name for name, words in self.pieces.items()
                if words not in placed and name not in given]  # fmt: skip

    def place(self, cells: Placed, cell: int, piece: str) -> tuple[Placed, bool]:
        """Return the board with a piece on a cell, and whether it completes a row."""
        after = (*cells[:cell], self.pieces[piece], *cells[cell + 1 :])
        rows = [[after[other] for other in row] for row in ROWS if cell in row]
        full = [list(filter(None, row)) for row in rows if None not in row]
        return after, any(frozenset.intersection(*row) for row in full)

    def wins(self, cells: Placed, piece: str, within: int) -> bool:
        """Return whether who places the piece wins within so many placements of their own."""
        key = cells, piece, within
        if key not in self.tried:
            boards = [self.place(cells, cell, piece) for cell in self.empty(cells)]
            self.tried[key] = within > 0 and (
                any(complete for _, complete in boards)
                or (within > 1 and any(self.forced(board, given, within - 1)
                    for board, _ in boards for given in self.left(board)))
            )  # fmt: skip
        return self.tried[key]

    def forced(self, cells: Placed, piece: str, within: int) -> bool:
        """Return whether who gave the piece wins, wherever it is placed."""
        boards = [self.place(cells, cell, piece) for cell in self.empty(cells)]
        if any(complete for _, complete in boards) or len(boards) < 2:
            return False
        return all(self.wins(board, given, within)
                   for board, _ in boards for given in self.left(board))  # fmt: skip

    def moves(self, piece: str, question: str, placements: int) -> set[str]:
        """Return the moves that do what a question asks for."""
        if question in ("win_now", "win_in"):
            return set(self._winning(piece, placements))
        if question == "hand_over_now":
            return {f"hand over {given}" for given in self.left(self.cells)
                    if not self.wins(self.cells, given, 1)}  # fmt: skip
        does = self.forced if question == "keep_win" else self._safe
        return {f"hand over {given}" for given in self.left(self.cells)
                if does(self.cells, given, 16)}  # fmt: skip

    def _safe(self, cells: Placed, given: str, within: int) -> bool:
        return not self.wins(cells, given, within)

    def _winning(self, piece: str, placements: int) -> Iterator[str]:
        for cell in self.empty(self.cells):
            board, complete = self.place(self.cells, cell, piece)
            name = f"place it on H{cell // 4 + 1}V{cell % 4 + 1}"
            if complete:
                yield name
            elif placements > 1:
                for given in self.left(board):
                    if self.forced(board, given, placements - 1):
                        yield f"{name}, hand over {given}"
