"""Games of a tournament: their seats, deals and random generators, and functions to play them.

A game depends only on the tournament and on the number of the game. Games can therefore be played
in any process and in any order (`quaternity.workers.pool`). Bots of Quaternity and strategies of
Kwartet have a faster game loop, `play_bare`. External players and players with a time limit play in
a separate process (`quaternity.workers.isolated_players`).
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
from quaternity.table.history import History
from quaternity.table.match import check_player_isolated, choose_move, outcome_of
from quaternity.table.players import YOU, check_name, is_foreign, is_program, make_player
from quaternity.table.programs import ProgramPlayer, try_program
from quaternity.table.tournament.seatings import seatings
from quaternity.workers.isolated_calls import EXTERNAL_MOVE_SECONDS, check_move_seconds
from quaternity.workers.isolated_players import SeatedPlayer, play_isolated
from quaternity.workers.pool import Pool, ordered_map
from quaternity.workers.program import ProgramFault
from quaternity.workers.progress import Progress

Result = TypeVar("Result")

MAX_PLAYERS = 12
DEFAULT_MAX_MOVES = 200_000
"""Default number of moves after which a game of a tournament is stopped."""

MAX_CACHED_RESULTS = 100
"""Maximum number of entries in each of two caches, for results of games and for players."""

MAX_CHUNK_GAMES = 20
"""Maximum number of games sent to a worker process at a time. All games of the same deal are sent
together, even if there are more."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament: the game, the players and the conditions of play.

    Attributes:
        rules: the game with its settings.
        players: names of the players (`quaternity.table.players`). A name may occur several times.
        seed: random seed.
        rotate: whether the players change seats from game to game (see `seatings`). Otherwise they
            keep their seats, and there must be one player for each seat.
        cap: maximum number of moves, after which a game is stopped without a result.
        cap_stops: whether a game that reaches the cap is a fault that ends the tournament.
        move_seconds: time limit for a move, in seconds. None stands for `EXTERNAL_MOVE_SECONDS` if
            there is an external player, and otherwise for no limit.
        details: number of turns between two counts of the possible deals, or 0 for no counts. Only
            games that are played by the method `play_bare` have counts.
        secret: text that replaces `seed`, unless it is empty. If there is an external player, the
            default is random, so that the player cannot reconstruct the deals.
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
            raise InputError(f"{self.kind}s: expected 2 to {MAX_PLAYERS}, not {count}")
        if not self.rotate and count != seats:
            raise InputError(
                f"{self.kind}s: expected {seats}, not {count}, "
                f"because each {self.kind} keeps one seat"
            )
        if self.cap < 1:
            raise InputError(f"cap: must be at least 1, not {self.cap}")
        check_move_seconds(self.move_seconds)
        for name in self.players:
            if name == YOU:
                raise InputError(f"{self.kind} 'you': people cannot play in tournaments")
            check_name(self.rules.name, name, self.kind, people=False)
        if not self.secret and any(is_foreign(self.rules.name, name) for name in self.players):
            object.__setattr__(self, "secret", token_hex(16))

    @property
    def kind(self) -> str:
        """The game's word for a computer player, for example "bot"."""
        return registration(self.rules.name).player_kind

    @property
    def is_isolated(self) -> bool:
        """Whether the games must be played in a separate process."""
        others = [player for player in self.players if not is_program(player)]
        return any(
            self.move_seconds is not None or is_foreign(self.rules.name, player)
            for player in others
        )

    @property
    def seconds(self) -> float:
        """Time limit for a move in a separate process, in seconds."""
        return EXTERNAL_MOVE_SECONDS if self.move_seconds is None else self.move_seconds

    @property
    def by_entry(self) -> bool:
        """Whether each player gets a new random generator in each game.

        If not, each deal has a random generator for each seat, the same in all games of the deal.
        """
        return registration(self.rules.name).chance_by_entry

    @property
    def games_a_deal(self) -> int:
        """Number of consecutive games in which the same cards are dealt."""
        if self.by_entry or not self.rotate:
            return 1
        choices = _choices(len(self.players), self.rules.seats)
        return len(choices) * len(seatings(self.rules.seats))

    def deal_of(self, game: int) -> int:
        """Return the number of the deal of a game."""
        return game // self.games_a_deal

    def line_up(self, game: int) -> tuple[int, ...]:
        """Return the player in each seat of a game, as indices of `players`.

        If there are as many players as seats, they are placed in all `seatings` in turn. Fewer
        players fill the seats cyclically. If there are more players than seats, all combinations
        take turns.
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
        """Return the name of the player in each seat of a game."""
        return tuple([self.players[entry] for entry in self.line_up(game)])

    @property
    def _seed(self) -> str:
        return self.secret or str(self.seed)

    def start(self, game: int) -> Any:
        """Return the first position of a game, which depends on its deal."""
        deal = self.deal_of(game)
        random = Random(f"{self._seed}/{deal}")
        start_of_deal = getattr(self.rules, "start_of_deal", None)
        return self.rules.start(random) if start_of_deal is None else start_of_deal(random, deal)

    def generators(self, game: int) -> list[Random]:
        """Return the random generator of each seat.

        None of them is the generator of the deal, from which a player could reconstruct the hidden
        cards.
        """
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
    """The result of a game.

    Attributes:
        line_up: the index, in `Tournament.players`, of the player in each seat.
        points: the points of each seat.
        places: the place of each seat, where 1 is the best. None if the game was stopped because it
            had too many moves.
        moves: number of moves.
        details: counts of possible deals during the game (see `Tournament.details`), or None.
    """

    line_up: tuple[int, ...]
    points: tuple[float, ...]
    places: tuple[int, ...] | None
    moves: int
    details: Any = None

    @property
    def winner(self) -> int | None:
        """The seat that is alone in first place. None if there is no such seat."""
        first = self.first
        return first[0] if len(first) == 1 else None

    @property
    def first(self) -> list[int]:
        """The seats in first place. Several seats may be tied."""
        return [seat for seat, place in enumerate(self.places or ()) if place == 1]


def play(
    tournament: Tournament, games: int, pool: Pool, on_done: Callable[[int], None] | None = None
) -> Iterator[GameResult]:
    """Yield the results of games 0, 1, … in order.

    Args:
        games: number of games.
        pool: the worker processes.
        on_done: called with the number of finished games.

    Raise the same errors as `play_game`.
    """
    try_players(tournament)
    pool.prepare(tournament.players, partial(try_players, tournament))
    chunk = chunk_size(tournament, games, pool)
    return ordered_map(pool, _Games(tournament), range(games), chunk, on_done)


def try_players(tournament: Tournament) -> None:
    """Create each player of a tournament once, to check that this is possible.

    Raises:
        InputError: If a player cannot be created.
        PlayerFault: If creating a player ends its process, or takes too long.
    """
    rules = tournament.rules
    for name in dict.fromkeys(tournament.players):
        if is_program(name):
            try_program(rules, name)
        elif is_foreign(rules.name, name):
            check_player_isolated(
                rules, [name] * rules.seats, 0, EXTERNAL_MOVE_SECONDS, tournament.kind
            )
        else:
            make_player(rules, name)


def chunk_size(tournament: Tournament, games: int, pool: Pool) -> int:
    """Return the number of games that a worker process gets at a time.

    The number is a multiple of the games of a deal, and small enough that all workers get games.
    Without workers it is 1, so that an interrupt does not lose any finished game.
    """
    if pool.in_flight == 1:
        return 1
    some = max(1, min(MAX_CHUNK_GAMES, games // (4 * pool.in_flight)))
    return tournament.games_a_deal * max(1, some // tournament.games_a_deal)


class _Games:
    """Function object that plays one game of a tournament, given its number, in a worker process.

    If two games of a deal have the same names in all seats, the second game is not played.
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
    """Play the game with the given number and return its result.

    Raises:
        PlayerFault: If a player fails, breaks the rules or exceeds its time limit (PlayerTimeout).
            The error contains the record of the game up to this move.
        GameLimit: If all players wait, the game has too many moves, or its process dies.
        QuaternityError: If a built-in player refuses the game, for example because it is too large.
    """
    return _play_where_needed(_result, tournament, game)


