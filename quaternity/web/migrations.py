"""The SQL scripts that create the database of a store and bring older databases up to date.

A store contains all tables at which people play, with their seats and moves.
"""

from __future__ import annotations

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
    "ALTER TABLE tables ADD COLUMN review BLOB; ALTER TABLE tables ADD COLUMN puzzle BLOB",
    # At tables of older rematches, the seats of programs follow from the number of the rematch.
    """
    ALTER TABLE seats ADD COLUMN origin TEXT;
    UPDATE seats SET origin = (
        SELECT evening || '/' || (((seats.seat - (
            SELECT COUNT(*) FROM tables AS earlier WHERE earlier.rowid < later.rowid
            AND (earlier.id = later.evening OR earlier.evening = later.evening)
        )) % players + players) % players)
        FROM tables AS later
        JOIN (SELECT table_id, COUNT(*) AS players FROM seats GROUP BY table_id) AS sizes
        ON sizes.table_id = later.id WHERE later.id = seats.table_id
    ) WHERE kind = 'program'
    """,
)
"""SQL scripts, each of which migrates a database from one version to the next. The first script
creates the database."""
