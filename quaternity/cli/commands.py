"""List of all commands, with their modules, summaries and sections of the first help page.

The modules of a command are imported only when the command is called or its help page is shown.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """A command, or a group of commands.

    Attributes:
        modules: names of the modules in `quaternity.cli` that register the command, separated by
            spaces.
        summary: the first line of the command's help page.
    """

    modules: str
    summary: str


SECTIONS = {
    "Play": {
        "play": Entry("play", "Play Quaternity at this terminal, with people and programs."),
        "serve": Entry("serve", "Run a web server, to play the four games with friends."),
        "kwartet": Entry(
            "kwartet know kwartet_note kwartet_play kwartet_simulate kwartet_watch",
            "Play Kwartet: hidden hands, knowledge, strategies.",
        ),
        "quarto": Entry("quarto quarto_play", "Play Quarto, and analyse its positions."),
        "set": Entry(
            "ternary ternary_play set_play", "Play SET, and study its 81 cards under two rules."
        ),
        "watch": Entry("watch", "Watch a recorded game of any kind, step by step."),
        "review": Entry("review", "Show what decided a game, and what each move was worth."),
        "tournament": Entry(
            "quaternity_tournament", "Let bots play against each other, and rate them."
        ),
        "players": Entry("players", "List the players of all games, or test one."),
        "tables": Entry("tables", "Manage the tables of a server: list, export, back up."),
        "puzzle": Entry("puzzle", "Solve a puzzle whose answer can be proved."),
    },
    "Understand a position": {
        "check": Entry("referee", "Check whether states are possible and games follow the rules."),
        "questions": Entry(
            "referee", "List the legal questions in a state, or after a recorded game."
        ),
        "analyse": Entry("analyse", "Show what a state implies: possible owners, deals, chances."),
        "situation": Entry(
            "situation", "Find out what is true after announcements, and who knows it."
        ),
        "solve": Entry("solve", "Solve a game: find who can force a win, or prevent one."),
        "verify": Entry("verify", "Check a certificate of a solved game."),
        "perft": Entry("referee", "Count the sequences of moves from the start."),
    },
    "Compare solvers": {
        "solvers": Entry("list_solvers", "List the solvers, and how to install the missing ones."),
        "compare": Entry("compare", "Time every solver on many states, and check its answers."),
        "fuzz": Entry("fuzz", "Test all solvers on random problems and games."),
        "instances": Entry(
            "exchange", "Make deal problems that are barely possible or barely impossible."
        ),
        "export": Entry("exchange", "Write a position in a format that other solvers read."),
        "prove": Entry("exchange", "Write a checkable proof that cards cannot be dealt."),
    },
    "Learn": {"guide": Entry("guide", "Read a page of the guide, or list the pages.")},
}

ENTRIES = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
