"""The rules of Kwartet, as an implementation of `quaternity.table.protocol.Rules`.

Each seat sees the public state and its own hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from textwrap import fill
from typing import Any

from quaternity.base.errors import IllegalMove, LimitError, NotUnderstood
from quaternity.base.sentences import PLAIN, Wording
from quaternity.base.text_format import quote_value, with_noun
from quaternity.base.text_record import Replay, check_same
from quaternity.base.text_table import WIDTH, SetLine, minimums_text, owners_text, score_text
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.game.rules import owner_cell, parse_question
from quaternity.game.sentences import ASKS_FOR_ANOTHER
from quaternity.kwartet.hands import NUMBERS_IN_MASK, Hand, deal_hands
from quaternity.kwartet.log import announced_at_deal, header_text, log_text, parse_log
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, PublicState, may_ask_for_own
from quaternity.kwartet.settings import SET_SIZE, KwartetSettings
from quaternity.kwartet.view import NOBODY, View
from quaternity.table.plain_rules import PlainRules
from solvers.filtering import filter_problem

PILE = "a"
"""Label for the cards set aside, in tables of possible owners."""


@dataclass(frozen=True, slots=True)
class KwartetPosition:
    """A game at one moment, with the dealt hands, the current position and all events so far."""

    dealt: tuple[Hand, ...]
    position: Position
    events: tuple[Event, ...] = ()

    def __repr__(self) -> str:
        public = self.position.public
        return f"<KwartetPosition, {len(self.events)} requests, points {public.points}>"


@dataclass(frozen=True, slots=True)
class KwartetRules(PlainRules[KwartetPosition, Question, View]):
    """The rules of Kwartet with given settings (see `quaternity.table.protocol.Rules`)."""

    settings: KwartetSettings = field(default_factory=KwartetSettings)

    name = "kwartet"
    hidden = True

    @property
    def seats(self) -> int:
        """Number of players."""
        return self.settings.players

    def start(self, random: Random) -> KwartetPosition:
        """Deal the cards at random, and return the first position.

        If the cards cannot be dealt evenly, the seats that get an extra card are random, too.
        """
        dealt = self.settings.cards - self.settings.aside
        extra = random.randrange(self.seats) if dealt % self.seats else 0
        return self.start_of_deal(random, extra)

    def start_of_deal(self, random: Random, deal: int) -> KwartetPosition:
        """Deal the cards at random for deal number `deal` of a series. Return the first position.

        If the cards cannot be dealt evenly, the seats with an extra card differ from deal to deal.
        """
        return self._start(deal_hands(self.settings, random, deal))

    def _start(self, hands: tuple[Hand, ...]) -> KwartetPosition:
        return KwartetPosition(hands, Position.start(self.settings, hands))

    def to_act(self, position: KwartetPosition) -> tuple[int, ...]:
        """Return the player to move, or an empty tuple once the game is over."""
        public = position.position.public
        return () if public.is_over else (public.turn,)

    def view(self, position: KwartetPosition, seat: int | None) -> View:
        """Return the view of a seat: the public state, all events and the hand of the seat."""
        current = position.position
        if seat is None:
            return View(current.public, NOBODY, (0,) * self.settings.sets, position.events)
        return View(current.public, seat, current.hands[seat], position.events)

    def after(self, position: KwartetPosition, seat: int, move: Question) -> KwartetPosition:
        """Return the position after a request. Raise IllegalMove if the request is illegal."""
        faults = self.faults(self.view(position, seat), move)
        if faults:
            raise IllegalMove(f"'{move}' is not a legal request", faults)
        after, event = position.position.ask(move)
        return KwartetPosition(position.dealt, after, (*position.events, event))

    def events(
        self, before: KwartetPosition, seat: int, move: Question, after: KwartetPosition
    ) -> tuple[str, ...]:
        """Return messages about the request, its result and the sets put down."""
        del before, seat, move
        return after.events[-1].sentences()

    def points(self, position: KwartetPosition) -> tuple[float, ...]:
        """Return the number of sets that each player has put down."""
        return tuple(map(float, position.position.public.points))

    def iter_moves(self, view: View) -> Iterator[Question]:
        """Yield the legal requests in the order of set, card and asked player."""
        public = view.public
        if public.is_over or view.seat != public.turn:
            return
        own, asked = may_ask_for_own(public.settings, view.hand), public.may_be_asked(view.seat)
        for index, held in enumerate(view.hand):
            if not held or public.removed[index] is not None:
                continue
            for number in range(public.settings.set_size):
                if own or not held >> number & 1:
                    for player in asked:
                        yield Question(view.seat, player, Card(index, number))

    def faults(self, view: View, move: Question) -> list[str]:
        """Return the reasons why a request is illegal, or an empty list if it is legal."""
        if isinstance(move, Question) and move.asker != view.seat:
            return [ASKS_FOR_ANOTHER(who=view.seat, other=move.asker)]
        return view.faults(move)

    def read(self, text: str, view: View) -> Question:
        """Parse a request such as `1 0/2`, `1 0 2`, `1 for 0/2` or `0 asks 1 for 0/2`."""
        question = parse_question(text.partition(":")[0], view.seat)
        if question is None:
            raise NotUnderstood(
                f"{quote_value(text)} is not understood: a request is an opponent and a card, for "
                "example 1 0/2 or 1 0 2"
            )
        return question

    def show(self, view: View, width: int = WIDTH, words: Wording = PLAIN) -> str:
        """Return a text with the scores, all that the seat can know, and the hand of the seat."""
        public = view.public
        turn = None if public.is_over else public.turn
        opponents = public.with_cards & ~(1 << view.seat if view.seat >= 0 else 0)
        lines, pile = [], {self.seats: PILE}
        for index, constraint in enumerate(filter_problem(view.problem).sets):
            owner = public.removed[index]
            if owner is not None:
                texts, remark = ["-"] * public.settings.set_size, f"put down by {owner}"
            else:
                own_bit = 1 << view.seat if view.seat >= 0 else 0
                texts = [
                    "mine" if mask == own_bit else owner_cell(mask, opponents, pile)
                    for mask in constraint.owners
                ]
                remark = minimums_text(constraint.low, view.seat, pile)
            cells = [words.cell((index, number), text) for number, text in enumerate(texts)]
            lines.append(SetLine(words.number(index), cells, remark))
        paragraphs = [score_text(public.hands[: self.seats], public.points, turn, width)]
        if public.left is not None:
            paragraphs.append(left_text(public))
        paragraphs.append(owners_text(lines, width))
        if view.seat != NOBODY:
            hand = f"your hand: {hand_text(view.hand, words, public.settings.full)}"
            paragraphs.append(fill(hand, width, subsequent_indent=" " * 11, break_long_words=False))
        return "\n".join(paragraphs)

    def view_json(self, view: View) -> dict[str, Any]:
        """Return a JSON object with the public state, the seat's hand and what the seat can know.

        `owners` lists the possible owners of each card. `fewest` lists, for each hand, the minimum
        number of cards of each set. The cards set aside are an additional hand after the hands of
        the players.
        """
        public, known = view.public, filter_problem(view.problem).sets
        return {
            "seat": None if view.seat == NOBODY else view.seat,
            "turn": None if public.is_over else public.turn,
            "hands": list(public.hands[: self.seats]),
            "points": list(public.points),
            "removed": list(public.removed),
            "hand": [f"{i}/{n}" for i, held in enumerate(view.hand) for n in NUMBERS_IN_MASK[held]],
            "owners": [
                [
                    [player for player in range(self.settings.hands) if mask >> player & 1]
                    for mask in row.owners
                ]
                for row in known
            ],
            "fewest": [[row.low[hand] for row in known] for hand in range(self.settings.hands)],
            "events": [str(event) for event in view.events],
            "over": public.is_over,
            **({} if public.left is None else {"left": public.left}),
            **({"aside": self.settings.aside} if self.settings.aside else {}),
        }

    def like(self, view: View, random: Random) -> KwartetPosition:
        """Return a random position that the seat of a view considers possible.

        If the possible deals can be counted, all of them are equally likely.
        """
        from solvers.registry import solve
        from solvers.sampling import sample_deals
        from solvers.verdict import Feasible

        try:
            (deal,) = sample_deals(view.problem, random, 1)
        except LimitError:
            verdict = solve(view.problem)
            assert isinstance(verdict, Feasible), "every view must fit at least one deal"
            deal = verdict.deal
        hands = [[0] * self.settings.sets for _ in view.public.hands]
        for index, owners in enumerate(deal.owner):
            for number, player in enumerate(owners):
                hands[player][index] |= 1 << number
        drawn = tuple(map(tuple, hands))
        return KwartetPosition(drawn, Position(view.public, drawn), view.events)

    def record_start(self, start: KwartetPosition, names: Sequence[str]) -> str:
        """Return the first lines of a log, which contain the settings and all hands."""
        announced = announced_at_deal(start.position)
        head = header_text(self.settings, start.dealt, names)
        return head + "".join(f"{line}\n" for line in announced)

    def record_move(
        self, before: KwartetPosition, seat: int, move: Question, after: KwartetPosition
    ) -> str:
        """Return the log lines of a request, its result and the sets put down."""
        del before, seat, move
        return f"{after.events[-1]}\n"

    def record_of(
        self, start: KwartetPosition, names: Sequence[str], moves: Iterable[Question]
    ) -> tuple[str, int]:
        """Return the text of a complete log, and the number of finished goes in it.

        A go is a series of requests by one player. This method is faster than `record_move` for
        each request.
        """
        events = [event for _, event in start.position.play(moves)]
        log = GameLog.of(self.settings, start.dealt, events, names)
        return log_text(log), len(log.go_ends)

    @classmethod
    def of_record(cls, data: bytes) -> KwartetRules:
        """Return the rules with the settings of a log. Raise the same errors as `parse_log`."""
        return cls(parse_log(data).settings)

    def replay(self, data: bytes) -> Replay[KwartetPosition, Question]:
        """Replay a log, which must have the same settings as these rules, and return its moves."""
        log = parse_log(data)
        check_same(self.settings, log.settings)
        ends, count, warnings = _ends(data, log)
        positions = tuple(
            KwartetPosition(log.hands, position, log.events[:number])
            for number, position in enumerate(log.positions[: count + 1])
        )
        moves = tuple((event.question.asker, event.question) for event in log.events[:count])
        return Replay(positions, moves, log.names, warnings, ends[-1], ends)


def _ends(data: bytes, log: GameLog) -> tuple[tuple[int, ...], int, tuple[str, ...]]:
    """Return three results: byte offsets in a log, its number of complete requests, and warnings.

    The offsets are the ends of the header and of each complete request. A request is incomplete if
    the lines about sets put down after it are missing.
    """
    ends = [0]
    complete = data.rfind(b"\n") + 1
    end, lines, last = 0, 0, 0
    for raw in data[:complete].splitlines(keepends=True):
        words = raw.decode().split("#", 1)[0].split()
        if words[1:2] == ["asks"]:
            ends.append(end)
            lines, last = 0, last + 1
        lines += words[1:2] == ["puts"]
        end += len(raw)
        ends[-1] = end
    warnings = log.warnings
    if complete < len(data) and not warnings:
        number = data.count(b"\n") + 1
        warnings = (f"line {number} is incomplete and was ignored",)
    if last and lines < len(log.events[last - 1].announced):
        last -= 1
        del ends[-1]
        warnings = (*warnings, "the last request lacks its announcements and was ignored")
    return tuple(ends), last, warnings


def ended_text(public: PublicState) -> str:
    """Return a text that says why a game is over."""
    if None not in public.removed:
        return "all sets are put down"
    return "nobody can ask" if public.left else "no requests are left"


def left_text(public: PublicState) -> str:
    """Return a text that says how many cards are set aside and how many requests are left."""
    aside = public.settings.aside
    pile = f"{with_noun(aside, 'card')} {'lies' if aside == 1 else 'lie'} aside ({PILE}); " * (
        aside > 0
    )
    return f"{pile}{with_noun(public.left or 0, 'request')} left"


def hand_text(hand: Hand, words: Wording = PLAIN, full: int = (1 << SET_SIZE) - 1) -> str:
    """Return a text that lists the cards of a hand by set, with `*` after each full set."""
    sets = [
        words.hand((index, number) for number in NUMBERS_IN_MASK[held])
        + ("*" if held == full else "")
        for index, held in enumerate(hand)
        if held
    ]
    return "  ".join(sets) or "no cards"
