"""What a game brings to every door: terminal, records, tournaments, browser, environments.

A registration says what a game is called and where its parts are. A part is a place,
`package.module:name`, and is loaded when a door needs it. A door does with what every game has
(`show`, `moves`, `view_json` of its rules) where a part is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.plugins import PLACE, load_place
from quaternity.base.wording import shown

NAME = re.compile(r"[a-z][a-z0-9]{0,19}", re.ASCII)
RANDOM = {"random": "quaternity.table.players:RandomPlayer"}
"""The players of a game that names none."""

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
    """A program by its strength, for people who choose an opponent.

    `player` is its name in the registry, with its argument if any; `text` is a sentence on how it
    plays, `rating` that of the ladder in the guide.
    """

    name: str
    player: str
    text: str
    rating: int


class First(NamedTuple):
    """A first game: its settings, and how many programs `easy` play with somebody."""

    settings: Mapping[str, Any]
    programs: int


class Benchmark(NamedTuple):
    """A small game for exact algorithms: settings, what it is played for, and when it is cut off.

    `reward` and `max_moves` are those of `quaternity.environments.episode.TableGame`.
    """

    settings: Mapping[str, Any]
    reward: str
    max_moves: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A game, as every door opens it. Only `name` and `rules` are needed.

    Attributes:
        name: the first word of its records and of its commands.
        rules: the place of its rules, a class; see `quaternity.table.protocol.Rules`.
        players: per name a player's factory or its place, called with the rules and the argument
            after the colon (with the rules alone where it takes one parameter only).
        of_files: the players that need a file as their argument: no page offers them.
        strongest: the player that gives hints; the first one unless another is named.
        levels: the players that a page offers first, the weakest first.
        player_kind: what a player is called.
        strategy_player: where players are functions `(view, random) -> move`, the place of what
            makes a player of a name and such a function.
        strategy_group: the entry-point group of such functions in other distributions.
        chance_by_entry: whether in a tournament each entry has chance of its own in all its seats,
            since nothing is dealt.
        encoded: the place of its `quaternity.environments.episode.Encoded`.
        batch: what makes many games at once, as `quaternity.quarto.batch.QuartoBatch`.
        benchmarks: small games of it by name, which an environment loads by that name.
        max_moves: after so many an environment cuts a game off, unless it is told otherwise.
        seats: the fewest and the most that can play; of the rules with the usual settings if None.
        words: the place of a function that gives `quaternity.cli.match.GameWords`.
        command: the place of its Typer group, or of a function that makes one for a game's name.
        at_root: whether its commands stand at the root, without its name before them.
        drawing: the place of a function that draws a sight for a page; its template has the name of
            the game.
        picture: the place of a function that draws the game for the first page.
        tips: the place of tips and when they matter; see `quaternity.web.drawing.tips`.
        first: a first game, which the first page offers.
        helpers: per word the place of what answers it; see `quaternity.web.helping`.
        advice: the place of what is said of a hint besides; of a view and the move.
        review: the place of its `quaternity.review.judge.Judge`.
        help: words of helpers, or `hint`, each with its label, in the order of the page.
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
    first: First | None = None
    helpers: Mapping[str, str] = field(default_factory=dict)
    advice: str = ""
    review: str = ""
    help: tuple[tuple[str, str], ...] = (("hint", "Hint"),)

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise InputError(f"game {shown(self.name)}: a name is a to z and digits, at most 20")
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
                    f"game {self.name!r}: {part} is {shown(place)}, not package.module:name"
                )
        if not self.players:
            raise InputError(f"game {self.name!r}: players: there are none")
        if not self.title:
            object.__setattr__(self, "title", self.name.capitalize())
        if not self.strongest:
            object.__setattr__(self, "strongest", next(iter(self.players)))
        chosen = {f"level {level.name}": level.player for level in self.levels}
        for part, player in {"strongest": self.strongest, **chosen}.items():
            if player.partition(":")[0] not in self.players:
                known = ", ".join(self.players)
                raise InputError(
                    f"game {self.name!r}: {part} is {shown(player)}, not one of {known}"
                )

    def part(self, name: str) -> Any:
        """Load a part; None where the game has none."""
        place = getattr(self, name)
        return load_place(place) if place else None

    @property
    def rules_class(self) -> Any:
        """The class of its rules."""
        return load_place(self.rules)
