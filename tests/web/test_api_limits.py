"""Limits of requests, the help that a table gives, and the programs that play at it."""

import gc
import importlib
import json
import re
import sys
import tracemalloc
from itertools import chain, product, starmap
from pathlib import Path
from random import Random
from runpy import run_path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from quaternity import guide
from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Move as GameMove
from quaternity.game.record import record_text
from quaternity.game.rules import QuaternityPosition, QuaternityRules
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.tablebase import write_tablebase
from quaternity.puzzles.dealing import HENCE
from quaternity.table.history import History
from quaternity.web.hints import CAN_HAVE, kwartet_why, why
from quaternity.web.rate_limits import Limits, Rates
from solvers.problem import SetConstraint, with_entry
from solvers.registry import solve as deal
from tests.sizes import thorough
from tests.web.server import Server
from tests.web.site import Site
from tests.web.tables import PEOPLE, SMALL, Table, open_site, wait_until_idle

pytestmark = pytest.mark.usefixtures("kept_processes")


def test_help_is_given_if_it_is_allowed(site: Site) -> None:
    assert site.ask("GET", f"{Table(site).path}/help/why").status == 403
    table = Table(site, help=True)
    assert site.ask("GET", f"{table.path}/help/nothing").status == 404
    assert site.ask("GET", f"{table.path}/help/why?move=0+0+2").json == {
        "lines": ["0 asks 0 for 0/2 is refused: players cannot ask themselves"]
    }
    assert site.ask("GET", f"{table.path}/help/chances").json["deals"] == "34650"
    known = site.ask("GET", f"{table.path}/help/know?formula=H0+0/0&why=1").json
    assert (known["known"], known["text"]) == (None, "H0 0/0 can be true or false")
    assert known["lines"][0] == "true if"
    known = site.ask("GET", f"{table.path}/help/know?formula=H0+0/0|true&why=1").json
    assert (known["known"], known["lines"]) == (
        True,
        ["no move matters: this was certain from the start"],
    )
    assert site.ask("GET", f"{table.path}/help/know?formula=H9+0/0").status == 422
    assert site.ask("GET", f"{table.path}/help/know").status == 422
    for query in ("move=?", "card=?"):
        assert site.ask("GET", f"{table.path}/help/why?{query}").status == 422


def test_why_about_a_card_explains_all_questions_for_it(site: Site) -> None:
    table = Table(site, help=True)
    path = f"{table.path}/help/why"
    lines = [site.ask("GET", f"{path}?move={seat}+0+2").json["lines"] for seat in (1, 2)]
    assert site.ask("GET", f"{path}?card=0/2").json["lines"] == [*chain(*lines)]


@pytest.mark.parametrize("seed", range(thorough(3, 30)))
def test_why_in_kwartet_is_true_of_the_cards_that_a_player_cannot_see(seed: int) -> None:
    """It names the owner if and only if no deal gives the card to another player."""
    random, rules = Random(seed), KwartetRules(KwartetSettings(3, 3))
    history = History(rules, rules.start(random))
    for _ in range(random.randrange(4, 12)):
        acting = rules.to_act(history.position)
        if acting:
            moves = list(rules.iter_moves(rules.view(history.position, acting[0])))
            history = history.play(acting[0], random.choice(moves))
    view = rules.view(history.position, random.randrange(3))
    for card in starmap(Card, product(range(3), range(4))):
        if not view.problem.sets[card.set_index].size:
            continue
        row = view.problem.sets[card.set_index]
        owners = [seat for seat in view.problem.may_own(*card) if deal(view.problem.with_set(
            card.set_index,
            SetConstraint(with_entry(row.owners, card.number, 1 << seat), row.low, row.high),
        ))]  # fmt: skip
        lines = kwartet_why(rules, view, "", {"card": str(card)})["lines"]
        if len(owners) == 1:
            assert lines[-1] == HENCE(card=card, who=owners[0])
        else:
            assert lines == [CAN_HAVE(card=card, who=owners)]


