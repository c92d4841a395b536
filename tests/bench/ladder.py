"""`make ladder`: games of all players of each game against each other, and their ratings.

A round plays one deal with every choice of players, in seats that balance out, or in all orders of
seats if there are few. Every game is stored as it ends, so that an interrupted run continues where
it stopped, until the code of the players changes. The tables are written into the page of the
guide, between its marks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from itertools import pairwise
from math import ceil
from pathlib import Path
from random import Random
from secrets import token_hex
from shlex import join
from time import perf_counter, process_time
from typing import Any

from quaternity.base.errors import InputError, PlayerFault
from quaternity.base.text_format import with_noun
from quaternity.table.games import registration, rules_class
from quaternity.table.match import check_player_isolated
from quaternity.table.players import check_name, is_foreign, is_program, make_player
from quaternity.table.programs import ProgramPlayer, try_program
from quaternity.table.tournament.playing import GameResult, Tournament, _play, play_game
from quaternity.table.tournament.scores import make_table
from quaternity.table.tournament.seatings import seatings
from quaternity.trials.comparison.report import duration
from quaternity.workers.program import command_words
from quaternity.workers.progress import Progress

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "quaternity/guide/players.md"
SEED = 2026
"""Seed of the deals; no player was tuned on them."""

GAMES = {"quaternity": 90, "kwartet": 1680, "quarto": 90, "set": 400}
"""Number of games to play, by the name of the game."""

LEVEL_GAMES = {"quaternity": 240}
"""Number of games between neighbouring levels, by the name of the game. In a game for three, most
meetings are draws if all players of a ladder play together."""

CAPS = {"quaternity": 500, "kwartet": 5000, "quarto": 500, "set": 500}
"""Maximum number of moves; a longer game has no result, as Quaternity players may wait forever."""

MAX_DEAL_GAMES = 100
"""Maximum number of games of a deal in a round; above it, a round plays one order of seats per
choice."""

CLOCK_SECONDS, CLOCK_GAMES = 1.0, 10
"""Maximum seconds, and number, of the games against itself that measure a player's speed."""

PACKAGES = ("game", "insight", "kwartet", "quarto", "ternary", "perfect", "table", "workers")
"""The packages whose code plays."""


@dataclass(frozen=True)
class Ladder:
    """The games of one ladder: a tournament that plays its games in another order.

    Attributes:
        plan: the tournament.
        code: a digest of the code that plays; games of other code do not count.
    """

    plan: Tournament
    code: str

    @property
    def games_a_round(self) -> int:
        """Number of games in a round, all of one deal."""
        games = self.plan.games_a_deal
        return games if games <= MAX_DEAL_GAMES else games // len(seatings(self.plan.rules.seats))

    @property
    def key(self) -> dict[str, Any]:
        """The fields at the beginning of every stored line of this ladder."""
        plan = self.plan
        return {"rules": repr(plan.rules), "players": plan.players, "seed": plan.seed,
                "cap": plan.cap, "code": self.code}  # fmt: skip

    def number(self, game: int) -> int:
        """Return the tournament's number of a game; the orders of seats move on between deals."""
        deal, rest = divmod(game, self.games_a_round)
        games = self.plan.games_a_deal
        return deal * games + deal * self.games_a_round % games + rest

    def read_games(self, file: Path) -> list[GameResult]:
        """Return the games in a file, without gaps; a last line that was cut off does not count."""
        key, results = json.dumps(self.key)[:-1], list[GameResult]()
        for line in file.read_text().splitlines(keepends=True) if file.exists() else ():
            if line.startswith(key) and line.endswith("}\n"):
                row = json.loads(line)
                places = row["places"] and tuple(row["places"])
                results.append(
                    GameResult(tuple(row["line_up"]), tuple(row["points"]), places, row["moves"])
                )
        return results

    def play(self, file: Path, games: int) -> Iterator[GameResult]:
        """Yield the first games: the stored ones, then new ones, which are stored as they end.

        Raises:
            PlayerFault: If a player failed, broke the rules or thought for too long.
        """
        kept = self.read_games(file)
        yield from kept[:games]
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and not file.read_bytes().endswith(b"\n"):
            with file.open("a") as end:
                end.write("\n")
        for game in range(len(kept), games):
            result = play_game(self.plan, self.number(game))._replace(details=None)
            fields = result._asdict()
            del fields["details"]
            with file.open("a") as end:
                end.write(json.dumps(self.key | fields) + "\n")
            yield result


