"""`make ladder`: all players of each game against each other, and their ratings.

A round plays one deal with every choice of players, from seats that come out even; where all
orders of seats are few, in all of them. Every game is kept as it ends, so that a run that is ended
goes on where it was, until the code of the players is another. The tables go into the page of the
guide, between its marks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from random import Random
from secrets import token_hex
from shlex import join
from time import perf_counter, process_time
from typing import Any

from quaternity.base.errors import InputError, PlayerFault
from quaternity.base.wording import counted
from quaternity.table.games import registration, rules_class
from quaternity.table.match import try_apart
from quaternity.table.players import check_name, is_foreign, is_program, make_player
from quaternity.table.programs import ProgramPlayer, try_program
from quaternity.table.tournament.playing import GameResult, Tournament, _play, play_game
from quaternity.table.tournament.scores import tabulated
from quaternity.table.tournament.seatings import seatings
from quaternity.trials.comparison.report import duration
from quaternity.workers.course import Course
from quaternity.workers.program import command_words

HOUSE = Path(__file__).parents[2]
PAGE = HOUSE / "quaternity/guide/players.md"
SEED = 2026
"""Of deals that nothing was tuned on."""

GAMES = {"quaternity": 90, "kwartet": 1680, "quarto": 90, "set": 400}
"""How many games of each are played."""

CAPS = {"quaternity": 500, "kwartet": 5000, "quarto": 500, "set": 500}
"""So many moves are a game without a result: in Quaternity two players may wait for ever."""

MAX_DEAL_GAMES = 100
"""Maximum number of games of a deal in a round; above it, a round plays one order of seats per
choice."""

CLOCK_SECONDS, CLOCK_GAMES = 1.0, 10
"""Games of a player against itself, for its time a move, until one of these is reached."""

ROOMS = ("game", "insight", "kwartet", "quarto", "ternary", "perfect", "table", "workers")
"""The rooms whose code plays."""


@dataclass(frozen=True)
class Ladder:
    """The games of one ladder: a tournament whose games are taken in another order.

    Attributes:
        plan: the tournament.
        code: a digest of what plays; games that other code played do not count.
    """

    plan: Tournament
    code: str

    @property
    def games_a_round(self) -> int:
        """Games of one deal, one after the other."""
        games = self.plan.games_a_deal
        return games if games <= MAX_DEAL_GAMES else games // len(seatings(self.plan.rules.seats))

    @property
    def key(self) -> dict[str, Any]:
        """What kept lines of this ladder begin with."""
        plan = self.plan
        return {"rules": repr(plan.rules), "players": plan.players, "seed": plan.seed,
                "cap": plan.cap, "code": self.code}  # fmt: skip

    def number(self, game: int) -> int:
        """The tournament's number of a game: the orders of seats move on from deal to deal."""
        deal, rest = divmod(game, self.games_a_round)
        games = self.plan.games_a_deal
        return deal * games + deal * self.games_a_round % games + rest

    def kept(self, file: Path) -> list[GameResult]:
        """The games in a file, without gaps; a last line that was cut off does not count."""
        key, found = json.dumps(self.key)[:-1], list[GameResult]()
        for line in file.read_text().splitlines(keepends=True) if file.exists() else ():
            if line.startswith(key) and line.endswith("}\n"):
                one = json.loads(line)
                places = one["places"] and tuple(one["places"])
                found.append(
                    GameResult(tuple(one["line_up"]), tuple(one["points"]), places, one["moves"])
                )
        return found

    def play(self, file: Path, games: int) -> Iterator[GameResult]:
        """The first games: those that are kept, and others, which are kept as they end.

        Raises:
            PlayerFault: a player failed, broke the rules or thought for too long.
        """
        kept = self.kept(file)
        yield from kept[:games]
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and not file.read_bytes().endswith(b"\n"):
            with file.open("a") as end:
                end.write("\n")
        for game in range(len(kept), games):
            result = play_game(self.plan, self.number(game))._replace(details=None)
            told = result._asdict()
            del told["details"]
            with file.open("a") as end:
                end.write(json.dumps(self.key | told) + "\n")
            yield result


