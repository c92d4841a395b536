"""Registrations of games: the parts of a game that commands, pages and environments use.

A registration contains the name of a game, and an import path `package.module:name` for each part.
A part is imported when it is first used. If a part is missing, methods of the game's rules are used
instead, such as `show`, `moves` and `view_json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.plugins import PLACE, load_place
from quaternity.base.text_format import quote_value

NAME = re.compile(r"[a-z][a-z0-9]{0,19}", re.ASCII)
RANDOM = {"random": "quaternity.table.players:RandomPlayer"}
"""Default players of a game, if its registration lists none: a mapping from name to import path."""

_PLACES = (
    "rules",
    "strategy_player",
    "encoded",
    "batch",
    "words",
    "drawing",
    "picture",
    "scenes",
    "advised_move",
    "tips",
    "command",
    "advice",
    "review",
)


class Level(NamedTuple):
    """A level of difficulty that people can choose for an opponent.

    Attributes:
        name: name of the level.
        player: name of the player, with its argument if it has one.
        text: a sentence about how the player plays.
        rating: the rating of the player in the guide.
        face: an emoji that stands for the level.
    """

    name: str
    player: str
    text: str
    rating: int
    face: str = ""


class GameLength(NamedTuple):
    """A length of a game that people can choose in the form for a new table.

    Attributes:
        name: name of the length.
        minutes: usual duration of a game, in minutes.
        settings: the settings that make a game this long. The number of sets is raised if
            necessary, for example to share the cards evenly.
    """

    name: str
    minutes: int
    settings: Mapping[str, Any]


class StarterGame(NamedTuple):
    """A game that the start page offers to beginners.

    Attributes:
        settings: the settings that differ from the default values.
        programs: number of opponents, which are programs of the level `easy`.
    """

    settings: Mapping[str, Any]
    programs: int


class Benchmark(NamedTuple):
    """A small version of a game that exact algorithms can solve, for use as a benchmark.

    The attributes are the arguments of `quaternity.environments.episode.TableGame`.
    """

    settings: Mapping[str, Any]
    reward: str
    max_moves: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """Registration of a game, with all parts that the commands, pages and tournaments need.

    Only `name` and `rules` are required.

    Attributes:
        name: the first word of the game's records and of its commands.
        rules: import path (`module:name`) of the class of the rules
            (`quaternity.table.protocol.Rules`).
        title: title of the game. By default, it is the capitalized name.
        text: a description of the game for pages.
        players: dictionary that maps the name of each player to a factory or to the factory's
            import path. A factory is called with the rules and the argument after the colon. If it
            has a single parameter, it is called with the rules alone.
        of_files: players whose argument is a file. Pages do not offer these players.
        strongest: the player that gives hints. By default, it is the first player.
        levels: the opponents that a page offers first, from the weakest to the strongest.
        player_kind: word for a computer player of the game, for example "bot".
        strategy_player: import path of a function that creates a player from a name and a strategy,
            which is a function `(view, random) -> move`.
        strategy_group: group of entry points in which other distributions register strategies.
        chance_by_entry: whether each player of a tournament gets a new random generator in each
            game. Otherwise, games with the same deal share their random generators, one for each
            seat.
        encoded: import path of the encoding (`quaternity.environments.episode.Encoded`).
        batch: import path of a class that plays many games in parallel, like
            `quaternity.quarto.batch.QuartoBatch`.
        benchmarks: small versions of the game, by the names under which environments load them.
        max_moves: default number of moves after which an environment truncates a game.
        seats: minimum and maximum number of players. None stands for the number of seats in the
            default settings.
        words: import path of a function that returns `quaternity.cli.match.GameWords`.
        command: import path of the Typer group with the commands of the game, or of a function that
            takes the name of the game and returns the group.
        at_root: whether the commands of the game are top-level commands, without the name of the
            game.
        drawing: import path of a function that draws a view of a table for a page. The template of
            the page has the name of the game.
        picture: import path of a function that draws the picture of the game for the start page.
        scenes: import path of the functions that draw events of the game (see
            `quaternity.web.drawing.moments`).
        advised_move: import path of a function that phrases a move as advice to a player. It takes
            the wording of a page and the move. By default, the text of the move is used.
        tips: import path of the tips for players (see `quaternity.web.drawing.tips`).
        first: the game that the start page offers to beginners.
        lengths: the lengths of a game that the form for a new table offers. The default is the
            middle one.
        suggested: the settings that the form suggests instead of the defaults.
        helpers: import paths of the functions that help a player, by name (see
            `quaternity.web.hints`).
        advice: import path of a function that takes a view and a move, and returns text that is
            added to a hint.
        review: import path of the judge for reviews (`quaternity.review.judge.Judge`).
        help: the help buttons on the page, in order. Each has a name, which is a key of `helpers`
            or `hint`, and a label.
    """

    name: str
    rules: str
    title: str = ""
    text: str = ""
    players: Mapping[str, str | Callable[..., Any]] = field(default_factory=lambda: RANDOM)
    of_files: frozenset[str] = frozenset()
    strongest: str = ""
    levels: tuple[Level, ...] = ()
    player_kind: str = "player"
    strategy_player: str = ""
    strategy_group: str = ""
    chance_by_entry: bool = False
    encoded: str = ""
    batch: str = ""
    benchmarks: Mapping[str, Benchmark] = field(default_factory=dict)
    max_moves: int = 1000
    seats: tuple[int, int] | None = None
    words: str = ""
    command: str = "quaternity.cli.any_game:game_commands"
    at_root: bool = False
    drawing: str = ""
    picture: str = ""
    scenes: str = ""
    advised_move: str = ""
    tips: str = ""
    first: StarterGame | None = None
    lengths: tuple[GameLength, ...] = ()
    suggested: Mapping[str, Any] = field(default_factory=dict)
    helpers: Mapping[str, str] = field(default_factory=dict)
    advice: str = ""
    review: str = ""
    help: tuple[tuple[str, str], ...] = (("hint", "Hint"),)

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise InputError(
                f"game {quote_value(self.name)}: a name must have 1 to 20 letters a to z and "
                f"digits, and "
                "start with a letter"
            )
        places = {part: getattr(self, part) for part in _PLACES}
        places |= {
            f"player {name}": player
            for name, player in self.players.items()
            if not callable(player)
        }
        places |= {f"helper {name}": place for name, place in self.helpers.items()}
        for part, place in places.items():
            if (place or part == "rules") and not (
                isinstance(place, str) and PLACE.fullmatch(place)
            ):
                raise InputError(
                    f"game {self.name!r}: {part} must be package.module:name, "
                    f"not {quote_value(place)}"
                )
        if not self.players:
            raise InputError(f"game {self.name!r}: players: must not be empty")
        if not self.title:
            object.__setattr__(self, "title", self.name.capitalize())
        if not self.strongest:
            object.__setattr__(self, "strongest", next(iter(self.players)))
        by_level = {f"level {level.name}": level.player for level in self.levels}
        for part, player in {"strongest": self.strongest, **by_level}.items():
            if player.partition(":")[0] not in self.players:
                known = ", ".join(self.players)
                raise InputError(
                    f"game {self.name!r}: {part} must be one of {known}, not {quote_value(player)}"
                )

    def part(self, name: str) -> Any:
        """Import and return the part of the game that the attribute `name` locates.

        Return None if the attribute is empty, because the game has no such part.
        """
        place = getattr(self, name)
        return load_place(place) if place else None

    @property
    def usual_program(self) -> str:
        """Name of the player of the middle level or, without levels, of the strongest player."""
        return self.levels[len(self.levels) // 2].player if self.levels else self.strongest

    @property
    def rules_class(self) -> Any:
        """The class of the game's rules."""
        return load_place(self.rules)
