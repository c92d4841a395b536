"""Idempotence: whatever clients repeat or send together, a table has one history."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from quaternity.ternary.tables import Rule
from quaternity.ternary.triples import is_triple, triples
from quaternity.web.app import app
from quaternity.web.rate_limits import Limits
from tests.limits import limited
from tests.sizes import thorough
from tests.web.server import Server
from tests.web.site import Site
from tests.web.wire import Answer, Clients, Made

SMALL = {"set_size": 4, "sets": 3, "players": 3}
FIRST = "0 asks 1 for 0/0"


MUCH = Limits.of(tables=10**6, moves=10**6, counts=10**6, pages=10**6)


class StreamChecker:
    """A stream's reports of a table; checks that every move comes once, in order."""

    def __init__(self) -> None:
        self.version = 0
        self.changed = asyncio.Event()

    def __call__(self, kind: str, name: str, data: str) -> None:
        if kind == "move" and int(name):
            assert json.loads(data)["version"] == int(name) == self.version + 1
            self.version += 1
            self.changed.set()

    async def reach(self, version: int) -> None:
        """Wait until a version was reported."""
        while self.version < version:
            await self.changed.wait()
            self.changed.clear()


async def make_move(
    clients: Clients, table: Made, seat: int, version: int, text: str, name: str
) -> Answer:
    """Make a move on a separate connection."""
    line = await clients.line()
    document = {"version": version, "id": name, "move": text}
    return await line.ask("POST", table.path("/moves"), document, table.tokens[seat])


async def read_state(clients: Clients, table: Made, seat: int | None = 0) -> Any:
    """Return the state of a table as a seat sees it."""
    line = await clients.line()
    token = None if seat is None else table.tokens[seat]
    answer = await line.ask("GET", table.path(), token=token)
    assert answer.status == 200, answer
    return answer.json


def test_clients_that_hammer_a_table_never_fork_it(server: Server) -> None:
    """All clients make different moves in the same position at once: one of them is made."""

    async def hammer(clients: Clients, count: int) -> None:
        table = await clients.table("quaternity", SMALL, ["me", "open", "open"])
        streams = [StreamChecker() for _ in range(5)]
        for number, checker in enumerate(streams):
            await clients.stream(table, number if number < 3 else None, checker)
        lines = [await clients.line() for _ in range(count)]
        random = Random(3)
        rules = QuaternityRules(Settings(4, 3, 3))
        position = rules.start(random)
        version = 0
        statuses: Counter[int] = Counter()
        while acting := rules.to_act(position):
            moves = list(rules.moves(rules.view(position, acting[0])))
            tried = [random.choice(moves) for _ in lines]
            answers = await asyncio.gather(
                *(
                    line.ask(
                        "POST",
                        table.path("/moves"),
                        {"version": version, "id": f"{number}-{version}", "move": rules.write(act)},
                        table.tokens[acting[0] if number % 4 else (acting[0] + 1) % 3],
                    )
                    for number, (line, act) in enumerate(zip(lines, tried, strict=True))
                )
            )
            made = [number for number, answer in enumerate(answers) if answer.status == 200]
            assert len(made) == 1, "one of them is made"
            assert answers[made[0]].json == {"version": version + 1}
            statuses.update(answer.status for answer in answers)
            position = rules.after(position, acting[0], tried[made[0]])
            version += 1
        assert statuses.keys() == {200, 409}
        await asyncio.wait_for(asyncio.gather(*(checker.reach(version) for checker in streams)), 60)
        shown = await read_state(clients, table)
        assert shown["version"] == version
        assert shown["view"] == json.loads(json.dumps(rules.view_json(position)))

    run(server, lambda clients: hammer(clients, thorough(20, 200)))


def test_an_old_version_gets_the_new_one_and_changes_nothing(server: Server) -> None:
    async def late(clients: Clients) -> None:
        table = await clients.table("quaternity", SMALL, ["me", "open", "open"])
        assert (await make_move(clients, table, 0, 0, FIRST, "a")).status == 200
        for version in (0, 2, 99):
            answer = await make_move(clients, table, 1, version, "yes", f"b{version}")
            assert (answer.status, answer.json["version"]) == (409, 1), version
        answer = await make_move(clients, table, 0, 1, "yes", "c")
        assert answer.status == 409, "it is not this seat's turn"
        answer = await make_move(clients, table, 1, 1, "0 asks 1 for 0/1", "d")
        assert answer.status == 422
        assert answer.json["faults"]
        assert (await read_state(clients, table))["version"] == 1

    run(server, late)


