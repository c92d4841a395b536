"""External programs as players: what they receive, and what they may do wrong."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity import guide
from quaternity.base.errors import InputError, PlayerFault, PlayerTimeout
from quaternity.base.names import split_names
from quaternity.game.rules import QuaternityRules
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.quarto.rules import QuartoRules
from quaternity.table.games import registration
from quaternity.table.match import Match
from quaternity.table.player_check import check_player
from quaternity.table.player_file import resolve_player
from quaternity.table.players import check_name, make_player
from quaternity.table.programs import end_idle
from quaternity.table.tournament.playing import Tournament, play, play_game, record_of_game
from quaternity.ternary.rules import SetRules
from quaternity.workers import program as program_module
from quaternity.workers import supervise
from quaternity.workers.isolated_calls import EXTERNAL_MOVE_SECONDS, own_process
from quaternity.workers.pool import open_executor
from quaternity.workers.process_tree import descendants
from quaternity.workers.supervisor import MAX_KEPT_ERROR_BYTES, MAX_PROCESSES, Child
from tests.limits import limited
from tests.own_process_calls import allows_namespaces
from tests.sizes import thorough

HERE = Path(__file__).parent
RULES = [QuaternityRules(), KwartetRules(KwartetSettings(3, 3)), QuartoRules(), SetRules()]

ECHO = """
import json, sys
from quaternity.arena import run

class Echo:
    wants = ("view", "moves", "events", "numbers", "mask")

    def __init__(self, new):
        self.seat = new["seat"]
        self.file = open(sys.argv[1] + str(self.seat), "a")
        self.tell(new)

    def tell(self, message):
        print(json.dumps(message), file=self.file, flush=True)

    def choose(self, asked):
        self.tell(asked)
        return {"action": asked["mask"].index(1), "delay": 1.5}

    def end(self, outcome):
        self.tell({"do": "end", "outcome": outcome})

run(Echo)
"""


@pytest.fixture(autouse=True)
def no_process_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Check that no process is left behind, whatever a program does."""
    nap = f"1000.{os.getpid()}"
    monkeypatch.setenv("NAP", nap)
    before = set(descendants(os.getpid()))
    yield
    end_idle()
    own_process().end()
    assert not set(descendants(os.getpid())) - before
    for environment in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert f"sleep\0{nap}".encode() not in environment.read_bytes()
        except OSError:
            continue


def hostile(mode: str) -> str:
    return f"cmd:{sys.executable} -I -S {shlex.quote(str(HERE / 'hostile.py'))} {mode}"


FAULTS = {
    "hang": "gave no answer within 60 s",
    "flood": "wrote more than 1048576 bytes without a line break",
    "flood_errors": "ended with status 3; its standard error ends with 'the end of it'",
    "twice": "answered more than once",
    "early": "answered more than once",
    "encoding": "which is not valid JSON",
    "nan": "which is not valid JSON",
    "infinite": "gave a delay of inf",
    "negative": "gave a delay of -0.5",
    "deep": "which is not valid JSON",
    "long_number": "which is not valid JSON",
    "other_game": "gave move '0 bakes a cake'",
    "both": "expected one of move, action or wait",
    "action": "this action is not legal: its mask is 0",
    "wait": "gave None",
    "text": "wrote 'I think that I ask for 0/1', which is not valid JSON",
    "leaves": "stopped unexpectedly: its process ended with status 0",
    "crashes": "was killed by signal 11; its standard error ends with 'no idea what to do'",
    "closes": "closed its connection",
    "eats": "took too much memory|MemoryError",
    "forks": "started more than 20 processes",
    "kills_supervisor": "gave no answer within",
    "stops": "gave no answer within",
}


WITHOUT_ISOLATION = ("hang", "crashes", *thorough((), ("leaves", "forks", "closes", "eats")))


