"""One queue: board, scores, headline and announcements follow the events together, in order.

Whole games with bad luck are followed by answers, faults and absences at the worst moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from quaternity.ternary import all_triples
from quaternity.web.drawing.questions import draw_question
from quaternity.web.drawing.words import page_words
from quaternity.web.seats import PERSON, Seat
from tests.sizes import thorough
from tests.web.browser.people import FAST, PHONE, Person
from tests.web.browser.recording import Witness
from tests.web.server import BUSY, Server

if TYPE_CHECKING:
    pass


GAMES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "quaternity": ({"set_size": 3, "sets": 4, "players": 3}, ["me", "open", "informed"]),
    "kwartet": ({"players": 3, "sets": 6}, ["me", "open", "greedy"]),
    "quarto": ({}, ["me", "open"]),
    "set": ({"seats": 3}, ["me", "open", "quick"]),
}

HIDE = """hidden => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
}"""
"""Script: the page is hidden, as on a phone that sleeps, or shown again."""


NOTE_NEXT_VERSION = """() => {
  const part = document.getElementById('part'), before = part.dataset.version;
  globalThis.reached = null;
  new MutationObserver((_, seen) => {
    if (part.dataset.version === before) return;
    globalThis.reached = Number(part.dataset.version);
    seen.disconnect();
  }).observe(part, { attributeFilter: ['data-version'] });
}"""
"""Script that records the next version of the page as soon as the page shows it."""


class Evening:
    """A game of two people and a program, in which luck is bad.

    One more browser is of a bystander without animations, or of a player with two devices.

    Attributes:
        went: for each person, the versions to which they went without watching the moves before.
    """

    def __init__(self, server: Server, game: str, person: Callable[..., Witness]) -> None:
        self.server, self.random = server, Random(5)
        settings, seats = GAMES[game]
        self.ann = person(Witness, host=server.host)
        self.ben = person(Witness, host=server.host, **PHONE)
        self.table, links = self.ann.table(game, settings, seats, name="Ann")
        self.ben.join(links[0], "Ben")
        options: list[dict[str, Any]] = [{"reduced_motion": "reduce"}, {"same_as": self.ann}]
        wanted = thorough([options[game == "quarto"]], options)
        others = [person(Witness, host=server.host, **chosen) for chosen in wanted]
        self.people = [self.ann, self.ben, *others]
        for viewer in others:
            viewer.page.goto(f"/t/{self.table}")
        for viewer in self.people:
            viewer.page.wait_for_selector("body.ready")
        self.went: dict[Witness, list[int]] = {viewer: [] for viewer in self.people}

    def look(self) -> Any:
        """Return the state of the table."""
        return self.ann.ask("GET", f"/api/tables/{self.table}")

    def move_at_once(self, count: int) -> None:
        """Make moves of the people, without their pages."""
        for number in range(count):
            state = self.look()
            movers = [seat for seat in state["to_act"] if seat < 2]
            if not movers:
                return
            seat = self.random.choice(movers)
            person = (self.ann, self.ben)[seat]
            moves = person.ask("GET", f"/api/tables/{self.table}?seat={seat}")["moves"]
            sent = {"version": state["version"], "id": f"{state['version']}/{number}"}
            answer = person.context.request.post(
                f"/api/tables/{self.table}/moves",
                data={**sent, "move": self.random.choice(moves)},
                headers={"Origin": f"http://{self.server.host}"},
                max_retries=3,
            )
            assert answer.status in (200, 409), answer.text()  # a program may be faster

    def tap(self, person: Witness) -> None:
        """Tap on the board, which may show a moment."""
        person.page.locator("[data-board]").dispatch_event("click")

    def sleep(self, person: Witness) -> None:
        """Let others move while a page is hidden, and then return to the page."""
        person.page.evaluate(HIDE, True)
        for _ in range(4):
            self.move_at_once(4)
        now = self.look()["version"]
        person.page.evaluate(HIDE, False)
        self.come_back(person, now)

    def come_back(self, person: Witness, now: int) -> None:
        """Choose whether to watch the moves, if the page asks."""
        person.page.wait_for_function(
            """now => !document.getElementById('offer').hidden
              || Number(document.getElementById('part').dataset.version) >= now""",
            arg=now,
        )
        offer = person.page.locator("#offer:not([hidden])")
        if not offer.count():
            return
        before = person.version

        def count_moves() -> int:
            return int(offer.locator("p").inner_text().split()[0])

        assert count_moves() > 10
        person.wait_until(lambda: before + count_moves() >= now)  # a program may move meanwhile
        watches = self.random.random() < 0.5
        person.page.evaluate(NOTE_NEXT_VERSION)
        offer.locator("button").nth(int(not watches)).click()
        if not watches:
            reached = person.page.wait_for_function("() => globalThis.reached")
            self.went[person].append(reached.json_value())

    def undo(self) -> None:
        """Let both people take back the last move."""
        for person in self.people:
            person.learn()
        version = self.look()["version"]
        for person in (self.ann, self.ben):
            person.context.request.post(
                f"/api/tables/{self.table}/undo",
                data={"version": version, "agree": True},
                headers={"Origin": f"http://{self.server.host}"},
                max_retries=3,
            )

    def break_stream(self) -> None:
        """Kill the server in mid-event, and start it again."""
        self.server.kill()
        self.server.start()

    def act(self, action: str) -> None:
        """Do something that a player does, or have bad luck."""
        for viewer in self.people:
            if viewer.page.locator("#offer:not([hidden])").count():
                self.come_back(viewer, 0)
        person = self.random.choice(self.people)
        if action == "move":
            for mover in (self.ann, self.ben):
                mover.sees(self.look()["version"])  # An outdated page may change during the move.
                if mover.page.locator(".bar.yours, .set-form").count():
                    mover.move(self.random)
                    break
        elif action == "burst":
            self.move_at_once(self.random.choice([1, 2, 2, 10]))
        elif action == "tap":
            self.tap(person)
        elif action == "reload":
            person.reload()
            self.come_back(person, self.look()["version"])
        else:
            self.sleep(person)


@pytest.mark.parametrize("game", thorough(["kwartet", "quarto"], list(GAMES)))
def test_nothing_is_shown_before_its_event_and_every_event_once(
    game: str, person: Callable[..., Witness], server: Server, tmp_path: Path
) -> None:
    dies = game == "kwartet"
    with Server(tmp_path / "data", *BUSY) if dies else nullcontext(server) as used:
        evening = Evening(used, game, person)
        actions = ["move", "burst", "tap", "reload", "sleep", "move"] * thorough(1, 10)
        evening.random.shuffle(actions)
        for step, action in enumerate(actions):
            if evening.look()["outcome"] is not None:
                break
            evening.act(action)
            if step % 5 == 2 and game == "quarto":  # where no program moves meanwhile
                evening.undo()
            if step == 3 and dies:
                evening.break_stream()
        # The program finishes its move.
        state = evening.look()
        for viewer in evening.people:
            viewer.page.wait_for_selector("body:not(.lost)")
            evening.come_back(viewer, state["version"])
            viewer.sees(state["version"])
        version = evening.look()["version"]
        for viewer in evening.people:
            viewer.sees(version)
            assert viewer.order_faults(evening.went[viewer]) == []


ANIMATED = """(() => {
  globalThis.animated = [];
  globalThis.flights = {};
  const animate = Element.prototype.animate;
  const middle = ({ left, top, width, height }) =>
    [left + width / 2, top + height / 2].map(Math.round);
  Element.prototype.animate = function (...how) {
    const version = Number(document.getElementById('live').lastElementChild.dataset.version);
    animated.push(version);
    if (this.matches('.flyer')) {
      // Look where the flight begins, whatever the styles of the page do with its key frame.
      const probe = this.cloneNode(true);
      Object.assign(probe.style, { ...how[0][0] });
      document.body.append(probe);
      (flights[version] ??= []).push(middle(probe.getBoundingClientRect()));
      probe.remove();
    }
    return animate.apply(this, how);
  };
})()"""
"""Script: notes the last announced version at the beginning of each animation, and the middle of
each card or piece at the beginning of its flight."""

MIDDLE = """one => {
  const { left, top, width, height } = one.getBoundingClientRect();
  return [left + width / 2, top + height / 2].map(Math.round);
}"""

ICON_CHANGES = """() => {
  globalThis.changes = [];
  const icon = document.querySelector('link[rel=icon]');
  new MutationObserver(() => changes.push(icon.href)).observe(icon, { attributes: true });
}"""
"""Script: notes each change of the icon of the page, which shows whose turn it is."""


class Held:
    """Requests of a page that are held until they are released."""

    def __init__(self, person: Person, pattern: str) -> None:
        self.person, self.pattern, self.routes = person, pattern, list[Any]()
        person.context.route(pattern, lambda route: self.routes.append(route))

    def wait(self) -> None:
        """Wait until a request is held."""
        self.person.wait_until(lambda: self.routes)

    def release(self) -> None:
        """Send the held requests."""
        for route in self.routes:
            route.continue_()
        self.person.context.unroute(self.pattern)


def play(person: Person, table: str, count: int = 1) -> Any:
    """Make random moves for all seats of a person, and return the state of the table."""
    random = Random(count)
    for _ in range(count):
        state = person.ask("GET", f"/api/tables/{table}")
        (seat,) = state["to_act"]
        moves = person.ask("GET", f"/api/tables/{table}?seat={seat}")["moves"]
        sent = {"version": state["version"], "id": str(state["version"]), "seat": seat}
        move = random.choice(moves)
        person.ask("POST", f"/api/tables/{table}/moves", {**sent, "move": move})
    return person.ask("GET", f"/api/tables/{table}")


def let_answers_arrive(person: Person) -> None:
    """Let the page of a person do what follows from the answers that it has got."""
    for _ in range(20):
        person.page.evaluate("() => fetch('/healthz').then(() => null)")


def test_replies_are_animated_if_the_answer_to_a_move_comes_late(
    person: Callable[..., Witness],
) -> None:
    ann = person(Witness)
    ann.page.add_init_script(ANIMATED)
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    answers = list[tuple[Any, Any]]()
    ann.context.route("**/moves", lambda route: answers.append((route, route.fetch())))
    reply = Held(ann, "**/part?*at=2*")
    begins = ann.page.locator("#give-A").evaluate(MIDDLE)
    ann.press(ann.page.locator("#give-A"))
    ann.wait_until(lambda: answers)
    ann.page.wait_for_function("() => animated.includes(1)")
    play(ann, table)
    reply.wait()
    ann.sees(1)
    (route, answer), = answers  # fmt: skip
    route.fulfill(response=answer)
    ann.page.wait_for_function(f"() => sessionStorage['quaternity-move-{table}'] === 'null'")
    let_answers_arrive(ann)
    placed = ann.page.locator(".in-hand svg").evaluate(MIDDLE)
    reply.release()
    ann.page.wait_for_function("() => flights[2]")
    # Pieces fly from their places: the first one from the tray, and then to its cell.
    flights = ann.page.evaluate("flights")
    assert (flights["1"][0], flights["2"][0]) == (begins, placed)


def test_a_move_that_is_sent_again_waits_for_the_moments_before_it(
    person: Callable[..., Witness],
) -> None:
    ann = person(Witness)
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    play(ann, table)
    ann.sees(1)
    moves = ann.ask("GET", f"/api/tables/{table}?seat=1")["moves"]
    body = {"version": 1, "id": "sent again", "seat": 1, "move": moves[0]}
    ann.page.goto("/healthz")  # a page that stores nothing itself
    ann.page.evaluate(
        """([table, body]) => {
          sessionStorage[`quaternity-move-${table}`] = JSON.stringify(body);
          localStorage['quaternity-seen'] = JSON.stringify({ [table]: 0 });
        }""",
        [table, body],
    )
    before = Held(ann, "**/part?*at=0*")
    ann.page.goto(f"/t/{table}")
    ann.page.wait_for_function(f"() => sessionStorage['quaternity-move-{table}'] === 'null'")
    before.wait()
    let_answers_arrive(ann)
    before.release()
    ann.page.wait_for_selector("body.ready")
    ann.sees(2)
    assert ann.order_faults() == []


def test_a_fault_of_an_animation_does_not_stop_the_game(person: Callable[..., Witness]) -> None:
    ann, eve = person(Witness), person(Witness)
    table, _ = ann.table("quarto", {}, ["me", "me"], name="Ann")
    eve.page.add_init_script("Element.prototype.animate = () => { throw Error('broken'); }")
    eve.page.goto(f"/t/{table}")
    eve.page.wait_for_selector("body.ready")
    play(ann, table, 3)
    eve.sees(3)
    assert eve.order_faults() == []
    assert eve.faults
    assert all("broken" in fault for fault in eve.faults)
    eve.faults.clear()


@pytest.mark.parametrize("first", [False, True])
def test_a_scene_begins_when_the_cards_have_their_sizes(
    first: bool, person: Callable[..., Witness]
) -> None:
    """The board may have changed just before the moment, or at its beginning (`first`)."""
    ann = person(Witness)
    ann.table("quaternity", GAMES["quaternity"][0], ["me", "me", "me"], name="Ann")
    ann.page.wait_for_selector("body.ready #part.fitted")
    before, after = ann.page.evaluate(
        """async (first) => {
            const { src } = document.querySelector('script[type="module"]');
            const { fit } = await import(new URL("fitting.js", src));
            const { playMoment } = await import(new URL("moments.js", src));
            const part = document.getElementById("part");
            const change = () => { part.querySelector("[data-fit]").dataset.fit = "1 1"; fit(); };
            const before = part.style.cssText;
            if (!first) change();
            playMoment({ scenes: [[]] }, first ? change : () => {}, { length: 10000, first });
            return [before, part.style.cssText];
        }""",
        first,
    )
    assert before
    assert after != before
    assert "--columns: 1; --abreast: 1;" in after


MAX_LAYOUTS = 6
"""Maximum number of layouts that the browser computes at the beginning of a moment."""


def test_a_moment_measures_the_cards_before_it_changes_the_page(
    person: Callable[..., Witness],
) -> None:
    ann = person(Witness)
    ann.table("set", {"seats": 2}, ["me", "me"], name="Ann")
    ann.page.wait_for_selector("body.ready .set-card")
    session = ann.context.new_cdp_session(ann.page)
    session.send("Performance.enable")

    def count_layouts() -> int:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(int(entry["value"]) for entry in metrics if entry["name"] == "LayoutCount")

    def count_at_beginning() -> int:
        before = count_layouts()
        copies, shown = ann.page.evaluate(
            """async () => {
                const { src } = document.querySelector('script[type="module"]');
                const { playMoment } = await import(new URL("moments.js", src));
                const cards = [1, 2, 3].map((place) => `.set-card:nth-child(${place})`);
                const compare = ["compare", cards, [["colour", true]]];
                const scenes = [[compare], [["gather", cards, "#seat0"]]];
                playMoment({ scenes }, () => {}, { length: 10000 });
                const count = (what) => document.querySelectorAll(what).length;
                return [count(".flyer"), count(".flyer:not([hidden])")];
            }"""
        )
        assert (copies, shown) == (6, 3)
        return count_layouts() - before

    # Something else, such as a clock, may also compute a layout.
    assert min(count_at_beginning() for _ in range(5)) <= MAX_LAYOUTS


def test_the_verdicts_on_a_claim_do_not_cover_a_message(person: Callable[..., Witness]) -> None:
    """A player whose claim was too late gets a message while the other claim is shown."""
    ann = person(Witness, **PHONE)
    ann.table("set", {"seats": 2}, ["me", "me"], name="Ann")
    ann.page.wait_for_selector("body.ready .set-card")
    verdicts, message = ann.page.evaluate(
        """async () => {
            const { src } = document.querySelector('script[type="module"]');
            const { complain } = await import(new URL("page.js", src));
            const { playMoment } = await import(new URL("moments.js", src));
            complain("Not played: another player was faster; ".repeat(2));
            const texts = ["Shape", "Colour", "Shading", "Number"].map((one) => [one, true]);
            const scenes = [[["compare", [".set-card"], texts]]];
            playMoment({ scenes }, () => {}, { length: 10000 });
            const box = (what) => document.querySelector(what).getBoundingClientRect();
            return [box(".verdicts").bottom, box("#faults").top];
        }"""
    )
    assert 0 < verdicts <= message


@pytest.mark.parametrize(("seat", "view", "place"), [
    (0, "tiles", "[data-hand] .tile.own"), (0, "matrix", "#seat0"), (1, "tiles", "#seat1"),
])  # fmt: skip
def test_a_card_leaves_the_hand_that_the_page_shows(
    seat: int, view: str, place: str, person: Callable[..., Witness]
) -> None:
    ann = person(Witness)
    ann.table("kwartet", {"players": 3, "sets": 6}, ["me", "greedy", "greedy"], name="Ann")
    ann.page.wait_for_selector("body.ready .tile.own")
    tile = ann.page.get_attribute(".tile.own", "data-card") or ""
    card = tuple(map(int, tile.split("/")))
    about = {"asker": 2, "asked": seat, "card": card, "answer": "yes"}
    words = page_words("animals", [Seat(PERSON, "Ann"), Seat(PERSON, "Ben"), Seat(PERSON, "Cem")])
    start, box = ann.page.evaluate(
        """async ([scenes, view, place]) => {
            document.body.dataset.view = view;
            const { src } = document.querySelector('script[type="module"]');
            const { playMoment } = await import(new URL("moments.js", src));
            playMoment({ scenes }, () => {}, { length: 10000 });
            const box = document.querySelector(place).getBoundingClientRect();
            const middle = [box.left + box.width / 2, box.top + box.height / 2];
            return [document.querySelector(".flyer").dataset.from, middle];
        }""",
        [draw_question(about, words), view, place],
    )
    assert [float(number) for number in re.findall(r"[\d.]+(?=px)", start)] == pytest.approx(box)


def test_a_hidden_page_reports_a_turn_once(person: Callable[..., Witness]) -> None:
    ann, ben = person(Witness), person(Witness)
    table, links = ann.table("quarto", {}, ["me", "open"], name="Ann")
    ben.join(links[0], "Ben")
    people = ann, ben

    def play_until_turn_of(seat: int, count: int) -> Any:
        for number in range(100):
            state = ann.ask("GET", f"/api/tables/{table}")
            if number >= count and state["to_act"] == [seat]:
                return state
            play(people[state["to_act"][0]], table)
        raise AssertionError(state)

    yours = "() => document.querySelector('link[rel=icon]').href.includes('yours')"
    ann.page.wait_for_selector("body.ready .bar.yours")
    ann.page.wait_for_function(yours)
    answers = list[tuple[Any, Any]]()
    ann.context.route("**/part*", lambda route: answers.append((route, route.fetch())), times=1)
    ann.page.evaluate(HIDE, True)
    play(ann, table)
    ann.wait_until(lambda: answers)
    # On her return, the page shows moves after which it was somebody else's turn. It learns of the
    # last move while it waits for the position before it.
    state = play_until_turn_of(0, 1)
    let_answers_arrive(ann)
    ann.page.evaluate("() => { document.title = ''; }")
    (route, answer), = answers  # fmt: skip
    route.fulfill(response=answer)
    ann.page.wait_for_function("() => document.title.includes('Your turn')")
    ann.page.evaluate(ICON_CHANGES)
    ann.page.evaluate(HIDE, False)
    ann.sees(state["version"])
    assert ann.page.evaluate("changes") == []


def test_a_hidden_page_reports_the_start_of_a_game(person: Callable[..., Witness]) -> None:
    """The event of the start arrives while the page waits for the answer to an earlier request."""
    ann = person(Witness)
    table, _ = ann.table("quarto", {}, ["me", "open"], name="Ann")
    ann.page.wait_for_selector("body.ready")
    answers = list[tuple[Any, Any]]()
    ann.context.route("**/part*", lambda route: answers.append((route, route.fetch())), times=1)
    ann.page.evaluate(HIDE, True)
    ann.ask("POST", f"/api/tables/{table}/ready", {"ready": True})
    ann.wait_until(lambda: answers)
    ann.ask("POST", f"/api/tables/{table}/start", {"fill": "easy"})
    let_answers_arrive(ann)
    ((route, answer),) = answers
    route.fulfill(response=answer)
    ann.page.wait_for_function("() => document.title.includes('Your turn')")


def test_a_hidden_page_that_asks_what_to_show_reports_a_turn(
    person: Callable[..., Witness],
) -> None:
    ann = person(Witness)
    table, _ = ann.table("kwartet", {"players": 3, "sets": 6}, ["me"] * 3, name="Ann", seed=3)
    ann.page.evaluate(HIDE, True)
    play(ann, table, 11)
    ann.page.evaluate(HIDE, False)
    ann.page.wait_for_selector("#offer:not([hidden])")
    ann.page.evaluate(HIDE, True)
    requests = list[str]()
    ann.page.on("request", lambda request: requests.append(request.url))
    play(ann, table)
    ann.page.wait_for_function(
        "() => document.querySelector('#offer p').textContent.startsWith('12 ')"
    )
    let_answers_arrive(ann)
    assert [url for url in requests if url.partition("?")[0].endswith("/part")]


@pytest.mark.parametrize("event", thorough(["moves"], ["moves", "end", "seat"]))
def test_a_phone_that_slept_for_long_shows_the_present_position(
    event: str, person: Callable[..., Witness], tmp_path: Path
) -> None:
    with Server(tmp_path / "data", *BUSY) as server:
        ann, ben = person(Witness, host=server.host), person(Witness, host=server.host, **PHONE)
        sizes = (3, 8, 3) if event == "end" else (4, 13, 4)
        settings = dict(zip(("set_size", "sets", "players"), sizes, strict=True))
        seats = settings["players"]
        table, links = ann.table("quaternity", settings, ["me"] * (seats - 1) + ["open"])
        ben.join(links[0], "Ben")
        owners, random = [ann] * (seats - 1) + [ben], Random(1)
        ben.page.evaluate(HIDE, True)
        state = ann.ask("GET", f"/api/tables/{table}")
        moves = thorough(16, 101)
        for number in range(moves):
            if number == moves // 2:
                server.kill()
                server.start()
            if not state["to_act"]:
                break
            mover, query = owners[state["to_act"][0]], f"?seat={state['to_act'][0]}"
            move = random.choice(mover.ask("GET", f"/api/tables/{table}{query}")["moves"])
            sent = {"version": number, "id": str(number), "seat": state["to_act"][0], "move": move}
            mover.ask("POST", f"/api/tables/{table}/moves", sent)
            state = ann.ask("GET", f"/api/tables/{table}")
        assert (state["outcome"] is not None) == (event == "end")
        if event == "end":
            ann.ask("POST", f"/api/tables/{table}/again", {})
        elif event == "seat":
            sent = {"seat": seats - 1, "player": "open"}
            link = ben.ask("POST", f"/api/tables/{table}/hand-over", sent)["invitation"]
            person(Person, host=server.host).join(link, "Carl")
        ben.page.evaluate(HIDE, False)
        ben.page.locator("#offer:not([hidden]) button").nth(1).click()
        ben.sees(state["version"])
        shown = ben.page.locator("#part").inner_text()
        assert ("Play again with the same players?" in shown) == (event == "end")
        assert ("You are watching." in shown) == (event == "seat")
        if event != "seat":  # which changes a name in all that was shown
            assert ben.order_faults([ben.version]) == []


def test_a_page_whose_table_is_deleted_says_so(
    person: Callable[..., Witness], tmp_path: Path
) -> None:
    with Server(tmp_path / "data", *BUSY) as server:
        ann = person(Witness, host=server.host)
        ann.table("quarto", {}, ["me", "me"])
        ann.page.wait_for_selector("body.ready")
        server.stop()
        rmtree(tmp_path / "data")
        server.start()
        ann.page.wait_for_selector("main :text('no such table')")


def test_a_page_waits_while_a_proxy_has_no_server(
    person: Callable[..., Witness], tmp_path: Path
) -> None:
    """While a server is replaced, some proxies answer all requests with 404."""
    with Server(tmp_path / "data", *BUSY) as server:
        ann = person(Witness, host=server.host)
        ann.page.add_init_script(FAST)
        ann.table("quarto", {}, ["me", "me"], name="Ann")
        ann.page.wait_for_selector("body.ready")
        requests = list[Any]()

        def refuse(route: Any) -> None:
            requests.append(route.request)
            route.fulfill(status=404, content_type="text/html", body="<h1>Not found</h1>")

        def count(name: str) -> int:
            paths = [urlsplit(request.url).path for request in requests]
            return sum(path.endswith(f"/{name}") for path in paths)

        ann.context.route("**/*", refuse)
        server.kill()
        ann.wait_until(lambda: count("part") > 1)
        ann.page.locator("#give-A").click()
        ann.wait_until(lambda: count("moves") > 1)
        assert not any(request.is_navigation_request() for request in requests)
        ann.context.unroute("**/*")
        server.start()
        ann.sees(1)


def test_help_is_requested_for_the_present_position_only(person: Callable[..., Witness]) -> None:
    ann = person(Witness)
    settings = {"set_size": 2, "sets": 3, "players": 3}
    table, _ = ann.table("quaternity", settings, ["me"] * 3, name="Ann", help=True)
    requests = list[str]()
    ann.page.on("request", lambda request: requests.append(request.url))
    ann.page.locator("button[data-help=questions]").first.evaluate("one => one.click()")
    ann.page.wait_for_selector("#help:not([hidden]):not([aria-busy])")
    part = Held(ann, "**/part?*at=1*")
    play(ann, table, 2)
    part.wait()
    part.release()
    ann.sees(2)
    ann.page.wait_for_selector("#help:not([aria-busy])", state="attached")
    let_answers_arrive(ann)
    assert len([url for url in requests if "/help/" in url]) == 2


HOLD = """(() => {
  const pauses = globalThis.setTimeout;
  globalThis.held = [];
  globalThis.setTimeout = (call, length = 0, ...more) => {
    if (length < 300 || length > 2000) return pauses(call, length, ...more);
    held.push(() => call(...more));
    return 0;
  };
})()"""
"""Script: the scenes of a moment last until they are released."""

RELEASE = "() => held.splice(0).forEach((call) => call())"
RELEASE_UNTIL_ANNOUNCED = f"""version => {{
  const announced = document.querySelector(`#live [data-version='${{version}}']`) !== null;
  if (!announced) ({RELEASE})();
  return announced;
}}"""
RELEASE_UNTIL_SHOWN = f"""() => {{
  ({RELEASE})();
  return document.getElementById('part').dataset.version > 0;
}}"""

SCENE = """kinds => {
  for (const one of document.getAnimations()) one.finish();
  return kinds.filter((kind) => document.querySelector(`.${kind}:not([hidden])`));
}"""
"""Script: the elements of a moment that the page shows, at the end of their animations."""

SCENES = {
    "kwartet": ({"players": 3, "sets": 6}, 3, {"bubble", "flyer"}),
    "set": ({"seats": 2}, 2, {"flyer", "verdicts"}),
    "quaternity": ({"set_size": 2, "sets": 4, "players": 3}, 3, {"bubble", "flyer"}),
    "quarto": ({}, 2, {"flyer"}),
}
"""Settings, number of seats and elements of moments of each game."""


@pytest.mark.parametrize("game", thorough(["kwartet", "set"], list(SCENES)))
def test_axe_finds_nothing_during_a_moment(game: str, person: Callable[..., Any]) -> None:
    settings, seats, kinds = SCENES[game]
    phone: dict[str, Any] = {
        "viewport": {"width": 390, "height": 844}, "reduced_motion": "no-preference",
    }  # fmt: skip
    ann = person(**phone)
    ann.page.add_init_script(HOLD)
    random, seen, faults = Random(1), set[str](), list[str]()
    table, _ = ann.table(game, settings, ["me"] * seats, name="Ann")
    ann.page.wait_for_selector("body.ready")
    for number in range(60):
        state = ann.ask("GET", f"/api/tables/{table}")
        if seen >= kinds or not state["to_act"]:
            break
        seat, version = state["to_act"][0], state["version"] + 1
        moves = ann.ask("GET", f"/api/tables/{table}?seat={seat}")["moves"]
        sent = {"version": state["version"], "id": str(number), "seat": seat}
        ann.ask("POST", f"/api/tables/{table}/moves", {**sent, "move": random.choice(moves)})
        # Release a moment that began only after the loop below had ended.
        ann.wait_until(partial(ann.page.evaluate, RELEASE_UNTIL_ANNOUNCED, version))
        for _ in range(1000):
            new = {*ann.page.evaluate(SCENE, sorted(kinds))} - seen
            seen |= new
            faults += ann.axe() if new else []
            if not ann.page.evaluate("held.length"):
                break
            ann.page.evaluate(RELEASE)
    assert seen == kinds
    assert faults == []


SHOWN_CARDS = (
    "() => [...document.querySelectorAll('input[name=card]')].map(({ value }) => value).sort()"
)


def test_nobody_sees_the_cards_after_a_claim_before_the_others(person: Callable[..., Any]) -> None:
    moving: dict[str, Any] = {"reduced_motion": "no-preference"}
    ann, ben = (person(**moving) for _ in range(2))
    for viewer in (ann, ben):
        viewer.page.add_init_script(HOLD)
    table, links = ann.table("set", {"seats": 2}, ["me", "open"], name="Ann")
    ben.join(links[0], "Ben")
    for viewer in (ann, ben):
        viewer.page.wait_for_selector("body.ready")
    before = ann.page.evaluate(SHOWN_CARDS)
    claimed = next(three for three in all_triples("set") if {*map(str, three)} <= {*before})
    claim = "claim " + " ".join(map(str, claimed))
    sent = {"version": 0, "id": "claim", "seat": 0, "move": claim}
    ann.ask("POST", f"/api/tables/{table}/moves", sent)
    for viewer in (ann, ben):
        viewer.page.wait_for_selector(".verdicts", state="attached")
        assert viewer.page.evaluate(SHOWN_CARDS) == before
    for viewer in (ann, ben):
        viewer.wait_until(partial(viewer.page.evaluate, RELEASE_UNTIL_SHOWN))
        assert viewer.page.evaluate(SHOWN_CARDS) != before


def test_moves_since_the_return_are_read_one_after_another_without_animation(
    person: Callable[..., Witness],
) -> None:
    ann, ben = person(Witness), person(Witness, reduced_motion="reduce")
    ben.page.add_init_script(HOLD)
    table, _ = ann.table("kwartet", {"players": 3, "sets": 6}, ["me"] * 3, name="Ann", seed=3)
    ben.page.goto(f"/t/{table}")
    ben.page.wait_for_selector("body.ready")
    ben.page.evaluate(HIDE, True)
    play(ann, table, 11)
    ben.page.evaluate(HIDE, False)
    ben.page.locator("#offer:not([hidden]) button").first.click()
    for version in (1, 2, 3):
        ben.page.wait_for_function("() => held.length")
        assert ben.version == version
        assert ben.page.locator("#behind").inner_text().startswith(f"{11 - version} more")
        ben.page.evaluate(RELEASE)
    ben.page.wait_for_function("() => held.length")
    ben.page.locator("#behind").click()  # skips the others
    ben.sees(11)
