"""`kwartet note`: record a game with real cards while it is played."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from random import Random
from typing import Annotated

import typer

from quaternity.base.append_file import AppendOnlyFile
from quaternity.base.errors import IllegalMove, InputError, LimitError
from quaternity.base.reading import read_bytes
from quaternity.base.text_format import MAX_QUOTED_CHARS, quote_value
from quaternity.cli.chances import chance_lines
from quaternity.cli.deck_option import DeckName, deck_words, move_text, refusal_text
from quaternity.cli.input_files import open_log
from quaternity.cli.kwartet import Aside, MaxMoves, SetSize, kwartet, make_settings
from quaternity.cli.terminal import ask, columns, thinking, wrap_text
from quaternity.decks.words import DeckWords
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.sentences import PUTS_DOWN
from quaternity.kwartet.chances import chance_of
from quaternity.kwartet.hands import hand_of
from quaternity.kwartet.log import parse_any_log, seat_log_text
from quaternity.kwartet.log_reader import LogError, event_lines, put_down_at_deal
from quaternity.kwartet.queries import QueryContext, answer_lines, moment
from quaternity.kwartet.rules import KwartetRules, ended_text
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import View
from quaternity.table.games import registration
from quaternity.table.players import make_player
from solvers.counting import chances
from solvers.filtering import filter_problem

_REQUEST = re.compile(
    r"(.*?)[\s:,]+(yes|no|y|n)\b(?:[\s,]*(?:and\s+)?puts\s+down\s+([0-9 ,and]+))?", re.I
)
_PLAIN = re.compile(r"(\d{1,9})\s+(\d{1,9})\s+(\d{1,9}\s*/\s*\d{1,9})", re.ASCII)
_PUTS_DOWN = re.compile(r"(\d{1,9})\s+puts\s+down\s+(\d{1,9})", re.ASCII)

HELP = """\
Type:  2 asks 0 for 4/1: no    or short  2 0 4/1 no   or on 2's turn  0 4/1 no
       2 puts down 4           after the request that completed set 4, unless
                               this follows from what you know
       know F   do you know whether F is true?    why F   how do you know it?
       chances   hint   state (the table)   history   undo   quit"""


@kwartet.command()
def note(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Log file to begin or to continue.")],
    seat: Annotated[
        int | None,
        typer.Option(metavar="SEAT", help="Your seat, from 0.  [default: none, you only watch]"),
    ] = None,
    hand: Annotated[
        str | None,
        typer.Option(
            metavar="CARDS", help="Your cards, such as '0/1 3/2 ...'.  [default: you are asked]"
        ),
    ] = None,
    players: Annotated[int, typer.Option(metavar="N", help="Number of players.")] = 4,
    sets: Annotated[int, typer.Option("-n", "--sets", metavar="N", help="Number of sets.")] = 13,
    cards: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,...",
            help="Number of cards dealt to each seat.  [default: shared as evenly as possible]",
        ),
    ] = None,
    announce: Annotated[
        str,
        typer.Option(
            metavar="RULE", help="When full sets are put down: at-once or after-own-request."
        ),
    ] = "at-once",
    own_card_requests: Annotated[
        bool,
        typer.Option(
            "--own-card-requests/--no-own-card-requests",
            help="Whether a player may ask for a card in their own hand.",
        ),
    ] = True,
    set_size: SetSize = None,
    aside: Aside = None,
    max_moves: MaxMoves = None,
    deck: DeckName = None,
) -> None:
    """Write down a game with real cards while it is played, and ask what you can know.

    Type every request with its answer. If a request is impossible, it is refused and you see why.
    After each request, you see what has become certain. The log contains your hand and what
    everybody saw. kwartet know and kwartet watch read the log, and kwartet note continues it.

    With --deck FILE you can type the names printed on the cards: see quaternity guide decks.

    Example: quaternity kwartet note evening.log --seat 1 --players 4
    """
    if AppendOnlyFile.exists(game):
        with AppendOnlyFile(game) as file:
            log = open_log(game)
            if not isinstance(log, SeatLog):
                raise InputError(
                    f"{game}: this log shows all hands; `kwartet note` can only continue "
                    "a log that hides the other hands"
                )
            if seat is not None and seat != log.seat:
                writer = "a bystander" if log.seat is None else f"seat {log.seat}"
                raise InputError(f"{game}: this log was written by {writer}, not by seat {seat}")
            speech = deck_words(deck, log.settings)
            if log.warnings:  # The last line was cut off, so its request may be incomplete.
                file.shorten(_whole_length(game, log))
            _Notes(log, file, speech).run()
        return
    settings = make_settings(
        players=players, sets=sets, announce=announce, own_card_requests=own_card_requests,
        set_size=set_size, aside=aside, max_moves=max_moves,
    )  # fmt: skip
    speech = deck_words(deck, settings)
    log = _start_log(settings, seat, hand, cards, speech)
    with AppendOnlyFile.create(game, seat_log_text(log)) as file:
        _Notes(log, file, speech).run()


def _start_log(
    settings: KwartetSettings, seat: int | None, hand: str | None, cards: str | None,
    speech: DeckWords,
) -> SeatLog:  # fmt: skip
    sizes = settings.hand_sizes()
    if cards is not None:
        try:
            pile = sizes[settings.players :]
            sizes = (*(int(s) for s in cards.split(",")), *pile)
        except ValueError:
            raise InputError(f"--cards {cards!r}: expected numbers such as 18,17,17") from None
    if seat is None:
        return SeatLog.start(settings, sizes)
    if not 0 <= seat < settings.players:
        raise InputError(f"--seat {seat} is out of range 0..{settings.players - 1}")
    if len(sizes) != settings.hands or sum(sizes) != settings.cards or min(sizes) < 0:
        return SeatLog.start(settings, sizes)  # Raise the error before the user types a hand.
    if hand is not None:
        return _log_with_hand(settings, sizes, seat, speech.read(hand))
    example = speech.hand(((0, 1), (1, 2))) if speech.deck.sets else "0/1 3/2"
    while True:
        ended = False
        try:
            typed = ask(f"your {sizes[seat]} cards, for example {example} ...: ")
        except EOFError:
            typed, ended = "", True
        except UnicodeDecodeError:
            typed = "?"
        if typed == "quit":
            raise typer.Exit
        try:
            typed = speech.read(typed)
            return _log_with_hand(settings, sizes, seat, typed)
        except InputError as error:
            if ended:
                raise
            print(wrap_text(f"{error}{speech.suggest_card(typed)}"))
            if len(typed.replace(",", " ").split()) != sizes[seat]:
                dealt = ",".join(map(str, sizes[: settings.players]))
                print(wrap_text(f"if the hands do not have {dealt} cards, quit and use --cards"))


def _log_with_hand(
    settings: KwartetSettings, sizes: Sequence[int], seat: int, text: str
) -> SeatLog:
    cards = [Card.parse(word) for word in text.replace(",", " ").split()]
    for number, card in enumerate(cards):
        if card in cards[:number]:
            raise InputError(f"card {card} is in the hand twice")
    hand = hand_of(cards, settings.sets, settings.set_size)
    full = [(index, seat) for index, mask in enumerate(hand) if mask == settings.full]
    if settings.hands == 2:  # The other player holds all remaining cards.
        full += [(index, 1 - seat) for index, mask in enumerate(hand) if not mask]
    return SeatLog.start(settings, sizes, seat, hand, full if settings.at_once else [])


class _Notes:
    """The dialogue that records a game which is played with real cards."""

    def __init__(self, log: SeatLog, file: AppendOnlyFile, speech: DeckWords) -> None:

        self.log, self.file, self.speech = log, file, speech
        self.at_deal: list[tuple[int, int]] = []
        """Pairs (set, player) of the sets put down at the deal, in the order in which they were
        typed."""
        self.rules = KwartetRules(log.settings)
        self.words: dict[str, Callable[[str], Iterator[str]]] = {
            "know": lambda argument: self.formula_lines(argument, why=False),
            "why": lambda argument: self.formula_lines(argument, why=True),
            "chances": self.chances,
            "hint": self.hint,
            "state": self.state,
            "history": self.history,
            "undo": self.undo,
            "help": lambda argument: iter(HELP.splitlines()),
        }

    def keep(self, before: SeatLog) -> None:
        """Write the changes of the game to the file, and flush them to the disk."""
        old, new = _lines(before), _lines(self.log)
        data, same = read_bytes(self.file.path), len(old)
        if new[:same] != old:
            # Compare whole requests, because an edited file may list the sets in another order.
            pairs = zip(_blocks(before), _blocks(self.log), strict=False)
            same = sum(len(event) for event, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            data = data[: event_lines(data)[same]]
            self.file.shorten(len(data))
        if new[same:]:
            end = b"" if data.endswith((b"\n", b"\r")) else b"\n"
            self.file.append(end.decode() + "".join(f"{line}\n" for line in new[same:]))

    def run(self) -> None:
        for line in self.state(""):
            print(line)
        print("type what is said at the table, or help")
        while True:
            try:
                line = ask(self.prompt())
            except EOFError:
                print()
                return
            except UnicodeDecodeError:
                line = "?"
            if line.lower() in ("quit", "q", "exit"):
                return
            for text in self.obey(line):
                print(wrap_text(text, 2))

    def prompt(self) -> str:
        public = self.log.views[-1].public
        return "over> " if public.is_over else f"player {public.turn} asks> "

    def obey(self, line: str) -> Iterator[str]:
        try:
            line = self.speech.read(line)
        except InputError as error:
            yield str(error)
            return
        word, _, argument = line.replace("\t", " ").partition(" ")
        if word.lower() in self.words:
            yield from map(self.speech.say, self.words[word.lower()](argument.strip()))
            return
        before = self.log
        try:
            self.log = self.log_after(line)
        except IllegalMove as error:
            yield refusal_text(self.speech, error)
            return
        except InputError as error:
            yield f"{error}{self.speech.suggest_card(line)} (or type help)"
            return
        if self.log is not before:
            self.keep(before)
            yield from self.news(before)

    def log_after(self, line: str) -> SeatLog:
        if not line:
            return self.log
        down = _PUTS_DOWN.fullmatch(line)
        if down is not None:
            return self.put_down(int(down[1]), int(down[2]))
        request = _REQUEST.fullmatch(line) if len(line) <= MAX_QUOTED_CHARS else None
        if request is None:
            raise InputError(
                f"{quote_value(line)} is not understood: type, for example, '2 asks 0 for 4/1: no'"
            )
        question, answer = self.read(request[1], request[2])
        put_down = tuple(map(int, re.findall(r"\d{1,9}", request[3] or "")))
        return self.log.after(
            question, answer, put_down or self.log.sets_put_down_after(question, answer)
        )

    def read(self, request: str, answer: str) -> tuple[Question, Answer]:
        view = self.log.views[-1]
        asker = View(view.public, view.public.turn, view.hand)
        plain = _PLAIN.fullmatch(request)
        if plain is not None:
            request = f"{plain[1]} asks {plain[2]} for {plain[3]}"
        return self.rules.read(request, asker), Answer.parse(answer)

    def put_down(self, player: int, index: int) -> SeatLog:
        log = self.log
        if log.events:
            last = log.events[-1]
            if last.question.asker != player:
                raise InputError(
                    f"only player {last.question.asker}, who made the last request, can put down "
                    "sets now"
                )
            if index in last.announced:
                raise InputError(f"player {player} has already put down set {index}")
            return log.without_last().after(last.question, last.answer, (*last.announced, index))
        if (index, player) in log.put_down_at_deal:
            raise InputError(f"player {player} has already put down set {index}")
        new = log.with_announced([*log.put_down_at_deal, (index, player)])
        self.at_deal.append((index, player))
        return new

    def news(self, before: SeatLog) -> Iterator[str]:
        """Yield the lines added to the log, and the cards whose owners have become certain."""
        for line in _lines(self.log)[len(_lines(before)) :]:
            yield f"  {self.speech.say(line)}"
        old, new = (_certain_owners(x) for x in (before, self.log))
        learnt: dict[int, list[str]] = {}
        for card, owner in new.items():
            if old.get(card) != owner and owner != self.log.seat:
                learnt.setdefault(owner, []).append(self.speech.card(card))
        pile = self.log.settings.players
        for owner, cards in sorted(learnt.items()):
            names = ", ".join(cards)
            aside = f"{names} {'is' if len(cards) == 1 else 'are'} set aside"
            yield f"  certain now: {aside if owner == pile else f'player {owner} has {names}'}"
        if self.log.views[-1].public.is_over:
            points = self.log.views[-1].public.points
            scores = ", ".join(f"player {player}: {count}" for player, count in enumerate(points))
            yield f"{ended_text(self.log.views[-1].public)} ({scores})"

    # -- commands -----------------------------------------------------------------------------

    def moment(self) -> QueryContext:
        return moment(self.log, len(self.log.events))

    def formula_lines(self, formula: str, why: bool) -> Iterator[str]:
        if not formula:
            yield "type a formula, such as know H0 4/1; kwartet know --help explains formulas"
            return
        yield from answer_lines(formula, self.moment(), why=why, wide=columns())

    def state(self, argument: str) -> Iterator[str]:
        del argument
        yield self.rules.show(self.log.views[-1], columns(), self.speech)

    def chances(self, argument: str) -> Iterator[str]:
        del argument
        try:
            table = chances(self.log.views[-1].problem)
        except LimitError as error:
            yield f"no chances yet: {error}"
            return
        yield "chances in percent; # is certain, . is impossible"
        yield from chance_lines(table, columns(), 3, aside=self.log.settings.players)

    def hint(self, argument: str) -> Iterator[str]:
        del argument
        view = self.log.views[-1]
        if view.public.is_over or view.seat != view.public.turn:
            yield "hints are given only on your own turn"
            return
        name = registration("kwartet").strongest
        with thinking(name):
            move = make_player(self.rules, name).choose(view, Random(len(self.log.events)))
        try:
            chance = f" (yes with {float(chance_of(view, move)):.1%})"
        except LimitError:
            chance = ""
        yield f"{name} would play: {move_text(self.speech, move, str(move))}{chance}"

    def history(self, argument: str) -> Iterator[str]:
        del argument
        for number, event in enumerate(self.log.events, start=1):
            yield f"{number}. {' · '.join(map(self.speech.say, event.sentences()))}"

    def undo(self, argument: str) -> Iterator[str]:
        """Take back the last request or, if there is none, a set put down at the deal."""
        del argument
        before = self.log
        if before.events:
            event = before.events[-1]
            self.log, undone = before.without_last(), self.speech.say(event.sentences()[0])
        else:
            # A full set in the dealt hand is always put down, so it cannot be taken back.
            others = [p for p in before.put_down_at_deal if p[1] != before.seat]
            if not others:
                yield "there is nothing to take back"
                return
            typed = [a for a in self.at_deal if a in others]
            index, player = last = (typed or others)[-1]
            remaining = [x for x in before.put_down_at_deal if x != last]
            undone = self.speech.say(PUTS_DOWN(who=player, set=index))
            try:
                self.log = before.with_announced(remaining)
            except InputError as error:
                yield f"{undone} cannot be taken back: {error}"
                return
        self.keep(before)
        yield f"taken back: {undone}"


def _whole_length(path: str, log: SeatLog) -> int:
    """Return the length of a log file in bytes, up to its last complete request."""
    data = read_bytes(path)
    end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
    try:
        if parse_any_log(data[:end]) == log:
            return end
    except LogError:
        pass
    return max(data.rfind(b"\n", 0, end - 1), data.rfind(b"\r", 0, end - 1)) + 1


def _blocks(log: SeatLog) -> list[Sequence[str]]:
    return [put_down_at_deal(log.states[0]), *(event.sentences() for event in log.events)]


def _lines(log: SeatLog) -> list[str]:
    return [line for block in _blocks(log) for line in block]


def _certain_owners(log: SeatLog) -> dict[tuple[int, int], int]:
    return {
        (index, number): mask.bit_length() - 1
        for index, constraint in enumerate(filter_problem(log.views[-1].problem).sets)
        for number, mask in enumerate(constraint.owners)
        if mask.bit_count() == 1
    }
