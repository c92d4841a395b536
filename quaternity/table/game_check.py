"""End-to-end check of a registered game: its laws, commands, environments and web pages.

    from quaternity.table.game_check import check_game

    def test_my_game():
        check_game("mine")

The check tests the laws of `quaternity.table.conformance`. Then it runs commands in separate
processes, and requests pages from a local server.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from quaternity.base.errors import InputError
from quaternity.base.plugins import load_place
from quaternity.table.conformance import LawViolation, check_rules, expect
from quaternity.table.games import registration, rules_of_record
from quaternity.table.match import Match
from quaternity.table.players import make_player
from quaternity.table.tournament.playing import Tournament, play_game

MAX_SECONDS = 120
"""Maximum time for a command or a request, in seconds."""

PLAY_INPUT = "help\nrules\nstate\nmoves\nhint\nhistory\nundo\nquit\n"
"""Input that the check sends to the command `play`, one command on each line."""


def check_game(game: str, matches: int = 3, seed: int = 0) -> tuple[str, ...]:
    """Check a registered game in about ten seconds, and return the names of the completed checks.

    The game is played by its computer players, in a tournament, in the terminal, in a browser and
    in learning environments. Parts whose optional packages are not installed are skipped.

    Args:
        game: name of the game.
        matches: number of random matches in which the rules are tested.
        seed: random seed.

    Raises:
        LawViolation: If a check fails. The message names the first failed check.
    """
    rules = registration(game).rules_class()
    checks: dict[str, Callable[[], None]] = {
        "players": lambda: _play_all(rules),
        "laws": lambda: _check_laws(rules, matches, seed),
        "tournament": lambda: _play_tournament(rules),
        "environment": lambda: _walk_episode(rules, seed),
        "terminal": lambda: _use_terminal(rules),
    }
    if _installed("pettingzoo"):
        checks["PettingZoo"] = lambda: _step_pettingzoo(game)
    if _installed("pyspiel"):
        checks["OpenSpiel"] = lambda: _load_open_spiel(game)
    if _installed("starlette", "uvicorn", "jinja2", "segno"):
        checks["browser"] = lambda: _use_browser(rules)
    for name, check in checks.items():
        try:
            check()
        except Exception as error:
            raise LawViolation(f"{game}: {name}: {error}") from error
    return tuple(checks)


def _installed(*modules: str) -> bool:
    return all(find_spec(module) is not None for module in modules)


def _players(rules: Any) -> list[str]:
    registered = registration(rules.name)
    names = []
    for name in sorted(registered.players, key=registered.strongest.__eq__):
        try:
            make_player(rules, name)
        except InputError as error:
            if name == registered.strongest:
                raise LawViolation(f"strongest player: {error}") from error
            continue  # The command needs an argument.
        names.append(name)
    return names


def _play_all(rules: Any) -> None:
    for name in _players(rules):
        match: Any = Match(rules, [name] * rules.seats, "0")
        for _ in range(2 * rules.seats):
            if match.program_move() is None:
                break


def _check_laws(rules: Any, matches: int, seed: int) -> None:
    strongest = make_player(rules, registration(rules.name).strongest)
    check_rules(rules, matches, seed, player=strongest, encoded=_table_game(rules).encoded)


def _table_game(rules: Any) -> Any:
    return load_place("quaternity.environments.episode:TableGame")(rules.name)


def _play_tournament(rules: Any) -> None:
    name = _players(rules)[0]
    play_game(Tournament(rules, (name, name), cap=20), 0)


def _walk_episode(rules: Any, seed: int) -> None:
    random = Random(seed)
    episode = _table_game(rules).episode(random)
    for _ in range(50):
        if episode.seat is None:
            break
        actions = [action for action, legal in enumerate(episode.mask) if legal]
        episode = episode.after(random.choice(actions))
        episode.memory_text(None)


def _step_pettingzoo(game: str) -> None:
    env = load_place(f"quaternity.environments.pettingzoo:{game}_v0").env()
    env.reset(seed=0)
    observation = env.observe(env.agent_selection)
    env.step(int(observation["action_mask"].argmax()))


def _load_open_spiel(game: str) -> None:
    load_place("quaternity.environments.open_spiel:register_games")()
    state = load_place("pyspiel:load_game")(f"python_{game}").new_initial_state()
    for _ in range(200):
        if not state.is_chance_node():
            break
        state.apply_action(state.legal_actions()[0])
    state.apply_action(state.legal_actions()[0])


def _use_terminal(rules: Any) -> None:
    player = _players(rules)[0]
    commands = [] if registration(rules.name).at_root else [rules.name]
    with TemporaryDirectory() as folder:
        record = str(Path(folder) / "game.record")
        play = [*commands, "play", "--record", record, "--seed", "1"]
        _run([*commands, "--help"])
        _run(["watch", "--help"])
        # Give the first seat to a person, because programs alone would play the match to its end.
        _run([*play, "--seats", ",".join(["you", *[player] * (rules.seats - 1)])], PLAY_INPUT)
        recorded = rules_of_record(Path(record).read_bytes())
        expect(recorded.name == rules.name, "the record names another game")
        _run(play, "quit\n")
        _run(["watch", record])
        _run(["watch", record, "--seat", "0"])


def _run(words: Sequence[str], typed: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", "quaternity", *words],
        input=typed, capture_output=True, text=True, timeout=MAX_SECONDS, check=False,
    )  # fmt: skip
    if done.returncode:
        last = "\n".join(done.stderr.splitlines()[-3:])
        raise LawViolation(f"quaternity {' '.join(words)}: exit status {done.returncode}: {last}")
    return done.stdout


def _use_browser(rules: Any) -> None:
    game, player = rules.name, _players(rules)[0]
    with TemporaryDirectory() as folder, _server(folder) as link:
        documents = _request(f"{link}api/games")["games"]
        expect(
            any(document["game"] == game for document in documents),
            "/api/games does not list the game",
        )
        _request(link)
        _request(f"{link}new?game={game}")
        seats = ["me", *[player] * (rules.seats - 1)]
        made = _request(f"{link}api/tables", {"game": game, "seats": seats, "help": True})
        token = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
        table, page = f"{link}api/tables/{made['table']}", f"{link}t/{made['table']}"
        seen = _request(table, headers=token)
        _request(page, headers=token)
        for word in (*registration(game).helpers, "hint"):
            # Some helpers need a formula. A seat that is not to move gets no hint, but status 409.
            _request(f"{table}/help/{word}?formula=H0%200/0", headers=token, allowed=(409, 422))
        if seen["moves"]:
            move = {"version": seen["version"], "id": "first", "move": seen["moves"][0]}
            _request(f"{table}/moves", move, token)
            _request(f"{page}/part", headers=token)
            _request(f"{page}/at/0", headers=token)


@contextmanager
def _server(folder: str) -> Iterator[str]:
    command = [sys.executable, "-m", "quaternity", "serve", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        [*command, "--data", folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if "http://" in line:
                    yield line[line.index("http://") :].split()[0]
                    return
            raise LawViolation("quaternity serve did not print a link")
        finally:
            process.terminate()


def _request(
    link: str, document: Any = None, headers: Any = None, allowed: Sequence[int] = ()
) -> Any:
    data = None if document is None else json.dumps(document).encode()
    sent = {"Content-Type": "application/json", **(headers or {})}
    try:
        with urlopen(Request(link, data, sent), timeout=MAX_SECONDS) as response:
            text = response.read().decode()
            is_json = response.headers.get_content_type() == "application/json"
    except HTTPError as error:
        if error.code in allowed:
            return None
        raise LawViolation(f"{link}: status {error.code}: {error.read()[:300]!r}") from error
    return json.loads(text) if is_json else text