def code_of(own: Sequence[str]) -> str:
    """A digest of the code of this house that plays, and of the files of players from outside."""
    files = [*(HOUSE / "solvers").rglob("*.py")]
    for room in ROOMS:
        files += (HOUSE / "quaternity" / room).rglob("*.py")
    for name in filter(is_program, own):
        files += [path for word in command_words(name) if (path := Path(word)).is_file()]
    modules = [name.partition(":")[0] for name in own if ":" in name and not is_program(name)]
    specs = [find_spec(module) for module in modules]
    files += [Path(spec.origin) for spec in specs if spec is not None and spec.origin]
    digest = sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


class Clocked:
    """A player whose thinking is timed."""

    def __init__(self, player: Any) -> None:
        self.player, self.seconds, self.choices = player, 0.0, 0
        # The processor time of a program is not ours: the clock on the wall says what it takes.
        self.clock = perf_counter if isinstance(player, ProgramPlayer) else process_time

    def choose(self, view: Any, random: Random) -> Any:
        """What the player chooses."""
        began = self.clock()
        move = self.player.choose(view, random)
        self.seconds += self.clock() - began
        self.choices += 1
        return move

    def __getattr__(self, name: str) -> Any:
        return getattr(self.player, name)


def seconds_a_move(rules: Any, name: str) -> float:
    """Processor time that a player thinks for a choice, in games against itself.

    The first game is not counted: what is imported and learnt there stays.
    """
    plan = Tournament(rules, (name,) * rules.seats, SEED, cap=500)
    players = [_seated(rules, name, seat) for seat in range(rules.seats)]
    seconds, choices = 0.0, 0
    for game in range(CLOCK_GAMES):
        if game and is_foreign(rules.name, name):
            players = [_seated(rules, name, seat) for seat in range(rules.seats)]
        for one in players:
            one.seconds, one.choices = 0.0, 0
        _play(plan, plan.players, players, plan.start(game), plan.chances(game), plan.cap,
              Course(), 0)  # fmt: skip
        if game:
            seconds += sum(one.seconds for one in players)
            choices += sum(one.choices for one in players)
        for one in players:
            if isinstance(one.player, ProgramPlayer):
                one.player.leave()
        if seconds > CLOCK_SECONDS:
            break
    return seconds / choices


def _seated(rules: Any, name: str, seat: int) -> Clocked:
    player = make_player(rules, name)
    if isinstance(player, ProgramPlayer):
        player.sit(seat, str(seat), None, seat)
    return Clocked(player)


def table(ladder: Ladder, results: Sequence[GameResult]) -> list[str]:
    """The table of some games, the strongest first."""
    plan = ladder.plan
    found = tabulated(results, len(plan.players), Random(plan.seed), ladder.games_a_round)
    rows = []
    for name, one in zip(plan.players, found.records, strict=True):
        rating = one.rating
        number = "-" if rating is None else rating.text(0)
        share = f"{one.win_share.mean:.3f}"
        time = duration(seconds_a_move(plan.rules, name))
        rows.append(
            (-(rating.mean if rating else 0), [f"`{name}`", number, share, one.games, time])
        )
    rows.sort(key=lambda row: row[0])
    lines = [
        "| rank | player | rating | share | games | time a move |",
        "| --: | --- | --: | --: | --: | --: |",
    ]
    lines += [
        f"| {rank} | {' | '.join(map(str, cells))} |" for rank, (_, cells) in enumerate(rows, 1)
    ]
    without = f"; {found.unfinished} without a result" if found.unfinished else ""
    rounds = counted(found.deals, "round")
    lines += ["", f"{counted(found.games, 'game')} in {rounds}, seed {plan.seed}{without}."]
    return lines


