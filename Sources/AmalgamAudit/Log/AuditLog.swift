/// A log of the row changes in a database, with their actors and dates. The transaction that makes a change also writes
/// its entry, to the same database.
///
/// A line of the configuration enables the log for all writing connections of a queue or pool:
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
/// Read the log with requests:
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
/// Each row that is inserted, updated or deleted is recorded. This includes changes by triggers, foreign key actions,
/// upserts, `REPLACE`, `DELETE` without `WHERE`, applied changesets, and writes through blob handles. The log needs no
/// triggers: SQLite's pre-update hook provides the values. An update lists the columns whose values change. An update
/// that changes no audited column isn't recorded. The entries of a statement are stored right after it, in its
/// transaction. So changes that are undone, by a rollback, a savepoint or the failure of a statement, leave no entries.
///
/// Only tables of the main database are audited, by connections on which the audit was enabled. The log doesn't record:
///
/// - virtual tables;
/// - values of virtual generated columns, which SQLite doesn't store;
/// - changes of rows by `ALTER TABLE`, and the rows of a dropped table (but rows of other tables that its foreign keys
///   delete or change are recorded);
/// - statements that C code runs on the connection, unless a statement of the application has called this code;
/// - `erase()`, `deserialize`, and backups into the database.
///
/// Nor does it record changes by other programs, and by connections without the audit: ``verify(_:tables:)`` finds what
/// contradicts the log. Sessions and differences of all tables leave out the tables of the log, unless they are named.
///
/// # The tables
///
/// The log is a view, `amalgam_audit`, of three tables. Their definition is stable: later versions can only add to it.
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
///   newKey,                            -- after an update of the key, otherwise NULL
///   changes BLOB NOT NULL);            -- JSONB: {"name": ["Anna", "Anne"], "password": true}
/// ```
///
/// After ``deleteEntries(_:exceptLatest:)`` and ``deleteEntries(_:before:)``, the table `amalgam_audit_cut` has the
/// `transactionID` of each transaction that has lost some entries and keeps others.
///
/// A key is the primary key of the table, or otherwise the rowid. An integer, real or string is stored unchanged. A
/// blob, or a key of several columns, is stored as a JSONB array. `changes` is a JSONB object with one member for each
/// changed column. The member is an array of the old and the new value, with null for a value that doesn't exist, or
/// `true` if the column is redacted. In JSONB, a blob is stored as `{"blob": "00FF"}`. So SQL can read the log, with
/// SQLite 3.45 or newer; for older ones, see ``copyAsText(_:to:)``:
///
/// ```sql
/// SELECT date, actor, changes ->> '$.name[1]' FROM amalgam_audit WHERE tableName = 'player' AND key = 1
/// ```
///
/// # Cost
///
/// Each row that a statement changes costs about 0.4 microseconds, including its entry. An update of many rows in a
/// file takes twice as long as without the log, and a third of the time of a trigger that writes JSON. Each trigger,
/// additional index or observer of the entries takes 0.2 microseconds more. The entries of a statement remain in memory
/// until the statement has changed its last row: about 30 bytes each, plus the values. Each write through a blob handle
/// is an entry with the whole value before and after. So exclude or redact columns with large blobs. SQLite limits the
/// column `changes` of an entry to a billion bytes (<https://sqlite.org/limits.html>), and a blob takes twice its size
/// there. So a change of a blob of about 500 MB fails with `SQLITE_TOOBIG`.
///
/// See <https://sqlite.org/c3ref/preupdate_blobwrite.html> and <https://sqlite.org/jsonb.html>.
public enum AuditLog {}
