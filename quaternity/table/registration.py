"""Registrations of games: the parts that commands, pages, tournaments and environments use.

A registration has the name of a game and the places of its parts. A place has the form
`package.module:name`; the part is imported on first use. If a part is missing, the general methods
of the rules (`show`, `moves`, `view_json`) are used instead.
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
"""The players of a game whose registration does not name any."""

_PLACES = (
    "rules",
    "strategy_player",
    "encoded",
    "batch",
    "words",
    "drawing",
    "picture",
    "tips",
    "command",
    "advice",
    "review",
)


class Level(NamedTuple):
    """A level of difficulty, for people who choose an opponent.

    Attributes:
        name: name of the level.
        player: name of the player, with its argument if it has one.
        text: a sentence about how the player plays.
        rating: the rating of the player in the ladder of the guide.
    """

    name: str
    player: str
    text: str
    rating: int


class StarterGame(NamedTuple):
    """A first game for beginners.

    Attributes:
        settings: the settings that differ from the defaults.
        programs: number of opponents, of the level `easy`.
    """

    settings: Mapping[str, Any]
    programs: int


class Benchmark(NamedTuple):
    """A small game for exact algorithms.

    The attributes are the arguments of `quaternity.environments.episode.TableGame`.
    """

    settings: Mapping[str, Any]
    reward: str
    max_moves: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A registered game, with everything that the commands, pages and tournaments need.

    Only `name` and `rules` are required.

    Attributes:
        name: the first word of the game's records and of its commands.
        rules: place of the class of its rules; see `quaternity.table.protocol.Rules`.
        title: title of the game; by default its capitalized name.
        text: a description for pages.
        players: the factory of each player, or its place, by name. A factory is called with the
            rules and the argument after the colon, or only with the rules if it has one parameter.
        of_files: players whose argument is a file; pages do not offer them.
        strongest: the player that gives hints; by default the first one.
        levels: the opponents that a page offers first, from the weakest to the strongest.
        player_kind: the word for a player, for example "bot".
        strategy_player: if players are functions `(view, random) -> move`: place of a function that
            creates a player from a name and such a function.
        strategy_group: entry-point group in which other distributions register such functions.
        chance_by_entry: whether the random generators of a tournament belong to entries, not to
            seats of a deal, because nothing is dealt.
        encoded: place of its `quaternity.environments.episode.Encoded`.
        batch: place of a class that plays many games at once, like
            `quaternity.quarto.batch.QuartoBatch`.
        benchmarks: small versions of the game, by the name under which an environment loads them.
        max_moves: default number of moves after which an environment truncates a game.
        seats: minimum and maximum number of players; if None, the number of seats in the default
            settings.
        words: place of a function that returns `quaternity.cli.match.GameWords`.
        command: place of its Typer group, or of a function that creates one for the name of a game.
        at_root: whether its commands are top-level commands, without the name of the game.
        drawing: place of a function that draws a view of a table for a page. The template has the
            name of the game.
        picture: place of a function that draws the picture of the game for the start page.
        tips: place of the tips for players; see `quaternity.web.drawing.tips`.
        first: a first game for beginners, which the start page offers.
        helpers: place of the function for each word of help; see `quaternity.web.hints`.
        advice: place of a function of a view and a move that adds information to a hint.
        review: place of its `quaternity.review.judge.Judge`.
        help: the buttons for help on the page, in order: a word of `helpers` or `hint`, and a
            label.
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
    tips: str = ""
    first: StarterGame | None = None
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
                    f"game {self.name!r}: {part} is {quote_value(place)}, not package.module:name"
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
                    f"game {self.name!r}: {part} is {quote_value(player)}, not one of {known}"
                )

    def part(self, name: str) -> Any:
        """Import a part of the game, or return None if the game does not have it."""
        place = getattr(self, name)
        return load_place(place) if place else None

    @property
    def rules_class(self) -> Any:
        """The class of its rules."""
        return load_place(self.rules)