def record_of_game(tournament: Tournament, game: int) -> str:
    """Play a game of a tournament, and return its record, including hidden information.

    Raise the same errors as `play_game`.
    """
    return _play_where_needed(_record_game, tournament, game)


def _play_where_needed(
    play: Callable[[Tournament, int], Result], tournament: Tournament, game: int
) -> Result:
    if not tournament.is_isolated:
        try:
            return play(tournament, game)
        except PlayerFault as fault:
            cause = fault.__cause__ and fault.__cause__.__cause__
            if not (isinstance(cause, ProgramFault) and cause.ended):
                raise
        # Another process may have killed the program, so the game is played once more, as in
        # `play_isolated`.
        return play(tournament, game)
    return play_isolated(
        tournament.kind,
        tournament.names_in(game),
        tournament.seconds,
        partial(_place_from_notes, tournament, game),
        play,
        tournament,
        game,
    )


def _result(tournament: Tournament, game: int) -> GameResult:
    return _play_game(tournament, game, Progress(tournament.rules.write))


def _record_game(tournament: Tournament, game: int) -> str:
    course = Progress(tournament.rules.write)
    _play_game(tournament, game, course)
    return _fault_place(tournament, game, course.moves, None).record


def _play_game(tournament: Tournament, game: int, course: Progress) -> GameResult:
    rules, line_up = tournament.rules, tournament.line_up(game)
    players: list[Any] = []
    outcome = None
    try:
        for seat, entry in enumerate(line_up):
            players.append(_player(tournament, entry, seat, course))
        bare = getattr(type(players[0]), "play_bare", None)
        if bare is None or len({*map(type, players)}) > 1:
            bare = partial(_play, tournament, tournament.names_in(game))
        start, chances = tournament.start(game), tournament.generators(game)
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
            raise GameLimit(f"the game is not over after {moves} moves")
        outcome = outcome_of(rules, end)
    except PlayerFault as fault:
        raise fault.at(_fault_place(tournament, game, course.moves, course.thinking)) from fault
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
    course: Progress,
    details: int,
) -> tuple[Any, int, None]:
    """Play a game. Return the last position, the number of moves, and None (no details)."""
    del details
    rules, moves = tournament.rules, 0
    history: History[Any, Any, Any] = History(rules, start, max_stored=1)
    sittings = [SeatedPlayer(tournament.kind, name, seat) for seat, name in enumerate(names)]
    observers = [hasattr(player, "observe") for player in players]
    observed = [0] * len(players)
    while moves < cap and (acting := rules.to_act(history.position)):
        first: tuple[float, int, Any] | None = None
        for seat in acting:
            course.note_thinking(seat)
            view = rules.view(history.position, seat)
            steps = history.steps()[observed[seat] :] if observers[seat] else ()
            move, seconds = choose_move(
                rules, players[seat], sittings[seat], view, chances[seat], steps
            )
            observed[seat] = len(history.moves)
            if move is not None and (first is None or seconds < first[0]):
                first = seconds, seat, move
        if first is None:
            course.thinking = None
            raise GameLimit(f"every {tournament.kind} waits, so the game cannot continue")
        _, seat, move = first
        history = history.play(seat, move)
        course.note_move(seat, move)
        moves += rules.is_settled(history.position)
        if any(observers):
            # Compute the step while the position before the move is known.
            history.steps()
    return history.position, moves, None


