"""Secrecy: for two deals that a seat cannot distinguish, everything that it receives is the same.

Two applications play the same moves from two deals which look alike to one seat (or to a bystander)
up to some moment: the second deal is drawn by `rules.like` at that moment and played back to its
start. Everything that the seat requests, now and before, must be the same bytes: answers,
pages, headers, errors, event streams. Random names, tokens and seeds are equal in both.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any, NamedTuple

import pytest

from quaternity.base.sentences import document
from quaternity.kwartet.position import Position
from quaternity.kwartet.rules import KwartetPosition, KwartetRules
from quaternity.table.games import registration
from quaternity.table.match import ChosenMove, choose_move_isolated
from quaternity.ternary.cards import CARDS
from quaternity.ternary.rules import MORE, SetMove, SetRules, SetSettings
from quaternity.ternary.tables import Rule
from quaternity.web.app import app
from quaternity.web.background import BackgroundWork
from quaternity.web.rate_limits import Limits
from tests.kwartet.games import random_settings
from tests.sizes import thorough
from tests.web.site import Listening, Page, Site

UNLIMITED = 10**9
PAIRS, MANY_PAIRS = thorough(3, 80), 3000
ASKED = thorough(30, 6)
"""Maximum number of requests per look; a run with many pairs needs only some each time."""


class Deal(NamedTuple):
    """A game up to some moment, and another start that one seat cannot distinguish from it.

    Attributes:
        seat: the seat that cannot distinguish them; None: a bystander.
        moves: the moves, each with the seat that makes it.
    """

    rules: Any
    start: Any
    other: Any
    seat: int | None
    moves: Sequence[tuple[int, Any]]


def kwartet(random: Random) -> KwartetRules:
    return KwartetRules(random_settings(random, range(2, 5), range(2, 6), max_cards=30))


def kwartet_start(rules: KwartetRules, start: Any, alike: Any) -> Any:
    """Return the start of a drawn deal: sets put down and cards that changed hands go back."""
    hands = [list(hand) for hand in alike.position.hands]
    for question, answer, announced in reversed(alike.events):
        for index in announced:
            hands[question.asker][index] = rules.settings.full
        if answer:
            bit = 1 << question.card.number
            hands[question.asker][question.card.set_index] ^= bit
            hands[question.asked][question.card.set_index] ^= bit
    for index, owner in enumerate(start.position.public.removed):
        if owner is not None:
            hands[owner][index] = rules.settings.full
    dealt = tuple(map(tuple, hands))
    return KwartetPosition(dealt, Position.start(rules.settings, dealt))


def ternary(random: Random) -> SetRules:
    rule, table = random.choice([*Rule]), random.choice([9, 12, 15])
    return SetRules(SetSettings(random.randint(2, 4), rule, table))


def ternary_start(rules: SetRules, start: Any, alike: Any) -> Any:
    """Return a start: the seen cards in the order in which they came, then the drawn deck."""
    seen = CARDS - len(alike.deck)
    return rules.start_of_deck((*(*start.seen.places, *start.deck)[:seen], *alike.deck))


GAMES: dict[str, tuple[Any, Any]] = {
    "kwartet": (kwartet, kwartet_start),
    "set": (ternary, ternary_start),
}
"""For each game with hidden cards: random rules, and a function that leads back to a start."""


def draw_move(rules: Any, view: Any, random: Random) -> Any:
    """Return a legal move; in SET often a correct one, so that the game continues."""
    if isinstance(rules, SetRules) and random.random() < 0.8:
        move = SetMove(random.choice(view.threes)) if view.threes else MORE
        if not rules.faults(view, move):
            return move
    return random.choice(list(rules.moves(view)))


def draw_deal(game: str, random: Random) -> Deal:
    """Return two deals that look alike after some random moves."""
    make, start_of = GAMES[game]
    while True:
        rules = make(random)
        start = position = rules.start(random)
        moves = []
        for _ in range(random.randrange(25)):
            acting = random.choice(list(rules.to_act(position)) or [None])
            if acting is None:
                break
            move = draw_move(rules, rules.view(position, acting), random)
            after = rules.after(position, acting, move)
            if not rules.to_act(after):
                break
            moves.append((acting, move))
            position = after
        if rules.to_act(position):
            break
    seat = random.choice([None, *range(rules.seats)])
    alike = rules.like(rules.view(position, seat), random)
    other = start_of(rules, start, alike)
    assert list(observe(rules, start, moves, seat)) == list(observe(rules, other, moves, seat))
    return Deal(rules, start, other, seat, moves)


def observe(rules: Any, position: Any, moves: Any, seat: int | None) -> Iterator[Any]:
    """Yield the views of a seat and all events from a start on."""
    yield rules.view(position, seat)
    for acting, move in moves:
        after = rules.after(position, acting, move)
        events = rules.events(position, acting, move, after)
        yield list(map(document, events)), rules.view(after, seat)
        position = after


class Twins:
    """Two applications that get the same requests.

    Attributes:
        starts: the start of the next table, for each application.
        made: every secret text of either application (they make the same ones).
    """

    def __init__(self, sites: Sequence[Site]) -> None:
        self.sites, self.active = sites, 0
        for site in sites:
            site.app.state.tables.store.secret = b"the same"
        self.starts: dict[int, Any] = {}
        self.counts = [count(), count()]
        self.made: set[str] = set()

    def guess(self, size: int) -> bytes:
        """Replace random bytes by bytes that are the same for both applications."""
        number = next(self.counts[self.active])
        return sha256(str(number).encode()).digest()[:size]

    def text(self, size: int) -> str:
        """Replace `secrets.token_urlsafe`."""
        made = f"R{self.guess(32).hex()}"[: -(-size * 4 // 3)]
        self.made.add(made)
        return made

    def hex(self, size: int) -> str:
        """Replace `secrets.token_hex`, which makes the seeds."""
        made = self.guess(size).hex()
        self.made.add(made)
        return made

    def start(self, original: Any) -> Any:
        """Replace the `start` of a game."""

        def start(rules: Any, random: Random) -> Any:
            return self.starts.pop(self.active, None) or original(rules, random)

        return start

    def ask(self, *arguments: Any, **more: Any) -> tuple[Page, Page]:
        """Return the answers of both."""
        answers = []
        for number, site in enumerate(self.sites):
            self.active = number
            answers.append(site.ask(*arguments, **more))
        return answers[0], answers[1]

    def listen(self, path: str, token: str | None) -> tuple[Listening, Listening]:
        """Open a stream of both."""
        streams = []
        for number, site in enumerate(self.sites):
            self.active = number
            streams.append(site.listen(path, token))
        return streams[0], streams[1]


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    """Run two applications, whose programs and counts run in this process."""

    async def run_count(
        thinking: BackgroundWork, function: Any, *arguments: Any, kind: str = ""
    ) -> Any:
        return function(*arguments)

    async def run_plan(
        thinking: BackgroundWork, rules: Any, name: str, seat: int, *seen: Any
    ) -> ChosenMove[Any] | None:
        steps, view, random = seen
        text, seconds = choose_move_isolated(rules, name, seat, steps, view, random)
        return None if text is None else ChosenMove(seconds, seat, rules.read(text, view))

    limits = Limits.of(
        moves=UNLIMITED,
        tables=UNLIMITED,
        counts=UNLIMITED,
        kept=UNLIMITED,
        streams=UNLIMITED,
        pages=UNLIMITED,
    )
    folders = [tmp_path_factory.mktemp("twin") for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        sites = [Site(app(str(folder), limits=limits)) for folder in folders]
        twins = Twins(sites)
        patch.setattr("secrets.token_urlsafe", twins.text)
        patch.setattr("secrets.token_hex", twins.hex)
        patch.setattr(BackgroundWork, "count", run_count)
        patch.setattr(BackgroundWork, "plan", run_plan)
        for rules in (KwartetRules, SetRules):
            patch.setattr(rules, "start", twins.start(rules.start))
        with sites[0], sites[1]:
            yield twins


class Viewer:
    """A viewer that cannot distinguish the deals, with everything received from both applications.

    Attributes:
        got: all bytes received so far.
        own: the texts that the viewer may see.
    """

    def __init__(self, twins: Twins) -> None:
        self.twins, self.got, self.own = twins, bytearray(), set[str]()
        self.headers: dict[str, str] = {}

    def ask(self, method: str, path: str, document: Any = None) -> Page:
        """Send a request to both; the answers must be equal."""
        first, second = self.twins.ask(method, path, document, headers=self.headers)
        assert first == second, f"{method} {path}"
        assert first.status < 500, first
        self.got += repr(first.headers).encode() + first.body
        self.own.update(
            value.decode().partition(";")[0].partition("=")[2][:22]
            for name, value in first.headers
            if name == b"set-cookie"
        )
        return first


class Play:
    """One table of both applications, played move by move from two deals that look alike."""

    def __init__(self, twins: Twins, deal: Deal, wanted: str) -> None:
        self.twins, self.deal = twins, deal
        self.viewer = viewer = Viewer(twins)
        settings = json.loads(json.dumps(settings_of(deal.rules)))
        document = {"game": deal.rules.name, "settings": settings, "help": True,
                    "seats": ["me", *[wanted] * (deal.rules.seats - 1)]}  # fmt: skip
        starts = {0: deal.start, 1: deal.other}
        twins.starts = {} if wanted == "open" else starts
        made, other = twins.ask("POST", "/api/tables", document)
        twins.starts = starts  # a waiting table is dealt when the last player has come
        assert made.status == 201, made
        assert made == other
        self.table, self.tokens = made.json["table"], [made.json["seats"][0]["token"]]
        cookies = [made]
        invitations = []
        for seat in made.json["seats"][1:]:
            if seat["invitation"] is None:
                continue
            invitations.append(seat["invitation"].rpartition("/")[2])
            guest = {"invitation": seat["invitation"], "name": f"guest {seat['seat']}"}
            sat, other = twins.ask("POST", "/api/seats", guest)
            assert sat.status == 201, sat
            assert sat == other
            self.tokens.append(sat.json["token"])
            cookies.append(sat)
        viewer.own.add(self.table)
        if deal.seat is not None and deal.seat < len(self.tokens):
            cookie = dict(cookies[deal.seat].headers)[b"set-cookie"].decode().partition(";")[0]
            viewer.headers = {"cookie": cookie}
            viewer.own |= {self.tokens[deal.seat], cookie.partition("=")[2][:22]}
            if not deal.seat:
                viewer.own |= set(invitations)
        self.watched = twins.listen(
            self.path("/events"), None if deal.seat is None else self.tokens[deal.seat]
        )
        self.invitations = invitations
        self.version, self.undone = 0, False
        for token in self.tokens:
            twins.ask("GET", self.path(), token=token)

    def path(self, rest: str = "") -> str:
        """Return the path of a request about the table."""
        return f"/api/tables/{self.table}{rest}"

    def move(self, seat: int, move: Any) -> None:
        """Make a move in both."""
        document = {"version": self.version, "id": str(self.version),
                    "move": self.deal.rules.write(move)}  # fmt: skip
        if seat == self.deal.seat:
            answer = self.viewer.ask("POST", self.path("/moves"), document)
        else:
            answer, other = self.twins.ask(
                "POST", self.path("/moves"), document, token=self.tokens[seat]
            )
            assert answer.status == other.status
        assert answer.status == 200, answer
        self.version += 1

    def undo(self) -> None:
        """Let all players agree to take the last move back."""
        self.undone = True
        for seat, token in enumerate(self.tokens):
            document = {"version": self.version, "agree": True}
            if seat == self.deal.seat:
                self.viewer.ask("POST", self.path("/undo"), document)
            else:
                answer, other = self.twins.ask("POST", self.path("/undo"), document, token=token)
                assert (answer.status, other.status) == (200, 200), answer
        self.version += 1

    def look(self, random: Random) -> None:
        """Request everything that exists, and some things that do not."""
        ask, page = self.viewer.ask, f"/t/{self.table}"
        other = random.randrange(self.deal.rules.seats)
        paths = [
            self.path(), self.path("/record"), page, f"{page}/part",
            f"{page}/part?at={random.randint(0, self.version)}",
            f"{page}/at/{random.randint(0, self.version)}", f"{page}?seat={other}",
            f"{page}/at/0?seat={other}", self.path(f"?seat={other}"), self.path("?seat=99"),
            self.path(f"/record?seat={other}"), *self.helps(other),
            *(f"/join/{invitation}" for invitation in self.invitations),
        ]  # fmt: skip
        for path in random.sample(paths, min(ASKED, len(paths))):
            ask("GET", path)
        for text in (
            "0 asks 1 for 0/0",
            f"{other} 0/1",
            "claim 0 1 2",
            "more",
            "xyz",
            "claim 0 0 0",
        ):
            if not self.legal(text):
                document = {"version": self.version, "id": text, "move": text}
                ask("POST", self.path("/moves"), document)
        stale = {"version": self.version + 1, "id": "stale", "move": "more"}
        if self.deal.rules.name == "kwartet":
            ask("POST", self.path("/moves"), stale)
        for invitation in self.invitations:
            ask("POST", "/api/seats", {"invitation": invitation, "name": "late"})

    def helps(self, other: int) -> Iterator[str]:
        """Yield the paths of all kinds of help."""
        words = [*registration(self.deal.rules.name).helpers, "hint", "nothing"]
        for prefix in (self.path(), f"/t/{self.table}"):
            for word in words:
                yield f"{prefix}/help/{word}?formula=H{other}%200/0&why=1&over_time=1"
            yield f"{prefix}/help/chances?read=1"

    def legal(self, text: str) -> bool:
        """Return whether the seat may make a move."""
        rules, seat = self.deal.rules, self.deal.seat
        if seat is None or seat not in rules.to_act(self.position):
            return False
        view = rules.view(self.position, seat)
        try:
            return not rules.faults(view, rules.read(text, view))
        except ValueError:
            return False

    @property
    def position(self) -> Any:
        """The position in the first application."""
        position = self.deal.start
        moves = self.deal.moves[: -1 if self.undone else self.version]
        for seat, move in moves:
            position = self.deal.rules.after(position, seat, move)
        return position

    def end(self) -> None:
        """Check that the streams are equal, and that nothing contains a secret."""
        for site in self.twins.sites:
            site.rest()
        # Comments depend on the time, and reveal nothing.
        first, second = (
            (listening.parts[0], b"".join(listening.parts[1:]).replace(b":\n\n", b""))
            for listening in self.watched
        )
        assert first == second
        for listening in self.watched:
            listening.leave()
        got = bytes(self.viewer.got) + repr(first).encode()
        for text in self.twins.made - self.viewer.own:
            place = got.find(text.encode())
            assert place < 0, f"a secret was sent: {got[max(0, place - 300) : place + 60]!r}"
            assert sha256(text.encode()).hexdigest().encode() not in got
        self.twins.made.clear()


def settings_of(rules: Any) -> dict[str, Any]:
    """Return the settings as a request names them."""
    return {name: getattr(rules.settings, name) for name in rules.settings.__slots__}


def compare_deals(twins: Twins, game: str, seeds: Iterable[int]) -> None:
    """Play and look, with one pair of deals for each seed."""
    for number in seeds:
        random = Random(f"{game}/{number}")
        deal = draw_deal(game, random)
        play = Play(twins, deal, "open")
        look_at = random.randint(0, len(deal.moves))
        for made, (seat, move) in enumerate(deal.moves):
            if made == look_at:
                play.look(random)
            play.move(seat, move)
        play.look(random)
        if deal.moves and random.random() < 0.3:
            play.undo()
            play.look(random)
        play.end()


@pytest.mark.parametrize("game", GAMES)
def test_deals_that_look_alike_give_the_same_bytes(
    twins: Twins, game: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    compare_deals(twins, game, range(PAIRS))
    assert not [record for record in caplog.records if record.name != "asyncio"]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_thousands_of_deals_that_look_alike_give_the_same_bytes(twins: Twins, game: str) -> None:
    compare_deals(twins, game, range(PAIRS, PAIRS + MANY_PAIRS))
