"""All commands by section of the first help page: the modules that register each, and its summary.

A command's modules are loaded when it is called, or asked for its own page.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """A command, or a group of commands.

    Attributes:
        modules: in `quaternity.cli`, which register it with the application, by spaces.
        summary: the first line of its own page.
    """

    modules: str
    summary: str


SECTIONS = {
    "Play": {
        "play": Entry("play", "Play a game at this terminal, all players in turn."),
        "serve": Entry("serve", "Open the table to friends: four games in a browser."),
        "kwartet": Entry(
            "kwartet know kwartet_note kwartet_play kwartet_simulate kwartet_watch",
            "Play Kwartet: hidden hands, knowledge, strategies.",
        ),
        "quarto": Entry("quarto quarto_play", "Play Quarto, and judge its boards."),
        "set": Entry(
            "ternary ternary_play set_play", "Play SET, and study its 81 cards under two rules."
        ),
        "watch": Entry("watch", "Watch a recorded game of any of the four, step by step."),
        "review": Entry("review", "Say what decided a game, and what each move was worth."),
        "tournament": Entry(
            "quaternity_tournament", "Let bots play each other, and say who wins how often."
        ),
        "players": Entry("players", "List the players of all games, and try one."),
        "tables": Entry("tables", "Look after the tables of a server: list, export, back up."),
        "puzzle": Entry("puzzle", "Solve a puzzle whose answer can be proved."),
    },
    "Understand a position": {
        "check": Entry("referee", "Is this state possible? Was this game played by the rules?"),
        "questions": Entry("referee", "List the legal questions of a state, or at a record's end."),
        "analyse": Entry("analyse", "Say what a state implies: owners, counts, deals, chances."),
        "situation": Entry("situation", "Ask what is true after announcements, and who knows it."),
        "solve": Entry("solve", "Solve a game: who can force a win, or prevent another's."),
        "verify": Entry("verify", "Check a certificate of a solved game."),
        "perft": Entry("referee", "Count the sequences of moves from the start."),
    },
    "Put solvers side by side": {
        "solvers": Entry(
            "list_solvers", "List the solvers, and what installs those that are missing."
        ),
        "compare": Entry("compare", "Time every solver on many states, and check all evidence."),
        "fuzz": Entry("fuzz", "Try random problems and games on all solvers."),
        "instances": Entry(
            "exchange", "Make instances that are just possible, or just impossible."
        ),
        "export": Entry("exchange", "Write a position for other people's solvers."),
        "prove": Entry("exchange", "Prove that cards cannot be dealt, for anybody's checkers."),
    },
    "Learn": {"guide": Entry("guide", "Read the guide; without PAGE its contents.")},
}

ENTRIES = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