@pytest.mark.parametrize("seats", [2, thorough(3, 8)])
def test_a_set_claimed_by_all_in_the_same_moment_is_taken_once(server: Server, seats: int) -> None:
    """Claims name the same version; the first takes the cards, and the others lose nothing."""

    async def claim(clients: Clients) -> None:
        wanted = ["me", *["open"] * (seats - 1)]
        table = await clients.table("set", {"seats": seats}, wanted, help=False)
        for _ in range(thorough(2, 20)):
            shown = await read_state(clients, table, None)
            places = shown["view"]["table"]
            claimable = triples(places, Rule.SET)
            if not claimable:
                break
            text = f"claim {' '.join(map(str, claimable[0]))}"
            version = shown["version"]
            answers = await asyncio.gather(
                *(
                    make_move(clients, table, seat, version, text, f"{version}-{seat}")
                    for seat in range(seats)
                )
            )
            statuses = sorted(answer.status for answer in answers)
            assert statuses == [200, *[409] * (seats - 1)]
            after = await read_state(clients, table, None)
            assert after["version"] == version + 1
            assert after["view"]["wrong"] == shown["view"]["wrong"]
            took = [len(threes) for threes in after["view"]["taken"]]
            assert sum(took) == 1 + sum(len(threes) for threes in shown["view"]["taken"])

    run(server, claim)


def test_claims_of_different_cards_made_in_one_position_all_count(server: Server) -> None:
    """SET judges a claim by the present position: the named cards are still there."""

    async def claim(clients: Clients) -> None:
        table = await clients.table("set", {"seats": 2}, ["me", "open"])
        places = sorted((await read_state(clients, table))["view"]["table"])
        wrong = [three for three in combinations(places, 3) if not is_triple(*three, Rule.SET)][:2]
        answers = await asyncio.gather(
            *(
                make_move(clients, table, seat, 0, f"claim {' '.join(map(str, three))}", "claim")
                for seat, three in enumerate(wrong)
            )
        )
        assert [answer.status for answer in answers] == [200, 200]
        shown = await read_state(clients, table)
        assert shown["view"]["wrong"] == [1, 1]
        assert shown["version"] == 2

    run(server, claim)


@limited("quaternity.web.live_tables", MAX_CACHED_TABLES=0)
def test_a_table_that_is_dropped_and_reloaded_never_exists_twice(tmp_path: Path) -> None:
    """More tables than are cached are played at once: none of them exists twice."""
    count = thorough(6, 60)
    with Site(app(str(tmp_path), limits=MUCH)) as site:
        wanted = {"game": "quaternity", "settings": SMALL, "seats": ["me", "me", "me"]}
        names, tokens = [], []
        for _ in range(count):
            made = site.ask("POST", "/api/tables", wanted).json
            names.append(made["table"])
            tokens.append([seat["token"] for seat in made["seats"]])
        rules = QuaternityRules(Settings(4, 3, 3))
        positions = [rules.start(Random(0))] * count
        for version in range(thorough(8, 13)):
            random = Random(version)
            sent: list[tuple[Any, ...]] = []
            for number in range(count):
                acting = rules.to_act(positions[number])
                if not acting:
                    continue
                seat = acting[0]
                move = random.choice(list(rules.moves(rules.view(positions[number], seat))))
                positions[number] = rules.after(positions[number], seat, move)
                document = {"version": version, "id": str(version), "move": rules.write(move)}
                path = f"/api/tables/{names[number]}"
                sent += [("POST", f"{path}/moves", document, tokens[number][seat])] * 2
                sent += [("GET", path)] * random.randrange(5)
            for answer in site.ask_at_once(sent, random):
                assert answer.status == 200, answer
                assert answer.json["version"] in (version, version + 1)
        for number, name in enumerate(names):
            shown = site.ask("GET", f"/api/tables/{name}").json
            assert shown["view"] == json.loads(json.dumps(rules.view_json(positions[number])))


def run(server: Server, act: Any) -> None:
    """Run a coroutine function with clients of a server."""

    async def run_all() -> None:
        async with Clients(server.host) as clients:
            await act(clients)

    asyncio.run(run_all())