def filled(page: Path, game: str, lines: Sequence[str], command: str) -> None:
    """Put the table of a game between its marks."""
    text = page.read_text(encoding="utf-8")
    before, mark, rest = text.partition(f"<!-- ladder {game} -->\n")
    _, end, after = rest.partition("<!-- end -->")
    if not end:
        raise SystemExit(f"{page}: no place for the ladder of {game}")
    body = "\n".join([*lines, "", f"    {command}"])
    page.write_text(f"{before}{mark}\n{body}\n\n{end}{after}", encoding="utf-8")


def given_pairs(parser: argparse.ArgumentParser, option: str, texts: Sequence[str]) -> Any:
    """The games and values of an option that is given as GAME=VALUE, any number of times."""
    for text in texts:
        game, equals, value = text.partition("=")
        if game not in GAMES or not equals:
            parser.error(f"{option}: {text!r} is not GAME=VALUE, with a game of {', '.join(GAMES)}")
        yield game, value


def main(arguments: Sequence[str] | None = None) -> None:
    """Play what is not kept yet, and fill the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ladder", description=__doc__)
    add = parser.add_argument
    add("--with", dest="own", action="append", default=[], metavar="GAME=PLAYER",
        help="one more player, such as kwartet=package.module:name")  # fmt: skip
    add("--games", action="append", default=[], metavar="GAME=NUMBER",
        help="games to play, rounded up to whole rounds; 0: the table stays")  # fmt: skip
    add("--kept", type=Path, default=HOUSE / "build/ladder.jsonl", help="where games are kept")
    add("--page", type=Path, default=PAGE, help="whose tables are filled")
    options = parser.parse_args(arguments)
    games, players = dict(GAMES), {game: [*registration(game).players] for game in GAMES}
    players["quaternity"].remove("perfect")  # it needs a tablebase: --with quaternity=perfect:FILE
    for game, number in given_pairs(parser, "--games", options.games):
        if not number.isascii() or not number.isdigit():
            parser.error(f"--games: {number!r} is no number of games")
        games[game] = int(number)
    words = [f"--games={game}={number}" for game, number in games.items() if number != GAMES[game]]
    try:
        for game, name in given_pairs(parser, "--with", options.own):
            check_name(game, name, people=False)
            players[game].append(name)
            words.append(f"--with={game}={name}")
        ladders = [
            _ladder(game, players[game], options.kept) for game, number in games.items() if number
        ]
    except InputError as error:
        parser.error(str(error))
    command = join(["python", "-m", "tests.bench.ladder", *words])
    for ladder in ladders:
        game = ladder.plan.rules.name
        results = list[GameResult]()
        number = ceil(games[game] / ladder.games_a_round) * ladder.games_a_round
        try:
            for result in ladder.play(options.kept, number):
                results.append(result)  # one by one: what ends the run leaves those before it
        except PlayerFault as fault:
            parser.exit(3, f"{fault}\n")
        except KeyboardInterrupt:
            if results:
                filled(options.page, game, table(ladder, results), command)
            parser.exit(130, f"{game}: {len(results)} of {number} games are kept\n")
        filled(options.page, game, table(ladder, results), command)


def _ladder(game: str, players: Sequence[str], kept: Path) -> Ladder:
    rules = rules_class(game)()
    own = [name for name in players if is_foreign(game, name)]
    secret = _secret(kept) if own else ""
    plan = Tournament(rules, tuple(players), SEED, cap=CAPS[game], secret=secret)
    for name in own:
        if is_program(name):
            try_program(rules, name)
        else:
            try_apart(rules, [name] * rules.seats, 0, plan.seconds, plan.kind)
    return Ladder(plan, code_of(own))


def _secret(kept: Path) -> str:
    """The chance of ladders with players from outside: a run that goes on has the same deals."""
    file = kept.with_suffix(".secret")
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(token_hex(16))
    return file.read_text()


if __name__ == "__main__":
    main()
