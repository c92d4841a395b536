"""All games keep the laws of the table, and the check finds games that break them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import cycle
from random import Random
from typing import Any

import pytest

from quaternity.base.errors import IllegalMove
from quaternity.base.text_record import Replay
from quaternity.environments.episode import TableGame
from quaternity.game.question import Question
from quaternity.game.rules import QuaternityRules, owner_cell
from quaternity.game.settings import Settings, TieBreak
from quaternity.kwartet.rules import KwartetPosition, KwartetRules
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from quaternity.kwartet.view import View
from quaternity.quarto.rules import QuartoPosition, QuartoRules, QuartoSettings
from quaternity.quarto.solving import QuartoMove
from quaternity.table.conformance import LawViolation, check_rules
from quaternity.table.games import rules_of_record
from quaternity.table.protocol import Rules
from quaternity.ternary.cards import SetCard
from quaternity.ternary.players import Finder
from quaternity.ternary.rules import SetMove, SetPosition, SetRules, SetSettings, SetView
from quaternity.ternary.tables import Rule
from tests.sizes import thorough

GAMES: list[tuple[Any, Any]] = [
    (QuaternityRules(), None),
    (QuaternityRules(Settings(2, 4, 4, TieBreak.MIN_SETS, 3)), None),
    (KwartetRules(KwartetSettings(3, 3)), None),
    (KwartetRules(KwartetSettings(2, 4, AnnounceTiming.AFTER_OWN_REQUEST)), None),
    (KwartetRules(KwartetSettings(4, 3, own_card_requests=False)), None),
    (QuartoRules(), None),
    (QuartoRules(QuartoSettings(squares=True)), None),
    (SetRules(), Finder(1.0)),
    (SetRules(SetSettings(seats=1, table=9)), Finder(1.0)),
]


def seen_as_rules(rules: Rules[Any, Any, Any]) -> str:
    """Return the name of a game; mypy checks that its type fits the protocol."""
    return rules.name


@pytest.mark.parametrize(("rules", "player"), GAMES, ids=lambda value: getattr(value, "name", ""))
def test_a_game_keeps_the_laws(rules: Any, player: Any) -> None:
    encoded = TableGame(rules.name, asdict(rules.settings)).encoded
    checked = check_rules(rules, thorough(1, 3), player=player, encoded=encoded)
    assert checked.matches == thorough(1, 3)
    assert checked.over >= 1
    assert checked.alike > checked.moves
    assert seen_as_rules(rules) == rules.name


@pytest.mark.parametrize("rules", [rules for rules, _ in GAMES], ids=lambda rules: rules.name)
def test_comments_do_not_change_the_game_of_a_record(rules: Any) -> None:
    start = rules.start(Random(3))
    head, _, rest = rules.record_start(start, "abcdefgh"[: rules.seats]).partition("\n")
    for before, after in (("", ""), ("# quarto 1 # or set\n\n", ""), ("", " # set 1 # quarto")):
        read = rules_of_record(f"{before}{head}{after}\n{rest}".encode())
        assert (read.name, read.settings) == (rules.name, rules.settings)


# ---------------------------------------------------------------------- games that break a law


class ShowsTheDeck(SetRules):
    """Shows the last card of the deck in every view."""

    def view(self, position: SetPosition, seat: int | None) -> SetView:
        return replace(super().view(position, seat), undealt=-position.order[-1])


class TellsOthersHands(KwartetRules):
    """Shows the hand of another player in the public events of a request."""

    def events(
        self, before: KwartetPosition, seat: int, move: Question, after: KwartetPosition
    ) -> tuple[str, ...]:
        return (*super().events(before, seat, move, after), str(after.position.hands[1]))


class ForgetsToHandOver(QuartoRules):
    """Accepts a move without a piece for the opponent."""

    def after(self, position: QuartoPosition, seat: int, move: QuartoMove) -> QuartoPosition:
        try:
            return super().after(position, seat, move)
        except IllegalMove:
            return position


class MisreadsItself(QuartoRules):
    """Writes a move as a different one."""

    def write(self, move: QuartoMove) -> str:
        return super().write(move if move.cell is None else move._replace(cell=15 - move.cell))


class NeverEnds(QuartoRules):
    """Has places from the first move on."""

    def places(self, position: QuartoPosition) -> tuple[int, int] | None:
        return 1, 2


class TakesMovesOutOfTurn(QuartoRules):
    """Treats every move as one of the player to move."""

    def after(self, position: QuartoPosition, seat: int, move: QuartoMove) -> QuartoPosition:
        return super().after(position, position.turn, move)


class GoesOnAfterTheEnd(QuartoRules):
    """Accepts moves after the end of the game."""

    def to_act(self, position: QuartoPosition) -> tuple[int, ...]:
        return () if len(position.board.empty) < 12 else super().to_act(position)

    def places(self, position: QuartoPosition) -> tuple[int, int] | None:
        return None if self.to_act(position) else (1, 1)


class TellsBystanders(KwartetRules):
    """Shows the hand of player 0 to bystanders."""

    def view(self, position: KwartetPosition, seat: int | None) -> View:
        view = super().view(position, seat)
        if seat is not None:
            return view
        return View(view.public, view.seat, position.position.hands[0], view.events)


class RefusesInTheKnow(KwartetRules):
    """Refuses a bad request in words that depend on the hand of another player."""

    def after(self, position: KwartetPosition, seat: int, move: Question) -> KwartetPosition:
        try:
            return super().after(position, seat, move)
        except IllegalMove as error:
            other = position.position.hands[1 - min(seat, 1)]
            raise IllegalMove("no", [*error.faults, f"he has {other}"]) from error


class SharesThePodium(KwartetRules):
    """Ranks the second of three players third."""

    def places(self, position: KwartetPosition) -> tuple[int, ...] | None:
        places = super().places(position)
        return places and tuple(place + (place > 1) for place in places)


class ForgetsItsSettings(QuartoRules):
    """Omits from the record whether squares count."""

    def record_start(self, start: QuartoPosition, names: Sequence[str]) -> str:
        return super().record_start(start, names).replace("squares yes\n", "")

    def replay(self, data: bytes) -> Replay[QuartoPosition, QuartoMove]:
        return super().replay(data.replace(b"quarto 1\n", b"quarto 1\nsquares yes\n"))


class LosesWhatWasCut(QuartoRules):
    """Reads a record with a truncated last line as the start of the game."""

    def replay(self, data: bytes) -> Replay[QuartoPosition, QuartoMove]:
        return super().replay(data if data.endswith(b"\n") else data[: data.find(b"0 ")])


class ForgetsWhereMovesEnd(QuartoRules):
    """Omits where a move ends in the record, so that an undo would cut it at a wrong place."""

    def replay(self, data: bytes) -> Replay[QuartoPosition, QuartoMove]:
        replay = super().replay(data)
        return replace(replay, ends=(*replay.ends[:-2], *replay.ends[-1:], *replay.ends[-1:]))


STARTERS = cycle((0, 1))


class IsFickle(QuartoRules):
    """Chooses the first player without the random generator."""

    def start(self, random: Random) -> QuartoPosition:
        return replace(super().start(random), turn=next(STARTERS))


class ChangesWhatItIsGiven(SetRules):
    """Changes the given position, so that it forgets who agreed."""

    def after(self, position: SetPosition, seat: int, move: SetMove) -> SetPosition:
        after = super().after(position, seat, move)
        object.__setattr__(position, "seen", after.seen)
        return after


class KnowsWhoIsNext(KwartetRules):
    """Lets the cards of a hand decide who may act."""

    def to_act(self, position: KwartetPosition) -> tuple[int, ...]:
        acting = super().to_act(position)
        return acting and ((acting[0],) if position.position.hands[0][0] & 1 else (0, 1, 2))


class OffersTooFew(KwartetRules):
    """Offers only half of the legal moves after every other request."""

    def moves(self, view: View) -> Any:
        listed = list(super().moves(view))
        return listed[::2] if len(view.events) % 2 else listed


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (OffersTooFew(KwartetSettings(3, 3)), "disagree about"),
        (TakesMovesOutOfTurn(), "is not a legal move, but is accepted"),
        (GoesOnAfterTheEnd(), "is not a legal move, but is accepted"),
        (TellsBystanders(KwartetSettings(3, 3)), "a bystander: "),
        (RefusesInTheKnow(KwartetSettings(3, 3)),
         "equal views give different reasons for refusing"),
        (SharesThePodium(KwartetSettings(3, 3)), "which is not a valid ranking"),
        (ForgetsItsSettings(QuartoSettings(squares=True)),
         "the replayed record has other settings"),
        (LosesWhatWasCut(), "a record cut off after"),
        (ForgetsWhereMovesEnd(), "in the replayed record, moves end at other bytes"),
        (IsFickle(), "uses another source of randomness"),
        (ChangesWhatItIsGiven(), "changes the position before the move"),
        (KnowsWhoIsNext(KwartetSettings(3, 3)), "different seats may act"),
        (ShowsTheDeck(), "indistinguishable positions have different views"),
        (TellsOthersHands(KwartetSettings(3, 3)), "reveal more than the views"),
        (ForgetsToHandOver(), "is not a legal move, but is accepted"),
        (MisreadsItself(), r"read\(\) does not invert write"),
        (NeverEnds(), "must be None exactly while"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_broken_game_is_found(rules: Any, words: str) -> None:
    with pytest.raises(LawViolation, match=words):
        check_rules(rules, 3)


class FillsTheTerminal(QuartoRules):
    """Shows a position in lines of `columns` columns."""

    columns = 80

    def show(self, view: QuartoPosition, width: int = 80) -> str:
        lines = super().show(view, width).splitlines()
        return "\n".join(line.ljust(self.columns) for line in lines)


class OverflowsTheTerminal(FillsTheTerminal):
    """Writes lines with one column too many."""

    columns = 81


def test_eighty_columns_fit_and_one_more_does_not() -> None:
    check_rules(FillsTheTerminal(), 1)
    with pytest.raises(LawViolation, match="does not fit 80 columns"):
        check_rules(OverflowsTheTerminal(), 1)


class Loud:
    """The encoding of a game with its numbers shifted, so that they may be out of range."""

    def __init__(self, encoded: Any, by: float) -> None:
        self.encoded, self.by = encoded, by

    def __getattr__(self, name: str) -> Any:
        return getattr(self.encoded, name)

    def numbers(self, view: Any) -> Any:
        return array("f", [number + self.by for number in self.encoded.numbers(view)])


class HidesAMove(Loud):
    """An encoding without the action of one legal move."""

    def mask(self, view: Any) -> Any:
        mask = [*self.encoded.mask(view)]
        mask[mask.index(True)] = False
        return mask


def test_an_encoding_has_an_action_for_every_legal_move() -> None:
    encoded = HidesAMove(TableGame("quarto").encoded, 0.0)
    with pytest.raises(LawViolation, match="which are not the 16 legal moves"):
        check_rules(QuartoRules(), 1, encoded=encoded)


@pytest.mark.parametrize("by", [-0.5, 0.0, 0.5])
def test_numbers_of_a_game_are_from_0_to_1(by: float) -> None:
    encoded = Loud(TableGame("quarto").encoded, by)
    if by:
        with pytest.raises(LawViolation, match="a number that is not between 0 and 1"):
            check_rules(QuartoRules(), 1, encoded=encoded)
    else:
        check_rules(QuartoRules(), 1, encoded=encoded)


def test_a_player_makes_every_other_move() -> None:
    views = []

    class First:
        def choose(self, view: Any, random: Random) -> Any:
            views.append(view)
            return next(iter(QuartoRules().moves(view)))

    tried = check_rules(QuartoRules(), 4, player=First())
    assert (tried.moves - 4) / 2 <= len(views) <= tried.moves / 2


# ---------------------------------------------------------------------- rules beyond the laws


@pytest.mark.parametrize("matches", [1, 3])
def test_matches_moves_and_similar_positions_are_counted(matches: int) -> None:
    """A position looks like one other to a seat, and like one to a bystander; so does the last."""
    tried = check_rules(QuartoRules(), matches)
    assert (tried.matches, tried.over) == (matches, matches)
    assert 4 * matches < tried.moves <= 17 * matches
    assert tried.alike == 2 * (tried.moves + matches)


def test_a_cell_shows_the_possible_owners_of_a_card() -> None:
    cells = {0b111: "*", 0b010: "=1", 0b110: "12", 0b001: "=0"}
    assert {mask: owner_cell(mask, 0b111) for mask in cells} == cells
    many = {1 << 10: "=(10)", 1 << 10 | 1 << 9: "9(10)"}
    assert {mask: owner_cell(mask, (1 << 11) - 1) for mask in many} == many
    rules = QuaternityRules(Settings(2, 3, 3))
    assert "*   *" in rules.show(rules.start(Random(0)))


def test_a_large_table_is_shown_completely_and_has_capital_letters() -> None:
    rules = SetRules(SetSettings(1, Rule.TRIPLE))
    start = rules.start(Random(1))
    view = replace(rules.view(start, 0), places=tuple(range(54)))
    assert rules.read("a A B", view).cards == (0, 26, 27)
    assert rules.read("A B C", rules.view(start, 0)) == rules.read("a b c", rules.view(start, 0))
    text = rules.show(view)
    assert all(str(SetCard(card)) in text for card in range(54))
    assert max(map(len, text.splitlines())) <= 80


def test_a_quarto_that_is_a_square_is_in_brackets() -> None:
    rules = QuartoRules(QuartoSettings(squares=True))
    position = rules.start(Random(0))
    for number, text in enumerate(["B", "H1V1 F", "H1V2 I", "H2V1 J", "H2V2"]):
        position = rules.after(position, number % 2, rules.read(text, position))
    assert rules.places(position) == (1, 2)
    assert rules.show(position).count("[") == 4
