"""`kwartet watch`: step through a recorded game, with all hands or as one player saw it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.sentences import PLAIN, Wording
from quaternity.base.text_format import make_printable
from quaternity.base.text_table import table_lines
from quaternity.cli.deck_option import DeckName, deck_words
from quaternity.cli.input_files import open_log
from quaternity.cli.kwartet import kwartet
from quaternity.cli.terminal import bold, columns, say, width
from quaternity.cli.watch import Viewer
from quaternity.kwartet.chances import count_or_none
from quaternity.kwartet.hands import NUMBERS_IN_MASK
from quaternity.kwartet.log_reader import put_down_at_deal
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.public import PublicState
from quaternity.kwartet.queries import answer_lines, moment
from quaternity.kwartet.rules import KwartetRules, ended_text, left_text
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.view import View

MARKS = (
    "=1: player 1 has the card   12: player 1 or 2 has it   *: any opponent with cards may have it"
)


@kwartet.command()
def watch(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game log; - is standard input.")],
    seat: Annotated[
        int | None,
        typer.Option(metavar="SEAT", help="Show only what this seat sees.  [default: all hands]"),
    ] = None,
    step: Annotated[int, typer.Option(metavar="N", help="Begin at this step; 0 is the deal.")] = 0,
    worlds: Annotated[
        bool,
        typer.Option(
            "--worlds/--no-worlds",
            help="Count the possible deals at every step. This is slow with six or more players.",
        ),
    ] = True,
    deck: DeckName = None,
) -> None:
    """Watch a logged game, step by step.

    Enter or n shows the next step, b the previous one, a number goes to that step, k 2 shows what
    player 2 knows, and q quits. If input or output is piped, all steps are printed.

    Example: quaternity kwartet watch my.game --seat 0
    """
    log = open_log(game)
    words, last = deck_words(deck, log.settings), log.settings.players - 1
    log.view(0, seat)  # Raise an error now if the log does not show what the seat sees.
    if isinstance(log, SeatLog):
        seat = log.seat
    if not 0 <= step <= len(log.events):
        raise InputError(f"--step {step} is out of range 0..{len(log.events)}")

    def knowledge(player: str, number: int) -> None:
        knower = str(seat) if not player and seat is not None else player
        if not (knower.isascii() and knower.isdigit()) or not 0 <= int(knower[:9]) <= last:
            print(f"k needs a player 0..{last}, for example k 0")
        elif seat is not None and int(knower) != seat:
            print(f"only the knowledge of player {seat} can be shown")
        else:
            try:
                show_knowledge(log, number, int(knower), words)
            except InputError as error:
                print(error)

    def tell(text: str, number: int, why: bool) -> Iterator[str]:
        lines = answer_lines(words.read(text), moment(log, number, seat), why=why, wide=columns())
        return map(words.say, lines)

    viewer = Viewer(
        lambda number: show_step(log, number, seat, worlds, words),
        len(log.events),
        step,
        knowledge,
        tell=tell,
    )
    if game == "-":
        viewer.print_all()
    else:
        viewer.play()


def show_step(
    log: GameLog | SeatLog, step: int, seat: int | None = None, worlds: bool = True,
    words: Wording = PLAIN,
) -> None:  # fmt: skip
    """Print the step after a number of requests. Step 0 is the deal.

    If `seat` is given, show only what this seat sees. If `worlds` is true, count the possible
    deals.
    """
    public = log.states[step]
    if step:
        news = ", ".join(map(words.say, log.events[step - 1].sentences()))
    else:
        news = ", ".join(["the deal", *map(words.say, put_down_at_deal(log.states[0]))])
    say(f": {news}", heading=f"step {step} of {len(log.events)}")
    if seat is None and not isinstance(log, SeatLog):
        print("\n".join(hands_lines(log, step, words)))
    else:
        if log.names:
            say(_names(log))
        _show_view(log.view(step, seat), words)
    if public.is_over:
        say(f"{ended_text(public)}: {points_text(public)}")
        return
    if public.left is not None and seat is None and not isinstance(log, SeatLog):
        say(left_text(public))
    if worlds:
        _say_worlds(log, step, seat)


def show_knowledge(log: GameLog | SeatLog, step: int, seat: int, words: Wording = PLAIN) -> None:
    """Print what a seat knows at a step. Raise `InputError` if the log does not show the seat."""
    view = log.view(step, seat)
    print(f"what player {seat} knows at step {step}")
    _show_view(view, words)


def hands_lines(log: GameLog, step: int, words: Wording = PLAIN) -> list[str]:
    """Return the lines of a table of all hands.

    The table has a row for each set and a column for each player, then rows for the numbers of
    cards and points. The row of the requested card's set is bold.
    """
    position = log.positions[step]
    public, players = position.public, range(log.settings.players)
    turn = None if public.is_over else public.turn
    names = [f" ({make_printable(name)})" for name in log.names] or [""] * len(players)
    head = [f"{'> ' * (player == turn)}{player}{names[player]}" for player in players]
    rows = []
    for index, owner in enumerate(public.removed):
        held = [
            " ".join(
                words.cell((index, n), "").strip() or str(n) for n in NUMBERS_IN_MASK[hand[index]]
            )
            for hand in position.hands
        ]
        if owner is not None:
            held = ["put down" if hand == owner else "" for hand in range(log.settings.hands)]
        rows.append([words.number(index), *held])
    pile = [""] * (log.settings.aside > 0)
    rows += [["cards", *map(str, public.hands)], ["points", *map(str, public.points), *pile]]
    head += ["aside"] * len(pile)
    head = [name.ljust(len("0 1 2 3")) for name in head]
    lines = table_lines(["set", *head], rows, width(), align=">" + "<" * len(head))
    label = words.number(log.events[step - 1].question.card.set_index) if step else ""
    return [
        bold(line) if label and line.split()[:1] == label.split()[:1] else line for line in lines
    ]


def points_text(public: PublicState) -> str:
    """Return the points as text, with the winner or the players who tie."""
    points = public.points
    scores = ", ".join(f"player {player}: {count}" for player, count in enumerate(points))
    best = [player for player, count in enumerate(points) if count == max(points)]
    if len(best) == 1:
        return f"{scores}: player {best[0]} wins"
    return f"{scores}: a tie of players {', '.join(map(str, best))}"


def _show_view(view: View, words: Wording) -> None:

    print(KwartetRules(view.public.settings).show(view, columns(), words))
    say(MARKS)


def _names(log: GameLog | SeatLog) -> str:
    return ", ".join(
        f"player {player} is {make_printable(name)}" for player, name in enumerate(log.names)
    )


def _say_worlds(log: GameLog | SeatLog, step: int, seat: int | None) -> None:
    say(f"possible deals: for a bystander {_number(count_or_none(log.states[step].problem))}")
    seats = range(log.settings.players) if seat is None else (seat,)
    if seat is not None or not isinstance(log, SeatLog):
        numbers = [f"player {s} {_number(count_or_none(log.view(step, s).problem))}" for s in seats]
        say(f"  for {', '.join(numbers)}")


def _number(deals: int | None) -> str:
    """Format a number of deals. Large numbers are rounded.

    >>> _number(123456), _number(53644737765488792839237440000), _number(None)
    ('123,456', '5.36e+28', 'too many to count')
    """
    if deals is None:
        return "too many to count"
    return f"{deals:,}" if deals < 10**9 else f"{deals:.2e}"