def _player(tournament: Tournament, entry: int, seat: int, course: Progress) -> Any:
    rules, name = tournament.rules, tournament.players[entry]
    if is_program(name):
        return make_player(rules, name)
    if not is_foreign(rules.name, name):
        return cached_player(rules, name, entry, get_ident())
    try:
        # The time limit starts only after the player's code is imported.
        return make_player(rules, name, partial(course.note_thinking, seat))
    except InputError as error:
        course.thinking = seat
        raise SeatedPlayer(tournament.kind, name, seat).rule_fault(error) from error


@lru_cache(maxsize=MAX_CACHED_RESULTS)
def cached_player(rules: Any, name: str, entry: int, thread: int) -> Any:
    """Return a built-in player, which a thread reuses in all games of an entry (a contestant)."""
    del entry, thread
    return make_player(rules, name)


def _fault_place(
    tournament: Tournament, game: int, moves: Sequence[tuple[int, Any]], thinking: int | None
) -> FaultPlace:
    """Return the game, its record and the player (in seat `thinking`) at the time of a failure."""
    rules, names, goes = tournament.rules, tournament.names_in(game), None
    start = tournament.start(game)
    record_of = getattr(rules, "record_of", None)
    if record_of is not None:
        record, goes = record_of(start, names, [move for _, move in moves])
        whole = len(moves)
    else:
        history = History(rules, start, moves)
        record, whole = history.record(names), history.whole_moves
    player = "" if thinking is None else names[thinking]
    return FaultPlace(player, thinking, game, whole, goes, record)


def _place_from_notes(
    tournament: Tournament, game: int, noted: Sequence[str], thinking: int | None
) -> FaultPlace:
    rules = tournament.rules
    history: History[Any, Any, Any] = History(rules, tournament.start(game))
    for line in noted:
        number, _, text = line.partition(" ")
        seat = int(number)
        history = history.play(seat, rules.read(text, rules.view(history.position, seat)))
    return _fault_place(tournament, game, history.moves, thinking)