@pytest.mark.parametrize("seed", range(thorough(4, 40)))
def test_why_explains_the_last_forced_answer(seed: int) -> None:
    """It says the same as the explanation of that question at its moment."""
    random, game = Random(seed), Game.start(Settings(2, 3, 3))
    rules: Any = QuaternityRules(game.settings)
    wanted = ["No answer has been forced yet."]
    for _ in range(12):
        view = QuaternityPosition(game.state)
        assert why(rules, view, record_text(game), {})["lines"] == wanted
        if not game.state.legal_questions:
            break
        question = random.choice(list(game.state.legal_questions))
        answers = game.state.answers(question)
        if len(answers) == 1:
            text = rules.write(question)
            wanted = why(rules, view, record_text(game), {"move": text})["lines"]
            assert wanted != ["No answer has been forced yet."]
        game = game.play(GameMove(question, random.choice(answers)))


def test_programs_play(site: Site) -> None:
    table = Table(site, seats=["random", "informed", "random"], settings={**SMALL, "sets": 3})
    stream = site.listen(f"{table.path}/events", None)
    site.run(wait_until_idle(site, table.made["table"]))
    assert table.look()["outcome"] is not None
    site.rest()
    assert b"completes set" in b"".join(stream.parts[1:])


PROGRAM = f"cmd:{sys.executable} -I -S {Path(__file__).parents[1] / 'table/hostile.py'} "


@pytest.mark.parametrize("player", ["careful", f"{PROGRAM} moves_folder"])
def test_a_server_offers_the_programs_of_its_operator(player: str, tmp_path: Path) -> None:
    with open_site(tmp_path, players={("quarto", "mine"): player}) as site:
        games = {entry["game"]: entry for entry in site.ask("GET", "/api/games").json["games"]}
        assert "mine" in games["quarto"]["players"]
        assert "mine" not in games["kwartet"]["players"]
        for game, others in games.items():
            form = site.ask("GET", f"/new?game={game}").body.decode()
            assert (
                ('<option value="mine">' in form) == (game == "quarto") == ("mine" in str(others))
            )
        table = Table(site, game="quarto", settings={}, seats=["mine", "me"])
        site.run(wait_until_idle(site, table.made["table"]))
        assert table.look()["version"] == 1
        assert table.look()["seats"][0]["name"] == "mine"
        for game in ("quarto", "quaternity"):
            seats = ["me"] * (2 if game == "quarto" else 3)
            other = Table(site, game=game, settings={}, seats=seats)
            path = other.path.replace("/api/tables/", "/t/")
            page = site.ask("GET", path, token=other.tokens[0]).body.decode()
            assert ('<option value="mine">' in page) == (game == "quarto")


def test_a_program_that_does_not_play_with_these_settings_is_not_seated(tmp_path: Path) -> None:
    file = tmp_path / "2-2-2.tablebase"
    write_tablebase(file, solve(State.start(Settings(2, 2, 2))))
    wanted = {"game": "quaternity", "seats": ["best", "me"]}
    with open_site(tmp_path / "data", players={("quaternity", "best"): f"perfect:{file}"}) as site:
        for brisk, status in ((False, 201), (True, 422)):
            settings = {"set_size": 2, "sets": 2, "brisk": brisk}
            made = site.ask("POST", "/api/tables", wanted | {"settings": settings})
            assert made.status == status
        assert "program 'best' does not play with these settings" in made.json["error"]
        assert str(tmp_path) not in made.json["error"]


@pytest.mark.usefixtures("frozen_clock")
def test_exceeded_limits_are_reported(tmp_path: Path) -> None:
    limits = Limits.of(body=300, moves=2, tables=3, streams=1)
    with open_site(tmp_path, limits=limits) as site:
        table = Table(site)
        assert site.ask("POST", "/api/tables", {"game": "x" * 300}).status == 413
        assert table.move(0, "0 0 0", 0).status == 422
        assert table.move(0, "0 0 0", 0).status == 422
        assert table.move(0, "1 0 0", 0).status == 429
        assert table.move(1, "1 0 0", 0).status == 409
        site.listen(f"{table.path}/events", None)
        assert site.listen(f"{table.path}/events", None).parts[0][0] == 429
        assert site.ask("POST", "/api/tables", {}).status == 422
        assert site.ask("POST", "/api/tables", {}).status == 429