def code_of(own: Sequence[str]) -> str:
    """Return a digest of this project's code that plays, and of the files of external players."""
    files = [*(ROOT / "solvers").rglob("*.py")]
    for package in PACKAGES:
        files += (ROOT / "quaternity" / package).rglob("*.py")
    for name in filter(is_program, own):
        files += [path for word in command_words(name) if (path := Path(word)).is_file()]
    modules = [name.partition(":")[0] for name in own if ":" in name and not is_program(name)]
    specs = [find_spec(module) for module in modules]
    files += [Path(spec.origin) for spec in specs if spec is not None and spec.origin]
    digest = sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


class TimedPlayer:
    """A player whose thinking time is measured."""

    def __init__(self, player: Any) -> None:
        self.player, self.seconds, self.choices = player, 0.0, 0
        # The processor time of a program is not this process's, so its wall-clock time is measured.
        self.clock = perf_counter if isinstance(player, ProgramPlayer) else process_time

    def choose(self, view: Any, random: Random) -> Any:
        """Return the player's choice, and add the time it took."""
        began = self.clock()
        move = self.player.choose(view, random)
        self.seconds += self.clock() - began
        self.choices += 1
        return move

    def __getattr__(self, name: str) -> Any:
        return getattr(self.player, name)


def seconds_a_move(rules: Any, name: str) -> float:
    """Return the processor time of a player per choice, in games against itself.

    The first game does not count, as it includes imports and learning.
    """
    plan = Tournament(rules, (name,) * rules.seats, SEED, cap=500)
    players = [_make_timed_player(rules, name, seat) for seat in range(rules.seats)]
    seconds, choices = 0.0, 0
    for game in range(CLOCK_GAMES):
        if game and is_foreign(rules.name, name):
            players = [_make_timed_player(rules, name, seat) for seat in range(rules.seats)]
        for player in players:
            player.seconds, player.choices = 0.0, 0
        _play(plan, plan.players, players, plan.start(game), plan.generators(game), plan.cap,
              Progress(), 0)  # fmt: skip
        if game:
            seconds += sum(player.seconds for player in players)
            choices += sum(player.choices for player in players)
        for player in players:
            if isinstance(player.player, ProgramPlayer):
                player.player.leave()
        if seconds > CLOCK_SECONDS:
            break
    return seconds / choices


def _make_timed_player(rules: Any, name: str, seat: int) -> TimedPlayer:
    player = make_player(rules, name)
    if isinstance(player, ProgramPlayer):
        player.sit(seat, str(seat), None, seat)
    return TimedPlayer(player)


def table(ladder: Ladder, results: Sequence[GameResult]) -> list[str]:
    """Return the table of some games, strongest player first."""
    plan = ladder.plan
    scores = make_table(results, len(plan.players), Random(plan.seed), ladder.games_a_round)
    rows = []
    for name, record in zip(plan.players, scores.records, strict=True):
        rating = record.rating
        number = "-" if rating is None else rating.text(0)
        share = f"{record.win_share.mean:.3f}"
        time = duration(seconds_a_move(plan.rules, name))
        rows.append(
            (-(rating.mean if rating else 0), [f"`{name}`", number, share, record.games, time])
        )
    rows.sort(key=lambda row: row[0])
    lines = [
        "| rank | player | rating | share of wins | games | time per move |",
        "| --: | --- | --: | --: | --: | --: |",
    ]
    lines += [
        f"| {rank} | {' | '.join(map(str, cells))} |" for rank, (_, cells) in enumerate(rows, 1)
    ]
    without = f"; {scores.unfinished} without a result" if scores.unfinished else ""
    rounds = with_noun(scores.deals, "round")
    lines += ["", f"{with_noun(scores.games, 'game')} in {rounds}, seed {plan.seed}{without}."]
    return lines


