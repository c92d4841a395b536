"""The published list of 600 hard formulas: how it was drawn, and how its answers are certified.

Each line of `tests/data/hard_formulas.txt` has a seed, an answer and a formula; `draw_formulas`
draws the situation and some formulas from the seed, among them this one. The list has formulas that
the solvers decide within 0.6 s, and that take more than 20 ms, or four times as long without the
mechanisms of `tests.bench.ablation` (its option `--draw` draws more).

    python -m tests.bench.hard_formulas          certify all
    python -m tests.bench.hard_formulas 1001     write the situation of a seed

A formula is certified by the quotient below, by the solvers, and by the explicit model if at most
100,000 deals are possible. The quotient uses no solver. Cards of a set with the same possible
owners are alike if the formula does not name them: exchanging them changes neither the public
information nor the meaning of the formula. So a world is the number of such cards that each player
holds, and a player cannot distinguish two worlds with the same own numbers. Some thousands of such
worlds represent more deals than can be listed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from quaternity.base.errors import InputError, LimitError
from quaternity.epistemic import evaluate, parse
from quaternity.epistemic import formula as logic
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.language import Language
from quaternity.epistemic.worlds import quick_count
from quaternity.game.cards import Card
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.verdict import Deal

LIST = Path(__file__).parent.parent / "data" / "hard_formulas.txt"
MAX_WORLDS = 8_000
"""Maximum number of worlds in a quotient."""
MAX_DEALING_STEPS = 100_000
"""Maximum number of ways to deal a block that are examined while the worlds are counted."""
MAX_EXPLICIT_DEALS = 100_000
"""Maximum number of deals for which the explicit model is also asked."""

Truth: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.int64]


class HardFormula(NamedTuple):
    """A formula of the list.

    Attributes:
        seed: the seed of its situation.
        problem: the public information.
        deal: the real deal.
        text: the text of the formula.
        formula: the parsed formula.
        truth: its truth at the real deal.
    """

    seed: int
    problem: DealProblem
    deal: Deal
    text: str
    formula: Formula
    truth: bool


def read_list() -> Iterator[HardFormula]:
    """Read the list, and draw its situations."""
    for line in LIST.read_text().splitlines():
        if not line.startswith("#"):
            seed, answer, text = line.split(" ", 2)
            problem, deal, texts = draw_formulas(int(seed))
            assert text in texts, f"seed {seed} draws {texts}, not {text}"
            formula = parse(text, Language.of(problem))
            yield HardFormula(int(seed), problem, deal, text, formula, answer == "true")


class Quotient:
    """All deals of a problem, up to exchanges of cards that a formula does not name.

    Attributes:
        counts: number of cards of a block that a player holds: `counts[world, block, player]`.

    Raises:
        LimitError: If there are more than `MAX_WORLDS` worlds.
    """

    def __init__(self, problem: DealProblem, formula: Formula) -> None:
        self.players = problem.players
        named = {part.card for part in formula.subformulas() if isinstance(part, logic.Holds)}
        self.sizes: list[int] = []
        self._block: dict[Card, int] = {}
        self._masks: list[int] = []
        self._ends: list[SetConstraint | None] = []
        for index, constraint in enumerate(problem.sets):
            blocks: dict[object, list[Card]] = {}
            for number, mask in enumerate(constraint.owners):
                card = Card(index, number)
                blocks.setdefault((mask, card if card in named else None), []).append(card)
            for (mask, _), cards in blocks.items():  # type: ignore[misc]
                self._block.update(dict.fromkeys(cards, len(self.sizes)))
                self.sizes.append(len(cards))
                self._masks.append(mask)
                self._ends.append(None)
            if blocks:
                self._ends[-1] = constraint
            elif any(constraint.low):
                raise InputError(f"set {index} has no cards")
        self._numbers: dict[object, int] = {}
        self._looked_at = 0
        self._known: dict[object, Numbers] = {}
        nothing = (0,) * self.players
        if self._number(0, problem.hands, nothing) > MAX_WORLDS:
            raise LimitError("too many worlds")
        self.counts = self._deal_blocks(0, problem.hands, nothing)

    def _steps(
        self, block: int, hands: tuple[int, ...], in_set: tuple[int, ...]
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
        """Yield the ways to deal a block: its share, the hands left, and the cards in the set."""
        ends = self._ends[block]
        for share in _shares(self.sizes[block], hands, self._masks[block]):
            sums = tuple(a + b for a, b in zip(in_set, share, strict=True))
            if ends is not None:
                bounds = zip(ends.low, sums, ends.high, strict=True)
                if not all(low <= number <= high for low, number, high in bounds):
                    continue
                sums = (0,) * self.players
            yield share, tuple(a - b for a, b in zip(hands, share, strict=True)), sums

    def _number(self, block: int, hands: tuple[int, ...], in_set: tuple[int, ...]) -> int:
        """Return the number of ways to deal the blocks from a given one on."""
        if block == len(self.sizes):
            return 1
        key = block, hands, in_set
        if key not in self._numbers:
            self._numbers[key] = 0
            for _, left, sums in self._steps(*key):
                self._looked_at += 1
                if self._looked_at > MAX_DEALING_STEPS:
                    raise LimitError("too many steps between worlds")
                self._numbers[key] += self._number(block + 1, left, sums)
        return self._numbers[key]

    def _deal_blocks(self, block: int, hands: tuple[int, ...], in_set: tuple[int, ...]) -> Numbers:
        """Return the ways to deal the blocks from a given one on."""
        if block == len(self.sizes):
            return np.zeros((1, 0, self.players), dtype=np.int64)
        key = block, hands, in_set
        if key not in self._known:
            ways = [np.zeros((0, len(self.sizes) - block, self.players), dtype=np.int64)]
            for share, left, sums in self._steps(*key):
                if self._number(block + 1, left, sums):
                    rest = self._deal_blocks(block + 1, left, sums)
                    column = np.broadcast_to(np.array(share), (len(rest), 1, self.players))
                    ways.append(np.concatenate([column, rest], axis=1))
            self._known[key] = np.concatenate(ways)
        return self._known[key]

    def world(self, deal: Deal) -> int:
        """Return the world of a deal."""
        counts = np.zeros((len(self.sizes), self.players), dtype=np.int64)
        for card, block in self._block.items():
            counts[block, deal.owner[card.set_index][card.number]] += 1
        return int(np.flatnonzero((self.counts == counts).all(axis=(1, 2)))[0])

    def truth(self, formula: Formula, deal: Deal) -> bool:
        """Return the truth of a formula at a deal."""
        everything = np.ones(len(self.counts), dtype=np.bool_)
        return bool(self._truth(formula, everything)[self.world(deal)])

    def _classes(self, players: Sequence[int]) -> Numbers:
        rows = self.counts[:, :, list(players)].reshape(len(self.counts), -1)
        return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)

    def _truth(self, formula: Formula, among: Truth) -> Truth:
        """Return whether a formula is true in each world, if only those of `among` are possible."""
        match formula:
            case logic.Constant(value):
                return np.full(len(among), value)
            case logic.Holds(player, card):
                if card not in self._block:
                    return np.zeros(len(among), dtype=np.bool_)
                return np.asarray(self.counts[:, self._block[card], player] == 1)
            case logic.Not(part):
                return ~self._truth(part, among)
            case logic.And(parts):
                return np.asarray(np.all([self._truth(part, among) for part in parts], axis=0))
            case logic.Or(parts):
                return np.asarray(np.any([self._truth(part, among) for part in parts], axis=0))
            case logic.Implies(first, second):
                return ~self._truth(first, among) | self._truth(second, among)
            case logic.Iff(first, second):
                return np.asarray(self._truth(first, among) == self._truth(second, among))
            case logic.Announcement(announcement, then):
                announced = self._truth(announcement, among)
                return ~announced | self._truth(then, among & announced)
            case logic.Knows(_, part) | logic.Distributed(_, part):
                return _all_over(self._classes(formula.players), self._truth(part, among), among)
            case logic.Publicly(part):
                return np.full(len(among), bool(self._truth(part, among)[among].all()))
            case logic.Common(part):
                return self._common(self._truth(part, among), among, formula.members(self.players))
            case logic.Unknown(knower, owner, count, at_most):
                # The knower knows all cards that the owner holds of a block, or none of them.
                classes, unknown = self._classes((knower,)), np.zeros(len(among), dtype=np.int64)
                for block, size in enumerate(self.sizes):
                    held = self.counts[:, block, owner]
                    whole = held == size - self.counts[:, block, knower]
                    if knower != owner:
                        unknown += held * ~_all_over(classes, whole, among)
                return np.asarray(unknown <= count if at_most else unknown == count)
            case _:
                raise TypeError(f"{formula!r} is not a formula")

    def _common(self, truth: Truth, among: Truth, players: Sequence[int]) -> Truth:
        """Remove worlds that a player cannot distinguish from a failure until nothing changes."""
        while True:
            less = truth
            for player in players:
                less = less & _all_over(self._classes((player,)), less, among)
            if (less[among] == truth[among]).all():
                return less
            truth = less


def _shares(size: int, hands: Sequence[int], mask: int) -> Iterator[tuple[int, ...]]:
    """Yield how many cards of a block each player may get."""

    def rest(player: int, left: int) -> Iterator[tuple[int, ...]]:
        if player == len(hands):
            if not left:
                yield ()
            return
        for number in range(min(left, hands[player]) + 1 if mask >> player & 1 else 1):
            for more in rest(player + 1, left - number):
                yield (number, *more)

    return rest(0, size)


def _all_over(classes: Numbers, truth: Truth, among: Truth) -> Truth:
    broken = np.zeros(int(classes.max(initial=-1)) + 1, dtype=np.bool_)
    broken[classes[among & ~truth]] = True
    return np.asarray(~broken[classes])


def draw_position(random: Random) -> tuple[DealProblem, Deal]:
    """Draw a problem of 2 to 8 players and 12 to 60 cards, and a deal of it.

    The owners of most sets are known. The cards of the others have one or two kinds of possible
    owners, and minimums and maximums of some players are known, as late in a game of requests and
    answers.
    """
    players, cards = random.randint(2, 8), random.choice([12, 16, 20, 24, 30, 36, 40, 48, 52, 60])
    size, bounded = random.choice([3, 4, 4, 4, 5, 6, 8]), random.choice([0, 0.3, 0.6])
    is_open = min(1.0, random.randint(8, 24) / cards)
    hands, sets, owner = [0] * players, [], []
    for start in range(0, cards, size):
        length = min(size, cards - start)
        deal = [random.randrange(players) for _ in range(length)]
        counts = [deal.count(player) for player in range(players)]
        hands = [hand + count for hand, count in zip(hands, counts, strict=True)]
        if random.random() < is_open:
            split = random.choice([length, random.randint(1, length)])
            kinds = [
                {*kind, *random.sample(range(players), random.randint(0, min(2, players)))}
                for kind in (deal[:split], deal[split:])
            ]
            owners = [kinds[number >= split] for number in range(length)]
        else:
            owners = [{player} for player in deal]
        low = [random.randint(0, number) if random.random() < bounded else 0 for number in counts]
        high = [
            random.randint(number, length) if random.random() < bounded else length
            for number in counts
        ]
        sets.append(SetConstraint.of(owners, players, low, high))
        owner.append(tuple(deal))
    return DealProblem(hands, sets), Deal(tuple(owner))


class FormulaGenerator:
    """A source of random formulas about the open cards of a position."""

    def __init__(self, random: Random, problem: DealProblem) -> None:
        self.random, self.problem = random, problem
        self.open = [
            (index, number, players_in(mask))
            for index, constraint in enumerate(problem.sets)
            for number, mask in enumerate(constraint.owners)
            if mask.bit_count() > 1
        ]
        self.cards = random.sample(self.open, min(len(self.open), random.randint(1, 4)))

    def player(self) -> int:
        """Draw a player."""
        return self.random.randrange(self.problem.players)

    def group(self) -> str:
        """Draw a group, mostly a pair."""
        number = min(self.problem.players, self.random.choice([2, 2, 2, 3]))
        chosen = sorted(self.random.sample(range(self.problem.players), number))
        return f"{{{','.join(map(str, chosen))}}}"

    def card(self) -> str:
        """Draw the statement that a player holds a card."""
        index, number, owners = self.random.choice(self.cards)
        return f"H{self.random.choice(owners)} {index}/{number}"

    def plain(self) -> str:
        """Draw a formula about hands."""
        match self.random.randrange(6):
            case 0:
                return f"({self.card()} | {self.card()})"
            case 1:
                return f"({self.card()} -> {self.card()})"
            case 2:
                return f"!({self.card()} & {self.card()})"
            case 3:
                return f"!{self.card()}"
            case _:
                return self.card()

    def number(self) -> str:
        """Draw a comparison of numbers."""
        first, second = self.player(), self.player()
        match self.random.randrange(3):
            case 0:
                return f"U{first}({second}) <= {self.random.randint(0, 4)}"
            case 1:
                small = [
                    index
                    for index, constraint in enumerate(self.problem.sets)
                    if constraint.size <= 4
                ]
                if small and first != second:
                    index = self.random.choice(small)
                    sign = self.random.choice(["<", "<=", "=", ">"])
                    return f"cards({first}, {index}) {sign} cards({second}, {index})"
                return f"U{first}({second}) >= {self.random.randint(1, 4)}"
            case _:
                return f"U{first}({second}) = {self.random.randint(0, 3)}"

    def whole(self) -> str:
        """Draw a formula for the list; one in three states common knowledge."""
        if self.random.random() < 0.33:
            return f"C{self.group()} {self.formula(self.random.randint(1, 2))}"
        return self.formula(self.random.randint(2, 4))

    def formula(self, depth: int) -> str:
        """Draw a formula with the given number of nested operators of knowledge."""
        if not depth:
            return self.number() if self.random.random() < 0.15 else self.plain()
        inner = self.formula(depth - 1)
        match self.random.randrange(14):
            case 0 | 1:
                return f"K{self.player()} {inner}"
            case 2 | 3:
                return f"!K{self.player()} {inner}"
            case 4:
                return f"M{self.player()} {inner}"
            case 5:
                return f"Kw{self.player()} {inner}"
            case 6:
                return f"C{self.group()} {inner}"
            case 7:
                return f"!C{self.group()} {inner}"
            case 8:
                return f"D{self.group()} {inner}"
            case 9:
                return f"E{self.group()} {inner}"
            case 10:
                return f"({self.formula(depth - 1)} | {inner})"
            case 11:
                return f"({self.plain()} -> {inner})"
            case 12:
                return f"({inner} & {self.formula(depth - 1)})"
            case _:
                return f"[{self.formula(self.random.randrange(2))}!] {inner}"


def draw_formulas(seed: int, formulas: int = 6) -> tuple[DealProblem, Deal, list[str]]:
    """Draw a position from a seed, and some formulas about it."""
    random = Random(seed)
    while True:
        problem, deal = draw_position(random)
        drawing = FormulaGenerator(random, problem)
        if drawing.open:
            break
    return problem, deal, [drawing.whole() for _ in range(formulas)]


def situation_text(problem: DealProblem, deal: Deal, texts: Sequence[str]) -> str:
    """Return the text of a situation with formulas to decide."""

    def row(word: str, numbers: Sequence[int]) -> str:
        return f"{word} {' '.join(map(str, numbers))}"

    lines = ["situation 1", row("hands", problem.hands)]
    for constraint in problem.sets:
        masks = ("".join(map(str, players_in(mask))) for mask in constraint.owners)
        lines.append(f"set {' '.join(masks)}")
        lines += [row("least", constraint.low), row("most", constraint.high)]
    lines.append("deal " + " ".join("".join(map(str, owner)) for owner in deal.owner))
    return "\n".join([*lines, *(f"ask {text}" for text in texts)])


def certify(problem: DealProblem, deal: Deal, formula: Formula) -> dict[str, bool]:
    """Return the truth of a formula by each method that can decide it.

    Raises:
        LimitError: If the quotient has too many worlds, or the solvers do not decide.
    """
    ways = {"quotient": Quotient(problem, formula).truth(formula, deal)}
    for method in ("solvers", "explicit"):
        if (
            method == "solvers"
            or (quick_count(problem) or MAX_EXPLICIT_DEALS + 1) <= MAX_EXPLICIT_DEALS
        ):
            ways[method] = evaluate(formula, problem, deal, method)
    return ways


def main() -> None:
    """Write the situation of a seed, or certify the whole list."""
    if sys.argv[1:]:
        print(situation_text(*draw_formulas(int(sys.argv[1]))))
        return
    ways: Counter[str] = Counter()
    for entry in read_list():
        answers = certify(entry.problem, entry.deal, entry.formula)
        if set(answers.values()) != {entry.truth}:
            raise SystemExit(f"seed {entry.seed}: {entry.text}: {answers}, not {entry.truth}")
        ways.update(list(answers))
    print(", ".join(f"{number} by {way}" for way, number in ways.items()))


if __name__ == "__main__":
    main()