def test_the_guide_has_every_limit() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\d,]+) \|$", guide.page("serving").text, re.MULTILINE)
    numbers = Limits()._asdict() | Rates()._asdict()
    del numbers["rates"]
    assert {name: int(number.replace(",", "")) for name, number in rows} == numbers


def test_every_request_for_a_count_is_limited(tmp_path: Path) -> None:
    """The limit counts addresses, not tables, so more tables do not allow more counts."""
    with open_site(tmp_path, limits=Limits.of(counts=0)) as site:
        table = Table(site, help=True)
        words = ("chances", "questions", "why", "know?formula=true", "hint")
        page = table.path.replace("/api/tables/", "/t/")
        helps = [f"{start}/help/{word}" for start in (table.path, page) for word in words]
        requests = [
            *(("GET", path, None) for path in helps),
            ("POST", "/learn", b"quaternity 1\n"),
            ("POST", "/api/records", b"quaternity 1\n"),
            ("POST", "/api/tables", {**PEOPLE, "seats": ["me", "me", "search:2"]}),
            ("POST", f"{table.path}/hand-over", {"seat": 0, "player": "search:2"}),
        ]
        for method, path, sent in requests:
            answer = site.ask(method, path, sent, table.tokens[0])
            assert answer.status == 429, path
            assert b"per minute" in answer.body
        assert table.move(0, "1 0 2").status == 200


def test_only_the_player_to_move_gets_a_hint(site: Site) -> None:
    """Other visitors are refused, from whichever seat they look."""
    table = Table(site, help=True)
    for seat, wanted in product((None, 0, 1, 2), (None, 0, 1, 2)):
        path = f"{table.path}/help/hint" + ("" if wanted is None else f"?seat={wanted}")
        answer = site.ask("GET", path, token=None if seat is None else table.tokens[seat])
        allowed = seat == 0 and wanted in (None, 0)
        assert answer.status == (200 if allowed else 409 if wanted in (None, seat) else 403)


def test_the_memory_of_a_refused_upload_is_freed_at_once(site: Site) -> None:
    data = b"quarto 7\n" + b"# x\n" * 200_000
    gc.collect()
    gc.disable()
    try:
        assert site.ask("POST", "/api/records", data).status == 422
        tracemalloc.start()
        for _ in range(6):
            site.ask("POST", "/api/records", data)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert used < 3 * len(data)


def test_no_request_creates_more_tables_than_are_kept(tmp_path: Path) -> None:
    with open_site(tmp_path, limits=Limits.of(kept=1)) as site:
        made = site.ask("POST", "/api/tables", {"game": "quarto", "seats": ["me", "me"]}).json
        token, rematch = made["seats"][0]["token"], f"/api/tables/{made['table']}/again"
        for path, sent in (("/api/tables", PEOPLE), ("/api/records", {}), (rematch, {})):
            assert site.ask("POST", path, sent, token).status == 507, path


def test_the_program_of_the_guide_plays_a_game(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = re.findall(r"```python\n(.*?)```", guide.page("serving").text, re.DOTALL)[-1]
    program = tmp_path / "program.py"
    program.write_text(code.replace("127.0.0.1:8000", server.host))
    run_path(str(program))
    assert "'places': " in capsys.readouterr().out


def test_a_program_of_the_guide_plays_at_a_table_too(server: Server, tmp_path: Path) -> None:
    """It uses the loop that the page of the arena shows."""
    text = guide.page("arena").text
    for file in ("hoarder.py", "at_table.py"):
        (tmp_path / file).write_text(text.split(f"```python {file}\n")[1].split("```")[0])
    sys.path.insert(0, str(tmp_path))
    try:
        loop = importlib.import_module("at_table")
        wanted = {
            "game": "kwartet", "seats": ["me", "greedy", "greedy"],
            "settings": {"sets": 3}, "seed": 1,
        }  # fmt: skip
        with urlopen(
            Request(
                f"http://{server.host}/api/tables", json.dumps(wanted).encode(),
                {"Content-Type": "application/json"},
            )
        ) as answer:  # fmt: skip
            made = json.load(answer)
        url, token = f"http://{server.host}/api/tables/{made['table']}", made["seats"][0]["token"]
        loop.play(url, token, [sys.executable, str(tmp_path / "hoarder.py")])
        assert loop.ask(url, token)["outcome"]
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("at_table", None)