def write_table(page: Path, game: str, lines: Sequence[str], command: str) -> None:
    """Write the table of a game between its marks."""
    text = page.read_text(encoding="utf-8")
    before, mark, rest = text.partition(f"<!-- ladder {game} -->\n")
    _, end, after = rest.partition("<!-- end -->")
    if not end:
        raise SystemExit(f"{page}: no place for the ladder of {game}")
    body = "\n".join([*lines, "", f"    {command}"])
    page.write_text(f"{before}{mark}\n{body}\n\n{end}{after}", encoding="utf-8")


def parse_pairs(parser: argparse.ArgumentParser, option: str, texts: Sequence[str]) -> Any:
    """Yield the games and values of an option GAME=VALUE, which may be repeated."""
    for text in texts:
        game, equals, value = text.partition("=")
        if game not in GAMES or not equals:
            parser.error(f"{option}: {text!r} is not GAME=VALUE, with a game of {', '.join(GAMES)}")
        yield game, value


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the games that are not stored yet, and write the tables into the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ladder", description=__doc__)
    add = parser.add_argument
    add("--with", dest="own", action="append", default=[], metavar="GAME=PLAYER",
        help="one more player, such as kwartet=package.module:name")  # fmt: skip
    add("--games", action="append", default=[], metavar="GAME=NUMBER",
        help="games to play, rounded up to whole rounds; 0: keep the table")  # fmt: skip
    add("--kept", type=Path, default=ROOT / "build/ladder.jsonl", help="file of the stored games")
    add("--page", type=Path, default=PAGE, help="page whose tables are written")
    options = parser.parse_args(arguments)
    games, players = dict(GAMES), {game: [*registration(game).players] for game in GAMES}
    players["quaternity"].remove("perfect")  # it needs a tablebase: --with quaternity=perfect:FILE
    for game, number in parse_pairs(parser, "--games", options.games):
        if not number.isascii() or not number.isdigit():
            parser.error(f"--games: {number!r} is not a number of games")
        games[game] = int(number)
    words = [f"--games={game}={number}" for game, number in games.items() if number != GAMES[game]]
    try:
        for game, name in parse_pairs(parser, "--with", options.own):
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
                results.append(result)  # one by one, for an interrupted run
        except PlayerFault as fault:
            parser.exit(3, f"{fault}\n")
        except KeyboardInterrupt:
            if results:
                write_table(options.page, game, table(ladder, results), command)
            parser.exit(130, f"{game}: {len(results)} of {number} games are kept\n")
        write_table(options.page, game, table(ladder, results), command)
        name = f"levels of {game}"
        if game in LEVEL_GAMES and f"<!-- ladder {name} -->" in options.page.read_text("utf-8"):
            levels = _ladder(
                game, [level.player for level in registration(game).levels], options.kept
            )
            lines = table(levels, [*level_games(game, options.kept)])
            write_table(options.page, name, lines, command)


def level_games(game: str, kept: Path) -> Iterator[GameResult]:
    """Yield the games between neighbouring levels, with two copies of each.

    The line-ups contain the numbers of the levels.
    """
    for low, pair in enumerate(pairwise(registration(game).levels)):
        plan = _ladder(game, [level.player for level in pair for _ in range(2)], kept)
        for result in plan.play(kept, LEVEL_GAMES[game]):
            yield result._replace(line_up=tuple(low + entry // 2 for entry in result.line_up))


def _ladder(game: str, players: Sequence[str], kept: Path) -> Ladder:
    rules = rules_class(game)()
    own = [name for name in players if is_foreign(game, name)]
    secret = _secret(kept) if own else ""
    plan = Tournament(rules, tuple(players), SEED, cap=CAPS[game], secret=secret)
    for name in own:
        if is_program(name):
            try_program(rules, name)
        else:
            check_player_isolated(rules, [name] * rules.seats, 0, plan.seconds, plan.kind)
    return Ladder(plan, code_of(own))


def _secret(kept: Path) -> str:
    """Return the secret of ladders with external players; a continued run has the same deals."""
    file = kept.with_suffix(".secret")
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(token_hex(16))
    return file.read_text()


if __name__ == "__main__":
    main()
