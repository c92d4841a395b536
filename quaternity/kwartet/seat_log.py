"""Logs of Kwartet games as one player or a bystander saw them, without the other hands.

These logs are for games with real cards, in which no program knows all hands. Every request is
checked against the rules and against the deals that are still possible. An impossible request is
rejected with a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from quaternity.base.errors import IllegalMove, InputError
from quaternity.base.text_format import join_words
from quaternity.game.question import Answer, Question
from quaternity.kwartet.hands import Hand
from quaternity.kwartet.public import Event, PublicState, after_request, request_faults
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import NOBODY, View
from solvers.filtering import filter_problem
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import solve
from solvers.verdict import Feasible


@dataclass(frozen=True, slots=True)
class SeatLog:
    """A running or finished game, as one seat or a bystander saw it, as an immutable object.

    Attributes:
        sizes: the number of cards dealt to each hand. The cards set aside are the last hand.
        seat, hand: the seat and the cards dealt to it, or None and an empty hand for a bystander.
        views: the views right after the deal and after each request.
        warnings: irregularities in the text from which the log was read.
    """

    settings: KwartetSettings
    sizes: tuple[int, ...]
    seat: int | None
    hand: Hand
    events: tuple[Event, ...]
    views: tuple[View, ...] = field(repr=False)
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def start(
        cls,
        settings: KwartetSettings,
        sizes: Sequence[int],
        seat: int | None = None,
        hand: Hand | None = None,
        announced: Sequence[tuple[int, int]] = (),
        names: Sequence[str] = (),
    ) -> SeatLog:
        """Return the log of a game right after the deal.

        `announced` contains a pair (set, player) for each set that a player was dealt completely
        and put down immediately. Raise `InputError` if the deal is impossible.
        """
        own = (0,) * settings.sets if hand is None or seat is None else hand
        _check_start(settings, sizes, seat, own, announced)
        public = PublicState.start(settings, sizes, sorted(announced))
        removed = zip(own, public.removed, strict=True)
        held = tuple(mask if gone is None else 0 for mask, gone in removed)
        view = View(public, NOBODY if seat is None else seat, held)
        why = _why_impossible(view.problem)
        if why is not None:
            raise InputError(f"the deal is impossible: {why}")
        return cls(settings, tuple(sizes), seat, own, (), (view,), tuple(names))

    @classmethod
    def of_view(cls, view: View) -> SeatLog:
        """Return the log of a game up to the moment of a view, as the seat of the view saw it.

        The running time is proportional to the number of requests times the number of sets.
        """
        sizes, hand, down = view.at_deal()
        full = view.public.settings.full
        own = [full if (index, view.seat) in down else held for index, held in enumerate(hand)]
        seat = None if view.seat == NOBODY else view.seat
        log = cls.start(view.public.settings, sizes, seat, tuple(own), down)
        views, events = [log.views[0]], view.events
        for step, event in enumerate(events, start=1):
            after = views[-1].public.after(event.question, bool(event.answer), event.announced)
            hand_now = event.hand_after(views[-1].hand, view.seat)
            views.append(View(after, view.seat, hand_now, events[:step]))
        return replace(log, events=events, views=tuple(views))

    def with_announced(self, announced: Sequence[tuple[int, int]]) -> SeatLog:
        """Return the log of the same deal, without requests, in which the given sets are put down.

        `announced` contains pairs (set, player).
        """
        hand = None if self.seat is None else self.hand
        return self.start(self.settings, self.sizes, self.seat, hand, announced, self.names)

    @property
    def put_down_at_deal(self) -> list[tuple[int, int]]:
        """The sets that were put down right after the deal, as pairs (set, player)."""
        removed = enumerate(self.states[0].removed)
        return [(index, player) for index, player in removed if player is not None]

    @property
    def states(self) -> list[PublicState]:
        """The public states right after the deal and after each request, in order."""
        return [view.public for view in self.views]

    def view(self, step: int, seat: int | None) -> View:
        """Return what the seat of the log saw after `step` requests.

        `seat` must be the seat of the log or None.
        """
        if seat is not None and seat != self.seat:
            observer = "everybody" if self.seat is None else f"player {self.seat}"
            raise InputError(f"seat {seat}: the log shows only what {observer} saw")
        return self.views[step]

    def after(self, question: Question, answer: Answer, announced: Sequence[int] = ()) -> SeatLog:
        """Return the log with another request and the sets that the asker then put down.

        Raise `IllegalMove` if the rules forbid the request, or if the answer or the sets put down
        contradict what was seen before. The `faults` of the error say why.
        """
        view = self.views[-1]
        faults = self._faults(question, answer, announced)
        if not faults:
            faults = _impossible_parts(view, question, answer, announced)
        if faults:
            raise IllegalMove(f"'{question}: {answer}' is impossible", faults)
        public = view.public.after(question, bool(answer), sorted(announced))
        hand = Event(question, answer, tuple(announced)).hand_after(view.hand, view.seat)
        events = (*self.events, Event(question, answer, tuple(sorted(announced))))
        latest = View(public, view.seat, hand, events)
        why = _why_impossible(latest.problem)
        if why is not None:
            down = f" and putting down {join_words(sorted(announced))}" if announced else ""
            raise IllegalMove(f"'{question}: {answer}'{down} is impossible", [f"otherwise {why}"])
        return replace(self, events=events, views=(*self.views, latest))

    def sets_put_down_after(self, question: Question, answer: Answer) -> tuple[int, ...]:
        """Return the sets that the asker must put down after a request, in ascending order.

        Raise `IllegalMove` if the request or its answer is impossible, whatever sets were put down.
        """
        view = self.views[-1]
        try:
            self.after(question, answer)
        except IllegalMove as error:
            index, number = question.card
            players = range(self.settings.players)
            can_be = index in range(self.settings.sets) and number in range(self.settings.set_size)
            can_be = can_be and question.asked in players and question.asked != question.asker
            if (
                question.asker != view.public.turn
                or not can_be
                or view.public.removed[index] is not None
            ):
                raise
            own = (
                Event(question, answer).hand_after(view.hand, view.seat)
                if question.asker == self.seat
                else ()
            )
            full = [index for index, held in enumerate(own) if held == self.settings.full]
            before = view.problem.sets[index]
            stated = after_request(self.settings, before, question, bool(answer))
            after = view.problem.with_set(index, stated)
            exact = filter_problem(after if solve(after) else view.problem).sets
            certain = {
                index
                for index, constraint in enumerate(exact)
                if constraint.size and constraint.low[question.asker] == constraint.size
            }
            for candidate in [full] if full else [certain, certain | {index}]:
                with suppress(IllegalMove):
                    self.after(question, answer, sorted(candidate))
                    return tuple(sorted(candidate))
            raise error from None
        return ()

    def without_last(self) -> SeatLog:
        """Return the log without its last request."""
        return replace(self, events=self.events[:-1], views=self.views[:-1])

    def _faults(self, question: Question, answer: Answer, announced: Sequence[int]) -> list[str]:
        view = self.views[-1]
        asker, asked, (index, number) = question
        is_own = self.seat is not None and asker == self.seat
        # Assume that another player holds the necessary cards. `_why_impossible` checks this later.
        settings, full_set = self.settings, self.settings.full
        hand = (
            view.hand
            if is_own
            else tuple(
                full_set & ~(1 << number % settings.set_size) if other == index else full_set
                for other in range(settings.sets)
            )
        )
        faults = request_faults(view.public, hand, question)
        if faults or self.seat is None:
            return faults
        held = view.hand[index] >> number & 1
        if held != answer if asked == self.seat else held and answer:
            has = "has" if held else "does not have"
            faults.append(f"player {self.seat} {has} {question.card}")
        if is_own:
            hand = Event(question, answer).hand_after(view.hand, view.seat)
            full = [index for index, mask in enumerate(hand) if mask == full_set]
            if full != sorted(announced):
                has = (
                    f"must put down set {join_words(full)}"
                    if full
                    else "has no full set to put down"
                )
                faults.append(f"player {asker} then {has}")
        return faults


def _check_start(
    settings: KwartetSettings,
    sizes: Sequence[int],
    seat: int | None,
    hand: Hand,
    announced: Sequence[tuple[int, int]],
) -> None:
    if len(sizes) != settings.hands or sum(sizes) != settings.cards:
        pile = f", and sets {settings.aside} cards aside" if settings.aside else ""
        raise InputError(
            f"{sum(sizes)} cards in {len(sizes)} hands: the game has {settings.cards} cards and "
            f"{settings.players} players{pile}"
        )
    if settings.aside and sizes[-1] != settings.aside:
        raise InputError(f"aside: expected {settings.aside} cards, not {sizes[-1]}")
    for player, size in enumerate(sizes):
        if size < 0:
            raise InputError(f"hand {player}: the number of cards must be >= 0, not {size}")
    if seat is not None:
        cards = sum(mask.bit_count() for mask in hand)
        if not 0 <= seat < settings.players:
            raise InputError(f"seat {seat} is out of range 0..{settings.players - 1}")
        if cards != sizes[seat]:
            raise InputError(f"hand {seat}: expected {sizes[seat]} cards, not {cards}")
    down = dict(announced)
    if announced and not settings.at_once:
        raise InputError("sets cannot be put down before the first request in this game")
    for index, player in announced:
        possible = [settings.full if player == seat else 0]
        if not 0 <= index < settings.sets:
            raise InputError(f"set {index} is out of range 0..{settings.sets - 1}")
        if not 0 <= player < settings.players:
            raise InputError(f"player {player} is out of range 0..{settings.players - 1}")
        if announced.count((index, player)) > 1:
            raise InputError(f"'{player} puts down {index}' is given more than once")
        if down[index] != player:
            raise InputError(
                f"set {index} cannot be put down twice, by player {player} "
                f"and by player {down[index]}"
            )
        if seat is not None and hand[index] not in possible:
            raise InputError(
                f"player {player} cannot put down set {index}: "
                f"the hand of player {seat} shows that they do not hold all its cards"
            )
    for index, held in enumerate(hand):
        if settings.at_once and held == settings.full and down.get(index) != seat:
            raise InputError(f"'{seat} puts down {index}' is missing: the set was dealt in full")
    owners = list(down.values())
    counts = [settings.set_size * owners.count(player) for player in range(len(sizes))]
    for player, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        if count > size:
            raise InputError(f"player {player} puts down {count} cards, but was dealt only {size}")


def _why_impossible(problem: DealProblem) -> str | None:
    verdict = solve(problem)
    if isinstance(verdict, Feasible):
        return None
    return "no deal fits" if verdict.shortage is None else verdict.shortage.in_words(problem)


def _impossible_parts(
    view: View, question: Question, answer: Answer, announced: Sequence[int]
) -> list[str]:
    asker, asked, card = question
    public, faults = view.public, []
    owners = view.problem.sets[card.set_index].owners[card.number]
    if answer and not owners >> asked & 1:
        faults.append(f"player {asked} cannot have {card}")
    if not answer and owners == 1 << asked:
        faults.append(f"player {asked} must have {card}")
    if (
        announced
        and public.settings.at_once
        and (not answer or list(announced) != [card.set_index])
    ):
        faults.append(f"only set {card.set_index} can be put down, and only if the answer is yes")
    for index in announced:
        if not 0 <= index < public.settings.sets or public.removed[index] is not None:
            faults.append(f"set {index} is not in play")
            continue
        received = card.number if answer and index == card.set_index else None
        if not _may_hold_set(view.problem.sets[index], asker, asked, received):
            faults.append(f"player {asker} cannot have all of set {index}")
    settings = public.settings
    if (
        card.set_index in announced
        and not answer
        and not settings.own_card_requests
        and len(announced) * settings.set_size != public.hands[asker]
    ):
        faults.append(
            f"player {asker} would have asked for their own card: "
            "that is allowed only if their hand consists of full sets"
        )
    if (
        announced
        and not public.settings.at_once
        and public.askers >> asker & 1
        and not (answer and list(announced) == [card.set_index])
    ):
        faults.append(
            f"player {asker} has already made a request: from then on, a set can be put down only "
            "by the request that completes it"
        )
    return faults


def _may_hold_set(constraint: SetConstraint, asker: int, asked: int, received: int | None) -> bool:
    owners = all(
        mask >> asker & 1 for number, mask in enumerate(constraint.owners) if number != received
    )
    low = [
        minimum - (player == asked and received is not None)
        for player, minimum in enumerate(constraint.low)
    ]
    return (
        owners
        and all(minimum <= 0 for player, minimum in enumerate(low) if player != asker)
        and constraint.high[asker] >= constraint.size - (received is not None)
    )
