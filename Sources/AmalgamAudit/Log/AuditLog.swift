/// What changed in a database, who did it and when: stored in the database itself, by the transactions that change it.
///
/// One line turns it on, for all connections of a queue or pool that write:
///
/// ```swift
/// var config = Configuration()
/// config.audit("player", .table("user", redacting: ["password"]))
/// let dbQueue = try DatabaseQueue(path: path, configuration: config)
///
/// try dbQueue.write { db in
///     try db.auditing(as: "user:42", reason: "typing error") {
///         try db.execute(sql: "UPDATE player SET name = 'Anne' WHERE id = 1")
///     }
/// }
/// ```
///
/// The log is read with requests:
///
/// ```swift
/// let entries = try dbQueue.read { db in
///     try AuditLog.history(of: "player", key: 1).fetchAll(db)
/// }
/// print(entries[0])   // UPDATE player 1 (name: "Anna" -> "Anne") by user:42
/// ```
///
/// # What is recorded
///
/// Each row that is inserted, updated or deleted, whoever does it: statements, triggers, foreign key actions, upserts,
/// `REPLACE`, `DELETE` without `WHERE`, changesets that are applied, and writes through blob handles. There are no triggers:
/// values come from SQLite's pre-update hook. An update lists the columns that get another value, and an update
/// that changes none of the audited columns is no entry. Entries are stored by the transaction that makes the changes,
/// right after each statement: what a rollback, a savepoint, or a statement that fails undoes leaves nothing.
///
/// Tables of the main database are audited, by connections that were told so. Not recorded: virtual tables; values of
/// virtual generated columns, which SQLite does not store; what `ALTER TABLE` and `DROP TABLE` do to rows; writes by C
/// code that runs statements of its own between those of the application; `erase()`, `deserialize` and backups into the
/// database.
///
/// The tables of the log are ordinary ones: a session that records all tables records them as well. Name the tables,
/// or the changeset that is applied elsewhere brings entries with it.
///
/// # The tables
///
/// The log is a view, `amalgam_audit`, on three tables. They are stable: later versions add to them at most.
///
/// ```sql
/// CREATE TABLE amalgam_audit_table (   -- one row for each audited table
///   id INTEGER PRIMARY KEY,
///   name TEXT NOT NULL UNIQUE COLLATE NOCASE,
///   since TEXT NOT NULL);              -- entries are complete from this date on
/// CREATE TABLE amalgam_audit_origin (  -- one row for each transaction, actor and reason
///   id INTEGER PRIMARY KEY,
///   transactionID INTEGER NOT NULL,    -- the same for all of a transaction; grows
///   date TEXT NOT NULL,                -- the date of the transaction, in UTC
///   actor TEXT,
///   reason TEXT);
/// CREATE TABLE amalgam_audit_change (  -- one row for each change
///   id INTEGER PRIMARY KEY,            -- grows
///   originID INTEGER NOT NULL,
///   tableID INTEGER NOT NULL,
///   operation INTEGER NOT NULL,        -- 18 INSERT, 23 UPDATE, 9 DELETE
///   key,                               -- of the row, before the change
///   newKey,                            -- after an update of the key, else NULL
///   changes BLOB NOT NULL);            -- JSONB: {"name": ["Anna", "Anne"], "password": true}
/// ```
///
/// A key is the primary key of the table, else the rowid: an integer, real or text as such; a blob, or a key of several
/// columns, as a JSONB array. Each changed column has an array of its old and new value in `changes`, with NULL for
/// values that do not exist, and `true` for a redacted column. A blob is `{"blob": "00FF"}`. So the log can be read with
/// SQL alone:
///
/// ```sql
/// SELECT date, actor, changes ->> '$.name[1]' FROM amalgam_audit WHERE tableName = 'player' AND key = 1
/// ```
///
/// # Cost
///
/// Some 0.4 microseconds for each row that a statement changes, its entry included: an update of many rows in a file takes
/// twice its time, a third of what it takes with a trigger that writes JSON. Where a trigger, a further index or an observer
/// waits for entries, each takes 0.2 microseconds more. The entries of one statement wait in memory until it has changed
/// the last row: some 30 bytes each, and the values. Each write through a blob handle is an entry
/// with the whole value before and after it: leave large blobs out, or redact them. An entry is a value of SQLite, and has
/// its limit, a billion bytes: a change of a blob of some 500 MB, which takes twice as much in JSON, fails with
/// `SQLITE_TOOBIG`. See <https://sqlite.org/limits.html>.
///
/// See <https://sqlite.org/c3ref/preupdate_blobwrite.html> and <https://sqlite.org/jsonb.html>.
public enum AuditLog {}
