"""Who plays whom, from where, with which deal; and one game of that.

A game is a function of the tournament and its number alone, so games can be played anywhere and in
any order (`quaternity.workers.pool`). No positions are kept, and events are made for players only
that want them (`observe`). Where all players are of one class that has a loop of its own
(`play_bare`: Quaternity's bots, Kwartet's strategies), the game is played by that. Players of other
people, and all with a limit of time, play in a process of their own (`quaternity.workers.foreign`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from random import Random
from secrets import token_hex
from threading import get_ident
from typing import Any, NamedTuple, TypeVar

from quaternity.base.errors import FaultPlace, GameLimit, InputError, PlayerFault
from quaternity.table.games import registration
from quaternity.table.match import chosen, outcome_of, try_apart
from quaternity.table.players import YOU, check_name, is_foreign, is_program, make_player
from quaternity.table.programs import ProgramPlayer, try_program
from quaternity.table.protocol import Step
from quaternity.table.tournament.seatings import seatings
from quaternity.workers.course import Course
from quaternity.workers.foreign import Sitting, played_apart
from quaternity.workers.own_process import FOREIGN_SECONDS, check_move_seconds
from quaternity.workers.pool import Pool, ordered_map
from quaternity.workers.program import ProgramFault

Result = TypeVar("Result")

MAX_PLAYERS = 12
DEFAULT_MAX_MOVES = 200_000
"""Default number of moves after which a game of a tournament is given up."""

MAX_CACHED_RESULTS = 100
"""Maximum number of results that are cached for identical games, and of players for other games."""

MAX_CHUNK_GAMES = 20
"""Maximum number of games given to a worker at a time, unless a single deal has more."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """What is played.

    Attributes:
        players: names (`quaternity.table.players`); the same one may come twice.
        rotate: whether each deal is played in all orders of seats, from five seats on in a balanced
            choice of them; otherwise players, as many as seats, keep their seats.
        cap: a game with so many moves has no result, or (`cap_stops`) ends the run as a fault.
        move_seconds: the longest that a player may think; None: for ever, and `FOREIGN_SECONDS`
            where one is from outside.
        details: for the game's own loop: how often it looks closer; 0 never.
        secret: of all chance, in place of the seed; fresh where a player from outside plays, who
            could else draw every deal again.
    """

    rules: Any
    players: tuple[str, ...]
    seed: int = 0
    rotate: bool = True
    cap: int = DEFAULT_MAX_MOVES
    cap_stops: bool = False
    move_seconds: float | None = None
    details: int = 0
    secret: str = ""

    def __post_init__(self) -> None:
        count, seats = len(self.players), self.rules.seats
        if not 2 <= count <= MAX_PLAYERS:
            raise InputError(f"{self.kind}s: {count} of them; 2 to {MAX_PLAYERS} can play")
        if not self.rotate and count != seats:
            raise InputError(
                f"{self.kind}s: {count} of them; without rotation name {seats}, one a seat"
            )
        if self.cap < 1:
            raise InputError(f"cap: {self.cap} is not at least 1")
        check_move_seconds(self.move_seconds)
        for name in self.players:
            if name == YOU:
                raise InputError(f"{self.kind} 'you' is unknown here: people play no tournaments")
            check_name(self.rules.name, name, self.kind, people=False)
        if not self.secret and any(is_foreign(self.rules.name, name) for name in self.players):
            object.__setattr__(self, "secret", token_hex(16))

    @property
    def kind(self) -> str:
        """What a player is called."""
        return registration(self.rules.name).player_kind

    @property
    def apart(self) -> bool:
        """Whether the games are played in a process of their own."""
        others = [player for player in self.players if not is_program(player)]
        return any(
            self.move_seconds is not None or is_foreign(self.rules.name, player)
            for player in others
        )

    @property
    def seconds(self) -> float:
        """The longest that a player may think, where games are played apart."""
        return FOREIGN_SECONDS if self.move_seconds is None else self.move_seconds

    @property
    def by_entry(self) -> bool:
        """Whether every game has chance of its own, and each entry its own in all its seats.

        So it is where nothing is dealt; else chance is the deal's and the seat's in all games of a
        deal.
        """
        return registration(self.rules.name).chance_by_entry

    @property
    def games_a_deal(self) -> int:
        """How many games each deal is played in, one after the other."""
        if self.by_entry or not self.rotate:
            return 1
        choices = _choices(len(self.players), self.rules.seats)
        return len(choices) * len(seatings(self.rules.seats))

    def deal_of(self, game: int) -> int:
        """Return the number of the deal of a game."""
        return game // self.games_a_deal

    def line_up(self, game: int) -> tuple[int, ...]:
        """Return per seat the entry of `players` that sits there in a game.

        With as many players as seats all of them play, in all `seatings`. If there are fewer, they
        take turns in the seats; if more, all choices of players take turns.
        """
        if not self.rotate:
            return tuple(range(len(self.players)))
        choices = _choices(len(self.players), self.rules.seats)
        orders = seatings(self.rules.seats)
        choice = choices[game % len(choices)]
        order = orders[(game // len(choices) + game % len(choices)) % len(orders)]
        if self.by_entry:
            return tuple([choice[entry] for entry in order])
        return tuple([choice[order.index(seat)] for seat in range(len(order))])

    def names_in(self, game: int) -> tuple[str, ...]:
        """Per seat the player of a game."""
        return tuple([self.players[entry] for entry in self.line_up(game)])

    @property
    def _seed(self) -> str:
        return self.secret or str(self.seed)

    def start(self, game: int) -> Any:
        """Return the first position of a game, that of its deal."""
        deal = self.deal_of(game)
        random = Random(f"{self._seed}/{deal}")
        start_of_deal = getattr(self.rules, "start_of_deal", None)
        return self.rules.start(random) if start_of_deal is None else start_of_deal(random, deal)

    def chances(self, game: int) -> list[Random]:
        """Per seat its generator. That of the deal is another one: it could be turned back."""
        if not self.by_entry:
            deal = self.deal_of(game)
            return [Random(f"{self._seed}/{deal}/{seat}") for seat in range(self.rules.seats)]
        line_up = self.line_up(game)
        own = {entry: Random(f"{self._seed}/{game}/{entry}") for entry in line_up}
        return [own[entry] for entry in line_up]


@lru_cache(maxsize=8)
def _choices(players: int, seats: int) -> tuple[tuple[int, ...], ...]:
    if players >= seats:
        return tuple(combinations(range(players), seats))
    return tuple(
        tuple([(first + seat) % players for seat in range(seats)]) for first in range(players)
    )


class GameResult(NamedTuple):
    """What came of one game, per seat the entry (`line_up`), its points and its place, 1 the best.

    Places are None when the game was given up at the cap; `details` come from the game's own loop.
    """

    line_up: tuple[int, ...]
    points: tuple[float, ...]
    places: tuple[int, ...] | None
    moves: int
    details: Any = None

    @property
    def winner(self) -> int | None:
        """The seat that won alone, or None."""
        first = self.first
        return first[0] if len(first) == 1 else None

    @property
    def first(self) -> list[int]:
        """The seats that won, alone or together."""
        return [seat for seat, place in enumerate(self.places or ()) if place == 1]


def play(
    tournament: Tournament, games: int, pool: Pool, on_done: Callable[[int], None] | None = None
) -> Iterator[GameResult]:
    """Return the results of the games 0, 1, … in order; raises as `play_game`.

    `on_done` gets the number of finished ones.
    """
    try_players(tournament)
    pool.prepare(tournament.players, partial(try_players, tournament))
    chunk = at_once(tournament, games, pool)
    return ordered_map(pool, _Games(tournament), range(games), chunk, on_done)


def try_players(tournament: Tournament) -> None:
    """Check that all players can be created here; raise as `try_program` and `try_apart`."""
    rules = tournament.rules
    for name in dict.fromkeys(tournament.players):
        if is_program(name):
            try_program(rules, name)
        elif is_foreign(rules.name, name):
            try_apart(rules, [name] * rules.seats, 0, FOREIGN_SECONDS, tournament.kind)
        else:
            make_player(rules, name)


def at_once(tournament: Tournament, games: int, pool: Pool) -> int:
    """Return how many games a worker is given at a time: whole deals, and enough for all workers.

    In this process it is one: every finished game counts at an interrupt.
    """
    if pool.in_flight == 1:
        return 1
    some = max(1, min(MAX_CHUNK_GAMES, games // (4 * pool.in_flight)))
    return tournament.games_a_deal * max(1, some // tournament.games_a_deal)


class _Games:
    """The games of one tournament by number; what a worker is sent.

    Orders that differ in players of the same name alone are one game, played once.
    """

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self._played: dict[tuple[int, tuple[str, ...]], GameResult] = {}

    def __call__(self, game: int) -> GameResult:
        tournament = self.tournament
        if tournament.by_entry:
            return play_game(tournament, game)
        key = tournament.deal_of(game), tournament.names_in(game)
        if key not in self._played:
            if len(self._played) >= MAX_CACHED_RESULTS:
                self._played.clear()
            self._played[key] = play_game(tournament, game)
        return self._played[key]._replace(line_up=tournament.line_up(game))


def play_game(tournament: Tournament, game: int) -> GameResult:
    """Play one game by its number.

    Raises:
        PlayerFault: a player failed, broke the rules or thought for too long (PlayerTimeout); with
            the record up to there.
        GameLimit: nobody moves; the game has too many moves; or its process died.
        QuaternityError: what a player of this program says of a game that is beyond it.
    """
    return _wherever(_result, tournament, game)


def record_of_game(tournament: Tournament, game: int) -> str:
    """Return the record of one game, with all that is hidden. Raises as `play_game`."""
    return _wherever(_recorded, tournament, game)


def _wherever(
    play: Callable[[Tournament, int], Result], tournament: Tournament, game: int
) -> Result:
    """Return a game here, or in a process of its own where the players call for that."""
    if not tournament.apart:
        try:
            return play(tournament, game)
        except PlayerFault as fault:
            cause = fault.__cause__ and fault.__cause__.__cause__
            if not (isinstance(cause, ProgramFault) and cause.ended):
                raise
        # As in `played_apart`: the program may have been killed from elsewhere.
        return play(tournament, game)
    return played_apart(
        tournament.kind,
        tournament.names_in(game),
        tournament.seconds,
        partial(_place_noted, tournament, game),
        play,
        tournament,
        game,
    )


def _result(tournament: Tournament, game: int) -> GameResult:
    return _played(tournament, game, Course(tournament.rules.write))


def _recorded(tournament: Tournament, game: int) -> str:
    course = Course(tournament.rules.write)
    _played(tournament, game, course)
    return _place(tournament, game, course.moves, None).record


def _played(tournament: Tournament, game: int, course: Course) -> GameResult:
    rules, line_up = tournament.rules, tournament.line_up(game)
    players: list[Any] = []
    outcome = None
    try:
        for seat, entry in enumerate(line_up):
            players.append(_player(tournament, entry, seat, course))
        bare = getattr(type(players[0]), "play_bare", None)
        if bare is None or len({*map(type, players)}) > 1:
            bare = partial(_play, tournament, tournament.names_in(game))
        start, chances = tournament.start(game), tournament.chances(game)
        for seat, player in enumerate(players):
            if isinstance(player, ProgramPlayer):
                seed, owner = chances[seat].getrandbits(64), (line_up[seat], get_ident())
                player.sit(seat, f"{seed:016x}", tournament.seconds, owner)
        course.thinking = None
        end, moves, details = bare(
            players, start, chances, tournament.cap, course, tournament.details
        )
        places = rules.places(end)
        if places is None and tournament.cap_stops:
            course.thinking = None
            raise GameLimit(f"it is not over after {moves} moves")
        outcome = outcome_of(rules, end)
    except PlayerFault as fault:
        raise fault.at(_place(tournament, game, course.moves, course.thinking)) from fault
    finally:
        for player in players:
            if isinstance(player, ProgramPlayer):
                player.leave(outcome)
    return GameResult(line_up, tuple(rules.points(end)), places and tuple(places), moves, details)


def _play(
    tournament: Tournament,
    names: Sequence[str],
    players: Sequence[Any],
    start: Any,
    chances: Sequence[Random],
    cap: int,
    course: Course,
    details: int,
) -> tuple[Any, int, None]:
    """Return a game of any players: its end, the number of whole moves, and nothing more."""
    del details
    rules, position, moves = tournament.rules, start, 0
    who = [Sitting(tournament.kind, name, seat) for seat, name in enumerate(names)]
    news: list[list[Step] | None] = [
        [] if hasattr(player, "observe") else None for player in players
    ]
    while moves < cap and (acting := rules.to_act(position)):
        first: tuple[float, int, Any] | None = None
        for seat in acting:
            course.thinks(seat)
            view, heard = rules.view(position, seat), news[seat]
            move, seconds = chosen(
                rules, players[seat], who[seat], view, chances[seat], heard or ()
            )
            if heard:
                heard.clear()
            if move is not None and (first is None or seconds < first[0]):
                first = seconds, seat, move
        if first is None:
            course.thinking = None
            raise GameLimit(f"every {tournament.kind} waits: the game does not go on")
        _, seat, move = first
        before, position = position, rules.after(position, seat, move)
        course.moved(seat, move)
        moves += rules.is_settled(position)
        if any(heard is not None for heard in news):
            step = Step(seat, tuple(rules.events(before, seat, move, position)))
            for heard in news:
                if heard is not None:
                    heard.append(step)
    return position, moves, None


def _player(tournament: Tournament, entry: int, seat: int, course: Course) -> Any:
    """Return a player for one game; those of this program, which keep no memory, for all games."""
    rules, name = tournament.rules, tournament.players[entry]
    if is_program(name):
        return make_player(rules, name)
    if not is_foreign(rules.name, name):
        return kept_player(rules, name, entry, get_ident())
    try:
        # Time to load its code is not counted.
        return make_player(rules, name, partial(course.thinks, seat))
    except InputError as error:
        course.thinking = seat
        raise Sitting(tournament.kind, name, seat).breaks_rules(error) from error


@lru_cache(maxsize=MAX_CACHED_RESULTS)
def kept_player(rules: Any, name: str, entry: int, thread: int) -> Any:
    """Return a player that stays for the games of a thread: two games at once do not share one."""
    del entry, thread
    return make_player(rules, name)


def _place(
    tournament: Tournament, game: int, moves: Sequence[tuple[int, Any]], thinking: int | None
) -> FaultPlace:
    """Return where a game is after some legal moves, when a seat, or none, was thinking."""
    rules, names = tournament.rules, tournament.names_in(game)
    position, whole, goes = tournament.start(game), 0, None
    record_of = getattr(rules, "record_of", None)
    if record_of is not None:
        record, goes = record_of(position, names, [move for _, move in moves])
        whole = len(moves)
    else:
        record = rules.record_start(position, names)
        for seat, move in moves:
            after = rules.after(position, seat, move)
            record += rules.record_move(position, seat, move, after)
            whole += rules.is_settled(after)
            position = after
    player = "" if thinking is None else names[thinking]
    return FaultPlace(player, thinking, game, whole, goes, record)


def _place_noted(
    tournament: Tournament, game: int, noted: Sequence[str], thinking: int | None
) -> FaultPlace:
    rules, position = tournament.rules, tournament.start(game)
    moves = []
    for line in noted:
        number, _, text = line.partition(" ")
        seat = int(number)
        move = rules.read(text, rules.view(position, seat))
        position = rules.after(position, seat, move)
        moves.append((seat, move))
    return _place(tournament, game, moves, thinking)