@pytest.mark.parametrize(
    ("mode", "isolated"),
    [*((name, True) for name in FAULTS), *((name, False) for name in WITHOUT_ISOLATION)],
)
def test_every_fault_of_a_program_is_reported_with_its_game(
    mode: str, isolated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    overdue = FAULTS[mode].startswith("gave no answer")

    class Hurried(Child):
        """A process that gets little time only for the answer that never comes."""

        def __init__(self, words: Any, **more: Any) -> None:
            super().__init__(words, **{**more, "isolated": isolated})
            self.choices = 0 if overdue and words[-1] == mode else -1000

        def exchange(self, *arguments: Any, **more: Any) -> Any:
            message, complete, seconds, *others = arguments
            self.choices += b'"choose"' in message
            seconds = 0.5 if self.choices == 2 else seconds
            return super().exchange(message, complete, seconds, *others, **more)

        def ending(self) -> str:
            if mode != "closes":
                self.process.wait(60)
            return super().ending()

    monkeypatch.setattr("quaternity.workers.program.Child", Hurried)
    with (
        limited("quaternity.workers.supervisor", MAX_PROCESSES=20),
        limited("quaternity.workers.program", MAX_PROCESSES=20, MAX_MEMORY_BYTES=300 << 20),
    ):
        plan = Tournament(QuartoRules(), (hostile(mode), hostile("moves_folder")), move_seconds=60)
        with pytest.raises(PlayerFault, match=FAULTS[mode]) as raised:
            play_game(plan, 0)
        fault = raised.value
        assert isinstance(fault, PlayerTimeout) == overdue
        assert fault.place is not None
        assert (fault.place.player, fault.place.game) == (hostile(mode), 0)
        assert fault.message.startswith(f"player {hostile(mode)!r} in seat {fault.place.seat} ")


@pytest.mark.parametrize("mode", ["moves_folder", "ignores_quit", "dies_once"])
def test_harmless_behaviour_is_not_a_fault(mode: str, tmp_path: Path) -> None:
    """A program that is killed once, by another process, plays the game again."""
    mode += f" {tmp_path}/deaths" * (mode == "dies_once")
    plan = Tournament(QuartoRules(), (hostile(mode), "random"))
    with open_executor(1) as pool:
        assert len(list(play(plan, 4, pool))) == 4


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_a_program_receives_what_its_seat_may_know(rules: Any, tmp_path: Path) -> None:
    """The information is the same as in the web interface and in the environments."""
    script = tmp_path / "echo.py"
    script.write_text(ECHO)
    name = f"cmd:{sys.executable} {script} {tmp_path}/heard-"
    match: Any = Match(rules, [name] * rules.seats, "7")
    views, requests, steps = [], [], []
    for _ in range(30):
        acting = rules.to_act(match.position)
        if not acting:
            break
        views.append({seat: rules.view_json(match.view(seat)) for seat in acting})
        planned = match.next_program()
        assert planned is not None
        assert planned.seconds == 1.5
        steps.append(match.play(planned.seat, planned.move))
    match.hand_over(0, next(iter(registration(rules.name).players)))
    end_idle()  # the programs have ended, so their files are complete
    for seat in range(rules.seats):
        new, *messages = map(json.loads, (tmp_path / f"heard-{seat}").read_text().splitlines())
        requests = [line for line in messages if line["do"] == "choose"]
        assert all(
            {"view", "moves", "events", "numbers", "mask"} <= line.keys() for line in requests
        )
        assert (new["game"], new["seat"], new["seats"]) == (rules.name, seat, rules.seats)
        assert f"quaternity-player {new['protocol']}" in guide.page("arena").text
        own_views = [view[seat] for view in views if seat in view]
        assert [line["view"] for line in requests] == json.loads(json.dumps(own_views))
        texts = [event["text"] for line in requests for event in line["events"]]
        seen = [str(event) for step in steps for event in step.events]
        assert texts == seen[: len(texts)]
        assert messages[-1]["do"] == "end"
    seeds = {json.loads((tmp_path / f"heard-{seat}").read_text().splitlines()[0])["seed"]
             for seat in range(rules.seats)}  # fmt: skip
    assert len(seeds) == rules.seats


@pytest.mark.parametrize("argument", [None, "3", "", "a b: 'c'"])
def test_text_after_a_name_in_a_player_file_is_the_argument(
    argument: str | None, tmp_path: Path
) -> None:
    (tmp_path / "echo.py").write_text(ECHO)
    echo = f"cmd:{sys.executable} {tmp_path}/echo.py {tmp_path}/heard-"
    file = tmp_path / "names.toml"
    file.write_text(f"[quarto]\necho = '{echo}'\nslow = 'random'\n")
    player = "echo" if argument is None else f"echo:{argument}"
    play_game(Tournament(QuartoRules(), (resolve_player("quarto", player, str(file)), "random")), 0)
    new = json.loads((tmp_path / "heard-0").read_text().splitlines()[0])
    assert new["argument"] == argument
    with pytest.raises(InputError, match=r"'slow:3': slow is random, which takes no argument"):
        resolve_player("quarto", "slow:3", str(file))
    assert resolve_player("quarto", "slow", str(file)) == "random"
    for other in ("careful", "other:3", "module:name"):
        assert resolve_player("quarto", other, str(file)) == other


@pytest.mark.parametrize("limit", [1, 15, 16, 17])
def test_only_the_first_of_many_moves_are_listed_with_a_flag(limit: int, tmp_path: Path) -> None:
    """The first move has sixteen pieces to choose from."""
    (tmp_path / "echo.py").write_text(ECHO)
    echo = f"cmd:{sys.executable} {tmp_path}/echo.py {tmp_path}/heard-"
    with limited("quaternity.table.programs", MAX_SENT_MOVES=limit):
        Match(QuartoRules(), [echo, "random"], "7").program_move()
    _, request = map(json.loads, (tmp_path / "heard-0").read_text().splitlines())
    rules = QuartoRules()
    all_moves = [rules.write(move) for move in rules.moves(rules.view(rules.start(Random(0)), 0))]
    assert request["moves"] == all_moves[:limit]
    assert request.get("more", False) == (limit < len(all_moves) == 16)


def test_deals_of_a_tournament_with_programs_are_secret_but_reproducible() -> None:
    rules, names = KwartetRules(KwartetSettings(2, 3)), (hostile("moves_folder"), "random")
    first, second = Tournament(rules, names), Tournament(rules, names)
    assert first.start(0) != second.start(0)
    again = Tournament(rules, names, secret=first.secret)
    assert again.start(0) == first.start(0)
    assert record_of_game(again, 1) == record_of_game(first, 1)
    assert Tournament(rules, ("random", "greedy")).secret == ""


def test_a_program_sees_only_its_own_processes(tmp_path: Path) -> None:
    """This holds if the system allows namespaces; otherwise the guide does not promise it."""
    script = tmp_path / "spy.py"
    script.write_text(
        "import json, os, sys\n"
        "others = sorted(p for p in os.listdir('/proc') if p.isdigit())\n"
        "print(json.dumps({'ready': ' '.join(others)}), flush=True)\n"
        "sys.stdin.read()\n"
    )
    program = program_module.Program([sys.executable, "-I", "-S", str(script)])
    seen = program.ask({"do": "new"}, 60)["ready"].split()
    program.end()
    if not allows_namespaces():
        pytest.skip("the system allows no namespaces")
    assert len(seen) == 2, "the first of its namespace, and itself"


def test_commands_are_quoted_as_in_a_shell() -> None:
    for text in ('you,cmd:cat \'a,b\' "c,\\"d" e\\,f,search:200', "a, b", "", "cmd:cat 'open,x"):
        assert all(isinstance(name, str) for name in split_names(text))
    assert split_names("you,cmd:cat 'a,b' c, random") == ["you", "cmd:cat 'a,b' c", "random"]
    check_name("quarto", "cmd:cat 'a b'")
    for wrong, why in (
        ("cmd:", "no program given"), ("cmd:./nowhere", "is not an executable program"),
        ("cmd:no-such-program ./x", "no-such-program is not an executable program in PATH"),
        ("cmd:cat 'x", "no closing quotation"),
        ("cmd:cat # x", "without #"), ("cmd:cat \n", "one line"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=why):
            make_player(QuartoRules(), wrong)


def test_players_of_other_games_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="'careful' plays quarto, not kwartet"):
        Tournament(KwartetRules(), ("careful", "random"))


@pytest.mark.parametrize("ready", ['{"ready": 1}', '{"ready": "x", "wants": ["hands"]}', "[]", ""])
def test_a_program_not_ready_is_refused_before_the_first_game(ready: str, tmp_path: Path) -> None:
    script = tmp_path / "not_ready.sh"
    script.write_text(f"#!/bin/sh\necho '{ready}'\nread x\n")
    script.chmod(0o755)
    plan = Tournament(QuartoRules(), (f"cmd:{script}", "random"))
    with open_executor(1) as pool, pytest.raises(InputError, match="not_ready"):
        play(plan, 4, pool)


FIRST = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "quit":
        break
    if asked["do"] in ("new", "choose"):
        answer = {"ready": "x"} if asked["do"] == "new" else {"move": asked["moves"][0]}
        print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize("rules", [QuartoRules(), SetRules()], ids=lambda rules: rules.name)
def test_a_program_without_a_delay_gets_its_thinking_time_if_it_may_wait(
    rules: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "first.py").write_text(FIRST)
    match: Any = Match(rules, [f"cmd:{sys.executable} {tmp_path}/first.py"] * 2, "7")
    monkeypatch.setattr("quaternity.table.programs.monotonic", count(100, 7).__next__)
    planned = match.next_program()
    assert planned is not None
    assert planned.seconds == (0 if rules.name == "quarto" else 7)


@pytest.mark.parametrize("key", [None, "mine"])
@pytest.mark.parametrize("limit", [0, 1])
def test_idle_programs_of_an_owner_are_kept_up_to_the_limit(
    key: str | None, limit: int, tmp_path: Path
) -> None:
    (tmp_path / "first.py").write_text(FIRST)
    before = set(descendants(os.getpid()))
    name = f"cmd:{sys.executable} {tmp_path}/first.py"
    players = [make_player(QuartoRules(), name) for _ in "ab"]
    with limited("quaternity.table.programs", MAX_IDLE_PROGRAMS=limit):
        for player in players:
            player.sit(0, "", 60, key)
            player.begin()
        running = len(set(descendants(os.getpid())) - before) / 2
        for player in players:
            player.leave()
    kept = len(set(descendants(os.getpid())) - before) / running
    assert kept == (limit if key else 0)


def test_a_message_larger_than_a_pipe_arrives() -> None:
    program = program_module.Program(["sh", "-c", "read x; echo '{\"ok\": 1}'; read y"])
    assert program.ask({"large": "x" * 10**6}, 60) == {"ok": 1}
    program.end()
    deaf = program_module.Program(["tail", "-f", "/dev/null"])
    with pytest.raises(program_module.ProgramFault, match="gave no answer") as raised:
        deaf.ask({"large": "x" * 10**6}, 0.2)
    assert raised.value.overdue


@limited("quaternity.workers.program", MAX_LINE_BYTES=100_000)
def test_a_line_has_a_maximum_length_and_may_arrive_in_parts() -> None:
    """A move without a time limit may take any time; an empty line is not valid JSON."""
    script = 'while read x; do echo \'{"move": "%s"}\'; done'  # a pipe holds less than a line
    answers: dict[int, object] = {}
    for length in range(99_999, 100_003):
        move = "m" * (length - 12)
        program = program_module.Program(["sh", "-c", script % move])
        try:
            answers[length] = program.ask({"do": "choose"}, None) == {"move": move}
        except program_module.ProgramFault as fault:
            answers[length] = fault.what
        program.end()
    too_long = "wrote more than 100000 bytes without a line break"
    assert answers == {99_999: True, 100_000: True, 100_001: too_long, 100_002: too_long}
    empty = program_module.Program(["sh", "-c", "read x; echo; read x"])
    with pytest.raises(program_module.ProgramFault, match="wrote '', which is not valid JSON"):
        empty.ask({"do": "choose"}, 60)


def test_the_guide_has_the_limits_of_programs() -> None:
    text = guide.page("arena").text
    for row in (
        f"| time | {EXTERNAL_MOVE_SECONDS} seconds for a move and for `ready`",
        f"| memory | {program_module.MAX_MEMORY_BYTES >> 30} GB with all",
        f"| processes | {MAX_PROCESSES} at a time |",
        f"the last {MAX_KEPT_ERROR_BYTES / 1024:g} kB are kept",
    ):
        assert row in text
    assert program_module.MAX_LINE_BYTES == 1 << 20, "a megabyte"


EXAMPLES = Path(guide.__file__).parent / "arena"


def example(language: str, folder: Path) -> str:
    """Return a player that the guide shows; it is compiled if necessary."""
    match language:
        case "C++":
            if shutil.which("g++") is None:
                pytest.skip("no g++")
            built = ["g++", "-std=c++17", "-o", str(folder / "hoarder")]
            subprocess.run([*built, str(EXAMPLES / "hoarder.cpp")], check=True)
            return f"cmd:{folder}/hoarder"
        case "JavaScript":
            if shutil.which("node") is None:
                pytest.skip("no Node")
            return f"cmd:node {EXAMPLES}/hoarder.js"
    return f"cmd:{sys.executable} {EXAMPLES}/hoarder.py"


@pytest.mark.parametrize("language", ["C++", "JavaScript", "Python"])
def test_the_guides_players_are_alike_in_three_languages(language: str, tmp_path: Path) -> None:
    """They win, and make the same moves as the program in Python."""
    rules = KwartetRules(KwartetSettings(3, 5))
    name = example(language, tmp_path)
    plan = Tournament(rules, (name, "greedy", "silent"), secret="x")
    with open_executor(1) as pool:
        results = list(play(plan, 12, pool))
    won = sum(
        result.winner is not None and result.line_up[result.winner] == 0 for result in results
    )
    assert won > 6
    text = record_of_game(plan, 7)
    same = Tournament(rules, (example("Python", tmp_path), "greedy", "silent"), secret="x")
    moves = [line for line in text.splitlines() if not line.startswith("seats")]
    assert moves == [
        line for line in record_of_game(same, 7).splitlines() if not line.startswith("seats")
    ]
    checked = check_player(name, "kwartet", range(thorough(40, 500)))
    assert checked.asked is None, checked.fault


def test_the_guide_shows_the_code_of_its_players() -> None:
    text = guide.page("arena").text
    for path in sorted(EXAMPLES.glob("hoarder.*")):
        code = path.read_text()
        assert code.count("\n") < 80
        assert f" {path.name}\n{code}```" in text


def test_a_program_sees_only_public_variables_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = {"PATH": os.environ["PATH"], "HOME": "/h", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    secret = ("QUATERNITY_METRICS_TOKEN", "QUATERNITY_DATA", "PGPASSWORD", "AWS_SECRET", "path")
    for name, value in (public | dict.fromkeys(secret, "s3cret")).items():
        monkeypatch.setenv(name, value)
    script = tmp_path / "spy.py"
    script.write_text(
        "import json, os, sys\n"
        "print(json.dumps({'ready': dict(os.environ)}), flush=True)\n"
        "sys.stdin.read()\n"
    )
    program = program_module.Program([sys.executable, "-S", str(script)])
    seen = program.ask({"do": "new"}, 60)["ready"]
    program.end()
    assert public.items() <= seen.items()
    assert "s3cret" not in seen.values()


@pytest.mark.parametrize(("denied", "status"), [("", 0), ("unshare", 1), ("mount", 2)])
def test_isolation_that_the_system_denies_is_reported(denied: str, status: int) -> None:
    """The system call is made to fail in the process that tries it."""
    if not allows_namespaces():
        pytest.skip("the system allows no namespaces")
    code = (
        "import ctypes, runpy, sys\n"
        "class Denying(ctypes.CDLL):\n"
        "    def __getattr__(self, name):\n"
        f"        return (lambda *_: -1) if name == {denied!r} else super().__getattr__(name)\n"
        "ctypes.CDLL = Denying\n"
        "sys.argv = ['supervise.py', 'check']\n"
        f"runpy.run_path({supervise.__file__!r}, run_name='__main__')\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == status
