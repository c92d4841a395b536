"""What keeps all tables: what a store does, whatever it is made of, and the thread that writes.

What waits to be written together is written in one transaction, so a thousand moves a second cost
few waits for the disk. A table's log only grows: its entries are moves, and how many moves are
taken back; everything else is rebuilt from them.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from math import inf
from queue import SimpleQueue
from secrets import token_hex
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from quaternity.base.errors import InputError
from quaternity.web.refusal import NOT_KEPT, SILENT, Refusal

T = TypeVar("T")

TAKEN_BACK = -1
"""The seat of an entry that takes moves back; its text is how many."""

MIGRATIONS = (
    """
    CREATE TABLE tables (
        id TEXT PRIMARY KEY, game TEXT NOT NULL, head TEXT NOT NULL, seed TEXT NOT NULL,
        help INTEGER NOT NULL, practice INTEGER NOT NULL, archive INTEGER NOT NULL,
        maker TEXT, over INTEGER NOT NULL DEFAULT 0, again TEXT,
        made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    );
    CREATE TABLE seats (
        table_id TEXT NOT NULL REFERENCES tables, seat INTEGER NOT NULL, kind TEXT NOT NULL,
        name TEXT, person TEXT, token TEXT, browser TEXT, invitation TEXT,
        PRIMARY KEY (table_id, seat)
    ) WITHOUT ROWID;
    CREATE INDEX seats_of_browser ON seats (browser) WHERE browser IS NOT NULL;
    CREATE INDEX seats_by_invitation ON seats (invitation) WHERE invitation IS NOT NULL;
    CREATE TABLE log (
        table_id TEXT NOT NULL REFERENCES tables, version INTEGER NOT NULL,
        seat INTEGER NOT NULL, id TEXT NOT NULL, move TEXT NOT NULL,
        PRIMARY KEY (table_id, version)
    ) WITHOUT ROWID;
    """,
    "ALTER TABLE tables ADD COLUMN deck TEXT NOT NULL DEFAULT 'plain'",
    """
    CREATE TABLE marks (
        table_id TEXT NOT NULL REFERENCES tables, seat INTEGER NOT NULL, cell TEXT NOT NULL,
        mark TEXT NOT NULL, PRIMARY KEY (table_id, seat, cell)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE tables ADD COLUMN invitation TEXT;
    ALTER TABLE tables ADD COLUMN waiting TEXT;
    ALTER TABLE tables ADD COLUMN evening TEXT;
    ALTER TABLE tables ADD COLUMN places TEXT;
    ALTER TABLE seats ADD COLUMN ready INTEGER NOT NULL DEFAULT 1;
    CREATE INDEX tables_by_invitation ON tables (invitation) WHERE invitation IS NOT NULL;
    CREATE INDEX tables_of_evening ON tables (evening) WHERE evening IS NOT NULL;
    """,
    """
    ALTER TABLE tables ADD COLUMN chat INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tables ADD COLUMN clock TEXT;
    ALTER TABLE tables ADD COLUMN due REAL;
    ALTER TABLE seats ADD COLUMN saved REAL NOT NULL DEFAULT 0;
    ALTER TABLE seats ADD COLUMN missed INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX tables_by_due ON tables (due) WHERE due IS NOT NULL;
    CREATE TABLE uptime (seconds REAL NOT NULL);
    INSERT INTO uptime VALUES (0);
    CREATE TABLE talk (
        table_id TEXT NOT NULL REFERENCES tables, watching INTEGER NOT NULL,
        number INTEGER NOT NULL, seat INTEGER, name TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (table_id, watching, number)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE seats ADD COLUMN code TEXT;
    ALTER TABLE log ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX seats_by_code ON seats (code) WHERE code IS NOT NULL;
    CREATE TABLE moving (
        link TEXT PRIMARY KEY, table_id TEXT NOT NULL REFERENCES tables, token TEXT NOT NULL,
        until REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    "CREATE TABLE removing (table_id TEXT PRIMARY KEY) WITHOUT ROWID",
    """
    ALTER TABLE tables ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tables ADD COLUMN agreed TEXT;
    ALTER TABLE uptime ADD COLUMN at REAL NOT NULL DEFAULT 0;
    CREATE TABLE present (
        table_id TEXT NOT NULL REFERENCES tables, seat INTEGER NOT NULL, server TEXT NOT NULL,
        streams INTEGER NOT NULL, seen REAL NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (table_id, seat, server)
    ) WITHOUT ROWID;
    CREATE INDEX present_at ON present (at);
    CREATE TABLE budgets (
        name TEXT PRIMARY KEY, used REAL NOT NULL, rate REAL NOT NULL, at REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    "ALTER TABLE uptime ADD COLUMN clock REAL; ALTER TABLE uptime ADD COLUMN secret TEXT",
)
"""What makes a file of one version one of the next; the first makes it from nothing."""

MAX_TRIES = 10
"""Maximum number of attempts at a change when other servers keep changing the table first."""

ANSWER_SECONDS = 1.8
"""Maximum time that a request waits for the store, in seconds."""

PAUSE_SECONDS = 0.5
"""Time after a missing answer during which requests are refused at once, in seconds."""

REFUSED = "nothing can be kept now, so moves are refused: {}"

UNREADABLE = "the tables cannot be read now"

READ_ANEW = "the tables are being read anew: try again"


class Entry(NamedTuple):
    """One entry of a table's log.

    `version` is the length of the log with it, `seat` who moved, or `TAKEN_BACK`; `id` is what
    whoever moved calls the move, empty for programs.
    """

    table: str
    version: int
    seat: int
    id: str
    move: str


Statement = tuple[str, Sequence[Any]]
"""A text of SQL that every store knows, and its values, for which `?` stands."""


class News(NamedTuple):
    """What servers that share all tables tell each other of one of them.

    Attributes:
        revision: how often the table has changed by then; `GONE` after its removal.
        entry: the entry of the log that is all that has changed; None where more has.
        event, data: what to tell those who look on, where nothing was kept.
    """

    table: str
    revision: int
    entry: Sequence[Any] | None = None
    event: str | None = None
    data: Any = None


GONE = -1
"""The revision of a table that was removed."""


class Job(NamedTuple):
    """What is written all or nothing, and who waits for it.

    Attributes:
        guard: the table that changes, and the revision that it must have until then.
        news: what other servers hear once it is written.
        done: what waits for it, if anybody does.
        read: how often all tables had been read anew when it was made.
    """

    entries: Sequence[Entry]
    statements: Sequence[Statement]
    guard: tuple[str, int] | None
    news: Sequence[News]
    done: asyncio.Future[None] | None
    read: int


class Stale(Refusal):
    """Another server has changed a table meanwhile: judge anew by what it is now."""

    def __init__(self) -> None:
        super().__init__(409, "that was written meanwhile: try again")


class InDoubt(Exception):
    """Whether the last writing was kept is not known."""


class InUse(InputError):
    """Another process has the tables."""


class Reader(ABC):
    """All tables, read beside a server that has them."""

    where: str
    """What errors call the store; no password is in it."""

    @abstractmethod
    def read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows that a query gives; from any thread.

        Raises `Refusal` if they cannot be read now.
        """

    @abstractmethod
    def at_one_moment(self) -> AbstractContextManager[None]:
        """Read in the block as all is now, whatever a server writes meanwhile."""

    @abstractmethod
    def faults(self) -> list[str]:
        """Return what is wrong with the store, and which of its rows belong to no table."""

    @abstractmethod
    def change(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement for each row of values, even while a server has the tables."""

    def now(self) -> float:
        """Return the time by which tables expire, in seconds since 1970."""
        return datetime.now(UTC).timestamp()

    def order_removal(self, names: Sequence[str]) -> None:
        """Have the server that has the tables remove some."""
        order = "INSERT INTO removing (table_id) VALUES (?) ON CONFLICT DO NOTHING"
        self.change(order, [(name,) for name in names])

    def confirm_clock(self) -> float:
        """Store that the clock is right, even while a server has the tables; return the time."""
        now = self.now()
        self.change("UPDATE uptime SET clock = ? - seconds", [(now,)])
        return now

    @abstractmethod
    def close(self) -> None:
        """Let the store go."""


async def anew(act: Callable[[], Awaitable[T]]) -> T:
    """Do what another server came before, by what is there now; a few times at most."""
    for _ in range(MAX_TRIES):
        try:
            return await act()
        except Stale:
            continue
    return await act()


class Presence(NamedTuple):
    """Somebody in a seat, as a server sees it; `seen` counts as `Store.uptime`."""

    table: str
    seat: int
    server: str
    streams: int
    seen: float


class Store(Reader):
    """All tables, for a server.

    Where `shared` is true, other servers may have the same tables. Each write of a table then names
    the revision by which it was judged, and is refused as `Stale` after that of another server.
    What the others write is heard after `listen`.
    """

    shared = False

    @abstractmethod
    def size(self) -> int:
        """Return the bytes that all takes on the disk."""

    @abstractmethod
    def _commit(self, batch: Sequence[Job]) -> Collection[int]:
        """Write what all of them ask for, all or nothing, so that a crash loses none of it.

        Leave out those whose table has changed meanwhile, and return their places.
        """

    @abstractmethod
    def _refusal(self, error: Exception) -> Refusal:
        """Return what those are told whose writing failed; 409 if it was written meanwhile."""

    def _fault(self, error: Exception) -> str:
        """Return what may be said of an error to everybody."""
        return str(error)

    @abstractmethod
    def _end(self) -> None:
        """Let the store go, after the thread that writes has ended."""

    def _begin(self) -> None:
        """Begin to write."""
        rows = self.read("SELECT seconds FROM uptime")
        self.change("UPDATE uptime SET secret = ? WHERE secret IS NULL", [(token_hex(32),)])
        ((secret,),) = self.read("SELECT MAX(secret) FROM uptime")
        self.secret = str(secret).encode()
        """The key that signs cookies."""
        self._up: float = sum(seconds for (seconds,) in rows) - monotonic()
        self.trouble: str | None = None
        """Why nothing could be written the last time; None when it could."""
        self.appended = 0
        """Entries of logs that were written."""
        self.times_read = 0
        """How often all tables had to be read anew."""
        self.on_doubt: Callable[[], None] = lambda: None
        """What forgets all that was read; called in the loop of who waits."""
        self._silent = 0.0
        """Time until which requests are refused, by `monotonic`."""
        self._reads = ThreadPoolExecutor(1, "reading")
        self._doubt = False
        """Whether the last writing may have been kept or not: then nothing that was read holds."""
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = Thread(target=self._write, name="store", daemon=True)
        self._thread.start()

    def uptime(self) -> float:
        """Return the seconds that servers of these tables were running, by which clocks go.

        It stands still while none runs, whatever the clock of the machine is set to.
        """
        return self._up + monotonic()

    def believe_clock(self, now: float) -> None:
        """Store that the clock is right, without waiting for the write."""
        clock: Statement = "UPDATE uptime SET clock = ?", (now - self.uptime(),)
        statements = self.uptime_statement(), clock
        self._jobs.put(Job((), statements, None, (), None, self.times_read))

    async def keep_uptime(self) -> None:
        """Store the uptime, because a crash loses the rest. Fail if no table can be changed."""
        await self.write((), [self.uptime_statement(), ("DELETE FROM tables WHERE 1 = 0", ())])

    def uptime_statement(self) -> Statement:
        """Return what writes it down."""
        return "UPDATE uptime SET seconds = ?", (self.uptime(),)

    async def write(
        self,
        entries: Sequence[Entry] = (),
        statements: Sequence[Statement] = (),
        guard: tuple[str, int] | None = None,
        news: Sequence[News] = (),
    ) -> None:
        """Append to logs and change what else there is, all or nothing; then it is on the disk.

        Raises `Stale` if the guarded table has another revision, or an entry is there already.
        """
        self._check_answers(NOT_KEPT(error=SILENT))
        done = asyncio.get_running_loop().create_future()
        self._jobs.put(Job(entries, statements, guard, news, done, self.times_read))
        await self._answer(done, NOT_KEPT(error=SILENT))

    def reading(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Start a function in the reader thread, and return its future."""
        return self._reads.submit(function, *arguments)

    async def ask(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in the reader thread, and return its result.

        Raises `Refusal` if it fails or takes too long.
        """
        self._check_answers(UNREADABLE)
        return await self._answer(
            asyncio.wrap_future(self.reading(function, *arguments)), UNREADABLE
        )

    async def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a query in the reader thread, and return its rows; see `ask`."""
        return await self.ask(self.read, query, *values)

    def _check_answers(self, text: str) -> None:
        if monotonic() < self._silent:
            raise Refusal(503, text)

    async def _answer(self, answer: asyncio.Future[T], text: str) -> T:
        try:
            # An answer counts that came while the loop was busy or the process was stopped.
            done, _ = await asyncio.wait([answer], timeout=ANSWER_SECONDS)
        finally:
            answer.cancel()  # without effect on an answer that came
        if done:
            return answer.result()
        self._silent = max(self._silent, monotonic() + PAUSE_SECONDS)
        self.trouble = REFUSED.format(SILENT)
        raise Refusal(503, text)

    def close(self) -> None:
        """Write what waits, and let others have the tables."""
        self._silent = inf  # what comes later is refused at once
        self._jobs.put(None)
        self._thread.join()
        self._reads.shutdown(cancel_futures=True)
        self._end()

    # ------------------------------------------------------------------ beside other servers

    def listen(
        self, hear: Callable[[Sequence[News]], None], miss: Callable[[], None]
    ) -> None:  # fmt: skip
        """Have the running loop call `hear` with what others write, `miss` where that was lost."""

    def tell(self, *news: News) -> None:
        """Tell other servers something that is not kept, if there are any; wait for nothing."""

    async def claim(self, key: str) -> bool:
        """Return whether this server alone does something now, until it lets go or ends."""
        del key
        return True

    def let_go(self, key: str) -> None:
        """End a claim."""

    def exchange(
        self, here: Sequence[Presence], used: Mapping[str, tuple[float, int]]
    ) -> tuple[Sequence[Presence], Mapping[str, float]]:
        """Tell the other servers who is here and what was used of budgets; return theirs.

        Args:
            here: who has come, left or asked since the last time.
            used: per budget what was used here since then, and how much of it comes back a minute.

        Returns:
            Who has come to other servers, left or asked there; of the budgets what is used in all.
        """
        del here, used
        return (), {}

    # ------------------------------------------------------------------ the thread that writes

    def _write(self) -> None:
        job = self._jobs.get()
        while job is not None:
            batch: list[Job] = []
            while job is not None:
                batch.append(job)
                if self._jobs.empty():
                    break
                job = self._jobs.get()
            self._write_batch(batch)
            if job is not None:
                job = self._jobs.get()

    def _read_anew(self) -> None:
        if self._doubt:
            self.on_doubt()
            self.times_read += 1
            self._doubt = False

    def _write_batch(self, batch: list[Job]) -> None:
        batch = [job for job in batch if job.done is None or not job.done.cancelled()]
        try:
            if any(job.read < self.times_read for job in batch):
                raise InDoubt
            stale = self._commit(batch)
        except InDoubt:
            # What was read before may be old: nobody writes by it.
            _in_loop(batch, self._read_anew)
            self._tell(batch, Refusal(503, READ_ANEW))
        except Exception as error:
            # Whatever it is: who waits is told, and this thread goes on.
            refusal = self._refusal(error)
            if refusal.status == 409 and len(batch) > 1:
                for job in batch:  # whose fault it is will be seen
                    self._write_batch([job])
                return
            if refusal.status != 409:
                fault = self._fault(error)
                self.trouble = REFUSED.format(fault)
            self._tell(batch, refusal)
        else:
            if any(job.entries or job.statements for job in batch):  # others change nothing
                self.trouble = None
            late = [batch[place] for place in stale]
            batch = [job for place, job in enumerate(batch) if place not in stale]
            self.appended += sum(len(job.entries) for job in batch)
            self._tell(batch, None)
            self._tell(late, Stale())

    def _tell(self, batch: list[Job], error: Refusal | None) -> None:
        """Report the result of a batch to its callers, in the event loop that they share."""

        def tell() -> None:
            late = False
            for job in batch:
                if job.done is None:
                    continue
                if job.done.done():  # its caller was told that it failed
                    late |= job.guard is not None and error is None
                elif error is None:
                    job.done.set_result(None)
                else:
                    job.done.set_exception(error)
            if late:
                self._doubt = True
                self._read_anew()

        _in_loop(batch, tell)


def _in_loop(batch: Sequence[Job], act: Callable[[], None]) -> None:
    """Do something in the loop of those who wait."""
    loops = {job.done.get_loop() for job in batch if job.done is not None}
    for loop in loops:
        if not loop.is_closed():
            loop.call_soon_threadsafe(act)
